/* SPDX-License-Identifier: MIT */
/*
 * store.c - the store of entries on disk: a read returns the content written, or nothing.  No
 * OpenCL.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "folder.h"
#include "base/hash.h"
#include "base/store.h"
#include "suites.h"
#include "wrap.h"

#define PLENTY (1 << 20)

static char base[FOLDER_SIZE], path[2 * FOLDER_SIZE];
static struct store store;

static void setup(void)
{
	folder_make(base);
	ck_assert_int_eq(clopt__store_open(&store, base, PLENTY), 0);
}

static void teardown(void)
{
	clopt__store_close(&store);
	folder_remove(base);
}

static int put(const char *key, const char *text)
{
	return clopt__store_put(&store, "test", key, text, strlen(text));
}

/* Whether the entry exists; if so, its content must be this text. */
static int has(const char *key, const char *text)
{
	void *data;
	size_t size;
	const int found = clopt__store_get(&store, "test", key, &data, &size);

	ck_assert_int_eq(found, data != NULL);
	ck_assert(!found || (size == strlen(text) && !memcmp(data, text, size + 1)));
	free(data);
	return found;
}

/* The published values of FNV-1a, 128 bits. */
START_TEST(hashes)
{
	static const char *const known[][2] = {
		{ "", "6c62272e07bb014262b821756295c58d" },
		{ "a", "d228cb696f1a8caf78912b704e4a8964" },
		{ "foobar", "343e1662793c64bf6f0d3597ba446f18" },
	};
	struct hash h;
	char text[HASH_TEXT_SIZE];
	size_t i;

	for (i = 0; i < sizeof known / sizeof *known; i++) {
		h = clopt__hash_empty();
		clopt__hash_add(&h, known[i][0], strlen(known[i][0]));
		clopt__hash_text(&h, text);
		ck_assert_str_eq(text, known[i][1]);
	}
}
END_TEST

START_TEST(reads_what_was_written)
{
	void *data;
	size_t size;

	ck_assert(!has("key", ""));
	ck_assert(put("key", "content"));
	ck_assert(has("key", "content"));
	ck_assert(!has("another key", ""));
	ck_assert(put("", "of the empty key") && put("empty", ""));
	ck_assert(has("", "of the empty key") && has("empty", "") && has("key", "content"));
	ck_assert(put("key", "other content"));
	ck_assert(has("key", "other content"));
	ck_assert_uint_eq(folder_files(base, NULL), 3);
	ck_assert_msg(!clopt__store_get(&store, "other", "key", &data, &size) && !data,
	              "an entry is found under another kind");
	ck_assert_int_eq(clopt__store_clear(&store), 0);
	ck_assert(!has("key", ""));
	ck_assert_uint_eq(folder_files(base, NULL), 0);
}
END_TEST

/* An entry with any flipped bit or any other length is refused, and replaced. */
START_TEST(damaged_entries_are_refused)
{
	unsigned char *good;
	size_t size, i;
	int bit;

	ck_assert(put("key", "content"));
	ck_assert_uint_eq(folder_files(base, path), 1);
	good = file_read(path, &size);
	for (i = 0; i < size; i++)
		for (bit = 0; bit < 8; bit++) {
			good[i] ^= (unsigned char)(1 << bit);
			file_write(path, good, size);
			good[i] ^= (unsigned char)(1 << bit);
			ck_assert_msg(!has("key", ""), "bit %d of byte %zu is flipped: believed",
			              bit, i);
		}
	for (i = 0; i < size; i++) {
		file_write(path, good, i);
		ck_assert_msg(!has("key", ""), "believed when cut to %zu of %zu bytes", i, size);
	}
	good = realloc(good, size + 1);
	ck_assert_ptr_nonnull(good);
	good[size] = 0;
	file_write(path, good, size + 1);
	ck_assert_msg(!has("key", ""), "believed with a byte more at its end");
	free(good);
	ck_assert(put("key", "content") && has("key", "content"));
	ck_assert_uint_eq(folder_files(base, NULL), 1);
}
END_TEST

static void seen(void *arg, const struct stored *entry)
{
	*(size_t *)arg += !strcmp(entry->key, "key");
}

/* Each file operation and each allocation fails once, as on a full disk, the folder's making among
 * them: then there is a right entry, or none; and no file stays open. */
