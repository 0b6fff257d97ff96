/* SPDX-License-Identifier: MIT */
/*
 * pqr.c - an atom's record in a PQR file.
 *
 * The format is "ATOM serial name residue [chain] number x y z charge radius" by the columns of
 * some programs and by the blanks of others.  A record whose coordinates fill the columns of a
 * known layout is read by columns, since there fields run together; any other by blanks.  Behind
 * the radius there may be a comment, a segment, an element, a type.  The serial is not read.  A
 * record that cannot be read is an error: a molecule with an atom missing looks like a result.
 *
 * No library is used: gemmi and chemfiles read no PQR, and MDAnalysis only what has blanks.
 */
#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "read.h"

#define FIELDS 16 /* fewer than of two records in one line */
#define TAIL 5 /* x, y, z, charge, radius */

static void put(char *to, size_t size, const char *s, size_t n)
{
	if (n > size - 1)
		n = size - 1;
	memcpy(to, s, n);
	to[n] = 0;
}

/* Columns first to last, counted from 1, without the blanks around. */
static struct gem_token columns(const struct text *t, size_t first, size_t last)
{
	struct gem_token k = { t->buf + t->len, 0 };

	if (first <= t->len) {
		k.s = t->buf + first - 1;
		k.n = (last < t->len ? last : t->len) - first + 1;
	}
	while (k.n && (*k.s == ' ' || *k.s == '\t'))
		k.s++, k.n--;
	while (k.n && (k.s[k.n - 1] == ' ' || k.s[k.n - 1] == '\t'))
		k.n--;
	return k;
}

/* Numbers of four columns beyond 9999: hybrid-36 from A000 and a000 on, hexadecimal from 2710. */
static int with_letters(struct gem_token k, int *number)
{
	const long block = 26 * 36 * 36 * 36;
	char copy[5] = "", *end;
	int i, upper = 0, lower = 0;
	long v;

	if (k.n != 4 || !isalnum((unsigned char)k.s[0]))
		return 0;
	memcpy(copy, k.s, 4);
	for (i = 0; i < 4; i++) {
		upper += isupper((unsigned char)copy[i]) != 0;
		lower += islower((unsigned char)copy[i]) != 0;
	}
	if (isalpha((unsigned char)copy[0]))
		v = strtol(copy, &end, 36) - 10 * 36 * 36 * 36 + 10000 + (lower ? block : 0);
	else /* 301A has an insertion code */
		v = upper == 1 && isupper((unsigned char)copy[3]) ? 0 : strtol(copy, &end, 16);
	if (v < 10000 || *end || !upper == !lower)
		return 0;
	*number = (int)v;
	return 1;
}

/* "12", "301A" with its insertion code, "O1058" with the chain before it unless that is apart. */
static int residue(struct gem_atom *a, struct gem_token k, int apart)
{
	const int letter = k.n > 1 && isalpha((unsigned char)k.s[0]);
	const struct gem_token all = k;
	size_t sign;
	double v;

	/* A012 has no chain: numbers do not begin with 0. */
	if ((!letter || apart || k.s[1] == '0') && with_letters(all, &a->resnum))
		return 1;
	k.s += letter, k.n -= (size_t)letter;
	if (k.n > 1 && isalpha((unsigned char)k.s[k.n - 1]))
		a->ins = k.s[--k.n];
	sign = k.n && (k.s[0] == '-' || k.s[0] == '+');
	if (strspn(k.s + sign, "0123456789") < k.n - sign || !text_number(k.s, k.n, &v) ||
	    fabs(v) > INT_MAX) {
		a->ins = 0;
		return with_letters(all, &a->resnum);
	}
	if (letter && !*a->chain)
		put(a->chain, sizeof a->chain, all.s, 1);
	a->resnum = (int)v;
	return 1;
}

static int in_range(const struct text *t, const double v[TAIL], struct fault *e)
{
	int i;

	for (i = 0; i < TAIL; i++)
		if (fabs(v[i]) > GEM_LARGEST)
			return text_refuse(t, e, "%g is too large", v[i]);
	if (v[4] < 0)
		return text_refuse(t, e, "radius %g: it must not be negative", v[4]);
	return 0;
}

static int is_number(struct gem_token k, double *v)
{
	return text_number(k.s, k.n, v);
}

static int has(struct gem_token k, const char *of)
{
	return strcspn(k.s, of) < k.n;
}

/* The first columns of fields; behind the residue's number (and insertion code) comes a gap. */
struct layout {
	unsigned char name, residue, chain, number, gap, x, step;
};

