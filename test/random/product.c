/* SPDX-License-Identifier: MIT */
/*
 * product.c - random products, in all their forms.
 *
 * The error bound of a result.  With u the unit roundoff of the sum (float32's for halves),
 * each of the k products and beta C is rounded once when it is computed, at most k + 1 times
 * by additions, in any order, and once or twice by alpha: an error of
 *
 *	(k + 4) u / (1 - (k + 4) u) (|alpha| sum |a| |b| + |beta c|)
 *
 * at most.  There is none where all numbers are small integers.  A result in half is rounded
 * once more.  A part of a complex result is a sum of 2 k such products, and of one of two products
 * each for alpha and beta.  Devices may take numbers below the smallest normal number as 0.
 *
 * Source: Higham, "Accuracy and Stability of Numerical Algorithms" (2002), section 3.1.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "problems.h"
#include "random.h"
#include "table/table.h"

struct product {
	struct call *c;
	struct clopt_gemm_desc g;
	int entry;
	int family, special; /* family of values; with infinities, NaN and ends of the range */
	size_t rows[3], cols[3]; /* of the arrays, as they lie in memory: rows of cols elements */
	struct host h[3];
	struct host line[3]; /* of an epilogue: the scales and the bias that the call has */
	/* op(A), rows of k numbers; op(B), columns of k.  Of complex matrices op(A)'s rows are
	 * parts in turn, and op(B)'s columns two each, for the parts of a result. */
	double *a, *b;
	size_t bytes, parts; /* of an element */
	size_t terms; /* real products of a sum */
	double unit, least, most;
	double roundings; /* of float32 in a sum; 0: as many as there may be */
};

enum {
	ENTRY_GEMM,
	ENTRY_TYPED, /* clopt_sgemm, clopt_dgemm */
	ENTRY_MATMUL,
	ENTRY_BATCHED,
	ENTRY_SYRK,
	ENTRIES
};

#define WORK (1 << 18) /* multiplications of one call checked again, about */

/* Bytes of an element of array i. */
static size_t bytes_of(const struct product *p, int i)
{
	return i == 2 && p->g.result                  ? (size_t)p->g.result & 0xff :
	       i == 2 && p->g.type == CLOPT_TYPE_INT8 ? 4 :
	                                                p->bytes;
}

static double number_at(const struct product *p, int i, size_t at, size_t part)
{
	const char *data = (const char *)p->h[i].data + at * bytes_of(p, i);
	int32_t whole;
	uint32_t bits;
	uint16_t half;
	double d;
	float f;

	data += part * p->bytes / p->parts;
	switch (i == 2 && p->g.result ? p->g.result : p->g.type) {
	case CLOPT_TYPE_HALF:
		memcpy(&half, data, sizeof half);
		return test_of_half(half);
	case CLOPT_TYPE_BFLOAT16:
		memcpy(&half, data, sizeof half);
		bits = (uint32_t)half << 16;
		memcpy(&f, &bits, sizeof f);
		return (double)f;
	case CLOPT_TYPE_FLOAT:
	case CLOPT_TYPE_COMPLEX_FLOAT:
		memcpy(&f, data, sizeof f);
		return (double)f;
	case CLOPT_TYPE_INT8:
		if (i < 2 || p->g.result)
			return *(const int8_t *)data;
		memcpy(&whole, data, sizeof whole);
		return whole;
	default:
		memcpy(&d, data, sizeof d);
		return d;
	}
}

static void put_number(const struct product *p, int i, size_t at, size_t part, double x)
{
	char *data = (char *)p->h[i].data + at * bytes_of(p, i) + part * p->bytes / p->parts;
	int32_t whole;
	const uint16_t half = test_to_half(x);
	const float f = (float)x;
	uint32_t bits;
	uint16_t high;

	switch (p->g.type) {
	case CLOPT_TYPE_HALF:
		memcpy(data, &half, sizeof half);
		break;
	case CLOPT_TYPE_BFLOAT16: /* cut off; a NaN stays one */
		memcpy(&bits, &f, sizeof bits);
		high = (uint16_t)(bits >> 16 | (x != x));
		memcpy(data, &high, sizeof high);
		break;
	case CLOPT_TYPE_FLOAT:
	case CLOPT_TYPE_COMPLEX_FLOAT:
		memcpy(data, &f, sizeof f);
		break;
	case CLOPT_TYPE_INT8:
		whole = (int32_t)x;
		if (i < 2)
			*(int8_t *)data = (int8_t)whole;
		else
			memcpy(data, &whole, sizeof whole);
		break;
	default:
		memcpy(data, &x, sizeof x);
	}
}

static int is_double(const struct product *p)
{
	return p->g.type == CLOPT_TYPE_DOUBLE || p->g.type == CLOPT_TYPE_COMPLEX_DOUBLE;
}

/* A special value: infinite, NaN, or at an end of the range. */
static double special_value(const struct product *p, struct random *r)
{
	const double some[] = { NAN, INFINITY, -INFINITY, 0, p->most, -p->most, p->least, -0.0, 1 };

	return some[random_below(r, sizeof some / sizeof *some)];
}

/* An integer for array i, or a factor (2): all sizes, or an end of the range. */
static double integer(const struct product *p, struct random *r, int i)
{
	const double most = i < 2 ? 0x1p7 : 0x1p31;
	const double some[] = { -most, most - 1, 0, 1, -1 };

	if (p->special && random_one_in(r, 3))
		return some[random_below(r, sizeof some / sizeof *some)];
	return (double)random_below(r, 2 * (size_t)most) - most;
}

