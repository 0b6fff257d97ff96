/* SPDX-License-Identifier: MIT */
/*
 * plot.h - panels of curves, bars, or a roofline, as SVG.
 *
 *	const double x[] = { 0, 1, 2 }, y[] = { 10, 12, 11 };
 *	const struct plot_series curve = { .x = x, .y = y, .n = 3 };
 *	const struct plot_panel panel = { .title = "Copy", .series = &curve, .count = 1,
 *	                                  .x = { .label = "offset" },
 *	                                  .y = { .label = "GB/s" } };
 *
 *	plot_svg(file, "Some device", &panel, 1);
 *
 * Zero is a good default for every field but the data: another kind of scale or
 * mark becomes a field more, and what is drawn now stays as it is.
 */
#ifndef PLOT_H
#define PLOT_H

#include <stddef.h>
#include <stdio.h>

/* Where both ends are 0 the data set them, with 0 among what is shown. */
struct plot_axis {
	const char *label;
	double from, to;
	double step; /* from tick to tick; 0: a round one */
};

/* Points joined in their order; one that is no finite number leaves a gap. */
struct plot_series {
	const char *name; /* shown where a panel has several */
	const double *x, *y;
	size_t n;
	int reference; /* 1: a dashed line without marks, for what is not measured */
};

struct plot_panel {
	const char *title;
	struct plot_axis x, y;
	const struct plot_series *series;
	size_t count;
};

/* Texts may be of any bytes; what is not printable ASCII becomes '?'.  What goes
 * wrong is left in ferror(to). */
void plot_svg(FILE *to, const char *title, const struct plot_panel *panels, size_t count);

/* ------------------------------------------------------ plot_bars.c ---- */

/* A factor; one that is no positive number has its label and no bar. */
struct plot_bar {
	const char *label;
	double value; /* written behind the bar */
	double mark; /* a frame to here, for what was to be expected; 0: none */
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

/* ------------------------------------------------------ plot_roof.c ---- */

/* Two marks over each other: filled, and hollow unless that is 0; a dash at `roof'
 * unless that is 0. */
struct plot_point {
	const char *label;
	double x, y, hollow, roof;
};

/* Williams, Waterman, Patterson, Communications of the ACM 52, 65 (2009): on two
 * logarithmic axes a slope, y = bandwidth x, up to a level, y = peak.  What is not above
 * zero is left out. */
struct plot_roofline {
	const char *x_label, *y_label;
	const char *bandwidth_name, *peak_name;
	double bandwidth, peak;
	const struct plot_point *point;
	size_t points;
	const char *filled, *hollow, *roof; /* what the marks are */
	const char *note; /* a line under it; NULL: none */
};

void plot_roofline_svg(FILE *to, const char *title, const struct plot_roofline *r);

/* ------------------------------------------------------- plot_put.c ---- */

enum {
	PLOT_HEAD = 40 /* pixels above the panels, for the title of all */
};

/* The file's head, with styles for the classes that the rest uses; the file ends
 * with </svg>. */
void plot_head(FILE *to, const char *title, unsigned width, unsigned height);

/* x with two decimals at most, between texts that are written as they are. */
void plot_put(FILE *to, const char *before, double x, const char *after);
void plot_put_text(FILE *to, const char *class, double x, double y, const char *what);
void plot_put_line(FILE *to, const char *class, double x, double y, double x2, double y2);
void plot_put_box(FILE *to, const char *class, const char *fill, double x, double y, double width,
                  double height);
const char *plot_colour(size_t i);

/* ------------------------------------------------------ plot_axis.c ---- */

/* The panel's axes with their ends and steps, from its data where it has none. */
void plot_axes(const struct plot_panel *panel, struct plot_axis *x, struct plot_axis *y);

/* The roundest step (1, 2 or 5 times a power of ten) that cuts span into at most
 * `most` pieces. */
double plot_step(double span, int most);

/* How many decimals the multiples of a step have. */
int plot_decimals(double step);

enum {
	PLOT_NUMBER = 32
};

/* x with at most so many decimals (0 to 9) and none that are zero at the end; the
 * decimal point is '.' in every locale.  Returns text. */
char *plot_number(char text[PLOT_NUMBER], double x, int decimals);

#endif
