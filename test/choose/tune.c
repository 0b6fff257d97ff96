/* SPDX-License-Identifier: MIT */
/*
 * tune.c - classes of problems, records, and the search for the best variant.  No test here says
 * which is fast.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/context.h"
#include "choose/choose.h"
#include "table/table.h"
#include "suites.h"
#include "wrap.h"
#include "written.h"

/* Records are in the file `out`. */
static struct clopt *with_records(const char *text)
{
	struct clopt_options options = CLOPT_OPTIONS_INIT;
	FILE *f;

	if (text) {
		ck_assert_ptr_nonnull(f = fopen(written.out, "w"));
		fputs(text, f);
		ck_assert_int_eq(fclose(f), 0);
	}
	options.tuning = written.out;
	return test_open(&options);
}

/* Records besides those that came with the library. */
static size_t own_records(struct clopt *ctx)
{
	size_t n = clopt_tuning_records(ctx, NULL, 0), size = 512 * n + 1, i;
	char *text = malloc(size);

	ck_assert_ptr_nonnull(text);
	clopt_tuning_records(ctx, text, size);
	for (i = 0; clopt__shipped[i]; i++)
		n -= strstr(text, clopt__shipped[i]) != NULL;
	free(text);
	return n;
}

/* What lines for this kind of device begin with: "+cpu" or "+gpu". */
static const char *kind(void)
{
	static char word[32];
	struct clopt_device_info info = { .size = sizeof info };
	struct clopt *ctx = test_open(NULL);

	CHECK_OK(ctx, clopt_device_get(ctx, &info));
	test_close(ctx);
	snprintf(word, sizeof word, "+%.*s", (int)strcspn(info.traits, ","), info.traits);
	return word;
}

static struct clopt_problem product(size_t m, size_t n, size_t k)
{
	const struct clopt_problem p = {
		.size = sizeof p, .op = CLOPT_OP_MATMUL, .dim = { m, n, k }, .elem_bytes = 4
	};

	return p;
}

/* A row of products that needs what this device has not, and which words say so. */
static const char *useless_row(struct clopt *ctx, const struct clopt_problem *p, char *why,
                               size_t size)
{
	size_t i;

	for (i = 0; clopt_variant_name(i); i++)
		if (clopt_variant_op(i) == CLOPT_OP_MATMUL &&
		    !clopt_variant_runs(ctx, i, p, why, size) && !strncmp(why, "needs ", 6))
			break;
	ck_assert_ptr_nonnull(clopt_variant_name(i));
	return clopt_variant_name(i);
}

static const char *class_of(struct clopt *ctx, const struct clopt_problem *p)
{
	static char text[256];

	CHECK_OK(ctx, clopt_problem_class(ctx, p, text, sizeof text));
	return text;
}

START_TEST(classes)
{
	struct clopt *ctx = test_open(NULL);
	struct clopt_problem p = product(1448, 1449, 1);

	ck_assert_str_eq(class_of(ctx, &p), "matmul float32 NN 1024x2048x1");
	p.transb = CLOPT_TRANS_YES;
	p.elem_bytes = 2;
	p.batch = 1000;
	ck_assert_str_eq(class_of(ctx, &p), "matmul float16 NT 1024x2048x1 x1024");
	p.layout = CLOPT_LAYOUT_COL_MAJOR;
	ck_assert_str_eq(class_of(ctx, &p), "matmul float16 TN 2048x1024x1 x1024");
	p = product(3, 3, 0);
	p.type = CLOPT_TYPE_COMPLEX_FLOAT;
	p.elem_bytes = 0;
	ck_assert_str_eq(class_of(ctx, &p), "matmul complex64 NN 4x4x0");
	p.type = CLOPT_TYPE_FLOAT;
	p.triangle = CLOPT_UPLO_UPPER;
	p.math = CLOPT_MATH_TF32;
	ck_assert_str_eq(class_of(ctx, &p), "matmul float32 NN 4x4x0 tf32 triangle");
	p = (struct clopt_problem){ .size = sizeof p, .op = CLOPT_OP_TRANSPOSE, .dim = { 16, 48 } };
	p.scaled = 1;
	ck_assert_str_eq(class_of(ctx, &p), "transpose 4 bytes 16x64 scaled");
	p = (struct clopt_problem){ .size = sizeof p, .op = CLOPT_OP_POTENTIAL, .dim = { 100, 9 } };
	p.normals = 1;
	p.outputs = CLOPT_OUTPUTS_PHI_NORMAL;
	ck_assert_str_eq(class_of(ctx, &p), "potential coulomb phi+normal float 128x8 normals");
	p = (struct clopt_problem){ .size = sizeof p, .op = CLOPT_OP_NBODY, .dim = { 100, 9 } };
	p.precision = CLOPT_PRECISION_DOUBLE_SINGLE;
	ck_assert_str_eq(class_of(ctx, &p), "nbody gravity field double-single 128x8");
	test_close(ctx);
}
END_TEST

