/* SPDX-License-Identifier: MIT */
/*
 * molecule.c - molecules from files: the records of the atoms, and their sums.
 *
 * A file may have several models of a molecule, one after the other.  Their sum would have many
 * times the charge, so the first model is taken.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "read.h"

/* A line that begins another model, or ends one.  END ends a model only where models are asked for:
 * some programs end a chain by it. */
static int border(const char *s, int by_end)
{
	s += strspn(s, " \t");
	return (strncasecmp(s, "MODEL", 5) == 0 && (!s[5] || strchr(" \t0123456789", s[5]))) ||
	       strncasecmp(s, "ENDMDL", 6) == 0 ||
	       (by_end && strncasecmp(s, "END", 3) == 0 && (!s[3] || strchr(" \t", s[3])));
}

static int no_atoms(const struct text *t, struct fault *e)
{
	return fail(e,
	            "%.400s: no line starts with ATOM or HETATM: there are no atoms of a PQR, PDB "
	            "or mmCIF file",
	            t->name);
}

/* A misspelt record is told, since its atom is missing. */
static void unknown(struct gem_molecule *m, const struct text *t)
{
	const char *s = t->shown + strspn(t->shown, " ");

	if (m->unknown++ == 0) {
		m->unknown_line = t->line;
		snprintf(m->unknown_word, sizeof m->unknown_word, "%.*s", (int)strcspn(s, " "), s);
	}
}

int gem_molecule_atoms(struct gem_molecule *m, struct text *t, int next, struct fault *e)
{
	struct gem_atom a;
	size_t room = 0;
	int rc, is, ended = 0;

	while (!(next && ended) && (rc = text_next(t, e)) > 0) {
		ended |= m->n && border(t->buf, next);
		is = gem_record(t, &a, e);
		if (is > 0 && ended)
			m->left_out++;
		else if (is < 0)
			return -1;
		else if (is > 0 && grow(&m->atom, m->n, &room, sizeof *m->atom))
			return fail(e, "out of memory for %zu atoms", m->n);
		else if (is > 0)
			m->atom[m->n++] = a;
		else if (!gem_is_record(t->buf))
			unknown(m, t);
	}
	if (rc == 0 && m->n == 0 && !next)
		rc = !gem_converted(t->name) ?
		             no_atoms(t, e) :
		             fail(e,
		                  "%.400s: pdb2pqr has no parameters for its residues in "
		                  "this force field (AMBER has nucleic acids)",
		                  t->name);
	return rc < 0 ? -1 : 0;
}

void gem_charge_add(struct gem_charge *c, double q)
{
	c->sum += q;
	c->size += fabs(q);
}

/* Decimal charges that cancel leave a last binary digit. */
double gem_charge(const struct gem_charge *c)
{
	return fabs(c->sum) > 1e-12 * c->size ? c->sum : 0;
}

static int by_place(const void *a, const void *b)
{
	const double *p = a, *q = b;
	int k;

	for (k = 0; k < 2 && p[k] == q[k]; k++)
		;
	return (p[k] > q[k]) - (p[k] < q[k]);
}

/* The number of atoms at the very place of an earlier atom. */
static int doubled(struct gem_molecule *m, struct fault *e)
{
	double(*at)[3] = malloc(m->n * sizeof *at);
	size_t i;

	if (!at)
		return fail(e, "out of memory for %zu atoms", m->n);
	for (i = 0; i < m->n; i++)
		memcpy(at[i], m->atom[i].at, sizeof *at);
	qsort(at, m->n, sizeof *at, by_place);
	for (i = 1; i < m->n; i++)
		m->doubled += by_place(at[i - 1], at[i]) == 0;
	free(at);
	return 0;
}

int gem_molecule_sums(struct gem_molecule *m, const char *name, struct fault *e)
{
	struct gem_charge charge = { 0, 0 };
	size_t i;
	int k;

	m->doubled = 0;
	memset(m->centre, 0, sizeof m->centre);
	for (i = 0; i < m->n; i++) {
		gem_charge_add(&charge, m->atom[i].q);
		for (k = 0; k < 3; k++)
			m->centre[k] += m->atom[i].at[k] / (double)m->n;
	}
	m->charge = gem_charge(&charge);
	if (!(charge.size > 0))
		return fail(e, "%.400s: the charges of all %zu atoms are 0: there is no potential",
		            name, m->n);
	return doubled(m, e);
}

int gem_models_open(struct gem_models *o, FILE *f, const char *name, const struct gem_force *by,
                    int all, struct fault *e)
{
	*o = (struct gem_models){ .all = all };
	if (gem_converted(name))
		return gem_convert_open(&o->converted, name, by, all, e);
	return text_read(&o->t, f, name, e);
}

int gem_models_next(struct gem_molecule *m, struct gem_models *o, struct fault *e)
{
	int rc = 1;

	memset(m, 0, sizeof *m);
	if (o->done && !o->all)
		return 0;
	if (o->converted.name)
		rc = gem_convert_next(m, &o->converted, e);
	else if (gem_molecule_atoms(m, &o->t, o->all, e))
		rc = -1;
	else if (m->n == 0)
		rc = o->done ? 0 : no_atoms(&o->t, e);
	if (rc == 0 && !o->done)
		rc = fail(e, "%.400s: python3 gave no molecule", o->converted.name);
	if (rc > 0 && gem_molecule_sums(m, o->converted.name ? o->converted.name : o->t.name, e))
		rc = -1;
	if (rc <= 0)
		gem_molecule_free(m);
	o->done++;
	return rc;
}

void gem_models_close(struct gem_models *o)
{
	text_free(&o->t);
	gem_convert_close(&o->converted);
}

int gem_molecule_read(struct gem_molecule *m, FILE *f, const char *name, const struct gem_force *by,
                      struct fault *e)
{
	struct gem_models o;
	int rc = gem_models_open(&o, f, name, by, 0, e);

	memset(m, 0, sizeof *m);
	if (rc == 0)
		rc = gem_models_next(m, &o, e) > 0 ? 0 : -1;
	gem_models_close(&o);
	return rc;
}

void gem_molecule_free(struct gem_molecule *m)
{
	free(m->atom);
	memset(m, 0, sizeof *m);
}
