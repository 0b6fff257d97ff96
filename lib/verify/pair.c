/* SPDX-License-Identifier: MIT */
/*
 * pair.c - checks sums over pairs, at a kernel's first use and after calls.  A trial has more
 * targets than a group and more sources than a tile.  Only PLACES targets differ, so that few exact
 * sums serve all results.  Some targets are at the position of a source, which then adds nothing.
 * A kernel for sums in parts runs three times, and each launch continues the sums.  A kernel that
 * is only measured (T_STUDY) runs twice, and adds to results.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

#define PLACES 61u /* a prime: it divides no size of tiles or vectors */
#define MOST_TARGETS ((size_t)1024)
#define SOURCES ((size_t)531)
#define RADIUS 10.0

/* Constants of a law, by options that lead to it. */
static int potential_numbers(const struct clopt_problem *p, double *real)
{
	struct clopt_potential_options o = CLOPT_POTENTIAL_OPTIONS_INIT;
	struct clopt_problem scratch = *p;

	scratch.normals = 1;
	o.scale = 1.3;
	o.eps_in = 4;
	o.radius = RADIUS;
	o.kappa = p->law == CLOPT_LAW_ALPB_INSIDE ? 0 : 0.125;
	o.law = p->law <= CLOPT_LAW_DEBYE ? p->law : CLOPT_LAW_ALPB;
	o.projection = p->law == CLOPT_LAW_ALPB_SALT ? 1 :
	               p->law == CLOPT_LAW_ALPB_FAR  ? 3 :
	               o.law == CLOPT_LAW_ALPB       ? -0.5 :
	                                               0;
	clopt__potential_defaults(&o);
	return clopt__law_reals(NULL, &o, 0.7, &scratch, real);
}

static void gravity_numbers(const struct clopt_problem *p, double *real)
{
	real[REAL_SCALE] = -1.3;
	real[REAL_SOFTENING2] = 0.01;
	real[REAL_LAW] = p->law;
	clopt__law_low_parts(p->law, real);
}

static int is_gravity(const struct clopt_problem *p)
{
	return clopt__laws[p->law].op == CLOPT_OP_NBODY;
}

static int numbers(const struct clopt_problem *p, double *real)
{
	if (!is_gravity(p))
		return potential_numbers(p, real);
	gravity_numbers(p, real);
	return CLOPT_OK;
}

static int describe(struct trial *t)
{
	const size_t tile = t->v->out[0] < MOST_TARGETS ? t->v->out[0] : MOST_TARGETS;
	const int parts = t->problem.reserved & FORM_IN_PARTS;
	int rc = CLOPT_OK;

	t->problem.dim[0] = SOURCES;
	t->problem.dim[1] = tile + 63;
	t->steps = parts ? 3 : t->v->likes & T_STUDY ? 2 : 1;
	t->part_bytes = parts ? clopt__part_bytes(t->v, &t->problem) : 0;
	rc = numbers(&t->problem, t->real[0]);
	memcpy(t->real[1], t->real[0], sizeof t->real[1]);
	memcpy(t->real[2], t->real[0], sizeof t->real[2]);
	t->real[0][REAL_KEEP] = parts ? 2 : 0;
	t->real[1][REAL_KEEP] = parts ? 3 : 1;
	t->real[2][REAL_KEEP] = 1;
	return t->number == 0 && rc == CLOPT_OK;
}

/* Store a point in the problem's format, with a velocity if it has one; a normal has none. */
static void put(struct trial *t, char *at, const double *x, double w, int normal)
{
	const double point[8] = { x[0], x[1], x[2], w, x[1] / 2, x[2] / 2, x[0] / 2, 0 };
	const int precision = normal ? CLOPT_PRECISION_FLOAT : clopt__point_precision(&t->problem);

	clopt__numbers_pack(precision, !normal && clopt__point_numbers(&t->problem) == 8 ? 2 : 1,
	                    point, at);
}

