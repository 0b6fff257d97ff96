/* SPDX-License-Identifier: MIT */
/*
 * buffers.h - what the tests of buffers, queues and events share.
 */
#ifndef BUFFERS_H
#define BUFFERS_H

#include "clopt_cl.h"
#include "suites.h"

#define BYTES 65536 /* of the arrays here */
#define HOLD 60 /* milliseconds */

/* Opened before each test, with profile. */
extern struct clopt *ctx;

/* in has a pattern, out is zero, want is for the test. */
extern unsigned char in[BYTES], out[BYTES], want[BYTES];

struct clopt_buffer *buffer(size_t bytes);
struct clopt_queue *queue(void);
size_t buffer_align(void);
/* All of a buffer against want. */
void expect(const struct clopt_buffer *b, size_t bytes);
/* Rows as a transfer would move them. */
void rows(unsigned char *to, size_t to_pitch, const unsigned char *from, size_t from_pitch,
          size_t n, size_t row_bytes);

void buffers_orders(TCase *c);
void buffers_refusals(TCase *c);

#endif
