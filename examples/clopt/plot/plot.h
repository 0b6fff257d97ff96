/* SPDX-License-Identifier: MIT */
/*
 * plot.h - the room of pictures: curves, bars, a roofline and a time line, as SVG.
 *
 *	const double x[] = { 0, 1, 2 }, y[] = { 10, 12, 11 };
 *	const struct plot_series curve = { .x = x, .y = y, .n = 3 };
 *	const struct plot_panel panel = { .title = "Copy", .series = &curve, .count = 1,
 *	                                  .x = { .label = "offset" },
 *	                                  .y = { .label = "GB/s" } };
 *
 *	plot_svg(file, "Some device", &panel, 1);
 *
 * Zero is a default for every field but the data.  Texts may have any bytes; a byte
 * that is not printable ASCII becomes '?'.  A write error is left in ferror(to).
 * The room includes no other room.
 */
#ifndef PLOT_H
#define PLOT_H

#include <stddef.h>
#include <stdio.h>

/* The data set an axis whose ends are both 0, with 0 included. */
struct plot_axis {
	const char *label;
	double from, to;
	double step; /* from tick to tick; 0: a round one */
	int log; /* 1: logarithmic, with ends by the data; numbers that are not positive are left out */
};

/* Points joined in their order; a point that is not finite leaves a gap. */
struct plot_series {
	const char *name; /* shown where a panel has several */
	const double *x, *y;
	size_t n;
	int reference; /* 1: a dashed line without marks, for a value that was not measured */
};

struct plot_panel {
	const char *title;
	struct plot_axis x, y;
	const struct plot_series *series;
	size_t count;
};

void plot_svg(FILE *to, const char *title, const struct plot_panel *panels, size_t count);

/* A factor; a value that is not positive has its label and no bar. */
struct plot_bar {
	const char *label;
	double value; /* written behind the bar */
	double mark; /* a frame to here, for the expected value; 0: none */
};

struct plot_bars {
	const char *title;
	const char *label; /* of the axis: the first group's */
	const char *name, *mark_name; /* shown if there is a mark */
	const struct plot_bar *bar;
	size_t count;
};

/* The groups stand under each other and share one axis. */
void plot_bars_svg(FILE *to, const char *title, const struct plot_bars *groups, size_t count);

/* Two marks: filled, and hollow unless that is 0; a dash at `roof' unless that is 0. */
struct plot_point {
	const char *label;
	double x, y, hollow, roof;
};

/* Williams, Waterman, Patterson, Communications of the ACM 52, 65 (2009): on two
 * logarithmic axes a slope, y = bandwidth x, up to a level, y = peak.  Numbers that are
 * not positive are left out. */
struct plot_roofline {
	const char *x_label, *y_label;
	const char *bandwidth_name, *peak_name;
	double bandwidth, peak;
	const struct plot_point *point;
	size_t points;
	const char *filled, *hollow, *roof; /* legend of the marks */
	const char *note; /* a line under it; NULL: none */
};

void plot_roofline_svg(FILE *to, const char *title, const struct plot_roofline *r);

/* An interval of a time line, on row `row`. */
struct plot_span {
	double from, to; /* seconds */
	unsigned row, kind; /* kind: index of a name and a colour */
	const char *label; /* written inside if it fits; NULL: the kind's name */
	size_t call; /* it and the bytes are told to a pointer that rests on it */
	double bytes; /* 0: none are moved */
};

/* A Gantt chart: a row for each queue, time to the right. */
struct plot_timeline {
	const char *note; /* a line under the title */
	const char *const *kinds;
	const char *const *notes; /* for the legend, by kind; NULL: the kind is not shown */
	size_t kind_count;
	const struct plot_span *span; /* by beginning */
	size_t spans;
	unsigned queues; /* of several devices: so many rows each; 0: there is one */
};

void plot_timeline_svg(FILE *to, const char *title, const struct plot_timeline *t);

/* The unit that suits a time: its name, and its seconds in *unit. */
const char *plot_time_unit(double seconds, double *unit);

/* A text as HTML and SVG have it. */
void plot_text(FILE *to, const char *text);

/* Colours that colour-blind eyes tell apart (Okabe and Ito). */
const char *plot_colour(size_t i);

/* The roundest step (1, 2 or 5 times a power of ten) that cuts span into at most
 * `most` pieces, and how many decimals its multiples have. */
double plot_step(double span, int most);
int plot_decimals(double step);

enum {
	PLOT_NUMBER = 32
};

/* x with at most so many decimals (0 to 9), without zeros at the end; the decimal
 * point is '.' in every locale.  Returns text. */
char *plot_number(char text[PLOT_NUMBER], double x, int decimals);

#endif
