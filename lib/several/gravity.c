/* SPDX-License-Identifier: MIT */
/*
 * gravity.c - one evaluation of the forces on moving bodies by all devices of a context.  The first
 * device holds the bodies.  For each evaluation they are copied to the others through the host;
 * each device computes the rates of some bodies, and the rates are copied to the first.  A body
 * takes 16 to 64 bytes and the work grows with the square of their number, so this pays from some
 * 10^4 bodies.  Cuts lie at whole groups of targets, so results do not depend on the partition.  In
 * a group of processes each holds all bodies, evaluates the rates of some, and exchanges them.
 */
#include <stdlib.h>
#include <string.h>

#include "../choose/choose.h"
#include "../kernel/kernel.h"
#include "../verify/verify.h"
#include "several.h"

struct evaluator {
	struct stepper s; /* with kernels and arrays of this device; unused by the first */
	double speed; /* bodies per second, a running mean; 0: unknown */
	double bodies; /* evaluated so far */
};

struct sharing {
	struct gravity gravity;
	struct gravity *tree; /* gravity by a tree in this process; NULL: over all pairs */
	struct clopt *ctx;
	struct stepper *s; /* the first device's */
	const struct part *part; /* the evaluated part */
	double *weight; /* by device; 0: takes no part; NULL: the first device alone */
	struct share *share; /* partition of the bodies in this evaluation */
	char *bodies, *rates; /* pinned; in the first device's layout */
	size_t grain; /* a multiple of each device's group */
	size_t first; /* first body of this process */
	double evaluations;
	unsigned count;
	struct evaluator list[];
};

/* ---- A member's evaluation ------------------------------------------------------------------ */

/* The same part with this device's kernel and arrays. */
static int own_part(struct clopt *ctx, const struct stepper *first, const struct part *part,
                    int alike, struct stepper *s, struct part *own)
{
	unsigned i;
	int rc = CLOPT_OK;

	*own = *part;
	if (!part->row)
		return CLOPT_OK;
	if (alike)
		TRY(clopt__ready(ctx, own->row, &own->problem, &own->kernel));
	else
		TRY(clopt__choose(ctx, &own->problem, 1, &own->row, &own->kernel));
	for (i = 0; i < MAX_OPERANDS; i++)
		if (part->array[i] == &first->rates)
			own->array[i] = &s->rates;
		else if (part->array[i] == &first->state || part->array[i] == &first->next)
			own->array[i] = &s->state;
out:
	return rc;
}

static int open_member(struct clopt *ctx, unsigned index, void *what)
{
	struct sharing *g = what;
	const struct stepper *first = g->s;
	const int alike = clopt__member_alike(g->ctx, index);
	struct stepper *s = &g->list[index].s;
	size_t bytes, row;
	int rc = CLOPT_OK;

	s->lane.q = ctx->queue[0];
	s->e = first->e;
	s->jerk = first->jerk;
	s->point_bytes = first->point_bytes;
	s->points = s->jerk ? 4 : 2;
	s->largest = s->jerk ? 2 : 1;
	TRY(own_part(ctx, first, &first->force, alike, s, &s->force));
	TRY(own_part(ctx, first, &first->phi, alike, s, &s->phi));
	TRY(clopt__stepper_fits(ctx, s, &bytes));
	row = clopt__gravity_bytes(s, &s->force);
	TRY(clopt__array_open(ctx, s->e.n, row, clopt__gravity_layout(s), &s->state));
	TRY(clopt__array_open(ctx, s->e.n, row, (struct layout){ 0, 0, 1 }, &s->rates));
	clopt__kernels_save(ctx, 0);
out:
	return rc;
}

/* Launch the part for some bodies, its targets. */
static int launch(struct clopt *ctx, const struct stepper *s, const struct part *part, size_t first,
                  size_t count)
{
	const size_t bytes = clopt__gravity_bytes(s, part);
	struct part some = *part;
	struct array targets = *part->array[2], rates = *part->array[4];

	targets.pitch_bytes = rates.pitch_bytes = bytes;
	targets.offset_bytes += first * bytes;
	rates.offset_bytes += first * bytes;
	some.array[2] = &targets;
	some.array[4] = &rates;
	some.problem.dim[1] = count;
	return clopt__lane_launch(ctx, &s->lane, &some, 0);
}

/* Copy the rates of some bodies between a device and the host. */
static int move_rates(struct clopt *ctx, const struct sharing *g, const struct stepper *s,
                      size_t first, size_t count, int down)
{
	const size_t row = clopt__gravity_bytes(s, g->part);

	return clopt__lane_move(ctx, &s->lane, &s->rates, first, g->rates + first * row, count, row,
	                        down);
}

