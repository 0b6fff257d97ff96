/* SPDX-License-Identifier: MIT */
/*
 * table.h - operations, the variants of their kernels, laws, problems and jobs: data.
 */
#ifndef CLOPT_TABLE_TABLE_H
#define CLOPT_TABLE_TABLE_H

#include "../base/numbers.h"
#include "../base/text.h"
#include "../move/move.h"

/*
 * An operation.  Its kernels take, in order: `dims` sizes (ulong); if `pitched`, each operand's row
 * length in elements (ulong); if `batched`, the distance of each operand's matrices in elements
 * (ulong); if `triangular`, first row minus first column of the result's block (long); `reals`
 * numbers in the problem's precision, MAX_REALS of them as one vector; `operands` arrays; if
 * `views`, where each array begins after its pointer (ulong8), in elements if `pitched`, else in
 * rows.
 */
#define MAX_OPERANDS 7
#define MAX_REALS 16
/* Operands of a product with an epilogue, after those of its kernel.  The sums have memory of
 * their own where results are smaller. */
enum {
	SCALE_ROWS = 3,
	SCALE_COLUMNS,
	BIAS,
	PRODUCT_SUMS
};

struct variant;
struct parameters;
struct job;

/* An operand's rows and columns as dimensions of the problem. column_dim NO_DIM: `columns` columns.
 * rows, if not 0, replaces row_dim. */
struct operand_shape {
	unsigned row_dim, column_dim;
	size_t columns, rows;
};

/* Fields of struct clopt_problem that only some operations have; elsewhere they are 0. */
enum {
	FIELD_LAW = 1, /* law, normals, depths */
	FIELD_PRECISION = 2,
	FIELD_PRODUCT = 4, /* type, layout, math, triangle, hermitian */
	FIELD_UNEVEN = 8
};

struct op {
	const char *name;
	/* Files of cl/ before a row's file.  The file of a law comes before the last of them. */
	const char *prelude[3];
	unsigned dims, reals, operands, pitched, batched;
	const char *operand[MAX_OPERANDS]; /* names in the public routine; the last is the result */
	unsigned extent[2]; /* dims that the grid covers along x and y */
	unsigned cut[2]; /* dims that may be cut, the preferred one first */
	unsigned sum; /* dim of the terms of a sum; cut last */
	unsigned keep; /* index of the real that multiplies old results, for sums in parts */
	size_t part_bytes; /* bytes of a target's sums that parts keep; 0: none are kept */
	const char *size[3]; /* names of sizes in the public routine, or NULL */
	unsigned triangular, views;
	unsigned banded; /* arrays go through the pipeline; 0: they stay on the device */
	unsigned sliced; /* the grid's first axis may be launched in slices; sums are over dim 0 */
	unsigned fields; /* FIELD_..., ORed */
	int most_outputs; /* the largest value of the field `outputs` */
	unsigned floats; /* operands that are floats for all element sizes, one bit each */
	unsigned elem_sizes; /* sizes of elements in bytes, ORed */
	unsigned scaled_sizes; /* sizes of elements that a copy may scale, ORed */
	/* Fill in defaults of the operation's fields and check them; or NULL. */
	int (*read)(const struct clopt *ctx, struct clopt_problem *p);
	struct operand_shape (*shape)(const struct clopt_problem *p, unsigned operand);
	/* A problem in words, and its class, with sizes rounded to powers of two.  Both come after
	 * the operation's name and before the batch.  class_text NULL: the operation is not
	 * tuned. */
	void (*text)(const struct clopt_problem *p, struct text *t);
	void (*class_text)(const struct clopt_problem *p, struct text *t);
	const struct variant *rows; /* best first; the last has no name */
	const struct parameters *parameters; /* by file; the last has no file; or NULL */
};

