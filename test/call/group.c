/* SPDX-License-Identifier: MIT */
/*
 * group.c - bodies whose forces several processes compute, here threads.  Results have the bits of
 * one call.  random/pair.c has sums for some targets of all.
 */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suites.h"
#include "clopt_device.h"

enum {
	BODIES = 300,
	STEPS = 5,
	PROCESSES = 3
};

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
	}
	test_in_threads(process, of, sizeof *of, PROCESSES);
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
	ck_assert_ptr_nonnull(strstr(p.text, "group.exchange returned 5"));
	ck_assert(!memcmp(p.bodies, bodies, sizeof bodies));
	ck_assert(!memcmp(p.velocities, velocities, sizeof velocities));
	pthread_barrier_destroy(&run.barrier);
	free(run.rows);
}
END_TEST

SUITE(group, long)
{
	tcase_add_loop_test(c, moving, 0, 6);
	tcase_add_test(c, moving_by_trees);
	tcase_add_loop_test(c, failing, 0, 3);
}
