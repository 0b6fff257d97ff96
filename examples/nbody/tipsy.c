/* SPDX-License-Identifier: MIT */
/*
 * tipsy.c - bodies in the binary format of the program tipsy.
 *
 * A header: the time, a double, and six ints: bodies, dimensions, gas, dark, stars
 * and a filler.  Then the particles, gas first, all floats.  The standard
 * order of bytes is XDR's, big endian; files that a PC wrote as its memory has them
 * are little endian.  Some lack the filler, which is 0; their first mass stands there, above 0.
 *
 * All particles become bodies; the other properties of gas and stars are kept.  Files are written
 * big endian, with a potential of 0; types of particles that tipsy does not know are dark.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "nb.h"

#define HEADER 32
#define DIMENSIONS 3

enum {
	BODIES,
	NDIM,
	COUNTS
};

/* Floats of a particle begin with mass, x, y, z, vx, vy, vz. */
static const struct kind {
	const char *name;
	enum nb_kind kind;
	size_t floats, softening; /* in all; the place of this one */
	size_t trait[3]; /* the places of those that are kept; 0: none */
} kinds[] = {
	{ "gas",
	  NB_GAS,
	  12,
	  9,
	  { 7, 8, 10 } }, /* density, temperature, softening, metals, potential */
	{ "dark", NB_DARK, 9, 7, { 0 } }, /* softening, potential */
	{ "star", NB_STAR, 11, 9, { 7, 8 } }, /* metals, time of formation, softening, potential */
};

struct header {
	double time;
	uint32_t word[5];
	int big;
};

static uint64_t get(const unsigned char *p, size_t bytes, int big)
{
	uint64_t v = 0;
	size_t i;

	for (i = 0; i < bytes; i++)
		v = v << 8 | p[big ? i : bytes - 1 - i];
	return v;
}

static double get_float(const unsigned char *p, int big)
{
	uint32_t bits = (uint32_t)get(p, 4, big);
	float v;

	memcpy(&v, &bits, sizeof v);
	return (double)v;
}

static int get_header(struct header *h, const struct text *t)
{
	const unsigned char *p = (const unsigned char *)t->data;
	uint64_t bits;
	size_t i;

	if (t->size < HEADER - 4)
		return 0;
	for (h->big = 1; h->big >= 0; h->big--) {
		bits = get(p, 8, h->big);
		memcpy(&h->time, &bits, sizeof h->time);
		for (i = 0; i < 5; i++)
			h->word[i] = (uint32_t)get(p + 8 + 4 * i, 4, h->big);
		/* A small number has zero bytes, which no text has, and the other
		 * order makes it a large one. */
		if (h->word[NDIM] >= 1 && h->word[NDIM] <= DIMENSIONS)
			return 1;
	}
	return 0;
}

int nb_tipsy_is(const struct text *t)
{
	struct header h;

	return get_header(&h, t);
}

/* Where the particles begin; 0 if the header and the size do not agree. */
static size_t start(const struct header *h, const struct text *t, struct fault *e)
{
	const uint32_t *count = h->word + COUNTS;
	uint64_t bytes = 0, sum = 0;
	int i;

	for (i = 0; i < 3; i++) {
		sum += count[i];
		bytes += (uint64_t)count[i] * kinds[i].floats * 4;
	}
	if (h->word[NDIM] != DIMENSIONS)
		fail(e, "%.400s: a tipsy file of %u dimensions: there must be 3", t->name,
		     (unsigned)h->word[NDIM]);
	else if (sum != h->word[BODIES] || sum > INT32_MAX)
		fail(e, "%.400s: the tipsy header has %u bodies, but %u gas + %u dark + %u stars",
		     t->name, (unsigned)h->word[BODIES], (unsigned)count[0], (unsigned)count[1],
		     (unsigned)count[2]);
	else if (sum == 0)
		fail(e, "%.400s: the file has no bodies", t->name);
	else if (!isfinite(h->time))
		fail(e, "%.400s: the time in the tipsy header is not finite", t->name);
	else if (t->size == HEADER + bytes ||
	         (t->size == HEADER - 4 + bytes &&
	          get((const unsigned char *)t->data + HEADER - 4, 4, 1)))
		return (size_t)(t->size - bytes);
	else if (t->size == HEADER - 4 + bytes)
		fail(e,
		     "%.400s: the tipsy file has %zu bytes, 4 too few for its %llu bodies: it is "
		     "cut, or has no filler, but then its first mass must not be 0",
		     t->name, t->size, (unsigned long long)sum);
	else
		fail(e, "%.400s: the tipsy file has %zu bytes, but its %llu bodies take %llu",
		     t->name, t->size, (unsigned long long)sum,
		     (unsigned long long)(HEADER + bytes));
	return 0;
}

