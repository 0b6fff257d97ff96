/* SPDX-License-Identifier: MIT */
/*
 * problems.c - see problems.h.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "problems.h"
#include "suites.h"

/* clang-format off */
#define SIZED .size = sizeof(struct clopt_problem)
/* The last is transb, and other fields by name. */
#define ROW(m, n, k, e, a, ...) \
	{ SIZED, .op = CLOPT_OP_MATMUL, .dim = { m, n, k }, .elem_bytes = e, .transa = a, .transb = __VA_ARGS__ }
#define N CLOPT_TRANS_NO
#define T CLOPT_TRANS_YES
#define H CLOPT_TRANS_CONJ
#define COLUMN .layout = CLOPT_LAYOUT_COL_MAJOR
#define LOWER .triangle = CLOPT_UPLO_LOWER
#define UPPER .triangle = CLOPT_UPLO_UPPER
#define TF32 .math = CLOPT_MATH_TF32
#define C64 .type = CLOPT_TYPE_COMPLEX_FLOAT
#define C128 .type = CLOPT_TYPE_COMPLEX_DOUBLE
#define B16 .type = CLOPT_TYPE_BFLOAT16
#define I8 .type = CLOPT_TYPE_INT8
/* The same problem for all transposes; in both precisions. */
#define FOUR(e, m, n, k, ...) \
	ROW(m, n, k, e, N, N, __VA_ARGS__), ROW(m, n, k, e, N, T, __VA_ARGS__), \
	ROW(m, n, k, e, T, N, __VA_ARGS__), ROW(m, n, k, e, T, T, __VA_ARGS__)
#define EIGHT(m, n, k) FOUR(4, m, n, k, .math = 0), FOUR(8, m, n, k, .math = 0)

static const struct clopt_problem products[] = {
	/* Multiples of nothing, within one tile and over several. */
	EIGHT(33, 65, 17), EIGHT(129, 257, 300),
	/* Multiples of the tiles, as some kernels ask for, and of 4 alone. */
	EIGHT(64, 64, 32), EIGHT(256, 128, 256), FOUR(4, 132, 260, 516, .math = 0),
	FOUR(4, 128, 128, 64, .math = 0),
	/* More than a step of k of some rows; multiples of 4 in k; long sums. */
	ROW(70, 45, 72, 4, N, N), ROW(9, 70, 67, 4, N, N), ROW(260, 100, 513, 4, N, N),
	ROW(260, 100, 513, 8, N, N), ROW(17, 19, 2100, 4, N, N), ROW(17, 19, 2100, 4, T, T),
	/* Rows, columns and single numbers. */
	ROW(1, 1, 1, 4, N, N), ROW(1, 1, 700, 4, N, N), ROW(1, 300, 1, 4, N, N),
	ROW(1, 130, 260, 4, N, T), ROW(130, 1, 260, 4, T, N), ROW(300, 1, 7, 4, N, N),
	ROW(3, 1000, 5, 4, N, N), ROW(1000, 3, 5, 4, N, N), ROW(1, 1, 1, 8, T, T),
	/* Nothing to do, and nothing but C = beta C. */
	ROW(0, 5, 3, 4, N, N), ROW(5, 0, 3, 4, N, N), ROW(0, 0, 0, 4, N, N), ROW(33, 20, 0, 4, N, T),
	ROW(33, 20, 0, 8, N, N),
	/* Larger than a tile of the tensor cores' rows, and a sum in several parts. */
	FOUR(4, 200, 300, 101, .math = 0), ROW(140, 131, 21, 4, N, N), ROW(140, 131, 21, 4, T, T),
	ROW(140, 150, 4500, 4, N, N), ROW(3, 130, 4097, 4, T, T), FOUR(4, 140, 131, 83, TF32),
	FOUR(4, 256, 256, 56, TF32),
	/* Column-major arrays, triangles, batches, halves. */
	ROW(33, 65, 17, 4, N, N, COLUMN), ROW(70, 45, 131, 4, T, N, COLUMN),
	ROW(129, 70, 45, 8, N, T, COLUMN), ROW(300, 1, 70, 4, N, N, COLUMN),
	ROW(131, 131, 33, 4, N, T, LOWER), ROW(200, 200, 33, 4, T, N, UPPER),
	ROW(150, 150, 300, 8, N, N, UPPER), ROW(97, 97, 40, 4, N, T, COLUMN, LOWER),
	ROW(33, 17, 21, 4, N, N, .batch = 5), ROW(64, 64, 64, 4, N, T, .batch = 7),
	ROW(20, 70, 35, 8, T, N, .batch = 6), ROW(30, 30, 30, 4, T, T, .batch = 4, COLUMN),
	ROW(40, 40, 20, 4, N, T, .batch = 4, LOWER), FOUR(2, 33, 65, 47, .math = 0),
	FOUR(2, 128, 192, 64, .math = 0), FOUR(2, 128, 256, 112, .math = 0),
	ROW(50, 70, 33, 2, N, N, .batch = 3), ROW(90, 90, 33, 2, N, T, UPPER),
	/* Complex numbers, and bfloat16. */
	FOUR(8, 33, 65, 17, C64), FOUR(16, 33, 65, 17, C128), ROW(64, 96, 64, 8, N, H, C64),
	ROW(64, 96, 64, 16, H, N, C128), ROW(140, 130, 260, 8, H, T, C64),
	ROW(140, 130, 260, 16, T, H, C128), ROW(70, 45, 131, 16, H, H, C128, COLUMN),
	ROW(130, 1, 260, 8, N, N, C64), ROW(90, 90, 33, 16, N, H, C128, UPPER),
	ROW(33, 17, 21, 8, T, N, C64, .batch = 5), FOUR(2, 33, 65, 47, B16), ROW(128, 192, 64, 2, N, N, B16),
	/* Integers: an even and an odd number of terms, several steps of k. */
	FOUR(1, 33, 65, 47, I8), FOUR(1, 128, 192, 64, I8), ROW(70, 45, 1301, 1, N, T, I8),
	ROW(140, 130, 1037, 1, T, N, I8, COLUMN), ROW(130, 1, 261, 1, N, N, I8),
	ROW(1, 130, 261, 1, N, T, I8), ROW(90, 90, 33, 1, N, T, I8, UPPER),
	ROW(33, 17, 21, 1, T, N, I8, .batch = 5), ROW(33, 20, 0, 1, N, N, I8),
};

