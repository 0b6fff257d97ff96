/* SPDX-License-Identifier: MIT */
/*
 * caller.h - the calling thread while it is in the library.
 *
 * It is not cancelled, since it would leave locks behind.  Drivers run in it in the default
 * floating-point environment, and the flags that they raise are lost; a file of theirs that is too
 * large raises no signal.
 */
#ifndef CLOPT_BASE_CALLER_H
#define CLOPT_BASE_CALLER_H

/* Around each call that locks something or waits; they nest. */
void clopt__caller_hold(void);
void clopt__caller_back(void);
/* Between them, before a driver does more than answer a question: this thread is a driver's until
 * the outermost clopt__caller_back.  Apart from clopt__caller_hold, since it takes 0.6 us, and a
 * small product on the host 1.5. */
void clopt__caller_drives(void);

#endif
