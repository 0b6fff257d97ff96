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
 * Read on only as far as you need: status, context, routines, pinned memory, asynchronous calls,
 * device buffers, your own kernel, what ran and why, tuning, compiled kernels on disk, occupancy,
 * time lines, devices.  Programs with an OpenCL context of their own also include clopt_cl.h.
 *
 * Rules for every function
 *
 * - Sizes are numbers of elements unless the name ends in _bytes.  Zero sizes are legal.  Matrices
 *   are row major.
 * - Arrays belong to the caller.  An input is only read.  Once a routine has returned (or an
 *   asynchronous call has been collected), in success or failure, the library does not touch the
 *   arrays.
 * - A function that returns int returns CLOPT_OK (0) or one of the negative statuses below.  After
 *   a failure clopt_error() tells the cause in words.
 * - Several threads may use one context: their calls run one after the other.  Different contexts
 *   are independent.
 * - OpenCL drivers do not survive fork(): a child of a process that has opened a context cannot use
 *   that context nor, with PoCL, open a new one.  Fork first.
 * - A struct with a size may be that of an older header than the library's, not of a newer one
 *   (CLOPT_EINVAL).
 * - The library prints nothing (except with CLOPT_VERBOSE; a driver's compiler may), never exits
 *   and installs no handler.  Outside its contexts it keeps only files in the user's cache
 *   (clopt_options.cache_dir): compiled kernels, whether they were right, which were fastest, which
 *   drivers are sound.  Only clopt_tune writes another file, the file of records.
 * - Two runs of a program on one machine give the same bits, unless variants were compared by
 *   timing (tune_seconds, CLOPT_TUNE) or clopt_tune wrote a record in between: variants add up in
 *   different orders.
 *
 * Environment, read once by clopt_open.  Options override it; an invalid value fails with
 * CLOPT_EINVAL:
 *
 *	CLOPT_DEVICE     which device; see struct clopt_options
 *	CLOPT_VARIANT    kernel variants to force, "matmul/plain,nbody/tile-256"
 *	CLOPT_QUEUES     command queues to spread one call over, 1 to 8
 *	CLOPT_TRANSFER   auto, driver or staged: how arrays reach the device
 *	CLOPT_MEM_LIMIT  device memory that one call may use: 64M, 2G, bytes
 *	CLOPT_SLICE      milliseconds that a command may take; see slice_seconds
 *	CLOPT_TUNE       milliseconds for comparing variants; see tune_seconds
 *	CLOPT_TUNING     a file of records; see "Tuning"
 *	CLOPT_CACHE_DIR  folder for compiled kernels; 0: none; see cache_dir
 *	CLOPT_PROBE      seconds for drivers to list their devices in a child process
 *	                 first; 0: no child process; see probe_seconds
 *	CLOPT_QUIRKS     driver bugs to ignore; 0: all; see clopt_quirks
 *	CLOPT_CHECK      off, first or always: when results are checked; see
 *	                 enum clopt_check
 *	CLOPT_VERBOSE    1: one line on stderr for each driver left out and each call,
 *	                 except calls with refused arguments
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

/* "0.1.0": the version of the linked library, which may differ from that of this header. */
const char *clopt_version(void);

/* ========================================================== Status ======= */

/* X(name, number, text).  The numbers lie below all of OpenCL's codes. */
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

/* A status in a few words.  Never NULL, also for a number that is no status. */
const char *clopt_strerror(int status);

struct clopt;
struct clopt_buffer;

/*
 * The last failure on ctx in the calling thread: routine, sizes, device, the OpenCL call and its
 * code by name, and a build log if there is one.  ctx == NULL: the last failure of a call without a
 * context, such as clopt_open.  "" if there was none.  The text belongs to the library and stays
 * valid until this thread's next failing call.  A thread keeps one text, that of its latest
 * failure: if that was on another context, the answer is "".
 */
const char *clopt_error(const struct clopt *ctx);

/* ========================================================= Context ======= */

/* Set with CLOPT_OPTIONS_INIT, then change fields.  0 and NULL mean the default everywhere. */
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

	/* Command queues to spread a call over, 1 to 8.  0: as many as the device can use: 3 if it
	 * has a copy engine for each direction, 2 if it has one.  A call in one piece uses one
	 * queue. */
	unsigned queues;

	/* Device memory that one call may use at a time; 0: 90 % of the device's.  A larger problem
	 * is cut into pieces.  Where host and device share memory, a limit also prevents zero copy
	 * (using arrays in place). */
	size_t mem_limit_bytes;

	/* 1: time every command by OpenCL events, for the seconds of struct clopt_report and for
	 * clopt_trace_start.  Off by default, since an event and its time stamps cost a few
	 * microseconds a command: docs/measurements.md. */
	int profile;

	/* 1: print one line on stderr for each driver left out and each call, except calls with
	 * refused arguments. */
	int verbose;

	/* How the caller's arrays reach the device; see enum clopt_transfer. */
	int transfer;

	/* For staging: threads that copy, up to 64, and the bytes of pinned memory that each fills
	 * at a time, up to 64 MiB.  0: measured on the first call that needs it, and kept for the
	 * context. */
	unsigned copy_threads;
	size_t chunk_bytes;

	/* About how many seconds one command of a sum over pairs (potential, nbody, leapfrog,
	 * evolve) may keep the device busy.  A longer sum is queued in slices, with the same
	 * result.  For devices that drive a display: the system stops a command after some seconds
	 * (2 on Windows) and does not draw meanwhile.  0.1 is a good value.  Every slice has enough
	 * targets to keep all compute units busy.  Until a call on arrays has shown a kernel's
	 * speed, slices are shorter.  0: CLOPT_SLICE, or else no slices. */
	double slice_seconds;

	/* Positive: about how many seconds a call may spend on comparing variants, if its problem
	 * is of a new class and no record names the device for the operation; see "Tuning".  0.2 is
	 * usually enough.  A variant is skipped if building it would exceed the remaining budget;
	 * the first build may overrun once.  A variant replaces the table's choice only if it wins
	 * three timings by 10 %.  The result is kept in the cache.  If time ran out before all
	 * variants were compared, a call searches again once the budget has doubled.  Small
	 * problems and contexts with a memory limit compare nothing.  0: CLOPT_TUNE, or else no
	 * comparison, as with a negative number: the table's order decides, and the same program
	 * gives the same bits in each run. */
	double tune_seconds;

	/* The file of records; NULL: CLOPT_TUNING, or else tuning.txt in libclopt in
	 * XDG_CONFIG_HOME or in .config of HOME; "0": none. */
	const char *tuning;

	/* The folder that keeps compiled kernels from one process to the next.  It is made when
	 * first needed, and processes may share it.  "0": none.  NULL: CLOPT_CACHE_DIR, or else
	 * libclopt in XDG_CACHE_HOME or in .cache of HOME; none if there is neither.  If the folder
	 * cannot be read or written, kernels are compiled; that is no failure. */
	const char *cache_dir;

	/* Most bytes in the folder; the least recently used files are removed first.  0: 256
	 * MiB. */
	size_t cache_bytes;

	/* Positive: before this process touches OpenCL for the first time, a child process lists
	 * the devices of all drivers, for up to so many seconds (30 is enough for a machine with
	 * eight GPUs, which take up to 3 s each to wake).  A driver that crashes there is left out
	 * (clopt_skipped), and the others serve.  A driver that hangs is left out too if the
	 * process has one thread; with more, a lock may be the cause.  The verdict is kept in
	 * cache_dir until a driver changes or the machine restarts.  Drivers are not tried if all
	 * were sound before, nor if the process has already loaded an OpenCL driver, CUDA or ROCm,
	 * since its children may hang.  0: CLOPT_PROBE, or else no child process, as with a
	 * negative number.  Even then drivers are left out that `clopt info`, `clopt check` or a
	 * program with probe_seconds found faulty. */
	double probe_seconds;

	/* Names of quirks to ignore (clopt_quirks), with commas between; "0": all of them.  NULL:
	 * CLOPT_QUIRKS, or else none. */
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
 * The same as a function, for languages without C's macros: sets *options, whose size there is
 * `size`, to the defaults.  Each of the initialisers below has such a function.
 */
void clopt_options_init(struct clopt_options *options, size_t size);

enum clopt_transfer {
	/* Zero copy where host and device share memory and the array is aligned for the kernel;
	 * directly from pinned memory; else the faster of the two ways below, as measured. */
	CLOPT_TRANSFER_AUTO,
	/* By the driver's own copy, in any memory. */
	CLOPT_TRANSFER_DRIVER,
	/* By staging: threads fill chunks of pinned memory ahead of the device and empty them
	 * behind it. */
	CLOPT_TRANSFER_STAGED
};

/*
 * When results are checked on the host, in double precision.  Compilers and drivers have bugs, and
 * a kernel that they break looks like any other.
 *
 * A variant with a wrong result is struck out for this context, like one that does not build: the
 * next variant of the table serves, and clopt_explain() says why.  A forced variant is not
 * replaced: the call fails with CLOPT_EWRONG, as it does if no variant gives a right result.
 * CLOPT_VERBOSE prints a line about it.
 */
enum clopt_check {
	CLOPT_CHECK_DEFAULT, /* the value of CLOPT_CHECK, or else CLOPT_CHECK_FIRST */
	CLOPT_CHECK_OFF,
	/* The first-use check: each kernel solves a few small problems of the library before it
	 * gets the caller's data, in any form of call.  That takes some milliseconds and up to
	 * 10 MB on the device that no limit counts.  The bounds are the rounding errors of the
	 * arithmetic that the variant promises.  The verdict is kept beside the compiled kernel
	 * (cache_dir), so the check runs once for a driver; without a cache, once for a context.
	 * Since an error may have been a passing fault of the machine, each context tries a wrong
	 * kernel again, and uses it after three rounds with other numbers without an error.
	 * clopt_cache_list lists wrong kernels. */
	CLOPT_CHECK_FIRST,
	/* The first-use check, and the result of each call on arrays, asynchronous calls too:
	 *	products     C x = alpha A (B x) + beta C x, each row of it, for a random x
	 *	             of 1 and -1; each product of a batch; of a triangle each row
	 *	             up to the diagonal, and that the other triangle is unchanged
	 *	transposes   each element
	 *	potential,
	 *	nbody        targets, the first and the last among them, computed again: all
	 *	             of up to 65,536 pairs, else so many pairs and at least 8 targets
	 *
	 * Bounds allow for rounding errors of one sign, 4 k units of a product's |A_i| |B|; the sum
	 * of a row hides smaller errors.  Rows of products are not judged if an input is not finite
	 * or the host's sums in double leave the range.  Otherwise a result that is not finite is
	 * wrong, unless its terms are large enough to overflow.  In other routines results that are
	 * not finite are not judged.
	 *
	 * A wrong result is computed again by the next variant, from the same inputs: if a routine
	 * also reads its output (beta, a triangle), a copy of the output is kept during the call.
	 * If a call fails with CLOPT_EWRONG, an output that is also read is unchanged, another
	 * output undefined.
	 *
	 * The check runs after the call, in as many threads as there are processors, up to 16,
	 * where starting them is worth it.  The check of a product reads A, B and C once: 3 % of
	 * the processor time of a float32 product of 2048 x 2048 x 2048 on a CPU, more where the
	 * device is fast for its host, and as much as a small product.  A transpose's check takes
	 * as long as its transfers, and the check of a sum over pairs computes its targets at the
	 * speed of the host.  Calls on buffers, leapfrog, evolve (see struct clopt_conserved) and
	 * clopt_map are not checked each time. */
	CLOPT_CHECK_ALWAYS
};

/*
 * Open a context on a device.  options may be NULL.  On failure *ctx is NULL and clopt_error(NULL)
 * says why.
 *
 * CLOPT_ENODEVICE: no device matches (the text names the devices there are), or there is none (the
 * text names the drivers that were left out, and why).  CLOPT_EINVAL: an invalid option or
 * environment variable.  CLOPT_EDEVICE, CLOPT_ENOMEM.
 */
int clopt_open(struct clopt **ctx, const struct clopt_options *options);

/* Release the context and all that it holds, after calls on it in other threads have returned,
 * asynchronous calls have been collected, and its buffers, queues and events have been freed.
 * Memory of clopt_host_alloc is freed with it.  NULL is allowed. */
void clopt_close(struct clopt *ctx);

/* ======================================================== Routines =======
 *
 * All take ordinary host memory and any size, and return when the result is in place.  Large
 * problems are cut into bands, so that the transfers of one band run beside the computing of
 * another: rows of C and A, rows of a matrix to be transposed, targets.  If a band does not fit the
 * device, the other direction is cut too: columns of C and B, columns of the matrix.  Each element
 * of the result has the same bits however the problem is cut.  Only if even such a block is too
 * large are k and the sources cut; then partial sums are added up in another order.  (Sums of
 * halves stay in float32 then too: such products are computed as products of floats, with 34 MB of
 * the host's memory.)
 *
 * Statuses of all of them: CLOPT_EINVAL (a NULL array of nonzero size, a leading dimension shorter
 * than its row, an array beyond the last address, an output that overlaps an input), CLOPT_ENOMEM,
 * CLOPT_EDEVICE, CLOPT_EBUILD, CLOPT_ENOVARIANT, CLOPT_EWRONG (enum clopt_check);
 * CLOPT_EUNSUPPORTED for double on a device without it.
 */

/* The same numbers as CBLAS: CblasRowMajor, CblasNoTrans and so on may be passed. */
enum clopt_layout {
	CLOPT_ROW_MAJOR = 101, /* C's arrays: a[i][j] is a[i * lda + j] */
	CLOPT_COL_MAJOR = 102 /* Fortran's: a[i + j * lda] */
};
enum clopt_trans {
	CLOPT_NO_TRANS = 111,
	CLOPT_TRANS = 112,
	CLOPT_CONJ_TRANS = 113 /* the conjugate transpose; of real arrays CLOPT_TRANS */
};
enum clopt_uplo {
	CLOPT_UPPER = 121,
	CLOPT_LOWER = 122
};

/* C = A B: A is m x k, B is k x n, C is m x n, all row-major and packed (leading dimensions k, n,
 * n).  C may not overlap A or B. */
int clopt_matmul(struct clopt *ctx, size_t m, size_t n, size_t k, const float *a, const float *b,
                 float *c);

/*
 * C = alpha op(A) op(B) + beta C, with CBLAS's arguments.
 *
 * op(A) is m x k: A itself, or (CLOPT_TRANS) the transpose of A, which is then k x m.  op(B) is k x
 * n likewise; C is m x n.  lda, ldb, ldc are the elements from one row of the array to the next, or
 * in CLOPT_COL_MAJOR from one column to the next, and no shorter than a row or column.  Gaps
 * between them are neither read nor written.
 *
 * beta == 0: C is not read, so NaN in it does not matter.  alpha == 0 or k == 0: A and B are not
 * read.  The sum over k is in the precision of the arguments or better; its order depends on the
 * variant and the device.  The whole sum is multiplied by alpha once, at the end, so only alpha
 * times all of it can overflow; but if memory makes the library cut k, each part is multiplied.
 */
int clopt_sgemm(struct clopt *ctx, int layout, int transa, int transb, size_t m, size_t n, size_t k,
                float alpha, const float *a, size_t lda, const float *b, size_t ldb, float beta,
                float *c, size_t ldc);
int clopt_dgemm(struct clopt *ctx, int layout, int transa, int transb, size_t m, size_t n, size_t k,
                double alpha, const double *a, size_t lda, const double *b, size_t ldb, double beta,
                double *c, size_t ldc);

/*
 * The same for complex numbers.  a, b and c are arrays of float complex or double complex; alpha
 * and beta point to one such number each.  CLOPT_CONJ_TRANS is the conjugate transpose.
 *
 * The products are conventional, with four multiplications of real numbers each: the real part of
 * a result is a sum of 2 k real products, and so is the imaginary part, and each of them has the
 * error bound of such a sum.  An alpha or beta without imaginary part multiplies as a real number.
 */
int clopt_cgemm(struct clopt *ctx, int layout, int transa, int transb, size_t m, size_t n, size_t k,
                const void *alpha, const void *a, size_t lda, const void *b, size_t ldb,
                const void *beta, void *c, size_t ldc);
int clopt_zgemm(struct clopt *ctx, int layout, int transa, int transb, size_t m, size_t n, size_t k,
                const void *alpha, const void *a, size_t lda, const void *b, size_t ldb,
                const void *beta, void *c, size_t ldc);

/*
 * Types of array elements.  The low byte is the size of an element; 0 is CLOPT_FLOAT.  Complex
 * elements are pairs of real and imaginary part, as of C99, C++ and Fortran.
 */
enum clopt_type {
	CLOPT_HALF = 0x002, /* IEEE binary16, in uint16_t; sums are in float32 and rounded once */
	CLOPT_FLOAT = 0x004,
	CLOPT_DOUBLE = 0x008,
	/* The upper half of a float, in uint16_t; sums are in float32 and rounded once, to the
	 * nearest even.  NaN stays NaN. */
	CLOPT_TYPE_BFLOAT16 = 0x102,
	CLOPT_TYPE_COMPLEX_FLOAT = 0x208,
	CLOPT_TYPE_COMPLEX_DOUBLE = 0x210
};

/* How operands of a float32 product may be rounded first.  Only variants for matrix units gain from
 * it. */
enum clopt_math {
	/* Not at all: errors are those of float32 arithmetic, or smaller.  On tensor cores each
	 * operand is then the sum of two parts of 11 bits.  Infinities, NaN and overflow are
	 * float32's.  An element below 2^-112 loses low bits, which costs at most 2^-136 of the
	 * other factor. */
	CLOPT_MATH_EXACT = 0,
	/* To 11 significant bits, rounded or cut off; cutting off may take 2^-10 of one operand.
	 * The range is kept; infinities and NaN stay. */
	CLOPT_MATH_TF32 = 1,
	CLOPT_MATH_HALF = 2 /* to half, whose range ends at 65504; TF32 too */
};

/*
 * GEMM with all options: layouts and transposes as for clopt_sgemm, types, many products in one
 * call, one triangle of a symmetric result.
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
	/* 0: all of C.  CLOPT_LOWER or CLOPT_UPPER: only that triangle, with the diagonal, is
	 * computed and written; then m == n, else CLOPT_EINVAL. */
	int triangle;
	/* 1: the triangle is that of a Hermitian matrix: imaginary parts of the diagonal are not
	 * read, and set to 0.  Needs real alpha and beta.  No effect on real types. */
	int hermitian;
	size_t m, n, k;
	double alpha, beta; /* in float32 except for double and complex double */
	size_t lda, ldb, ldc;
	/* Products of equal shape: C_i = alpha op(A_i) op(B_i) + beta C_i, i < batch.  A_i begins
	 * stride_a elements behind A_(i-1), and so on.  A stride of 0: one A for all, or one B.
	 * The C_i may not overlap. */
	size_t batch;
	size_t stride_a, stride_b, stride_c;
	double alpha_imag, beta_imag; /* of complex types; of real ones 0, else CLOPT_EINVAL */
};

