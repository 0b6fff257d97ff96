/* SPDX-License-Identifier: MIT */
/*
 * move.h - moves bytes and bands between host and device, and logs the commands.
 *
 * cut.c cuts a workload into blocks; pipeline.c runs them.  array.c and memory.c keep arrays on the
 * device.  transfer.c, staging.c and through.c copy them from and to ordinary memory, or the pinned
 * memory of pinned.c.
 */
#ifndef CLOPT_MOVE_MOVE_H
#define CLOPT_MOVE_MOVE_H

#include "../base/context.h"
#include "../base/numbers.h"
#include "../base/sized.h"
#include "../base/traits.h"

/* ---- log.c: the commands of the current call, for their times and for waiting */
void clopt__log_close(struct log *log);
/* Keep the event of a queued command until clopt__log_settle.  Takes over the event, also on
 * failure (CLOPT_ENOMEM).  label: the name of a kernel, or "".  event NULL: nothing to keep. */
int clopt__log_add(struct clopt *ctx, enum command_kind kind, unsigned queue, size_t bytes,
                   const char *label, cl_event event);
/* Number of kept commands.  A long call settles when there are many. */
size_t clopt__log_count(struct clopt *ctx);
/* Release the events of all commands, which have ended.  When profiling, and rc is no failure,
 * first add their times to the report and the trace.  Returns rc or another failure.  A call may
 * settle many times. */
int clopt__log_settle(struct clopt *ctx, int rc);
/* Add commands, sorted by start, to the sums. */
void clopt__sums_add(struct sums *sums, const struct command *list, size_t count);
/* Keep settled commands for the trace, up to MOST_TRACED. */
#define MOST_TRACED ((size_t)100000)
/* Set log.host.  It stays 0 where the driver does not time the command. */
int clopt__log_clock(struct clopt *ctx);
void clopt__trace_keep(struct log *log, const struct command *list, size_t count);

/* ---- report.c: the report of a call's times, and the line of CLOPT_VERBOSE */
struct overlap {
	double serial, bound, took; /* seconds, as in struct clopt_report */
	double hidden; /* 0 to 1 */
	int any; /* there was time to hide */
	int apart; /* ... and hardly any commands overlapped */
};
/* copy_engines 0: unknown; then the overlap of up and down shows it. */
struct overlap clopt__overlap(const struct sums *sums, unsigned copy_engines);
/* End the report of a call whose commands are settled. */
void clopt__report_close(struct clopt *ctx);
/* Print the line of a call, or its failure; text: the call in words. */
void clopt__verbose(const struct clopt *ctx, const char *text, int rc);

/* ---- A job's arrays */

enum {
	OPERAND_IN = 1,
	OPERAND_OUT = 2,
	OPERAND_MOVED = OPERAND_IN | OPERAND_OUT,
	OPERAND_SCRATCH = 4 /* memory on the device, which no array of the caller has */
};
#define MAX_ARRAYS 16 /* of a kernel of the caller */

#define NO_DIM 3u /* none of the sizes of a problem */

/* A two-dimensional array.  A routine sets the first four fields, table/problem.c the rest. */
struct operand {
	const char *name; /* name in the public routine; NULL: name in the table */
	void *host; /* the caller's memory, or ... */
	const struct clopt_buffer *buffer; /* ... the caller's buffer */
	size_t ld; /* elements from one row to the next */
	/* Not 0: a batch.  A row is a matrix whose rows are inner_ld elements apart, and ld is the
	 * distance of matrices. */
	size_t inner_ld;
	unsigned use; /* OPERAND_IN, OPERAND_OUT or both; OPERAND_SCRATCH; or 0 */
	size_t rows, columns, elem_bytes;
	unsigned row_dim, column_dim; /* dimensions of the problem; NO_DIM: none */
};

/* A box of the problem's index space. */
struct block {
	size_t first[3], count[3];
};

/* Bytes of its elements; of a row; from the first element to after the last one, 0 without
 * elements. */
