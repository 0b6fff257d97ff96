/* SPDX-License-Identifier: MIT */
/*
 * sparse.c - matrices whose elements are farther apart than 32 bits can count: every row with
 * leading dimensions, on memory of which few pages are ever touched.
 *
 * In place, on devices that share the host's memory: the library's own arrays have no such gaps.
 */
#define _DEFAULT_SOURCE /* mmap without a file, madvise */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "problems.h"
#include "base/context.h"
#include "table/table.h"
#include "suites.h"
#include "wrap.h"

/* More rows than a vector has elements; (LINES - 1) * APART is beyond 2^32. */
#define LINES ((size_t)41)
#define APART (((size_t)1 << 27) + 16)

struct sparse {
	char *at;
	size_t bytes;
};

static void sparse_open(struct sparse *s, size_t elements, size_t elem_bytes)
{
	s->bytes = elements * elem_bytes;
	s->at = mmap(NULL, s->bytes, PROT_READ | PROT_WRITE,
	             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	ck_assert_ptr_ne(s->at, MAP_FAILED);
	/* Without it each row would take two megabytes. */
	madvise(s->at, s->bytes, MADV_NOHUGEPAGE);
}

static void sparse_close(struct sparse *s)
{
	ck_assert_int_eq(munmap(s->at, s->bytes), 0);
}

static void put(const struct sparse *s, size_t elem_bytes, size_t i, int value)
{
	const signed char byte = (signed char)value;
	const uint16_t half = test_to_half(value);
	const float single = (float)value;
	const double wide = value;

	memcpy(s->at + i * elem_bytes,
	       elem_bytes == 1 ? (const void *)&byte :
	       elem_bytes == 2 ? (const void *)&half :
	       elem_bytes == 4 ? (const void *)&single :
	                         (const void *)&wide,
	       elem_bytes);
}

static double get(const struct sparse *s, size_t elem_bytes, size_t i)
{
	uint16_t half;
	float single;
	double wide;

	if (elem_bytes == 2) {
		memcpy(&half, s->at + 2 * i, 2);
		return test_of_half(half);
	}
	if (elem_bytes == 4) {
		memcpy(&single, s->at + 4 * i, 4);
		return single;
	}
	memcpy(&wide, s->at + 8 * i, 8);
	return wide;
}

/* Small whole numbers, so that sums are exact; the same for few i, j.  Results of int8 are of four
 * bytes. */
static int value(size_t i, size_t j, int which)
{
	return (int)((3 * i + 5 * j + (size_t)which * (i + 1) * (j + 2)) % 7) - 3;
}

/* C_p = op(A_p) op(B_p) + 2 C_p for p < batch, with rows `ld` apart, matrices `stride`. */
static void product(struct clopt *ctx, const struct variant *row, size_t elem_bytes, int ta, int tb,
                    size_t ld, size_t batch, size_t stride)
{
	const size_t n = LINES, span = (batch - 1) * stride + (n - 1) * ld + n;
	struct clopt_gemm_desc g = CLOPT_GEMM_DESC_INIT;
	const size_t result = elem_bytes == 1 ? sizeof(int) : elem_bytes;
	struct sparse a, b, c;
	size_t i, j, l, p;

	sparse_open(&a, span, elem_bytes);
	sparse_open(&b, span, elem_bytes);
	sparse_open(&c, span, result);
	for (p = 0; p < batch; p++)
		for (i = 0; i < n; i++)
			for (j = 0; j < n; j++) {
				const size_t at = p * stride + i * ld + j;

				put(&a, elem_bytes, at, value(i, j, (int)p));
				put(&b, elem_bytes, at, value(i, j, (int)p + 3));
				if (elem_bytes == 1)
					((int *)c.at)[at] = value(i, j, (int)p + 6);
				else
					put(&c, elem_bytes, at, value(i, j, (int)p + 6));
			}
	g.type = elem_bytes == 1 ? CLOPT_TYPE_INT8 : (int)elem_bytes;
	g.math = row->math;
	g.m = g.n = g.k = n;
	g.transa = ta ? CLOPT_TRANS_YES : CLOPT_TRANS_NO;
	g.transb = tb ? CLOPT_TRANS_YES : CLOPT_TRANS_NO;
	g.beta = 2;
	g.lda = g.ldb = g.ldc = ld;
	g.batch = batch;
	g.stride_a = g.stride_b = g.stride_c = stride;
	CHECK_OK(ctx, clopt_gemm(ctx, &g, a.at, b.at, c.at));
	for (p = 0; p < batch; p++)
		for (i = 0; i < n; i++)
			for (j = 0; j < n; j++) {
				const size_t at = p * stride + i * ld + j;
				const double got = elem_bytes == 1 ? ((int *)c.at)[at] :
				                                     get(&c, elem_bytes, at);
				int want = 2 * value(i, j, (int)p + 6);

				for (l = 0; l < n; l++)
					want += value(ta ? l : i, ta ? i : l, (int)p) *
					        value(tb ? j : l, tb ? l : j, (int)p + 3);
				ck_assert_msg(got == want,
				              "%zu-byte elements, transposes %d %d, matrix %zu, "
				              "row %zu, column %zu: %g instead of %d",
				              elem_bytes, ta, tb, p, i, j, got, want);
			}
	sparse_close(&a);
	sparse_close(&b);
	sparse_close(&c);
}

static void transpose(struct clopt *ctx, size_t elem_bytes)
{
	const size_t rows = LINES, cols = LINES + 3;
	struct sparse in, out;
	size_t i, j, l;

	sparse_open(&in, (rows - 1) * APART + cols, elem_bytes);
	sparse_open(&out, (cols - 1) * APART + rows, elem_bytes);
	for (i = 0; i < rows; i++)
		for (j = 0; j < cols; j++)
			for (l = 0; l < elem_bytes; l++)
				in.at[(i * APART + j) * elem_bytes + l] =
				        (char)(31 * i + 7 * j + l);
	CHECK_OK(ctx, clopt_transpose(ctx, rows, cols, elem_bytes, in.at, APART, out.at, APART));
	for (i = 0; i < rows; i++)
		for (j = 0; j < cols; j++)
			ck_assert_msg(!memcmp(out.at + (j * APART + i) * elem_bytes,
			                      in.at + (i * APART + j) * elem_bytes, elem_bytes),
			              "%zu-byte elements, row %zu, column %zu", elem_bytes, i, j);
	sparse_close(&in);
	sparse_close(&out);
}

/* all: with all transposes */
static void products(struct clopt *ctx, const struct variant *row, size_t elem_bytes, int all)
{
	product(ctx, row, elem_bytes, 0, 0, APART, 1, 0);
	if (!row->host) /* which takes no batches */
		product(ctx, row, elem_bytes, 0, 0, LINES, 3, ((size_t)1 << 31) + 64);
	if (all) {
		product(ctx, row, elem_bytes, 0, 1, APART, 1, 0);
		product(ctx, row, elem_bytes, 1, 0, APART, 1, 0);
		product(ctx, row, elem_bytes, 1, 1, APART, 1, 0);
	}
}

/* Images cannot have such gaps. */
START_TEST(every_row)
{
	const struct variant *row = clopt__variant((size_t)_i);
	struct clopt_problem problem = { .size = sizeof problem,
		                         .op = (int)row->op,
		                         .math = row->math };
	struct clopt_report report = { .size = sizeof report };
	struct clopt_device_info info = { .size = sizeof info };
	static const size_t sizes[] = { 2, 4, 8, 16, 1 };
	size_t elem_bytes, i, done = 0;
	struct clopt *ctx;

	if ((row->op != CLOPT_OP_MATMUL && row->op != CLOPT_OP_TRANSPOSE) || row->images)
		return;
	if (sizeof(size_t) < 8) {
		printf("sparse: skipped, since 32-bit addresses reach no such arrays\n");
		fflush(stdout);
		return;
	}
	wrap_sparse(1);
	if (!(ctx = test_open_row(_i, NULL)))
		return;
	CHECK_OK(ctx, clopt_device_get(ctx, &info));
	/* Without unified memory arrays have no gaps. */
	if (!info.unified || (test_all() && test_alike_before(ctx, _i))) {
		test_close(ctx);
		return;
	}
	problem.dim[0] = problem.dim[1] = problem.dim[2] = LINES;
	for (i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		problem.elem_bytes = elem_bytes = sizes[i];
		problem.type = row->op == CLOPT_OP_MATMUL && elem_bytes == 1 ? CLOPT_TYPE_INT8 : 0;
		if (!clopt_variant_runs(ctx, (size_t)_i, &problem, NULL, 0))
			continue;
		if (row->op == CLOPT_OP_MATMUL)
			products(ctx, row, elem_bytes, done == 0 && !test_same_as_before(_i));
		else
			transpose(ctx, elem_bytes);
		CHECK_OK(ctx, clopt_last_report(ctx, &report));
		ck_assert_str_eq(report.variant, row->name);
		ck_assert_uint_eq(report.up_bytes + report.down_bytes, 0); /* in place */
		done++;
	}
	ck_assert_uint_gt(done, 0);
	test_close(ctx);
}
END_TEST

SUITE(sparse, walk)
{
	test_add_rows(c, every_row, 0, test_rows());
}
