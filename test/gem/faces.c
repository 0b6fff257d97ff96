/* SPDX-License-Identifier: MIT */
/*
 * faces.c - the triangles that clopt-gem reads, and those that it makes.
 */
#include <math.h>
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
		{ "1 2 3 1 7\n1 2 5 1 7\n",
		  "f.face:2: vertex 5: it must be a whole number from 1 to 4" },
		{ "0 1 2 1 7\n", "f.face:1:" },
		{ "1 2 2.5 1 7\n", "f.face:1:" },
		{ "1 2 x 1 7\n", "f.face:1:" },
		{ "1 2 -3 1 7\n", "f.face:1:" },
		{ "1 2 1e300 1 7\n", "f.face:1:" },
		{ "#\n#\n 3 4 3 1.5\n1 2 3 1 7\n3 2 4 1 7\n", "says 3 faces, the file has 2" },
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

/* The area, after a look that each line from vertex to vertex is in one face, and its reverse in
 * another. */
static double closed(const struct gem_points *p)
{
	const size_t n = 3 * p->faces;
	double area, mean, *v = malloc(n * sizeof *v), *back = malloc(n * sizeof *back);
	float *none = calloc(p->n, sizeof *none);
	size_t i, from, to;

	ck_assert(v && back && none && p->n && p->normal);
	for (i = 0; i < n; i++) {
		from = p->face[i / 3][i % 3];
		to = p->face[i / 3][(i + 1) % 3];
		ck_assert(from < p->n && to < p->n && from != to);
		v[i] = (double)from * (double)p->n + (double)to;
		back[i] = (double)to * (double)p->n + (double)from;
	}
	sort_doubles(v, n);
	sort_doubles(back, n);
	for (i = 0; i < n; i++)
		ck_assert(v[i] == back[i] && (i == 0 || v[i] != v[i - 1]));
	gem_area_mean(p, none, &area, &mean);
	free(v);
	free(back);
	free(none);
	return area;
}

/* The normal of a face, and its shape: 1 if its sides are equal, 0 if it is flat. */
static double normal(const struct gem_points *p, const unsigned f[3], double n[3])
{
	double u[3], v[3], sides = 0, length;
	int k;

	for (k = 0; k < 3; k++) {
		u[k] = p->at[f[1]][k] - p->at[f[0]][k];
		v[k] = p->at[f[2]][k] - p->at[f[0]][k];
		sides += u[k] * u[k] + v[k] * v[k] + (u[k] - v[k]) * (u[k] - v[k]);
	}
	for (k = 0; k < 3; k++)
		n[k] = u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3];
	length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
	for (k = 0; k < 3; k++)
		n[k] /= length;
	return 2 * sqrt(3) * length / sides;
}

/* Balls in disorder leave grooves with thin ridges between: their mesh is closed and has neither
 * slivers nor folds. */
START_TEST(unfolded)
{
	char text[120 * 60], *to = text;
	uint64_t state = 7;
	struct gem_molecule m;
	struct gem_points p;
	double n[2][3], v[4], least = 1;
	size_t i, j, folds = 0;
	int k, a, b;

	for (i = 0; i < 120; i++) {
		for (k = 0; k < 4; k++) {
			state = state * 6364136223846793005u + 1442695040888963407u;
			v[k] = (double)(state >> 40) / 16777216;
		}
		to += sprintf(to, "ATOM %zu X X 1 %.3f %.3f %.3f 1 %.2f\n", i, 18 * v[0], 18 * v[1],
		              18 * v[2], 1.2 + 0.8 * v[3]);
	}
	ck_assert_int_eq(read_molecule(text, &m), 0);
	ck_assert_int_eq(gem_mesh(&p, &m, 1.5, 3, 0, &test_error), 0);
	closed(&p);
	for (i = 0; i < p.faces; i++) {
		least = fmin(least, normal(&p, p.face[i], n[0]));
		for (j = 0; j < i; j++)
			for (a = 0; a < 3; a++)
				for (b = 0; b < 3; b++) {
					if (p.face[i][a] != p.face[j][(b + 1) % 3] ||
					    p.face[i][(a + 1) % 3] != p.face[j][b])
						continue;
					normal(&p, p.face[j], n[1]);
					folds += n[0][0] * n[1][0] + n[0][1] * n[1][1] +
					                 n[0][2] * n[1][2] <
					         0;
				}
	}
	ck_assert_msg(folds < 4, "%zu folds in %zu faces", folds, p.faces);
	ck_assert_msg(least > 0.1, "a face has the shape %g", least);
	gem_points_free(&p);
	gem_molecule_free(&m);
}
END_TEST

/* The solvent-excluded surface: closed, its vertices on it; of a ball, of two that a probe cannot
 * pass between, and of a hollow one with and without its cavity. */
START_TEST(mesh)
{
	static const char *const text[] = {
		"ATOM 1 X X 1 1 2 3 1 2\n",
		"ATOM 1 X X 1 -2 0 0 1 2\nATOM 2 X X 1 2 0 0 1 2\n",
	};
	/* Caps of two balls, and the saddle that the probe leaves between them. */
	const double turn = 6.283185307179586, high = sqrt(3.5 * 3.5 - 4), half = asin(2 / 3.5);
	const double want[] = { 2 * turn * 4,
		                2 * turn * 4 * (1 + 2 / 3.5) +
		                        turn * 1.5 * (2 * half * high - 3 * sin(half)) };
	struct gem_molecule m;
	struct gem_marks marks;
	struct gem_points p, all;
	double area;
	size_t i, j;
	FILE *f;
	char *shell;
	size_t size;

	for (i = 0; i < 2; i++) {
		ck_assert_int_eq(read_molecule(text[i], &m), 0);
		ck_assert_msg(gem_mesh(&p, &m, 1.5, 3, 0, &test_error) == 0, "%s", test_error.text);
		area = closed(&p);
		ck_assert_msg(fabs(area / want[i] - 1) < 0.005, "area %g, not %g", area, want[i]);
		ck_assert_int_eq(gem_marks(&marks, &p, &m), 0);
		for (j = 0; j < p.n; j++)
			ck_assert_msg(fabs(gem_distance(&marks, p.at[j], 1)) < 1e-5, "%g",
			              gem_distance(&marks, p.at[j], 1));
		gem_marks_free(&marks);
		gem_points_free(&p);
		gem_molecule_free(&m);
	}
	f = open_memstream(&shell, &size);
	for (i = 0; i < 100; i++) {
		const double z = 1 - (2 * (double)i + 1) / 100, r = sqrt(1 - z * z);

		fprintf(f, "ATOM 1 X X 1 %g %g %g 1 2\n", 6 * r * cos(2.39996 * (double)i),
		        6 * r * sin(2.39996 * (double)i), 6 * z);
	}
	fclose(f);
	ck_assert_int_eq(read_molecule(shell, &m), 0);
	free(shell);
	ck_assert_int_eq(gem_mesh(&p, &m, 1.5, 1, 0, &test_error), 0);
	ck_assert_int_eq(gem_mesh(&all, &m, 1.5, 1, 1, &test_error), 0);
	area = closed(&p);
	ck_assert_msg(closed(&all) > 1.1 * area && closed(&all) < 1.3 * area, "%g and %g",
	              closed(&all), area);
	gem_points_free(&p);
	gem_points_free(&all);
	gem_molecule_free(&m);
}
END_TEST

void gem_faces_tests(TCase *c)
{
	tcase_add_test(c, unfolded);
	tcase_add_test(c, mesh);
	tcase_add_test(c, faces);
	tcase_add_test(c, faces_errors);
	tcase_add_test(c, faces_beside);
}
