/* SPDX-License-Identifier: MIT */
/*
 * peers_blas.c - the calls of OpenBLAS and CLBlast.
 *
 * Their headers need not be installed, so the types of their functions are here.
 * Layouts and transposes are the same numbers as clopt.h's, which are CBLAS's.
 */
#include "peers.h"

#include <string.h>

/* One of the two sets of types: for float and for double. */
#define TYPES(real, gemm, gemv, omatcopy) \
	typedef void gemm(int, int, int, int, int, int, real, const real *, int, const real *, \
	                  int, real, real *, int); \
	typedef void gemv(int, int, int, int, real, const real *, int, const real *, int, real, \
	                  real *, int); \
	typedef void omatcopy(int, int, int, int, real, const real *, int, real *, int)
TYPES(float, sgemm, sgemv, somatcopy);
TYPES(double, dgemm, dgemv, domatcopy);

typedef void cgemm(int, int, int, int, int, int, const void *, const void *, int, const void *, int,
                   const void *, void *, int);

#define CL_TYPES(real, gemm, batched, omatcopy) \
	typedef int gemm(int, int, int, size_t, size_t, size_t, real, cl_mem, size_t, size_t, \
	                 cl_mem, size_t, size_t, real, cl_mem, size_t, size_t, cl_command_queue *, \
	                 cl_event *); \
	typedef int batched(int, int, int, size_t, size_t, size_t, real, cl_mem, size_t, size_t, \
	                    size_t, cl_mem, size_t, size_t, size_t, real, cl_mem, size_t, size_t, \
	                    size_t, size_t, cl_command_queue *, cl_event *); \
	typedef int omatcopy(int, int, size_t, size_t, real, cl_mem, size_t, size_t, cl_mem, \
	                     size_t, size_t, cl_command_queue *, cl_event *)
CL_TYPES(float, cl_sgemm, cl_sbatched, cl_somatcopy);
CL_TYPES(double, cl_dgemm, cl_dbatched, cl_domatcopy);

struct lines {
	size_t a, b, c; /* leading dimensions */
};

static struct lines lines(const struct peers_case *c)
{
	struct lines l;

	l.a = c->transa == CLOPT_TRANS_YES ? c->m : c->k;
	l.b = c->transb == CLOPT_TRANS_YES ? c->k : c->n;
	l.c = c->n;
	return l;
}

/* ---- OpenBLAS ---------------------------------------------------------------------- */

static void transpose(const struct peers_job *j)
{
	const int m = (int)j->c->m, n = (int)j->c->n;

	if (j->c->elem_bytes == 4)
		((somatcopy *)peers_blas.omatcopy[0])(CLOPT_LAYOUT_ROW_MAJOR, CLOPT_TRANS_YES, m, n,
		                                      1.0f, j->host[0], n, j->host[2], m);
	else
		((domatcopy *)peers_blas.omatcopy[1])(CLOPT_LAYOUT_ROW_MAJOR, CLOPT_TRANS_YES, m, n,
		                                      1.0, j->host[0], n, j->host[2], m);
}

/* y = op(M) x, for products with one column, or with one row after transposing both sides. */
static void vector(const struct peers_job *j)
{
	const struct peers_case *c = j->c;
	const struct lines l = lines(c);
	const int column = c->n == 1, matrix = column ? 0 : 1;
	const int other = c->transb == CLOPT_TRANS_YES ? CLOPT_TRANS_NO : CLOPT_TRANS_YES;
	const int turned = column ? c->transa : other;
	const int wide = (int)(column ? l.a : l.b);
	const size_t along = column ? c->m : c->n;
	const int rows = (int)(turned == CLOPT_TRANS_YES ? c->k : along);
	const int cols = (int)(turned == CLOPT_TRANS_YES ? along : c->k);

	if (c->elem_bytes == 4)
		((sgemv *)peers_blas.gemv[0])(CLOPT_LAYOUT_ROW_MAJOR, turned, rows, cols, 1.0f,
		                              j->host[matrix], wide, j->host[1 - matrix], 1, 0.0f,
		                              j->host[2], 1);
	else
		((dgemv *)peers_blas.gemv[1])(CLOPT_LAYOUT_ROW_MAJOR, turned, rows, cols, 1.0,
		                              j->host[matrix], wide, j->host[1 - matrix], 1, 0.0,
		                              j->host[2], 1);
}

