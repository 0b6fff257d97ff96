/* SPDX-License-Identifier: MIT */
/*
 * convert.c - molecules from PDB and mmCIF files, by convert.py in a process of Python.
 */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "../../common/tidy.h"
#include "read.h"

extern const char convert_py[];

static const char *const ends[] = { ".pdb", ".ent", ".cif", ".mmcif", ".pqr" };
#define CONVERTED 4 /* the first ones */

/* The index of the name's end, without .gz, or -1; *n: the bytes before it. */
static int end_of(const char *name, size_t *n)
{
	size_t all = strlen(name), len;
	int i;

	if (all > 3 && strcasecmp(name + all - 3, ".gz") == 0)
		all -= 3;
	for (i = 0; i < (int)(sizeof ends / sizeof *ends); i++) {
		len = strlen(ends[i]);
		*n = all - len;
		if (all > len && strncasecmp(name + *n, ends[i], len) == 0)
			return i;
	}
	*n = strlen(name);
	return -1;
}

size_t gem_stem(const char *name)
{
	size_t n;

	end_of(name, &n);
	return n;
}

int gem_converted(const char *name)
{
	size_t n;
	const int end = end_of(name, &n);

	return end >= 0 && end < CONVERTED;
}

/* The folder, and what pdb2pqr reads and writes there. */
static void with_files(const char *folder, void (*each)(const char *path))
{
	static const char *const names[] = { "/in.pdb", "/out.pqr", "/out.log" };
	char path[1020];
	size_t i;

	each(folder);
	for (i = 0; i < sizeof names / sizeof *names; i++) {
		snprintf(path, sizeof path, "%s%s", folder, names[i]);
		each(path);
	}
}

static void drop(const char *path)
{
	tidy_drop(path);
	unlink(path);
}

int gem_convert_open(struct gem_conversion *c, const char *name, const struct gem_force *by,
                     int all, struct fault *e)
{
	const char *in = getenv("TMPDIR");
	char ph[40];
	const char *const words[] = { name,        by ? by->field : "PARSE", ph,  c->folder,
		                      gem_records, all ? "all" : NULL,       NULL };
	const size_t room = sizeof c->folder;

	*c = (struct gem_conversion){ .name = name };
	snprintf(ph, sizeof ph, "%g", by ? by->ph : -1);
	if ((size_t)snprintf(c->folder, room, "%s/clopt-gem-XXXXXX", in && *in ? in : "/tmp") >=
	    room) {
		*c->folder = 0;
		return fail(e, "TMPDIR has %zu bytes: that is too long for the name of a folder",
		            strlen(in));
	}
	if (!mkdtemp(c->folder)) {
		fail(e, "%s: %s", c->folder, strerror(errno));
		*c->folder = 0;
		return -1;
	}
	with_files(c->folder, tidy_add);
	return child_python(&c->python, convert_py, words, CHILD_OUT, name,
	                    "PDB and mmCIF files are converted, by pdb2pqr,", e);
}

/* From what Python gave. */
static int take(struct gem_molecule *m, json_t *from, const char *name, struct fault *e)
{
	const char *pqr, *lost, *added, *word;
	json_int_t n[6];
	struct text t = { .name = name };
	json_t *chains;
	size_t i;
	int rc;

	if (json_unpack(from, "{s:s, s:o, s:s, s:s, s:s, s:i, s:I, s:I, s:I, s:I, s:I, s:I}", "pqr",
	                &pqr, "chains", &chains, "lost", &lost, "added", &added, "unknown_word",
	                &word, "mended", &m->mended, "lost_residues", &n[0], "added_to", &n[1],
	                "unknown", &n[2], "unknown_line", &n[3], "left_out", &n[4], "alternates",
	                &n[5]))
		return -1;
	snprintf(m->lost, sizeof m->lost, "%s", lost);
	snprintf(m->added, sizeof m->added, "%s", added);
	snprintf(m->unknown_word, sizeof m->unknown_word, "%s", word);
	m->lost_residues = (size_t)n[0];
	m->added_to = (size_t)n[1];
	t.data = strdup(pqr);
	if (!t.data)
		return fail(e, "%.400s: out of memory", name);
	t.size = strlen(pqr);
	rc = gem_molecule_atoms(m, &t, 0, e);
	m->unknown = (size_t)n[2]; /* of the file, not of pdb2pqr's */
	m->unknown_line = (size_t)n[3];
	m->left_out = (size_t)n[4];
	m->alternates = (size_t)n[5];
	for (i = 0; i < m->n; i++) {
		const char *chain = json_string_value(json_object_get(chains, m->atom[i].chain));

		if (chain)
			snprintf(m->atom[i].chain, sizeof m->atom[i].chain, "%s", chain);
	}
	text_free(&t);
	return rc;
}

int gem_convert_next(struct gem_molecule *m, struct gem_conversion *c, struct fault *e)
{
	json_t *from = json_loadf(c->python.out, JSON_DISABLE_EOF_CHECK, NULL);
	int rc = from ? take(m, from, c->name, e) : child_python_end(&c->python, 0, e);

	if (from && rc && !*e->text)
		fail(e, "%.400s: python3 gave no molecule", c->name);
	json_decref(from);
	return from && !rc ? 1 : rc;
}

void gem_convert_close(struct gem_conversion *c)
{
	child_free(&c->python);
	if (!*c->folder)
		return;
	with_files(c->folder, drop);
	rmdir(c->folder);
	*c->folder = 0;
}
