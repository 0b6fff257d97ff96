/* SPDX-License-Identifier: MIT */
/*
 * cache.c - compiled programs in the store.
 *
 * The key is all that a compiled program depends on.  Nothing here fails: a program
 * that is not found is compiled, one that is not kept is compiled again next time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

static const char kind[] = "program";

/* A driver may keep its version and have a new compiler; platforms of which that is
 * known (PoCL) tell the compiler here. */
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
	char version[512], digits[HASH_TEXT_SIZE], *key = NULL;
	size_t i, room = 0;
	int n, pass;

	if (!ctx->store.folder || !platform_version(ctx, version, sizeof version))
		return NULL;
	for (i = 0; i < t->count; i++)
		clopt__hash_add(&source, t->lines[i], strlen(t->lines[i]));
	clopt__hash_text(&source, digits);
	/* Traits tell CPUs of one name apart, of which one lacks what the other has. */
	for (pass = 0; pass < 2; pass++) {
		n = snprintf(key, room,
		             "%s on %s\n%s, driver %s, %s\n%s, %s\n%s\n"
		             "libclopt %s, %s\nkernel %s of source %s\n%s\n",
		             t->what, d->name, d->vendor, d->driver, d->version, d->platform,
		             version, d->traits, clopt_version(),
		             t->retarget ? "retargeted" : "as built", t->name, digits, t->options);
		room = (size_t)n + 1;
		if (n < 0 || (!pass && !(key = malloc(room))))
			break;
	}
	return key;
}

cl_int clopt__binary(const struct clopt *ctx, cl_program program, char **binary, size_t *size)
{
	cl_uint count = 0, i, mine = 0;
	cl_device_id *ids = NULL;
	size_t *sizes = NULL;
	char **all = NULL;
	cl_int code;

	*binary = NULL;
	*size = 0;
	code = clGetProgramInfo(program, CL_PROGRAM_NUM_DEVICES, sizeof count, &count, NULL);
	if (code != CL_SUCCESS)
		return code;
	ids = calloc(count, sizeof *ids);
	sizes = calloc(count, sizeof *sizes);
	all = calloc(count, sizeof *all); /* NULL: not this one's */
	code = CL_OUT_OF_HOST_MEMORY;
	if (!ids || !sizes || !all)
		goto out;
	code = clGetProgramInfo(program, CL_PROGRAM_DEVICES, count * sizeof *ids, ids, NULL);
	for (i = 0; i < count; i++)
		mine = ids[i] == ctx->device.id ? i : mine;
	if (code == CL_SUCCESS)
		code = clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, count * sizeof *sizes,
		                        sizes, NULL);
	if (code != CL_SUCCESS)
		goto out;
	all[mine] = malloc(sizes[mine] + 1);
	code = all[mine] ? clGetProgramInfo(program, CL_PROGRAM_BINARIES, count * sizeof *all, all,
	                                    NULL) :
	                   CL_OUT_OF_HOST_MEMORY;
	if (code == CL_SUCCESS) {
		*binary = all[mine];
		*size = sizes[mine];
	} else {
		free(all[mine]);
	}
out:
	free(ids);
	free(sizes);
	free(all);
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
	size_t size;
	int kept;

	if (clopt__binary(ctx, program, &binary, &size) != CL_SUCCESS)
		return 0;
	/* Some drivers have none to give. */
	kept = size && clopt__store_put(&ctx->store, kind, key, binary, size);
	free(binary);
	return kept;
}
