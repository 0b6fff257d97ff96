/* SPDX-License-Identifier: MIT */
/*
 * physics_rows.c - every law in every row of the table, on sizes that are no multiples,
 * against the reference.
 *
 * Each law, output and precision of a row is a kernel of its own.  Each row builds some
 * laws, with one kernel each, and begins at another law than the row before; with
 * CLOPT_TEST_FULL=1 it builds them all, which takes minutes on PoCL.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "physics.h"
#include "base/traits.h"
#include "table/table.h"

static const size_t targets[] = { 1, 5, 63, 257, 300 }, sources[] = { 1, 7, 65, 300 };
enum {
	AXIS_TARGETS = 6, /* see struct scene */
	OUTPUTS = CLOPT_OUTPUTS_FIELD + 1,
	PRECISIONS = CLOPT_PRECISION_BEST - CLOPT_PRECISION_FLOAT,
	LAWS_OF_ROW = 2
};

static int all(void)
{
	const char *text = getenv("CLOPT_TEST_FULL");

	return text && *text == '1';
}

/* Makes normals, except those on the axes, of other lengths than 1. */
static void stretch(struct scene *s)
{
	size_t i, k;

	for (i = AXIS_TARGETS; i < s->m; i++)
		for (k = 0; k < 3; k++)
			s->normals[4 * i + k] *= 0.75f + (float)(i % 4) / 8;
}

/* Puts charges at targets, and one on another. */
static void coincide(struct scene *s)
{
	const double p = s->o.projection;
	size_t i, k;

	for (i = 0; i < AXIS_TARGETS && i < s->m && i < s->n; i++) {
		for (k = 0; k < 3; k++)
			s->sources[4 * i + k] =
			        s->targets[4 * i + k] + (float)p * s->normals[4 * i + k];
		s->depths[i] = p < 0 ? (float)-p : 0;
	}
	if (s->n > AXIS_TARGETS)
		memcpy(s->sources + 4 * AXIS_TARGETS, s->sources, 3 * sizeof *s->sources);
}

/* One NaN among the sources makes all targets NaN. */
static void expect_nan(struct clopt *ctx, struct scene *s, const char *what)
{
	static const size_t widths[OUTPUTS] = { 1, 2, 4, 4 };
	float *bad = &s->sources[4 * (s->n - 1) + s->n % 4];
	const float good = *bad;
	size_t i;

	*bad = NAN;
	CHECK_OK(ctx, clopt_potential(ctx, s->n, s->sources, s->m, s->targets, s->out, &s->o));
	for (i = 0; i < s->m * widths[s->o.outputs]; i++)
		ck_assert_msg(
		        isnan(s->out[i]) || (s->o.outputs == CLOPT_OUTPUTS_FIELD && i % 4 == 3),
		        "%s, %zu sources: number %zu is %g", what, s->n, i, (double)s->out[i]);
	*bad = good;
}

/* Checks the law on all sizes. */
static void run(struct clopt *ctx, const struct setting *set, int outputs, int precision,
                const char *row)
{
	struct clopt_report report = { .size = sizeof report };
	struct scene s;
	char what[100];
	size_t i, j;

	snprintf(what, sizeof what, "%s: %s, outputs %d, precision %d", row, set->name, outputs,
	         precision);
	for (i = 0; i < sizeof targets / sizeof *targets; i++)
		for (j = 0; j < sizeof sources / sizeof *sources; j++) {
			scene_open(&s, sources[j], targets[i]);
			scene_set(&s, set);
			stretch(&s);
			s.o.outputs = outputs;
			s.o.precision = precision;
			if (outputs != CLOPT_OUTPUTS_PHI_NORMAL && set->mode != CLOPT_LAW_ALPB)
				s.o.normals = NULL;
			scene_check(ctx, &s, what);
			CHECK_OK(ctx, clopt_last_report(ctx, &report));
			ck_assert_msg(!strcmp(report.variant, row), "%s: %s ran", what,
			              report.variant);
			expect_nan(ctx, &s, what);
			coincide(&s);
			scene_check(ctx, &s, what);
			scene_close(&s);
		}
}

