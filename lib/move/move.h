/* SPDX-License-Identifier: MIT */
/*
 * move.h - bytes and bands between host and device, and the log of what was done.
 *
 * cut.c cuts a workload into blocks; pipeline.c runs them; array.c and memory.c keep arrays on the
 * device; transfer.c, staging.c and through.c move them from and to ordinary memory or the pinned
 * memory of pinned.c.
 */
#ifndef CLOPT_MOVE_MOVE_H
#define CLOPT_MOVE_MOVE_H

#include "../base/context.h"
#include "../base/numbers.h"
#include "../base/sized.h"
#include "../base/traits.h"

/* ---- log.c: the commands of the current call, for their times and for waiting */
int clopt__log_open(struct log *log); /* nonzero: no mutex */
void clopt__log_close(struct log *log);
/* Keep the event of a queued command until clopt__log_settle.  Takes the event over, even on
 * failure (CLOPT_ENOMEM).  label: the name of a kernel, or "".  event NULL: nothing to keep. */
int clopt__log_add(struct clopt *ctx, enum command_kind kind, unsigned queue, size_t bytes,
                   const char *label, cl_event event);
/* Number of kept commands: a long call settles now and then. */
size_t clopt__log_count(struct clopt *ctx);
/* All commands have ended: release their events.  When profiling without a failure in rc, add their
 * times to the report and the trace first.  Returns rc or a failure of its own.  A call may settle
 * many times. */
int clopt__log_settle(struct clopt *ctx, int rc);
/* Add commands, sorted by start, to the sums. */
void clopt__sums_add(struct sums *sums, const struct command *list, size_t count);
/* Keep settled commands for the trace, up to MOST_TRACED. */
#define MOST_TRACED ((size_t)100000)
/* Find out log.host.  0 remains where the driver does not time the command for that. */
int clopt__log_clock(struct clopt *ctx);
void clopt__trace_keep(struct log *log, const struct command *list, size_t count);

/* ---- report.c: the report of a call's times, and the line of CLOPT_VERBOSE */
struct overlap {
	double serial, bound, took; /* seconds, as in struct clopt_report */
	double hidden; /* 0 to 1 */
	int any; /* there was something to hide */
	int apart; /* ... and hardly anything overlapped */
};
/* copy_engines 0: unknown, so judged by whether up and down overlapped. */
struct overlap clopt__overlap(const struct sums *sums, unsigned copy_engines);
/* End the report of a call whose commands are settled. */
void clopt__report_close(struct clopt *ctx);
/* Print the line of a call, or its failure; text: the call in words. */
void clopt__verbose(const struct clopt *ctx, const char *text, int rc);

/* ---- A job's arrays */

enum {
	OPERAND_IN = 1,
	OPERAND_OUT = 2
};
#define MAX_ARRAYS 16 /* of a kernel of the caller */

#define NO_DIM 3u /* none of the sizes of a problem */

/* A two-dimensional array.  A routine gives the first four fields; table/problem.c the rest. */
struct operand {
	const char *name; /* name in the public routine; NULL: name in the table */
	void *host; /* the caller's memory, or ... */
	const struct clopt_buffer *buffer; /* ... the caller's buffer */
	size_t ld; /* elements from one row to the next */
	/* Not 0: a batch.  A row is a whole matrix with rows inner_ld elements apart, and ld is the
	 * distance of matrices. */
	size_t inner_ld;
	unsigned use; /* OPERAND_IN, OPERAND_OUT or both */
	size_t rows, columns, elem_bytes;
	unsigned row_dim, column_dim; /* sizes of the problem that they are; NO_DIM: none */
};

/* A part of a box of sizes. */
struct block {
	size_t first[3], count[3];
};

/* Bytes of its elements; bytes from its first to behind its last element.  0: it has none. */
size_t clopt__operand_bytes(const struct operand *o);
size_t clopt__operand_row_bytes(const struct operand *o);
size_t clopt__operand_span(const struct operand *o);

/* ---- keep.c: outputs that are read, as they were before a call; valid when zero */
struct kept {
	char *copy; /* their elements, one row behind the other; NULL: nothing is kept */
	size_t bytes;
};
int clopt__keep_open(struct clopt *ctx, const struct operand *o, unsigned operands, struct kept *k);
void clopt__keep_restore(const struct operand *o, unsigned operands, char *copy);
void clopt__keep_close(struct kept *k);

