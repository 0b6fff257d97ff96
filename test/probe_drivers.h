/* SPDX-License-Identifier: MIT */
/*
 * probe_drivers.h - a folder of drivers for one test, instead of the machine's own.
 */
#ifndef PROBE_DRIVERS_H
#define PROBE_DRIVERS_H

/* The folder, empty, is where the OpenCL loader looks, and TMPDIR is another one. */
void drivers_setup(void);
void drivers_teardown(void);
/* "pocl", or what the fake driver is to do: WHAT.icd. */
void drivers_add(const char *what);
/* How many processes asked the fake ones for devices. */
int drivers_askers(void);
/* The test fails if something was left in TMPDIR. */
void drivers_expect_clean(void);

#endif
