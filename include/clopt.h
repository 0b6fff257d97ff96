/* SPDX-License-Identifier: MIT */
/*
 * clopt.h - multiply, transpose and sum over pairs on any OpenCL device.
 *
 * The shortest program:
 *
 *	struct clopt *c;
 *	clopt_open(&c, NULL);                       the best device there is
 *	clopt_matmul(c, m, n, k, a, b, out);        ordinary memory, any size
 *	clopt_close(c);
 *
 * Read on only as far as you need: status, context, routines, pinned memory,
 * calls that go on by themselves, device buffers, your own kernel, what ran and
 * why, tuning, compiled kernels on disk, occupancy, time lines, devices.  Programs with
 * an OpenCL context of their own also include clopt_cl.h.
 *
 * Rules that hold for every function
 *
 * - Sizes are numbers of elements unless the name ends in _bytes.  Zero sizes
 *   are legal.  Matrices are row major.
 * - Arrays belong to the caller.  An input is only read; when a routine has
 *   returned (or, if it was started, been collected), in success or failure,
 *   the library touches none of them again.
 * - A function that returns int returns CLOPT_OK (0) or one of the negative
 *   statuses below.  After a failure clopt_error() has the story in words.
 * - One context may be used from several threads: calls on it run one after
 *   the other.  Different contexts are independent.
 * - OpenCL drivers do not survive fork(): a child of a process that has opened
 *   a context can use neither that nor, with PoCL, a new one.  Fork first.
 * - A struct with a size may be that of an older header than the library's, not
 *   of a newer one (CLOPT_EINVAL).
 * - The library prints nothing (but see CLOPT_VERBOSE; a driver's compiler may),
 *   never exits, installs no handler, and keeps nothing outside its contexts but what
 *   is in the user's cache (see clopt_options.cache_dir): compiled kernels, whether they
 *   were right, which were fastest, which drivers are sound.  clopt_tune alone writes
 *   another file, that of records.
 * - Two runs of a program on one machine give the same bits, unless it asked for a
 *   comparison by timing (tune_seconds, CLOPT_TUNE) or clopt_tune has written a record in
 *   between: variants add up in different orders.
 *
 * Environment, read once by clopt_open; the options win over it, and a value
 * that means nothing is an error there:
 *
 *	CLOPT_DEVICE     which device; see struct clopt_options
 *	CLOPT_VARIANT    kernel variants to force, "matmul/plain,nbody/tile-256"
 *	CLOPT_QUEUES     command queues to spread one call over, 1 to 8
 *	CLOPT_TRANSFER   auto, driver or staged: how arrays reach the device
 *	CLOPT_MEM_LIMIT  device memory that one call may use: 64M, 2G, bytes
 *	CLOPT_SLICE      milliseconds that a command may take; see slice_seconds
 *	CLOPT_TUNE       milliseconds for a first choice; see tune_seconds
 *	CLOPT_TUNING     a file of records; see "Tuning"
 *	CLOPT_CACHE_DIR  folder for compiled kernels; 0: none; see cache_dir
 *	CLOPT_PROBE      seconds that drivers have to list their devices in a child
 *	                 process first; 0: no child is made; see probe_seconds
 *	CLOPT_QUIRKS     driver bugs to take no notice of; 0: all; see clopt_quirks
 *	CLOPT_CHECK      off, first or always: when results are checked; see
 *	                 enum clopt_check
 *	CLOPT_VERBOSE    1: one line on stderr for each call, but for those whose arguments
 *	                 are refused, and each driver left out
 */
#ifndef CLOPT_H
#define CLOPT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CLOPT_VERSION_MAJOR 0
#define CLOPT_VERSION_MINOR 1
#define CLOPT_VERSION_PATCH 0

/* "0.1.0": the version of the library that is linked, which may be another
 * than that of this header. */
const char *clopt_version(void);

/* ========================================================== Status ======= */

/* X(name, number, text).  The numbers lie below every code of OpenCL's own. */
#define CLOPT_STATUS_MAP(X) \
	X(OK, 0, "success") \
	X(EINVAL, -20001, "invalid argument") \
	X(ENOMEM, -20002, "out of memory, on the host or on the device") \
	X(ENODEVICE, -20003, "no such OpenCL device") \
	X(EDEVICE, -20004, "an OpenCL call failed") \
	X(EBUILD, -20005, "a kernel did not build") \
	X(ENOVARIANT, -20006, "no kernel variant can serve this call") \
	X(EUNSUPPORTED, -20007, "the device lacks what this call needs") \
	X(EWRONG, -20008, "a kernel gave a wrong result")

enum clopt_status {
#define CLOPT_STATUS_ENUM(name, number, text) CLOPT_##name = number,
	CLOPT_STATUS_MAP(CLOPT_STATUS_ENUM)
#undef CLOPT_STATUS_ENUM
	CLOPT_STATUS_END = 1 /* not a status */
};

/* A status in a few words.  Never NULL, also for a number that is none. */
const char *clopt_strerror(int status);

struct clopt;
struct clopt_buffer;

/*
 * The last failure on ctx in the calling thread: routine, sizes, device, the
 * OpenCL call and its code by name, a build log where there is one.  With
 * ctx == NULL: the last failure of a call that had no context yet, such as
 * clopt_open.  "" if there was none.  The text is the library's and stays
 * valid until this thread's next failing call: a thread keeps one text, that of
 * its latest failure, and is told "" if that was on another context.
 */
const char *clopt_error(const struct clopt *ctx);

/* ========================================================= Context ======= */

/* Set with CLOPT_OPTIONS_INIT, then change what you want changed.  0 and NULL
 * mean the default everywhere. */
struct clopt_options {
	size_t size; /* sizeof(struct clopt_options), so that it can grow */

	/*
	 * Which device.  NULL: CLOPT_DEVICE, or else the fastest by its
	 * datasheet.  "3": the device of that index in clopt_devices().
	 * "vendor:type:name": each part may be empty; vendor and name match
	 * anywhere in the vendor's or platform's and the device's name,
	 * without regard to case; type is cpu, gpu or accelerator.  A word
	 * without ':' may match any of the three: "gpu", "nvidia", "pocl".
	 */
	const char *device;

	/* Kernel variants to force, as for clopt_use(). */
	const char *variants;

	/* Command queues to spread a call over, 1 to 8; 0: as many as the
	 * device can use, 3 where it has a copy engine for each direction, 2
	 * where it has one.  A call that is not cut uses one. */
	unsigned queues;

	/* Device memory that one call may use at a time; 0: 90 % of what the
	 * device has.  A larger problem goes through in pieces.  Where host and
	 * device share memory a limit also keeps arrays from being used in
	 * place. */
	size_t mem_limit_bytes;

	/* 1: time every command by OpenCL events, for the seconds of struct
	 * clopt_report and for clopt_trace_start.  Off unless asked, since an
	 * event and its time stamps cost a few microseconds a command:
	 * docs/measurements.md. */
	int profile;

	/* 1: print one line on stderr for each call whose arguments were not refused, and
	 * for each driver that is left out. */
	int verbose;

	/* How arrays of the caller reach the device; see enum clopt_transfer. */
	int transfer;

	/* For staging: threads that copy, up to 64, and bytes of pinned memory
	 * each of them fills at a time, up to 64 MiB.  0: measured on the first call that
	 * needs it, and kept for the context. */
	unsigned copy_threads;
	size_t chunk_bytes;

	/* Seconds that one command of a sum over pairs (potential, nbody, leapfrog,
	 * evolve) may keep the device busy, about; a longer one goes to it in slices,
	 * with the same result.  For devices that drive a display, whose system stops a
	 * command after some seconds (2 on Windows) and does not draw meanwhile: 0.1 is
	 * a good value.  No slice has fewer targets than keep all compute units busy.
	 * Until a kernel's speed is known from a call on arrays, slices are shorter.
	 * 0: CLOPT_SLICE, or else no slices. */
	double slice_seconds;

	/* Positive: about how many seconds a call may spend on comparing variants, if its
	 * problem is of a new class and no record names the device for the operation; see
	 * "Tuning".  0.2 is enough for most.  A variant is skipped if building it would exceed
	 * the remaining budget; the first build may overrun once.  A variant replaces the
	 * table's choice only if it wins three timings by 10 %.  The result is kept in the
	 * cache.  If time ran out before all variants were compared, the call searches again
	 * once the budget has doubled.  Small problems and contexts with a memory limit compare
	 * nothing.  0: CLOPT_TUNE, or else no comparison, as with a negative number: the
	 * table's order decides, and the same program gives the same bits in each run. */
	double tune_seconds;

	/* The file of records; NULL: CLOPT_TUNING, or else tuning.txt in libclopt in
	 * XDG_CONFIG_HOME or in .config of HOME; "0": none. */
	const char *tuning;

	/* The folder in which compiled kernels are kept from one process to the next;
	 * it is made when there is something to keep, and processes may share it.  "0":
	 * none.  NULL: CLOPT_CACHE_DIR, or else libclopt in XDG_CACHE_HOME or in
	 * .cache of HOME; none if there is neither.  A folder that is not to be
	 * written or read is no failure: kernels are compiled then. */
	const char *cache_dir;

	/* What may be in it, in bytes: what was used least recently goes first.  0: 256
	 * MiB. */
	size_t cache_bytes;

	/* Positive: before this process touches OpenCL for the first time, a child process
	 * lists the devices of all drivers, for up to so many seconds (30 is enough for a
	 * machine with eight GPUs, which take up to 3 s each to wake).  A driver that crashes
	 * there is left out (clopt_skipped), and the others serve.  A driver that hangs is
	 * left out too if the process has one thread; with more a lock may be the cause.
	 * The verdict is kept in cache_dir until a driver changes or the machine restarts.
	 * Drivers are not tried if all were well before, nor if the process has already
	 * loaded an OpenCL driver, CUDA or ROCm, since its children may hang.
	 * 0: CLOPT_PROBE, or else no child is made, as with a negative number.  Drivers that
	 * `clopt info`, `clopt check` or a program that asked has found sick are left out all
	 * the same. */
	double probe_seconds;

	/* Names of quirks that are not to be minded (clopt_quirks), with commas between;
	 * "0": all of them.  NULL: CLOPT_QUIRKS, or else none. */
	const char *quirks;

	/* When results are checked: enum clopt_check. */
	int check;
};

