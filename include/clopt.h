/* SPDX-License-Identifier: MIT */
/*
 * clopt.h - multiply, transpose and sum over pairs on any OpenCL device.
 *
 * The shortest program:
 *
 *	struct clopt *ctx;
 *
 *	clopt_open(&ctx, NULL);                     the best device there is
 *	clopt_matmul(ctx, m, n, k, a, b, c);        ordinary memory, any size
 *	clopt_close(ctx);
 *
 * This header has the routines on arrays in host memory.  Two more go further:
 *
 *	clopt_device.h   which devices there are; buffers, queues and events; calls that run
 *	                 while the caller goes on; kernels of the caller's own
 *	clopt_tune.h     which kernel variant runs: forcing, timing, records; plans, compiled
 *	                 kernels on disk, occupancy, time lines, bugs of drivers
 *
 * clopt_cl.h is for programs with an OpenCL context of their own.
 *
 * Rules for every function
 *
 * - Sizes are numbers of elements unless the name ends in _bytes.  Zero sizes are legal.  Matrices
 *   are row major.
 * - Arrays belong to the caller.  An input is only read.  Once a routine has returned, in success
 *   or failure, the library does not touch the arrays (started calls: once the call is done).
 * - A function that returns int returns CLOPT_OK (0) or one of the negative statuses below.  After
 *   a failure clopt_error() tells the cause in words.
 * - After a failure an output that is also an input (beta other than 0, one triangle, bodies that
 *   move, an array of CLOPT_ARG_INOUT) is as it was before the call, if clopt_options.keep_output is
 *   1; else parts of it may be new.  An output that is not an input may be partly written.  Refused
 *   arguments (CLOPT_EINVAL) change nothing, and a transpose in place is whole in any case.  What
 *   commands on buffers wrote stays.
 * - Several threads may use one context: their calls run one after the other.  Different contexts
 *   are independent.  An object may be freed by any thread.
 * - OpenCL drivers do not survive fork().  In a child process of the process that opened a context
 *   every call on that context fails with CLOPT_EFORK, and frees free nothing.  A child may
 *   open contexts if the parent has opened none before, and no thread was opening one.
 * - A struct with a size starts with its size, sizeof the struct in the caller's header.  The
 *   library may be older or newer than that header: fields that the caller's header lacks have
 *   their defaults; fields that the library lacks have to be 0 (CLOPT_EINVAL).  In options and
 *   descriptions 0 and NULL mean the default.
 * - Names that the library returns (const char *) stay valid until the process ends, except the
 *   text of clopt_error().
 * - The library prints nothing (except with CLOPT_VERBOSE; a driver's compiler may), never exits
 *   and installs no handler.  Outside its contexts it keeps only files in the user's cache
 *   (clopt_options.cache_dir): compiled kernels, whether they were right, which were fastest, which
 *   drivers are sound.  Only clopt_tune writes another file, the file of records.
 * - Two runs of a program on one machine give the same bits, unless variants were compared by
 *   timing (tune_seconds, CLOPT_TUNE) or clopt_tune wrote a record in between: variants add up in
 *   different orders.
 *
 * clopt_open reads environment variables such as CLOPT_DEVICE; docs/environment.md lists them.
 * Options take precedence over them.
 */
#ifndef CLOPT_H
#define CLOPT_H

#include <stddef.h>
#include <stdint.h>

/* Before each declaration of a function. */
#ifndef CLOPT_API
#define CLOPT_API extern
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define CLOPT_VERSION_MAJOR 0
#define CLOPT_VERSION_MINOR 2
#define CLOPT_VERSION_PATCH 0

/* The version of the linked library, which may differ from that of this header: "0.2.0", and
 * 10000 * major + 100 * minor + patch. */
CLOPT_API const char *clopt_version(void);
CLOPT_API int clopt_version_number(void);

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
	X(EWRONG, -20008, "a kernel gave a wrong result") \
	X(EIO, -20009, "a file could not be read, written or removed") \
	X(ECANCELED, -20010, "the call was cancelled") \
	X(ELOST, -20011, "the device was lost: the context is unusable") \
	X(EFORK, -20012, "the context belongs to the parent process")

/* What functions return. */
enum clopt_status {
#define CLOPT_STATUS_ENUM(name, number, text) CLOPT_##name = number,
	CLOPT_STATUS_MAP(CLOPT_STATUS_ENUM)
#undef CLOPT_STATUS_ENUM
	CLOPT_STATUS_END = 1 /* not a status */
};

/* A status in a few words.  Never NULL, also for a number that is no status. */
CLOPT_API const char *clopt_strerror(int status);

struct clopt;

/*
 * The last failure on ctx in the calling thread: routine, sizes, device, the OpenCL call and its
 * code by name, and a build log if there is one.  ctx == NULL: the last failure of a call without a
 * context, such as clopt_open.  "" if there was none.  The text belongs to the library and stays
 * valid until this thread's next failing call.  A thread keeps one text, that of its latest
 * failure: if that was on another context, the answer is "".
 */
CLOPT_API const char *clopt_error(const struct clopt *ctx);

/*
 * A copy of the text of the last failure on ctx, in whichever thread it happened: into text (size
 * bytes, always terminated, cut if too short).  Returns the bytes that the whole text takes, with
 * its end; 0 if there was no failure.  ctx NULL, and in a child process: the text of clopt_error().
 */
CLOPT_API size_t clopt_error_copy(struct clopt *ctx, char *text, size_t size);

/* ========================================================= Context ======= */

/* Set with CLOPT_OPTIONS_INIT, then change fields.  0 and NULL mean the default: the environment
 * variable, or else what the comment says. */
