/* SPDX-License-Identifier: MIT */
/*
 * log.h - the commands of a call, their times, and what is told of them: part of
 * internal.h.
 */
#ifndef CLOPT_LOG_H
#define CLOPT_LOG_H

#include <CL/cl.h>
#include <pthread.h>

struct clopt;

enum command_kind {
	COMMAND_UP,
	COMMAND_KERNEL,
	COMMAND_DOWN,
	COMMAND_COPY, /* on the device; its time counts as a kernel's */
	COMMAND_KINDS,
	COMMAND_MARK = COMMAND_KINDS /* stands for those before it and takes no time */
};

struct command {
	enum command_kind kind;
	unsigned queue;
	size_t bytes, call; /* which call of the context, the first is 0 */
	cl_event event;
	double queued, start, end; /* seconds, by the device's clock since the first command */
	char label[48]; /* what a kernel belongs to: clopt_report.variant */
};

/* What the commands of a call took, in seconds; valid when zero. */
struct sums {
	double up, kernel, down;
	double both; /* in which something went up and something went down */
	double busy; /* in which anything went on */
	double first, last; /* the first start, the last end */
	size_t commands;
};

struct log {
	pthread_mutex_t lock; /* threads that stage add while the caller does */
	struct command *list; /* of the call under way, not settled yet */
	size_t count, room, call;
	cl_ulong zero; /* start of the first command, in nanoseconds */
	struct sums sums; /* of the call under way */
	struct command *trace; /* clopt_trace_start's: room for MOST_TRACED */
	size_t traced;
	int tracing;
};

/* log.c: the commands of the call under way, for their times and as what others
 * wait for. */
int clopt__log_open(struct log *log); /* nonzero: no mutex to be had */
void clopt__log_close(struct log *log);
/* Keep the event of a command that was queued until it is settled.  Takes it over,
 * also on failure (CLOPT_ENOMEM); NULL, when not profiling: nothing to keep. */
int clopt__log_add(struct clopt *ctx, enum command_kind kind, unsigned queue, size_t bytes,
                   cl_event event);
/* How many are kept: a call of many commands settles now and then. */
size_t clopt__log_count(struct clopt *ctx);
/* All of them have ended: release them.  If profiling, and unless rc tells of a
 * failure, their times go to the report and the trace before.  Returns rc or its
 * own failure.  Any number of times in a call. */
int clopt__log_settle(struct clopt *ctx, int rc);

/* report.c: what a call's times amount to, and the line of CLOPT_VERBOSE, the
 * library's only output. */
struct overlap {
	double serial, bound, took; /* seconds, as in struct clopt_report */
	double hidden; /* 0 to 1 */
	int any; /* there was something worth hiding */
	int apart; /* ... and hardly any of it went on beside something else */
};
/* copy_engines 0, not told: by whether up and down went at the same time. */
struct overlap clopt__overlap(const struct sums *sums, unsigned copy_engines);
/* The end of a call whose commands have been settled. */
void clopt__report_close(struct clopt *ctx);
/* text: the call in words. */
void clopt__verbose(const struct clopt *ctx, const char *text, int rc);
/* Another line of it. */
void clopt__notice(const char *format, ...) __attribute__((format(printf, 1, 2)));
double clopt__now(void);

#endif
