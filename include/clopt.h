/* SPDX-License-Identifier: MIT */
/*
 * clopt.h - matrix products, transposes and sums over pairs of points, on OpenCL devices.
 *
 * This program prints 4 5 and 10 11; `cc ten.c $(pkg-config --cflags --libs clopt)` compiles it:
 *
 *	#include <clopt.h>
 *	#include <stdio.h>
 *
 *	int main(void)
 *	{
 *		const float a[2 * 3] = { 1, 2, 3, 4, 5, 6 }, b[3 * 2] = { 1, 0, 0, 1, 1, 1 };
 *		float c[2 * 2];
 *		struct clopt *ctx;
 *
 *		if (clopt_open(&ctx, NULL) || clopt_matmul(ctx, 2, 2, 3, a, b, c))
 *			return fprintf(stderr, "%s\n", clopt_error(ctx)), 1;
 *		printf("%g %g\n%g %g\n", c[0], c[1], c[2], c[3]);
 *		clopt_close(ctx);
 *		return 0;
 *	}
 *
 * clopt.h begins with a tour: open, multiply, transpose, potential, gravity, close.  Then come the
 * rules of all functions, statuses, and the options of each call.  Other headers go further:
 *
 *	clopt_pairs.h    potentials and bodies that move: laws, options, doubles; included here
 *	clopt_device.h   devices, started calls, buffers, queues, events, trees, your own kernels
 *	clopt_tune.h     kernel variants: forcing, timing, records, plans; caches, occupancy, checks
 *	clopt_cl.h       OpenCL contexts of your own
 *	clopt_mpi.h      the processes of an MPI job
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

/* ============================================================ Open =======
 *
 * A context is an open device, or several.  One context serves all calls of a program:
 *
 *	if (clopt_open(&ctx, NULL) != CLOPT_OK)
 *		fprintf(stderr, "%s\n", clopt_error(NULL));
 */
struct clopt;
struct clopt_options;

/* Open the device that the options name; options NULL: that of CLOPT_DEVICE, or else the fastest.
 * On failure *ctx is NULL.  CLOPT_ENODEVICE: no device matches; the text names the devices, or the
 * drivers left out.  CLOPT_EINVAL: an option or an environment variable.  CLOPT_EIO: a file of
 * records that cannot be read.  CLOPT_EDEVICE, CLOPT_ENOMEM. */
CLOPT_API int clopt_open(struct clopt **ctx, const struct clopt_options *options);

/* The text of this thread's last failure, if that was on ctx; else "".  ctx NULL: of a failure
 * without a context, such as clopt_open's.  The text is valid until this thread's next call. */
CLOPT_API const char *clopt_error(const struct clopt *ctx);

/* ======================================================== Multiply =======
 *
 * Products of matrices in host memory.  C = A B in floats, row by row:
 *
 *	clopt_matmul(ctx, m, n, k, a, b, c);
 *
 * With BLAS's arguments, C += 0.5 A B^T, where A and B are 2 x 100 and C lies in rows of 100
 * doubles:
 *
 *	clopt_dgemm(ctx, CLOPT_LAYOUT_ROW_MAJOR, CLOPT_TRANS_NO, CLOPT_TRANS_YES, 2, 2, 100,
 *	            0.5, a, 100, b, 100, 1, c, 100);
 */

/* C = A B: A is m x k, B is k x n, C is m x n, all row major and without gaps. */
CLOPT_API int clopt_matmul(struct clopt *ctx, size_t m, size_t n, size_t k, const float *a,
                           const float *b, float *c);

/* How a matrix lies in memory, whether it is transposed, and a triangle of it.  The numbers are
 * those of CBLAS.  In a struct 0 means ROW_MAJOR and NO. */
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

/* C = alpha op(A) op(B) + beta C.  op(A) is m x k: A itself, or with CLOPT_TRANS_YES the transpose
 * of a k x m matrix A.  op(B) is k x n likewise; C is m x n.  The leading dimensions lda, ldb and
 * ldc are the elements from one row to the next, at least the length of a row.  With one row any
 * such value will do, even (size_t)-1.  With CLOPT_LAYOUT_COL_MAJOR read "column" for "row".  Gaps
 * between rows are neither read nor written.  beta 0: C is not read.  alpha 0 or k 0: A and B are
 * not read.  The sum over k has the precision of the arguments or better, and is multiplied by
 * alpha at its end. */
CLOPT_API int clopt_sgemm(struct clopt *ctx, int layout, int transa, int transb, size_t m, size_t n,
                          size_t k, float alpha, const float *a, size_t lda, const float *b,
                          size_t ldb, float beta, float *c, size_t ldc);
