/* SPDX-License-Identifier: MIT */
/*
 * tree.c - checks the kernels that build a tree, at their first use: keys, the sort and cells.
 * pair.c checks sums by a tree.
 */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

/* Read a number of 32 or 64 bits. */
static uint32_t word(const char *at)
{
	uint32_t x;

	memcpy(&x, at, sizeof x);
	return x;
}

static uint64_t key_at(const char *at)
{
	uint64_t x;

	memcpy(&x, at, sizeof x);
	return x;
}

static void put_word(struct trial_array *a, size_t row, size_t column, uint32_t x)
{
	memcpy(clopt__sent(a, 0, row, column), &x, sizeof x);
}

/* ---- Boxes and keys ---------------------------------------------------------------- */

#define BITS 21

static int describe_keys(struct trial *t)
{
	t->problem.dim[0] = t->v->out[0] + 77;
	t->problem.dim[1] = clopt__groups(t->problem.dim[0], t->v->out[0]);
	return t->number == 0;
}

/* For keys, points lie in the middles of the curve's steps (of length 1), so that no rounding
 * decides. */
#define HALF_BOX (3 << (BITS - 3))
static void fill_keys(struct trial *t)
{
	const float most = 2 * HALF_BOX;
	const float box[2][8] = { { 0, 0, 0, 0, 5, 5, most, 0 }, { 7, 7, 0, 0, most, 9, 9, 0 } };
	const size_t n = t->problem.dim[0];
	double x[4] = { 0 };
	size_t i;
	int c;

	if (t->problem.outputs == TREE_BOXES) {
		clopt__trial_points(t, 0, n, 3, 0);
		return;
	}
	for (i = 0; i < 2; i++)
		memcpy(clopt__sent(&t->array[1], 0, i, 0), box[i], sizeof box[i]);
	for (i = 0; i < n; i++) {
		for (c = 0; c < 3; c++)
			x[c] = floor((clopt__random(&t->random) + 1) * HALF_BOX) + 0.5;
		clopt__trial_put(t, t->array[0].sent, i, x);
	}
}

/* The coordinates of a key, by Skilling's inverse. */
static void place_of(uint64_t key, uint32_t *x)
{
	uint32_t bit, t;
	int i;

	for (i = 0; i < 3; i++)
		for (x[i] = 0, bit = 0; bit < BITS; bit++)
			x[i] |= (uint32_t)(key >> (3 * bit + 2 - (unsigned)i) & 1) << bit;
	t = x[2] >> 1;
	for (i = 2; i > 0; i--)
		x[i] ^= x[i - 1];
	x[0] ^= t;
	for (bit = 2; bit != 1u << BITS; bit *= 2)
		for (i = 2; i >= 0; i--)
			if (x[i] & bit) {
				x[0] ^= bit - 1;
			} else {
				t = (x[0] ^ x[i]) & (bit - 1);
				x[0] ^= t;
				x[i] ^= t;
			}
}

/* A box of 8 floats: x, y and z from 0 on and from 4 on. */
struct box {
	double low[3], high[3];
};

static const struct box no_box = { { INFINITY, INFINITY, INFINITY },
	                           { -INFINITY, -INFINITY, -INFINITY } };

static double in_box(const char *at, size_t i)
{
	return clopt__number_at(CLOPT_PRECISION_FLOAT, at, i);
}

static int is_box(struct trial *t, unsigned operand, size_t i, const struct box *want)
{
	const char *got = clopt__got(&t->array[operand], 0, i, 0);
	size_t c;

	for (c = 0; c < 3; c++)
		if (!clopt__near(t, "boxes", i, c, in_box(got, c), want->low[c], 0) ||
		    !clopt__near(t, "boxes", i, c + 4, in_box(got, c + 4), want->high[c], 0))
			return 0;
	return 1;
}

