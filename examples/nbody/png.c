/* SPDX-License-Identifier: MIT */
/*
 * png.c - pixels to a PNG file.
 *
 * libpng reports errors by longjmp.  All of it happens in this one function, which
 * changes no variable between setjmp and the jump but its loop's.
 */
#include <png.h>
#include <setjmp.h>

#include "nb.h"

static void failed(png_structp png, png_const_charp why)
{
	nb_fail(png_get_error_ptr(png), "the picture: %.400s", why);
	longjmp(png_jmpbuf(png), 1);
}

static void ignore(png_structp png, png_const_charp why)
{
	(void)png;
	(void)why;
}

int nb_png(FILE *f, const unsigned char *rgb, size_t size, struct nb_error *e)
{
	png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, e, failed, ignore);
	png_infop info = png ? png_create_info_struct(png) : NULL;
	size_t y;

	if (!info) {
		png_destroy_write_struct(&png, NULL);
		return nb_fail(e, "out of memory for a picture");
	}
	if (setjmp(png_jmpbuf(png))) {
		png_destroy_write_struct(&png, &info);
		return -1;
	}
	png_init_io(png, f);
	png_set_IHDR(png, info, (png_uint_32)size, (png_uint_32)size, 8, PNG_COLOR_TYPE_RGB,
	             PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
	png_write_info(png, info);
	for (y = 0; y < size; y++)
		png_write_row(png, rgb + 3 * y * size);
	png_write_end(png, info);
	png_destroy_write_struct(&png, &info);
	return 0;
}
