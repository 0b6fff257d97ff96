/* SPDX-License-Identifier: MIT */
/*
 * several.c - a context on several devices: results are those of one, bit for bit, also when calls
 * of OpenCL fail.
 *
 * The members are two or four contexts on one device, so each machine has them.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/context.h"
#include "several.h"
#include "wrap.h"

/* In small memory members move from strip to strip while their queues are full. */
static const struct {
	size_t members, limit;
	unsigned queues;
	int transfer;
} ways[] = { { 2, 0, 0, 0 },
	     { 4, 0, 0, 0 },
	     { 2, 200000, 3, CLOPT_TRANSFER_DRIVER },
	     { 3, 300000, 3, CLOPT_TRANSFER_STAGED },
	     { 2, 0, 3, CLOPT_TRANSFER_DRIVER } };
#define WAYS ((int)(sizeof ways / sizeof *ways))

START_TEST(same)
{
	struct clopt_options o = CLOPT_OPTIONS_INIT;
	struct clopt *one, *ctx;

	if (ways[_i].transfer == CLOPT_TRANSFER_STAGED && !test_can_stage("several"))
		return;
	o.mem_limit_bytes = ways[_i].limit;
	o.queues = ways[_i].queues;
	o.transfer = ways[_i].transfer;
	one = test_open(&o);
	ctx = joined(ways[_i].members, &o);
	expect_same(one, ctx, 3);
	clopt_close(ctx);
	test_close(one);
}
END_TEST

/* The n-th call of OpenCL, or allocation, fails, whichever member makes it. */
START_TEST(failing)
{
	const struct task *t = &tasks[_i];
	struct clopt_options o = CLOPT_OPTIONS_INIT;
	struct clopt_member_share share[MEMBERS];
	struct clopt_report report = CLOPT_REPORT_INIT;
	struct clopt *ctx;
	size_t i;
	long n, told = 0, mended = 0;
	int rc;

	o.cache_dir = "0";
	fill();
	prepare();
	ctx = joined(2, &o);
	CHECK_OK(ctx, t->run(ctx, result(t, 1)));
	CHECK_OK(ctx, t->run(ctx, result(t, 0))); /* both have the kernel */
	for (n = 1;; n += n < 40 ? 1 : 7) {
		memcpy(got, wanted, sizeof got);
		memcpy(fgot, fwanted, sizeof fgot);
		if (t->reads)
			prepare();
		if (t->reads)
			CHECK_OK(ctx, t->run(ctx, result(t, 1)));
		wrap_fail(n, CL_OUT_OF_RESOURCES);
		rc = t->run(ctx, result(t, 0));
		if (!wrap_failed())
			break;
		wrap_fail(0, 0);
		told += rc != CLOPT_OK;
		if (rc != CLOPT_OK) {
			ck_assert(*clopt_error(ctx));
		} else {
			CHECK_OK(ctx, clopt_last_report(ctx, &report));
			ck_assert_msg(is_right() || (t->tree && !report.tree_order),
			              "call %ld failed, and the result is wrong", n);
			workers(ctx, share);
			for (i = 0; i < 2; i++)
				mended += share[i].status != CLOPT_OK && *share[i].text;
		}
	}
	wrap_fail(0, 0);
	CHECK_OK(ctx, rc);
	ck_assert_msg(is_right(), "the last result is wrong");
	/* Only a result that is read too cannot be computed by others. */
	ck_assert_msg(t->reads || mended > 0, "%ld calls, %ld failures told, none mended", n, told);
	test_close(ctx);
}
END_TEST

