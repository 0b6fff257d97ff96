/* SPDX-License-Identifier: MIT */
/*
 * tree.c - sums with a tolerance: whether it is kept over all targets, against sums over all pairs
 * in double.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/traits.h"
#include "tree/tree.h"
#include "clopt_device.h"
#include "verify/check.h"
#include "suites.h"
#include "wrap.h"

static size_t count(void)
{
	return test_whole() ? 10000 : 4000;
}

static uint64_t drawn;

static double uniform(void)
{
	return (clopt__random(&drawn) + 1) / 2;
}

static void in_ball(float *x)
{
	double square;
	int c;

	do {
		for (square = 0, c = 0; c < 3; c++) {
			x[c] = (float)(2 * uniform() - 1);
			square += (double)x[c] * (double)x[c];
		}
	} while (square > 1);
}

/* ---- Where bodies are, and their masses or charges ---------------------------------------- */

static void ball(float *x, size_t i)
{
	in_ball(x);
}

/* Aarseth, Henon, Wielen (1974). */
static void plummer(float *x, size_t i)
{
	const double r = 1 / sqrt(pow(uniform() * 0.999 + 1e-9, -2.0 / 3) - 1);
	double size = 0;
	int c;

	in_ball(x);
	for (c = 0; c < 3; c++)
		size += (double)x[c] * (double)x[c];
	for (c = 0; c < 3; c++)
		x[c] = (float)((double)x[c] * r / sqrt(size));
}

static void two_clusters(float *x, size_t i)
{
	in_ball(x);
	x[0] += i % 3 ? 0 : 1000;
}

static void one_place(float *x, size_t i)
{
	in_ball(x);
	if (i % 100)
		x[0] = x[1] = x[2] = 0.75f;
}

static void line(float *x, size_t i)
{
	x[0] = (float)uniform();
	x[1] = 2 * x[0];
	x[2] = 1;
}

static void plane(float *x, size_t i)
{
	x[0] = (float)uniform();
	x[1] = (float)uniform();
	x[2] = 0;
}

static const struct model {
	const char *name;
	void (*place)(float *x, size_t i);
	int charges; /* 1: of both signs; 2: neutral pairs */
} models[] = {
	{ "ball", ball, 0 },
	{ "plummer", plummer, 0 },
	{ "two clusters", two_clusters, 0 },
	{ "one place", one_place, 0 },
	{ "line", line, 0 },
	{ "plane", plane, 0 },
	{ "charges", ball, 1 },
	{ "neutral", ball, 2 },
};
#define MODELS ((int)(sizeof models / sizeof *models))

/* Room for the points of two models, their sums, and what these should be. */
#define MOST 20000
static float rooms[2][4 * MOST], got[4 * MOST], want[4 * MOST];

static float *points_of(const struct model *m, size_t n)
{
	static int used;
	float *const x = rooms[used++ % 2];
	size_t i;

	drawn = 7;
	for (i = 0; i < n; i++) {
		m->place(x + 4 * i, i);
		x[4 * i + 3] = m->charges == 2 ? (i % 2 ? 1.0f : -1.0f) :
		               m->charges      ? (float)(2 * uniform() - 1) :
		                                 (float)(1 / (double)n);
	}
	return x;
}

/* ---- Errors of all targets ------------------------------------------------------------------ */

