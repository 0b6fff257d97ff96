/* SPDX-License-Identifier: MIT */
/*
 * plot.c - panels of curves as SVG.
 *
 * A panel is drawn from back to front: grid and ticks, series, names.  Series
 * differ in colour (Okabe and Ito's, which colour-blind eyes tell apart) and in
 * the shape of their marks, so that the picture also survives a grey printer.
 */
#include "plot.h"

#include <math.h>

/* Pixels. */
enum {
	PANEL_WIDTH = 480,
	PANEL_HEIGHT = 340,
	HEAD = 40, /* above the panels, for the title of all */
	LEFT = 72,
	RIGHT = 20,
	TOP = 34,
	BOTTOM = 72,
};

static const char style[] = "<style>\n"
                            "text{font:12px 'DejaVu Sans',Verdana,Helvetica,sans-serif;fill:#222}\n"
                            ".title{font-size:16px;font-weight:bold}.name{font-weight:bold}\n"
                            ".middle{text-anchor:middle}.right{text-anchor:end}\n"
                            ".grid{stroke:#ddd}.axis{stroke:#222;fill:none}\n"
                            ".curve{fill:none;stroke-width:1.8;stroke-linejoin:round}\n"
                            ".reference{stroke-dasharray:6 4}\n"
                            "</style>\n";

static const char *const colours[] = { "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00" };

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

static void put(FILE *to, const char *before, double x, const char *after)
{
	char text[PLOT_NUMBER];

	fprintf(to, "%s%s%s", before, plot_number(text, x, 2), after);
}

static void put_quoted(FILE *to, const char *text)
{
	for (; text && *text; text++)
		if (*text == '&')
			fputs("&amp;", to);
		else if (*text == '<')
			fputs("&lt;", to);
		else if (*text == '>')
			fputs("&gt;", to);
		else
			fputc(*text >= ' ' && *text <= '~' ? *text : '?', to);
}

static void put_text(FILE *to, const char *class, double x, double y, const char *what)
{
	fprintf(to, "<text class=\"%s\"", class);
	put(to, " x=\"", x, "\"");
	put(to, " y=\"", y, "\">");
	put_quoted(to, what);
	fputs("</text>\n", to);
}

static void put_line(FILE *to, const char *class, double x, double y, double x2, double y2)
{
	fprintf(to, "<path class=\"%s\"", class);
	put(to, " d=\"M", x, ",");
	put(to, "", y, "L");
	put(to, "", x2, ",");
	put(to, "", y2, "\"/>\n");
}

static const char *colour_of(size_t series)
{
	return colours[series % (sizeof colours / sizeof *colours)];
}

static void put_mark(FILE *to, size_t series, double x, double y)
{
	fprintf(to, "<path fill=\"%s\" stroke=\"%s\" d=\"%s\"", colour_of(series),
	        colour_of(series), marks[series % (sizeof marks / sizeof *marks)]);
	put(to, " transform=\"translate(", x, ",");
	put(to, "", y, ")\"/>\n");
}

static void draw_axes(const struct drawing *d)
{
	const double right = d->left + d->width, bottom = d->top + d->height;
	char number[PLOT_NUMBER];
	double value;
	int i;

	for (i = 0; (value = d->x.from + i * d->x.step) <= d->x.to + 0.5 * d->x.step; i++) {
		put_line(d->to, "axis", at_x(d, value), bottom, at_x(d, value), bottom + 5);
		put_text(d->to, "middle", at_x(d, value), bottom + 19,
		         plot_number(number, value, plot_decimals(d->x.step)));
	}
	for (i = 0; (value = d->y.from + i * d->y.step) <= d->y.to + 0.5 * d->y.step; i++) {
		put_line(d->to, "grid", d->left, at_y(d, value), right, at_y(d, value));
		put_text(d->to, "right", d->left - 8, at_y(d, value) + 4,
		         plot_number(number, value, plot_decimals(d->y.step)));
	}
	put_line(d->to, "axis", d->left, d->top, d->left, bottom);
	put_line(d->to, "axis", d->left, bottom, right, bottom);
	put_text(d->to, "middle", d->left + 0.5 * d->width, bottom + 40, d->x.label);
	put(d->to, "<g transform=\"translate(", d->left - 54, ",");
	put(d->to, "", d->top + 0.5 * d->height, ") rotate(-90)\">\n");
	put_text(d->to, "middle", 0, 0, d->y.label);
	fputs("</g>\n", d->to);
	put_text(d->to, "name middle", d->left + 0.5 * d->width, d->top - 12, d->panel->title);
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
	        s->reference ? " reference" : "", colour_of(index));
	/* A path has to begin at a place, also where nothing is to be drawn. */
	put(d->to, "", d->left, ",");
	put(d->to, "", d->top + d->height, "");
	for (i = 0; i < s->n; i++) {
		if (!shown(s, i))
			continue;
		put(d->to, i > 0 && shown(s, i - 1) ? "L" : "M", at_x(d, s->x[i]), ",");
		put(d->to, "", at_y(d, s->y[i]), "");
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
		        s->reference ? " reference" : "", colour_of(i));
		put(d->to, " d=\"M", x, ",");
		put(d->to, "", y - 4, "h28\"/>\n");
		if (!s->reference)
			put_mark(d->to, i, x + 14, y - 4);
		put_text(d->to, "", x + 36, y, s->name);
	}
}

void plot_svg(FILE *to, const char *title, const struct plot_panel *panels, size_t count)
{
	const unsigned width = PANEL_WIDTH * (unsigned)count, height = HEAD + PANEL_HEIGHT;
	size_t i, k;

	fprintf(to,
	        "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"%u\" height=\"%u\" "
	        "viewBox=\"0 0 %u %u\">\n<title>",
	        width, height, width, height);
	put_quoted(to, title);
	fprintf(to, "</title>\n%s<rect width=\"%u\" height=\"%u\" fill=\"#fff\"/>\n", style, width,
	        height);
	put_text(to, "title middle", 0.5 * width, 26, title);
	for (i = 0; i < count; i++) {
		struct drawing d = { .to = to, .panel = &panels[i] };

		d.left = (double)(PANEL_WIDTH * i + LEFT);
		d.top = HEAD + TOP;
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
