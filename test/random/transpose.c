/* SPDX-License-Identifier: MIT */
/*
 * transpose.c - random transposes, in all their forms: bits that move, and products
 * with a factor, which are rounded once, to one of the two numbers next to them at most.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"

enum {
	ENTRY_BATCHED,
	ENTRY_ONE,
	ENTRY_SCALED,
	ENTRY_IN_PLACE,
	ENTRIES
};

struct turn {
	struct call *c;
	int entry;
	size_t rows, cols, bytes, ld_in, ld_out, stride_in, stride_out, batch;
	double alpha;
	struct host in, out; /* in place: out is the only array, and in its old content */
};

static size_t extent(size_t batch, size_t stride, size_t rows, size_t cols, size_t ld)
{
	return batch && rows && cols ? (batch - 1) * stride + (rows - 1) * ld + cols : 0;
}

static void draw_sizes(struct turn *t, struct random *r)
{
	const size_t kind = random_below(r, 300);

	t->rows = call_size(t->c, 0);
	t->cols = random_one_in(r, 12) ? 1 : call_size(t->c, 1);
	t->batch = t->entry != ENTRY_BATCHED ? 1 :
	           kind < 200 || t->c->row   ? random_below(r, 9) :
	                                       random_below(r, 200);
	if (kind == 0 && t->entry == ENTRY_BATCHED && !t->c->row) {
		t->batch = 65530 + random_below(r, 4472);
		t->rows = random_below(r, 4);
		t->cols = random_below(r, 4);
	}
	while ((double)(t->rows * t->cols * t->batch) >
	       call_work(t->c, 1 << 19, 6 * (double)t->bytes, 1)) {
		t->batch -= t->batch / 2;
		*(random_one_in(r, 2) ? &t->rows : &t->cols) /= 2;
	}
	if (t->entry == ENTRY_IN_PLACE && random_one_in(r, 2))
		t->cols = t->rows;
}

static void draw(struct turn *t)
{
	struct random *r = &t->c->r, *k = &t->c->kernel;

	t->bytes = (size_t)1 << random_below(k, 5);
	t->entry = random_one_in(k, 3) ? ENTRY_SCALED : (int)random_below(r, 4);
	if (t->entry == ENTRY_SCALED)
		t->bytes = random_below(k, 2) && random_device.fp64 ? 8 : 4;
	draw_sizes(t, r);
	t->ld_in = t->cols + (random_one_in(r, 2) ? random_below(r, 20) : 0);
	t->ld_out = t->rows + (random_one_in(r, 2) ? random_below(r, 20) : 0);
	if (t->entry == ENTRY_IN_PLACE) {
		t->ld_in = t->rows == t->cols ? t->ld_in : t->cols;
		t->ld_out = t->rows == t->cols ? t->ld_in : t->rows;
	}
	t->stride_in = random_one_in(r, 4) ? random_below(r, t->rows * t->ld_in + 1) :
	                                     t->rows * t->ld_in + random_below(r, 3);
	t->stride_out = t->cols * t->ld_out + (random_one_in(r, 2) ? random_below(r, 20) : 0);
	if (t->batch > 1 && t->batch < 200 && random_one_in(r, 8)) { /* side by side */
		t->stride_out = t->rows + random_below(r, 3);
		t->ld_out = t->batch * t->stride_out + random_below(r, 3);
	}
	/* No row follows a single one. */
	if (t->rows == 1 && random_one_in(r, 4))
		t->ld_in = INT64_MAX;
	if (t->cols == 1 && t->entry != ENTRY_IN_PLACE && random_one_in(r, 4))
		t->ld_out = INT64_MAX;
	t->alpha = random_one_in(r, 4) ? (double)random_below(r, 3) - 1 :
	           random_one_in(r, 8) ? 0x1p100 :
	                                 (double)(float)random_between(r, -3, 3);
}

/* Random bytes; with a factor, numbers of all sizes, and special floats. */
static void fill(struct turn *t, struct host *h)
{
	struct random *r = &t->c->r;
	const int family = (int)random_below(r, 10);
	size_t i;

	for (i = 0; i < h->bytes / t->bytes && t->entry == ENTRY_SCALED; i++) {
		const double x = random_one_in(r, 40) ? (random_one_in(r, 2) ? INFINITY : NAN) :
		                                        random_value(r, family, i, 8);

		if (t->bytes == 8)
			((double *)h->data)[i] = x;
		else
			((float *)h->data)[i] = (float)x;
	}
	for (i = 0; i + 8 <= h->bytes && t->entry != ENTRY_SCALED; i += 8) {
		const uint64_t bits = random_bits(r);

		memcpy((char *)h->data + i, &bits, sizeof bits);
	}
	for (; i < h->bytes && t->entry != ENTRY_SCALED; i++)
		((unsigned char *)h->data)[i] = (unsigned char)(i * 41);
}

