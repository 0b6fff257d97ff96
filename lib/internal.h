/* SPDX-License-Identifier: MIT */
/*
 * internal.h - what the files of lib/ share.
 *
 * A call goes one way: routine (describes a job) -> call.c -> select.c (a row
 * of the table) -> program.c (its kernel) -> pipeline.c (bands over queues) ->
 * buffer.c and launch.c (OpenCL).  No layer calls up, and none below select.c
 * asks what device it is.  See docs/architecture.md.
 */
#ifndef CLOPT_INTERNAL_H
#define CLOPT_INTERNAL_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>
#include <pthread.h>

#include "clopt.h"

/* ---- Failing: status.c -------------------------------------------------- */

/* Owning structs in which zero owns nothing, one label `out`, these three. */
#define TRY(call) \
	do { \
		if ((rc = (call)) != CLOPT_OK) \
			goto out; \
	} while (0)
#define TRY_CL(ctx, call) \
	do { \
		cl_int e_ = (call); \
		if (e_ != CL_SUCCESS) { \
			rc = clopt__fail_cl(ctx, e_, #call); \
			goto out; \
		} \
	} while (0)

/* For calls that hand their code out by a pointer. */
#define TRY_CODE(ctx, code, name) \
	do { \
		if ((code) != CL_SUCCESS) { \
			rc = clopt__fail_cl(ctx, code, name); \
			goto out; \
		} \
	} while (0)

/* Both keep the text for clopt_error and return the status.  `call` may be a
 * whole call expression: the name before its '(' is what is told. */
int clopt__fail(const struct clopt *ctx, int status, const char *format, ...)
        __attribute__((format(printf, 3, 4)));
int clopt__fail_cl(const struct clopt *ctx, cl_int code, const char *call);
const char *clopt__cl_name(cl_int code);
/* Drop this thread's text on ctx: another context may get its address. */
void clopt__forget(const struct clopt *ctx);
/* What this thread's failures are prefixed with: the call under way. */
void clopt__doing(const struct clopt_problem *problem);

/* ---- Devices: device.c reads them, pick.c chooses one -------------------- */

/* What a row may need or like.  X(bit, word): the words are for people. */
#define TRAITS(X) \
	X(CPU, "cpu") \
	X(GPU, "gpu") \
	X(NVIDIA, "nvidia") \
	X(AMD, "amd") \
	X(SCALAR, "scalar-lanes") /* a work-item is one lane of a wave */ \
	X(FLOAT4, "float4") /* gains from float4 accesses and arithmetic */ \
	X(TEXTURE, "texture-cache") /* images have a cache of their own */ \
	X(WIDE8, "simd-256") /* CPU with vectors of 8 floats or more */ \
	X(WIDE16, "simd-512") /* ... of 16 floats */ \
	X(LOCAL, "local-memory") /* local memory is memory of its own */ \
	X(BIGLOCAL, "local-256K") /* 256 KiB of it or more, as CPUs have */ \
	X(IMAGES, "images") \
	X(FP64, "fp64") \
	X(FP16, "fp16") \
	X(UNIFIED, "unified-memory") \
	X(PTX, "inline-ptx")

enum trait_index {
#define TRAIT_INDEX(bit, word) TI_##bit,
	TRAITS(TRAIT_INDEX)
#undef TRAIT_INDEX
	TRAIT_COUNT
};
enum trait {
#define TRAIT_BIT(bit, word) T_##bit = 1u << TI_##bit,
	TRAITS(TRAIT_BIT)
#undef TRAIT_BIT
};

/* The words of a set of traits with commas between. */
void clopt__traits_text(unsigned traits, char *text, size_t size);

struct device {
	cl_device_id id;
	size_t found; /* how many were found before it */
	unsigned traits;
	struct clopt_device_info info;
};

/* All usable devices, best first; the caller frees *list. */
int clopt__devices(struct device **list, size_t *count);
/* Whether it has OpenCL 1.2 and a compiler. */
int clopt__device_usable(cl_device_id id);
int clopt__device_read(cl_device_id id, struct device *device);
/* Whether word[0..n) stands anywhere in text, case aside; an empty one does. */
int clopt__within(const char *text, const char *word, size_t n);
int clopt__device_pick(const char *spec, const char *source, struct device *device);

/* ---- The table: variants.c ---------------------------------------------- */

/*
 * An operation, and so the signature of its kernels: `dims` sizes (ulong); if
 * `pitched`, the row length of each operand in elements (ulong); `reals`
 * numbers of the problem's precision; `operands` arrays.
 */
struct op {
	const char *name;
	const char *prelude[2]; /* files of cl/ that go before a row's own */
	unsigned dims, reals, operands, pitched;
	const char *operand[3]; /* as the public routine calls them */
	unsigned extent[2]; /* the dims that the grid covers along x and y */
	unsigned band; /* the dim that bands cut */
};

#define NO_DIM 3u /* in extent: the grid has one group along this axis */

struct variant {
	enum clopt_op op;
	const char *name;
	const char *file; /* under cl/ */
	const char *options; /* for the compiler, beyond the geometry */
	size_t wg[2]; /* work-items in a group */
	size_t out[2]; /* results a group makes, along the same axes */
	unsigned needs; /* traits without which it cannot run */
	unsigned likes; /* traits without which it is not picked */
	unsigned images; /* operands that it reads as image2d_t, one bit each */
	unsigned texels; /* operands that it reads as image1d_buffer_t */
};

extern const struct op clopt__ops[CLOPT_OPS];
extern const struct variant clopt__variants[]; /* ends with a NULL name */

/* cl/ as text, made by embed.awk; ends with a NULL file. */
struct source {
	const char *file;
	const char *const *lines;
	size_t count;
};
extern const struct source clopt__sources[];

/* ---- A job: what a routine hands over ------------------------------------ */

enum cut {
	WHOLE,
	BY_ROWS,
	BY_COLUMNS
};
enum {
	OPERAND_IN = 1,
	OPERAND_OUT = 2
};
#define MAX_OPERANDS 3

/* A two-dimensional array of the caller.  A routine gives the first three;
 * problem.c knows the rest. */
struct operand {
	void *host;
	size_t ld; /* elements from one row to the next */
	unsigned use; /* OPERAND_IN, OPERAND_OUT or both */
	size_t rows, columns, elem_bytes;
	enum cut cut; /* whether every band needs it, or which part a band takes */
};

struct job {
	struct clopt_problem problem;
	double real[2];
	struct operand operand[MAX_OPERANDS];
};

/* ---- Problems: problem.c -------------------------------------------------- */

/* Defaults filled in; CLOPT_EINVAL for what is no problem. */
int clopt__problem_read(const struct clopt *ctx, const struct clopt_problem *in,
                        struct clopt_problem *out);
void clopt__problem_text(const struct clopt_problem *problem, char *text, size_t size);
/* The shape that an operand of the problem has, and its part in a band. */
void clopt__problem_operand(const struct clopt_problem *problem, unsigned i, struct operand *o);

/* ---- The context: context.c ---------------------------------------------- */

#define MAX_QUEUES 8

struct kernel; /* program.c */

struct clopt {
	pthread_mutex_t lock; /* held through every call */
	struct device device;
	cl_context context;
	int adopted; /* device.id is retained: the context is a caller's */
	cl_command_queue queue[MAX_QUEUES];
	unsigned queues;
	size_t mem_limit_bytes;
	int profile, verbose;
	const struct variant *forced[CLOPT_OPS];
	struct kernel *kernels;
	struct clopt_report report;
};

/* ---- The layers ----------------------------------------------------------- */

/*
 * call.c: all that a routine does after describing its job.  begin locks the
 * context; end unlocks it and returns rc.  They stand round everything that
 * touches the context.
 */
int clopt__begin(struct clopt *ctx, const struct clopt_problem *problem);
int clopt__end(struct clopt *ctx, const struct clopt_problem *problem, int rc);
int clopt__call(struct clopt *ctx, const struct job *described);
/* Fill in the operands' shapes and check all arguments. */
int clopt__complete(const struct clopt *ctx, const struct job *described, struct job *job);

/* check.c: arguments.  All fail with CLOPT_EINVAL and the numbers. */
/* unread: it may be NULL, since the call has nothing to do. */
int clopt__check_operand(const struct clopt *ctx, const char *name, const struct operand *o,
                         int unread);
int clopt__check_apart(const struct clopt *ctx, const char *out_name, const struct operand *out,
                       const char *in_name, const struct operand *in);
/* A number that kernels get as a float: zero, or of a size from least to most. */
int clopt__check_real(const struct clopt *ctx, const char *name, double value, double least,
                      double most);
int clopt__check_options(const struct clopt *ctx, const char *name, size_t given, size_t known);

/* select.c */
int clopt__choose(struct clopt *ctx, const struct clopt_problem *problem, const struct variant **v,
                  cl_kernel *kernel);
/* Read a list of names into forced[CLOPT_OPS]; failures are told to `who`, and
 * name the list's source. */
int clopt__force(const struct clopt *who, const char *source, const char *names,
                 const struct variant **forced);
/* program.c: the kernel of a row for a problem, built once for a context and
 * owned by it.  A row that cannot be built here stays so: CLOPT_EBUILD. */
int clopt__kernel(struct clopt *ctx, const struct variant *v, const struct clopt_problem *problem,
                  cl_kernel *kernel);
/* Why it failed to build, or NULL if it was not tried or has been built. */
const char *clopt__struck_out(const struct clopt *ctx, const struct variant *v,
                              const struct clopt_problem *problem);
void clopt__kernels_free(struct clopt *ctx);

/* buffer.c: a device array, and moving parts of an operand into and out of it. */
struct array {
	cl_mem mem;
	cl_mem image; /* the same as texels, where the row reads images */
	size_t rows, pitch_bytes;
};
size_t clopt__array_pitch(size_t row_bytes, int image);
/* Of its buffer; a two-dimensional image takes as much again. */
size_t clopt__array_bytes(size_t rows, size_t row_bytes, int image);
int clopt__array_open(struct clopt *ctx, const struct variant *v, unsigned operand, size_t rows,
                      size_t row_bytes, struct array *a);
void clopt__array_close(struct array *a);
/* first and count are rows or columns of the operand as its cut says. */
int clopt__array_up(struct clopt *ctx, cl_command_queue q, const struct operand *o, size_t first,
                    size_t count, struct array *a);
int clopt__array_down(struct clopt *ctx, cl_command_queue q, const struct operand *o, size_t first,
                      size_t count, const struct array *a);

/* launch.c: one enqueue of a row's kernel over `dim`. */
int clopt__launch(struct clopt *ctx, cl_command_queue q, const struct variant *v, cl_kernel kernel,
                  const struct clopt_problem *problem, const size_t *dim, const double *real,
                  const struct array *const *arrays, cl_event wait, cl_event *done);
/* Add up the time of finished kernels, unless rc tells of a failure already.
 * Releases the events either way; returns rc or its own failure. */
int clopt__kernel_times(struct clopt *ctx, cl_event *events, size_t count, int rc);

/* pipeline.c */
/* CLOPT_ENOMEM if even the smallest bands of the problem do not fit. */
int clopt__fits_memory(struct clopt *ctx, const struct variant *v,
                       const struct clopt_problem *problem);
int clopt__run(struct clopt *ctx, const struct job *job, const struct variant *v, cl_kernel kernel);
/* How many device bytes one call may use, and the failure if they are too few. */
size_t clopt__memory(const struct clopt *ctx);
int clopt__memory_short(const struct clopt *ctx, size_t needed_bytes);

/* steps.c: leapfrog, with the state on the device from the first step to the
 * last.  gravity and step describe the two kernels' arguments. */
int clopt__leapfrog(struct clopt *ctx, const struct job *gravity, const struct job *step, double dt,
                    size_t steps);

/* report.c: the line of CLOPT_VERBOSE, the library's only output. */
void clopt__verbose(const struct clopt *ctx, const struct clopt_problem *problem, int rc);
double clopt__now(void);

#endif
