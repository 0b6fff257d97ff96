/* SPDX-License-Identifier: MIT */
/*
 * parts.c - sums over pairs have the same bits whole, in parts where memory cuts the sources, as shares of
 * the targets, and by two devices: each row in each precision and output, with the laws in turn.
 * Unless all is asked for, the rows that are picked here, in one output of each precision.
 */
#include <stdlib.h>
#include <string.h>

#include "../call/several.h"
#include "base/context.h"
#include "physics.h"
#include "table/table.h"

enum {
	OUTPUTS = CLOPT_OUTPUTS_JERK + 1,
	SHARE = 39, /* targets of the first share: no multiple of a vector */
	ALONE = 37 /* one target in so many is at the place of a source: its sum is not finite at first */
};

struct pairs {
	struct clopt_problem problem;
	const struct setting *set;
	struct scene s;
	struct clopt_nbody_options g;
	size_t width; /* floats of a result; 0: eight doubles, by way of struct clopt_points */
};

static struct clopt_points points_of(const float *p, size_t n)
{
	return (struct clopt_points){ .size = sizeof(struct clopt_points),
		                      .n = n,
		                      .type = CLOPT_TYPE_FLOAT,
		                      .stride_bytes = 4 * sizeof *p,
		                      .x = p,
		                      .y = p + 1,
		                      .z = p + 2,
		                      .w = p + 3,
		                      .vx = p + 1,
		                      .vy = p + 2,
		                      .vz = p };
}

/* The sums of some targets, to their place in `out`. */
static int sum(struct clopt *ctx, const struct pairs *p, size_t first, size_t count, double *out)
{
	const struct scene *s = &p->s;
	const float *const targets = s->targets + 4 * first;
	const struct clopt_points from = points_of(s->sources, s->n),
	                          to = points_of(targets, count);
	const int outputs = p->problem.outputs, gravity = p->problem.op == CLOPT_OP_NBODY;
	struct clopt_potential_options o = s->o;
	struct clopt_results r = CLOPT_RESULTS_INIT;
	float *const floats = (float *)out + first * p->width;

	o.normals = o.normals ? o.normals + 4 * first : NULL;
	if (p->width)
		return gravity ? clopt_nbody(ctx, s->n, s->sources, count, targets, floats, &p->g) :
		                 clopt_potential(ctx, s->n, s->sources, count, targets, floats, &o);
	out += 8 * first;
	r.type = CLOPT_TYPE_DOUBLE;
	r.stride_bytes = 8 * sizeof *out;
	if (outputs >= CLOPT_OUTPUTS_FIELD_PHI)
		r.x = out, r.y = out + 1, r.z = out + 2;
	if (outputs != CLOPT_OUTPUTS_FIELD)
		r.phi = out + 3;
	if (outputs == CLOPT_OUTPUTS_PHI_NORMAL)
		r.normal = out + 4;
	if (outputs == CLOPT_OUTPUTS_JERK)
		r.jx = out + 4, r.jy = out + 5, r.jz = out + 6;
	return gravity ? clopt_gravity(ctx, &from, &to, &r, &p->g) :
	                 clopt_potential_points(ctx, &from, &to, &r, &o);
}

