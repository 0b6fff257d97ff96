/* SPDX-License-Identifier: MIT */
/*
 * arch.h - the table of the resources of compute units.
 */
#ifndef CLOPT_DEVICE_ARCH_H
#define CLOPT_DEVICE_ARCH_H

#include <stddef.h>

/*
 * A kind of compute unit.  The registers of a wave are allocated in steps and lie in one SIMD; GPUs
 * of compute capability 1.x allocate them for a whole group.
 */
struct arch {
	const char *names; /* separated by blanks */
	unsigned wave; /* work-items */
	unsigned waves, groups; /* at most */
	unsigned simds;
	unsigned registers, step; /* of the unit; of a wave */
	unsigned item_registers, group_registers; /* at most */
	size_t local, local_step; /* bytes */
	size_t group_local; /* at most */
	size_t group; /* work-items, at most */
	/* Of some units only: */
	size_t reserved; /* local memory of each group that the system takes */
	unsigned pair; /* registers are allocated to groups, for a multiple of so many waves */
	unsigned lone; /* groups of one wave need no barrier and are not counted */
	unsigned scalars, scalar_step; /* scalar registers of a SIMD, for whole waves */
};

extern const struct arch clopt__archs[]; /* ends with NULL names */

#endif
