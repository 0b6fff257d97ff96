/* SPDX-License-Identifier: MIT */
/*
 * text.h - numbers and words that do not depend on locales or drivers, and files that are written
 * whole or not at all.
 */
#ifndef CLOPT_BASE_TEXT_H
#define CLOPT_BASE_TEXT_H

#include <stddef.h>
#include <stdio.h>

#include "system.h"

struct clopt;

#define ENUM_SIZE 48
/* The enumerator of a word, such as CLOPT_LAW_ALPB_SALT of "CLOPT_LAW_" and "alpb-salt"; word NULL:
 * the value has no name, and is a number.  Returns text of ENUM_SIZE bytes. */
const char *clopt__enumerator(char *text, const char *prefix, const char *word, int value);

#define NUMBER_SIZE 40
/* Write value with 0 to 9 decimals and a point in every locale.  NaN, and 1e18 or more, become 0.
 * Returns text, of NUMBER_SIZE bytes. */
const char *clopt__number(char *text, double value, unsigned decimals);

/* Write `from` as the inside of a JSON string, cut to fit.  Returns text. */
const char *clopt__quoted(char *text, size_t size, const char *from);

/* Fill the file `path` by `write`.  A failure leaves the old file: CLOPT_EIO, CLOPT_ENOMEM. */
int clopt__file(struct clopt *ctx, const char *path, void (*write)(const struct clopt *, FILE *));

/* Whether text begins with word[0..n), ignoring ASCII case. */
int clopt__begins(const char *text, const char *word, size_t n);
/* Whether text contains word[0..n), ignoring ASCII case; n may be 0. */
int clopt__within(const char *text, const char *word, size_t n);

/* The only copy of this text, valid until the process ends; NULL without memory. */
const char *clopt__interned(const char *text);

/* A text that grows in the caller's array and is cut at its end.  t NULL: nothing is written. */
struct text {
	char *at;
	size_t left;
};
void clopt__say(struct text *t, const char *format, ...) PRINTF_LIKE(2, 3);

#endif
