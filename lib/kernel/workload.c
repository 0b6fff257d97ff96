/* SPDX-License-Identifier: MIT */
/*
 * workload.c - the workload of a job with a row: along which sizes it may be cut, and in what
 * units.  And the job that stands for a problem.
 */
#include <stdint.h>
#include <string.h>

#include "../device/device.h"
#include "kernel.h"

#define MOST_GROUPS ((size_t)65535) /* with LIMITS_GROUPS */

/*
 * Set how a part of a sum continues earlier parts.  Without part_bytes it is added to their
 * results.  With part_bytes it continues the sums that they kept, and the last part makes results
 * of the sums.  Pairs: `keep' is 2 in the first part, 3 in later ones, 1 in the last.  Products:
 * parts before the last have alpha = 0, beta = 1.
 */
static void set_part(const struct workload *w, const struct block *b, struct launch *l,
                     double *real)
{
	const struct op *op = clopt__ops[w->v->op];
	const int later = w->sum != NO_DIM && b->first[w->sum] > 0;
	const int more = w->part_bytes && b->first[w->sum] + b->count[w->sum] < w->dim[w->sum];
	const int product = w->v->op == CLOPT_OP_MATMUL;

	if (product && w->part_bytes)
		l->goes_on = later;
	else if (later)
		real[op->keep] = 1;
	if (product && (more || (later && !w->part_bytes))) {
		real[op->keep] = 1;
		real[op->reals + op->keep] = 0; /* its imaginary part */
	}
	if (product && more)
		real[0] = real[op->reals] = 0;
	if (!product && more)
		real[op->keep] += 2;
}

/* Whether no later part adds to the block's results. */
static int part_ends(const struct workload *w, const struct block *b)
{
	return w->sum == NO_DIM || b->first[w->sum] + b->count[w->sum] == w->dim[w->sum];
}

static int launch(struct clopt *ctx, cl_command_queue q, const struct workload *w,
                  const struct block *b, const struct array *const *arrays, struct waits wait,
                  cl_event *event)
{
	const struct job *job = w->what;
	const int batch = job->problem.batch > 1;
	double real[MAX_REALS];
	struct array matrices[MAX_OPERANDS];
	const struct array *of_batch[MAX_OPERANDS];
	struct launch l = { .v = w->v,
		            .kernel = w->kernel,
		            .problem = &job->problem,
		            .dim = b->count,
		            .batch = 1,
		            .real = real,
		            .arrays = arrays,
		            .logged = w->logged };
	unsigned i;

	memcpy(real, job->real, sizeof real);
	set_part(w, b, &l, real);
	if (job->problem.triangle && !batch) /* triangles of a batch are whole */
		l.lower = (ptrdiff_t)b->first[0] - (ptrdiff_t)b->first[1];
	for (i = 0; batch && i < w->operands; i++) {
		const struct operand *o = &w->operand[i];

		of_batch[i] = &matrices[i];
		matrices[i] = *arrays[i];
		matrices[i].stride_bytes = o->row_dim == NO_DIM ? 0 : arrays[i]->pitch_bytes;
		matrices[i].pitch_bytes = o->inner_ld * o->elem_bytes;
	}
	if (batch) {
		l.dim = job->problem.dim;
		l.batch = b->count[0];
		l.arrays = of_batch;
	}
	if (job->epilogue.result)
		return clopt__launch_to(ctx, q, &l, job, part_ends(w, b), wait, event);
	return clopt__launch(ctx, q, &l, wait, event);
}

