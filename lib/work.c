/* SPDX-License-Identifier: MIT */
/*
 * work.c - a job and its row of the table as the pipeline sees them.
 */
#include <stdint.h>
#include <string.h>

#include "stream.h"

/* CUDA's limit along y, which some drivers pass on to OpenCL. */
#define MOST_GROUPS ((size_t)65535)

/* A part of a sum is added to what the parts before it have left. */
static int launch(struct clopt *ctx, cl_command_queue q, const struct work *w,
                  const struct block *b, const struct array *const *arrays, struct wait wait,
                  cl_event *event)
{
	const struct job *job = w->what;
	double real[MAX_REALS];

	memcpy(real, job->real, sizeof real);
	if (w->sum != NO_DIM && b->first[w->sum] > 0)
		real[clopt__ops[w->v->op].keep] = 1;
	return clopt__launch(ctx, q, w->v, w->kernel, &job->problem, b->count, real, arrays, wait,
	                     event);
}

/* Sums are cut where kernels end a partial sum of their own. */
#define SUM_TILE 256

void clopt__work(const struct job *job, const struct variant *v, struct work *w)
{
	const struct op *op = &clopt__ops[v->op];
	unsigned i;

	memset(w, 0, sizeof *w);
	for (i = 0; i < 3; i++) {
		w->dim[i] = i < op->dims ? job->problem.dim[i] : 1;
		w->tile[i] = i == op->sum ? SUM_TILE : 1;
		w->least[i] = 1;
		w->most[i] = SIZE_MAX;
	}
	for (i = 0; i < 2; i++)
		if (op->extent[i] != NO_DIM)
			w->tile[op->extent[i]] = v->out[i];
	if (op->extent[1] != NO_DIM)
		w->most[op->extent[1]] = MOST_GROUPS * v->out[1];
	memcpy(w->cut, op->cut, sizeof w->cut);
	w->sum = op->sum;
	w->operands = op->operands;
	w->operand = job->operand;
	w->images = v->images;
	w->texels = v->texels;
	for (i = 0; i < op->operands; i++)
		w->align_bytes[i] = v->align * job->problem.elem_bytes;
	w->packed = !op->pitched;
	w->name = v->name;
	w->launch = launch;
	w->what = job;
	w->v = v;
}

struct extent clopt__extent(const struct operand *o, const struct block *b)
{
	const unsigned dim[2] = { o->row_dim, o->column_dim };
	struct extent e = { { 0, 0 }, { o->rows, o->columns } };
	unsigned i;

	for (i = 0; i < 2; i++)
		if (dim[i] != NO_DIM) {
			e.first[i] = b->first[dim[i]];
			e.count[i] = b->count[dim[i]];
		}
	return e;
}
