/* SPDX-License-Identifier: MIT */
/*
 * move.h - bytes and bands between host and device, and the log of what was done.
 *
 * cut.c cuts a piece of work into blocks; pipeline.c runs them; array.c holds arrays on
 * the device; transfer.c and staging.c fill and empty them from memory of the caller's or
 * of pinned.c's.
 */
#ifndef CLOPT_MOVE_MOVE_H
#define CLOPT_MOVE_MOVE_H

#include "../base/context.h"
#include "../base/numbers.h"
#include "../base/traits.h"

/* log.c: the commands of the call under way, for their times and as what others
 * wait for. */
int clopt__log_open(struct log *log); /* nonzero: no mutex to be had */
void clopt__log_close(struct log *log);
/* Keep the event of a command that was queued until it is settled.  Takes it over,
 * also on failure (CLOPT_ENOMEM); NULL, when not profiling: nothing to keep. */
int clopt__log_add(struct clopt *ctx, enum command_kind kind, unsigned queue, size_t bytes,
                   cl_event event);
/* A kernel, by the name of its row or of the caller's. */
int clopt__log_kernel(struct clopt *ctx, unsigned queue, const char *name, cl_event event);
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

/* ---- A job: what a routine hands over ------------------------------------ */

enum {
	OPERAND_IN = 1,
	OPERAND_OUT = 2
};
#define MAX_ARRAYS 16 /* of a kernel of the caller's */

#define NO_DIM 3u /* none of the sizes of a problem */

/* A two-dimensional array.  A routine gives the first four; problem.c knows the
 * rest. */
struct operand {
	const char *name; /* as the caller calls it; NULL: as the table does */
	void *host; /* the caller's memory, or else ... */
	const struct clopt_buffer *buffer; /* ... the caller's buffer */
	size_t ld; /* elements from one row to the next */
	/* Not 0: a batch.  A row is then a whole matrix, whose own rows are so many
	 * elements apart, and ld goes from one matrix to the next. */
	size_t inner_ld;
	unsigned use; /* OPERAND_IN, OPERAND_OUT or both */
	size_t rows, columns, elem_bytes;
	unsigned row_dim, column_dim; /* which sizes of the problem they are; NO_DIM: none */
};

struct clopt_buffer {
	struct clopt *ctx;
	cl_mem mem; /* of the part, where it is one */
	size_t bytes;
	cl_mem root; /* what it is part of, retained; or mem itself, not retained again */
	size_t offset_bytes; /* in root */
};

/* What a command waits for. */
struct wait {
	cl_uint count;
	const cl_event *list;
};

/* pinned.c: memory from the pool, NULL if there is none; back into it (0: it is
 * not from there); whether all of a range is pinned, or shared with the device. */
void *clopt__pinned_take(struct clopt *ctx, size_t bytes, int *kind);
int clopt__pinned_give(struct clopt *ctx, void *memory);
int clopt__is_pinned(const struct clopt *ctx, const void *memory, size_t bytes);
void clopt__pinned_free(struct clopt *ctx);

/* transfer.c: rows between host memory and a buffer. */
struct transfer {
	int down;
	cl_mem mem;
	size_t offset_bytes, pitch_bytes;
	char *host;
	size_t host_pitch_bytes, rows, row_bytes; /* neither of the two is 0 */
};
/* One command; *call gets its name. */
cl_int clopt__copy(cl_command_queue q, const struct transfer *t, cl_bool blocking, struct wait wait,
                   cl_event *event, const char **call);
/* The best way for the memory.  When it returns, ordinary memory may be used
 * again; pinned memory is in use until the event. */
int clopt__transfer(struct clopt *ctx, cl_command_queue q, const struct transfer *t,
                    struct wait wait, cl_event *event);
/* Host bytes from the first to behind the last. */
size_t clopt__transfer_span(const struct transfer *t);

/* rates.c */
/* Whether transfers of so many bytes of ordinary memory are staged; measured if it is not
 * known, `measure` and the bytes allow it. */
int clopt__stages(struct clopt *ctx, size_t bytes, int down, int measure);
/* Bytes a second; measured if it is not known, for a call that moves `bytes`, if those are
 * worth it. */
double clopt__rate(struct clopt *ctx, int down, int pinned, size_t bytes);
/* Measure what was not yet; then the rate of ordinary memory, 0 if it is not known. */
void clopt__rates_find(struct clopt *ctx);
double clopt__rate_found(const struct clopt *ctx, int down, int staged);
int clopt__staging_default(struct clopt *ctx);

/* staging.c: a transfer that threads carry out. */
#define STAGING_THREADS 64
#define MOST_CHUNK ((size_t)64 << 20)
struct staged {
	struct transfer transfer;
	cl_command_queue q;
	unsigned queue; /* its index, for the log */
	int logged;
	cl_uint waits;
	cl_event wait[MAX_QUEUES + 1];
	/* The rest is staging.c's. */
	size_t chunk_bytes, rows, slices, next, queued, done;
	cl_int code;
	const char *call;
	int status;
	struct staged *link;
};
int clopt__staging_open(struct clopt *ctx, unsigned threads, size_t chunk_bytes);
void clopt__staging_tune(struct clopt *ctx, unsigned active, size_t chunk_bytes);
void clopt__staging_free(struct clopt *ctx);
/* Of its pinned memory; 0 if it is not open. */
size_t clopt__staging_bytes(const struct clopt *ctx);
/* The batch must stay where it is until clopt__staged_wait says it is done. */
void clopt__staged_begin(struct clopt *ctx, struct staged *b);
enum staged_wait {
	STAGED_QUEUED, /* all its commands are in the queue */
	STAGED_DONE, /* and, on the way down, the data is in its place */
	STAGED_CANCEL /* done, or given up */
};
int clopt__staged_wait(struct clopt *ctx, struct staged *b, enum staged_wait until);