/* Whether the call can be served; `row', unless negative, must agree. */
static int has(struct clopt *ctx, int row, const struct setting *set, int outputs, int precision)
{
	const struct clopt_problem problem = { .size = sizeof problem,
		                               .op = CLOPT_OP_POTENTIAL,
		                               .dim = { 1, 1, 0 },
		                               .law = set->law,
		                               .outputs = outputs,
		                               .precision = precision,
		                               .normals = 1,
		                               .depths = set->depths };
	struct scene s;
	int rc;

	scene_open(&s, 1, 1);
	scene_set(&s, set);
	s.o.outputs = outputs;
	s.o.precision = precision;
	rc = clopt_potential(ctx, s.n, s.sources, s.m, s.targets, s.out, &s.o);
	ck_assert_msg(rc == CLOPT_OK || rc == CLOPT_ENOVARIANT || rc == CLOPT_EUNSUPPORTED,
	              "%s, precision %d: %s", set->name, precision, clopt_error(ctx));
	if (row >= 0)
		ck_assert_msg(
		        clopt_variant_runs(ctx, (size_t)row, &problem, NULL, 0) == (rc == CLOPT_OK),
		        "%s, %s, outputs %d, precision %d: %s", clopt_variant_name((size_t)row),
		        set->name, outputs, precision, clopt_error(ctx));
	scene_close(&s);
	return rc == CLOPT_OK;
}

/* The first precision of the row, from `start' on; -1 if it has none. */
static int precision_of(struct clopt *ctx, int row, const struct setting *set, int outputs,
                        int start)
{
	int i;

	for (i = 0; i < PRECISIONS; i++)
		if (has(ctx, row, set, outputs, CLOPT_PRECISION_FLOAT + (start + i) % PRECISIONS))
			return CLOPT_PRECISION_FLOAT + (start + i) % PRECISIONS;
	return -1;
}

/* Checks one kernel of the law, or all; returns how many. */
static int run_law(struct clopt *ctx, int row, int law)
{
	const struct setting *set = &settings[law];
	const char *name = clopt_variant_name((size_t)row);
	int outputs, precision, i, n = 0;

	for (i = 0; i < OUTPUTS && (all() || !n); i++) {
		outputs = (row + law + i) % OUTPUTS;
		precision = precision_of(ctx, row, set, outputs, (row + law / 2) % PRECISIONS);
		for (; precision >= 0 && !all(); precision = -1, n++)
			run(ctx, set, outputs, precision, name);
		for (precision = CLOPT_PRECISION_FLOAT; precision < CLOPT_PRECISION_BEST && all();
		     precision++)
			if (has(ctx, row, set, outputs, precision)) {
				run(ctx, set, outputs, precision, name);
				n++;
			}
	}
	return n;
}

START_TEST(potential_row)
{
	const char *name = clopt_variant_name((size_t)_i);
	struct clopt *ctx;
	int i, n = 0;

	if (clopt_variant_op((size_t)_i) != CLOPT_OP_POTENTIAL)
		return;
	ctx = test_open(NULL);
	if (clopt_variant_runs(ctx, (size_t)_i, NULL, NULL, 0)) {
		CHECK_OK(ctx, clopt_force_variants(ctx, name));
		for (i = 0; i < SETTINGS && (all() || n < LAWS_OF_ROW); i++)
			n += run_law(ctx, _i, (LAWS_OF_ROW * _i + i) % SETTINGS);
		ck_assert_msg(n > 0, "no law in %s", name);
	}
	test_close(ctx);
}
END_TEST

/* All precisions that the header promises, without a row forced. */
START_TEST(every_precision)
{
	struct clopt_device_info info = { .size = sizeof info };
	struct clopt *ctx = test_open(NULL);
	int i;

	CHECK_OK(ctx, clopt_device_get(ctx, &info));
	for (i = 0; i < SETTINGS; i++) {
		const int radial = settings[i].law == CLOPT_LAW_COULOMB;

		ck_assert(has(ctx, -1, &settings[i], i % OUTPUTS, CLOPT_PRECISION_COMPENSATED));
		ck_assert_int_eq(has(ctx, -1, &settings[i], i % OUTPUTS, CLOPT_PRECISION_DOUBLE),
		                 (int)info.fp64);
		ck_assert_int_eq(
		        has(ctx, -1, &settings[i], i % OUTPUTS, CLOPT_PRECISION_DOUBLE_SINGLE),
		        radial);
		ck_assert(has(ctx, -1, &settings[i], i % OUTPUTS, CLOPT_PRECISION_BEST));
	}
	test_close(ctx);
}
END_TEST

