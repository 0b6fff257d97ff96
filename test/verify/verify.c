/* SPDX-License-Identifier: MIT */
/*
 * verify.c - clopt_options.check: wrong kernels are struck out, by the library's own problems or
 * by the result of a call.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "folder.h"
#include "base/context.h"
#include "suites.h"
#include "right.h"
#include "verify/check.h"
#include "wrap.h"

/* A routine, the files of its last rows, and the kernel argument that wrong kernels misread. */
static const struct routine {
	const char *right, *variant; /* the row that serves when the others are wrong */
	unsigned lost;
	struct clopt_problem p;
} routines[] = {
	{ "matmul/plain.cl",
	  "matmul/plain",
	  1,
	  { SIZED, .op = CLOPT_OP_MATMUL, .dim = { 300, 310, 90 } } },
	{ "matmul/plain.cl",
	  "matmul/plain",
	  1,
	  { SIZED, .op = CLOPT_OP_MATMUL, .dim = { 300, 310, 90 }, .elem_bytes = 8,
	    .transa = CLOPT_TRANS_YES } },
	{ "transpose/plain.cl",
	  "transpose/plain",
	  1,
	  { SIZED, .op = CLOPT_OP_TRANSPOSE, .dim = { 700, 710 } } },
	{ "pair/plain.cl",
	  "potential/plain",
	  1,
	  { SIZED, .op = CLOPT_OP_POTENTIAL, .dim = { 300, 1500 } } },
	{ "pair/plain.cl",
	  "nbody/plain",
	  1,
	  { SIZED, .op = CLOPT_OP_NBODY, .dim = { 300, 1500 } } },
	{ "pair/plain.cl", "nbody/plain", 1, { SIZED, .op = CLOPT_OP_LEAPFROG, .dim = { 1500 } } },
	{ "pair/plain.cl evolve/step.cl",
	  "nbody/plain",
	  0,
	  { SIZED, .op = CLOPT_OP_EVOLVE_STEP, .dim = { 200 },
	    .precision = CLOPT_PRECISION_BEST } },
	{ "pair/plain.cl evolve/step.cl",
	  "nbody/plain",
	  0,
	  { SIZED, .op = CLOPT_OP_EVOLVE_STEP, .dim = { 200 }, .precision = CLOPT_PRECISION_BEST,
	    .outputs = JERK } },
/* The sum of a law: its terms are a build of their own. */
#define LAW(of, along) \
	{ \
		"pair/plain.cl", "potential/plain", 1, \
		{ \
			SIZED, .op = CLOPT_OP_POTENTIAL, .dim = { 300, 1500 }, .law = of, \
			       .normals = along \
		} \
	}
	LAW(CLOPT_LAW_DISTANCE4, 0),
	LAW(CLOPT_LAW_DEBYE, 0),
	LAW(CLOPT_LAW_ALPB_SALT, 1),
	LAW(CLOPT_LAW_ALPB_FAR, 1),
	LAW(CLOPT_LAW_ALPB_INSIDE, 1),
	LAW(CLOPT_LAW_ALPB_INSIDE_SALT, 1),
	{ "transpose/plain.cl",
	  "transpose/plain",
	  1,
	  { SIZED, .op = CLOPT_OP_TRANSPOSE, .dim = { 700, 710 }, .scaled = 1 } },
};
#define SEED 1
#define ROUTINES ((int)(sizeof routines / sizeof *routines))
#define CALLS 5 /* the first of them: results are checked in each call */

/* Columns of more than one tile of most rows. */
#define LARGE 1200

static void expect_variant(struct clopt *ctx, const char *name)
{
	ck_assert_str_eq(test_report(ctx).variant, name);
}

/* The row picked before any is known to be wrong. */
static const char *picked(const struct clopt_problem *p)
{
	struct clopt *ctx = open_check(CLOPT_CHECK_OFF, NULL);
	const char *variant;

	test_right(ctx, p, SEED);
	variant = test_report(ctx).variant;
	test_close(ctx);
	return variant;
}

/* Whether the row picked has another behind it; where the quirk takes the rows for processors, it
 * may not. */