START_TEST(each_call_fails)
{
	const int lowest = dup(0);
	long n, failed = 1;
	int kept, next, code;
	void *data;
	size_t size, entries;

	close(lowest);
	for (n = 1; failed; n++) {
		clopt__store_clear(&store);
		ck_assert_int_eq(rmdir(base), 0);
		wrap_fail(n, 1);
		errno = 0;
		kept = put("key", "content");
		code = errno;
		failed = wrap_failed();
		wrap_fail(0, 0);
		ck_assert_msg(has("key", "content") || !kept, "call %ld: kept, and not there", n);
		ck_assert_msg(failed || kept, "nothing failed, and it is not kept");
		ck_assert_msg(kept || code, "call %ld: not kept, for no reason", n);
		wrap_fail(n, 1); /* no assertion until the limit is lifted: Check allocates */
		clopt__store_get(&store, "test", "key", &data, &size);
		failed |= wrap_failed();
		wrap_fail(0, 0);
		free(data);
		ck_assert(put("key", "content") && has("key", "content"));
		entries = 0;
		wrap_fail(n, 1);
		clopt__store_walk(&store, seen, &entries);
		failed |= wrap_failed();
		wrap_fail(0, 0);
		ck_assert_uint_le(entries, 1);
		next = dup(0);
		close(next);
		ck_assert_msg(next == lowest, "call %ld fails: a file stays open", n);
	}
	ck_assert_int_gt(n, 10);
}
END_TEST

/* Partial writes, and calls interrupted by signals. */
START_TEST(piece_by_piece)
{
	wrap_slow_files(1);
	ck_assert(put("key", "content of more than seven bytes"));
	ck_assert(has("key", "content of more than seven bytes"));
	wrap_slow_files(0);
}
END_TEST

/* A file that is no entry, a length beyond all memory, other owners. */
START_TEST(foreign)
{
	unsigned char *good;
	size_t size;
	int i;

	ck_assert(put("key", "content"));
	folder_files(base, path);
	good = file_read(path, &size);
	for (i = 0; i < 2; i++) { /* the lengths follow the magic and the format */
		memset(good + 16 + 8 * i, 0xff, 8);
		file_write(path, good, size);
		ck_assert(!has("key", ""));
	}
	free(good);
	remove(path);
	ck_assert_int_eq(symlink("/etc/passwd", path), 0);
	ck_assert(!has("key", "") && put("key", "content") && has("key", "content"));
	remove(path);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	ck_assert(!has("key", "") && put("key", "content") && has("key", "content"));
	if (geteuid() == 0) {
		ck_assert_int_eq(chown(path, 12345, 12345), 0);
		ck_assert_msg(!has("key", ""), "another user's file is believed");
		ck_assert(put("key", "content") && has("key", "content"));
	}
	remove(path);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	ck_assert(!has("key", "") && !put("key", "content") && !has("key", ""));
	ck_assert_uint_eq(folder_files(base, NULL), 1);
}
END_TEST

/* Who may write an entry could have their code run: such files and folders are not believed. */
START_TEST(writable_by_others)
{
	char link[2 * FOLDER_SIZE];
	unsigned i, who;

	for (i = 0; i < 2; i++)
		for (who = 02; who <= 020; who *= 8) {
			ck_assert(put("key", "content"));
			folder_files(base, path);
			ck_assert_int_eq(chmod(i ? base : path, (i ? 0700 : 0600) | who), 0);
			ck_assert_msg(!has("key", ""), "believed, mode %o", who);
			ck_assert_int_eq(put("key", "content"), !i);
			ck_assert_int_eq(has("key", "content"), !i);
			ck_assert_int_eq(chmod(base, 0700), 0);
			ck_assert(has("key", "content"));
		}
	snprintf(link, sizeof link, "%s/link", base);
	ck_assert_int_eq(symlink(base, link), 0);
	clopt__store_close(&store);
	ck_assert_int_eq(clopt__store_open(&store, link, PLENTY), 0);
	ck_assert_msg(!has("key", "") && !put("key", "content"), "a link is followed");
	if (geteuid() == 0) {
		remove(link);
		ck_assert_int_eq(mkdir(link, 0700), 0);
		ck_assert(put("key", "content") && has("key", "content"));
		ck_assert_int_eq(chown(link, 12345, 12345), 0);
		ck_assert_msg(!has("key", "") && !put("key", "x"), "another user's folder");
		folder_remove(link);
	}
}
END_TEST

/* The file of one key under the name of another, as if two keys had one hash. */
START_TEST(another_key)
{
	char other[2 * FOLDER_SIZE];
	unsigned char *data;
	size_t size;

	ck_assert(put("one", "content of one"));
	folder_files(base, path);
	data = file_read(path, &size);
	clopt__store_clear(&store);
	ck_assert(put("two", "content of two"));
	folder_files(base, other);
	file_write(other, data, size);
	free(data);
	ck_assert(!has("two", ""));
	ck_assert(put("two", "content of two") && has("two", "content of two"));
}
END_TEST

