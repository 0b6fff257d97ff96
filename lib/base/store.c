/* SPDX-License-Identifier: MIT */
/*
 * store.c - entries of the store as files.
 *
 * The file name holds a hash of the key and the file holds the key, so two keys with the same hash
 * are distinguished.  The file ends with a hash of all before it.  So any damage, from a flipped
 * bit to a power failure during the write, makes the entry missing.  Nothing is synced: that costs
 * more than an occasional compilation.
 *
 * The folder may hold other files.  Only files named like entries or temporaries are touched.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "numbers.h"
#include "store.h"
#include "system.h"

#define STORE_NAME_SIZE (STORE_KIND_SIZE + HASH_TEXT_SIZE + 8)

static const char magic[8] = "clopt\r\n";

/* The start of a file; key, content and hash follow.  Numbers are in this machine's byte order:
 * other machines do not recognize the format. */
struct head {
	char magic[8];
	uint64_t format, key_bytes, bytes;
};

static void entry_name(const char *kind, const char *key, char name[STORE_NAME_SIZE])
{
	struct hash hash = clopt__hash_empty();
	char digits[HASH_TEXT_SIZE];

	clopt__hash_add(&hash, key, strlen(key));
	clopt__hash_text(&hash, digits);
	snprintf(name, STORE_NAME_SIZE, "%.*s-%s.clopt", STORE_KIND_SIZE - 1, kind, digits);
}

/* Hash of a whole file.  The kind is hashed because only the file name holds it. */
static struct hash sum_of(const char *kind, const struct head *head, const void *key,
                          const void *data)
{
	struct hash hash = clopt__hash_empty();

	clopt__hash_add(&hash, kind, strlen(kind));
	clopt__hash_add(&hash, head, sizeof *head);
	clopt__hash_add(&hash, key, (size_t)head->key_bytes);
	clopt__hash_add(&hash, data, (size_t)head->bytes);
	return hash;
}

/* ---- The folder ---------------------------------------------------------------- */

/* Writing an entry takes milliseconds, so a temporary of this age belongs to a killed process. */
#define STALE_SECONDS 3600

int clopt__store_open(struct store *store, const char *folder, uint64_t most_bytes)
{
	store->folder = NULL;
	store->most_bytes = most_bytes;
	if (!folder || !*folder)
		return 0;
	store->folder = clopt__full_path(folder);
	return store->folder ? 0 : -1;
}

void clopt__store_close(struct store *store)
{
	free(store->folder);
	store->folder = NULL;
}

/* Make the missing folders of a path, including the last. */
static void make_folder(const char *folder)
{
	const size_t room = strlen(folder) + 2;
	char *path = malloc(room);

	if (!path)
		return;
	snprintf(path, room, "%s/", folder);
	clopt__make_folders(path);
	free(path);
}

const char *clopt__store_refused(const struct store *store)
{
	return store->folder ? clopt__distrusted(store->folder) : NULL;
}

/* Open the folder.  Returns whether it is open. */
static int open_folder(const struct store *store, int make, struct folder *folder)
{
	int failed;

	if (!store->folder)
		return 0;
	failed = clopt__folder_open(folder, store->folder);
	if (failed && errno == ENOENT && make) {
		make_folder(store->folder);
		failed = clopt__folder_open(folder, store->folder);
	}
	return !failed;
}

enum named {
	NO_ENTRY,
	ENTRY,
	TEMPORARY /* an entry that is being written */
};

/* Parse a file name: kind-DIGITS.clopt, with a suffix for a temporary.  kind: the kind in it. */
static enum named named(const char *name, char kind[STORE_KIND_SIZE])
{
	static const char tail[] = ".clopt";
	const size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyz");
	const char *digits = name + n + 1, *end;

	if (!n || n >= STORE_KIND_SIZE || name[n] != '-' ||
	    strspn(digits, "0123456789abcdef") != HASH_TEXT_SIZE - 1)
		return NO_ENTRY;
	end = digits + HASH_TEXT_SIZE - 1;
	if (strncmp(end, tail, sizeof tail - 1))
		return NO_ENTRY;
	end += sizeof tail - 1;
	memcpy(kind, name, n);
	kind[n] = '\0';
	return *end == '\0' ? ENTRY : *end == '.' && end[1] ? TEMPORARY : NO_ENTRY;
}

/* ---- Reading ---------------------------------------------------------------- */

