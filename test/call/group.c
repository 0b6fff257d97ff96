/* SPDX-License-Identifier: MIT */
/*
 * group.c - calls that several processes share, here by threads or one after the other: sources that
 * arrive late, bodies whose forces others compute.  Results have the bits of one call.
 */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suites.h"
#include "clopt_device.h"

enum {
	SOURCES = 5000,
	TARGETS = 700,
	BODIES = 300,
	STEPS = 5,
	PROCESSES = 3
};

/* ---- Sources that arrive ------------------------------------------------------------------- */

struct arriving {
	struct clopt *ctx;
	float *to;
	const float *from;
	size_t count;
	int calls, fail;
};

static int arrive(void *user, size_t count)
{
	struct arriving *a = user;

	ck_assert_uint_ge(count, a->count);
	ck_assert_uint_le(count, SOURCES);
	/* No call on the context, nor its end. */
	clopt_close(a->ctx);
	ck_assert_int_eq(clopt_finish(a->ctx), CLOPT_EINVAL);
	memcpy(a->to + 4 * a->count, a->from + 4 * a->count,
	       4 * (count - a->count) * sizeof *a->to);
	a->count = count;
	return a->calls++ == a->fail;
}

/* The row: some targets of all, by a process of its own. */
static int some(struct clopt *ctx, int gravity, struct arriving *a, size_t first, size_t count,
                const float *targets, float *out)
{
	struct clopt_group group = CLOPT_GROUP_INIT;
	struct clopt_potential_options p = CLOPT_POTENTIAL_OPTIONS_INIT;
	struct clopt_nbody_options b = CLOPT_NBODY_OPTIONS_INIT;

	memset(a->to, 0xff, 4 * SOURCES * sizeof *a->to); /* NaN */
	a->count = 0;
	a->calls = 0;
	group.all_targets = TARGETS;
	group.arrive = arrive;
	group.user = a;
	p.group = b.group = &group;
	b.softening = 0.01;
	return gravity ? clopt_nbody(ctx, SOURCES, a->to, count, targets + 4 * first,
	                             out + 4 * first, &b) :
	                 clopt_potential(ctx, SOURCES, a->to, count, targets + 4 * first,
	                                 out + first, &p);
}

/* By a tree, for which all sources have to be there. */
START_TEST(by_tree)
{
	struct clopt *ctx = test_open(NULL);
	struct clopt_group group = CLOPT_GROUP_INIT;
	struct clopt_nbody_options o = { .size = sizeof o, .softening = 0.01 };
	struct clopt_report r = CLOPT_REPORT_INIT;
	float *sources = test_points(SOURCES), want[4 * TARGETS], got[4 * TARGETS];
	struct arriving a = { .ctx = ctx, .from = sources, .fail = -1 };
	double off = 0, size = 0;
	size_t i;

	a.to = malloc(4 * SOURCES * sizeof *a.to);
	ck_assert_ptr_nonnull(a.to);
	CHECK_OK(ctx, clopt_nbody(ctx, SOURCES, sources, TARGETS, sources, want, &o));
	memset(a.to, 0xff, 4 * SOURCES * sizeof *a.to);
	group.all_targets = SOURCES;
	group.arrive = arrive;
	group.user = &a;
	o.group = &group;
	o.theta = 0.5;
	o.order = 3;
	CHECK_OK(ctx, clopt_nbody(ctx, SOURCES, a.to, TARGETS, sources, got, &o));
	ck_assert_uint_eq(a.count, SOURCES);
	CHECK_OK(ctx, clopt_last_report(ctx, &r));
	ck_assert_uint_eq(r.tree_order, 3);
	for (i = 0; i < 4 * TARGETS; i++) {
		off += pow((double)got[i] - (double)want[i], 2);
		size += pow((double)want[i], 2);
	}
	ck_assert(off < 1e-5 * size);
	a.fail = 0;
	a.count = 0;
	a.calls = 0;
	ck_assert_int_eq(clopt_nbody(ctx, SOURCES, a.to, TARGETS, sources, got, &o),
	                 CLOPT_ECANCELED);
	test_close(ctx);
	free(a.to);
	free(sources);
}
END_TEST

