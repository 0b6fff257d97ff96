/* SPDX-License-Identifier: MIT */
/*
 * problem.c - problems: their sizes as text, and the shapes of their operands.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "table.h"

static int is_evolve(int op)
{
	return op == CLOPT_EVOLVE_FORCE || op == CLOPT_EVOLVE_STEP || op == CLOPT_EVOLVE_SUMS;
}

int clopt__bodies_precision(const struct clopt *ctx, int *precision)
{
	const int best = ctx->device.traits & T_FP64 ? CLOPT_PRECISION_DOUBLE :
	                                               CLOPT_PRECISION_DOUBLE_SINGLE;

	if (*precision == CLOPT_PRECISION_BEST)
		*precision = best;
	if (*precision == CLOPT_PRECISION_FLOAT || *precision == CLOPT_PRECISION_DOUBLE_SINGLE ||
	    *precision == CLOPT_PRECISION_DOUBLE)
		return CLOPT_OK;
	return clopt__fail(
	        ctx, CLOPT_EINVAL,
	        "precision %d: bodies move in float (%d), double-single (%d), double (%d) "
	        "or the best of them (%d)",
	        *precision, CLOPT_PRECISION_FLOAT, CLOPT_PRECISION_DOUBLE_SINGLE,
	        CLOPT_PRECISION_DOUBLE, CLOPT_PRECISION_BEST);
}

/* The precision gives the element size.  Arrays of evolve-sums may be float while the sums are in
 * more. */
static int read_evolve(const struct clopt *ctx, struct clopt_problem *p)
{
	const int own = p->op == CLOPT_EVOLVE_SUMS && p->elem_bytes == 4;
	int rc = CLOPT_OK;

	TRY(clopt__bodies_precision(ctx, &p->precision));
	if (p->outputs < 0 || p->outputs > 3)
		return clopt__fail(ctx, CLOPT_EINVAL, "%s with outputs %d: 0 to 3",
		                   clopt_op_name(p->op), p->outputs);
	if (!own)
		p->elem_bytes = p->precision == CLOPT_PRECISION_FLOAT ? 4 : 8;
out:
	return rc;
}

/* Whether a sum over pairs needs normals; laws.c asks the same of options. */
static int wants_normals(const struct clopt_problem *p)
{
	return p->outputs == CLOPT_PHI_NORMAL || p->law == CLOPT_LAW_ALPB_SALT ||
	       p->law == CLOPT_LAW_ALPB_FAR || p->law == CLOPT_LAW_ALPB_INSIDE_SALT ||
	       (p->law == CLOPT_LAW_ALPB_INSIDE && p->outputs != CLOPT_PHI);
}

/* Check the law, the outputs and the precision; 0 where an operation has none. */
static int read_pair(const struct clopt *ctx, struct clopt_problem *p)
{
	const int pair = p->op == CLOPT_POTENTIAL || p->op == CLOPT_NBODY;

	if (pair && p->law == CLOPT_LAW_DEFAULT)
		p->law = p->op == CLOPT_NBODY ? CLOPT_LAW_GRAVITY : CLOPT_LAW_COULOMB;
	if (p->op == CLOPT_NBODY && p->outputs == 0)
		p->outputs = CLOPT_FIELD;
	if (p->law < 0 || p->law >= CLOPT_LAWS || (p->law && (int)clopt__laws[p->law].op != p->op))
		return clopt__fail(ctx, CLOPT_EINVAL, "law %d: not one of %s", p->law,
		                   clopt_op_name(p->op));
	if (p->outputs < 0 || p->outputs > CLOPT_FIELD ||
	    (!pair && !is_evolve(p->op) && p->outputs) ||
	    (p->op == CLOPT_NBODY && p->outputs < CLOPT_FIELD_PHI))
		return clopt__fail(ctx, CLOPT_EINVAL, "outputs %d: not for %s", p->outputs,
		                   clopt_op_name(p->op));
	if (p->precision < 0 || p->precision > CLOPT_PRECISION_BEST ||
	    (!pair && !is_evolve(p->op) && p->precision))
		return clopt__fail(ctx, CLOPT_EINVAL, "precision %d: not for %s", p->precision,
		                   clopt_op_name(p->op));
	if ((p->normals | p->depths) & ~pair)
		return clopt__fail(ctx, CLOPT_EINVAL, "normals %d, depths %d: not for %s",
		                   p->normals, p->depths, clopt_op_name(p->op));
	if (pair && !p->normals && wants_normals(p))
		return clopt__fail(ctx, CLOPT_EINVAL, "normals 0, and %s with outputs %d has them",
		                   clopt__laws[p->law].name, p->outputs);
	if (pair && p->precision == CLOPT_PRECISION_BEST)
		p->precision = ctx->device.traits & T_FP64 ? CLOPT_PRECISION_DOUBLE :
		               clopt__law_has(p->law, CLOPT_PRECISION_DOUBLE_SINGLE) ?
		                                             CLOPT_PRECISION_DOUBLE_SINGLE :
		                                             CLOPT_PRECISION_COMPENSATED;
	return CLOPT_OK;
}