CLOPT_API int clopt_dgemm(struct clopt *ctx, int layout, int transa, int transb, size_t m, size_t n,
                          size_t k, double alpha, const double *a, size_t lda, const double *b,
                          size_t ldb, double beta, double *c, size_t ldc);

/* ======================================================= Transpose =======
 *
 * Transposes of matrices in host memory.  A matrix of 300 x 200 doubles, row by row, to
 * one of 200 x 300:
 *
 *	clopt_transpose(ctx, 300, 200, sizeof(double), in, 200, out, 300);
 */

/* out = the transpose of in.  in has rows x cols elements of elem_bytes (1, 2, 4, 8 or 16), copied
 * bit by bit.  ld_in >= cols is from one row to the next; out has cols x rows elements, ld_out >=
 * rows.  For column-major arrays swap rows and cols; ld is then from one column to the next. */
CLOPT_API int clopt_transpose(struct clopt *ctx, size_t rows, size_t cols, size_t elem_bytes,
                              const void *in, size_t ld_in, void *out, size_t ld_out);

/* ======================================================= Potential =======
 *
 * The potential of n charges at m points, in units of the caller's choice:
 *
 *	clopt_potential(ctx, n, charges, m, points, phi, NULL);
 *
 * A point is four floats: x, y, z and a weight, the charge or mass of a source.  A target's weight
 * is not read unless an option says so.  A source at the place of a target adds nothing to it, so
 * sources and targets may be one array.
 *
 * Squared distances are float32, unless an option asks for more.  Choose units in which distances
 * lie between 1.1e-19 and 1.8e19: closer points may count as one place, and farther sources add
 * nothing.  NaN in a point or weight gives NaN.
 */
struct clopt_potential_options;

/* Potential of charges (x, y, z, q) at targets (x, y, z, unread):
 *
 *	phi_i = K * sum over j of q_j / |x_i - x_j|
 *
 * options NULL: K = 1.  clopt_pairs.h has the options: K, the field, and other laws, such as a
 * molecule in salt water.  phi has a float for each target, or more if the options ask for the
 * field.  The error is typically 1e-6 of the sum of |q_j| / |x_i - x_j|. */
CLOPT_API int clopt_potential(struct clopt *ctx, size_t nsources, const float *sources,
                              size_t ntargets, const float *targets, float *phi,
                              const struct clopt_potential_options *options);

/* ========================================================= Gravity =======
 *
 * The accelerations of n bodies under their own gravity, with a softening of 0.01:
 *
 *	struct clopt_nbody_options o = CLOPT_NBODY_OPTIONS_INIT;
 *
 *	o.softening = 0.01;
 *	clopt_nbody(ctx, n, bodies, n, bodies, acc, &o);
 *
 * Points and distances are as for clopt_potential.  m / d^3 has to be within float32's range:
 * without softening d > 1e-12 for m = 1.  Two bodies at one place add nothing to each other, even
 * with softening.  The energies of clopt_nbody_evolve include such a pair, as -g m m' / eps.
 */
struct clopt_nbody_options;

/* Gravity of bodies (x, y, z, m) at targets (x, y, z, unread), with Plummer softening eps:
 *
 *	a_i   =  g * sum over j of m_j (x_j - x_i) / (|x_i - x_j|^2 + eps^2)^(3/2)
 *	phi_i = -g * sum over j of m_j / sqrt(|x_i - x_j|^2 + eps^2)
 *
 * acc has four floats for each target: ax, ay, az, phi.  options NULL: g = 1, eps = 0, no phi
 * (0). */
CLOPT_API int clopt_nbody(struct clopt *ctx, size_t nsources, const float *sources, size_t ntargets,
                          const float *targets, float *acc,
                          const struct clopt_nbody_options *options);

/* =========================================================== Close =======
 *
 * At the end of the program, also after a failure:
 *
 *	clopt_close(ctx);
 */

/* Wait for started calls, then release the context and its memory of clopt_host_alloc.  No other
 * thread may use the context or its calls meanwhile.  Buffers, queues, events and started calls may
 * be freed later, but not used.  ctx may not be used any more: such a call often, but not always,
 * fails with CLOPT_EINVAL and clopt_error(NULL).  clopt_close does nothing for NULL, and in a
 * callback. */
CLOPT_API void clopt_close(struct clopt *ctx);

