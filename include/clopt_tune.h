/* SPDX-License-Identifier: MIT */
/*
 * clopt_tune.h - kernel variants: forcing, timing, records of the best, plans.  Compiled kernels on
 * disk, occupancy, checks, time lines, drivers and their bugs.  The rules of clopt.h hold here too.
 *
 * Functions NAME_list fill up to max entries of list, whose sizes are set first.  *count gets the
 * total there is, even beyond max.  list may be NULL with max 0.
 */
#ifndef CLOPT_TUNE_H
#define CLOPT_TUNE_H

#include "clopt.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ================================================ Options of tuners =======
 *
 * These are details of some fields of struct clopt_options.  A context on a GPU with a display:
 *
 *	options.slice_seconds = 0.05;
 *	options.queues = 1;
 *	rc = clopt_open(&ctx, &options);
 *
 * The fields:
 *
 *	mem_limit_bytes  where host and device share memory, a limit also prevents zero copy
 *	queues           default: 2 if the device has one copy engine or shares the host's memory,
 *	                 else 3; a call in one piece uses one queue
 *	profile          costs 1 to 2 microseconds a command on an H200
 *	slice_seconds    for potential, nbody, leapfrog and evolve.  On a display's device the
 *	                 system stops a command after some seconds (2 on Windows) and does not
 *	                 draw meanwhile.  Every slice has enough targets to keep all compute units
 *	                 busy.  Until a call on arrays has shown a kernel's speed, slices are
 *	                 shorter.
 *
 * A large problem is cut into bands: rows of C and A, rows of a matrix to be transposed, targets.
 * If a band does not fit the device, the other direction is cut too: columns of C and B, columns of
 * the matrix.  They are also cut where a band has much more than 32 MiB and the device memory of
 * its own.  If even a block of both cuts is too large, k and the sources are cut.  A sum is then
 * carried from part to part, with the same bits; that of halves and bfloat16 is in float32, and
 * integers need none.  A variant that rounds operands (CLOPT_MATH_TF32) repeats in float32 a sum
 * that is not finite, from the part on where that is seen.  A part has at least 64 to 4096 terms;
 * a variant whose least part does not fit leaves the call to another.
 *
 * Overlap can save the time between serial_seconds and bound_seconds of struct clopt_report.  With
 * a copy engine for each direction, bound_seconds is the largest of transfers up, kernels and
 * transfers down.  With one copy engine it is the larger of transfers and kernels.  overlapped is 0
 * only for calls of several bands and queues; 1 does not say that overlap gained more than it cost.
 */

/* ======================================================== Problems =======
 *
 * A problem describes a call without its arrays.  A question about the gravity of a million bodies:
 *
 *	struct clopt_problem p = CLOPT_PROBLEM_INIT;
 *	char why[4096];
 *
 *	p.op = CLOPT_OP_NBODY;
 *	p.dim[0] = p.dim[1] = 1000000;
 *	rc = clopt_explain(ctx, &p, why, sizeof why);
 *
 * What the operations take of struct clopt_problem, as their routines would be called:
 *
 *	CLOPT_OP_MATMUL       dim = m, n, k            type, or elem_bytes 2, 4 or 8; layout,
 *	                      transa, transb, math, triangle, hermitian, batch
 *	CLOPT_OP_TRANSPOSE    dim = rows, cols         elem_bytes 1 to 16; scaled, batch, uneven
 *	CLOPT_OP_POTENTIAL,   dim = nsources, ntargets law, outputs, precision, normals, depths;
 *	CLOPT_OP_NBODY        elem_bytes 8 for points of doubles in DOUBLE_SINGLE and DOUBLE
 *	                      (clopt_gravity, clopt_potential_points)
 *	CLOPT_OP_LEAPFROG     dim = bodies
 *	CLOPT_OP_EVOLVE_STEP, dim = bodies             precision of struct clopt_evolve_options;
 *	CLOPT_OP_EVOLVE_SUMS  outputs 1 for CLOPT_INTEGRATOR_HERMITE
 *	CLOPT_OP_TREE_KEYS, CLOPT_OP_TREE_SORT
 *	                      dim = points, groups     outputs: the step, as in cl/tree
 *	CLOPT_OP_TREE_CELLS   dim = cells, sources, order (the nearest from 2 to 6; 2 to 4 for
 *	                      multipoles); outputs 0 for leaves, 1 for other cells; 2, 3 the same
 *	                      with multipoles
 *	CLOPT_OP_TREE_POTENTIAL, CLOPT_OP_TREE_NBODY
 *	                      dim = nsources, ntargets, order; the rest as for the sums of all pairs
 *
 * uneven is for buffers, batches and devices in the host's memory, where rows or matrices may begin
 * at any byte and other variants are best.  Routines see that by themselves.  uneven 0 asks about
 * host arrays without gaps.
 */

