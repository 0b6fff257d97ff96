/* SPDX-License-Identifier: MIT */
/*
 * answers.c - clopt_plan for problems that do not fit or are invalid, its sources of a kernel's
 * speed, and `clopt plan'.
 */
#include <jansson.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ask.h"
#include "suites.h"
#include "ask/ask.h"
#include "base/numbers.h"
#include "wrap.h"
#include "written.h"

/* Too large for any cut: the plan says so, with the memory that would do. */
START_TEST(too_large)
{
	static const struct ask small[] = {
		{ .p = { .op = CLOPT_OP_MATMUL, .dim = { 1000, 1000, 1000 } }, .limit_bytes = 30 },
		{ .p = { .op = CLOPT_OP_NBODY, .dim = { 1000, 1000 } }, .limit_bytes = 40 },
		{ .p = { .op = CLOPT_OP_LEAPFROG, .dim = { 1000 } }, .limit_bytes = 47999 },
		{ .p = { .op = CLOPT_OP_EVOLVE_STEP,
		         .dim = { 1000 },
		         .precision = CLOPT_PRECISION_DOUBLE_SINGLE },
		  .limit_bytes = 95999 },
		{ .p = { .op = CLOPT_OP_TRANSPOSE, .dim = { 100, 100 } },
		  .limit_bytes = 10,
		  .variants = "transpose/plain" },
	};
	struct ask a = small[_i];
	struct clopt_problem p = a.p;
	struct clopt_plan_info plan = { .size = sizeof plan };
	struct clopt *ctx = forecast_open(&a);
	char number[32];
	int rc;

	p.size = sizeof p;
	CHECK_OK(ctx, clopt_plan(ctx, &p, &plan));
	ck_assert(!plan.fits && plan.variant && plan.seconds == 0);
	ck_assert(plan.needed_bytes > a.limit_bytes);
	snprintf(number, sizeof number, "%zu bytes", plan.needed_bytes);
	ck_assert_msg(strstr(plan.reason, number) != NULL, "no %s in: %s", number, plan.reason);
	ck_assert_msg(strstr(plan.reason, "clopt_options.mem_limit_bytes") != NULL, "%s",
	              plan.reason);
	p.steps = 1;
	rc = forecast_call(ctx, &p);
	ck_assert_int_eq(rc, CLOPT_ENOMEM);
	ck_assert_msg(strstr(clopt_error(ctx), number) != NULL, "%s", clopt_error(ctx));
	test_close(ctx);

	a.limit_bytes = plan.needed_bytes;
	ctx = forecast_open(&a);
	CHECK_OK(ctx, clopt_plan(ctx, &p, &plan));
	ck_assert_msg(plan.fits, "%s", plan.reason);
	test_close(ctx);
}
END_TEST

/* A limit that lets a call take minutes instead of a moment is refused, and told with the least one
 * that would do; one under which many parts are no slower is not. */