/* ---- Problem ------------------------------------------------------------------------ */

static double draw_factor(struct product *p, struct random *r)
{
	static const double some[] = { 1, 0, -1, 2, 0.5, 1, 0 };

	if (p->g.type == CLOPT_TYPE_INT8)
		return random_one_in(r, 2) ? floor(some[random_below(r, 7)]) : integer(p, r, 2);
	if (p->family == VALUES_INTEGERS || random_one_in(r, 2))
		return some[random_below(r, sizeof some / sizeof *some)];
	if (p->special && random_one_in(r, 8))
		return random_one_in(r, 2) ? 0x1p100 : 0x1p-100;
	return random_between(r, -2, 2);
}

static void draw_sizes(struct product *p, struct random *r)
{
	struct clopt_gemm_desc *g = &p->g;
	const size_t kind = random_below(r, 600), *tile = p->c->tile;
	const unsigned column = g->layout == CLOPT_LAYOUT_COL_MAJOR;
	const int square = g->triangle || p->entry == ENTRY_SYRK;
	double most;

	g->m = call_size(p->c, column);
	g->n = random_one_in(r, 12) ? 1 : call_size(p->c, !column);
	g->k = random_one_in(r, 40) && !p->c->row ? random_below(r, 5000) : call_size(p->c, 2);
	if (random_one_in(r, 12))
		g->m = 1;
	if (p->c->row && p->c->row->shapes == SHAPE_VECTOR)
		*(g->m % 2 ? &g->m : &g->n) = 1;
	g->batch = kind < 400 || p->c->deep ? 1 :
	           kind < 560 || p->c->row  ? random_below(r, 9) :
	                                      random_below(r, 100);
	if (kind == 0 && !p->c->row) {
		g->batch = 65530 + random_below(r, 4472);
		g->m = random_below(r, 5);
		g->n = random_below(r, 5);
		g->k = random_below(r, 4);
	}
	/* At most a few ms. */
	most = call_work(p->c, kind == 0 || random_one_in(r, 500) ? 1 << 23 : 1 << 19,
	                 9 * (double)p->bytes, 1.5);
	if (p->c->row)
		most = fmin(fmax(most, 80 * (double)(tile[0] * tile[1])), 1 << 22);
	g->n = square ? g->m : g->n;
	while ((double)(p->parts * p->parts * g->m * g->n * (g->k + 4) * g->batch) > most) {
		g->batch -= g->batch / 2;
		*(p->c->row && g->k > 40 ? &g->k :
		  random_one_in(r, 2)    ? &g->m :
		  random_one_in(r, 2)    ? &g->n :
		                           &g->k) /= 2;
		g->n = square ? g->m : g->n;
	}
}

static void draw_epilogue(struct product *p, struct random *r)
{
	struct clopt_gemm_desc *g = &p->g;

	g->result = random_one_in(r, 2) ? CLOPT_TYPE_INT8 : CLOPT_TYPE_FLOAT;
	g->beta = 0;
	if (random_one_in(r, 2)) {
		g->least = floor(random_between(r, -128, 20));
		g->most = floor(random_between(r, g->least, 127));
	}
	if (g->result == CLOPT_TYPE_FLOAT && random_one_in(r, 3))
		g->most = (double)INFINITY;
	p->entry = ENTRY_GEMM;
}

/* Leading dimensions and strides; results do not overlap, inputs may. */
static void draw_places(struct product *p, struct random *r)
{
	struct clopt_gemm_desc *g = &p->g;
	const int column = g->layout == CLOPT_LAYOUT_COL_MAJOR;
	const int ta = g->transa != CLOPT_TRANS_NO, tb = g->transb != CLOPT_TRANS_NO;
	size_t *const ld[] = { &g->lda, &g->ldb, &g->ldc };
	size_t *const stride[] = { &g->stride_a, &g->stride_b, &g->stride_c };
	int i;

	p->rows[0] = ta ^ column ? g->k : g->m;
	p->cols[0] = ta ^ column ? g->m : g->k;
	p->rows[1] = tb ^ column ? g->n : g->k;
	p->cols[1] = tb ^ column ? g->k : g->n;
	p->rows[2] = column ? g->n : g->m;
	p->cols[2] = column ? g->m : g->n;
	for (i = 0; i < 3; i++) {
		*ld[i] =
		        p->cols[i] +
		        (p->entry != ENTRY_MATMUL && random_one_in(r, 2) ? random_below(r, 20) : 0);
		*stride[i] = p->rows[i] * *ld[i];
		if (i < 2 && random_one_in(r, 4))
			*stride[i] = random_one_in(r, 2) ? 0 : random_below(r, *stride[i] + 1);
		else if (random_one_in(r, 3))
			*stride[i] += random_below(r, 20);
	}
	if (g->batch > 1 && g->batch < 200 && random_one_in(r, 8)) { /* side by side */
		g->stride_c = p->cols[2] + random_below(r, 3);
		g->ldc = g->batch * g->stride_c + random_below(r, 3);
	}
	/* No line follows a single one. */
	for (i = 0; i < 3; i++)
		if (p->rows[i] == 1 && p->entry != ENTRY_MATMUL && random_one_in(r, 4))
			*ld[i] = INT64_MAX;
}

