/* SPDX-License-Identifier: MIT */
/*
 * plot_bars.c - bars as SVG: what is compared stands under each other, so that
 * labels may be long.
 */
#include <math.h>

#include "plot.h"

/* Pixels. */
enum {
	WIDTH = 640,
	LABELS = 170, /* left of the bars */
	NUMBERS = 60, /* right of them */
	LINE = 22, /* from one bar to the next */
	BAR = 15,
	GROUP = 34, /* a group's title */
	FOOT = 56 /* the axis */
};

/* The group with the file it goes to, and the axis of all. */
struct drawing {
	FILE *to;
	struct plot_axis axis;
	double top, bottom; /* of the bars' area */
};

static double at(const struct drawing *d, double value)
{
	return LABELS + (WIDTH - LABELS - NUMBERS) * value / d->axis.to;
}

/* From 0 to the longest bar or mark. */
static void settle(struct plot_axis *axis, const struct plot_bars *groups, size_t count)
{
	struct plot_series ends = { .n = 1 };
	const struct plot_panel panel = { .series = &ends, .count = 1 };
	struct plot_axis unused;
	double most = 0.0, zero = 0.0;
	size_t i, k;

	for (i = 0; i < count; i++)
		for (k = 0; k < groups[i].count; k++) {
			const struct plot_bar *b = &groups[i].bar[k];

			most = isfinite(b->value) ? fmax(most, b->value) : most;
			most = isfinite(b->mark) ? fmax(most, b->mark) : most;
		}
	ends.x = &most;
	ends.y = &zero;
	plot_axes(&panel, axis, &unused);
}

static void draw_axis(const struct drawing *d, const char *label)
{
	char number[PLOT_NUMBER];
	double value;
	int i;

	for (i = 0; (value = i * d->axis.step) <= d->axis.to + 0.5 * d->axis.step; i++) {
		plot_put_line(d->to, "grid", at(d, value), d->top, at(d, value), d->bottom);
		plot_put_text(d->to, "middle", at(d, value), d->bottom + 18,
		              plot_number(number, value, plot_decimals(d->axis.step)));
	}
	plot_put_text(d->to, "middle", 0.5 * (at(d, 0.0) + at(d, d->axis.to)), d->bottom + 40,
	              label);
}

static void draw_bar(const struct drawing *d, const struct plot_bar *b, double y, size_t colour)
{
	const double marked = b->mark > 0.0 && isfinite(b->mark);
	char number[PLOT_NUMBER];
	double end;

	plot_put_text(d->to, "right", LABELS - 8, y + 12, b->label);
	if (!isfinite(b->value))
		return;
	plot_put_box(d->to, "", plot_colour(colour), at(d, 0.0), y, at(d, b->value) - at(d, 0.0),
	             BAR);
	if (marked)
		plot_put_box(d->to, "frame", "none", at(d, 0.0), y - 2, at(d, b->mark) - at(d, 0.0),
		             BAR + 4);
	end = marked ? fmax(b->value, b->mark) : b->value;
	plot_put_text(d->to, "", at(d, end) + 6, y + 12, plot_number(number, b->value, 2));
}

/* What bar and frame are, at the right of the group's title. */
static void draw_names(const struct drawing *d, const struct plot_bars *g, double y, size_t colour)
{
	int marked = 0;
	size_t i;

	for (i = 0; i < g->count; i++)
		marked |= g->bar[i].mark > 0.0;
	if (!marked)
		return;
	plot_put_box(d->to, "", plot_colour(colour), WIDTH - 300, y - 10, 24, 10);
	plot_put_text(d->to, "", WIDTH - 270, y, g->name);
	plot_put_box(d->to, "frame", "none", WIDTH - 180, y - 11, 24, 12);
	plot_put_text(d->to, "", WIDTH - 150, y, g->mark_name);
}

void plot_bars_svg(FILE *to, const char *title, const struct plot_bars *groups, size_t count)
{
	struct drawing d = { .to = to, .top = PLOT_HEAD };
	unsigned height = PLOT_HEAD + FOOT;
	double y = PLOT_HEAD;
	size_t i, k;

	for (i = 0; i < count; i++)
		height += GROUP + LINE * (unsigned)groups[i].count;
	d.bottom = (double)(height - FOOT);
	settle(&d.axis, groups, count);
	plot_head(to, title, WIDTH, height);
	draw_axis(&d, count ? groups[0].label : "");
	for (i = 0; i < count; i++) {
		plot_put_text(to, "name", 16, y + 20, groups[i].title);
		draw_names(&d, &groups[i], y + 20, i);
		y += GROUP;
		for (k = 0; k < groups[i].count; k++, y += LINE)
			draw_bar(&d, &groups[i].bar[k], y, i);
	}
	plot_put_line(to, "axis", at(&d, 0.0), d.top, at(&d, 0.0), d.bottom);
	fputs("</svg>\n", to);
}
