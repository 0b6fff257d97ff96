/* SPDX-License-Identifier: MIT */
/*
 * surface.c - the surface as an image: of all triangles over a pixel the nearest shows, by a buffer
 * of depths.
 *
 * Values and normals are interpolated between a triangle's corners, and each pixel is lit by its
 * own normal, so that the surface looks smooth.  Points without triangles become discs across their
 * normals, or dots that face the eye.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "draw.h"

/* A point in the image: x to the right and y downwards, in pixels, and z to the eye; its normal
 * along these, and its value. */
enum {
	X,
	Y,
	Z,
	NORMAL,
	VALUE = NORMAL + 3,
	PARTS
};

struct image {
	const struct gem_points *p;
	const float *value;
	const struct gem_view *v;
	int back; /* 1: seen from behind */
	float (*px)[PARTS]; /* what shows at each pixel */
	size_t w, h;
	double scale; /* pixels to an Angstrom */
};

#define TURN 6.283185307179586
#define SIDES 12 /* of a disc */

static double along(const double axis[3], const double from[3], const double to[3])
{
	return axis[0] * (to[0] - from[0]) + axis[1] * (to[1] - from[1]) +
	       axis[2] * (to[2] - from[2]);
}

/* ------------------------------------------------------------- view ---- */

static void across(double to[3], const double a[3], const double b[3])
{
	int k;

	for (k = 0; k < 3; k++)
		to[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

/* To length 1.  The sign of a principal axis is free; with its largest part positive it is the same
 * each time. */
static void settle(double v[3], int sign)
{
	const double x = fabs(v[0]), y = fabs(v[1]), z = fabs(v[2]);
	const double most = x >= y && x >= z ? v[0] : y >= z ? v[1] : v[2];
	const double length = sqrt(x * x + y * y + z * z) * (sign && most < 0 ? -1 : 1);
	int k;

	for (k = 0; k < 3; k++)
		v[k] /= length;
}

/*
 * The principal axes of the atoms, the longest to the right, the shortest to the eye.  Each of
 * Jacobi's rotations turns two axes until the covariance along them is 0 and the first has the
 * larger variance; a few sweeps do for three axes.
 */
static void principal(double v[3][3], const struct gem_molecule *m)
{
	double s[3], x, t, *a, *b;
	size_t i;
	int k, turn;

	for (k = 0; k < 3; k++)
		v[k][k] = 1;
	for (turn = 0; turn < 36; turn++) {
		a = v[turn % 3 == 2];
		b = v[turn % 3 ? 2 : 1];
		memset(s, 0, sizeof s);
		for (i = 0; i < m->n; i++) {
			x = along(a, m->centre, m->atom[i].at);
			t = along(b, m->centre, m->atom[i].at);
			s[0] += x * x;
			s[1] += x * t;
			s[2] += t * t;
		}
		t = atan2(2 * s[1], s[0] - s[2]) / 2;
		for (k = 0; k < 3; k++) {
			x = a[k];
			a[k] = cos(t) * x + sin(t) * b[k];
			b[k] = cos(t) * b[k] - sin(t) * x;
		}
	}
	settle(v[0], 1);
	settle(v[1], 1);
	across(v[2], v[0], v[1]);
}

void gem_look(struct gem_view *v, const struct gem_molecule *m, const struct gem_points *p,
              const struct option_triple *from)
{
	double x;
	size_t i;
	int k;

	memset(v, 0, sizeof *v);
	v->set = 1;
	memcpy(v->centre, m->centre, sizeof v->centre);
	if (from->n) { /* y is up, or where it is to the eye, -z */
		memcpy(v->axis[2], from->v, sizeof from->v);
		settle(v->axis[2], 0);
		k = fabs(v->axis[2][1]) > 0.999 ? 2 : 1;
		v->axis[1][k] = k == 2 ? -1 : 1;
		across(v->axis[0], v->axis[1], v->axis[2]);
		settle(v->axis[0], 0);
		across(v->axis[1], v->axis[2], v->axis[0]);
	} else {
		principal(v->axis, m);
	}
	for (k = 0; k < 3; k++) {
		v->low[k] = HUGE_VAL;
		v->high[k] = -HUGE_VAL;
		for (i = 0; i < p->n; i++) {
			x = along(v->axis[k], v->centre, p->at[i]);
			v->low[k] = fmin(v->low[k], x);
			v->high[k] = fmax(v->high[k], x);
		}
	}
}

/* ------------------------------------------------------------ pixels ---- */

static void project(const struct image *o, size_t i, float to[PARTS])
{
	static const double zero[3];
	const struct gem_view *v = o->v;
	const double middle[3] = { (double)o->w / 2, (double)o->h / 2, 0 };
	double n[3] = { v->axis[2][0], v->axis[2][1], v->axis[2][2] };
	int k;

	for (k = 0; k < 3 && o->p->normal; k++)
		n[k] = (double)o->p->normal[i][k];
	for (k = 0; k < 3; k++) {
		const double sign = k == Y || o->back ? -1 : 1,
		             x = along(v->axis[k], v->centre, o->p->at[i]);

		to[k] = (float)(middle[k] + sign * o->scale * (x - (v->low[k] + v->high[k]) / 2));
		to[NORMAL + k] = (float)(sign * along(v->axis[k], zero, n));
	}
	to[VALUE] = o->value[i];
}

/* Twice the area of a triangle; positive or negative, by its sense. */
static float area(const float a[2], const float b[2], const float c[2])
{
	return (b[X] - a[X]) * (c[Y] - a[Y]) - (b[Y] - a[Y]) * (c[X] - a[X]);
}

/* The least and the largest whole number round three, within 0 and most. */
static size_t bounds(float a, float b, float c, size_t most, size_t *end)
{
	*end = (size_t)fminf(fmaxf(ceilf(fmaxf(a, fmaxf(b, c))), 0), (float)most);
	return (size_t)fminf(fmaxf(floorf(fminf(a, fminf(b, c))), 0), (float)most);
}

static void triangle(struct image *o, float c[3][PARTS])
{
	const float all = area(c[0], c[1], c[2]);
	float at[PARTS], w[3], *px;
	size_t x, y, x1, y1;
	const size_t x0 = bounds(c[0][X], c[1][X], c[2][X], o->w, &x1);
	int i, k;

	for (y = bounds(c[0][Y], c[1][Y], c[2][Y], o->h, &y1); all != 0 && y < y1; y++)
		for (x = x0; x < x1; x++) {
			at[X] = (float)x + 0.5f;
			at[Y] = (float)y + 0.5f;
			for (i = 0; i < 3; i++)
				w[i] = area(c[(i + 1) % 3], c[(i + 2) % 3], at) / all;
			for (k = Z; k < PARTS; k++)
				at[k] = w[0] * c[0][k] + w[1] * c[1][k] + w[2] * c[2][k];
			for (k = NORMAL; all > 0 && k < VALUE; k++)
				at[k] = -at[k]; /* the inner side of an open surface */
			px = o->px[y * o->w + x];
			if (w[0] >= 0 && w[1] >= 0 && w[2] >= 0 && at[Z] > px[Z])
				memcpy(px, at, sizeof at);
		}
}

/* A disc across the normal of a point that has no triangles. */
static void disc(struct image *o, size_t i, double r)
{
	float c[3][PARTS];
	double n[3], u[3] = { 0, 1, 0 }, v[3];
	int j, k, turn;

	project(o, i, c[0]);
	for (k = 0; k < 3; k++)
		n[k] = (double)c[0][NORMAL + k];
	u[X] = fabs(n[Y]) > 0.9;
	across(v, n, u);
	settle(v, 0);
	across(u, v, n);
	for (turn = 0; turn < SIDES; turn++) {
		for (j = 1; j < 3; j++) {
			const double angle = TURN * (turn + 2 - j) / SIDES;

			memcpy(c[j], c[0], sizeof c[j]);
			for (k = 0; k < 3; k++)
				c[j][k] += (float)(r * (cos(angle) * u[k] + sin(angle) * v[k]));
		}
		triangle(o, c);
	}
}

static void draw(struct image *o)
{
	const struct gem_view *v = o->v;
	const double x = v->high[X] - v->low[X], y = v->high[Y] - v->low[Y];
	const double z = v->high[Z] - v->low[Z], least = (double)(o->w < o->h ? o->w : o->h);
	const int dots = !o->p->normal;
	float c[3][PARTS];
	double r;
	size_t i;
	int k;

	o->scale = 0.9 * fmin((double)o->w / fmax(x, 1e-9), (double)o->h / fmax(y, 1e-9));
	for (i = 0; i < o->p->faces; i++) {
		for (k = 0; k < 3; k++)
			project(o, o->p->face[i][k], c[k]);
		triangle(o, c);
	}
	/* As if the points were spread over the sides of their box: discs close the surface. */
	r = o->scale * sqrt(2 * (x * y + y * z + z * x) / fmax((double)o->p->n, 1));
	r = fmax(1.5, fmin(r * (dots ? 0.3 : 0.9), least / (dots ? 80 : 25)));
	for (i = 0; !o->p->faces && i < o->p->n; i++)
		disc(o, i, r);
}

/* ------------------------------------------------------------ colours ---- */

/* The share of the ambient light that the surroundings block: less light reaches the bottom of a
 * cleft. */
static float shadow(const struct image *o, size_t x, size_t y, float reach)
{
	static const signed char ring[8][2] = { { 7, 0 },  { 5, 5 },   { 0, 7 },  { -5, 5 },
		                                { -7, 0 }, { -5, -5 }, { 0, -7 }, { 5, -5 } };
	const float z = o->px[y * o->w + x][Z];
	float sum = 0, d, px, py;
	int i, s;

	for (s = 1; s <= 3; s++)
		for (i = 0; i < 8; i++) {
			px = (float)x + reach * (float)(s * ring[i][0]) / 21;
			py = (float)y + reach * (float)(s * ring[i][1]) / 21;
			if (px < 0 || py < 0 || px >= (float)o->w || py >= (float)o->h)
				continue;
			d = o->px[(size_t)py * o->w + (size_t)px][Z] - z;
			if (d > 0)
				sum += d / (d + reach * (float)s / 3);
		}
	return sum / 24;
}

void gem_colour(double t, float rgb[3])
{
	static const float end[2][3] = { { 0.80f, 0.07f, 0.11f }, { 0.09f, 0.24f, 0.80f } };
	static const float white = 0.97f;
	const float *to = end[t > 0];
	float a = (float)fmin(fabs(t), 1); /* 1 also for what is no number */
	int i;

	for (i = 0; i < 3; i++)
		rgb[i] = white + (to[i] - white) * a;
}

static uint32_t shade(const struct image *o, size_t x, size_t y, double range)
{
	static const float light[3] = { -0.40f, -0.50f, 0.77f };
	const float *px = o->px[y * o->w + x], *n = px + NORMAL;
	float rgb[3], bright = 1;
	int i;

	if (o->p->normal) {
		bright = (n[0] * light[0] + n[1] * light[1] + n[2] * light[2]) /
		         fmaxf(sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]), 1e-9f);
		bright = 0.50f + 0.55f * fmaxf(bright, 0);
		bright *= 1 - 0.65f * shadow(o, x, y, 6 * (float)o->scale);
	}
	gem_colour((double)px[VALUE] / range, rgb);
	for (i = 0; i < 3; i++)
		rgb[i] = fminf(rgb[i] * bright, 1);
	return picture_pixel(rgb);
}

cairo_surface_t *gem_surface(size_t w, size_t h, const struct gem_points *p, const float *value,
                             double range, const struct gem_view *v, int back, struct fault *e)
{
	struct image o = { p, value, v, back, malloc(w * h * sizeof *o.px), w, h, 1 };
	cairo_surface_t *s = picture_new(w, h, 1, e);
	size_t x, y;

	if (!s || !o.px) {
		free(o.px);
		cairo_surface_destroy(s);
		fail(e, "out of memory for a picture of %zu x %zu", w, h);
		return NULL;
	}
	for (x = 0; x < w * h; x++)
		o.px[x][Z] = -HUGE_VALF;
	draw(&o);
	for (y = 0; y < h; y++)
		for (x = 0; x < w; x++)
			if (o.px[y * w + x][Z] > -HUGE_VALF)
				picture_row(s, y)[x] = shade(&o, x, y, range);
	cairo_surface_mark_dirty(s);
	free(o.px);
	return s;
}
