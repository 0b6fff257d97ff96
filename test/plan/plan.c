/* SPDX-License-Identifier: MIT */
/*
 * plan.c - clopt_plan: calls do as planned.
 */
#include <stdlib.h>

#include "ask.h"
#include "suites.h"
#include "wrap.h"

#define KIB ((size_t)1 << 10)
#define MIB ((size_t)1 << 20)

/* Numbers for an array of n floats, 16 bytes behind a page as malloc aligns large arrays.  The next
 * array does not overlap it. */
static float *numbers(char **memory, size_t n)
{
	const size_t page = 4096, bytes = (n * sizeof(float) / page + 2) * page;
	float *x;
	size_t i;

	ck_assert_int_eq(posix_memalign((void **)memory, page, bytes), 0);
	x = (float *)(*memory + 16);
	for (i = 0; i < n; i++)
		x[i] = 0.5f + (float)(i * 7919 % 1000) / 1000;
	return x;
}

static int call_matmul(struct clopt *ctx, const struct clopt_problem *p, float *a, float *b,
                       float *c)
{
	struct clopt_gemm_desc g = CLOPT_GEMM_DESC_INIT;
	const int ta = p->transa == CLOPT_TRANS_YES, tb = p->transb == CLOPT_TRANS_YES;

	g.type = p->elem_bytes ? (int)p->elem_bytes : CLOPT_TYPE_FLOAT;
	g.transa = ta ? CLOPT_TRANS_YES : CLOPT_TRANS_NO;
	g.transb = tb ? CLOPT_TRANS_YES : CLOPT_TRANS_NO;
	g.triangle = p->triangle;
	g.m = p->dim[0];
	g.n = p->dim[1];
	g.k = p->dim[2];
	g.lda = ta ? g.m : g.k;
	g.ldb = tb ? g.k : g.n;
	g.ldc = g.n;
	g.batch = p->batch ? p->batch : 1;
	g.stride_a = g.m * g.k;
	g.stride_b = g.k * g.n;
	g.stride_c = g.m * g.n;
	return clopt_gemm(ctx, &g, a, b, c);
}

static int call_evolve(struct clopt *ctx, const struct clopt_problem *p, float *bodies,
                       float *velocities)
{
	struct clopt_evolve_options o = CLOPT_EVOLVE_OPTIONS_INIT;
	double *x = (double *)bodies, *v = (double *)velocities;
	size_t i;

	for (i = 0; i < 4 * p->dim[0]; i++)
		x[i] = v[i] = (double)(i % 97);
	o.softening = 1;
	o.precision = p->precision;
	o.integrator = p->outputs & 1 ? CLOPT_INTEGRATOR_HERMITE : CLOPT_INTEGRATOR_KICK_DRIFT_KICK;
	return clopt_nbody_evolve(ctx, p->dim[0], x, v, 1e-3, p->steps, &o);
}

/* The number of floats of the problem's largest array. */
static size_t largest(const struct clopt_problem *p)
{
	const size_t words = p->elem_bytes > 4 ? p->elem_bytes / 4 : 1;
	const size_t m = p->dim[0], n = p->dim[1], k = p->dim[2], batch = p->batch ? p->batch : 1;
	size_t most = m * n;

	if (p->op != CLOPT_OP_MATMUL && p->op != CLOPT_OP_TRANSPOSE)
		return 8 * (m > n ? m : n);
	most = m * k > most ? m * k : most;
	most = k * n > most ? k * n : most;
	return most * words * batch;
}

int forecast_call(struct clopt *ctx, const struct clopt_problem *p)
{
	struct clopt_nbody_options o = CLOPT_NBODY_OPTIONS_INIT;
	const size_t *d = p->dim, elem = p->elem_bytes ? p->elem_bytes : 4;
	char *memory[3];
	float *x[3];
	int i, rc;

	for (i = 0; i < 3; i++)
		x[i] = numbers(&memory[i], largest(p));
	o.softening = 1;
	switch (p->op) {
	case CLOPT_OP_MATMUL:
		rc = call_matmul(ctx, p, x[0], x[1], x[2]);
		break;
	case CLOPT_OP_TRANSPOSE:
		rc = clopt_transpose_strided_batched(ctx, d[0], d[1], elem, x[0], d[1], d[0] * d[1],
		                                     x[1], d[0], d[0] * d[1],
		                                     p->batch ? p->batch : 1);
		break;
	case CLOPT_OP_POTENTIAL:
		rc = clopt_potential(ctx, d[0], x[0], d[1], x[1], x[2], NULL);
		break;
	case CLOPT_OP_NBODY:
		rc = clopt_nbody(ctx, d[0], x[0], d[1], x[1], x[2], &o);
		break;
	case CLOPT_OP_LEAPFROG:
		rc = clopt_nbody_leapfrog(ctx, d[0], x[0], x[1], 1e-3, p->steps, &o);
		break;
	default:
		rc = call_evolve(ctx, p, x[0], x[1]);
	}
	for (i = 0; i < 3; i++)
		free(memory[i]);
	return rc;
}

