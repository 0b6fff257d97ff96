/* SPDX-License-Identifier: MIT */
/*
 * opening.c - why a device could not be opened, for who wrote a command line.
 */
#include <stdio.h>
#include <string.h>

#include "opening.h"

void opening_reason(const char *why, char *text, size_t room)
{
	static const char field[] = "clopt_options.device=";
	const char *at = strstr(why, field);

	if (at)
		snprintf(text, room, "%.*s--device %s", (int)(at - why), why,
		         at + sizeof field - 1);
	else
		snprintf(text, room, "%s", why);
}
