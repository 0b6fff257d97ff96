/* SPDX-License-Identifier: MIT */
/*
 * wrap.c - the wrappers of OpenCL calls: calls, of which the n-th fails, and objects, which are
 * counted.
 *
 * A failing call does nothing, except clFinish, which waits first: commands in flight must end.
 */
#define CL_TARGET_OPENCL_VERSION 200 /* clSetKernelArgSVMPointer */
#include <CL/cl.h>
#include <errno.h>
#include <execinfo.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "wrap_internal.h"

static const char *const kinds[] = { "contexts", "queues", "mem",    "programs",
	                             "kernels",  "events", "devices" };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long live[WRAP_KINDS], countdown;
static int fault_code, fresh; /* a call from a new place fails */
static struct clopt *cancelled;

void wrap_lock(void)
{
	pthread_mutex_lock(&lock);
}

void wrap_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

void wrap_fail(long n, int code)
{
	countdown = n;
	fault_code = code;
	cancelled = NULL;
	fresh = 0;
}

void wrap_cancel(long n, struct clopt *ctx)
{
	countdown = n;
	cancelled = ctx;
	fresh = 0;
}

int wrap_failed(void)
{
	return countdown < 0;
}

long wrap_live(void)
{
	long n = 0;
	int i;

	for (i = 0; i < WRAP_KINDS; i++)
		n += labs(live[i]);
	return n;
}

void wrap_live_forget(void)
{
	memset(live, 0, sizeof live);
}

const char *wrap_live_text(void)
{
	static char text[256];
	size_t used = 0;
	int i;

	text[0] = '\0';
	for (i = 0; i < WRAP_KINDS; i++)
		if (live[i])
			used += (size_t)snprintf(text + used, sizeof text - used, "%ld %s ",
			                         live[i], kinds[i]);
	return text;
}

/* The addresses to which a call of a wrapper and its callers return, from the beginning of the
 * program. */
#define CALLERS 6
struct place {
	unsigned long to[CALLERS];
};
static struct place failed[4096];
static int places;

/* Whether no call from this place failed in this process so far.  With CLOPT_TEST_SITES=FILE a new
 * place is a line of FILE, for test/sites.py. */
static int note_place(void)
{
	extern const char __executable_start[]; /* the linker's */
	const char *path = getenv("CLOPT_TEST_SITES");
	struct place here = { { 0 } };
	void *callers[CALLERS];
	FILE *file;
	int i, n = backtrace(callers, CALLERS);

	for (i = 0; i < n; i++)
		here.to[i] = (unsigned long)((char *)callers[i] - __executable_start);
	for (i = 0; i < places; i++)
		if (!memcmp(&failed[i], &here, sizeof here))
			return 0;
	if (places < (int)(sizeof failed / sizeof *failed))
		failed[places++] = here;
	file = path ? fopen(path, "a") : NULL;
	if (!file)
		return 1;
	for (i = 0; i < n; i++)
		fprintf(file, "%lx%c", here.to[i], i + 1 < n ? ' ' : '\n');
	fclose(file);
	return 1;
}

void wrap_fail_new(int code)
{
	wrap_fail(1, code);
	fresh = 1;
}

int wrap_fault(int *code)
{
	int now;

	pthread_mutex_lock(&lock);
	now = countdown > 0 && (fresh || --countdown == 0);
	now = now && (cancelled || note_place() || !fresh);
	if (now)
		countdown = -1;
	if (now && cancelled) {
		clopt_cancel(cancelled);
		now = 0;
	}
	*code = now ? fault_code : 0;
	pthread_mutex_unlock(&lock);
	return now;
}

static int fault(void)
{
	int code;

	return wrap_fault(&code);
}

static void (*driver)(void);

void wrap_driver(void (*act)(void))
{
	driver = act;
}

static void drive(void)
{
	if (driver)
		driver();
}

void wrap_count(enum wrap_kind kind, long by)
{
	drive();
	pthread_mutex_lock(&lock);
	live[kind] += by;
	pthread_mutex_unlock(&lock);
}

/* ---- Threads of the library and of the tests ------------------------------------ */

static int no_threads;

void wrap_no_threads(int yes)
{
	no_threads = yes;
}

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *argument)
{
	return no_threads || fault() ? EAGAIN :
	                               __real_pthread_create(thread, attributes, run, argument);
}

