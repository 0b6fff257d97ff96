/* SPDX-License-Identifier: MIT */
/*
 * faults.c - every OpenCL call and every allocation of the library fails once.
 *
 * For n = 1, 2, ...: the n-th OpenCL call or allocation, or the n-th file operation, in a task
 * fails.  Then either the task still gives the right result (the failed call was not needed: a
 * trait, a row with another row below it) or it returns a status and a text; nothing is left
 * behind; and the same context does the task when nothing fails.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "clopt_cl.h"
#include "folder.h"
#include "suites.h"
#include "wrap.h"

#define FENCE 123.0f
#define N 70 /* neither a multiple of a tile nor small: several bands */

static const float one = 1;
static float in[N * N], fenced[N * N + 2 * N], points[4 * N], velocities[4 * N];
static float *const out = fenced + N; /* nothing may be written before or behind it */

static int matmul(struct clopt *ctx)
{
	int i;

	for (i = 0; i < N * N; i++) {
		in[i] = 1;
		out[i] = 0;
	}
	return clopt_matmul(ctx, N, N, N, in, in, out);
}

/* The second call finds arrays that the first has left. */
static int matmul_twice(struct clopt *ctx)
{
	const int rc = matmul(ctx);

	return rc == CLOPT_OK ? matmul(ctx) : rc;
}

static int matmul_right(void)
{
	return out[0] == N && out[N * N - 1] == N;
}

/* The input of transposes: each element is its index. */
static void fill_in(void)
{
	int i;

	for (i = 0; i < N * N; i++)
		in[i] = (float)i;
}

static int transpose(struct clopt *ctx)
{
	return clopt_transpose(ctx, N, N, 4, in, N, out, N);
}

static int transpose_right(void)
{
	return out[1] == in[N] && out[N * N - 1] == in[N * N - 1];
}

/* In place: a failure leaves the data as it was. 1, which is no status, if it does not. */
static int in_place(struct clopt *ctx)
{
	int i, rc;

	for (i = 0; i < N * N; i++)
		in[i] = out[i] = (float)i;
	rc = clopt_transpose_inplace(ctx, N, N, 4, out, N);
	return rc != CLOPT_OK && memcmp(in, out, sizeof in) ? 1 : rc;
}

static double din[N * N], dout[N * N];

/* Transposed, so that bands are columns of A, and added to the old C. */
static int dgemm(struct clopt *ctx)
{
	int i;

	for (i = 0; i < N * N; i++)
		din[i] = dout[i] = 1;
	return clopt_dgemm(ctx, CLOPT_LAYOUT_ROW_MAJOR, CLOPT_TRANS_YES, CLOPT_TRANS_YES, N, N, N,
	                   1, din, N, din, N, -2, dout, N);
}

static int dgemm_right(void)
{
	return dout[0] == N - 2 && dout[N * N - 1] == N - 2;
}

/* Rows of the table differ in the rounding of reciprocal roots. */
static int near(float got, float right)
{
	return fabsf(got - right) <= 1e-6f * right;
}

/* One source; targets at distance 1, 2, 3, ... of it. */
static int potential(struct clopt *ctx)
{
	const float source[4] = { -1, 0, 0, 2 };
	int i;

	for (i = 0; i < N; i++)
		points[4 * i] = (float)i;
	return clopt_potential(ctx, 1, source, N, points, out, NULL);
}

static int potential_right(void)
{
	return near(out[0], 2) && near(out[1], 1) && near(out[3], 0.5f);
}

/* A kernel of the caller's, which adds 1. */
static int map(struct clopt *ctx)
{
	static const char source[] = "__kernel void f(__global const float *x, __global float *y)"
	                             "{ size_t i = get_global_id(0); y[i] = x[i] + 1; }";
	const struct clopt_arg args[] = { { CLOPT_ARG_IN, in, 4 }, { CLOPT_ARG_OUT, out, 4 } };
	struct clopt_map_desc m = CLOPT_MAP_DESC_INIT;

	m.source = source;
	m.name = "f";
	m.items = N * N;
	m.args = args;
	m.nargs = 2;
	return clopt_map(ctx, &m);
}

static int map_right(void)
{
	return out[0] == 1 && out[N * N - 1] == N * N;
}

/* Pinned memory allocated and freed around a call. */
static int pinned(struct clopt *ctx)
{
	void *memory;
	int i, rc = clopt_host_alloc(ctx, sizeof in, &memory, NULL);

	for (i = 0; i < N * N && rc == CLOPT_OK; i++)
		((float *)memory)[i] = (float)i;
	rc = rc == CLOPT_OK ? clopt_transpose(ctx, N, N, 4, memory, N, out, N) : rc;
	memcpy(in, memory ? memory : in, sizeof in);
	clopt_host_free(ctx, memory);
	clopt_host_trim(ctx);
	return rc;
}