/* Sources for three parts, with a last tile that is not whole, and targets for two devices. */
static void open_pairs(struct pairs *p, const struct variant *v)
{
	static const size_t widths[OUTPUTS] = { 1, 2, 4, 4, 0 };
	const struct clopt_problem *q = &p->problem;
	const size_t tile = clopt__larger(clopt__sum_tile(v), 1024);
	struct scene *s = &p->s;
	size_t i, j, k;

	scene_open(s, 2 * tile + 101, 2 * clopt__larger(v->out[0], 64) + 5);
	scene_set(s, p->set);
	/* Two sources that add nothing are the corners of the box of any share. */
	for (k = 0; k < 8; k++)
		s->sources[k] = k % 4 == 3 ? 0 : k < 4 ? -20 : 20;
	for (i = 0; i < s->m; i++) {
		const float along = (float)s->o.projection;

		for (k = 0; k < 3 && (i < 6 || i % ALONE == 0); k++) {
			j = 2 + 7 * i % (s->n - 2);
			s->sources[4 * j + k] =
			        s->targets[4 * i + k] + along * s->normals[4 * i + k];
			s->depths[j] = along < 0 ? -along : 0;
		}
		s->targets[4 * i + 3] = (float)(i % 3) / 4; /* own softening */
	}
	s->o.outputs = q->outputs;
	s->o.precision = p->g.precision = q->precision;
	s->o.charge = &s->charge;
	if (q->outputs != CLOPT_OUTPUTS_PHI_NORMAL && p->set->mode != CLOPT_LAW_ALPB)
		s->o.normals = NULL;
	p->g.size = sizeof p->g;
	p->g.softening = q->precision % 2 ? 0 : 0.05;
	p->g.potential = q->outputs != CLOPT_OUTPUTS_FIELD;
	p->g.target_softening = q->law == CLOPT_LAW_GRAVITY_OWN;
	p->width = q->elem_bytes == 8 ? 0 : widths[q->outputs];
}

static void expect_same(const struct pairs *p, const double *whole, const double *again,
                        const char *row, const char *way)
{
	const struct clopt_problem *q = &p->problem;

	ck_assert_msg(!memcmp(whole, again, 8 * p->s.m * sizeof *whole),
	              "%s %s: other bits; law %d, precision %d, outputs %d, elements of %zu bytes",
	              row, way, q->law, q->precision, q->outputs, q->elem_bytes);
}

/* A context on one device or two where this row is forced. */
static struct clopt *forced(const char *row, size_t devices, size_t limit)
{
	struct clopt_options o = CLOPT_OPTIONS_INIT;
	struct clopt *ctx;

	o.mem_limit_bytes = limit;
	o.transfer = limit ? CLOPT_TRANSFER_DRIVER : 0; /* nothing in place */
	ctx = devices > 1 ? joined(devices, &o) : test_open(&o);
	CHECK_OK(ctx, clopt_force_variants(ctx, row));
	return ctx;
}

/* The problem in all ways, whole by ctx. */
static void all_ways(struct clopt *ctx, struct pairs *p, const struct variant *v)
{
	struct clopt_report r = CLOPT_REPORT_INIT;
	struct clopt_member_share share[MEMBERS];
	struct clopt *other;
	double *whole, *again;
	size_t m, sources, results;

	open_pairs(p, v);
	m = p->s.m;
	whole = calloc(8 * m, sizeof *whole);
	again = calloc(8 * m, sizeof *again);
	ck_assert(whole && again);
	CHECK_OK(ctx, clopt_force_variants(ctx, v->name));
	CHECK_OK(ctx, sum(ctx, p, 0, m, whole));
	CHECK_OK(ctx, clopt_last_report(ctx, &r));
	ck_assert_str_eq(r.variant, v->name);
	CHECK_OK(ctx, sum(ctx, p, 0, SHARE, again));
	CHECK_OK(ctx, sum(ctx, p, SHARE, m - SHARE, again));
	expect_same(p, whole, again, v->name, "as shares");

	memset(again, 0, 8 * m * sizeof *again);
	sources = p->s.n * (p->problem.outputs == CLOPT_OUTPUTS_JERK ? 8 : 4) *
	          (p->problem.elem_bytes ? p->problem.elem_bytes : sizeof(float));
	results = m * (clopt__part_bytes(v, sizeof(float)) + 128);
	other = forced(v->name, 1, sources / 2 + clopt__smaller(results, sources / 4) + 8192);
	CHECK_OK(other, sum(other, p, 0, m, again));
	CHECK_OK(other, clopt_last_report(other, &r));
	ck_assert_msg(r.sum_parts > 1, "%s: %zu parts", v->name, r.sum_parts);
	expect_same(p, whole, again, v->name, "in parts");
	clopt_close(other);

	memset(again, 0, 8 * m * sizeof *again);
	other = forced(v->name, 2, 0);
	CHECK_OK(other, sum(other, p, 0, m, again));
	workers(other, share); /* both were asked */
	expect_same(p, whole, again, v->name, "by two devices");
	clopt_close(other);
	free(whole);
	free(again);
	scene_close(&p->s);
}