/* Store a random point between the inner and the outer radius. */
static void put_random(struct trial *t, char *at, double inner, double outer, double w, int normal)
{
	double x[3], size = 0;
	int i;

	do {
		for (i = 0; i < 3; i++)
			x[i] = outer * clopt__random(&t->random);
		size = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
	} while (size < inner || size > outer);
	put(t, at, x, w, normal);
}

static void fill_targets(struct trial *t)
{
	const struct trial_array *sources = &t->array[0], *targets = &t->array[2];
	const struct trial_array *normals = &t->array[3];
	const size_t bytes = targets->columns * targets->elem_bytes;
	const int alpb = t->real[0][REAL_RADIUS] > 0;
	size_t i;

	for (i = 0; i < targets->rows; i++) {
		char *const at = clopt__sent(targets, 0, i, 0);

		if (i >= PLACES)
			memcpy(at, clopt__sent(targets, 0, i % PLACES, 0), bytes);
		else if (i % 8 == 3 && !alpb)
			memcpy(at, clopt__sent(sources, 0, SOURCES - 1 - 7 * i, 0), bytes);
		else
			put_random(t, at, alpb ? RADIUS - 0.01 : 0, RADIUS, 0.3, 0);
		if (normals->bytes && i < PLACES)
			put_random(t, clopt__sent(normals, 0, i, 0), 0.5, 1, alpb ? 0 : 0.2, 1);
		else if (normals->bytes)
			memcpy(clopt__sent(normals, 0, i, 0),
			       clopt__sent(normals, 0, i % PLACES, 0), 16);
	}
}

static void fill_sources(struct trial *t)
{
	const struct trial_array *sources = &t->array[0];
	size_t i;

	for (i = 0; i < sources->rows; i++) {
		const double w = 1.5 + clopt__random(&t->random);

		put_random(t, clopt__sent(sources, 0, i, 0), 0, 0.8 * RADIUS,
		           is_gravity(&t->problem) || i % 3 ? w : -w, 0);
	}
}

static void fill(struct trial *t)
{
	const struct trial_array *depths = &t->array[1];
	size_t i;

	fill_sources(t);
	for (i = 0; depths->bytes && i < SOURCES; i++) {
		const float depth = (float)(2 + clopt__random(&t->random));

		memcpy(clopt__sent(depths, 0, i, 0), &depth, sizeof depth);
	}
	fill_targets(t);
}

static const void *points(const struct trial_array *p, size_t i)
{
	return p->bytes ? clopt__sent(p, 0, i, 0) : NULL;
}

/* Compute exact results: each launch adds the sum, but only one adds the constants. */
static void expect(const struct trial *t, struct pair_values *right)
{
	double real[MAX_REALS];
	const struct pair_sum p = { .problem = &t->problem,
		                    .real = real,
		                    .n = SOURCES,
		                    .sources = points(&t->array[0], 0),
		                    .depths = points(&t->array[1], 0) };
	size_t i;

	memcpy(real, t->real[0], sizeof real);
	real[REAL_SCALE] *= (double)t->steps;
	for (i = 0; i < PLACES; i++)
		clopt__pair_values(&p, points(&t->array[2], i), points(&t->array[3], i), &right[i]);
}

/* Compare each result with that of its position.  Positions repeat after `places`. */
static int judge_results(struct trial *t, unsigned operand, const struct pair_values *right,
                         size_t places)
{
	const struct trial_array *out = &t->array[operand];
	size_t i, j;

	for (i = 0; i < out->rows; i++) {
		const struct pair_values *r = &right[i % places];

		for (j = 0; j < r->count; j++) {
			const double got = clopt__number_at(clopt__point_precision(&t->problem),
			                                    clopt__got(out, 0, i, 0), j);

			if (!clopt__near(t, clopt__ops[t->v->op]->operand[operand], i, j, got,
			                 r->value[j], r->bound[j]))
				return CLOPT_EWRONG;
		}
	}
	return CLOPT_OK;
}

