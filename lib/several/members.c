/* SPDX-License-Identifier: MIT */
/*
 * members.c - the devices of a context: which take part in a call, and with what weight.  A member
 * is a context of one device.  The first is the context itself and works in the calling thread;
 * each of the others has a thread.
 */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L /* clock_gettime, also under -std=c99 */
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../base/threads.h"
#include "several.h"

struct member {
	struct clopt *ctx;
	unsigned index;
	pthread_t thread;
	int alike; /* same device and driver as the first */
	struct running before; /* the member's own callbacks for log and progress */
	int verbose; /* its own verbosity */
	/* Results per second of the last call, by operation; 0: none yet. */
	double speed[CLOPT_OPS + 1];
	struct members *all;
	member_task *task; /* the task to do; NULL: idle */
	int runs; /* the task runs, so the caller's calls on the member wait */
	void *what;
	int rc;
	struct clopt_report report;
	struct clopt_member_share last,
	        earlier; /* of the call; of the call before its present job */
	double units; /* of the call */
};

struct members {
	pthread_mutex_t lock;
	pthread_cond_t changed; /* a task came or ended, or the threads have to end */
	int quit;
	size_t call; /* number of the last shared call, from 1 */
	double units; /* of that call */
	struct clopt_report told; /* of the first member, when its work was last recorded */
	unsigned count; /* number of members, the first included */
	struct clopt **others; /* malloc'ed; the caller closes them */
	struct member list[];
};

/* ---- A member's part of a call ------------------------------------------------------------- */

static void tell(struct member *m, double seconds, int rc)
{
	struct clopt_member_share *l = &m->last;

	l->seconds += seconds;
	l->bands += m->report.bands;
	l->up_bytes += m->report.up_bytes;
	l->down_bytes += m->report.down_bytes;
	if (rc == CLOPT_OK)
		return;
	l->status = rc;
	snprintf(l->text, sizeof l->text, "%s", clopt_error(m->ctx));
}

static void say_part(const void *what, char *text, size_t size)
{
	const struct member *m = what;

	snprintf(text, size, "device %u of %u, %s", m->index, m->all->count,
	         m->ctx->device.info.name);
}

static void set_runs(struct member *m, int runs)
{
	pthread_mutex_lock(&m->all->lock);
	m->runs = runs;
	pthread_mutex_unlock(&m->all->lock);
}

static int perform(struct member *m)
{
	const size_t call = m->all->list[0].ctx->log.call;
	double seconds = -clopt__now();
	int rc = CLOPT_OK;

	memset(&m->report, 0, sizeof m->report);
	TRY(clopt__begin(m->ctx, (struct sentence){ say_part, m }));
	m->ctx->log.call = call;
	set_runs(m, 1);
	TRY(m->task(m->ctx, m->index, m->what));
out:
	set_runs(m, 0);
	rc = clopt__end(m->ctx, rc, &m->report);
	if (m->all->call == call + 1) /* clopt__members_begin began it */
		tell(m, seconds + clopt__now(), rc);
	return rc;
}

static void *serve(void *argument)
{
	struct member *m = argument;
	struct members *all = m->all;
	int rc;

	pthread_mutex_lock(&all->lock);
	while (!all->quit) {
		if (!m->task) {
			pthread_cond_wait(&all->changed, &all->lock);
			continue;
		}
		pthread_mutex_unlock(&all->lock);
		rc = perform(m);
		pthread_mutex_lock(&all->lock);
		m->rc = rc;
		m->task = NULL;
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
		struct member *m = &all->list[i];

		m->ctx = i ? others[i - 1] : ctx;
		m->index = i;
		m->all = all;
		m->alike = are_alike(ctx, m->ctx);
		if (i && clopt__thread(&m->thread, serve, m)) {
			end_threads(all, i);
			free(all->others);
			free(all);
			return clopt__fail(ctx, CLOPT_ENOMEM, "no thread for device %u", i);
		}
	}
	/* Log and progress are the first member's: the others use no callback of the caller. */
	for (i = 1; i < all->count; i++) {
		struct member *m = &all->list[i];

		m->before = m->ctx->running;
		m->verbose = m->ctx->verbose;
		m->ctx->running.log = NULL;
		m->ctx->running.progress = NULL;
		m->ctx->verbose = 0;
		m->ctx->joined = ctx;
		m->ctx->sharers = all->count;
		all->others[i - 1] = m->ctx;
	}
	ctx->sharers = all->count;
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
		struct member *m = &all->list[i];

		m->ctx->running.log = m->before.log;
		m->ctx->running.progress = m->before.progress;
		m->ctx->verbose = m->verbose;
		m->ctx->joined = NULL;
		m->ctx->sharers = 0;
	}
	free(all);
	ctx->members = NULL;
	ctx->sharers = 0;
	return others;
}

/* ---- Calls of all members ------------------------------------------------------------------ */

static int takes_part(const struct member *m)
{
	return !m->index || clopt__usable(m->ctx) == CLOPT_OK;
}

