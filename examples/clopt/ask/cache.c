/* SPDX-License-Identifier: MIT */
/*
 * cache.c - `clopt cache': compiled kernels on disk.
 */
#include "ask.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

json_t *ask_kept(double *bytes)
{
	struct clopt_cache_entry *list = NULL;
	json_t *rows = NULL;
	size_t i, have, n = 0;
	int failed = clopt_cache_list(NULL, NULL, 0, &have) != CLOPT_OK;

	if (!failed && !(list = calloc(have + 1, sizeof *list))) {
		tool_no_memory();
		return NULL;
	}
	for (i = 0; !failed && i < have; i++)
		list[i].size = sizeof *list;
	if (failed || clopt_cache_list(NULL, list, have, &n) != CLOPT_OK) {
		tool_fail(NULL, "cache");
		goto out;
	}
	rows = json_array();
	*bytes = 0.0;
	for (i = 0; i < n && i < have; i++) { /* another process may add some */
		*bytes += (double)list[i].bytes;
		json_array_append_new(rows, json_pack("{s:o, s:o, s:I, s:I, s:o, s:o}", "kind",
		                                      tool_json_text(list[i].kind), "what",
		                                      tool_json_text(list[i].what), "bytes",
		                                      (json_int_t)list[i].bytes, "used",
		                                      (json_int_t)list[i].used, "wrong",
		                                      tool_json_text(list[i].wrong), "driver",
		                                      tool_json_text(list[i].driver)));
	}
out:
	free(list);
	return rows;
}

static const char *member(const json_t *row, const char *key)
{
	return json_string_value(json_object_get(row, key));
}

json_t *ask_struck_out(const json_t *kept)
{
	json_t *rows = json_array(), *row;
	size_t i;

	json_array_foreach(kept, i, row)
	{
		if (*member(row, "wrong"))
			json_array_append_new(rows, json_pack("{s:s, s:s, s:s}", "what",
			                                      member(row, "what"), "driver",
			                                      member(row, "driver"), "wrong",
			                                      member(row, "wrong")));
	}
	return rows;
}

void ask_print_struck_out(FILE *f, const json_t *kept)
{
	json_t *row;
	size_t i;

	json_array_foreach(kept, i, row)
	{
		if (*member(row, "wrong"))
			fprintf(f,
			        "wrong       %s (%s): %s; clopt cache clear allows another try\n",
			        member(row, "what"), member(row, "driver"), member(row, "wrong"));
	}
}

static void print_list(const json_t *kept)
{
	static const struct tool_column columns[] = {
		TOOL_TEXT("kind", "kind"),
		TOOL_NUMBER("bytes", "bytes", "%.0f", 1),
		TOOL_TEXT("last used", "when"),
		TOOL_TEXT_OR("what", "wrong what", "(damaged)"),
		TOOL_END,
	};
	json_t *rows = json_deep_copy(kept), *row;
	char text[64];
	size_t i;

	json_array_foreach(rows, i, row)
	{
		const time_t used = (time_t)json_integer_value(json_object_get(row, "used"));
		struct tm local;

		if (!localtime_r(&used, &local) ||
		    !strftime(text, sizeof text, "%Y-%m-%d %H:%M", &local))
			snprintf(text, sizeof text, "%lld", (long long)used);
		json_object_set_new(row, "when", json_string(text));
		if (*member(row, "wrong"))
			json_object_set_new(row, "wrong", json_string("WRONG"));
	}
	tool_table(stdout, rows, columns);
	json_decref(rows);
}

/* list: each of them; clear: remove them. */
static int look(const struct tool_args *args, int list, int clear)
{
	char folder[4096];
	double bytes;
	json_t *kept;
	size_t n;

	if (clopt_cache_folder(NULL, folder, sizeof folder) != CLOPT_OK)
		return tool_fail(NULL, "cache");
	kept = ask_kept(&bytes);
	if (!kept)
		return 1;
	n = json_array_size(kept);
	if (clear && clopt_cache_clear(NULL) != CLOPT_OK) {
		json_decref(kept);
		return tool_fail(NULL, "cache clear");
	}
	if (args->json)
		return tool_json_print(json_pack("{s:o, s:I, s:f, s:b, s:o}", "folder",
		                                 tool_json_text(*folder ? folder : NULL), "entries",
		                                 (json_int_t)n, "bytes", bytes, "cleared", clear,
		                                 "list",
		                                 list ? kept : (json_decref(kept), json_null())));
	if (list && n)
		print_list(kept);
	json_decref(kept);
	if (!*folder)
		printf("no folder: kernels are not kept\n");
	else
		printf("%s: %zu files%s, %.1f MiB\n", folder, n, clear ? " removed" : "",
		       bytes / (1024.0 * 1024.0));
	return 0;
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