/* ---- Records ------------------------------------------------------------------------ */

/* A line for this device. */
static void record(char *text, size_t size, struct clopt *ctx, const char *rest)
{
	struct clopt_device_info info = { .size = sizeof info };

	CHECK_OK(ctx, clopt_device_get(ctx, &info));
	snprintf(text, size, "%s; %s; %s\n", info.name, info.driver, rest);
}

/* A line of these devices is added. */
static void add_line(char *text, const char *devices, const char *rest)
{
	sprintf(text + strlen(text), "%s%s\n", devices, rest);
}

START_TEST(records)
{
	const char *const here = kind();
	struct clopt_problem p = product(100, 120, 128), q = product(100, 120, 1280);
	struct clopt *ctx = test_open(NULL);
	char lines[4096], more[512];
	const char *usual;

	usual = clopt_chosen_variant(ctx, &q);
	ck_assert_ptr_nonnull(usual);
	strcpy(lines, "# a comment; with; five; fields; 1\n\nnonsense\n;;;;\na;b;c;d\n");
	record(more, sizeof more, ctx, "matmul float32 NN 128x128x128; matmul/reg-64x64x32; 1");
	strcat(lines, more); /* the next replaces it */
	add_line(lines, here, "; *; matmul float32 NN 128x128x128 ;matmul/tile-16x16; 2e9\r");
	add_line(lines, "another device", "; *; matmul float32 NN 128x128x128; matmul/plain; 1");
	add_line(lines, here, ",magic; *; matmul float32 NN 128x128x128; matmul/plain; 1");
	add_line(lines, here, "; 0.0.0; matmul float32 NN 128x128x128; matmul/plain; 1");
	add_line(lines, here, "; *; matmul float32 NN 128x128x128; matmul/none; 1");
	add_line(lines, here, "; *; matmul float32 NN 128x128x128; nbody/plain; 1");
	test_close(ctx);

	ctx = with_records(lines);
	ck_assert_str_eq(clopt_chosen_variant(ctx, &p), "matmul/tile-16x16");
	ck_assert_str_eq(clopt_chosen_variant(ctx, &q), usual); /* of another class */
	CHECK_OK(ctx, clopt_explain(ctx, &p, lines, sizeof lines));
	ck_assert_ptr_nonnull(strstr(lines, written.out));
	CHECK_OK(ctx, clopt_force_variants(ctx, "matmul/plain")); /* precedes it */
	ck_assert_str_eq(clopt_chosen_variant(ctx, &p), "matmul/plain");
	test_close(ctx);
}
END_TEST

/* Tens of thousands of classes, twice: each is found, the later records in place of the earlier. */
START_TEST(many_records)
{
	enum {
		SIDES = 27,
		ALL = SIDES * SIDES * SIDES
	};
	static const char *const rows[] = { "matmul/reg-64x64x32", "matmul/tile-16x16" };
	const char *const here = kind();
	struct clopt_problem p = product((size_t)1 << 26, 1, 1), q = product((size_t)1 << 25, 1, 1);
	struct clopt *ctx;
	char *lines = malloc(2 * (size_t)ALL * 80), *to = lines;
	int i;

	ck_assert_ptr_nonnull(lines);
	for (i = 0; i < 2 * ALL; i++)
		to += sprintf(to, "%s; *; matmul float32 NN %dx%dx%d; %s; 1\n", here,
		              1 << i % SIDES, 1 << i / SIDES % SIDES, 1 << i % ALL / SIDES / SIDES,
		              rows[i / ALL != i % 2]);
	ctx = with_records(lines);
	free(lines);
	ck_assert_uint_eq(own_records(ctx), ALL);
	ck_assert_str_eq(clopt_chosen_variant(ctx, &p), rows[(ALL + 26) % 2 != 1]);
	ck_assert_str_eq(clopt_chosen_variant(ctx, &q), rows[(ALL + 25) % 2 != 1]);
	test_close(ctx);
}
END_TEST

