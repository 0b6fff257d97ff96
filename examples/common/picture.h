/* SPDX-License-Identifier: MIT */
/*
 * picture.h - pictures by cairo into PNG files.
 */
#ifndef PICTURE_H
#define PICTURE_H

#include <cairo.h>
#include <stddef.h>
#include <stdint.h>

#include "program.h"

/* A text in the file beside the pixels. */
struct picture_note {
	const char *key;
	char text[256];
};

/* Black, or transparent; NULL with a fault without memory.  cairo_surface_destroy frees it. */
cairo_surface_t *picture_new(size_t width, size_t height, int transparent, struct fault *e);

/* Row y: four bytes for each pixel, as an int of 0xAARRGGBB. */
uint32_t *picture_row(cairo_surface_t *s, size_t y);
uint32_t picture_pixel(const float rgb[3]); /* from 0 to 1 */

/* Text of this height of capitals, of a grey from 0, black, to 1: its left edge is at x, its middle
 * at y.  And how wide it would be. */
void picture_text(cairo_t *c, double x, double y, double height, double grey, const char *s);
double picture_text_width(cairo_t *c, double height, const char *s);
void picture_box(cairo_t *c, double x, double y, double w, double h, double grey);

/* A surface and its notes as PNG. */
struct picture {
	cairo_surface_t *s;
	const struct picture_note *note;
	size_t notes;
};

int picture_write(const char *path, const struct picture *o, struct fault *e);

#endif
