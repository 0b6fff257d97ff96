/* SPDX-License-Identifier: MIT */
/*
 * planes.c - workspace of rows whose kernel `planes` splits op(A) before `run` reads it:
 * cl/matmul/wgmma_mix.cl.
 *
 * For 32 numbers of a row there are 128 bytes of planes and, where the accelerator cannot load the
 * array itself in lines along k, 128 bytes of high parts.
 */
#include "program.h"

#define LINE 128
#define NUMBERS 32 /* of a line of LINE bytes */

/* Whether lines of op(A)'s array run across k. */
static int is_across(const struct clopt_problem *p)
{
	return p->transa != CLOPT_TRANS_NO;
}

int clopt__planes_copied(const struct launch *l)
{
	cl_ulong word[16];

	return is_across(l->problem) || !clopt__tensor_map(l, 0, word);
}

struct planes clopt__planes(const struct variant *v, const struct clopt_problem *p,
                            const size_t dim[3], size_t matrices)
{
	const size_t numbers = clopt__times(dim[2], clopt__type(p->type)->parts);

	return (struct planes){
		.lines = dim[0],
		.numbers = numbers,
		.pitch = clopt__times(clopt__groups(numbers, NUMBERS), LINE),
		.matrices = matrices,
		.high = clopt__out(v, p, 1),
		.copied = is_across(p),
	};
}

size_t clopt__planes_bytes(const struct planes *p)
{
	return clopt__times(clopt__times(clopt__times(p->lines, p->pitch), p->matrices),
	                    p->copied ? 2 : 1);
}

/* Numbers that an item has, and items of a group along both axes. */
#define OF_ITEM 8
#define GROUP_X 32
#define GROUP_Y 4
/* Groups along the second axis; their items take several lines. */
#define MOST_GROUPS ((size_t)16384)

int clopt__planes_arguments(struct clopt *ctx, cl_command_queue q, const struct launch *l,
                            cl_uint n, struct first *first)
{
	const cl_kernel kernel = clopt__kernel_of(ctx, l->kernel)->first[0];
	const struct array *a = l->arrays[0];
	struct planes p = clopt__planes(l->v, l->problem, l->dim, a->stride_bytes ? l->batch : 1);
	const size_t eights = p.pitch / LINE * (NUMBERS / OF_ITEM);
	const size_t x = is_across(l->problem) ? p.lines : eights;
	const size_t y = is_across(l->problem) ? eights : p.lines;
	const size_t elem_bytes = l->problem->elem_bytes;
	const cl_ulong number[5] = { p.lines, p.numbers, a->pitch_bytes / elem_bytes,
		                     a->stride_bytes / elem_bytes, a->offset_bytes / elem_bytes };
	cl_ulong word[2][16] = { { 0 } };
	cl_mem made = NULL;
	const cl_uint copied = (cl_uint)clopt__planes_copied(l);
	cl_uint i;
	int rc = CLOPT_OK;

	*first = (struct first){ x && y ? kernel : NULL,
		                 { clopt__groups(x, GROUP_X) * GROUP_X,
		                   clopt__smaller(clopt__groups(y, GROUP_Y), MOST_GROUPS) * GROUP_Y,
		                   p.matrices },
		                 { GROUP_X, GROUP_Y, 1 } };
	p.copied = (int)copied;
	clopt__tensor_map(l, 0, word[1]);
	if (first->kernel) {
		TRY(clopt__workspace(ctx, q, clopt__planes_bytes(&p), &made));
		clopt__tensor_map_of_planes(&p, 0, word[0]);
		if (copied)
			clopt__tensor_map_of_planes(&p, 1, word[1]);
		for (i = 0; i < 5; i++)
			TRY(clopt__argument(ctx, kernel, i, sizeof number[i], &number[i]));
		TRY(clopt__argument(ctx, kernel, i++, sizeof copied, &copied));
		TRY(clopt__argument(ctx, kernel, i++, sizeof a->mem, &a->mem));
		TRY(clopt__argument(ctx, kernel, i++, sizeof made, &made));
	}
	TRY(clopt__argument(ctx, l->kernel, n++, sizeof made, &made));
	TRY(clopt__argument(ctx, l->kernel, n++, 15 * sizeof **word, &word[0][1]));
	TRY(clopt__argument(ctx, l->kernel, n++, sizeof made, copied ? &made : &a->mem));
	TRY(clopt__argument(ctx, l->kernel, n++, 15 * sizeof **word, &word[1][1]));
out:
	return rc;
}
