/* SPDX-License-Identifier: MIT */
/*
 * freivalds.c - whether a call's products are right: row by row,
 * C x = alpha A (B x) + beta C x for a random x of 1 and -1.
 *
 * The right side is worked out while the device works, and the left one for what staging
 * brings down, as it comes; all else waits for the end of the call.
 *
 * Source: Freivalds, "Probabilistic machines can use less running time", IFIP (1977).
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "product.h"

struct foretold {
	struct clopt *ctx;
	const struct job *job;
	struct job before; /* with C as it was */
	int keeps; /* that is part of the result */
	struct task task;
	int begun, known; /* the task, or else without it */
	double *x; /* a product's signs after the other's, n doubles for each */
	double *want, *size, *kept, *got; /* m for each */
	double *scratch;
	size_t scratch_each;
	size_t *changed;
	pthread_mutex_t lock; /* of what has copied */
	size_t copied; /* elements of C */
};

/* Elements of the arrays of one product. */
static size_t elements(const struct clopt_problem *p)
{
	const size_t m = p->dim[0], n = p->dim[1], k = p->dim[2];

	return m * k + k * n + m * n;
}

static int in_double(const struct clopt_problem *p)
{
	return p->triangle || p->elem_bytes == 8;
}

/* ---- Before: what the result is to be ------------------------------------------------ */

static void draw_signs(const struct foretold *f, uint64_t seed)
{
	const struct clopt_problem *p = &f->job->problem;
	const size_t n = p->dim[1];
	const int wide = in_double(p);
	size_t i, j;

	for (i = 0; i < p->batch; i++) {
		void *const x = f->x + i * n;

		for (j = 0; j < n; j++) {
			const int minus = clopt__random(&seed) < 0;

			if (wide)
				((double *)x)[j] = minus ? -1 : 1;
			else
				((float *)x)[j] = minus ? -1 : 1;
		}
	}
}

/* Product i, and C as it was to *old; part: whose scratch it gets. */
static void open_product(const struct foretold *f, size_t i, unsigned part, struct product *p,
                         struct job *old)
{
	const size_t m = f->job->problem.dim[0], n = f->job->problem.dim[1];

	p->ctx = f->ctx;
	if (f->job->problem.batch > 1) {
		clopt__batch_one(f->job, i, &p->job);
		clopt__batch_one(&f->before, i, old);
	} else {
		p->job = *f->job;
		*old = f->before;
	}
	p->old = f->keeps || p->job.problem.triangle ? &old->operand[2] : NULL;
	p->x = f->x + i * n;
	p->want = f->want + i * m;
	p->size = f->size + i * m;
	p->kept = f->kept + i * m;
	p->got = f->got + i * m;
	p->scratch = f->scratch + part * f->scratch_each;
	p->changed = m;
}

static void find_want(void *what, unsigned part, size_t first, size_t count)
{
	struct foretold *f = what;
	struct product p;
	struct job old;
	size_t i;

	for (i = first; i < first + count; i++) {
		open_product(f, i, part, &p, &old);
		(p.job.problem.triangle ? clopt__triangle_want : clopt__product_want)(&p);
	}
}

/* Products for a part, so that they are worth it. */
static size_t grain(const struct foretold *f)
{
	return GRAIN / (elements(&f->job->problem) + 1) + 1;
}

/* All the arrays in one block. */
static int open_arrays(struct foretold *f)
{
	const struct clopt_problem *p = &f->job->problem;
	const size_t m = p->dim[0], n = p->dim[1], batch = p->batch;
	const size_t parts = batch < MOST_PARTS ? batch : MOST_PARTS;

	f->scratch_each = (p->triangle ? clopt__triangle_scratch : clopt__product_scratch)(p);
	f->x = malloc((batch * (n + 4 * m) + parts * f->scratch_each + 1) * sizeof *f->x);
	f->changed = malloc((batch ? batch : 1) * sizeof *f->changed);
	if (!f->x || !f->changed)
		return clopt__fail(f->ctx, CLOPT_ENOMEM, "no memory to check the result");
	f->want = f->x + batch * n;
	f->size = f->want + batch * m;
	f->kept = f->size + batch * m;
	f->got = f->kept + batch * m;
	f->scratch = f->got + batch * m;
	return CLOPT_OK;
}

int clopt__foretell(struct clopt *ctx, const struct job *job, char *before, uint64_t seed,
                    struct foretold **foretold)
{
	struct foretold *f = calloc(1, sizeof *f);
	struct operand *c;
	int rc = CLOPT_OK;

	*foretold = f;
	if (!f)
		return clopt__fail(ctx, CLOPT_ENOMEM, "no memory to check the result");
	f->ctx = ctx;
	f->job = job;
	f->before = *job;
	c = &f->before.operand[2];
	c->host = before;
	c->ld = c->columns;
	f->keeps = before && job->real[1] != 0;
	pthread_mutex_init(&f->lock, NULL);
	TRY(open_arrays(f));
	draw_signs(f, seed);
	memset(f->got, 0, job->problem.batch * job->problem.dim[0] * sizeof *f->got);
	f->task = (struct task){ .run = find_want, .what = f, .n = job->problem.batch };
	/* What is small is done before a thread is awake. */
	if (job->problem.batch * elements(&job->problem) >= GRAIN) {
		clopt__pool_beside(ctx, 1);
		clopt__task_begin(ctx, &f->task, grain(f));
		f->begun = 1;
	}
out:
	return rc;
}

void clopt__foretold_free(struct foretold *f)
{
	if (!f)
		return;
	if (f->begun) {
		clopt__task_drop(&f->task);
		clopt__pool_beside(f->ctx, 0);
	}
	pthread_mutex_destroy(&f->lock);
	free(f->changed);
	free(f->x);
	free(f);
}

