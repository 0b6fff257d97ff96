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
 * This header has the routines on arrays in host memory.  Three more go further:
 *
 *	clopt_device.h   devices, asynchronous calls, buffers, queues, events, your own kernels
 *	clopt_tune.h     kernel variants: forcing, timing, records, plans; caches, occupancy, checks
 *	clopt_cl.h       OpenCL contexts of your own
 *
 * Rules for every function, unless its comment says otherwise
 *
 * - Sizes are in elements unless the name ends in _bytes, and may be 0.  Matrices are row major.
 * - Arrays belong to the caller.  An input is only read.  No array is touched after the
 *   return, or once an asynchronous call is done.
 * - A function that returns int returns CLOPT_OK (0) or one of the negative statuses below.  After
 *   a failure clopt_error() tells the cause in words.
 * - Refused arguments (CLOPT_EINVAL) change nothing.  After another failure an output may be partly
 *   written.  With clopt_options.keep_output 1, an output that is also an input (beta other than 0,
 *   one triangle, bodies that move, CLOPT_ARG_INOUT) is as it was before the call.
 * - Several threads may use one context: their calls run one after the other.  Different contexts
 *   are independent.  An object may be freed by any thread.  A thread that calls has a stack of
 *   256 KiB at least: no function of the library takes 40 of them, but PoCL's take more than 64.
 * - pthread_cancel of a thread inside a call takes effect when the call has returned.
 * - Drivers run in the default floating-point environment, and the flags that they raise are lost:
 *   the caller's rounding and traps do not reach them.  Small problems that the calling thread
 *   computes (enum clopt_small) keep the caller's.
 * - A driver's file beyond the limit on sizes (ulimit -f) raises no signal in the calling thread.
 *   PoCL's compiler would end the process there: below 16 MiB calls that need it fail.
 * - After fork() calls on the parent's contexts fail in the child (CLOPT_EFORK), and frees free
 *   nothing.  A child may open contexts if the parent had opened none and was opening none.
 * - Where the first field of a struct is its size, set it to sizeof the struct; one that ends inside
 *   a number or a pointer is refused (CLOPT_EINVAL).  The library may be older or newer than the
 *   caller's header: fields that the header lacks have their defaults; fields that the library lacks
 *   have to be 0 (CLOPT_EINVAL).  In options and descriptions 0 and NULL mean the default.  Options
 *   themselves may be NULL.
 * - A macro NAME_INIT sets a struct to its defaults.  The function name_init does the same for
 *   languages without C's macros; its size is that of the struct there.
 * - Names that the library returns (const char *) stay valid until the process ends.
 * - The library prints nothing unless asked (verbose; a driver's compiler may), never exits and
 *   installs no handler.  It writes files only in its cache (clopt_options.cache_dir), and those of
 *   clopt_tune and clopt_trace_json.
 * - Two runs of a program on one machine give the same bits, unless clopt_tune wrote a record in
 *   between or unlike devices share calls (enum clopt_share).
 */
#ifndef CLOPT_H
#define CLOPT_H

#include <stddef.h>
#include <stdint.h>

#ifndef CLOPT_API
#define CLOPT_API extern
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define CLOPT_VERSION_MAJOR 0
#define CLOPT_VERSION_MINOR 3
#define CLOPT_VERSION_PATCH 0

/* The version of the linked library: "0.3.0", and 10000 * major + 100 * minor + patch. */
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

struct clopt;

/* A status in a few words.  Never NULL, also for a number that is no status. */
CLOPT_API const char *clopt_strerror(int status);
/* The text of this thread's last failure if that was on ctx, else "".  ctx NULL: a failure without
 * a context, such as clopt_open's.  The text stays valid until this thread's next call. */
CLOPT_API const char *clopt_error(const struct clopt *ctx);
/* Copy the text of the last failure on ctx, in whichever thread, into text (size bytes, always
 * terminated, cut if too short).  Returns the bytes of the whole text with its end; 0 if there was
 * no failure.  ctx NULL, and in a child process: the text of clopt_error(). */
CLOPT_API size_t clopt_error_copy(struct clopt *ctx, char *text, size_t size);

/* ========================================================= Context ======= */

/* 0 and NULL mean the environment variable (docs/environment.md), or else the default given here.
 * clopt_open copies the options and their strings. */
struct clopt_options {
	size_t size; /* sizeof(struct clopt_options) */
	/* NULL: the fastest device by its datasheet.  "3": the device of that index in
	 * clopt_device_list().  "vendor:type:name": each part may be empty; vendor and name match
	 * anywhere in the vendor's or platform's and the device's name, without regard to case;
	 * type is cpu, gpu or accelerator.  A word without ':' may match any of the three.
	 * "1b:00.0" or "0001:1b:00.0", and a UUID: the device with this PCI address or UUID.
	 *
	 * A word that several devices match means the first of them in that list, and before it those
	 * whose platform has it: "intel" is not PoCL on an Intel processor.  "gpu*" means all of
	 * them, "gpu#2" the third, and "gpu#rank" the one for this process of an MPI job: its local
	 * rank modulo their number (docs/environment.md).  "*", "#2" and "#rank" are about all
	 * devices.  Here a GPU counts once, by its PCI address, also if two drivers have it.
	 * "0+1" and "gpu*+pocl" mean the devices of each word, in this order, each device once.
	 *
	 * What a device has in its name as it stands means that device, also with '*', '#' and '+'
	 * in it, if it does not begin with one of these. */
	const char *device;
	const char *variants; /* kernel variants to force: clopt_force_variants() */
	/* Device memory for one call, and what earlier calls leave to it; default: 90 % of the
	 * device's.  CLOPT_ENOMEM, with the least that would do, also where a call would go in so many
	 * parts that it takes ten times as long as without a limit, and a second more, by assumed rates;
	 * not so clopt_map, of whose kernel nothing is known. */
	size_t mem_limit_bytes;
	unsigned queues; /* command queues to spread a call over, 1 to 8; default: 2 or 3 */
	int profile; /* 1: time every command, for struct clopt_report and clopt_trace_start */
	/* 1: a line for each call, unless it was refused, and each driver left out, to log or
	 * stderr.  -1: none. */
	int verbose;
	int check; /* enum clopt_check: when results are checked */
	int transfer; /* enum clopt_transfer: how the caller's arrays reach the device */
	unsigned copy_threads; /* for staging, up to 64; default: measured */
	size_t chunk_bytes; /* pinned memory of each of them, up to 64 MiB; default: measured */
	/* For devices that drive a display, 0.1 say: about how many seconds one command of a sum
	 * over pairs may take.  A longer sum is queued in slices, with the same result.  Default:
	 * no slices, or 0.1 with progress.  Negative: no slices. */
	double slice_seconds;
	/* clopt_tune.h has more on these.  Negative seconds: none. */
	const char *tuning; /* the file of records; "0": none */
	const char *cache_dir; /* the folder of compiled kernels; "0": none */
	size_t cache_bytes; /* the most in it; default: 256 MiB */
	const char *quirks; /* bugs of drivers to ignore */
	/* If not NULL, gets each line of text that would go to stderr, without its end; during
	 * clopt_open too.  It runs in the thread of the call (asynchronous: of the context) and
	 * must not call a function on the context (CLOPT_EINVAL), except clopt_cancel.  It has to
	 * return: after a longjmp or an exception out of it the context stays locked.  This thread
	 * gets CLOPT_EINVAL, others wait for ever, and nothing frees it.  clopt.hpp lets exceptions
	 * through. */
	void (*log)(void *user, const char *line);
	void *log_user;
	/* If not NULL, is called between the pieces of a long call on arrays, about five times a
	 * second, with the part of the call that is done, 0 to 1, which never decreases.  Nonzero
	 * cancels the call, as clopt_cancel does.  The rules are those of log.  It is not called
	 * while a kernel compiles, nor at the end of the call. */
	int (*progress)(void *user, double done);
	void *progress_user;
	int keep_output; /* 1: see the rules above; takes a copy in host memory; 0, -1: no copy */
	int share; /* enum clopt_share: who computes what, on several devices */
	int small; /* enum clopt_small: where problems are computed that a launch is too long for */
	int reserved; /* 0 */
};
#define CLOPT_OPTIONS_INIT \
	{ \
		sizeof(struct clopt_options), NULL, NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, \
		        0, NULL, NULL, NULL, NULL, NULL, 0, 0, 0, 0 \
	}
CLOPT_API void clopt_options_init(struct clopt_options *options, size_t size);

/* A call on a device takes some 50 to 250 us, however little there is to compute. */
enum clopt_small {
	CLOPT_SMALL_DEFAULT, /* the value of CLOPT_SMALL, or else CLOPT_SMALL_HOST */
	/* Where arrays are in host memory, the calling thread computes small problems in C, by the
	 * variants NAME/host: products of float or double with k up to 256, transposes, and
	 * Coulomb's law and gravity in float or double; none of a batch.  The limits for
	 * multiply-adds, elements or pairs, and results, are constants, so bits stay: 2^20 for
	 * products (101 x 101 x 101), 2^16 for transposes, 2^15 for pairs; in double, and on
	 * processors without AVX2, half as many, but for transposes. */
	CLOPT_SMALL_HOST,
	CLOPT_SMALL_DEVICE /* never, unless such a variant is forced */
};

/* Ways between the caller's arrays and the device. */
enum clopt_transfer {
	CLOPT_TRANSFER_DEFAULT, /* the value of CLOPT_TRANSFER, or else CLOPT_TRANSFER_AUTO */
	/* Zero copy (using the array in place) where host and device share memory and the array is
	 * aligned; directly from pinned memory; arrays below 1 MiB by the calling thread through
	 * pinned memory; else the faster of the ways below. */
	CLOPT_TRANSFER_AUTO,
	CLOPT_TRANSFER_DRIVER, /* by the driver's own copy */
	CLOPT_TRANSFER_STAGED /* by staging: threads copy through chunks of pinned memory */
};

/* When results are checked on the host, since compilers and drivers have bugs.  A variant with a
 * wrong result, twice in one call, is struck out for this context, the next variant serves, and
 * clopt_explain() says why.  The call fails with CLOPT_EWRONG if the variant was forced or none
 * gives a right result. */
enum clopt_check {
	CLOPT_CHECK_DEFAULT, /* the value of CLOPT_CHECK, or else CLOPT_CHECK_FIRST */
	CLOPT_CHECK_OFF,
	CLOPT_CHECK_FIRST, /* each kernel before its first use, by small problems of the library */
	CLOPT_CHECK_ALWAYS /* also most results of calls on arrays: Checks in clopt_tune.h */
};

/* How the devices of a context share a call; Several devices in clopt_device.h. */
enum clopt_share {
	CLOPT_SHARE_DEFAULT, /* the value of CLOPT_SHARE, or else CLOPT_SHARE_AUTO */
	CLOPT_SHARE_AUTO, /* by the speeds that calls show; calls too short to gain stay on the first */
	CLOPT_SHARE_FIXED, /* by the devices' scores alone: a call is shared in the same way again */
	CLOPT_SHARE_EVERY /* as AUTO, but each call is shared, however short; for tests */
};

/* Open a context on a device, or on several.  On failure *ctx is NULL and clopt_error(NULL) says why.
 * CLOPT_ENODEVICE: no device matches, or there is none; the text names the devices there are, or
 * the drivers that were left out.  CLOPT_EINVAL: an option or environment variable.
 * CLOPT_EIO: a file of records that is there and cannot be read.  CLOPT_EDEVICE, CLOPT_ENOMEM. */
CLOPT_API int clopt_open(struct clopt **ctx, const struct clopt_options *options);

/* Wait for asynchronous calls, then release the context and its memory of clopt_host_alloc.  No
 * other thread may use the context or its asynchronous calls meanwhile.  Buffers, queues, events
 * and asynchronous calls may still be freed afterwards, but not used; ctx itself may not be passed
 * to any function.  As long as neither another allocation nor the system has got its memory, a call
 * on it fails (CLOPT_EINVAL, clopt_error(NULL)).  Does nothing for NULL, and in a callback. */
CLOPT_API void clopt_close(struct clopt *ctx);

/* Cancel the call that runs on ctx, if any, from any thread, a signal handler or a callback: it
 * returns CLOPT_ECANCELED, or CLOPT_OK if it was at its end, and the context can be used on.
 * Queued commands on buffers and asynchronous calls before their turn go on.  A call ends between
 * two of its pieces, usually within 0.2 s; one launch of a kernel, a driver's transfer and a
 * kernel's compilation cannot be interrupted. */
CLOPT_API void clopt_cancel(struct clopt *ctx);

/* ======================================================== Routines =======
 *
 * All take ordinary host memory and any size, and return when the result is in place.  A large
 * problem is cut into pieces, so that transfers and computing overlap.  The result has the same
 * bits however it is cut.
 *
 * Statuses of all of them: CLOPT_EINVAL (a NULL array of nonzero size, a leading dimension shorter
 * than its row, an array beyond the last address, an output that overlaps an input), CLOPT_ENOMEM,
 * CLOPT_EDEVICE, CLOPT_EBUILD, CLOPT_ENOVARIANT, CLOPT_EWRONG, CLOPT_ECANCELED, CLOPT_ELOST,
 * CLOPT_EFORK; CLOPT_EUNSUPPORTED for double and complex double on a device without double.
 */

/* The numbers are those of CBLAS.  In a struct layout 0 means ROW_MAJOR, and trans 0 NO. */
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

/* C = A B: A is m x k, B is k x n, C is m x n, all row major and without gaps. */
CLOPT_API int clopt_matmul(struct clopt *ctx, size_t m, size_t n, size_t k, const float *a,
                           const float *b, float *c);

/* C = alpha op(A) op(B) + beta C, with CBLAS's arguments.  op(A) is m x k: A itself, or
 * (CLOPT_TRANS_YES) the transpose of A, which is then k x m.  op(B) is k x n likewise; C is m x n.
 * lda, ldb, ldc are the elements from one row of the array to the next, or in
 * CLOPT_LAYOUT_COL_MAJOR from one column to the next, however many where there is only one; gaps
 * between them are neither read nor written.  beta == 0: C is not read.  alpha == 0 or k == 0: A and
 * B are not read.  The sum over k is in the precision of the arguments or better, and multiplied by
 * alpha at its end. */
CLOPT_API int clopt_sgemm(struct clopt *ctx, int layout, int transa, int transb, size_t m, size_t n,
                          size_t k, float alpha, const float *a, size_t lda, const float *b,
                          size_t ldb, float beta, float *c, size_t ldc);
CLOPT_API int clopt_dgemm(struct clopt *ctx, int layout, int transa, int transb, size_t m, size_t n,
                          size_t k, double alpha, const double *a, size_t lda, const double *b,
                          size_t ldb, double beta, double *c, size_t ldc);

/* The same for complex numbers, as in C99, C++ and Fortran.  alpha and beta point to one each; with
 * an imaginary part of 0 they multiply as real numbers.  Real and imaginary part of a result are
 * sums of 2 k real products each, with the error bound of such a sum. */
CLOPT_API int clopt_cgemm(struct clopt *ctx, int layout, int transa, int transb, size_t m, size_t n,
                          size_t k, const void *alpha, const void *a, size_t lda, const void *b,
                          size_t ldb, const void *beta, void *c, size_t ldc);
CLOPT_API int clopt_zgemm(struct clopt *ctx, int layout, int transa, int transb, size_t m, size_t n,
                          size_t k, const void *alpha, const void *a, size_t lda, const void *b,
                          size_t ldb, const void *beta, void *c, size_t ldc);

/* Types of array elements; the low byte is the bytes of an element.  In a struct 0 is FLOAT.  Sums
 * of HALF and BFLOAT16 are in float32 and rounded once, to the nearest even. */
enum clopt_type {
	CLOPT_TYPE_HALF = 0x002, /* IEEE binary16, in uint16_t */
	CLOPT_TYPE_FLOAT = 0x004,
	CLOPT_TYPE_DOUBLE = 0x008,
	CLOPT_TYPE_BFLOAT16 = 0x102, /* the upper half of a float, in uint16_t; NaN stays NaN */
	CLOPT_TYPE_COMPLEX_FLOAT = 0x208,
	CLOPT_TYPE_COMPLEX_DOUBLE = 0x210
};

/* How operands of a float32 product may be rounded first, for variants on matrix units. */
enum clopt_math {
	/* Not at all: errors are those of float32 arithmetic, or smaller; infinities, NaN and
	 * overflow are float32's.  An element below 2^-112 may lose low bits, which costs at most
	 * 2^-136 of the other factor. */
	CLOPT_MATH_EXACT = 0,
	/* To 11 significant bits, rounded or cut off; cutting off may take 2^-10 of one operand.
	 * The range is kept; infinities and NaN stay. */
	CLOPT_MATH_TF32 = 1,
	CLOPT_MATH_HALF = 2 /* to half, whose range ends at 65504; TF32 too */
};

/* GEMM with all options, such as many products in one call:
 *
 *	struct clopt_gemm_desc g = CLOPT_GEMM_DESC_INIT;
 *
 *	g.m = g.n = g.k = 64;
 *	g.batch = 1000;
 *	g.stride_a = g.stride_b = g.stride_c = 64 * 64;
 *	rc = clopt_gemm(ctx, &g, a, b, c); */
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
	/* In float32 unless the type is of double.  alpha 0 is CLOPT_EINVAL unless k is 0. */
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
CLOPT_API int clopt_gemm(struct clopt *ctx, const struct clopt_gemm_desc *g, const void *a,
                         const void *b, void *c);

/* clopt_gemm in plain arguments, for batches.  No number is replaced by a default: batch 0 is none,
 * alpha 0 gives C = beta C, a leading dimension is no shorter than a row. */
CLOPT_API int clopt_gemm_strided_batched(struct clopt *ctx, int type, int layout, int transa,
                                         int transb, size_t m, size_t n, size_t k, double alpha,
                                         const void *a, size_t lda, size_t stride_a, const void *b,
                                         size_t ldb, size_t stride_b, double beta, void *c,
                                         size_t ldc, size_t stride_c, size_t batch);
/* C = alpha A A^T + beta C (CLOPT_TRANS_NO: A is n x k) or alpha A^T A + beta C (CLOPT_TRANS_YES: A
 * is k x n).  Only the triangle uplo is written, with half the work of a product.  alpha and beta
 * are real; clopt_gemm with a triangle takes complex ones. */
CLOPT_API int clopt_syrk(struct clopt *ctx, int type, int layout, int uplo, int trans, size_t n,
                         size_t k, double alpha, const void *a, size_t lda, double beta, void *c,
                         size_t ldc);
/* The Hermitian C = alpha A A^H + beta C (CLOPT_TRANS_NO) or alpha A^H A + beta C
 * (CLOPT_TRANS_CONJ), as with `hermitian`.  Of real types clopt_syrk. */
CLOPT_API int clopt_herk(struct clopt *ctx, int type, int layout, int uplo, int trans, size_t n,
                         size_t k, double alpha, const void *a, size_t lda, double beta, void *c,
                         size_t ldc);

/* out = the transpose of in.  in has rows x cols elements of elem_bytes (1, 2, 4, 8 or 16), ld_in
 * >= cols from one row to the next; out has cols x rows, ld_out >= rows.  Elements are moved as
 * bits.  For column-major arrays swap rows and cols; ld is then from one column to the next. */
CLOPT_API int clopt_transpose(struct clopt *ctx, size_t rows, size_t cols, size_t elem_bytes,
                              const void *in, size_t ld_in, void *out, size_t ld_out);
/* The same for `batch` matrices of one shape: each begins stride_in elements behind the one before,
 * its transpose stride_out.  The transposes may not overlap.  stride_in 0: one matrix for all. */
CLOPT_API int clopt_transpose_strided_batched(struct clopt *ctx, size_t rows, size_t cols,
                                              size_t elem_bytes, const void *in, size_t ld_in,
                                              size_t stride_in, void *out, size_t ld_out,
                                              size_t stride_out, size_t batch);
/* out = alpha times the transpose of in (omatcopy in BLAS).  alpha == 1 moves bits, 0 makes zeros.
 * Else each product is rounded once; a device may take subnormal floats for zeros. */
CLOPT_API int clopt_stranspose(struct clopt *ctx, size_t rows, size_t cols, float alpha,
                               const float *in, size_t ld_in, float *out, size_t ld_out);
CLOPT_API int clopt_dtranspose(struct clopt *ctx, size_t rows, size_t cols, double alpha,
                               const double *in, size_t ld_in, double *out, size_t ld_out);

/* data is replaced by its transpose, or unchanged if the call fails.  If rows == cols, any ld >=
 * cols is allowed, and gaps between rows are kept.  Otherwise the matrix has no gaps, before and
 * after: ld is cols, unless rows is 1 (else CLOPT_EINVAL).  The call takes as much host memory again. */
CLOPT_API int clopt_transpose_inplace(struct clopt *ctx, size_t rows, size_t cols,
                                      size_t elem_bytes, void *data, size_t ld);

/* ---- Sums over pairs of points ----------------------------------------------
 *
 * A point is four floats: x, y, z and a weight, the charge or mass of a source; a target's is not
 * read unless an option says so.  A source at the place of a target adds nothing to it, whatever
 * the softening, so sources and targets may be one array.  (So the -g m / eps of another body at a
 * body's place is missing from its potential, but not from clopt_nbody_evolve's sums.)
 *
 * Squared distances are float32, unless more precision is asked for.  Choose units in which
 * distances lie between 1.1e-19 (two closer points may count as being at one place) and 1.8e19 (a
 * source farther away adds nothing).  For accelerations m / d^3 has to be within float32, without
 * softening about d > 1e-12 for m = 1.  NaN in a point or weight gives NaN.
 */

/* How sums over pairs are computed.  Arrays of floats are float32 in any case. */
enum clopt_precision {
	CLOPT_PRECISION_DEFAULT, /* FLOAT; for doubles as each routine says */
	CLOPT_PRECISION_FLOAT, /* float32; a tenth of one running sum's error at 100,000 terms */
	/* Terms are float32, and the error of the sum does not grow with the number of sources. */
	CLOPT_PRECISION_COMPENSATED,
	/* Two float32 for each number: about 14 digits on any device, 7 to 15 times the work.  For
	 * Coulomb's law and gravity, but not the constants that CLOPT_LAW_ALPB adds to the sum;
	 * other laws are CLOPT_EUNSUPPORTED.  Where the driver's compiler computes floats with excess
	 * precision (PoCL on 32-bit x86), this and COMPENSATED are CLOPT_ENOVARIANT. */
	CLOPT_PRECISION_DOUBLE_SINGLE,
	CLOPT_PRECISION_DOUBLE, /* float64, if the device has it; else CLOPT_EUNSUPPORTED */
	CLOPT_PRECISION_BEST /* the last of these that the device has and the law allows */
};

/* The law of a pair: d is the distance, K is options.scale.  clopt_potential takes the first five;
 * the others are terms that kernels are made for (struct clopt_problem). */
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
	CLOPT_LAWS /* how many this header has; a newer library may have more */
};

