/* SPDX-License-Identifier: MIT */
/*
 * file.c - output files that are whole or not there.
 *
 * A file is written beside its target under another name and renamed when it
 * is complete and every byte of it was taken, so that a full disk or a failure
 * half way leaves what was there before.
 */
#define _XOPEN_SOURCE 700 /* for realpath */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gem.h"

static char *beside(const char *path)
{
	size_t size = strlen(path) + 32;
	char *s = malloc(size);

	if (s)
		snprintf(s, size, "%s.tmp-%ld", path, (long)getpid());
	return s;
}

static int one(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Any number of outputs may be thrown away, and nobody sees them. */
static int is_null(const struct stat *st)
{
	struct stat null;

	return stat("/dev/null", &null) == 0 && one(st, &null);
}

int gem_file_is_stdout(const char *path)
{
	struct stat st, out;

	return stat(path, &st) == 0 && fstat(STDOUT_FILENO, &out) == 0 && one(&st, &out) &&
	       !is_null(&st);
}

int gem_file_same(const char *a, const char *b)
{
	struct stat s, t;

	if (stat(a, &s))
		return strcmp(a, b) == 0;
	return !is_null(&s) && stat(b, &t) == 0 && one(&s, &t);
}

/* In place: renaming over a terminal, a pipe, a link or /dev/null would do away
 * with it, and a pipe of the shell's has no name that could be resolved.  What is
 * the standard output is not opened again, which would cut off what is in it. */
static FILE *in_place(const char *path)
{
	int fd = gem_file_is_stdout(path) ? dup(STDOUT_FILENO) : -1;
	FILE *f = fd >= 0 ? fdopen(fd, "wb") : fopen(path, "wb");

	if (!f && fd >= 0)
		close(fd);
	return f;
}

int gem_file_open(struct gem_file *o, const char *path, struct gem_error *e)
{
	struct stat st;
	int fd, direct, exists = stat(path, &st) == 0;

	memset(o, 0, sizeof *o);
	if (exists)
		direct = !S_ISREG(st.st_mode) || gem_file_is_stdout(path);
	else
		direct = lstat(path, &st) == 0; /* a link to what is not there */
	/* The target of a link is replaced, not the link. */
	o->path = exists && !direct ? realpath(path, NULL) : strdup(path);
	if (!o->path)
		return gem_fail(e, "%.400s: %s", path, strerror(errno));
	if (exists && S_ISDIR(st.st_mode)) {
		errno = EISDIR;
	} else if (direct) {
		o->f = in_place(path);
	} else {
		o->temp = beside(o->path);
		fd = o->temp ? open(o->temp, O_WRONLY | O_CREAT | O_EXCL, 0666) : -1;
		if (fd >= 0 && !(o->f = fdopen(fd, "wb")))
			close(fd);
		if (fd < 0) {
			/* Whatever has that name is not ours to remove. */
			free(o->temp);
			o->temp = NULL;
		}
	}
	if (!o->f) {
		gem_fail(e, "%.400s: cannot write: %s", path, strerror(errno));
		gem_file_drop(o);
		return -1;
	}
	return 0;
}

int gem_file_commit(struct gem_file *o, struct gem_error *e)
{
	int bad;

	errno = 0;
	bad = fflush(o->f) != 0 || ferror(o->f);
	/* Some file systems report a full disk only when a file is closed. */
	bad |= fclose(o->f) != 0;
	o->f = NULL;
	if (!bad && o->temp)
		bad = rename(o->temp, o->path) != 0;
	if (bad) {
		gem_fail(e, "%.400s: cannot write: %s", o->path, strerror(errno ? errno : EIO));
	} else {
		free(o->temp);
		o->temp = NULL;
	}
	gem_file_drop(o);
	return bad ? -1 : 0;
}

void gem_file_drop(struct gem_file *o)
{
	if (o->f)
		fclose(o->f);
	if (o->temp)
		unlink(o->temp);
	free(o->temp);
	free(o->path);
	memset(o, 0, sizeof *o);
}