static const struct layout layouts[] = {
	{ 13, 18, 22, 23, 28, 31, 8 }, /* of the PDB */
	{ 13, 17, 21, 22, 26, 27, 9 }, /* of GROMACS since 2018 */
};

/* Names by columns, s of them further right.  A residue of four letters may begin at column 17; an
 * alternate location between a name and a residue without blanks is omitted. */
static int names(const struct text *t, const struct layout *l, size_t s, struct gem_atom *a)
{
	const struct gem_token before = columns(t, l->residue + s - 2, l->residue + s - 2);
	const struct gem_token name = columns(t, l->name + s, l->name + s + 3);
	const struct gem_token chain = columns(t, l->chain + s, l->chain + s);
	const size_t wide = l->residue == 18 && !before.n;
	const struct gem_token res = columns(t, l->residue + s - wide, l->chain + s - 1u);

	put(a->name, sizeof a->name, name.s, name.n);
	put(a->resname, sizeof a->resname, res.s, res.n);
	put(a->chain, sizeof a->chain, chain.s, chain.n);
	return name.n && res.n && !has(name, " \t") && !has(res, " \t");
}

/* The coordinates are at the right of their columns, and nothing else is there.  One of three
 * digits behind the point may touch the next. */
static int fills(const struct text *t, const struct layout *l, size_t s, double v[3])
{
	struct gem_token k;
	const char *next;
	size_t i, from;

	if (columns(t, l->gap + s, l->x + s - 1).n)
		return 0;
	for (i = 0; i < 3; i++) {
		from = l->x + s + i * l->step;
		k = columns(t, from, from + 7);
		next = t->buf + from + 7;
		if (!has(k, ".") || !is_number(k, &v[i]) || k.s + k.n != next ||
		    (isdigit((unsigned char)*next) && (k.n < 5 || k.s[k.n - 4] != '.' || i == 2 ||
		                                       next[strcspn(next, " \t.")] != '.')))
			return 0;
	}
	return 1;
}

/* GROMACS says at the top of the file what the occupancies are: charges (-mead) or radii (-grasp).
 * Lines that were read end with zeros. */
static int occupancies_are(const struct text *t, const char *what)
{
	char says[60];
	const char *s;

	snprintf(says, sizeof says, "occupancy in this file hold atomic %s", what);
	for (s = t->data; s < t->buf && s < t->data + 4096; s += strlen(s) + 1)
		if (strstr(s, says))
			return 1;
	return 0;
}

/* Two digits behind the point, and the last is in the column. */
static int two_digits(const struct text *t, struct gem_token k, size_t column)
{
	return k.s + k.n == t->buf + column && k.n > 3 && k.s[k.n - 3] == '.';
}

/* The number of fields before a comment. */
static size_t without_comment(const struct gem_token *k, size_t n, size_t first)
{
	size_t i;

	for (i = first; i < n && i < FIELDS; i++)
		if (strchr("#!;", *k[i].s))
			return i;
	return n;
}

/* The last field behind the radius, if it is an element.  Two capitals are one in an atom whose
 * name begins so; elsewhere they are a type, as CT of AMBER. */
static void element(struct gem_atom *a, struct gem_token k)
{
	char s[4] = "";

	if (k.n > 1 && strchr("+-", k.s[k.n - 1])) /* N1+ */
		k.n -= k.n > 2 && isdigit((unsigned char)k.s[k.n - 2]) ? 2 : 1;
	put(s, sizeof s, k.s, k.n);
	if (!isalpha((unsigned char)s[0]) || s[2] ||
	    (s[1] && (!isupper((unsigned char)s[0]) || !isalpha((unsigned char)s[1]) ||
	              (isupper((unsigned char)s[1]) && strncmp(s, a->name, 2) != 0))))
		return;
	put(a->element, sizeof a->element, s, strlen(s));
}

