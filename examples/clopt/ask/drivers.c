/* SPDX-License-Identifier: MIT */
/*
 * drivers.c - the devices, and the drivers that were left out.
 */
#include <stdlib.h>

#include "ask.h"

static size_t fewer(size_t n)
{
	return n < ASK_MOST ? n : ASK_MOST;
}

struct ask_drivers *ask_drivers(void)
{
	struct ask_drivers *d = calloc(1, sizeof *d);
	size_t i;

	for (i = 0; d && i < ASK_MOST; i++) {
		d->device[i].size = sizeof d->device[i];
		d->skipped[i].size = sizeof d->skipped[i];
	}
	if (!d || clopt_device_list(d->device, ASK_MOST, &d->devices) != CLOPT_OK ||
	    clopt_skipped_list(d->skipped, ASK_MOST, &d->skips) != CLOPT_OK) {
		tool_fail(NULL, "devices");
		free(d);
		return NULL;
	}
	d->devices = fewer(d->devices);
	d->skips = fewer(d->skips);
	return d;
}

json_t *ask_skipped(const struct ask_drivers *d)
{
	json_t *all = json_array();
	size_t i;

	for (i = 0; i < d->skips; i++)
		json_array_append_new(all,
		                      json_pack("{s:o, s:o, s:o}", "name",
		                                tool_json_text(d->skipped[i].name), "library",
		                                tool_json_text(d->skipped[i].library), "reason",
		                                tool_json_text(d->skipped[i].reason)));
	return all;
}
