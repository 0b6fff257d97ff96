/* SPDX-License-Identifier: MIT */
/*
 * freivalds.c - checks the matrix products of a call row by row, in double: C x = alpha A (B x) +
 * beta C x for a random x of 1 and -1.  An error d of an element of row i is an error d of the
 * row's sum.  In a triangle each row has its own x, which ends or begins at the diagonal.  From row
 * to row B x grows by one column of B, so the check costs no more.  The other triangle must keep
 * its bits.  Complex matrices count as matrices of real numbers: x has a sign for each real number
 * of a row of C. B x has a number for each real number of a row of A, with alpha in it.
 *
 * Integers are summed modulo 2^32, exactly, in doubles below 2^53.  Signs show each single error of
 * a row, but never two errors of 2^31.  So integers are checked again with whole numbers from -128
 * to 127 in x: since half of them are odd, any errors of a row are seen with a probability of at
 * least 1/2.  Rows share x, so equal errors of several rows are seen together or not at all.
 *
 * Source: Freivalds, "Probabilistic machines can use less running time", IFIP (1977).
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
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

static int is_integer(const struct element_type *type)
{
	return type->unit == 0;
}

static int number_type(const struct lines *m)
{
	return m->o->use & OPERAND_OUT ? m->type->result : m->type->part;
}

/* Sums of integers modulo 2^32; other sums stay. */
static void reduce(const struct element_type *type, double *sum, size_t n)
{
	size_t i;

	for (i = 0; is_integer(type) && i < n; i++)
		sum[i] = clopt__product_mod(sum[i], 1);
}

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
	for (; type == CLOPT_TYPE_INT8 && i < n; i++)
		to[i] = (signed char)from[i];
	for (; i < n; i++)
		to[i] = clopt__element(from + i * ((size_t)type & 0xff), type);
}

/* A real number of a row in memory. */
static const char *number_at(const struct lines *m, size_t row, size_t column)
{
	const size_t bytes = m->o->elem_bytes;

	return (const char *)m->o->host + row * m->o->ld * bytes + column * bytes / m->type->parts;
}

/* Read n real numbers of a row in memory, as doubles. */
static void read_row(const struct lines *m, size_t row, size_t column, size_t n, double *to)
{
	widen(number_at(m, row, column), number_type(m), n, to);
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

/*
 * row_...: add the sum of x v to *sum, and that of x x to *square.  column_...: add f x to n sums,
 * and x x to n squares, for DEEP rows of x, ld numbers apart.
 */
#define WIDE 8 /* parallel sums: two vectors of AVX2 */
#define DEEP 4
#define KERNELS(NAME, REAL, TARGET) \
	TARGET static void row_##NAME(const void *from, const double *v, size_t n, double *sum, \
	                              double *square) \
	{ \
		const REAL *x = from; \
		double s[WIDE] = { 0 }, q[WIDE] = { 0 }; \
		size_t i, l; \
\
		for (i = 0; i + WIDE <= n; i += WIDE) \
			for (l = 0; l < WIDE; l++) { \
				const double e = (double)x[i + l]; \
\
				s[l] += e * v[i + l]; \
				q[l] += e * e; \
			} \
		for (l = 0; i < n; i++, l++) { \
			s[l] += (double)x[i] * v[i]; \
			q[l] += (double)x[i] * (double)x[i]; \
		} \
		for (l = 0; l < WIDE; l++) { \
			*sum += s[l]; \
			*square += q[l]; \
		} \
	} \
	TARGET static void column_##NAME(const void *from, size_t ld, const double *f, size_t n, \
	                                 double *restrict sum, double *restrict square) \
	{ \
		const REAL *restrict x = from, *restrict y = x + 2 * ld; \
		size_t i, l; \
\
		for (i = 0; i + WIDE <= n; i += WIDE) \
			for (l = i; l < i + WIDE; l++) \
				ADD_COLUMN(l) \
		for (; i < n; i++) \
			ADD_COLUMN(i) \
	}
