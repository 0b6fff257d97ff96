/* SPDX-License-Identifier: MIT */
/*
 * peers_cases.c - the cases: favourable and unfavourable sizes, in all transposes.
 */
#include "peers.h"

enum {
	NN = 1, /* op(A) = A, op(B) = B */
	ALL = 4, /* the four transposes */
	MANY = 1000,
	REALS = 4 | 8, /* bytes of elements, ORed */
	ANY = 1 | 2 | 4 | 8 | 16,
	COMPLEX = 32 | 64, /* of floats, of doubles */
	NUMBERS = REALS | COMPLEX
};

/* clang-format off */
static const struct entry {
	size_t m, n, k, batch;
	int transposes;
	unsigned sizes; /* 0: REALS */
} entries[] = {
	{ 64, 64, 64, MANY, ALL, 0 }, { 64, 64, 64, 1, NN, 0 }, { 128, 128, 128, 1, NN, 0 },
	{ 255, 255, 255, 1, NN, 0 }, { 256, 256, 256, 1, ALL, 0 }, { 257, 257, 257, 1, NN, 0 },
	{ 511, 511, 511, 1, NN, 0 }, { 512, 512, 512, 1, ALL, NUMBERS }, { 513, 513, 513, 1, NN, 0 },
	{ 1023, 1023, 1023, 1, NN, 0 }, { 1024, 1024, 1024, 1, ALL, NUMBERS }, { 1025, 1025, 1025, 1, NN, 0 },
	{ 1000, 1000, 1000, 1, NN, COMPLEX }, { 1000, 1537, 731, 1, ALL, 0 },
	{ 2047, 2047, 2047, 1, NN, 0 }, { 2048, 2048, 2048, 1, ALL, NUMBERS }, { 2049, 2049, 2049, 1, NN, 0 },
	{ 2048, 16, 2048, 1, NN, 0 }, { 16, 2048, 2048, 1, NN, 0 }, { 2048, 2048, 16, 1, NN, 0 },
	{ 64, 64, 2048, 1, NN, 0 }, { 2048, 1, 2048, 1, NN, 0 }, { 1, 2048, 2048, 1, NN, 0 },
	{ 4095, 4095, 4095, 1, NN, 0 }, { 4096, 4096, 4096, 1, ALL, 0 }, { 4097, 4097, 4097, 1, NN, 0 },
	{ 8192, 16, 8192, 1, NN, 0 }, { 16, 8192, 8192, 1, NN, 0 }, { 8192, 8192, 16, 1, NN, 0 },
	{ 64, 64, 8192, 1, NN, 0 }, { 8192, 1, 8192, 1, NN, 0 }, { 1, 8192, 8192, 1, NN, 0 },
	{ 8191, 8191, 8191, 1, NN, 0 }, { 8192, 8192, 8192, 1, ALL, 0 },
	/* Transposes. */
	{ 512, 512, 0, 1, 0, 0 }, { 1023, 1023, 0, 1, 0, 0 }, { 1024, 1024, 0, 1, 0, 0 },
	{ 1025, 1025, 0, 1, 0, 0 }, { 1000, 1537, 0, 1, 0, 0 }, { 2047, 2047, 0, 1, 0, 0 },
	{ 2048, 2048, 0, 1, 0, ANY }, { 2049, 2049, 0, 1, 0, 0 }, { 64, 16384, 0, 1, 0, 0 },
	{ 16384, 64, 0, 1, 0, 0 }, { 4096, 4096, 0, 1, 0, ANY }, { 4099, 4097, 0, 1, 0, ANY },
	{ 8191, 8191, 0, 1, 0, 0 }, { 8192, 8192, 0, 1, 0, 0 }, { 16384, 16384, 0, 1, 0, 0 },
};
/* clang-format on */

/* The size that --most limits: the longest side, which for a long and flat transpose says little:
 * 0. */
static size_t size_of(const struct entry *e)
{
	const size_t long_side = e->m > e->n ? e->m : e->n;

	if (e->k == 0) /* a transpose: its arrays may be twice as wide */
		return e->m < 100 || e->n < 100 ? 0 : long_side / 2;
	return long_side > e->k ? long_side : e->k;
}

int peers_case(size_t i, size_t most, struct peers_case *c)
{
	const struct entry *const end = entries + sizeof entries / sizeof *entries, *e;
	size_t t, elem;

	for (e = entries; e < end; e++)
		for (elem = 1; elem <= 64; elem *= 2)
			for (t = 0; t < (size_t)(e->transposes ? e->transposes : 1); t++) {
				/* 4097 still counts as 4096. */
				if (size_of(e) > most + 3 ||
				    !(elem & (e->sizes ? e->sizes : REALS)) || i-- > 0)
					continue;
				*c = (struct peers_case){ elem > 16 ? elem / 4 : elem,
					                  elem > 16,
					                  t & 2 ? CLOPT_TRANS_YES : CLOPT_TRANS_NO,
					                  t & 1 ? CLOPT_TRANS_YES : CLOPT_TRANS_NO,
					                  e->m,
					                  e->n,
					                  e->k,
					                  e->batch };
				return 1;
			}
	return 0;
}

void peers_case_name(const struct peers_case *c, char name[PEERS_NAME])
{
	const int square = c->m == c->n && (c->k == 0 || c->k == c->n);
	char size[64], many[24] = "";

	if (square)
		snprintf(size, sizeof size, "%zu", c->n);
	else if (c->k == 0)
		snprintf(size, sizeof size, "%zux%zu", c->m, c->n);
	else
		snprintf(size, sizeof size, "%zux%zux%zu", c->m, c->n, c->k);
	if (c->batch > 1)
		snprintf(many, sizeof many, " x%zu", c->batch);
	if (c->k == 0)
		snprintf(name, PEERS_NAME, "transpose %zu-byte %s%s", c->elem_bytes, size, many);
	else
		snprintf(name, PEERS_NAME, "%cgemm %c%c %s%s",
		         c->pairs ? (c->elem_bytes == 8 ? 'c' : 'z') :
		                    (c->elem_bytes == 4 ? 's' : 'd'),
		         c->transa == CLOPT_TRANS_YES ? 'T' : 'N',
		         c->transb == CLOPT_TRANS_YES ? 'T' : 'N', size, many);
}

double peers_case_flops(const struct peers_case *c)
{
	return (c->pairs ? 8.0 : 2.0) * (double)c->m * (double)c->n * (double)c->k *
	       (double)c->batch;
}

double peers_case_bytes(const struct peers_case *c)
{
	const double m = (double)c->m, n = (double)c->n, k = (double)c->k;
	const double elems = c->k == 0 ? 2.0 * m * n : m * n + m * k + k * n;

	return elems * (double)c->elem_bytes * (double)c->batch;
}
