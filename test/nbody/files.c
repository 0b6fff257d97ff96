/* SPDX-License-Identifier: MIT */
/*
 * files.c - files that the program nbody reads and writes.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "folder.h"
#include "nbody/nb.h"
#include "suites.h"

static struct fault error;

static struct nb_system made(const char *model, size_t n)
{
	struct nb_system s;

	ck_assert_msg(nb_model(model)->make(&s, n, 1, &error) == 0, "%s", error.text);
	return s;
}

/* A folder for the files of a test, which must leave it empty. */
static char folder[] = "/tmp/clopt-nbody-XXXXXX", path[64];

static void enter(void)
{
	memcpy(folder + sizeof folder - 7, "XXXXXX", 6);
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/file", folder);
}

static void leave(void)
{
	ck_assert_msg(rmdir(folder) == 0, "something is left in %s", folder);
}

START_TEST(table)
{
	struct nb_system s = made("plummer", 100), t;
	struct stat about;

	s.time = 0.1;
	nb_system_settle(&s, 0.3, 6.6743e-11);
	ck_assert_msg(nb_write(path, &s, NB_TABLE, &error) == 0, "%s", error.text);
	/* One that replaces another is as private as that was. */
	ck_assert_int_eq(chmod(path, 0600), 0);
	ck_assert_msg(nb_write(path, &s, NB_TABLE, &error) == 0, "%s", error.text);
	ck_assert_int_eq(stat(path, &about), 0);
	ck_assert_int_eq(about.st_mode & 0777, 0600);
	ck_assert_msg(nb_read(&t, NULL, path, &error) == 0, "%s", error.text);
	unlink(path);
	ck_assert_uint_eq(t.n, 100);
	ck_assert_double_eq(t.time, 0.1);
	/* It moves on by the same law, unless another is asked for. */
	nb_system_settle(&t, -1, -1);
	ck_assert(t.softening == 0.3 && t.g == 6.6743e-11);
	nb_system_settle(&t, 0, 2);
	ck_assert(t.softening == 0 && t.g == 2);
	ck_assert(memcmp(s.body, t.body, 100 * 4 * sizeof *s.body) == 0);
	ck_assert(memcmp(s.velocity, t.velocity, 100 * 4 * sizeof *s.body) == 0);
	nb_system_free(&t);
	nb_system_free(&s);
}
END_TEST

static int parse_bytes(struct nb_system *s, const char *data, size_t size, const char *name)
{
	FILE *f = fmemopen((void *)(uintptr_t)data, size, "r");
	int rc;

	ck_assert_ptr_nonnull(f);
	rc = nb_read(s, f, name, &error);
	fclose(f);
	return rc;
}

static int parse(struct nb_system *s, const char *text)
{
	return parse_bytes(s, text, strlen(text), "b.txt");
}

