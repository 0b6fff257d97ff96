/* SPDX-License-Identifier: MIT */
/*
 * text.c - lines, fields and numbers of text files.
 *
 * A reader of other people's files has two duties: to take what they mean, and
 * to name file, line and text when it cannot.  Numbers are read alike in every
 * locale: the grammar is checked here, and strtod only does the rounding.
 */
#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "gem.h"

int gem_fail(struct gem_error *e, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(e->text, sizeof e->text, format, ap);
	va_end(ap);
	return -1;
}

int gem_text_fail(const struct gem_text *t, struct gem_error *e, const char *format, ...)
{
	char reason[240], text[121];
	size_t i;
	va_list ap;

	va_start(ap, format);
	vsnprintf(reason, sizeof reason, format, ap);
	va_end(ap);
	/* What is shown to a terminal must not hold its control characters. */
	for (i = 0; i < t->len && i + 1 < sizeof text; i++)
		text[i] = isprint((unsigned char)t->buf[i]) ? t->buf[i] : '?';
	text[i] = 0;
	return gem_fail(e, "%.200s:%zu: %s: '%s%s'", t->name, t->line, reason, text,
	                i < t->len ? "..." : "");
}

FILE *gem_text_open(const char *path, struct gem_error *e)
{
	struct stat st;
	FILE *f = fopen(path, "r");

	/* A directory opens well enough, and only reading it would fail. */
	if (f && fstat(fileno(f), &st) == 0 && S_ISDIR(st.st_mode)) {
		fclose(f);
		f = NULL;
		errno = EISDIR;
	}
	if (!f)
		gem_fail(e, "%.400s: %s", path, strerror(errno));
	return f;
}

int gem_text_next(struct gem_text *t, struct gem_error *e)
{
	int c;

	t->len = 0;
	t->line++;
	errno = 0;
	while ((c = getc(t->f)) != EOF && c != '\n') {
		if (c == 0 || t->len == sizeof t->buf - 1)
			break;
		t->buf[t->len++] = (char)c;
	}
	if (c == EOF && ferror(t->f))
		return gem_fail(e, "%.400s: %s", t->name, strerror(errno ? errno : EIO));
	if (c == EOF && t->len == 0)
		return 0;
	t->buf[t->len] = 0;
	if (c == 0)
		return gem_text_fail(t, e, "a zero byte, so this is not a text file");
	if (c != '\n' && c != EOF)
		return gem_text_fail(t, e, "the line is longer than %zu characters",
		                     sizeof t->buf - 1);
	while (t->len && t->buf[t->len - 1] == '\r')
		t->buf[--t->len] = 0;
	/* The mark some editors put before UTF-8 text. */
	if (t->line == 1 && strncmp(t->buf, "\xef\xbb\xbf", 3) == 0) {
		t->len -= 3;
		memmove(t->buf, t->buf + 3, t->len + 1);
	}
	return 1;
}

static int digit(char c)
{
	return c >= '0' && c <= '9';
}

static int blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/*
 * Programs that write numbers in fixed columns let them run together when
 * they grow: "-12.000-106.134".  A minus sign after a digit can mean nothing
 * else, in a field that is made of the letters of numbers alone.
 */
static size_t first_number(const char *s, size_t n)
{
	size_t i, cut = n;

	for (i = 0; i < n; i++) {
		if (!digit(s[i]) && !strchr(".+-eE", s[i]))
			return n;
		if (cut == n && i && s[i] == '-' && (digit(s[i - 1]) || s[i - 1] == '.'))
			cut = i;
	}
	return cut;
}

size_t gem_tokens(const char *s, struct gem_token *token, size_t max)
{
	size_t n, cut, count = 0;

	for (;;) {
		while (blank(*s))
			s++;
		if (!*s)
			return count;
		for (n = 0; s[n] && !blank(s[n]); n++)
			;
		for (; n; s += cut, n -= cut) {
			cut = first_number(s, n);
			if (count < max) {
				token[count].s = s;
				token[count].n = cut;
			}
			count++;
		}
	}
}

/* The length of the digits at s. */
static size_t digits(const char *s, const char *end)
{
	size_t n = 0;

	while (s + n < end && digit(s[n]))
		n++;
	return n;
}

int gem_number(const char *s, size_t n, double *value)
{
	const char *p = s, *end = s + n, *point = NULL;
	const char *mark = localeconv()->decimal_point;
	size_t whole, part = 0, before;
	char copy[128];

	if (n == 0 || n + strlen(mark) >= sizeof copy)
		return 0;
	if (*p == '+' || *p == '-')
		p++;
	whole = digits(p, end);
	p += whole;
	if (p < end && *p == '.') {
		point = p++;
		part = digits(p, end);
		p += part;
	}
	if (whole + part == 0)
		return 0;
	if (p < end && (*p == 'e' || *p == 'E')) {
		p++;
		if (p < end && (*p == '+' || *p == '-'))
			p++;
		if (!digits(p, end))
			return 0;
		p += digits(p, end);
	}
	if (p != end)
		return 0;

	/* The decimal point as strtod wants it here. */
	before = point ? (size_t)(point - s) : n;
	memcpy(copy, s, before);
	copy[before] = 0;
	if (point) {
		strcat(copy, mark);
		strncat(copy, point + 1, n - before - 1);
	}
	*value = strtod(copy, NULL);
	return isfinite(*value);
}
