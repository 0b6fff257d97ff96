/* SPDX-License-Identifier: MIT */
/*
 * store.c - entries: from a key to a file and back.
 *
 * The file name holds a hash of the key, and the file holds the key itself, so two keys with one
 * hash are told apart.  The file ends with a hash of all before it, so any damage, from a flipped
 * bit to a machine that lost power while writing, is a miss.  (So nothing is synced: syncing costs
 * more than compiling again now and then.)
 *
 * The folder may hold other files.  Only files named like entries or their temporaries are touched.
 */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L /* openat and its like, also under -std=c99 */
#endif
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "numbers.h"
#include "store.h"

#define STORE_NAME_SIZE (STORE_KIND_SIZE + HASH_TEXT_SIZE + 8)

static const char magic[8] = "clopt\r\n";

/* The start of a file; key, content and hash follow.  Numbers have the byte order of this machine:
 * another machine does not know the format. */
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

/* Writing an entry takes milliseconds, so an older temporary belongs to a killed process. */
#define STALE_SECONDS 3600

int clopt__store_open(struct store *store, const char *folder, uint64_t most_bytes)
{
	char here[4096];
	size_t room;

	store->folder = NULL;
	store->most_bytes = most_bytes;
	if (!folder || !*folder)
		return 0;
	if (*folder == '/' || !getcwd(here, sizeof here))
		*here = '\0';
	room = strlen(here) + strlen(folder) + 2;
	store->folder = malloc(room);
	if (!store->folder)
		return -1;
	snprintf(store->folder, room, "%s%s%s", here, *here ? "/" : "", folder);
	return 0;
}

void clopt__store_close(struct store *store)
{
	free(store->folder);
	store->folder = NULL;
}

void clopt__make_folders(char *path)
{
	char *at;

	for (at = path + 1; *path && (at = strchr(at, '/')); at++) {
		*at = '\0';
		mkdir(path, 0700);
		*at = '/';
	}
}

/* Make the missing folders of a path, and the last. */
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

/* Entries are programs that will run: why a file or folder is not believed, or NULL. */
static const char *distrust(const struct stat *about)
{
	return S_ISLNK(about->st_mode)              ? "it is a link" :
	       about->st_uid != geteuid()           ? "it is another user's" :
	       about->st_mode & (S_IWGRP | S_IWOTH) ? "other users may write to it" :
	                                              NULL;
}

const char *clopt__store_refused(const struct store *store)
{
	struct stat about;

	return store->folder && !lstat(store->folder, &about) ? distrust(&about) : NULL;
}

