/* SPDX-License-Identifier: MIT */
/*
 * files.c - clopt-gem reads back the files that it writes; a file that cannot be written leaves
 * nothing.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gem_tests.h"

static const struct option_triple shape; /* the view is the molecule's */

static uint32_t pixel(cairo_surface_t *s, size_t x, size_t y)
{
	return picture_row(s, y)[x];
}

/* A surface is whole: one ball is a disc without gaps, opaque, and transparent round it; the same
 * from each side, and at each density. */
START_TEST(whole)
{
	const struct option_triple from[] = { shape, { { 1, 2, 3 }, 3 }, { { 0, -5, 0 }, 3 } };
	const double density[] = { 3, 30 };
	struct gem_molecule m;
	struct gem_points p;
	struct gem_view view;
	cairo_surface_t *s;
	float *value;
	double far;
	size_t x, y;
	int i;

	ck_assert_int_eq(read_molecule("ATOM 1 X X 1 1 2 3 1 2\n", &m), 0);
	for (i = 0; i < 6; i++) {
		ck_assert_int_eq(gem_mesh(&p, &m, 1.5, density[i % 2], 0, &test_error), 0);
		value = calloc(p.n, sizeof *value);
		gem_look(&view, &m, &p, &from[i / 2]);
		s = gem_surface(80, 60, &p, value, 1, &view, i % 2, &test_error);
		ck_assert(s && value);
		for (y = 0; y < 60; y++)
			for (x = 0; x < 80; x++) { /* the radius is 27 */
				far = hypot((double)x + 0.5 - 40, (double)y + 0.5 - 30);
				if (far < 25)
					ck_assert_uint_eq(pixel(s, x, y) >> 24, 255);
				else if (far > 28)
					ck_assert_uint_eq(pixel(s, x, y), 0);
			}
		cairo_surface_destroy(s);
		free(value);
		gem_points_free(&p);
	}
	gem_molecule_free(&m);
}
END_TEST

/* Of two triangles over a pixel the nearer shows, whatever their order, with the value between its
 * corners; from behind it is the other one, and left is right. */
START_TEST(depth)
{
	static const char two[] = "0 0 0 0 0 1\n3 0 0 0 0 1\n0 3 0 0 0 1\n"
	                          "0 0 1 0 0 1\n3 0 1 0 0 1\n0 3 1 0 0 1\n";
	const struct option_triple top = { { 0, 0, 1 }, 3 };
	const float value[6] = { -1, -1, -1, 1, 1, 1 };
	struct gem_molecule m;
	struct gem_points p;
	struct gem_view view;
	cairo_surface_t *s;
	uint32_t c;
	int i;

	ck_assert_int_eq(read_molecule("ATOM 1 X X 1 1 1 0 1 2\n", &m), 0);
	for (i = 0; i < 4; i++) {
		const unsigned low = i % 2 ? 3 : 0, high = 3 - low;
		unsigned face[2][3] = { { low, low + 1, low + 2 }, { high, high + 1, high + 2 } };

		read_vertices(two, &p);
		p.face = face;
		p.faces = 2;
		gem_look(&view, &m, &p, &top);
		s = gem_surface(60, 60, &p, value, 1, &view, i / 2, &test_error);
		ck_assert_ptr_nonnull(s);
		/* The right angle is at the lower left; from behind, right. */
		c = pixel(s, i / 2 ? 45 : 15, 45);
		ck_assert_uint_eq(c >> 24, 255);
		ck_assert_uint_eq(pixel(s, i / 2 ? 15 : 45, 15), 0);
		ck_assert_msg((i / 2) == ((c >> 16 & 255) > (c & 255)), "%d: %x", i, c);
		cairo_surface_destroy(s);
		p.face = NULL;
		gem_points_free(&p);
	}
	gem_molecule_free(&m);
}
END_TEST

/* The view is the molecule's: the same at each density, its longest axis to the right; and later
 * pictures have the first one's, also with a point far outside. */
