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

static int open_context(void)
{
	struct clopt_options o = CLOPT_OPTIONS_INIT;

	o.small = CLOPT_SMALL_DEVICE;
	return clopt_open(&ctx, &o);
}

static int list(void)
{
	size_t n;

	return clopt_device_list(NULL, 0, &n);
}

static int multiply(void)
{
	return clopt_sgemm(ctx, CLOPT_LAYOUT_ROW_MAJOR, CLOPT_TRANS_NO, CLOPT_TRANS_NO, N, N, N, 1,
	                   a, N, b, N, 0, d, N);
}

static int ask(void)
{
	struct clopt_problem p = CLOPT_PROBLEM_INIT;
	char text[256];

	p.op = CLOPT_OP_MATMUL;
	p.dim[0] = p.dim[1] = p.dim[2] = N;
	return clopt_explain(ctx, &p, text, sizeof text);
}

static int new_buffer(void)
{
	return clopt_buffer_new(ctx, sizeof a, &buffer);
}

static int new_queue(void)
{
	return clopt_queue_new(ctx, &queue);
}

static int write_buffer(void)
{
	struct clopt_order o = CLOPT_ORDER_INIT;

	o.event = &event;
	return clopt_buffer_write(buffer, 0, sizeof a, a, &o);
}

static int wait_event(void)
{
	return clopt_event_wait(event);
}

static int finish(void)
{
	return clopt_finish(ctx);
}

static int start(void)
{
	return clopt_sgemm_start(ctx, CLOPT_LAYOUT_ROW_MAJOR, CLOPT_TRANS_NO, CLOPT_TRANS_NO, N, N,
	                         N, 1, a, N, b, N, 0, d, N, &started);
}

static int wait_call(void)
{
	return clopt_call_wait(started, NULL);
}

static int free_call(void)
{
	clopt_call_free(started);
	return CLOPT_OK;
}

static int free_queue(void)
{
	clopt_queue_free(queue);
	return CLOPT_OK;
}

static int free_event(void)
{
	clopt_event_free(event);
	return CLOPT_OK;
}

static int free_buffer(void)
{
	clopt_buffer_free(buffer);
	return CLOPT_OK;
}

static int new_tree(void)
{
	return clopt_tree_new_buffers(ctx, N * N / 4, buffer, NULL, &tree);
}

static int move_tree(void)
{
	return clopt_tree_move(tree, a);
}

static int free_tree(void)
{
	clopt_tree_free(tree);
	return CLOPT_OK;
}

static int close_context(void)
{
	clopt_close(ctx);
	return CLOPT_OK;
}

/* Each uses what those before it made. */
static int (*const calls[])(void) = { list,        open_context, multiply,     ask,
	                              new_buffer,  new_queue,    write_buffer, finish,
	                              wait_event,  start,        wait_call,    free_call,
	                              new_tree,    move_tree,    free_tree,    free_event,
	                              free_buffer, free_queue,   close_context };
#define CALLS (int)(sizeof calls / sizeof *calls)

static void end_calls(void)
{
	wrap_driver(NULL);
	ck_assert(ctx && buffer && event && queue && started);
	ck_assert_msg(wrap_live() == 0, "%sare left", wrap_live_text());
}

static __thread int inside; /* a call */

/* ---- Cancellation --------------------------------------------------------------------- */

struct cancelled {
	int (*call)(void);
	int type, rc;
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
	what->rc = what->call();
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
		what.call = calls[i];
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
		CHECK_OK(ctx, calls[i]());
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
	(void)number;
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
		CHECK_OK(ctx, calls[i]());
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

	CHECK_OK(NULL, open_context());
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