/* Lines of others are added once, whatever the device; what is no record is not. */
START_TEST(merging)
{
	const char *const here = kind();
	struct clopt_problem p = product(100, 120, 128);
	struct clopt_options none = CLOPT_OPTIONS_INIT;
	char lines[512], wanted[512];
	struct clopt *ctx;
	size_t added = 9;

	snprintf(lines, sizeof lines, "%s; *; matmul float32 NN 128x128x128; matmul/plain; 1",
	         here); /* no end of line */
	ctx = with_records(lines);
	snprintf(lines, sizeof lines,
	         "# of a page; with; five; fields; 1\nnonsense\n"
	         "another device;1;matmul float32 NN 8x8x8;matmul/plain;1\n"
	         "%s; *; matmul float32 NN 128x128x128; matmul/none; 1\n"
	         " %s; *; matmul float32 NN 128x128x128; matmul/plain; 1\r\n"
	         "%s; *; matmul float32 NN 128x128x128; matmul/tile-16x16; 2e9",
	         here, here, here);
	CHECK_OK(ctx, clopt_tuning_merge(ctx, lines, &added));
	ck_assert_uint_eq(added, 2);
	ck_assert_str_eq(clopt_chosen_variant(ctx, &p), "matmul/tile-16x16");
	snprintf(wanted, sizeof wanted,
	         "%s; *; matmul float32 NN 128x128x128; matmul/plain; 1\n"
	         "another device; 1; matmul float32 NN 8x8x8; matmul/plain; 1\n"
	         "%s; *; matmul float32 NN 128x128x128; matmul/tile-16x16; 2e9\n",
	         here, here);
	ck_assert_str_eq(written_text(written.out), wanted);
	CHECK_OK(ctx, clopt_tuning_merge(ctx, written_text(written.out), &added));
	ck_assert_uint_eq(added, 0);
	test_close(ctx);

	none.tuning = "/dev/full";
	ctx = test_open(&none);
	expect_refused(clopt_tuning_merge(ctx, "other; 1; matmul float32 NN 8x8x8; matmul/plain; 1",
	                                  &added),
	               CLOPT_EIO, ctx, "/dev/full cannot be written");
	ck_assert_uint_eq(added, 0);
	test_close(ctx);

	none.tuning = "0";
	ctx = test_open(&none);
	expect_refused(clopt_tuning_merge(ctx, "", &added), CLOPT_EINVAL, ctx, "no tuning file");
	test_close(ctx);
}
END_TEST

/* The library's records: five fields, an existing row, a class of its operation. */
static const char *row_of_call(struct clopt *ctx)
{
	static float a[100 * 128], b[128 * 120], c[100 * 120];

	CHECK_OK(ctx, clopt_matmul(ctx, 100, 120, 128, a, b, c));
	return test_report(ctx).variant;
}

/* Equal calls keep the choice until something that it depends on changes. */
START_TEST(kept_choice)
{
	const char *const here = kind();
	struct clopt *ctx = with_records(NULL);
	const struct clopt_problem p = product(100, 120, 128);
	const char *first = clopt_chosen_variant(ctx, &p);
	char line[256];
	size_t added;

	ck_assert_str_eq(row_of_call(ctx), first);
	ck_assert_str_eq(row_of_call(ctx), first);
	snprintf(line, sizeof line, "%s; *; %s; matmul/plain; 1", here, class_of(ctx, &p));
	CHECK_OK(ctx, clopt_tuning_merge(ctx, line, &added));
	ck_assert_str_eq(row_of_call(ctx), "matmul/plain");
	CHECK_OK(ctx, clopt_force_variants(ctx, "matmul/tile-16x16"));
	ck_assert_str_eq(row_of_call(ctx), "matmul/tile-16x16");
	CHECK_OK(ctx, clopt_force_variants(ctx, NULL));
	ck_assert_str_eq(row_of_call(ctx), "matmul/plain");
	test_close(ctx);
}
END_TEST