size_t clopt__operand_bytes(const struct operand *o);
size_t clopt__operand_row_bytes(const struct operand *o);
size_t clopt__operand_span(const struct operand *o);

/* ---- keep.c: a copy of outputs that are also inputs, from before a call; valid when zero */
struct kept {
	char *copy; /* their elements, rows packed; NULL: no copy */
	size_t bytes;
};
int clopt__keep_open(struct clopt *ctx, const struct operand *o, unsigned operands, struct kept *k);
void clopt__keep_restore(const struct operand *o, unsigned operands, char *copy);
void clopt__keep_close(struct kept *k);

/* A caller's buffer.  Commands use the root alone, so drivers never see overlapping parts of one
 * memory. */
struct clopt_buffer {
	struct clopt *ctx;
	cl_mem mem; /* a sub-buffer of root that the caller made, or root itself */
	size_t bytes;
	cl_mem root; /* retained only if mem is a part */
	size_t offset_bytes; /* in root */
};

/* Events that a command waits for. */
struct waits {
	cl_uint count;
	const cl_event *list;
};

/* ---- pinned.c: the pool of pinned memory */
/* NULL: no memory. */
void *clopt__pinned_take(struct clopt *ctx, size_t bytes, int *kind);
/* 0: the memory does not belong to the pool. */
int clopt__pinned_give(struct clopt *ctx, void *memory);
/* Whether the whole range is pinned, or shared with the device. */
int clopt__is_pinned(const struct clopt *ctx, const void *memory, size_t bytes);
void clopt__pinned_free(struct clopt *ctx);

/* ---- finish.c: waiting for a queue */
/* Wait for all commands of q, even if clFinish fails, so that nothing uses the host's arrays
 * afterwards.  rc: an earlier failure, which is returned.  CLOPT_ELOST: every way of waiting
 * failed, and the device may still use them. */
int clopt__finish(const struct clopt *ctx, cl_command_queue q, int rc);

/* ---- copy.c: rows between host memory and a buffer by one command */
struct transfer {
	int down;
	cl_mem mem;
	size_t offset_bytes, pitch_bytes;
	char *host;
	size_t host_pitch_bytes, rows, row_bytes; /* rows, row_bytes: not 0 */
};
/* *call: the name of the OpenCL call. */
cl_int clopt__copy(cl_command_queue q, const struct transfer *t, cl_bool blocking,
                   struct waits wait, cl_event *event, const char **call);
/* Copy rows within host memory. stream: past the caches, where the compiler supports it. */
void clopt__copy_memory(char *to, size_t to_pitch, const char *from, size_t from_pitch, size_t rows,
                        size_t row_bytes, int stream);
/* Bytes of host memory from the first to after the last. */
size_t clopt__transfer_span(const struct transfer *t);
/* Where rows begin in a buffer that is no sub-buffer. */
struct rows {
	cl_mem mem;
	size_t offset_bytes, pitch_bytes;
};
int clopt__copy_rows(struct clopt *ctx, cl_command_queue q, struct rows from, struct rows to,
                     size_t rows, size_t row_bytes, struct waits wait, cl_event *event);

/* ---- transfer.c: the same in the fastest way for the memory */
/* Ordinary memory may be used again on return, and the call waits first for `wait`.  Pinned memory
 * may be used again after the event. */
int clopt__transfer(struct clopt *ctx, cl_command_queue q, const struct transfer *t,
                    struct waits wait, cl_event *event);

/* ---- rates.c: transfer rates of the context */
/* Smaller arrays are not staged: waking threads takes too long. */
#define LEAST_STAGED ((size_t)1280 << 10)
/* Whether any array may be staged. */
int clopt__may_stage(const struct clopt *ctx);
/* Whether `bytes' of ordinary memory are staged.  Measures unknown rates if `measure` allows it and
 * the bytes are worth it. */
