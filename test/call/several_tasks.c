/* SPDX-License-Identifier: MIT */
/*
 * several_tasks.c - calls of each kind that several devices can share, on small arrays.
 */
#include <string.h>

#include "several.h"

double a[N * N], b[N * N], got[N * N], wanted[N * N];
float fa[4 * N * N], fb[4 * N * N], fgot[4 * N * N], fwanted[4 * N * N];

void fill(void)
{
	size_t i;

	for (i = 0; i < N * N; i++) {
		a[i] = (double)(i * 7919 % 1013) / 64;
		b[i] = (double)(i * 104729 % 997) / 128;
	}
	for (i = 0; i < 4 * N * N; i++) {
		fa[i] = (float)(i * 7919 % 1013) / 64;
		fb[i] = (float)(i * 104729 % 997) / 128;
	}
}

/* A context of n members, the first on these options. */
struct clopt *joined(size_t n, const struct clopt_options *given)
{
	struct clopt_options o = *given;
	struct clopt *member[MEMBERS], *ctx;
	size_t i;

	o.share = o.share ? o.share : CLOPT_SHARE_EVERY;
	for (i = 0; i < n; i++)
		member[i] = test_open(&o);
	CHECK_OK(NULL, clopt_join(&ctx, member, n));
	ck_assert(ctx == member[0]);
	ck_assert_uint_eq(clopt_members(ctx), n);
	for (i = 0; i < n; i++)
		ck_assert(clopt_member(ctx, i) == member[i]);
	ck_assert_ptr_null(clopt_member(ctx, n));
	return ctx;
}

/* How many members did something in the last call, and whether their parts are the whole. */
size_t workers(struct clopt *ctx, struct clopt_member_share *share)
{
	size_t count, i, working = 0;
	double all = 0;

	for (i = 0; i < MEMBERS; i++)
		share[i].size = sizeof share[i];
	CHECK_OK(ctx, clopt_last_shares(ctx, share, MEMBERS, &count));
	ck_assert_uint_eq(count, clopt_members(ctx));
	for (i = 0; i < count; i++) {
		working += share[i].share > 0;
		all += share[i].share;
		ck_assert(share[i].share == 0 || (share[i].bands > 0 && *share[i].device));
	}
	ck_assert_double_eq_tol(all, 1, 1e-9);
	return working;
}

/* A routine that leaves a result of so many floats, or doubles. */
int product(struct clopt *ctx, void *c)
{
	return clopt_dgemm(ctx, CLOPT_LAYOUT_ROW_MAJOR, CLOPT_TRANS_NO, CLOPT_TRANS_YES, N, N, N, 1,
	                   a, N, b, N, 0, c, N);
}

int added(struct clopt *ctx, void *c)
{
	return clopt_dgemm(ctx, CLOPT_LAYOUT_COL_MAJOR, CLOPT_TRANS_YES, CLOPT_TRANS_NO, N, N, N, 2,
	                   a, N, b, N, -1, c, N);
}

/* The lower triangle. */
int triangle(struct clopt *ctx, void *c)
{
	return clopt_syrk(ctx, CLOPT_TYPE_DOUBLE, CLOPT_LAYOUT_ROW_MAJOR, CLOPT_UPLO_LOWER,
	                  CLOPT_TRANS_NO, N, N, 1, a, N, 1, c, N);
}

static int batch(struct clopt *ctx, void *c)
{
	return clopt_gemm_strided_batched(ctx, CLOPT_TYPE_FLOAT, CLOPT_LAYOUT_ROW_MAJOR,
	                                  CLOPT_TRANS_NO, CLOPT_TRANS_NO, 7, 9, 11, 1, fa, 11, 77,
	                                  fb, 9, 99, 0, c, 9, 63, 300);
}

/* In small memory its products go one by one. */
static int large_batch(struct clopt *ctx, void *c)
{
	const size_t n = 160;

	return clopt_gemm_strided_batched(ctx, CLOPT_TYPE_FLOAT, CLOPT_LAYOUT_ROW_MAJOR,
	                                  CLOPT_TRANS_NO, CLOPT_TRANS_NO, n, n, n, 1, fa, n, n * n,
	                                  fb, n, n * n, 0, c, n, n * n, 3);
}

static int transpose(struct clopt *ctx, void *c)
{
	return clopt_transpose(ctx, N, N, 8, a, N, c, N);
}

static int potential(struct clopt *ctx, void *c)
{
	return clopt_potential(ctx, 100, fa, N * N / 4, fb, c, NULL);
}

static int gravity(struct clopt *ctx, void *c)
{
	return clopt_nbody(ctx, 100, fa, N * N / 8, fb, c, NULL);
}

/* Of bodies: what is near would make a difference in rounding large. */
#define SOFTENING 1

/* By a tree, so far as memory has room. */
static int tree_gravity(struct clopt *ctx, void *c)
{
	struct clopt_nbody_options o = CLOPT_NBODY_OPTIONS_INIT;

	o.softening = SOFTENING;
	o.order = 3;
	o.theta = 0.6;
	return clopt_nbody(ctx, N * N / 8, fa, N * N / 8, fa, c, &o);
}

