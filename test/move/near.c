/* SPDX-License-Identifier: MIT */
/*
 * near.c - threads near a device: what Linux says of it is read from folders of the test's own.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* sched_getaffinity */
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/context.h"
#include "base/near.h"
#include "folder.h"
#include "suites.h"
#include "wrap.h"

#ifdef __linux__
#include <sched.h>

#define ADDRESS "0000:1b:00.0"

static void make_device(char devices[FOLDER_SIZE])
{
	char path[2 * FOLDER_SIZE];

	folder_make(devices);
	snprintf(path, sizeof path, "%s/" ADDRESS, devices);
	ck_assert_int_eq(mkdir(path, 0700), 0);
}

/* devices/ADDRESS/local_cpulist has this text. */
static void write_list(const char *devices, const char *text)
{
	char path[2 * FOLDER_SIZE];

	snprintf(path, sizeof path, "%s/" ADDRESS "/local_cpulist", devices);
	file_write(path, text, strlen(text));
}

/* A thread that is to move, and where it may run then. */
struct mover {
	const char *devices, *pci;
	cpu_set_t set;
	int moved;
};

static void *move(void *argument)
{
	struct mover *m = argument;

	m->moved = clopt__move_near(m->devices, m->pci);
	sched_getaffinity(0, sizeof m->set, &m->set);
	return NULL;
}

static struct mover moved(const char *devices, const char *pci)
{
	struct mover m = { .devices = devices, .pci = pci };

	test_in_threads(move, &m, sizeof m, 1);
	return m;
}

/* The first and the last processor that this process may use; whether there are two. */
static int find_ends(int *first, int *last)
{
	cpu_set_t all;
	int i;

	ck_assert_int_eq(sched_getaffinity(0, sizeof all, &all), 0);
	for (i = 0, *first = -1; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &all)) {
			*first = *first < 0 ? i : *first;
			*last = i;
		}
	return *first < *last;
}

/* Lists with some of the processors move a thread to these. */
START_TEST(some)
{
	/* Of the first and the last processor. */
	static const char *const formats[] = { "%d\n", "%d", "%d,1023\n", "%d-%d\n",
		                               "1000-1023,%d-%d" };
	char devices[FOLDER_SIZE], text[64];
	struct mover m;
	int first, last, i;

	if (!find_ends(&first, &last)) {
		printf("near: skipped, since there is one processor\n");
		return;
	}
	make_device(devices);
	for (i = 0; i < 5; i++) {
		snprintf(text, sizeof text, formats[i], last, last);
		write_list(devices, text);
		m = moved(devices, ADDRESS);
		ck_assert_msg(m.moved && CPU_COUNT(&m.set) == 1 && CPU_ISSET(last, &m.set),
		              "\"%s\"", text);
		ck_assert(!moved(devices, "").moved && !moved(devices, "0000:1c:00.0").moved);
	}
	folder_remove(devices);
}
END_TEST

/* Lists with all processors or none, texts that are no lists, and no list. */
START_TEST(none)
{
	static const char *const texts[] = { "0-1023\n", "1023\n",
		                             "",         "\n",
		                             "x",        "-1\n",
		                             "0-",       "0-\n",
		                             "0,\n",     ",0\n",
		                             "0,,1\n",   "0 1\n",
		                             "0-0-0\n",  "1-0\n",
		                             "0-x\n",    "0x1\n",
		                             "+0\n",     "0\n\n",
		                             "0;1\n",    "0-1024\n",
		                             "0,1024\n", "0,99999999999999999999999\n" };
	char devices[FOLDER_SIZE];
	struct mover m;
	cpu_set_t all;
	size_t i;

	ck_assert_int_eq(sched_getaffinity(0, sizeof all, &all), 0);
	make_device(devices);
	ck_assert(!moved(devices, ADDRESS).moved);
	for (i = 0; i < sizeof texts / sizeof *texts; i++) {
		if (i == 1 && CPU_ISSET(1023, &all))
			continue;
		write_list(devices, texts[i]);
		m = moved(devices, ADDRESS);
		ck_assert_msg(!m.moved && CPU_EQUAL(&m.set, &all), "\"%s\"", texts[i]);
	}
	folder_remove(devices);
}
END_TEST

/* The copying threads of two members move, those of a context that is alone stay. */
START_TEST(copies)
{
	enum {
		SIDE = 1500
	};
	static float in[SIDE * SIDE], out[SIDE * SIDE];
	struct clopt_options o = CLOPT_OPTIONS_INIT;
	struct clopt *member[2], *ctx;
	char devices[FOLDER_SIZE], text[64];
	int first, last, i, joined;

	if (!find_ends(&first, &last) || !test_can_stage("near"))
		return;
	make_device(devices);
	snprintf(text, sizeof text, "%d\n", last);
	write_list(devices, text);
	wrap_pci(devices);
	wrap_moved();
	o.transfer = CLOPT_TRANSFER_STAGED;
	o.copy_threads = 2;
	o.share = CLOPT_SHARE_EVERY;
	for (joined = 0; joined < 2; joined++) {
		for (i = 0; i <= joined; i++) {
			member[i] = test_open(&o);
			strcpy(member[i]->device.info.pci, ADDRESS);
		}
		CHECK_OK(NULL, clopt_join(&ctx, member, (size_t)joined + 1));
		CHECK_OK(ctx, clopt_transpose(ctx, SIDE, SIDE, sizeof *in, in, SIDE, out, SIDE));
		test_close(ctx); /* waits for the threads */
		i = wrap_moved();
		ck_assert_msg(joined ? i > 0 : i == 0, "%d moved", i);
	}
	wrap_pci(NULL);
	folder_remove(devices);
}
END_TEST
#endif

SUITE(near, long)
{
#ifdef __linux__
	tcase_add_test(c, some);
	tcase_add_test(c, none);
	tcase_add_test(c, copies);
#endif
}