struct variant {
	enum clopt_op op;
	const char *name;
	const char *file; /* under cl/ */
	const char *options; /* for the compiler, beyond the geometry */
	size_t wg[2]; /* work-items in a group */
	size_t out[2]; /* results a group makes, along the same axes */
	unsigned needs; /* traits without which the row cannot run */
	unsigned likes; /* traits without which the row is not picked */
	unsigned align; /* alignment in elements of arrays that are read as vectors */
	unsigned images; /* operands read as image2d_t, one bit each */
	unsigned texels; /* operands read as image1d_buffer_t, one bit each */
	unsigned precisions; /* enum clopt_precision, one bit each; 0: float or double arrays */
	unsigned laws; /* enum clopt_law, one bit each; 0: all laws of the operation */
	unsigned few; /* not picked for more results than this per compute unit; 0: no limit */
	unsigned outputs; /* enum clopt_outputs, one bit each; 0: all but JERK */
	const char *prelude; /* files of cl/ right before `file`, separated by blanks; or NULL */
	int spread; /* 1: groups share the results evenly, at most `out` each */
	unsigned fill; /* not picked for fewer groups than this percentage of compute units */
	/* Long sums over pairs in float32: not picked where its groups keep less than this
	 * percentage of compute units busy.  A later row with smaller groups is picked instead.  It
	 * must give the same bits, since the number of devices decides too. */
	unsigned busy;
	unsigned types; /* bits of struct element_type, or element sizes, ORed; 0: 4 or 8 */
	unsigned shapes; /* enum shape_class, ORed: shapes for which it is picked; 0: all */
	int math; /* enum clopt_math that must be allowed */
	unsigned narrow; /* matmul: not picked for more columns; 0: no limit */
	unsigned broad; /* matmul: not picked for fewer columns */
	unsigned deep; /* not picked for sums of fewer terms */
	unsigned shallow; /* not picked for sums of more terms; 0: no limit */
	unsigned rows16; /* rows of inputs are aligned to ROW_CHUNK, or copied so: not picked then
	                    for fewer rows or columns of the result */
	/* Not 0: its PTX goes through clopt__retarget, with registers for this many groups on a
	 * compute unit at a time. */
	int retarget;
	int maps; /* matmul: the kernel's last arguments are inputs with tensor maps
	             (kernel/tensor_map.c, aligned.c) */
	int planes; /* matmul: its kernel `planes` runs first, into a workspace
	               (kernel/planes.c) */
	int moduli; /* matmul, not 0: its kernels norms, residues and products run first, into a
	               workspace (kernel/int8.c); of each element there is a residue for so many
	               moduli; 1: modulo 2^32, for int8 */
	int persists; /* 1: `retarget` groups for each compute unit, which make several blocks */
	int flips; /* matmul: `out` is swapped if both inputs are transposed; if only A is, it is
	              transposed first (kernel/aligned.c) */
	int by_k; /* matmul: inputs whose rows do not run along k are transposed first */
	int rest_first; /* matmul: the terms that fill no whole tile of k come first */
	int uneven; /* transpose: UNEVEN_..., ORed: picked only for problems with one of them */
	/* Not NULL: computes the job on host arrays, in the calling thread; the row has no kernel.
	 * Such rows are the first of their operation, and come before tuning records.  `shallow'
	 * limits them also where they are named. */
	void (*host)(const struct job *job);
	/* Largest number of units, and of results, for which it is picked, with AVX2 in float.
	 * They take 20 to 90 us; a call on a device takes 20 to 60 us on PoCL, 55 us and more on
	 * GPUs, and the transfers.  choose/match.c has other processors.  A constant, so that
	 * results keep their bits. */
	double most;
};

/* Bits of struct variant.types; 2, 4 and 8 are half, float and double. */
enum {
	TYPE_BFLOAT16 = 32,
	TYPE_COMPLEX_FLOAT = 64,
	TYPE_COMPLEX_DOUBLE = 128,
	TYPE_INT8 = 256,
	TYPE_NARROW = 2 | TYPE_BFLOAT16,
	TYPE_COMPLEX = TYPE_COMPLEX_FLOAT | TYPE_COMPLEX_DOUBLE
};