/* ---- Allocations of the library and of the tests, not of drivers ------------- */

void *__wrap_malloc(size_t n)
{
	return fault() ? NULL : __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t size)
{
	return fault() ? NULL : __real_calloc(n, size);
}

void *__real_realloc(void *p, size_t n);
void *__wrap_realloc(void *p, size_t n)
{
	return fault() ? NULL : __real_realloc(p, n);
}

/* ---- Calls that return a code ---------------------------------------------- */

#define CODE(name, parameters, arguments) \
	cl_int __real_##name parameters; \
	cl_int __wrap_##name parameters \
	{ \
		return fault() ? fault_code : __real_##name arguments; \
	}

CODE(clGetPlatformIDs, (cl_uint n, cl_platform_id *p, cl_uint *count), (n, p, count))
CODE(clGetPlatformInfo, (cl_platform_id p, cl_platform_info w, size_t n, void *v, size_t *r),
     (p, w, n, v, r))
CODE(clGetDeviceIDs,
     (cl_platform_id p, cl_device_type t, cl_uint n, cl_device_id *d, cl_uint *count),
     (p, t, n, d, count))
CODE(clGetCommandQueueInfo,
     (cl_command_queue q, cl_command_queue_info w, size_t n, void *v, size_t *r), (q, w, n, v, r))
CODE(clGetEventInfo, (cl_event e, cl_event_info w, size_t n, void *v, size_t *r), (e, w, n, v, r))
CODE(clGetMemObjectInfo, (cl_mem m, cl_mem_info w, size_t n, void *v, size_t *r), (m, w, n, v, r))
CODE(clGetKernelInfo, (cl_kernel k, cl_kernel_info w, size_t n, void *v, size_t *r),
     (k, w, n, v, r))
CODE(clGetEventProfilingInfo, (cl_event e, cl_profiling_info w, size_t n, void *v, size_t *r),
     (e, w, n, v, r))

cl_int __real_clSetKernelArg(cl_kernel k, cl_uint i, size_t n, const void *v);
cl_int __wrap_clSetKernelArg(cl_kernel k, cl_uint i, size_t n, const void *v)
{
	unsigned long long lost;
	void *memory = v && n == sizeof memory ? wrap_sparse_memory(*(void *const *)v) : NULL;

	if (fault())
		return fault_code;
	if (memory)
		return clSetKernelArgSVMPointer(k, i, memory);
	return __real_clSetKernelArg(k, i, n,
	                             n == sizeof lost ? wrap_plant_size(k, i, v, &lost) : v);
}

CODE(clFlush, (cl_command_queue q), (q))

/* Commands enqueued since the last wait, without uploads; and the maximum. */
static long queued, most_queued;

long wrap_most_queued(void)
{
	long n;

	pthread_mutex_lock(&lock);
	n = most_queued;
	most_queued = 0;
	pthread_mutex_unlock(&lock);
	return n;
}

static int hasty, no_waits;

void wrap_hasty(int yes)
{
	hasty = yes;
}

void wrap_no_waits(int n)
{
	no_waits = n;
}

/* Whether this wait fails, and with which code. */
static int no_wait(cl_int *code)
{
	int fails;

	drive();
	pthread_mutex_lock(&lock);
	fails = no_waits > 0;
	no_waits -= fails;
	if (fails)
		note_place();
	pthread_mutex_unlock(&lock);
	if (wrap_fault(code))
		return 1;
	*code = CL_OUT_OF_RESOURCES;
	return fails;
}

cl_int __real_clWaitForEvents(cl_uint n, const cl_event *e);
cl_int __wrap_clWaitForEvents(cl_uint n, const cl_event *e)
{
	cl_int code;

	return no_wait(&code) ? code : __real_clWaitForEvents(n, e);
}

cl_int __real_clFinish(cl_command_queue q);
cl_int __wrap_clFinish(cl_command_queue q)
{
	cl_int code;

	if (no_wait(&code))
		return code;
	pthread_mutex_lock(&lock);
	queued = 0;
	pthread_mutex_unlock(&lock);
	return hasty ? CL_SUCCESS : __real_clFinish(q);
}

/* ---- Enqueues, which may return an event ------------------------------------ */

static long commands, markers, unwaiting;
static unsigned last_waits;

/* A count since it was taken last. */
static long take(long *count)
{
	long n;

	pthread_mutex_lock(&lock);
	n = *count;
	*count = 0;
	pthread_mutex_unlock(&lock);
	return n;
}