#define CLOPT_GEMM_INIT \
	{ \
		sizeof(struct clopt_gemm), CLOPT_FLOAT, CLOPT_ROW_MAJOR, CLOPT_NO_TRANS, \
		        CLOPT_NO_TRANS, CLOPT_MATH_EXACT, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, \
		        0, 0, 0 \
	}

void clopt_gemm_init(struct clopt_gemm *g, size_t size);

/* CLOPT_EUNSUPPORTED for double and complex double on a device without it. */
int clopt_gemm(struct clopt *ctx, const struct clopt_gemm *g, const void *a, const void *b,
               void *c);

/* The same in plain arguments, for batches ... */
int clopt_gemm_batched(struct clopt *ctx, int type, int layout, int transa, int transb, size_t m,
                       size_t n, size_t k, double alpha, const void *a, size_t lda, size_t stride_a,
                       const void *b, size_t ldb, size_t stride_b, double beta, void *c, size_t ldc,
                       size_t stride_c, size_t batch);

/* ... and for C = alpha A A^T + beta C (CLOPT_NO_TRANS: A is n x k) or alpha A^T A + beta C
 * (CLOPT_TRANS: A is k x n).  Only the triangle uplo is written, with half the work of a
 * product.  For a complex alpha or beta set g.triangle in clopt_gemm. */
