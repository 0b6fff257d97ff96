/* SPDX-License-Identifier: MIT */
/*
 * motion.c - bodies on the device: their arrays, and commands on these.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../base/numbers.h"
#include "../choose/choose.h"
#include "../kernel/kernel.h"
#include "call.h"

/* ---- Commands ------------------------------------------------------------ */

static int choose(struct clopt *ctx, const struct motion *m, struct part *p, int op, int outputs)
{
	struct clopt_problem problem = { .size = sizeof problem,
		                         .op = op,
		                         .dim = { m->e->n },
		                         .outputs = outputs,
		                         .precision = m->e->options.precision };
	int rc = CLOPT_OK;

	/* Sums over bodies in float are in the best there is. */
	if (op == CLOPT_EVOLVE_SUMS && problem.precision == CLOPT_PRECISION_FLOAT) {
		problem.elem_bytes = sizeof(cl_float);
		problem.precision = CLOPT_PRECISION_BEST;
	}
	TRY(clopt__problem_read(ctx, &problem, &p->problem));
	TRY(clopt__choose(ctx, &p->problem, 1, &p->row, &p->kernel));
out:
	return rc;
}

int clopt__motion_launch(struct clopt *ctx, const struct motion *m, const struct part *p,
                         double first, double second, const struct array *a, const struct array *b,
                         const struct array *c)
{
	const struct array *const arrays[MAX_OPERANDS] = { a, b, c };
	const double reals[2] = { first, second };
	const struct launch l = { p->row, p->kernel, &p->problem, p->problem.dim, 1, 0, reals,
		                  arrays, 1 };
	cl_event event = NULL;
	int rc = CLOPT_OK;

	TRY(clopt__launch(ctx, m->q, &l, (struct wait){ 0, NULL }, ctx->profile ? &event : NULL));
	TRY(clopt__log_kernel(ctx, 0, p->row->name, event));
out:
	return rc;
}

int clopt__motion_settle(struct clopt *ctx, const struct motion *m, int rc)
{
	const cl_int code = clFinish(m->q);

	if (code != CL_SUCCESS && rc == CLOPT_OK)
		rc = clopt__fail_cl(ctx, code, "clFinish");
	return clopt__log_settle(ctx, rc);
}

int clopt__motion_move(struct clopt *ctx, const struct motion *m, const struct array *a, void *host,
                       size_t rows, size_t row_bytes, int down)
{
	const struct transfer t = { .down = down,
		                    .mem = a->mem,
		                    .pitch_bytes = row_bytes,
		                    .host = host,
		                    .host_pitch_bytes = row_bytes,
		                    .rows = rows,
		                    .row_bytes = row_bytes };
	cl_event event = NULL;
	int rc = CLOPT_OK;

	*(down ? &ctx->report.down_bytes : &ctx->report.up_bytes) += rows * row_bytes;
	TRY(clopt__transfer(ctx, m->q, &t, (struct wait){ 0, NULL }, ctx->profile ? &event : NULL));
	TRY(clopt__log_add(ctx, down ? COMMAND_DOWN : COMMAND_UP, 0, rows * row_bytes, event));
out:
	return rc;
}

/* ---- The state ----------------------------------------------------------- */

int clopt__motion_fits(struct clopt *ctx, const struct motion *m, size_t *bytes)
{
	/* Places and velocities, Hermite's beside them, rates and those of before. */
	const size_t points = m->jerk ? 8 : 3, largest = m->jerk ? 4 : 2;
	const size_t one = clopt__times(m->e->n, m->point_bytes);

	*bytes = clopt__times(points, one);
	if (*bytes > clopt__memory(ctx))
		return clopt__memory_short(ctx, *bytes);
	if (largest * one <= ctx->device.info.max_alloc_bytes)
		return CLOPT_OK;
	*bytes = largest * one;
	return clopt__fail(ctx, CLOPT_ENOMEM,
	                   "the bodies take %zu bytes in one piece, the device allows %llu", *bytes,
	                   (unsigned long long)ctx->device.info.max_alloc_bytes);
}

