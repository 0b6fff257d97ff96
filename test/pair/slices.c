/* SPDX-License-Identifier: MIT */
/*
 * slices.c - sums over pairs in slices (clopt_options.slice_seconds): the expected number of
 * commands, and the same bits.
 */
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "move/move.h"
#include "table/table.h"
#include "suites.h"
#include "wrap.h"

enum {
	SOURCES = 100
};

/* Shorter than any slice, so each slice has one group for each compute unit. */
#define SHORT 1e-9

static struct clopt *open_sliced(double seconds, int profile)
{
	struct clopt_options o = CLOPT_OPTIONS_INIT;

	o.slice_seconds = seconds;
	o.profile = profile;
	return test_open(&o);
}

/* Targets for three slices of a row, the last of which is not full. */
static size_t targets_of(struct clopt *ctx, size_t row)
{
	struct clopt_device_info info = { .size = sizeof info };
	const size_t group = clopt__variant((size_t)row)->out[0];

	CHECK_OK(ctx, clopt_device_get(ctx, &info));
	return group * 2 * info.compute_units + (group < 3 ? 1 : 3);
}

static struct clopt_buffer *buffer_of(struct clopt *ctx, const float *x, size_t n)
{
	struct clopt_buffer *b;

	CHECK_OK(ctx, clopt_buffer_new(ctx, n * sizeof *x, &b));
	CHECK_OK(ctx, clopt_buffer_write(b, 0, n * sizeof *x, x, NULL));
	CHECK_OK(ctx, clopt_finish(ctx));
	return b;
}

/* A row's result on buffers, to be freed, and its number of commands; NULL if it serves no problem
 * here. */
static float *on_buffers(double slice, size_t row, size_t *m, long *commands)
{
	struct clopt_potential_options potential = CLOPT_POTENTIAL_OPTIONS_INIT;
	struct clopt_nbody_options nbody = CLOPT_NBODY_OPTIONS_INIT;
	struct clopt_order order = CLOPT_ORDER_INIT;
	struct clopt *ctx = open_sliced(slice, 0);
	struct clopt_buffer *b, *out;
	struct clopt_event *e;
	float *p, *got = NULL;
	size_t n; /* points, sources first, and targets */

	potential.precision = nbody.precision = test_precision(ctx, row);
	if (nbody.precision < 0)
		goto out;
	*m = targets_of(ctx, row);
	n = *m > SOURCES ? *m : SOURCES;
	p = test_points(n);
	b = buffer_of(ctx, p, 4 * n);
	out = buffer_of(ctx, p, 4 * *m);
	got = test_room(4 * *m * sizeof *got);
	CHECK_OK(ctx, clopt_force_variants(ctx, clopt__variant((size_t)row)->name));
	order.event = &e;
	CHECK_OK(ctx, clopt_buffer_write(out, 0, 0, NULL, &order));
	order.event = NULL;
	order.wait = &e;
	order.nwait = 1;
	wrap_commands();
	if (clopt__variant((size_t)row)->op == CLOPT_OP_POTENTIAL)
		CHECK_OK(ctx,
		         clopt_potential_buffers(ctx, SOURCES, b, *m, b, out, &potential, &order));
	else
		CHECK_OK(ctx, clopt_nbody_buffers(ctx, SOURCES, b, *m, b, out, &nbody, &order));
	*commands = wrap_commands();
	ck_assert_uint_eq(wrap_waits(), 1); /* the last slice, too */
	clopt_event_free(e);
	CHECK_OK(ctx, clopt_buffer_read(out, 0, 4 * *m * sizeof *got, got, NULL));
	CHECK_OK(ctx, clopt_finish(ctx));
	clopt_buffer_free(b);
	clopt_buffer_free(out);
out:
	test_close(ctx);
	return got;
}

/* The first row of each file of potential and nbody; test/walk compares the bits of all rows. */
START_TEST(rows)
{
	const struct variant *v = clopt__variant((size_t)_i);
	float *want, *got;
	long commands, more;
	size_t m;

	if ((v->op != CLOPT_OP_POTENTIAL && v->op != CLOPT_OP_NBODY) || v->host ||
	    test_same_as_before(_i))
		return;
	want = on_buffers(0, (size_t)_i, &m, &commands);
	if (!want)
		return;
	got = on_buffers(SHORT, (size_t)_i, &m, &more);
	ck_assert_ptr_nonnull(got);
	ck_assert_msg(more == commands + 2, "%s: %ld commands, in slices %ld", v->name, commands,
	              more);
	ck_assert_msg(memcmp(want, got, 4 * m * sizeof *got) == 0, "%s: other bits", v->name);
}
END_TEST