/* ======================================================== Variants =======
 *
 * Each operation has several kernels, its variants.  Force a kernel of products and one of gravity:
 *
 *	rc = clopt_force_variants(ctx, "matmul/plain,nbody/tile-256");
 */

/*
 * Force variants, by names with commas between, at most one for each operation.  NULL or "" ends
 * all forcing.  If a forced variant cannot serve a call, the call fails with CLOPT_ENOVARIANT,
 * CLOPT_EBUILD, CLOPT_EWRONG or CLOPT_ENOMEM; no other variant replaces it.  CLOPT_EINVAL for a
 * name that is not in the table.
 */
CLOPT_API int clopt_force_variants(struct clopt *ctx, const char *names);

/* The table of variants, in order of preference within each operation.  Needs no device.  NULL and
 * -1 past the end. */
CLOPT_API const char *clopt_variant_name(size_t i);
CLOPT_API int clopt_variant_op(size_t i);

/*
 * 1 if variant i can serve the problem here, whether or not it would be chosen; else 0.  why (size
 * bytes; may be NULL with size 0) gets the reason.  problem NULL: any problem of its operation.
 * Builds nothing, so a variant may still fail to build later.
 */
CLOPT_API int clopt_variant_runs(struct clopt *ctx, size_t i, const struct clopt_problem *problem,
                                 char *why, size_t size);

/* "coulomb", "alpb-salt", ...; NULL for a number that is no law. */
CLOPT_API const char *clopt_law_name(int law);
/* Useful operations of one pair: by convention a multiply-add is two; a root, reciprocal or
 * exponential is one. */
CLOPT_API unsigned clopt_law_flops(int law, int outputs);

/* ============================================================ Plan =======
 *
 * A plan says what a call would take, before there are arrays.  A product of two matrices of
 * 20000 x 20000:
 *
 *	struct clopt_problem p = CLOPT_PROBLEM_INIT;
 *	struct clopt_plan_info plan = CLOPT_PLAN_INFO_INIT;
 *
 *	p.op = CLOPT_OP_MATMUL;
 *	p.dim[0] = p.dim[1] = p.dim[2] = 20000;
 *	if (clopt_plan(ctx, &p, &plan) != CLOPT_OK)
 *		fprintf(stderr, "%s\n", clopt_error(ctx));
 *	else if (!plan.fits)
 *		printf("%zu bytes are needed: %s\n", plan.needed_bytes, plan.reason);
 *	else
 *		printf("%s, %g s, %zu bytes\n", plan.variant, plan.seconds, plan.device_bytes);
 */

/* The plan of a call. */
struct clopt_plan_info {
	size_t size; /* sizeof(struct clopt_plan_info), set by the caller */
	/* Set by the caller.  1: nothing is run or moved, and only earlier calls' measurements are
	 * used; kernels are built in any case. */
	int dry;

	/* 0: the device has too little memory, however the call is cut.  Or mem_limit_bytes of the
	 * context leaves so little that the call is refused. */
	int fits;
	const char *variant; /* the variant that would run; NULL: nothing to compute */
	size_t needed_bytes; /* if it does not fit: device memory needed; SIZE_MAX: or more */
	char reason[256]; /* if it does not fit: why, in words.  Else "" */

	/* As in struct clopt_report. */
	size_t bands, queues, sum_parts;
	size_t up_bytes, down_bytes, in_place_bytes, staged_bytes;

	size_t device_bytes; /* most device memory in use at a time */
	size_t pinned_bytes; /* pinned memory for staging, kept as long as the context */

