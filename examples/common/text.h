/* SPDX-License-Identifier: MIT */
/*
 * text.h - text files: their lines and numbers, with messages that name file and line.
 */
#ifndef TEXT_H
#define TEXT_H

#include <stddef.h>
#include <stdio.h>

#include "program.h"

/* A file in memory, read line by line; zero owns nothing. */
struct text {
	const char *name; /* for messages */
	char *data; /* all of it, and a 0 behind */
	size_t size, at; /* at: where the next line begins */
	size_t line; /* number of the line in buf, from 1 */
	char *buf; /* the line without its end; the reader may change it */
	size_t len;
	char shown[124]; /* the beginning of the line as messages show it */
};

/* The rest of f; f NULL: the file called name, compressed by gzip or not.  -1 without memory, or if
 * reading failed. */
int text_read(struct text *t, FILE *f, const char *name, struct fault *e);
void text_free(struct text *t);

/* 1: buf has the next line; 0: the file ended; -1: the line has a zero byte. */
int text_next(struct text *t, struct fault *e);

/* "file:line: reason: 'the line'"; returns -1. */
int text_refuse(const struct text *t, struct fault *e, const char *format, ...)
        __attribute__((format(printf, 3, 4)));

/* 1 and the value if all of the n characters are one finite decimal number. */
int text_number(const char *s, size_t n, double *value);

#endif
