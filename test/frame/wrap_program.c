/* SPDX-License-Identifier: MIT */
/*
 * wrap_program.c - wrappers of program creation and builds.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <string.h>

#include "wrap_internal.h"

/* ---- Programs, of which some are spoiled ------------------------------------- */

static int spoiled;
static long programs;
static wrap_seen *seen_by;
/* The last program's lines, which the library keeps until it is built. */
static const char **lines;
static cl_uint line_count;
static const char *binary, *log_text;
static int talking; /* options of the last build */
static int refused;

void wrap_spoil(int n)
{
	spoiled = n;
}

long wrap_programs(void)
{
	const long n = programs;

	programs = 0;
	return n;
}

void wrap_builds(wrap_seen *seen)
{
	seen_by = seen;
}

cl_program __real_clCreateProgramWithSource(cl_context c, cl_uint n, const char **s,
                                            const size_t *l, cl_int *code);
cl_program __wrap_clCreateProgramWithSource(cl_context c, cl_uint n, const char **s,
                                            const size_t *l, cl_int *code)
{
	const char *bad = "#error planted by the test\n";
	cl_program made;
	int spoil;

	if (wrap_fault(code))
		return (cl_program)&spoiled;
	wrap_lock();
	spoil = spoiled > 0;
	spoiled -= spoil;
	programs++;
	lines = s;
	line_count = n;
	wrap_unlock();
	made = spoil ? __real_clCreateProgramWithSource(c, 1, &bad, NULL, code) :
	               __real_clCreateProgramWithSource(c, n, s, l, code);
	if (*code == CL_SUCCESS)
		wrap_count(WRAP_PROGRAM, 1);
	return made;
}

/* ---- Builds -------------------------------------------------------------------- */

typedef cl_program_build_info build_info;
cl_int __real_clGetProgramBuildInfo(cl_program p, cl_device_id d, build_info w, size_t n, void *v,
                                    size_t *r);

static char warnings[2048];

const char *wrap_warnings(void)
{
	return strstr(warnings, "warning:") ? warnings : NULL;
}

static unsigned times(const char *text, const char *word)
{
	unsigned n = 0;

	for (; (text = strstr(text, word)) != NULL; text++)
		n++;
	return n;
}

/* Drivers print a count of warnings on stderr, so kernels must have none; but compilers for CPUs
 * without vectors of 16 floats warn where such a vector is passed. */
static cl_int listen_to(cl_program p, cl_uint n, const cl_device_id *d, cl_int code)
{
	char said[sizeof warnings] = "";

	if (code == CL_SUCCESS && n > 0 &&
	    __real_clGetProgramBuildInfo(p, *d, CL_PROGRAM_BUILD_LOG, sizeof said, said, NULL) ==
	            CL_SUCCESS &&
	    times(said, "warning:") > times(said, "changes the ABI") &&
	    !strstr(said, "loop not unrolled")) {
		wrap_lock();
		memcpy(warnings, said, sizeof said);
		wrap_unlock();
	}
	return code;
}

typedef void(CL_CALLBACK *notify)(cl_program, void *);
cl_int __real_clBuildProgram(cl_program p, cl_uint n, const cl_device_id *d, const char *options,
                             notify f, void *user);
cl_int __wrap_clBuildProgram(cl_program p, cl_uint n, const cl_device_id *d, const char *options,
                             notify f, void *user)
{
	const char *verbose = strstr(options, "-cl-nv-verbose");
	char others[1024];
	cl_int code;

	if (wrap_fault(&code))
		return code;
	wrap_lock(); /* contexts may build at the same time */
	talking = verbose != NULL;
	wrap_unlock();
	if (!seen_by && log_text && verbose) {
		snprintf(others, sizeof others, "%.*s", (int)(verbose - options), options);
		return __real_clBuildProgram(p, n, d, others, f, user);
	}
	if (!seen_by)
		return listen_to(p, n, d, wrap_build(p, n, d, options));
	seen_by((const char *const *)lines, line_count, options);
	return CL_BUILD_PROGRAM_FAILURE;
}

