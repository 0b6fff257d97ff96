/* SPDX-License-Identifier: MIT */
/*
 * complex.c - products of complex numbers and of bfloat16 against long double: every row, every pair
 * of transposes, both layouts, triangles, batches, limits on memory, and the three forms of a call.
 *
 * Bound, as the reference BLAS has it: a part of a result is a sum of 2 k products of real numbers,
 * one of two products each for alpha and beta, each rounded once where it is made and once for each
 * sum that it goes into:
 *
 *	(2 k + 8) u (|alpha| sum |a| |b| + |beta c|)
 *
 * with magnitudes |x| + |y| of x + i y.  A result in bfloat16 is that rounded once more.
 *
 * Source: Higham, "Accuracy and Stability of Numerical Algorithms" (2002), sections 3.1 and 3.6.
 */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/numbers.h"
#include "suites.h"
#include "table/table.h"

#define NT CLOPT_TRANS_NO
#define TR CLOPT_TRANS_YES
#define CT CLOPT_TRANS_CONJ

/* A complex number; of real types y is 0. */
struct number {
	long double x, y;
};

struct product {
	struct clopt_gemm_desc g;
	const struct element_type *type;
	size_t rows[3], cols[3]; /* of the arrays, as they lie in memory */
	char *array[3], *before; /* before: C */
	size_t bytes[3];
	uint64_t random;
};

static struct number times(struct number a, struct number b)
{
	return (struct number){ a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x };
}

static double magnitude(struct number a)
{
	return (double)(fabsl(a.x) + fabsl(a.y));
}

static double draw(struct product *p)
{
	p->random = p->random * 6364136223846793005u + 1442695040888963407u;
	return (double)(int64_t)p->random * 0x1p-63;
}

static struct number number_at(const struct product *p, const char *array, size_t at)
{
	const size_t bytes = (size_t)p->type->part & 0xff;
	const char *from = array + at * bytes * p->type->parts;

	return (struct number){ (long double)clopt__element(from, p->type->part),
		                p->type->parts == 2 ?
		                        (long double)clopt__element(from + bytes, p->type->part) :
		                        0 };
}

/* Arrays with gaps behind their rows, and all bits set where nothing is. */
static void open_product(struct product *p)
{
	struct clopt_gemm_desc *g = &p->g;
	const int column = g->layout == CLOPT_LAYOUT_COL_MAJOR;
	const int turned[3] = { (g->transa != NT) ^ column, (g->transb != NT) ^ column, column };
	const size_t rows[3] = { g->m, g->k, g->m }, cols[3] = { g->k, g->n, g->n };
	size_t *const ld[3] = { &g->lda, &g->ldb, &g->ldc };
	size_t *const stride[3] = { &g->stride_a, &g->stride_b, &g->stride_c };
	const size_t part = (size_t)p->type->part & 0xff;
	size_t i, b, row, at;

	for (i = 0; i < 3; i++) {
		p->rows[i] = turned[i] ? cols[i] : rows[i];
		p->cols[i] = (turned[i] ? rows[i] : cols[i]) * p->type->parts;
		*ld[i] = p->cols[i] / p->type->parts + 1 + i;
		*stride[i] = p->rows[i] * *ld[i] + i;
		p->bytes[i] = (g->batch * *stride[i] + 1) * part * p->type->parts;
		p->array[i] = malloc(p->bytes[i]);
		ck_assert(p->array[i]);
		memset(p->array[i], 0xff, p->bytes[i]);
		if (i == 2 && g->beta == 0 && g->beta_imag == 0)
			continue;
		for (b = 0; b < g->batch; b++)
			for (row = 0; row < p->rows[i]; row++)
				for (at = 0; at < p->cols[i]; at++)
					clopt__element_put(
					        p->array[i] + ((b * *stride[i] + row * *ld[i]) *
					                               p->type->parts +
					                       at) * part,
					        p->type->part, draw(p));
	}
	p->before = malloc(p->bytes[2]);
	ck_assert(p->before);
	memcpy(p->before, p->array[2], p->bytes[2]);
}

static void close_product(struct product *p)
{
	free(p->array[0]);
	free(p->array[1]);
	free(p->array[2]);
	free(p->before);
}

