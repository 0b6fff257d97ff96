/* SPDX-License-Identifier: MIT */
/*
 * cache.c - the cache of compiled kernels across processes: found again, replaced if damaged,
 * shared by processes.
 *
 * A second context stands for a second process: contexts share no kernels.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clopt_cl.h"
#include "folder.h"
#include "base/context.h"
#include "base/store.h"
#include "kernel/program.h"
#include "move/move.h"
#include "table/table.h"
#include "suites.h"
#include "wrap.h"

#define N 20

static char base[FOLDER_SIZE], path[2 * FOLDER_SIZE];
static struct clopt_options options;
static float in[N * N], out[N * N];

static void setup(void)
{
	const struct clopt_options initial = CLOPT_OPTIONS_INIT;

	folder_make(base);
	options = initial;
	options.cache_dir = base;
	options.variants = "transpose/plain";
}

static void teardown(void)
{
	folder_remove(base);
}

/* What calls on a context did since the last check. */
static void expect_kernels(struct clopt *ctx, size_t loaded, size_t compiled, size_t saved)
{
	struct clopt_report r = { .size = sizeof r };

	CHECK_OK(ctx, clopt_last_report(ctx, &r));
	ck_assert_msg(r.kernels_loaded == loaded && r.kernels_compiled == compiled &&
	                      r.kernels_saved == saved,
	              "%zu loaded, %zu compiled, %zu saved; not %zu, %zu, %zu", r.kernels_loaded,
	              r.kernels_compiled, r.kernels_saved, loaded, compiled, saved);
}

static int transpose(struct clopt *ctx)
{
	int i, rc;

	for (i = 0; i < N * N; i++) {
		in[i] = (float)i;
		out[i] = -1;
	}
	rc = clopt_transpose(ctx, N, N, sizeof *in, in, N, out, N);
	return rc == CLOPT_OK && (out[1] != in[N] || out[N * N - 1] != in[N * N - 1]) ? 1 : rc;
}

/* In a new context: the first call, and a second, which needs nothing new. */
static void call(size_t loaded, size_t compiled, size_t saved)
{
	struct clopt *ctx = test_open(&options);

	CHECK_OK(ctx, transpose(ctx));
	expect_kernels(ctx, loaded, compiled, saved);
	CHECK_OK(ctx, transpose(ctx));
	expect_kernels(ctx, 0, 0, 0);
	test_close(ctx);
}

/* ---- Processes: first, so that no test has touched OpenCL, even without forks ------------- */

/* A call on each device of one context: 0, or a number of the place that failed. */
static int on_each_device(void)
{
	struct clopt_report r = { .size = sizeof r };
	cl_device_id devices[8];
	cl_platform_id platform;
	cl_context context;
	cl_uint i, n = 0;
	cl_int code;
	struct clopt *ctx;
	size_t round;

	if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS ||
	    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 8, devices, &n) != CL_SUCCESS)
		return 1;
	context = clCreateContext(NULL, n, devices, NULL, NULL, &code);
	if (code != CL_SUCCESS)
		return 2;
	for (round = 0; round < 2; round++)
		for (i = 0; i < n; i++) {
			if (clopt_open_cl(&ctx, context, devices[i], &options) != CLOPT_OK ||
			    transpose(ctx) != CLOPT_OK || clopt_last_report(ctx, &r) != CLOPT_OK)
				return 3;
			clopt_close(ctx);
			if (r.kernels_loaded != round || r.kernels_saved != !round)
				return 4;
		}
	clReleaseContext(context);
	return 0;
}

