/* SPDX-License-Identifier: MIT */
/*
 * problem.c - problems: defaults, checks, text, class and operand shapes, as far as operations
 * share them. struct op has the part of each operation.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "table.h"

/* Check that fields which the operation does not have are 0. */
static int check_fields(const struct clopt *ctx, const struct clopt_problem *p)
{
	const struct op *op = clopt__ops[p->op];
	const struct {
		const char *name;
		int value;
		unsigned field;
	} given[] = {
		{ "law", p->law, FIELD_LAW },
		{ "normals", p->normals, FIELD_LAW },
		{ "depths", p->depths, FIELD_LAW },
		{ "precision", p->precision == CLOPT_PRECISION_FLOAT ? 0 : p->precision,
		  FIELD_PRECISION },
		{ "transa", p->transa == CLOPT_TRANS_NO ? 0 : p->transa, FIELD_PRODUCT },
		{ "transb", p->transb == CLOPT_TRANS_NO ? 0 : p->transb, FIELD_PRODUCT },
		{ "layout", p->layout == CLOPT_LAYOUT_ROW_MAJOR ? 0 : p->layout, FIELD_PRODUCT },
		{ "type", p->type, FIELD_PRODUCT },
		{ "math", p->math, FIELD_PRODUCT },
		{ "triangle", p->triangle, FIELD_PRODUCT },
		{ "hermitian", p->hermitian, FIELD_PRODUCT },
		{ "uneven", p->uneven, FIELD_UNEVEN },
	};
	size_t i;

	for (i = 0; i < sizeof given / sizeof *given; i++)
		if (given[i].value && !(op->fields & given[i].field))
			return clopt__fail(ctx, CLOPT_EINVAL, "%s is %d: it must be 0 for %s",
			                   given[i].name, given[i].value, op->name);
	if (p->outputs < 0 || p->outputs > op->most_outputs)
		return clopt__fail(ctx, CLOPT_EINVAL,
		                   op->most_outputs ?
		                           "outputs is %d: use one of enum clopt_outputs" :
		                           "outputs is %d: it must be 0 for %s",
		                   p->outputs, op->name);
	if (p->batch != 1 && !op->batched)
		return clopt__fail(ctx, CLOPT_EINVAL,
		                   "batch is %zu: %s takes no batch, so it must be 0 or 1",
		                   p->batch, op->name);
	return CLOPT_OK;
}

/* Write sizes in bytes, ORed, as "2, 4 or 8". */
static void say_sizes(unsigned sizes, struct text *t)
{
	unsigned size;

	for (size = 1; size <= sizes; size *= 2)
		if (sizes & size)
			clopt__say(t, "%s%u",
			           !(sizes & (size - 1)) ? "" :
			           sizes < 2 * size      ? " or " :
			                                   ", ",
			           size);
}

static int check_elements(const struct clopt *ctx, const struct clopt_problem *p)
{
	const struct op *op = clopt__ops[p->op];
	const size_t bytes = p->elem_bytes;
	char sizes[32];
	struct text t = { sizes, sizeof sizes };

	if (!(bytes & op->elem_sizes) || (bytes & (bytes - 1))) {
		say_sizes(op->elem_sizes, &t);
		return clopt__fail(ctx, CLOPT_EINVAL, "elem_bytes is %zu: for %s it must be %s",
		                   bytes, op->name, sizes);
	}
	if (p->scaled && !(bytes & op->scaled_sizes))
		return clopt__fail(
		        ctx, CLOPT_EINVAL,
		        "scaled is %d: only transposes of 4 or 8 bytes take it, not %s of %zu",
		        p->scaled, op->name, bytes);
	return CLOPT_OK;
}

int clopt__problem_read(const struct clopt *ctx, const struct clopt_problem *in,
                        struct clopt_problem *out)
{
	const struct op *op;
	int rc = CLOPT_OK;

