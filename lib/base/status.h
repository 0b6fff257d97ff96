/* SPDX-License-Identifier: MIT */
/*
 * status.h - failures: statuses, the message of the last failure; time.
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

/* A function has one label `out`, which these jump to.  Structs that own something are valid when
 * zero. */
#define TRY(call) \
	do { \
		if ((rc = (call)) != CLOPT_OK) \
			goto out; \
	} while (0)
#define TRY_CL(ctx, call) TRY(clopt__code(ctx, call, #call))
/* For OpenCL calls that return their code through a pointer. */
#define TRY_CODE(ctx, code, name) TRY(clopt__code(ctx, code, name))

/* Set the message for clopt_error and return the status.  code: if it is CL_SUCCESS, return
 * CLOPT_OK.  call: a call expression, of which the message shows the name before '('. */
int clopt__fail(const struct clopt *ctx, int status, const char *format, ...) PRINTF_LIKE(3, 4);
/* Make later calls on the context fail with CLOPT_ELOST.  Returns CLOPT_ELOST. */
int clopt__lose(const struct clopt *ctx);
int clopt__fail_cl(const struct clopt *ctx, cl_int code, const char *call);
int clopt__code(const struct clopt *ctx, cl_int code, const char *call);
const char *clopt__cl_name(cl_int code);
/* Whether this process is a child of the one that opened ctx.  Then threads that do not exist here
 * may hold its locks, and its driver does not work. */
int clopt__forked(const struct clopt *ctx);
/* Whether the memory of ctx is freed, unless it is already reused.  Then clopt__forked is
 * true, too. */
int clopt__freed(const struct clopt *ctx);
/* Whether ctx is open, and this process opened it. */
int clopt__open_here(const struct clopt *ctx);
/* Read a flag of the shared state. */
int clopt__flag(const int *flag);
/* Drop this thread's message for ctx, before ctx is freed. */
void clopt__forget(const struct clopt *ctx);
/* A sentence that is formatted only when it is needed. */
struct sentence {
	void (*say)(const void *what, char *text, size_t size);
	const void *what;
};
struct sentence clopt__words(const char *text); /* NULL: no sentence */
/* Begin this thread's messages with this sentence until clopt__done.  `what` must stay valid until
 * then. */
struct sentence clopt__doing(struct sentence call); /* returns the previous sentence */
void clopt__done(void);
/* Write the sentence of clopt__doing. */
void clopt__say_doing(char *text, size_t size);

double clopt__now(void);

#endif
