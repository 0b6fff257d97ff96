/* SPDX-License-Identifier: MIT */
/*
 * forms.c - tasks of faults.c that are started, and on buffers.
 *
 * Whatever fails, all queued commands are waited for: none may still write to the arrays when a
 * task has returned.
 */
#include "clopt_cl.h"
#include "faults.h"
#include "wrap.h"

int faults_started(struct clopt *ctx, size_t n, const float *in, float *out)
{
	struct clopt_call *call[2] = { NULL, NULL };
	int i, rc, end;

	rc = clopt_transpose_start(ctx, n, n, 4, in, n, out, n, &call[0]);
	rc = rc ? rc : clopt_transpose_start(ctx, n, n, 4, in, n, out, n, &call[1]);
	for (i = 0; i < 2; i++) {
		end = call[i] ? clopt_call_wait(call[i], NULL) : CLOPT_OK;
		rc = rc ? rc : end;
		clopt_call_free(call[i]);
	}
	return rc;
}

/* Two buffers, a queue, and the event of the upload. */
struct stage {
	struct clopt *ctx;
	struct clopt_buffer *from, *to;
	struct clopt_queue *queue;
	struct clopt_event *event;
	struct clopt_order order; /* on the queue, behind the event */
};

/* Uploads on the context's own queue. */
static int stage_open(struct stage *s, struct clopt *ctx, size_t bytes, const float *first,
                      const float *second)
{
	struct clopt_order up = CLOPT_ORDER_INIT;
	int rc;

	*s = (struct stage){ .ctx = ctx, .order = CLOPT_ORDER_INIT };
	up.event = &s->event;
	rc = clopt_buffer_new(ctx, bytes, &s->from);
	rc = rc ? rc : clopt_buffer_new(ctx, bytes, &s->to);
	rc = rc ? rc : clopt_queue_new(ctx, &s->queue);
	rc = rc ? rc : clopt_buffer_write(s->to, 0, bytes, second, NULL);
	rc = rc ? rc : clopt_buffer_write(s->from, 0, bytes, first, &up);
	s->order.queue = s->queue;
	s->order.nwait = 1;
	s->order.wait = &s->event;
	return rc;
}

static int stage_close(struct stage *s, int rc)
{
	const int end = clopt_finish(s->ctx);

	clopt_event_free(s->event);
	clopt_queue_free(s->queue);
	clopt_buffer_free(s->from);
	clopt_buffer_free(s->to);
	return rc ? rc : end;
}

int faults_transpose(struct clopt *ctx, size_t n, const float *in, float *out)
{
	struct stage s;
	int rc = stage_open(&s, ctx, n * n * 4, in, in);

	rc = rc ? rc : clopt_transpose_buffers(ctx, n, n, 4, s.from, n, s.to, n, &s.order);
	rc = rc ? rc : clopt_buffer_read(s.to, 0, n * n * 4, out, &s.order);
	return stage_close(&s, rc);
}

int faults_handles(struct clopt *ctx, size_t n, const float *in, float *out)
{
	struct clopt_buffer *from = NULL, *part = NULL;
	struct clopt_queue *queue = NULL;
	struct clopt_event *event = NULL, *end = NULL;
	struct clopt_order order = CLOPT_ORDER_INIT;
	double seconds;
	struct stage s;
	int rc = stage_open(&s, ctx, n * n * 4, in, in);

	rc = rc ? rc : clopt_buffer_from_cl(ctx, clopt_buffer_cl(s.from), &from);
	rc = rc ? rc : clopt_buffer_view(from, 0, n * n * 4, &part);
	rc = rc ? rc : clopt_queue_from_cl(ctx, clopt_queue_cl(s.queue), &queue);
	rc = rc ? rc : clopt_event_from_cl(ctx, clopt_event_cl(s.event), &event);
	order.queue = queue;
	order.nwait = 1;
	order.wait = &event;
	order.event = &end;
	rc = rc ? rc : clopt_transpose_buffers(ctx, n, n, 4, part, n, s.to, n, &order);
	rc = rc ? rc : clopt_event_seconds(end, &seconds);
	rc = rc ? rc : clopt_buffer_read(s.to, 0, n * n * 4, out, NULL);
	clopt_event_free(end);
	rc = stage_close(&s, rc);
	clopt_event_free(event);
	clopt_queue_free(queue);
	clopt_buffer_free(part);
	clopt_buffer_free(from);
	return rc;
}

