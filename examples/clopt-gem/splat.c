/* SPDX-License-Identifier: MIT */
/*
 * splat.c - a closed surface out of dots.
 *
 * Each dot is drawn as a small disc across its normal, in two passes.  The
 * first keeps the depth nearest to the eye; the second mixes the values and
 * normals of all discs that lie at that depth, most from the discs whose middle
 * is near.  So neighbours blend into a smooth surface, and no triangles are
 * needed.  Points without normals become flat dots.
 */
#include <math.h>
#include <stdlib.h>

#include "draw.h"

#define NEAR 6 /* neighbours that tell how far points are apart */
#define SAMPLES 200

struct pixel {
	float z; /* towards the eye */
	float w, v, n[3]; /* weight, and weighted sums */
};

struct film {
	struct pixel *px;
	size_t w, h;
	double centre[3], axis[3][3]; /* of the points: right, up, to the eye */
	double low[3], high[3]; /* their bounds along the axes */
	double scale; /* pixels to an Angstrom */
	float r; /* radius of a disc */
};

static void along(const struct film *f, const double at[3], double out[3])
{
	int i, j;

	for (i = 0; i < 3; i++)
		for (out[i] = 0, j = 0; j < 3; j++)
			out[i] += f->axis[i][j] * (at[j] - f->centre[j]);
}

static int order(const void *a, const void *b)
{
	double p = *(const double *)a, q = *(const double *)b;

	return (p > q) - (p < q);
}

/*
 * How far points are apart: for evenly spread points the sixth neighbour is at
 * sqrt(6 / (pi d)), where d is their density.  The upper quartile over some
 * points is what has to be bridged; seams and gaps do not matter to it.
 */
static double spacing(const struct gem_points *p)
{
	double near[NEAR + 1], far[SAMPLES] = { 0 }, d, x, y, z;
	size_t i, j, k, s, count = (size_t)fmax(20, fmin(SAMPLES, 4e7 / (double)p->n));

	for (s = 0; s < count; s++) {
		i = (size_t)((double)p->n * ((double)s + 0.5) / (double)count);
		for (k = 0; k <= NEAR; k++)
			near[k] = HUGE_VAL;
		for (j = 0; j < p->n; j++) {
			x = p->at[j][0] - p->at[i][0];
			y = p->at[j][1] - p->at[i][1];
			z = p->at[j][2] - p->at[i][2];
			d = x * x + y * y + z * z;
			for (k = NEAR + 1; k && d < near[k - 1]; k--)
				if (k <= NEAR)
					near[k] = near[k - 1];
			if (k <= NEAR)
				near[k] = d;
		}
		far[s] = near[NEAR]; /* near[0] is the point itself */
	}
	qsort(far, count, sizeof *far, order);
	return sqrt(far[count * 3 / 4] * 3.141592653589793 / NEAR);
}

static void fit(struct film *f, const struct gem_points *p)
{
	double v[3], r, room;
	size_t i;
	int j;

	gem_axes(p, f->centre, f->axis);
	for (j = 0; j < 3; j++) {
		f->low[j] = HUGE_VAL;
		f->high[j] = -HUGE_VAL;
	}
	for (i = 0; i < p->n; i++) {
		along(f, p->at[i], v);
		for (j = 0; j < 3; j++) {
			f->low[j] = fmin(f->low[j], v[j]);
			f->high[j] = fmax(f->high[j], v[j]);
		}
	}
	f->scale = 0.9 * fmin((double)f->w / fmax(f->high[0] - f->low[0], 1e-9),
	                      (double)f->h / fmax(f->high[1] - f->low[1], 1e-9));
	/* 1.4 of the spacing closes the surface; without normals the dots shall
	 * stand apart. */
	room = (double)(f->w < f->h ? f->w : f->h);
	r = f->scale * spacing(p) * (p->normal ? 1.4 : 0.4);
	f->r = (float)fmax(1.5, fmin(r, room / (p->normal ? 25 : 80)));
}

/* One disc: its depth if mix is 0, else its share of what is seen. */
static void disc(struct film *f, const double at[3], const double n[3], float value, int mix)
{
	float r = f->r, dx, dy, dz, d2, w, z;
	float tilt[2] = { (float)(n[0] / fmax(n[2], 0.05)), (float)(n[1] / fmax(n[2], 0.05)) };
	size_t x, y, x1, y1;
	struct pixel *px;

	x1 = (size_t)fmin((double)f->w, at[0] + (double)r + 1);
	y1 = (size_t)fmin((double)f->h, at[1] + (double)r + 1);
	for (y = (size_t)fmax(0, at[1] - (double)r); y < y1; y++)
		for (x = (size_t)fmax(0, at[0] - (double)r); x < x1; x++) {
			dx = (float)((double)x + 0.5 - at[0]);
			dy = (float)((double)y + 0.5 - at[1]);
			dz = -tilt[0] * dx - tilt[1] * dy;
			d2 = dx * dx + dy * dy + dz * dz;
			if (d2 >= r * r)
				continue;
			px = &f->px[y * f->w + x];
			z = (float)at[2] + dz;
			if (!mix) {
				px->z = fmaxf(px->z, z);
			} else if (z > px->z - 0.7f * r) {
				w = 1 - d2 / (r * r);
				w *= w;
				px->w += w;
				px->v += w * value;
				px->n[0] += w * (float)n[0];
				px->n[1] += w * (float)n[1];
				px->n[2] += w * (float)n[2];
			}
		}
}