static int up(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The 99th percentile of the error of the first numbers of each result: a field, or a potential. */
static double error_99(const float *a, const float *b, size_t n, size_t numbers, size_t width)
{
	double *error = malloc(n * sizeof *error), square = 0, result;
	size_t i, c;

	ck_assert_ptr_nonnull(error);
	for (i = 0; i < n; i++)
		square += (double)b[i * width] * (double)b[i * width];
	for (i = 0; i < n; i++) {
		double off = 0, size = 0;

		for (c = 0; c < numbers; c++) {
			const double right = (double)b[i * width + c];

			off += pow((double)a[i * width + c] - right, 2);
			size += right * right;
		}
		size = numbers == 1 ? square / (double)n : size;
		error[i] = off == 0 ? 0 : sqrt(off / size);
	}
	qsort(error, n, sizeof *error, up);
	result = error[(n * 99 + 99) / 100 - 1];
	free(error);
	return result;
}

static int has_double(struct clopt *ctx)
{
	return (ctx->device.traits & T_FP64) != 0;
}

/* ---- The tolerance is kept ------------------------------------------------------------------- */

static void sum(struct clopt *ctx, const struct model *m, size_t n, const float *x, float *out,
                double tolerance, unsigned order, int precision)
{
	struct clopt_potential_options p = CLOPT_POTENTIAL_OPTIONS_INIT;
	struct clopt_nbody_options g = CLOPT_NBODY_OPTIONS_INIT;

	p.tolerance = g.tolerance = tolerance;
	p.order = g.order = order;
	p.precision = g.precision = precision;
	if (m->charges)
		CHECK_OK(ctx, clopt_potential(ctx, n, x, n, x, out, &p));
	else
		CHECK_OK(ctx, clopt_nbody(ctx, n, x, n, x, out, &g));
}

/* The last in double. */
static const double tolerances[] = { 1e-2, 1e-3, 1e-4, 1e-5 };

/* odd: by the larger of two orders for a tolerance. */
static void keeps(struct clopt *ctx, const struct model *m, size_t n, unsigned odd)
{
	const int best = has_double(ctx) ? CLOPT_PRECISION_DOUBLE : CLOPT_PRECISION_COMPENSATED;
	const size_t width = m->charges ? 1 : 4;
	float *x = points_of(m, n);
	unsigned i;

	sum(ctx, m, n, x, want, 0, 0, best);
	ck_assert_uint_eq(test_report(ctx).tree_order, 0);
	for (i = 0; i < sizeof tolerances / sizeof *tolerances; i++) {
		const unsigned order = i < 3 ? i + 2 + odd : 6;
		const double t = tolerances[i];
		struct clopt_report r;
		double error;

		sum(ctx, m, n, x, got, t, order, i < 3 ? CLOPT_PRECISION_FLOAT : best);
		r = test_report(ctx);
		error = error_99(got, want, n, m->charges ? 1 : 3, width);
		ck_assert_msg(error <= t,
		              "%s, %zu bodies, tolerance %g, order %u, theta %g: the 99th "
		              "percentile is %g, the call said %g of %zu targets",
		              m->name, n, t, order, r.tree_theta, error, r.error_99,
		              r.error_targets);
		ck_assert_uint_eq(r.tree_order, order);
		ck_assert(r.near_pairs > 0 && r.error_median <= r.error_99 && r.error_99 <= t);
		ck_assert_uint_eq(r.error_targets, n < 512 ? n : n / 32 < 512 ? 512 : n / 32);
	}
}

START_TEST(all_targets)
{
	struct clopt *ctx = test_open(NULL);

	keeps(ctx, &models[_i], 1000, _i % 2 == 0);
	keeps(ctx, &models[_i], count(), _i % 2 != 0);
	test_close(ctx);
}
END_TEST

/* Each law, with targets apart from the sources, and kinds of results in turn. */
static void one_law(struct clopt *ctx, int law, int outputs, size_t n, const float *sources,
                    const float *targets, const float *normals)
{
	static const size_t widths[] = { 1, 2, 4 };
	struct clopt_potential_options o = CLOPT_POTENTIAL_OPTIONS_INIT;
	const int best = has_double(ctx) ? CLOPT_PRECISION_DOUBLE : CLOPT_PRECISION_COMPENSATED;
	const size_t width = widths[outputs];
	struct clopt_report r;
	double error;
	unsigned i;

	o.law = law < CLOPT_LAW_ALPB ? law : CLOPT_LAW_ALPB;
	o.outputs = outputs;
	o.kappa = law == CLOPT_LAW_DEBYE || law >= CLOPT_LAW_ALPB_SALT ? 1 : 0;
	o.radius = 1;
	o.ion_radius = 0.2;
	o.projection = law == CLOPT_LAW_ALPB_SALT   ? 0.05 :
	               law == CLOPT_LAW_ALPB_FAR    ? 0.4 :
	               law >= CLOPT_LAW_ALPB_INSIDE ? -0.05 :
	                                              0;
	o.kappa = law == CLOPT_LAW_ALPB_INSIDE ? 0 : o.kappa;
	if (law > CLOPT_LAW_ALPB || outputs != CLOPT_OUTPUTS_PHI)
		o.normals = normals;
	o.precision = best;
	CHECK_OK(ctx, clopt_potential(ctx, n, sources, n, targets, want, &o));
	for (i = 0; i < sizeof tolerances / sizeof *tolerances; i++) {
		/* Kinds of results take turns. */
		if (test_whole() ? i % 3 != (unsigned)(outputs + law) % 3 : i != 1)
			continue;
		o.precision = i < 3 ? CLOPT_PRECISION_FLOAT : best;
		o.tolerance = tolerances[i];
		o.order = i < 3 ? 2 + i : 6;
		CHECK_OK(ctx, clopt_potential(ctx, n, sources, n, targets, got, &o));
		r = test_report(ctx);
		ck_assert_uint_eq(r.tree_order, o.order);
		ck_assert(r.far_pairs > 0);
		error = error_99(got, want, n, outputs == CLOPT_OUTPUTS_FIELD_PHI ? 3 : 1, width);
		ck_assert_msg(error <= o.tolerance,
		              "%s, outputs %d, tolerance %g: %g, the call said %g",
		              clopt_law_name(law), outputs, o.tolerance, error, r.error_99);
	}
}

START_TEST(laws)
{
	const size_t n = test_whole() ? 10000 : 3000;
	struct clopt *ctx = test_open(NULL);
	float *sources = points_of(&models[6], n), *targets = points_of(&models[0], n);
	float *normals = malloc(4 * n * sizeof *normals);
	size_t i;
	int c, outputs;

	ck_assert_ptr_nonnull(normals);
	/* Targets on the sphere, and sources inside it. */
	for (i = 0; i < n; i++) {
		double size = 0;

		for (c = 0; c < 3; c++)
			size += pow((double)targets[4 * i + (size_t)c], 2);
		for (c = 0; c < 3; c++) {
			normals[4 * i + (size_t)c] = targets[4 * i + (size_t)c] / (float)sqrt(size);
			targets[4 * i + (size_t)c] = normals[4 * i + (size_t)c];
			sources[4 * i + (size_t)c] *= 0.9f;
		}
		normals[4 * i + 3] = 0;
	}
	for (outputs = CLOPT_OUTPUTS_PHI; outputs <= CLOPT_OUTPUTS_FIELD_PHI; outputs++)
		if (outputs == CLOPT_OUTPUTS_PHI || (test_all() && (outputs + _i) % 2))
			one_law(ctx, _i, outputs, n, sources, targets, normals);
	free(normals);
	test_close(ctx);
}
END_TEST

/* Targets of one group all around the sources: each walks alone, since together they are near to
 * all. */
START_TEST(all_around)
{
	const size_t n = 10000, m = 64;
	struct clopt_options options = CLOPT_OPTIONS_INIT;
	struct clopt_nbody_options o = CLOPT_NBODY_OPTIONS_INIT;
	struct clopt *ctx;
	float *x = points_of(&models[0], n), targets[4 * 64];
	struct clopt_report r;
	size_t i, c;

	for (i = 0; i < m; i++) {
		in_ball(targets + 4 * i);
		for (c = 0; c < 3; c++)
			targets[4 * i + c] *= 40;
		targets[4 * i + 3] = 0;
	}
	options.variants = "tree-nbody/tile-64";
	ctx = test_open(&options);
	CHECK_OK(ctx, clopt_nbody(ctx, n, x, m, targets, want, &o));
	o.tolerance = 1e-3;
	o.order = 3;
	CHECK_OK(ctx, clopt_nbody(ctx, n, x, m, targets, got, &o));
	r = test_report(ctx);
	ck_assert_uint_eq(r.tree_order, 3);
	ck_assert(r.near_pairs < 100 && r.far_pairs > 0 && r.far_pairs < 4000);
	ck_assert_double_le(error_99(got, want, m, 3, 4), 1e-3);
	test_close(ctx);
}
END_TEST

/* From POLYNOMIAL on they have polynomials of groups, of which CPUs have two kinds: those of the
 * wide rows before differ by numbers alone. */
static const char *const far_rows[] = { "tree-nbody/plain-1",   "tree-nbody/tile-64",
	                                "tree-nbody/wide-16x4", "tree-nbody/wide-8x64",
	                                "tree-nbody/reg-64x2",  "tree-nbody/wide-16x32",
	                                "tree-nbody/wide-8x8" };
#define FAR_ROWS (int)(sizeof far_rows / sizeof *far_rows)
#define POLYNOMIAL 4

/* A context with row i of these; NULL: it does not run here. */
static struct clopt *open_far_row(int i)
{
	struct clopt *ctx = test_open(NULL);

	if (test_force(ctx, far_rows[i]))
		return ctx;
	test_close(ctx);
	return NULL;
}

/* Targets so far off and so close to one another that all walk alike, whoever walks: each is summed
 * over the same few cells. */
START_TEST(counted)
{
	const size_t n = 5000, m = 64;
	struct clopt_nbody_options o = CLOPT_NBODY_OPTIONS_INIT;
	float *x = points_of(&models[0], n), targets[4 * 64];
	struct clopt_report r;
	struct clopt *ctx;
	double far = 0;
	size_t i;
	int row;

	for (i = 0; i < 4 * m; i++)
		targets[i] = 3 + 1e-5f * (float)(i % 7);
	o.theta = 0.3;
	o.order = 3;
	for (row = 0; row < FAR_ROWS; row++) {
		if (!(ctx = open_far_row(row)))
			continue;
		CHECK_OK(ctx, clopt_nbody(ctx, n, x, m, targets, got, &o));
		r = test_report(ctx);
		ck_assert_uint_eq(r.tree_order, 3);
		ck_assert(r.near_pairs == 0 && r.far_pairs > 0);
		ck_assert_double_eq(r.far_pairs, row ? far : r.far_pairs);
		far = r.far_pairs;
		test_close(ctx);
	}
}
END_TEST

/* The last body is a group and a leaf alone, whose boxes have no size, in lengths whose powers are
 * no numbers. */
START_TEST(last_alone)
{
	static const float lengths[] = { 1e-7f, 1e-10f, 1e-17f, 1e25f };
	const size_t n = 4097;
	struct clopt *ctx = open_far_row(_i);
	struct clopt_nbody_options o = CLOPT_NBODY_OPTIONS_INIT;
	static float x[4 * 4097];
	const float *ball_ = points_of(&models[0], n);
	size_t i, j;

	o.potential = 1;
	o.softening = 1e-10; /* as in `polynomials` */
	for (j = 0; ctx && j < sizeof lengths / sizeof *lengths; j++) {
		for (i = 0; i < 4 * n; i++)
			x[i] = ball_[i] * (i % 4 == 3 ? 1 : lengths[j]);
		o.theta = o.order = 0;
		CHECK_OK(ctx, clopt_nbody(ctx, n, x, n, x, want, &o));
		o.theta = 0.5;
		o.order = 4;
		CHECK_OK(ctx, clopt_nbody(ctx, n, x, n, x, got, &o));
		ck_assert_double_gt(test_report(ctx).far_pairs, 0);
		for (i = 0; i < 4 * n; i++)
			ck_assert_msg(fabsf(got[i]) < HUGE_VALF, "%s, %g: number %zu is %g",
			              far_rows[_i], (double)lengths[j], i, (double)got[i]);
		ck_assert_double_le(error_99(got, want, n, 3, 4), 2e-3);
	}
	test_close(ctx);
}
END_TEST

/* Moments as they are, and harmonic ones. */
static const char *const far_sums[] = { "tree-nbody/plain-1", "tree-nbody/tile-64" };

/* Softening, also of targets' own and as large as the system, and the potential beside the
 * field. */
START_TEST(softened)
{
	static const double softenings[] = { 0.05, 0.6, 3 }, most[] = { [2] = 1e-2, [3] = 3e-3 };
	const size_t n = 3000;
	struct clopt_options options = CLOPT_OPTIONS_INIT;
	struct clopt_nbody_options o = CLOPT_NBODY_OPTIONS_INIT;
	struct clopt *ctx;
	float *x = points_of(&models[1], n), *targets = points_of(&models[0], n);
	double error[5][2];
	size_t i, j;

	options.variants = far_sums[_i];
	ctx = test_open(&options);
	o.potential = 1;
	for (j = 0; j < 6; j++) {
		o.softening = softenings[j / 2];
		o.target_softening = j % 2;
		for (i = 0; i < n; i++)
			targets[4 * i + 3] = (float)(2 * o.softening) * (float)(i % 5);
		o.theta = o.order = 0;
		CHECK_OK(ctx, clopt_nbody(ctx, n, x, n, targets, want, &o));
		o.theta = 0.45;
		for (o.order = 2; o.order < 5; o.order++) {
			CHECK_OK(ctx, clopt_nbody(ctx, n, x, n, targets, got, &o));
			ck_assert_uint_eq(test_report(ctx).tree_order, o.order);
			error[o.order][0] = error_99(got, want, n, 3, 4);
			error[o.order][1] = error_99(got + 3, want + 3, n, 1, 4);
		}
		for (i = 0; i < 2; i++) {
			ck_assert_double_le(error[2][i], most[2]);
			ck_assert_double_le(error[3][i], most[3]);
			/* Without the traces of degree 4 it would be no less. */
			ck_assert_double_le(error[4][i], 0.6 * error[3][i]);
		}
	}
	test_close(ctx);
}
END_TEST

/* Polynomials of groups leave errors as they are without. */
START_TEST(polynomials)
{
	const size_t n = 5000;
	struct clopt_options options = CLOPT_OPTIONS_INIT;
	struct clopt_nbody_options o = CLOPT_NBODY_OPTIONS_INIT;
	struct clopt *with = open_far_row(_i / 2), *without;
	float *x = points_of(&models[_i % 2], n);
	double error[2], far;
	size_t i;

	if (!with)
		return;
	options.variants = "tree-nbody/tile-64";
	without = test_open(&options);
	o.potential = 1;
	o.softening = 0.05;
	CHECK_OK(with, clopt_nbody(with, n, x, n, x, want, &o));
	o.theta = 0.6;
	for (o.order = 2; o.order < 5; o.order++) {
		CHECK_OK(without, clopt_nbody(without, n, x, n, x, got, &o));
		far = test_report(without).far_pairs;
		for (i = 0; i < 2; i++)
			error[i] = error_99(got + 3 * i, want + 3 * i, n, i ? 1 : 3, 4);
		CHECK_OK(with, clopt_nbody(with, n, x, n, x, got, &o));
		for (i = 0; i < 2; i++)
			ck_assert_double_le(error_99(got + 3 * i, want + 3 * i, n, i ? 1 : 3, 4),
			                    1.5 * error[i]);
		/* CPUs open cells for them that would serve. */
		if (_i / 2 > POLYNOMIAL)
			ck_assert_double_ge(test_report(with).far_pairs, 1.05 * far);
	}
	clopt_close(with);
	test_close(without);
}
END_TEST

/* Points of doubles, in double; also so close to one another that they are the same in float. */
START_TEST(doubles)
{
	const size_t n = 3000;
	struct clopt *ctx = test_open(NULL);
	struct clopt_nbody_options o = CLOPT_NBODY_OPTIONS_INIT;
	struct clopt_points s = CLOPT_POINTS_INIT;
	struct clopt_results r = CLOPT_RESULTS_INIT;
	float *x = points_of(&models[1], n);
	double *wide = malloc(10 * n * sizeof *wide), *found = wide + 4 * n, *right = found + 3 * n,
	       worst = 0;
	size_t i;
	int c;

	ck_assert_ptr_nonnull(wide);
	for (i = 0; i < 4 * n; i++)
		wide[i] = 1e3 + (_i ? 2e-5 + 1e-6 * (double)x[i] : (double)x[i]);
	s.n = n;
	s.x = wide;
	s.y = wide + 1;
	s.z = wide + 2;
	s.w = wide + 3;
	s.stride_bytes = 4 * sizeof *wide;
	r.stride_bytes = 3 * sizeof *wide;
	r.x = right;
	r.y = right + 1;
	r.z = right + 2;
	CHECK_OK(ctx, clopt_gravity(ctx, &s, &s, &r, &o));
	r.x = found;
	r.y = found + 1;
	r.z = found + 2;
	o.tolerance = 1e-6;
	o.order = 6;
	CHECK_OK(ctx, clopt_gravity(ctx, &s, &s, &r, &o));
	ck_assert_uint_eq(test_report(ctx).tree_order, has_double(ctx) ? 6 : 0);
	for (i = 0; i < n; i++) {
		double off = 0, size = 0;

		for (c = 0; c < 3; c++) {
			off += pow(found[3 * i + (size_t)c] - right[3 * i + (size_t)c], 2);
			size += pow(right[3 * i + (size_t)c], 2);
		}
		worst = fmax(worst, sqrt(off / size));
	}
	ck_assert_double_lt(worst, 1e-3);
	free(wide);
	test_close(ctx);
}
END_TEST

/* ---- One result that is far larger than the others
 * ----------------------------------------------- */

/* Charges of both signs about a lattice.  One that a call looks at lies close to its neighbour. */
#define EDGE ((size_t)20)
#define LATTICE (EDGE * EDGE * EDGE)

static float *lattice(double jitter)
{
	float *const x = rooms[0];
	size_t i, c, near = clopt__place_in_stretch(250, 512, LATTICE);

	ck_assert_uint_ne(near % EDGE, 0);
	drawn = 3;
	for (i = 0; i < LATTICE; i++) {
		const size_t place[3] = { i % EDGE, i / EDGE % EDGE, i / EDGE / EDGE };

		for (c = 0; c < 3; c++)
			x[4 * i + c] = (float)((double)place[c] + jitter * uniform());
		x[4 * i + 3] = (place[0] + place[1] + place[2]) % 2 ? 1 : -1;
	}
	memcpy(x + 4 * near, x + 4 * near - 4, 3 * sizeof *x);
	x[4 * near] += 0.008f;
	return x;
}

static const struct outlier {
	const char *name;
	int law, outputs, kept, members;
} outliers[] = {
	{ "potentials", CLOPT_LAW_COULOMB, CLOPT_OUTPUTS_PHI, 0, 1 },
	{ "by proxies", CLOPT_LAW_DEBYE, CLOPT_OUTPUTS_PHI, 0, 1 },
	{ "along normals", CLOPT_LAW_COULOMB, CLOPT_OUTPUTS_PHI_NORMAL, 0, 1 },
	{ "fields", CLOPT_LAW_COULOMB, CLOPT_OUTPUTS_FIELD_PHI, 0, 1 },
	{ "a tree that is kept", CLOPT_LAW_COULOMB, CLOPT_OUTPUTS_PHI, 1, 1 },
	{ "two devices", CLOPT_LAW_COULOMB, CLOPT_OUTPUTS_PHI, 0, 2 },
};
#define OUTLIERS ((int)(sizeof outliers / sizeof *outliers))

/* Each quantity of the results is within the tolerance. */
static void within(const struct outlier *c, double tolerance, const struct clopt_report *r)
{
	const int field = c->outputs == CLOPT_OUTPUTS_FIELD_PHI;
	const size_t width = field ? 4 : c->outputs == CLOPT_OUTPUTS_PHI_NORMAL ? 2 : 1;
	size_t first, numbers;

	for (first = 0; first < width; first += numbers) {
		double error;

		numbers = field && !first ? 3 : 1;
		error = error_99(got + first, want + first, LATTICE, numbers, width);
		ck_assert_msg(error <= tolerance,
		              "%s, number %zu, tolerance %g, theta %g: the 99th percentile is %g, "
		              "the call said %g",
		              c->name, first, tolerance, r->tree_theta, error, r->error_99);
	}
}

START_TEST(outlier)
{
	static const double list[] = { 0.1, 0.03, 0.01 };
	const struct outlier *const c = &outliers[_i];
	struct clopt_options options = CLOPT_OPTIONS_INIT;
	struct clopt_potential_options o = CLOPT_POTENTIAL_OPTIONS_INIT;
	/* Inside a whole lattice fields cancel. */
	float *x = lattice(c->outputs == CLOPT_OUTPUTS_FIELD_PHI ? 0.2 : 0);
	float *normals = malloc(4 * LATTICE * sizeof *normals);
	struct clopt_tree *tree = NULL;
	struct clopt *ctx, *member[2];
	size_t i;
	int again;

	ck_assert_ptr_nonnull(normals);
	for (i = 0; i < 4 * LATTICE; i++)
		normals[i] = i % 4 == 0; /* along x, where the two are close */
	options.share = CLOPT_SHARE_EVERY;
	member[0] = ctx = test_open(&options);
	if (c->members > 1) {
		member[1] = test_open(&options);
		CHECK_OK(NULL, clopt_join(&ctx, member, 2));
	}
	o.law = c->law;
	o.kappa = c->law == CLOPT_LAW_DEBYE ? 0.1 : 0;
	o.outputs = c->outputs;
	o.normals = c->outputs == CLOPT_OUTPUTS_PHI_NORMAL ? normals : NULL;
	CHECK_OK(ctx, clopt_potential(ctx, LATTICE, x, LATTICE, x, want, &o));
	o.order = 4;
	if (c->kept)
		CHECK_OK(ctx, clopt_tree_new(ctx, LATTICE, x, &tree));
	for (i = 0; i < sizeof list / sizeof *list; i++)
		for (again = 0; again <= 2 * c->kept; again++) {
			struct clopt_report r;

			o.tolerance = list[i];
			if (tree)
				CHECK_OK(ctx, clopt_tree_potential(tree, LATTICE, NULL, got, &o));
			else
				CHECK_OK(ctx,
				         clopt_potential(ctx, LATTICE, x, LATTICE, x, got, &o));
			r = test_report(ctx);
			ck_assert_uint_eq(r.tree_order, 4);
			ck_assert_uint_eq(r.error_targets, 512);
			within(c, list[i], &r);
		}
	clopt_tree_free(tree);
	test_close(ctx);
	free(normals);
}
END_TEST

/* Errors are the same in any unit, also where squares of doubles leave their range. */
START_TEST(units)
{
	static const double unit[] = { 1, 0x1p600, 0x1p-600 };
	const size_t n = 4000;
	struct clopt *ctx = test_open(NULL);
	struct clopt_potential_options o = CLOPT_POTENTIAL_OPTIONS_INIT;
	struct clopt_points s = CLOPT_POINTS_INIT;
	struct clopt_results r = CLOPT_RESULTS_INIT;
	float *x = points_of(&models[6], n);
	double *wide = malloc(8 * n * sizeof *wide), first = 0;
	size_t i, j;

	ck_assert_ptr_nonnull(wide);
	s.n = n;
	s.x = wide;
	s.y = wide + 1;
	s.z = wide + 2;
	s.w = wide + 3;
	s.stride_bytes = r.stride_bytes = 4 * sizeof *wide;
	r.phi = wide + 4 * n;
	if (_i) {
		r.x = wide + 4 * n + 1;
		r.y = wide + 4 * n + 2;
		r.z = wide + 4 * n + 3;
	}
	o.theta = 0.7;
	o.order = 2;
	for (j = 0; has_double(ctx) && j < sizeof unit / sizeof *unit; j++) {
		for (i = 0; i < 4 * n; i++)
			wide[i] = (double)x[i] * (i % 4 == 3 ? unit[j] : 1);
		CHECK_OK(ctx, clopt_potential_points(ctx, &s, &s, &r, &o));
		ck_assert_uint_eq(test_report(ctx).tree_order, 2);
		first = j ? first : test_report(ctx).error_99;
		ck_assert(first > 1e-6 && first < 1);
		ck_assert_double_eq_tol(test_report(ctx).error_99 / first, 1, 1e-6);
	}
	free(wide);
	test_close(ctx);
}
END_TEST

/* ---- What a call looks at first, and launches
 * --------------------------------------------------- */

/* Signs are mixed from 2 % of the other sign on, wherever these are. */
START_TEST(mixed_signs)
{
	static const struct {
		size_t n, first, count, apart;
		int mixed;
	} cases[] = {
		{ 1000, 0, 0, 1, 0 },          { 1000, 990, 10, 1, 0 },
		{ 1000, 970, 30, 1, 1 },       { 100000, 0, 0, 1, 0 },
		{ 100000, 0, 1000, 1, 0 },     { 100000, 0, 4000, 1, 1 },
		{ 100000, 96000, 4000, 1, 1 }, { 100000, 0, 50000, 2, 1 },
		{ 100000, 0, 4000, 25, 1 },    { 100000, 0, 100000, 1, 0 },
	};
	static float x[4 * 100000];
	static double wide[4 * 100000];
	size_t i, j;

	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		for (j = 0; j < cases[i].n; j++)
			x[4 * j + 3] = 1;
		for (j = 0; j < cases[i].count; j++)
			x[4 * (cases[i].first + j * cases[i].apart) + 3] = -1;
		for (j = 0; j < 4 * cases[i].n; j++)
			wide[j] = (double)x[j];
		ck_assert_msg(clopt__tree_mixed(CLOPT_PRECISION_FLOAT, x, cases[i].n) ==
		                              cases[i].mixed &&
		                      clopt__tree_mixed(CLOPT_PRECISION_DOUBLE, wide, cases[i].n) ==
		                              cases[i].mixed,
		              "case %zu", i);
	}
}
END_TEST

