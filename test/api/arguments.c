/* SPDX-License-Identifier: MIT */
/*
 * arguments.c - the arguments of the routines.
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
	ck_assert_str_eq(clopt_version(), "0.2.0");
	ck_assert_int_eq(clopt_version_number(), 200);
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

START_TEST(null_context)
{
	float x[4] = { 0 };
	struct clopt_problem p = { .size = sizeof p };
	char text[64];

	expect_refused(clopt_matmul(NULL, 1, 1, 1, x, x + 1, x + 2), CLOPT_EINVAL, NULL, "ctx");
	expect_refused(clopt_transpose(NULL, 1, 1, 4, x, 1, x + 1, 1), CLOPT_EINVAL, NULL, "ctx");
	expect_refused(clopt_potential(NULL, 0, x, 0, x, x, NULL), CLOPT_EINVAL, NULL, "ctx");
	expect_refused(clopt_nbody(NULL, 0, x, 0, x, x, NULL), CLOPT_EINVAL, NULL, "ctx");
	expect_refused(clopt_nbody_leapfrog(NULL, 0, x, x, 1, 1, NULL), CLOPT_EINVAL, NULL, "ctx");
	expect_refused(clopt_force_variants(NULL, NULL), CLOPT_EINVAL, NULL, "ctx");
	expect_refused(clopt_explain(NULL, &p, text, sizeof text), CLOPT_EINVAL, NULL, "ctx");
	expect_refused(clopt_open(NULL, NULL), CLOPT_EINVAL, NULL, "ctx");
	ck_assert_ptr_null(clopt_chosen_variant(NULL, &p));
	ck_assert_int_eq(clopt_variant_runs(NULL, 0, NULL, text, sizeof text), 0);
	ck_assert_ptr_null(clopt_cl_context(NULL));
	clopt_close(NULL);
}
END_TEST

START_TEST(matmul_arguments)
{
	float a[64] = { 0 }, b[64] = { 0 }, c[64] = { 0 };
	const int N = CLOPT_TRANS_NO, T = CLOPT_TRANS_YES;

	expect_refused(clopt_matmul(ctx, 2, 3, 4, NULL, b, c), CLOPT_EINVAL, ctx, "a is NULL");
	expect_refused(clopt_matmul(ctx, 2, 3, 4, a, NULL, c), CLOPT_EINVAL, ctx, "4 x 3");
	expect_refused(clopt_matmul(ctx, 2, 3, 4, a, b, NULL), CLOPT_EINVAL, ctx, "c is NULL");
	expect_refused(
	        clopt_sgemm(ctx, CLOPT_LAYOUT_ROW_MAJOR, N, N, 2, 3, 4, 1, a, 3, b, 3, 0, c, 3),
	        CLOPT_EINVAL, ctx, "of a is 3");
	expect_refused(
	        clopt_sgemm(ctx, CLOPT_LAYOUT_ROW_MAJOR, T, N, 5, 3, 4, 1, a, 4, b, 3, 0, c, 3),
	        CLOPT_EINVAL, ctx, "of a is 4");
	expect_refused(
	        clopt_sgemm(ctx, CLOPT_LAYOUT_ROW_MAJOR, N, T, 2, 3, 4, 1, a, 4, b, 3, 0, c, 3),
	        CLOPT_EINVAL, ctx, "of b is 3");
	expect_refused(
	        clopt_sgemm(ctx, CLOPT_LAYOUT_ROW_MAJOR, N, N, 2, 3, 4, 1, a, 4, b, 3, 0, c, 2),
	        CLOPT_EINVAL, ctx, "of c is 2");
	expect_refused(
	        clopt_sgemm(ctx, CLOPT_LAYOUT_ROW_MAJOR, 114, N, 2, 3, 4, 1, a, 4, b, 3, 0, c, 3),
	        CLOPT_EINVAL, ctx, "114");
	expect_refused(clopt_matmul(ctx, SIZE_MAX / 8, 3, SIZE_MAX / 8, a, b, c), CLOPT_EINVAL, ctx,
	               "addresses");
	expect_refused(clopt_matmul(ctx, 4, 4, 4, a, b, a + 15), CLOPT_EINVAL, ctx, "overlaps");
	expect_refused(clopt_matmul(ctx, 4, 4, 4, a, b, b), CLOPT_EINVAL, ctx, "overlaps b");
	CHECK_OK(ctx, clopt_matmul(ctx, 4, 4, 4, a, a, c));
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
	expect_refused(clopt_sgemm(ctx, CLOPT_LAYOUT_ROW_MAJOR, CLOPT_TRANS_NO, CLOPT_TRANS_NO, 4,
	                           4, 4, 1, m[0], 12, m[4], 12, 0, &m[0][3], 12),
	               CLOPT_EINVAL, ctx, "overlaps");
}
END_TEST

START_TEST(transpose_arguments)
{
	float a[64] = { 0 }, b[64] = { 0 };

	expect_refused(clopt_transpose(ctx, 2, 3, 0, a, 3, b, 2), CLOPT_EINVAL, ctx, "elem_bytes");
	expect_refused(clopt_transpose(ctx, 2, 3, 3, a, 3, b, 2), CLOPT_EINVAL, ctx, "3 bytes");
	expect_refused(clopt_transpose(ctx, 2, 3, 4, a, 2, b, 2), CLOPT_EINVAL, ctx, "of in is 2");
	expect_refused(clopt_transpose(ctx, 2, 3, 4, a, 3, b, 1), CLOPT_EINVAL, ctx, "of out is 1");
	expect_refused(clopt_transpose(ctx, 2, 3, 4, NULL, 3, b, 2), CLOPT_EINVAL, ctx,
	               "in is NULL");
	expect_refused(clopt_transpose(ctx, 2, 3, 4, a, 3, a, 2), CLOPT_EINVAL, ctx, "overlaps");
}
END_TEST

START_TEST(pair_arguments)
{
	float s[16] = { 0 }, t[16] = { 0 }, out[16] = { 0 };
	struct clopt_nbody_options n = CLOPT_NBODY_OPTIONS_INIT;
	struct clopt_potential_options p = CLOPT_POTENTIAL_OPTIONS_INIT;

	expect_refused(clopt_potential(ctx, 2, NULL, 2, t, out, NULL), CLOPT_EINVAL, ctx,
	               "sources");
	expect_refused(clopt_potential(ctx, 2, s, 2, NULL, out, NULL), CLOPT_EINVAL, ctx,
	               "targets");
	expect_refused(clopt_potential(ctx, 2, s, 2, t, NULL, NULL), CLOPT_EINVAL, ctx, "phi");
	expect_refused(clopt_potential(ctx, 2, s, 2, t, t, NULL), CLOPT_EINVAL, ctx, "overlaps");
	expect_refused(clopt_nbody(ctx, 2, s, 2, t, s + 4, NULL), CLOPT_EINVAL, ctx, "overlaps");
	p.scale = NAN;
	expect_refused(clopt_potential(ctx, 2, s, 2, t, out, &p), CLOPT_EINVAL, ctx, "scale");
	n.softening = -1;
	expect_refused(clopt_nbody(ctx, 2, s, 2, t, out, &n), CLOPT_EINVAL, ctx, "softening is -1");
	n.softening = 1e30;
	expect_refused(clopt_nbody(ctx, 2, s, 2, t, out, &n), CLOPT_EINVAL, ctx,
	               "softening is 1e+30");
	n.softening = 1e-25;
	expect_refused(clopt_nbody(ctx, 2, s, 2, t, out, &n), CLOPT_EINVAL, ctx,
	               "softening is 1e-25");
	n.softening = 0;
	n.g = INFINITY;
	expect_refused(clopt_nbody(ctx, 2, s, 2, t, out, &n), CLOPT_EINVAL, ctx, "g is inf");
	n.size = 3;
	expect_refused(clopt_nbody(ctx, 2, s, 2, t, out, &n), CLOPT_EINVAL, ctx,
	               "clopt_nbody_options");
	n.size = sizeof(size_t); /* where sizeof got the pointer */
	expect_refused(clopt_nbody(ctx, 2, s, 2, t, out, &n), CLOPT_EINVAL, ctx,
	               "clopt_nbody_options");
	expect_refused(clopt_nbody_leapfrog(ctx, 2, s, s + 4, 1, 1, NULL), CLOPT_EINVAL, ctx,
	               "overlaps");
	expect_refused(clopt_nbody_leapfrog(ctx, 2, s, NULL, 1, 1, NULL), CLOPT_EINVAL, ctx,
	               "velocities");
	expect_refused(clopt_nbody_leapfrog(ctx, 2, s, t, NAN, 1, NULL), CLOPT_EINVAL, ctx, "dt");
}
END_TEST

