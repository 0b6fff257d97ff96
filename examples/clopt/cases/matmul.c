/* SPDX-License-Identifier: MIT */
/*
 * matmul.c - C = alpha op(A) op(B) + beta C.
 *
 * Tolerance: each of the k products and sums may round, and rounding errors of
 * random sign add up like the square root of their number:
 *
 *	eps (4 sqrt(k) + 8) (|alpha| (|A| |B|)_ij + |beta C|_ij)
 *
 * plus the smallest normal number for each term, for devices that take
 * subnormal numbers as zero.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "op.h"

/* clang-format off */
/* m, n, k, elem_bytes, transa, transb, alpha, beta, three pads, scale, small, and
 * other fields by name */
#define ROW(m, n, k, e, ta, tb, al, be, pa, pb, pc, sc, ...) \
	{ .dim = { m, n, k }, .elem_bytes = e, .transa = ta, .transb = tb, .alpha = al, \
	  .beta = be, .pad = { pa, pb, pc }, .scale = sc, .small = __VA_ARGS__ }

#define N CLOPT_TRANS_NO
#define T CLOPT_TRANS_YES
#define C CLOPT_LAYOUT_COL_MAJOR
#define C64 .type = CLOPT_TYPE_COMPLEX_FLOAT
#define C128 .type = CLOPT_TYPE_COMPLEX_DOUBLE
#define B16 .type = CLOPT_TYPE_BFLOAT16
#define H CLOPT_TRANS_CONJ

/* The same problem for all transposes, in both precisions. */
#define FOUR(e, m, n, k, al, be, pa, pb, pc, ...) \
	ROW(m, n, k, e, N, N, al, be, pa, pb, pc, 1.0, __VA_ARGS__), \
	ROW(m, n, k, e, N, T, al, be, pa, pb, pc, 1.0, __VA_ARGS__), \
	ROW(m, n, k, e, T, N, al, be, pa, pb, pc, 1.0, __VA_ARGS__), \
	ROW(m, n, k, e, T, T, al, be, pa, pb, pc, 1.0, __VA_ARGS__)
#define EIGHT(m, n, k, al, be, pa, pb, pc, sm) \
	FOUR(4, m, n, k, al, be, pa, pb, pc, sm), FOUR(8, m, n, k, al, be, pa, pb, pc, sm)

