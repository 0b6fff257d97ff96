/* SPDX-License-Identifier: MIT */
/*
 * running.h - the call that runs on a context: cancelling, progress, and functions of the caller's
 * that are called meanwhile.
 */
#ifndef CLOPT_BASE_RUNNING_H
#define CLOPT_BASE_RUNNING_H

#include "status.h"

/* Of struct clopt_options, and the state of the call; valid when zero. */
struct running {
	void (*log)(void *user, const char *line);
	void *log_user;
	int (*progress)(void *user, double done);
	void *progress_user;
	size_t count; /* of calls so far */
	/* The running call: twice its count, and 1 once it is cancelled; 0: none runs.  Atomic. */
	size_t call;
	double first, share; /* the part of the call that is being done, of 0 to 1 */
	double done, told; /* the most so far; when progress was called */
};

/* Around a call that can be cancelled; the context is locked. */
void clopt__running_begin(struct clopt *ctx);
void clopt__running_end(struct clopt *ctx);
int clopt__is_cancelled(const struct clopt *ctx);
/* Between two pieces of work, by the thread of the call: calls progress if it is time, with `done`
 * of the present part, 0 to 1.  CLOPT_ECANCELED: the call is to end. */
int clopt__go_on(struct clopt *ctx, double done);

/* What comes now is item i of n of the present part; n 0: no part of it.  Returns the present part
 * for clopt__whole. */
struct stretch {
	double first, share;
};
struct stretch clopt__part(struct clopt *ctx, size_t i, size_t n);
void clopt__whole(struct clopt *ctx, struct stretch before);

/* They enclose a call of a function of the caller's, which must not call functions on ctx.  If it
 * does not return, but jumps or throws, ctx stays locked, and calls on it from this thread go on to
 * fail. */
struct outside {
	const struct clopt *ctx;
	struct sentence doing;
};
void clopt__outside(const struct clopt *ctx, struct outside *o);
void clopt__back(const struct outside *o);
/* Whether this thread is in such a function, so that ctx is locked by this thread. */
int clopt__is_outside(const struct clopt *ctx);
/* CLOPT_EINVAL if it is. */
int clopt__is_callable(const struct clopt *ctx);

/* A line of text for log, or for standard error. */
void clopt__notice(const struct clopt *ctx, const char *format, ...) PRINTF_LIKE(2, 3);

#endif
