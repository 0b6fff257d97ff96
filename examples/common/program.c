/* SPDX-License-Identifier: MIT */
/*
 * program.c - see program.h.
 */
#include "program.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int fail(struct fault *e, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(e->text, sizeof e->text, format, ap);
	va_end(ap);
	return -1;
}

int grow(void *array, size_t n, size_t *room, size_t bytes)
{
	const size_t want = *room ? 2 * *room : 1024;
	void *old, *more;

	if (n < *room)
		return 0;
	memcpy(&old, array, sizeof old);
	more = realloc(old, want * bytes);
	if (!more)
		return -1;
	memcpy(array, &more, sizeof more);
	*room = want;
	return 0; /* cppcheck-suppress memleak ; the array has it */
}

static int order(const void *a, const void *b)
{
	const double p = *(const double *)a, q = *(const double *)b;

	return (p > q) - (p < q);
}

void sort_doubles(double *v, size_t n)
{
	qsort(v, n, sizeof *v, order);
}

double percentile98(double *v, size_t n)
{
	sort_doubles(v, n);
	return n ? v[(n - 1) - (n - 1) / 50] : 0;
}

double seconds_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int flush_report(FILE *f, const char *what, struct fault *e)
{
	errno = 0;
	if (fflush(f) != 0 || ferror(f))
		return fail(e, "%s: %s", what, strerror(errno ? errno : EIO));
	return 0;
}

static int closed[3]; /* the standard files that were */

void program_begin(void)
{
	int fd;

	while ((fd = open("/dev/null", fcntl(0, F_GETFD) < 0 ? O_WRONLY : O_RDONLY)) >= 0 && fd < 3)
		closed[fd] = 1;
	close(fd);
}

int program_closed(const char *path)
{
	static const char *const names[][3] = {
		{ "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0" },
		{ "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1" },
		{ "/dev/stderr", "/dev/fd/2", "/proc/self/fd/2" },
	};
	int fd, i;

	for (fd = 0; fd < 3; fd++)
		for (i = 0; i < 3; i++)
			if (closed[fd] && strcmp(path, names[fd][i]) == 0) {
				errno = EBADF;
				return 1;
			}
	return 0;
}
