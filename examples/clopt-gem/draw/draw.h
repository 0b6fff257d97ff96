/* SPDX-License-Identifier: MIT */
/*
 * draw.h - the picture of a surface, and the colours of potentials.
 */
#ifndef GEM_DRAW_H
#define GEM_DRAW_H

#include "../../common/picture.h"
#include "../compute/compute.h"

/* --------------------------------------------------------- picture.c ---- */

/* The picture; NULL after a failure. */
cairo_surface_t *gem_picture(const struct gem_work *w, struct fault *e);
int gem_write_png(const char *path, const struct gem_work *w, struct fault *e);

/* ----------------------------------------------------------- splat.c ---- */

/* The colour of a potential: t from -1, red, over 0, white, to 1, blue; what lies outside is cut.
 * rgb is 0 to 1. */
void gem_colour(double t, float rgb[3]);

#define GEM_PAPER 0.98f /* red, green and blue of the background */

/* The points as a picture of w x h pixels, with the paper's colour between them; NULL without
 * memory.  view, if not NULL, is set by the first picture. */
cairo_surface_t *gem_splat(size_t w, size_t h, const struct gem_points *p, const float *value,
                           double range, struct gem_view *view, struct fault *e);

#endif
