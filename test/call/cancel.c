/* SPDX-License-Identifier: MIT */
/*
 * cancel.c - clopt_cancel at any moment of any call, progress, and outputs kept.
 *
 * A cancelled call ends with CLOPT_OK and the right result, or with CLOPT_ECANCELED; then outputs
 * that are inputs are as they were, nothing moves any more, and the context gives right results.
 */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "suites.h"
#include "wrap.h"

enum {
	N = 96,
	BODIES = 256,
	FENCE = 64,
	BATCH = 7
};

/* Arrays of a call: inputs, and an output with fences, which may be an input too. */
struct arrays {
	double in[2][BATCH * N * N], fenced[BATCH * N * N + 2 * FENCE];
	double before[BATCH * N * N], right[BATCH * N * N];
};
static struct arrays a;
#define OUT (a.fenced + FENCE)

static void fill(double *x, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		x[i] = (double)(i * 7 % 11) - 5;
}

static void fill_floats(void *to, size_t n)
{
	float *x = to;
	size_t i;

	for (i = 0; i < n; i++)
		x[i] = (float)(i * 7 % 13) / 8;
}

/* ---- The calls ------------------------------------------------------------ */

static int dgemm(struct clopt *ctx)
{
	return clopt_dgemm(ctx, CLOPT_LAYOUT_ROW_MAJOR, CLOPT_TRANS_NO, CLOPT_TRANS_YES, N, N, N, 1,
	                   a.in[0], N, a.in[1], N, 1, OUT, N);
}

/* One after the other, since there are gaps in C. */
static int batch(struct clopt *ctx)
{
	return clopt_gemm_strided_batched(ctx, CLOPT_TYPE_DOUBLE, CLOPT_LAYOUT_ROW_MAJOR,
	                                  CLOPT_TRANS_NO, CLOPT_TRANS_NO, N, N - 1, N, 1, a.in[0],
	                                  N, N * N, a.in[1], N, N * N, 2, OUT, N, N * N, BATCH);
}

static int together(struct clopt *ctx)
{
	return clopt_gemm_strided_batched(ctx, CLOPT_TYPE_FLOAT, CLOPT_LAYOUT_ROW_MAJOR,
	                                  CLOPT_TRANS_NO, CLOPT_TRANS_NO, N, N, N, 1, a.in[0], N,
	                                  N * N, a.in[1], N, N * N, 2, OUT, N, N * N, BATCH);
}

/* k does not fit the device. */
static int halves(struct clopt *ctx)
{
	return clopt_gemm_strided_batched(ctx, CLOPT_TYPE_HALF, CLOPT_LAYOUT_ROW_MAJOR,
	                                  CLOPT_TRANS_NO, CLOPT_TRANS_NO, 3, 3, 8 * N * N, 1,
	                                  a.in[0], 8 * N * N, 0, a.in[1], 3, 0, 1, OUT, 3, 0, 1);
}

static int syrk(struct clopt *ctx)
{
	return clopt_syrk(ctx, CLOPT_TYPE_DOUBLE, CLOPT_LAYOUT_ROW_MAJOR, CLOPT_UPLO_LOWER,
	                  CLOPT_TRANS_NO, N, N, 1, a.in[0], N, 0, OUT, N);
}

static int transpose(struct clopt *ctx)
{
	return clopt_transpose(ctx, BATCH * N, N, sizeof(double), a.in[0], N, OUT, BATCH * N);
}

static int in_place(struct clopt *ctx)
{
	return clopt_transpose_inplace(ctx, BATCH * N, N, sizeof(double), OUT, N);
}

/* Many slices. */
static int potential(struct clopt *ctx)
{
	return clopt_potential(ctx, 4 * N, (float *)a.in[0], N * N, (float *)a.in[1], (float *)OUT,
	                       NULL);
}

static int nbody(struct clopt *ctx)
{
	return clopt_nbody(ctx, 4 * N, (float *)a.in[0], N * N, (float *)a.in[1], (float *)OUT,
	                   NULL);
}

/* Points of four doubles each. */
static struct clopt_points points(const double *x, size_t n)
{
	struct clopt_points p = CLOPT_POINTS_INIT;

	p.n = n;
	p.x = x;
	p.y = x + 1;
	p.z = x + 2;
	p.w = x + 3;
	p.stride_bytes = 4 * sizeof *x;
	return p;
}

