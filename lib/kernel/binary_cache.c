/* SPDX-License-Identifier: MIT */
/*
 * binary_cache.c - compiled programs in the store.
 *
 * The cache key names all that a compiled program depends on.  No function here fails: without a
 * hit the program is compiled.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../device/device.h"
#include "program.h"

static const char kind[] = "program";

/* The version of the platform.  A driver may get a new compiler without a new version; platforms
 * known to do so (PoCL) name the compiler here. */
static int platform_version(const struct clopt *ctx, char *text, size_t size)
{
	cl_platform_id platform = NULL;

	memset(text, 0, size);
	return clGetDeviceInfo(ctx->device.id, CL_DEVICE_PLATFORM, sizeof platform, &platform,
	                       NULL) == CL_SUCCESS &&
	       clGetPlatformInfo(platform, CL_PLATFORM_VERSION, size - 1, text, NULL) == CL_SUCCESS;
}

char *clopt__cache_key(const struct clopt *ctx, const struct cache_text *t)
{
	const struct clopt_device_info *d = &ctx->device.info;
	struct hash source = clopt__hash_empty();
	char version[512], digits[HASH_TEXT_SIZE], steered[HASH_TEXT_SIZE], *key = NULL;
	size_t i, room = 0;
	int n, pass;

	if (!ctx->store.folder || !platform_version(ctx, version, sizeof version))
		return NULL;
	for (i = 0; i < t->count; i++)
		clopt__hash_add(&source, t->lines[i], strlen(t->lines[i]));
	clopt__hash_text(&source, digits);
	clopt__steering(steered);
	/* CPUs of one name may differ in traits. */
	for (pass = 0; pass < 2; pass++) {
		n = snprintf(
		        key, room,
		        "%s on %s\n%s, driver %s, %s\n%s, %s\n%s\n"
		        "libclopt %s of %s, %s %d\nkernel %s of source %s\nsteered by %s\n%s\n",
		        t->what, d->name, d->vendor, d->driver, d->version, d->platform, version,
		        d->traits, clopt_version(), clopt__digest,
		        t->retarget ? "retargeted for" : "as built,", t->retarget, t->name, digits,
		        steered, t->options);
		room = (size_t)n + 1;
		if (n < 0 || (!pass && !(key = malloc(room))))
			break;
	}
	return key;
}

cl_int clopt__program_info(cl_program program, cl_program_info what, void *value, size_t *bytes)
{
	cl_int code = clGetProgramInfo(program, what, 0, NULL, bytes);
	void *made;

	if (code != CL_SUCCESS)
		return code;
	made = calloc(1, *bytes + 1);
	memcpy(value, &made, sizeof made);
	return made ? clGetProgramInfo(program, what, *bytes, made, NULL) : CL_OUT_OF_HOST_MEMORY;
}

cl_int clopt__binary(const struct clopt *ctx, cl_program program, char **binary, size_t *size)
{
	cl_device_id *device = NULL;
	size_t *sizes = NULL, bytes, devices = 0, known = 0, i;
	char **all = NULL;
	cl_int code;

	*binary = NULL;
	code = clopt__program_info(program, CL_PROGRAM_DEVICES, &device, &bytes);
	if (code == CL_SUCCESS) {
		devices = bytes / sizeof *device;
		code = clopt__program_info(program, CL_PROGRAM_BINARY_SIZES, &sizes, &bytes);
		known = bytes / sizeof *sizes;
	}
	if (code == CL_SUCCESS && !(all = calloc(devices, sizeof *all)))
		code = CL_OUT_OF_HOST_MEMORY;
	/* Get all binaries: OpenCL allows to leave some out, but PoCL 3.1 then crashes. */
	for (i = 0; code == CL_SUCCESS && i < devices; i++)
		if (!(all[i] = malloc((i < known ? sizes[i] : 0) + 1)))
			code = CL_OUT_OF_HOST_MEMORY;
	if (code == CL_SUCCESS)
		code = clGetProgramInfo(program, CL_PROGRAM_BINARIES, devices * sizeof *all, all,
		                        NULL);
	for (i = 0; all && i < devices; i++)
		/* PoCL 3.1 gives only the binaries that it has built: here the one of this
		 * device. */
		if (code == CL_SUCCESS && i < known && !*binary &&
		    (known == 1 || device[i] == ctx->device.id)) {
			*binary = all[i];
			*size = sizes[i];
			all[i][*size] = '\0'; /* the binary may be text */
		} else {
			free(all[i]);
		}
	free(all);
	free(sizes);
	free(device);
	return code;
}

cl_program clopt__cache_get(const struct clopt *ctx, const char *key)
{
	const unsigned char *bytes;
	cl_program program = NULL;
	cl_int status = CL_SUCCESS, code;
	void *binary;
	size_t size;

	if (!key || !clopt__store_get(&ctx->store, kind, key, &binary, &size))
		return NULL;
	bytes = binary;
	program = clCreateProgramWithBinary(ctx->context, 1, &ctx->device.id, &size, &bytes,
	                                    &status, &code);
	free(binary);
	if (code != CL_SUCCESS)
		return NULL; /* some drivers leave a value there */
	if (status == CL_SUCCESS)
		return program;
	clReleaseProgram(program);
	return NULL;
}

int clopt__cache_put(const struct clopt *ctx, const char *key, cl_program program)
{
	char *binary;
	size_t size = 0;
	int kept, error;

	if (clopt__binary(ctx, program, &binary, &size) != CL_SUCCESS)
		size = 0;
	errno = 0;
	/* Some drivers give no binary. */
	kept = binary && size && clopt__store_put(&ctx->store, kind, key, binary, size);
	error = errno;
	free(binary);
	errno = error;
	return kept;
}
