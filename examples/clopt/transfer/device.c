/* SPDX-License-Identifier: MIT */
/*
 * device.c - the device's own memory: the bandwidth of a copy of consecutive
 * elements, and the rest of it with offsets and strides.
 *
 * Kernels with a stride go over the same arrays as those without, and so copy the
 * fewer elements the longer it is.  With the same number of elements, short strides
 * would stay in a cache that long ones do not fit.
 *
 * Source: NVIDIA, OpenCL Best Practices Guide (2011), sections 2.2.2, 3.2.1.3 and
 * 3.2.1.4 (figures 3.7 and 3.9).
 */
#include <stdlib.h>

#include "clopt_cl.h"
#include "transfer.h"

#define MIB ((size_t)1024 * 1024)

enum {
	WINDOW = 1 << 20, /* elements that are looked at in one piece */
	GROUP = 256,
	PERIOD = 16777213, /* the largest prime that a float can count to */
	STEP_SHARE = 4 /* there are so many steps that each gets this part of the time */
};

/* The cells in their order. */
enum {
	ALONG_BY_KERNEL,
	ALONG_BY_COMMAND,
	OFFSETS,
	STRIDES = OFFSETS + TRANSFER_STEPS + 1, /* from 0 and ... */
	CELLS = STRIDES + TRANSFER_STEPS /* ... from 1 */
};

enum kernel {
	OFFSET_COPY,
	STRIDE_COPY,
	KERNELS
};

static const char *const names[] = { "offset_copy", "stride_copy" };

static const char source[] = "__kernel void offset_copy(__global float *out, __global float *in,\n"
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

/* Kernels of our own on the library's buffers, by way of clopt_cl.h. */
struct job {
	struct clopt *ctx; /* times its commands */
	struct clopt_queue *queue;
	struct clopt_buffer *in, *out;
	size_t group; /* work-items in one */
	size_t items; /* that are copied where there is no stride */
	float *window;
	cl_program program;
	cl_kernel kernel[KERNELS];
};

/* The copy of a cell. */
struct copy {
	int command; /* the library's own; else the kernel */
	enum kernel kernel;
	size_t items, first, stride;
};

static size_t whole_groups(const struct job *j, size_t items)
{
	return items / j->group * j->group;
}

static struct copy copy_of(const struct job *j, size_t i)
{
	struct copy c = { 0, OFFSET_COPY, j->items, 0, 1 };

	if (i >= STRIDES) {
		c.kernel = STRIDE_COPY;
		c.stride = i - STRIDES + 1;
		c.items = whole_groups(j, j->items / c.stride);
	} else if (i >= OFFSETS) {
		c.first = i - OFFSETS;
	}
	c.command = i == ALONG_BY_COMMAND;
	return c;
}

/* Queues the kernel; NULL and a verdict after a failure. */
static struct clopt_event *launch(const struct job *j, const struct copy *c, struct tool_sample *s)
{
	const cl_mem out = clopt_buffer_cl(j->out), in = clopt_buffer_cl(j->in);
	const cl_int step = (cl_int)(c->kernel == OFFSET_COPY ? c->first : c->stride);
	const cl_kernel k = j->kernel[c->kernel];
	struct clopt_event *event = NULL;
	cl_event theirs;
	cl_int code = CL_SUCCESS;
	char why[64];

	code |= clSetKernelArg(k, 0, sizeof out, &out);
	code |= clSetKernelArg(k, 1, sizeof in, &in);
	code |= clSetKernelArg(k, 2, sizeof step, &step);
	if (code == CL_SUCCESS)
		code = clEnqueueNDRangeKernel(clopt_queue_cl(j->queue), k, 1, NULL, &c->items,
		                              &j->group, 0, NULL, &theirs);
	if (code != CL_SUCCESS) {
		snprintf(why, sizeof why, "launch of %s: OpenCL error %d", names[c->kernel],
		         (int)code);
		tool_failed(s, why);
		return NULL;
	}
	if (clopt_event_from_cl(j->ctx, theirs, &event) != CLOPT_OK)
		tool_failed(s, clopt_error(j->ctx));
	clReleaseEvent(theirs);
	return event;
}

