/* SPDX-License-Identifier: MIT */
/*
 * loader.c - where the OpenCL loader finds drivers, and how to hide some of them.
 *
 * The loaders (ocl-icd, Khronos' own) load every driver at the first query of platforms. ocl-icd
 * then queries the devices of each, to sort them.  So a driver can only be skipped by hiding it
 * from the loader, and only the environment can do this.  OCL_ICD_VENDORS names a folder of .icd
 * files, which both loaders read once.
 */
#if !defined _FILE_OFFSET_BITS && __SIZEOF_LONG__ < 8
#define _FILE_OFFSET_BITS 64 /* otherwise 32-bit systems refuse files with larger inode numbers */
#endif
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dl_iterate_phdr */
#endif
#include "drivers.h"

#if CAN_HIDE
#include <dirent.h>
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/text.h"

/* The loaders' variables, from ocl-icd's libOpenCL(7) and Khronos' README. */
#define VENDORS "OCL_ICD_VENDORS"
#define VENDOR_PATH "OPENCL_VENDOR_PATH" /* VENDORS has priority */
#define LIBRARIES "OCL_ICD_FILENAMES"
#define VENDORS_STANDARD "/etc/OpenCL/vendors"

static char hidden[] = "CLOPT_HIDDEN="; /* replaces LIBRARIES */