	/* All transfers up, all kernels, all transfers down, and the whole call with their overlap.
	 * 0: not known, or nothing. */
	double up_seconds, kernel_seconds, down_seconds, seconds;
	int throughput_source; /* enum clopt_throughput_source: that of kernel_seconds */
	/* How many devices of the context would share the call.  `seconds` is for all of them (0,
	 * not known, of bodies that move on unlike devices), the rest for the first alone. */
	int members;

	/* The bytes of the arrays in host memory, and the host memory of this machine (0: not
	 * known).  The arrays may be larger than that only if they are in files (mmap). */
	size_t array_bytes, host_bytes;
};

#define CLOPT_PLAN_INFO_INIT \
	{ \
		sizeof(struct clopt_plan_info), 0, 0, NULL, 0, "", 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, \
		        0, 0, 0, 0, 0, 0, 0 \
	}

CLOPT_API void clopt_plan_info_init(struct clopt_plan_info *plan, size_t size);

/* Where a plan has its kernel_seconds from. */
enum clopt_throughput_source {
	CLOPT_THROUGHPUT_SOURCE_UNKNOWN,
	CLOPT_THROUGHPUT_SOURCE_CALL, /* an earlier call, of about this size or a longer one */
	CLOPT_THROUGHPUT_SOURCE_TRIAL /* a smaller problem that clopt_plan ran */
};

/*
 * The plan of the routine for the problem, with ordinary arrays without gaps, as malloc gives them,
 * beta 0, and a compiled kernel.  CLOPT_OP_LEAPFROG and CLOPT_OP_EVOLVE_STEP stand for
 * clopt_nbody_leapfrog and clopt_nbody_evolve (without `each`) of p.steps steps.
 * CLOPT_OP_EVOLVE_SUMS is CLOPT_EUNSUPPORTED.
 *
 * The bands and the bytes are those of the call, unless another call in between improves the known
 * throughput of its kernel.  Times are estimates.  Unless plan->dry, unknown rates are measured and
 * kept for the calls of the context.  Transfer rates are measured as by the first large call, if
 * any bytes move.  The throughput of the kernel is measured on device arrays of up to 32 MiB, for a
 * few hundredths of a second.
 *
 * A problem that does not fit is a success with fits == 0.  CLOPT_ENOVARIANT, CLOPT_EUNSUPPORTED,
 * CLOPT_EINVAL, CLOPT_EBUILD: the call would fail so.  CLOPT_ENOMEM, CLOPT_EDEVICE: planning
 * failed.  clopt_last_report does not change.
 */
CLOPT_API int clopt_plan(struct clopt *ctx, const struct clopt_problem *problem,
                         struct clopt_plan_info *plan);

/* ========================================================== Tuning =======
 *
 * Tuning finds the best variant for a problem on this device by timing.  The best
 * variant for products of about 1024 x 1024 x 1024:
 *
 *	struct clopt_problem p = CLOPT_PROBLEM_INIT;
 *	char record[512];
 *
 *	p.op = CLOPT_OP_MATMUL;
 *	p.dim[0] = p.dim[1] = p.dim[2] = 1024;
 *	rc = clopt_tune(ctx, &p, NULL, record, sizeof record);
 *
 * The result of tuning is a record, a line of text with five fields:
 *
 *	NVIDIA H200; 580.159.04; matmul float32 NN 1024x1024x1024; matmul/wgmma-f32-64x128; 6.4e+13
 *
 * - The device's name, or + and traits that a device must have: "+cpu,simd-512".
 * - Its driver's version, or * for any.
 * - The class of the problem: its kind, and the powers of two nearest to its sizes.
 * - The variant.  Settings of its parameters may follow, all of which tuning tries, as in
 *   "matmul/reg-64x64x32:TK=16:wg=8x8:out=64x32".  clopt_force_variants takes such names too.
 * - Its throughput, in terms of sums or elements moved per second.
 *
 * Lines that begin with # are comments; lines that this library cannot read are ignored.  Of
 * several records for a class the last is valid.
 *
 * A record takes precedence over the order of the table, and the user's file over the library's
 * records.  clopt_options.tuning (CLOPT_TUNING) names this file.  The default is tuning.txt in
 * libclopt in XDG_CONFIG_HOME, or in .config of HOME.  clopt_tuning_merge adds records of others; a
 * copy of the file may be shipped.  Only clopt_tune times variants; a call never does.
 */

