/* SPDX-License-Identifier: MIT */
/*
 * draw.c - a picture of the bodies: their density seen along z.
 *
 * Each body is spread over the four pixels round it and all are blurred alike, so
 * that few bodies show as discs and many as a cloud.  Bodies count alike whatever
 * their mass: the bright stars are light, and the dark bodies of a halo are heavy.  The colours
 * go with the logarithm of the density.  All pictures of a run have the view and the colours
 * of the first, so that they make a film.
 */
#include <math.h>
#include <stdlib.h>

#include "../common/picture.h"
#include "nb.h"

#define STEPS 8

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

/* The centre is the mean of all bodies; the view holds 98 % of them, or all if they are few. */
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
	view->half = 1.2 * percentile98(far, n);
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

static void expose(const struct nb_view *view, float *film, const double *body, size_t n)
{
	const double scale = (double)view->size / (2 * view->half);
	double x, y, fx, fy;
	size_t i;

	for (i = 0; i < n; i++) {
		x = (body[4 * i] - view->centre[0] + view->half) * scale - 0.5;
		y = (view->centre[1] + view->half - body[4 * i + 1]) * scale - 0.5;
		fx = x - floor(x);
		fy = y - floor(y);
		x = floor(x);
		y = floor(y);
		add(film, view->size, x, y, (1 - fx) * (1 - fy));
		add(film, view->size, x + 1, y, fx * (1 - fy));
		add(film, view->size, x, y + 1, (1 - fx) * fy);
		add(film, view->size, x + 1, y + 1, fx * fy);
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
	const size_t reach = (size_t)ceil(3 * view->blur), size = view->size;
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

static cairo_surface_t *develop(const struct nb_view *view, const float *film, struct fault *e)
{
	const double end = log1p(view->bright / view->faint);
	cairo_surface_t *s = picture_new(view->size, view->size, 0, e);
	size_t x, y;

	for (y = 0; s && y < view->size; y++)
		for (x = 0; x < view->size; x++)
			picture_row(s, y)[x] = colour(log1p((double)*film++ / view->faint) / end);
	if (s)
		cairo_surface_mark_dirty(s);
	return s;
}

cairo_surface_t *nb_picture(struct nb_view *view, const double *body, size_t n, struct fault *e)
{
	const int first = !(view->half > 0);
	float *film = calloc(view->size * view->size, sizeof *film);
	cairo_surface_t *s = NULL;
	int rc = 0;

	if (!film || (first && fit(view, body, n)))
		rc = fail(e, "out of memory for a picture of %zu bodies", n);
	if (rc == 0)
		expose(view, film, body, n);
	if (rc == 0 && blur(view, film))
		rc = fail(e, "out of memory for a picture");
	if (rc == 0 && first)
		range(view, film);
	if (rc == 0)
		s = develop(view, film, e);
	free(film);
	return s;
}

int nb_draw(const char *path, struct nb_view *view, const double *body, size_t n, struct fault *e)
{
	const struct picture o = { nb_picture(view, body, n, e), NULL, 0 };
	const int rc = o.s ? picture_write(path, &o, e) : -1;

	cairo_surface_destroy(o.s);
	return rc;
}
