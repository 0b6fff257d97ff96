/* SPDX-License-Identifier: MIT */
/*
 * arith.c - how many multiply-adds, and how many reciprocal roots, the device does
 * in a second.
 *
 * A work-item has several chains of operations in registers, each waiting for its own
 * last result only, in vectors as wide as the hardware's: enough to keep a pipe busy whose
 * results take four cycles.  Nothing can be left out, since the result proves each step:
 * a chain of multiply-adds by 1 and 1 (which the compiler does not know) counts its own
 * steps, exactly in all three precisions, and x + 1 / sqrt(x) grows with each.  The host
 * does the same sum.
 */
#include <math.h>
#include <stdlib.h>

#include "peak.h"

enum {
	LANES = 16,
	/* Of x = a x + b: 12 and their two constants fit 16 registers, and twice four
	 * cycles need 8.  A root takes more registers. */
	CHAINS = 12,
	ROOT_CHAINS = 8,
	ROUNDS = 1024, /* halves count to 2048 */
	SMALL_ROUNDS = 16
};

static const double LAUNCH_SECONDS = 2e-3; /* long against a launch's beginning and end */

static const char source[] =
        "#ifdef HALF\n"
        "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
        "#endif\n"
        "#define JOIN2(a, b) a##b\n"
        "#define JOIN(a, b) JOIN2(a, b)\n"
        "#if WIDTH == 1\n"
        "typedef REAL reals;\n"
        "typedef float floats;\n"
        "#define LOAD(p) ((p)[get_global_id(0) % 16])\n"
        "#define STORE(v, p) ((p)[get_global_id(0)] = (v))\n"
        "#define TO_REALS JOIN(convert_, REAL)\n"
        "#define TO_FLOATS convert_float\n"
        "#else\n"
        "typedef JOIN(REAL, WIDTH) reals;\n"
        "typedef JOIN(float, WIDTH) floats;\n"
        "#define LOAD(p) JOIN(vload, WIDTH)(0, p)\n"
        "#define STORE(v, p) JOIN(vstore, WIDTH)(v, get_global_id(0), p)\n"
        "#define TO_REALS JOIN(JOIN(convert_, REAL), WIDTH)\n"
        "#define TO_FLOATS JOIN(convert_float, WIDTH)\n"
        "#endif\n"
        "__kernel void chains(__global float *out, __global const float *start, float a,\n"
        "                     float b)\n"
        "{\n"
        "	const reals ra = (REAL)a, rb = (REAL)b;\n"
        "	reals x[CHAINS];\n"
        "	floats sum = 0;\n"
        "	int i, k;\n"
        "\n"
        "	#pragma unroll\n"
        "	for (k = 0; k < CHAINS; k++)\n"
        "		x[k] = TO_REALS(LOAD(start) + k);\n"
        "	for (i = 0; i < ROUNDS; i++) {\n"
        "		#pragma unroll\n"
        "		for (k = 0; k < CHAINS; k++)\n"
        "			x[k] = STEP(x[k]);\n"
        "	}\n"
        "	#pragma unroll\n"
        "	for (k = 0; k < CHAINS; k++)\n"
        "		sum += TO_FLOATS(x[k]);\n"
        "	STORE(sum, out);\n"
        "}\n";

static int rounds(const struct peaks *p)
{
	return p->extent == CASE_SMALL ? SMALL_ROUNDS : ROUNDS;
}

static int chains(enum peak_what what)
{
	return what == PEAK_ROOT ? ROOT_CHAINS : CHAINS;
}

/* A vector of doubles is half as long. */
static unsigned width(const struct peaks *p, enum peak_what what)
{
	return what == PEAK_DOUBLE && p->width > 1 ? p->width / 2 : p->width;
}

/* The right result of a lane that starts there. */
static double expected(enum peak_what what, double start, int steps)
{
	double sum = 0.0, x;
	int i, k;

	for (k = 0; k < chains(what); k++) {
		x = start + k;
		for (i = 0; i < steps; i++)
			x = what == PEAK_ROOT ? x + 1.0 / sqrt(x) : x + 1.0;
		sum += x;
	}
	return sum;
}

