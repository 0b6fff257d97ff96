/* SPDX-License-Identifier: MIT */
/*
 * kept.c - trees that stay on the device: sums over them are those of calls without, also after
 * moves, on buffers and queues, and without room.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "clopt_cl.h"
#include "verify/check.h"
#include "suites.h"
#include "wrap.h"

#define N 3000

static uint64_t drawn;

static float uniform(void)
{
	return (float)((clopt__random(&drawn) + 1) / 2);
}

/* Points in a cube of edge 2, with weights from 0.5 to 1.5, of both signs if mixed. */
static float *cube(size_t n, int mixed)
{
	float *x = test_room(4 * n * sizeof *x);
	size_t i;

	for (i = 0; i < 4 * n; i++)
		x[i] = i % 4 == 3 ? 0.5f + uniform() : 2 * uniform() - 1;
	for (i = 3; mixed && i < 4 * n; i += 8)
		x[i] = -x[i];
	return x;
}

static float *results(size_t n)
{
	float *x = test_room(4 * n * sizeof *x);

	memset(x, 0xff, 4 * n * sizeof *x);
	return x;
}

static struct clopt_tree *tree_of(struct clopt *ctx, const float *x, size_t n)
{
	struct clopt_tree *tree;

	CHECK_OK(ctx, clopt_tree_new(ctx, n, x, &tree));
	return tree;
}

/* A tree over N sources. */
struct kept_tree {
	struct clopt *ctx;
	float *x, *got;
	struct clopt_tree *tree;
};

static struct kept_tree kept_open(int mixed)
{
	struct kept_tree k = { test_open(NULL), cube(N, mixed), results(N), NULL };

	k.tree = tree_of(k.ctx, k.x, N);
	return k;
}

static void kept_close(struct kept_tree *k)
{
	clopt_tree_free(k->tree);
	test_close(k->ctx);
}

static void same(const float *got, const float *want, size_t n, const char *what)
{
	ck_assert_msg(!memcmp(got, want, n * sizeof *got), "%s: not the same results", what);
}

/* The root of the mean square of the errors, beside that of the numbers. */
static double off(const float *got, const float *want, size_t n)
{
	double error = 0, size = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		error += pow((double)got[i] - (double)want[i], 2);
		size += pow((double)want[i], 2);
	}
	return sqrt(error / size);
}