#define CLOPT_OPTIONS_INIT \
	{ \
		sizeof(struct clopt_options), NULL, NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, \
		        0, 0, NULL, 0 \
	}

/*
 * The same as a function, for languages that have no macros of C: sets *options,
 * whose size is `size` there, to the defaults.  Each of the initialisers below has
 * one too.
 */
void clopt_options_init(struct clopt_options *options, size_t size);

enum clopt_transfer {
	/* In place where host and device share memory and the array lies as the
	 * kernel wants it; straight from pinned memory; else whichever of the
	 * two below was measured to be faster. */
	CLOPT_TRANSFER_AUTO,
	/* By the driver's own copy, whatever the memory. */
	CLOPT_TRANSFER_DRIVER,
	/* Through chunks of pinned memory that threads fill ahead of the device
	 * and empty behind it. */
	CLOPT_TRANSFER_STAGED
};

/*
 * When results are checked, on the host, in double precision.  Compilers and drivers
 * have errors, and a kernel that they get wrong looks like any other.
 *
 * A variant that is found wrong is struck out for this context, like one that does not
 * build: the next one of the table serves, and clopt_explain() says why.  A forced
 * variant is not replaced: then the call fails with CLOPT_EWRONG, as it does where no
 * right result can be had.  CLOPT_VERBOSE prints a line about it.
 */
enum clopt_check {
	CLOPT_CHECK_DEFAULT, /* what CLOPT_CHECK says, or else CLOPT_CHECK_FIRST */
	CLOPT_CHECK_OFF,
	/* Each kernel solves a few small problems of the library's own, before it gets the
	 * caller's data, in whatever form it is called: some milliseconds, and up to 10 MB
	 * on the device that no limit counts.  Results may be off by as much as rounding
	 * makes them in the arithmetic that the variant promises.  The verdict is kept
	 * beside the compiled kernel (cache_dir), so that is once for a driver; or else
	 * once for a context.  One that was wrong is tried again by each context, since it
	 * may have been a bad moment of the machine, and serves after three rounds of other
	 * numbers without an error; clopt_cache_list tells which were wrong. */
	CLOPT_CHECK_FIRST,
	/* That, and the result of each call on arrays, started ones too:
	 *
	 *	products     C x = alpha A (B x) + beta C x, each row of it, for a random x
	 *	             of 1 and -1; each product of a batch; of a triangle each row
	 *	             up to the diagonal, and that the other triangle is as it was
	 *	transposes   each element
	 *	potential,
	 *	nbody        targets, the first and the last among them, computed again: all
	 *	             of up to 65,536 pairs, else so many pairs and 8 of them at least
	 *
	 * with bounds for rounding errors that are all alike too, 4 k units of a product's
	 * |A_i| |B|: the sum of a row hides what is wrong by less than that.  Where an input
	 * is not finite, or the host's sums in double leave the range, rows of products are not
	 * judged; else what is not finite is wrong, unless terms of it are so large that it may
	 * be.  In the others what is not finite is not judged.
	 *
	 * A wrong result is computed again by the next variant, from the same inputs:
	 * where a routine also reads its output (beta, a triangle) a copy of that is kept
	 * for the length of the call.  If a call fails with CLOPT_EWRONG, its output is as
	 * it was if it is read, else undefined.
	 *
	 * All that is done after the call, by as many threads as there are processors, up to
	 * 16, where it is worth starting them.  Of a product it reads A, B and C once: 3 % of
	 * the processor time of a float32 product of 2048 x 2048 x 2048 on a CPU, more where
	 * the device is fast for its host, and as much as the product where that is small.  A
	 * transpose's check takes as much as its transfers, and that of a sum over pairs
	 * those targets at the speed of the host.  Calls on buffers, leapfrog, evolve (see
	 * struct clopt_conserved) and clopt_map are not checked each time. */
	CLOPT_CHECK_ALWAYS
};

/*
 * Open a context on a device.  options may be NULL.  On failure *ctx is NULL
 * and clopt_error(NULL) says why.
 *
 * CLOPT_ENODEVICE: nothing matches (the text names the devices there are), or there
 * is none (the text names the drivers that were left out, and why).
 * CLOPT_EINVAL: an option or an environment variable that means nothing.
 * CLOPT_EDEVICE, CLOPT_ENOMEM.
 */
int clopt_open(struct clopt **ctx, const struct clopt_options *options);

/* Release the context and all it holds, after any call on it in other threads
 * has returned, started calls have been collected, and its buffers, queues and
 * events have been freed.  Memory of clopt_host_alloc goes with it.  NULL is
 * allowed. */
void clopt_close(struct clopt *ctx);

/* ======================================================== Routines =======
 *
 * All take ordinary host memory and any size, and return when the result is in
 * place.  Large problems go through in bands, with the transfers of one band
 * behind the computing of another: rows of C and A, rows of a matrix to be
 * transposed, targets.  What does not fit the device so is cut in the other
 * direction too: columns of C and B, columns of the matrix.  Each element of the
 * result is computed alike however it is cut, to the last bit.  Only where even
 * that is too large are k and the sources cut, and then partial sums are added
 * up in another order.  (The sums of halves stay in float32 then too: such products
 * are computed as products of floats, with 34 MB of the host's memory.)
 *
 * Statuses of all of them: CLOPT_EINVAL (a NULL array of nonzero size, a
 * leading dimension shorter than its row, an array beyond the last address, an
 * output that overlaps an input), CLOPT_ENOMEM, CLOPT_EDEVICE, CLOPT_EBUILD,
 * CLOPT_ENOVARIANT, CLOPT_EWRONG (enum clopt_check); CLOPT_EUNSUPPORTED where
 * double is asked of a device without it.
 */

/* The same numbers as CBLAS: CblasRowMajor, CblasNoTrans and so on may be passed. */
enum clopt_layout {
	CLOPT_ROW_MAJOR = 101, /* C's arrays: a[i][j] is a[i * lda + j] */
	CLOPT_COL_MAJOR = 102 /* Fortran's: a[i + j * lda] */
};
enum clopt_trans {
	CLOPT_NO_TRANS = 111,
	CLOPT_TRANS = 112
};
enum clopt_uplo {
	CLOPT_UPPER = 121,
	CLOPT_LOWER = 122
};

/* C = A B: A is m x k, B is k x n, C is m x n, all row-major and packed (leading
 * dimensions k, n, n).  C may not overlap A or B. */
int clopt_matmul(struct clopt *ctx, size_t m, size_t n, size_t k, const float *a, const float *b,
                 float *c);

/*
 * C = alpha op(A) op(B) + beta C, with CBLAS's arguments.
 *
 * op(A) is m x k: A itself, or (CLOPT_TRANS) the transpose of A, which is then
 * k x m.  op(B) is k x n likewise, C is m x n.  lda, ldb, ldc are the elements
 * from one row of the array to the next, or in CLOPT_COL_MAJOR from one column
 * to the next, and no shorter than those.  What lies between them is neither
 * read nor written.
 *
 * beta == 0: C is not read, so NaN in it does not matter.  alpha == 0 or
 * k == 0: A and B are not read.  The sum over k is in the precision of the
 * arguments or better; its order depends on the variant and the device.  It is
 * multiplied by alpha once, in the end, so only alpha times all of it can overflow;
 * but where memory cuts k, each part is.
 */
int clopt_sgemm(struct clopt *ctx, int layout, int transa, int transb, size_t m, size_t n, size_t k,
                float alpha, const float *a, size_t lda, const float *b, size_t ldb, float beta,
                float *c, size_t ldc);
int clopt_dgemm(struct clopt *ctx, int layout, int transa, int transb, size_t m, size_t n, size_t k,
                double alpha, const double *a, size_t lda, const double *b, size_t ldb, double beta,
                double *c, size_t ldc);

/* What arrays hold; the number is the bytes of an element. */
enum clopt_type {
	CLOPT_HALF = 2, /* IEEE binary16, in uint16_t; sums are in float32, and rounded once */
	CLOPT_FLOAT = 4,
	CLOPT_DOUBLE = 8
};

/* By what operands of a float32 product may be rounded first.  Only variants for
 * matrix units gain from it. */
enum clopt_math {
	/* Not at all: errors are those of float32 arithmetic, or smaller.  On tensor
	 * cores each operand is then the sum of two parts of 11 bits.  Infinities, NaN
	 * and overflow are float32's; an element below 2^-112 loses low bits, which
	 * costs 2^-136 of the other factor at most. */
	CLOPT_MATH_EXACT = 0,
	/* To 11 significant bits: rounded, or what is below cut off, which of one operand may
	 * take 2^-10 of it.  Range kept; infinities and NaN stay what they are. */
	CLOPT_MATH_TF32 = 1,
	CLOPT_MATH_HALF = 2 /* to half, whose range ends at 65504; TF32 too */
};

/*
 * GEMM with all there is: layouts and transposes as for clopt_sgemm, types, many
 * products in one call, one triangle of a symmetric result.
 *
 *	struct clopt_gemm g = CLOPT_GEMM_INIT;
 *
 *	g.m = g.n = g.k = g.lda = g.ldb = g.ldc = 64;
 *	g.batch = 1000;
 *	g.stride_a = g.stride_b = g.stride_c = 64 * 64;
 *	rc = clopt_gemm(ctx, &g, a, b, c);
 */
struct clopt_gemm {
	size_t size; /* sizeof(struct clopt_gemm) */
	int type; /* enum clopt_type, of all three arrays */
	int layout, transa, transb;
	int math; /* enum clopt_math */
	/* 0: all of C.  CLOPT_LOWER or CLOPT_UPPER: only that triangle of it, with
	 * the diagonal, is computed and written; m == n then, else CLOPT_EINVAL. */
	int triangle;
	size_t m, n, k;
	double alpha, beta; /* in float32 for half and float */
	size_t lda, ldb, ldc;
	/* Products of equal shape: C_i = alpha op(A_i) op(B_i) + beta C_i, i <
	 * batch, A_i stride_a elements behind A_(i-1) and so on.  A stride of 0:
	 * one A for all, or one B.  The C_i may not overlap. */
	size_t batch;
	size_t stride_a, stride_b, stride_c;
};

