/* SPDX-License-Identifier: MIT */
/*
 * device.h - devices, their traits and quirks; a context's settings, OpenCL context and queues.
 */
#ifndef CLOPT_DEVICE_DEVICE_H
#define CLOPT_DEVICE_DEVICE_H

#include "../base/text.h"
#include "../table/table.h"

/* ---- device.c: one device, described and scored */
/* Read a device.  lifted: ignored quirks, bits of the rows of quirks.c.  CLOPT_EUNSUPPORTED: it
 * lacks OpenCL 1.2 or a compiler.  Other failures: its properties cannot be read. */
int clopt__device_read(cl_device_id id, unsigned lifted, struct device *device);
/* Read name and vendor of a platform, and its version in place of the driver's. */
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

/* List all devices.  lifted: as above.  The caller frees *f also after a failure, which its skipped
 * drivers may explain. */
int clopt__devices(unsigned lifted, struct devices *f);
void clopt__devices_free(struct devices *f);
/* Append "; NAME is left out: why" for each. */
void clopt__skipped_text(const struct devices *f, struct text *t);

/* ---- pick.c: the devices that a spec names */
/* *list: the devices in the spec's order, each once; the caller frees it.  A failure names the
 * source of spec.  If notices is verbose, skipped drivers are printed. */
int clopt__devices_pick(const char *spec, const char *source, unsigned lifted,
                        const struct clopt *notices, struct device **list, size_t *count);

/* ---- opened.c: OpenCL's context and queues */
/* Create OpenCL's context for ctx->device.  Here and below a failure's message belongs to no
 * context (clopt_error(NULL)). */
int clopt__context_create(struct clopt *ctx);
/* Use the caller's context and device, both retained, and read the device.  CLOPT_EINVAL: it is not
 * a device of the context. */
int clopt__context_adopt(struct clopt *ctx, cl_context context, cl_device_id device,
                         unsigned lifted);
/* count 0: a queue for each engine that can work at the same time. */
int clopt__queues_open(struct clopt *ctx, unsigned count);
void clopt__queues_close(struct clopt *ctx);

/* ---- options.c: the settings of a context */
/* Ignored quirks, from the options (NULL: none) or the environment. */
int clopt__lifted(const struct clopt_options *o, unsigned *lifted);
/* The rank of this process among the processes of its job on this host.  CLOPT_EINVAL if it is
 * unknown, for spec, which asks for it. */
int clopt__local_rank(const char *spec, const char *source, size_t *rank);

/* A hash of the environment variables that change what drivers make of a kernel. */
void clopt__steering(char digits[HASH_TEXT_SIZE]);

/* Print each variable of the environment whose name begins with CLOPT_ and that is not read. */
void clopt__tell_variables(const struct clopt *notices);

struct settings {
	struct clopt_options options;
	const char *variants_from, *device_from; /* where these two are set, for messages */
	char tuning[4096], cache[4096]; /* room for defaults */
};

/* given NULL: defaults.  *s must not move: its options point into it. */
int clopt__settings(const struct clopt_options *given, struct settings *s);
/* Open the store of these settings.  The caller closes it. */
int clopt__settings_store(const struct settings *s, struct store *store);

/* The same for a context with these options. */
int clopt__store_of(const struct clopt_options *options, struct store *store);
/* The same without options.  No other variable of the environment is read. */
int clopt__user_store(struct store *store);

/* ---- quirks.c: known bugs of drivers */
/* What is done differently because of a bug. */
enum workaround {
	SKIPS_PLATFORM = 1 << 0,
	SKIPS_DEVICE = 1 << 1,
	LIMITS_GROUPS = 1 << 2, /* a launch has at most 65535 groups along y and z */
	BUILDS_FIT = 1 << 3, /* what compiles can run, whatever limits the driver reports */
	SAVES_AFTER_RUN = 1 << 4, /* a kernel's binary is saved after its first run */
	SKIPS_MAPS = 1 << 5, /* a processor's results in place are not mapped */
	KEEPS_APART = 1 << 6, /* launches of a kernel that differ do not run at the same time */
	AVOIDS_FMA = 1 << 7, /* float32 sums may round each product before they add it */
	NEEDS_FILES = 1 << 8 /* nothing is built where files may not grow */
};

/* Whether a quirk in force on the context's device asks for the workaround. */
int clopt__works_around(const struct clopt *ctx, enum workaround what);

/* Fields that are NULL or 0 set no condition. */
struct quirk {
	const char *name;
	const char *platform, *vendor, *device; /* words in their names, ignoring case */
	const char *behind; /* text before the version in the driver's string */
	const char *from, *before; /* versions with the bug: from <= version < before */
	const char *unless; /* text in the device's OpenCL version that excludes the row */
	unsigned takes; /* traits that the device loses */
	const char *rows; /* variants whose names contain one of these words are struck out */
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

/* ---- occupancy_table.c: the resources of compute units */
/* A kind of compute unit.  The registers of a wave are allocated in steps and lie in one SIMD. */
struct arch {
	const char *names; /* separated by blanks */
	unsigned wave; /* work-items */
	unsigned waves, groups; /* limits of a compute unit */
	unsigned simds;
	unsigned registers, step, item_registers; /* per SIMD lane; step; limit per work-item */
	unsigned local_kib, group_local_kib, local_step; /* per unit; limit per group; bytes */
	size_t group; /* limit of work-items */
	/* Of some units only: */
	unsigned halved; /* a group may have half of the unit's registers */
	unsigned reserved_kib; /* local memory that the system takes for each group */
	unsigned lone; /* groups of one wave need no barrier and are not counted */
	unsigned scalars, scalar_step; /* scalar registers of a SIMD, for whole waves */
};

extern const struct arch clopt__archs[]; /* ends with NULL names */

/* ---- occupancy.c: how many waves of a kernel a compute unit holds */
/* clopt__arch_of, or CLOPT_EUNSUPPORTED if the context's device is not in the table. */
int clopt__arch(const struct clopt *ctx, char *name, size_t size);
/* clopt_occupancy on the context's device.  With 0 registers the result shows, before a build,
 * which geometries can never fill the device. most_registers is a kernel's limit. */
int clopt__occupancy(const struct clopt *ctx, const struct clopt_resources *use,
                     struct clopt_occupancy_info *result);

#endif
