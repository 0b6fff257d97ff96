/* SPDX-License-Identifier: MIT */
/*
 * calls.c - the calls of clopt_potential for the points of a batch.
 */
#include "compute.h"

int gem_is_alpb(const struct clopt_potential_options *o)
{
	return o->law == CLOPT_LAW_ALPB && o->part != CLOPT_PART_COULOMB;
}

/* The law that the library takes for a batch. */
static int law(const struct clopt_potential_options *o, int batch)
{
	static const int without[] = { CLOPT_LAW_ALPB_INSIDE, CLOPT_LAW_COULOMB, CLOPT_LAW_COULOMB,
		                       CLOPT_LAW_ALPB_INSIDE };
	static const int salt[] = { CLOPT_LAW_ALPB_INSIDE_SALT, CLOPT_LAW_ALPB_SALT,
		                    CLOPT_LAW_ALPB_FAR, CLOPT_LAW_ALPB_INSIDE_SALT };

	if (o->law == CLOPT_LAW_DISTANCE4)
		return CLOPT_LAW_DISTANCE4;
	if (o->law == CLOPT_LAW_DEBYE)
		return CLOPT_LAW_DEBYE;
	if (!gem_is_alpb(o))
		return CLOPT_LAW_COULOMB;
	return o->kappa > 0 ? salt[batch] : without[batch];
}

int gem_calls(struct gem_call call[GEM_CALLS], const struct gem_places *p, int batch,
              const struct clopt_potential_options *o)
{
	int i, n = p->batch[batch].n > 0;

	/* Of points at atoms, the Coulomb part is computed without foot and normal. */
	if (n && batch == GEM_AT_ATOMS && o->part == CLOPT_PART_TOTAL)
		n = 2;
	for (i = 0; i < n; i++) {
		call[i].batch = p->batch[batch];
		call[i].options = *o;
	}
	if (n == 2) {
		call[0].options.part = CLOPT_PART_REACTION;
		call[1].options.part = CLOPT_PART_COULOMB;
		call[1].batch.target = call[1].batch.point;
		call[1].batch.normal = NULL;
		call[1].batch.projection = 0;
	}
	for (i = 0; i < n; i++)
		call[i].law = law(&call[i].options, batch);
	return n;
}