START_TEST(one_view)
{
	const double far[3] = { 1e7, -1e7, 0 }, up[3] = { 0, 0, 1 };
	float *value;
	struct gem_view view[2];
	cairo_surface_t *s[2];
	struct gem_molecule m;
	struct gem_points p;
	size_t y;
	int i, k;

	ck_assert_int_eq(read_molecule("ATOM 1 X X 1 0 0 0 1 2\nATOM 2 X X 1 0 2 9 1 2\n"
	                               "ATOM 3 X X 1 0 5 0 1 2\n",
	                               &m),
	                 0);
	for (i = 0; i < 2; i++) {
		ck_assert_int_eq(gem_mesh(&p, &m, 1.5, i ? 10 : 2, 0, &test_error), 0);
		gem_look(&view[i], &m, &p, &shape);
		for (k = 0; i && k < 3; k++) {
			ck_assert(memcmp(view[0].axis[k], view[1].axis[k], sizeof up) == 0);
			ck_assert(fabs(view[0].low[k] - view[1].low[k]) < 0.1);
		}
		if (i == 0)
			gem_points_free(&p);
	}
	ck_assert(view[0].axis[0][2] > 0.9 && fabs(view[0].axis[2][0]) > 0.999);
	value = calloc(p.n + 1, sizeof *value);
	s[0] = gem_surface(50, 40, &p, value, 1, &view[1], 0, &test_error);
	ck_assert_int_eq(gem_points_add(&p, far, up, &test_error), 0);
	s[1] = gem_surface(50, 40, &p, value, 1, &view[1], 0, &test_error);
	ck_assert(value && s[0] && s[1]);
	for (y = 0; y < 40; y++)
		ck_assert(memcmp(picture_row(s[0], y), picture_row(s[1], y), 50 * 4) == 0);
	cairo_surface_destroy(s[0]);
	cairo_surface_destroy(s[1]);
	free(value);
	gem_points_free(&p);
	gem_molecule_free(&m);
}
END_TEST

static const struct gem_unit kt = { "kT/e", "kT", 1, 1 };

/* The name of a temporary file that does not exist. */
static void name(char *path)
{
	int fd;

	strcpy(path, "/tmp/clopt-test-XXXXXX");
	fd = mkstemp(path);
	ck_assert(fd >= 0);
	close(fd);
}

static FILE *reopen(const char *path)
{
	FILE *f = fopen(path, "r");

	ck_assert_ptr_nonnull(f);
	unlink(path);
	return f;
}

/* The file of this kind, whose text is valid until the next call. */
static const char *written(enum gem_output kind, const struct gem_work *w)
{
	static char text[4096];
	char path[40];
	FILE *f;

	name(path);
	ck_assert_msg(gem_write(kind, path, w, &test_error) == 0, "%s", test_error.text);
	f = reopen(path);
	text[fread(text, 1, sizeof text - 1, f)] = '\0';
	fclose(f);
	return text;
}

START_TEST(csv)
{
	double at[2][3] = { { 1.25, -2, 1e-3 }, { 4, 5, 6 } };
	float value[2] = { 0.1f, -3e-9f };
	const struct gem_work w = { .p = { .at = at, .n = 2, .room = 2 },
		                    .r = { .value = value, .n = 2 },
		                    .model = { .unit = kt } };

	ck_assert_str_eq(written(GEM_CSV, &w),
	                 "1.25000000e+00,-2.00000000e+00,1.00000000e-03,1.00000001e-01\n"
	                 "4.00000000e+00,5.00000000e+00,6.00000000e+00,-3.00000003e-09\n");
	ck_assert_int_eq(gem_write(GEM_CSV, "/dev/null/x.csv", &w, &test_error), -1);
	ck_assert_int_eq(gem_write(GEM_PLY, "/dev/null/x.ply", &w, &test_error), -1);
}
END_TEST

