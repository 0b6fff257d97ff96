/* SPDX-License-Identifier: MIT */
/*
 * models.c - the models of the program nbody, and how it moves them.
 */
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nbody/nb.h"
#include "suites.h"

static struct fault error;

static struct nb_system made(const char *model, size_t n, uint64_t seed)
{
	struct nb_system s;

	ck_assert_msg(nb_model(model)->make(&s, n, seed, &error) == 0, "%s", error.text);
	ck_assert_int_eq(s.n, n);
	return s;
}

/* Of a range of bodies: mass, mean position, mean velocity, energies about those. */
struct part {
	double mass, at[3], speed[3], kinetic, potential;
};

static double apart(const double *a, const double *b)
{
	const double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];

	return sqrt(x * x + y * y + z * z);
}

static struct part part(const struct nb_system *s, size_t from, size_t end)
{
	struct part p = { 0 };
	const double *x, *v;
	size_t i, j;
	int k;

	for (i = from; i < end; i++)
		p.mass += s->body[4 * i + 3];
	for (i = from; i < end; i++)
		for (k = 0; k < 3; k++) {
			p.at[k] += s->body[4 * i + 3] * s->body[4 * i + (size_t)k] / p.mass;
			p.speed[k] += s->body[4 * i + 3] * s->velocity[4 * i + (size_t)k] / p.mass;
		}
	for (i = from; i < end; i++) {
		x = s->body + 4 * i;
		v = s->velocity + 4 * i;
		p.kinetic += x[3] * pow(apart(v, p.speed), 2) / 2;
		for (j = from; j < i; j++)
			p.potential -= x[3] * s->body[4 * j + 3] / apart(x, s->body + 4 * j);
	}
	return p;
}

static void expect_centred(const struct part *p)
{
	static const double none[3] = { 0, 0, 0 };

	ck_assert_msg(apart(p->at, none) < 1e-12, "the centre is off by %g", apart(p->at, none));
	ck_assert_msg(apart(p->speed, none) < 1e-12, "it moves by %g", apart(p->speed, none));
}

static int by_size(const void *a, const void *b)
{
	double p = *(const double *)a, q = *(const double *)b;

	return (p > q) - (p < q);
}

/* Mass 1, energy -1/4 in equilibrium, and half the mass within 1.305 scale lengths of 3 pi / 16,
 * which a sample of 8 x 1500 bodies shows to a few percent. */
START_TEST(plummer)
{
	static const double none[3] = { 0, 0, 0 };
	double kinetic = 0, potential = 0, half = 0, r[1500];
	struct nb_system s;
	struct part p;
	uint64_t seed;
	size_t i;

	for (seed = 1; seed <= 8; seed++) {
		s = made("plummer", 1500, seed);
		p = part(&s, 0, s.n);
		ck_assert(fabs(p.mass - 1) < 1e-12);
		expect_centred(&p);
		kinetic += p.kinetic / 8;
		potential += p.potential / 8;
		for (i = 0; i < s.n; i++)
			r[i] = apart(s.body + 4 * i, none);
		qsort(r, s.n, sizeof *r, by_size);
		half += r[s.n / 2] / 8;
		nb_system_free(&s);
	}
	ck_assert_msg(fabs(kinetic / -potential - 0.5) < 0.015, "T/|W| is %g",
	              kinetic / -potential);
	ck_assert_msg(fabs(kinetic + potential + 0.25) < 0.01, "E is %g", kinetic + potential);
	ck_assert_msg(fabs(half / 0.7686 - 1) < 0.03, "the half-mass radius is %g", half);
}
END_TEST

/* The attraction towards the galaxy's centre on its disc, as a share of the centripetal force of
 * its rotation. */