/* The progress of tuning, after each kernel that was built and timed. */
struct clopt_tune_step {
	size_t size; /* sizeof(struct clopt_tune_step), set by the library */
	const char *variant; /* the variant just timed */
	double seconds; /* its time; 0: it cannot be built or fails here */
	const char *best; /* so far */
	double best_seconds;
	size_t tried; /* kernels so far */
	double spent_seconds, budget_seconds;
};

/* Options of clopt_tune; 0 means the default. */
struct clopt_tune_options {
	size_t size; /* sizeof(struct clopt_tune_options) */
	double budget_seconds; /* about, compiling included; 0: 20 */
	/* 1: only rows as they stand in the table, without other settings of their parameters. */
	int rows_only;
	/* 1: the record is returned and used in this context, but not written. */
	int dry;
	/* If not NULL, called after each kernel.  It must call no function on the context.  Nonzero
	 * ends tuning, with the best so far. */
	int (*progress)(void *user, const struct clopt_tune_step *step);
	void *user;
};

#define CLOPT_TUNE_OPTIONS_INIT \
	{ \
		sizeof(struct clopt_tune_options), 0, 0, 0, NULL, NULL \
	}

CLOPT_API void clopt_tune_options_init(struct clopt_tune_options *options, size_t size);

/*
 * Time the variants that can serve the problem, and record the best.  They run on device memory of
 * the problem's size; one that does not fit is halved until it does.  Rows of the table for this
 * kind of device come first, then settings of their parameters, sampled over all combinations.
 * After each round the slower half is dropped, and the neighbours of the best are tried.  The
 * table's choice keeps its place unless another variant is 2 % faster.
 *
 * record (size bytes, may be NULL with size 0) gets the line.  Uses the device for the whole
 * budget.  CLOPT_EINVAL: arguments, or a forced variant.  CLOPT_EIO: the file cannot be written.
 * If that is found before the search, nothing is searched; if after it, the record still holds in
 * this context.  CLOPT_ENOVARIANT, CLOPT_EUNSUPPORTED, CLOPT_ENOMEM, CLOPT_EDEVICE.
 */
CLOPT_API int clopt_tune(struct clopt *ctx, const struct clopt_problem *problem,
                         const struct clopt_tune_options *options, char *record, size_t size);

/*
 * How long a variant's kernel takes for the problem, on device memory of its size with numbers from
 * a half to one.  *seconds gets the median of the launches that fit into `window` seconds, at least
 * one, after one or two that do not count.  variant NULL: the variant that would serve.
 * CLOPT_ENOMEM: the problem does not fit the device in one piece.  CLOPT_EINVAL, CLOPT_ENOVARIANT,
 * CLOPT_EBUILD, CLOPT_EDEVICE.
 */
CLOPT_API int clopt_time_variant(struct clopt *ctx, const struct clopt_problem *problem,
                                 const char *variant, double window, double *seconds);

/* The records that hold for this device, the user's first, as lines of text (size bytes, always
 * terminated, cut if too short).  Returns their number. */
CLOPT_API size_t clopt_tuning_records(struct clopt *ctx, char *text, size_t size);

/*
 * Add the records in a text to the user's file, such as those that `clopt check --report' printed
 * on another machine.  Records of any device are added, unless the file has them; other lines are
 * ignored.  Those for this device are used from then on.
 *
 * *added (may be NULL) gets how many were added, also if the call fails later.  CLOPT_EINVAL:
 * arguments, or no file of records (CLOPT_TUNING is 0).  CLOPT_EIO: the file cannot be written.
 * CLOPT_ENOMEM.
 */
CLOPT_API int clopt_tuning_merge(struct clopt *ctx, const char *text, size_t *added);

/* The class of a problem, as records name it.  CLOPT_EINVAL: an operation that is not tuned; only
 * CLOPT_OP_MATMUL, CLOPT_OP_TRANSPOSE, CLOPT_OP_POTENTIAL and CLOPT_OP_NBODY are. */
CLOPT_API int clopt_problem_class(struct clopt *ctx, const struct clopt_problem *problem,
                                  char *text, size_t size);

