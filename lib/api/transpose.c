/* SPDX-License-Identifier: MIT */
/*
 * transpose.c - out = alpha times in transposed, one matrix or many.  A band is some rows of the
 * input, which are columns of the output.
 */
#include "api.h"

/* A call in any of its forms. */
struct transposition {
	size_t rows, cols, elem_bytes;
	double alpha;
	size_t batch, stride_in, stride_out;
};

static struct transposition one_matrix(size_t rows, size_t cols, size_t elem_bytes, double alpha)
{
	return (struct transposition){ rows, cols, elem_bytes, alpha, 1, 0, 0 };
}

static struct transposition batch_of(size_t rows, size_t cols, size_t elem_bytes, size_t stride_in,
                                     size_t stride_out, size_t batch)
{
	return (struct transposition){ rows, cols, elem_bytes, 1, batch, stride_in, stride_out };
}

static struct job describe(const struct clopt *ctx, const struct transposition *m,
                           struct operand in, struct operand out)
{
	struct job j = {
		.problem = { .size = sizeof j.problem,
		             .op = CLOPT_OP_TRANSPOSE,
		             .dim = { m->batch ? m->rows : 0, m->cols, 0 },
		             .elem_bytes = m->elem_bytes,
		             .batch = m->batch,
		             .scaled = m->alpha != 1 },
		.real = { m->alpha },
		.operand = { clopt__of_batch(in, m->batch, m->stride_in),
		             clopt__of_batch(out, m->batch, m->stride_out) },
	};

	j.problem.uneven = clopt__job_uneven(ctx, &j);
	return j;
}

/* Check it here: a matrix of a batch gets no separate shape later. */
static int check_batch(const struct clopt *ctx, const struct transposition *m, size_t ld_in,
                       size_t ld_out)
{
	int rc = CLOPT_OK;

	TRY(clopt__check_ld(ctx, "in", "rows", m->cols, ld_in));
	TRY(clopt__check_ld(ctx, "out", "rows", m->rows, ld_out));
	TRY(clopt__check_results(ctx, "stride_out", m->batch, m->cols, m->rows, ld_out,
	                         m->stride_out));
out:
	return rc;
}

static int transpose(struct clopt *ctx, struct transposition m, const void *in, size_t ld_in,
                     const void *out, size_t ld_out, struct form form)
{
	struct job j = describe(ctx, &m, clopt__operand(form, in, ld_in, OPERAND_IN),
	                        clopt__operand(form, out, ld_out, OPERAND_OUT));
	int rc = CLOPT_OK;

	/* 0 is a default in struct clopt_problem, but not here. */
	if (m.elem_bytes == 0)
		return clopt__fail(ctx, CLOPT_EINVAL,
		                   "clopt_transpose: elem_bytes is 0: it must be 1, 2, 4, 8 or 16");
	if (m.batch > 1) {
		clopt__doing(clopt__problem_sentence(&j.problem));
		rc = check_batch(ctx, &m, ld_in, ld_out);
		clopt__done();
	}
	return rc ? rc : clopt__submit(ctx, &j, form);
}

/* buffers/in_place.c makes memory for the result. */
static int in_place(struct clopt *ctx, size_t rows, size_t cols, size_t elem_bytes,
                    const void *data, size_t ld, struct form form)
{
	const struct transposition m = one_matrix(rows, cols, elem_bytes, 1);
	const struct operand none = { 0 };
	struct job j = describe(ctx, &m, clopt__operand(form, data, ld, OPERAND_IN), none);

	if (elem_bytes == 0)
		return clopt__fail(
		        ctx, CLOPT_EINVAL,
		        "clopt_transpose_inplace: elem_bytes is 0: it must be 1, 2, 4, 8 or 16");
	if (rows != cols && rows != 1 && ld != cols)
		return clopt__fail(ctx, CLOPT_EINVAL,
		                   "clopt_transpose_inplace: ld is %zu: for %zu x %zu it must be "
		                   "%zu; only a square matrix may have gaps between rows",
		                   ld, rows, cols, cols);
	j.operand[0].name = "data";
	j.run = clopt__in_place;
	return clopt__submit(ctx, &j, form);
}

/* ---- At once ---------------------------------------------------------------- */

int clopt_transpose(struct clopt *ctx, size_t rows, size_t cols, size_t elem_bytes, const void *in,
                    size_t ld_in, void *out, size_t ld_out)
{
	return transpose(ctx, one_matrix(rows, cols, elem_bytes, 1), in, ld_in, out, ld_out,
	                 clopt__at_once());
}

int clopt_transpose_strided_batched(struct clopt *ctx, size_t rows, size_t cols, size_t elem_bytes,
                                    const void *in, size_t ld_in, size_t stride_in, void *out,
                                    size_t ld_out, size_t stride_out, size_t batch)
{
	return transpose(ctx, batch_of(rows, cols, elem_bytes, stride_in, stride_out, batch), in,
	                 ld_in, out, ld_out, clopt__at_once());
}