static int judge(struct trial *t)
{
	struct pair_values right[PLACES];

	expect(t, right);
	return judge_results(t, 4, right, PLACES);
}

/* ---- By a tree -------------------------------------------------------------------- */

/*
 * Boxes and proxies are inputs, so they need not fit the sources.  A cell's box is far from all
 * targets, or it contains all.  So all targets have the same sources, and no rounding decides
 * which.
 */
static int is_far(size_t cell)
{
	return cell % 7 % 3 == 1;
}

/*
 * Far cells have the multipoles of some sources about a place outside the targets.  It is too near
 * for polynomials of the targets or far enough, wherever a group's targets are.  If groups are
 * halved (cl/tree/sum_wide.cl), each half of a group is a cluster of targets, and some cells are
 * far enough for halves only.
 */
#define IN_CELL 3
/* The polynomial of a far cell: none, the group's, or that of half a group. */
enum {
	IS_SINGLE,
	IS_LOCAL,
	IS_LOCAL_OF_HALF
};

static double cell_random(size_t cell, unsigned i)
{
	const uint64_t x = (uint64_t)(16 * cell + i + 1) * 0x9e3779b97f4a7c15u;

	return (double)(x >> 11) * 0x1p-52 - 1;
}

/* Whether sums have float32's precision.  If they are more exact than moments, which are stored
 * like points, moments must matter less. */
static int is_single(const struct trial *t)
{
	return t->problem.precision == CLOPT_PRECISION_FLOAT;
}

static int has_locals(const struct trial *t)
{
	return strstr(t->v->options, "-DPOLYNOMIALS") &&
	       clopt__tree_polynomials(&t->problem, (unsigned)t->problem.dim[2]);
}

static int has_halves(const struct trial *t)
{
	return has_locals(t) && strstr(t->v->options, "-DSIZES");
}

/* The walk reaches cells of each kind. */
static unsigned local_kind(const struct trial *t, size_t cell)
{
	return cell % 3 == 0 && has_locals(t) ? IS_LOCAL :
	       cell % 3 == 1 && has_halves(t) ? IS_LOCAL_OF_HALF :
	                                        IS_SINGLE;
}

/* A coordinate of a cell's middle.  Clusters of targets lie along x, and cells near to both are
 * between them. */
static double cell_place(const struct trial *t, size_t cell, unsigned c)
{
	const int halves = has_halves(t), single = local_kind(t, cell) == IS_SINGLE;
	const double away = cell % 3 == 0 ? 4.5 : !halves ? 2.5 : single ? 0.8 : 2;
	const double aside = halves && single ? 0 : 0.5;

	return RADIUS * (c == 1 + cell % 2 ? away : aside) * (cell / 2 % 2 ? 1 : -1);
}

/* The sources of a far cell.  Their weights make terms of degree 4 visible beside the near sources,
 * and terms of degree 6 in polynomials. */
static void cell_sources(const struct trial *t, size_t cell, struct expanded *e)
{
	const double most = (is_single(t) ? 100 : 0.0625) * (cell % 3 == 0 ? 5 : 1);
	unsigned i, c;

	for (i = 0; i < IN_CELL; i++) {
		for (c = 0; c < 3; c++) {
			e[i].place[c] = cell_place(t, cell, c);
			e[i].from[c] = 0.4 * RADIUS * cell_random(cell, 4 * i + c);
		}
		e[i].weight = most * (2 + cell_random(cell, 4 * i + 3));
		e[i].local = local_kind(t, cell);
	}
}

static void shape_of(const struct trial *t, struct tree_shape *s)
{
	const unsigned order = (unsigned)t->problem.dim[2];

	clopt__tree_shape(t->problem.dim[0], order, clopt__tree_multipoles(t->problem.law, order),
	                  s);
}