int clopt__members_alike(const struct clopt *ctx)
{
	unsigned i;

	for (i = 0; i < ctx->members->count && ctx->members->list[i].alike; i++)
		;
	return i == ctx->members->count;
}

/* Whether speeds measured by calls of the operation decide. */
static int tried(const struct clopt *ctx, unsigned op)
{
	const struct members *all = ctx->members;
	int known = ctx->share != CLOPT_SHARE_FIXED;
	unsigned i;

	for (i = 0; i < all->count; i++)
		known &= !takes_part(&all->list[i]) || all->list[i].speed[op] > 0;
	return known;
}

/* Equal devices have equal weights.  Others are weighted all by measured speeds, or all by their
 * scores. */
static void weigh(const struct clopt *ctx, unsigned op, double *weight)
{
	const struct members *all = ctx->members;
	const int known = !clopt__members_alike(ctx) && tried(ctx, op);
	unsigned i;

	for (i = 0; i < all->count; i++) {
		const struct member *m = &all->list[i];

		weight[i] = !takes_part(m) ? 0 :
		            known          ? m->speed[op] :
		            m->alike       ? ctx->device.info.score :
		                             m->ctx->device.info.score;
		if (takes_part(m) && !(weight[i] > 0))
			weight[i] = 1;
	}
}

/* A shorter call is not shared: waking threads takes some 10 us, and all inputs are uploaded more
 * than once. */
#define LEAST_SECONDS 1e-3

unsigned clopt__members_working(const struct clopt *ctx, double seconds)
{
	const struct members *all = ctx->members;
	unsigned i, working = 0;

	if (ctx->share != CLOPT_SHARE_EVERY && seconds < LEAST_SECONDS)
		return 1;
	for (i = 0; all && i < all->count; i++)
		working += (unsigned)takes_part(&all->list[i]);
	return working ? working : 1;
}

static void begin_call(struct members *all, size_t call)
{
	unsigned i;

	all->call = call;
	all->units = 0;
	for (i = 0; i < all->count; i++) {
		struct member *m = &all->list[i];

		m->units = 0;
		m->last = (struct clopt_member_share){ .size = sizeof m->last };
		snprintf(m->last.device, sizeof m->last.device, "%s", m->ctx->device.info.name);
	}
}

double *clopt__members_gather(struct clopt *ctx, unsigned op, double seconds)
{
	double *weight;

	if (clopt__members_working(ctx, seconds) < 2)
		return NULL;
	weight = calloc(ctx->members->count, sizeof *weight);
	if (weight)
		weigh(ctx, op, weight);
	return weight;
}

void clopt__members_begin(struct clopt *ctx)
{
	struct members *all = ctx->members;
	unsigned i;

	if (all->call != ctx->log.call + 1)
		begin_call(all, ctx->log.call + 1);
	all->told = ctx->report;
	for (i = 0; i < all->count; i++) {
		all->list[i].rc = CLOPT_OK;
		all->list[i].earlier = all->list[i].last;
	}
}

int clopt__member_works(const struct clopt *ctx, unsigned i)
{
	return takes_part(&ctx->members->list[i]);
}

int clopt__member_alike(const struct clopt *ctx, unsigned i)
{
	return ctx->members->list[i].alike;
}

void clopt__members_start(struct clopt *ctx, const double *weight, member_task *task, void *what)
{
	struct members *all = ctx->members;
	unsigned i;

	pthread_mutex_lock(&all->lock);
	for (i = 1; i < all->count; i++) {
		all->list[i].task = weight[i] > 0 ? task : NULL;
		all->list[i].what = what;
	}
	pthread_cond_broadcast(&all->changed);
	pthread_mutex_unlock(&all->lock);
}

/* A member whose task has not begun waits for a call on that member alone, which is not
 * cancelled. */
static void cancel_others(struct clopt *ctx, struct share *share)
{
	struct members *all = ctx->members;
	unsigned i;

	if (share)
		clopt__share_stop(share);
	pthread_mutex_lock(&all->lock);
	for (i = 1; i < all->count; i++)
		if (all->list[i].runs)
			clopt_cancel(all->list[i].ctx);
	pthread_mutex_unlock(&all->lock);
}

/* A member that failed takes no part any more, and what it took is dealt again. */
static int settle(struct clopt *ctx, struct share *share, double *weight, int *began)
{
	unsigned i;
	int code, rc = CLOPT_OK;

	for (i = 0; i < ctx->members->count; i++) {
		if (!(weight[i] > 0))
			continue;
		if (ctx->members->list[i].rc != CLOPT_OK)
			weight[i] = 0;
		code = share ? clopt__share_end(ctx, share, i, weight[i] == 0, began) : CLOPT_OK;
		rc = rc == CLOPT_OK ? code : rc;
	}
	return rc;
}

/* Interval at which a waiting call looks whether it is cancelled. */
#define LOOK_NANOSECONDS 100000000

