/* SPDX-License-Identifier: MIT */
/*
 * lu.c - LU factorization with partial pivoting, P A = L U, of a matrix that stays in one device
 * buffer.
 *
 * Blocked and right-looking.  The host factors a panel of columns.  The device swaps rows,
 * multiplies the block row right of the panel by the inverse of the panel's triangle, and updates
 * the rest, A22 -= A21 A12.  All blocks are views of the buffer.
 *
 *	lu [N]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <clopt_device.h>

#define WIDE ((size_t)64) /* columns of a panel */
#define BOUND 1e-13

/* The buffer has the matrix, row by row, then room for the inverse of a triangle, for a block row,
 * and for a row. */
struct lu {
	struct clopt *ctx;
	size_t n;
	struct clopt_buffer *all;
	double *a, *factors; /* on the host: the matrix, and L below U */
	double *panel, inverse[WIDE * WIDE];
	size_t *row; /* row of the matrix, by row of P A */
};

static void must(struct lu *s, int rc)
{
	if (rc != CLOPT_OK) {
		fprintf(stderr, "lu: %s\n", clopt_error(s->ctx));
		exit(1);
	}
}

static void *room(size_t bytes)
{
	void *memory = malloc(bytes);

	if (!memory) {
		fprintf(stderr, "lu: no memory for %zu bytes\n", bytes);
		exit(1);
	}
	return memory;
}

static size_t inverse_at(const struct lu *s)
{
	return s->n * s->n * sizeof(double);
}

static size_t block_row_at(const struct lu *s)
{
	return inverse_at(s) + WIDE * WIDE * sizeof(double);
}

static size_t spare_row_at(const struct lu *s)
{
	return block_row_at(s) + WIDE * s->n * sizeof(double);
}

static size_t place(const struct lu *s, size_t row, size_t column)
{
	return (row * s->n + column) * sizeof(double);
}

static struct clopt_buffer *view(struct lu *s, size_t at)
{
	struct clopt_buffer *v;

	must(s, clopt_buffer_view(s->all, at, clopt_buffer_bytes(s->all) - at, &v));
	return v;
}

/* C = alpha A B + beta C. a, b, c: offsets in the buffer. */
static void multiply(struct lu *s, size_t m, size_t n, size_t k, double alpha, size_t a, size_t lda,
                     size_t b, double beta, size_t c)
{
	struct clopt_buffer *va = view(s, a), *vb = view(s, b), *vc = view(s, c);

	must(s, clopt_dgemm_buffers(s->ctx, CLOPT_LAYOUT_ROW_MAJOR, CLOPT_TRANS_NO, CLOPT_TRANS_NO,
	                            m, n, k, alpha, va, lda, vb, s->n, beta, vc, s->n, NULL));
	clopt_buffer_free(va);
	clopt_buffer_free(vb);
	clopt_buffer_free(vc);
}

static void swap(double *x, double *y, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		const double t = x[i];

		x[i] = y[i];
		y[i] = t;
	}
}

/* Swap rows i and j of the matrix, on the device too. */
static void swap_rows(struct lu *s, size_t i, size_t j)
{
	const size_t bytes = s->n * sizeof(double), spare = spare_row_at(s), t = s->row[i];

	s->row[i] = s->row[j];
	s->row[j] = t;
	must(s, clopt_buffer_copy(s->all, place(s, i, 0), s->all, spare, bytes, NULL));
	must(s, clopt_buffer_copy(s->all, place(s, j, 0), s->all, place(s, i, 0), bytes, NULL));
	must(s, clopt_buffer_copy(s->all, spare, s->all, place(s, j, 0), bytes, NULL));
}

/* Factor the panel on the host: w columns of the rows from `first` on. */
static void factor_panel(struct lu *s, size_t first, size_t w)
{
	const size_t rows = s->n - first;
	double *p = s->panel;
	size_t i, j, c;

	for (c = 0; c < w; c++) {
		size_t most = c;

		for (i = c + 1; i < rows; i++)
			if (fabs(p[i * w + c]) > fabs(p[most * w + c]))
				most = i;
		if (most != c) {
			swap(p + c * w, p + most * w, w);
			swap_rows(s, first + c, first + most);
		}
		if (p[c * w + c] == 0) {
			fprintf(stderr, "lu: the matrix is singular at column %zu\n", first + c);
			exit(1);
		}
		for (i = c + 1; i < rows; i++) {
			const double l = p[i * w + c] /= p[c * w + c];

			for (j = c + 1; j < w; j++)
				p[i * w + j] -= l * p[c * w + j];
		}
	}
}

