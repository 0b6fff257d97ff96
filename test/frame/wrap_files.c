/* SPDX-License-Identifier: MIT */
/*
 * wrap_files.c - file operations, of which the n-th fails as on a full disk, and which may be
 * partial.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>

#include "wrap_internal.h"

static int slow, turn;

void wrap_slow_files(int yes)
{
	slow = yes;
}

static int fault(void)
{
	int code;

	if (!wrap_fault(&code))
		return 0;
	errno = ENOSPC;
	return 1;
}

/* Bytes to do now; 0: this call is interrupted. */
static size_t part(size_t size)
{
	if (!slow)
		return size;
	turn++;
	if (turn % 3 == 0) {
		errno = EINTR;
		return 0;
	}
	return size < 7 ? size : 7;
}

#define CALL(type, bad, name, parameters, arguments) \
	type __real_##name parameters; \
	type __wrap_##name parameters \
	{ \
		return fault() ? (bad) : __real_##name arguments; \
	}

CALL(int, -1, mkdir, (const char *path, mode_t mode), (path, mode))
CALL(DIR *, NULL, fdopendir, (int file), (file))
CALL(int, -1, fstat, (int file, struct stat *about), (file, about))
CALL(int, -1, renameat, (int a, const char *from, int b, const char *to), (a, from, b, to))

ssize_t __real_read(int file, void *data, size_t size);
ssize_t __wrap_read(int file, void *data, size_t size)
{
	const size_t now = part(size);

	return fault() || (size && !now) ? -1 : __real_read(file, data, now);
}

ssize_t __real_write(int file, const void *data, size_t size);
ssize_t __wrap_write(int file, const void *data, size_t size)
{
	const size_t now = part(size);

	return fault() || (size && !now) ? -1 : __real_write(file, data, now);
}

/* The file is closed all the same: its buffered data did not fit. */
int __real_close(int file);
int __wrap_close(int file)
{
	const int rc = __real_close(file);

	return fault() ? -1 : rc;
}

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...)
{
	va_list args;
	mode_t mode = 0;

	va_start(args, flags);
	if (flags & O_CREAT)
		mode = (mode_t)va_arg(args, int);
	va_end(args);
	return fault() ? -1 : __real_open(path, flags, mode);
}

int __real_openat(int folder, const char *path, int flags, ...);
int __wrap_openat(int folder, const char *path, int flags, ...)
{
	va_list args;
	mode_t mode = 0;

	va_start(args, flags);
	if (flags & O_CREAT)
		mode = (mode_t)va_arg(args, int);
	va_end(args);
	return fault() ? -1 : __real_openat(folder, path, flags, mode);
}
