/* SPDX-License-Identifier: MIT */
/*
 * text.h - numbers and words that no locale and no driver can spoil, and files that are
 * complete or not there.
 */
#ifndef CLOPT_BASE_TEXT_H
#define CLOPT_BASE_TEXT_H

#include <stddef.h>
#include <stdio.h>

struct clopt;

#define NUMBER_SIZE 40
/* value with so many decimals, 0 to 9, and a point whatever the locale; what is no
 * number becomes 0.  Returns text, NUMBER_SIZE bytes. */
const char *clopt__number(char *text, double value, unsigned decimals);

/* from, cut to fit, as the inside of a JSON string.  Returns text. */
const char *clopt__quoted(char *text, size_t size, const char *from);

/* Have `write` write the file `path`; on failure what was there is still there:
 * CLOPT_EINVAL, CLOPT_ENOMEM. */
int clopt__file(struct clopt *ctx, const char *path, void (*write)(const struct clopt *, FILE *));

/* Whether text begins with word[0..n), ASCII case aside. */
int clopt__begins(const char *text, const char *word, size_t n);
/* Whether word[0..n) stands anywhere in text, case aside; an empty one does. */
int clopt__within(const char *text, const char *word, size_t n);

/* Text that grows in the caller's array and is cut at its end; no room: it goes nowhere. */
struct text {
	char *at;
	size_t left;
};
void clopt__say(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
