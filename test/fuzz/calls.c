/* SPDX-License-Identifier: MIT */
/*
 * calls.c - calls with any arguments whose arrays exist: the wrong ones are refused, and the others
 * are right.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

#define ROOM 65536 /* bytes of an array */

static double *arena(unsigned i)
{
	static double *list[4];

	if (!list[i] && !(list[i] = calloc(1, ROOM)))
		fuzz_wrong("no memory");
	return list[i];
}

/* 0 to 15 as a rule; rarely a number that no size may be. */
static size_t number(struct bytes *b, int any)
{
	static const size_t odd[] = { SIZE_MAX, SIZE_MAX / 2 + 1, SIZE_MAX / 8 + 1, (size_t)1 << 31,
		                      SIZE_MAX - 3 };
	const unsigned x = fuzz_byte(b);

	return any && x >= 250 ? odd[x % 5] : x % 16;
}

/* The driver knows the sizes of a kernel's arguments, the library does not. */
static int status(struct clopt *ctx, int rc)
{
	if (rc == CLOPT_EDEVICE && strstr(clopt_error(ctx), "clSetKernelArg"))
		return rc;
	if (rc != CLOPT_OK && !*clopt_error(ctx))
		fuzz_wrong("%s without a text", clopt_strerror(rc));
	if (rc == CLOPT_EDEVICE || rc == CLOPT_ELOST || rc == CLOPT_EWRONG)
		fuzz_wrong("%s", clopt_error(ctx));
	return rc;
}

/* ---- clopt_map -------------------------------------------------------------------- */

/* Any list of arguments, for kernels that touch none. */
void fuzz_map(const uint8_t *data, size_t size)
{
	static const char source[] =
	        "__kernel void none(void) {} __kernel void one(__global float *x) {}"
	        "__kernel void three(__global const int *x, ulong n, __local float *l) {}"
	        "__kernel void four(__global char *x, __constant float *c, uint v, ulong first) {}";
	static const char *const names[] = { "none", "one", "three", "four", "absent", "" };
	static const unsigned pointers[] = { 0, 1, 5, 3, 0, 0 }; /* a bit for each argument */
	struct bytes b = { data, size };
	struct clopt *ctx = fuzz_context();
	struct clopt_map_desc m = CLOPT_MAP_DESC_INIT;
	struct clopt_arg args[20];
	unsigned name;
	size_t i;

	memset(args, 0, sizeof args);
	m.source = source;
	name = fuzz_byte(&b) % 6;
	m.name = names[name];
	m.items = fuzz_byte(&b);
	m.items_per_group = number(&b, 1);
	m.items_per_work_item = number(&b, 1);
	m.granule = number(&b, 1);
	m.nargs = fuzz_byte(&b) % 20;
	m.args = fuzz_byte(&b) == 255 ? NULL : args;
	for (i = 0; i < m.nargs; i++) {
		const unsigned where = fuzz_byte(&b), at = fuzz_byte(&b);

		args[i].kind = (int)(fuzz_byte(&b) % 11) - 1;
		args[i].bytes = fuzz_byte(&b);
		/* PoCL takes eight bytes for an array as its address. */
		if (args[i].kind >= CLOPT_ARG_VALUE && args[i].kind != CLOPT_ARG_LOCAL &&
		    pointers[name] >> i & 1)
			args[i].kind = CLOPT_ARG_IN;
		/* Arrays of 255 items of 128 bytes fit from the middle on. */
		if (args[i].kind >= CLOPT_ARG_IN && args[i].kind <= CLOPT_ARG_INOUT)
			args[i].bytes %= 128;
		else if (args[i].kind >= CLOPT_ARG_LOCAL && args[i].bytes > 250)
			args[i].bytes = number(&b, 1);
		args[i].data = where % 5 == 4 ? NULL : (char *)arena(where % 5) + 8 * at;
	}
	status(ctx, clopt_map(ctx, &m));
}

/* ---- Sequences of calls ------------------------------------------------------------ */

