/* SPDX-License-Identifier: MIT */
/*
 * probe_drivers.h - a folder of drivers for a test, instead of the machine's.
 */
#ifndef PROBE_DRIVERS_H
#define PROBE_DRIVERS_H

#include <check.h>
#include <stddef.h>

#include "clopt.h"

#define HANG_SECONDS 8 /* much more than PoCL needs, also on a busy machine */

/* Makes an empty folder, in which the OpenCL loader then looks, and another one as TMPDIR. */
void drivers_setup(void);
void drivers_teardown(void);
/* Adds WHAT.icd: "pocl", or the behaviour of the fake driver. */
void drivers_add(const char *what);
/* Adds WHAT.icd with this line; "": an empty file. */
void drivers_icd(const char *what, const char *library);
/* Makes its library a moment older. */
void drivers_touch(const char *what);
/* The folder of the library's cache. */
void drivers_cache(char *path, size_t size);
/* Opens PoCL, and expects nothing left in the process or on the disk. */
void drivers_expect_pocl(void);
/* The driver that was left out; the test fails unless it is the only one. */
struct clopt_skipped_driver drivers_skipped(void);
/* The test fails if something was left in TMPDIR. */
void drivers_expect_clean(void);

#endif