int clopt__members_wait(struct clopt *ctx, struct share *share, double *weight, int whole,
                        int *began)
{
	struct members *all = ctx->members;
	struct timespec until;
	unsigned i;
	int code, rc = CLOPT_OK;

	pthread_mutex_lock(&all->lock);
	for (i = 1; i < all->count; i++)
		while (all->list[i].task) {
			clock_gettime(CLOCK_REALTIME, &until);
			until.tv_nsec += LOOK_NANOSECONDS;
			until.tv_sec += until.tv_nsec / 1000000000;
			until.tv_nsec %= 1000000000;
			if (!pthread_cond_timedwait(&all->changed, &all->lock, &until))
				continue;
			pthread_mutex_unlock(&all->lock);
			if (rc == CLOPT_OK)
				rc = clopt__go_on(ctx, whole ? clopt__share_done(share) : 0);
			if (rc != CLOPT_OK)
				cancel_others(ctx, share);
			pthread_mutex_lock(&all->lock);
		}
	pthread_mutex_unlock(&all->lock);
	code = weight ? settle(ctx, share, weight, began) : CLOPT_OK;
	return rc == CLOPT_OK ? code : rc;
}

int clopt__members_round(struct clopt *ctx, struct share *share, double *weight, member_task *task,
                         void *what, int whole, int *began)
{
	struct members *all = ctx->members;
	struct member *self = &all->list[0];
	const double begin = clopt__now();

	clopt__members_start(ctx, weight, task, what);
	if (weight[0] > 0) {
		ctx->report.bands = 0;
		self->rc = task(ctx, 0, what);
		self->report = ctx->report;
		self->report.up_bytes -= all->told.up_bytes;
		self->report.down_bytes -= all->told.down_bytes;
		all->told = ctx->report;
		tell(self, clopt__now() - begin, self->rc);
		if (self->rc == CLOPT_ECANCELED)
			clopt__share_stop(share);
	}
	return clopt__members_wait(ctx, share, weight, whole, began);
}

int clopt__member_status(const struct clopt *ctx, unsigned i)
{
	return ctx->members->list[i].rc;
}

void clopt__members_sum_up(struct clopt *ctx, unsigned op, double units, const double *share)
{
	struct members *all = ctx->members;
	struct clopt_report *r = &ctx->report;
	unsigned i;

	units = units > 0 ? units : 1; /* k may be 0 */
	all->units += units;
	for (i = 0; i < all->count; i++) {
		struct member *m = &all->list[i];
		const double seconds = m->last.seconds - m->earlier.seconds;

		if (!i) { /* what it moved for the others, since its last work */
			m->last.up_bytes += r->up_bytes - all->told.up_bytes;
			m->last.down_bytes += r->down_bytes - all->told.down_bytes;
		}
		m->units += share[i] * units;
		m->last.share = m->units / all->units;
		if (i) {
			r->bands += m->last.bands - m->earlier.bands;
			r->up_bytes += m->last.up_bytes - m->earlier.up_bytes;
			r->down_bytes += m->last.down_bytes - m->earlier.down_bytes;
			r->staged_bytes += m->report.staged_bytes;
		}
		if (m->rc == CLOPT_OK && share[i] > 0 && seconds > 0)
			m->speed[op] = share[i] * units / seconds;
		if (ctx->verbose && m->last.status != CLOPT_OK)
			clopt__notice(ctx, "device %u of %u, %s, failed: %s", i, all->count,
			              m->last.device, m->last.text);
		else if (ctx->verbose)
			clopt__notice(ctx,
			              "device %u of %u, %s: %.1f %% of the results, %zu bytes up, "
			              "%zu down, %.6f s",
			              i, all->count, m->last.device, 100 * m->last.share,
			              m->last.up_bytes, m->last.down_bytes, m->last.seconds);
	}
}

int clopt__members_failed(struct clopt *ctx)
{
	const struct members *all = ctx->members;
	unsigned i;

	for (i = 0; i < all->count && all->list[i].rc == CLOPT_OK; i++)
		;
	if (i == all->count)
		return clopt__fail(ctx, CLOPT_EDEVICE, "a part of the result was not computed");
	return i ? clopt__fail(ctx, all->list[i].rc, "%s", all->list[i].last.text) :
	           all->list[0].rc;
}

int clopt__member_wrong(struct clopt *ctx, unsigned i, const char *why)
{
	struct member *m = &ctx->members->list[i];

	m->last.status = CLOPT_EWRONG;
	snprintf(m->last.text, sizeof m->last.text, "%.*s", (int)sizeof m->last.text - 1, why);
	return clopt__fail(ctx, CLOPT_EWRONG, "device %u of %u, %s, computes wrong results: %s", i,
	                   ctx->members->count, m->ctx->device.info.name, why);
}

/* ---- Questions ----------------------------------------------------------------------------- */

size_t clopt_members(const struct clopt *ctx)
{
	return !ctx || clopt__freed(ctx) ? 0 : ctx->members ? ctx->members->count : 1;
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
	TRY(clopt__sized_list(ctx, "clopt_member_share", list, max));
	n = ctx->members && ctx->members->call ? ctx->members->count : 0;
	for (i = 0; i < n && i < max; i++)
		clopt__sized_entry(list, i, &ctx->members->list[i].last, sizeof *list);
	*count = n;
out:
	return clopt__leave(ctx, rc);
}