/* The field is written behind the value, and along the normals where there are any. */
START_TEST(field)
{
	float value[4] = { 1, 2, 3, 4 };
	float fields[4][3] = { { 1, 2, 3 }, { 4, 5, 6 }, { 7, 8, 9 }, { 10, 11, 12 } };
	struct gem_work w = { .r = { .value = value, .field = fields, .n = 4 } };

	read_vertices(test_square, &w.p);
	ck_assert_ptr_nonnull(
	        strstr(written(GEM_CSV, &w),
	               "\n2.00000000e+00,0.00000000e+00,0.00000000e+00,2.00000000e+00,"
	               "4.00000000e+00,5.00000000e+00,6.00000000e+00,6.00000000e+00\n"));
	gem_points_free(&w.p);
}
END_TEST

/* Faces of the PLY count from 0; their area and the mean by it. */
START_TEST(ply)
{
	float value[4] = { 1, 2, 3, 5 };
	struct gem_work w = { .r = { .value = value, .n = 4 },
		              .range = { .end = 5 },
		              .model = { .unit = kt } };
	const char *text;
	double area, mean;
	FILE *f = test_text("1 2 3 1 7\n3 2 4 3 8\n");

	read_vertices(test_square, &w.p);
	ck_assert_int_eq(gem_points_read(&w.p, GEM_FACES, f, "f", &test_error), 0);
	fclose(f);
	text = written(GEM_PLY, &w);
	ck_assert(strstr(text, "\nelement vertex 4\n") && strstr(text, "\nelement face 2\n"));
	ck_assert_str_eq(text + strlen(text) - 17, "\n3 0 1 2\n3 2 1 3\n");
	gem_area_mean(&w.p, value, &area, &mean);
	ck_assert_msg(fabs(area - 4) < 1e-12 && fabs(mean - (2 * 2 + 2 * 10. / 3) / 4) < 1e-6,
	              "%g %g", area, mean);
	gem_points_free(&w.p);
}
END_TEST

/* A grid as programs that read OpenDX expect it, line by line. */
START_TEST(dx)
{
	static const char want[] = "\nobject 1 class gridpositions counts 2 1 3\n"
	                           "origin -1.500000e+00 2.000000e+00 1.000000e+04\n"
	                           "delta 5.000000e-01 0.000000e+00 0.000000e+00\n"
	                           "delta 0.000000e+00 5.000000e-01 0.000000e+00\n"
	                           "delta 0.000000e+00 0.000000e+00 5.000000e-01\n"
	                           "object 2 class gridconnections counts 2 1 3\n"
	                           "object 3 class array type double rank 0 items 6 data follows\n"
	                           "-1.500000e+00 0.000000e+00 1.000000e+00\n"
	                           "2.000000e+00 3.000000e+00 1.000000e-09\n"
	                           "attribute \"dep\" string \"positions\"\n"
	                           "object \"regular positions regular connections\" class field\n"
	                           "component \"positions\" value 1\n"
	                           "component \"connections\" value 2\n"
	                           "component \"data\" value 3\n";
	float value[6] = { -1.5f, 0, 1, 2, 3, 1e-9f };
	const struct gem_work w = { .grid = { { -1.5, 2, 1e4 }, { 0.5, 0.5, 0.5 }, { 2, 1, 3 }, 0 },
		                    .r = { .value = value },
		                    .model = { .unit = kt } };
	const char *text = written(GEM_DX, &w), *second = strchr(text, '\n');

	ck_assert(text[0] == '#' && second && strstr(text, "kT/e") < second);
	ck_assert_str_eq(second, want);
}
END_TEST

/* A map of unequal steps comes back as it was, as OpenDX; CUBE has its values in the same order,
 * MRC with x fastest, both with the origin. */
