/* SPDX-License-Identifier: MIT */
/*
 * amd.c - the choices for AMD's GPUs, without such a GPU: OpenCL pretends to be one, and
 * each program fails to build, so that the library tries one row after the other.
 *
 * With CLOPT_TEST_AMD=FOLDER the programs are written to that folder for amd.sh: 0001.cl
 * and so on, and in `rows` a line for each with these fields between tabs: the row, its
 * type of numbers, the GPUs of which it is the first choice, those of which it is that for a large
 * problem ("-": none), whether it reads images, the file, the work-items of a group, what is
 * summed, the options.  `bodies' has the rows of moving bodies by their number.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases/cases.h"
#include "problems.h"
#include "base/context.h"
#include "choose/choose.h"
#include "kernel/kernel.h"
#include "table/table.h"
#include "suites.h"
#include "wrap.h"

/* As their drivers describe them.  TeraScale is of 2011 and before. */
static const struct wrap_gpu gpus[] = {
	{ "gfx803", "Advanced Micro Devices, Inc.", 1, 64, 256, 1, 64 << 10, 0, NULL },
	{ "gfx906", "Advanced Micro Devices, Inc.", 1, 64, 256, 1, 64 << 10, 0, NULL },
	{ "gfx90a", "Advanced Micro Devices, Inc.", 1, 64, 256, 1, 64 << 10, 0, NULL },
	{ "gfx942", "Advanced Micro Devices, Inc.", 1, 64, 256, 0, 64 << 10, 0, NULL },
	{ "gfx1100", "Advanced Micro Devices, Inc.", 1, 32, 256, 1, 64 << 10, 0, NULL },
	{ "gfx1201", "Advanced Micro Devices, Inc.", 1, 32, 256, 1, 64 << 10, 0, NULL },
	{ "Cypress", "Advanced Micro Devices, Inc.", 4, 64, 256, 1, 32 << 10, 0, NULL },
};
#define GPUS (int)(sizeof gpus / sizeof *gpus)
#define MATRIX_UNITS (unsigned)(T_MFMA | T_WMMA | T_WMMA12)
static const unsigned units[GPUS] = { 0, 0, T_MFMA, T_MFMA, T_WMMA, T_WMMA12, 0 };
#define MOST 64 /* programs for one problem */
#define MOST_FOUND 1000

/* The programs of the walk under way, in its order. */
static struct program {
	const struct variant *v;
	char *source, options[512];
} tried[MOST];
static size_t tries;

static void keep(const char *const *lines, size_t count, const char *options)
{
	size_t i, size = 1;
	char *at;

	ck_assert_uint_lt(tries, MOST);
	for (i = 0; i < count; i++)
		size += strlen(lines[i]);
	at = tried[tries].source = malloc(size);
	ck_assert_ptr_nonnull(at);
	for (i = 0; i < count; i++)
		at += sprintf(at, "%s", lines[i]);
	snprintf(tried[tries].options, sizeof tried[tries].options, "%s", options);
	tries++;
}

/* The rows that a new context tries for a problem, best first, and their number. */
static size_t walk(struct clopt *ctx, const struct clopt_problem *problem)
{
	struct clopt_problem p;
	const struct variant *v;
	size_t n = 0;

	CHECK_OK(ctx, clopt__problem_read(ctx, problem, &p));
	ck_assert_ptr_null(clopt_chosen_variant(ctx, problem));
	for (v = clopt__variant(0); v; v = clopt__next_variant(v))
		if (clopt__struck_out(ctx, v, &p))
			tried[n++].v = v;
	ck_assert_uint_eq(n, tries);
	return n;
}

static struct clopt *open_as(const struct wrap_gpu *gpu)
{
	wrap_pretend(gpu);
	wrap_builds(keep);
	return test_open(NULL);
}

static void close_as(struct clopt *ctx)
{
	while (tries)
		free(tried[--tries].source);
	test_close(ctx);
	wrap_builds(NULL);
	wrap_pretend(NULL);
}

/* GPUs with scalar lanes take rows made for them; the others read float4, through the texture
 * cache.  A GPU without images is offered no row that reads them, and rows for matrix instructions
 * only with these; then halves and bfloat16 go by them. */
