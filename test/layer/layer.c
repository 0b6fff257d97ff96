/* SPDX-License-Identifier: MIT */
/*
 * layer.c - the faults of the layer, and its table of functions; layer.h.
 *
 * A lost context still waits for its commands before the wait fails: a device that is gone writes
 * no more.
 */
#include "internal.h"

#include <CL/cl_layer.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "layer.h"

#define LOST 64

cl_icd_dispatch layer_next;
static cl_icd_dispatch own;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long long state = 1;
static unsigned long one_of[LAYER_FAULTS];
static long planted[LAYER_FAULTS], live;
static cl_context lost[LOST], shared;
static size_t lost_next;
static int shares;

/* ---- Settings ------------------------------------------------------------------- */

void layer_set(const char *words)
{
	static const char *const names[] = { "fail=", "lose=", "delay=", "stuck=", "wrong=" };
	struct layer_mask mask = { 0, 0, 0, 0, 0, 0, 0 };
	size_t i, n;

	pthread_mutex_lock(&lock);
	memset(one_of, 0, sizeof one_of);
	shares = 0;
	for (; words && *words; words += n + (words[n] == ',')) {
		n = strcspn(words, ",");
		for (i = 0; i < LAYER_FAULTS; i++)
			if (strncmp(words, names[i], 5) == 0 || strncmp(words, names[i], 6) == 0)
				one_of[i] = strtoul(strchr(words, '=') + 1, NULL, 10);
		if (strncmp(words, "seed=", 5) == 0)
			state = strtoull(words + 5, NULL, 10) * 2 + 1;
		shares |= strncmp(words, "share", 5) == 0;
		mask.no_images |= strncmp(words, "no-images", 9) == 0;
		mask.discrete |= strncmp(words, "discrete", 8) == 0;
		mask.no_fp64 |= strncmp(words, "no-fp64", 7) == 0;
		mask.in_order |= strncmp(words, "in-order", 8) == 0;
		if (strncmp(words, "group=", 6) == 0)
			mask.group = strtoul(words + 6, NULL, 10);
		if (strncmp(words, "local=", 6) == 0)
			mask.local_bytes = strtoul(words + 6, NULL, 10);
		if (strncmp(words, "buffer=", 7) == 0)
			mask.buffer_bytes = strtoul(words + 7, NULL, 10);
	}
	layer_masked = mask;
	pthread_mutex_unlock(&lock);
}

long layer_planted(int fault)
{
	long n;

	pthread_mutex_lock(&lock);
	n = planted[fault];
	pthread_mutex_unlock(&lock);
	return n;
}

long layer_live(void)
{
	long n;

	pthread_mutex_lock(&lock);
	n = live;
	pthread_mutex_unlock(&lock);
	return n;
}

static void count(long by)
{
	pthread_mutex_lock(&lock);
	live += by;
	pthread_mutex_unlock(&lock);
}

/* ---- Chance --------------------------------------------------------------------- */

static unsigned long chance(void)
{
	unsigned long n;

	pthread_mutex_lock(&lock);
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	n = (unsigned long)(state * 0x2545f4914f6cdd1d >> 32);
	pthread_mutex_unlock(&lock);
	return n;
}

static int happens(enum layer_fault fault)
{
	const unsigned long n = one_of[fault];
	const int now = n && chance() % n == 0;

	if (now) {
		pthread_mutex_lock(&lock);
		planted[fault]++;
		pthread_mutex_unlock(&lock);
	}
	return now;
}

/* ---- Loss and failure -------------------------------------------------------------- */

#define OWNER(name, type, ask, what) \
	static cl_context name(type x) \
	{ \
		cl_context c = NULL; \
\
		return x && layer_next.ask(x, what, sizeof c, &c, NULL) == CL_SUCCESS ? c : NULL; \
	}
OWNER(of_queue, cl_command_queue, clGetCommandQueueInfo, CL_QUEUE_CONTEXT)
OWNER(of_mem, cl_mem, clGetMemObjectInfo, CL_MEM_CONTEXT)
OWNER(of_event, cl_event, clGetEventInfo, CL_EVENT_CONTEXT)
OWNER(of_program, cl_program, clGetProgramInfo, CL_PROGRAM_CONTEXT)
OWNER(of_kernel, cl_kernel, clGetKernelInfo, CL_KERNEL_CONTEXT)

/* With the lock.  The next context may have the address of one that was lost and released. */
static void forget(cl_context c)
{
	size_t i;

	for (i = 0; i < LOST; i++)
		if (lost[i] == c)
			lost[i] = NULL;
}