static int read_all(int file, void *data, size_t size)
{
	char *to = data;
	ssize_t n;

	while (size) {
		n = read(file, to, size);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return 0;
		to += n;
		size -= (size_t)n;
	}
	return 1;
}

static char *read_entry(int file, const struct about *about, const char *kind, void **data,
                        size_t *size)
{
	struct head head;
	struct hash sum, is;
	uint64_t bytes = about->bytes;
	char *all = NULL, *key;

	/* Lengths must fit the size of the file. */
	if (bytes < sizeof head + sizeof sum || bytes > SIZE_MAX / 2 ||
	    !read_all(file, &head, sizeof head) || memcmp(head.magic, magic, sizeof magic) ||
	    head.format != STORE_FORMAT)
		return NULL;
	bytes -= sizeof head + sizeof sum;
	if (head.key_bytes > bytes || head.bytes != bytes - head.key_bytes)
		return NULL;
	key = malloc((size_t)head.key_bytes + 1);
	all = malloc((size_t)head.bytes + 1);
	if (!key || !all || !read_all(file, key, (size_t)head.key_bytes) ||
	    !read_all(file, all, (size_t)head.bytes) || !read_all(file, &sum, sizeof sum))
		goto bad;
	is = sum_of(kind, &head, key, all);
	if (memcmp(&is, &sum, sizeof sum))
		goto bad;
	key[head.key_bytes] = all[head.bytes] = '\0';
	*data = all;
	*size = (size_t)head.bytes;
	return key;
bad:
	free(key);
	free(all);
	return NULL;
}

int clopt__store_get(const struct store *store, const char *kind, const char *key, void **data,
                     size_t *size)
{
	char name[STORE_NAME_SIZE], *found = NULL;
	struct folder folder;
	struct about about;
	int file, same;

	*data = NULL;
	*size = 0;
	if (!open_folder(store, 0, &folder))
		return 0;
	entry_name(kind, key, name);
	file = clopt__folder_file(&folder, name, &about);
	if (file >= 0)
		found = read_entry(file, &about, kind, data, size);
	same = found && !strcmp(found, key);
	if (same)
		clopt__touch(file); /* fails without permission: then entries are dropped by age */
	if (found && !same) {
		free(*data);
		*data = NULL;
		*size = 0;
	}
	free(found);
	if (file >= 0)
		clopt__close(file);
	clopt__folder_close(&folder);
	return same;
}

/* ---- Making room ------------------------------------------------------------- */

struct file {
	char name[STORE_NAME_SIZE];
	struct about about;
};

struct files {
	const struct folder *folder;
	struct file *list;
	size_t count, room;
	uint64_t bytes;
};

static int later(const void *a, const void *b)
{
	const struct about *x = &((const struct file *)a)->about;
	const struct about *y = &((const struct file *)b)->about;

	if (x->seconds != y->seconds)
		return x->seconds < y->seconds ? -1 : 1;
	return (x->nanoseconds > y->nanoseconds) - (x->nanoseconds < y->nanoseconds);
}

/* Add an entry to the list, or remove a stale temporary.  Nonzero: no memory. */
static int find_file(void *arg, const char *name)
{
	struct files *files = arg;
	char kind[STORE_KIND_SIZE];
	const enum named is = named(name, kind);
	struct about about;
	struct file *f;

	if (is == NO_ENTRY || clopt__folder_about(files->folder, name, &about))
		return 0;
	if (is == TEMPORARY) {
		if (time(NULL) - about.seconds > STALE_SECONDS)
			clopt__folder_remove(files->folder, name);
		return 0;
	}
	f = clopt__room(files->list, files->count, &files->room, sizeof *f);
	if (!f)
		return -1;
	files->list = f;
	f += files->count++;
	strcpy(f->name, name);
	f->about = about;
	files->bytes += about.bytes;
	return 0;
}

static void make_room(const struct folder *folder, uint64_t most_bytes)
{
	struct files files = { folder, NULL, 0, 0, 0 };
	size_t i;

	clopt__folder_names(folder, find_file, &files);
	if (files.bytes > most_bytes)
		qsort(files.list, files.count, sizeof *files.list, later);
	/* Another process may remove files too, so a missing file counts as removed. */
	for (i = 0; i < files.count && files.bytes > most_bytes; i++)
		if (!clopt__folder_remove(folder, files.list[i].name) || errno == ENOENT)
			files.bytes -= files.list[i].about.bytes;
	free(files.list);
}

