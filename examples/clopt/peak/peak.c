/* SPDX-License-Identifier: MIT */
/*
 * peak.c - the device's peaks: the multiply-adds and reciprocal roots that it does in a second, and
 * the bytes that it reads, writes and copies.  All take turns, and the shortest launch counts.
 */
#include "peak.h"

#include "../../common/progress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name, *key, *unit;
} kinds[PEAKS] = {
	[PEAK_FLOAT] = { "float32 multiply-adds", "float32", "GFLOP/s" },
	[PEAK_DOUBLE] = { "float64 multiply-adds", "float64", "GFLOP/s" },
	[PEAK_HALF] = { "float16 multiply-adds", "float16", "GFLOP/s" },
	[PEAK_ROOT] = { "float32 reciprocal roots", "root", "Groots/s" },
	[PEAK_READ] = { "memory, read", "read", "GB/s" },
	[PEAK_WRITE] = { "memory, written", "write", "GB/s" },
	[PEAK_COPY] = { "memory, copied: both", "copy", "GB/s" },
};

const char *peak_name(enum peak_what what)
{
	return kinds[what].name;
}

const char *peak_key(enum peak_what what)
{
	return kinds[what].key;
}

/* A verdict goes to the peak, and times are 0 after a failure. */
static struct clopt_report run(struct peaks *p, enum peak_what what,
                               const struct clopt_map_desc *map)
{
	struct clopt_report report = CLOPT_REPORT_INIT;

	if (clopt_map(p->ctx, map) != CLOPT_OK || clopt_last_report(p->ctx, &report) != CLOPT_OK)
		tool_failed(&p->peak[what].s, clopt_error(p->ctx));
	else if (!(report.kernel_seconds > 0.0))
		tool_failed(&p->peak[what].s, "the driver tells no times");
	return report;
}

/* ---- Arithmetic ------------------------------------------------------------------- */

/*
 * A work-item has several chains of operations in registers, each waiting for its own
 * last result only, in vectors as wide as the hardware's: enough to keep a pipe busy whose
 * results take four cycles.  Nothing can be left out, since the result proves each step:
 * a chain of multiply-adds by 1 and 1 (which the compiler does not know) counts its own
 * steps, exactly in all three precisions, and x + 1 / sqrt(x) grows with each.  The host
 * does the same sum.
 */
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

static const char chains_source[] =
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
static void check_chains(struct peaks *p, enum peak_what what, const float *start, const float *out)
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

static struct clopt_report arith(struct peaks *p, enum peak_what what)
{
	struct peak *peak = &p->peak[what];
	const int first = p->items[what] == 0;
	float start[LANES], one = 1.0f, *out;
	struct clopt_map_desc map = CLOPT_MAP_DESC_INIT;
	struct clopt_arg args[4];
	char text[256];
	struct clopt_report report = { 0 };
	size_t i;

	if (first)
		p->items[what] = once_full(p);
	for (i = 0; i < LANES; i++)
		start[i] = (float)(i + 1);
	out = malloc(p->items[what] * width(p, what) * sizeof *out);
	if (!out) {
		tool_failed(&peak->s, "out of memory");
		return report;
	}
	options(p, what, text, sizeof text);
	args[0] = (struct clopt_arg){ CLOPT_ARG_OUT, out, width(p, what) * sizeof *out };
	args[1] = (struct clopt_arg){ CLOPT_ARG_SHARED, start, sizeof start };
	args[2] = args[3] = (struct clopt_arg){ CLOPT_ARG_VALUE, &one, sizeof one };
	map.source = chains_source;
	map.name = "chains";
	map.build_options = text;
	map.items = p->items[what];
	map.items_per_group = p->group;
	map.args = args;
	map.nargs = 4;
	report = run(p, what, &map);
	if (first && !peak->s.verdict) {
		check_chains(p, what, start, out);
		lengthen(p, what, report.kernel_seconds);
	}
	peak->amount = (what == PEAK_ROOT ? 1.0 : 2.0) * chains(what) * rounds(p) *
	               (double)(p->items[what] * width(p, what));
	free(out);
	return report;
}

/* ---- Memory ----------------------------------------------------------------------- */

/*
 * Arrays are larger than caches, and groups go through them in order.  Processors read a
 * line before they write to it, unless they are told that it is all new: their stores go
 * past the cache, as those of the library's transposes do.
 */
enum {
	MOST_BYTES = 512 << 20,
	SMALL_BYTES = 1 << 18,
	/* Vectors of a work-item: on a processor a stretch of its own, elsewhere a
	 * few, with those of its group between them. */
	VECTORS_ALONE = 1024,
	VECTORS = 32
};

