/* SPDX-License-Identifier: MIT */
/*
 * plot_roof.c - a roofline as SVG: what a memory and its arithmetic allow, and what was
 * reached under it.
 */
#include <math.h>
#include <string.h>

#include "plot.h"

/* Pixels. */
enum {
	WIDTH = 760,
	HEIGHT = 500,
	LEFT = 84,
	RIGHT = 24,
	TOP = PLOT_HEAD + 12,
	BOTTOM = 108,
	MARK = 5, /* radius */
	LETTER = 7, /* a wide one */
	LINE = 15
};

enum {
	MOST_BOXES = 64
};

struct box {
	double left, top, width, height;
};

/* From 10^from to 10^to, in whole decades. */
struct decades {
	double from, to;
};

struct drawing {
	FILE *to;
	const struct plot_roofline *r;
	struct decades x, y;
	struct box taken[MOST_BOXES]; /* by marks and labels */
	size_t boxes;
};

static int shown(double value)
{
	return value > 0.0 && isfinite(value);
}

static double at_x(const struct drawing *d, double x)
{
	return LEFT + (WIDTH - LEFT - RIGHT) * (log10(x) - d->x.from) / (d->x.to - d->x.from);
}

static double at_y(const struct drawing *d, double y)
{
	return TOP + (HEIGHT - TOP - BOTTOM) * (d->y.to - log10(y)) / (d->y.to - d->y.from);
}

/* ---- Axes ------------------------------------------------------------------------ */

static void take_in(struct decades *a, double value)
{
	if (!shown(value))
		return;
	a->from = fmin(a->from, log10(value));
	a->to = fmax(a->to, log10(value));
}

/* Some room at the ends: `room' decades at the upper one. */
static void settle(struct decades *a, double room)
{
	if (!(a->from <= a->to))
		a->from = a->to = 0.0;
	a->from = floor(a->from - 0.12);
	a->to = ceil(a->to + room);
}

static void find_axes(struct drawing *d)
{
	const struct plot_roofline *r = d->r;
	size_t i;

	d->x.from = d->y.from = HUGE_VAL;
	d->x.to = d->y.to = -HUGE_VAL;
	for (i = 0; i < r->points; i++) {
		take_in(&d->x, r->point[i].x);
		take_in(&d->y, r->point[i].y);
		take_in(&d->y, r->point[i].hollow);
		take_in(&d->y, r->point[i].roof);
	}
	take_in(&d->y, r->peak);
	if (shown(r->peak) && shown(r->bandwidth))
		take_in(&d->x, r->peak / r->bandwidth);
	settle(&d->x, 0.9); /* labels stand right of their points */
	settle(&d->y, 0.12);
}

static void draw_axes(const struct drawing *d)
{
	const double bottom = HEIGHT - BOTTOM, right = WIDTH - RIGHT;
	char number[PLOT_NUMBER];
	double e, value;

	for (e = d->x.from; e <= d->x.to; e++) {
		value = pow(10.0, e);
		plot_put_line(d->to, "grid", at_x(d, value), TOP, at_x(d, value), bottom);
		plot_put_text(d->to, "middle", at_x(d, value), bottom + 18,
		              plot_number(number, value, e < 0.0 ? (int)-e : 0));
	}
	for (e = d->y.from; e <= d->y.to; e++) {
		value = pow(10.0, e);
		plot_put_line(d->to, "grid", LEFT, at_y(d, value), right, at_y(d, value));
		plot_put_text(d->to, "right", LEFT - 8, at_y(d, value) + 4,
		              plot_number(number, value, e < 0.0 ? (int)-e : 0));
	}
	plot_put_line(d->to, "axis", LEFT, TOP, LEFT, bottom);
	plot_put_line(d->to, "axis", LEFT, bottom, right, bottom);
	plot_put_text(d->to, "middle", 0.5 * (LEFT + right), bottom + 40, d->r->x_label);
	plot_put(d->to, "<g transform=\"translate(", 18, ",");
	plot_put(d->to, "", 0.5 * (TOP + bottom), ") rotate(-90)\">\n");
	plot_put_text(d->to, "middle", 0, 0, d->r->y_label);
	fputs("</g>\n", d->to);
}

/* ---- Labels that leave others alone ----------------------------------------------- */

static void take(struct drawing *d, struct box b)
{
	if (d->boxes < MOST_BOXES)
		d->taken[d->boxes++] = b;
}

static int is_free(const struct drawing *d, struct box b)
{
	const struct box *t;

	if (b.left < LEFT || b.left + b.width > WIDTH - RIGHT || b.top < TOP ||
	    b.top + b.height > HEIGHT - BOTTOM)
		return 0;
	for (t = d->taken; t < d->taken + d->boxes; t++)
		if (b.left < t->left + t->width && t->left < b.left + b.width &&
		    b.top < t->top + t->height && t->top < b.top + b.height)
			return 0;
	return 1;
}

/* Beside the point, else further away from it, right and left in turns. */
static void put_label(struct drawing *d, double x, double y, const char *text)
{
	const double width = LETTER * (double)strlen(text), away = 2.0 * MARK;
	struct box b = { x + away, y - 0.5 * LINE, width, LINE };
	int i;

	for (i = 0; i < 12 && !is_free(d, b); i++) {
		b.left = i % 2 ? x + away : x - away - width;
		b.top = y - 0.5 * LINE + (i / 4 % 2 ? -1 : 1) * LINE * ((i + 2) / 4);
	}
	take(d, b);
	plot_put_text(d->to, b.left < x ? "right" : "", b.left < x ? b.left + width : b.left,
	              b.top + 0.75 * LINE, text);
}

