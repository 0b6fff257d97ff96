/* SPDX-License-Identifier: MIT */
/*
 * tree.c - the tree over sources: its shape, the positions of proxies, and the operations that
 * build it and sum by it.  Their kernels come best first.
 */
#include <math.h>
#include <string.h>

#include "table.h"

/* clang-format off */
#define KEYS  CLOPT_OP_TREE_KEYS
#define SORT  CLOPT_OP_TREE_SORT
#define CELLS CLOPT_OP_TREE_CELLS
#define SMOOTH_SUMS "tree/tree.clh tree/multipole.clh tree/local.clh tree/walk.clh"

static const struct variant keys_rows[] = {
	/* op      name                     file                   options                                       wg       out        needs       likes; the rest by name */
	{KEYS,      "tree-keys/group-256",   "tree/keys.cl",        "-DLANES=1",                                  {256,1}, {2048,1},  0,          T_GPU | T_LOCAL, .align = 4},
	{KEYS,      "tree-keys/plain-1",     "tree/keys.cl",        "-DLANES=1",                                  {1,1},   {2048,1},  0,          0, .align = 4},
	{0}
};

static const struct variant sort_rows[] = {
	/* op      name                     file                   options                                       wg       out        needs       likes; the rest by name */
	{SORT,      "tree-sort/group-256",   "tree/sort.cl",        "-DLANES=1",                                  {256,1}, {2048,1},  0,          T_GPU | T_LOCAL, .align = 4},
	{SORT,      "tree-sort/plain-1",     "tree/sort.cl",        "-DLANES=1",                                  {1,1},   {2048,1},  0,          0, .align = 4},
	{0}
};

static const struct variant cells_rows[] = {
	/* op      name                     file                   options                                       wg       out        needs       likes; the rest by name */
	{CELLS,     "tree-cells/group-64",   "tree/cells.cl",       "-DLANES=1 -DMOST_ORDER=6",                   {64,1},  {1,1},     0,          T_GPU | T_LOCAL, .align = 4},
	{CELLS,     "tree-cells/plain-1",    "tree/cells.cl",       "-DLANES=1 -DMOST_ORDER=6",                   {1,1},   {1,1},     0,          0, .align = 4},
	{0}
};

#define TREE_FLOATS  (1u << CLOPT_PRECISION_FLOAT | 1u << CLOPT_PRECISION_COMPENSATED | 1u << CLOPT_PRECISION_DOUBLE)
#define TILE_SUMS    SMOOTH_SUMS " tree/harmonic.clh"
#define TREE_WIDE(op, name, options, out, filled, traits, precision) \
	{op, name, "tree/sum_wide.cl", "-cl-unsafe-math-optimizations -DPOLYNOMIALS " options, {1,1}, {out,1}, T_CPU, T_CPU | traits, .align = 4, .prelude = SMOOTH_SUMS " tree/shift.clh", .fill = filled, .precisions = precision}
#define WIDE_FLOAT   (1u << CLOPT_PRECISION_FLOAT)
#define TREE_TILE(op, name, options, wg, out, needs, likes) \
	{op, name, "tree/sum.cl", "-DLANES=1 " options, {wg,1}, {out,1}, needs, likes, .align = 4, .prelude = TILE_SUMS, .precisions = TREE_FLOATS}
#define TREE_ALONE(op, name, needs) \
	{op, name, "tree/plain.cl", "-DLANES=1", {1,1}, {1,1}, needs, needs, .align = 4, .prelude = SMOOTH_SUMS, .precisions = TREE_FLOATS}