/* ---- Build logs, and binaries, which may be refused ---------------------------- */

void wrap_binary(const char *text)
{
	binary = text;
}

cl_int __real_clGetProgramInfo(cl_program p, cl_program_info w, size_t n, void *v, size_t *r);
cl_int __wrap_clGetProgramInfo(cl_program p, cl_program_info w, size_t n, void *v, size_t *r)
{
	cl_int code;

	if (wrap_fault(&code))
		return code;
	if (!binary ||
	    (w != CL_PROGRAM_SOURCE && w != CL_PROGRAM_BINARY_SIZES && w != CL_PROGRAM_BINARIES))
		return __real_clGetProgramInfo(w == CL_PROGRAM_SOURCE ? p : wrap_built(p), w, n, v,
		                               r);
	if (w == CL_PROGRAM_SOURCE) { /* as of a program created from a binary */
		if (r)
			*r = 1;
		if (v)
			*(char *)v = '\0';
	} else if (w == CL_PROGRAM_BINARY_SIZES) {
		if (r)
			*r = sizeof(size_t);
		if (v)
			*(size_t *)v = strlen(binary);
	} else {
		memcpy(*(char **)v, binary, strlen(binary));
	}
	return CL_SUCCESS;
}

void wrap_log(const char *text)
{
	log_text = text;
}

cl_int __wrap_clGetProgramBuildInfo(cl_program p, cl_device_id d, build_info w, size_t n, void *v,
                                    size_t *r)
{
	cl_int code;

	if (wrap_fault(&code))
		return code;
	if (!log_text || w != CL_PROGRAM_BUILD_LOG)
		return __real_clGetProgramBuildInfo(wrap_built(p), d, w, n, v, r);
	if (r)
		*r = talking ? strlen(log_text) + 1 : 1;
	if (v)
		strcpy(v, talking ? log_text : "");
	return CL_SUCCESS;
}

void wrap_refuse_binaries(int yes)
{
	refused = yes;
}

cl_program __real_clCreateProgramWithBinary(cl_context c, cl_uint n, const cl_device_id *d,
                                            const size_t *l, const unsigned char **b, cl_int *s,
                                            cl_int *code);
cl_program __wrap_clCreateProgramWithBinary(cl_context c, cl_uint n, const cl_device_id *d,
                                            const size_t *l, const unsigned char **b, cl_int *s,
                                            cl_int *code)
{
	const char *empty = "__kernel void run(void) {}";
	cl_program made;

	if (wrap_fault(code) || refused) {
		*code = *code ? *code : CL_INVALID_BINARY;
		return (cl_program)&refused;
	}
	made = log_text ? __real_clCreateProgramWithSource(c, 1, &empty, NULL, code) :
	                  __real_clCreateProgramWithBinary(c, n, d, l, b, s, code);
	if (*code == CL_SUCCESS)
		wrap_count(WRAP_PROGRAM, 1);
	return made;
}

/* ---- Kernels -------------------------------------------------------------------- */

static unsigned long long local_bytes;
static size_t most_items;

void wrap_local(unsigned long long bytes)
{
	local_bytes = bytes;
}

void wrap_groups(size_t most)
{
	most_items = most;
}

cl_int __real_clGetKernelWorkGroupInfo(cl_kernel k, cl_device_id d, cl_kernel_work_group_info w,
                                       size_t n, void *v, size_t *r);
cl_int __wrap_clGetKernelWorkGroupInfo(cl_kernel k, cl_device_id d, cl_kernel_work_group_info w,
                                       size_t n, void *v, size_t *r)
{
	cl_int code;

	if (wrap_fault(&code))
		return code;
	code = __real_clGetKernelWorkGroupInfo(k, d, w, n, v, r);
	if (local_bytes && w == CL_KERNEL_LOCAL_MEM_SIZE && v)
		*(cl_ulong *)v = local_bytes;
	if (most_items && w == CL_KERNEL_WORK_GROUP_SIZE && v)
		*(size_t *)v = most_items;
	return code;
}
