/* SPDX-License-Identifier: MIT */
/*
 * guide.c - what advice of NVIDIA's OpenCL Best Practices Guide (2011) is worth on this device, where
 * it is about how a kernel is written, built or launched.
 *
 *	make build/test/bench/guide && build/test/bench/guide [device [rounds]]
 *
 * For each piece of advice there are kernels that do the same, the first of them without it.  They
 * take turns by clopt_map, and times are by events.  What the guide says of transfers, coalescing
 * and local memory is in clopt bench transfer and clopt bench OP --ladder.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "clopt_device.h"
#include "meter.h"

enum {
	ITEMS = 1 << 20,
	TURNS = 8, /* kernels for one piece of advice, at most */
	NUMBERS = 64 /* of the long list of arguments */
};

/* A kernel: v = x[i], then `body' again and again, y[i] = v. */
struct row {
	const char *advice; /* NULL: as the row above */
	const char *name, *body;
	const char *head; /* stands before the kernel */
	const char *argument; /* one more, with a comma before it */
	const char *options;
	size_t group; /* 0: 256 */
	int kind; /* enum clopt_arg_kind of that argument */
	size_t bytes; /* of it */
};

/* What is repeated.  SIN and COS give the same by other instructions. */
#define FMA "v = fma(v, 0.999f, 0.001f);"
#define SIN "v = sin(v + 1.0f);"
#define COS "v = cos(v - 0.57079633f);"
#define EIGHT "for (uint j = 0; j < 8; j++) v = v * 0.9f + x[j];"
#define MULTIPLY_ADD "v = v * 0.999f + 0.001f;"
#define DOUBLES "v = v * 0.999 + 0.001;"
#define NUMBER "struct numbers { float f[64]; };\n"

