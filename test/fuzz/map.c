/* SPDX-License-Identifier: MIT */
/*
 * map.c - clopt_map with any arguments whose arrays exist.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

#define ROOM 65536 /* bytes of an array */

static double *arena(unsigned i)
{
	static double *list[4];

	if (!list[i] && !(list[i] = calloc(1, ROOM)))
		fuzz_wrong("no memory");
	return list[i];
}

/* 0 to 15 as a rule; rarely a number that no size may be. */
static size_t number(struct bytes *b)
{
	static const size_t odd[] = { SIZE_MAX, SIZE_MAX / 2 + 1, SIZE_MAX / 8 + 1, (size_t)1 << 31,
		                      SIZE_MAX - 3 };
	const unsigned x = fuzz_byte(b);

	return x >= 250 ? odd[x % 5] : x % 16;
}

/* Any list of arguments, for kernels that touch none. */
void fuzz_map(const uint8_t *data, size_t size)
{
	static const char source[] =
	        "__kernel void none(void) {} __kernel void one(__global float *x) {}"
	        "__kernel void three(__global const int *x, ulong n, __local float *l) {}"
	        "__kernel void four(__global char *x, __constant float *c, uint v, ulong first) {}";
	static const char *const names[] = { "none", "one", "three", "four", "absent", "" };
	static const unsigned pointers[] = { 0, 1, 5, 3, 0, 0 }; /* a bit for each argument */
	struct bytes b = { data, size };
	struct clopt *ctx = fuzz_context();
	struct clopt_map_desc m = CLOPT_MAP_DESC_INIT;
	struct clopt_arg args[20];
	unsigned name;
	size_t i;
	int rc;

	memset(args, 0, sizeof args);
	m.source = source;
	name = fuzz_byte(&b) % 6;
	m.name = names[name];
	m.items = fuzz_byte(&b);
	m.items_per_group = number(&b);
	m.items_per_work_item = number(&b);
	m.granule = number(&b);
	m.nargs = fuzz_byte(&b) % 20;
	m.args = fuzz_byte(&b) == 255 ? NULL : args;
	for (i = 0; i < m.nargs; i++) {
		const unsigned where = fuzz_byte(&b), at = fuzz_byte(&b);

		args[i].kind = (int)(fuzz_byte(&b) % 11) - 1;
		args[i].bytes = fuzz_byte(&b);
		/* PoCL takes eight bytes for an array as its address. */
		if (args[i].kind >= CLOPT_ARG_VALUE && args[i].kind != CLOPT_ARG_LOCAL &&
		    pointers[name] >> i & 1)
			args[i].kind = CLOPT_ARG_IN;
		/* Arrays of 255 items of 128 bytes fit from the middle on. */
		if (args[i].kind >= CLOPT_ARG_IN && args[i].kind <= CLOPT_ARG_INOUT)
			args[i].bytes %= 128;
		else if (args[i].kind >= CLOPT_ARG_LOCAL && args[i].bytes > 250)
			args[i].bytes = number(&b);
		args[i].data = where % 5 == 4 ? NULL : (char *)arena(where % 5) + 8 * at;
	}
	rc = clopt_map(ctx, &m);
	/* The driver knows the sizes of a kernel's arguments, the library does not. */
	if (rc == CLOPT_EDEVICE && strstr(clopt_error(ctx), "clSetKernelArg"))
		return;
	if ((rc != CLOPT_OK && !*clopt_error(ctx)) || rc == CLOPT_EDEVICE || rc == CLOPT_ELOST ||
	    rc == CLOPT_EWRONG)
		fuzz_wrong("%s: %s", clopt_strerror(rc), clopt_error(ctx));
}