static const struct shape shapes[] = {
	/* Multiples of nothing, within one tile and over several. */
	EIGHT(33, 65, 17, -0.5, 1.0, 3, 1, 5, 1),
	EIGHT(129, 257, 300, 1.0, 0.0, 1, 3, 7, 0),

	/* Multiples of the tiles, as some kernels ask for, and of 4 alone. */
	EIGHT(64, 64, 32, 1.0, 0.0, 0, 0, 0, 1),
	EIGHT(256, 128, 256, 1.0, 0.0, 0, 0, 0, 0),
	FOUR(4, 132, 260, 516, 0.75, -0.5, 0, 0, 0, 0),
	FOUR(4, 128, 128, 64, 2.0, 0.0, 4, 8, 12, 0),

	/* clopt_matmul on odd sizes, and a long sum. */
	ROW(70, 45, 72, 4, N, N, 1.0, 0.0, 0, 0, 0, 1.0, 1), /* a multiple of 4 in k, as 700 below */
	ROW(9, 70, 67, 4, N, N, 1.0, 0.5, 0, 0, 0, 1.0, 1), /* more than a step of k of some rows */
	ROW(260, 100, 513, 4, N, N, 1.0, 0.0, 0, 0, 0, 1.0, 0),
	ROW(260, 100, 513, 8, N, N, -0.5, 1.0, 0, 0, 0, 1.0, 0),
	ROW(17, 19, 2100, 4, N, N, 1.0, 0.0, 0, 0, 0, 1.0, 0),
	ROW(17, 19, 2100, 4, T, T, 1.0, -0.5, 1, 0, 1, 1.0, 0),

	/* Rows, columns and single numbers. */
	ROW(1, 1, 1, 4, N, N, 1.0, 0.0, 0, 0, 0, 1.0, 1),
	ROW(1, 1, 700, 4, N, N, 1.0, 0.0, 0, 0, 0, 1.0, 1),
	ROW(1, 300, 1, 4, N, N, 1.0, 0.0, 0, 0, 0, 1.0, 0),
	ROW(1, 130, 260, 4, N, T, 1.0, 0.5, 0, 1, 0, 1.0, 0),
	ROW(130, 1, 260, 4, T, N, 1.0, 0.5, 1, 0, 1, 1.0, 0),
	ROW(300, 1, 7, 4, N, N, 1.0, 0.0, 0, 0, 3, 1.0, 1),
	ROW(3, 1000, 5, 4, N, N, 1.0, 0.0, 0, 0, 0, 1.0, 0),
	ROW(1000, 3, 5, 4, N, N, 1.0, 0.0, 0, 0, 0, 1.0, 0),
	ROW(1, 1, 1, 8, T, T, 1.0, 1.0, 0, 0, 0, 1.0, 0),

	/* Nothing to do, and nothing but C = beta C. */
	ROW(0, 5, 3, 4, N, N, 1.0, 0.0, 0, 0, 0, 1.0, 1),
	ROW(5, 0, 3, 4, N, N, 1.0, -0.5, 1, 1, 1, 1.0, 1),
	ROW(0, 0, 0, 4, N, N, 1.0, 0.0, 0, 0, 0, 1.0, 1),
	ROW(5, 7, 0, 4, N, N, 1.0, 0.0, 0, 0, 0, 1.0, 1),
	ROW(33, 20, 0, 4, N, T, 1.0, -0.5, 2, 1, 3, 1.0, 1),
	ROW(33, 20, 0, 8, N, N, 1.0, -0.5, 2, 1, 3, 1.0, 1),
	ROW(33, 20, 41, 4, N, N, 0.0, 1.0, 1, 1, 1, 1.0, 1),
	ROW(33, 20, 41, 4, T, N, 0.0, 0.0, 1, 1, 1, 1.0, 1),
	ROW(33, 20, 41, 8, N, N, 0.0, -0.5, 0, 0, 3, 1.0, 1),

	/* Larger than a tile of the tensor cores' rows, and a sum in several parts. */
	FOUR(4, 200, 300, 101, -0.5, 1.0, 1, 2, 3, 0),
	ROW(140, 131, 21, 4, N, N, 1.0, -0.5, 0, 1, 2, 1.0, 1),
	ROW(140, 131, 21, 4, T, T, 1.0, -0.5, 0, 1, 2, 1.0, 1),
	ROW(140, 150, 4500, 4, N, N, 1.0, 0.5, 0, 0, 0, 1.0, 0),
	ROW(3, 130, 4097, 4, T, T, -0.5, 1.0, 1, 1, 1, 1.0, 0),
	FOUR(4, 140, 131, 83, 1.0, -0.5, 0, 1, 2, 1, .math = CLOPT_MATH_TF32),
	FOUR(4, 256, 256, 56, 1.0, 0.0, 0, 0, 0, 0, .math = CLOPT_MATH_TF32),

	/* Column-major arrays, triangles, batches, halves. */
	ROW(33, 65, 17, 4, N, N, -0.5, 1.0, 3, 1, 5, 1.0, 1, .layout = C),
	ROW(70, 45, 131, 4, T, N, 1.0, 0.0, 1, 0, 2, 1.0, 0, .layout = C),
	ROW(129, 70, 45, 8, N, T, 1.0, -0.5, 0, 0, 0, 1.0, 0, .layout = C),
	ROW(300, 1, 70, 4, N, N, 1.0, 0.5, 0, 0, 0, 1.0, 0, .layout = C),
	ROW(131, 131, 33, 4, N, T, 1.0, 0.0, 0, 0, 0, 1.0, 1, .triangle = CLOPT_UPLO_LOWER),
	ROW(200, 200, 33, 4, T, N, -0.5, 1.0, 1, 3, 5, 1.0, 0, .triangle = CLOPT_UPLO_UPPER),
	ROW(150, 150, 300, 8, N, N, 1.0, -0.5, 0, 0, 0, 1.0, 0, .triangle = CLOPT_UPLO_UPPER),
	ROW(97, 97, 40, 4, N, T, 1.0, 1.0, 0, 0, 3, 1.0, 0, .layout = C, .triangle = CLOPT_UPLO_LOWER),
	ROW(33, 17, 21, 4, N, N, 1.0, -0.5, 0, 0, 0, 1.0, 1, .batch = 5),
	ROW(64, 64, 64, 4, N, T, 1.0, 0.0, 0, 0, 0, 1.0, 0, .batch = 7),
	ROW(20, 70, 35, 8, T, N, -0.5, 1.0, 3, 2, 0, 1.0, 0, .batch = 6),
	ROW(20, 70, 35, 4, N, N, 1.0, 0.5, 1, 2, 3, 1.0, 0, .batch = 3),
	ROW(45, 33, 17, 4, N, N, 1.0, 0.0, 0, 0, 0, 1.0, 0, .batch = 9, .shared_b = 1),
	ROW(30, 30, 30, 4, T, T, 1.0, 1.0, 0, 1, 0, 1.0, 0, .batch = 4, .layout = C),
	ROW(40, 40, 20, 4, N, T, 1.0, 0.0, 0, 0, 0, 1.0, 0, .batch = 4, .triangle = CLOPT_UPLO_LOWER),
	FOUR(2, 33, 65, 47, -0.5, 1.0, 3, 1, 5, 1),
	FOUR(2, 128, 192, 64, 1.0, 0.0, 0, 0, 0, 0),
	FOUR(2, 128, 256, 112, 0.75, 0.0, 0, 0, 2, 0),
	ROW(50, 70, 33, 2, N, N, 1.0, 0.0, 0, 0, 0, 1.0, 0, .batch = 3),
	ROW(90, 90, 33, 2, N, T, 1.0, 0.5, 0, 0, 0, 1.0, 0, .triangle = CLOPT_UPLO_UPPER),

	/* Complex numbers, and bfloat16. */
	FOUR(8, 33, 65, 17, -0.5, 1.0, 3, 1, 5, 1, C64),
	FOUR(16, 33, 65, 17, -0.5, 1.0, 3, 1, 5, 1, C128),
	ROW(64, 96, 64, 8, N, H, 1.0, 0.0, 0, 0, 0, 1.0, 0, C64),
	ROW(64, 96, 64, 16, H, N, 1.0, 0.0, 0, 0, 0, 1.0, 0, C128),
	ROW(140, 130, 260, 8, H, T, 1.0, 0.5, 1, 0, 1, 1.0, 0, C64),
	ROW(140, 130, 260, 16, T, H, 1.0, 0.5, 0, 1, 0, 1.0, 0, C128),
	ROW(70, 45, 131, 16, H, H, 1.0, 0.0, 1, 0, 2, 1.0, 0, C128, .layout = C),
	ROW(130, 1, 260, 8, N, N, 1.0, 0.5, 1, 0, 1, 1.0, 0, C64),
	ROW(90, 90, 33, 16, N, H, 1.0, 0.5, 0, 0, 0, 1.0, 0, C128, .triangle = CLOPT_UPLO_UPPER),
	ROW(33, 17, 21, 8, T, N, 1.0, -0.5, 0, 0, 0, 1.0, 1, C64, .batch = 5),
	FOUR(2, 33, 65, 47, -0.5, 1.0, 3, 1, 5, 1, B16),
	ROW(128, 192, 64, 2, N, N, 1.0, 0.0, 0, 0, 0, 1.0, 0, B16),

	/* Close to the ends of the range of float32. */
	ROW(65, 66, 40, 4, N, N, 1.0, 0.5, 0, 0, 0, 1e-18, 0),
	ROW(65, 66, 40, 4, N, T, 1.0, 0.5, 0, 0, 0, 1e18, 0),
};