/* The device of a member that is not the first is lost: the others go on without it. */
START_TEST(lost)
{
	struct clopt_options o = CLOPT_OPTIONS_INIT;
	struct clopt_member_share share[MEMBERS];
	struct clopt *ctx = joined(3, &o), *member = clopt_member(ctx, (size_t)_i);
	int i;

	fill();
	prepare();
	CHECK_OK(ctx, product(ctx, wanted));
	wrap_fail(1, -9999);
	expect_refused(clopt_queue_finish(member, NULL), CLOPT_ELOST, member, "lost");
	wrap_fail(0, 0);
	for (i = 0; i < 3; i++) {
		memset(got, 0, sizeof got);
		CHECK_OK(ctx, product(ctx, got));
		ck_assert(!memcmp(got, wanted, sizeof got));
		workers(ctx, share);
		ck_assert(share[_i].share == 0);
	}
	test_close(ctx);
}
END_TEST

/* Bands of a map begin at whole granules, also where one member takes what another has not
 * begun. */
START_TEST(granules)
{
	static const char source[] =
	        "__kernel void f(__global float *y, ulong first)"
	        "{ size_t i = get_global_id(0); float x = i; int n = first > 50000 ? 2000 : 1;"
	        "  for (int j = 0; j < n; j++) x = x * 0.5f + 1; y[i] = (first % 64) + 0 * x; }";
	static float y[100003];
	const struct clopt_arg args[] = { { CLOPT_ARG_OUT, y, 4 }, { CLOPT_ARG_FIRST, NULL, 0 } };
	struct clopt_options o = CLOPT_OPTIONS_INIT;
	struct clopt_map_desc m = CLOPT_MAP_DESC_INIT;
	struct clopt *ctx = joined(3, &o);
	size_t i;
	int round;

	m.source = source;
	m.name = "f";
	m.items = sizeof y / sizeof *y;
	m.granule = 64;
	m.args = args;
	m.nargs = 2;
	for (round = 0; round < 20; round++) {
		memset(y, -1, sizeof y);
		CHECK_OK(ctx, clopt_map(ctx, &m));
		for (i = 0; i < m.items; i++)
			ck_assert_msg(y[i] == 0, "item %zu has %g", i, (double)y[i]);
	}
	test_close(ctx);
}
END_TEST

static int counted(void *user, double done)
{
	++*(int *)user;
	return done >= 0 && *(int *)user > 2;
}

/* Cancelled by the first one's progress, while others compute; theirs is not called. */
START_TEST(cancelled)
{
	struct clopt_options o = CLOPT_OPTIONS_INIT;
	struct clopt *ctx, *member[2];
	struct clopt_device_info info = { .size = sizeof info };
	const size_t sources = 1000000;
	size_t targets;
	float *in, *out;
	int first = 0, second = 0;

	o.share = CLOPT_SHARE_EVERY;
	o.progress = counted;
	o.progress_user = &first;
	member[0] = test_open(&o);
	o.progress_user = &second;
	member[1] = test_open(&o);
	CHECK_OK(NULL, clopt_join(&ctx, member, 2));
	fill();
	/* Seconds of each core, however many there are. */
	CHECK_OK(ctx, clopt_device_get(ctx, &info));
	targets = 20000 * (size_t)info.compute_units;
	in = calloc(4 * (sources + targets), sizeof *in);
	out = calloc(4 * targets, sizeof *out);
	ck_assert(in && out);
	expect_refused(clopt_nbody(ctx, sources, in, targets, in + 4 * sources, out, NULL),
	               CLOPT_ECANCELED, ctx, "cancelled");
	free(in);
	free(out);
	ck_assert_int_ge(first, 3);
	ck_assert_int_eq(second, 0);
	first = -1000000; /* never again */
	CHECK_OK(ctx, product(ctx, got));
	test_close(ctx);
}
END_TEST

/* A call on a member alone, which others wait for. */
struct own_call {
	struct clopt *member;
	int began, stopped; /* atomic; stopped: the call of all is cancelled */
	int rc;
};

static void wait_until(const int *yes)
{
	while (!__atomic_load_n(yes, __ATOMIC_SEQ_CST))
		nanosleep(&(struct timespec){ 0, 1000000 }, NULL);
}

