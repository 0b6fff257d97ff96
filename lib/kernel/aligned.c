/* SPDX-License-Identifier: MIT */
/*
 * aligned.c - the workspace of a product's row with `maps`: copies of inputs that tensor maps
 * cannot describe, and planes (planes.c).
 *
 * Rows that do not begin at multiples of ROW_CHUNK bytes are copied to rows that do.  Inputs that
 * lie across (clopt__turns) are transposed.  The launch then gets the copies as its arrays:
 * cl/matmul/aligned.clh.
 */
#include <string.h>

#include "program.h"

/* Lines of an input of these sizes, and bytes of a line: of the array, then of its copy. */
struct lines {
	size_t lines, bytes, to_lines, to_pitch;
};

static struct lines lines_of(const struct variant *v, const struct clopt_problem *p, unsigned i,
                             const size_t dim[3])
{
	const struct operand_shape shape = clopt__ops[v->op]->shape(p, i);
	const size_t rows = dim[shape.row_dim], columns = dim[shape.column_dim];
	const int turned = clopt__turns(v, p, i);
	const size_t to = clopt__times(turned ? rows : columns, p->elem_bytes);

	return (struct lines){ rows, clopt__times(columns, p->elem_bytes), turned ? columns : rows,
		               clopt__times(clopt__groups(to, ROW_CHUNK), ROW_CHUNK) };
}

static size_t copy_bytes(const struct lines *l, size_t matrices)
{
	return clopt__times(clopt__times(l->to_lines, l->to_pitch), matrices);
}

size_t clopt__workspace_bytes(const struct variant *v, const struct clopt_problem *p,
                              const size_t dim[3], const struct inputs *in)
{
	struct planes made;
	size_t bytes = 0;
	unsigned i;

	if (v->planes) {
		made = clopt__planes(v, p, dim, in->matrices[0]);
		made.copied |= in->odd[0];
		bytes = clopt__planes_bytes(&made);
	}
	for (i = v->planes ? 1 : 0; i < 2; i++) {
		const struct lines l = lines_of(v, p, i, dim);

		if (in->odd[i] || clopt__turns(v, p, i))
			bytes = clopt__plus(bytes, copy_bytes(&l, in->matrices[i]));
	}
	return bytes;
}

/* Largest number of lines, of numbers of a line and of matrices that a tensor map takes. */
#define MOST ((size_t)1 << 30)

int clopt__workspace_fits(const struct clopt *ctx, const struct variant *v,
                          const struct clopt_problem *p, int resident, struct text *why)
{
	const size_t parts = clopt__type(p->type)->parts, matrices = clopt__larger(p->batch, 1);
	const int odd = resident == RESIDENT_ODD;
	const struct inputs in = { { odd, odd }, { matrices, matrices } };
	const size_t made = clopt__workspace_bytes(v, p, p->dim, &in);
	const struct op *op = clopt__ops[v->op];
	size_t bytes = made;
	unsigned i;

	if (p->dim[0] > MOST / parts || p->dim[1] > MOST / parts || p->dim[2] > MOST / parts ||
	    matrices > MOST) {
		clopt__say(why, "its tensor maps take sizes of up to %zu", MOST / parts);
		return 0;
	}
	for (i = 0; i < op->operands; i++) {
		struct operand o = { .ld = 1 }; /* of a batch: not shared */

		clopt__problem_operand(p, i, &o);
		bytes = clopt__plus(bytes,
		                    clopt__times(clopt__times(o.rows, o.columns), o.elem_bytes));
	}
	if (!resident || !made ||
	    (made <= ctx->device.info.max_alloc_bytes && bytes <= clopt__memory(ctx)))
		return 1;
	clopt__say(why, "its workspace of %zu bytes does not fit", made);
	return 0;
}

/* Groups of both kernels; groups along the second axis, whose items take several lines. */
#define GROUP_X 32
#define GROUP_Y 8
#define MOST_GROUPS ((size_t)16384)
#define MOST_MATRICES ((size_t)65535) /* of a launch: NVIDIA's limit of groups */
/* Lines of a group's tile, to be turned, and the bytes of each. */
#define TILE_LINES 32
#define TILE_BYTES 128

/* A launch of copies, and its arguments. */
struct copies {
	cl_kernel kernel;
	struct numbers {
		cl_ulong lines, length, pitch, stride, offset, to_pitch, to_stride, to_offset;
	} of[2];
	cl_mem from[2];
	cl_ulong matrices; /* of the first */
	size_t global[3];
};