START_TEST(table_text)
{
	struct nb_system s;
	char text[64];

	ck_assert_msg(parse(&s, "# x y z\r\n\r\n1 2 3 4 5 6 7\r\n\n"
	                        " -1.5,2e0 , .5\t4 5 6 0 # a tracer\n1 2 3 4 5 6 7#\n"
	                        "1 2 3 4 5 6 +8.") == 0,
	              "%s", error.text);
	ck_assert_int_eq(s.n, 4);
	ck_assert(s.body[0] == 1 && s.body[3] == 7 && s.velocity[2] == 6);
	ck_assert(s.body[4] == -1.5 && s.body[5] == 2 && s.body[6] == 0.5 && s.body[7] == 0);
	ck_assert(s.body[15] == 8 && s.softening < 0 && s.g < 0 && s.time == 0);
	nb_units_text(&s, text, sizeof text);
	ck_assert_str_eq(text, "not known");
	nb_system_settle(&s, -1, -1);
	ck_assert(s.softening == 0 && s.g == 1 && s.assumed);
	nb_system_free(&s);
	ck_assert_msg(parse(&s, "# units nbody \r\n1 2 3 4 5 6 7\n") == 0, "%s", error.text);
	nb_system_settle(&s, -1, -1);
	nb_units_text(&s, text, sizeof text);
	ck_assert_str_eq(text, "nbody");
	ck_assert(s.g == 1 && !s.assumed);
	nb_system_free(&s);
	ck_assert_msg(parse(&s, "# units 10 pc 1e3 Msun 2 day\n1 2 3 4 5 6 7\n") == 0, "%s",
	              error.text);
	ck_assert_double_eq_tol(s.units.length / 3.0856775814913673e19, 1, 1e-12);
	ck_assert_double_eq_tol(s.units.mass / 1.98840987e36, 1, 1e-8);
	ck_assert_double_eq(s.units.time, 2 * 86400);
	ck_assert_double_eq_tol(s.g / nb_units_g(&s.units), 1, 1e-12);
	nb_system_free(&s);
	/* Kilograms and metres; comments that are not ours; the same law once more. */
	ck_assert_msg(
	        parse(&s, "# g/mol 5\n# softening: 3\n# g 7\r\n1e21 2 3 4 5 6 2e41\n# g 7\n") == 0,
	        "%s", error.text);
	ck_assert(s.n == 1 && s.body[0] == 1e21 && s.g == 7);
	ck_assert_double_eq(s.body[3], 2e41); /* the constant may have more bits */
	ck_assert(s.softening < 0);
	nb_system_free(&s);
}
END_TEST

/* A checkpoint keeps what the system has: rates, kinds, IDs of any size, properties and units. */
START_TEST(checkpoint)
{
	struct nb_system s = made("plummer", 30), t;
	size_t i;

	nb_system_settle(&s, 0.3, 2);
	ck_assert_int_eq(nb_system_kinds(&s, &error) || nb_system_rates(&s, &error), 0);
	s.stage = (struct nb_stage){ .steps = 1, .integrator = "hermite", .precision = "best" };
	s.units = nb_units_galactic;
	for (i = 0; i < s.n; i++) {
		s.kind[i] = i % 6;
		s.id[i] = UINT64_MAX - i;
		s.traits[3 * i] = (float)i / 3;
		s.traits[3 * i + 2] = -1e-30f;
		s.rates[4 * i] = (double)i / 7;
		s.rates[4 * (s.n + i) + 2] = 1e-300;
	}
	ck_assert_int_eq(outfile_print(path, nb_checkpoint_print, &s, &error), 0);
	ck_assert_msg(nb_read(&t, NULL, path, &error) == 0, "%s", error.text);
	ck_assert(t.n == s.n && t.g == 2 && t.kind && t.id && t.traits && t.rates);
	ck_assert_mem_eq(t.kind, s.kind, s.n);
	ck_assert_mem_eq(t.id, s.id, s.n * sizeof *s.id);
	ck_assert_mem_eq(t.traits, s.traits, 3 * s.n * sizeof *s.traits);
	ck_assert_mem_eq(t.rates, s.rates, 8 * s.n * sizeof *s.rates);
	ck_assert_mem_eq(&t.units, &s.units, sizeof s.units);
	unlink(path);
	nb_system_free(&t);
	s.traits[7] = (float)NAN;
	ck_assert_int_eq(outfile_print(path, nb_checkpoint_print, &s, &error), -1);
	ck_assert_msg(strstr(error.text, "body 3: ") != NULL, "%s", error.text);
	nb_system_free(&s);
}
END_TEST

