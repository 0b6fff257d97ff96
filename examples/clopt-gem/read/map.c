/* SPDX-License-Identifier: MIT */
/*
 * map.c - maps in OpenDX format, as APBS and clopt-gem write them, as text or binary, compressed by
 * gzip or not.
 *
 * No library is used: Debian has none for this format; gridDataFormats is for Python and reads the
 * text form only.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "read.h"

#define MOST_NODES 1e11
#define ROUNDING 1e-6 /* of a step */

/* One blank for each run of blanks and tabs, none at the line's ends. */
static void squeeze(struct text *t)
{
	size_t i, to = 0;

	for (i = 0; i < t->len; i++)
		if (!strchr(" \t", t->buf[i]))
			t->buf[to++] = t->buf[i];
		else if (to && t->buf[to - 1] != ' ')
			t->buf[to++] = ' ';
	t->len = to - (to && t->buf[to - 1] == ' ');
	t->buf[t->len] = 0;
}

/* The numbers of a line behind its words. */
static int numbers(const struct text *t, int words, double v[3], struct fault *e)
{
	struct gem_token k[16];
	const size_t n = gem_tokens(t->buf, k, 16);

	return n == (size_t)words + 3 ? gem_numbers(t, k + words, 3, v, e) :
	                                text_refuse(t, e, "there must be three numbers");
}

/* The grid's axes as the file orders them, the last one fastest, and how the values are written. */
struct layout {
	size_t n[3];
	int axes, along[3]; /* along: 0 x, 1 y, 2 z */
	double step[3]; /* negative: against that coordinate */
	int binary, msb; /* msb: the most significant byte is the first */
	size_t bytes; /* of a value, if they are binary */
};

static int counts(struct layout *l, const struct text *t, struct fault *e)
{
	double v[3];
	int k;

	if (numbers(t, 5, v, e))
		return -1;
	for (k = 0; k < 3; k++) {
		l->n[k] = v[k] >= 2 && v[k] <= 1e9 ? (size_t)v[k] : 0;
		if ((double)l->n[k] != v[k])
			return text_refuse(
			        t, e, "%g nodes along an axis: it must be a whole number from 2",
			        v[k]);
	}
	return v[0] * v[1] * v[2] <= MOST_NODES ? 0 : text_refuse(t, e, "too many nodes");
}

/* Programs that turn boxes leave roundings off the axis. */
static int delta(struct layout *l, const struct text *t, struct fault *e)
{
	double v[3];
	int k, along = 0;

	if (l->axes > 2)
		return text_refuse(t, e, "a fourth axis: there must be three");
	if (numbers(t, 1, v, e))
		return -1;
	for (k = 1; k < 3; k++)
		along = fabs(v[k]) > fabs(v[along]) ? k : along;
	for (k = 0; k < 3; k++)
		if (v[along] == 0 || (k != along && fabs(v[k]) > ROUNDING * fabs(v[along])))
			return text_refuse(t, e, "axis %d of the grid must be along x, y or z",
			                   l->axes + 1);
	for (k = 0; k < l->axes; k++)
		if (l->along[k] == along)
			return text_refuse(t, e, "axes %d and %d of the grid are both along %c",
			                   k + 1, l->axes + 1, "xyz"[along]);
	l->along[l->axes] = along;
	l->step[l->axes++] = v[along];
	return 0;
}

/* The map's own order: z fastest, all steps positive. */
static void order(struct gem_map *m, const struct layout *l)
{
	int k;

	for (k = 0; k < 3; k++) {
		m->n[l->along[k]] = l->n[k];
		m->step[l->along[k]] = fabs(l->step[k]);
		if (l->step[k] < 0)
			m->origin[l->along[k]] += l->step[k] * (double)(l->n[k] - 1);
	}
}

/* Where the i-th value of the file belongs. */
static size_t place(const struct gem_map *m, const struct layout *l, size_t i)
{
	const size_t stride[3] = { m->n[1] * m->n[2], m->n[2], 1 };
	size_t to = 0, at;
	int k;

	for (k = 2; k >= 0; k--, i /= l->n[k + 1]) {
		at = i % l->n[k];
		to += stride[l->along[k]] * (l->step[k] < 0 ? l->n[k] - 1 - at : at);
	}
	return to;
}

static int machine_msb(void)
{
	const unsigned one = 1;

	return *(const unsigned char *)&one == 0;
}

/* A line's words about the values, as "binary" or "lsb ieee"; APBS leaves the order of bytes to the
 * machine. */
static void describe(struct layout *l, const char *line)
{
	if (strstr(line, "binary") || strstr(line, "ieee"))
		l->binary = 1;
	else if (strstr(line, "ascii") || strstr(line, "text"))
		l->binary = 0;
	if (strstr(line, "lsb") || strstr(line, "msb"))
		l->msb = strstr(line, "msb") != NULL;
	l->bytes = strstr(line, "type float") ? sizeof(float) : sizeof(double);
}

static int binary(struct gem_map *m, size_t all, const struct text *t, const struct layout *l,
                  struct fault *e)
{
	const unsigned char *s = (const unsigned char *)t->data + t->at;
	const size_t there = (t->size - t->at) / l->bytes;
	unsigned char raw[sizeof(double)];
	size_t i, k;
	double d;

