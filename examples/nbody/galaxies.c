/* SPDX-License-Identifier: MIT */
/*
 * galaxies.c - two disc galaxies on a parabola to each other.
 *
 * Each is an exponential disc in a Plummer halo of four times its mass.  Halo
 * bodies have the speeds of a Plummer sphere, made larger by the disc's pull.  Disc
 * bodies go round at the circular speed, with the random speeds that keep a disc
 * from clumping.  In both the disc's pull is that of its mass spread over spheres,
 * so a galaxy is near equilibrium, not in it: it settles within one turn.
 *
 * Sources: Toomre, Astrophys. J. 139, 1217 (1964), for the random speeds in the
 * plane; Toomre, Toomre, Astrophys. J. 178, 623 (1972), for the idea.
 */
#include <math.h>

#include "nb.h"

static const double pi = 3.14159265358979323846;

/* Of the larger galaxy.  The smaller has lengths by the root of its mass, so that
 * discs are equally bright. */
#define HALO_MASS 0.8
#define HALO_LENGTH 0.6
#define HALO_PART 0.95 /* of an endless halo, what is here: to 5.3 scale lengths */
#define DISC_MASS 0.2
#define DISC_LENGTH 0.25
#define DISC_EDGE 5.0 /* in scale lengths */
#define DISC_HEIGHT 0.1 /* likewise */
#define TOOMRE_Q 1.3

/* Their orbit, as if they were points. */
#define APART 4.0
#define NEAREST 0.4

struct galaxy {
	double mass, length; /* factors on the above */
	double tilt, node; /* of the disc: from the plane of the orbit, and about z */
};

/* Of the disc within r, spread over spheres. */
static double disc_within(double r)
{
	const double h = r / DISC_LENGTH;

	return DISC_MASS * (1 - exp(-h) * (1 + h));
}

/* The square of the circular speed at R in the plane. */
static double circular2(double R)
{
	const double a2 = R * R + HALO_LENGTH * HALO_LENGTH;

	return HALO_MASS / HALO_PART * R * R / (a2 * sqrt(a2)) + disc_within(R) / R;
}

/*
 * How much faster the disc's pull makes a halo body at r, by the equation of Jeans:
 * the square of its speed grows as rho s^2, the pressure, which is the integral over
 * rho M / r^2 from r outwards.  Without the disc s^2 is M / 6 sqrt(a^2 + r^2).  The
 * variable is t with a^2 + x^2 = (a^2 + r^2) / (1 - t)^2, in which rho is (1 - t)^5.
 */
static double faster(double r)
{
	const double q2 = HALO_LENGTH * HALO_LENGTH + r * r, own = HALO_MASS / HALO_PART / 6;
	const int steps = 32;
	double sum = 0, t, x;
	int i;

	for (i = 0; i < steps; i++) {
		t = (i + 0.5) / steps;
		x = sqrt(q2 / ((1 - t) * (1 - t)) - HALO_LENGTH * HALO_LENGTH);
		sum += disc_within(x) / (x * x * x) * (1 - t) * (1 - t) / steps;
	}
	return sqrt(1 + sum * q2 * sqrt(q2) / own);
}

static void halo_body(struct nb_random *r, double at[3], double v[3])
{
	double speed;
	int k;

	nb_plummer_body(r, HALO_PART, at, v);
	for (k = 0; k < 3; k++)
		at[k] *= HALO_LENGTH;
	speed = faster(sqrt(at[0] * at[0] + at[1] * at[1] + at[2] * at[2]));
	speed *= sqrt(HALO_MASS / HALO_PART / HALO_LENGTH);
	for (k = 0; k < 3; k++)
		v[k] *= speed;
}

/*
 * Random speeds by the local theory: along the radius Q times 3.36 S / kappa, where
 * S is the surface density and kappa the epicyclic frequency; round the centre
 * kappa / (2 Omega) of that; across the plane what holds up a sheet with the
 * density sech^2 (z / z0).
 */
static void disc_body(struct nb_random *r, double at[3], double v[3])
{
	const double z0 = DISC_HEIGHT * DISC_LENGTH;
	double R, angle, around, density, slope, kappa, radial, u;

	/* The sum of two exponential times has the density R exp(-R). */
	do
		R = -DISC_LENGTH * log(nb_uniform(r) * nb_uniform(r));
	while (R > DISC_EDGE * DISC_LENGTH);
	density = DISC_MASS / (2 * pi * DISC_LENGTH * DISC_LENGTH) * exp(-R / DISC_LENGTH);
	slope = (circular2(1.01 * R) - circular2(0.99 * R)) / (0.02 * R);
	kappa = sqrt(slope / R + 2 * circular2(R) / (R * R));
	radial = TOOMRE_Q * 3.36 * density / kappa;
	around = sqrt(circular2(R)) + radial * kappa * R / (2 * sqrt(circular2(R))) * nb_normal(r);
	radial *= nb_normal(r);

	angle = 2 * pi * nb_uniform(r);
	u = nb_uniform(r);
	at[0] = R * cos(angle);
	at[1] = R * sin(angle);
	at[2] = z0 * 0.5 * log(u / (1 - u));
	v[0] = radial * cos(angle) - around * sin(angle);
	v[1] = radial * sin(angle) + around * cos(angle);
	v[2] = sqrt(pi * density * z0) * nb_normal(r);
}

static void turn(const struct galaxy *g, double v[3])
{
	double y = v[1] * cos(g->tilt) - v[2] * sin(g->tilt), x = v[0];

	v[2] = v[1] * sin(g->tilt) + v[2] * cos(g->tilt);
	v[0] = x * cos(g->node) - y * sin(g->node);
	v[1] = x * sin(g->node) + y * cos(g->node);
}

/* Bodies from to end, round the place at and with the velocity v. */
static void galaxy(struct nb_system *s, size_t from, size_t end, const struct galaxy *g,
                   const double at[3], const double v[3], struct nb_random *r)
{
	const size_t disc = (end - from) / 2, halo = end - from - disc;
	const double speed = sqrt(g->mass / g->length);
	double *x, *u, share;
	size_t i;
	int k;

	for (i = from; i < end; i++) {
		x = s->body + 4 * i;
		u = s->velocity + 4 * i;
		if (i - from < halo)
			halo_body(r, x, u);
		else
			disc_body(r, x, u);
		turn(g, x);
		turn(g, u);
		for (k = 0; k < 3; k++) {
			x[k] = at[k] + g->length * x[k];
			u[k] = v[k] + speed * u[k];
		}
		share = i - from < halo ? HALO_MASS / (double)halo : DISC_MASS / (double)disc;
		x[3] = g->mass * share;
		s->kind[i] = i - from < halo ? NB_DARK : NB_STAR;
	}
}

int nb_galaxies(struct nb_system *s, size_t n, uint64_t seed, struct fault *e)
{
	static const struct galaxy large = { 1, 1, 0.5, 0.3 }, small = { 0.5, 0.7071, -1.0, 1.2 };
	const double mass = large.mass + small.mass, speed2 = 2 * mass / APART,
	             across = sqrt(2 * mass * NEAREST) / APART;
	const double at[3] = { APART, 0, 0 }, none[3] = { 0 };
	const double v[3] = { -sqrt(speed2 - across * across), across, 0 };
	struct nb_random r = { seed };

	if (nb_system_new(s, n, e) || nb_system_kinds(s, e)) {
		nb_system_free(s);
		return -1;
	}
	galaxy(s, 0, NB_FIRST(n), &large, none, none, &r);
	galaxy(s, NB_FIRST(n), n, &small, at, v, &r);
	nb_system_centre(s);
	return 0;
}