/* Check the fields of products, and turn column-major products into row-major ones, their
 * transposes. */
static int read_matmul(const struct clopt *ctx, struct clopt_problem *p)
{
	const struct clopt_problem q = *p;

	if (p->op != CLOPT_MATMUL) {
		if (p->type || p->math || p->triangle || p->hermitian ||
		    p->layout != CLOPT_ROW_MAJOR || (p->batch != 1 && p->op != CLOPT_TRANSPOSE))
			return clopt__fail(
			        ctx, CLOPT_EINVAL,
			        "type %d, layout %d, math %d, triangle %d, hermitian %d, "
			        "batch %zu: not for %s",
			        p->type, p->layout, p->math, p->triangle, p->hermitian, p->batch,
			        clopt_op_name(p->op));
		return CLOPT_OK;
	}
	if (p->layout != CLOPT_ROW_MAJOR && p->layout != CLOPT_COL_MAJOR)
		return clopt__fail(ctx, CLOPT_EINVAL,
		                   "layout %d: CLOPT_ROW_MAJOR is %d, CLOPT_COL_MAJOR is %d",
		                   p->layout, CLOPT_ROW_MAJOR, CLOPT_COL_MAJOR);
	if (p->math < CLOPT_MATH_EXACT || p->math > CLOPT_MATH_HALF)
		return clopt__fail(ctx, CLOPT_EINVAL, "math %d: there are %d to %d", p->math,
		                   CLOPT_MATH_EXACT, CLOPT_MATH_HALF);
	if (p->triangle && p->triangle != CLOPT_LOWER && p->triangle != CLOPT_UPPER)
		return clopt__fail(
		        ctx, CLOPT_EINVAL,
		        "triangle %d: 0 is all of it, CLOPT_UPPER is %d, CLOPT_LOWER is %d",
		        p->triangle, CLOPT_UPPER, CLOPT_LOWER);
	if (p->triangle && p->dim[0] != p->dim[1])
		return clopt__fail(ctx, CLOPT_EINVAL,
		                   "a triangle of C with %zu rows and %zu columns: they are alike",
		                   p->dim[0], p->dim[1]);
	if (p->layout == CLOPT_COL_MAJOR) {
		p->layout = CLOPT_ROW_MAJOR;
		p->dim[0] = q.dim[1];
		p->dim[1] = q.dim[0];
		p->transa = q.transb;
		p->transb = q.transa;
		p->triangle = !q.triangle ? 0 : CLOPT_UPPER + CLOPT_LOWER - q.triangle;
	}
	return CLOPT_OK;
}

/* The type and the size of elements of a product follow from each other; what only complex types
 * have is left out of real products. */
static int read_type(const struct clopt *ctx, struct clopt_problem *p)
{
	const struct element_type *type;

	p->type = p->type ? p->type : (int)p->elem_bytes;
	type = clopt__type(p->type);
	if (!type || p->elem_bytes != ((size_t)p->type & 0xff))
		return clopt__fail(ctx, CLOPT_EINVAL,
		                   "matmul of type 0x%x with elements of %zu bytes: they are 2, 4 "
		                   "or 8, or those of enum clopt_type",
		                   (unsigned)p->type, p->elem_bytes);
	if (p->hermitian && !p->triangle)
		return clopt__fail(ctx, CLOPT_EINVAL,
		                   "hermitian %d without a triangle: only that is computed",
		                   p->hermitian);
	p->hermitian = p->hermitian && type->parts == 2;
	if (type->parts == 1) {
		p->transa = p->transa == CLOPT_CONJ_TRANS ? CLOPT_TRANS : p->transa;
		p->transb = p->transb == CLOPT_CONJ_TRANS ? CLOPT_TRANS : p->transb;
	}
	return CLOPT_OK;
}

static double tiles(size_t size)
{
	return (double)(size / 64 + (size % 64 != 0));
}

/* With fewer than two tiles of 64 x 64 for each compute unit the device is partly idle; a long k
 * can then be shared.  A batch of products of more than a tile is like one large product. */
