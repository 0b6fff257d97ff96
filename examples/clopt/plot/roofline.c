/* SPDX-License-Identifier: MIT */
/*
 * roofline.c - a roofline: the bounds by memory and by arithmetic, and measured rates
 * under them.
 */
#include <math.h>
#include <string.h>

#include "svg.h"

/* Pixels. */
enum {
	WIDTH = 760,
	HEIGHT = 500,
	LEFT = 84,
	RIGHT = WIDTH - 24,
	TOP = SVG_HEAD + 12,
	BOTTOM = HEIGHT - 108,
	MARK = 5, /* radius */
	LINE = 15,
	MOST_BOXES = 64
};

struct box {
	double left, top, width, height;
};

struct drawing {
	FILE *to;
	const struct plot_roofline *r;
	struct svg_scale x, y;
	struct box taken[MOST_BOXES]; /* by marks and labels */
	size_t boxes;
};

/* Whole decades, with some room at the ends. */
static void settle(struct svg_scale *s, double room)
{
	if (!(s->from <= s->to))
		s->from = s->to = 0.0;
	s->from = floor(s->from - 0.12);
	s->to = ceil(s->to + room);
}

static void find_axes(struct drawing *d)
{
	const struct plot_roofline *r = d->r;
	size_t i;

	d->x = (struct svg_scale){ 1, HUGE_VAL, -HUGE_VAL, 0, LEFT, RIGHT - LEFT };
	d->y = (struct svg_scale){ 1, HUGE_VAL, -HUGE_VAL, 0, BOTTOM, TOP - BOTTOM };
	for (i = 0; i < r->points; i++) {
		svg_take_in(&d->x, r->point[i].x);
		svg_take_in(&d->y, r->point[i].y);
		svg_take_in(&d->y, r->point[i].hollow);
		svg_take_in(&d->y, r->point[i].roof);
	}
	svg_take_in(&d->y, r->peak);
	if (svg_shown(r->peak) && svg_shown(r->bandwidth))
		svg_take_in(&d->x, r->peak / r->bandwidth);
	settle(&d->x, 0.9); /* labels stand right of their points */
	settle(&d->y, 0.12);
}

/* ---- Labels beside each other ------------------------------------------------------ */

static void take(struct drawing *d, struct box b)
{
	if (d->boxes < MOST_BOXES)
		d->taken[d->boxes++] = b;
}

static int is_free(const struct drawing *d, struct box b)
{
	const struct box *t;

	if (b.left < LEFT || b.left + b.width > RIGHT || b.top < TOP || b.top + b.height > BOTTOM)
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
	const double width = SVG_LETTER * (double)strlen(text), away = 2.0 * MARK;
	struct box b = { x + away, y - 0.5 * LINE, width, LINE };
	int i;

	for (i = 0; i < 12 && !is_free(d, b); i++) {
		b.left = i % 2 ? x + away : x - away - width;
		b.top = y - 0.5 * LINE + (i / 4 % 2 ? -1 : 1) * LINE * ((i + 2) / 4);
	}
	take(d, b);
	svg_text(d->to, b.left < x ? "right" : "", b.left < x ? b.left + width : b.left,
	         b.top + 0.75 * LINE, text);
}

/* ---- Bounds and points -------------------------------------------------------------- */

static void draw_slope(struct drawing *d)
{
	const struct plot_roofline *r = d->r;
	const double low = fmax(pow(10.0, d->x.from), pow(10.0, d->y.from) / r->bandwidth),
	             high = svg_shown(r->peak) ?
	                            r->peak / r->bandwidth :
	                            fmin(pow(10.0, d->x.to), pow(10.0, d->y.to) / r->bandwidth);
	const double x = svg_at(&d->x, low), y = svg_at(&d->y, low * r->bandwidth),
	             right = svg_at(&d->x, high), top = svg_at(&d->y, high * r->bandwidth);

	svg_line(d->to, "curve axis", x, y, right, top);
	/* Nearer the upper end, where fewer points lie. */
	svg(d->to, "<g transform='translate(%,%) rotate(%)'>\n", x + 0.68 * (right - x) - 6,
	    y + 0.68 * (top - y) - 6, -atan2(y - top, right - x) * 180.0 / acos(-1.0));
	svg_text(d->to, "middle", 0, 0, r->bandwidth_name);
	fputs("</g>\n", d->to);
}

