/* SPDX-License-Identifier: MIT */
/*
 * queue.c - the caller's queues, and waits for them.  No wait here holds the context's lock:
 * another thread may have to queue the command that ends the wait.
 */
#include <stdlib.h>

#include "clopt_cl.h"
#include "../kernel/kernel.h"
#include "buffers.h"

/* Make a handle for q.  It takes q over, also on failure. */
static int add_queue(struct clopt *ctx, cl_command_queue q, struct clopt_queue **queue)
{
	struct clopt_queue *made = calloc(1, sizeof *made);

	if (!made) {
		clReleaseCommandQueue(q);
		return clopt__fail(ctx, CLOPT_ENOMEM, "no memory for a queue");
	}
	made->ctx = ctx;
	clopt__hold(ctx);
	made->q = q;
	made->next = ctx->extra;
	ctx->extra = made;
	*queue = made;
	return CLOPT_OK;
}

int clopt_queue_new(struct clopt *ctx, struct clopt_queue **queue)
{
	cl_command_queue q;
	cl_int code;
	int rc;

	if (queue)
		*queue = NULL;
	TRY(clopt__enter(ctx, clopt__words(__func__)));
	if (!queue)
		TRY(clopt__fail(ctx, CLOPT_EINVAL, "queue is NULL"));
	q = clCreateCommandQueue(ctx->context, ctx->device.id,
	                         ctx->profile ? CL_QUEUE_PROFILING_ENABLE : 0, &code);
	TRY_CODE(ctx, code, "clCreateCommandQueue");
	TRY(add_queue(ctx, q, queue));
out:
	return clopt__leave(ctx, rc);
}

int clopt_queue_from_cl(struct clopt *ctx, cl_command_queue from, struct clopt_queue **queue)
{
	cl_context context = NULL;
	cl_device_id device = NULL;
	cl_command_queue_properties properties = 0;
	cl_int code;
	int rc;

	if (queue)
		*queue = NULL;
	TRY(clopt__enter(ctx, clopt__words(__func__)));
	if (!from || !queue)
		TRY(clopt__fail(ctx, CLOPT_EINVAL, "%s is NULL", from ? "queue" : "from"));
	code = clGetCommandQueueInfo(from, CL_QUEUE_CONTEXT, sizeof context, &context, NULL);
	if (code == CL_INVALID_COMMAND_QUEUE) /* the device is not lost */
		TRY(clopt__fail(ctx, CLOPT_EINVAL, "from is not a command queue"));
	TRY_CODE(ctx, code, "clGetCommandQueueInfo");
	TRY_CL(ctx, clGetCommandQueueInfo(from, CL_QUEUE_DEVICE, sizeof device, &device, NULL));
	TRY_CL(ctx, clGetCommandQueueInfo(from, CL_QUEUE_PROPERTIES, sizeof properties, &properties,
	                                  NULL));
	if (context != ctx->context || device != ctx->device.id)
		TRY(clopt__fail(ctx, CLOPT_EINVAL, "the queue belongs to another OpenCL %s",
		                context != ctx->context ? "context" : "device"));
	if (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)
		TRY(clopt__fail(
		        ctx, CLOPT_EINVAL,
		        "the queue is out of order (properties %#llx): give one that is in order",
		        (unsigned long long)properties));
	TRY_CL(ctx, clRetainCommandQueue(from));
	TRY(add_queue(ctx, from, queue));
out:
	return clopt__leave(ctx, rc);
}

void clopt_queue_free(struct clopt_queue *queue)
{
	struct clopt_queue **at;

	if (!queue || clopt__forked(queue->ctx))
		return;
	clopt__caller_hold();
	clopt__caller_drives();
	pthread_mutex_lock(&queue->ctx->lock);
	for (at = &queue->ctx->extra; *at && *at != queue; at = &(*at)->next)
		;
	if (*at)
		*at = queue->next;
	clopt__workspace_free(queue->ctx, queue->q);
	pthread_mutex_unlock(&queue->ctx->lock);
	clReleaseCommandQueue(queue->q);
	clopt__let_go(queue->ctx);
	free(queue);
	clopt__caller_back();
}

cl_command_queue clopt_queue_cl(const struct clopt_queue *queue)
{
	return queue ? queue->q : NULL;
}

/* ---- Waiting for queues ---------------------------------------------------- */

int clopt_queue_finish(struct clopt *ctx, struct clopt_queue *queue)
{
	cl_command_queue q;
	int rc = CLOPT_OK;

	TRY(clopt__enter(ctx, clopt__words(__func__)));
	if (queue && queue->ctx != ctx)
		TRY(clopt__fail(ctx, CLOPT_EINVAL, "the queue belongs to another context"));
	q = queue ? queue->q : ctx->queue[0];
	TRY_CL(ctx, clRetainCommandQueue(q));
	pthread_mutex_unlock(&ctx->lock);
	rc = clopt__finish(ctx, q, CLOPT_OK);
	clReleaseCommandQueue(q);
	pthread_mutex_lock(&ctx->lock);
out:
	return clopt__leave(ctx, rc);
}

/* List all queues of the context, and retain them. */
static int all_queues(struct clopt *ctx, cl_command_queue **list, size_t *count)
{
	const struct clopt_queue *e;
	size_t n = ctx->queues, i = 0;
	int rc = CLOPT_OK;

	for (e = ctx->extra; e; e = e->next)
		n++;
	if (!(*list = malloc(n * sizeof **list)))
		return clopt__fail(ctx, CLOPT_ENOMEM, "no memory to wait for %zu queues", n);
	for (i = 0; i < ctx->queues; i++)
		(*list)[i] = ctx->queue[i];
	for (e = ctx->extra; e; e = e->next)
		(*list)[i++] = e->q;
	for (*count = 0; *count < n; ++*count)
		TRY_CL(ctx, clRetainCommandQueue((*list)[*count]));
out:
	return rc;
}

static int finish(struct clopt *ctx, const char *name)
{
	cl_command_queue *list = NULL;
	size_t i, count = 0;
	cl_int code;
	int rc = CLOPT_OK;

	TRY(clopt__enter(ctx, clopt__words(name)));
	rc = all_queues(ctx, &list, &count);
	pthread_mutex_unlock(&ctx->lock);
	/* Wait for all queues, even if one fails. */
	for (i = 0; i < count; i++) {
		rc = clopt__finish(ctx, list[i], rc);
		clReleaseCommandQueue(list[i]);
	}
	free(list);
	pthread_mutex_lock(&ctx->lock);
	TRY(rc);
	code = clopt__watch_take(ctx);
	if (code != CL_SUCCESS) {
		clopt__fail_cl(ctx, code, "a command queued earlier");
		rc = CLOPT_EDEVICE;
		goto out;
	}
	clopt__kernels_save(ctx, 1);
out:
	return clopt__leave(ctx, rc);
}

int clopt_finish(struct clopt *ctx)
{
	return finish(ctx, "clopt_finish");
}

int clopt_wall_time(struct clopt *ctx, double *seconds)
{
	int rc;

	if (!seconds)
		return clopt__fail(ctx, CLOPT_EINVAL, "clopt_wall_time: seconds is NULL");
	rc = finish(ctx, "clopt_wall_time");
	*seconds = rc == CLOPT_OK ? clopt__now() : 0;
	return rc;
}
