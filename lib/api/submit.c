/* SPDX-License-Identifier: MIT */
/*
 * submit.c - how a routine is called: at once, by the context's thread, or on buffers.
 */
#include "api.h"

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

const struct runners *clopt__runners(const struct clopt *ctx, const struct tolerance *t,
                                     int in_group)
{
	static const struct runners within = { clopt__run_within, NULL, clopt__tree_gravity, NULL };
	static const struct runners shared = { NULL, clopt__run_shared, clopt__shared_gravity,
		                               NULL };
	static const struct runners shared_within = { clopt__run_within, clopt__run_shared,
		                                      clopt__shared_gravity, &clopt__shared_tree };
	const int tolerant = t->tolerance > 0 || t->order;

	if (in_group || clopt_members(ctx) > 1)
		return tolerant ? &shared_within : &shared;
	return tolerant ? &within : NULL;
}

int clopt__submit(struct clopt *ctx, struct job *job, struct form form)
{
	if (form.routine && !form.call)
		return clopt__fail(ctx, CLOPT_EINVAL, "%s: call is NULL", form.routine);
	if (form.buffers)
		return clopt__enqueue(ctx, job, form.order);
	job->runners = clopt__runners(ctx, &job->tree, 0);
	return form.call ? clopt__async_start(ctx, job, form.call) : clopt__call(ctx, job, NULL);
}
