/* SPDX-License-Identifier: MIT */
/*
 * several.c - a call on parts of a processor that are joined, beside the same call on the whole; and
 * beside the ideal where one part is slow.
 *
 *	make build/test/bench/several && build/test/bench/several [device [rounds [cores]]]
 *
 * Each part is a sub-device of so many cores (1), with an OpenCL context of its own.  The slow one has
 * to use the plainest kernel.  The ideal of two that take f and s seconds is 1 / (1/f + 1/s), where each
 * runs the whole call while the other does so too: cores may slow each other down.
 */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "clopt_cl.h"
#include "clopt_tune.h"
#include "meter.h"

enum {
	PARTS = 64,
	BODIES = 32768,
	SLOW_BODIES = 16384,
	ROWS = 1024 /* of the matrices */
};

/* A routine, and what differs between two results of it. */
struct call {
	int (*run)(struct clopt *ctx, float *result);
	size_t results;
	const char *plain; /* its slowest row */
	double tolerance;
};

static struct {
	float *in, *got, *want;
	cl_device_id part[PARTS];
	cl_context context[PARTS];
	cl_uint parts;
	size_t rounds;
	const struct call *call;
	int bad;
} bench;

static void must(int rc, const struct clopt *ctx)
{
	if (rc == CLOPT_OK)
		return;
	fprintf(stderr, "several: %s: %s\n", clopt_strerror(rc), clopt_error(ctx));
	exit(1);
}

static int forces(struct clopt *ctx, float *result)
{
	return clopt_nbody(ctx, BODIES, bench.in, BODIES, bench.in, result, NULL);
}

static int fewer_forces(struct clopt *ctx, float *result)
{
	return clopt_nbody(ctx, SLOW_BODIES, bench.in, SLOW_BODIES, bench.in, result, NULL);
}

static int product(struct clopt *ctx, float *result)
{
	return clopt_matmul(ctx, ROWS, ROWS, ROWS, bench.in, bench.in, result);
}

static double run(void *ctx)
{
	const double start = meter_now();

	must(bench.call->run(ctx, bench.got), ctx);
	return meter_now() - start;
}

/* Two contexts, each by itself. */
struct both {
	struct clopt *fast, *slow;
	float *result; /* of the slow one */
	double fast_seconds, slow_seconds; /* the last time */
};

static void *run_slow(void *argument)
{
	struct both *b = argument;
	const double start = meter_now();

	must(bench.call->run(b->slow, b->result), b->slow);
	b->slow_seconds = meter_now() - start;
	return NULL;
}

/* The fast one runs its call again and again while the slow one runs its own, for so long as that took
 * before.  The ideal time of both together. */
static double run_both(void *what)
{
	struct both *b = what;
	const double expected = 0.9 * b->slow_seconds;
	pthread_t thread;
	double start;
	size_t n = 0;

	must(pthread_create(&thread, NULL, run_slow, b) ? CLOPT_ENOMEM : CLOPT_OK, NULL);
	start = meter_now();
	do {
		run(b->fast);
		n++;
	} while (meter_now() - start < expected);
	b->fast_seconds = (meter_now() - start) / (double)n;
	pthread_join(thread, NULL);
	return 1 / (1 / b->fast_seconds + 1 / b->slow_seconds);
}

/* The largest difference from the wanted result, beside the largest number in it. */
static double differs(void)
{
	double worst = 0, largest = 0;
	size_t i;

	for (i = 0; i < bench.call->results; i++) {
		worst = fmax(worst, fabs((double)bench.got[i] - (double)bench.want[i]));
		largest = fmax(largest, fabs((double)bench.want[i]));
	}
	return worst / largest;
}

/* A context on part i; forced: to the slow row.  Its memory limit makes it unlike the others, which
 * would force their row on it. */
static struct clopt *open_part(cl_uint i, const char *forced)
{
	struct clopt_options o = CLOPT_OPTIONS_INIT;
	struct clopt *ctx;

	o.variants = forced;
	o.mem_limit_bytes = forced ? 1u << 30 : 0;
	o.verbose = -1;
	must(clopt_open_cl(&ctx, bench.context[i], bench.part[i], &o), NULL);
	return ctx;
}

/* The ratios of the times of others to those of the first; two warm calls of each choose kernels and show
 * speeds. */
static void compare(const char *title, struct meter_turn *turn, size_t n, const char *const *names)
{
	const struct meter_rules rules = { .rounds = bench.rounds, .seconds = 20, .calibrate = 1 };
	double ratio[METER_MOST];
	struct meter_spread s;
	size_t i, k, rounds, forced;

	for (i = 0; i < n; i++) {
		for (k = 0; k < 2; k++)
			turn[i].run(turn[i].what);
		if (!(differs() <= bench.call->tolerance)) {
			fprintf(stderr, "several: %s, %s: the results differ by %g\n", title,
			        names[i], differs());
			bench.bad = 1;
		}
	}
	rounds = meter_turns(turn, n, &rules, &forced);
	printf("\n%-44s %9s  %6s  %11s\n", title, "ms", "times", "least-most");
	for (i = 0; i < n; i++) {
		for (k = 0; k < rounds; k++)
			ratio[k] = turn[i].seconds[k] / turn[0].seconds[k];
		s = meter_spread(ratio, rounds);
		printf("    %-40s %9.2f  %6.3f  %5.3f-%5.3f\n", names[i],
		       1e3 * meter_spread(turn[i].seconds, rounds).median, s.median, s.least,
		       s.most);
	}
	if (forced)
		printf("    (%zu of %zu rounds on a slow machine)\n", forced, rounds);
	fflush(stdout);
}

