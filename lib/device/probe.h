/* SPDX-License-Identifier: MIT */
/*
 * probe.h - tries drivers that may crash or hang in a child process first.
 *
 * probe.c decides, child_process.c runs work in a child, loader.c finds the drivers of the OpenCL
 * loader and hides some of them.
 */
#ifndef CLOPT_DEVICE_PROBE_H
#define CLOPT_DEVICE_PROBE_H

#include "device.h"

/* Where there is fork(), and a loader whose drivers the environment names; elsewhere unprobed.c. */
#if defined(_WIN32) || defined(__APPLE__)
#define CAN_PROBE 0
#else
#define CAN_PROBE 1
#endif

/* ---- child_process.c: work in a child process */

enum child_end {
	CHILD_DONE, /* the work returned */
	CHILD_CRASHED, /* the process ended first */
	CHILD_HUNG, /* neither in time; it was killed */
	CHILD_NONE /* no process could be made */
};

#define CHILD_TEXT 256
struct child {
	enum child_end end;
	int signal; /* that ended the child; 0: it exited, or unknown */
	char doing[CHILD_TEXT]; /* the last step of the work */
};

/* Run work(arg, doing) in a child process whose standard output and error are discarded.  Before
 * each step, the work writes its name to `doing`. */
void clopt__child(void (*work)(void *arg, char *doing), void *arg, double seconds,
                  struct child *child);

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
/* Whether a driver, or a library below it, is loaded already: then this process may hold the
 * device, and children cannot. */
int clopt__loader_used(const struct drivers *d);
/* Why the loader, which has loaded its drivers, cannot use this one, or 0 if it may. */
int clopt__loader_refuses(const struct driver *d, char *why, size_t size);
/* Write all that the health of the drivers depends on, as a cache key.  0: no room. */
int clopt__loader_key(const struct drivers *d, char *text, size_t size);

/* An environment in which the loader finds some drivers only. */
struct view {
	char folder[256];
	char **environment, **before;
	/* Strings of the view, and those of the process that they replace; NULL: none. */
	char *vendors, *own_vendors, *own_libraries;
};

/* mask: one bit for each driver; files that name none are never seen.  Returns 0, or -1 without room. */
int clopt__view_open(struct view *v, const struct drivers *d, unsigned mask);
void clopt__view_enter(struct view *v);
void clopt__view_leave(struct view *v);
void clopt__view_remove(struct view *v); /* removes its files only */
void clopt__view_close(struct view *v);

/* ---- probe.c: the first enumeration of platforms */

/* clGetPlatformIDs, which hides sick drivers the first time. */
int clopt__platforms(const struct device_settings *s, cl_platform_id *list, cl_uint most,
                     cl_uint *count, cl_int *code);
/* Copy the drivers that were left out, up to MOST_DRIVERS; returns their number. */
size_t clopt__probe_skipped(struct clopt_skipped_driver *list);

#endif
