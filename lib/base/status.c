/* SPDX-License-Identifier: MIT */
/*
 * status.c - statuses, and the message of the last failure.
 *
 * Each thread has its message, so that two threads on one context do not overwrite each other's;
 * the context keeps a copy of the latest.  Messages are fixed arrays, so that a lack of memory can
 * be reported too.  A build log is cut to fit.
 */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L /* clock_gettime, also under -std=c99 */
#endif
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "context.h"
#include "system.h"

static __thread struct {
	const struct clopt *ctx;
	size_t serial; /* of ctx */
	struct sentence doing; /* the current call */
	char text[ERROR_SIZE];
} last;

const char *clopt_version(void)
{
#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
	return TEXT(CLOPT_VERSION_MAJOR) "." TEXT(CLOPT_VERSION_MINOR) "." TEXT(
	        CLOPT_VERSION_PATCH);
}

int clopt_version_number(void)
{
	return 10000 * CLOPT_VERSION_MAJOR + 100 * CLOPT_VERSION_MINOR + CLOPT_VERSION_PATCH;
}

const char *clopt_strerror(int status)
{
#define STATUS_CASE(name, number, text) \
	case number: \
		return text;
	switch (status) {
		CLOPT_STATUS_MAP(STATUS_CASE)
	default:
		return "not a status of libclopt";
	}
}

const char *clopt_error(const struct clopt *ctx)
{
	/* Memory that may be freed is read only if this thread has a message that may be the
	 * context's. */
	if (!*last.text || (last.ctx && last.ctx != ctx))
		return "";
	if (ctx && (clopt__freed(ctx) || (!clopt__forked(ctx) && !clopt__open_here(ctx))))
		ctx = NULL; /* since calls on it fail */
	return last.ctx == ctx && (!ctx || last.serial == ctx->serial) ? last.text : "";
}

size_t clopt_error_copy(struct clopt *ctx, char *text, size_t size)
{
	const int shared = ctx && !clopt__forked(ctx);
	const char *from = shared ? ctx->shared->text : clopt_error(ctx);
	size_t length;

	if (shared)
		pthread_mutex_lock(&ctx->shared->lock);
	length = strlen(from);
	if (text && size)
		snprintf(text, size, "%s", from);
	if (shared)
		pthread_mutex_unlock(&ctx->shared->lock);
	return length ? length + 1 : 0;
}

int clopt__freed(const struct clopt *ctx)
{
	return ctx->self != ctx;
}

int clopt__forked(const struct clopt *ctx)
{
	return clopt__freed(ctx) || ctx->lineage != clopt__lineage();
}

int clopt__flag(const int *flag)
{
	return __atomic_load_n(flag, __ATOMIC_SEQ_CST);
}

int clopt__open_here(const struct clopt *ctx)
{
	return ctx && !clopt__forked(ctx) && !clopt__flag(&ctx->shared->closed);
}

static void say_text(const void *what, char *text, size_t size)
{
	snprintf(text, size, "%s", (const char *)what);
}

struct sentence clopt__words(const char *text)
{
	return (struct sentence){ text ? say_text : NULL, text };
}

struct sentence clopt__doing(struct sentence call)
{
	const struct sentence before = last.doing;

	last.doing = call;
	return before;
}

void clopt__done(void)
{
	last.doing.say = NULL;
}

void clopt__say_doing(char *text, size_t size)
{
	last.doing.say(last.doing.what, text, size);
}

void clopt__forget(const struct clopt *ctx)
{
	if (last.ctx == ctx) {
		last.ctx = NULL;
		last.text[0] = '\0';
	}
}

int clopt__fail(const struct clopt *ctx, int status, const char *format, ...)
{
	char doing[160];
	va_list args;
	int n = 0;

	last.ctx = ctx;
	last.serial = ctx ? ctx->serial : 0;
	if (last.doing.say) {
		clopt__say_doing(doing, sizeof doing);
		n = snprintf(last.text, sizeof last.text, "%s: ", doing);
	}
	va_start(args, format);
	vsnprintf(last.text + n, sizeof last.text - (size_t)n, format, args);
	va_end(args);
	if (ctx && !clopt__forked(ctx)) {
		pthread_mutex_lock(&ctx->shared->lock);
		strcpy(ctx->shared->text, last.text);
		pthread_mutex_unlock(&ctx->shared->lock);
	}
	return status;
}

