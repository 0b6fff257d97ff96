/* SPDX-License-Identifier: MIT */
/*
 * convert.c - molecules from PDB files, which have no charges and radii: by the program pdb2pqr
 * (Dolinsky et al., Nucleic Acids Res. 35, W522, 2007).  cif.c makes such a file of mmCIF.
 *
 * The program gets a copy of the file in a folder of its own, since it knows formats by names and
 * does not read compressed files.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "../../common/tidy.h"
#include "read.h"

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

int gem_is_cif(const char *name)
{
	size_t n;
	const int end = end_of(name, &n);

	return end >= 0 && strstr(ends[end], "cif");
}

/* Files in the folder: the copy, the result, and pdb2pqr's own log beside it. */
enum {
	IN,
	OUT,
	OUT_LOG,
	FILES
};

struct folder {
	char path[1000], file[FILES][1020];
};

static int open_folder(struct folder *d, struct fault *e)
{
	static const char *const names[FILES] = { ".pdb", ".pqr", ".log" };
	const char *in = getenv("TMPDIR");
	size_t n;
	int i;

	n = (size_t)snprintf(d->path, sizeof d->path, "%s/clopt-gem-XXXXXX",
	                     in && *in ? in : "/tmp");
	if (n >= sizeof d->path)
		return fail(e, "TMPDIR has %zu bytes: that is too long for the name of a folder",
		            strlen(in));
	if (!mkdtemp(d->path))
		return fail(e, "%s: %s", d->path, strerror(errno));
	tidy_add(d->path);
	for (i = 0; i < FILES; i++) {
		snprintf(d->file[i], sizeof d->file[i], "%s/%s%s", d->path, i == IN ? "in" : "out",
		         names[i]);
		tidy_add(d->file[i]);
	}
	return 0;
}

static void close_folder(const struct folder *d)
{
	int i;

	for (i = 0; i < FILES; i++) {
		unlink(d->file[i]);
		tidy_drop(d->file[i]);
	}
	rmdir(d->path);
	tidy_drop(d->path);
}

/* The residue of an atom's record, as columns 22 to 27, is that of the last one but has another
 * name: pdb2pqr would take the atoms of both.  last has columns 18 to 27. */
static int other_name(char last[11], const char *line, size_t n)
{
	if (n < 27 || (strncmp(line, "ATOM", 4) != 0 && strncmp(line, "HETATM", 6) != 0))
		return 0;
	if (line[16] != ' ' && memcmp(last + 4, line + 21, 6) == 0 &&
	    memcmp(last, line + 17, 3) != 0)
		return 1;
	memcpy(last, line + 17, 10);
	return 0;
}

/* The line begins a residue of an amino acid that lacks N, CA or C: pdb2pqr cannot mend it. */
static int is_broken(const char *line)
{
	static const char amino[] =
	        "ALA ARG ASN ASP CYS GLN GLU GLY HIS ILE LEU LYS MET PHE PRO SER THR TRP TYR VAL";
	static const char *const backbone[] = { "N", "CA", "C" };
	const char *s = line;
	int k, there = 0;
	char name[5];

	snprintf(name, sizeof name, "%.3s", strcspn(line, "\n") > 26 ? line + 17 : "");
	if (strlen(name) != 3 || !strstr(amino, name))
		return 0;
	for (; strcspn(s, "\n") > 26 && memcmp(s + 17, line + 17, 10) == 0;
	     s += strcspn(s, "\n"), s += *s != 0) {
		snprintf(name, sizeof name, "%.4s", s + 12 + strspn(s + 12, " "));
		name[strcspn(name, " ")] = 0;
		for (k = 0; k < 3; k++)
			there |= (strcmp(name, backbone[k]) == 0) << k;
	}
	return there != 7;
}

/* Only what pdb2pqr needs: it ends at empty lines, at headers that break the format's rules and at
 * serials as *****, so atoms are counted anew.  Waters would be left out by it.  mend: hydrogens,
 * which it makes anew, and residues without a whole backbone are left out, if these are few. */