#define TREE_ROWS(op, name) \
	TREE_WIDE(op, name "/wide-16x32", "-DLANES=16 -DSIZES=5", 512, 400, T_WIDE16, WIDE_FLOAT), \
	TREE_WIDE(op, name "/wide-16x4",  "-DLANES=16 -DSIZES=2", 64,  0,   T_WIDE16, WIDE_FLOAT), \
	TREE_WIDE(op, name "/wide-8x64",  "-DLANES=8 -DSIZES=5",  512, 400, 0,        WIDE_FLOAT | 1u << CLOPT_PRECISION_DOUBLE), \
	TREE_WIDE(op, name "/wide-8x8",   "-DLANES=8 -DSIZES=2",  64,  0,   0,        WIDE_FLOAT | 1u << CLOPT_PRECISION_DOUBLE), \
	TREE_TILE(op, name "/reg-64x2-ptx", "-DTILE=512 -DUNROLL=32 -DPOLYNOMIALS -DPTX", 64,  128, T_PTX, T_GPU), \
	TREE_TILE(op, name "/reg-64x2-amd", "-DTILE=512 -DUNROLL=32 -DNATIVE", 64, 128, 0, T_GPU | T_LOCAL | T_AMD), /* polynomials spill */ \
	TREE_TILE(op, name "/reg-64x2",     "-DTILE=512 -DUNROLL=32 -DPOLYNOMIALS -DNATIVE", 64, 128, 0,     T_GPU | T_LOCAL), \
	TREE_ALONE(op, name "/walk-1", T_CPU), /* compensated sums, or if no wide row builds */ \
	TREE_TILE(op, name "/tile-64",       "-DTILE=256 -DUNROLL=8 -DNATIVE",        64,  64,  0,     0), \
	TREE_ALONE(op, name "/plain-1", 0), \
	{0}

static const struct variant potential_rows[] = { TREE_ROWS(CLOPT_OP_TREE_POTENTIAL, "tree-potential") };
static const struct variant nbody_rows[] = { TREE_ROWS(CLOPT_OP_TREE_NBODY, "tree-nbody") };

/*
 * Positions of proxies in tenths of half a box's width, from TREE_LEAST_ORDER on: points of that
 * grid in the unit ball.  They maximize the determinant of their products of powers (Fekete
 * points), so no weight of a source inside exceeds 1.
 */