/* ============================================================ Rules =======
 *
 * These hold for every function, unless its comment says otherwise.
 *
 * Results
 *
 * - A function that returns int returns CLOPT_OK (0) or one of the negative statuses below.
 *   clopt_error() then has the cause in words.
 * - Refused arguments (CLOPT_EINVAL) change nothing.  After another failure an output may be partly
 *   written.  clopt_options.keep_output 1 restores an output that the call also reads: with beta,
 *   one triangle, bodies that move, CLOPT_ARG_INOUT.
 * - A large problem is cut into pieces, so that transfers and computing overlap.  The result has
 *   the same bits however it is cut.  Two runs of a program on one machine give the same bits.
 *   They may differ if clopt_tune wrote a record in between, or if unlike devices share calls (enum
 *   clopt_share).
 *
 * NULL and zero sizes
 *
 * - Sizes of arrays are in elements; bytes, size and ..._bytes are in bytes.  A size may be 0; an
 *   array of size 0 may be NULL, another may not.  Options may be NULL.
 * - In options and descriptions 0 and NULL mean the default.
 * - Where the first field of a struct is its size, set it to sizeof the struct.  The library may be
 *   older or newer than the caller's header.  Fields that the header lacks have their defaults.
 *   CLOPT_EINVAL: a field that the library lacks is not 0, or the size ends inside a field.
 * - A macro NAME_INIT sets a struct to its defaults.  The function name_init does the same for
 *   languages without C's macros; its argument size is that of the struct there.
 *
 * Ownership
 *
 * - Arrays are ordinary memory and belong to the caller.  An input is only read.  An output may not
 *   overlap an input.  No array is touched after the return, or after the end of a started call.
 * - Names that the library returns (const char *) are valid until the process ends.
 * - The library prints nothing unless asked (clopt_options.verbose; a driver's compiler may print).
 *   It never exits, and installs no signal handler.  It writes files only in its cache
 *   (clopt_options.cache_dir), or when clopt_tune, clopt_tuning_merge or clopt_trace_json is
 *   called.
 *
 * Threads and processes
 *
 * - Several threads may use one context: their calls run one after the other.  Different contexts
 *   are independent.  Any thread may free an object.
 * - A thread that calls needs a stack of 256 KiB.  The library takes less than 40, but a driver
 *   such as PoCL more than 64.
 * - pthread_cancel of a thread inside a call takes effect when the call has returned.
 * - After fork() calls on the parent's contexts fail in the child (CLOPT_EFORK), and frees do
 *   nothing.  A child may open contexts if the parent had opened none and was opening none.
 * - Drivers run in the default floating-point environment: the caller's rounding and traps do not
 *   reach them, and the flags that they raise are lost.  Problems that the calling thread computes
 *   (enum clopt_small) keep the caller's environment.
 * - If a driver writes a file beyond the limit on sizes (ulimit -f), the calling thread gets no
 *   signal.  With a limit below 16 MiB, calls that need PoCL's compiler fail.
 */

/* ========================================================== Cancel =======
 *
 * A running call can be ended early, also one that was started (clopt_matmul_start and its like in
 * clopt_device.h).  In another thread, end the call that runs on ctx:
 *
 *	clopt_cancel(ctx);
 */

/* Cancel the call that runs on ctx, if any, from any thread, a signal handler or a callback.  The
 * call returns CLOPT_ECANCELED, or CLOPT_OK if it was at its end.  The context stays usable.
 * Started calls that wait for their turn, and queued commands on buffers, are not cancelled.  A
 * call ends between two of its pieces, usually within 0.2 s.  A kernel, a driver's transfer and a
 * compilation are not cut short. */
CLOPT_API void clopt_cancel(struct clopt *ctx);

/* ========================================================== Status =======
 *
 * Functions return CLOPT_OK or a negative status.  A failure in words, its kind and its cause:
 *
 *	fprintf(stderr, "%s: %s\n", clopt_strerror(rc), clopt_error(ctx));
 */

/* The statuses, as X(name, number, text).  The numbers lie below all of OpenCL's codes. */
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

/* What functions return.  Routines on arrays return any but ENODEVICE and EIO.  EINVAL: a rule is
 * broken, a leading dimension is shorter than its row, or an array ends beyond the last address.
 * EUNSUPPORTED: among others, double or complex double on a device without double. */
enum clopt_status {
#define CLOPT_STATUS_ENUM(name, number, text) CLOPT_##name = number,
	CLOPT_STATUS_MAP(CLOPT_STATUS_ENUM)
#undef CLOPT_STATUS_ENUM
	CLOPT_STATUS_END = 1 /* not a status */
};

/* A status in a few words.  Never NULL, also for a number that is no status. */
CLOPT_API const char *clopt_strerror(int status);
/* Copy the text of the last failure on ctx, in any thread, into text (size bytes, always
 * terminated, cut if too short).  Returns the bytes of the whole text with its end; 0 if there was
 * no failure.  ctx NULL, or of a parent process: the text of clopt_error(). */