#define CLOPT_GEMM_INIT \
	{ \
		sizeof(struct clopt_gemm), CLOPT_FLOAT, CLOPT_ROW_MAJOR, CLOPT_NO_TRANS, \
		        CLOPT_NO_TRANS, CLOPT_MATH_EXACT, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0 \
	}

void clopt_gemm_init(struct clopt_gemm *g, size_t size);

/* CLOPT_EUNSUPPORTED for double on a device without it. */
int clopt_gemm(struct clopt *ctx, const struct clopt_gemm *g, const void *a, const void *b,
               void *c);

/* The same in plain arguments, for batches ... */
int clopt_gemm_batched(struct clopt *ctx, int type, int layout, int transa, int transb, size_t m,
                       size_t n, size_t k, double alpha, const void *a, size_t lda, size_t stride_a,
                       const void *b, size_t ldb, size_t stride_b, double beta, void *c, size_t ldc,
                       size_t stride_c, size_t batch);

/* ... and for C = alpha A A^T + beta C (CLOPT_NO_TRANS: A is n x k) or alpha A^T A
 * + beta C (CLOPT_TRANS: A is k x n), of which the triangle uplo is written.  Half
 * the work of a product. */
int clopt_syrk(struct clopt *ctx, int type, int layout, int uplo, int trans, size_t n, size_t k,
               double alpha, const void *a, size_t lda, double beta, void *c, size_t ldc);

/*
 * out = the transpose of in.  in has rows x cols elements of elem_bytes (1, 2, 4,
 * 8 or 16), ld_in >= cols from one row to the next; out has cols x rows, ld_out >=
 * rows.  Bits are moved, never looked at.  out may not overlap in.  For arrays in
 * column-major order swap rows and cols, and ld goes from one column to the next.
 */
int clopt_transpose(struct clopt *ctx, size_t rows, size_t cols, size_t elem_bytes, const void *in,
                    size_t ld_in, void *out, size_t ld_out);

/* The same for `batch` matrices of one shape: each begins stride_in elements behind
 * the one before, its transpose stride_out.  The transposes may not overlap.
 * stride_in 0: one matrix, transposed to many places. */
int clopt_transpose_batched(struct clopt *ctx, size_t rows, size_t cols, size_t elem_bytes,
                            const void *in, size_t ld_in, size_t stride_in, void *out,
                            size_t ld_out, size_t stride_out, size_t batch);

/*
 * out = alpha times the transpose of in, what several BLAS libraries call omatcopy.
 * alpha == 1 moves bits, as above.  alpha == 0 makes zeros, whatever in holds.  Else
 * each product is rounded once; a device may take subnormal floats for zeros.
 */
int clopt_stranspose(struct clopt *ctx, size_t rows, size_t cols, float alpha, const float *in,
                     size_t ld_in, float *out, size_t ld_out);
int clopt_dtranspose(struct clopt *ctx, size_t rows, size_t cols, double alpha, const double *in,
                     size_t ld_in, double *out, size_t ld_out);

/*
 * data becomes its own transpose.  If rows == cols, ld >= cols is kept, and so is
 * what lies between the rows.  Else the matrix has no gaps, neither before nor
 * after: ld is cols (CLOPT_EINVAL if not), and then it is cols x rows with rows of
 * `rows` elements.
 *
 * data is written when all else has succeeded: if the call fails, data is as it was.
 * For that it takes as much host memory again while it runs.
 */
int clopt_transpose_inplace(struct clopt *ctx, size_t rows, size_t cols, size_t elem_bytes,
                            void *data, size_t ld);

/*
 * Points in space are four floats each: x, y, z and a weight, which is the
 * charge or the mass of a source and is not read in a target unless an option
 * says so.
 *
 * A source at the place of a target adds nothing to it, whatever the softening.
 * So a target that is also a source does not act on itself, and sources and
 * targets may be one array.
 *
 * Squared distances are float32, unless more precision is asked for.  Choose
 * units in which distances lie between 1.1e-19, below which two points may count
 * as being at one place, and 1.8e19, beyond which a source adds nothing; and
 * accelerations want m / d^3 within float32, which without softening is about
 * d > 1e-12 for m = 1.  NaN in a point or weight gives NaN.
 */

/* How sums over pairs are computed.  The arrays are float32 all the same. */
enum clopt_precision {
	/* float32: within a tile of sources first, tiles second, which is ten
	 * times better than one running sum of 100,000 terms. */
	CLOPT_PRECISION_FLOAT,
	/* Each term is float32, and their sum is compensated: its error does not
	 * grow with the number of sources. */
	CLOPT_PRECISION_COMPENSATED,
	/* Two float32 for each number, about 14 digits, on any device; about 15
	 * times the work.  The sums of Coulomb's law and of gravity, not the constants
	 * of CLOPT_ALPB that are added to them; other laws are CLOPT_EUNSUPPORTED. */
	CLOPT_PRECISION_DOUBLE_SINGLE,
	/* float64, where the device has it; else CLOPT_EUNSUPPORTED. */
	CLOPT_PRECISION_DOUBLE,
	/* The last of them that the device has and the law allows. */
	CLOPT_PRECISION_BEST
};

/* What is between the charges.  d is the distance, K is options.scale. */
enum clopt_mode {
	CLOPT_COULOMB, /* K / eps_in  sum q / d */
	CLOPT_DISTANCE4, /* K / 4  sum q / d^2: a dielectric constant of 4 d */
	CLOPT_DEBYE, /* K / eps_in  sum q exp(-kappa d) / d */
	/* A molecule of eps_in in a solvent of eps_out, with salt if kappa > 0:
	 * the analytical linearized Poisson-Boltzmann formula.  Wants radius, and
	 * with salt or outputs other than CLOPT_PHI, normals. */
	CLOPT_ALPB
};

enum clopt_part {
	CLOPT_TOTAL,
	CLOPT_REACTION, /* less the Coulomb part K / eps_in  sum q / d */
	CLOPT_COULOMB_PART /* that part only */
};

/* What there is for each target, as floats next to each other. */
enum clopt_outputs {
	CLOPT_PHI, /* 1: the potential */
	CLOPT_PHI_NORMAL, /* 2: and the field along the target's normal */
	CLOPT_FIELD_PHI, /* 4: the field's x, y and z, and the potential */
	CLOPT_FIELD /* 4: the field and a 0 */
};

/*
 * Lengths are in one unit of the caller's, charges in another, and scale makes
 * of them what he wants to see: with e and Angstrom, 332.06371 gives kcal/mol/e,
 * 560.46 kT/e at 298.15 K, 14399.6 mV.
 */
struct clopt_potential_options {
	size_t size; /* sizeof(struct clopt_potential_options) */
	double scale; /* K */
	int mode, part, outputs, precision; /* of the enums above */
	double eps_in, eps_out; /* dielectric constants of molecule and solvent */
	double kappa; /* inverse Debye length; clopt_kappa().  0: no salt */
	double radius; /* A, the electrostatic radius: clopt_electrostatic_radius() */
	/* In every mode: a target is a point of a surface with its normal, which
	 * points outward, and what is wanted is wanted at distance p from it along
	 * the normal.  Without normals it has to be 0. */
	double projection; /* p; negative is inside */
	/* From here on, as the radius, for CLOPT_ALPB, but for the normals. */
	double ion_radius; /* b: no ion's centre is nearer to the surface */
	double alpha;
	/* ntargets x 4 floats: nx, ny, nz, and a distance that is added to
	 * projection for this target.  A normal's direction counts, and its length is
	 * taken for 1: three digits of a file are enough.  0, 0, 0 is none.  On buffers
	 * a clopt_buffer. */
	const float *normals;
	const struct clopt_buffer *normals_buffer;
	/* nsources floats, for targets inside: how deep below the surface each
	 * charge lies, 0 to A.  NULL: A / 2 for all of them, as in GEM. */
	const float *depths;
	const struct clopt_buffer *depths_buffer;
	/* The sum of the charges.  NULL: of the sources' weights; on buffers it
	 * has to be given. */
	const double *charge;
	/* 1: as GEM's program computes it, which leaves out a constant inside the
	 * molecule and takes its surface for inside. */
	int gem_compat;
};

#define CLOPT_POTENTIAL_OPTIONS_INIT \
	{ \
		sizeof(struct clopt_potential_options), 1.0, CLOPT_COULOMB, CLOPT_TOTAL, \
		        CLOPT_PHI, CLOPT_PRECISION_FLOAT, 1.0, 80.0, 0.0, 0.0, 0.0, 2.0, 0.571412, \
		        NULL, NULL, NULL, NULL, NULL, 0 \
	}

void clopt_potential_options_init(struct clopt_potential_options *options, size_t size);

/*
 * Potential of charges at points:
 *
 *	phi[i] = K * sum over j of q_j / |x_i - x_j|
 *
 * or what the options ask for.  nsources sources (x, y, z, q), ntargets targets
 * (x, y, z, unread), and 1, 2 or 4 floats for each target as enum clopt_outputs
 * says; the field is minus
 * the gradient.  options NULL: the formula above with K = 1.  A relative error
 * of 1e-6 of the sum of |q_j| / |x_i - x_j| is typical.
 *
 * ALPB, with r = A + p, r' = A + b, Q the sum of charges, beta = eps_in / eps_out,
 * C = 1 / (eps_out (1 + alpha beta)), L = 1 / kappa, and d' the distance from the
 * foot at distance b from the surface:
 *
 *	r >= A:   K C ((1 + alpha) sum q (1/d - 1/(L + d')) - alpha (1 - beta) Q (1/r - 1/(L + r')))
 *	r > r':   K C ((1 + alpha) L sum q exp(-kappa (d - d')) / (d (L + d'))
 *	               - alpha (1 - beta) Q L exp(-kappa (r - r')) / (r (L + r')))
 *	r < A:    K (sum q (1/(eps_in d) - g / sqrt(d^2 + (A^2 - r0^2) (A^2 - r^2) / A^2))
 *	             - g alpha beta Q / A
 *	             - C ((1 + alpha) sum q / (L + d') - alpha (1 - beta) Q / (L + r'))),
 *	          g = (1/eps_in - 1/eps_out) / (1 + alpha beta),  r0 = A - depth
 *
 * without the terms of L if kappa is 0, or so small that no term of 1e-9 comes of
 * it.  All targets of a call lie in one of
 * these regions, that of `projection`.  The field is the gradient for a foot that
 * stays where it is.
 *
 * CLOPT_EINVAL beside the usual: eps or radius not positive where they matter,
 * normals missing, options that together lead beyond float32.
 *
 * Source: Fenley, Gordon, Onufriev, J. Chem. Phys. 129, 075101 (2008); Daga,
 * Scogland, Feng, "Architecture-Aware Optimization on a 1600-core Graphics
 * Processor".
 */
