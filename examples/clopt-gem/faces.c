/* SPDX-License-Identifier: MIT */
/*
 * faces.c - the triangles of a surface, from the MSMS .face file that lies beside
 * a .vert file.
 *
 * Its lines are three numbers of vertices, counted from 1, and columns that
 * nothing here needs; before them stand the same three header lines, or none.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "gem.h"

static int add(struct gem_points *p, size_t *room, const double v[3], struct gem_error *e)
{
	void *more;
	int i;

	if (p->faces == *room) {
		*room = *room ? 2 * *room : 4096;
		more = realloc(p->face, *room * sizeof *p->face);
		if (!more)
			return gem_fail(e, "out of memory for %zu faces", *room);
		p->face = more;
	}
	for (i = 0; i < 3; i++)
		p->face[p->faces][i] = (unsigned)v[i] - 1;
	p->faces++;
	return 0;
}

static int face(struct gem_points *p, size_t *room, const struct gem_text *t,
                const struct gem_token *k, size_t n, struct gem_error *e)
{
	double v[3];
	int i;

	if (n < 3)
		return gem_text_fail(t, e, "a face needs three numbers of vertices");
	if (gem_numbers(t, k, 3, v, e))
		return -1;
	for (i = 0; i < 3; i++)
		if (v[i] < 1 || v[i] > (double)p->n || v[i] != floor(v[i]))
			return gem_text_fail(t, e, "%g is none of the vertices, 1 to %zu", v[i],
			                     p->n);
	return add(p, room, v, e);
}

static int faces(struct gem_points *p, struct gem_text *t, struct gem_error *e)
{
	struct gem_token k[5];
	double count = -1;
	int rc, header = 0;
	size_t n, room = 0;

	while ((rc = gem_text_next(t, e)) > 0) {
		n = gem_tokens(t->buf, k, 5);
		if (n == 0)
			continue;
		if (k[0].s[0] == '#') {
			header = 1;
		} else if (header && count < 0 && p->faces == 0 && n < 5) {
			if (gem_numbers(t, k, 1, &count, e))
				return -1;
			if (count < 0 || count != floor(count))
				return gem_text_fail(t, e, "%g is not a number of faces", count);
		} else if (face(p, &room, t, k, n, e)) {
			return -1;
		}
	}
	if (rc == 0 && count >= 0 && count != (double)p->faces)
		rc = gem_fail(e, "%.400s:%zu: the header promises %.0f faces, the file has %zu",
		              t->name, t->line - 1, count, p->faces);
	return rc;
}

int gem_faces_read(struct gem_points *p, FILE *f, const char *name, struct gem_error *e)
{
	struct gem_text t = { f, name, 0, 0, "" };
	int rc = faces(p, &t, e);

	if (rc) {
		free(p->face);
		p->face = NULL;
		p->faces = 0;
	}
	return rc;
}

int gem_faces_name(const char *path, char **name)
{
	size_t n = strlen(path);

	*name = NULL;
	if (n < 5 || strcmp(path + n - 5, ".vert") != 0)
		return 0;
	*name = strdup(path);
	if (!*name)
		return -1;
	memcpy(*name + n - 5, ".face", 5);
	return 0;
}

/* The .face file of a .vert file, if there is one. */
static int sibling(struct gem_points *p, const char *path, struct gem_error *e)
{
	struct stat st;
	char *name;
	FILE *f;
	int rc;

	if (gem_faces_name(path, &name))
		return gem_fail(e, "out of memory");
	if (!name)
		return 0;
	if (stat(name, &st) && errno == ENOENT) {
		rc = 0;
	} else {
		f = gem_text_open(name, e);
		rc = f ? gem_faces_read(p, f, name, e) : -1;
		if (f)
			fclose(f);
	}
	free(name);
	return rc;
}

int gem_points_load_vert(struct gem_points *p, const char *path, struct gem_error *e)
{
	FILE *f = gem_text_open(path, e);
	int rc;

	memset(p, 0, sizeof *p);
	if (!f)
		return -1;
	rc = gem_points_read_vert(p, f, path, e);
	fclose(f);
	if (rc == 0 && sibling(p, path, e)) {
		gem_points_free(p);
		rc = -1;
	}
	return rc;
}