/* One charge or mass of the other sign that is heavy: a call allows for it at once, by the theta of
 * a tenth of the tolerance; if that does not do, as it may not where it has half of the mass, by
 * the errors that it finds. */
START_TEST(one_heavy)
{
	static const struct {
		int model, share;
	} cases[] = { { 6, 40 }, { 0, 40 }, { 6, 1 }, { 0, 1 } };
	const size_t n = 20000;
	const struct model *const m = &models[cases[_i].model];
	const size_t width = m->charges ? 1 : 4;
	const struct job job = { .problem = { .law = m->charges ? CLOPT_LAW_COULOMB :
		                                                  CLOPT_LAW_GRAVITY,
		                              .precision = CLOPT_PRECISION_FLOAT,
		                              .dim = { n, n } },
		                 .tree = { .tolerance = 1e-2, .order = 3 } };
	struct clopt *ctx = test_open(NULL);
	const double theta = clopt__tree_how(ctx, &job, 1).theta;
	float *x = points_of(m, n);
	size_t i;

	ck_assert_double_lt(theta, 0.8 * clopt__tree_how(ctx, &job, 0).theta);
	for (i = 0; i < n; i++)
		x[4 * i + 3] = 1;
	x[4 * 6000 + 3] = -(float)n / (float)cases[_i].share;
	sum(ctx, m, n, x, want, 0, 0, CLOPT_PRECISION_COMPENSATED);
	sum(ctx, m, n, x, got, 1e-2, 3, CLOPT_PRECISION_FLOAT);
	ck_assert_double_le(test_report(ctx).tree_theta, theta);
	ck_assert(cases[_i].share == 1 || test_report(ctx).tree_theta >= theta);
	ck_assert_double_le(error_99(got, want, n, m->charges ? 1 : 3, width), 1e-2);
	test_close(ctx);
}
END_TEST