/* Sums of many kinds over one tree, each as a call without it has it. */
START_TEST(kinds)
{
	static const struct {
		const char *name;
		int law, outputs, precision;
		unsigned order;
		size_t targets; /* 0: the sources */
	} list[] = {
		{ "Coulomb", CLOPT_LAW_COULOMB, CLOPT_OUTPUTS_PHI, 0, 3, 1000 },
		{ "Coulomb again", CLOPT_LAW_COULOMB, CLOPT_OUTPUTS_PHI, 0, 3, 1000 },
		{ "fewer targets", CLOPT_LAW_COULOMB, CLOPT_OUTPUTS_PHI, 0, 3, 100 },
		{ "the sources", CLOPT_LAW_COULOMB, CLOPT_OUTPUTS_FIELD_PHI, 0, 3, 0 },
		{ "another order", CLOPT_LAW_COULOMB, CLOPT_OUTPUTS_PHI, 0, 2, 1000 },
		{ "proxies", CLOPT_LAW_DEBYE, CLOPT_OUTPUTS_PHI, 0, 2, 1000 },
		{ "compensated", CLOPT_LAW_DEBYE, CLOPT_OUTPUTS_PHI, CLOPT_PRECISION_COMPENSATED, 2,
		  1000 },
		{ "a surface", CLOPT_LAW_ALPB, CLOPT_OUTPUTS_PHI, 0, 3, 1500 },
		{ "all pairs", CLOPT_LAW_COULOMB, CLOPT_OUTPUTS_PHI, 0, 0, 1500 },
	};
	struct clopt *ctx = test_open(NULL);
	float *x = cube(N, 1), *y = cube(N, 0), *got = results(N), *want = results(N);
	struct clopt_tree *tree = tree_of(ctx, x, N);
	float *normals = test_room(4 * N * sizeof *normals);
	size_t i;

	ck_assert_ptr_nonnull(normals);
	for (i = 0; i < N; i++) {
		y[4 * i] += 4;
		normals[4 * i] = 1;
	}
	for (i = 0; i < sizeof list / sizeof *list; i++) {
		struct clopt_potential_options o = CLOPT_POTENTIAL_OPTIONS_INIT;
		const size_t n = list[i].targets ? list[i].targets : N;
		const int wide = list[i].outputs == CLOPT_OUTPUTS_FIELD_PHI;
		struct clopt_report r;

		o.law = list[i].law;
		o.outputs = list[i].outputs;
		o.precision = list[i].precision;
		o.order = list[i].order;
		o.theta = o.order ? 0.6 : 0;
		o.kappa = 0.2;
		o.radius = 1;
		o.normals = normals;
		CHECK_OK(ctx, clopt_potential(ctx, N, x, n, list[i].targets ? y : x, want, &o));
		CHECK_OK(ctx, clopt_tree_potential(tree, n, list[i].targets ? y : NULL, got, &o));
		r = test_report(ctx);
		ck_assert_uint_eq(r.tree_order, list[i].order);
		ck_assert((r.error_targets > 0) == (o.order > 0));
		if (o.order)
			same(got, want, (wide ? 4 : 1) * n, list[i].name);
		else
			ck_assert(off(got, want, n) < 1e-5);
	}
	clopt_tree_free(tree);
	test_close(ctx);
}
END_TEST

static struct clopt_nbody_options gravity(double theta)
{
	struct clopt_nbody_options o = CLOPT_NBODY_OPTIONS_INIT;

	o.softening = 0.01;
	o.theta = theta;
	o.order = theta > 0 ? 3 : 0;
	return o;
}

/* Bodies that move far, many times: the sums keep their error, and bodies out of order are put in
 * order again, before a target has many more pairs. */
START_TEST(moves)
{
	const struct clopt_nbody_options by_tree = gravity(0.5), direct = gravity(0);
	struct clopt *ctx = test_open(NULL);
	float *x = cube(N, 0), *got = results(N), *want = results(N);
	struct clopt_tree *tree = tree_of(ctx, x, N);
	struct clopt_buffer *b;
	double first = 0;
	size_t step, i;

	CHECK_OK(ctx, clopt_buffer_new(ctx, 4 * N * sizeof *x, &b));
	for (step = 0; step < 40; step++) {
		struct clopt_report r;

		if (step) {
			for (i = 0; i < 4 * N; i++)
				x[i] += i % 4 == 3 ? 0.01f : 0.06f * uniform() - 0.03f;
			if (step % 2) {
				CHECK_OK(ctx, clopt_tree_move(tree, x));
			} else {
				CHECK_OK(ctx, clopt_buffer_write(b, 0, 4 * N * sizeof *x, x, NULL));
				CHECK_OK(ctx, clopt_tree_move_buffers(tree, b, NULL));
			}
		}
		CHECK_OK(ctx, clopt_tree_nbody(tree, N, NULL, got, &by_tree));
		r = test_report(ctx);
		CHECK_OK(ctx, clopt_nbody(ctx, N, x, N, x, want, &direct));
		ck_assert(off(got, want, 4 * N) < 3e-3 && r.error_99 < 0.02);
		if (!step)
			first = r.near_pairs + r.far_pairs;
		ck_assert(r.near_pairs + r.far_pairs < 1.6 * first);
	}
	clopt_buffer_free(b);
	clopt_tree_free(tree);
	test_close(ctx);
}
END_TEST

/* The first move is what shows that the order is kept: its sum is right, but not that of a new
 * tree. */
