/* SPDX-License-Identifier: MIT */
/*
 * shipped.c - records that come with the library: what `clopt tune` has written on the
 * devices we had; see "Tuning" in clopt.h.
 */
#include "tune.h"

/* clang-format off */
const char *const clopt__shipped[] = {
	NULL
};
/* clang-format on */
