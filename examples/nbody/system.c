/* SPDX-License-Identifier: MIT */
/*
 * system.c - an array of bodies, its units, and its files as a whole: the first bytes tell the
 * format, and a pipe gives them once.
 */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "nb.h"

/* The gravitational constant (CODATA 2018), the parsec (IAU 2015), and the sun's G M (IAU 2015)
 * over that constant; a year has 365.25 days. */
#define G_CGS 6.6743e-8
#define KPC 3.0856775814913673e21
#define AU 1.495978707e13
#define SUN (1.3271244e26 / G_CGS)
#define YEAR 3.15576e7
#define GYR (1e9 * YEAR)

const struct nb_units nb_units_gadget = { KPC, 1e10 * SUN, KPC / 1e5 };
const struct nb_units nb_units_galactic = { KPC, SUN, GYR };
/* clang-format off */
const struct nb_unit nb_lengths[] = { { 1e3 * KPC, "Mpc" }, { KPC, "kpc" }, { 1e-3 * KPC, "pc" }, { AU, "AU" },
	                              { 1e5, "km" }, { 1e2, "m" }, { 1, "cm" }, { 0, NULL } };
const struct nb_unit nb_masses[] = { { SUN, "Msun" }, { 1e3, "kg" }, { 1, "g" }, { 0, NULL } };
/* Pictures have the first name of a unit. */
const struct nb_unit nb_times[] = { { GYR, "Gyr" }, { 1e6 * YEAR, "Myr" }, { YEAR, "years" }, { YEAR, "year" },
	                            { YEAR, "yr" }, { 86400, "days" }, { 86400, "day" }, { 1, "s" }, { 0, NULL } };
/* clang-format on */

double nb_units_g(const struct nb_units *u)
{
	return G_CGS * u->mass * u->time * u->time / (u->length * u->length * u->length);
}

static int near(double a, double b)
{
	return fabs(a / b - 1) < 2e-3; /* programs have other values of a solar mass */
}

void nb_units_text(const struct nb_system *s, char *text, size_t room)
{
	const struct nb_units *u = &s->units;
	static const struct nb_units solar = { AU, SUN, YEAR };
	static const struct nb_units swift = { 1e3 * KPC, 1e10 * SUN, 1e3 * KPC / 1e5 };
	static const struct {
		const struct nb_units *units;
		const char *name;
	} known[] = { { &nb_units_gadget, "kpc, 1e10 solar masses, km/s, 0.978 Gyr" },
		      { &swift, "Mpc, 1e10 solar masses, km/s, 978 Gyr" },
		      { &nb_units_galactic, "kpc, solar masses, Gyr" },
		      { &solar, "astronomical units, solar masses, years" } };
	size_t i;

	if (u->length == 0)
		snprintf(text, room, s->g == 1 ? "nbody" : "not known");
	else
		snprintf(text, room, "%.6g cm, %.6g g, %.6g s", u->length, u->mass, u->time);
	for (i = 0; i < sizeof known / sizeof *known; i++)
		if (near(u->length, known[i].units->length) &&
		    near(u->mass, known[i].units->mass) && near(u->time, known[i].units->time))
			snprintf(text, room, "%s", known[i].name);
}

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

int nb_system_kinds(struct nb_system *s, struct fault *e)
{
	size_t i;

	s->kind = malloc(s->n);
	s->id = malloc(s->n * sizeof *s->id);
	s->traits = calloc(s->n, 3 * sizeof *s->traits);
	if (!s->kind || !s->id || !s->traits)
		return fail(e, "out of memory for the kinds of %zu bodies", s->n);
	for (i = 0; i < s->n; i++) {
		s->kind[i] = NB_DARK;
		s->id[i] = i + 1;
	}
	return 0;
}

int nb_system_rates(struct nb_system *s, struct fault *e)
{
	if (!s->rates)
		s->rates = calloc(s->n ? s->n : 1, 8 * sizeof *s->rates);
	return s->rates ? 0 : fail(e, "out of memory for the rates of %zu bodies", s->n);
}

int nb_system_kind(const struct nb_system *s, size_t i)
{
	return s->kind ? s->kind[i] : NB_DARK;
}

void nb_system_free(struct nb_system *s)
{
	free(s->body);
	free(s->velocity);
	free(s->rates);
	free(s->kind);
	free(s->id);
	free(s->traits);
	memset(s, 0, sizeof *s);
}

void nb_system_note(struct nb_system *s, const char *format, ...)
{
	const size_t at = strlen(s->notes), room = sizeof s->notes - at;
	va_list ap;
	char *end;
	int n;

	va_start(ap, format);
	n = vsnprintf(s->notes + at, room, format, ap);
	va_end(ap);
	/* A name may have a line's end, and a note is one line. */
	while ((end = strchr(s->notes + at, '\n')) != NULL)
		*end = '?';
	if (n < 0 || (size_t)n + 2 > room)
		s->notes[at] = 0;
	else
		strcat(s->notes, "\n");
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
	if (g >= 0) {
		s->g = g;
	} else if (s->g < 0) {
		s->g = 1;
		s->assumed = 2;
	}
}

void nb_system_scale(struct nb_system *s, double length, double velocity, double mass, double time)
{
	size_t i;
	int k;

	for (i = 0; i < s->n; i++) {
		for (k = 0; k < 3; k++) {
			s->body[4 * i + (size_t)k] *= length;
			s->velocity[4 * i + (size_t)k] *= velocity;
		}
		s->body[4 * i + 3] *= mass;
	}
	s->time *= time;
	if (s->softening > 0)
		s->softening *= length;
}

void nb_system_convert(struct nb_system *s, const struct nb_units *to)
{
	const double length = s->units.length / to->length, time = s->units.time / to->time;

	nb_system_scale(s, length, length / time, s->units.mass / to->mass, time);
	s->units = *to;
	s->g = nb_units_g(to);
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
	struct stat about;
	/* Else a stream, which is beside nothing. */
	const int named = !f && strncmp(name, "/dev/", 5) != 0 && stat(name, &about) == 0 &&
	                  S_ISREG(about.st_mode);
	int rc = text_read(&t, f, name, e);

	memset(s, 0, sizeof *s);
	if (rc == 0)
		rc = nb_snapshot_is(&t) ? nb_snapshot_parse(s, &t, named, e) :
		                          nb_table_parse(s, &t, e);
	if (rc)
		nb_system_free(s);
	text_free(&t);
	return rc;
}

int nb_write(const char *path, const struct nb_system *s, int format, struct fault *e)
{
	static int (*const print[])(FILE *, const void *, struct fault *) = { nb_table_print,
		                                                              nb_tipsy_print,
		                                                              nb_hdf5_print };

	return outfile_print(path, print[format], s, e);
}