START_TEST(order_is_kept)
{
	const struct clopt_nbody_options o = gravity(0.5);
	struct clopt *ctx = test_open(NULL);
	float *x = cube(N, 0), *y = cube(N, 0), *got = results(N), *want = results(N);
	struct clopt_tree *tree = tree_of(ctx, x, N), *other = tree_of(ctx, y, N);
	double pairs;

	CHECK_OK(ctx, clopt_tree_nbody(tree, N, NULL, got, &o));
	CHECK_OK(ctx, clopt_tree_move(tree, y));
	CHECK_OK(ctx, clopt_tree_nbody(tree, N, NULL, got, &o));
	pairs = test_report(ctx).near_pairs;
	CHECK_OK(ctx, clopt_tree_nbody(other, N, NULL, want, &o));
	ck_assert(pairs > 1.5 * test_report(ctx).near_pairs);
	ck_assert(off(got, want, 4 * N) < 5e-3);
	/* Much worse, so the next move puts them in order. */
	CHECK_OK(ctx, clopt_tree_move(tree, y));
	CHECK_OK(ctx, clopt_tree_nbody(tree, N, NULL, got, &o));
	same(got, want, 4 * N, "put in order");
	clopt_tree_free(tree);
	clopt_tree_free(other);
	test_close(ctx);
}
END_TEST

/* On buffers: views from any element on, two queues and an event that the caller sets late. */
START_TEST(buffers)
{
	const struct clopt_nbody_options o = gravity(0.5);
	const size_t bytes = 4 * N * sizeof(float);
	struct clopt_potential_options p = CLOPT_POTENTIAL_OPTIONS_INIT;
	struct clopt *ctx = test_open(NULL);
	float *x = cube(N, 0), *y = cube(N, 0), *got = results(N), *want = results(N);
	struct clopt_buffer *at, *out, *odd_at, *odd_out;
	struct clopt_tree *tree;
	struct clopt_queue *queue;
	struct clopt_order first = CLOPT_ORDER_INIT, second = CLOPT_ORDER_INIT;
	struct clopt_event *done;
	struct clopt_report r;

	p.theta = 0.5;
	p.order = 2;
	CHECK_OK(ctx, clopt_buffer_new(ctx, bytes + 4, &at));
	CHECK_OK(ctx, clopt_buffer_new(ctx, bytes + 4, &out));
	CHECK_OK(ctx, clopt_buffer_view(at, 4, bytes, &odd_at));
	CHECK_OK(ctx, clopt_buffer_view(out, 4, bytes, &odd_out));
	CHECK_OK(ctx, clopt_queue_new(ctx, &queue));
	CHECK_OK(ctx, clopt_buffer_write(at, 0, bytes, x, NULL));
	CHECK_OK(ctx, clopt_tree_new_buffers(ctx, N, at, NULL, &tree));
	CHECK_OK(ctx, clopt_tree_nbody_buffers(tree, N, NULL, out, &o, NULL));
	r = test_report(ctx);
	ck_assert_uint_eq(r.tree_order, 3);
	ck_assert_uint_eq(r.error_targets, 0);
	CHECK_OK(ctx, clopt_buffer_read(out, 0, bytes, got, NULL));
	CHECK_OK(ctx, clopt_nbody(ctx, N, x, N, x, want, &o));
	same(got, want, 4 * N, "the sources");
	CHECK_OK(ctx, clopt_buffer_write(odd_at, 0, bytes, y, NULL));
	first.event = &done;
	CHECK_OK(ctx, clopt_tree_potential_buffers(tree, N, odd_at, odd_out, &p, &first));
	second.queue = queue;
	second.nwait = 1;
	second.wait = &done;
	CHECK_OK(ctx, clopt_buffer_read(odd_out, 0, N * sizeof *got, got, &second));
	CHECK_OK(ctx, clopt_potential(ctx, N, x, N, y, want, &p));
	same(got, want, N, "odd views");
	/* The same on the other queue, which has to follow the first. */
	CHECK_OK(ctx, clopt_tree_move_buffers(tree, odd_at, NULL));
	CHECK_OK(ctx, clopt_tree_move(tree, x));
	CHECK_OK(ctx, clopt_tree_potential_buffers(tree, N, odd_at, out, &p, &second));
	CHECK_OK(ctx, clopt_queue_finish(ctx, queue));
	memset(got, 0, N * sizeof *got);
	CHECK_OK(ctx, clopt_buffer_read(out, 0, N * sizeof *got, got, NULL));
	ck_assert(off(got, want, N) < 1e-2);
	/* All pairs. */
	p.order = 0;
	p.theta = 0;
	CHECK_OK(ctx, clopt_tree_potential_buffers(tree, N, odd_at, out, &p, NULL));
	ck_assert_uint_eq(test_report(ctx).tree_order, 0);
	CHECK_OK(ctx, clopt_buffer_read(out, 0, N * sizeof *got, got, NULL));
	ck_assert(off(got, want, N) < 1e-2);
	clopt_event_free(done);
	clopt_queue_free(queue);
	clopt_buffer_free(odd_at);
	clopt_buffer_free(odd_out);
	clopt_buffer_free(at);
	clopt_buffer_free(out);
	clopt_tree_free(tree);
	test_close(ctx);
}
END_TEST