/* The part of the potential that is wanted. */
enum clopt_part {
	CLOPT_PART_TOTAL,
	CLOPT_PART_REACTION, /* of CLOPT_LAW_ALPB, without the Coulomb part */
	CLOPT_PART_COULOMB /* only the Coulomb part, K / eps_in  sum q / d */
};

/* The results for each target, as adjacent floats. */
enum clopt_outputs {
	CLOPT_OUTPUTS_PHI, /* 1: the potential */
	CLOPT_OUTPUTS_PHI_NORMAL, /* 2: the potential, and the field along the target's normal */
	CLOPT_OUTPUTS_FIELD_PHI, /* 4: the field's x, y and z, and the potential */
	CLOPT_OUTPUTS_FIELD, /* 4: the field and a 0 */
	CLOPT_OUTPUTS_JERK /* 8: the field, the potential, the jerk and a 0; of clopt_gravity */
};

struct clopt_group;

/* Lengths are in one unit of the caller's choice, charges in another; scale converts the results.
 * With e and Angstrom, 332.06371 gives kcal/mol/e, 560.46 kT/e at 298.15 K, 14399.6 mV. */
struct clopt_potential_options {
	size_t size; /* sizeof(struct clopt_potential_options) */
	int law, part, outputs, precision; /* of the enums above */
	double scale; /* K; 0: 1 */
	double eps_in, eps_out; /* dielectric constants of molecule and solvent; 0: 1 and 80 */
	double kappa; /* inverse Debye length; clopt_kappa().  0: no salt */
	double projection; /* p; negative is inside; 0 without normals */
	/* From here on for CLOPT_LAW_ALPB only, except the normals. */
	double radius; /* A, the electrostatic radius: clopt_electrostatic_radius() */
	double ion_radius; /* b: no ion's centre is nearer to the surface; 0: 2 */
	double alpha; /* 0: 0.571412; a number such as 1e-300 stands for none, also in ion_radius */
	/* ntargets x 4 floats, for targets on a surface: nx, ny, nz, the outward normal, of any
	 * length, and a distance that is added to p.  Values are computed at that distance from the
	 * target along its normal, with every law.  0, 0, 0 is no normal.  Both arrays, normals and
	 * depths, have to live until an asynchronous call is done.  On buffers a clopt_buffer. */
	const float *normals;
	const struct clopt_buffer *normals_buffer;
	/* nsources floats, for targets inside: the depth of each charge below the surface, 0 to A.  For
	 * a charge with the Born radius R, A - sqrt(A (A - R)) gives better energies than its distance
	 * from the surface.  NULL: A / 2 for all, as in GEM. */
	const float *depths;
	const struct clopt_buffer *depths_buffer;
	const double *charge; /* sum of all charges; NULL: of the weights; on buffers not NULL */
	int gem_compat; /* 1: as in GEM's program: no constant inside; the surface is inside */
	int reserved; /* 0 */
	const struct clopt_group *group; /* clopt_device.h: with other processes; NULL: alone */
	/* Sums by a tree, which clopt_potential explains; 0: all pairs. */
	double tolerance;
	double theta; /* for experts: half a cell's diagonal over its distance; 0: by the tolerance */
	unsigned order; /* for experts: of cells' expansions, 2 to 6; 0: by the tolerance */
	unsigned tree_reserved; /* 0 */
};
#define CLOPT_POTENTIAL_OPTIONS_INIT \
	{ \
		sizeof(struct clopt_potential_options), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, \
		        NULL, NULL, NULL, NULL, 0, 0, NULL, 0, 0, 0, 0 \
	}