int clopt_potential(struct clopt *ctx, size_t nsources, const float *sources, size_t ntargets,
                    const float *targets, float *phi,
                    const struct clopt_potential_options *options);

/*
 * The electrostatic radius of a molecule of n atoms at atoms (x, y, z, unread)
 * with these radii, in their unit: that of the ball with the same determinant of
 * its moments of inertia, atoms weighted by the cubes of their radii.  One atom
 * has its own radius.  0 if no radius is positive; NaN if one is negative or NaN.
 * Source: Sigalov, Fenley, Onufriev, J. Chem. Phys. 124, 124902 (2006).
 */
double clopt_electrostatic_radius(size_t n, const float *atoms, const float *radii);

/* The inverse Debye length in 1/Angstrom for an ionic strength in mol/l, a
 * dielectric constant and a temperature in kelvin.  NaN, which clopt_potential
 * refuses, if the strength is negative or one of the others not positive. */
double clopt_kappa(double ionic_strength, double eps, double kelvin);

struct clopt_nbody_options {
	size_t size; /* sizeof(struct clopt_nbody_options) */
	double g; /* the gravitational constant, in the caller's units */
	double softening; /* eps below, a length */
	int precision; /* enum clopt_precision */
	/* 1: a target's weight is a softening length of its own; the squares of
	 * the two add up. */
	int target_softening;
	int potential; /* 1: phi is wanted too; 0 leaves its place 0, and is faster */
};

#define CLOPT_NBODY_OPTIONS_INIT \
	{ \
		sizeof(struct clopt_nbody_options), 1.0, 0.0, CLOPT_PRECISION_FLOAT, 0, 0 \
	}

void clopt_nbody_options_init(struct clopt_nbody_options *options, size_t size);

/*
 * Gravity of bodies at points, with Plummer softening:
 *
 *	a_i   =  g * sum over j of m_j (x_j - x_i) / (|x_i - x_j|^2 + eps^2)^(3/2)
 *	phi_i = -g * sum over j of m_j / sqrt(|x_i - x_j|^2 + eps^2)
 *
 * nsources sources (x, y, z, m), ntargets targets (x, y, z, unread); results
 * are four floats for each target: ax, ay, az, phi.  options NULL: g = 1,
 * eps = 0, no phi.  Give bodies that move but do not pull as targets only, and
 * they cost nothing as sources.
 */
int clopt_nbody(struct clopt *ctx, size_t nsources, const float *sources, size_t ntargets,
                const float *targets, float *acc, const struct clopt_nbody_options *options);

/*
 * Move n bodies through steps leapfrog steps (kick, drift, kick) of length dt
 * under their own gravity.  bodies (x, y, z, m) and velocities (vx, vy, vz, and
 * a fourth float that is kept) are updated in place and stay on the device
 * between the steps.  dt may be negative.  All of it has to fit the device:
 * 48 bytes a body.
 */
int clopt_nbody_leapfrog(struct clopt *ctx, size_t n, float *bodies, float *velocities, double dt,
                         size_t steps, const struct clopt_nbody_options *options);

/* ---- Bodies that move under their gravity, in more than float32 ---------- */

enum clopt_integrator {
	CLOPT_KICK_DRIFT_KICK, /* leapfrog: order 2, one evaluation a step */
	CLOPT_HERMITE /* order 4, predict, evaluate with jerk, correct */
};

/* Sums over all bodies, in the caller's units. */
struct clopt_conserved {
	double mass;
	double kinetic, potential; /* the energy is their sum */
	double momentum[3], angular_momentum[3]; /* about the origin */
	double centre[3]; /* of mass */
};

struct clopt_evolve_options {
	size_t size; /* sizeof(struct clopt_evolve_options) */
	double g, softening;
	int integrator; /* enum clopt_integrator */
	/* FLOAT, DOUBLE_SINGLE, DOUBLE or BEST, also of the state between steps. */
	int precision;
	/* `each`, if it is not NULL, is called before the first step (step 0), after
	 * every step whose number is a multiple of `every`, and after the last; with
	 * `every` 0, after the last only.  Bodies and velocities have been brought back
	 * then.  It may look at them and at `sums`, but call nothing on the context.
	 * What it returns, if not 0, ends the run there, which is no failure. */
	size_t every;
	int (*each)(void *user, size_t step, const double *bodies, const double *velocities,
	            const struct clopt_conserved *sums);
	void *user;
};

#define CLOPT_EVOLVE_OPTIONS_INIT \
	{ \
		sizeof(struct clopt_evolve_options), 1.0, 0.0, CLOPT_KICK_DRIFT_KICK, \
		        CLOPT_PRECISION_BEST, 0, NULL, NULL \
	}

void clopt_evolve_options_init(struct clopt_evolve_options *options, size_t size);

/*
 * Move n bodies (x, y, z, m) with velocities (vx, vy, vz, and a fourth number
 * that is kept) through steps of length dt, in place.  The state stays on the
 * device between the steps, where conserved sums are computed too.  dt may be
 * negative.  options NULL: as the initialiser.
 *
 * CLOPT_EINVAL, with the number, for what the precision has no room for or is NaN.
 * In DOUBLE coordinates and velocities go up to 1e153, and masses that are not 0
 * from 2.3e-308 to 1.7e308; in FLOAT and DOUBLE_SINGLE up to 1e18, and from 1.2e-38
 * to 3.4e38.  What leaves that range on the way, m / d^3 of bodies that meet without
 * softening, say, becomes infinite and then NaN, as in any arithmetic.
 *
 * As everywhere bodies at one place add nothing to one another, even with
 * softening: their potential of -g m m' / eps is missing from the sums.
 *
 * Source: Makino, Aarseth, Publ. Astron. Soc. Japan 44, 141 (1992).
 */
int clopt_nbody_evolve(struct clopt *ctx, size_t n, double *bodies, double *velocities, double dt,
                       size_t steps, const struct clopt_evolve_options *options);

/* The sums for bodies as they are: what evolve gives to `each`, with no step made.
 * The same numbers are refused, and bodies at one place add no potential. */
int clopt_nbody_conserved(struct clopt *ctx, size_t n, const double *bodies,
                          const double *velocities, const struct clopt_evolve_options *options,
                          struct clopt_conserved *sums);

/* =================================================== Pinned memory ======= */

enum clopt_memory {
	CLOPT_MEMORY_ORDINARY, /* pinned memory was not to be had; aligned to a page */
	CLOPT_MEMORY_PINNED, /* the device reads and writes it at full speed */
	CLOPT_MEMORY_SHARED /* host and device share it: arrays in it are used in place */
};

/*
 * Host memory that the device reaches fastest, aligned to 4096 bytes and not
 * initialised.  *kind (may be NULL) says which of the above it is.  Routines
 * and buffer transfers recognise any pointer into it.  On failure *memory is
 * NULL.  0 bytes give a pointer that may be freed.
 *
 * Pinning is slow (0.35 ms/MiB on an H200), so freed memory stays pinned for the
 * next call, up to 1 GiB that is idle; clopt_host_trim gives that back.  Memory
 * that is pinned is lost to other programs: take what you need.
 *
 * Source: NVIDIA, OpenCL Best Practices Guide (2011), section 3.1.1.
 */
int clopt_host_alloc(struct clopt *ctx, size_t bytes, void **memory, int *kind);

/* memory: what clopt_host_alloc gave, on the same context, or NULL.
 * CLOPT_EINVAL for any other pointer. */
int clopt_host_free(struct clopt *ctx, void *memory);
int clopt_host_trim(struct clopt *ctx);

/* ================================== Calls that go on by themselves ======= */

/*
 * A routine of the section above that has been started: it runs in a thread of
 * the context's, while the caller goes on.  Calls started on a context run in
 * the order of their start.  The arrays must stay as they are, and the output
 * must not be looked at, until the call is collected.
 *
 * A start that fails leaves *call NULL: CLOPT_ENOMEM for want of memory or a
 * thread, CLOPT_EINVAL for arguments that it can refuse at once.  Most are
 * refused by the call, when it is collected.
 */
struct clopt_call;

int clopt_matmul_start(struct clopt *ctx, size_t m, size_t n, size_t k, const float *a,
                       const float *b, float *c, struct clopt_call **call);
int clopt_sgemm_start(struct clopt *ctx, int layout, int transa, int transb, size_t m, size_t n,
                      size_t k, float alpha, const float *a, size_t lda, const float *b, size_t ldb,
                      float beta, float *c, size_t ldc, struct clopt_call **call);
int clopt_dgemm_start(struct clopt *ctx, int layout, int transa, int transb, size_t m, size_t n,
                      size_t k, double alpha, const double *a, size_t lda, const double *b,
                      size_t ldb, double beta, double *c, size_t ldc, struct clopt_call **call);
int clopt_gemm_start(struct clopt *ctx, const struct clopt_gemm *g, const void *a, const void *b,
                     void *c, struct clopt_call **call);
int clopt_transpose_start(struct clopt *ctx, size_t rows, size_t cols, size_t elem_bytes,
                          const void *in, size_t ld_in, void *out, size_t ld_out,
                          struct clopt_call **call);
int clopt_transpose_batched_start(struct clopt *ctx, size_t rows, size_t cols, size_t elem_bytes,
                                  const void *in, size_t ld_in, size_t stride_in, void *out,
                                  size_t ld_out, size_t stride_out, size_t batch,
                                  struct clopt_call **call);
int clopt_stranspose_start(struct clopt *ctx, size_t rows, size_t cols, float alpha,
                           const float *in, size_t ld_in, float *out, size_t ld_out,
                           struct clopt_call **call);
int clopt_dtranspose_start(struct clopt *ctx, size_t rows, size_t cols, double alpha,
                           const double *in, size_t ld_in, double *out, size_t ld_out,
                           struct clopt_call **call);
int clopt_transpose_inplace_start(struct clopt *ctx, size_t rows, size_t cols, size_t elem_bytes,
                                  void *data, size_t ld, struct clopt_call **call);