#define MATRIX(r, c, e) { SIZED, .op = CLOPT_OP_TRANSPOSE, .dim = { r, c }, .elem_bytes = e }
#define TIMES(r, c, e) { SIZED, .op = CLOPT_OP_TRANSPOSE, .dim = { r, c }, .elem_bytes = e, .scaled = 1 }
#define EACH(r, c) MATRIX(r, c, 4), MATRIX(r, c, 8), MATRIX(r, c, 1), MATRIX(r, c, 2), MATRIX(r, c, 16)

static const struct clopt_problem transposes[] = {
	EACH(1, 1), EACH(33, 65), EACH(64, 64), EACH(70, 45), EACH(128, 32), EACH(1, 1000), EACH(1000, 1),
	EACH(1000, 37), EACH(129, 257), EACH(256, 512), EACH(260, 516),
	EACH(1031, 1025), /* of 4 bytes and more, large enough to be written past a cache */
	EACH(1040, 1024), EACH(0, 5), EACH(5, 0), TIMES(33, 65, 4), TIMES(64, 64, 8), TIMES(65, 33, 4),
	TIMES(1040, 1024, 4), TIMES(1031, 1025, 8), MATRIX(0, 0, 4),
};

#define PAIRS(o, p) \
	PAIR(o, p, 7, 5), PAIR(o, p, 257, 300)
#define PAIR(o, p, n, m) { SIZED, .op = CLOPT_OP_##o, .precision = CLOPT_PRECISION_##p, .dim = { n, m } }
#define SUMS(o) \
	PAIRS(o, COMPENSATED), PAIRS(o, DOUBLE_SINGLE), PAIR(o, DOUBLE_SINGLE, 600, 700), PAIRS(o, DOUBLE), \
	PAIR(o, FLOAT, 1, 1), PAIR(o, FLOAT, 7, 5), PAIR(o, FLOAT, 5, 70), PAIR(o, FLOAT, 70, 33), \
	PAIR(o, FLOAT, 64, 64), PAIR(o, FLOAT, 257, 3), PAIR(o, FLOAT, 0, 7), PAIR(o, FLOAT, 7, 0), \
	PAIR(o, FLOAT, 0, 0), PAIR(o, FLOAT, 1000, 1), PAIR(o, FLOAT, 1, 1000), PAIR(o, FLOAT, 64, 255), \
	PAIR(o, FLOAT, 255, 257), PAIR(o, FLOAT, 256, 512), PAIR(o, FLOAT, 1000, 1000), \
	PAIR(o, FLOAT, 513, 1100), PAIR(o, FLOAT, 1500, 700), PAIR(o, FLOAT, 2000, 3), PAIR(o, FLOAT, 3, 2000)