CLOPT_API void clopt_potential_options_init(struct clopt_potential_options *options, size_t size);

/* Potential of charges at points, phi[i] = K * sum over j of q_j / |x_i - x_j|, or as the options
 * ask (NULL: K = 1), for sources (x, y, z, q) and targets (x, y, z, unread).  phi has 1, 2 or 4
 * floats for each target (enum clopt_outputs).  The field is minus the gradient.  An error of 1e-6
 * of the sum of |q_j| / |x_i - x_j| is typical.
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
 * The terms of L are omitted if kappa (A + b + |p|) < 1e-9, and then r >= A is one region.  All
 * targets of a call lie in one region, that of `projection`, and all charges within 1e9 radii of
 * them.  For the field, the gradient is taken with the foot (the surface point) fixed.
 * CLOPT_EINVAL beside the usual: eps or radius not positive where needed, normals missing, options
 * that together leave float32's range.
 *
 * With a tolerance t > 0 multipoles, or a few proxies, may stand for many sources far away (a cell
 * of a tree).  At least 99 of 100 targets are then off by at most t, with 95 % confidence: a field
 * by t of its own length; a potential, or a field along the normal, by t of the root mean square
 * over all targets (of a group: of this process).  After the sum 512 to 1024 of the targets, or all
 * if they are fewer, are summed over all sources; the root mean square is that of all results.  The
 * report has the errors found.  If these leave a doubt, the call sums again with a smaller theta, at
 * most twice.  If a doubt is left then, the 99th percentile of the sample decides: above t the call
 * fails with CLOPT_EWRONG, and the last results in place.
 * Both sums have this precision, so the errors leave its rounding out: t below 1e-6 needs DOUBLE.
 * All pairs are summed (tree_order 0 in the report) where that is no slower, where a tree does not
 * fit the device or mem_limit_bytes (verbose tells the bytes it needs), with depths, for the jerk, and
 * in double-single.  theta and order without a
 * tolerance are taken as they are, and the report has the error.  CLOPT_EINVAL: t, theta or the
 * order out of range, or on buffers (but see clopt_tree_potential_buffers).
 * Source: Fenley, Gordon, Onufriev, J. Chem. Phys. 129, 075101 (2008); Daga, Scogland, Feng,
 * "Architecture-Aware Optimization on a 1600-core Graphics Processor". */
