/* SPDX-License-Identifier: MIT */
/*
 * submit.c - how a routine is called: at once, by the context's thread, or on buffers.
 */
#include "call.h"

struct form clopt__at_once(void)
{
	return (struct form){ .buffers = 0 };
}

struct form clopt__async(const char *routine, struct clopt_call **call)
{
	if (call)
		*call = NULL;
	return (struct form){ .routine = routine, .call = call };
}

struct form clopt__on_buffers(const struct clopt_order *order)
{
	clopt__no_event(order);
	return (struct form){ .buffers = 1, .order = order };
}

struct operand clopt__operand(struct form form, const void *array, size_t ld, unsigned use)
{
	return form.buffers ? clopt__buffer_operand(array, ld, use) :
	                      clopt__host_operand(array, ld, use);
}

int clopt__submit(struct clopt *ctx, const struct job *described, struct form form)
{
	if (form.routine && !form.call)
		return clopt__fail(ctx, CLOPT_EINVAL, "%s: call is NULL", form.routine);
	if (form.call)
		return clopt__async_start(ctx, described, form.call);
	return form.buffers ? clopt__enqueue(ctx, described, form.order) :
	                      clopt__call(ctx, described, NULL);
}