static int judge_box(struct trial *t, size_t group)
{
	const size_t n = t->problem.dim[0], first = group * t->v->out[0];
	struct box box = no_box;
	double x[4];
	size_t i;
	int c;

	for (i = first; i < n && i < first + t->v->out[0]; i++) {
		clopt__trial_point(t, t->array[0].sent, i, x);
		for (c = 0; c < 3; c++) {
			box.low[c] = fmin(box.low[c], (double)(float)x[c]);
			box.high[c] = fmax(box.high[c], (double)(float)x[c]);
		}
	}
	return is_box(t, 1, group, &box);
}

/* Shift of the box in the curve's cube along axis c: a hash of half the longest side. */
static uint32_t shift_of(float half, int c)
{
	return (uint32_t)(word((const char *)&half) * 0x9e3779b97f4a7c15u >>
	                  (64 - (c + 1) * (BITS - 2))) &
	       ((1u << (BITS - 2)) - 1);
}

static int judge_keys(struct trial *t)
{
	const size_t count =
	        t->problem.outputs == TREE_BOXES ? t->problem.dim[1] : t->problem.dim[0];
	uint32_t place[3];
	double x[4];
	size_t i;
	int c;

	for (i = 0; i < count; i++) {
		if (t->problem.outputs == TREE_BOXES) {
			if (!judge_box(t, i))
				return CLOPT_EWRONG;
			continue;
		}
		clopt__trial_point(t, t->array[0].sent, i, x);
		place_of(key_at(clopt__got(&t->array[2], 0, i, 0)), place);
		for (c = 0; c < 3; c++)
			if (!clopt__near(t, "places of keys", i, (size_t)c, place[c],
			                 floor(x[c]) + shift_of(HALF_BOX, c), 0))
				return CLOPT_EWRONG;
	}
	return CLOPT_OK;
}

const struct checker clopt__check_tree_keys = { .describe = describe_keys,
	                                        .fill = fill_keys,
	                                        .judge = judge_keys,
	                                        .results = 1u << 1 | 1u << 2 };

/* ---- A pass of the sort -------------------------------------------------------------- */

static unsigned digit_of(const struct trial *t, size_t i)
{
	return (unsigned)(key_at(clopt__sent(&t->array[0], 0, i, 0)) >> (unsigned)t->real[0][0]) &
	       (TREE_DIGITS - 1);
}

static int describe_sort(struct trial *t)
{
	t->problem.dim[0] = 2 * t->v->out[0] + 77;
	t->problem.dim[1] = clopt__groups(t->problem.dim[0], t->v->out[0]);
	t->real[0][0] = t->number == 0 ? 8 : 56;
	t->real[0][1] = t->number;
	return t->number < 2;
}

static void count_digits(const struct trial *t, uint32_t (*count)[TREE_DIGITS])
{
	size_t i;

	memset(count, 0, t->problem.dim[1] * sizeof *count);
	for (i = 0; i < t->problem.dim[0]; i++)
		count[i / t->v->out[0]][digit_of(t, i)]++;
}

/* Replace the counts by prefix sums over the groups; the last row has the totals. */
static void scan_digits(const struct trial *t, uint32_t (*count)[TREE_DIGITS])
{
	const size_t groups = t->problem.dim[1];
	size_t g, d;

	for (d = 0; d < TREE_DIGITS; d++) {
		uint32_t before = 0;

		for (g = 0; g <= groups; g++) {
			const uint32_t own = g < groups ? count[g][d] : 0;

			count[g][d] = before;
			before += own;
		}
	}
}

#define MOST_GROUPS 8

static void fill_sort(struct trial *t)
{
	uint32_t count[MOST_GROUPS][TREE_DIGITS];
	const size_t n = t->problem.dim[0], groups = t->problem.dim[1];
	size_t i, d;

	for (i = 0; i < n; i++) {
		/* Half of the keys differ in the lowest digit only. */
		const uint64_t random = (uint64_t)(int64_t)(clopt__random(&t->random) * 0x1p62);
		const uint64_t key = i % 2 ? random >> 1 : random & 255;

		memcpy(clopt__sent(&t->array[0], 0, i, 0), &key, sizeof key);
		put_word(&t->array[1], i, 0, (uint32_t)(n - i));
	}
	count_digits(t, count);
	if (t->problem.outputs == TREE_SCATTER)
		scan_digits(t, count);
	for (i = 0;
	     t->problem.outputs != TREE_COUNT && i < groups + (t->problem.outputs == TREE_SCATTER);
	     i++)
		for (d = 0; d < TREE_DIGITS; d++)
			put_word(&t->array[2], i, d, count[i][d]);
}

