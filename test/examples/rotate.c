/* SPDX-License-Identifier: MIT */
/*
 * rotate.c - examples/rotate.c: four quarter turns give back each pixel, and Python's PIL turns
 * pictures alike.
 */
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "examples.h"
#include "folder.h"

static char folder[FOLDER_SIZE], first[FOLDER_SIZE + 16], turned[FOLDER_SIZE + 16];

static void enter(void)
{
	folder_make(folder);
	snprintf(first, sizeof first, "%s/first.png", folder);
	snprintf(turned, sizeof turned, "%s/turned.png", folder);
}

static void leave(void)
{
	folder_remove(folder);
}

/* Pixels that look random, in a file. */
static void *picture(unsigned format, unsigned w, unsigned h, size_t *size)
{
	png_image m = { .version = PNG_IMAGE_VERSION, .format = format, .width = w, .height = h };
	unsigned char *px;
	unsigned long state = w * 1000 + h;
	size_t i;

	*size = PNG_IMAGE_SIZE(m);
	px = malloc(*size);
	ck_assert_ptr_nonnull(px);
	for (i = 0; i < *size; i++) {
		state = (state * 1103515245ul + 12345ul) & 0x7ffffffful;
		px[i] = (unsigned char)(state >> 16);
	}
	ck_assert_msg(png_image_write_to_file(&m, first, 0, px, 0, NULL), "%s", m.message);
	return px;
}

START_TEST(four_quarters)
{
	static const struct {
		unsigned format, w, h;
		const char *way;
	} cases[] = {
		{ PNG_FORMAT_GRAY, 1, 1, "buffers" },
		{ PNG_FORMAT_RGB, 37, 21, "linear" },
		{ PNG_FORMAT_RGBA, 20, 33, "buffers" },
		{ PNG_FORMAT_RGBA, 33, 20, "nearest" },
		{ PNG_FORMAT_LINEAR_RGB, 1, 300, "buffers" }, /* of 16 bits */
		{ PNG_FORMAT_LINEAR_RGB, 5, 30, "nearest" },
	};
	png_image m = { .version = PNG_IMAGE_VERSION };
	void *before, *after;
	size_t size;
	int i;

	before = picture(cases[_i].format, cases[_i].w, cases[_i].h, &size);
	for (i = 0; i < 4; i++)
		ck_assert_int_eq(RUN(rotate, "--angle", i % 2 ? "90" : "-270", "--expand", "--way",
		                     cases[_i].way, i ? turned : first, turned),
		                 0);
	ck_assert_msg(png_image_begin_read_from_file(&m, turned), "%s", m.message);
	ck_assert(m.width == cases[_i].w && m.height == cases[_i].h);
	ck_assert_msg(m.format == cases[_i].format, "the file is of the kind %u", m.format);
	after = malloc(size);
	ck_assert_ptr_nonnull(after);
	ck_assert_msg(png_image_finish_read(&m, NULL, after, 0, NULL), "%s", m.message);
	ck_assert_msg(memcmp(before, after, size) == 0, "some pixel has changed");
	free(before);
	free(after);
}
END_TEST

START_TEST(like_pil)
{
	static const char *const angles[] = { "30", "1", "-133.7" };
	char command[3 * FOLDER_SIZE];
	size_t size, i;
	int status = 0;

	free(picture(PNG_FORMAT_RGB, 200, 160, &size));
	for (i = 0; i < 3 && status == 0; i++) {
		ck_assert_int_eq(RUN(rotate, "--angle", angles[i], first, turned), 0);
		/* Debian's PIL is for its own Python, which need not be the first. */
		snprintf(command, sizeof command,
		         "p=python3; $p -c 'import PIL' 2>/dev/null || p=/usr/bin/python3; "
		         "exec $p test/examples/pil.py %s %s %s",
		         angles[i], first, turned);
		status = system(command);
	}
	/* 77: skipped, as it has said */
	ck_assert_msg(status == 0 || (WIFEXITED(status) && WEXITSTATUS(status) == 77),
	              "%s: the status %d", command, status);
}
END_TEST

START_TEST(misuse)
{
	ck_assert_int_eq(RUN(rotate, "one.png"), 2);
	ck_assert_int_eq(RUN(rotate, "--angle", "x", "a.png", "b.png"), 2);
	ck_assert_int_eq(RUN(rotate, "--angle", "", "a.png", "b.png"), 2);
	ck_assert_int_eq(RUN(rotate, "--way", "x", "a.png", "b.png"), 2);
}
END_TEST

SUITE(rotate, long)
{
	tcase_add_checked_fixture(c, enter, leave);
	test_add_rows(c, four_quarters, 0, 6);
	if (test_all())
		tcase_add_test(c, like_pil);
	tcase_add_test(c, misuse);
}
