/* SPDX-License-Identifier: MIT */
/*
 * each.c - the settings for one of several molecules, whose files have its name.
 */
#include <stdlib.h>
#include <string.h>

#include "options.h"

const char *gem_base(const char *path, size_t *n)
{
	const char *slash = strrchr(path, '/'), *s = slash ? slash + 1 : path;

	*n = gem_stem(s);
	return s;
}

/* pattern with the name for each "%s". */
static char *named(const char *pattern, const char *name)
{
	const size_t n = strlen(name);
	size_t room = strlen(pattern) + 1;
	const char *s;
	char *path, *to;

	for (s = strstr(pattern, "%s"); s; s = strstr(s + 2, "%s"))
		room += n;
	path = to = malloc(room);
	while (path && (s = strstr(pattern, "%s"))) {
		memcpy(to, pattern, (size_t)(s - pattern));
		to += s - pattern;
		memcpy(to, name, n);
		to += n;
		pattern = s + 2;
	}
	if (path)
		strcpy(to, pattern);
	return path;
}

int gem_settings_each(struct gem_settings *one, const struct gem_settings *all, size_t i,
                      size_t model, struct fault *e)
{
	const char *base;
	size_t n;
	int k;

	*one = *all;
	one->molecule = all->molecules[i];
	one->model = model;
	base = gem_base(one->molecule, &n);
	if (model)
		snprintf(one->name, sizeof one->name, "%.*s-%05zu", (int)n, base, model);
	else
		snprintf(one->name, sizeof one->name, "%.*s", (int)n, base);
	memset(one->made, 0, sizeof one->made);
	for (k = 0; k < GEM_OUTPUTS; k++) {
		if (!all->out[k])
			continue;
		one->out[k] = one->made[k] = named(all->out[k], one->name);
		if (!one->made[k]) {
			gem_settings_free(one);
			return fail(e, "out of memory");
		}
	}
	return 0;
}

void gem_settings_free(struct gem_settings *one)
{
	int k;

	for (k = 0; k < GEM_OUTPUTS; k++)
		free(one->made[k]);
	memset(one->made, 0, sizeof one->made);
}
