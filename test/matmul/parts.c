/* SPDX-License-Identifier: MIT */
/*
 * parts.c - products whose k memory cuts into parts: the same bits as in one part, for each row and type,
 * with any transposes, triangles, alpha and beta.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/numbers.h"
#include "suites.h"
#include "table/table.h"

static const int types[] = {
	CLOPT_TYPE_HALF,   CLOPT_TYPE_BFLOAT16,      CLOPT_TYPE_FLOAT,
	CLOPT_TYPE_DOUBLE, CLOPT_TYPE_COMPLEX_FLOAT, CLOPT_TYPE_COMPLEX_DOUBLE
};
enum {
	TYPES = sizeof types / sizeof *types
};

struct product {
	struct clopt_gemm_desc g;
	size_t limit; /* of memory, so that k is cut */
	char *array[3]; /* A, B and, before the call, C */
	size_t bytes[3];
};

static void fill(char *array, size_t bytes, const struct element_type *type, uint64_t random)
{
	const size_t step = (size_t)type->part & 0xff;
	size_t at;

	for (at = 0; at < bytes; at += step) {
		random = random * 6364136223846793005u + 1442695040888963407u;
		clopt__element_put(array + at, type->part, (double)(int64_t)random * 0x1p-63);
	}
}

/* A product, by default (k 0) of several parts, the last (or the first) of which ends within a tile of k. */
static void open_product(struct product *p, const struct variant *v, int type, size_t m, size_t n,
                         size_t k, int trans)
{
	const struct element_type *t = clopt__type(type);
	const size_t bytes = t->parts * ((size_t)t->part & 0xff), tile = clopt__sum_tile(v);
	size_t i;

	*p = (struct product){ .g = CLOPT_GEMM_DESC_INIT };
	p->g.type = type;
	p->g.math = v->math;
	p->g.transa =
	        trans & 1 ? t->parts == 2 ? CLOPT_TRANS_CONJ : CLOPT_TRANS_YES : CLOPT_TRANS_NO;
	p->g.transb = trans & 2 ? CLOPT_TRANS_YES : CLOPT_TRANS_NO;
	p->g.m = m;
	p->g.n = n;
	/* Room for a tile of all rows and columns, but not for a row and a column whole. */
	p->limit = (m + n + 4) * tile * bytes +
	           m * (n * clopt__larger(clopt__part_bytes(v, bytes), bytes) + 64) + 4096;
	p->g.k = k ? k : (p->limit / (2 * bytes) / tile + 1) * tile + 37;
	p->g.alpha = -0.75;
	p->g.alpha_imag = t->parts == 2 ? 0.5 : 0;
	p->bytes[0] = m * p->g.k * bytes;
	p->bytes[1] = p->g.k * n * bytes;
	p->bytes[2] = m * n * bytes;
	for (i = 0; i < 3; i++) {
		p->array[i] = malloc(p->bytes[i]);
		fill(p->array[i], p->bytes[i], t, i + 1);
	}
}

static void close_product(struct product *p)
{
	unsigned i;

	for (i = 0; i < 3; i++)
		free(p->array[i]);
}

/* The result, malloc'ed; NULL: the row does not serve it.  *parts: of k. */
static char *result(struct clopt *ctx, const struct product *p, size_t *parts)
{
	struct clopt_report r = { .size = sizeof r };
	char *c = malloc(p->bytes[2]);
	int rc;

	memcpy(c, p->array[2], p->bytes[2]);
	rc = clopt_gemm(ctx, &p->g, p->array[0], p->array[1], c);
	if (rc == CLOPT_ENOVARIANT || rc == CLOPT_EUNSUPPORTED) {
		free(c);
		return NULL;
	}
	CHECK_OK(ctx, rc);
	CHECK_OK(ctx, clopt_last_report(ctx, &r));
	*parts = r.sum_parts;
	return c;
}

