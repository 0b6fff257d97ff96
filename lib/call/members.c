/* SPDX-License-Identifier: MIT */
/*
 * members.c - the devices of a context, and calls that they share.
 *
 * A member is a whole context.  The first is the context itself and works in the thread of the call;
 * the others have a thread each.  All run the same workload, over the parts that move/share.c gives
 * them, each in its own pipeline.
 */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L /* clock_gettime, also under -std=c99 */
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../base/threads.h"
#include "../kernel/kernel.h"
#include "call.h"

/* A shared call: the same for all members. */
struct shared {
	const struct workload *first; /* of the first member */
	workload_maker *make;
	const void *what;
	struct share *share;
};

struct colleague {
	struct clopt *ctx;
	unsigned index;
	pthread_t thread;
	int alike; /* the same device and driver as the first */
	int excluded; /* takes no part any more */
	int active; /* takes part in this call */
	struct running before; /* the member's own functions for lines and progress, and ... */
	int verbose; /* ... whether it tells of calls, while it is joined */
	/* Results a second of the last call, by operation; 0: none yet. */
	double speed[CLOPT_OPS + 1];
	struct members *all;
	const struct shared *call; /* to be run; NULL: idle */
	int rc;
	struct clopt_report report;
	struct clopt_member_share last;
};

struct members {
	pthread_mutex_t lock;
	pthread_cond_t changed; /* a call came or ended, or the threads are to end */
	int quit, any; /* any: a call was shared */
	unsigned count; /* with the first */
	struct clopt **others; /* malloc'ed, for whoever closes them */
	struct colleague list[];
};

/* ---- A member's part of a call ------------------------------------------------------------- */

static unsigned op_of(const struct workload *w)
{
	return w->op < CLOPT_OPS ? w->op : CLOPT_OPS;
}

static void tell(struct colleague *m, double seconds, int rc)
{
	struct clopt_member_share *l = &m->last;

	l->seconds += seconds;
	l->bands += m->report.bands;
	l->up_bytes += m->report.up_bytes;
	l->down_bytes += m->report.down_bytes;
	l->status = rc;
	if (rc != CLOPT_OK)
		snprintf(l->text, sizeof l->text, "%s", clopt_error(m->ctx));
}

static void say_part(const void *what, char *text, size_t size)
{
	const struct colleague *m = what;

	snprintf(text, size, "device %u of %u, %s", m->index, m->all->count,
	         m->ctx->device.info.name);
}

static int run_part(struct colleague *m, const struct shared *call)
{
	struct clopt *ctx = m->ctx;
	struct workload w;
	double seconds = -clopt__now();
	int rc = CLOPT_OK;

	memset(&m->report, 0, sizeof m->report);
	TRY(clopt__begin(ctx, (struct sentence){ say_part, m }));
	TRY(call->make(ctx, call->what, call->first, m->alike, &w));
	w.share = call->share;
	w.member = m->index;
	TRY(clopt__run(ctx, &w));
	clopt__kernels_save(ctx, 0);
out:
	rc = clopt__end(ctx, rc, &m->report);
	tell(m, seconds + clopt__now(), rc);
	return rc;
}

static void *serve(void *argument)
{
	struct colleague *m = argument;
	struct members *all = m->all;
	int rc;

	pthread_mutex_lock(&all->lock);
	while (!all->quit) {
		if (!m->call) {
			pthread_cond_wait(&all->changed, &all->lock);
			continue;
		}
		pthread_mutex_unlock(&all->lock);
		rc = run_part(m, m->call);
		pthread_mutex_lock(&all->lock);
		m->rc = rc;
		m->call = NULL;
		pthread_cond_broadcast(&all->changed);
	}
	pthread_mutex_unlock(&all->lock);
	return NULL;
}

/* ---- Opening and closing ------------------------------------------------------------------- */

static int are_alike(const struct clopt *a, const struct clopt *b)
{
	const struct clopt_device_info *x = &a->device.info, *y = &b->device.info;

	return !strcmp(x->name, y->name) && !strcmp(x->platform, y->platform) &&
	       !strcmp(x->driver, y->driver) && a->device.traits == b->device.traits &&
	       x->compute_units == y->compute_units && x->max_alloc_bytes == y->max_alloc_bytes &&
	       clopt__memory(a) == clopt__memory(b) && a->slice_seconds == b->slice_seconds;
}