static void take_type(struct product *p)
{
	const int type = p->g.type;

	p->bytes = (size_t)type & 0xff;
	p->parts = type >> 8 == 2 ? 2 : 1;
	p->unit = is_double(p) ? DOUBLE_UNIT : FLOAT_UNIT;
	p->most = is_double(p)                ? DBL_MAX :
	          type == CLOPT_TYPE_HALF     ? 65504 :
	          type == CLOPT_TYPE_BFLOAT16 ? 0x1.fep127 :
	                                        (double)FLT_MAX;
	p->least = is_double(p) ? DBL_MIN : type == CLOPT_TYPE_HALF ? 0x1p-24 : (double)FLT_MIN;
}

static void draw(struct product *p)
{
	static const int types[] = { CLOPT_TYPE_HALF,           CLOPT_TYPE_FLOAT,
		                     CLOPT_TYPE_FLOAT,          CLOPT_TYPE_DOUBLE,
		                     CLOPT_TYPE_BFLOAT16,       CLOPT_TYPE_COMPLEX_FLOAT,
		                     CLOPT_TYPE_COMPLEX_DOUBLE, CLOPT_TYPE_INT8 };
	struct random *r = &p->c->r, *k = &p->c->kernel;
	struct clopt_gemm_desc *g = &p->g;
	int ta = (int)random_below(k, 2), tb = (int)random_below(k, 2), swap;

	clopt_gemm_desc_init(g, sizeof *g);
	g->type = types[random_below(k, sizeof types / sizeof *types)];
	if (is_double(p) && !random_device.fp64)
		g->type = CLOPT_TYPE_FLOAT;
	take_type(p);
	ta *= p->parts == 2 && random_one_in(k, 2) ? 2 : 1; /* CLOPT_TRANS_CONJ */
	tb *= p->parts == 2 && random_one_in(k, 2) ? 2 : 1;
	g->math = (int)random_below(k, 8) == 0 ? 1 + (int)random_below(k, 4) : CLOPT_MATH_EXACT;
	g->triangle = random_one_in(k, 4) ? CLOPT_UPLO_UPPER + (int)random_below(k, 2) : 0;
	/* Column-major ones are row-major ones of the transposes. */
	swap = random_one_in(r, 3);
	g->layout = swap ? CLOPT_LAYOUT_COL_MAJOR : CLOPT_LAYOUT_ROW_MAJOR;
	if (swap && g->triangle)
		g->triangle = CLOPT_UPLO_UPPER + CLOPT_UPLO_LOWER - g->triangle;
	g->transa = CLOPT_TRANS_NO + (swap ? tb : ta);
	g->transb = CLOPT_TRANS_NO + (swap ? ta : tb);
	p->entry = (int)random_below(r, ENTRIES);
	if (p->entry == ENTRY_SYRK && (!g->triangle || !ta == !tb))
		p->entry = ENTRY_GEMM;
	if (p->entry != ENTRY_GEMM && p->entry != ENTRY_SYRK && (g->triangle || g->math))
		p->entry = ENTRY_GEMM;
	if (p->entry == ENTRY_TYPED && p->bytes <= 2)
		p->entry = ENTRY_BATCHED;
	if (p->entry == ENTRY_MATMUL && (g->type != CLOPT_TYPE_FLOAT || ta || tb || swap))
		p->entry = ENTRY_BATCHED;
	p->family = (int)random_below(r, VALUES);
	p->special = random_one_in(r, 5);
	draw_sizes(p, r);
	g->alpha = draw_factor(p, r);
	g->beta = draw_factor(p, r);
	if (p->parts == 2 && p->entry != ENTRY_SYRK && p->entry != ENTRY_BATCHED) {
		g->alpha_imag = draw_factor(p, r);
		g->beta_imag = random_one_in(r, 2) ? draw_factor(p, r) : 0;
	}
	p->terms = p->parts * g->k;
	if (g->type == CLOPT_TYPE_INT8 && !g->triangle && p->entry != ENTRY_SYRK &&
	    random_one_in(r, 2))
		draw_epilogue(p, r);
	if (p->entry == ENTRY_MATMUL) {
		g->alpha = 1;
		g->beta = 0;
	}
	if (p->entry != ENTRY_GEMM && p->entry != ENTRY_BATCHED)
		g->batch = 1;
	/* In a struct 0 is refused, or one product. */
	if (p->entry == ENTRY_GEMM || p->c->form != FORM_HOST || p->c->row) {
		g->alpha = g->alpha == 0 && g->alpha_imag == 0 ? 1 : g->alpha;
		g->batch = g->batch ? g->batch : 1;
	}
	draw_places(p, r);
	if (p->entry == ENTRY_SYRK) {
		g->hermitian = ta + tb == 2;
		g->ldb = g->lda;
		g->math = CLOPT_MATH_EXACT;
	}
}

static size_t extent(const struct product *p, int i, size_t ld, size_t stride)
{
	return p->rows[i] && p->cols[i] && p->g.batch ?
	               (p->g.batch - 1) * stride + (p->rows[i] - 1) * ld + p->cols[i] :
	               0;
}

