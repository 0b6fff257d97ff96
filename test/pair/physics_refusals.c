/* SPDX-License-Identifier: MIT */
/*
 * physics_refusals.c - meaningless options of clopt_potential and clopt_nbody.
 */
#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "base/context.h"
#include "physics.h"

static struct clopt *ctx;
static struct scene s;

static void refused(const char *word)
{
	expect_refused(clopt_potential(ctx, s.n, s.sources, s.m, s.targets, s.out, &s.o),
	               CLOPT_EINVAL, ctx, word);
	s.o = (struct clopt_potential_options)CLOPT_POTENTIAL_OPTIONS_INIT;
	s.o.law = CLOPT_LAW_ALPB;
	s.o.radius = SCENE_RADIUS;
	s.o.normals = s.normals;
}

static void setup(void)
{
	ctx = test_open(NULL);
	scene_open(&s, 5, 7);
}

static void teardown(void)
{
	scene_close(&s);
	test_close(ctx);
}

#define REFUSED(option, value, word) \
	do { \
		s.o.option = value; \
		refused(word); \
	} while (0)

START_TEST(numbers)
{
	const double nowhere = NAN, endless = INFINITY;

	setup();
	CHECK_OK(ctx, clopt_potential(ctx, s.n, s.sources, s.m, s.targets, s.out, &s.o));
	REFUSED(size, sizeof s.o.size - 1, "clopt_potential_options");
	REFUSED(size, 0, "clopt_potential_options");
	REFUSED(scale, 1e99, "scale is 1e+99");
	REFUSED(scale, NAN, "scale is nan");
	REFUSED(law, CLOPT_LAW_ALPB_SALT, "law is 5");
	REFUSED(law, -1, "law is -1");
	REFUSED(part, 3, "part is 3");
	REFUSED(outputs, 7, "outputs is 7");
	REFUSED(outputs, -2, "outputs is -2");
	REFUSED(precision, 11, "precision is 11");
	REFUSED(eps_in, -1, "eps_in is -1");
	REFUSED(eps_in, 1e-42, "eps_in is 1e-42");
	REFUSED(eps_out, 1e-42, "eps_out is 1e-42");
	REFUSED(eps_in, NAN, "eps_in is nan");
	REFUSED(eps_in, INFINITY, "eps_in is inf");
	REFUSED(eps_out, -80, "eps_out is -80");
	REFUSED(eps_out, NAN, "eps_out is nan");
	REFUSED(kappa, -0.1, "kappa is -0.1");
	REFUSED(kappa, NAN, "kappa is nan");
	REFUSED(kappa, INFINITY, "kappa is inf");
	REFUSED(radius, 0, "radius is 0");
	REFUSED(radius, -3, "radius is -3");
	REFUSED(radius, NAN, "radius is nan");
	REFUSED(ion_radius, -2, "ion_radius is -2");
	REFUSED(ion_radius, NAN, "ion_radius is nan");
	REFUSED(projection, NAN, "projection is nan");
	REFUSED(projection, INFINITY, "projection is inf");
	REFUSED(projection, -SCENE_RADIUS, "projection");
	REFUSED(alpha, NAN, "alpha is nan");
	REFUSED(charge, &nowhere, "charge is nan");
	REFUSED(charge, &endless, "charge is inf");
	/* Each alone is accepted. */
	s.o.scale = 1e30;
	s.o.law = CLOPT_LAW_COULOMB;
	REFUSED(eps_in, 1e-30, "lead to 1e+60");
	teardown();
}
END_TEST

/* Normals are required where they are used, and only there. */
START_TEST(normals)
{
	setup();
	s.o.kappa = 0.1;
	REFUSED(normals, NULL, "normals is NULL");
	s.o.outputs = CLOPT_OUTPUTS_PHI_NORMAL;
	REFUSED(normals, NULL, "normals is NULL");
	s.o.outputs = CLOPT_OUTPUTS_FIELD_PHI;
	REFUSED(normals, NULL, "normals is NULL");
	s.o.law = CLOPT_LAW_COULOMB;
	s.o.outputs = CLOPT_OUTPUTS_PHI_NORMAL;
	REFUSED(normals, NULL, "normals is NULL");
	s.o.projection = -1;
	REFUSED(normals, NULL, "normals is NULL");
	s.o.law = CLOPT_LAW_COULOMB;
	s.o.projection = 1;
	REFUSED(normals, NULL, "normals is NULL");
	/* On the surface and without salt the potential uses no direction. */
	s.o.normals = NULL;
	scene_check(ctx, &s, "no normals");
	s.o.law = CLOPT_LAW_COULOMB;
	s.o.outputs = CLOPT_OUTPUTS_FIELD_PHI;
	s.o.radius = s.o.eps_out = NAN; /* do not matter */
	scene_check(ctx, &s, "coulomb, no normals");
	s.o.eps_in = -1;
	refused("eps_in is -1");
	s.o.law = CLOPT_LAW_DISTANCE4;
	s.o.eps_in = -1; /* nor does this */
	s.o.normals = NULL;
	scene_check(ctx, &s, "distance4, no normals");
	teardown();
}
END_TEST