static int is_replaceable(const struct routine *r, const char *first, const char *test)
{
	struct clopt *ctx;

	if (strcmp(first, r->variant) != 0)
		return 1;
	ctx = open_check(CLOPT_CHECK_OFF, NULL);
	ck_assert(!test_without(ctx, "llvmpipe-lanes", test));
	test_close(ctx);
	return 0;
}

/* With the check off the caller gets a wrong kernel's result. */
static void expect_wrong(int check, const struct clopt_problem *p)
{
	struct clopt *ctx = open_check(check, NULL);
	const struct outcome o = test_run(ctx, p, SEED);

	ck_assert_int_eq(o.status, CLOPT_EWRONG);
	ck_assert_msg(!strstr(o.reason, "/"), "the call failed: %s", o.reason);
	test_close(ctx);
}

static void expect_told(struct clopt *ctx, const struct clopt_problem *p, const char *struck)
{
	char text[16384], line[128];

	if (p->op >= CLOPT_OP_LEAPFROG)
		return; /* asks for gravity */
	CHECK_OK(ctx, clopt_explain(ctx, p, text, sizeof text));
	snprintf(line, sizeof line, "  %s: gave a wrong result: ", struck);
	ck_assert_msg(strstr(text, line) != NULL, "no \"%s\" in %s", line, text);
}

/* A forced row is not replaced, and stays struck out. */
static void expect_refusal(int check, const struct clopt_problem *p, const char *forced)
{
	struct clopt *ctx = open_check(check, forced);
	int i;

	for (i = 0; i < 2; i++) {
		const struct outcome o = test_run(ctx, p, SEED);

		ck_assert_int_eq(o.status, CLOPT_EWRONG);
		ck_assert_ptr_nonnull(strstr(o.reason, "gave a wrong result"));
		ck_assert_ptr_nonnull(strstr(o.reason, forced));
	}
	test_close(ctx);
}

START_TEST(first_use)
{
	const struct routine *r = &routines[_i];
	const char *first = picked(&r->p);
	struct clopt *ctx;

	if (!is_replaceable(r, first, "first_use"))
		return;
	wrap_lose(r->right, r->lost, 1);
	expect_wrong(CLOPT_CHECK_OFF, &r->p);
	ctx = open_check(CLOPT_CHECK_FIRST, NULL);
	test_right(ctx, &r->p, SEED);
	expect_variant(ctx, r->variant);
	expect_told(ctx, &r->p, first);
	test_close(ctx);
	expect_refusal(CLOPT_CHECK_FIRST, &r->p, first);
	wrap_lose(NULL, 0, 0);
}
END_TEST

/* A result that is not written when clFinish returns counts as missing, as a call would find. */
START_TEST(missing_results_count_as_wrong)
{
	static const float x[4] = { 1, 2, 3, 4 };
	struct clopt *ctx = open_check(CLOPT_CHECK_FIRST, "matmul/plain");
	float y[4];

	if (test_can_wait(ctx, "missing_results_count_as_wrong")) {
		wrap_hasty(1);
		wrap_hold(200);
		expect_refused(clopt_matmul(ctx, 2, 2, 2, x, x, y), CLOPT_EWRONG, ctx,
		               "gave a wrong result");
		wrap_hasty(0);
	}
	test_close(ctx);
}
END_TEST

/* Leapfrog has one row: if it is wrong there is no right result. */
START_TEST(fails_without_a_right_row)
{
	struct clopt *ctx = open_check(CLOPT_CHECK_FIRST, NULL);

	wrap_lose("pair/plain.cl", 0, 1);
	ck_assert_int_eq(test_run(ctx, &routines[5].p, SEED).status, CLOPT_EWRONG);
	wrap_lose(NULL, 0, 0);
	test_close(ctx);
}
END_TEST

/* Kernels that pass their trials are wrong in calls; with `slow`, in calls that are cut, too. */
static void expect_each_call(const struct routine *r, int slow)
{
	const char *first = picked(&r->p);
	struct clopt *ctx;

	if (!is_replaceable(r, first, "each_call"))
		return;
	wrap_lose(r->right, r->lost, WRAP_IN_CALLS);
	wrap_pace(slow ? 1e-6 : 1e-15);
	expect_wrong(CLOPT_CHECK_FIRST, &r->p);
	ctx = open_check(CLOPT_CHECK_ALWAYS, NULL);
	test_right(ctx, &r->p, SEED);
	expect_variant(ctx, r->variant);
	expect_told(ctx, &r->p, first);
	test_close(ctx);
	expect_refusal(CLOPT_CHECK_ALWAYS, &r->p, first);
	wrap_lose(NULL, 0, 0);
	wrap_pace(0);
}