START_TEST(maps)
{
	float value[24];
	struct gem_atom atom = { .at = { 0.529177210903, 0, 0 }, .q = -1, .name = "OD1" };
	const struct gem_work w = {
		.m = { .atom = &atom, .n = 1 },
		.grid = { { -1.5, 2, 1e4 }, { 0.5, 0.25, 2 }, { 2, 3, 4 }, 0 },
		.r = { .value = value },
		.model = { .unit = kt },
	};
	const char *text;
	char path[40], *at;
	struct gem_map m;
	double v[3];
	int i, k;

	for (i = 0; i < 24; i++)
		value[i] = (float)i - 11.5f;
	name(path);
	ck_assert_int_eq(gem_write(GEM_DX, path, &w, &test_error), 0);
	ck_assert_msg(gem_map_read(&m, path, &test_error) == 0, "%s", test_error.text);
	for (k = 0; k < 3; k++)
		ck_assert(m.n[k] == w.grid.n[k] && m.origin[k] == w.grid.origin[k] &&
		          m.step[k] == w.grid.step[k]);
	ck_assert(memcmp(m.value, value, sizeof value) == 0);
	gem_map_free(&m);

	text = written(GEM_CUBE, &w);
	for (i = 0; i < 6; i++)
		text = strchr(text, '\n') + 1;
	ck_assert_int_eq(sscanf(text, "%lf %lf %lf", v, v + 1, v + 2), 3);
	ck_assert(v[0] == 8 && v[1] == -1 && fabs(v[2] - 1) < 1e-6);
	text = strchr(text, '\n') + 1;
	for (i = 0; i < 24; i++, text = at)
		ck_assert(strtod(text, &at) == (double)value[i] && at > text);
	ck_assert(strspn(text, "\n ") == strlen(text));

	text = written(GEM_MRC, &w);
	ck_assert(!memcmp(text, (int[]){ 2, 3, 4, 2 }, 16) && !memcmp(text + 4 * 52, "MAP ", 4));
	ck_assert(!memcmp(text + 4 * 49, &(float){ -1.5f }, 4));
	for (i = 0; i < 24; i++) /* x = i % 2, y = i / 2 % 3, z = i / 6 */
		ck_assert(!memcmp(text + 1024 + 4 * i, &value[(i % 2 * 3 + i / 2 % 3) * 4 + i / 6],
		                  4));
}
END_TEST

/* Atomic numbers in CUBE: of an element, an ion, and what names of atoms begin with. */
START_TEST(atomic_numbers)
{
	static const struct {
		struct gem_atom atom;
		int number;
	} of[] = {
		{ { .name = "CA", .resname = "ALA" }, 6 },
		{ { .name = "CA", .resname = "CA" }, 20 },
		{ { .name = "CA+2", .resname = "CA2" }, 20 },
		{ { .name = "1HG2", .resname = "VAL" }, 1 },
		{ { .name = "HG", .resname = "HG" }, 80 },
		{ { .name = "CL1", .resname = "LIG" }, 17 },
		{ { .name = "C", .resname = "LIG", .element = "Cl" }, 17 },
		{ { .name = "SE", .resname = "MSE" }, 34 },
		{ { .name = "SG", .resname = "CYS" }, 16 },
		{ { .name = "O5'", .resname = "A" }, 8 },
		{ { .name = "C", .resname = "C" }, 6 },
		{ { .name = "P", .resname = "DA" }, 15 },
		{ { .name = "X", .resname = "X" }, 0 },
		{ { .name = "", .resname = "" }, 0 },
	};
	struct gem_molecule m;
	size_t i;

	for (i = 0; i < sizeof of / sizeof *of; i++)
		ck_assert_msg(gem_atomic_number(&of[i].atom) == of[i].number, "%s of %s: %d",
		              of[i].atom.name, of[i].atom.resname, gem_atomic_number(&of[i].atom));
	ck_assert_int_eq(read_molecule("ATOM 1 C UNL 1 1 2 3 0.1 1.7 Br\n", &m), 0);
	ck_assert_int_eq(gem_atomic_number(&m.atom[0]), 35);
	gem_molecule_free(&m);
}
END_TEST

