/* SPDX-License-Identifier: MIT */
/*
 * outfile.h - the files that the programs write.
 */
#ifndef OUTFILE_H
#define OUTFILE_H

#include <limits.h>
#include <stddef.h>
#include <stdio.h>

#include "program.h"

/* A file on its way: it gets its name when it is complete.  If that ends in .gz, gzip compresses
 * it. */
struct outfile {
	FILE *f;
	FILE *to; /* where the compressed bytes of f go; NULL: f is the file itself */
	char path[PATH_MAX], temp[PATH_MAX]; /* temp "": written in place, a device or a pipe */
};

int outfile_open(struct outfile *o, const char *path, struct fault *e);
int outfile_commit(struct outfile *o, struct fault *e);
void outfile_drop(struct outfile *o); /* nothing is left; does nothing after a commit */

/* Opens the file, calls print with it, and commits it if print returns 0; else nothing is left.  A
 * failed write is reported here, so print need not look. */
int outfile_print(const char *path, int (*print)(FILE *f, const void *what, struct fault *e),
                  const void *what, struct fault *e);

/* Would opening it work?  Leaves nothing behind. */
int outfile_try(const char *path, struct fault *e);

/* 1 if what is written to path comes out at the standard output. */
int outfile_is_stdout(const char *path);

/* 1 if they are one file, so that one would undo the other if both were written. */
int outfile_same(const char *a, const char *b);

#endif