int clopt_syrk(struct clopt *ctx, int type, int layout, int uplo, int trans, size_t n, size_t k,
               double alpha, const void *a, size_t lda, double beta, void *c, size_t ldc);

/* Its Hermitian sister: C = alpha A A^H + beta C (CLOPT_NO_TRANS) or alpha A^H A + beta C
 * (CLOPT_CONJ_TRANS).  Imaginary parts of C's diagonal are not read, and set to 0.  For real types
 * the same as clopt_syrk. */
int clopt_herk(struct clopt *ctx, int type, int layout, int uplo, int trans, size_t n, size_t k,
               double alpha, const void *a, size_t lda, double beta, void *c, size_t ldc);

/*
 * out = the transpose of in.  in has rows x cols elements of elem_bytes (1, 2, 4, 8 or 16), ld_in
 * >= cols from one row to the next; out has cols x rows, ld_out >= rows.  Elements are moved as
 * bits and not interpreted.  out may not overlap in.  For arrays in column-major order swap rows
 * and cols; ld is then from one column to the next.
 */
int clopt_transpose(struct clopt *ctx, size_t rows, size_t cols, size_t elem_bytes, const void *in,
                    size_t ld_in, void *out, size_t ld_out);

/* The same for `batch` matrices of one shape: each begins stride_in elements behind the one before,
 * its transpose stride_out.  The transposes may not overlap.  stride_in 0: one matrix, transposed
 * to many places. */
int clopt_transpose_batched(struct clopt *ctx, size_t rows, size_t cols, size_t elem_bytes,
                            const void *in, size_t ld_in, size_t stride_in, void *out,
                            size_t ld_out, size_t stride_out, size_t batch);

/*
 * out = alpha times the transpose of in, called omatcopy in several BLAS libraries.  alpha == 1
 * moves bits, as above.  alpha == 0 makes zeros, whatever in holds.  Otherwise each product is
 * rounded once; a device may take subnormal floats for zeros.
 */
int clopt_stranspose(struct clopt *ctx, size_t rows, size_t cols, float alpha, const float *in,
                     size_t ld_in, float *out, size_t ld_out);
int clopt_dtranspose(struct clopt *ctx, size_t rows, size_t cols, double alpha, const double *in,
                     size_t ld_in, double *out, size_t ld_out);

/*
 * data is replaced by its transpose.  If rows == cols, any ld >= cols is allowed, and the gaps
 * between rows are kept.  Otherwise the matrix has no gaps, before or after: ld is cols (else
 * CLOPT_EINVAL), and the result is cols x rows with rows of `rows` elements.
 *
 * data is written after all else has succeeded: if the call fails, data is unchanged.  So the call
 * takes as much host memory again while it runs.
 */
int clopt_transpose_inplace(struct clopt *ctx, size_t rows, size_t cols, size_t elem_bytes,
                            void *data, size_t ld);

/*
 * Points in space are four floats each: x, y, z and a weight.  The weight is the charge or the mass
 * of a source; in a target it is not read unless an option says so.
 *
 * A source at the place of a target adds nothing to it, whatever the softening.  So a target that
 * is also a source does not act on itself, and sources and targets may be one array.
 *
 * Squared distances are float32, unless more precision is asked for.  Choose units in which
 * distances lie between 1.1e-19 (two closer points may count as being at one place) and 1.8e19 (a
 * source farther away adds nothing).  For accelerations m / d^3 has to be within float32, without
 * softening about d > 1e-12 for m = 1.  NaN in a point or weight gives NaN.
 */

/* How sums over pairs are computed.  The arrays are float32 in any case. */
enum clopt_precision {
	/* float32: sums within a tile of sources first, then over tiles, with a tenth of the error
	 * of one running sum of 100,000 terms. */
	CLOPT_PRECISION_FLOAT,
	/* Each term is float32, and the sum is compensated: its error does not grow with the number
	 * of sources. */
	CLOPT_PRECISION_COMPENSATED,
	/* Two float32 for each number, about 14 digits, on any device; about 15 times the work.
	 * For the sums of Coulomb's law and of gravity, not for the constants of CLOPT_ALPB that
	 * are added to them; other laws are CLOPT_EUNSUPPORTED. */
	CLOPT_PRECISION_DOUBLE_SINGLE,
	/* float64, if the device has it; else CLOPT_EUNSUPPORTED. */
	CLOPT_PRECISION_DOUBLE,
	/* The last of these that the device has and the law allows. */
	CLOPT_PRECISION_BEST
};

