/* SPDX-License-Identifier: MIT */
/*
 * check.c - runs all tests.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "table/table.h"
#include "suites.h"
#include "wrap.h"

int test_all(void)
{
	const char *text = getenv("CLOPT_TEST_ALL");

	return text && *text == '1';
}

int test_whole(void)
{
	const char *text = getenv("CLOPT_TEST_SMALL");

	return test_all() && !(text && *text == '1');
}

int test_in_part(int i)
{
	const char *part = getenv("CLOPT_TEST_PART");
	int first, of;

	return !part || sscanf(part, "%d/%d", &first, &of) != 2 || of < 1 || i % of == first;
}

void test_add_rows(TCase *c, const TTest *test, int first, int end)
{
	int i;

	for (i = first; i < end; i++)
		if (test_in_part(i))
			tcase_add_loop_test(c, test, i, i + 1);
}

struct clopt *test_open(const struct clopt_options *options)
{
	struct clopt *ctx;
	int rc = clopt_open(&ctx, options);

	ck_assert_msg(rc == CLOPT_OK, "clopt_open: %s: %s", clopt_strerror(rc), clopt_error(NULL));
	return ctx;
}

size_t test_row(const char *name)
{
	size_t i = 0;

	while (clopt_variant_name(i) && strcmp(clopt_variant_name(i), name) != 0)
		i++;
	ck_assert_msg(clopt_variant_name(i) != NULL, "no row %s", name);
	return i;
}

int test_force(struct clopt *ctx, const char *name)
{
	if (!clopt_variant_runs(ctx, test_row(name), NULL, NULL, 0))
		return 0;
	CHECK_OK(ctx, clopt_force_variants(ctx, name));
	return 1;
}

int test_is_host(const char *name)
{
	size_t row = 0;

	ck_assert_ptr_nonnull(name);
	while (clopt_variant_name(row) && strcmp(clopt_variant_name(row), name) != 0)
		row++;
	return clopt_variant_name(row) && clopt__variant(row)->host;
}

int test_precision(struct clopt *ctx, size_t row)
{
	struct clopt_problem p = { .size = sizeof p };

	p.op = clopt_variant_op(row);
	p.dim[0] = p.dim[1] = 1;
	for (p.precision = 0; p.precision < CLOPT_PRECISION_BEST; p.precision++)
		if (clopt_variant_runs(ctx, row, &p, NULL, 0))
			return p.precision;
	return -1;
}

void test_close(struct clopt *ctx)
{
	clopt_close(ctx);
	ck_assert_msg(wrap_live() == 0, "%ld OpenCL objects are left: %s", wrap_live(),
	              wrap_live_text());
	ck_assert_msg(wrap_fences() == 0, "a kernel wrote outside its buffers");
	ck_assert_msg(!wrap_warnings(), "a kernel compiles with warnings: %s", wrap_warnings());
}

struct clopt_report test_report(struct clopt *ctx)
{
	struct clopt_report r = CLOPT_REPORT_INIT;

	CHECK_OK(ctx, clopt_last_report(ctx, &r));
	return r;
}

int test_can_wait(struct clopt *ctx, const char *test)
{
	if (wrap_can_hold(clopt_cl_device(ctx)))
		return 1;
	printf("%s: skipped, since commands of this device wait for no user\n", test);
	fflush(stdout);
	return 0;
}

int test_without(struct clopt *ctx, const char *quirk, const char *test)
{
	struct clopt_device_info info = { .size = sizeof info };

	CHECK_OK(ctx, clopt_device_get(ctx, &info));
	if (!strstr(info.quirks, quirk))
		return 1;
	printf("%s: skipped, since the quirk %s is in force\n", test, quirk);
	fflush(stdout);
	return 0;
}

int test_lacks_local(struct clopt *ctx, int rc, const char *name)
{
	if ((rc != CLOPT_EBUILD && rc != CLOPT_ENOVARIANT) ||
	    !strstr(clopt_error(ctx), "bytes of local memory; the device has"))
		return 0;
	printf("%s lacks local memory\n", name);
	fflush(stdout);
	return 1;
}

cl_event test_gate(struct clopt *ctx, struct clopt_event **handle)
{
	cl_int code;
	cl_event event = clCreateUserEvent(clopt_cl_context(ctx), &code);

	ck_assert_int_eq(code, CL_SUCCESS);
	CHECK_OK(ctx, clopt_event_from_cl(ctx, event, handle));
	return event;
}

int test_can_stage(const char *test)
{
	const char *devices = getenv("POCL_DEVICES");

	if (!devices || !strstr(devices, "basic"))
		return 1;
	printf("%s: skipped, since PoCL's device basic locks up where threads stage\n", test);
	fflush(stdout);
	return 0;
}

int test_two_devices(const char *test)
{
	struct clopt_options o = CLOPT_OPTIONS_INIT;
	struct clopt *ctx = NULL;
	size_t n;

	setenv("POCL_DEVICES", "pthread pthread", 1);
	setenv("CLOPT_SHARE", "every", 1);
	o.device = CLOPT_TEST_TWO;
	clopt_open(&ctx, &o);
	n = clopt_members(ctx);
	clopt_close(ctx);
	if (n < 2)
		printf("%s: skipped, PoCL has no two devices here\n", test);
	fflush(stdout);
	return n >= 2;
}

void expect_refused(int rc, int status, const struct clopt *on, const char *word)
{
	ck_assert_msg(rc == status, "%s instead of %s", clopt_strerror(rc), clopt_strerror(status));
	ck_assert_msg(strstr(clopt_error(on), word) != NULL, "no \"%s\" in: %s", word,
	              clopt_error(on));
}

/* Seconds that one test may take: of processors, so that a busy machine fails none, and by the
 * clock, which ends a test that waits for ever. */