static double copy_once(void *what, size_t i, struct transfer_cell *cell)
{
	struct job *j = what;
	const struct copy c = copy_of(j, i);
	struct clopt_order order = CLOPT_ORDER_INIT;
	struct clopt_event *event = NULL;
	double seconds = 0.0;

	order.queue = j->queue;
	order.event = &event;
	if (!c.command)
		event = launch(j, &c, &cell->s);
	else if (clopt_buffer_copy(j->in, 0, j->out, 0, c.items * sizeof(float), &order) !=
	         CLOPT_OK)
		tool_failed(&cell->s, clopt_error(j->ctx));
	if (event && clopt_event_seconds(event, &seconds) != CLOPT_OK)
		tool_failed(&cell->s, clopt_error(j->ctx));
	clopt_event_free(event);
	return seconds;
}

/* ---- Checks ---------------------------------------------------------------------- */

/* Kernels write no negative number. */
static const float untouched = -1.0f;

/* The value at place i of the array that is copied: a whole number that a float can tell from its
 * neighbours. */
static float filled(size_t i)
{
	return (float)(i % PERIOD);
}

static float expected(const struct copy *c, size_t i)
{
	const size_t from = i - c->first;

	return i >= c->first && from % c->stride == 0 && from / c->stride < c->items ? filled(i) :
	                                                                               untouched;
}

/* Before a copy: clear the window; after it: compare. */
static void window(struct job *j, const struct copy *c, size_t at, size_t count, int after,
                   struct transfer_cell *cell)
{
	size_t i;
	int rc;

	for (i = 0; i < count; i++)
		j->window[i] = untouched;
	if (after)
		rc = clopt_buffer_read(j->out, at * sizeof(float), count * sizeof(float), j->window,
		                       NULL);
	else
		rc = clopt_buffer_write(j->out, at * sizeof(float), count * sizeof(float),
		                        j->window, NULL);
	if (rc != CLOPT_OK || clopt_finish(j->ctx) != CLOPT_OK) {
		tool_failed(&cell->s, clopt_error(j->ctx));
		return;
	}
	for (i = 0; after && i < count; i++)
		if (j->window[i] != expected(c, at + i)) {
			tool_wrong(&cell->s, "element %zu is %.9g instead of %.9g", at + i,
			           j->window[i], expected(c, at + i));
			return;
		}
}

/* The arrays may be gigabytes: their beginning, middle and end are looked at, with
 * some elements behind the end. */
static void copy_check(struct job *j, size_t i, struct transfer_cell *cell)
{
	const struct copy c = copy_of(j, i);
	const size_t span = c.first + c.items * c.stride + TRANSFER_STEPS;
	const size_t count = span < WINDOW ? span : WINDOW;
	size_t k;
	int after;

	for (after = 0; after < 2; after++) {
		for (k = 0; k < 3 && !cell->s.verdict; k++)
			window(j, &c, k * (span - count) / 2, count, after, cell);
		if (!after && !cell->s.verdict)
			copy_once(j, i, cell);
	}
}

/* ---- The bench --------------------------------------------------------------------- */

/* About a millisecond of work and more than caches hold, in arrays that take a
 * quarter of the device's memory at most.  A group is left at the longest stride. */
static size_t most_items(const struct transfer_bench *b, const struct job *j)
{
	const size_t least = TRANSFER_STEPS * j->group, most = 1024 * MIB;
	size_t bytes = 512 * MIB, items;

	if (b->args->size)
		bytes = b->args->size < most ? b->args->size : most;
	else if (tool_extent(b->args, &b->info) != CASE_GPU)
		bytes = b->args->small ? 0 : 64 * MIB;
	while (bytes > b->info.max_alloc_bytes / 2 || bytes > b->info.global_bytes / 8)
		bytes /= 2;
	items = whole_groups(j, bytes / sizeof(float));
	return items > least ? items : least;
}