/* How fast a kernel is, as learnt from earlier calls.  NULL: the library does not
 * know the kernel. */
struct throughput {
	double seconds; /* for one of a work's units; 0: not known */
	double units; /* of the work that told */
	int trial; /* that was one of estimate.c's */
};

struct variant;
/* workload.c: a job as the pipeline sees it, arrays over a box of sizes. */
struct block {
	size_t first[3], count[3];
};
struct array;
struct workload {
	size_t dim[3];
	size_t tile[3]; /* blocks are multiples of it where they can ... */
	size_t least[3]; /* ... and of this always, but for the last */
	size_t most[3]; /* no block is larger */
	unsigned cut[2], sum; /* as in struct op */
	size_t part_bytes; /* not 0: of a row of the result on the device, while sums are cut */
	unsigned operands;
	const struct operand *operand;
	unsigned images, texels; /* as in struct variant */
	size_t align_bytes[MAX_ARRAYS]; /* of arrays that are used in place */
	int packed; /* the kernel takes no row lengths */
	double units; /* terms of all sums, or elements that are moved: what takes the time */
	struct throughput *throughput; /* what is known of that; see clopt__throughput */
	int dry; /* a question, for which no rate is measured */
	int logged; /* as in struct launch */
	const char *name; /* of what runs, for the report */
	int (*launch)(struct clopt *ctx, cl_command_queue q, const struct workload *w,
	              const struct block *b, const struct array *const *arrays, struct wait wait,
	              cl_event *event);
	const void *what; /* the launcher's */
	const struct variant *v;
	cl_kernel kernel;
};

/* The part of an operand that a block of the problem has to do with. */
struct extent {
	size_t first[2], count[2]; /* rows, columns */
};
struct extent clopt__extent(const struct operand *o, const struct block *b);

/* array.c: a device array, and parts of an operand in it. */
struct array {
	cl_mem mem;
	cl_mem image; /* the same as texels, where the row reads images */
	size_t rows, pitch_bytes, bytes;
	size_t stride_bytes; /* of a batch: from one matrix to the next */
};
/* How the kernel wants it. */
struct layout {
	int image, texels, packed;
};
struct layout clopt__layout(const struct workload *w, unsigned operand);
size_t clopt__array_pitch(size_t row_bytes, struct layout l);
/* Of its buffer; a two-dimensional image takes as much again. */
size_t clopt__array_bytes(size_t rows, size_t row_bytes, struct layout l);
int clopt__array_open(struct clopt *ctx, size_t rows, size_t row_bytes, struct layout l,
                      struct array *a);
/* The caller's memory itself. */
int clopt__array_in_place(struct clopt *ctx, const struct operand *o, struct layout l,
                          struct array *a);
/* The caller may read what kernels have written to it. */
int clopt__array_sync(struct clopt *ctx, cl_command_queue q, const struct array *a);
void clopt__array_close(struct array *a);
/* The transfer between the part and the beginning of the array; no rows if there
 * is nothing in it. */
struct transfer clopt__array_transfer(const struct array *a, const struct operand *o,
                                      const struct extent *e, int down);
/* A 2-D image is not its buffer: copy what came up.  *copied: whether it is one. */
int clopt__array_fill(struct clopt *ctx, cl_command_queue q, const struct array *a, size_t rows,
                      cl_event *event, int *copied);

/* cut.c: how a piece of work is cut. */
struct cut {
	size_t step[3]; /* of a block along each dim */
	size_t blocks[3]; /* how many that makes */
	unsigned lanes; /* blocks under way at a time, each with arrays and a queue */
	int in_place; /* one block, and arrays are the caller's where they lie right */
	size_t bytes; /* on the device; if it does not fit, that it would take at the least */
};
int clopt__cut(struct clopt *ctx, const struct workload *w, struct cut *p);
/* Of a row of operand i on the device. */
size_t clopt__row_bytes(const struct workload *w, const struct cut *p, unsigned i);
/* How many arrays operand i goes round over. */
unsigned clopt__cut_ring(const struct workload *w, const struct cut *p, unsigned i);
/* Whether operand i can be used where it is. */
int clopt__cut_in_place(const struct clopt *ctx, const struct workload *w, unsigned i);
/* How many bytes of it go up if it is an input, or down if it is the output. */
size_t clopt__cut_moved(const struct clopt *ctx, const struct workload *w, const struct cut *p,
                        unsigned i);
/* How long it takes, from all transfers up, all kernels, and all transfers down. */
double clopt__cut_seconds(const struct clopt *ctx, const struct cut *p, double up, double kernel,
                          double down);

/* How many device bytes one call may use, and the failure if they are too few. */
size_t clopt__memory(const struct clopt *ctx);
int clopt__memory_short(const struct clopt *ctx, size_t needed_bytes);

/* pipeline.c */
/* Which operands would go through staging, one bit each. */
unsigned clopt__staged_operands(struct clopt *ctx, const struct workload *w, const struct cut *p);
int clopt__run(struct clopt *ctx, const struct workload *w);

#endif
