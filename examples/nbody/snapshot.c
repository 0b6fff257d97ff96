/* SPDX-License-Identifier: MIT */
/*
 * snapshot.c - what the layouts of snapshots have in common: several files, and cosmology.
 *
 * Part k of NAME.hdf5 is NAME.k.hdf5, and of NAME it is NAME.k.  Any of the parts, or a summary
 * without particles under the name without k, leads to all of them.
 *
 * Numbers of a cosmological snapshot times powers of a = 1 / (1 + z) and of h are physical ones.
 * Where the file does not tell the powers, they are GADGET's: lengths a / h, velocities sqrt(a),
 * masses 1 / h; of SWIFT: lengths a.  At redshift 0 the numbers may be taken as they are, since
 * masses and lengths in units of 1 / h move as if h were 1.
 */
#include "snapshot.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#define NEAR_ZERO 1e-6 /* a redshift that is 0 but for rounding */

int snapshot_put(struct nb_system *s, const struct part *p, int type, size_t i, size_t body,
                 const double v[7], struct fault *e)
{
	const char *wrong = nb_system_put(s, body, v);

	s->kind[body] = (unsigned char)type;
	return wrong ? fail(e, "%.400s: particle %zu of type %d: %s", p->text->name, i + 1, type,
	                    wrong) :
	               0;
}

static int check(const struct part *p, struct fault *e)
{
	const char *const name = p->text->name;
	int type;

	for (type = 0; type < NB_TYPES; type++)
		if (!(p->count[type] >= 0 && p->count[type] <= 1e12 && p->total[type] >= 0 &&
		      p->total[type] <= 1e12))
			return fail(e,
			            "%.400s: %g particles of type %d, %g in all files: numbers "
			            "must be from 0 to 1e12",
			            name, p->count[type], type, p->total[type]);
	if (!(p->redshift > -1 && isfinite(p->redshift)))
		return fail(e, "%.400s: redshift %g: it must be above -1", name, p->redshift);
	if (isinf(p->time))
		return fail(e, "%.400s: the time is not finite", name);
	if (!(p->files >= 0 && p->files <= 1e6))
		return fail(e, "%.400s: %g files: the number must be up to 1e6", name, p->files);
	return 0;
}

/* A summary may have a header alone, a part may not. */
static int filled(const struct part *p, struct fault *e)
{
	double n = 0;
	int type;

	for (type = 0; type < NB_TYPES; type++)
		n += p->count[type];
	return p->empty && n > 0 ?
	               fail(e, "%.400s: the header has %g particles, but the file has none",
	                    p->text->name, n) :
	               0;
}

/* Units, time, and what is told. */
static int begin(struct nb_system *s, const struct part *p, const struct layout *layout,
                 struct fault *e)
{
	const char *const name = p->text->name;
	struct nb_scale *c = &s->scale;

	if (layout->units(s, p, e))
		return -1;
	*c = p->scale;
	c->a = fabs(p->redshift) <= NEAR_ZERO ? 1 : 1 / (1 + p->redshift);
	c->h = p->hubble;
	s->time = isnan(p->time) ? 0 : p->time;
	c->timed = fabs(s->time - c->a) <= NEAR_ZERO;
	c->comoving = c->a != 1 || p->comoving > 0 ||
	              (p->comoving < 0 && c->timed && p->hubble > 0 && p->hubble != 1);
	if (isnan(p->time))
		nb_system_note(s, "%.300s: the header has no Time: the run begins at 0", name);
	if (p->box > 0)
		nb_system_note(s, "%.300s: BoxSize is %g: the box does not repeat here", name,
		               p->box);
	return 0;
}

static int take(struct nb_system *s, struct part *p, const struct layout *layout,
                size_t next[NB_TYPES], const size_t end[NB_TYPES], struct fault *e)
{
	int type;

	for (type = 0; type < NB_TYPES; type++) {
		if (p->count[type] > (double)(end[type] - next[type]))
			return fail(e, "%.400s: more particles of type %d than NumPart_Total",
			            p->text->name, type);
		if (p->count[type] > 0 && layout->particles(s, p, type, next[type], e))
			return -1;
		next[type] += (size_t)p->count[type];
	}
	return 0;
}

/* The name of a part from that of any part, or of the summary. */
static void part_name(char *to, size_t room, const char *name, double files, size_t k)
{
	const char *const base = strrchr(name, '/') ? strrchr(name, '/') + 1 : name;
	const char *cut = strrchr(base, '.'), *rest = cut, *at = base;
	char *end;

	if (!cut)
		cut = rest = base + strlen(base);
	while ((at = strchr(at, '.')) != NULL)
		if (isdigit((unsigned char)*++at) && strtod(at, &end) < files) {
			end = (char *)(uintptr_t)at + strspn(at, "0123456789");
			if (*end == '.' || !*end) {
				cut = at - 1;
				rest = end;
			}
		}
	snprintf(to, room, "%.*s.%zu%s", (int)(cut - name), name, k, rest);
}

