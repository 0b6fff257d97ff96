/* SPDX-License-Identifier: MIT */
/*
 * devices.h - the devices that there are, and which one is meant.
 */
#ifndef CLOPT_DEVICES_H
#define CLOPT_DEVICES_H

#include "internal.h"

/* Which drivers and devices are used as they are. */
struct device_settings {
	const struct clopt_options *options; /* NULL: none */
	double probe_seconds; /* 0 or less: drivers are not tried */
	unsigned lifted; /* quirks that are not minded, bits of the rows of quirks.c */
};

struct devices {
	struct device *list; /* best first */
	size_t count;
	struct clopt_skipped *skipped;
	size_t skips;
};

/* All usable devices.  *f is to be freed also after a failure, which it then may
 * explain. */
int clopt__devices(const struct device_settings *s, struct devices *f);
void clopt__devices_free(struct devices *f);
/* Its name and vendor, and its version as the driver's. */
void clopt__platform_read(cl_platform_id platform, struct clopt_device_info *info);

/* pick.c: the one that spec means; a failure names spec's source. */
int clopt__device_pick(const char *spec, const char *source, const struct device_settings *s,
                       int verbose, struct device *device);
/* settings.c: by the options (NULL: none) and the environment. */
int clopt__device_settings(const struct clopt_options *o, struct device_settings *s);

#endif