/* By way: in place, or in parts; the potential, or gravity. */
START_TEST(arriving)
{
	static const size_t ends[] = { 0, 3, 3, 450, TARGETS };
	const struct clopt_options options = { .size = sizeof options,
		                               .transfer = _i & 1 ? CLOPT_TRANSFER_DRIVER :
		                                                    CLOPT_TRANSFER_AUTO };
	const int gravity = _i >> 1;
	const struct clopt_nbody_options soft = { .size = sizeof soft, .softening = 0.01 };
	const size_t numbers = gravity ? 4 : 1;
	struct clopt *ctx = test_open(&options);
	float *sources = test_points(SOURCES), *targets = test_points(TARGETS + 1) + 4;
	float want[4 * TARGETS], got[4 * TARGETS];
	struct clopt_device_info info = { .size = sizeof info };
	int parts; /* whether the transfer says if there are some */
	struct arriving a = { .ctx = ctx, .from = sources, .fail = -1 };
	size_t i;

	CHECK_OK(ctx, clopt_device_get(ctx, &info));
	parts = info.unified && clopt_members(ctx) == 1;
	a.to = malloc(4 * SOURCES * sizeof *a.to);
	ck_assert_ptr_nonnull(a.to);
	for (i = 0; i < 4; i++) {
		CHECK_OK(ctx, some(ctx, gravity, &a, ends[i], ends[i + 1] - ends[i], targets, got));
		ck_assert_int_eq(a.calls > 0, ends[i + 1] > ends[i]);
		ck_assert(!a.calls || a.count == SOURCES);
		if (a.calls && parts)
			ck_assert_msg((a.calls > 1) == (_i & 1), "%zu to %zu: %d calls", ends[i],
			              ends[i + 1], a.calls);
	}
	CHECK_OK(ctx, gravity ?
	                      clopt_nbody(ctx, SOURCES, sources, TARGETS, targets, want, &soft) :
	                      clopt_potential(ctx, SOURCES, sources, TARGETS, targets, want, NULL));
	ck_assert(!memcmp(want, got, numbers * TARGETS * sizeof *want));
	/* One that fails, at once or later. */
	for (a.fail = 0; a.fail < 1 + (parts && (_i & 1)); a.fail++) {
		ck_assert_int_eq(some(ctx, gravity, &a, 0, TARGETS, targets, got), CLOPT_ECANCELED);
		ck_assert_ptr_nonnull(strstr(clopt_error(ctx), "arrive of the group ended with 1"));
	}
	a.fail = -1;
	CHECK_OK(ctx, some(ctx, gravity, &a, 0, TARGETS, targets, got));
	ck_assert(!memcmp(want, got, numbers * TARGETS * sizeof *want));
	test_close(ctx);
	free(a.to);
	free(targets - 4);
	free(sources);
}
END_TEST

/* ALPB adds up the charges first, so all of them. */
START_TEST(charges)
{
	struct clopt *ctx = test_open(NULL);
	struct clopt_group group = CLOPT_GROUP_INIT;
	struct clopt_potential_options p = CLOPT_POTENTIAL_OPTIONS_INIT;
	float *sources = test_points(SOURCES), targets[] = { 3, 3, 3, 0, -4, 2, 1, 0 }, want[2],
	      got[2];
	struct arriving a = { .from = sources, .fail = -1 };

	p.law = CLOPT_LAW_ALPB;
	p.radius = 2;
	CHECK_OK(ctx, clopt_potential(ctx, SOURCES, sources, 2, targets, want, &p));
	a.to = malloc(4 * SOURCES * sizeof *a.to);
	memset(a.to, 0xff, 4 * SOURCES * sizeof *a.to);
	group.arrive = arrive;
	group.user = &a;
	p.group = &group;
	CHECK_OK(ctx, clopt_potential(ctx, SOURCES, a.to, 2, targets, got, &p));
	ck_assert(!memcmp(want, got, sizeof want));
	test_close(ctx);
	free(a.to);
	free(sources);
}
END_TEST

/* ---- Bodies that move ------------------------------------------------------------------------ */

struct run {
	pthread_barrier_t barrier;
	char *rows; /* of all processes */
	int precision, integrator, fail;
	unsigned order; /* of a tree; 0: all pairs */
};

struct process {
	struct run *run;
	size_t first, count;
	double bodies[4 * BODIES], velocities[4 * BODIES];
	struct clopt_conserved sums;
	struct clopt_report report;
	int exchanges, rc;
	char text[256];
};