CLOPT_API int clopt_potential(struct clopt *ctx, size_t nsources, const float *sources,
                              size_t ntargets, const float *targets, float *phi,
                              const struct clopt_potential_options *options);

/* The electrostatic radius of a molecule of n atoms at atoms (x, y, z, unread) with these radii, in
 * their unit: the radius of the ball with the same determinant of its moments of inertia, atoms
 * weighted by the cubes of their radii.  0 if no radius is positive; NaN if one is negative or NaN.
 * Source: Sigalov, Fenley, Onufriev, J. Chem. Phys. 124, 124902 (2006). */
CLOPT_API double clopt_electrostatic_radius(size_t n, const float *atoms, const float *radii);
/* The inverse Debye length in 1/Angstrom for an ionic strength in mol/l, a dielectric constant and
 * a temperature in kelvin.  NaN if the strength is negative or another argument not positive. */
CLOPT_API double clopt_kappa(double ionic_strength, double eps, double kelvin);

/* Options of gravity; 0 means the default. */
struct clopt_nbody_options {
	size_t size; /* sizeof(struct clopt_nbody_options) */
	double g; /* the gravitational constant, in the caller's units; 0: 1 */
	double softening; /* eps below, a length */
	int precision; /* enum clopt_precision */
	int target_softening; /* 1: a target's weight is its own softening; the squares are added */
	int potential; /* 1: compute phi too; 0: phi is 0, which is faster */
	int reserved; /* 0 */
	const struct clopt_group *group; /* clopt_device.h: with other processes; NULL: alone */
	/* Sums by a tree, which clopt_potential explains; 0: all pairs. */
	double tolerance;
	double theta; /* for experts: half a cell's diagonal over its distance; 0: by the tolerance */
	unsigned order; /* for experts: of cells' expansions, 2 to 6; 0: by the tolerance */
	unsigned tree_reserved; /* 0 */
};
#define CLOPT_NBODY_OPTIONS_INIT \
	{ \
		sizeof(struct clopt_nbody_options), 0, 0, 0, 0, 0, 0, NULL, 0, 0, 0, 0 \
	}
