/* SPDX-License-Identifier: MIT */
/*
 * caller.h - the state of the calling thread in the library.
 *
 * It cannot be cancelled, since it would leave locks held.  Drivers run in it with the default
 * floating-point environment, and the flags that they raise are dropped.  A driver's write beyond
 * the limit on the size of files raises no signal.
 */
#ifndef CLOPT_BASE_CALLER_H
#define CLOPT_BASE_CALLER_H

/* Begin and end each call that locks or waits; they nest. */
void clopt__caller_hold(void);
void clopt__caller_back(void);
/* Prepare the thread for a driver, until the outermost clopt__caller_back; not needed for queries.
 * Separate from clopt__caller_hold, since it takes 0.6 us and a small product on the host 1.5
 * us. */
void clopt__caller_drives(void);

#endif