static void initial(double *bodies, double *velocities)
{
	float *p = test_points(2 * BODIES);
	size_t i;

	for (i = 0; i < 4 * BODIES; i++) {
		bodies[i] = p[i];
		velocities[i] = i % 4 == 3 ? 7 : p[4 * BODIES + i] - 0.5f;
	}
	free(p);
}

static int exchange(void *user, void *rows, size_t row_bytes)
{
	struct process *p = user;
	struct run *r = p->run;

	if (p->exchanges++ == r->fail)
		return 5;
	memcpy(r->rows + p->first * row_bytes, (char *)rows + p->first * row_bytes,
	       p->count * row_bytes);
	pthread_barrier_wait(&r->barrier);
	memcpy(rows, r->rows, BODIES * row_bytes);
	pthread_barrier_wait(&r->barrier);
	return 0;
}

static int keep(void *user, size_t step, const double *bodies, const double *velocities,
                const struct clopt_conserved *sums)
{
	(void)step;
	(void)bodies;
	(void)velocities;
	*(struct clopt_conserved *)user = *sums;
	return 0;
}

static void *process(void *what)
{
	struct process *p = what;
	struct clopt_evolve_options o = CLOPT_EVOLVE_OPTIONS_INIT;
	struct clopt_group group = CLOPT_GROUP_INIT;
	struct clopt *ctx;

	initial(p->bodies, p->velocities);
	p->rc = clopt_open(&ctx, NULL);
	o.precision = p->run->precision;
	o.integrator = p->run->integrator;
	o.softening = 0.05;
	o.order = p->run->order;
	o.theta = o.order ? 0.5 : 0;
	o.each = keep;
	o.user = &p->sums;
	group.first = p->first;
	group.count = p->count;
	group.exchange = exchange;
	group.user = p;
	o.group = p->count == BODIES ? NULL : &group;
	if (!p->rc) {
		p->rc = clopt_nbody_evolve(ctx, BODIES, p->bodies, p->velocities, 0.01, STEPS, &o);
		snprintf(p->text, sizeof p->text, "%s", p->rc ? clopt_error(ctx) : "");
		p->report.size = sizeof p->report;
		clopt_last_report(ctx, &p->report);
		clopt_close(ctx);
	}
	return NULL;
}

/* The steps by one process, and by three, one of which has no body; each ends with all of them. */
static void move(struct run *run, struct process *alone, struct process *of)
{
	pthread_t thread[PROCESSES];
	size_t i;

	run->rows = calloc(BODIES, 64);
	ck_assert(run->rows && !pthread_barrier_init(&run->barrier, NULL, PROCESSES));
	alone->run = run;
	alone->count = BODIES;
	process(alone);
	ck_assert_msg(alone->rc == CLOPT_OK, "%s", alone->text);
	for (i = 0; i < PROCESSES; i++) {
		of[i].run = run;
		of[i].first = i == 0 ? 0 : 128;
		of[i].count = i == 0 ? 128 : i == 1 ? 0 : BODIES - 128;
		ck_assert(!pthread_create(&thread[i], NULL, process, &of[i]));
	}
	for (i = 0; i < PROCESSES; i++)
		pthread_join(thread[i], NULL);
	for (i = 0; i < PROCESSES; i++)
		ck_assert_msg(of[i].rc == CLOPT_OK, "%zu: %s", i, of[i].text);
	pthread_barrier_destroy(&run->barrier);
	free(run->rows);
}

START_TEST(moving)
{
	static const int precisions[] = { CLOPT_PRECISION_FLOAT, CLOPT_PRECISION_DOUBLE_SINGLE,
		                          CLOPT_PRECISION_DOUBLE };
	static struct process alone, of[PROCESSES];
	struct run run = { .precision = precisions[_i / 2],
		           .integrator = _i % 2 ? CLOPT_INTEGRATOR_HERMITE :
		                                  CLOPT_INTEGRATOR_KICK_DRIFT_KICK,
		           .fail = -1 };
	size_t i;

	move(&run, &alone, of);
	for (i = 0; i < PROCESSES; i++) {
		ck_assert(!memcmp(of[i].bodies, alone.bodies, sizeof alone.bodies));
		ck_assert(!memcmp(of[i].velocities, alone.velocities, sizeof alone.velocities));
		ck_assert(!memcmp(&of[i].sums, &alone.sums, sizeof alone.sums));
	}
}
END_TEST

