/* SPDX-License-Identifier: MIT */
/*
 * scaling.c - `clopt bench' of several devices, and what info and check say of them: two of PoCL's.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "ask/ask.h"
#include "bench/bench.h"
#include "cases/op.h"
#include "suites.h"
#include "wrap.h"
#include "written.h"

/* Arrays that several threads fill have the numbers that one would draw, however they are cut, and one bit
 * anywhere makes a difference. */
START_TEST(arrays_in_parts)
{
	/* As one row, which is not cut. */
	static const size_t dims[][2] = { { 1, 9011200 }, { 4096, 2200 } };
	const size_t elements = dims[0][1];
	struct shape shape = { .elem_bytes = _i ? 16 : 4, .alpha = 1 };
	struct case_job *job[2];
	struct case_result result;
	unsigned char *data;
	uint64_t digest;
	size_t i;

	for (i = 0; i < 2; i++) {
		memcpy(shape.dim, dims[i], sizeof dims[i]);
		ck_assert_int_eq(case_open(&job[i], CLOPT_OP_TRANSPOSE, &shape, 5), CLOPT_OK);
	}
	ck_assert(!memcmp(job[0]->in[0].data, job[1]->in[0].data, elements * shape.elem_bytes));
	ck_assert(!memcmp(job[0]->out[0].data, job[1]->out[0].data, elements * shape.elem_bytes));
	digest = case_digest(job[1]);
	for (i = 0; i < 10; i++) {
		data = job[1]->out[0].data + (elements - 1) * shape.elem_bytes / 9 * i;
		*data ^= 16;
		ck_assert(case_digest(job[1]) != digest);
		*data ^= 16;
		data = job[1]->in[0].data + (elements - 1) * shape.elem_bytes / 9 * i;
		*data ^= 16;
		ck_assert_int_eq(case_check(job[1], 1, &result), CLOPT_OK);
		ck_assert(result.inputs_changed);
		*data ^= 16;
	}
	ck_assert_int_eq(case_check(job[1], 1, &result), CLOPT_OK);
	ck_assert(!result.inputs_changed && case_digest(job[1]) == digest);
	memset(job[1]->out[0].data, 0, elements * shape.elem_bytes);
	case_reset(job[1]);
	ck_assert(case_digest(job[1]) == digest);
	case_close(job[0]);
	case_close(job[1]);
}
END_TEST

/* Both devices share calls of two, unless these are so short that one does all before the other wakes,
 * and their parts are the whole. */
static void expect_cell(const json_t *cell, size_t i, const char *second, int is_short)
{
	const size_t devices = 1 + i % 2;
	const json_t *share = json_object_get(cell, "shares");
	double all = 0;
	size_t k;

	ck_assert_str_eq(written_string(cell, "check"), "ok");
	ck_assert_str_eq(written_string(cell, "memory"), i % 4 < 2 ? "ordinary" : second);
	ck_assert(written_number(cell, "devices") == (double)devices);
	ck_assert(is_short || written_number(cell, "took_part") == (double)devices);
	ck_assert_uint_eq(json_array_size(share), devices);
	for (k = 0; k < devices; k++)
		all += written_number(json_array_get(share, k), "share");
	ck_assert_double_eq_tol(all, 1, 1e-9);
	ck_assert(written_number(cell, "repeats") >= 3 && written_number(cell, "seconds") > 0);
	ck_assert(devices == 2 ? written_number(cell, "speed") > 0 :
	                         written_number(cell, "speed") == 1);
}

/* Gravity, also with memory of its own; each routine with CLOPT_TEST_ALL: compiling takes the time. */
START_TEST(cells)
{
	struct tool_args args = { .op = _i == 2 ? -1 : CLOPT_OP_NBODY,
		                  .device = CLOPT_TEST_TWO,
		                  .size = _i == 2 ? 0 : 2000,
		                  .small = _i == 2,
		                  .json = 1 };
	json_t *json, *list;
	double first;
	size_t i;

	if ((_i == 2 && !test_all()) || !test_two_devices("cells"))
		return;
	wrap_discrete(_i == 1);
	json = written_json(tool_bench, &args, 0);
	wrap_discrete(0);
	list = json_object_get(json, "scaling");
	ck_assert_uint_eq(json_array_size(list), _i == 2 ? 24 : 4);
	for (i = 0; i < json_array_size(list); i++)
		expect_cell(json_array_get(list, i), i, _i == 1 ? "pinned" : "shared", _i == 2);
	ck_assert(json_is_true(json_object_get(json, "alike")));
	list = json_object_get(json, "devices");
	ck_assert_uint_eq(json_array_size(list), 2);
	first = written_number(json_array_get(list, 0),
	                       "index"); /* 0, if no faster device is there */
	ck_assert(written_number(json_array_get(list, 1), "index") == first + 1);
	json_decref(json);
}
END_TEST

