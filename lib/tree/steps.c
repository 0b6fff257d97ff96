/* SPDX-License-Identifier: MIT */
/*
 * steps.c - gravity of moving bodies within a tolerance: each evaluation builds a new tree.  It
 * computes the potential too where the caller wants the energy.  The error of some evaluations is
 * measured, which takes as long as a few evaluations.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tree.h"

/* Every LOOK-th evaluation and the last are measured. */
#define LOOK 32

/* Forces alone; forces and potential. */
enum {
	FORCES,
	POTENTIAL,
	KINDS
};

struct tree_steps {
	struct gravity gravity;
	struct tree tree; /* its part `sum` is one of these */
	struct part part[KINDS];
	struct array targets, rates; /* of the bodies of this process */
	struct tree_sum sum;
	struct job job[KINDS]; /* their operands are on the device */
	size_t evaluations;
};

/* Each process of a group sums for its share of the bodies. */
static size_t targets_of(const struct evolution *e)
{
	return e->group.exchange ? e->group.count : e->n;
}

/* The sum over pairs that gives the gravity of all bodies on some of them. */
static void describe(const struct stepper *s, size_t targets, int kind, struct job *job)
{
	const struct part *force = s->force.row ? &s->force : &s->phi;
	unsigned i;

	*job = (struct job){ .problem = force->problem, .tree = s->e.tree };
	job->problem.dim[1] = targets;
	job->problem.outputs = kind == POTENTIAL ? CLOPT_OUTPUTS_FIELD_PHI : CLOPT_OUTPUTS_FIELD;
	memcpy(job->real, force->real, sizeof force->real);
	for (i = 0; i < 5; i++) {
		job->operand[i] = clopt__host_operand(NULL, 4, i == 4 ? OPERAND_OUT : OPERAND_IN);
		clopt__problem_operand(&job->problem, i, &job->operand[i]);
	}
}

static int open_steps(struct clopt *ctx, const struct stepper *s, struct tree_steps *t)
{
	static const struct array none;
	const size_t n = s->e.n, targets = targets_of(&s->e), first = s->e.group.first;
	const struct array *const array[] = { &s->state, &none,
		                              targets < n ? &t->targets : &s->state, &none,
		                              &t->rates };
	const size_t bytes = s->points * s->e.n * s->point_bytes;
	char *bodies = NULL;
	int kind, rc = CLOPT_OK;

	t->sum.lane = &s->lane;
	t->sum.tree = &t->tree;
	t->sum.band = targets < n ? clopt__smaller(targets, TREE_BAND) : n;
	memcpy(t->sum.array, array, sizeof array);
	t->targets = clopt__array_from(&s->state, first);
	t->rates = clopt__array_from(&s->rates, first);
	TRY(clopt__lane_fetch(ctx, &s->lane, &s->state, n, s->point_bytes, &bodies));
	/* For the bodies of all processes, so that each chooses the same tree. */
	describe(s, n, FORCES, &t->job[0]);
	t->sum.how = clopt__tree_how(
	        ctx, &t->job[0],
	        clopt__tree_mixed(clopt__point_precision(&t->job[0].problem), bodies, n));
	for (kind = 0; kind < KINDS && t->sum.how.order; kind++) {
		if (kind == POTENTIAL && !s->phi.row)
			continue;
		describe(s, targets, kind, &t->job[kind]);
		TRY(clopt__tree_open(ctx, &t->job[kind].problem, t->sum.how.order, targets < n,
		                     bytes, &t->tree));
		t->part[kind] = t->tree.sum;
	}
out:
	free(bodies);
	return rc;
}

/* Measure the error of this evaluation.  The report keeps the largest. */
static int look(struct clopt *ctx, struct tree_steps *t)
{
	struct clopt_report *const r = &ctx->report, before = *r;
	int rc;

	r->tree_seconds = 0;
	rc = clopt__tree_run(ctx, &t->sum);
	r->error_median = fmax(r->error_median, before.error_median);
	r->error_99 = fmax(r->error_99, before.error_99);
	return rc;
}

static int evaluate(struct clopt *ctx, struct stepper *s, struct tree_steps *t,
                    const struct part *part)
{
	const int kind = part == &s->phi ? POTENTIAL : FORCES;
	const size_t evaluation = t->evaluations++;
	int rc = CLOPT_OK;

	t->tree.sorted = t->tree.built = 0;
	t->tree.sum = t->part[kind];
	t->gravity.row = t->tree.sum.row;
	t->sum.job = &t->job[kind];
	if (evaluation % LOOK == 0 || evaluation == s->e.steps)
		return look(ctx, t);
	if (t->tree.own_targets)
		return clopt__tree_once(ctx, &t->sum);
	TRY(clopt__tree_build(ctx, &s->lane, &t->tree, &s->state));
	TRY(clopt__tree_sum(ctx, &s->lane, &t->tree, t->sum.job->real, t->sum.how.theta,
	                    t->sum.array, 0, s->e.n, 0));
out:
	return rc;
}

static int tree_rates(struct clopt *ctx, struct stepper *s, struct gravity *g,
                      const struct part *part)
{
	int rc = CLOPT_OK;

	if (g->row) {
		rc = evaluate(ctx, s, (struct tree_steps *)g, part);
		if (rc != CLOPT_ENOMEM)
			return rc;
		/* From here on all pairs are summed. */
		TRY(clopt__lane_settle(ctx, &s->lane, CLOPT_OK));
		clopt__tree_close(&((struct tree_steps *)g)->tree);
		g->row = NULL;
		clopt__tree_forget(ctx);
	}
	TRY(clopt__lane_launch(ctx, &s->lane, part, 0));
out:
	return rc;
}

static void close_steps(struct clopt *ctx, struct stepper *s, struct gravity *g, int rc)
{
	(void)ctx;
	(void)rc;
	clopt__tree_close(&((struct tree_steps *)g)->tree);
	free(g);
	s->gravity = NULL;
}

int clopt__tree_gravity(struct clopt *ctx, struct stepper *s)
{
	struct tree_steps *t;
	int rc;

	if ((!(s->e.tree.tolerance > 0) && !s->e.tree.order) || !targets_of(&s->e) ||
	    s->e.integrator->outputs & JERK)
		return CLOPT_OK;
	t = calloc(1, sizeof *t);
	if (!t)
		return clopt__fail(ctx, CLOPT_ENOMEM, "no memory for a tree");
	rc = open_steps(ctx, s, t);
	/* Sums over all pairs need less memory. */
	if (rc == CLOPT_ENOMEM)
		clopt__tree_left(ctx);
	if (rc != CLOPT_OK || !t->sum.how.order) {
		close_steps(ctx, s, &t->gravity, rc);
		return rc == CLOPT_ENOMEM ? CLOPT_OK : rc;
	}
	t->gravity = (struct gravity){ tree_rates, close_steps, t->tree.sum.row, 0 };
	s->gravity = &t->gravity;
	return CLOPT_OK;
}
