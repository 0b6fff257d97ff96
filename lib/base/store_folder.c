/* SPDX-License-Identifier: MIT */
/*
 * store_folder.c - the folder of a store, and all of its entries at once.
 *
 * Somebody may name a folder with other things in it, so only files that are called
 * as entries are, or as what becomes one, are ever looked at.
 */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L /* fdopendir and its like, also under -std=c99 */
#endif
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "store.h"

/* Writing an entry takes milliseconds.  What is older is a killed process's. */
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

/* Make what is missing on the way to the folder.  Those there are say EEXIST, or that
 * they cannot be written to; what matters is whether it opens afterwards. */
static void make_folders(const char *folder)
{
	char *path = malloc(strlen(folder) + 1), *at;

	if (!path)
		return;
	strcpy(path, folder);
	for (at = path + 1; (at = strchr(at, '/')); at++) {
		*at = '\0';
		mkdir(path, 0700);
		*at = '/';
	}
	mkdir(path, 0700);
	free(path);
}

int clopt__store_folder(const struct store *store, int make)
{
	int folder;

	if (!store->folder)
		return -1;
	folder = open(store->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (folder < 0 && errno == ENOENT && make) {
		make_folders(store->folder);
		folder = open(store->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	}
	return folder;
}

enum named {
	NO_ENTRY,
	ENTRY,
	TEMPORARY /* of one */
};

/* What the name of a file says: kind-DIGITS.clopt, with more behind if it is temporary.
 * kind, if not NULL, gets its kind. */
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

/* To read the names in it from the start; folder stays open. */
static DIR *names_of(int folder)
{
	const int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = again < 0 ? NULL : fdopendir(again);

	if (!dir && again >= 0)
		close(again);
	return dir;
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
	struct file *f;

	if (files->count == files->room) {
		const size_t room = files->room ? 2 * files->room : 64;

		f = realloc(files->list, room * sizeof *f);
		if (!f)
			return -1;
		files->list = f;
		files->room = room;
	}
	f = &files->list[files->count++];
	strcpy(f->name, name);
	f->used = about->st_mtim;
	f->bytes = (uint64_t)about->st_size;
	files->bytes += f->bytes;
	return 0;
}

/* All entries; stale temporaries are removed on the way. */
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

void clopt__store_shrink(int folder, uint64_t most_bytes)
{
	struct files files = { NULL, 0, 0, 0 };
	size_t i;

	find_files(folder, &files);
	if (files.bytes > most_bytes)
		qsort(files.list, files.count, sizeof *files.list, later);
	/* Another process may be at the same: what is gone already was counted here. */
	for (i = 0; i < files.count && files.bytes > most_bytes; i++)
		if (!unlinkat(folder, files.list[i].name, 0) || errno == ENOENT)
			files.bytes -= files.list[i].bytes;
	free(files.list);
}

/* ---- All of them -------------------------------------------------------------- */

static void show(int folder, const char *name, const char *kind,
                 void (*seen)(void *arg, const struct stored *entry), void *arg)
{
	struct stored entry = { .kind = kind };
	struct stat about;
	const int file = clopt__store_file(folder, name, &about);
	void *content = NULL;
	size_t size;
	char *key;

	if (file < 0)
		return;
	key = clopt__store_read(file, &about, kind, &content, &size);
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
	const int folder = clopt__store_folder(store, 0);
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
	const int folder = clopt__store_folder(store, 0);
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