/* The kernels since clopt_trace_start, and the seconds of all of them. */
static size_t traced_kernels(const struct clopt *ctx, double *seconds)
{
	size_t i, kernels = 0;

	*seconds = 0;
	for (i = 0; i < ctx->log.traced; i++)
		if (ctx->log.trace[i].kind == COMMAND_KERNEL) {
			kernels++;
			*seconds += ctx->log.trace[i].end - ctx->log.trace[i].start;
		}
	return kernels;
}

/* On arrays: the times of all slices sum up to the kernel's, so that its speed is learnt right, and
 * bands shorter than a slice are not cut. */
START_TEST(times)
{
	static const double seconds[] = { 0, SHORT, 1000 };
	struct clopt_report r = { .size = sizeof r };
	const size_t m = 40000;
	float *p = test_points(m), *out[3];
	size_t i;

	for (i = 0; i < 3; i++) {
		struct clopt *ctx = open_sliced(seconds[i], 1);
		size_t kernels;
		double sum;

		out[i] = test_room(m * sizeof *out[i]);
		CHECK_OK(ctx, clopt_force_variants(ctx, "potential/plain"));
		CHECK_OK(ctx, clopt_potential(ctx, SOURCES, p, 64, p, out[i], NULL)); /* builds */
		CHECK_OK(ctx, clopt_trace_start(ctx));
		CHECK_OK(ctx, clopt_potential(ctx, SOURCES, p, m, p, out[i], NULL));
		CHECK_OK(ctx, clopt_last_report(ctx, &r));
		kernels = traced_kernels(ctx, &sum);
		/* One queue: the sum has each slice once. */
		ck_assert_double_eq_tol(r.kernel_seconds, sum, 1e-6);
		/* A busy machine may have several bands. */
		ck_assert_msg(seconds[i] == SHORT ? kernels > r.bands : kernels == r.bands,
		              "%zu kernels for %zu bands", kernels, r.bands);
		test_close(ctx);
	}
	ck_assert(memcmp(out[0], out[1], m * sizeof *out[0]) == 0);
}
END_TEST

/* Each call of OpenCL in a sum in slices fails once; no event is left. */
START_TEST(failing)
{
	struct clopt *ctx = open_sliced(SHORT, 1);
	struct clopt_device_info info = { .size = sizeof info };
	float *p, *out;
	long n, live, failed = 1;
	size_t m;

	CHECK_OK(ctx, clopt_device_get(ctx, &info));
	CHECK_OK(ctx, clopt_force_variants(ctx, "potential/plain"));
	m = 4 * 64 * info.compute_units;
	p = test_points(m);
	out = test_room(m * sizeof *out);
	CHECK_OK(ctx, clopt_potential(ctx, SOURCES, p, m, p, out, NULL));
	live = wrap_live();
	for (n = 1; failed; n++) {
		wrap_fail(n, CL_OUT_OF_RESOURCES);
		clopt_potential(ctx, SOURCES, p, m, p, out, NULL);
		failed = wrap_failed();
		wrap_fail(0, 0);
		CHECK_OK(ctx, clopt_potential(ctx, SOURCES, p, m, p, out, NULL));
		ck_assert_msg(wrap_live() == live, "after the failure of call %ld: %s", n,
		              wrap_live_text());
	}
	ck_assert_int_gt(n, 5);
	test_close(ctx);
}
END_TEST

/* A driver may report no compute units. */
START_TEST(no_units)
{
	const float at[4] = { 1, 2, 3, 1 };
	struct clopt *ctx;
	float phi = 0;

	wrap_no_units(1);
	ctx = open_sliced(SHORT, 0);
	CHECK_OK(ctx, clopt_potential(ctx, 1, at, 1, (float[4]){ 1, 2, 4, 0 }, &phi, NULL));
	ck_assert(phi > 0);
	test_close(ctx);
	wrap_no_units(0);
}
END_TEST

SUITE(slices, long)
{
	tcase_add_test(c, no_units);
	test_add_rows(c, rows, 0, test_rows());
	tcase_add_test(c, times);
	tcase_add_test(c, failing);
}
