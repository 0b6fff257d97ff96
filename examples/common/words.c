/* SPDX-License-Identifier: MIT */
/*
 * words.c - see words.h.
 */
#include "words.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

int words_number(const char *word, double *value)
{
	static const char units[] = "KMGT";
	const size_t n = strlen(word);
	const char *unit = n ? strchr(units, word[n - 1]) : NULL;

	if (!text_number(word, unit ? n - 1 : n, value))
		return 0;
	if (unit)
		*value = ldexp(*value, 10 * (int)(unit - units + 1));
	return isfinite(*value);
}

int words_size(const char *word, size_t *value)
{
	unsigned long long n;
	double v;
	char *end;

	/* Digits alone, up to the largest number. */
	errno = 0;
	n = strtoull(word, &end, 10);
	if (isdigit((unsigned char)*word) && !*end) {
		*value = (size_t)n;
		return !errno && n <= SIZE_MAX;
	}
	if (!words_number(word, &v) || v < 0 || v != floor(v) || v >= ldexp(1, 53))
		return 0;
	*value = (size_t)v;
	return 1;
}

int words_negative(const char *word)
{
	double v;

	return *word == '-' && words_number(word, &v);
}

enum {
	LONGEST = 63
};

/* The fewest letters to put in, take away, change, or swap with the next. */
static size_t distance(const char *a, const char *b)
{
	const size_t m = strlen(a), n = strlen(b);
	size_t row[3][LONGEST + 1], i, j;

	if (m > LONGEST || n > LONGEST)
		return SIZE_MAX;
	for (j = 0; j <= n; j++)
		row[0][j] = j;
	for (i = 1; i <= m; i++) {
		size_t *now = row[i % 3], *last = row[(i - 1) % 3], *before = row[(i + 1) % 3];

		now[0] = i;
		for (j = 1; j <= n; j++) {
			now[j] = last[j - 1] + (a[i - 1] != b[j - 1]);
			if (last[j] + 1 < now[j])
				now[j] = last[j] + 1;
			if (now[j - 1] + 1 < now[j])
				now[j] = now[j - 1] + 1;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    before[j - 2] + 1 < now[j])
				now[j] = before[j - 2] + 1;
		}
	}
	return row[m % 3][n];
}

const char *words_near(const char *word, words_name *name, const void *of)
{
	/* One mistake in three letters at most. */
	size_t least = strlen(word) / 3 + 1, i, d;
	const char *known, *near = NULL;

	for (i = 0; (known = name(of, i)); i++) {
		d = distance(word, known);
		if (d < least) {
			least = d;
			near = known;
		}
	}
	return near;
}

const char *words_near_option(const char *word, words_name *name, const void *of)
{
	char bare[LONGEST + 1];
	const char *known;
	size_t n, i;

	if (strncmp(word, "--", 2) != 0)
		return NULL;
	n = strcspn(word + 2, "=");
	if (n == 0 || n > LONGEST)
		return NULL;
	memcpy(bare, word + 2, n);
	bare[n] = 0;
	for (i = 0; (known = name(of, i)); i++)
		if (strncmp(known, bare, n) == 0)
			return NULL;
	return words_near(bare, name, of);
}