START_TEST(each_call)
{
	expect_each_call(&routines[_i], 0);
}
END_TEST

START_TEST(each_call_in_blocks)
{
	expect_each_call(&routines[_i], 1);
}
END_TEST

/* One wrong result, as by a flipped bit: the row runs once more, and stays. */
START_TEST(wrong_once)
{
	const struct routine *r = &routines[_i];
	const char *first = picked(&r->p);
	struct clopt *ctx;
	int i;

	if (!is_replaceable(r, first, "wrong_once"))
		return;
	ctx = open_check(CLOPT_CHECK_ALWAYS, first);
	for (i = 0; i < 3; i++) {
		wrap_lose(r->right, r->lost, WRAP_IN_CALLS);
		wrap_lose_times(1);
		test_right(ctx, &r->p, SEED);
		expect_variant(ctx, first);
	}
	wrap_lose(r->right, r->lost, WRAP_IN_CALLS);
	ck_assert_int_eq(test_run(ctx, &r->p, SEED).status, CLOPT_EWRONG);
	wrap_lose(NULL, 0, 0);
	test_close(ctx);
}
END_TEST

/* The same for a row on the host: wrong once it runs again; wrong twice, the device computes from
 * then on. */
START_TEST(wrong_on_host)
{
	static const float in[6] = { 1, 2, 3, 4, 5, 6 }, want[6] = { 1, 4, 2, 5, 3, 6 };
	struct clopt_options o = CLOPT_OPTIONS_INIT;
	struct clopt_report r = { .size = sizeof r };
	struct clopt *ctx;
	float out[6];
	unsigned wrong;

	o.check = CLOPT_CHECK_ALWAYS;
	o.small = CLOPT_SMALL_HOST;
	ctx = test_open(&o);
	for (wrong = 0; wrong < 4; wrong++) {
		wrap_host_wrong(wrong < 3 ? wrong : 0);
		CHECK_OK(ctx, clopt_transpose(ctx, 2, 3, sizeof *in, in, 3, out, 2));
		ck_assert(!memcmp(out, want, sizeof want));
		CHECK_OK(ctx, clopt_last_report(ctx, &r));
		ck_assert_int_eq(!strcmp(r.variant, "transpose/host"), wrong < 2);
	}
	test_close(ctx);
	ctx = open_check(CLOPT_CHECK_ALWAYS, "transpose/host");
	wrap_host_wrong(2);
	expect_refused(clopt_transpose(ctx, 2, 3, sizeof *in, in, 3, out, 2), CLOPT_EWRONG, ctx,
	               "transpose/host");
	test_close(ctx);
}
END_TEST

static struct operand matrix(const void *at, size_t rows, size_t columns, size_t elem_bytes,
                             int use)
{
	struct operand o = clopt__host_operand(at, columns, use);

	o.rows = rows;
	o.columns = columns;
	o.elem_bytes = elem_bytes;
	return o;
}

