/* SPDX-License-Identifier: MIT */
/*
 * fuzz.h - what is fuzzed: each target takes any bytes, and must neither crash, hang, leak nor be
 * wrong.
 *
 * libFuzzer makes the bytes; FUZZ_TARGET names the target.  `make fuzz SECONDS=60` runs all.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>

#include "clopt_device.h"
#include "clopt_tune.h"

/* Bytes that are taken one number after the other; behind the end come zeros. */
struct bytes {
	const uint8_t *at;
	size_t left;
};
unsigned fuzz_byte(struct bytes *b);

/* A context on the first device, for all inputs of the process; it checks nothing by itself. */
struct clopt *fuzz_context(void);

/* The input as a text, to be freed. */
char *fuzz_text(const uint8_t *data, size_t size);

/* Says what is wrong and ends the process, so that libFuzzer keeps the input. */
void fuzz_wrong(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/* readers.c */
void fuzz_pqr(const uint8_t *data, size_t size);
void fuzz_msms(const uint8_t *data, size_t size);
void fuzz_points(const uint8_t *data, size_t size);
void fuzz_bodies(const uint8_t *data, size_t size);

/* files.c */
void fuzz_records(const uint8_t *data, size_t size);
void fuzz_cache(const uint8_t *data, size_t size);
void fuzz_settings(const uint8_t *data, size_t size);
void fuzz_variants(const uint8_t *data, size_t size);

/* map.c */
void fuzz_map(const uint8_t *data, size_t size);

#endif
