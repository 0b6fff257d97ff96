/* SPDX-License-Identifier: MIT */
/*
 * wrap_device.c - device queries, whose answers tests may replace.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <string.h>

#include "wrap_internal.h"

#define AMD_WAVEFRONT_WIDTH 0x4043
#define NV_CAPABILITY_MAJOR 0x4000
#define NV_CAPABILITY_MINOR 0x4001
#define NV_WARP_SIZE 0x4003
#define NV_ASYNC_ENGINE_COUNT 0x4007

/* ---- Devices ------------------------------------------------------------------ */

static int discrete, single, roomy, no_units, strangers;
static size_t most_group;
static const struct wrap_gpu *pretended;
const struct wrap_gpu wrap_nvidia = { "GPU", "NVIDIA Corporation", 1, 32, 1024, 1, 48 << 10, 80,
	                              NULL };

static const char *pci_devices;
static int moved;

void wrap_pci(const char *devices)
{
	pci_devices = devices;
}

int wrap_moved(void)
{
	return __atomic_exchange_n(&moved, 0, __ATOMIC_SEQ_CST);
}

int __real_clopt__move_near(const char *devices, const char *pci);
int __wrap_clopt__move_near(const char *devices, const char *pci)
{
	const int moves = __real_clopt__move_near(pci_devices ? pci_devices : devices, pci);

	__atomic_add_fetch(&moved, moves, __ATOMIC_SEQ_CST);
	return moves;
}

void wrap_discrete(int yes)
{
	discrete = yes;
}

void wrap_strangers(int yes)
{
	strangers = yes;
}

void wrap_no_units(int yes)
{
	no_units = yes;
}

void wrap_device_groups(size_t most)
{
	most_group = most;
}

void wrap_single(int yes)
{
	single = yes;
}

void wrap_roomy(int yes)
{
	roomy = yes;
}

void wrap_pretend(const struct wrap_gpu *gpu)
{
	pretended = gpu;
}

/* Answers a query as a driver does: its size, and the value if there is room. */
static cl_int answer(const void *from, size_t size, size_t n, void *v, size_t *r)
{
	if (v && n < size)
		return CL_INVALID_VALUE;
	if (v)
		memcpy(v, from, size);
	if (r)
		*r = size;
	return CL_SUCCESS;
}

static cl_int answer_number(cl_uint x, size_t n, void *v, size_t *r)
{
	return answer(&x, sizeof x, n, v, r);
}

static cl_int answer_extent(size_t x, size_t n, void *v, size_t *r)
{
	return answer(&x, sizeof x, n, v, r);
}

/* Sizes in bytes, and bit fields. */
static cl_int answer_long(cl_ulong x, size_t n, void *v, size_t *r)
{
	return answer(&x, sizeof x, n, v, r);
}

static cl_int answer_text(const char *x, size_t n, void *v, size_t *r)
{
	return answer(x, strlen(x) + 1, n, v, r);
}

/* The pretended GPU's answer; `otherwise` is the answer to other queries. */
static cl_int pretend(const struct wrap_gpu *gpu, cl_device_info w, size_t n, void *v, size_t *r,
                      int *otherwise)
{
	*otherwise = 0;
	switch (w) {
	case CL_DEVICE_TYPE:
		return answer_long(CL_DEVICE_TYPE_GPU, n, v, r);
	case CL_DEVICE_NAME:
		return answer_text(gpu->name, n, v, r);
	case CL_DEVICE_VENDOR:
		return answer_text(gpu->vendor, n, v, r);
	case CL_DEVICE_EXTENSIONS:
		return answer_text(gpu->capability ?
		                           "cl_khr_fp64 cl_nv_device_attribute_query" :
		                           "cl_khr_fp64 cl_khr_fp16 cl_amd_device_attribute_query",
		                   n, v, r);
	case CL_DRIVER_VERSION:
		if (gpu->driver)
			return answer_text(gpu->driver, n, v, r);
		break;
	case CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT:
		return answer_number(gpu->vector_width, n, v, r);
	case AMD_WAVEFRONT_WIDTH:
	case NV_WARP_SIZE:
		return answer_number(gpu->wave, n, v, r);
	case NV_CAPABILITY_MAJOR:
		return answer_number(gpu->capability / 10, n, v, r);
	case NV_CAPABILITY_MINOR:
		return answer_number(gpu->capability % 10, n, v, r);
	case NV_ASYNC_ENGINE_COUNT:
		return answer_number(2, n, v, r);
	case CL_DEVICE_MAX_COMPUTE_UNITS: /* so few that the tests' shapes count as large */
		return answer_number(1, n, v, r);
	case CL_DEVICE_MAX_WORK_GROUP_SIZE:
		return answer_extent(gpu->max_group, n, v, r);
	case CL_DEVICE_LOCAL_MEM_SIZE:
		return answer_long(gpu->local_bytes, n, v, r);
	case CL_DEVICE_LOCAL_MEM_TYPE:
		return answer_number(CL_LOCAL, n, v, r);
	case CL_DEVICE_HOST_UNIFIED_MEMORY:
		return answer_number(CL_FALSE, n, v, r);
	case CL_DEVICE_IMAGE_SUPPORT:
		return answer_number(gpu->images, n, v, r);
	}
	*otherwise = 1;
	return CL_SUCCESS;
}

cl_int __real_clGetDeviceInfo(cl_device_id d, cl_device_info w, size_t n, void *v, size_t *r);
cl_int __wrap_clGetDeviceInfo(cl_device_id d, cl_device_info w, size_t n, void *v, size_t *r)
{
	int otherwise = 1;
	cl_int code;

	if (wrap_fault(&code))
		return code;
	if (pretended)
		code = pretend(pretended, w, n, v, r, &otherwise);
	if (otherwise)
		code = __real_clGetDeviceInfo(d, w, n, v, r);
	if (code == CL_SUCCESS && discrete && w == CL_DEVICE_HOST_UNIFIED_MEMORY && v)
		*(cl_bool *)v = CL_FALSE;
	if (code == CL_SUCCESS && no_units && w == CL_DEVICE_MAX_COMPUTE_UNITS && v)
		*(cl_uint *)v = 0;
	if (code == CL_SUCCESS && roomy && v &&
	    (w == CL_DEVICE_MAX_MEM_ALLOC_SIZE || w == CL_DEVICE_GLOBAL_MEM_SIZE))
		*(cl_ulong *)v = (cl_ulong)1 << 46;
	if (code == CL_SUCCESS && most_group && w == CL_DEVICE_MAX_WORK_GROUP_SIZE && v)
		*(size_t *)v = most_group;
	if (code == CL_SUCCESS && single && w == CL_DEVICE_DOUBLE_FP_CONFIG && v)
		memset(v, 0, n);
	return code;
}

cl_int __real_clGetContextInfo(cl_context c, cl_context_info w, size_t n, void *v, size_t *r);
cl_int __wrap_clGetContextInfo(cl_context c, cl_context_info w, size_t n, void *v, size_t *r)
{
	cl_int code;

	if (wrap_fault(&code))
		return code;
	code = __real_clGetContextInfo(c, w, n, v, r);
	if (code == CL_SUCCESS && strangers && w == CL_CONTEXT_DEVICES && v)
		memset(v, 0, n);
	return code;
}