/* Binary and compressed maps come back bit for bit, also floats and the other order of bytes; what
 * is cut off or not finite is refused. */
START_TEST(binary_maps)
{
	static const char *const ends[] = { ".dxbin", ".dxbin.gz", ".dx.gz" };
	static const char head[] = "data mode msb binary\n"
	                           "object 1 class gridpositions counts 2 2 2\norigin 0 0 0\n"
	                           "delta 1 0 0\ndelta 0 1 0\ndelta 0 0 1\n"
	                           "object 3 class array type float rank 0 items 8 data follows\n";
	/* 1.5 and -0.15625 */
	static const unsigned char first[] = { 0x3f, 0xc0, 0, 0, 0xbe, 0x20, 0, 0 };
	unsigned char raw[32] = { 0 };
	float value[24];
	const struct gem_work w = { .grid = { { 0, 0, 0 }, { 1, 1, 1 }, { 2, 3, 4 }, 0 },
		                    .r = { .value = value },
		                    .model = { .unit = kt } };
	char path[60];
	unsigned char gz[2];
	struct gem_map m;
	size_t i, k;
	FILE *f;

	for (i = 0; i < 24; i++)
		value[i] = (float)i / 4 - 3;
	for (i = 0; i < 3; i++) {
		name(path);
		unlink(path);
		strcat(path, ends[i]);
		ck_assert_msg(gem_write(GEM_DX, path, &w, &test_error) == 0, "%s", test_error.text);
		ck_assert_msg(gem_map_read(&m, path, &test_error) == 0, "%s", test_error.text);
		ck_assert(memcmp(m.value, value, sizeof value) == 0);
		gem_map_free(&m);
		f = reopen(path);
		ck_assert(fread(gz, 1, 2, f) == 2 && (gz[0] == 0x1f && gz[1] == 0x8b) == (i > 0));
		fclose(f);
	}
	memcpy(raw, first, sizeof first);
	for (k = 0; k < 3; k++) {
		name(path);
		f = fopen(path, "wb");
		ck_assert(f && fputs(head, f) >= 0);
		raw[28] = k == 1 ? 0x7f : 0; /* the last is infinite */
		raw[29] = k == 1 ? 0x80 : 0;
		ck_assert_int_eq(fwrite(raw, 1, k == 2 ? 31 : 32, f), k == 2 ? 31 : 32);
		ck_assert_int_eq(fclose(f), 0);
		ck_assert_int_eq(gem_map_read(&m, path, &test_error), k ? -1 : 0);
		unlink(path);
		if (k == 0)
			ck_assert(m.value[0] == 1.5f && m.value[1] == -0.15625f && m.value[7] == 0);
		else
			ck_assert_msg(
			        strstr(test_error.text, k == 1 ? "value 8 of 8 is not finite" :
			                                         "the header says 8 binary values, "
			                                         "the file has 7"),
			        "%s", test_error.text);
		gem_map_free(&m);
	}
}
END_TEST

/* B factors: the mean over the points of an atom, in kT/e whatever the unit is, within six columns;
 * a buried atom has that of the nearest point. */