int clopt_potential_start(struct clopt *ctx, size_t nsources, const float *sources, size_t ntargets,
                          const float *targets, float *phi,
                          const struct clopt_potential_options *options, struct clopt_call **call);
int clopt_nbody_start(struct clopt *ctx, size_t nsources, const float *sources, size_t ntargets,
                      const float *targets, float *acc, const struct clopt_nbody_options *options,
                      struct clopt_call **call);
int clopt_nbody_leapfrog_start(struct clopt *ctx, size_t n, float *bodies, float *velocities,
                               double dt, size_t steps, const struct clopt_nbody_options *options,
                               struct clopt_call **call);

/* 1 if clopt_collect would not wait. */
int clopt_finished(const struct clopt_call *call);

struct clopt_report;

/*
 * Wait for the call, free it, and return its status; clopt_error() of this
 * thread then has its text.  Exactly once for each start.  report (size set, or
 * NULL) gets how it went.  NULL: CLOPT_EINVAL.
 */
int clopt_collect(struct clopt_call *call, struct clopt_report *report);

/* ================================================== Device buffers =======
 *
 * For results that are used again on the device.  Commands on buffers return
 * when they are queued, take events to wait for, and give one for their end:
 *
 *	clopt_buffer_new(c, bytes, &a);  ...
 *	clopt_buffer_write(a, 0, bytes, host, NULL);
 *	clopt_sgemm_buffers(c, ..., a, lda, b, ldb, 0, d, ldd, NULL);
 *	clopt_buffer_read(d, 0, bytes, result, NULL);
 *	clopt_finish(c);
 *
 * Nothing here is cut into bands: buffers lie on the device whole.  When a
 * queued command fails later on, its event says so, and clopt_finish.
 */

struct clopt_buffer;
struct clopt_queue;
struct clopt_event;

/* Where a command goes, and what it waits for.  Everywhere below NULL means: to
 * the context's own queue, behind what is there.  Commands of one queue run in
 * their order; between queues only events order them. */
struct clopt_order {
	size_t size; /* sizeof(struct clopt_order) */
	struct clopt_queue *queue; /* NULL: the context's own */
	size_t nwait;
	struct clopt_event *const *wait; /* nwait events, of this context */
	/* If not NULL, gets the event of the last command, to be freed. */
	struct clopt_event **event;
};

#define CLOPT_ORDER_INIT \
	{ \
		sizeof(struct clopt_order), NULL, 0, NULL, NULL \
	}

void clopt_order_init(struct clopt_order *order, size_t size);

/* Device memory, not initialised.  CLOPT_ENOMEM if the device has not that much
 * in one piece; drivers may notice only when it is used.  0 bytes are allowed. */
int clopt_buffer_new(struct clopt *ctx, size_t bytes, struct clopt_buffer **buffer);

/* Part of a buffer, which stays alive with it.  offset_bytes is a multiple of
 * clopt_device_info.buffer_align, else CLOPT_EINVAL. */
int clopt_buffer_sub(struct clopt_buffer *of, size_t offset_bytes, size_t bytes,
                     struct clopt_buffer **buffer);

/* After the commands that use it were queued; they may still run.  NULL is allowed. */
void clopt_buffer_free(struct clopt_buffer *buffer);
size_t clopt_buffer_bytes(const struct clopt_buffer *buffer);

/*
 * To and from host memory.  Pinned memory (clopt_host_alloc) is the command's
 * until its event: do not touch it before.  With ordinary memory they return
 * when it may be used again.
 */
int clopt_buffer_write(struct clopt_buffer *buffer, size_t offset_bytes, size_t bytes,
                       const void *from, const struct clopt_order *order);
int clopt_buffer_read(const struct clopt_buffer *buffer, size_t offset_bytes, size_t bytes,
                      void *to, const struct clopt_order *order);
/* The two ranges may not overlap; the buffers may, as parts of one. */
int clopt_buffer_copy(const struct clopt_buffer *from, size_t from_offset_bytes,
                      struct clopt_buffer *to, size_t to_offset_bytes, size_t bytes,
                      const struct clopt_order *order);

/* The same for rows of row_bytes each: pitches are from one row to the next, of
 * the buffer and of host memory, and no shorter than a row. */
int clopt_buffer_write_rect(struct clopt_buffer *buffer, size_t offset_bytes, size_t pitch_bytes,
                            size_t rows, size_t row_bytes, const void *from,
                            size_t from_pitch_bytes, const struct clopt_order *order);
int clopt_buffer_read_rect(const struct clopt_buffer *buffer, size_t offset_bytes,
                           size_t pitch_bytes, size_t rows, size_t row_bytes, void *to,
                           size_t to_pitch_bytes, const struct clopt_order *order);
int clopt_buffer_copy_rect(const struct clopt_buffer *from, size_t from_offset_bytes,
                           size_t from_pitch_bytes, struct clopt_buffer *to, size_t to_offset_bytes,
                           size_t to_pitch_bytes, size_t rows, size_t row_bytes,
                           const struct clopt_order *order);

/* The routines, with the arrays in buffers of the same context.  Rules and
 * statuses as above; an array that ends beyond its buffer is CLOPT_EINVAL.
 *
 * What a kernel does that writes one of two parts that overlap, or a buffer of
 * which it reads a part, is undefined in OpenCL, even where the arrays in them do
 * not overlap: CLOPT_EINVAL.  Parts that are only read may overlap. */
int clopt_matmul_buffers(struct clopt *ctx, size_t m, size_t n, size_t k,
                         const struct clopt_buffer *a, const struct clopt_buffer *b,
                         struct clopt_buffer *c, const struct clopt_order *order);
int clopt_sgemm_buffers(struct clopt *ctx, int layout, int transa, int transb, size_t m, size_t n,
                        size_t k, float alpha, const struct clopt_buffer *a, size_t lda,
                        const struct clopt_buffer *b, size_t ldb, float beta,
                        struct clopt_buffer *c, size_t ldc, const struct clopt_order *order);
int clopt_dgemm_buffers(struct clopt *ctx, int layout, int transa, int transb, size_t m, size_t n,
                        size_t k, double alpha, const struct clopt_buffer *a, size_t lda,
                        const struct clopt_buffer *b, size_t ldb, double beta,
                        struct clopt_buffer *c, size_t ldc, const struct clopt_order *order);
int clopt_gemm_buffers(struct clopt *ctx, const struct clopt_gemm *g, const struct clopt_buffer *a,
                       const struct clopt_buffer *b, struct clopt_buffer *c,
                       const struct clopt_order *order);
int clopt_transpose_buffers(struct clopt *ctx, size_t rows, size_t cols, size_t elem_bytes,
                            const struct clopt_buffer *in, size_t ld_in, struct clopt_buffer *out,
                            size_t ld_out, const struct clopt_order *order);
int clopt_transpose_batched_buffers(struct clopt *ctx, size_t rows, size_t cols, size_t elem_bytes,
                                    const struct clopt_buffer *in, size_t ld_in, size_t stride_in,
                                    struct clopt_buffer *out, size_t ld_out, size_t stride_out,
                                    size_t batch, const struct clopt_order *order);
int clopt_stranspose_buffers(struct clopt *ctx, size_t rows, size_t cols, float alpha,
                             const struct clopt_buffer *in, size_t ld_in, struct clopt_buffer *out,
                             size_t ld_out, const struct clopt_order *order);
int clopt_dtranspose_buffers(struct clopt *ctx, size_t rows, size_t cols, double alpha,
                             const struct clopt_buffer *in, size_t ld_in, struct clopt_buffer *out,
                             size_t ld_out, const struct clopt_order *order);
/* Takes as much device memory again, until its last command has run.  The one command
 * that writes data comes last: if the call fails, data is as it was or, if all was
 * queued, whole. */
int clopt_transpose_inplace_buffers(struct clopt *ctx, size_t rows, size_t cols, size_t elem_bytes,
                                    struct clopt_buffer *data, size_t ld,
                                    const struct clopt_order *order);
int clopt_potential_buffers(struct clopt *ctx, size_t nsources, const struct clopt_buffer *sources,
                            size_t ntargets, const struct clopt_buffer *targets,
                            struct clopt_buffer *phi, const struct clopt_potential_options *options,
                            const struct clopt_order *order);
int clopt_nbody_buffers(struct clopt *ctx, size_t nsources, const struct clopt_buffer *sources,
                        size_t ntargets, const struct clopt_buffer *targets,
                        struct clopt_buffer *acc, const struct clopt_nbody_options *options,
                        const struct clopt_order *order);
int clopt_nbody_leapfrog_buffers(struct clopt *ctx, size_t n, struct clopt_buffer *bodies,
                                 struct clopt_buffer *velocities, double dt, size_t steps,
                                 const struct clopt_nbody_options *options,
                                 const struct clopt_order *order);

/* A queue more, on the same device. */
int clopt_queue_new(struct clopt *ctx, struct clopt_queue **queue);
void clopt_queue_free(struct clopt_queue *queue);

/* Wait for all commands of a queue (NULL: of ctx's own), or of all of them. */
int clopt_queue_finish(struct clopt *ctx, struct clopt_queue *queue);
int clopt_finish(struct clopt *ctx);

/* Wait for one event.  A command that failed gives CLOPT_EDEVICE. */
int clopt_event_wait(struct clopt_event *event);

/* How long the command ran on the device: CLOPT_EINVAL without
 * clopt_options.profile.  Waits for it.  For a routine of several commands, the
 * last of them. */
int clopt_event_seconds(struct clopt_event *event, double *seconds);
void clopt_event_free(struct clopt_event *event);

/*
 * Host time for timing commands: waits until all queues of ctx are empty, then
 * reads the host's monotonic clock.  A host timer without that measures how
 * fast commands are queued; events (clopt_event_seconds, clopt_report) measure
 * the device alone and disturb less.
 *
 * Source: NVIDIA, OpenCL Best Practices Guide (2011), section 2.1.
 */
int clopt_time(struct clopt *ctx, double *seconds);

