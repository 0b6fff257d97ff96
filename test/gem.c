/* SPDX-License-Identifier: MIT */
/*
 * gem.c - what clopt-gem reads and makes, and the potential it computes.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gem.h"
#include "suites.h"

static struct gem_error error;

static FILE *text(const char *s)
{
	FILE *f = fmemopen((void *)(uintptr_t)s, strlen(s), "r");

	ck_assert_ptr_nonnull(f);
	return f;
}

static int read_molecule(const char *s, struct gem_molecule *m)
{
	FILE *f = text(s);
	int rc = gem_molecule_read(m, f, "m.pqr", &error);

	fclose(f);
	return rc;
}

/* Records as people have them: with and without a chain, chain and number fused,
 * columns fused, insertion codes, long names, exponents, CRLF. */
START_TEST(pqr)
{
	static const struct {
		const char *chain;
		int resnum;
		char ins;
		double x, y, z, q, r;
	} want[] = {
		{ "", 1, 0, 11.104, 6.134, -6.504, 0.1414, 1.824 },
		{ "A", 1, 0, -12, -106.134, -1066.504, -0.06, 1.908 },
		{ "O", 1058, 0, -45.751, -100.406, 19.252, -0.5819, 1.6612 },
		{ "B", 301, 'A', 1, 2, 3, 2, 0.88 },
		{ "", 12, 0, 1.5, -2.25, 3.75, 0.25, 0.6 },
		{ "", -5, 0, 10, -2, 3, -1, 0 },
	};
	struct gem_molecule m;
	size_t i;

	ck_assert_msg(
	        read_molecule(
	                "REMARK one that mentions ATOM\r\n"
	                "ATOM      1  N   ALA     1      11.104   6.134  -6.504  0.1414 1.8240\r\n"
	                "ATOM      2  CA  ALA A   1     -12.000-106.134-1066.504 -0.0600 1.9080\n"
	                "ATOM      3  O   ASP O1058     -45.751-100.406  19.252 -0.5819 1.6612\n"
	                "HETATM    4 ZN   ZN  B 301A      1.000   2.000   3.000  2.0000 0.8800\n"
	                "ATOM 100000 HD21 NASN 12 1.5 -2.25 3.75 0.25 0.6\n"
	                "TER\n"
	                "ATOM 100001 CL2A LIGX -5 1.0e1 -2.0E+0 3.0 -1 0.0\n"
	                "END",
	                &m) == 0,
	        "%s", error.text);
	ck_assert_int_eq(m.n, 6);
	for (i = 0; i < 6; i++) {
		const struct gem_atom *a = &m.atom[i];

		ck_assert_str_eq(a->chain, want[i].chain);
		ck_assert(a->resnum == want[i].resnum && a->ins == want[i].ins);
		ck_assert(a->x == want[i].x && a->y == want[i].y && a->z == want[i].z);
		ck_assert(a->q == want[i].q && a->r == want[i].r);
	}
	ck_assert(fabs(m.charge - 0.7495) < 1e-12);
	gem_molecule_free(&m);
	ck_assert_int_eq(
	        read_molecule(" ATOM 1 N ALA 1 1 2 3 .5 1\n\tatom 2 N ALA 1 4 5 6 .5 1\n", &m), 0);
	ck_assert(m.n == 2 && m.atom[1].z == 6);
	gem_molecule_free(&m);
}
END_TEST

/* Each is refused with file, line and the line's text. */
START_TEST(pqr_errors)
{
	static const struct {
		const char *text, *place;
	} bad[] = {
		{ "", "m.pqr" },
		{ "REMARK nothing\nEND\n", "m.pqr" },
		{ "ATOM 1 N ALA 1 1 2 3 0.1\n", "m.pqr:1:" },
		{ "END\nATOM 1 N ALA 1 1 2 x 0.1 1.5\n", "m.pqr:2:" },
		{ "ATOM 1 N ALA 1 nan 2 3 0.1 1.5\n", "m.pqr:1:" },
		{ "ATOM 1 N ALA 1 1 2 inf 0.1 1.5\n", "m.pqr:1:" },
		{ "ATOM 1 N ALA 1 1 2 3 0.1 -1.5\n", "m.pqr:1:" },
		{ "ATOM 1 N ALA 1 1 2 3 0.1 1e400\n", "m.pqr:1:" },
		{ "ATOM\n", "m.pqr:1:" },
	};
	struct gem_molecule m;
	size_t i;

	for (i = 0; i < sizeof bad / sizeof *bad; i++) {
		if (*bad[i].text)
			ck_assert_msg(read_molecule(bad[i].text, &m) == -1, "taken: %s",
			              bad[i].text);
		else
			ck_assert_int_eq(gem_molecule_load(&m, "/nonexistent.pqr", &error), -1);
		ck_assert_msg(strstr(error.text, *bad[i].text ? bad[i].place : "nonexistent") !=
		                      NULL,
		              "%s -> %s", bad[i].text, error.text);
	}
	ck_assert_int_eq(gem_molecule_load(&m, "/", &error), -1);
}
END_TEST

