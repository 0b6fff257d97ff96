/* SPDX-License-Identifier: MIT */
/*
 * device.h - devices, their traits and quirks; the settings, OpenCL context and queues of a
 * context.
 */
#ifndef CLOPT_DEVICE_DEVICE_H
#define CLOPT_DEVICE_DEVICE_H

#include "../base/text.h"
#include "../table/table.h"

/* ---- device.c: one device, described and scored */
/* lifted: ignored quirks, bits of the rows of quirks.c.  CLOPT_EUNSUPPORTED: it lacks OpenCL 1.2 or
 * a compiler.  Other failures: its properties cannot be read. */
int clopt__device_read(cl_device_id id, unsigned lifted, struct device *device);
/* Name and vendor of a platform, and its version in place of the driver's. */
int clopt__platform_read(cl_platform_id platform, struct clopt_device_info *info);
/* Name of the device in occupancy_table.c; "": unknown. */
void clopt__arch_of(const struct clopt_device_info *info, char *text, size_t size);

/* ---- list.c: all usable devices */
struct devices {
	struct device *list; /* best first */
	size_t count;
	struct clopt_skipped_driver *skipped;
	size_t skips;
};

/* lifted: as above.  *f is to be freed even after a failure, which it then may explain. */
int clopt__devices(unsigned lifted, struct devices *f);
void clopt__devices_free(struct devices *f);
/* "; NAME is left out: why" for each. */
void clopt__skipped_text(const struct devices *f, struct text *t);

/* ---- pick.c: the devices that a text names */
/* *list gets them in the text's order, each once; the caller frees it.  A failure names the source
 * of spec.  notices gets the drivers left out, if it is verbose. */
int clopt__devices_pick(const char *spec, const char *source, unsigned lifted,
                        const struct clopt *notices, struct device **list, size_t *count);

/* ---- opened.c: OpenCL's context and queues */
/* For ctx->device; a failure's text is of no context (clopt_error(NULL)), here and below. */
int clopt__context_create(struct clopt *ctx);
/* The caller's own, both retained; reads the device.  CLOPT_EINVAL: it is not one of context's. */
int clopt__context_adopt(struct clopt *ctx, cl_context context, cl_device_id device,
                         unsigned lifted);
/* count 0: one for each engine that can work at the same time. */
int clopt__queues_open(struct clopt *ctx, unsigned count);
void clopt__queues_close(struct clopt *ctx);

/* ---- options.c: the settings of a context */
/* Ignored quirks, by the options (NULL: none) or the environment. */
int clopt__lifted(const struct clopt_options *o, unsigned *lifted);
/* The number of this process among those of its job on this host.  Unknown: CLOPT_EINVAL, for spec,
 * which asks for it. */
int clopt__local_rank(const char *spec, const char *source, size_t *rank);

/* A hash of the variables of the environment that change what drivers make of a kernel. */
void clopt__steering(char digits[HASH_TEXT_SIZE]);

struct settings {
	struct clopt_options options;
	const char *variants_from, *device_from; /* sources of these two, for failures */
	char tuning[4096], cache[4096]; /* room for defaults */
};

/* given: NULL, none.  *s must not move: its options point into it. */
int clopt__settings(const struct clopt_options *given, struct settings *s);
/* The caller closes the store. */
int clopt__settings_store(const struct settings *s, struct store *store);

/* The store of a context with these options.  The caller closes it. */
int clopt__store_of(const struct clopt_options *options, struct store *store);
/* The same without options, whatever else the environment says. */
int clopt__user_store(struct store *store);

/* ---- quirks.c: known bugs of drivers */
/* What is done differently because of a bug. */
enum workaround {
	SKIPS_PLATFORM = 1 << 0,
	SKIPS_DEVICE = 1 << 1,
	LIMITS_GROUPS = 1 << 2, /* a launch has at most 65535 groups along y and z */
	BUILDS_FIT = 1 << 3, /* what compiles can run, whatever the driver tells */
	SAVES_AFTER_RUN = 1 << 4, /* a kernel's binary is kept after its first run */
	SKIPS_MAPS = 1 << 5, /* a processor's results in place are not mapped */
	KEEPS_APART = 1 << 6, /* launches of a kernel that differ do not run at a time */
	AVOIDS_FMA = 1 << 7, /* float32 sums may round each product before they add it */
	NEEDS_FILES = 1 << 8 /* nothing is built where files may not grow */
};

/* Whether a quirk in force on the context's device asks for it. */
int clopt__works_around(const struct clopt *ctx, enum workaround what);

/* Fields that are NULL or 0 set no condition. */
struct quirk {
	const char *name;
	const char *platform, *vendor, *device; /* words in their names, ignoring case */
	const char *behind; /* text before the version in the driver's string */
	const char *from, *before; /* versions with the bug: from <= version < before */
	const char *unless; /* text in the device's version of OpenCL where the row does not hold */
	unsigned takes; /* traits that the device loses */
	const char *rows; /* variants with one of these words in their names are struck out */
	unsigned workarounds; /* SKIPS_PLATFORM tests only `platform` and its version */
	const char *reason, *link; /* link NULL: found by this library's tests */
};

extern const struct quirk clopt__quirks[]; /* ends with a NULL name */

/* Whether the quirk applies to a device, by its strings alone. */
int clopt__quirk_holds(const struct quirk *q, const struct clopt_device_info *d);
/* The quirk that skips a platform (d->driver: its version) or a device; or NULL. */
const struct quirk *clopt__quirk_skips(const struct clopt_device_info *d, enum workaround skips,
                                       unsigned lifted);
/* Apply the quirks in force: take their traits, add their workarounds, and name them in the
 * device's info. */
void clopt__quirks_apply(struct device *device, unsigned lifted);
/* The quirk in force that takes one of these traits or strikes out this row, or NULL. */
const struct quirk *clopt__quirk_against(const struct device *device, unsigned traits,
                                         const char *row);
/* The bits of a list of names, or "0" for all; CLOPT_EINVAL names source. */
int clopt__quirks_read(const char *source, const char *names, unsigned *lifted);

/* ---- occupancy.c: how many waves of a kernel a compute unit holds */
/* clopt__arch_of, or CLOPT_EUNSUPPORTED if the context's device is not in the table. */
int clopt__arch(const struct clopt *ctx, char *name, size_t size);
/* clopt_occupancy on the context's device.  With 0 registers it shows, before a build, which
 * geometries can never fill the device; most_registers is the limit for a kernel. */
int clopt__occupancy(const struct clopt *ctx, const struct clopt_resources *use,
                     struct clopt_occupancy_info *result);

#endif
