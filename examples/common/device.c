/* SPDX-License-Identifier: MIT */
/*
 * device.c - see device.h.
 */
#include "device.h"

#include <string.h>

#include "progress.h"

int device_refused(const char *why, struct fault *e)
{
	static const char field[] = "clopt_options.device=";
	const char *at = strstr(why, field);

	return at ? fail(e, "%.*s--device %s", (int)(at - why), why, at + sizeof field - 1) :
	            fail(e, "%s", why);
}

void device_compile(struct clopt *c, const struct clopt_problem *problem, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		progress_say("compiling kernels (%zu of %zu)", i + 1, n);
		clopt_prepare(c, &problem[i]);
	}
}
