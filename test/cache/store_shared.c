/* SPDX-License-Identifier: MIT */
/*
 * store_shared.c - the store on disk, written by several processes at a time, some of which are
 * killed.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "folder.h"
#include "base/store.h"
#include "suites.h"

static char base[FOLDER_SIZE];
static struct store store;

static void setup(void)
{
	folder_make(base);
	ck_assert_int_eq(clopt__store_open(&store, base, 100 << 20), 0);
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

#define KEYS 20

/* The content that a writer gives a key: long, and all of one letter. */
static void content_of(int writer, char *text, size_t size)
{
	memset(text, 'a' + writer % 26, size - 1);
	text[size - 1] = '\0';
}

static void write_for_ever(int writer)
{
	static char text[300000];
	char key[32];
	int i;

	content_of(writer, text, sizeof text);
	for (i = 0;; i++) {
		snprintf(key, sizeof key, "%d", i % KEYS);
		put(key, text);
	}
}

/* The number of keys that are present; each must be whole and by one writer. */
static int whole(void)
{
	int i, found = 0;
	char key[32], *text;
	void *data;
	size_t size;

	for (i = 0; i < KEYS; i++) {
		snprintf(key, sizeof key, "%d", i);
		if (!clopt__store_get(&store, "test", key, &data, &size))
			continue;
		text = data;
		ck_assert_uint_eq(size, 300000 - 1);
		ck_assert_msg(!memcmp(text, text + 1, size - 1), "key %d is of two writers", i);
		free(data);
		found++;
	}
	return found;
}

/* Writers are killed at any moment, 50 times; the first once there is an entry. */
START_TEST(killed_writers)
{
	struct timespec moment = { 0, 0 };
	unsigned seed = 1;
	pid_t child;
	int i;

	for (i = 0; i < 50; i++) {
		child = fork();
		ck_assert_int_ge(child, 0);
		if (child == 0) {
			write_for_ever(i);
			_exit(1);
		}
		seed = seed * 1103515245 + 12345;
		moment.tv_nsec = 1000000 + (long)(seed >> 8) % 9000000;
		do
			nanosleep(&moment, NULL);
		while (i == 0 && whole() == 0);
		kill(child, SIGKILL);
		ck_assert_int_eq(waitpid(child, NULL, 0), child);
		ck_assert_int_gt(whole(), 0);
	}
}
END_TEST

/* Eight writers, and one reader. */
START_TEST(concurrent_writers)
{
	pid_t child[8];
	int i;

	for (i = 0; i < 8; i++) {
		child[i] = fork();
		ck_assert_int_ge(child[i], 0);
		if (child[i] == 0)
			write_for_ever(i);
	}
	while (whole() < KEYS) {
		struct timespec moment = { 0, 20000000 };

		nanosleep(&moment, NULL);
	}
	for (i = 0; i < 20; i++)
		whole();
	for (i = 0; i < 8; i++) {
		kill(child[i], SIGKILL);
		ck_assert_int_eq(waitpid(child[i], NULL, 0), child[i]);
	}
	ck_assert_int_eq(whole(), KEYS);
}
END_TEST

SUITE(store_shared, quick)
{
	tcase_add_checked_fixture(c, setup, teardown);
	tcase_add_test(c, killed_writers);
	tcase_add_test(c, concurrent_writers);
}
