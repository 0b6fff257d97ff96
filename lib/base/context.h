/* SPDX-License-Identifier: MIT */
/*
 * context.h - the context: the state that rooms share, and the state of each room.
 */
#ifndef CLOPT_BASE_CONTEXT_H
#define CLOPT_BASE_CONTEXT_H

#include <pthread.h>

#include "caller.h"
#include "running.h"
#include "status.h"
#include "store.h"

struct device {
	cl_device_id id;
	size_t found; /* position in the order of enumeration */
	unsigned traits;
	unsigned quirks; /* quirks in force: bits of the rows of device/quirks.c */
	unsigned workarounds; /* what they change: bits of enum workaround (device/device.h) */
	struct clopt_device_info info;
};

enum command_kind {
	COMMAND_UP,
	COMMAND_KERNEL,
	COMMAND_DOWN,
	COMMAND_COPY, /* on the device; its time counts as kernel time */
	COMMAND_KINDS,
	COMMAND_MARK = COMMAND_KINDS /* stands for the commands before it; takes no time */
};

struct command {
	enum command_kind kind;
	unsigned queue;
	size_t bytes, call; /* call: its number in the context, from 0 */
	cl_event event;
	double queued, start, end; /* seconds on the device's clock, from the first command */
	char label[48]; /* kernel: name of its row, or the name that the caller gave */
};

/* Times of a call's commands, in seconds; valid when zero. */
struct sums {
	double up, kernel, down;
	double both; /* time in which transfers up and down ran at once */
	double busy; /* time in which any command ran */
	double first, last; /* the first start, the last end */
	size_t commands;
};

struct log {
	pthread_mutex_t lock; /* staging threads add commands while the caller does */
	struct command *list; /* of the current call, not settled yet */
	size_t count, room, call;
	cl_ulong zero; /* start of the first command, in nanoseconds */
	double host; /* the host's seconds at that time; 0: the driver does not tell */
	struct sums sums; /* of the current call */
	struct command *trace; /* from clopt_trace_start on: room for MOST_TRACED */
	size_t traced;
	int tracing;
};

/* ---- The context: api/context.c ------------------------------------------ */

#define MAX_QUEUES 8

struct variant; /* table/table.h */
struct kernel; /* kernel/program.h */
struct pinned; /* move/pinned.c */
struct staging; /* move/staging.c */
struct async; /* call/async.c */
struct resident; /* buffers/resident.c */
struct members; /* several/members.c */
struct records;
struct made;

/* Bytes a second, up and down; 0: not known. */
struct rates {
	int pinned_known, ordinary_known; /* measured, or tried */
	size_t unmeasured; /* bytes moved before a measurement */
	double pinned[2], driver[2], staged[2];
	int lent_known, lent_is_fast; /* another context's pinned memory is as fast as its own */
};

/* Device arrays that calls leave to later ones, the oldest first; move/memory.c. */
#define MOST_IDLE_ARRAYS 32
struct idle {
	unsigned count;
	size_t bytes; /* of all */
	struct {
		cl_mem mem;
		size_t bytes;
	} list[MOST_IDLE_ARRAYS];
};

/* Memory that another context has pinned. */
struct lent {
	const void *memory;
	size_t bytes;
};

/* Events of commands that wait for other commands; buffers/order.c. */
struct watch {
	cl_event *list;
	size_t count, room;
	cl_int failed; /* first failure of a command that has ended */
};

#define ERROR_SIZE 8192

/* What any thread may change at any time, also of a const context.  It has a lock of its own, which
 * is never held through a call of OpenCL. */
struct shared_state {
	pthread_mutex_t lock;
	size_t references; /* of the opener, until clopt_close, and of each handle */
	int closed, lost;
	const void *outside; /* the thread that is in a function of the caller's; running.c */
	char text[ERROR_SIZE]; /* of the last failure */
};

struct clopt {
	pthread_mutex_t lock; /* held through every call */
	struct shared_state *shared;
	long process; /* that opened it, */
	unsigned long lineage; /* and clopt__lineage() there */
	size_t serial; /* from 1; a later context may get the same address, not this number */
	const struct clopt *volatile self; /* its address, until the memory is freed */
	struct device device;
	cl_context context;
	int adopted; /* the caller's context; device.id is retained */
	cl_command_queue queue[MAX_QUEUES];
	unsigned queues;
	struct clopt_queue *extra; /* the caller's queues; buffers/queue.c */
	struct watch watch;
	size_t mem_limit_bytes;
	size_t least_bytes; /* that would do where a choice was CLOPT_ENOMEM */
	int profile, verbose;
	int transfer; /* enum clopt_transfer, never CLOPT_TRANSFER_DEFAULT */
	unsigned copy_threads; /* 0: found by measuring */
	size_t chunk_bytes;
	double slice_seconds; /* 0: launches are not cut into slices */
	struct records *records; /* choose/records.c */
	struct made *made; /* table/parameters.c */
	int check; /* enum clopt_check, never CLOPT_CHECK_DEFAULT */
	const struct variant *forced[CLOPT_OPS];
	struct kernel *kernels;
	struct store store; /* files that outlive the process */
	struct idle idle;
	struct pinned *pinned;
	const struct lent *lent; /* pinned by the first member, for the present call */
	unsigned lents;
	struct staging *staging;
	struct async *async;
	struct resident *kept; /* buffers/resident.c */
	struct members *members; /* of a context on several devices; NULL: there is one */
	const struct clopt *joined; /* the context that this one is a member of; NULL: none */
	unsigned sharers; /* members that work at a time, with this one; 0: it is alone */
	int share; /* enum clopt_share, never CLOPT_SHARE_DEFAULT */
	pthread_mutex_t starting; /* held while a call is added to async */
	struct rates rates;
	struct clopt_report report;
	/* Counts of kernels since the context was opened: from the cache, compiled, saved. */
	struct {
		size_t loaded, compiled, saved;
	} built;
	struct log log;
	struct running running;
	int small_on_device; /* rows on the host are not picked: by an option, or since one was
	                        wrong */
	int keep_output; /* 1: a failure leaves an output that is read as it was */
};

/* ---- context.c: who may use a context ------------------------------------ */

/* CLOPT_EINVAL for NULL and after clopt_close, CLOPT_EFORK in a child process. */
int clopt__reachable(const struct clopt *ctx);
/* Also CLOPT_EINVAL in a function that a call on ctx calls: it would wait for itself. */
int clopt__may_wait(const struct clopt *ctx);
/* clopt__may_wait, and CLOPT_ELOST. */
int clopt__usable(const struct clopt *ctx);
/* They enclose each call on a context: clopt__caller_hold, clopt__doing, clopt__usable, its lock
 * and clopt__caller_drives.  A function that fails to enter leaves too.  leave returns rc, or
 * CLOPT_ELOST if the call failed with the device. */
int clopt__enter(struct clopt *ctx, struct sentence call);
int clopt__leave(struct clopt *ctx, int rc);
/* As clopt__enter, for a call that may need no driver. */
int clopt__enter_host(struct clopt *ctx, struct sentence call);
/* Whether clopt__enter has locked ctx: also if the device is lost. */
int clopt__entered(const struct clopt *ctx);

/* A handle holds its context, so that it may be freed later.  The last to let go frees it. */
void clopt__hold(struct clopt *ctx);
void clopt__let_go(struct clopt *ctx);
/* Nobody may use ctx any more; lets go of it. */
void clopt__retire(struct clopt *ctx);

#endif
