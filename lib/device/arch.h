/* SPDX-License-Identifier: MIT */
/*
 * arch.h - the table of the resources of compute units.
 */
#ifndef CLOPT_DEVICE_ARCH_H
#define CLOPT_DEVICE_ARCH_H

#include <stddef.h>

/* A kind of compute unit.  The registers of a wave are allocated in steps and lie in one SIMD. */
struct arch {
	const char *names; /* separated by blanks */
	unsigned wave; /* work-items */
	unsigned waves, groups; /* limits of a compute unit */
	unsigned simds;
	unsigned registers, step, item_registers; /* per SIMD lane; step; limit per work-item */
	unsigned local_kib, group_local_kib, local_step; /* per unit; limit per group; bytes */
	size_t group; /* limit of work-items */
	/* Of some units only: */
	unsigned halved; /* a group may have half of the unit's registers */
	unsigned reserved_kib; /* local memory that the system takes for each group */
	unsigned lone; /* groups of one wave need no barrier and are not counted */
	unsigned scalars, scalar_step; /* scalar registers of a SIMD, for whole waves */
};

extern const struct arch clopt__archs[]; /* ends with NULL names */

#endif
