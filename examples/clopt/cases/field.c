/* SPDX-License-Identifier: MIT */
/*
 * field.c - arrays between fences, and the random numbers in them.
 *
 * Fences and the gaps between rows hold NaN in an input, so that a stray read
 * spoils the result, and random bits in an output, so that a stray write is
 * seen.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "op.h"

enum {
	FENCE_BYTES = 4096,
	PAGE_BYTES = 4096,
	PIECE = 1 << 20 /* bytes of a part of a long array */
};
#define GAMMA UINT64_C(0x9e3779b97f4a7c15)

/* splitmix64: Steele, Lea, Flood, "Fast splittable pseudorandom number
 * generators", OOPSLA 2014.  Any seed is a good one. */
uint64_t case_random(struct rng *r)
{
	uint64_t z = r->state += GAMMA;

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

void case_skip(struct rng *r, uint64_t n)
{
	r->state += n * GAMMA;
}

double case_uniform(struct rng *r)
{
	return (double)(case_random(r) >> 11) * 0x1p-53;
}

/* Bytes that are written or read piece by piece. */
struct bytes {
	unsigned char *to;
	const unsigned char *from;
	size_t count;
	struct rng rng; /* at the first piece */
};

static size_t pieces(size_t bytes)
{
	return bytes / PIECE + (bytes % PIECE != 0);
}

/* Where the pieces end. */
static size_t end_of(const struct bytes *b, size_t first, size_t count)
{
	const size_t end = (first + count) * PIECE;

	return end < b->count ? end : b->count;
}

static uint64_t fill_pieces(void *what, size_t first, size_t count)
{
	const struct bytes *b = what;
	const size_t end = end_of(b, first, count);
	struct rng r = b->rng;
	uint64_t word;
	size_t at, n;

	case_skip(&r, first * (PIECE / sizeof word));
	for (at = first * PIECE; at < end; at += n) {
		word = case_random(&r);
		n = end - at < sizeof word ? end - at : sizeof word;
		memcpy(b->to + at, &word, n);
	}
	return 0;
}

static void fill_random(unsigned char *to, size_t bytes, struct rng *r)
{
	struct bytes b = { .to = to, .count = bytes, .rng = *r };

	case_in_parts(pieces(bytes), bytes, fill_pieces, &b);
	case_skip(r, (bytes + 7) / 8);
}

static uint64_t set_pieces(void *what, size_t first, size_t count)
{
	const struct bytes *b = what;

	memset(b->to + first * PIECE, 0xff, end_of(b, first, count) - first * PIECE);
	return 0;
}

static uint64_t copy_pieces(void *what, size_t first, size_t count)
{
	const struct bytes *b = what;

	memcpy(b->to + first * PIECE, b->from + first * PIECE,
	       end_of(b, first, count) - first * PIECE);
	return 0;
}

static void copy(unsigned char *to, const unsigned char *from, size_t bytes)
{
	struct bytes b = { .to = to, .from = from, .count = bytes };

	case_in_parts(pieces(bytes), bytes, copy_pieces, &b);
}

/* Multiplying by an odd number loses nothing, so one changed word always changes the sum. */
static uint64_t add_word(uint64_t sum, uint64_t word)
{
	sum = (sum ^ word) * GAMMA;
	return sum ^ sum >> 32;
}

/* In four lanes, since a multiplication waits for the one before. */
static uint64_t checksum(const unsigned char *from, size_t bytes)
{
	uint64_t lane[4] = { bytes, 1, 2, 3 }, word[4], sum = 0;
	size_t n;
	int i;

	for (; bytes; from += n, bytes -= n) {
		n = bytes < sizeof word ? bytes : sizeof word;
		if (n < sizeof word)
			memset(word, 0, sizeof word);
		memcpy(word, from, n);
		for (i = 0; i < 4; i++)
			lane[i] = add_word(lane[i], word[i]);
	}
	for (i = 0; i < 4; i++)
		sum = add_word(sum, lane[i]);
	return sum;
}

/* What pieces add to the sum depends on their places. */
static uint64_t sum_pieces(void *what, size_t first, size_t count)
{
	const struct bytes *b = what;
	uint64_t sum = 0;
	size_t i;

	for (i = first; i < first + count; i++)
		sum += add_word(i, checksum(b->from + i * PIECE, end_of(b, i, 1) - i * PIECE));
	return sum;
}

static uint64_t sum_block(const struct field *f)
{
	struct bytes b = { .from = f->block, .count = f->block_bytes };

	return case_in_parts(pieces(b.count), b.count, sum_pieces, &b);
}

/*
 * The data starts on a page or, as the dice fall, one element behind: a device
 * that shares the host's memory treats the two differently.  An empty array is
 * NULL or not in the same way, since the API allows both.
 */
int field_open(struct field *f, size_t rows, size_t cols, size_t ld, size_t elem_bytes, int kind,
               struct rng *r)
{
	size_t span = 0;
	int odd = (int)(case_random(r) & 1);
	struct bytes b;
	uintptr_t start;

	if (rows && cols) {
		if (ld > SIZE_MAX / 4 / elem_bytes / rows)
			return CLOPT_ENOMEM;
		span = ((rows - 1) * ld + cols) * elem_bytes;
	}
	f->rows = rows;
	f->cols = cols;
	f->ld = ld;
	f->elem_bytes = elem_bytes;
	f->lead_bytes = FENCE_BYTES + (odd ? elem_bytes : 0);
	f->block_bytes = f->lead_bytes + span + FENCE_BYTES;
	f->memory = malloc(f->block_bytes + PAGE_BYTES);
	if (!f->memory)
		return CLOPT_ENOMEM;
	start = (uintptr_t)f->memory;
	f->block = (unsigned char *)f->memory + (PAGE_BYTES - start % PAGE_BYTES) % PAGE_BYTES;
	f->data = span || odd ? f->block + f->lead_bytes : NULL;
	f->array = f->data;
	b = (struct bytes){ .to = f->block, .count = f->block_bytes };
	if (kind == FIELD_IN)
		case_in_parts(pieces(b.count), b.count, set_pieces, &b);
	else
		fill_random(f->block, f->block_bytes, r);
	return CLOPT_OK;
}

void field_close(struct field *f)
{
	free(f->memory);
	free(f->first);
	memset(f, 0, sizeof *f);
}

int field_seal(struct field *f, int kind)
{
	if (kind == FIELD_IN) {
		f->sum = sum_block(f);
		return CLOPT_OK;
	}
	f->first = malloc(f->block_bytes);
	if (!f->first)
		return CLOPT_ENOMEM;
	copy(f->first, f->block, f->block_bytes);
	return CLOPT_OK;
}

void field_restore(struct field *f)
{
	if (f->first)
		copy(f->block, f->first, f->block_bytes);
}

int field_changed(const struct field *f)
{
	return f->block && sum_block(f) != f->sum;
}

/* Elements, whole or in part, that differ in these bytes of the block. */
static size_t differ(const struct field *f, size_t from, size_t to)
{
	size_t n = 0, at, bytes;

	if (from == to || memcmp(f->block + from, f->first + from, to - from) == 0)
		return 0;
	for (at = from; at < to; at += f->elem_bytes) {
		bytes = to - at < f->elem_bytes ? to - at : f->elem_bytes;
		n += memcmp(f->block + at, f->first + at, bytes) != 0;
	}
	return n;
}

size_t field_stray(const struct field *f)
{
	size_t n = 0, i, at = 0, row = f->lead_bytes;

	if (!f->first)
		return 0;
	for (i = 0; i < f->rows && f->cols; i++) {
		n += differ(f, at, row);
		at = row + f->cols * f->elem_bytes;
		row += f->ld * f->elem_bytes;
	}
	return n + differ(f, at, f->block_bytes);
}

double case_load(const unsigned char *from, size_t type)
{
	double x;
	float y;
	uint16_t h;
	uint32_t bits;

	switch (type) {
	case 8:
		memcpy(&x, from, sizeof x);
		return x;
	case 4:
		memcpy(&y, from, sizeof y);
		return (double)y;
	case CLOPT_TYPE_BFLOAT16:
		memcpy(&h, from, sizeof h);
		bits = (uint32_t)h << 16;
		memcpy(&y, &bits, sizeof y);
		return (double)y;
	default:
		memcpy(&h, from, sizeof h);
		return case_of_half(h);
	}
}

void case_store(unsigned char *to, size_t type, double x)
{
	const float y = (float)x;
	uint16_t h;
	uint32_t bits;

	if (type == CLOPT_TYPE_BFLOAT16) { /* toward zero too */
		memcpy(&bits, &y, sizeof bits);
		h = (uint16_t)(bits >> 16);
	} else if (type == CLOPT_TYPE_HALF) {
		h = case_to_half(x);
	}
	memcpy(to, type == 8 ? (const void *)&x : type == 4 ? (const void *)&y : &h, type & 0xff);
}

void field_get(const struct field *f, size_t row, double *to)
{
	size_t j;

	for (j = 0; j < f->cols; j++)
		to[j] = case_load(f->data + (row * f->ld + j) * f->elem_bytes, f->elem_bytes);
}

void field_put(struct field *f, size_t row, const double *from)
{
	size_t j;

	for (j = 0; j < f->cols; j++)
		case_store(f->data + (row * f->ld + j) * f->elem_bytes, f->elem_bytes, from[j]);
}

void field_fill_real(struct field *f, double scale, struct rng *r)
{
	size_t i, j;

	for (i = 0; i < f->rows; i++)
		for (j = 0; j < f->cols; j++)
			case_store(f->data + (i * f->ld + j) * f->elem_bytes, f->elem_bytes,
			           scale * (2.0 * case_uniform(r) - 1.0));
}

/* IEEE binary16: sign, 5 bits of exponent, 10 of fraction.  Toward zero. */
uint16_t case_to_half(double x)
{
	const unsigned sign = signbit(x) ? 0x8000u : 0u;
	int exponent;
	double fraction = frexp(fabs(x), &exponent); /* in [0.5, 1) */

	if (!(fabs(x) <= 65504.0))
		return (uint16_t)(sign | (x != x ? 0x7e00u : 0x7c00u));
	if (exponent < -13) /* subnormal */
		return (uint16_t)(sign | (unsigned)ldexp(fabs(x), 24));
	return (uint16_t)(fabs(x) > 0.0 ? sign | (unsigned)(exponent + 14) << 10 |
	                                          (unsigned)(ldexp(fraction, 11) - 1024.0) :
	                                  sign);
}

double case_of_half(uint16_t h)
{
	const int exponent = h >> 10 & 31;
	const double sign = h & 0x8000 ? -1.0 : 1.0, fraction = h & 1023;

	if (exponent == 31)
		return fraction > 0.0 ? (double)NAN : sign * (double)INFINITY;
	return sign * (exponent ? ldexp(fraction + 1024.0, exponent - 25) : ldexp(fraction, -24));
}
