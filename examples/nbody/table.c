/* SPDX-License-Identifier: MIT */
/*
 * table.c - bodies as text: x y z vx vy vz m, one body to a line, with blanks or
 * commas between.  # starts a comment, and an empty line is one.  Before the first
 * body "# time 1.5", "# softening 0.01" and "# g 1", as they are written here, give the
 * time and the law of motion, so that a run goes on as it began.
 */
#include <string.h>

#include "nb.h"

/* Returns how many numbers the line has, or -1. */
static int numbers(struct text *t, double v[7], struct fault *e)
{
	static const char between[] = " \t\r\v\f,";
	const char *s = t->buf;
	int count = 0;
	size_t n;

	t->buf[strcspn(t->buf, "#")] = 0;
	for (s += strspn(s, between); *s; s += n, s += strspn(s, between)) {
		n = strcspn(s, between);
		if (count == 7)
			return text_refuse(t, e, "more than the seven numbers x y z vx vy vz m");
		if (!text_number(s, n, &v[count++]))
			return text_refuse(t, e, "field %d is not a finite number", count);
	}
	return count;
}

static int body(struct nb_system *s, size_t *count, struct text *t, struct fault *e)
{
	double v[7];
	const char *wrong;
	const int n = numbers(t, v, e);

	if (n <= 0)
		return n;
	if (n < 7)
		return text_refuse(t, e, "fewer than the seven numbers x y z vx vy vz m");
	wrong = nb_system_put(s, (*count)++, v);
	return wrong ? text_refuse(t, e, "%s", wrong) : 0;
}

/* "# NAME NUMBER" and nothing else in the line. */
static int mark(const struct text *t, const char *name, double *value)
{
	const size_t n = strlen(name);

	return strncmp(t->buf, "# ", 2) == 0 && strncmp(t->buf + 2, name, n) == 0 &&
	       t->buf[n + 2] == ' ' && text_number(t->buf + n + 3, t->len - n - 3, value);
}

static int marks(struct nb_system *s, const struct text *t, struct fault *e)
{
	double v;

	if (mark(t, "time", &v))
		s->time = v;
	if (mark(t, "softening", &v)) {
		if (v < 0 || v > NB_SOFTEST)
			return text_refuse(t, e, "a softening is from 0 to 1e18");
		s->softening = v;
	}
	if (mark(t, "g", &v)) {
		if (v < 0)
			return text_refuse(t, e, "the gravitational constant is not negative");
		s->g = v;
	}
	return 0;
}

int nb_table_parse(struct nb_system *s, struct text *t, struct fault *e)
{
	size_t lines = 1, count = 0;
	const char *at = t->data;
	int rc;

	while ((at = memchr(at, '\n', t->size - (size_t)(at - t->data))) != NULL) {
		lines++;
		at++;
	}
	if (nb_system_new(s, lines, e)) /* no more bodies than lines */
		return -1;
	while ((rc = text_next(t, e)) > 0)
		if ((count == 0 && marks(s, t, e)) || body(s, &count, t, e))
			return -1;
	if (rc == 0 && count == 0)
		return fail(e, "%.400s: there are no bodies in it", t->name);
	s->n = count;
	return rc;
}

/* 17 digits bring back the very number. */
int nb_table_print(FILE *f, const void *system, struct fault *e)
{
	const struct nb_system *s = system;
	size_t i;

	(void)e;
	fprintf(f, "# time %.17g\n", s->time);
	if (s->softening >= 0)
		fprintf(f, "# softening %.17g\n", s->softening);
	if (s->g >= 0)
		fprintf(f, "# g %.17g\n", s->g);
	fprintf(f, "# x y z vx vy vz m\n");
	for (i = 0; i < s->n; i++) {
		const double *x = s->body + 4 * i, *v = s->velocity + 4 * i;

		fprintf(f, "%.17g %.17g %.17g %.17g %.17g %.17g %.17g\n", x[0], x[1], x[2], v[0],
		        v[1], v[2], x[3]);
	}
	return 0;
}
