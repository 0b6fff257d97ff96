/* SPDX-License-Identifier: MIT */
/*
 * numbers.h - numbers as kernels get them: rounded, of 2 to 8 bytes, or as two floats.
 */
#ifndef CLOPT_BASE_NUMBERS_H
#define CLOPT_BASE_NUMBERS_H

#include "status.h"

/* x rounded to float. */
double clopt__as_float(double x);

size_t clopt__number_bytes(int precision);
/* Convert n points of four numbers each. */
void clopt__numbers_pack(int precision, size_t n, const double *from, void *to);
/* Convert the first `columns` numbers of each point; the others keep their values. */
void clopt__numbers_unpack(int precision, size_t n, const void *from, unsigned columns, double *to);
/* The power of two that scales the largest mass of n bodies to 1 to 2. */
double clopt__mass_unit(size_t n, const double *bodies);
/* Number i of an array. */
double clopt__number_at(int precision, const void *from, size_t i);

/* An element of a matrix, by its size. */
double clopt__element(const char *at, size_t elem_bytes);

/* a * b and a + b, or SIZE_MAX on overflow. */
size_t clopt__times(size_t a, size_t b);
size_t clopt__plus(size_t a, size_t b);
size_t clopt__smaller(size_t a, size_t b);
size_t clopt__larger(size_t a, size_t b);

/* The list, made longer if its `room` of elements is full: there is a place for one more.  NULL: no
 * memory; the list stays. */
void *clopt__room(void *list, size_t count, size_t *room, size_t elem_bytes);

#endif
