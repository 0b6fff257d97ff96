/* SPDX-License-Identifier: MIT */
/*
 * transpose.h - helpers shared by the tests of transposes.
 */
#ifndef TRANSPOSE_H
#define TRANSPOSE_H

#include <check.h>
#include <stddef.h>

#include "clopt_device.h"
#include "clopt_tune.h"

/* Bytes, until the test ends, that differ from their neighbours in every direction. */
unsigned char *transpose_pattern(size_t bytes);
/* The expected result; bytes between its rows stay. */
void transpose_reference(size_t rows, size_t cols, size_t elem, const unsigned char *in,
                         size_t ld_in, unsigned char *out, size_t ld_out);

/* uneven.c */
void transpose_uneven_tests(TCase *c);

#endif
