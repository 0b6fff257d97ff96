/* SPDX-License-Identifier: MIT */
/*
 * overlap.c - copies hidden by computing, with the program's own kernel on 1 to 3 queues.
 *
 * The hypotenuses of NVIDIA's oclCopyComputeOverlap (OpenCL Best Practices Guide, 2011, section
 * 3.1.3): two arrays go up, one comes down.  The kernel repeats itself until it takes as long as
 * the copies, where overlap gains most.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <clopt_device.h>
#include <clopt_tune.h>

/* x is never more than 2 h.  The compiler does not know this, so it keeps the loop. */
static const char source[] =
        "__kernel void hypotenuse(ulong n, uint times, __global const float *a,\n"
        "                         __global const float *b, __global float *c)\n"
        "{\n"
        "	size_t i = get_global_id(0);\n"
        "	float x, h = 0;\n"
        "	if (i >= n)\n"
        "		return;\n"
        "	for (x = a[i]; times > 0; times--, x = fmin(x, 2 * h))\n"
        "		h = sqrt(x * x + b[i] * b[i]);\n"
        "	c[i] = h;\n"
        "}\n";

#define ROUNDS 9
#define QUEUES 3

/* A context with 1 to QUEUES queues, and its measurements. */
struct run {
	struct clopt *ctx;
	float *a, *b, *c; /* pinned memory of ctx */
	struct clopt_report report;
	double took[ROUNDS], serial[ROUNDS], bound[ROUNDS];
};

static void must(int rc, struct clopt *ctx)
{
	if (rc != CLOPT_OK) {
		fprintf(stderr, "overlap: %s\n", clopt_error(ctx));
		exit(1);
	}
}

static int open_run(struct run *r, const char *device, unsigned queues, size_t n)
{
	struct clopt_options o = CLOPT_OPTIONS_INIT;
	void *memory[3];
	int kind, i;
	size_t k;

	o.device = device;
	o.queues = queues;
	o.profile = 1; /* for the seconds of the report, and for time lines */
	must(clopt_open(&r->ctx, &o), NULL);
	for (i = 0; i < 3; i++)
		must(clopt_host_alloc(r->ctx, n * sizeof(float), &memory[i], &kind), r->ctx);
	r->a = memory[0];
	r->b = memory[1];
	r->c = memory[2];
	for (k = 0; k < n; k++) {
		r->a[k] = (float)(k % 1009) - 500;
		r->b[k] = (float)(k % 997) + 1;
	}
	return kind;
}

static void run(struct run *r, size_t n, uint32_t times)
{
	const struct clopt_arg args[] = {
		{ CLOPT_ARG_COUNT, NULL, 0 },
		/* of this band */ { CLOPT_ARG_VALUE, &times, sizeof times },
		{ CLOPT_ARG_IN, r->a, sizeof *r->a },
		{ CLOPT_ARG_IN, r->b, sizeof *r->b },
		{ CLOPT_ARG_OUT, r->c, sizeof *r->c },
	};
	struct clopt_map_desc map = CLOPT_MAP_DESC_INIT;

	map.source = source;
	map.name = "hypotenuse";
	map.items = n;
	map.items_per_group = 128;
	map.args = args;
	map.nargs = sizeof args / sizeof *args;
	must(clopt_map(r->ctx, &map), r->ctx);
	r->report.size = sizeof r->report;
	must(clopt_last_report(r->ctx, &r->report), r->ctx);
}

/* Repetitions after which the kernel takes as long as the copies. */
static uint32_t calibrate(struct run *r, size_t n)
{
	uint32_t times = 1;
	double copies;

	run(r, n, times); /* builds the kernel, wakes the device */
	do {
		times *= 2;
		run(r, n, times);
		copies = r->report.up_seconds + r->report.down_seconds;
	} while (r->report.kernel_seconds < copies && times < 1u << 20);
	times = (uint32_t)(times * copies / r->report.kernel_seconds + 0.5);
	return times ? times : 1; /* 0 where the arrays are used in place */
}

static void check(const struct run *r, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) /* c is positive */
		if (!(fabsf(r->c[i] - hypotf(r->a[i], r->b[i])) <= 2e-6f * r->c[i])) {
			fprintf(stderr, "overlap: c[%zu] is %g\n", i, (double)r->c[i]);
			exit(1);
		}
}

static int ascending(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *x)
{
	qsort(x, ROUNDS, sizeof *x, ascending);
	return x[ROUNDS / 2];
}

static void tell(struct run *runs, size_t mib, uint32_t times, const char *memory)
{
	const double one = median(runs[0].took);
	size_t q;

	printf("3 arrays of %zu MiB, %s; each hypotenuse %u times\n", mib,
	       runs[0].report.in_place_bytes ? "used in place: nothing to hide" : memory,
	       (unsigned)times);
	printf("serial   %9.3f ms\n1 queue  %9.3f ms\n", 1e3 * median(runs[0].serial), 1e3 * one);
	for (q = 1; q < QUEUES; q++)
		printf("%zu queues %9.3f ms, %.1f %% less\n", q + 1, 1e3 * median(runs[q].took),
		       100 - 100 * median(runs[q].took) / one);
	printf("bound    %9.3f ms\n"
	       "The guide's marks: 30 %% less with one copy engine, 50 %% with two\n",
	       1e3 * median(runs[0].bound));
}

int main(int argc, char **argv)
{
	static const char *const kinds[] = { "ordinary memory", "pinned memory", "shared memory" };
	static const char *const names[] = { "--device", "--mib", "--json" };
	const char *value[3] = { NULL, "64", NULL };
	static struct run runs[QUEUES];
	struct run *const last = &runs[QUEUES - 1];
	size_t mib = 64, n, q;
	uint32_t times;
	int i, o, kind = 0;

	for (i = 1; i < argc; i += 2) {
		for (o = 0; o < 3 && strcmp(argv[i], names[o]) != 0; o++)
			;
		if (o < 3)
			value[o] = argv[i + 1];
		if (o == 3 || !value[o] || (mib = strtoul(value[1], NULL, 10)) - 1 > 65535) {
			fprintf(stderr, "overlap [--device D] [--mib N] [--json F]\n");
			return 2;
		}
	}
	n = mib * (1 << 20) / sizeof(float);
	for (q = 0; q < QUEUES; q++)
		kind = open_run(&runs[q], value[0], (unsigned)q + 1, n);
	times = calibrate(&runs[0], n);
	for (q = 0; q < QUEUES; q++)
		run(&runs[q], n, times); /* builds the kernel */
	for (i = 0; i < ROUNDS; i++)
		for (q = 0; q < QUEUES; q++) { /* in turn, so that all meet the same load */
			run(&runs[q], n, times);
			runs[q].took[i] = runs[q].report.device_seconds;
			runs[q].serial[i] = runs[q].report.serial_seconds;
			runs[q].bound[i] = runs[q].report.bound_seconds;
		}
	tell(runs, mib, times, kinds[kind]);

	/* Once more, to record when each command ran. */
	must(clopt_trace_start(last->ctx), last->ctx);
	run(last, n, times);
	if (value[2])
		must(clopt_trace_json(last->ctx, value[2]), last->ctx);
	for (q = 0; q < QUEUES; q++) {
		check(&runs[q], n);
		clopt_close(runs[q].ctx); /* frees its memory */
	}
	return 0;
}
