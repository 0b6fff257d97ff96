/* SPDX-License-Identifier: MIT */
/*
 * in_place.c - a transpose whose result takes the place of its input.
 *
 * The result is made in memory of its own and copied when it is whole: what is
 * cut into bands and comes down while other bands still go up could not be
 * written over the input, and a failure in between would lose both.
 */
#include <stdlib.h>
#include <string.h>

#include "call.h"

int clopt__in_place(struct clopt *ctx, const struct job *job)
{
	const struct operand *data = &job->operand[0];
	struct job turn = *job;
	struct operand *out = &turn.operand[1];
	const size_t row_bytes = out->columns * out->elem_bytes;
	const size_t pitch = data->rows == data->columns ? data->ld * data->elem_bytes : row_bytes;
	char *memory = malloc(out->rows * row_bytes);
	size_t i;
	int rc = CLOPT_OK;

	if (!memory)
		return clopt__fail(ctx, CLOPT_ENOMEM, "no memory for %zu bytes of the result",
		                   out->rows * row_bytes);
	out->host = memory;
	out->ld = out->columns;
	out->use = OPERAND_OUT;
	TRY(clopt__run_job(ctx, &turn));
	for (i = 0; i < out->rows; i++)
		memcpy((char *)data->host + i * pitch, memory + i * row_bytes, row_bytes);
out:
	free(memory);
	return rc;
}
