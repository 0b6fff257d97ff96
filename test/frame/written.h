/* SPDX-License-Identifier: MIT */
/*
 * written.h - runs commands of `clopt' and reads their output: a folder with their files.
 */
#ifndef WRITTEN_H
#define WRITTEN_H

#include <jansson.h>
#include <stddef.h>

/* The files' paths, between open and close. */
extern struct written {
	char folder[32], csv[40], out[40];
} written;

void written_open(void);
void written_close(void);

/* Runs a command of `clopt' with its standard output in `out'; fails if OpenCL objects are left or
 * fences are broken. */
struct tool_args;
int written_run(int (*command)(const struct tool_args *), const struct tool_args *args);

/* The same, for a command that prints JSON and has to end with this status.  The caller's to
 * decref. */
json_t *written_json(int (*command)(const struct tool_args *), const struct tool_args *args,
                     int status);

/* A file's text, valid until the next call. */
const char *written_text(const char *path);

/* The number of times that `what` occurs in text. */
size_t written_count(const char *text, const char *what);

#endif