START_TEST(bfactor)
{
	static const char want[] =
	        "\nATOM      1  N   ALA A   1       1.000   2.000   3.000  1.00  2.00\n"
	        "ATOM      2 HD21 ASN B  -5A     -5.000   2.000   3.000  1.00-99.99\n"
	        "ATOM      3  C   ALA     2       1.000   2.000   2.900  1.00  1.50\n"
	        "END\n";
	double at[3][3] = { { 1, 2, 5 }, { 1, 4, 3 }, { -7, 2, 3 } };
	float value[3] = { 3, 5, -500 };
	struct gem_work w = { .p = { .at = at, .n = 3, .room = 3 },
		              .r = { .n = 3 },
		              .model = { .unit = { "mV", "meV", 1, 0.5 } } };
	const char *text;
	char path[40];

	ck_assert_int_eq(read_molecule("ATOM 1 N ALA A 1 1 2 3 0.1 2\n"
	                               "ATOM 2 HD21 ASN B -1005A -5 2 3 0.2 2\n" /* four columns */
	                               "ATOM 3 C ALA 2 1 2 2.9 -0.3 1\n",
	                               &w.m),
	                 0);
	w.r.by_atom = gem_by_atom(&w.m, &w.p, value);
	ck_assert(w.r.by_atom && w.r.by_atom[0] == 4 && w.r.by_atom[1] == -500);
	ck_assert(w.r.by_atom[2] == 5 || w.r.by_atom[2] == 3); /* buried */
	w.r.by_atom[2] = 3;
	ck_assert_int_eq(gem_beyond_pdb(&w), 1);
	text = written(GEM_PDB, &w);
	ck_assert_ptr_nonnull(strstr(text, "KT/E"));
	ck_assert_str_eq(strchr(text, '\n'), want);
	name(path);
	unlink(path);
	w.m.atom[1].at[1] = -1000;
	ck_assert_int_eq(gem_write(GEM_PDB, path, &w, &test_error), -1);
	ck_assert(strstr(test_error.text, "atom 2 is at -5 -1000 3") && access(path, F_OK));
	free(w.r.by_atom);
	gem_molecule_free(&w.m);
}
END_TEST

/* Blanks and long lines of other programs, roundings off the axes, other orders and directions of
 * axes: always the same map. */
START_TEST(map_layouts)
{
	static const char plain[] =
	        "# POTENTIAL (kT/e)\nobject 1 class gridpositions counts 2 3 4\n"
	        "origin -6.0 -5.0 -4.0\ndelta 1.0 0 0\ndelta 0 1.5 0\n"
	        "delta 0 0 2.0\nobject 2 class gridconnections counts 2 3 4\n"
	        "object 3 class array type double rank 0 items 24 data "
	        "follows\n";
	static const char *const heads[] = {
		plain,
		"#\tPOTENTIAL\t(kT/e)\nobject\t1\tclass\tgridpositions\tcounts\t2\t3\t4\n"
		"origin\t-6.0\t-5.0\t-4.0\ndelta\t1.0\t0\t0\ndelta\t0\t1.5\t0\n"
		"delta\t0\t0\t2."
		"0\nobject\t3\tclass\tarray\ttype\tdouble\titems\t24\tdata\tfollows\n",
		"  # POTENTIAL (kT/e)\n  delta 1.0 6.1e-17 -0\n  delta 0 1.5 1e-7\n  delta -1e-9 0 "
		"2 \n"
		"  object 1  class gridpositions  counts 2 3 4 \n\torigin -6.0 -5.0 -4.0\n"
		"  object 3  class array items 24  data  follows\n",
		/* z slowest and downward, x fastest */
		"# POTENTIAL (kT/e)\nobject 1 class gridpositions counts 4 3 2\n"
		"origin -6.0 -5.0 2.0\ndelta 0 0 -2\ndelta 0 1.5 0\ndelta 1 0 0\n"
		"object 3 class array type double rank 0 items 24 follows\n",
	};
	char path[40], text[2000];
	struct gem_map m;
	size_t i, k, x, y, z;

	name(path);
	for (i = 0; i < 4; i++) {
		size_t n = (size_t)snprintf(text, sizeof text, "%s", heads[i]);

		for (k = 0; k < 24; k++) {
			x = i == 3 ? k % 2 : k / 12;
			y = i == 3 ? k / 2 % 3 : k / 4 % 3;
			z = i == 3 ? 3 - k / 6 : k % 4;
			n += (size_t)snprintf(text + n, sizeof text - n, "%s%zu%zu%zu",
			                      i == 1 ? "\t" : " ", x, y, z);
		}
		test_write(path, text);
		ck_assert_msg(gem_map_read(&m, path, &test_error) == 0, "%s", test_error.text);
		ck_assert(m.n[0] == 2 && m.n[1] == 3 && m.n[2] == 4);
		ck_assert(m.step[0] == 1 && m.step[1] == 1.5 && m.step[2] == 2);
		ck_assert(m.origin[0] == -6 && m.origin[1] == -5 && m.origin[2] == -4);
		ck_assert_str_eq(m.unit, "kT/e");
		for (k = 0; k < 24; k++)
			ck_assert_msg(m.value[k] ==
			                      (float)(100 * (k / 12) + 10 * (k / 4 % 3) + k % 4),
			              "head %zu: value %zu is %g", i, k, (double)m.value[k]);
		gem_map_free(&m);
	}
	/* A line of 100 and more. */
	k = (size_t)snprintf(
	        text, sizeof text,
	        "object 1 class gridpositions counts 5 5 5\norigin 0 0 0\ndelta 1 0 0\n"
	        "delta 0 1 0\ndelta 0 0 1\nobject 3 data follows\n");
	for (i = 0; i < 125; i++)
		k += (size_t)snprintf(text + k, sizeof text - k, "%zu ", i);
	test_write(path, text);
	ck_assert_msg(gem_map_read(&m, path, &test_error) == 0, "%s", test_error.text);
	ck_assert(m.value[124] == 124);
	gem_map_free(&m);
	unlink(path);
}
END_TEST

