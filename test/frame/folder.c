/* SPDX-License-Identifier: MIT */
/*
 * folder.c - temporary folders and files.
 */
#include <check.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "folder.h"

void folder_make(char path[FOLDER_SIZE])
{
	const char *where = getenv("TMPDIR");

	snprintf(path, FOLDER_SIZE, "%s/clopt-test-XXXXXX", where && *where ? where : "/tmp");
	ck_assert_ptr_nonnull(mkdtemp(path));
}

/* Calls `run` with the path of each entry of the folder. */
static void each(const char *path, void (*run)(const char *path, void *arg), void *arg)
{
	DIR *dir = opendir(path);
	struct dirent *d;
	char name[2 * FOLDER_SIZE];

	while (dir && (d = readdir(dir))) {
		if (!strcmp(d->d_name, ".") || !strcmp(d->d_name, ".."))
			continue;
		ck_assert_int_lt(snprintf(name, sizeof name, "%s/%s", path, d->d_name),
		                 (int)sizeof name);
		run(name, arg);
	}
	if (dir)
		closedir(dir);
}

static void remove_all(const char *path, void *arg)
{
	struct stat about;

	if (lstat(path, &about))
		return;
	if (S_ISDIR(about.st_mode)) {
		chmod(path, 0700);
		each(path, remove_all, NULL);
	}
	remove(path);
}

const char *folder_at(const char *folder, const char *name)
{
	static char path[8][FOLDER_SIZE + 32];
	static int i;

	i = (i + 1) % 8;
	snprintf(path[i], sizeof path[i], "%s/%s", folder, name);
	return path[i];
}

void folder_remove(const char *path)
{
	remove_all(path, NULL);
}

struct count {
	size_t files;
	char *name;
};

static void count_one(const char *path, void *arg)
{
	struct count *c = arg;

	c->files++;
	if (c->name)
		strcpy(c->name, path);
}

size_t folder_files(const char *path, char name[2 * FOLDER_SIZE])
{
	struct count c = { 0, name };

	each(path, count_one, &c);
	return c.files;
}

unsigned char *file_read(const char *path, size_t *size)
{
	FILE *f = fopen(path, "rb");
	struct stat about;
	unsigned char *data;

	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(fstat(fileno(f), &about), 0);
	*size = (size_t)about.st_size;
	data = malloc(*size + 1);
	ck_assert_ptr_nonnull(data);
	ck_assert_uint_eq(fread(data, 1, *size, f), *size);
	fclose(f);
	return data;
}

void file_write(const char *path, const void *data, size_t size)
{
	FILE *f = fopen(path, "wb");

	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(data, 1, size, f), size);
	ck_assert_int_eq(fclose(f), 0);
}
