/* SPDX-License-Identifier: MIT */
/*
 * near.c - binds threads near a device, on Linux; elsewhere does nothing.
 *
 * A copy through the memory of the other socket crosses the link between the sockets twice.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* sched_setaffinity */
#endif
#include "near.h"

#ifdef __linux__
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

static int is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Read "0-3,8,10-11" and an end of line.  Returns 0 for other text, or for processors beyond the
 * set. */
static int read_list(const char *text, cpu_set_t *set)
{
	unsigned long first, last;
	char *end;

	CPU_ZERO(set);
	do {
		if (!is_digit(*text))
			return 0;
		first = last = strtoul(text, &end, 10);
		if (*end == '-') {
			if (!is_digit(end[1]))
				return 0;
			last = strtoul(end + 1, &end, 10);
		}
		if (last < first || last >= CPU_SETSIZE)
			return 0;
		for (; first <= last; first++)
			CPU_SET(first, set);
		text = end + 1;
	} while (*end == ',');
	return *end == '\0' || (*end == '\n' && end[1] == '\0');
}

int clopt__move_near(const char *devices, const char *pci)
{
	char path[512], text[4096];
	cpu_set_t near, all;
	size_t length;
	FILE *f;

	if (!*pci)
		return 0;
	snprintf(path, sizeof path, "%s/%s/local_cpulist", devices, pci);
	f = fopen(path, "re");
	if (!f)
		return 0;
	length = fread(text, 1, sizeof text - 1, f);
	fclose(f);
	text[length] = '\0';
	if (!read_list(text, &near) || sched_getaffinity(0, sizeof all, &all))
		return 0;
	CPU_AND(&near, &near, &all);
	return CPU_COUNT(&near) && !CPU_EQUAL(&near, &all) &&
	       !sched_setaffinity(0, sizeof near, &near);
}

#else

int clopt__move_near(const char *devices, const char *pci)
{
	(void)devices;
	(void)pci;
	return 0;
}
#endif
