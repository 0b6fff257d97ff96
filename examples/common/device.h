/* SPDX-License-Identifier: MIT */
/*
 * device.h - a program's device: why it could not be opened, and its kernels.
 */
#ifndef DEVICE_H
#define DEVICE_H

#include <clopt_tune.h>
#include <stddef.h>

#include "program.h"

/* The library's reason (of clopt_error), with the option's name in place of that of the field in
 * struct clopt_options.  -1. */
int device_refused(const char *why, struct fault *e);

/* Load or compile the kernels of n problems, and tell which of them is next.  What fails here fails
 * in the call, which has the better message. */
void device_compile(struct clopt *c, const struct clopt_problem *problem, size_t n);

#endif