static int judge_counts(struct trial *t)
{
	uint32_t count[MOST_GROUPS][TREE_DIGITS];
	const int scanned = t->problem.outputs == TREE_SCAN;
	size_t i, d;

	count_digits(t, count);
	if (scanned)
		scan_digits(t, count);
	for (i = 0; i < t->problem.dim[1] + (size_t)scanned; i++)
		for (d = 0; d < TREE_DIGITS; d++)
			if (!clopt__near(t, "counts", i, d, word(clopt__got(&t->array[2], 0, i, d)),
			                 count[i][d], 0))
				return CLOPT_EWRONG;
	return CLOPT_OK;
}

static int judge_sort(struct trial *t)
{
	const size_t n = t->problem.dim[0];
	const int fresh = t->real[0][1] != 0;
	unsigned digit;
	size_t i, to = 0;

	if (t->problem.outputs != TREE_SCATTER)
		return judge_counts(t);
	for (digit = 0; digit < TREE_DIGITS; digit++)
		for (i = 0; i < n; i++) {
			const double want = fresh ? (double)i : (double)(n - i);

			if (digit_of(t, i) != digit)
				continue;
			if (!clopt__near(t, "sorted order", to, 0,
			                 word(clopt__got(&t->array[4], 0, to, 0)), want, 0) ||
			    !clopt__near(t, "sorted keys", to, 0,
			                 key_at(clopt__got(&t->array[3], 0, to, 0)) ==
			                         key_at(clopt__sent(&t->array[0], 0, i, 0)),
			                 1, 0))
				return CLOPT_EWRONG;
			to++;
		}
	return CLOPT_OK;
}

const struct checker clopt__check_tree_sort = { .describe = describe_sort,
	                                        .fill = fill_sort,
	                                        .judge = judge_sort,
	                                        .results = 1u << 2 | 1u << 3 | 1u << 4 };

/* ---- Cells ------------------------------------------------------------------------------ */

static unsigned order_of(const struct trial *t)
{
	return (unsigned)t->problem.dim[2];
}

static int of_leaves(const struct trial *t)
{
	return t->problem.outputs == TREE_LEAVES || t->problem.outputs == TREE_LEAVES_MOMENTS;
}

static int of_moments(const struct trial *t)
{
	return t->problem.outputs >= TREE_LEAVES_MOMENTS;
}

static size_t rows_of(const struct trial *t)
{
	return clopt__tree_rows(order_of(t), of_moments(t));
}

static size_t sources_of(const struct trial *t)
{
	return of_leaves(t) ? clopt__tree_leaf(order_of(t), of_moments(t)) : 2 * rows_of(t);
}

static int describe_cells(struct trial *t)
{
	t->problem.dim[2] = TREE_LEAST_ORDER + t->number;
	t->problem.dim[0] = 3;
	/* The last cell has one source, or one child cell. */
	t->problem.dim[1] = 2 * sources_of(t) + (of_leaves(t) ? 1 : rows_of(t));
	return t->problem.dim[2] <= (size_t)(of_moments(t) ? TREE_MOST_MULTIPOLE : TREE_MOST_ORDER);
}

/* Call `each` with the exponents of each moment, in the order of moments. */
static void each_moment(unsigned order,
                        void (*each)(unsigned a, unsigned b, unsigned c, void *user), void *user)
{
	unsigned degree, rest, c;

	for (degree = 0; degree <= order; degree++)
		for (rest = 0; rest <= degree; rest++)
			for (c = 0; c <= rest; c++)
				each(degree - rest, rest - c, c, user);
}