/* Shape of a product, for the choice of a row.  A product has one shape. */
enum shape_class {
	SHAPE_VECTOR = 1, /* m or n is 1 */
	SHAPE_BATCH = 2, /* a batch of products of 64 x 64 at most, or with a vector */
	SHAPE_SMALL = 4, /* m, n, k up to SMALL: the launch dominates */
	SHAPE_DEEP = 8, /* too few tiles of C for the device, and a long k */
	SHAPE_PLAIN = 16
};
#define SMALL 192

/* Of struct clopt_problem.uneven. */
enum {
	UNEVEN_ROWS = 1,
	UNEVEN_RESULT = 2
};

#define RESIDENT_ODD 2
#define ROW_CHUNK 16u

/* When targets of a law need normals. */
enum {
	NORMALS_FIELD = 1, /* for the field */
	NORMALS_ALWAYS
};

/* The term of a pair; a row for each enum clopt_law. */
struct law {
	enum clopt_op op;
	const char *name, *file, *options; /* as in struct variant */
	unsigned flops[2]; /* of the potential; with the field */
	unsigned radial; /* law 1 / r: has double-single precision and multipoles */
	unsigned depths; /* sources may have depths */
	unsigned normals; /* NORMALS_..., for outputs other than CLOPT_OUTPUTS_PHI_NORMAL */
};
/* ---- pair.c: the laws, and the fields of sums over pairs */
extern const struct law clopt__laws[CLOPT_LAWS];
/* Whether a law has a precision; only double-single is limited. */
int clopt__law_has(int law, int precision);
/* For a checked problem, without CLOPT_PRECISION_BEST. */
const char *clopt__precision_name(int precision);
const char *clopt__outputs_name(int outputs);
/* Their enumerators, or numbers, in text of ENUM_SIZE bytes. */
const char *clopt__law_text(char *text, int law);
const char *clopt__trans_text(char *text, int trans);
const char *clopt__type_text(char *text, int type);
const char *clopt__precision_text(char *text, int precision);
const char *clopt__outputs_text(char *text, int outputs);
/* In clopt_problem.reserved, inside the library: a kernel for a sum over sources in parts. */
#define FORM_IN_PARTS 1
/* The same, for gravity without softening and without the potential: a kernel whose first pass
 * leaves out pairs at distance 0.  Its results are right for any softening. */
#define FORM_CHECKED 2
/* The same, for the memory that a product takes: it has an epilogue, whose C is column-major; and
 * 1 << SCALE_ROWS to 1 << PRODUCT_SUMS for the operands that it has. */
#define FORM_EPILOGUE 4
#define FORM_TURNED 128
/* Bytes that a row keeps between parts of a sum, for a target or an element of C; 0: it adds up
 * results.  Then the number of sources, or terms of k, after which a sum may be cut without
 * changing bits. */
size_t clopt__part_bytes(const struct variant *v, const struct clopt_problem *problem);
size_t clopt__sum_tile(const struct variant *v);
/* Numbers of a point: x, y, z, weight and, for the jerk, a velocity and a 0. */
size_t clopt__point_numbers(const struct clopt_problem *problem);
/* The precision in which points and results are stored, for clopt__numbers_pack. */
int clopt__point_precision(const struct clopt_problem *problem);

/* Fill in and check the fields of a sum over pairs, also where a tree sums. */
int clopt__pair_read(const struct clopt *ctx, struct clopt_problem *p);