/* A context on the OpenCL context of another, for one call. */
static int adopt(struct clopt *ctx)
{
	struct clopt *other;
	int rc = clopt_open_cl(&other, clopt_cl_context(ctx), clopt_cl_device(ctx), NULL);

	if (rc == CLOPT_OK)
		rc = potential(other);
	clopt_close(other);
	return rc;
}

/* Two bodies of mass 1 and N - 2 of none, at rest, far apart: they begin to fall. */
static void fall(void)
{
	int i;

	memset(velocities, 0, sizeof velocities);
	for (i = 0; i < N; i++) {
		points[4 * i] = (float)i;
		points[4 * i + 1] = points[4 * i + 2] = 0;
		points[4 * i + 3] = i < 2 ? one : 0;
	}
}

static int leapfrog(struct clopt *ctx)
{
	return clopt_nbody_leapfrog(ctx, N, points, velocities, 0.01, 3, NULL);
}

static int leapfrog_right(void)
{
	/* a = 1: x = t^2 / 2 with t = 0.03, to third order. */
	return points[0] > 4.4e-4f && points[0] < 4.6e-4f && velocities[0] > 0.029f;
}

/* By a tree: all bodies are near. */
static int tree(struct clopt *ctx)
{
	struct clopt_nbody_options o = CLOPT_NBODY_OPTIONS_INIT;

	o.order = 2;
	o.theta = 0.5;
	return clopt_nbody(ctx, N, points, N, points, velocities, &o);
}

static int tree_steps(struct clopt *ctx)
{
	struct clopt_nbody_options o = CLOPT_NBODY_OPTIONS_INIT;

	o.order = 2;
	o.theta = 0.5;
	return clopt_nbody_leapfrog(ctx, N, points, velocities, 0.01, 3, &o);
}

/* A tree that is kept: a sum on arrays, a move, and one of another order on buffers. */
static int tree_kept(struct clopt *ctx)
{
	struct clopt_nbody_options o = CLOPT_NBODY_OPTIONS_INIT;
	struct clopt_tree *tree = NULL;
	struct clopt_buffer *b = NULL;
	int rc;

	o.order = 2;
	o.theta = 0.5;
	rc = clopt_tree_new(ctx, N, points, &tree);
	if (rc == CLOPT_OK)
		rc = clopt_tree_nbody(tree, N, NULL, velocities, &o);
	if (rc == CLOPT_OK)
		rc = clopt_tree_move(tree, points);
	if (rc == CLOPT_OK)
		rc = clopt_buffer_new(ctx, sizeof velocities, &b);
	o.order = 5;
	if (rc == CLOPT_OK)
		rc = clopt_tree_nbody_buffers(tree, N, NULL, b, &o, NULL);
	if (rc == CLOPT_OK)
		rc = clopt_buffer_read(b, 0, sizeof velocities, velocities, NULL);
	if (rc == CLOPT_OK)
		rc = clopt_finish(ctx);
	clopt_tree_free(tree);
	clopt_buffer_free(b);
	return rc;
}

static int tree_right(void)
{
	return fabsf(velocities[0] - 1) < 1e-5f && fabsf(velocities[4] + 1) < 1e-5f;
}

/* The same with clopt_options.keep_output: a failure leaves outputs that are read as they were. 1,
 * which is no status, if it does not. */
static int dgemm_kept(struct clopt *ctx)
{
	const int rc = dgemm(ctx);
	int i, same = 1;

	for (i = 0; i < N * N; i++)
		same &= dout[i] == 1;
	return rc != CLOPT_OK && !same ? 1 : rc;
}

/* Two products with gaps between rows, so one after the other. */
static int batch_kept(struct clopt *ctx)
{
	const size_t half = N / 2 * N;
	int i, rc, same = 1;

	for (i = 0; i < N * N; i++)
		din[i] = dout[i] = 1;
	rc = clopt_gemm_strided_batched(ctx, CLOPT_TYPE_DOUBLE, CLOPT_LAYOUT_ROW_MAJOR,
	                                CLOPT_TRANS_NO, CLOPT_TRANS_NO, N / 2, N - 1, N, 1, din, N,
	                                half, din, N, 0, -2, dout, N, half, 2);
	for (i = 0; i < N * N; i++)
		same &= dout[i] == 1;
	return rc != CLOPT_OK && !same ? 1 : rc;
}

static int batch_right(void)
{
	return dout[0] == N - 2 && dout[N - 1] == 1 && dout[N * N - 2] == N - 2;
}

static int leapfrog_kept(struct clopt *ctx)
{
	const float speed[4 * N] = { 0 };
	float start[4 * N];
	int rc;

	memcpy(start, points, sizeof start);
	rc = leapfrog(ctx);
	return rc != CLOPT_OK && (memcmp(start, points, sizeof start) ||
	                          memcmp(speed, velocities, sizeof speed)) ?
	               1 :
	               rc;
}

