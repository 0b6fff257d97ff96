/* SPDX-License-Identifier: MIT */
/*
 * cif.c - PDB records from the atoms of an mmCIF file, by cif.py in a process of Python.
 */
#include <string.h>

#include "read.h"

extern const char cif_py[];

int gem_cif(struct text *t, struct fault *e)
{
	const char *const argv[] = { "python3", "-c", cif_py, t->name, NULL };
	const void *const data = t->data;
	FILE *in = child_input(&data, &t->size, 1);
	struct child c = { 0 };
	struct text made = { 0 };
	char reason[sizeof e->text];
	int rc = in ? child_start(&c, argv, fileno(in), CHILD_PIPE) : -1;

	if (rc) {
		rc = rc > 0 ? fail(e,
		                   "%.400s: mmCIF files are read by gemmi in python3, which cannot "
		                   "be started: %s",
		                   t->name, strerror(rc)) :
		              fail(e, "%.400s: no temporary file for %zu bytes", t->name, t->size);
	} else {
		rc = text_read(&made, c.pipe, t->name, e);
		if (child_end(&c) || rc)
			rc = fail(e, "%s",
			          *child_line(&c, 1, reason, sizeof reason) ? reason :
			                                                      "python3 failed");
	}
	child_free(&c);
	if (in)
		fclose(in);
	if (rc) {
		text_free(&made);
		return -1;
	}
	text_free(t);
	*t = made;
	return 0;
}
