/* SPDX-License-Identifier: MIT */
/*
 * class.c - the class of a problem: problems that are chosen alike, named as in tuning records.
 */
#include <stdio.h>
#include <string.h>

#include "table.h"

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

static void batch_text(const struct clopt_problem *p, char *text, size_t size)
{
	text[0] = '\0';
	if (p->batch > 1)
		snprintf(text, size, " x%zu", nearest_power(p->batch));
}

static void matmul_text(const struct clopt_problem *p, char *text, size_t size)
{
	static const char *const maths[] = { "", " tf32", " half" };
	char batch[32];

	batch_text(p, batch, sizeof batch);
	snprintf(text, size, "matmul %s %c%c %zux%zux%zu%s%s%s", clopt__type(p->type)->name,
	         clopt__trans_letter(p->transa), clopt__trans_letter(p->transb),
	         nearest_power(p->dim[0]), nearest_power(p->dim[1]), nearest_power(p->dim[2]),
	         p->type == CLOPT_FLOAT ? maths[p->math] : "", p->triangle ? " triangle" : "",
	         batch);
}

static void transpose_text(const struct clopt_problem *p, char *text, size_t size)
{
	char batch[32];

	batch_text(p, batch, sizeof batch);
	snprintf(text, size, "transpose %zu bytes %zux%zu%s%s%s", p->elem_bytes,
	         nearest_power(p->dim[0]), nearest_power(p->dim[1]), p->scaled ? " scaled" : "",
	         p->uneven ? " uneven" : "", batch);
}

/* The other operations have one kernel for each kind of device. */
int clopt__is_tuned(const struct clopt_problem *p)
{
	return clopt__ops[p->op]->banded != 0;
}

const char *clopt__precision_name(int precision)
{
	static const char *const names[] = {
		[CLOPT_PRECISION_FLOAT] = "float",
		[CLOPT_PRECISION_COMPENSATED] = "compensated",
		[CLOPT_PRECISION_DOUBLE_SINGLE] = "double-single",
		[CLOPT_PRECISION_DOUBLE] = "double",
	};

	return names[precision];
}

const char *clopt__outputs_name(int outputs)
{
	static const char *const names[] = { "phi", "phi+normal", "phi+field", "field" };

	return names[outputs];
}

void clopt__class_text(const struct clopt_problem *p, char *text, size_t size)
{
	if (p->op == CLOPT_MATMUL)
		matmul_text(p, text, size);
	else if (p->op == CLOPT_TRANSPOSE)
		transpose_text(p, text, size);
	else
		snprintf(text, size, "%s %s %s %s %zux%zu%s%s", clopt_op_name(p->op),
		         clopt__laws[p->law].name, clopt__outputs_name(p->outputs),
		         clopt__precision_name(p->precision), nearest_power(p->dim[0]),
		         nearest_power(p->dim[1]), p->normals ? " normals" : "",
		         p->depths ? " depths" : "");
}

int clopt_problem_class(struct clopt *ctx, const struct clopt_problem *problem, char *text,
                        size_t size)
{
	struct clopt_problem p;
	int rc = CLOPT_OK;

	if (!ctx || !text || !size)
		return clopt__fail(ctx, CLOPT_EINVAL, "clopt_problem_class: %s",
		                   !ctx ? "ctx is NULL" : "no room for the text");
	text[0] = '\0';
	TRY(clopt__problem_read(ctx, problem, &p));
	if (!clopt__is_tuned(&p))
		return clopt__fail(ctx, CLOPT_EINVAL, "clopt_problem_class: %s is not tuned",
		                   clopt_op_name(p.op));
	clopt__class_text(&p, text, size);
out:
	return rc;
}