/* Goes on some time after the call of all is cancelled, which the others hear within 0.1 s. */
static int go_on_later(void *user, size_t step, const double *bodies, const double *velocities,
                       const struct clopt_conserved *sums)
{
	struct own_call *own = user;

	__atomic_store_n(&own->began, 1, __ATOMIC_SEQ_CST);
	wait_until(&own->stopped);
	nanosleep(&(struct timespec){ 0, 400000000 }, NULL);
	return 0;
}

static void *run_own(void *what)
{
	struct own_call *own = what;
	struct clopt_evolve_options o = CLOPT_EVOLVE_OPTIONS_INIT;
	double body[4] = { 0, 0, 0, 1 }, velocity[4] = { 0 };

	o.each = go_on_later;
	o.user = own;
	own->rc = clopt_nbody_evolve(own->member, 1, body, velocity, 0.1, 1, &o);
	return NULL;
}

static int stop_all(void *user, double done)
{
	__atomic_store_n(&((struct own_call *)user)->stopped, 1, __ATOMIC_SEQ_CST);
	return 1;
}

/* Cancelling a call of all members leaves a call of one of them alone. */
START_TEST(cancelled_beside_own)
{
	struct clopt_options o = CLOPT_OPTIONS_INIT;
	struct clopt *ctx, *member[2];
	struct own_call own = { NULL, 0, 0, 0 };
	pthread_t thread;

	o.share = CLOPT_SHARE_EVERY;
	member[1] = test_open(&o);
	o.progress = stop_all;
	o.progress_user = &own;
	member[0] = test_open(&o);
	CHECK_OK(NULL, clopt_join(&ctx, member, 2));
	fill();
	own.member = member[1];
	ck_assert_int_eq(pthread_create(&thread, NULL, run_own, &own), 0);
	wait_until(&own.began);
	expect_refused(product(ctx, got), CLOPT_ECANCELED, ctx, "cancelled");
	pthread_join(thread, NULL);
	ck_assert_int_eq(own.rc, CLOPT_OK);
	test_close(ctx);
}
END_TEST

static int stops(void *user, size_t step, const double *bodies, const double *velocities,
                 const struct clopt_conserved *sums)
{
	return step == 2;
}

/* Fewer bodies than members, and than a group; a run that the caller ends. */
static void move(struct clopt *ctx, size_t n, int integrator, double *state)
{
	struct clopt_evolve_options o = CLOPT_EVOLVE_OPTIONS_INIT;
	float *const velocities = fgot + 4 * n;

	memcpy(state, a, 8 * n * sizeof *state);
	memcpy(fgot, fa, 8 * n * sizeof *fgot);
	o.integrator = integrator;
	o.precision = integrator == CLOPT_INTEGRATOR_HERMITE ? CLOPT_PRECISION_DOUBLE_SINGLE :
	                                                       CLOPT_PRECISION_FLOAT;
	o.softening = 1;
	o.each = stops;
	o.every = 1;
	CHECK_OK(ctx, clopt_nbody_evolve(ctx, n, state, state + 4 * n, 0.01, 5, &o));
	CHECK_OK(ctx, clopt_nbody_leapfrog(ctx, n, fgot, velocities, 0.01f, 2, NULL));
}

START_TEST(few_bodies)
{
	static const size_t counts[] = { 0, 1, 2, 7, 33, 65 };
	static const int integrators[] = { CLOPT_INTEGRATOR_HERMITE,
		                           CLOPT_INTEGRATOR_KICK_DRIFT_KICK };
	struct clopt_options o = CLOPT_OPTIONS_INIT;
	struct clopt *one = test_open(&o), *ctx = joined(MEMBERS, &o);
	size_t i, k;

	fill();
	for (i = 0; i < sizeof counts / sizeof *counts; i++)
		for (k = 0; k < 2; k++) {
			prepare();
			move(one, counts[i], integrators[k], wanted);
			memcpy(fwanted, fgot, sizeof fwanted);
			move(ctx, counts[i], integrators[k], got);
			ck_assert_msg(is_right(), "%zu bodies, integrator %d", counts[i],
			              integrators[k]);
		}
	clopt_close(ctx);
	test_close(one);
}
END_TEST