int clopt__stages(struct clopt *ctx, size_t bytes, int down, int measure);
/* Bytes per second.  Measures an unknown rate if a call that moves `bytes` is worth it. */
double clopt__rate(struct clopt *ctx, int down, int pinned, size_t bytes);
/* Measure the unknown rates. */
void clopt__rates_find(struct clopt *ctx);
/* Treat memory that another context has pinned as pinned, if this device reads it as fast as its
 * own.  NVIDIA's driver pins for all devices.  Measured once, if the memory is large enough. */
void clopt__borrow(struct clopt *ctx, const struct lent *list, unsigned count);
int clopt__staging_default(struct clopt *ctx);

/* ---- staging.c: transfers of ordinary memory by threads */
#define STAGING_THREADS 64
#define MOST_CHUNK ((size_t)64 << 20)
struct staged {
	struct transfer transfer;
	cl_command_queue q;
	unsigned queue; /* index of q, for the log */
	int logged;
	cl_uint waits;
	cl_event wait[MAX_QUEUES + 1];
	/* Private to staging.c. */
	size_t chunk_bytes, rows, slices, next, queued, done;
	cl_int code;
	const char *call;
	int status;
	struct staged *link;
};
int clopt__staging_open(struct clopt *ctx, unsigned threads, size_t chunk_bytes);
void clopt__staging_tune(struct clopt *ctx, unsigned active, size_t chunk_bytes);
void clopt__staging_free(struct clopt *ctx);
/* Bytes of its pinned memory; 0 if staging is not open. */
size_t clopt__staging_bytes(const struct clopt *ctx);
/* *b must stay valid until clopt__staged_wait returns for STAGED_DONE or STAGED_CANCEL. */
void clopt__staged_begin(struct clopt *ctx, struct staged *b);
enum staged_wait {
	STAGED_QUEUED, /* all its commands are queued */
	STAGED_DONE, /* and results are in the caller's memory */
	STAGED_CANCEL /* done, or skipped */
};
int clopt__staged_wait(struct clopt *ctx, struct staged *b, enum staged_wait until);

/* Throughput of a kernel, measured in calls.  NULL: not a kernel of the library. */
struct throughput {
	double seconds; /* per unit of a workload; 0: unknown */
	double units; /* of the measured workload */
	int trial; /* measured by a trial of choose/estimate.c */
};

struct variant;
/* A job as arrays over a box of sizes; made by kernel/workload.c. */
struct array;
struct cut;
struct workload;
struct share;
/* Contexts that share the blocks of a workload (several/shared.c). */
struct sharers {
	/* Claim the next block for this context: at most a step of its cut, along the cut
	 * dimensions.  *none: nothing is left, or not before it has done the blocks that it
	 * claimed. */
	int (*take)(struct clopt *ctx, const struct workload *w, const struct cut *p,
	            struct block *b, int *none);
	/* This context has done all blocks that it claimed. */
	void (*idle)(struct share *s, unsigned member);
	/* Whether the call is cancelled; the claimed fraction, 0 to 1. */
	int (*stopped)(struct share *s);
	double (*done)(struct share *s);
};

