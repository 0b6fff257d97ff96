/* SPDX-License-Identifier: MIT */
/*
 * trace.h - sums and the trace: functions of log.c for this room.
 */
#ifndef CLOPT_MOVE_TRACE_H
#define CLOPT_MOVE_TRACE_H

#include "../base/text.h"
#include "move.h"

#define MOST_TRACED ((size_t)100000)

/* Add commands, sorted by start, to the sums. */
void clopt__sums_add(struct sums *sums, const struct command *list, size_t count);

/* Keep settled commands for the trace, up to MOST_TRACED. */
void clopt__trace_keep(struct log *log, const struct command *list, size_t count);

#endif