static int is_lost(cl_context c)
{
	int found = 0;
	size_t i;

	pthread_mutex_lock(&lock);
	for (i = 0; c && i < LOST; i++)
		found |= lost[i] == c;
	pthread_mutex_unlock(&lock);
	return found;
}

/* The code by which a call on an object of this context fails, or CL_SUCCESS. */
static cl_int fault(cl_context c)
{
	static const cl_int codes[] = { CL_OUT_OF_RESOURCES, CL_OUT_OF_HOST_MEMORY,
		                        CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_INVALID_VALUE,
		                        CL_INVALID_OPERATION };

	if (is_lost(c))
		return CL_DEVICE_NOT_AVAILABLE;
	if (c && happens(LAYER_LOSE)) {
		pthread_mutex_lock(&lock);
		lost[lost_next++ % LOST] = c;
		if (c == shared) {
			layer_next.clReleaseContext(shared);
			shared = NULL;
		}
		pthread_mutex_unlock(&lock);
		return CL_DEVICE_NOT_AVAILABLE;
	}
	return happens(LAYER_FAIL) ? codes[chance() % 5] : CL_SUCCESS;
}

#define CODE(name, owner, parameters, arguments) \
	static cl_int CL_API_CALL own_##name parameters \
	{ \
		const cl_int code = fault(owner); \
\
		return code != CL_SUCCESS ? code : layer_next.name arguments; \
	}
#define INFO(name, type, what, owner) \
	CODE(name, owner, (type x, what w, size_t n, void *v, size_t *r), (x, w, n, v, r))

CODE(clGetPlatformIDs, NULL, (cl_uint n, cl_platform_id *p, cl_uint *m), (n, p, m))
CODE(clGetDeviceIDs, NULL,
     (cl_platform_id p, cl_device_type t, cl_uint n, cl_device_id *d, cl_uint *m), (p, t, n, d, m))
INFO(clGetPlatformInfo, cl_platform_id, cl_platform_info, NULL)
INFO(clGetContextInfo, cl_context, cl_context_info, x)
INFO(clGetCommandQueueInfo, cl_command_queue, cl_command_queue_info, of_queue(x))
INFO(clGetMemObjectInfo, cl_mem, cl_mem_info, of_mem(x))
INFO(clGetEventInfo, cl_event, cl_event_info, of_event(x))
INFO(clGetEventProfilingInfo, cl_event, cl_profiling_info, of_event(x))
INFO(clGetProgramInfo, cl_program, cl_program_info, of_program(x))
INFO(clGetKernelInfo, cl_kernel, cl_kernel_info, of_kernel(x))
CODE(clFlush, of_queue(q), (cl_command_queue q), (q))
CODE(clGetProgramBuildInfo, of_program(p),
     (cl_program p, cl_device_id d, cl_program_build_info w, size_t n, void *v, size_t *r),
     (p, d, w, n, v, r))

static cl_int CL_API_CALL own_clGetDeviceInfo(cl_device_id d, cl_device_info w, size_t n, void *v,
                                              size_t *r)
{
	const cl_int code = fault(NULL);

	return code != CL_SUCCESS ? code : layer_device_info(d, w, n, v, r);
}

static cl_int CL_API_CALL own_clGetKernelWorkGroupInfo(cl_kernel k, cl_device_id d,
                                                       cl_kernel_work_group_info w, size_t n,
                                                       void *v, size_t *r)
{
	const cl_int code = fault(of_kernel(k));

	return code != CL_SUCCESS ? code : layer_group_info(k, d, w, n, v, r);
}

/* -cl-kernel-arg-info, to know what a kernel writes. */
static cl_int CL_API_CALL own_clBuildProgram(cl_program p, cl_uint n, const cl_device_id *d,
                                             const char *options,
                                             void(CL_CALLBACK *f)(cl_program, void *), void *u)
{
	static const char more[] = " -cl-kernel-arg-info";
	const size_t bytes = options ? strlen(options) : 0;
	cl_int code = fault(of_program(p));
	char *text;

	if (code != CL_SUCCESS)
		return code;
	if (!(text = malloc(bytes + sizeof more)))
		return CL_OUT_OF_HOST_MEMORY;
	memcpy(text, options ? options : "", bytes);
	memcpy(text + bytes, more, sizeof more);
	code = layer_next.clBuildProgram(p, n, d, text, f, u);
	free(text);
	return code;
}

/* ---- Waits ------------------------------------------------------------------------- */