/* Body i of the system from a particle; and the softening of all bodies so far. */
static const char *particle(struct nb_system *s, size_t i, const unsigned char *p,
                            const struct kind *kind, int big)
{
	double v[7];
	int k;

	s->kind[i] = (unsigned char)kind->kind;
	for (k = 0; k < 3; k++)
		if (kind->trait[k])
			s->traits[3 * i + (size_t)k] =
			        (float)get_float(p + 4 * kind->trait[k], big);

	for (k = 0; k < 6; k++)
		v[k] = get_float(p + 4 + 4 * k, big);
	v[6] = get_float(p, big);
	nb_system_soften(s, i == 0, get_float(p + 4 * kind->softening, big));
	return nb_system_put(s, i, v);
}

int nb_tipsy_parse(struct nb_system *s, const struct text *t, struct fault *e)
{
	const unsigned char *p = (const unsigned char *)t->data;
	const char *wrong;
	struct header h;
	size_t at, i, j, k;

	if (!get_header(&h, t))
		return fail(e, "%.400s: this is not a tipsy file", t->name);
	at = start(&h, t, e);
	if (!at || nb_system_new(s, h.word[BODIES], e) || nb_system_kinds(s, e))
		return -1;
	s->time = h.time;
	if (at < HEADER)
		nb_system_note(s, "%.300s: the tipsy header has no filler, so 28 bytes", t->name);
	for (p += at, k = i = 0; k < 3; k++)
		for (j = 0; j < h.word[COUNTS + k]; j++, i++, p += 4 * kinds[k].floats) {
			wrong = particle(s, i, p, &kinds[k], h.big);
			if (wrong)
				return fail(e, "%.400s: %s particle %zu: %s", t->name,
				            kinds[k].name, j + 1, wrong);
		}
	if (s->mixed)
		s->softening = -1;
	return 0;
}

static void put(unsigned char *p, uint64_t v, size_t bytes)
{
	for (; bytes; v >>= 8)
		p[--bytes] = (unsigned char)v;
}

static void put_float(unsigned char *p, double v)
{
	float f = (float)v;
	uint32_t bits;

	memcpy(&bits, &f, sizeof bits);
	put(p, bits, sizeof bits);
}

static const struct kind *kind_of(const struct nb_system *s, size_t i)
{
	switch (nb_system_kind(s, i)) {
	case NB_GAS:
		return &kinds[0];
	case NB_STAR:
		return &kinds[2];
	default:
		return &kinds[1];
	}
}

static int print_body(FILE *f, const struct nb_system *s, size_t i, struct fault *e)
{
	const struct kind *kind = kind_of(s, i);
	const double *x = s->body + 4 * i, *v = s->velocity + 4 * i;
	double part[12] = { x[3], x[0], x[1], x[2], v[0], v[1], v[2] };
	unsigned char bytes[sizeof part / 2] = { 0 };
	size_t k;

	part[kind->softening] = s->softening > 0 ? s->softening : 0;
	for (k = 0; k < 3; k++)
		if (kind->trait[k])
			part[kind->trait[k]] = (double)s->traits[3 * i + k];
	for (k = 0; k < kind->floats; k++) {
		if (!(fabs(part[k]) <= FLT_MAX))
			return fail(e, "body %zu does not fit the floats of a tipsy file", i + 1);
		put_float(bytes + 4 * k, part[k]);
	}
	fwrite(bytes, 4 * kind->floats, 1, f);
	return 0;
}

int nb_tipsy_print(FILE *f, const void *system, struct fault *e)
{
	const struct nb_system *s = system;
	unsigned char head[HEADER] = { 0 };
	size_t i, k, count[3] = { 0 };
	uint64_t bits;

	if (s->n > INT32_MAX)
		return fail(e, "a tipsy file can have at most %d bodies", INT32_MAX);
	for (i = 0; i < s->n; i++)
		count[kind_of(s, i) - kinds]++;
	memcpy(&bits, &s->time, sizeof bits);
	put(head, bits, 8);
	put(head + 8, s->n, 4);
	put(head + 12, DIMENSIONS, 4);
	for (k = 0; k < 3; k++)
		put(head + 16 + 4 * k, count[k], 4);
	fwrite(head, sizeof head, 1, f);
	for (k = 0; k < 3; k++)
		for (i = 0; i < s->n && count[k]; i++)
			if (kind_of(s, i) == &kinds[k] && print_body(f, s, i, e))
				return -1;
	return 0;
}