/* Zero sizes are legal and need no arrays; k = 0 leaves beta C. */
/* Fields that are switches or reserved. */
START_TEST(small_numbers)
{
	float s[8] = { 0 }, out[8];
	struct clopt_options o = CLOPT_OPTIONS_INIT;
	struct clopt_gemm_desc g = CLOPT_GEMM_DESC_INIT;
	struct clopt_nbody_options n = CLOPT_NBODY_OPTIONS_INIT;
	struct clopt_potential_options p = CLOPT_POTENTIAL_OPTIONS_INIT;
	struct clopt_points points = CLOPT_POINTS_INIT;
	struct clopt_results results = CLOPT_RESULTS_INIT;
	struct clopt_problem problem = CLOPT_PROBLEM_INIT;
	struct clopt *other;

#define REFUSED(field, value, call, on, words) \
	do { \
		(field) = (value); \
		expect_refused(call, CLOPT_EINVAL, on, words); \
		(field) = 0; \
	} while (0)
	REFUSED(o.profile, 2, clopt_open(&other, &o), NULL, "profile is 2: there are -1 to 1");
	REFUSED(o.verbose, -2, clopt_open(&other, &o), NULL, "verbose is -2");
	REFUSED(o.keep_output, 7, clopt_open(&other, &o), NULL, "keep_output is 7");
	REFUSED(o.share, 4, clopt_open(&other, &o), NULL, "share is 4: there are 0 to 3");
	REFUSED(g.reserved, 1, clopt_gemm(ctx, &g, s, s, out), ctx, "clopt_gemm_desc.reserved");
	REFUSED(g.hermitian, 2, clopt_gemm(ctx, &g, s, s, out), ctx, "hermitian is 2");
	REFUSED(n.reserved, 1, clopt_nbody(ctx, 0, s, 0, s, out, &n), ctx, "reserved");
	REFUSED(n.target_softening, 2, clopt_nbody(ctx, 0, s, 0, s, out, &n), ctx,
	        "softening is 2");
	REFUSED(n.potential, 2, clopt_nbody(ctx, 0, s, 0, s, out, &n), ctx, "potential is 2");
	REFUSED(p.reserved, 1, clopt_potential(ctx, 0, s, 0, s, out, &p), ctx, "reserved");
	REFUSED(p.gem_compat, 2, clopt_potential(ctx, 0, s, 0, s, out, &p), ctx, "gem_compat is 2");
	REFUSED(points.reserved, 1, clopt_gravity(ctx, &points, &points, &results, NULL), ctx,
	        "clopt_points.reserved");
	REFUSED(results.reserved, 1, clopt_gravity(ctx, &points, &points, &results, NULL), ctx,
	        "clopt_results.reserved");
	REFUSED(problem.reserved, 1, clopt_explain(ctx, &problem, (char *)out, sizeof out), ctx,
	        "clopt_problem.reserved");
	problem.op = CLOPT_OP_TRANSPOSE;
	REFUSED(problem.scaled, 2, clopt_explain(ctx, &problem, (char *)out, sizeof out), ctx,
	        "clopt_problem.scaled is 2");
	REFUSED(problem.uneven, 4, clopt_explain(ctx, &problem, (char *)out, sizeof out), ctx,
	        "clopt_problem.uneven is 4");
	REFUSED(problem.uneven, -1, clopt_explain(ctx, &problem, (char *)out, sizeof out), ctx,
	        "clopt_problem.uneven is -1");
}
END_TEST

