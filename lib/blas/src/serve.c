/* SPDX-License-Identifier: MIT */
/*
 * serve.c - whether a call is served; the context, which the first worthwhile call opens; the
 * counters.  Loading the library does nothing.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* pthread_getattr_np */
#endif
#include <fenv.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "blas.h"
#include "clopt_device.h"

/* With less work 16 cores with OpenBLAS are faster than an H200 with transfers.  Products of 768 in
 * float32 and float64 run at 0.9 and 0.95 of the cores' speed, of 1024 at 1.3 and 1.6; of 4096 x
 * 4096 with 60 and 30 operations per byte at 0.95, with 56 in float64 at 1.2
 * (test/bench/blas.py). */
#define LEAST_MULTIPLIES 5e8
#define LEAST_FLOPS_PER_BYTE 48
/* A transpose of 16 MiB runs at 1.5 of the cores' speed, of 4 MiB at 0.75. */
#define LEAST_TRANSPOSE (16. * 1024 * 1024)

double clopt__blas_least[WORKS];
int clopt__blas_math;

static struct {
	int all, verbose, forced; /* all: serve any work, on any device */
	int check, repair; /* CLOPT_BLAS_CHECK */
	double flops_per_byte;
	pid_t counts, pid; /* the process that reports; the one that opens the context */
	struct clopt *ctx;
	int is_slow, has_double; /* properties of the device */
	pthread_mutex_t calls; /* held for a call and its report, if by_int8 is to be counted */
	size_t by_int8; /* served products whose kernel made use of it */
} own = { .calls = PTHREAD_MUTEX_INITIALIZER };

static pthread_once_t started = PTHREAD_ONCE_INIT, opened = PTHREAD_ONCE_INIT;
static __thread int inside ONE_THREADS;

/* ---- Counters ------------------------------------------------------------------------------ */

/* Several counters, so that threads do not wait for each other. */
#define PLACES 64
static struct {
	size_t count[OUTCOMES];
} __attribute__((aligned(64))) places[PLACES];
static __thread unsigned place ONE_THREADS;

void clopt__blas_count(enum outcome outcome)
{
	static unsigned threads;

	if (!place)
		place = 1 + __atomic_fetch_add(&threads, 1, __ATOMIC_RELAXED) % PLACES;
	__atomic_fetch_add(&places[place - 1].count[outcome], 1, __ATOMIC_RELAXED);
}

static size_t counted(enum outcome outcome)
{
	size_t sum = 0, i;

	for (i = 0; i < PLACES; i++)
		sum += __atomic_load_n(&places[i].count[outcome], __ATOMIC_RELAXED);
	return sum;
}

void clopt_blas_calls(size_t *served, size_t *passed)
{
	size_t sum = 0;
	int i;

	for (i = SERVED + 1; i < OUTCOMES; i++)
		sum += counted((enum outcome)i);
	if (served)
		*served = counted(SERVED);
	if (passed)
		*passed = sum;
}

static const char *const reasons[OUTCOMES] = {
	[SMALL] = "too little work",
	[INVALID] = "an argument is invalid",
	[UNSUITED] = "the device or libclopt lacks what it needs",
	[NO_DEVICE] = "no device for it",
	[CHILD] = "in a child process",
	[INSIDE] = "from inside libclopt",
	[FAILED] = "libclopt failed",
	[CHECKED] = "checked and right",
	[WRONG] = "wrong",
};

static void report(void)
{
	char line[512], by_int8[64] = "";
	size_t n, served, passed, of;
	int i;

	if (getpid() != own.counts)
		return; /* most counts of a child are its parent's */
	clopt_blas_calls(&served, &passed);
	if (clopt__blas_math)
		snprintf(by_int8, sizeof by_int8, " (%zu by 8-bit integers)", own.by_int8);
	n = (size_t)snprintf(line, sizeof line, "%zu calls served%s, %zu passed on", served,
	                     by_int8, passed);
	for (i = SERVED + 1; i < OUTCOMES; i++)
		if ((of = counted((enum outcome)i)) != 0 && n < sizeof line)
			n += (size_t)snprintf(line + n, sizeof line - n, "; %zu: %s", of,
			                      reasons[i]);
	fprintf(stderr, "clopt-blas: %s\n", line);
}

/* ---- Settings and context ------------------------------------------------------------------ */

static const char *variable(const char *value)
{
	return value && *value ? value : NULL;
}

/* Read "1e9" or "1e9:50", with a point in every locale. */
static int parse(const char *text, double *multiplies, double *flops_per_byte)
{
	const locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = uselocale(c);
	char *end;

	*multiplies = strtod(text, &end);
	if (end != text && *end == ':') {
		text = end + 1;
		*flops_per_byte = strtod(text, &end);
	}
	uselocale(before);
	if (c)
		freelocale(c);
	return end != text && !*end && *multiplies >= 0 && *flops_per_byte >= 0;
}