/* Of a transpose the wrong element is told, with what it is and what it should be. */
START_TEST(told)
{
	enum {
		ROWS = 45,
		COLUMNS = 40,
		I = 37, /* beyond a block */
		J = 33,
		VALUE = (I * COLUMNS + J) % 251
	};
	static unsigned char in[ROWS * COLUMNS], out[COLUMNS * ROWS];
	static double x[ROWS * COLUMNS], y[COLUMNS * ROWS];
	struct job job = { .problem = { .size = sizeof job.problem,
		                        .op = CLOPT_OP_TRANSPOSE,
		                        .batch = 1,
		                        .scaled = _i },
		           .real = { 3 } };
	const struct block all = { .count = { ROWS, COLUMNS } };
	const struct guard g = { .job = &job };
	char why[WHY_SIZE] = "", want[WHY_SIZE];
	size_t i, j;

	for (i = 0; i < ROWS; i++)
		for (j = 0; j < COLUMNS; j++) {
			in[i * COLUMNS + j] = (unsigned char)((i * COLUMNS + j) % 251);
			x[i * COLUMNS + j] = in[i * COLUMNS + j];
			out[j * ROWS + i] = in[i * COLUMNS + j];
			y[j * ROWS + i] = 3 * x[i * COLUMNS + j];
		}
	job.operand[0] = matrix(_i ? (void *)x : in, ROWS, COLUMNS, _i ? 8 : 1, OPERAND_IN);
	job.operand[1] = matrix(_i ? (void *)y : out, COLUMNS, ROWS, _i ? 8 : 1, OPERAND_OUT);
	ck_assert_int_eq(clopt__check_transpose.result(&g, &all, NULL, why), CLOPT_OK);
	out[J * ROWS + I] = 0xfe;
	y[J * ROWS + I] = 0.5;
	ck_assert_int_eq(clopt__check_transpose.result(&g, &all, NULL, why), CLOPT_EWRONG);
	snprintf(want, sizeof want,
	         _i ? "out(%d, %d) of %d x %d is 0.5, not 3 times %d" :
	              "out(%d, %d) of %d x %d is 0xfe, in is 0x%02x",
	         J, I, COLUMNS, ROWS, VALUE);
	ck_assert_msg(strstr(why, want) != NULL, "no \"%s\" in %s", want, why);
}
END_TEST

/* In a sum of so few pairs each target is checked; in a larger one an error in a twelfth of the
 * targets is found, wherever it is. */
START_TEST(targets)
{
	enum {
		MOST = 10000
	};
	static const struct {
		size_t sources, targets, part, step;
	} sums[] = { { 300, 200, 1, 1 }, { MOST, 1200, 100, 37 } };
	static float sources[4 * MOST], at[4 * 1200], phi[1200];
	const size_t n = sums[_i].sources, m = sums[_i].targets, part = sums[_i].part;
	struct job j = { .problem = { .size = sizeof j.problem,
		                      .op = CLOPT_OP_POTENTIAL,
		                      .dim = { n, m, 0 },
		                      .law = CLOPT_LAW_COULOMB } };
	struct clopt *ctx = test_open(NULL);
	const struct block all = { .count = { n, m, 0 } };
	struct guard g = { .job = &j, .seed = 1 };
	char why[WHY_SIZE] = "";
	size_t i, first;

	for (i = 0; i < 4 * n; i++)
		sources[i] = (float)(i * i % 10007) / 10007;
	for (i = 0; i < 4 * m; i++)
		at[i] = (float)(i * i % 997) / 997;
	CHECK_OK(ctx, clopt_potential(ctx, n, sources, m, at, phi, NULL));
	j.real[0] = 1; /* the scale */
	j.operand[0] = clopt__host_operand(sources, 4, OPERAND_IN);
	j.operand[2] = clopt__host_operand(at, 4, OPERAND_IN);
	j.operand[4] = clopt__host_operand(phi, 1, OPERAND_OUT);
	j.operand[4].name = "phi";
	ck_assert_int_eq(clopt__check_pair.result(&g, &all, NULL, why), CLOPT_OK);
	for (first = 0; first + part <= m; first += sums[_i].step) {
		for (i = first; i < first + part; i++)
			phi[i] *= 1.01f;
		g.seed = first;
		ck_assert_msg(clopt__check_pair.result(&g, &all, NULL, why) == CLOPT_EWRONG,
		              "%zu targets from %zu on", part, first);
		for (i = first; i < first + part; i++)
			phi[i] /= 1.01f;
	}
	test_close(ctx);
}
END_TEST

/* Batches, triangles, halves, columns. */
#define PRODUCT(m, n, ...) \
	{ \
		SIZED, .op = CLOPT_OP_MATMUL, .dim = { m, n, 30 }, __VA_ARGS__ \
	}
static const struct clopt_problem others[] = {
	PRODUCT(20, LARGE + 20, .batch = 3),
	PRODUCT(LARGE + 20, LARGE + 20, .triangle = CLOPT_UPLO_LOWER),
	PRODUCT(LARGE + 20, LARGE + 20, .elem_bytes = 8, .transa = CLOPT_TRANS_YES,
	        .triangle = CLOPT_UPLO_UPPER),
	PRODUCT(20, LARGE + 20, .elem_bytes = 2),
	PRODUCT(LARGE + 20, 20, .transb = CLOPT_TRANS_YES, .layout = CLOPT_LAYOUT_COL_MAJOR),
};

