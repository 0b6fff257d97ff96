/* SPDX-License-Identifier: MIT */
/*
 * plot.c - panels of curves as SVG.
 *
 * A panel is drawn from back to front: grid and ticks, series, names.  Series
 * differ in colour and in the shape of their marks, so that the picture also
 * survives a grey printer.
 */
#include "plot.h"

#include <math.h>

/* Pixels. */
enum {
	PANEL_WIDTH = 480,
	PANEL_HEIGHT = 340,
	LEFT = 72,
	RIGHT = 20,
	TOP = 34,
	BOTTOM = 72,
};

/* Marks round (0, 0). */
static const char *const marks[] = {
	"M-3,0a3,3 0 1,0 6,0a3,3 0 1,0 -6,0z", /* circle */
	"M-3,-3h6v6h-6z", /* square */
	"M0,-4l4,7h-8z", /* triangle */
	"M0,-4l4,4l-4,4l-4,-4z", /* diamond */
	"M-3,-3l6,6m0,-6l-6,6", /* cross */
};

/* A panel on its way to the file, with its axes settled. */
struct drawing {
	FILE *to;
	const struct plot_panel *panel;
	struct plot_axis x, y;
	double left, top, width, height; /* of the frame */
};

static double at_x(const struct drawing *d, double x)
{
	return d->left + d->width * (x - d->x.from) / (d->x.to - d->x.from);
}

static double at_y(const struct drawing *d, double y)
{
	return d->top + d->height * (d->y.to - y) / (d->y.to - d->y.from);
}

/* ---- Pieces ------------------------------------------------------------------ */

static void put_mark(FILE *to, size_t series, double x, double y)
{
	fprintf(to, "<path fill=\"%s\" stroke=\"%s\" d=\"%s\"", plot_colour(series),
	        plot_colour(series), marks[series % (sizeof marks / sizeof *marks)]);
	plot_put(to, " transform=\"translate(", x, ",");
	plot_put(to, "", y, ")\"/>\n");
}

static void draw_axes(const struct drawing *d)
{
	const double right = d->left + d->width, bottom = d->top + d->height;
	char number[PLOT_NUMBER];
	double value;
	int i;

	for (i = 0; (value = d->x.from + i * d->x.step) <= d->x.to + 0.5 * d->x.step; i++) {
		plot_put_line(d->to, "axis", at_x(d, value), bottom, at_x(d, value), bottom + 5);
		plot_put_text(d->to, "middle", at_x(d, value), bottom + 19,
		              plot_number(number, value, plot_decimals(d->x.step)));
	}
	for (i = 0; (value = d->y.from + i * d->y.step) <= d->y.to + 0.5 * d->y.step; i++) {
		plot_put_line(d->to, "grid", d->left, at_y(d, value), right, at_y(d, value));
		plot_put_text(d->to, "right", d->left - 8, at_y(d, value) + 4,
		              plot_number(number, value, plot_decimals(d->y.step)));
	}
	plot_put_line(d->to, "axis", d->left, d->top, d->left, bottom);
	plot_put_line(d->to, "axis", d->left, bottom, right, bottom);
	plot_put_text(d->to, "middle", d->left + 0.5 * d->width, bottom + 40, d->x.label);
	plot_put(d->to, "<g transform=\"translate(", d->left - 54, ",");
	plot_put(d->to, "", d->top + 0.5 * d->height, ") rotate(-90)\">\n");
	plot_put_text(d->to, "middle", 0, 0, d->y.label);
	fputs("</g>\n", d->to);
	plot_put_text(d->to, "name middle", d->left + 0.5 * d->width, d->top - 12, d->panel->title);
}

static int shown(const struct plot_series *s, size_t i)
{
	return i < s->n && isfinite(s->x[i]) && isfinite(s->y[i]);
}

static void draw_series(const struct drawing *d, size_t index)
{
	const struct plot_series *s = &d->panel->series[index];
	size_t i;

	fprintf(d->to, "<path class=\"curve%s\" stroke=\"%s\" d=\"M",
	        s->reference ? " reference" : "", plot_colour(index));
	/* A path has to begin at a place, also where nothing is to be drawn. */
	plot_put(d->to, "", d->left, ",");
	plot_put(d->to, "", d->top + d->height, "");
	for (i = 0; i < s->n; i++) {
		if (!shown(s, i))
			continue;
		plot_put(d->to, i > 0 && shown(s, i - 1) ? "L" : "M", at_x(d, s->x[i]), ",");
		plot_put(d->to, "", at_y(d, s->y[i]), "");
	}
	fputs("\"/>\n", d->to);
	for (i = 0; i < s->n && !s->reference; i++) {
		if (!shown(s, i))
			continue;
		put_mark(d->to, index, at_x(d, s->x[i]), at_y(d, s->y[i]));
	}
}

/* Names stand in a row under the panel, out of the way of every curve. */
static void draw_names(const struct drawing *d)
{
	const size_t count = d->panel->count;
	const double y = d->top + d->height + 62;
	size_t i;

	for (i = 0; count > 1 && i < count; i++) {
		const struct plot_series *s = &d->panel->series[i];
		const double x = d->left + d->width * (double)i / (double)count;

		fprintf(d->to, "<path class=\"curve%s\" stroke=\"%s\"",
		        s->reference ? " reference" : "", plot_colour(i));
		plot_put(d->to, " d=\"M", x, ",");
		plot_put(d->to, "", y - 4, "h28\"/>\n");
		if (!s->reference)
			put_mark(d->to, i, x + 14, y - 4);
		plot_put_text(d->to, "", x + 36, y, s->name);
	}
}

void plot_svg(FILE *to, const char *title, const struct plot_panel *panels, size_t count)
{
	size_t i, k;

	plot_head(to, title, PANEL_WIDTH * (unsigned)count, PLOT_HEAD + PANEL_HEIGHT);
	for (i = 0; i < count; i++) {
		struct drawing d = { .to = to, .panel = &panels[i] };

		d.left = (double)(PANEL_WIDTH * i + LEFT);
		d.top = PLOT_HEAD + TOP;
		d.width = PANEL_WIDTH - LEFT - RIGHT;
		d.height = PANEL_HEIGHT - TOP - BOTTOM;
		plot_axes(&panels[i], &d.x, &d.y);
		draw_axes(&d);
		for (k = 0; k < panels[i].count; k++)
			draw_series(&d, k);
		draw_names(&d);
	}
	fputs("</svg>\n", to);
}