static void expect_gravity(struct clopt *ctx, struct scene *s, const struct clopt_nbody_options *o,
                           const char *row)
{
	struct reference r;
	double want[4], off[4];
	size_t i, k;

	CHECK_OK(ctx, clopt_nbody(ctx, s->n, s->sources, s->m, s->targets, s->out, o));
	for (i = 0; i < s->m; i++) {
		reference_gravity(o, s->n, s->sources, s->targets + 4 * i, &r);
		reference_outputs(&r, o->potential ? CLOPT_OUTPUTS_FIELD_PHI : CLOPT_OUTPUTS_FIELD,
		                  o->precision, s->n, want, off);
		for (k = 0; k < 4; k++)
			ck_assert_msg(fabs((double)s->out[4 * i + k] - want[k]) <= off[k],
			              "%s, precision %d, own %d, phi %d, %zu bodies, target %zu of "
			              "%zu, %zu: %.9g "
			              "instead of %.9g +- %.1e",
			              row, o->precision, o->target_softening, o->potential, s->n, i,
			              s->m, k, (double)s->out[4 * i + k], want[k], off[k]);
	}
}

/* Whether the row serves o->precision. */
static int has_gravity(struct clopt *ctx, int row, const struct clopt_nbody_options *o)
{
	const struct clopt_problem problem = {
		.size = sizeof problem,
		.op = CLOPT_OP_NBODY,
		.dim = { 1, 1, 0 },
		.law = o->target_softening ? CLOPT_LAW_GRAVITY_OWN : CLOPT_LAW_GRAVITY,
		.outputs = o->potential ? CLOPT_OUTPUTS_FIELD_PHI : CLOPT_OUTPUTS_FIELD,
		.precision = o->precision,
	};

	return clopt_variant_runs(ctx, (size_t)row, &problem, NULL, 0);
}

static void run_gravity(struct clopt *ctx, const char *row, const struct clopt_nbody_options *o)
{
	struct scene s;
	size_t i, j, k;

	for (i = 0; i < sizeof targets / sizeof *targets; i++)
		for (j = 0; j < sizeof sources / sizeof *sources; j++) {
			scene_open(&s, sources[j], targets[i]);
			coincide(&s);
			for (k = 0; k < s.m && o->target_softening; k++)
				s.targets[4 * k + 3] = (float)(k % 3) / 4;
			expect_gravity(ctx, &s, o, row);
			scene_close(&s);
		}
}

/* Softening lengths of targets, and a potential only where it is asked for. */
START_TEST(nbody_row)
{
	const char *name = clopt_variant_name((size_t)_i);
	struct clopt_nbody_options o = CLOPT_NBODY_OPTIONS_INIT;
	struct clopt *ctx;
	int precision, k, n = 0;

	if (clopt_variant_op((size_t)_i) != CLOPT_OP_NBODY)
		return;
	ctx = test_open(NULL);
	CHECK_OK(ctx, clopt_force_variants(ctx, name));
	o.g = 6.5;
	for (precision = CLOPT_PRECISION_FLOAT; precision < CLOPT_PRECISION_BEST; precision++)
		for (k = 0; k < 4; k++) {
			o.potential = k > 1;
			o.target_softening = k % 2;
			o.softening = k ? 0.05 : 0;
			o.precision = precision;
			if (!has_gravity(ctx, _i, &o))
				continue;
			run_gravity(ctx, name, &o);
			n++;
		}
	ck_assert_msg(n > 0 || !clopt_variant_runs(ctx, (size_t)_i, NULL, NULL, 0), "%s", name);
	test_close(ctx);
}
END_TEST

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

/* Both give the same bits: how many devices share a call decides between them.  By CLOPT_TEST_FULL=1 all laws
 * that the row has are summed, and fields. */
START_TEST(same_bits)
{
	struct clopt_device_info info = { .size = sizeof info };
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
		for (k = 0; k < (v->op == CLOPT_OP_POTENTIAL && all() ? 2 * SETTINGS : 1); k++) {
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

void physics_rows(TCase *c)
{
	test_add_rows(c, potential_row, 0, test_rows());
	test_add_rows(c, nbody_row, 0, test_rows());
	tcase_add_test(c, every_precision);
	tcase_add_test(c, same_bits);
}
