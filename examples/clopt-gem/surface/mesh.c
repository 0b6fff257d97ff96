/* SPDX-License-Identifier: MIT */
/*
 * mesh.c - the solvent-excluded surface as a mesh of triangles.
 *
 * The distance from the surface, which foot.c gives exactly, is taken at the nodes of a grid; in
 * each cell with nodes on both sides polygons separate them, as in marching cubes (Lorensen and
 * Cline 1987).  On a face of the cell that has the sides in turn, inner corners are cut off one by
 * one: so the cells on both sides of it agree, and the mesh is closed without a table of cases.
 * Then the vertices move to their feet, and unfold.c turns edges at which the mesh folds.
 */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "surface.h"

/* Of a cell: corner c is at x = c & 1, y = c >> 1 & 1, z = c >> 2; edge 4 a + i goes along axis a
 * from the i-th corner that has 0 there. */
#define CORNERS 8
#define EDGES 12
#define FACES 6

#define MOST_CELLS 4e9

/* A cut is sought so often, unless it is known to this part of a step. */
#define CUTS 6
#define CLOSE 0.01

/* Vertices of the cut edges of two planes of nodes and of what is between them. */
enum {
	ALONG, /* x */
	LOW_Y,
	LOW_Z,
	HIGH_Y,
	HIGH_Z,
	LISTS
};

struct mesh {
	struct gem_points *p;
	const struct gem_marks *marks;
	double low[3], step;
	size_t n[3]; /* nodes */
	double *plane[2]; /* distances at its nodes, z fastest */
	unsigned *vertex[LISTS];
	size_t room; /* for faces */
	struct fault *e;
};

static int edge_between(int a, int b)
{
	const int bit = a ^ b, axis = bit >> 1, low = a < b ? a : b;
	const int below = low & (bit - 1), above = low >> (axis + 1);

	return 4 * axis + (below | above << axis);
}

/* The corners of face f, counterclockwise from outside; f / 2 is its axis, odd faces are the upper
 * ones. */
static void corners(int f, int c[4])
{
	static const int turn[4][2] = { { 0, 0 }, { 1, 0 }, { 1, 1 }, { 0, 1 } };
	const int axis = f / 2, y = 1 << (axis + 1) % 3, z = 1 << (axis + 2) % 3;
	int i, t;

	for (i = 0; i < 4; i++) {
		t = f % 2 ? i : 3 - i;
		c[i] = (f % 2) << axis | turn[t][0] * y | turn[t][1] * z;
	}
}

static void node(const struct mesh *o, size_t x, size_t y, size_t z, double at[3])
{
	at[0] = o->low[0] + o->step * (double)x;
	at[1] = o->low[1] + o->step * (double)y;
	at[2] = o->low[2] + o->step * (double)z;
}

/* A new vertex at the foot of a point near the surface. */
static int vertex(const struct mesh *o, const double at[3], unsigned *index)
{
	struct gem_foot t;

	if (o->p->n >= UINT_MAX / 2)
		return fail(o->e, "the surface has too many vertices: give a smaller --density");
	gem_foot(&t, o->marks, at);
	*index = (unsigned)o->p->n;
	return gem_points_add(o->p, t.at, t.normal, o->e);
}

/*
 * The vertex of an edge that begins at a node, if it is cut: a and b are the distances at its ends.
 * Between the walls of a groove the distance is not linear.  The foot of a point that is not on the
 * surface could be on another wall, and the mesh would fold: so the place of the cut is sought.
 */
static int cut(const struct mesh *o, unsigned *index, const double from[3], int axis, double a,
               double b)
{
	double at[3] = { from[0], from[1], from[2] }, low = 0, high = 1, t = 0, d;
	int i;

	if ((a < 0) == (b < 0))
		return 0;
	for (i = 0, d = HUGE_VAL; i < CUTS && fabs(d) > CLOSE * o->step; i++) {
		t = low + (high - low) * fmin(fmax(a / (a - b), 0.1), 0.9);
		at[axis] = from[axis] + o->step * t;
		d = gem_distance(o->marks, at, o->step);
		*((d < 0) == (a < 0) ? &low : &high) = t;
		*((d < 0) == (a < 0) ? &a : &b) = d;
	}
	/* Not near a node, where the vertices of its edges would make slivers. */
	at[axis] = from[axis] + o->step * fmin(fmax(t, 0.2), 0.8);
	return vertex(o, at, index);
}