static void end_threads(struct members *all, unsigned count)
{
	unsigned i;

	pthread_mutex_lock(&all->lock);
	all->quit = 1;
	pthread_cond_broadcast(&all->changed);
	pthread_mutex_unlock(&all->lock);
	for (i = 1; i < count; i++)
		pthread_join(all->list[i].thread, NULL);
	pthread_cond_destroy(&all->changed);
	pthread_mutex_destroy(&all->lock);
}

int clopt__members_open(struct clopt *ctx, struct clopt *const *others, size_t n)
{
	struct members *all = calloc(1, sizeof *all + (n + 1) * sizeof *all->list);
	unsigned i;

	if (!all || !(all->others = calloc(n, sizeof *all->others))) {
		free(all);
		return clopt__fail(ctx, CLOPT_ENOMEM, "no memory for %zu devices", n + 1);
	}
	pthread_mutex_init(&all->lock, NULL);
	pthread_cond_init(&all->changed, NULL);
	all->count = (unsigned)n + 1;
	for (i = 0; i < all->count; i++) {
		struct colleague *m = &all->list[i];

		m->ctx = i ? others[i - 1] : ctx;
		m->index = i;
		m->all = all;
		m->alike = are_alike(ctx, m->ctx);
		m->last.size = sizeof m->last;
		snprintf(m->last.device, sizeof m->last.device, "%s", m->ctx->device.info.name);
		if (i && clopt__thread(&m->thread, serve, m)) {
			end_threads(all, i);
			free(all->others);
			free(all);
			return clopt__fail(ctx, CLOPT_ENOMEM, "no thread for device %u", i);
		}
	}
	/* Calls are the first one's: the others tell nothing, and call nothing of the caller's. */
	for (i = 1; i < all->count; i++) {
		struct colleague *m = &all->list[i];

		m->before = m->ctx->running;
		m->verbose = m->ctx->verbose;
		m->ctx->running.log = NULL;
		m->ctx->running.progress = NULL;
		m->ctx->verbose = 0;
		m->ctx->joined = ctx;
		all->others[i - 1] = m->ctx;
	}
	ctx->members = all;
	return CLOPT_OK;
}

struct clopt **clopt__members_end(struct clopt *ctx, size_t *n)
{
	struct members *all = ctx->members;
	struct clopt **others = NULL;
	unsigned i;

	*n = 0;
	if (!all)
		return NULL;
	end_threads(all, all->count);
	others = all->others;
	*n = all->count - 1;
	for (i = 1; i < all->count; i++) {
		struct colleague *m = &all->list[i];

		m->ctx->running.log = m->before.log;
		m->ctx->running.progress = m->before.progress;
		m->ctx->verbose = m->verbose;
		m->ctx->joined = NULL;
	}
	free(all);
	ctx->members = NULL;
	return others;
}

/* ---- Sharing a call ------------------------------------------------------------------------ */

/* A call that takes less is not shared: waking threads takes some 10 us, and all inputs go up more
 * than once. */
#define LEAST_SECONDS 1e-3
/* Before measurements: multiply-adds a second and compute unit, and bytes a second to the device. */
#define ASSUMED_THROUGHPUT 1e10
#define ASSUMED_RATE 50e9

static int is_worth_it(const struct clopt *ctx, const struct workload *w)
{
	/* FIXED: by nothing that was measured. */
	const struct throughput *known = ctx->share == CLOPT_SHARE_FIXED ? NULL : w->throughput;
	double seconds =
	        w->units * (known && known->seconds > 0 ?
	                            known->seconds :
	                            1 / (ASSUMED_THROUGHPUT * ctx->device.info.compute_units));
	unsigned i;

	for (i = 0; i < w->operands; i++)
		seconds += (double)clopt__operand_bytes(&w->operand[i]) / ASSUMED_RATE;
	return ctx->share == CLOPT_SHARE_EVERY || seconds >= LEAST_SECONDS;
}

/* While a call waits for others, it looks so often whether it is cancelled. */
#define LOOK_NANOSECONDS 100000000

static int takes_part(const struct colleague *m)
{
	return !m->index || (!m->excluded && clopt__usable(m->ctx) == CLOPT_OK);
}

/* The members' speeds beside each other: those of devices that are alike are equal; of others all by
 * calls of the operation, or all by their scores. */
