/* SPDX-License-Identifier: MIT */
/*
 * planes.c - launches of a row whose kernel `planes` runs first: what that kernel makes of A, what
 * `run` gets, and the workspace in between.
 *
 * `planes` is that of cl/matmul/wgmma_mix.cl, with its only instruction of NVIDIA's replaced, so
 * that it runs anywhere.  `run` copies what it gets to C.
 */
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "kernel/program.h"
#include "suites.h"
#include "wrap.h"

static const struct variant row = {
	CLOPT_OP_MATMUL,
	"matmul/test-planes",
	"matmul/wgmma_mix.cl",
	"",
	{ 1, 1 },
	{ 128, 128 },
	0,
	0,
	.align = 1,
	.maps = 1,
	.planes = 1,
	.persists = 1,
};

#define WORDS 15
#define HEAD 80 /* numbers of 4 bytes that `run` stores before the planes */
static const char before[] = "static inline uint both(float left, float right)\n"
                             "{\n"
                             "	const uint2 b = as_uint2((float2)(left, right));\n"
                             "	const uint2 r = b + 0x7fff + (b >> 16 & 1);\n"
                             "	return r.x >> 16 | (r.y & 0xffff0000);\n"
                             "}\n"
                             "#define asm(...) h = both(left, right)\n";
static const char after[] =
        "struct words { ulong word[15]; };\n"
        "__kernel void run(ulong m, ulong n, ulong k, ulong lda, ulong ldb, ulong ldc, ulong sa,\n"
        "ulong sb, ulong sc, long lower, SCALAR alpha, SCALAR beta, __global uint *c,\n"
        "ulong8 offset, __global const ELEM *a, struct words words_a, __global const ELEM *b,\n"
        "struct words words_b, __global const uint *made, struct words words_made,\n"
        "__global const uint *q, struct words words_q)\n"
        "{\n"
        "	const ulong group = get_group_id(0) + get_num_groups(0) * get_group_id(2);\n"
        "	__global ulong *head = (__global ulong *)c;\n"
        "	if (group == 0) {\n"
        "		for (int i = 0; i < 15; i++)\n"
        "			head[i] = words_made.word[i], head[15 + i] = words_q.word[i];\n"
        "		head[30] = get_num_groups(0);\n"
        "		head[31] = get_num_groups(1);\n"
        "		head[32] = offset.s7;\n"
        "		head[33] = made == q;\n"
        "	}\n"
        "	for (ulong i = group; i < ldc; i += get_num_groups(0) * get_num_groups(2))\n"
        "		c[80 + i] = made[i];\n"
        "}\n";

/* The lines of a file of cl/ up to one that begins so. */
static size_t take(const char *file, const char *end, const char **lines)
{
	const struct source *s = clopt__sources;
	size_t n = 0;

	while (s->file && strcmp(s->file, file))
		s++;
	ck_assert_ptr_nonnull(s->file);
	while (n < s->count && (!end || strncmp(s->lines[n], end, strlen(end)))) {
		lines[n] = s->lines[n];
		n++;
	}
	ck_assert(!end || n < s->count);
	return n;
}