static void start(void)
{
	const char *threshold = variable(getenv("CLOPT_BLAS_THRESHOLD"));
	const char *file = variable(getenv("CLOPT_BLAS_NEXT"));
	const char *verbose = variable(getenv("CLOPT_VERBOSE"));
	const char *check = variable(getenv("CLOPT_BLAS_CHECK"));
	const char *float64 = variable(getenv("CLOPT_BLAS_FLOAT64"));
	double multiplies = LEAST_MULTIPLIES, bytes = LEAST_TRANSPOSE;

	own.flops_per_byte = LEAST_FLOPS_PER_BYTE;
	own.forced = variable(getenv("CLOPT_DEVICE")) != NULL;
	own.verbose = verbose && strcmp(verbose, "0") != 0;
	if (threshold && !parse(threshold, &multiplies, &own.flops_per_byte)) {
		fprintf(stderr,
		        "clopt-blas: CLOPT_BLAS_THRESHOLD=%s: it must be a number, or two with a "
		        "colon between; calls are passed on if there is another BLAS\n",
		        threshold);
		multiplies = bytes = INFINITY;
	}
	own.repair = check && !strcmp(check, "repair");
	own.check = own.repair || (check && !strcmp(check, "1"));
	if (check && !own.check && strcmp(check, "0") != 0)
		fprintf(stderr,
		        "clopt-blas: CLOPT_BLAS_CHECK=%s: it must be 0, 1 or repair; nothing is "
		        "checked\n",
		        check);
	if (float64 && !strcmp(float64, "int8"))
		clopt__blas_math = CLOPT_MATH_INT8;
	else if (float64 && !strcmp(float64, "int8-fine"))
		clopt__blas_math = CLOPT_MATH_INT8_FINE;
	else if (float64 && strcmp(float64, "exact") != 0)
		fprintf(stderr,
		        "clopt-blas: CLOPT_BLAS_FLOAT64=%s: it must be exact, int8 or int8-fine; "
		        "products are exact\n",
		        float64);
	own.all = multiplies == 0;
	if (own.all)
		bytes = 0;
	inside = 1; /* the file may call BLAS when it is loaded */
	if (file)
		clopt__blas_next_file(file);
	inside = 0;
	own.counts = getpid();
	if (own.verbose || own.check)
		atexit(report);
	if (own.check)
		multiplies = 0; /* each product comes to serve() */
	__atomic_store(&clopt__blas_least[PRODUCT], &multiplies, __ATOMIC_RELAXED);
	__atomic_store(&clopt__blas_least[TRANSPOSE], &bytes, __ATOMIC_RELAXED);
}

static void open_context(void)
{
	struct clopt_options options = CLOPT_OPTIONS_INIT;
	struct clopt_device_info info = { .size = sizeof info };

	options.keep_output = 1;
	inside = 1;
	if (clopt_open(&own.ctx, &options) == CLOPT_OK)
		clopt_device_get(own.ctx, &info);
	inside = 0;
	own.has_double = info.fp64 != 0;
	own.is_slow = !strcmp(info.type, "cpu") && !own.forced && !own.all;
	if (own.verbose && !own.ctx)
		fprintf(stderr, "clopt-blas: all calls are passed on: %s\n", clopt_error(NULL));
	else if (own.verbose)
		fprintf(stderr, "clopt-blas: %s%s\n", info.name,
		        own.is_slow ?
		                " is a processor: calls are passed on if there is another BLAS" :
		                "");
}

/* Whether this process has the context, or is the first to need it. */
static int is_own_process(void)
{
	const pid_t pid = getpid();
	pid_t none = 0;

	return __atomic_compare_exchange_n(&own.pid, &none, pid, 0, __ATOMIC_SEQ_CST,
	                                   __ATOMIC_SEQ_CST) ||
	       none == pid;
}

/* ---- Calls --------------------------------------------------------------------------------- */

static void find_next(struct next *next)
{
	if (!inside)
		pthread_once(&started, start);
	clopt__blas_find(next);
}

/* Serve the call.  The first call opens the context. */
static enum outcome perform(const struct task *t)
{
	const int is_product = t->next->kind == PRODUCT;
	struct clopt_report r = CLOPT_REPORT_INIT;
	int status;

