/* SPDX-License-Identifier: MIT */
/*
 * trace_boxes.c - the rows of a Gantt chart: commands as boxes.
 */
#include <string.h>

#include "trace_svg.h"

/* With more commands than this, what could not be told apart is drawn as one:
 * neighbours of a kind, and those that are thin, with less than a quarter of a
 * pixel between. */
#define MANY ((size_t)2000)
#define QUARTER 0.25
#define THIN 1.0

/* Some commands of a queue that are drawn as one. */
struct box {
	const struct command *first;
	size_t commands;
	double from, to; /* pixels */
	double busy[COMMAND_KINDS], sum; /* seconds */
};

/* What a pointer that rests on the box is told. */
static void tip(const struct chart *c, const struct box *b, const char *label)
{
	const double seconds = b->first->end - b->first->start;
	const double bytes = (double)b->first->bytes;
	char took[NUMBER_SIZE], speed[NUMBER_SIZE];

	if (b->commands > 1) {
		fprintf(c->f, "<title>%zu commands</title>", b->commands);
		return;
	}
	fprintf(c->f, "<title>%s, call %zu: %s %s", label, b->first->call,
	        clopt__chart_number(c, took, seconds), c->unit_name);
	if (b->first->bytes)
		fprintf(c->f, ", %zu bytes", b->first->bytes);
	if (b->first->bytes && seconds > 0)
		fprintf(c->f, ", %s GB/s", clopt__number(speed, 1e-9 * bytes / seconds, 1));
	fprintf(c->f, "</title>");
}

static int is_one_kind(const struct box *b)
{
	return b->busy[b->first->kind] >= b->sum;
}

/* Kinds too close to be drawn side by side: over one another, as high as their
 * share of the time. */
static void draw_stack(const struct chart *c, const struct box *b, int y)
{
	char x[NUMBER_SIZE], w[NUMBER_SIZE], top[NUMBER_SIZE], height[NUMBER_SIZE];
	double above = 0;
	int kind;

	clopt__number(x, b->from, 2);
	clopt__number(w, b->to - b->from + QUARTER, 2); /* no seam before the next */
	for (kind = 0; kind < COMMAND_KINDS; kind++) {
		const double part = BOX * b->busy[kind] / b->sum;

		if (part > 0)
			fprintf(c->f,
			        "<rect class=\"%s\" x=\"%s\" y=\"%s\" width=\"%s\" "
			        "height=\"%s\"/>\n",
			        clopt__kind_name((enum command_kind)kind), x,
			        clopt__number(top, y + above, 1), w,
			        clopt__number(height, part, 1));
		above += part;
	}
}

static void draw(const struct chart *c, const struct box *b, int y)
{
	const double width = b->to - b->from;
	char x[NUMBER_SIZE], w[NUMBER_SIZE], label[8 * sizeof b->first->label];
	const char *kind, *inside;

	if (!b->commands)
		return;
	if (!is_one_kind(b)) {
		draw_stack(c, b, y);
		return;
	}
	kind = clopt__kind_name(b->first->kind);
	if (!*clopt__quoted(label, sizeof label, b->first->label, XML))
		strcpy(label, kind);
	fprintf(c->f, "<rect class=\"%s%s\" x=\"%s\" y=\"%d\" width=\"%s\" height=\"%d\">", kind,
	        width > 3 ? " edge" : "", clopt__number(x, b->from, 2), y,
	        clopt__number(w, width > QUARTER ? width : QUARTER, 2), BOX);
	tip(c, b, label);
	fprintf(c->f, "</rect>\n");
	/* A letter takes about 7 pixels. */
	inside = b->commands == 1 && width > 7.0 * (double)strlen(label) + 6 ? label : kind;
	if (width > 7.0 * (double)strlen(inside) + 6)
		fprintf(c->f, "<text class=\"in%s\" x=\"%s\" y=\"%d\">%s</text>\n",
		        b->first->kind == COMMAND_UP || b->first->kind == COMMAND_DOWN ? " white" :
		                                                                         "",
		        clopt__number(x, b->from + width / 2, 2), y + BOX / 2 + 4, inside);
}

/* Whether what lies from..to, next on the queue, is drawn as part of the box. */
static int joins(const struct chart *c, const struct box *b, enum command_kind kind, double from,
                 double to)
{
	return c->count > MANY && b->commands && from - b->to < QUARTER &&
	       ((is_one_kind(b) && kind == b->first->kind) ||
	        (b->to - b->from < THIN && to - from < THIN));
}

void clopt__chart_row(const struct chart *c, unsigned queue, int y)
{
	struct box b = { 0 };
	const struct command *k;

	fprintf(c->f, "<text class=\"right\" x=\"%d\" y=\"%d\">queue %u</text>\n", LEFT - 12,
	        y + BOX / 2 + 4, queue);
	for (k = c->list; k < c->list + c->count; k++) {
		const double from = clopt__chart_x(c, k->start), to = clopt__chart_x(c, k->end);

		if (k->queue != queue)
			continue;
		if (!joins(c, &b, k->kind, from, to)) {
			draw(c, &b, y);
			memset(&b, 0, sizeof b);
			b.first = k;
			b.from = b.to = from;
		}
		b.to = to > b.to ? to : b.to;
		b.busy[k->kind] += k->end - k->start;
		b.sum += k->end - k->start;
		b.commands++;
	}
	draw(c, &b, y);
}