static void weigh(const struct clopt *ctx, unsigned op, double *weight)
{
	const struct members *all = ctx->members;
	int known = ctx->share != CLOPT_SHARE_FIXED, alike = 1;
	unsigned i;

	for (i = 0; i < all->count; i++)
		alike &= all->list[i].alike;
	for (i = 0; i < all->count; i++)
		known &= !alike && (!all->list[i].active || all->list[i].speed[op] > 0);
	for (i = 0; i < all->count; i++) {
		const struct colleague *m = &all->list[i];

		weight[i] = !m->active ? 0 :
		            known      ? m->speed[op] :
		            m->alike   ? ctx->device.info.score :
		                         m->ctx->device.info.score;
		if (m->active && !(weight[i] > 0))
			weight[i] = 1;
	}
}

/* Wait for the others' parts; meanwhile the call can be cancelled, and tells how far it is. */
static int wait_for_others(struct clopt *ctx, struct share *share)
{
	struct members *all = ctx->members;
	struct timespec until;
	unsigned i;
	int rc = CLOPT_OK;

	pthread_mutex_lock(&all->lock);
	for (i = 1; i < all->count; i++)
		while (all->list[i].call) {
			clock_gettime(CLOCK_REALTIME, &until);
			until.tv_nsec += LOOK_NANOSECONDS;
			until.tv_sec += until.tv_nsec / 1000000000;
			until.tv_nsec %= 1000000000;
			if (!pthread_cond_timedwait(&all->changed, &all->lock, &until) ||
			    rc != CLOPT_OK)
				continue;
			pthread_mutex_unlock(&all->lock);
			rc = clopt__go_on(ctx, clopt__share_done(share));
			if (rc != CLOPT_OK)
				clopt__share_stop(share);
			pthread_mutex_lock(&all->lock);
		}
	pthread_mutex_unlock(&all->lock);
	return rc;
}

/* One round: each member that can works until nothing is left for it.  *began: one that failed may have
 * written parts of results. */
static int run_round(struct clopt *ctx, const struct shared *call, struct workload *w, int *failed,
                     int *began)
{
	struct members *all = ctx->members;
	struct colleague *self = &all->list[0];
	const struct clopt_report before = ctx->report;
	double seconds;
	unsigned i;
	int rc, code;

	pthread_mutex_lock(&all->lock);
	for (i = 1; i < all->count; i++)
		all->list[i].call = all->list[i].active && !failed[i] ? call : NULL;
	pthread_cond_broadcast(&all->changed);
	pthread_mutex_unlock(&all->lock);
	if (!failed[0]) {
		seconds = -clopt__now();
		self->rc = clopt__run(ctx, w);
		self->report = ctx->report;
		self->report.up_bytes -= before.up_bytes;
		self->report.down_bytes -= before.down_bytes;
		tell(self, seconds + clopt__now(), self->rc);
		if (self->rc == CLOPT_ECANCELED)
			clopt__share_stop(call->share);
	}
	code = wait_for_others(ctx, call->share);
	for (i = 0; i < all->count; i++) {
		struct colleague *m = &all->list[i];

		if (failed[i] || !m->active)
			continue;
		failed[i] = m->rc != CLOPT_OK;
		rc = clopt__share_end(ctx, call->share, i, failed[i], began);
		code = code == CLOPT_OK ? rc : code;
	}
	return code;
}

/* Whether an output is read: parts that a failed member has begun are not to be had again. */
static int reads_outputs(const struct workload *w)
{
	unsigned i;

	for (i = 0; i < w->operands; i++)
		if (w->operand[i].use == (OPERAND_IN | OPERAND_OUT))
			return 1;
	return 0;
}

static int failure(const struct clopt *ctx, const int *failed)
{
	const struct members *all = ctx->members;
	unsigned i;

	for (i = 0; i < all->count && !failed[i]; i++)
		;
	if (i == all->count)
		return clopt__fail(ctx, CLOPT_EDEVICE, "parts of the result were not computed");
	return i ? clopt__fail(ctx, all->list[i].rc, "%s", all->list[i].last.text) :
	           all->list[0].rc;
}