static int gravity(struct clopt *ctx)
{
	const struct clopt_points sources = points(a.in[0], N), targets = points(a.in[1], N * N);
	const struct clopt_nbody_options o = { .size = sizeof o, .softening = 0.5 };
	struct clopt_results r = CLOPT_RESULTS_INIT;

	r.x = OUT;
	r.y = OUT + 1;
	r.z = OUT + 2;
	r.stride_bytes = 4 * sizeof *OUT;
	return clopt_gravity(ctx, &sources, &targets, &r, &o);
}

static int potential_points(struct clopt *ctx)
{
	const struct clopt_points sources = points(a.in[0], N), targets = points(a.in[1], N * N);
	struct clopt_results r = CLOPT_RESULTS_INIT;

	r.phi = OUT;
	return clopt_potential_points(ctx, &sources, &targets, &r, NULL);
}

static int leapfrog(struct clopt *ctx)
{
	float *out = (float *)OUT;

	return clopt_nbody_leapfrog(ctx, BODIES, out, out + 4 * BODIES, 1e-3, 200, NULL);
}

static int look(void *user, size_t step, const double *bodies, const double *velocities,
                const struct clopt_conserved *sums)
{
	return 0;
}

static int evolve(struct clopt *ctx)
{
	struct clopt_evolve_options o = CLOPT_EVOLVE_OPTIONS_INIT;

	o.softening = 0.1;
	o.every = 3;
	o.each = look;
	o.precision = CLOPT_PRECISION_DOUBLE_SINGLE;
	return clopt_nbody_evolve(ctx, BODIES, OUT, OUT + 4 * BODIES, 1e-3, 40, &o);
}

/* A kernel of the caller's that adds 1 to each element. */
static int map(struct clopt *ctx)
{
	static const char source[] = "__kernel void f(__global float *x)"
	                             "{ x[get_global_id(0)] += 1; }";
	const struct clopt_arg args[] = { { CLOPT_ARG_INOUT, OUT, 4 } };
	struct clopt_map_desc m = CLOPT_MAP_DESC_INIT;

	m.source = source;
	m.name = "f";
	m.items = N * N;
	m.args = args;
	m.nargs = 1;
	return clopt_map(ctx, &m);
}

static int started(struct clopt *ctx)
{
	struct clopt_call *call;
	int rc = clopt_dgemm_start(ctx, CLOPT_LAYOUT_ROW_MAJOR, CLOPT_TRANS_NO, CLOPT_TRANS_YES, N,
	                           N, N, 1, a.in[0], N, a.in[1], N, 1, OUT, N, &call);

	rc = rc == CLOPT_OK ? clopt_call_wait(call, NULL) : rc;
	clopt_call_free(call);
	return rc;
}

static int tune(struct clopt *ctx)
{
	struct clopt_problem p = { .size = sizeof p };
	struct clopt_tune_options o = CLOPT_TUNE_OPTIONS_INIT;

	p.op = CLOPT_OP_TRANSPOSE;
	p.dim[0] = p.dim[1] = N;
	p.elem_bytes = 4;
	o.budget_seconds = 0.05;
	o.dry = 1;
	o.rows_only = 1;
	return clopt_tune(ctx, &p, &o, NULL, 0);
}

static const struct work {
	const char *name;
	int (*run)(struct clopt *);
	size_t limit_bytes; /* so that it runs in pieces */
	int transfer;
	int keeps; /* its output as it was, if it ends before its end */
	int doubles;
} works[] = {
	{ "dgemm in bands", dgemm, 200000, 0, 1, 1 },
	{ "dgemm, staged", dgemm, 200000, CLOPT_TRANSFER_STAGED, 1, 1 },
	{ "dgemm in place", dgemm, 0, 0, 1, 1 },
	{ "batch one by one", batch, 200000, 0, 1, 1 },
	{ "batch together", together, 0, 0, 1, 0 },
	{ "halves", halves, 120000, 0, 1, 0 },
	{ "syrk", syrk, 200000, 0, 1, 1 },
	{ "transpose, staged", transpose, 200000, CLOPT_TRANSFER_STAGED, 0, 0 },
	{ "transpose in place", in_place, 200000, 0, 1, 0 },
	{ "potential in slices", potential, 0, 0, 0, 0 },
	{ "nbody in bands", nbody, 60000, 0, 0, 0 },
	{ "gravity of points", gravity, 0, 0, 1, 1 },
	{ "potential at points, in bands", potential_points, 60000, 0, 1, 1 },
	{ "leapfrog", leapfrog, 0, 0, 1, 0 },
	{ "evolve", evolve, 0, 0, 1, 1 },
	{ "map, staged", map, 12000, CLOPT_TRANSFER_STAGED, 1, 0 },
	{ "started", started, 200000, 0, 1, 1 },
	{ "tune", tune, 0, 0, 1, 0 },
};

