/* SPDX-License-Identifier: MIT */
/*
 * trace.h - what the files that write about time share: numbers and words that
 * no locale and no driver can spoil, and files that are complete or not there.
 */
#ifndef CLOPT_TRACE_H
#define CLOPT_TRACE_H

#include <stdio.h>

#include "internal.h"

#define MOST_TRACED ((size_t)100000)

/* log.c: add commands, sorted by start, to the sums. */
void clopt__sums_add(struct sums *sums, const struct command *list, size_t count);

/* trace.c: keep settled commands, as many as there is room for. */
void clopt__trace_keep(struct log *log, const struct command *list, size_t count);

const char *clopt__kind_name(enum command_kind kind);

/* From when to when the kept commands last, and how many queues they name. */
struct period {
	double first, last;
	unsigned queues;
};
struct period clopt__trace_period(const struct log *log);

/* write.c */
#define NUMBER_SIZE 40
/* value with so many decimals, 0 to 9, and a point whatever the locale; what is no
 * number becomes 0.  Returns text, NUMBER_SIZE bytes. */
const char *clopt__number(char *text, double value, unsigned decimals);

enum markup {
	XML,
	JSON
};
/* from, cut to fit, so that it may stand in quotes there.  Returns text. */
const char *clopt__quoted(char *text, size_t size, const char *from, enum markup markup);

/* Have `write` write the file `path`; on failure what was there is still there:
 * CLOPT_EINVAL, CLOPT_ENOMEM. */
int clopt__file(struct clopt *ctx, const char *path, void (*write)(const struct clopt *, FILE *));

/* trace_svg.c: the trace as a picture. */
void clopt__trace_picture(const struct clopt *ctx, FILE *f);

#endif