CLOPT_API size_t clopt_error_copy(struct clopt *ctx, char *text, size_t size);
/* The version of the linked library: "0.3.0", and 10000 * major + 100 * minor + patch. */
CLOPT_API const char *clopt_version(void);
CLOPT_API int clopt_version_number(void);

/* ============================================== Options of a context =======
 *
 * All GPUs of the machine, at most 4 GiB of the memory of each, and a line of text for each call:
 *
 *	struct clopt_options options = CLOPT_OPTIONS_INIT;
 *
 *	options.device = "gpu*";
 *	options.mem_limit_bytes = (size_t)4 << 30;
 *	options.verbose = 1;
 *	rc = clopt_open(&ctx, &options);
 *
 * 0 and NULL mean the environment variable (docs/environment.md), or else the default given here.
 * clopt_open copies the options and their strings.
 *
 * device and CLOPT_DEVICE take
 *
 *	"3"                 the device of that index in clopt_device_list()
 *	"nvidia"            the first with that word as its type, or in its vendor, platform or name
 *	"vendor:type:name"  the first with all three; each may be empty
 *	"0001:1b:00.0"      the device with this PCI address; "1b:00.0": of domain 0
 *	a UUID              the device with this UUID
 *	"gpu*", "*"         all that match the word; all
 *	"gpu#2", "#2"       the third that matches; the third
 *	"gpu#rank"          for a process of an MPI job: its local rank modulo their number
 *	"0+1", "gpu*+pocl"  the devices of each word, in this order, each once
 *
 * Words match anywhere, in small letters or capitals; only a type (cpu, gpu, accelerator) is whole.
 * The vendor part also matches the platform's name.  "First" is in the order of that list.  Devices
 * whose type is the word, or whose platform has it, come before others: "intel" is not PoCL on an
 * Intel processor.  With *, # and + a GPU that two drivers have counts once, by its PCI address.
 * An exact name wins, even with *, # or + in it, unless it begins with one.
 */

/* log and progress run in the thread that calls, for a started call in the context's own.  Of the
 * functions on this context they may call clopt_cancel alone; others give CLOPT_EINVAL.  They have
 * to return.  A longjmp or an exception out of them locks the context for ever: this thread then
 * gets CLOPT_EINVAL, and others wait.  clopt.hpp lets exceptions through. */
struct clopt_options {
	size_t size; /* sizeof(struct clopt_options) */
	const char *device; /* see above; NULL: the fastest by its datasheet */
	const char *variants; /* kernel variants to force: clopt_force_variants() */
	/* Device memory for one call, with what earlier calls keep for it; default: 90 % of the
	 * device's.  CLOPT_ENOMEM: a call does not fit.  Or, except for clopt_map, an estimate says
	 * that the limit makes it ten times as long, and a second longer.  The text has the least
	 * limit that would do. */
	size_t mem_limit_bytes;
	unsigned queues; /* command queues to spread a call over, 1 to 8; default: 2 or 3 */
	int profile; /* 1: time every command, for struct clopt_report and clopt_trace_start */
	/* 1: a line for each call, unless it was refused, and each driver left out, to log or
	 * stderr; -1: none. */
	int verbose;
	int check; /* enum clopt_check */
	int transfer; /* enum clopt_transfer */
	unsigned copy_threads; /* for CLOPT_TRANSFER_STAGED, up to 64; default: measured */
	size_t chunk_bytes; /* pinned memory of each of them, up to 64 MiB; default: measured */
	/* For devices that drive a display: about how many seconds one command of a sum over pairs
	 * may take, 0.1 say.  Longer sums are queued in slices, with the same result.  Default: no
	 * slices, or 0.1 with progress.  Negative: no slices. */
	double slice_seconds;
	const char *tuning; /* the file of records; "0": none */
	const char *cache_dir; /* the folder of compiled kernels; "0": none */
	size_t cache_bytes; /* the most in it; default: 256 MiB */
	const char *quirks; /* bugs of drivers to ignore: clopt_quirk_list() */
	/* If not NULL, gets each line of text that would go to stderr, without its end; during
	 * clopt_open too. */
	void (*log)(void *user, const char *line);
	void *log_user;
	/* If not NULL, is called about five times a second, between the pieces of a long call on
	 * arrays.  A call of one piece may report nothing.  done is the part of the call that is
	 * done: 0 to 1, and it never decreases.  Nonzero cancels the call.  Not called while a
	 * kernel compiles, nor at the end of the call. */
	int (*progress)(void *user, double done);
	void *progress_user;
	int keep_output; /* 1: see the rules; takes a copy in host memory; 0, -1: no copy */
	int share; /* enum clopt_share: who computes what, on several devices */
	int small; /* enum clopt_small */
	int reserved; /* 0 */
};
#define CLOPT_OPTIONS_INIT \
	{ \
		sizeof(struct clopt_options), NULL, NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, \
		        0, NULL, NULL, NULL, NULL, NULL, 0, 0, 0, 0 \
	}