START_TEST(other_products)
{
	const struct routine *r = &routines[0];
	struct clopt *ctx;

	if (!is_replaceable(r, picked(&others[_i]), "other_products"))
		return;
	wrap_lose(r->right, 1, WRAP_IN_CALLS);
	expect_wrong(CLOPT_CHECK_FIRST, &others[_i]);
	ctx = open_check(CLOPT_CHECK_ALWAYS, NULL);
	test_right(ctx, &others[_i], SEED);
	expect_variant(ctx, r->variant);
	wrap_lose(NULL, 0, 0);
	test_close(ctx);
}
END_TEST

START_TEST(in_place_and_started)
{
	enum {
		ROWS = 30,
		COLS = LARGE + 20
	};
	static uint16_t x[ROWS * COLS], y[COLS * ROWS];
	struct clopt *ctx = open_check(CLOPT_CHECK_ALWAYS, NULL);
	struct clopt_call *call;
	size_t i;

	wrap_lose("transpose/plain.cl", 1, WRAP_IN_CALLS);
	for (i = 0; i < ROWS * COLS; i++)
		x[i] = (uint16_t)i;
	CHECK_OK(ctx, clopt_transpose_start(ctx, ROWS, COLS, sizeof *x, x, COLS, y, ROWS, &call));
	CHECK_OK(ctx, clopt_call_wait(call, NULL));
	clopt_call_free(call);
	CHECK_OK(ctx, clopt_transpose_inplace(ctx, ROWS, COLS, sizeof *x, x, COLS));
	for (i = 0; i < ROWS * COLS; i++)
		ck_assert(y[i] == (uint16_t)(i % ROWS * COLS + i / ROWS) && x[i] == y[i]);
	wrap_lose(NULL, 0, 0);
	test_close(ctx);
}
END_TEST

/* C keeps its old content where no row is left to compute it. */
START_TEST(restored)
{
	enum {
		M = 8,
		N = LARGE + 20
	};
	static float a[M], b[N], c[M * N];
	struct clopt *ctx = open_check(CLOPT_CHECK_ALWAYS, NULL);
	size_t i;

	for (i = 0; i < M * N; i++)
		c[i] = (float)i;
	a[0] = b[0] = b[N - 1] = 1;
	wrap_lose("none", 1, WRAP_IN_CALLS);
	expect_refused(clopt_sgemm(ctx, CLOPT_LAYOUT_ROW_MAJOR, CLOPT_TRANS_NO, CLOPT_TRANS_NO, M,
	                           N, 1, 1, a, 1, b, N, 2, c, N),
	               CLOPT_EWRONG, ctx, "clopt_explain");
	wrap_lose(NULL, 0, 0);
	for (i = 0; i < M * N; i++)
		ck_assert(c[i] == (float)i);
	test_close(ctx);
}
END_TEST

/* ---- The option, and kept verdicts ------------------------------------------------ */

START_TEST(settings)
{
	struct clopt_options o = CLOPT_OPTIONS_INIT;
	struct clopt *ctx;

	unsetenv("CLOPT_CHECK");
	ctx = test_open(NULL);
	ck_assert_int_eq(ctx->check, CLOPT_CHECK_FIRST);
	test_close(ctx);
	setenv("CLOPT_CHECK", "always", 1);
	ctx = test_open(NULL);
	ck_assert_int_eq(ctx->check, CLOPT_CHECK_ALWAYS);
	test_close(ctx);
	o.check = CLOPT_CHECK_OFF; /* the option wins */
	ctx = test_open(&o);
	ck_assert_int_eq(ctx->check, CLOPT_CHECK_OFF);
	test_close(ctx);
	setenv("CLOPT_CHECK", "default", 1);
	expect_refused(clopt_open(&ctx, NULL), CLOPT_EINVAL, NULL, "CLOPT_CHECK=\"default\"");
	unsetenv("CLOPT_CHECK");
}
END_TEST