/* A short sum is one launch, whatever the compute units. */
START_TEST(one_launch)
{
	const size_t n = 12000;
	const struct clopt_options options = { .size = sizeof options, .profile = 1 };
	struct clopt *ctx = test_open(&options);
	float *x = points_of(&models[1], n);
	size_t i, launches = 0;

	CHECK_OK(ctx, clopt_trace_start(ctx));
	sum(ctx, &models[1], n, x, got, 1e-2, 3, CLOPT_PRECISION_FLOAT);
	CHECK_OK(ctx, clopt_trace_stop(ctx));
	for (i = 0; i < ctx->log.traced; i++)
		launches += strstr(ctx->log.trace[i].label, "tree-nbody") != NULL;
	ck_assert_uint_eq(launches, 1);
	test_close(ctx);
}
END_TEST

/* ---- The same bits, and when a tree does not serve
 * -------------------------------------------- */

START_TEST(same_bits)
{
	const size_t n = count();
	struct clopt_options options = CLOPT_OPTIONS_INIT;
	float *x = points_of(&models[1], n);
	int i;

	for (i = 0; i < 4; i++) {
		struct clopt *ctx;

		options.queues = i;
		options.mem_limit_bytes = i == 3 ? 200 * n + (1 << 20) : 0;
		ctx = test_open(&options);
		wrap_peak_bytes();
		sum(ctx, &models[1], n, x, i ? got : want, 1e-3, 3, CLOPT_PRECISION_FLOAT);
		ck_assert_uint_eq(test_report(ctx).tree_order, 3);
		ck_assert(!i || !memcmp(got, want, 4 * n * sizeof *got));
		ck_assert(i < 3 || wrap_peak_bytes() <= options.mem_limit_bytes);
		test_close(ctx);
	}
}
END_TEST

