/* SPDX-License-Identifier: MIT */
/*
 * numbers.h - numbers as kernels get them: rounded, of 2 to 8 bytes, and in two words.
 */
#ifndef CLOPT_BASE_NUMBERS_H
#define CLOPT_BASE_NUMBERS_H

#include "status.h"

/* numbers.c: rounded to float, as kernels get it. */
double clopt__as_float(double x);

size_t clopt__number_bytes(int precision);
/* n points of four numbers each. */
void clopt__numbers_pack(int precision, size_t n, const double *from, void *to);
/* The first `columns` of each point; the others are left as they are. */
void clopt__numbers_unpack(int precision, size_t n, const void *from, unsigned columns, double *to);
/* A power of two by which the largest mass of n bodies becomes 1 to 2. */
double clopt__mass_unit(size_t n, const double *bodies);
/* One of them. */
double clopt__number_at(int precision, const void *from, size_t i);

/* matmul.c: a number as it lies in an array. */
double clopt__element(const char *at, size_t elem_bytes);

/* a b, and a + b, or SIZE_MAX. */
size_t clopt__times(size_t a, size_t b);
size_t clopt__plus(size_t a, size_t b);

#endif