static void fill(struct product *p)
{
	const struct clopt_gemm_desc *g = &p->g;
	const size_t ld[] = { g->lda, g->ldb, g->ldc };
	const size_t stride[] = { g->stride_a, g->stride_b, g->stride_c };
	struct random *r = &p->c->r;
	const size_t often = 4 + random_below(r, 200);
	size_t b, i, j;
	int x;

	for (x = 0; x < 3; x++) {
		const size_t elements = extent(p, x, ld[x], stride[x]);
		/* Which of an element's indices counts k: halves that cancel are A's. */
		const int family = p->family == 3 && x != 0 ? 4 : p->family;

		host_open(&p->h[x], p->c, elements * bytes_of(p, x), bytes_of(p, x));
		for (b = 0; b < (stride[x] ? g->batch : g->batch > 0); b++)
			for (i = 0; i < p->rows[x]; i++)
				for (j = 0; j < p->parts * p->cols[x]; j++) {
					const size_t column = j / p->parts;
					const size_t q = p->cols[x] == g->k ? column : i;
					double v = random_value(r, family, q, g->k);

					if (p->special && random_one_in(r, often))
						v = special_value(p, r);
					if (g->type == CLOPT_TYPE_INT8)
						v = integer(p, r, x);
					/* beta = 0: the old C does not matter. */
					if (x < 2 || g->beta != 0 || g->beta_imag != 0 ||
					    (!g->result && !random_one_in(r, 2)))
						put_number(p, x, b * stride[x] + i * ld[x] + column,
						           j % p->parts, v);
				}
		if (p->entry == ENTRY_SYRK && x == 1)
			continue;
		host_ready(&p->h[x]);
	}
}

/* The scales and the bias, each of which may be missing. */
static void fill_lines(struct product *p)
{
	const void **const given[] = { &p->g.scale_rows, &p->g.scale_columns, &p->g.bias };
	struct random *r = &p->c->r;
	size_t i, n;
	int x;

	for (x = 0; x < 3 && p->g.result; x++) {
		struct host *h = &p->line[x];

		if (random_one_in(r, 4))
			continue;
		n = x == 0 ? p->g.m : p->g.n;
		host_open(h, p->c, n * sizeof(float), sizeof(float));
		for (i = 0; i < n; i++)
			((float *)h->data)[i] =
			        (float)(p->special && random_one_in(r, 8) ? special_value(p, r) :
			                x == 2 ? random_between(r, -60, 60) :
			                         ldexp(random_between(r, -1, 1),
			                               -(int)random_below(r, 16)));
		host_ready(h);
		*given[x] = p->c->form == FORM_BUFFERS ? (const void *)h->buffer : h->data;
	}
}

/* ---- The call ------------------------------------------------------------------------ */

/* The arguments of the routines for a type, but for the context and what follows the arrays. */
#define TYPED(alpha, beta) \
	g->layout, g->transa, g->transb, g->m, g->n, g->k, alpha, a, g->lda, b, g->ldb, beta, c, \
	        g->ldc
#define BATCHED \
	g->type, g->layout, g->transa, g->transb, g->m, g->n, g->k, g->alpha, a, g->lda, \
	        g->stride_a, b, g->ldb, g->stride_b, g->beta, c, g->ldc, g->stride_c, g->batch
#define RANK_K \
	g->type, g->layout, g->triangle, g->transa, g->n, g->k, g->alpha, a, g->lda, g->beta, c, \
	        g->ldc
/* The routine of the entry, of those of a form, with its last arguments. */
#define CALL(matmul, gemm, cgemm, zgemm, dgemm, sgemm, ...) \
	(p->entry == ENTRY_MATMUL            ? matmul(ctx, g->m, g->n, g->k, a, b, c __VA_ARGS__) : \
	 p->entry != ENTRY_TYPED             ? gemm(ctx, g, a, b, c __VA_ARGS__) : \
	 g->type == CLOPT_TYPE_COMPLEX_FLOAT ? cgemm(ctx, TYPED(single, single + 2) __VA_ARGS__) : \
	 g->type == CLOPT_TYPE_COMPLEX_DOUBLE ? \
	                                       zgemm(ctx, TYPED(factor, factor + 2) __VA_ARGS__) : \
	 g->type == CLOPT_TYPE_DOUBLE ? dgemm(ctx, TYPED(g->alpha, g->beta) __VA_ARGS__) : \
	                                sgemm(ctx, \
	                                      TYPED((float)g->alpha, (float)g->beta) __VA_ARGS__))
#define NEXT ,

static int call(struct product *p)
{
	const struct clopt_gemm_desc *g = &p->g;
	const double factor[4] = { g->alpha, g->alpha_imag, g->beta, g->beta_imag };
	const float single[4] = { (float)g->alpha, (float)g->alpha_imag, (float)g->beta,
		                  (float)g->beta_imag };
	struct clopt *ctx = p->c->ctx;
	struct clopt_call *s = NULL;

	if (p->c->form == FORM_BUFFERS) {
		struct clopt_buffer *const a = p->h[0].buffer, *const b = p->h[1].buffer;
		struct clopt_buffer *const c = p->h[2].buffer;

		return CALL(clopt_matmul_buffers, clopt_gemm_buffers, clopt_cgemm_buffers,
		            clopt_zgemm_buffers, clopt_dgemm_buffers, clopt_sgemm_buffers,
		            NEXT NULL);
	} else {
		void *const a = p->h[0].data, *const b = p->h[1].data, *const c = p->h[2].data;

		if (p->c->form == FORM_STARTED)
			return call_collected(CALL(clopt_matmul_start, clopt_gemm_start,
			                           clopt_cgemm_start, clopt_zgemm_start,
			                           clopt_dgemm_start, clopt_sgemm_start, NEXT & s),
			                      &s);
		if (p->entry == ENTRY_BATCHED)
			return clopt_gemm_strided_batched(ctx, BATCHED);
		if (p->entry == ENTRY_SYRK)
			return g->hermitian ? clopt_herk(ctx, RANK_K) : clopt_syrk(ctx, RANK_K);
		return CALL(clopt_matmul, clopt_gemm, clopt_cgemm, clopt_zgemm, clopt_dgemm,
		            clopt_sgemm, );
	}
}