static int describe_tree(struct trial *t)
{
	static const unsigned orders[] = { 2, 4, 5 };
	/* Numbers of leaves for which the walk meets cells of several levels.  The first tree has
	 * 21 cells for the polynomials of groups, more than a vector holds.  In the others the last
	 * leaf is near and not full. */
	static const size_t leaves[] = { 627, 27, 13 };
	const size_t tile = t->v->out[0] < MOST_TARGETS ? t->v->out[0] : MOST_TARGETS;
	struct tree_shape shape;

	if (t->number > 2 || numbers(&t->problem, t->real[0]) != CLOPT_OK)
		return 0;
	t->problem.dim[2] = orders[t->number];
	shape_of(t, &shape);
	t->problem.dim[0] = leaves[t->number] * shape.leaf + 5;
	t->problem.dim[1] = tile + 63;
	t->real[0][REAL_THETA2] = 0.25;
	/* Softening that matters for far cells too. */
	if (t->problem.law == CLOPT_LAW_GRAVITY && t->number == 1 && is_single(t))
		t->real[0][REAL_SOFTENING2] = RADIUS * RADIUS;
	return 1;
}

/* The first target of target i's group, or of its half, in the order of summation: from the last
 * target to the first. */
static size_t first_beside(const struct trial *t, size_t i, size_t count)
{
	return (t->array[2].rows - 1 - i) / count * count;
}

/* Make a cluster of each half's targets.  Sources at the position of a target move along. */
static void part_targets(struct trial *t)
{
	const int precision = clopt__point_precision(&t->problem);
	const size_t half = t->v->out[0] / 2;
	size_t i;

	for (i = 0; i < t->array[2].rows; i++) {
		char *const at = clopt__sent(&t->array[2], 0, i, 0);
		double x[3];
		int c;

		for (c = 0; c < 3; c++)
			x[c] = 0.3 * clopt__number_at(precision, at, (size_t)c);
		x[0] += (first_beside(t, i, half) / half % 2 ? 0.7 : -0.7) * RADIUS;
		put(t, at, x, 0.3, 0);
		if (i < PLACES && i % 8 == 3)
			put(t, clopt__sent(&t->array[0], 0, SOURCES - 1 - 7 * i, 0), x, 1.5, 0);
	}
}

static void fill_tree(struct trial *t)
{
	const struct trial_array *boxes = &t->array[1], *order = &t->array[4];
	struct expanded sources[IN_CELL];
	struct tree_shape shape;
	size_t i;

	fill_sources(t);
	fill_targets(t);
	if (has_halves(t))
		part_targets(t);
	shape_of(t, &shape);
	for (i = 0; i < boxes->rows; i++) {
		const float around[] = { -1e4f, -1e4f, 0, 0, 1e4f, 1e4f + 1, 1, 0 };
		float box[8] = { 0 };
		int c;

		cell_sources(t, i, sources);
		for (c = 0; c < 3; c++) {
			box[c] = (float)(sources->place[c] - 0.1 * RADIUS);
			box[4 + c] = (float)(sources->place[c] + 0.1 * RADIUS);
		}
		memcpy(clopt__sent(boxes, 0, i, 0), is_far(i) ? box : around, sizeof box);
		if (!shape.multipoles)
			continue;
		clopt__cell_moments(&t->problem, sources->place, 0.4 * RADIUS, sources, IN_CELL,
		                    clopt__sent(&t->array[0], 0, shape.n + i * shape.rows, 0));
	}
	for (i = 0; i < order->rows; i++) {
		const uint32_t at = (uint32_t)(order->rows - 1 - i);

		memcpy(clopt__sent(order, 0, i, 0), &at, sizeof at);
	}
}

/* The sources that all targets sum. */
struct picked {
	char *points;
	struct expanded *far;
	size_t point_bytes, n, nfar, pairs[2]; /* pairs: sources; proxies or cells */
};