START_TEST(vertices)
{
	static const char *const good[] = {
		"1 2 3 0 0 1 0 1 2\n4 5 6 0 3 4 0 2 3\n",
		"# MSMS\n#vertex\n 2 1 3.00 1.50\n1 2 3 0 0 1 0 1 2\n4 5 6 0 3 4 0 2 3\n",
	};
	static const char *const bad[] = {
		"1 2 3 0 0\n",
		"# MSMS\n#vertex\n 3 1 3.00 1.50\n1 2 3 0 0 1 0 1 2\n4 5 6 0 3 4 0 2 3\n",
		"1 2 3 0 0 x 0 1 2\n",
	};
	struct gem_points p;
	FILE *f;
	size_t i;

	for (i = 0; i < 2; i++) {
		memset(&p, 0, sizeof p);
		f = text(good[i]);
		ck_assert_msg(gem_points_read_vert(&p, f, "v", &error) == 0, "%s", error.text);
		fclose(f);
		ck_assert_int_eq(p.n, 2);
		ck_assert(p.at[1][2] == 6);
		ck_assert(fabs((double)p.normal[1][1] - 0.6) < 1e-6); /* made of length 1 */
		gem_points_free(&p);
	}
	for (i = 0; i < 3; i++) {
		memset(&p, 0, sizeof p);
		f = text(bad[i]);
		ck_assert_int_eq(gem_points_read_vert(&p, f, "v", &error), -1);
		fclose(f);
		gem_points_free(&p);
	}
	memset(&p, 0, sizeof p);
	f = text("# points\n1,2,3\n 4 5 6\n\n7, 8 ,9\n");
	ck_assert_msg(gem_points_read_list(&p, f, "p", &error) == 0, "%s", error.text);
	fclose(f);
	ck_assert(p.n == 3 && p.at[2][0] == 7 && p.at[2][2] == 9 && !p.normal);
	gem_points_free(&p);
}
END_TEST

/* A single sphere: all dots at its radius, about as many as asked for, evenly
 * about the centre.  Two that overlap: no dot inside the other. */
START_TEST(surface)
{
	struct gem_molecule m;
	struct gem_points p = { 0 };
	double sum[3] = { 0, 0, 0 }, area = 4 * 3.14159265 * 3.5 * 3.5;
	size_t i, k;

	ck_assert_int_eq(read_molecule("ATOM 1 X X 1 1 2 3 1 2\n", &m), 0);
	ck_assert_msg(gem_surface(&p, &m, 1.5, 3.0, &error) == 0, "%s", error.text);
	ck_assert_msg(fabs((double)p.n / (3 * area) - 1) < 0.05, "%zu dots", p.n);
	for (i = 0; i < p.n; i++) {
		const double d[3] = { p.at[i][0] - 1, p.at[i][1] - 2, p.at[i][2] - 3 };

		ck_assert(fabs(sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) - 3.5) < 1e-5);
		for (k = 0; k < 3; k++) {
			ck_assert(fabs((double)p.normal[i][k] - d[k] / 3.5) < 1e-5);
			sum[k] += d[k] / (double)p.n;
		}
	}
	for (k = 0; k < 3; k++)
		ck_assert(fabs(sum[k]) < 0.05);
	gem_points_free(&p);
	gem_molecule_free(&m);

	ck_assert_int_eq(read_molecule("ATOM 1 X X 1 0 0 0 1 2\nATOM 2 X X 1 2 0 0 1 1\n"
	                               "ATOM 3 X X 1 9 9 9 1 0\n",
	                               &m),
	                 0);
	memset(&p, 0, sizeof p);
	ck_assert_int_eq(gem_surface(&p, &m, 1.5, 3.0, &error), 0);
	for (i = 0; i < p.n; i++) {
		const double *a = p.at[i], x = a[0] - 2;

		ck_assert(sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]) > 3.5 - 1e-5);
		ck_assert(sqrt(x * x + a[1] * a[1] + a[2] * a[2]) > 2.5 - 1e-5);
	}
	ck_assert(p.n > 100);
	gem_points_free(&p);
	gem_molecule_free(&m);
}
END_TEST