static size_t place(const struct product *p, size_t ld, int turned, size_t i, size_t j)
{
	return (p->g.layout == CLOPT_LAYOUT_COL_MAJOR) ^ turned ? j * ld + i : i * ld + j;
}

/* alpha op(A) op(B) + beta C of element (i, j) of product b, and by how much it may be off. */
static struct number right(const struct product *p, size_t b, size_t i, size_t j, double *off)
{
	const struct clopt_gemm_desc *g = &p->g;
	const struct number alpha = { (long double)g->alpha, (long double)g->alpha_imag };
	const struct number beta = { (long double)g->beta, (long double)g->beta_imag };
	struct number sum = { 0, 0 }, old;
	double size = 0;
	size_t q;

	for (q = 0; q < g->k; q++) {
		struct number x = number_at(
		        p, p->array[0], b * g->stride_a + place(p, g->lda, g->transa != NT, i, q));
		struct number y = number_at(
		        p, p->array[1], b * g->stride_b + place(p, g->ldb, g->transb != NT, q, j));

		x.y = g->transa == CT ? -x.y : x.y;
		y.y = g->transb == CT ? -y.y : y.y;
		size += magnitude(x) * magnitude(y);
		x = times(x, y);
		sum.x += x.x;
		sum.y += x.y;
	}
	sum = times(alpha, sum);
	size *= magnitude(alpha);
	if (magnitude(beta) > 0) {
		old = number_at(p, p->before, b * g->stride_c + place(p, g->ldc, 0, i, j));
		old.y = g->hermitian && i == j ? 0 : old.y;
		size += magnitude(beta) * magnitude(old);
		old = times(beta, old);
		sum.x += old.x;
		sum.y += old.y;
	}
	*off = (2 * (double)g->k + 8) * p->type->unit * size +
	       p->type->stored * magnitude(sum) * 1.01 + 2 * (double)FLT_MIN;
	return sum;
}

/* Each element of C, and all bits that are none. */
static void judge(struct product *p)
{
	const struct clopt_gemm_desc *g = &p->g;
	const size_t bytes = (size_t)g->type & 0xff;
	size_t b, i, j;
	double off;

	for (b = 0; b < g->batch; b++)
		for (i = 0; i < g->m; i++)
			for (j = 0; j < g->n; j++) {
				const size_t at = b * g->stride_c + place(p, g->ldc, 0, i, j);
				const struct number got = number_at(p, p->array[2], at);
				struct number want;

				if ((g->triangle == CLOPT_UPLO_LOWER && j > i) ||
				    (g->triangle == CLOPT_UPLO_UPPER && j < i))
					continue;
				want = right(p, b, i, j, &off);
				if (g->hermitian && i == j)
					ck_assert_msg(got.y == 0, "C(%zu, %zu) is not real", i, j);
				ck_assert_msg(
				        fabsl(got.x - want.x) <= (long double)off &&
				                fabsl(got.y - want.y) <= (long double)off,
				        "%s %d %d %d, %zu x %zu x %zu: C(%zu, %zu) is %.9Lg + "
				        "%.9Lg i, right is %.9Lg + %.9Lg i, give or take %g",
				        p->type->name, g->layout, g->transa, g->transb, g->m, g->n,
				        g->k, i, j, got.x, got.y, want.x, want.y, off);
				memcpy(p->before + at * bytes, p->array[2] + at * bytes, bytes);
			}
	ck_assert_msg(!memcmp(p->before, p->array[2], p->bytes[2]), "%s wrote outside of C",
	              p->type->name);
}

static void product_of(struct product *p, int type, int layout, int transa, int transb, size_t m,
                       size_t n, size_t k)
{
	memset(p, 0, sizeof *p);
	p->type = clopt__type(type);
	p->random = 1000003u * m + 1009u * n + k;
	clopt_gemm_desc_init(&p->g, sizeof p->g);
	p->g.type = type;
	p->g.layout = layout;
	p->g.transa = transa;
	p->g.transb = transb;
	p->g.m = m;
	p->g.n = n;
	p->g.k = k;
	p->g.batch = 1;
	p->g.alpha = 0.75;
	p->g.beta = -1.5;
	if (p->type->parts == 2) {
		p->g.alpha_imag = -0.5;
		p->g.beta_imag = 0.25;
	}
}