/* The report of all, and what each did. */
static void sum_up(struct clopt *ctx, const struct shared *call, const int *failed)
{
	struct members *all = ctx->members;
	struct clopt_report *r = &ctx->report;
	unsigned i;

	all->any = 1;
	for (i = 0; i < all->count; i++) {
		struct colleague *m = &all->list[i];

		m->last.share = clopt__share_of(call->share, i);
		if (i) {
			r->bands += m->last.bands;
			r->up_bytes += m->last.up_bytes;
			r->down_bytes += m->last.down_bytes;
			r->staged_bytes += m->report.staged_bytes;
		}
		if (!failed[i] && m->last.share > 0 && m->last.seconds > 0)
			m->speed[op_of(call->first)] =
			        m->last.share * call->first->units / m->last.seconds;
		if (ctx->verbose && m->last.status != CLOPT_OK)
			clopt__notice(ctx, "device %u of %u, %s, failed: %s", i, all->count,
			              m->last.device, m->last.text);
		else if (ctx->verbose)
			clopt__notice(ctx, "device %u of %u, %s: %.1f %% of the results, %.6f s", i,
			              all->count, m->last.device, 100 * m->last.share,
			              m->last.seconds);
	}
}

int clopt__run_shared(struct clopt *ctx, struct workload *w, workload_maker *make, const void *what)
{
	struct members *all = ctx->members;
	struct shared call = { w, make, what, NULL };
	double *weight = NULL;
	int *failed = NULL, again, began = 0, rc = CLOPT_OK;
	double done;
	unsigned i, working = 0;

	for (i = 0; all && i < all->count; i++)
		working += (unsigned)(all->list[i].active = takes_part(&all->list[i]));
	if (working < 2 || !is_worth_it(ctx, w))
		return clopt__run(ctx, w);
	weight = calloc(all->count, sizeof *weight);
	failed = calloc(all->count, sizeof *failed);
	if (!weight || !failed)
		TRY(clopt__fail(ctx, CLOPT_ENOMEM, "no memory to share a call"));
	weigh(ctx, op_of(w), weight);
	TRY(clopt__share_open(ctx, w, weight, all->count, ctx->share == CLOPT_SHARE_FIXED,
	                      &call.share));
	w->share = call.share;
	w->member = 0;
	for (i = 0; i < all->count; i++) {
		struct clopt_member_share *l = &all->list[i].last;

		all->list[i].rc = l->status = CLOPT_OK;
		l->seconds = 0;
		l->bands = l->up_bytes = l->down_bytes = 0;
		l->text[0] = '\0';
	}
	do {
		done = clopt__share_done(call.share);
		TRY(run_round(ctx, &call, w, failed, &began));
		for (i = again = 0; i < all->count; i++)
			again |= all->list[i].active && !failed[i];
		again &= clopt__share_left(call.share) && !clopt__share_stopped(call.share) &&
		         !(began && reads_outputs(w)) &&
		         (began || clopt__share_done(call.share) > done);
	} while (again);
	sum_up(ctx, &call, failed);
	if (clopt__share_left(call.share))
		rc = failure(ctx, failed);
out:
	clopt__share_close(call.share);
	free(weight);
	free(failed);
	return rc;
}

int clopt__members_distrust(struct clopt *ctx)
{
	struct members *all = ctx->members;
	unsigned i;
	int did = 0;

	for (i = 1; all && i < all->count; i++) {
		did |= !all->list[i].excluded;
		all->list[i].excluded = 1;
		all->list[i].last.status = CLOPT_EWRONG;
		snprintf(all->list[i].last.text, sizeof all->list[i].last.text,
		         "a result that several devices computed was wrong; the first goes on "
		         "alone");
	}
	return did;
}

/* ---- Questions ----------------------------------------------------------------------------- */

size_t clopt_members(const struct clopt *ctx)
{
	return !ctx ? 0 : ctx->members ? ctx->members->count : 1;
}

struct clopt *clopt_member(struct clopt *ctx, size_t i)
{
	return i >= clopt_members(ctx) ? NULL : i ? ctx->members->list[i].ctx : ctx;
}

int clopt_last_shares(struct clopt *ctx, struct clopt_member_share *list, size_t max, size_t *count)
{
	size_t i, n;
	int rc;

	TRY(clopt__enter(ctx, clopt__words(__func__)));
	if (!count || (max && !list))
		TRY(clopt__fail(ctx, CLOPT_EINVAL, "%s is NULL", count ? "list" : "count"));
	TRY(clopt__sized_list("clopt_member_share", list, max));
	n = ctx->members && ctx->members->any ? ctx->members->count : 0;
	for (i = 0; i < n && i < max; i++)
		clopt__sized_entry(list, i, &ctx->members->list[i].last, sizeof *list);
	*count = n;
out:
	return clopt__leave(ctx, rc);
}
