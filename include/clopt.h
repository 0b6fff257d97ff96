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
 * Read on only as far as you need: status, context, routines, what ran and
 * why, devices.  Programs with an OpenCL context of their own also include
 * clopt_cl.h.
 *
 * Rules that hold for every function
 *
 * - Sizes are numbers of elements unless the name ends in _bytes.  Zero sizes
 *   are legal.  Matrices are row major.
 * - Arrays belong to the caller.  An input is only read; when a routine has
 *   returned, in success or failure, the library touches none of them again.
 * - A function that returns int returns CLOPT_OK (0) or one of the negative
 *   statuses below.  After a failure clopt_error() has the story in words.
 * - One context may be used from several threads: calls on it run one after
 *   the other.  Different contexts are independent.
 * - OpenCL drivers do not survive fork(): a child of a process that has opened
 *   a context can use neither that nor, with PoCL, a new one.  Fork first.
 * - A struct with a size may be that of an older header than the library's, not
 *   of a newer one (CLOPT_EINVAL).
 * - The library prints nothing (but see CLOPT_VERBOSE), never exits, installs
 *   no handler, and keeps nothing outside its contexts.
 *
 * Environment, read once by clopt_open; the options win over it, and a value
 * that means nothing is an error there:
 *
 *	CLOPT_DEVICE     which device; see struct clopt_options
 *	CLOPT_VARIANT    kernel variants to force, "matmul/plain,nbody/tile-256"
 *	CLOPT_QUEUES     command queues to spread one call over, 1 to 8
 *	CLOPT_MEM_LIMIT  device memory that one call may use: 64M, 2G, bytes
 *	CLOPT_VERBOSE    1: one line on stderr for each call
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
	X(EUNSUPPORTED, -20007, "the device lacks what this call needs")

enum clopt_status {
#define CLOPT_STATUS_ENUM(name, number, text) CLOPT_##name = number,
	CLOPT_STATUS_MAP(CLOPT_STATUS_ENUM)
#undef CLOPT_STATUS_ENUM
	CLOPT_STATUS_END = 1 /* not a status */
};

/* A status in a few words.  Never NULL, also for a number that is none. */
const char *clopt_strerror(int status);

struct clopt;

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

	/* Command queues to spread a call over, 1 to 8; 0: 2.  A call uses as
	 * many as it has bands: one where host and device share memory. */
	unsigned queues;

	/* Device memory that one call may use at a time; 0: what the device
	 * has.  A larger problem goes through in bands. */
	size_t mem_limit_bytes;

	/* 1: time kernels by OpenCL events, for clopt_report.kernel_seconds.
	 * Some drivers slow down with it. */
	int profile;

	/* 1: print one line on stderr for each call. */
	int verbose;
};

#define CLOPT_OPTIONS_INIT \
	{ \
		sizeof(struct clopt_options), NULL, NULL, 0, 0, 0, 0 \
	}

/*
 * Open a context on a device.  options may be NULL.  On failure *ctx is NULL
 * and clopt_error(NULL) says why.
 *
 * CLOPT_ENODEVICE: nothing matches (the text names the devices there are).
 * CLOPT_EINVAL: an option or an environment variable that means nothing.
 * CLOPT_EDEVICE, CLOPT_ENOMEM.
 */
int clopt_open(struct clopt **ctx, const struct clopt_options *options);

/* Release the context and all it holds, after any call on it in other threads
 * has returned.  NULL is allowed. */
void clopt_close(struct clopt *ctx);

/* ======================================================== Routines =======
 *
 * All take ordinary host memory and any size, and return when the result is in
 * place.  What does not fit the device at once goes through in bands, with the
 * transfers of one band behind the computing of another.  Bands cut the rows of
 * C and A, the rows of a matrix to be transposed, and targets; B, and sources,
 * have to fit the device whole.
 *
 * Statuses of all of them: CLOPT_EINVAL (a NULL array of nonzero size, a
 * leading dimension shorter than its row, an array beyond the last address, an
 * output that overlaps an input), CLOPT_ENOMEM, CLOPT_EDEVICE, CLOPT_EBUILD,
 * CLOPT_ENOVARIANT; CLOPT_EUNSUPPORTED where double is asked of a device
 * without it.
 */

