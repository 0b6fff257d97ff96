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

/* The group that an atom belongs to, the last one first; n if to a new one. */
static size_t find(const struct gem_groups *g, const struct gem_atom *a, size_t last)
{
	size_t i;

	if (g->n && same(g->group[last].first, a, g->by))
		return last;
	for (i = 0; g->by == GEM_BY_CHAIN && i < g->n; i++)
		if (same(g->group[i].first, a, g->by))
			return i;
	return g->n;
}

/* which[i] = the group of atom i. */
static int assign(struct gem_groups *g, const struct gem_molecule *m, size_t *which)
{
	size_t i, k = 0, room = 0;

	for (i = 0; i < m->n; i++) {
		k = find(g, &m->atom[i], k);
		if (k == g->n) {
			if (grow(&g->group, g->n, &room, sizeof *g->group))
				return -1;
			memset(&g->group[g->n], 0, sizeof *g->group);
			g->group[g->n++].first = &m->atom[i];
		}
		which[i] = k;
		g->group[k].n++;
		gem_charge_add(&g->group[k].charge, m->atom[i].q);
	}
	return 0;
}

/* Atoms by group, each group in the order of the file. */
static int order(struct gem_groups *g, const struct gem_molecule *m, const size_t *which)
{
	size_t *at = malloc(g->n * sizeof *at), i, sum = 0;

	if (!at)
		return -1;
	for (i = 0; i < g->n; i++) {
		at[i] = sum;
		sum += g->group[i].n;
	}
	for (i = 0; i < m->n; i++)
		g->atom[at[which[i]]++] = i;
	free(at);
	return 0;
}

int gem_groups(struct gem_groups *g, const struct gem_molecule *m, int by, struct fault *e)
{
	size_t *which = malloc(m->n * sizeof *which);
	int bad;

	memset(g, 0, sizeof *g);
	g->by = by;
	g->atom = malloc(m->n * sizeof *g->atom);
	bad = !which || !g->atom || assign(g, m, which) || order(g, m, which);
	free(which);
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