#undef N
#undef T
#undef C
#undef C64
#undef C128
#undef B16
#undef H

static const struct shape bench[] = {
	ROW(0, 0, 0, 4, CLOPT_TRANS_NO, CLOPT_TRANS_NO, 1.0, 0.0, 0, 0, 0, 1.0, 0),
	ROW(0, 0, 0, 8, CLOPT_TRANS_NO, CLOPT_TRANS_NO, 1.0, 0.0, 0, 0, 0, 1.0, 0),
	ROW(0, 0, 0, 8, CLOPT_TRANS_NO, CLOPT_TRANS_NO, 1.0, 0.0, 0, 0, 0, 1.0, 0,
	    .type = CLOPT_TYPE_COMPLEX_FLOAT),
	ROW(0, 0, 0, 16, CLOPT_TRANS_NO, CLOPT_TRANS_NO, 1.0, 0.0, 0, 0, 0, 1.0, 0,
	    .type = CLOPT_TYPE_COMPLEX_DOUBLE),
};
/* clang-format on */

/* Real numbers of an element, and the type of each. */
static size_t parts(const struct shape *s)
{
	return s->type >> 8 == 2 ? 2 : 1;
}

static size_t part(const struct shape *s)
{
	return s->type && parts(s) == 1 ? (size_t)s->type : s->elem_bytes / parts(s);
}