struct workload {
	size_t dim[3];
	size_t tile[3]; /* blocks are multiples of it where possible ... */
	size_t least[3]; /* ... and always of this, except the last */
	size_t most[3]; /* largest block */
	size_t grain[3]; /* parts of several contexts begin at multiples of it */
	unsigned op; /* enum clopt_op; CLOPT_OPS: a kernel of the caller's */
	unsigned cut[2], sum; /* as in struct op */
	/* Not 0: bytes that sums in parts keep on the device for a result row, or for each of its
	 * columns if they are a dimension. */
	size_t part_bytes;
	size_t rest; /* the first part of a sum is smaller than a step by this */
	unsigned operands;
	const struct operand *operand;
	unsigned images, texels; /* as in struct variant */
	size_t align_bytes[MAX_ARRAYS]; /* alignment for zero copy */
	int packed; /* the kernel takes no row pitches */
	int unmapped; /* results in place are read in the caller's memory without a map */
	int views; /* the kernel's arrays may begin anywhere in their memory */
	double units; /* terms of all sums, or moved elements: the measure of work */
	struct throughput *throughput; /* throughput of the kernel; see clopt__throughput */
	int one_by_one; /* each work-item makes one result */
	double each_seconds; /* of a block, for what each block computes again */
	int dry; /* only a question: measures no rate */
	/* Modelled seconds of the row that is picked without a limit of memory; 0: of this row. */
	double free_seconds;
	int logged; /* as in struct launch */
	const char *name; /* the kernel's name, and its enum clopt_math, for the report */
	int math;
	int (*launch)(struct clopt *ctx, cl_command_queue q, const struct workload *w,
	              const struct block *b, const struct array *const *arrays, struct waits wait,
	              cl_event *event);
	/* Bytes that a launch on a block of this size needs for operand 0 beyond arrays; NULL:
	 * none. */
	size_t (*workspace)(const struct workload *w, const size_t step[3]);
	const void *what; /* for the launcher */
	const struct variant *v;
	cl_kernel kernel;
	const struct sharers *sharers; /* contexts that compute it; NULL: this one alone */
	struct share *share; /* what they share */
	unsigned member; /* index of this context */
};

/* The part of an operand that a block uses. */
struct extent {
	size_t first[2], count[2]; /* rows, columns */
};

/* ---- array.c: arrays on the device */
struct array {
	cl_mem mem;
	cl_mem image; /* the same data as texels, where the row reads images */
	size_t rows, pitch_bytes, bytes;
	size_t room_bytes; /* capacity of mem, if later calls may reuse it; else 0 */
	size_t stride_bytes; /* batch: distance of matrices */
	size_t offset_bytes; /* of the first element in mem */
};
/* The layout that the kernel reads. */
struct layout {
	int image, texels, packed;
};
struct layout clopt__layout(const struct workload *w, unsigned operand);
size_t clopt__array_pitch(size_t row_bytes, struct layout l);
/* Bytes of the buffer.  A two-dimensional image takes the same again. */
size_t clopt__array_bytes(size_t rows, size_t row_bytes, struct layout l);
int clopt__array_open(struct clopt *ctx, size_t rows, size_t row_bytes, struct layout l,
                      struct array *a);
/* The same, from the idle arrays if one is large enough.  Its contents are undefined. */
int clopt__array_take(struct clopt *ctx, size_t rows, size_t row_bytes, struct layout l,
                      struct array *a);
/* Keep the array for later calls, or close it.  All commands that use it have ended. */
void clopt__array_give(struct clopt *ctx, struct array *a);
/* An array of packed rows, with a copy of host memory. */
int clopt__array_copy_of(struct clopt *ctx, const void *host, size_t rows, size_t row_bytes,
                         struct array *a);
/* The rows of an array from `first` on. */
struct array clopt__array_from(const struct array *a, size_t first);
/* Zero copy: an array in the caller's memory. */
int clopt__array_in_place(struct clopt *ctx, const struct operand *o, struct layout l,
                          struct array *a);
/* Make results that kernels wrote in the caller's memory visible there. */
int clopt__array_sync(struct clopt *ctx, cl_command_queue q, const struct array *a);
void clopt__array_close(struct array *a);
/* The transfer between part e of the operand and the array; no rows if e is empty. */
struct transfer clopt__array_transfer(const struct array *a, const struct operand *o,
                                      const struct extent *e, int down);
/* Copy the buffer to its two-dimensional image, if the array has one; then *event is set. */
int clopt__array_fill(struct clopt *ctx, cl_command_queue q, const struct array *a, size_t rows,
                      cl_event *event);

/* ---- memory.c: device memory */
/* Device bytes that a call may use; the same within another limit (0: none); the failure if they do
 * not suffice. */