int clopt_stranspose(struct clopt *ctx, size_t rows, size_t cols, float alpha, const float *in,
                     size_t ld_in, float *out, size_t ld_out)
{
	return transpose(ctx, one_matrix(rows, cols, sizeof *out, alpha), in, ld_in, out, ld_out,
	                 clopt__at_once());
}

int clopt_dtranspose(struct clopt *ctx, size_t rows, size_t cols, double alpha, const double *in,
                     size_t ld_in, double *out, size_t ld_out)
{
	return transpose(ctx, one_matrix(rows, cols, sizeof *out, alpha), in, ld_in, out, ld_out,
	                 clopt__at_once());
}

int clopt_transpose_inplace(struct clopt *ctx, size_t rows, size_t cols, size_t elem_bytes,
                            void *data, size_t ld)
{
	return in_place(ctx, rows, cols, elem_bytes, data, ld, clopt__at_once());
}

/* ---- Started ---------------------------------------------------------------- */

int clopt_transpose_start(struct clopt *ctx, size_t rows, size_t cols, size_t elem_bytes,
                          const void *in, size_t ld_in, void *out, size_t ld_out,
                          struct clopt_call **call)
{
	return transpose(ctx, one_matrix(rows, cols, elem_bytes, 1), in, ld_in, out, ld_out,
	                 clopt__async(__func__, call));
}

int clopt_transpose_strided_batched_start(struct clopt *ctx, size_t rows, size_t cols,
                                          size_t elem_bytes, const void *in, size_t ld_in,
                                          size_t stride_in, void *out, size_t ld_out,
                                          size_t stride_out, size_t batch, struct clopt_call **call)
{
	return transpose(ctx, batch_of(rows, cols, elem_bytes, stride_in, stride_out, batch), in,
	                 ld_in, out, ld_out, clopt__async(__func__, call));
}

int clopt_stranspose_start(struct clopt *ctx, size_t rows, size_t cols, float alpha,
                           const float *in, size_t ld_in, float *out, size_t ld_out,
                           struct clopt_call **call)
{
	return transpose(ctx, one_matrix(rows, cols, sizeof *out, alpha), in, ld_in, out, ld_out,
	                 clopt__async(__func__, call));
}

int clopt_dtranspose_start(struct clopt *ctx, size_t rows, size_t cols, double alpha,
                           const double *in, size_t ld_in, double *out, size_t ld_out,
                           struct clopt_call **call)
{
	return transpose(ctx, one_matrix(rows, cols, sizeof *out, alpha), in, ld_in, out, ld_out,
	                 clopt__async(__func__, call));
}

int clopt_transpose_inplace_start(struct clopt *ctx, size_t rows, size_t cols, size_t elem_bytes,
                                  void *data, size_t ld, struct clopt_call **call)
{
	return in_place(ctx, rows, cols, elem_bytes, data, ld, clopt__async(__func__, call));
}

/* ---- On buffers ------------------------------------------------------------- */

int clopt_transpose_buffers(struct clopt *ctx, size_t rows, size_t cols, size_t elem_bytes,
                            const struct clopt_buffer *in, size_t ld_in, struct clopt_buffer *out,
                            size_t ld_out, const struct clopt_order *order)
{
	return transpose(ctx, one_matrix(rows, cols, elem_bytes, 1), in, ld_in, out, ld_out,
	                 clopt__on_buffers(order));
}

int clopt_transpose_strided_batched_buffers(struct clopt *ctx, size_t rows, size_t cols,
                                            size_t elem_bytes, const struct clopt_buffer *in,
                                            size_t ld_in, size_t stride_in,
                                            struct clopt_buffer *out, size_t ld_out,
                                            size_t stride_out, size_t batch,
                                            const struct clopt_order *order)
{
	return transpose(ctx, batch_of(rows, cols, elem_bytes, stride_in, stride_out, batch), in,
	                 ld_in, out, ld_out, clopt__on_buffers(order));
}

int clopt_stranspose_buffers(struct clopt *ctx, size_t rows, size_t cols, float alpha,
                             const struct clopt_buffer *in, size_t ld_in, struct clopt_buffer *out,
                             size_t ld_out, const struct clopt_order *order)
{
	return transpose(ctx, one_matrix(rows, cols, sizeof(float), alpha), in, ld_in, out, ld_out,
	                 clopt__on_buffers(order));
}

int clopt_dtranspose_buffers(struct clopt *ctx, size_t rows, size_t cols, double alpha,
                             const struct clopt_buffer *in, size_t ld_in, struct clopt_buffer *out,
                             size_t ld_out, const struct clopt_order *order)
{
	return transpose(ctx, one_matrix(rows, cols, sizeof(double), alpha), in, ld_in, out, ld_out,
	                 clopt__on_buffers(order));
}

int clopt_transpose_inplace_buffers(struct clopt *ctx, size_t rows, size_t cols, size_t elem_bytes,
                                    struct clopt_buffer *data, size_t ld,
                                    const struct clopt_order *order)
{
	return in_place(ctx, rows, cols, elem_bytes, data, ld, clopt__on_buffers(order));
}