static const struct row rows[] = {
	{ .advice = "5 multiply-adds",
	  .name = "not contracted",
	  .body = MULTIPLY_ADD,
	  .head = "#pragma OPENCL FP_CONTRACT OFF\n" },
	{ .name = "the compiler's default", .body = MULTIPLY_ADD },
	{ .name = "-cl-mad-enable", .body = MULTIPLY_ADD, .options = "-cl-mad-enable" },
	{ .name = "fma()", .body = FMA },

	{ .advice = "5.1.4 native roots",
	  .name = "1 / sqrt",
	  .body = "v = 1.0f / sqrt(v + 1.0f);" },
	{ .name = "rsqrt", .body = "v = rsqrt(v + 1.0f);" },
	{ .name = "native_rsqrt", .body = "v = native_rsqrt(v + 1.0f);" },
	{ .name = "1 / sqrt, -cl-unsafe-math-optimizations",
	  .body = "v = 1.0f / sqrt(v + 1.0f);",
	  .options = "-cl-unsafe-math-optimizations" },

	{ .advice = "5.1.4 native exponentials", .name = "exp", .body = "v = exp(-v);" },
	{ .name = "native_exp", .body = "v = native_exp(-v);" },

	{ .advice = "5.1.4 native sines", .name = "sin", .body = SIN },
	{ .name = "native_sin", .body = "v = native_sin(v + 1.0f);" },

	{ .advice = "5.1.1 shifts for divisions and remainders",
	  .name = "by an argument",
	  .body = "u = u / d + u % d * 77u + t; v = u & 1023u;",
	  .argument = ", uint d",
	  .kind = CLOPT_ARG_VALUE,
	  .bytes = sizeof(uint32_t) },
	{ .name = "by a constant", .body = "u = u / 16u + u % 16u * 77u + t; v = u & 1023u;" },
	{ .name = "shift and mask", .body = "u = (u >> 4) + (u & 15u) * 77u + t; v = u & 1023u;" },

	{ .advice = "5.1.3 no doubles by accident",
	  .name = "constants in double",
	  .body = DOUBLES },
	{ .name = "the same, -cl-single-precision-constant",
	  .body = DOUBLES,
	  .options = "-cl-single-precision-constant" },
	{ .name = "constants in float", .body = MULTIPLY_ADD },

	{ .advice = "6.1 one path in a warp",
	  .name = "two paths, neighbours apart",
	  .body = "if (i % 2) { " SIN " } else { " COS " }" },
	{ .name = "two paths, 64 neighbours together",
	  .body = "if (i / 64 % 2) { " SIN " } else { " COS " }" },
	{ .name = "one path", .body = COS },

	{ .advice = "6.2 predication: branches",
	  .name = "if and else",
	  .body = "if (v > 1.5f) v = v * 0.5f; else v = v * 1.01f;" },
	{ .name = "a choice of factors", .body = "v *= v > 1.5f ? 0.5f : 1.01f;" },

	{ .advice = "6.2 predication: loops of eight",
	  .name = "not unrolled",
	  .body = "\n#pragma unroll 1\n\t\t" EIGHT },
	{ .name = "the compiler's default", .body = EIGHT },
	{ .name = "unrolled", .body = "\n#pragma unroll 8\n\t\t" EIGHT },

	{ .advice = "4.4 work-items in a group", .name = "33", .body = FMA, .group = 33 },
	{ .name = "8", .body = FMA, .group = 8 },
	{ .name = "32", .body = FMA, .group = 32 },
	{ .name = "64", .body = FMA, .group = 64 },
	{ .name = "128", .body = FMA, .group = 128 },
	{ .name = "256", .body = FMA, .group = 256 },

	/* The way of section 4.5 to lower it. */
	{ .advice = "4.3 occupancy: local memory for 64 work-items",
	  .name = "44 KiB",
	  .body = FMA,
	  .group = 64,
	  .argument = ", __local float *l",
	  .kind = CLOPT_ARG_LOCAL,
	  .bytes = 44 << 10 },
	{ .name = "20 KiB",
	  .body = FMA,
	  .group = 64,
	  .argument = ", __local float *l",
	  .kind = CLOPT_ARG_LOCAL,
	  .bytes = 20 << 10 },
	{ .name = "10 KiB",
	  .body = FMA,
	  .group = 64,
	  .argument = ", __local float *l",
	  .kind = CLOPT_ARG_LOCAL,
	  .bytes = 10 << 10 },
	{ .name = "none", .body = FMA, .group = 64 },

	{ .advice = "3.2.2.4 an argument of 64 floats",
	  .name = "by value",
	  .body = "v = v * 0.5f + a.f[t % 64];",
	  .head = NUMBER,
	  .argument = ", struct numbers a",
	  .kind = CLOPT_ARG_VALUE,
	  .bytes = NUMBERS * sizeof(float) },
	{ .name = "in constant memory",
	  .body = "v = v * 0.5f + a->f[t % 64];",
	  .head = NUMBER,
	  .argument = ", __constant struct numbers *a",
	  .kind = CLOPT_ARG_SHARED,
	  .bytes = NUMBERS * sizeof(float) },
	{ .name = "in global memory",
	  .body = "v = v * 0.5f + a->f[t % 64];",
	  .head = NUMBER,
	  .argument = ", __global const struct numbers *a",
	  .kind = CLOPT_ARG_SHARED,
	  .bytes = NUMBERS * sizeof(float) },
};

static struct {
	struct clopt *ctx;
	uint32_t times; /* that a kernel repeats its body */
	float *x, *y;
} bench;

static void must(int rc)
{
	const char *text = clopt_error(bench.ctx);

	if (rc != CLOPT_OK) {
		fprintf(stderr, "guide: %s\n", *text ? text : clopt_strerror(rc));
		exit(1);
	}
}

/* Seconds of the row's kernel. */
static double run(void *what)
{
	static const union {
		uint32_t divisor;
		float f[NUMBERS];
	} value = { 16 };
	const struct row *r = what;
	const struct clopt_arg args[] = {
		{ CLOPT_ARG_COUNT, NULL, 0 },
		{ CLOPT_ARG_VALUE, &bench.times, sizeof bench.times },
		{ CLOPT_ARG_IN, bench.x, sizeof *bench.x },
		{ CLOPT_ARG_OUT, bench.y, sizeof *bench.y },
		{ r->kind, r->kind == CLOPT_ARG_LOCAL ? NULL : (void *)&value, r->bytes },
	};
	struct clopt_map_desc map = CLOPT_MAP_DESC_INIT;
	struct clopt_report report = CLOPT_REPORT_INIT;
	char source[1000];

	snprintf(source, sizeof source,
	         "%s__kernel void run(ulong n, uint times, __global const float *x,\n"
	         "                  __global float *y%s)\n"
	         "{\n"
	         "	size_t i = get_global_id(0);\n"
	         "	float v;\n"
	         "	uint u;\n"
	         "	if (i >= n)\n"
	         "		return;\n"
	         "	v = x[i];\n"
	         "	u = (uint)(1e6f * v);\n"
	         "	for (uint t = 0; t < times; t++) {\n"
	         "		%s\n"
	         "	}\n"
	         "	y[i] = v;\n"
	         "}\n",
	         r->head ? r->head : "", r->argument ? r->argument : "", r->body);
	map.source = source;
	map.name = "run";
	map.build_options = r->options;
	map.items = ITEMS;
	map.items_per_group = r->group ? r->group : 256;
	map.args = args;
	map.nargs = r->kind ? 5 : 4;
	must(clopt_map(bench.ctx, &map));
	must(clopt_last_report(bench.ctx, &report));
	return report.kernel_seconds;
}

