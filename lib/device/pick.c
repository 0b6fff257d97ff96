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
static void inventory(const struct devices *f, struct text *t)
{
	size_t i;

	for (i = 0; i < f->count; i++)
		clopt__say(t, "%s%zu: %s (%s, %s)", i ? "; " : "", i, f->list[i].info.name,
		           f->list[i].info.type, f->list[i].info.platform);
}

/* With CLOPT_VERBOSE, a line for each skipped driver or device. */
static void tell(const struct clopt *ctx, const struct devices *f)
{
	size_t i;

	for (i = 0; i < f->skips; i++)
		clopt__notice(ctx, "%s is left out: %s", f->skipped[i].name, f->skipped[i].reason);
}

int clopt__device_pick(const char *spec, const char *source, const struct device_settings *s,
                       struct clopt *ctx)
{
	struct devices f;
	size_t i = 0;
	char there[1024];
	struct text t = { there, sizeof there };
	int rc = CLOPT_OK;

	rc = clopt__devices(s, &f);
	if (ctx->verbose)
		tell(ctx, &f);
	if (rc != CLOPT_OK)
		goto out;
	if (spec && *spec && strspn(spec, "0123456789") == strlen(spec))
		i = strlen(spec) > 9 ? f.count : strtoul(spec, NULL, 10);
	else if (spec && *spec)
		while (i < f.count && !(known_type(spec) && matches(&f.list[i].info, spec)))
			i++;
	if (i >= f.count) {
		inventory(&f, &t);
		rc = clopt__fail(NULL, CLOPT_ENODEVICE,
		                 "no OpenCL device matches %s=\"%s\"%s; there are %zu: %s", source,
		                 spec, known_type(spec) ? "" : " (type is cpu, gpu or accelerator)",
		                 f.count, there);
		goto out;
	}
	ctx->device = f.list[i];
out:
	clopt__devices_free(&f);
	return rc;
}
