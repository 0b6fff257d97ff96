/* SPDX-License-Identifier: MIT */
/*
 * cache.c - `clopt cache': the compiled kernels that are kept on disk.
 */
#include "../tool/tool.h"

#include <stdlib.h>
#include <time.h>

/* What is kept, and where. */
struct kept {
	char folder[4096];
	struct clopt_cached *list;
	size_t n;
	double bytes;
};

int tool_kept(struct clopt_cached **list, size_t *n)
{
	size_t i, have;

	*list = NULL;
	*n = 0;
	if (clopt_cache_list(NULL, NULL, 0, &have) != CLOPT_OK)
		return tool_fail(NULL, "cache");
	*list = calloc(have + 1, sizeof **list);
	if (!*list) {
		fprintf(stderr, "clopt: out of memory\n");
		return 1;
	}
	for (i = 0; i < have; i++)
		(*list)[i].size = sizeof **list;
	if (clopt_cache_list(NULL, *list, have, n) != CLOPT_OK)
		return tool_fail(NULL, "cache");
	*n = *n < have ? *n : have; /* another process may add some */
	return 0;
}

void tool_struck_out(const struct clopt_cached *list, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (list[i].wrong[0])
			printf("struck out  %s (%s): %s; clopt cache clear forgets it\n",
			       list[i].what, list[i].driver, list[i].wrong);
}

json_t *tool_struck_out_json(const struct clopt_cached *list, size_t n)
{
	json_t *rows = json_array();
	size_t i;

	for (i = 0; i < n; i++)
		if (list[i].wrong[0])
			json_array_append_new(rows,
			                      json_pack("{s:o, s:o, s:o}", "what",
			                                tool_json_text(list[i].what), "driver",
			                                tool_json_text(list[i].driver), "wrong",
			                                tool_json_text(list[i].wrong)));
	return rows;
}

static int find_kept(struct kept *k)
{
	size_t i;

	k->list = NULL;
	k->bytes = 0;
	if (clopt_cache_folder(NULL, k->folder, sizeof k->folder) != CLOPT_OK)
		return tool_fail(NULL, "cache");
	if (tool_kept(&k->list, &k->n))
		return 1;
	for (i = 0; i < k->n; i++)
		k->bytes += (double)k->list[i].bytes;
	return 0;
}

static const char *when(int64_t used, char *text, size_t size)
{
	const time_t t = (time_t)used;
	struct tm local;

	if (!localtime_r(&t, &local) || !strftime(text, size, "%Y-%m-%d %H:%M", &local))
		snprintf(text, size, "%lld", (long long)used);
	return text;
}

static void print_list(const struct kept *k)
{
	struct tool_table t = { .columns = 4, .align = "lrll" };
	char text[64];
	size_t i;

	tool_table_add(&t, "kind");
	tool_table_add(&t, "bytes");
	tool_table_add(&t, "last used");
	tool_table_add(&t, "what");
	for (i = 0; i < k->n; i++) {
		tool_table_add(&t, "%s", k->list[i].kind);
		tool_table_add(&t, "%llu", (unsigned long long)k->list[i].bytes);
		tool_table_add(&t, "%s", when(k->list[i].used, text, sizeof text));
		tool_table_add(&t, "%s%s", k->list[i].wrong[0] ? "WRONG: " : "",
		               k->list[i].what[0] ? k->list[i].what : "(damaged)");
	}
	tool_table_print(&t, stdout);
	tool_table_clear(&t);
}

static json_t *json_list(const struct kept *k)
{
	json_t *rows = json_array();
	size_t i;

	for (i = 0; i < k->n; i++)
		json_array_append_new(rows, json_pack("{s:o, s:o, s:I, s:I, s:o, s:o}", "kind",
		                                      tool_json_text(k->list[i].kind), "what",
		                                      tool_json_text(k->list[i].what), "bytes",
		                                      (json_int_t)k->list[i].bytes, "used",
		                                      (json_int_t)k->list[i].used, "wrong",
		                                      tool_json_text(k->list[i].wrong), "driver",
		                                      tool_json_text(k->list[i].driver)));
	return rows;
}

/* list: each of them; cleared: they have been removed. */
static int show(const struct tool_args *args, const struct kept *k, int list, int cleared)
{
	if (args->json)
		return tool_json_print(
		        json_pack("{s:o, s:I, s:o, s:b, s:o}", "folder",
		                  k->folder[0] ? tool_json_text(k->folder) : json_null(), "entries",
		                  (json_int_t)k->n, "bytes", tool_json_real(k->bytes), "cleared",
		                  cleared, "list", list ? json_list(k) : json_null()));
	if (list && k->n)
		print_list(k);
	if (!k->folder[0])
		printf("no folder: nothing is kept\n");
	else
		printf("%s: %zu files%s, %.1f MiB\n", k->folder, k->n, cleared ? " removed" : "",
		       k->bytes / (1024.0 * 1024.0));
	return 0;
}

static int look(const struct tool_args *args, int list, int clear)
{
	struct kept k;
	int rc = find_kept(&k);

	if (!rc && clear && clopt_cache_clear(NULL) != CLOPT_OK)
		rc = tool_fail(NULL, "cache clear");
	if (!rc)
		rc = show(args, &k, list, clear);
	free(k.list);
	return rc;
}

int tool_cache(const struct tool_args *args)
{
	return look(args, 0, 0);
}

int tool_cache_list(const struct tool_args *args)
{
	return look(args, 1, 0);
}

int tool_cache_clear(const struct tool_args *args)
{
	return look(args, 0, 1);
}