/* OpenCL's codes by name, with the usual cause where the name does not say it. */
static const struct {
	cl_int code;
	const char *name, *hint;
} codes[] = {
	{ -1, "CL_DEVICE_NOT_FOUND", NULL },
	{ -2, "CL_DEVICE_NOT_AVAILABLE", "another process may hold the device exclusively" },
	{ -3, "CL_COMPILER_NOT_AVAILABLE", NULL },
	{ -4, "CL_MEM_OBJECT_ALLOCATION_FAILURE",
	  "the device is out of memory: free some, or set CLOPT_MEM_LIMIT" },
	{ -5, "CL_OUT_OF_RESOURCES",
	  "device memory, local memory or registers ran out, or an earlier kernel faulted" },
	{ -6, "CL_OUT_OF_HOST_MEMORY", NULL },
	{ -7, "CL_PROFILING_INFO_NOT_AVAILABLE", NULL },
	{ -8, "CL_MEM_COPY_OVERLAP", NULL },
	{ -9, "CL_IMAGE_FORMAT_MISMATCH", NULL },
	{ -10, "CL_IMAGE_FORMAT_NOT_SUPPORTED", NULL },
	{ -11, "CL_BUILD_PROGRAM_FAILURE", NULL },
	{ -12, "CL_MAP_FAILURE", NULL },
	{ -13, "CL_MISALIGNED_SUB_BUFFER_OFFSET", NULL },
	{ -14, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST", "an earlier command failed" },
	{ -15, "CL_COMPILE_PROGRAM_FAILURE", NULL },
	{ -16, "CL_LINKER_NOT_AVAILABLE", NULL },
	{ -17, "CL_LINK_PROGRAM_FAILURE", NULL },
	{ -18, "CL_DEVICE_PARTITION_FAILED", NULL },
	{ -19, "CL_KERNEL_ARG_INFO_NOT_AVAILABLE", NULL },
	{ -30, "CL_INVALID_VALUE", NULL },
	{ -31, "CL_INVALID_DEVICE_TYPE", NULL },
	{ -32, "CL_INVALID_PLATFORM", NULL },
	{ -33, "CL_INVALID_DEVICE", NULL },
	{ -34, "CL_INVALID_CONTEXT", NULL },
	{ -35, "CL_INVALID_QUEUE_PROPERTIES", NULL },
	{ -36, "CL_INVALID_COMMAND_QUEUE",
	  "an earlier kernel faulted and took the context with it" },
	{ -37, "CL_INVALID_HOST_PTR", NULL },
	{ -38, "CL_INVALID_MEM_OBJECT", NULL },
	{ -39, "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR", NULL },
	{ -40, "CL_INVALID_IMAGE_SIZE", NULL },
	{ -41, "CL_INVALID_SAMPLER", NULL },
	{ -42, "CL_INVALID_BINARY", NULL },
	{ -43, "CL_INVALID_BUILD_OPTIONS", NULL },
	{ -44, "CL_INVALID_PROGRAM", NULL },
	{ -45, "CL_INVALID_PROGRAM_EXECUTABLE", NULL },
	{ -46, "CL_INVALID_KERNEL_NAME", NULL },
	{ -47, "CL_INVALID_KERNEL_DEFINITION", NULL },
	{ -48, "CL_INVALID_KERNEL", NULL },
	{ -49, "CL_INVALID_ARG_INDEX", NULL },
	{ -50, "CL_INVALID_ARG_VALUE", NULL },
	{ -51, "CL_INVALID_ARG_SIZE", NULL },
	{ -52, "CL_INVALID_KERNEL_ARGS", NULL },
	{ -53, "CL_INVALID_WORK_DIMENSION", NULL },
	{ -54, "CL_INVALID_WORK_GROUP_SIZE", NULL },
	{ -55, "CL_INVALID_WORK_ITEM_SIZE", NULL },
	{ -56, "CL_INVALID_GLOBAL_OFFSET", NULL },
	{ -57, "CL_INVALID_EVENT_WAIT_LIST", NULL },
	{ -58, "CL_INVALID_EVENT", NULL },
	{ -59, "CL_INVALID_OPERATION", NULL },
	{ -61, "CL_INVALID_BUFFER_SIZE", "one array is larger than the device allows" },
	{ -63, "CL_INVALID_GLOBAL_WORK_SIZE", NULL },
	{ -64, "CL_INVALID_PROPERTY", NULL },
	{ -65, "CL_INVALID_IMAGE_DESCRIPTOR", NULL },
	{ -66, "CL_INVALID_COMPILER_OPTIONS", NULL },
	{ -67, "CL_INVALID_LINKER_OPTIONS", NULL },
	{ -68, "CL_INVALID_DEVICE_PARTITION_COUNT", NULL },
	{ -1001, "CL_PLATFORM_NOT_FOUND_KHR",
	  "no OpenCL driver is registered: install the vendor's, or pocl-opencl-icd" },
	{ -9999, "an illegal access in a kernel (NVIDIA)", "the context is lost" },
	{ 0, "an unknown code", NULL },
};

static size_t find(cl_int code)
{
	size_t i = 0;

	while (codes[i].code && codes[i].code != code)
		i++;
	return i;
}

const char *clopt__cl_name(cl_int code)
{
	return codes[find(code)].name;
}

/* Whether the code means that the device, or OpenCL's context, is lost. */
static int is_loss(cl_int code)
{
	return code == CL_DEVICE_NOT_AVAILABLE || code == CL_INVALID_COMMAND_QUEUE || code == -9999;
}

int clopt__lose(const struct clopt *ctx)
{
	__atomic_store_n(&ctx->shared->lost, 1, __ATOMIC_SEQ_CST);
	return CLOPT_ELOST;
}

int clopt__fail_cl(const struct clopt *ctx, cl_int code, const char *call)
{
	const char *hint = codes[find(code)].hint;
	int status = code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_HOST_MEMORY ||
	                             code == CL_INVALID_BUFFER_SIZE ?
	                     CLOPT_ENOMEM :
	             ctx && is_loss(code) ? clopt__lose(ctx) :
	                                    CLOPT_EDEVICE;

	return clopt__fail(ctx, status, "%.*s failed with %s (%d) on %s%s%s",
	                   (int)strcspn(call, "("), call, clopt__cl_name(code), (int)code,
	                   ctx ? ctx->device.info.name : "the platform", hint ? ": " : "",
	                   hint ? hint : "");
}

int clopt__code(const struct clopt *ctx, cl_int code, const char *call)
{
	return code == CL_SUCCESS ? CLOPT_OK : clopt__fail_cl(ctx, code, call);
}

double clopt__now(void)
{
	struct timespec t = { 0, 0 };

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
