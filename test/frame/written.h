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

/* Run a command of `clopt', what it prints going to `out'; looks for OpenCL objects that
 * were left, and for broken fences, too. */
struct tool_args;
int written_run(int (*command)(const struct tool_args *), const struct tool_args *args);

/* All of a file; the next call forgets it. */
const char *written_text(const char *path);

/* How often what stands in text. */
size_t written_count(const char *text, const char *what);

#endif
