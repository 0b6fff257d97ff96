/* SPDX-License-Identifier: MIT */
/*
 * transpose.c - out = in transposed.
 *
 * A band is some rows of the input, which are columns of the output.
 */
#include "internal.h"

static int transpose(struct clopt *ctx, size_t rows, size_t cols, size_t elem_bytes,
                     struct operand in, struct operand out, struct form form)
{
	const struct job j = {
		.problem = { .size = sizeof j.problem,
		             .op = CLOPT_TRANSPOSE,
		             .dim = { rows, cols, 0 },
		             .elem_bytes = elem_bytes },
		.operand = { in, out },
	};

	if (elem_bytes == 0)
		return clopt__fail(ctx, CLOPT_EINVAL, "clopt_transpose: elem_bytes is 0");
	return clopt__submit(ctx, &j, &form);
}

int clopt_transpose(struct clopt *ctx, size_t rows, size_t cols, size_t elem_bytes, const void *in,
                    size_t ld_in, void *out, size_t ld_out)
{
	return transpose(ctx, rows, cols, elem_bytes, clopt__host_operand(in, ld_in, OPERAND_IN),
	                 clopt__host_operand(out, ld_out, OPERAND_OUT), clopt__at_once());
}

int clopt_transpose_start(struct clopt *ctx, size_t rows, size_t cols, size_t elem_bytes,
                          const void *in, size_t ld_in, void *out, size_t ld_out,
                          struct clopt_call **call)
{
	if (!call)
		return clopt__no_call(ctx, "clopt_transpose_start");
	return transpose(ctx, rows, cols, elem_bytes, clopt__host_operand(in, ld_in, OPERAND_IN),
	                 clopt__host_operand(out, ld_out, OPERAND_OUT), clopt__started(call));
}

int clopt_transpose_buffers(struct clopt *ctx, size_t rows, size_t cols, size_t elem_bytes,
                            const struct clopt_buffer *in, size_t ld_in, struct clopt_buffer *out,
                            size_t ld_out, const struct clopt_order *order)
{
	return transpose(ctx, rows, cols, elem_bytes, clopt__buffer_operand(in, ld_in, OPERAND_IN),
	                 clopt__buffer_operand(out, ld_out, OPERAND_OUT), clopt__on_buffers(order));
}
