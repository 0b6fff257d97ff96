/* SPDX-License-Identifier: MIT */
/*
 * map.c - clopt_map with a kernel whose results are whole numbers, so that all bits are known,
 * whatever the bands.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"

/* Three arrays of 4, 4 and 8 bytes an item, a table for all, a value, local memory. */
static const char source[] =
        "__kernel void blend(ulong n, ulong first, __global const uint *x, __global uint *y,\n"
        "                  __global ulong *z, __global const uint *table, uint value,\n"
        "                  __local uint *l)\n"
        "{\n"
        "	for (ulong i = get_global_id(0) * EACH; i < min(n, (ulong)(get_global_id(0) + 1) * "
        "EACH); i++) {\n"
        "		l[get_local_id(0)] = table[(first + i) % 7] + value;\n"
        "		y[i] = y[i] * 3 + x[i] + l[get_local_id(0)];\n"
        "		z[i] = (first + i) * 1000003ul ^ x[i];\n"
        "	}\n"
        "}\n";

enum {
	GROUP = 16
};

void random_map(struct call *c)
{
	struct random *r = &c->r;
	const size_t each = 1 + random_below(&c->kernel, 3);
	size_t n = random_one_in(r, 4) ? random_below(r, 60000) : random_size(r);
	struct clopt_map_desc map = CLOPT_MAP_DESC_INIT;
	struct clopt_report report = CLOPT_REPORT_INIT;
	uint32_t table[7], value = (uint32_t)random_bits(r), *was;
	struct host x, y, z;
	char options[32];
	size_t i;
	int rc;

	n = (size_t)fmin((double)n, call_work(c, 1 << 20, 60, 1));
	c->form = FORM_HOST;
	host_open(&x, c, 4 * n, 4);
	host_open(&y, c, 4 * n, 4);
	host_open(&z, c, 8 * n, 8);
	was = malloc(4 * n + 1);
	ck_assert_ptr_nonnull(was);
	for (i = 0; i < 7; i++)
		table[i] = (uint32_t)random_bits(r);
	for (i = 0; i < n; i++) {
		((uint32_t *)x.data)[i] = (uint32_t)random_bits(r);
		((uint32_t *)y.data)[i] = was[i] = (uint32_t)random_bits(r);
	}
	host_ready(&x);
	host_ready(&y);
	host_ready(&z);
	{
		const struct clopt_arg args[] = {
			{ CLOPT_ARG_COUNT, NULL, 0 },   { CLOPT_ARG_FIRST, NULL, 0 },
			{ CLOPT_ARG_IN, x.data, 4 },    { CLOPT_ARG_INOUT, y.data, 4 },
			{ CLOPT_ARG_OUT, z.data, 8 },   { CLOPT_ARG_SHARED, table, sizeof table },
			{ CLOPT_ARG_VALUE, &value, 4 }, { CLOPT_ARG_LOCAL, NULL, 4 * GROUP },
		};

		snprintf(options, sizeof options, "-DEACH=%zu", each);
		map.source = source;
		map.name = "blend";
		map.build_options = options;
		map.items = n;
		map.items_per_group = GROUP;
		map.items_per_work_item = each;
		map.granule = random_one_in(r, 2) ? 0 : 1 + random_below(r, 100);
		map.args = args;
		map.nargs = sizeof args / sizeof *args;
		call_say(c, ": %zu items, %zu a work-item, granule %zu", n, each, map.granule);
		do
			rc = clopt_map(c->ctx, &map);
		while (call_again(c, rc));
		call_unforce(c);
		CHECK_OK(c->ctx, clopt_last_report(c->ctx, &report));
		if (rc == CLOPT_OK && n && strcmp(report.variant, map.name) != 0)
			call_wrong(c, "%s ran", report.variant);
	}
	if (call_succeeded(c, rc))
		for (i = 0; i < n; i++) {
			const uint32_t a = ((uint32_t *)x.data)[i];
			uint32_t *b = (uint32_t *)y.data + i;
			uint64_t *d = (uint64_t *)z.data + i;

			if (*b != was[i] * 3 + a + table[i % 7] + value || *d != (i * 1000003u ^ a))
				call_wrong(c, "item %zu is %u and %llu", i, *b,
				           (unsigned long long)*d);
			host_judged(&y, b, sizeof *b);
			host_judged(&z, d, sizeof *d);
		}
	free(was);
	host_close(&x, "x");
	host_close(&y, "y");
	host_close(&z, "z");
}
