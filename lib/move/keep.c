/* SPDX-License-Identifier: MIT */
/*
 * keep.c - copies of outputs that are also inputs, so that a failed call can restore them.
 */
#include <stdlib.h>

#include "../base/threads.h"
#include "move.h"

#define WORTH ((size_t)1 << 19) /* bytes whose copying is worth a thread */

/* Copy an operand to the copy, or back. */
struct copying {
	const struct operand *o;
	char *copy;
	int back;
};

static void copy_rows(void *what, unsigned part, size_t first, size_t count)
{
	const struct copying *c = what;
	const size_t row_bytes = c->o->columns * c->o->elem_bytes,
	             pitch = c->o->ld * c->o->elem_bytes;
	char *host = (char *)c->o->host + first * pitch, *copy = c->copy + first * row_bytes;

	(void)part;
	if (c->back)
		clopt__copy_memory(host, pitch, copy, row_bytes, count, row_bytes, 0);
	else
		clopt__copy_memory(copy, row_bytes, host, pitch, count, row_bytes, 0);
}

static int is_kept(const struct operand *o)
{
	return o->use == (OPERAND_IN | OPERAND_OUT) && clopt__operand_bytes(o);
}

static void copy_all(const struct operand *o, unsigned operands, char *copy, int back)
{
	for (; operands--; o++)
		if (is_kept(o)) {
			struct copying c = { o, copy, back };

			clopt__in_parts(o->rows, WORTH / (o->columns * o->elem_bytes) + 1,
			                copy_rows, &c);
			copy += clopt__operand_bytes(o);
		}
}

int clopt__keep_open(struct clopt *ctx, const struct operand *o, unsigned operands, struct kept *k)
{
	unsigned i;

	for (i = 0; i < operands; i++)
		k->bytes += is_kept(&o[i]) ? clopt__operand_bytes(&o[i]) : 0;
	if (!k->bytes)
		return CLOPT_OK;
	k->copy = malloc(k->bytes);
	if (!k->copy)
		return clopt__fail(ctx, CLOPT_ENOMEM,
		                   "no memory for a copy of what the call changes, %zu bytes",
		                   k->bytes);
	copy_all(o, operands, k->copy, 0);
	return CLOPT_OK;
}

void clopt__keep_restore(const struct operand *o, unsigned operands, char *copy)
{
	if (copy)
		copy_all(o, operands, copy, 1);
}

void clopt__keep_close(struct kept *k)
{
	free(k->copy);
	k->copy = NULL;
}
