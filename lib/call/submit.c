/* SPDX-License-Identifier: MIT */
/*
 * submit.c - how a routine is called: at once, by the context's thread, or on buffers.
 */
#include "call.h"

struct form clopt__at_once(void)
{
	return (struct form){ NULL, 0, NULL };
}

struct form clopt__async(struct clopt_call **call)
{
	if (call)
		*call = NULL;
	return (struct form){ call, 0, NULL };
}

struct form clopt__on_buffers(const struct clopt_order *order)
{
	return (struct form){ NULL, 1, order };
}

int clopt__submit(struct clopt *ctx, const struct job *described, const struct form *form)
{
	if (form->call)
		return clopt__async_start(ctx, described, form->call);
	return form->buffers ? clopt__enqueue(ctx, described, form->order) :
	                       clopt__call(ctx, described, NULL);
}
