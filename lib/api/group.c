/* SPDX-License-Identifier: MIT */
/*
 * group.c - checks the arguments of a group of processes that share a call.
 */
#include "api.h"

int clopt__group_read(const struct clopt *ctx, const struct clopt_group *group, int alone,
                      struct job *j)
{
	const struct clopt_group none = CLOPT_GROUP_INIT;
	int rc = CLOPT_OK;

	j->group = none;
	if (!group)
		return CLOPT_OK;
	if (alone)
		TRY(clopt__fail(ctx, CLOPT_EINVAL,
		                "group is given: only clopt_potential, clopt_nbody and "
		                "clopt_nbody_evolve on arrays take it"));
	TRY(clopt__sized_read(ctx, "clopt_group", group, &j->group, sizeof none));
	if (j->group.exchange || j->group.first || j->group.count)
		TRY(clopt__fail(ctx, CLOPT_EINVAL,
		                "group.first, group.count or group.exchange is set: only "
		                "clopt_nbody_evolve takes them"));
	if (j->group.all_targets && j->group.all_targets < j->problem.dim[1])
		rc = clopt__fail(ctx, CLOPT_EINVAL,
		                 "group.all_targets is %zu: it must be at least ntargets, %zu",
		                 j->group.all_targets, j->problem.dim[1]);
out:
	return rc;
}

int clopt__group_read_bodies(const struct clopt *ctx, struct evolution *e)
{
	const struct clopt_group none = CLOPT_GROUP_INIT;
	struct clopt_group *g = &e->group;
	int rc = CLOPT_OK;

	*g = none;
	if (!e->options.group)
		return CLOPT_OK;
	TRY(clopt__sized_read(ctx, "clopt_group", e->options.group, g, sizeof none));
	if (!g->exchange)
		TRY(clopt__fail(ctx, CLOPT_EINVAL,
		                "group.exchange is NULL: clopt_nbody_evolve needs it"));
	if (g->all_targets)
		TRY(clopt__fail(ctx, CLOPT_EINVAL,
		                "group.all_targets is %zu: for clopt_nbody_evolve it must be 0",
		                g->all_targets));
	if (g->first > e->n || g->count > e->n - g->first)
		rc = clopt__fail(
		        ctx, CLOPT_EINVAL,
		        "group.first is %zu and group.count %zu: they end beyond the %zu bodies",
		        g->first, g->count, e->n);
out:
	return rc;
}
