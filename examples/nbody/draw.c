/* SPDX-License-Identifier: MIT */
/*
 * draw.c - a picture of the bodies: their density seen along z.
 *
 * Each body is spread over the four pixels round it and all are blurred alike, so
 * that few bodies show as discs and many as a cloud.  Bodies count alike whatever
 * their mass: the bright stars are light, and the dark bodies of a halo are heavy.  The colours
 * go with the logarithm of the density, or mix those of the bodies' types.  All pictures of a run
 * have the view and the colours of the first, so that they make a film.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "../common/picture.h"
#include "nb.h"

#define STEPS 8
#define LEGIBLE 200 /* pixels: a smaller picture has no letters */

/* GADGET's types; 2 and 3 differ between programs. */
static const struct {
	const char *name;
	float rgb[3];
} types[] = {
	{ "gas", { 0.25f, 0.85f, 1 } },        { "dark", { 0.62f, 0.35f, 1 } },
	{ "type 2", { 0.35f, 0.9f, 0.4f } },   { "type 3", { 1, 0.45f, 0.75f } },
	{ "stars", { 1, 0.75f, 0.3f } },       { "black holes", { 1, 0.3f, 0.25f } },
	{ "neutrinos", { 0.8f, 0.8f, 0.8f } },
};

#define TYPES (sizeof types / sizeof *types)

static size_t type_of(const struct nb_system *s, size_t i)
{
	const size_t kind = (size_t)nb_system_kind(s, i);

	return kind < TYPES ? kind : TYPES - 1;
}

/* From the night over violet and red to nearly white, brighter all the way. */
static uint32_t colour(double t)
{
	static const double stop[STEPS][3] = {
		{ 4, 4, 14 },    { 27, 16, 68 },   { 79, 18, 123 },  { 136, 34, 128 },
		{ 198, 60, 96 }, { 240, 104, 60 }, { 252, 174, 86 }, { 255, 248, 216 },
	};
	const double at = fmin(fmax(t, 0), 1) * (STEPS - 1);
	const int i = (int)fmin(at, STEPS - 2);
	float rgb[3];
	int k;

	for (k = 0; k < 3; k++)
		rgb[k] = (float)((stop[i][k] + (at - i) * (stop[i + 1][k] - stop[i][k])) / 255);
	return picture_pixel(rgb);
}

#define FEW 50 /* bodies, each of which percentile98 sees */

/* The centre is the mean of all bodies; the view holds 98 % of them, unless it has a width.  If
 * they are few, it holds all, with a margin as wide as the legend, so that none lies under it. */
static int fit(struct nb_view *view, const double *body, size_t n)
{
	double *far = malloc(n * sizeof *far), sum[2] = { 0, 0 };
	size_t i;

	if (!far)
		return -1;
	for (i = 0; i < n; i++) {
		sum[0] += body[4 * i];
		sum[1] += body[4 * i + 1];
	}
	view->centre[0] = sum[0] / (double)n;
	view->centre[1] = sum[1] / (double)n;
	for (i = 0; i < n; i++)
		far[i] = fmax(fabs(body[4 * i] - view->centre[0]),
		              fabs(body[4 * i + 1] - view->centre[1]));
	view->half = (n <= FEW ? 1.4 : 1.2) * percentile98(far, n);
	if (view->width > 0)
		view->half = view->width / 2;
	if (!(view->half > 0))
		view->half = 1;
	view->blur = fmin((double)view->size / 60, 0.12 * (double)view->size / sqrt((double)n));
	view->blur = fmax(view->blur, 0.6);
	free(far);
	return 0;
}

static void add(float *film, size_t size, double x, double y, double weight)
{
	if (x >= 0 && y >= 0 && x < (double)size && y < (double)size)
		film[(size_t)y * size + (size_t)x] += (float)weight;
}

/* The bodies in one plane, or those times red, green and blue of their types in three more. */
static void expose(const struct nb_view *view, float *film, int planes, const struct nb_system *s)
{
	const double scale = (double)view->size / (2 * view->half);
	double x, y, fx, fy, w;
	const double *body;
	size_t i;
	int k;

	for (i = 0; i < s->n; i++) {
		body = s->body + 4 * i;
		x = (body[0] - view->centre[0] + view->half) * scale - 0.5;
		y = (view->centre[1] + view->half - body[1]) * scale - 0.5;
		fx = x - floor(x);
		fy = y - floor(y);
		x = floor(x);
		y = floor(y);
		for (k = 0; k < planes; k++) {
			float *to = film + (size_t)k * view->size * view->size;

			w = k ? (double)types[type_of(s, i)].rgb[k - 1] : 1;
			add(to, view->size, x, y, w * (1 - fx) * (1 - fy));
			add(to, view->size, x + 1, y, w * fx * (1 - fy));
			add(to, view->size, x, y + 1, w * (1 - fx) * fy);
			add(to, view->size, x + 1, y + 1, w * fx * fy);
		}
	}
}