/* The x-th plane's distances, and the vertices in it. */
static int plane(const struct mesh *o, size_t x, double *d, unsigned *ys, unsigned *zs)
{
	const size_t ny = o->n[1], nz = o->n[2];
	double at[3];
	size_t y, z, i;

	for (y = i = 0; y < ny; y++)
		for (z = 0; z < nz; z++, i++) {
			node(o, x, y, z, at);
			d[i] = gem_distance(o->marks, at, o->step);
		}
	for (y = i = 0; y < ny; y++)
		for (z = 0; z < nz; z++, i++) {
			node(o, x, y, z, at);
			if ((y + 1 < ny && cut(o, &ys[i], at, 1, d[i], d[i + nz])) ||
			    (z + 1 < nz && cut(o, &zs[i], at, 2, d[i], d[i + 1])))
				return -1;
		}
	return 0;
}

static int triangle(struct mesh *o, unsigned a, unsigned b, unsigned c)
{
	struct gem_points *p = o->p;

	if (grow(&p->face, p->faces, &o->room, sizeof *p->face))
		return fail(o->e, "out of memory for %zu faces", p->faces);
	p->face[p->faces][0] = a;
	p->face[p->faces][1] = b;
	p->face[p->faces++][2] = c;
	return 0;
}

/* Do two edges of a cell lie in one face of it? */
static int beside(int a, int b)
{
	int c[4], f, i, n;

	for (f = 0; f < FACES; f++) {
		corners(f, c);
		for (i = n = 0; i < 4; i++) {
			const int edge = edge_between(c[i], c[(i + 1) % 4]);

			n += edge == a || edge == b;
		}
		if (n == 2)
			return 1;
	}
	return 0;
}

/* Triangles over a loop of cut edges.  A line across that lay in a face of the cell could be one of
 * the neighbour's, too; larger loops get a vertex in the middle. */
static int polygon(struct mesh *o, const int *loop, int n, const unsigned v[EDGES])
{
	double at[3] = { 0, 0, 0 };
	unsigned middle;
	int i, k;

	if (n == 3)
		return triangle(o, v[loop[0]], v[loop[1]], v[loop[2]]);
	for (i = 0; n == 4 && i < 2; i++)
		if (!beside(loop[i], loop[i + 2]))
			return triangle(o, v[loop[i]], v[loop[i + 1]], v[loop[i + 2]]) ||
			       triangle(o, v[loop[i + 2]], v[loop[(i + 3) % 4]], v[loop[i]]);
	for (i = 0; i < n; i++)
		for (k = 0; k < 3; k++)
			at[k] += o->p->at[v[loop[i]]][k] / n;
	if (vertex(o, at, &middle))
		return -1;
	for (i = 0; i < n; i++)
		if (triangle(o, v[loop[i]], v[loop[(i + 1) % n]], middle))
			return -1;
	return 0;
}

/* The polygons of a cell: inside is a bit for each corner. */
static int polygons(struct mesh *o, unsigned inside, const unsigned v[EDGES])
{
	int next[EDGES], loop[EDGES], c[4], f, i, k, n, edge, enter;

	for (i = 0; i < EDGES; i++)
		next[i] = -1;
	/* On each face a line from where a run of inner corners begins to where it ends. */
	for (f = 0; f < FACES; f++) {
		corners(f, c);
		for (i = 0; i < 4; i++) {
			if (!(inside >> c[i] & 1) || inside >> c[(i + 1) % 4] & 1)
				continue;
			for (k = i; inside >> c[(k + 3) % 4] & 1; k += 3)
				;
			edge = edge_between(c[i], c[(i + 1) % 4]);
			enter = edge_between(c[k % 4], c[(k + 3) % 4]);
			next[enter] = edge;
		}
	}
	for (i = 0; i < EDGES; i++) {
		for (n = 0, edge = i; next[edge] >= 0; n++) {
			loop[n] = edge;
			edge = next[edge];
			next[loop[n]] = -1;
		}
		if (n && polygon(o, loop, n, v))
			return -1;
	}
	return 0;
}