START_TEST(files)
{
	struct tool_args args = { .op = CLOPT_OP_NBODY,
		                  .device = CLOPT_TEST_TWO_TURNED,
		                  .size = 2000,
		                  .csv = written.csv,
		                  .svg = written.svg };
	const char *out, *svg;
	int alone, tries = 0;

	if (!test_two_devices("files"))
		return;
	ck_assert_int_eq(written_run(tool_bench, &args), 0);
	out = written_text(written.out);
	ck_assert_ptr_eq(strstr(out, "device "), out);
	ck_assert_uint_eq(written_count(out, "\ndevice "), 1);
	ck_assert_uint_eq(written_count(out, "\nnbody float32 "), 2);
	ck_assert_ptr_nonnull(strstr(out, "  2000  ordinary  "));
	ck_assert_uint_eq(written_count(out, "same bits"), 2);
	ck_assert_uint_eq(written_count(written_text(written.csv), "\nnbody,float32,2000,"), 4);
	/* In each panel a curve with two marks, the ideal, and both in the legend. */
	svg = written_text(written.svg);
	ck_assert_uint_eq(written_count(svg, "class=\"curve\""), 2 * 2);
	ck_assert_uint_eq(written_count(svg, "class=\"curve reference\""), 2 * 2);
	ck_assert_uint_eq(written_count(svg, "from shared memory"), 1);
	/* Calls that are too short stay on the first device; on a busy machine one may seem long. */
	args.size = 64;
	setenv("CLOPT_SHARE", "auto", 1);
	do {
		ck_assert_int_eq(written_run(tool_bench, &args), 0);
		alone = written_count(written_text(written.out), "2: only 1 took part") == 2;
	} while (!alone && ++tries < 10);
	ck_assert(alone);
}
END_TEST

/* One device leaves out the last target where it has all of them.  So its sample is wrong, and two,
 * which have half each, do not give its bits. */
START_TEST(wrong)
{
	struct tool_args args = {
		.op = CLOPT_OP_NBODY, .device = CLOPT_TEST_TWO, .size = 512, .json = 1
	};
	json_t *json, *list, *cell;
	size_t i;

	if (!test_two_devices("wrong"))
		return;
	setenv("CLOPT_CHECK", "off", 1);
	wrap_lose("", 1, 511);
	wrap_pace(1e-15); /* uncut */
	json = written_json(tool_bench, &args, 1);
	wrap_lose(NULL, 0, 0);
	wrap_pace(0);
	list = json_object_get(json, "scaling");
	ck_assert_uint_eq(json_array_size(list), 4);
	for (i = 0; i < 4; i++) {
		cell = json_array_get(list, i);
		if (i == 2) /* from shared memory one device leaves out the same target */
			continue;
		ck_assert_str_eq(written_string(cell, "check"), "WRONG");
		ck_assert(json_is_null(json_object_get(cell, "seconds")));
		ck_assert_ptr_nonnull(
		        strstr(written_string(cell, "why"), i ? "bits of one device" : "element"));
	}
	json_decref(json);
}
END_TEST

START_TEST(members)
{
	struct tool_args args = { .op = -1, .device = CLOPT_TEST_TWO_TURNED, .json = 1 };
	json_t *json;

	if (!test_all() || !test_two_devices("members")) /* it compiles some twenty kernels */
		return;
	json = written_json(tool_info, &args, 0);
	ck_assert_uint_eq(json_array_size(json_object_get(json, "members")), 2);
	json_decref(json);
	args.json = 0;
	ck_assert_int_eq(written_run(tool_check, &args), 0);
	ck_assert_ptr_nonnull(strstr(written_text(written.out), "over 2 devices"));
}
END_TEST

SUITE(scaling, long)
{
	tcase_add_loop_test(c, arrays_in_parts, 0, 2);
	tcase_add_checked_fixture(c, written_open, written_close);
	tcase_add_loop_test(c, cells, 0, 3);
	tcase_add_test(c, files);
	tcase_add_test(c, wrong);
	tcase_add_test(c, members);
}
