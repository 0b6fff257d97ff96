/* SPDX-License-Identifier: MIT */
/*
 * drivers.h - the drivers of the OpenCL loader, and those that are left out.
 *
 * drivers.c decides, loader.c finds the drivers and hides some of them.
 */
#ifndef CLOPT_DEVICE_DRIVERS_H
#define CLOPT_DEVICE_DRIVERS_H

#include "device.h"

/* Neither Windows' loader nor macOS' OpenCL finds drivers by the environment: none can be
 * hidden. */
#if defined(_WIN32) || defined(__APPLE__)
#define CAN_HIDE 0
#else
#define CAN_HIDE 1
#endif

/* ---- loader.c: the drivers of the OpenCL loader */

#define MOST_DRIVERS 32

struct driver {
	char file[256]; /* path of the .icd file; "" if the library was named directly */
	char library[256]; /* as dlopen takes it; "": the file names none */
};

struct drivers {
	struct driver list[MOST_DRIVERS];
	size_t count;
};

/* Find the drivers that the loader would load. */
void clopt__loader_drivers(struct drivers *d);
/* Whether a driver is loaded already: the loader may have asked for them, and does so once. */
int clopt__loader_used(const struct drivers *d);
/* Why the loader, which has loaded its drivers, cannot use this one, or 0 if it may. */
int clopt__loader_refuses(const struct driver *d, char *why, size_t size);
/* Write all that the health of the drivers depends on, as a cache key.  0: no room. */
int clopt__loader_key(const struct drivers *d, char *text, size_t size);
/* Until clopt__loader_show the loader sees these drivers only, a bit for each.  -1: it sees all,
 * since there is no room. */
int clopt__loader_hide(const struct drivers *d, unsigned seen);
void clopt__loader_show(void);

/* ---- drivers.c: the first enumeration of platforms */

/* clGetPlatformIDs, which leaves out faulty drivers the first time. */
int clopt__platforms(cl_platform_id *list, cl_uint most, cl_uint *count, cl_int *code);
/* The drivers that the loader would load, malloc'ed; NULL after a failure. */
struct drivers *clopt__drivers_find(void);
/* Leave out the drivers of these lines "LIBRARY: reason", and keep them on record; frees text. */
int clopt__drivers_record(char *text);
/* Copy the drivers that were left out, up to MOST_DRIVERS; returns their number. */
size_t clopt__drivers_skipped(struct clopt_skipped_driver *list);

#endif
