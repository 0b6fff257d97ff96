/* SPDX-License-Identifier: MIT */
/*
 * mask.c - what the layer hides: the device says that it lacks it, and calls that use it all the
 * same fail.
 */
#include "internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The tests' fences lie behind their buffers. */
#define FENCE 4096

struct layer_mask layer_masked;

/* Answers are cut to `most`, whatever the width of the number. */
static void cut(void *v, size_t n, size_t most)
{
	if (n == sizeof(cl_uint) && *(cl_uint *)v > most)
		*(cl_uint *)v = (cl_uint)most;
	else if (n == sizeof(cl_ulong) && *(cl_ulong *)v > most)
		*(cl_ulong *)v = most;
}

static void without(char *words, const char *word)
{
	char *at;

	while ((at = strstr(words, word)) != NULL)
		memset(at, ' ', strlen(word));
}

cl_int layer_device_info(cl_device_id d, cl_device_info w, size_t n, void *v, size_t *r)
{
	const struct layer_mask m = layer_masked;
	size_t bytes = 0;
	const cl_int code = layer_next.clGetDeviceInfo(d, w, n, v, &bytes);

	if (r)
		*r = bytes;
	if (code != CL_SUCCESS || !v)
		return code;
	switch (w) {
	case CL_DEVICE_IMAGE_SUPPORT:
	case CL_DEVICE_IMAGE2D_MAX_WIDTH:
	case CL_DEVICE_IMAGE2D_MAX_HEIGHT:
	case CL_DEVICE_IMAGE_MAX_BUFFER_SIZE:
		cut(v, bytes, m.no_images ? 0 : SIZE_MAX);
		break;
	case CL_DEVICE_DOUBLE_FP_CONFIG:
	case CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE:
	case CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE:
		cut(v, bytes, m.no_fp64 ? 0 : SIZE_MAX);
		break;
	case CL_DEVICE_HOST_UNIFIED_MEMORY:
		cut(v, bytes, m.discrete ? CL_FALSE : SIZE_MAX);
		break;
	case CL_DEVICE_EXTENSIONS:
		if (m.no_fp64)
			without(v, "cl_khr_fp64");
		break;
	case CL_DEVICE_QUEUE_PROPERTIES:
		if (m.in_order)
			*(cl_command_queue_properties *)v &= ~(
			        cl_command_queue_properties)CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
		break;
	case CL_DEVICE_MAX_WORK_GROUP_SIZE:
		cut(v, bytes, m.group ? m.group : SIZE_MAX);
		break;
	case CL_DEVICE_MAX_WORK_ITEM_SIZES:
		for (n = 0; m.group && n < bytes / sizeof(size_t); n++)
			cut((size_t *)v + n, sizeof(size_t), m.group);
		break;
	case CL_DEVICE_LOCAL_MEM_SIZE:
		cut(v, bytes, m.local_bytes ? m.local_bytes : SIZE_MAX);
		break;
	case CL_DEVICE_MAX_MEM_ALLOC_SIZE:
		cut(v, bytes, m.buffer_bytes ? m.buffer_bytes : SIZE_MAX);
		break;
	}
	return code;
}

cl_int layer_group_info(cl_kernel k, cl_device_id d, cl_kernel_work_group_info w, size_t n, void *v,
                        size_t *r)
{
	const cl_int code = layer_next.clGetKernelWorkGroupInfo(k, d, w, n, v, r);

	if (code == CL_SUCCESS && v && w == CL_KERNEL_WORK_GROUP_SIZE && layer_masked.group)
		cut(v, sizeof(size_t), layer_masked.group);
	return code;
}

cl_command_queue layer_new_queue(cl_context c, cl_device_id d, cl_command_queue_properties p,
                                 cl_int *code)
{
	if (layer_masked.in_order && (p & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)) {
		*code = CL_INVALID_QUEUE_PROPERTIES;
		return NULL;
	}
	return layer_next.clCreateCommandQueue(c, d, p, code);
}

cl_mem layer_new_buffer(cl_context c, cl_mem_flags f, size_t n, void *p, cl_int *code)
{
	if (layer_masked.buffer_bytes && n > layer_masked.buffer_bytes + FENCE) {
		*code = CL_INVALID_BUFFER_SIZE;
		return NULL;
	}
	return layer_next.clCreateBuffer(c, f, n, p, code);
}

cl_mem layer_new_image(cl_context c, cl_mem_flags f, const cl_image_format *i,
                       const cl_image_desc *d, void *p, cl_int *code)
{
	if (layer_masked.no_images) {
		*code = CL_INVALID_OPERATION;
		return NULL;
	}
	return layer_next.clCreateImage(c, f, i, d, p, code);
}

/* Words that the device does not know, as macros that no source has a meaning for. */
cl_program layer_new_program(cl_context c, cl_uint n, const char **s, const size_t *l, cl_int *code)
{
	static const char doubles[] = "#define double no_double\n#define double2 no_double\n"
	                              "#define double4 no_double\n#define double8 no_double\n"
	                              "#define double16 no_double\n#undef cl_khr_fp64\n",
	                  images[] = "#define image2d_t no_image\n";
	const char **lines = malloc(((size_t)n + 2) * sizeof *lines);
	size_t *lengths = calloc((size_t)n + 2, sizeof *lengths);
	cl_program made = NULL;

	*code = CL_OUT_OF_HOST_MEMORY;
	if (lines && lengths) {
		lines[0] = layer_masked.no_fp64 ? doubles : "";
		lines[1] = layer_masked.no_images ? images : "";
		memcpy(lines + 2, s, n * sizeof *lines);
		if (l)
			memcpy(lengths + 2, l, n * sizeof *lengths);
		made = layer_next.clCreateProgramWithSource(c, n + 2, lines, lengths, code);
	}
	free(lines);
	free(lengths);
	return made;
}

cl_int layer_may_launch(cl_command_queue q, cl_kernel k, cl_uint d, const size_t *l)
{
	const struct layer_mask m = layer_masked;
	cl_device_id device;
	cl_ulong local = 0;
	size_t group = 1;
	cl_uint i;

	for (i = 0; l && i < d; i++)
		group *= l[i];
	if (m.group && group > m.group)
		return CL_INVALID_WORK_GROUP_SIZE;
	if (m.local_bytes &&
	    layer_next.clGetCommandQueueInfo(q, CL_QUEUE_DEVICE, sizeof device, &device, NULL) ==
	            CL_SUCCESS &&
	    layer_next.clGetKernelWorkGroupInfo(k, device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof local,
	                                        &local, NULL) == CL_SUCCESS &&
	    local > m.local_bytes)
		return CL_OUT_OF_RESOURCES;
	return CL_SUCCESS;
}