struct moments {
	const struct expanded *source;
	size_t n, count;
	double h, sum[TREE_MOST_PROXIES], size[TREE_MOST_PROXIES];
	const double *reach; /* upper bound of each source's distance, in units of h; NULL: take the
	                        terms */
};

static void add_moment(unsigned a, unsigned b, unsigned c, void *user)
{
	struct moments *m = user;
	size_t i;

	for (i = 0; i < m->n; i++) {
		const double *x = m->source[i].from, w = m->source[i].weight;
		const double term = pow(x[0] / m->h, a) * pow(x[1] / m->h, b) * pow(x[2] / m->h, c);

		m->sum[m->count] += w * term;
		m->size[m->count] +=
		        fabs(w) * (m->reach ? pow(m->reach[i], a + b + c) : fabs(term));
	}
	m->count++;
}

void clopt__cell_moments(const struct clopt_problem *p, const double *place, double h,
                         const struct expanded *source, size_t n, char *rows)
{
	struct moments m = { .source = source, .n = n, .h = h };
	double numbers[4 + TREE_MOST_PROXIES + 3] = { place[0], place[1], place[2], h };

	each_moment((unsigned)p->dim[2], add_moment, &m);
	memcpy(numbers + 4, m.sum, m.count * sizeof *m.sum);
	clopt__numbers_pack(clopt__point_precision(p), clopt__tree_rows((unsigned)p->dim[2], 1),
	                    numbers, rows);
}

/* ---- Moments of cells that are made from some sources each */

#define IN_CELL 3

/* The sources of child cell `below`, whose moments are inputs, and their place. */
static void sources_below(const struct trial *t, size_t below, struct expanded *e)
{
	const size_t seed = 64 * below + order_of(t);
	size_t i, c;

	for (i = 0; i < IN_CELL; i++) {
		for (c = 0; c < 3; c++) {
			e[i].place[c] = 2 + 0.25 * (double)((seed * (c + 3) / 8) % 8);
			e[i].from[c] = 0.5 * sin((double)(seed + 3 * i + c));
		}
		e[i].weight = 1 + cos((double)(seed + i));
	}
}

/* The sources of a cell, from `place`, with their `reach`. Returns their number. */
static size_t sources_about(const struct trial *t, size_t cell, size_t here, const double *place,
                            double h, struct expanded *e, double *reach)
{
	const size_t cells = here / rows_of(t);
	size_t i, j, c;

	for (j = 0; j < cells; j++)
		sources_below(t, 2 * cell + j, e + IN_CELL * j);
	for (i = 0; i < IN_CELL * cells; i++) {
		double between = 0, from = 0;

		for (c = 0; c < 3; c++) {
			between = fmax(between, fabs(e[i].place[c] - place[c]));
			from = fmax(from, fabs(e[i].from[c]));
			e[i].from[c] += e[i].place[c] - place[c];
		}
		reach[i] = (between + from) / h;
	}
	return IN_CELL * cells;
}

static void fill_cells(struct trial *t)
{
	const size_t n = t->problem.dim[1];
	struct expanded sources[IN_CELL];
	size_t i;

	clopt__trial_points(t, 0, n, 3, 0);
	if (t->array[2].bytes)
		clopt__tree_matrix(order_of(t),
		                   (float *)(void *)clopt__sent(&t->array[2], 0, 0, 0));
	for (i = 0; t->array[1].bytes && i < n; i++)
		put_word(&t->array[1], i, 0, (uint32_t)(n - 1 - i));
	/* Points are between 2 and 4, and between -1 and 1. */
	for (i = 0; t->array[3].bytes && i < 5; i++) {
		const float low = (float)clopt__random(&t->random),
		            box[] = { 1.5f + low / 4, low - 2, -1, 0, 4, 1, 3 + low, 0 };

		memcpy(clopt__sent(&t->array[3], 0, i, 0), box, sizeof box);
	}
	for (i = 0; of_moments(t) && !of_leaves(t) && i < 5; i++) {
		sources_below(t, i, sources);
		clopt__cell_moments(&t->problem, sources->place, 0.5, sources, IN_CELL,
		                    clopt__sent(&t->array[0], 0, i * rows_of(t), 0));
	}
}

