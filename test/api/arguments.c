/* SPDX-License-Identifier: MIT */
/*
 * arguments.c - arguments that are valid and unusual.  refused/refused.c has those that are not.
 */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "clopt_cl.h"
#include "suites.h"
#include "wrap.h"

static struct clopt *ctx;

static void setup(void)
{
	ctx = test_open(NULL);
}

static void teardown(void)
{
	test_close(ctx);
}

START_TEST(statuses)
{
#define STATUS_TEXT(name, number, text) \
	ck_assert_int_eq(CLOPT_##name, number); \
	ck_assert_str_eq(clopt_strerror(number), text);
	CLOPT_STATUS_MAP(STATUS_TEXT)
	ck_assert_ptr_nonnull(clopt_strerror(-1));
	ck_assert_ptr_nonnull(clopt_strerror(12345));
	ck_assert_str_eq(clopt_version(), "0.3.0");
	ck_assert_int_eq(clopt_version_number(), 300);
}
END_TEST

/* The functions initialise structs as the macros do, and write no more than `size` bytes. */
START_TEST(initialisers)
{
#define EXPECT_INIT(type, INIT) \
	do { \
		static const struct type want = INIT; \
		struct { \
			struct type got; \
			char fence[16]; \
		} x; \
\
		memset(&x, 0x55, sizeof x); \
		type##_init(&x.got, sizeof x.got); \
		ck_assert_mem_eq(&x.got, &want, sizeof want); \
		ck_assert_int_eq(x.fence[0], 0x55); \
	} while (0)
	struct clopt_nbody_options part = { .potential = 77 }, larger[2];

	EXPECT_INIT(clopt_options, CLOPT_OPTIONS_INIT);
	EXPECT_INIT(clopt_gemm_desc, CLOPT_GEMM_DESC_INIT);
	EXPECT_INIT(clopt_potential_options, CLOPT_POTENTIAL_OPTIONS_INIT);
	EXPECT_INIT(clopt_nbody_options, CLOPT_NBODY_OPTIONS_INIT);
	EXPECT_INIT(clopt_evolve_options, CLOPT_EVOLVE_OPTIONS_INIT);
	EXPECT_INIT(clopt_order, CLOPT_ORDER_INIT);
	EXPECT_INIT(clopt_group, CLOPT_GROUP_INIT);
	EXPECT_INIT(clopt_map_desc, CLOPT_MAP_DESC_INIT);
	EXPECT_INIT(clopt_tune_options, CLOPT_TUNE_OPTIONS_INIT);
	EXPECT_INIT(clopt_selfcheck_options, CLOPT_SELFCHECK_OPTIONS_INIT);
	EXPECT_INIT(clopt_problem, CLOPT_PROBLEM_INIT);
	EXPECT_INIT(clopt_report, CLOPT_REPORT_INIT);
	EXPECT_INIT(clopt_plan_info, CLOPT_PLAN_INFO_INIT);
	EXPECT_INIT(clopt_resources, CLOPT_RESOURCES_INIT);
	EXPECT_INIT(clopt_occupancy_info, CLOPT_OCCUPANCY_INFO_INIT);
	clopt_nbody_options_init(&part, offsetof(struct clopt_nbody_options, softening));
	ck_assert(part.size == offsetof(struct clopt_nbody_options, softening));
	ck_assert(part.g == 0 && part.potential == 77);
	clopt_nbody_options_init(larger, sizeof larger);
	ck_assert(larger[0].size == sizeof larger && larger[1].g == 0);
	clopt_nbody_options_init(&part, 0);
	ck_assert(part.g == 0);
	clopt_options_init(NULL, 0);
}
END_TEST

/* What is no call takes NULL too. */
START_TEST(null_context)
{
	struct clopt_problem p = { .size = sizeof p };
	char text[64];

	ck_assert_uint_eq(clopt_error_copy(NULL, NULL, 0), 0);
	ck_assert_ptr_null(clopt_chosen_variant(NULL, &p));
	ck_assert_int_eq(clopt_variant_runs(NULL, 0, NULL, text, sizeof text), 0);
	ck_assert_ptr_null(clopt_cl_context(NULL));
	ck_assert_ptr_null(clopt_cl_device(NULL));
	clopt_close(NULL);
	text[0] = 'x';
	ck_assert_int_eq(clopt_matmul(ctx, 1, 1, 1, NULL, NULL, NULL), CLOPT_EINVAL);
	ck_assert_uint_eq(clopt_error_copy(ctx, text, 0), strlen(clopt_error(ctx)) + 1);
	ck_assert(text[0] == 'x');
}
END_TEST

/* Blocks of one matrix side by side: C in columns between those of A and B. */
START_TEST(matmul_blocks)
{
	float m[8][12];
	int i, j;

	for (i = 0; i < 8; i++)
		for (j = 0; j < 12; j++)
			m[i][j] = 1;
	CHECK_OK(ctx, clopt_sgemm(ctx, CLOPT_LAYOUT_ROW_MAJOR, CLOPT_TRANS_NO, CLOPT_TRANS_NO, 4, 4,
	                          4, 1, m[0], 12, m[4], 12, 0, &m[0][5], 12));
	for (i = 0; i < 8; i++)
		for (j = 0; j < 12; j++)
			ck_assert(m[i][j] == (i < 4 && j >= 5 && j < 9 ? 4 : 1));
}
END_TEST

/* Zero sizes are legal and need no arrays; k = 0 leaves beta C. */
START_TEST(zero_sizes)
{
	double c[4] = { 1, 2, 3, 4 };
	float phi[2] = { 7, 7 }, t[8] = { 0 };
	struct clopt_gemm_desc none = CLOPT_GEMM_DESC_INIT;

	none.k = none.lda = none.ldb = none.ldc = 2;
	none.triangle = CLOPT_UPLO_LOWER;
	none.batch = 5;
	CHECK_OK(ctx, clopt_gemm(ctx, &none, NULL, NULL, NULL));
	CHECK_OK(ctx, clopt_matmul(ctx, 0, 5, 5, NULL, NULL, NULL));
	CHECK_OK(ctx, clopt_transpose(ctx, 0, 5, 8, NULL, 5, NULL, 0));
	CHECK_OK(ctx, clopt_potential(ctx, 3, t, 0, NULL, NULL, NULL));
	CHECK_OK(ctx, clopt_nbody_leapfrog(ctx, 0, NULL, NULL, 1, 5, NULL));
	CHECK_OK(ctx, clopt_potential(ctx, 0, NULL, 2, t, phi, NULL));
	ck_assert(phi[0] == 0 && phi[1] == 0);
	CHECK_OK(ctx, clopt_dgemm(ctx, CLOPT_LAYOUT_ROW_MAJOR, CLOPT_TRANS_NO, CLOPT_TRANS_NO, 2, 2,
	                          0, 1, NULL, 0, NULL, 2, -2, c, 2));
	ck_assert(c[0] == -2 && c[1] == -4 && c[2] == -6 && c[3] == -8);
	CHECK_OK(ctx, clopt_dgemm(ctx, CLOPT_LAYOUT_ROW_MAJOR, CLOPT_TRANS_YES, CLOPT_TRANS_YES, 2,
	                          2, 3, 0, NULL, 2, NULL, 3, 1, c, 2));
	ck_assert(c[0] == -2 && c[3] == -8);
}
END_TEST

/* In every row distances at the ends of float32's range give the same results, and NaN affects only
 * a target of its own; of a source, all. */
START_TEST(pair_range)
{
	static const struct {
		float at;
		double phi;
	} cases[] = { { 0, 0 },         { 2e-19f, 1e19 }, { 1e-10f, 2e10 },
		      { 1e19f, 2e-19 }, { 1e20f, 0 },     { NAN, NAN } };
	struct clopt_nbody_options with_phi = CLOPT_NBODY_OPTIONS_INIT;
	struct clopt_potential_options o = CLOPT_POTENTIAL_OPTIONS_INIT;
	float source[4] = { 0, 0, 0, 2 }, targets[16] = { 0 }, out[16];
	size_t i, k, j;
	int op, precision;

	with_phi.potential = 1;
	targets[8] = NAN;
	for (i = 0; (op = clopt_variant_op(i)) >= 0; i++) {
		if ((op != CLOPT_OP_POTENTIAL && op != CLOPT_OP_NBODY) || !test_in_part((int)i) ||
		    (precision = test_precision(ctx, i)) < 0)
			continue;
		with_phi.precision = o.precision = precision;
		CHECK_OK(ctx, clopt_force_variants(ctx, clopt_variant_name(i)));
		for (k = 0; k < sizeof cases / sizeof *cases; k++) {
			source[0] = cases[k].at;
			if (op == CLOPT_OP_NBODY)
				CHECK_OK(ctx,
				         clopt_nbody(ctx, 1, source, 4, targets, out, &with_phi));
			else
				CHECK_OK(ctx, clopt_potential(ctx, 1, source, 4, targets, out, &o));
			for (j = 0; j < 4; j++) {
				const double want = j == 2 ? (double)NAN : cases[k].phi;
				const double phi = op == CLOPT_OP_NBODY ? -(double)out[4 * j + 3] :
				                                          (double)out[j];

				ck_assert_msg(isnan(want) ? isnan(phi) :
				                            fabs(phi - want) <= 1e-6 * want,
				              "%s at %g, target %zu: %g", clopt_variant_name(i),
				              (double)source[0], j, phi);
			}
		}
	}
}
END_TEST

/* ---- One line: where the next would begin does not matter ---------------------------------- */

START_TEST(one_line)
{
	const size_t far = INT64_MAX;
	float a[3] = { 1, 2, 3 }, b[3], c = 0;
	float z[2] = { 0, 1 }, zz[2] = { 0, 0 }, pairs[6], pairs_out[6];
	struct clopt_buffer *x;

	CHECK_OK(ctx, clopt_syrk(ctx, CLOPT_TYPE_FLOAT, CLOPT_LAYOUT_ROW_MAJOR, CLOPT_UPLO_LOWER,
	                         CLOPT_TRANS_NO, 1, 3, 1, a, far, 0, &c, far));
	ck_assert(c == 14);
	CHECK_OK(ctx, clopt_herk(ctx, CLOPT_TYPE_COMPLEX_FLOAT, CLOPT_LAYOUT_COL_MAJOR,
	                         CLOPT_UPLO_UPPER, CLOPT_TRANS_NO, 1, 1, 3, z, far, 0, zz, far));
	ck_assert(zz[0] == 3 && zz[1] == 0);
	CHECK_OK(ctx, clopt_transpose(ctx, 1, 3, 4, a, far, b, 1));
	ck_assert_mem_eq(a, b, sizeof a);
	memset(b, 0, sizeof b);
	CHECK_OK(ctx, clopt_stranspose(ctx, 3, 1, 1, a, 1, b, far));
	ck_assert_mem_eq(a, b, sizeof a);
	CHECK_OK(ctx, clopt_transpose_inplace(ctx, 1, 3, 4, b, far));
	CHECK_OK(ctx, clopt_transpose_inplace(ctx, 1, 1, 4, b, far));
	ck_assert_mem_eq(a, b, sizeof a);
	memcpy(pairs, a, sizeof a);
	memcpy(pairs + 3, a, sizeof a);
	CHECK_OK(ctx,
	         clopt_transpose_strided_batched(ctx, 1, 3, 4, pairs, far, 3, pairs_out, 1, 3, 2));
	ck_assert_mem_eq(pairs, pairs_out, sizeof pairs);
	memset(pairs_out, 0, sizeof pairs_out);
	CHECK_OK(ctx, clopt_transpose_strided_batched(ctx, 3, 1, 4, pairs, 1, far, pairs_out, far,
	                                              far, 1));
	ck_assert_mem_eq(pairs, pairs_out, sizeof a);
	CHECK_OK(ctx, clopt_buffer_new(ctx, sizeof a, &x));
	CHECK_OK(ctx, clopt_buffer_write_rect(x, 0, far, 1, sizeof a, a, far, NULL));
	memset(b, 0, sizeof b);
	CHECK_OK(ctx, clopt_buffer_copy_rect(x, 0, far, x, 8, far, 1, 4, NULL));
	CHECK_OK(ctx, clopt_buffer_read_rect(x, 0, far, 1, sizeof b, b, far, NULL));
	ck_assert(b[0] == 1 && b[1] == 2 && b[2] == 1);
	CHECK_OK(ctx, clopt_transpose_inplace_buffers(ctx, 1, 3, 4, x, far, NULL));
	CHECK_OK(ctx, clopt_finish(ctx));
	clopt_buffer_free(x);
}
END_TEST

/* Without a product alpha and the arrays do not matter. */
START_TEST(no_product)
{
	const int N = CLOPT_TRANS_NO;
	float c[4] = { 1, 2, 3, 4 };

	CHECK_OK(ctx, clopt_sgemm(ctx, CLOPT_LAYOUT_ROW_MAJOR, N, N, 2, 2, 0, INFINITY, NULL, 0,
	                          NULL, 2, 1, c, 2));
	ck_assert(c[0] == 1 && c[3] == 4);
	CHECK_OK(ctx, clopt_sgemm(ctx, CLOPT_LAYOUT_ROW_MAJOR, N, N, 2, 2, 0, NAN, NULL, 0, NULL, 2,
	                          3, c, 2));
	ck_assert(c[0] == 3 && c[3] == 12);
	CHECK_OK(ctx, clopt_matmul(ctx, (size_t)1 << 31, 0, 0, NULL, NULL, NULL));
}
END_TEST

/* A result in gaps of its input, with other distances between lines. */
START_TEST(in_the_gaps)
{
	float x[64], want[64];
	size_t i, j;

	for (i = 0; i < 64; i++)
		x[i] = want[i] = (float)i;
	for (i = 0; i < 2; i++)
		for (j = 0; j < 4; j++)
			want[10 * j + i] = x[3 + 20 * i + j];
	CHECK_OK(ctx, clopt_transpose(ctx, 2, 4, sizeof *x, x + 3, 20, x, 10));
	ck_assert_mem_eq(x, want, sizeof x);
}
END_TEST

SUITE(arguments, long)
{
	tcase_add_checked_fixture(c, setup, teardown);
	tcase_add_test(c, statuses);
	tcase_add_test(c, initialisers);
	tcase_add_test(c, null_context);
	tcase_add_test(c, matmul_blocks);
	tcase_add_test(c, zero_sizes);
	tcase_add_test(c, pair_range);
	tcase_add_test(c, one_line);
	tcase_add_test(c, no_product);
	tcase_add_test(c, in_the_gaps);
}