static void pick(const struct trial *t, const struct tree_shape *s, unsigned level, size_t i,
                 struct picked *p)
{
	const size_t cell = s->level[level].first + i;
	const size_t from = is_far(cell) ? s->n + cell * s->rows : i * s->leaf;
	size_t j, count = s->rows;

	if (!is_far(cell) && level > 0) {
		for (j = 2 * i; j < 2 * i + 2 && j < s->level[level - 1].cells; j++)
			pick(t, s, level - 1, j, p);
		return;
	}
	if (is_far(cell) && s->multipoles) {
		cell_sources(t, cell, p->far + p->nfar);
		p->nfar += IN_CELL;
		p->pairs[1]++;
		return;
	}
	if (!is_far(cell))
		count = s->n - from < s->leaf ? s->n - from : s->leaf;
	memcpy(p->points + p->n * p->point_bytes, clopt__sent(&t->array[0], 0, from, 0),
	       count * p->point_bytes);
	p->n += count;
	p->pairs[is_far(cell)] += count;
}

static int judge_pairs(struct trial *t, const struct picked *p)
{
	const size_t groups = clopt__groups(t->problem.dim[1], t->v->out[0]);
	uint32_t got[2];
	size_t i, j;

	for (i = 0; i < groups; i++) {
		memcpy(got, clopt__got(&t->array[5], 0, i, 0), sizeof got);
		for (j = 0; j < 2; j++)
			if (!clopt__near(t, "pairs", i, j, got[j], (double)p->pairs[j], 0))
				return CLOPT_EWRONG;
	}
	return CLOPT_OK;
}

/* The middle of the box of target i's group, or half of it. */
static void middle_beside(const struct trial *t, size_t i, size_t count, double *middle)
{
	const struct trial_array *targets = &t->array[2];
	const size_t first = first_beside(t, i, count);
	size_t j;
	int c;

	for (c = 0; c < 3; c++) {
		double low = INFINITY, high = -INFINITY;

		for (j = first; j < first + count && j < targets->rows; j++) {
			const double x = clopt__number_at(
			        clopt__point_precision(&t->problem),
			        clopt__sent(targets, 0, targets->rows - 1 - j, 0), (size_t)c);

			low = fmin(low, x);
			high = fmax(high, x);
		}
		middle[c] = (low + high) / 2;
	}
}

static int judge_tree(struct trial *t)
{
	const struct trial_array *points_ = &t->array[0];
	struct tree_shape s;
	struct picked p = { .point_bytes = points_->pitch_bytes };
	struct pair_sum sum = { .problem = &t->problem, .real = t->real[0] };
	const size_t places = has_locals(t) ? t->array[2].rows : PLACES;
	const size_t alike = has_halves(t) ? t->v->out[0] / 2 : t->v->out[0];
	struct pair_values *right = malloc(places * sizeof *right);
	size_t i;
	int rc = CLOPT_ENOMEM;

	shape_of(t, &s);
	p.points = malloc(points_->bytes);
	p.far = malloc(IN_CELL * s.cells * sizeof *p.far);
	if (!p.points || !p.far || !right)
		goto out;
	pick(t, &s, s.levels - 1, 0, &p);
	sum.sources = p.points;
	sum.n = p.n;
	sum.far = p.far;
	sum.nfar = p.nfar;
	for (i = 0; i < places; i++) {
		/* Position and middles are equal, so the result is. */
		if (i >= PLACES &&
		    first_beside(t, i, alike) == first_beside(t, i - PLACES, alike)) {
			right[i] = right[i - PLACES];
			continue;
		}
		middle_beside(t, i, t->v->out[0], sum.middle[IS_LOCAL - 1]);
		if (has_halves(t))
			middle_beside(t, i, t->v->out[0] / 2, sum.middle[IS_LOCAL_OF_HALF - 1]);
		clopt__pair_values(&sum, points(&t->array[2], i), points(&t->array[3], i),
		                   &right[i]);
	}
	rc = judge_pairs(t, &p);
	if (rc == CLOPT_OK)
		rc = judge_results(t, 6, right, places);
out:
	free(right);
	free(p.points);
	free(p.far);
	return rc;
}

