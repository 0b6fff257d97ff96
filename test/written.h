/* SPDX-License-Identifier: MIT */
/*
 * written.h - what a run of a program has written: a folder for its files, and how they
 * are looked at.
 */
#ifndef WRITTEN_H
#define WRITTEN_H

#include <stddef.h>

/* The files' paths, between open and close. */
extern struct written {
	char folder[32], csv[40], svg[40], out[40];
} written;

void written_open(void);
void written_close(void);

/* All of a file; the next call forgets it. */
const char *written_text(const char *path);

/* How often what stands in text. */
size_t written_count(const char *text, const char *what);

#endif