/* ---- tree.c: trees over sources; cl/tree/tree.clh has the layout */
#define TREE_LEAST_ORDER 2
#define TREE_MOST_ORDER 6
#define TREE_MOST_PROXIES 84
#define TREE_MOST_LEVELS 40
#define TREE_DIGITS 256
#define TREE_PASSES 8 /* of the sort */
/* Entries of a row of the matrix of proxies, two floats each. */
#define TREE_MATRIX_ROW (3 + TREE_MOST_PROXIES)
/* Steps of a tree's operations, in the field `outputs`. */
enum {
	TREE_BOXES,
	TREE_KEYS,
	TREE_COUNT = 0,
	TREE_SCAN,
	TREE_SCATTER,
	TREE_LEAVES = 0,
	TREE_INNER,
	TREE_LEAVES_MOMENTS,
	TREE_INNER_MOMENTS
};
/* The highest order of multipoles. */
#define TREE_MOST_MULTIPOLE 4
/* Highest total power, of targets' and sources' distances, in the polynomials of groups. */
#define TREE_MOST_LOCAL 6
struct tree_shape {
	size_t n;
	unsigned order;
	int multipoles; /* cells have moments instead of proxies */
	size_t leaf, rows; /* sources of a leaf; rows of a cell's proxies or moments */
	size_t cells; /* number of all cells */
	unsigned levels;
	struct {
		size_t first, cells;
	} level[TREE_MOST_LEVELS]; /* from the leaves up */
};
size_t clopt__tree_proxies(unsigned order);
/* Whether cells have moments: for this law (enum clopt_law), up to an order. */
int clopt__tree_multipoles(int law, unsigned order);
/* Whether groups have polynomials, in rows that support them: LOCALS in cl/tree/local.clh. */
int clopt__tree_polynomials(const struct clopt_problem *p, unsigned order);
/* Sources of a leaf, and rows of a cell's proxies or moments. */
size_t clopt__tree_leaf(unsigned order, int multipoles);
size_t clopt__tree_rows(unsigned order, int multipoles);
void clopt__tree_shape(size_t n, unsigned order, int multipoles, struct tree_shape *t);
/* Rows of TREE_MATRIX_ROW pairs of floats, one for each proxy. */
void clopt__tree_matrix(unsigned order, float *matrix);
/* Index of theta^2 among the reals of a sum over pairs. */
#define REAL_THETA2 REAL_KEEP

/* ---- matmul.c: the row of the kernel for epilogues, which no product picks, and its problem; enum
 * shape_class of a product */
extern const struct variant clopt__epilogue_row;
extern const struct clopt_problem clopt__epilogue_problem;
unsigned clopt__shape(const struct clopt_problem *problem, unsigned compute_units);

/* ---- bodies.c */
/* Replace CLOPT_PRECISION_BEST by the best precision of the device.  CLOPT_EINVAL: bodies do not
 * have the precision. */
int clopt__bodies_precision(const struct clopt *ctx, int *precision);

/* ---- table.c: the operations and their rows */
extern const struct op clopt__matmul, clopt__transpose, clopt__potential, clopt__nbody,
        clopt__leapfrog_op, clopt__evolve_step, clopt__evolve_sums, clopt__tree_keys,
        clopt__tree_sort, clopt__tree_cells, clopt__tree_potential, clopt__tree_nbody;
extern const struct op *const clopt__ops[CLOPT_OPS];
/* Rows of all operations, in order; NULL after the last. */
const struct variant *clopt__variant(size_t i);
const struct variant *clopt__next_variant(const struct variant *v);

/* cl/ as text, made by embed.awk; ends with a NULL file. */
struct source {
	const char *file;
	const char *const *lines;
	size_t count;
};
extern const struct source clopt__sources[];
/* Digest of the files of lib/ and cl/. */
extern const char clopt__digest[];

/* In `outputs' of CLOPT_OP_EVOLVE_STEP: Hermite's step. */
#define JERK 1
#define SUMS 12 /* sums of a group, as in cl/evolve/sums.cl */

struct placed; /* call/call.h */
struct runners;

/* As in struct clopt_nbody_options. */
struct tolerance {
	double tolerance, theta;
	unsigned order;
};

/* What makes results of the sums of an int8 product. */
struct epilogue {
	int result; /* enum clopt_type of C; 0: no epilogue */
	int turned; /* the caller's C is column-major: its rows are the job's columns */
	float least, most;
};