/* ---- Meanwhile: what comes down ------------------------------------------------------- */

/* Sums of rows that follow one another, so many at a time. */
#define LANDING 64

struct landing {
	size_t row, rows, count; /* the first, how many, and of elements */
	double sum[LANDING];
};

static void tell(struct foretold *f, struct landing *g)
{
	size_t i;

	if (!g->rows)
		return;
	pthread_mutex_lock(&f->lock);
	for (i = 0; i < g->rows; i++)
		f->got[g->row + i] += g->sum[i];
	f->copied += g->count;
	pthread_mutex_unlock(&f->lock);
	g->rows = g->count = 0;
}

/* n elements of C, from a row and column on. */
static void land_row(struct foretold *f, struct landing *g, size_t row, size_t column, size_t n)
{
	const struct operand *c = &f->job->operand[2];
	const size_t sign_bytes = in_double(&f->job->problem) ? 8 : 4;
	const struct lines line = { (const char *)c->host + (row * c->ld + column) * c->elem_bytes,
		                    1, n, 0, c->elem_bytes };

	if (g->rows == LANDING || row != g->row + g->rows)
		tell(f, g);
	if (!g->rows)
		g->row = row;
	clopt__along(&line, 0, 1, (const char *)f->x + column * sign_bytes, &g->sum[g->rows++],
	             NULL);
	g->count += n;
}

/* Bytes of C that lie together: they may begin and end within rows. */
static void land(struct foretold *f, struct landing *g, const char *host, size_t bytes)
{
	const struct operand *c = &f->job->operand[2];
	const size_t offset = (size_t)(host - (const char *)c->host);
	size_t row = offset / c->elem_bytes / c->ld, column = offset / c->elem_bytes % c->ld;
	size_t left = bytes / c->elem_bytes, n;

	if (offset % c->elem_bytes || bytes % c->elem_bytes)
		return; /* within an element: then it does not count, and is left for the end */
	for (; left; left -= n, column = 0) {
		n = left < c->columns - column ? left : c->columns - column;
		land_row(f, g, row++, column, n);
	}
}

void clopt__foretold_landed(void *watcher, const struct transfer *slice)
{
	struct landing g = { .rows = 0 };
	size_t i;

	for (i = 0; i < slice->rows; i++)
		land(watcher, &g, slice->host + i * slice->host_pitch_bytes, slice->row_bytes);
	tell(watcher, &g);
}

int clopt__foretold_watches(const struct foretold *f)
{
	return f->job->problem.batch == 1 && !f->job->problem.triangle;
}

/* ---- After: what it is ---------------------------------------------------------------- */

static void find_got(void *what, unsigned part, size_t first, size_t count)
{
	struct foretold *f = what;
	struct product p;
	struct job old;
	size_t i;

	for (i = first; i < first + count; i++) {
		open_product(f, i, part, &p, &old);
		(p.job.problem.triangle ? clopt__triangle_got : clopt__product_got)(&p);
		f->changed[i] = p.changed;
	}
}

static int may_leave(const struct foretold *f, size_t i, double most)
{
	const size_t m = f->job->problem.dim[0];
	struct product p;
	struct job old;

	open_product(f, i / m, 0, &p, &old);
	return clopt__product_may_leave(&p, i % m, most);
}

/* Row i of all products' rows.  With operands that are not finite anything is; else a row
 * is not finite only if terms leave the range. */
static int row_right(const struct foretold *f, const struct limits *l, size_t i, char *why)
{
	const size_t *dim = f->job->problem.dim;
	const double got = f->got[i], want = f->want[i];
	const double off = clopt__row_off(l, f->size[i], f->kept[i]);

	if (!(off <= DBL_MAX) || !(fabs(want) <= DBL_MAX) || fabs(got - want) <= off)
		return 1;
	if (!(fabs(got) <= DBL_MAX) && f->size[i] + f->kept[i] >= l->most &&
	    may_leave(f, i, l->most))
		return 1;
	snprintf(why, WHY_SIZE,
	         "gave a wrong result: row %zu of c, %zu x %zu x %zu, adds up to %.9g with random "
	         "signs, right is %.9g, give or take %.2g",
	         i % dim[0], dim[0], dim[1], dim[2], got, want, off);
	return 0;
}

static int judge_rows(const struct foretold *f, const struct variant *v, char *why)
{
	const size_t m = f->job->problem.dim[0], batch = f->job->problem.batch;
	const struct limits l = clopt__limits(f->job, v);
	size_t i;

	for (i = 0; f->job->problem.triangle && i < batch; i++)
		if (f->changed[i] < m) {
			snprintf(why, WHY_SIZE,
			         "gave a wrong result: row %zu of c, %zu x %zu, is changed outside "
			         "the triangle",
			         f->changed[i], m, m);
			return CLOPT_EWRONG;
		}
	for (i = 0; i < batch * m; i++)
		if (!row_right(f, &l, i, why))
			return CLOPT_EWRONG;
	return CLOPT_OK;
}

int clopt__foretold_judge(struct foretold *f, const struct variant *v, char *why)
{
	const struct clopt_problem *p = &f->job->problem;
	int rc;

	clopt__pool_beside(f->ctx, 0);
	if (f->begun)
		clopt__task_end(&f->task);
	else if (!f->known)
		find_want(f, 0, 0, p->batch);
	f->known = 1;
	if (f->copied != p->dim[0] * p->dim[1] || !clopt__foretold_watches(f))
		clopt__in_parts(f->ctx, p->batch, grain(f), find_got, f);
	rc = judge_rows(f, v, why);
	memset(f->got, 0, p->batch * p->dim[0] * sizeof *f->got);
	f->copied = 0;
	return rc;
}
