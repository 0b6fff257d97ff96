/* SPDX-License-Identifier: MIT */
/*
 * caller.c - the state of the calling thread in the library.
 */
#include <fenv.h>

#include "caller.h"
#include "system.h"

static __thread struct {
	unsigned depth; /* depth of nested calls: callbacks may call other contexts */
	int cancel; /* whether the caller allowed cancellation */
	int drives;
	int signals; /* of clopt__quiet_files */
	fenv_t environment;
} caller;

void clopt__caller_hold(void)
{
	if (caller.depth++ == 0)
		caller.cancel = clopt__cancellation(0);
}

void clopt__caller_back(void)
{
	if (--caller.depth)
		return;
	if (caller.drives) {
		caller.drives = 0;
		fesetenv(&caller.environment);
		clopt__loud_files(caller.signals);
	}
	clopt__cancellation(caller.cancel);
}

void clopt__caller_drives(void)
{
	if (caller.drives || !caller.depth)
		return;
	caller.drives = 1;
	caller.signals = clopt__quiet_files();
	fegetenv(&caller.environment);
	fesetenv(FE_DFL_ENV);
}
