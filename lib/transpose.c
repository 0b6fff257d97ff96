/* SPDX-License-Identifier: MIT */
/*
 * transpose.c - out = in transposed.
 *
 * A band is some rows of the input, which are columns of the output.
 */
#include "internal.h"

int clopt_transpose(struct clopt *ctx, size_t rows, size_t cols, size_t elem_bytes, const void *in,
                    size_t ld_in, void *out, size_t ld_out)
{
	const struct job j = {
		.problem = { sizeof j.problem,
		             CLOPT_TRANSPOSE,
		             { rows, cols, 0 },
		             elem_bytes,
		             0,
		             0 },
		.operand = { { .host = (void *)(uintptr_t)in, .ld = ld_in, .use = OPERAND_IN },
		             { .host = out, .ld = ld_out, .use = OPERAND_OUT } },
	};

	if (elem_bytes == 0)
		return clopt__fail(ctx, CLOPT_EINVAL, "clopt_transpose: elem_bytes is 0");
	return clopt__call(ctx, &j);
}