long wrap_commands(void)
{
	return take(&commands);
}

long wrap_markers(void)
{
	return take(&markers);
}

long wrap_unwaiting(void)
{
	return take(&unwaiting);
}

unsigned wrap_waits(void)
{
	unsigned n;

	pthread_mutex_lock(&lock);
	n = last_waits;
	pthread_mutex_unlock(&lock);
	return n;
}

/* Threads that stage transfers enqueue beside the caller's. */
static cl_int enqueued(cl_int code, cl_uint n, const cl_event *event)
{
	if (code == CL_SUCCESS && event)
		wrap_count(WRAP_EVENT, 1);
	pthread_mutex_lock(&lock);
	commands += code == CL_SUCCESS;
	last_waits = n;
	unwaiting += !n;
	queued += code == CL_SUCCESS;
	most_queued = queued > most_queued ? queued : most_queued;
	pthread_mutex_unlock(&lock);
	return code;
}

/* OpenCL 1.2 has transfers of no bytes refused, and not all drivers do it. */
static size_t some(size_t bytes)
{
	if (!bytes) {
		fprintf(stderr, "a transfer of no bytes\n");
		abort();
	}
	return bytes;
}

/* The origin of a rectangle.  One that could be within a row and is not is a fault of the library:
 * as a number of bytes it may be more than a driver counts. */
static const size_t *in_a_row(const size_t *origin, const size_t *region, size_t pitch)
{
	some(region[0] * region[1] * region[2]);
	if (origin[0] >= pitch && origin[0] % pitch + region[0] <= pitch) {
		fprintf(stderr, "a rectangle begins at byte %zu of rows of %zu\n", origin[0],
		        pitch);
		abort();
	}
	return origin;
}

#define ENQUEUE(name, parameters, arguments) \
	cl_int __real_##name parameters; \
	cl_int __wrap_##name parameters \
	{ \
		return enqueued(fault() ? fault_code : __real_##name arguments, n, event); \
	}
#define WAIT cl_uint n, const cl_event *w, cl_event *event

static cl_int marked(cl_int code)
{
	pthread_mutex_lock(&lock);
	markers += code == CL_SUCCESS;
	pthread_mutex_unlock(&lock);
	return code;
}

cl_int __real_clEnqueueMarkerWithWaitList(cl_command_queue q, WAIT);
cl_int __wrap_clEnqueueMarkerWithWaitList(cl_command_queue q, WAIT)
{
	return marked(
	        enqueued(fault() ? fault_code : __real_clEnqueueMarkerWithWaitList(q, n, w, event),
	                 n, event));
}

ENQUEUE(clEnqueueBarrierWithWaitList, (cl_command_queue q, WAIT), (q, n, w, event))
ENQUEUE(clEnqueueUnmapMemObject, (cl_command_queue q, cl_mem m, void *p, WAIT),
        (q, m, p, n, w, event))
ENQUEUE(clEnqueueNDRangeKernel,
        (cl_command_queue q, cl_kernel k, cl_uint d, const size_t *o, const size_t *g,
         const size_t *l, WAIT),
        (q, k, d, o, g, l, n, w, event))
ENQUEUE(clEnqueueCopyBuffer,
        (cl_command_queue q, cl_mem s, cl_mem d, size_t so, size_t to, size_t bytes, WAIT),
        (q, s, d, so, to, some(bytes), n, w, event))
ENQUEUE(clEnqueueCopyBufferRect,
        (cl_command_queue q, cl_mem s, cl_mem d, const size_t *so, const size_t *to,
         const size_t *r, size_t srp, size_t ssp, size_t drp, size_t dsp, WAIT),
        (q, s, d, so, to, r, srp, ssp, drp, dsp, n, w, event))
ENQUEUE(clEnqueueCopyBufferToImage,
        (cl_command_queue q, cl_mem s, cl_mem d, size_t at, const size_t *o, const size_t *r, WAIT),
        (q, s, d, at, o, r, n, w, event))
ENQUEUE(clEnqueueReadBuffer,
        (cl_command_queue q, cl_mem m, cl_bool b, size_t at, size_t bytes, void *p, WAIT),
        (q, m, b, at, some(bytes), p, n, w, event))
ENQUEUE(clEnqueueReadBufferRect,
        (cl_command_queue q, cl_mem m, cl_bool b, const size_t *bo, const size_t *ho,
         const size_t *r, size_t brp, size_t bsp, size_t hrp, size_t hsp, void *p, WAIT),
        (q, m, b, in_a_row(bo, r, brp), ho, r, brp, bsp, hrp, hsp, p, n, w, event))

/* ---- Uploads, one of which may be delayed ------------------------------------ */

static unsigned hold_milliseconds;

void wrap_hold(unsigned milliseconds)
{
	hold_milliseconds = milliseconds;
}

cl_int __real_clRetainEvent(cl_event e);

struct held {
	cl_event event;
	unsigned milliseconds;
};

static void *let_go(void *argument)
{
	struct held *h = argument;
	const struct timespec t = { 0, (long)h->milliseconds * 1000000 };

	nanosleep(&t, NULL);
	clSetUserEventStatus(h->event, CL_COMPLETE);
	__real_clReleaseEvent(h->event);
	free(h);
	return NULL;
}

cl_int __real_clGetDeviceInfo(cl_device_id d, cl_device_info what, size_t n, void *to,
                              size_t *needs);

int wrap_can_hold(cl_device_id device)
{
	char name[256] = "";

	__real_clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL);
	return strncmp(name, "basic", 5) != 0;
}

