/* SPDX-License-Identifier: MIT */
/*
 * memory.c - how fast the device reads, writes and copies its own memory.
 *
 * Arrays are larger than caches, and groups go through them in order.  Processors read a
 * line before they write to it, unless they are told that it is all new: their stores go
 * past the cache, as those of the library's transposes do.
 */
#include <string.h>

#include "peak.h"

enum {
	MOST_BYTES = 512 << 20,
	SMALL_BYTES = 1 << 18,
	/* Vectors of a work-item: on a processor a stretch of its own, elsewhere a
	 * few, with those of its group between them. */
	VECTORS_ALONE = 1024,
	VECTORS = 32
};

static const char source[] =
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
static unsigned width(const struct peaks *p)
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

int peak_memory_open(struct peaks *p)
{
	const size_t whole = p->group * vectors(p) * width(p) * sizeof *p->from;
	size_t bytes = p->extent == CASE_SMALL ? SMALL_BYTES : MOST_BYTES, i;
	void *memory;

	/* Two of them, in a quarter of the memory. */
	while (bytes > whole &&
	       (bytes > p->info.max_alloc_bytes || 8 * bytes > p->info.global_bytes))
		bytes /= 2;
	p->bytes = (bytes + whole - 1) / whole * whole;
	if (clopt_host_alloc(p->ctx, p->bytes, &memory, NULL) != CLOPT_OK)
		return 1;
	p->from = memory;
	if (clopt_host_alloc(p->ctx, p->bytes, &memory, NULL) != CLOPT_OK)
		return 1;
	p->to = memory;
	for (i = 0; i < p->bytes / sizeof *p->from; i++)
		p->from[i] = stored(i);
	memset(p->to, 0, p->bytes);
	return 0;
}

void peak_memory_close(struct peaks *p)
{
	clopt_host_free(p->ctx, p->from);
	clopt_host_free(p->ctx, p->to);
	p->from = p->to = NULL;
}

/* ---- Is it there? ---------------------------------------------------------------- */

/* Lane `lane' of the sum that work-item i has to give. */
static float sum_of(const struct peaks *p, size_t i, size_t lane)
{
	const size_t step = p->group * width(p);
	size_t at = (i / p->group * p->group * vectors(p) + i % p->group) * width(p) + lane, k;
	float sum = 0.0f;

	for (k = 0; k < vectors(p); k++, at += step)
		sum += stored(at);
	return sum;
}

static void check(struct peaks *p, enum peak_what what, float value)
{
	size_t n = p->bytes / sizeof *p->to, i;
	float want;

	if (what == PEAK_READ)
		n /= vectors(p);
	for (i = 0; i < n; i++) {
		want = what == PEAK_READ  ? sum_of(p, i / width(p), i % width(p)) :
		       what == PEAK_WRITE ? value :
		                            stored(i);
		if (p->to[i] == want)
			continue;
		tool_wrong(&p->peak[what].s, "float %zu is %g instead of %g", i, (double)p->to[i],
		           (double)want);
		return;
	}
}

double peak_memory(struct peaks *p, enum peak_what what, double *spent)
{
	static const char *const names[] = { "read", "write", "copy" };
	struct peak *peak = &p->peak[what];
	const size_t vector = width(p) * sizeof *p->to, item = vectors(p) * vector;
	const int first = !(peak->amount > 0.0);
	struct clopt_map_desc map = CLOPT_MAP_DESC_INIT;
	struct clopt_arg args[2];
	float value = 3.0f;
	double seconds;
	char text[96];

	snprintf(text, sizeof text, "-DWIDTH=%u -DGROUP=%zu -DVECTORS=%zu", width(p), p->group,
	         vectors(p));
	args[0] = (struct clopt_arg){ CLOPT_ARG_OUT, p->to, what == PEAK_READ ? vector : item };
	args[1] = what == PEAK_WRITE ? (struct clopt_arg){ CLOPT_ARG_VALUE, &value, sizeof value } :
	                               (struct clopt_arg){ CLOPT_ARG_IN, p->from, item };
	map.source = source;
	map.name = names[what - PEAK_READ];
	map.build_options = text;
	map.items = p->bytes / item;
	map.items_per_group = p->group;
	map.granule = p->group;
	map.args = args;
	map.nargs = 2;
	seconds = peak_run(p, what, &map, spent);
	peak->amount = (what == PEAK_COPY ? 2.0 : 1.0) * (double)p->bytes;
	if (first && !peak->s.verdict)
		check(p, what, value);
	return seconds;
}
