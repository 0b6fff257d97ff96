/* SPDX-License-Identifier: MIT */
/*
 * store.c - entries: from a key to a file and back.
 *
 * The file is named for its key by a hash, and has the key in it, so that two keys of
 * one hash do not meet.  It ends with a hash over all that is before: whatever befell
 * the file, from a flipped bit to a machine that went down before its disk had all,
 * is a miss.  (So nothing is synced, which would cost more than a compiler now and then.)
 */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L /* openat and its like, also under -std=c99 */
#endif
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store.h"

static const char magic[8] = "clopt\r\n";

/* What a file begins with; the key, the content and the hash follow.  Numbers are as
 * this machine has them: on another the format is none that it knows. */
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

/* Of a whole file.  The kind is in it, since it is in the name alone. */
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

/* A program in here is run: so only files of the user's own, or of the system's, are
 * opened, and nothing that could hang the open. */
int clopt__store_file(int folder, const char *name, struct stat *about)
{
	int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (file >= 0 && (fstat(file, about) || !S_ISREG(about->st_mode) ||
	                  (about->st_uid != geteuid() && about->st_uid != 0))) {
		close(file);
		return -1;
	}
	return file;
}

char *clopt__store_read(int file, const struct stat *about, const char *kind, void **data,
                        size_t *size)
{
	struct head head;
	struct hash sum, is;
	uint64_t bytes = (uint64_t)about->st_size;
	char *all = NULL, *key;

	/* No length is believed before it fits the file's own. */
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
	const int folder = clopt__store_folder(store, 0);
	char name[STORE_NAME_SIZE], *found = NULL;
	struct stat about;
	int file = -1, same;

	*data = NULL;
	*size = 0;
	if (folder < 0)
		return 0;
	entry_name(kind, key, name);
	file = clopt__store_file(folder, name, &about);
	if (file >= 0)
		found = clopt__store_read(file, &about, kind, data, size);
	same = found && !strcmp(found, key);
	if (same)
		futimens(file, NULL); /* where that is refused, entries go by their age */
	if (found && !same) {
		free(*data);
		*data = NULL;
		*size = 0;
	}
	free(found);
	if (file >= 0)
		close(file);
	close(folder);
	return same;
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

int clopt__file_may_grow(uint64_t bytes)
{
	struct rlimit limit;

	return !getrlimit(RLIMIT_FSIZE, &limit) &&
	       (limit.rlim_cur == RLIM_INFINITY || bytes <= limit.rlim_cur);
}

#define TEMPORARY_SIZE (STORE_NAME_SIZE + 32)

/* A file that nobody else has, for the entry `name`.  The process's number may be that
 * of another one on another machine, or in a container: then the next is tried. */
static int open_temporary(int folder, const char *name, char temporary[TEMPORARY_SIZE])
{
	unsigned i;
	int file = -1;

	errno = EEXIST;
	for (i = 0; i < 100 && file < 0 && errno == EEXIST; i++) {
		snprintf(temporary, TEMPORARY_SIZE, "%s.%ld.%u", name, (long)getpid(), i);
		file = openat(folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
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
	int folder, file, kept;

	if (bytes > store->most_bytes || !clopt__file_may_grow(bytes) ||
	    (folder = clopt__store_folder(store, 1)) < 0)
		return 0;
	memcpy(head.magic, magic, sizeof magic);
	entry_name(kind, key, name);
	file = open_temporary(folder, name, temporary);
	if (file < 0) {
		close(folder);
		return 0;
	}
	sum = sum_of(kind, &head, key, data);
	kept = write_all(file, &head, sizeof head) && write_all(file, key, strlen(key)) &&
	       write_all(file, data, size) && write_all(file, &sum, sizeof sum);
	kept = !close(file) && kept; /* some disks say only now that they are full */
	kept = kept && !renameat(folder, temporary, folder, name);
	if (!kept)
		unlinkat(folder, temporary, 0);
	clopt__store_shrink(folder, store->most_bytes);
	close(folder);
	return kept;
}
