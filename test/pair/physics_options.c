/* SPDX-License-Identifier: MIT */
/*
 * physics_options.c - the options of clopt_potential in all its settings: parts, outputs,
 * distances, defaults.
 */
#include <stdlib.h>
#include <string.h>

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

void physics_options(TCase *c)
{
	test_add_rows(c, parts, 0, SETTINGS);
	test_add_rows(c, outputs, 0, SETTINGS);
	test_add_rows(c, own_distances, 0, SETTINGS);
	test_add_rows(c, defaults, 0, SETTINGS);
}