/* ---- The result ----------------------------------------------------------------------- */

/* A sum of products in double, with terms that are not finite apart. */
struct sum {
	double value, size; /* of finite terms: the sum, and the sum of magnitudes */
	double lost; /* error by small numbers */
	double norms; /* of both lines, without terms that are not finite; for CLOPT_MATH_INT8 */
	double fault; /* 0, or the infinity or NaN that the sum must be */
};

/* Whether errors may be relative to the norms of lines. */
static int by_int8(const struct product *p)
{
	return p->g.math >= CLOPT_MATH_INT8 && is_double(p);
}

static double norms_of(const struct product *p, const double *a, const double *b)
{
	long double aa = 0, bb = 0;
	size_t q;

	for (q = 0; q < p->terms; q++) {
		aa += isfinite(a[q]) ? (long double)a[q] * (long double)a[q] : 0;
		bb += isfinite(b[q]) ? (long double)b[q] * (long double)b[q] : 0;
	}
	return (double)(sqrtl(aa) * sqrtl(bb));
}

static struct sum sum_of(const struct product *p, const double *a, const double *b)
{
	/* Halves become floats before they are multiplied. */
	const double least = is_double(p) ? DBL_MIN : (double)FLT_MIN;
	/* Of floats in parts (cl/matmul/tensor.clh), those below 2^-112 may lose 2^-134. */
	const double parts = p->c->row && p->c->row->deep ? 0x1p-112 : 0;
	struct sum s = { 0, 0, 0, by_int8(p) ? norms_of(p, a, b) : 0, 0 };
	size_t q;

	for (q = 0; q < p->terms; q++) {
		const double x = a[q] * b[q];

		s.value += x;
		s.size += fabs(x);
	}
	if (s.size <= DBL_MAX && s.size > (double)p->terms * 0x1p-80)
		if (!p->special && p->family != 9 && p->family != 7)
			return s;
	s.value = s.size = 0;
	for (q = 0; q < p->terms; q++) {
		const double x = a[q] * b[q];

		if (isfinite(a[q]) && isfinite(b[q])) {
			s.value += x;
			s.size += fabs(x);
			s.lost += least * (1 + (fabs(a[q]) < least ? fabs(b[q]) : 0) +
			                   (fabs(b[q]) < least ? fabs(a[q]) : 0)) +
			          0x1p-134 * ((fabs(a[q]) < parts ? fabs(b[q]) : 0) +
			                      (fabs(b[q]) < parts ? fabs(a[q]) : 0));
		} else {
			s.fault += x;
		}
	}
	return s;
}

/* The largest finite number of the type. */
static double overflow(const struct product *p)
{
	return is_double(p) ? DBL_MAX : (double)FLT_MAX;
}

/* The error bound of a result, where the terms of beta C are of magnitude `kept`; infinite: not to
 * be judged. */
static double bound(const struct product *p, const struct sum *s, double alpha, double kept)
{
	/* Products of parts of floats err more where terms are fewer than the row is picked for,
	 * most of all in bfloat16: cl/matmul/tensor.clh, wgmma_f32.cl, wgmma_mix.cl. */
	const struct variant *row = p->c->row;
	const double split = !row || p->terms >= row->deep ? 0 : row->planes ? 128 : 16;
	const double most = (double)p->terms + (p->parts == 2 ? 8 : 4) + split;
	const double n = (p->roundings > 0 ? p->roundings : most) * p->unit,
	             size = fabs(alpha) * s->size + kept;
	const double range = overflow(p);
	const double least = is_double(p) ? DBL_MIN : (double)FLT_MIN;
	/* Operands cut to 11 bits, or rounded to half. */
	const double math = p->g.type == CLOPT_TYPE_FLOAT && (p->g.math == CLOPT_MATH_TF32 ||
	                                                      p->g.math == CLOPT_MATH_HALF) ?
	                            0x1p-8 * fabs(alpha) * s->size :
	                            0;
	const int exact = p->family == VALUES_INTEGERS && !p->special && s->size < 0x1p22 && !math;
	double off = exact ? 0 : n / (1 - n) * size + math;

	if (by_int8(p)) /* see CLOPT_MATH_INT8 */
		off += (sqrt((double)p->terms) + 2) * fabs(alpha) * s->norms *
		       (p->g.math == CLOPT_MATH_INT8 ? p->unit : 0x1p-61);
	if (!(s->size < range / 4) || !(fabs(alpha * s->value) + kept + off < range / 4))
		return (double)INFINITY;
	if (p->special || p->family == 9 || p->family == 7)
		off += fabs(alpha) * s->lost + 4 * least * (1 + fabs(alpha));
	if (is_double(p) && !exact) /* ours */
		off *= 2;
	return off;
}

