/* SPDX-License-Identifier: MIT */
/*
 * settings.h - options over environment over defaults.
 */
#ifndef CLOPT_SETTINGS_H
#define CLOPT_SETTINGS_H

#include "internal.h"

struct settings {
	struct clopt_options options; /* but for those of struct device_settings */
	const char *variants_from, *device_from; /* what to call these two in a failure's text */
	char tuning[4096], cache[4096]; /* where there is a default to hold */
};

/* given: NULL, none.  *s is not to be moved: its options point into it. */
int clopt__settings(const struct clopt_options *given, struct settings *s);
/* It is to be closed. */
int clopt__settings_store(const struct settings *s, struct store *store);

#endif