/* The law between charges.  d is the distance, K is options.scale. */
enum clopt_mode {
	CLOPT_COULOMB, /* K / eps_in  sum q / d */
	CLOPT_DISTANCE4, /* K / 4  sum q / d^2: a dielectric constant of 4 d */
	CLOPT_DEBYE, /* K / eps_in  sum q exp(-kappa d) / d */
	/* A molecule of eps_in in a solvent of eps_out, with salt if kappa > 0: the analytical
	 * linearized Poisson-Boltzmann formula.  Needs radius and, with salt or outputs other than
	 * CLOPT_PHI, normals. */
	CLOPT_ALPB
};

enum clopt_part {
	CLOPT_TOTAL,
	CLOPT_REACTION, /* without the Coulomb part K / eps_in  sum q / d */
	CLOPT_COULOMB_PART /* only the Coulomb part */
};

/* The results for each target, as adjacent floats. */
enum clopt_outputs {
	CLOPT_PHI, /* 1: the potential */
	CLOPT_PHI_NORMAL, /* 2: the potential, and the field along the target's normal */
	CLOPT_FIELD_PHI, /* 4: the field's x, y and z, and the potential */
	CLOPT_FIELD /* 4: the field and a 0 */
};

/*
 * Lengths are in one unit of the caller's choice, charges in another; scale converts the results.
 * With e and Angstrom, 332.06371 gives kcal/mol/e, 560.46 kT/e at 298.15 K, 14399.6 mV.
 */
