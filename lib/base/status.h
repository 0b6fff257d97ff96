/* SPDX-License-Identifier: MIT */
/*
 * status.h - failing: statuses, the text of the last failure, time.
 */
#ifndef CLOPT_BASE_STATUS_H
#define CLOPT_BASE_STATUS_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#ifdef __APPLE__
#include <OpenCL/cl.h>
#else
#include <CL/cl.h>
#endif

#include "clopt_device.h"
#include "clopt_tune.h"
#include "system.h"

/* Structs that own things are valid when zero; a function has one label `out`, reached by these. */
#define TRY(call) \
	do { \
		if ((rc = (call)) != CLOPT_OK) \
			goto out; \
	} while (0)
#define TRY_CL(ctx, call) \
	do { \
		cl_int e_ = (call); \
		if (e_ != CL_SUCCESS) { \
			rc = clopt__fail_cl(ctx, e_, #call); \
			goto out; \
		} \
	} while (0)

/* For calls that return their code through a pointer. */
#define TRY_CODE(ctx, code, name) \
	do { \
		if ((code) != CL_SUCCESS) { \
			rc = clopt__fail_cl(ctx, code, name); \
			goto out; \
		} \
	} while (0)

/* Both keep the text for clopt_error and return the status.  `call` may be a whole call expression;
 * the text shows the name before '('. */
int clopt__fail(const struct clopt *ctx, int status, const char *format, ...) PRINTF_LIKE(3, 4);
/* From now on calls on the context fail with CLOPT_ELOST, which is returned. */
int clopt__lose(const struct clopt *ctx);
int clopt__fail_cl(const struct clopt *ctx, cl_int code, const char *call);
const char *clopt__cl_name(cl_int code);
/* Whether this process is a child of the one that opened ctx.  Then its locks may be held by
 * threads that are not here, and its driver does not work. */
int clopt__forked(const struct clopt *ctx);
/* Whether its memory is freed, as far as nobody else has got that.  clopt__forked says yes, too. */
int clopt__freed(const struct clopt *ctx);
/* Whether ctx is open, and this process opened it. */
int clopt__open_here(const struct clopt *ctx);
/* A field of the shared state. */
int clopt__flag(const struct clopt *ctx, const int *flag);
/* Drop this thread's text for ctx before ctx is freed. */
void clopt__forget(const struct clopt *ctx);
/* A sentence that is formatted only when it is needed. */
struct sentence {
	void (*say)(const void *what, char *text, size_t size);
	const void *what;
};
struct sentence clopt__words(const char *text); /* NULL: none */
/* Failures of this thread begin with this sentence until clopt__done; `what` must stay valid until
 * then. */
struct sentence clopt__doing(struct sentence call); /* returns the one before */
void clopt__done(void);
/* The sentence of clopt__doing. */
void clopt__say_doing(char *text, size_t size);

double clopt__now(void);

#endif
