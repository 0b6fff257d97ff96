/* SPDX-License-Identifier: MIT */
/*
 * arch.h - the table of what compute units hold.
 */
#ifndef CLOPT_DEVICE_ARCH_H
#define CLOPT_DEVICE_ARCH_H

#include <stddef.h>

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

#endif