static int look(void *user, size_t step, const double *bodies, const double *speed,
                const struct clopt_conserved *sums)
{
	return bodies == speed;
}

/* The caller sees the bodies on the way. */
static int evolve(struct clopt *ctx, const struct clopt_group *group)
{
	struct clopt_evolve_options o = CLOPT_EVOLVE_OPTIONS_INIT;
	int i, rc;

	o.every = 1;
	o.each = look;
	o.group = group;
	o.precision = CLOPT_PRECISION_DOUBLE_SINGLE;
	o.integrator = group ? CLOPT_INTEGRATOR_HERMITE : CLOPT_INTEGRATOR_KICK_DRIFT_KICK;
	for (i = 0; i < 4 * N; i++) {
		din[i] = dout[i] = points[i];
		din[4 * N + i] = dout[4 * N + i] = 0;
	}
	rc = clopt_nbody_evolve(ctx, N, dout, dout + 4 * N, 0.01, 3, &o);
	return rc != CLOPT_OK && memcmp(din, dout, 8 * N * sizeof *din) ? 1 : rc;
}

static int evolve_kept(struct clopt *ctx)
{
	return evolve(ctx, NULL);
}

static int exchange(void *user, void *rows, size_t row_bytes)
{
	return row_bytes == 0;
}

/* In a group of one process. */
static int evolve_grouped(struct clopt *ctx)
{
	struct clopt_group group = CLOPT_GROUP_INIT;

	group.count = N;
	group.exchange = exchange;
	return evolve(ctx, &group);
}

static int evolve_right(void)
{
	return dout[0] > 4.4e-4 && dout[0] < 4.6e-4 && dout[4 * N] > 0.029;
}

static int map_kept(struct clopt *ctx)
{
	static const char source[] = "__kernel void f(__global float *x)"
	                             "{ x[get_global_id(0)] += 1; }";
	const struct clopt_arg args[] = { { CLOPT_ARG_INOUT, out, 4 } };
	struct clopt_map_desc m = CLOPT_MAP_DESC_INIT;
	int i, rc;

	for (i = 0; i < N * N; i++)
		in[i] = out[i] = (float)i;
	m.source = source;
	m.name = "f";
	m.items = N * N;
	m.args = args;
	m.nargs = 1;
	rc = clopt_map(ctx, &m);
	return rc != CLOPT_OK && memcmp(in, out, sizeof in) ? 1 : rc;
}

/* ---- Started, and on buffers: none may still write to the arrays when a task has returned ---- */

