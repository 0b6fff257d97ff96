/* SPDX-License-Identifier: MIT */
/*
 * read.c - files of bodies, as a whole: the first bytes tell the format, and a pipe gives them
 * once.
 */
#include <string.h>

#include "nb.h"

int nb_read(struct nb_system *s, const char *path, struct fault *e)
{
	struct text t;
	int rc = text_load(&t, path, e);

	memset(s, 0, sizeof *s);
	if (rc == 0)
		rc = nb_parse(s, t.data, t.size, path, e);
	text_free(&t);
	return rc;
}

int nb_parse(struct nb_system *s, const char *data, size_t size, const char *name, struct fault *e)
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

int nb_write(const char *path, const struct nb_system *s, int format, struct fault *e)
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