/* The cells between the plane before the x-th and that. */
static int cells(struct mesh *o, size_t x)
{
	const size_t ny = o->n[1], nz = o->n[2], step[3] = { 0, nz, 1 };
	unsigned v[EDGES], inside;
	double at[3];
	size_t y, z, i;
	int c, a;

	for (y = i = 0; y < ny; y++)
		for (z = 0; z < nz; z++, i++) {
			node(o, x - 1, y, z, at);
			if (cut(o, &o->vertex[ALONG][i], at, 0, o->plane[0][i], o->plane[1][i]))
				return -1;
		}
	for (y = 0; y + 1 < ny; y++)
		for (z = 0; z + 1 < nz; z++) {
			i = y * nz + z;
			for (c = 0, inside = 0; c < CORNERS; c++)
				inside |= (unsigned)(o->plane[c & 1][i + (size_t)(c >> 1 & 1) * nz +
				                                     (size_t)(c >> 2)] < 0)
				          << c;
			if (inside == 0 || inside == 255)
				continue;
			for (a = 0; a < 4; a++) { /* by the corner in the other two axes */
				v[a] = o->vertex[ALONG][i + (size_t)(a & 1) * step[1] +
				                        (size_t)(a >> 1) * step[2]];
				v[4 + a] = o->vertex[a & 1 ? HIGH_Y : LOW_Y]
				                    [i + (size_t)(a >> 1) * step[2]];
				v[8 + a] = o->vertex[a & 1 ? HIGH_Z : LOW_Z]
				                    [i + (size_t)(a >> 1) * step[1]];
			}
			if (polygons(o, inside, v))
				return -1;
		}
	return 0;
}

/* The upper plane becomes the lower one. */
static void on(struct mesh *o)
{
	double *d = o->plane[0];
	unsigned *y = o->vertex[LOW_Y], *z = o->vertex[LOW_Z];

	o->plane[0] = o->plane[1];
	o->vertex[LOW_Y] = o->vertex[HIGH_Y];
	o->vertex[LOW_Z] = o->vertex[HIGH_Z];
	o->plane[1] = d;
	o->vertex[HIGH_Y] = y;
	o->vertex[HIGH_Z] = z;
}

static int march(struct mesh *o)
{
	const size_t n = o->n[1] * o->n[2];
	size_t x;
	int i, rc = 0;

	for (i = 0; i < 2; i++)
		rc |= !(o->plane[i] = malloc(n * sizeof *o->plane[i]));
	for (i = 0; i < LISTS; i++)
		rc |= !(o->vertex[i] = malloc(n * sizeof *o->vertex[i]));
	if (rc)
		rc = fail(o->e, "out of memory for planes of %zu nodes", n);
	for (x = 0; rc == 0 && x < o->n[0]; x++, on(o))
		rc = plane(o, x, o->plane[1], o->vertex[HIGH_Y], o->vertex[HIGH_Z]) ||
		                     (x && cells(o, x)) ?
		             -1 :
		             0;
	for (i = 0; i < 2; i++)
		free(o->plane[i]);
	for (i = 0; i < LISTS; i++)
		free(o->vertex[i]);
	return rc;
}