static const struct made_of {
	int type, transa;
	size_t m, k, batch, ld, stride, offset; /* in elements */
	int copied;
} cases[] = {
	{ CLOPT_TYPE_FLOAT, CLOPT_TRANS_NO, 5, 40, 1, 44, 0, 0, 0 },
	{ CLOPT_TYPE_FLOAT, CLOPT_TRANS_NO, 5, 40, 1, 41, 0, 0, 1 },
	{ CLOPT_TYPE_FLOAT, CLOPT_TRANS_NO, 300, 65, 1, 68, 0, 4, 0 },
	{ CLOPT_TYPE_FLOAT, CLOPT_TRANS_NO, 300, 65, 1, 68, 0, 1, 1 },
	{ CLOPT_TYPE_FLOAT, CLOPT_TRANS_NO, 3, 33, 3, 36, 120, 0, 0 },
	{ CLOPT_TYPE_FLOAT, CLOPT_TRANS_NO, 3, 33, 3, 36, 0, 0, 0 },
	{ CLOPT_TYPE_FLOAT, CLOPT_TRANS_YES, 37, 19, 1, 40, 0, 0, 1 },
	{ CLOPT_TYPE_FLOAT, CLOPT_TRANS_YES, 37, 70, 2, 41, 3000, 7, 1 },
	{ CLOPT_TYPE_COMPLEX_FLOAT, CLOPT_TRANS_NO, 5, 17, 1, 18, 0, 0, 0 },
	{ CLOPT_TYPE_COMPLEX_FLOAT, CLOPT_TRANS_NO, 5, 17, 2, 17, 99, 0, 1 },
	{ CLOPT_TYPE_COMPLEX_FLOAT, CLOPT_TRANS_CONJ, 9, 21, 2, 11, 300, 3, 1 },
	/* Items that take several lines each; no terms. */
	{ CLOPT_TYPE_FLOAT, CLOPT_TRANS_NO, 65541, 1, 1, 4, 0, 0, 0 },
	{ CLOPT_TYPE_FLOAT, CLOPT_TRANS_NO, 5, 0, 1, 4, 0, 0, 1 },
};

/* A launch, and all that it needs. */
struct scene {
	struct clopt *ctx;
	const struct made_of *c;
	struct kernel kernel;
	struct clopt_problem problem;
	struct array array[3];
	const struct array *arrays[3];
	double real[2 * MAX_REALS];
	size_t dim[3], parts, matrices, blocks,
	        count; /* blocks: of a line; count: of numbers made */
	float *a;
	struct launch l;
};

static void build(struct scene *s)
{
	const char *lines[2000];
	char options[400];
	size_t n = 0;
	cl_int code;

	snprintf(options, sizeof options,
	         "-cl-std=CL1.2 -DWG0=1 -DWG1=1 -DOUT0=128 -DOUT1=128 -DTK=32 -DTYPE=%d "
	         "-DELEM_BYTES=4 -DTA=%d -DTB=0 -DUPLO=0 -DHERMITIAN=0 -DSLICES=0 -DIN_PARTS=0 "
	         "-DSCALED=0 -DPRECISION=0 -DOUTPUTS=0 -DNORMALS=0 -DDEPTHS=0",
	         s->c->type,
	         s->c->transa == CLOPT_TRANS_NO  ? 0 :
	         s->c->transa == CLOPT_TRANS_YES ? 1 :
	                                           2);
	n += take("common.clh", NULL, lines + n);
	n += take("matmul/common.clh", NULL, lines + n);
	lines[n++] = before;
	n += take("matmul/wgmma_mix.cl", "/* Starts a step when ", lines + n);
	lines[n++] = after;
	ck_assert_uint_lt(n, sizeof lines / sizeof *lines);
	s->kernel.v = &row;
	s->kernel.program =
	        clCreateProgramWithSource(s->ctx->context, (cl_uint)n, lines, NULL, &code);
	ck_assert_int_eq(code, CL_SUCCESS);
	ck_assert_int_eq(
	        clBuildProgram(s->kernel.program, 1, &s->ctx->device.id, options, NULL, NULL),
	        CL_SUCCESS);
	s->kernel.kernel = clCreateKernel(s->kernel.program, "run", &code);
	ck_assert_int_eq(code, CL_SUCCESS);
	s->kernel.first[0] = clCreateKernel(s->kernel.program, "planes", &code);
	ck_assert_int_eq(code, CL_SUCCESS);
	s->kernel.next = s->ctx->kernels;
	s->ctx->kernels = &s->kernel;
}

/* The array of A, in numbers. */
static size_t numbers_of_a(const struct scene *s)
{
	const size_t rows = s->c->transa == CLOPT_TRANS_NO ? s->c->m : s->c->k;

	return s->parts * (s->c->offset + (s->c->batch - 1) * s->c->stride + rows * s->c->ld + 1);
}

