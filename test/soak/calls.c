/* SPDX-License-Identifier: MIT */
/*
 * calls.c - calls of the soak, each compared with plain C.
 *
 * Matrices have small whole numbers, so their results are exact, and an error of one is beyond the
 * bounds of CLOPT_CHECK=always.
 */
#include <math.h>
#include <stdarg.h>

#include "soak.h"

enum form {
	ARRAYS,
	STARTED,
	BUFFERS,
	FORMS
};

unsigned soak_chance(struct worker *w, unsigned n)
{
	w->state ^= w->state << 13;
	w->state ^= w->state >> 7;
	w->state ^= w->state << 17;
	return (unsigned)(w->state * 0x2545f4914f6cdd1d >> 33) % n;
}

static void wrong(struct worker *w, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	vsnprintf(w->wrong, sizeof w->wrong, format, list);
	va_end(list);
}

static size_t size(struct worker *w)
{
	return 1 + soak_chance(w, SIDE);
}

static double get(const void *x, int type, size_t i)
{
	return type == CLOPT_TYPE_FLOAT ? (double)((const float *)x)[i] : ((const double *)x)[i];
}

static void put(void *x, int type, size_t i, double v)
{
	if (type == CLOPT_TYPE_FLOAT)
		((float *)x)[i] = (float)v;
	else
		((double *)x)[i] = v;
}

static void fill(struct worker *w, void *x, int type, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		put(x, type, i, (double)soak_chance(w, 5) - 2);
}

/* ---- The forms of a call: on arrays, started, on buffers ---------------------------- */

struct arrays {
	size_t in_bytes[2], out_bytes;
	void *in[2], *out;
	struct clopt_buffer *dev[3];
	struct clopt_order order;
};

static int up(struct worker *w, struct arrays *x, int keeps_output)
{
	int i, rc = CLOPT_OK;

	for (i = 0; i < 2 && rc == CLOPT_OK && x->in[i]; i++) {
		rc = clopt_buffer_new(w->ctx, x->in_bytes[i], &x->dev[i]);
		if (rc == CLOPT_OK)
			rc = clopt_buffer_write(x->dev[i], 0, x->in_bytes[i], x->in[i], &x->order);
	}
	if (rc == CLOPT_OK)
		rc = clopt_buffer_new(w->ctx, x->out_bytes, &x->dev[2]);
	if (rc == CLOPT_OK && keeps_output)
		rc = clopt_buffer_write(x->dev[2], 0, x->out_bytes, x->out, &x->order);
	return rc;
}

/* Reads the result if all went well; waits in any case. */
static int down(struct worker *w, struct arrays *x, int rc)
{
	struct clopt_event *event = NULL;
	int i, end;

	x->order.event = &event;
	if (rc == CLOPT_OK)
		rc = clopt_buffer_read(x->dev[2], 0, x->out_bytes, x->out, &x->order);
	if (rc == CLOPT_OK)
		rc = clopt_event_wait(event);
	clopt_event_free(event);
	end = clopt_queue_finish(w->ctx, x->order.queue);
	for (i = 0; i < 3; i++)
		clopt_buffer_free(x->dev[i]);
	clopt_queue_free(x->order.queue);
	return rc == CLOPT_OK ? end : rc;
}

/* In half of the cases a queue of its own. */
static int prepare(struct worker *w, struct arrays *x)
{
	const struct clopt_order none = CLOPT_ORDER_INIT;

	x->order = none;
	return soak_chance(w, 2) ? clopt_queue_new(w->ctx, &x->order.queue) : CLOPT_OK;
}

static int ended(int rc, struct clopt_call *call)
{
	if (rc == CLOPT_OK)
		rc = clopt_call_wait(call, NULL);
	clopt_call_free(call);
	return rc;
}

static enum form form(struct worker *w)
{
	const enum form f = soak_chance(w, FORMS);

	w->checked = f != BUFFERS;
	return f;
}

/* ---- Matrices ------------------------------------------------------------------------ */

