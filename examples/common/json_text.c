/* SPDX-License-Identifier: MIT */
/*
 * json_text.c - see json_text.h.
 */
#include "json_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

json_t *json_text(const char *s)
{
	json_t *j = json_string(s);
	char *copy, *p;

	if (j || !(copy = strdup(s)))
		return j;
	for (p = copy; *p; p++)
		if ((unsigned char)*p > 126)
			*p = '?';
	j = json_string(copy);
	free(copy);
	return j;
}

struct sheet sheet_new(void)
{
	struct sheet t = { json_object(), 0 };

	return t;
}

void sheet_put(struct sheet *t, const char *key, json_t *value)
{
	t->bad |= json_object_set_new(t->o, key, value);
}

void sheet_text(struct sheet *t, const char *key, const char *s)
{
	sheet_put(t, key, json_text(s));
}

void sheet_count(struct sheet *t, const char *key, double n)
{
	sheet_put(t, key, json_integer((json_int_t)n));
}

/* JSON has no infinity. */
static json_t *number(double v)
{
	return isfinite(v) ? json_real(v) : json_null();
}

void sheet_number(struct sheet *t, const char *key, double v)
{
	sheet_put(t, key, number(v));
}

void sheet_vector(struct sheet *t, const char *key, const double v[3])
{
	sheet_put(t, key, json_pack("[ooo]", number(v[0]), number(v[1]), number(v[2])));
}

void sheet_append(struct sheet *t, json_t *list, struct sheet *item)
{
	t->bad |= item->bad | json_array_append_new(list, item->o);
}

int sheet_print(struct sheet *t, FILE *f, size_t digits)
{
	const int bad = t->bad || json_dumpf(t->o, f, JSON_INDENT(2) | JSON_REAL_PRECISION(digits));

	json_decref(t->o);
	return bad || fputc('\n', f) == EOF ? -1 : 0;
}