static int open_arrays(struct clopt *ctx, struct motion *m)
{
	const struct layout packed = { 0, 0, 1 };
	const size_t n = m->e->n, bytes = m->point_bytes;
	size_t needed;
	int rc = CLOPT_OK;

	TRY(clopt__motion_fits(ctx, m, &needed));
	m->raw = malloc(2 * n * bytes);
	if (!m->raw)
		return clopt__fail(ctx, CLOPT_ENOMEM, "no memory for a copy of %zu bodies", n);
	TRY(clopt__array_open(ctx, 2 * n, bytes, packed, &m->state));
	TRY(clopt__array_open(ctx, m->jerk ? 4 * n : n, bytes, packed, &m->rates));
	if (m->jerk)
		TRY(clopt__array_open(ctx, 2 * n, bytes, packed, &m->next));
	if (m->sum.row) {
		m->groups = (n + m->sum.row->out[0] - 1) / m->sum.row->out[0];
		TRY(clopt__array_open(ctx, m->groups, SUMS * sizeof(cl_double), packed, &m->sums));
	}
out:
	return rc;
}

int clopt__motion_choose(struct clopt *ctx, const struct evolution *e, int sums, struct motion *m)
{
	int rc = CLOPT_OK;

	memset(m, 0, sizeof *m);
	m->e = e;
	m->q = ctx->queue[0];
	m->jerk = e->steps && e->options.integrator == CLOPT_HERMITE ? JERK : 0;
	m->point_bytes = 4 * clopt__number_bytes(e->options.precision);
	if (e->steps) {
		TRY(choose(ctx, m, &m->force, CLOPT_EVOLVE_FORCE, m->jerk));
		TRY(choose(ctx, m, &m->step, CLOPT_EVOLVE_STEP, m->jerk));
	}
	if (sums) {
		TRY(choose(ctx, m, &m->phi, CLOPT_EVOLVE_FORCE, PHI));
		TRY(choose(ctx, m, &m->sum, CLOPT_EVOLVE_SUMS, 0));
	}
out:
	return rc;
}

int clopt__motion_open(struct clopt *ctx, const struct evolution *e, int sums, struct motion *m)
{
	int rc = CLOPT_OK;

	TRY(clopt__motion_choose(ctx, e, sums, m));
	TRY(open_arrays(ctx, m));
	m->mass_unit = clopt__mass_unit(e->n, e->bodies);
	clopt__numbers_pack(e->options.precision, e->n, e->bodies, m->raw);
	clopt__numbers_pack(e->options.precision, e->n, e->velocities,
	                    (char *)m->raw + e->n * m->point_bytes);
	TRY(clopt__motion_move(ctx, m, &m->state, m->raw, 2 * e->n, m->point_bytes, 0));
out:
	return rc;
}

/* rc: how it went.  Nothing moves any more when it returns; where all went well
 * that is so already, and nothing may fail now that the caller has his bodies. */
int clopt__motion_close(struct clopt *ctx, struct motion *m, int rc)
{
	const struct part *const force = m->e->steps ? &m->force : &m->phi;

	if (rc != CLOPT_OK)
		rc = clopt__motion_settle(ctx, m, rc);
	clopt__array_close(&m->state);
	clopt__array_close(&m->next);
	clopt__array_close(&m->rates);
	clopt__array_close(&m->sums);
	free(m->raw);
	if (rc == CLOPT_OK && force->row)
		ctx->report.variant = force->row->name;
	ctx->report.bands = ctx->report.queues = ctx->report.sum_parts = 1;
	return rc;
}

int clopt__motion_back(struct clopt *ctx, struct motion *m)
{
	const struct evolution *e = m->e;
	int rc = CLOPT_OK;

	TRY(clopt__motion_move(ctx, m, &m->state, m->raw, 2 * e->n, m->point_bytes, 1));
	TRY(clopt__motion_settle(ctx, m, CLOPT_OK));
	clopt__numbers_unpack(e->options.precision, e->n, m->raw, 3, e->bodies);
	clopt__numbers_unpack(e->options.precision, e->n, (char *)m->raw + e->n * m->point_bytes, 3,
	                      e->velocities);
out:
	return rc;
}
