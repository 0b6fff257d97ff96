/* SPDX-License-Identifier: MIT */
/*
 * kirkwood.c - the analytical formula against the exact potential of a charge in a sphere.
 *
 * The series is exact for a sphere of eps_in in a solvent of eps_out, with salt from ion_radius
 * outside it on.  CLOPT_LAW_ALPB is an approximation to it with a known error; that the library has
 * the same error to two digits shows that all its terms are there.
 *
 * Source: Kirkwood, J.  Chem.  Phys. 2, 351 (1934).
 */
#include <math.h>

#include "physics.h"

#define PI 3.14159265358979323846

enum {
	MODES = 300, /* (13/15)^300 is 2e-19 */
	ANGLES = 61
};

/* The radial part of each mode; `kr' and `krr' are kappa times the radius of the
 * target and that of the ions' surface. */
struct sphere {
	double a, b, eps_in, eps_out, kappa;
};

/* k_(l+1)(x) / k_l(x) of the decaying modified spherical Bessel functions, from the ratio for l -
 * 1. */
static double next_ratio(double ratio, int l, double x)
{
	return 1 / ratio + (2 * l + 1) / x;
}

/* Amplitude of mode l for a unit charge at s: at r outside, or of the reaction
 * inside.  ratio: k_(l+1) / k_l at the ions' surface; fall: k_l(kappa r) over
 * that at the ions' surface. */
static double mode(const struct sphere *p, int l, double s, double r, double ratio, double fall)
{
	const double ions = p->a + p->b, x = p->kappa * ions;
	const double bare = pow(s / p->a, l) / (p->a * p->eps_in); /* in eps_in alone, at a */
	const double outer = pow(p->a / ions, l + 1), inner = pow(p->a / ions, l);
	/* The salt's reaction: (r / ions)^l for each (a / r)^(l + 1). */
	const double back = x > 0 ? outer * (2 * l + 1 - x * ratio) / (x * ratio) : 0;
	const double c =
	        p->eps_in * (2 * l + 1) * bare /
	        (p->eps_in * l * (1 + back * inner) + p->eps_out * (l + 1 - l * back * inner));

	if (r < p->a)
		return (c * (1 + back * inner) - bare) * pow(r / p->a, l);
	if (r <= ions || p->kappa == 0)
		return c * (pow(p->a / r, l + 1) + back * pow(r / ions, l));
	return c * (outer + back) * fall;
}

static double exact(const struct sphere *p, double s, double r, double cosine)
{
	const double x = p->kappa * (p->a + p->b), y = p->kappa * r;
	double ratio = 1 + 1 / x, here = 1 + 1 / y; /* of k_1 to k_0 */
	double fall = p->kappa > 0 ? exp(x - y) * x / y : 0;
	double legendre = 1, before = 0, after, sum = 0;
	int l;

	for (l = 0; l < MODES; l++) {
		sum += mode(p, l, s, r, ratio, fall) * legendre;
		after = ((2 * l + 1) * cosine * legendre - l * before) / (l + 1);
		before = legendre;
		legendre = after;
		if (p->kappa > 0) {
			fall *= here / ratio;
			ratio = next_ratio(ratio, l + 1, x);
			here = next_ratio(here, l + 1, y);
		}
	}
	if (r < p->a)
		sum += 1 / (p->eps_in * sqrt(r * r + s * s - 2 * r * s * cosine));
	return KCAL * sum;
}

/* The library's potential on a half circle about the sphere, for a charge at s. */
static void library(struct clopt *ctx, const struct sphere *p, double s, double projection,
                    int compat, float *phi)
{
	struct clopt_device_info info = { .size = sizeof info };
	struct clopt_potential_options o = CLOPT_POTENTIAL_OPTIONS_INIT;
	const float source[4] = { 0, 0, (float)s, 1 };
	const float depth = (float)(p->a - s);
	float targets[4 * ANGLES] = { 0 }, normals[4 * ANGLES] = { 0 };
	int i;

	for (i = 0; i < ANGLES; i++) {
		normals[4 * i] = (float)sin(PI * i / (ANGLES - 1));
		normals[4 * i + 2] = (float)cos(PI * i / (ANGLES - 1));
		targets[4 * i] = (float)(p->a * sin(PI * i / (ANGLES - 1)));
		targets[4 * i + 2] = (float)(p->a * cos(PI * i / (ANGLES - 1)));
	}
	CHECK_OK(ctx, clopt_device_get(ctx, &info));
	o.precision = info.fp64 ? CLOPT_PRECISION_DOUBLE : CLOPT_PRECISION_FLOAT;
	o.scale = KCAL;
	o.law = CLOPT_LAW_ALPB;
	o.eps_in = p->eps_in;
	o.eps_out = p->eps_out;
	o.kappa = p->kappa;
	o.radius = p->a;
	o.ion_radius = p->b;
	o.projection = projection;
	o.normals = normals;
	o.depths = &depth;
	o.gem_compat = compat;
	CHECK_OK(ctx, clopt_potential(ctx, 1, source, ANGLES, targets, phi, &o));
}