int faults_parts(struct clopt *ctx, size_t n, const float *in, float *out)
{
	const cl_buffer_region all = { 0, n * n * 4 };
	struct clopt_buffer *part = NULL;
	cl_mem mem = NULL;
	cl_int code;
	struct stage s;
	int i, rc = stage_open(&s, ctx, n * n * 4, in, in);

	if (rc == CLOPT_OK)
		mem = clCreateSubBuffer(clopt_buffer_cl(s.from), 0, CL_BUFFER_CREATE_TYPE_REGION,
		                        &all, &code);
	rc = rc ? rc : clopt_buffer_from_cl(ctx, mem, &part);
	rc = rc ? rc : clopt_transpose_buffers(ctx, 0, n, 4, part, n, s.to, n, &s.order);
	rc = rc ? rc : clopt_buffer_copy(part, 0, s.to, 0, 0, &s.order);
	/* The second call finds what the first has kept. */
	for (i = 0; i < 2 && rc == CLOPT_OK; i++)
		rc = clopt_transpose_buffers(ctx, n, n, 4, part, n, s.to, n, &s.order);
	rc = rc ? rc : clopt_buffer_read(s.to, 0, n * n * 4, out, &s.order);
	rc = stage_close(&s, rc);
	clopt_buffer_free(part);
	if (mem)
		__real_clReleaseMemObject(mem);
	return rc;
}

int faults_joined(int check, int (*work)(struct clopt *ctx))
{
	struct clopt_options o = CLOPT_OPTIONS_INIT;
	struct clopt *member[2] = { NULL, NULL }, *ctx = NULL;
	int rc;

	o.share = CLOPT_SHARE_EVERY;
	o.check = check;
	rc = clopt_open(&member[0], &o);
	rc = rc ? rc : clopt_open(&member[1], &o);
	rc = rc ? rc : clopt_join(&ctx, member, 2);
	rc = rc ? rc : work(ctx);
	if (!ctx)
		clopt_close(member[1]);
	clopt_close(member[0]);
	return rc;
}

/* 1, which is no status, if a failure has left other data than the old or their transpose. */
int faults_in_place(struct clopt *ctx, size_t n, const float *in, float *out)
{
	struct stage s;
	size_t i, same = 0, turned = 0;
	int rc = stage_open(&s, ctx, n * n * 4, in, in), end;

	if (rc)
		return stage_close(&s, rc);
	rc = clopt_transpose_inplace_buffers(ctx, n, n, 4, s.to, n, &s.order);
	end = clopt_finish(ctx);
	end = end ? end : clopt_buffer_read(s.to, 0, n * n * 4, out, NULL);
	end = stage_close(&s, end);
	for (i = 0; i < n * n; i++) {
		same += out[i] == in[i];
		turned += out[i] == in[i % n * n + i / n];
	}
	if (rc && !end && same < n * n && turned < n * n)
		return 1;
	return rc ? rc : end;
}

/* out = in in' - in */
int faults_gemm(struct clopt *ctx, size_t n, const float *in, float *out)
{
	struct stage s;
	int rc = stage_open(&s, ctx, n * n * 4, in, in);

	rc = rc ? rc :
	          clopt_sgemm_buffers(ctx, CLOPT_LAYOUT_ROW_MAJOR, CLOPT_TRANS_NO, CLOPT_TRANS_YES,
	                              n, n, n, 1, s.from, n, s.from, n, -1, s.to, n, &s.order);
	rc = rc ? rc : clopt_buffer_read(s.to, 0, n * n * 4, out, &s.order);
	return stage_close(&s, rc);
}

/* 1, which is no status, if the plan is wrong. */
int faults_plan(struct clopt *ctx, size_t n)
{
	struct clopt_problem p = { .size = sizeof p, .op = CLOPT_OP_TRANSPOSE, .dim = { n, n } };
	struct clopt_plan_info plan = { .size = sizeof plan };
	int rc = clopt_plan(ctx, &p, &plan);

	if (rc)
		return rc;
	return !plan.fits || plan.bands < 2 || plan.up_bytes != n * n * sizeof(float) ||
	       !(plan.kernel_seconds > 0);
}

int faults_leapfrog(struct clopt *ctx, size_t n, float *bodies, float *velocities)
{
	struct stage s;
	int rc = stage_open(&s, ctx, n * 16, bodies, velocities);

	/* More steps than are queued at a time. */
	rc = rc ? rc :
	          clopt_nbody_leapfrog_buffers(ctx, n, s.from, s.to, 0.03 / 130, 130, NULL,
	                                       &s.order);
	rc = rc ? rc : clopt_buffer_read(s.from, 0, n * 16, bodies, &s.order);
	rc = rc ? rc : clopt_buffer_read(s.to, 0, n * 16, velocities, &s.order);
	return stage_close(&s, rc);
}

/* A tree made from a buffer, whose sources another queue moves before a sum. */
int faults_tree(struct clopt *ctx, size_t n, const float *sources, float *sums)
{
	struct clopt_nbody_options o = CLOPT_NBODY_OPTIONS_INIT;
	struct clopt_tree *tree = NULL;
	struct stage s;
	int rc = stage_open(&s, ctx, n * 16, sources, sources);

	o.order = 2;
	o.theta = 0.5;
	rc = rc ? rc : clopt_tree_new_buffers(ctx, n, s.from, &s.order, &tree);
	rc = rc ? rc : clopt_tree_move_buffers(tree, s.from, NULL);
	rc = rc ? rc : clopt_tree_nbody_buffers(tree, n, NULL, s.to, &o, &s.order);
	rc = rc ? rc : clopt_buffer_read(s.to, 0, n * 16, sums, &s.order);
	clopt_tree_free(tree);
	return stage_close(&s, rc);
}