CLOPT_API void clopt_options_init(struct clopt_options *options, size_t size);

/* When results are checked on the host, since compilers and drivers have bugs.  A variant that is
 * wrong twice in one call is not used any more in this context: the next one serves, and
 * clopt_explain() says why.  If the variant was forced, or none is right, the call fails with
 * CLOPT_EWRONG. */
enum clopt_check {
	CLOPT_CHECK_DEFAULT, /* the value of CLOPT_CHECK, or else CLOPT_CHECK_FIRST */
	CLOPT_CHECK_OFF,
	CLOPT_CHECK_FIRST, /* each kernel before its first use, by small problems of the library */
	CLOPT_CHECK_ALWAYS /* also most results of calls on arrays: Checks in clopt_tune.h */
};

/* How arrays reach the device. */
enum clopt_transfer {
	CLOPT_TRANSFER_DEFAULT, /* the value of CLOPT_TRANSFER, or else CLOPT_TRANSFER_AUTO */
	/* In place (zero copy) where host and device share memory and the array is aligned.  Pinned
	 * memory directly.  Other arrays below 1 MiB by the calling thread through pinned memory,
	 * and larger ones by the faster of the ways below. */
	CLOPT_TRANSFER_AUTO,
	CLOPT_TRANSFER_DRIVER, /* by the driver's own copy */
	CLOPT_TRANSFER_STAGED /* threads copy through chunks of pinned memory */
};

/* How the devices of a context share a call: Several devices in clopt_device.h. */
enum clopt_share {
	CLOPT_SHARE_DEFAULT, /* the value of CLOPT_SHARE, or else CLOPT_SHARE_AUTO */
	CLOPT_SHARE_AUTO, /* by the speeds that calls show; short calls stay on the first device */
	CLOPT_SHARE_FIXED, /* by the devices' scores alone, the same way each time */
	CLOPT_SHARE_EVERY /* as AUTO, but each call is shared, however short; for tests */
};

/* Who computes small problems: a call on a device takes some 50 to 250 us. */
enum clopt_small {
	CLOPT_SMALL_DEFAULT, /* the value of CLOPT_SMALL, or else CLOPT_SMALL_HOST */
	/* The calling thread in C, by the variants NAME/host, where arrays are in host memory.  It
	 * takes products of float or double with k up to 256, transposes, Coulomb's law and gravity
	 * in float or double, but no batches.  Terms and results together may be up to 2^20 for
	 * products (101 x 101 x 101), 2^16 for transposes and 2^15 for pairs.  In double the
	 * limits of products and pairs are half of these, and without AVX2 half again.  With
	 * AVX-512 the limit of products is 2.1 times 2^20, also in double (128 x 128 x 128).
	 * Limits are constants: the bits of a result do not depend on timing. */
	CLOPT_SMALL_HOST,
	CLOPT_SMALL_DEVICE /* the device, unless such a variant is forced */
};

/* =============================================== Products, all of them =======
 *
 * A thousand products of 64 x 64 matrices in one call:
 *
 *	struct clopt_gemm_desc g = CLOPT_GEMM_DESC_INIT;
 *
 *	g.m = g.n = g.k = 64;
 *	g.batch = 1000;
 *	g.stride_a = g.stride_b = g.stride_c = 64 * 64;
 *	rc = clopt_gemm(ctx, &g, a, b, c);
 */

/* clopt_sgemm for complex numbers, as in C99, C++ and Fortran.  alpha and beta point to one each;
 * with an imaginary part of 0 they multiply as real numbers.  Real and imaginary part of a result
 * are sums of 2 k real products each, with the error bound of such a sum. */
CLOPT_API int clopt_cgemm(struct clopt *ctx, int layout, int transa, int transb, size_t m, size_t n,
                          size_t k, const void *alpha, const void *a, size_t lda, const void *b,
                          size_t ldb, const void *beta, void *c, size_t ldc);
CLOPT_API int clopt_zgemm(struct clopt *ctx, int layout, int transa, int transb, size_t m, size_t n,
                          size_t k, const void *alpha, const void *a, size_t lda, const void *b,
                          size_t ldb, const void *beta, void *c, size_t ldc);