size_t clopt__memory(const struct clopt *ctx);
size_t clopt__memory_within(const struct clopt *ctx, size_t limit);
int clopt__memory_short(const struct clopt *ctx, size_t needed_bytes);
/* Idle arrays: calls leave them to later calls. */
/* An idle array of at least `bytes', or NULL. */
cl_mem clopt__idle_take(struct clopt *ctx, size_t bytes, size_t *room_bytes);
void clopt__idle_give(struct clopt *ctx, cl_mem mem, size_t room_bytes);
/* Release all idle arrays and workspaces.  Returns whether there were any. */
int clopt__idle_free(struct clopt *ctx);
/* Bytes of both. */
size_t clopt__idle_bytes(const struct clopt *ctx);
/* Memory of at least `bytes` for the next launch in the in-order queue q; it stays the context's.
 * Free it before the queue. */
int clopt__workspace(struct clopt *ctx, cl_command_queue q, size_t bytes, cl_mem *mem);
void clopt__workspace_free(struct clopt *ctx, cl_command_queue q);
/* Call before an array is made for which the context's other arrays are not counted.  Idle arrays
 * count towards the limit, so they are released. */
void clopt__idle_make_way(struct clopt *ctx);
/* clCreateBuffer; if it fails, again without idle arrays.  *mem is NULL on failure. */
cl_int clopt__create_buffer(struct clopt *ctx, cl_mem_flags flags, size_t bytes, void *host,
                            cl_mem *mem);

/* ---- cut.c: how a workload is cut into blocks */
struct cut {
	size_t step[3]; /* size of a block */
	size_t blocks[3]; /* number of blocks */
	unsigned lanes; /* blocks in flight, each with arrays and a queue */
	int in_place; /* zero copy where arrays allow it */
	size_t bytes; /* on the device; after CLOPT_ENOMEM: the least that is needed */
	size_t limit; /* limit of bytes; 0: the device's memory */
	double free_seconds; /* modelled seconds without a limit; 0: not modelled */
};
/* CLOPT_ENOMEM: it does not fit, or the context's limit would make it take many times as long. */
int clopt__cut(struct clopt *ctx, const struct workload *w, struct cut *p);
/* Bytes of a row of operand i on the device. */
size_t clopt__row_bytes(const struct workload *w, const struct cut *p, unsigned i);
/* Ring length of operand i. */
unsigned clopt__cut_ring(const struct workload *w, const struct cut *p, unsigned i);
/* Whether operand i allows zero copy. */
int clopt__cut_in_place(const struct clopt *ctx, const struct workload *w, unsigned i);
/* Bytes of operand i that are copied up (input) or down (output). */
size_t clopt__cut_moved(const struct clopt *ctx, const struct workload *w, const struct cut *p,
                        unsigned i);
/* Seconds of the call, from the seconds of all transfers up, all kernels and all transfers down. */
double clopt__cut_seconds(const struct clopt *ctx, const struct cut *p, double up, double kernel,
                          double down);
struct extent clopt__extent(const struct operand *o, const struct block *b);

/* ---- through.c: small arrays of a call of one block, copied through pinned memory by the calling
 * thread */
struct through {
	char *memory; /* NULL: no operand is copied this way */
	char *at[MAX_ARRAYS]; /* pinned memory of each such operand */
};
/* others: operands that are copied otherwise, one bit each. */
void clopt__through_open(struct clopt *ctx, const struct workload *w, unsigned others,
                         struct through *t);
/* The next transfer of operand i between pinned memory and the device; on the way up its slice is
 * copied to pinned memory first.  *done: rows so far, from 0.  Rows have the device's pitch, so
 * that one command copies them with their gaps.  Returns the bytes without gaps; 0: all is done. */
size_t clopt__through(const struct through *t, unsigned i, const struct transfer *whole,
                      size_t *done, struct transfer *line);
void clopt__through_close(struct clopt *ctx, struct through *t);

/* ---- pipeline.c: runs a workload block by block */
/* Operands that are staged, one bit each. */
unsigned clopt__staged_operands(struct clopt *ctx, const struct workload *w, const struct cut *p);
int clopt__run(struct clopt *ctx, const struct workload *w);

#endif
