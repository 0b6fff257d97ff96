/* SPDX-License-Identifier: MIT */
/*
 * trace.h - the commands that are kept for the time line.
 */
#ifndef CLOPT_MOVE_TRACE_H
#define CLOPT_MOVE_TRACE_H

#include "../base/text.h"
#include "move.h"

#define MOST_TRACED ((size_t)100000)

/* log.c: add commands, sorted by start, to the sums. */
void clopt__sums_add(struct sums *sums, const struct command *list, size_t count);

/* log.c: keep settled commands for the time line, as many as there is room for. */
void clopt__trace_keep(struct log *log, const struct command *list, size_t count);

#endif
