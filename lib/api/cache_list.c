/* SPDX-License-Identifier: MIT */
/*
 * cache_list.c - the public view of the store: its folder, its entries, and removing them.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/numbers.h"
#include "../device/device.h"
#include "../verify/verify.h"
#include "api.h"

struct found {
	struct clopt_cache_entry *list;
	size_t count, room;
	int failed; /* memory ran out */
};

/* The first line of a key is for people.  If the entry depends on a driver, the second names it. */
static void describe(const struct stored *entry, struct clopt_cache_entry *c)
{
	const char *why = clopt__found_wrong(entry->kind, entry->content);
	const size_t n = strcspn(entry->key, "\n");
	const char *driver = entry->key + n + (entry->key[n] == '\n');

	memset(c, 0, sizeof *c);
	snprintf(c->kind, sizeof c->kind, "%s", entry->kind);
	snprintf(c->what, sizeof c->what, "%.*s", (int)n, entry->key);
	c->bytes = entry->bytes;
	c->used = entry->used;
	if (why) {
		snprintf(c->driver, sizeof c->driver, "%.*s", (int)strcspn(driver, "\n"), driver);
		snprintf(c->wrong, sizeof c->wrong, "%s", why);
	}
}

static void add(void *arg, const struct stored *entry)
{
	struct found *f = arg;
	struct clopt_cache_entry *c = NULL;

	if (!f->failed)
		c = clopt__room(f->list, f->count, &f->room, sizeof *c);
	f->failed = !c;
	if (!c)
		return;
	f->list = c;
	describe(entry, &c[f->count++]);
}

/* The folder of the entries; it need not exist. */
static int trusted_store(const struct clopt_options *options, struct store *store)
{
	const int rc = clopt__store_of(options, store);
	const char *why = rc == CLOPT_OK ? clopt__store_refused(store) : NULL;

	return why ? clopt__fail(NULL, CLOPT_EIO, "the cache %s is not used: %s", store->folder,
	                         why) :
	             rc;
}

static int later_first(const void *a, const void *b)
{
	const struct clopt_cache_entry *x = a, *y = b;

	return x->used != y->used ? (x->used < y->used ? 1 : -1) : strcmp(x->what, y->what);
}

int clopt_cache_list(const struct clopt_options *options, struct clopt_cache_entry *list,
                     size_t max, size_t *count)
{
	struct found f = { NULL, 0, 0, 0 };
	struct store store = { NULL, 0 };
	size_t i;
	int rc = CLOPT_OK;

	clopt__caller_hold();
	TRY(clopt__list_begin(__func__, "clopt_cache_entry", list, max, count));
	TRY(trusted_store(options, &store));
	clopt__store_walk(&store, add, &f);
	if (f.failed)
		TRY(clopt__fail(NULL, CLOPT_ENOMEM, "no memory to list the cache %s",
		                store.folder));
	if (f.count)
		qsort(f.list, f.count, sizeof *f.list, later_first);
	for (i = 0; i < f.count && i < max; i++)
		clopt__sized_entry(list, i, &f.list[i], sizeof *list);
	*count = f.count;
out:
	free(f.list);
	clopt__store_close(&store);
	clopt__caller_back();
	return rc;
}

int clopt_cache_clear(const struct clopt_options *options)
{
	struct store store = { NULL, 0 };
	int rc = CLOPT_OK;

	clopt__caller_hold();
	TRY(trusted_store(options, &store));
	if (clopt__store_clear(&store))
		rc = clopt__fail(NULL, CLOPT_EIO, "the files of the cache %s cannot be removed: %s",
		                 store.folder, strerror(errno));
out:
	clopt__store_close(&store);
	clopt__caller_back();
	return rc;
}

int clopt_cache_folder(const struct clopt_options *options, char *text, size_t size)
{
	struct store store = { NULL, 0 };
	int rc = CLOPT_OK;

	if (!text || !size)
		return clopt__fail(NULL, CLOPT_EINVAL,
		                   "clopt_cache_folder: text is NULL or size is 0");
	text[0] = '\0';
	TRY(clopt__store_of(options, &store));
	snprintf(text, size, "%s", store.folder ? store.folder : "");
out:
	clopt__store_close(&store);
	return rc;
}
