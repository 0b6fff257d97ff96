/* SPDX-License-Identifier: MIT */
/*
 * host.c - copies and transposes in plain C.  They do not belong to standard BLAS, so the next BLAS
 * may lack them.
 */
#include <stdlib.h>

#include "blas.h"

struct number clopt__blas_number(int type, const void *p)
{
	const float *f = p;
	const double *d = p;
	struct number x = { 0, 0 };

	switch (type) {
	case CLOPT_TYPE_FLOAT:
		x.re = f[0];
		break;
	case CLOPT_TYPE_DOUBLE:
		x.re = d[0];
		break;
	case CLOPT_TYPE_COMPLEX_FLOAT:
		x.re = f[0], x.im = f[1];
		break;
	default:
		x.re = d[0], x.im = d[1];
		break;
	}
	return x;
}

static void store(int type, void *p, struct number x)
{
	float *f = p;
	double *d = p;

	switch (type) {
	case CLOPT_TYPE_FLOAT:
		f[0] = (float)x.re;
		break;
	case CLOPT_TYPE_DOUBLE:
		d[0] = x.re;
		break;
	case CLOPT_TYPE_COMPLEX_FLOAT:
		f[0] = (float)x.re, f[1] = (float)x.im;
		break;
	default:
		d[0] = x.re, d[1] = x.im;
		break;
	}
}

/* alpha x.  An alpha without imaginary part multiplies as a real number, so that infinities stay.
 * An alpha of 0 gives zeros for all numbers, as on a device. */
static struct number times(struct number alpha, struct number x)
{
	const struct number scaled = { alpha.re * x.re, alpha.re * x.im };
	const struct number product = { alpha.re * x.re - alpha.im * x.im,
		                        alpha.re * x.im + alpha.im * x.re };
	const struct number zero = { 0, 0 };

	if (alpha.re == 0 && alpha.im == 0)
		return zero;
	return alpha.im == 0 ? scaled : product;
}

static void copy(const struct matcopy *m, const void *a, void *b)
{
	const size_t elem_bytes = (size_t)m->type & 0xff;
	const char *from = a;
	char *to = b;
	size_t i, j;

	for (i = 0; i < m->rows; i++)
		for (j = 0; j < m->cols; j++) {
			const size_t at = m->transposes ? j * m->ldb + i : i * m->ldb + j;
			struct number x =
			        clopt__blas_number(m->type, from + (i * m->lda + j) * elem_bytes);

			if (m->conjugates)
				x.im = -x.im;
			store(m->type, to + at * elem_bytes, times(m->alpha, x));
		}
}

int clopt__blas_host(const struct matcopy *m, const void *a, void *b)
{
	const size_t elements = m->rows * m->cols;
	const struct matcopy out = { m->type, 0, 0, m->rows, m->cols, m->lda, m->cols, { 1, 0 } };
	struct matcopy back = *m;
	void *between;

	if (elements == 0)
		return CLOPT_OK;
	if (a != b) {
		copy(m, a, b);
		return CLOPT_OK;
	}
	between = malloc(elements * ((size_t)m->type & 0xff));
	if (!between)
		return CLOPT_ENOMEM;
	copy(&out, a, between);
	back.lda = m->cols;
	copy(&back, between, b);
	free(between);
	return CLOPT_OK;
}
