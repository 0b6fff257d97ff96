/* SPDX-License-Identifier: MIT */
/*
 * running.h - the running call of a context: cancelling, progress, and callbacks.
 */
#ifndef CLOPT_BASE_RUNNING_H
#define CLOPT_BASE_RUNNING_H

#include "status.h"

/* Callbacks of struct clopt_options, and the state of the call; valid when zero. */
struct running {
	void (*log)(void *user, const char *line);
	void *log_user;
	int (*progress)(void *user, double done);
	void *progress_user;
	size_t count; /* number of calls so far */
	/* The running call: twice its number, plus 1 once it is cancelled; 0: none.  Atomic. */
	size_t call;
	double first, share; /* the current part of the call: a range of 0 to 1 */
	double done, told; /* furthest progress so far; time of the last call of progress */
};

/* Begin and end a call that can be cancelled.  The context is locked. */
void clopt__running_begin(struct clopt *ctx);
void clopt__running_end(struct clopt *ctx);
int clopt__is_cancelled(const struct clopt *ctx);
/* Call between two chunks of work, in the thread of the call.  Calls progress if it is time; done:
 * fraction of the current part, 0 to 1.  CLOPT_ECANCELED: the call has to end. */
int clopt__go_on(struct clopt *ctx, double done);

/* Make item i of n the current part; n 0: no progress.  Returns the enclosing part, for
 * clopt__whole. */
struct stretch {
	double first, share;
};
struct stretch clopt__part(struct clopt *ctx, size_t i, size_t n);
void clopt__whole(struct clopt *ctx, struct stretch before);

/* Begin and end a callback, which must not call functions on ctx.  If it does not return, but jumps
 * or throws, ctx stays locked, and further calls on ctx from this thread fail. */
struct outside {
	const struct clopt *ctx;
	struct sentence doing;
};
void clopt__outside(const struct clopt *ctx, struct outside *o);
void clopt__back(const struct outside *o);
/* Whether this thread is in a callback, so that it has locked ctx. */
int clopt__is_outside(const struct clopt *ctx);
/* CLOPT_EINVAL in a callback. */
int clopt__is_callable(const struct clopt *ctx);

/* Print a line by the log callback, or to standard error. */
void clopt__notice(const struct clopt *ctx, const char *format, ...) PRINTF_LIKE(2, 3);

#endif