/* A result that is not finite must be the right infinity or NaN. */
static int fault_right(double got, double want)
{
	return isnan(want) ? isnan(got) : got == want;
}

static double as_type(const struct product *p, double x)
{
	return is_double(p) || p->g.type == CLOPT_TYPE_INT8 ? x : (double)(float)x;
}

/* A part of alpha times a complex sum, of whose parts this is one and `other` the other, as a sum
 * that alpha is in.  A factor without imaginary part is a real number. */
static struct sum combined(const struct product *p, const struct sum *s, const struct sum *other,
                           size_t part)
{
	const double re = as_type(p, p->g.alpha);
	const double im = as_type(p, p->g.alpha_imag) * (part ? 1 : -1);
	struct sum t = { re * s->value, fabs(re) * s->size, fabs(re) * s->lost, fabs(re) * s->norms,
		         re * s->fault };

	if (im != 0) {
		t.value += im * other->value;
		t.size += fabs(im) * other->size;
		t.lost += fabs(im) * other->lost;
		t.norms += fabs(im) * other->norms;
		t.fault += im * other->fault;
	}
	/* The sums may overflow where what they are multiplied to does not. */
	if (!(s->size < overflow(p) / 4) || (im != 0 && !(other->size < overflow(p) / 4)))
		t.size = (double)INFINITY;
	return t;
}

/* Adds beta's part times C's to beta C: a value that may be infinite or NaN, and the magnitude of
 * its finite terms, which may cancel; infinite if one of them overflows. */
static void add_kept(const struct product *p, double beta, double c, struct sum *kept)
{
	const double x = beta * c;

	kept->value += x;
	if (isfinite(c))
		kept->size += fabs(x) < overflow(p) ? fabs(x) : (double)INFINITY;
}

static struct sum kept_of(const struct product *p, const double *c, size_t part)
{
	const double re = as_type(p, p->g.beta);
	const double im = as_type(p, p->g.beta_imag) * (part ? 1 : -1);
	struct sum kept = { 0, 0, 0, 0, 0 };

	if (re != 0 || im != 0)
		add_kept(p, re, c[part], &kept);
	if (im != 0)
		add_kept(p, im, c[1 - part], &kept);
	return kept;
}

static int element_right(const struct product *p, const struct sum *s, double alpha,
                         const struct sum *kept, double got)
{
	const double want = alpha * s->value + kept->value;
	double off = bound(p, s, alpha, kept->size);

	if (off > DBL_MAX) /* a sum of finite terms may overflow on the way */
		return 1;
	if (s->fault != 0 || !isfinite(kept->value))
		return fault_right(got, (isfinite(kept->value) ? 0 : kept->value) +
		                                (s->fault != 0 ? alpha * s->fault : 0));
	switch (p->g.type) {
	case CLOPT_TYPE_HALF:
		if (fabs(want) + off >= 65520) /* may be rounded to infinity */
			return fabs(want) - off >= 65520 ? isinf(got) && (got > 0) == (want > 0) :
			                                   1;
		off += HALF_UNIT * (fabs(want) + off) + 0x1p-25;
		break;
	case CLOPT_TYPE_BFLOAT16:
		off += BFLOAT16_UNIT * (fabs(want) + off) + (double)FLT_MIN;
		break;
	default:
		off += p->unit * fabs(want);
	}
	return fabs(got - want) <= off;
}

/* op(A) and op(B) of one product, laid out so that a sum runs over neighbours. */
static void take_operands(const struct product *p, size_t batch)
{
	const struct clopt_gemm_desc *g = &p->g;
	const int column = g->layout == CLOPT_LAYOUT_COL_MAJOR;
	const int a_turned = (g->transa != CLOPT_TRANS_NO) ^ column;
	const int b_turned = (g->transb != CLOPT_TRANS_NO) ^ column;
	const double a_sign = g->transa == CLOPT_TRANS_CONJ ? -1 : 1;
	const double b_sign = g->transb == CLOPT_TRANS_CONJ ? -1 : 1;
	double *to = p->a;
	size_t i, q, h;

	for (i = 0; i < g->m; i++)
		for (q = 0; q < p->terms; q++) {
			const size_t e = q / p->parts;

			*to++ = (q % p->parts ? a_sign : 1) *
			        number_at(p, 0,
			                  batch * g->stride_a + (a_turned ? e : i) * g->lda +
			                          (a_turned ? i : e),
			                  q % p->parts);
		}
	to = p->b;
	for (i = 0; i < g->n; i++)
		for (h = 0; h < p->parts; h++)
			for (q = 0; q < p->terms; q++) {
				const size_t e = q / p->parts, part = (q + h) % p->parts;

				/* re re - im im; re im + im re */
				*to++ = (part ? b_sign : 1) * (part && !h ? -1 : 1) *
				        number_at(p, 1,
				                  batch * g->stride_b +
				                          (b_turned ? i : e) * g->ldb +
				                          (b_turned ? e : i),
				                  part);
			}
}

/* The old C at this element. */
static double before(const struct product *p, size_t at, size_t part)
{
	struct product was = *p;

	was.h[2].data = p->h[2].before + ((unsigned char *)p->h[2].data - p->h[2].block);
	return number_at(&was, 2, at, part);
}

/* Whole numbers modulo 2^32. */
static uint32_t low_word(double x)
{
	return (uint32_t)(int64_t)x;
}

