/* SPDX-License-Identifier: MIT */
/*
 * table.c - bodies as text: x y z vx vy vz m, one body to a line, with blanks or
 * commas between.  # starts a comment, and an empty line is one.  Before the first
 * body "# time 1.5", "# softening 0.01", "# g 1" and "# units 1 AU 1 Msun 1 year", as they
 * are written here, give the time and the law of motion, so that a run goes on as it began.
 *
 * Checkpoints are tables, too.  "# run ..." has the settings, the number of bodies, and how many
 * files were written, "# view ..." what pictures show.  Behind the mass may stand the rates ax ay
 * az, the step of a body, and jx jy jz, and behind these the kind of a body, its ID and its three
 * traits, as nb.h has them.
 */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nb.h"

enum {
	BODY = 7, /* numbers */
	RATES = 7,
	KIND = 5,
	MOST = BODY + RATES + KIND
};

struct fields {
	double v[MOST];
	const char *at[MOST]; /* their text */
};

static const char between[] = " \t\r\v\f,";

/* Returns how many numbers the line has, or -1. */
static int numbers(struct text *t, struct fields *x, struct fault *e)
{
	const char *s = t->buf;
	int count = 0;
	size_t n;

	t->buf[strcspn(t->buf, "#")] = 0;
	for (s += strspn(s, between); *s; s += n, s += strspn(s, between)) {
		n = strcspn(s, between);
		if (count == MOST)
			return text_refuse(t, e,
			                   "too many numbers: a body has seven, x y z vx vy vz m, "
			                   "seven more with rates and five more with a kind");
		x->at[count] = s;
		if (!text_number(s, n, &x->v[count++]))
			return text_refuse(t, e, "field %d must be a finite number", count);
	}
	return count;
}

/* A body's kind, its ID, which may have more digits than a double, and its traits. */
static int kind(struct nb_system *s, size_t i, const struct text *t, const double *v,
                const char *id, struct fault *e)
{
	const size_t minus = *id == '-', digits = strspn(id + minus, "0123456789");
	int k;

	if (!s->kind && nb_system_kinds(s, e))
		return -1;
	if (!(v[0] >= 0 && v[0] < NB_TYPES && v[0] == floor(v[0])))
		return text_refuse(t, e, "a kind must be a whole number from 0 to 6");
	if (digits == 0 || !strchr(between, id[minus + digits]))
		return text_refuse(t, e, "an ID must be a whole number");
	s->kind[i] = (unsigned char)v[0];
	s->id[i] = strtoull(id, NULL, 10); /* a minus makes two's complement of it */
	if (minus)
		s->sign = -1;
	for (k = 0; k < 3; k++)
		s->traits[3 * i + (size_t)k] = (float)v[2 + k];
	return 0;
}

static int body(struct nb_system *s, size_t *count, struct text *t, struct fault *e)
{
	struct fields x;
	const double *v = x.v;
	const char *wrong;
	const int n = numbers(t, &x, e);
	const int rated = n >= BODY + RATES, kinded = n == BODY + KIND || n == MOST;
	const size_t i = *count;

	if (n <= 0)
		return n;
	if (n < BODY)
		return text_refuse(t, e, "too few numbers: a body has seven, x y z vx vy vz m");
	if (n != BODY && n != BODY + RATES && !kinded)
		return text_refuse(t, e,
		                   "too many numbers: a body has seven, x y z vx vy vz m, seven "
		                   "more with rates and five more with a kind");
	if (i && (rated != (s->rates != NULL) || kinded != (s->kind != NULL)))
		return text_refuse(
		        t, e,
		        "only some of the bodies have rates or kinds: all or none must have them");
	if (kinded && kind(s, i, t, v + n - KIND, x.at[n - KIND + 1], e))
		return -1;
	if (rated) {
		/* All jerks stand behind all accelerations: moved there when their number is
		 * known. */
		if (nb_system_rates(s, e))
			return -1;
		memcpy(s->rates + 8 * i, v + BODY, 4 * sizeof *v);
		memcpy(s->rates + 8 * i + 4, v + BODY + 4, 3 * sizeof *v);
	}
	wrong = nb_system_put(s, (*count)++, v);
	return wrong ? text_refuse(t, e, "%s", wrong) : 0;
}

/* "# NAME NUMBER" and nothing else in the line. */
static int mark(const struct text *t, const char *name, double *value)
{
	const size_t n = strlen(name);

	return strncmp(t->buf, "# ", 2) == 0 && strncmp(t->buf + 2, name, n) == 0 &&
	       t->buf[n + 2] == ' ' && text_number(t->buf + n + 3, t->len - n - 3, value);
}

/* The unit's size times its number; 0: no unit of the list. */
static double named(const struct nb_unit *list, double number, const char *name)
{
	for (; list->name; list++)
		if (strcmp(list->name, name) == 0)
			return number * list->size;
	return 0;
}