/* Types of array elements; the low byte is the bytes of an element.  In a struct 0 is FLOAT.  Sums
 * of HALF and BFLOAT16 are in float32 and rounded once, to the nearest even.  Of INT8, A and B are
 * int8_t, C is int32_t, and alpha and beta are integers from -2^31 to 2^31 - 1.  C is exact
 * modulo 2^32: what leaves the range of int32_t wraps around. */
enum clopt_type {
	CLOPT_TYPE_HALF = 0x002, /* IEEE binary16, in uint16_t */
	CLOPT_TYPE_FLOAT = 0x004,
	CLOPT_TYPE_DOUBLE = 0x008,
	CLOPT_TYPE_BFLOAT16 = 0x102, /* the upper half of a float, in uint16_t; NaN stays NaN */
	CLOPT_TYPE_COMPLEX_FLOAT = 0x208,
	CLOPT_TYPE_COMPLEX_DOUBLE = 0x210,
	CLOPT_TYPE_INT8 = 0x301
};

/* How operands of a float32 product may be rounded first, and how float64 products may be computed,
 * for variants on matrix units. */
enum clopt_math {
	/* Not at all: errors are within the bounds of float32 sums.  From 3840 real terms on a
	 * product may be off by 2^-17 of it (Hopper; docs/performance.md).  Infinities, NaN and
	 * overflow are float32's.  An element below 2^-112 may lose 2^-134. */
	CLOPT_MATH_EXACT = 0,
	/* To 11 significant bits, rounded or cut off, which may take 2^-10 of one operand.  The
	 * range is kept; infinities and NaN stay. */
	CLOPT_MATH_TF32 = 1,
	CLOPT_MATH_HALF = 2, /* to half, whose range ends at 65504; TF32 too */
	/* Float64 and complex float64: perhaps by exact products of 8-bit integers.  Let a be a row
	 * of op(A), b a column of op(B), | | the 2-norm, k the number of real terms.  A sum errs by
	 * at most (sqrt(k) + 2) 2^-53 |a| |b|, and mostly by less than 2e-16 |a| |b|.  Elements
	 * that are not finite, and lines of norms beyond 2^-450 to 2^450, are as in float64, but
	 * slow.  The other elements have the same bits on all devices.  Sums of over 32768 real
	 * terms, and other types, are EXACT; clopt_report.math tells. */
	CLOPT_MATH_INT8 = 3,
	/* The same with smaller errors: at most 2^-52 of the sum and (sqrt(k) + 2) 2^-61 |a| |b|.
	 * Takes more time and memory: 16 residues of each number instead of 14. */
	CLOPT_MATH_INT8_FINE = 4
};

/* A product with all options. */
struct clopt_gemm_desc {
	size_t size; /* sizeof(struct clopt_gemm_desc) */
	int type; /* enum clopt_type, of all three arrays; of INT8, C has int32_t */
	int layout, transa, transb; /* enum clopt_layout, enum clopt_trans */
	int math; /* enum clopt_math */
	/* 0: all of C.  CLOPT_UPLO_LOWER or CLOPT_UPLO_UPPER: only that triangle, with the
	 * diagonal, is computed and written; m and n have to be equal. */
	int triangle;
	/* Of complex types, 1: the triangle's matrix is Hermitian.  The imaginary parts of its
	 * diagonal are not read, and set to 0; alpha and beta are real. */
	int hermitian;
	int result; /* of INT8: 0, or the type of C with an epilogue, see below */
	size_t m, n, k;
	/* In float32 unless the type is of double or INT8.  alpha has no default: 0 is refused,
	 * unless k is 0, as a field that was not set. */
	double alpha, beta;
	size_t lda, ldb, ldc; /* 0: no gaps */
	/* Products of equal shape: C_i = alpha op(A_i) op(B_i) + beta C_i, i < batch.  A_i begins
	 * stride_a elements after A_(i-1), and so on.  stride_a or stride_b 0: one matrix for all.
	 * The C_i may not overlap; stride_c 0: no gaps.  batch 0: 1. */
	size_t batch, stride_a, stride_b, stride_c;
	double alpha_imag, beta_imag; /* of complex types; of real types 0 */
	/* The epilogue: with `result` CLOPT_TYPE_FLOAT or CLOPT_TYPE_INT8, type INT8, beta 0 and no
	 * triangle, C has floats or int8_t.  Let s be alpha times the sum, modulo 2^32 as without
	 * an epilogue.  C[i][j] is s rounded to float, times scale_rows[i], times scale_columns[j],
	 * plus bias[j], then clamped to least and most.  Each step is rounded to float; with INT8
	 * the last to the nearest even integer.  NaN stays NaN, or becomes 0.  So results have the
	 * same bits on all devices, except that some take floats below 2^-126 for 0.
	 * These are arrays of m, n and n floats, which live until the call has ended, also if it
	 * was started.  NULL leaves a step out.  For clopt_gemm_buffers each is a struct
	 * clopt_buffer.  A batch shares them.  A zero point of C is a part of the bias.  least and
	 * most 0: no clamp, or -128 and 127.  With INT8 they are integers. */
	const void *scale_rows, *scale_columns, *bias;
	double least, most;
};
#define CLOPT_GEMM_DESC_INIT \
	{ \
		sizeof(struct clopt_gemm_desc), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, \
		        0, 0, 0, 0, 0, NULL, NULL, NULL, 0, 0 \
	}
