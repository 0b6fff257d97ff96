/* SPDX-License-Identifier: MIT */
/*
 * buffers.h - the shared set-up of tests of buffers, queues and events.
 */
#ifndef BUFFERS_H
#define BUFFERS_H

#include "clopt_cl.h"
#include "suites.h"

#define BYTES 65536 /* of the arrays here */
#define HOLD 60 /* milliseconds */

/* Opened before each test, with profile. */
extern struct clopt *ctx;

/* in has a pattern, out is zero, want is for the test's expectation. */
extern unsigned char in[BYTES], out[BYTES], want[BYTES];

struct clopt_buffer *buffer(size_t bytes);
struct clopt_queue *queue(void);
/* Compares all of a buffer with want. */
void expect(const struct clopt_buffer *b, size_t bytes);
/* Copies rows as a transfer does. */
void rows(unsigned char *to, size_t to_pitch, const unsigned char *from, size_t from_pitch,
          size_t n, size_t row_bytes);

void buffers_orders(TCase *c);

#endif
