/* SPDX-License-Identifier: MIT */
/*
 * occupancy.h - the table of what compute units hold, and what drivers tell of kernels.
 */
#ifndef CLOPT_OCCUPANCY_H
#define CLOPT_OCCUPANCY_H

#include "internal.h"

/*
 * A kind of compute unit.  A wave's registers are given out in steps and lie in one of
 * its SIMDs; GPUs of compute capability 1.x give them to a whole group.
 */
struct arch {
	const char *names; /* with blanks between */
	unsigned wave; /* work-items */
	unsigned waves, groups; /* at most */
	unsigned simds;
	unsigned registers, step; /* of all its work-items; of a wave */
	unsigned item_registers, group_registers; /* at most */
	size_t local, local_step; /* bytes */
	size_t group_local; /* at most */
	size_t group; /* work-items, at most */
	/* Of some: */
	size_t reserved; /* of each group's local memory, by the system */
	unsigned pair; /* registers are a group's, for a multiple of so many waves */
	unsigned lone; /* groups of one wave need no barrier, and are not counted */
	unsigned scalars, scalar_step; /* scalar registers of a SIMD, for whole waves */
};

extern const struct arch clopt__archs[]; /* ends with NULL names */

/* What a device is called there; "" if there is no telling. */
void clopt__arch_of(const struct clopt_device_info *info, char *text, size_t size);
/* The same, or CLOPT_EUNSUPPORTED if the context's device is not in the table. */
int clopt__arch(const struct clopt *ctx, char *name, size_t size);
/* clopt_occupancy on that device.  With 0 registers it tells which geometries can never
 * fill it, before anything is built, and most_registers what a kernel may take. */
int clopt__occupancy(const struct clopt *ctx, const struct clopt_resources *use,
                     struct clopt_occupancy *result);

/* registers.c.  In an NVIDIA compiler's log: what it says of kernel `name`; 0 if nothing. */
unsigned clopt__log_registers(const char *log, const char *name);
/* In a binary for AMD's GPUs: the number under this key of its notes. 0: there is none. */
int clopt__note_number(const void *binary, size_t size, const char *key, unsigned *number);

#endif
