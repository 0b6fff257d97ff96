/* SPDX-License-Identifier: MIT */
/*
 * parts.c - sums over sources that memory cuts into parts: the same bits as in one part, for each row.
 */
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "suites.h"
#include "table/table.h"

#define TARGETS 70

/* The row's results, into `out`; returns the parts; 0: it does not serve the problem here. */
static size_t sum(size_t limit, size_t row, int precision, int outputs, size_t n, const float *p,
                  float *out)
{
	const int nbody = clopt__variant(row)->op == CLOPT_OP_NBODY;
	struct clopt_options options = CLOPT_OPTIONS_INIT;
	struct clopt_potential_options potential = CLOPT_POTENTIAL_OPTIONS_INIT;
	struct clopt_nbody_options gravity = CLOPT_NBODY_OPTIONS_INIT;
	struct clopt_report r = { .size = sizeof r };
	struct clopt *ctx;
	int rc;

	options.mem_limit_bytes = limit;
	options.transfer = CLOPT_TRANSFER_DRIVER; /* nothing in place */
	ctx = test_open(&options);
	potential.precision = gravity.precision = precision;
	potential.outputs = outputs;
	gravity.potential = outputs > 0;
	CHECK_OK(ctx, clopt_force_variants(ctx, clopt__variant(row)->name));
	rc = nbody ? clopt_nbody(ctx, n, p, TARGETS, p + 4, out, &gravity) :
	             clopt_potential(ctx, n, p, TARGETS, p + 4, out, &potential);
	if (rc != CLOPT_ENOVARIANT && rc != CLOPT_EUNSUPPORTED)
		CHECK_OK(ctx, rc);
	CHECK_OK(ctx, clopt_last_report(ctx, &r));
	test_close(ctx);
	return rc == CLOPT_OK ? r.sum_parts : 0;
}

START_TEST(same)
{
	const struct variant *v = clopt__variant((size_t)_i);
	const size_t tile = clopt__sum_tile(v), bytes = clopt__part_bytes(v, sizeof(float));
	static const int outputs[] = { CLOPT_OUTPUTS_PHI, CLOPT_OUTPUTS_FIELD_PHI };
	static float want[4 * TARGETS], got[4 * TARGETS];
	int precision;
	size_t n, parts, i;
	float *p;

	if (!bytes || v->op == CLOPT_OP_MATMUL)
		return;
	n = 3 * clopt__larger(tile, 2048) + 100;
	p = test_points(n);
	for (i = 0; i < 8; i++) {
		precision = CLOPT_PRECISION_FLOAT + (int)i / 2;
		memset(want, 0, sizeof want);
		memset(got, 0, sizeof got);
		/* Rows of one file have the other precisions alike. */
		if ((i > 1 && (i % 2 == 0 || test_same_as_before(_i))) ||
		    !sum(0, (size_t)_i, precision, outputs[i % 2], n, p, want))
			continue;
		parts = sum(8 * n + TARGETS * (bytes + 64) + 4096, (size_t)_i, precision,
		            outputs[i % 2], n, p, got);
		ck_assert_msg(parts > 1, "%s: %zu parts", v->name, parts);
		ck_assert_msg(!memcmp(want, got, sizeof want),
		              "%s: other bits in %zu parts, precision %d", v->name, parts,
		              precision);
	}
	free(p);
}
END_TEST

SUITE(parts, walk)
{
	test_add_rows(c, same, 0, test_rows());
}