START_TEST(choice)
{
	static const int types[] = { CLOPT_TYPE_HALF, CLOPT_TYPE_BFLOAT16, CLOPT_TYPE_FLOAT,
		                     CLOPT_TYPE_DOUBLE };
	const struct wrap_gpu *gpu = &gpus[_i];
	const int scalar = gpu->vector_width == 1;
	const unsigned wanted = scalar ? T_AMD | T_SCALAR | T_LOCAL : T_FLOAT4 | T_TEXTURE;
	struct clopt_problem p = { .size = sizeof p };
	struct clopt *ctx;
	size_t n, i, t;

	p.op = CLOPT_OP_MATMUL;
	p.dim[0] = p.dim[1] = p.dim[2] = 4096;
	for (t = 0; t < sizeof types / sizeof *types; t++) {
		p.type = types[t];
		ctx = open_as(gpu);
		n = walk(ctx, &p);
		ck_assert_uint_gt(n, 0);
		if (p.type == CLOPT_TYPE_HALF || p.type == CLOPT_TYPE_BFLOAT16) {
			ck_assert_uint_eq(tried[0].v->likes & MATRIX_UNITS, units[_i]);
		} else {
			ck_assert_uint_gt(n, 2);
			ck_assert(!(wanted & ~tried[0].v->likes));
		}
		for (i = 0; i < n; i++) {
			const struct variant *v = tried[i].v;

			ck_assert(gpu->images || !(v->images | v->texels));
			ck_assert(!(v->likes & (scalar ? T_FLOAT4 : T_SCALAR)));
			ck_assert(!(v->likes & (T_NVIDIA | T_CPU)));
			ck_assert(!(v->likes & MATRIX_UNITS & ~units[_i]));
		}
		close_as(ctx);
	}
}
END_TEST

/* By the counts of docs/amd.md the work-items of a target's group share it up to 256 targets a
 * compute unit. */
START_TEST(targets)
{
	const int scalar = gpus[_i].vector_width == 1;
	struct clopt_problem p = { .size = sizeof p, .op = CLOPT_OP_NBODY };
	struct clopt *ctx;

	for (p.dim[1] = 256; p.dim[1] <= 257; p.dim[1]++) {
		p.dim[0] = p.dim[1];
		ctx = open_as(&gpus[_i]);
		ck_assert_uint_gt(walk(ctx, &p), 0);
		if (scalar)
			ck_assert_str_eq(tried[0].v->name, p.dim[1] == 256 ? "nbody/split-32x8" :
			                                                     "nbody/packed-64x2");
		close_as(ctx);
	}
}
END_TEST

/* Distinct programs: those that differ only in the GPU or the sizes are listed once. */
static struct found {
	const struct variant *v;
	char options[512];
	const char *numbers;
	struct clopt_problem problem;
	unsigned picked, large; /* bit i: by gpus[i], for some problem, and for a large one */
} found[MOST_FOUND];
static size_t finds;

static struct found *find(const struct program *t, const struct clopt_problem *p)
{
	size_t i;

	for (i = 0; i < finds; i++)
		if (found[i].v == t->v && found[i].problem.law == p->law &&
		    !strcmp(found[i].options, t->options))
			return &found[i];
	return NULL;
}

static struct found *add(const char *folder, const struct program *t, const char *numbers,
                         const struct clopt_problem *p)
{
	struct found *f = &found[finds++];
	char path[512];
	FILE *file;

	ck_assert_uint_le(finds, MOST_FOUND);
	f->v = t->v;
	f->numbers = numbers;
	f->problem = *p;
	memcpy(f->options, t->options, sizeof f->options);
	if (!folder)
		return f;
	snprintf(path, sizeof path, "%s/%04zu.cl", folder, finds);
	file = fopen(path, "w");
	ck_assert_msg(file && fputs(t->source, file) >= 0 && fclose(file) == 0, "cannot write %s",
	              path);
	return f;
}

static void gather_for(const char *folder, int gpu, const struct clopt_problem *p, const char *of,
                       int large)
{
	struct clopt_problem read;
	struct clopt *ctx = open_as(&gpus[gpu]);
	struct found *f;
	size_t j, n;

	CHECK_OK(ctx, clopt__problem_read(ctx, p, &read));
	n = walk(ctx, p);
	for (j = 0; j < n; j++) {
		if (!(f = find(&tried[j], &read)))
			f = add(folder, &tried[j], of, &read);
		f->picked |= (unsigned)(j == 0) << gpu;
		f->large |= (unsigned)(j == 0 && large) << gpu;
	}
	close_as(ctx);
}

