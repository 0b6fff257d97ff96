/* SPDX-License-Identifier: MIT */
/*
 * lost.c - which residues of a PDB or mmCIF file a converted molecule lacks.
 *
 * pdb2pqr leaves out what it has no parameters for, as ions and ligands, and succeeds.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "read.h"

#define COLUMNS 64

struct residue {
	char name[12], chain[2][8]; /* a residue of an mmCIF file has two names of its chain */
	int number, ins; /* ins -1: pdb2pqr drops the insertion code */
};

/* Columns of an mmCIF file's atoms; the number of the model is the first row's. */
struct columns {
	int n, at[5]; /* at: -1 where there is none */
	char model[16];
};

enum {
	NAME,
	LABEL,
	AUTHOR,
	NUMBER,
	MODEL
};

static void put(char *to, size_t size, const char *s, size_t n)
{
	snprintf(to, size, "%.*s", (int)n, s);
}

/* A record's n bytes from a column on, counted from 0, without the blanks around. */
static void field(const struct text *t, size_t from, size_t n, char *to, size_t size)
{
	n = from < t->len ? (from + n < t->len ? n : t->len - from) : 0;
	while (n && t->buf[from] == ' ')
		from++, n--;
	while (n && t->buf[from + n - 1] == ' ')
		n--;
	put(to, size, n ? t->buf + from : "", n);
}

static int is_atom(const char *s)
{
	return strncmp(s, "ATOM", 4) == 0 || strncmp(s, "HETATM", 6) == 0;
}

static int of_pdb(struct residue *r, const struct text *t)
{
	char number[8];

	if (!is_atom(t->buf))
		return 0;
	memset(r, 0, sizeof *r);
	field(t, 17, 3, r->name, sizeof r->name);
	field(t, 21, 1, r->chain[0], sizeof r->chain[0]);
	memcpy(r->chain[1], r->chain[0], sizeof r->chain[1]);
	field(t, 22, 4, number, sizeof number);
	r->number = atoi(number);
	r->ins = t->len > 26 && t->buf[26] != ' ' ? t->buf[26] : 0;
	return 1;
}

/* A line that names a column, or one with an atom. */
static int of_cif(struct residue *r, struct columns *c, const struct text *t)
{
	static const char *const names[] = { "label_comp_id", "label_asym_id", "auth_asym_id",
		                             "auth_seq_id", "pdbx_PDB_model_num" };
	struct gem_token k[COLUMNS];
	char number[16];
	int i, n;

	if (strncasecmp(t->buf, "_atom_site.", 11) == 0) {
		for (i = 0; i < 5; i++)
			if (strncasecmp(t->buf + 11, names[i], strcspn(t->buf + 11, " \t")) == 0)
				c->at[i] = c->n;
		c->n++;
		return 0;
	}
	n = c->n && is_atom(t->buf) ? (int)gem_tokens(t->buf, k, COLUMNS) : 0;
	if (n != c->n || n > COLUMNS || !n || c->at[NAME] < 0 || c->at[NUMBER] < 0)
		return 0;
	memset(r, 0, sizeof *r);
	put(r->name, sizeof r->name, k[c->at[NAME]].s, k[c->at[NAME]].n);
	for (i = 0; i < 2; i++)
		if (c->at[LABEL + i] >= 0)
			put(r->chain[i], sizeof r->chain[i], k[c->at[LABEL + i]].s,
			    k[c->at[LABEL + i]].n);
	put(number, sizeof number, k[c->at[NUMBER]].s, k[c->at[NUMBER]].n);
	r->number = atoi(number);
	r->ins = -1;
	if (c->at[MODEL] >= 0) {
		put(number, sizeof number, k[c->at[MODEL]].s, k[c->at[MODEL]].n);
		if (!*c->model)
			strcpy(c->model, number);
		return strcmp(c->model, number) == 0;
	}
	return 1;
}

static int is_water(const char *name)
{
	return strcmp(name, "HOH") == 0 || strcmp(name, "WAT") == 0 || strcmp(name, "DOD") == 0;
}

static int there(const struct gem_molecule *m, const struct residue *r)
{
	size_t i;

	for (i = 0; i < m->n; i++) {
		const struct gem_atom *a = &m->atom[i];

		if (a->resnum == r->number && (r->ins < 0 || a->ins == r->ins) &&
		    (strcmp(a->chain, r->chain[0]) == 0 || strcmp(a->chain, r->chain[1]) == 0))
			return 1;
	}
	return 0;
}

/* "CA A 101, SO4 A 102, ...": as many as the room is for. */
static void tell(char *list, size_t room, size_t before, const struct residue *r)
{
	const size_t n = strlen(list);

	if (n + 60 < room)
		snprintf(list + n, room - n, "%s%s%s%s %d%.1s", before ? ", " : "", r->name,
		         *r->chain[1] ? " " : "", r->chain[1], r->number,
		         (const char[2]){ (char)(r->ins > 0 ? r->ins : 0), 0 });
	else if (n + 6 < room && strcmp(list + n - 3, "...") != 0)
		strcpy(list + n, ", ...");
}

int gem_lost(struct gem_molecule *m, struct text *t, struct fault *e)
{
	const int cif = !gem_has_models(t->name);
	struct columns c = { .at = { -1, -1, -1, -1, -1 } };
	struct residue r, last = { .number = 0 };
	int rc;

	while ((rc = text_next(t, e)) > 0 && strncmp(t->buf, "ENDMDL", 6) != 0) {
		if (!(cif ? of_cif(&r, &c, t) : of_pdb(&r, t)))
			continue;
		if (memcmp(&r, &last, sizeof r) != 0 && !is_water(r.name) && !there(m, &r))
			tell(m->lost, sizeof m->lost, m->lost_residues++, &r);
		last = r;
	}
	return rc < 0 ? -1 : 0;
}