/* ==================================== Compiled kernels on disk ===========
 *
 * Compiling takes about a second a kernel, loading a compiled one some milliseconds.  So compiled
 * kernels, also those of clopt_map, are kept in a folder for the next process.  Compile a kernel
 * at installation, or at the start:
 *
 *	clopt_prepare(c, &problem);
 *
 * The folder is clopt_options.cache_dir, or CLOPT_CACHE_DIR, or else libclopt in XDG_CACHE_HOME or
 * in .cache of HOME; none if there is neither.  It is made when first needed.  If it cannot be read
 * or written, kernels are compiled; that is no failure.  Its files will run, so it is not used if
 * it is a link, another user's, or open to others for writing.  With CLOPT_VERBOSE a line says so.
 * Beyond cache_bytes the least recently used files are removed first.
 *
 * The key of a kernel is all that it depends on: source, options, device, driver, platform, and the
 * version of this library.  Variables of the environment that steer drivers belong to it, such as
 * POCL_EXTRA_BUILD_FLAGS and OPENCL_LAYERS.  A source of clopt_map that includes others is not
 * kept: one with the word "include", #import or #embed, or options with "include" or "imacros".
 * Files are renamed when they are complete, and used only if every bit is right.  So processes may
 * share a folder, and be killed at any time.
 *
 * Some drivers (PoCL) compile again when a kernel runs.  There a kernel is kept after a call on
 * arrays, or clopt_finish, has ended.  PoCL compiles a kernel for launches of up to 65535
 * work-items and again for larger ones.  It is kept for one of the two, and a process compiles the
 * other itself.
 */

/*
 * Load or compile the kernels that a call for this problem needs, on all devices of the context;
 * of moving bodies those of gravity, too.
 * The sizes matter where they decide which variant serves.  clopt_last_report says what was loaded
 * and compiled.  Statuses as of clopt_explain; CLOPT_EDEVICE.
 */
CLOPT_API int clopt_prepare(struct clopt *ctx, const struct clopt_problem *problem);

/* One entry of the cache. */
struct clopt_cache_entry {
	size_t size; /* sizeof(struct clopt_cache_entry), set by the caller */
	char kind[16]; /* "program", ... */
	/* "matmul/packed-8x2 on NAME OF DEVICE"; "" for a damaged file, which counts as missing. */
	char what[256];
	uint64_t bytes; /* of its file */
	int64_t used; /* when it was last used, or else made: seconds since 1970 */
	/* How a kernel was wrong at its first use (CLOPT_CHECK_FIRST), and with which driver:
	 * "VENDOR, driver 1.2, OpenCL 3.0".  Else "". */
	char wrong[384], driver[256];
};

/*
 * List the entries of the cache that a context with these options (NULL: defaults) would use, the
 * latest used first.  Needs no device; a missing folder has no entries.  CLOPT_EIO: the folder is
 * not used, because it is a link or not this user's alone.  CLOPT_ENOMEM; CLOPT_EINVAL as
 * clopt_open.
 */
CLOPT_API int clopt_cache_list(const struct clopt_options *options, struct clopt_cache_entry *list,
                               size_t max, size_t *count);

/* Remove all these entries, and no other file.  CLOPT_EIO if an entry cannot be removed, or the
 * folder is not used; CLOPT_EINVAL as clopt_open. */
CLOPT_API int clopt_cache_clear(const struct clopt_options *options);

/* The folder into text (size bytes, always terminated); "" if nothing is kept. */
CLOPT_API int clopt_cache_folder(const struct clopt_options *options, char *text, size_t size);

/* ======================================================= Occupancy =======
 *
 * How many waves of a kernel (NVIDIA's warps, AMD's wavefronts) a compute unit holds at a time, and
 * what limits them.  While some waves wait for memory, others compute; beyond half of the greatest
 * number more waves seldom help.  A kernel of 40 registers, on sm_90:
 *
 *	struct clopt_resources use = CLOPT_RESOURCES_INIT;
 *	struct clopt_occupancy_info o = CLOPT_OCCUPANCY_INFO_INIT;
 *
 *	use.registers = 40;
 *	if (clopt_occupancy("sm_90", &use, &o) == CLOPT_OK)
 *		printf("%u of %u waves, limited by %s\n", o.waves, o.most_waves,
 *		       clopt_limit_name(o.limit));
 *
 * This is arithmetic on the vendors' published tables.  It needs no device, and any thread may do
 * it at any time.  Architectures have the names that compilers give them: "sm_90" for NVIDIA's
 * compute capability 9.0, "gfx90a" or "gfx1100" for AMD's targets.  AMD's older ones have the names
 * of families or chips: "terascale2", "cypress".  On RDNA a "compute unit" is a work-group
 * processor, which runs a group.
 */