/* The i-th product of a batch. */
static void product(const struct peers_job *j, size_t i)
{
	const struct peers_case *c = j->c;
	const struct lines l = lines(c);
	const int m = (int)c->m, n = (int)c->n, k = (int)c->k;
	const size_t a = i * c->m * c->k, b = i * c->k * c->n, out = i * c->m * c->n;
	const float one[2] = { 1, 0 }, zero[2] = { 0, 0 };
	const double done[2] = { 1, 0 }, dzero[2] = { 0, 0 };

	if (c->pairs)
		((cgemm *)peers_blas.gemm[c->elem_bytes == 8 ? 2 : 3])(
		        CLOPT_LAYOUT_ROW_MAJOR, c->transa, c->transb, m, n, k,
		        c->elem_bytes == 8 ? (const void *)one : done,
		        (char *)j->host[0] + a * c->elem_bytes, (int)l.a,
		        (char *)j->host[1] + b * c->elem_bytes, (int)l.b,
		        c->elem_bytes == 8 ? (const void *)zero : dzero,
		        (char *)j->host[2] + out * c->elem_bytes, (int)l.c);
	else if (c->elem_bytes == 4)
		((sgemm *)peers_blas.gemm[0])(CLOPT_LAYOUT_ROW_MAJOR, c->transa, c->transb, m, n, k,
		                              1.0f, (float *)j->host[0] + a, (int)l.a,
		                              (float *)j->host[1] + b, (int)l.b, 0.0f,
		                              (float *)j->host[2] + out, (int)l.c);
	else
		((dgemm *)peers_blas.gemm[1])(CLOPT_LAYOUT_ROW_MAJOR, c->transa, c->transb, m, n, k,
		                              1.0, (double *)j->host[0] + a, (int)l.a,
		                              (double *)j->host[1] + b, (int)l.b, 0.0,
		                              (double *)j->host[2] + out, (int)l.c);
}

int peers_call_openblas(struct peers_job *j)
{
	size_t i;

	if (j->c->k == 0)
		transpose(j);
	else if ((j->c->m == 1 || j->c->n == 1) && j->c->batch == 1 && !j->c->pairs)
		vector(j);
	else
		for (i = 0; i < j->c->batch; i++)
			product(j, i);
	return 0;
}

/* ---- CLBlast ----------------------------------------------------------------------- */

static int cl_transpose(struct peers_job *j)
{
	const size_t m = j->c->m, n = j->c->n;

	if (j->c->elem_bytes == 4)
		return ((cl_somatcopy *)peers_clblast.omatcopy[0])(
		        CLOPT_LAYOUT_ROW_MAJOR, CLOPT_TRANS_YES, m, n, 1.0f, j->mem[0], 0, n,
		        j->mem[2], 0, m, &j->d->queue, NULL);
	return ((cl_domatcopy *)peers_clblast.omatcopy[1])(CLOPT_LAYOUT_ROW_MAJOR, CLOPT_TRANS_YES,
	                                                   m, n, 1.0, j->mem[0], 0, n, j->mem[2], 0,
	                                                   m, &j->d->queue, NULL);
}

static int cl_products(struct peers_job *j)
{
	const struct peers_case *c = j->c;
	const struct lines l = lines(c);
	const size_t a = c->m * c->k, b = c->k * c->n, out = c->m * c->n;

	if (c->elem_bytes == 4)
		return ((cl_sbatched *)peers_clblast.batched[0])(
		        CLOPT_LAYOUT_ROW_MAJOR, c->transa, c->transb, c->m, c->n, c->k, 1.0f,
		        j->mem[0], 0, l.a, a, j->mem[1], 0, l.b, b, 0.0f, j->mem[2], 0, l.c, out,
		        c->batch, &j->d->queue, NULL);
	return ((cl_dbatched *)peers_clblast.batched[1])(
	        CLOPT_LAYOUT_ROW_MAJOR, c->transa, c->transb, c->m, c->n, c->k, 1.0, j->mem[0], 0,
	        l.a, a, j->mem[1], 0, l.b, b, 0.0, j->mem[2], 0, l.c, out, c->batch, &j->d->queue,
	        NULL);
}

int peers_call_clblast(struct peers_job *j)
{
	const struct peers_case *c = j->c;
	const struct lines l = lines(c);

	if (c->k == 0)
		return cl_transpose(j);
	if (c->batch > 1)
		return cl_products(j);
	if (c->elem_bytes == 4)
		return ((cl_sgemm *)peers_clblast.gemm[0])(
		        CLOPT_LAYOUT_ROW_MAJOR, c->transa, c->transb, c->m, c->n, c->k, 1.0f,
		        j->mem[0], 0, l.a, j->mem[1], 0, l.b, 0.0f, j->mem[2], 0, l.c, &j->d->queue,
		        NULL);
	return ((cl_dgemm *)peers_clblast.gemm[1])(
	        CLOPT_LAYOUT_ROW_MAJOR, c->transa, c->transb, c->m, c->n, c->k, 1.0, j->mem[0], 0,
	        l.a, j->mem[1], 0, l.b, 0.0, j->mem[2], 0, l.c, &j->d->queue, NULL);
}
