/* SPDX-License-Identifier: MIT */
/*
 * pqr.c - an atom's record in a PQR file.
 *
 * The format is "ATOM serial name residue [chain] number x y z charge radius"
 * by some programs' count of columns and by other programs' blanks.  So a
 * record is read from its end, where the five important numbers stand, and by the columns of the PDB
 * only if that fails.  A record that cannot be read
 * is an error: a molecule with an atom missing looks like a result.
 */
#include <limits.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "read.h"

#define FIELDS 32
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

static int letter(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/* "12", "301A" with its insertion code, "O1058" with the chain before it. */
static int residue(struct gem_atom *a, struct gem_token k)
{
	size_t i = 0, n;
	double v;

	a->ins = 0;
	if (k.n > 1 && letter(k.s[0])) {
		put(a->chain, sizeof a->chain, k.s, 1);
		k.s++, k.n--;
	}
	if (k.n > 1 && letter(k.s[k.n - 1]))
		a->ins = k.s[--k.n];
	n = k.n;
	if (n && (k.s[0] == '-' || k.s[0] == '+'))
		i = 1;
	if (i == n)
		return 0;
	for (; i < n; i++)
		if (k.s[i] < '0' || k.s[i] > '9')
			return 0;
	if (!text_number(k.s, k.n, &v) || fabs(v) > INT_MAX)
		return 0;
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
		return text_refuse(t, e, "the radius %g is negative", v[4]);
	return 0;
}

/* Names by columns, for records without the blanks. */
static void names(const struct text *t, struct gem_atom *a)
{
	struct gem_token k = columns(t, 13, 16);

	put(a->name, sizeof a->name, k.s, k.n);
	k = columns(t, 18, 21);
	put(a->resname, sizeof a->resname, k.s, k.n);
	k = columns(t, 22, 22);
	put(a->chain, sizeof a->chain, k.s, k.n);
}

/* 1 if the fields could be told apart by blanks. */
static int by_blanks(const struct text *t, const struct gem_token *k, size_t n, struct gem_atom *a,
                     double v[TAIL])
{
	size_t i, front; /* fields before the residue's number */

	if (n < TAIL + 4)
		return 0;
	front = n - TAIL - 1;
	for (i = 0; i < TAIL; i++)
		if (!text_number(k[n - TAIL + i].s, k[n - TAIL + i].n, &v[i]))
			return 0;
	if (front < 4) {
		/* Two of serial, name and residue have run together. */
		names(t, a);
	} else {
		put(a->name, sizeof a->name, k[2].s, k[2].n);
		i = front > 4 ? front - 2 : 3;
		put(a->resname, sizeof a->resname, k[i].s, k[i].n);
		if (front > 4)
			put(a->chain, sizeof a->chain, k[front - 1].s, k[front - 1].n);
	}
	return residue(a, k[front]);
}

static int by_columns(const struct text *t, struct gem_atom *a, double v[TAIL])
{
	static const unsigned char from[] = { 31, 39, 47 };
	struct gem_token k, end[3];
	size_t i;

	for (i = 0; i < 3; i++) {
		k = columns(t, from[i], from[i] + 7u);
		if (!text_number(k.s, k.n, &v[i]))
			return 0;
	}
	/* A third number or a word here is a PDB file, with occupancies where
	 * the charges should be. */
	if (t->len < 55 || gem_tokens(t->buf + 54, end, 3) != 2 ||
	    !text_number(end[0].s, end[0].n, &v[3]) || !text_number(end[1].s, end[1].n, &v[4]))
		return 0;
	names(t, a);
	return residue(a, columns(t, 23, 27));
}

/* Which part of a record that both ways refused is to blame. */
static int blame(const struct text *t, const struct gem_token *k, size_t n, struct fault *e)
{
	double v;
	size_t i;

	if (n < TAIL + 4)
		return text_refuse(t, e,
		                   "too few fields for an atom (serial, name, residue, "
		                   "number, x, y, z, charge, radius)");
	for (i = n - TAIL; i < n; i++)
		if (!text_number(k[i].s, k[i].n, &v))
			return text_refuse(t, e,
			                   "'%.*s' is not a number (a record ends with "
			                   "x, y, z, charge and radius; a PDB file has "
			                   "to go through pdb2pqr first)",
			                   (int)(k[i].n < 40 ? k[i].n : 40), k[i].s);
	i = n - TAIL - 1;
	return text_refuse(t, e, "'%.*s' is not a residue number", (int)(k[i].n < 40 ? k[i].n : 40),
	                   k[i].s);
}

static int record(const struct text *t, size_t keyword, struct gem_atom *a, struct fault *e)
{
	struct gem_token k[FIELDS];
	double v[TAIL];
	size_t n;

	/* The keyword may have run into the serial number. */
	k[0].s = t->buf;
	k[0].n = keyword;
	n = 1 + gem_tokens(t->buf + keyword, k + 1, FIELDS - 1);
	if (n > FIELDS)
		return text_refuse(t, e, "too many fields for an atom");
	memset(a, 0, sizeof *a);
	if (!by_blanks(t, k, n, a, v)) {
		memset(a, 0, sizeof *a);
		if (!by_columns(t, a, v))
			return blame(t, k, n, e);
	}
	if (in_range(t, v, e))
		return -1;
	a->x = v[0];
	a->y = v[1];
	a->z = v[2];
	a->q = v[3];
	a->r = v[4];
	return 0;
}

/* The length of the keyword of an atom's record and the blanks before it; 0 for
 * any other line.  Records that people indent or write small are records still:
 * a molecule with an atom missing looks like a result. */
static size_t keyword(const char *s)
{
	size_t blank = strspn(s, " \t"), n = 0;

	s += blank;
	if (strncasecmp(s, "ATOM", 4) == 0)
		n = 4;
	else if (strncasecmp(s, "HETATM", 6) == 0)
		n = 6;
	return n && (!s[n] || strchr(" \t0123456789", s[n])) ? blank + n : 0;
}

int gem_record(const struct text *t, struct gem_atom *a, struct fault *e)
{
	const size_t n = keyword(t->buf);

	if (!n)
		return 0;
	return record(t, n, a, e) ? -1 : 1;
}
