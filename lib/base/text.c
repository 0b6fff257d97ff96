/* SPDX-License-Identifier: MIT */
/*
 * text.c - numbers, words and files that do not depend on locales.
 */
#if !defined _FILE_OFFSET_BITS && __SIZEOF_LONG__ < 8
#define _FILE_OFFSET_BITS 64 /* else 32-bit systems refuse files with larger inode numbers */
#endif
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L /* fdopen, also under -std=c99 */
#endif
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "context.h"
#include "text.h"

/* Not by %f, whose decimal point may be a comma. */
const char *clopt__number(char *text, double value, unsigned decimals)
{
	const int negative = value < 0;
	unsigned long long n, scale = 1;
	unsigned i;

	for (i = 0; i < decimals; i++)
		scale *= 10;
	if (negative)
		value = -value;
	value *= (double)scale;
	n = value < 1e18 ? (unsigned long long)(value + 0.5) : 0; /* also for NaN */
	if (decimals)
		snprintf(text, NUMBER_SIZE, "%s%llu.%0*llu", negative && n ? "-" : "", n / scale,
		         (int)decimals, n % scale);
	else
		snprintf(text, NUMBER_SIZE, "%s%llu", negative && n ? "-" : "", n);
	return text;
}

/* Names of drivers may have any encoding beyond ASCII. */
const char *clopt__quoted(char *text, size_t size, const char *from)
{
	size_t used = 0;

	for (; *from && used + 8 < size; from++) {
		const char c = *from < ' ' || *from > '~' ? '?' : *from;

		if (c != '"' && c != '\\')
			text[used++] = c;
		else
			used += (size_t)snprintf(text + used, size - used, "\\u%04x", c);
	}
	text[used] = '\0';
	return text;
}

static int cannot_write(const struct clopt *ctx, const char *path, int error)
{
	return clopt__fail(ctx, CLOPT_EIO, "%s cannot be written: %s", path, strerror(error));
}

/* Write and close.  Returns 0 or errno. */
static int fill(const struct clopt *ctx, FILE *f, void (*write)(const struct clopt *, FILE *))
{
	int error = 0;

	errno = 0;
	write(ctx, f);
	if (fflush(f) || ferror(f))
		error = errno ? errno : EIO;
	if (fclose(f) && !error)
		error = errno;
	return error;
}

/* A name in the file's folder, and so in its file system, unique to this context. */
static char *temporary_name(const struct clopt *ctx, const char *path)
{
	const size_t size = strlen(path) + 64;
	char *name = malloc(size);

	if (name)
		snprintf(name, size, "%s.tmp-%ld-%lx", path, (long)getpid(),
		         (unsigned long)(uintptr_t)ctx);
	return name;
}

int clopt__file(struct clopt *ctx, const char *path, void (*write)(const struct clopt *, FILE *))
{
	struct stat there;
	char *temporary = NULL;
	FILE *f;
	int fd, error, rc = CLOPT_OK;

	/* Write to a terminal or a pipe directly; replace an ordinary file. */
	if (stat(path, &there) == 0 && !S_ISREG(there.st_mode))
		fd = clopt__open(path, OPEN_STREAM);
	else if ((temporary = temporary_name(ctx, path)))
		fd = clopt__open(temporary, OPEN_NEW);
	else
		return clopt__fail(ctx, CLOPT_ENOMEM, "no memory for the name of a file");
	if (fd < 0)
		TRY(cannot_write(ctx, path, errno));
	if ((f = fdopen(fd, "w"))) {
		error = fill(ctx, f, write);
	} else {
		error = errno;
		clopt__close(fd);
	}
	if (!error && temporary && clopt__replace(temporary, path))
		error = errno;
	if (error) {
		rc = cannot_write(ctx, path, error);
		if (temporary)
			unlink(temporary);
	}
out:
	free(temporary);
	return rc;
}

const char *clopt__enumerator(char *text, const char *prefix, const char *word, int value)
{
	char *at;

	if (!word) {
		snprintf(text, ENUM_SIZE, "%d", value);
		return text;
	}
	snprintf(text, ENUM_SIZE, "%s%s", prefix, word);
	for (at = text; *at; at++)
		*at = *at == '-' ? '_' : (char)toupper((unsigned char)*at);
	return text;
}

const char *clopt__interned(const char *text)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static struct interned {
		struct interned *next;
		char text[];
	} * all;
	struct interned *i;
	const size_t bytes = strlen(text) + 1;

	pthread_mutex_lock(&lock);
	for (i = all; i && strcmp(i->text, text); i = i->next)
		;
	if (!i && (i = malloc(sizeof *i + bytes))) {
		memcpy(i->text, text, bytes);
		i->next = all;
		all = i;
	}
	pthread_mutex_unlock(&lock);
	return i ? i->text : NULL;
}

void clopt__say(struct text *t, const char *format, ...)
{
	va_list args;
	int n;

	if (!t || !t->left)
		return;
	va_start(args, format);
	n = vsnprintf(t->at, t->left, format, args);
	va_end(args);
	if (n < 0 || (size_t)n >= t->left)
		n = (int)t->left - 1;
	t->at += n;
	t->left -= (size_t)n;
}

/* ASCII only: in Turkish, the lower case of I is another letter. */
static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Whether text begins with word[0..n), ignoring case. */
int clopt__begins(const char *text, const char *word, size_t n)
{
	while (n && *text && lower(*text) == lower(*word)) {
		text++;
		word++;
		n--;
	}
	return !n;
}

int clopt__within(const char *text, const char *word, size_t n)
{
	for (; strlen(text) >= n; text++)
		if (clopt__begins(text, word, n))
			return 1;
	return 0;
}