static int on_host(struct turn *t)
{
	struct clopt *ctx = t->c->ctx;

	switch (t->entry) {
	case ENTRY_ONE:
		return clopt_transpose(ctx, t->rows, t->cols, t->bytes, t->in.data, t->ld_in,
		                       t->out.data, t->ld_out);
	case ENTRY_SCALED:
		return t->bytes == 8 ?
		               clopt_dtranspose(ctx, t->rows, t->cols, t->alpha, t->in.data,
		                                t->ld_in, t->out.data, t->ld_out) :
		               clopt_stranspose(ctx, t->rows, t->cols, (float)t->alpha, t->in.data,
		                                t->ld_in, t->out.data, t->ld_out);
	case ENTRY_IN_PLACE:
		return clopt_transpose_inplace(ctx, t->rows, t->cols, t->bytes, t->out.data,
		                               t->ld_in);
	default:
		return clopt_transpose_strided_batched(ctx, t->rows, t->cols, t->bytes, t->in.data,
		                                       t->ld_in, t->stride_in, t->out.data,
		                                       t->ld_out, t->stride_out, t->batch);
	}
}

static int started(struct turn *t)
{
	struct clopt *ctx = t->c->ctx;
	struct clopt_call *s = NULL;
	int rc;

	switch (t->entry) {
	case ENTRY_ONE:
		rc = clopt_transpose_start(ctx, t->rows, t->cols, t->bytes, t->in.data, t->ld_in,
		                           t->out.data, t->ld_out, &s);
		break;
	case ENTRY_SCALED:
		rc = t->bytes == 8 ?
		             clopt_dtranspose_start(ctx, t->rows, t->cols, t->alpha, t->in.data,
		                                    t->ld_in, t->out.data, t->ld_out, &s) :
		             clopt_stranspose_start(ctx, t->rows, t->cols, (float)t->alpha,
		                                    t->in.data, t->ld_in, t->out.data, t->ld_out,
		                                    &s);
		break;
	case ENTRY_IN_PLACE:
		rc = clopt_transpose_inplace_start(ctx, t->rows, t->cols, t->bytes, t->out.data,
		                                   t->ld_in, &s);
		break;
	default:
		rc = clopt_transpose_strided_batched_start(
		        ctx, t->rows, t->cols, t->bytes, t->in.data, t->ld_in, t->stride_in,
		        t->out.data, t->ld_out, t->stride_out, t->batch, &s);
	}
	return call_collected(rc, &s);
}

static int on_buffers(struct turn *t)
{
	struct clopt_buffer *const in = t->in.buffer, *const out = t->out.buffer;
	struct clopt *ctx = t->c->ctx;

	switch (t->entry) {
	case ENTRY_ONE:
		return clopt_transpose_buffers(ctx, t->rows, t->cols, t->bytes, in, t->ld_in, out,
		                               t->ld_out, NULL);
	case ENTRY_SCALED:
		return t->bytes == 8 ?
		               clopt_dtranspose_buffers(ctx, t->rows, t->cols, t->alpha, in,
		                                        t->ld_in, out, t->ld_out, NULL) :
		               clopt_stranspose_buffers(ctx, t->rows, t->cols, (float)t->alpha, in,
		                                        t->ld_in, out, t->ld_out, NULL);
	case ENTRY_IN_PLACE:
		return clopt_transpose_inplace_buffers(ctx, t->rows, t->cols, t->bytes, out,
		                                       t->ld_in, NULL);
	default:
		return clopt_transpose_strided_batched_buffers(
		        ctx, t->rows, t->cols, t->bytes, in, t->ld_in, t->stride_in, out, t->ld_out,
		        t->stride_out, t->batch, NULL);
	}
}

/* alpha x; denormal numbers may be 0, on either side. */
static int scaled_right(const struct turn *t, double x, double got)
{
	const int wide = t->bytes == 8;
	const double alpha = wide ? t->alpha : (double)(float)t->alpha;
	const double least = wide ? DBL_MIN : (double)FLT_MIN,
	             unit = wide ? DOUBLE_UNIT : FLOAT_UNIT;
	const double most = wide ? DBL_MAX : (double)FLT_MAX, want = alpha == 0 ? 0 : alpha * x;

	if (isnan(want))
		return isnan(got);
	if (isinf(want) || fabs(want) > most * (1 + unit))
		return got == (want > 0 ? INFINITY : -INFINITY);
	if (fabs(want) > most * (1 - unit))
		return fabs(got) >= most;
	return fabs(got - want) <= unit * (wide ? 2 : 1) * fabs(want) * (1 + unit) +
	                                   (fabs(want) < 2 * least ? least : 0) +
	                                   (fabs(x) < least ? fabs(want) : 0);
}

