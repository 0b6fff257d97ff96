/* SPDX-License-Identifier: MIT */
/*
 * groups.c - atoms by chain or by residue.
 */
#include <stdlib.h>
#include <string.h>

#include "compute.h"

/* A residue is a run, as in GEM: files of many copies of a molecule use its
 * numbers again.  A chain is not: its ions and waters often stand at the end. */
static int same(const struct gem_atom *a, const struct gem_atom *b, int by)
{
	if (strcmp(a->chain, b->chain) != 0)
		return 0;
	return by == GEM_BY_CHAIN ||
	       (a->resnum == b->resnum && a->ins == b->ins && strcmp(a->resname, b->resname) == 0);
}

/* One group after the other, each in the order of the file. */
static int gather(struct gem_groups *g, const struct gem_molecule *m, char *taken)
{
	size_t i, j, done = 0, room = 0;

	for (i = 0; i < m->n; i++) {
		struct gem_group one = { .first = &m->atom[i] };

		if (taken[i])
			continue;
		for (j = i; j < m->n; j++) {
			if (!taken[j] && same(one.first, &m->atom[j], g->by)) {
				taken[j] = 1;
				g->atom[done++] = j;
				one.n++;
				gem_charge_add(&one.charge, m->atom[j].q);
			} else if (g->by == GEM_BY_RESIDUE) {
				break;
			}
		}
		if (grow(&g->group, g->n, &room, sizeof *g->group))
			return -1;
		g->group[g->n++] = one;
	}
	return 0;
}

int gem_groups(struct gem_groups *g, const struct gem_molecule *m, int by, struct fault *e)
{
	char *taken = calloc(m->n, 1);
	int bad;

	memset(g, 0, sizeof *g);
	g->by = by;
	g->atom = malloc(m->n * sizeof *g->atom);
	bad = !taken || !g->atom || gather(g, m, taken);
	free(taken);
	if (bad) {
		gem_groups_free(g);
		return fail(e, "out of memory for the groups of %zu atoms", m->n);
	}
	return 0;
}

void gem_groups_free(struct gem_groups *g)
{
	free(g->group);
	free(g->atom);
	memset(g, 0, sizeof *g);
}
