/* SPDX-License-Identifier: MIT */
/*
 * log.c - clopt_options.log gets the lines that would go to standard error.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "suites.h"
#include "wrap.h"

struct lines {
	struct clopt *ctx;
	char text[32][512];
	size_t count;
	int tries; /* to call a function on ctx */
};

static void keep(void *user, const char *line)
{
	struct lines *l = user;

	ck_assert_msg(!strchr(line, '\n') && *line, "not one line: %s", line);
	if (l->count < 32)
		snprintf(l->text[l->count++], sizeof l->text[0], "%s", line);
	if (l->tries && l->ctx)
		expect_refused(clopt_finish(l->ctx), CLOPT_EINVAL, l->ctx, "clopt_cancel");
}

static size_t with(const struct lines *l, const char *word)
{
	size_t i, n = 0;

	for (i = 0; i < l->count; i++)
		n += strstr(l->text[i], word) != NULL;
	return n;
}

/* What goes to standard error meanwhile. */
static FILE *redirected(int *old)
{
	FILE *f = tmpfile();

	ck_assert_ptr_nonnull(f);
	fflush(stderr);
	*old = dup(STDERR_FILENO);
	dup2(fileno(f), STDERR_FILENO);
	return f;
}

static long restored(FILE *f, int old)
{
	long bytes;

	fflush(stderr);
	dup2(old, STDERR_FILENO);
	close(old);
	fseek(f, 0, SEEK_END);
	bytes = ftell(f);
	fclose(f);
	return bytes;
}

static void run(struct lines *l, const struct clopt_options *o)
{
	const float x[4] = { 1, 2, 3, 4 };
	float y[4];

	l->ctx = test_open(o);
	CHECK_OK(l->ctx, clopt_matmul(l->ctx, 2, 2, 2, x, x, y));
	CHECK_OK(l->ctx, clopt_transpose(l->ctx, 2, 2, 4, x, 2, y, 2));
	test_close(l->ctx);
}

START_TEST(instead_of_stderr)
{
	static struct lines l;
	struct clopt_options o = CLOPT_OPTIONS_INIT;
	FILE *err;
	int old;

	o.verbose = 1;
	o.log = keep;
	o.log_user = &l;
	l.tries = 1;
	err = redirected(&old);
	run(&l, &o);
	ck_assert_int_eq(restored(err, old), 0);
	ck_assert_uint_eq(with(&l, "clopt: "), l.count);
	ck_assert_uint_eq(with(&l, "bands"), 2);
	/* Without log the lines go to standard error. */
	o.log = NULL;
	err = redirected(&old);
	run(&l, &o);
	ck_assert_int_gt(restored(err, old), 0);
}
END_TEST

/* A tree that a limit of memory leaves no room for: all pairs are summed, and that is told. */
START_TEST(no_room_for_a_tree)
{
	static struct lines l;
	static float x[4 * 500], phi[500];
	struct clopt_options o = CLOPT_OPTIONS_INIT;
	struct clopt_potential_options p = CLOPT_POTENTIAL_OPTIONS_INIT;
	struct clopt_report report = CLOPT_REPORT_INIT;
	unsigned i;

	for (i = 0; i < 4 * 500; i++)
		x[i] = (float)(i * 37 % 101);
	o.verbose = 1;
	o.log = keep;
	o.log_user = &l;
	p.order = 2;
	p.theta = 0.5;
	for (i = 0; i < 2; i++) {
		o.mem_limit_bytes = i ? 20000 : 0;
		l.ctx = test_open(&o);
		CHECK_OK(l.ctx, clopt_potential(l.ctx, 500, x, 500, x, phi, &p));
		CHECK_OK(l.ctx, clopt_last_report(l.ctx, &report));
		ck_assert_uint_eq(report.tree_order, i ? 0u : 2u);
		ck_assert_uint_eq(with(&l, "a tree over 500 sources takes"), i);
		ck_assert_uint_eq(with(&l, "all pairs are summed instead"), i);
		test_close(l.ctx);
	}
}
END_TEST

