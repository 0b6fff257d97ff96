/* SPDX-License-Identifier: MIT */
/*
 * call.c - a problem's arrays, with numbers from a half to one, and its routine on them.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"

struct case_job {
	struct clopt_problem p;
	void *array[4];
};

/* Of a type, whose low byte is its size; real numbers in turn of a complex one. */
static void *numbers(size_t count, int type, uint64_t *x)
{
	const size_t bytes = count * ((size_t)type & 0xff);
	unsigned char *const to = malloc(bytes + sizeof *x);
	uint64_t bits;
	size_t i;

	for (i = 0; to && i < bytes; i += sizeof bits) {
		*x ^= *x << 13;
		*x ^= *x >> 7;
		*x ^= *x << 17;
		bits = *x;
		if (type == CLOPT_TYPE_DOUBLE || type == CLOPT_TYPE_COMPLEX_DOUBLE)
			bits = bits >> 12 | (uint64_t)0x3fe << 52;
		else if (type == CLOPT_TYPE_FLOAT || type == CLOPT_TYPE_COMPLEX_FLOAT)
			bits = (bits & 0x007fffff007fffff) | 0x3f0000003f000000;
		memcpy(to + i, &bits, sizeof bits);
	}
	return to;
}

/* Elements of array i, and their type; 0: there is none. */
static size_t elements(const struct clopt_problem *p, int i, int *type)
{
	const size_t m = p->dim[0], n = p->dim[1], k = p->dim[2];
	const size_t sizes[][4] = {
		[CLOPT_OP_MATMUL] = { m * k, k * n, m * n },
		[CLOPT_OP_TRANSPOSE] = { m * n, m * n },
		[CLOPT_OP_POTENTIAL] = { 4 * m, 4 * n, n, p->normals ? 4 * n : 0 },
		[CLOPT_OP_NBODY] = { 4 * m, 4 * n, 4 * n },
		[CLOPT_OP_LEAPFROG] = { 4 * m, 4 * m },
		[CLOPT_OP_EVOLVE_STEP] = { 4 * m, 4 * m },
	};

	/* Of int8, results have four bytes. */
	*type = i == 2 && p->type == CLOPT_TYPE_INT8 ? CLOPT_TYPE_FLOAT :
	        p->op == CLOPT_OP_EVOLVE_STEP        ? CLOPT_TYPE_DOUBLE :
	        p->op >= CLOPT_OP_POTENTIAL          ? CLOPT_TYPE_FLOAT :
	        p->type                              ? p->type :
	                                               (int)p->elem_bytes;
	return sizes[p->op][i];
}

struct case_job *case_open(const struct clopt_problem *p)
{
	struct case_job *job = calloc(1, sizeof *job);
	uint64_t x = 88172645463325252u;
	int i, type;
	size_t n;

	if (!job)
		return NULL;
	job->p = *p;
	for (i = 0; i < 4; i++) {
		n = elements(p, i, &type);
		if (n && !(job->array[i] = numbers(n, type, &x))) {
			case_close(job);
			return NULL;
		}
	}
	return job;
}

void case_close(struct case_job *job)
{
	int i;

	for (i = 0; job && i < 4; i++)
		free(job->array[i]);
	free(job);
}

static int matmul(struct clopt *ctx, const struct case_job *job)
{
	const struct clopt_problem *p = &job->p;
	struct clopt_gemm_desc g = CLOPT_GEMM_DESC_INIT;

	g.type = p->type ? p->type : (int)p->elem_bytes;
	g.m = p->dim[0];
	g.n = p->dim[1];
	g.k = p->dim[2];
	return clopt_gemm(ctx, &g, job->array[0], job->array[1], job->array[2]);
}

/* Lengths are those of the points' box, of half a unit; a molecule is a little larger. */
static int potential(struct clopt *ctx, const struct case_job *job)
{
	const int law = job->p.law, is_alpb = law >= CLOPT_LAW_ALPB;
	struct clopt_potential_options o = CLOPT_POTENTIAL_OPTIONS_INIT;

	o.law = is_alpb ? CLOPT_LAW_ALPB : law;
	o.radius = 1.5;
	o.ion_radius = 0.1;
	o.kappa = law == CLOPT_LAW_ALPB || law == CLOPT_LAW_ALPB_INSIDE ? 0 : 2;
	o.projection = law == CLOPT_LAW_ALPB_SALT ? 0.05 :
	               law == CLOPT_LAW_ALPB_FAR  ? 0.2 :
	               law > CLOPT_LAW_ALPB_FAR   ? -0.1 :
	                                            0;
	o.normals = job->array[3];
	return clopt_potential(ctx, job->p.dim[0], job->array[0], job->p.dim[1], job->array[1],
	                       job->array[2], law ? &o : NULL);
}

int case_call(struct clopt *ctx, struct case_job *job)
{
	const struct clopt_problem *p = &job->p;
	const size_t m = p->dim[0], n = p->dim[1];
	struct clopt_nbody_options o = CLOPT_NBODY_OPTIONS_INIT;
	struct clopt_evolve_options e = CLOPT_EVOLVE_OPTIONS_INIT;
	void *const *a = job->array;

	o.softening = e.softening = 0.05;
	o.target_softening = p->law == CLOPT_LAW_GRAVITY_OWN;
	e.precision = p->precision;
	switch (p->op) {
	case CLOPT_OP_MATMUL:
		return matmul(ctx, job);
	case CLOPT_OP_TRANSPOSE:
		return clopt_transpose(ctx, m, n, p->elem_bytes, a[0], n, a[1], m);
	case CLOPT_OP_POTENTIAL:
		return potential(ctx, job);
	case CLOPT_OP_NBODY:
		return clopt_nbody(ctx, m, a[0], n, a[1], a[2], &o);
	case CLOPT_OP_LEAPFROG:
		return clopt_nbody_leapfrog(ctx, m, a[0], a[1], 1e-4, p->steps, &o);
	default:
		return clopt_nbody_evolve(ctx, m, a[0], a[1], 1e-4, p->steps, &e);
	}
}
