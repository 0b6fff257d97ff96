/* SPDX-License-Identifier: MIT */
/*
 * freivalds.c - checks the matrix products of a call row by row, in double: C x = alpha A (B x) +
 * beta C x for a random x of 1 and -1.  An error d of an element of row i is an error d of the
 * row's sum.  In a triangle each row has its own x, which ends or begins at the diagonal.  From row
 * to row B x grows by one column of B, so the check costs no more.  The other triangle must keep
 * its bits.  Complex matrices count as matrices of real numbers: x has a sign for each real number
 * of a row of C. B x has a number for each real number of a row of A, with alpha in it.  Source:
 * Freivalds, "Probabilistic machines can use less running time", IFIP (1977).
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check.h"

/* Elements per thread, at least. */
#define GRAIN ((size_t)1 << 17)

/* ---- Matrices times vectors ---------------------------------------------------------- */

#define LANES 4 /* parallel sums: compilers vectorize loops of known length */
#define LINES 128 /* rows read together, since they may be columns in memory */
#define PIECE 256 /* elements that fit the cache */

/* Some rows of a matrix in the caller's memory, or of its transpose. */
struct lines {
	const struct operand *o;
	const struct element_type *type;
	int transposed;
	size_t first, count; /* count: at most LINES */
	size_t begin, end; /* range of real numbers in each row */
};

static void widen(const char *from, int type, size_t n, double *to)
{
	const float *f = (const float *)(const void *)from;
	size_t i = 0, l;

	if (type == CLOPT_TYPE_DOUBLE) {
		memcpy(to, from, n * sizeof *to);
		return;
	}
	for (; type == CLOPT_TYPE_FLOAT && i + LANES <= n; i += LANES)
		for (l = 0; l < LANES; l++)
			to[i + l] = (double)f[i + l];
	for (; i < n; i++)
		to[i] = clopt__element(from + i * ((size_t)type & 0xff), type);
}

