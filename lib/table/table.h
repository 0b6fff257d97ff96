/* SPDX-License-Identifier: MIT */
/*
 * table.h - operations, the variants of their kernels, laws, problems and jobs: data.
 */
#ifndef CLOPT_TABLE_TABLE_H
#define CLOPT_TABLE_TABLE_H

#include "../move/move.h"

/*
 * An operation, and so the signature of its kernels: `dims` sizes (ulong); if
 * `pitched`, the row length of each operand in elements (ulong); if `batched`, the
 * elements from one matrix of it to the next (ulong); if `triangular`, by how many
 * rows the block of the result lies lower than right (long); `reals` numbers of the
 * problem's precision, MAX_REALS of them as one vector; `operands` arrays.
 */
#define MAX_OPERANDS 5
#define MAX_REALS 16

struct variant;
struct parameters;

struct op {
	const char *name;
	/* Files of cl/ that go before a row's own; a law's goes before the last. */
	const char *prelude[3];
	unsigned dims, reals, operands, pitched, batched;
	const char *operand
	        [MAX_OPERANDS]; /* as the public routine calls them; the last is the result */
	unsigned extent[2]; /* the dims that the grid covers along x and y */
	unsigned cut[2]; /* the dims that are cut, the preferred one first */
	unsigned sum; /* the dim that results are sums over: cut when nothing else helps */
	unsigned keep; /* the number that old results are multiplied by, for those parts */
	size_t part_bytes; /* what a result of more than float32 takes between parts: see workload.c */
	unsigned triangular;
	unsigned banded; /* its arrays go through the pipeline, else they stay on the device */
	const struct variant *rows; /* best first; the last has no name */
	const struct parameters *parameters; /* of its rows' files; the last has no file; or NULL */
};

struct variant {
	enum clopt_op op;
	const char *name;
	const char *file; /* under cl/ */
	const char *options; /* for the compiler, beyond the geometry */
	size_t wg[2]; /* work-items in a group */
	size_t out[2]; /* results a group makes, along the same axes */
	unsigned needs; /* traits without which it cannot run */
	unsigned likes; /* traits without which it is not picked */
	unsigned align; /* elements: where arrays have to begin that it reads as vectors */
	unsigned images; /* operands that it reads as image2d_t, one bit each */
	unsigned texels; /* operands that it reads as image1d_buffer_t */
	unsigned precisions; /* of enum clopt_precision, one bit each; 0: float or double arrays */
	unsigned laws; /* of enum clopt_law, one bit each; 0: all of the operation's */
	unsigned few; /* not picked for more results than this a compute unit; 0: for any */
	unsigned outputs; /* of enum clopt_outputs, one bit each; 0: all */
	const char *prelude; /* under cl/, go right before the file, with blanks between; or NULL */
	int spread; /* 1: groups share the results evenly, `out` at most */
	unsigned fill; /* not picked for fewer groups than these percent of the compute units */
	unsigned sizes; /* bytes of elements it is for, ORed; 0: 4 or 8 */
	unsigned shapes; /* of enum shape_class, that it is picked for; 0: all */
	int math; /* of enum clopt_math, that has to be allowed */
	unsigned narrow; /* matmul: not picked for more columns; 0: for any */
	unsigned broad; /* matmul: not picked for fewer columns */
	unsigned deep; /* not picked for sums of fewer terms */
	unsigned shallow; /* not picked for sums of more terms; 0: for any */
	int rows16; /* 1: not picked where rows of inputs begin at odd places (ROW_CHUNK) */
	/* Not 0: its PTX goes through clopt__retarget, and has registers for so many groups on a
	 * compute unit at a time. */
	int retarget;
	int uneven; /* transpose: 1: picked only where rows begin off 16 bytes */
};

/* What a product's sizes are like; for picking only.  It has one of them. */
enum shape_class {
	SHAPE_VECTOR = 1, /* m or n is 1 */
	SHAPE_BATCH = 2, /* many products, of 64 x 64 at most or with a vector */
	SHAPE_SMALL = 4, /* m, n, k up to SMALL: the launch counts */
	SHAPE_DEEP = 8, /* too few tiles of C for the device, but a long k */
	SHAPE_PLAIN = 16
};
#define SMALL 192

#define RESIDENT_ODD 2
#define ROW_CHUNK 16u

/* What a pair adds; the row of enum clopt_law. */
struct law {
	enum clopt_op op;
	const char *name, *file, *options; /* as in struct variant */
	unsigned flops[2]; /* for the potential; with the field */
};
extern const struct law clopt__laws[CLOPT_LAWS];
/* The precisions that a law has; nothing but double-single is picky. */
int clopt__law_has(int law, int precision);

extern const struct op clopt__matmul, clopt__transpose, clopt__potential, clopt__nbody,
        clopt__leapfrog_op, clopt__evolve_force, clopt__evolve_step, clopt__evolve_sums;
extern const struct op *const clopt__ops[CLOPT_OPS];
/* All rows, operation after operation; NULL behind the last. */
const struct variant *clopt__variant(size_t i);
const struct variant *clopt__next_variant(const struct variant *v);

/* cl/ as text, made by embed.awk; ends with a NULL file. */
struct source {
	const char *file;
	const char *const *lines;
	size_t count;
};
extern const struct source clopt__sources[];
/* Of the files of lib/ and cl/. */
extern const char clopt__digest[];