/* ---- What is drawn ------------------------------------------------------------------ */

static void draw_slope(struct drawing *d)
{
	const struct plot_roofline *r = d->r;
	const double low_x = fmax(pow(10.0, d->x.from), pow(10.0, d->y.from) / r->bandwidth),
	             high_x = shown(r->peak) ?
	                              r->peak / r->bandwidth :
	                              fmin(pow(10.0, d->x.to), pow(10.0, d->y.to) / r->bandwidth);
	const double x = at_x(d, low_x), y = at_y(d, low_x * r->bandwidth), right = at_x(d, high_x),
	             top = at_y(d, high_x * r->bandwidth);

	plot_put_line(d->to, "curve axis", x, y, right, top);
	/* Nearer the upper end, out of the way of what does little work on each byte. */
	plot_put(d->to, "<g transform=\"translate(", x + 0.68 * (right - x) - 6, ",");
	plot_put(d->to, "", y + 0.68 * (top - y) - 6, ")");
	plot_put(d->to, " rotate(", -atan2(y - top, right - x) * 180.0 / acos(-1.0), ")\">\n");
	plot_put_text(d->to, "middle", 0, 0, r->bandwidth_name);
	fputs("</g>\n", d->to);
}

static void draw_peak(struct drawing *d)
{
	const struct plot_roofline *r = d->r;
	const double from = shown(r->bandwidth) ? r->peak / r->bandwidth : pow(10.0, d->x.from);
	const double width = LETTER * (double)strlen(r->peak_name), right = WIDTH - RIGHT;

	plot_put_line(d->to, "curve axis", at_x(d, from), at_y(d, r->peak), right,
	              at_y(d, r->peak));
	plot_put_text(d->to, "right", right, at_y(d, r->peak) - 7, r->peak_name);
	take(d, (struct box){ right - width, at_y(d, r->peak) - LINE - 5, width, LINE + 8 });
}

static void put_mark(struct drawing *d, double x, double y, const char *stroke, const char *fill)
{
	fprintf(d->to, "<circle r=\"%d\" stroke=\"%s\" stroke-width=\"1.8\" fill=\"%s\"", MARK,
	        stroke, fill);
	plot_put(d->to, " cx=\"", x, "\"");
	plot_put(d->to, " cy=\"", y, "\"/>\n");
	take(d, (struct box){ x - MARK, y - MARK, 2 * MARK, 2 * MARK });
}

static void put_dash(const struct drawing *d, double x, double y, const char *stroke)
{
	fprintf(d->to, "<path class=\"curve\" stroke=\"%s\"", stroke);
	plot_put(d->to, " d=\"M", x - 9, ",");
	plot_put(d->to, "", y, "h18\"/>\n");
}

static void draw_marks(struct drawing *d, size_t i)
{
	const struct plot_point *p = &d->r->point[i];
	const double x = at_x(d, p->x), y = at_y(d, p->y);

	if (shown(p->roof)) {
		plot_put_line(d->to, "frame", x, y, x, at_y(d, p->roof));
		put_dash(d, x, at_y(d, p->roof), plot_colour(i));
	}
	if (shown(p->hollow)) {
		plot_put_line(d->to, "axis", x, y, x, at_y(d, p->hollow));
		put_mark(d, x, at_y(d, p->hollow), plot_colour(i), "#fff");
	}
	put_mark(d, x, y, plot_colour(i), plot_colour(i));
}

static int is_point(const struct plot_point *p)
{
	return shown(p->x) && shown(p->y);
}

static void draw_names(struct drawing *d)
{
	const double y = HEIGHT - BOTTOM + 64;

	put_mark(d, LEFT + 10, y - 4, "#222", "#222");
	plot_put_text(d->to, "", LEFT + 22, y, d->r->filled);
	put_mark(d, LEFT + 180, y - 4, "#222", "#fff");
	plot_put_text(d->to, "", LEFT + 192, y, d->r->hollow);
	put_dash(d, LEFT + 460, y - 4, "#222");
	plot_put_text(d->to, "", LEFT + 476, y, d->r->roof);
	if (d->r->note)
		plot_put_text(d->to, "", LEFT, y + 24, d->r->note);
}

void plot_roofline_svg(FILE *to, const char *title, const struct plot_roofline *r)
{
	struct drawing d = { .to = to, .r = r };
	size_t i;

	plot_head(to, title, WIDTH, HEIGHT);
	find_axes(&d);
	draw_axes(&d);
	if (shown(r->bandwidth))
		draw_slope(&d);
	if (shown(r->peak))
		draw_peak(&d);
	for (i = 0; i < r->points; i++)
		if (is_point(&r->point[i]))
			draw_marks(&d, i);
	for (i = 0; i < r->points; i++)
		if (is_point(&r->point[i]))
			put_label(&d, at_x(&d, r->point[i].x), at_y(&d, r->point[i].y),
			          r->point[i].label);
	draw_names(&d);
	fputs("</svg>\n", to);
}