static const char memory_source[] =
        "#define JOIN2(a, b) a##b\n"
        "#define JOIN(a, b) JOIN2(a, b)\n"
        "typedef JOIN(float, WIDTH) floats;\n"
        "#if defined __clang__ && GROUP == 1\n"
        "#define PUT(v, p) __builtin_nontemporal_store(v, p)\n"
        "#else\n"
        "#define PUT(v, p) (*(p) = (v))\n"
        "#endif\n"
        "#define PLACE (get_group_id(0) * (GROUP * VECTORS) + get_local_id(0))\n"
        "\n"
        "__kernel void read(__global floats *out, __global const floats *in)\n"
        "{\n"
        "	__global const floats *p = in + PLACE;\n"
        "	floats sum[4] = { 0, 0, 0, 0 };\n"
        "	int i, k;\n"
        "\n"
        "	#pragma unroll 2\n"
        "	for (i = 0; i < VECTORS; i += 4)\n"
        "		#pragma unroll\n"
        "		for (k = 0; k < 4; k++)\n"
        "			sum[k] += p[(i + k) * GROUP];\n"
        "	out[get_global_id(0)] = (sum[0] + sum[1]) + (sum[2] + sum[3]);\n"
        "}\n"
        "\n"
        "__kernel void write(__global floats *out, float value)\n"
        "{\n"
        "	__global floats *p = out + PLACE;\n"
        "	int i;\n"
        "\n"
        "	#pragma unroll 8\n"
        "	for (i = 0; i < VECTORS; i++)\n"
        "		PUT((floats)value, p + i * GROUP);\n"
        "}\n"
        "\n"
        "__kernel void copy(__global floats *out, __global const floats *in)\n"
        "{\n"
        "	__global const floats *from = in + PLACE;\n"
        "	__global floats *to = out + PLACE;\n"
        "	int i;\n"
        "\n"
        "	#pragma unroll 8\n"
        "	for (i = 0; i < VECTORS; i++)\n"
        "		PUT(from[i * GROUP], to + i * GROUP);\n"
        "}\n";

/* At least 16 bytes, which GPUs move at once. */
static unsigned vector_width(const struct peaks *p)
{
	return p->width < 4 ? 4 : p->width;
}

static size_t vectors(const struct peaks *p)
{
	return p->group == 1 ? VECTORS_ALONE : VECTORS;
}

/* The number that is stored at place i: sums of 1024 of them are exact. */
static float stored(size_t i)
{
	return (float)(i % 251);
}

static int open_memory(struct peaks *p)
{
	const size_t whole = p->group * vectors(p) * vector_width(p) * sizeof *p->from;
	size_t bytes = p->extent == CASE_SMALL ? SMALL_BYTES : MOST_BYTES, i;
	void *array;

	/* Two of them, in a quarter of the memory. */
	while (bytes > whole &&
	       (bytes > p->info.max_alloc_bytes || 8 * bytes > p->info.global_bytes))
		bytes /= 2;
	p->bytes = (bytes + whole - 1) / whole * whole;
	if (clopt_host_alloc(p->ctx, p->bytes, &array, NULL) != CLOPT_OK)
		return 1;
	p->from = array;
	if (clopt_host_alloc(p->ctx, p->bytes, &array, NULL) != CLOPT_OK)
		return 1;
	p->to = array;
	for (i = 0; i < p->bytes / sizeof *p->from; i++)
		p->from[i] = stored(i);
	memset(p->to, 0, p->bytes);
	return 0;
}

/* Lane `lane' of the sum that work-item i has to give. */
static float sum_of(const struct peaks *p, size_t i, size_t lane)
{
	const size_t step = p->group * vector_width(p);
	size_t at = (i / p->group * p->group * vectors(p) + i % p->group) * vector_width(p) + lane,
	       k;
	float sum = 0.0f;

	for (k = 0; k < vectors(p); k++, at += step)
		sum += stored(at);
	return sum;
}

static void check_memory(struct peaks *p, enum peak_what what, float value)
{
	size_t n = p->bytes / sizeof *p->to, i;
	float want;

	if (what == PEAK_READ)
		n /= vectors(p);
	for (i = 0; i < n; i++) {
		want = what == PEAK_READ  ? sum_of(p, i / vector_width(p), i % vector_width(p)) :
		       what == PEAK_WRITE ? value :
		                            stored(i);
		if (p->to[i] == want)
			continue;
		tool_wrong(&p->peak[what].s, "float %zu is %g instead of %g", i, (double)p->to[i],
		           (double)want);
		return;
	}
}

static struct clopt_report memory(struct peaks *p, enum peak_what what)
{
	struct peak *peak = &p->peak[what];
	const size_t vector = vector_width(p) * sizeof *p->to, item = vectors(p) * vector;
	const int first = !(peak->amount > 0.0);
	struct clopt_map_desc map = CLOPT_MAP_DESC_INIT;
	struct clopt_arg args[2];
	float value = 3.0f;
	struct clopt_report report;
	char text[96];

	snprintf(text, sizeof text, "-DWIDTH=%u -DGROUP=%zu -DVECTORS=%zu", vector_width(p),
	         p->group, vectors(p));
	args[0] = (struct clopt_arg){ CLOPT_ARG_OUT, p->to, what == PEAK_READ ? vector : item };
	args[1] = what == PEAK_WRITE ? (struct clopt_arg){ CLOPT_ARG_VALUE, &value, sizeof value } :
	                               (struct clopt_arg){ CLOPT_ARG_IN, p->from, item };
	map.source = memory_source;
	map.name = kinds[what].key;
	map.build_options = text;
	map.items = p->bytes / item;
	map.items_per_group = p->group;
	map.granule = p->group;
	map.args = args;
	map.nargs = 2;
	report = run(p, what, &map);
	peak->amount = (what == PEAK_COPY ? 2.0 : 1.0) * (double)p->bytes;
	if (first && !peak->s.verdict)
		check_memory(p, what, value);
	return report;
}