START_TEST(shipped)
{
	struct clopt *ctx = test_open(NULL);
	char device[64], driver[32], class[160], variant[160], why[256];
	const struct variant *v;
	double rate;
	size_t i;

	for (i = 0; clopt__shipped[i]; i++) {
		ck_assert_msg(sscanf(clopt__shipped[i], "%63[^;]; %31[^;]; %159[^;]; %159[^;]; %lf",
		                     device, driver, class, variant, &rate) == 5,
		              "%s", clopt__shipped[i]);
		v = clopt__named(ctx, variant, strlen(variant), why, sizeof why);
		ck_assert_msg(v != NULL, "%s", why);
		ck_assert_ptr_eq(strstr(class, clopt_op_name((int)v->op)), class);
		ck_assert(rate > 0);
	}
	ck_assert_uint_gt(i, 0);
	test_close(ctx);
}
END_TEST

/* A record whose row cannot serve, or does not build, leaves the choice to the table. */
START_TEST(useless_records)
{
	const char *const here = kind();
	struct clopt_problem p = product(100, 120, 128);
	struct clopt *ctx = test_open(NULL);
	char usual[160], lines[512], text[8192];
	const char *row = _i == 0 ? useless_row(ctx, &p, text, sizeof text) :
	                  _i == 1 ? "matmul/packed-8x2-f64" :
	                            "matmul/reg-64x64x32:wg=8x8:out=128x128";
	size_t n;

	snprintf(usual, sizeof usual, "%s", clopt_chosen_variant(ctx, &p));
	test_close(ctx);
	snprintf(lines, sizeof lines, "%s; *; matmul float32 NN 128x128x128; %s; 1\n", here, row);
	ctx = with_records(lines);
	if (_i == 2)
		wrap_spoil(1);
	ck_assert_str_eq(clopt_chosen_variant(ctx, &p), usual);
	CHECK_OK(ctx, clopt_explain(ctx, &p, text, sizeof text));
	ck_assert_ptr_nonnull(strstr(text, "on record"));
	ck_assert_uint_eq(own_records(ctx), 1);
	n = clopt_tuning_records(ctx, text, sizeof text);
	ck_assert_ptr_nonnull(strstr(text, row));
	ck_assert_uint_eq(clopt_tuning_records(ctx, text, 4), n);
	ck_assert(strlen(text) == 3 && !strncmp(text, here, 3));
	test_close(ctx);
}
END_TEST

/* ---- Searching ------------------------------------------------------------------------ */

static size_t told;

static int count(void *user, const struct clopt_tune_step *step)
{
	ck_assert_uint_eq(step->size, sizeof *step);
	ck_assert_ptr_nonnull(step->variant);
	ck_assert(step->seconds >= 0 && step->tried > 0);
	ck_assert(!step->best == (step->best_seconds == 0));
	return ++told == *(size_t *)user;
}

START_TEST(tune)
{
	struct clopt_problem p = product(100, 120, 128);
	struct clopt_tune_options o = CLOPT_TUNE_OPTIONS_INIT;
	struct clopt *ctx = with_records(NULL);
	char line[1024], class[256];
	size_t most = 5;

	o.budget_seconds = 1000; /* more than five need */
	o.progress = count;
	o.user = &most;
	told = 0;
	CHECK_OK(ctx, clopt_tune(ctx, &p, &o, line, sizeof line));
	ck_assert_uint_ge(told, most); /* the timing under way */
	CHECK_OK(ctx, clopt_problem_class(ctx, &p, class, sizeof class));
	ck_assert_ptr_nonnull(strstr(line, class));
	ck_assert_ptr_nonnull(strstr(line, clopt_chosen_variant(ctx, &p)));
	ck_assert_uint_eq(written_count(written_text(written.out), "\n"), 1);
	ck_assert_ptr_nonnull(strstr(written_text(written.out), line));
	test_close(ctx);

	ctx = with_records(NULL); /* another process, as it were */
	ck_assert_ptr_nonnull(strstr(line, clopt_chosen_variant(ctx, &p)));
	p.dim[2] = 1000;
	o.dry = o.rows_only = 1;
	o.budget_seconds = 0.001;
	CHECK_OK(ctx, clopt_tune(ctx, &p, &o, line, sizeof line));
	ck_assert_uint_eq(written_count(written_text(written.out), "\n"), 1);
	ck_assert_uint_eq(own_records(ctx), 2);
	test_close(ctx);
}
END_TEST

