/* SPDX-License-Identifier: MIT */
/*
 * caller.c - the calling thread, which is not cancelled in a call, keeps its floating-point
 * environment, and is not ended by a driver's file.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "suites.h"
#include "wrap.h"

#define N 8

static struct clopt *ctx;
static struct clopt_buffer *buffer;
static struct clopt_event *event;
static struct clopt_queue *queue;
static struct clopt_call *started;
static struct clopt_tree *tree;
static float a[N * N], b[N * N], d[N * N];

#define CALLS 19

/* Calls; each uses what those before it made. */
static int call(int i)
{
	struct clopt_options options = CLOPT_OPTIONS_INIT;
	struct clopt_order order = CLOPT_ORDER_INIT;
	struct clopt_problem p = { .size = sizeof p, .op = CLOPT_OP_MATMUL, .dim = { N, N, N } };
	char text[256];
	size_t n;

	switch (i) {
	case 0:
		return clopt_device_list(NULL, 0, &n);
	case 1:
		options.small = CLOPT_SMALL_DEVICE;
		return clopt_open(&ctx, &options);
	case 2:
		return clopt_matmul(ctx, N, N, N, a, b, d);
	case 3:
		return clopt_explain(ctx, &p, text, sizeof text);
	case 4:
		return clopt_buffer_new(ctx, sizeof a, &buffer);
	case 5:
		return clopt_queue_new(ctx, &queue);
	case 6:
		order.event = &event;
		return clopt_buffer_write(buffer, 0, sizeof a, a, &order);
	case 7:
		return clopt_finish(ctx);
	case 8:
		return clopt_event_wait(event);
	case 9:
		return clopt_matmul_start(ctx, N, N, N, a, b, d, &started);
	case 10:
		return clopt_call_wait(started, NULL);
	case 11:
		return clopt_tree_new_buffers(ctx, N * N / 4, buffer, NULL, &tree);
	case 12:
		return clopt_tree_move(tree, a);
	case 13:
		clopt_call_free(started);
		break;
	case 14:
		clopt_tree_free(tree);
		break;
	case 15:
		clopt_event_free(event);
		break;
	case 16:
		clopt_buffer_free(buffer);
		break;
	case 17:
		clopt_queue_free(queue);
		break;
	default:
		clopt_close(ctx);
	}
	return CLOPT_OK;
}

static void end_calls(void)
{
	wrap_driver(NULL);
	ck_assert(ctx && buffer && event && queue && started);
	ck_assert_msg(wrap_live() == 0, "%sare left", wrap_live_text());
}

static __thread int inside; /* a call */

/* ---- Cancellation --------------------------------------------------------------------- */

struct cancelled {
	int call, type, rc;
};

static void cancel(void)
{
	if (inside) {
		pthread_cancel(pthread_self());
		pthread_testcancel();
	}
}

static void *call_cancelled(void *argument)
{
	struct cancelled *what = argument;

	pthread_setcanceltype(what->type, NULL);
	if (what->type == PTHREAD_CANCEL_DEFERRED)
		pthread_cancel(pthread_self());
	inside = 1;
	what->rc = call(what->call);
	inside = 0;
	pthread_testcancel();
	return NULL;
}

/* A thread that is cancelled in a call ends behind it, and leaves no lock behind. */
START_TEST(cancelled)
{
	struct cancelled what = { .type = _i };
	pthread_t thread;
	void *end;
	int i;

	wrap_driver(cancel);
	for (i = 0; i < CALLS; i++) {
		what.call = i;
		what.rc = -1;
		ck_assert_int_eq(pthread_create(&thread, NULL, call_cancelled, &what), 0);
		ck_assert_int_eq(pthread_join(thread, &end), 0);
		ck_assert(_i == PTHREAD_CANCEL_ASYNCHRONOUS || end == PTHREAD_CANCELED);
		ck_assert_msg(_i == PTHREAD_CANCEL_ASYNCHRONOUS || what.rc == CLOPT_OK,
		              "call %d did not end: %s", i, clopt_error(ctx));
	}
	end_calls();
}
END_TEST

/* ---- Floating point ------------------------------------------------------------------- */

static int acts, in_other;

static void compute(void)
{
	if (!inside)
		return;
	acts++;
	in_other += fegetround() != FE_TONEAREST || fetestexcept(FE_DIVBYZERO);
	feraiseexcept(FE_INVALID | FE_OVERFLOW);
}