static size_t workspace(const struct workload *w, const size_t step[3])
{
	const struct clopt_problem *p = &((const struct job *)w->what)->problem;
	const int batch = p->batch > 1;
	struct inputs in;
	unsigned i;

	for (i = 0; i < 2; i++) {
		const struct operand *o = &w->operand[i];
		const size_t row = batch ? o->inner_ld : step[o->column_dim];
		const size_t bytes = clopt__times(row, o->elem_bytes);

		in.matrices[i] = batch && o->row_dim != NO_DIM ? step[0] : 1;
		in.odd[i] = (batch ? bytes | clopt__times(o->ld, o->elem_bytes) :
		                     clopt__array_pitch(bytes, clopt__layout(w, i))) %
		                    ROW_CHUNK !=
		            0;
	}
	return w->v->moduli ? clopt__int8_bytes(w->v, p, batch ? p->dim : step, in.matrices,
	                                        batch ? step[0] : 1) :
	                      clopt__workspace_bytes(w->v, p, batch ? p->dim : step, &in);
}

/* Set the cuts of a batch: between its products only.  most: groups along an axis. */
static void work_batch(const struct job *job, size_t most, struct workload *w)
{
	unsigned i;

	for (i = 0; i < 3; i++) {
		w->dim[i] = i == 0 ? job->problem.batch : 1;
		w->tile[i] = w->grain[i] = 1;
		w->most[i] = most;
	}
	w->cut[0] = 0;
	w->cut[1] = NO_DIM;
	w->sum = NO_DIM;
	w->part_bytes = 0;
}

/* Seconds for the residues of all of op(B), which each block of an int8 row makes again.  A double
 * is read twice, and `moduli` bytes are written; both twice for a part of a complex number.  A byte
 * is copied. */
#define RESIDUES_RATE 2.5e12 /* bytes per second, of an H200 */
static double residues_seconds(const struct variant *v, const struct job *job)
{
	const struct operand *b = &job->operand[1];
	const double bytes = (double)b->rows * (double)b->columns * (double)b->elem_bytes;
	const double each = v->moduli > 1 ? 2 + v->moduli / 8.0 : 2;

	return job->problem.batch > 1 ?
	               0 :
	               bytes * each * clopt__type(job->problem.type)->parts / RESIDUES_RATE;
}

/* Blocks of arrays that are used in place begin at multiples of this many rows or columns. */
#define ALIGNED 64

/* The least common multiple. */
static size_t common(size_t a, size_t b)
{
	size_t x = a, y = b, rest;

	while (y) {
		rest = x % y;
		x = y;
		y = rest;
	}
	return a / x * b;
}

void clopt__workload(const struct clopt *ctx, const struct job *job, const struct variant *v,
                     struct workload *w)
{
	const struct op *op = clopt__ops[v->op];
	const int limited = clopt__works_around(ctx, LIMITS_GROUPS);
	unsigned i;

	memset(w, 0, sizeof *w);
	w->op = v->op;
	w->units = clopt__units(&job->problem);
	w->one_by_one = v->out[0] * v->out[1] == v->wg[0] * v->wg[1];
	for (i = 0; i < 3; i++) {
		w->dim[i] = i < op->dims ? job->problem.dim[i] : 1;
		w->tile[i] = i == op->sum ? clopt__sum_tile(v) : 1;
		w->least[i] = 1;
		w->most[i] = SIZE_MAX;
	}
	for (i = 0; i < 2; i++)
		if (op->extent[i] != NO_DIM)
			w->tile[op->extent[i]] = clopt__out(v, &job->problem, i);
	w->unmapped = ctx->device.traits & T_CPU && clopt__works_around(ctx, SKIPS_MAPS);
	w->views = op->views && job->problem.batch <= 1 && !v->images && !v->texels;
	for (i = 0; i < 3; i++)
		w->grain[i] = common(v->spread ? 1 : w->tile[i], w->views ? ALIGNED : 1);
	if (limited && op->extent[1] != NO_DIM)
		w->most[op->extent[1]] = MOST_GROUPS * clopt__out(v, &job->problem, 1);
	memcpy(w->cut, op->cut, sizeof w->cut);
	w->sum = v->moduli > 1 ? NO_DIM : op->sum; /* the norms of whole lines decide its bits */
	w->part_bytes = clopt__part_bytes(v, &job->problem);
	if (op->sum != NO_DIM) { /* a cut inside a tile changes bits */
		w->least[op->sum] = w->tile[op->sum];
		if (v->rest_first && w->dim[op->sum] % w->tile[op->sum])
			w->rest = w->tile[op->sum] - w->dim[op->sum] % w->tile[op->sum];
	}
	if (job->problem.batch > 1)
		work_batch(job, limited ? MOST_GROUPS : SIZE_MAX, w);
	w->operands = clopt__operands(job);
	w->operand = job->operand;
	w->images = v->images;
	w->texels = v->texels;
	for (i = 0; i < op->operands; i++)
		w->align_bytes[i] = clopt__larger(v->align * job->problem.elem_bytes,
		                                  clopt__elem_bytes(&job->problem, i)) *
		                    (job->problem.outputs == CLOPT_OUTPUTS_JERK ? 2 : 1);
	for (; i < w->operands; i++)
		w->align_bytes[i] = sizeof(cl_float);
	w->packed = !op->pitched;
	w->workspace = v->maps || v->moduli ? workspace : NULL;
	w->each_seconds = v->moduli ? residues_seconds(v, job) : 0;
	w->name = v->name, w->math = v->math;
	w->launch = launch;
	w->what = job;
	w->v = v;
}

