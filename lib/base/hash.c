/* SPDX-License-Identifier: MIT */
/*
 * hash.c - FNV-1a of 128 bits, by its definition (Fowler, Noll, Vo; RFC 9923).
 */
#include <inttypes.h>
#include <stdio.h>

#include "hash.h"

struct hash clopt__hash_empty(void)
{
	return (struct hash){ UINT64_C(0x6c62272e07bb0142), UINT64_C(0x62b821756295c58d) };
}

/* The prime is 2^88 + PRIME_LOW.  C99 lacks numbers of 128 bits. */
#define PRIME_LOW 0x13b

void clopt__hash_add(struct hash *hash, const void *data, size_t size)
{
	const unsigned char *bytes = data;
	uint64_t high = hash->high, low = hash->low, lower, upper;
	size_t i;

	for (i = 0; i < size; i++) {
		low ^= bytes[i];
		lower = (low & UINT32_MAX) * PRIME_LOW;
		upper = (low >> 32) * PRIME_LOW + (lower >> 32);
		high = high * PRIME_LOW + (upper >> 32) + (low << 24);
		low = upper << 32 | (lower & UINT32_MAX);
	}
	hash->high = high;
	hash->low = low;
}

void clopt__hash_text(const struct hash *hash, char text[HASH_TEXT_SIZE])
{
	snprintf(text, HASH_TEXT_SIZE, "%016" PRIx64 "%016" PRIx64, hash->high, hash->low);
}
