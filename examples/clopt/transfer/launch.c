/* SPDX-License-Identifier: MIT */
/*
 * launch.c - the copy kernels of NVIDIA's OpenCL Best Practices Guide
 * (2011), section 3.2.1, built and launched by OpenCL itself: the library runs
 * kernels of others over host arrays, and these want to lie on the device.
 */
#include <string.h>

#include "transfer.h"

enum {
	GROUP = 256,
	PERIOD = 16777213 /* the largest prime that a float can count to */
};

static const char source[] =
        "__kernel void fill(__global float *out, __global float *in, int period)\n"
        "{\n"
        "	in[get_global_id(0)] = (float)(int)(get_global_id(0) % period);\n"
        "}\n"
        "\n"
        "__kernel void offset_copy(__global float *out, __global float *in,\n"
        "                          int offset)\n"
        "{\n"
        "	int i = get_global_id(0) + offset;\n"
        "	out[i] = in[i];\n"
        "}\n"
        "\n"
        "__kernel void stride_copy(__global float *out, __global float *in,\n"
        "                          int stride)\n"
        "{\n"
        "	int i = get_global_id(0) * stride;\n"
        "	out[i] = in[i];\n"
        "}\n";

static const char *const names[] = { [TRANSFER_FILL] = "fill",
	                             [TRANSFER_OFFSET_COPY] = "offset_copy",
	                             [TRANSFER_STRIDE_COPY] = "stride_copy" };

float transfer_filled(size_t i)
{
	return (float)(i % PERIOD);
}

static int fail_cl(const char *call, cl_int code)
{
	fflush(stdout);
	fprintf(stderr, "clopt: copy kernels: %s: OpenCL error %d\n", call, (int)code);
	return 1;
}

static int build(struct transfer_launcher *l)
{
	const char *text = source;
	const cl_device_id device = clopt_cl_device(l->ctx);
	char log[4096] = "";
	cl_int code;
	int i;

	l->program = clCreateProgramWithSource(clopt_cl_context(l->ctx), 1, &text, NULL, &code);
	if (code != CL_SUCCESS) {
		l->program = NULL;
		return fail_cl("clCreateProgramWithSource", code);
	}
	code = clBuildProgram(l->program, 1, &device, "", NULL, NULL);
	if (code != CL_SUCCESS) {
		clGetProgramBuildInfo(l->program, device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log,
		                      NULL);
		fprintf(stderr, "%s\n", log);
		return fail_cl("clBuildProgram", code);
	}
	for (i = 0; i < TRANSFER_KERNELS; i++) {
		l->kernel[i] = clCreateKernel(l->program, names[i], &code);
		if (code != CL_SUCCESS) {
			l->kernel[i] = NULL;
			return fail_cl("clCreateKernel", code);
		}
	}
	return 0;
}

int transfer_launcher_open(struct transfer_launcher *l, const struct tool_args *args,
                           struct clopt_device_info *info)
{
	int rc;

	memset(l, 0, sizeof *l);
	rc = tool_open(args, 1, 0, &l->ctx, info);
	if (rc)
		goto out;
	l->group = info->max_group < GROUP ? info->max_group : GROUP;
	if (clopt_queue_new(l->ctx, &l->queue) != CLOPT_OK)
		rc = tool_fail(l->ctx, "queue");
	else
		rc = build(l);
out:
	return rc;
}

void transfer_launcher_close(struct transfer_launcher *l)
{
	int i;

	for (i = 0; i < TRANSFER_KERNELS; i++)
		if (l->kernel[i])
			clReleaseKernel(l->kernel[i]);
	if (l->program)
		clReleaseProgram(l->program);
	clopt_buffer_free(l->in);
	clopt_buffer_free(l->out);
	clopt_queue_free(l->queue);
	clopt_close(l->ctx);
	memset(l, 0, sizeof *l);
}

double transfer_event_seconds(struct transfer_launcher *l, struct clopt_event *event,
                              struct transfer_cell *cell)
{
	double seconds = 0.0;

	if (clopt_event_seconds(event, &seconds) != CLOPT_OK)
		tool_failed(&cell->s, clopt_error(l->ctx));
	clopt_event_free(event);
	return seconds;
}

double transfer_launch(struct transfer_launcher *l, enum transfer_kernel which, size_t items,
                       size_t step, struct transfer_cell *cell)
{
	const cl_mem out = clopt_buffer_cl(l->out), in = clopt_buffer_cl(l->in);
	const cl_int number = which == TRANSFER_FILL ? PERIOD : (cl_int)step;
	const cl_kernel k = l->kernel[which];
	struct clopt_event *event;
	cl_event theirs;
	cl_int code = CL_SUCCESS;
	char why[64];
	int rc;

	code |= clSetKernelArg(k, 0, sizeof out, &out);
	code |= clSetKernelArg(k, 1, sizeof in, &in);
	code |= clSetKernelArg(k, 2, sizeof number, &number);
	if (code == CL_SUCCESS)
		code = clEnqueueNDRangeKernel(clopt_queue_cl(l->queue), k, 1, NULL, &items,
		                              &l->group, 0, NULL, &theirs);
	if (code != CL_SUCCESS) {
		snprintf(why, sizeof why, "launch of %s: OpenCL error %d", names[which], (int)code);
		tool_failed(&cell->s, why);
		return 0.0;
	}
	rc = clopt_event_from_cl(l->ctx, theirs, &event);
	clReleaseEvent(theirs);
	if (rc == CLOPT_OK)
		return transfer_event_seconds(l, event, cell);
	tool_failed(&cell->s, clopt_error(l->ctx));
	return 0.0;
}
