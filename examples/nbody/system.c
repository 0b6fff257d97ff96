/* SPDX-License-Identifier: MIT */
/*
 * system.c - an array of bodies, and its files as a whole: the first bytes tell the format, and a
 * pipe gives them once.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nb.h"

int nb_system_new(struct nb_system *s, size_t n, struct fault *e)
{
	memset(s, 0, sizeof *s);
	s->softening = s->g = -1;
	if (n <= SIZE_MAX / (4 * sizeof *s->body)) {
		s->body = calloc(n ? n : 1, 4 * sizeof *s->body);
		s->velocity = calloc(n ? n : 1, 4 * sizeof *s->velocity);
	}
	if (!s->body || !s->velocity) {
		nb_system_free(s);
		return fail(e, "out of memory for %zu bodies", n);
	}
	s->n = n;
	return 0;
}

void nb_system_free(struct nb_system *s)
{
	free(s->body);
	free(s->velocity);
	memset(s, 0, sizeof *s);
}

const char *nb_system_put(struct nb_system *s, size_t i, const double v[7])
{
	int k;

	for (k = 0; k < 7; k++)
		if (!isfinite(v[k]))
			return "a number is not finite";
	if (v[6] < 0)
		return "the mass is negative";
	memcpy(s->body + 4 * i, v, 3 * sizeof *v);
	memcpy(s->velocity + 4 * i, v + 3, 3 * sizeof *v);
	s->body[4 * i + 3] = v[6];
	return NULL;
}

void nb_system_settle(struct nb_system *s, double softening, double g)
{
	if (softening >= 0)
		s->softening = softening;
	else if (s->softening < 0)
		s->softening = 0;
	if (g >= 0)
		s->g = g;
	else if (s->g < 0)
		s->g = 1;
}

void nb_system_centre(struct nb_system *s)
{
	double at[3] = { 0 }, speed[3] = { 0 }, mass = 0, m;
	size_t i;
	int k;

	for (i = 0; i < s->n; i++) {
		m = s->body[4 * i + 3];
		mass += m;
		for (k = 0; k < 3; k++) {
			at[k] += m * s->body[4 * i + (size_t)k];
			speed[k] += m * s->velocity[4 * i + (size_t)k];
		}
	}
	for (i = 0; i < s->n && mass > 0; i++)
		for (k = 0; k < 3; k++) {
			s->body[4 * i + (size_t)k] -= at[k] / mass;
			s->velocity[4 * i + (size_t)k] -= speed[k] / mass;
		}
}

int nb_read(struct nb_system *s, FILE *f, const char *name, struct fault *e)
{
	struct text t;
	int rc = text_read(&t, f, name, e);

	memset(s, 0, sizeof *s);
	if (rc == 0)
		rc = nb_tipsy_is(&t) ? nb_tipsy_parse(s, &t, e) : nb_table_parse(s, &t, e);
	if (rc)
		nb_system_free(s);
	text_free(&t);
	return rc;
}

int nb_write(const char *path, const struct nb_system *s, int format, struct fault *e)
{
	return outfile_print(path, format == NB_TIPSY ? nb_tipsy_print : nb_table_print, s, e);
}