CLOPT_API void clopt_nbody_options_init(struct clopt_nbody_options *options, size_t size);

/* Gravity of bodies (x, y, z, m) at targets (x, y, z, unread), with Plummer softening:
 *
 *	a_i   =  g * sum over j of m_j (x_j - x_i) / (|x_i - x_j|^2 + eps^2)^(3/2)
 *	phi_i = -g * sum over j of m_j / sqrt(|x_i - x_j|^2 + eps^2)
 *
 * acc has four floats for each target: ax, ay, az, phi.  options NULL: g = 1, eps = 0, no phi. */
CLOPT_API int clopt_nbody(struct clopt *ctx, size_t nsources, const float *sources, size_t ntargets,
                          const float *targets, float *acc,
                          const struct clopt_nbody_options *options);

/* ---- Points as programs keep them: doubles, arrays apart, structs ---------
 *	struct particle { double x, y, z, vx, vy, vz, ax, ay, az, m; } *p;
 *	struct clopt_points s = CLOPT_POINTS_INIT;
 *	struct clopt_results r = CLOPT_RESULTS_INIT;
 *
 *	s.n = n, s.x = &p->x, s.y = &p->y, s.z = &p->z, s.w = &p->m;
 *	r.x = &p->ax, r.y = &p->ay, r.z = &p->az;
 *	s.stride_bytes = r.stride_bytes = sizeof *p;
 *	clopt_gravity(ctx, &s, &s, &r, NULL); */
