/* SPDX-License-Identifier: MIT */
/*
 * wrap_built.c - what tests build once: with CLOPT_TEST_SHARE=1 each source with the same options
 * in a process; with CLOPT_TEST_BUILT=FOLDER, for a driver that keeps no kernels on disk, in all
 * processes.
 *
 * Also a driver that keeps kernels on disk reads each source through its preprocessor, which takes
 * thirty times as long as making a kernel of a program that is there.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "wrap_internal.h"

#define MOST (4 << 20) /* bytes of a binary */

/* A program of the library's, and the one that its kernels are made of.  In the shared context the
 * latter stays, and has a key, its options and source; in another it goes with the library's. */
struct built {
	struct built *next;
	cl_program program, first;
	char *key;
};
static struct built *all;

cl_int __real_clGetProgramInfo(cl_program p, cl_program_info w, size_t n, void *v, size_t *r);
cl_int __real_clBuildProgram(cl_program p, cl_uint n, const cl_device_id *d, const char *options,
                             void(CL_CALLBACK *f)(cl_program, void *), void *user);
cl_int __real_clReleaseProgram(cl_program p);
cl_int __real_clGetDeviceInfo(cl_device_id d, cl_device_info w, size_t n, void *v, size_t *r);
cl_program __real_clCreateProgramWithBinary(cl_context c, cl_uint n, const cl_device_id *d,
                                            const size_t *l, const unsigned char **b, cl_int *s,
                                            cl_int *code);

cl_program wrap_built(cl_program program)
{
	const struct built *b;

	wrap_lock();
	for (b = all; b && b->program != program; b = b->next)
		;
	program = b ? b->first : program;
	wrap_unlock();
	return program;
}

static cl_context context_of(cl_program p)
{
	cl_context context = NULL;

	__real_clGetProgramInfo(p, CL_PROGRAM_CONTEXT, sizeof context, &context, NULL);
	return context;
}

void wrap_built_forget(cl_program program)
{
	struct built **b = &all, *gone;

	wrap_lock();
	while ((gone = *b) && (gone->program != program || gone->key))
		b = &gone->next;
	if (gone)
		*b = gone->next;
	wrap_unlock();
	if (gone && !wrap_is_shared(context_of(gone->first)))
		__real_clReleaseProgram(gone->first);
	free(gone);
}

static void add(cl_program program, cl_program first, char *key)
{
	struct built *b = __real_malloc(sizeof *b);

	if (!b)
		abort();
	b->program = program;
	b->first = first;
	b->key = key;
	wrap_lock();
	b->next = all;
	all = b;
	wrap_unlock();
}

static cl_program find(const char *key)
{
	const struct built *b;
	cl_program first;

	wrap_lock();
	for (b = all; b && (!b->key || strcmp(b->key, key)); b = b->next)
		;
	first = b ? b->first : NULL;
	wrap_unlock();
	return first;
}

/* NULL: a program of a binary, or one that may include files, which may change. */
static char *key_of(cl_program p, const char *options)
{
	const size_t before = strlen(options) + 1;
	size_t n = 0;
	char *key;

	__real_clGetProgramInfo(p, CL_PROGRAM_SOURCE, 0, NULL, &n);
	if (n < 2 || strstr(options, "-I"))
		return NULL;
	if (!(key = __real_calloc(1, before + n)))
		abort();
	memcpy(key, options, before - 1);
	key[before - 1] = '\n';
	__real_clGetProgramInfo(p, CL_PROGRAM_SOURCE, n, key + before, NULL);
	return key;
}

/* NULL: none is there, or of another version of the driver. */
static cl_program load(const char *path, cl_context c, const cl_device_id *d, const char *options)
{
	static unsigned char bytes[MOST];
	const unsigned char *binary = bytes;
	FILE *f = fopen(path, "rb");
	cl_program made;
	cl_int code;
	size_t size;

	if (!f)
		return NULL;
	wrap_lock();
	size = fread(bytes, 1, sizeof bytes, f);
	made = __real_clCreateProgramWithBinary(c, 1, d, &size, &binary, NULL, &code);
	wrap_unlock();
	fclose(f);
	if (code != CL_SUCCESS)
		return NULL;
	if (__real_clBuildProgram(made, 1, d, options, NULL, NULL) == CL_SUCCESS)
		return made;
	__real_clReleaseProgram(made);
	return NULL;
}

/* Other processes, and threads that build the same, see the file when it is whole. */
static void save(const char *path, cl_program p)
{
	unsigned char *bytes;
	char other[512];
	size_t size = 0;
	FILE *f;

	__real_clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL);
	if (!size || size > MOST || !(bytes = __real_malloc(size)))
		return;
	__real_clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, NULL);
	snprintf(other, sizeof other, "%s.%ld.%p", path, (long)getpid(), (void *)p);
	f = fopen(other, "wb");
	if (!f || fwrite(bytes, 1, size, f) != size || fclose(f) || rename(other, path))
		abort();
	free(bytes);
}

static int unoptimized = 1;

void wrap_unoptimized(int which)
{
	unoptimized = which;
}

static int compiles_long(cl_device_id device, const char *options)
{
	const int one_item = strstr(options, "-DWG0=1 -DWG1=1 ") != NULL;
	cl_device_type type = 0;

	__real_clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, NULL);
	if (type & CL_DEVICE_TYPE_CPU && type & CL_DEVICE_TYPE_GPU) /* Oclgrind's */
		return one_item && unoptimized == 2;
	return type & CL_DEVICE_TYPE_CPU && strstr(options, "-DWG0=") &&
	       (!one_item || unoptimized == 2);
}

cl_int wrap_build(cl_program p, cl_uint n, const cl_device_id *d, const char *options)
{
	const char *folder = getenv("CLOPT_TEST_BUILT");
	const cl_context context = context_of(p);
	const int shared = wrap_is_shared(context);
	char digits[HASH_TEXT_SIZE], path[480], fast[1024], *key;
	struct hash hash = clopt__hash_empty();
	cl_program first;
	cl_int code = CL_SUCCESS;

	if (!folder && d && compiles_long(*d, options)) {
		snprintf(fast, sizeof fast, "%s -cl-opt-disable", options);
		options = fast;
	}
	key = shared || folder ? key_of(p, options) : NULL;
	if (!key)
		return __real_clBuildProgram(p, n, d, options, NULL, NULL);
	clopt__hash_add(&hash, key, strlen(key));
	clopt__hash_text(&hash, digits);
	snprintf(path, sizeof path, "%s/%s", folder ? folder : "", digits);
	first = shared ? find(key) : NULL;
	if (first) {
		add(p, first, NULL);
	} else if (folder && (first = load(path, context, d, options))) {
		add(p, first, NULL);
		if (shared) {
			add(first, first, key);
			key = NULL;
		}
	} else {
		code = __real_clBuildProgram(p, n, d, options, NULL, NULL);
		if (code == CL_SUCCESS && folder)
			save(path, p);
		if (code == CL_SUCCESS && shared) {
			clRetainProgram(p);
			add(p, p, key);
			key = NULL;
		}
	}
	free(key);
	return code;
}
