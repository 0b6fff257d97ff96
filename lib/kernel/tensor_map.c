/* SPDX-License-Identifier: MIT */
/*
 * tensor_map.c - maps by which Hopper's tensor memory accelerator finds a matrix:
 * cl/matmul/tma.clh.
 *
 * CUDA's driver makes such maps, but does not document their bits.  Here they are where ptxas puts
 * the values of tensormap.replace.  Word 0 is the array's address, a separate argument that
 * OpenCL's driver fills in.  So no address is asked for or kept.
 */
#include <string.h>

#include "program.h"

#define CHUNK 16 /* bytes; strides are multiples of it */
#define LINE 128 /* bytes of a box's line; lines are swizzled */
#define MOST_STRIDE ((cl_ulong)1 << 40)
/* Coordinates are signed, and those of boxes at the edges exceed the sizes. */
#define MOST_SIZE (((size_t)1 << 31) - 1024)

static cl_ulong number_of_type(const struct element_type *type)
{
	return type->type == CLOPT_TYPE_HALF     ? 6 :
	       type->type == CLOPT_TYPE_BFLOAT16 ? 10 :
	       type->part == CLOPT_TYPE_DOUBLE   ? 9 :
	                                           7;
}

static int fits(cl_ulong stride)
{
	return stride % CHUNK == 0 && stride < MOST_STRIDE;
}

/* Coordinates: within a line, the line, the matrix, and 1 for an array that does not begin where
 * its memory does. */
int clopt__tensor_map(const struct launch *l, unsigned operand, cl_ulong word[16])
{
	const struct op *op = clopt__ops[l->v->op];
	const struct operand_shape shape = op->shape(l->problem, operand);
	const struct array *a = l->arrays[operand];
	const size_t lines = l->dim[shape.row_dim], length = l->dim[shape.column_dim];
	const cl_ulong pitch = a->pitch_bytes;
	const cl_ulong stride = a->stride_bytes ? a->stride_bytes : CHUNK;
	const cl_ulong offset = a->offset_bytes ? a->offset_bytes : CHUNK;
	const cl_ulong across = LINE / l->problem->elem_bytes;
	const cl_ulong high = shape.column_dim == op->sum ?
	                              clopt__out(l->v, l->problem, operand ? 0 : 1) :
	                              across;

	memset(word, 0, 16 * sizeof *word);
	if (!lines || !length || lines > MOST_SIZE || length > MOST_SIZE || l->batch > MOST_SIZE ||
	    !fits(pitch) || !fits(stride) || !fits(offset))
		return 0;
	/* Four coordinates, the type, chunks swizzled over 128 bytes, 128 bytes at a time to the
	 * cache, floats rounded to tf32 where that is allowed. */
	word[1] = 2 << 17 | (l->v->math ? 1 << 16 : 0) | 3 << 4 |
	          number_of_type(clopt__type(l->problem->type)) << 7 | 3 << 13 |
	          pitch / CHUNK << 32;
	word[2] = (stride / CHUNK & 0xffffffff) | offset / CHUNK << 32;
	word[3] = (pitch >> 36 | stride >> 36 << 4 | offset >> 36 << 8) << 32;
	word[4] = (cl_ulong)(length - 1) | (cl_ulong)(lines - 1) << 32;
	word[5] = (cl_ulong)((a->stride_bytes ? l->batch : 1) - 1) |
	          (cl_ulong)(a->offset_bytes != 0) << 32;
	word[6] = (across - 1) << 56;
	word[7] = high - 1;
	return 1;
}