/* Commands use the root alone, so drivers never see parts of one memory side by side. */
struct clopt_buffer {
	struct clopt *ctx;
	cl_mem mem; /* a part of root that the caller made, or root itself */
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
/* 0: the memory is not of the pool. */
int clopt__pinned_give(struct clopt *ctx, void *memory);
/* Whether all of a range is pinned, or shared with the device. */
int clopt__is_pinned(const struct clopt *ctx, const void *memory, size_t bytes);
void clopt__pinned_free(struct clopt *ctx);

/* ---- finish.c: waiting for a queue */
/* Wait for all commands of q, also if clFinish fails: then nothing uses the host's arrays.  rc: an
 * earlier failure, which is returned.  CLOPT_ELOST: no way of waiting works, and the device may use
 * them. */
int clopt__finish(const struct clopt *ctx, cl_command_queue q, int rc);

/* ---- copy.c: rows between host memory and a buffer by one command */
struct transfer {
	int down;
	cl_mem mem;
	size_t offset_bytes, pitch_bytes;
	char *host;
	size_t host_pitch_bytes, rows, row_bytes; /* rows, row_bytes: not 0 */
};
/* *call gets the name of the OpenCL call. */
cl_int clopt__copy(cl_command_queue q, const struct transfer *t, cl_bool blocking,
                   struct waits wait, cl_event *event, const char **call);
/* Rows from memory to memory. */
void clopt__copy_memory(char *to, size_t to_pitch, const char *from, size_t from_pitch, size_t rows,
                        size_t row_bytes);
/* The same past the caches, where the compiler knows how. */
void clopt__stream_memory(char *to, size_t to_pitch, const char *from, size_t from_pitch,
                          size_t rows, size_t row_bytes);
/* Host bytes from the first to behind the last. */
size_t clopt__transfer_span(const struct transfer *t);
/* Where rows begin in a buffer that is no part of another. */
struct rows {
	cl_mem mem;
	size_t offset_bytes, pitch_bytes;
};
int clopt__copy_rows(struct clopt *ctx, cl_command_queue q, struct rows from, struct rows to,
                     size_t rows, size_t row_bytes, struct waits wait, cl_event *event);

/* ---- transfer.c: the same in the best way for the memory */
/* On return, ordinary memory may be used again, whose waits are over before the call; pinned memory
 * only after the event. */
int clopt__transfer(struct clopt *ctx, cl_command_queue q, const struct transfer *t,
                    struct waits wait, cl_event *event);

/* ---- rates.c: transfer rates of the context */
/* Smaller arrays are not worth waking threads. */
#define LEAST_STAGED ((size_t)1280 << 10)
/* Whether staging may be used, of any kind. */
int clopt__may_stage(const struct clopt *ctx);
/* Whether so many bytes of ordinary memory are staged.  Measures rates if they are unknown,
 * `measure` allows it and the bytes are worth it. */
int clopt__stages(struct clopt *ctx, size_t bytes, int down, int measure);
/* Bytes a second.  Measures an unknown rate if a call that moves `bytes` is worth it. */
double clopt__rate(struct clopt *ctx, int down, int pinned, size_t bytes);
/* find: measure the unknown rates.  found: the rate of ordinary memory, 0 if unknown. */
void clopt__rates_find(struct clopt *ctx);
double clopt__rate_found(const struct clopt *ctx, int down, int staged);
/* Use memory that another context has pinned as pinned, if this device is as fast from there as
 * from its own: NVIDIA's driver pins for all devices.  Measured once, if the memory is worth it. */
void clopt__borrow(struct clopt *ctx, const struct lent *list, unsigned count);
int clopt__staging_default(struct clopt *ctx);

/* ---- staging.c: transfers of ordinary memory by threads */
#define STAGING_THREADS 64
#define MOST_CHUNK ((size_t)64 << 20)
struct staged {
	struct transfer transfer;
	cl_command_queue q;
	unsigned queue; /* its index, for the log */
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
/* *b must stay valid until clopt__staged_wait says that it is done. */
void clopt__staged_begin(struct clopt *ctx, struct staged *b);
enum staged_wait {
	STAGED_QUEUED, /* all its commands are queued */
	STAGED_DONE, /* and data on the way down is in its place */
	STAGED_CANCEL /* done, or skipped */
};
int clopt__staged_wait(struct clopt *ctx, struct staged *b, enum staged_wait until);

/* Throughput of a kernel, learnt from calls.  NULL: not a kernel of the library. */
struct throughput {
	double seconds; /* for one unit of a workload; 0: unknown */
	double units; /* of the measured workload */
	int trial; /* measured by a trial of choose/estimate.c */
};

struct variant;
/* A job as the pipeline sees it, arrays over a box of sizes; made by kernel/workload.c. */
struct array;
struct cut;
struct workload;
/* Contexts that share the blocks of a workload (several/shared.c). */
struct sharers {
	/* The next block of this one, no larger than a step of its cut: its part of the sizes that
	 * are cut. *none: there is nothing left for it, or not before it has done what it took. */
	int (*take)(struct clopt *ctx, const struct workload *w, const struct cut *p,
	            struct block *b, int *none);
	/* This one has done all that it took. */
	void (*idle)(const struct workload *w);
	/* The call is cancelled; how much is taken, 0 to 1. */
	int (*stopped)(const struct workload *w);
	double (*done)(const struct workload *w);
};

struct workload {
	size_t dim[3];
	size_t tile[3]; /* blocks are multiples of it where possible ... */
	size_t least[3]; /* ... and always of this, but for the last */
	size_t most[3]; /* no block is larger */
	size_t grain[3]; /* what several contexts compute begins at multiples of it */
	unsigned op; /* enum clopt_op; CLOPT_OPS: a kernel of the caller's */
	unsigned cut[2], sum; /* as in struct op */
	/* Not 0: bytes of a result row on the device, or of each of its columns if they are a size,
	 * while sums are cut. */
	size_t part_bytes;
	size_t rest; /* by so much the first part of a sum is smaller than a step */
	unsigned operands;
	const struct operand *operand;
	unsigned images, texels; /* as in struct variant */
	size_t align_bytes[MAX_ARRAYS]; /* alignment for zero copy */
	int packed; /* the kernel takes no row lengths */
	int unmapped; /* results in place are in the caller's memory without a map */
	int views; /* the kernel's arrays may begin anywhere in their memory */
	double units; /* terms of all sums, or moved elements: the measure of work */
	struct throughput *throughput; /* throughput of the kernel; see clopt__throughput */
	int one_by_one; /* each work-item makes one result */
	int dry; /* a question: measures no rate */
	/* What the row would take that is picked without a limit of memory, by the model; 0: this
	 * one. */
	double free_seconds;
	int logged; /* as in struct launch */
	const char *name; /* of the kernel, for the report */
	int (*launch)(struct clopt *ctx, cl_command_queue q, const struct workload *w,
	              const struct block *b, const struct array *const *arrays, struct waits wait,
	              cl_event *event);
	const void *what; /* for the launcher */
	const struct variant *v;
	cl_kernel kernel;
	const struct sharers
	        *sharers; /* that compute it, with this context; NULL: it computes all */
	void *share; /* theirs */
	unsigned member; /* of them */
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
	size_t room_bytes; /* of mem, if a later call may have it; else 0 */
	size_t stride_bytes; /* batch: from one matrix to the next */
	size_t offset_bytes; /* of its first element in mem */
};
/* The form that the kernel reads. */
struct layout {
	int image, texels, packed;
};
struct layout clopt__layout(const struct workload *w, unsigned operand);
size_t clopt__array_pitch(size_t row_bytes, struct layout l);
/* Bytes of the buffer; a two-dimensional image takes as much again. */
size_t clopt__array_bytes(size_t rows, size_t row_bytes, struct layout l);
int clopt__array_open(struct clopt *ctx, size_t rows, size_t row_bytes, struct layout l,
                      struct array *a);
/* The same, of the arrays that earlier calls have left if one is large enough; it holds
 * anything. */
int clopt__array_take(struct clopt *ctx, size_t rows, size_t row_bytes, struct layout l,
                      struct array *a);
/* Leave it to later calls, once all commands that use it have ended, or close it. */
void clopt__array_give(struct clopt *ctx, struct array *a);
/* Packed rows with what host memory has now. */
int clopt__array_copy_of(struct clopt *ctx, const void *host, size_t rows, size_t row_bytes,
                         struct array *a);
/* The rows of an array from `first` on. */
struct array clopt__array_from(const struct array *a, size_t first);
/* Zero copy: the caller's memory itself. */
int clopt__array_in_place(struct clopt *ctx, const struct operand *o, struct layout l,
                          struct array *a);
/* Let the caller read results of kernels in its memory. */
int clopt__array_sync(struct clopt *ctx, cl_command_queue q, const struct array *a);
void clopt__array_close(struct array *a);
/* The transfer between part e of the operand and the array; no rows if e is empty. */
struct transfer clopt__array_transfer(const struct array *a, const struct operand *o,
                                      const struct extent *e, int down);
/* Copy the buffer to its two-dimensional image; *copied: whether there is one. */
int clopt__array_fill(struct clopt *ctx, cl_command_queue q, const struct array *a, size_t rows,
                      cl_event *event, int *copied);

/* ---- memory.c: device memory */
/* Device bytes that a call may use, and the failure if they are too few.  within: by another limit;
 * 0: by none. */
size_t clopt__memory(const struct clopt *ctx);
size_t clopt__memory_within(const struct clopt *ctx, size_t limit);
int clopt__memory_short(const struct clopt *ctx, size_t needed_bytes);
/* Arrays that calls leave to later ones. */
/* At least so many bytes; NULL: there is none. */
cl_mem clopt__idle_take(struct clopt *ctx, size_t bytes, size_t *room_bytes);
void clopt__idle_give(struct clopt *ctx, cl_mem mem, size_t room_bytes);
/* Whether there were any. */
int clopt__idle_free(struct clopt *ctx);
/* Before an array that does not count those of the context: they are part of what a limit
 * allows. */
void clopt__idle_make_way(struct clopt *ctx);
/* clCreateBuffer, again without idle arrays if it fails.  *mem is NULL on failure. */
cl_int clopt__create_buffer(struct clopt *ctx, cl_mem_flags flags, size_t bytes, void *host,
                            cl_mem *mem);

/* ---- cut.c: how a workload is cut into blocks */
struct cut {
	size_t step[3]; /* size of a block */
	size_t blocks[3]; /* number of blocks */
	unsigned lanes; /* blocks in flight, each with arrays and a queue */
	int in_place; /* zero copy where arrays allow it */
	size_t bytes; /* on the device; after CLOPT_ENOMEM: the least that would do */
	size_t limit; /* of bytes; 0: what the device has */
	double free_seconds; /* what the model gives it without a limit; 0: nobody asked the
	                        model */
};
/* CLOPT_ENOMEM: it does not fit, or the limit of the context would have it take many times as
 * long. */
int clopt__cut(struct clopt *ctx, const struct workload *w, struct cut *p);
/* Bytes of a row of operand i on the device. */
size_t clopt__row_bytes(const struct workload *w, const struct cut *p, unsigned i);
/* Ring length of operand i. */
unsigned clopt__cut_ring(const struct workload *w, const struct cut *p, unsigned i);
/* Whether operand i allows zero copy. */
int clopt__cut_in_place(const struct clopt *ctx, const struct workload *w, unsigned i);
/* Bytes of operand i that go up (input) or down (output). */
size_t clopt__cut_moved(const struct clopt *ctx, const struct workload *w, const struct cut *p,
                        unsigned i);
/* Seconds of the call, from those of all transfers up, all kernels and all transfers down. */
double clopt__cut_seconds(const struct clopt *ctx, const struct cut *p, double up, double kernel,
                          double down);
struct extent clopt__extent(const struct operand *o, const struct block *b);

/* ---- through.c: small arrays of a call of one block, by the calling thread through pinned
 * memory */
struct through {
	char *memory; /* NULL: no operand goes this way */
	char *at[MAX_ARRAYS]; /* of each operand that does */
};
/* others: operands that go otherwise, one bit each. */
void clopt__through_open(struct clopt *ctx, const struct workload *w, unsigned others,
                         struct through *t);
/* The next transfer of operand i between its pinned memory and the device, after the copy to there
 * if it goes up; *done counts, from 0 on.  Rows lie as on the device, so that they go by one
 * command with the gaps between them.  The bytes without gaps; 0: there is no more. */
size_t clopt__through(const struct through *t, unsigned i, const struct transfer *whole,
                      size_t *done, struct transfer *line);
/* What has come down, to the caller's memory. */
void clopt__through_end(const struct through *t, unsigned i, const struct transfer *whole);
void clopt__through_close(struct clopt *ctx, struct through *t);

/* ---- pipeline.c: runs a workload block by block */
/* Operands that go through staging, one bit each. */
unsigned clopt__staged_operands(struct clopt *ctx, const struct workload *w, const struct cut *p);
int clopt__run(struct clopt *ctx, const struct workload *w);

#endif