/* Drivers compute in the default environment, and leave the caller's as it was. */
START_TEST(environment)
{
	int i;

	wrap_driver(compute);
	fesetround(FE_UPWARD);
	feclearexcept(FE_ALL_EXCEPT);
	feraiseexcept(FE_DIVBYZERO);
	for (i = 0; i < CALLS; i++) {
		inside = 1;
		CHECK_OK(ctx, call(i));
		inside = 0;
		ck_assert_msg(fegetround() == FE_UPWARD &&
		                      fetestexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW) ==
		                              FE_DIVBYZERO,
		              "call %d: rounding %#x, flags %#x", i, fegetround(),
		              fetestexcept(FE_ALL_EXCEPT));
	}
	fesetround(FE_TONEAREST);
	end_calls();
	ck_assert(acts > 4 && !in_other);
}
END_TEST

/* ---- Files ------------------------------------------------------------------------------ */

#define MOST_BYTES ((off_t)32 << 20) /* less than this, PoCL is not asked to build */

static FILE *file;
static int written;
static volatile sig_atomic_t signals;

static void write_beyond(void)
{
	if (inside) {
		acts++;
		written += pwrite(fileno(file), "", 1, MOST_BYTES) == 1 || errno != EFBIG;
	}
}

static void count_signal(int number)
{
	signals++;
}

static struct rlimit limit;

static void limit_files(rlim_t bytes)
{
	struct rlimit lower;

	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
	lower = limit;
	lower.rlim_cur = bytes;
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &lower), 0);
}

static void limit_files_no_more(void)
{
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* A driver's file that grows beyond the limit raises no signal, now or later; one of the caller's
 * stays as it is: open, blocked, or pending. */
START_TEST(files)
{
	struct sigaction counts = { .sa_handler = count_signal }, before;
	sigset_t set, pending;
	int i;

	ck_assert_ptr_nonnull(file = tmpfile());
	sigaction(SIGXFSZ, &counts, &before);
	sigemptyset(&set);
	sigaddset(&set, SIGXFSZ);
	if (_i)
		pthread_sigmask(SIG_BLOCK, &set, NULL);
	if (_i == 2)
		raise(SIGXFSZ);
	limit_files(MOST_BYTES);
	wrap_driver(write_beyond);
	for (i = 0; i < CALLS; i++) {
		inside = 1;
		CHECK_OK(ctx, call(i));
		inside = 0;
		sigpending(&pending);
		ck_assert_msg(signals == 0 && sigismember(&pending, SIGXFSZ) == (_i == 2),
		              "call %d", i);
	}
	end_calls();
	ck_assert(acts > 4 && !written);
	pthread_sigmask(SIG_SETMASK, NULL, &pending);
	ck_assert_int_eq(sigismember(&pending, SIGXFSZ), _i != 0);
	if (_i == 2)
		sigwait(&set, &i); /* LLVM in PoCL may have put its handler before the test's */
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	ck_assert_int_eq(signals, 0);
	limit_files_no_more();
	sigaction(SIGXFSZ, &before, NULL);
	fclose(file);
}
END_TEST

/* LLVM, in PoCL, ends the process where a file does not grow.  The kernel is one that no cache
 * has. */
START_TEST(small_files)
{
	char source[128];
	struct clopt_arg arg = { .kind = CLOPT_ARG_OUT, .data = a, .bytes = sizeof *a };
	struct clopt_map_desc map = CLOPT_MAP_DESC_INIT;
	struct clopt_device_info info = { .size = sizeof info };

	CHECK_OK(NULL, call(1));
	CHECK_OK(ctx, clopt_device_get(ctx, &info));
	snprintf(source, sizeof source,
	         "kernel void run(global float *a) { a[get_global_id(0)] = %ld; }", (long)getpid());
	map.source = source;
	map.name = "run";
	map.items = N;
	map.args = &arg;
	map.nargs = 1;
	limit_files(1 << 14); /* Check's own file of places is smaller */
	if (!strstr(info.quirks, "pocl-files"))
		CHECK_OK(ctx, clopt_map(ctx, &map));
	else
		expect_refused(clopt_map(ctx, &map), CLOPT_EDEVICE, ctx, "ulimit -f");
	limit_files_no_more();
	CHECK_OK(ctx, clopt_map(ctx, &map));
	ck_assert(a[N - 1] == (float)getpid());
	test_close(ctx);
}
END_TEST

SUITE(caller, quick)
{
	tcase_add_loop_test(c, cancelled, PTHREAD_CANCEL_DEFERRED, PTHREAD_CANCEL_ASYNCHRONOUS + 1);
	tcase_add_test(c, environment);
	tcase_add_loop_test(c, files, 0, 3);
	tcase_add_test(c, small_files);
}