static const signed char places[][3] = {
	/* order 2 */
	{ -7, -5, -5 }, { -7, 5, 5 }, { -5, -5, 7 }, { -5, 5, -7 }, { 0, 0, 0 }, { 3, -3, -9 }, { 3, 3, 9 }, { 4, -9, 1 },
	{ 4, 9, -1 }, { 10, 0, 0 },
	/* order 3 */
	{ -10, 0, 0 }, { -7, -5, -5 }, { -7, -5, 5 }, { -7, 5, 5 }, { -5, 5, -7 }, { -4, -2, 2 }, { 0, -9, -4 }, { 0, -8, 6 },
	{ 0, -1, -5 }, { 0, 0, 10 }, { 0, 5, 1 }, { 0, 10, 0 }, { 1, -4, -9 }, { 1, 7, 7 }, { 3, 5, -8 }, { 4, -2, 2 },
	{ 8, -6, 0 }, { 8, 0, -6 }, { 8, 0, 6 }, { 8, 6, 0 },
	/* order 4 */
	{ -10, 0, 0 }, { -8, 0, 6 }, { -8, 6, 0 }, { -7, -7, -1 }, { -7, -1, -7 }, { -6, 1, -3 }, { -6, 5, -6 }, { -5, -4, 3 },
	{ -5, 5, 7 }, { -4, -1, 9 }, { -4, 4, 4 }, { -3, -8, 5 }, { -3, 9, -3 }, { -1, -7, -7 }, { -1, 9, 4 }, { 0, -10, 0 },
	{ 0, -6, -2 }, { 0, -1, -7 }, { 0, 0, -10 }, { 0, 0, 0 }, { 0, 6, -8 }, { 0, 6, -3 }, { 3, -3, 5 }, { 3, -3, 9 },
	{ 3, 5, 8 }, { 4, 4, 3 }, { 4, 9, -1 }, { 5, -8, -3 }, { 5, -7, 5 }, { 6, -1, -2 }, { 7, -1, -7 }, { 7, 5, -5 },
	{ 8, 0, 6 }, { 8, 5, 3 }, { 10, 0, 0 },
	/* order 5 */
	{ -10, 0, 0 }, { -9, -3, -3 }, { -9, -3, 3 }, { -8, 5, -3 }, { -8, 5, 3 }, { -7, 1, -7 }, { -7, 2, 1 }, { -6, -8, 0 },
	{ -6, -4, 3 }, { -6, -3, -4 }, { -5, -7, -5 }, { -5, -7, 5 }, { -5, 3, 8 }, { -4, 5, -4 }, { -4, 9, -1 }, { -3, -3, -9 },
	{ -3, -3, 9 }, { -3, 3, -9 }, { -3, 7, 2 }, { -3, 8, 5 }, { -2, -2, -2 }, { -2, 2, 2 }, { -2, 2, 7 }, { -1, -7, 0 },
	{ -1, 1, -7 }, { -1, 7, -7 }, { 0, -10, 0 }, { 0, -8, -6 }, { 0, -8, 6 }, { 0, -5, 6 }, { 0, 0, 10 }, { 1, -5, -6 },
	{ 2, -2, 2 }, { 2, 2, -2 }, { 3, -3, -9 }, { 3, -3, 9 }, { 3, 5, -8 }, { 3, 5, 4 }, { 3, 5, 8 }, { 3, 6, -3 },
	{ 3, 9, -3 }, { 3, 9, 3 }, { 5, -7, -5 }, { 5, -7, 5 }, { 5, -1, 6 }, { 6, -8, 0 }, { 6, -5, 0 }, { 6, 0, -5 },
	{ 7, 1, -7 }, { 7, 1, 7 }, { 7, 2, 1 }, { 8, 5, -3 }, { 8, 5, 3 }, { 9, -3, -3 }, { 9, -3, 3 }, { 10, 0, 0 },
	/* order 6 */
	{ -10, 0, 0 }, { -9, -3, -3 }, { -9, 1, -4 }, { -8, -6, 0 }, { -8, -3, 5 }, { -8, -1, 1 }, { -8, 3, 5 }, { -8, 6, 0 },
	{ -7, 5, -5 }, { -6, -6, -5 }, { -6, -2, -5 }, { -6, 0, -8 }, { -6, 0, 8 }, { -6, 4, -4 }, { -6, 5, 1 }, { -5, -8, 3 },
	{ -5, -6, 1 }, { -5, -3, 6 }, { -5, 3, 6 }, { -5, 5, 7 }, { -5, 8, 3 }, { -4, -2, -2 }, { -4, 9, -1 }, { -3, -9, -3 },
	{ -3, -5, -8 }, { -3, -5, 8 }, { -3, -2, 3 }, { -3, 3, -9 }, { -3, 3, -2 }, { -3, 8, -5 }, { -2, -7, -3 }, { -2, 1, -8 },
	{ -2, 3, 3 }, { -2, 7, -3 }, { -1, 0, 8 }, { -1, 7, 4 }, { 0, -10, 0 }, { 0, -8, 2 }, { 0, -8, 6 }, { 0, -6, -8 },
	{ 0, -4, -7 }, { 0, 0, -10 }, { 0, 0, 0 }, { 0, 0, 10 }, { 0, 4, 9 }, { 0, 6, -8 }, { 0, 8, 6 }, { 0, 10, 0 },
	{ 1, -9, -4 }, { 1, -5, 0 }, { 1, -5, 6 }, { 1, 0, -5 }, { 1, 9, -4 }, { 2, 4, 0 }, { 2, 5, -6 }, { 3, -5, 8 },
	{ 3, -1, 4 }, { 3, 3, -9 }, { 3, 4, 6 }, { 3, 8, 0 }, { 4, -6, -4 }, { 4, 0, -7 }, { 4, 0, 9 }, { 4, 8, 4 },
	{ 5, -8, 3 }, { 5, -7, -5 }, { 5, -6, 2 }, { 5, -3, -8 }, { 5, -1, -1 }, { 5, 5, 7 }, { 6, -1, 6 }, { 6, 6, -5 },
	{ 6, 8, 0 }, { 7, -7, -1 }, { 7, 3, -3 }, { 7, 3, 2 }, { 8, -5, 3 }, { 8, -2, -1 }, { 8, 0, -6 }, { 8, 0, 6 },
	{ 8, 5, 3 }, { 9, -3, -3 }, { 9, 4, -1 }, { 10, 0, 0 },
};
/* clang-format on */

size_t clopt__tree_proxies(unsigned order)
{
	return (size_t)(order + 1) * (order + 2) * (order + 3) / 6;
}

#define MULTIPOLE_LEAF 16

int clopt__tree_multipoles(int law, unsigned order)
{
	return clopt__laws[law].radial && order <= TREE_MOST_MULTIPOLE;
}

int clopt__tree_polynomials(const struct clopt_problem *p, unsigned order)
{
	return clopt__tree_multipoles(p->law, order) && p->law != CLOPT_LAW_GRAVITY_OWN &&
	       (p->precision == CLOPT_PRECISION_FLOAT || p->precision == CLOPT_PRECISION_DOUBLE);
}

