/* SPDX-License-Identifier: MIT */
/*
 * binary_cache.c - compiled programs in the store.
 *
 * The cache key names all that a compiled program depends on.  Nothing here fails: a miss is
 * compiled, and a program that is not kept is compiled again next time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

static const char kind[] = "program";

/* The version of the platform: a driver may get a new compiler without a new version, and platforms
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
	char version[512], digits[HASH_TEXT_SIZE], *key = NULL;
	size_t i, room = 0;
	int n, pass;

	if (!ctx->store.folder || !platform_version(ctx, version, sizeof version))
		return NULL;
	for (i = 0; i < t->count; i++)
		clopt__hash_add(&source, t->lines[i], strlen(t->lines[i]));
	clopt__hash_text(&source, digits);
	/* CPUs of one name may differ in traits. */
	for (pass = 0; pass < 2; pass++) {
		n = snprintf(key, room,
		             "%s on %s\n%s, driver %s, %s\n%s, %s\n%s\n"
		             "libclopt %s of %s, %s %d\nkernel %s of source %s\n%s\n",
		             t->what, d->name, d->vendor, d->driver, d->version, d->platform,
		             version, d->traits, clopt_version(), clopt__digest,
		             t->retarget ? "retargeted for" : "as built,", t->retarget, t->name,
		             digits, t->options);
		room = (size_t)n + 1;
		if (n < 0 || (!pass && !(key = malloc(room))))
			break;
	}
	return key;
}

/* The binaries of a program, one for each of its devices. */
struct binaries {
	cl_uint count;
	cl_device_id *device;
	size_t *size, sizes_bytes; /* sizes_bytes: bytes of sizes from the driver */
	char **binary;
};

static void close_binaries(struct binaries *b)
{
	cl_uint i;

	for (i = 0; b->binary && i < b->count; i++)
		free(b->binary[i]);
	free(b->binary);
	free(b->size);
	free(b->device);
}

/* All binaries: OpenCL allows to leave out some, but PoCL 3.1 then crashes. */
static cl_int open_binaries(cl_program program, struct binaries *b)
{
	cl_int code;
	cl_uint i;

	code = clGetProgramInfo(program, CL_PROGRAM_NUM_DEVICES, sizeof b->count, &b->count, NULL);
	if (code != CL_SUCCESS)
		return code;
	b->device = calloc(b->count, sizeof *b->device);
	b->size = calloc(b->count, sizeof *b->size);
	b->binary = calloc(b->count, sizeof *b->binary);
	if (!b->device || !b->size || !b->binary)
		return CL_OUT_OF_HOST_MEMORY;
	code = clGetProgramInfo(program, CL_PROGRAM_DEVICES, b->count * sizeof *b->device,
	                        b->device, NULL);
	if (code == CL_SUCCESS)
		code = clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES,
		                        b->count * sizeof *b->size, b->size, &b->sizes_bytes);
	for (i = 0; code == CL_SUCCESS && i < b->count; i++)
		if (!(b->binary[i] = malloc(b->size[i] + 1)))
			code = CL_OUT_OF_HOST_MEMORY;
	if (code == CL_SUCCESS)
		code = clGetProgramInfo(program, CL_PROGRAM_BINARIES, b->count * sizeof *b->binary,
		                        b->binary, NULL);
	return code;
}

cl_int clopt__binary(const struct clopt *ctx, cl_program program, char **binary, size_t *size)
{
	struct binaries b = { 0, NULL, NULL, 0, NULL };
	const cl_int code = open_binaries(program, &b);
	/* PoCL 3.1 gives only the binaries that it has built; the library has it build one. */
	const int one = b.sizes_bytes == sizeof *b.size;
	cl_uint i;

	*binary = NULL;
	*size = 0;
	for (i = 0; code == CL_SUCCESS && i < b.count; i++)
		if (one || b.device[i] == ctx->device.id) {
			*binary = b.binary[i];
			*size = b.size[i];
			(*binary)[*size] = '\0'; /* the binary may be text */
			b.binary[i] = NULL;
			break;
		}
	close_binaries(&b);
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
	/* Some drivers give no binary. */
	kept = binary && size && clopt__store_put(&ctx->store, kind, key, binary, size);
	free(binary);
	return kept;
}