static int same(const struct part *p, const struct part *told, const struct part *first)
{
	return p->files == told->files && memcmp(p->total, told->total, sizeof p->total) == 0 &&
	       p->redshift == first->redshift &&
	       (p->time == first->time || (isnan(p->time) && isnan(first->time)));
}

static int parts(struct nb_system *s, const struct part *told, const struct layout *layout,
                 size_t next[NB_TYPES], const size_t end[NB_TYPES], struct fault *e)
{
	const char *const name = told->text->name;
	char path[4096];
	struct part first = { 0 };
	struct fault why = { "" };
	struct text t;
	int rc = 0, opened;
	size_t k;

	for (k = 0; (double)k < told->files && rc == 0; k++) {
		struct part p = { .text = &t, .named = 1 };

		part_name(path, sizeof path, name, told->files, k);
		rc = text_read(&t, NULL, path, &why);
		if (rc)
			fail(e,
			     "%.200s: this is one of %g files of a snapshot; another is not there: "
			     "%.300s",
			     name, told->files, why.text);
		opened = rc == 0 && layout->is(&t);
		if (rc == 0 && !opened)
			rc = fail(e, "%.400s: a file of another format than %.200s", path, name);
		if (rc == 0)
			rc = layout->open(&p, e) || check(&p, e) || filled(&p, e) ? -1 : 0;
		if (k == 0)
			first = p;
		if (rc == 0 && !same(&p, told, &first))
			rc = fail(e, "%.300s: a file of another snapshot than %.300s", path, name);
		if (rc == 0 && k == 0)
			rc = begin(s, &p, layout, e);
		if (rc == 0)
			rc = take(s, &p, layout, next, end, e);
		if (opened)
			layout->close(&p);
		text_free(&t);
	}
	return rc;
}

static int all(struct nb_system *s, struct part *p, const struct layout *layout, struct fault *e)
{
	size_t next[NB_TYPES], end[NB_TYPES], n = 0;
	const double *total = p->count;
	double bodies = 0;
	int type, alone = p->files <= 1;

	if (check(p, e))
		return -1;
	if (!alone && !p->empty) /* a summary may have all particles */
		alone = memcmp(p->count, p->total, sizeof p->count) == 0;
	if (!alone)
		total = p->total;
	if (!alone && !p->named)
		return fail(
		        e,
		        "%.400s: this is one of %g files of a snapshot: give it by its name, as "
		        "the others stand beside it",
		        p->text->name, p->files);
	for (type = 0; type < NB_TYPES; type++) {
		next[type] = n;
		n += (size_t)total[type];
		end[type] = n;
		bodies += total[type];
	}
	if (bodies == 0)
		return fail(e, "%.400s: the file has no bodies", p->text->name);
	if (alone && filled(p, e))
		return -1;
	if (nb_system_new(s, n, e) || nb_system_kinds(s, e))
		return -1;
	if (alone ? begin(s, p, layout, e) || take(s, p, layout, next, end, e) :
	            parts(s, p, layout, next, end, e))
		return -1;
	for (type = 0; type < NB_TYPES; type++)
		if (next[type] != end[type])
			return fail(e,
			            "%.400s: the files have %zu particles of type %d too few for "
			            "NumPart_Total",
			            p->text->name, end[type] - next[type], type);
	if (s->mixed)
		s->softening = -1;
	return 0;
}

int snapshot_parse(struct nb_system *s, const struct text *t, int named,
                   const struct layout *layout, struct fault *e)
{
	struct part p = { .text = t, .named = named };
	const int rc = layout->open(&p, e) || all(s, &p, layout, e) ? -1 : 0;

	layout->close(&p);
	return rc;
}

/* ---- Cosmology --------------------------------------------------------------------------------*/

int nb_system_physical(struct nb_system *s, const char *name, int asked, struct fault *e)
{
	const struct nb_scale *c = &s->scale;
	const int over_h = c->length[1] != 0 || c->mass[1] != 0 || c->velocity[1] != 0;
	const double h = c->h > 0 ? c->h : 1;
	double length, mass, velocity, time;
	size_t i;
	int k;

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
	for (i = 0; i < s->n; i++) {
		for (k = 0; k < 3; k++) {
			s->body[4 * i + (size_t)k] *= length;
			s->velocity[4 * i + (size_t)k] *= velocity;
		}
		s->body[4 * i + 3] *= mass;
	}
	if (s->softening > 0)
		s->softening *= length;
	s->time = c->comoving && c->timed ? 0 : s->time * time;
	nb_system_note(s,
	               "%.300s: converted with a = %.6g, h = %.6g: lengths by %.6g, masses by "
	               "%.6g, velocities by %.6g, the time by %.6g; velocities are peculiar, as "
	               "space does not expand%s",
	               name, c->a, h, length, mass, velocity, time,
	               c->comoving && c->timed ? "; the run begins at time 0" : "");
	s->scale = (struct nb_scale){ .a = 1, .h = 1 };
	return 0;
}