static int judge_product(struct worker *w, const struct clopt_gemm_desc *g)
{
	const int tb = g->transb == CLOPT_TRANS_YES;
	size_t p, i, j, l;

	for (p = 0; p < g->batch; p++)
		for (i = 0; i < g->m; i++)
			for (j = 0; j < g->n; j++) {
				const size_t at = p * g->m * g->n + i * g->n + j;
				const int kept = (g->triangle == CLOPT_UPLO_LOWER && j > i) ||
				                 (g->triangle == CLOPT_UPLO_UPPER && j < i);
				double sum = 0, right;

				for (l = 0; l < g->k; l++)
					sum += get(w->a, g->type, p * g->stride_a + i * g->k + l) *
					       get(w->b, g->type,
					           p * g->stride_b +
					                   (tb ? j * g->k + l : l * g->n + j));
				right = kept ? get(w->was, g->type, at) :
				               g->alpha * sum + g->beta * get(w->was, g->type, at);
				if (get(w->c, g->type, at) != right) {
					wrong(w,
					      "%zu x %zu x %zu of %d bytes, batch %zu, triangle "
					      "%d: "
					      "element %zu is %g, not %g",
					      g->m, g->n, g->k, g->type, g->batch, g->triangle, at,
					      get(w->c, g->type, at), right);
					return CLOPT_OK;
				}
			}
	return CLOPT_OK;
}

static int product_as(struct worker *w, enum form how)
{
	struct clopt_gemm_desc g = CLOPT_GEMM_DESC_INIT;
	struct arrays x = { { 0, 0 },        0, { w->a, w->b }, w->c, { NULL, NULL, NULL },
		            CLOPT_ORDER_INIT };
	struct clopt_call *call = NULL;
	int rc;

	g.type = soak_chance(w, 4) ? CLOPT_TYPE_FLOAT : CLOPT_TYPE_DOUBLE;
	g.m = size(w);
	g.n = size(w);
	g.k = size(w);
	g.batch = 1 + soak_chance(w, 3);
	if (soak_chance(w, 6) == 0) {
		g.n = g.m;
		g.triangle = soak_chance(w, 2) ? CLOPT_UPLO_LOWER : CLOPT_UPLO_UPPER;
	}
	g.transa = CLOPT_TRANS_NO; /* less to compile */
	g.transb = soak_chance(w, 2) ? CLOPT_TRANS_YES : CLOPT_TRANS_NO;
	g.alpha = 1 + soak_chance(w, 2);
	g.beta = (double)soak_chance(w, 3) - 1;
	g.stride_a = g.m * g.k;
	g.stride_b = g.k * g.n;
	fill(w, w->a, g.type, g.batch * g.m * g.k);
	fill(w, w->b, g.type, g.batch * g.k * g.n);
	fill(w, w->c, g.type, g.batch * g.m * g.n);
	memcpy(w->was, w->c, sizeof w->c);
	switch (how) {
	case ARRAYS:
		rc = clopt_gemm(w->ctx, &g, w->a, w->b, w->c);
		break;
	case STARTED:
		rc = clopt_gemm_start(w->ctx, &g, w->a, w->b, w->c, &call);
		rc = ended(rc, call);
		break;
	default:
		x.in_bytes[0] = g.batch * g.m * g.k * (size_t)g.type;
		x.in_bytes[1] = g.batch * g.k * g.n * (size_t)g.type;
		x.out_bytes = g.batch * g.m * g.n * (size_t)g.type;
		rc = prepare(w, &x);
		if (rc == CLOPT_OK)
			rc = up(w, &x, 1);
		if (rc == CLOPT_OK)
			rc = clopt_gemm_buffers(w->ctx, &g, x.dev[0], x.dev[1], x.dev[2], &x.order);
		rc = down(w, &x, rc);
	}
	return rc == CLOPT_OK ? judge_product(w, &g) : rc;
}

static int product(struct worker *w)
{
	return product_as(w, form(w));
}

int soak_product(struct worker *w)
{
	return product_as(w, ARRAYS);
}

