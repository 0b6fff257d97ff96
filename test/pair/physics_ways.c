/* SPDX-License-Identifier: MIT */
/*
 * physics_ways.c - normals, precisions, and rows that give another's bits.  walk/walk.c has every
 * row and law.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "physics.h"
#include "base/traits.h"
#include "table/table.h"

/* Normals are required where they are used, and only there. */
START_TEST(normals)
{
	const double given = 7;
	struct clopt *ctx = test_open(NULL);
	struct scene s;

	scene_open(&s, 60, 40);
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
	scene_close(&s);
	test_close(ctx);
}
END_TEST

/* ---- Precisions ------------------------------------------------------------------------ */

static int serves(struct clopt *ctx, const struct setting *set, int outputs, int precision)
{
	struct scene s;
	int rc;

	scene_open(&s, 1, 1);
	scene_set(&s, set);
	s.o.outputs = outputs;
	s.o.precision = precision;
	rc = clopt_potential(ctx, s.n, s.sources, s.m, s.targets, s.out, &s.o);
	ck_assert_msg(rc == CLOPT_OK || rc == CLOPT_ENOVARIANT || rc == CLOPT_EUNSUPPORTED,
	              "%s, precision %d: %s", set->name, precision, clopt_error(ctx));
	scene_close(&s);
	return rc == CLOPT_OK;
}

/* All precisions that the header promises, without a row forced. */
START_TEST(every_precision)
{
	struct clopt_device_info info = { .size = sizeof info };
	struct clopt *ctx = test_open(NULL);
	int i;

	CHECK_OK(ctx, clopt_device_get(ctx, &info));
	for (i = 0; i < SETTINGS; i++) {
		const int radial = settings[i].law == CLOPT_LAW_COULOMB;

		ck_assert(serves(ctx, &settings[i], i % 4, CLOPT_PRECISION_COMPENSATED));
		ck_assert_int_eq(serves(ctx, &settings[i], i % 4, CLOPT_PRECISION_DOUBLE),
		                 (int)info.fp64);
		ck_assert_int_eq(serves(ctx, &settings[i], i % 4, CLOPT_PRECISION_DOUBLE_SINGLE),
		                 radial);
		ck_assert(serves(ctx, &settings[i], i % 4, CLOPT_PRECISION_BEST));
	}
	test_close(ctx);
}
END_TEST

/* The relative rms error over the targets of a long sum. */
static double error_in(struct clopt *ctx, struct scene *s, int precision, const double *want)
{
	double sum = 0;
	size_t i;

	s->o.precision = precision;
	CHECK_OK(ctx, clopt_potential(ctx, s->n, s->sources, s->m, s->targets, s->out, &s->o));
	for (i = 0; i < s->m; i++)
		sum += pow((double)s->out[i] / want[i] - 1, 2);
	return sqrt(sum / (double)s->m);
}

START_TEST(precision)
{
	struct clopt *ctx = test_open(NULL);
	struct clopt_device_info info = { .size = sizeof info };
	double want[16], plain, compensated;
	struct reference r;
	struct scene s;
	size_t i;

	CHECK_OK(ctx, clopt_device_get(ctx, &info));
	scene_open(&s, 200000, 16);
	scene_set(&s, &settings[0]);
	for (i = 0; i < s.n; i++)
		s.sources[4 * i + 3] = fabsf(s.sources[4 * i + 3]);
	for (i = 0; i < s.m; i++) {
		reference_potential(&s.o, s.n, s.sources, s.targets + 4 * i, s.normals + 4 * i, &r);
		want[i] = r.phi;
	}
	plain = error_in(ctx, &s, CLOPT_PRECISION_FLOAT, want);
	compensated = error_in(ctx, &s, CLOPT_PRECISION_COMPENSATED, want);
	/* A single running sum has an error of 7e-6. */
	ck_assert_msg(plain < 2e-6, "%g in float32", plain);
	/* Where many work-items share the sources, no sum is off by more than its last rounding. */
	ck_assert_msg(compensated < fmax(plain, 6e-8), "%g compensated, %g without", compensated,
	              plain);
	ck_assert_msg(compensated < 2e-7, "%g compensated", compensated);
	ck_assert(error_in(ctx, &s, CLOPT_PRECISION_DOUBLE_SINGLE, want) < 6e-8);
	ck_assert(error_in(ctx, &s, CLOPT_PRECISION_BEST, want) < 6e-8);
	if (info.fp64)
		ck_assert(error_in(ctx, &s, CLOPT_PRECISION_DOUBLE, want) < 6e-8);
	scene_close(&s);
	test_close(ctx);
}
END_TEST