unsigned clopt__shape(const struct clopt_problem *p, unsigned compute_units)
{
	const size_t m = p->dim[0], n = p->dim[1], k = p->dim[2];

	if (p->op != CLOPT_MATMUL)
		return SHAPE_PLAIN;
	if (p->batch > 1)
		return (m <= 64 && n <= 64) || m == 1 || n == 1 ? SHAPE_BATCH : SHAPE_PLAIN;
	if (m == 1 || n == 1)
		return SHAPE_VECTOR;
	if (m <= SMALL && n <= SMALL && k <= SMALL)
		return SHAPE_SMALL;
	if (k >= 1024 && tiles(m) * tiles(n) <= 2.0 * compute_units)
		return SHAPE_DEEP;
	return SHAPE_PLAIN;
}

/* Check the size of elements. */
static int read_elements(const struct clopt *ctx, struct clopt_problem *p)
{
	const size_t sizes = p->op == CLOPT_TRANSPOSE ? 1 | 2 | 4 | 8 | 16 :
	                     is_evolve(p->op)         ? 4 | 8 :
	                                                4;

	int rc = CLOPT_OK;

	if (p->op == CLOPT_MATMUL)
		TRY(read_type(ctx, p));
	else if (!(p->elem_bytes & sizes) || (p->elem_bytes & (p->elem_bytes - 1)))
		return clopt__fail(ctx, CLOPT_EINVAL, "%s with elements of %zu bytes: they are %s",
		                   clopt_op_name(p->op), p->elem_bytes,
		                   p->op == CLOPT_TRANSPOSE ? "1, 2, 4, 8 or 16" : "4");
	if (p->scaled && (p->op != CLOPT_TRANSPOSE || !(p->elem_bytes & (4 | 8))))
		return clopt__fail(ctx, CLOPT_EINVAL,
		                   "scaled %d: for transposes of 4 or 8 bytes, not for %s of %zu",
		                   p->scaled, clopt_op_name(p->op), p->elem_bytes);
	if (p->uneven && p->op != CLOPT_TRANSPOSE)
		return clopt__fail(ctx, CLOPT_EINVAL, "uneven %d: not for %s", p->uneven,
		                   clopt_op_name(p->op));
out:
	return rc;
}

static int is_trans(int trans)
{
	return trans == CLOPT_NO_TRANS || trans == CLOPT_TRANS || trans == CLOPT_CONJ_TRANS;
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
	out->elem_bytes = out->elem_bytes  ? out->elem_bytes :
	                  out->type & 0xff ? (size_t)out->type & 0xff :
	                                     4;
	out->transa = out->transa ? out->transa : CLOPT_NO_TRANS;
	out->transb = out->transb ? out->transb : CLOPT_NO_TRANS;
	out->layout = out->layout ? out->layout : CLOPT_ROW_MAJOR;
	out->batch = out->batch ? out->batch : 1;
	TRY(read_pair(ctx, out));
	TRY(read_matmul(ctx, out));
	TRY(read_elements(ctx, out));
	out->uneven = out->uneven && out->elem_bytes < 16;
	if (!is_trans(out->transa) || !is_trans(out->transb))
		rc = clopt__fail(ctx, CLOPT_EINVAL,
		                 "transa %d, transb %d: CLOPT_NO_TRANS is %d, CLOPT_TRANS is %d, "
		                 "CLOPT_CONJ_TRANS is %d",
		                 out->transa, out->transb, CLOPT_NO_TRANS, CLOPT_TRANS,
		                 CLOPT_CONJ_TRANS);
out:
	return rc;
}

double clopt__units(const struct clopt_problem *p)
{
	double units = (double)p->batch;
	unsigned i;

	for (i = 0; i < clopt__ops[p->op]->dims; i++)
		units *= (double)p->dim[i];
	return p->op == CLOPT_EVOLVE_FORCE ? units * units : units;
}

static void batch_text(const struct clopt_problem *p, char *text, size_t size)
{
	text[0] = '\0';
	if (p->batch > 1)
		snprintf(text, size, " times %zu", p->batch);
}

static void transpose_text(const struct clopt_problem *p, char *text, size_t size)
{
	char batch[40];

	batch_text(p, batch, sizeof batch);
	snprintf(text, size, "transpose %zu x %zu of %zu bytes%s%s%s", p->dim[0], p->dim[1],
	         p->elem_bytes, p->scaled ? " scaled" : "", p->uneven ? " uneven" : "", batch);
}

char clopt__trans_letter(int trans)
{
	return trans == CLOPT_CONJ_TRANS ? 'C' : trans == CLOPT_TRANS ? 'T' : 'N';
}

/* Of any problem, also one that is not read yet. */
static void matmul_text(const struct clopt_problem *p, char *text, size_t size)
{
	const struct element_type *type = clopt__type(p->type ? p->type : (int)p->elem_bytes);
	char batch[40];

	batch_text(p, batch, sizeof batch);
	snprintf(text, size, "matmul %zu x %zu x %zu %s %c%c%s%s%s", p->dim[0], p->dim[1],
	         p->dim[2], type ? type->name : "?", clopt__trans_letter(p->transa),
	         clopt__trans_letter(p->transb),
	         p->layout == CLOPT_COL_MAJOR ? " column-major" : "",
	         p->triangle == CLOPT_LOWER ? " lower triangle" :
	         p->triangle == CLOPT_UPPER ? " upper triangle" :
	                                      "",
	         batch);
}

