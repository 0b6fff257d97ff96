/* SPDX-License-Identifier: MIT */
/*
 * keep.c - copies of outputs that are read, so that a call that fails can put them back.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/threads.h"
#include "move.h"

#define WORTH ((size_t)1 << 19) /* bytes whose copying is worth a thread */

/* Rows of an operand, some columns of them, to the copy or back. */
struct copying {
	const struct operand *o;
	struct extent part;
	char *copy;
	int back;
};

static void copy_rows(void *what, unsigned part, size_t first, size_t count)
{
	const struct copying *c = what;
	const struct operand *o = c->o;
	const size_t row_bytes = o->columns * o->elem_bytes, pitch = o->ld * o->elem_bytes;
	const size_t at = c->part.first[1] * o->elem_bytes,
	             bytes = c->part.count[1] * o->elem_bytes;
	char *host = (char *)o->host + at, *copy = c->copy + at;
	size_t i;

	(void)part;
	for (i = c->part.first[0] + first; count--; i++)
		if (c->back)
			memcpy(host + i * pitch, copy + i * row_bytes, bytes);
		else
			memcpy(copy + i * row_bytes, host + i * pitch, bytes);
}

static int is_kept(const struct operand *o)
{
	return o->use == (OPERAND_IN | OPERAND_OUT) && clopt__operand_bytes(o);
}

static void copy_part(const struct operand *o, struct extent part, char *copy, int back)
{
	struct copying c = { o, part, copy, back };

	clopt__in_parts(part.count[0], WORTH / (part.count[1] * o->elem_bytes) + 1, copy_rows, &c);
}

static void copy_all(const struct operand *o, unsigned operands, char *copy, int back)
{
	for (; operands--; o++)
		if (is_kept(o)) {
			copy_part(o, (struct extent){ { 0, 0 }, { o->rows, o->columns } }, copy,
			          back);
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

void clopt__keep_restore_part(const struct operand *o, const struct block *part, char *copy)
{
	if (copy)
		copy_part(o, clopt__extent(o, part), copy, 1);
}

void clopt__keep_close(struct kept *k)
{
	free(k->copy);
	k->copy = NULL;
}
