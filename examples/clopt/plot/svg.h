/* SPDX-License-Identifier: MIT */
/*
 * svg.h - SVG as the files of this room write it.
 */
#ifndef SVG_H
#define SVG_H

#include "plot.h"

enum {
	SVG_HEAD = 40, /* pixels above a picture, for its title */
	SVG_LETTER = 7 /* the width of a wide letter */
};

/*
 * Write the format with a double for each %, with at most two decimals, and a const
 * char * for each $, quoted.  A ' is written as a quotation mark:
 *
 *	svg(to, "<rect class='$' x='%'/>\n", class, x);
 */
void svg(FILE *to, const char *format, ...);
void svg_text(FILE *to, const char *class, double x, double y, const char *text);
void svg_line(FILE *to, const char *class, double x, double y, double x2, double y2);
void svg_box(FILE *to, const char *class, const char *fill, double x, double y, double width,
             double height);

/* The file's head, with styles for the classes; the file ends with </svg>. */
void svg_head(FILE *to, const char *title, double width, double height);

/* From `from' to `to' along some pixels; both are exponents of 10 if `log'. */
struct svg_scale {
	int log;
	double from, to;
	double step; /* from tick to tick, unless `log' */
	double start, length; /* pixels; length < 0: up */
};

double svg_at(const struct svg_scale *s, double value);

/* The least and the greatest of the values that a logarithmic scale can show. */
void svg_take_in(struct svg_scale *s, double value);
int svg_shown(double value);

/* The axis, its ticks and its label.  Grid lines go from `near', where numbers stand,
 * to `far'. */
void svg_axis(FILE *to, const struct svg_scale *s, int upright, double near, double far,
              const char *label);

#endif