/* Each second failure has not waited, so that one of three in a row has. */
static int skips_wait(cl_int code)
{
	static int odd;
	int skips;

	pthread_mutex_lock(&lock);
	odd = !odd;
	skips = odd && code != CL_DEVICE_NOT_AVAILABLE;
	pthread_mutex_unlock(&lock);
	return skips;
}

static cl_int CL_API_CALL own_clFinish(cl_command_queue q)
{
	const cl_int code = fault(of_queue(q));

	if (code == CL_SUCCESS)
		return layer_next.clFinish(q);
	if (!skips_wait(code))
		layer_next.clFinish(q);
	return code;
}

static cl_int CL_API_CALL own_clWaitForEvents(cl_uint n, const cl_event *e)
{
	const cl_int code = fault(n ? of_event(*e) : NULL);

	if (code == CL_SUCCESS)
		return layer_next.clWaitForEvents(n, e);
	if (!skips_wait(code))
		layer_next.clWaitForEvents(n, e);
	return code;
}

/* ---- Objects ------------------------------------------------------------------------ */

#define MADE(type, name, owner, parameters, arguments) \
	static type CL_API_CALL own_##name parameters \
	{ \
		cl_int unread; \
		type made; \
\
		code = code ? code : &unread; \
		*code = fault(owner); \
		if (*code != CL_SUCCESS) \
			return NULL; \
		made = arguments; \
		count(*code == CL_SUCCESS); \
		return made; \
	}
#define KEPT(type, retain, release) \
	static cl_int CL_API_CALL own_##retain(type x) \
	{ \
		const cl_int code = fault(NULL); \
\
		if (code != CL_SUCCESS) \
			return code; \
		count(1); \
		return layer_next.retain(x); \
	} \
	static cl_int CL_API_CALL own_##release(type x) \
	{ \
		count(-1); \
		return layer_next.release(x); \
	}
KEPT(cl_context, clRetainContext, clReleaseContext)
KEPT(cl_command_queue, clRetainCommandQueue, clReleaseCommandQueue)
KEPT(cl_mem, clRetainMemObject, clReleaseMemObject)
KEPT(cl_event, clRetainEvent, clReleaseEvent)
KEPT(cl_program, clRetainProgram, clReleaseProgram)
KEPT(cl_kernel, clRetainKernel, clReleaseKernel)

static cl_context new_context(const cl_context_properties *p, cl_uint n, const cl_device_id *d,
                              void(CL_CALLBACK *f)(const char *, const void *, size_t, void *),
                              void *u, cl_int *code)
{
	cl_context made;

	pthread_mutex_lock(&lock);
	*code = CL_SUCCESS;
	made = shares ? shared : NULL;
	if (!made) {
		made = layer_next.clCreateContext(p, n, d, f, u, code);
		forget(made);
	}
	if (made && shares) {
		shared = made;
		*code = layer_next.clRetainContext(made);
	}
	pthread_mutex_unlock(&lock);
	return made;
}
MADE(cl_context, clCreateContext, NULL,
     (const cl_context_properties *p, cl_uint n, const cl_device_id *d,
      void(CL_CALLBACK *f)(const char *, const void *, size_t, void *), void *u, cl_int *code),
     new_context(p, n, d, f, u, code))
MADE(cl_command_queue, clCreateCommandQueue, c,
     (cl_context c, cl_device_id d, cl_command_queue_properties p, cl_int *code),
     layer_new_queue(c, d, p, code))
MADE(cl_mem, clCreateBuffer, c, (cl_context c, cl_mem_flags f, size_t n, void *p, cl_int *code),
     layer_new_buffer(c, f, n, p, code))
MADE(cl_mem, clCreateSubBuffer, of_mem(m),
     (cl_mem m, cl_mem_flags f, cl_buffer_create_type t, const void *i, cl_int *code),
     layer_next.clCreateSubBuffer(m, f, t, i, code))
MADE(cl_mem, clCreateImage, c,
     (cl_context c, cl_mem_flags f, const cl_image_format *i, const cl_image_desc *d, void *p,
      cl_int *code),
     layer_new_image(c, f, i, d, p, code))
MADE(cl_program, clCreateProgramWithSource, c,
     (cl_context c, cl_uint n, const char **s, const size_t *l, cl_int *code),
     layer_new_program(c, n, s, l, code))