/* =================================================== Your own kernel =====
 *
 * clopt_map runs a kernel of yours over arrays of any size, in bands, with the
 * same overlap, staging and report as the library's own:
 *
 *	__kernel void hypot2(ulong n, __global const float *x, __global float *y)
 *	{
 *		size_t i = get_global_id(0);
 *		if (i < n)
 *			y[i] = hypot(x[i], 2.0f);
 *	}
 *
 *	struct clopt_arg args[] = {
 *		{ CLOPT_ARG_COUNT, NULL, 0 },
 *		{ CLOPT_ARG_IN, x, sizeof *x },
 *		{ CLOPT_ARG_OUT, y, sizeof *y },
 *	};
 *	struct clopt_map map = CLOPT_MAP_INIT;
 *
 *	map.source = source;
 *	map.name = "hypot2";
 *	map.items = 100000000000;
 *	map.args = args;
 *	map.nargs = 3;
 *	clopt_map(c, &map);
 */

enum clopt_arg_kind {
	CLOPT_ARG_IN = 1, /* a banded array: data has items elements of bytes each */
	CLOPT_ARG_OUT,
	CLOPT_ARG_INOUT,
	CLOPT_ARG_SHARED, /* every band gets all of it: data of bytes, only read */
	CLOPT_ARG_VALUE, /* a value: bytes from data */
	CLOPT_ARG_LOCAL, /* local memory: bytes for each group, data NULL */
	CLOPT_ARG_COUNT, /* ulong: how many items this band has; data NULL, bytes 0 */
	CLOPT_ARG_FIRST /* ulong: the index of its first; data NULL, bytes 0 */
};

/* An argument of the kernel. */
struct clopt_arg {
	int kind;
	void *data;
	size_t bytes;
};

struct clopt_map {
	size_t size; /* sizeof(struct clopt_map) */
	const char *source; /* OpenCL C; built once for a context and kept */
	const char *name; /* of the kernel in it */
	const char *build_options; /* for the compiler; NULL: none */
	size_t items; /* elements of the banded arrays */
	size_t items_per_group; /* work-items in a group; 0: the driver chooses */
	/* Items that a work-item handles: a band of count items is run by
	 * count / items_per_work_item work-items, rounded up, and up to whole
	 * groups.  0: 1. */
	size_t items_per_work_item;
	size_t granule; /* bands are multiples of it, but for the last; 0: 1 */
	const struct clopt_arg *args; /* in the kernel's order */
	size_t nargs;
};

#define CLOPT_MAP_INIT \
	{ \
		sizeof(struct clopt_map), NULL, NULL, NULL, 0, 0, 0, 0, NULL, 0 \
	}

void clopt_map_init(struct clopt_map *map, size_t size);

/*
 * In each band the arrays start at the band's first item.  A kernel that is
 * given whole groups (items_per_group) must look at the count.  Writing outside
 * the items of a band is undefined.  At most 16 arrays; banded arrays may not
 * overlap one another unless both are only read.
 *
 * CLOPT_EBUILD: the source does not compile; the text has the compiler's log.
 * CLOPT_EINVAL, CLOPT_ENOMEM, CLOPT_EDEVICE as everywhere.
 */
int clopt_map(struct clopt *ctx, const struct clopt_map *map);

/* ============================================== What ran, and why ======== */

/* What the library has kernels for.  CLOPT_LEAPFROG is the kick and drift that
 * clopt_nbody_leapfrog puts between two CLOPT_NBODY. */
enum clopt_op {
	CLOPT_MATMUL,
	CLOPT_TRANSPOSE,
	CLOPT_POTENTIAL,
	CLOPT_NBODY,
	CLOPT_LEAPFROG,
	/* The parts of clopt_nbody_evolve: what bodies feel, the end of one step and
	 * the beginning of the next, conserved sums. */
	CLOPT_EVOLVE_FORCE,
	CLOPT_EVOLVE_STEP,
	CLOPT_EVOLVE_SUMS,
	CLOPT_OPS /* how many there are */
};

/* "matmul", "transpose", ...; NULL for a number that is none. */
const char *clopt_op_name(int op);

/*
 * A problem to ask about, as its routine would be called:
 *
 *	CLOPT_MATMUL      dim = m, n, k     elem_bytes 2, 4 or 8
 *	                  layout, transa, transb, math, triangle, batch
 *	CLOPT_TRANSPOSE   dim = rows, cols  elem_bytes 1 to 16  scaled, batch, uneven
 *	CLOPT_POTENTIAL,
 *	CLOPT_NBODY       dim = nsources, ntargets
 *	CLOPT_LEAPFROG    dim = bodies
 *	CLOPT_EVOLVE_FORCE, CLOPT_EVOLVE_STEP, CLOPT_EVOLVE_SUMS
 *	                  dim = bodies      precision of struct clopt_evolve_options
 *	                  outputs 1 for CLOPT_HERMITE; 2 more with the potential
 */
struct clopt_problem {
	size_t size; /* sizeof(struct clopt_problem) */
	int op; /* enum clopt_op */
	size_t dim[3];
	size_t elem_bytes; /* 0: 4 */
	int transa, transb; /* 0: CLOPT_NO_TRANS */
	/* Of the pair operations: */
	int law; /* enum clopt_law */
	int outputs; /* enum clopt_outputs; CLOPT_NBODY: CLOPT_FIELD if 0 */
	int precision; /* enum clopt_precision */
	int normals, depths; /* 1: there is such an array */
	/* Of CLOPT_MATMUL: */
	int layout, math, triangle; /* as in struct clopt_gemm; layout 0: CLOPT_ROW_MAJOR */
	size_t batch; /* 0: 1; of CLOPT_TRANSPOSE too */
	int scaled; /* CLOPT_TRANSPOSE: 1 for a factor other than 1; elem_bytes 4 or 8 */
	size_t steps; /* of bodies that move, for clopt_plan; 0: 1 */
	/* CLOPT_TRANSPOSE on buffers, and of batches: 1 if rows or matrices begin where they
	 * happen to, that is, leading dimensions or strides are no multiples of 16 bytes.
	 * Other variants are best then.  The routines see for themselves. */
	int uneven;
};

#define CLOPT_PROBLEM_INIT \
	{ \
		sizeof(struct clopt_problem), 0, { 0, 0, 0 }, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, \
		        0, 0, 0 \
	}

void clopt_problem_init(struct clopt_problem *problem, size_t size);

/* What one pair adds, and so which kernel it takes.  ALPB without salt is a
 * Coulomb sum; what does not change from source to source is taken out. */
enum clopt_law {
	CLOPT_LAW_DEFAULT, /* COULOMB or GRAVITY */
	CLOPT_LAW_COULOMB,
	CLOPT_LAW_DISTANCE4,
	CLOPT_LAW_DEBYE,
	CLOPT_LAW_ALPB_SALT, /* between the surface and the ions */
	CLOPT_LAW_ALPB_FAR, /* among the ions */
	CLOPT_LAW_ALPB_INSIDE,
	CLOPT_LAW_ALPB_INSIDE_SALT,
	CLOPT_LAW_GRAVITY,
	CLOPT_LAW_GRAVITY_OWN, /* targets with softening lengths of their own */
	CLOPT_LAWS /* how many there are */
};

/* "coulomb", "alpb-salt", ...; NULL for a number that is none. */
const char *clopt_law_name(int law);
/* Useful operations of one pair, by the convention that a multiply-add is two and
 * a root, reciprocal or exponential one. */
unsigned clopt_law_flops(int law, int outputs);

/*
 * Write into text (size bytes, always terminated, cut if too short) which
 * variant serves this problem on this device, and for each variant above it in
 * the table why it does not; of the one that serves its geometry, and how clopt_plan
 * would have the call go, dry.  Builds and checks the kernel if that was not done yet,
 * since a variant that does not build, or is wrong, is passed over.  CLOPT_ENOVARIANT, CLOPT_ENOMEM
 * or CLOPT_EUNSUPPORTED if none serves; the text then still says why.  CLOPT_EINVAL: the
 * problem, or no room for a text.
 */
int clopt_explain(struct clopt *ctx, const struct clopt_problem *problem, char *text, size_t size);

/* The name of the variant that would serve the problem; NULL if none would. */
const char *clopt_choice(struct clopt *ctx, const struct clopt_problem *problem);

/*
 * Force variants: a list of names with commas between, one at most for each
 * operation; NULL or "" lifts all forcing.  A forced variant that cannot serve a
 * call makes it fail with CLOPT_ENOVARIANT, CLOPT_EBUILD, CLOPT_EWRONG or CLOPT_ENOMEM;
 * another never takes its place.  CLOPT_EINVAL for a name that is not in the table.
 */
int clopt_use(struct clopt *ctx, const char *names);

/* The table of variants, in order of preference within each operation.  Needs
 * no device.  NULL and -1 past its end. */
const char *clopt_variant_name(size_t i);
int clopt_variant_op(size_t i);

/*
 * 1 if variant i can serve the problem here (whether or not it would be
 * chosen), else 0, with the reason in why (size bytes; may be NULL with size
 * 0).  problem NULL: some problem of its operation.  Builds nothing, so a
 * variant that has not been built yet may still turn out not to build.
 */
int clopt_variant_runs(struct clopt *ctx, size_t i, const struct clopt_problem *problem, char *why,
                       size_t size);

/*
 * How a call went.  The seconds of the device are by events, so they are 0
 * without clopt_options.profile.
 *
 * What there is to gain by overlap lies between serial_seconds, everything after
 * everything else, and bound_seconds, the busiest of the engines alone: the
 * larger of transfers up, kernels, and transfers down where the device has a
 * copy engine for each direction; of transfers and kernels where it has one.
 */
struct clopt_report {
	size_t size; /* sizeof(struct clopt_report), set by the caller */
	const char *variant; /* NULL if no kernel had to run */
	size_t bands; /* pieces the call was cut into */
	size_t queues; /* queues they were spread over */
	size_t up_bytes, down_bytes; /* transferred to and from the device */
	double seconds; /* of the whole call, by the host's clock */
	double kernel_seconds; /* in which at least one kernel ran */
	double up_seconds, down_seconds; /* ... or something went up, or down */
	double device_seconds; /* from the first command's start to the last one's end */
	double serial_seconds; /* kernels and transfers, one after the other */
	double bound_seconds; /* see above */
	double hidden; /* share of serial - bound that was hidden, 0 to 1 */
	/* 0: several bands and queues, profiled, but the driver did one command after
	 * the other.  Else 1, also where gaps between commands took what was gained. */
	int overlapped;
	size_t sum_parts; /* pieces that k, or the sources, were cut into; 1 for none */
	size_t in_place_bytes; /* of arrays that were used in place */
	size_t staged_bytes; /* of the transfers, what went through staging */
	/* Kernels that the context did not have yet: found in the cache, or compiled,
	 * and of those the ones that are in the cache now. */
	size_t kernels_loaded, kernels_compiled, kernels_saved;
};