static int add(struct transfer_bench *b, struct job *j, size_t i)
{
	const struct copy c = copy_of(j, i);
	struct transfer_cell cell = {
		.experiment = "offset", .method = "kernel", .direction = "device", .x = c.first
	};

	if (i >= STRIDES) {
		cell.experiment = "stride";
		cell.x = c.stride;
	} else if (i < OFFSETS) {
		cell.experiment = "memory";
		cell.method = c.command ? "command" : "kernel";
		cell.x = c.items * sizeof(float);
	}
	cell.read = cell.written = (double)(c.items * sizeof(float));
	copy_check(j, i, &cell);
	return transfer_add(b, &cell);
}

static int build(struct job *j)
{
	const char *text = source, *call = "clCreateProgramWithSource";
	const cl_device_id device = clopt_cl_device(j->ctx);
	char log[4096] = "";
	cl_int code;
	int i;

	j->program = clCreateProgramWithSource(clopt_cl_context(j->ctx), 1, &text, NULL, &code);
	if (code != CL_SUCCESS) {
		j->program = NULL;
	} else if ((code = clBuildProgram(j->program, 1, &device, "", NULL, NULL)) != CL_SUCCESS) {
		call = "clBuildProgram";
		clGetProgramBuildInfo(j->program, device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log,
		                      NULL);
		fprintf(stderr, "%s\n", log);
	}
	for (i = 0; i < KERNELS && code == CL_SUCCESS; i++) {
		call = "clCreateKernel";
		j->kernel[i] = clCreateKernel(j->program, names[i], &code);
		if (code != CL_SUCCESS)
			j->kernel[i] = NULL;
	}
	return code == CL_SUCCESS ? 0 :
	                            tool_tell("copy kernels: %s: OpenCL error %d", call, (int)code);
}

/* Arrays with some more elements, for offsets and a look behind; the first is filled. */
static int make_arrays(struct job *j)
{
	const size_t n = j->items + 2 * TRANSFER_STEPS * j->group;
	size_t at, count, i;
	int rc;

	j->window = malloc(WINDOW * sizeof *j->window);
	if (!j->window)
		return tool_no_memory();
	rc = clopt_buffer_new(j->ctx, n * sizeof(float), &j->in) != CLOPT_OK ||
	     clopt_buffer_new(j->ctx, n * sizeof(float), &j->out) != CLOPT_OK;
	for (at = 0; !rc && at < n; at += count) {
		count = n - at < WINDOW ? n - at : WINDOW;
		for (i = 0; i < count; i++)
			j->window[i] = filled(at + i);
		rc = clopt_buffer_write(j->in, at * sizeof(float), count * sizeof(float), j->window,
		                        NULL) != CLOPT_OK;
	}
	rc = rc || clopt_finish(j->ctx) != CLOPT_OK;
	return rc ? tool_fail(j->ctx, "arrays for the copies") : 0;
}

static int prepare(struct transfer_bench *b, struct job *j)
{
	if (tool_open(b->args, 1, 0, &j->ctx, &b->info))
		return 1;
	j->group = b->info.max_group < GROUP ? b->info.max_group : GROUP;
	j->items = most_items(b, j);
	if (clopt_queue_new(j->ctx, &j->queue) != CLOPT_OK)
		return tool_fail(j->ctx, "queue");
	return build(j) || make_arrays(j);
}

int transfer_device(struct transfer_bench *b)
{
	struct job j = { .items = 0 };
	const size_t first = b->n;
	size_t i;
	int rc = prepare(b, &j);

	b->copy_bytes = j.items * sizeof(float);
	for (i = 0; !rc && i < CELLS; i++)
		rc = add(b, &j, i);
	if (!rc)
		transfer_measure(b, first, b->args->seconds / STEP_SHARE, copy_once, &j);
	for (i = 0; i < KERNELS; i++)
		if (j.kernel[i])
			clReleaseKernel(j.kernel[i]);
	if (j.program)
		clReleaseProgram(j.program);
	free(j.window);
	clopt_buffer_free(j.in);
	clopt_buffer_free(j.out);
	clopt_queue_free(j.queue);
	clopt_close(j.ctx);
	return rc;
}