MADE(cl_program, clCreateProgramWithBinary, c,
     (cl_context c, cl_uint n, const cl_device_id *d, const size_t *l, const unsigned char **b,
      cl_int *s, cl_int *code),
     layer_next.clCreateProgramWithBinary(c, n, d, l, b, s, code))

/* ---- Commands ----------------------------------------------------------------------- */

struct held {
	cl_event event;
	long nanoseconds;
	struct held *next;
};
static struct held *stuck;

static void *let_go(void *argument)
{
	struct held *h = argument;
	const struct timespec t = { 0, h->nanoseconds };

	nanosleep(&t, NULL);
	layer_next.clSetUserEventStatus(h->event, CL_COMPLETE);
	layer_next.clReleaseEvent(h->event);
	free(h);
	return NULL;
}

/* They do not fail, since PoCL 3.1 ends the process where an event that commands wait for fails. */
int layer_unstick(void)
{
	struct held *h, *next;
	int n = 0;

	pthread_mutex_lock(&lock);
	h = stuck;
	stuck = NULL;
	pthread_mutex_unlock(&lock);
	for (; h; h = next, n++) {
		next = h->next;
		layer_next.clSetUserEventStatus(h->event, CL_COMPLETE);
		layer_next.clReleaseEvent(h->event);
		free(h);
	}
	return n;
}

/* What comes in this queue waits: for some milliseconds, or for ever. */
static void hold(cl_command_queue q)
{
	const int ever = happens(LAYER_STUCK), later = !ever && happens(LAYER_DELAY);
	struct held *h = ever || later ? calloc(1, sizeof *h) : NULL;
	pthread_t thread;
	cl_int code;

	if (!h)
		return;
	h->event = layer_next.clCreateUserEvent(of_queue(q), &code);
	h->nanoseconds = (long)(chance() % 10000000);
	if (code != CL_SUCCESS ||
	    layer_next.clEnqueueBarrierWithWaitList(q, 1, &h->event, NULL) != CL_SUCCESS)
		abort();
	if (ever) {
		pthread_mutex_lock(&lock);
		h->next = stuck;
		stuck = h;
		pthread_mutex_unlock(&lock);
	} else {
		if (pthread_create(&thread, NULL, let_go, h))
			abort();
		pthread_detach(thread);
	}
}

#define COMMAND(name, parameters, arguments) \
	static cl_int CL_API_CALL own_##name parameters \
	{ \
		cl_int code = fault(of_queue(q)); \
\
		if (code != CL_SUCCESS) \
			return code; \
		hold(q); \
		code = arguments; \
		count(code == CL_SUCCESS && event); \
		return code; \
	}
#define WAIT cl_uint n, const cl_event *w, cl_event *event

COMMAND(clEnqueueMarkerWithWaitList, (cl_command_queue q, WAIT),
        layer_next.clEnqueueMarkerWithWaitList(q, n, w, event))
COMMAND(clEnqueueBarrierWithWaitList, (cl_command_queue q, WAIT),
        layer_next.clEnqueueBarrierWithWaitList(q, n, w, event))
COMMAND(clEnqueueUnmapMemObject, (cl_command_queue q, cl_mem m, void *p, WAIT),
        layer_next.clEnqueueUnmapMemObject(q, m, p, n, w, event))
COMMAND(clEnqueueCopyBuffer,
        (cl_command_queue q, cl_mem s, cl_mem d, size_t so, size_t to, size_t bytes, WAIT),
        layer_next.clEnqueueCopyBuffer(q, s, d, so, to, bytes, n, w, event))
COMMAND(clEnqueueCopyBufferRect,
        (cl_command_queue q, cl_mem s, cl_mem d, const size_t *so, const size_t *to,
         const size_t *r, size_t srp, size_t ssp, size_t drp, size_t dsp, WAIT),
        layer_next.clEnqueueCopyBufferRect(q, s, d, so, to, r, srp, ssp, drp, dsp, n, w, event))
COMMAND(clEnqueueCopyBufferToImage,
        (cl_command_queue q, cl_mem s, cl_mem d, size_t at, const size_t *o, const size_t *r, WAIT),
        layer_next.clEnqueueCopyBufferToImage(q, s, d, at, o, r, n, w, event))
COMMAND(clEnqueueReadBuffer,
        (cl_command_queue q, cl_mem m, cl_bool b, size_t at, size_t bytes, void *p, WAIT),
        layer_next.clEnqueueReadBuffer(q, m, b, at, bytes, p, n, w, event))
