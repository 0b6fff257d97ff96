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
	unsigned waves, groups; /* at most */
	unsigned simds;
	unsigned registers, step, item_registers; /* of a SIMD's lane; of a work-item, at most */
	unsigned local_kib, group_local_kib, local_step; /* of a group, at most; bytes */
	size_t group; /* work-items, at most */
	/* Of some units only: */
	unsigned halved; /* a group has half of the unit's registers at most */
	unsigned reserved_kib; /* local memory of each group that the system takes */
	unsigned lone; /* groups of one wave need no barrier and are not counted */
	unsigned scalars, scalar_step; /* scalar registers of a SIMD, for whole waves */
};

extern const struct arch clopt__archs[]; /* ends with NULL names */

#endif
