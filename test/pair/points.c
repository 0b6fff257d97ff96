/* SPDX-License-Identifier: MIT */
/*
 * points.c - clopt_gravity where random/points.c does not ask: cut sums, jerk as a change in time,
 * devices without double.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/traits.h"
#include "physics.h"

enum {
	N = 300,
	MOST = 2500,
	JERK = 4 /* of the results: acceleration, potential, jerk */
};

/* Position, mass, velocity; results. */
static double body[MOST][REFERENCE_POINT], out[MOST][REFERENCE_POINT];
static struct clopt_points points;
static struct clopt_results results;
static struct clopt_nbody_options o;
static struct clopt *ctx;

/* Bodies in a box, far from the origin, so that rounded positions would show. */
static void setup(void)
{
	static const struct clopt_options options = { .size = sizeof options,
		                                      .check = CLOPT_CHECK_ALWAYS };
	size_t i;

	ctx = test_open(&options);
	for (i = 0; i < MOST; i++) {
		double *const p = body[i];

		p[0] = 10 + scene_number() + scene_number() / 3e7;
		p[1] = -7 + scene_number() + scene_number() / 3e7;
		p[2] = scene_number() / 3;
		p[3] = 0.5 + scene_number();
		p[4] = scene_number() - 0.5;
		p[5] = scene_number() - 0.5;
		p[6] = 2 * scene_number();
	}
	clopt_points_init(&points, sizeof points);
	points.n = N;
	points.stride_bytes = sizeof *body;
	points.x = body[0], points.y = body[0] + 1, points.z = body[0] + 2, points.w = body[0] + 3;
	points.vx = body[0] + 4, points.vy = body[0] + 5, points.vz = body[0] + 6;
	clopt_results_init(&results, sizeof results);
	results.stride_bytes = sizeof *out;
	results.x = out[0], results.y = out[0] + 1, results.z = out[0] + 2,
	results.phi = out[0] + 3;
	results.jx = out[0] + 4, results.jy = out[0] + 5, results.jz = out[0] + 6;
	o = (struct clopt_nbody_options)CLOPT_NBODY_OPTIONS_INIT;
	o.g = 1.3;
	o.softening = 0.01;
}

static void teardown(void)
{
	test_close(ctx);
}

static int has_double(void)
{
	return (ctx->device.traits & T_FP64) != 0;
}

/* The next precision that the device has, from 0 on; 0 after the last. */
static int next_precision(int precision)
{
	return precision + 1 > CLOPT_PRECISION_DOUBLE_SINGLE + has_double() ? 0 : precision + 1;
}