struct clopt_options {
	size_t size; /* sizeof(struct clopt_options) */

	/*
	 * Which device.  NULL: CLOPT_DEVICE, or else the fastest by its
	 * datasheet.  "3": the device of that index in clopt_device_list().
	 * "vendor:type:name": each part may be empty; vendor and name match
	 * anywhere in the vendor's or platform's and the device's name,
	 * without regard to case; type is cpu, gpu or accelerator.  A word
	 * without ':' may match any of the three: "gpu", "nvidia", "pocl".
	 */
	const char *device;

	/* Kernel variants to force, as for clopt_force_variants() in clopt_tune.h. */
	const char *variants;

	/* Device memory that one call may use at a time; default: 90 % of the device's.  A larger
	 * problem is cut into pieces.  Where host and device share memory, a limit also prevents
	 * zero copy (using arrays in place). */
	size_t mem_limit_bytes;

	/* Command queues to spread a call over, 1 to 8.  Default: as many as the device can use: 3
	 * if it has a copy engine for each direction, 2 if it has one.  A call in one piece uses
	 * one queue. */
	unsigned queues;

	/* 1: time every command by OpenCL events, for the seconds of struct clopt_report and for
	 * clopt_trace_start.  Off by default, since an event and its time stamps cost a few
	 * microseconds a command: docs/measurements.md. */
	int profile;

	/* 1: one line for each driver left out and each call, except calls with refused arguments,
	 * to log or else to stderr.  -1: none, whatever CLOPT_VERBOSE says.  Default: none. */
	int verbose;

	int check; /* enum clopt_check: when results are checked */
	int transfer; /* enum clopt_transfer: how the caller's arrays reach the device */

	/* For staging: threads that copy, up to 64, and the bytes of pinned memory that each fills
	 * at a time, up to 64 MiB.  Default: measured on the first call that needs it, and kept for
	 * the context. */
	unsigned copy_threads;
	size_t chunk_bytes;

	/* About how many seconds one command of a sum over pairs (potential, nbody, leapfrog,
	 * evolve) may keep the device busy.  A longer sum is queued in slices, with the same
	 * result.  For devices that drive a display: the system stops a command after some seconds
	 * (2 on Windows) and does not draw meanwhile.  0.1 is a good value.  Every slice has enough
	 * targets to keep all compute units busy.  Until a call on arrays has shown a kernel's
	 * speed, slices are shorter.  Default: no slices, or 0.1 with progress.  Negative: no
	 * slices. */
	double slice_seconds;

	/* clopt_tune.h describes these.  Seconds that a call may spend on comparing variants
	 * (default, or negative: none); the file of records ("0": none); the folder that keeps
	 * compiled kernels ("0": none) and the most bytes in it (default: 256 MiB); seconds for a
	 * child process to try the drivers in (default, or negative: no child process); bugs of
	 * drivers to ignore. */
	double tune_seconds;
	const char *tuning;
	const char *cache_dir;
	size_t cache_bytes;
	double probe_seconds;
	const char *quirks;

	/* If not NULL, gets each line of text that would go to stderr, without its end; during
	 * clopt_open too.  It is called by the thread that makes the call (an asynchronous call:
	 * by the context's) and must not call a function on the context, except clopt_cancel:
	 * CLOPT_EINVAL. */
	void (*log)(void *user, const char *line);
	void *log_user;

	/* If not NULL, is called during calls on arrays that take long, about five times a second,
	 * with the part of the call that is done, 0 to 1, which never decreases.  It is called
	 * between the pieces of a call (see clopt_cancel), so seldom while one takes long.  The
	 * rules are those of log.  Nonzero cancels the call, as clopt_cancel does.  With progress
	 * the default of slice_seconds is 0.1. */
	int (*progress)(void *user, double done);
	void *progress_user;

	/* 1: a call that fails leaves an output that is also an input as it was.  That takes a copy
	 * of the output in host memory during calls that read it.
	 * Default, or -1: no copy. */
	int keep_output;
	int reserved; /* 0 */
};

#define CLOPT_OPTIONS_INIT \
	{ \
		sizeof(struct clopt_options), NULL, NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, \
		        NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, 0, 0 \
	}

/*
 * The same as a function, for languages without C's macros: sets *options, whose size there is
 * `size`, to the defaults.  Each of the initialisers below has such a function.
 */
CLOPT_API void clopt_options_init(struct clopt_options *options, size_t size);

