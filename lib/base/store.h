/* SPDX-License-Identifier: MIT */
/*
 * store.h - a folder of small named entries that outlives the process.
 *
 * The store is a cache: an entry may vanish at any time, and no failure here is an error for the
 * caller.  It knows nothing of OpenCL.
 *
 * An entry has a kind, a short word of small letters such as "program", and a key, a text of all
 * that its content depends on.  Reading gives the content written under this kind and key, byte for
 * byte, or nothing.
 *
 * Entries are believed, so the folder and its files have to be the user's own, no links, and not
 * writable by others; otherwise nothing is found and nothing kept.
 *
 * Processes may share a folder: a rename makes an entry appear whole.  Threads may share a store,
 * but for clopt__store_open and _close.
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

/* Valid when zero.  Makes no folder yet.  folder NULL or "": no store; a relative folder is below
 * the current folder.  Nonzero: no memory. */
int clopt__store_open(struct store *store, const char *folder, uint64_t most_bytes);
void clopt__store_close(struct store *store);
/* Why the folder that is there is not used ("other users may write to it"), or NULL. */
const char *clopt__store_refused(const struct store *store);

/* Whether the entry exists; then the caller frees *data, which has a zero byte behind its size
 * bytes.  Marks the entry as used now. */
int clopt__store_get(const struct store *store, const char *kind, const char *key, void **data,
                     size_t *size);
/* Whether the entry was written.  Replaces an entry of this key.  Drops the least recently used
 * entries if all together exceed most_bytes. */
int clopt__store_put(const struct store *store, const char *kind, const char *key, const void *data,
                     size_t size);

/* An entry as clopt__store_walk shows it. */
struct stored {
	const char *kind, *key; /* key "": not readable or not valid */
	const char *content; /* with a zero byte behind it; "" if not valid */
	uint64_t bytes; /* of the file */
	int64_t used; /* seconds since 1970 */
};
/* Call `seen` for each entry, in no order. */
void clopt__store_walk(const struct store *store,
                       void (*seen)(void *arg, const struct stored *entry), void *arg);
/* Remove all entries, and no other file.  Nonzero: some remain; errno says why. */
int clopt__store_clear(const struct store *store);

#define STORE_KIND_SIZE 16

#endif
