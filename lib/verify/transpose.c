/* SPDX-License-Identifier: MIT */
/*
 * transpose.c - checks transposes, at a kernel's first use and after calls: each element has the
 * same bits, or is a product that is rounded once.  Comparing all elements costs no more than
 * comparing sums of rows and columns: both read each array once.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check.h"

/* out is the transpose of in, or alpha times it. */
struct transposed {
	const char *in, *out;
	size_t rows, cols, elem_bytes, in_pitch, out_pitch; /* rows and columns of in */
	struct block part; /* the judged part of in */
	int scaled;
	double alpha;
};

/* Rows and columns of a block: the lines of both arrays stay in the cache. */
#define BLOCK 32

/* Whether got is alpha x.  The product may be rounded once, and subnormal floats may count as 0. */
static int near(double alpha, double x, double got, int wide)
{
	const double want = alpha == 0 ? 0 : alpha * x;
	const double most = wide ? DBL_MAX : FLT_MAX;

	if (isnan(want))
		return isnan(got);
	if (!(fabs(want) <= most)) /* infinite, or rounded to infinity */
		return !(fabs(got) < most / 2) && !isnan(got) && (got > 0) == (want > 0);
	return fabs(got - want) <= 2 * (wide ? ROUND_DOUBLE : ROUND_FLOAT) * fabs(want) +
	                                   (wide ? DBL_MIN : FLT_MIN) * (1 + fabs(alpha));
}

static double number(const struct transposed *t, const char *at)
{
	return clopt__element(at, (int)t->elem_bytes);
}

static int scaled_alike(const struct transposed *t, const char *x, const char *y)
{
	const int wide = t->elem_bytes == 8;
	const double alpha = wide ? t->alpha : (double)(float)t->alpha;

	return near(alpha, number(t, x), number(t, y), wide);
}

/* Compare the block that ends at (i1, j1).  With a constant size a comparison is one
 * instruction. */
#define COMPARE(bytes) \
	for (i = at[0]; i < i1; i++) \
		for (j = at[1]; j < j1; j++) \
			if (memcmp(t->in + i * t->in_pitch + j * (bytes), \
			           t->out + j * t->out_pitch + i * (bytes), bytes)) \
	goto wrong

static int block_alike(const struct transposed *t, size_t *at, size_t i1, size_t j1)
{
	size_t i, j;

	switch (t->scaled ? 0 : t->elem_bytes) {
	case 1:
		COMPARE(1);
		return 1;
	case 2:
		COMPARE(2);
		return 1;
	case 4:
		COMPARE(4);
		return 1;
	case 8:
		COMPARE(8);
		return 1;
	case 16:
		COMPARE(16);
		return 1;
	}
	for (i = at[0]; i < i1; i++)
		for (j = at[1]; j < j1; j++)
			if (!scaled_alike(t, t->in + i * t->in_pitch + j * t->elem_bytes,
			                  t->out + j * t->out_pitch + i * t->elem_bytes))
				goto wrong;
	return 1;
wrong:
	at[0] = i;
	at[1] = j;
	return 0;
}

static void element(const char *at, size_t bytes, char *text)
{
	size_t i;

	for (i = bytes; i-- > 0; text += 2)
		snprintf(text, 3, "%02x", (unsigned)(unsigned char)at[i]);
}

static void say_wrong(const struct transposed *t, size_t i, size_t j, char *why)
{
	const char *x = t->in + i * t->in_pitch + j * t->elem_bytes;
	const char *y = t->out + j * t->out_pitch + i * t->elem_bytes;
	char in[33], out[33];

	element(x, t->elem_bytes, in);
	element(y, t->elem_bytes, out);
	if (t->scaled)
		snprintf(why, WHY_SIZE,
		         "gave a wrong result: out(%zu, %zu) of %zu x %zu is %.9g, not %g times "
		         "%.9g",
		         j, i, t->cols, t->rows, number(t, y), t->alpha, number(t, x));
	else
		snprintf(why, WHY_SIZE,
		         "gave a wrong result: out(%zu, %zu) of %zu x %zu is 0x%s, in is 0x%s", j,
		         i, t->cols, t->rows, out, in);
}

