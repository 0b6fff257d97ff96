/* SPDX-License-Identifier: MIT */
/*
 * quirks.h - bugs of drivers that the library stays clear of.
 */
#ifndef CLOPT_QUIRKS_H
#define CLOPT_QUIRKS_H

#include "internal.h"

/* A row.  What is NULL or 0 says nothing. */
struct quirk {
	const char *name;
	const char *platform, *vendor, *device; /* words in their names, case aside */
	const char *behind; /* in the driver's text, its version stands behind this */
	const char *from, *before; /* versions that have it: from <= version < before */
	unsigned takes; /* traits that the device then does not have */
	const char *rows; /* variants whose names begin so are struck out */
	enum {
		SKIPS_NONE,
		SKIPS_PLATFORM, /* only `platform` and its version then hold */
		SKIPS_DEVICE
	} skips;
	const char *reason, *link;
};

extern const struct quirk clopt__quirks[]; /* ends with a NULL name */

/* Whether it holds for what is so described, by its strings alone. */
int clopt__quirk_holds(const struct quirk *q, const struct clopt_device_info *d);
/* The quirk by which a platform is skipped, d->driver being its version, or a device; or NULL. */
const struct quirk *clopt__quirk_skips(const struct clopt_device_info *d, int skips,
                                       unsigned lifted);
/* Take away what those in force take, and name them in the device's info. */
void clopt__quirks_apply(struct device *device, unsigned lifted);
/* The one in force that takes one of these traits or strikes out this row, or NULL. */
const struct quirk *clopt__quirk_against(const struct device *device, unsigned traits,
                                         const char *row);
/* Of a list of names, or "0" for all, those bits; CLOPT_EINVAL names source. */
int clopt__quirks_read(const char *source, const char *names, unsigned *lifted);

#endif