size_t clopt__tree_leaf(unsigned order, int multipoles)
{
	size_t leaf = 1;

	if (multipoles)
		return MULTIPOLE_LEAF;
	while (leaf < clopt__tree_proxies(order))
		leaf *= 2;
	return leaf;
}

size_t clopt__tree_rows(unsigned order, int multipoles)
{
	const size_t proxies = clopt__tree_proxies(order);

	return multipoles ? 1 + (proxies + 3) / 4 : proxies;
}

void clopt__tree_shape(size_t n, unsigned order, int multipoles, struct tree_shape *t)
{
	const size_t leaf = clopt__tree_leaf(order, multipoles);
	size_t cells = clopt__groups(n, leaf);

	*t = (struct tree_shape){ .n = n,
		                  .order = order,
		                  .multipoles = multipoles,
		                  .leaf = leaf,
		                  .rows = clopt__tree_rows(order, multipoles) };
	for (;;) {
		t->level[t->levels].cells = cells;
		t->level[t->levels++].first = t->cells;
		t->cells += cells;
		if (cells <= 1)
			break;
		cells = (cells + 1) / 2;
	}
}

/* ---- Proxies --------------------------------------------------------------------- */

static const signed char (*places_of(unsigned order))[3]
{
	const signed char(*p)[3] = places;
	unsigned i;

	for (i = TREE_LEAST_ORDER; i < order; i++)
		p += clopt__tree_proxies(i);
	return p;
}

static void swap_rows(double *a, double *b, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		const double x = a[i];

		a[i] = b[i];
		b[i] = x;
	}
}

/* The inverse of the n x n matrix on the left of a, on its right; rows of 2 n, by elimination. */
static void invert(double *a, size_t n)
{
	size_t i, j, k, pivot;

	for (i = 0; i < n; i++)
		for (j = 0; j < n; j++)
			a[i * 2 * n + n + j] = i == j;
	for (k = 0; k < n; k++) {
		double by;

		for (pivot = k, i = k + 1; i < n; i++)
			if (fabs(a[i * 2 * n + k]) > fabs(a[pivot * 2 * n + k]))
				pivot = i;
		if (pivot != k)
			swap_rows(a + pivot * 2 * n, a + k * 2 * n, 2 * n);
		by = 1 / a[k * 2 * n + k];
		for (j = 0; j < 2 * n; j++)
			a[k * 2 * n + j] *= by;
		for (i = 0; i < n; i++) {
			by = a[i * 2 * n + k];
			for (j = 0; i != k && j < 2 * n; j++)
				a[i * 2 * n + j] -= by * a[k * 2 * n + j];
		}
	}
}

/* x as two floats. */
static void split(double x, float *to)
{
	to[0] = (float)x;
	to[1] = (float)(x - (double)to[0]);
}

void clopt__tree_matrix(unsigned order, float *matrix)
{
	const size_t n = clopt__tree_proxies(order);
	const signed char(*place)[3] = places_of(order);
	/* More than the stack of some threads. */
	static double a[2 * TREE_MOST_PROXIES * TREE_MOST_PROXIES];
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	double powers[3][TREE_MOST_ORDER + 1];
	size_t i, j, s;
	unsigned x, y, z;

	pthread_mutex_lock(&lock);
	/* A row for each product of powers, with its value at each proxy. */
	for (i = 0; i < n; i++) {
		for (j = 0; j < 3; j++)
			for (powers[j][0] = 1, x = 1; x <= order; x++)
				powers[j][x] = powers[j][x - 1] * place[i][j] / 10;
		s = 0;
		for (x = 0; x <= order; x++)
			for (y = 0; x + y <= order; y++)
				for (z = 0; x + y + z <= order; z++, s++)
					a[s * 2 * n + i] =
					        powers[0][x] * powers[1][y] * powers[2][z];
	}
	invert(a, n);
	memset(matrix, 0, n * TREE_MATRIX_ROW * 2 * sizeof *matrix);
	for (i = 0; i < n; i++) {
		float *row = matrix + i * TREE_MATRIX_ROW * 2;

		for (j = 0; j < 3; j++)
			split(place[i][j] / 10.0, row + 2 * j);
		for (s = 0; s < n; s++)
			split(a[i * 2 * n + n + s], row + 2 * (3 + s));
	}
	pthread_mutex_unlock(&lock);
}

/* ---- The operations --------------------------------------------------------------- */

