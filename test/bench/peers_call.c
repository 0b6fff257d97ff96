/* SPDX-License-Identifier: MIT */
/*
 * peers_call.c - libclopt's calls, and its list of peers.
 *
 * On a processor the call takes the program's arrays and all of it is timed; on other devices
 * arrays are on the device, and neither side moves them.
 */
#include "peers.h"

static struct clopt_gemm_desc describe(const struct peers_case *c)
{
	struct clopt_gemm_desc g = CLOPT_GEMM_DESC_INIT;

	g.type = !c->pairs          ? (int)c->elem_bytes :
	         c->elem_bytes == 8 ? CLOPT_TYPE_COMPLEX_FLOAT :
	                              CLOPT_TYPE_COMPLEX_DOUBLE;
	g.transa = c->transa;
	g.transb = c->transb;
	g.m = c->m;
	g.n = c->n;
	g.k = c->k;
	g.lda = c->transa == CLOPT_TRANS_YES ? c->m : c->k;
	g.ldb = c->transb == CLOPT_TRANS_YES ? c->k : c->n;
	g.ldc = c->n;
	g.batch = c->batch;
	g.stride_a = c->m * c->k;
	g.stride_b = c->k * c->n;
	g.stride_c = c->m * c->n;
	return g;
}

static int call_clopt(struct peers_job *j)
{
	const struct peers_case *c = j->c;
	const struct clopt_gemm_desc g = describe(c);
	struct clopt_order order = CLOPT_ORDER_INIT;

	order.queue = j->d->order;
	if (c->k == 0)
		return j->d->cpu ? clopt_transpose(j->d->ctx, c->m, c->n, c->elem_bytes, j->host[0],
		                                   c->n, j->host[2], c->m) :
		                   clopt_transpose_buffers(j->d->ctx, c->m, c->n, c->elem_bytes,
		                                           j->buffer[0], c->n, j->buffer[2], c->m,
		                                           &order);
	return j->d->cpu ? clopt_gemm(j->d->ctx, &g, j->host[0], j->host[1], j->host[2]) :
	                   clopt_gemm_buffers(j->d->ctx, &g, j->buffer[0], j->buffer[1],
	                                      j->buffer[2], &order);
}

static int always(const struct peers_job *j)
{
	return j != NULL;
}

/* A library on another processor than libclopt's device is no peer. */
static int has_openblas(const struct peers_job *j)
{
	return peers_blas.name[0] && j->d->cpu &&
	       (j->c->pairs || j->c->elem_bytes == 4 || j->c->elem_bytes == 8);
}

static int has_clblast(const struct peers_job *j)
{
	return peers_clblast.name[0] && !j->c->pairs &&
	       (j->c->elem_bytes == 4 || j->c->elem_bytes == 8);
}

static int is_transpose(const struct peers_job *j)
{
	return j->c->k == 0;
}

const struct peers_candidate peers_candidates[PEERS_CANDIDATES] = {
	{ "libclopt", always, call_clopt, 1, 1.0 },
	{ "OpenBLAS", has_openblas, peers_call_openblas, 1, 0.95 },
	{ "CLBlast", has_clblast, peers_call_clblast, 1, 1.0 },
	{ "copy kernel", is_transpose, peers_call_copy, 0, 0.85 },
	{ "clEnqueueCopyBuffer", is_transpose, peers_call_copy_buffer, 0, 0.85 },
};
