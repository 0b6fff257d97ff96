/* SPDX-License-Identifier: MIT */
/*
 * physics_scene.c - charges in a ball, and points on it.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "physics.h"

const struct setting settings[SETTINGS] = {
	{ "coulomb", CLOPT_LAW_COULOMB, CLOPT_LAW_COULOMB, 0, 0, 0 },
	{ "distance4", CLOPT_LAW_DISTANCE4, CLOPT_LAW_DISTANCE4, 0, 0, 0 },
	{ "debye", CLOPT_LAW_DEBYE, CLOPT_LAW_DEBYE, 0, 0.1, 0 },
	{ "alpb", CLOPT_LAW_COULOMB, CLOPT_LAW_ALPB, 1.5, 0, 0 },
	{ "alpb-salt", CLOPT_LAW_ALPB_SALT, CLOPT_LAW_ALPB, 0.5, 0.1, 0 },
	{ "alpb-far", CLOPT_LAW_ALPB_FAR, CLOPT_LAW_ALPB, 4, 0.1, 0 },
	{ "alpb-inside", CLOPT_LAW_ALPB_INSIDE, CLOPT_LAW_ALPB, -1, 0, 1 },
	{ "alpb-inside-salt", CLOPT_LAW_ALPB_INSIDE_SALT, CLOPT_LAW_ALPB, -1, 0.1, 0 },
};

static uint32_t state = 1;

double scene_number(void)
{
	state = state * 1664525u + 1013904223u;
	return (double)(state >> 8) / (double)(1 << 24);
}

static float *array(size_t n)
{
	float *x = calloc(n + 1, sizeof *x);

	ck_assert_ptr_nonnull(x);
	return x;
}

/* A random direction; returns the length drawn, 0 to 1. */
static double direction(double *x)
{
	double length;
	int k;

	do {
		for (k = 0, length = 0; k < 3; k++) {
			x[k] = 2 * scene_number() - 1;
			length += x[k] * x[k];
		}
	} while (length > 1 || length < 1e-4);
	length = sqrt(length);
	for (k = 0; k < 3; k++)
		x[k] /= length;
	return length;
}

void scene_open(struct scene *s, size_t n, size_t m)
{
	static const struct clopt_potential_options defaults = CLOPT_POTENTIAL_OPTIONS_INIT;
	double x[3], depth;
	size_t i, k;

	memset(s, 0, sizeof *s);
	s->n = n;
	s->m = m;
	s->sources = array(4 * n);
	s->depths = array(n);
	s->targets = array(4 * m);
	s->normals = array(4 * m);
	s->out = array(4 * m);
	for (i = 0; i < n; i++) {
		depth = SCENE_RADIUS - (SCENE_RADIUS - 2) * direction(x);
		for (k = 0; k < 3; k++)
			s->sources[4 * i + k] = (float)((SCENE_RADIUS - depth) * x[k]);
		s->sources[4 * i + 3] = (float)(2 * scene_number() - 0.9);
		s->depths[i] = (float)depth;
		s->charge += (double)s->sources[4 * i + 3];
	}
	for (i = 0; i < m; i++) {
		direction(x);
		for (k = 0; k < 3 && i < 6; k++)
			x[k] = k != i / 2 ? 0 : i % 2 ? -1 : 1;
		for (k = 0; k < 3; k++) {
			s->normals[4 * i + k] = (float)x[k];
			s->targets[4 * i + k] = (float)(SCENE_RADIUS * x[k]);
		}
		s->targets[4 * i + 3] = NAN; /* not to be read */
	}
	s->o = defaults;
	s->o.eps_in = 1;
	s->o.eps_out = 80;
	s->o.ion_radius = 2;
	s->o.alpha = 0.571412;
	s->o.scale = KCAL;
	s->o.law = CLOPT_LAW_ALPB;
	s->o.radius = SCENE_RADIUS;
	s->o.normals = s->normals;
}

void scene_close(struct scene *s)
{
	free(s->sources);
	free(s->depths);
	free(s->targets);
	free(s->normals);
	free(s->out);
}

void scene_set(struct scene *s, const struct setting *setting)
{
	s->o.law = setting->mode;
	s->o.projection = setting->projection;
	s->o.kappa = setting->kappa;
	s->o.depths = setting->depths ? s->depths : NULL;
}

void scene_check(struct clopt *ctx, struct scene *s, const char *what)
{
	size_t i, k, width = 0;
	double want[4], tolerance[4], got;
	struct reference r;
	int rc;

	for (i = 0; i < 4 * s->m; i++)
		s->out[i] = NAN;
	rc = clopt_potential(ctx, s->n, s->sources, s->m, s->targets, s->out, &s->o);
	ck_assert_msg(rc == CLOPT_OK, "%s: %s", what, clopt_error(ctx));
	for (i = 0; i < s->m; i++) {
		reference_potential(&s->o, s->n, s->sources, s->targets + 4 * i,
		                    s->o.normals ? s->normals + 4 * i : NULL, &r);
		width = reference_outputs(&r, s->o.outputs, s->o.precision, s->n, want, tolerance);
		for (k = 0; k < width; k++) {
			got = (double)s->out[i * width + k];
			ck_assert_msg(
			        fabs(got - want[k]) <= tolerance[k],
			        "%s, %zu sources, target %zu of %zu, number %zu: %.9g instead of "
			        "%.9g +- %.1e",
			        what, s->n, i, s->m, k, got, want[k], tolerance[k]);
		}
	}
}
