/* SPDX-License-Identifier: MIT */
/*
 * context.c - opens and closes contexts.
 */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L /* getpid and PTHREAD_MUTEX_RECURSIVE, also under -std=c99 */
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clopt_cl.h"
#include "../base/system.h"
#include "../base/threads.h"
#include "../choose/choose.h"
#include "../device/device.h"
#include "../kernel/kernel.h"
#include "api.h"

/* Tell what the settings cannot mean. */
static void tell_settings(struct clopt *c, const char *cache_dir)
{
	const char *why = clopt__store_refused(&c->store);

	clopt__tell_variables(c);
	if (why)
		clopt__notice(c,
		              "the cache %s is not used: %s; set CLOPT_CACHE_DIR to a folder of "
		              "your own",
		              c->store.folder, why);
	else if (!c->store.folder && strcmp(cache_dir, "0"))
		clopt__notice(c, "compiled kernels are not kept: neither XDG_CACHE_HOME nor HOME "
		                 "is an absolute path; set one, or CLOPT_CACHE_DIR");
	c->unkept_told = why != NULL;
}

/* Finish opening, once c has its OpenCL context and device. */
static int furnish(struct clopt *c, const struct settings *s)
{
	const struct clopt_options *o = &s->options;
	int rc = CLOPT_OK;

	c->profile = o->profile > 0;
	c->mem_limit_bytes = o->mem_limit_bytes;
	c->transfer = o->transfer;
	c->copy_threads = o->copy_threads;
	c->chunk_bytes = o->chunk_bytes;
	c->slice_seconds = o->slice_seconds;
	TRY(clopt__records_open(c, o->tuning, o->tuning != s->tuning));
	c->check = o->check;
	c->share = o->share;
	TRY(clopt__queues_open(c, o->queues));
	if (c->transfer == CLOPT_TRANSFER_STAGED && (rc = clopt__staging_default(c)) != CLOPT_OK) {
		/* The message is on a context that the caller does not get. */
		clopt__fail(NULL, rc, "no memory or no thread to stage transfers");
		goto out;
	}
	TRY(clopt__force(c, NULL, s->variants_from, o->variants, c->forced));
	TRY(clopt__settings_store(s, &c->store));
	if (c->verbose)
		tell_settings(c, o->cache_dir);
out:
	return rc;
}

static size_t next_serial(void)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static size_t serial;
	size_t next;

	pthread_mutex_lock(&lock);
	next = ++serial;
	pthread_mutex_unlock(&lock);
	return next;
}

