/* SPDX-License-Identifier: MIT */
/*
 * cif.c - PDB records from the atoms of an mmCIF file, since pdb2pqr 3.5 reads few of these files.
 *
 * Of each name the author's is taken, as PDB files have it, else the label's.  Waters are left out,
 * as pdb2pqr is told to do.  Chains with a name that has no column in PDB files get a letter, told
 * by "REMARK 999 CHAIN B IS NAME" at each model's end; gem_lost gives them their names again.
 *
 * Own code, not gemmi: a program of gemmi's would be one more to install for one table of the file.
 */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "read.h"

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

enum column {
	GROUP,
	ELEMENT,
	ALTERNATE,
	INSERTION,
	X,
	Y,
	Z,
	MODEL,
	AUTHOR, /* four names of the author's, then the same of the label */
	ATOM = AUTHOR,
	RESIDUE,
	CHAIN,
	NUMBER,
	LABEL,
	COLUMNS = LABEL + 4
};

static const char *const names[COLUMNS] = {
	"group_PDB",     "type_symbol",   "label_alt_id",  "pdbx_PDB_ins_code",
	"Cartn_x",       "Cartn_y",       "Cartn_z",       "pdbx_PDB_model_num",
	"auth_atom_id",  "auth_comp_id",  "auth_asym_id",  "auth_seq_id",
	"label_atom_id", "label_comp_id", "label_asym_id", "label_seq_id",
};

struct cif {
	struct text *t;
	const char *at;
	struct gem_token k; /* the last word or value */
	int quoted; /* 1: it is a value, whatever it looks like */
	struct gem_token row[COLUMNS], chain[sizeof letters - 1], model; /* n 0: none */
	size_t atoms;
	FILE *to;
};

static int refuse(const struct cif *c, struct fault *e, const char *what, struct gem_token k)
{
	char shown[41] = ""; /* a terminal must not get control characters */
	size_t i;

	for (i = 0; i < k.n && i < sizeof shown - 1; i++)
		shown[i] = isprint((unsigned char)k.s[i]) ? k.s[i] : '?';
	return fail(e, "%.400s:%zu: %s: '%s'", c->t->name, c->t->line, what, shown);
}

/* 1: k has the next word or value; 0: the file ended; -1. */
static int next(struct cif *c, struct fault *e)
{
	const char *s = c->at, *end;

	for (; isspace((unsigned char)*s) || *s == '#'; s++) {
		if (*s == '#')
			s += strcspn(s, "\n");
		c->t->line += *s == '\n';
		if (!*s)
			break;
	}
	c->quoted = *s && (strchr("'\"", *s) || (*s == ';' && (s == c->t->data || s[-1] == '\n')));
	c->k = (struct gem_token){ s, strcspn(s, " \t\r\n") };
	end = s + c->k.n;
	if (c->quoted) {
		c->k.s = s + 1;
		if (*s == ';')
			end = strstr(s, "\n;") ? strstr(s, "\n;") + 1 : NULL;
		else
			for (end = s + 1; *end != *s || !strchr(" \t\r\n", end[1]); end++)
				if (!*end || *end == '\n') {
					end = NULL;
					break;
				}
		if (!end)
			return refuse(c, e, "a quoted text does not end", c->k);
		c->k.n = (size_t)(end++ - c->k.s);
		for (s = c->k.s; s < end; s++)
			c->t->line += *s == '\n';
	}
	c->at = end;
	return *c->k.s != 0 || c->quoted;
}

static int is(const struct cif *c, const char *word)
{
	return !c->quoted && strncasecmp(c->k.s, word, strlen(word)) == 0;
}

/* Ends a loop's values. */
static int is_word(const struct cif *c)
{
	return is(c, "_") || is(c, "loop_") || is(c, "data_") || is(c, "save_") || is(c, "stop_") ||
	       is(c, "global_");
}