/* One of each kind. */
static void gather_large(const char *folder, int gpu)
{
	struct clopt_problem p = { .size = sizeof p,
		                   .op = CLOPT_OP_MATMUL,
		                   .dim = { 8192, 8192, 8192 } };
	size_t i;

	for (i = 0; i < CASE_TYPES; i++) {
		p.type = case_types[i].type;
		gather_for(folder, gpu, &p, case_types[i].name, 1);
	}
	p = (struct clopt_problem){ .size = sizeof p,
		                    .op = CLOPT_OP_TRANSPOSE,
		                    .dim = { 8192, 8192 } };
	for (p.elem_bytes = 1; p.elem_bytes <= 16; p.elem_bytes *= 2)
		gather_for(folder, gpu, &p, case_element(&p), 1);
	p.dim[0] = p.dim[1] = 1 << 17;
	p.elem_bytes = 4;
	for (p.law = CLOPT_LAW_COULOMB; p.law < CLOPT_LAWS; p.law++) {
		p.op = p.law < CLOPT_LAW_GRAVITY ? CLOPT_OP_POTENTIAL : CLOPT_OP_NBODY;
		p.normals = clopt__laws[p.law].normals == NORMALS_ALWAYS;
		gather_for(folder, gpu, &p, "float32", 1);
		p.precision = CLOPT_PRECISION_COMPENSATED;
		gather_for(folder, gpu, &p, "compensated", 1);
		p.precision = CLOPT_PRECISION_DOUBLE;
		gather_for(folder, gpu, &p, "float64", 1);
		p.precision = CLOPT_PRECISION_FLOAT;
	}
	p.law = CLOPT_LAW_GRAVITY;
	for (p.outputs = CLOPT_OUTPUTS_FIELD; p.outputs <= CLOPT_OUTPUTS_JERK; p.outputs++) {
		p.precision = CLOPT_PRECISION_DOUBLE_SINGLE;
		gather_for(folder, gpu, &p, "double-single", 1);
		p.precision = CLOPT_PRECISION_FLOAT;
		gather_for(folder, gpu, &p, "float32", 1);
		p.precision = CLOPT_PRECISION_DOUBLE;
		gather_for(folder, gpu, &p, "float64", 1);
	}
}

/* All programs that the GPU tries for the tests' problems, and for large ones. */
static void gather(const char *folder, int gpu)
{
	struct clopt_problem p;
	size_t i, count;
	int op;

	for (op = 0; op < CLOPT_OPS; op++) {
		test_problems(op, &count);
		for (i = 0; i < count; i++) {
			p = test_problem(op, i);
			gather_for(folder, gpu, &p, case_element(&test_problems(op, &count)[i]), 0);
		}
	}
	gather_large(folder, gpu);
}

/* gfx906,gfx942 */
static const char *names(unsigned mask, char text[64])
{
	size_t used = 0;
	int g;

	strcpy(text, "-");
	for (g = 0; g < GPUS; g++)
		if (mask >> g & 1)
			used += (size_t)sprintf(text + used, "%s%s", used ? "," : "", gpus[g].name);
	return text;
}

/* A law and its outputs; nothing for other operations. */
static void summed(const struct clopt_problem *p, char *text, size_t size)
{
	const char *law = clopt_law_name(p->law);

	snprintf(text, size, "%s%s%s", law ? law : "", law ? ", " : "",
	         law ? clopt__outputs_name(p->outputs) : "-");
}

static void write_list(const char *folder)
{
	char path[512], what[64], picked[64], large[64];
	FILE *list;
	size_t i;

	snprintf(path, sizeof path, "%s/rows", folder);
	list = fopen(path, "w");
	ck_assert_msg(list != NULL, "cannot write %s", path);
	for (i = 0; i < finds; i++) {
		summed(&found[i].problem, what, sizeof what);
		fprintf(list, "%s\t%s\t%s\t%s\t%d\t%04zu.cl\t%zu\t%s\t%s\n", found[i].v->name,
		        found[i].numbers, names(found[i].picked, picked),
		        names(found[i].large, large),
		        (found[i].v->images | found[i].v->texels) != 0, i + 1,
		        found[i].v->wg[0] * found[i].v->wg[1], what, found[i].options);
	}
	ck_assert_int_eq(fclose(list), 0);
}

/* Each row made for AMD's GPUs is the first choice of one of them for some problem. */
START_TEST(programs)
{
	const char *folder = getenv("CLOPT_TEST_AMD");
	const struct variant *v;
	size_t i;
	int g, picked;

	for (g = 0; g < GPUS; g++)
		gather(folder, g);
	for (v = clopt__variant(0); v; v = clopt__next_variant(v)) {
		picked = !(v->likes & T_AMD);
		for (i = 0; i < finds; i++)
			picked |= found[i].v == v && found[i].picked;
		ck_assert_msg(picked, "%s is for AMD's GPUs, but none picks it", v->name);
	}
	if (folder)
		write_list(folder);
}
END_TEST

SUITE(amd, long)
{
	tcase_add_loop_test(c, choice, 0, GPUS);
	tcase_add_loop_test(c, targets, 0, GPUS);
	tcase_add_test(c, programs);
}