static size_t batch(const struct shape *s)
{
	return s->batch ? s->batch : 1;
}

/* Whether the array holds columns of its matrix one after the other. */
static int turned(const struct shape *s, int trans)
{
	return (trans != CLOPT_TRANS_NO) != (s->layout == CLOPT_LAYOUT_COL_MAJOR);
}

/* Arrays of rows x cols as the caller has them, transposed or not, one behind the
 * other. */
static int operand(struct case_job *job, struct field *f, size_t count, size_t rows, size_t cols,
                   int trans, size_t pad, double scale, int kind)
{
	size_t r = turned(&job->s, trans) ? cols : rows;
	size_t c = turned(&job->s, trans) ? rows : cols;
	size_t i, j, type = part(&job->s);
	int rc;

	rc = field_open(f, count * r, c, c + pad, job->s.elem_bytes, kind, &job->rng);
	for (i = 0; rc == CLOPT_OK && i < count * r; i++)
		for (j = 0; j < c * parts(&job->s); j++)
			case_store(f->data + i * f->ld * f->elem_bytes + j * (type & 0xff), type,
			           scale * (2.0 * case_uniform(&job->rng) - 1.0));
	return rc;
}

static int fill(struct case_job *job)
{
	const struct shape *s = &job->s;
	double ab = s->alpha != 0.0 ? s->scale : NAN;
	double c = s->beta != 0.0 ? s->scale * s->scale : NAN;
	int rc;

	rc = operand(job, &job->in[0], batch(s), s->dim[0], s->dim[2], s->transa, s->pad[0], ab,
	             FIELD_IN);
	if (rc == CLOPT_OK && s->family != CASE_SHARED)
		rc = operand(job, &job->in[1], s->shared_b ? 1 : batch(s), s->dim[2], s->dim[1],
		             s->transb, s->pad[1], ab, FIELD_IN);
	if (rc == CLOPT_OK)
		rc = operand(job, &job->out[0], batch(s), s->dim[0], s->dim[1], CLOPT_TRANS_NO,
		             s->pad[2], c, FIELD_OUT);
	return rc;
}

/* B, which may be A itself. */
static const struct field *right(const struct case_job *job)
{
	return &job->in[job->s.family == CASE_SHARED ? 0 : 1];
}

static int call_all(struct clopt *ctx, struct case_job *job)
{
	const struct shape *s = &job->s;
	const struct field *a = &job->in[0], *b = right(job), *c = &job->out[0];
	struct clopt_gemm_desc g = CLOPT_GEMM_DESC_INIT;

	g.type = s->type ? s->type : (int)s->elem_bytes;
	g.layout = s->layout ? s->layout : CLOPT_LAYOUT_ROW_MAJOR;
	g.transa = s->transa;
	g.transb = s->transb;
	g.math = s->math;
	g.triangle = s->triangle;
	g.m = s->dim[0];
	g.n = s->dim[1];
	g.k = s->dim[2];
	g.alpha = s->alpha;
	g.beta = s->beta;
	g.lda = a->ld;
	g.ldb = b->ld;
	g.ldc = c->ld;
	g.batch = batch(s);
	g.stride_a = a->rows / g.batch * a->ld;
	g.stride_b = s->shared_b ? 0 : b->rows / g.batch * b->ld;
	g.stride_c = c->rows / g.batch * c->ld;
	return clopt_gemm(ctx, &g, a->array, b->array, c->array);
}