struct job {
	struct clopt_problem problem;
	struct epilogue epilogue; /* matmul */
	/* matmul: alpha, beta, and their imaginary parts; leapfrog: dt, g, square of the
	 * softening */
	double real[MAX_REALS];
	int per_charge; /* potential: real is for a charge of 1 until clopt__law_charge */
	size_t steps; /* leapfrog */
	int idle; /* 1: nothing to compute, whatever the sizes */
	struct clopt_group group; /* processes of a distributed call */
	struct tolerance tree;
	/* Runs the job (placed: on buffers).  NULL: the job is one kernel. */
	int (*run)(struct clopt *ctx, const struct job *job, struct placed *placed);
	const void *what; /* for run */
	const struct runners *runners; /* of its parts (call/call.h); NULL: this device alone */
	struct operand operand[MAX_OPERANDS];
	char *kept; /* the result's array before the call, rows packed; NULL: no copy */
	const int *cancelled; /* by clopt_call_cancel, perhaps before the call begins; atomic */
};

/* ---- problem.c: problems and the shapes of their operands */

/* Copy the problem and fill in defaults; CLOPT_EINVAL for an invalid problem. */
int clopt__problem_read(const struct clopt *ctx, const struct clopt_problem *in,
                        struct clopt_problem *out);
/* The same for a problem without arrays.  If `uneven' is 0, it becomes that of host arrays without
 * gaps. */
int clopt__problem_asked(const struct clopt *ctx, const struct clopt_problem *in,
                         struct clopt_problem *out);
/* `uneven' of a transpose, whose arrays are on ctx's device. */
int clopt__job_uneven(const struct clopt *ctx, const struct job *job);
/* Number of terms of all sums, or of moved elements; for moving bodies, of pairs. */
double clopt__units(const struct clopt_problem *problem);
/* `out` of a row for this problem. */
size_t clopt__out(const struct variant *v, const struct clopt_problem *problem, unsigned axis);
/* Whether the row transposes A (0) or B (1) first, so that its kernel is that of the other
 * transposition. */
int clopt__turns(const struct variant *v, const struct clopt_problem *p, unsigned operand);
/* Results that the grid of a kernel covers, without the batch. */
size_t clopt__results(const struct clopt_problem *problem);
void clopt__problem_text(const struct clopt_problem *problem, char *text, size_t size);
struct sentence clopt__problem_sentence(const struct clopt_problem *problem);
/* The class of a problem, as tuning records name it.  Problems of a class get the same choice. */
#define CLASS_SIZE 160
int clopt__is_tuned(const struct clopt_problem *p);
void clopt__class_text(const struct clopt_problem *p, char *text, size_t size);
/* Bytes of an element of operand i of a checked problem.  Its field elem_bytes is of the inputs. */
size_t clopt__elem_bytes(const struct clopt_problem *problem, unsigned i);
/* Fill in the shape of operand i. */
void clopt__problem_operand(const struct clopt_problem *problem, unsigned i, struct operand *o);
/* The same for a job, whose operands may be more. */
unsigned clopt__operands(const struct job *job);
void clopt__job_operand(struct job *job, unsigned i);
/* FORM_EPILOGUE and its like, of a job; the job's epilogue and the use of its operands, of those.
 */
int clopt__epilogue_form(const struct job *job);
void clopt__epilogue_of(int form, struct job *job);

struct operand clopt__host_operand(const void *host, size_t ld, unsigned use);
struct operand clopt__buffer_operand(const struct clopt_buffer *buffer, size_t ld, unsigned use);

/* ---- batch.c: many products of one shape */
/* The operand of a batch from that of its first matrix. */
struct operand clopt__of_batch(struct operand o, size_t batch, size_t stride);
/* Whether the matrices can be copied as rows of one array.  Then product i as a separate job. */
int clopt__batch_moves(const struct job *job);
void clopt__batch_one(const struct job *job, size_t i, struct job *one);

