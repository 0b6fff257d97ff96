/* SPDX-License-Identifier: MIT */
/*
 * right.h - contexts that check, and problems on them.
 */
#ifndef RIGHT_H
#define RIGHT_H

#include "problems.h"

struct clopt *open_check(int check, const char *variants);
/* For problems of sums in the initialisers of tables. */
#define SIZED .size = sizeof(struct clopt_problem)

#endif
