/* SPDX-License-Identifier: MIT */
/*
 * model.c - initial conditions: the list of them, and all but the galaxies.
 */
#include <math.h>
#include <string.h>

#include "nb.h"

/* The part of a Plummer sphere's mass within 39 scale lengths. */
static const double inner = 0.999;
static const double pi = 3.14159265358979323846;

/* In N-body units: mass 1, energy -1/4 and, being in equilibrium, kinetic energy
 * 1/4; all that as the mean of many seeds. */
static int plummer(struct nb_system *s, size_t n, uint64_t seed, struct fault *e)
{
	const double length = 3 * pi / 16, speed = sqrt(1 / length);
	struct nb_random r = { seed };
	double *x, *v;
	size_t i;
	int k;

	if (nb_system_new(s, n, e))
		return -1;
	for (i = 0; i < n; i++) {
		x = s->body + 4 * i;
		v = s->velocity + 4 * i;
		nb_plummer_body(&r, inner, x, v);
		for (k = 0; k < 3; k++) {
			x[k] *= length;
			v[k] *= speed;
		}
		x[3] = 1 / (double)n;
	}
	nb_system_centre(s);
	return 0;
}

/*
 * The same, but each tenth body is two of half its mass, on an ellipse round their centre: of an
 * axis of 0.005 to 0.02, evenly in its logarithm, and of any eccentricity up to 0.9, evenly in its
 * square; they begin farthest apart.
 */
static int binaries(struct nb_system *s, size_t n, uint64_t seed, struct fault *e)
{
	const size_t pairs = n / 11; /* of n - pairs systems a tenth */
	struct nb_random r = { seed + 1 };
	struct nb_system centres;
	double axis, ecc, gap = 0, speed = 0, along[3], across[3], other[3], dot;
	size_t i, k;
	double *x, *v;

	if (plummer(&centres, n - pairs, seed, e))
		return -1;
	if (nb_system_new(s, n, e)) {
		nb_system_free(&centres);
		return -1;
	}
	for (i = 0; i < n; i++) {
		const size_t of = i < 2 * pairs ? i / 2 : i - pairs;

		x = s->body + 4 * i;
		v = s->velocity + 4 * i;
		memcpy(x, centres.body + 4 * of, 4 * sizeof *x);
		memcpy(v, centres.velocity + 4 * of, 3 * sizeof *v);
		if (i >= 2 * pairs)
			continue;
		x[3] /= 2;
		if (i % 2 == 0) {
			axis = 0.005 * pow(4, nb_uniform(&r));
			ecc = 0.9 * sqrt(nb_uniform(&r));
			gap = axis * (1 + ecc);
			speed = sqrt(2 * x[3] / axis * (1 - ecc) / (1 + ecc));
			nb_direction(&r, 1, along);
			nb_direction(&r, 1, other);
			for (dot = 0, k = 0; k < 3; k++)
				dot += along[k] * other[k];
			for (k = 0; k < 3; k++)
				across[k] = (other[k] - dot * along[k]) / sqrt(1 - dot * dot);
		}
		for (k = 0; k < 3; k++) {
			x[k] += (i % 2 ? -0.5 : 0.5) * gap * along[k];
			v[k] += (i % 2 ? -0.5 : 0.5) * speed * across[k];
		}
	}
	nb_system_free(&centres);
	return 0;
}

static int given(struct nb_system *s, const double (*body)[7], size_t n, struct fault *e)
{
	size_t i;

	if (nb_system_new(s, n, e))
		return -1;
	for (i = 0; i < n; i++)
		nb_system_put(s, i, body[i]);
	return 0;
}

/*
 * Three bodies of mass 1 that follow one another round an eight, in 6.32591398.
 *
 * Source: Chenciner, Montgomery, Ann. Math. 152, 881 (2000).
 */
static int figure_eight(struct nb_system *s, size_t n, uint64_t seed, struct fault *e)
{
	static const double body[3][7] = {
		{ 0.97000436, -0.24308753, 0, 0.93240737 / 2, 0.86473146 / 2, 0, 1 },
		{ -0.97000436, 0.24308753, 0, 0.93240737 / 2, 0.86473146 / 2, 0, 1 },
		{ 0, 0, 0, -0.93240737, -0.86473146, 0, 1 },
	};

	(void)seed;
	return given(s, body, n, e);
}

/* Two halves of mass 1 on an ellipse of axis 1 and eccentricity 1/2, furthest apart, with half of
 * sqrt(1/3) as speeds; round in 2 pi. */
static int two(struct nb_system *s, size_t n, uint64_t seed, struct fault *e)
{
	static const double body[2][7] = {
		{ 0.75, 0, 0, 0, 0.28867513459481288, 0, 0.5 },
		{ -0.75, 0, 0, 0, -0.28867513459481288, 0, 0.5 },
	};

	(void)seed;
	return given(s, body, n, e);
}

/* clang-format off */
static const struct nb_model models[] = {
	/* name           make          bodies fixed  dt         steps  softening */
	{ "plummer",      plummer,      4096,  0,     1.0 / 128, 256,   0.5 },
	{ "binaries",     binaries,      1100,  0,     1.0 / 64,  64,    0 },
	{ "galaxies",     nb_galaxies,  8192,  0,     1.0 / 64,  512,   0.6 },
	{ "figure-eight", figure_eight, 3,     1,     0.005,     1265,  0 },
	{ "two",          two,          2,     1,     0.01,      628,   0 },
};
/* clang-format on */

const struct nb_model *nb_model_at(size_t i)
{
	return i < sizeof models / sizeof *models ? &models[i] : NULL;
}

const struct nb_model *nb_model(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof models / sizeof *models; i++)
		if (strcmp(models[i].name, name) == 0)
			return &models[i];
	return NULL;
}