static int start(struct clopt *ctx)
{
	struct clopt_call *call[2] = { NULL, NULL };
	int i, rc, end;

	rc = clopt_transpose_start(ctx, N, N, 4, in, N, out, N, &call[0]);
	rc = rc ? rc : clopt_transpose_start(ctx, N, N, 4, in, N, out, N, &call[1]);
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

static int transpose_buffers(struct clopt *ctx)
{
	struct stage s;
	int rc = stage_open(&s, ctx, sizeof in, in, in);

	rc = rc ? rc : clopt_transpose_buffers(ctx, N, N, 4, s.from, N, s.to, N, &s.order);
	rc = rc ? rc : clopt_buffer_read(s.to, 0, sizeof in, out, &s.order);
	return stage_close(&s, rc);
}

static int handles(struct clopt *ctx)
{
	struct clopt_buffer *from = NULL, *part = NULL;
	struct clopt_queue *queue = NULL;
	struct clopt_event *event = NULL, *end = NULL;
	struct clopt_order order = CLOPT_ORDER_INIT;
	double seconds;
	struct stage s;
	int rc = stage_open(&s, ctx, sizeof in, in, in);

	rc = rc ? rc : clopt_buffer_from_cl(ctx, clopt_buffer_cl(s.from), &from);
	rc = rc ? rc : clopt_buffer_view(from, 0, sizeof in, &part);
	rc = rc ? rc : clopt_queue_from_cl(ctx, clopt_queue_cl(s.queue), &queue);
	rc = rc ? rc : clopt_event_from_cl(ctx, clopt_event_cl(s.event), &event);
	order.queue = queue;
	order.nwait = 1;
	order.wait = &event;
	order.event = &end;
	rc = rc ? rc : clopt_transpose_buffers(ctx, N, N, 4, part, N, s.to, N, &order);
	rc = rc ? rc : clopt_event_seconds(end, &seconds);
	rc = rc ? rc : clopt_buffer_read(s.to, 0, sizeof in, out, NULL);
	clopt_event_free(end);
	rc = stage_close(&s, rc);
	clopt_event_free(event);
	clopt_queue_free(queue);
	clopt_buffer_free(part);
	clopt_buffer_free(from);
	return rc;
}

static int parts(struct clopt *ctx)
{
	const cl_buffer_region all = { 0, sizeof in };
	struct clopt_buffer *part = NULL;
	cl_mem mem = NULL;
	cl_int code;
	struct stage s;
	int i, rc = stage_open(&s, ctx, sizeof in, in, in);

	if (rc == CLOPT_OK)
		mem = clCreateSubBuffer(clopt_buffer_cl(s.from), 0, CL_BUFFER_CREATE_TYPE_REGION,
		                        &all, &code);
	rc = rc ? rc : clopt_buffer_from_cl(ctx, mem, &part);
	rc = rc ? rc : clopt_transpose_buffers(ctx, 0, N, 4, part, N, s.to, N, &s.order);
	rc = rc ? rc : clopt_buffer_copy(part, 0, s.to, 0, 0, &s.order);
	/* The second call finds what the first has kept. */
	for (i = 0; i < 2 && rc == CLOPT_OK; i++)
		rc = clopt_transpose_buffers(ctx, N, N, 4, part, N, s.to, N, &s.order);
	rc = rc ? rc : clopt_buffer_read(s.to, 0, sizeof in, out, &s.order);
	rc = stage_close(&s, rc);
	clopt_buffer_free(part);
	if (mem)
		__real_clReleaseMemObject(mem);
	return rc;
}

static int joined(int check, int (*work)(struct clopt *ctx))
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
static int in_place_buffers(struct clopt *ctx)
{
	struct stage s;
	size_t i, same = 0, turned = 0;
	int rc = stage_open(&s, ctx, sizeof in, in, in), end;

	if (rc)
		return stage_close(&s, rc);
	rc = clopt_transpose_inplace_buffers(ctx, N, N, 4, s.to, N, &s.order);
	end = clopt_finish(ctx);
	end = end ? end : clopt_buffer_read(s.to, 0, sizeof in, out, NULL);
	end = stage_close(&s, end);
	for (i = 0; i < N * N; i++) {
		same += out[i] == in[i];
		turned += out[i] == in[i % N * N + i / N];
	}
	if (rc && !end && same < N * N && turned < N * N)
		return 1;
	return rc ? rc : end;
}

/* out = in in' - in */
static int gemm_buffers(struct clopt *ctx)
{
	struct stage s;
	int i, rc;

	for (i = 0; i < N * N; i++)
		in[i] = 1;
	rc = stage_open(&s, ctx, sizeof in, in, in);
	rc = rc ? rc :
	          clopt_sgemm_buffers(ctx, CLOPT_LAYOUT_ROW_MAJOR, CLOPT_TRANS_NO, CLOPT_TRANS_YES,
	                              N, N, N, 1, s.from, N, s.from, N, -1, s.to, N, &s.order);
	rc = rc ? rc : clopt_buffer_read(s.to, 0, sizeof in, out, &s.order);
	return stage_close(&s, rc);
}

/* 1, which is no status, if the plan is wrong. */
static int plan(struct clopt *ctx)
{
	struct clopt_problem p = { .size = sizeof p, .op = CLOPT_OP_TRANSPOSE, .dim = { N, N } };
	struct clopt_plan_info info = { .size = sizeof info };
	int rc = clopt_plan(ctx, &p, &info);

	if (rc)
		return rc;
	return !info.fits || info.bands < 2 || info.up_bytes != N * N * sizeof(float) ||
	       !(info.kernel_seconds > 0);
}

static int leapfrog_buffers(struct clopt *ctx)
{
	struct stage s;
	int rc = stage_open(&s, ctx, sizeof points, points, velocities);

	/* More steps than are queued at a time. */
	rc = rc ? rc :
	          clopt_nbody_leapfrog_buffers(ctx, N, s.from, s.to, 0.03 / 130, 130, NULL,
	                                       &s.order);
	rc = rc ? rc : clopt_buffer_read(s.from, 0, sizeof points, points, &s.order);
	rc = rc ? rc : clopt_buffer_read(s.to, 0, sizeof points, velocities, &s.order);
	return stage_close(&s, rc);
}

/* A tree made from a buffer, whose sources another queue moves before a sum. */
static int tree_buffers(struct clopt *ctx)
{
	struct clopt_nbody_options o = CLOPT_NBODY_OPTIONS_INIT;
	struct clopt_tree *tree = NULL;
	struct stage s;
	int rc = stage_open(&s, ctx, sizeof points, points, points);

	o.order = 2;
	o.theta = 0.5;
	rc = rc ? rc : clopt_tree_new_buffers(ctx, N, s.from, &s.order, &tree);
	rc = rc ? rc : clopt_tree_move_buffers(tree, s.from, NULL);
	rc = rc ? rc : clopt_tree_nbody_buffers(tree, N, NULL, s.to, &o, &s.order);
	rc = rc ? rc : clopt_buffer_read(s.to, 0, sizeof points, velocities, &s.order);
	clopt_tree_free(tree);
	return stage_close(&s, rc);
}

static int prepared(struct clopt *ctx)
{
	struct clopt_problem p = CLOPT_PROBLEM_INIT;
	int rc;

	p.op = CLOPT_OP_TRANSPOSE;
	p.dim[0] = p.dim[1] = N;
	rc = clopt_prepare(ctx, &p);
	return rc == CLOPT_OK ? transpose(ctx) : rc;
}

static int join(struct clopt *ctx)
{
	return joined(CLOPT_CHECK_ALWAYS, transpose);
}

static int join_prepared(struct clopt *ctx)
{
	return joined(CLOPT_CHECK_OFF, prepared);
}

static int join_tree(struct clopt *ctx)
{
	return joined(CLOPT_CHECK_OFF, tree);
}

static int join_steps(struct clopt *ctx)
{
	return joined(CLOPT_CHECK_OFF, leapfrog);
}

/* On the host, for which the device is timed, and on buffers. */
static int small(struct clopt *ctx)
{
	const int rc = transpose(ctx);

	return rc == CLOPT_OK ? transpose_buffers(ctx) : rc;
}

/* A product with a result that is read, and bodies. */
static int checked(struct clopt *ctx)
{
	struct clopt_problem p[2] = { CLOPT_PROBLEM_INIT, CLOPT_PROBLEM_INIT };
	struct clopt_selfcheck_options o = CLOPT_SELFCHECK_OPTIONS_INIT;

	p[0].op = CLOPT_OP_MATMUL;
	p[0].dim[0] = p[0].dim[1] = p[0].dim[2] = 9;
	p[1].op = CLOPT_OP_EVOLVE_STEP;
	p[1].dim[0] = 9;
	o.problems = p;
	o.count = 2;
	return clopt_selfcheck(ctx, &o);
}

/* The time of a kernel, and the energy of softened bodies at one place. */
static int asked(struct clopt *ctx)
{
	const double bodies[8] = { 1, 2, 3, 1, 1, 2, 3, 1 }, still[8] = { 0 };
	struct clopt_evolve_options o = CLOPT_EVOLVE_OPTIONS_INIT;
	struct clopt_problem p = CLOPT_PROBLEM_INIT;
	struct clopt_conserved sums;
	double seconds;
	int rc;

	p.op = CLOPT_OP_TRANSPOSE;
	p.dim[0] = p.dim[1] = N;
	o.softening = 0.5;
	rc = clopt_time_variant(ctx, &p, NULL, 0, &seconds);
	return rc ? rc : clopt_nbody_conserved(ctx, 2, bodies, still, &o, &sums);
}

static int always_right(void)
{
	return 1;
}

static int traced(struct clopt *ctx)
{
	int rc = clopt_trace_start(ctx), end;

	rc = rc ? rc : transpose(ctx);
	end = clopt_trace_stop(ctx);
	return rc ? rc : end;
}

static int cgemm(struct clopt *ctx)
{
	const float factor[2] = { 1, 0 }, none[2] = { 0, 0 };
	const size_t n = N / 2;
	int i;

	for (i = 0; i < N * N; i++)
		in[i] = (float)(i % 2 == 0);
	return clopt_cgemm(ctx, CLOPT_LAYOUT_ROW_MAJOR, CLOPT_TRANS_NO, CLOPT_TRANS_NO, n, n, n,
	                   factor, in, n, in, n, none, out, n);
}

static int cgemm_right(void)
{
	return out[0] == N / 2 && out[1] == 0 && out[N * N / 2 - 2] == N / 2;
}

static int gemm_right(void)
{
	return out[0] == N - 1 && out[N * N - 1] == N - 1;
}

/* More bytes than go up at once through pinned memory. */
static float large[N * 2000], turned[2000 * N];

static int in_slices(struct clopt *ctx)
{
	int i;

	for (i = 0; i < N * 2000; i++)
		large[i] = (float)i;
	return clopt_transpose(ctx, N, 2000, 4, large, 2000, turned, N);
}

static int in_slices_right(void)
{
	return turned[1] == 2000 && turned[N * 2000 - 1] == N * 2000 - 1;
}

/* So many targets that slices of the shortest kind are several. */
static int sliced(struct clopt *ctx)
{
	const float source[4] = { -1, 0, 0, 2 };
	int i;

	for (i = 0; i < N * 500; i++)
		large[4 * i] = (float)(i % N);
	return clopt_potential(ctx, 1, source, N * 500, large, turned, NULL);
}

static int sliced_right(void)
{
	return near(turned[0], 2) && near(turned[1], 1) && near(turned[N * 499 + 1], 1);
}

/* On memory that the device uses in place. */
static int shared(struct clopt *ctx)
{
	void *memory;
	int i, rc = clopt_host_alloc(ctx, 2 * sizeof in, &memory, NULL);
	float *const from = memory;

	for (i = 0; i < N * N && rc == CLOPT_OK; i++)
		from[i] = (float)i;
	rc = rc == CLOPT_OK ? clopt_transpose(ctx, N, N, 4, from, N, from + N * N, N) : rc;
	if (memory) {
		memcpy(in, from, sizeof in);
		memcpy(out, from + N * N, sizeof in);
	}
	clopt_host_free(ctx, memory);
	return rc;
}

static int plan_right(void)
{
	return 1; /* otherwise the plan did not succeed */
}

#define OUT_OF_HOST_MEMORY -6
#define OUT_OF_RESOURCES -5
#define BUILD_PROGRAM_FAILURE -11

enum {
	NO_CACHE,
	EMPTY_CACHE,
	FULL_CACHE
};

/* By default no memory limit, transfers as the library chooses, no check, and calls that fail by
 * OUT_OF_RESOURCES. */
static const struct work {
	const char *name;
	int (*work)(struct clopt *);
	int (*right)(void);
	size_t limit_bytes; /* so that it runs in bands where it can */
	const char *variants;
	int transfer, discrete, check, code, open_too, cache;
#define DOES(what, how, result) .name = (what), .work = (how), .right = result##_right
} works[] = {
	{ DOES("matmul", matmul, matmul), .limit_bytes = 40000, .open_too = 1 },
	{ DOES("matmul by images", matmul, matmul), .limit_bytes = 80000,
	  .variants = "matmul/image-4x4" },
	{ DOES("transpose", transpose, transpose), .limit_bytes = 40000 },
	{ DOES("leapfrog", leapfrog, leapfrog) },
	{ DOES("by a tree", tree, tree), .code = BUILD_PROGRAM_FAILURE },
	{ DOES("steps by a tree", tree_steps, leapfrog) },
	{ DOES("a tree that is kept", tree_kept, tree), .code = OUT_OF_HOST_MEMORY },
	{ DOES("leapfrog by texels", leapfrog, leapfrog), .variants = "nbody/image-4",
	  .code = OUT_OF_HOST_MEMORY },
	{ DOES("dgemm", dgemm, dgemm), .limit_bytes = 80000 },
	{ DOES("potential", potential, potential), .limit_bytes = 1000, .code = OUT_OF_HOST_MEMORY,
	  .open_too = 1 },
	{ DOES("adopting", adopt, potential) },
	{ DOES("matmul, staged", matmul, matmul), .limit_bytes = 40000,
	  .transfer = CLOPT_TRANSFER_STAGED, .discrete = 1 },
	{ DOES("transpose, staged", transpose, transpose), .limit_bytes = 40000,
	  .transfer = CLOPT_TRANSFER_STAGED },
	{ DOES("map, staged", map, map), .limit_bytes = 12000, .transfer = CLOPT_TRANSFER_STAGED },
	{ DOES("map in place", map, map) },
	{ DOES("started", start, transpose), .limit_bytes = 40000 },
	{ DOES("on buffers", transpose_buffers, transpose), .variants = "transpose/image",
	  .code = OUT_OF_HOST_MEMORY },
	{ DOES("pinned", pinned, transpose), .limit_bytes = 40000, .discrete = 1 },
	{ DOES("gemm on buffers", gemm_buffers, gemm), .variants = "matmul/plain" },
	{ DOES("gemm on buffers by images", gemm_buffers, gemm), .variants = "matmul/image-4x4" },
	{ DOES("leapfrog on buffers", leapfrog_buffers, leapfrog), .variants = "nbody/plain" },
	{ DOES("leapfrog on buffers by texels", leapfrog_buffers, leapfrog),
	  .variants = "nbody/image-4", .code = OUT_OF_HOST_MEMORY },
	{ DOES("in place", in_place, transpose), .limit_bytes = 40000 },
	{ DOES("in place on buffers", in_place_buffers, transpose), .code = OUT_OF_HOST_MEMORY },
	{ DOES("in place on buffers by images", in_place_buffers, transpose),
	  .variants = "transpose/image" },
	{ DOES("plan", plan, plan), .limit_bytes = 40000, .discrete = 1 },
	{ DOES("dgemm, checked", dgemm, dgemm), .variants = "matmul/plain",
	  .check = CLOPT_CHECK_ALWAYS, .code = OUT_OF_HOST_MEMORY },
	{ DOES("potential, checked", potential, potential), .variants = "potential/plain",
	  .check = CLOPT_CHECK_ALWAYS },
	{ DOES("leapfrog, checked", leapfrog, leapfrog), .variants = "nbody/plain",
	  .check = CLOPT_CHECK_ALWAYS },
	{ DOES("transpose by images, checked", transpose, transpose), .variants = "transpose/image",
	  .check = CLOPT_CHECK_ALWAYS },
	{ DOES("dgemm, kept", dgemm_kept, dgemm), .limit_bytes = 80000 },
	{ DOES("dgemm, kept and checked", dgemm_kept, dgemm), .variants = "matmul/plain",
	  .check = CLOPT_CHECK_ALWAYS, .code = OUT_OF_HOST_MEMORY },
	{ DOES("batch, kept", batch_kept, batch), .limit_bytes = 80000 },
	{ DOES("leapfrog, kept", leapfrog_kept, leapfrog) },
	{ DOES("evolve, kept", evolve_kept, evolve) },
	{ DOES("map, kept", map_kept, map), .limit_bytes = 12000,
	  .transfer = CLOPT_TRANSFER_STAGED },
	{ DOES("matmul twice, small", matmul_twice, matmul), .variants = "matmul/plain",
	  .discrete = 1, .code = OUT_OF_HOST_MEMORY },
	{ DOES("a tree on buffers", tree_buffers, tree), .code = OUT_OF_HOST_MEMORY },
	{ DOES("handles of the caller's", handles, transpose), .variants = "transpose/plain",
	  .code = OUT_OF_HOST_MEMORY },
	{ DOES("joined", join, transpose), .code = OUT_OF_HOST_MEMORY },
	{ DOES("parts of buffers", parts, transpose), .variants = "transpose/image" },
	{ DOES("joined, prepared", join_prepared, transpose), .code = OUT_OF_HOST_MEMORY },
	{ DOES("joined, by a tree", join_tree, tree), .code = OUT_OF_HOST_MEMORY },
	{ DOES("joined, leapfrog", join_steps, leapfrog), .code = OUT_OF_HOST_MEMORY },
	{ DOES("small, on the host", small, transpose), .cache = EMPTY_CACHE },
	{ DOES("time line, staged", traced, transpose), .limit_bytes = 40000,
	  .transfer = CLOPT_TRANSFER_STAGED, .discrete = 1 },
	{ DOES("cgemm", cgemm, cgemm) },
	{ DOES("on buffers, staged", transpose_buffers, transpose),
	  .transfer = CLOPT_TRANSFER_STAGED, .discrete = 1 },
	{ DOES("evolve, kept and checked", evolve_kept, evolve), .check = CLOPT_CHECK_ALWAYS,
	  .code = OUT_OF_HOST_MEMORY },
	{ DOES("through pinned memory in slices", in_slices, in_slices), .discrete = 1 },
	{ DOES("potential, in slices of time", sliced, sliced), .variants = "potential/plain" },
	{ DOES("in place of the host's memory", shared, transpose), .variants = "transpose/plain" },
	{ DOES("evolve in a group, kept", evolve_grouped, evolve) },
	{ DOES("self check", checked, always), .code = OUT_OF_HOST_MEMORY },
	{ DOES("by a tree, checked at first use", tree, tree), .check = CLOPT_CHECK_FIRST },
	{ DOES("questions", asked, always), .code = OUT_OF_HOST_MEMORY },
	/* Once more: each code on the first task, and compiled kernels on disk, none yet or all. */
	{ DOES("matmul", matmul, matmul), .limit_bytes = 40000, .code = OUT_OF_HOST_MEMORY },
	{ DOES("matmul", matmul, matmul), .limit_bytes = 40000 },
	{ DOES("matmul", matmul, matmul), .limit_bytes = 40000, .code = BUILD_PROGRAM_FAILURE },
	{ DOES("transpose, staged", transpose, transpose), .limit_bytes = 40000,
	  .transfer = CLOPT_TRANSFER_STAGED, .code = OUT_OF_HOST_MEMORY },
	{ DOES("in place", in_place, transpose), .limit_bytes = 40000, .code = OUT_OF_HOST_MEMORY },
	{ DOES("matmul", matmul, matmul), .limit_bytes = 40000, .cache = EMPTY_CACHE },
	{ DOES("matmul", matmul, matmul), .limit_bytes = 40000, .code = OUT_OF_HOST_MEMORY,
	  .open_too = 1, .cache = FULL_CACHE },
	{ DOES("matmul, staged", matmul, matmul), .limit_bytes = 40000,
	  .transfer = CLOPT_TRANSFER_STAGED, .discrete = 1, .cache = EMPTY_CACHE },
	{ DOES("leapfrog", leapfrog, leapfrog), .code = BUILD_PROGRAM_FAILURE,
	  .cache = FULL_CACHE },
};

/* Nothing was written outside the output, and no command is still writing. */
static void expect_quiet(const char *name, long call)
{
	const struct timespec moment = { 0, 500000 };
	int i;

	memset(out, 0x55, N * N * sizeof *out);
	memset(dout, 0x55, sizeof dout);
	nanosleep(&moment, NULL);
	for (i = 0; i < N; i++)
		ck_assert_msg(fenced[i] == FENCE && out[N * N + i] == FENCE,
		              "%s: call %ld fails, and elements outside the output change", name,
		              call);
	for (i = 0; i < N * N; i++)
		ck_assert_msg(!memcmp(&out[i], &out[0], sizeof *out) &&
		                      !memcmp(&dout[i], &dout[0], sizeof *dout),
		              "%s: call %ld failed, and still something moves", name, call);
}

static int work(const struct work *w, struct clopt *ctx)
{
	fill_in();
	fall();
	return w->work(ctx);
}

static void sweep(const struct work *w)
{
	const int code = w->code ? w->code : OUT_OF_RESOURCES, open_too = w->open_too,
	          cache = w->cache;
	struct clopt_options options = CLOPT_OPTIONS_INIT;
	char folder[FOLDER_SIZE];
	struct clopt *ctx;
	long n, last = 0, tries = 0, failures = 0;
	int rc, happened;

	options.queues = 3;
	options.profile = 1;
	options.variants = w->variants;
	options.mem_limit_bytes = w->limit_bytes;
	options.transfer = w->transfer;
	options.check = w->check ? w->check : CLOPT_CHECK_OFF;
	options.keep_output = strstr(w->name, "kept") != NULL;
	options.small = strstr(w->name, "small, on") ? CLOPT_SMALL_HOST : 0;
	options.slice_seconds = strstr(w->name, "slices of time") ? 1e-9 : 0;
	/* Results in place are mapped, as other drivers need it. */
	options.quirks = strstr(w->name, "in place of") ? "pocl-maps" : NULL;
	options.copy_threads = 2;
	options.chunk_bytes = 3000;
	wrap_discrete(w->discrete);
	folder_make(folder);
	options.cache_dir = cache == NO_CACHE ? "0" : folder;
	for (n = 0; n < N; n++)
		fenced[n] = out[N * N + n] = FENCE;
	/* The first calls that are to fail, then ever farther apart; at last (n is 0) those from
	 * places that were not among them. */
	for (n = 1;;) {
		if (cache == EMPTY_CACHE)
			CHECK_OK(NULL, clopt_cache_clear(&options));
		/* Between here and wrap_fail(0, 0) only the library may run: Check allocates,
		 * too. */
		ctx = open_too ? NULL : test_open(&options);
		if (n)
			wrap_fail(n, code);
		else
			wrap_fail_new(code);
		rc = ctx ? CLOPT_OK : clopt_open(&ctx, &options);
		if (rc == CLOPT_OK)
			rc = work(w, ctx);
		happened = wrap_failed();
		tries += happened;
		wrap_fail(0, 0);

		ck_assert_msg(rc != CLOPT_OK || w->right(),
		              "%s: call %ld fails, all seems well, the result is wrong", w->name,
		              n);
		if (rc != CLOPT_OK) {
			ck_assert(rc < 0);
			ck_assert_msg(strlen(clopt_error(ctx)) > 10 || w->work == adopt ||
			                      strstr(w->name, "joined"),
			              "%s: call %ld: no text", w->name, n);
			failures++;
			expect_quiet(w->name, n);
		}
		if (happened && ctx && !open_too) {
			rc = work(w, ctx);
			/* A compiler's failure strikes a row out: where there is no other row, none
			 * serves. */
			if (code == OUT_OF_HOST_MEMORY || rc != CLOPT_ENOVARIANT)
				CHECK_OK(ctx, rc);
			ck_assert_msg(rc != CLOPT_OK || w->right(),
			              "%s: wrong after call %ld failed", w->name, n);
		}
		test_close(ctx);
		if (!happened && (!n || !test_all()))
			break;
		last = n ? n : last;
		n = !n || !happened ? 0 : n + 1 + n / 8;
	}
	ck_assert(folder_files(folder, NULL) != 0 || cache == NO_CACHE);
	folder_remove(folder);
	/* A tree without room sums all pairs, so that few failures are told. */
	ck_assert_msg(tries > 4 && failures > tries / 16, "%s: %ld calls, %ld failures told",
	              w->name, tries, failures);
	printf("%s: %ld of %ld calls failed by %d%s%s\n", w->name, tries, last, code,
	       open_too ? ", opening too" : "",
	       cache == NO_CACHE    ? "" :
	       cache == EMPTY_CACHE ? ", empty cache" :
	                              ", cache");
	fflush(stdout);
}

START_TEST(each_call)
{
	const struct work *w = &works[_i];

	if ((w->transfer != CLOPT_TRANSFER_STAGED && !w->discrete) || test_can_stage(w->name))
		sweep(w);
}
END_TEST

SUITE(faults, walk)
{
	test_add_rows(c, each_call, 0, (int)(sizeof works / sizeof *works));
}
