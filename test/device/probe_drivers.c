/* SPDX-License-Identifier: MIT */
/*
 * probe_drivers.c - a folder of drivers for a test, instead of the machine's.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "probe_drivers.h"
#include "suites.h"

#define PATH 512

static char folder[64], temporary[80], cache[80];

void drivers_setup(void)
{
	char vendors[sizeof folder + 1];

	strcpy(folder, "/tmp/clopt-test-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(temporary, sizeof temporary, "%s/tmp", folder);
	ck_assert_int_eq(mkdir(temporary, 0700), 0);
	snprintf(cache, sizeof cache, "%s/cache", folder);
	snprintf(vendors, sizeof vendors, "%s/", folder); /* some loaders want the slash */
	setenv("OCL_ICD_VENDORS", vendors, 1);
	setenv("TMPDIR", temporary, 1);
	unsetenv("OCL_ICD_FILENAMES");
	unsetenv("CLOPT_DEVICE"); /* these drivers have no device under test */
}

static void empty(const char *path)
{
	DIR *d = opendir(path);
	struct dirent *e;

	while (d && (e = readdir(d)))
		unlinkat(dirfd(d), e->d_name, 0);
	if (d)
		closedir(d);
}

void drivers_teardown(void)
{
	empty(temporary);
	rmdir(temporary);
	empty(cache);
	rmdir(cache);
	empty(folder);
	rmdir(folder);
}

static void copy(const char *from, const char *to)
{
	FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
	char bytes[4096];
	size_t n;

	ck_assert_msg(in && out, "cannot copy %s", from);
	while ((n = fread(bytes, 1, sizeof bytes, in)) > 0)
		ck_assert(fwrite(bytes, 1, n, out) == n);
	fclose(in);
	ck_assert_int_eq(fclose(out), 0);
}

/* The Makefile puts it beside this program. */
static void fake(char *path)
{
	ssize_t n = readlink("/proc/self/exe", path, PATH - 20);

	ck_assert(n > 0);
	path[n] = '\0';
	strcpy(strrchr(path, '/'), "/libfake.so");
}

void drivers_icd(const char *what, const char *library)
{
	char path[PATH];
	FILE *f;

	snprintf(path, sizeof path, "%s/%s.icd", folder, what);
	f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	fprintf(f, *library ? "%s\n" : "%s", library);
	ck_assert_int_eq(fclose(f), 0);
}

static void add_pocl(void)
{
	char line[PATH] = "";
	FILE *f = fopen("/etc/OpenCL/vendors/pocl.icd", "r");

	ck_assert_msg(f && fgets(line, sizeof line, f), "PoCL is not installed");
	fclose(f);
	line[strcspn(line, "\n")] = '\0';
	drivers_icd("pocl", line);
}

void drivers_add(const char *what)
{
	char from[PATH], to[PATH];

	if (!strcmp(what, "pocl")) {
		add_pocl();
		return;
	}
	fake(from);
	snprintf(to, sizeof to, "%s/libfake-%s.so", folder, what);
	copy(from, to);
	drivers_icd(what, to);
}

void drivers_touch(const char *what)
{
	const struct timespec times[2] = { { 1000000000, 0 }, { 1000000000, 0 } };
	char path[PATH];

	snprintf(path, sizeof path, "%s/libfake-%s.so", folder, what);
	ck_assert_int_eq(utimensat(AT_FDCWD, path, times, 0), 0);
}

void drivers_cache(char *path, size_t size)
{
	snprintf(path, size, "%s", cache);
}

void drivers_expect_clean(void)
{
	DIR *d = opendir(temporary);
	struct dirent *e;

	ck_assert_ptr_nonnull(d);
	while ((e = readdir(d)))
		ck_assert_msg(e->d_name[0] == '.', "%s/%s is left", temporary, e->d_name);
	closedir(d);
}

struct clopt_skipped_driver drivers_skipped(void)
{
	struct clopt_skipped_driver s = { .size = sizeof s };
	size_t n = 0;

	CHECK_OK(NULL, clopt_skipped_list(&s, 1, &n));
	ck_assert_uint_eq(n, 1);
	return s;
}

static void expect_works(struct clopt *ctx)
{
	float a[4] = { 1, 2, 3, 4 }, b[4];

	CHECK_OK(ctx, clopt_transpose(ctx, 2, 2, 4, a, 2, b, 2));
	ck_assert(b[1] == 3 && b[2] == 2);
}

void drivers_expect_pocl(void)
{
	struct clopt_device_info info = { .size = sizeof info };
	struct clopt *ctx;
	char vendors[64];

	strcpy(vendors, getenv("OCL_ICD_VENDORS"));
	ctx = test_open(NULL);
	CHECK_OK(ctx, clopt_device_get(ctx, &info));
	ck_assert_str_eq(info.platform, "Portable Computing Language");
	expect_works(ctx);
	test_close(ctx);
	ck_assert_str_eq(getenv("OCL_ICD_VENDORS"), vendors);
	drivers_expect_clean();
}
