/* SPDX-License-Identifier: MIT */
/*
 * splat.c - a closed surface out of dots.
 *
 * Each dot is drawn as a small disc across its normal, in two passes.  The
 * first keeps the depth nearest to the eye; the second mixes the values and
 * normals of all discs that lie at that depth, most from the discs whose middle
 * is near.  So neighbours blend into a smooth surface, and no triangles are
 * needed.  Points without normals become flat dots that face the eye.
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
	struct gem_view v;
};

static void along(const struct film *f, const double at[3], double out[3])
{
	int i, j;

	for (i = 0; i < 3; i++)
		for (out[i] = 0, j = 0; j < 3; j++)
			out[i] += f->v.axis[i][j] * (at[j] - f->v.centre[j]);
}

/*
 * The spacing of the points.  For evenly spread points the sixth neighbour is at sqrt(6 / (pi d)),
 * where d is their density.  The upper quartile over a sample of points is taken; seams and gaps do
 * not change it much.
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
	sort_doubles(far, count);
	return sqrt(far[count * 3 / 4] * 3.141592653589793 / NEAR);
}

/* v' s w */
static double form(double s[3][3], const double v[3], const double w[3])
{
	double sum = 0;
	int i, j;

	for (i = 0; i < 3; i++)
		for (j = 0; j < 3; j++)
			sum += v[i] * s[i][j] * w[j];
	return sum;
}

/* The sign of an axis is free; with its largest part positive it is the same each time. */
static void face(double v[3])
{
	const double x = fabs(v[0]), y = fabs(v[1]), z = fabs(v[2]);
	const double most = x >= y && x >= z ? v[0] : y >= z ? v[1] : v[2];
	int i;

	for (i = 0; i < 3 && most < 0; i++)
		v[i] = -v[i];
}

/*
 * The centre of the points and their principal axes, longest first, right-handed.  Each of Jacobi's
 * rotations turns two axes until the covariance along them is 0 and the first has the larger
 * variance; a few sweeps do for three axes.
 */
static void axes(struct film *f, const struct gem_points *p)
{
	double s[3][3] = { { 0 } }, t, x, *a, *b, (*v)[3] = f->v.axis;
	size_t i;
	int j, k, turn;

	for (j = 0; j < 3; j++)
		for (i = 0, v[j][j] = 1; i < p->n; i++)
			f->v.centre[j] += p->at[i][j] / (double)p->n;
	for (i = 0; i < p->n; i++)
		for (j = 0; j < 3; j++)
			for (k = 0; k < 3; k++)
				s[j][k] += (p->at[i][j] - f->v.centre[j]) *
				           (p->at[i][k] - f->v.centre[k]);
	for (turn = 0; turn < 36; turn++) {
		a = v[turn % 3 == 2];
		b = v[turn % 3 ? 2 : 1];
		t = atan2(2 * form(s, a, b), form(s, a, a) - form(s, b, b)) / 2;
		for (k = 0; k < 3; k++) {
			x = a[k];
			a[k] = cos(t) * x + sin(t) * b[k];
			b[k] = cos(t) * b[k] - sin(t) * x;
		}
	}
	face(v[0]);
	face(v[1]);
	for (k = 0; k < 3; k++)
		v[2][k] = v[0][(k + 1) % 3] * v[1][(k + 2) % 3] -
		          v[0][(k + 2) % 3] * v[1][(k + 1) % 3];
}

static void fit(struct film *f, const struct gem_points *p)
{
	double v[3], r, room;
	size_t i;
	int j;

	axes(f, p);
	for (j = 0; j < 3; j++) {
		f->v.low[j] = HUGE_VAL;
		f->v.high[j] = -HUGE_VAL;
	}
	for (i = 0; i < p->n; i++) {
		along(f, p->at[i], v);
		for (j = 0; j < 3; j++) {
			f->v.low[j] = fmin(f->v.low[j], v[j]);
			f->v.high[j] = fmax(f->v.high[j], v[j]);
		}
	}
	f->v.scale = 0.9 * fmin((double)f->w / fmax(f->v.high[0] - f->v.low[0], 1e-9),
	                        (double)f->h / fmax(f->v.high[1] - f->v.low[1], 1e-9));
	/* 1.4 of the spacing closes the surface; without normals the dots shall
	 * stand apart. */
	room = (double)(f->w < f->h ? f->w : f->h);
	r = f->v.scale * spacing(p) * (p->normal ? 1.4 : 0.4);
	f->v.r = (float)fmax(1.5, fmin(r, room / (p->normal ? 25 : 80)));
}