/* The carried protein's potential at its surface, against a float64 sum. */
START_TEST(protein)
{
	struct clopt_options options = CLOPT_OPTIONS_INIT;
	struct gem_molecule m;
	struct gem_points p = { 0 };
	struct gem_result r = { 0 };
	const char *path = getenv("CLOPT_TEST_PQR");
	double diff = 0, norm = 0;
	size_t i, j;

	ck_assert_msg(gem_molecule_load(&m, path ? path : "examples/data/1a0q.pqr", &error) == 0,
	              "%s (the tests run in the project's folder)", error.text);
	ck_assert_int_eq(gem_surface(&p, &m, 1.5, 0.2, &error), 0);
	ck_assert_msg(gem_run(&r, &options, &m, &p, gem_unit("kcal"), 1.0, 0, &error) == 0, "%s",
	              error.text);
	ck_assert_int_eq(r.n, p.n);
	for (i = 0; i < p.n; i++) {
		double phi = 0;

		for (j = 0; j < m.n; j++) {
			const double x = p.at[i][0] - m.atom[j].x, y = p.at[i][1] - m.atom[j].y,
			             z = p.at[i][2] - m.atom[j].z;

			phi += 332.06371 * m.atom[j].q / sqrt(x * x + y * y + z * z);
		}
		diff += (r.value[i] - phi) * (r.value[i] - phi);
		norm += phi * phi;
	}
	ck_assert_msg(sqrt(diff / norm) < 1e-5, "relative rms %.3g", sqrt(diff / norm));
	gem_result_free(&r);
	gem_points_free(&p);
	gem_molecule_free(&m);
}
END_TEST

/* What is written reads back; a file that cannot be written leaves nothing. */
START_TEST(files)
{
	double at[2][3] = { { 1.25, -2, 1e-3 }, { 4, 5, 6 } };
	const float value[2] = { 0.1f, -3e-9f };
	struct gem_points p = { at, NULL, 2, 2 };
	char path[] = "/tmp/clopt-test-XXXXXX", line[200];
	float x, y, z, v;
	FILE *f;
	int i, fd = mkstemp(path);

	ck_assert(fd >= 0);
	close(fd);
	ck_assert_msg(gem_write_csv(path, &p, value, &error) == 0, "%s", error.text);
	f = fopen(path, "r");
	for (i = 0; i < 2; i++) {
		ck_assert_ptr_nonnull(fgets(line, sizeof line, f));
		ck_assert_int_eq(sscanf(line, "%f,%f,%f,%f", &x, &y, &z, &v), 4);
		ck_assert(x == (float)at[i][0] && y == (float)at[i][1] && z == (float)at[i][2]);
		ck_assert(v == value[i]);
	}
	ck_assert_ptr_null(fgets(line, sizeof line, f));
	fclose(f);
	unlink(path);
	ck_assert_int_eq(gem_write_csv("/nonexistent/x.csv", &p, value, &error), -1);
	ck_assert_int_eq(gem_write_ply("/nonexistent/x.ply", &p, value, 1, gem_unit("kT"), &error),
	                 -1);
	ck_assert_ptr_null(gem_unit("furlong"));
}
END_TEST

TCase *gem_case(void)
{
	TCase *c = tcase_create("gem");

	tcase_add_test(c, pqr);
	tcase_add_test(c, pqr_errors);
	tcase_add_test(c, vertices);
	tcase_add_test(c, surface);
	tcase_add_test(c, protein);
	tcase_add_test(c, files);
	return c;
}