#define CLOPT_REPORT_INIT \
	{ \
		sizeof(struct clopt_report), NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, \
		        0, 0, 0 \
	}

void clopt_report_init(struct clopt_report *report, size_t size);

/* How the last routine or map on this context went, also one on buffers (seconds
 * is then how long it took to queue) and one that failed. */
int clopt_last_report(struct clopt *ctx, struct clopt_report *report);

/*
 * Plan before paying: what a call would take.
 *
 *	struct clopt_problem p = CLOPT_PROBLEM_INIT;
 *	struct clopt_plan plan = CLOPT_PLAN_INIT;
 *
 *	p.op = CLOPT_MATMUL;
 *	p.dim[0] = p.dim[1] = p.dim[2] = 20000;
 *	if (clopt_plan(ctx, &p, &plan) != CLOPT_OK)
 *		fprintf(stderr, "%s\n", clopt_error(ctx));
 *	else if (!plan.fits)
 *		printf("%zu bytes are needed: %s\n", plan.needed_bytes, plan.reason);
 *	else
 *		printf("%s, %g s, %zu bytes\n", plan.variant, plan.seconds, plan.device_bytes);
 */
struct clopt_plan {
	size_t size; /* sizeof(struct clopt_plan), set by the caller */
	/* Set by the caller.  1: nothing is run or moved, and what is not known from
	 * earlier calls stays unknown; kernels are built all the same. */
	int dry;

	const char *variant; /* what would run; NULL: there would be nothing to compute */
	int fits; /* 0: the device has too little memory, however the call is cut */
	size_t needed_bytes; /* then: what it would have to give; SIZE_MAX: or more */
	char reason[256]; /* then: that in words.  "" if it fits */

	/* As in struct clopt_report. */
	size_t bands, queues, sum_parts;
	size_t up_bytes, down_bytes, in_place_bytes, staged_bytes;

	size_t device_bytes; /* of the device's memory, at a time */
	size_t pinned_bytes; /* of pinned memory that staging keeps, as long as the context */

	/* All transfers up, kernels, transfers down; and all of it, with what goes on at
	 * the same time.  0: not known, or nothing. */
	double up_seconds, kernel_seconds, down_seconds, seconds;
	int pace; /* enum clopt_pace: where kernel_seconds is from */

	/* The arrays in the host's memory, and how much of that this machine has (0: not
	 * known).  The device does not mind if they are more, but then they have to be in
	 * files (mmap), or do not come to be. */
	size_t array_bytes, host_bytes;
};

#define CLOPT_PLAN_INIT \
	{ \
		sizeof(struct clopt_plan), 0, NULL, 0, 0, "", 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, \
		        0, 0, 0, 0 \
	}

void clopt_plan_init(struct clopt_plan *plan, size_t size);

enum clopt_pace {
	CLOPT_PACE_UNKNOWN,
	CLOPT_PACE_CALL, /* an earlier call, of about this size or a longer one */
	CLOPT_PACE_TRIAL /* a smaller problem that clopt_plan ran */
};

/*
 * What the routine would do with the problem, on ordinary arrays without gaps, as
 * malloc gives them, beta 0, and a kernel that is compiled.  CLOPT_LEAPFROG and
 * CLOPT_EVOLVE_FORCE stand for clopt_nbody_leapfrog and clopt_nbody_evolve (without
 * `each`) of p.steps steps; other parts of evolve are CLOPT_EUNSUPPORTED.
 *
 * The cutting and the bytes are the call's own, unless what it knows changes in
 * between: after a call kernels are known better.  Times are an estimate.  Unless
 * plan->dry, what is not known yet is measured, and kept for the calls of the context:
 * which variant is best, as by the first call (tune_seconds); how fast bytes move, as by
 * the first large one, where any have to; and how fast the kernel is,
 * on arrays of up to 32 MiB that the device gets for it, for a few hundredths of a second.
 *
 * A problem that does not fit is a success with fits == 0.  CLOPT_ENOVARIANT,
 * CLOPT_EUNSUPPORTED, CLOPT_EINVAL, CLOPT_EBUILD: as the call would fail; CLOPT_ENOMEM,
 * CLOPT_EDEVICE: so did the asking.  Leaves clopt_last_report alone.
 */
int clopt_plan(struct clopt *ctx, const struct clopt_problem *problem, struct clopt_plan *plan);

/* ========================================================== Tuning =======
 *
 * Which variant serves a problem best on a device is found by timing them.  What was
 * found is a record, one line of text:
 *
 *	NVIDIA H200; 580.159.04; matmul float32 NN 1024x1024x1024; matmul/wgmma-128x64; 6.4e+13
 *
 * that is: the device's name, or + and traits that a device has to have
 * ("+cpu,simd-512"); its driver's version, or * for any; the class of the problem; the
 * variant; what it does in a second, terms of sums or elements moved.  Problems are of
 * one class if they are of one kind and the nearest powers of two to their sizes are
 * the same; those are in its name.  Lines that begin with # are comments, and lines
 * that mean nothing to this library are passed over; of several records for a class
 * the last holds.
 *
 * A record is taken before the order of the table: one of the user's file first
 * (clopt_options.tuning), then one that came with the library.  To merge files, append
 * one to the other; to ship one, copy it.
 *
 * A variant's name may be followed by settings of its parameters, all that tuning
 * tries: "matmul/reg-64x64x32:TK=16:wg=8x8:out=64x32".  clopt_use takes such names too.
 */

/* How tuning goes on; told after each kernel that was built and timed. */
struct clopt_tune_step {
	size_t size; /* sizeof(struct clopt_tune_step), set by the library */
	const char *variant; /* the one just timed */
	double seconds; /* that it took; 0: it cannot be built or fails here */
	const char *best; /* so far */
	double best_seconds;
	size_t tried; /* kernels */
	double spent_seconds, budget_seconds;
};

struct clopt_tune_options {
	size_t size; /* sizeof(struct clopt_tune_options) */
	double budget_seconds; /* about, compiling included; 0: 20 */
	/* 1: only rows as they stand in the table, no settings of their parameters. */
	int rows_only;
	/* 1: the record is told and used in this context, but not written. */
	int dry;
	/* Called from within clopt_tune, which holds the context: it must call nothing with
	 * that.  Nonzero ends tuning, with the best so far.  NULL: nobody. */
	int (*progress)(void *user, const struct clopt_tune_step *step);
	void *user;
};

#define CLOPT_TUNE_OPTIONS_INIT \
	{ \
		sizeof(struct clopt_tune_options), 0, 0, 0, NULL, NULL \
	}

void clopt_tune_options_init(struct clopt_tune_options *options, size_t size);

/*
 * Time the variants that can serve the problem, on device memory of its size (what does
 * not fit is halved until it does), and record the best.  Rows for this kind of device
 * come first, then settings of their parameters, sampled over all combinations, since
 * what is good alone need not be together; the slower half goes after each round, and
 * the neighbours of what stays are tried.  The table's own choice keeps its place unless
 * another is 2 % faster.
 *
 * record (size bytes, may be NULL with size 0): the line.  options NULL: the defaults.
 * Takes the device for the length of the budget.  CLOPT_EINVAL: arguments, a forced
 * variant, or a file that cannot be written: if that is so before the search, there is none;
 * if only after it, the record still holds in this context; CLOPT_ENOVARIANT, CLOPT_EUNSUPPORTED, CLOPT_ENOMEM, CLOPT_EDEVICE.
 */
int clopt_tune(struct clopt *ctx, const struct clopt_problem *problem,
               const struct clopt_tune_options *options, char *record, size_t size);

/*
 * How long a variant's kernel takes for the problem, on device memory of its size with
 * numbers from a half to one: the median of as many launches as fit into `window`
 * seconds, one at the least, after one or two that do not count.  variant NULL: the one
 * that would serve.  What does not fit the device in one piece is CLOPT_ENOMEM.
 * CLOPT_EINVAL, CLOPT_ENOVARIANT, CLOPT_EBUILD, CLOPT_EDEVICE as elsewhere.
 */
int clopt_time_variant(struct clopt *ctx, const struct clopt_problem *problem, const char *variant,
                       double window, double *seconds);

/* The records that hold for this device, the user's first, as lines of text: into text
 * (size bytes, always terminated, cut if too short).  Returns how many. */
size_t clopt_tuning(struct clopt *ctx, char *text, size_t size);

/* The class of a problem, as a record names it.  CLOPT_EINVAL: it is none of CLOPT_MATMUL,
 * CLOPT_TRANSPOSE, CLOPT_POTENTIAL and CLOPT_NBODY, which alone are tuned. */
int clopt_problem_class(struct clopt *ctx, const struct clopt_problem *problem, char *text,
                        size_t size);

/* ==================================== Compiled kernels on disk ===========
 *
 * Compiling takes a second or so a kernel, loading what was compiled some
 * milliseconds.  So compiled kernels, also those of clopt_map, are kept in a folder
 * (clopt_options.cache_dir) for the next process, under all that they depend on:
 * source, options, device, driver, platform, and the version of this library.
 * What a source includes is not known, so one of clopt_map with that word is not kept.
 * Files are written aside and renamed, and believed only if every bit of them is
 * right, so processes may share a folder, and be killed at any time.
 *
 *	clopt_warm(c, &problem);                at installation, or at the start
 *
 * A driver may compile once more for how a kernel is run (PoCL does).  There a
 * kernel is kept when a call on arrays, or clopt_finish, has ended; and a run of
 * another kind than the first, of more than 65535 work-items where that had fewer,
 * is compiled in each process that needs it.
 */

/*
 * Have the kernel ready that a call for this problem takes, from the cache or by the
 * compiler, so that no call waits for it.  The sizes matter where they decide which
 * variant serves.  Statuses as clopt_explain; CLOPT_EDEVICE.  clopt_last_report tells
 * what was loaded and compiled.
 */
int clopt_warm(struct clopt *ctx, const struct clopt_problem *problem);