	memset(out, 0, sizeof *out);
	if (!in)
		return clopt__fail(ctx, CLOPT_EINVAL, "problem is NULL");
	TRY(clopt__sized_read(ctx, "clopt_problem", in, out, sizeof *out));
	if (in->size > offsetof(struct clopt_problem, dim) &&
	    in->size < offsetof(struct clopt_problem, dim) + sizeof in->dim)
		return clopt__fail(ctx, CLOPT_EINVAL,
		                   "size of struct clopt_problem is %zu, inside dim: set it to "
		                   "sizeof(struct clopt_problem)",
		                   in->size);
	TRY(clopt__check_number(ctx, "clopt_problem.reserved", out->reserved, 0, 0));
	TRY(clopt__check_number(ctx, "clopt_problem.scaled", out->scaled, 0, 1));
	TRY(clopt__check_number(ctx, "clopt_problem.uneven", out->uneven, 0,
	                        UNEVEN_ROWS | UNEVEN_RESULT));
	if (!clopt_op_name(out->op))
		return clopt__fail(ctx, CLOPT_EINVAL, "op is %d: use one of enum clopt_op",
		                   out->op);
	op = clopt__ops[out->op];
	out->transa = out->transa ? out->transa : CLOPT_TRANS_NO;
	out->transb = out->transb ? out->transb : CLOPT_TRANS_NO;
	out->layout = out->layout ? out->layout : CLOPT_LAYOUT_ROW_MAJOR;
	out->batch = out->batch ? out->batch : 1;
	TRY(check_fields(ctx, out));
	TRY(clopt__check_sizes(ctx, out));
	if (op->read)
		TRY(op->read(ctx, out));
	out->elem_bytes = out->elem_bytes ? out->elem_bytes : 4; /* if `read` set none */
	TRY(check_elements(ctx, out));
	/* On GPUs the choice does not depend on whether results lie on cache lines. */
	out->uneven &= (ctx && ctx->device.traits & T_CPU ? UNEVEN_RESULT : 0) |
	               (out->elem_bytes < 16 ? UNEVEN_ROWS : 0);
out:
	return rc;
}

/* UNEVEN_..., ORed, from the distances in bytes, ORed, between rows and matrices of the input, and
 * of the result. */
static int uneven(size_t in_bytes, size_t out_bytes)
{
	return ((in_bytes | out_bytes) % 16 ? UNEVEN_ROWS : 0) |
	       (out_bytes % 64 ? UNEVEN_RESULT : 0);
}

int clopt__problem_asked(const struct clopt *ctx, const struct clopt_problem *in,
                         struct clopt_problem *out)
{
	struct clopt_problem p;
	int rc = CLOPT_OK;

	TRY(clopt__problem_read(ctx, in, &p));
	/* Otherwise rows get their best pitch on the device. */
	if (!p.uneven && clopt__ops[p.op]->fields & FIELD_UNEVEN &&
	    (p.batch > 1 || ctx->device.traits & T_UNIFIED))
		p.uneven = uneven(p.dim[1] * p.elem_bytes, p.dim[0] * p.elem_bytes);
	TRY(clopt__problem_read(ctx, &p, out));
out:
	return rc;
}

/* Distances in bytes, ORed, between the rows and between the matrices of an operand on ctx's
 * device.  Unless it works in host memory, host arrays get another distance there: of the rows of
 * one matrix, or of the matrices of a batch. */
static size_t distances(const struct clopt *ctx, const struct operand *o, int batch,
                        size_t elem_bytes)
{
	const int stays = o->buffer || (ctx && ctx->device.traits & T_UNIFIED);

	return ((batch ? o->inner_ld : 0) | (stays ? o->ld : 0)) * elem_bytes;
}

int clopt__job_uneven(const struct clopt *ctx, const struct job *job)
{
	const struct operand *in = &job->operand[0], *out = &job->operand[1];
	const int batch = job->problem.batch > 1;
	const size_t elem_bytes = job->problem.elem_bytes;
	const size_t offsets = (in->buffer ? in->buffer->offset_bytes : 0) |
	                       (out->buffer ? out->buffer->offset_bytes : 0);

	/* The result's offset does not count: rows of whole lines at one distance from a line are
	 * even. */
	return uneven(distances(ctx, in, batch, elem_bytes) | offsets,
	              distances(ctx, out, batch, elem_bytes));
}

