/* SPDX-License-Identifier: MIT */
/*
 * context.h - the context: what all rooms share of it, and what each room keeps in it.
 */
#ifndef CLOPT_BASE_CONTEXT_H
#define CLOPT_BASE_CONTEXT_H

#include <pthread.h>

#include "status.h"
#include "store.h"

struct device {
	cl_device_id id;
	size_t found; /* how many were found before it */
	unsigned traits;
	unsigned quirks; /* in force on it: bits of the rows of quirks.c */
	/* Kernels are compiled once more when they are run, for how they are run, and
	 * the binary of a program has what was run before it was first asked for. */
	int compiles_late;
	struct clopt_device_info info;
};

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
	char label[48]; /* of a kernel: its row, or the caller's name for it */
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

/* ---- The context: context.c ---------------------------------------------- */

#define MAX_QUEUES 8

struct variant; /* table.h */
struct kernel; /* kernel/program.h */
struct pinned; /* pinned.c */
struct staging; /* staging.c */
struct async; /* async.c */
struct resident; /* enqueue.c */
struct records;
struct made;

/* Bytes a second, up and down; 0 where it is not known. */
struct rates {
	int pinned_known, ordinary_known; /* measured, or tried to */
	size_t unmeasured; /* bytes that went without */
	double pinned[2], driver[2], staged[2];
};

/* Events of commands that wait for others; order.c. */
struct watch {
	cl_event *list;
	size_t count, room;
	cl_int failed; /* of those that have come, the first failure */
};

struct clopt {
	pthread_mutex_t lock; /* held through every call */
	size_t serial; /* from 1; another context may get its address, but not this */
	struct device device;
	cl_context context;
	int adopted; /* device.id is retained: the context is a caller's */
	cl_command_queue queue[MAX_QUEUES];
	unsigned queues;
	struct clopt_queue *extra; /* the caller's, handles.h */
	struct watch watch;
	size_t mem_limit_bytes;
	int profile, verbose, transfer;
	unsigned copy_threads; /* as the caller wants them; 0: measured */
	size_t chunk_bytes;
	double slice_seconds; /* 0: launches are not cut */
	double tune_seconds; /* for a first choice; 0: none */
	struct records *records; /* records.c */
	struct made *made; /* parameters.c */
	int check; /* enum clopt_check, but for the default */
	const struct variant *forced[CLOPT_OPS];
	struct kernel *kernels;
	struct store store; /* what outlives the process */
	struct pinned *pinned;
	struct staging *staging;
	struct async *async;
	struct resident *kept; /* enqueue.c */
	pthread_mutex_t starting; /* held while a call is put into it */
	struct rates rates;
	struct clopt_report report;
	/* Kernels since the context was opened: from the cache, compiled, kept. */
	struct {
		size_t loaded, compiled, saved;
	} built;
	struct log log;
};

#endif