struct clopt_points {
	size_t size; /* sizeof(struct clopt_points) */
	size_t n;
	int type; /* of every number: CLOPT_TYPE_DOUBLE (0: also that) or CLOPT_TYPE_FLOAT */
	int reserved; /* 0 */
	size_t stride_bytes; /* from one point to the next in each array; 0: no gaps */
	const void *x, *y, *z;
	const void *w; /* charges or masses; of targets softening (target_softening), else unread */
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

/* clopt_potential and clopt_nbody for such points.  outputs and potential of the options are not
 * read.  sources and targets may be one struct.  Results may lie in the structs of the points, if
 * they share no number with an input or with each other.
 *
 *	jerk_i = g * sum over j of m_j (u / r^3 - 3 (d . u) d / r^5),   d = x_j - x_i, u = v_j - v_i,
 *	                                                                r^2 = |d|^2 + eps^2
 *
 * CLOPT_PRECISION_DEFAULT is BEST if sources, targets and results are all double, else FLOAT.
 * DOUBLE computes from the doubles as they are, for distances between 1.5e-154 and 1.3e154; its
 * accelerations are right to about 1e-15 of the sum of the terms' magnitudes.  The other precisions
 * first subtract the centre of the box round all points; then DOUBLE_SINGLE splits each double into
 * two floats (about 14 digits, float's range), and FLOAT and COMPENSATED round it to one.
 *
 * The call takes host memory: 16 bytes for each source, target (unless it is the same as sources)
 * and result, 32 in DOUBLE and DOUBLE_SINGLE, twice as much with jerk; clopt_host_trim releases it.
 * After a failure the results are as they were.  But floats x, y, z, w side by side, with results
 * likewise, are used in place in FLOAT and COMPENSATED without jerk: the centre is not subtracted,
 * no memory is taken, and after a failure results may be partly written.
 *
 * CLOPT_EINVAL beside the usual: no x, y or z; sources without w; no result wanted; a jerk
 * without velocities; both `normal` and a component of the field; results that share numbers; a
 * stride shorter than a number. */
CLOPT_API int clopt_potential_points(struct clopt *ctx, const struct clopt_points *sources,
                                     const struct clopt_points *targets,
                                     const struct clopt_results *results,
                                     const struct clopt_potential_options *options);
CLOPT_API int clopt_gravity(struct clopt *ctx, const struct clopt_points *sources,
                            const struct clopt_points *targets, const struct clopt_results *results,
                            const struct clopt_nbody_options *options);

/* Move n bodies (x, y, z, m) with velocities (vx, vy, vz, and a fourth number that is kept) through
 * leapfrog steps (kick, drift, kick) of length dt under their own gravity, in place.  dt may be
 * negative.  The bodies have to fit the device whole: 48 bytes a body.  The precision has to be
 * FLOAT, without target_softening.
 *
 * With a tolerance (clopt_potential) a tree is built for each step.  The error of its accelerations
 * is looked at in the first step, in one of 32, and in the last; where it leaves a doubt, theta goes
 * down for this step and those to come.  The report has the largest errors found, and the run fails,
 * with the bodies as they were, if the tolerance cannot be kept. */
CLOPT_API int clopt_nbody_leapfrog(struct clopt *ctx, size_t n, float *bodies, float *velocities,
                                   double dt, size_t steps,
                                   const struct clopt_nbody_options *options);

/* How clopt_nbody_evolve moves bodies through a step. */
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
	int precision; /* FLOAT, DOUBLE_SINGLE, DOUBLE or BEST (the default), also between steps */
	/* `each`, if not NULL, is called after the last step, and unless `every` is 0 before the
	 * first (step 0) and after every step whose number is a multiple of it.  It may read the bodies,
	 * velocities and sums of that step.  The rules are those of log in struct clopt_options.
	 * If it returns a number other than 0, the run ends there; that is no failure. */
	size_t every;
	int (*each)(void *user, size_t step, const double *bodies, const double *velocities,
	            const struct clopt_conserved *sums);
	void *user;
	const struct clopt_group *group; /* clopt_device.h: with other processes; NULL: alone */
	/* Forces by a tree, as in clopt_nbody_leapfrog; 0: over all pairs. */
	double tolerance;
	double theta; /* these two as in struct clopt_nbody_options */
	unsigned order;
	unsigned tree_reserved; /* 0 */
	/* With Hermite's steps, if not NULL: 8 n doubles that get the accelerations of all bodies (ax, ay,
	 * az, and a number that is kept), then their jerks, with which the next step begins; `each` may
	 * read them.  With resume 1 they are also the first step's, so that a run in several calls has
	 * the bits of one call; with 0 the first step's are computed.  A run of 0 steps leaves them as
	 * they are.  Leapfrog needs none. */
	double *rates;
	int resume;
	int rates_reserved; /* 0 */
};
#define CLOPT_EVOLVE_OPTIONS_INIT \
	{ \
		sizeof(struct clopt_evolve_options), 0, 0, 0, 0, 0, NULL, NULL, NULL, 0, 0, 0, 0, \
		        NULL, 0, 0 \
	}
