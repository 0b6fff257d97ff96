/* SPDX-License-Identifier: MIT */
/*
 * points.c - points from MSMS .vert files, with the triangles of the .face file beside them, and
 * from plain lists.
 *
 * Both files of MSMS have three header lines, the third with the number of rows, unless MSMS ran
 * with -no_header.  The only sign of a header is a '#'.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "read.h"

int gem_points_add(struct gem_points *p, const double at[3], const double *normal, struct fault *e)
{
	size_t room = p->room;
	int i;

	if ((normal && grow(&p->normal, p->n, &room, sizeof *p->normal)) ||
	    grow(&p->at, p->n, &p->room, sizeof *p->at))
		return fail(e, "out of memory for %zu points", p->n);
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

/* x y z nx ny nz, and columns that nothing here needs. */
static int vertex(struct gem_points *p, size_t *room, const struct text *t,
                  const struct gem_token *k, size_t n, struct fault *e)
{
	double v[6], len;
	int i;

	(void)room;
	if (n < 6)
		return text_refuse(t, e, "a vertex needs six numbers, x y z nx ny nz");
	if (gem_numbers(t, k, 6, v, e))
		return -1;
	/* MSMS writes three digits of a normal, so its length is not 1. */
	len = sqrt(v[3] * v[3] + v[4] * v[4] + v[5] * v[5]);
	if (len == 0)
		return text_refuse(t, e, "the normal has no length");
	for (i = 3; i < 6; i++)
		v[i] /= len;
	return gem_points_add(p, v, v + 3, e);
}

/* Three numbers of vertices, counted from 1, and columns that nothing here needs. */
static int face(struct gem_points *p, size_t *room, const struct text *t, const struct gem_token *k,
                size_t n, struct fault *e)
{
	double v[3];
	int i;

	if (n < 3)
		return text_refuse(t, e, "a face needs three numbers of vertices");
	if (gem_numbers(t, k, 3, v, e))
		return -1;
	if (grow(&p->face, p->faces, room, sizeof *p->face))
		return fail(e, "out of memory for %zu faces", p->faces);
	for (i = 0; i < 3; i++) {
		if (v[i] < 1 || v[i] > (double)p->n || v[i] != floor(v[i]))
			return text_refuse(t, e,
			                   "vertex %g: it must be a whole number from 1 to %zu",
			                   v[i], p->n);
		p->face[p->faces][i] = (unsigned)v[i] - 1;
	}
	p->faces++;
	return 0;
}

/* x y z. */
static int point(struct gem_points *p, size_t *room, const struct text *t,
                 const struct gem_token *k, size_t n, struct fault *e)
{
	double v[3];

	(void)room;
	if (n != 3)
		return text_refuse(t, e, "%zu numbers: a point must have three", n);
	return gem_numbers(t, k, 3, v, e) || gem_points_add(p, v, NULL, e) ? -1 : 0;
}

/* By enum gem_rows.  `columns` of them are read; a header of MSMS has fewer. */
static const struct format {
	const char *rows;
	size_t columns;
	int (*row)(struct gem_points *p, size_t *room, const struct text *t,
	           const struct gem_token *k, size_t n, struct fault *e);
} formats[] = { { "vertices", 6, vertex }, { "faces", 5, face }, { "points", 3, point } };

/* Commas of a list become blanks, and its comments go; a comma with nothing before or behind it is
 * an error. */
static int commas(char *s)
{
	char *end;

	s[strcspn(s, "#")] = 0;
	for (; (end = strchr(s, ',')) != NULL; s = end + 1) {
		if (strspn(s, " \t") == (size_t)(end - s) || !end[1 + strspn(end + 1, " \t")])
			return -1;
		*end = ' ';
	}
	return 0;
}

static int rows(struct gem_points *p, struct text *t, enum gem_rows kind, struct fault *e)
{
	const struct format *format = &formats[kind];
	struct gem_token k[6];
	double count = -1;
	int rc, header = 0;
	size_t n, seen = 0, room = 0;

	while ((rc = text_next(t, e)) > 0) {
		if (kind == GEM_LIST && commas(t->buf))
			return text_refuse(t, e, "a field is empty");
		n = gem_tokens(t->buf, k, format->columns);
		if (n == 0)
			continue;
		if (k[0].s[0] == '#') {
			header = 1;
		} else if (header && count < 0 && seen == 0 && n < format->columns) {
			if (gem_numbers(t, k, 1, &count, e))
				return -1;
			if (count < 0 || count != floor(count))
				return text_refuse(t, e, "%g %s: it must be a whole number from 0",
				                   count, format->rows);
		} else if (seen++, format->row(p, &room, t, k, n, e)) {
			return -1;
		}
	}
	if (rc == 0 && count >= 0 && count != (double)seen)
		return fail(e, "%.400s:%zu: the header says %.0f %s, the file has %zu", t->name,
		            t->line, count, format->rows, seen);
	if (rc == 0 && p->n == 0)
		return fail(e, "%.400s: the file has no points", t->name);
	return rc;
}

int gem_points_read(struct gem_points *p, enum gem_rows kind, FILE *f, const char *name,
                    struct fault *e)
{
	struct text t;
	int rc;

	if (kind != GEM_FACES)
		memset(p, 0, sizeof *p);
	rc = text_read(&t, f, name, e) || rows(p, &t, kind, e) ? -1 : 0;
	if (rc)
		gem_points_free(p);
	text_free(&t);
	return rc;
}

const char *gem_faces_name(const char *path, char name[4096])
{
	const size_t n = strlen(path);

	*name = 0;
	if (n >= 5 && n < 4096 && strcmp(path + n - 5, ".vert") == 0)
		snprintf(name, 4096, "%.*s.face", (int)n - 5, path);
	return name;
}

int gem_points_load_vert(struct gem_points *p, const char *path, struct fault *e)
{
	struct stat st;
	char name[4096];

	if (gem_points_read(p, GEM_VERTICES, NULL, path, e))
		return -1;
	if (*gem_faces_name(path, name) && (stat(name, &st) == 0 || errno != ENOENT))
		return gem_points_read(p, GEM_FACES, NULL, name, e);
	return 0;
}
