/* SPDX-License-Identifier: MIT */
/*
 * first_choice.c - comparing variants at the first call without a record, and keeping the result.
 * No test here says which is fast.
 */
#include <string.h>

#include "folder.h"
#include "base/context.h"
#include "base/store.h"
#include "table/table.h"
#include "suites.h"
#include "wrap.h"

static struct clopt_problem product(size_t m, size_t n, size_t k)
{
	const struct clopt_problem p = {
		.size = sizeof p, .op = CLOPT_OP_MATMUL, .dim = { m, n, k }, .elem_bytes = 4
	};

	return p;
}

/* Entries of a kind in the cache. */
static size_t kept(const struct clopt_options *o, const char *kind)
{
	struct clopt_cache_entry list[64];
	size_t i, n, found = 0;

	for (i = 0; i < 64; i++)
		list[i].size = sizeof list[i];
	CHECK_OK(NULL, clopt_cache_list(o, list, 64, &n));
	for (i = 0; i < n && i < 64; i++)
		found += (size_t)!strcmp(list[i].kind, kind);
	return found;
}

/* Commands of warm-up runs. */
#define FEW 4

/* Seconds for comparing the rows, of which a busy machine needs most for compiling them. */
#define ENOUGH 60

/* Changes the kept build times to 1000 seconds. */
static void build_slowly(void *store, const struct stored *entry)
{
	if (!strcmp(entry->kind, "build"))
		ck_assert(clopt__store_put(store, "build", entry->key, "1000000000000", 13));
}

/* With other kernels, or another method of timing, variants are compared again. */
static void of_this_library(void *arg, const struct stored *entry)
{
	(void)arg;
	if (!strcmp(entry->kind, "choice") || !strcmp(entry->kind, "build"))
		ck_assert_msg(strstr(entry->key, clopt__digest) != NULL, "%s", entry->key);
}

START_TEST(first_choice)
{
	struct clopt_problem p = product(160, 160, 160), small = product(40, 40, 40);
	struct clopt_options options = CLOPT_OPTIONS_INIT;
	char text[8192], folder[FOLDER_SIZE];
	struct clopt_report r = { .size = sizeof r };
	struct store store;
	struct clopt *ctx;
	size_t shipped;

	folder_make(folder);
	options.tuning = "0";
	options.cache_dir = folder;
	/* The driver has compiled the table's choice, so that there is time to compare it, also on
	 * a busy machine. */
	options.tune_seconds = -1;
	ctx = test_open(&options);
	CHECK_OK(ctx, clopt_prepare(ctx, &p));
	test_close(ctx);
	CHECK_OK(NULL, clopt_cache_clear(&options));
	options.tune_seconds = ENOUGH;
	ctx = test_open(&options);
	shipped = clopt_tuning_records(ctx, NULL, 0);
	wrap_commands();
	CHECK_OK(ctx, clopt_explain(ctx, &p, text, sizeof text)); /* a query times nothing */
	ck_assert_ptr_nonnull(strstr(text, "the first call compares"));
	ck_assert_int_eq(wrap_commands(), 0);
	CHECK_OK(ctx, clopt_prepare(ctx, &small));
	ck_assert_int_le(wrap_commands(), FEW);
	CHECK_OK(ctx, clopt_prepare(ctx, &p));
	ck_assert_int_gt(wrap_commands(), 5 * FEW); /* a slow device runs few rounds in the time */
	ck_assert_uint_eq(kept(&options, "choice"), 1);
	CHECK_OK(ctx, clopt_prepare(ctx, &p)); /* known by now */
	ck_assert_int_le(wrap_commands(), FEW);
	CHECK_OK(ctx, clopt_explain(ctx, &p, text, sizeof text));
	ck_assert_ptr_nonnull(strstr(text, "a first, quick comparison"));
	ck_assert_uint_eq(clopt_tuning_records(ctx, NULL, 0), shipped);
	test_close(ctx);

	ctx = test_open(&options); /* as in another process */
	CHECK_OK(ctx, clopt_prepare(ctx, &p));
	ck_assert_int_le(wrap_commands(), FEW);
	CHECK_OK(ctx, clopt_explain(ctx, &p, text, sizeof text));
	ck_assert_ptr_nonnull(strstr(text, "a first, quick comparison"));
	test_close(ctx);

	/* Time for the table's choice only: this is kept, too, until there is more time. */
	options.tune_seconds = 1e-6;
	p.dim[2] = 1000;
	ctx = test_open(&options);
	CHECK_OK(ctx, clopt_prepare(ctx, &p));
	ck_assert_uint_eq(kept(&options, "choice"), 2);
	test_close(ctx);
	options.tune_seconds = 1.5e-6;
	ctx = test_open(&options);
	wrap_commands();
	CHECK_OK(ctx, clopt_prepare(ctx, &p));
	ck_assert_int_le(wrap_commands(), FEW);
	test_close(ctx);
	options.tune_seconds = ENOUGH;
	ctx = test_open(&options);
	CHECK_OK(ctx, clopt_prepare(ctx, &p));
	ck_assert_int_gt(wrap_commands(), 2 * FEW);
	test_close(ctx);

	/* The table's choice is in the cache and loads at once, and says nothing of another's build
	 * time: that was kept, too, and here it is long. */
	ck_assert_uint_eq(kept(&options, "build"), 1);
	ck_assert_int_eq(clopt__store_open(&store, folder, 1 << 30), 0);
	clopt__store_walk(&store, of_this_library, NULL);
	clopt__store_walk(&store, build_slowly, &store);
	clopt__store_close(&store);
	p.dim[2] = 400;
	ctx = test_open(&options);
	CHECK_OK(ctx, clopt_prepare(ctx, &p));
	CHECK_OK(ctx, clopt_last_report(ctx, &r));
	ck_assert_uint_eq(r.kernels_loaded + r.kernels_compiled, 1);
	test_close(ctx);
	options.tune_seconds = -1;
	ctx = test_open(&options);
	wrap_commands();
	CHECK_OK(ctx, clopt_prepare(ctx, &p));
	ck_assert_int_le(wrap_commands(), FEW);
	test_close(ctx);
	folder_remove(folder);
}
END_TEST

SUITE(first_choice, quick)
{
	tcase_add_test(c, first_choice);
}