/* ---- All of them ------------------------------------------------------------------ */

void peak_launch(struct peaks *p, enum peak_what what, struct tool_sample *s)
{
	struct tool_sample *const own = &p->peak[what].s;
	const struct clopt_report report = what < PEAK_READ ? arith(p, what) : memory(p, what);

	if (!own->verdict)
		tool_sample_add(s, report.kernel_seconds, report.seconds);
	else if (s != own)
		tool_failed(s, own->why);
}

static void turn(void *what, size_t i, struct tool_sample *s)
{
	struct peaks *p = what;

	progress_say("the device's peaks: %s", kinds[i].name);
	if (p->peak[i].absent)
		s->repeats = TOOL_REPEATS;
	else
		peak_launch(p, (enum peak_what)i, s);
}

/* The width of the device's vectors, if OpenCL has such vectors. */
static unsigned width_of(const struct clopt_device_info *info)
{
	unsigned width = 16;

	while (width > 1 && width > info->vector_width)
		width /= 2;
	return width;
}

void peaks_measure(struct peaks *p, struct clopt *ctx, const struct clopt_device_info *info,
                   enum case_extent extent, double seconds)
{
	/* On a processor a work-item is a loop of its own; elsewhere it is a lane. */
	const size_t group = strcmp(info->type, "cpu") == 0 ? 1 : 256;
	size_t i;

	memset(p, 0, sizeof *p);
	p->ctx = ctx;
	p->info = *info;
	p->extent = extent;
	p->width = width_of(info);
	p->group = group < info->max_group ? group : info->max_group;
	p->peak[PEAK_DOUBLE].absent = !info->fp64;
	p->peak[PEAK_HALF].absent = !info->fp16;
	if (open_memory(p))
		for (i = PEAK_READ; i < PEAKS; i++)
			tool_failed(&p->peak[i].s, "not enough memory for the arrays");
	tool_turns(&p->peak[0].s, sizeof p->peak[0], PEAKS, 1, 0.0, turn, p);
	for (i = 0; i < PEAKS; i++) /* the first launches have compiled kernels */
		p->peak[i].s.repeats = 0, p->peak[i].s.spent = 0.0;
	tool_turns(&p->peak[0].s, sizeof p->peak[0], PEAKS, PEAK_LEAST, seconds, turn, p);
	for (i = 0; i < PEAKS; i++) {
		struct peak *peak = &p->peak[i];

		if (peak->absent || peak->s.verdict)
			continue;
		peak->median = peak->amount / tool_median(peak->s.seconds, peak->s.repeats) / 1e9;
		peak->best = peak->amount / peak->s.seconds[0] / 1e9; /* they are sorted */
	}
	peaks_end(p);
}

int peaks_begin(struct peaks *p, struct clopt *ctx, enum peak_what what)
{
	p->ctx = ctx;
	if (what >= PEAK_READ && open_memory(p)) {
		peaks_end(p);
		return 1;
	}
	return 0;
}

void peaks_end(struct peaks *p)
{
	clopt_host_free(p->ctx, p->from);
	clopt_host_free(p->ctx, p->to);
	p->from = p->to = NULL;
	p->ctx = NULL;
}

size_t peaks_bad(const struct peaks *p)
{
	size_t i, bad = 0;

	for (i = 0; i < PEAKS; i++)
		bad += p->peak[i].s.verdict != NULL;
	return bad;
}

json_t *peaks_json(const struct peaks *p)
{
	json_t *list = json_array();
	int i;

	for (i = 0; i < PEAKS; i++) {
		const struct peak *k = &p->peak[i];

		json_array_append_new(list,
		                      json_pack("{s:s, s:s, s:s, s:o, s:o, s:I, s:s, s:o}", "peak",
		                                kinds[i].key, "name", kinds[i].name, "unit",
		                                kinds[i].unit, "best", tool_json_known(k->best),
		                                "median", tool_json_known(k->median), "repeats",
		                                (json_int_t)(k->absent ? 0 : k->s.repeats), "check",
		                                k->absent ? "absent" : tool_verdict(&k->s), "why",
		                                tool_why(&k->s)));
	}
	return list;
}

void peaks_print(const struct peaks *p)
{
	static const struct tool_column columns[] = {
		TOOL_TEXT("at most", "name"),
		TOOL_NUMBER("best", "best", "%.4g", 1),
		TOOL_NUMBER("median", "median", "%.4g", 1),
		TOOL_TEXT(" ", "unit"),
		TOOL_TEXT("check", "check why"),
		TOOL_END,
	};
	json_t *rows = peaks_json(p);

	printf("\n");
	tool_table(stdout, rows, columns);
	json_decref(rows);
	fflush(stdout);
}