/* A call on buffers takes the theta that a call on arrays had to come down to, or a smaller one if
 * that was in doubt. */
START_TEST(proved)
{
	struct clopt_nbody_options o = gravity(0.95);
	struct kept_tree k = kept_open(0);
	struct clopt_buffer *out;
	double theta;

	o.tolerance = 1e-3;
	CHECK_OK(k.ctx, clopt_buffer_new(k.ctx, 4 * N * sizeof *k.x, &out));
	CHECK_OK(k.ctx, clopt_tree_nbody_buffers(k.tree, N, NULL, out, &o, NULL));
	ck_assert(test_report(k.ctx).tree_theta > 0.9);
	CHECK_OK(k.ctx, clopt_tree_nbody(k.tree, N, NULL, k.got, &o));
	theta = test_report(k.ctx).tree_theta;
	ck_assert(theta < 0.9 && test_report(k.ctx).error_99 <= 1e-3);
	CHECK_OK(k.ctx, clopt_tree_nbody_buffers(k.tree, N, NULL, out, &o, NULL));
	ck_assert(test_report(k.ctx).tree_theta <= theta);
	/* Other sums begin where they did. */
	o.potential = 1;
	CHECK_OK(k.ctx, clopt_tree_nbody_buffers(k.tree, N, NULL, out, &o, NULL));
	ck_assert(test_report(k.ctx).tree_theta > 0.9);
	clopt_buffer_free(out);
	kept_close(&k);
}
END_TEST

/* Calls on buffers, whose error is not measured, allow for one charge of the other sign that is as
 * large as all others. */
START_TEST(one_heavy)
{
	const size_t n = 12000;
	struct clopt_potential_options o = CLOPT_POTENTIAL_OPTIONS_INIT;
	struct clopt *ctx = test_open(NULL);
	float *x = cube(n, 0), *got = results(n), *want = results(n);
	struct clopt_tree *tree = tree_of(ctx, x, n);
	struct clopt_buffer *out;
	double theta;

	o.order = 3;
	o.tolerance = 1e-2;
	CHECK_OK(ctx, clopt_buffer_new(ctx, n * sizeof *x, &out));
	CHECK_OK(ctx, clopt_tree_potential_buffers(tree, n, NULL, out, &o, NULL));
	theta = test_report(ctx).tree_theta;
	x[3] = -(float)n;
	CHECK_OK(ctx, clopt_tree_move(tree, x));
	CHECK_OK(ctx, clopt_tree_potential_buffers(tree, n, NULL, out, &o, NULL));
	ck_assert(test_report(ctx).tree_theta < 0.8 * theta);
	CHECK_OK(ctx, clopt_buffer_read(out, 0, n * sizeof *got, got, NULL));
	o.order = 0;
	o.tolerance = 0;
	CHECK_OK(ctx, clopt_potential(ctx, n, x, n, x, want, &o));
	ck_assert_double_le(off(got, want, n), 1e-2);
	clopt_buffer_free(out);
	clopt_tree_free(tree);
	test_close(ctx);
}
END_TEST