static int transpose(struct worker *w)
{
	const size_t bytes = soak_chance(w, 2) ? 4 : 8, rows = size(w), cols = size(w);
	struct arrays x = { { rows * cols * bytes, 0 }, rows * cols * bytes, { w->a, NULL }, w->c,
		            { NULL, NULL, NULL },       CLOPT_ORDER_INIT };
	const enum form how = form(w);
	const int in_place = how == ARRAYS && soak_chance(w, 3) == 0;
	struct clopt_call *call = NULL;
	size_t i, j;
	int rc;

	for (i = 0; i < rows * cols; i++)
		put(w->a, (int)bytes, i, (double)i);
	switch (how) {
	case ARRAYS:
		memcpy(w->c, w->a, in_place ? sizeof w->a : 0);
		rc = in_place ? clopt_transpose_inplace(w->ctx, rows, cols, bytes, w->c, cols) :
		                clopt_transpose(w->ctx, rows, cols, bytes, w->a, cols, w->c, rows);
		break;
	case STARTED:
		rc = clopt_transpose_start(w->ctx, rows, cols, bytes, w->a, cols, w->c, rows,
		                           &call);
		rc = ended(rc, call);
		break;
	default:
		rc = prepare(w, &x);
		if (rc == CLOPT_OK)
			rc = up(w, &x, 0);
		if (rc == CLOPT_OK)
			rc = clopt_transpose_buffers(w->ctx, rows, cols, bytes, x.dev[0], cols,
			                             x.dev[2], rows, &x.order);
		rc = down(w, &x, rc);
	}
	if (rc != CLOPT_OK && in_place && memcmp(w->a, w->c, rows * cols * bytes))
		wrong(w, "a transpose in place of %zu x %zu failed and wrote", rows, cols);
	for (i = 0; i < rows && rc == CLOPT_OK && !*w->wrong; i++)
		for (j = 0; j < cols; j++)
			if (get(w->c, (int)bytes, j * rows + i) != (double)(i * cols + j))
				wrong(w, "transpose of %zu x %zu of %zu bytes%s: element %zu, %zu",
				      rows, cols, bytes, in_place ? " in place" : "", i, j);
	return rc;
}

/* ---- Points ----------------------------------------------------------------------------- */

/* At whole places and half ones, so that no two are nearly at one place. */
static void points(struct worker *w, float *x, size_t n)
{
	size_t i;

	for (i = 0; i < 4 * n; i++)
		x[i] = (float)(1 + soak_chance(w, 20)) / 2;
}

/* The sum over all sources in double: the acceleration and the potential of unit softening. */
static void pair_sum(const float *sources, size_t n, const float *at, double eps2, double *sum)
{
	size_t i, k;

	memset(sum, 0, 4 * sizeof *sum);
	for (i = 0; i < n; i++) {
		const float *s = sources + 4 * i;
		double d[3], r2 = 0, r;

		for (k = 0; k < 3; k++) {
			d[k] = (double)s[k] - at[k];
			r2 += d[k] * d[k];
		}
		if (r2 == 0)
			continue;
		r = sqrt(r2 + eps2);
		for (k = 0; k < 3; k++)
			sum[k] += s[3] * d[k] / (r * r * r);
		sum[3] += s[3] / r;
	}
}

static int sums(struct worker *w, int gravity)
{
	/* Few enough for each target to be judged, and enough for pieces in several queues. */
	const size_t n = size(w), m = 20 * size(w), of = gravity ? 4 : 1;
	float *sources = (float *)w->a, *targets = (float *)w->b, *out = (float *)w->c;
	struct arrays x = { { 16 * n, 16 * m },   4 * of * m,      { sources, targets }, out,
		            { NULL, NULL, NULL }, CLOPT_ORDER_INIT };
	struct clopt_nbody_options o = CLOPT_NBODY_OPTIONS_INIT;
	struct clopt_call *call = NULL;
	double right[4];
	size_t i, k;
	int rc;

	points(w, sources, n);
	points(w, targets, m);
	o.softening = 1;
	switch (form(w)) {
	case ARRAYS:
		rc = gravity ? clopt_nbody(w->ctx, n, sources, m, targets, out, &o) :
		               clopt_potential(w->ctx, n, sources, m, targets, out, NULL);
		break;
	case STARTED:
		rc = gravity ? clopt_nbody_start(w->ctx, n, sources, m, targets, out, &o, &call) :
		               clopt_potential_start(w->ctx, n, sources, m, targets, out, NULL,
		                                     &call);
		rc = ended(rc, call);
		break;
	default:
		rc = prepare(w, &x);
		if (rc == CLOPT_OK)
			rc = up(w, &x, 0);
		if (rc == CLOPT_OK)
			rc = gravity ? clopt_nbody_buffers(w->ctx, n, x.dev[0], m, x.dev[1],
			                                   x.dev[2], &o, &x.order) :
			               clopt_potential_buffers(w->ctx, n, x.dev[0], m, x.dev[1],
			                                       x.dev[2], NULL, &x.order);
		rc = down(w, &x, rc);
	}
	for (i = 0; i < m && rc == CLOPT_OK && !*w->wrong; i++) {
		pair_sum(sources, n, targets + 4 * i, gravity, right);
		for (k = 0; k < (gravity ? 3u : 1u); k++) {
			const double want = gravity ? right[k] : right[3];

			/* right[3] is no less than the sum of the terms' magnitudes. */
			if (!(fabs(out[of * i + k] - want) <= 1e-5 * right[3]))
				wrong(w, "%s of %zu sources: target %zu has %g, not %g",
				      gravity ? "nbody" : "potential", n, i,
				      (double)out[of * i + k], want);
		}
	}
	return rc;
}