/* The column of the tag, or -1. */
static int column(const struct cif *c)
{
	int i;

	if (!is(c, "_atom_site."))
		return -1;
	for (i = 0; i < COLUMNS; i++)
		if (strlen(names[i]) == c->k.n - 11 &&
		    strncasecmp(names[i], c->k.s + 11, c->k.n - 11) == 0)
			return i;
	return -1;
}

/* Keeps the value for column k.  Unquoted . and ? stand for no value. */
static int keep(struct cif *c, int k, struct fault *e)
{
	struct gem_token v = c->k;
	size_t n;

	while (v.n && isspace((unsigned char)*v.s))
		v.s++, v.n--;
	while (v.n && isspace((unsigned char)v.s[v.n - 1]))
		v.n--;
	for (n = 0; n < v.n && isprint((unsigned char)v.s[n]); n++)
		;
	if (n < v.n)
		return refuse(c, e, "a name with a line's end or another control character", v);
	if (!c->quoted && v.n == 1 && strchr(".?", *v.s))
		v.n = 0;
	c->row[k] = v;
	return 0;
}

/* The chain's letter: its name if that is one and free, else the last free one. */
static int letter(struct cif *c, struct gem_token name, struct fault *e)
{
	size_t i, own;

	if (!name.n)
		return ' ';
	for (i = 0; letters[i]; i++)
		if (c->chain[i].n == name.n && memcmp(c->chain[i].s, name.s, name.n) == 0)
			return letters[i];
	own = name.n == 1 && strchr(letters, *name.s) ?
	              (size_t)(strchr(letters, *name.s) - letters) :
	              i;
	if (own == i || c->chain[own].n)
		for (own = i; own > 0 && c->chain[own - 1].n; own--)
			;
	else
		own++;
	if (own == 0)
		return refuse(c, e, "more than 62 chains, which pdb2pqr's input cannot hold", name);
	c->chain[own - 1] = name;
	return letters[own - 1];
}

static void end_model(struct cif *c)
{
	size_t i;

	for (i = 0; letters[i]; i++)
		if (c->chain[i].n > 1 || (c->chain[i].n && *c->chain[i].s != letters[i]))
			fprintf(c->to, "REMARK 999 CHAIN %c IS %.*s\n", letters[i],
			        (int)c->chain[i].n, c->chain[i].s);
	if (c->model.n)
		fputs("ENDMDL\n", c->to);
}

/* One atom. */
static int atom(struct cif *c, struct fault *e)
{
	const struct gem_token *row = c->row, *k = row + AUTHOR;
	static const char *const rule[] = {
		"Cartn_x must be a number from -999.999 to 9999.999",
		"Cartn_y must be a number from -999.999 to 9999.999",
		"Cartn_z must be a number from -999.999 to 9999.999",
	};
	struct gem_token of[4];
	double v[3], number = 0;
	char name[8], res[8];
	int i, chain, element;

	for (i = 0; i < 4; i++)
		of[i] = k[i].n ? k[i] : row[LABEL + i];
	snprintf(res, sizeof res, "%.*s", (int)of[RESIDUE - AUTHOR].n, of[RESIDUE - AUTHOR].s);
	if (gem_is_water(res))
		return 0;
	if (strlen(res) > 3) /* no name of three letters by chance */
		strcpy(res + 2, "~");
	for (i = 0; i < 3; i++)
		if (!text_number(row[X + i].s, row[X + i].n, &v[i]) || v[i] <= -999.9995 ||
		    v[i] >= 9999.9995)
			return refuse(c, e, rule[i], row[X + i]);
	k = &of[NUMBER - AUTHOR];
	if (k->n && (!text_number(k->s, k->n, &number) || !(number >= -999 && number <= 9999) ||
	             number != (int)number))
		return refuse(c, e, "a residue's number must be a whole one from -999 to 9999", *k);
	chain = letter(c, of[CHAIN - AUTHOR], e);
	if (chain < 0)
		return -1;
	if (row[MODEL].n != c->model.n || memcmp(row[MODEL].s, c->model.s, row[MODEL].n) != 0) {
		if (c->atoms)
			end_model(c);
		c->model = row[MODEL];
		fprintf(c->to, "MODEL %8.*s\n", (int)c->model.n, c->model.s);
	}
	/* The first column of a name is for elements of two letters, and for names of four. */
	snprintf(name, sizeof name, "%.*s", (int)of[0].n, of[0].s);
	element = row[ELEMENT].n == 2 && strncasecmp(name, row[ELEMENT].s, 2) == 0;
	c->atoms++;
	fprintf(c->to, "%-6.*s%5zu %s%-*.4s%c%3s %c%4d%c   %8.3f%8.3f%8.3f  1.00  0.00%12.*s\n",
	        row[GROUP].n ? (int)row[GROUP].n : 4, row[GROUP].n ? row[GROUP].s : "ATOM",
	        c->atoms % 100000, element || strlen(name) > 3 ? "" : " ",
	        element || strlen(name) > 3 ? 4 : 3, name,
	        row[ALTERNATE].n ? *row[ALTERNATE].s : ' ', res, chain, (int)number,
	        row[INSERTION].n ? *row[INSERTION].s : ' ', v[0], v[1], v[2],
	        (int)(row[ELEMENT].n < 2 ? row[ELEMENT].n : 2), row[ELEMENT].s);
	return 0;
}