/* The resources that a kernel uses. */
struct clopt_resources {
	size_t size; /* sizeof(struct clopt_resources) */
	/* Of a work-item; of 32 bits each, on TeraScale of 128.  0: not known, and taken as no
	 * limit. */
	unsigned registers;
	unsigned scalar_registers; /* of a wave, on GCN and CDNA; 0 likewise */
	size_t local_bytes; /* local memory of a group */
	size_t group; /* work-items in a group */
	/* Memory of a work-item for values that did not fit its registers, if the driver tells; it
	 * is slow, but no limit. */
	size_t private_bytes;
};

/* Groups of 256; the rest is not known. */
#define CLOPT_RESOURCES_INIT \
	{ \
		sizeof(struct clopt_resources), 0, 0, 0, 256, 0 \
	}

CLOPT_API void clopt_resources_init(struct clopt_resources *use, size_t size);

/* What limits the waves on a compute unit. */
enum clopt_limit {
	CLOPT_LIMIT_WAVES, /* the compute unit holds all the waves that it can */
	CLOPT_LIMIT_GROUP_SIZE, /* another whole group would be too many waves */
	CLOPT_LIMIT_GROUPS, /* the compute unit holds no more groups */
	CLOPT_LIMIT_LOCAL,
	CLOPT_LIMIT_REGISTERS,
	CLOPT_LIMIT_SCALAR_REGISTERS,
	CLOPT_LIMITS /* how many there are */
};

/* "waves", "group size", "groups", "local memory", "registers", "scalar registers"; NULL for a
 * number that is no limit. */
CLOPT_API const char *clopt_limit_name(int limit);

/* How many waves a compute unit holds. */
struct clopt_occupancy_info {
	size_t size; /* sizeof(struct clopt_occupancy_info), set by the caller */
	char arch[16]; /* the name that was asked for */
	unsigned wave; /* work-items in a wave */
	unsigned groups, waves; /* on a compute unit; 0: not even one group fits */
	unsigned most_waves; /* that a compute unit can hold */
	double occupancy; /* waves / most_waves */
	int limit; /* enum clopt_limit; the first of the enum if several hold */
	/* The most registers that a work-item may have for as many waves, or for one group if no
	 * group fits. */
	unsigned most_registers;
};

#define CLOPT_OCCUPANCY_INFO_INIT \
	{ \
		sizeof(struct clopt_occupancy_info), "", 0, 0, 0, 0, 0, 0, 0 \
	}

CLOPT_API void clopt_occupancy_info_init(struct clopt_occupancy_info *result, size_t size);

/*
 * The waves of a kernel with these resources.  CLOPT_EINVAL: an architecture that is not in the
 * table, no work-items, or more work-items, registers or local memory than allowed.
 * clopt_error(NULL) has the known names and the numbers.
 */
CLOPT_API int clopt_occupancy(const char *arch, const struct clopt_resources *use,
                              struct clopt_occupancy_info *result);

/* The names of architecture i, with blanks between; NULL past the end. */
CLOPT_API const char *clopt_arch_names(size_t i);

/*
 * The same for the kernel that would serve the problem on this device.  *use (size set by the
 * caller; may be NULL) gets the kernel's resources as the driver compiled it.  On NVIDIA registers
 * are from a second compilation, on AMD from the program's binary.  Builds kernels as clopt_explain
 * does, with the same statuses.  CLOPT_EUNSUPPORTED: a device that is not in the table, such as any
 * CPU, or a driver without these numbers.
 */
CLOPT_API int clopt_occupancy_of(struct clopt *ctx, const struct clopt_problem *problem,
                                 struct clopt_resources *use, struct clopt_occupancy_info *result);