/* 1: read; 0: the record has none of the layouts; -1. */
static int by_columns(const struct text *t, struct gem_atom *a, double v[TAIL], struct fault *e)
{
	const struct layout *l;
	struct gem_token k[FIELDS], number;
	size_t n, s;
	int pdb;

	/* Serials of more than five digits move the rest. */
	for (s = 0; s < 3; s++)
		for (l = layouts; l < layouts + 2; l++) {
			const size_t end = l->x + s + 2u * l->step + 7u;

			memset(a, 0, sizeof *a);
			if (!fills(t, l, s, v) || !names(t, l, s, a))
				continue;
			number = columns(t, l->number + s, l->gap + s - 1);
			if (l->gap - l->number == 5 && number.n &&
			    number.s + number.n == t->buf + l->gap + s - 1 &&
			    isalpha((unsigned char)number.s[number.n - 1]))
				a->ins = number.s[--number.n];
			while (number.n && number.s[number.n - 1] == ' ')
				number.n--;
			n = gem_tokens(t->buf + end, k, FIELDS);
			if (n < 2 || n > FIELDS || !is_number(k[0], &v[3]) ||
			    !is_number(k[1], &v[4]) || !residue(a, number, 1))
				continue;
			n = without_comment(k, n, 2);
			pdb = two_digits(t, k[0], end + 6) && two_digits(t, k[1], end + 12);
			if ((pdb || l > layouts) && occupancies_are(t, "radii")) {
				v[3] = v[4];
				is_number(k[0], &v[4]);
			} else if (n > 2 && pdb && !occupancies_are(t, "charges")) {
				return text_refuse(t, e,
				                   "occupancy and B factor where charge and radius "
				                   "should be: a PDB file must go through pdb2pqr "
				                   "first");
			}
			if (n > 2)
				element(a, k[n - 1]);
			return 1;
		}
	return 0;
}

/* A residue's number and five numbers from field p on. */
static int fits(const struct gem_token *k, size_t n, size_t p)
{
	struct gem_atom a = { .chain = "" };
	double v;
	size_t i;

	for (i = 1; i <= TAIL && p + i < n && is_number(k[p + i], &v); i++)
		;
	return i > TAIL && residue(&a, k[p], 0);
}

/* The field with the residue's number: the five numbers end the record or begin with a point in x,
 * or a word, the chain, is before it.  Where nothing fits, the field that should have it. */
static size_t find_number(const struct gem_token *k, size_t n)
{
	size_t last = n, p;
	double v;

	while (last > TAIL + 4 && !is_number(k[last - 1], &v))
		last--;
	for (p = 4; p + TAIL < n; p++)
		if (fits(k, n, p) && (p + TAIL + 1 == last || has(k[p + 1], ".") ||
		                      (p > 4 && !has(k[p - 1], "0123456789"))))
			return p;
	return fits(k, n, 3) ? 3 : last - TAIL - 1;
}

/* Fields apart by blanks. */
static int by_blanks(const struct text *t, const struct gem_token *k, size_t n, struct gem_atom *a,
                     double v[TAIL], struct fault *e)
{
	size_t i, front; /* fields before the residue's number */

	if (n < TAIL + 4)
		return text_refuse(t, e,
		                   "too few fields for an atom (serial, name, residue, number, x, "
		                   "y, z, charge, radius)");
	front = find_number(k, n);
	for (i = 0; i < TAIL; i++) {
		const struct gem_token at = k[front + 1 + i];

		if (!is_number(at, &v[i]))
			return text_refuse(
			        t, e,
			        "'%.*s' is not a number: a record ends with x, y, z, charge and "
			        "radius (a PDB file must go through pdb2pqr first)",
			        (int)(at.n < 40 ? at.n : 40), at.s);
	}
	if (front < 4 || (front == 4 && k[2].n > 4 && k[3].n == 1)) {
		/* Two of serial, name and residue have run together, a name and a residue by a
		 * letter for an alternate location. */
		names(t, layouts, 0, a);
	} else {
		i = front > 4 ? front - 2 : 3;
		put(a->name, sizeof a->name, k[2].s, k[2].n);
		put(a->resname, sizeof a->resname, k[i].s, k[i].n);
		if (front > 4)
			put(a->chain, sizeof a->chain, k[front - 1].s, k[front - 1].n);
		else if (k[3].s == t->buf + 17 && k[3].n == 5) { /* residue and chain */
			a->resname[4] = 0;
			put(a->chain, sizeof a->chain, k[3].s + 4, 1);
		}
	}
	n = without_comment(k, n, front + TAIL + 1);
	if (n > front + TAIL + 1)
		element(a, k[n - 1]);
	if (residue(a, k[front], *a->chain != 0))
		return 0;
	/* One field short: a name or a chain is where the residue's number should be, and that is
	 * the next. */
	if (!has(k[front], "0123456789*") && residue(a, k[front + 1], 0))
		return text_refuse(t, e,
		                   "no radius: a record ends with x, y, z, charge and radius");
	return text_refuse(t, e, "'%.*s' is not a residue number",
	                   (int)(k[front].n < 40 ? k[front].n : 40), k[front].s);
}

/* The length of the keyword of an atom's record and the blanks before it; 0 for any other line.
 * People indent records and write them small; serials run into the keyword, also such as A0000 and
 * *****.  HETATMS is a word, and ATOM1 a record. */