double clopt__units(const struct clopt_problem *p)
{
	double units = (double)p->batch;
	unsigned i;

	for (i = 0; i < clopt__ops[p->op]->dims; i++)
		units *= (double)p->dim[i];
	return units;
}

size_t clopt__results(const struct clopt_problem *p)
{
	const struct op *op = clopt__ops[p->op];

	return p->dim[op->extent[0]] * (op->extent[1] == NO_DIM ? 1 : p->dim[op->extent[1]]);
}

void clopt__problem_text(const struct clopt_problem *p, char *text, size_t size)
{
	struct text t = { text, size };

	clopt__say(&t, "%s ", clopt__ops[p->op]->name);
	clopt__ops[p->op]->text(p, &t);
	if (p->batch > 1)
		clopt__say(&t, " times %zu", p->batch);
}

/* Leave out the layout of arrays, which matters only to the choice of a kernel. */
static void say_problem(const void *what, char *text, size_t size)
{
	struct clopt_problem p = *(const struct clopt_problem *)what;

	p.uneven = 0;
	clopt__problem_text(&p, text, size);
}

struct sentence clopt__problem_sentence(const struct clopt_problem *p)
{
	return (struct sentence){ say_problem, p };
}

/* The power of two nearest by ratio. */
static size_t nearest_power(size_t n)
{
	size_t p = 1;

	if (n < 2)
		return n;
	while (p <= n / 2)
		p *= 2;
	return (double)n > 1.41421356 * (double)p ? 2 * p : p;
}

int clopt__is_tuned(const struct clopt_problem *p)
{
	return clopt__ops[p->op]->class_text != NULL;
}

void clopt__class_text(const struct clopt_problem *p, char *text, size_t size)
{
	struct clopt_problem rounded = *p;
	struct text t = { text, size };
	int i;

	for (i = 0; i < 3; i++)
		rounded.dim[i] = nearest_power(p->dim[i]);
	clopt__say(&t, "%s ", clopt__ops[p->op]->name);
	clopt__ops[p->op]->class_text(&rounded, &t);
	if (p->batch > 1)
		clopt__say(&t, " x%zu", nearest_power(p->batch));
}

int clopt_problem_class(struct clopt *ctx, const struct clopt_problem *problem, char *text,
                        size_t size)
{
	struct clopt_problem p;
	int rc = CLOPT_OK;

	TRY(clopt__usable(ctx));
	if (!text || !size)
		return clopt__fail(ctx, CLOPT_EINVAL,
		                   "clopt_problem_class: text is NULL or size is 0");
	text[0] = '\0';
	TRY(clopt__problem_asked(ctx, problem, &p));
	if (!clopt__is_tuned(&p))
		return clopt__fail(ctx, CLOPT_EINVAL,
		                   "clopt_problem_class: %s is not tuned: matmul, transpose, "
		                   "potential and nbody are",
		                   clopt_op_name(p.op));
	clopt__class_text(&p, text, size);
out:
	return rc;
}

/* The leading dimension.  For a single row it does not matter: the least that is allowed will
 * do. */
static size_t apart(size_t rows, size_t columns, size_t ld)
{
	return rows == 1 && ld > columns ? columns : ld;
}

/* The matrices of a batch are the rows of one array; a shared matrix is one row.  SIZE_MAX columns:
 * beyond the address space. */