/* Theta goes up as far as the errors allow, and calls on buffers follow. */
START_TEST(wider)
{
	struct clopt_potential_options o = CLOPT_POTENTIAL_OPTIONS_INIT;
	struct kept_tree k = kept_open(1);
	struct clopt_buffer *out;
	double first = 0, theta = 0;
	int i;

	o.tolerance = 1e-2;
	o.order = 3;
	CHECK_OK(k.ctx, clopt_buffer_new(k.ctx, 4 * N * sizeof *k.x, &out));
	for (i = 0; i < 6; i++) {
		CHECK_OK(k.ctx, clopt_tree_potential(k.tree, N, NULL, k.got, &o));
		ck_assert(test_report(k.ctx).error_99 <= o.tolerance);
		theta = test_report(k.ctx).tree_theta;
		first = i ? first : theta;
		CHECK_OK(k.ctx, clopt_tree_potential_buffers(k.tree, N, NULL, out, &o, NULL));
		ck_assert(fabs(test_report(k.ctx).tree_theta - theta) < 1e-12);
	}
	ck_assert(theta > 1.1 * first);
	/* Shown for this law and its numbers only: another begins with a theta of its own, the same
	 * for each kappa. */
	o.law = CLOPT_LAW_DEBYE;
	for (i = 0; i < 2; i++) {
		o.kappa = i ? 0.7 : 0.1;
		CHECK_OK(k.ctx, clopt_tree_potential(k.tree, N, NULL, k.got, &o));
		first = i ? first : test_report(k.ctx).tree_theta;
		ck_assert(test_report(k.ctx).tree_theta < theta / 1.05);
		ck_assert(fabs(test_report(k.ctx).tree_theta - first) < 1e-12);
		CHECK_OK(k.ctx, clopt_tree_potential(k.tree, N, NULL, k.got, &o));
		ck_assert(test_report(k.ctx).tree_theta > 1.05 * first);
	}
	clopt_buffer_free(out);
	kept_close(&k);
}
END_TEST

/* A tolerance that cannot be kept: the next call goes on from the theta that was reached. */
START_TEST(not_kept)
{
	struct clopt_nbody_options o = gravity(0.95);
	struct kept_tree k = kept_open(0);
	double before = 1;
	int i;

	o.tolerance = 1e-9; /* less than float has */
	for (i = 0; i < 2; i++) {
		expect_refused(clopt_tree_nbody(k.tree, N, NULL, k.got, &o), CLOPT_EWRONG, k.ctx,
		               "tolerance");
		ck_assert(test_report(k.ctx).tree_theta < before);
		before = test_report(k.ctx).tree_theta;
	}
	/* Few targets are summed over all sources, whatever was found before. */
	o.theta = 0;
	o.order = 0;
	o.tolerance = 1e-3;
	CHECK_OK(k.ctx, clopt_tree_nbody(k.tree, 10, k.x, k.got, &o));
	ck_assert_uint_eq(test_report(k.ctx).tree_order, 0);
	kept_close(&k);
}
END_TEST

static int stop(void *user, double done)
{
	*(int *)user += done > 0;
	return done > 0;
}

/* A sum over all pairs can be cancelled too. */
START_TEST(cancelled)
{
	const size_t n = 200000;
	const struct clopt_nbody_options o = gravity(0);
	struct clopt_options options = CLOPT_OPTIONS_INIT;
	float *x = cube(n, 0), *got = results(n);
	struct clopt_tree *tree;
	struct clopt *ctx;
	int calls = 0;

	options.progress = stop;
	options.progress_user = &calls;
	ctx = test_open(&options);
	tree = tree_of(ctx, x, 100000);
	ck_assert_int_eq(clopt_tree_nbody(tree, n, x, got, &o), CLOPT_ECANCELED);
	ck_assert_int_eq(calls, 1);
	clopt_tree_free(tree);
	test_close(ctx);
}
END_TEST

