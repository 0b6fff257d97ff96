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
	       type->type == CLOPT_TYPE_INT8     ? 0 :
	       type->part == CLOPT_TYPE_DOUBLE   ? 9 :
	                                           7;
}

/* A matrix in memory, and its boxes: `high` lines of LINE bytes. */
struct map_of {
	cl_ulong type; /* of its numbers, `bytes` each */
	int tf32; /* whether they are rounded to tf32 */
	size_t lines, length; /* of numbers */
	cl_ulong bytes, pitch, stride, offset;
	size_t matrices;
	cl_ulong high;
};

static int fits(cl_ulong stride)
{
	return stride % CHUNK == 0 && stride < MOST_STRIDE;
}

/* Coordinates: within a line, the line, the matrix, and 1 for an array that does not begin where
 * its memory does. */
static int set_words(const struct map_of *m, cl_ulong word[16])
{
	const cl_ulong stride = m->stride ? m->stride : CHUNK,
	               offset = m->offset ? m->offset : CHUNK;

	memset(word, 0, 16 * sizeof *word);
	if (!m->lines || !m->length || m->lines > MOST_SIZE || m->length > MOST_SIZE ||
	    m->matrices > MOST_SIZE || !fits(m->pitch) || !fits(stride) || !fits(offset))
		return 0;
	/* Four coordinates, the type, chunks swizzled over 128 bytes, 128 bytes at a time to the
	 * cache, floats rounded to tf32 where that is asked for. */
	word[1] = 2 << 17 | (m->tf32 ? 1 << 16 : 0) | 3 << 4 | m->type << 7 | 3 << 13 |
	          m->pitch / CHUNK << 32;
	word[2] = (stride / CHUNK & 0xffffffff) | offset / CHUNK << 32;
	word[3] = (m->pitch >> 36 | stride >> 36 << 4 | offset >> 36 << 8) << 32;
	word[4] = (cl_ulong)(m->length - 1) | (cl_ulong)(m->lines - 1) << 32;
	word[5] = (cl_ulong)((m->stride ? m->matrices : 1) - 1) | (cl_ulong)(m->offset != 0) << 32;
	word[6] = (LINE / m->bytes - 1) << 56;
	word[7] = m->high - 1;
	return 1;
}

int clopt__tensor_map(const struct launch *l, unsigned operand, cl_ulong word[16])
{
	const struct op *op = clopt__ops[l->v->op];
	const struct operand_shape shape = op->shape(l->problem, operand);
	const struct element_type *type = clopt__type(l->problem->type);
	const struct array *a = l->arrays[operand];
	const int by_k = shape.column_dim == op->sum;
	const struct map_of m = {
		.type = number_of_type(type),
		.tf32 = l->v->math || (l->v->planes && operand == 0),
		.lines = l->dim[shape.row_dim],
		.length = l->dim[shape.column_dim] * type->parts,
		.bytes = l->problem->elem_bytes / type->parts,
		.pitch = a->pitch_bytes,
		.stride = a->stride_bytes,
		.offset = a->offset_bytes,
		.matrices = l->batch,
		.high = by_k ? clopt__out(l->v, l->problem, operand ? 0 : 1) :
		               LINE / l->problem->elem_bytes,
	};

	return set_words(&m, word);
}

int clopt__tensor_map_of_planes(const struct planes *p, int copied, cl_ulong word[16])
{
	const struct map_of m = {
		.type = 7,
		.lines = p->lines,
		.length = p->pitch / sizeof(float),
		.bytes = sizeof(float),
		.pitch = p->pitch,
		.stride = p->matrices > 1 ? p->lines * p->pitch : 0,
		.offset = copied ? p->matrices * p->lines * p->pitch : 0,
		.matrices = p->matrices,
		.high = p->high,
	};

	return set_words(&m, word);
}

int clopt__tensor_map_of_bytes(size_t lines, size_t pitch, size_t offset, size_t high,
                               cl_ulong word[16])
{
	const struct map_of m = {
		.type = 7, /* moves the bits of four bytes */
		.lines = lines,
		.length = pitch / sizeof(float),
		.bytes = sizeof(float),
		.pitch = pitch,
		.offset = offset,
		.matrices = 1,
		.high = high,
	};

	return set_words(&m, word);
}
