/* SPDX-License-Identifier: MIT */
/*
 * device.h - which devices there are, their traits and quirks, and the settings of a context.
 */
#ifndef CLOPT_DEVICE_DEVICE_H
#define CLOPT_DEVICE_DEVICE_H

#include "../table/table.h"

/* Whether it has OpenCL 1.2 and a compiler. */
int clopt__device_usable(cl_device_id id);
/* lifted: quirks that are not minded, bits of the rows of quirks.c. */
int clopt__device_read(cl_device_id id, unsigned lifted, struct device *device);

/* Which drivers and devices are used as they are. */
struct device_settings {
	const struct clopt_options *options; /* NULL: none */
	double probe_seconds; /* 0 or less: drivers are not tried in a child */
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
/* options.c: by the options (NULL: none) and the environment. */
int clopt__device_settings(const struct clopt_options *o, struct device_settings *s);

struct settings {
	struct clopt_options options; /* but for those of struct device_settings */
	const char *variants_from, *device_from; /* what to call these two in a failure's text */
	char tuning[4096], cache[4096]; /* where there is a default to hold */
};

/* given: NULL, none.  *s is not to be moved: its options point into it. */
int clopt__settings(const struct clopt_options *given, struct settings *s);
/* It is to be closed. */
int clopt__settings_store(const struct settings *s, struct store *store);

/* options.c: the store that a context with these options has.  It is to be closed. */
int clopt__store_of(const struct clopt_options *options, struct store *store);

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

/* What a device is called there; "" if there is no telling. */
void clopt__arch_of(const struct clopt_device_info *info, char *text, size_t size);
/* The same, or CLOPT_EUNSUPPORTED if the context's device is not in the table. */
int clopt__arch(const struct clopt *ctx, char *name, size_t size);
/* clopt_occupancy on that device.  With 0 registers it tells which geometries can never
 * fill it, before anything is built, and most_registers what a kernel may take. */
int clopt__occupancy(const struct clopt *ctx, const struct clopt_resources *use,
                     struct clopt_occupancy *result);

#endif