static int call(struct clopt *ctx, struct case_job *job)
{
	const struct shape *s = &job->s;
	const struct field *a = &job->in[0], *b = right(job), *c = &job->out[0];
	size_t m = s->dim[0], n = s->dim[1], k = s->dim[2];
	int plain = s->transa == CLOPT_TRANS_NO && s->transb == CLOPT_TRANS_NO && s->alpha == 1.0 &&
	            s->beta == 0.0 && !s->pad[0] && !s->pad[1] && !s->pad[2];

	if (s->layout || s->math || s->triangle || s->batch || s->type || s->elem_bytes == 2)
		return call_all(ctx, job);
	if (s->elem_bytes == 8)
		return clopt_dgemm(ctx, CLOPT_LAYOUT_ROW_MAJOR, s->transa, s->transb, m, n, k,
		                   s->alpha, a->array, a->ld, b->array, b->ld, s->beta, c->array,
		                   c->ld);
	if (plain)
		return clopt_matmul(ctx, m, n, k, a->array, b->array, c->array);
	return clopt_sgemm(ctx, CLOPT_LAYOUT_ROW_MAJOR, s->transa, s->transb, m, n, k,
	                   (float)s->alpha, a->array, a->ld, b->array, b->ld, (float)s->beta,
	                   c->array, c->ld);
}

static size_t items(const struct case_job *job)
{
	return batch(&job->s) * job->s.dim[0] * job->s.dim[1] * parts(&job->s);
}

/* Of matrix z of an array of `count`, in bytes from its beginning. */
static size_t at(const struct shape *s, const struct field *f, size_t count, int trans, size_t z,
                 size_t i, size_t j)
{
	const size_t line = turned(s, trans) ? j : i, along = turned(s, trans) ? i : j;

	return ((f->rows / count * z + line) * f->ld + along) * f->elem_bytes;
}

/* The numbers of a line of op(A), or a column of op(B). */
static size_t line_length(const struct shape *s)
{
	return s->alpha != 0.0 ? s->dim[2] * parts(s) :
	                         0; /* with alpha 0 they are not to be read */
}

/* Line i of op(A), or column i of op(B), of matrix z. */
static void read_line(const struct case_job *job, int of_b, size_t z, size_t i, double *to)
{
	const struct shape *s = &job->s;
	const struct field *f = of_b ? right(job) : &job->in[0];
	const size_t count = of_b && s->shared_b ? 1 : batch(s), type = part(s);
	const int trans = of_b ? s->transb : s->transa;
	const size_t first = at(s, f, count, trans, z, of_b ? 0 : i, of_b ? i : 0);
	const size_t step =
	        at(s, f, count, trans, z, of_b, !of_b) - at(s, f, count, trans, z, 0, 0);
	size_t n = line_length(s), p, q;

	for (p = 0; p < n / parts(s); p++)
		for (q = 0; q < parts(s); q++) {
			*to = case_load(f->data + first + p * step + q * (type & 0xff), type);
			*to *= q && trans == CLOPT_TRANS_CONJ ? -1.0 : 1.0;
			to++;
		}
}

/* The lines of A and then those of B; for a sample there is room for one of each. */
static int prepare(struct case_job *job, int all)
{
	const struct shape *s = &job->s;
	const size_t n = line_length(s), m = s->dim[0],
	             of_b = (s->shared_b ? 1 : batch(s)) * s->dim[1];
	size_t i;

	job->all = all;
	if (case_wide(job, all ? (batch(s) * m + of_b) * n : 2 * n) != CLOPT_OK)
		return CLOPT_ENOMEM;
	for (i = 0; all && i < batch(s) * m; i++)
		read_line(job, 0, i / m, i % m, job->wide + i * n);
	for (i = 0; all && i < of_b; i++)
		read_line(job, 1, i / s->dim[1], i % s->dim[1], job->wide + (batch(s) * m + i) * n);
	return CLOPT_OK;
}

