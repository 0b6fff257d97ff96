/* SPDX-License-Identifier: MIT */
/*
 * restarts.c - snapshots of nbody, and steps of a body's own.  test/programs.py stops runs that go
 * on.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nbody/nb.h"

#include "../examples/examples.h"
#include "folder.h"
#include "suites.h"

static char folder[FOLDER_SIZE];

static const char *at(const char *name)
{
	return folder_at(folder, name);
}

/* Snapshots each K steps, with the time of the step. */
START_TEST(snapshots)
{
	static const char *const formats[] = { "table", "tipsy", "hdf5" };
	static const char *const ends[] = { "txt", "tipsy", "hdf5" };
	struct fault e;
	struct nb_system s;
	char name[16];
	int k;

	if (_i == NB_HDF5 && nb_snapshot_try("hdf5", &e))
		return;
	ck_assert_int_eq(RUN(nbody, "--quiet", "--n", "50", "--dt", "0.3", "--until", "1",
	                     "--every", "2", "--snapshots", folder, "--format", formats[_i]),
	                 0);
	for (k = 0; k < 3; k++) {
		snprintf(name, sizeof name, "%05d.%s", k, ends[_i]);
		ck_assert_msg(nb_read(&s, NULL, at(name), &e) == 0, "%s", e.text);
		ck_assert_uint_eq(s.n, 50);
		ck_assert_double_eq_tol(s.time, 0.5 * k, 1e-12); /* 4 steps of 0.25 */
		nb_system_free(&s);
	}
	snprintf(name, sizeof name, "00003.%s", ends[_i]);
	ck_assert_int_eq(access(at(name), F_OK), -1);
}
END_TEST

/* Two bodies on an eccentric orbit and one far away: steps of their own take a small part of the
 * forces of equal steps with the same error. */
static double energy, forces, told;

static int watch(void *user, size_t step, const double *body, const double *velocity,
                 const struct clopt_conserved *sums)
{
	double *first = user;

	(void)body, (void)velocity;
	if (step == 0)
		*first = sums->kinetic + sums->potential;
	energy = fabs((sums->kinetic + sums->potential) / *first - 1);
	return 0;
}

static void tell(void *user, double steps)
{
	(void)user;
	ck_assert_double_gt(steps, told);
	told = steps;
}

static void blocks_run(struct clopt *ctx, struct nb_system *s, double eta)
{
	double first;
	struct nb_blocks b = { .ctx = ctx,
		               .dt = 1.0 / 16,
		               .eta = eta,
		               .steps = 8,
		               .every = 8,
		               .precision = CLOPT_PRECISION_BEST,
		               .each = watch,
		               .tell = tell,
		               .user = &first };
	struct nb_blocks_done done;
	struct fault e;

	ck_assert_int_eq(nb_model("binaries")->make(s, 88, 3, &e), 0);
	nb_system_settle(s, 0, 1);
	ck_assert_int_eq(nb_system_rates(s, &e), 0);
	told = 0;
	CHECK_OK(ctx, nb_blocks(&b, s, &done));
	ck_assert_double_eq(told, 8);
	forces = done.forces;
}

START_TEST(blocks)
{
	struct clopt_evolve_options o = CLOPT_EVOLVE_OPTIONS_INIT;
	struct clopt *ctx = test_open(NULL);
	struct nb_system s, t;
	const size_t steps = 1024;
	double rough, first, at_eta;
	struct fault e;

	blocks_run(ctx, &s, 0.02);
	rough = energy;
	at_eta = forces;
	nb_system_free(&s);
	/* Fourth order: half the steps, of a quarter of eta, have a sixteenth of the error. */
	blocks_run(ctx, &s, 0.02 / 16);
	ck_assert_double_lt(energy, rough / 10);
	ck_assert_double_lt(forces, 6 * at_eta);
	/* All steps equal: more than three times the forces, and no smaller error. */
	ck_assert_int_eq(nb_model("binaries")->make(&t, 88, 3, &e), 0);
	o.integrator = CLOPT_INTEGRATOR_HERMITE;
	o.each = watch;
	o.user = &first;
	o.every = steps;
	CHECK_OK(ctx,
	         clopt_nbody_evolve(ctx, t.n, t.body, t.velocity, 0.5 / (double)steps, steps, &o));
	printf("blocks: error %.1e by %.0f forces, equal steps %.1e by %.0f\n", rough, at_eta,
	       energy, (double)steps * 88);
	ck_assert_double_gt(energy, rough);
	ck_assert_double_gt((double)steps * 88, 3 * at_eta);
	nb_system_free(&s);
	nb_system_free(&t);
	test_close(ctx);
}
END_TEST

static void enter(void)
{
	folder_make(folder);
}

static void leave(void)
{
	folder_remove(folder);
}

SUITE(nbody_restarts, long)
{
	tcase_add_checked_fixture(c, enter, leave);
	test_add_rows(c, snapshots, 0, 3);
	tcase_add_test(c, blocks);
}
