/* SPDX-License-Identifier: MIT */
/*
 * probe.h - drivers that may crash or hang, tried in a child process first.
 *
 * probe.c decides, child_process.c runs something in a child, loader.c knows where the OpenCL
 * loader finds drivers and shows it only some of them.
 */
#ifndef CLOPT_DEVICE_PROBE_H
#define CLOPT_DEVICE_PROBE_H

#include "device.h"

/* ---- child_process.c ---------------------------------------------------------------- */

enum child_end {
	CHILD_DONE, /* the work returned */
	CHILD_CRASHED, /* the process ended before */
	CHILD_HUNG, /* it did neither in time, and was killed */
	CHILD_NONE /* there was no process to be had */
};

struct child {
	enum child_end end;
	int signal; /* that ended it; 0: it exited by itself, or nobody knows */
	char doing[256]; /* the last line that the work wrote */
};

/* work(arg, out) in a child process with nothing on its standard output and error.
 * It writes lines that say what it begins to do. */
void clopt__child(void (*work)(void *arg, int out), void *arg, double seconds, struct child *child);

/* ---- loader.c ------------------------------------------------------------------ */

#define MOST_DRIVERS 32

struct driver {
	char file[256]; /* the .icd file's path; "" where the library was named itself */
	char library[256]; /* as dlopen takes it */
};

struct drivers {
	struct driver list[MOST_DRIVERS];
	size_t count;
};

/* Those that the loader would load. */
void clopt__icd_find(struct drivers *d);
/* Whether one of them is loaded already, or what it may stand on: then this process
 * may hold the device, and its children cannot. */
int clopt__icd_loaded(const struct drivers *d);
/* All that the drivers' health depends on, as text: a key for remembering it.  0: it
 * does not fit. */
int clopt__icd_key(const struct drivers *d, char *text, size_t size);

/* The environment in which the loader finds some of them only. */
struct view {
	char folder[256];
	char **environment, **before;
	/* What it has of its own, and what of the process's stood there; NULL: nothing. */
	char *vendors, *own_vendors, *own_libraries;
};

/* One bit of mask for each driver.  0, or -1 if there is no room for it. */
int clopt__view_open(struct view *v, const struct drivers *d, unsigned mask);
void clopt__view_enter(struct view *v);
void clopt__view_leave(struct view *v);
void clopt__view_remove(struct view *v); /* its files only */
void clopt__view_close(struct view *v);

/* ---- probe.c ---------------------------------------------------------------- */

/* clGetPlatformIDs, after the drivers have been tried if this is the first time. */
int clopt__platforms(const struct device_settings *s, cl_platform_id *list, cl_uint most,
                     cl_uint *count, cl_int *code);
/* The drivers that were left out, up to MOST_DRIVERS of them; how many. */
size_t clopt__probe_skipped(struct clopt_skipped *list);

#endif