static double attraction(const struct nb_system *s, size_t from, size_t end, const struct part *p)
{
	double need = 0, have = 0, turn[3], x[3], v[3], a[3], d, r2;
	size_t i, j;
	int k;

	for (i = from + (end - from + 1) / 2; i < end; i++) {
		memset(a, 0, sizeof a);
		for (k = 0; k < 3; k++) {
			x[k] = s->body[4 * i + (size_t)k] - p->at[k];
			v[k] = s->velocity[4 * i + (size_t)k] - p->speed[k];
		}
		for (j = from; j < end; j++) {
			d = pow(pow(apart(s->body + 4 * i, s->body + 4 * j), 2) + 1e-3, 1.5);
			for (k = 0; k < 3; k++)
				a[k] -= s->body[4 * j + 3] *
				        (s->body[4 * i + (size_t)k] - s->body[4 * j + (size_t)k]) /
				        d;
		}
		for (k = 0; k < 3; k++)
			turn[k] = x[(k + 1) % 3] * v[(k + 2) % 3] - x[(k + 2) % 3] * v[(k + 1) % 3];
		r2 = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
		need += (turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2]) / r2;
		have -= a[0] * x[0] + a[1] * x[1] + a[2] * x[2];
	}
	return have / need;
}

/* The system is centred; each galaxy is near equilibrium, its disc in rotation; and the two, as
 * points, are on a parabola. */
START_TEST(galaxies)
{
	const size_t n = 3000;
	struct nb_system s = made("galaxies", n, 7);
	const struct part all = part(&s, 0, n), one = part(&s, 0, NB_FIRST(n)),
	                  two = part(&s, NB_FIRST(n), n);
	const double v2 = pow(apart(one.speed, two.speed), 2), d = apart(one.at, two.at);
	double q;
	int i;

	ck_assert(fabs(all.mass - 1.5) < 1e-12 && fabs(one.mass - 1) < 1e-12);
	expect_centred(&all);
	for (i = 0; i < 2; i++) {
		const struct part *p = i ? &two : &one;

		q = p->kinetic / -p->potential;
		ck_assert_msg(fabs(q - 0.5) < 0.05, "T/|W| of galaxy %d is %g", i, q);
		q = i ? attraction(&s, NB_FIRST(n), n, p) : attraction(&s, 0, NB_FIRST(n), p);
		ck_assert_msg(fabs(q - 1) < 0.1, "disc %d is pulled %g times what it takes", i, q);
	}
	/* The mean of a halo's bodies scatters round its middle. */
	ck_assert_msg(fabs(v2 / 2 / (1.5 / d) - 1) < 0.15, "%g of the speed of escape",
	              sqrt(v2 * d / 3));
	nb_system_free(&s);
}
END_TEST

/* Energies and angular momenta have the known values; a seed gives the same bodies again. */
START_TEST(small_models)
{
	struct nb_system s = made("figure-eight", 3, 1), t;
	struct part p = part(&s, 0, 3);
	double spin = 0;
	size_t i;

	expect_centred(&p);
	ck_assert(fabs(p.kinetic + p.potential + 1.287142) < 1e-5);
	for (i = 0; i < 3; i++)
		spin += s.body[4 * i] * s.velocity[4 * i + 1] -
		        s.body[4 * i + 1] * s.velocity[4 * i];
	ck_assert(fabs(spin) < 1e-7);
	nb_system_free(&s);

	s = made("two", 2, 1);
	p = part(&s, 0, 2);
	expect_centred(&p);
	ck_assert(fabs(p.kinetic + p.potential + 0.125) < 1e-12); /* - m1 m2 / 2 a */
	nb_system_free(&s);

	s = made("plummer", 50, 3);
	t = made("plummer", 50, 3);
	ck_assert(memcmp(s.body, t.body, 50 * 4 * sizeof *s.body) == 0);
	nb_system_free(&t);
	t = made("plummer", 50, 4);
	ck_assert(memcmp(s.body, t.body, 50 * 4 * sizeof *s.body) != 0);
	nb_system_free(&t);
	nb_system_free(&s);

	for (i = 0; nb_model_at(i); i++) { /* one body has no distance to divide by */
		s = made(nb_model_at(i)->name, nb_model_at(i)->fixed ? nb_model_at(i)->n : 1, 1);
		ck_assert(isfinite(s.body[0]) && isfinite(s.velocity[0]));
		nb_system_free(&s);
	}
	ck_assert_ptr_null(nb_model("sombrero"));
}
END_TEST

