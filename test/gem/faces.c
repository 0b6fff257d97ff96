/* SPDX-License-Identifier: MIT */
/*
 * faces.c - the triangles that clopt-gem reads.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gem_tests.h"

/* Files with MSMS's header and without; numbers from 1, further columns are ignored. */
START_TEST(faces)
{
	static const char *const good[] = {
		"1 2 3 1 7\n3 2 4 3 8\n",
		"# MSMS\n#faces\n  2 4 3.00 1.50\n 1 2 3 1 7\n\n 3 2 4 3 8\n",
		"1 2 3\r\n3 2 4\r\n",
	};
	struct gem_points p;
	size_t i;
	FILE *f;

	for (i = 0; i < 3; i++) {
		read_vertices(test_square, &p);
		f = test_text(good[i]);
		ck_assert_msg(gem_points_read(&p, GEM_FACES, f, "f", &test_error) == 0, "%s",
		              test_error.text);
		fclose(f);
		ck_assert_int_eq(p.faces, 2);
		ck_assert(p.face[0][0] == 0 && p.face[1][0] == 2 && p.face[1][2] == 3);
		gem_points_free(&p);
	}
}
END_TEST

START_TEST(faces_errors)
{
	static const struct {
		const char *text, *place;
	} bad[] = {
		{ "1 2\n", "f.face:1:" },
		{ "1 2 3 1 7\n1 2 5 1 7\n", "f.face:2: 5 is none of the vertices, 1 to 4" },
		{ "0 1 2 1 7\n", "f.face:1:" },
		{ "1 2 2.5 1 7\n", "f.face:1:" },
		{ "1 2 x 1 7\n", "f.face:1:" },
		{ "1 2 -3 1 7\n", "f.face:1:" },
		{ "1 2 1e300 1 7\n", "f.face:1:" },
		{ "#\n#\n 3 4 3 1.5\n1 2 3 1 7\n3 2 4 1 7\n", "promises 3 faces, the file has 2" },
		{ "#\n#\n -3 4 3 1.5\n1 2 3 1 7\n", "f.face:3:" },
	};
	struct gem_points p;
	size_t i;
	FILE *f;

	for (i = 0; i < sizeof bad / sizeof *bad; i++) {
		read_vertices(test_square, &p);
		f = test_text(bad[i].text);
		ck_assert_int_eq(gem_points_read(&p, GEM_FACES, f, "f.face", &test_error), -1);
		fclose(f);
		ck_assert_msg(strstr(test_error.text, bad[i].place) != NULL, "%s -> %s",
		              bad[i].text, test_error.text);
		ck_assert(!p.face && !p.faces);
		gem_points_free(&p);
	}
}
END_TEST

/* A .face file beside the .vert file is read with it, and a bad one is an error. */
START_TEST(faces_beside)
{
	char dir[] = "/tmp/clopt-test-XXXXXX", vert[64], face[64], line[160];
	struct gem_settings o;
	struct gem_points p;

	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(vert, sizeof vert, "%s/a.vert", dir);
	snprintf(face, sizeof face, "%s/a.face", dir);
	test_write(vert, test_square);
	ck_assert_msg(gem_points_load_vert(&p, vert, &test_error) == 0, "%s", test_error.text);
	ck_assert(p.n == 4 && p.faces == 0);
	gem_points_free(&p);
	test_write(face, "1 2 3 1 7\n3 2 4 3 8\n");
	ck_assert_msg(gem_points_load_vert(&p, vert, &test_error) == 0, "%s", test_error.text);
	ck_assert(p.n == 4 && p.faces == 2);
	gem_points_free(&p);
	snprintf(line, sizeof line, "--vertices %s --csv %s m.pqr", vert, face);
	ck_assert_int_eq(read_settings(line, &o), EXIT_MISUSED); /* it would be ignored */
	test_write(face, "1 2 9 1 7\n");
	ck_assert_int_eq(gem_points_load_vert(&p, vert, &test_error), -1);
	ck_assert_msg(strstr(test_error.text, "a.face:1:") != NULL, "%s", test_error.text);
	ck_assert(!p.at && !p.n);
	unlink(face);
	unlink(vert);
	rmdir(dir);
}
END_TEST

void gem_faces_tests(TCase *c)
{
	tcase_add_test(c, faces);
	tcase_add_test(c, faces_errors);
	tcase_add_test(c, faces_beside);
}