/* The row for the problem: this one, or, if there is none, the one that is picked; NULL: none is. */
static const struct variant *row_for(struct clopt *ctx, int row, struct pairs *s, int law)
{
	struct clopt_plan_info plan = CLOPT_PLAN_INFO_INIT;
	struct clopt_problem *p = &s->problem;
	const struct variant *v;

	s->set = &settings[p->op == CLOPT_OP_NBODY ? 0 : law];
	p->law = p->op == CLOPT_OP_NBODY ? CLOPT_LAW_GRAVITY + law % 2 : s->set->law;
	p->depths = s->set->depths;
	if (row >= 0)
		return clopt_variant_runs(ctx, (size_t)row, p, NULL, 0) ?
		               clopt__variant((size_t)row) :
		               NULL;
	CHECK_OK(ctx, clopt_force_variants(ctx, NULL));
	if (clopt_plan(ctx, p, &plan) != CLOPT_OK)
		return NULL;
	for (v = clopt__variant(0); strcmp(v->name, plan.variant); v = clopt__next_variant(v))
		;
	return v;
}

static void walk(struct clopt *ctx, int row, int op)
{
	int precision, i, j, law, cases, all = 0;

	for (precision = CLOPT_PRECISION_FLOAT; precision <= CLOPT_PRECISION_DOUBLE; precision++)
		for (cases = i = 0; i < OUTPUTS; i++) {
			struct pairs s = { .problem = { .size = sizeof s.problem,
				                        .op = op,
				                        .dim = { 1000, 1000, 0 },
				                        .precision = precision,
				                        .normals = op == CLOPT_OP_POTENTIAL } };
			const struct variant *v = NULL;

			s.problem.outputs = (CLOPT_OUTPUTS_FIELD_PHI + row + 1 + i) % OUTPUTS;
			if (op == CLOPT_OP_NBODY && s.problem.outputs < CLOPT_OUTPUTS_FIELD_PHI)
				continue; /* 0 stands for the usual ones */
			s.problem.elem_bytes =
			        precision > CLOPT_PRECISION_COMPENSATED && (row + i) % 2 ? 8 : 4;
			if (s.problem.outputs == CLOPT_OUTPUTS_JERK)
				s.problem.elem_bytes =
				        precision > CLOPT_PRECISION_COMPENSATED ? 8 : 4;
			for (j = 0; j < SETTINGS && !v; j++) {
				law = (row + 2 + precision + s.problem.outputs + j) % SETTINGS;
				v = row_for(ctx, row, &s, law);
			}
			if (!v || (row < 0 && cases))
				continue;
			all_ways(ctx, &s, v);
			cases++;
			all++;
		}
	ck_assert_int_gt(all, 0);
}

START_TEST(rows)
{
	const struct variant *v = clopt__variant((size_t)_i);
	struct clopt *ctx;

	if ((v->op != CLOPT_OP_POTENTIAL && v->op != CLOPT_OP_NBODY) ||
	    !clopt__part_bytes(v, sizeof(float)) || !(ctx = test_open_row(_i, NULL)))
		return;
	walk(ctx, _i, (int)v->op);
	test_close(ctx);
}
END_TEST

START_TEST(picked)
{
	struct clopt *ctx = test_open(NULL);

	walk(ctx, -1, _i ? CLOPT_OP_NBODY : CLOPT_OP_POTENTIAL);
	test_close(ctx);
}
END_TEST

SUITE(parts, walk)
{
	if (test_all())
		test_add_rows(c, rows, 0, test_rows());
	else
		tcase_add_loop_test(c, picked, 0, 2);
}
