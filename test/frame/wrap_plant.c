/* SPDX-License-Identifier: MIT */
/*
 * wrap_plant.c - kernels that leave out the last column, or target: the effect of an error of a
 * driver or compiler.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "host/host.h"
#include "wrap_internal.h"

#define MOST 64

static const char *right_file;
static cl_uint lost_index;
static unsigned long long lost_over;
static long lost_times; /* below 0: always */
static void *right_program[MOST], *right_kernel[MOST];
static unsigned programs, kernels;
static cl_context lost_in; /* NULL: in all */

void wrap_lose(const char *right, unsigned index, unsigned long long over)
{
	right_file = right;
	lost_index = index;
	lost_over = over;
	lost_times = -1;
}

void wrap_lose_in(const struct clopt *ctx)
{
	lost_in = ctx ? ctx->context : NULL;
}

void wrap_lose_times(long n)
{
	lost_times = n;
}

static unsigned host_wrong;

void wrap_host_wrong(unsigned n)
{
	host_wrong = n;
}

void __real_clopt__host_transpose(const struct host_transpose *t);
void __wrap_clopt__host_transpose(const struct host_transpose *t);
void __wrap_clopt__host_transpose(const struct host_transpose *t)
{
	__real_clopt__host_transpose(t);
	if (host_wrong) {
		host_wrong--;
		memset(t->out, 0x55, t->elem_bytes);
	}
}

static unsigned most_vectors = HOST_AVX512;

void wrap_host_vectors(unsigned most)
{
	most_vectors = most;
}

enum host_vectors __real_clopt__host_vectors(void);
enum host_vectors __wrap_clopt__host_vectors(void);
enum host_vectors __wrap_clopt__host_vectors(void)
{
	const enum host_vectors has = __real_clopt__host_vectors();

	return has < most_vectors ? has : (enum host_vectors)most_vectors;
}

/* Whether a line is the first of a right file. */
static int begins_right(const char *line)
{
	char name[128];

	return sscanf(line, "#line 1 \"cl/%127[^\"]", name) == 1 && strstr(right_file, name);
}

/* Its address may be that of a released object. */
static void forget(void **list, void *address)
{
	unsigned i;

	for (i = 0; i < MOST; i++)
		if (list[i] == address)
			list[i] = NULL;
}

void wrap_plant_in(void *program, unsigned n, const char *const *lines)
{
	unsigned i;

	forget(right_program, program);
	for (i = 0; right_file && i < n; i++)
		if (begins_right(lines[i]))
			right_program[programs++ % MOST] = program;
}

void wrap_plant_built(void *program, const char *options)
{
	const char *lanes = strstr(options, "-DLANES=");

	if (lanes && atoi(lanes + strlen("-DLANES=")) != 1)
		forget(right_program, program);
}

cl_kernel __real_clCreateKernel(cl_program p, const char *name, cl_int *code);
cl_kernel __wrap_clCreateKernel(cl_program p, const char *name, cl_int *code);
cl_kernel __wrap_clCreateKernel(cl_program p, const char *name, cl_int *code)
{
	cl_kernel made;
	unsigned i;

	if (wrap_fault(code))
		return (cl_kernel)&programs; /* an invalid handle, as some drivers leave */
	made = __real_clCreateKernel(wrap_built(p), name, code);
	if (*code == CL_SUCCESS)
		wrap_count(WRAP_KERNEL, 1);
	forget(right_kernel, made);
	for (i = 0; *code == CL_SUCCESS && i < MOST; i++)
		if (right_program[i] == p)
			right_kernel[kernels++ % MOST] = made;
	return made;
}

cl_int __real_clGetKernelInfo(cl_kernel k, cl_kernel_info w, size_t n, void *v, size_t *r);
static int is_right(cl_kernel k)
{
	cl_context in = NULL;
	unsigned i;

	for (i = 0; right_file && i < MOST; i++)
		if (right_kernel[i] == k)
			return 1;
	if (lost_in)
		__real_clGetKernelInfo(k, CL_KERNEL_CONTEXT, sizeof in, &in, NULL);
	return !right_file || in != lost_in;
}

/* An argument of so much is no size, but the handle of an array. */
#define HANDLE (1ull << 40)

const void *wrap_plant_size(void *kernel, unsigned index, const void *size,
                            unsigned long long *lost)
{
	if (!size || index != lost_index || is_right(kernel))
		return size;
	memcpy(lost, size, sizeof *lost);
	if (*lost > lost_over && *lost < HANDLE && lost_times) {
		--*lost;
		lost_times -= lost_times > 0;
	}
	return lost;
}