/* Source j of a cell. */
static const char *source_of(const struct trial *t, size_t cell, size_t j)
{
	const size_t n = t->problem.dim[1], i = cell * sources_of(t) + j;

	return clopt__sent(&t->array[0], 0, of_leaves(t) ? n - 1 - i : i, 0);
}

/* The largest float that is not above x. */
static double float_below(double x)
{
	const float f = (float)x;

	return (double)((double)f > x ? nextafterf(f, -INFINITY) : f);
}

static struct box cell_box(const struct trial *t, size_t cell, size_t here)
{
	struct box box = no_box;
	size_t j, c;

	for (j = 0; of_leaves(t) && j < here; j++) {
		double x[4];

		clopt__trial_point(t, source_of(t, cell, j), 0, x);
		for (c = 0; c < 3; c++) {
			box.low[c] = fmin(box.low[c], float_below(x[c]));
			box.high[c] = fmax(box.high[c], -float_below(-x[c]));
		}
	}
	for (j = 0; !of_leaves(t) && j * sources_of(t) / 2 < here; j++)
		for (c = 0; c < 3; c++) {
			const char *below = clopt__sent(&t->array[3], 0, 2 * cell + j, 0);

			box.low[c] = fmin(box.low[c], in_box(below, c));
			box.high[c] = fmax(box.high[c], in_box(below, c + 4));
		}
	return box;
}

/* Add one source to the sums over powers of positions, and to the sums of their magnitudes. */
static void add_powers(const struct trial *t, const double *at, double weight, double *sum,
                       double *size)
{
	const unsigned order = order_of(t);
	unsigned a, b, c, s = 0;

	for (a = 0; a <= order; a++)
		for (b = 0; a + b <= order; b++)
			for (c = 0; a + b + c <= order; c++, s++) {
				const double x =
				        weight * pow(at[0], a) * pow(at[1], b) * pow(at[2], c);

				sum[s] += x;
				size[s] += fabs(x);
			}
}

static double entry(const struct trial *t, size_t row, size_t column)
{
	return clopt__number_at(CLOPT_PRECISION_DOUBLE_SINGLE, clopt__sent(&t->array[2], 0, row, 0),
	                        column);
}

static int judge_proxy(struct trial *t, size_t cell, size_t i, const double *middle,
                       const double *half, const double *sum, const double *size)
{
	const double unit = t->problem.precision == CLOPT_PRECISION_DOUBLE ? 0x1p-46 : ROUND_FLOAT;
	const double stored = t->problem.elem_bytes == 8 ? ROUND_DOUBLE : ROUND_FLOAT;
	const size_t proxies = clopt__tree_proxies(order_of(t));
	double want[4], bound = 0, got[4];
	size_t s, c;

	clopt__trial_point(t, t->array[6].got, cell * proxies + i, got);
	for (c = 0; c < 3; c++)
		want[c] = middle[c] + half[c] * entry(t, i, c);
	for (want[3] = 0, s = 0; s < proxies; s++) {
		want[3] += entry(t, i, 3 + s) * sum[s];
		bound += fabs(entry(t, i, 3 + s)) * size[s];
	}
	/* Each power adds a few roundings to a term, and so do the positions. */
	bound *= unit * (32 + 8 * order_of(t) + clopt__sum_units(sources_of(t) + proxies));
	for (c = 0; c < 4; c++)
		if (!clopt__near(t, "proxies", cell * proxies + i, c, got[c], want[c],
		                 c < 3 ? 8 * (unit + stored) : bound + 2 * stored * fabs(want[3])))
			return 0;
	return 1;
}

