/* SPDX-License-Identifier: MIT */
/*
 * context.h - the context: the state that rooms share, and each room's state.
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
	unsigned workarounds; /* bits of enum workaround (device/device.h) that the quirks set */
	struct clopt_device_info info;
};

enum command_kind {
	COMMAND_UP,
	COMMAND_KERNEL,
	COMMAND_DOWN,
	COMMAND_COPY, /* on the device; its time counts as kernel time */
	COMMAND_KINDS,
	COMMAND_MARK = COMMAND_KINDS /* stands for all earlier commands; takes no time */
};

struct command {
	enum command_kind kind;
	unsigned queue;
	size_t bytes, call; /* call: index of the call in the context */
	cl_event event;
	double queued, start, end; /* seconds on the device's clock, from the first command */
	char label[48]; /* kernel: name of its row, or the caller's name */
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
	struct command *list; /* commands of the current call that are not settled */
	size_t count, room, call;
	cl_ulong zero; /* start of the first command, in nanoseconds */
	double host; /* the host's seconds at that time; 0: unknown */
	struct sums sums; /* of the current call */
	struct command *trace; /* since clopt_trace_start; has room for MOST_TRACED */
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

/* Bytes per second, up and down; 0: unknown. */
struct rates {
	int pinned_known, ordinary_known; /* measured, or tried */
	size_t unmeasured; /* bytes moved without a measurement */
	double pinned[2], driver[2], staged[2];
	int lent_known, lent_is_fast; /* another context's pinned memory is as fast as this one's */
};

/* Device arrays that calls leave to later calls, the oldest first; move/memory.c. */
#define MOST_IDLE_ARRAYS 32
struct idle {
	unsigned count;
	size_t bytes; /* sum of all arrays */
	struct {
		cl_mem mem;
		size_t bytes;
	} list[MOST_IDLE_ARRAYS];
};

/* Scratch memory of the launches in a queue, one at a time; kept between calls. */
#define MOST_WORKSPACES 8
struct workspace {
	cl_command_queue q;
	cl_mem mem;
	size_t bytes;
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

/* What any thread may change at any time, also of a const context.  Its lock is never held during a
 * call of OpenCL. */
struct shared_state {
	pthread_mutex_t lock; /* of references and text */
	size_t references; /* number of references: the opener's, until clopt_close, and each
	                      handle's */
	int closed, lost; /* atomic, */
	const void *outside; /* as is the thread that runs a callback; running.c */
	char text[ERROR_SIZE]; /* message of the last failure */
};

struct clopt {
	pthread_mutex_t lock; /* held during every call */
	struct shared_state *shared;
	long process; /* the process that opened it, */
	unsigned long lineage; /* and its clopt__lineage() */
	size_t serial; /* number of the context, from 1; later contexts may reuse the address, not
	                  the number */
	const struct clopt *volatile self; /* its address, until the memory is freed */
	struct device device;
	cl_context context;
	int adopted; /* the caller's context; device.id is retained */
	cl_command_queue queue[MAX_QUEUES];
	unsigned queues;
	struct clopt_queue *extra; /* the caller's queues; buffers/queue.c */
	struct watch watch;
	size_t mem_limit_bytes;
	size_t least_bytes; /* bytes that suffice where a choice was CLOPT_ENOMEM */
	int profile, verbose;
	int transfer; /* enum clopt_transfer, never CLOPT_TRANSFER_DEFAULT */
	unsigned copy_threads; /* 0: chosen by measurement */
	size_t chunk_bytes;
	double slice_seconds; /* 0: launches are not cut into slices */
	struct records *records; /* choose/records.c */
	struct made *made; /* table/parameters.c */
	int check; /* enum clopt_check, never CLOPT_CHECK_DEFAULT */
	const struct variant *forced[CLOPT_OPS];
	/* The last choice and what it depends on: calls that are alike need no walk.  v NULL: none.
	 * choose/select.c */
	struct {
		const struct variant *v, *forced;
		struct clopt_problem problem;
		int resident, small_on_device;
		int unsure; /* a kernel of the walk failed, perhaps not for good */
		const struct clopt *joined;
		unsigned sharers;
	} chosen;
	size_t small_product; /* what the last call was; 0: another; call/matmul.c */
	struct kernel *kernels;
	struct store store; /* cache of files for later processes */
	struct idle idle;
	struct workspace workspace[MOST_WORKSPACES];
	struct pinned *pinned;
	const struct lent *lent; /* pinned by the first device's context, for the current call */
	unsigned lents;
	struct staging *staging;
	struct async *async;
	struct resident *kept; /* buffers/resident.c */
	struct members *members; /* of a context on several devices; else NULL */
	const struct clopt *joined; /* context of several devices that holds this one; or NULL */
	unsigned sharers; /* devices that work at the same time, this one included; 0: a single
	                     device */
	int share; /* enum clopt_share, never CLOPT_SHARE_DEFAULT */
	pthread_mutex_t starting; /* held while a call is added to async */
	struct rates rates;
	struct clopt_report report;
	/* Numbers of kernels since the context was opened: from the cache, compiled, saved. */
	struct {
		size_t loaded, compiled, saved;
	} built;
	int unkept_told; /* it was told that compiled kernels are not kept */
	struct log log;
	struct running running;
	int small_on_device; /* rows on the host are not picked: by an option, or after a wrong
	                        result of one */
	int keep_output; /* 1: a failed call restores outputs that are also inputs */
};

/* ---- context.c: who may use a context ------------------------------------ */

/* CLOPT_EINVAL for NULL and after clopt_close, CLOPT_EFORK in a child process. */
int clopt__reachable(const struct clopt *ctx);
/* Also CLOPT_EINVAL in a callback of a call on ctx, which would wait for itself. */
int clopt__may_wait(const struct clopt *ctx);
/* clopt__may_wait; also CLOPT_ELOST. */
int clopt__usable(const struct clopt *ctx);
/* Begin and end each call on a context: clopt__caller_hold, clopt__doing, clopt__usable, the lock
 * and clopt__caller_drives.  A function that fails to enter leaves too.  leave returns rc, or
 * CLOPT_ELOST if the call failed since the device is lost. */
int clopt__enter(struct clopt *ctx, struct sentence call);
int clopt__leave(struct clopt *ctx, int rc);
/* As clopt__enter, for a call that may need no driver. */
int clopt__enter_host(struct clopt *ctx, struct sentence call);
/* Whether clopt__enter has locked ctx, also if the device is lost. */
int clopt__entered(const struct clopt *ctx);

/* Add or drop a reference.  Each handle has one, so that handles may be freed after the context is
 * closed.  Dropping the last one frees the context. */
void clopt__hold(struct clopt *ctx);
void clopt__let_go(struct clopt *ctx);

#endif
