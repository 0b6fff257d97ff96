/* SPDX-License-Identifier: MIT */
/*
 * born.c - the Born radius of each charge, from the whole shape of the molecule.
 *
 * A ball of this radius with the charge at its centre has the solvation energy that the charge has
 * where it lies.  By Grycuk (J. Chem.  Phys. 119, 4817, 2003), R^-3 is 3/(4 pi) times the integral
 * of r^-6 over the solvent, which is exact in a ball; by Gauss's theorem it is 1/(4 pi) times the
 * integral of n r / r^6 over the surface.  A mesh has a little less of any such integral than the
 * surface, so it is divided by that of n r / r^3, 4 pi.
 *
 * Vertices that are far from a charge count together, cell by cell.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "surface.h"

#define CELL 8. /* in Angstrom */
#define NEAR 2 /* in cells: up to there each vertex counts by itself */

struct cell {
	int key[3];
	size_t first, n; /* of its vertices */
	double at[3], out[3]; /* the mean place by area, and the sum of area times normal */
};

/* A vertex with a third of the area of its faces. */
struct patch {
	int key[3];
	double at[3], out[3];
};

static int by_key(const void *a, const void *b)
{
	return memcmp(((const struct patch *)a)->key, ((const struct patch *)b)->key,
	              sizeof((const struct patch *)a)->key);
}

static void key_of(int key[3], const double at[3])
{
	int k;

	for (k = 0; k < 3; k++)
		key[k] = (int)floor(at[k] / CELL);
}

/* The area of a face goes to its vertices, along their exact normals. */
static void share(struct patch *v, const struct gem_points *p, const unsigned *f)
{
	const double *a = p->at[f[0]], *b = p->at[f[1]], *c = p->at[f[2]];
	double n[3], third;
	int i, k;

	for (k = 0; k < 3; k++) {
		const int x = (k + 1) % 3, y = (k + 2) % 3;

		n[k] = (b[x] - a[x]) * (c[y] - a[y]) - (b[y] - a[y]) * (c[x] - a[x]);
	}
	third = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) / 6;
	for (i = 0; i < 3; i++)
		for (k = 0; k < 3; k++)
			v[f[i]].out[k] += third * (double)p->normal[f[i]][k];
}

static double length(const double v[3])
{
	return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* Patches in order of their cells; returns the number of cells. */
static size_t gather(struct cell *cell, const struct patch *v, size_t n)
{
	size_t i, cells = 0;
	double area = 0, part;
	struct cell *c = cell;
	int k;

	for (i = 0; i < n; i++) {
		if (!i || by_key(&v[i - 1], &v[i]) != 0) {
			c = &cell[cells++];
			memset(c, 0, sizeof *c);
			memcpy(c->key, v[i].key, sizeof c->key);
			c->first = i;
			area = 0;
		}
		part = length(v[i].out);
		area += part;
		for (k = 0; k < 3 && area > 0; k++) {
			c->at[k] += (v[i].at[k] - c->at[k]) * part / area;
			c->out[k] += v[i].out[k];
		}
		c->n++;
	}
	return cells;
}

/* What a patch or a cell adds to both integrals. */
static void add(double sum[2], const double from[3], const double at[3], const double out[3])
{
	const double x = at[0] - from[0], y = at[1] - from[1], z = at[2] - from[2];
	const double r2 = x * x + y * y + z * z, flux = x * out[0] + y * out[1] + z * out[2];

	if (r2 > 0) {
		sum[0] += flux / (r2 * r2 * r2);
		sum[1] += flux / (r2 * sqrt(r2));
	}
}

/* 0 where most of the surface's solid angle is missing: the charge is not inside. */
static double born(const struct cell *cell, size_t cells, const struct patch *v, const double at[3])
{
	double sum[2] = { 0, 0 };
	size_t i, j;
	int key[3], k;

	key_of(key, at);
	for (i = 0; i < cells; i++) {
		const struct cell *c = &cell[i];

		for (k = 0; k < 3 && abs(c->key[k] - key[k]) <= NEAR; k++)
			;
		if (k < 3)
			add(sum, at, c->at, c->out);
		for (j = c->first; k == 3 && j < c->first + c->n; j++)
			add(sum, at, v[j].at, v[j].out);
	}
	return sum[0] > 0 && sum[1] > 2 * 3.14159265358979 ? cbrt(sum[1] / sum[0]) : 0;
}

double *gem_born(const struct gem_molecule *m, const struct gem_points *mesh)
{
	struct patch *v = calloc(mesh->n, sizeof *v);
	struct cell *cell = malloc(mesh->n * sizeof *cell);
	double *radius = malloc(m->n * sizeof *radius);
	size_t i, cells;

	if (v && cell && radius) {
		for (i = 0; i < mesh->faces; i++)
			share(v, mesh, mesh->face[i]);
		for (i = 0; i < mesh->n; i++) {
			memcpy(v[i].at, mesh->at[i], sizeof v[i].at);
			key_of(v[i].key, v[i].at);
		}
		qsort(v, mesh->n, sizeof *v, by_key);
		cells = gather(cell, v, mesh->n);
		for (i = 0; i < m->n; i++)
			radius[i] = born(cell, cells, v, m->atom[i].at);
	} else {
		free(radius);
		radius = NULL;
	}
	free(v);
	free(cell);
	return radius;
}