#define PROCESSOR_SECONDS 900
#define CLOCK_SECONDS 3600

static void limit_processor_time(void)
{
	struct rusage used;
	struct rlimit limit;

	getrusage(RUSAGE_SELF, &used);
	getrlimit(RLIMIT_CPU, &limit);
	limit.rlim_cur = (rlim_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + PROCESSOR_SECONDS;
	setrlimit(RLIMIT_CPU, &limit);
}

static SRunner *runner;

/* Of this process and of the tests', which are its children unless CK_FORK=no. */
static double processor_seconds(void)
{
	struct rusage own, tests;

	getrusage(RUSAGE_SELF, &own);
	getrusage(RUSAGE_CHILDREN, &tests);
	return (double)(own.ru_utime.tv_sec + own.ru_stime.tv_sec + tests.ru_utime.tv_sec +
	                tests.ru_stime.tv_sec) +
	       1e-6 * (double)(own.ru_utime.tv_usec + own.ru_stime.tv_usec +
	                       tests.ru_utime.tv_usec + tests.ru_stime.tv_usec);
}

void test_ended(const char *suite)
{
	static int ran, failed;
	static double processors;
	static struct timespec before;
	const int all = srunner_ntests_run(runner), bad = srunner_ntests_failed(runner);
	const double used = processor_seconds();
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (suite)
		printf("%-16s %4d tests, %d failed, %.1f s (of processors %.1f s)\n", suite,
		       all - ran, bad - failed,
		       (double)(now.tv_sec - before.tv_sec) +
		               1e-9 * (double)(now.tv_nsec - before.tv_nsec),
		       used - processors);
	fflush(stdout);
	ran = all;
	failed = bad;
	processors = used;
	before = now;
}

/* Check writes a line to a file at each assertion that passes, so that it can name the last before
 * a crash.  In loops that was half the time of some suites, so a line is written when it first
 * passes. */
void __real__mark_point(const char *file, int line);
void __wrap__mark_point(const char *file, int line)
{
	static int passed[256];

	if (__atomic_exchange_n(&passed[line % 256], line, __ATOMIC_RELAXED) != line)
		__real__mark_point(file, line);
}

/* PoCL's LLVM takes a third of a short test to load, which its child inherits.  Loading starts no
 * thread, so a child may use it. */
static void load_pocl(void)
{
	const char *forks = getenv("CK_FORK"), *drivers = getenv("OCL_ICD_VENDORS");
	char icd[512];

	snprintf(icd, sizeof icd, "%s/pocl.icd", drivers ? drivers : "/etc/OpenCL/vendors");
	if (!access(icd, R_OK) && (!forks || strcmp(forks, "no") != 0))
		dlopen("libpocl.so.2", RTLD_NOW);
}

void test_in_threads(void *(*f)(void *), void *elements, size_t bytes, size_t n)
{
	pthread_t thread[16];
	size_t i;

	ck_assert_uint_le(n, sizeof thread / sizeof *thread);
	for (i = 0; i < n; i++)
		ck_assert(!pthread_create(&thread[i], NULL, f, (char *)elements + i * bytes));
	for (i = 0; i < n; i++)
		pthread_join(thread[i], NULL);
}

static struct room {
	struct room *next;
	long double at[]; /* as aligned as what malloc returns */
} * rooms;

void *test_room(size_t bytes)
{
	struct room *r = calloc(1, sizeof *r + bytes);

	ck_assert_ptr_nonnull(r);
	r->next = rooms;
	rooms = r;
	return r->at;
}

static void free_rooms(void)
{
	struct room *r;

	while ((r = rooms)) {
		rooms = r->next;
		free(r);
	}
}

float *test_points(size_t n)
{
	float *p = test_room(4 * n * sizeof *p);
	unsigned state = 1;
	size_t i;

	for (i = 0; i < 4 * n; i++) {
		state = state * 1664525u + 1013904223u;
		p[i] = (float)(state >> 8) / (float)(1 << 24);
	}
	return p;
}

/* With an argument, the names of the suites of that cost. */
int main(int argc, char **argv)
{
	const struct suite *s;
	Suite *suite = suite_create("clopt");
	int failed;

	if (argc > 1) {
		for (s = test_suites; s->name; s++)
			if (!strcmp(s->cost, argv[1]))
				puts(s->name);
		return EXIT_SUCCESS;
	}
	/* Choices must not depend on the machine, nor on its files. */
	setenv("CLOPT_TUNING", "0", 1);
	/* Tests do not use the user's cache; those that need one set it. */
	setenv("CLOPT_CACHE_DIR", "0", 1);
	/* Small problems are to show what larger ones do; those of test/table/host.c ask for the
	 * host. */
	setenv("CLOPT_SMALL", "device", 1);
	/* Tests compare results themselves; those of verify/ turn the check on. */
	setenv("CLOPT_CHECK", "off", 1);
	load_pocl();
	for (s = test_suites; s->name; s++) {
		TCase *c = tcase_create(s->name);

		tcase_set_tags(c, s->cost);
		tcase_set_timeout(c, CLOCK_SECONDS);
		tcase_add_checked_fixture(c, limit_processor_time, free_rooms);
		tcase_add_unchecked_fixture(c, NULL, s->ended);
		s->add(c);
		suite_add_tcase(suite, c);
	}
	runner = srunner_create(suite);
	test_ended(NULL); /* the clocks start */
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