static void draw_peak(struct drawing *d)
{
	const struct plot_roofline *r = d->r;
	const double from = svg_shown(r->bandwidth) ? r->peak / r->bandwidth : pow(10.0, d->x.from);
	const double width = SVG_LETTER * (double)strlen(r->peak_name), y = svg_at(&d->y, r->peak);

	svg_line(d->to, "curve axis", svg_at(&d->x, from), y, RIGHT, y);
	svg_text(d->to, "right", RIGHT, y - 7, r->peak_name);
	take(d, (struct box){ RIGHT - width, y - LINE - 5, width, LINE + 8 });
}

static void put_mark(struct drawing *d, double x, double y, const char *stroke, const char *fill)
{
	svg(d->to, "<circle r='%' stroke='$' stroke-width='1.8' fill='$' cx='%' cy='%'/>\n",
	    (double)MARK, stroke, fill, x, y);
	take(d, (struct box){ x - MARK, y - MARK, 2 * MARK, 2 * MARK });
}

static void put_dash(const struct drawing *d, double x, double y, const char *stroke)
{
	svg(d->to, "<path class='curve' stroke='$' d='M%,%h18'/>\n", stroke, x - 9, y);
}

static void draw_marks(struct drawing *d, const struct plot_point *p, const char *colour)
{
	const double x = svg_at(&d->x, p->x), y = svg_at(&d->y, p->y);

	if (svg_shown(p->roof)) {
		svg_line(d->to, "frame", x, y, x, svg_at(&d->y, p->roof));
		put_dash(d, x, svg_at(&d->y, p->roof), colour);
	}
	if (svg_shown(p->hollow)) {
		svg_line(d->to, "axis", x, y, x, svg_at(&d->y, p->hollow));
		put_mark(d, x, svg_at(&d->y, p->hollow), colour, "#fff");
	}
	put_mark(d, x, y, colour, colour);
}

static void draw_names(struct drawing *d)
{
	const double y = BOTTOM + 64;

	put_mark(d, LEFT + 10, y - 4, "#222", "#222");
	svg_text(d->to, "", LEFT + 22, y, d->r->filled);
	put_mark(d, LEFT + 180, y - 4, "#222", "#fff");
	svg_text(d->to, "", LEFT + 192, y, d->r->hollow);
	put_dash(d, LEFT + 460, y - 4, "#222");
	svg_text(d->to, "", LEFT + 476, y, d->r->roof);
	if (d->r->note)
		svg_text(d->to, "", LEFT, y + 24, d->r->note);
}

void plot_roofline_svg(FILE *to, const char *title, const struct plot_roofline *r)
{
	struct drawing d = { .to = to, .r = r };
	const struct plot_point *p;
	int labels;

	svg_head(to, title, WIDTH, HEIGHT);
	find_axes(&d);
	svg_axis(to, &d.x, 0, BOTTOM, TOP, r->x_label);
	svg_axis(to, &d.y, 1, LEFT, RIGHT, r->y_label);
	if (svg_shown(r->bandwidth))
		draw_slope(&d);
	if (svg_shown(r->peak))
		draw_peak(&d);
	for (labels = 0; labels < 2; labels++) /* labels keep clear of all marks */
		for (p = r->point; p < r->point + r->points; p++) {
			if (!svg_shown(p->x) || !svg_shown(p->y))
				continue;
			if (labels)
				put_label(&d, svg_at(&d.x, p->x), svg_at(&d.y, p->y), p->label);
			else
				draw_marks(&d, p, plot_colour((size_t)(p - r->point)));
		}
	draw_names(&d);
	fputs("</svg>\n", to);
}