static void run(struct clopt *ctx, struct product *p)
{
	open_product(p);
	CHECK_OK(ctx, clopt_gemm(ctx, &p->g, p->array[0], p->array[1], p->array[2]));
	judge(p);
	close_product(p);
}

/* ---- Every row ------------------------------------------------------------------------- */

static const int types[] = { CLOPT_TYPE_COMPLEX_FLOAT, CLOPT_TYPE_COMPLEX_DOUBLE,
	                     CLOPT_TYPE_BFLOAT16 };
static const int all_trans[] = { NT, TR, CT };

/* Edges of tiles, sums in several steps, beta 0, a batch, a triangle. */
static void on_shapes(struct clopt *ctx, int type, int layout, int transa, int transb)
{
	struct product p;

	product_of(&p, type, layout, transa, transb, 37, 45, 29);
	run(ctx, &p);
	product_of(&p, type, layout, transa, transb, 70, 133, 401);
	p.g.beta = p.g.beta_imag = 0; /* there is NaN in C */
	run(ctx, &p);
	product_of(&p, type, layout, transa, transb, 9, 5, 21);
	p.g.alpha_imag = 0;
	p.g.batch = 3;
	run(ctx, &p);
}

static void triangles(struct clopt *ctx, int type, int layout, int transa, int transb)
{
	struct product p;

	product_of(&p, type, layout, transa, transb, 61, 61, 50);
	p.g.triangle = CLOPT_UPLO_LOWER;
	run(ctx, &p);
	product_of(&p, type, layout, transa, transb, 33, 33, 20);
	p.g.triangle = CLOPT_UPLO_UPPER;
	p.g.batch = 2;
	run(ctx, &p);
}

static int serves(struct clopt *ctx, int row, int type)
{
	struct clopt_problem p = CLOPT_PROBLEM_INIT;

	p.op = CLOPT_OP_MATMUL;
	p.type = type;
	p.dim[0] = p.dim[1] = p.dim[2] = 64;
	return clopt_variant_runs(ctx, (size_t)row, &p, NULL, 0);
}

/* Three of the nine pairs of transposes for each row, so that three rows of a file have all. */
START_TEST(every_row)
{
	struct clopt *ctx;
	size_t t, a;

	if (clopt_variant_op((size_t)_i) != CLOPT_OP_MATMUL || !(ctx = test_open_row(_i, NULL)))
		return;
	if (test_all() && test_alike_before(ctx, _i) >= 3) {
		test_close(ctx);
		return;
	}
	for (t = 0; t < sizeof types / sizeof *types; t++)
		for (a = 0; serves(ctx, _i, types[t]) && a < 3; a++) {
			const int transa = all_trans[a], transb = all_trans[(a + (size_t)_i) % 3];

			if (types[t] == CLOPT_TYPE_BFLOAT16 && (transa == CT || transb == CT))
				continue; /* the same as TR */
			on_shapes(ctx, types[t], CLOPT_LAYOUT_ROW_MAJOR, transa, transb);
			/* The same kernel serves these, the other way round. */
			on_shapes(ctx, types[t], CLOPT_LAYOUT_COL_MAJOR, transb, transa);
			if (a == 0)
				triangles(ctx, types[t], CLOPT_LAYOUT_ROW_MAJOR, transa, transb);
		}
	test_close(ctx);
}
END_TEST

/* Columns of B by the vector, a factor with an imaginary part and sums in steps of k, all in one kernel that
 * shares of the table may leave out. */
START_TEST(packed)
{
	struct clopt_options options = CLOPT_OPTIONS_INIT;
	struct product p;
	struct clopt *ctx;
	int row = 0;

	while (strcmp(clopt_variant_name((size_t)row), "matmul/packed-6x2-256K"))
		row++;
	options.variants = "matmul/packed-6x2-256K";
	ctx = test_open(&options);
	product_of(&p, CLOPT_TYPE_COMPLEX_FLOAT, CLOPT_LAYOUT_ROW_MAJOR, NT, TR, 37, 45, 401);
	if (serves(ctx, row, CLOPT_TYPE_COMPLEX_FLOAT))
		run(ctx, &p);
	test_close(ctx);
}
END_TEST

