/* SPDX-License-Identifier: MIT */
/*
 * op.h - the inside of the room: an operation's case, its arrays and its reference.
 *
 * An operation is a const struct of five functions.  It makes fields (arrays
 * between fences), calls the routine on them, and knows the right value of each item of the
 * output.  Walking, comparing and looking for stray writes is the
 * same for all and sits in cases.c.
 */
#ifndef CASES_OP_H
#define CASES_OP_H

#include "cases.h"

struct rng {
	uint64_t state;
};

uint64_t case_random(struct rng *r);
/* As if n numbers had been drawn. */
void case_skip(struct rng *r, uint64_t n);
double case_uniform(struct rng *r); /* in [0, 1) */

/* parts.c: run it for 0 to n - 1, which are so many bytes, by all processors if they are many.  Returns the
 * sum of what the parts return. */
typedef uint64_t case_part(void *what, size_t first, size_t count);
uint64_t case_in_parts(size_t n, size_t bytes, case_part *run, void *what);

/*
 * One array of a problem: rows x cols elements, ld from a row to the next, with
 * a fence before and behind.  Zero owns nothing.
 */
struct field {
	unsigned char *data; /* the first element; NULL may stand for none */
	void *array; /* the same, as the routines take it */
	size_t rows, cols, ld, elem_bytes;
	unsigned char *block; /* fences and data */
	size_t block_bytes, lead_bytes;
	void *memory; /* what free() takes */
	unsigned char *first; /* outputs: the block before the call */
	uint64_t sum; /* inputs: checksum of the block before the call */
};

enum {
	FIELD_IN,
	FIELD_OUT
};

int field_open(struct field *f, size_t rows, size_t cols, size_t ld, size_t elem_bytes, int kind,
               struct rng *r);
void field_close(struct field *f);

/* After the contents are in: remember them. */
int field_seal(struct field *f, int kind);
void field_restore(struct field *f);

int field_changed(const struct field *f);
size_t field_stray(const struct field *f);

/* The elements of a row as double, and back. */
void field_get(const struct field *f, size_t row, double *to);
void field_put(struct field *f, size_t row, const double *from);

/* Uniform in [-scale, scale], or NaN throughout if scale is NaN. */
void field_fill_real(struct field *f, double scale, struct rng *r);

/* One element of 8, 4 or 2 bytes. */
double case_load(const unsigned char *from, size_t type);
void case_store(unsigned char *to, size_t type, double x);
uint16_t case_to_half(double x);
double case_of_half(uint16_t h);

struct case_job {
	int op;
	struct shape s;
	struct rng rng;
	struct field in[3], out[2];
	double *wide; /* numbers that an operation prepares for its reference */
	int all; /* wide is for all items, not for a sample */
};

/* Room for n numbers in wide. */
int case_wide(struct case_job *job, size_t n);

/* One number of the output. */
struct expect {
	double got, want;
	double error; /* in units of the tolerance */
};

/* The largest `width' of an operation. */
enum {
	MAX_WIDTH = 8
};

struct case_op {
	const struct shape *shapes;
	size_t nshapes;
	const struct shape *bench; /* but for dim, which bench_dim gives */
	size_t nbench;
	size_t bench_dim[3]; /* by enum case_extent */
	size_t ndim; /* dimensions that count */
	size_t width; /* numbers in an item of the output */
	const char *unit;
	int (*fill)(struct case_job *job);
	int (*call)(struct clopt *ctx, struct case_job *job);
	int (*prepare)(struct case_job *job, int all); /* may be NULL */
	size_t (*items)(const struct case_job *job);
	void (*expect)(const struct case_job *job, size_t item, struct expect *e);
};

/* The data of an operation's struct, from its arrays of shapes. */
#define CASE_SHAPES(shapes_, ndim_, width_, unit_) \
	.shapes = shapes_, .nshapes = sizeof shapes_ / sizeof *shapes_, .ndim = ndim_, \
	.width = width_, .unit = unit_
#define CASE_BENCH(bench_, small, cpu, gpu) \
	.bench = bench_, .nbench = sizeof bench_ / sizeof *bench_, \
	.bench_dim = { [CASE_SMALL] = small, [CASE_CPU] = cpu, [CASE_GPU] = gpu }

extern const struct case_op case_matmul, case_transpose, case_potential, case_nbody, case_leapfrog,
        case_evolve, case_evolve_step, case_evolve_sums, case_tree_nbody, case_tree_potential;
extern const struct case_op *const case_ops[CLOPT_OPS];

/* |got - want| in units of tolerance; infinite if got is no number. */
double case_off(double got, double want, double tolerance);

/* Unit roundoff of float32 and float64. */
#define EPS_FLOAT 0x1p-24
#define EPS_DOUBLE 0x1p-53

/* How far a float32 sum of n terms may be off, as a share of the sum of their
 * magnitudes, if each may be off by `term' roundings; see pair.c. */
enum {
	TERM_POTENTIAL = 16,
	TERM_GRAVITY = 24,
	TERM_LAW = 32 /* the other laws of potentials */
};

/* Whether the law of clopt_potential goes along normals. */
int law_has_normals(int law);

#endif
