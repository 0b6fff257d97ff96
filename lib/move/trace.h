/* SPDX-License-Identifier: MIT */
/*
 * trace.h - the commands that are kept for the time line.
 */
#ifndef CLOPT_MOVE_TRACE_H
#define CLOPT_MOVE_TRACE_H

#include <stdio.h>

#include "../base/text.h"
#include "move.h"

#define MOST_TRACED ((size_t)100000)

/* log.c: add commands, sorted by start, to the sums. */
void clopt__sums_add(struct sums *sums, const struct command *list, size_t count);

/* log.c: keep settled commands for the time line, as many as there is room for. */
void clopt__trace_keep(struct log *log, const struct command *list, size_t count);

const char *clopt__kind_name(enum command_kind kind);

/* From when to when the kept commands last, and how many queues they name. */
struct period {
	double first, last;
	unsigned queues;
};
struct period clopt__trace_period(const struct log *log);

/* trace_svg.c: the trace as a picture. */
void clopt__trace_picture(const struct clopt *ctx, FILE *f);

#endif
