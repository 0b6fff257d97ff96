/* SPDX-License-Identifier: MIT */
/*
 * film.h - films: pictures one after the other, made into a file by the program ffmpeg; where there
 * is none, PNG files.
 */
#ifndef FILM_H
#define FILM_H

#include <stdio.h>

#include "child.h"
#include "outfile.h"
#include "picture.h"

/* A film on its way; zero owns nothing. */
struct film {
	const char *path; /* of the film, the caller's; NULL: there is none */
	struct outfile out;
	char told[PATH_MAX + 8]; /* the name that ffmpeg gets; "": there is no ffmpeg */
	struct child ffmpeg;
	size_t pictures;
	void (*old_sigpipe)(int);
};

/* Begins a film of pictures of width x height, 25 a second; its kind follows from the end of its
 * name, as .mp4 or .gif.  On failure *f is zero. */
int film_open(struct film *f, const char *path, size_t width, size_t height, struct fault *e);
int film_add(struct film *f, cairo_surface_t *picture, struct fault *e);
/* The file gets its name.  Does nothing if there is no film. */
int film_close(struct film *f, struct fault *e);
/* Nothing is left but PNG files; also after a film_close that failed. */
void film_drop(struct film *f);

/* 1 if the name has an end, as film.mp4 has. */
int film_named(const char *path);
/* 1 if ffmpeg is there.  Else the films' pictures are PNG files, film_picture(..., 0) the first. */
int film_can(void);
/* "NAME-00042.png" for NAME.mp4; -1: the name is too long. */
int film_picture(const char *path, size_t i, char *to, size_t room, struct fault *e);
/* If there is no ffmpeg, the warning of it, else "". */
const char *film_warning(const char *path, char *text, size_t room);
/* After the run, if there is no ffmpeg: fails, and names the n pictures that are there instead; the
 * last has the number end - 1. */
int film_made(const char *path, size_t n, size_t end, struct fault *e);

#endif