/* 0: the row cannot serve it here. */
static int expect_same(struct product *p, const struct variant *v)
{
	struct clopt_options options = CLOPT_OPTIONS_INIT;
	struct clopt *whole, *little;
	char *want, *got;
	size_t parts;
	int beta, did = 0;

	options.transfer = CLOPT_TRANSFER_DRIVER; /* nothing in place */
	options.variants = v->name;
	whole = test_open(&options);
	options.mem_limit_bytes = p->limit;
	options.check = CLOPT_CHECK_FIRST; /* and the kernels that go on pass their trial */
	little = test_open(&options);
	for (beta = 0; beta < 2; beta++) {
		p->g.beta = beta ? 1.25 : 0;
		want = result(whole, p, &parts);
		/* What fits memory may not fit an image, whose sizes PoCL takes from the machine's memory. */
		ck_assert(!want || parts == 1 || v->images);
		got = want ? result(little, p, &parts) : NULL;
		ck_assert_msg(!want || parts > 1, "%s: %zu parts", v->name, parts);
		ck_assert_msg(!want || !memcmp(want, got, p->bytes[2]),
		              "%s: other bits in %zu parts, %s, %zu x %zu x %zu, transposed %d %d, "
		              "triangle %d, beta %g",
		              v->name, parts, clopt__type(p->g.type)->name, p->g.m, p->g.n, p->g.k,
		              p->g.transa, p->g.transb, p->g.triangle, p->g.beta);
		did |= want != NULL;
		free(want);
		free(got);
	}
	clopt_close(little);
	test_close(whole);
	return did;
}

/* Each type with one pair of transposes; one type of rows that differ by numbers alone, or are for GPUs,
 * which PoCL takes long to compile, and none of rows that are both. */
START_TEST(same)
{
	const struct variant *v = clopt__variant((size_t)_i);
	const int vectors = v->shapes == SHAPE_VECTOR, again = test_same_as_before(_i),
	          few = again || (v->likes & T_GPU);
	struct product p;
	int i, did = 0;

	if (v->op != CLOPT_OP_MATMUL || v->host || (again && (v->likes & T_GPU)))
		return;
	for (i = _i; i < _i + TYPES && !(few && did); i++) {
		const int type = types[i % TYPES];

		if (!((v->types ? v->types : 4u | 8u) & clopt__type(type)->bit))
			continue;
		open_product(&p, v, type, vectors ? 1 : i % 2 ? 45 : 21, 45, 0, (i + _i) % 4);
		p.g.triangle = p.g.m == 45 ? CLOPT_UPLO_LOWER : 0;
		did |= expect_same(&p, v);
		close_product(&p);
		if (!vectors)
			continue;
		open_product(&p, v, type, 45, 1, 0, (i + _i) % 4);
		did |= expect_same(&p, v);
		close_product(&p);
	}
}
END_TEST

/* Bands of a row of C, the last of which is one column. */
START_TEST(row_in_bands)
{
	const struct variant *v = clopt__variant((size_t)_i);
	struct clopt_options options = CLOPT_OPTIONS_INIT;
	struct clopt_report r = { .size = sizeof r };
	struct clopt *whole, *little;
	char *want, *got;
	struct product p;
	size_t parts;

	if (v->op != CLOPT_OP_MATMUL || v->shapes != SHAPE_VECTOR)
		return;
	open_product(&p, v, CLOPT_TYPE_FLOAT, 1, 2 * v->out[0] + 1, 1500, 0);
	options.transfer = CLOPT_TRANSFER_DRIVER;
	options.variants = v->name;
	whole = test_open(&options);
	options.mem_limit_bytes = p.g.k * 3 * v->out[0] / 2 * sizeof(float);
	little = test_open(&options);
	want = result(whole, &p, &parts);
	got = want ? result(little, &p, &parts) : NULL;
	CHECK_OK(little, clopt_last_report(little, &r));
	ck_assert_msg(!want || r.bands == 3, "%s: %zu bands", v->name, r.bands);
	ck_assert_msg(!want || !memcmp(want, got, p.bytes[2]), "%s: other bits", v->name);
	free(want);
	free(got);
	close_product(&p);
	clopt_close(little);
	test_close(whole);
}
END_TEST

SUITE(parts_of_k, walk)
{
	test_add_rows(c, row_in_bands, 0, test_rows());
	test_add_rows(c, same, 0, test_rows());
}