/* Moves the bodies as the program does after its command line. */
static void moved(struct nb_system *s, struct nb_result *r, int argc, char **argv)
{
	struct nb_report silent = { 0 };
	struct nb_settings o;

	optind = 1;
	ck_assert_int_eq(nb_settings_read(&o, argc, argv), -1);
	*s = made(o.model->name, o.n, o.seed);
	ck_assert_int_eq(nb_settings_finish(&o, s, &error), 0);
	nb_system_settle(s, o.softening, o.g);
	ck_assert_msg(nb_run(r, &o, s, &silent, &error) == 0, "%s", error.text);
}

/* Once round the eight and back to the start; the fourth order shows in the conserved sums. */
START_TEST(motion)
{
	char *eight[] = { "nbody", "--model",      "figure-eight",  "--steps",
		          "1000",  "--dt",         "0.00632591398", "--every",
		          "300",   "--integrator", "hermite" };
	char *sphere[] = { "nbody", "--n", "200", "--steps", "40", "--precision", "float" };
	struct nb_system s, start = made("figure-eight", 3, 1);
	struct nb_result r;
	size_t i;

	moved(&s, &r, sizeof eight / sizeof *eight, eight);
	ck_assert(r.rows == 5 && r.first.step == 0 && r.last.step == 1000);
	ck_assert(fabs(s.time - 6.32591398) < 1e-9 && r.last.time == s.time);
	for (i = 0; i < 3; i++)
		ck_assert_msg(apart(s.body + 4 * i, start.body + 4 * i) < 1e-5, "body %zu is off",
		              i);
	ck_assert_msg(r.worst_energy < 1e-8, "the energy drifts by %g", r.worst_energy);
	/* Every pair conserves momentum; angular momentum is conserved as well as the orbit. */
	ck_assert(r.last.momentum_drift < 1e-12 && r.last.angular_drift < 1e-8);
	nb_system_free(&s);
	nb_system_free(&start);

	moved(&s, &r, sizeof sphere / sizeof *sphere, sphere);
	ck_assert(r.rows == 11 && r.interactions == 40 * 200 * 200.0);
	ck_assert_msg(r.worst_energy < 1e-4, "the energy drifts by %g", r.worst_energy);
	ck_assert(r.last.momentum_drift < 1e-6 && r.last.angular_drift < 1e-6);
	nb_system_free(&s);
}
END_TEST

/* Bodies that begin at rest: momenta are compared with those of the first row with motion. */
START_TEST(rest)
{
	struct nb_settings o = { .dt = 0.01, .steps = 2, .every = 1, .device = CLOPT_OPTIONS_INIT };
	struct nb_system s = made("plummer", 200, 1);
	struct nb_report silent = { 0 };
	struct nb_result r;
	size_t i;

	for (i = 0; i < 800; i++) {
		s.velocity[i] = 0;
		s.body[i] *= i % 4 == 3 ? 1e12 : 1;
	}
	nb_system_settle(&s, 0.1, 1e-12);
	o.precision = CLOPT_PRECISION_FLOAT;
	ck_assert_msg(nb_run(&r, &o, &s, &silent, &error) == 0, "%s", error.text);
	ck_assert(r.first.sums.kinetic == 0 && r.last.sums.kinetic > 0);
	ck_assert_msg(r.last.momentum_drift < 1e-5 && r.last.angular_drift < 1e-5, "%g %g",
	              r.last.momentum_drift, r.last.angular_drift);
	nb_system_free(&s);
}
END_TEST

