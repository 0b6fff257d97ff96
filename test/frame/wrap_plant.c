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
#include <time.h>

#include "base/context.h"
#include "host/host.h"
#include "kernel/kernel.h"
#include "wrap_internal.h"

#define MOST 64

static const char *right_file;
static cl_uint lost_index;
static unsigned long long lost_over;
static long lost_times; /* below 0: always */
static cl_kernel right_kernel[MOST]; /* that live; NULL: a free place */
static cl_context lost_in; /* NULL: in all */
static int lost_first; /* launches elsewhere wait for one of those in it; atomic */
static __thread int in_trial;

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

void wrap_lose_first(void)
{
	__atomic_store_n(&lost_first, 1, __ATOMIC_SEQ_CST);
}

void wrap_plant_trial(int begins)
{
	in_trial = begins;
}

static unsigned host_wrong;

void wrap_host_wrong(unsigned n)
{
	host_wrong = n;
}

void __real_clopt__host_transpose(const struct host_transpose *t);
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
enum host_vectors __wrap_clopt__host_vectors(void)
{
	const enum host_vectors has = __real_clopt__host_vectors();

	return has < most_vectors ? has : (enum host_vectors)most_vectors;
}

static double unit_seconds;

void wrap_pace(double seconds)
{
	unit_seconds = seconds;
}

struct throughput *__real_clopt__throughput(struct clopt *ctx, cl_kernel kernel);
struct throughput *__wrap_clopt__throughput(struct clopt *ctx, cl_kernel kernel)
{
	struct throughput *known = __real_clopt__throughput(ctx, kernel);

	if (known && unit_seconds > 0)
		known->seconds = unit_seconds;
	return known;
}

cl_int __real_clGetProgramInfo(cl_program p, cl_program_info w, size_t n, void *v, size_t *r);
cl_int __real_clGetProgramBuildInfo(cl_program p, cl_device_id d, cl_program_build_info w, size_t n,
                                    void *v, size_t *r);

/* The program's own source: what was built once for several has none where it is a binary. */
static int has_right_file(cl_program p)
{
	static const char begin[] = "#line 1 \"cl/";
	char name[128], *source, *at;
	size_t n = 0;
	int found = 0;

	__real_clGetProgramInfo(p, CL_PROGRAM_SOURCE, 0, NULL, &n);
	if (!(source = __real_calloc(1, n + 1)))
		abort();
	__real_clGetProgramInfo(p, CL_PROGRAM_SOURCE, n, source, NULL);
	for (at = source; !found && (at = strstr(at, begin)) != NULL; at += sizeof begin - 1)
		found = sscanf(at + sizeof begin - 1, "%127[^\"]", name) == 1 &&
		        strstr(right_file, name);
	free(source);
	return found;
}

static int has_one_lane(cl_program built)
{
	char options[4096] = "";
	const char *lanes;
	cl_device_id d;

	__real_clGetProgramInfo(built, CL_PROGRAM_DEVICES, sizeof d, &d, NULL);
	__real_clGetProgramBuildInfo(built, d, CL_PROGRAM_BUILD_OPTIONS, sizeof options, options,
	                             NULL);
	lanes = strstr(options, "-DLANES=");
	return !lanes || atoi(lanes + strlen("-DLANES=")) == 1;
}

void wrap_plant_forget(void *kernel)
{
	unsigned i;

	wrap_lock();
	for (i = 0; i < MOST; i++)
		if (right_kernel[i] == kernel)
			right_kernel[i] = NULL;
	wrap_unlock();
}

static void note(cl_kernel right)
{
	unsigned i;

	wrap_lock();
	for (i = 0; i < MOST && right_kernel[i]; i++)
		;
	if (i == MOST)
		abort();
	right_kernel[i] = right;
	wrap_unlock();
}

cl_kernel __real_clCreateKernel(cl_program p, const char *name, cl_int *code);
cl_kernel __wrap_clCreateKernel(cl_program p, const char *name, cl_int *code)
{
	const cl_program built = wrap_built(p);
	cl_kernel made;

	if (wrap_fault(code))
		return (cl_kernel)&lost_in; /* an invalid handle, as some drivers leave */
	made = __real_clCreateKernel(built, name, code);
	if (*code != CL_SUCCESS)
		return made;
	wrap_count(WRAP_KERNEL, 1);
	if (right_file && has_right_file(p) && has_one_lane(built))
		note(made);
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

static void wait_for_first(void)
{
	const struct timespec ms = { 0, 1000000 };
	int i;

	for (i = 0; i < 1000 && __atomic_load_n(&lost_first, __ATOMIC_SEQ_CST); i++)
		nanosleep(&ms, NULL);
	__atomic_store_n(&lost_first, 0, __ATOMIC_SEQ_CST);
}

/* An argument of so much is no size, but the handle of an array. */
#define HANDLE (1ull << 40)

const void *wrap_plant_size(void *kernel, unsigned index, const void *size,
                            unsigned long long *lost)
{
	if (!size || index != lost_index)
		return size;
	if (is_right(kernel)) {
		if (lost_in)
			wait_for_first();
		return size;
	}
	memcpy(lost, size, sizeof *lost);
	if ((lost_over == WRAP_IN_CALLS ? !in_trial : *lost > lost_over) && *lost < HANDLE &&
	    lost_times) {
		--*lost;
		lost_times -= lost_times > 0;
		__atomic_store_n(&lost_first, 0, __ATOMIC_SEQ_CST);
	}
	return lost;
}
