/* SPDX-License-Identifier: MIT */
/*
 * status.h - failing: statuses, the text of the last failure, time and notices.
 */
#ifndef CLOPT_BASE_STATUS_H
#define CLOPT_BASE_STATUS_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>

#include "clopt_device.h"
#include "clopt_tune.h"

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
int clopt__fail(const struct clopt *ctx, int status, const char *format, ...)
        __attribute__((format(printf, 3, 4)));
int clopt__fail_cl(const struct clopt *ctx, cl_int code, const char *call);
const char *clopt__cl_name(cl_int code);
/* Drop this thread's text for ctx before ctx is freed. */
void clopt__forget(const struct clopt *ctx);
/* A sentence that is formatted only when it is needed. */
struct sentence {
	void (*say)(const void *what, char *text, size_t size);
	const void *what;
};
struct sentence clopt__words(const char *text);
/* Failures of this thread begin with this sentence until clopt__done; `what` must stay valid until
 * then. */
void clopt__doing(struct sentence call);
void clopt__done(void);
/* The sentence of clopt__doing. */
void clopt__say_doing(char *text, size_t size);
/* They enclose each call on a context: clopt__doing, and its lock.  A function that fails to enter
 * leaves too.  leave returns rc. */
int clopt__enter(struct clopt *ctx, struct sentence call);
int clopt__leave(struct clopt *ctx, int rc);

/* Print a line to standard error. */
void clopt__notice(const char *format, ...) __attribute__((format(printf, 1, 2)));
double clopt__now(void);

#endif