enum {
	WORKS = sizeof works / sizeof *works
};

static void prepare(const struct work *w)
{
	size_t i;

	for (i = 0; i < FENCE; i++)
		a.fenced[i] = OUT[BATCH * N * N + i] = 123;
	fill(a.in[0], BATCH * N * N);
	fill(a.in[1], BATCH * N * N);
	fill(OUT, BATCH * N * N);
	if (!w->doubles) {
		fill_floats(a.in[0], BATCH * N * N);
		fill_floats(a.in[1], BATCH * N * N);
		fill_floats(OUT, BATCH * N * N);
	}
	if (w->run == halves)
		for (i = 0; i < BATCH * N * N; i++) {
			((uint16_t *)a.in[0])[i] = ((uint16_t *)a.in[1])[i] = 0x2c00; /* 1/16 */
			((uint16_t *)OUT)[i] = 0x3c00;
		}
	memcpy(a.before, OUT, sizeof a.before);
}

static void expect_fences(const struct work *w)
{
	int i;

	for (i = 0; i < FENCE; i++)
		ck_assert_msg(a.fenced[i] == 123 && OUT[BATCH * N * N + i] == 123,
		              "%s: elements outside the output change", w->name);
}

/* ---- Cancels --------------------------------------------------------------- */

/* A call that was cancelled, perhaps, ended with rc. */
static void expect_end(struct clopt *ctx, const struct work *w, int rc)
{
	if (rc == CLOPT_ECANCELED)
		expect_refused(rc, CLOPT_ECANCELED, ctx, "cancelled");
	else
		CHECK_OK(ctx, rc);
	ck_assert_msg(rc == CLOPT_ECANCELED || !memcmp(OUT, a.right, sizeof a.right),
	              "%s: not cancelled, and wrong", w->name);
	ck_assert_msg(rc == CLOPT_OK || !w->keeps || !memcmp(OUT, a.before, sizeof a.before),
	              "%s: cancelled, and the output has changed", w->name);
	expect_fences(w);
}

struct canceller {
	struct clopt *ctx;
	long nanoseconds;
};

static void *cancel(void *argument)
{
	const struct canceller *c = argument;
	const struct timespec t = { c->nanoseconds / 1000000000, c->nanoseconds % 1000000000 };

	nanosleep(&t, NULL);
	clopt_cancel(c->ctx);
	return NULL;
}

static struct clopt *open_for(const struct work *w, int keep)
{
	struct clopt_options o = CLOPT_OPTIONS_INIT;

	o.queues = 3;
	o.mem_limit_bytes = w->limit_bytes;
	o.transfer = w->transfer;
	o.copy_threads = 2;
	o.chunk_bytes = 4096;
	o.slice_seconds = 1e-9;
	o.keep_output = keep;
	return test_open(&o);
}

/* Moments over the whole length of a call, and some behind it. */
START_TEST(any_moment)
{
	const struct work *w = &works[_i];
	const int moments = test_all() ? 26 : 13;
	struct timespec begin, end;
	struct canceller c;
	pthread_t thread;
	double took;
	int i, rc, cancelled = 0;

	if (w->transfer == CLOPT_TRANSFER_STAGED && !test_can_stage(w->name))
		return;
	c.ctx = open_for(w, 1);
	prepare(w);
	CHECK_OK(c.ctx, w->run(c.ctx)); /* kernels are built */
	memcpy(a.right, OUT, sizeof a.right);
	prepare(w);
	clock_gettime(CLOCK_MONOTONIC, &begin);
	CHECK_OK(c.ctx, w->run(c.ctx));
	clock_gettime(CLOCK_MONOTONIC, &end);
	took = (double)(end.tv_sec - begin.tv_sec) * 1e9 + (double)(end.tv_nsec - begin.tv_nsec);
	for (i = 0; i < moments; i++) {
		prepare(w);
		c.nanoseconds = (long)(took * i / moments);
		ck_assert_int_eq(pthread_create(&thread, NULL, cancel, &c), 0);
		rc = w->run(c.ctx);
		pthread_join(thread, NULL);
		expect_end(c.ctx, w, rc);
		cancelled += rc == CLOPT_ECANCELED;
		if (i % 4 == 3) {
			prepare(w);
			CHECK_OK(c.ctx, w->run(c.ctx));
			ck_assert_msg(!memcmp(OUT, a.right, sizeof a.right),
			              "%s: wrong after it was cancelled", w->name);
		}
	}
	printf("%s: %d of %d calls were cancelled\n", w->name, cancelled, moments);
	fflush(stdout);
	test_close(c.ctx);
}
END_TEST