/* ========================================================== Checks =======
 *
 * The checks of enum clopt_check compare results with the host's.  A context that checks most
 * results of calls:
 *
 *	options.check = CLOPT_CHECK_ALWAYS;
 *	rc = clopt_open(&ctx, &options);
 *
 * The first-use check takes some milliseconds and up to 10 MB on the device that no limit counts.
 * Its bounds are the rounding errors of the arithmetic that the variant promises.  The verdict is
 * kept in the cache, so it runs once for a driver; without a cache, once for a context.  An error
 * may have been a passing fault of the machine, so each context tries a wrong kernel again.  It
 * uses the kernel after three rounds with other numbers without an error.  clopt_cache_list lists
 * wrong kernels.
 *
 * CLOPT_CHECK_ALWAYS compares results of calls on arrays, also of started ones.  It does not check
 * calls on buffers, leapfrog, evolve, clopt_map and kept trees.  It compares
 *
 *	products     C x = alpha A (B x) + beta C x, each row of it, for a random x of 1 and -1;
 *	             each product of a batch; of a triangle each row up to the diagonal, and
 *	             that the other triangle is unchanged
 *	transposes   each element
 *	potential,
 *	nbody        targets, the first and the last among them, computed again: all of up to
 *	             262,144 pairs, else so many pairs and at least 32 targets, one of each
 *	             equal stretch; so an error in two stretches that touch is always seen, and
 *	             one in a share x of a stretch with a probability of x
 *
 * Integers are checked modulo 2^32 without tolerance, and once more for a random x of -128 to 127.
 * One error in a row is always seen, more with a probability of at least 1/2.  With an epilogue
 * (clopt_gemm_desc.result) the sums are checked in host memory, and the host makes the results.
 *
 * Bounds allow for rounding errors of one sign, 4 k units of a product's |A_i| |B|; the sum of a
 * row hides smaller errors.  Rows of products are not judged if an input is not finite or the
 * host's sums in double leave the range.  Otherwise a result that is not finite is wrong, unless
 * its terms are large enough to overflow.  In other routines results that are not finite are not
 * judged.
 *
 * A wrong result is computed again from the same inputs: once by the same variant, then by the next
 * ones.  Several devices compute the call once more (clopt_device.h).  If a routine also reads its
 * output (beta, a triangle), a copy of the output is kept during the call.  After CLOPT_EWRONG an
 * output that is also read is unchanged, and another output undefined.
 *
 * The check runs after the call, in up to 16 threads, as many as there are processors, where
 * starting them pays.  The check of a product reads A, B and C once, integers twice.  On a CPU that
 * is 3 % of the processors' time for a float32 product of 2048 x 2048 x 2048.  It is more where the
 * device is fast for its host.  For a small product it takes as long as the product.  A transpose's
 * check takes as long as its transfers.  The check of a sum over pairs computes its targets at the
 * speed of the host.
 */

/*
 * Check C = alpha op(A) op(B) + beta C of any library: the product that g describes, with a batch
 * of 1. before: C before the product, without gaps between rows (columns, by g->layout); NULL if
 * beta is 0 and g has no triangle. repair 1: wrong elements are computed again in double.  Needs no
 * device.
 *
 * CLOPT_EWRONG: clopt_error(NULL) has the wrong element that is farthest off in its row, counted
 * from 0.  A row is suspected if its sum is off by more than is likely, or by 5 times the mean of
 * the other rows.  Its elements are then summed again.  An element is wrong if no order of
 * summation explains it, so a right product never fails.  An error may hide in a row of much larger
 * numbers. CLOPT_EINVAL, CLOPT_ENOMEM.
 */
CLOPT_API int clopt_gemm_check(const struct clopt_gemm_desc *g, const void *a, const void *b,
                               const void *before, void *c, int repair);

/* ====================================================== Time lines =======
 *
 * A time line has the commands of calls, for ui.perfetto.dev or chrome://tracing to draw.  The time
 * line of a product:
 *
 *	options.profile = 1;
 *	if (clopt_open(&ctx, &options) == CLOPT_OK && clopt_trace_start(ctx) == CLOPT_OK) {
 *		clopt_matmul(ctx, m, n, k, a, b, c);
 *		clopt_trace_json(ctx, "line.json");
 *	}
 */