CLOPT_API void clopt_gemm_desc_init(struct clopt_gemm_desc *g, size_t size);
/* The products of g: of halves, of complex numbers, one triangle, a batch, rounded operands. */
CLOPT_API int clopt_gemm(struct clopt *ctx, const struct clopt_gemm_desc *g, const void *a,
                         const void *b, void *c);
/* A batch in plain arguments, without defaults.  batch 0 is none, alpha 0 gives C = beta C, and a
 * leading dimension is at least a row. */
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
 * (CLOPT_TRANS_CONJ), as with clopt_gemm_desc.hermitian.  Of real types it is clopt_syrk. */
CLOPT_API int clopt_herk(struct clopt *ctx, int type, int layout, int uplo, int trans, size_t n,
                         size_t k, double alpha, const void *a, size_t lda, double beta, void *c,
                         size_t ldc);

/* ============================================ Transposes, all of them =======
 *
 * A square matrix of n x n floats in place:
 *
 *	clopt_transpose_inplace(ctx, n, n, sizeof(float), a, n);
 */

/* The transposes of `batch` matrices of one shape.  Each begins stride_in elements after the one
 * before, and its transpose stride_out.  Transposes may not overlap.  stride_in 0: one for all. */
CLOPT_API int clopt_transpose_strided_batched(struct clopt *ctx, size_t rows, size_t cols,
                                              size_t elem_bytes, const void *in, size_t ld_in,
                                              size_t stride_in, void *out, size_t ld_out,
                                              size_t stride_out, size_t batch);
/* out = alpha times the transpose of in (omatcopy in BLAS).  alpha 1 moves bits, 0 gives zeros.
 * Else each product is rounded once; a device may take subnormal floats for zeros. */
CLOPT_API int clopt_stranspose(struct clopt *ctx, size_t rows, size_t cols, float alpha,
                               const float *in, size_t ld_in, float *out, size_t ld_out);
CLOPT_API int clopt_dtranspose(struct clopt *ctx, size_t rows, size_t cols, double alpha,
                               const double *in, size_t ld_in, double *out, size_t ld_out);
/* Replace data by its transpose; unchanged if the call fails.  If rows == cols, any ld >= cols is
 * allowed, and gaps between rows are kept.  Otherwise the matrix has no gaps, before and after: ld
 * is cols, unless rows is 1.  The call takes as much host memory again. */
CLOPT_API int clopt_transpose_inplace(struct clopt *ctx, size_t rows, size_t cols,
                                      size_t elem_bytes, void *data, size_t ld);

/* =================================================== Pinned memory =======
 *
 * Pinned memory has the fastest transfers.  Memory for an array that is used often:
 *
 *	void *memory;
 *
 *	rc = clopt_host_alloc(ctx, bytes, &memory, NULL);
 *	...
 *	clopt_host_free(ctx, memory);
 */

/* The kinds of memory that clopt_host_alloc gives. */
enum clopt_memory {
	CLOPT_MEMORY_ORDINARY, /* pinned memory was not available */
	CLOPT_MEMORY_PINNED, /* the device reads and writes it at full speed */
	CLOPT_MEMORY_SHARED /* host and device share it: zero copy for arrays in it */
};

/* Host memory, aligned to 4096 bytes and not initialised.  *kind (may be NULL) gets its kind.
 * Calls take any pointer into it.  On failure *memory is NULL.  0 bytes give a pointer that may be
 * freed.  Pinning is slow, and other programs lose pinned memory.  Up to 1 GiB of freed memory
 * stays pinned for the next call.  clopt_host_trim releases it.  It also releases the device memory
 * that calls on arrays keep for later ones.  That is a 64th of what a call may use, up to 256 MiB.
 * clopt_host_free takes memory of the same context, or NULL; else CLOPT_EINVAL. */