	if (there < all)
		return fail(e, "%.400s: the header says %zu binary values, the file has %zu",
		            t->name, all, there);
	for (i = 0; i < all; i++, s += l->bytes) {
		float *const to = &m->value[place(m, l, i)];

		for (k = 0; k < l->bytes; k++)
			raw[l->msb == machine_msb() ? k : l->bytes - 1 - k] = s[k];
		memcpy(to, raw, sizeof *to);
		if (l->bytes == sizeof d) {
			memcpy(&d, raw, sizeof d);
			*to = (float)d;
		}
		if (!isfinite(*to))
			return fail(e, "%.400s: value %zu of %zu is not finite", t->name, i + 1,
			            all);
	}
	return 0;
}

/* The number of values that their line promises, if it does, is that of the nodes. */
static int items(const struct text *t, size_t all, struct fault *e)
{
	const char *s = strstr(t->buf, "items");

	if (!s || strtod(s + 5, NULL) == (double)all)
		return 0;
	return text_refuse(t, e, "%.0f values for a grid of %zu nodes: there must be as many",
	                   strtod(s + 5, NULL), all);
}

static int values(struct gem_map *m, struct text *t, const struct layout *l, struct fault *e)
{
	const size_t all = l->n[0] * l->n[1] * l->n[2];
	struct gem_token k;
	const char *s;
	size_t done = 0;
	double v;
	int rc = 1;

	if (items(t, all, e))
		return -1;
	order(m, l);
	m->value = malloc(all * sizeof *m->value);
	if (!m->value)
		return fail(e, "%.400s: out of memory for %zu values", t->name, all);
	if (l->binary)
		return binary(m, all, t, l, e);
	while (done < all && (rc = text_next(t, e)) > 0) {
		for (s = t->buf; gem_next(&s, &k); done++) {
			if (done == all)
				return text_refuse(t, e, "more values than the %zu of the header",
				                   all);
			if (!text_number(k.s, k.n, &v))
				return text_refuse(t, e, "'%.*s' is not a number: value %zu of %zu",
				                   (int)(k.n < 40 ? k.n : 40), k.s, done + 1, all);
			if (!isfinite((float)v))
				return text_refuse(t, e, "value %zu of %zu, %g, is too large",
				                   done + 1, all, v);
			m->value[place(m, l, done)] = (float)v;
		}
	}
	return rc < 0      ? -1 :
	       done == all ? 0 :
	                     fail(e, "%.400s: the header says %zu values, the file has %zu",
	                          t->name, all, done);
}

/* The unit that a comment names: "potential in kT/e, mode ..." of clopt-gem, "POTENTIAL (kT/e)" of
 * APBS. */
static void comment(struct gem_map *m, const char *s)
{
	while (*s && strncasecmp(s, "potential", 9) != 0)
		s++;
	s += *s ? 9 : 0;
	s += *s == 's';
	if (strncmp(s, " in ", 4) == 0)
		s += 4;
	else if (strncmp(s, " (", 2) == 0)
		s += 2;
	else
		return;
	snprintf(m->unit, sizeof m->unit, "%.*s", (int)strcspn(s, " ,)"), s);
	s += strcspn(s, " ,)");
	if (strncmp(s, ", mode ", 7) == 0)
		snprintf(m->mode, sizeof m->mode, "%s", s + 7);
}

static int parse(struct gem_map *m, struct text *t, struct fault *e)
{
	struct layout l = { .msb = machine_msb(), .bytes = sizeof(double) };
	int rc, origin = 0;

	while ((rc = text_next(t, e)) > 0) {
		squeeze(t);
		if (t->buf[0] == '#') {
			comment(m, t->buf);
			continue;
		}
		if (strstr(t->buf, "data mode") || strstr(t->buf, "follows"))
			describe(&l, t->buf);
		if (strstr(t->buf, "class gridpositions counts"))
			rc = counts(&l, t, e);
		else if (strncmp(t->buf, "origin", 6) == 0 && ++origin)
			rc = numbers(t, 1, m->origin, e);
		else if (strncmp(t->buf, "delta", 5) == 0)
			rc = delta(&l, t, e);
		else if (strstr(t->buf, "follows")) /* "data follows", or without data */
			return l.n[0] && origin && l.axes == 3 ?
			               values(m, t, &l, e) :
			               text_refuse(t, e,
			                           "counts, origin and three deltas must come "
			                           "before the values");
		if (rc < 0)
			return -1;
	}
	return rc < 0 ? -1 : fail(e, "%.400s: this is not a map in OpenDX format", t->name);
}

int gem_map_read(struct gem_map *m, const char *name, struct fault *e)
{
	struct text t;
	int rc;

	memset(m, 0, sizeof *m);
	rc = text_read(&t, NULL, name, e) || parse(m, &t, e) ? -1 : 0;
	text_free(&t);
	if (rc)
		gem_map_free(m);
	return rc;
}

void gem_map_free(struct gem_map *m)
{
	free(m->value);
	memset(m, 0, sizeof *m);
}