/* Stars in kilograms and metres: refused in float, with advice, and moved in double. */
START_TEST(units)
{
	struct nb_settings o = { .dt = 1e10, .steps = 2, .every = 1, .device = CLOPT_OPTIONS_INIT };
	struct nb_system s = made("two", 2, 1);
	struct nb_report silent = { 0 };
	struct nb_result r;
	size_t i;

	for (i = 0; i < 8; i++)
		s.body[i] *= i % 4 == 3 ? 2e41 : 1e20;
	nb_system_settle(&s, -1, 6.6743e-11);
	o.precision = CLOPT_PRECISION_DOUBLE_SINGLE;
	ck_assert_int_eq(nb_run(&r, &o, &s, &silent, &error), -1);
	ck_assert_msg(strstr(error.text, "bodies[0], a coordinate, is 7.5e+19") &&
	                      strstr(error.text, "larger or smaller units, and --g in these") &&
	                      strstr(error.text, "--precision double"),
	              "%s", error.text);
	o.precision = CLOPT_PRECISION_DOUBLE;
	ck_assert_msg(nb_run(&r, &o, &s, &silent, &error) == 0, "%s", error.text);
	ck_assert(r.last.sums.mass == 2e41 && r.worst_energy < 1e-3);
	nb_system_free(&s);
}
END_TEST

/* The text says to which quantity a drift is relative, and when the motion is meaningless. */
START_TEST(drifts)
{
	struct nb_result r = { .worst_energy = 0.09 };
	struct nb_report report = { .f = tmpfile() };
	const struct nb_row row = { .step = 3 };
	struct nb_system s = { 0 };
	char text[400];

	nb_drift_warning(&r, &s);
	ck_assert_str_eq(s.notes, "");
	r.worst_energy = 7;
	nb_drift_warning(&r, &s);
	ck_assert_ptr_nonnull(strstr(s.notes, "by 7 times"));
	r.worst_energy = (double)NAN;
	nb_drift_warning(&r, &s);
	ck_assert_ptr_nonnull(strstr(s.notes, "by nan times"));
	ck_assert_ptr_nonnull(report.f);
	ck_assert_int_eq(nb_report_row(&report, &row, &error), 0);
	rewind(report.f);
	ck_assert_ptr_nonnull(fgets(text, sizeof text, report.f));
	ck_assert_ptr_nonnull(strstr(text, "since step 3, divided by its |energy|"));
	fclose(report.f);
}
END_TEST

/* Floats far from the origin are too coarse for a small softening; --tolerance says how coarse. */
START_TEST(coarse)
{
	struct nb_settings o = { .precision = CLOPT_PRECISION_FLOAT };
	struct nb_system s;

	ck_assert_int_eq(nb_model("plummer")->make(&s, 100, 1, &error), 0);
	s.softening = 0.1;
	nb_warnings(&o, &s);
	s.body[0] += 0x1p16; /* rounded to 2^-8 */
	o.tolerance = 0.1;
	nb_warnings(&o, &s);
	o.tolerance = 0;
	o.precision = CLOPT_PRECISION_BEST;
	nb_warnings(&o, &s);
	ck_assert_str_eq(s.notes, "");
	o.precision = CLOPT_PRECISION_FLOAT;
	nb_warnings(&o, &s);
	ck_assert_msg(strstr(s.notes, "0.0039") && strstr(s.notes, "about 0.04"), "%s", s.notes);
	nb_system_free(&s);
}
END_TEST

SUITE(nbody_models, long)
{
	tcase_add_test(c, plummer);
	tcase_add_test(c, galaxies);
	tcase_add_test(c, small_models);
	tcase_add_test(c, motion);
	tcase_add_test(c, rest);
	tcase_add_test(c, units);
	tcase_add_test(c, drifts);
	tcase_add_test(c, coarse);
}