static const struct {
	const char *where;
	double projection, kappa;
	int compat, sources; /* at 0, 1, 2, ... from the centre */
	double rms, most; /* the formula's error in kcal/mol/e */
} rows[] = {
	{ "on the surface", 0, 0, 0, 14, 0.027, 0.392 },
	{ "at 1.5", 1.5, 0, 0, 14, 0.014, 0.152 },
	{ "at 5", 5, 0, 0, 14, 0.005, 0.036 },
	{ "on the surface, salt", 0, 0.1, 0, 14, 0.035, 0.463 },
	{ "at 1.5, salt", 1.5, 0.1, 0, 14, 0.022, 0.218 },
	{ "among the ions", 5, 0.223, 0, 14, 0.010, 0.076 },
	{ "inside", -1, 0, 0, 13, 0.012, 0.114 },
	{ "inside, as GEM", -1, 0, 1, 13, 0.153, 0.176 },
};

/* Within a tenth, and half a unit of the last digit. */
static void expect_near(const char *where, const char *what, double got, double want)
{
	ck_assert_msg(fabs(got - want) <= 0.1 * want + 0.0005, "%s: %s error %.4f, known %.3f",
	              where, what, got, want);
}

START_TEST(error_of_formula)
{
	const struct sphere p = { 15, 2, 1, 80, rows[_i].kappa };
	struct clopt *ctx = test_open(NULL);
	double sum = 0, most = 0, e;
	float phi[ANGLES];
	int s, i;

	for (s = 0; s < rows[_i].sources; s++) {
		library(ctx, &p, s, rows[_i].projection, rows[_i].compat, phi);
		for (i = 0; i < ANGLES; i++) {
			e = fabs((double)phi[i] - exact(&p, s, p.a + rows[_i].projection,
			                                cos(PI * i / (ANGLES - 1))));
			sum += e * e;
			most = e > most ? e : most;
		}
	}
	expect_near(rows[_i].where, "rms", sqrt(sum / (rows[_i].sources * ANGLES)), rows[_i].rms);
	expect_near(rows[_i].where, "largest", most, rows[_i].most);
	test_close(ctx);
}
END_TEST

/* The series itself: a charge in the centre is Born's ion, with salt Debye's and
 * Hueckel's; nothing jumps at either surface; without a step it is Coulomb's. */
START_TEST(series)
{
	const struct sphere p = { 15, 2, 4, 80, 0.1 }, bare = { 15, 2, 4, 80, 0 };
	const struct sphere none = { 15, 2, 4, 4, 0 };
	const double k = 0.1, near = 1e-9;
	double c, s;

	ck_assert_double_eq_tol(exact(&bare, 0, 20, 0.3), KCAL / 80 / 20, 1e-12);
	ck_assert_double_eq_tol(exact(&bare, 0, 10, 0.3),
	                        KCAL * (1 / 40.0 - (1 / 4.0 - 1 / 80.0) / 15), 1e-12);
	ck_assert_double_eq_tol(exact(&p, 0, 20, 0.3),
	                        KCAL / 80 * exp(-k * (20 - 17)) / (20 * (1 + k * 17)), 1e-12);
	ck_assert_double_eq_tol(exact(&p, 0, 16, 0.3), KCAL / 80 * (1 / 16.0 - k / (1 + k * 17)),
	                        1e-12);
	ck_assert_double_eq_tol(exact(&none, 9, 16, 0.5), KCAL / 4 / sqrt(193), 1e-10);
	for (s = 0; s <= 13; s++)
		for (c = -1; c <= 1; c += 0.5) {
			ck_assert_double_eq_tol(exact(&p, s, 15 - near, c),
			                        exact(&p, s, 15 + near, c), 1e-6);
			ck_assert_double_eq_tol(exact(&p, s, 17 - near, c),
			                        exact(&p, s, 17 + near, c), 1e-6);
		}
}
END_TEST

SUITE(kirkwood, quick)
{
	tcase_add_test(c, series);
	tcase_add_loop_test(c, error_of_formula, 0, (int)(sizeof rows / sizeof *rows));
}