/* ---- cgemm, zgemm, herk ------------------------------------------------------------------ */

static void blas(struct clopt *ctx, struct product *p, int form)
{
	const struct clopt_gemm_desc *g = &p->g;
	const double z_alpha[2] = { g->alpha, g->alpha_imag },
	             z_beta[2] = { g->beta, g->beta_imag };
	const float c_alpha[2] = { (float)g->alpha, (float)g->alpha_imag };
	const float c_beta[2] = { (float)g->beta, (float)g->beta_imag };
	const int is_float = g->type == CLOPT_TYPE_COMPLEX_FLOAT;
	const void *alpha = is_float ? (const void *)c_alpha : z_alpha;
	const void *beta = is_float ? (const void *)c_beta : z_beta;
	struct clopt_buffer *buffer[3];
	struct clopt_call *call;
	size_t i;

	if (form == 0)
		CHECK_OK(ctx, (is_float ? clopt_cgemm : clopt_zgemm)(
		                      ctx, g->layout, g->transa, g->transb, g->m, g->n, g->k, alpha,
		                      p->array[0], g->lda, p->array[1], g->ldb, beta, p->array[2],
		                      g->ldc));
	if (form == 1) {
		CHECK_OK(ctx, (is_float ? clopt_cgemm_start : clopt_zgemm_start)(
		                      ctx, g->layout, g->transa, g->transb, g->m, g->n, g->k, alpha,
		                      p->array[0], g->lda, p->array[1], g->ldb, beta, p->array[2],
		                      g->ldc, &call));
		CHECK_OK(ctx, clopt_call_wait(call, NULL));
		clopt_call_free(call);
	}
	for (i = 0; form == 2 && i < 3; i++) {
		CHECK_OK(ctx, clopt_buffer_new(ctx, p->bytes[i], &buffer[i]));
		CHECK_OK(ctx, clopt_buffer_write(buffer[i], 0, p->bytes[i], p->array[i], NULL));
	}
	if (form == 2) {
		CHECK_OK(ctx, (is_float ? clopt_cgemm_buffers : clopt_zgemm_buffers)(
		                      ctx, g->layout, g->transa, g->transb, g->m, g->n, g->k, alpha,
		                      buffer[0], g->lda, buffer[1], g->ldb, beta, buffer[2], g->ldc,
		                      NULL));
		CHECK_OK(ctx, clopt_buffer_read(buffer[2], 0, p->bytes[2], p->array[2], NULL));
		CHECK_OK(ctx, clopt_finish(ctx));
		for (i = 0; i < 3; i++)
			clopt_buffer_free(buffer[i]);
	}
}

/* All nine pairs, both layouts, the three forms in turn, with each result checked. */
START_TEST(nine_pairs)
{
	struct clopt_options options = CLOPT_OPTIONS_INIT;
	struct clopt *ctx;
	struct product p;
	int n = 0, layout;
	size_t t, a, b;

	options.check = CLOPT_CHECK_ALWAYS;
	ctx = test_open(&options);
	for (t = 0; t < 2; t++)
		for (layout = CLOPT_LAYOUT_ROW_MAJOR; layout <= CLOPT_LAYOUT_COL_MAJOR; layout++)
			for (a = 0; a < 3; a++)
				for (b = 0; b < 3; b++, n++) {
					if (!test_in_part(n))
						continue;
					product_of(&p, types[t], layout, all_trans[a], all_trans[b],
					           50, 67, 131);
					open_product(&p);
					blas(ctx, &p, n % 3);
					judge(&p);
					close_product(&p);
				}
	test_close(ctx);
}
END_TEST

/* The diagonal is real afterwards, and its imaginary part was not read: by the row that is chosen, and by one
 * that is soon compiled. */