/* The lines whose product is element i, j of matrix z. */
static void lines(const struct case_job *job, size_t z, size_t i, size_t j, const double **x,
                  const double **y)
{
	const struct shape *s = &job->s;
	const size_t n = line_length(s), m = s->dim[0], zb = s->shared_b ? 0 : z;

	*x = job->wide + (job->all ? (z * m + i) * n : 0);
	*y = job->wide + (job->all ? (batch(s) * m + zb * s->dim[1] + j) * n : n);
	if (!job->all) {
		read_line(job, 0, z, i, job->wide);
		read_line(job, 1, zb, j, job->wide + n);
	}
}

/* long double, since float64 needs something better than itself to be compared
 * with.  Where it is no better, the tolerance still holds for both. */
static void expect(const struct case_job *job, size_t item, struct expect *e)
{
	const struct shape *s = &job->s;
	const struct field *c = &job->out[0];
	const size_t count = parts(s), h = item % count, element = item / count, k = s->dim[2];
	const size_t z = element / (s->dim[0] * s->dim[1]);
	const size_t i = element / s->dim[1] % s->dim[0], j = element % s->dim[1];
	size_t type = part(s), bytes = type & 0xff, p;
	size_t here = at(s, c, batch(s), CLOPT_TRANS_NO, z, i, j) + h * bytes;
	double eps = bytes == 8 ? EPS_DOUBLE : EPS_FLOAT;
	double least = bytes == 8 ? DBL_MIN : (double)FLT_MIN;
	long double sum = 0.0L, terms = 0.0L;
	double old = case_load(c->first + c->lead_bytes + here, type), tolerance;
	const double *x, *y;

	e->got = case_load(c->data + here, type);
	if ((s->triangle == CLOPT_UPLO_LOWER && j > i) ||
	    (s->triangle == CLOPT_UPLO_UPPER && j < i)) {
		/* As it was, NaN too. */
		e->want = old;
		e->error = memcmp(c->data + here, c->first + c->lead_bytes + here, bytes) ?
		                   HUGE_VAL :
		                   0.0;
		return;
	}
	lines(job, z, i, j, &x, &y);
	for (p = 0; p < line_length(s); p++) { /* re re - im im; re im + im re */
		const long double t = (long double)x[p] * (long double)y[h ? p ^ 1 : p];

		sum += count == 2 && !h && p % 2 ? -t : t;
		terms += fabsl(t);
	}
	if (s->alpha != 0.0) {
		sum *= s->alpha;
		terms *= fabsl((long double)s->alpha);
	}
	if (s->beta != 0.0) {
		sum += s->beta * old;
		terms += fabsl((long double)s->beta * old);
	}
	e->want = (double)sum;
	tolerance = eps * (4.0 * sqrt((double)(k * parts(s))) + 8.0) * (double)terms +
	            least * ((double)k + 1.0);
	if (s->math) /* one operand is rounded to 11 bits, the other cut off */
		tolerance += 0x1.8p-10 * (double)terms;
	if (type == CLOPT_TYPE_HALF) /* the result is rounded to a half, down to 2^-24 */
		tolerance += 0x1p-11 * fabs(e->want) + 0x1p-25;
	if (type == CLOPT_TYPE_BFLOAT16)
		tolerance += 0x1p-8 * fabs(e->want);
	e->error = case_off(e->got, e->want, tolerance);
}

const struct case_op case_matmul = { CASE_SHAPES(shapes, 3, 1, "GFLOP/s"),
	                             CASE_BENCH(bench, 64, 512, 4096),
	                             .fill = fill,
	                             .call = call,
	                             .items = items,
	                             .prepare = prepare,
	                             .expect = expect };