/* A context of several devices: each finds its own binaries. */
START_TEST(several_devices)
{
	const pid_t child = fork();
	int status;

	ck_assert_int_ge(child, 0);
	if (child == 0) {
		setenv("POCL_DEVICES", "pthread basic", 1);
		_exit(on_each_device());
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_msg(WIFEXITED(status) && !WEXITSTATUS(status), "it failed, %x", status);
	ck_assert_uint_gt(folder_files(base, NULL), 0);
}
END_TEST

/* Several begin at the same time with an empty cache, and each compiles. */
START_TEST(many_processes)
{
	const int processes = test_all() ? 8 : 4;
	pid_t child[8];
	char own[2 * FOLDER_SIZE];
	struct clopt *ctx;
	int i, status;

	for (i = 0; i < processes; i++) {
		child[i] = fork();
		ck_assert_int_ge(child[i], 0);
		if (child[i])
			continue;
		/* PoCL's own cache is not under test. */
		snprintf(own, sizeof own, "%s/pocl-%d", base, i);
		setenv("POCL_CACHE_DIR", own, 1);
		if (clopt_open(&ctx, &options) != CLOPT_OK || transpose(ctx) != CLOPT_OK)
			_exit(1);
		clopt_close(ctx);
		_exit(0);
	}
	for (i = 0; i < processes; i++) {
		ck_assert_int_eq(waitpid(child[i], &status, 0), child[i]);
		ck_assert_msg(WIFEXITED(status) && !WEXITSTATUS(status), "process %d failed", i);
		snprintf(own, sizeof own, "%s/pocl-%d", base, i);
		folder_remove(own);
	}
	ck_assert_uint_eq(folder_files(base, NULL), 1);
	call(1, 0, 0);
}
END_TEST

START_TEST(found_again)
{
	call(0, 1, 1);
	ck_assert_uint_eq(folder_files(base, NULL), 1);
	call(1, 0, 0);
	/* Another dependency, another entry. */
	options.variants = "transpose/tile-32x32";
	call(0, 1, 1);
	options.slice_seconds = 1;
	call(0, 1, 1);
	ck_assert_uint_eq(folder_files(base, NULL), 3);
	call(1, 0, 0);
}
END_TEST

/* A file that is cut, has a flipped bit, other content or none: compiled again and replaced. */
START_TEST(damaged_entries_are_replaced)
{
	unsigned char *good;
	size_t size;

	call(0, 1, 1);
	folder_files(base, path);
	good = file_read(path, &size);
	file_write(path, good, size / 2);
	call(0, 1, 1);
	call(1, 0, 0);
	good[size / 2] ^= 0x10;
	file_write(path, good, size);
	call(0, 1, 1);
	file_write(path, "of another program", 18);
	call(0, 1, 1);
	file_write(path, "", 0);
	call(0, 1, 1);
	call(1, 0, 0);
	ck_assert_uint_eq(folder_files(base, NULL), 1);
	free(good);
}
END_TEST

static char found_key[4096];

static void take_key(void *arg, const struct stored *entry)
{
	snprintf(found_key, sizeof found_key, "%s", entry->key);
}

/* An intact entry that the driver refuses: no binary, or another program. */
START_TEST(refused_by_the_driver)
{
	struct store store;
	void *other;
	size_t size;

	call(0, 1, 1);
	ck_assert_int_eq(clopt__store_open(&store, base, 1 << 30), 0);
	clopt__store_walk(&store, take_key, NULL);
	ck_assert(clopt__store_put(&store, "program", found_key, "no binary", 9));
	call(0, 1, 1);
	call(1, 0, 0);
	ck_assert(clopt__store_get(&store, "program", found_key, &other, &size));
	wrap_refuse_binaries(1);
	call(0, 1, 1);
	wrap_refuse_binaries(0);
	call(1, 0, 0);
	free(other);
	clopt__store_close(&store);
}
END_TEST

static const char add_source[] = "__kernel void add(__global float *x, float y)"
                                 "{ x[get_global_id(0)] += y; }"
                                 "__kernel void take(__global float *x, float y)"
                                 "{ x[get_global_id(0)] -= y; }";

static int map(struct clopt *ctx, const char *source, const char *name, const char *build)
{
	const float y = 1;
	const struct clopt_arg args[] = { { CLOPT_ARG_INOUT, out, sizeof *out },
		                          { CLOPT_ARG_VALUE, (void *)&y, sizeof y } };
	struct clopt_map_desc m = CLOPT_MAP_DESC_INIT;

	out[N] = 5;
	m.source = source;
	m.name = name;
	m.build_options = build;
	m.items = N * N;
	m.args = args;
	m.nargs = 2;
	return clopt_map(ctx, &m);
}

/* The caller's kernels are kept by source, name and options. */
START_TEST(keeps_the_callers_kernels)
{
	struct clopt *ctx;
	int round;

	for (round = 0; round < 2; round++) {
		ctx = test_open(&options);
		CHECK_OK(ctx, map(ctx, add_source, "add", NULL));
		ck_assert(out[N] == 6);
		expect_kernels(ctx, (size_t)round, !round, !round);
		CHECK_OK(ctx, map(ctx, add_source, "take", NULL));
		ck_assert(out[N] == 4);
		expect_kernels(ctx, (size_t)round, !round, !round);
		CHECK_OK(ctx, map(ctx, add_source, "add", "-DUNUSED"));
		expect_kernels(ctx, (size_t)round, !round, !round);
		test_close(ctx);
	}
	ctx = test_open(&options);
	ck_assert_int_eq(map(ctx, "no C", "add", NULL), CLOPT_EBUILD);
	expect_kernels(ctx, 0, 1, 0);
	test_close(ctx);
	ck_assert_uint_eq(folder_files(base, NULL), 3);
}
END_TEST

/* An included file may change, so such a source is compiled each time; what only looks like a
 * directive is kept. */
START_TEST(compiles_sources_with_includes_again)
{
	static const char *const lines[] = { "#define STEP 1\n", "#define STEP 2\n" };
	static const char *const takes[] = { "#include", "# \timport", "%:import" };
	static const char body[] = "__kernel void add(__global float *x, float y)"
	                           "{ x[get_global_id(0)] += STEP * y; /* important */ }";
	char folder[FOLDER_SIZE], header[2 * FOLDER_SIZE], build[3 * FOLDER_SIZE], source[512];
	struct clopt *ctx;
	size_t i;
	int round;

	folder_make(folder);
	snprintf(header, sizeof header, "%s/step.h", folder);
	/* PoCL's own cache ignores included files, too. */
	setenv("POCL_KERNEL_CACHE", "0", 1);
	for (i = 0; i < sizeof takes / sizeof *takes; i++) {
		snprintf(source, sizeof source, "%s \"step.h\"\n%s", takes[i], body);
		snprintf(build, sizeof build, "-I%s", folder);
		for (round = 0; round < 2; round++) {
			file_write(header, lines[round], strlen(lines[round]));
			ctx = test_open(&options);
			CHECK_OK(ctx, map(ctx, source, "add", build));
			ck_assert_msg(out[N] == 6.0f + (float)round, "stale: %s", takes[i]);
			expect_kernels(ctx, 0, 1, 0);
			test_close(ctx);
		}
	}
	ck_assert_uint_eq(folder_files(base, NULL), 0);
	ctx = test_open(&options);
	CHECK_OK(ctx, map(ctx, body, "add", "-DSTEP=1"));
	expect_kernels(ctx, 0, 1, 1);
	test_close(ctx);
	folder_remove(folder);
}
END_TEST

/* A variable that changes what the driver's compiler does: another kernel. */
START_TEST(steered_by_the_environment)
{
	call(0, 1, 1);
	setenv("POCL_EXTRA_BUILD_FLAGS", "-DUNUSED", 1);
	call(0, 1, 1);
	call(1, 0, 0);
	unsetenv("POCL_EXTRA_BUILD_FLAGS");
	call(1, 0, 0);
	ck_assert_uint_eq(folder_files(base, NULL), 2);
}
END_TEST

/* On buffers a kernel is kept once it has ended for certain. */
START_TEST(on_buffers)
{
	struct clopt_buffer *a, *b;
	struct clopt *ctx;
	int round;

	for (round = 0; round < 2; round++) {
		ctx = test_open(&options);
		CHECK_OK(ctx, clopt_buffer_new(ctx, sizeof in, &a));
		CHECK_OK(ctx, clopt_buffer_new(ctx, sizeof in, &b));
		CHECK_OK(ctx, clopt_buffer_write(a, 0, sizeof in, in, NULL));
		CHECK_OK(ctx, clopt_transpose_buffers(ctx, N, N, sizeof *in, a, N, b, N, NULL));
		CHECK_OK(ctx, clopt_finish(ctx));
		ck_assert_uint_eq(folder_files(base, NULL), 1);
		clopt_buffer_free(a);
		clopt_buffer_free(b);
		test_close(ctx);
	}
	call(1, 0, 0);
}
END_TEST

/* Kernels that are only timed are not kept. */
START_TEST(timed_kernels_are_not_kept)
{
	const struct clopt_problem p = { .size = sizeof p,
		                         .op = CLOPT_OP_TRANSPOSE,
		                         .dim = { N, N, 0 } };
	struct clopt *ctx = test_open(&options);
	double seconds;

	CHECK_OK(ctx, clopt_time_variant(ctx, &p, "transpose/plain", 0, &seconds));
	CHECK_OK(ctx, clopt_finish(ctx));
	ck_assert_uint_eq(folder_files(base, NULL), 0);
	CHECK_OK(ctx, transpose(ctx));
	ck_assert_uint_eq(folder_files(base, NULL), 1);
	test_close(ctx);
}
END_TEST

/* The keys of kernels and verdicts have a digest of the sources that make and judge kernels; and
 * the change to the PTX. */
START_TEST(keys_have_the_digest)
{
	struct cache_text text = { .what = "what", .name = "run", .options = "", .retarget = 1 };
	struct clopt *ctx = test_open(&options);
	char *key = clopt__cache_key(ctx, &text), *other;

	text.retarget = 2;
	other = clopt__cache_key(ctx, &text);
	ck_assert(key && other && strcmp(key, other));
	free(other);

	ck_assert_uint_gt(strlen(clopt__digest), 3);
	ck_assert_ptr_nonnull(strstr(key, clopt__digest));
	free(key);
	test_close(ctx);
}
END_TEST

/* A context of the caller's. */
START_TEST(adopted)
{
	struct clopt *first = test_open(&options), *ctx;
	int round;

	for (round = 0; round < 2; round++) {
		CHECK_OK(NULL, clopt_open_cl(&ctx, clopt_cl_context(first), clopt_cl_device(first),
		                             &options));
		CHECK_OK(ctx, transpose(ctx));
		expect_kernels(ctx, (size_t)round, !round, !round);
		clopt_close(ctx);
	}
	test_close(first);
}
END_TEST

/* The line of CLOPT_VERBOSE names kernels that were new to the context. */
START_TEST(verbose_names_new_kernels)
{
	static const char *const words[] = {
		"kernels: 0 from the cache, 1 compiled, 1 saved",
		"kernels: 1 from the cache, 0 compiled, 0 saved",
	};
	const int keep = dup(STDERR_FILENO);
	unsigned char *text;
	size_t size;
	int i;

	snprintf(path, sizeof path, "%s/lines", base);
	options.verbose = 1;
	ck_assert_ptr_nonnull(freopen(path, "w", stderr));
	call(0, 1, 1);
	call(1, 0, 0);
	fflush(stderr);
	dup2(keep, STDERR_FILENO);
	close(keep);
	text = file_read(path, &size);
	text[size] = '\0';
	for (i = 0; i < 2; i++)
		ck_assert_msg(strstr((char *)text, words[i]) != NULL, "no \"%s\" in: %s", words[i],
		              (char *)text);
	ck_assert_ptr_null(strstr((char *)text, "0 from the cache, 0 compiled"));
	free(text);
}
END_TEST

/* Without a folder kernels are compiled, and no call fails. */
START_TEST(works_without_a_folder)
{
	static const char *const folders[] = { "0", "/proc/self", "/dev/null", "/dev/null/folder" };
	size_t i;

	for (i = 0; i < sizeof folders / sizeof *folders; i++) {
		options.cache_dir = folders[i];
		call(0, 1, 0);
	}
	options.cache_dir = base;
	options.cache_bytes = 100;
	call(0, 1, 0);
	ck_assert_uint_eq(folder_files(base, NULL), 0);
}
END_TEST

/* Kernels are compiled ahead in another process: calls find all that they need. */
START_TEST(warm)
{
	struct clopt_problem p = { .size = sizeof p, .op = CLOPT_OP_TRANSPOSE, .dim = { N, N, 0 } };
	struct clopt *ctx = test_open(&options);

	CHECK_OK(ctx, clopt_prepare(ctx, &p));
	expect_kernels(ctx, 0, 1, 1);
	CHECK_OK(ctx, transpose(ctx));
	expect_kernels(ctx, 0, 0, 0);
	test_close(ctx);
	call(1, 0, 0);
}
END_TEST

/* Any operation of any size, zero included, can be compiled ahead. */
START_TEST(warm_all)
{
	struct clopt_problem p = { .size = sizeof p };
	struct clopt *ctx;
	size_t n;

	options.variants = NULL;
	ctx = test_open(&options);
	for (p.op = 0; p.op < CLOPT_OPS; p.op++)
		for (n = 0; n <= 100000; n = 100 * n + !n) {
			p.dim[0] = p.dim[1] = p.dim[2] = n;
			CHECK_OK(ctx, clopt_prepare(ctx, &p));
		}
	p.op = CLOPT_OP_MATMUL;
	p.dim[0] = p.dim[1] = p.dim[2] = 1000;
	p.batch = 100;
	p.transb = CLOPT_TRANS_YES;
	CHECK_OK(ctx, clopt_prepare(ctx, &p));
	test_close(ctx);
}
END_TEST

SUITE(cache, long)
{
	tcase_add_checked_fixture(c, setup, teardown);
	tcase_add_test(c, several_devices);
	tcase_add_test(c, many_processes);
	tcase_add_test(c, found_again);
	tcase_add_test(c, damaged_entries_are_replaced);
	tcase_add_test(c, refused_by_the_driver);
	tcase_add_test(c, keeps_the_callers_kernels);
	tcase_add_test(c, compiles_sources_with_includes_again);
	tcase_add_test(c, steered_by_the_environment);
	tcase_add_test(c, on_buffers);
	tcase_add_test(c, timed_kernels_are_not_kept);
	tcase_add_test(c, keys_have_the_digest);
	tcase_add_test(c, adopted);
	tcase_add_test(c, verbose_names_new_kernels);
	tcase_add_test(c, works_without_a_folder);
	tcase_add_test(c, warm);
	tcase_add_test(c, warm_all);
}