static double length(const double *x)
{
	return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

/* Every number within its precision's share of its vector; of the jerk, five times as much. */
static void expect_near(int precision, const char *what)
{
	static const double shares[] = { 0, 1e-4, 1e-4, 1e-11, 1e-13 };
	struct reference r;
	size_t i;
	int c;

	for (i = 0; i < points.n; i++) {
		reference_gravity_doubles(&o, points.n, body[0], body[i], &r);
		for (c = 0; c < REFERENCE_POINT; c++) {
			const double want = c < 3 ? r.field[c] : c == 3 ? r.phi : r.jerk[c - JERK];
			const double size = c < 3  ? length(r.field) :
			                    c == 3 ? fabs(r.phi) :
			                             5 * length(r.jerk);

			ck_assert_msg(fabs(out[i][c] - want) <= shares[precision] * size,
			              "%s: number %d of body %zu is %.17g, right is %.17g", what, c,
			              i, out[i][c], want);
		}
	}
}

static void sum(void)
{
	CHECK_OK(ctx, clopt_gravity(ctx, &points, &points, &results, &o));
}

/* Adjacent floats give clopt_nbody's results. */
START_TEST(floats)
{
	const size_t number = sizeof(float);
	float *x = test_points(N), got[4 * N], want[4 * N];

	o.potential = 1;
	CHECK_OK(ctx, clopt_nbody(ctx, N, x, N, x, want, &o));
	points.type = CLOPT_TYPE_FLOAT;
	points.x = x, points.y = x + 1, points.z = x + 2, points.w = x + 3;
	results.x = got, results.y = got + 1, results.z = got + 2, results.phi = got + 3;
	results.jx = results.jy = results.jz = NULL;
	points.stride_bytes = results.stride_bytes = 4 * number;
	sum();
	ck_assert_mem_eq(want, got, sizeof want);
}
END_TEST

/* Sources and targets are cut, and sums keep their precision. */
START_TEST(cut)
{
	struct clopt_report report = CLOPT_REPORT_INIT;
	struct clopt_problem problem = CLOPT_PROBLEM_INIT;
	struct clopt_plan_info plan = CLOPT_PLAN_INFO_INIT;
	char text[160];

	ctx->mem_limit_bytes = 100000;
	points.n = MOST;
	for (o.precision = 1; o.precision; o.precision = next_precision(o.precision)) {
		const int wide = o.precision >= CLOPT_PRECISION_DOUBLE_SINGLE;

		sum();
		expect_near(o.precision, "cut");
		CHECK_OK(ctx, clopt_last_report(ctx, &report));
		ck_assert_uint_gt(report.bands, 1);
		ck_assert(!wide || report.sum_parts > 1);
		/* The same problem, asked about. */
		problem.op = CLOPT_OP_NBODY;
		problem.dim[0] = problem.dim[1] = MOST;
		problem.outputs = CLOPT_OUTPUTS_JERK;
		problem.precision = o.precision;
		problem.elem_bytes = wide ? 8 : 4;
		CHECK_OK(ctx, clopt_plan(ctx, &problem, &plan));
		ck_assert_str_eq(plan.variant, report.variant);
		ck_assert_uint_eq(plan.up_bytes, report.up_bytes);
		ck_assert_uint_eq(plan.sum_parts, report.sum_parts);
		CHECK_OK(ctx, clopt_problem_class(ctx, &problem, text, sizeof text));
		ck_assert(strstr(text, "jerk") && !strstr(text, "wide") == !wide);
	}
}
END_TEST

/* The jerk is the change of the acceleration in time. */
START_TEST(difference)
{
	const double h = 1e-5;
	double then[N][3];
	size_t i;
	int c, k;

	points.n = 50;
	o.precision = CLOPT_PRECISION_BEST;
	for (k = -1; k <= 1; k += 2) {
		for (i = 0; i < points.n; i++)
			for (c = 0; c < 3; c++)
				body[i][c] += k * h * body[i][JERK + c];
		sum();
		for (i = 0; i < points.n; i++)
			for (c = 0; c < 3; c++) {
				then[i][c] = k < 0 ? out[i][c] : out[i][c] - then[i][c];
				body[i][c] -= k * h * body[i][JERK + c];
			}
	}
	sum();
	for (i = 0; i < points.n; i++)
		for (c = 0; c < 3; c++)
			ck_assert_msg(fabs(then[i][c] / (2 * h) - out[i][JERK + c]) <=
			                      2e-3 * length(out[i] + JERK),
			              "body %zu: %g, the accelerations change by %g", i,
			              out[i][JERK + c], then[i][c] / (2 * h));
}
END_TEST

START_TEST(without_double)
{
	struct clopt_report report = CLOPT_REPORT_INIT;

	ctx->device.traits &= ~(unsigned)T_FP64;
	o.precision = CLOPT_PRECISION_DOUBLE;
	expect_refused(clopt_gravity(ctx, &points, &points, &results, &o), CLOPT_EUNSUPPORTED, ctx,
	               "fp64");
	o.precision = CLOPT_PRECISION_DEFAULT;
	sum();
	expect_near(CLOPT_PRECISION_DOUBLE_SINGLE, "without double");
	CHECK_OK(ctx, clopt_last_report(ctx, &report));
	ck_assert_msg(!strncmp(report.variant, "nbody/exact", 11), "%s ran", report.variant);
}
END_TEST

SUITE(points, long)
{
	tcase_add_checked_fixture(c, setup, teardown);
	tcase_add_test(c, floats);
	tcase_add_test(c, cut);
	tcase_add_test(c, difference);
	tcase_add_test(c, without_double);
}
