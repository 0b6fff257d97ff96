/* SPDX-License-Identifier: MIT */
/*
 * read.c - files of bodies, as a whole: what a file is can be told only from its
 * first bytes, and a pipe gives them once.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nb.h"

/* All of a file, and a 0 behind it. */
static char *whole(FILE *f, size_t *size)
{
	size_t room = 1 << 16, got;
	char *data = NULL, *more;

	*size = 0;
	do {
		more = realloc(data, room);
		if (!more) {
			free(data);
			errno = ENOMEM;
			return NULL;
		}
		data = more;
		got = fread(data + *size, 1, room - 1 - *size, f);
		*size += got;
		if (*size == room - 1)
			room = room <= SIZE_MAX / 2 ? 2 * room : SIZE_MAX;
	} while (got);
	if (ferror(f)) {
		free(data);
		return NULL;
	}
	data[*size] = 0;
	return data;
}

int nb_read(struct nb_system *s, const char *path, struct nb_error *e)
{
	FILE *f = fopen(path, "rb");
	char *data = NULL;
	size_t size;
	int rc;

	memset(s, 0, sizeof *s);
	if (f)
		data = whole(f, &size);
	rc = data ? nb_parse(s, data, size, path, e) :
	            nb_fail(e, "%.400s: %s", path, strerror(errno ? errno : EIO));
	free(data);
	if (f)
		fclose(f);
	return rc;
}

int nb_parse(struct nb_system *s, const char *data, size_t size, const char *name,
             struct nb_error *e)
{
	int rc;

	memset(s, 0, sizeof *s);
	if (nb_tipsy_is(data, size))
		rc = nb_tipsy_parse(s, data, size, name, e);
	else
		rc = nb_table_parse(s, data, size, name, e);
	if (rc)
		nb_system_free(s);
	return rc;
}

int nb_write(const char *path, const struct nb_system *s, enum nb_format format, struct nb_error *e)
{
	struct outfile file;
	int rc;

	if (outfile_open(&file, path, e->text, sizeof e->text))
		return -1;
	rc = format == NB_TIPSY ? nb_tipsy_print(s, file.f, e) : nb_table_print(s, file.f, e);
	if (rc)
		outfile_drop(&file);
	else
		rc = outfile_commit(&file, e->text, sizeof e->text);
	return rc;
}
