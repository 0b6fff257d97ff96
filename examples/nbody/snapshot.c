/* SPDX-License-Identifier: MIT */
/*
 * snapshot.c - binary files of bodies, which snapshot.py reads and writes in a process of Python,
 * and cosmology.
 *
 * Bodies go through a pipe as numbers, notes, places with masses, velocities, IDs, types and
 * traits.
 *
 * Numbers of a cosmological snapshot times powers of a = 1 / (1 + z) and of h are physical ones.
 * Where the file does not tell the powers, they are GADGET's: lengths a / h, velocities sqrt(a),
 * masses 1 / h; of SWIFT: lengths a.  At redshift 0 the numbers may be taken as they are, since
 * masses and lengths in units of 1 / h move as if h were 1.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../common/child.h"
#include "nb.h"

extern const char snapshot_py[];

/* The numbers: n, time, g (NaN: not told), units (0: none), softening, mixed, sign, a, h, six
 * powers of these, comoving, timed, and the bytes of the notes. */
#define NUMBERS 20

/* HDF5's first bytes; the header of GADGET's binary formats by either order of bytes, a block of
 * 256, or of 8 in format 2; or tipsy's number of dimensions, whose zero bytes no text has. */
int nb_snapshot_is(const struct text *t)
{
	static const unsigned char size[4][4] = {
		{ 0, 1, 0, 0 }, { 0, 0, 1, 0 }, { 8, 0, 0, 0 }, { 0, 0, 0, 8 }
	};
	const unsigned char *const d = (const unsigned char *)t->data;
	int i;

	for (i = 0; i < 4; i++)
		if (t->size >= 264 && memcmp(d, size[i], 4) == 0 &&
		    memcmp(d + 4 + (i < 2 ? 256 : 8), size[i], 4) == 0)
			return 1;
	if (t->size >= 28 && !(d[13] | d[14]) && (!d[12] != !d[15]) && (d[12] | d[15]) <= 3)
		return 1;
	return t->size >= 8 && memcmp(d, "\x89HDF\r\n\x1a\n", 8) == 0;
}

static int start(struct child *c, const char *what, const char *name, int pipes, struct fault *e)
{
	const char *const words[] = { what, name, NULL };

	return child_python(c, snapshot_py, words, pipes, name,
	                    "snapshots are read and written by NumPy", e);
}

int nb_snapshot_try(const char *format, struct fault *e)
{
	struct child c;

	/* What Python prints there, against what is expected, is no part of nbody's output. */
	if (start(&c, "try", format, CHILD_OUT, e))
		return -1;
	while (getc(c.out) != EOF)
		;
	return child_python_end(&c, 0, e);
}

static int all(void *to, size_t size, size_t n, FILE *f)
{
	return fread(to, size, n, f) == n ? 0 : -1;
}

static int take(struct nb_system *s, const struct text *t, FILE *f, struct fault *e)
{
	double v[NUMBERS];
	char *last;
	size_t n;

	if (all(v, sizeof *v, NUMBERS, f))
		return -1;
	n = (size_t)v[0];
	if (nb_system_new(s, n, e) || nb_system_kinds(s, e))
		return -1;
	s->time = v[1];
	if (v[9] != 0) {
		s->assumed = isnan(v[2]) && v[3] == 0;
		s->units = s->assumed ? nb_units_gadget : (struct nb_units){ v[3], v[4], v[5] };
		s->g = isnan(v[2]) ? nb_units_g(&s->units) : v[2];
	}
	if (!isfinite(s->g))
		return fail(
		        e,
		        "%.400s: the gravitational constant is %g in its units: it must be finite",
		        t->name, s->g);
	s->softening = v[6];
	s->mixed = v[7] != 0;
	s->sign = (int)v[8];
	memcpy(&s->scale, v + 9, 8 * sizeof *v);
	s->scale.comoving = v[17] != 0;
	s->scale.timed = v[18] != 0;
	for (; v[19] > 0; v[19]--) {
		const size_t at = strlen(s->notes);

		if (all(&s->notes[at], 1, 1, f))
			return -1;
		if (at + 2 == sizeof s->notes) /* a line that does not fit is left out */
			s->notes[at] = 0;
	}
	if ((last = strrchr(s->notes, '\n')) != NULL)
		last[1] = 0;
	return -(all(s->body, 4 * sizeof *s->body, n, f) ||
	         all(s->velocity, 4 * sizeof *s->velocity, n, f) ||
	         all(s->id, sizeof *s->id, n, f) || all(s->kind, 1, n, f) ||
	         all(s->traits, 3 * sizeof *s->traits, n, f));
}

