/* SPDX-License-Identifier: MIT */
/*
 * child.h - programs that do a part of the work: ffmpeg, and Python with its packages and pdb2pqr.
 */
#ifndef CHILD_H
#define CHILD_H

#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#include "program.h"

/* A program that runs; zero owns nothing. */
struct child {
	pid_t id;
	FILE *in, *out; /* pipes to its standard input and from its standard output; NULL: none */
	FILE *said; /* its standard error */
	const char *name; /* of child_python; for messages */
};

/* The pipes that are wanted.  Without one the child has the file of this program. */
enum {
	CHILD_IN = 1,
	CHILD_OUT = 2
};

/* Without a shell, which would take names of files apart.  Its own children get the signals that
 * end it from here.  0, or why not, as errno. */
int child_start(struct child *c, const char *const argv[], int pipes);

/* Writes n parts to the child, which may end before all is read, and closes that pipe.  If its
 * output comes here by a pipe, too, it must read all of them before it writes more than a pipe
 * holds, else both wait forever. */
void child_give(struct child *c, const void *const data[], const size_t size[], size_t n);

/* Waits, after closing the pipes; returns the exit status, or minus the signal. */
int child_end(struct child *c);

/* The first line of its standard error, or the last one with letters; returns text. */
char *child_line(const struct child *c, int last, char *text, size_t room);

/* Also ends it. */
void child_free(struct child *c);

/* The text of a script by python3, with up to 7 words, the last NULL.  If python3 is not there, the
 * message has the name of a file and `what`: "trajectories are read by MDAnalysis". */
int child_python(struct child *c, const char *script, const char *const words[], int pipes,
                 const char *name, const char *what, struct fault *e);

/* Waits, and frees.  -1: it failed, or rc is -1; its reason is told unless e has a text. */
int child_python_end(struct child *c, int rc, struct fault *e);

#endif
