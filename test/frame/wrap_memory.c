/* SPDX-License-Identifier: MIT */
/*
 * wrap_memory.c - device memory in the tests, fenced and counted.
 *
 * A buffer is larger than asked for, so that a write behind it is found; a fence in host memory
 * cannot find that.  (A fence before it would take a sub-buffer, of which PoCL makes no images;
 * Oclgrind checks both sides.) All of it starts as 0xff bytes, which are NaN, so that a read of
 * unwritten memory shows in the results.  So has an array that an earlier call left, and what is
 * behind the part that the call uses is part of the fence.
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
	size_t bytes, used_bytes; /* what a call asked for, of one that an earlier call left */
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
static int sparse, read_only;

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

int wrap_read_only(void)
{
	const int count = read_only;

	read_only = 0;
	return count;
}

unsigned long long wrap_peak_bytes(void)
{
	unsigned long long peak = bytes_peak;

	bytes_peak = bytes_now;
	return peak;
}

cl_int __real_clGetMemObjectInfo(cl_mem m, cl_mem_info w, size_t n, void *v, size_t *r);
cl_int __real_clGetContextInfo(cl_context c, cl_context_info w, size_t n, void *v, size_t *r);
cl_int __real_clEnqueueWriteBuffer(cl_command_queue q, cl_mem m, cl_bool b, size_t at, size_t bytes,
                                   const void *p, cl_uint n, const cl_event *w, cl_event *event);
cl_int __real_clEnqueueReadBuffer(cl_command_queue q, cl_mem m, cl_bool b, size_t at, size_t bytes,
                                  void *p, cl_uint n, const cl_event *w, cl_event *event);

cl_int __real_clFinish(cl_command_queue q);

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
		} else if (f & CL_MEM_READ_ONLY) {
			pthread_mutex_lock(&lock);
			read_only++;
			pthread_mutex_unlock(&lock);
		}
		if (!g->pinned && sparse && n > LARGE) {
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
	g->used_bytes = n;
	g->fenced = 1;
	track(g);
	return g->mem;
}

cl_mem __real_clCreateImage(cl_context c, cl_mem_flags f, const cl_image_format *i,
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

/* The last release checks the fence.  A test's own object is only counted. */
cl_int __real_clRetainMemObject(cl_mem m);
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

static cl_command_queue queue_for(cl_mem m)
{
	cl_context c;
	cl_device_id d;
	cl_command_queue q;
	cl_int code;

	__real_clGetMemObjectInfo(m, CL_MEM_CONTEXT, sizeof c, &c, NULL);
	__real_clGetContextInfo(c, CL_CONTEXT_DEVICES, sizeof d, &d, NULL);
	q = __real_clCreateCommandQueue(c, d, 0, &code);
	return code == CL_SUCCESS ? q : NULL;
}

/* Whether the fence is intact, read through a queue of its own. */
static int stands(const struct guarded *g)
{
	const size_t n = g->bytes - g->used_bytes + fence_bytes();
	unsigned char *fence;
	cl_command_queue q;
	size_t i;
	int whole;

	if (!g->fenced || n == 0)
		return 1;
	q = queue_for(g->mem);
	fence = __real_malloc(n);
	if (!fence)
		abort();
	whole = q && __real_clEnqueueReadBuffer(q, g->mem, CL_TRUE, g->used_bytes, n, fence, 0,
	                                        NULL, NULL) == CL_SUCCESS;
	for (i = 0; i < n; i++)
		whole = whole && fence[i] == FILL;
	if (q)
		__real_clReleaseCommandQueue(q);
	free(fence);
	return whole;
}

static void expect_fence(const struct guarded *g)
{
	if (stands(g))
		return;
	fprintf(stderr, "wrap: the fence of a buffer of %zu bytes is broken\n", g->used_bytes);
	broken++;
}

static struct guarded *find(cl_mem m)
{
	struct guarded *g;

	pthread_mutex_lock(&lock);
	for (g = guarded; g && g->mem != m; g = g->next)
		;
	pthread_mutex_unlock(&lock);
	return g;
}

cl_mem __real_clopt__idle_take(struct clopt *ctx, size_t bytes, size_t *room_bytes);
cl_mem __wrap_clopt__idle_take(struct clopt *ctx, size_t bytes, size_t *room_bytes)
{
	const cl_mem m = __real_clopt__idle_take(ctx, bytes, room_bytes);
	struct guarded *g = m ? find(m) : NULL;
	unsigned char *fill;
	cl_command_queue q;

	if (!g)
		return m;
	fill = __real_malloc(g->bytes);
	q = queue_for(m);
	if (!q || !fill)
		abort();
	memset(fill, FILL, g->bytes);
	/* A write that blocks may return when `fill` may be used again: only clFinish says that the
	 * array is written, and the library's queues do not wait for this one. */
	if (__real_clEnqueueWriteBuffer(q, m, CL_TRUE, 0, g->bytes, fill, 0, NULL, NULL) ||
	    __real_clFinish(q))
		abort();
	__real_clReleaseCommandQueue(q);
	free(fill);
	g->used_bytes = bytes;
	return m;
}

void __real_clopt__idle_give(struct clopt *ctx, cl_mem m, size_t room_bytes);
void __wrap_clopt__idle_give(struct clopt *ctx, cl_mem m, size_t room_bytes)
{
	struct guarded *g = find(m);

	if (g) {
		expect_fence(g);
		g->used_bytes = g->bytes;
	}
	__real_clopt__idle_give(ctx, m, room_bytes);
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
	if (g)
		expect_fence(g);
	code = __real_clReleaseMemObject(m);
	if (g)
		free(g->pinned);
	free(g);
	return code;
}