/* Blur one row or column: n values, `step` apart, with the weights of 2 reach + 1. */
static void blur_line(float *v, size_t n, size_t step, const float *weight, size_t reach,
                      float *copy)
{
	size_t i, j, from, end;
	float sum;

	for (i = 0; i < n; i++)
		copy[i] = v[i * step];
	for (i = 0; i < n; i++) {
		from = i > reach ? i - reach : 0;
		end = i + reach < n ? i + reach + 1 : n;
		for (sum = 0, j = from; j < end; j++)
			sum += weight[j + reach - i] * copy[j];
		v[i * step] = sum;
	}
}

static int blur(const struct nb_view *view, float *film)
{
	const size_t reach = (size_t)ceil(4 * view->blur), size = view->size;
	float *weight = malloc((2 * reach + 1 + size) * sizeof *weight), *copy;
	double sum = 0, d;
	size_t i;

	if (!weight)
		return -1;
	copy = weight + 2 * reach + 1;
	for (i = 0; i <= 2 * reach; i++) {
		d = ((double)i - (double)reach) / view->blur;
		weight[i] = (float)exp(-d * d / 2);
		sum += (double)weight[i];
	}
	for (i = 0; i <= 2 * reach; i++)
		weight[i] /= (float)sum;
	for (i = 0; i < size; i++)
		blur_line(film + i * size, size, 1, weight, reach, copy);
	for (i = 0; i < size; i++)
		blur_line(film + i, size, size, weight, reach, copy);
	free(weight);
	return 0;
}

/* The colours begin below the middle of a body that is alone. */
static void range(struct nb_view *view, const float *film)
{
	size_t i;

	view->faint = 0.25 / (6.2832 * view->blur * view->blur);
	view->bright = view->faint;
	for (i = 0; i < view->size * view->size; i++)
		view->bright = fmax(view->bright, (double)film[i]);
}

/* A mixture of colours, black at 0 and nearly white at 1. */
static uint32_t tint(const float mixed[3], double t)
{
	const float up = (float)fmin(t / 0.75, 1), white = (float)fmax(t - 0.75, 0) * 3;
	float rgb[3];
	int k;

	for (k = 0; k < 3; k++)
		rgb[k] = fminf(mixed[k] * up + (1 - mixed[k]) * fminf(white, 0.75f), 1);
	return picture_pixel(rgb);
}

static void develop(cairo_surface_t *s, const struct nb_view *view, const float *film, int planes)
{
	const double end = log1p(view->bright / view->faint);
	const size_t all = view->size * view->size;
	float rgb[3];
	size_t x, y;
	double t;
	int k;

	for (y = 0; y < view->size; y++)
		for (x = 0; x < view->size; x++, film++) {
			t = fmin(log1p((double)*film / view->faint) / end, 1);
			for (k = 1; k < planes; k++)
				rgb[k - 1] = film[0] > 0 ? film[(size_t)k * all] / film[0] : 0;
			picture_row(s, y)[x] = planes > 1 ? tint(rgb, t) : colour(t);
		}
	cairo_surface_mark_dirty(s);
}

/* ------------------------------------------------------------ legend ---- */

static const struct nb_unit none = { 1, "" };

/* The largest unit that is not larger than this; of unknown units none. */
static struct nb_unit unit_of(const struct nb_unit *list, double size)
{
	if (!(size > 0))
		return none;
	while (list[1].name && list->size > size)
		list++;
	return *list;
}

/* 1, 2 or 5 times a power of ten. */
static double rounded(double v)
{
	const double ten = pow(10, floor(log10(v))), first = v / ten;

	return ten * (first < 2 ? 1 : first < 5 ? 2 : 5);
}

#define INK 0.9 /* grey */

/* The names of the types that are there, in their colours. */
static void name_types(cairo_t *c, const struct nb_system *s, double right, double y, double height)
{
	size_t i, there[TYPES] = { 0 };

	for (i = 0; i < s->n; i++)
		there[type_of(s, i)]++;
	for (i = TYPES; i--;)
		if (there[i]) {
			const double w = picture_text_width(c, height, types[i].name);

			picture_text(c, right - w, y, height, INK, types[i].name);
			cairo_set_source_rgb(c, (double)types[i].rgb[0], (double)types[i].rgb[1],
			                     (double)types[i].rgb[2]);
			cairo_new_path(c);
			cairo_arc(c, right - w - 1.2 * height, y, height / 2, 0, 7);
			cairo_fill(c);
			y -= 2 * height;
		}
}