/* By trees, in which others are neighbours than in that of one process. */
START_TEST(moving_by_trees)
{
	static struct process alone, of[PROCESSES];
	struct run run = { .precision = CLOPT_PRECISION_FLOAT, .fail = -1 };
	size_t i, j;

	run.order = 3;
	move(&run, &alone, of);
	for (i = 0; i < PROCESSES; i++) {
		ck_assert_uint_eq(of[i].report.tree_order, of[i].count ? 3 : 0);
		ck_assert_uint_eq(of[i].report.error_targets, of[i].count);
		ck_assert(!memcmp(of[i].bodies, of[0].bodies, sizeof alone.bodies));
		ck_assert(!memcmp(of[i].velocities, of[0].velocities, sizeof alone.velocities));
		ck_assert(!memcmp(&of[i].sums, &of[0].sums, sizeof alone.sums));
	}
	ck_assert_double_eq_tol(of[0].sums.potential / alone.sums.potential, 1, 1e-3);
	for (j = 0; j < 4 * BODIES; j++)
		ck_assert_msg(fabs(of[0].velocities[j] - alone.velocities[j]) < 0.05,
		              "%zu: %g, alone %g", j, of[0].velocities[j], alone.velocities[j]);
}
END_TEST

/* An exchange that fails ends the call, with the bodies as they were. */
START_TEST(failing)
{
	static struct process p;
	double bodies[4 * BODIES], velocities[4 * BODIES];
	struct run run = { .fail = _i };

	initial(bodies, velocities);
	run.rows = calloc(BODIES, 64);
	ck_assert(run.rows && !pthread_barrier_init(&run.barrier, NULL, 1));
	p.run = &run;
	p.count = 64;
	process(&p);
	ck_assert_int_eq(p.rc, CLOPT_ECANCELED);
	ck_assert_ptr_nonnull(strstr(p.text, "exchange of the group ended with 5"));
	ck_assert(!memcmp(p.bodies, bodies, sizeof bodies));
	ck_assert(!memcmp(p.velocities, velocities, sizeof velocities));
	pthread_barrier_destroy(&run.barrier);
	free(run.rows);
}
END_TEST

START_TEST(refused)
{
	struct clopt *ctx = test_open(NULL);
	struct clopt_group group = CLOPT_GROUP_INIT;
	struct clopt_nbody_options b = CLOPT_NBODY_OPTIONS_INIT;
	struct clopt_evolve_options e = CLOPT_EVOLVE_OPTIONS_INIT;
	float p[8] = { 0, 0, 0, 1, 1, 0, 0, 1 }, out[8];
	double bodies[8] = { 0, 0, 0, 1, 1, 0, 0, 1 }, velocities[8] = { 0 };

	b.group = e.group = &group;
	group.all_targets = 1;
	ck_assert_int_eq(clopt_nbody(ctx, 2, p, 2, p, out, &b), CLOPT_EINVAL);
	ck_assert_ptr_nonnull(strstr(clopt_error(ctx), "2 targets"));
	ck_assert_int_eq(clopt_nbody_evolve(ctx, 2, bodies, velocities, 0.1, 1, &e), CLOPT_EINVAL);
	group.all_targets = 0;
	group.exchange = exchange;
	ck_assert_int_eq(clopt_nbody(ctx, 2, p, 2, p, out, &b), CLOPT_EINVAL);
	ck_assert_int_eq(clopt_nbody_leapfrog(ctx, 2, p, out, 0.1, 1, &b), CLOPT_EINVAL);
	group.first = 2;
	group.count = 1;
	ck_assert_int_eq(clopt_nbody_evolve(ctx, 2, bodies, velocities, 0.1, 1, &e), CLOPT_EINVAL);
	ck_assert_ptr_nonnull(strstr(clopt_error(ctx), "1 bodies from 2 on, there are 2"));
	group.size = 3;
	ck_assert_int_eq(clopt_nbody(ctx, 2, p, 2, p, out, &b), CLOPT_EINVAL);
	test_close(ctx);
}
END_TEST

SUITE(group, long)
{
	tcase_add_loop_test(c, arriving, 0, 4);
	tcase_add_test(c, by_tree);
	tcase_add_test(c, charges);
	tcase_add_loop_test(c, moving, 0, 6);
	tcase_add_test(c, moving_by_trees);
	tcase_add_loop_test(c, failing, 0, 3);
	tcase_add_test(c, refused);
}
