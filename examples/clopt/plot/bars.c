/* SPDX-License-Identifier: MIT */
/*
 * bars.c - factors as bars.  Bars lie under each other, for long labels, and begin at 1 on
 * a logarithmic axis: a factor of 2 and a factor of 1/2 have the same length, and a
 * product is as long as its factors.
 */
#include <math.h>

#include "svg.h"

/* Pixels. */
enum {
	WIDTH = 720,
	LABELS = 220, /* left of the bars */
	NUMBERS = 60, /* right of them */
	LINE = 22, /* from one bar to the next */
	BAR = 15,
	GROUP = 34, /* a group's title */
	FOOT = 56 /* the axis */
};

static void draw_box(FILE *to, const struct svg_scale *s, const char *class, const char *fill,
                     double factor, double y, double height)
{
	const double one = svg_at(s, 1.0), end = svg_at(s, factor);

	svg_box(to, class, fill, fmin(one, end), y, fabs(end - one), height);
}

static void draw_bar(FILE *to, const struct svg_scale *s, const struct plot_bar *b, double y,
                     size_t colour)
{
	char number[PLOT_NUMBER];
	double right = fmax(1.0, b->value);

	svg_text(to, "right", LABELS - 8, y + 12, b->label);
	if (!svg_shown(b->value))
		return;
	draw_box(to, s, "", plot_colour(colour), b->value, y, BAR);
	if (svg_shown(b->mark)) {
		draw_box(to, s, "frame", "none", b->mark, y - 2, BAR + 4);
		right = fmax(right, b->mark);
	}
	svg_text(to, "", svg_at(s, right) + 6, y + 12, plot_number(number, b->value, 2));
}

/* The group's title, and the names of bar and frame at its right. */
static void draw_names(FILE *to, const struct plot_bars *g, double y, size_t colour)
{
	int marked = 0;
	size_t i;

	svg_text(to, "name", 16, y, g->title);
	for (i = 0; i < g->count; i++)
		marked |= svg_shown(g->bar[i].mark);
	if (!marked)
		return;
	svg_box(to, "", plot_colour(colour), WIDTH - 300, y - 10, 24, 10);
	svg_text(to, "", WIDTH - 270, y, g->name);
	svg_box(to, "frame", "none", WIDTH - 180, y - 11, 24, 12);
	svg_text(to, "", WIDTH - 150, y, g->mark_name);
}

void plot_bars_svg(FILE *to, const char *title, const struct plot_bars *groups, size_t count)
{
	struct svg_scale s = { .log = 1, .start = LABELS, .length = WIDTH - LABELS - NUMBERS };
	double y = SVG_HEAD, bottom = SVG_HEAD;
	size_t i, k;

	for (i = 0; i < count; i++) {
		bottom += (double)(GROUP + LINE * groups[i].count);
		for (k = 0; k < groups[i].count; k++) {
			svg_take_in(&s, groups[i].bar[k].value);
			svg_take_in(&s, groups[i].bar[k].mark);
		}
	}
	s.to = fmax(s.to, s.from + 0.3);
	svg_head(to, title, WIDTH, bottom + FOOT);
	svg_axis(to, &s, 0, bottom, SVG_HEAD, count ? groups[0].label : "");
	for (i = 0; i < count; i++) {
		draw_names(to, &groups[i], y + 20, i);
		y += GROUP;
		for (k = 0; k < groups[i].count; k++, y += LINE)
			draw_bar(to, &s, &groups[i].bar[k], y, i);
	}
	svg_line(to, "axis", svg_at(&s, 1.0), SVG_HEAD, svg_at(&s, 1.0), bottom);
	fputs("</svg>\n", to);
}