START_TEST(precisions)
{
	struct clopt_device_info info = { .size = sizeof info };
	int rc;

	setup();
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
	teardown();
}
END_TEST

/* More sources than addresses are refused before their charges are read. */
START_TEST(impossible_sizes)
{
	struct clopt_call *call = NULL;
	const size_t n = SIZE_MAX / 8;

	setup();
	expect_refused(clopt_potential(ctx, n, s.sources, s.m, s.targets, s.out, &s.o),
	               CLOPT_EINVAL, ctx, "sources");
	CHECK_OK(ctx, clopt_potential_start(ctx, n, s.sources, s.m, s.targets, s.out, &s.o, &call));
	expect_refused(clopt_call_wait(call, NULL), CLOPT_EINVAL, ctx, "sources");
	clopt_call_free(call);
	expect_refused(clopt_potential(ctx, s.n, NULL, s.m, s.targets, s.out, &s.o), CLOPT_EINVAL,
	               ctx, "sources is NULL");
	/* No array is read for a result without elements. */
	CHECK_OK(ctx, clopt_potential(ctx, s.n, NULL, 0, s.targets, s.out, &s.o));
	teardown();
}
END_TEST

/* No sources, no potential. */
START_TEST(zero_sizes)
{
	int i;

	setup();
	for (i = 0; i < SETTINGS; i++) {
		scene_set(&s, &settings[i]);
		s.out[0] = 5;
		CHECK_OK(ctx, clopt_potential(ctx, s.n, s.sources, 0, NULL, NULL, &s.o));
		CHECK_OK(ctx, clopt_potential(ctx, 0, NULL, s.m, s.targets, s.out, &s.o));
		ck_assert_msg(s.out[0] == 0 && s.out[s.m - 1] == 0, "%s", settings[i].name);
	}
	teardown();
}
END_TEST

/* A program of an older header has only the first fields. */
START_TEST(older_header)
{
	float first;

	setup();
	s.o.law = CLOPT_LAW_DISTANCE4;
	s.o.size = offsetof(struct clopt_potential_options, eps_in);
	CHECK_OK(ctx, clopt_potential(ctx, s.n, s.sources, s.m, s.targets, s.out, &s.o));
	first = s.out[0];
	s.o = (struct clopt_potential_options)CLOPT_POTENTIAL_OPTIONS_INIT;
	s.o.law = CLOPT_LAW_DISTANCE4;
	s.o.scale = KCAL;
	scene_check(ctx, &s, "distance4");
	ck_assert(first == s.out[0]);
	teardown();
}
END_TEST

START_TEST(nbody)
{
	struct clopt_nbody_options o = CLOPT_NBODY_OPTIONS_INIT;

	setup();
	o.precision = 11;
	expect_refused(clopt_nbody(ctx, s.n, s.sources, s.m, s.targets, s.out, &o), CLOPT_EINVAL,
	               ctx, "precision is 11");
	o.precision = -1;
	expect_refused(clopt_nbody(ctx, s.n, s.sources, s.m, s.targets, s.out, &o), CLOPT_EINVAL,
	               ctx, "precision is -1");
	o.size = sizeof o.size - 1;
	expect_refused(clopt_nbody(ctx, s.n, s.sources, s.m, s.targets, s.out, &o), CLOPT_EINVAL,
	               ctx, "clopt_nbody_options");
	teardown();
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

	setup();
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
	teardown();
}
END_TEST

void physics_refusals(TCase *c)
{
	tcase_add_test(c, questions);
	tcase_add_test(c, numbers);
	tcase_add_test(c, normals);
	tcase_add_test(c, precisions);
	tcase_add_test(c, impossible_sizes);
	tcase_add_test(c, zero_sizes);
	tcase_add_test(c, older_header);
	tcase_add_test(c, nbody);
}
