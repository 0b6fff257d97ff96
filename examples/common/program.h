/* SPDX-License-Identifier: MIT */
/*
 * program.h - failures, growing arrays, quantiles, the clock and the standard files of the
 * programs.
 */
#ifndef PROGRAM_H
#define PROGRAM_H

#include <stddef.h>
#include <stdio.h>

/* One line about a failure. */
struct fault {
	char text[1024];
};

/* Writes the text and returns -1, so that "return fail(...)" is enough. */
int fail(struct fault *e, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Makes room for one more element in an array of n elements; *room is its capacity.  The capacity
 * starts at 1024 and doubles.  Returns -1 without memory; the array stays valid. */
int grow(void *array, size_t n, size_t *room, size_t bytes);

/* Sorts v; returns the value that a part of 1/50 lies above (0 without values). */
double percentile98(double *v, size_t n);
void sort_doubles(double *v, size_t n);

/* Monotonic. */
double seconds_now(void);

/* 0, or -1 if the text printed to f did not get there; `what` names it. */
int flush_report(FILE *f, const char *what, struct fault *e);

/* At the beginning of main.  Where a standard file is closed, its number is kept from others: to
 * read or write it still fails. */
void program_begin(void);

/* 1, and errno is EBADF, if the path names a standard file that was closed then: opening it would
 * give /dev/null. */
int program_closed(const char *path);

#endif