#define ADD_COLUMN(at) \
	{ \
		const double a = (double)x[at], b = (double)x[at + ld]; \
		const double c = (double)y[at], d = (double)y[at + ld]; \
\
		sum[at] += (f[0] * a + f[1] * b) + (f[2] * c + f[3] * d); \
		square[at] += (a * a + b * b) + (c * c + d * d); \
	}
#define FUNCTIONS(NAME) \
	{ \
		row_##NAME, column_##NAME \
	}

KERNELS(float, float, )
KERNELS(double, double, )
#ifdef __x86_64__
#define HAS_AVX2 (__builtin_cpu_supports("avx2") != 0)
KERNELS(float_avx2, float, __attribute__((target("avx2"))))
KERNELS(double_avx2, double, __attribute__((target("avx2"))))
#else
#define HAS_AVX2 0
#endif

static const struct kernels {
	void (*row)(const void *x, const double *v, size_t n, double *sum, double *square);
	void (*column)(const void *x, size_t ld, const double *f, size_t n, double *sum,
	               double *square);
} kernels[2][2] = {
	{ FUNCTIONS(float), FUNCTIONS(double) },
#ifdef __x86_64__
	{ FUNCTIONS(float_avx2), FUNCTIONS(double_avx2) },
#endif
};

/* The functions for numbers in memory; NULL: they have to be widened. */
static const struct kernels *direct(int part)
{
	return part == CLOPT_TYPE_FLOAT || part == CLOPT_TYPE_DOUBLE ?
	               &kernels[HAS_AVX2][part == CLOPT_TYPE_DOUBLE] :
	               NULL;
}

/* Add a line times v to *sum, and the line's squares to *square. */
static void along(const struct lines *m, size_t line, const double *v, double *sum, double *square)
{
	const struct kernels *k = direct(number_type(m));
	double x[PIECE];
	size_t at, n;

	if (k)
		k->row(number_at(m, line, m->begin), v + m->begin, m->end - m->begin, sum, square);
	for (at = m->begin; !k && at < m->end; at += n) {
		n = m->end - at < PIECE ? m->end - at : PIECE;
		read_row(m, line, at, n, x);
		row_double(x, v + at, n, sum, square);
		reduce(m->type, sum, 1);
	}
}

/* Add n <= DEEP numbers of each line, times v, to the sums, and their squares to the squares. */
static void across(const struct lines *m, size_t at, size_t n, const double *v, double *sum,
                   double *square)
{
	const size_t parts = m->type->parts;
	double x[DEEP][LINES] = { { 0 } }, f[DEEP] = { 0 }, row[2 * LINES];
	size_t i, l, h;

	for (i = 0; i < n; i += parts) {
		read_row(m, (at + i) / parts, parts * m->first, parts * m->count, row);
		for (h = 0; h < parts; h++) {
			f[i + h] = v[at + i + h];
			for (l = 0; l < m->count; l++)
				x[i + h][l] = row[parts * l + h];
		}
	}
	direct(CLOPT_TYPE_DOUBLE)->column(x, LINES, f, m->count, sum, square);
}

#define MOST_ADDED 4096 /* products of a byte and v, below 2^40 each, that a sum takes */

/* Multiply lines by v, and sum their squares.  The arrays have LINES elements. */
static void multiply(const struct lines *m, const double *v, double *sum, double *square)
{
	const struct kernels *k = m->type->parts == 1 ? direct(m->type->part) : NULL;
	size_t i, n;

	memset(sum, 0, LINES * sizeof *sum);
	memset(square, 0, LINES * sizeof *square);
	for (i = 0; !m->transposed && i < m->count; i++)
		along(m, m->first + i, v, &sum[i], &square[i]);
	for (i = m->begin; m->transposed && i < m->end; i += n) {
		n = clopt__smaller(m->end - i, DEEP);
		if (k && n == DEEP)
			k->column(number_at(m, i, m->first), m->o->ld, v + i, m->count, sum,
			          square);
		else
			across(m, i, n, v, sum, square);
		if ((i + n - m->begin) % MOST_ADDED == 0 || i + n == m->end)
			reduce(m->type, sum, m->count);
	}
}

