/* SPDX-License-Identifier: MIT */
/*
 * surface.c - the solvent-accessible surface as dots (Shrake and Rupley 1973).
 *
 * Each atom's sphere, grown by the probe, gets dots on a golden spiral, and a
 * dot stays if no other sphere holds it.  The neighbours of an atom come from
 * a cell list.  A neighbour covers a cap of the sphere, so for a dot in
 * direction u the test is one scalar product: u.d > t.  Most dots are covered,
 * and the first cap that covers one ends its test, so each cap that does moves
 * forward in the list; that is faster than to sort the caps by size.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "surface.h"

#define MOST_DOTS 1000000 /* on one sphere */
#define KEPT 61 /* spirals of different size */

struct ball {
	double x[3], r;
	size_t atom;
};

struct cap {
	double d[3], t;
};

/* Atoms sorted by cell.  Cells are hashed into slots, so that memory follows
 * the number of atoms, not the box they are in; that far cells may share a
 * slot costs a distance test and is harmless. */
struct grid {
	double cell;
	size_t slots; /* a power of two */
	size_t *start; /* slots + 1 */
	struct ball *ball;
	size_t n;
};

static size_t slot(const struct grid *g, int64_t i, int64_t j, int64_t k)
{
	uint64_t h = (uint64_t)i * 0x9e3779b97f4a7c15u;

	h = (h ^ (uint64_t)j) * 0xff51afd7ed558ccdu;
	h = (h ^ (h >> 32) ^ (uint64_t)k) * 0xc4ceb9fe1a85ec53u;
	return (size_t)(h >> 29) & (g->slots - 1);
}

static int64_t cell(const struct grid *g, double x)
{
	return (int64_t)floor(x / g->cell);
}

static size_t home(const struct grid *g, const struct ball *b)
{
	return slot(g, cell(g, b->x[0]), cell(g, b->x[1]), cell(g, b->x[2]));
}

static void fill(struct grid *g, const struct gem_molecule *m, double probe)
{
	struct ball b;
	size_t i, s, pass;

	for (pass = 0; pass < 2; pass++) {
		for (i = 0; i < m->n; i++) {
			if (m->atom[i].r == 0)
				continue;
			b.x[0] = m->atom[i].x - m->centre[0];
			b.x[1] = m->atom[i].y - m->centre[1];
			b.x[2] = m->atom[i].z - m->centre[2];
			b.r = m->atom[i].r + probe;
			b.atom = i;
			s = home(g, &b);
			if (pass)
				g->ball[--g->start[s]] = b;
			else
				g->start[s]++;
		}
		for (s = 1; !pass && s <= g->slots; s++)
			g->start[s] += g->start[s - 1];
	}
}

static int sort(struct grid *g, const struct gem_molecule *m, double probe, struct fault *e)
{
	double most = 0;
	size_t i;

	memset(g, 0, sizeof *g);
	for (i = 0; i < m->n; i++) {
		if (m->atom[i].r == 0)
			continue;
		g->n++;
		if (m->atom[i].r + probe > most)
			most = m->atom[i].r + probe;
	}
	if (!g->n)
		return fail(e, "no atom has a radius, so there is no surface");
	/* Two spheres that meet are in neighbouring cells.  The floor keeps the
	 * numbers of the cells within an integer. */
	g->cell = fmax(2 * most, 1e-6);
	for (g->slots = 64; g->slots < g->n; g->slots *= 2)
		;
	g->start = calloc(g->slots + 1, sizeof *g->start);
	g->ball = malloc(g->n * sizeof *g->ball);
	if (!g->start || !g->ball)
		return fail(e, "out of memory for the cells of %zu atoms", g->n);
	fill(g, m, probe);
	return 0;
}

/* Add b's cap on a.  Returns 1 if b holds all of a. */
static int cover(const struct ball *a, const struct ball *b, struct cap *c, size_t *n)
{
	double d[3], dd, len;
	int i;

	for (i = 0; i < 3; i++)
		d[i] = b->x[i] - a->x[i];
	dd = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
	if (dd >= (a->r + b->r) * (a->r + b->r))
		return 0;
	len = sqrt(dd);
	if (len + a->r <= b->r) /* of two equal spheres the first atom's has the dots */
		return len + b->r > a->r || b->atom < a->atom;
	if (len + b->r <= a->r)
		return 0;
	memcpy(c[*n].d, d, sizeof d);
	c[*n].t = (dd + a->r * a->r - b->r * b->r) / (2 * a->r);
	++*n;
	return 0;
}

/* The caps on a.  *cap grows as needed; -1 if it cannot.  1 if another ball
 * holds all of a, and there is nothing to be drawn. */