static void open_scene(struct scene *s, struct clopt *ctx, const struct made_of *c)
{
	static const struct layout packed = { 0, 0, 1 };
	size_t i, numbers;

	memset(s, 0, sizeof *s);
	s->ctx = ctx;
	s->c = c;
	s->parts = c->type == CLOPT_TYPE_FLOAT ? 1 : 2;
	s->matrices = c->stride ? c->batch : 1;
	s->blocks = (s->parts * c->k + 31) / 32;
	s->count = s->matrices * c->m * s->blocks * 32 * (c->copied ? 2 : 1);
	s->dim[0] = c->m;
	s->dim[1] = 9;
	s->dim[2] = c->k;
	s->problem = (struct clopt_problem){ .op = CLOPT_OP_MATMUL,
		                             .type = c->type,
		                             .transa = c->transa,
		                             .transb = CLOPT_TRANS_NO,
		                             .elem_bytes = 4 * s->parts,
		                             .batch = c->batch };
	build(s);
	numbers = numbers_of_a(s);
	s->a = malloc(numbers * sizeof *s->a);
	for (i = 0; i < numbers; i++)
		s->a[i] = (float)((i * 2654435761u & 0xffffff) + 1) * (i % 3 ? 1 : -0x1p-20f);
	CHECK_OK(ctx, clopt__array_copy_of(ctx, s->a, numbers, 4, &s->array[0]));
	CHECK_OK(ctx, clopt__array_open(ctx, 64, 64, packed, &s->array[1]));
	CHECK_OK(ctx, clopt__array_open(ctx, HEAD + s->count, 4, packed, &s->array[2]));
	s->array[0].pitch_bytes = 4 * s->parts * c->ld;
	s->array[0].stride_bytes = 4 * s->parts * c->stride;
	s->array[0].offset_bytes = 4 * s->parts * c->offset;
	s->array[2].pitch_bytes = 4 * s->parts * s->count; /* `run` gets the count */
	for (i = 0; i < 3; i++)
		s->arrays[i] = &s->array[i];
	s->l = (struct launch){ .v = &row,
		                .kernel = s->kernel.kernel,
		                .problem = &s->problem,
		                .dim = s->dim,
		                .batch = c->batch,
		                .real = s->real,
		                .arrays = s->arrays };
}

static void close_scene(struct scene *s)
{
	struct kernel **at = &s->ctx->kernels;
	unsigned i;

	clFinish(s->ctx->queue[0]);
	clopt__launches_forget(s->ctx);
	while (*at != &s->kernel)
		at = &(*at)->next;
	*at = s->kernel.next;
	clopt__program_drop(&s->kernel);
	for (i = 0; i < 3; i++)
		clopt__array_close(&s->array[i]);
	free(s->a);
}

/* A number of a line of op(A), 0 beyond its end. */
static float number_of(const struct scene *s, size_t matrix, size_t line, size_t p)
{
	const struct made_of *c = s->c;
	const size_t term = p / s->parts;
	const size_t at = c->offset + matrix * c->stride +
	                  (c->transa == CLOPT_TRANS_NO ? line * c->ld + term : term * c->ld + line);

	return term < c->k ? s->a[s->parts * at + p % s->parts] : 0;
}

/* The bits of x without its last `bits`, rounded to nearest, ties to even. */
static uint32_t rounded(float x, unsigned bits)
{
	uint32_t u;

	memcpy(&u, &x, 4);
	u += (1u << (bits - 1)) - 1 + (u >> bits & 1);
	return u >> bits << bits;
}

/* What a launch has made, in the queue q. */
static void expect_made(const struct scene *s, cl_command_queue q)
{
	uint32_t *got = malloc((HEAD + s->count) * sizeof *got), *at = got + HEAD;
	const size_t all = s->count / (s->c->copied ? 2 : 1);
	size_t z, line, p;

	ck_assert_int_eq(clEnqueueReadBuffer(q, s->array[2].mem, CL_TRUE, 0,
	                                     (HEAD + s->count) * sizeof *got, got, 0, NULL, NULL),
	                 CL_SUCCESS);
	for (z = 0; z < s->matrices; z++)
		for (line = 0; line < s->c->m; line++, at += 32 * s->blocks)
			for (p = 0; p < 32 * s->blocks; p++) {
				/* Numbers p and p + 4 share a word. */
				const size_t word = p / 32 * 32 + p % 32 / 8 * 4 + p % 4;
				const unsigned shift = p / 4 % 2 ? 16 : 0;
				const float x = number_of(s, z, line, p);
				const uint32_t high = rounded(x, 13);
				float whole;

				memcpy(&whole, &high, 4);
				ck_assert_uint_eq(at[word] >> shift & 0xffff, rounded(x, 16) >> 16);
				ck_assert_uint_eq(at[word + 16] >> shift & 0xffff,
				                  rounded(x - whole, 16) >> 16);
				if (s->c->copied)
					ck_assert_uint_eq(at[all + p], high);
			}
	free(got);
}