struct clopt *forecast_open(const struct ask *a)
{
	struct clopt_options options = CLOPT_OPTIONS_INIT;
	struct clopt *ctx;

	options.mem_limit_bytes = a->limit_bytes;
	options.transfer = a->transfer;
	options.queues = (unsigned)a->queues;
	options.variants = a->variants;
	options.copy_threads = a->transfer == CLOPT_TRANSFER_STAGED ? 2 : 0;
	options.chunk_bytes = a->transfer == CLOPT_TRANSFER_STAGED ? 64 * KIB : 0;
	wrap_discrete(a->discrete);
	wrap_no_units(a->is_small);
	ctx = test_open(&options);
	wrap_no_units(0);
	return ctx;
}

static const struct ask asks[] = {
	/* In place where host and device share memory. */
	{ .p = { .op = CLOPT_OP_MATMUL, .dim = { 300, 200, 100 } } },
	{ .p = { .op = CLOPT_OP_TRANSPOSE, .dim = { 700, 300 }, .elem_bytes = 16 } },
	{ .p = { .op = CLOPT_OP_POTENTIAL, .dim = { 500, 700 } } },
	{ .p = { .op = CLOPT_OP_NBODY, .dim = { 700, 500 } } },
	/* Cut along one size, along two, and the sums. */
	{ .p = { .op = CLOPT_OP_MATMUL, .dim = { 700, 700, 700 } },
	  .limit_bytes = 3 * MIB / 2,
	  .bands = 4 },
	{ .p = { .op = CLOPT_OP_MATMUL,
	         .dim = { 300, 500, 400 },
	         .elem_bytes = 8,
	         .transa = CLOPT_TRANS_YES,
	         .transb = CLOPT_TRANS_YES },
	  .limit_bytes = MIB,
	  .bands = 2 },
	{ .p = { .op = CLOPT_OP_MATMUL, .dim = { 4, 4, 100000 }, .transb = CLOPT_TRANS_YES },
	  .limit_bytes = 200000,
	  .sum_parts = 3 },
	{ .p = { .op = CLOPT_OP_TRANSPOSE, .dim = { 3000, 1000 } },
	  .limit_bytes = 3 * MIB,
	  .bands = 2 },
	{ .p = { .op = CLOPT_OP_POTENTIAL, .dim = { 30000, 4 } },
	  .limit_bytes = 40000,
	  .sum_parts = 3 },
	{ .p = { .op = CLOPT_OP_NBODY, .dim = { 20000, 20000 } },
	  .limit_bytes = MIB / 2,
	  .bands = 2 },
	/* A device with memory of its own, or one that reports so. */
	{ .p = { .op = CLOPT_OP_MATMUL, .dim = { 1000, 1000, 1000 } }, .discrete = 1 },
	{ .p = { .op = CLOPT_OP_TRANSPOSE, .dim = { 4000, 4000 } },
	  .discrete = 1,
	  .is_small = 1,
	  .queues = 3,
	  .bands = 2 },
	{ .p = { .op = CLOPT_OP_TRANSPOSE, .dim = { 1500, 1500 }, .elem_bytes = 8 },
	  .discrete = 1,
	  .transfer = CLOPT_TRANSFER_DRIVER },
	{ .p = { .op = CLOPT_OP_MATMUL, .dim = { 300, 300, 300 } },
	  .discrete = 1,
	  .transfer = CLOPT_TRANSFER_STAGED,
	  .limit_bytes = 500 * KIB,
	  .queues = 2,
	  .bands = 2 },
	{ .p = { .op = CLOPT_OP_NBODY, .dim = { 20000, 20000 } },
	  .discrete = 1,
	  .limit_bytes = MIB / 2,
	  .bands = 2 },
	{ .p = { .op = CLOPT_OP_POTENTIAL, .dim = { 1000, 3000 } }, .discrete = 1 },
	/* Halves whose k does not fit. */
	{ .p = { .op = CLOPT_OP_MATMUL, .dim = { 3, 520, 20000 }, .elem_bytes = 2 },
	  .limit_bytes = 70000,
	  .sum_parts = 3 },
	{ .p = { .op = CLOPT_OP_MATMUL,
	         .dim = { 5, 4, 9000 },
	         .elem_bytes = 2,
	         .transa = CLOPT_TRANS_YES,
	         .batch = 3 },
	  .discrete = 1,
	  .limit_bytes = 20000,
	  .sum_parts = 2 },
	/* Batches, and a triangle, whose other half goes up. */
	{ .p = { .op = CLOPT_OP_MATMUL, .dim = { 40, 40, 40 }, .batch = 50 } },
	{ .p = { .op = CLOPT_OP_MATMUL, .dim = { 40, 40, 40 }, .batch = 50 },
	  .limit_bytes = 100 * KIB,
	  .bands = 2 },
	{ .p = { .op = CLOPT_OP_MATMUL, .dim = { 200, 200, 200 }, .batch = 3 }, /* not overlapped */
	  .limit_bytes = 200 * KIB,
	  .bands = 2 },
	{ .p = { .op = CLOPT_OP_TRANSPOSE, .dim = { 60, 90 }, .batch = 20 }, .discrete = 1 },
	{ .p = { .op = CLOPT_OP_MATMUL, .dim = { 150, 150, 70 }, .triangle = CLOPT_UPLO_LOWER },
	  .discrete = 1 },
	{ .p = { .op = CLOPT_OP_MATMUL, .dim = { 300, 200, 100 } },
	  .variants = "matmul/image-4x4",
	  .limit_bytes = 400 * KIB },
	/* Bodies that move. */
	{ .p = { .op = CLOPT_OP_LEAPFROG, .dim = { 1000 }, .steps = 3 } },
	{ .p = { .op = CLOPT_OP_EVOLVE_STEP,
	         .dim = { 700 },
	         .precision = CLOPT_PRECISION_DOUBLE_SINGLE,
	         .steps = 2 } },
	{ .p = { .op = CLOPT_OP_EVOLVE_STEP,
	         .dim = { 700 },
	         .precision = CLOPT_PRECISION_FLOAT,
	         .outputs = 1,
	         .steps = 2 } },
	/* Empty problems. */
	{ .p = { .op = CLOPT_OP_MATMUL, .dim = { 0, 200, 100 } } },
};