/* All four routines, with samples and neighbours. */
START_TEST(tune_each)
{
	struct clopt_problem p = { .size = sizeof p, .op = _i, .dim = { 64, 64, 64 } };
	struct clopt_tune_options o = CLOPT_TUNE_OPTIONS_INIT;
	struct clopt *ctx = with_records("+cpu; *; an unfinished line");
	char line[1024];

	o.budget_seconds = test_all() ? 3 : 1;
	CHECK_OK(ctx, clopt_tune(ctx, &p, &o, line, sizeof line));
	ck_assert_ptr_nonnull(strstr(line, clopt_op_name(_i)));
	ck_assert_uint_eq(written_count(written_text(written.out), "\n"), 2);
	ck_assert_uint_eq(own_records(ctx), 1);
	test_close(ctx);
	ctx = with_records(NULL);
	ck_assert_uint_eq(own_records(ctx), 1);
	ck_assert_ptr_nonnull(strstr(line, clopt_chosen_variant(ctx, &p)));
	test_close(ctx);
}
END_TEST

START_TEST(tune_refusals)
{
	struct clopt_problem p = product(100, 120, 128);
	struct clopt_tune_options o = CLOPT_TUNE_OPTIONS_INIT;
	struct clopt_options options = CLOPT_OPTIONS_INIT;
	struct clopt *ctx = with_records(NULL);
	char line[512];

	CHECK_OK(ctx, clopt_force_variants(ctx, "matmul/plain"));
	expect_refused(clopt_tune(ctx, &p, NULL, NULL, 0), CLOPT_EINVAL, ctx, "is forced");
	ck_assert_int_ne(access(written.out, F_OK), 0);
	test_close(ctx);

	/* Not even one element fits. */
	p = product(1, 1, 1);
	o.budget_seconds = 0.001;
	options.mem_limit_bytes = 8;
	ctx = test_open(&options);
	expect_refused(clopt_tune(ctx, &p, &o, NULL, 0), CLOPT_ENOMEM, ctx, "the device has 8");
	test_close(ctx);
	options.mem_limit_bytes = 0;

	/* A file that cannot be written is found first, a full disk last: the record is in force
	 * all the same. */
	p = product(100, 120, 128);
	options.tuning = "/dev/null/tuning.txt";
	ctx = test_open(&options);
	strcpy(line, "line");
	expect_refused(clopt_tune(ctx, &p, &o, line, sizeof line), CLOPT_EIO, ctx,
	               "/dev/null/tuning.txt cannot be written");
	ck_assert_uint_eq(own_records(ctx), 0);
	ck_assert_str_eq(line, "");
	test_close(ctx);
	options.tuning = "/dev/full";
	ctx = test_open(&options);
	expect_refused(clopt_tune(ctx, &p, &o, line, sizeof line), CLOPT_EIO, ctx,
	               "/dev/full cannot be written");
	ck_assert_uint_eq(own_records(ctx), 1);
	ck_assert_ptr_nonnull(strstr(line, clopt_chosen_variant(ctx, &p)));
	test_close(ctx);
	/* A file that is named and cannot be read is found at once. */
	options.tuning = "/";
	expect_refused(clopt_open(&ctx, &options), CLOPT_EIO, NULL, "/ cannot be read");
}
END_TEST