static int judge_moments(struct trial *t, size_t cell, size_t here, const double *middle,
                         const double *half)
{
	const double unit = t->problem.precision == CLOPT_PRECISION_DOUBLE ? 0x1p-46 : ROUND_FLOAT;
	const double stored = t->problem.elem_bytes == 8 ? ROUND_DOUBLE : ROUND_FLOAT;
	const char *rows = clopt__got(&t->array[6], 0, cell * rows_of(t), 0);
	const double extent = fmax(half[0], fmax(half[1], half[2]));
	struct expanded source[16];
	double place[4], reach[16];
	struct moments m = { .source = source };
	size_t i, c;

	clopt__trial_point(t, rows, 0, place);
	for (c = 0; c < 4; c++)
		if (!clopt__near(t, "moments", cell * rows_of(t), c, place[c],
		                 c < 3 ? middle[c] : fmax(extent, (double)FLT_MIN),
		                 8 * (unit + stored)))
			return 0;
	m.h = place[3];
	for (i = 0; of_leaves(t) && i < here; i++) {
		double x[4];

		clopt__trial_point(t, source_of(t, cell, i), 0, x);
		source[i].weight = x[3];
		for (c = 0; c < 3; c++)
			source[i].from[c] = x[c] - place[c];
	}
	m.n = here;
	if (!of_leaves(t)) {
		m.n = sources_about(t, cell, here, place, m.h, source, reach);
		m.reach = reach;
	}
	each_moment(order_of(t), add_moment, &m);
	for (i = 0; i < m.count; i++)
		if (!clopt__near(t, "moments", cell * rows_of(t) + 1 + i / 4, i % 4,
		                 clopt__number_at(clopt__point_precision(&t->problem), rows, 4 + i),
		                 m.sum[i], (64 + 16 * order_of(t)) * (unit + stored) * m.size[i]))
			return 0;
	return 1;
}

static int judge_cell(struct trial *t, size_t cell)
{
	const size_t n = t->problem.dim[1], first = cell * sources_of(t);
	const size_t here = n - first < sources_of(t) ? n - first : sources_of(t);
	const struct box box = cell_box(t, cell, here);
	double middle[3], half[3], x[4];
	double sum[TREE_MOST_PROXIES] = { 0 }, size[TREE_MOST_PROXIES] = { 0 };
	size_t i, c;

	for (c = 0; c < 3; c++) {
		middle[c] = (box.low[c] + box.high[c]) / 2;
		half[c] = (box.high[c] - box.low[c]) / 2;
	}
	if (!is_box(t, 4, cell, &box))
		return 0;
	for (i = 0; i < here; i++) {
		clopt__trial_point(t, source_of(t, cell, i), 0, x);
		for (c = 0; c < 3; c++)
			x[c] = half[c] > 0 ? (x[c] - middle[c]) / half[c] : 0;
		if (!of_moments(t))
			add_powers(t, x, x[3], sum, size);
		if (of_leaves(t) && memcmp(clopt__got(&t->array[5], 0, first + i, 0),
		                           source_of(t, cell, i), t->array[5].pitch_bytes)) {
			clopt__trial_point(t, t->array[5].got, first + i, x);
			return clopt__near(t, "sorted", first + i, 0, x[0], (double)NAN, 0);
		}
	}
	if (of_moments(t))
		return judge_moments(t, cell, here, middle, half);
	for (i = 0; i < clopt__tree_proxies(order_of(t)); i++)
		if (!judge_proxy(t, cell, i, middle, half, sum, size))
			return 0;
	return 1;
}

static int judge_cells(struct trial *t)
{
	size_t cell;

	for (cell = 0; cell < t->problem.dim[0]; cell++)
		if (!judge_cell(t, cell))
			return CLOPT_EWRONG;
	return CLOPT_OK;
}

const struct checker clopt__check_tree_cells = { .describe = describe_cells,
	                                         .fill = fill_cells,
	                                         .judge = judge_cells,
	                                         .results = 1u << 4 | 1u << 5 | 1u << 6 };
