/* SPDX-License-Identifier: MIT */
/*
 * amd.c - what AMD's GPUs pick, without one: OpenCL pretends to be such a GPU, and
 * each program fails to build, so that the library tries one row after the other.
 *
 * With CLOPT_TEST_AMD=FOLDER the programs are written there as amd.sh compiles
 * them: 0001.cl and so on, and in `rows` a line each of the lanes of the GPU, the row,
 * whether it reads images, the file, the work-items of a group and the options, with
 * tabs between.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "internal.h"
#include "suites.h"
#include "wrap.h"

/* As their drivers tell.  TeraScale is of 2011 and before. */
static const struct wrap_gpu gpus[] = {
	{ "gfx906", "Advanced Micro Devices, Inc.", 1, 64, 256, 1, 64 << 10 },
	{ "gfx942", "Advanced Micro Devices, Inc.", 1, 64, 256, 0, 64 << 10 },
	{ "gfx1100", "Advanced Micro Devices, Inc.", 1, 32, 256, 1, 64 << 10 },
	{ "Cypress", "Advanced Micro Devices, Inc.", 4, 64, 256, 1, 32 << 10 },
};
#define GPUS (int)(sizeof gpus / sizeof *gpus)
static const int ops[] = { CLOPT_MATMUL, CLOPT_TRANSPOSE };
#define OPS (int)(sizeof ops / sizeof *ops)
#define MOST 64 /* programs that one problem tries */

/* The programs of the walk under way, in its order. */
static struct {
	char *source, options[512];
} tried[MOST];
static size_t tries;
static unsigned files;

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

static void forget(void)
{
	while (tries)
		free(tried[--tries].source);
}

static void write_program(const char *folder, FILE *rows, const struct wrap_gpu *gpu,
                          const struct variant *v, size_t i)
{
	char path[512];
	FILE *f;

	snprintf(path, sizeof path, "%s/%04u.cl", folder, ++files);
	f = fopen(path, "w");
	ck_assert_msg(f && fputs(tried[i].source, f) >= 0 && fclose(f) == 0, "cannot write %s",
	              path);
	fprintf(rows, "%s\t%s\t%d\t%s\t%zu\t%s\n", gpu->vector_width > 1 ? "vector" : "scalar",
	        v->name, (v->images | v->texels) != 0, strrchr(path, '/') + 1, v->wg[0] * v->wg[1],
	        tried[i].options);
}

/* The rows that the GPU tries for a problem, best first, and their number.  A row
 * that it has tried with the same options before is not among them. */
static size_t walk(struct clopt *ctx, const struct clopt_problem *problem,
                   const struct variant **rows)
{
	char before[256];
	struct clopt_problem p;
	const struct variant *v;
	size_t n = 0;

	ck_assert_ptr_null(clopt_variant_name(sizeof before));
	CHECK_OK(ctx, clopt__problem_read(ctx, problem, &p));
	for (v = clopt__variants; v->name; v++)
		before[v - clopt__variants] = clopt__struck_out(ctx, v, &p) != NULL;
	forget();
	ck_assert_ptr_null(clopt_choice(ctx, problem));
	for (v = clopt__variants; v->name; v++)
		if (clopt__struck_out(ctx, v, &p) && !before[v - clopt__variants])
			rows[n++] = v;
	ck_assert_uint_eq(n, tries);
	return n;
}

static struct clopt *open_as(const struct wrap_gpu *gpu)
{
	wrap_pretend(gpu);
	wrap_builds(keep);
	return test_open(NULL);
}

/* Scalar lanes take rows that are made for them; the others read float4, through
 * the texture cache.  A GPU without images is offered no row that reads them. */
START_TEST(choice)
{
	const struct wrap_gpu *gpu = &gpus[_i];
	const int scalar = gpu->vector_width == 1;
	struct clopt *ctx = open_as(gpu);
	struct clopt_problem p = { .size = sizeof p };
	const struct variant *rows[MOST];
	size_t n, i;

	p.op = CLOPT_MATMUL;
	p.dim[0] = p.dim[1] = p.dim[2] = 8192;
	for (p.elem_bytes = 4; p.elem_bytes <= 8; p.elem_bytes += 4) {
		n = walk(ctx, &p, rows);
		ck_assert_uint_gt(n, 2);
		ck_assert_uint_eq(rows[0]->likes, scalar ? T_AMD | T_SCALAR | T_GPU | T_LOCAL :
		                                           T_FLOAT4 | T_TEXTURE);
		for (i = 0; i < n; i++) {
			ck_assert(gpu->images || !(rows[i]->images | rows[i]->texels));
			ck_assert(!(rows[i]->likes & (scalar ? T_FLOAT4 : T_SCALAR)));
			ck_assert(!(rows[i]->likes & (T_NVIDIA | T_CPU)));
		}
	}
	forget();
	test_close(ctx);
}
END_TEST

START_TEST(programs)
{
	const char *folder = getenv("CLOPT_TEST_AMD");
	const struct variant *rows[MOST];
	const struct shape *shapes;
	struct clopt_problem p;
	struct clopt *ctx;
	size_t i, j, n, shape_count;
	char path[512];
	FILE *list;
	int g, op;

	if (!folder)
		return;
	snprintf(path, sizeof path, "%s/rows", folder);
	list = fopen(path, "w");
	ck_assert_msg(list != NULL, "cannot write %s", path);
	for (g = 0; g < GPUS; g++) {
		ctx = open_as(&gpus[g]);
		for (op = 0; op < OPS; op++) {
			shapes = case_shapes(ops[op], &shape_count);
			for (i = 0; i < shape_count; i++) {
				case_problem(ops[op], &shapes[i], &p);
				n = walk(ctx, &p, rows);
				for (j = 0; j < n; j++)
					write_program(folder, list, &gpus[g], rows[j], j);
			}
		}
		forget();
		test_close(ctx);
	}
	ck_assert_int_eq(fclose(list), 0);
}
END_TEST

TCase *amd_case(void)
{
	TCase *c = tcase_create("amd");

	tcase_add_loop_test(c, choice, 0, GPUS);
	tcase_add_test(c, programs);
	return c;
}
