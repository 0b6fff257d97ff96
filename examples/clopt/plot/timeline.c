/* SPDX-License-Identifier: MIT */
/*
 * timeline.c - a Gantt chart, after the pictures of one queue and of two in NVIDIA, OpenCL
 * Best Practices Guide (2011), section 3.1.3.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "svg.h"

/* Pixels. */
enum {
	WIDTH = 1000,
	LEFT = 78, /* the names of the rows */
	PLOT = WIDTH - LEFT - 22,
	TOP = 92,
	ROW = 40,
	BOX = 30,
	BOTTOM = 52,
	MOST_KINDS = 8
};

/* In a picture of more intervals than this, neighbours of a row that the eye could not
 * tell apart are drawn as one box: those of a kind, and thin ones, with less than a
 * quarter of a pixel between. */
#define MANY 2000
#define QUARTER 0.25
#define THIN 1.0

struct drawing {
	FILE *to;
	const struct plot_timeline *t;
	struct svg_scale x;
	double first, unit; /* seconds */
};

/* Some intervals of a row that are drawn as one. */
struct box {
	const struct plot_span *first;
	size_t spans;
	double from, to; /* pixels */
	double busy[MOST_KINDS], sum; /* seconds */
};

const char *plot_time_unit(double seconds, double *unit)
{
	*unit = seconds < 2e-3 ? 1e-6 : seconds > 10.0 ? 1.0 : 1e-3;
	return seconds < 2e-3 ? "us" : seconds > 10.0 ? "s" : "ms";
}

static double at(const struct drawing *d, double seconds)
{
	return svg_at(&d->x, (seconds - d->first) / d->unit);
}

static int is_one_kind(const struct box *b)
{
	return b->busy[b->first->kind] >= b->sum;
}

/* Kinds too close to stand side by side: over one another, as high as their share. */
static void draw_stack(const struct drawing *d, const struct box *b, double y)
{
	size_t kind;

	for (kind = 0; kind < d->t->kind_count; kind++) {
		const double part = BOX * b->busy[kind] / b->sum;

		if (part > 0.0) /* a quarter more: no seam before the next */
			svg_box(d->to, "", plot_colour(kind), b->from, y, b->to - b->from + QUARTER,
			        part);
		y += part;
	}
}

/* In words: the label, its call, time, bytes and speed. */
static void tip(const struct plot_span *s, const char *kind, char *text, size_t size)
{
	const double took = s->to - s->from;
	double unit;
	const char *name = plot_time_unit(took, &unit);
	int used;

	used = snprintf(text, size, "%.40s, call %zu: %.4g %s", s->label ? s->label : kind, s->call,
	                took / unit, name);
	if (s->bytes > 0.0 && took > 0.0 && used > 0 && (size_t)used < size)
		snprintf(text + used, size - (size_t)used, ", %.0f bytes, %.1f GB/s", s->bytes,
		         1e-9 * s->bytes / took);
}

static void draw_box(const struct drawing *d, const struct box *b, double y)
{
	const double width = b->to - b->from;
	const char *kind, *text;
	char words[96];

	if (!b->spans)
		return;
	if (!is_one_kind(b)) {
		draw_stack(d, b, y);
		return;
	}
	kind = d->t->kinds[b->first->kind];
	svg(d->to, "<rect class='$' fill='$' x='%' y='%' width='%' height='%'><title>",
	    width > 3.0 ? "edge" : "", plot_colour(b->first->kind), b->from, y,
	    fmax(width, QUARTER), (double)BOX);
	snprintf(words, sizeof words, "%zu commands", b->spans);
	if (b->spans == 1)
		tip(b->first, kind, words, sizeof words);
	svg(d->to, "$</title></rect>\n", words);
	text = b->spans == 1 && b->first->label ? b->first->label : kind;
	if (width <= SVG_LETTER * (double)strlen(text) + 6)
		text = kind;
	if (width > SVG_LETTER * (double)strlen(text) + 6)
		svg_text(d->to, "middle inside", b->from + 0.5 * width, y + 0.5 * BOX + 4, text);
}

/* Whether the next interval of the row, from..to, is drawn as part of the box. */
static int joins(const struct drawing *d, const struct box *b, const struct plot_span *s,
                 double from, double to)
{
	return d->t->spans > MANY && b->spans && from - b->to < QUARTER &&
	       ((is_one_kind(b) && s->kind == b->first->kind) ||
	        (b->to - b->from < THIN && to - from < THIN));
}

static int is_used(const struct plot_timeline *t, unsigned row)
{
	size_t i = 0;

	while (i < t->spans && t->span[i].row != row)
		i++;
	return i < t->spans;
}

static void draw_row(const struct drawing *d, unsigned row, double y)
{
	char name[PLOT_NUMBER];
	struct box b = { 0 };
	const struct plot_span *s;

	if (d->t->queues)
		snprintf(name, sizeof name, "%u: queue %u", row / d->t->queues, row % d->t->queues);
	else
		snprintf(name, sizeof name, "queue %u", row);
	svg(d->to, "<text class='right' x='%' y='%'>$</text>\n", LEFT - 12.0, y + 0.5 * BOX + 4,
	    name);
	for (s = d->t->span; s < d->t->span + d->t->spans; s++) {
		const double from = at(d, s->from), to = at(d, s->to);

		if (s->row != row)
			continue;
		if (!joins(d, &b, s, from, to)) {
			draw_box(d, &b, y);
			b = (struct box){ .first = s, .from = from, .to = from };
		}
		b.to = fmax(b.to, to);
		b.busy[s->kind] += s->to - s->from;
		b.sum += s->to - s->from;
		b.spans++;
	}
	draw_box(d, &b, y);
}

void plot_timeline_svg(FILE *to, const char *title, const struct plot_timeline *t)
{
	struct drawing d = { .to = to, .t = t, .x = { .start = LEFT, .length = PLOT } };
	double last = 0.0, x = LEFT, bottom = TOP;
	char label[32];
	unsigned row, rows = 0;
	size_t i;

	for (i = 0; i < t->spans; i++) {
		rows = t->span[i].row < rows ? rows : t->span[i].row + 1;
		d.first = i && d.first < t->span[i].from ? d.first : t->span[i].from;
		last = i && last > t->span[i].to ? last : t->span[i].to;
	}
	last = fmax(last, d.first + 1e-9);
	snprintf(label, sizeof label, "time in %s", plot_time_unit(last - d.first, &d.unit));
	d.x.to = (last - d.first) / d.unit;
	d.x.step = plot_step(d.x.to, 10);
	for (row = 0; row < rows; row++)
		bottom += is_used(t, row) ? ROW : 0;
	svg_head(to, title, WIDTH, bottom + BOTTOM);
	svg_text(to, "", LEFT, 48, t->note);
	for (i = 0; i < t->kind_count; i++) {
		if (!t->notes[i])
			continue;
		svg_box(to, "", plot_colour(i), x, 60, 14, 14);
		svg_text(to, "", x + 20, 71, t->notes[i]);
		x += 210;
	}
	svg_axis(to, &d.x, 0, bottom, TOP - 6, label);
	for (row = 0, bottom = TOP; row < rows; row++)
		if (is_used(t, row)) {
			draw_row(&d, row, bottom);
			bottom += ROW;
		}
	fputs("</svg>\n", to);
}
