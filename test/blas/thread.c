/* SPDX-License-Identifier: MIT */
/*
 * thread.c WHAT - calls of the drop-in, without another BLAS, from threads as programs have them:
 *
 *	cancelled    one that is cancelled in its first call, and one after it
 *	stack        those with little stack, in the first call and in later ones
 *	coroutine    one on a stack that is not its thread's
 *	environment  one that rounds otherwise, traps, and looks at the flags of floating point
 *
 * It stands before the OpenCL loader, as inside.c does, and does what drivers do to a thread.
 */
#define _GNU_SOURCE
#include <alloca.h>
#include <dlfcn.h>
#include <fenv.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#define N 67

void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *,
            const double *, const int *, const double *, const int *, const double *, double *,
            const int *, size_t, size_t);
void clopt_blas_calls(size_t *served, size_t *passed);

static const char *what;
static int drivers; /* calls of them */

/* The real call of this name. */
static void *driver(const char *name)
{
	volatile char *stack = alloca(256 << 10);
	size_t i;

	drivers++;
	for (i = 0; i < 256 << 10; i += 4096)
		stack[i] = 1; /* as much as some take */
	if (!strcmp(what, "cancelled")) {
		pthread_cancel(pthread_self());
		pthread_testcancel();
	}
	if (fegetround() != FE_TONEAREST)
		puts("a driver rounds as the caller does");
	feraiseexcept(FE_INVALID | FE_OVERFLOW);
	return dlsym(RTLD_NEXT, name);
}

int clGetPlatformIDs(unsigned max, void *platforms, unsigned *count)
{
	int (*next)(unsigned, void *, unsigned *) = driver(__func__);

	return next(max, platforms, count);
}

int clFinish(void *queue)
{
	int (*next)(void *) = driver(__func__);

	return next(queue);
}

static double a[N * N], c[N * N];

static void *multiply(void *argument)
{
	const int n = N;
	const double one = 1, zero = 0;
	int i;

	for (i = 0; i < N * N; i++)
		a[i] = 1;
	memset(c, 0, sizeof c);
	dgemm_("N", "N", &n, &n, &n, &one, a, &n, a, &n, &zero, c, &n, 1, 1);
	for (i = 0; i < N * N; i++)
		if (c[i] < N || c[i] > N)
			puts("wrong"), exit(1);
	return argument;
}

/* bytes 0: the default. */
static void *in_thread(size_t bytes)
{
	pthread_attr_t about;
	pthread_t thread;
	void *end = NULL;

	pthread_attr_init(&about);
	if (bytes && pthread_attr_setstacksize(&about, bytes))
		puts("no such stack"), exit(1);
	if (pthread_create(&thread, &about, multiply, &thread) || pthread_join(thread, &end))
		puts("no thread"), exit(1);
	return end;
}

static void on_other_stack(void)
{
	multiply(NULL);
}

static int coroutine(void)
{
	const size_t bytes = 64 << 10;
	ucontext_t here, there;

	getcontext(&there);
	there.uc_stack.ss_sp = malloc(bytes);
	there.uc_stack.ss_size = bytes;
	there.uc_link = &here;
	makecontext(&there, on_other_stack, 0);
	return swapcontext(&here, &there);
}

int main(int argc, char **argv)
{
	size_t kib, served, passed;

	what = argc > 1 ? argv[1] : "";
	alarm(60); /* a thread that waits for a lost lock */
	if (!strcmp(what, "cancelled")) {
		if (in_thread(0) == PTHREAD_CANCELED)
			puts("cancelled inside");
		what = "";
	} else if (!strcmp(what, "stack")) {
		for (kib = 64; kib <= 1024; kib *= 2)
			in_thread(kib << 10);
	} else if (!strcmp(what, "coroutine")) {
		coroutine();
	} else {
		fesetround(FE_UPWARD);
		feclearexcept(FE_ALL_EXCEPT);
		if (argc > 2)
			feenableexcept(FE_INVALID);
		multiply(NULL);
		if (fegetround() != FE_UPWARD || fetestexcept(FE_INVALID | FE_OVERFLOW))
			puts("another environment");
		fesetround(FE_TONEAREST);
	}
	multiply(NULL);
	clopt_blas_calls(&served, &passed);
	printf("%s %zu served, %zu passed on\n", drivers ? "drivers," : "no drivers,", served,
	       passed);
	return 0;
}
