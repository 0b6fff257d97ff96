/* SPDX-License-Identifier: MIT */
/*
 * freivalds.c - whether a call's products are right: row by row,
 * C x = alpha A (B x) + beta C x for a random x of 1 and -1, in double.
 *
 * An error d of an element of row i is an error d of the row's sum.  In a triangle each row has its
 * own x, which ends or begins at the diagonal; B x grows by one column of B from row to row, so the
 * check costs no more.  The other triangle must keep its bits.
 *
 * Source: Freivalds, "Probabilistic machines can use less running time", IFIP (1977).
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check.h"

/* Elements whose check is worth a thread. */
#define GRAIN ((size_t)1 << 17)

/* ---- Matrices times vectors ---------------------------------------------------------- */

#define LANES 4 /* sums side by side: compilers make vectors of loops of known length */
#define LINES 128 /* rows that are read together, since they may be columns in memory */
#define PIECE 256 /* elements that stay in the cache */

/* Some rows of a matrix in the caller's memory, or of its transpose. */
struct lines {
	const struct operand *o;
	int transposed;
	size_t first, count; /* of LINES at most */
	size_t begin, end; /* elements of each row */
};

static void widen(const char *from, size_t elem_bytes, size_t n, double *to)
{
	const float *f = (const float *)(const void *)from;
	size_t i = 0, l;

	if (elem_bytes == 8) {
		memcpy(to, from, n * sizeof *to);
		return;
	}
	for (; elem_bytes == 4 && i + LANES <= n; i += LANES)
		for (l = 0; l < LANES; l++)
			to[i + l] = (double)f[i + l];
	for (; i < n; i++)
		to[i] = clopt__element(from + i * elem_bytes, elem_bytes);
}

/* n elements of a row in memory, in double. */
static void read_row(const struct operand *o, size_t row, size_t column, size_t n, double *to)
{
	widen((const char *)o->host + (row * o->ld + column) * o->elem_bytes, o->elem_bytes, n, to);
}

