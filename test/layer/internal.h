/* SPDX-License-Identifier: MIT */
/*
 * internal.h - between the files of the layer.
 */
#ifndef LAYER_INTERNAL_H
#define LAYER_INTERNAL_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS /* clCreateCommandQueue */
#include <CL/cl_icd.h>

/* The functions of the next layer, or of the drivers. */
extern cl_icd_dispatch layer_next;

/* What devices seem to be; 0: as they are. */
struct layer_mask {
	int no_images, no_fp64, in_order, discrete;
	size_t group, local_bytes, buffer_bytes;
};
extern struct layer_mask layer_masked;

cl_int layer_device_info(cl_device_id d, cl_device_info w, size_t n, void *v, size_t *r);
cl_int layer_group_info(cl_kernel k, cl_device_id d, cl_kernel_work_group_info w, size_t n, void *v,
                        size_t *r);
cl_command_queue layer_new_queue(cl_context c, cl_device_id d, cl_command_queue_properties p,
                                 cl_int *code);
cl_mem layer_new_buffer(cl_context c, cl_mem_flags f, size_t n, void *p, cl_int *code);
cl_mem layer_new_image(cl_context c, cl_mem_flags f, const cl_image_format *i,
                       const cl_image_desc *d, void *p, cl_int *code);
cl_program layer_new_program(cl_context c, cl_uint n, const char **s, const size_t *l,
                             cl_int *code);
cl_int layer_may_launch(cl_command_queue q, cl_kernel k, cl_uint d, const size_t *l);

#endif
