/* SPDX-License-Identifier: MIT */
/*
 * each.c - the settings for one of several molecules, whose files have its name.
 */
#include <string.h>

#include "options.h"

const char *gem_base(const char *path, size_t *n)
{
	const char *slash = strrchr(path, '/'), *s = slash ? slash + 1 : path;

	*n = gem_stem(s);
	return s;
}

/* pattern with the name for each "%s"; -1: too long. */
static int named(char to[PATH_MAX], const char *pattern, const char *name)
{
	size_t n = 0;
	const char *s;

	for (; *pattern && n < PATH_MAX; pattern = s + 2 * (*s != 0)) {
		s = strstr(pattern, "%s");
		s = s ? s : pattern + strlen(pattern);
		n += (size_t)snprintf(to + n, PATH_MAX - n, "%.*s%s", (int)(s - pattern), pattern,
		                      *s ? name : "");
	}
	return n < PATH_MAX ? 0 : -1;
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
	for (k = 0; k < GEM_OUTPUTS; k++) {
		if (all->out[k] && named(one->made[k], all->out[k], one->name))
			return fail(e, "%.400s...: the name is too long", all->out[k]);
		one->out[k] = all->out[k] ? one->made[k] : NULL;
	}
	return 0;
}