static int unit_mark(struct nb_system *s, const struct text *t, struct fault *e)
{
	const char *word = t->buf + (*t->buf == '#') + strspn(t->buf + (*t->buf == '#'), " \t");
	struct nb_units u = { 0, 0, 0 };
	double number[3];
	char name[3][8];
	int end = 0;

	if (*t->buf != '#' || strncmp(word, "units", 5) || isalnum((unsigned char)word[5]))
		return 0;
	sscanf(t->buf, "# units nbody%n", &end);
	if (end && !t->buf[end + (int)strspn(t->buf + end, " \t\r\n")] &&
	    !(s->g >= 0 && s->g != 1)) {
		s->g = 1;
		return 0;
	}
	end = 0;
	sscanf(t->buf, "# units %lf %7s %lf %7s %lf %7s%n", &number[0], name[0], &number[1],
	       name[1], &number[2], name[2], &end);
	if (end) {
		u.length = named(nb_lengths, number[0], name[0]);
		u.mass = named(nb_masses, number[1], name[1]);
		u.time = named(nb_times, number[2], name[2]);
	}
	if (!end || t->buf[end + (int)strspn(t->buf + end, " \t\r\n")] || !(u.length > 0) ||
	    !(u.mass > 0) || !(u.time > 0) || !isfinite(nb_units_g(&u)))
		return text_refuse(t, e,
		                   "units must be nbody, where g is 1, or a length, a mass and a "
		                   "time, as in \"# units 1 AU 1 Msun 1 year\"; names are cm, m, "
		                   "km, AU, pc, kpc, Mpc; g, kg, Msun; s, day, year, Myr, Gyr");
	s->units = u;
	return 0;
}

static int marks(struct nb_system *s, const struct text *t, struct fault *e)
{
	double v;

	if (mark(t, "time", &v))
		s->time = v;
	if (mark(t, "start", &v))
		s->stage.start = v;
	if (mark(t, "softening", &v)) {
		if (v < 0 || v > NB_SOFTEST)
			return text_refuse(t, e, "the softening must be from 0 to 1e18");
		s->softening = v;
	}
	if (mark(t, "g", &v)) {
		if (v < 0)
			return text_refuse(t, e, "the gravitational constant must not be negative");
		s->g = v;
	}
	return unit_mark(s, t, e);
}

/* A line behind a body must not change the law of motion, as "# g 2" there would be lost. */
static int late_marks(const struct nb_system *s, const struct text *t, struct fault *e)
{
	struct nb_system law = *s;

	if (marks(&law, t, e))
		return -1;
	if (law.g != s->g || law.softening != s->softening || law.units.length != s->units.length ||
	    law.units.mass != s->units.mass || law.units.time != s->units.time)
		return text_refuse(t, e, "units, g and softening must stand before the first body");
	return 0;
}

static const char run_line[] =
        "# run bodies %zu step %zu of %zu dt %lf integrator %15s precision %15s "
        "tolerance %lf eta %lf snapshots %zu pictures %zu";

static int run_mark(struct nb_system *s, const struct text *t, struct fault *e)
{
	struct nb_stage g = { .start = (double)NAN };

	if (strncmp(t->buf, run_line, 6) != 0)
		return 0;
	if (sscanf(t->buf, run_line, &g.bodies, &g.step, &g.steps, &g.dt, g.integrator, g.precision,
	           &g.tolerance, &g.eta, &g.snapshots, &g.pictures) != 10 ||
	    g.step > g.steps)
		return text_refuse(t, e, "the line of # run in a checkpoint is not complete");
	g.view = s->stage.view;
	s->stage = g;
	return 0;
}

static const char view_line[] =
        "# view size %zu centre %lf %lf half %lf blur %lf densities %lf %lf";

static int view_mark(struct nb_system *s, const struct text *t, struct fault *e)
{
	struct nb_view v;

	if (sscanf(t->buf, view_line, &v.size, &v.centre[0], &v.centre[1], &v.half, &v.blur,
	           &v.faint, &v.bright) != 7)
		return 0;
	if (!(isfinite(v.centre[0]) && isfinite(v.centre[1]) && v.half > 0 && isfinite(v.half) &&
	      v.blur > 0 && v.blur <= (double)v.size && v.faint > 0 && v.bright >= v.faint &&
	      isfinite(v.bright)))
		return text_refuse(t, e, "the line of # view in a checkpoint is not complete");
	s->stage.view = v;
	return 0;
}

