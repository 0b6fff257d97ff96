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

int gem_file_open(struct gem_file *o, const char *path, struct gem_error *e)
{
	struct stat st;
	int fd, exists = stat(path, &st) == 0;

	memset(o, 0, sizeof *o);
	/* The target of a link is replaced, not the link. */
	o->path = exists ? realpath(path, NULL) : strdup(path);
	if (!o->path)
		return gem_fail(e, "%.400s: %s", path, strerror(errno));
	if (exists && S_ISDIR(st.st_mode)) {
		errno = EISDIR;
	} else if (exists && !S_ISREG(st.st_mode)) {
		/* Renaming over a terminal or /dev/null would do away with it. */
		o->f = fopen(path, "wb");
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