static int integer_right(const struct product *p, double sum, double old, double got)
{
	return low_word(got) ==
	       low_word(p->g.alpha) * low_word(sum) + low_word(p->g.beta) * low_word(old);
}

/* Rounded to float; a product or a sum of floats only once, since double has enough digits. */
static double as_float(double x)
{
	return (double)(float)x;
}

/* The nearest integer, or of two the even one. */
static double nearest(double x)
{
	const double below = floor(x), rest = x - below;

	return rest < 0.5 || (rest == 0.5 && fmod(below, 2) == 0) ? below : below + 1;
}

static double of_line(const struct product *p, int x, size_t i)
{
	return (double)((const float *)p->line[x].data)[i];
}

/* What the epilogue makes of the sum of an element. */
static int result_right(const struct product *p, double sum, size_t i, size_t j, double got)
{
	const struct clopt_gemm_desc *g = &p->g;
	const int whole = g->result == CLOPT_TYPE_INT8, clamps = g->least != 0 || g->most != 0;
	const double least = clamps ? g->least : whole ? -128 : -(double)INFINITY;
	const double most = clamps ? g->most : whole ? 127 : (double)INFINITY;
	double x = as_float((int32_t)(low_word(g->alpha) * low_word(sum)));

	if (g->scale_rows)
		x = as_float(x * of_line(p, 0, i));
	if (g->scale_columns)
		x = as_float(x * of_line(p, 1, j));
	if (g->bias)
		x = as_float(x + of_line(p, 2, j));
	if (isnan(x))
		return whole ? got == 0 : isnan(got);
	x = fmax(least, fmin(most, x));
	return got == (whole ? nearest(x) : x);
}

static void judge_element(struct product *p, size_t batch, size_t i, size_t j, size_t at)
{
	const struct clopt_gemm_desc *g = &p->g;
	const int real = g->hermitian && i == j;
	const double *a = p->a + i * p->terms, *b = p->b + j * p->parts * p->terms;
	/* A and B are not read. */
	const int none = as_type(p, g->alpha) == 0 && as_type(p, g->alpha_imag) == 0;
	struct sum s[2] = { { 0, 0, 0, 0, 0 }, { 0, 0, 0, 0, 0 } };
	double c[2] = { 0, 0 };
	size_t h;

	for (h = 0; h < p->parts; h++) {
		if (!none)
			s[h] = sum_of(p, a, b + h * p->terms);
		c[h] = real && h ? 0 : before(p, at, h);
	}
	for (h = 0; h < p->parts; h++) {
		const struct sum whole = p->parts == 2 ? combined(p, &s[h], &s[1 - h], h) : s[0];
		const struct sum kept = kept_of(p, c, h);
		const double alpha = p->parts == 2 ? 1 : as_type(p, g->alpha);
		const double got = number_at(p, 2, at, h);

		if (g->result                  ? result_right(p, s[0].value, i, j, got) :
		    g->type == CLOPT_TYPE_INT8 ? integer_right(p, s[0].value, c[0], got) :
		    real && h                  ? got == 0 :
		                                 element_right(p, &whole, alpha, &kept, got))
			continue;
		call_wrong(p->c,
		           "part %zu of C[%zu][%zu] of product %zu is %.17g: A B is %.17g + %g, of "
		           "magnitude %g, beta C %.17g, of magnitude %g; it may be off by %g",
		           h, i, j, batch, got, whole.value, whole.fault, whole.size, kept.value,
		           kept.size, bound(p, &whole, alpha, kept.size));
	}
}

static void judge_one(struct product *p, size_t batch, size_t i, size_t j, int look)
{
	const struct clopt_gemm_desc *g = &p->g;
	const int column = g->layout == CLOPT_LAYOUT_COL_MAJOR;
	const size_t at = batch * g->stride_c + (column ? j : i) * g->ldc + (column ? i : j);

	if ((g->triangle == CLOPT_UPLO_LOWER && j > i) ||
	    (g->triangle == CLOPT_UPLO_UPPER && j < i))
		return;
	if (look)
		judge_element(p, batch, i, j, at);
	host_judged(&p->h[2], (unsigned char *)p->h[2].data + at * bytes_of(p, 2), bytes_of(p, 2));
}

/* Judges each element of small products, of large ones some, with the first and last. */
static void judge(struct product *p)
{
	const struct clopt_gemm_desc *g = &p->g;
	const double work = (double)g->batch * (double)g->m * (double)g->n * (double)(p->terms + 1);
	const size_t every = p->roundings > 0 ? 1 : 1 + (size_t)(work / WORK);
	struct random r = { p->c->number };
	size_t b, i, j;

	p->a = malloc((g->m * p->terms + 1) * sizeof *p->a);
	p->b = malloc((g->n * p->parts * p->terms + 1) * sizeof *p->b);
	ck_assert(p->a && p->b);
	for (b = 0; b < g->batch && !p->c->wrong; b++) {
		/* Of a batch some products are checked; the others must be untouched outside C. */
		const int some = !p->c->compared &&
		                 (every < 50 || b + 1 == g->batch || random_one_in(&r, every / 10));

		if (some && g->k && (g->alpha != 0 || g->alpha_imag != 0))
			take_operands(p, b);
		for (i = 0; i < g->m; i++)
			for (j = 0; j < g->n; j++)
				judge_one(p, b, i, j,
				          some && (every == 1 || random_one_in(&r, every) ||
				                   (i + 1 == g->m && j + 1 == g->n)));
	}
	free(p->a);
	free(p->b);
}