CLOPT_API void clopt_evolve_options_init(struct clopt_evolve_options *options, size_t size);

/* The same for doubles, by either integrator and in any precision; in DOUBLE bodies take 96 bytes
 * each, with Hermite 256.  CLOPT_EINVAL for a number that is NaN or out of
 * range: in DOUBLE coordinates and velocities go up to 1e153, and masses other than 0 from 2.3e-308
 * to 1.7e308; in FLOAT and DOUBLE_SINGLE up to 1e18, and from 1.2e-38 to 3.4e38.  Numbers that
 * leave the range on the way, such as m / d^3 of bodies that meet without softening, become
 * infinite and then NaN.  Bodies at one place do not pull one another; with softening their potential,
 * -g m m' / eps, is in the sums.  Two at different places, but nearer than 1.1e-19 (DOUBLE: 1.5e-154),
 * do not pull one another either, and have no potential.
 * With a tolerance t the potential of the sums is by the tree too: each body's by t of the root mean
 * square, their sum by much less.  Hermite's steps, and those in DOUBLE_SINGLE, are over all pairs all
 * the same.  Each process of a group keeps the tolerance for its bodies, and the bits depend on which
 * these are.
 * Source: Makino, Aarseth, Publ. Astron. Soc. Japan 44, 141 (1992). */
CLOPT_API int clopt_nbody_evolve(struct clopt *ctx, size_t n, double *bodies, double *velocities,
                                 double dt, size_t steps,
                                 const struct clopt_evolve_options *options);
/* The sums for bodies as they are, as `each` gets them, also with a tolerance.  The same numbers are
 * refused. */
CLOPT_API int clopt_nbody_conserved(struct clopt *ctx, size_t n, const double *bodies,
                                    const double *velocities,
                                    const struct clopt_evolve_options *options,
                                    struct clopt_conserved *sums);

/* =================================================== Pinned memory ======= */

/* The kinds of memory that clopt_host_alloc gives. */
enum clopt_memory {
	CLOPT_MEMORY_ORDINARY, /* pinned memory was not available */
	CLOPT_MEMORY_PINNED, /* the device reads and writes it at full speed */
	CLOPT_MEMORY_SHARED /* host and device share it: zero copy for arrays in it */
};