CLOPT_API int clopt_host_alloc(struct clopt *ctx, size_t bytes, void **memory, int *kind);
CLOPT_API int clopt_host_free(struct clopt *ctx, void *memory);
CLOPT_API int clopt_host_trim(struct clopt *ctx);

/* ============================================== What ran, and why =======
 *
 * A context keeps the report of its last call.  The kernel of that call, and its time:
 *
 *	struct clopt_report r = CLOPT_REPORT_INIT;
 *
 *	if (clopt_last_report(ctx, &r) == CLOPT_OK)
 *		printf("%s: %g s\n", r.variant ? r.variant : "no kernel", r.seconds);
 */

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
	unsigned tree_order; /* of a sum with a tolerance; 0: over all pairs */
	double tree_theta, tree_seconds; /* seconds to build the tree */
	double near_pairs, far_pairs; /* mean sources, and cells or proxies, for a target */
	size_t error_targets; /* that were summed over all pairs, too */
	double error_median, error_99; /* of their errors: the median, and the 99th percentile */
	int math; /* enum clopt_math: what a product made use of, on the first device */
	int reserved; /* 0 */
};
#define CLOPT_REPORT_INIT \
	{ \
		sizeof(struct clopt_report), NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, \
		        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 \
	}
CLOPT_API void clopt_report_init(struct clopt_report *report, size_t size);
/* The report of the last routine or map on this context, also of a failed one, unless its arguments
 * were refused.  Of a call on buffers, seconds is the time to queue it.  Where the host computes
 * small products of equal sizes one after the other, the report is that of the first. */
CLOPT_API int clopt_last_report(struct clopt *ctx, struct clopt_report *report);

/* The operations that have kernels. */
enum clopt_op {
	CLOPT_OP_MATMUL,
	CLOPT_OP_TRANSPOSE,
	CLOPT_OP_POTENTIAL,
	CLOPT_OP_NBODY,
	CLOPT_OP_LEAPFROG, /* kick and drift between two CLOPT_OP_NBODY in clopt_nbody_leapfrog */
	CLOPT_OP_EVOLVE_STEP, /* the same in clopt_nbody_evolve, or Hermite's step */
	CLOPT_OP_EVOLVE_SUMS, /* its conserved sums, after CLOPT_OP_NBODY */
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
	int outputs; /* enum clopt_outputs; of CLOPT_OP_NBODY FIELD (the default) or later ones */
	int precision; /* enum clopt_precision */
	int normals, depths; /* 1: the call has such an array */
	int layout, math, triangle, hermitian; /* as in struct clopt_gemm_desc */
	int scaled; /* 1 for a factor other than 1, with elem_bytes 4 or 8 */
	/* 1: leading dimensions or strides are no multiples of 16 bytes.  Plus 2: those of the
	 * result are no multiples of 64. */
	int uneven;
	int reserved; /* 0 */
	size_t dim[3], elem_bytes; /* elem_bytes 0: that of the type, or 4 */
	size_t batch; /* of CLOPT_OP_MATMUL and CLOPT_OP_TRANSPOSE; 0: 1 */
	size_t steps; /* of bodies that move, for clopt_plan; 0: 1 */
};
#define CLOPT_PROBLEM_INIT \
	{ \
		sizeof(struct clopt_problem), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, \
		        { 0, 0, 0 }, 0, 0, 0 \
	}
CLOPT_API void clopt_problem_init(struct clopt_problem *problem, size_t size);

/* Which variant serves this problem, its geometry and plan, and why those above it in the table do
 * not.  The answer goes into text: size bytes, always terminated, cut if too short.  Builds and
 * checks kernels as a call would.  CLOPT_ENOVARIANT, CLOPT_ENOMEM or CLOPT_EUNSUPPORTED: no variant
 * serves, and the text says why.  CLOPT_EINVAL: an invalid problem, or no room for a text. */
CLOPT_API int clopt_explain(struct clopt *ctx, const struct clopt_problem *problem, char *text,
                            size_t size);
/* The name of the variant that would serve the problem; NULL if none would.  Builds kernels. */
CLOPT_API const char *clopt_chosen_variant(struct clopt *ctx, const struct clopt_problem *problem);
/* The same at once, without building: by records, the table and the device's traits, as if each
 * kernel were built and right. */
CLOPT_API const char *clopt_expected_variant(struct clopt *ctx,
                                             const struct clopt_problem *problem);

#ifdef __cplusplus
}
#endif

#include "clopt_pairs.h"

#endif
