/* SPDX-License-Identifier: MIT */
/*
 * curves.c - panels of curves.  Series differ in colour and in the shape of their marks,
 * for printers without colours.
 */
#include <math.h>

#include "svg.h"

/* Pixels. */
enum {
	PANEL_WIDTH = 480,
	PANEL_HEIGHT = 340,
	LEFT = 72,
	RIGHT = 20,
	TOP = SVG_HEAD + 34,
	BOTTOM = 72,
	MOST_TICKS = 8,
	NAMES = 3, /* in a row under a panel */
	NAME_ROW = 20,
	MARGIN = 14 /* beside the names */
};

/* Marks round (0, 0): circle, square, triangle, diamond, cross. */
static const char *const marks[] = {
	"M-3,0a3,3 0 1,0 6,0a3,3 0 1,0 -6,0z",
	"M-3,-3h6v6h-6z",
	"M0,-4l4,7h-8z",
	"M0,-4l4,4l-4,4l-4,-4z",
	"M-3,-3l6,6m0,-6l-6,6",
};

static void put_mark(FILE *to, size_t i, double x, double y)
{
	svg(to, "<path fill='$' stroke='$' d='$' transform='translate(%,%)'/>\n", plot_colour(i),
	    plot_colour(i), marks[i % (sizeof marks / sizeof *marks)], x, y);
}

static int shown(const struct plot_series *s, size_t i, const struct svg_scale *x,
                 const struct svg_scale *y)
{
	return i < s->n && isfinite(svg_at(x, s->x[i])) && isfinite(svg_at(y, s->y[i]));
}

/* The exponent of a tick: 1, 2 or 5 times a power of ten. */
static double round_exponent(double exponent, int up)
{
	static const double round_steps[] = { 1.0, 2.0, 5.0, 10.0 };
	const double power = floor(exponent), part = pow(10.0, exponent - power);
	int i = up ? 0 : 3;

	while (up ? round_steps[i] < part * (1.0 - 1e-9) : round_steps[i] > part * (1.0 + 1e-9))
		i += up ? 1 : -1;
	return power + log10(round_steps[i]);
}

static struct svg_scale log_scale_of(const struct plot_panel *p, int upright)
{
	struct svg_scale s = { .log = 1, .from = HUGE_VAL, .to = -HUGE_VAL };
	const struct plot_series *c;
	size_t i;

	for (c = p->series; c < p->series + p->count; c++)
		for (i = 0; i < c->n; i++)
			svg_take_in(&s, upright ? c->y[i] : c->x[i]);
	if (!(s.from <= s.to))
		s.from = s.to = 0.0;
	s.from = round_exponent(s.from, 0);
	s.to = round_exponent(s.to, 1);
	if (!(s.from < s.to))
		s.to = s.from + 1.0;
	return s;
}

/* The ends of an axis, on ticks.  upright: of y. */
static struct svg_scale scale_of(const struct plot_panel *p, int upright)
{
	const struct plot_axis *a = upright ? &p->y : &p->x;
	struct svg_scale s = { .from = a->from, .to = a->to, .step = a->step };
	const struct plot_series *c;
	size_t i;

	if (a->log)
		return log_scale_of(p, upright);
	for (c = p->series; !(a->from < a->to) && c < p->series + p->count; c++)
		for (i = 0; i < c->n; i++)
			if (isfinite(c->x[i]) && isfinite(c->y[i])) {
				s.from = fmin(s.from, upright ? c->y[i] : c->x[i]);
				s.to = fmax(s.to, upright ? c->y[i] : c->x[i]);
			}
	if (!(s.from < s.to))
		s.to = s.from + 1.0;
	if (!(s.step > 0.0))
		s.step = plot_step(s.to - s.from, MOST_TICKS);
	s.from = s.step * floor(s.from / s.step + 1e-9);
	s.to = s.step * ceil(s.to / s.step - 1e-9);
	return s;
}

static void draw_series(FILE *to, const struct plot_series *s, size_t index,
                        const struct svg_scale *x, const struct svg_scale *y)
{
	size_t i;

	/* A path has to begin at a place, also where nothing is drawn. */
	svg(to, "<path class='curve$' stroke='$' d='M%,%", s->reference ? " reference" : "",
	    plot_colour(index), x->start, y->start);
	for (i = 0; i < s->n; i++)
		if (shown(s, i, x, y))
			svg(to, "$%,%", i > 0 && shown(s, i - 1, x, y) ? "L" : "M",
			    svg_at(x, s->x[i]), svg_at(y, s->y[i]));
	svg(to, "'/>\n");
	for (i = 0; i < s->n && !s->reference; i++)
		if (shown(s, i, x, y))
			put_mark(to, index, svg_at(x, s->x[i]), svg_at(y, s->y[i]));
}

static void draw_panel(FILE *to, const struct plot_panel *p, double left)
{
	struct svg_scale x = scale_of(p, 0), y = scale_of(p, 1);
	const double bottom = SVG_HEAD + PANEL_HEIGHT - BOTTOM;
	size_t i;

	x.start = left + LEFT;
	x.length = PANEL_WIDTH - LEFT - RIGHT;
	y.start = bottom;
	y.length = TOP - bottom;
	svg_axis(to, &x, 0, bottom, TOP, p->x.label);
	svg_axis(to, &y, 1, x.start, x.start + x.length, p->y.label);
	svg_text(to, "name middle", x.start + 0.5 * x.length, TOP - 12, p->title);
	for (i = 0; i < p->count; i++)
		draw_series(to, &p->series[i], i, &x, &y);
	/* Names stand under the panel. */
	for (i = 0; p->count > 1 && i < p->count; i++) {
		const struct plot_series *s = &p->series[i];
		const size_t across = p->count < NAMES ? p->count : NAMES;
		const double at =
		        left + MARGIN +
		        (PANEL_WIDTH - 2 * MARGIN) * (double)(i % across) / (double)across;
		const double line = bottom + 58 + (double)(NAME_ROW * (i / across));

		svg(to, "<path class='curve$' stroke='$' d='M%,%h28'/>\n",
		    s->reference ? " reference" : "", plot_colour(i), at, line);
		if (!s->reference)
			put_mark(to, i, at + 14, line);
		svg_text(to, "", at + 36, line + 4, s->name);
	}
}

void plot_svg(FILE *to, const char *title, const struct plot_panel *panels, size_t count)
{
	size_t names = 1, i;

	for (i = 0; i < count; i++)
		names = panels[i].count > names ? panels[i].count : names;
	svg_head(to, title, (double)(PANEL_WIDTH * count),
	         SVG_HEAD + PANEL_HEIGHT + (double)(NAME_ROW * ((names - 1) / NAMES)));
	for (i = 0; i < count; i++)
		draw_panel(to, &panels[i], (double)(PANEL_WIDTH * i));
	fputs("</svg>\n", to);
}