static void batch_shape(const struct clopt_problem *p, struct operand *o)
{
	const size_t rows = o->rows, columns = o->columns;

	o->inner_ld = apart(rows, columns, o->inner_ld ? o->inner_ld : columns);
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

size_t clopt__elem_bytes(const struct clopt_problem *p, unsigned i)
{
	const struct op *op = clopt__ops[p->op];
	const struct element_type *type = i + 1 == op->operands ? clopt__type(p->type) : NULL;

	return op->floats >> i & 1 ? sizeof(cl_float) :
	       type                ? ((size_t)type->result & 0xff) * type->parts :
	                             p->elem_bytes;
}

void clopt__problem_operand(const struct clopt_problem *p, unsigned i, struct operand *o)
{
	const struct operand_shape s = clopt__ops[p->op]->shape(p, i);

	o->elem_bytes = clopt__elem_bytes(p, i);
	o->row_dim = s.row_dim;
	o->column_dim = s.column_dim;
	o->rows = s.rows ? s.rows : p->dim[s.row_dim];
	o->columns = s.column_dim == NO_DIM ? s.columns : p->dim[s.column_dim];
	if (p->batch > 1)
		batch_shape(p, o);
	else
		o->ld = apart(o->rows, o->columns, o->ld);
}

unsigned clopt__operands(const struct job *job)
{
	return job->epilogue.result ? PRODUCT_SUMS + 1 : clopt__ops[job->problem.op]->operands;
}

/* A scale or the bias: one number for each of the job's columns (across), or of its rows.  All
 * matrices of a batch share them. */
static void line_shape(const struct clopt_problem *p, int across, struct operand *o)
{
	const size_t length = o->use ? p->dim[across] : 0;
	const int shared = p->batch > 1 || !o->use;

	o->elem_bytes = sizeof(cl_float);
	o->rows = across || shared ? 1 : length;
	o->columns = across || shared ? length : 1;
	o->row_dim = across || shared ? NO_DIM : 0;
	o->column_dim = across && !shared ? 1 : NO_DIM;
	o->ld = o->columns;
}

void clopt__job_operand(struct job *job, unsigned i)
{
	const struct epilogue *e = &job->epilogue;
	struct operand *o = &job->operand[i];

	if (i >= SCALE_ROWS && i < PRODUCT_SUMS && e->result) {
		line_shape(&job->problem, (i == SCALE_ROWS) == e->turned, o);
		return;
	}
	if (i == PRODUCT_SUMS && e->result)
		*o = (struct operand){ .use = o->use, .ld = job->problem.batch > 1 };
	clopt__problem_operand(&job->problem, e->result && i == PRODUCT_SUMS ? 2 : i, o);
	if (i == PRODUCT_SUMS && e->result)
		o->ld = o->columns;
	else if (i == 2 && e->result)
		o->elem_bytes = (size_t)e->result & 0xff;
}

int clopt__epilogue_form(const struct job *job)
{
	int form = job->epilogue.turned ? FORM_EPILOGUE | FORM_TURNED : FORM_EPILOGUE;
	unsigned i;

	for (i = SCALE_ROWS; i <= PRODUCT_SUMS; i++)
		form |= job->operand[i].use ? 1 << i : 0;
	return job->epilogue.result ? form : 0;
}

void clopt__epilogue_of(int form, struct job *job)
{
	unsigned i;

	if (!(form & FORM_EPILOGUE))
		return;
	job->epilogue.result = form >> PRODUCT_SUMS & 1 ? CLOPT_TYPE_INT8 : CLOPT_TYPE_FLOAT;
	job->epilogue.turned = (form & FORM_TURNED) != 0;
	for (i = SCALE_ROWS; i <= PRODUCT_SUMS; i++)
		if (form >> i & 1)
			job->operand[i].use = i < PRODUCT_SUMS ? OPERAND_IN : OPERAND_SCRATCH;
}

struct operand clopt__host_operand(const void *host, size_t ld, unsigned use)
{
	return (struct operand){ .host = (void *)(uintptr_t)host, .ld = ld, .use = use };
}

struct operand clopt__buffer_operand(const struct clopt_buffer *buffer, size_t ld, unsigned use)
{
	return (struct operand){ .buffer = buffer, .ld = ld, .use = use };
}