/* ---- matmul.c: transa, transb and layout of a product; CLOPT_EINVAL */
int clopt__check_product(const struct clopt *ctx, const struct clopt_problem *p);

/* ---- arguments.c: checks of arguments; failures are CLOPT_EINVAL with the numbers */
/* unread: the array may be NULL, since the call does not use it. */
int clopt__check_operand(const struct clopt *ctx, const struct operand *o, int unread);
int clopt__check_apart(const struct clopt *ctx, const struct operand *out,
                       const struct operand *in);
/* Refuse a size, or a count, that is most likely a negative number. */
int clopt__check_size(const struct clopt *ctx, const char *name, size_t size);
int clopt__check_sizes(const struct clopt *ctx, const struct clopt_problem *p);
/* lines: "rows" or "columns" of a matrix that has no shape yet. */
int clopt__check_ld(const struct clopt *ctx, const char *name, const char *lines, size_t length,
                    size_t ld);
/* Refuse a batch whose results, `lines` lines each, overlap. */
int clopt__check_results(const struct clopt *ctx, const char *name, size_t batch, size_t lines,
                         size_t length, size_t ld, size_t stride);
/* Check a number that kernels get as a float: zero, or of magnitude least to most. */
int clopt__check_real(const struct clopt *ctx, const char *name, double value, double least,
                      double most);

/* ---- laws.c: the numbers of a pair kernel; cl/pair/target.clh explains them */
enum pair_real {
	REAL_SCALE,
	REAL_SOFTENING2,
	REAL_KEEP, /* set by kernel/workload.c */
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
	REAL_LAW, /* number of the law, for kernels that test it at run time */
	PAIR_REALS,
	REAL_UNIT = REAL_SOFTENING2 /* laws with salt have no softening */
};

int clopt__law_check(const struct clopt *ctx, const struct clopt_potential_options *o, int normals);
/* The reals of checked options.  charge: sum of the charges. */
int clopt__law_reals(const struct clopt *ctx, const struct clopt_potential_options *o,
                     double charge, struct clopt_problem *problem, double *real);
/* Replace 0 by the default of clopt.h. */
void clopt__potential_defaults(struct clopt_potential_options *o);
/* Set the low parts of scale, softening and projection where double-single needs them. */
void clopt__law_low_parts(int law, double *real);
/* Sum the charges of the job's checked sources on the host, and scale the reals that were made for
 * a charge of 1. */
void clopt__law_charge(struct job *job);
/* Whether they lead to ALPB, whose formula needs the sum of the charges. */
int clopt__law_is_alpb(const struct clopt_potential_options *o);

/* ---- parameters.c: rows with other values of their parameters */

#define MOST_AXES 6
/*
 * The parameters of a kernel file: options -DNAME=value of its rows or their geometry (wg, out),
 * with the values that tuning tries, separated by blanks.
 */
struct parameters {
	const char *file;
	struct axis {
		const char *name, *values;
	} axis[MOST_AXES];
};
/* The index of the value of each parameter; 0: the value of the row. */
struct point {
	unsigned at[MOST_AXES];
};
/* The number after "-DNAME=" in the row's options; 0: no such option. */
size_t clopt__option_number(const struct variant *row, const char *name);
/* Number of parameters of the row's file; number of a parameter's values besides the row's. */
unsigned clopt__axes(const struct variant *row);
unsigned clopt__values(const struct variant *row, unsigned axis);
/* The row with the values of the point, made once and owned by the context; the row itself if none
 * differs.  NULL: no memory. */
const struct variant *clopt__made(struct clopt *ctx, const struct variant *row,
                                  const struct point *point);
/* The row that v was made from, and the point it was made for. */
const struct variant *clopt__origin(const struct clopt *ctx, const struct variant *v,
                                    struct point *point);
void clopt__made_free(struct clopt *ctx);
/* The row with a name of this length, made if needed.  NULL: no such row; `why` is the reason. */
const struct variant *clopt__named(struct clopt *ctx, const char *name, size_t length, char *why,
                                   size_t size);

#endif