/* ---- Writing ---------------------------------------------------------------- */

static int write_all(int file, const void *data, size_t size)
{
	const char *from = data;
	ssize_t n;

	while (size) {
		n = write(file, from, size);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return 0;
		from += n;
		size -= (size_t)n;
	}
	return 1;
}

#define TEMPORARY_SIZE (STORE_NAME_SIZE + 32)

/* Open a new temporary file for the entry `name`.  A process on another machine or in a container
 * may have the same process number; then the next name is tried. */
static int open_temporary(const struct folder *folder, const char *name,
                          char temporary[TEMPORARY_SIZE])
{
	unsigned i;
	int file = -1;

	errno = EEXIST;
	for (i = 0; i < 100 && file < 0 && errno == EEXIST; i++) {
		snprintf(temporary, TEMPORARY_SIZE, "%s.%ld.%u", name, (long)getpid(), i);
		file = clopt__folder_new(folder, temporary);
	}
	return file;
}

int clopt__store_put(const struct store *store, const char *kind, const char *key, const void *data,
                     size_t size)
{
	struct head head = { "", STORE_FORMAT, strlen(key), size };
	struct hash sum;
	const uint64_t bytes = sizeof head + strlen(key) + (uint64_t)size + sizeof sum;
	char name[STORE_NAME_SIZE], temporary[TEMPORARY_SIZE];
	struct folder folder;
	int file, kept, error;

	errno = bytes > store->most_bytes ? 0 : EFBIG; /* a limit on the size of files */
	if (bytes > store->most_bytes || !clopt__file_may_grow(bytes) ||
	    !open_folder(store, 1, &folder))
		return 0;
	memcpy(head.magic, magic, sizeof magic);
	entry_name(kind, key, name);
	file = open_temporary(&folder, name, temporary);
	if (file < 0) {
		error = errno;
		clopt__folder_close(&folder);
		errno = error;
		return 0;
	}
	sum = sum_of(kind, &head, key, data);
	kept = write_all(file, &head, sizeof head) && write_all(file, key, strlen(key)) &&
	       write_all(file, data, size) && write_all(file, &sum, sizeof sum);
	kept = !close(file) && kept; /* some file systems report a full disk only here */
	kept = kept && !clopt__folder_replace(&folder, temporary, name);
	error = errno;
	if (!kept)
		clopt__folder_remove(&folder, temporary);
	make_room(&folder, store->most_bytes);
	clopt__folder_close(&folder);
	errno = error;
	return kept;
}

/* ---- All entries */

struct walk {
	const struct folder *folder;
	void (*seen)(void *arg, const struct stored *entry);
	void *arg;
};

static int show(void *arg, const char *name)
{
	const struct walk *walk = arg;
	char kind[STORE_KIND_SIZE];
	struct stored entry = { .kind = kind };
	struct about about;
	void *content = NULL;
	size_t size;
	char *key;
	int file;

	if (named(name, kind) != ENTRY ||
	    (file = clopt__folder_file(walk->folder, name, &about)) < 0)
		return 0;
	key = read_entry(file, &about, kind, &content, &size);
	entry.key = key ? key : "";
	entry.content = content ? content : "";
	entry.bytes = about.bytes;
	entry.used = about.seconds;
	walk->seen(walk->arg, &entry);
	free(key);
	free(content);
	clopt__close(file);
	return 0;
}

void clopt__store_walk(const struct store *store,
                       void (*seen)(void *arg, const struct stored *entry), void *arg)
{
	struct folder folder;
	struct walk walk = { &folder, seen, arg };

	if (!open_folder(store, 0, &folder))
		return;
	clopt__folder_names(&folder, show, &walk);
	clopt__folder_close(&folder);
}

struct clearing {
	const struct folder *folder;
	int failed; /* errno */
};

static int clear(void *arg, const char *name)
{
	struct clearing *clearing = arg;
	char kind[STORE_KIND_SIZE];

	if (named(name, kind) != NO_ENTRY && clopt__folder_remove(clearing->folder, name) &&
	    errno != ENOENT)
		clearing->failed = errno;
	return 0;
}

int clopt__store_clear(const struct store *store)
{
	struct folder folder;
	struct clearing clearing = { &folder, 0 };

	if (open_folder(store, 0, &folder)) {
		clopt__folder_names(&folder, clear, &clearing);
		clopt__folder_close(&folder);
	}
	errno = clearing.failed;
	return clearing.failed ? -1 : 0;
}