/* Host memory that the device reaches fastest, aligned to 4096 bytes and not initialised.  *kind
 * (may be NULL) gets its kind.  Calls may get any pointer into it.  On failure *memory is NULL.  0
 * bytes give a pointer that may be freed.  Pinning is slow, and pinned memory is lost to other
 * programs.  Up to 1 GiB of freed memory stays pinned for the next call, until clopt_host_trim.
 * That also releases device memory which calls on arrays leave to later ones: a 64th of what a call
 * may use, 256 MiB at most.
 * clopt_host_free takes memory of the same context, or NULL; else CLOPT_EINVAL. */
CLOPT_API int clopt_host_alloc(struct clopt *ctx, size_t bytes, void **memory, int *kind);
CLOPT_API int clopt_host_free(struct clopt *ctx, void *memory);
CLOPT_API int clopt_host_trim(struct clopt *ctx);

/* ============================================== What ran, and why ======== */

/* How a call went.  Seconds on the device are 0 without clopt_options.profile. */
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
	double bound_seconds; /* with the best overlap: the busiest engine alone */
	double hidden; /* share of serial - bound that was hidden, 0 to 1 */
	size_t sum_parts; /* pieces that k, or the sources, were cut into; 1 for none */
	size_t in_place_bytes; /* of arrays that were used in place (zero copy) */
	size_t staged_bytes; /* the part of the transfers that was staged */
	/* Kernels new to the context: found in the cache, compiled, and of these saved to it. */
	size_t kernels_loaded, kernels_compiled, kernels_saved;
	int overlapped; /* 0: by the profile, the driver ran one command after the other; else 1 */
	/* Of a sum with a tolerance; order 0: over all pairs. */
	unsigned tree_order;
	double tree_theta;
	double tree_seconds; /* of building it */
	/* Sources, and proxies or cells with multipoles, that a target was summed over, on average. */
	double near_pairs, far_pairs;
	size_t error_targets; /* that were summed over all pairs, too */
	double error_median, error_99; /* of their errors: the median, and the 99th percentile */
};
#define CLOPT_REPORT_INIT \
	{ \
		sizeof(struct clopt_report), NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, \
		        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 \
	}
CLOPT_API void clopt_report_init(struct clopt_report *report, size_t size);
/* How the last routine or map on this context went, also a failed one (empty if its arguments were
 * refused), or one on buffers (seconds is then the time to queue it). */
CLOPT_API int clopt_last_report(struct clopt *ctx, struct clopt_report *report);

/* The operations that have kernels. */
enum clopt_op {
	CLOPT_OP_MATMUL,
	CLOPT_OP_TRANSPOSE,
	CLOPT_OP_POTENTIAL,
	CLOPT_OP_NBODY,
	CLOPT_OP_LEAPFROG, /* kick and drift between two CLOPT_OP_NBODY in clopt_nbody_leapfrog */
	CLOPT_OP_EVOLVE_FORCE, /* parts of clopt_nbody_evolve: the forces on bodies */
	CLOPT_OP_EVOLVE_STEP, /* the end of one step and the beginning of the next */
	CLOPT_OP_EVOLVE_SUMS, /* conserved sums */
	CLOPT_OP_TREE_KEYS, /* parts of sums by a tree: points along a curve through space */
	CLOPT_OP_TREE_SORT, /* a pass of the sort by it */
	CLOPT_OP_TREE_CELLS, /* a level of the tree */
	CLOPT_OP_TREE_POTENTIAL, /* CLOPT_OP_POTENTIAL by a tree */
	CLOPT_OP_TREE_NBODY, /* CLOPT_OP_NBODY by a tree */
	CLOPT_OPS /* how many this header has; a newer library may have more */
};
/* "matmul", "transpose", ...; NULL for a number that is no operation. */
CLOPT_API const char *clopt_op_name(int op);

/* A problem to ask about.  clopt_tune.h has a table of the fields that each operation takes. */
struct clopt_problem {
	size_t size; /* sizeof(struct clopt_problem) */
	int op; /* enum clopt_op */
	int type; /* enum clopt_type, of CLOPT_OP_MATMUL; 0: the real type of elem_bytes */
	int transa, transb; /* 0: CLOPT_TRANS_NO */
	int law; /* enum clopt_law; this and the next four: of the pair operations */
	int outputs; /* enum clopt_outputs; of CLOPT_OP_NBODY FIELD (the default) or behind it */
	int precision; /* enum clopt_precision */
	int normals, depths; /* 1: the call has such an array */
	int layout, math, triangle, hermitian; /* as in struct clopt_gemm_desc */
	int scaled; /* 1 for a factor other than 1, with elem_bytes 4 or 8 */
	/* 1: leading dimensions or strides are no multiples of 16 bytes; 2 more: those of the result
	 * are no multiples of 64 */
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

/* Write into text (size bytes, always terminated, cut if too short) which variant serves this
 * problem, its geometry and plan, and why those above it in the table do not.  Builds and checks
 * kernels as a call would.  CLOPT_ENOVARIANT, CLOPT_ENOMEM or CLOPT_EUNSUPPORTED if no variant
 * serves; the text then says why.  CLOPT_EINVAL: an invalid problem, or no room for a text. */
CLOPT_API int clopt_explain(struct clopt *ctx, const struct clopt_problem *problem, char *text,
                            size_t size);
/* The name of the variant that would serve the problem; NULL if none would.  Builds kernels, too. */
CLOPT_API const char *clopt_chosen_variant(struct clopt *ctx, const struct clopt_problem *problem);
/* The same without building anything, so at once: by records, the table and the device's traits, as if each
 * kernel were built and right. */
CLOPT_API const char *clopt_expected_variant(struct clopt *ctx,
                                             const struct clopt_problem *problem);

#ifdef __cplusplus
}
#endif

#endif
