/* SPDX-License-Identifier: MIT */
/*
 * probe_drivers.h - a folder of drivers for one test, instead of the machine's own.
 */
#ifndef PROBE_DRIVERS_H
#define PROBE_DRIVERS_H

#include <check.h>
#include <stddef.h>

#define HANG_SECONDS 8 /* much more than PoCL takes, also on a busy machine */

/* The folder, empty, is where the OpenCL loader looks, and TMPDIR is another one. */
void drivers_setup(void);
void drivers_teardown(void);
/* "pocl", or what the fake driver is to do: WHAT.icd. */
void drivers_add(const char *what);
/* Its library is a moment older. */
void drivers_touch(const char *what);
/* The fake driver by another name is loaded into this process. */
void drivers_load(const char *name);
/* A folder for the library's cache. */
void drivers_cache(char *path, size_t size);
void drivers_forget(void); /* what is in it */
/* How many processes asked the fake ones for devices. */
int drivers_askers(void);
/* PoCL is used with so many clopt_options.probe_seconds, and nothing is left in the
 * process or on the disk. */
void drivers_expect_pocl(double seconds);
/* The test fails if something was left in TMPDIR. */
void drivers_expect_clean(void);

/* probe_process.c: more of the case. */
void probe_process_tests(TCase *c);

#endif