static void launch(const struct scene *s, cl_command_queue q)
{
	CHECK_OK(s->ctx, clopt__launch(s->ctx, q, &s->l, (struct waits){ 0, NULL }, NULL));
}

/* The planes of all kinds of A, and the words and numbers that `run` gets. */
START_TEST(planes)
{
	const struct made_of *c = &cases[_i];
	struct clopt *ctx = test_open(NULL);
	const size_t groups = (c->m + 127) / 128, units = ctx->device.info.compute_units;
	cl_ulong head[HEAD / 2], word[16];
	struct scene s;
	size_t pitch;

	open_scene(&s, ctx, c);
	pitch = s.blocks * 128;
	launch(&s, ctx->queue[0]);
	expect_made(&s, ctx->queue[0]);
	ck_assert_int_eq(clEnqueueReadBuffer(ctx->queue[0], s.array[2].mem, CL_TRUE, 0, sizeof head,
	                                     head, 0, NULL, NULL),
	                 CL_SUCCESS);
	ck_assert_uint_eq(head[30], groups < units ? groups : units);
	ck_assert_uint_eq(head[31], 1);
	ck_assert_uint_eq(head[32], c->copied ? 4 : 0);
	ck_assert_uint_eq(head[33], c->copied);
	if (pitch) { /* boxes of 128 lines of 128 bytes, without rounding */
		ck_assert_uint_eq(head[0], 0x463b0 | (cl_ulong)pitch / 16 << 32);
		ck_assert_uint_eq(head[1] & 0xffffffff, s.matrices > 1 ? c->m * pitch / 16 : 1);
		ck_assert_uint_eq(head[3], (s.blocks * 32 - 1) | (cl_ulong)(c->m - 1) << 32);
		ck_assert_uint_eq(head[4], s.matrices - 1);
		ck_assert_uint_eq(head[5], (cl_ulong)31 << 56);
		ck_assert_uint_eq(head[6], 127);
	}
	if (!c->copied) { /* A itself, rounded to tf32 */
		ck_assert_int_eq(clopt__tensor_map(&s.l, 0, word), 1);
		ck_assert_uint_eq(word[1] & 0xffffffff, 0x563b0);
		ck_assert_mem_eq(head + WORDS, word + 1, 8 * WORDS);
	} else if (pitch) { /* high parts after the planes */
		ck_assert_uint_eq(head[WORDS], head[0]);
		ck_assert_uint_eq(head[WORDS + 1] >> 32, s.matrices * c->m * pitch / 16);
		ck_assert_uint_eq(head[WORDS + 4], head[4] | (cl_ulong)1 << 32);
	}
	close_scene(&s);
	test_close(ctx);
}
END_TEST

/* A queue keeps its workspace.  A larger one replaces it while commands may use the old one; each
 * queue has its own, which ends with the queue. */