START_TEST(too_slow)
{
	static const struct ask asks[] = {
		{ .p = { .op = CLOPT_OP_MATMUL, .dim = { 3000, 2000, 1000 } },
		  .limit_bytes = 1 << 10 },
		{ .p = { .op = CLOPT_OP_MATMUL, .dim = { 3000, 2000, 1000 } },
		  .limit_bytes = 64 << 10 },
		{ .p = { .op = CLOPT_OP_TRANSPOSE, .dim = { 3000, 3000 } }, .limit_bytes = 200 },
		{ .p = { .op = CLOPT_OP_NBODY, .dim = { 1000000, 100000 } }, .limit_bytes = 300 },
		/* The least limit serves the call too, whose arrays have addresses. */
		{ .p = { .op = CLOPT_OP_TRANSPOSE, .dim = { 1, 100000000 }, .elem_bytes = 1 },
		  .limit_bytes = 1000 },
		/* On a processor a row fits in fewer parts than are refused, but it is slow
		 * itself. */
		{ .p = { .op = CLOPT_OP_MATMUL, .dim = { 3000, 3000, 3000 } },
		  .limit_bytes = 192256 },
		{ .p = { .op = CLOPT_OP_MATMUL, .dim = { 3000, 3000, 3000 } },
		  .limit_bytes = 300000 },
	};
	struct ask a = asks[_i];
	struct clopt_problem p = a.p;
	struct clopt_plan_info plan = { .size = sizeof plan, .dry = 1 };
	struct clopt_device_info info = { .size = sizeof info };
	struct clopt *ctx = forecast_open(&a);
	char number[64], text[8192];

	CHECK_OK(ctx, clopt_device_get(ctx, &info));
	if (_i >= 5 && strcmp(info.type, "cpu")) {
		test_close(ctx);
		return;
	}
	p.size = sizeof p;
	CHECK_OK(ctx, clopt_plan(ctx, &p, &plan));
	snprintf(number, sizeof number, "needs %zu bytes on the device", plan.needed_bytes);
	ck_assert_msg(!plan.fits && strstr(plan.reason, number), "no %s in: %s", number,
	              plan.reason);
	ck_assert_ptr_nonnull(strstr(plan.reason, "times as long"));
	ck_assert_uint_gt(plan.needed_bytes, a.limit_bytes);
	expect_refused(forecast_call(ctx, &p), CLOPT_ENOMEM, ctx, number);
	/* The text of clopt_explain names the problem as well. */
	expect_refused(clopt_explain(ctx, &p, text, sizeof text), CLOPT_ENOMEM, ctx, plan.reason);
	test_close(ctx);
	a.limit_bytes = plan.needed_bytes;
	ctx = forecast_open(&a);
	CHECK_OK(ctx, clopt_plan(ctx, &p, &plan));
	ck_assert_msg(plan.fits && plan.bands > 1, "%s", plan.reason);
	test_close(ctx);
	/* As many parts of sums over pairs take no longer on a processor, which computes as
	 * long. */
	a.limit_bytes = 20000;
	p = (struct clopt_problem){ .size = sizeof p,
		                    .op = CLOPT_OP_POTENTIAL,
		                    .law = CLOPT_LAW_COULOMB,
		                    .dim = { 1000000, 1000000 } };
	ctx = forecast_open(&a);
	CHECK_OK(ctx, clopt_plan(ctx, &p, &plan));
	if (!strcmp(info.type, "cpu"))
		ck_assert_msg(plan.fits && plan.bands > 100000, "%s", plan.reason);
	test_close(ctx);
}
END_TEST

/* Matrices of 4 TiB; of 1 GiB where addresses have 32 bits, which may fit the device. */
#define WIDE (sizeof(size_t) > 4)
static const size_t side = (size_t)1 << (WIDE ? 20 : 14);

/* Larger than addresses allow, and than this device's memory. */
START_TEST(far_too_large)
{
	struct clopt_problem p = { .size = sizeof p, .op = CLOPT_OP_MATMUL };
	struct clopt_plan_info plan = { .size = sizeof plan, .dry = 1 };
	struct clopt *ctx = test_open(NULL);

	p.dim[0] = p.dim[1] = p.dim[2] = SIZE_MAX / 4;
	CHECK_OK(ctx, clopt_plan(ctx, &p, &plan));
	ck_assert(!plan.fits && plan.needed_bytes == SIZE_MAX);
	ck_assert_ptr_nonnull(strstr(plan.reason, "a would be"));
	p.op = CLOPT_OP_LEAPFROG;
	CHECK_OK(ctx, clopt_plan(ctx, &p, &plan));
	ck_assert(!plan.fits && plan.needed_bytes == SIZE_MAX);
	p.op = CLOPT_OP_MATMUL;
	p.dim[0] = p.dim[1] = p.dim[2] = side;
	CHECK_OK(ctx, clopt_plan(ctx, &p, &plan));
	ck_assert(plan.fits && plan.seconds == 0);
	ck_assert_uint_eq(plan.array_bytes, 12 * side * side);
	if (WIDE) { /* it streams */
		ck_assert_uint_gt(plan.bands, 1000);
		ck_assert_uint_gt(plan.up_bytes, 8 * side * side);
		ck_assert_uint_eq(plan.down_bytes, 4 * side * side);
	}
	ck_assert_uint_eq(plan.host_bytes, clopt__times((size_t)sysconf(_SC_PHYS_PAGES),
	                                                (size_t)sysconf(_SC_PAGESIZE)));
	p.op = CLOPT_OP_POTENTIAL; /* 16 bytes a point, and 4 of result */
	CHECK_OK(ctx, clopt_plan(ctx, &p, &plan));
	ck_assert_uint_eq(plan.array_bytes, 36 * side);
	p.op = CLOPT_OP_LEAPFROG;
	p.dim[0] = 1000;
	CHECK_OK(ctx, clopt_plan(ctx, &p, &plan));
	ck_assert_uint_eq(plan.array_bytes, 32000);
	/* The largest arrays are limited only by addresses. */
	p.op = CLOPT_OP_MATMUL;
	p.dim[0] = p.dim[1] = (size_t)1 << (sizeof(size_t) * 4 - 2);
	p.dim[2] = 1;
	CHECK_OK(ctx, clopt_plan(ctx, &p, &plan));
	ck_assert_msg(plan.fits && plan.array_bytes > SIZE_MAX / 4, "%s", plan.reason);
	test_close(ctx);
}
END_TEST