static int caps(const struct grid *g, const struct ball *a, struct cap **cap, size_t *room,
                size_t *n)
{
	int64_t at[3];
	struct cap *more;
	size_t s, b;
	int i;

	*n = 0;
	for (i = 0; i < 3; i++)
		at[i] = cell(g, a->x[i]) - 1;
	for (i = 0; i < 27; i++) {
		s = slot(g, at[0] + i / 9, at[1] + i / 3 % 3, at[2] + i % 3);
		if (*n + g->start[s + 1] - g->start[s] > *room) {
			*room = 2 * (*n + g->start[s + 1] - g->start[s]);
			more = realloc(*cap, *room * sizeof *more);
			if (!more)
				return -1;
			*cap = more;
		}
		for (b = g->start[s]; b < g->start[s + 1]; b++)
			if (&g->ball[b] != a && cover(a, &g->ball[b], *cap, n))
				return 1;
	}
	return 0;
}

/* n directions that share the sphere evenly, kept for the next atom of the
 * same size: a molecule has few sizes. */
struct spiral {
	double (*u)[3];
	size_t n;
};

static const struct spiral *spiral(struct spiral kept[KEPT], size_t n)
{
	const double turn = 2.399963229728653; /* the golden angle, pi (3 - sqrt 5) */
	struct spiral *s = &kept[n % KEPT];
	double z, r;
	size_t i;

	if (s->n == n)
		return s;
	free(s->u);
	s->u = malloc(n * sizeof *s->u);
	s->n = s->u ? n : 0;
	for (i = 0; i < s->n; i++) {
		z = 1 - (2 * (double)i + 1) / (double)n;
		r = sqrt(1 - z * z);
		s->u[i][0] = r * cos(turn * (double)i);
		s->u[i][1] = r * sin(turn * (double)i);
		s->u[i][2] = z;
	}
	return s->u ? s : NULL;
}

static int covered(const double u[3], struct cap *c, size_t n)
{
	struct cap swap;
	size_t i;

	for (i = 0; i < n; i++)
		if (u[0] * c[i].d[0] + u[1] * c[i].d[1] + u[2] * c[i].d[2] > c[i].t)
			break;
	if (i == n)
		return 0;
	swap = c[i];
	c[i] = c[i / 4];
	c[i / 4] = swap;
	return 1;
}

static int dots(struct gem_points *p, const struct gem_atom *a, double r, const struct spiral *s,
                struct cap *c, size_t n, struct fault *e)
{
	double at[3];
	size_t i;

	for (i = 0; i < s->n; i++) {
		if (covered(s->u[i], c, n))
			continue;
		at[0] = a->x + r * s->u[i][0];
		at[1] = a->y + r * s->u[i][1];
		at[2] = a->z + r * s->u[i][2];
		if (gem_points_add(p, at, s->u[i], e))
			return -1;
	}
	return 0;
}

static int sphere(struct gem_points *p, const struct gem_molecule *m, const struct ball *a,
                  double density, struct spiral kept[KEPT], struct cap *c, size_t n,
                  struct fault *e)
{
	double want = ceil(density * 4 * 3.141592653589793 * a->r * a->r);
	const struct spiral *s;

	if (want > MOST_DOTS)
		return fail(e,
		                "%.0f dots on an atom of radius %g are too many; lower the density",
		                want, m->atom[a->atom].r);
	s = spiral(kept, (size_t)want);
	if (!s)
		return fail(e, "out of memory for dots");
	return dots(p, &m->atom[a->atom], a->r, s, c, n, e);
}

int gem_surface(struct gem_points *p, const struct gem_molecule *m, double probe, double density,
                struct fault *e)
{
	struct spiral kept[KEPT] = { { NULL, 0 } };
	struct cap *cap = NULL;
	struct grid g;
	size_t i, n, room = 0;
	int rc, hidden;

	memset(p, 0, sizeof *p);
	rc = sort(&g, m, probe, e);
	for (i = 0; rc == 0 && i < g.n; i++) {
		hidden = caps(&g, &g.ball[i], &cap, &room, &n);
		if (hidden < 0)
			rc = fail(e, "out of memory for neighbours");
		if (hidden == 0)
			rc = sphere(p, m, &g.ball[i], density, kept, cap, n, e);
	}
	if (rc == 0 && p->n == 0)
		rc = fail(e, "the surface has no dots; raise the density");
	p->offset = probe;
	p->dots = 1;
	if (rc)
		gem_points_free(p);
	for (i = 0; i < KEPT; i++)
		free(kept[i].u);
	free(cap);
	free(g.start);
	free(g.ball);
	return rc;
}