START_TEST(kept)
{
	struct clopt *ctx = test_open(NULL);
	struct clopt_queue *queue;
	struct scene small, large;
	cl_mem mem, other, of_many[12];
	size_t i, bytes;

	clopt__idle_free(ctx);
	open_scene(&small, ctx, &cases[0]);
	open_scene(&large, ctx, &cases[7]);
	bytes = 4 * small.count;
	launch(&small, ctx->queue[0]);
	ck_assert_uint_eq(clopt__idle_bytes(ctx), bytes);
	mem = ctx->workspace[0].mem;
	launch(&small, ctx->queue[0]);
	ck_assert_ptr_eq(ctx->workspace[0].mem, mem);
	launch(&large, ctx->queue[0]);
	ck_assert_uint_eq(ctx->workspace[0].bytes, 4 * large.count);
	mem = ctx->workspace[0].mem;
	launch(&small, ctx->queue[0]);
	ck_assert_ptr_eq(ctx->workspace[0].mem, mem);
	expect_made(&small, ctx->queue[0]);
	expect_made(&large, ctx->queue[0]);
	CHECK_OK(ctx, clopt_queue_new(ctx, &queue));
	launch(&small, clopt_queue_cl(queue));
	expect_made(&small, clopt_queue_cl(queue));
	ck_assert_uint_eq(clopt__idle_bytes(ctx), 4 * large.count + bytes);
	clopt_queue_free(queue);
	ck_assert_uint_eq(clopt__idle_bytes(ctx), 4 * large.count);
	/* More queues than places. */
	for (i = 0; i < 12; i++)
		CHECK_OK(ctx,
		         clopt__workspace(ctx, (cl_command_queue)(of_many + i), 100, &of_many[i]));
	clopt__workspace_free(ctx, (cl_command_queue)of_many);
	CHECK_OK(ctx, clopt__workspace(ctx, (cl_command_queue)(of_many + 1), 100, &other));
	ck_assert_ptr_eq(other, of_many[1]);
	ck_assert_int_eq(clopt__idle_free(ctx), 1);
	ck_assert_uint_eq(clopt__idle_bytes(ctx), 0);
	launch(&large, ctx->queue[0]);
	expect_made(&large, ctx->queue[0]);
	close_scene(&large);
	close_scene(&small);
	test_close(ctx);
}
END_TEST

/* With profiling the log has the time of `planes`; the caller has the event of `run`. */
START_TEST(timed)
{
	struct clopt_options o = CLOPT_OPTIONS_INIT;
	struct clopt *ctx;
	struct scene s;
	cl_event done = NULL;

	o.profile = 1;
	ctx = test_open(&o);
	open_scene(&s, ctx, &cases[0]);
	s.l.logged = 1;
	CHECK_OK(ctx, clopt__launch(ctx, ctx->queue[0], &s.l, (struct waits){ 0, NULL }, &done));
	ck_assert_uint_eq(clopt__log_count(ctx), 1);
	ck_assert_str_eq(ctx->log.list[0].label, row.name);
	ck_assert_ptr_ne(ctx->log.list[0].event, done);
	ck_assert_int_eq(clWaitForEvents(1, &done), CL_SUCCESS);
	clReleaseEvent(done);
	CHECK_OK(ctx, clopt__log_settle(ctx, CLOPT_OK));
	close_scene(&s);
	test_close(ctx);
}
END_TEST

/* Whatever fails, the next launch is right, and nothing is left behind (test_close). */
START_TEST(failing)
{
	struct clopt *ctx = test_open(NULL);
	struct scene s;
	long n, failures = 0;
	int happened = 1;

	open_scene(&s, ctx, &cases[1]);
	for (n = 1; happened; n++) {
		int rc;

		clopt__idle_free(ctx);
		wrap_fail(n, CL_OUT_OF_RESOURCES);
		rc = clopt__launch(ctx, ctx->queue[0], &s.l, (struct waits){ 0, NULL }, NULL);
		happened = wrap_failed();
		wrap_fail(0, 0);
		ck_assert(happened || rc == CLOPT_OK);
		failures += rc != CLOPT_OK;
		launch(&s, ctx->queue[0]);
		expect_made(&s, ctx->queue[0]);
	}
	ck_assert_int_gt(failures, 12 + 8 + 4); /* the arguments alone */
	close_scene(&s);
	test_close(ctx);
}
END_TEST

SUITE(planes, long)
{
	tcase_add_loop_test(c, planes, 0, (int)(sizeof cases / sizeof *cases));
	tcase_add_test(c, kept);
	tcase_add_test(c, timed);
	tcase_add_test(c, failing);
}