static int open_own_folder(const char *name)
{
	const int folder = open(name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat about;

	if (folder >= 0 && (fstat(folder, &about) || distrust(&about))) {
		close(folder);
		errno = EPERM;
		return -1;
	}
	return folder;
}

static int open_folder(const struct store *store, int make)
{
	int folder;

	if (!store->folder)
		return -1;
	folder = open_own_folder(store->folder);
	if (folder < 0 && errno == ENOENT && make) {
		make_folder(store->folder);
		folder = open_own_folder(store->folder);
	}
	return folder;
}

enum named {
	NO_ENTRY,
	ENTRY,
	TEMPORARY /* of an entry */
};

/* Parse a file name: kind-DIGITS.clopt, with a suffix for a temporary.  `kind` gets its kind. */
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

/* A stream of the names in folder, from the start; folder stays open. */
static DIR *names_of(int folder)
{
	const int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = again < 0 ? NULL : fdopendir(again);

	if (!dir && again >= 0)
		close(again);
	return dir;
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

/* Regular files only: others could block. */
static int open_entry(int folder, const char *name, struct stat *about)
{
	int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (file >= 0 && (fstat(file, about) || !S_ISREG(about->st_mode) || distrust(about))) {
		close(file);
		return -1;
	}
	return file;
}

static char *read_entry(int file, const struct stat *about, const char *kind, void **data,
                        size_t *size)
{
	struct head head;
	struct hash sum, is;
	uint64_t bytes = (uint64_t)about->st_size;
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
	const int folder = open_folder(store, 0);
	char name[STORE_NAME_SIZE], *found = NULL;
	struct stat about;
	int file = -1, same;

	*data = NULL;
	*size = 0;
	if (folder < 0)
		return 0;
	entry_name(kind, key, name);
	file = open_entry(folder, name, &about);
	if (file >= 0)
		found = read_entry(file, &about, kind, data, size);
	same = found && !strcmp(found, key);
	if (same)
		futimens(file, NULL); /* without permission, entries are dropped by their age */
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

/* ---- Making room ------------------------------------------------------------- */

struct file {
	char name[STORE_NAME_SIZE];
	struct timespec used;
	uint64_t bytes;
};

struct files {
	struct file *list;
	size_t count, room;
	uint64_t bytes;
};

static int later(const void *a, const void *b)
{
	const struct file *x = a, *y = b;

	if (x->used.tv_sec != y->used.tv_sec)
		return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
	return (x->used.tv_nsec > y->used.tv_nsec) - (x->used.tv_nsec < y->used.tv_nsec);
}

static int keep_file(struct files *files, const char *name, const struct stat *about)
{
	struct file *f = clopt__room(files->list, files->count, &files->room, sizeof *f);

	if (!f)
		return -1;
	files->list = f;
	f += files->count++;
	strcpy(f->name, name);
	f->used = about->st_mtim;
	f->bytes = (uint64_t)about->st_size;
	files->bytes += f->bytes;
	return 0;
}

/* List all entries, and remove stale temporaries. */
static void find_files(int folder, struct files *files)
{
	DIR *dir = names_of(folder);
	const time_t now = time(NULL);
	char kind[STORE_KIND_SIZE];
	struct dirent *d;
	struct stat about;
	enum named is;

	while (dir && (d = readdir(dir))) {
		is = named(d->d_name, kind);
		if (is == NO_ENTRY || fstatat(folder, d->d_name, &about, AT_SYMLINK_NOFOLLOW))
			continue;
		if (is == TEMPORARY && now - about.st_mtim.tv_sec > STALE_SECONDS)
			unlinkat(folder, d->d_name, 0);
		else if (is == ENTRY && keep_file(files, d->d_name, &about))
			break;
	}
	if (dir)
		closedir(dir);
}

static void make_room(int folder, uint64_t most_bytes)
{
	struct files files = { NULL, 0, 0, 0 };
	size_t i;

	find_files(folder, &files);
	if (files.bytes > most_bytes)
		qsort(files.list, files.count, sizeof *files.list, later);
	/* Another process may remove files too: a missing file counts as removed. */
	for (i = 0; i < files.count && files.bytes > most_bytes; i++)
		if (!unlinkat(folder, files.list[i].name, 0) || errno == ENOENT)
			files.bytes -= files.list[i].bytes;
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

int clopt__file_may_grow(uint64_t bytes)
{
	struct rlimit limit;

	return !getrlimit(RLIMIT_FSIZE, &limit) &&
	       (limit.rlim_cur == RLIM_INFINITY || bytes <= limit.rlim_cur);
}

#define TEMPORARY_SIZE (STORE_NAME_SIZE + 32)

/* A new temporary file for the entry `name`.  A process on another machine or in a container may
 * have the same number; then try the next name. */
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
	    (folder = open_folder(store, 1)) < 0)
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
	kept = !close(file) && kept; /* some file systems report a full disk only here */
	kept = kept && !renameat(folder, temporary, folder, name);
	if (!kept)
		unlinkat(folder, temporary, 0);
	make_room(folder, store->most_bytes);
	close(folder);
	return kept;
}

/* ---- All of them -------------------------------------------------------------- */

static void show(int folder, const char *name, const char *kind,
                 void (*seen)(void *arg, const struct stored *entry), void *arg)
{
	struct stored entry = { .kind = kind };
	struct stat about;
	const int file = open_entry(folder, name, &about);
	void *content = NULL;
	size_t size;
	char *key;

	if (file < 0)
		return;
	key = read_entry(file, &about, kind, &content, &size);
	entry.key = key ? key : "";
	entry.content = content ? content : "";
	entry.bytes = (uint64_t)about.st_size;
	entry.used = about.st_mtim.tv_sec;
	seen(arg, &entry);
	free(key);
	free(content);
	close(file);
}

void clopt__store_walk(const struct store *store,
                       void (*seen)(void *arg, const struct stored *entry), void *arg)
{
	const int folder = open_folder(store, 0);
	DIR *dir = folder < 0 ? NULL : names_of(folder);
	char kind[STORE_KIND_SIZE];
	struct dirent *d;

	while (dir && (d = readdir(dir)))
		if (named(d->d_name, kind) == ENTRY)
			show(folder, d->d_name, kind, seen, arg);
	if (dir)
		closedir(dir);
	if (folder >= 0)
		close(folder);
}

int clopt__store_clear(const struct store *store)
{
	const int folder = open_folder(store, 0);
	DIR *dir = folder < 0 ? NULL : names_of(folder);
	char kind[STORE_KIND_SIZE];
	struct dirent *d;
	int failed = 0;

	while (dir && (d = readdir(dir)))
		if (named(d->d_name, kind) != NO_ENTRY && unlinkat(folder, d->d_name, 0) &&
		    errno != ENOENT)
			failed = errno;
	if (dir)
		closedir(dir);
	if (folder >= 0)
		close(folder);
	errno = failed;
	return failed ? -1 : 0;
}