static void say(struct product *p)
{
	static const char *const entries[] = { "gemm", "s/dgemm", "matmul", "gemm_batched",
		                               "syrk or herk" };
	const struct clopt_gemm_desc *g = &p->g;

	call_say(
	        p->c,
	        ": %s of type 0x%x, layout %d, trans %d %d, math %d, triangle %d, %zu x %zu x %zu, "
	        "alpha %.9g + %.9g i, beta %.9g + %.9g i, ld %zu %zu %zu, batch %zu, strides %zu "
	        "%zu %zu, result 0x%x, %g to %g, values %d%s",
	        entries[p->entry], (unsigned)g->type, g->layout, g->transa, g->transb, g->math,
	        g->triangle, g->m, g->n, g->k, g->alpha, g->alpha_imag, g->beta, g->beta_imag,
	        g->lda, g->ldb, g->ldc, g->batch, g->stride_a, g->stride_b, g->stride_c,
	        (unsigned)g->result, g->least, g->most, p->family,
	        p->special ? " and special ones" : "");
}

/* A A^T: B's elements are A's. */
static void syrk_operand(struct product *p)
{
	const int other = p->g.hermitian ? CLOPT_TRANS_CONJ : CLOPT_TRANS_YES;

	p->g.transb = CLOPT_TRANS_NO + other - p->g.transa;
	p->g.stride_b = p->g.stride_a;
	host_close(&p->h[1], "B");
	p->h[1] = p->h[0];
}

void random_product(struct call *c)
{
	static struct product p;
	struct clopt_problem problem = CLOPT_PROBLEM_INIT;
	int rc, x;

	memset(&p, 0, sizeof p);
	p.c = c;
	draw(&p);
	if (p.entry == ENTRY_SYRK && c->form != FORM_HOST)
		c->form = FORM_HOST;
	say(&p);
	c->type = p.g.result == CLOPT_TYPE_INT8 ? 0 : p.g.result ? p.g.result : p.g.type;
	problem.op = CLOPT_OP_MATMUL;
	problem.dim[0] = p.g.m;
	problem.dim[1] = p.g.n;
	problem.dim[2] = p.g.k;
	problem.type = p.g.type;
	problem.transa = p.g.transa;
	problem.transb = p.g.transb;
	problem.layout = p.g.layout;
	problem.math = p.g.math;
	problem.triangle = p.g.triangle;
	problem.hermitian = p.g.hermitian;
	problem.batch = p.g.batch;
	if (!call_force(c, &problem))
		return;
	fill(&p);
	fill_lines(&p);
	if (random_one_in(&c->r, 1000) && !c->row)
		call_limit(c, (size_t)random_decades(&c->r, 2, 4));
	do
		rc = call(&p);
	while (call_again(c, rc));
	call_unforce(c);
	host_back(&p.h[0]);
	host_back(&p.h[1]);
	host_back(&p.h[2]);
	for (x = 0; x < 3; x++)
		host_back(&p.line[x]);
	if (p.entry == ENTRY_SYRK) {
		memcpy(p.h[1].before, p.h[1].block, p.h[1].block_bytes);
		syrk_operand(&p);
	}
	if (call_succeeded(c, rc))
		judge(&p);
	host_close(&p.h[0], "A");
	if (p.entry != ENTRY_SYRK)
		host_close(&p.h[1], "B");
	host_close(&p.h[2], "C");
	for (x = 0; x < 3; x++)
		if (p.line[x].block)
			host_close(&p.line[x], "a scale or the bias");
}

void product_of(struct clopt *ctx, const struct clopt_gemm_desc *g,
                double (*number)(void *user, int of_b, size_t line, size_t term), void *user,
                double roundings, const char *what)
{
	static const struct clopt_options none = CLOPT_OPTIONS_INIT;
	struct call c = { .ctx = ctx, .options = &none, .r = random_of(1, 1) };
	struct product p = { .c = &c, .g = *g, .entry = ENTRY_MATMUL, .roundings = roundings };
	size_t i, j, h;
	int x;

	take_type(&p);
	p.g.batch = 1;
	p.terms = p.parts * g->k;
	draw_places(&p, &c.r); /* without gaps */
	for (x = 0; x < 3; x++) {
		const int trans = x == 0 ? g->transa : x == 1 ? g->transb : CLOPT_TRANS_NO;
		const int turned = (trans != CLOPT_TRANS_NO) ^ (x == 1); /* a line is a column */

		host_open(&p.h[x], &c, p.rows[x] * p.cols[x] * bytes_of(&p, x), bytes_of(&p, x));
		for (i = 0; i < p.rows[x]; i++)
			for (j = 0; j < p.cols[x]; j++)
				for (h = 0; h < p.parts; h++)
					if (x < 2 ||
					    g->beta != 0) /* else the old C does not matter */
						put_number(&p, x, i * p.cols[x] + j, h,
						           number(user, x == 1, turned ? j : i,
						                  turned ? i : j));
		host_ready(&p.h[x]);
	}
	CHECK_OK(ctx, clopt_gemm(ctx, &p.g, p.h[0].data, p.h[1].data, p.h[2].data));
	judge(&p);
	host_close(&p.h[0], "A");
	host_close(&p.h[1], "B");
	host_close(&p.h[2], "C");
	ck_assert_msg(!c.wrong, "%s", what);
}
