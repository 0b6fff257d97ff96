/* SPDX-License-Identifier: MIT */
/*
 * plot_bars.c - factors as bars, in SVG.  They lie under each other, so that labels
 * may be long, and begin at 1 on a logarithmic axis, so that twice as fast and half
 * as fast are as long, and a product is as long as its factors.
 */
#include <math.h>

#include "plot.h"

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

/* The file with the axis of all groups, from the power of ten 10^from to 10^to. */
struct drawing {
	FILE *to_file;
	double from, to;
	double top, bottom; /* of the bars' area */
};

static double at(const struct drawing *d, double factor)
{
	return LABELS + (WIDTH - LABELS - NUMBERS) * (log10(factor) - d->from) / (d->to - d->from);
}

static int shown(double factor)
{
	return factor > 0.0 && isfinite(factor);
}

static void take_in(struct drawing *d, double factor)
{
	if (!shown(factor))
		return;
	d->from = fmin(d->from, log10(factor));
	d->to = fmax(d->to, log10(factor));
}

/* 1, and the shortest and the longest bar or frame. */
static void settle(struct drawing *d, const struct plot_bars *groups, size_t count)
{
	size_t i, k;

	for (i = 0; i < count; i++)
		for (k = 0; k < groups[i].count; k++) {
			take_in(d, groups[i].bar[k].value);
			take_in(d, groups[i].bar[k].mark);
		}
	if (d->to - d->from < 0.3)
		d->to = d->from + 0.3;
}

/* Ticks at 1, 2 and 5 times the powers of ten. */
static void draw_axis(const struct drawing *d, const char *label)
{
	static const double parts[] = { 1.0, 2.0, 5.0 };
	char number[PLOT_NUMBER];
	int power = (int)floor(d->from), i;

	for (; power <= d->to; power++)
		for (i = 0; i < 3; i++) {
			const double tick = parts[i] * pow(10.0, power);

			if (log10(tick) < d->from - 1e-9 || log10(tick) > d->to + 1e-9)
				continue;
			plot_put_line(d->to_file, "grid", at(d, tick), d->top, at(d, tick),
			              d->bottom);
			plot_put_text(d->to_file, "middle", at(d, tick), d->bottom + 18,
			              plot_number(number, tick, 6));
		}
	plot_put_text(d->to_file, "middle", 0.5 * (LABELS + WIDTH - NUMBERS), d->bottom + 40,
	              label);
}

static void draw_box(const struct drawing *d, const char *class, const char *fill, double factor,
                     double y, double height)
{
	const double one = at(d, 1.0), end = at(d, factor);

	plot_put_box(d->to_file, class, fill, fmin(one, end), y, fabs(end - one), height);
}

static void draw_bar(const struct drawing *d, const struct plot_bar *b, double y, size_t colour)
{
	char number[PLOT_NUMBER];
	double right = fmax(1.0, b->value);

	plot_put_text(d->to_file, "right", LABELS - 8, y + 12, b->label);
	if (!shown(b->value))
		return;
	draw_box(d, "", plot_colour(colour), b->value, y, BAR);
	if (shown(b->mark)) {
		draw_box(d, "frame", "none", b->mark, y - 2, BAR + 4);
		right = fmax(right, b->mark);
	}
	plot_put_text(d->to_file, "", at(d, right) + 6, y + 12, plot_number(number, b->value, 2));
}

/* What bar and frame are, at the right of the group's title. */
static void draw_names(const struct drawing *d, const struct plot_bars *g, double y, size_t colour)
{
	int marked = 0;
	size_t i;

	for (i = 0; i < g->count; i++)
		marked |= shown(g->bar[i].mark);
	if (!marked)
		return;
	plot_put_box(d->to_file, "", plot_colour(colour), WIDTH - 300, y - 10, 24, 10);
	plot_put_text(d->to_file, "", WIDTH - 270, y, g->name);
	plot_put_box(d->to_file, "frame", "none", WIDTH - 180, y - 11, 24, 12);
	plot_put_text(d->to_file, "", WIDTH - 150, y, g->mark_name);
}

void plot_bars_svg(FILE *to, const char *title, const struct plot_bars *groups, size_t count)
{
	struct drawing d = { .to_file = to, .top = PLOT_HEAD };
	unsigned height = PLOT_HEAD + FOOT;
	double y = PLOT_HEAD;
	size_t i, k;

	for (i = 0; i < count; i++)
		height += GROUP + LINE * (unsigned)groups[i].count;
	d.bottom = (double)(height - FOOT);
	settle(&d, groups, count);
	plot_head(to, title, WIDTH, height);
	draw_axis(&d, count ? groups[0].label : "");
	for (i = 0; i < count; i++) {
		plot_put_text(to, "name", 16, y + 20, groups[i].title);
		draw_names(&d, &groups[i], y + 20, i);
		y += GROUP;
		for (k = 0; k < groups[i].count; k++, y += LINE)
			draw_bar(&d, &groups[i].bar[k], y, i);
	}
	plot_put_line(to, "axis", at(&d, 1.0), d.top, at(&d, 1.0), d.bottom);
	fputs("</svg>\n", to);
}
