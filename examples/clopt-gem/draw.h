/* SPDX-License-Identifier: MIT */
/*
 * draw.h - what the files that draw the picture share.
 */
#ifndef GEM_DRAW_H
#define GEM_DRAW_H

#include "gem.h"

/* --------------------------------------------------- axes.c, splat.c ---- */

/* Principal axes of the points as rows, longest first, right-handed. */
void gem_axes(const struct gem_points *p, double centre[3], double axis[3][3]);

struct gem_canvas {
	unsigned char *rgb; /* from the upper left corner */
	size_t w, h;
};

/* Draw the points into the left w columns of the canvas. */
int gem_splat(struct gem_canvas *c, size_t w, const struct gem_points *p, const float *value,
              double range, struct gem_error *e);

/* ---------------------------------------------------------- stroke.c ---- */

/* Write text with its left edge at x and its middle at y; height in pixels.
 * Returns its width; c NULL only measures. */
double gem_stroke(struct gem_canvas *c, double x, double y, double height, const char *text);

/* ------------------------------------------------------------- png.c ---- */

int gem_png(FILE *f, const struct gem_canvas *c, const struct gem_picture *o, struct gem_error *e);

#endif