static size_t keyword(const char *s)
{
	size_t blank = strspn(s, " \t"), n = 0, glued;

	s += blank;
	if (strncasecmp(s, "ATOM", 4) == 0)
		n = 4;
	else if (strncasecmp(s, "HETATM", 6) == 0)
		n = 6;
	for (glued = n; isalpha((unsigned char)s[glued]); glued++)
		;
	if (n == 6 && glued == 11) /* hybrid-36 of five letters */
		glued = n;
	return n && (glued == n || (s[glued] && !strchr(" \t", s[glued]))) ? blank + n : 0;
}

/* TER or END, and an atom in the same line. */
static int runs_into_atom(const char *s)
{
	s += strspn(s, " \t");
	if (strncasecmp(s, "TER", 3) != 0 && strncasecmp(s, "END", 3) != 0)
		return 0;
	while (*s && strncasecmp(s, "ATOM", 4) != 0 && strncasecmp(s, "HETATM", 6) != 0)
		s++;
	return *s != 0;
}

/* The bytes of a blank that is not ASCII, of UTF-8 or, if one, Latin-1; 0: there is none. */
static size_t wide_blank(const char *s)
{
	const unsigned char a = (unsigned char)s[0], b = a ? (unsigned char)s[1] : 0,
	                    c = b ? (unsigned char)s[2] : 0;

	if (a == 0xe2 &&
	    ((b == 0x80 && ((c >= 0x80 && c <= 0x8a) || c == 0xaf)) || (b == 0x81 && c == 0x9f)))
		return 3;
	if (a == 0xe3 && b == 0x80 && c == 0x80)
		return 3;
	return a == 0xc2 && b == 0xa0 ? 2 : a == 0xa0;
}

/* No-break and other spaces become blanks: editors and web pages put them. */
static void plain_blanks(struct text *t)
{
	size_t i, n, to = 0;

	for (i = 0; i < t->len; i += n ? n : 1) {
		n = wide_blank(t->buf + i);
		t->buf[to++] = n ? ' ' : t->buf[i];
	}
	t->buf[t->len = to] = 0;
}

const char gem_records[] =
        " ANISOU ATOM AUTHOR BOX CAVEAT CISPEP COMPND CONECT CRYST DBREF END ENDMDL EXPDTA FORMUL "
        "FTNOTE HEADER HELIX HET HETATM HETNAM HETSYN HYDBND JRNL KEYWDS LINK LINKR MASTER MDLTYP "
        "MODEL MODRES MTRIX NUMMDL OBSLTE ORIGX REMARK REVDAT SCALE SEQADV SEQRES SHEET SIGATM "
        "SIGUIJ SITE SLTBRG SOURCE SPLIT SPRSDE SSBOND TER TITLE TURN TVECT USER ";

int gem_is_record(const char *s)
{
	char word[12] = " ";
	size_t n = 1;

	s += strspn(s, " \t\v\f\r");
	if (!*s || strchr("#!;", *s))
		return 1;
	for (; n < sizeof word - 2 && isalpha((unsigned char)*s); s++)
		word[n++] = (char)toupper((unsigned char)*s);
	word[n] = ' ';
	return n > 1 && (!*s || !isalpha((unsigned char)*s)) && strstr(gem_records, word);
}

int gem_is_water(const char *name)
{
	return strlen(name) == 3 && strstr("HOH WAT DOD SOL TIP", name);
}

int gem_record(struct text *t, struct gem_atom *a, struct fault *e)
{
	struct gem_token k[FIELDS];
	double v[TAIL];
	size_t n;
	int rc;

	plain_blanks(t);
	k[0] = (struct gem_token){ t->buf, keyword(t->buf) };
	if (!k[0].n)
		return !runs_into_atom(t->buf) ?
		               0 :
		               text_refuse(t, e, "an atom follows another record in the same line");
	rc = by_columns(t, a, v, e);
	if (rc == 0) {
		n = 1 + gem_tokens(t->buf + k[0].n, k + 1, FIELDS - 1);
		n = without_comment(k, n, TAIL + 4);
		if (n > FIELDS)
			return text_refuse(t, e, "too many fields for an atom");
		memset(a, 0, sizeof *a);
		rc = by_blanks(t, k, n, a, v, e);
	}
	if (rc < 0 || in_range(t, v, e))
		return -1;
	memcpy(a->at, v, sizeof a->at);
	a->q = v[3];
	a->r = v[4];
	return 1;
}
