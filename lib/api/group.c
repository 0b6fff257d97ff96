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
		                "no other process can take part in this call: group is for "
		                "clopt_potential, clopt_nbody and clopt_nbody_evolve on arrays"));
	TRY(clopt__sized_read(ctx, "clopt_group", group, &j->group, sizeof none));
	if (j->group.exchange || j->group.first || j->group.count)
		TRY(clopt__fail(
		        ctx, CLOPT_EINVAL,
		        "first, count and exchange of the group are for clopt_nbody_evolve"));
	if (j->group.all_targets && j->group.all_targets < j->problem.dim[1])
		rc = clopt__fail(ctx, CLOPT_EINVAL,
		                 "%zu targets here, but all_targets of the group is %zu",
		                 j->problem.dim[1], j->group.all_targets);
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
	if (!g->exchange || g->all_targets)
		TRY(clopt__fail(ctx, CLOPT_EINVAL,
		                "the group needs exchange here, and no all_targets"));
	if (g->first > e->n || g->count > e->n - g->first)
		rc = clopt__fail(ctx, CLOPT_EINVAL,
		                 "the group has %zu bodies from %zu on, there are %zu", g->count,
		                 g->first, e->n);
out:
	return rc;
}