/* Errors are reported with file, line, reason and the line's text. */
START_TEST(table_errors)
{
	static const struct {
		const char *text, *place, *reason;
	} bad[] = {
		{ "", "b.txt:", "no bodies" },
		{ "# nothing\n\n", "b.txt:", "no bodies" },
		{ "1 2 3 4 5 6\n", "b.txt:1:", "too few numbers" },
		{ "1 2 3 4 5 6 7\n1 2 3 4 5 6 7 8\n", "b.txt:2:", "too many" },
		{ "#\n1 2 three 4 5 6 7", "b.txt:2:", "field 3 must" },
		{ "1 2 3 4 5 6 nan\n", "b.txt:1:", "field 7 must" },
		{ "1 2 3 4 5 1e999 1\n", "b.txt:1:", "field 6 must" },
		{ "0x10 2 3 4 5 6 1\n", "b.txt:1:", "field 1 must" },
		{ "1 2 3 4 5 6 1-2\n", "b.txt:1:", "field 7 must" },
		{ "1 2 3 4 5 6 -1\n", "b.txt:1:", "mass is negative" },
		{ "# softening -1\n1 2 3 4 5 6 1\n", "b.txt:1:", "softening must be from 0" },
		{ "#\n# g -1\n1 2 3 4 5 6 1\n", "b.txt:2:", "constant must not be negative" },
		{ "# units 1 cm -1 g 1 s\n1 2 3 4 5 6 1\n", "b.txt:1:", "a length, a mass" },
		{ "1 2 3 4 5 6 1\n# g 8\n", "b.txt:2:", "before the first body" },
		{ "1 2 3 4 5 6 1\n# softening 8\n", "b.txt:2:", "before the first body" },
		{ "1 2 3 4 5 6 1\n# units 1 cm 1 g 1 s\n", "b.txt:2:", "before the first" },
		{ "#units 1 au 1 g 1 s\n1 2 3 4 5 6 1\n", "b.txt:1:", "as in \"# units 1 AU" },
		{ "# units: 1 AU\n1 2 3 4 5 6 1\n", "b.txt:1:", "a length, a mass" },
		{ "# units 1 cm 1 g 1 sec\n1 2 3 4 5 6 1\n", "b.txt:1:", "s, day, year" },
		{ "# units 1 cm 1 g 1 seconds\n1 2 3 4 5 6 1\n", "b.txt:1:", "s, day, year" },
		{ "# units 1 g 1 cm 1 s\n1 2 3 4 5 6 1\n", "b.txt:1:", "a length, a mass" },
		{ "# units 1 AU 1 Msun 0 day\n1 2 3 4 5 6 1\n", "b.txt:1:", "a length, a mass" },
		{ "# units 1 AU 1 Msun\n1 2 3 4 5 6 1\n", "b.txt:1:", "a length, a mass" },
		{ "# units nbodys\n1 2 3 4 5 6 1\n", "b.txt:1:", "must be nbody" },
		{ "# g 2\n# units nbody\n1 2 3 4 5 6 1\n", "b.txt:2:", "where g is 1" },
		{ "# view size 64 centre 0 0 half 1 blur 1e9 densities 1 2\n",
		  "b.txt:1:", "# view" },
		{ "1 2 3 4 5 6 7 7 1 0 0 0\n", "b.txt:1:", "a kind must" },
		{ "1 2 3 4 5 6 7 0 1.5 0 0 0\n", "b.txt:1:", "an ID must" },
		{ "1 2 3 4 5 6 7 0 1 0 0 0\n1 2 3 4 5 6 7\n", "b.txt:2:", "only some" },
		{ "1 2 3 4 5 6 \033[2J\n", "b.txt:1:", "'1 2 3 4 5 6 ?[2J'" },
	};
	struct nb_system s;
	size_t i;

	for (i = 0; i < sizeof bad / sizeof *bad; i++) {
		ck_assert_msg(parse(&s, bad[i].text) == -1, "taken: %s", bad[i].text);
		ck_assert_ptr_null(s.body);
		ck_assert_msg(strncmp(error.text, bad[i].place, strlen(bad[i].place)) == 0 &&
		                      strstr(error.text, bad[i].reason),
		              "%s -> %s", bad[i].text, error.text);
	}
	ck_assert_int_eq(parse_bytes(&s, "1 2\n3\0 4 5\n", 11, "b.txt"), -1);
	ck_assert_msg(strstr(error.text, "too few") != NULL, "%s", error.text);
	ck_assert_int_eq(parse_bytes(&s, "\n3\0 4 5\n", 8, "b.txt"), -1);
	ck_assert_msg(strstr(error.text, "b.txt:2: a zero byte") != NULL, "%s", error.text);
	ck_assert_int_eq(nb_read(&s, NULL, "/nonexistent.txt", &error), -1);
	ck_assert_ptr_nonnull(strstr(error.text, "/nonexistent.txt"));
	ck_assert_int_eq(nb_read(&s, NULL, "/", &error), -1);
}
END_TEST

