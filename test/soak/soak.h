/* SPDX-License-Identifier: MIT */
/*
 * soak.h - what a thread of the soak has: arrays, chance, and the calls that it can make.
 */
#ifndef SOAK_H
#define SOAK_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clopt_device.h"
#include "clopt_tune.h"

#define SIDE 96 /* the most of a size */
#define ROOM (3 * SIDE * SIDE) /* numbers of an array: three matrices of a batch */

struct worker {
	struct clopt *ctx;
	uint64_t state;
	double a[ROOM], b[ROOM], c[ROOM], was[ROOM]; /* or as many floats */
	int checked; /* the last call was one that CLOPT_CHECK=always judges */
	char wrong[160]; /* what the last call that gave CLOPT_OK got wrong; "": nothing */
};

unsigned soak_chance(struct worker *w, unsigned n); /* 0 to n - 1 */

/* A call, drawn by chance, in one of its forms.  Returns its status. */
int soak_call(struct worker *w);
/* A product on host arrays, by the device. */
int soak_product(struct worker *w);

#endif
