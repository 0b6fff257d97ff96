/* SPDX-License-Identifier: MIT */
/*
 * readers.c - the readers of the programs.  What is read is within its ranges, and what is not has
 * a text.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clopt-gem/read/read.h"
#include "fuzz.h"
#include "nbody/nb.h"

static FILE *file_of(const uint8_t *data, size_t size)
{
	FILE *f = tmpfile();

	if (!f || fwrite(data, 1, size, f) != size)
		fuzz_wrong("no temporary file");
	rewind(f);
	return f;
}

static void expect_told(const struct fault *e)
{
	if (!*e->text || strchr(e->text, '\n'))
		fuzz_wrong("a failure without its line: \"%s\"", e->text);
}

static void expect_ranged(const double *x, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (!(fabs(x[i]) <= GEM_LARGEST))
			fuzz_wrong("%g was read", x[i]);
}

void fuzz_pqr(const uint8_t *data, size_t size)
{
	struct gem_molecule m = { 0 };
	struct fault e = { "" };
	FILE *f = file_of(data, size);
	size_t i;

	if (gem_molecule_read(&m, f, "molecule", NULL, &e) != 0)
		expect_told(&e);
	else if (!m.n)
		fuzz_wrong("a molecule of no atoms");
	for (i = 0; i < m.n; i++) {
		expect_ranged(m.atom[i].at, 3);
		expect_ranged(&m.atom[i].q, 1);
		if (!(m.atom[i].r >= 0))
			fuzz_wrong("a radius of %g", m.atom[i].r);
	}
	gem_molecule_free(&m);
	fclose(f);
}

static void read_points(struct gem_points *p, enum gem_rows kind, const uint8_t *data, size_t size)
{
	struct fault e = { "" };
	FILE *f = file_of(data, size);
	size_t i, j;

	if (gem_points_read(p, kind, f, "points", &e) != 0)
		expect_told(&e);
	for (i = 0; i < p->n; i++)
		expect_ranged(p->at[i], 3);
	for (i = 0; i < p->faces; i++)
		for (j = 0; j < 3; j++)
			if (p->face[i][j] >= p->n)
				fuzz_wrong("a face of point %u of %zu", p->face[i][j], p->n);
	fclose(f);
}

/* The vertices, and behind a line of % their faces. */
void fuzz_msms(const uint8_t *data, size_t size)
{
	struct gem_points p = { 0 };
	const uint8_t *end = memchr(data, '%', size);
	const size_t first = end ? (size_t)(end - data) : size;

	read_points(&p, GEM_VERTICES, data, first);
	if (p.n && end)
		read_points(&p, GEM_FACES, end + 1, size - first - 1);
	gem_points_free(&p);
}

void fuzz_points(const uint8_t *data, size_t size)
{
	struct gem_points p = { 0 };

	read_points(&p, GEM_LIST, data, size);
	gem_points_free(&p);
}

/* What was read is read again from what is written of it, bit for bit. */
static void expect_again(const struct nb_system *s)
{
	struct nb_system again = { 0 };
	struct fault e = { "" };
	FILE *f = tmpfile();

	if (!f || nb_table_print(f, s, &e) != 0)
		fuzz_wrong("not written: %s", e.text);
	rewind(f);
	if (nb_read(&again, f, "again", &e) != 0)
		fuzz_wrong("not read again: %s", e.text);
	if (again.n != s->n || memcmp(again.body, s->body, 4 * s->n * sizeof *s->body) ||
	    memcmp(again.velocity, s->velocity, 4 * s->n * sizeof *s->velocity))
		fuzz_wrong("read again, the bodies differ");
	nb_system_free(&again);
	fclose(f);
}

void fuzz_bodies(const uint8_t *data, size_t size)
{
	struct nb_system s = { 0 };
	struct fault e = { "" };
	FILE *f = file_of(data, size);

	/* Snapshots are read by h5py and NumPy. */
	if (nb_snapshot_is(&(struct text){ .data = (char *)(uintptr_t)data, .size = size }))
		;
	else if (nb_read(&s, f, "bodies", &e) != 0)
		expect_told(&e);
	else if (s.n)
		expect_again(&s);
	nb_system_free(&s);
	fclose(f);
}
