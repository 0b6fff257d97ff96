/* SPDX-License-Identifier: MIT */
/*
 * outfile.c - output files that are whole or not there.
 *
 * A file is written beside its target under another name, and renamed when it is complete and every
 * byte was taken.  So a full disk, an early failure or a signal leaves the old file.  What is to be
 * compressed is kept in a file without a name until then.
 */
#define _XOPEN_SOURCE 700 /* for realpath */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "outfile.h"
#include "tidy.h"

static int one(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Any number of outputs may go there. */
static int is_null(const struct stat *st)
{
	struct stat null;

	return stat("/dev/null", &null) == 0 && one(st, &null);
}

int outfile_is_stdout(const char *path)
{
	struct stat st, out;

	return stat(path, &st) == 0 && fstat(STDOUT_FILENO, &out) == 0 && one(&st, &out) &&
	       !is_null(&st);
}

static const char *base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static int stat_folder(const char *path, struct stat *st)
{
	char folder[PATH_MAX];

	snprintf(folder, sizeof folder, "%.*s", (int)(base(path) - path), path);
	return stat(*folder ? folder : ".", st);
}

int outfile_same(const char *a, const char *b)
{
	struct stat s, t;

	if (stat(a, &s)) /* not there yet: one name in one folder */
		return strcmp(base(a), base(b)) == 0 && stat_folder(a, &s) == 0 &&
		       stat_folder(b, &t) == 0 && one(&s, &t);
	return !is_null(&s) && stat(b, &t) == 0 && one(&s, &t);
}

/* A file of a short name, since the target's may be as long as names can be, and with its end, by
 * which ffmpeg knows the kind of file. */
static FILE *beside(struct outfile *o, mode_t mode)
{
	static unsigned long made;
	const char *name = base(o->path), *end = strrchr(name, '.');
	FILE *f = NULL;
	int fd;

	do { /* another host's process may have this number, too */
		if (snprintf(o->temp, sizeof o->temp, "%.*sclopt.tmp-%ld-%lu%s",
		             (int)(name - o->path), o->path, (long)getpid(), made++,
		             end && strlen(end) < 16 ? end : "") >= PATH_MAX)
			errno = ENAMETOOLONG, fd = -1;
		else
			fd = open(o->temp, O_WRONLY | O_CREAT | O_EXCL, mode);
	} while (fd < 0 && errno == EEXIST);
	if (fd >= 0 && !(f = fdopen(fd, "wb"))) {
		close(fd);
		unlink(o->temp);
	}
	if (f)
		tidy_add(o->temp);
	else
		*o->temp = 0;
	return f;
}

static int is_gz(const char *path)
{
	const size_t n = strlen(path);

	return n > 3 && strcmp(path + n - 3, ".gz") == 0;
}

/* All of f, compressed, to `to`. */
static int compress_all(FILE *f, FILE *to)
{
	char buf[1 << 15];
	const int fd = dup(fileno(to));
	gzFile z = fd < 0 ? NULL : gzdopen(fd, "wb");
	size_t n = 1;
	int bad = !z || fseek(f, 0, SEEK_SET) != 0;

	if (!z && fd >= 0)
		close(fd);
	while (!bad && n) {
		n = fread(buf, 1, sizeof buf, f);
		bad = ferror(f) || (n && gzwrite(z, buf, (unsigned)n) != (int)n);
	}
	if (z)
		bad |= gzclose(z) != Z_OK;
	return bad;
}

int outfile_open(struct outfile *o, const char *path, struct fault *e)
{
	struct stat st;
	int direct, exists = stat(path, &st) == 0;

	memset(o, 0, sizeof *o);
	if (!*path)
		return fail(e, "a file without a name cannot be written");
	/* In place: a rename would remove a terminal, a pipe or a link to nothing. */
	if (exists)
		direct = !S_ISREG(st.st_mode) || outfile_is_stdout(path);
	else
		direct = lstat(path, &st) == 0;
	/* The target of a link is replaced, not the link. */
	if (strlen(path) >= sizeof o->path)
		errno = ENAMETOOLONG;
	else if (program_closed(path))
		strcpy(o->path, path);
	else if (!(exists && !direct ? realpath(path, o->path) : strcpy(o->path, path)))
		*o->path = 0;
	else if (exists && S_ISDIR(st.st_mode))
		errno = EISDIR;
	else if (!direct)
		/* Who may not read the old file gets no new one, not for a moment either. */
		o->f = beside(o, exists ? st.st_mode & 0777 : 0666);
	/* The standard output is not opened again, since that would cut off its contents. */
	else if (outfile_is_stdout(path))
		o->f = fdopen(dup(STDOUT_FILENO), "wb");
	else
		o->f = fopen(path, "wb");
	if (*o->temp && exists)
		fchmod(fileno(o->f), st.st_mode & 0777); /* the umask has left out some */
	if (o->f && is_gz(path)) {
		o->to = o->f;
		o->f = tmpfile();
	}
	if (o->f)
		return 0;
	fail(e, "%.400s: cannot write: %s", path, strerror(errno));
	outfile_drop(o);
	return -1;
}

/* An earlier write failed, and its errno is gone; another one fails for the same reason. */
static void ask_again(FILE *f)
{
	errno = 0;
	clearerr(f);
	if (fputc('\n', f) != EOF)
		fflush(f);
}

int outfile_commit(struct outfile *o, struct fault *e)
{
	int bad = ferror(o->f) != 0;

	errno = 0;
	if (bad)
		ask_again(o->f);
	else
		bad = fflush(o->f) != 0;
	if (o->to) {
		bad |= compress_all(o->f, o->to);
		bad |= fclose(o->to) != 0;
		o->to = NULL;
	}
	/* Some file systems report a full disk only when a file is closed. */
	bad |= fclose(o->f) != 0;
	o->f = NULL;
	if (!bad && *o->temp)
		bad = rename(o->temp, o->path) != 0;
	if (bad) {
		fail(e, "%.400s: cannot write: %s", o->path, strerror(errno ? errno : EIO));
	} else {
		tidy_drop(o->temp);
		*o->temp = 0;
	}
	outfile_drop(o);
	return bad ? -1 : 0;
}

void outfile_drop(struct outfile *o)
{
	if (o->f)
		fclose(o->f);
	if (o->to)
		fclose(o->to);
	if (*o->temp) {
		unlink(o->temp);
		tidy_drop(o->temp);
	}
	memset(o, 0, sizeof *o);
}

int outfile_print(const char *path, int (*print)(FILE *f, const void *what, struct fault *e),
                  const void *what, struct fault *e)
{
	struct outfile o;

	if (outfile_open(&o, path, e))
		return -1;
	if (print(o.f, what, e) == 0)
		return outfile_commit(&o, e);
	outfile_drop(&o);
	return -1;
}

int outfile_try(const char *path, struct fault *e)
{
	struct stat st;
	struct outfile o;

	/* Opening a pipe waits for its reader, and once is enough. */
	if (!program_closed(path) && stat(path, &st) == 0 && !S_ISREG(st.st_mode) &&
	    !S_ISDIR(st.st_mode))
		return 0;
	if (outfile_open(&o, path, e))
		return -1;
	outfile_drop(&o);
	return 0;
}