double clopt__dot(const double *x, const double *v, size_t n)
{
	double sum[LANES] = { 0 };
	size_t i, l;

	for (i = 0; i + LANES <= n; i += LANES)
		for (l = 0; l < LANES; l++)
			sum[l] += x[i + l] * v[i + l];
	for (; i < n; i++)
		sum[0] += x[i] * v[i];
	return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* A line times v, and unless that is NULL the sum of its squares. */
static void along(const struct lines *m, size_t line, const double *v, double *sum, double *square)
{
	double x[PIECE];
	size_t at, n;

	for (at = m->begin; at < m->end; at += n) {
		n = m->end - at < PIECE ? m->end - at : PIECE;
		read_row(m->o, line, at, n, x);
		*sum += clopt__dot(x, v + at, n);
		if (square)
			*square += clopt__dot(x, x, n);
	}
}

/* Adds f times x, and x squared, to n sums, or up to LANES - 1 more. */
static void add(const double *restrict x, double f, size_t n, double *restrict sum,
                double *restrict square)
{
	size_t i, l;

	for (i = 0; i < n; i += LANES)
		for (l = 0; l < LANES; l++) {
			sum[i + l] += f * x[i + l];
			square[i + l] += x[i + l] * x[i + l];
		}
}

/* Lines times v, and the sums of their squares; arrays of LINES. */
static void multiply(const struct lines *m, const double *v, double *sum, double *square)
{
	double x[LINES] = { 0 };
	size_t i;

	memset(sum, 0, LINES * sizeof *sum);
	memset(square, 0, LINES * sizeof *square);
	for (i = 0; !m->transposed && i < m->count; i++)
		along(m, m->first + i, v, &sum[i], &square[i]);
	for (i = m->begin; m->transposed && i < m->end; i++) {
		read_row(m->o, i, m->first, m->count, x);
		add(x, v[i], m->count, sum, square);
	}
}

/* The 2-norm of line i: read again, scaled, where squares of doubles leave the range. */
static double length(const struct lines *m, size_t i, double square)
{
	const double scale = square > 1 ? 0x1p-700 : 0x1p700;
	double sum = 0, x;
	size_t e;

	if (m->o->elem_bytes < 8 || (square > 1e-280 && square < 1e300))
		return sqrt(square);
	for (e = m->begin; e < m->end; e++) {
		const size_t row = m->transposed ? e : m->first + i,
		             column = m->transposed ? m->first + i : e;

		x = scale *
		    clopt__element((const char *)m->o->host + (row * m->o->ld + column) * 8, 8);
		sum += x * x;
	}
	return sqrt(sum) / scale;
}

/* ---- The bound of the error of a row's sum ------------------------ */

/*
 * With a probability of 1 - 2 exp(-32) rounding changes the sum by 8 times the root of the sum of
 * squares of the elements' errors at most.  check.h bounds these by a share of |A_i| |B_j|; together
 * they are a share of |A_i| |B|.
 */
struct limits {
	double share, kept; /* of |alpha| |A_i| |B|; of |beta| |C_i| before the call */
	double least; /* in any case */
	double most; /* an element is in range if its terms' magnitudes add up to less */
};

static struct limits limits_of(const struct job *job, const struct variant *v)
{
	const size_t bytes = job->problem.elem_bytes;
	const double n = (double)job->problem.dim[1], k = (double)job->problem.dim[2];
	const double unit = bytes == 8 ? ROUND_DOUBLE : ROUND_FLOAT;
	const double least = bytes == 8 ? DBL_MIN : bytes == 4 ? FLT_MIN : 0x1p-24;
	/* Matrix units truncate, and three products of parts lose a few units more. */
	const int matrix_unit = (v->needs & T_PTX) != 0;
	/* The host's own two sums over n terms of random signs, of the expected row and of the
	 * computed row: each addition errs by a unit of the sum so far, about the row's 2-norm. */
	const double host = 8 * (6 + sqrt(2 * n)) * ROUND_DOUBLE;

	return (struct limits){
		/* Equal terms make equal errors: up to k / 4 units for each element of a running
		 * sum, on the host too; with random signs they are 8 times their mean at most. */
		.share =
		        (4 * k + 8 * sqrt(k) * (matrix_unit ? 2 : 1) + 8 * (matrix_unit ? 16 : 4)) *
		                unit +
		        8 * ((bytes == 2) + (v->math ? 4 : 0)) * ROUND_HALF + host,
		.kept = 8 * 4 * unit + (bytes == 2 ? 8 * 2 * ROUND_HALF : 0) + host,
		.least = 8 * n * least * (1 + fabs(job->real[0])),
		.most = bytes == 8 ? DBL_MAX / 4 :
		        bytes == 4 ? FLT_MAX / 4 :
		                     65440,
	};
}

/* ---- One product ----------------------------------------------------------------------- */

struct check {
	const struct job *job;
	struct job before; /* with C before the call */
	struct limits limits;
	/* Of each product: n signs; B x and the lengths of the rows of B, k of each; |B|. */
	double *x, *w, *length, *norm;
};

struct product {
	struct job job, before;
	const struct operand *a, *b, *c, *old; /* old: C before the call */
	int turn_a, turn_b, triangle;
	size_t m, n, k;
	const double *x;
	double *w, *length, *norm;
};

static void open_product(const struct check *c, size_t i, struct product *p)
{
	const struct clopt_problem *problem = &c->job->problem;

	p->job = *c->job;
	p->before = c->before;
	if (problem->batch > 1) {
		clopt__batch_one(c->job, i, &p->job);
		clopt__batch_one(&c->before, i, &p->before);
	}
	p->a = &p->job.operand[0];
	p->b = &p->job.operand[1];
	p->c = &p->job.operand[2];
	p->old = &p->before.operand[2];
	p->turn_a = problem->transa == CLOPT_TRANS_YES;
	p->turn_b = problem->transb == CLOPT_TRANS_YES;
	p->triangle = problem->triangle;
	p->m = problem->dim[0];
	p->n = problem->dim[1];
	p->k = problem->dim[2];
	p->x = c->x + i * p->n;
	p->w = c->w + i * p->k;
	p->length = c->length + i * p->k;
	p->norm = c->norm + i;
}

/* The columns of row i that belong to the result. */
static void extent(const struct product *p, size_t i, size_t *begin, size_t *end)
{
	*begin = p->triangle == CLOPT_UPLO_UPPER ? i : 0;
	*end = p->triangle == CLOPT_UPLO_LOWER ? i + 1 : p->n;
}

static double magnitude(const struct operand *o, int transposed, size_t i, size_t j)
{
	const size_t at = transposed ? j * o->ld + i : i * o->ld + j;

	return fabs(clopt__element((const char *)o->host + at * o->elem_bytes, o->elem_bytes));
}

/* Whether terms of an element may leave the range, also where an operand is not finite. */
static int element_may_leave(const struct product *p, size_t i, size_t j, double most)
{
	const double alpha = fabs(p->job.real[0]), beta = fabs(p->job.real[1]);
	const double kept = beta == 0 ? 0 : beta * magnitude(p->old, 0, i, j);
	double sum = 0;
	size_t q;

	for (q = 0; q < p->k; q++)
		sum += magnitude(p->a, p->turn_a, i, q) * magnitude(p->b, p->turn_b, q, j);
	/* Sums are in float32 at the least, whatever range the results have. */
	return !(sum < (p->c->elem_bytes == 8 ? most : FLT_MAX / 4)) ||
	       !(alpha * sum + kept < most);
}

/* Whether the first two elements of row i that are not finite may have left the range. */
static int may_leave(const struct product *p, size_t i, double most)
{
	size_t j, end, seen = 0;

	for (extent(p, i, &j, &end); j < end && seen < 2; j++)
		if (!(magnitude(p->c, 0, i, j) <= DBL_MAX)) {
			seen++;
			if (!element_may_leave(p, i, j, most))
				return 0;
		}
	return 1;
}

static int is_kept(const struct product *p, size_t i, size_t begin, size_t end)
{
	const size_t bytes = p->c->elem_bytes;
	const char *is = (const char *)p->c->host + i * p->c->ld * bytes;
	const char *was = (const char *)p->old->host + i * p->old->ld * bytes;

	return !memcmp(is, was, begin * bytes) &&
	       !memcmp(is + end * bytes, was + end * bytes, (p->n - end) * bytes);
}

/* Judge row i by A_i (B x) and |A_i| |B|.  If operands are not finite, any result passes; if they
 * are, a row that is not finite passes only if terms leave the range. */
static void judge_row(const struct product *p, const struct limits *l, size_t i, double abx,
                      double ab, char *why)
{
	const double alpha = p->job.real[0], beta = p->job.real[1];
	struct lines row = { p->c, 0, i, 1, 0, 0 };
	double is = 0, was = 0, square = 0, want, kept = 0, off;

	extent(p, i, &row.begin, &row.end);
	if (p->triangle && !is_kept(p, i, row.begin, row.end)) {
		snprintf(why, WHY_SIZE,
		         "gave a wrong result: row %zu of c, %zu x %zu, is changed outside the "
		         "triangle",
		         i, p->m, p->n);
		return;
	}
	along(&row, i, p->x, &is, NULL);
	if (p->old->host && beta != 0) {
		row.o = p->old;
		along(&row, i, p->x, &was, &square);
		kept = fabs(beta) * length(&row, 0, square);
	}
	want = alpha * abx + beta * was;
	off = l->share * fabs(alpha) * ab + l->kept * kept + l->least;
	if (!(off <= DBL_MAX) || !(fabs(want) <= DBL_MAX) || fabs(is - want) <= off)
		return;
	if (!(fabs(is) <= DBL_MAX) && may_leave(p, i, l->most))
		return;
	snprintf(why, WHY_SIZE,
	         "gave a wrong result: row %zu of c, %zu x %zu x %zu, adds up to %.9g with random "
	         "signs, right is %.9g, give or take %.2g",
	         i, p->m, p->n, p->k, is, want, off);
}

/* Rows of C, LINES at most. */
static void judge_rows(const struct product *p, const struct limits *l, size_t first, size_t count,
                       char *why)
{
	const struct lines a = { p->a, p->turn_a, first, count, 0, p->k };
	double sum[LINES], square[LINES];
	size_t i;

	multiply(&a, p->w, sum, square);
	for (i = 0; i < count && !*why; i++)
		judge_row(p, l, first + i, sum[i], length(&a, i, square[i]) * *p->norm, why);
}

/* ---- One triangle ---------------------------------------------------------------------- */

#define BLOCK 16 /* rows of A and columns of B that are in the cache together */

/* Elements of some lines; the distance of lines is no power of two, for the caches. */
struct tile {
	double line[BLOCK][PIECE + LANES];
};

static void gather(const struct lines *m, size_t at, size_t n, struct tile *t)
{
	double column[BLOCK];
	size_t i, e;

	for (i = 0; !m->transposed && i < m->count; i++)
		read_row(m->o, m->first + i, at, n, t->line[i]);
	for (e = 0; m->transposed && e < n; e++) {
		read_row(m->o, at + e, m->first, m->count, column);
		for (i = 0; i < m->count; i++)
			t->line[i][e] = column[i];
	}
}

/* Judge BLOCK rows at most, after all rows nearer to the corner; |B| grows from row to row. */
static void judge_block(const struct product *p, const struct limits *l, size_t first, size_t count,
                        char *why)
{
	const struct lines a = { p->a, p->turn_a, first, count, 0, p->k };
	const struct lines b = { p->b, !p->turn_b, first, count, 0, p->k }; /* columns */
	double sum[BLOCK] = { 0 }, square[BLOCK] = { 0 }, column[BLOCK] = { 0 };
	struct tile ta, tb;
	size_t at, r, i, e, n;

	for (at = 0; at < p->k; at += n) {
		n = p->k - at < PIECE ? p->k - at : PIECE;
		gather(&a, at, n, &ta);
		gather(&b, at, n, &tb);
		for (r = 0; r < count; r++) {
			i = p->triangle == CLOPT_UPLO_UPPER ? count - 1 - r : r;
			for (e = 0; e < n; e++)
				p->w[at + e] += p->x[first + i] * tb.line[i][e];
			column[i] += clopt__dot(tb.line[i], tb.line[i], n);
			sum[i] += clopt__dot(ta.line[i], p->w + at, n);
			square[i] += clopt__dot(ta.line[i], ta.line[i], n);
		}
	}
	for (r = 0; r < count && !*why; r++) {
		i = p->triangle == CLOPT_UPLO_UPPER ? count - 1 - r : r;
		*p->norm = hypot(*p->norm, length(&b, i, column[i]));
		judge_row(p, l, first + i, sum[i], length(&a, i, square[i]) * *p->norm, why);
	}
}

/* ---- All products, in parts ------------------------------------------------------------- */

static size_t blocks(size_t lines)
{
	return (lines + LINES - 1) / LINES;
}

/* Lines of `all` from `first` on, `most` of them at most. */
static size_t lines_from(size_t first, size_t all, size_t most)
{
	return all - first < most ? all - first : most;
}

/* Blocks of the rows of all op(B) times x. */
static void find_bx(void *what, unsigned part, size_t first, size_t count)
{
	const struct check *c = what;
	const size_t each = blocks(c->job->problem.dim[2]);
	double sum[LINES], square[LINES];
	struct product p;
	struct lines b;
	size_t at, i;

	(void)part;
	for (at = first; at < first + count; at++) {
		if (at == first || at % each == 0)
			open_product(c, at / each, &p);
		b = (struct lines){ p.b, p.turn_b, at % each * LINES, 0, 0, p.n };
		b.count = lines_from(b.first, p.k, LINES);
		multiply(&b, p.x, sum, square);
		for (i = 0; i < b.count; i++) {
			p.w[b.first + i] = sum[i];
			p.length[b.first + i] = length(&b, i, square[i]);
		}
	}
}

/* Blocks of the rows of all products. */
static void judge_rows_of_all(const void *what, size_t first, size_t count, char *why)
{
	const struct check *c = what;
	const size_t each = blocks(c->job->problem.dim[0]);
	struct product p;
	size_t at, row;

	for (at = first; at < first + count && !*why; at++) {
		if (at == first || at % each == 0)
			open_product(c, at / each, &p);
		row = at % each * LINES;
		judge_rows(&p, &c->limits, row, lines_from(row, p.m, LINES), why);
	}
}

/* Whole triangles, from their corners on. */
static void judge_triangles(const void *what, size_t first, size_t count, char *why)
{
	const struct check *c = what;
	struct product p;
	size_t at, done, row, rows;

	for (at = first; at < first + count; at++) {
		open_product(c, at, &p);
		memset(p.w, 0, p.k * sizeof *p.w);
		for (done = 0; done < p.m && !*why; done += rows) {
			rows = lines_from(done, p.m, BLOCK);
			row = p.triangle == CLOPT_UPLO_UPPER ? p.m - done - rows : done;
			judge_block(&p, &c->limits, row, rows, why);
		}
	}
}

size_t clopt__freivalds_bytes(const struct clopt_problem *p)
{
	return p->batch * (p->dim[1] + 2 * p->dim[2] + 1) * sizeof(double);
}

int clopt__freivalds(const struct job *job, const struct guard *g, const struct variant *v,
                     char *why)
{
	const struct clopt_problem *p = &job->problem;
	const size_t m = p->dim[0], n = p->dim[1], k = p->dim[2], batch = p->batch;
	struct check c = { .job = job, .before = *job, .limits = limits_of(job, v) };
	uint64_t seed = g->seed;
	size_t i;

	c.before.operand[2].host = g->copy;
	c.before.operand[2].ld = c.before.operand[2].columns;
	c.norm = g->room;
	c.x = c.norm + batch;
	c.w = c.x + batch * n;
	c.length = c.w + batch * k;
	memset(c.norm, 0, batch * sizeof *c.norm);
	for (i = 0; i < batch * n; i++)
		c.x[i] = clopt__random(&seed) < 0 ? -1 : 1;
	if (p->triangle)
		return clopt__judge_in_parts(batch, GRAIN / (m * (2 * k + n) + 1) + 1,
		                             judge_triangles, &c, why);
	clopt__in_parts(batch * blocks(k), GRAIN / (LINES * n) + 1, find_bx, &c);
	for (i = 0; i < batch * k; i++)
		c.norm[i / k] = hypot(c.norm[i / k], c.length[i]);
	return clopt__judge_in_parts(batch * blocks(m), GRAIN / (LINES * (k + n)) + 1,
	                             judge_rows_of_all, &c, why);
}