int clopt__cut_in_parts(struct clopt *ctx, const struct workload *w)
{
	struct cut p;

	return w->part_bytes && clopt__cut(ctx, w, &p) == CLOPT_OK &&
	       p.step[w->sum] < w->dim[w->sum];
}

struct clopt_problem clopt__problem_in_parts(const struct clopt_problem *problem)
{
	struct clopt_problem p = *problem;

	p.reserved |= FORM_IN_PARTS;
	return p;
}

/* ---- Problems without arrays */

/* Limit of a problem's arrays in bytes.  The rest of the address space is for pages between
 * them. */
#define MOST_BYTES (SIZE_MAX / 16 * 15)

int clopt__job_of_problem(const struct clopt *ctx, const struct clopt_problem *problem,
                          struct job *job)
{
	const struct op *op = clopt__ops[problem->op];
	double all = 0;
	unsigned i;

	*job = (struct job){ .problem = *problem };
	clopt__epilogue_of(problem->reserved, job);
	for (i = op->operands; i < clopt__operands(job); i++)
		clopt__job_operand(job, i);
	for (i = 0; i < op->operands; i++) {
		struct operand *o = &job->operand[i];
		double bytes;

		o->ld = 1; /* batch: no operand is shared by its products */
		clopt__job_operand(job, i);
		bytes = (double)o->rows * (double)o->columns * (double)o->elem_bytes;
		all += bytes;
		if (all > (double)MOST_BYTES)
			return clopt__fail(ctx, CLOPT_ENOMEM,
			                   "%s would be %g bytes, with the arrays before it %g: "
			                   "that is more than can be allocated",
			                   op->operand[i], bytes, all);
		o->ld = o->columns;
		if (i + 1 < op->operands)
			o->use = o->columns || o->column_dim != NO_DIM ? OPERAND_IN : 0;
		else /* the other triangle is copied back unchanged */
			o->use = problem->triangle ? OPERAND_IN | OPERAND_OUT : OPERAND_OUT;
	}
	return CLOPT_OK;
}

int clopt__fits_memory(struct clopt *ctx, const struct variant *v,
                       const struct clopt_problem *problem, double *free_seconds, size_t *least)
{
	struct job job;
	struct workload w;
	struct cut p = { .bytes = SIZE_MAX };
	int rc = CLOPT_OK;

	TRY(clopt__job_of_problem(ctx, problem, &job));
	clopt__workload(ctx, &job, v, &w);
	w.dry = 1;
	w.free_seconds = *free_seconds;
	rc = clopt__cut(ctx, &w, &p);
	if (!(*free_seconds > 0))
		*free_seconds = p.free_seconds;
out:
	*least = p.bytes;
	return rc;
}