/* The same numbers as CBLAS: CblasNoTrans and CblasTrans may be passed. */
enum clopt_trans {
	CLOPT_NO_TRANS = 111,
	CLOPT_TRANS = 112
};

/* C = A B: A is m x k, B is k x n, C is m x n, all packed (leading dimensions
 * k, n, n).  C may not overlap A or B. */
int clopt_matmul(struct clopt *ctx, size_t m, size_t n, size_t k, const float *a, const float *b,
                 float *c);

/*
 * C = alpha op(A) op(B) + beta C, BLAS's GEMM for row-major arrays.
 *
 * op(A) is m x k: A itself, m x k with lda >= k, or (CLOPT_TRANS) the transpose
 * of an array of k x m with lda >= m.  op(B) is k x n likewise.  C is m x n
 * with ldc >= n.  Elements between the end of a row and the next row are
 * neither read nor written.
 *
 * beta == 0: C is not read, so NaN in it does not matter.  alpha == 0 or
 * k == 0: A and B are not read.  The sum over k is in the precision of the
 * arguments; its order depends on the variant and the device.
 */
int clopt_sgemm(struct clopt *ctx, int transa, int transb, size_t m, size_t n, size_t k,
                float alpha, const float *a, size_t lda, const float *b, size_t ldb, float beta,
                float *c, size_t ldc);
int clopt_dgemm(struct clopt *ctx, int transa, int transb, size_t m, size_t n, size_t k,
                double alpha, const double *a, size_t lda, const double *b, size_t ldb, double beta,
                double *c, size_t ldc);

/*
 * out = the transpose of in.  in has rows x cols elements of elem_bytes (4 or
 * 8), ld_in >= cols from one row to the next; out has cols x rows, ld_out >=
 * rows.  Bits are moved, never looked at.  out may not overlap in.
 */
int clopt_transpose(struct clopt *ctx, size_t rows, size_t cols, size_t elem_bytes, const void *in,
                    size_t ld_in, void *out, size_t ld_out);

/*
 * Points in space are four floats each: x, y, z and a weight, which is the
 * charge or the mass of a source and is not read in a target.
 *
 * A source at the place of a target adds nothing to it, whatever the softening.
 * So a target that is also a source does not act on itself, and sources and
 * targets may be one array.
 *
 * Squared distances are float32.  Choose units in which distances lie between
 * 1.1e-19, below which two points are at one place, and 1.8e19, beyond which a
 * source adds nothing; and accelerations want m / d^3 within float32, which
 * without softening is about d > 1e-12 for m = 1.  NaN in a point or weight
 * gives NaN.
 */

struct clopt_potential_options {
	size_t size; /* sizeof(struct clopt_potential_options) */
	double scale; /* k below; 332.06371 for e and Angstrom gives kcal/mol/e */
};

#define CLOPT_POTENTIAL_OPTIONS_INIT \
	{ \
		sizeof(struct clopt_potential_options), 1.0 \
	}

/*
 * Coulomb potential of charges at points:
 *
 *	phi[i] = k * sum over j of q_j / |x_i - x_j|
 *
 * nsources sources (x, y, z, q), ntargets targets (x, y, z, unread), ntargets
 * results.  options NULL: k = 1.  Float32, summed in tiles; a relative error
 * of 1e-6 of the sum of |q_j| / |x_i - x_j| is typical.
 *
 * Source: the surface potential of GEM without its dielectric terms; Fenley,
 * Gordon, Onufriev, J. Chem. Phys. 129, 075101 (2008); Daga, Scogland, Feng,
 * "Architecture-Aware Optimization on a 1600-core Graphics Processor".
 */
int clopt_potential(struct clopt *ctx, size_t nsources, const float *sources, size_t ntargets,
                    const float *targets, float *phi,
                    const struct clopt_potential_options *options);

struct clopt_nbody_options {
	size_t size; /* sizeof(struct clopt_nbody_options) */
	double g; /* the gravitational constant, in the caller's units */
	double softening; /* eps below, a length */
};