START_TEST(time_variant)
{
	struct clopt_problem p = product(100, 120, 128);
	struct clopt *ctx = with_records(NULL);
	char why[256], refusal[512];
	const char *const row = useless_row(ctx, &p, why, sizeof why);
	double seconds = 0;

	CHECK_OK(ctx, clopt_time_variant(ctx, &p, NULL, 0, &seconds));
	ck_assert(seconds > 0);
	seconds = 0;
	CHECK_OK(ctx, clopt_time_variant(ctx, &p, "matmul/reg-64x64x32:TK=16", 0.01, &seconds));
	ck_assert(seconds > 0);
	snprintf(refusal, sizeof refusal, "%s cannot compute this here: %s", row, why);
	expect_refused(clopt_time_variant(ctx, &p, row, 0, &seconds), CLOPT_ENOVARIANT, ctx,
	               refusal);
	p.dim[0] = p.dim[1] = p.dim[2] = 1000000;
	expect_refused(clopt_time_variant(ctx, &p, NULL, 0, &seconds), CLOPT_ENOMEM, ctx,
	               "in one buffer");
	test_close(ctx);
}
END_TEST

/* Without a name the row that would serve arrays of the host: here one on the host. */
START_TEST(time_choice)
{
	const struct clopt_problem p = product(8, 8, 8);
	struct clopt_options o = CLOPT_OPTIONS_INIT;
	struct clopt *ctx;
	double seconds;

	o.small = CLOPT_SMALL_HOST;
	ctx = test_open(&o);
	wrap_commands();
	CHECK_OK(ctx, clopt_time_variant(ctx, &p, NULL, 0, &seconds));
	ck_assert_int_eq(wrap_commands(), 0);
	CHECK_OK(ctx, clopt_time_variant(ctx, &p, "matmul/plain", 0, &seconds));
	ck_assert_int_gt(wrap_commands(), 0);
	test_close(ctx);
}
END_TEST

/* Each call fails from which none has failed so far: with records on disk, which are read, added to
 * and replaced.  There is a choice in any case, and no object is left. */
START_TEST(faulty_files)
{
	struct clopt_tune_options o = CLOPT_TUNE_OPTIONS_INIT;
	const struct clopt_problem p = product(160, 160, 160);
	struct clopt_options options = CLOPT_OPTIONS_INIT;
	const char *const other = "other; 1; matmul float32 NN 8x8x8; matmul/plain; 1";
	struct clopt *ctx;
	int rc, happened, n = 0;

	o.budget_seconds = 0.001;
	o.rows_only = 1;
	options.tuning = written.out;
	options.cache_dir = written.folder;
	do {
		CHECK_OK(NULL, clopt_cache_clear(&options));
		wrap_fail_new(-5);
		rc = clopt_open(&ctx, &options);
		if (rc == CLOPT_OK)
			rc = clopt_tune(ctx, &p, &o, NULL, 0);
		if (rc == CLOPT_OK)
			rc = clopt_tuning_merge(ctx, other, NULL);
		happened = wrap_failed();
		wrap_fail(0, 0);
		ck_assert_msg(rc == CLOPT_OK || (happened && *clopt_error(ctx)), "after %d", n);
		ck_assert(!ctx || clopt_chosen_variant(ctx, &p));
		n++;
		test_close(ctx);
	} while (happened);
	ck_assert_int_gt(n, 20);
	ctx = test_open(&options);
	ck_assert_uint_eq(own_records(ctx), 1);
	test_close(ctx);
	CHECK_OK(NULL, clopt_cache_clear(&options));
}
END_TEST

SUITE(tune, long)
{
	tcase_add_checked_fixture(c, written_open, written_close);
	tcase_add_test(c, classes);
	tcase_add_test(c, records);
	tcase_add_test(c, many_records);
	tcase_add_test(c, merging);
	tcase_add_test(c, kept_choice);
	tcase_add_test(c, shipped);
	tcase_add_loop_test(c, useless_records, 0, 3);
	tcase_add_test(c, tune);
	tcase_add_loop_test(c, tune_each, 0, CLOPT_OP_NBODY + 1);
	tcase_add_test(c, tune_refusals);
	tcase_add_test(c, time_variant);
	tcase_add_test(c, time_choice);
	tcase_add_test(c, faulty_files);
}