/* The outermost body, moved a little as in a step, gives all others another error, so that errors
 * do not add up. */
START_TEST(fresh_errors)
{
	const size_t n = 4000;
	struct clopt *ctx = test_open(NULL);
	struct clopt_nbody_options o = CLOPT_NBODY_OPTIONS_INIT;
	float *x = points_of(&models[0], n), *sums[4];
	double size[2] = { 0 }, alike = 0;
	size_t i, j;

	for (j = 0; j < 4; j++) {
		sums[j] = malloc(4 * n * sizeof **sums);
		ck_assert_ptr_nonnull(sums[j]);
		o.order = j / 2 ? 2 : 0;
		o.theta = j / 2 ? 0.7 : 0;
		x[0] = j % 2 ? 2.0001f : 2;
		CHECK_OK(ctx, clopt_nbody(ctx, n, x, n, x, sums[j], &o));
	}
	for (i = 4; i < 4 * n; i++) {
		const double a = (double)sums[2][i] - (double)sums[0][i],
		             b = (double)sums[3][i] - (double)sums[1][i];

		size[0] += a * a;
		size[1] += b * b;
		alike += a * b;
	}
	ck_assert_double_lt(fabs(alike), 0.3 * sqrt(size[0] * size[1]));
	for (j = 0; j < 4; j++)
		free(sums[j]);
	test_close(ctx);
}
END_TEST

