/* SPDX-License-Identifier: MIT */
/*
 * child.h - programs that do a part of the work: ffmpeg, pdb2pqr, and Python with its packages.
 */
#ifndef CHILD_H
#define CHILD_H

#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

/* A program that runs; zero owns nothing. */
struct child {
	pid_t id;
	FILE *pipe; /* to its standard input, or from its standard output; NULL: neither */
	FILE *said; /* its standard error */
};

/* In the place of a file's number: ours; a pipe; for the output, where its errors go. */
enum {
	CHILD_OURS = -1,
	CHILD_PIPE = -2,
	CHILD_SAID = -3
};

/* Without a shell, which would take names of files apart.  0, or why not, as errno. */
int child_start(struct child *c, const char *const argv[], int in, int out);

/* A file without a name, with these n parts, to be a program's input; NULL: it could not be made.
 */
FILE *child_input(const void *const data[], const size_t size[], size_t n);

/* Waits, after closing the pipe; returns the exit status, or minus the signal. */
int child_end(struct child *c);

/* The first line of its standard error, or the last one with letters; returns text. */
char *child_line(const struct child *c, int last, char *text, size_t room);

/* Also ends it. */
void child_free(struct child *c);

#endif