/* At some of the OpenCL calls and allocations that a call makes: at the first ones, then ever
 * farther apart. */
START_TEST(any_call)
{
	const struct work *w = &works[_i];
	struct clopt *ctx;
	long n;
	int happened, rc, cancelled = 0, all = 0;

	if (w->transfer == CLOPT_TRANSFER_STAGED && !test_can_stage(w->name))
		return;
	ctx = open_for(w, 1);
	prepare(w);
	CHECK_OK(ctx, w->run(ctx));
	memcpy(a.right, OUT, sizeof a.right);
	for (n = 1, happened = 1; happened; n += 1 + n / (test_all() ? 6 : 3), all++) {
		prepare(w);
		wrap_cancel(n, ctx);
		rc = w->run(ctx);
		happened = wrap_failed();
		wrap_fail(0, 0);
		expect_end(ctx, w, rc);
		cancelled += rc == CLOPT_ECANCELED;
	}
	prepare(w);
	CHECK_OK(ctx, w->run(ctx));
	ck_assert_msg(!memcmp(OUT, a.right, sizeof a.right), "%s: wrong after it was cancelled",
	              w->name);
	ck_assert_msg(cancelled, "%s: %d cancels, and no call ended", w->name, all);
	printf("%s: %d of %d calls were cancelled\n", w->name, cancelled, all);
	fflush(stdout);
	test_close(ctx);
}
END_TEST

/* ---- Progress --------------------------------------------------------------- */

struct watcher {
	struct clopt *ctx;
	double last;
	int calls, stop, refused, tries;
};

static int watch(void *user, double done)
{
	struct watcher *w = user;
	float x = 1, y = 0;

	ck_assert_msg(done >= w->last && done >= 0 && done <= 1, "progress %g after %g", done,
	              w->last);
	w->last = done;
	w->calls++;
	if (w->tries) {
		expect_refused(clopt_matmul(w->ctx, 1, 1, 1, &x, &x, &y), CLOPT_EINVAL, w->ctx,
		               "clopt_cancel");
		expect_refused(clopt_finish(w->ctx), CLOPT_EINVAL, w->ctx, "clopt_cancel");
		w->refused++;
	}
	return w->calls == w->stop;
}

/* Steps until a run has lasted long enough for progress to be called; each run is twice as long. */
static int run_watched(struct clopt *ctx, const struct watcher *w)
{
	size_t steps;
	int rc = CLOPT_OK;

	for (steps = 1000; rc == CLOPT_OK && w->calls < 3 && steps < 1u << 30; steps *= 2) {
		((struct watcher *)(uintptr_t)w)->last = 0;
		fill_floats(a.in[0], 8 * BODIES);
		rc = clopt_nbody_leapfrog(ctx, BODIES, (float *)a.in[0],
		                          (float *)a.in[0] + 4 * BODIES, 1e-6, steps, NULL);
	}
	return rc;
}

START_TEST(progress)
{
	struct clopt_options o = CLOPT_OPTIONS_INIT;
	struct watcher w = { NULL, 0, 0, 0, 0, 1 };

	o.progress = watch;
	o.progress_user = &w;
	w.ctx = test_open(&o);
	CHECK_OK(w.ctx, run_watched(w.ctx, &w));
	ck_assert(w.calls >= 3 && w.refused == w.calls);
	w.calls = w.tries = 0;
	w.stop = 1;
	expect_refused(run_watched(w.ctx, &w), CLOPT_ECANCELED, w.ctx, "cancelled");
	ck_assert_int_eq(w.calls, 1);
	/* The context works afterwards. */
	w.last = w.calls = w.stop = 0;
	CHECK_OK(w.ctx, run_watched(w.ctx, &w));
	test_close(w.ctx);
}
END_TEST

