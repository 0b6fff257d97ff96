/* SPDX-License-Identifier: MIT */
/*
 * gem_tests.h - declarations shared by the tests of clopt-gem.
 */
#ifndef GEM_TESTS_H
#define GEM_TESTS_H

#include "clopt-gem/write/write.h"
#include "suites.h"

extern struct fault test_error;

/* Four vertices of a square of side 2 that faces up. */
extern const char test_square[];

FILE *test_text(const char *s);
void test_write(const char *path, const char *s);
int read_molecule(const char *s, struct gem_molecule *m);
void read_vertices(const char *s, struct gem_points *p);

void load_protein(struct gem_molecule *m); /* the molecule in data/ */

/* gem_place() by the marks of a surface. */
int test_place(struct gem_places *o, const struct gem_points *p, const struct gem_points *surface,
               const struct gem_molecule *m, const struct gem_model *model);

/* The settings of a command line, whose words are separated by blanks. */
int read_settings(const char *line, struct gem_settings *o);

void gem_faces_tests(TCase *c); /* triangles of a surface */
void gem_points_tests(TCase *c); /* surfaces, grids, nearest vertices, regions */
void gem_foot_tests(TCase *c); /* points relative to atoms and surface */
void gem_options_tests(TCase *c); /* options, and the library's arguments */
void gem_runs_tests(TCase *c); /* potentials */
void gem_files_tests(TCase *c); /* output files */

#endif