const struct checker clopt__check_tree_sums = { .describe = describe_tree,
	                                        .fill = fill_tree,
	                                        .judge = judge_tree,
	                                        .results = 1u << 5 | 1u << 6 };

/* ---- The result of a call: some targets ------------------------------------------ */

/* A check computes about PAIRS pairs, and at least those of TARGETS targets. */
#define PAIRS ((size_t)1 << 18)
#define TARGETS ((size_t)32)

/* Relative error allowed to a tree: far above that of cells at theta 0.25, far below a term. */
#define BY_TREE 5e-4

static void judge_target(const struct guard *g, size_t i, char *why)
{
	const struct job *job = g->job;
	const struct operand *o = job->operand;
	const struct pair_sum p = { .problem = &job->problem,
		                    .real = job->real,
		                    .n = job->problem.dim[0],
		                    .sources = o[0].host,
		                    .depths = o[1].host,
		                    .by_tree = job->tree.order ? BY_TREE : 0 };
	const int precision = clopt__point_precision(&job->problem);
	const size_t point_bytes =
	        clopt__point_numbers(&job->problem) * clopt__number_bytes(precision);
	const float *normals = o[3].host;
	struct pair_values r;
	size_t j;

	clopt__pair_values(&p, (const char *)o[2].host + i * point_bytes,
	                   normals ? normals + 4 * i : NULL, &r);
	for (j = 0; j < r.count; j++) {
		const double got = clopt__number_at(precision, o[4].host, i * o[4].ld + j);

		clopt__audit_note(g->audit, fabs(got - r.value[j]), r.bound[j]);
		if (r.bound[j] <= DBL_MAX && !(fabs(got - r.value[j]) <= r.bound[j])) {
			clopt__say_wrong(&job->problem, o[4].name, i, j, got, r.value[j],
			                 r.bound[j], why);
			return;
		}
	}
}

struct targets {
	const struct guard *guard;
	const struct block *part; /* only targets in it are judged */
	size_t count; /* size of the sample */
};

/* Target i of the sample: of all targets, or of the first, the last, and a random one of each equal
 * range between. */
static size_t target_of(const struct targets *t, size_t i)
{
	const size_t n = t->guard->job->problem.dim[1];
	uint64_t seed = t->guard->seed + i;

	if (i == 0 || t->count == n)
		return i;
	if (i == t->count - 1)
		return n - 1;
	return (size_t)(((double)i + (clopt__random(&seed) + 1) / 2) / (double)t->count *
	                (double)n);
}

static void judge_targets(const void *what, size_t first, size_t count, char *why)
{
	const struct targets *t = what;
	size_t i, target;

	for (i = first; i < first + count && !*why; i++) {
		target = target_of(t, i);
		if (target >= t->part->first[1] && target - t->part->first[1] < t->part->count[1])
			judge_target(t->guard, target, why);
	}
}

static int judge_result(const struct guard *g, const struct block *part, const struct variant *v,
                        char *why)
{
	const struct job *job = g->job;
	const size_t sources = job->problem.dim[0] ? job->problem.dim[0] : 1;
	const size_t n = job->problem.dim[1];
	struct targets t = { g, part, PAIRS / sources > TARGETS ? PAIRS / sources : TARGETS };

	(void)v;
	t.count = t.count < n ? t.count : n;
	return clopt__judge_in_parts(t.count, PAIRS / 4 / sources + 1, judge_targets, &t, why);
}

const struct checker clopt__check_pair = { .describe = describe,
	                                   .fill = fill,
	                                   .judge = judge,
	                                   .results = 1u << 4,
	                                   .result = judge_result };