#define CLOPT_NBODY_OPTIONS_INIT \
	{ \
		sizeof(struct clopt_nbody_options), 1.0, 0.0 \
	}

/*
 * Gravity of bodies at points, with Plummer softening:
 *
 *	a_i   =  g * sum over j of m_j (x_j - x_i) / (|x_i - x_j|^2 + eps^2)^(3/2)
 *	phi_i = -g * sum over j of m_j / sqrt(|x_i - x_j|^2 + eps^2)
 *
 * nsources sources (x, y, z, m), ntargets targets (x, y, z, unread); results
 * are four floats for each target: ax, ay, az, phi.  options NULL: g = 1,
 * eps = 0.  Give bodies that move but do not pull as targets only, and they cost
 * nothing as sources.
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

/* ============================================== What ran, and why ======== */

/* What the library has kernels for.  CLOPT_LEAPFROG is the kick and drift that
 * clopt_nbody_leapfrog puts between two CLOPT_NBODY. */
enum clopt_op {
	CLOPT_MATMUL,
	CLOPT_TRANSPOSE,
	CLOPT_POTENTIAL,
	CLOPT_NBODY,
	CLOPT_LEAPFROG,
	CLOPT_OPS /* how many there are */
};

/* "matmul", "transpose", ...; NULL for a number that is none. */
const char *clopt_op_name(int op);

/*
 * A problem to ask about, as its routine would be called:
 *
 *	CLOPT_MATMUL      dim = m, n, k     elem_bytes 4 or 8   transa, transb
 *	CLOPT_TRANSPOSE   dim = rows, cols  elem_bytes 4 or 8
 *	CLOPT_POTENTIAL,
 *	CLOPT_NBODY       dim = nsources, ntargets
 *	CLOPT_LEAPFROG    dim = bodies
 */
struct clopt_problem {
	size_t size; /* sizeof(struct clopt_problem) */
	int op; /* enum clopt_op */
	size_t dim[3];
	size_t elem_bytes; /* 0: 4 */
	int transa, transb; /* 0: CLOPT_NO_TRANS */
};

/*
 * Write into text (size bytes, always terminated, cut if too short) which
 * variant serves this problem on this device, and for each variant above it in
 * the table why it does not.  Builds the kernel if it was not built yet, since
 * a variant that does not build is passed over.  CLOPT_ENOVARIANT, CLOPT_ENOMEM
 * or CLOPT_EUNSUPPORTED if none serves; the text then still says why.
 */
int clopt_explain(struct clopt *ctx, const struct clopt_problem *problem, char *text, size_t size);

/* The name of the variant that would serve the problem; NULL if none would. */
const char *clopt_choice(struct clopt *ctx, const struct clopt_problem *problem);

/*
 * Force variants: a list of names with commas between, one at most for each
 * operation; NULL or "" lifts all forcing.  A forced variant that cannot serve a
 * call makes it fail with CLOPT_ENOVARIANT, CLOPT_EBUILD or CLOPT_ENOMEM; another never
 * takes its place.  CLOPT_EINVAL for a name that is not in the table.
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

/* How the last routine on this context went. */
struct clopt_report {
	size_t size; /* sizeof(struct clopt_report), set by the caller */
	const char *variant; /* NULL if no kernel had to run */
	size_t bands; /* pieces the call was cut into */
	size_t queues; /* queues they were spread over */
	size_t up_bytes, down_bytes; /* transferred to and from the device */
	double seconds; /* of the whole call, by the host's clock */
	double kernel_seconds; /* sum over kernels, by events; 0 without profile */
};

int clopt_last_report(struct clopt *ctx, struct clopt_report *report);

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
};

/*
 * Fill list with up to max devices of all platforms, best first, and set *count
 * to how many there are.  Set list[i].size first.  The index is what
 * CLOPT_DEVICE takes.  CLOPT_ENODEVICE if there is none.
 */
int clopt_devices(struct clopt_device_info *list, size_t max, size_t *count);

/* The device of this context. */
int clopt_device(const struct clopt *ctx, struct clopt_device_info *info);

#ifdef __cplusplus
}
#endif

#endif
