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
#include "log.h"
#include "store.h"

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
/* Drop this thread's text on ctx, which is about to go. */
void clopt__forget(const struct clopt *ctx);
/* What this thread's failures are prefixed with: the call under way. */
void clopt__doing(const char *text);

/* ---- Devices: devices.c finds them, device.c reads them, pick.c chooses one - */

/* What a row may need or like.  X(bit, word for people) */
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
	X(HUGELOCAL, "local-960K") \
	X(IMAGES, "images") \
	X(FP64, "fp64") \
	X(FP16, "fp16") \
	X(UNIFIED, "unified-memory") \
	X(PTX, "inline-ptx") \
	X(SM80, "sm-80") /* NVIDIA's compute capability 8.0 or later */ \
	X(SM90, "sm-90") /* 9.0 or later */ \
	X(WGMMA, "warpgroup-mma") /* 9.0 and no other */ \
	X(TF32, "fast-tf32") /* a tf32 product costs less than a third of a float32 one */ \
	X(STUDY, "study") /* no device: liked by rows that are there to be measured */

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
	unsigned quirks; /* in force on it: bits of the rows of quirks.c */
	/* Kernels are compiled once more when they are run, for how they are run, and
	 * the binary of a program has what was run before it was first asked for. */
	int compiles_late;
	struct clopt_device_info info;
};

/* Whether it has OpenCL 1.2 and a compiler. */
int clopt__device_usable(cl_device_id id);
/* lifted: quirks that are not minded, bits of the rows of quirks.c. */
int clopt__device_read(cl_device_id id, unsigned lifted, struct device *device);
/* Whether word[0..n) stands anywhere in text, case aside; an empty one does. */
int clopt__within(const char *text, const char *word, size_t n);

#include "table.h"

/* ---- A job: what a routine hands over ------------------------------------ */

enum {
	OPERAND_IN = 1,
	OPERAND_OUT = 2
};
#define MAX_ARRAYS 16 /* of a kernel of the caller's */

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

struct job {
	struct clopt_problem problem;
	double real[MAX_REALS]; /* leapfrog: dt, g, the softening's square */
	int per_charge; /* potential: what is the charges' sum's share in them waits for it */
	size_t steps; /* leapfrog */
	int in_place; /* transpose: the result takes the place of operand 0 */
	struct operand operand[MAX_OPERANDS];
};

/* numbers.c: rounded to float, as kernels get it. */
double clopt__as_float(double x);

/* ---- Problems: problem.c -------------------------------------------------- */

/* Defaults filled in; CLOPT_EINVAL for what is no problem. */
int clopt__problem_read(const struct clopt *ctx, const struct clopt_problem *in,
                        struct clopt_problem *out);
/* The last of enum clopt_precision that the device has. */
int clopt__best_precision(const struct clopt *ctx);
/* What a product's sizes are like; SHAPE_PLAIN for other operations. */
unsigned clopt__shape(const struct clopt_problem *problem, unsigned compute_units);
/* Terms of all sums, or elements that are moved; of bodies that move, pairs. */
double clopt__units(const struct clopt_problem *problem);
void clopt__problem_text(const struct clopt_problem *problem, char *text, size_t size);
/* The shape that an operand of the problem has, and its part in a band. */
void clopt__problem_operand(const struct clopt_problem *problem, unsigned i, struct operand *o);

/* ---- The context: context.c ---------------------------------------------- */

#define MAX_QUEUES 8

struct kernel; /* program.c */
struct pinned; /* pinned.c */
struct staging; /* staging.c */
struct started; /* started.c */
struct crew; /* crew.c */
struct kept; /* enqueue.c */
struct records;
struct made;

/* Bytes a second, up and down; 0 where it is not known. */
struct rates {
	int held; /* nothing may be measured now */
	int pinned_known, ordinary_known; /* measured, or tried to */
	size_t unmeasured; /* bytes that went without */
	double pinned[2], driver[2], staged[2];
};

