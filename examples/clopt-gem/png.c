/* SPDX-License-Identifier: MIT */
/*
 * png.c - pixels to a PNG file.
 *
 * libpng reports errors by longjmp.  All of it happens in this one function,
 * which changes no variable between setjmp and the jump.
 */
#include <png.h>
#include <setjmp.h>
#include <string.h>

#include "draw.h"

static void failed(png_structp png, png_const_charp why)
{
	gem_fail(png_get_error_ptr(png), "the picture: %.400s", why);
	longjmp(png_jmpbuf(png), 1);
}

static void ignore(png_structp png, png_const_charp why)
{
	(void)png;
	(void)why;
}

/* The key and the text of one tEXt chunk; libpng copies both. */
static void note(png_structp png, png_infop info, const char *key, const char *value)
{
	png_text t;

	memset(&t, 0, sizeof t);
	t.compression = PNG_TEXT_COMPRESSION_NONE;
	t.key = (char *)(size_t)key;
	t.text = (char *)(size_t)value;
	t.text_length = strlen(value);
	png_set_text(png, info, &t, 1);
}

static void notes(png_structp png, png_infop info, const struct gem_picture *o)
{
	char text[80];

	note(png, info, "Title", o->title);
	snprintf(text, sizeof text, "%.9g to %.9g", -o->range.end, o->range.end);
	note(png, info, "Range", text);
	note(png, info, "Units", o->unit->label);
	snprintf(text, sizeof text, "clopt-gem %.40s", clopt_version());
	note(png, info, "Software", text);
}

int gem_png(FILE *f, const struct gem_canvas *c, const struct gem_picture *o, struct gem_error *e)
{
	png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, e, failed, ignore);
	png_infop info = png ? png_create_info_struct(png) : NULL;
	size_t y;

	if (!info) {
		png_destroy_write_struct(&png, NULL);
		return gem_fail(e, "out of memory for a picture");
	}
	if (setjmp(png_jmpbuf(png))) {
		png_destroy_write_struct(&png, &info);
		return -1;
	}
	png_init_io(png, f);
	png_set_IHDR(png, info, (png_uint_32)c->w, (png_uint_32)c->h, 8, PNG_COLOR_TYPE_RGB,
	             PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
	notes(png, info, o);
	png_write_info(png, info);
	for (y = 0; y < c->h; y++)
		png_write_row(png, c->rgb + 3 * y * c->w);
	png_write_end(png, info);
	png_destroy_write_struct(&png, &info);
	return 0;
}
