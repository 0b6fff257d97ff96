/* SPDX-License-Identifier: MIT */
/*
 * lost.c - which residues of a PDB file, or of one made from mmCIF, a converted molecule lacks.
 *
 * pdb2pqr leaves out what it has no parameters for, as ions, ligands and single atoms, and
 * succeeds; it also builds side chains that the file lacks.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "read.h"

#define MOST_NAMES 250 /* of the atoms of a residue */

struct residue {
	char name[12], chain[8];
	int number, ins;
};

/* A terminal must not get the control characters of a file. */
static void put(char *to, size_t size, const char *s, size_t n)
{
	snprintf(to, size, "%.*s", (int)n, s);
	for (; *to; to++)
		if (!isprint((unsigned char)*to))
			*to = '?';
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

/* pdb2pqr 3 names chains without a name, which end at TER, A, B and so on. */
static int of_atom(struct residue *r, const struct text *t, int all_named, size_t ended)
{
	static const char letters[] =
	        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
	char number[8];

	if (!is_atom(t->buf))
		return 0;
	memset(r, 0, sizeof *r);
	field(t, 17, 3, r->name, sizeof r->name);
	field(t, 21, 1, r->chain, sizeof r->chain);
	if (all_named && !*r->chain && ended < sizeof letters)
		*r->chain = letters[ended];
	field(t, 22, 4, number, sizeof number);
	r->number = atoi(number);
	r->ins = t->len > 26 && t->buf[26] != ' ' ? t->buf[26] : 0;
	return 1;
}

int gem_is_water(const char *name)
{
	return strlen(name) == 3 && strstr("HOH WAT DOD SOL TIP", name);
}

/* A residue of the file, and the names of its atoms; all of them are the first of their name. */
struct group {
	struct residue r;
	char seen[MOST_NAMES][5];
	size_t n, heavy; /* heavy: no hydrogens, which pdb2pqr makes anew */
};

int gem_is_hydrogen(const char *name)
{
	return strchr("HD", name[strspn(name, " 0123456789")]) != NULL;
}

static int is_nucleotide(const char *name)
{
	name += *name == 'D';
	return strlen(name) == 1 && strchr("ACGTU", *name);
}

/* "CA A 101, SO4 A 102, DT B 1 (3 atoms), ...": as many as the room is for. */
static void tell(char list[GEM_NAMES], const struct residue *r, const char *chain, size_t part)
{
	const size_t n = strlen(list), room = GEM_NAMES - 60;
	char atoms[40] = "";

	if (part)
		snprintf(atoms, sizeof atoms, " (%zu atoms)", part);
	if (n + 60 < room)
		snprintf(list + n, room - n, "%s%s%s%s %d%.1s%s", n ? ", " : "", r->name,
		         *chain ? " " : "", chain, r->number, (const char[2]){ (char)r->ins, 0 },
		         atoms);
	else if (n + 6 < room && strcmp(list + n - 3, "...") != 0)
		strcpy(list + n, ", ...");
}

/* Is all of the residue in the molecule? */
static void compare(struct gem_molecule *m, const struct group *g, const char *chain, int *nucleic)
{
	const struct residue *r = &g->r;
	size_t i, heavy = 0, all = 0;

	if (!g->n || gem_is_water(r->name))
		return;
	for (i = 0; i < m->n; i++) {
		const struct gem_atom *a = &m->atom[i];

		if (a->resnum == r->number && a->ins == r->ins && strcmp(a->chain, r->chain) == 0) {
			all++;
			heavy += !gem_is_hydrogen(a->name);
		}
	}
	if (!all || heavy < g->heavy) {
		tell(m->lost, r, chain, all ? g->heavy - heavy : 0);
		m->lost_residues++;
		*nucleic |= !all && is_nucleotide(r->name);
	}
	if (heavy > g->heavy) {
		tell(m->added, r, chain, heavy - g->heavy);
		m->added_to++;
	}
}

/* An alternate location of an atom, or of a residue by another name.  pdb2pqr gets the first. */
static int is_alternate(struct group *g, const struct residue *r, const struct text *t)
{
	char name[5];
	size_t i;

	field(t, 12, 4, name, sizeof name);
	for (i = 0; i < g->n && strcmp(g->seen[i], name) != 0; i++)
		;
	if (t->len > 16 && t->buf[16] != ' ' && (i < g->n || strcmp(g->r.name, r->name) != 0))
		return 1;
	if (i == g->n && g->n < MOST_NAMES) {
		strcpy(g->seen[g->n++], name);
		g->heavy += !gem_is_hydrogen(name);
	}
	return 0;
}

/* The names of chains that gem_cif replaced by letters; "": none. */
static void chains(char names[128][8], const struct text *t)
{
	static const char mark[] = "\nREMARK 999 CHAIN ";
	const char *s = gem_is_cif(t->name) ? t->data : NULL;

	memset(names, 0, 128 * sizeof *names);
	for (; s && (s = strstr(s, mark)); s++)
		sscanf(s + strlen(mark) + 4, " %7s", names[(unsigned char)s[strlen(mark)] & 127]);
}

static const char *named(char names[128][8], const char *chain)
{
	const char *name = names[(unsigned char)*chain & 127];

	return *name ? name : chain;
}

int gem_lost(struct gem_molecule *m, struct text *t, struct fault *e)
{
	struct group g = { .n = 0 };
	struct residue r;
	char names[128][8];
	size_t i, ended = 0;
	int rc, models = 0, nucleic = 0, all_named = 1;

	for (i = 0; i < m->n; i++)
		all_named &= *m->atom[i].chain != 0;
	chains(names, t);
	while ((rc = text_next(t, e)) > 0) {
		models |= strncmp(t->buf, "ENDMDL", 6) == 0;
		ended += strncmp(t->buf, "TER", 3) == 0;
		if (!of_atom(&r, t, all_named, ended)) {
			if (!gem_is_record(t->buf))
				gem_unknown(m, t);
			continue;
		}
		if (models) {
			m->left_out++;
			continue;
		}
		if (!g.n || r.number != g.r.number || r.ins != g.r.ins ||
		    strcmp(r.chain, g.r.chain) != 0) {
			compare(m, &g, named(names, g.r.chain), &nucleic);
			g = (struct group){ .r = r };
		}
		m->alternates += (size_t)is_alternate(&g, &r, t);
	}
	compare(m, &g, named(names, g.r.chain), &nucleic);
	if (nucleic)
		strcat(m->lost, " (--forcefield AMBER has nucleic acids)");
	for (i = 0; i < m->n; i++)
		if (names[(unsigned char)*m->atom[i].chain & 127][0])
			strcpy(m->atom[i].chain, named(names, m->atom[i].chain));
	return rc < 0 ? -1 : 0;
}