static const struct clopt_problem potentials[] = { SUMS(POTENTIAL) };
static const struct clopt_problem accelerations[] = {
	SUMS(NBODY),
	{ SIZED, .op = CLOPT_OP_NBODY, .outputs = CLOPT_OUTPUTS_FIELD_PHI, .dim = { 65, 65 } },
	{ SIZED, .op = CLOPT_OP_NBODY, .outputs = CLOPT_OUTPUTS_FIELD_PHI, .dim = { 300, 1000 } },
};

#define BODIES(o, ...) { SIZED, .op = CLOPT_OP_##o, .dim[0] = __VA_ARGS__ }
#define STEPS(p) \
	BODIES(EVOLVE_STEP, 0, IN(p), .outputs = 1), BODIES(EVOLVE_STEP, 33, IN(p), .outputs = 1), \
	BODIES(EVOLVE_STEP, 17, IN(p)), BODIES(EVOLVE_STEP, 1, IN(p)), \
	BODIES(EVOLVE_STEP, 2, IN(p), .outputs = 1), BODIES(EVOLVE_STEP, 65, IN(p)), \
	BODIES(EVOLVE_STEP, 64, IN(p), .outputs = 1), BODIES(EVOLVE_STEP, 129, IN(p)), \
	BODIES(EVOLVE_STEP, 300, IN(p), .outputs = 1), BODIES(EVOLVE_STEP, 1025, IN(p))
#define TALLY(p) \
	BODIES(EVOLVE_SUMS, 0, IN(p)), BODIES(EVOLVE_SUMS, 1, IN(p)), BODIES(EVOLVE_SUMS, 2, IN(p)), \
	BODIES(EVOLVE_SUMS, 63, IN(p)), BODIES(EVOLVE_SUMS, 300, IN(p)), BODIES(EVOLVE_SUMS, 1024, IN(p)), \
	BODIES(EVOLVE_SUMS, 2500, IN(p))
#define IN(p) .precision = CLOPT_PRECISION_##p

static const struct clopt_problem leapfrogs[] = {
	BODIES(LEAPFROG, 0), BODIES(LEAPFROG, 1), BODIES(LEAPFROG, 2), BODIES(LEAPFROG, 33),
	BODIES(LEAPFROG, 65), BODIES(LEAPFROG, 300), BODIES(LEAPFROG, 256), BODIES(LEAPFROG, 1025),
};
static const struct clopt_problem steps[] = { STEPS(FLOAT), STEPS(DOUBLE_SINGLE), STEPS(DOUBLE) };
static const struct clopt_problem sums[] = { TALLY(FLOAT), TALLY(DOUBLE_SINGLE), TALLY(DOUBLE) };