static void *cancel_soon(void *ctx)
{
	nanosleep(&(struct timespec){ 0, 300000000 }, NULL);
	clopt_cancel(ctx);
	return NULL;
}

/* Bodies that move for minutes, until another thread cancels; the next call is right. */
START_TEST(moving_cancelled)
{
	struct clopt_options o = CLOPT_OPTIONS_INIT;
	struct clopt *ctx = joined(3, &o);
	const size_t n = 5000;
	float *state = malloc(8 * n * sizeof *state);
	pthread_t thread;
	size_t i;

	ck_assert_ptr_nonnull(state);
	fill();
	prepare();
	CHECK_OK(ctx, hermite(ctx, wanted));
	for (i = 0; i < 8 * n; i++)
		state[i] = fa[i % (4 * N * N)];
	ck_assert_int_eq(pthread_create(&thread, NULL, cancel_soon, ctx), 0);
	expect_refused(clopt_nbody_leapfrog(ctx, n, state, state + 4 * n, 1e-3, 1000000, NULL),
	               CLOPT_ECANCELED, ctx, "cancelled");
	pthread_join(thread, NULL);
	CHECK_OK(ctx, hermite(ctx, got));
	ck_assert(is_right());
	free(state);
	test_close(ctx);
}
END_TEST

/* Halves, each time. */
START_TEST(fixed)
{
	struct clopt_options o = CLOPT_OPTIONS_INIT;
	struct clopt_member_share share[MEMBERS];
	struct clopt_device_info info = { .size = sizeof info };
	struct clopt *ctx;
	size_t sources;
	float *in;
	int i;

	o.share = CLOPT_SHARE_FIXED;
	ctx = joined(2, &o);
	fill();
	/* Long enough to be shared, however many cores there are. */
	CHECK_OK(ctx, clopt_device_get(ctx, &info));
	sources = 2000 * (size_t)info.compute_units;
	in = calloc(4 * sources, sizeof *in);
	ck_assert_ptr_nonnull(in);
	for (i = 0; i < 3; i++) {
		CHECK_OK(ctx, clopt_potential(ctx, sources, in, 20000, fb, fgot, NULL));
		ck_assert_uint_eq(workers(ctx, share), 2);
		ck_assert_double_eq_tol(share[0].share, 0.5, 0.1);
		ck_assert(i == 0 || share[0].share == share[2].share);
		share[2].share = share[0].share;
	}
	free(in);
	test_close(ctx);
}
END_TEST

static size_t count_of(const char *text, const char *word)
{
	size_t n = 0;

	while ((text = strstr(text, word))) {
		text += strlen(word);
		n++;
	}
	return n;
}

