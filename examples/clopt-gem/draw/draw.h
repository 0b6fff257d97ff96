/* SPDX-License-Identifier: MIT */
/*
 * draw.h - the picture of a surface, and the colours of potentials.
 */
#ifndef GEM_DRAW_H
#define GEM_DRAW_H

#include "../../common/picture.h"
#include "../compute/compute.h"

/* ---------------------------------------------------------- colour.c ---- */

/* The colours end at -end and end; `below` and `above` count the values beyond. */
struct gem_range {
	double end; /* 0: there are no colours */
	size_t below, above;
};

/* end 0: the value that 98 % of |value| stay below; 1 where that is zero. */
int gem_range(struct gem_range *r, const float *value, size_t n, double end, struct fault *e);

/* t from -1, red, over 0, white, to 1, blue; what lies outside is cut.  rgb is
 * 0 to 1. */
void gem_colour(double t, float rgb[3]);

/* --------------------------------------------------------- picture.c ---- */

struct gem_picture {
	const char *title; /* the molecule's file */
	const struct gem_unit *unit;
	struct gem_range range;
	size_t size; /* pixels, width and height */
};

int gem_write_png(const char *path, const struct gem_points *p, const float *value,
                  const struct gem_picture *o, struct fault *e);

/* ----------------------------------------------------------- splat.c ---- */

#define GEM_PAPER 0.98f /* red, green and blue of the background */

/* The points as a picture of w x h pixels, with the paper's colour between them; NULL without
 * memory. */
cairo_surface_t *gem_splat(size_t w, size_t h, const struct gem_points *p, const float *value,
                           double range, struct fault *e);

#endif