int nb_snapshot_parse(struct nb_system *s, const struct text *t, int named, struct fault *e)
{
	const void *const data = t->data;
	struct child c;

	if (start(&c, named ? "read" : "receive", t->name, CHILD_OUT | (named ? 0 : CHILD_IN), e))
		return -1;
	if (!named)
		child_give(&c, &data, &t->size, 1);
	return child_python_end(&c, take(s, t, c.out, e), e);
}

static int print(FILE *f, const struct nb_system *s, const char *format, struct fault *e)
{
	double v[NUMBERS] = { (double)s->n, s->time, s->g, 0, 0, 0, s->softening, 0, s->sign };
	const size_t vectors = 4 * s->n * sizeof *s->body;
	struct nb_system own = { .n = s->n }; /* what s may lack */
	struct child c;
	char part[1 << 15];
	size_t n, bytes = 0;
	int rc = -1;

	if (s->n > INT32_MAX)
		return fail(e, "a %s file can have at most %d bodies", format, INT32_MAX);
	memcpy(v + 3, &s->units, sizeof s->units);
	memcpy(v + 9, &s->scale, 8 * sizeof *v);
	if (nb_system_kinds(&own, e) == 0) {
		const void *const data[] = { v,
			                     s->body,
			                     s->velocity,
			                     s->id ? s->id : own.id,
			                     s->kind ? s->kind : own.kind,
			                     s->traits ? s->traits : own.traits };
		const size_t size[] = { sizeof v, vectors,
			                vectors,  s->n * sizeof *s->id,
			                s->n,     3 * s->n * sizeof *s->traits };

		if (start(&c, format, format, CHILD_IN | CHILD_OUT, e) == 0) {
			child_give(&c, data, size, 6);
			for (; (n = fread(part, 1, sizeof part, c.out)) > 0; bytes += n)
				fwrite(part, 1, n, f);
			rc = child_python_end(&c, bytes ? 0 : -1, e);
		}
	}
	nb_system_free(&own);
	return rc;
}

int nb_hdf5_print(FILE *f, const void *system, struct fault *e)
{
	return print(f, system, "hdf5", e);
}

int nb_tipsy_print(FILE *f, const void *system, struct fault *e)
{
	return print(f, system, "tipsy", e);
}

/* ---- Cosmology --------------------------------------------------------------------------------*/

int nb_system_physical(struct nb_system *s, const char *name, int asked, struct fault *e)
{
	const struct nb_scale *c = &s->scale;
	const int over_h = c->length[1] != 0 || c->mass[1] != 0 || c->velocity[1] != 0;
	const double h = c->h > 0 ? c->h : 1;
	double length, mass, velocity, time;

	if (!asked && c->comoving && c->a != 1)
		return fail(e,
		            "%.300s: a cosmological snapshot, a = %.6g (redshift %.6g), h = %.6g: "
		            "its lengths are comoving; --physical converts to those of that time",
		            name, c->a, 1 / c->a - 1, c->h);
	if (!asked && c->comoving)
		nb_system_note(s,
		               "%.300s: a cosmological snapshot, a = 1, h = %.6g: %snbody's "
		               "space does not expand",
		               name, c->h,
		               over_h && h != 1 ? "lengths and masses stay in units over h, unless "
		                                  "--physical converts them; " :
		                                  "");
	else if (!asked && over_h && h != 1)
		nb_system_note(s,
		               "%.300s: HubbleParam is %g: it is not applied, so lengths in kpc/h "
		               "stay in kpc/h; the motion is the same; --physical converts",
		               name, c->h);
	if (!asked)
		return 0;
	if (c->a == 0)
		return fail(e,
		            "--physical: %.400s has no scale factor a: it must be a snapshot of "
		            "GADGET or SWIFT",
		            name);
	if (over_h && c->comoving && c->h <= 0)
		return fail(e, "--physical: %.400s has no HubbleParam", name);
	length = pow(c->a, c->length[0]) * pow(h, c->length[1]);
	velocity = pow(c->a, c->velocity[0]) * pow(h, c->velocity[1]);
	mass = pow(c->a, c->mass[0]) * pow(h, c->mass[1]);
	/* Of a run that is not cosmological: its unit is that of a length over that of a speed. */
	time = c->comoving ? 1 : pow(h, c->length[1] - c->velocity[1]);
	nb_system_scale(s, length, velocity, mass, c->comoving && c->timed ? 0 : time);
	nb_system_note(s,
	               "%.300s: converted with a = %.6g, h = %.6g: lengths by %.6g, masses by "
	               "%.6g, velocities by %.6g, the time by %.6g; velocities are peculiar, as "
	               "space does not expand%s",
	               name, c->a, h, length, mass, velocity, time,
	               c->comoving && c->timed ? "; the run begins at time 0" : "");
	s->scale = (struct nb_scale){ .a = 1, .h = 1 };
	return 0;
}
