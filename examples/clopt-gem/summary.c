/* SPDX-License-Identifier: MIT */
/*
 * summary.c - what was computed, for people and, as JSON, for programs.
 */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gem.h"

/* In Angstrom; no atom has one. */
#define LARGE_RADIUS 5

static double rate(const struct gem_result *r)
{
	return r->seconds > 0 ? r->pairs / r->seconds : 0;
}

/* The i-th thing about the input that a user should look at; 0 after the last. */
static int warning(const struct gem_summary *s, size_t i, char *text, size_t size)
{
	double q = s->m->charge, off = fabs(q - round(q)), r = 0;
	size_t n = 0, j;

	if (off > 0.05 && n++ == i) {
		snprintf(text, size, "the total charge %.4g e is %.2f from a whole number", q, off);
		return 1;
	}
	for (j = 0; j < s->m->n && s->m->atom[j].q == 1; j++)
		;
	if (j == s->m->n && j > 10 && n++ == i) {
		snprintf(text, size, "every charge is 1, as the occupancies of a PDB file are");
		return 1;
	}
	for (j = 0; j < s->m->n; j++)
		r = fmax(r, s->m->atom[j].r);
	if (r > LARGE_RADIUS && n++ == i) {
		snprintf(text, size,
		         "radii up to %.3g A: is this a PDB file, whose B-factors were read as "
		         "radii?",
		         r);
		return 1;
	}
	return 0;
}

static void origin(const struct gem_summary *s, FILE *f)
{
	if (!s->points)
		fprintf(f, "on the solvent-accessible surface (probe %g A, %g dots/A^2)\n",
		        s->probe, s->density);
	else
		fprintf(f, "from %s\n", s->points);
}

static void colours(const struct gem_summary *s, FILE *f)
{
	const struct gem_range *c = &s->range;
	size_t beyond = c->below + c->above;

	if (c->end == 0)
		return;
	fprintf(f, "colours    %.4g to %.4g", -c->end, c->end);
	if (beyond)
		fprintf(f, " (%.3g %% of the points lie beyond)",
		        100 * (double)beyond / (double)s->r->n);
	fprintf(f, "\n");
}

static int flushed(FILE *f, struct gem_error *e)
{
	errno = 0;
	if (fflush(f) != 0 || ferror(f))
		return gem_fail(e, "the summary: %s", strerror(errno ? errno : EIO));
	return 0;
}

int gem_summary_text(const struct gem_summary *s, FILE *f, struct gem_error *e)
{
	const struct gem_result *r = s->r;
	char text[120];
	size_t i;

	fprintf(f, "molecule   %s\n", s->molecule);
	fprintf(f, "atoms      %zu, total charge %+.4f e\n", s->m->n, s->m->charge);
	for (i = 0; warning(s, i, text, sizeof text); i++)
		fprintf(f, "warning    %s\n", text);
	fprintf(f, "points     %zu ", r->n);
	origin(s, f);
	fprintf(f, "device     %s\n", r->device);
	fprintf(f, "variant    %s\n", r->variant);
	fprintf(f, "potential  min %.6g  max %.6g  rms %.6g %s", r->min, r->max, r->rms,
	        s->unit->label);
	if (s->eps != 1)
		fprintf(f, " (dielectric constant %g)", s->eps);
	fprintf(f, "\nspeed      %.4g pairs in %.4g s, %.3g pairs/s (and %.3g s to set up)\n",
	        r->pairs, r->seconds, rate(r), r->setup_seconds);
	colours(s, f);
	for (i = 0; i < s->files; i++)
		fprintf(f, "wrote      %s\n", s->file[i]);
	return flushed(f, e);
}

/* A string, also if it is no UTF-8, as the name of a file may be. */
static json_t *string(const char *s)
{
	json_t *j = json_string(s);
	char *copy, *p;

	if (j || !(copy = strdup(s)))
		return j;
	for (p = copy; *p; p++)
		if ((unsigned char)*p > 126)
			*p = '?';
	j = json_string(copy);
	free(copy);
	return j;
}

/* JSON has no infinity. */
static json_t *number(double v)
{
	return isfinite(v) ? json_real(v) : json_null();
}

/* json_object_set_new and json_array_append_new take over what they are given,
 * and pass on a failure to make it. */
static int fields(const struct gem_summary *s, json_t *o, json_t *warnings, json_t *files)
{
	const struct gem_result *r = s->r;
	char text[120];
	size_t i;
	int bad = 0;

	for (i = 0; warning(s, i, text, sizeof text); i++)
		bad |= json_array_append_new(warnings, json_string(text));
	for (i = 0; i < s->files; i++)
		bad |= json_array_append_new(files, string(s->file[i]));
	bad |= json_object_set_new(o, "molecule", string(s->molecule));
	bad |= json_object_set_new(o, "atoms", json_integer((json_int_t)s->m->n));
	bad |= json_object_set_new(o, "charge", number(s->m->charge));
	bad |= json_object_set(o, "warnings", warnings);
	bad |= json_object_set_new(o, "points", json_integer((json_int_t)r->n));
	bad |= json_object_set_new(o, "points_from",
	                           json_string(!s->points  ? "surface" :
	                                       s->vertices ? "vertices" :
	                                                     "points"));
	if (s->points) {
		bad |= json_object_set_new(o, "points_file", string(s->points));
	} else {
		bad |= json_object_set_new(o, "probe", number(s->probe));
		bad |= json_object_set_new(o, "density", number(s->density));
	}
	bad |= json_object_set_new(o, "device", string(r->device));
	bad |= json_object_set_new(o, "variant", string(r->variant));
	bad |= json_object_set_new(o, "units", json_string(s->unit->label));
	bad |= json_object_set_new(o, "eps", number(s->eps));
	bad |= json_object_set_new(o, "min", number(r->min));
	bad |= json_object_set_new(o, "max", number(r->max));
	bad |= json_object_set_new(o, "rms", number(r->rms));
	bad |= json_object_set_new(o, "pairs", json_integer((json_int_t)r->pairs));
	bad |= json_object_set_new(o, "seconds", number(r->seconds));
	bad |= json_object_set_new(o, "setup_seconds", number(r->setup_seconds));
	bad |= json_object_set_new(o, "pairs_per_second", number(rate(r)));
	bad |= json_object_set_new(o, "range", s->range.end ? number(s->range.end) : json_null());
	bad |= json_object_set(o, "files", files);
	return bad;
}

int gem_summary_json(const struct gem_summary *s, FILE *f, struct gem_error *e)
{
	json_t *o = json_object(), *warnings = json_array(), *files = json_array();
	int bad = !o || !warnings || !files || fields(s, o, warnings, files) ||
	          json_dumpf(o, f, JSON_INDENT(2) | JSON_REAL_PRECISION(9));

	json_decref(files);
	json_decref(warnings);
	json_decref(o);
	if (bad)
		return gem_fail(e, "cannot write the summary");
	fputc('\n', f);
	return flushed(f, e);
}