/* Rates body by body, as they were read, to all accelerations and then all jerks. */
static int sort_rates(struct nb_system *s, struct fault *e)
{
	double *mixed = s->rates;
	size_t i;

	s->rates = NULL;
	if (nb_system_rates(s, e)) {
		s->rates = mixed;
		return -1;
	}
	for (i = 0; i < s->n; i++) {
		memcpy(s->rates + 4 * i, mixed + 8 * i, 4 * sizeof *mixed);
		memcpy(s->rates + 4 * (s->n + i), mixed + 8 * i + 4, 4 * sizeof *mixed);
	}
	free(mixed);
	return 0;
}

int nb_table_parse(struct nb_system *s, struct text *t, struct fault *e)
{
	size_t lines = 1, count = 0;
	const char *at = t->data;
	const int ended = t->size > 0 && at[t->size - 1] == '\n'; /* before lines are cut out */
	int rc;

	while ((at = memchr(at, '\n', t->size - (size_t)(at - t->data))) != NULL) {
		lines++;
		at++;
	}
	if (nb_system_new(s, lines, e)) /* no more bodies than lines */
		return -1;
	while ((rc = text_next(t, e)) > 0)
		if ((count == 0 ? marks(s, t, e) || run_mark(s, t, e) || view_mark(s, t, e) :
		                  late_marks(s, t, e)) ||
		    body(s, &count, t, e))
			return -1;
	if (rc == 0 && count == 0)
		return fail(e, "%.400s: the file has no bodies", t->name);
	if (rc == 0 && s->stage.integrator[0] && (s->stage.bodies != count || !ended))
		return fail(
		        e,
		        "%.400s: the checkpoint has %zu bodies, but ends in line %zu, at body %zu",
		        t->name, s->stage.bodies, t->line, count);
	if (s->g < 0 && s->units.length > 0)
		s->g = nb_units_g(&s->units);
	s->n = count;
	return rc == 0 && s->rates ? sort_rates(s, e) : rc;
}

/* 17 digits bring back the very number. */
static void print(FILE *f, const struct nb_system *s, const double *rates,
                  const unsigned char *kinds)
{
	size_t i;
	int k;

	fprintf(f, "# time %.17g\n", s->time);
	if (s->softening >= 0)
		fprintf(f, "# softening %.17g\n", s->softening);
	if (s->g >= 0)
		fprintf(f, "# g %.17g\n", s->g);
	if (s->units.length > 0)
		fprintf(f, "# units %.17g cm %.17g g %.17g s\n", s->units.length, s->units.mass,
		        s->units.time);
	else if (s->g == 1)
		fprintf(f, "# units nbody\n"); /* as the line of g says */
	fprintf(f, "# x y z vx vy vz m%s%s\n", rates ? " ax ay az step jx jy jz" : "",
	        kinds ? " kind id trait trait trait" : "");
	for (i = 0; i < s->n; i++) {
		const double *x = s->body + 4 * i, *v = s->velocity + 4 * i;

		fprintf(f, "%.17g %.17g %.17g %.17g %.17g %.17g %.17g", x[0], x[1], x[2], v[0],
		        v[1], v[2], x[3]);
		for (k = 0; k < 4 && rates; k++)
			fprintf(f, " %.17g", rates[4 * i + (size_t)k]);
		for (k = 0; k < 3 && rates; k++)
			fprintf(f, " %.17g", rates[4 * (s->n + i) + (size_t)k]);
		if (kinds)
			fprintf(f, s->sign < 0 ? " %d %lld" : " %d %llu", kinds[i], s->id[i]);
		for (k = 0; k < 3 && kinds; k++)
			fprintf(f, " %.9g", (double)s->traits[3 * i + (size_t)k]);
		fputc('\n', f);
	}
}

int nb_table_print(FILE *f, const void *system, struct fault *e)
{
	(void)e;
	print(f, system, NULL, NULL);
	return 0;
}

int nb_checkpoint_print(FILE *f, const void *system, struct fault *e)
{
	const struct nb_system *s = system;
	const struct nb_stage *g = &s->stage;
	size_t i;

	for (i = 0; i < 3 * s->n && s->kind; i++)
		if (!isfinite(s->traits[i]))
			return fail(
			        e,
			        "body %zu: a property is not finite: a checkpoint cannot hold it",
			        i / 3 + 1);
	fprintf(f,
	        "# run bodies %zu step %zu of %zu dt %.17g integrator %s precision %s tolerance "
	        "%.17g eta %.17g snapshots %zu pictures %zu\n# start %.17g\n",
	        s->n, g->step, g->steps, g->dt, g->integrator, g->precision, g->tolerance, g->eta,
	        g->snapshots, g->pictures, g->start);
	if (g->view.half > 0)
		fprintf(f,
		        "# view size %zu centre %.17g %.17g half %.17g blur %.17g densities %.17g "
		        "%.17g\n",
		        g->view.size, g->view.centre[0], g->view.centre[1], g->view.half,
		        g->view.blur, g->view.faint, g->view.bright);
	print(f, s, s->rates, s->kind);
	return 0;
}