/* Evaluate the blocks that this device takes, until nothing is left. */
static int take_all(struct clopt *ctx, struct sharing *g, unsigned index, const struct part *part)
{
	const struct stepper *s = index ? &g->list[index].s : g->s;
	const size_t most[2] = { s->e.n, 1 };
	const double begin = clopt__now();
	struct evaluator *m = &g->list[index];
	struct region r;
	double bodies = 0, speed;
	int none, rc = CLOPT_OK;

	for (;;) {
		clopt__share_idle(g->share, index);
		TRY(clopt__share_take(ctx, g->share, index, most, 0, 1, &r, &none));
		if (none)
			break;
		TRY(launch(ctx, s, part, g->first + r.first[0], r.count[0]));
		TRY(clopt__lane_settle(ctx, &s->lane, CLOPT_OK));
		bodies += (double)r.count[0];
		ctx->report.bands++;
	}
	/* Averaged with the last evaluation's, so that noise hardly moves the cuts. */
	speed = bodies / (clopt__now() - begin);
	if (bodies > 0)
		m->speed = m->speed > 0 ? (m->speed + speed) / 2 : speed;
out:
	return rc;
}

static int evaluate(struct clopt *ctx, unsigned index, void *what)
{
	struct sharing *g = what;
	const struct stepper *s = &g->list[index].s;
	struct region r;
	size_t i;
	int rc = CLOPT_OK;

	if (!index) {
		rc = take_all(ctx, g, 0, g->part);
		if (rc != CLOPT_OK) /* the call fails with it */
			clopt__share_stop(g->share);
		return rc;
	}
	TRY(clopt__lane_move(ctx, &s->lane, &s->state, 0, g->bodies, s->e.n,
	                     clopt__gravity_bytes(s, g->part), 0));
	TRY(take_all(ctx, g, index, g->part == &g->s->phi ? &s->phi : &s->force));
	for (i = 0; clopt__share_part(g->share, index, i, &r); i++)
		TRY(move_rates(ctx, g, s, g->first + r.first[0], r.count[0], 1));
out:
	return clopt__lane_settle(ctx, &s->lane, rc);
}

/* ---- All members ---------------------------------------------------------------------------- */

/* Partition the bodies by the speeds of earlier evaluations.  A device without one yet has its
 * initial weight relative to the others. */
static int open_share(struct clopt *ctx, struct sharing *g, size_t n)
{
	struct partition box = { .dim = { n, 1 },
		                 .grain = { g->grain, 1 },
		                 .alike = clopt__members_alike(ctx),
		                 .fixed = ctx->share == CLOPT_SHARE_FIXED };
	double *weight = malloc(g->count * sizeof *weight), speeds = 0, weights = 0;
	unsigned i;
	int rc;

	if (!weight)
		return clopt__fail(ctx, CLOPT_ENOMEM, "no memory to share an evaluation");
	for (i = 0; i < g->count; i++)
		if (g->weight[i] > 0 && g->list[i].speed > 0) {
			speeds += g->list[i].speed;
			weights += g->weight[i];
		}
	for (i = 0; i < g->count; i++)
		weight[i] = box.fixed || !(weights > 0) || g->weight[i] == 0 ? g->weight[i] :
		            g->list[i].speed > 0                             ? g->list[i].speed :
		                                   g->weight[i] * speeds / weights;
	box.known = box.alike || weights > 0;
	clopt__share_close(g->share);
	g->share = NULL;
	rc = clopt__share_open(ctx, &box, weight, g->count, &g->share);
	free(weight);
	return rc;
}

/* All devices evaluate their bodies; then the first evaluates what failed ones left. */
static int share_out(struct clopt *ctx, struct sharing *g, size_t n)
{
	struct region r;
	unsigned i;
	size_t k;
	int began = 0, rc = CLOPT_OK;

	TRY(clopt__members_round(ctx, g->share, g->weight, evaluate, g, 0, &began));
	TRY(clopt__member_status(ctx, 0));
	for (i = 1; i < g->count; i++)
		for (k = 0; clopt__share_part(g->share, i, k, &r); k++)
			TRY(move_rates(ctx, g, g->s, g->first + r.first[0], r.count[0], 0));
	if (clopt__share_left(g->share))
		TRY(take_all(ctx, g, 0, g->part));
	for (i = 0; i < g->count; i++)
		g->list[i].bodies += clopt__share_of(g->share, i) * (double)n;
out:
	return rc;
}

/* Send the rates of this process's bodies and receive those of the others. */
static int exchange(struct clopt *ctx, struct sharing *g)
{
	const struct stepper *s = g->s;
	const struct clopt_group *group = &s->e.group;
	const size_t end = group->first + group->count;
	struct outside o;
	int code, rc = CLOPT_OK;

	TRY(move_rates(ctx, g, s, group->first, group->count, 1));
	TRY(clopt__lane_settle(ctx, &s->lane, CLOPT_OK));
	clopt__outside(ctx, &o);
	code = group->exchange(group->user, g->rates, clopt__gravity_bytes(s, g->part));
	clopt__back(&o);
	if (code)
		TRY(clopt__fail(ctx, CLOPT_ECANCELED, "group.exchange returned %d", code));
	TRY(move_rates(ctx, g, s, 0, group->first, 0));
	TRY(move_rates(ctx, g, s, end, s->e.n - end, 0));
out:
	return rc;
}