/* Judge `count` rows of the part, from its row `first` on. */
static void judge_rows(const void *what, size_t first, size_t count, char *why)
{
	const struct transposed *t = what;
	const size_t begin = t->part.first[0] + first, end = begin + count;
	const size_t columns_end = t->part.first[1] + t->part.count[1];
	size_t at[2], i, j;

	for (i = begin; i < end; i += BLOCK)
		for (j = t->part.first[1]; j < columns_end; j += BLOCK) {
			at[0] = i;
			at[1] = j;
			if (!block_alike(t, at, clopt__smaller(i + BLOCK, end),
			                 clopt__smaller(j + BLOCK, columns_end))) {
				say_wrong(t, at[0], at[1], why);
				return;
			}
		}
}

/* ---- A kernel's first use ---------------------------------------------------- */

#define FIRST_ALPHA 1.3
/* From this size on kernels of one work-item, for CPUs, write past the caches: LARGE of wide.cl. */
#define PAST_CACHES ((size_t)4 << 20)

static int describe(struct trial *t)
{
	const size_t *out = t->v->out;
	size_t tiles = 1;

	if (t->number > 0)
		return 0;
	/* More than a tile in both directions. */
	while (t->v->wg[0] * t->v->wg[1] == 1 &&
	       tiles * out[1] * out[0] * t->problem.elem_bytes < PAST_CACHES)
		tiles++;
	t->problem.dim[0] = tiles * out[1] + 3;
	t->problem.dim[1] = out[0] + 5;
	t->problem.batch = t->v->images || out[0] * out[1] > 16384 ? 1 : 2;
	t->real[0][0] = t->problem.scaled ? FIRST_ALPHA : 1;
	return 1;
}

static void fill(struct trial *t)
{
	const struct trial_array *p = &t->array[0];
	size_t b, i, j, k;

	for (b = 0; b < t->problem.batch; b++)
		for (i = 0; i < p->rows; i++)
			for (j = 0; j < p->columns; j++) {
				char *to = clopt__sent(p, b, i, j);
				const double x = 2 + clopt__random(&t->random);

				if (t->problem.scaled)
					clopt__element_put(to, (int)p->elem_bytes, x);
				for (k = 0; !t->problem.scaled && k < p->elem_bytes; k++)
					to[k] = (char)(t->random >> (k % 8 + 24) & 0x7f);
			}
}

static int judge(struct trial *t)
{
	const struct trial_array *in = &t->array[0], *out = &t->array[1];
	struct transposed m = { .rows = in->rows,
		                .cols = in->columns,
		                .part = { .count = { in->rows, in->columns } },
		                .elem_bytes = in->elem_bytes,
		                .in_pitch = in->pitch_bytes,
		                .out_pitch = out->pitch_bytes,
		                .scaled = t->problem.scaled,
		                .alpha = t->real[0][0] };
	size_t b;

	for (b = 0; b < t->problem.batch && !*t->why; b++) {
		m.in = clopt__sent(in, b, 0, 0);
		m.out = clopt__got(out, b, 0, 0);
		judge_rows(&m, 0, m.rows, t->why);
	}
	return *t->why ? CLOPT_EWRONG : CLOPT_OK;
}

/* ---- The result of a call --------------------------------------------------------- */

#define GRAIN ((size_t)1 << 17) /* elements per thread, at least */

static int judge_one(const struct job *job, const struct block *part, char *why)
{
	const struct operand *in = &job->operand[0], *out = &job->operand[1];
	const struct transposed t = { .in = in->host,
		                      .out = out->host,
		                      .rows = in->rows,
		                      .cols = in->columns,
		                      .part = *part,
		                      .elem_bytes = in->elem_bytes,
		                      .in_pitch = in->ld * in->elem_bytes,
		                      .out_pitch = out->ld * out->elem_bytes,
		                      .scaled = job->problem.scaled,
		                      .alpha = job->real[0] };

	return clopt__judge_in_parts(part->count[0], GRAIN / part->count[1] + 1, judge_rows, &t,
	                             why);
}

static int judge_result(const struct guard *g, const struct block *part, const struct variant *v,
                        char *why)
{
	struct block all;
	struct job one;
	size_t i;
	int rc = CLOPT_OK;

	(void)v;
	if (g->job->problem.batch == 1)
		return judge_one(g->job, part, why);
	for (i = 0; rc == CLOPT_OK && i < part->count[0]; i++) {
		clopt__batch_one(g->job, part->first[0] + i, &one);
		all = (struct block){ .count = { one.operand[0].rows, one.operand[0].columns } };
		rc = judge_one(&one, &all, why);
	}
	return rc;
}

const struct checker clopt__check_transpose = {
	.describe = describe, .fill = fill, .judge = judge, .results = 2, .result = judge_result
};