/* Read n real numbers of a row in memory, as doubles. */
static void read_row(const struct lines *m, size_t row, size_t column, size_t n, double *to)
{
	const size_t bytes = m->o->elem_bytes;

	widen((const char *)m->o->host + row * m->o->ld * bytes + column * bytes / m->type->parts,
	      m->type->part, n, to);
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

/* Add a line times v to *sum, and the line's squares to *square unless that is NULL. */
static void along(const struct lines *m, size_t line, const double *v, double *sum, double *square)
{
	double x[PIECE];
	size_t at, n;

	for (at = m->begin; at < m->end; at += n) {
		n = m->end - at < PIECE ? m->end - at : PIECE;
		read_row(m, line, at, n, x);
		*sum += clopt__dot(x, v + at, n);
		if (square)
			*square += clopt__dot(x, x, n);
	}
}

/* Add f x to n sums, and x squared to n squares.  Up to LANES - 1 more elements change. */
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

/* Multiply lines by v, and sum their squares.  The arrays have LINES elements. */
static void multiply(const struct lines *m, const double *v, double *sum, double *square)
{
	double x[2 * LINES] = { 0 }, part[LINES] = { 0 };
	const size_t parts = m->type->parts;
	size_t i, l, h;

	memset(sum, 0, LINES * sizeof *sum);
	memset(square, 0, LINES * sizeof *square);
	for (i = 0; !m->transposed && i < m->count; i++)
		along(m, m->first + i, v, &sum[i], &square[i]);
	for (i = m->begin; m->transposed && i < m->end; i += parts) {
		read_row(m, i / parts, parts * m->first, parts * m->count, x);
		if (parts == 1)
			add(x, v[i], m->count, sum, square);
		for (h = 0; parts > 1 && h < parts; h++) {
			for (l = 0; l < m->count; l++)
				part[l] = x[parts * l + h];
			add(part, v[i + h], m->count, sum, square);
		}
	}
}

/* The 2-norm of line i.  If squares of doubles leave the range, read the line again, scaled. */
static double length(const struct lines *m, size_t i, double square)
{
	const double scale = square > 1 ? 0x1p-700 : 0x1p700;
	double sum = 0, x;
	size_t e;

	if (m->type->part != CLOPT_TYPE_DOUBLE || (square > 1e-280 && square < 1e300))
		return sqrt(square);
	for (e = m->begin; e < m->end; e++) {
		if (m->transposed)
			read_row(m, e / m->type->parts,
			         (m->first + i) * m->type->parts + e % m->type->parts, 1, &x);
		else
			read_row(m, m->first + i, e, 1, &x);
		sum += scale * x * scale * x;
	}
	return sqrt(sum) / scale;
}

/* ---- The bound of the error of a row's sum ------------------------ */

/*
 * Rounding changes the row's sum by at most 8 times the root of the summed squares of the elements'
 * errors.  The probability is 1 - 2 exp(-32). check.h bounds each error by a share of |A_i| |B_j|;
 * together they are a share of |A_i| |B|.
 */
struct limits {
	double share, kept; /* of |alpha| |A_i| |B|; of |beta| |C_i| before the call */
	double least; /* added in any case */
	double most; /* an element is in range if its terms' magnitudes sum to less */
};

static struct limits limits_of(const struct job *job, const struct variant *v)
{
	const struct element_type *type = clopt__type(job->problem.type);
	const double parts = (double)type->parts;
	const double n = parts * (double)job->problem.dim[1];
	const double k = parts * (double)job->problem.dim[2];
	/* Matrix units truncate, and three products of parts lose a few units more. */
	const int matrix_unit = (v->needs & T_PTX) != 0;
	/* The host sums n terms of random signs twice, for the expected and for the computed row.
	 * Each addition errs by a unit of the partial sum, about the row's 2-norm. */
	const double host = 8 * (6 + sqrt(2 * n)) * ROUND_DOUBLE;

	return (struct limits){
		/* Equal terms have equal errors: up to k / 4 units per element of a running sum, on
		 * the host too.  With random signs they add up to at most 8 times their mean.  A
		 * complex result uses each element of B in both parts. */
		.share = parts *
		         ((4 * k + 8 * sqrt(k) * (matrix_unit ? 2 : 1) +
		           8 * (matrix_unit ? 16 : 4)) *
		                  type->unit +
		          8 * (type->stored + (v->math == CLOPT_MATH_TF32 ? 4 : 0) * ROUND_HALF) +
		          host),
		.kept = parts * (8 * 4 * type->unit + 8 * 2 * type->stored + host),
		.least = 8 * n * type->least * (1 + fabs(job->real[0]) + fabs(job->real[2])),
		/* A half overflows to infinity from 65520 on. */
		.most = type->type == CLOPT_TYPE_HALF ? 65440 : type->most / 4,
	};
}

/* ---- One product ----------------------------------------------------------------------- */

struct check {
	const struct job *job;
	struct audit *audit;
	struct block part; /* the judged part of C */
	size_t first; /* the first judged product */
	struct job before; /* with C before the call */
	struct limits limits;
	const struct element_type *type;
	/* For each product: VECTORS; B x; the lengths of the rows of B; |B|. */
	double *x, *w, *length, *norm;
};

/* Vectors of n numbers: the signs.  Complex products have four vectors of 2 n: the signs; the
 * factors of rows of B for the two numbers of B x; the factors of C before the call. */
#define VECTORS(parts) ((parts) == 2 ? 8 : 1)

struct product {
	struct job job, before;
	struct audit *audit;
	const struct operand *a, *b, *c, *old; /* old: C before the call */
	const struct element_type *type;
	int turn_a, turn_b, triangle;
	size_t m, n, k, parts;
	size_t first[2], end[2]; /* range of judged rows and columns */
	const double *x; /* signs */
	const double *to_b[2], *to_old; /* the other vectors; x for real products */
	double alpha, beta; /* factors outside of the vectors; their magnitudes */
	double alpha_size, beta_size;
	double *w, *length, *norm;
};

/* Make the vectors of a complex product from its signs. */
static void fold(const struct job *job, double *x)
{
	const double a_sign = job->problem.transa == CLOPT_TRANS_CONJ ? -1 : 1;
	const double b_sign = job->problem.transb == CLOPT_TRANS_CONJ ? -1 : 1;
	const double *real = job->real;
	const size_t n = 2 * job->problem.dim[1];
	double *u = x + n, *v = x + 2 * n, *old = x + 3 * n;
	size_t j;

	for (j = 0; j < n; j += 2) {
		const double re = real[0] * x[j] + real[2] * x[j + 1];
		const double im = real[0] * x[j + 1] - real[2] * x[j];

		u[j] = re;
		u[j + 1] = b_sign * im;
		v[j] = a_sign * im;
		v[j + 1] = -a_sign * b_sign * re;
		old[j] = real[1] * x[j] + real[3] * x[j + 1];
		old[j + 1] = real[1] * x[j + 1] - real[3] * x[j];
	}
}

/* Set up judged product i. */
static void open_product(const struct check *c, size_t i, struct product *p)
{
	const struct clopt_problem *problem = &c->job->problem;
	unsigned d;

	i += c->first;
	p->job = *c->job;
	p->before = c->before;
	p->audit = c->audit;
	if (problem->batch > 1) {
		clopt__batch_one(c->job, i, &p->job);
		clopt__batch_one(&c->before, i, &p->before);
	}
	p->a = &p->job.operand[0];
	p->b = &p->job.operand[1];
	p->c = &p->job.operand[2];
	p->old = &p->before.operand[2];
	p->type = c->type;
	p->parts = c->type->parts;
	p->turn_a = problem->transa != CLOPT_TRANS_NO;
	p->turn_b = problem->transb != CLOPT_TRANS_NO;
	p->triangle = problem->triangle;
	p->m = problem->dim[0];
	p->n = problem->dim[1];
	p->k = problem->dim[2];
	for (d = 0; d < 2; d++) {
		p->first[d] = problem->batch > 1 ? 0 : c->part.first[d];
		p->end[d] = problem->batch > 1 ? problem->dim[d] : p->first[d] + c->part.count[d];
	}
	p->x = c->x + i * p->n * VECTORS(p->parts);
	p->to_b[0] = p->parts == 2 ? p->x + 2 * p->n : p->x;
	p->to_b[1] = p->x + 4 * p->n;
	p->to_old = p->parts == 2 ? p->x + 6 * p->n : p->x;
	p->alpha = p->parts == 2 ? 1 : c->job->real[0];
	p->beta = p->parts == 2 ? 1 : c->job->real[1];
	p->alpha_size = hypot(c->job->real[0], c->job->real[2]);
	p->beta_size = hypot(c->job->real[1], c->job->real[3]);
	p->w = c->w + i * p->k * p->parts;
	p->length = c->length + i * p->k;
	p->norm = c->norm + i;
}

/* The judged columns of row i that belong to the result. */
static void extent(const struct product *p, size_t i, size_t *begin, size_t *end)
{
	*begin = p->first[1];
	*end = p->end[1];
	if (p->triangle == CLOPT_UPLO_UPPER && i > *begin)
		*begin = clopt__smaller(i, *end);
	if (p->triangle == CLOPT_UPLO_LOWER && i + 1 < *end)
		*end = clopt__larger(i + 1, *begin);
}

/* Magnitude of an element; complex: the sum over its parts. */
static double magnitude(const struct product *p, const struct operand *o, int transposed, size_t i,
                        size_t j)
{
	const struct lines m = { .o = o, .type = p->type };
	double x[2] = { 0, 0 };

	read_row(&m, transposed ? j : i, p->parts * (transposed ? i : j), p->parts, x);
	return fabs(x[0]) + fabs(x[1]);
}

/* Whether terms of an element may leave the range, also where an operand is not finite. */
static int element_may_leave(const struct product *p, size_t i, size_t j, double most)
{
	const double beta = p->beta_size;
	const double kept = beta == 0 ? 0 : beta * magnitude(p, p->old, 0, i, j);
	double sum = 0;
	size_t q;

	for (q = 0; q < p->k; q++)
		sum += magnitude(p, p->a, p->turn_a, i, q) * magnitude(p, p->b, p->turn_b, q, j);
	/* Kernels sum in float32 at least, whatever the range of results. */
	return !(sum < (p->type->part == CLOPT_TYPE_DOUBLE ? most : FLT_MAX / 4)) ||
	       !(p->alpha_size * sum + kept < most);
}

/* Whether the first two elements of row i that are not finite may have left the range. */
static int may_leave(const struct product *p, size_t i, double most)
{
	size_t j, end, seen = 0;

	for (extent(p, i, &j, &end); j < end && seen < 2; j++)
		if (!(magnitude(p, p->c, 0, i, j) <= DBL_MAX)) {
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

	return !memcmp(is + p->first[1] * bytes, was + p->first[1] * bytes,
	               (begin - p->first[1]) * bytes) &&
	       !memcmp(is + end * bytes, was + end * bytes, (p->end[1] - end) * bytes);
}

/* Row i of C before the call times its vector.  A Hermitian matrix has a real diagonal: the
 * imaginary part of that element, at one end of the judged row, is not read. */
static double was_sum(const struct product *p, struct lines row, size_t i, double *size)
{
	double sum = 0, square = 0, diagonal;

	row.o = p->old;
	if (p->job.problem.hermitian && row.begin <= 2 * i && 2 * i < row.end) {
		read_row(&row, i, 2 * i, 1, &diagonal);
		sum = diagonal * p->to_old[2 * i];
		square = diagonal * diagonal;
		row.begin += p->triangle == CLOPT_UPLO_UPPER ? 2 : 0;
		row.end -= p->triangle == CLOPT_UPLO_LOWER ? 2 : 0;
	}
	along(&row, i, p->to_old, &sum, &square);
	*size = p->beta_size * length(&row, 0, square);
	return sum;
}

/* Judge row i by A_i (B x) and |A_i| |B|. If operands are not finite, any result passes.  If they
 * are, a row that is not finite passes only if terms leave the range. */
static void judge_row(const struct product *p, const struct limits *l, size_t i, double abx,
                      double ab, char *why)
{
	struct lines row = { p->c, p->type, 0, i, 1, 0, 0 };
	double is = 0, was = 0, want, kept = 0, off;
	size_t begin, end;

	extent(p, i, &begin, &end);
	if (p->triangle && !is_kept(p, i, begin, end)) {
		snprintf(why, WHY_SIZE,
		         "gave a wrong result: row %zu of c, %zu x %zu, is changed outside the "
		         "triangle",
		         i, p->m, p->n);
		return;
	}
	row.begin = p->parts * begin;
	row.end = p->parts * end;
	along(&row, i, p->x, &is, NULL);
	if (p->old->host && p->beta_size != 0)
		was = was_sum(p, row, i, &kept);
	want = p->alpha * abx + p->beta * was;
	off = l->share * p->alpha_size * ab + l->kept * kept + l->least;
	clopt__audit_note(p->audit, fabs(is - want), off);
	if (!(off <= DBL_MAX) || !(fabs(want) <= DBL_MAX) || fabs(is - want) <= off)
		return;
	if (!(fabs(is) <= DBL_MAX) && may_leave(p, i, l->most))
		return;
	snprintf(why, WHY_SIZE,
	         "gave a wrong result: row %zu of c, %zu x %zu x %zu, adds up to %.9g with random "
	         "signs, right is %.9g, give or take %.2g",
	         i, p->m, p->n, p->k, is, want, off);
}

/* Judge at most LINES rows of C. */
static void judge_rows(const struct product *p, const struct limits *l, size_t first, size_t count,
                       char *why)
{
	const struct lines a = { p->a, p->type, p->turn_a, first, count, 0, p->parts * p->k };
	double sum[LINES], square[LINES];
	size_t i;

	multiply(&a, p->w, sum, square);
	for (i = 0; i < count && !*why; i++)
		judge_row(p, l, first + i, sum[i], length(&a, i, square[i]) * *p->norm, why);
}

/* ---- One triangle ---------------------------------------------------------------------- */

#define BLOCK 16 /* rows of A and columns of B in the cache together */
#define MOST_IN_TILE 64 /* elements of a line; two tiles are on the stack */

/* Elements of some lines.  Their pitch is no power of two, for the caches. */
struct tile {
	double line[BLOCK][MOST_IN_TILE + LANES];
};

static void gather(const struct lines *m, size_t at, size_t n, struct tile *t)
{
	const size_t parts = m->type->parts;
	double column[2 * BLOCK];
	size_t i, e, h;

	for (i = 0; !m->transposed && i < m->count; i++)
		read_row(m, m->first + i, at, n, t->line[i]);
	for (e = 0; m->transposed && e < n; e += parts) {
		read_row(m, (at + e) / parts, parts * m->first, parts * m->count, column);
		for (i = 0; i < m->count; i++)
			for (h = 0; h < parts; h++)
				t->line[i][e + h] = column[parts * i + h];
	}
}

/* Add n numbers of column j of B, times the column's numbers of x, to B x. */
static void add_column(const struct product *p, size_t j, const double *b, size_t n, double *w)
{
	size_t e;

	if (p->parts == 1)
		for (e = 0; e < n; e++)
			w[e] += p->x[j] * b[e];
	else
		for (e = 0; e < n; e += 2) {
			w[e] += p->to_b[0][2 * j] * b[e] + p->to_b[0][2 * j + 1] * b[e + 1];
			w[e + 1] += p->to_b[1][2 * j] * b[e] + p->to_b[1][2 * j + 1] * b[e + 1];
		}
}

static int is_within(const struct product *p, unsigned dim, size_t i)
{
	return i >= p->first[dim] && i < p->end[dim];
}

/* Judge at most BLOCK rows, after all rows nearer to the corner. |B| grows from row to row. */
static void judge_block(const struct product *p, const struct limits *l, size_t first, size_t count,
                        char *why)
{
	const size_t k = p->parts * p->k;
	const struct lines a = { p->a, p->type, p->turn_a, first, count, 0, k };
	const struct lines b = { p->b, p->type, !p->turn_b, first, count, 0, k }; /* columns */
	double sum[BLOCK] = { 0 }, square[BLOCK] = { 0 }, column[BLOCK] = { 0 };
	struct tile ta, tb;
	size_t at, r, i, n;

	for (at = 0; at < k; at += n) {
		n = k - at < MOST_IN_TILE ? k - at : MOST_IN_TILE;
		gather(&a, at, n, &ta);
		gather(&b, at, n, &tb);
		for (r = 0; r < count; r++) {
			i = p->triangle == CLOPT_UPLO_UPPER ? count - 1 - r : r;
			if (is_within(p, 1, first + i))
				add_column(p, first + i, tb.line[i], n, p->w + at);
			column[i] += clopt__dot(tb.line[i], tb.line[i], n);
			sum[i] += clopt__dot(ta.line[i], p->w + at, n);
			square[i] += clopt__dot(ta.line[i], ta.line[i], n);
		}
	}
	for (r = 0; r < count && !*why; r++) {
		i = p->triangle == CLOPT_UPLO_UPPER ? count - 1 - r : r;
		if (is_within(p, 1, first + i))
			*p->norm = hypot(*p->norm, length(&b, i, column[i]));
		if (is_within(p, 0, first + i))
			judge_row(p, l, first + i, sum[i], length(&a, i, square[i]) * *p->norm,
			          why);
	}
}

/* ---- All products, in parts ------------------------------------------------------------- */

static size_t blocks(size_t lines)
{
	return (lines + LINES - 1) / LINES;
}

/* Number of lines from `first` on, at most `most`. */
static size_t lines_from(size_t first, size_t all, size_t most)
{
	return all - first < most ? all - first : most;
}

/* Compute B x: blocks of the rows of op(B), of all products. */
static void find_bx(void *what, unsigned part, size_t first, size_t count)
{
	const struct check *c = what;
	const size_t each = blocks(c->job->problem.dim[2]);
	double sum[LINES], square[LINES];
	struct product p;
	struct lines b;
	size_t at, i, h;

	(void)part;
	for (at = first; at < first + count; at++) {
		if (at == first || at % each == 0)
			open_product(c, at / each, &p);
		b = (struct lines){ p.b,
			            p.type,
			            p.turn_b,
			            at % each * LINES,
			            0,
			            p.parts * p.first[1],
			            p.parts * p.end[1] };
		b.count = lines_from(b.first, p.k, LINES);
		for (h = 0; h < p.parts; h++) {
			multiply(&b, p.to_b[h], sum, square);
			for (i = 0; i < b.count; i++) {
				p.w[p.parts * (b.first + i) + h] = sum[i];
				p.length[b.first + i] = length(&b, i, square[i]);
			}
		}
	}
}

/* Number of judged rows of a product. */
static size_t rows_judged(const struct check *c)
{
	return c->job->problem.batch > 1 ? c->job->problem.dim[0] : c->part.count[0];
}

/* Judge blocks of rows, of all products. */
static void judge_rows_of_all(const void *what, size_t first, size_t count, char *why)
{
	const struct check *c = what;
	const size_t each = blocks(rows_judged(c));
	struct product p;
	size_t at, row;

	for (at = first; at < first + count && !*why; at++) {
		if (at == first || at % each == 0)
			open_product(c, at / each, &p);
		row = p.first[0] + at % each * LINES;
		judge_rows(&p, &c->limits, row, lines_from(row, p.end[0], LINES), why);
	}
}

/* Judge whole triangles, from their corners. */
static void judge_triangles(const void *what, size_t first, size_t count, char *why)
{
	const struct check *c = what;
	struct product p;
	size_t at, done, row, rows;

	for (at = first; at < first + count; at++) {
		open_product(c, at, &p);
		memset(p.w, 0, p.parts * p.k * sizeof *p.w);
		for (done = 0; done < p.m && !*why; done += rows) {
			rows = lines_from(done, p.m, BLOCK);
			row = p.triangle == CLOPT_UPLO_UPPER ? p.m - done - rows : done;
			judge_block(&p, &c->limits, row, rows, why);
		}
	}
}

size_t clopt__freivalds_bytes(const struct clopt_problem *p)
{
	const size_t parts = clopt__type(p->type)->parts;

	return p->batch * (VECTORS(parts) * p->dim[1] + (parts + 1) * p->dim[2] + 1) *
	       sizeof(double);
}

int clopt__freivalds(const struct guard *g, const struct block *part, const struct variant *v,
                     char *why)
{
	const struct job *job = g->job;
	const struct clopt_problem *p = &job->problem;
	const size_t m = p->dim[0], n = p->dim[1], k = p->dim[2], batch = p->batch;
	const struct element_type *type = clopt__type(p->type);
	const size_t parts = type->parts, vectors = n * VECTORS(parts);
	const size_t first = batch > 1 ? part->first[0] : 0, many = batch > 1 ? part->count[0] : 1;
	struct check c = { .job = job,
		           .audit = g->audit,
		           .part = *part,
		           .first = first,
		           .before = *job,
		           .limits = limits_of(job, v),
		           .type = type };
	uint64_t seed = g->seed;
	size_t i, j;

	c.before.operand[2].host = g->copy;
	c.before.operand[2].ld = c.before.operand[2].columns;
	c.norm = g->room;
	c.x = c.norm + batch;
	c.w = c.x + batch * vectors;
	c.length = c.w + batch * k * parts;
	memset(c.norm, 0, batch * sizeof *c.norm);
	for (i = 0; i < batch; i++) {
		for (j = 0; j < parts * n; j++)
			c.x[i * vectors + j] = clopt__random(&seed) < 0 ? -1 : 1;
		if (parts == 2)
			fold(job, c.x + i * vectors);
	}
	if (p->triangle)
		return clopt__judge_in_parts(many, GRAIN / (m * (2 * k + n) + 1) + 1,
		                             judge_triangles, &c, why);
	clopt__in_parts(many * blocks(k), GRAIN / (LINES * n) + 1, find_bx, &c);
	for (i = first * k; i < (first + many) * k; i++)
		c.norm[i / k] = hypot(c.norm[i / k], c.length[i]);
	return clopt__judge_in_parts(many * blocks(rows_judged(&c)), GRAIN / (LINES * (k + n)) + 1,
	                             judge_rows_of_all, &c, why);
}
