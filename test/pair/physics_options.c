/* SPDX-License-Identifier: MIT */
/*
 * physics_options.c - the options of clopt_potential in all its settings: parts, outputs,
 * distances, defaults.
 */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

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

/* The parts sum up to the whole, of potential and field. */
START_TEST(parts)
{
	const struct setting *set = &settings[_i];
	float *total, *reaction, *coulomb;
	size_t i;

	if (set->mode != CLOPT_LAW_ALPB)
		return;
	setup();
	scene_set(&s, set);
	s.o.outputs = CLOPT_OUTPUTS_FIELD_PHI;
	total = scene_result(ctx, &s, 4);
	s.o.part = CLOPT_PART_REACTION;
	scene_check(ctx, &s, set->name);
	reaction = scene_result(ctx, &s, 4);
	s.o.part = CLOPT_PART_COULOMB;
	scene_check(ctx, &s, set->name);
	coulomb = scene_result(ctx, &s, 4);
	for (i = 0; i < 4 * s.m; i++)
		total[i] -= reaction[i];
	ck_assert_msg(scene_apart(coulomb, total, 4 * s.m) < 4e-6, "%s: %g", set->name,
	              scene_apart(coulomb, total, 4 * s.m));
	free(total);
	free(reaction);
	free(coulomb);
	teardown();
}
END_TEST

/* All outputs have the same numbers in their layouts. */
START_TEST(outputs)
{
	const struct setting *set = &settings[_i];
	float *phi, *normal, *field;
	size_t i, k;

	setup();
	scene_set(&s, set);
	phi = scene_result(ctx, &s, 1);
	s.o.outputs = CLOPT_OUTPUTS_PHI_NORMAL;
	normal = scene_result(ctx, &s, 2);
	s.o.outputs = CLOPT_OUTPUTS_FIELD_PHI;
	field = scene_result(ctx, &s, 4);
	for (i = 0; i < s.m; i++) {
		double along = 0;

		for (k = 0; k < 3; k++)
			along += (double)field[4 * i + k] * (double)s.normals[4 * i + k];
		s.out[i] = (float)along;
		s.out[s.m + i] = field[4 * i + 3];
	}
	for (i = 0; i < s.m; i++) {
		field[i] = normal[2 * i + 1];
		field[s.m + i] = normal[2 * i];
	}
	ck_assert(scene_apart(field, s.out, s.m) < 1e-5);
	ck_assert(scene_apart(phi, s.out + s.m, s.m) < 4e-6);
	ck_assert(scene_apart(phi, field + s.m, s.m) < 4e-6);
	free(phi);
	free(normal);
	free(field);
	teardown();
}
END_TEST

/* A call with a distance for each target equals a call for each target. */
START_TEST(own_distances)
{
	const struct setting *set = &settings[_i];
	float *all, alone[4];
	size_t i;

	setup();
	scene_set(&s, set);
	s.o.outputs = CLOPT_OUTPUTS_FIELD_PHI;
	for (i = 0; i < s.m; i++)
		s.normals[4 * i + 3] = (float)(i % 5) / 8;
	scene_check(ctx, &s, set->name);
	all = scene_result(ctx, &s, 4);
	for (i = 0; i < s.m; i++) {
		float normal[4];

		memcpy(normal, s.normals + 4 * i, sizeof normal);
		s.o.projection = set->projection + (double)normal[3];
		normal[3] = 0;
		s.o.normals = normal;
		CHECK_OK(ctx,
		         clopt_potential(ctx, s.n, s.sources, 1, s.targets + 4 * i, alone, &s.o));
		ck_assert_msg(scene_apart(all + 4 * i, alone, 4) < 2e-5, "%s, target %zu",
		              set->name, i);
	}
	free(all);
	teardown();
}
END_TEST

/* A given charge is used, otherwise the sum of charges; inside, a charge has the given depth or
 * half the radius. */
START_TEST(defaults)
{
	const struct setting *set = &settings[_i];
	const double given = 7;
	float *without, *with;
	size_t i;

	if (set->mode != CLOPT_LAW_ALPB)
		return;
	setup();
	scene_set(&s, set);
	s.o.depths = NULL;
	without = scene_result(ctx, &s, 1);
	s.o.charge = &s.charge;
	for (i = 0; i < s.n; i++)
		s.depths[i] = SCENE_RADIUS / 2.0f;
	s.o.depths = s.depths;
	with = scene_result(ctx, &s, 1);
	ck_assert_msg(scene_apart(without, with, s.m) < 2e-6, "%s", set->name);
	s.o.charge = &given;
	scene_check(ctx, &s, set->name);
	s.o.gem_compat = 1;
	scene_check(ctx, &s, set->name);
	s.o.projection = 0;
	scene_check(ctx, &s, "on the surface, as GEM");
	free(without);
	free(with);
	teardown();
}
END_TEST

/* Normals are required where they are used, and only there. */
START_TEST(normals)
{
	setup();
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

void physics_options(TCase *c)
{
	test_add_rows(c, parts, 0, SETTINGS);
	test_add_rows(c, outputs, 0, SETTINGS);
	test_add_rows(c, own_distances, 0, SETTINGS);
	test_add_rows(c, defaults, 0, SETTINGS);
	tcase_add_test(c, questions);
	tcase_add_test(c, normals);
	tcase_add_test(c, precisions);
	tcase_add_test(c, zero_sizes);
	tcase_add_test(c, older_header);
}