/* All results, of which the roots' are as exact as native functions are. */
static void check(struct peaks *p, enum peak_what what, const float *start, const float *out)
{
	const size_t n = p->items[what] * width(p, what);
	const double may = what == PEAK_ROOT ? 1e-3 : 0.0;
	double want[LANES];
	size_t i;

	for (i = 0; i < LANES; i++)
		want[i] = expected(what, (double)start[i], rounds(p));
	for (i = 0; i < n; i++) {
		const double w = want[i % (width(p, what) == 1 ? LANES : width(p, what))];

		if (fabs((double)out[i] - w) <= may * w)
			continue;
		tool_wrong(&p->peak[what].s, "result %zu is %g instead of %g", i, (double)out[i],
		           w);
		return;
	}
}

/* On processors the library's kernels write 1 / sqrt(x), which becomes an estimate and
 * a step of Newton's; on GPUs there is an instruction for it. */
static void options(const struct peaks *p, enum peak_what what, char *text, size_t size)
{
	const char *const real = what == PEAK_DOUBLE ? "double" :
	                         what == PEAK_HALF   ? "half -DHALF" :
	                                               "float";
	const char *const step = what != PEAK_ROOT ? "fma(x,ra,rb)" :
	                         p->group == 1     ? "((x)+1.0f/sqrt(x))" :
	                                             "((x)+native_rsqrt(x))";

	snprintf(text, size, "-DREAL=%s -DWIDTH=%u -DCHAINS=%d -DROUNDS=%d -DSTEP(x)=%s%s", real,
	         width(p, what), chains(what), rounds(p), step,
	         what == PEAK_ROOT ? " -cl-fast-relaxed-math" : "");
}

/* All compute units full, once. */
static size_t once_full(const struct peaks *p)
{
	const size_t units = p->info.compute_units ? p->info.compute_units : 1;

	if (p->extent == CASE_SMALL)
		return p->group;
	return units * (p->group == 1 ? 16 : 2048 / p->group * p->group);
}

/* As many times that as a launch of the right length has. */
static void lengthen(struct peaks *p, enum peak_what what, double seconds)
{
	const double most = 4096.0, least_seconds = LAUNCH_SECONDS / most;

	if (p->extent != CASE_SMALL)
		p->items[what] *= (size_t)(1.0 + LAUNCH_SECONDS / fmax(seconds, least_seconds));
}

double peak_arith(struct peaks *p, enum peak_what what, double *spent)
{
	struct peak *peak = &p->peak[what];
	const int first = p->items[what] == 0;
	float start[LANES], one = 1.0f, *out;
	struct clopt_map_desc map = CLOPT_MAP_DESC_INIT;
	struct clopt_arg args[4];
	char text[256];
	double seconds;
	size_t i;

	if (first)
		p->items[what] = once_full(p);
	for (i = 0; i < LANES; i++)
		start[i] = (float)(i + 1);
	out = malloc(p->items[what] * width(p, what) * sizeof *out);
	if (!out) {
		tool_failed(&peak->s, "out of memory");
		*spent = 0.0;
		return 0.0;
	}
	options(p, what, text, sizeof text);
	args[0] = (struct clopt_arg){ CLOPT_ARG_OUT, out, width(p, what) * sizeof *out };
	args[1] = (struct clopt_arg){ CLOPT_ARG_SHARED, start, sizeof start };
	args[2] = args[3] = (struct clopt_arg){ CLOPT_ARG_VALUE, &one, sizeof one };
	map.source = source;
	map.name = "chains";
	map.build_options = text;
	map.items = p->items[what];
	map.items_per_group = p->group;
	map.args = args;
	map.nargs = 4;
	seconds = peak_run(p, what, &map, spent);
	if (first && !peak->s.verdict) {
		check(p, what, start, out);
		lengthen(p, what, seconds);
	}
	peak->amount = (what == PEAK_ROOT ? 1.0 : 2.0) * chains(what) * rounds(p) *
	               (double)(p->items[what] * width(p, what));
	free(out);
	return seconds;
}
