/* SPDX-License-Identifier: MIT */
/*
 * json_text.c - see json_text.h.
 */
#include "json_text.h"

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