/* Invert the panel's unit lower triangle. */
static void invert_triangle(struct lu *s, size_t w)
{
	double *x = s->inverse;
	size_t i, j, k;

	for (i = 0; i < w; i++)
		for (j = 0; j < w; j++) {
			x[i * w + j] = i == j;
			for (k = j; k < i; k++)
				x[i * w + j] -= s->panel[i * w + k] * x[k * w + j];
		}
}

static void factor(struct lu *s)
{
	const size_t n = s->n, pitch = n * sizeof(double);
	size_t k, w;

	for (k = 0; k < n; k += w) {
		const size_t rows = n - k, a12 = place(s, k, k + WIDE);
		size_t right, row_bytes;

		w = rows < WIDE ? rows : WIDE;
		right = rows - w;
		row_bytes = w * sizeof(double);
		must(s, clopt_buffer_read_rect(s->all, place(s, k, k), pitch, rows, row_bytes,
		                               s->panel, row_bytes, NULL));
		factor_panel(s, k, w);
		must(s, clopt_buffer_write_rect(s->all, place(s, k, k), pitch, rows, row_bytes,
		                                s->panel, row_bytes, NULL));
		if (!right)
			break;
		invert_triangle(s, w);
		must(s, clopt_buffer_write(s->all, inverse_at(s), w * row_bytes, s->inverse, NULL));
		multiply(s, w, right, w, 1, inverse_at(s), w, a12, 0, block_row_at(s));
		must(s, clopt_buffer_copy_rect(s->all, block_row_at(s), pitch, s->all, a12, pitch,
		                               w, right * sizeof(double), NULL));
		multiply(s, right, right, w, -1, place(s, k + w, k), n, a12, 1,
		         place(s, k + w, k + w));
	}
}

/* The largest element of P A - L U, divided by n times the largest of A. */
static double residual(const struct lu *s)
{
	const size_t n = s->n;
	double *line = room(n * sizeof *line), worst = 0, largest = 0;
	size_t i, j, k;

	for (i = 0; i < n; i++) {
		for (j = 0; j < n; j++) {
			line[j] = s->a[s->row[i] * n + j];
			largest = fmax(largest, fabs(line[j]));
		}
		for (k = 0; k <= i; k++) {
			const double l = k < i ? s->factors[i * n + k] : 1;

			for (j = k; j < n; j++)
				line[j] -= l * s->factors[k * n + j];
		}
		for (j = 0; j < n; j++)
			worst = isnan(worst) || isnan(line[j]) ? NAN : fmax(worst, fabs(line[j]));
	}
	free(line);
	return worst / ((double)n * largest);
}

int main(int argc, char **argv)
{
	struct lu s = { .n = argc > 1 ? strtoul(argv[1], NULL, 10) : 512 };
	const size_t bytes = s.n * s.n * sizeof(double);
	unsigned long state = 1;
	double begin, end, left, flop;
	size_t i;

	if (argc > 2 || s.n < 1 || s.n > 30000) {
		fprintf(stderr, "Usage: lu [N], N from 1 to 30000\n");
		return 2;
	}
	s.a = room(bytes);
	s.factors = room(bytes);
	s.panel = room(s.n * WIDE * sizeof *s.panel);
	s.row = room(s.n * sizeof *s.row);
	for (i = 0; i < s.n; i++)
		s.row[i] = i;
	for (i = 0; i < s.n * s.n; i++) {
		state = (state * 1103515245ul + 12345ul) & 0x7ffffffful;
		s.a[i] = (double)(state >> 8) / (double)(1ul << 23) - 0.5;
	}
	must(&s, clopt_open(&s.ctx, NULL));
	must(&s, clopt_buffer_new(s.ctx, spare_row_at(&s) + s.n * sizeof(double), &s.all));
	must(&s, clopt_buffer_write(s.all, 0, bytes, s.a, NULL));
	must(&s, clopt_wall_time(s.ctx, &begin));
	factor(&s);
	must(&s, clopt_wall_time(s.ctx, &end));
	must(&s, clopt_buffer_read(s.all, 0, bytes, s.factors, NULL));
	left = residual(&s);
	flop = 2.0 / 3 * (double)s.n * (double)s.n * (double)s.n;
	printf("%zu x %zu: |PA - LU| / (n |A|) = %.2g, %.3f s, %.1f GFLOP/s\n", s.n, s.n, left,
	       end - begin, flop / (end - begin) * 1e-9);
	clopt_buffer_free(s.all);
	clopt_close(s.ctx);
	free(s.a);
	free(s.factors);
	free(s.panel);
	free(s.row);
	return left <= BOUND ? 0 : 1;
}