/* Variables that nothing reads, and a missing folder of kernels: told once, with the cure. */
START_TEST(misspelt_variables)
{
	static struct lines l;
	struct clopt_options o = CLOPT_OPTIONS_INIT;
	const char *home = getenv("HOME"), *cache = getenv("XDG_CACHE_HOME"),
	           *dir = getenv("CLOPT_CACHE_DIR");

	o.log = keep;
	o.log_user = &l;
	o.variants = "transpose/plain";
	setenv("CLOPT_VERBSOE", "1", 1);
	setenv("CLOPT_DEVICES", "", 1);
	setenv("CLOPT_MEMORY_OF_ELEPHANTS", "long", 1);
	setenv("CLOPT_", "", 1);
	setenv("CLOPT_QUEUES", "", 1);
	setenv("CLOPT_BLAS_NEXT", "", 1);
	setenv("CLOPT_BLAS_FLOAT64", "", 1);
	test_close(test_open(&o));
	ck_assert_uint_eq(l.count, 0);
	o.verbose = 1;
	unsetenv("HOME");
	unsetenv("XDG_CACHE_HOME");
	unsetenv("CLOPT_CACHE_DIR");
	run(&l, &o);
	unsetenv("CLOPT_VERBSOE");
	unsetenv("CLOPT_DEVICES");
	unsetenv("CLOPT_MEMORY_OF_ELEPHANTS");
	unsetenv("CLOPT_");
	ck_assert_uint_eq(with(&l, "no variable"), 4);
	ck_assert_uint_eq(
	        with(&l, "CLOPT_VERBSOE is no variable of libclopt; did you mean CLOPT_VERBOSE?"),
	        1);
	ck_assert_uint_eq(
	        with(&l, "CLOPT_DEVICES is no variable of libclopt; did you mean CLOPT_DEVICE?"),
	        1);
	ck_assert_uint_eq(with(&l, "ELEPHANTS is no variable of libclopt"), 1);
	ck_assert_uint_eq(with(&l, "ELEPHANTS is no variable of libclopt;"), 0);
	ck_assert_uint_eq(
	        with(&l, "compiled kernels are not kept: neither XDG_CACHE_HOME nor HOME"), 1);
	/* A folder that cannot be made. */
	l.count = 0;
	o.cache_dir = "/dev/null/folder";
	run(&l, &o);
	ck_assert_uint_eq(
	        with(&l, "compiled kernels are not kept in /dev/null/folder: Not a directory; set "
	                 "CLOPT_CACHE_DIR to "),
	        1);
	ck_assert_uint_eq(with(&l, "no variable") + with(&l, "neither"), 0);
	if (home)
		setenv("HOME", home, 1);
	if (cache)
		setenv("XDG_CACHE_HOME", cache, 1);
	if (dir)
		setenv("CLOPT_CACHE_DIR", dir, 1);
}
END_TEST

/* The compiler's log of a kernel that does not build has several lines. */
START_TEST(many_lines)
{
	static struct lines l;
	struct clopt_options o = CLOPT_OPTIONS_INIT;
	struct clopt_map_desc m = CLOPT_MAP_DESC_INIT;

	o.verbose = 1;
	o.log = keep;
	o.log_user = &l;
	l.ctx = test_open(&o);
	m.source = "no kernel\n\nat all";
	m.name = "f";
	m.items = 1;
	ck_assert_int_eq(clopt_map(l.ctx, &m), CLOPT_EBUILD);
	ck_assert_uint_gt(l.count, 0);
	ck_assert_uint_gt(with(&l, "did not build"), 0);
	test_close(l.ctx);
}
END_TEST

/* Of a product in bands: the times of its parts, and whether they overlapped. */
START_TEST(bands)
{
	static float a[200 * 200], b[200 * 200], c[200 * 200];
	struct clopt_options o = CLOPT_OPTIONS_INIT;
	static struct lines l;
	struct clopt *ctx;
	int i;

	o.verbose = 1;
	o.log = keep;
	o.log_user = &l;
	o.profile = 1;
	o.mem_limit_bytes = 250000;
	o.transfer = _i ? CLOPT_TRANSFER_STAGED : 0;
	if (_i && !test_can_stage("the log of bands"))
		return;
	wrap_discrete(_i);
	ctx = test_open(&o);
	for (i = 0; i < 3; i++)
		CHECK_OK(ctx, clopt_matmul(ctx, 200, 200, 200, a, b, c));
	ck_assert_uint_eq(with(&l, "bands"), 3);
	ck_assert_uint_ge(with(&l, "serial"), 1);
	ck_assert_uint_eq(with(&l, "staged"), _i ? 3 : 0);
	test_close(ctx);
}
END_TEST

SUITE(log, quick)
{
	tcase_add_loop_test(c, bands, 0, 2);
	tcase_add_test(c, instead_of_stderr);
	tcase_add_test(c, no_room_for_a_tree);
	tcase_add_test(c, misspelt_variables);
	tcase_add_test(c, many_lines);
}