/* A picture is whole and has the given size; a file that cannot be written leaves nothing, and an
 * older file stays. */
START_TEST(files)
{
	static const unsigned char head[] = { 0x89, 'P', 'N', 'G' };
	struct nb_system s = made("galaxies", 300);
	struct nb_view view = { .size = 64 }, first;
	unsigned char data[24];
	FILE *f;

	ck_assert_msg(nb_draw(path, &view, &s, NB_BY_DENSITY, &error) == 0, "%s", error.text);
	f = fopen(path, "rb");
	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(fread(data, 1, sizeof data, f), sizeof data);
	fclose(f);
	ck_assert(memcmp(data, head, sizeof head) == 0 && data[19] == 64 && data[23] == 64);

	first = view; /* also with bodies far away */
	s.body[0] = 1e18;
	s.body[5] = (double)NAN;
	ck_assert_int_eq(nb_draw(path, &view, &s, NB_BY_DENSITY, &error), 0);
	ck_assert(memcmp(&first, &view, sizeof view) == 0);
	view = (struct nb_view){ .size = 64, .width = 3 };
	ck_assert_int_eq(nb_draw(path, &view, &s, NB_BY_DENSITY, &error), 0);
	ck_assert(view.half == 1.5);

	ck_assert_int_eq(nb_write(path, &s, NB_TIPSY, &error), -1); /* of the NaN */
	ck_assert_int_eq(outfile_try(path, &error), 0);
	f = fopen(path, "rb");
	ck_assert_int_eq(fread(data, 1, sizeof data, f), sizeof data);
	fclose(f);
	ck_assert(memcmp(data, head, sizeof head) == 0);
	unlink(path);
	ck_assert_int_eq(outfile_try(path, &error), 0);
	ck_assert_int_eq(access(path, F_OK), -1);
	ck_assert(outfile_same("x", "./x") && !outfile_same("x", "y"));
	ck_assert(!outfile_same("/dev/null/x", "x"));
	ck_assert_int_eq(outfile_try("/dev/null/x", &error), -1);
	ck_assert_int_eq(nb_write("/dev/null/x", &s, NB_TABLE, &error), -1);
	ck_assert_int_eq(nb_draw("/dev/null/x", &view, &s, NB_BY_DENSITY, &error), -1);
	nb_system_free(&s);
}
END_TEST

/* How many pixels differ in a part of two pictures. */
static size_t differ(cairo_surface_t *a, cairo_surface_t *b, size_t x0, size_t x1, size_t y0,
                     size_t y1)
{
	size_t x, y, n = 0;

	for (y = y0; y < y1; y++)
		for (x = x0; x < x1; x++)
			n += picture_row(a, y)[x] != picture_row(b, y)[x];
	return n;
}