/* Keep every command of calls on host arrays, clopt_map among them, with its times; at most the
 * first 100,000.  They are kept until clopt_trace_start is called again or the context is closed.
 * CLOPT_EINVAL without clopt_options.profile. */
CLOPT_API int clopt_trace_start(struct clopt *ctx);
/* Keep no further commands.  Those kept so far stay, for clopt_trace_json. */
CLOPT_API int clopt_trace_stop(struct clopt *ctx);
/* Write the commands to a file as JSON.  The file is written whole or not at all.  CLOPT_EIO if it
 * cannot be written. */
CLOPT_API int clopt_trace_json(struct clopt *ctx, const char *path);

/* ========================================================= Drivers =======
 *
 * Drivers that crash, hang or have bad bugs are left out.  List these drivers, and why:
 *
 *	struct clopt_skipped_driver list[8];
 *	size_t i, n;
 *
 *	for (i = 0; i < 8; i++)
 *		list[i].size = sizeof *list;
 *	rc = clopt_skipped_list(list, 8, &n);
 *	for (i = 0; i < n && i < 8; i++)
 *		printf("%s: %s\n", list[i].name, list[i].reason);
 *
 * The OpenCL loader loads every installed driver into the process, so a driver that crashes or
 * hangs takes the program with it.  `clopt info` and `clopt check` have each driver list its
 * devices in a process of its own, and record the faulty ones.  The library leaves these out, and
 * uses the others.
 *
 * The record is in the cache, in the folder of CLOPT_CACHE_DIR whatever clopt_options.cache_dir is.
 * It holds until a driver changes or the machine restarts.  Leaving a driver out takes a folder
 * that can be written (TMPDIR); without it clopt_open gives CLOPT_EDEVICE.  OCL_ICD_VENDORS names a
 * folder with the .icd files of the drivers that the loader should load.
 */

/* A driver, or a platform or device of one. */
struct clopt_skipped_driver {
	size_t size; /* sizeof(struct clopt_skipped_driver), set by the caller */
	char name[256]; /* the platform's, the device's, or the loader's file for the driver */
	char library[256]; /* of the driver; "" if only the platform is known */
	char reason[512]; /* why it is left out: "crashed (signal 11)", "quirk clover: ..." */
};

/* List the drivers and platforms that clopt_device_list leaves out.  CLOPT_OK also if no device is
 * left. */
CLOPT_API int clopt_skipped_list(struct clopt_skipped_driver *list, size_t max, size_t *count);

/* List the drivers that the OpenCL loader would load, without loading one; reason is "".  None on
 * Windows and macOS. */
CLOPT_API int clopt_driver_list(struct clopt_skipped_driver *list, size_t max, size_t *count);

/*
 * Leave out the drivers whose reason is not "", of a list that clopt_driver_list made.  This
 * replaces the record.  It holds in this process, if that has listed no devices yet, and in later
 * ones of this user.  CLOPT_EIO: the record cannot be written, and holds for this process alone, as
 * with CLOPT_CACHE_DIR=0.  CLOPT_EUNSUPPORTED: on Windows and macOS.
 */
CLOPT_API int clopt_driver_skip(const struct clopt_skipped_driver *list, size_t count);

/*
 * A known bug of a driver, or a limit that OpenCL does not report.  The library avoids it, or does
 * not use the platform.
 */
struct clopt_quirk {
	size_t size; /* sizeof(struct clopt_quirk), set by the caller */
	const char *name; /* for CLOPT_QUIRKS */
	/* Words in the names of platforms, vendors and devices with the bug; NULL: any. */
	const char *platform, *vendor, *device;
	/* Versions of the driver with the bug: from the first, and before the second; NULL: no such
	 * bound.  For a platform that is left out, the platform's own versions. */
	const char *from, *before;
	/* What is not used: traits, "kernels WORD WORD..." (those with one of the words in their
	 * names), "the platform", "more than 65535 groups along y and z", ... */
	char effect[128];
	const char *reason;
	const char *link; /* where others describe it; NULL: seen by the tests of this library */
};

/* List the known quirks.  Needs no device; the texts belong to the library.
 * clopt_device_info.quirks tells which are in force. */
CLOPT_API int clopt_quirk_list(struct clopt_quirk *list, size_t max, size_t *count);

#ifdef __cplusplus
}
#endif

#endif