/* The colours of densities, in bodies to a square of the unit of length. */
static void name_densities(cairo_t *c, const struct nb_view *view, const struct nb_unit *u,
                           double unit, double right, double y, double height)
{
	const double w = (double)view->size / 4, pixel = 2 * view->half / (double)view->size * unit;
	const double end = log1p(view->bright / view->faint);
	char s[80];
	double x, density, ten;
	int i;

	for (x = 0; x < w; x++) {
		const uint32_t rgb = colour(x / w);

		cairo_set_source_rgb(c, (rgb >> 16 & 255) / 255., (rgb >> 8 & 255) / 255.,
		                     (rgb & 255) / 255.);
		cairo_rectangle(c, right - w + x, y - height / 2, 1, height);
		cairo_fill(c);
	}
	for (i = 0; i < 3; i++) {
		density = view->faint * expm1(end * i / 2) * u->size * u->size / (pixel * pixel);
		ten = density >= 100 && density < 1e6 ? pow(10, floor(log10(density)) - 1) : 1;
		snprintf(s, sizeof s, ten > 1 ? "%.0f" : "%.2g",
		         ten > 1 ? ten * round(density / ten) : density);
		x = right - w + w * i / 2;
		picture_box(c, x - 0.5, y - height, 1, height / 2, INK);
		x -= picture_text_width(c, 0.8 * height, s) * i / 2;
		picture_text(c, x, y - 2 * height, 0.8 * height, INK, s);
	}
	snprintf(s, sizeof s, *u->name ? "bodies/%s\302\262" : "bodies per area", u->name);
	picture_text(c, right - w, y - 4 * height, height, INK, s);
}

/* The time above; below the length of a line, and what the colours mean. */
static void label(cairo_surface_t *s, const struct nb_view *view, const struct nb_system *b,
                  int types_too)
{
	const double size = (double)view->size, height = size / 60, gap = 2 * height;
	const double unit = b->units.length > 0 ? b->units.length : 1;
	const double target = 0.5 * view->half * unit; /* a quarter of the width */
	const struct nb_unit u = unit_of(nb_lengths, b->units.length > 0 ? target : 0);
	const struct nb_unit t = unit_of(nb_times, 2 * b->units.time);
	const double length = rounded(target / u.size);
	const double w = length * u.size / unit / (2 * view->half) * size;
	cairo_t *c = cairo_create(s);
	char text[80];

	snprintf(text, sizeof text, "t = %.4g%s%s",
	         b->time * (b->units.time > 0 ? b->units.time : 1) / t.size, *t.name ? " " : "",
	         t.name);
	picture_text(c, gap, gap, height, INK, text);
	snprintf(text, sizeof text, *u.name ? "%g %s" : "length %g", length, u.name);
	picture_box(c, gap, size - gap, w, fmax(1, height / 6), INK);
	picture_text(c, gap, size - 2 * gap + height / 2, height, INK, text);
	if (types_too)
		name_types(c, b, size - gap, size - gap, height);
	else
		name_densities(c, view, &u, unit, size - gap, size - gap, height);
	cairo_destroy(c);
}

cairo_surface_t *nb_picture(struct nb_view *view, const struct nb_system *b, int by,
                            struct fault *e)
{
	const int first = !(view->half > 0), planes = by == NB_BY_TYPE ? 4 : 1;
	const size_t all = view->size * view->size;
	float *film = calloc((size_t)planes * all, sizeof *film);
	cairo_surface_t *s = NULL;
	int rc = film && !(first && fit(view, b->body, b->n)) ? 0 : -1, k;

	if (rc == 0)
		expose(view, film, planes, b);
	for (k = 0; rc == 0 && k < planes; k++)
		rc = blur(view, film + (size_t)k * all);
	if (rc == 0)
		s = picture_new(view->size, view->size, 0, e);
	else
		fail(e, "out of memory for a picture of %zu bodies", b->n);
	if (s && first)
		range(view, film);
	if (s)
		develop(s, view, film, planes);
	if (s && view->size >= LEGIBLE)
		label(s, view, b, by == NB_BY_TYPE);
	free(film);
	return s;
}

int nb_draw(const char *path, struct nb_view *view, const struct nb_system *b, int by,
            struct fault *e)
{
	const struct picture o = { nb_picture(view, b, by, e), NULL, 0 };
	const int rc = o.s ? picture_write(path, &o, e) : -1;

	cairo_surface_destroy(o.s);
	return rc;
}