/* A dot without a normal: the nearest hides the others. */
static void dot(struct film *f, const double at[3], float value)
{
	double r = (double)f->r, dx, dy;
	size_t x, y;
	struct pixel *px;

	for (y = (size_t)fmax(0, at[1] - r); y < f->h && (double)y < at[1] + r; y++)
		for (x = (size_t)fmax(0, at[0] - r); x < f->w && (double)x < at[0] + r; x++) {
			dx = (double)x + 0.5 - at[0];
			dy = (double)y + 0.5 - at[1];
			px = &f->px[y * f->w + x];
			if (dx * dx + dy * dy < r * r && (float)at[2] > px->z) {
				px->z = (float)at[2];
				px->w = 1;
				px->v = value;
			}
		}
}

static void pass(struct film *f, const struct gem_points *p, const float *value, int mix)
{
	double at[3], n[3], to[3];
	size_t i;
	int j;

	for (i = 0; i < p->n; i++) {
		along(f, p->at[i], at);
		at[0] = (double)f->w / 2 + f->scale * (at[0] - (f->low[0] + f->high[0]) / 2);
		at[1] = (double)f->h / 2 - f->scale * (at[1] - (f->low[1] + f->high[1]) / 2);
		at[2] *= f->scale;
		if (!p->normal) {
			dot(f, at, value[i]);
			continue;
		}
		for (j = 0; j < 3; j++)
			to[j] = f->centre[j] + (double)p->normal[i][j];
		along(f, to, n);
		n[1] = -n[1]; /* rows count downwards */
		/* What faces away shows its inner side, if anything; seen almost
		 * edge on it would only fray the outline. */
		if (n[2] <= 0 && n[2] > -0.3)
			continue;
		if (n[2] < 0)
			for (j = 0; j < 3; j++)
				n[j] = -n[j];
		disc(f, at, n, value[i], mix);
	}
}

/* How much of the light that comes from all sides the surroundings take: less
 * reaches the bottom of a cleft. */
static float shadow(const struct film *f, size_t x, size_t y, float reach)
{
	static const signed char ring[8][2] = { { 7, 0 },  { 5, 5 },   { 0, 7 },  { -5, 5 },
		                                { -7, 0 }, { -5, -5 }, { 0, -7 }, { 5, -5 } };
	float z = f->px[y * f->w + x].z, sum = 0, d;
	int i, s;
	double px, py;

	for (s = 1; s <= 3; s++)
		for (i = 0; i < 8; i++) {
			px = (double)x + (double)reach * s * ring[i][0] / 21;
			py = (double)y + (double)reach * s * ring[i][1] / 21;
			if (px < 0 || py < 0 || px >= (double)f->w || py >= (double)f->h)
				continue;
			d = f->px[(size_t)py * f->w + (size_t)px].z - z;
			if (d > 0)
				sum += d / (d + reach * (float)s / 3);
		}
	return sum / 24;
}

static void shade(struct gem_canvas *c, const struct film *f, double range, int flat)
{
	static const float light[3] = { -0.40f, -0.50f, 0.77f };
	const struct pixel *px;
	float rgb[3], len, bright = 1;
	size_t x, y;
	int i;

	for (y = 0; y < f->h; y++)
		for (x = 0; x < f->w; x++) {
			px = &f->px[y * f->w + x];
			if (px->w <= 0)
				continue;
			if (!flat) {
				len = sqrtf(px->n[0] * px->n[0] + px->n[1] * px->n[1] +
				            px->n[2] * px->n[2]);
				bright = (px->n[0] * light[0] + px->n[1] * light[1] +
				          px->n[2] * light[2]) /
				         fmaxf(len, 1e-9f);
				bright = 0.50f + 0.55f * fmaxf(bright, 0);
				bright *= 1 - 0.65f * shadow(f, x, y, 6 * (float)f->scale);
			}
			gem_colour((double)(px->v / px->w) / range, rgb);
			for (i = 0; i < 3; i++)
				c->rgb[3 * (y * c->w + x) + (size_t)i] =
				        (unsigned char)(255 * fminf(rgb[i] * bright, 1) + 0.5f);
		}
}

int gem_splat(struct gem_canvas *c, size_t w, const struct gem_points *p, const float *value,
              double range, struct gem_error *e)
{
	struct film f = { NULL, w, c->h, { 0 }, { { 0 } }, { 0 }, { 0 }, 0, 0 };
	size_t i;

	f.px = calloc(f.w * f.h, sizeof *f.px);
	if (!f.px)
		return gem_fail(e, "out of memory for a picture of %zu x %zu", f.w, f.h);
	for (i = 0; i < f.w * f.h; i++)
		f.px[i].z = -HUGE_VALF;
	if (p->n)
		fit(&f, p);
	pass(&f, p, value, 0);
	if (p->normal)
		pass(&f, p, value, 1);
	shade(c, &f, range, !p->normal);
	free(f.px);
	return 0;
}