/* The largest difference from the first kernel's results, as a share of the largest of them. */
static double differs(const float *first)
{
	double most = 0.0, size = 0.0;

	for (size_t i = 0; i < ITEMS; i++) {
		most = fmax(most, fabs((double)bench.y[i] - first[i]));
		size = fmax(size, fabs((double)first[i]));
	}
	return most / size;
}

static void compare(const struct row *r, size_t n, size_t most_rounds, float *first)
{
	const struct meter_rules rules = { .rounds = most_rounds, .seconds = HUGE_VAL };
	struct meter_turn turn[TURNS];
	double error[TURNS], ratio[METER_MOST];
	size_t i, k, rounds, forced;

	bench.times = 4;
	for (i = 0; i < n; i++) {
		turn[i].run = run;
		turn[i].what = (void *)&r[i];
		run(turn[i].what); /* compiles */
		for (k = 0; i == 0 && k < ITEMS; k++)
			first[k] = bench.y[k];
		error[i] = differs(first);
		if (!(error[i] < 1e-3)) {
			fprintf(stderr, "guide: %s, %s: the results differ by %g\n", r->advice,
			        r[i].name, error[i]);
			exit(1);
		}
	}
	while (run(turn[0].what) < 0.003 && bench.times < 1u << 20)
		bench.times *= 2;
	rounds = meter_turns(turn, n, &rules, &forced);
	printf("\n%-50s %8s  %6s  %11s  %7s\n", r->advice, "ms", "faster", "least-most", "differs");
	for (i = 0; i < n; i++) {
		struct meter_spread s;

		for (k = 0; k < rounds; k++)
			ratio[k] = turn[0].seconds[k] / turn[i].seconds[k];
		s = meter_spread(ratio, rounds);
		printf("    %-46s %8.3f  %6.2f  %5.2f-%-5.2f  %7.1e\n", r[i].name,
		       1e3 * meter_spread(turn[i].seconds, rounds).median, s.median, s.least,
		       s.most, error[i]);
	}
	fflush(stdout);
}

int main(int argc, char **argv)
{
	const unsigned long rounds = argc > 2 ? strtoul(argv[2], NULL, 10) : 9;
	const size_t count = sizeof rows / sizeof *rows;
	struct clopt_options options = CLOPT_OPTIONS_INIT;
	struct clopt_device_info info = { .size = sizeof info };
	float *first = malloc(ITEMS * sizeof *first);
	void *memory[2];
	size_t i, n;

	if (argc > 3 || rounds < 1 || rounds > METER_MOST) {
		fprintf(stderr, "usage: guide [device [rounds, 1 to %d]]\n", METER_MOST);
		return 2;
	}
	options.device = argc > 1 ? argv[1] : NULL;
	options.profile = 1;
	options.queues = 1;
	must(first ? CLOPT_OK : CLOPT_ENOMEM);
	must(clopt_open(&bench.ctx, &options));
	must(clopt_device_get(bench.ctx, &info));
	for (i = 0; i < 2; i++)
		must(clopt_host_alloc(bench.ctx, ITEMS * sizeof(float), &memory[i], NULL));
	bench.x = memory[0];
	bench.y = memory[1];
	for (i = 0; i < ITEMS; i++)
		bench.x[i] = 1.0f + (float)(i * 7919 % ITEMS) / ITEMS;
	printf("%s, driver %s: medians of %lu rounds in which all took turns\n", info.name,
	       info.driver, rounds);
	for (i = 0; i < count; i += n) {
		for (n = 1; i + n < count && !rows[i + n].advice; n++)
			;
		compare(&rows[i], n, rounds, first);
	}
	clopt_close(bench.ctx);
	free(first);
	return 0;
}