/* More targets than go together, and no room for a tree. */
START_TEST(bands)
{
	const size_t many = ((size_t)1 << 20) + 5000, first = many - N;
	struct clopt_potential_options o = CLOPT_POTENTIAL_OPTIONS_INIT;
	struct clopt_options small = CLOPT_OPTIONS_INIT;
	struct clopt *ctx = test_open(NULL);
	float *x = cube(500, 0), *y = cube(many, 0), *got = results(many), *want = results(many);
	struct clopt_tree *tree = tree_of(ctx, x, 500);

	o.order = 2;
	o.theta = 0.6;
	CHECK_OK(ctx, clopt_tree_potential(tree, many, y, got, &o));
	ck_assert_uint_eq(test_report(ctx).tree_order, 2);
	CHECK_OK(ctx, clopt_potential(ctx, 500, x, many, y, want, &o));
	same(got, want, many, "two bands");
	o.order = 0;
	o.theta = 0;
	CHECK_OK(ctx, clopt_potential(ctx, 500, x, N, y + 4 * first, want + first, &o));
	ck_assert(off(got + first, want + first, N) < 3e-3);
	clopt_tree_free(tree);
	test_close(ctx);
	small.mem_limit_bytes = 60000;
	ctx = test_open(&small);
	wrap_peak_bytes();
	tree = tree_of(ctx, x, 500);
	o.order = 2;
	o.theta = 0.6;
	CHECK_OK(ctx, clopt_tree_potential(tree, N, y + 4 * first, got, &o));
	ck_assert_uint_eq(test_report(ctx).tree_order, 0);
	ck_assert(off(got, want + first, N) < 1e-5);
	ck_assert_uint_le(wrap_peak_bytes(), small.mem_limit_bytes);
	clopt_tree_free(tree);
	test_close(ctx);
}
END_TEST

/* Nothing to sum, or to sum for. */
START_TEST(nothing)
{
	const struct clopt_nbody_options o = gravity(0.5);
	struct clopt *ctx = test_open(NULL);
	float x[8] = { 0, 0, 0, 1, 1, 0, 0, 1 }, out[8];
	struct clopt_tree *none = tree_of(ctx, NULL, 0), *two = tree_of(ctx, x, 2);
	int i;

	CHECK_OK(ctx, clopt_tree_nbody(none, 2, x, out, &o));
	for (i = 0; i < 8; i++)
		ck_assert(out[i] == 0);
	CHECK_OK(ctx, clopt_tree_nbody(none, 0, NULL, NULL, &o));
	CHECK_OK(ctx, clopt_tree_nbody(two, 0, NULL, NULL, &o));
	CHECK_OK(ctx, clopt_tree_nbody(two, 2, NULL, out, &o));
	ck_assert(fabsf(out[0] - 1) < 1e-3f && fabsf(out[4] + 1) < 1e-3f);
	CHECK_OK(ctx, clopt_tree_move(none, NULL));
	clopt_tree_free(none);
	clopt_tree_free(two);
	clopt_tree_free(NULL);
	test_close(ctx);
}
END_TEST

SUITE(tree_kept, long)
{
	tcase_add_test(c, kinds);
	tcase_add_test(c, moves);
	tcase_add_test(c, order_is_kept);
	tcase_add_test(c, buffers);
	tcase_add_test(c, proved);
	tcase_add_test(c, one_heavy);
	tcase_add_test(c, wider);
	tcase_add_test(c, not_kept);
	tcase_add_test(c, cancelled);
	tcase_add_test(c, bands);
	tcase_add_test(c, nothing);
}