/* The number of commands until a row is picked. */
static long commands_of(const char *folder, const char *variant)
{
	struct clopt_problem p = { .size = sizeof p, .op = CLOPT_OP_MATMUL, .dim = { 9, 9, 9 } };
	struct clopt_options o = CLOPT_OPTIONS_INIT;
	struct clopt *ctx;
	const char *name;
	long n;

	o.cache_dir = folder;
	o.variants = variant;
	o.check = CLOPT_CHECK_FIRST;
	ctx = test_open(&o);
	wrap_commands();
	name = clopt_chosen_variant(ctx, &p);
	n = wrap_commands();
	ck_assert_int_eq(name != NULL, n >= 0 && !strstr(clopt_error(ctx), "wrong"));
	test_close(ctx);
	return name ? n : -n - 1;
}

/* The number of kept verdicts of wrong kernels. */
static size_t struck_out(const char *folder)
{
	struct clopt_options o = CLOPT_OPTIONS_INIT;
	struct clopt_cache_entry list[8];
	size_t i, n, wrong = 0;

	o.cache_dir = folder;
	for (i = 0; i < 8; i++)
		list[i].size = sizeof *list;
	CHECK_OK(NULL, clopt_cache_list(&o, list, 8, &n));
	ck_assert_uint_le(n, 8);
	for (i = 0; i < n; i++)
		if (list[i].wrong[0]) {
			ck_assert_ptr_nonnull(strstr(list[i].wrong, "gave a wrong result: "));
			ck_assert_ptr_nonnull(strstr(list[i].driver, "driver "));
			ck_assert_str_eq(list[i].kind, "verdict");
			wrong++;
		}
	return wrong;
}

/* A verdict is found once for a driver, and kept. */
START_TEST(verdicts_are_kept)
{
	char folder[FOLDER_SIZE];

	folder_make(folder);
	ck_assert_int_gt(commands_of(folder, "matmul/plain"), 0);
	ck_assert_int_eq(commands_of(folder, "matmul/plain"), 0);
	ck_assert_uint_eq(struck_out(folder), 0);
	folder_remove(folder);
}
END_TEST

/* A kernel that was wrong is tried again by the next context, and for longer than a new kernel. */
START_TEST(wrong_kernels_are_tried_again)
{
	char folder[FOLDER_SIZE];
	const char *variant = "matmul/tile-16x16";
	long first, again;
	int i;

	folder_make(folder);
	first = commands_of(folder, variant);
	ck_assert_int_gt(first, 0);
	folder_remove(folder);
	folder_make(folder);
	wrap_lose("none", 1, 1);
	for (i = 0; i < 2; i++) {
		ck_assert_int_lt(commands_of(folder, variant), -1);
		ck_assert_uint_eq(struck_out(folder), 1);
	}
	wrap_lose(NULL, 0, 0);
	again = commands_of(folder, variant);
	ck_assert_msg(again == 3 * first, "%ld commands, at first %ld", again, first);
	ck_assert_int_eq(commands_of(folder, variant), 0);
	ck_assert_uint_eq(struck_out(folder), 0);
	folder_remove(folder);
}
END_TEST

SUITE(verify, long)
{
	test_add_rows(c, first_use, 0, ROUTINES);
	tcase_add_test(c, missing_results_count_as_wrong);
	tcase_add_test(c, fails_without_a_right_row);
	tcase_add_loop_test(c, told, 0, 2);
	tcase_add_loop_test(c, targets, 0, 2);
	tcase_add_loop_test(c, each_call, 0, CALLS);
	tcase_add_loop_test(c, each_call, ROUTINES - 1, ROUTINES); /* times a number */
	tcase_add_loop_test(c, each_call_in_blocks, ROUTINES - 1, ROUTINES);
	tcase_add_loop_test(c, wrong_once, 2, 4);
	tcase_add_test(c, wrong_on_host);
	test_add_rows(c, other_products, 0, (int)(sizeof others / sizeof *others));
	tcase_add_test(c, in_place_and_started);
	tcase_add_test(c, restored);
	tcase_add_test(c, settings);
	tcase_add_test(c, verdicts_are_kept);
	tcase_add_test(c, wrong_kernels_are_tried_again);
}
