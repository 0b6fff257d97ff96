/* SPDX-License-Identifier: MIT */
/*
 * problem.c - what a problem is: its sizes in words, and its operands' shapes.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "internal.h"

static int is_evolve(int op)
{
	return op == CLOPT_EVOLVE_FORCE || op == CLOPT_EVOLVE_STEP || op == CLOPT_EVOLVE_SUMS;
}

/* The precision says what the arrays hold.  Those of sums may be in float while
 * the sums are in more. */
static int read_evolve(const struct clopt *ctx, struct clopt_problem *p)
{
	const int own = p->op == CLOPT_EVOLVE_SUMS && p->elem_bytes == 4;

	if (p->precision == CLOPT_PRECISION_BEST)
		p->precision = clopt__best_precision(ctx);
	if (p->precision != CLOPT_PRECISION_FLOAT &&
	    p->precision != CLOPT_PRECISION_DOUBLE_SINGLE && p->precision != CLOPT_PRECISION_DOUBLE)
		return clopt__fail(ctx, CLOPT_EINVAL,
		                   "precision %d: bodies move in float (%d), double-single (%d) or "
		                   "double (%d)",
		                   p->precision, CLOPT_PRECISION_FLOAT,
		                   CLOPT_PRECISION_DOUBLE_SINGLE, CLOPT_PRECISION_DOUBLE);
	if (p->outputs < 0 || p->outputs > 3)
		return clopt__fail(ctx, CLOPT_EINVAL, "%s with outputs %d: 0 to 3",
		                   clopt_op_name(p->op), p->outputs);
	if (!own)
		p->elem_bytes = p->precision == CLOPT_PRECISION_FLOAT ? 4 : 8;
	return CLOPT_OK;
}

int clopt__best_precision(const struct clopt *ctx)
{
	return ctx->device.traits & T_FP64 ? CLOPT_PRECISION_DOUBLE : CLOPT_PRECISION_DOUBLE_SINGLE;
}

int clopt__problem_read(const struct clopt *ctx, const struct clopt_problem *in,
                        struct clopt_problem *out)
{
	int rc = CLOPT_OK;

	memset(out, 0, sizeof *out);
	if (!in)
		return clopt__fail(ctx, CLOPT_EINVAL, "problem is NULL");
	TRY(clopt__check_options(ctx, "clopt_problem", in->size, sizeof *in));
	memcpy(out, in, in->size);
	if (!clopt_op_name(out->op))
		return clopt__fail(ctx, CLOPT_EINVAL, "operation %d: there are 0 to %d", out->op,
		                   CLOPT_OPS - 1);
	if (is_evolve(out->op))
		TRY(read_evolve(ctx, out));
	out->elem_bytes = out->elem_bytes ? out->elem_bytes : 4;
	out->transa = out->transa ? out->transa : CLOPT_NO_TRANS;
	out->transb = out->transb ? out->transb : CLOPT_NO_TRANS;
	if (out->elem_bytes != 4 &&
	    (out->elem_bytes != 8 ||
	     (out->op != CLOPT_MATMUL && out->op != CLOPT_TRANSPOSE && !is_evolve(out->op))))
		rc = clopt__fail(ctx, CLOPT_EINVAL, "%s with elements of %zu bytes: %s",
		                 clopt_op_name(out->op), out->elem_bytes,
		                 out->op == CLOPT_MATMUL || out->op == CLOPT_TRANSPOSE ?
		                         "they are 4 or 8" :
		                         "they are 4");
	else if ((out->transa != CLOPT_NO_TRANS && out->transa != CLOPT_TRANS) ||
	         (out->transb != CLOPT_NO_TRANS && out->transb != CLOPT_TRANS))
		rc = clopt__fail(ctx, CLOPT_EINVAL,
		                 "transa %d, transb %d: CLOPT_NO_TRANS is %d, CLOPT_TRANS is %d",
		                 out->transa, out->transb, CLOPT_NO_TRANS, CLOPT_TRANS);
out:
	return rc;
}

void clopt__problem_text(const struct clopt_problem *p, char *text, size_t size)
{
	switch (p->op) {
	case CLOPT_MATMUL:
		snprintf(text, size, "matmul %zu x %zu x %zu float%zu %c%c", p->dim[0], p->dim[1],
		         p->dim[2], 8 * p->elem_bytes, p->transa == CLOPT_TRANS ? 'T' : 'N',
		         p->transb == CLOPT_TRANS ? 'T' : 'N');
		break;
	case CLOPT_TRANSPOSE:
		snprintf(text, size, "transpose %zu x %zu of %zu bytes", p->dim[0], p->dim[1],
		         p->elem_bytes);
		break;
	case CLOPT_LEAPFROG:
	case CLOPT_EVOLVE_FORCE:
	case CLOPT_EVOLVE_STEP:
	case CLOPT_EVOLVE_SUMS:
		snprintf(text, size, "%s %zu bodies", clopt_op_name(p->op), p->dim[0]);
		break;
	default:
		snprintf(text, size, "%s %zu sources x %zu targets", clopt_op_name(p->op),
		         p->dim[0], p->dim[1]);
	}
}

static void shape(const struct clopt_problem *p, struct operand *o, unsigned row_dim,
                  unsigned column_dim, size_t columns)
{
	o->row_dim = row_dim;
	o->column_dim = column_dim;
	o->rows = p->dim[row_dim];
	o->columns = column_dim == NO_DIM ? columns : p->dim[column_dim];
}

void clopt__problem_operand(const struct clopt_problem *p, unsigned i, struct operand *o)
{
	o->elem_bytes = p->elem_bytes;
	switch (p->op) {
	case CLOPT_MATMUL: /* m, n, k */
		if (i == 0)
			shape(p, o, p->transa == CLOPT_TRANS ? 2 : 0,
			      p->transa == CLOPT_TRANS ? 0 : 2, 0);
		else if (i == 1)
			shape(p, o, p->transb == CLOPT_TRANS ? 1 : 2,
			      p->transb == CLOPT_TRANS ? 2 : 1, 0);
		else
			shape(p, o, 0, 1, 0);
		break;
	case CLOPT_TRANSPOSE: /* rows, columns */
		shape(p, o, i, 1 - i, 0);
		break;
	case CLOPT_POTENTIAL: /* sources, targets */
	case CLOPT_NBODY:
		shape(p, o, i == 0 ? 0 : 1, NO_DIM, i == 2 && p->op == CLOPT_POTENTIAL ? 1 : 4);
		break;
	case CLOPT_EVOLVE_FORCE: /* places and velocities; rates, and those of before */
	case CLOPT_EVOLVE_STEP:
		shape(p, o, 0, NO_DIM, i + 1 == clopt__ops[p->op].operands ? 16 : 8);
		break;
	case CLOPT_EVOLVE_SUMS: /* the last: a few for each group */
		shape(p, o, 0, NO_DIM, i == 0 ? 8 : i == 1 ? 16 : 1);
		break;
	default: /* leapfrog: bodies, velocities, accelerations */
		shape(p, o, 0, NO_DIM, 4);
	}
}

struct operand clopt__host_operand(const void *host, size_t ld, unsigned use)
{
	return (struct operand){ .host = (void *)(uintptr_t)host, .ld = ld, .use = use };
}

struct operand clopt__buffer_operand(const struct clopt_buffer *buffer, size_t ld, unsigned use)
{
	return (struct operand){ .buffer = buffer, .ld = ld, .use = use };
}
