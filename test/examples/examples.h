/* SPDX-License-Identifier: MIT */
/*
 * examples.h - what the tests of the examples share.
 */
#ifndef EXAMPLES_H
#define EXAMPLES_H

#include "suites.h"

int example_clopt_gem(int argc, char **argv);
int example_nbody(int argc, char **argv);
int example_rotate(int argc, char **argv);

/* Runs an example with these arguments, of which the last is NULL, and returns its status; fails if
 * OpenCL objects are left. */
int example_run(int (*with)(int argc, char **argv), const char *const args[]);
#define RUN(name, ...) example_run(example_##name, (const char *const[]){ __VA_ARGS__, NULL })

#endif