/* One thing that is kept. */
struct clopt_cached {
	size_t size; /* sizeof(struct clopt_cached), set by the caller */
	char kind[16]; /* "program", ... */
	/* "matmul/packed-8x2 on NAME OF DEVICE"; "" for a file that is not as it was
	 * written, which counts as none. */
	char what[256];
	uint64_t bytes; /* of its file */
	int64_t used; /* when it was used last, or else made: seconds since 1970 */
	/* How a kernel was wrong at its first use (CLOPT_CHECK_FIRST), and with which driver:
	 * "VENDOR, driver 1.2, OpenCL 3.0".  Else "". */
	char wrong[384], driver[256];
};

/*
 * Fill list with up to max things that are kept where a context with these options
 * (NULL: defaults) would look for them, the latest used first, and set *count to how
 * many there are.  Set list[i].size first.  No device is needed, and a folder that is
 * not there has nothing in it.  CLOPT_ENOMEM; CLOPT_EINVAL as clopt_open.
 */
int clopt_cache_list(const struct clopt_options *options, struct clopt_cached *list, size_t max,
                     size_t *count);

/* Remove all of that, and no other file.  CLOPT_EUNSUPPORTED if some of it cannot be
 * removed; CLOPT_EINVAL as clopt_open. */
int clopt_cache_clear(const struct clopt_options *options);

/* The folder into text (size bytes, always terminated); "" if nothing is kept. */
int clopt_cache_folder(const struct clopt_options *options, char *text, size_t size);
/* ======================================================= Occupancy =======
 *
 * How many waves of a kernel (NVIDIA's warps, AMD's wavefronts) a compute unit holds
 * at a time, and what keeps it from holding more.  While some wait for memory, others
 * compute; beyond half of the most there are it seldom pays to have more of them.
 *
 *	struct clopt_resources use = CLOPT_RESOURCES_INIT;
 *	struct clopt_occupancy o = CLOPT_OCCUPANCY_INIT;
 *
 *	use.registers = 40;
 *	if (clopt_occupancy("sm_90", &use, &o) == CLOPT_OK)
 *		printf("%u of %u waves, limited by %s\n", o.waves, o.most_waves,
 *		       clopt_limit_name(o.limit));
 *
 * It is arithmetic on the vendors' published tables, which needs no device; any thread
 * may do it at any time.  An architecture goes by the name that its compiler has for it,
 * "sm_90" for NVIDIA's compute capability 9.0, "gfx90a" or "gfx1100" for AMD's targets;
 * AMD's before those go by family or chip: "terascale2", "cypress".  On RDNA a "compute
 * unit" is a work-group processor, which is what a group runs on there.
 */

/* What a kernel asks for. */
struct clopt_resources {
	size_t size; /* sizeof(struct clopt_resources) */
	/* Of a work-item; of 32 bits each, on TeraScale of 128.  0: not known, and taken
	 * not to limit. */
	unsigned registers;
	unsigned scalar_registers; /* of a wave, on GCN and CDNA; 0 likewise */
	size_t local_bytes; /* local memory of a group */
	size_t group; /* work-items in a group */
	/* Memory of a work-item for what did not fit its registers, where the driver tells;
	 * it is no limit, but slow. */
	size_t private_bytes;
};

/* Groups of 256, and what is not known. */
#define CLOPT_RESOURCES_INIT \
	{ \
		sizeof(struct clopt_resources), 0, 0, 0, 256, 0 \
	}

void clopt_resources_init(struct clopt_resources *use, size_t size);

enum clopt_limit {
	CLOPT_LIMIT_WAVES, /* it holds all the waves that it can */
	CLOPT_LIMIT_GROUP_SIZE, /* another whole group would be too many waves */
	CLOPT_LIMIT_GROUPS, /* no more groups than that */
	CLOPT_LIMIT_LOCAL,
	CLOPT_LIMIT_REGISTERS,
	CLOPT_LIMIT_SCALAR_REGISTERS,
	CLOPT_LIMITS /* how many there are */
};

/* "waves", "group size", "groups", "local memory", "registers", "scalar registers";
 * NULL for a number that is none. */
const char *clopt_limit_name(int limit);

struct clopt_occupancy {
	size_t size; /* sizeof(struct clopt_occupancy), set by the caller */
	char arch[16]; /* as it was asked for */
	unsigned wave; /* work-items in a wave */
	unsigned groups, waves; /* on a compute unit; 0: not even one group fits */
	unsigned most_waves; /* that a compute unit can hold */
	double occupancy; /* waves / most_waves */
	int limit; /* enum clopt_limit; of several the first there */
	/* The most registers that a work-item may have for as many waves, or for one
	 * group if there is none. */
	unsigned most_registers;
};

#define CLOPT_OCCUPANCY_INIT \
	{ \
		sizeof(struct clopt_occupancy), "", 0, 0, 0, 0, 0, 0, 0 \
	}

void clopt_occupancy_init(struct clopt_occupancy *result, size_t size);

/*
 * CLOPT_EINVAL: an architecture that is not in the table (the text names those that
 * are), no work-items, more of them than a group may have, more registers than a
 * work-item may, more local memory than a group may; the text has the numbers.
 * clopt_error(NULL) tells it.
 */
int clopt_occupancy(const char *arch, const struct clopt_resources *use,
                    struct clopt_occupancy *result);

/* The names of architecture i, with blanks between; NULL past the end. */
const char *clopt_arch_names(size_t i);

/*
 * The same for the kernel that would serve the problem on this device.  *use, whose size
 * the caller sets and which may be NULL, gets what it asks for as the driver compiled it:
 * registers from a second compilation on NVIDIA, from the program's binary on AMD.
 * Builds kernels, as clopt_explain does, with the same statuses.  CLOPT_EUNSUPPORTED: a
 * device that is not in the table, such as any CPU, or a driver that does not tell.
 */
int clopt_occupancy_of(struct clopt *ctx, const struct clopt_problem *problem,
                       struct clopt_resources *use, struct clopt_occupancy *result);

/* ====================================================== Time lines =======
 *
 * From clopt_trace_start on, every command of calls on host arrays, clopt_map
 * among them, is kept with its times (at most the first 100,000), until
 * clopt_trace_start is called again or the context is closed.  CLOPT_EINVAL
 * without clopt_options.profile.
 */
int clopt_trace_start(struct clopt *ctx);
int clopt_trace_stop(struct clopt *ctx);

/* Write them to a file as JSON for chrome://tracing or Perfetto; the program clopt draws it
 * (clopt trace FILE --svg FILE).  The file is complete or not there. */
int clopt_trace_json(struct clopt *ctx, const char *path);

/* ========================================================= Devices ======= */

struct clopt_device_info {
	size_t size; /* sizeof(struct clopt_device_info), set by the caller */
	char name[128], vendor[128], platform[128], driver[128], version[128];
	char type[16]; /* "cpu", "gpu", "accelerator" */
	char family[16]; /* "nvidia", "amd", "intel", "qualcomm", "arm", "apple", "cpu", "other" */
	char lanes[16]; /* "scalar", "vector" or "cpu-wide": what a work-item's arithmetic is */
	char traits[256]; /* what variants may ask for, as words with commas between */
	unsigned wave; /* work-items in lock step; 0 unknown */
	unsigned compute_units, clock_mhz;
	unsigned vector_width; /* native, in floats */
	unsigned capability; /* NVIDIA compute capability, 90 for 9.0; else 0 */
	unsigned copy_engines; /* copies beside kernels; 0: not told, or memory is shared */
	unsigned local_is_real; /* 1: local memory is not ordinary memory */
	unsigned unified; /* 1: host and device share their memory */
	unsigned fp64, fp16, inline_ptx; /* 1: has it */
	size_t max_group; /* work-items in a group */
	size_t image2d_width, image2d_height; /* 0: no images */
	size_t image_buffer; /* texels in an image made of a buffer; 0: no images */
	uint64_t global_bytes, max_alloc_bytes, local_bytes;
	double score; /* larger is chosen first */
	size_t buffer_align; /* bytes, for clopt_buffer_sub */
	char quirks[128]; /* names of those in force on it, with commas between */
};

/*
 * Fill list with up to max devices of all platforms, best first, and set *count
 * to how many there are.  Set list[i].size first.  The index is what
 * CLOPT_DEVICE takes.  CLOPT_ENODEVICE if there is none.
 */
int clopt_devices(struct clopt_device_info *list, size_t max, size_t *count);

/* The device of this context. */
int clopt_device(const struct clopt *ctx, struct clopt_device_info *info);

/* A driver, or a platform of one, that is there and not used. */
struct clopt_skipped {
	size_t size; /* sizeof(struct clopt_skipped), set by the caller */
	char name[256]; /* the platform's, the device's, or the loader's file for the driver */
	char library[256]; /* of the driver; "" if the platform is known and that is not */
	char reason[512]; /* "crashed (signal 11) in clGetDeviceIDs", "quirk clover: ..." */
};

/*
 * Fill list with up to max of what clopt_devices leaves out and set *count to how
 * many there are.  Set list[i].size first.  CLOPT_OK also where no device is left.
 *
 * Drivers are looked at once in a process (probe_seconds).  To have it use one again,
 * or to leave one out for good, tell the OpenCL loader: OCL_ICD_VENDORS names a
 * folder with the .icd files of the drivers to load.
 */
int clopt_skipped(struct clopt_skipped *list, size_t max, size_t *count);

/*
 * A bug of a driver that the library stays clear of: kernels are not used that would
 * meet it, or the platform is not.
 */
struct clopt_quirk {
	size_t size; /* sizeof(struct clopt_quirk), set by the caller */
	const char *name; /* for CLOPT_QUIRKS */
	/* Words in the names of what has it; NULL: any. */
	const char *platform, *vendor, *device;
	/* Versions of the driver that have it: from the first, and before the second;
	 * NULL: no such bound.  Of a platform that is left out, its own versions. */
	const char *from, *before;
	char effect[128]; /* what is not used: traits, "kernels NAME...", "the platform",
	                  * "the device" */
	const char *reason, *link;
};

/* Fill list with up to max of the quirks that are known and set *count to how many
 * there are.  Set list[i].size first.  Needs no device; texts are the library's.
 * clopt_device_info.quirks tells which are in force. */
int clopt_quirks(struct clopt_quirk *list, size_t max, size_t *count);

#ifdef __cplusplus
}
#endif

#endif