/* ---- Callbacks --------------------------------------------------------------- */

static struct clopt *inside;

static int call_inside(void *user, size_t step, const double *bodies, const double *velocities,
                       const struct clopt_conserved *sums)
{
	struct clopt_report report = CLOPT_REPORT_INIT;
	struct clopt_conserved more;

	expect_refused(clopt_nbody_conserved(inside, 1, bodies, velocities, NULL, &more),
	               CLOPT_EINVAL, inside, "clopt_cancel");
	expect_refused(clopt_last_report(inside, &report), CLOPT_EINVAL, inside, "must return");
	if (*(int *)user)
		clopt_cancel(inside);
	return 0;
}

static int evolve_inside(int *cancels)
{
	struct clopt_evolve_options o = CLOPT_EVOLVE_OPTIONS_INIT;

	o.every = 1;
	o.each = call_inside;
	o.user = cancels;
	o.precision = CLOPT_PRECISION_DOUBLE_SINGLE;
	fill(a.in[0], 8 * BODIES);
	return clopt_nbody_evolve(inside, BODIES, a.in[0], a.in[0] + 4 * BODIES, 1e-3, 3, &o);
}

START_TEST(each)
{
	int cancels = 0;

	inside = test_open(NULL);
	CHECK_OK(inside, evolve_inside(&cancels));
	cancels = 1;
	expect_refused(evolve_inside(&cancels), CLOPT_ECANCELED, inside, "3 steps");
	cancels = 0;
	CHECK_OK(inside, evolve_inside(&cancels));
	test_close(inside);
}
END_TEST

static jmp_buf outside;

static int leave(void *user, size_t step, const double *bodies, const double *velocities,
                 const struct clopt_conserved *sums)
{
	longjmp(outside, 1);
}

/* The context is lost, but nothing of it hangs; another one works. */
START_TEST(each_never_returns)
{
	struct clopt_evolve_options o = CLOPT_EVOLVE_OPTIONS_INIT;
	struct clopt_report report = CLOPT_REPORT_INIT;
	int cancels = 0;

	inside = test_open(NULL);
	fill(a.in[0], 8 * BODIES);
	o.each = leave;
	if (!setjmp(outside)) {
		clopt_nbody_evolve(inside, BODIES, a.in[0], a.in[0] + 4 * BODIES, 1e-3, 3, &o);
		ck_abort_msg("it returned");
	}
	expect_refused(evolve_inside(&cancels), CLOPT_EINVAL, inside, "must return");
	expect_refused(clopt_last_report(inside, &report), CLOPT_EINVAL, inside, "must return");
	clopt_close(inside);
	expect_refused(evolve_inside(&cancels), CLOPT_EINVAL, inside, "must return");
	inside = test_open(NULL);
	CHECK_OK(inside, evolve_inside(&cancels));
	clopt_close(inside);
	wrap_live_forget(); /* what the other one has is left */
}
END_TEST

static void on_signal(int number)
{
	clopt_cancel(inside);
}

static void handle(void)
{
	struct sigaction action = { .sa_handler = on_signal };

	sigaction(SIGUSR1, &action, NULL);
}

static int raise_inside(void *user, size_t step, const double *bodies, const double *velocities,
                        const struct clopt_conserved *sums)
{
	handle(); /* LLVM in a driver takes some signals when it first compiles */
	raise(SIGUSR1);
	return 0;
}

START_TEST(signal_handler)
{
	struct clopt_evolve_options o = CLOPT_EVOLVE_OPTIONS_INIT;

	inside = test_open(NULL);
	handle();
	raise(SIGUSR1); /* no call runs */
	o.each = raise_inside;
	o.precision = CLOPT_PRECISION_DOUBLE_SINGLE;
	fill(a.in[0], 8 * BODIES);
	expect_refused(
	        clopt_nbody_evolve(inside, BODIES, a.in[0], a.in[0] + 4 * BODIES, 1e-3, 3, &o),
	        CLOPT_ECANCELED, inside, "cancelled");
	test_close(inside);
	clopt_cancel(NULL);
}
END_TEST

/* ---- Asynchronous calls ------------------------------------------------------ */