/* Events of commands that wait for others; handles.c. */
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
	int tuning; /* under way, so records do not count; 2: by the caller's wish */
	int asking; /* nothing is to be computed, so nothing is compared */
	struct records *records; /* records.c */
	struct made *made; /* grid.c */
	int check; /* enum clopt_check, but for the default */
	const struct variant *forced[CLOPT_OPS];
	struct kernel *kernels;
	struct store store; /* what outlives the process */
	struct pinned *pinned;
	struct staging *staging;
	struct started *started;
	struct crew *crew; /* made when there is work for it */
	struct kept *kept; /* enqueue.c */
	pthread_mutex_t starting; /* held while a call is put into it */
	struct rates rates;
	struct clopt_report report;
	struct log log;
};

/* settings.c: the store that a context with these options has.  It is to be closed. */
int clopt__store_of(const struct clopt_options *options, struct store *store);

/* ---- The layers ----------------------------------------------------------- */

/*
 * call.c: all that a routine does after describing its job.  begin locks the
 * context; end unlocks it and returns rc.  They stand round everything that
 * touches the context.
 */
int clopt__begin(struct clopt *ctx, const struct clopt_problem *problem);
int clopt__end(struct clopt *ctx, const struct clopt_problem *problem, int rc,
               struct clopt_report *report);
/* The same for a call in words. */
int clopt__begin_text(struct clopt *ctx, const char *text);
int clopt__end_text(struct clopt *ctx, const char *text, int rc, struct clopt_report *report);
/* Choose a row for a complete job and run it over the pipeline. */
int clopt__run_job(struct clopt *ctx, const struct job *job);
/* report, if not NULL, gets how it went. */
int clopt__call(struct clopt *ctx, const struct job *described, struct clopt_report *report);

/* in_place.c: a transpose whose result takes the place of its input. */
int clopt__in_place(struct clopt *ctx, const struct job *job);

/* How a routine is called: on the caller's arrays, at once or by the context's
 * thread, or on buffers. */
struct form {
	struct clopt_call **call; /* not NULL: started */
	int buffers;
	const struct clopt_order *order;
};
struct form clopt__at_once(void);
struct form clopt__started(struct clopt_call **call); /* *call becomes NULL */
struct form clopt__on_buffers(const struct clopt_order *order);
int clopt__submit(struct clopt *ctx, const struct job *described, const struct form *form);
struct operand clopt__host_operand(const void *host, size_t ld, unsigned use);
struct operand clopt__buffer_operand(const struct clopt_buffer *buffer, size_t ld, unsigned use);

/* matmul.c: one product as a structure; on arrays of the caller's or on buffers. */
struct clopt_gemm clopt__gemm(int type, int layout, int transa, int transb, size_t m, size_t n,
                              size_t k, double alpha, size_t lda, size_t ldb, double beta,
                              size_t ldc);
int clopt__gemm_host(struct clopt *ctx, const struct clopt_gemm *g, const void *a, const void *b,
                     void *c, struct form form);
int clopt__gemm_buffers(struct clopt *ctx, const struct clopt_gemm *g, const struct clopt_buffer *a,
                        const struct clopt_buffer *b, const struct clopt_buffer *c,
                        const struct clopt_order *order);

/* batch.c: the first of its matrices becomes all of them, if they are several. */
struct operand clopt__of_batch(struct operand o, size_t batch, size_t stride);

/* thread.c: pthread_create for threads that take no signals; how many threads are worth
 * while, from 1 to 16. */
int clopt__thread(pthread_t *thread, void *(*run)(void *), void *argument);
unsigned clopt__processors(void);

/* started.c */
int clopt__no_call(const struct clopt *ctx, const char *name); /* there is no place for it */
int clopt__start(struct clopt *ctx, const struct job *described, struct clopt_call **call);
void clopt__started_free(struct clopt *ctx);
void clopt__crew_free(struct clopt *ctx); /* crew.h */

/* enqueue.c: on buffers.  The job's last command is queued when it returns. */
int clopt__enqueue(struct clopt *ctx, const struct job *described, const struct clopt_order *order);
/* Arrays that queued commands no longer use; or, after waiting, all of them. */
void clopt__kept_free(struct clopt *ctx, int all);
/* Nothing is to be computed, so nothing will be looked at. */
int clopt__is_empty(const struct job *job);
/* Fill in the operands' shapes and check all arguments. */
int clopt__complete(const struct clopt *ctx, const struct job *described, struct job *job);

/* check.c: arguments.  All fail with CLOPT_EINVAL and the numbers. */
/* unread: it may be NULL, since the call has nothing to do. */
int clopt__check_operand(const struct clopt *ctx, const struct operand *o, int unread);
int clopt__check_apart(const struct clopt *ctx, const struct operand *out,
                       const struct operand *in);
