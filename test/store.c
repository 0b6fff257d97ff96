/* SPDX-License-Identifier: MIT */
/*
 * store.c - the folder of entries that outlives a process: what is got is what was
 * put, or nothing.  No OpenCL.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "folder.h"
#include "store.h"
#include "suites.h"

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

/* Whether the entry is there; then it is this text. */
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

START_TEST(there_and_back)
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

/* Each bit flipped, each length: never believed, and replaced. */
START_TEST(spoilt)
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

TCase *store_case(void)
{
	TCase *c = tcase_create("store");

	tcase_add_checked_fixture(c, setup, teardown);
	tcase_add_test(c, hashes);
	tcase_add_test(c, there_and_back);
	tcase_add_test(c, spoilt);
	return c;
}
