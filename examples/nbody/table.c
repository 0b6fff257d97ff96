/* SPDX-License-Identifier: MIT */
/*
 * table.c - bodies as text: x y z vx vy vz m, one body to a line, with blanks or
 * commas between.  # starts a comment, and an empty line is one.  Before the first
 * body "# time 1.5", "# softening 0.01" and "# g 1", as they are written here, say
 * when that was and by which law they move, so that a run goes on as it began.
 */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nb.h"

static const char between[] = " \t\r\v\f,";

/* The program stays in the locale "C", whose decimal point is one. */
int nb_number(const char *s, size_t n, double *value)
{
	char *end;

	if (n == 0 || strspn(s, "+-.0123456789eE") < n)
		return 0;
	*value = strtod(s, &end);
	return end == s + n && isfinite(*value);
}

struct line {
	const char *name; /* of the file */
	size_t number;
	const char *s;
	size_t n; /* without the end of the line */
	const char *rest; /* NULL: from the start */
};

/* "file:line: reason: 'the line'". */
static int refuse(const struct line *l, struct nb_error *e, const char *reason)
{
	char text[121];
	size_t i;

	/* What is shown to a terminal must not hold its control characters. */
	for (i = 0; i < l->n && i + 1 < sizeof text; i++)
		text[i] = isprint((unsigned char)l->s[i]) ? l->s[i] : '?';
	text[i] = 0;
	return nb_fail(e, "%.200s:%zu: %s: '%s%s'", l->name, l->number, reason, text,
	               i < l->n ? "..." : "");
}

/* Returns how many numbers the line has, or -1. */
static int numbers(const struct line *l, double v[7], struct nb_error *e)
{
	const char *end = memchr(l->s, '#', l->n), *s = l->s;
	char reason[80];
	size_t n;
	int count = 0;

	if (!end)
		end = l->s + l->n;
	for (;;) {
		s += strspn(s, between);
		if (s >= end)
			return count;
		n = strcspn(s, " \t\r\v\f,\n#");
		if (count == 7)
			return refuse(l, e, "more than the seven numbers x y z vx vy vz m");
		if (!nb_number(s, n, &v[count])) {
			snprintf(reason, sizeof reason, "field %d is not a finite number",
			         count + 1);
			return refuse(l, e, reason);
		}
		count++;
		s += n;
	}
}

/* The next line of what is left of data; 0 after the last. */
static int next(struct line *l, const char *data, size_t size)
{
	const char *s = l->rest ? l->rest : data, *end;

	if (s == data + size)
		return 0;
	end = memchr(s, '\n', (size_t)(data + size - s));
	l->rest = end ? end + 1 : data + size;
	l->s = s;
	l->n = (size_t)((end ? end : data + size) - s);
	if (l->n && s[l->n - 1] == '\r')
		l->n--;
	l->number++;
	return 1;
}

static int body(struct nb_system *s, size_t *count, const struct line *l, struct nb_error *e)
{
	double v[7];
	const char *wrong;
	int n;

	if (memchr(l->s, 0, l->n))
		return refuse(l, e, "a zero byte, so this is neither a table nor tipsy");
	n = numbers(l, v, e);
	if (n <= 0)
		return n;
	if (n < 7)
		return refuse(l, e, "fewer than the seven numbers x y z vx vy vz m");
	wrong = nb_system_put(s, (*count)++, v);
	return wrong ? refuse(l, e, wrong) : 0;
}

/* "# NAME NUMBER" and nothing else in the line. */
static int mark(const struct line *l, const char *name, double *value)
{
	const size_t n = strlen(name);

	return l->n > n + 3 && memcmp(l->s, "# ", 2) == 0 && memcmp(l->s + 2, name, n) == 0 &&
	       l->s[n + 2] == ' ' && nb_number(l->s + n + 3, l->n - n - 3, value);
}

static int marks(struct nb_system *s, const struct line *l, struct nb_error *e)
{
	double v;

	if (mark(l, "time", &v))
		s->time = v;
	if (mark(l, "softening", &v)) {
		if (v < 0 || v > NB_SOFTEST)
			return refuse(l, e, "a softening is from 0 to 1e18");
		s->softening = v;
	}
	if (mark(l, "g", &v)) {
		if (v < 0)
			return refuse(l, e, "the gravitational constant is not negative");
		s->g = v;
	}
	return 0;
}

int nb_table_parse(struct nb_system *s, const char *data, size_t size, const char *name,
                   struct nb_error *e)
{
	struct line l = { name, 0, NULL, 0, NULL };
	size_t count = 0;

	while (next(&l, data, size))
		;
	if (nb_system_new(s, l.number, e)) /* no more bodies than lines */
		return -1;
	l.number = 0;
	l.rest = NULL;
	while (next(&l, data, size)) {
		if ((count == 0 && marks(s, &l, e)) || body(s, &count, &l, e))
			return -1;
	}
	if (count == 0)
		return nb_fail(e, "%.400s: there are no bodies in it", name);
	s->n = count;
	return 0;
}

int nb_table_print(const struct nb_system *s, FILE *f, struct nb_error *e)
{
	const double *x, *v;
	size_t i;
	int bad;

	/* 17 digits bring back the very number. */
	bad = fprintf(f, "# time %.17g\n", s->time) < 0;
	if (s->softening >= 0)
		bad |= fprintf(f, "# softening %.17g\n", s->softening) < 0;
	if (s->g >= 0)
		bad |= fprintf(f, "# g %.17g\n", s->g) < 0;
	bad |= fprintf(f, "# x y z vx vy vz m\n") < 0;
	for (i = 0; i < s->n && !bad; i++) {
		x = s->body + 4 * i;
		v = s->velocity + 4 * i;
		bad = fprintf(f, "%.17g %.17g %.17g %.17g %.17g %.17g %.17g\n", x[0], x[1], x[2],
		              v[0], v[1], v[2], x[3]) < 0;
	}
	return bad ? nb_fail(e, "the table of bodies could not be written") : 0;
}