/* Whether two parts of one buffer do. */
int clopt__buffers_overlap(const struct clopt_buffer *x, const struct clopt_buffer *y);
/* The lines ("rows" or "columns") of a matrix, before it has a shape. */
int clopt__check_ld(const struct clopt *ctx, const char *name, const char *lines, size_t length,
                    size_t ld);
/* The results of a batch, `lines` lines each, lie apart from one another. */
int clopt__check_results(const struct clopt *ctx, const char *name, size_t batch, size_t lines,
                         size_t length, size_t ld, size_t stride);
/* A number that kernels get as a float: zero, or of a size from least to most. */
int clopt__check_real(const struct clopt *ctx, const char *name, double value, double least,
                      double most);
int clopt__check_options(const struct clopt *ctx, const char *name, size_t given, size_t known);

/* select.c */
/* resident, if not 0: the arrays are on the device already, so they need not fit in bands;
 * RESIDENT_ODD: and rows of inputs do not all begin at multiples of ROW_CHUNK bytes.  *v:
 * on CLOPT_ENOMEM the row that the text is about, if it is the problem that is too large. */
int clopt__choose(struct clopt *ctx, const struct clopt_problem *problem, int resident,
                  const struct variant **v, cl_kernel *kernel);
/* force.c: read a list of names into forced[CLOPT_OPS]; rows that have to be made are ctx's.
 * Failures are told to `who`, and name the list's source. */
int clopt__force(struct clopt *ctx, const struct clopt *who, const char *source, const char *names,
                 const struct variant **forced);
/* Whether the row can serve, as far as can be known without building it; or why not. */
int clopt__can_serve(const struct clopt *ctx, const struct variant *v,
                     const struct clopt_problem *p, char *why, size_t size);
/* program.c: the kernel of a row for a problem, built once for a context and
 * owned by it.  A row that cannot be built here stays so: CLOPT_EBUILD. */
int clopt__kernel(struct clopt *ctx, const struct variant *v, const struct clopt_problem *problem,
                  cl_kernel *kernel);
/* The same for a kernel of the caller's. */
int clopt__kernel_from(struct clopt *ctx, const char *source, const char *name,
                       const char *build_options, cl_kernel *kernel);
/* Why it is struck out, or NULL if it was not tried or is good; and whether that is since
 * it is wrong, and not since it does not build. */
const char *clopt__struck_out(const struct clopt *ctx, const struct variant *v,
                              const struct clopt_problem *problem);
int clopt__is_wrong(const struct clopt *ctx, const struct variant *v,
                    const struct clopt_problem *problem);
void clopt__kernels_free(struct clopt *ctx);
/* The kernel was queued in this call. */
void clopt__launched(struct clopt *ctx, cl_kernel kernel);
/* Those of this call are in a queue; when that is done is not known yet. */
void clopt__kernels_queued(struct clopt *ctx);
/* Those that have ended are kept for other processes, if they are not yet: of this
 * call, or those that were queued.  (Drivers that do not compile late need not wait for
 * it: theirs are kept as soon as they are built.) */
void clopt__kernels_save(struct clopt *ctx, int queued);

/* cache.c: a built program as the driver keeps it, for ctx's device, with a zero byte behind it.
 * The caller frees it. */
cl_int clopt__binary(const struct clopt *ctx, cl_program program, char **binary, size_t *size);
/* The program that a kernel was made of; it stays the context's. */
cl_program clopt__program(const struct clopt *ctx, cl_kernel kernel);

/* How fast a kernel is, as learnt from earlier calls.  NULL: the library does not
 * know the kernel. */
struct pace {
	double seconds; /* for one of a work's units; 0: not known */
	double units; /* of the work that told */
	int trial; /* that was one of pace.c's */
};
struct pace *clopt__pace(struct clopt *ctx, cl_kernel kernel);
/* steps.c: leapfrog, with the state on the device from the first step to the
 * last. */
struct placed;
struct clopt_problem clopt__leapfrog_gravity(const struct clopt_problem *step);
int clopt__leapfrog(struct clopt *ctx, const struct job *job, struct placed *p);

/* handles.c: at the end of the context. */
void clopt__watch_free(struct clopt *ctx);

#endif
