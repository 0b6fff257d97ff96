/* SPDX-License-Identifier: MIT */
/*
 * fields.c - the fields of a line, and numbers that have run together.
 */
#include <math.h>
#include <string.h>

#include "read.h"

/*
 * Programs that write numbers in fixed columns let them run together when they grow:
 * "-12.000-106.134".  A minus sign after a digit can mean nothing else, in a field of the letters
 * of numbers alone.
 */
static size_t first_number(const char *s, size_t n)
{
	size_t i;

	if (strspn(s, "0123456789.+-eE") < n)
		return n;
	for (i = 1; i < n && !(s[i] == '-' && strchr("0123456789.", s[i - 1])); i++)
		;
	return i;
}

int gem_next(const char **s, struct gem_token *k)
{
	static const char blanks[] = " \t\n\v\f\r";

	k->s = *s + strspn(*s, blanks);
	k->n = strcspn(k->s, blanks);
	if (k->n)
		k->n = first_number(k->s, k->n);
	*s = k->s + k->n;
	return k->n != 0;
}

size_t gem_tokens(const char *s, struct gem_token *token, size_t max)
{
	struct gem_token k;
	size_t count;

	for (count = 0; gem_next(&s, &k); count++)
		if (count < max)
			token[count] = k;
	return count;
}

int gem_numbers(const struct text *t, const struct gem_token *k, size_t want, double *v,
                struct fault *e)
{
	size_t i;

	for (i = 0; i < want; i++) {
		if (!text_number(k[i].s, k[i].n, &v[i]))
			return text_refuse(t, e, "'%.*s' is not a number",
			                   (int)(k[i].n < 40 ? k[i].n : 40), k[i].s);
		if (fabs(v[i]) > GEM_LARGEST)
			return text_refuse(t, e, "%g is too large", v[i]);
	}
	return 0;
}