/* The grid round all balls, one node wider than they are. */
static int frame(struct mesh *o, const struct gem_molecule *m, double density)
{
	double high[3] = { -HUGE_VAL, -HUGE_VAL, -HUGE_VAL }, cells = 1;
	size_t i;
	int k;

	/* A plane cuts one and a half edges of each square of cells, on average, and loops have
	 * middles. */
	o->step = sqrt(2 / density);
	for (k = 0; k < 3; k++) {
		o->low[k] = HUGE_VAL;
		for (i = 0; i < m->n; i++) {
			if (!(m->atom[i].r > 0))
				continue;
			o->low[k] = fmin(o->low[k], m->atom[i].at[k] - m->atom[i].r - o->step);
			high[k] = fmax(high[k], m->atom[i].at[k] + m->atom[i].r + o->step);
		}
		cells *= ceil((high[k] - o->low[k]) / o->step) + 1;
		o->n[k] = (size_t)fmin(ceil((high[k] - o->low[k]) / o->step) + 1, MOST_CELLS);
	}
	return cells <= MOST_CELLS ? 0 :
	                             fail(o->e,
	                                  "the box of the molecule has %.3g cells of %.3g A: give "
	                                  "a smaller --density",
	                                  cells, o->step);
}

/* --------------------------------------------------- closed cavities ---- */

static unsigned root(unsigned *up, unsigned i)
{
	while (up[i] != i)
		i = up[i] = up[up[i]];
	return i;
}

/* Six times the volume between a triangle and the first vertex. */
static double below(const struct gem_points *p, const unsigned f[3])
{
	double v[3][3];
	int i, k;

	for (i = 0; i < 3; i++)
		for (k = 0; k < 3; k++)
			v[i][k] = p->at[f[i]][k] - p->at[0][k];
	return v[0][0] * (v[1][1] * v[2][2] - v[1][2] * v[2][1]) +
	       v[0][1] * (v[1][2] * v[2][0] - v[1][0] * v[2][2]) +
	       v[0][2] * (v[1][0] * v[2][1] - v[1][1] * v[2][0]);
}

/* Leaves out the parts of the mesh whose normals look into a space that they enclose. */
static int fill(struct gem_points *p, struct fault *e)
{
	unsigned *up = malloc((p->n + 1) * sizeof *up), *to = malloc((p->n + 1) * sizeof *to);
	double *volume = calloc(p->n + 1, sizeof *volume);
	size_t i, n = 0, faces = 0;
	int k, bad = !up || !to || !volume;

	for (i = 0; !bad && i < p->n; i++)
		up[i] = (unsigned)i;
	for (i = 0; !bad && i < p->faces; i++)
		for (k = 1; k < 3; k++)
			up[root(up, p->face[i][k])] = root(up, p->face[i][0]);
	for (i = 0; !bad && i < p->faces; i++)
		volume[root(up, p->face[i][0])] += below(p, p->face[i]);
	for (i = 0; !bad && i < p->n; i++) {
		to[i] = (unsigned)n;
		if (volume[root(up, (unsigned)i)] < 0)
			continue;
		memmove(p->at[n], p->at[i], sizeof *p->at);
		memmove(p->normal[n++], p->normal[i], sizeof *p->normal);
	}
	for (i = 0; !bad && i < p->faces; i++) {
		if (volume[root(up, p->face[i][0])] < 0)
			continue;
		for (k = 0; k < 3; k++)
			p->face[faces][k] = to[p->face[i][k]];
		faces++;
	}
	free(up);
	free(to);
	free(volume);
	if (bad)
		return fail(e, "out of memory for %zu vertices", p->n);
	p->n = n;
	p->faces = faces;
	return 0;
}

int gem_mesh(struct gem_points *p, const struct gem_molecule *m, double probe, double density,
             int cavities, struct fault *e)
{
	struct gem_marks marks;
	struct mesh o = { .p = p, .marks = &marks, .e = e };
	int rc;

	memset(p, 0, sizeof *p);
	p->rolled = 1;
	p->probe = probe;
	rc = gem_marks(&marks, p, m) ? fail(e, "out of memory for %zu atoms", m->n) : 0;
	if (rc == 0 && !marks.balls.n)
		rc = fail(e, "no atom has a radius: there is no surface");
	rc = rc || frame(&o, m, density) || march(&o) || (!cavities && fill(p, e)) ||
	                     gem_unfold(p, &marks, e) ?
	             -1 :
	             0;
	if (rc == 0 && p->faces == 0)
		rc = fail(e, "the surface has no faces: give a larger --density");
	if (rc)
		gem_points_free(p);
	gem_marks_free(&marks);
	return rc;
}