/* Element (i, j) of op(x), in either layout. */
static size_t place(const struct clopt_gemm_desc *g, int trans, size_t ld, size_t i, size_t j)
{
	const int turned = trans == CLOPT_TRANS_YES || trans == CLOPT_TRANS_CONJ;

	return turned == (g->layout == CLOPT_LAYOUT_COL_MAJOR) ? i * ld + j : j * ld + i;
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

/* Whole numbers, so no rounding. */
static void fill(void *x, int type, unsigned seed)
{
	size_t i;

	for (i = 0; i < ROOM / 8; i++)
		put(x, type, i, (double)((i * 7 + seed) % 11) - 5);
}

static void product(struct clopt *ctx, struct bytes *b)
{
	static const int types[] = { CLOPT_TYPE_FLOAT, CLOPT_TYPE_DOUBLE, CLOPT_TYPE_FLOAT, 3 };
	static unsigned char was[ROOM];
	struct clopt_gemm_desc g = CLOPT_GEMM_DESC_INIT;
	void *const a = arena(0), *const x = arena(1), *const c = arena(2);
	size_t i, j, l, n;
	int rc;

	g.type = types[fuzz_byte(b) % 4];
	g.layout = (int)(fuzz_byte(b) % 4);
	g.transa = (int)(fuzz_byte(b) % 5);
	g.transb = (int)(fuzz_byte(b) % 5);
	g.triangle = (int)(fuzz_byte(b) % 8 == 7) * (1 + (int)(fuzz_byte(b) % 3));
	g.m = number(b, 0);
	g.n = number(b, 0);
	g.k = number(b, 0);
	g.lda = number(b, 1);
	g.ldb = number(b, 1);
	g.ldc = number(b, 1);
	g.alpha = 1 + fuzz_byte(b) % 3;
	g.beta = (double)(fuzz_byte(b) % 3) - 1;
	fill(a, g.type, fuzz_byte(b));
	fill(x, g.type, fuzz_byte(b));
	fill(c, g.type, fuzz_byte(b));
	memcpy(was, c, ROOM);
	/* A leading dimension that no array here has is refused for some other reason only. */
	if (g.lda > 4096 || g.ldb > 4096 || g.ldc > 4096)
		g.reserved = 1;
	rc = status(ctx, clopt_gemm(ctx, &g, a, fuzz_byte(b) == 255 ? NULL : x, c));
	if (rc != CLOPT_OK) {
		if (memcmp(was, c, ROOM))
			fuzz_wrong("a refused product wrote: %s", clopt_error(ctx));
		return;
	}
	/* What the library takes for 0. */
	n = g.layout == CLOPT_LAYOUT_COL_MAJOR;
	g.transa = g.transa ? g.transa : CLOPT_TRANS_NO;
	g.transb = g.transb ? g.transb : CLOPT_TRANS_NO;
	g.lda = g.lda ? g.lda : (g.transa == CLOPT_TRANS_NO) == !n ? g.k : g.m;
	g.ldb = g.ldb ? g.ldb : (g.transb == CLOPT_TRANS_NO) == !n ? g.n : g.k;
	g.ldc = g.ldc ? g.ldc : !n ? g.n : g.m;
	for (i = 0; i < g.m; i++)
		for (j = 0; j < g.n; j++) {
			const size_t at = n ? j * g.ldc + i : i * g.ldc + j;
			const int kept = (g.triangle == CLOPT_UPLO_LOWER && j > i) ||
			                 (g.triangle == CLOPT_UPLO_UPPER && j < i);
			double sum = 0;

			for (l = 0; l < g.k; l++)
				sum += get(a, g.type, place(&g, g.transa, g.lda, i, l)) *
				       get(x, g.type, place(&g, g.transb, g.ldb, l, j));
			sum = g.alpha * sum + (g.beta != 0 ? g.beta * get(was, g.type, at) : 0);
			/* 0 may have either sign. */
			if (get(c, g.type, at) == sum)
				sum = get(c, g.type, at);
			if (!kept)
				put(was, g.type, at, sum);
		}
	if (memcmp(was, c, ROOM))
		fuzz_wrong(
		        "%zu x %zu x %zu, type %d, layout %d, trans %d %d, triangle %d, ld %zu %zu "
		        "%zu, alpha %g, beta %g",
		        g.m, g.n, g.k, g.type, g.layout, g.transa, g.transb, g.triangle, g.lda,
		        g.ldb, g.ldc, g.alpha, g.beta);
}

static void transpose(struct clopt *ctx, struct bytes *b)
{
	static unsigned char was[ROOM];
	const size_t rows = number(b, 0), cols = number(b, 0),
	             bytes = (size_t)1 << fuzz_byte(b) % 5;
	const size_t ldin = number(b, 0), ldout = number(b, 0);
	unsigned char *in = (unsigned char *)arena(0), *out = (unsigned char *)arena(1);
	size_t i, j;

	fill(in, CLOPT_TYPE_FLOAT, fuzz_byte(b));
	memcpy(was, out, ROOM);
	if (status(ctx, clopt_transpose(ctx, rows, cols, bytes, in, ldin, out, ldout)) == CLOPT_OK)
		for (i = 0; i < rows; i++)
			for (j = 0; j < cols; j++)
				memcpy(was + (j * ldout + i) * bytes, in + (i * ldin + j) * bytes,
				       bytes);
	if (memcmp(was, out, ROOM))
		fuzz_wrong("transpose of %zu x %zu of %zu bytes, ld %zu %zu", rows, cols, bytes,
		           ldin, ldout);
}

/* Buffers, with copies of what is in them. */
#define BUFFERS 4

struct known {
	struct clopt_buffer *buffer;
	size_t bytes;
	unsigned char holds[256];
};

static void buffers(struct clopt *ctx, struct bytes *b, struct known *list)
{
	struct known *x = &list[fuzz_byte(b) % BUFFERS], *y = &list[fuzz_byte(b) % BUFFERS];
	const size_t at = fuzz_byte(b), to = fuzz_byte(b), bytes = fuzz_byte(b);
	unsigned char host[256];
	size_t i;
	int rc;

	for (i = 0; i < sizeof host; i++)
		host[i] = (unsigned char)(i * at + to);
	switch (fuzz_byte(b) % 5) {
	case 0:
		clopt_buffer_free(x->buffer);
		x->buffer = NULL;
		x->bytes = bytes;
		if (status(ctx, clopt_buffer_new(ctx, bytes, &x->buffer)) == CLOPT_OK && bytes) {
			memset(x->holds, 0, sizeof x->holds);
			status(ctx, clopt_buffer_write(x->buffer, 0, bytes, x->holds, NULL));
		}
		break;
	case 1:
		rc = clopt_buffer_write(x->buffer, at, bytes, host, NULL);
		if ((rc == CLOPT_OK) != (x->buffer && at + bytes <= x->bytes))
			fuzz_wrong("write of %zu at %zu of %zu: %s", bytes, at, x->bytes,
			           clopt_strerror(rc));
		if (rc == CLOPT_OK)
			memcpy(x->holds + at, host, bytes);
		break;
	case 2:
		rc = clopt_buffer_copy(x->buffer, at, y->buffer, to, bytes, NULL);
		if (rc == CLOPT_OK &&
		    (!x->buffer || !y->buffer || at + bytes > x->bytes || to + bytes > y->bytes))
			fuzz_wrong("copy of %zu at %zu of %zu to %zu of %zu", bytes, at, x->bytes,
			           to, y->bytes);
		if (rc == CLOPT_OK)
			memmove(y->holds + to, x->holds + at, bytes);
		break;
	default:
		memset(host, 77, sizeof host);
		rc = clopt_buffer_read(x->buffer, at, bytes, host, NULL);
		if ((rc == CLOPT_OK) != (x->buffer && at + bytes <= x->bytes))
			fuzz_wrong("read of %zu at %zu of %zu: %s", bytes, at, x->bytes,
			           clopt_strerror(rc));
		if (rc == CLOPT_OK &&
		    (clopt_finish(ctx) != CLOPT_OK || memcmp(host, x->holds + at, bytes)))
			fuzz_wrong("read of %zu at %zu: other bytes", bytes, at);
	}
}

void fuzz_calls(const uint8_t *data, size_t size)
{
	struct bytes b = { data, size };
	struct clopt *ctx = fuzz_context();
	struct known list[BUFFERS] = { { NULL, 0, { 0 } } };
	unsigned i;

	for (i = 0; i < 16 && b.left; i++)
		switch (fuzz_byte(&b) % 4) {
		case 0:
			product(ctx, &b);
			break;
		case 1:
			transpose(ctx, &b);
			break;
		default:
			buffers(ctx, &b, list);
		}
	for (i = 0; i < BUFFERS; i++)
		clopt_buffer_free(list[i].buffer);
}