/* Plan, explanation and time line tell of all members. */
START_TEST(told)
{
	static char text[1 << 20];
	struct clopt_options o = CLOPT_OPTIONS_INIT;
	struct clopt_problem p = CLOPT_PROBLEM_INIT;
	struct clopt_plan_info plan = CLOPT_PLAN_INFO_INIT;
	char path[] = "/tmp/clopt-several-XXXXXX";
	struct clopt *ctx, *one;
	size_t n;
	FILE *f;
	int fd;

	o.profile = 1;
	ctx = joined(3, &o);
	p.op = CLOPT_OP_MATMUL;
	p.type = CLOPT_TYPE_DOUBLE;
	p.dim[0] = p.dim[1] = p.dim[2] = 2000;
	CHECK_OK(ctx, clopt_plan(ctx, &p, &plan));
	ck_assert_int_eq(plan.members, 3);
	/* A third of the time, as far as the estimate is of kernels. */
	ck_assert(plan.seconds > 0 &&
	          plan.seconds < plan.up_seconds + 0.5 * plan.kernel_seconds + plan.down_seconds);
	CHECK_OK(ctx, clopt_explain(ctx, &p, text, sizeof text));
	ck_assert_uint_eq(count_of(text, "shared with "), 2);
	CHECK_OK(ctx, clopt_prepare(ctx, &p));
	for (n = 0; n < 3; n++) /* compiled, or loaded from the store */
		ck_assert_ptr_nonnull(clopt_member(ctx, n)->kernels);
	p.op = CLOPT_OP_LEAPFROG;
	p.type = 0;
	p.steps = 10;
	CHECK_OK(ctx, clopt_plan(ctx, &p, &plan));
	ck_assert_int_eq(plan.members, 3);
	ck_assert(plan.seconds > 0 &&
	          plan.seconds < plan.up_seconds + 0.5 * plan.kernel_seconds + plan.down_seconds);

	fill();
	CHECK_OK(ctx, clopt_trace_start(ctx));
	CHECK_OK(ctx, product(ctx, got));
	CHECK_OK(ctx, hermite(ctx, got));
	CHECK_OK(ctx, clopt_trace_stop(ctx));
	fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	close(fd);
	CHECK_OK(ctx, clopt_trace_json(ctx, path));
	f = fopen(path, "r");
	n = f ? fread(text, 1, sizeof text - 1, f) : 0;
	text[n] = '\0';
	if (f)
		fclose(f);
	unlink(path);
	ck_assert_uint_eq(count_of(text, "process_name"), 3);
	/* All commands of a call have its number, and times begin at the first of them. */
	ck_assert(strstr(text, "\"ph\":\"X\",\"pid\":1,") && strstr(text, "\"ts\":0.000"));
	ck_assert(strstr(text, "\"ph\":\"X\",\"pid\":2,") ||
	          strstr(text, "\"ph\":\"X\",\"pid\":3,"));
	ck_assert_uint_eq(count_of(text, "\"ph\":\"X\""),
	                  count_of(text, "\"call\":1,") + count_of(text, "\"call\":2,"));
	clopt_close(ctx);

	/* A member without profile has no times. */
	one = test_open(NULL);
	ctx = test_open(&o);
	CHECK_OK(NULL, clopt_join(&ctx, (struct clopt *[]){ ctx, one }, 2));
	expect_refused(clopt_trace_start(ctx), CLOPT_EINVAL, ctx, "device 1 of 2");
	expect_refused(clopt_trace_json(ctx, "/nowhere"), CLOPT_EINVAL, ctx, "clopt_trace_start");
	CHECK_OK(ctx, clopt_trace_stop(ctx));
	test_close(ctx);
}
END_TEST

static void keep_last(void *user, const char *line)
{
	char *lines = user;

	if (strstr(line, "device "))
		strncat(lines, line, 2048 - strlen(lines) - 1);
}

/* The lines of a call have each member's bytes; together they are the call's. */
START_TEST(bytes_told)
{
	static char lines[2048];
	struct clopt_options o = CLOPT_OPTIONS_INIT;
	struct clopt_report r = { .size = sizeof r };
	struct clopt_member_share share[2] = { { .size = sizeof share[0] },
		                               { .size = sizeof share[0] } };
	char want[80];
	size_t count, i, up = 0, down = 0;
	struct clopt *ctx;

	o.verbose = 1;
	o.log = keep_last;
	o.log_user = lines;
	o.transfer = CLOPT_TRANSFER_DRIVER; /* nothing in place */
	ctx = joined(2, &o);
	fill();
	*lines = '\0';
	CHECK_OK(ctx, product(ctx, got));
	CHECK_OK(ctx, clopt_last_report(ctx, &r));
	CHECK_OK(ctx, clopt_last_shares(ctx, share, 2, &count));
	ck_assert_uint_eq(count, 2);
	for (i = 0; i < count; i++) {
		snprintf(want, sizeof want, "%zu bytes up, %zu down", share[i].up_bytes,
		         share[i].down_bytes);
		ck_assert_msg(strstr(lines, want), "no \"%s\" in %s", want, lines);
		up += share[i].up_bytes;
		down += share[i].down_bytes;
	}
	ck_assert_uint_eq(up, r.up_bytes);
	ck_assert_uint_eq(down, r.down_bytes);
	ck_assert_uint_eq(down, sizeof got);
	clopt_close(ctx);
}
END_TEST

