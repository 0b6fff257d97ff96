/* SPDX-License-Identifier: MIT */
/*
 * pick.c - picks the device that a text names.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/text.h"
#include "device.h"

static int is_type(const struct clopt_device_info *info, const char *word, size_t n)
{
	return strlen(info->type) == n && clopt__begins(info->type, word, n);
}

static int is_vendor(const struct clopt_device_info *info, const char *word, size_t n)
{
	/* Users say "pocl", not "Portable Computing Language". */
	return clopt__within(info->vendor, word, n) || clopt__within(info->platform, word, n) ||
	       (strstr(info->platform, "Portable Computing") && clopt__within("pocl", word, n));
}

static int matches(const struct clopt_device_info *info, const char *spec)
{
	size_t vendor = strcspn(spec, ":"), type;
	const char *rest = spec + vendor;

	if (!*rest)
		return is_vendor(info, spec, vendor) || is_type(info, spec, vendor) ||
		       clopt__within(info->name, spec, vendor);
	rest++;
	type = strcspn(rest, ":");
	if (!is_vendor(info, spec, vendor) || (type && !is_type(info, rest, type)))
		return 0;
	rest += type;
	return !*rest || clopt__within(info->name, rest + 1, strlen(rest + 1));
}

static int known_type(const char *spec)
{
	static const char *const types[] = { "", "cpu", "gpu", "accelerator" };
	const char *colon = strchr(spec, ':');
	size_t i, n;

	if (!colon)
		return 1;
	n = strcspn(colon + 1, ":");
	for (i = 0; i < sizeof types / sizeof *types; i++)
		if (strlen(types[i]) == n && clopt__begins(types[i], colon + 1, n))
			return 1;
	return 0;
}

/* "0: NAME (TYPE, PLATFORM); 1: ..." for the failure text. */
static void inventory(const struct device *list, size_t count, char *text, size_t size)
{
	size_t i, used = 0;

	text[0] = '\0';
	for (i = 0; i < count && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%zu: %s (%s, %s)",
		                         i ? "; " : "", i, list[i].info.name, list[i].info.type,
		                         list[i].info.platform);
}

/* With CLOPT_VERBOSE, print a line for each skipped driver or device. */
static void tell(const struct devices *f)
{
	size_t i;

	for (i = 0; i < f->skips; i++)
		clopt__notice("%s is left out: %s", f->skipped[i].name, f->skipped[i].reason);
}

int clopt__device_pick(const char *spec, const char *source, const struct device_settings *s,
                       int verbose, struct device *device)
{
	struct devices f;
	const struct device *list;
	size_t i = 0, count;
	char there[1024];
	int rc = CLOPT_OK;

	rc = clopt__devices(s, &f);
	if (verbose)
		tell(&f);
	if (rc != CLOPT_OK)
		goto out;
	list = f.list;
	count = f.count;
	if (spec && *spec && strspn(spec, "0123456789") == strlen(spec)) {
		unsigned long long index = strlen(spec) > 9 ? count : strtoull(spec, NULL, 10);

		i = index < count ? (size_t)index : count;
	} else if (spec && *spec) {
		while (i < count && !(known_type(spec) && matches(&list[i].info, spec)))
			i++;
	}
	if (i == count) {
		inventory(list, count, there, sizeof there);
		rc = clopt__fail(NULL, CLOPT_ENODEVICE,
		                 "no OpenCL device matches %s=\"%s\"%s; there are %zu: %s", source,
		                 spec, known_type(spec) ? "" : " (type is cpu, gpu or accelerator)",
		                 count, there);
		goto out;
	}
	*device = list[i];
out:
	clopt__devices_free(&f);
	return rc;
}