/* ---- Rows in place of others ------------------------------------------------------------ */

/* The row that is picked where the groups of another would leave compute units idle. */
static const struct variant *in_its_place(const struct variant *v)
{
	const struct variant *w = v;

	while ((w = clopt__next_variant(w)))
		if (w->op == v->op && !w->busy && !w->few && w->out[0] < v->out[0] &&
		    (w->precisions >> CLOPT_PRECISION_FLOAT & 1) &&
		    !((w->needs | w->likes) & ~(v->needs | v->likes)))
			return w;
	return NULL;
}

static void sum_by(struct clopt *ctx, const struct variant *v, struct scene *s, float *out)
{
	CHECK_OK(ctx, clopt_force_variants(ctx, v->name));
	if (v->op == CLOPT_OP_POTENTIAL)
		CHECK_OK(ctx, clopt_potential(ctx, s->n, s->sources, s->m, s->targets, out, &s->o));
	else
		CHECK_OK(ctx, clopt_nbody(ctx, s->n, s->sources, s->m, s->targets, out, NULL));
}

/* Both rows' results for the scene as it is set. */
static void expect_same(struct clopt *ctx, const struct variant *v, const struct variant *w,
                        struct scene *s, const char *what)
{
	float *one = calloc(4 * s->m, sizeof *one), *other = calloc(4 * s->m, sizeof *other);

	ck_assert(one && other);
	sum_by(ctx, v, s, one);
	sum_by(ctx, w, s, other);
	ck_assert_msg(!memcmp(one, other, 4 * s->m * sizeof *one), "%s and %s differ, %s", v->name,
	              w->name, what);
	free(one);
	free(other);
}

/* Both give the same bits: how many devices share a call decides between them.  By
 * CLOPT_TEST_FULL=1 all laws that the row has are summed, and fields. */
START_TEST(same_bits)
{
	struct clopt_device_info info = { .size = sizeof info };
	const char *text = getenv("CLOPT_TEST_FULL");
	const int full = text && *text == '1';
	const struct variant *v, *w;
	struct clopt *ctx = test_open(NULL);
	struct scene s;
	size_t i, k;

	CHECK_OK(ctx, clopt_device_get(ctx, &info));
	scene_open(&s, 2600, 300); /* a few tiles of sources, the last of them not whole */
	for (i = 0, v = clopt__variant(0); v; v = clopt__next_variant(v), i++) {
		if (!v->busy)
			continue;
		w = in_its_place(v);
		ck_assert_msg(w != NULL, "%s leaves its sizes to no row", v->name);
		if (!clopt_variant_runs(ctx, i, NULL, NULL, 0)) {
			ck_assert_msg(v->needs & T_PTX || v->wg[0] > info.max_group,
			              "%s does not run", v->name);
			continue;
		}
		for (k = 0; k < (v->op == CLOPT_OP_POTENTIAL && full ? 2 * SETTINGS : 1); k++) {
			scene_set(&s, &settings[k / 2]);
			s.o.outputs = k % 2 ? CLOPT_OUTPUTS_FIELD_PHI : CLOPT_OUTPUTS_PHI;
			if (!v->laws || v->laws >> settings[k / 2].law & 1)
				expect_same(ctx, v, w, &s, settings[k / 2].name);
		}
	}
	scene_close(&s);
	test_close(ctx);
}
END_TEST

SUITE(physics_ways, long)
{
	tcase_add_test(c, normals);
	tcase_add_test(c, every_precision);
	tcase_add_test(c, precision);
	tcase_add_test(c, same_bits);
}