START_TEST(zero_sizes)
{
	double c[4] = { 1, 2, 3, 4 };
	float phi[2] = { 7, 7 }, t[8] = { 0 };
	struct clopt_gemm_desc none = CLOPT_GEMM_DESC_INIT;

	none.k = none.lda = none.ldb = none.ldc = 2;
	none.triangle = CLOPT_UPLO_LOWER;
	none.batch = 5;
	CHECK_OK(ctx, clopt_gemm(ctx, &none, NULL, NULL, NULL));
	none.m = 3;
	expect_refused(clopt_gemm(ctx, &none, NULL, NULL, NULL), CLOPT_EINVAL, ctx, "a triangle");
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

/* Without double in the device, double is refused with a text. */
START_TEST(no_double)
{
	struct clopt_device_info info = { .size = sizeof info };
	double a[4] = { 1, 2, 3, 4 }, c[4];
	int rc;

	CHECK_OK(ctx, clopt_device_get(ctx, &info));
	rc = clopt_dgemm(ctx, CLOPT_LAYOUT_ROW_MAJOR, CLOPT_TRANS_NO, CLOPT_TRANS_NO, 2, 2, 2, 1, a,
	                 2, a, 2, 0, c, 2);
	if (info.fp64) {
		CHECK_OK(ctx, rc);
		ck_assert(c[0] == 7 && c[1] == 10 && c[2] == 15 && c[3] == 22);
	} else {
		expect_refused(rc, CLOPT_EUNSUPPORTED, ctx, "fp64");
	}
	/* Transposing moves bits and needs no arithmetic on them. */
	CHECK_OK(ctx, clopt_transpose(ctx, 2, 2, 8, a, 2, c, 2));
	ck_assert(c[1] == 3);
}
END_TEST

/* Distances at the ends of float32's range, and NaN, give the same results in every row. */
START_TEST(pair_range)
{
	static const struct {
		float at;
		double phi;
	} cases[] = {
		{ 0, 0 }, { 2e-19f, 1e19 }, { 1e-10f, 2e10 }, { 1e19f, 2e-19 }, { 1e20f, 0 }
	};
	struct clopt_nbody_options with_phi = CLOPT_NBODY_OPTIONS_INIT;
	struct clopt_potential_options o = CLOPT_POTENTIAL_OPTIONS_INIT;
	float source[4] = { 0, 0, 0, 2 }, target[4] = { 0 }, out[4];
	size_t i, k;
	int op, precision;

	with_phi.potential = 1;
	for (i = 0; (op = clopt_variant_op(i)) >= 0; i++) {
		if ((op != CLOPT_OP_POTENTIAL && op != CLOPT_OP_NBODY) || !test_in_part((int)i) ||
		    (precision = test_precision(ctx, i)) < 0)
			continue;
		with_phi.precision = o.precision = precision;
		CHECK_OK(ctx, clopt_force_variants(ctx, clopt_variant_name(i)));
		for (k = 0; k <= sizeof cases / sizeof *cases; k++) {
			const int nan = k == sizeof cases / sizeof *cases;
			double phi;

			source[0] = nan ? NAN : cases[k].at;
			if (op == CLOPT_OP_NBODY)
				CHECK_OK(ctx,
				         clopt_nbody(ctx, 1, source, 1, target, out, &with_phi));
			else
				CHECK_OK(ctx, clopt_potential(ctx, 1, source, 1, target, out, &o));
			phi = op == CLOPT_OP_NBODY ? -(double)out[3] : (double)out[0];
			ck_assert_msg(
			        nan ? isnan(phi) : fabs(phi - cases[k].phi) <= 1e-6 * cases[k].phi,
			        "%s at %g: %g", clopt_variant_name(i), (double)source[0], phi);
		}
	}
}
END_TEST

/* A NaN target affects only its own result, in every row. */
START_TEST(nan_target_affects_only_itself)
{
	const float source[4] = { 1, 0, 0, 2 };
	struct clopt_nbody_options gravity = CLOPT_NBODY_OPTIONS_INIT;
	struct clopt_potential_options o = CLOPT_POTENTIAL_OPTIONS_INIT;
	float targets[16] = { 0 }, out[16];
	size_t i, k;
	int op, precision;

	targets[8] = NAN;
	for (i = 0; (op = clopt_variant_op(i)) >= 0; i++) {
		const size_t stride = op == CLOPT_OP_NBODY ? 4 : 1;

		if ((op != CLOPT_OP_POTENTIAL && op != CLOPT_OP_NBODY) || !test_in_part((int)i) ||
		    (precision = test_precision(ctx, i)) < 0)
			continue;
		gravity.precision = o.precision = precision;
		CHECK_OK(ctx, clopt_force_variants(ctx, clopt_variant_name(i)));
		if (op == CLOPT_OP_NBODY)
			CHECK_OK(ctx, clopt_nbody(ctx, 1, source, 4, targets, out, &gravity));
		else
			CHECK_OK(ctx, clopt_potential(ctx, 1, source, 4, targets, out, &o));
		for (k = 0; k < 4; k++)
			ck_assert_msg(k == 2 ? isnan(out[k * stride]) :
			                       fabsf(out[k * stride] - 2) < 1e-5f,
			              "%s: target %zu: %g", clopt_variant_name(i), k,
			              (double)out[k * stride]);
	}
}
END_TEST

/* Leading dimensions near the end of what addresses count. */
START_TEST(huge_leading_dimension)
{
	float a[4] = { 0 };
	const size_t far = SIZE_MAX / 4 + 1;

	expect_refused(clopt_transpose(ctx, 2, 1, 4, a, far, a, far), CLOPT_EINVAL, ctx,
	               "addresses");
	expect_refused(clopt_transpose(ctx, 1, 1, 4, a, far, a, far), CLOPT_EINVAL, ctx,
	               "overlaps");
}
END_TEST

/* ---- One line: where the next would begin does not matter ---------------------------------- */

#define MOST_ONE 64

static size_t far_apart(size_t lines, size_t length, size_t far)
{
	return lines == 1 ? far : length;
}

/* The product by each form, with gaps of that size where there is one line, has the bits of the one without. */
static void expect_product(struct clopt *on, struct clopt_gemm_desc g, size_t far)
{
	const int by_rows = g.layout == CLOPT_LAYOUT_ROW_MAJOR;
	const int a_by_rows = by_rows == (g.transa == CLOPT_TRANS_NO),
	          b_by_rows = by_rows == (g.transb == CLOPT_TRANS_NO);
	float a[MOST_ONE], b[MOST_ONE], c[MOST_ONE], want[MOST_ONE];
	struct clopt_buffer *x[3];
	struct clopt_call *call;
	size_t i;

	for (i = 0; i < MOST_ONE; i++) {
		a[i] = b[i] = 1 + (float)i / 64;
		c[i] = want[i] = 2;
	}
	g.alpha = 2;
	g.beta = 1;
	CHECK_OK(on, clopt_gemm(on, &g, a, b, want));
	g.lda = a_by_rows ? far_apart(g.m, g.k, far) : far_apart(g.k, g.m, far);
	g.ldb = b_by_rows ? far_apart(g.k, g.n, far) : far_apart(g.n, g.k, far);
	g.ldc = by_rows ? far_apart(g.m, g.n, far) : far_apart(g.n, g.m, far);
	CHECK_OK(on, clopt_gemm(on, &g, a, b, c));
	ck_assert_mem_eq(c, want, sizeof c);
	for (i = 0; i < MOST_ONE; i++)
		c[i] = 2;
	CHECK_OK(on, clopt_gemm_start(on, &g, a, b, c, &call));
	CHECK_OK(on, clopt_call_wait(call, NULL));
	clopt_call_free(call);
	ck_assert_mem_eq(c, want, sizeof c);
	for (i = 0; i < MOST_ONE; i++)
		c[i] = 2;
	for (i = 0; i < 3; i++)
		CHECK_OK(on, clopt_buffer_new(on, sizeof c, &x[i]));
	CHECK_OK(on, clopt_buffer_write(x[0], 0, sizeof a, a, NULL));
	CHECK_OK(on, clopt_buffer_write(x[1], 0, sizeof b, b, NULL));
	CHECK_OK(on, clopt_buffer_write(x[2], 0, sizeof c, c, NULL));
	CHECK_OK(on, clopt_force_variants(on, "matmul/plain")); /* compiles fast */
	CHECK_OK(on, clopt_gemm_buffers(on, &g, x[0], x[1], x[2], NULL));
	CHECK_OK(on, clopt_force_variants(on, NULL));
	CHECK_OK(on, clopt_buffer_read(x[2], 0, sizeof c, c, NULL));
	for (i = 0; i < 3; i++)
		clopt_buffer_free(x[i]);
	/* Buffers are computed on the device, and a product on the host may be rounded otherwise. */
	for (i = 0; i < MOST_ONE; i++)
		ck_assert_float_eq_tol(c[i], want[i], 1e-5f);
}

static const size_t fars[] = { SIZE_MAX, INT64_MAX, (SIZE_MAX >> 2) + 1 };

START_TEST(one_line_products)
{
	struct clopt_gemm_desc g = CLOPT_GEMM_DESC_INIT;
	unsigned shape;

	g.type = _i / 2 ? CLOPT_TYPE_COMPLEX_FLOAT : CLOPT_TYPE_FLOAT;
	g.layout = _i % 2 ? CLOPT_LAYOUT_ROW_MAJOR : CLOPT_LAYOUT_COL_MAJOR;
	for (shape = 0; shape < 7; shape++) { /* not 3 x 3 x 3, which has no single lines */
		g.transa = _i / 2 ? CLOPT_TRANS_NO : CLOPT_TRANS_YES;
		g.transb = _i % 2 ? CLOPT_TRANS_NO : CLOPT_TRANS_CONJ;
		g.m = shape & 1 ? 3 : 1;
		g.n = shape & 2 ? 3 : 1;
		g.k = shape & 4 ? 3 : 1;
		expect_product(ctx, g, fars[shape % 3]);
		g.batch = 2;
		g.stride_a = g.stride_b = g.stride_c = 9;
		expect_product(ctx, g, fars[shape % 3]);
		g.batch = 1;
		g.stride_a = g.stride_b = g.stride_c = SIZE_MAX;
		expect_product(ctx, g, fars[shape % 3]);
	}
}
END_TEST

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

/* Without a product alpha and the arrays do not matter, but leading dimensions do. */
START_TEST(no_product)
{
	const int N = CLOPT_TRANS_NO;
	float c[4] = { 1, 2, 3, 4 }, a[4] = { 0 };

	CHECK_OK(ctx, clopt_sgemm(ctx, CLOPT_LAYOUT_ROW_MAJOR, N, N, 2, 2, 0, INFINITY, NULL, 0,
	                          NULL, 2, 1, c, 2));
	ck_assert(c[0] == 1 && c[3] == 4);
	CHECK_OK(ctx, clopt_sgemm(ctx, CLOPT_LAYOUT_ROW_MAJOR, N, N, 2, 2, 0, NAN, NULL, 0, NULL, 2,
	                          3, c, 2));
	ck_assert(c[0] == 3 && c[3] == 12);
	CHECK_OK(ctx, clopt_matmul(ctx, (size_t)1 << 31, 0, 0, NULL, NULL, NULL));
	expect_refused(
	        clopt_sgemm(ctx, CLOPT_LAYOUT_ROW_MAJOR, N, N, 2, 2, 4, 0, a, 3, a, 2, 1, c, 2),
	        CLOPT_EINVAL, ctx, "of a is 3");
	expect_refused(
	        clopt_sgemm(ctx, CLOPT_LAYOUT_ROW_MAJOR, 0, N, 2, 2, 2, 1, a, 2, a, 2, 1, c, 2),
	        CLOPT_EINVAL, ctx, "transa 0");
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
	/* The second line of the result, and the first of the input. */
	expect_refused(clopt_transpose(ctx, 2, 4, sizeof *x, x + 8, 20, x, 10), CLOPT_EINVAL, ctx,
	               "overlaps");
	ck_assert_mem_eq(x, want, sizeof x);
}
END_TEST

/* What a call has to be given. */
START_TEST(nothing_given)
{
	struct clopt_problem p = { .size = sizeof p, .op = CLOPT_OP_TRANSPOSE, .dim = { 8, 8 } };
	struct clopt_tune_options tune = CLOPT_TUNE_OPTIONS_INIT;
	struct clopt_gemm_desc g = CLOPT_GEMM_DESC_INIT;
	cl_context context = clopt_cl_context(ctx);
	cl_device_id device = clopt_cl_device(ctx);
	struct clopt *opened;
	struct clopt_buffer *buffer;
	struct clopt_queue *queue;
	struct clopt_event *event;
	float x[4] = { 0 };
	char text[64];
	double seconds;
	size_t n;

	cl_int code;
	cl_mem mem = clCreateBuffer(context, CL_MEM_READ_WRITE, 4, NULL, &code);
	cl_event user = clCreateUserEvent(context, &code);
	cl_command_queue own = clCreateCommandQueue(context, device, 0, &code);

	p.elem_bytes = 4;
	expect_refused(clopt_buffer_from_cl(ctx, mem, NULL), CLOPT_EINVAL, ctx, "buffer is NULL");
	expect_refused(clopt_buffer_new(ctx, 4, NULL), CLOPT_EINVAL, ctx, "buffer is NULL");
	expect_refused(clopt_event_from_cl(ctx, user, NULL), CLOPT_EINVAL, ctx, "event is NULL");
	expect_refused(clopt_queue_from_cl(ctx, own, NULL), CLOPT_EINVAL, ctx, "queue is NULL");
	expect_refused(clopt_queue_new(ctx, NULL), CLOPT_EINVAL, ctx, "queue is NULL");
	expect_refused(clopt_tuning_merge(ctx, NULL, NULL), CLOPT_EINVAL, ctx, "text is NULL");
	clReleaseMemObject(mem);
	__real_clReleaseEvent(user); /* made by the test, and not counted */
	clReleaseCommandQueue(own);
	expect_refused(clopt_gemm(ctx, NULL, x, x, x), CLOPT_EINVAL, ctx, "g is NULL");
	g.m = g.n = g.k = 1;
	g.alpha = 0;
	expect_refused(clopt_gemm(ctx, &g, x, x + 1, x + 2), CLOPT_EINVAL, ctx, "alpha is 0");
	expect_refused(clopt_open_cl(NULL, context, device, NULL), CLOPT_EINVAL, NULL, "ctx");
	expect_refused(clopt_open_cl(&opened, NULL, device, NULL), CLOPT_EINVAL, NULL, "context");
	ck_assert_ptr_null(opened);
	expect_refused(clopt_open_cl(&opened, context, NULL, NULL), CLOPT_EINVAL, NULL, "device");
	ck_assert_ptr_null(clopt_cl_device(NULL));
	expect_refused(clopt_buffer_from_cl(ctx, NULL, &buffer), CLOPT_EINVAL, ctx, "mem");
	ck_assert_ptr_null(buffer);
	expect_refused(clopt_queue_from_cl(ctx, NULL, &queue), CLOPT_EINVAL, ctx, "NULL");
	ck_assert_ptr_null(queue);
	expect_refused(clopt_queue_from_cl(ctx, NULL, NULL), CLOPT_EINVAL, ctx, "NULL");
	expect_refused(clopt_event_from_cl(ctx, NULL, &event), CLOPT_EINVAL, ctx, "NULL");
	ck_assert_ptr_null(event);
	expect_refused(clopt_event_from_cl(ctx, NULL, NULL), CLOPT_EINVAL, ctx, "NULL");
	expect_refused(clopt_event_seconds(NULL, &seconds), CLOPT_EINVAL, NULL, "event");
	expect_refused(clopt_plan(ctx, &p, NULL), CLOPT_EINVAL, ctx, "plan");
	expect_refused(clopt_explain(ctx, &p, NULL, 0), CLOPT_EINVAL, ctx, "text");
	expect_refused(clopt_explain(ctx, &p, text, 0), CLOPT_EINVAL, ctx, "text");
	expect_refused(clopt_problem_class(ctx, &p, text, 0), CLOPT_EINVAL, ctx, "text");
	expect_refused(clopt_cache_folder(NULL, NULL, 0), CLOPT_EINVAL, NULL, "text");
	expect_refused(clopt_cache_folder(NULL, text, 0), CLOPT_EINVAL, NULL, "text");
	expect_refused(clopt_device_list(NULL, 1, &n), CLOPT_EINVAL, NULL, "list");
	expect_refused(clopt_device_list(NULL, 0, NULL), CLOPT_EINVAL, NULL, "count");
	expect_refused(clopt_skipped_list(NULL, 1, &n), CLOPT_EINVAL, NULL, "list");
	expect_refused(clopt_skipped_list(NULL, 0, NULL), CLOPT_EINVAL, NULL, "count");
	expect_refused(clopt_driver_list(NULL, 1, &n), CLOPT_EINVAL, NULL, "list");
	expect_refused(clopt_driver_list(NULL, 0, NULL), CLOPT_EINVAL, NULL, "count");
	expect_refused(clopt_driver_skip(NULL, 1), CLOPT_EINVAL, NULL, "list");
	expect_refused(clopt_quirk_list(NULL, 1, &n), CLOPT_EINVAL, NULL, "list");
	expect_refused(clopt_quirk_list(NULL, 0, NULL), CLOPT_EINVAL, NULL, "count");
	expect_refused(clopt_device_get(ctx, NULL), CLOPT_EINVAL, ctx, "info");
	expect_refused(clopt_tree_move_buffers(NULL, NULL, NULL), CLOPT_EINVAL, NULL, "NULL");
	expect_refused(clopt_last_shares(ctx, NULL, 1, &n), CLOPT_EINVAL, ctx, "list");
	expect_refused(clopt_last_shares(ctx, NULL, 0, NULL), CLOPT_EINVAL, ctx, "count");
	expect_refused(clopt_time_variant(ctx, &p, NULL, 0, NULL), CLOPT_EINVAL, ctx, "seconds");
	expect_refused(clopt_time_variant(ctx, &p, NULL, -1, &seconds), CLOPT_EINVAL, ctx,
	               "window");
	tune.budget_seconds = -1;
	expect_refused(clopt_tune(ctx, &p, &tune, NULL, 0), CLOPT_EINVAL, ctx, "budget");
	ck_assert_uint_eq(clopt_error_copy(NULL, NULL, 0), 0);
	text[0] = 'x';
	ck_assert_uint_eq(clopt_error_copy(ctx, text, 0), strlen(clopt_error(ctx)) + 1);
	ck_assert(text[0] == 'x');
}
END_TEST

/* Problems that clopt_explain refuses, each with the number that is wrong. */
START_TEST(bad_problems)
{
	const struct {
		struct clopt_problem p;
		const char *word;
	} bad[] = {
		{ { .op = -1 }, "-1" },
		{ { .op = CLOPT_OPS }, "op" },
		{ { .op = CLOPT_OP_MATMUL, .layout = 7 }, "layout 7" },
		{ { .op = CLOPT_OP_MATMUL, .math = -1 }, "math -1" },
		{ { .op = CLOPT_OP_MATMUL, .math = 99 }, "math 99" },
		{ { .op = CLOPT_OP_MATMUL, .triangle = 5 }, "triangle 5" },
		{ { .op = CLOPT_OP_MATMUL, .outputs = -1 }, "outputs -1" },
		{ { .op = CLOPT_OP_MATMUL, .outputs = 99 }, "outputs 99" },
		{ { .op = CLOPT_OP_MATMUL, .law = 1 }, "law 1" },
		{ { .op = CLOPT_OP_POTENTIAL, .batch = 2 }, "batch 2" },
		{ { .op = CLOPT_OP_POTENTIAL, .law = CLOPT_LAW_GRAVITY }, "not one of potential" },
		{ { .op = CLOPT_OP_POTENTIAL, .law = -7 }, "law -7" },
		{ { .op = CLOPT_OP_POTENTIAL, .law = 99 }, "law 99" },
		{ { .op = CLOPT_OP_POTENTIAL, .outputs = CLOPT_OUTPUTS_JERK },
		  "not for potential" },
		{ { .op = CLOPT_OP_POTENTIAL, .normals = 2 }, "normals 2" },
		{ { .op = CLOPT_OP_POTENTIAL, .precision = -1 }, "precision -1" },
		{ { .op = CLOPT_OP_POTENTIAL, .precision = 99 }, "precision 99" },
		{ { .op = CLOPT_OP_NBODY, .law = CLOPT_LAW_DEBYE }, "not one of nbody" },
		{ { .op = CLOPT_OP_NBODY, .outputs = CLOPT_OUTPUTS_PHI_NORMAL }, "not for nbody" },
		{ { .op = CLOPT_OP_TREE_KEYS, .precision = CLOPT_PRECISION_BEST }, "a tree is in" },
		{ { .op = CLOPT_OP_TREE_NBODY, .precision = CLOPT_PRECISION_DOUBLE_SINGLE },
		  "a tree is in" },
		{ { .op = CLOPT_OP_TREE_NBODY, .depths = 1 }, "not" },
	};
	struct clopt_plan_info plan = CLOPT_PLAN_INFO_INIT;
	struct clopt_problem p;
	char text[4096];
	size_t i;

	for (i = 0; i < sizeof bad / sizeof *bad; i++) {
		p = bad[i].p;
		p.size = sizeof p;
		p.dim[0] = p.dim[1] = p.dim[2] = 8;
		expect_refused(clopt_explain(ctx, &p, text, sizeof text), CLOPT_EINVAL, ctx,
		               bad[i].word);
	}
	p = (struct clopt_problem){ .size = sizeof p, .op = CLOPT_OP_TREE_SORT, .dim = { 8, 1 } };
	expect_refused(clopt_plan(ctx, &p, &plan), CLOPT_EUNSUPPORTED, ctx, "part of sums");
}
END_TEST

/* A slip in what comes first is told first: letters for a transpose, a layout, a negative size. */
START_TEST(told_first)
{
	const int N = CLOPT_TRANS_NO, ROWS = CLOPT_LAYOUT_ROW_MAJOR;
	const size_t minus = (size_t)-3;
	struct clopt_nbody_options own = CLOPT_NBODY_OPTIONS_INIT;
	float a[600] = { 0 }, c[600];
	double d[8] = { 0 };

	/* Each leading dimension would be right, were the other arguments so. */
	expect_refused(clopt_sgemm(ctx, ROWS, 'N', 'N', 2, 3, 4, 1, a, 4, a, 3, 0, c, 3),
	               CLOPT_EINVAL, ctx, "float32 ??: transa 78, transb 78, letters");
	expect_refused(clopt_sgemm(ctx, ROWS, N, 'T', 2, 3, 4, 1, a, 4, a, 4, 0, c, 3),
	               CLOPT_EINVAL, ctx, "float32 N?: transa 111, transb 84, letters");
	expect_refused(clopt_sgemm(ctx, 7, N, N, 2, 3, 4, 1, a, 2, a, 3, 0, c, 3), CLOPT_EINVAL,
	               ctx, "layout 7");
	expect_refused(clopt_matmul(ctx, 2, minus, 2, a, a, c), CLOPT_EINVAL, ctx,
	               ": n is 18446744073709551613 (-3 cast to size_t?)");
	expect_refused(clopt_sgemm(ctx, ROWS, N, N, 2, minus, 4, 1, a, 4, a, 3, 0, c, 3),
	               CLOPT_EINVAL, ctx, ": n is 18446744073709551613 (-3 cast to size_t?)");
	expect_refused(clopt_transpose(ctx, minus, 2, 4, a, 2, c, 2), CLOPT_EINVAL, ctx,
	               ": rows is 18446744073709551613 (-3 cast to size_t?)");
	expect_refused(clopt_potential(ctx, minus, a, 2, a, c, NULL), CLOPT_EINVAL, ctx,
	               ": nsources is 18446744073709551613 (-3 cast to size_t?)");
	expect_refused(clopt_nbody(ctx, 2, a, minus, a, c, NULL), CLOPT_EINVAL, ctx,
	               ": ntargets is 18446744073709551613 (-3 cast to size_t?)");
	expect_refused(clopt_nbody_leapfrog(ctx, 1, a, c, 0.1, minus, NULL), CLOPT_EINVAL, ctx,
	               "steps is");
	expect_refused(clopt_nbody_evolve(ctx, 1, d, d + 4, 0.1, minus, NULL), CLOPT_EINVAL, ctx,
	               "steps is");
	expect_refused(clopt_nbody_evolve(ctx, minus, d, d + 4, 0.1, 1, NULL), CLOPT_EINVAL, ctx,
	               "(-3 cast to size_t?)");
	own.target_softening = 1;
	expect_refused(clopt_nbody_leapfrog(ctx, 1, a, c, 0.1, 1, &own), CLOPT_EINVAL, ctx,
	               "target_softening is 1");
	/* How rows lie is no matter of the caller's. */
	expect_refused(clopt_transpose(ctx, 3, 5, 4, a, 4, c, 3), CLOPT_EINVAL, ctx,
	               "of 4 bytes: the leading dimension");
}
END_TEST

/* A size that ends inside a field is no header's. */
START_TEST(sizes_inside_fields)
{
	struct clopt_nbody_options n = CLOPT_NBODY_OPTIONS_INIT;
	struct clopt_problem p = { .size = sizeof p, .op = CLOPT_OP_TRANSPOSE, .dim = { 8, 8 } };
	struct clopt_report report = CLOPT_REPORT_INIT;
	struct clopt_options o = CLOPT_OPTIONS_INIT;
	struct clopt *other;
	float s[4] = { 0 }, out[4];
	char text[256];
	size_t i;

	for (i = 1; i < sizeof n.g; i++) {
		n.size = offsetof(struct clopt_nbody_options, g) + i;
		expect_refused(clopt_nbody(ctx, 1, s, 1, s, out, &n), CLOPT_EINVAL, ctx,
		               "clopt_nbody_options");
	}
	n.size = offsetof(struct clopt_nbody_options, g) + sizeof n.g;
	CHECK_OK(ctx, clopt_nbody(ctx, 1, s, 1, s, out, &n));
	for (i = 1; i < sizeof p.dim; i++) {
		p.size = offsetof(struct clopt_problem, dim) + i;
		expect_refused(clopt_explain(ctx, &p, text, sizeof text), CLOPT_EINVAL, ctx,
		               "clopt_problem");
	}
	p.size = offsetof(struct clopt_problem, dim) + sizeof p.dim;
	CHECK_OK(ctx, clopt_explain(ctx, &p, text, sizeof text));
	report.size = offsetof(struct clopt_report, seconds) + 1;
	expect_refused(clopt_last_report(ctx, &report), CLOPT_EINVAL, ctx, "clopt_report");
	o.size = offsetof(struct clopt_options, variants) + 1;
	expect_refused(clopt_open(&other, &o), CLOPT_EINVAL, NULL, "clopt_options");
}
END_TEST

/* Structs of the right size that nobody filled in: no pointer in them is followed. */
START_TEST(garbage)
{
	static const unsigned char fills[] = { 0xff, 0x01, 0x5a };
	union {
		size_t size;
		struct clopt_options options;
		struct clopt_gemm_desc gemm;
		struct clopt_potential_options potential;
		struct clopt_nbody_options nbody;
		struct clopt_evolve_options evolve;
		struct clopt_points points;
		struct clopt_problem problem;
		struct clopt_map_desc map;
		struct clopt_tune_options tune;
		struct clopt_order order;
	} x;
	struct clopt_problem p = { .size = sizeof p, .op = CLOPT_OP_TRANSPOSE, .dim = { 8, 8 } };
	struct clopt_results none = CLOPT_RESULTS_INIT;
	struct clopt_buffer *buffer;
	struct clopt *other;
	float a[16] = { 0 }, c[16];
	double d[8] = { 0 };
	char text[64];

#define GARBAGE(field, call, word) \
	do { \
		memset(&x, fills[_i], sizeof x); \
		x.size = sizeof x.field; \
		expect_refused(call, CLOPT_EINVAL, ctx, _i ? "" : word); \
	} while (0)
	CHECK_OK(ctx, clopt_buffer_new(ctx, 64, &buffer));
	GARBAGE(gemm, clopt_gemm(ctx, &x.gemm, a, a, c), "clopt_gemm_desc");
	GARBAGE(potential, clopt_potential(ctx, 2, a, 2, a, c, &x.potential), "reserved");
	GARBAGE(nbody, clopt_nbody(ctx, 2, a, 2, a, c, &x.nbody), "reserved");
	GARBAGE(nbody, clopt_nbody_leapfrog(ctx, 2, a, c, 0.1, 1, &x.nbody), "reserved");
	GARBAGE(nbody, clopt_gravity(ctx, &x.points, &x.points, &none, &x.nbody), "reserved");
	GARBAGE(potential, clopt_potential_points(ctx, &x.points, &x.points, &none, &x.potential),
	        "");
	GARBAGE(points, clopt_gravity(ctx, &x.points, &x.points, &none, NULL), "reserved");
	GARBAGE(evolve, clopt_nbody_evolve(ctx, 1, d, d + 4, 0.1, 1, &x.evolve), "integrator");
	GARBAGE(evolve, clopt_nbody_conserved(ctx, 1, d, d + 4, &x.evolve, NULL), "NULL");
	GARBAGE(problem, clopt_explain(ctx, &x.problem, text, sizeof text), "reserved");
	GARBAGE(map, clopt_map(ctx, &x.map), "nargs");
	GARBAGE(tune, clopt_tune(ctx, &p, &x.tune, NULL, 0), "budget_seconds");
	GARBAGE(order, clopt_buffer_write(buffer, 0, 16, a, &x.order), "nwait");
	/* All but what has a range is a pointer that leads nowhere. */
	memset(&x, 0xff, sizeof x);
	x.nbody = (struct clopt_nbody_options)CLOPT_NBODY_OPTIONS_INIT;
	x.nbody.group = (void *)(uintptr_t)16;
	x.nbody.softening = -1;
	expect_refused(clopt_nbody(ctx, 2, a, 2, a, c, &x.nbody), CLOPT_EINVAL, ctx, "softening");
	x.nbody.softening = 0;
	x.nbody.precision = -1;
	expect_refused(clopt_nbody(ctx, 2, a, 2, a, c, &x.nbody), CLOPT_EINVAL, ctx, "precision");
	x.potential = (struct clopt_potential_options)CLOPT_POTENTIAL_OPTIONS_INIT;
	x.potential.group = (void *)(uintptr_t)16;
	x.potential.law = CLOPT_LAW_ALPB;
	x.potential.charge = (void *)(uintptr_t)16;
	x.potential.radius = -1;
	expect_refused(clopt_potential(ctx, 2, a, 2, a, c, &x.potential), CLOPT_EINVAL, ctx,
	               "radius");
	x.evolve = (struct clopt_evolve_options)CLOPT_EVOLVE_OPTIONS_INIT;
	x.evolve.integrator = CLOPT_INTEGRATOR_HERMITE;
	x.evolve.resume = 1;
	x.evolve.rates = (void *)(uintptr_t)16;
	x.evolve.tolerance = 5;
	expect_refused(clopt_nbody_evolve(ctx, 1, d, d + 4, 0.1, 1, &x.evolve), CLOPT_EINVAL, ctx,
	               "tolerance");
	memset(&x, 0xff, sizeof x);
	x.size = sizeof x.options;
	expect_refused(clopt_open(&other, &x.options), CLOPT_EINVAL, NULL, "reserved");
	x.options = (struct clopt_options)CLOPT_OPTIONS_INIT;
	x.options.reserved = 1;
	expect_refused(clopt_open(&other, &x.options), CLOPT_EINVAL, NULL, "reserved");
	clopt_buffer_free(buffer);
}
END_TEST

SUITE(arguments, long)
{
	tcase_add_checked_fixture(c, setup, teardown);
	tcase_add_test(c, statuses);
	tcase_add_test(c, initialisers);
	tcase_add_test(c, null_context);
	tcase_add_test(c, matmul_arguments);
	tcase_add_test(c, matmul_blocks);
	tcase_add_test(c, transpose_arguments);
	tcase_add_test(c, pair_arguments);
	tcase_add_test(c, small_numbers);
	tcase_add_test(c, zero_sizes);
	tcase_add_test(c, no_double);
	tcase_add_test(c, pair_range);
	tcase_add_test(c, nan_target_affects_only_itself);
	tcase_add_test(c, huge_leading_dimension);
	tcase_add_loop_test(c, one_line_products, 0, 4);
	tcase_add_test(c, one_line);
	tcase_add_test(c, no_product);
	tcase_add_test(c, in_the_gaps);
	tcase_add_test(c, nothing_given);
	tcase_add_test(c, bad_problems);
	tcase_add_test(c, told_first);
	tcase_add_test(c, sizes_inside_fields);
	tcase_add_loop_test(c, garbage, 0, 3);
}
