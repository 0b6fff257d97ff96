/* SPDX-License-Identifier: MIT */
/*
 * transpose.h - what test/transpose*.c share.
 */
#ifndef TRANSPOSE_H
#define TRANSPOSE_H

#include <check.h>
#include <stddef.h>

#include "clopt_device.h"
#include "clopt_tune.h"

enum {
	HOST,
	STARTED,
	BUFFERS,
	FORMS
};

/* The status of a call that was started, or of the start. */
int transpose_collected(int rc, struct clopt_call **call);

/* Bytes that differ from their neighbours in every direction. */
unsigned char *transpose_pattern(size_t bytes);
/* The right answer; what lies between its rows stays. */
void transpose_reference(size_t rows, size_t cols, size_t elem, const unsigned char *in,
                         size_t ld_in, unsigned char *out, size_t ld_out);

/* A buffer with that in it; what is in it, after all is done, and it is freed. */
struct clopt_buffer *transpose_upload(struct clopt *ctx, size_t bytes, const void *data);
void transpose_download(struct clopt *ctx, struct clopt_buffer *b, size_t bytes, void *data);

/* transpose_scaled.c */
void transpose_scaled_tests(TCase *c);
/* transpose_uneven.c */
void transpose_uneven_tests(TCase *c);

#endif
