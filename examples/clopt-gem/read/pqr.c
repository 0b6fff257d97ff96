/* SPDX-License-Identifier: MIT */
/*
 * pqr.c - an atom's record in a PQR file.
 *
 * The format is "ATOM serial name residue [chain] number x y z charge radius"
 * by some programs' count of columns and by other programs' blanks.  So a
 * record is read from its end, where the five important numbers stand, in files of Open Babel
 * before an element, and by the columns of the PDB only if that fails.  A record that cannot be
 * read is an error: a molecule with an atom missing looks like a result.
 */
#include <ctype.h>
#include <limits.h>
#include <math.h>
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

/* "12", "301A" with its insertion code, "O1058" with the chain before it. */
static int residue(struct gem_atom *a, struct gem_token k)
{
	size_t sign;
	double v;

	if (k.n > 1 && isalpha((unsigned char)k.s[0])) {
		put(a->chain, sizeof a->chain, k.s, 1);
		k.s++, k.n--;
	}
	if (k.n > 1 && isalpha((unsigned char)k.s[k.n - 1]))
		a->ins = k.s[--k.n];
	sign = k.n && (k.s[0] == '-' || k.s[0] == '+');
	if (strspn(k.s + sign, "0123456789") < k.n - sign || !text_number(k.s, k.n, &v) ||
	    fabs(v) > INT_MAX)
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
		return text_refuse(t, e, "radius %g: it must not be negative", v[4]);
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

/* Fields apart by blanks. */
static int by_blanks(const struct text *t, const struct gem_token *k, size_t n, struct gem_atom *a,
                     double v[TAIL], struct fault *e)
{
	size_t i, front; /* fields before the residue's number */

	if (n < TAIL + 4)
		return text_refuse(t, e,
		                   "too few fields for an atom (serial, name, residue, number, x, "
		                   "y, z, charge, radius)");
	front = n - TAIL - 1;
	for (i = front + 1; i < n; i++)
		if (!text_number(k[i].s, k[i].n, &v[i - front - 1]))
			return text_refuse(
			        t, e,
			        "'%.*s' is not a number: a record ends with x, y, z, charge and "
			        "radius (a PDB file must go through pdb2pqr first)",
			        (int)(k[i].n < 40 ? k[i].n : 40), k[i].s);
	if (front < 4 || (front == 4 && k[2].n > 4 && k[3].n == 1)) {
		/* Two of serial, name and residue have run together, a name and a residue by a
		 * letter for an alternate location. */
		names(t, a);
	} else {
		put(a->name, sizeof a->name, k[2].s, k[2].n);
		i = front > 4 ? front - 2 : 3;
		put(a->resname, sizeof a->resname, k[i].s, k[i].n);
		if (front > 4)
			put(a->chain, sizeof a->chain, k[front - 1].s, k[front - 1].n);
	}
	if (residue(a, k[front]))
		return 0;
	/* One field short: a name or a chain is where the residue's number should be, and that is
	 * the next. */
	if (strcspn(k[front].s, "0123456789") >= k[front].n && residue(a, k[front + 1]))
		return text_refuse(t, e,
		                   "no radius: a record ends with x, y, z, charge and radius");
	return text_refuse(t, e, "'%.*s' is not a residue number",
	                   (int)(k[front].n < 40 ? k[front].n : 40), k[front].s);
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

/* Does the record end with an element, as Open Babel's do?  So do those of a PDB file, but there
 * two numbers of two digits behind the point stand before it, occupancy and B factor. */
static int ends_with_element(const struct gem_token *k, size_t n)
{
	size_t i, two = 0;
	double v;

	if (n < TAIL + 5 || k[n - 1].n > 2 || !isalpha((unsigned char)k[n - 1].s[0]) ||
	    !isalpha((unsigned char)k[n - 1].s[k[n - 1].n - 1]))
		return 0;
	for (i = n - 3; i < n - 1; i++) {
		if (!text_number(k[i].s, k[i].n, &v))
			return 0;
		two += k[i].n > 3 && k[i].s[k[i].n - 3] == '.';
	}
	return two < 2;
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

int gem_record(const struct text *t, struct gem_atom *a, struct fault *e)
{
	/* The keyword may have run into the serial number. */
	struct gem_token k[FIELDS] = { { t->buf, keyword(t->buf) } };
	double v[TAIL];
	size_t n, all;

	if (!k[0].n)
		return !runs_into_atom(t->buf) ?
		               0 :
		               text_refuse(t, e, "an atom follows another record in the same line");
	n = 1 + gem_tokens(t->buf + k[0].n, k + 1, FIELDS - 1);
	if (n > FIELDS)
		return text_refuse(t, e, "too many fields for an atom");
	all = n;
	n -= (size_t)ends_with_element(k, n);
	memset(a, 0, sizeof *a);
	if (by_blanks(t, k, n, a, v, e)) {
		memset(a, 0, sizeof *a);
		if (!by_columns(t, a, v)) /* e has the reason of the first way */
			return -1;
	}
	if (in_range(t, v, e))
		return -1;
	if (n < all)
		put(a->element, sizeof a->element, k[n].s, k[n].n);
	memcpy(a->at, v, sizeof a->at);
	a->q = v[3];
	a->r = v[4];
	return 1;
}