/* The 2-norm of line i.  If squares of doubles leave the range, read the line again, scaled. */
static double length(const struct lines *m, size_t i, double square)
{
	const double scale = square > 1 ? 0x1p-700 : 0x1p700;
	const size_t parts = m->type->parts;
	double sum = 0, x[PIECE];
	size_t at, e, n;

	if (m->type->part != CLOPT_TYPE_DOUBLE || (square > 1e-280 && square < 1e300))
		return sqrt(square);
	for (at = m->begin; at < m->end; at += n) {
		n = m->transposed ? parts : clopt__smaller(m->end - at, PIECE);
		if (m->transposed)
			read_row(m, at / parts, (m->first + i) * parts, n, x);
		else
			read_row(m, m->first + i, at, n, x);
		for (e = 0; e < n; e++)
			x[e] *= scale;
		sum += clopt__dot(x, x, n);
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
	const int matrix_unit = v && (v->needs & T_PTX) != 0;
	/* The host sums n terms of random signs twice, for the expected and for the computed row.
	 * Each addition errs by a unit of the partial sum, about the row's 2-norm. */
	const double host = 8 * (6 + sqrt(2 * n)) * ROUND_DOUBLE;

	if (is_integer(type))
		return (struct limits){ .most = DBL_MAX };
	return (struct limits){
		/* Equal terms have equal errors: up to k / 4 units per element of a running sum, on
		 * the host too.  With random signs they add up to at most 8 times their mean.  A
		 * complex result uses each element of B in both parts.  Without a row: what is
		 * likely, since suspected rows are summed again. */
		.share = parts * (((v ? 4 * k : 0) + 8 * sqrt(k) * (matrix_unit ? 2 : 1) +
		                   8 * (matrix_unit ? 16 : 4)) *
		                          type->unit +
		                  8 * (type->stored +
		                       (v && v->math == CLOPT_MATH_TF32 ? 4 : 0) * ROUND_HALF) +
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
	double *off; /* as in struct guard */
};

/* Vectors of n numbers: the signs.  Complex products have four vectors of 2 n: the signs; the
 * factors of rows of B for the two numbers of B x; the factors of C before the call. */
#define VECTORS(parts) ((parts) == 2 ? 8 : 1)

struct product {
	const struct check *all;
	struct job job, before;
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

static void open_product(const struct check *c, size_t i, struct product *p)
{
	const struct clopt_problem *problem = &c->job->problem;
	unsigned d;

	i += c->first;
	p->all = c;
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

/* An element; the imaginary part of a real one is 0. */
static void read_element(const struct product *p, const struct operand *o, size_t i, size_t j,
                         double *x)
{
	const struct lines row = { .o = o, .type = p->type };

	x[1] = 0;
	read_row(&row, i, p->parts * j, p->parts, x);
}

static char *element_at(const struct operand *o, size_t i, size_t j)
{
	return (char *)o->host + (i * o->ld + j) * o->elem_bytes;
}

/* Magnitude of an element; complex: the sum over its parts. */
static double magnitude(const struct product *p, const struct operand *o, int transposed, size_t i,
                        size_t j)
{
	double x[2];

	read_element(p, o, transposed ? j : i, transposed ? i : j, x);
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
	const size_t bytes = p->c->elem_bytes, first = p->first[1];

	return !memcmp(element_at(p->c, i, first), element_at(p->old, i, first),
	               (begin - first) * bytes) &&
	       !memcmp(element_at(p->c, i, end), element_at(p->old, i, end),
	               (p->end[1] - end) * bytes);
}

/* Whether the imaginary part of diagonal element i must be 0.  BLAS may return at once if C = C. */
static int is_real_at(const struct product *p, size_t i)
{
	double is[2], was[2];

	if (!p->job.problem.hermitian || p->k > 0 || p->job.real[1] != 1)
		return p->job.problem.hermitian;
	read_element(p, p->c, i, i, is);
	read_element(p, p->old, i, i, was);
	return is[1] != was[1];
}

/* Row i of C before the call times its vector.  A Hermitian matrix has a real diagonal: the
 * imaginary part of that element, at one end of the judged row, is not read. */
static double was_sum(const struct product *p, struct lines row, size_t i, double *size)
{
	double sum = 0, square = 0, diagonal;

	row.o = p->old;
	if (row.begin <= 2 * i && 2 * i < row.end && is_real_at(p, i)) {
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

/* alpha x + beta y. */
static double scaled_sum(const struct product *p, double x, double y)
{
	double sum = p->alpha * x + p->beta * y;

	if (is_integer(p->type))
		sum = clopt__product_mod(
		        clopt__product_mod(p->alpha, x) + clopt__product_mod(p->beta, y), 1);
	return sum;
}

/* Judge row i by A_i (B x) and |A_i| |B|. If operands are not finite, any result passes.  If they
 * are, a row that is not finite passes only if terms leave the range. */
static void judge_row(const struct product *p, size_t i, double abx, double ab, char *why)
{
	const struct limits *l = &p->all->limits;
	double *const shown = p->all->off ? &p->all->off[i] : NULL;
	struct lines row = { p->c, p->type, 0, i, 1, 0, 0 };
	double is = 0, was = 0, want, kept = 0, off, unused = 0;
	size_t begin, end;

	if (shown && *shown > 0) /* integers: wrong with signs */
		return;
	extent(p, i, &begin, &end);
	if (shown)
		*shown = INFINITY;
	if (p->triangle && !is_kept(p, i, begin, end)) {
		if (shown)
			return;
		snprintf(why, WHY_SIZE,
		         "gave a wrong result: row %zu of c, %zu x %zu, is changed outside the "
		         "triangle",
		         i, p->m, p->n);
		return;
	}
	row.begin = p->parts * begin;
	row.end = p->parts * end;
	along(&row, i, p->x, &is, &unused);
	if (p->old->host && p->beta_size != 0)
		was = was_sum(p, row, i, &kept);
	want = scaled_sum(p, abx, was);
	off = l->share * p->alpha_size * ab + l->kept * kept + l->least;
	clopt__audit_note(p->all->audit, fabs(is - want), off);
	if (shown) {
		if (!(off <= DBL_MAX) || !(fabs(want) <= DBL_MAX))
			*shown = 0;
		else if (fabs(is) <= DBL_MAX)
			*shown = is == want ? 0 : fabs(is - want) / off;
		return;
	}
	if (!(off <= DBL_MAX) || !(fabs(want) <= DBL_MAX) || fabs(is - want) <= off)
		return;
	if (!(fabs(is) <= DBL_MAX) && may_leave(p, i, l->most))
		return;
	snprintf(why, WHY_SIZE,
	         "gave a wrong result: row %zu of c, %zu x %zu x %zu, adds up to %.9g with random "
	         "factors, right is %.9g, give or take %.2g",
	         i, p->m, p->n, p->k, is, want, off);
}

/* Judge at most LINES rows of C. */
static void judge_rows(const struct product *p, size_t first, size_t count, char *why)
{
	const struct lines a = { p->a, p->type, p->turn_a, first, count, 0, p->parts * p->k };
	double sum[LINES], square[LINES];
	size_t i;

	multiply(&a, p->w, sum, square);
	for (i = 0; i < count && !*why; i++)
		judge_row(p, first + i, sum[i], length(&a, i, square[i]) * *p->norm, why);
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

	/* Of bytes: below 2^40 with fewer than 2^26 columns. */
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
static void judge_block(const struct product *p, size_t first, size_t count, char *why)
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
			reduce(p->type, &sum[i], 1);
			square[i] += clopt__dot(ta.line[i], ta.line[i], n);
		}
	}
	for (r = 0; r < count && !*why; r++) {
		i = p->triangle == CLOPT_UPLO_UPPER ? count - 1 - r : r;
		if (is_within(p, 1, first + i))
			*p->norm = hypot(*p->norm, length(&b, i, column[i]));
		if (is_within(p, 0, first + i))
			judge_row(p, first + i, sum[i], length(&a, i, square[i]) * *p->norm, why);
	}
}

/* ---- All products, in parts ------------------------------------------------------------- */

/* Number of lines from `first` on, at most `most`. */
static size_t lines_from(size_t first, size_t all, size_t most)
{
	return all - first < most ? all - first : most;
}

/* Compute B x: blocks of the rows of op(B), of all products. */
static void find_bx(void *what, unsigned part, size_t first, size_t count)
{
	const struct check *c = what;
	const size_t each = clopt__groups(c->job->problem.dim[2], LINES);
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

static size_t rows_judged(const struct check *c)
{
	return c->job->problem.batch > 1 ? c->job->problem.dim[0] : c->part.count[0];
}

static void judge_rows_of_all(const void *what, size_t first, size_t count, char *why)
{
	const struct check *c = what;
	const size_t each = clopt__groups(rows_judged(c), LINES);
	struct product p;
	size_t at, row;

	for (at = first; at < first + count && !*why; at++) {
		if (at == first || at % each == 0)
			open_product(c, at / each, &p);
		row = p.first[0] + at % each * LINES;
		judge_rows(&p, row, lines_from(row, p.end[0], LINES), why);
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
			judge_block(&p, row, rows, why);
		}
	}
}

size_t clopt__freivalds_bytes(const struct clopt_problem *p)
{
	const size_t parts = clopt__type(p->type)->parts;

	return p->batch * (VECTORS(parts) * p->dim[1] + (parts + 1) * p->dim[2] + 1) *
	       sizeof(double);
}

static struct check open_check(const struct guard *g, const struct block *part,
                               const struct variant *v)
{
	const struct clopt_problem *p = &g->job->problem;
	const struct element_type *type = clopt__type(p->type);
	struct check c = { .job = g->job,
		           .audit = g->audit,
		           .off = g->off,
		           .part = *part,
		           .first = p->batch > 1 ? part->first[0] : 0,
		           .before = *g->job,
		           .limits = limits_of(g->job, v),
		           .type = type };

	c.before.operand[2].host = g->copy;
	c.before.operand[2].ld = c.before.operand[2].columns;
	c.norm = g->room;
	c.x = c.norm + p->batch;
	c.w = c.x + p->batch * p->dim[1] * VECTORS(type->parts);
	c.length = c.w + p->batch * p->dim[2] * type->parts;
	return c;
}

/* Check with random signs, or with whole numbers from -128 to 127. */
static int check_once(struct check *c, size_t many, int signs, uint64_t *seed, char *why)
{
	const struct clopt_problem *p = &c->job->problem;
	const size_t m = p->dim[0], n = p->dim[1], k = p->dim[2], batch = p->batch;
	const size_t parts = c->type->parts, vectors = n * VECTORS(parts);
	size_t i, j;

	memset(c->norm, 0, batch * sizeof *c->norm);
	for (i = 0; i < batch; i++) {
		for (j = 0; j < parts * n; j++) {
			const double x = clopt__random(seed);

			c->x[i * vectors + j] = !signs ? floor(128 * x) : x < 0 ? -1 : 1;
		}
		if (parts == 2)
			fold(c->job, c->x + i * vectors);
	}
	if (p->triangle)
		return clopt__judge_in_parts(many, GRAIN / (m * (2 * k + n) + 1) + 1,
		                             judge_triangles, c, why);
	clopt__in_parts(many * clopt__groups(k, LINES), GRAIN / (LINES * n) + 1, find_bx, c);
	for (i = c->first * k; i < (c->first + many) * k; i++)
		c->norm[i / k] = hypot(c->norm[i / k], c->length[i]);
	return clopt__judge_in_parts(many * clopt__groups(rows_judged(c), LINES),
	                             GRAIN / (LINES * (k + n)) + 1, judge_rows_of_all, c, why);
}

int clopt__freivalds(const struct guard *g, const struct block *part, const struct variant *v,
                     char *why)
{
	const size_t many = g->job->problem.batch > 1 ? part->count[0] : 1;
	struct check c = open_check(g, part, v);
	uint64_t seed = g->seed;
	int rc;

	if (g->off)
		memset(g->off, 0, g->job->problem.dim[0] * sizeof *g->off);
	rc = check_once(&c, many, 1, &seed, why);
	if (rc == CLOPT_OK && is_integer(c.type))
		rc = check_once(&c, many, 0, &seed, why);
	return rc;
}

/* ---- A product of another library ---------------------------------------------------------- */

/* Sums over the terms of an element of op(A) op(B), and over magnitudes: of the terms, of the row
 * of A, of the column of B. */
struct term_sums {
	double sum[2], terms, a, b;
};

static void add_terms(const struct product *p, const double *a, const double *b, size_t n,
                      struct term_sums *s)
{
	const double a_sign = p->job.problem.transa == CLOPT_TRANS_CONJ ? -1 : 1;
	const double b_sign = p->job.problem.transb == CLOPT_TRANS_CONJ ? -1 : 1;
	size_t i;

	for (i = 0; i < n; i += p->parts) {
		const double a1 = p->parts == 2 ? a_sign * a[i + 1] : 0;
		const double b1 = p->parts == 2 ? b_sign * b[i + 1] : 0;
		const double a_size = fabs(a[i]) + fabs(a1), b_size = fabs(b[i]) + fabs(b1);

		s->sum[0] += a[i] * b[i] - a1 * b1;
		s->sum[1] += a[i] * b1 + a1 * b[i];
		s->terms += a_size * b_size;
		s->a += a_size;
		s->b += b_size;
	}
}

/* Sum the terms of at most BLOCK elements of row i. */
static void sum_terms(const struct product *p, size_t i, size_t first, size_t count,
                      struct term_sums *s)
{
	const size_t k = p->parts * p->k;
	const struct lines a = { p->a, p->type, p->turn_a, i, 1, 0, k };
	const struct lines b = { p->b, p->type, !p->turn_b, first, count, 0, k }; /* columns */
	struct tile ta, tb;
	size_t at, j, n;

	memset(s, 0, count * sizeof *s);
	for (at = 0; at < k; at += n) {
		n = k - at < MOST_IN_TILE ? k - at : MOST_IN_TILE;
		gather(&a, at, n, &ta);
		gather(&b, at, n, &tb);
		for (j = 0; j < count; j++)
			add_terms(p, ta.line[0], tb.line[j], n, &s[j]);
	}
}

/* Fill in what element (i, j) is and should be; returns whether it is wrong.  The bound holds for
 * sums in any order, factors multiplied in before or after them, and subnormal numbers read or
 * written as 0.  A result that is not finite is right if one of these may leave the range. */
static int is_wrong(const struct product *p, size_t i, size_t j, const struct term_sums *s,
                    struct wrong_element *e)
{
	const struct element_type *type = p->type;
	const double *real = p->job.real, terms = (double)(p->parts * p->k);
	const double most = type->most / 4, alpha = p->alpha_size, beta = p->beta_size;
	/* The host errs in double too. */
	const double units = (terms + 8) * (type->part == CLOPT_TYPE_DOUBLE ? 2 : 1);
	const int is_real = i == j && is_real_at(p, i);
	double old[2] = { 0, 0 }, kept, size, least;
	int may_leave, wrong = 0;
	unsigned h;

	e->row = i, e->column = j;
	read_element(p, p->c, i, j, e->is);
	if (beta != 0)
		read_element(p, p->old, i, j, old);
	old[1] = is_real ? 0 : old[1];
	kept = fabs(old[0]) + fabs(old[1]);
	size = alpha * s->terms + beta * kept;
	least = type->least * (1 + alpha + beta) * (1 + terms + s->terms + s->a + s->b + kept);
	may_leave = !(s->terms < most && size < most && alpha * s->a < most && alpha * s->b < most);
	for (h = 0; h < 2; h++) {
		const double turned = h ? 1 : -1;
		const double want = real[0] * s->sum[h] + turned * real[2] * s->sum[1 - h] +
		                    real[1] * old[h] + turned * real[3] * old[1 - h];

		e->right[h] = h && (is_real || p->parts == 1) ? 0 :
		              is_integer(type)                ? scaled_sum(p, s->sum[0], old[0]) :
		                                                want;
		e->bound[h] = units * type->unit * size + type->stored * fabs(want) + least;
		wrong |= !(fabs(e->is[h] - e->right[h]) <= e->bound[h]) && e->bound[h] <= DBL_MAX &&
		         !(may_leave && !(fabs(e->is[h]) <= DBL_MAX));
	}
	return wrong;
}

static double distance(const struct wrong_element *e)
{
	const double off = hypot(e->is[0] - e->right[0], e->is[1] - e->right[1]);

	return off <= DBL_MAX ? off : INFINITY;
}

/* An element outside of the triangle, in the same way. */
static int is_changed(const struct product *p, size_t i, size_t j, struct wrong_element *e)
{
	memset(e, 0, sizeof *e);
	e->row = i, e->column = j;
	read_element(p, p->c, i, j, e->is);
	read_element(p, p->old, i, j, e->right);
	return memcmp(element_at(p->c, i, j), element_at(p->old, i, j), p->c->elem_bytes) != 0;
}

static void set_right(const struct product *p, const struct wrong_element *e, int inside)
{
	const int type = p->type->result;
	char *c = element_at(p->c, e->row, e->column);
	size_t h;

	for (h = 0; inside && h < p->parts; h++)
		clopt__element_put(c + h * ((size_t)type & 0xff), type, e->right[h]);
	if (!inside)
		memcpy(c, element_at(p->old, e->row, e->column), p->c->elem_bytes);
}

/* Judge the elements of row i; with `repair`, set the wrong ones right.  Returns their number;
 * *worst: the one farthest off so far. */
static size_t judge_elements(const struct product *p, size_t i, int repair,
                             struct wrong_element *worst)
{
	struct term_sums s[BLOCK];
	struct wrong_element e;
	size_t begin, end, j, found = 0;

	extent(p, i, &begin, &end);
	for (j = 0; j < p->n; j++) {
		const int inside = j >= begin && j < end;

		if (j % BLOCK == 0)
			sum_terms(p, i, j, lines_from(j, p->n, BLOCK), s);
		if (!(inside ? is_wrong(p, i, j, &s[j % BLOCK], &e) : is_changed(p, i, j, &e)))
			continue;
		found++;
		e.count = worst->count + 1;
		if (worst->count == 0 || distance(&e) > distance(worst))
			*worst = e;
		worst->count = e.count;
		if (repair)
			set_right(p, &e, inside);
	}
	return found;
}

/* Judge the rows whose sums are off by more than is likely, or by more than 5 times the others'
 * root mean square, from the farthest on.  Rows no farther off than a right one are right. */
static size_t judge_suspects(const struct product *p, int repair, struct wrong_element *worst)
{
	double squares = 0, right = 0;
	size_t i, far = 0, at, n, found = 0;

	for (i = 0; i < p->m; i++) {
		squares += p->all->off[i] <= DBL_MAX ? p->all->off[i] * p->all->off[i] : 0;
		far = p->all->off[i] > p->all->off[far] ? i : far;
	}
	for (at = 0; at < p->m; at++) {
		const double off = p->all->off[i = (far + at) % p->m], square = off * off;

		if (off <= right ||
		    (off <= 1 && square * (double)(p->m - 1) < 25 * (squares - square)))
			continue;
		n = judge_elements(p, i, repair, worst);
		found += n;
		if (n == 0)
			right = off;
		else if (!repair)
			break;
	}
	return found;
}

int clopt__product_check(const struct job *job, char *before, int repair,
                         struct wrong_element *worst)
{
	const struct block all = { .count = { job->problem.dim[0], job->problem.dim[1] } };
	struct guard g = { .job = job, .copy = before };
	struct check c;
	struct product p;
	char why[WHY_SIZE] = "";
	size_t found = 0;

	memset(worst, 0, sizeof *worst);
	g.room = malloc(clopt__freivalds_bytes(&job->problem));
	g.off = malloc(all.count[0] * sizeof *g.off);
	if (g.room && g.off)
		do {
			g.seed = (uint64_t)(clopt__now() * 1e9);
			clopt__freivalds(&g, &all, NULL, why);
			c = open_check(&g, &all, NULL);
			open_product(&c, 0, &p);
			found = judge_suspects(&p, repair, worst);
		} while (repair && found); /* once more, with other signs */
	free(g.room);
	free(g.off);
	return !g.room || !g.off ? CLOPT_ENOMEM : worst->count ? CLOPT_EWRONG : CLOPT_OK;
}