START_TEST(herk)
{
	struct clopt_options options = CLOPT_OPTIONS_INIT;
	struct clopt_device_info info = { .size = sizeof info };
	struct clopt *ctx;
	int layout, uplo, turned, n = 0;
	struct product p;
	size_t i;

	options.check = CLOPT_CHECK_ALWAYS;
	options.variants = _i ? "matmul/plain" : NULL;
	ctx = test_open(&options);
	CHECK_OK(ctx, clopt_device_get(ctx, &info));
	for (layout = CLOPT_LAYOUT_ROW_MAJOR; layout <= CLOPT_LAYOUT_COL_MAJOR; layout++)
		for (uplo = CLOPT_UPLO_UPPER; uplo <= CLOPT_UPLO_LOWER; uplo++)
			for (turned = 0; turned < 2; turned++, n++) {
				const int type = types[info.fp64 ? n % 2 : 0];
				size_t bytes;

				product_of(&p, type, layout, turned ? CT : NT, turned ? NT : CT, 90,
				           90, 40);
				bytes = (size_t)type & 0xff;
				p.g.alpha_imag = p.g.beta_imag = 0;
				p.g.triangle = uplo;
				p.g.hermitian = 1;
				open_product(&p);
				free(p.array[1]);
				p.array[1] = p.array[0];
				p.g.ldb = p.g.lda;
				for (i = 0; i < 90; i++)
					memset(p.array[2] + i * (p.g.ldc + 1) * bytes + bytes / 2,
					       0xff, bytes / 2);
				memcpy(p.before, p.array[2], p.bytes[2]);
				CHECK_OK(ctx, clopt_herk(ctx, type, layout, uplo, p.g.transa, 90,
				                         40, p.g.alpha, p.array[0], p.g.lda,
				                         p.g.beta, p.array[2], p.g.ldc));
				judge(&p);
				p.array[1] = NULL;
				close_product(&p);
			}
	test_close(ctx);
}
END_TEST

/* Bands, blocks, and at last sums in parts. */
START_TEST(little_memory)
{
	static const size_t limits[] = { 1 << 18, 1 << 16, 12288 };
	struct clopt_options options = CLOPT_OPTIONS_INIT;
	struct clopt_report report = CLOPT_REPORT_INIT;
	size_t i, t, parts = 1, bands = 1;
	struct clopt *ctx;
	struct product p;

	for (i = 0; i < 3; i++) {
		options.mem_limit_bytes = limits[i];
		options.check = CLOPT_CHECK_ALWAYS;
		ctx = test_open(&options);
		for (t = 0; t < 3; t++) {
			product_of(&p, types[t], CLOPT_LAYOUT_ROW_MAJOR, t % 2 ? CT : NT,
			           t ? NT : CT, 40, 30, 1000);
			run(ctx, &p);
			CHECK_OK(ctx, clopt_last_report(ctx, &report));
			bands = report.bands > bands ? report.bands : bands;
			parts = report.sum_parts > parts ? report.sum_parts : parts;
		}
		product_of(&p, types[0], CLOPT_LAYOUT_ROW_MAJOR, NT, CT, 80, 80, 100);
		p.g.triangle = CLOPT_UPLO_UPPER;
		run(ctx, &p);
		test_close(ctx);
	}
	ck_assert_msg(bands > 1 && parts > 1, "%zu bands, %zu parts of a sum", bands, parts);
}
END_TEST

/* ---- Values, and refusals ---------------------------------------------------------------- */

/* Factors without imaginary part leave infinities alone. */
START_TEST(infinities)
{
	struct clopt *ctx = test_open(NULL);
	const double a[2] = { 2, 0 }, b[2] = { (double)INFINITY, 1 }, one[2] = { 1, 0 };
	const double two[2] = { 2, 0 };
	double c[2] = { (double)-INFINITY, 3 };
	const double zero[2] = { 0, 0 };

	CHECK_OK(ctx, clopt_zgemm(ctx, CLOPT_LAYOUT_ROW_MAJOR, NT, NT, 1, 1, 0, one, a, 1, b, 1,
	                          two, c, 1));
	ck_assert(c[0] == (double)-INFINITY && c[1] == 6);
	CHECK_OK(ctx, clopt_zgemm(ctx, CLOPT_LAYOUT_ROW_MAJOR, NT, NT, 1, 1, 1, two, a, 1, a, 1,
	                          zero, c, 1));
	ck_assert(c[0] == 8 && c[1] == 0);
	CHECK_OK(ctx, clopt_zgemm(ctx, CLOPT_LAYOUT_ROW_MAJOR, NT, NT, 1, 1, 1, two, a, 1, b, 1,
	                          zero, c, 1));
	ck_assert(c[0] == (double)INFINITY);
	test_close(ctx);
}
END_TEST