COMMAND(clEnqueueWriteBuffer,
        (cl_command_queue q, cl_mem m, cl_bool b, size_t at, size_t bytes, const void *p, WAIT),
        layer_next.clEnqueueWriteBuffer(q, m, b, at, bytes, p, n, w, event))
COMMAND(clEnqueueReadBufferRect,
        (cl_command_queue q, cl_mem m, cl_bool b, const size_t *bo, const size_t *ho,
         const size_t *r, size_t brp, size_t bsp, size_t hrp, size_t hsp, void *p, WAIT),
        layer_next.clEnqueueReadBufferRect(q, m, b, bo, ho, r, brp, bsp, hrp, hsp, p, n, w, event))
COMMAND(clEnqueueWriteBufferRect,
        (cl_command_queue q, cl_mem m, cl_bool b, const size_t *bo, const size_t *ho,
         const size_t *r, size_t brp, size_t bsp, size_t hrp, size_t hsp, const void *p, WAIT),
        layer_next.clEnqueueWriteBufferRect(q, m, b, bo, ho, r, brp, bsp, hrp, hsp, p, n, w, event))

static void *CL_API_CALL own_clEnqueueMapBuffer(cl_command_queue q, cl_mem m, cl_bool b,
                                                cl_map_flags f, size_t at, size_t bytes, WAIT,
                                                cl_int *code)
{
	cl_int unread;
	void *mapped;

	code = code ? code : &unread;
	*code = fault(of_queue(q));
	if (*code != CL_SUCCESS)
		return NULL;
	hold(q);
	mapped = layer_next.clEnqueueMapBuffer(q, m, b, f, at, bytes, n, w, event, code);
	count(*code == CL_SUCCESS && event);
	return mapped;
}

/* ---- Kernels -------------------------------------------------------------------------- */

/* The arrays that kernels were given last. */
struct argument {
	cl_kernel kernel;
	cl_uint index;
	cl_mem mem;
	struct argument *next;
};
static struct argument *arguments;

static cl_int CL_API_CALL own_clSetKernelArg(cl_kernel k, cl_uint i, size_t n, const void *v)
{
	const cl_int code = fault(of_kernel(k));
	cl_mem mem = NULL;
	struct argument *a;

	if (code != CL_SUCCESS)
		return code;
	if (v && n == sizeof mem && one_of[LAYER_WRONG]) {
		memcpy(&mem, v, sizeof mem);
		pthread_mutex_lock(&lock);
		for (a = arguments; a && (a->kernel != k || a->index != i); a = a->next)
			;
		if (!a && (a = calloc(1, sizeof *a))) {
			a->kernel = k;
			a->index = i;
			a->next = arguments;
			arguments = a;
		}
		if (a)
			a->mem = mem;
		pthread_mutex_unlock(&lock);
	}
	return layer_next.clSetKernelArg(k, i, n, v);
}

static cl_kernel new_kernel(cl_program p, const char *name, cl_int *code)
{
	cl_kernel made = layer_next.clCreateKernel(p, name, code);
	struct argument **at, *a;

	pthread_mutex_lock(&lock);
	for (at = &arguments; (a = *at) != NULL;)
		if (a->kernel == made) {
			*at = a->next;
			free(a);
		} else {
			at = &a->next;
		}
	pthread_mutex_unlock(&lock);
	return made;
}
MADE(cl_kernel, clCreateKernel, of_program(p), (cl_program p, const char *name, cl_int *code),
     new_kernel(p, name, code))

static int is_output(cl_kernel k, cl_uint i)
{
	cl_kernel_arg_address_qualifier where = 0;
	cl_kernel_arg_type_qualifier how = 0;

	return layer_next.clGetKernelArgInfo(k, i, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof where,
	                                     &where, NULL) == CL_SUCCESS &&
	       layer_next.clGetKernelArgInfo(k, i, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof how, &how,
	                                     NULL) == CL_SUCCESS &&
	       where == CL_KERNEL_ARG_ADDRESS_GLOBAL && !(how & CL_KERNEL_ARG_TYPE_CONST);
}

