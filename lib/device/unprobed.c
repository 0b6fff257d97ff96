/* SPDX-License-Identifier: MIT */
/*
 * unprobed.c - the enumeration of platforms where drivers cannot be tried first: Windows has no fork(),
 * and neither its loader nor macOS' OpenCL finds drivers by the environment, so none can be hidden.
 */
#include "probe.h"

#if !CAN_PROBE
int clopt__platforms(const struct device_settings *s, cl_platform_id *list, cl_uint most,
                     cl_uint *count, cl_int *code)
{
	if (s->probe_seconds > 0)
		return clopt__fail(
		        NULL, CLOPT_EUNSUPPORTED,
		        "drivers cannot be tried in a child process (probe_seconds %g) on "
		        "this system",
		        s->probe_seconds);
	*code = clGetPlatformIDs(most, list, count);
	return CLOPT_OK;
}

size_t clopt__probe_skipped(struct clopt_skipped_driver *list)
{
	(void)list;
	return 0;
}
#endif
