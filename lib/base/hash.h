/* SPDX-License-Identifier: MIT */
/*
 * hash.h - FNV-1a of 128 bits: short and well known, but not safe against deliberate collisions.  A
 * change of one byte always changes the hash, since each step is one to one.
 */
#ifndef CLOPT_HASH_H
#define CLOPT_HASH_H

#include <stddef.h>
#include <stdint.h>

struct hash {
	uint64_t high, low;
};

#define HASH_TEXT_SIZE 33 /* 32 digits and the end */

struct hash clopt__hash_empty(void);
void clopt__hash_add(struct hash *hash, const void *data, size_t size);
void clopt__hash_text(const struct hash *hash, char text[HASH_TEXT_SIZE]);

#endif