void clopt__problem_text(const struct clopt_problem *p, char *text, size_t size)
{
	switch (p->op) {
	case CLOPT_MATMUL:
		matmul_text(p, text, size);
		break;
	case CLOPT_TRANSPOSE:
		transpose_text(p, text, size);
		break;
	case CLOPT_LEAPFROG:
	case CLOPT_EVOLVE_FORCE:
	case CLOPT_EVOLVE_STEP:
	case CLOPT_EVOLVE_SUMS:
		snprintf(text, size, "%s %zu bodies", clopt_op_name(p->op), p->dim[0]);
		break;
	default:
		snprintf(text, size, "%s%s%s %zu sources x %zu targets", clopt_op_name(p->op),
		         p->law > CLOPT_LAW_COULOMB && p->law != CLOPT_LAW_GRAVITY ? " " : "",
		         p->law > CLOPT_LAW_COULOMB && p->law != CLOPT_LAW_GRAVITY ?
		                 clopt__laws[p->law].name :
		                 "",
		         p->dim[0], p->dim[1]);
	}
}

static void say_problem(const void *what, char *text, size_t size)
{
	clopt__problem_text(what, text, size);
}

struct sentence clopt__problem_sentence(const struct clopt_problem *p)
{
	return (struct sentence){ say_problem, p };
}

static void shape(const struct clopt_problem *p, struct operand *o, unsigned row_dim,
                  unsigned column_dim, size_t columns)
{
	o->row_dim = row_dim;
	o->column_dim = column_dim;
	o->rows = p->dim[row_dim];
	o->columns = column_dim == NO_DIM ? columns : p->dim[column_dim];
}

/* The matrices of a batch are the rows of one array; a matrix that serves all is one row.  SIZE_MAX
 * columns: beyond the address space. */
static void batch_shape(const struct clopt_problem *p, struct operand *o)
{
	const size_t rows = o->rows, columns = o->columns;

	o->inner_ld = o->inner_ld ? o->inner_ld : columns;
	o->columns = 0;
	if (rows && columns)
		o->columns = o->inner_ld <= (SIZE_MAX - columns) / rows ?
		                     (rows - 1) * o->inner_ld + columns :
		                     SIZE_MAX;
	o->column_dim = NO_DIM;
	o->row_dim = o->ld ? 0 : NO_DIM;
	o->rows = o->ld ? p->batch : 1;
	o->ld = o->ld ? o->ld : o->columns;
}

static size_t pair_columns(const struct clopt_problem *p, unsigned i)
{
	static const size_t results[] = { 1, 2, 4, 4 };

	switch (i) {
	case 1:
		return p->depths ? 1 : 0;
	case 3:
		return p->normals ? 4 : 0;
	case 4:
		return results[p->outputs];
	default:
		return 4;
	}
}

void clopt__problem_operand(const struct clopt_problem *p, unsigned i, struct operand *o)
{
	o->elem_bytes = p->elem_bytes;
	switch (p->op) {
	case CLOPT_MATMUL: /* m, n, k */
		if (i == 0)
			shape(p, o, p->transa != CLOPT_NO_TRANS ? 2 : 0,
			      p->transa != CLOPT_NO_TRANS ? 0 : 2, 0);
		else if (i == 1)
			shape(p, o, p->transb != CLOPT_NO_TRANS ? 1 : 2,
			      p->transb != CLOPT_NO_TRANS ? 2 : 1, 0);
		else
			shape(p, o, 0, 1, 0);
		if (p->batch > 1)
			batch_shape(p, o);
		break;
	case CLOPT_TRANSPOSE: /* rows, columns */
		shape(p, o, i, 1 - i, 0);
		if (p->batch > 1)
			batch_shape(p, o);
		break;
	case CLOPT_POTENTIAL: /* sources, depths, targets, normals, results */
	case CLOPT_NBODY:
		shape(p, o, i < 2 ? 0 : 1, NO_DIM, pair_columns(p, i));
		break;
	case CLOPT_EVOLVE_FORCE: /* places and velocities; rates, and earlier rates */
	case CLOPT_EVOLVE_STEP:
		shape(p, o, 0, NO_DIM, i + 1 == clopt__ops[p->op]->operands ? 16 : 8);
		break;
	case CLOPT_EVOLVE_SUMS: /* the last: a few sums of each group */
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