/* Files that are no such maps. */
START_TEST(no_maps)
{
	static const struct {
		const char *text, *says;
	} bad[] = {
		{ "x\n", "not a map" },
		{ "object 1 class gridpositions counts 2 2.5 2\n", "2.5 nodes" },
		{ "object 1 class gridpositions counts 2 2 2\ndelta 1 0.1 0\n", "must be along x" },
		{ "object 1 class gridpositions counts 2 2 2\ndelta 1 0 0\ndelta 2 0 0\n",
		  ":3: axes 1 and 2 of the grid are both along x" },
		{ "object 1 class gridpositions counts 2 2 2\ndelta 0 0 0\n", "must be along x" },
		{ "object 1 class gridpositions counts 2 2 2\nobject 3 data follows\n1 2\n",
		  "must come before" },
		{ "object 1 class gridpositions counts 2 2 2\norigin 0 0 0\ndelta 1 0 0\n"
		  "delta 0 1 0\ndelta 0 0 1\nobject 3 data follows\n1 2 3\n4 5\n",
		  "the header says 8 values, the file has 5" },
		{ "object 1 class gridpositions counts 2 2 2\norigin 0 0 0\ndelta 1 0 0\n"
		  "delta 0 1 0\ndelta 0 0 1\nobject 3 items 8 data follows\n1 2 3\n4 -1e300\n6 7 "
		  "8\n",
		  ":8: value 5 of 8, -1e+300, is too large" },
		{ "object 1 class gridpositions counts 2 2 2\norigin 0 0 0\ndelta 1 0 0\n"
		  "delta 0 1 0\ndelta 0 0 1\nobject 3 items 9 data follows\n1 2 3 4\n5 6 7 8\n",
		  ":6: 9 values for a grid of 8 nodes" },
	};
	char path[40];
	struct gem_map m;
	size_t i;

	name(path);
	for (i = 0; i < sizeof bad / sizeof *bad; i++) {
		test_write(path, bad[i].text);
		ck_assert_int_eq(gem_map_read(&m, path, &test_error), -1);
		ck_assert_msg(strstr(test_error.text, bad[i].says) != NULL, "%s", test_error.text);
	}
	unlink(path);
}
END_TEST

