/* SPDX-License-Identifier: MIT */
/*
 * points.c - points to compute at, from MSMS .vert files and from plain lists.
 *
 * A .vert file has three header lines, the third with the number of vertices,
 * unless MSMS ran with -no_header.  The only sign of them is a '#'.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gem.h"

int gem_points_add(struct gem_points *p, const double at[3], const double *normal,
                   struct gem_error *e)
{
	void *more;
	int i;

	if (p->n == p->room) {
		p->room = p->room ? 2 * p->room : 4096;
		more = realloc(p->at, p->room * sizeof *p->at);
		if (!more)
			return gem_fail(e, "out of memory for %zu points", p->room);
		p->at = more;
		if (normal) {
			more = realloc(p->normal, p->room * sizeof *p->normal);
			if (!more)
				return gem_fail(e, "out of memory for %zu points", p->room);
			p->normal = more;
		}
	}
	for (i = 0; i < 3; i++) {
		p->at[p->n][i] = at[i];
		if (normal)
			p->normal[p->n][i] = (float)normal[i];
	}
	p->n++;
	return 0;
}

void gem_points_free(struct gem_points *p)
{
	free(p->at);
	free(p->normal);
	free(p->face);
	memset(p, 0, sizeof *p);
}

int gem_numbers(const struct gem_text *t, const struct gem_token *k, size_t want, double *v,
                struct gem_error *e)
{
	size_t i;

	for (i = 0; i < want; i++) {
		if (!gem_number(k[i].s, k[i].n, &v[i]))
			return gem_text_fail(t, e, "'%.*s' is not a number",
			                     (int)(k[i].n < 40 ? k[i].n : 40), k[i].s);
		if (fabs(v[i]) > GEM_LARGEST)
			return gem_text_fail(t, e, "%g is too large", v[i]);
	}
	return 0;
}

/* x y z nx ny nz, and columns that nothing here needs. */
static int vertex(struct gem_points *p, const struct gem_text *t, const struct gem_token *k,
                  size_t n, struct gem_error *e)
{
	double v[6], len;
	int i;

	if (n < 6)
		return gem_text_fail(t, e, "a vertex needs six numbers, x y z nx ny nz");
	if (gem_numbers(t, k, 6, v, e))
		return -1;
	/* MSMS writes three digits of a normal, so its length is not 1. */
	len = sqrt(v[3] * v[3] + v[4] * v[4] + v[5] * v[5]);
	if (len == 0)
		return gem_text_fail(t, e, "the normal has no length");
	for (i = 3; i < 6; i++)
		v[i] /= len;
	return gem_points_add(p, v, v + 3, e);
}

static int vert(struct gem_points *p, struct gem_text *t, struct gem_error *e)
{
	struct gem_token k[6];
	double count = -1;
	int rc, header = 0;
	size_t n;

	while ((rc = gem_text_next(t, e)) > 0) {
		n = gem_tokens(t->buf, k, 6);
		if (n == 0)
			continue;
		if (k[0].s[0] == '#') {
			header = 1;
			continue;
		}
		if (header && count < 0 && p->n == 0 && n < 6) {
			if (gem_numbers(t, k, 1, &count, e))
				return -1;
			if (count < 0 || count != floor(count))
				return gem_text_fail(t, e, "%g is not a number of vertices", count);
			continue;
		}
		if (vertex(p, t, k, n, e))
			return -1;
	}
	if (rc == 0 && count >= 0 && count != (double)p->n)
		rc = gem_fail(e, "%.400s:%zu: the header promises %.0f vertices, the file has %zu",
		              t->name, t->line - 1, count, p->n);
	return rc;
}

/* Commas become blanks; one with nothing before or behind it is an error. */
static int commas(char *s)
{
	int field = 0;

	if (!strchr(s, ','))
		return 0;
	for (;; s++) {
		if (*s == ',' || !*s) {
			if (!field)
				return -1;
			if (!*s)
				return 0;
			field = 0;
			*s = ' ';
		} else if (*s != ' ' && *s != '\t') {
			field = 1;
		}
	}
}

static int list(struct gem_points *p, struct gem_text *t, struct gem_error *e)
{
	char line[sizeof t->buf]; /* t keeps the line whole, for messages */
	struct gem_token k[3];
	double v[3];
	size_t n;
	int rc;

	while ((rc = gem_text_next(t, e)) > 0) {
		n = strcspn(t->buf, "#");
		memcpy(line, t->buf, n);
		line[n] = 0;
		if (commas(line))
			return gem_text_fail(t, e, "a field is empty");
		n = gem_tokens(line, k, 3);
		if (n == 0)
			continue;
		if (n != 3)
			return gem_text_fail(t, e, "a point has three numbers, not %zu", n);
		if (gem_numbers(t, k, 3, v, e) || gem_points_add(p, v, NULL, e))
			return -1;
	}
	return rc;
}

static int finish(struct gem_points *p, int rc, const char *name, struct gem_error *e)
{
	if (rc == 0 && p->n == 0)
		rc = gem_fail(e, "%.400s: there are no points in it", name);
	if (rc)
		gem_points_free(p);
	return rc;
}

int gem_points_read_vert(struct gem_points *p, FILE *f, const char *name, struct gem_error *e)
{
	struct gem_text t = { f, name, 0, 0, "" };

	memset(p, 0, sizeof *p);
	return finish(p, vert(p, &t, e), name, e);
}

int gem_points_read_list(struct gem_points *p, FILE *f, const char *name, struct gem_error *e)
{
	struct gem_text t = { f, name, 0, 0, "" };

	memset(p, 0, sizeof *p);
	return finish(p, list(p, &t, e), name, e);
}

int gem_points_load_list(struct gem_points *p, const char *path, struct gem_error *e)
{
	FILE *f = gem_text_open(path, e);
	int rc;

	memset(p, 0, sizeof *p);
	if (!f)
		return -1;
	rc = gem_points_read_list(p, f, path, e);
	fclose(f);
	return rc;
}