/* Points in doubles are in double precision. */
static int read_points(const struct clopt *ctx, struct clopt_problem *p)
{
	char text[ENUM_SIZE];

	p->precision = p->precision       ? p->precision :
	               p->elem_bytes == 8 ? CLOPT_PRECISION_DOUBLE :
	                                    CLOPT_PRECISION_FLOAT;
	if (p->precision == CLOPT_PRECISION_BEST || p->precision == CLOPT_PRECISION_DOUBLE_SINGLE)
		return clopt__fail(ctx, CLOPT_EINVAL,
		                   "precision is %s: a tree computes in CLOPT_PRECISION_FLOAT, "
		                   "CLOPT_PRECISION_COMPENSATED or CLOPT_PRECISION_DOUBLE",
		                   clopt__precision_text(text, p->precision));
	if (p->elem_bytes == 8 && p->precision != CLOPT_PRECISION_DOUBLE)
		return clopt__fail(ctx, CLOPT_EINVAL,
		                   "elem_bytes is 8 and precision is %s: points of doubles need "
		                   "CLOPT_PRECISION_DOUBLE",
		                   clopt__precision_text(text, p->precision));
	return CLOPT_OK;
}

static int read_cells(const struct clopt *ctx, struct clopt_problem *p)
{
	const size_t most = p->op == CLOPT_OP_TREE_CELLS && p->outputs >= TREE_LEAVES_MOMENTS ?
	                            TREE_MOST_MULTIPOLE :
	                            TREE_MOST_ORDER;

	p->dim[2] = p->dim[2] < TREE_LEAST_ORDER ? TREE_LEAST_ORDER :
	            p->dim[2] > most             ? most :
	                                           p->dim[2];
	return read_points(ctx, p);
}

static int read_sums(const struct clopt *ctx, struct clopt_problem *p)
{
	char text[ENUM_SIZE];
	int rc = CLOPT_OK;

	TRY(clopt__pair_read(ctx, p));
	TRY(read_cells(ctx, p));
	if (p->depths || p->outputs == CLOPT_OUTPUTS_JERK)
		rc = clopt__fail(ctx, CLOPT_EINVAL,
		                 "depths is %d and outputs is %s: a tree computes neither depths "
		                 "nor CLOPT_OUTPUTS_JERK",
		                 p->depths, clopt__outputs_text(text, p->outputs));
out:
	return rc;
}

/* Rows of one 4-byte number are 32-bit integers, rows of two 64-bit integers.  Boxes are 8
 * floats. */
static struct operand_shape keys_shape(const struct clopt_problem *p, unsigned i)
{
	static const size_t columns[] = { 4, 8, 2 };

	(void)p;
	return (struct operand_shape){ i == 1, NO_DIM, columns[i], 0 };
}

static struct operand_shape sort_shape(const struct clopt_problem *p, unsigned i)
{
	static const size_t columns[] = { 2, 1, TREE_DIGITS, 2, 1 };

	return (struct operand_shape){ i == 2, NO_DIM, columns[i], i == 2 ? p->dim[1] + 1 : 0 };
}

static struct operand_shape cells_shape(const struct clopt_problem *p, unsigned i)
{
	static const size_t columns[] = { 4, 1, 2 * TREE_MATRIX_ROW, 8, 8, 4, 4 };
	const unsigned order = (unsigned)p->dim[2];
	const int moments = p->outputs >= TREE_LEAVES_MOMENTS;
	const int leaves = p->outputs == TREE_LEAVES || p->outputs == TREE_LEAVES_MOMENTS;
	const size_t rows[] = { p->dim[1],
		                p->dim[1],
		                clopt__tree_proxies(order),
		                2 * p->dim[0],
		                p->dim[0],
		                p->dim[1],
		                p->dim[0] * clopt__tree_rows(order, moments) };
	const int unused = (i == 2 && moments) || (leaves ? i == 3 : i == 1 || i == 5);

	return (struct operand_shape){ 0, NO_DIM, unused ? 0 : columns[i], rows[i] };
}

/* Operands are points, boxes, targets, normals, order, pairs, results. */
static struct operand_shape sums_shape(const struct clopt_problem *p, unsigned i)
{
	static const size_t results[] = { 1, 2, 4, 4 };
	const size_t columns[] = { 4, 8, 4, p->normals ? 4 : 0, 1, 2, results[p->outputs] };
	struct tree_shape t;