	pthread_once(&opened, open_context);
	if (!own.ctx || (own.is_slow && t->next->call))
		return NO_DEVICE;
	if (!own.has_double && is_product &&
	    (t->type == CLOPT_TYPE_DOUBLE || t->type == CLOPT_TYPE_COMPLEX_DOUBLE))
		return UNSUITED;
	inside = 1;
	if (clopt__blas_math)
		pthread_mutex_lock(&own.calls);
	status = t->call(own.ctx, t->what);
	if (clopt__blas_math) {
		own.by_int8 += status == CLOPT_OK && clopt_last_report(own.ctx, &r) == CLOPT_OK &&
		               r.math == clopt__blas_math;
		pthread_mutex_unlock(&own.calls);
	}
	inside = 0;
	if (status == CLOPT_OK)
		return SERVED;
	if (own.verbose)
		fprintf(stderr, "clopt-blas: %s is passed on: %s\n", t->next->name,
		        clopt_error(own.ctx));
	return FAILED;
}

/* Drivers and their compilers take more stack than a BLAS does.  For a first product PoCL 3.1 took
 * 112 KiB, Intel's runtime for processors of 2026 128 KiB. */
#define LEAST_STACK ((uintptr_t)1 << 20)
#define OWN_STACK ((size_t)8 << 20)

/* Whether this thread has LEAST_STACK left.  The stack of a coroutine is not the thread's, and its
 * size is unknown. */
static int has_stack(void)
{
	static __thread uintptr_t low ONE_THREADS, high ONE_THREADS;
	const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	pthread_attr_t about;
	size_t bytes = 0;
	void *at = NULL;

	if (!high && !pthread_getattr_np(pthread_self(), &about)) {
		pthread_attr_getstack(&about, &at, &bytes);
		pthread_attr_destroy(&about);
		low = (uintptr_t)at;
		high = low + bytes;
	}
	return here < high && here > low && here - low >= LEAST_STACK;
}

struct apart {
	const struct task *task;
	enum outcome outcome;
};

static void *perform_apart(void *apart)
{
	struct apart *a = apart;

	a->outcome = perform(a->task);
	return NULL;
}

/* Call run(what) in a thread with enough stack that takes no signals, unless none starts. */
static void in_own_thread(void *(*run)(void *), void *what)
{
	pthread_attr_t about;
	sigset_t all, before;
	pthread_t thread;

	if (pthread_attr_init(&about))
		return;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	if (!pthread_attr_setstacksize(&about, OWN_STACK) &&
	    !pthread_create(&thread, &about, run, what))
		pthread_join(thread, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&about);
}

static enum outcome serve(const struct task *t)
{
	const struct next *next = t->next;
	struct apart apart = { t, FAILED };

	find_next(t->next);
	if (inside)
		return INSIDE;
	if (own.check && next->call && next->kind == PRODUCT)
		return CHECKED;
	/* Without a next BLAS all work is served. */
	if (next->call &&
	    (t->work == 0 || t->work < clopt__blas_least_of(next) ||
	     (next->kind == PRODUCT && !own.all && t->flops_per_byte < own.flops_per_byte)))
		return SMALL;
	if (!t->type)
		return UNSUITED;
	if (!is_own_process())
		return CHILD;
	if (has_stack())
		return perform(t);
	in_own_thread(perform_apart, &apart);
	return apart.outcome;
}

struct thread_state {
	fenv_t environment;
	int cancel;
};

/* BLAS has no cancellation points.  It raises no flags except those of its sums, which a device
 * lacks. */
static void enter(struct thread_state *before)
{
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before->cancel);
	fegetenv(&before->environment);
	fesetenv(FE_DFL_ENV);
}

static void leave(const struct thread_state *before)
{
	fesetenv(&before->environment);
	pthread_setcancelstate(before->cancel, NULL);
}

enum outcome clopt__blas_serve(const struct task *task)
{
	enum outcome outcome;
	struct thread_state before;

	enter(&before);
	outcome = serve(task);
	leave(&before);
	return outcome;
}

struct judged {
	const struct next *next;
	const struct held *held;
	enum outcome outcome;
};

static void *judge_apart(void *judged)
{
	struct judged *j = judged;

	j->outcome = clopt__blas_judge(j->next, j->held, own.repair);
	return NULL;
}

void clopt__blas_check(const struct next *next)
{
	struct held *held = clopt__blas_held();
	struct judged judged = { next, held, FAILED };
	struct thread_state before;

	enter(&before);
	if (has_stack())
		judge_apart(&judged);
	else
		in_own_thread(judge_apart, &judged);
	clopt__blas_drop(held);
	clopt__blas_count(judged.outcome);
	leave(&before);
}

enum rest clopt__blas_settle(struct next *next, enum outcome outcome)
{
	find_next(next);
	if (outcome != SERVED && !next->call) {
		fprintf(stderr,
		        "clopt-blas: %s: %s, and no other BLAS was found to pass the call on to: "
		        "set CLOPT_BLAS_NEXT to its file\n",
		        next->name, reasons[outcome]);
		abort();
	}
	if (outcome == CHECKED)
		return PASS_ON_AND_CHECK;
	clopt__blas_count(outcome);
	return outcome == SERVED ? DONE : PASS_ON;
}
