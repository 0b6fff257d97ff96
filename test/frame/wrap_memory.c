/* SPDX-License-Identifier: MIT */
/*
 * wrap_memory.c - device memory in the tests, fenced and counted.
 *
 * A buffer is larger than asked for, so that a write behind it is found; a fence in host memory
 * cannot find that.  (A fence before it would take a sub-buffer, of which PoCL makes no images;
 * Oclgrind checks both sides.) All of it starts as 0xff bytes, which are NaN, so that a read of
 * unwritten memory shows in the results.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wrap_internal.h"

#define FENCE 4096
#define FILL 0xff
#define LARGE ((size_t)1 << 20) /* smaller than any driver's limit */

/* CLOPT_TEST_FENCE=0 leaves buffers as large as the library asks for, so that Oclgrind finds
 * accesses beyond them. */
static size_t fence_bytes(void)
{
	const char *text = getenv("CLOPT_TEST_FENCE");

	return text && *text == '0' ? 0 : FENCE;
}

struct guarded {
	cl_mem mem;
	size_t bytes;
	int fenced; /* an image and a part of a buffer are only counted */
	int retained; /* beyond the first time */
	void *pinned; /* host memory to free with it */
	void *sparse; /* the host memory of which this is the beginning */
	struct guarded *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct guarded *guarded;
static int broken;
static unsigned long long bytes_now, bytes_peak;
static int sparse;

void wrap_sparse(int yes)
{
	sparse = yes;
	wrap_roomy(yes);
}

void *wrap_sparse_memory(void *mem)
{
	const struct guarded *g;
	void *memory = NULL;

	pthread_mutex_lock(&lock);
	for (g = guarded; g && !memory; g = g->next)
		memory = (void *)g->mem == mem ? g->sparse : NULL;
	pthread_mutex_unlock(&lock);
	return memory;
}

int wrap_fences(void)
{
	int n = broken;

	broken = 0;
	return n;
}

unsigned long long wrap_peak_bytes(void)
{
	unsigned long long peak = bytes_peak;

	bytes_peak = bytes_now;
	return peak;
}

cl_int __real_clGetMemObjectInfo(cl_mem m, cl_mem_info w, size_t n, void *v, size_t *r);
cl_int __real_clGetContextInfo(cl_context c, cl_context_info w, size_t n, void *v, size_t *r);
cl_int __real_clEnqueueReadBuffer(cl_command_queue q, cl_mem m, cl_bool b, size_t at, size_t bytes,
                                  void *p, cl_uint n, const cl_event *w, cl_event *event);

cl_mem __wrap_clCreateBuffer(cl_context c, cl_mem_flags f, size_t n, void *p, cl_int *code);
cl_int __wrap_clReleaseMemObject(cl_mem m);

static void track(struct guarded *g)
{
	wrap_count(WRAP_MEM, 1);
	pthread_mutex_lock(&lock);
	g->next = guarded;
	guarded = g;
	bytes_now += g->bytes;
	if (bytes_now > bytes_peak)
		bytes_peak = bytes_now;
	pthread_mutex_unlock(&lock);
}

cl_mem __wrap_clCreateBuffer(cl_context c, cl_mem_flags f, size_t n, void *p, cl_int *code)
{
	const size_t whole = n + fence_bytes();
	struct guarded *g = __real_calloc(1, sizeof *g);
	unsigned char *fill;

	if (!g)
		abort();
	if (wrap_fault(code)) {
		free(g);
		return (cl_mem)&guarded; /* an invalid handle, as some drivers leave */
	}
	/* Host memory in use takes no device memory and is not fenced.  Pinned memory is our own
	 * pages, since PoCL does not align it so. */
	if (f & (CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR)) {
		if (f & CL_MEM_ALLOC_HOST_PTR) {
			if (posix_memalign(&g->pinned, 4096, n))
				abort();
			f = (f & ~(cl_mem_flags)CL_MEM_ALLOC_HOST_PTR) | CL_MEM_USE_HOST_PTR;
			p = g->pinned;
		} else if (sparse && n > LARGE) {
			g->sparse = p;
			n = LARGE;
		}
		g->mem = __real_clCreateBuffer(c, f, n, p, code);
		if (*code != CL_SUCCESS) {
			free(g->pinned);
			free(g);
			return NULL;
		}
		track(g);
		return g->mem;
	}
	fill = __real_malloc(whole);
	if (!fill)
		abort();
	memset(fill, FILL, whole);
	if (p)
		memcpy(fill, p, n);
	g->bytes = n;
	g->mem = __real_clCreateBuffer(c, f | CL_MEM_COPY_HOST_PTR, whole, fill, code);
	free(fill);
	if (*code != CL_SUCCESS) {
		free(g);
		return NULL;
	}
	g->fenced = 1;
	track(g);
	return g->mem;
}

cl_mem __real_clCreateImage(cl_context c, cl_mem_flags f, const cl_image_format *i,
                            const cl_image_desc *d, void *p, cl_int *code);
cl_mem __wrap_clCreateImage(cl_context c, cl_mem_flags f, const cl_image_format *i,
                            const cl_image_desc *d, void *p, cl_int *code);
cl_mem __wrap_clCreateImage(cl_context c, cl_mem_flags f, const cl_image_format *i,
                            const cl_image_desc *d, void *p, cl_int *code)
{
	struct guarded *g = __real_calloc(1, sizeof *g);

	if (!g)
		abort();
	if (wrap_fault(code)) {
		free(g);
		return (cl_mem)&guarded;
	}
	g->mem = __real_clCreateImage(c, f, i, d, p, code);
	if (*code != CL_SUCCESS) {
		free(g);
		return NULL;
	}
	/* Texels of four 32-bit channels; an image of a buffer takes no memory. */
	g->bytes =
	        d->image_type == CL_MEM_OBJECT_IMAGE2D ? d->image_width * d->image_height * 16 : 0;
	track(g);
	return g->mem;
}

/* Its memory is its root's. */
cl_mem __wrap_clCreateSubBuffer(cl_mem of, cl_mem_flags f, cl_buffer_create_type t, const void *r,
                                cl_int *code);
cl_mem __wrap_clCreateSubBuffer(cl_mem of, cl_mem_flags f, cl_buffer_create_type t, const void *r,
                                cl_int *code)
{
	struct guarded *g = __real_calloc(1, sizeof *g);

	if (!g)
		abort();
	if (wrap_fault(code)) {
		free(g);
		return (cl_mem)&guarded;
	}
	g->mem = __real_clCreateSubBuffer(of, f, t, r, code);
	if (*code != CL_SUCCESS) {
		free(g);
		return NULL;
	}
	track(g);
	return g->mem;
}

/* The last release checks the fence.  A test's own object is only counted. */
cl_int __real_clRetainMemObject(cl_mem m);
cl_int __wrap_clRetainMemObject(cl_mem m);
cl_int __wrap_clRetainMemObject(cl_mem m)
{
	struct guarded *g;
	cl_int code;

	if (wrap_fault(&code))
		return code;
	code = __real_clRetainMemObject(m);
	if (code != CL_SUCCESS)
		return code;
	wrap_count(WRAP_MEM, 1);
	pthread_mutex_lock(&lock);
	for (g = guarded; g && g->mem != m; g = g->next)
		;
	if (g)
		g->retained++;
	pthread_mutex_unlock(&lock);
	return code;
}

/* Whether the fence is intact, read through a queue of its own. */
static int stands(const struct guarded *g)
{
	unsigned char fence[FENCE];
	cl_context c;
	cl_device_id d;
	cl_command_queue q;
	cl_int code;
	size_t i;
	int whole;

	if (!g->fenced || fence_bytes() == 0)
		return 1;
	__real_clGetMemObjectInfo(g->mem, CL_MEM_CONTEXT, sizeof c, &c, NULL);
	__real_clGetContextInfo(c, CL_CONTEXT_DEVICES, sizeof d, &d, NULL);
	q = __real_clCreateCommandQueue(c, d, 0, &code);
	if (code != CL_SUCCESS)
		return 0;
	whole = __real_clEnqueueReadBuffer(q, g->mem, CL_TRUE, g->bytes, FENCE, fence, 0, NULL,
	                                   NULL) == CL_SUCCESS;
	__real_clReleaseCommandQueue(q);
	for (i = 0; i < FENCE; i++)
		whole = whole && fence[i] == FILL;
	return whole;
}

cl_int __wrap_clReleaseMemObject(cl_mem m)
{
	struct guarded **at, *g = NULL;
	cl_int code;

	pthread_mutex_lock(&lock);
	for (at = &guarded; *at && (*at)->mem != m; at = &(*at)->next)
		;
	if (*at && (*at)->retained) {
		(*at)->retained--;
	} else if (*at) {
		g = *at;
		*at = g->next;
		bytes_now -= g->bytes;
	}
	pthread_mutex_unlock(&lock);
	wrap_count(WRAP_MEM, -1);
	if (g && !stands(g)) {
		fprintf(stderr, "wrap: the fence of a buffer of %zu bytes is broken\n", g->bytes);
		broken++;
	}
	code = __real_clReleaseMemObject(m);
	if (g)
		free(g->pinned);
	free(g);
	return code;
}
