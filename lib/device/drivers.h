/* SPDX-License-Identifier: MIT */
/*
 * drivers.h - the drivers of the OpenCL loader, and the skipped ones.  drivers.c decides; loader.c
 * finds drivers and hides some of them.
 */
#ifndef CLOPT_DEVICE_DRIVERS_H
#define CLOPT_DEVICE_DRIVERS_H

#include "device.h"

/* Windows' loader and macOS' OpenCL do not find drivers by the environment, so none can be
 * hidden. */
#if defined(_WIN32) || defined(__APPLE__)
#define CAN_HIDE 0
#else
#define CAN_HIDE 1
#endif

/* ---- loader.c: the drivers of the OpenCL loader */

#define MOST_DRIVERS 32

struct driver {
	char file[256]; /* path of the .icd file; "" if the environment names the library */
	char library[256]; /* as dlopen takes it; "": the file names no library */
};

struct drivers {
	struct driver list[MOST_DRIVERS];
	size_t count;
};

/* Find the drivers that the loader would load. */
void clopt__loader_drivers(struct drivers *d);
/* Whether a driver is loaded already.  Then the loader may have loaded all, which it does once. */
int clopt__loader_used(const struct drivers *d);
/* Whether the loader, which has loaded its drivers, cannot use this one.  why: the reason. */
int clopt__loader_refuses(const struct driver *d, char *why, size_t size);
/* Write all that the health of the drivers depends on, as a cache key.  0: no room. */
int clopt__loader_key(const struct drivers *d, char *text, size_t size);
/* Show the loader only the drivers with a bit in `seen', until clopt__loader_show. -1: no room, and
 * it sees all. */
int clopt__loader_hide(const struct drivers *d, unsigned seen);
void clopt__loader_show(void);

/* ---- drivers.c: the first enumeration of platforms */

/* clGetPlatformIDs.  The first call skips faulty drivers. */
int clopt__platforms(cl_platform_id *list, cl_uint most, cl_uint *count, cl_int *code);
/* The drivers that the loader would load, malloc'ed; NULL after a failure. */
struct drivers *clopt__drivers_find(void);
/* Skip the drivers of these lines "LIBRARY: reason", and record them.  Frees text. */
int clopt__drivers_record(char *text);
/* Copy the list of skipped drivers, up to MOST_DRIVERS.  Returns their number. */
size_t clopt__drivers_skipped(struct clopt_skipped_driver *list);

#endif