/* A user event that completes later, once; NULL: none. */
static cl_event hold(cl_command_queue q)
{
	struct held *h;
	unsigned milliseconds;
	cl_device_id device;
	cl_context c;
	cl_event event;
	cl_int code;
	pthread_t thread;

	pthread_mutex_lock(&lock);
	milliseconds = hold_milliseconds;
	hold_milliseconds = 0;
	pthread_mutex_unlock(&lock);
	__real_clGetCommandQueueInfo(q, CL_QUEUE_DEVICE, sizeof device, &device, NULL);
	if (!milliseconds || !wrap_can_hold(device) || !(h = __real_malloc(sizeof *h)))
		return NULL;
	__real_clGetCommandQueueInfo(q, CL_QUEUE_CONTEXT, sizeof c, &c, NULL);
	h->event = event = clCreateUserEvent(c, &code);
	h->milliseconds = milliseconds;
	__real_clRetainEvent(event); /* one for the thread, one for the caller */
	if (code != CL_SUCCESS || __real_pthread_create(&thread, NULL, let_go, h))
		abort();
	pthread_detach(thread);
	return event;
}

/* The arguments are those before the wait list. */
#define UPLOAD(name, parameters, ...) \
	cl_int __real_##name parameters; \
	cl_int __wrap_##name parameters \
	{ \
		cl_event later; \
		cl_int code; \
\
		if (fault()) \
			return fault_code; \
		later = hold(q); \
		code = __real_##name(__VA_ARGS__, later ? 1 : n, later ? &later : w, event); \
		if (code == CL_SUCCESS && event) \
			wrap_count(WRAP_EVENT, 1); \
		if (later) \
			__real_clReleaseEvent(later); \
		return code; \
	}

UPLOAD(clEnqueueWriteBuffer,
       (cl_command_queue q, cl_mem m, cl_bool b, size_t at, size_t bytes, const void *p, WAIT), q,
       m, b, at, some(bytes), p)
UPLOAD(clEnqueueWriteBufferRect,
       (cl_command_queue q, cl_mem m, cl_bool b, const size_t *bo, const size_t *ho,
        const size_t *r, size_t brp, size_t bsp, size_t hrp, size_t hsp, const void *p, WAIT),
       q, m, b, in_a_row(bo, r, brp), ho, r, brp, bsp, hrp, hsp, p)

/* ---- Calls that make an object, and their releases --------------------------- */

/* A failing call also leaves an invalid handle, as some drivers do. */
#define CREATE(type, kind, name, parameters, arguments) \
	type __real_##name parameters; \
	type __wrap_##name parameters \
	{ \
		type made; \
\
		if (fault()) { \
			*code = fault_code; \
			return (type)&live; \
		} \
		made = __real_##name arguments; \
		if (*code == CL_SUCCESS) \
			wrap_count(kind, 1); \
		return made; \
	}
#define RELEASE(type, kind, name) \
	cl_int __real_##name(type x); \
	cl_int __wrap_##name(type x) \
	{ \
		wrap_count(kind, -1); \
		return __real_##name(x); \
	}

