/* SPDX-License-Identifier: MIT */
/*
 * unlike.c - a context on devices that are not alike: each has kernels of its own, so results are
 * those of one device within rounding; with CLOPT_SHARE_FIXED they repeat themselves, bit for bit.
 *
 * The members are those of CLOPT_DEVICE where it names several that are not alike, of drivers of
 * different makers, say; else two contexts on one device, whose memory limits differ and whose
 * kernels are forced.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "several.h"

#define PLAIN "matmul/plain,transpose/plain,potential/plain,nbody/plain"

static struct clopt *open_unlike(int share)
{
	struct clopt_options o = CLOPT_OPTIONS_INIT;
	struct clopt *ctx, *member[2];

	o.share = share;
	ctx = test_open(&o);
	if (clopt_members(ctx) > 1)
		return ctx;
	member[0] = ctx;
	o.mem_limit_bytes = 100 << 20;
	o.variants = PLAIN;
	member[1] = test_open(&o);
	CHECK_OK(NULL, clopt_join(&ctx, member, 2));
	return ctx;
}

/* Equal within rounding, as a task's kernels may differ. */
static void compare(const double *x, const double *y, double rounding, int task)
{
	size_t i;

	for (i = 0; i < N * N; i++)
		ck_assert_msg(fabs(x[i] - y[i]) <= rounding * (1 + fabs(y[i])),
		              "task %d: %.17g, not %.17g, at %zu", task, x[i], y[i], i);
}

static void compare_floats(const float *x, const float *y, double rounding, int task)
{
	size_t i;

	for (i = 0; i < 4 * N * N; i++)
		ck_assert_msg(
		        fabs((double)x[i] - (double)y[i]) <= rounding * (1 + fabs((double)y[i])),
		        "task %d: %.9g, not %.9g, at %zu", task, (double)x[i], (double)y[i], i);
}

/* One member alone is the reference, so the others' results are compared with another device's. */
START_TEST(within_rounding)
{
	struct clopt_member_share share[MEMBERS];
	struct clopt *ctx = open_unlike(CLOPT_SHARE_EVERY);
	struct clopt *last = clopt_member(ctx, clopt_members(ctx) - 1);
	size_t most = 0, working;
	int i, round;

	fill();
	for (i = 0; i < TASKS; i++)
		for (round = 0; round < 3; round++) {
			const struct task *t = &tasks[i];

			prepare();
			CHECK_OK(last, t->run(last, result(t, 1)));
			CHECK_OK(ctx, t->run(ctx, result(t, 0)));
			compare(got, wanted, t->rounding, i);
			compare_floats(fgot, fwanted, t->rounding, i);
			working = workers(ctx, share);
			most = working > most ? working : most;
		}
	ck_assert_uint_ge(most, 2);
	test_close(ctx);
}
END_TEST

/* ---- Calls long enough to be shared with CLOPT_SHARE_FIXED --------------------------------- */

static float *in, *out;
static size_t columns, sources, bodies;

static int long_product(struct clopt *ctx)
{
	return clopt_matmul(ctx, 512, 512, columns, in, in, out);
}

static int long_potential(struct clopt *ctx)
{
	return clopt_potential(ctx, sources, in, 5000, in, out, NULL);
}

static int long_leapfrog(struct clopt *ctx)
{
	memcpy(out, in, 8 * bodies * sizeof *out);
	return clopt_nbody_leapfrog(ctx, bodies, out, out + 4 * bodies, 0.01f, 2, NULL);
}

START_TEST(repeats)
{
	static int (*const calls[])(struct clopt *) = { long_product, long_potential,
		                                        long_leapfrog };
	struct clopt_device_info info = { .size = sizeof info };
	struct clopt_member_share share[MEMBERS];
	struct clopt *ctx = open_unlike(CLOPT_SHARE_FIXED);
	size_t most;
	float *first;
	size_t i;
	int round;

	CHECK_OK(ctx, clopt_device_get(ctx, &info));
	columns = 100 * (size_t)info.compute_units;
	sources = 4000 * (size_t)info.compute_units;
	bodies = (size_t)(4000 * sqrt(info.compute_units));
	most = columns > 512 ? 512 * columns : 512 * 512;
	most = 4 * sources > most ? 4 * sources : most;
	most = 8 * bodies > most ? 8 * bodies : most;
	in = malloc(most * sizeof *in);
	out = calloc(most, sizeof *out);
	first = malloc(most * sizeof *first);
	ck_assert(in && out && first);
	for (i = 0; i < most; i++)
		in[i] = (float)(i * 7919 % 100003) / 128;
	for (round = 0; round < 4; round++) {
		CHECK_OK(ctx, calls[_i](ctx));
		ck_assert_uint_ge(workers(ctx, share), 2);
		if (round)
			ck_assert(!memcmp(out, first, most * sizeof *out));
		memcpy(first, out, most * sizeof *out);
	}
	free(in);
	free(out);
	free(first);
	test_close(ctx);
}
END_TEST

SUITE(unlike, long)
{
	test_add_rows(c, within_rounding, 0, 1);
	test_add_rows(c, repeats, 0, 3);
}
