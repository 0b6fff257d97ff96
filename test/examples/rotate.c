/* SPDX-License-Identifier: MIT */
/*
 * rotate.c - examples/rotate.c: four quarter turns give back each pixel.
 */
#include <png.h>
#include <stdio.h>
#include <string.h>

#include "examples.h"
#include "folder.h"

START_TEST(four_quarters)
{
	static const char *const angles[] = { "90", "-270" };
	png_image m = { .version = PNG_IMAGE_VERSION, .format = PNG_FORMAT_RGBA, .width = 37 };
	unsigned char before[37 * 21 * 4], after[sizeof before];
	char folder[FOLDER_SIZE];
	const char *path;
	size_t i;

	folder_make(folder);
	path = folder_at(folder, "turned.png");
	m.height = 21;
	for (i = 0; i < sizeof before; i++)
		before[i] = (unsigned char)(i * i / 3 | (i % 4 == 3 ? 128 : 0));
	ck_assert_msg(png_image_write_to_file(&m, path, 0, before, 0, NULL), "%s", m.message);
	for (i = 0; i < 4; i++)
		ck_assert_int_eq(RUN(rotate, angles[i % 2], path, path), 0);
	ck_assert_msg(png_image_begin_read_from_file(&m, path), "%s", m.message);
	ck_assert(m.width == 37 && m.height == 21);
	m.format = PNG_FORMAT_RGBA;
	ck_assert_msg(png_image_finish_read(&m, NULL, after, 0, NULL), "%s", m.message);
	ck_assert_mem_eq(before, after, sizeof before);
	ck_assert_int_eq(RUN(rotate, "30", path, path), 0);
	folder_remove(folder);
	ck_assert_int_eq(RUN(rotate, "30", path), 2);
}
END_TEST

SUITE(rotate, long)
{
	tcase_add_test(c, four_quarters);
}
