/* SPDX-License-Identifier: MIT */
/*
 * peers_copy.c - upper bounds for a transpose: a copy of as many bytes, by a kernel and by the
 * driver.
 *
 * On a processor the kernel's stores bypass the caches, since a cached store reads its line first.
 */
#include "peers.h"

static const char *const source[] = {
	"#if defined __clang__ && defined RUN\n"
	"#define STORE(x, to) __builtin_nontemporal_store(x, to)\n"
	"#else\n"
	"#define STORE(x, to) (*(to) = (x))\n"
	"#endif\n"
	"#ifndef RUN\n"
	"#define RUN 1\n"
	"#endif\n"
	"__kernel void copy(__global const V *in, __global V *out, ulong n)\n"
	"{\n"
	"	const ulong first = get_global_id(0) * RUN, end = min(n, first + RUN);\n"
	"\n"
	"	for (ulong i = first; i < end; i++)\n"
	"		STORE(in[i], out + i);\n"
	"}\n",
};

enum {
	RUN = 512, /* a processor's lines to one work-item */
	CPU_BYTES = 64,
	GPU_BYTES = 16,
	GPU_GROUP = 256
};

int peers_copy_open(struct peers_device *d)
{
	char options[64];
	cl_int e;

	snprintf(options, sizeof options, "-DV=float%d", d->cpu ? CPU_BYTES / 4 : GPU_BYTES / 4);
	if (d->cpu)
		snprintf(options, sizeof options, "-DV=float%d -DRUN=%d", CPU_BYTES / 4, RUN);
	d->program = clCreateProgramWithSource(d->context, 1, (const char **)source, NULL, &e);
	if (e == CL_SUCCESS)
		e = clBuildProgram(d->program, 0, NULL, options, NULL, NULL);
	if (e == CL_SUCCESS)
		d->copy = clCreateKernel(d->program, "copy", &e);
	if (e != CL_SUCCESS)
		fprintf(stderr, "peers: the copy kernel: OpenCL error %d\n", (int)e);
	return e != CL_SUCCESS;
}

static size_t bytes(const struct peers_job *j)
{
	return j->c->m * j->c->n * j->c->elem_bytes;
}

int peers_call_copy(struct peers_job *j)
{
	const cl_ulong n = bytes(j) / (j->d->cpu ? CPU_BYTES : GPU_BYTES);
	const size_t local = j->d->cpu ? 1 : GPU_GROUP;
	const size_t items = j->d->cpu ? (n + RUN - 1) / RUN : (n + local - 1) / local * local;

	if (clSetKernelArg(j->d->copy, 0, sizeof j->mem[0], &j->mem[0]) != CL_SUCCESS ||
	    clSetKernelArg(j->d->copy, 1, sizeof j->mem[2], &j->mem[2]) != CL_SUCCESS ||
	    clSetKernelArg(j->d->copy, 2, sizeof n, &n) != CL_SUCCESS)
		return 1;
	return clEnqueueNDRangeKernel(j->d->queue, j->d->copy, 1, NULL, &items, &local, 0, NULL,
	                              NULL) != CL_SUCCESS;
}

int peers_call_copy_buffer(struct peers_job *j)
{
	return clEnqueueCopyBuffer(j->d->queue, j->mem[0], j->mem[2], 0, 0, bytes(j), 0, NULL,
	                           NULL) != CL_SUCCESS;
}