static int save(const char *path, const struct text *t, int mend, struct fault *e)
{
	static const char *const records[] = { "ATOM", "HETATM", "TER", "END", "MODEL" };
	FILE *f = fopen(path, "wb");
	char last[11] = "", name[4], residue[11] = "";
	const char *s;
	size_t n, atoms = 0, waters = 0, models = 0, residues = 0, broken = 0, k;
	int bad = !f, out = 0;

	for (s = t->data; f && *s; s += n + (s[n] != 0)) {
		n = strcspn(s, "\n");
		for (k = 0; k < 5 && strncmp(s, records[k], strlen(records[k])) != 0; k++)
			;
		if (k == 5 || other_name(last, s, n))
			continue;
		if (mend && k < 2 && n > 26 && memcmp(residue, s + 17, 10) != 0) {
			memcpy(residue, s + 17, 10);
			out = is_broken(s);
			broken += (size_t)out;
			residues++;
		}
		if (k < 2 && (out || (mend && n > 15 && gem_is_hydrogen(s + 12))))
			continue;
		snprintf(name, sizeof name, "%.*s", k < 2 && n > 20 ? 3 : 0, s + 17);
		if (gem_is_water(name))
			waters++;
		else if (k == 4) /* it takes the number of MODEL 1 for a missing one */
			fprintf(f, "MODEL %8zu\n", ++models);
		else if (k < 2 && n > 11 && s[11] == ' ')
			fprintf(f, "%.6s%5zu%.*s\n", s, ++atoms % 100000, (int)n - 11, s + 11);
		else
			atoms += k < 2, fprintf(f, "%.*s\n", (int)n, s);
	}
	bad |= f && (ferror(f) | fclose(f));
	if (bad)
		return fail(e, "%s: cannot write: %s", path, strerror(errno));
	if (broken > residues / 10)
		return fail(e, "%.400s: %zu of %zu residues lack backbone atoms", t->name, broken,
		            residues);
	return atoms ? 0 :
	               fail(e, "%.400s: no line starts with ATOM or HETATM%s: there are no atoms",
	                    t->name, waters ? ", but for waters, which are left out" : "");
}

/* The first error that it calls critical, or the first, or the last line; the last critical one
 * only says that it gives up. */
static int failed(const struct child *c, const char *name, struct fault *e)
{
	struct text t = { 0 };
	char reason[300] = "";
	int is, most = 0;

	rewind(c->said);
	if (text_read(&t, c->said, name, e) == 0)
		while (text_next(&t, e) > 0) {
			is = strncmp(t.buf, "CRITICAL", 8) == 0 ? 2 :
			     strncmp(t.buf, "ERROR", 5) == 0    ? 1 :
			                                          0;
			if (is > most || (t.len && !most))
				snprintf(reason, sizeof reason, "%s", t.buf);
			most = is > most ? is : most;
		}
	text_free(&t);
	return fail(e, "%.200s: pdb2pqr failed: %s", name, reason);
}

/* 1: pdb2pqr could not be started. */
static int run(const struct folder *d, const char *name, const struct gem_force *by,
               struct fault *e)
{
	/* Names of one program, of Debian and of Python's package index. */
	static const char *const programs[] = { "pdb2pqr30", "pdb2pqr" };
	char field[40], ph[40];
	struct child c = { 0 };
	int i, rc = ENOENT;

	snprintf(field, sizeof field, "--ff=%s", by ? by->field : "PARSE");
	snprintf(ph, sizeof ph, "--with-ph=%g", by ? by->ph : -1);
	for (i = 0; i < 2 && rc == ENOENT; i++) {
		const char *argv[] = { programs[i],
			               field,
			               "--keep-chain",
			               "--drop-water",
			               d->file[IN],
			               d->file[OUT],
			               ph,
			               "--titration-state-method=propka",
			               NULL };

		if (!by || by->ph < 0)
			argv[6] = NULL;
		rc = child_start(&c, argv, CHILD_OURS, CHILD_SAID);
	}
	if (rc) {
		fail(e,
		     "%.200s: charges and radii for PDB and mmCIF files come from the program "
		     "pdb2pqr, which cannot be started (%s): install it (Debian: apt install "
		     "pdb2pqr; elsewhere: pip install pdb2pqr), or give a PQR file",
		     name, strerror(rc));
		return 1;
	}
	rc = child_end(&c) == 0 && access(d->file[OUT], R_OK) == 0 ? 0 : failed(&c, name, e);
	child_free(&c);
	return rc;
}

int gem_convert(struct text *made, const struct text *t, const struct gem_force *by,
                struct fault *e)
{
	struct folder d = { .path = "" };
	struct fault again = { "" };
	int rc, mended = 0;

	memset(made, 0, sizeof *made);
	if (strspn(t->data, " \t\r\n") == t->size)
		return fail(e, "%.400s: the file is empty", t->name);
	if (open_folder(&d, e))
		return -1;
	rc = save(d.file[IN], t, 0, e) ? 1 : run(&d, t->name, by, e);
	if (rc < 0 && !save(d.file[IN], t, 1, &again) && !run(&d, t->name, by, &again))
		rc = 0, mended = 1;
	if (rc == 0)
		rc = text_read(made, NULL, d.file[OUT], e);
	close_folder(&d);
	if (rc)
		text_free(made);
	made->name = t->name;
	return rc ? -1 : mended;
}