static void judge_one(struct turn *t, const unsigned char *from, unsigned char *to, size_t b,
                      size_t i, size_t j)
{
	const unsigned char *x = from + (b * t->stride_in + i * t->ld_in + j) * t->bytes;
	unsigned char *y = to + (b * t->stride_out + j * t->ld_out + i) * t->bytes;
	float f[2];
	double d[2];
	int right;

	if (t->entry == ENTRY_SCALED && t->alpha != 1) {
		memcpy(f, x, sizeof *f);
		memcpy(f + 1, y, sizeof *f);
		d[0] = (double)f[0];
		d[1] = (double)f[1];
		if (t->bytes == 8) {
			memcpy(d, x, sizeof *d);
			memcpy(d + 1, y, sizeof *d);
		}
		right = scaled_right(t, d[0], d[1]);
		if (!right)
			call_wrong(t->c, "out[%zu][%zu] is %.17g, %.17g before the factor", j, i,
			           d[1], d[0]);
	} else if (memcmp(x, y, t->bytes) != 0) {
		call_wrong(t->c, "out[%zu][%zu] of matrix %zu is not in[%zu][%zu]", j, i, b, i, j);
	}
	host_judged(&t->out, y, t->bytes);
}

static void judge(struct turn *t)
{
	const ptrdiff_t at = (unsigned char *)t->out.data - t->out.block;
	unsigned char *was = NULL;
	size_t b, i, j;

	if (t->entry == ENTRY_IN_PLACE) {
		was = malloc(t->out.block_bytes);
		ck_assert_ptr_nonnull(was);
		memcpy(was, t->out.before, t->out.block_bytes);
	}
	for (b = 0; b < t->batch && !t->c->wrong; b++)
		for (i = 0; i < t->rows; i++)
			for (j = 0; j < t->cols; j++)
				judge_one(t, was ? was + at : t->in.data, t->out.data, b, i, j);
	free(was);
}

static void say(struct turn *t)
{
	static const char *const entries[] = { "batched", "one", "scaled", "in place" };

	call_say(t->c,
	         ": %s, %zu x %zu of %zu bytes, ld %zu %zu, strides %zu %zu, batch %zu, alpha %.9g",
	         entries[t->entry], t->rows, t->cols, t->bytes, t->ld_in, t->ld_out, t->stride_in,
	         t->stride_out, t->batch, t->alpha);
}

void random_transpose(struct call *c)
{
	struct turn t;
	struct clopt_problem problem = CLOPT_PROBLEM_INIT;
	size_t align;
	int rc;

	memset(&t, 0, sizeof t);
	t.c = c;
	draw(&t);
	say(&t);
	problem.op = CLOPT_OP_TRANSPOSE;
	problem.dim[0] = t.rows;
	problem.dim[1] = t.cols;
	problem.elem_bytes = t.bytes;
	problem.batch = t.batch;
	problem.scaled = t.entry == ENTRY_SCALED && t.alpha != 1;
	c->type = t.entry != ENTRY_SCALED ? 0 : t.bytes == 8 ? CLOPT_TYPE_DOUBLE : CLOPT_TYPE_FLOAT;
	if (!call_force(c, &problem))
		return;
	/* In host memory elements that are only moved may be unaligned. */
	align = t.entry == ENTRY_SCALED || c->form == FORM_BUFFERS || c->row ||
	                        !random_one_in(&c->r, 4) ?
	                t.bytes :
	                1;
	if (t.entry != ENTRY_IN_PLACE) {
		host_open(&t.in, c, t.bytes * extent(t.batch, t.stride_in, t.rows, t.cols, t.ld_in),
		          align);
		fill(&t, &t.in);
		host_ready(&t.in);
	}
	host_open(&t.out, c,
	          t.bytes * (t.entry == ENTRY_IN_PLACE ?
	                             extent(1, 0, t.rows, t.cols, t.ld_in) :
	                             extent(t.batch, t.stride_out, t.cols, t.rows, t.ld_out)),
	          align);
	if (t.entry == ENTRY_IN_PLACE)
		fill(&t, &t.out);
	host_ready(&t.out);
	do
		rc = c->form == FORM_HOST    ? on_host(&t) :
		     c->form == FORM_STARTED ? started(&t) :
		                               on_buffers(&t);
	while (call_again(c, rc));
	call_unforce(c);
	host_back(&t.in);
	host_back(&t.out);
	if (call_succeeded(c, rc))
		judge(&t);
	if (t.entry != ENTRY_IN_PLACE)
		host_close(&t.in, "in");
	host_close(&t.out, "out");
}