/* Two devices, here two contexts on one: the bits of one, whoever sums what.  Theta goes down for
 * both. */
START_TEST(shared)
{
	static const int shares[] = { CLOPT_SHARE_FIXED, CLOPT_SHARE_EVERY };
	const size_t n = 12000;
	struct clopt_options options = CLOPT_OPTIONS_INIT;
	struct clopt_member_share share[2];
	struct clopt_nbody_options o = CLOPT_NBODY_OPTIONS_INIT;
	float *x = points_of(&models[1], n);
	struct clopt *member[2], *ctx;
	struct clopt_report alone, both;
	size_t count;
	int i;

	options.share = shares[_i];
	for (i = 0; i < 2; i++)
		member[i] = test_open(&options);
	o.tolerance = 3e-4;
	o.order = 2;
	o.theta = 0.6;
	CHECK_OK(member[0], clopt_nbody(member[0], n, x, n, x, want, &o));
	alone = test_report(member[0]);
	CHECK_OK(NULL, clopt_join(&ctx, member, 2));
	CHECK_OK(ctx, clopt_nbody(ctx, n, x, n, x, got, &o));
	both = test_report(ctx);
	ck_assert(!memcmp(got, want, 4 * n * sizeof *got));
	ck_assert(alone.tree_theta < 0.6 && both.tree_order == 2);
	ck_assert_double_eq(both.tree_theta, alone.tree_theta);
	ck_assert_double_eq(both.near_pairs, alone.near_pairs);
	ck_assert_double_eq(both.far_pairs, alone.far_pairs);
	ck_assert_double_eq(both.error_99, alone.error_99);
	for (i = 0; i < 2; i++)
		share[i].size = sizeof share[i];
	CHECK_OK(ctx, clopt_last_shares(ctx, share, 2, &count));
	/* A fast device keeps a call that is too short to share. */
	ck_assert(count == 2 || (count == 0 && options.share == CLOPT_SHARE_FIXED));
	for (i = 0; i < (int)count; i++)
		ck_assert(share[i].share > 0 && share[i].status == CLOPT_OK);
	ck_assert_double_eq_tol(count ? share[0].share + share[1].share : 1, 1, 1e-9);
	test_close(ctx);
}
END_TEST