/* Few bodies do not lie under the legend, not even in the corners: all four look alike. */
START_TEST(corners)
{
	enum {
		SIZE = 300,
		EDGE = 56
	}; /* from the corners of the picture to the discs' inner ends */
	struct nb_view view = { .size = SIZE };
	struct nb_system s = made("plummer", 4);
	size_t i, x, y, bright[4] = { 0 };
	cairo_surface_t *c;

	for (i = 0; i < 4; i++) {
		s.body[4 * i] = i % 2 ? 1 : -1;
		s.body[4 * i + 1] = i / 2 ? 1 : -1;
	}
	c = nb_picture(&view, &s, NB_BY_DENSITY, &error);
	ck_assert_ptr_nonnull(c);
	/* Rows and columns of the middle of the upper left disc, and those that mirror it. */
	for (y = 35; y < EDGE; y++)
		for (x = 35; x < EDGE; x++) {
			const uint32_t want = picture_row(c, y)[x];

			bright[0] += want != picture_row(c, 0)[SIZE / 2];
			bright[1] += want != picture_row(c, y)[SIZE - 1 - x];
			bright[2] += want != picture_row(c, SIZE - 1 - y)[x];
			bright[3] += want != picture_row(c, SIZE - 1 - y)[SIZE - 1 - x];
		}
	ck_assert_uint_gt(bright[0], 100);
	ck_assert_uint_eq(bright[1] + bright[2] + bright[3], 0);
	cairo_surface_destroy(c);
	nb_system_free(&s);
}
END_TEST

/* The time is above; below are the length of a line, in the units, and the densities, or the types
 * that are there. */
START_TEST(legend)
{
	struct nb_system s = made("galaxies", 300);
	struct nb_view view = { .size = 300 };
	cairo_surface_t *p[4];
	uint32_t c[2];
	size_t i, k;

	p[0] = nb_picture(&view, &s, NB_BY_DENSITY, &error);
	s.time = 3;
	p[1] = nb_picture(&view, &s, NB_BY_DENSITY, &error);
	s.units = nb_units_galactic;
	p[2] = nb_picture(&view, &s, NB_BY_DENSITY, &error);
	p[3] = nb_picture(&view, &s, NB_BY_TYPE, &error);
	ck_assert(p[0] && p[1] && p[2] && p[3]);
	ck_assert_uint_gt(differ(p[0], p[1], 0, 150, 0, 20), 0);
	ck_assert_uint_eq(differ(p[0], p[1], 0, 300, 20, 300), 0);
	ck_assert_uint_gt(differ(p[1], p[2], 0, 150, 0, 20), 0); /* Gyr */
	ck_assert_uint_gt(differ(p[1], p[2], 0, 150, 260, 300), 0); /* kpc */
	ck_assert_uint_gt(differ(p[1], p[2], 200, 300, 260, 300), 0);
	ck_assert_uint_gt(differ(p[2], p[3], 200, 300, 260, 300), 0);
	for (i = 0; i < 4; i++)
		cairo_surface_destroy(p[i]);
	s.n = 1;
	for (k = 0; k < 2; k++) {
		memset(&view, 0, sizeof view);
		view.size = 31;
		s.kind[0] = k ? NB_STAR : NB_GAS;
		p[0] = nb_picture(&view, &s, NB_BY_TYPE, &error);
		ck_assert_ptr_nonnull(p[0]);
		c[k] = picture_row(p[0], 15)[15];
		cairo_surface_destroy(p[0]);
	}
	ck_assert((c[0] >> 16 & 255) < (c[0] & 255) && (c[1] >> 16 & 255) > (c[1] & 255));
	nb_system_free(&s);
}
END_TEST

/* Files are tested before the first step, the first of the pictures, too. */
START_TEST(writable)
{
	struct nb_settings o = { .frames = "/tmp" };

	ck_assert_msg(nb_writable(&o, &error) == 0, "%s", error.text);
	o.frames = "/dev/null/f";
	ck_assert_int_eq(nb_writable(&o, &error), -1);
	ck_assert_msg(strstr(error.text, "/dev/null/f00000.png"), "%s", error.text);
	o.frames = NULL;
	o.png = "/dev/null/x";
	ck_assert_int_eq(nb_writable(&o, &error), -1);
}
END_TEST

SUITE(nbody_files, quick)
{
	tcase_add_checked_fixture(c, enter, leave);
	tcase_add_test(c, table);
	tcase_add_test(c, table_text);
	tcase_add_test(c, table_errors);
	tcase_add_test(c, checkpoint);
	tcase_add_test(c, files);
	tcase_add_test(c, corners);
	tcase_add_test(c, legend);
	tcase_add_test(c, writable);
}