void *__real_clEnqueueMapBuffer(cl_command_queue q, cl_mem m, cl_bool b, cl_map_flags f, size_t at,
                                size_t bytes, WAIT, cl_int *code);
void *__wrap_clEnqueueMapBuffer(cl_command_queue q, cl_mem m, cl_bool b, cl_map_flags f, size_t at,
                                size_t bytes, WAIT, cl_int *code)
{
	if (fault()) {
		*code = fault_code;
		return &live;
	}
	/* Commands on host memory that a buffer uses only need to be ordered. */
	if (wrap_sparse_memory(m))
		bytes = 1;
	return __real_clEnqueueMapBuffer(q, m, b, f, at, bytes, n, w, event, code);
}

typedef void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *);
cl_context __real_clCreateContext(const cl_context_properties *p, cl_uint n, const cl_device_id *d,
                                  notify f, void *u, cl_int *code);
cl_int __real_clRetainContext(cl_context c);

static int unshared;
static cl_context shared;

int wrap_is_shared(cl_context context)
{
	return shared && context == shared;
}

void wrap_unshared(int yes)
{
	unshared = yes;
}

/* CLOPT_TEST_SHARE=1: a context for all of this process, since PoCL takes half a second to load its
 * built-in functions into each context that compiles. */
static cl_context share(const cl_context_properties *p, cl_uint n, const cl_device_id *d, notify f,
                        void *u, cl_int *code)
{
	static cl_device_id device;
	const char *text = getenv("CLOPT_TEST_SHARE");
	cl_context made = NULL;

	if (unshared || !text || *text != '1' || n != 1 || f)
		return __real_clCreateContext(p, n, d, f, u, code);
	*code = CL_SUCCESS;
	pthread_mutex_lock(&lock); /* members open at a time */
	if (!shared) {
		shared = __real_clCreateContext(p, n, d, f, u, code);
		device = *d;
	}
	if (*code == CL_SUCCESS && *d == device) {
		*code = __real_clRetainContext(shared);
		made = shared;
	}
	pthread_mutex_unlock(&lock);
	return made || *code != CL_SUCCESS ? made : __real_clCreateContext(p, n, d, f, u, code);
}

cl_context __wrap_clCreateContext(const cl_context_properties *p, cl_uint n, const cl_device_id *d,
                                  notify f, void *u, cl_int *code)
{
	cl_context made;

	if (fault()) {
		*code = fault_code;
		return (cl_context)&live;
	}
	made = share(p, n, d, f, u, code);
	if (*code == CL_SUCCESS)
		wrap_count(WRAP_CONTEXT, 1);
	return made;
}

CREATE(cl_command_queue, WRAP_QUEUE, clCreateCommandQueue,
       (cl_context c, cl_device_id d, cl_command_queue_properties p, cl_int *code), (c, d, p, code))

RELEASE(cl_context, WRAP_CONTEXT, clReleaseContext)
RELEASE(cl_command_queue, WRAP_QUEUE, clReleaseCommandQueue)

cl_int __real_clReleaseProgram(cl_program p);
cl_int __wrap_clReleaseProgram(cl_program p)
{
	wrap_built_forget(p);
	wrap_count(WRAP_PROGRAM, -1);
	return __real_clReleaseProgram(p);
}

cl_int __real_clReleaseKernel(cl_kernel k);
cl_int __wrap_clReleaseKernel(cl_kernel k)
{
	wrap_plant_forget(k);
	wrap_count(WRAP_KERNEL, -1);
	return __real_clReleaseKernel(k);
}

RELEASE(cl_event, WRAP_EVENT, clReleaseEvent)

#define RETAIN(type, kind, name) \
	cl_int __real_##name(type x); \
	cl_int __wrap_##name(type x) \
	{ \
		cl_int code = fault() ? fault_code : __real_##name(x); \
\
		if (code == CL_SUCCESS) \
			wrap_count(kind, 1); \
		return code; \
	}

RETAIN(cl_context, WRAP_CONTEXT, clRetainContext)
RETAIN(cl_command_queue, WRAP_QUEUE, clRetainCommandQueue)
RETAIN(cl_event, WRAP_EVENT, clRetainEvent)
RETAIN(cl_device_id, WRAP_DEVICE, clRetainDevice)
RELEASE(cl_device_id, WRAP_DEVICE, clReleaseDevice)