struct turn {
	struct clopt *ctx;
	int rc, done;
	char text[256];
};

static int start(struct clopt *ctx, struct clopt_call **call)
{
	return clopt_matmul_start(ctx, N, N, N, (float *)a.in[1], (float *)a.in[1], (float *)OUT,
	                          call);
}

static void *start_and_cancel(void *argument)
{
	struct turn *t = argument;
	struct clopt_call *call = NULL;

	t->rc = start(t->ctx, &call);
	if (t->rc == CLOPT_OK) {
		clopt_call_cancel(call);
		t->done = clopt_call_done(call);
		t->rc = clopt_call_wait(call, NULL);
	}
	snprintf(t->text, sizeof t->text, "%s", clopt_error(t->ctx));
	clopt_call_free(call);
	return NULL;
}

/* Called while a call of this thread holds the context: the started one waits for its turn. */
static int cancel_waiting(void *user, size_t step, const double *bodies, const double *velocities,
                          const struct clopt_conserved *sums)
{
	struct turn *t = user;
	struct clopt_call *call;

	expect_refused(start(t->ctx, &call), CLOPT_EINVAL, t->ctx, "clopt_cancel");
	test_in_threads(start_and_cancel, t, sizeof *t, 1);
	return 0;
}

START_TEST(waiting_call)
{
	struct clopt_evolve_options o = CLOPT_EVOLVE_OPTIONS_INIT;
	struct turn t = { .ctx = test_open(NULL) };
	struct clopt_call *after;

	o.each = cancel_waiting;
	o.user = &t;
	o.precision = CLOPT_PRECISION_DOUBLE_SINGLE;
	fill(a.in[0], 8 * BODIES);
	fill_floats(a.in[1], N * N);
	memset(OUT, 0x55, N * N * sizeof(float));
	CHECK_OK(t.ctx,
	         clopt_nbody_evolve(t.ctx, BODIES, a.in[0], a.in[0] + 4 * BODIES, 1e-3, 3, &o));
	ck_assert_msg(t.rc == CLOPT_ECANCELED && t.done && strstr(t.text, "before its turn"),
	              "%s: %s", clopt_strerror(t.rc), t.text);
	ck_assert(((unsigned char *)OUT)[0] == 0x55); /* it never ran */
	CHECK_OK(t.ctx, start(t.ctx, &after));
	CHECK_OK(t.ctx, clopt_call_wait(after, NULL));
	clopt_call_free(after);
	clopt_call_cancel(NULL);
	test_close(t.ctx);
}
END_TEST

/* Several started calls, of which one is cancelled, whether it waits, runs or is done: the others
 * are right. */
START_TEST(one_of_several)
{
	struct clopt *ctx = open_for(&works[0], 1);
	struct clopt_call *call[4];
	int round, i, rc;

	fill_floats(a.in[0], N * N);
	CHECK_OK(ctx,
	         clopt_matmul(ctx, N, N, N, (float *)a.in[0], (float *)a.in[0], (float *)a.right));
	for (round = 0; round < 24; round++) {
		memset(OUT, 0, 4 * N * N * sizeof(float));
		for (i = 0; i < 4; i++)
			CHECK_OK(ctx, clopt_matmul_start(ctx, N, N, N, (float *)a.in[0],
			                                 (float *)a.in[0], (float *)OUT + i * N * N,
			                                 &call[i]));
		if (round % 3)
			sched_yield();
		clopt_call_cancel(call[round % 4]);
		for (i = 0; i < 4; i++) {
			rc = clopt_call_wait(call[i], NULL);
			clopt_call_free(call[i]);
			ck_assert(rc == CLOPT_OK || (rc == CLOPT_ECANCELED && i == round % 4));
			ck_assert(rc != CLOPT_OK || !memcmp((float *)OUT + i * N * N, a.right,
			                                    N * N * sizeof(float)));
		}
	}
	test_close(ctx);
}
END_TEST

SUITE(cancel, long)
{
	test_add_rows(c, any_moment, 0, WORKS);
	test_add_rows(c, any_call, 0, WORKS);
	tcase_add_test(c, progress);
	tcase_add_test(c, each);
	tcase_add_test(c, each_never_returns);
	tcase_add_test(c, signal_handler);
	tcase_add_test(c, waiting_call);
	tcase_add_test(c, one_of_several);
}
