/* SPDX-License-Identifier: MIT */
/*
 * store.h - a folder of small named entries that outlives the process.
 *
 * It is a cache: an entry may be gone at any time, and no trouble with it is an
 * error of the caller's.  It knows nothing of OpenCL.
 *
 * An entry has a kind, a short word of small letters such as "program", and a key,
 * a text that says all that its content depends on.  What is got is what was put
 * under this kind and key, byte for byte, or nothing.
 *
 * Processes share a folder freely: an entry appears whole, by being renamed, or not
 * at all.  Threads too, but for clopt__store_open and _close.
 */
#ifndef CLOPT_STORE_H
#define CLOPT_STORE_H

#include <stddef.h>
#include <stdint.h>

#include "hash.h"

/* Of the files.  One that is of another format is not believed. */
#define STORE_FORMAT 1

struct store {
	char *folder; /* absolute; NULL: there is none, nothing is kept */
	uint64_t most_bytes;
};

/* Valid when zero.  It makes no folder yet.  folder NULL or "": none; a relative one
 * is one of the current folder's.  Nonzero: no memory. */
int clopt__store_open(struct store *store, const char *folder, uint64_t most_bytes);
void clopt__store_close(struct store *store);

/* Whether there is one; then *data is the caller's to free, with a zero byte behind
 * its size bytes.  It counts as used now. */
int clopt__store_get(const struct store *store, const char *kind, const char *key, void **data,
                     size_t *size);
/* Whether it is kept.  One of this key is replaced.  Those used least recently go if
 * all together are more than most_bytes. */
int clopt__store_put(const struct store *store, const char *kind, const char *key, const void *data,
                     size_t size);

/* What clopt__store_walk shows of an entry. */
struct stored {
	const char *kind, *key; /* key "": it cannot be read, or is not believed */
	const char *content; /* with a zero byte behind it; "" then too */
	uint64_t bytes; /* of its file */
	int64_t used; /* seconds since 1970 */
};
/* Each entry goes to seen, in no order. */
void clopt__store_walk(const struct store *store,
                       void (*seen)(void *arg, const struct stored *entry), void *arg);
/* Whether a file may have so many bytes.  A write beyond the limit is not an error but a
 * signal, which would end the program. */
int clopt__file_may_grow(uint64_t bytes);
/* Remove all entries, and no other file.  Nonzero: some are left; errno says why. */
int clopt__store_clear(const struct store *store);

#define STORE_KIND_SIZE 16

#endif