static uint16_t bfloat16(float x)
{
	uint32_t bits;

	memcpy(&bits, &x, sizeof bits);
	return (uint16_t)(bits >> 16); /* exact here */
}

/* One product and one sum of two terms, each rounded once, to the nearest even. */
START_TEST(rounded_to_bfloat16)
{
	static const struct {
		float a[2], b[2];
		uint32_t want; /* bits of a float */
	} cases[] = {
		{ { 1, 0x1p-8f }, { 1, 1 }, 0x3f800000 }, /* a tie goes down to even */
		{ { 0x1.02p0f, 0x1p-8f }, { 1, 1 }, 0x3f820000 }, /* or up */
		{ { 1, 0x1.02p-8f }, { 1, 1 }, 0x3f810000 }, /* more than half */
		{ { -1, -0x1.02p-8f }, { 1, 1 }, 0xbf810000 },
		{ { 0x1.fep127f, 0 }, { 1, 0 }, 0x7f7f0000 },
		{ { 0x1.fep127f, 0x1p119f }, { 1, 1 }, 0x7f800000 }, /* up to infinity */
		{ { (float)INFINITY, 1 }, { -1, 1 }, 0xff800000 },
		{ { 0, 0 }, { 0, 0 }, 0 },
	};
	struct clopt *ctx;
	size_t i, j;

	if (clopt_variant_op((size_t)_i) != CLOPT_OP_MATMUL || !(ctx = test_open_row(_i, NULL)))
		return;
	for (i = 0; serves(ctx, _i, CLOPT_TYPE_BFLOAT16) && i <= sizeof cases / sizeof *cases;
	     i++) {
		const int nan = i == sizeof cases / sizeof *cases;
		uint16_t a[2], b[2], c = 0xffff;
		struct clopt_gemm_desc g = CLOPT_GEMM_DESC_INIT;

		for (j = 0; j < 2; j++) {
			a[j] = nan ? 0x7f81 : bfloat16(cases[i].a[j]); /* a signalling one */
			b[j] = bfloat16(nan ? 1 : cases[i].b[j]);
		}
		g.type = CLOPT_TYPE_BFLOAT16;
		g.m = g.n = g.ldb = g.ldc = 1;
		g.k = g.lda = 2;
		CHECK_OK(ctx, clopt_gemm(ctx, &g, a, b, &c));
		if (nan)
			ck_assert_msg((c & 0x7fff) > 0x7f80, "NaN became %04x", c);
		else
			ck_assert_msg(c == cases[i].want >> 16, "case %zu: %04x, not %04x", i, c,
			              cases[i].want >> 16);
	}
	test_close(ctx);
}
END_TEST

START_TEST(class_of_problem)
{
	struct clopt *ctx = test_open(NULL);
	struct clopt_problem p = { .size = sizeof p,
		                   .type = CLOPT_TYPE_COMPLEX_FLOAT,
		                   .dim = { 8, 8, 8 } };
	char text[160];

	CHECK_OK(ctx, clopt_problem_class(ctx, &p, text, sizeof text));
	ck_assert_str_eq(text, "matmul complex64 NN 8x8x8");
	test_close(ctx);
}
END_TEST

SUITE(complex, walk)
{
	test_add_rows(c, every_row, 0, test_rows());
	test_add_rows(c, rounded_to_bfloat16, 0, test_rows());
	if (test_in_part(3)) { /* once for all parts of the walk */
		tcase_add_test(c, packed);
		tcase_add_loop_test(c, herk, 1, 2);
	}
}

SUITE(zgemm, long)
{
	tcase_add_test(c, nine_pairs);
	tcase_add_loop_test(c, herk, 0, 1);
	tcase_add_test(c, little_memory);
	tcase_add_test(c, infinities);
	tcase_add_test(c, class_of_problem);
}
