/* SPDX-License-Identifier: MIT */
/*
 * physics.c - the arguments of clopt_potential that random/pair.c does not draw.
 */
#include <math.h>
#include <stddef.h>

#include "base/context.h"
#include "physics.h"

static struct clopt *ctx;
static struct scene s;

static void setup(void)
{
	ctx = test_open(NULL);
	scene_open(&s, 60, 40);
}

static void teardown(void)
{
	scene_close(&s);
	test_close(ctx);
}

/* Normals are required where they are used, and only there. */
START_TEST(normals)
{
	const double given = 7;

	s.o.charge = &given;
	s.o.gem_compat = 1;
	scene_check(ctx, &s, "on the surface, as GEM");
	s.o.gem_compat = 0;
	/* On the surface and without salt the potential uses no direction. */
	s.o.normals = NULL;
	scene_check(ctx, &s, "no normals");
	s.o.law = CLOPT_LAW_COULOMB;
	s.o.outputs = CLOPT_OUTPUTS_FIELD_PHI;
	s.o.radius = s.o.eps_out = NAN; /* do not matter */
	scene_check(ctx, &s, "coulomb, no normals");
	s.o.law = CLOPT_LAW_DISTANCE4;
	s.o.eps_in = -1; /* nor does this */
	s.o.normals = NULL;
	scene_check(ctx, &s, "distance4, no normals");
}
END_TEST

START_TEST(precisions)
{
	struct clopt_device_info info = { .size = sizeof info };
	int rc;

	CHECK_OK(ctx, clopt_device_get(ctx, &info));
	s.o.kappa = 0.1;
	s.o.precision = CLOPT_PRECISION_DOUBLE_SINGLE;
	expect_refused(clopt_potential(ctx, s.n, s.sources, s.m, s.targets, s.out, &s.o),
	               CLOPT_EUNSUPPORTED, ctx, "alpb-salt");
	s.o.precision = CLOPT_PRECISION_DOUBLE;
	rc = clopt_potential(ctx, s.n, s.sources, s.m, s.targets, s.out, &s.o);
	if (info.fp64)
		CHECK_OK(ctx, rc);
	else
		expect_refused(rc, CLOPT_EUNSUPPORTED, ctx, "fp64");
	s.o.precision = CLOPT_PRECISION_BEST; /* never refused, for any law */
	CHECK_OK(ctx, clopt_potential(ctx, s.n, s.sources, s.m, s.targets, s.out, &s.o));
}
END_TEST

/* No sources, no potential. */
START_TEST(zero_sizes)
{
	int i;

	for (i = 0; i < SETTINGS; i++) {
		scene_set(&s, &settings[i]);
		s.out[0] = 5;
		CHECK_OK(ctx, clopt_potential(ctx, s.n, s.sources, 0, NULL, NULL, &s.o));
		CHECK_OK(ctx, clopt_potential(ctx, 0, NULL, s.m, s.targets, s.out, &s.o));
		ck_assert_msg(s.out[0] == 0 && s.out[s.m - 1] == 0, "%s", settings[i].name);
	}
}
END_TEST

/* A program of an older header has only the first fields. */
START_TEST(older_header)
{
	float first;

	s.o.law = CLOPT_LAW_DISTANCE4;
	s.o.size = offsetof(struct clopt_potential_options, eps_in);
	CHECK_OK(ctx, clopt_potential(ctx, s.n, s.sources, s.m, s.targets, s.out, &s.o));
	first = s.out[0];
	s.o = (struct clopt_potential_options)CLOPT_POTENTIAL_OPTIONS_INIT;
	s.o.law = CLOPT_LAW_DISTANCE4;
	s.o.scale = KCAL;
	scene_check(ctx, &s, "distance4");
	ck_assert(first == s.out[0]);
}
END_TEST

/* Impossible problems are refused in queries, too, without building a kernel. */
START_TEST(questions)
{
	static const struct {
		int law, outputs;
	} impossible[] = {
		{ CLOPT_LAW_COULOMB, CLOPT_OUTPUTS_PHI_NORMAL },
		{ CLOPT_LAW_ALPB_SALT, CLOPT_OUTPUTS_PHI },
		{ CLOPT_LAW_ALPB_FAR, CLOPT_OUTPUTS_FIELD },
		{ CLOPT_LAW_ALPB_INSIDE, CLOPT_OUTPUTS_FIELD_PHI },
		{ CLOPT_LAW_ALPB_INSIDE_SALT, CLOPT_OUTPUTS_PHI },
	};
	struct clopt_plan_info plan = { .size = sizeof plan };
	char text[4096];
	size_t i;

	for (i = 0; i < sizeof impossible / sizeof *impossible; i++) {
		const struct clopt_problem p = { .size = sizeof p,
			                         .op = CLOPT_OP_POTENTIAL,
			                         .dim = { 100, 100 },
			                         .law = impossible[i].law,
			                         .outputs = impossible[i].outputs };

		expect_refused(clopt_explain(ctx, &p, text, sizeof text), CLOPT_EINVAL, ctx,
		               "normals");
		expect_refused(clopt_plan(ctx, &p, &plan), CLOPT_EINVAL, ctx, "normals");
		expect_refused(clopt_prepare(ctx, &p), CLOPT_EINVAL, ctx, "normals");
		ck_assert_ptr_null(clopt_chosen_variant(ctx, &p));
		ck_assert(!clopt_variant_runs(ctx, 0, &p, text, sizeof text));
	}
	ck_assert_ptr_null(ctx->kernels);
}
END_TEST

SUITE(physics, long)
{
	tcase_add_checked_fixture(c, setup, teardown);
	tcase_add_test(c, questions);
	tcase_add_test(c, normals);
	tcase_add_test(c, precisions);
	tcase_add_test(c, zero_sizes);
	tcase_add_test(c, older_header);
}