/* Atoms of a chain need not be neighbours; those of a residue are. */
START_TEST(groups)
{
	static const char *const want[2][5] = {
		{ "chain,atoms,charge,mean,rms,min,max\n", "\nA,3,0,", "\n\"B,\"\"\",1," },
		{ "chain,residue,number,atoms,charge,mean,rms,min,max\n", "\nA,ALA,1,1,0.1,",
		  "\nA,ALA,1C,1,0.2,", "\n\"B,\"\"\",ZN,7,1,2,", "\nA,ALA,1,1,-0.3," },
	};
	struct gem_molecule m;
	struct gem_work w = { 0 };
	struct gem_groups *const g = &w.groups;
	const char *text;
	int by, i;

	ck_assert_int_eq(read_molecule("ATOM 1 N ALA A 1 1 2 3 0.1 1\n"
	                               "ATOM 2 N ALA A 1C 1 2 4 0.2 1\n"
	                               "HETATM 3 ZN ZN B,\" 7 1 2 5 2 1\n"
	                               "ATOM 4 N ALA A 1 1 2 6 -0.3 1\n",
	                               &m),
	                 0);
	for (by = 0; by < 2; by++) {
		ck_assert_int_eq(gem_groups(g, &m, by, &test_error), 0);
		ck_assert_int_eq(g->n, by ? 4 : 2);
		ck_assert(by || (g->atom[2] == 3 && g->atom[3] == 2));
		text = written(GEM_BY_CSV, &w);
		for (i = 0; i < 5 && want[by][i]; i++) {
			const char *found = strstr(text, want[by][i]);

			ck_assert_msg(found && (i || found == text), "%s in %s", want[by][i], text);
			text = found;
		}
		text = strchr(text + 1, '\n');
		ck_assert(text && !text[1]);
		gem_groups_free(g);
	}
	gem_molecule_free(&m);
}
END_TEST

/* A name with the end of a line is one field. */
START_TEST(table_names)
{
	struct gem_work w = { .o = { .name = "a\nb" } };
	FILE *f = tmpfile();
	char line[40];

	ck_assert_ptr_nonnull(f);
	gem_table_row(f, &w, 0);
	rewind(f);
	ck_assert_ptr_nonnull(fgets(line, sizeof line, f));
	ck_assert_str_eq(line, "\"a\n");
	ck_assert_ptr_nonnull(fgets(line, sizeof line, f));
	ck_assert_int_eq(strncmp(line, "b\",0,", 5), 0);
	fclose(f);
}
END_TEST

/* A file that cannot be written is found before another is written. */
START_TEST(writable)
{
	struct gem_settings o;
	char path[40], line[100];

	name(path);
	unlink(path);
	snprintf(line, sizeof line, "--by chain --csv %s --by-csv /dev/null/b m.pqr", path);
	ck_assert_int_eq(read_settings(line, &o), -1);
	ck_assert_int_eq(gem_writable(&o, &test_error), -1);
	ck_assert_msg(strstr(test_error.text, "/dev/null/b"), "%s", test_error.text);
	ck_assert_int_eq(access(path, F_OK), -1);
	o.out[GEM_BY_CSV] = "/dev/stdout";
	ck_assert_int_eq(gem_writable(&o, &test_error), 0);
	ck_assert_int_eq(access(path, F_OK), -1);
}
END_TEST

void gem_files_tests(TCase *c)
{
	tcase_add_test(c, whole);
	tcase_add_test(c, depth);
	tcase_add_test(c, one_view);
	tcase_add_test(c, csv);
	tcase_add_test(c, field);
	tcase_add_test(c, ply);
	tcase_add_test(c, dx);
	tcase_add_test(c, maps);
	tcase_add_test(c, atomic_numbers);
	tcase_add_test(c, binary_maps);
	tcase_add_test(c, bfactor);
	tcase_add_test(c, map_layouts);
	tcase_add_test(c, no_maps);
	tcase_add_test(c, groups);
	tcase_add_test(c, table_names);
	tcase_add_test(c, writable);
}