/* Where all pairs are faster, or a tree cannot: all pairs, and the report says so. */
START_TEST(all_pairs)
{
	const size_t n = 2000;
	struct clopt_options options = CLOPT_OPTIONS_INIT;
	struct clopt_potential_options p = CLOPT_POTENTIAL_OPTIONS_INIT;
	float *x = points_of(&models[0], n);
	float *depths = calloc(n, sizeof *depths), *normals = calloc(4 * n, sizeof *normals);
	struct clopt *ctx = test_open(NULL);
	size_t i;

	ck_assert(depths && normals);
	sum(ctx, &models[0], 300, x, got, 1e-3, 0, CLOPT_PRECISION_FLOAT);
	ck_assert_uint_eq(test_report(ctx).tree_order, 0);
	sum(ctx, &models[0], n, x, got, 1e-3, 3, CLOPT_PRECISION_DOUBLE_SINGLE);
	ck_assert_uint_eq(test_report(ctx).tree_order, 0);
	for (i = 0; i < n; i++)
		normals[4 * i] = 1;
	p.law = CLOPT_LAW_ALPB;
	p.radius = 2;
	p.projection = -0.5;
	p.depths = depths;
	p.normals = normals;
	p.tolerance = 1e-3;
	p.order = 3;
	CHECK_OK(ctx, clopt_potential(ctx, n, x, n, x, got, &p));
	ck_assert_uint_eq(test_report(ctx).tree_order, 0);
	test_close(ctx);
	options.mem_limit_bytes = 60000;
	ctx = test_open(&options);
	sum(ctx, &models[0], n, x, got, 1e-3, 3, CLOPT_PRECISION_FLOAT);
	ck_assert_uint_eq(test_report(ctx).tree_order, 0);
	test_close(ctx);
	free(depths);
	free(normals);
}
END_TEST

