/* SPDX-License-Identifier: MIT */
/*
 * store.h - a folder of small named entries that outlives the process.
 *
 * The store is a cache: an entry may vanish at any time, and no failure here is an error for the
 * caller.  It knows nothing of OpenCL.
 *
 * An entry has a kind and a key.  The kind is a short word of small letters such as "program"; the
 * key is a text of all that the content depends on.  Reading gives the content written under this
 * kind and key, byte for byte, or nothing.
 *
 * Entries are trusted.  So the folder and its files have to be the user's, no links, and not
 * writable by others; otherwise the store finds and keeps nothing.
 *
 * Processes may share a folder: a rename makes an entry appear whole.  Threads may share a store,
 * except in clopt__store_open and _close.
 */
#ifndef CLOPT_STORE_H
#define CLOPT_STORE_H

#include <stddef.h>
#include <stdint.h>

#include "hash.h"

/* Format of the files.  Files of another format are a miss. */
#define STORE_FORMAT 1

struct store {
	char *folder; /* absolute; NULL: nothing is kept */
	uint64_t most_bytes;
};

/* Open a store; it is also valid when zero.  Makes no folder yet.  folder NULL or "": no store; a
 * relative folder is below the current folder.  Nonzero: no memory. */
int clopt__store_open(struct store *store, const char *folder, uint64_t most_bytes);
void clopt__store_close(struct store *store);
/* Why an existing folder is not used ("other users may write to it"), or NULL. */
const char *clopt__store_refused(const struct store *store);

/* Whether the entry exists.  Then the caller frees *data, whose size bytes are followed by a zero
 * byte.  Marks the entry as used now. */
int clopt__store_get(const struct store *store, const char *kind, const char *key, void **data,
                     size_t *size);
/* Write an entry, or replace it.  Returns whether it was written; if not, errno is the
 * reason, or 0 for an entry larger than most_bytes.  Drops the least recently used entries if all
 * together exceed most_bytes. */
int clopt__store_put(const struct store *store, const char *kind, const char *key, const void *data,
                     size_t size);

/* An entry that clopt__store_walk visits. */
struct stored {
	const char *kind, *key; /* key "": not readable or not valid */
	const char *content; /* followed by a zero byte; "" if not valid */
	uint64_t bytes; /* size of the file */
	int64_t used; /* seconds since 1970 */
};
/* Call `seen` for each entry, in no order. */
void clopt__store_walk(const struct store *store,
                       void (*seen)(void *arg, const struct stored *entry), void *arg);
/* Remove all entries, and no other file.  Nonzero: some remain, errno is the reason. */
int clopt__store_clear(const struct store *store);

#define STORE_KIND_SIZE 16

#endif