/* Recursive: the thread of asynchronous calls holds the lock when it takes a call. */
static void open_lock(pthread_mutex_t *lock)
{
	pthread_mutexattr_t twice;

	pthread_mutexattr_init(&twice);
	pthread_mutexattr_settype(&twice, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(lock, &twice);
	pthread_mutexattr_destroy(&twice);
}

/* A context without a device.  The log works already, to report skipped devices. */
static struct clopt *blank(const struct clopt_options *o)
{
	struct clopt *c = calloc(1, sizeof *c);

	if (!c || !(c->shared = calloc(1, sizeof *c->shared))) {
		free(c);
		clopt__fail(NULL, CLOPT_ENOMEM, "no memory for a context");
		return NULL;
	}
	open_lock(&c->lock);
	pthread_mutex_init(&c->starting, NULL);
	pthread_mutex_init(&c->shared->lock, NULL);
	pthread_mutex_init(&c->log.lock, NULL);
	c->shared->references = 1;
	c->process = (long)getpid();
	c->lineage = clopt__lineage();
	c->report.size = sizeof c->report;
	c->serial = next_serial();
	c->self = c;
	c->verbose = o->verbose;
	c->running.log = o->log;
	c->running.log_user = o->log_user;
	c->running.progress = o->progress;
	c->running.progress_user = o->progress_user;
	c->keep_output = o->keep_output == 1;
	c->small_on_device = o->small == CLOPT_SMALL_DEVICE;
	return c;
}

struct opening {
	struct clopt *c;
	const struct settings *s;
	int rc;
	char text[ERROR_SIZE]; /* message of a failure, perhaps in another thread */
};

static void open_some(void *what, unsigned part, size_t first, size_t count)
{
	struct opening *o = (struct opening *)what + first;

	(void)part;
	for (; count--; o++) {
		o->rc = clopt__context_create(o->c);
		if (o->rc == CLOPT_OK)
			o->rc = furnish(o->c, o->s);
		if (o->rc != CLOPT_OK)
			snprintf(o->text, sizeof o->text, "%s", clopt_error(NULL));
	}
}

/* Open the other members of *c.  They are quiet: a call reports through the first member. */
static int open_members(struct clopt *c, const struct settings *s, const struct device *list,
                        size_t count)
{
	struct clopt_options quiet = s->options;
	struct clopt **members = calloc(count, sizeof *members);
	struct opening *o = calloc(count, sizeof *o);
	size_t i;
	int rc = CLOPT_OK;

	quiet.verbose = 0;
	quiet.log = NULL;
	quiet.progress = NULL;
	if (!members || !o)
		TRY(clopt__fail(NULL, CLOPT_ENOMEM, "no memory for %zu devices", count));
	for (i = 0; i < count; i++) {
		if (!(members[i] = i ? blank(&quiet) : c))
			TRY(CLOPT_ENOMEM);
		members[i]->device = list[i];
		o[i].c = members[i];
		o[i].s = s;
	}
	/* In parallel, since a driver may take a third of a second for one. */
	clopt__in_parts(count, 1, open_some, o);
	for (i = 0; i < count; i++)
		if (o[i].rc != CLOPT_OK)
			TRY(clopt__fail(NULL, o[i].rc, "%s%s%s", i ? o[i].c->device.info.name : "",
			                i ? ": " : "", o[i].text));
	if (count > 1)
		TRY(clopt__members_open(c, members + 1, count - 1));
out:
	for (i = 1; rc != CLOPT_OK && members && i < count; i++)
		clopt_close(members[i]);
	free(members);
	free(o);
	return rc;
}

int clopt_open(struct clopt **ctx, const struct clopt_options *options)
{
	struct settings s;
	struct device *list = NULL;
	struct clopt *c = NULL;
	unsigned lifted;
	size_t count;
	int rc = CLOPT_OK;

	if (!ctx)
		return clopt__fail(NULL, CLOPT_EINVAL, "clopt_open: ctx is NULL");
	*ctx = NULL;
	clopt__caller_hold();
	clopt__caller_drives();
	TRY(clopt__settings(options, &s));
	TRY(clopt__lifted(&s.options, &lifted));
	if (!(c = blank(&s.options)))
		TRY(CLOPT_ENOMEM);
	TRY(clopt__devices_pick(s.options.device, s.device_from, lifted, c, &list, &count));
	TRY(open_members(c, &s, list, count));
	*ctx = c;
out:
	free(list);
	if (rc != CLOPT_OK)
		clopt_close(c);
	clopt__caller_back();
	return rc;
}

int clopt_open_cl(struct clopt **ctx, cl_context context, cl_device_id device,
                  const struct clopt_options *options)
{
	struct settings s;
	struct clopt *c = NULL;
	unsigned lifted;
	int rc = CLOPT_OK;

	if (ctx)
		*ctx = NULL;
	if (!ctx || !context || !device)
		return clopt__fail(NULL, CLOPT_EINVAL, "clopt_open_cl: %s is NULL",
		                   !ctx    ? "ctx" :
		                   context ? "device" :
		                             "context");
	clopt__caller_hold();
	clopt__caller_drives();
	TRY(clopt__settings(options, &s));
	TRY(clopt__lifted(&s.options, &lifted));
	if (!(c = blank(&s.options)))
		TRY(CLOPT_ENOMEM);
	TRY(clopt__context_adopt(c, context, device, lifted));
	TRY(furnish(c, &s));
	*ctx = c;
out:
	if (rc != CLOPT_OK)
		clopt_close(c);
	clopt__caller_back();
	return rc;
}

int clopt_join(struct clopt **ctx, struct clopt *const *members, size_t n)
{
	char why[512];
	size_t i, j;
	int rc = CLOPT_OK;

	if (ctx)
		*ctx = NULL;
	if (!ctx || !members || !n)
		return clopt__fail(NULL, CLOPT_EINVAL, "clopt_join: %s",
		                   !ctx     ? "ctx is NULL" :
		                   !members ? "members is NULL" :
		                              "n is 0: give at least one member");
	for (i = 0; i < n; i++) {
		if ((rc = clopt__usable(members[i])) != CLOPT_OK) {
			snprintf(why, sizeof why, "%s", clopt_error(members[i]));
			return clopt__fail(NULL, rc, "clopt_join: member %zu: %s", i, why);
		}
		for (j = 0; j < i; j++)
			if (members[i] == members[j])
				return clopt__fail(
				        NULL, CLOPT_EINVAL,
				        "clopt_join: members %zu and %zu are the same context", j,
				        i);
		if (members[i]->joined || members[i]->members)
			return clopt__fail(NULL, CLOPT_EINVAL,
			                   "clopt_join: member %zu is already joined with others",
			                   i);
	}
	if (n > 1)
		TRY(clopt__members_open(members[0], members + 1, n - 1));
	*ctx = members[0];
out:
	return rc;
}

void clopt_close(struct clopt *ctx)
{
	struct clopt **others;
	size_t n;

	if (!clopt__entered(ctx) || ctx->joined)
		return;
	clopt__caller_hold();
	clopt__caller_drives();
	clopt__async_free(ctx);
	others = clopt__members_end(ctx, &n);
	while (n)
		clopt_close(others[--n]);
	free(others);
	clopt__kept_free(ctx, 1);
	clopt__forget(ctx);
	clopt__log_close(&ctx->log);
	clopt__watch_free(ctx);
	clopt__launches_forget(ctx);
	clopt__kernels_free(ctx);
	clopt__records_free(ctx);
	clopt__made_free(ctx);
	clopt__store_close(&ctx->store);
	clopt__staging_free(ctx);
	clopt__pinned_free(ctx);
	clopt__idle_free(ctx);
	clopt__queues_close(ctx);
	/* Close it to all threads, and drop the opener's reference. */
	__atomic_store_n(&ctx->shared->closed, 1, __ATOMIC_SEQ_CST);
	clopt__let_go(ctx);
	clopt__caller_back();
}

cl_context clopt_cl_context(const struct clopt *ctx)
{
	return ctx && !clopt__freed(ctx) ? ctx->context : NULL;
}

cl_device_id clopt_cl_device(const struct clopt *ctx)
{
	return ctx && !clopt__freed(ctx) ? ctx->device.id : NULL;
}