static int share_rates(struct clopt *ctx, struct stepper *s, struct gravity *gravity,
                       const struct part *part)
{
	const struct clopt_group *group = &s->e.group;
	const size_t n = group->exchange ? group->count : s->e.n;
	struct sharing *g = (struct sharing *)gravity;
	int rc = CLOPT_OK;

	g->part = part;
	if (g->tree && g->tree->row) {
		TRY(g->tree->rates(ctx, s, g->tree, part));
		gravity->row = g->tree->row;
		return exchange(ctx, g);
	}
	if (!g->weight) {
		if (group->count)
			TRY(launch(ctx, s, part, group->first, group->count));
		return exchange(ctx, g);
	}
	g->evaluations++;
	TRY(clopt__lane_move(ctx, &s->lane, part->array[0], 0, g->bodies, s->e.n,
	                     clopt__gravity_bytes(s, part), 1));
	TRY(clopt__lane_settle(ctx, &s->lane, CLOPT_OK));
	g->first = group->exchange ? group->first : 0;
	TRY(open_share(ctx, g, n));
	TRY(share_out(ctx, g, n));
	if (group->exchange)
		TRY(exchange(ctx, g));
out:
	return rc;
}

/* All devices choose kernels and make room.  One that cannot takes no part. */
static int open_members(struct clopt *ctx, struct sharing *g)
{
	unsigned i;
	int rc = CLOPT_OK;

	clopt__members_start(ctx, g->weight, open_member, g);
	TRY(clopt__members_wait(ctx, NULL, g->weight, 0, NULL));
	g->grain = g->s->force.row->out[0];
	for (i = 1; i < g->count; i++)
		if (g->weight[i] > 0) /* grains of rows are powers of two */
			g->grain = clopt__larger(g->grain, g->list[i].s.force.row->out[0]);
out:
	return rc;
}

static void close_sharing(struct clopt *ctx, struct stepper *s, struct gravity *gravity, int rc)
{
	struct sharing *g = (struct sharing *)gravity;
	const double n = (double)s->e.n;
	unsigned i;

	if (g->tree)
		g->tree->close(ctx, s, g->tree, rc);
	for (i = 0; i < g->count; i++) {
		g->weight[i] = g->list[i].bodies / (g->evaluations * n);
		clopt__array_close(&g->list[i].s.state);
		clopt__array_close(&g->list[i].s.rates);
	}
	if (rc == CLOPT_OK && g->weight) {
		ctx->report.bands = (size_t)g->evaluations;
		clopt__members_sum_up(ctx, s->step.problem.op, n * n * g->evaluations, g->weight);
	}
	clopt__pinned_give(ctx, g->bodies);
	free(g->weight);
	clopt__share_close(g->share);
	free(g);
	s->gravity = NULL;
}

int clopt__shared_gravity(struct clopt *ctx, struct stepper *s)
{
	const size_t bytes = s->e.n * clopt__gravity_bytes(s, &s->force);
	unsigned count;
	struct sharing *g;
	double *weight = NULL;
	char *bodies;
	int kind, rc = CLOPT_OK;

	TRY(clopt__tree_gravity(ctx, s));
	/* Evaluations without steps are not shared. */
	if ((s->gravity && !s->e.group.exchange) || !s->e.steps)
		return CLOPT_OK;
	if (!s->lane.placed && !s->gravity)
		weight = clopt__members_gather(ctx, s->step.problem.op,
		                               clopt__stepper_seconds(ctx, s));
	if (!weight && !s->e.group.exchange)
		return CLOPT_OK;
	count = weight ? (unsigned)clopt_members(ctx) : 0;
	g = calloc(1, sizeof *g + count * sizeof *g->list);
	bodies = clopt__pinned_take(ctx, clopt__times(2, bytes), &kind);
	if (!g || !bodies) { /* the first device works alone */
		clopt__pinned_give(ctx, bodies);
		free(weight);
		free(g);
		return s->e.group.exchange ?
		               clopt__fail(ctx, CLOPT_ENOMEM,
		                           "no memory to exchange the rates of %zu bodies",
		                           s->e.n) :
		               CLOPT_OK;
	}
	g->gravity.rates = share_rates;
	g->gravity.close = close_sharing;
	g->gravity.row = s->gravity ? s->gravity->row : NULL;
	g->gravity.waits = 1;
	g->tree = s->gravity;
	g->ctx = ctx;
	g->s = s;
	g->weight = weight;
	g->bodies = bodies;
	g->rates = g->bodies + bytes;
	g->count = count;
	s->gravity = &g->gravity;
	g->grain = g->s->force.row ? g->s->force.row->out[0] : 1;
	if (!weight)
		return CLOPT_OK;
	clopt__members_begin(ctx);
	rc = open_members(ctx, g);
out:
	return rc;
}