	clopt__tree_shape(p->dim[0], (unsigned)p->dim[2],
	                  clopt__tree_multipoles(p->law, (unsigned)p->dim[2]), &t);
	return (struct operand_shape){ i < 2 ? 0 : 1, NO_DIM, columns[i],
		                       i == 0 ? t.n + t.cells * t.rows :
		                       i == 1 ? t.cells :
		                                0 };
}

static void say_points(const struct clopt_problem *p, struct text *t)
{
	clopt__say(t, "%zu points", p->dim[0]);
}

static void say_cells(const struct clopt_problem *p, struct text *t)
{
	clopt__say(t, "%zu cells of order %zu over %zu points", p->dim[0], p->dim[2], p->dim[1]);
}

static void say_sums(const struct clopt_problem *p, struct text *t)
{
	clopt__say(t, "%s %zu sources x %zu targets of order %zu", clopt__laws[p->law].name,
	           p->dim[0], p->dim[1], p->dim[2]);
}

/* clang-format off */
#define TREE_PRELUDE {"pair/real.clh", "tree/tree.clh"}
#define SUM_PRELUDE  {"pair/real.clh", "pair/target.clh", "pair/sum.clh"}
#define SUM_INPUTS   "points", "boxes", "targets", "normals", "order", "pairs"
#define SUM_COMMON \
	.views = 1, .sliced = 1, .fields = FIELD_LAW | FIELD_PRECISION, .most_outputs = CLOPT_OUTPUTS_FIELD, .elem_sizes = 4 | 8, \
	.floats = 1u << 1 | 1u << 3 | 1u << 4 | 1u << 5, .read = read_sums, .shape = sums_shape, .text = say_sums

const struct op clopt__tree_keys = {
	/* name, preludes, sizes, reals, operands, pitched, batched, operands' names, extent, cut, sum */
	"tree-keys", TREE_PRELUDE,                              2, 0, 3, 0, 0, {"points", "boxes", "keys"},      {0, NO_DIM}, {0, NO_DIM}, NO_DIM, .keep = 0,
	.rows = keys_rows, .views = 1, .most_outputs = TREE_KEYS, .fields = FIELD_PRECISION, .elem_sizes = 4 | 8, .floats = 1u << 1 | 1u << 2,
	.read = read_points, .shape = keys_shape, .text = say_points
};

const struct op clopt__tree_sort = {
	/* name, preludes, sizes, reals, operands, pitched, batched, operands' names, extent, cut, sum */
	"tree-sort", TREE_PRELUDE,                              2, 2, 5, 0, 0, {"keys", "order", "counts", "sorted keys", "sorted order"}, {0, NO_DIM}, {0, NO_DIM}, NO_DIM, .keep = 0,
	.rows = sort_rows, .views = 1, .most_outputs = TREE_SCATTER, .elem_sizes = 4, .shape = sort_shape, .text = say_points
};

const struct op clopt__tree_cells = {
	/* name, preludes, sizes, reals, operands, pitched, batched, operands' names, extent, cut, sum */
	"tree-cells", TREE_PRELUDE,                             3, 0, 7, 0, 0, {"sources", "order", "matrix", "inner", "boxes", "sorted", "proxies"}, {0, NO_DIM}, {0, NO_DIM}, NO_DIM, .keep = 0,
	.rows = cells_rows, .views = 1, .most_outputs = TREE_INNER_MOMENTS, .fields = FIELD_PRECISION, .elem_sizes = 4 | 8, .floats = 1u << 1 | 1u << 2 | 1u << 3 | 1u << 4,
	.read = read_cells, .shape = cells_shape, .text = say_cells
};

const struct op clopt__tree_potential = {
	/* name, preludes, sizes, reals, operands, pitched, batched, operands' names, extent, cut, sum */
	"tree-potential", SUM_PRELUDE,                          3, MAX_REALS, 7, 0, 0, {SUM_INPUTS, "phi"},      {1, NO_DIM}, {1, NO_DIM}, NO_DIM, .keep = 0,
	.rows = potential_rows, SUM_COMMON
};

const struct op clopt__tree_nbody = {
	/* name, preludes, sizes, reals, operands, pitched, batched, operands' names, extent, cut, sum */
	"tree-nbody", SUM_PRELUDE,                              3, MAX_REALS, 7, 0, 0, {SUM_INPUTS, "acc"},      {1, NO_DIM}, {1, NO_DIM}, NO_DIM, .keep = 0,
	.rows = nbody_rows, SUM_COMMON
};
/* clang-format on */