/* Outputs of problems of clopt_nbody_evolve's parts, beside accelerations. */
enum {
	JERK = 1,
	PHI = 2
};
#define SUMS 12 /* of a group, as in cl/evolve/sums.cl */

struct placed; /* call/call.h */

struct job {
	struct clopt_problem problem;
	double real[MAX_REALS]; /* leapfrog: dt, g, the softening's square */
	int per_charge; /* potential: what is the charges' sum's share in them waits for it */
	size_t steps; /* leapfrog */
	int idle; /* there is nothing to compute, whatever the sizes are */
	/* How it runs, if not as one kernel; placed: on buffers.  NULL: as one kernel. */
	int (*run)(struct clopt *ctx, const struct job *job, struct placed *placed);
	struct operand operand[MAX_OPERANDS];
};

/* ---- Problems: problem.c -------------------------------------------------- */

/* Defaults filled in; CLOPT_EINVAL for what is no problem. */
int clopt__problem_read(const struct clopt *ctx, const struct clopt_problem *in,
                        struct clopt_problem *out);
/* CLOPT_PRECISION_BEST becomes the last of enum clopt_precision that the device has; CLOPT_EINVAL for
 * one that bodies do not move in. */
int clopt__bodies_precision(const struct clopt *ctx, int *precision);
/* What a product's sizes are like; SHAPE_PLAIN for other operations. */
unsigned clopt__shape(const struct clopt_problem *problem, unsigned compute_units);
/* Terms of all sums, or elements that are moved; of bodies that move, pairs. */
double clopt__units(const struct clopt_problem *problem);
void clopt__problem_text(const struct clopt_problem *problem, char *text, size_t size);
struct sentence clopt__problem_sentence(const struct clopt_problem *problem);
/* The shape that an operand of the problem has, and its part in a band. */
void clopt__problem_operand(const struct clopt_problem *problem, unsigned i, struct operand *o);

struct operand clopt__host_operand(const void *host, size_t ld, unsigned use);
struct operand clopt__buffer_operand(const struct clopt_buffer *buffer, size_t ld, unsigned use);

/* batch.c: the first of its matrices becomes all of them, if they are several. */
struct operand clopt__of_batch(struct operand o, size_t batch, size_t stride);

/* batch.c: whether its matrices lie such that they can be moved as rows of one
 * array; product i of it by itself. */
int clopt__batch_moves(const struct job *job);
void clopt__batch_one(const struct job *job, size_t i, struct job *one);

/* arguments.c: arguments.  All fail with CLOPT_EINVAL and the numbers. */
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

/* The numbers of a pair kernel; cl/pair/target.clh says what they are. */
enum pair_real {
	REAL_SCALE,
	REAL_SOFTENING2,
	REAL_KEEP, /* workload.c's */
	REAL_CONSTANT,
	REAL_OVER_R,
	REAL_KAPPA_R,
	REAL_PROJECTION,
	REAL_REACH,
	REAL_RADIUS,
	REAL_A,
	REAL_B,
	REAL_C,
	REAL_LAMBDA,
	REAL_KAPPA2,
	REAL_INNER,
	REAL_LAW, /* its number, for kernels that ask at run time */
	PAIR_REALS,
	REAL_UNIT = REAL_SOFTENING2 /* laws with salt, which know no softening */
};

/* Checks the options; `charge` is their sum. */
int clopt__physics(const struct clopt *ctx, const struct clopt_potential_options *o, double charge,
                   struct clopt_problem *problem, double *real);
/* What float32 loses of the scale and the softening, where double-single wants it. */
void clopt__low_parts(int law, double *real);
/* Adds up the job's sources, which are checked, on the host: its numbers were made
 * for a charge of 1, and what the charge is in grows with it. */
void clopt__physics_charge(struct job *job);
/* Whether the charge matters. */
int clopt__physics_charged(const struct clopt_potential_options *o);

/* ---- class.c ---------------------------------------------------------------- */

#define CLASS_SIZE 160
int clopt__is_tuned(const struct clopt_problem *p);
void clopt__class_text(const struct clopt_problem *p, char *text, size_t size);
/* Of a problem that was checked: none that is asked for "best". */
const char *clopt__precision_name(int precision);
const char *clopt__outputs_name(int outputs);

/* ---- parameters.c: a row with other values for its file's parameters ---------------- */

#define MOST_AXES 6
/*
 * The parameters of a kernel file: options -DNAME=value of its rows, or their geometry (wg,
 * out), and the values that tuning tries, with blanks between.
 */
struct parameters {
	const char *file;
	struct axis {
		const char *name, *values;
	} axis[MOST_AXES];
};
/* Which of its values each parameter has; 0: the row's own. */
struct point {
	unsigned at[MOST_AXES];
};
/* How many parameters the row's file has, and values, beside the row's own, one has. */
unsigned clopt__axes(const struct variant *row);
unsigned clopt__values(const struct variant *row, unsigned axis);
/* The row with those values, made once for a context and owned by it; the row itself for
 * its own.  NULL for want of memory. */
const struct variant *clopt__made(struct clopt *ctx, const struct variant *row,
                                  const struct point *point);
/* The row that a made one comes from, and its values. */
const struct variant *clopt__origin(const struct clopt *ctx, const struct variant *v,
                                    struct point *point);
void clopt__made_free(struct clopt *ctx);
/* The row of that name, made if need be; NULL, and why as words, if there is none.
 * length: of the name. */
const struct variant *clopt__named(struct clopt *ctx, const char *name, size_t length, char *why,
                                   size_t size);

#endif