static int potential(struct worker *w)
{
	return sums(w, 0);
}

static int nbody(struct worker *w)
{
	return sums(w, 1);
}

/* ---- A kernel of the caller's ------------------------------------------------------------- */

static int map(struct worker *w)
{
	static const char source[] =
	        "__kernel void f(ulong n, __global const float *x, __global float *y, float s)"
	        "{ size_t i = get_global_id(0); if (i < n) y[i] = 2 * x[i] + s; }";
	const float shift = (float)soak_chance(w, 9);
	const size_t n = size(w) * size(w);
	float *in = (float *)w->a, *out = (float *)w->c;
	const struct clopt_arg args[] = { { CLOPT_ARG_COUNT, NULL, 0 },
		                          { CLOPT_ARG_IN, in, sizeof *in },
		                          { CLOPT_ARG_OUT, out, sizeof *out },
		                          { CLOPT_ARG_VALUE, (void *)&shift, sizeof shift } };
	struct clopt_map_desc m = CLOPT_MAP_DESC_INIT;
	size_t i;
	int rc;

	fill(w, in, CLOPT_TYPE_FLOAT, n);
	m.source = source;
	m.name = "f";
	m.items = n;
	m.args = args;
	m.nargs = 4;
	w->checked = 0;
	rc = clopt_map(w->ctx, &m);
	for (i = 0; i < n && rc == CLOPT_OK; i++)
		if (out[i] != 2 * in[i] + shift) {
			wrong(w, "map of %zu items: item %zu is %g", n, i, (double)out[i]);
			break;
		}
	return rc;
}

/* Pinned memory, filled by a transpose. */
static int pinned(struct worker *w)
{
	const size_t rows = size(w), cols = size(w);
	float *in = (float *)w->a, *out = NULL;
	size_t i, j;
	void *memory;
	int rc = clopt_host_alloc(w->ctx, rows * cols * sizeof *out, &memory, NULL);

	w->checked = 1;
	if (rc != CLOPT_OK)
		return rc;
	out = memory;
	for (i = 0; i < rows * cols; i++)
		in[i] = (float)i;
	rc = clopt_transpose(w->ctx, rows, cols, sizeof *in, in, cols, out, rows);
	for (i = 0; i < rows && rc == CLOPT_OK && !*w->wrong; i++)
		for (j = 0; j < cols; j++)
			if (out[j * rows + i] != (float)(i * cols + j))
				wrong(w, "transpose to pinned memory: %zu, %zu of %zu x %zu", i, j,
				      rows, cols);
	i = clopt_host_free(w->ctx, memory) != CLOPT_OK;
	if (i && rc == CLOPT_OK)
		wrong(w, "pinned memory is not freed: %s", clopt_error(w->ctx));
	return rc;
}

int soak_call(struct worker *w)
{
	static int (*const calls[])(struct worker *) = { product,   product, transpose, transpose,
		                                         potential, nbody,   map,       pinned };

	*w->wrong = '\0';
	return calls[soak_chance(w, sizeof calls / sizeof *calls)](w);
}