/* An older header's struct, and a row that is forced. */
START_TEST(older_struct)
{
	struct clopt_problem p = { .size = sizeof p, .op = CLOPT_OP_MATMUL, .dim = { 10 } };
	struct clopt_plan_info plan = { .size = sizeof plan, .bands = 77 };
	struct clopt *ctx = test_open(NULL);

	plan.size = offsetof(struct clopt_plan_info, needed_bytes);
	plan.needed_bytes = 5;
	CHECK_OK(ctx, clopt_plan(ctx, &p, &plan));
	ck_assert(plan.fits && plan.needed_bytes == 5 && plan.bands == 77);
	CHECK_OK(ctx, clopt_force_variants(ctx, "matmul/host"));
	plan.size = sizeof plan;
	p.dim[0] = p.dim[1] = p.dim[2] = 10;
	p.batch = 4;
	expect_refused(clopt_plan(ctx, &p, &plan), CLOPT_ENOVARIANT, ctx, "batches");
	test_close(ctx);
}
END_TEST

/* Sources of a kernel's speed: none, a trial, then a call; neither a plan nor its trials count as
 * calls. */
START_TEST(where_from)
{
	struct clopt_problem p = { .size = sizeof p,
		                   .op = CLOPT_OP_MATMUL,
		                   .dim = { 400, 400, 400 } };
	struct clopt_problem small = { .size = sizeof p, .op = CLOPT_OP_NBODY, .dim = { 3, 3 } };
	struct clopt_plan_info plan = { .size = sizeof plan, .dry = 1 };
	struct clopt_options options = CLOPT_OPTIONS_INIT;
	struct clopt_report report = { .size = sizeof report };
	struct clopt *ctx;
	double trial;

	options.profile = 1;
	ctx = test_open(&options);
	CHECK_OK(ctx, forecast_call(ctx, &small));
	CHECK_OK(ctx, clopt_plan(ctx, &p, &plan));
	ck_assert(plan.kernel_seconds == 0 &&
	          plan.throughput_source == CLOPT_THROUGHPUT_SOURCE_UNKNOWN);
	plan.dry = 0;
	CHECK_OK(ctx, clopt_plan(ctx, &p, &plan));
	ck_assert(plan.kernel_seconds > 0 &&
	          plan.throughput_source == CLOPT_THROUGHPUT_SOURCE_TRIAL);
	trial = plan.kernel_seconds;
	plan.dry = 1;
	CHECK_OK(ctx, clopt_plan(ctx, &p, &plan));
	ck_assert(plan.kernel_seconds == trial &&
	          plan.throughput_source == CLOPT_THROUGHPUT_SOURCE_TRIAL);
	CHECK_OK(ctx, clopt_last_report(ctx, &report));
	ck_assert_int_eq(strncmp(report.variant, "nbody/", 6), 0);
	CHECK_OK(ctx, forecast_call(ctx, &p));
	CHECK_OK(ctx, clopt_plan(ctx, &p, &plan));
	ck_assert(plan.kernel_seconds > 0 &&
	          plan.throughput_source == CLOPT_THROUGHPUT_SOURCE_CALL);
	test_close(ctx);
}
END_TEST

/* Halves whose k does not fit: the explanation tells of the products of floats that run. */
START_TEST(explained)
{
	const struct ask a = {
		.p = { .op = CLOPT_OP_MATMUL, .dim = { 3, 4, 20000 }, .elem_bytes = 2 },
		.limit_bytes = 70000,
	};
	struct clopt_problem p = a.p;
	struct clopt_report report = { .size = sizeof report };
	struct clopt *ctx = forecast_open(&a);
	char text[16384], parts[80];

	p.size = sizeof p;
	CHECK_OK(ctx, forecast_call(ctx, &p));
	CHECK_OK(ctx, clopt_last_report(ctx, &report));
	CHECK_OK(ctx, clopt_explain(ctx, &p, text, sizeof text));
	snprintf(parts, sizeof parts, "sums in %zu parts", report.sum_parts);
	ck_assert(report.sum_parts > 1);
	ck_assert_msg(strstr(text, parts) && strstr(text, report.variant), "no \"%s\" by %s in: %s",
	              parts, report.variant, text);
	test_close(ctx);
}
END_TEST