/* Where no file can be written, nothing is kept, and no call fails. */
START_TEST(keeps_nothing_without_a_folder)
{
	static const char *const folders[] = { "/proc/self", "/proc/self/none/there", "/dev/null",
		                               "/dev/null/folder", "" };
	struct store s;
	void *data;
	size_t i, size;

	for (i = 0; i < sizeof folders / sizeof *folders; i++) {
		ck_assert_int_eq(clopt__store_open(&s, folders[i], PLENTY), 0);
		ck_assert_msg(!clopt__store_put(&s, "test", "key", "x", 1), "%s", folders[i]);
		ck_assert(!clopt__store_get(&s, "test", "key", &data, &size) && !data);
		ck_assert_int_eq(clopt__store_clear(&s), 0);
		clopt__store_close(&s);
	}
	if (geteuid() != 0) { /* root may write anywhere */
		ck_assert(put("key", "content"));
		chmod(base, 0500);
		ck_assert(!put("other", "content") && has("key", "content"));
		ck_assert_int_ne(clopt__store_clear(&store), 0);
	}
}
END_TEST

/* The limit on file sizes would end the program with a signal. */
START_TEST(survives_file_size_limits)
{
	struct rlimit before, little;
	int failed, kept;

	getrlimit(RLIMIT_FSIZE, &before);
	little = before;
	little.rlim_cur = 100;
	failed = setrlimit(RLIMIT_FSIZE,
	                   &little); /* no assertion until the limit is lifted: Check writes */
	kept = put("key", "content that takes, with all that is round it, too much");
	setrlimit(RLIMIT_FSIZE, &before);
	ck_assert(!failed && !kept);
	ck_assert_uint_eq(folder_files(base, NULL), 0);
	ck_assert(put("key", "content"));
}
END_TEST

static void set_age(const char *file, time_t seconds)
{
	struct timespec times[2] = { { 0, 0 }, { 0, 0 } };

	times[0].tv_sec = times[1].tv_sec = time(NULL) - seconds;
	ck_assert_int_eq(utimensat(AT_FDCWD, file, times, 0), 0);
}

/* Ten entries fit.  Entries in use stay, whatever their age; files that are no entries stay,
 * too. */
START_TEST(removes_the_least_used)
{
	char key[32], content[1000], other[2 * FOLDER_SIZE];
	size_t bytes, size;
	int i;

	memset(content, 'x', sizeof content - 1);
	content[sizeof content - 1] = '\0';
	ck_assert(put("00", content));
	folder_files(base, path);
	free(file_read(path, &bytes));
	snprintf(other, sizeof other, "%s/program-of-the-user", base);
	file_write(other, content, sizeof content);
	store.most_bytes = 10 * bytes;
	for (i = 1; i < 30; i++) {
		struct timespec moment = { 0, 5000000 };

		nanosleep(&moment, NULL); /* the resolution of times of some file systems */
		snprintf(key, sizeof key, "%02d", i);
		ck_assert(put(key, content));
		ck_assert_msg(has("00", content), "what was just used went first, at %d", i);
	}
	ck_assert_uint_eq(folder_files(base, NULL), 10 + 1);
	ck_assert(has("29", content) && has("22", content) && !has("15", content));
	store.most_bytes = bytes - 1;
	ck_assert_msg(!put("99", content), "one that is larger than all there may be");
	free(file_read(other, &size));
	ck_assert_int_eq(clopt__store_clear(&store), 0);
	ck_assert_uint_eq(folder_files(base, NULL), 1);
}
END_TEST

/* The files of a killed process are removed when they are old, and not before. */
START_TEST(removes_old_temporary_files)
{
	char left[2 * FOLDER_SIZE + 8];

	ck_assert(put("key", "content"));
	folder_files(base, path);
	snprintf(left, sizeof left, "%s.7.0", path);
	file_write(left, "half", 4);
	ck_assert(put("other", "content"));
	ck_assert_uint_eq(folder_files(base, NULL), 3);
	set_age(left, 86400);
	ck_assert(put("other", "content"));
	ck_assert_uint_eq(folder_files(base, NULL), 2);
}
END_TEST

/* A process with the same number, in another container, writes the same entry. */
START_TEST(processes_with_the_same_number)
{
	char theirs[2 * FOLDER_SIZE + 32];

	ck_assert(put("key", "content"));
	folder_files(base, path);
	snprintf(theirs, sizeof theirs, "%s.%ld.0", path, (long)getpid());
	file_write(theirs, "half", 4);
	ck_assert(put("key", "new content") && has("key", "new content"));
	ck_assert_uint_eq(folder_files(base, NULL), 2);
}
END_TEST

SUITE(store, quick)
{
	tcase_add_checked_fixture(c, setup, teardown);
	tcase_add_test(c, hashes);
	tcase_add_test(c, reads_what_was_written);
	tcase_add_test(c, damaged_entries_are_refused);
	tcase_add_test(c, each_call_fails);
	tcase_add_test(c, piece_by_piece);
	tcase_add_test(c, foreign);
	tcase_add_test(c, writable_by_others);
	tcase_add_test(c, another_key);
	tcase_add_test(c, keeps_nothing_without_a_folder);
	tcase_add_test(c, survives_file_size_limits);
	tcase_add_test(c, removes_the_least_used);
	tcase_add_test(c, removes_old_temporary_files);
	tcase_add_test(c, processes_with_the_same_number);
}
