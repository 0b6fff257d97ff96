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

/* --------------------------------------------------------- surface.c ---- */

/* How a molecule lies in pictures that hold these points: its longest axis to the right and its
 * shortest to the eye, or seen from a direction, if one is given. */
void gem_look(struct gem_view *v, const struct gem_molecule *m, const struct gem_points *p,
              const struct option_triple *from);

/* The points as an image of w x h pixels, transparent between them; back 1: from behind.  NULL
 * without memory. */
cairo_surface_t *gem_surface(size_t w, size_t h, const struct gem_points *p, const float *value,
                             double range, const struct gem_view *v, int back, struct fault *e);

/* The colour of a potential: t from -1, red, over 0, white, to 1, blue; what lies outside is cut.
 * rgb is 0 to 1. */
void gem_colour(double t, float rgb[3]);

#endif