static int tree_potential(struct clopt *ctx, void *c)
{
	struct clopt_potential_options o = CLOPT_POTENTIAL_OPTIONS_INIT;

	o.kappa = 0.01;
	o.order = 2;
	o.theta = 0.6;
	return clopt_potential(ctx, 1000, fa, N * N / 8, fb, c, &o);
}

static int map(struct clopt *ctx, void *c)
{
	static const char source[] = "__kernel void f(__global const float *x, __global float *y, "
	                             "ulong first)"
	                             "{ size_t i = get_global_id(0); y[i] = x[i] + first + i; }";
	const struct clopt_arg args[] = { { CLOPT_ARG_IN, fa, 4 },
		                          { CLOPT_ARG_OUT, c, 4 },
		                          { CLOPT_ARG_FIRST, NULL, 0 } };
	struct clopt_map_desc m = CLOPT_MAP_DESC_INIT;

	m.source = source;
	m.name = "f";
	m.items = N * N;
	m.args = args;
	m.nargs = 3;
	return clopt_map(ctx, &m);
}

/* Of each step that is shown. */
static int energy(void *user, size_t step, const double *bodies, const double *velocities,
                  const struct clopt_conserved *sums)
{
	((double *)user)[step] = sums->kinetic + sums->potential;
	return 0;
}

/* Bodies, then velocities. */
static int leapfrog(struct clopt *ctx, void *c)
{
	struct clopt_nbody_options o = CLOPT_NBODY_OPTIONS_INIT;
	float *const bodies = c;

	o.softening = SOFTENING;
	memcpy(bodies, fa, 8 * N * sizeof *bodies);
	return clopt_nbody_leapfrog(ctx, N, bodies, bodies + 4 * N, 0.01f, 3, &o);
}

static int evolve(struct clopt *ctx, void *c, int integrator, int precision)
{
	struct clopt_evolve_options o = CLOPT_EVOLVE_OPTIONS_INIT;
	double *const bodies = c;

	o.integrator = integrator;
	o.precision = precision;
	o.softening = SOFTENING;
	o.each = energy;
	o.user = bodies + 8 * N;
	o.every = 2;
	memcpy(bodies, a, 8 * N * sizeof *bodies);
	return clopt_nbody_evolve(ctx, N, bodies, bodies + 4 * N, 0.01, 3, &o);
}

int hermite(struct clopt *ctx, void *c)
{
	return evolve(ctx, c, CLOPT_INTEGRATOR_HERMITE, CLOPT_PRECISION_FLOAT);
}

static int kicks(struct clopt *ctx, void *c)
{
	return evolve(ctx, c, CLOPT_INTEGRATOR_KICK_DRIFT_KICK, CLOPT_PRECISION_FLOAT);
}

const struct task tasks[TASKS] = {
	{ product, 0, 0, 1e-13, 0 },     { added, 0, 1, 1e-13, 0 },
	{ triangle, 0, 1, 1e-13, 0 },    { batch, 1, 0, 1e-5, 0 },
	{ transpose, 0, 0, 0, 0 },       { potential, 1, 0, 1e-5, 0 },
	{ gravity, 1, 0, 1e-4, 0 },      { map, 1, 0, 0, 0 },
	{ leapfrog, 1, 0, 1e-5, 0 },     { hermite, 0, 0, 1e-5, 0 },
	{ kicks, 0, 0, 1e-5, 0 },        { large_batch, 1, 0, 1e-5, 0 },
	{ tree_gravity, 1, 0, 1e-4, 1 }, { tree_potential, 1, 0, 1e-4, 1 },
};

void prepare(void)
{
	size_t i;

	for (i = 0; i < N * N; i++)
		got[i] = wanted[i] = 1;
	for (i = 0; i < 4 * N * N; i++)
		fgot[i] = fwanted[i] = 1;
}

void *result(const struct task *t, int right)
{
	return t->floats ? (void *)(right ? fwanted : fgot) : right ? wanted : got;
}

int is_right(void)
{
	return !memcmp(got, wanted, sizeof got) && !memcmp(fgot, fwanted, sizeof fgot);
}

void expect_same(struct clopt *one, struct clopt *ctx, int rounds)
{
	struct clopt_member_share share[MEMBERS];
	size_t most = 0, working;
	int i, round;

	fill();
	for (i = 0; i < TASKS; i++)
		for (round = 0; round < rounds; round++) {
			prepare();
			CHECK_OK(one, tasks[i].run(one, result(&tasks[i], 1)));
			CHECK_OK(ctx, tasks[i].run(ctx, result(&tasks[i], 0)));
			ck_assert_msg(is_right(), "task %d differs", i);
			working = workers(ctx, share);
			most = working > most ? working : most;
		}
	ck_assert_uint_ge(most, 2);
}