#define TREE(o, n, m, order, p) \
	{ SIZED, .op = CLOPT_OP_TREE_##o, .dim = { n, m, order }, .precision = CLOPT_PRECISION_##p }
#define TREES(o) \
	TREE(o, 1, 1, 2, FLOAT), TREE(o, 17, 5, 2, FLOAT), TREE(o, 70, 70, 3, FLOAT), \
	TREE(o, 200, 150, 4, FLOAT), TREE(o, 500, 300, 2, FLOAT), TREE(o, 2000, 2000, 3, FLOAT), \
	TREE(o, 3000, 257, 4, FLOAT), TREE(o, 2049, 300, 5, FLOAT), TREE(o, 5000, 100, 6, FLOAT), \
	TREE(o, 100, 40, 2, COMPENSATED), TREE(o, 100, 100, 3, DOUBLE), TREE(o, 3000, 100, 4, DOUBLE)

static const struct clopt_problem tree_potentials[] = { TREES(POTENTIAL) };
static const struct clopt_problem tree_accelerations[] = { TREES(NBODY) };

#define LIST(of) { of, sizeof of / sizeof *of }
static const struct {
	const struct clopt_problem *list;
	size_t n;
} tables[CLOPT_OPS] = {
	[CLOPT_OP_MATMUL] = LIST(products), [CLOPT_OP_TRANSPOSE] = LIST(transposes),
	[CLOPT_OP_POTENTIAL] = LIST(potentials), [CLOPT_OP_NBODY] = LIST(accelerations),
	[CLOPT_OP_LEAPFROG] = LIST(leapfrogs),
	[CLOPT_OP_EVOLVE_STEP] = LIST(steps), [CLOPT_OP_EVOLVE_SUMS] = LIST(sums),
	[CLOPT_OP_TREE_KEYS] = LIST(tree_accelerations), [CLOPT_OP_TREE_SORT] = LIST(tree_accelerations),
	[CLOPT_OP_TREE_CELLS] = LIST(tree_accelerations), [CLOPT_OP_TREE_POTENTIAL] = LIST(tree_potentials),
	[CLOPT_OP_TREE_NBODY] = LIST(tree_accelerations),
};
/* clang-format on */

const struct clopt_problem *test_problems(int op, size_t *n)
{
	*n = tables[op].n;
	return tables[op].list;
}

struct clopt_problem test_problem(int op, size_t i)
{
	struct clopt_problem p = tables[op].list[i];

	p.op = op;
	if (op == CLOPT_OP_TREE_SORT)
		p.precision = 0; /* of keys */
	/* Bodies in float are added up in the best there is. */
	if (op == CLOPT_OP_EVOLVE_SUMS && p.precision == CLOPT_PRECISION_FLOAT) {
		p.elem_bytes = 4;
		p.precision = CLOPT_PRECISION_BEST;
	}
	return p;
}

static double units_of(const struct clopt_problem *p)
{
	const double x = (double)p->dim[0], y = (double)p->dim[1], z = (double)p->dim[2];

	return p->op == CLOPT_OP_MATMUL                                 ? x * y * z :
	       p->op >= CLOPT_OP_LEAPFROG && p->op < CLOPT_OP_TREE_KEYS ? x * x :
	                                                                  x * y;
}

int test_is_small(const struct clopt_problem *p)
{
	static const double most[CLOPT_OPS] = {
		[CLOPT_OP_MATMUL] = 6e5, [CLOPT_OP_TRANSPOSE] = 5e3
	};

	return units_of(p) < (most[p->op] > 0            ? most[p->op] :
	                      p->op < CLOPT_OP_TREE_KEYS ? 5e3 :
	                                                   3.1e4);
}

int test_is_empty(const struct clopt_problem *p)
{
	return !p->dim[0] || (p->op != CLOPT_OP_MATMUL && !(units_of(p) > 0)) ||
	       (p->op == CLOPT_OP_MATMUL && !p->dim[1]);
}

static int take(void *user, const struct clopt_selfcheck_line *l)
{
	struct outcome *o = user;

	o->status = l->status;
	o->error = l->error;
	o->allowed = l->allowed;
	o->variant = l->variant;
	snprintf(o->text, sizeof o->text, "%s", l->text);
	snprintf(o->reason, sizeof o->reason, "%s", l->reason);
	return 0;
}

struct outcome test_run(struct clopt *ctx, const struct clopt_problem *p, uint64_t seed)
{
	struct clopt_selfcheck_options o = CLOPT_SELFCHECK_OPTIONS_INIT;
	struct outcome out = { .status = -1 };

	o.problems = p;
	o.count = 1;
	o.seed = seed;
	o.line = take;
	o.user = &out;
	ck_assert_int_eq(clopt_selfcheck(ctx, &o), out.status);
	return out;
}

void test_right(struct clopt *ctx, const struct clopt_problem *p, uint64_t seed)
{
	const struct outcome o = test_run(ctx, p, seed);

	ck_assert_msg(o.status == CLOPT_OK, "%s, seed %llu: %s", o.text, (unsigned long long)seed,
	              o.reason);
}

uint16_t test_to_half(double x)
{
	const unsigned sign = signbit(x) ? 0x8000u : 0u;
	int exponent;
	double fraction = frexp(fabs(x), &exponent); /* in [0.5, 1) */

	if (!(fabs(x) <= 65504.0))
		return (uint16_t)(sign | (x != x ? 0x7e00u : 0x7c00u));
	if (exponent < -13) /* subnormal */
		return (uint16_t)(sign | (unsigned)ldexp(fabs(x), 24));
	return (uint16_t)(fabs(x) > 0.0 ? sign | (unsigned)(exponent + 14) << 10 |
	                                          (unsigned)(ldexp(fraction, 11) - 1024.0) :
	                                  sign);
}

double test_of_half(uint16_t half)
{
	const int exponent = half >> 10 & 31;
	const double sign = half & 0x8000 ? -1.0 : 1.0, fraction = half & 1023;

	if (exponent == 31)
		return fraction > 0.0 ? (double)NAN : sign * (double)INFINITY;
	return sign * (exponent ? ldexp(fraction + 1024.0, exponent - 25) : ldexp(fraction, -24));
}