/* Memory that the first has pinned, as on devices with memory of their own.  The second uses it as
 * pinned if that proves fast, else it stages it. */
START_TEST(pinned)
{
	const size_t n = 3000;
	struct clopt_options o = CLOPT_OPTIONS_INIT;
	struct clopt_report report = { .size = sizeof report };
	struct clopt *ctx, *member;
	float *from, *to;
	size_t i;

	if (!test_can_stage("several:pinned"))
		return;
	wrap_discrete(1);
	ctx = joined(2, &o);
	member = clopt_member(ctx, 1);
	CHECK_OK(ctx, clopt_host_alloc(ctx, n * n * sizeof *from, (void **)&from, NULL));
	CHECK_OK(ctx, clopt_host_alloc(ctx, n * n * sizeof *to, (void **)&to, NULL));
	for (i = 0; i < n * n; i++)
		from[i] = (float)i;
	CHECK_OK(ctx, clopt_transpose(ctx, n, n, 4, from, n, to, n));
	for (i = 0; i < n * n; i++)
		ck_assert(to[i] == from[i % n * n + i / n]);
	CHECK_OK(ctx, clopt_last_report(ctx, &report));
	ck_assert(member->rates.pinned_known && member->rates.lent_known);
	ck_assert(member->rates.lent_is_fast ? report.staged_bytes == 0 :
	                                       report.staged_bytes < 2 * n * n * sizeof *from);
	ck_assert_uint_eq(member->lents, 0); /* for that call alone */
	test_close(ctx);
	wrap_discrete(0);
}
END_TEST

START_TEST(refusals)
{
	struct clopt_options o = CLOPT_OPTIONS_INIT;
	struct clopt *ctx, *two[2], *other = test_open(NULL), *out;
	size_t count = 7;

	expect_refused(clopt_join(NULL, &other, 1), CLOPT_EINVAL, NULL, "ctx is NULL");
	expect_refused(clopt_join(&out, NULL, 1), CLOPT_EINVAL, NULL, "members is NULL");
	expect_refused(clopt_join(&out, &other, 0), CLOPT_EINVAL, NULL, "n is 0");
	two[0] = two[1] = other;
	expect_refused(clopt_join(&out, two, 2), CLOPT_EINVAL, NULL, "0 and 1 are the same");
	two[1] = NULL;
	expect_refused(clopt_join(&out, two, 2), CLOPT_EINVAL, NULL, "member 1");
	ctx = joined(2, &o);
	two[1] = ctx;
	expect_refused(clopt_join(&out, two, 2), CLOPT_EINVAL, NULL, "member 1 is already joined");
	two[1] = clopt_member(ctx, 1);
	expect_refused(clopt_join(&out, two, 2), CLOPT_EINVAL, NULL, "member 1 is already joined");
	ck_assert_ptr_null(out);
	clopt_close(two[1]); /* it stays */
	fill();
	CHECK_OK(two[1], product(two[1], got));
	CHECK_OK(ctx, clopt_last_shares(ctx, NULL, 0, &count));
	ck_assert_uint_eq(count, 0);
	CHECK_OK(other, clopt_join(&out, &other, 1));
	ck_assert(out == other && clopt_members(other) == 1 && clopt_members(NULL) == 0);
	clopt_close(ctx);
	test_close(other);
}
END_TEST

SUITE(several, long)
{
	test_add_rows(c, same, 0, WAYS);
	test_add_rows(c, failing, 0, TASKS);
	tcase_add_loop_test(c, lost, 1, 3);
	tcase_add_test(c, granules);
	tcase_add_test(c, cancelled);
	tcase_add_test(c, cancelled_beside_own);
	tcase_add_test(c, few_bodies);
	tcase_add_test(c, moving_cancelled);
	tcase_add_test(c, fixed);
	tcase_add_test(c, told);
	tcase_add_test(c, bytes_told);
	tcase_add_test(c, pinned);
	tcase_add_test(c, refusals);
}