struct clopt_potential_options {
	size_t size; /* sizeof(struct clopt_potential_options) */
	double scale; /* K */
	int mode, part, outputs, precision; /* of the enums above */
	double eps_in, eps_out; /* dielectric constants of molecule and solvent */
	double kappa; /* inverse Debye length; clopt_kappa().  0: no salt */
	double radius; /* A, the electrostatic radius: clopt_electrostatic_radius() */
	/* In every mode: a target is a point of a surface with its normal, which points outward.
	 * Values are computed at distance p from the target along its normal.  Without normals p
	 * has to be 0. */
	double projection; /* p; negative is inside */
	/* From here on, as the radius, for CLOPT_ALPB only, except the normals. */
	double ion_radius; /* b: no ion's centre is nearer to the surface */
	double alpha;
	/* ntargets x 4 floats: nx, ny, nz, and a distance that is added to projection for this
	 * target.  Only a normal's direction counts, so three digits in a file are enough.  0, 0, 0
	 * is no normal.  On buffers a clopt_buffer. */
	const float *normals;
	const struct clopt_buffer *normals_buffer;
	/* nsources floats, for targets inside: the depth of each charge below the surface, 0 to A.
	 * NULL: A / 2 for all, as in GEM. */
	const float *depths;
	const struct clopt_buffer *depths_buffer;
	/* The sum of the charges.  NULL: the sum of the sources' weights; on buffers the sum has to
	 * be given. */
	const double *charge;
	/* 1: as in GEM's program, which omits a constant inside the molecule and counts the surface
	 * as inside. */
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
 * or as the options ask.  nsources sources (x, y, z, q), ntargets targets (x, y, z, unread), and 1,
 * 2 or 4 floats for each target (enum clopt_outputs).  The field is minus the gradient.  options
 * NULL: the formula above with K = 1.  A relative error of 1e-6 of the sum of |q_j| / |x_i - x_j|
 * is typical.
 *
 * ALPB, with r = A + p, r' = A + b, Q the sum of charges, beta = eps_in / eps_out,
 * C = 1 / (eps_out (1 + alpha beta)), L = 1 / kappa, and d' the distance from the target's foot at
 * distance b from the surface:
 *
 *	r >= A:   K C ((1 + alpha) sum q (1/d - 1/(L + d')) - alpha (1 - beta) Q (1/r - 1/(L + r')))
 *	r > r':   K C ((1 + alpha) L sum q exp(-kappa (d - d')) / (d (L + d'))
 *	               - alpha (1 - beta) Q L exp(-kappa (r - r')) / (r (L + r')))
 *	r < A:    K (sum q (1/(eps_in d) - g / sqrt(d^2 + (A^2 - r0^2) (A^2 - r^2) / A^2))
 *	             - g alpha beta Q / A
 *	             - C ((1 + alpha) sum q / (L + d') - alpha (1 - beta) Q / (L + r'))),
 *	          g = (1/eps_in - 1/eps_out) / (1 + alpha beta),  r0 = A - depth
 *
 * The terms of L are omitted if kappa is 0, or so small that none of them reaches 1e-9.  All
 * targets of a call lie in one of these regions, that of `projection`.  For the field, the gradient
 * is taken with the foot (the surface point) fixed.
 *
 * CLOPT_EINVAL beside the usual: eps or radius not positive where needed, normals missing, options
 * that together leave float32's range.
 *
 * Source: Fenley, Gordon, Onufriev, J. Chem. Phys. 129, 075101 (2008); Daga, Scogland, Feng,
 * "Architecture-Aware Optimization on a 1600-core Graphics Processor".
 */
int clopt_potential(struct clopt *ctx, size_t nsources, const float *sources, size_t ntargets,
                    const float *targets, float *phi,
                    const struct clopt_potential_options *options);

/*
 * The electrostatic radius of a molecule of n atoms at atoms (x, y, z, unread) with these radii, in
 * their unit: the radius of the ball with the same determinant of its moments of inertia, atoms
 * weighted by the cubes of their radii.  One atom has its own radius.  0 if no radius is positive;
 * NaN if one is negative or NaN.  Source: Sigalov, Fenley, Onufriev, J. Chem. Phys. 124, 124902
 * (2006).
 */
double clopt_electrostatic_radius(size_t n, const float *atoms, const float *radii);

/* The inverse Debye length in 1/Angstrom for an ionic strength in mol/l, a dielectric constant and
 * a temperature in kelvin.  NaN, which clopt_potential refuses, if the strength is negative or
 * another argument is not positive. */
double clopt_kappa(double ionic_strength, double eps, double kelvin);

struct clopt_nbody_options {
	size_t size; /* sizeof(struct clopt_nbody_options) */
	double g; /* the gravitational constant, in the caller's units */
	double softening; /* eps below, a length */
	int precision; /* enum clopt_precision */
	/* 1: a target's weight is a softening length of its own; the squares of the two are
	 * added. */
	int target_softening;
	int potential; /* 1: compute phi too; 0: phi is 0, which is faster */
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
 * nsources sources (x, y, z, m), ntargets targets (x, y, z, unread); results are four floats for
 * each target: ax, ay, az, phi.  options NULL: g = 1, eps = 0, no phi.  Pass bodies that move but
 * do not pull as targets only: they cost nothing as sources.
 */
int clopt_nbody(struct clopt *ctx, size_t nsources, const float *sources, size_t ntargets,
                const float *targets, float *acc, const struct clopt_nbody_options *options);

/*
 * Move n bodies through steps leapfrog steps (kick, drift, kick) of length dt under their own
 * gravity.  bodies (x, y, z, m) and velocities (vx, vy, vz, and a fourth float that is kept) are
 * updated in place and stay on the device between the steps.  dt may be negative.  The bodies have
 * to fit the device whole: 48 bytes a body.
 */
int clopt_nbody_leapfrog(struct clopt *ctx, size_t n, float *bodies, float *velocities, double dt,
                         size_t steps, const struct clopt_nbody_options *options);

/* ---- Bodies that move under their gravity, in more than float32 ---------- */

enum clopt_integrator {
	CLOPT_KICK_DRIFT_KICK, /* leapfrog: order 2, one evaluation a step */
	CLOPT_HERMITE /* order 4: predict, evaluate with jerk, correct */
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
	/* FLOAT, DOUBLE_SINGLE, DOUBLE or BEST, also for the state between steps. */
	int precision;
	/* `each`, if not NULL, is called before the first step (step 0), after every step whose
	 * number is a multiple of `every`, and after the last; with `every` 0, after the last
	 * only.  Bodies and velocities have been brought back by then.  `each` may read them and
	 * `sums`, but must not call a function on the context.  If it returns a number other than
	 * 0, the run ends there; that is no failure. */
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
 * Move n bodies (x, y, z, m) with velocities (vx, vy, vz, and a fourth number that is kept) through
 * steps of length dt, in place.  The state stays on the device between the steps; conserved sums
 * are computed there too.  dt may be negative.  options NULL: as the initialiser.
 *
 * CLOPT_EINVAL, with the number in the text, for a number that is NaN or outside the precision's
 * range.  In DOUBLE coordinates and velocities go up to 1e153, and masses other than 0 from
 * 2.3e-308 to 1.7e308; in FLOAT and DOUBLE_SINGLE up to 1e18, and from 1.2e-38 to 3.4e38.  Numbers
 * that leave the range on the way, such as m / d^3 of bodies that meet without softening, become
 * infinite and then NaN, as in any arithmetic.
 *
 * Bodies at one place add nothing to one another, even with softening: their potential of
 * -g m m' / eps is missing from the sums.
 *
 * Source: Makino, Aarseth, Publ. Astron. Soc. Japan 44, 141 (1992).
 */
int clopt_nbody_evolve(struct clopt *ctx, size_t n, double *bodies, double *velocities, double dt,
                       size_t steps, const struct clopt_evolve_options *options);

/* The sums for bodies as they are, as evolve passes them to `each`, without a step.  The same
 * numbers are refused, and bodies at one place add no potential. */
int clopt_nbody_conserved(struct clopt *ctx, size_t n, const double *bodies,
                          const double *velocities, const struct clopt_evolve_options *options,
                          struct clopt_conserved *sums);

/* =================================================== Pinned memory ======= */

enum clopt_memory {
	CLOPT_MEMORY_ORDINARY, /* pinned memory was not available; aligned to a page */
	CLOPT_MEMORY_PINNED, /* the device reads and writes it at full speed */
	CLOPT_MEMORY_SHARED /* host and device share it: zero copy for arrays in it */
};

/*
 * Host memory that the device reaches fastest, aligned to 4096 bytes and not initialised.  *kind
 * (may be NULL) gets its kind, as above.  Routines and buffer transfers recognise any pointer into
 * it.  On failure *memory is NULL.  0 bytes give a pointer that may be freed.
 *
 * Pinning is slow (0.35 ms/MiB on an H200), so freed memory stays pinned for the next call, up to
 * 1 GiB of unused memory; clopt_host_trim releases it.  Other programs cannot use pinned memory, so
 * do not take more than you need.
 *
 * Source: NVIDIA, OpenCL Best Practices Guide (2011), section 3.1.1.
 */
int clopt_host_alloc(struct clopt *ctx, size_t bytes, void **memory, int *kind);

/* memory: from clopt_host_alloc on the same context, or NULL.  CLOPT_EINVAL for any other
 * pointer. */
int clopt_host_free(struct clopt *ctx, void *memory);
int clopt_host_trim(struct clopt *ctx);

/* ============================================== Asynchronous calls ======= */

/*
 * An asynchronous call: a routine of the section above that runs in a thread of the context, while
 * the caller goes on.  Calls started on a context run in the order of their start.  Until the call
 * is collected, the arrays must not be changed, and the output must not be read.
 *
 * A start that fails leaves *call NULL: CLOPT_ENOMEM if memory or a thread is missing, CLOPT_EINVAL
 * for arguments that are refused at once.  Most arguments are checked by the call itself, so
 * clopt_collect returns their failures.
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
int clopt_cgemm_start(struct clopt *ctx, int layout, int transa, int transb, size_t m, size_t n,
                      size_t k, const void *alpha, const void *a, size_t lda, const void *b,
                      size_t ldb, const void *beta, void *c, size_t ldc, struct clopt_call **call);
int clopt_zgemm_start(struct clopt *ctx, int layout, int transa, int transb, size_t m, size_t n,
                      size_t k, const void *alpha, const void *a, size_t lda, const void *b,
                      size_t ldb, const void *beta, void *c, size_t ldc, struct clopt_call **call);
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
 * Wait for the call, free it, and return its status; clopt_error() of this thread then has its
 * text.  Collect each started call exactly once.  report (size set, or NULL) gets how the call
 * went.  call NULL: CLOPT_EINVAL.
 */
int clopt_collect(struct clopt_call *call, struct clopt_report *report);

/* ================================================== Device buffers =======
 *
 * For results that are used again on the device.  Commands on buffers return once they are queued.
 * They take events to wait for, and give an event for their end:
 *
 *	clopt_buffer_new(c, bytes, &a);  ...
 *	clopt_buffer_write(a, 0, bytes, host, NULL);
 *	clopt_sgemm_buffers(c, ..., a, lda, b, ldb, 0, d, ldd, NULL);
 *	clopt_buffer_read(d, 0, bytes, result, NULL);
 *	clopt_finish(c);
 *
 * Nothing here is cut into bands: buffers lie on the device whole.  If a queued command fails
 * later, its event and clopt_finish report it.
 */

struct clopt_buffer;
struct clopt_queue;
struct clopt_event;

/* The queue of a command, and the events it waits for.  NULL means, everywhere below: the context's
 * own queue, behind its earlier commands.  Commands of one queue run in their order; commands of
 * different queues are ordered only by events. */
struct clopt_order {
	size_t size; /* sizeof(struct clopt_order) */
	struct clopt_queue *queue; /* NULL: the context's own */
	size_t nwait;
	struct clopt_event *const *wait; /* nwait events, of this context */
	/* If not NULL, gets the event of the last command, which the caller frees. */
	struct clopt_event **event;
};

#define CLOPT_ORDER_INIT \
	{ \
		sizeof(struct clopt_order), NULL, 0, NULL, NULL \
	}

void clopt_order_init(struct clopt_order *order, size_t size);

/* Device memory, not initialised.  CLOPT_ENOMEM if the device has not that much in one piece; some
 * drivers notice only when the memory is used.  0 bytes are allowed. */
int clopt_buffer_new(struct clopt *ctx, size_t bytes, struct clopt_buffer **buffer);

/* Part of a buffer, which stays alive as long as the part.  offset_bytes is a multiple of
 * clopt_device_info.buffer_align, else CLOPT_EINVAL. */
int clopt_buffer_sub(struct clopt_buffer *of, size_t offset_bytes, size_t bytes,
                     struct clopt_buffer **buffer);

/* May be called once all commands using it are queued.  NULL is allowed. */
void clopt_buffer_free(struct clopt_buffer *buffer);
size_t clopt_buffer_bytes(const struct clopt_buffer *buffer);

/*
 * To and from host memory.  Do not touch pinned memory (clopt_host_alloc) before the command's
 * event.  With ordinary memory these functions return when the memory may be used again.
 */
int clopt_buffer_write(struct clopt_buffer *buffer, size_t offset_bytes, size_t bytes,
                       const void *from, const struct clopt_order *order);
int clopt_buffer_read(const struct clopt_buffer *buffer, size_t offset_bytes, size_t bytes,
                      void *to, const struct clopt_order *order);
/* The two ranges may not overlap; the buffers may, if they are parts of one buffer. */
int clopt_buffer_copy(const struct clopt_buffer *from, size_t from_offset_bytes,
                      struct clopt_buffer *to, size_t to_offset_bytes, size_t bytes,
                      const struct clopt_order *order);

/* The same for rows of row_bytes each.  Pitches are from one row to the next, in the buffer and in
 * host memory, and no shorter than a row. */
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

/* The routines, with the arrays in buffers of the same context.  Rules and statuses as above; an
 * array that ends beyond its buffer is CLOPT_EINVAL.
 *
 * CLOPT_EINVAL too if a kernel writes one of two parts that overlap, or writes a buffer and reads a
 * part of it: OpenCL leaves that undefined, even if the arrays in them do not overlap.  Parts that
 * are only read may overlap. */
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
int clopt_cgemm_buffers(struct clopt *ctx, int layout, int transa, int transb, size_t m, size_t n,
                        size_t k, const void *alpha, const struct clopt_buffer *a, size_t lda,
                        const struct clopt_buffer *b, size_t ldb, const void *beta,
                        struct clopt_buffer *c, size_t ldc, const struct clopt_order *order);
int clopt_zgemm_buffers(struct clopt *ctx, int layout, int transa, int transb, size_t m, size_t n,
                        size_t k, const void *alpha, const struct clopt_buffer *a, size_t lda,
                        const struct clopt_buffer *b, size_t ldb, const void *beta,
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
/* Takes as much device memory again, until its last command has run.  The only command that writes
 * data is the last: if the call fails, data is unchanged or, if all commands were queued,
 * complete. */
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

/* Another queue on the same device. */
int clopt_queue_new(struct clopt *ctx, struct clopt_queue **queue);
void clopt_queue_free(struct clopt_queue *queue);

/* Wait for all commands of a queue (NULL: ctx's own), or of all queues. */
int clopt_queue_finish(struct clopt *ctx, struct clopt_queue *queue);
int clopt_finish(struct clopt *ctx);

/* Wait for one event.  A command that failed gives CLOPT_EDEVICE. */
int clopt_event_wait(struct clopt_event *event);

/* How long the command ran on the device.  Waits for the event.  For a routine of several commands:
 * the last command.  CLOPT_EINVAL without clopt_options.profile. */
int clopt_event_seconds(struct clopt_event *event, double *seconds);
void clopt_event_free(struct clopt_event *event);

/*
 * Host time for timing commands: waits until all queues of ctx are empty, then reads the host's
 * monotonic clock.  A host timer without that wait measures how fast commands are queued.  Events
 * (clopt_event_seconds, clopt_report) measure the device alone and disturb less.
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
	CLOPT_ARG_IN = 1, /* a banded array: data has `items` elements of `bytes` each */
	CLOPT_ARG_OUT,
	CLOPT_ARG_INOUT,
	CLOPT_ARG_SHARED, /* every band gets all of it: data of `bytes`, only read */
	CLOPT_ARG_VALUE, /* a value: `bytes` from data */
	CLOPT_ARG_LOCAL, /* local memory: `bytes` for each group, data NULL */
	CLOPT_ARG_COUNT, /* ulong: the number of items of this band; data NULL, bytes 0 */
	CLOPT_ARG_FIRST /* ulong: the index of its first item; data NULL, bytes 0 */
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
	/* Items of one work-item: a band of count items is run by count / items_per_work_item
	 * work-items, rounded up, and up to whole groups.  0: 1. */
	size_t items_per_work_item;
	size_t granule; /* bands are multiples of it, except the last; 0: 1 */
	const struct clopt_arg *args; /* in the kernel's order */
	size_t nargs;
};

#define CLOPT_MAP_INIT \
	{ \
		sizeof(struct clopt_map), NULL, NULL, NULL, 0, 0, 0, 0, NULL, 0 \
	}

void clopt_map_init(struct clopt_map *map, size_t size);

/*
 * In each band the arrays start at the band's first item.  A kernel launched in whole groups
 * (items_per_group) must check the count.  Writing outside the items of a band is undefined.  At
 * most 16 arrays; banded arrays may not overlap one another unless both are only read.
 *
 * CLOPT_EBUILD: the source does not compile; the text has the compiler's log.  CLOPT_EINVAL,
 * CLOPT_ENOMEM, CLOPT_EDEVICE as everywhere.
 */
int clopt_map(struct clopt *ctx, const struct clopt_map *map);

/* ============================================== What ran, and why ======== */

/* The operations that have kernels.  CLOPT_LEAPFROG is the kick and drift between two CLOPT_NBODY
 * in clopt_nbody_leapfrog. */
enum clopt_op {
	CLOPT_MATMUL,
	CLOPT_TRANSPOSE,
	CLOPT_POTENTIAL,
	CLOPT_NBODY,
	CLOPT_LEAPFROG,
	/* The parts of clopt_nbody_evolve: the forces on bodies, the end of one step and the
	 * beginning of the next, conserved sums. */
	CLOPT_EVOLVE_FORCE,
	CLOPT_EVOLVE_STEP,
	CLOPT_EVOLVE_SUMS,
	CLOPT_OPS /* how many there are */
};

/* "matmul", "transpose", ...; NULL for a number that is no operation. */
const char *clopt_op_name(int op);

/*
 * A problem to ask about, as its routine would be called:
 *
 *	CLOPT_MATMUL      dim = m, n, k     type, or elem_bytes 2, 4 or 8
 *	                  layout, transa, transb, math, triangle, hermitian, batch
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
	int type; /* enum clopt_type of CLOPT_MATMUL; 0: the real type of elem_bytes */
	size_t dim[3];
	size_t elem_bytes; /* 0: that of the type, or 4 */
	int transa, transb; /* 0: CLOPT_NO_TRANS */
	/* Of the pair operations: */
	int law; /* enum clopt_law */
	int outputs; /* enum clopt_outputs; CLOPT_NBODY: CLOPT_FIELD if 0 */
	int precision; /* enum clopt_precision */
	int normals, depths; /* 1: the call has such an array */
	/* Of CLOPT_MATMUL: */
	/* As in struct clopt_gemm; layout 0: CLOPT_ROW_MAJOR. */
	int layout, math, triangle, hermitian;
	size_t batch; /* 0: 1; of CLOPT_TRANSPOSE too */
	int scaled; /* CLOPT_TRANSPOSE: 1 for a factor other than 1; elem_bytes 4 or 8 */
	size_t steps; /* of bodies that move, for clopt_plan; 0: 1 */
	/* CLOPT_TRANSPOSE on buffers, and of batches: 1 if leading dimensions or strides are no
	 * multiples of 16 bytes, so that rows or matrices begin at any place.  Other variants are
	 * best then.  Routines find out by themselves. */
	int uneven;
};

#define CLOPT_PROBLEM_INIT \
	{ \
		sizeof(struct clopt_problem), 0, 0, { 0, 0, 0 }, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, \
		        0, 0, 0, 0, 0 \
	}

void clopt_problem_init(struct clopt_problem *problem, size_t size);

/* The term of one pair, which decides the kernel.  ALPB without salt is a Coulomb sum: factors that
 * all sources share are taken out. */
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

/* "coulomb", "alpb-salt", ...; NULL for a number that is no law. */
const char *clopt_law_name(int law);
/* Useful operations of one pair: by convention a multiply-add is two; a root, reciprocal or
 * exponential is one. */
unsigned clopt_law_flops(int law, int outputs);

/*
 * Write into text (size bytes, always terminated, cut if too short) which variant serves this
 * problem on this device.  For each variant above it in the table the text says why that one does
 * not serve; for the variant itself, its geometry and the plan of the call (clopt_plan, dry).
 * Builds and checks kernels as a call would, since a variant that does not build, or is wrong, is
 * passed over.  CLOPT_ENOVARIANT, CLOPT_ENOMEM or CLOPT_EUNSUPPORTED if no variant serves; the text
 * then still says why.  CLOPT_EINVAL: an invalid problem, or no room for a text.
 */
int clopt_explain(struct clopt *ctx, const struct clopt_problem *problem, char *text, size_t size);

/* The name of the variant that would serve the problem; NULL if none would. */
const char *clopt_choice(struct clopt *ctx, const struct clopt_problem *problem);

/*
 * Force variants: a list of names with commas between, at most one for each operation; NULL or ""
 * ends all forcing.  If a forced variant cannot serve a call, the call fails with CLOPT_ENOVARIANT,
 * CLOPT_EBUILD, CLOPT_EWRONG or CLOPT_ENOMEM; no other variant replaces it.  CLOPT_EINVAL for a
 * name that is not in the table.
 */
int clopt_use(struct clopt *ctx, const char *names);

/* The table of variants, in order of preference within each operation.  Needs no device.  NULL and
 * -1 past the end. */
const char *clopt_variant_name(size_t i);
int clopt_variant_op(size_t i);

/*
 * 1 if variant i can serve the problem here (whether or not it would be chosen), else 0, with the
 * reason in why (size bytes; may be NULL with size 0).  problem NULL: any problem of its
 * operation.  Builds nothing, so a variant may still fail to build later.
 */
int clopt_variant_runs(struct clopt *ctx, size_t i, const struct clopt_problem *problem, char *why,
                       size_t size);

/*
 * How a call went.  Seconds on the device come from events, so they are 0 without
 * clopt_options.profile.
 *
 * Overlap can save the time between serial_seconds (all commands one after the other) and
 * bound_seconds (the busiest engine alone).  bound_seconds is the largest of transfers up, kernels,
 * and transfers down if the device has a copy engine for each direction; the larger of transfers
 * and kernels if it has one.
 */
struct clopt_report {
	size_t size; /* sizeof(struct clopt_report), set by the caller */
	const char *variant; /* NULL if no kernel had to run */
	size_t bands; /* pieces the call was cut into */
	size_t queues; /* queues that the pieces were spread over */
	size_t up_bytes, down_bytes; /* transferred to and from the device */
	double seconds; /* of the whole call, by the host's clock */
	double kernel_seconds; /* while at least one kernel ran */
	double up_seconds, down_seconds; /* while data went up, or down */
	double device_seconds; /* from the first command's start to the last one's end */
	double serial_seconds; /* kernels and transfers, as if one after the other */
	double bound_seconds; /* see above */
	double hidden; /* share of serial - bound that was hidden, 0 to 1 */
	/* 0: several bands and queues, profiled, but the driver ran one command after the other.
	 * Else 1, even if gaps between commands cost as much as overlap saved. */
	int overlapped;
	size_t sum_parts; /* pieces that k, or the sources, were cut into; 1 for none */
	size_t in_place_bytes; /* of arrays that were used in place (zero copy) */
	size_t staged_bytes; /* the part of the transfers that was staged */
	/* Kernels that were new to the context: found in the cache, or compiled; and how many
	 * compiled ones were saved to the cache. */
	size_t kernels_loaded, kernels_compiled, kernels_saved;
};

#define CLOPT_REPORT_INIT \
	{ \
		sizeof(struct clopt_report), NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, \
		        0, 0, 0 \
	}

void clopt_report_init(struct clopt_report *report, size_t size);

/* How the last routine or map on this context went, also a failed one, or one on buffers (seconds
 * is then the time to queue it). */
int clopt_last_report(struct clopt *ctx, struct clopt_report *report);

/*
 * What a call would take, before there are arrays:
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
	/* Set by the caller.  1: nothing is run or moved, and only earlier calls' measurements are
	 * used; kernels are built in any case. */
	int dry;

	const char *variant; /* the variant that would run; NULL: nothing to compute */
	int fits; /* 0: the device has too little memory, however the call is cut */
	size_t needed_bytes; /* if it does not fit: device memory needed; SIZE_MAX: or more */
	char reason[256]; /* if it does not fit: why, in words.  Else "" */

	/* As in struct clopt_report. */
	size_t bands, queues, sum_parts;
	size_t up_bytes, down_bytes, in_place_bytes, staged_bytes;

	size_t device_bytes; /* most device memory in use at a time */
	size_t pinned_bytes; /* pinned memory for staging, kept as long as the context */

	/* All transfers up, all kernels, all transfers down, and the whole call with their
	 * overlap.  0: not known, or nothing. */
	double up_seconds, kernel_seconds, down_seconds, seconds;
	int pace; /* enum clopt_pace: the source of kernel_seconds */

	/* The bytes of the arrays in host memory, and the host memory of this machine (0: not
	 * known).  The arrays may be larger than that only if they are in files (mmap). */
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
 * The plan of the routine for the problem, with ordinary arrays without gaps, as malloc gives them,
 * beta 0, and a compiled kernel.  CLOPT_LEAPFROG and CLOPT_EVOLVE_FORCE stand for
 * clopt_nbody_leapfrog and clopt_nbody_evolve (without `each`) of p.steps steps; other parts of
 * evolve are CLOPT_EUNSUPPORTED.
 *
 * The cutting and the bytes are those of the call, unless new measurements come in between: a call
 * improves the known throughput of its kernel.  Times are estimates.  Unless plan->dry, unknown
 * quantities are measured and kept for the calls of the context: the best variant, as by the first
 * call (tune_seconds); transfer rates, as by the first large call, if any bytes move; and the
 * throughput of the kernel, on device arrays of up to 32 MiB, for a few hundredths of a second.
 *
 * A problem that does not fit is a success with fits == 0.  CLOPT_ENOVARIANT, CLOPT_EUNSUPPORTED,
 * CLOPT_EINVAL, CLOPT_EBUILD: the call would fail so; CLOPT_ENOMEM, CLOPT_EDEVICE: planning failed
 * so.  clopt_last_report does not change.
 */
int clopt_plan(struct clopt *ctx, const struct clopt_problem *problem, struct clopt_plan *plan);

/* ========================================================== Tuning =======
 *
 * Tuning finds the best variant for a problem on a device by timing.  Its result is a record, one
 * line of text:
 *
 *	NVIDIA H200; 580.159.04; matmul float32 NN 1024x1024x1024; matmul/wgmma-128x64; 6.4e+13
 *
 * The fields are: the device's name, or + and traits that a device must have ("+cpu,simd-512"); its
 * driver's version, or * for any; the class of the problem; the variant; its throughput, in terms
 * of sums or elements moved per second.  Problems are of one class if they are of one kind and the
 * powers of two nearest to their sizes are the same; the name of the class has both.  Lines that
 * begin with # are comments; lines that this library cannot read are ignored.  Of several records
 * for a class the last is valid.
 *
 * A record takes precedence over the order of the table, and the user's file (clopt_options.tuning)
 * over the library's records.  To merge files, append one to the other; to ship a file, copy it.
 *
 * A variant's name may be followed by settings of its parameters, all of which tuning
 * tries: "matmul/reg-64x64x32:TK=16:wg=8x8:out=64x32".  clopt_use takes such names too.
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

struct clopt_tune_options {
	size_t size; /* sizeof(struct clopt_tune_options) */
	double budget_seconds; /* about, compiling included; 0: 20 */
	/* 1: only rows as they stand in the table, without other settings of their parameters. */
	int rows_only;
	/* 1: the record is returned and used in this context, but not written. */
	int dry;
	/* Called from within clopt_tune, which holds the context: it must call no function on
	 * that.  Nonzero ends tuning, with the best so far.  NULL: no calls. */
	int (*progress)(void *user, const struct clopt_tune_step *step);
	void *user;
};

#define CLOPT_TUNE_OPTIONS_INIT \
	{ \
		sizeof(struct clopt_tune_options), 0, 0, 0, NULL, NULL \
	}

void clopt_tune_options_init(struct clopt_tune_options *options, size_t size);

/*
 * Time the variants that can serve the problem, on device memory of its size (a problem that does
 * not fit is halved until it does), and record the best.  Rows for this kind of device come first;
 * then settings of their parameters, sampled over all combinations, since settings that are good
 * alone need not be good together.  After each round the slower half is dropped, and the neighbours
 * of the best are tried.  The table's choice keeps its place unless another variant is 2 % faster.
 *
 * record (size bytes, may be NULL with size 0): the line.  options NULL: the defaults.  Takes the
 * device for the length of the budget.  CLOPT_EINVAL: arguments, a forced variant, or a file that
 * cannot be written: if found before the search, nothing is searched; if only after it, the record
 * still holds in this context.  CLOPT_ENOVARIANT, CLOPT_EUNSUPPORTED, CLOPT_ENOMEM, CLOPT_EDEVICE.
 */
int clopt_tune(struct clopt *ctx, const struct clopt_problem *problem,
               const struct clopt_tune_options *options, char *record, size_t size);

/*
 * How long a variant's kernel takes for the problem, on device memory of its size with numbers from
 * a half to one: the median of as many launches as fit into `window` seconds, at least one, after
 * one or two that do not count.  variant NULL: the variant that would serve.  CLOPT_ENOMEM if the
 * problem does not fit the device in one piece.  CLOPT_EINVAL, CLOPT_ENOVARIANT, CLOPT_EBUILD,
 * CLOPT_EDEVICE as elsewhere.
 */
int clopt_time_variant(struct clopt *ctx, const struct clopt_problem *problem, const char *variant,
                       double window, double *seconds);

/* The records that hold for this device, the user's first, as lines of text: into text (size bytes,
 * always terminated, cut if too short).  Returns their number. */
size_t clopt_tuning(struct clopt *ctx, char *text, size_t size);

/* The class of a problem, as records name it.  CLOPT_EINVAL: an operation that is not tuned; only
 * CLOPT_MATMUL, CLOPT_TRANSPOSE, CLOPT_POTENTIAL and CLOPT_NBODY are. */
int clopt_problem_class(struct clopt *ctx, const struct clopt_problem *problem, char *text,
                        size_t size);

/* ==================================== Compiled kernels on disk ===========
 *
 * Compiling takes about a second a kernel, loading a compiled one some milliseconds.  So compiled
 * kernels, also those of clopt_map, are kept in a folder (clopt_options.cache_dir) for the next
 * process.  The key is all that they depend on: source, options, device, driver, platform, and the
 * version of this library.  A source of clopt_map with the word "include" is not kept, since the
 * included text is not known.  Files are written aside and renamed, and used only if every bit is
 * right, so processes may share a folder and be killed at any time.
 *
 *	clopt_warm(c, &problem);                at installation, or at the start
 *
 * Some drivers (PoCL) compile again when a kernel runs.  There a kernel is kept after a call on
 * arrays, or clopt_finish, has ended.  If a later run is of another kind than the first (more than
 * 65535 work-items where that had fewer), each process that needs it compiles it.
 */

/*
 * Make the kernel ready that a call for this problem needs, from the cache or by the compiler, so
 * that no call waits for it.  The sizes matter where they decide which variant serves.  Statuses as
 * clopt_explain; CLOPT_EDEVICE.  clopt_last_report tells what was loaded and compiled.
 */
int clopt_warm(struct clopt *ctx, const struct clopt_problem *problem);

/* One entry of the cache. */
struct clopt_cached {
	size_t size; /* sizeof(struct clopt_cached), set by the caller */
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
 * Fill list with up to max entries of the cache that a context with these options (NULL: defaults)
 * would use, the latest used first, and set *count to their number.  Set list[i].size first.  Needs
 * no device; a missing folder has no entries.  CLOPT_ENOMEM; CLOPT_EINVAL as clopt_open.
 */
int clopt_cache_list(const struct clopt_options *options, struct clopt_cached *list, size_t max,
                     size_t *count);

/* Remove all these entries, and no other file.  CLOPT_EUNSUPPORTED if an entry cannot be removed;
 * CLOPT_EINVAL as clopt_open. */
int clopt_cache_clear(const struct clopt_options *options);

/* The folder into text (size bytes, always terminated); "" if nothing is kept. */
int clopt_cache_folder(const struct clopt_options *options, char *text, size_t size);
/* ======================================================= Occupancy =======
 *
 * How many waves of a kernel (NVIDIA's warps, AMD's wavefronts) a compute unit holds at a time, and
 * what limits them.  While some waves wait for memory, others compute; beyond half of the greatest
 * number more waves seldom help.
 *
 *	struct clopt_resources use = CLOPT_RESOURCES_INIT;
 *	struct clopt_occupancy o = CLOPT_OCCUPANCY_INIT;
 *
 *	use.registers = 40;
 *	if (clopt_occupancy("sm_90", &use, &o) == CLOPT_OK)
 *		printf("%u of %u waves, limited by %s\n", o.waves, o.most_waves,
 *		       clopt_limit_name(o.limit));
 *
 * This is arithmetic on the vendors' published tables.  It needs no device, and any thread may do
 * it at any time.  Architectures have the names of their compilers: "sm_90" for NVIDIA's compute
 * capability 9.0, "gfx90a" or "gfx1100" for AMD's targets; older ones of AMD's have the names of
 * families or chips: "terascale2", "cypress".  On RDNA a "compute unit" is a work-group processor,
 * since that runs a group.
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

void clopt_resources_init(struct clopt_resources *use, size_t size);

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
const char *clopt_limit_name(int limit);

struct clopt_occupancy {
	size_t size; /* sizeof(struct clopt_occupancy), set by the caller */
	char arch[16]; /* the name that was asked for */
	unsigned wave; /* work-items in a wave */
	unsigned groups, waves; /* on a compute unit; 0: not even one group fits */
	unsigned most_waves; /* that a compute unit can hold */
	double occupancy; /* waves / most_waves */
	int limit; /* enum clopt_limit; of several the first one there */
	/* The most registers that a work-item may have for as many waves, or for one group if no
	 * group fits. */
	unsigned most_registers;
};

#define CLOPT_OCCUPANCY_INIT \
	{ \
		sizeof(struct clopt_occupancy), "", 0, 0, 0, 0, 0, 0, 0 \
	}

void clopt_occupancy_init(struct clopt_occupancy *result, size_t size);

/*
 * CLOPT_EINVAL: an architecture that is not in the table (the text names the known ones), no
 * work-items, or more work-items, registers or local memory than allowed; the text has the
 * numbers.  clopt_error(NULL) has the text.
 */
int clopt_occupancy(const char *arch, const struct clopt_resources *use,
                    struct clopt_occupancy *result);

/* The names of architecture i, with blanks between; NULL past the end. */
const char *clopt_arch_names(size_t i);

/*
 * The same for the kernel that would serve the problem on this device.  *use (size set by the
 * caller; may be NULL) gets the kernel's resources as the driver compiled it: registers from a
 * second compilation on NVIDIA, from the program's binary on AMD.  Builds kernels, as clopt_explain
 * does, with the same statuses.  CLOPT_EUNSUPPORTED: a device that is not in the table, such as any
 * CPU, or a driver that does not tell.
 */
int clopt_occupancy_of(struct clopt *ctx, const struct clopt_problem *problem,
                       struct clopt_resources *use, struct clopt_occupancy *result);

/* ====================================================== Time lines =======
 *
 * After clopt_trace_start every command of calls on host arrays, clopt_map among them, is kept with
 * its times (at most the first 100,000), until clopt_trace_start is called again or the context is
 * closed.  CLOPT_EINVAL without clopt_options.profile.
 */
int clopt_trace_start(struct clopt *ctx);
int clopt_trace_stop(struct clopt *ctx);

/* Write the commands to a file as JSON for chrome://tracing or Perfetto; the program clopt draws it
 * (clopt trace FILE --svg FILE).  The file is written whole or not at all. */
int clopt_trace_json(struct clopt *ctx, const char *path);

/* ========================================================= Devices ======= */

struct clopt_device_info {
	size_t size; /* sizeof(struct clopt_device_info), set by the caller */
	char name[128], vendor[128], platform[128], driver[128], version[128];
	char type[16]; /* "cpu", "gpu", "accelerator" */
	char family[16]; /* "nvidia", "amd", "intel", "qualcomm", "arm", "apple", "cpu", "other" */
	char lanes[16]; /* "scalar", "vector" or "cpu-wide": a work-item's arithmetic */
	char traits[256]; /* traits that variants may need, as words with commas between */
	unsigned wave; /* work-items in lock step; 0 unknown */
	unsigned compute_units, clock_mhz;
	unsigned vector_width; /* native, in floats */
	unsigned capability; /* NVIDIA compute capability, 90 for 9.0; else 0 */
	unsigned copy_engines; /* copies beside kernels; 0: not known, or memory is shared */
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
 * Fill list with up to max devices of all platforms, best first, and set *count to their number.
 * Set list[i].size first.  CLOPT_DEVICE takes the index.  CLOPT_ENODEVICE if there is none.
 */
int clopt_devices(struct clopt_device_info *list, size_t max, size_t *count);

/* The device of this context. */
int clopt_device(const struct clopt *ctx, struct clopt_device_info *info);

/* A driver, or a platform of one, that is present but left out. */
struct clopt_skipped {
	size_t size; /* sizeof(struct clopt_skipped), set by the caller */
	char name[256]; /* the platform's, the device's, or the loader's file for the driver */
	char library[256]; /* of the driver; "" if only the platform is known */
	char reason[512]; /* "crashed (signal 11) in clGetDeviceIDs", "quirk clover: ..." */
};

/*
 * Fill list with up to max drivers and platforms that clopt_devices leaves out, and set *count to
 * their number.  Set list[i].size first.  CLOPT_OK also if no device is left.
 *
 * Drivers are tried once in a process (probe_seconds).  To use a driver again, or to leave one out
 * permanently, tell the OpenCL loader: OCL_ICD_VENDORS names a folder with the .icd files of the
 * drivers to load.
 */
int clopt_skipped(struct clopt_skipped *list, size_t max, size_t *count);

/*
 * A known bug of a driver.  The library does not use kernels that the bug would break, or does not
 * use the platform.
 */
struct clopt_quirk {
	size_t size; /* sizeof(struct clopt_quirk), set by the caller */
	const char *name; /* for CLOPT_QUIRKS */
	/* Words in the names of platforms, vendors and devices with the bug; NULL: any. */
	const char *platform, *vendor, *device;
	/* Versions of the driver with the bug: from the first, and before the second; NULL: no such
	 * bound.  For a platform that is left out, the platform's own versions. */
	const char *from, *before;
	char effect[128]; /* what is not used: traits, "kernels NAME...", "the platform", "the
	                   * device" */
	const char *reason, *link;
};

/* Fill list with up to max of the known quirks and set *count to their number.  Set list[i].size
 * first.  Needs no device; the texts belong to the library.  clopt_device_info.quirks tells which
 * are in force. */
int clopt_quirks(struct clopt_quirk *list, size_t max, size_t *count);

#ifdef __cplusplus
}
#endif

#endif