/* Flips the highest bit of an exponent: of a float, a double, or two halves. */
static void flip(cl_command_queue q, cl_kernel k)
{
	cl_mem outputs[8];
	size_t n = 0, bytes = 0, at;
	struct argument *a;
	cl_uint word;

	pthread_mutex_lock(&lock);
	for (a = arguments; a && n < 8; a = a->next)
		if (a->kernel == k && is_output(k, a->index))
			outputs[n++] = a->mem;
	pthread_mutex_unlock(&lock);
	if (!n)
		return;
	n = chance() % n;
	layer_next.clGetMemObjectInfo(outputs[n], CL_MEM_SIZE, sizeof bytes, &bytes, NULL);
	if (bytes < sizeof word)
		return;
	at = chance() % (bytes / sizeof word) | 1;
	at = at * sizeof word + sizeof word <= bytes ? at * sizeof word : 0;
	if (layer_next.clEnqueueReadBuffer(q, outputs[n], CL_TRUE, at, sizeof word, &word, 0, NULL,
	                                   NULL) != CL_SUCCESS)
		return;
	word ^= 0x40004000;
	layer_next.clEnqueueWriteBuffer(q, outputs[n], CL_TRUE, at, sizeof word, &word, 0, NULL,
	                                NULL);
}

static cl_int launch(cl_command_queue q, cl_kernel k, cl_uint d, const size_t *o, const size_t *g,
                     const size_t *l, WAIT)
{
	cl_int code = layer_may_launch(q, k, d, l);

	if (code == CL_SUCCESS)
		code = layer_next.clEnqueueNDRangeKernel(q, k, d, o, g, l, n, w, event);
	if (code == CL_SUCCESS && happens(LAYER_WRONG))
		flip(q, k);
	return code;
}
COMMAND(clEnqueueNDRangeKernel,
        (cl_command_queue q, cl_kernel k, cl_uint d, const size_t *o, const size_t *g,
         const size_t *l, WAIT),
        launch(q, k, d, o, g, l, n, w, event))

/* ---- What the loader asks for ------------------------------------------------------------ */

CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info what, size_t n, void *v, size_t *r)
{
	static const cl_layer_api_version version = CL_LAYER_API_VERSION_100;

	if (what != CL_LAYER_API_VERSION || (v && n < sizeof version))
		return CL_INVALID_VALUE;
	if (v)
		memcpy(v, &version, sizeof version);
	if (r)
		*r = sizeof version;
	return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint n, const cl_icd_dispatch *next, cl_uint *count,
                                            const cl_icd_dispatch **table)
{
	if (n < sizeof own / sizeof(void *) || !next || !count || !table)
		return CL_INVALID_VALUE;
	layer_next = own = *next;
#define OWN(name) own.name = own_##name;
	OWN(clGetPlatformIDs)
	OWN(clGetPlatformInfo)
	OWN(clGetDeviceIDs)
	OWN(clGetDeviceInfo)
	OWN(clCreateContext)
	OWN(clRetainContext)
	OWN(clReleaseContext)
	OWN(clGetContextInfo)
	OWN(clCreateCommandQueue)
	OWN(clRetainCommandQueue)
	OWN(clReleaseCommandQueue)
	OWN(clGetCommandQueueInfo)
	OWN(clCreateBuffer)
	OWN(clCreateSubBuffer)
	OWN(clCreateImage)
	OWN(clRetainMemObject)
	OWN(clReleaseMemObject)
	OWN(clGetMemObjectInfo)
	OWN(clCreateProgramWithSource)
	OWN(clCreateProgramWithBinary)
	OWN(clRetainProgram)
	OWN(clReleaseProgram)
	OWN(clBuildProgram)
	OWN(clGetProgramInfo)
	OWN(clGetProgramBuildInfo)
	OWN(clCreateKernel)
	OWN(clRetainKernel)
	OWN(clReleaseKernel)
	OWN(clSetKernelArg)
	OWN(clGetKernelInfo)
	OWN(clGetKernelWorkGroupInfo)
	OWN(clWaitForEvents)
	OWN(clGetEventInfo)
	OWN(clRetainEvent)
	OWN(clReleaseEvent)
	OWN(clGetEventProfilingInfo)
	OWN(clFlush)
	OWN(clFinish)
	OWN(clEnqueueReadBuffer)
	OWN(clEnqueueWriteBuffer)
	OWN(clEnqueueCopyBuffer)
	OWN(clEnqueueReadBufferRect)
	OWN(clEnqueueWriteBufferRect)
	OWN(clEnqueueCopyBufferRect)
	OWN(clEnqueueCopyBufferToImage)
	OWN(clEnqueueMapBuffer)
	OWN(clEnqueueUnmapMemObject)
	OWN(clEnqueueNDRangeKernel)
	OWN(clEnqueueMarkerWithWaitList)
	OWN(clEnqueueBarrierWithWaitList)
	*count = sizeof own / sizeof(void *);
	*table = &own;
	layer_set(getenv("CLOPT_LAYER"));
	return CL_SUCCESS;
}
