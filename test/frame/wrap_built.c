/* SPDX-License-Identifier: MIT */
/*
 * wrap_built.c - with CLOPT_TEST_SHARE=1, a process builds each source once with the same options.
 *
 * Also a driver that keeps kernels on disk reads each source through its preprocessor, which takes thirty
 * times as long as making a kernel of a program that is there.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdlib.h>
#include <string.h>

#include "wrap_internal.h"

/* A program of the library's, and the one that its kernels are made of.  The latter stays; it has its
 * source and options here. */
struct built {
	struct built *next;
	cl_program program, first;
	char *source, *options;
};
static struct built *all;

cl_program wrap_built(cl_program program)
{
	const struct built *b;

	wrap_lock();
	for (b = all; b && b->program != program; b = b->next)
		;
	program = b ? b->first : program;
	wrap_unlock();
	return program;
}

void wrap_built_forget(cl_program program)
{
	struct built **b = &all, *gone;

	wrap_lock();
	while ((gone = *b) && (gone->program != program || gone->source))
		b = &gone->next;
	if (gone)
		*b = gone->next;
	wrap_unlock();
	free(gone);
}

static void keep(cl_program program, cl_program first, char *source, const char *options)
{
	const size_t bytes = strlen(options) + 1;
	struct built *b = __real_calloc(1, sizeof *b);

	if (!b || (source && !(b->options = __real_malloc(bytes))))
		abort();
	if (source)
		memcpy(b->options, options, bytes);
	b->program = program;
	b->first = first;
	b->source = source;
	wrap_lock();
	b->next = all;
	all = b;
	wrap_unlock();
}

cl_int __real_clGetProgramInfo(cl_program p, cl_program_info w, size_t n, void *v, size_t *r);
cl_int __real_clBuildProgram(cl_program p, cl_uint n, const cl_device_id *d, const char *options,
                             void(CL_CALLBACK *f)(cl_program, void *), void *user);

static char *source_of(cl_program p)
{
	size_t n = 0;
	char *source;

	__real_clGetProgramInfo(p, CL_PROGRAM_SOURCE, 0, NULL, &n);
	if (!(source = __real_calloc(1, n + 1)))
		abort();
	__real_clGetProgramInfo(p, CL_PROGRAM_SOURCE, n, source, NULL);
	return source;
}

cl_int wrap_build(cl_program p, cl_uint n, const cl_device_id *d, const char *options)
{
	const struct built *b;
	cl_context context = NULL;
	cl_program first;
	char *source;
	cl_int code = CL_SUCCESS;

	__real_clGetProgramInfo(p, CL_PROGRAM_CONTEXT, sizeof context, &context, NULL);
	source = wrap_is_shared(context) ? source_of(p) : NULL;
	if (!source || !*source) { /* of a binary */
		free(source);
		return __real_clBuildProgram(p, n, d, options, NULL, NULL);
	}
	wrap_lock();
	for (b = all; b && (!b->source || strcmp(b->options, options) || strcmp(b->source, source));
	     b = b->next)
		;
	first = b ? b->program : NULL;
	wrap_unlock();
	if (!first) {
		code = __real_clBuildProgram(p, n, d, options, NULL, NULL);
		if (code == CL_SUCCESS)
			code = clRetainProgram(p);
	}
	if (code == CL_SUCCESS)
		keep(p, first ? first : p, first ? NULL : source, options);
	if (first || code != CL_SUCCESS)
		free(source);
	return code;
}