static const char *variable(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

static int ends_in_icd(const char *name)
{
	size_t n = strlen(name);

	return n > 4 && !strcmp(name + n - 4, ".icd");
}

static void add_library(struct drivers *d, const char *file, const char *library, size_t n)
{
	struct driver *to = &d->list[d->count];

	if (d->count == MOST_DRIVERS || (n == 0 && !*file) || n >= sizeof to->library)
		return;
	snprintf(to->file, sizeof to->file, "%s", file);
	snprintf(to->library, sizeof to->library, "%.*s", (int)n, library);
	d->count++;
}

/* Add the driver of a file, whose first line names the library. */
static void add_file(struct drivers *d, const char *path)
{
	char line[512] = "";
	FILE *f = fopen(path, "re");

	if (f && (fgets(line, sizeof line, f) || !ferror(f)))
		add_library(d, path, line, strcspn(line, " \t\r\n"));
	if (f)
		fclose(f);
}

static int by_file(const void *a, const void *b)
{
	return strcmp(((const struct driver *)a)->file, ((const struct driver *)b)->file);
}

static void add_folder(struct drivers *d, const char *path)
{
	DIR *folder = opendir(path);
	struct dirent *e;
	char file[512];

	while (folder && (e = readdir(folder)))
		if (ends_in_icd(e->d_name) &&
		    snprintf(file, sizeof file, "%s/%s", path, e->d_name) < (int)sizeof file)
			add_file(d, file);
	if (folder)
		closedir(folder);
	qsort(d->list, d->count, sizeof *d->list, by_file);
}

void clopt__loader_drivers(struct drivers *d)
{
	const char *vendors = variable(VENDORS), *folder = variable(VENDOR_PATH);
	const char *more = variable(LIBRARIES);
	struct stat about;
	char path[512];
	size_t n;

	d->count = 0;
	folder = folder ? folder : VENDORS_STANDARD;
	if (!vendors) {
		add_folder(d, folder);
	} else if (!stat(vendors, &about) && S_ISDIR(about.st_mode)) {
		add_folder(d, vendors);
	} else if (ends_in_icd(vendors)) {
		if (strchr(vendors, '/'))
			add_file(d, vendors);
		else if ((size_t)snprintf(path, sizeof path, "%s/%s", folder, vendors) <
		         sizeof path)
			add_file(d, path);
	} else {
		add_library(d, "", vendors, strlen(vendors));
	}
	for (; more && *more; more += n + (more[n] == ':')) {
		n = strcspn(more, ":");
		add_library(d, "", more, n);
	}
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Whether a loaded library (info) is one of the drivers (arg). */
static int is_driver(struct dl_phdr_info *info, size_t size, void *arg)
{
	const char *name = last_part(info->dlpi_name);
	const struct drivers *d = arg;
	size_t i;

	(void)size;
	for (i = 0; i < d->count; i++)
		if (*name && !strcmp(name, last_part(d->list[i].library)))
			return 1;
	return 0;
}

int clopt__loader_used(const struct drivers *d)
{
	return dl_iterate_phdr(is_driver, (void *)d);
}

/* In the C library, or in one that the loader uses. */
#pragma weak dlopen
#pragma weak dlsym
#pragma weak dlclose
#pragma weak dlerror

int clopt__loader_refuses(const struct driver *d, char *why, size_t size)
{
	void *library;
	int is;

	if (!*d->library)
		return snprintf(why, size, "it names no library") > 0;
	if (!dlopen || !dlsym || !dlclose || !dlerror)
		return 0;
	library = dlopen(d->library, RTLD_LAZY | RTLD_LOCAL);
	if (!library)
		return snprintf(why, size, "%s", dlerror()) > 0;
	is = dlsym(library, "clGetExtensionFunctionAddress") ||
	     dlsym(library, "clIcdGetPlatformIDsKHR");
	dlclose(library);
	return !is && snprintf(why, size, "%s is no OpenCL driver", d->library) > 0;
}

static void add_state(struct text *key, const char *path)
{
	struct stat about;

	if (stat(path, &about))
		memset(&about, 0, sizeof about);
	clopt__say(key, "%s %lld %lld\n", path, (long long)about.st_mtime,
	           (long long)about.st_size);
}

/* A library named without a folder is found through the linker's cache, which every installation
 * renews.  The kernel and its modules, which drivers need, change only at a boot. */
int clopt__loader_key(const struct drivers *d, char *text, size_t size)
{
	const char *path = variable("LD_LIBRARY_PATH");
	struct text key = { text, size };
	char boot[64] = "";
	FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");
	size_t i;

	if (f && !fgets(boot, sizeof boot, f))
		boot[0] = '\0';
	if (f)
		fclose(f);
	for (i = 0; i < d->count; i++)
		add_state(&key, d->list[i].library);
	add_state(&key, "/etc/ld.so.cache");
	clopt__say(&key, "%s%s\n", boot, path ? path : "");
	return key.left > 1;
}

/* ---- Hiding: an environment that names a folder with some of the drivers */

static struct {
	char folder[256];
	char **environment, **before;
	/* The view's strings, and the process's strings that they replace; NULL: none. */
	char *vendors, *own_vendors, *own_libraries;
} view;

static int write_icd(unsigned i, const struct driver *d)
{
	char path[sizeof view.folder + sizeof d->file + 8];
	FILE *f;
	int bad;

	/* Keep the file name: loaders may sort by it. */
	snprintf(path, sizeof path, "%s/%02u-%s", view.folder, i,
	         *d->file ? last_part(d->file) : "library.icd");
	if (!(f = fopen(path, "we")))
		return -1;
	bad = fprintf(f, "%s\n", d->library) < 0;
	return fclose(f) || bad ? -1 : 0;
}

static int make_folder(const struct drivers *d, unsigned seen)
{
	const char *above = variable("TMPDIR");
	unsigned i;

	if (snprintf(view.folder, sizeof view.folder, "%s/clopt-XXXXXX", above ? above : "/tmp") >=
	            (int)sizeof view.folder ||
	    !mkdtemp(view.folder)) {
		view.folder[0] = '\0';
		return -1;
	}
	for (i = 0; i < d->count; i++)
		if ((seen >> i & 1) && write_icd(i, &d->list[i]))
			return -1;
	return 0;
}

static void remove_folder(void)
{
	DIR *folder = *view.folder ? opendir(view.folder) : NULL;
	struct dirent *e;

	while (folder && (e = readdir(folder)))
		if (ends_in_icd(e->d_name))
			unlinkat(dirfd(folder), e->d_name, 0);
	if (folder)
		closedir(folder);
	if (*view.folder)
		rmdir(view.folder);
}

static int assigns(const char *assignment, const char *name)
{
	const size_t n = strlen(name);

	return !strncmp(assignment, name, n) && assignment[n] == '=';
}

/* Copy the process's environment, with the folder in place of its drivers.  Khronos' loader of CUDA
 * 13.0 requires a slash at the folder's end. */
static int make_environment(void)
{
	const size_t length = strlen(view.folder) + sizeof VENDORS "=/";
	size_t i, n = 0;

	while (environ && environ[n]) /* NULL after clearenv */
		n++;
	view.environment = calloc(n + 2, sizeof *view.environment);
	view.vendors = malloc(length);
	if (!view.environment || !view.vendors)
		return -1;
	snprintf(view.vendors, length, VENDORS "=%s/", view.folder);
	for (i = 0; i < n; i++) {
		view.environment[i] = environ[i];
		if (assigns(environ[i], VENDORS)) {
			view.own_vendors = environ[i];
			view.environment[i] = view.vendors;
		} else if (assigns(environ[i], LIBRARIES)) {
			view.own_libraries = environ[i];
			view.environment[i] = hidden;
		}
	}
	if (!view.own_vendors)
		view.environment[n] = view.vendors;
	return 0;
}

/* setenv would move strings that another thread's getenv may be reading.  Here both arrays stay
 * whole and in place, so the view is never freed. */
int clopt__loader_hide(const struct drivers *d, unsigned seen)
{
	if (!make_folder(d, seen) && !make_environment()) {
		view.before = environ;
		environ = view.environment;
		return 0;
	}
	remove_folder();
	free(view.environment);
	free(view.vendors);
	memset(&view, 0, sizeof view);
	return -1;
}

/* If a driver has called setenv meanwhile, a third array holds the same strings. */
static void restore_environment(void)
{
	char **from = environ, **to = environ;

	if (environ == view.environment) {
		environ = view.before;
		return;
	}
	for (; from && *from; from++) {
		if (*from == view.vendors)
			*to = view.own_vendors;
		else
			*to = *from == hidden ? view.own_libraries : *from;
		to += *to != NULL;
	}
	if (to)
		*to = NULL;
}

void clopt__loader_show(void)
{
	restore_environment();
	remove_folder();
}
#endif