static const char *printed(const struct tool_args *args, int status)
{
	ck_assert_int_eq(written_run(tool_plan, args), status);
	return written_text(written.out);
}

START_TEST(tool)
{
	struct tool_args args = { .op = CLOPT_OP_MATMUL, .dim = { 100, 200, 300 }, .dims = 3 };
	struct clopt *ctx = test_open(NULL);
	struct clopt_problem p = { .size = sizeof p,
		                   .op = CLOPT_OP_MATMUL,
		                   .dim = { 100, 200, 300 } };
	const char *text;
	char choice[64];
	json_t *json;

	snprintf(choice, sizeof choice, "%s", clopt_chosen_variant(ctx, &p));
	test_close(ctx);
	written_open();
	/* Nobody waits for a compiler to see which devices there are. */
	wrap_programs();
	ck_assert_int_eq(written_run(tool_info, &args), 0);
	ck_assert_ptr_nonnull(strstr(written_text(written.out), "a large problem runs"));
	ck_assert_int_eq(written_run(tool_list, &args), 0);
	ck_assert_int_eq(wrap_programs(), 0);
	text = printed(&args, 0);
	ck_assert_ptr_nonnull(strstr(text, "matmul 100 x 200 x 300 float32"));
	ck_assert_ptr_nonnull(strstr(text, "fits     yes"));
	ck_assert_ptr_nonnull(strstr(text, choice));
	ck_assert_ptr_nonnull(strstr(text, ": chosen"));
	ck_assert_ptr_nonnull(strstr(text, "timed on a smaller problem"));
	args.json = args.dry = 1;
	args.variant = "matmul/plain";
	json = written_json(tool_plan, &args, 0);
	ck_assert_str_eq(json_string_value(json_object_get(json, "variant")), "matmul/plain");
	ck_assert(json_is_true(json_object_get(json, "fits")));
	ck_assert(json_is_null(json_object_get(json, "needed_bytes")));
	ck_assert(json_is_null(json_object_get(json, "seconds")));
	ck_assert_int_eq(json_integer_value(json_object_get(json, "bands")), 1);
	ck_assert_str_eq(json_string_value(json_object_get(json, "throughput_source")), "unknown");
	json_decref(json);
	args.json = 0;
	ck_assert_ptr_null(strstr(printed(&args, 0), "this machine's memory"));
	args.dim[0] = args.dim[1] = args.dim[2] = side;
	text = printed(&args, WIDE ? 3 : 0);
	ck_assert(!WIDE || (strstr(text, "  fits     the device, with ") &&
	                    strstr(text, "  host     the arrays take 12.0 TiB: more than "
	                                 "this machine's memory of ")));
	args.op = CLOPT_OP_LEAPFROG;
	args.variant = NULL;
	args.dim[0] = 1000;
	text = printed(&args, 0);
	ck_assert_ptr_nonnull(strstr(text, "  kernel   nbody/"));
	ck_assert_ptr_nonnull(strstr(text, ", leapfrog/plain\n"));
	ck_assert_ptr_nonnull(strstr(text, "nbody 1000 sources x 1000 targets on"));
	written_close();
	ck_assert_int_eq(wrap_live(), 0);
}
END_TEST

/* A row on the host has one part, nothing to move, and a time of its own. */
START_TEST(on_the_host)
{
	struct clopt_options o = CLOPT_OPTIONS_INIT;
	struct clopt_problem p = { .size = sizeof p, .op = CLOPT_OP_MATMUL, .dim = { 8, 8, 8 } };
	struct clopt_plan_info plan = CLOPT_PLAN_INFO_INIT;
	struct clopt *ctx;

	o.small = CLOPT_SMALL_HOST;
	ctx = test_open(&o);
	plan.dry = _i;
	CHECK_OK(ctx, clopt_plan(ctx, &p, &plan));
	ck_assert_msg(test_is_host(plan.variant), "%s", plan.variant);
	ck_assert(plan.bands == 1 && plan.queues == 1 && plan.up_bytes + plan.down_bytes == 0);
	ck_assert(plan.seconds == plan.kernel_seconds && (_i || plan.seconds > 0));
	test_close(ctx);
}
END_TEST

SUITE(plan_answers, long)
{
	tcase_add_loop_test(c, on_the_host, 0, 2);
	tcase_add_loop_test(c, too_large, 0, 5);
	tcase_add_loop_test(c, too_slow, 0, 7);
	tcase_add_test(c, far_too_large);
	tcase_add_test(c, older_struct);
	tcase_add_test(c, where_from);
	tcase_add_test(c, explained);
	tcase_add_test(c, tool);
}
