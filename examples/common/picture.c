/* SPDX-License-Identifier: MIT */
/*
 * picture.c - see picture.h.
 */
#include "picture.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "outfile.h"

#define CAPITAL 0.73 /* the height of capitals, by the size of the font */
#define BEFORE_NOTES 33 /* bytes of a PNG: its signature and the header's chunk */

cairo_surface_t *picture_new(size_t width, size_t height, int transparent, struct fault *e)
{
	cairo_surface_t *s = cairo_image_surface_create(
	        transparent ? CAIRO_FORMAT_ARGB32 : CAIRO_FORMAT_RGB24, (int)width, (int)height);

	if (cairo_surface_status(s) == CAIRO_STATUS_SUCCESS)
		return s;
	cairo_surface_destroy(s);
	fail(e, "out of memory for a picture of %zu x %zu", width, height);
	return NULL;
}

uint32_t *picture_row(cairo_surface_t *s, size_t y)
{
	const size_t stride = (size_t)cairo_image_surface_get_stride(s);

	return (uint32_t *)(void *)(cairo_image_surface_get_data(s) + y * stride);
}

uint32_t picture_pixel(const float rgb[3])
{
	return 0xff000000u | (uint32_t)(255 * rgb[0] + 0.5f) << 16 |
	       (uint32_t)(255 * rgb[1] + 0.5f) << 8 | (uint32_t)(255 * rgb[2] + 0.5f);
}

double picture_text_width(cairo_t *c, double height, const char *s)
{
	cairo_text_extents_t t;

	cairo_select_font_face(c, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
	cairo_set_font_size(c, height / CAPITAL);
	cairo_text_extents(c, s, &t);
	return t.x_advance;
}

void picture_text(cairo_t *c, double x, double y, double height, double grey, const char *s)
{
	picture_text_width(c, height, s); /* sets the font */
	cairo_set_source_rgb(c, grey, grey, grey);
	cairo_move_to(c, x, y + height / 2);
	cairo_show_text(c, s);
}

void picture_box(cairo_t *c, double x, double y, double w, double h, double grey)
{
	cairo_set_source_rgb(c, grey, grey, grey);
	cairo_rectangle(c, x, y, w, h);
	cairo_fill(c);
}

static void put_int(unsigned char p[4], uint32_t v)
{
	int i;

	for (i = 0; i < 4; i++)
		p[i] = (unsigned char)(v >> (24 - 8 * i));
}

/* A tEXt chunk, which cairo has no call for. */
static void put_note(FILE *f, const struct picture_note *note)
{
	unsigned char chunk[400];
	const size_t key = strlen(note->key), n = key + 1 + strlen(note->text);

	put_int(chunk, (uint32_t)n);
	memcpy(chunk + 4, "tEXt", 4);
	memcpy(chunk + 8, note->key, key + 1);
	memcpy(chunk + 9 + key, note->text, n - key - 1);
	put_int(chunk + 8 + n, (uint32_t)crc32(0, chunk + 4, (uInt)(4 + n)));
	fwrite(chunk, 12 + n, 1, f);
}

static cairo_status_t put(void *f, const unsigned char *data, unsigned n)
{
	return fwrite(data, 1, n, f) == n ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

static int print(FILE *f, const void *what, struct fault *e)
{
	const struct picture *o = what;
	char *png = NULL;
	size_t size = 0, i;
	FILE *memory = open_memstream(&png, &size);
	cairo_status_t bad = CAIRO_STATUS_NO_MEMORY;

	cairo_surface_mark_dirty(o->s);
	if (memory) {
		bad = cairo_surface_write_to_png_stream(o->s, put, memory);
		if (fclose(memory))
			bad = CAIRO_STATUS_NO_MEMORY;
	}
	if (!bad) {
		fwrite(png, 1, BEFORE_NOTES, f);
		for (i = 0; i < o->notes; i++)
			put_note(f, &o->note[i]);
		fwrite(png + BEFORE_NOTES, 1, size - BEFORE_NOTES, f);
	}
	free(png);
	return bad ? fail(e, "the picture: %s", cairo_status_to_string(bad)) : 0;
}

int picture_write(const char *path, const struct picture *o, struct fault *e)
{
	return outfile_print(path, print, o, e);
}