/* Nothing to sum, or to sum for: by one device, and by two. */
START_TEST(few)
{
	struct clopt_options options = CLOPT_OPTIONS_INIT;
	struct clopt *ctx, *member[2];
	struct clopt_nbody_options o = CLOPT_NBODY_OPTIONS_INIT;
	float x[8] = { 0, 0, 0, 1, 1, 0, 0, 1 }, out[8];

	options.share = CLOPT_SHARE_EVERY;
	member[0] = ctx = test_open(&options);
	if (_i) {
		member[1] = test_open(&options);
		CHECK_OK(NULL, clopt_join(&ctx, member, 2));
	}
	o.order = 2;
	o.theta = 0.5;
	CHECK_OK(ctx, clopt_nbody(ctx, 2, x, 0, x, out, &o));
	CHECK_OK(ctx, clopt_nbody(ctx, 0, x, 2, x, out, &o));
	ck_assert(out[0] == 0 && out[4] == 0);
	CHECK_OK(ctx, clopt_nbody(ctx, 1, x, 1, x, out, &o));
	ck_assert(out[0] == 0);
	CHECK_OK(ctx, clopt_nbody(ctx, 2, x, 2, x, out, &o));
	ck_assert_msg(fabsf(out[0] - 1) < 1e-6f && fabsf(out[4] + 1) < 1e-6f, "%g %g",
	              (double)out[0], (double)out[4]);
	test_close(ctx);
}
END_TEST

/* A source at infinity adds nothing, and one that is no number makes all results none. */
START_TEST(not_finite)
{
	static const float odd[] = { INFINITY, -INFINITY, NAN };
	const size_t n = 2000;
	struct clopt *ctx = test_open(NULL);
	struct clopt_nbody_options o = CLOPT_NBODY_OPTIONS_INIT;
	float *x = points_of(&models[0], n);
	size_t i;

	x[4 * 7] = odd[_i];
	CHECK_OK(ctx, clopt_nbody(ctx, n, x, n, x, want, NULL));
	o.theta = 0.5;
	o.order = 2;
	CHECK_OK(ctx, clopt_nbody(ctx, n, x, n, x, got, &o));
	ck_assert_uint_eq(test_report(ctx).tree_order, 2);
	for (i = 0; i < 4 * n; i++)
		ck_assert_msg(!isnan(got[i]) == !isnan(want[i]), "%zu: %g, not %g", i,
		              (double)got[i], (double)want[i]);
	test_close(ctx);
}
END_TEST

/* ---- What is wrong is found ---------------------------------------------------------------- */

/* Kernels leave out the last source of a cell. */
START_TEST(planted)
{
	const size_t n = 4000;
	struct clopt_options options = CLOPT_OPTIONS_INIT;
	float *x = points_of(&models[0], n);
	struct clopt_nbody_options o = CLOPT_NBODY_OPTIONS_INIT;
	struct clopt *ctx;

	wrap_lose("none", 1, 30);
	options.check = CLOPT_CHECK_FIRST;
	options.cache_dir = "0";
	ctx = test_open(&options);
	o.tolerance = 1e-4;
	o.order = 3;
	expect_refused(clopt_nbody(ctx, n, x, n, x, got, &o), CLOPT_EWRONG, ctx, "are wrong");
	test_close(ctx);
	wrap_lose(NULL, 0, 0);
}
END_TEST

/* Float32 cannot keep it: the call tells what it has reached. */
START_TEST(out_of_reach)
{
	const size_t n = 4000;
	struct clopt *ctx = test_open(NULL);
	float *x = points_of(&models[0], n);
	struct clopt_nbody_options o = CLOPT_NBODY_OPTIONS_INIT;
	struct clopt_report r;

	o.tolerance = 1e-10;
	o.order = 3;
	expect_refused(clopt_nbody(ctx, n, x, n, x, got, &o), CLOPT_EWRONG, ctx,
	               "tolerance 1e-10 was not reached");
	r = test_report(ctx);
	ck_assert_msg(r.error_99 > 1e-10 && r.error_99 < 1e-4, "%g", r.error_99);
	test_close(ctx);
}
END_TEST

SUITE(tree, long)
{
	test_add_rows(c, all_targets, 0, MODELS);
	test_add_rows(c, laws, CLOPT_LAW_COULOMB, CLOPT_LAW_GRAVITY);
	tcase_add_test(c, all_around);
	tcase_add_test(c, counted);
	tcase_add_loop_test(c, last_alone, 0, POLYNOMIAL);
	tcase_add_loop_test(c, polynomials, 2 * POLYNOMIAL, 2 * FAR_ROWS);
	tcase_add_loop_test(c, softened, 0, (int)(sizeof far_sums / sizeof *far_sums));
	tcase_add_loop_test(c, doubles, 0, 2);
	tcase_add_loop_test(c, outlier, 0, OUTLIERS);
	tcase_add_loop_test(c, units, 0, 2);
	tcase_add_test(c, mixed_signs);
	tcase_add_loop_test(c, one_heavy, 0, 4);
	tcase_add_test(c, one_launch);
	tcase_add_test(c, same_bits);
	tcase_add_test(c, fresh_errors);
	tcase_add_loop_test(c, shared, 0, 2);
	tcase_add_test(c, all_pairs);
	tcase_add_loop_test(c, few, 0, 2);
	tcase_add_loop_test(c, not_finite, 0, 3);
	tcase_add_test(c, planted);
	tcase_add_test(c, out_of_reach);
}
