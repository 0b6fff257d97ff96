/* SPDX-License-Identifier: MIT */
/*
 * physics_ways.c - potentials on buffers, with little memory, and in more than float32.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "physics.h"
#include "wrap.h"

static struct clopt_buffer *buffer_of(struct clopt *ctx, const float *x, size_t n)
{
	struct clopt_buffer *b;

	CHECK_OK(ctx, clopt_buffer_new(ctx, n * sizeof *x, &b));
	CHECK_OK(ctx, clopt_buffer_write(b, 0, n * sizeof *x, x, NULL));
	return b;
}

/* The same bits as on host arrays; the host cannot see the charges. */
START_TEST(on_buffers)
{
	const struct setting *set = &settings[_i];
	struct clopt *ctx = test_open(NULL);
	struct clopt_buffer *b[5];
	struct scene s;
	float *got;
	size_t i;

	scene_open(&s, 70, 50);
	scene_set(&s, set);
	s.o.outputs = CLOPT_OUTPUTS_FIELD_PHI;
	s.o.charge = &s.charge;
	for (i = 0; i < s.m; i++)
		s.normals[4 * i + 3] = 0x1p-4f * (float)(i % 3);
	b[0] = buffer_of(ctx, s.sources, 4 * s.n);
	b[1] = buffer_of(ctx, s.targets, 4 * s.m);
	b[2] = buffer_of(ctx, s.normals, 4 * s.m);
	b[3] = buffer_of(ctx, s.depths, s.n);
	b[4] = buffer_of(ctx, s.out, 4 * s.m);
	scene_check(ctx, &s, set->name);
	s.o.normals_buffer = b[2];
	s.o.depths_buffer = set->depths ? b[3] : NULL;
	/* Options for host arrays do not matter here, and vice versa. */
	s.o.normals = s.o.depths = NULL;
	CHECK_OK(ctx, clopt_potential_buffers(ctx, s.n, b[0], s.m, b[1], b[4], &s.o, NULL));
	got = malloc(4 * s.m * sizeof *got);
	ck_assert_ptr_nonnull(got);
	CHECK_OK(ctx, clopt_buffer_read(b[4], 0, 4 * s.m * sizeof *got, got, NULL));
	CHECK_OK(ctx, clopt_finish(ctx));
	ck_assert_msg(!memcmp(got, s.out, 4 * s.m * sizeof *got), "%s: other bits", set->name);

	for (i = 0; i < 5; i++)
		clopt_buffer_free(b[i]);
	free(got);
	scene_close(&s);
	test_close(ctx);
}
END_TEST

static struct clopt_report limited(struct scene *s, size_t limit)
{
	struct clopt_options options = CLOPT_OPTIONS_INIT;
	struct clopt_report report = { .size = sizeof report };
	struct clopt *ctx;

	options.mem_limit_bytes = limit;
	ctx = test_open(&options);
	wrap_peak_bytes();
	CHECK_OK(ctx, clopt_potential(ctx, s->n, s->sources, s->m, s->targets, s->out, &s->o));
	ck_assert_msg(!limit || wrap_peak_bytes() <= limit * clopt_members(ctx),
	              "more than the limit");
	CHECK_OK(ctx, clopt_last_report(ctx, &report));
	test_close(ctx);
	return report;
}

/* Bands of targets have their normals. */
START_TEST(little_memory)
{
	const struct setting *set = &settings[_i];
	struct clopt_report report;
	struct scene s;
	float *whole;

	scene_open(&s, 100, 20000);
	scene_set(&s, set);
	s.o.outputs = CLOPT_OUTPUTS_PHI_NORMAL;
	limited(&s, 0);
	whole = malloc(2 * s.m * sizeof *whole);
	ck_assert_ptr_nonnull(whole);
	memcpy(whole, s.out, 2 * s.m * sizeof *whole);
	report = limited(&s, 100000);
	ck_assert(report.bands > 2 && report.sum_parts == 1);
	ck_assert_msg(!memcmp(whole, s.out, 2 * s.m * sizeof *whole), "%s: other bits", set->name);
	free(whole);
	scene_close(&s);
}
END_TEST

/* The relative rms error over the targets of a long sum. */
static double error_in(struct clopt *ctx, struct scene *s, int precision, const double *want)
{
	double sum = 0;
	size_t i;

	s->o.precision = precision;
	CHECK_OK(ctx, clopt_potential(ctx, s->n, s->sources, s->m, s->targets, s->out, &s->o));
	for (i = 0; i < s->m; i++)
		sum += pow((double)s->out[i] / want[i] - 1, 2);
	return sqrt(sum / (double)s->m);
}

START_TEST(precision)
{
	struct clopt *ctx = test_open(NULL);
	struct clopt_device_info info = { .size = sizeof info };
	double want[16], plain, compensated;
	struct reference r;
	struct scene s;
	size_t i;

	CHECK_OK(ctx, clopt_device_get(ctx, &info));
	scene_open(&s, 200000, 16);
	scene_set(&s, &settings[0]);
	for (i = 0; i < s.n; i++)
		s.sources[4 * i + 3] = fabsf(s.sources[4 * i + 3]);
	for (i = 0; i < s.m; i++) {
		reference_potential(&s.o, s.n, s.sources, s.targets + 4 * i, s.normals + 4 * i, &r);
		want[i] = r.phi;
	}
	plain = error_in(ctx, &s, CLOPT_PRECISION_FLOAT, want);
	compensated = error_in(ctx, &s, CLOPT_PRECISION_COMPENSATED, want);
	/* A single running sum has an error of 7e-6. */
	ck_assert_msg(plain < 2e-6, "%g in float32", plain);
	/* Where many work-items share the sources, no sum is off by more than its last rounding. */
	ck_assert_msg(compensated < fmax(plain, 6e-8), "%g compensated, %g without", compensated,
	              plain);
	ck_assert_msg(compensated < 2e-7, "%g compensated", compensated);
	ck_assert(error_in(ctx, &s, CLOPT_PRECISION_DOUBLE_SINGLE, want) < 6e-8);
	ck_assert(error_in(ctx, &s, CLOPT_PRECISION_BEST, want) < 6e-8);
	if (info.fp64)
		ck_assert(error_in(ctx, &s, CLOPT_PRECISION_DOUBLE, want) < 6e-8);
	scene_close(&s);
	test_close(ctx);
}
END_TEST

void physics_ways(TCase *c)
{
	test_add_rows(c, on_buffers, 0, SETTINGS);
	test_add_rows(c, little_memory, 0, SETTINGS);
	tcase_add_test(c, precision);
}