/* Ways between the caller's arrays and the device. */
enum clopt_transfer {
	CLOPT_TRANSFER_DEFAULT, /* the value of CLOPT_TRANSFER, or else CLOPT_TRANSFER_AUTO */
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
 */
enum clopt_check {
	CLOPT_CHECK_DEFAULT, /* the value of CLOPT_CHECK, or else CLOPT_CHECK_FIRST */
	CLOPT_CHECK_OFF,
	/* Each kernel solves a few small problems of the library before it gets the caller's data.
	 * That takes some milliseconds and up to 10 MB on the device that no limit counts.  The
	 * verdict is kept in the cache, so the check runs once for a driver. */
	CLOPT_CHECK_FIRST,
	/* Also the result of each call on arrays.  Products: C x = alpha A (B x) + beta C x, each
	 * row of it, for a random x of 1 and -1.  Transposes: each element.  Sums over pairs:
	 * targets computed again, all of up to 65,536 pairs, else at least 8 targets.  A wrong
	 * result is computed again by the next variant.  clopt_tune.h has the bounds and the costs.
	 * Calls on buffers, leapfrog, evolve and clopt_map are not checked each time. */
	CLOPT_CHECK_ALWAYS
};

/*
 * Open a context on a device.  options may be NULL.  On failure *ctx is NULL and clopt_error(NULL)
 * says why.
 *
 * CLOPT_ENODEVICE: no device matches (the text names the devices there are), or there is none (the
 * text names the drivers that were left out, and why).  CLOPT_EINVAL: an invalid option or
 * environment variable.  CLOPT_EIO: a file of records (tuning) that is there and cannot be read.
 * CLOPT_EDEVICE, CLOPT_ENOMEM.
 */
CLOPT_API int clopt_open(struct clopt **ctx, const struct clopt_options *options);

/* Release the context.  It waits for asynchronous calls; calls at once in other threads must have
 * returned, and no thread may wait for, cancel or free an asynchronous call meanwhile.  Memory of
 * clopt_host_alloc is freed with it.  Buffers, queues, events and asynchronous calls of the context
 * may still be freed afterwards, in any order, but not used; what they need of the context lives as
 * long as they do.  Nothing happens for NULL, and in a callback. */
CLOPT_API void clopt_close(struct clopt *ctx);

/*
 * Cancel the call that runs on ctx, from any thread, from a signal handler, or from a callback: the
 * call returns CLOPT_ECANCELED as soon as the commands that the device has begun are done, or
 * CLOPT_OK if that was all of it.  Then nothing moves any more, and the context can be used.
 * Nothing happens if no call runs.  Asynchronous calls that wait for their turn are not cancelled;
 * clopt_call_cancel is for them.
 *
 * A call ends between two of its pieces: a few blocks of a problem that is cut, a chunk of a staged
 * transfer, a product of a batch, a slice of a sum over pairs (slice_seconds), 0.1 s of steps, a
 * timing of a variant.  That is usually within 0.2 s.  One command cannot be interrupted: a product
 * that is computed in one piece, a sum without slices, a transfer by the driver, a kernel's
 * compilation.  Commands on buffers that are queued stay queued.
 */
CLOPT_API void clopt_cancel(struct clopt *ctx);

/* ======================================================== Routines =======
 *
 * All take ordinary host memory and any size, and return when the result is in place.  Large
 * problems are cut into bands, so that the transfers of one band run beside the computing of
 * another: rows of C and A, rows of a matrix to be transposed, targets.  If a band does not fit the
 * device, the other direction is cut too: columns of C and B, columns of the matrix.  Each element
 * of the result has the same bits however the problem is cut.  Only if even such a block is too
 * large are k and the sources cut; then partial sums are added up in another order.  (Sums of
 * halves and bfloat16 stay in float32 then too: such products are computed as products of floats,
 * with 34 MB of the host's memory.)
 *
 * Statuses of all of them: CLOPT_EINVAL (a NULL array of nonzero size, a leading dimension shorter
 * than its row, an array beyond the last address, an output that overlaps an input), CLOPT_ENOMEM,
 * CLOPT_EDEVICE, CLOPT_EBUILD, CLOPT_ENOVARIANT, CLOPT_EWRONG (enum clopt_check), CLOPT_ECANCELED
 * (clopt_cancel), CLOPT_ELOST, CLOPT_EFORK; CLOPT_EUNSUPPORTED for double on a device without it.
 */

/* The same numbers as CBLAS: CblasRowMajor, CblasNoTrans and so on may be passed.  In a struct
 * layout 0 means ROW_MAJOR, and trans 0 NO. */
enum clopt_layout {
	CLOPT_LAYOUT_ROW_MAJOR = 101, /* C's arrays: a[i][j] is a[i * lda + j] */
	CLOPT_LAYOUT_COL_MAJOR = 102 /* Fortran's: a[i + j * lda] */
};
enum clopt_trans {
	CLOPT_TRANS_NO = 111,
	CLOPT_TRANS_YES = 112,
	CLOPT_TRANS_CONJ = 113 /* the transpose of the conjugates; of reals: the transpose */
};
enum clopt_uplo {
	CLOPT_UPLO_UPPER = 121,
	CLOPT_UPLO_LOWER = 122
};

/* C = A B: A is m x k, B is k x n, C is m x n, all row-major and packed (leading dimensions k, n,
 * n).  C may not overlap A or B. */
CLOPT_API int clopt_matmul(struct clopt *ctx, size_t m, size_t n, size_t k, const float *a,
                           const float *b, float *c);

/*
 * C = alpha op(A) op(B) + beta C, with CBLAS's arguments.
 *
 * op(A) is m x k: A itself, or (CLOPT_TRANS_YES) the transpose of A, which is then k x m.  op(B) is
 * k x n likewise; C is m x n.  lda, ldb, ldc are the elements from one row of the array to the
 * next, or in CLOPT_LAYOUT_COL_MAJOR from one column to the next, and no shorter than a row or
 * column.  Gaps between them are neither read nor written.
 *
 * beta == 0: C is not read, so NaN in it does not matter.  alpha == 0 or k == 0: A and B are not
 * read.  The sum over k is in the precision of the arguments or better; its order depends on the
 * variant and the device.  The whole sum is multiplied by alpha once, at the end, so only alpha
 * times all of it can overflow; but if memory makes the library cut k, each part is multiplied.
 */
CLOPT_API int clopt_sgemm(struct clopt *ctx, int layout, int transa, int transb, size_t m, size_t n,
                          size_t k, float alpha, const float *a, size_t lda, const float *b,
                          size_t ldb, float beta, float *c, size_t ldc);
CLOPT_API int clopt_dgemm(struct clopt *ctx, int layout, int transa, int transb, size_t m, size_t n,
                          size_t k, double alpha, const double *a, size_t lda, const double *b,
                          size_t ldb, double beta, double *c, size_t ldc);

/*
 * The same for complex numbers, of float and of double: pairs of real and imaginary part, as in
 * C99, C++ and Fortran.  alpha and beta point to one such number each.
 *
 * Products are conventional, of four real products each: the real part of a result is a sum of 2 k
 * real products, and so is the imaginary part, each with the error bound of such a sum.  alpha and
 * beta without imaginary part multiply as real numbers.
 */
CLOPT_API int clopt_cgemm(struct clopt *ctx, int layout, int transa, int transb, size_t m, size_t n,
                          size_t k, const void *alpha, const void *a, size_t lda, const void *b,
                          size_t ldb, const void *beta, void *c, size_t ldc);
CLOPT_API int clopt_zgemm(struct clopt *ctx, int layout, int transa, int transb, size_t m, size_t n,
                          size_t k, const void *alpha, const void *a, size_t lda, const void *b,
                          size_t ldb, const void *beta, void *c, size_t ldc);

/* Types of array elements; the low byte is the bytes of an element.  In a struct 0 is FLOAT. */
enum clopt_type {
	CLOPT_TYPE_HALF = 0x002, /* IEEE binary16, in uint16_t; sums are in float32, rounded once */
	CLOPT_TYPE_FLOAT = 0x004,
	CLOPT_TYPE_DOUBLE = 0x008,
	/* The upper half of a float, in uint16_t; sums are in float32, rounded once, to the nearest
	 * even; NaN stays NaN. */
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
 *	struct clopt_gemm_desc g = CLOPT_GEMM_DESC_INIT;
 *
 *	g.m = g.n = g.k = 64;
 *	g.batch = 1000;
 *	g.stride_a = g.stride_b = g.stride_c = 64 * 64;
 *	rc = clopt_gemm(ctx, &g, a, b, c);
 */
struct clopt_gemm_desc {
	size_t size; /* sizeof(struct clopt_gemm_desc) */
	int type; /* enum clopt_type, of all three arrays */
	int layout, transa, transb; /* enum clopt_layout, enum clopt_trans */
	int math; /* enum clopt_math */
	/* 0: all of C.  CLOPT_UPLO_LOWER or CLOPT_UPLO_UPPER: only that triangle, with the
	 * diagonal, is computed and written; then m == n, else CLOPT_EINVAL. */
	int triangle;
	/* Of complex types, 1: the triangle's matrix is Hermitian.  The imaginary parts of its
	 * diagonal are not read, and set to 0; alpha and beta are real. */
	int hermitian;
	int reserved; /* 0 */
	size_t m, n, k;
	/* In float32 unless the type is of double.  alpha 0 is CLOPT_EINVAL unless k is 0: somebody
	 * forgot it. */
	double alpha, beta;
	size_t lda, ldb, ldc; /* 0: no gaps */
	/* Products of equal shape: C_i = alpha op(A_i) op(B_i) + beta C_i, i < batch.  A_i begins
	 * stride_a elements behind A_(i-1), and so on.  A stride of 0: one A for all, or one B.
	 * The C_i may not overlap; stride_c 0: no gaps.  batch 0: 1. */
	size_t batch;
	size_t stride_a, stride_b, stride_c;
	double alpha_imag, beta_imag; /* of complex types; of real types 0 */
};

#define CLOPT_GEMM_DESC_INIT \
	{ \
		sizeof(struct clopt_gemm_desc), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, \
		        0, 0, 0, 0, 0 \
	}

CLOPT_API void clopt_gemm_desc_init(struct clopt_gemm_desc *g, size_t size);

/* CLOPT_EUNSUPPORTED for double and complex double on a device without it. */
CLOPT_API int clopt_gemm(struct clopt *ctx, const struct clopt_gemm_desc *g, const void *a,
                         const void *b, void *c);

/* The same in plain arguments, for batches; numbers are as they are given: batch 0 is none, alpha 0
 * gives C = beta C, and leading dimensions are no shorter than a row ... */
CLOPT_API int clopt_gemm_strided_batched(struct clopt *ctx, int type, int layout, int transa,
                                         int transb, size_t m, size_t n, size_t k, double alpha,
                                         const void *a, size_t lda, size_t stride_a, const void *b,
                                         size_t ldb, size_t stride_b, double beta, void *c,
                                         size_t ldc, size_t stride_c, size_t batch);

/* ... and for C = alpha A A^T + beta C (CLOPT_TRANS_NO: A is n x k) or alpha A^T A + beta C
 * (CLOPT_TRANS_YES: A is k x n).  Only the triangle uplo is written, with half the work of a
 * product.  alpha and beta are real; clopt_gemm with a triangle takes complex ones. */
CLOPT_API int clopt_syrk(struct clopt *ctx, int type, int layout, int uplo, int trans, size_t n,
                         size_t k, double alpha, const void *a, size_t lda, double beta, void *c,
                         size_t ldc);
/* The Hermitian C = alpha A A^H + beta C (CLOPT_TRANS_NO) or alpha A^H A + beta C
 * (CLOPT_TRANS_CONJ).  Imaginary parts of C's diagonal are not read, and set to 0.  Of real types
 * clopt_syrk. */
CLOPT_API int clopt_herk(struct clopt *ctx, int type, int layout, int uplo, int trans, size_t n,
                         size_t k, double alpha, const void *a, size_t lda, double beta, void *c,
                         size_t ldc);

/*
 * out = the transpose of in.  in has rows x cols elements of elem_bytes (1, 2, 4, 8 or 16), ld_in
 * >= cols from one row to the next; out has cols x rows, ld_out >= rows.  Elements are moved as
 * bits and not interpreted.  out may not overlap in.  For arrays in column-major order swap rows
 * and cols; ld is then from one column to the next.
 */
CLOPT_API int clopt_transpose(struct clopt *ctx, size_t rows, size_t cols, size_t elem_bytes,
                              const void *in, size_t ld_in, void *out, size_t ld_out);

/* The same for `batch` matrices of one shape: each begins stride_in elements behind the one before,
 * its transpose stride_out.  The transposes may not overlap.  stride_in 0: one matrix, transposed
 * to many places. */
CLOPT_API int clopt_transpose_strided_batched(struct clopt *ctx, size_t rows, size_t cols,
                                              size_t elem_bytes, const void *in, size_t ld_in,
                                              size_t stride_in, void *out, size_t ld_out,
                                              size_t stride_out, size_t batch);

/*
 * out = alpha times the transpose of in, called omatcopy in several BLAS libraries.  alpha == 1
 * moves bits, as above.  alpha == 0 makes zeros, whatever in holds.  Otherwise each product is
 * rounded once; a device may take subnormal floats for zeros.
 */
CLOPT_API int clopt_stranspose(struct clopt *ctx, size_t rows, size_t cols, float alpha,
                               const float *in, size_t ld_in, float *out, size_t ld_out);
CLOPT_API int clopt_dtranspose(struct clopt *ctx, size_t rows, size_t cols, double alpha,
                               const double *in, size_t ld_in, double *out, size_t ld_out);

/*
 * data is replaced by its transpose.  If rows == cols, any ld >= cols is allowed, and the gaps
 * between rows are kept.  Otherwise the matrix has no gaps, before or after: ld is cols (else
 * CLOPT_EINVAL), and the result is cols x rows with rows of `rows` elements.
 *
 * data is written after all else has succeeded: if the call fails, data is unchanged.  So the call
 * takes as much host memory again while it runs.
 */
CLOPT_API int clopt_transpose_inplace(struct clopt *ctx, size_t rows, size_t cols,
                                      size_t elem_bytes, void *data, size_t ld);

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

/* How sums over pairs are computed.  Arrays of floats are float32 in any case; clopt_gravity and
 * clopt_potential_points take doubles. */
enum clopt_precision {
	CLOPT_PRECISION_DEFAULT, /* FLOAT; of clopt_nbody_evolve BEST */
	/* float32: sums within a tile of sources first, then over tiles, with a tenth of the error
	 * of one running sum of 100,000 terms. */
	CLOPT_PRECISION_FLOAT,
	/* Each term is float32, and the sum is compensated: its error does not grow with the number
	 * of sources. */
	CLOPT_PRECISION_COMPENSATED,
	/* Two float32 for each number, about 14 digits, on any device; about 15 times the work.
	 * For the sums of Coulomb's law and of gravity, not for the constants of CLOPT_LAW_ALPB
	 * that are added to them; other laws are CLOPT_EUNSUPPORTED. */
	CLOPT_PRECISION_DOUBLE_SINGLE,
	/* float64, if the device has it; else CLOPT_EUNSUPPORTED. */
	CLOPT_PRECISION_DOUBLE,
	/* The last of these that the device has and the law allows. */
	CLOPT_PRECISION_BEST
};

/*
 * The law of a pair.  d is the distance, K is options.scale.  clopt_potential takes the first five;
 * the others are the terms that kernels are made for (struct clopt_problem).
 */
enum clopt_law {
	CLOPT_LAW_DEFAULT, /* COULOMB; of bodies GRAVITY */
	CLOPT_LAW_COULOMB, /* K / eps_in  sum q / d */
	CLOPT_LAW_DISTANCE4, /* K / 4  sum q / d^2: a dielectric constant of 4 d */
	CLOPT_LAW_DEBYE, /* K / eps_in  sum q exp(-kappa d) / d */
	/* A molecule of eps_in in a solvent of eps_out, with salt if kappa > 0: the analytical
	 * linearized Poisson-Boltzmann formula.  Needs radius and, with salt or outputs other than
	 * PHI, normals.  Outside and without salt its term is COULOMB's, else one of the next. */
	CLOPT_LAW_ALPB,
	CLOPT_LAW_ALPB_SALT, /* between the surface and the ions */
	CLOPT_LAW_ALPB_FAR, /* among the ions */
	CLOPT_LAW_ALPB_INSIDE,
	CLOPT_LAW_ALPB_INSIDE_SALT,
	CLOPT_LAW_GRAVITY,
	CLOPT_LAW_GRAVITY_OWN, /* targets with softening lengths of their own */
	CLOPT_LAWS /* how many there are */
};

/* The part of the potential that is wanted. */
enum clopt_part {
	CLOPT_PART_TOTAL,
	CLOPT_PART_REACTION, /* without the Coulomb part K / eps_in  sum q / d */
	CLOPT_PART_COULOMB /* only the Coulomb part */
};

/* The results for each target, as adjacent floats. */
enum clopt_outputs {
	CLOPT_OUTPUTS_PHI, /* 1: the potential */
	CLOPT_OUTPUTS_PHI_NORMAL, /* 2: the potential, and the field along the target's normal */
	CLOPT_OUTPUTS_FIELD_PHI, /* 4: the field's x, y and z, and the potential */
	CLOPT_OUTPUTS_FIELD, /* 4: the field and a 0 */
	CLOPT_OUTPUTS_JERK /* 8: the field, the potential, the jerk and a 0; of clopt_gravity */
};

/*
 * Lengths are in one unit of the caller's choice, charges in another; scale converts the results.
 * With e and Angstrom, 332.06371 gives kcal/mol/e, 560.46 kT/e at 298.15 K, 14399.6 mV.
 */
struct clopt_potential_options {
	size_t size; /* sizeof(struct clopt_potential_options) */
	int law, part, outputs, precision; /* of the enums above */
	double scale; /* K; 0: 1 */
	double eps_in, eps_out; /* dielectric constants of molecule and solvent; 0: 1 and 80 */
	double kappa; /* inverse Debye length; clopt_kappa().  0: no salt */
	/* For every law: a target is a point of a surface with its normal, which points outward.
	 * Values are computed at distance p from the target along its normal.  Without normals p
	 * has to be 0. */
	double projection; /* p; negative is inside */
	/* From here on for CLOPT_LAW_ALPB only, except the normals. */
	double radius; /* A, the electrostatic radius: clopt_electrostatic_radius() */
	double ion_radius; /* b: no ion's centre is nearer to the surface; 0: 2 */
	double alpha; /* 0: 0.571412; a number such as 1e-300 stands for none, also in ion_radius */
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
	int reserved; /* 0 */
};

#define CLOPT_POTENTIAL_OPTIONS_INIT \
	{ \
		sizeof(struct clopt_potential_options), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, \
		        NULL, NULL, NULL, NULL, 0, 0 \
	}

CLOPT_API void clopt_potential_options_init(struct clopt_potential_options *options, size_t size);

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
CLOPT_API int clopt_potential(struct clopt *ctx, size_t nsources, const float *sources,
                              size_t ntargets, const float *targets, float *phi,
                              const struct clopt_potential_options *options);

/*
 * The electrostatic radius of a molecule of n atoms at atoms (x, y, z, unread) with these radii, in
 * their unit: the radius of the ball with the same determinant of its moments of inertia, atoms
 * weighted by the cubes of their radii.  One atom has its own radius.  0 if no radius is positive;
 * NaN if one is negative or NaN.  Source: Sigalov, Fenley, Onufriev, J. Chem. Phys. 124, 124902
 * (2006).
 */
CLOPT_API double clopt_electrostatic_radius(size_t n, const float *atoms, const float *radii);

/* The inverse Debye length in 1/Angstrom for an ionic strength in mol/l, a dielectric constant and
 * a temperature in kelvin.  NaN, which clopt_potential refuses, if the strength is negative or
 * another argument is not positive. */
CLOPT_API double clopt_kappa(double ionic_strength, double eps, double kelvin);

/* Options of gravity; 0 means the default. */
struct clopt_nbody_options {
	size_t size; /* sizeof(struct clopt_nbody_options) */
	double g; /* the gravitational constant, in the caller's units; 0: 1 */
	double softening; /* eps below, a length */
	int precision; /* enum clopt_precision */
	/* 1: a target's weight is a softening length of its own; the squares of the two are
	 * added. */
	int target_softening;
	int potential; /* 1: compute phi too; 0: phi is 0, which is faster */
	int reserved; /* 0 */
};

#define CLOPT_NBODY_OPTIONS_INIT \
	{ \
		sizeof(struct clopt_nbody_options), 0, 0, 0, 0, 0, 0 \
	}

CLOPT_API void clopt_nbody_options_init(struct clopt_nbody_options *options, size_t size);

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
CLOPT_API int clopt_nbody(struct clopt *ctx, size_t nsources, const float *sources, size_t ntargets,
                          const float *targets, float *acc,
                          const struct clopt_nbody_options *options);

/* ---- Points as programs keep them: doubles, arrays apart, structs --------- */

/*
 * n points.  x[i] is stride_bytes behind x[i - 1], and so are the other arrays: separate arrays
 * without gaps have a stride of 0, points in an array of structs sizeof the struct.  Four adjacent
 * floats or doubles a point are such structs too.
 *
 *	struct particle { double x, y, z, vx, vy, vz, ax, ay, az, m; } *p;
 *	struct clopt_points s = CLOPT_POINTS_INIT;
 *	struct clopt_results r = CLOPT_RESULTS_INIT;
 *
 *	s.n = n, s.x = &p->x, s.y = &p->y, s.z = &p->z, s.w = &p->m;
 *	r.x = &p->ax, r.y = &p->ay, r.z = &p->az;
 *	s.stride_bytes = r.stride_bytes = sizeof *p;
 *	clopt_gravity(ctx, &s, &s, &r, NULL);
 */
struct clopt_points {
	size_t size; /* sizeof(struct clopt_points) */
	size_t n;
	int type; /* of every number: CLOPT_TYPE_DOUBLE (0: also that) or CLOPT_TYPE_FLOAT */
	int reserved; /* 0 */
	size_t stride_bytes; /* from one point to the next; 0: no gaps in any array */
	const void *x, *y, *z;
	/* Charges or masses of sources.  Of targets, softening lengths with target_softening; else
	 * not read and may be NULL. */
	const void *w;
	const void *vx, *vy, *vz; /* velocities; read for the jerk only */
};

#define CLOPT_POINTS_INIT \
	{ \
		sizeof(struct clopt_points), 0, 0, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL \
	}

CLOPT_API void clopt_points_init(struct clopt_points *points, size_t size);

/* Where results go, one for each target; NULL: not wanted.  The pointers say what is computed. */
struct clopt_results {
	size_t size; /* sizeof(struct clopt_results) */
	int type; /* as in struct clopt_points; 0: that of the targets */
	int reserved; /* 0 */
	size_t stride_bytes; /* as in struct clopt_points */
	void *x, *y, *z; /* the field, or the acceleration */
	void *phi; /* the potential */
	void *normal; /* clopt_potential_points: the field along the target's normal */
	void *jx, *jy, *jz; /* clopt_gravity: the jerk, the acceleration's derivative in time */
};

#define CLOPT_RESULTS_INIT \
	{ \
		sizeof(struct clopt_results), 0, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, \
		        NULL \
	}

CLOPT_API void clopt_results_init(struct clopt_results *results, size_t size);

/*
 * clopt_potential and clopt_nbody for such points.  sources and targets may be one struct.  Results
 * may lie in the structs of the points, if they share no number with an input or with each other
 * (else CLOPT_EINVAL).  Normals and depths are floats, as the options have them.
 * outputs and potential of the options are not read.
 *
 *	jerk_i = g * sum over j of m_j (u / r^3 - 3 (d . u) d / r^5),   d = x_j - x_i, u = v_j - v_i,
 *	                                                                r^2 = |d|^2 + eps^2
 *
 * Precision: CLOPT_PRECISION_DEFAULT is BEST if sources, targets and results are all double, else
 * FLOAT.  DOUBLE computes from the doubles as they are, for distances between 1.5e-154 and 1.3e154:
 * relative to the sum of its terms' magnitudes an acceleration is right to about 1e-15.  In the
 * other precisions the centre of the box round all points is subtracted from the positions first;
 * then DOUBLE_SINGLE splits each double into two floats (about 14 digits, and float's range), and
 * FLOAT and COMPENSATED round it to one.
 *
 * Memory: the call packs points and results into memory of clopt_host_alloc: 16 bytes (32 in DOUBLE
 * and DOUBLE_SINGLE; twice as much with jerk) for each source, each target unless targets are
 * sources, and each result.  clopt_host_trim releases what is kept for the next call.  Floats that
 * are stored as clopt_potential and clopt_nbody take them (adjacent x, y, z, w, results likewise,
 * no jerk, FLOAT or COMPENSATED) are used without a copy.  After a failure the results are as they
 * were, except without a copy.
 *
 * CLOPT_EINVAL beside the usual: no x, y or z; sources without w; a jerk without velocities; both
 * `normal` and a component of the field; a stride shorter than a number.
 */
CLOPT_API int clopt_potential_points(struct clopt *ctx, const struct clopt_points *sources,
                                     const struct clopt_points *targets,
                                     const struct clopt_results *results,
                                     const struct clopt_potential_options *options);
CLOPT_API int clopt_gravity(struct clopt *ctx, const struct clopt_points *sources,
                            const struct clopt_points *targets, const struct clopt_results *results,
                            const struct clopt_nbody_options *options);

/*
 * Move n bodies through steps leapfrog steps (kick, drift, kick) of length dt under their own
 * gravity.  bodies (x, y, z, m) and velocities (vx, vy, vz, and a fourth float that is kept) are
 * updated in place and stay on the device between the steps.  dt may be negative.  The bodies have
 * to fit the device whole: 48 bytes a body.
 */
CLOPT_API int clopt_nbody_leapfrog(struct clopt *ctx, size_t n, float *bodies, float *velocities,
                                   double dt, size_t steps,
                                   const struct clopt_nbody_options *options);

/* ---- Bodies that move under their gravity, in more than float32 ---------- */

/* How bodies are moved through a step. */
enum clopt_integrator {
	CLOPT_INTEGRATOR_KICK_DRIFT_KICK, /* leapfrog: order 2, one evaluation a step */
	CLOPT_INTEGRATOR_HERMITE /* order 4: predict, evaluate with jerk, correct */
};

/* Sums over all bodies, in the caller's units. */
struct clopt_conserved {
	double mass;
	double kinetic, potential; /* the energy is their sum */
	double momentum[3], angular_momentum[3]; /* about the origin */
	double centre[3]; /* of mass */
};

/* Options of clopt_nbody_evolve; 0 means the default. */
struct clopt_evolve_options {
	size_t size; /* sizeof(struct clopt_evolve_options) */
	double g, softening; /* as in struct clopt_nbody_options */
	int integrator; /* enum clopt_integrator */
	/* FLOAT, DOUBLE_SINGLE, DOUBLE or BEST (the default), also for the state between steps. */
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
		sizeof(struct clopt_evolve_options), 0, 0, 0, 0, 0, NULL, NULL \
	}

CLOPT_API void clopt_evolve_options_init(struct clopt_evolve_options *options, size_t size);

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
CLOPT_API int clopt_nbody_evolve(struct clopt *ctx, size_t n, double *bodies, double *velocities,
                                 double dt, size_t steps,
                                 const struct clopt_evolve_options *options);

/* The sums for bodies as they are, as evolve passes them to `each`, without a step.  The same
 * numbers are refused, and bodies at one place add no potential. */
CLOPT_API int clopt_nbody_conserved(struct clopt *ctx, size_t n, const double *bodies,
                                    const double *velocities,
                                    const struct clopt_evolve_options *options,
                                    struct clopt_conserved *sums);

/* =================================================== Pinned memory ======= */

/* The kinds of memory that clopt_host_alloc gives. */
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
CLOPT_API int clopt_host_alloc(struct clopt *ctx, size_t bytes, void **memory, int *kind);

/* memory: from clopt_host_alloc on the same context, or NULL.  CLOPT_EINVAL for any other
 * pointer. */
CLOPT_API int clopt_host_free(struct clopt *ctx, void *memory);
CLOPT_API int clopt_host_trim(struct clopt *ctx);

/* ============================================== What ran, and why ======== */

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
	size_t sum_parts; /* pieces that k, or the sources, were cut into; 1 for none */
	size_t in_place_bytes; /* of arrays that were used in place (zero copy) */
	size_t staged_bytes; /* the part of the transfers that was staged */
	/* Kernels that were new to the context: found in the cache, or compiled; and how many
	 * compiled ones were saved to the cache. */
	size_t kernels_loaded, kernels_compiled, kernels_saved;
	/* 0: several bands and queues, profiled, but the driver ran one command after the other.
	 * Else 1, even if gaps between commands cost as much as overlap saved. */
	int overlapped;
	int reserved;
};

#define CLOPT_REPORT_INIT \
	{ \
		sizeof(struct clopt_report), NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, \
		        0, 0, 0, 0 \
	}

CLOPT_API void clopt_report_init(struct clopt_report *report, size_t size);

/* How the last routine or map on this context went, also a failed one, or one on buffers (seconds
 * is then the time to queue it). */
CLOPT_API int clopt_last_report(struct clopt *ctx, struct clopt_report *report);

/* The operations that have kernels.  CLOPT_OP_LEAPFROG is the kick and drift between two
 * CLOPT_OP_NBODY in clopt_nbody_leapfrog. */
enum clopt_op {
	CLOPT_OP_MATMUL,
	CLOPT_OP_TRANSPOSE,
	CLOPT_OP_POTENTIAL,
	CLOPT_OP_NBODY,
	CLOPT_OP_LEAPFROG,
	/* The parts of clopt_nbody_evolve: the forces on bodies, the end of one step and the
	 * beginning of the next, conserved sums. */
	CLOPT_OP_EVOLVE_FORCE,
	CLOPT_OP_EVOLVE_STEP,
	CLOPT_OP_EVOLVE_SUMS,
	CLOPT_OPS /* how many there are */
};

/* "matmul", "transpose", ...; NULL for a number that is no operation. */
CLOPT_API const char *clopt_op_name(int op);

/*
 * A problem to ask about, as its routine would be called:
 *
 *	CLOPT_OP_MATMUL      dim = m, n, k     type, or elem_bytes 2, 4 or 8
 *	                  layout, transa, transb, math, triangle, hermitian, batch
 *	CLOPT_OP_TRANSPOSE   dim = rows, cols  elem_bytes 1 to 16  scaled, batch, uneven
 *	CLOPT_OP_POTENTIAL,
 *	CLOPT_OP_NBODY       dim = nsources, ntargets  elem_bytes 8 for points of doubles in
 *	                  DOUBLE_SINGLE and DOUBLE (clopt_gravity, clopt_potential_points)
 *	CLOPT_OP_LEAPFROG    dim = bodies
 *	CLOPT_OP_EVOLVE_FORCE, CLOPT_OP_EVOLVE_STEP, CLOPT_OP_EVOLVE_SUMS
 *	                  dim = bodies      precision of struct clopt_evolve_options
 *	                  outputs 1 for CLOPT_INTEGRATOR_HERMITE; 2 more with the potential
 */
struct clopt_problem {
	size_t size; /* sizeof(struct clopt_problem) */
	int op; /* enum clopt_op */
	int type; /* enum clopt_type, of CLOPT_OP_MATMUL; 0: the real type of elem_bytes */
	int transa, transb; /* 0: CLOPT_TRANS_NO */
	/* Of the pair operations: */
	int law; /* enum clopt_law */
	int outputs; /* enum clopt_outputs; of CLOPT_OP_NBODY FIELD (the default) or behind it */
	int precision; /* enum clopt_precision */
	int normals, depths; /* 1: the call has such an array */
	/* Of CLOPT_OP_MATMUL, as in struct clopt_gemm_desc: */
	int layout, math, triangle, hermitian;
	/* Of CLOPT_OP_TRANSPOSE: 1 for a factor other than 1, with elem_bytes 4 or 8. */
	int scaled;
	/* Of CLOPT_OP_TRANSPOSE on buffers, and of batches: 1 if leading dimensions or strides are
	 * no multiples of 16 bytes, so that rows or matrices begin at any place.  Other variants
	 * are best then.  Routines find out by themselves. */
	int uneven;
	int reserved; /* 0 */
	size_t dim[3];
	size_t elem_bytes; /* 0: that of the type, or 4 */
	size_t batch; /* of CLOPT_OP_MATMUL and CLOPT_OP_TRANSPOSE; 0: 1 */
	size_t steps; /* of bodies that move, for clopt_plan; 0: 1 */
};

#define CLOPT_PROBLEM_INIT \
	{ \
		sizeof(struct clopt_problem), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, \
		        { 0, 0, 0 }, 0, 0, 0 \
	}

CLOPT_API void clopt_problem_init(struct clopt_problem *problem, size_t size);

/*
 * Write into text (size bytes, always terminated, cut if too short) which variant serves this
 * problem on this device.  For each variant above it in the table the text says why that one does
 * not serve; for the variant itself, its geometry and the plan of the call (clopt_plan, dry).
 * Builds and checks kernels as a call would, since a variant that does not build, or is wrong, is
 * passed over.  CLOPT_ENOVARIANT, CLOPT_ENOMEM or CLOPT_EUNSUPPORTED if no variant serves; the text
 * then still says why.  CLOPT_EINVAL: an invalid problem, or no room for a text.
 */
CLOPT_API int clopt_explain(struct clopt *ctx, const struct clopt_problem *problem, char *text,
                            size_t size);

/* The name of the variant that would serve the problem; NULL if none would. */
CLOPT_API const char *clopt_chosen_variant(struct clopt *ctx, const struct clopt_problem *problem);

#ifdef __cplusplus
}
#endif

#endif