static void whole_and_parts(struct clopt *whole, const char *title, const struct call *call)
{
	static const char *const names[] = { "one context on all cores", "parts, joined" };
	struct clopt *part[PARTS], *joined;
	struct meter_turn turn[2] = { { .run = run, .what = whole }, { .run = run } };
	cl_uint i;

	bench.call = call;
	must(call->run(whole, bench.want), whole);
	for (i = 0; i < bench.parts; i++)
		part[i] = open_part(i, NULL);
	must(clopt_join(&joined, part, bench.parts), NULL);
	turn[1].what = joined;
	compare(title, turn, 2, names);
	clopt_close(joined);
}

static void fast_and_slow(const char *title, const struct call *call)
{
	static const char *const names[] = { "the ideal of a fast and a slow part", "joined",
		                             "joined, the slow one first" };
	struct both both = { open_part(0, NULL), open_part(1, call->plain), NULL, 0, 0 };
	struct clopt *two[2] = { open_part(0, NULL), open_part(1, call->plain) },
	             *back[2] = { open_part(1, call->plain), open_part(0, NULL) }, *joined[2];
	struct meter_turn turn[3] = { { .run = run_both, .what = &both },
		                      { .run = run },
		                      { .run = run } };
	int i;

	bench.call = call;
	must(call->run(both.fast, bench.want), both.fast);
	both.result = malloc(call->results * sizeof *both.result);
	must(both.result ? CLOPT_OK : CLOPT_ENOMEM, NULL);
	must(clopt_join(&joined[0], two, 2), NULL);
	must(clopt_join(&joined[1], back, 2), NULL);
	for (i = 0; i < 2; i++)
		turn[1 + i].what = joined[i];
	compare(title, turn, 3, names);
	printf("    (fast alone %.2f ms, slow alone %.2f ms)\n", 1e3 * both.fast_seconds,
	       1e3 * both.slow_seconds);
	for (i = 0; i < 2; i++)
		clopt_close(joined[i]);
	clopt_close(both.fast);
	clopt_close(both.slow);
	free(both.result);
}

/* Parts of so many cores each, and a context for each. */
static void divide(cl_device_id device, unsigned long cores)
{
	const cl_device_partition_property equally[] = { CL_DEVICE_PARTITION_EQUALLY,
		                                         (cl_device_partition_property)cores, 0 };
	cl_device_id all[PARTS];
	cl_int code;
	cl_uint i;

	if (clCreateSubDevices(device, equally, PARTS, all, &bench.parts) != CL_SUCCESS ||
	    bench.parts < 2) {
		printf("several: skipped, since the device has no 2 to %d parts of %lu cores\n",
		       PARTS, cores);
		exit(0);
	}
	for (i = 0; i < bench.parts; i++) {
		bench.part[i] = all[i];
		bench.context[i] = clCreateContext(NULL, 1, &all[i], NULL, NULL, &code);
		must(code == CL_SUCCESS ? CLOPT_OK : CLOPT_EDEVICE, NULL);
	}
}

int main(int argc, char **argv)
{
	static const struct call all = { forces, 4 * (size_t)BODIES, NULL, 0 };
	static const struct call products = { product, (size_t)ROWS * ROWS, "matmul/plain", 1e-5 };
	static const struct call sums = { fewer_forces, 4 * (size_t)SLOW_BODIES, "nbody/plain",
		                          1e-4 };
	const unsigned long rounds = argc > 2 ? strtoul(argv[2], NULL, 10) : 9;
	const unsigned long cores = argc > 3 ? strtoul(argv[3], NULL, 10) : 1;
	struct clopt_options options = CLOPT_OPTIONS_INIT;
	struct clopt_device_info info = { .size = sizeof info };
	const size_t numbers =
	        4 * (size_t)BODIES > (size_t)ROWS * ROWS ? 4 * (size_t)BODIES : (size_t)ROWS * ROWS;
	struct clopt *whole;
	size_t i;

	if (argc > 4 || rounds < 1 || rounds > METER_MOST || !cores) {
		fprintf(stderr, "usage: several [device [rounds, 1 to %d [cores]]]\n", METER_MOST);
		return 2;
	}
	bench.rounds = rounds;
	bench.in = malloc(numbers * sizeof(float));
	bench.got = malloc(numbers * sizeof(float));
	bench.want = malloc(numbers * sizeof(float));
	must(bench.in && bench.got && bench.want ? CLOPT_OK : CLOPT_ENOMEM, NULL);
	for (i = 0; i < numbers; i++)
		bench.in[i] = (float)(i * 7919 % 10007) / 10007;
	options.device = argc > 1 ? argv[1] : NULL;
	must(clopt_open(&whole, &options), NULL);
	must(clopt_device_get(whole, &info), whole);
	divide(clopt_cl_device(whole), cores);
	printf("%s, driver %s, %u cores: %u parts; medians of %lu rounds in which all took turns\n",
	       info.name, info.driver, info.compute_units, (unsigned)bench.parts, rounds);
	whole_and_parts(whole, "gravity of 32768 on 32768 bodies", &all);
	fast_and_slow("product of 1024 x 1024 matrices", &products);
	fast_and_slow("gravity of 16384 on 16384 bodies", &sums);
	clopt_close(whole);
	for (i = 0; i < bench.parts; i++) {
		clReleaseContext(bench.context[i]);
		clReleaseDevice(bench.part[i]);
	}
	free(bench.in);
	free(bench.got);
	free(bench.want);
	return bench.bad;
}
