/* SPDX-License-Identifier: MIT */
/*
 * text.c - see text.h.
 */
#include "text.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define MOST (1u << 30) /* bytes in one call of zlib */

int text_read(struct text *t, FILE *f, const char *name, struct fault *e)
{
	/* Compressed or not. */
	gzFile in = f || program_closed(name) ? NULL : gzopen(name, "rb");
	const char *why = f || in ? NULL : strerror(errno ? errno : ENOMEM);
	size_t room = 0, got = 1, want;
	int n, code;

	memset(t, 0, sizeof *t);
	t->name = name;
	for (errno = 0; got && !why; t->size += got) {
		got = 0;
		if (grow(&t->data, t->size + 1, &room, 1)) {
			why = strerror(ENOMEM);
			continue;
		}
		want = room - 1 - t->size;
		n = in ? gzread(in, t->data + t->size, want < MOST ? (unsigned)want : MOST) : 0;
		got = in ? (size_t)(n < 0 ? 0 : n) : fread(t->data + t->size, 1, want, f);
		if (n < 0)
			why = gzerror(in, &code);
		if (n < 0 ? code == Z_ERRNO : f && ferror(f))
			why = strerror(errno ? errno : EIO);
	}
	if (t->data) {
		t->data[t->size] = 0;
		/* Line ends of old Macintoshes; not in data, which have zero bytes. */
		if (!memchr(t->data, '\n', t->size) && !memchr(t->data, 0, t->size))
			for (want = 0; want < t->size; want++)
				if (t->data[want] == '\r')
					t->data[want] = '\n';
	}
	if (why)
		fail(e, "%.400s: %s", name, why);
	if (in && gzclose(in) == Z_BUF_ERROR && !why)
		return fail(e, "%.400s: the compressed file ends too early", name);
	return why ? -1 : 0;
}

void text_free(struct text *t)
{
	free(t->data);
	memset(t, 0, sizeof *t);
}

/* A terminal must not get the control characters of a file. */
static void show(struct text *t)
{
	const size_t most = 120;
	size_t i;

	for (i = 0; i < t->len && i < most; i++)
		t->shown[i] = isprint((unsigned char)t->buf[i]) ? t->buf[i] : '?';
	strcpy(t->shown + i, i < t->len ? "..." : "");
}

int text_next(struct text *t, struct fault *e)
{
	static const char mark[] = "\xef\xbb\xbf"; /* of UTF-8, as some editors put it */
	char *end;

	if (t->line == 0 && strncmp(t->data, mark, 3) == 0)
		t->at = 3;
	if (t->at == t->size)
		return 0;
	t->buf = t->data + t->at;
	end = memchr(t->buf, '\n', t->size - t->at);
	t->len = end ? (size_t)(end - t->buf) : t->size - t->at;
	t->at += t->len + (end != NULL);
	t->line++;
	while (t->len && t->buf[t->len - 1] == '\r')
		t->len--;
	t->buf[t->len] = 0;
	show(t);
	if (memchr(t->buf, 0, t->len))
		return text_refuse(t, e, "a zero byte: this is not a text file");
	return 1;
}

int text_refuse(const struct text *t, struct fault *e, const char *format, ...)
{
	char reason[240];
	va_list ap;

	va_start(ap, format);
	vsnprintf(reason, sizeof reason, format, ap);
	va_end(ap);
	return fail(e, "%.200s:%zu: %s: '%s'", t->name, t->line, reason, t->shown);
}

/* The characters leave no other number than a decimal one; strtod checks its grammar.  The
 * programs stay in the locale "C", whose decimal point is a point. */
int text_number(const char *s, size_t n, double *value)
{
	char copy[128];
	char *end;

	if (n == 0 || n >= sizeof copy || strspn(s, "+-.0123456789eE") < n)
		return 0;
	memcpy(copy, s, n);
	copy[n] = 0;
	*value = strtod(copy, &end);
	return *end == 0 && isfinite(*value);
}