/* One disc: its depth if mix is 0, else its share of the visible colour. */
static void disc(struct film *f, const double at[3], const double n[3], float value, int mix)
{
	float r = f->v.r, dx, dy, dz, d2, w, z;
	float tilt[2] = { (float)(n[0] / fmax(n[2], 0.05)), (float)(n[1] / fmax(n[2], 0.05)) };
	size_t x, y, x1, y1;
	struct pixel *px;

	/* Later pictures of a view may have points outside. */
	if (at[0] + (double)r < 0 || at[1] + (double)r < 0 || at[0] - (double)r > (double)f->w ||
	    at[1] - (double)r > (double)f->h)
		return;
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

static void pass(struct film *f, const struct gem_points *p, const float *value, int mix)
{
	double at[3], n[3], to[3];
	size_t i;
	int j;

	for (i = 0; i < p->n; i++) {
		along(f, p->at[i], at);
		at[0] = (double)f->w / 2 + f->v.scale * (at[0] - (f->v.low[0] + f->v.high[0]) / 2);
		at[1] = (double)f->h / 2 - f->v.scale * (at[1] - (f->v.low[1] + f->v.high[1]) / 2);
		at[2] *= f->v.scale;
		for (j = 0; j < 3; j++)
			to[j] = f->v.centre[j] +
			        (p->normal ? (double)p->normal[i][j] : f->v.axis[2][j]);
		along(f, to, n);
		n[1] = -n[1]; /* rows count downwards */
		/* A disc that faces away can only show its inner side; almost edge on, it
		 * would only fray the outline. */
		if (n[2] <= 0 && n[2] > -0.3)
			continue;
		if (n[2] < 0)
			for (j = 0; j < 3; j++)
				n[j] = -n[j];
		disc(f, at, n, value[i], mix);
	}
}

/* The share of the ambient light that the surroundings block: less light reaches the bottom of a
 * cleft. */
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

static uint32_t shade(const struct film *f, size_t x, size_t y, double range, int flat)
{
	static const float light[3] = { -0.40f, -0.50f, 0.77f };
	const struct pixel *px = &f->px[y * f->w + x];
	float rgb[3] = { GEM_PAPER, GEM_PAPER, GEM_PAPER }, len, bright = 1;
	int i;

	if (px->w <= 0)
		return picture_pixel(rgb);
	if (!flat) {
		len = sqrtf(px->n[0] * px->n[0] + px->n[1] * px->n[1] + px->n[2] * px->n[2]);
		bright = (px->n[0] * light[0] + px->n[1] * light[1] + px->n[2] * light[2]) /
		         fmaxf(len, 1e-9f);
		bright = 0.50f + 0.55f * fmaxf(bright, 0);
		bright *= 1 - 0.65f * shadow(f, x, y, 6 * (float)f->v.scale);
	}
	gem_colour((double)(px->v / px->w) / range, rgb);
	for (i = 0; i < 3; i++)
		rgb[i] = fminf(rgb[i] * bright, 1);
	return picture_pixel(rgb);
}

cairo_surface_t *gem_splat(size_t w, size_t h, const struct gem_points *p, const float *value,
                           double range, struct gem_view *view, struct fault *e)
{
	struct film f = { .w = w, .h = h };
	cairo_surface_t *s = picture_new(w, h, e);
	size_t x, y;

	f.px = s ? malloc(w * h * sizeof *f.px) : NULL;
	if (!f.px) {
		cairo_surface_destroy(s);
		fail(e, "out of memory for a picture of %zu x %zu", w, h);
		return NULL;
	}
	for (x = 0; x < w * h; x++)
		f.px[x] = (struct pixel){ -HUGE_VALF, 0, 0, { 0 } };
	if (view && view->set)
		f.v = *view;
	else if (p->n)
		fit(&f, p);
	f.v.set = p->n > 0;
	if (view)
		*view = f.v;
	pass(&f, p, value, 0);
	pass(&f, p, value, 1);
	for (y = 0; y < h; y++)
		for (x = 0; x < w; x++)
			picture_row(s, y)[x] = shade(&f, x, y, range, !p->normal);
	cairo_surface_mark_dirty(s);
	free(f.px);
	return s;
}
