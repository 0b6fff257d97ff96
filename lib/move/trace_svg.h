/* SPDX-License-Identifier: MIT */
/*
 * trace_svg.h - what the two files of the Gantt chart share.
 */
#ifndef CLOPT_TRACE_SVG_H
#define CLOPT_TRACE_SVG_H

#include "trace.h"

/* In pixels. */
#define WIDTH 1000
#define LEFT 78 /* of it the names of the queues */
#define PLOT (WIDTH - LEFT - 22)
#define TOP 92
#define ROW 40
#define BOX 30
#define BOTTOM 44

struct chart {
	FILE *f;
	const struct command *list;
	size_t count;
	struct period period;
	double span; /* seconds, not 0 */
	int bottom; /* of the rows */
	double unit; /* seconds */
	const char *unit_name;
};

double clopt__chart_x(const struct chart *c, double seconds);
/* Seconds in the chart's unit, with the digits that tell something. */
const char *clopt__chart_number(const struct chart *c, char *text, double seconds);

/* trace_boxes.c */
void clopt__chart_row(const struct chart *c, unsigned queue, int y);

#endif