/* The loop's rows are read to their end also where they are no atoms. */
static int loop(struct cif *c, struct fault *e)
{
	signed char at[256];
	size_t n = 0, i = 0;
	int rc, atoms = 0, k;

	while ((rc = next(c, e)) > 0 && is(c, "_")) {
		if (n == sizeof at)
			return refuse(c, e, "a table of more than 256 columns", c->k);
		at[n++] = (signed char)column(c);
		atoms |= at[n - 1] >= 0;
	}
	for (; rc > 0 && !is_word(c); rc = next(c, e)) {
		k = n ? at[i] : -1;
		if (k >= 0 && keep(c, k, e))
			return -1;
		i = n && i + 1 < n ? i + 1 : 0;
		if (i == 0 && atoms && atom(c, e))
			return -1;
	}
	return rc >= 0 && i ? refuse(c, e, "a row of the table before has too few values", c->k) :
	                      rc;
}

static int parse(struct cif *c, struct fault *e)
{
	int k, rc = next(c, e), single = 0;

	while (rc > 0) {
		if (is(c, "data_") && (c->atoms || single))
			break;
		k = column(c);
		if (is(c, "loop_")) {
			rc = loop(c, e); /* k has what is behind it */
			continue;
		}
		rc = is(c, "_") ? next(c, e) : rc;
		if (rc > 0 && k >= 0) {
			rc = keep(c, k, e) ? -1 : rc;
			single = 1;
		}
		rc = rc > 0 ? next(c, e) : rc;
	}
	return rc < 0 || (single && atom(c, e)) ? -1 : 0;
}

int gem_cif(struct text *t, struct fault *e)
{
	struct cif c = { .model = { "", 0 } };
	char *made = NULL;
	size_t size = 0;
	int rc, k;

	if (memchr(t->data, 0, t->size))
		return fail(e, "%.400s: a zero byte: this is not a text file", t->name);
	c.t = t;
	c.at = t->data;
	c.to = open_memstream(&made, &size);
	for (k = 0; k < COLUMNS; k++)
		c.row[k].s = "";
	if (strncmp(t->data, "\xef\xbb\xbf", 3) == 0)
		c.at += 3;
	t->line = 1;
	rc = c.to ? parse(&c, e) : fail(e, "out of memory");
	if (rc == 0 && c.atoms == 0)
		rc = fail(
		        e,
		        "%.400s: no atoms: there is no table _atom_site with Cartn_x, which files "
		        "of the PDB have",
		        t->name);
	if (c.to) {
		end_model(&c);
		fputs("END\n", c.to);
		if ((ferror(c.to) | fclose(c.to)) && rc == 0)
			rc = fail(e, "out of memory");
	}
	t->line = 0;
	if (rc) {
		free(made);
		return -1;
	}
	free(t->data);
	t->data = made;
	t->size = size;
	t->at = 0;
	return 0;
}