static void expect_as_planned(const struct clopt_plan_info *plan, const struct clopt_report *r)
{
	ck_assert((plan->variant == NULL) == (r->variant == NULL));
	if (plan->variant)
		ck_assert_str_eq(plan->variant, r->variant);
	ck_assert_uint_eq(plan->bands, r->bands);
	ck_assert_uint_eq(plan->queues, r->queues);
	ck_assert_uint_eq(plan->sum_parts, r->sum_parts);
	ck_assert_uint_eq(plan->up_bytes, r->up_bytes);
	ck_assert_uint_eq(plan->down_bytes, r->down_bytes);
	ck_assert_uint_eq(plan->in_place_bytes, r->in_place_bytes);
	ck_assert_uint_eq(plan->staged_bytes, r->staged_bytes);
}

START_TEST(as_planned)
{
	const struct ask *a = &asks[_i];
	struct clopt_problem p = a->p;
	struct clopt_plan_info plan = { .size = sizeof plan },
	                       dry = { .size = sizeof dry, .dry = 1 };
	struct clopt_report report = { .size = sizeof report };
	struct clopt *ctx;
	unsigned long long before, peak;

	if ((a->discrete || a->transfer == CLOPT_TRANSFER_STAGED) && !test_can_stage("as_planned"))
		return;
	ctx = forecast_open(a);
	p.size = sizeof p;
	wrap_peak_bytes();
	before = wrap_peak_bytes();
	CHECK_OK(ctx, clopt_plan(ctx, &p, &dry));
	ck_assert(dry.seconds == 0 && dry.throughput_source == CLOPT_THROUGHPUT_SOURCE_UNKNOWN);
	ck_assert_msg(wrap_peak_bytes() <= before, "a dry plan takes memory");
	CHECK_OK(ctx, clopt_plan(ctx, &p, &plan));
	wrap_peak_bytes();
	peak = wrap_peak_bytes(); /* memory that staging keeps */
	CHECK_OK(ctx, forecast_call(ctx, &p));
	peak = wrap_peak_bytes() - peak;
	CHECK_OK(ctx, clopt_last_report(ctx, &report));
	expect_as_planned(&plan, &report);
	ck_assert_msg(peak == plan.device_bytes, "%llu bytes on the device, planned %zu", peak,
	              plan.device_bytes);
	ck_assert(plan.fits && !plan.needed_bytes && !plan.reason[0]);
	ck_assert_msg(
	        plan.bands >= a->bands && plan.sum_parts >= a->sum_parts,
	        "%zu bands by %s, %zu parts of sums; up %g s, kernel %g s, down %g s, staged %zu",
	        plan.bands, plan.variant, plan.sum_parts, plan.up_seconds, plan.kernel_seconds,
	        plan.down_seconds, plan.staged_bytes);
	ck_assert(!a->limit_bytes || plan.device_bytes <= a->limit_bytes);
	ck_assert((plan.staged_bytes > 0) == (plan.pinned_bytes > 0));
	if (plan.variant) {
		ck_assert(plan.throughput_source == CLOPT_THROUGHPUT_SOURCE_TRIAL &&
		          plan.kernel_seconds > 0);
		ck_assert((plan.up_bytes > 0) == (plan.up_seconds > 0));
		ck_assert((plan.down_bytes > 0) == (plan.down_seconds > 0));
		ck_assert(plan.seconds >= plan.kernel_seconds);
		ck_assert(plan.seconds >= plan.up_seconds && plan.seconds >= plan.down_seconds);
	}
	test_close(ctx);
	wrap_discrete(0);
}
END_TEST

SUITE(plan, long)
{
	test_add_rows(c, as_planned, 0, (int)(sizeof asks / sizeof *asks));
}