static void add(struct copies *c, const struct lines *l, int turned, const struct array *from,
                const struct array *to, size_t matrices)
{
	const size_t x = clopt__groups(l->bytes, turned ? TILE_BYTES : ROW_CHUNK * GROUP_X);
	const size_t y = clopt__groups(l->lines, turned ? TILE_LINES : GROUP_Y);
	const int second = c->global[2] > 0;

	c->of[second] = (struct numbers){ l->lines,           l->bytes,           from->pitch_bytes,
		                          from->stride_bytes, from->offset_bytes, to->pitch_bytes,
		                          to->stride_bytes,   to->offset_bytes };
	c->from[second] = from->mem;
	if (!second) {
		c->from[1] = from->mem;
		c->matrices = matrices;
	}
	c->global[0] = clopt__larger(c->global[0], x * GROUP_X);
	c->global[1] = clopt__larger(c->global[1], clopt__smaller(y, MOST_GROUPS) * GROUP_Y);
	c->global[2] += matrices;
}

static int run(struct clopt *ctx, cl_command_queue q, const struct copies *c, cl_mem to,
               struct waits wait)
{
	const size_t local[3] = { GROUP_X, GROUP_Y, 1 };
	cl_uint n = 0;
	unsigned i;
	int rc = CLOPT_OK;

	if (!c->global[2])
		return CLOPT_OK;
	for (i = 0; i < 2; i++)
		TRY_CL(ctx, clSetKernelArg(c->kernel, n++, sizeof c->of[i], &c->of[i]));
	TRY_CL(ctx, clSetKernelArg(c->kernel, n++, sizeof c->matrices, &c->matrices));
	TRY_CL(ctx, clSetKernelArg(c->kernel, n++, sizeof to, &to));
	for (i = 0; i < 2; i++)
		TRY_CL(ctx, clSetKernelArg(c->kernel, n++, sizeof c->from[i], &c->from[i]));
	TRY(clopt__enqueue_kernel(ctx, q, c->kernel, 3, NULL, c->global, local, wait, NULL));
out:
	return rc;
}

int clopt__align(struct clopt *ctx, cl_command_queue q, struct launch *l, struct aligned *own,
                 struct waits wait)
{
	const struct variant *v = l->v;
	const struct clopt_problem *p = l->problem;
	const int turns[2] = { clopt__turns(v, p, 0), clopt__turns(v, p, 1) };
	struct copies turned = { 0 }, aligned = { 0 };
	const struct kernel *k;
	struct inputs in;
	size_t at = 0;
	cl_mem mem;
	unsigned i;
	int rc = CLOPT_OK;

	for (i = 0; i < 2; i++) {
		const struct array *a = l->arrays[i];

		in.odd[i] = (a->pitch_bytes | a->stride_bytes | a->offset_bytes) % ROW_CHUNK != 0;
		in.matrices[i] = a->stride_bytes ? l->batch : 1;
	}
	if (!turns[0] && !turns[1] && !in.odd[0] && !in.odd[1])
		return CLOPT_OK;
	k = clopt__kernel_of(ctx, l->kernel);
	turned.kernel = k->turned;
	aligned.kernel = k->aligned;
	memcpy(own->arrays, l->arrays, 3 * sizeof *own->arrays);
	if (v->planes) /* they come first, and stand for A */
		at = clopt__workspace_bytes(
		        v, p, l->dim, &(struct inputs){ { in.odd[0], 0 }, { in.matrices[0], 1 } });
	TRY(clopt__workspace(ctx, q, clopt__workspace_bytes(v, p, l->dim, &in), &mem));
	for (i = v->planes ? 1 : 0; i < 2; i++) {
		const struct lines lines = lines_of(v, p, i, l->dim);
		struct copies *of = turns[i] ? &turned : &aligned;
		struct array *to = &own->copy[i];

		if ((!in.odd[i] && !turns[i]) || !copy_bytes(&lines, 1))
			continue;
		*to = (struct array){ .mem = mem,
			              .pitch_bytes = lines.to_pitch,
			              .stride_bytes =
			                      in.matrices[i] > 1 ? copy_bytes(&lines, 1) : 0,
			              .offset_bytes = at };
		at += copy_bytes(&lines, in.matrices[i]);
		if (of->global[2] + in.matrices[i] > MOST_MATRICES) {
			TRY(run(ctx, q, of, mem, wait));
			*of = (struct copies){ .kernel = of->kernel };
		}
		add(of, &lines, turns[i], l->arrays[i], to, in.matrices[i]);
		own->arrays[i] = to;
	}
	TRY(run(ctx, q, &turned, mem, wait));
	TRY(run(ctx, q, &aligned, mem, wait));
	l->arrays = own->arrays;
	own->problem = *p;
	if (turns[0])
		own->problem.transa = CLOPT_TRANS_NO;
	if (turns[1])
		own->problem.transb = CLOPT_TRANS_YES;
	l->problem = &own->problem;
out:
	return rc;
}
