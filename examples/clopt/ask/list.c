/* SPDX-License-Identifier: MIT */
/*
 * list.c - `clopt list': the table of variants, and which of them this device can run.
 *
 * It builds no kernel but the ones that are chosen.  Without any device it prints the
 * names, and fails.
 */
#include "ask.h"
#include "../../common/progress.h"

#include <string.h>

static const char no_device[] = "no device";

/* "float32 float64": the elements of large problems for which variant i is the choice. */
static void picked_for(struct clopt *ctx, size_t i, enum case_extent extent, char *text,
                       size_t size)
{
	struct clopt_problem p;
	const char *choice;
	size_t j, used;

	*text = '\0';
	for (j = 0; case_bench(clopt_variant_op(i), j, extent, 0, &p); j++) {
		choice = clopt_expected_variant(ctx, &p);
		if (!choice || strcmp(choice, clopt_variant_name(i)) != 0)
			continue;
		used = strlen(text);
		snprintf(text + used, size - used, "%s%s", used ? " " : "", case_element(&p));
	}
}

static json_t *row(struct clopt *ctx, size_t i, enum case_extent extent)
{
	char why[256] = "", picked[64] = "";
	int runs = 0;

	if (ctx) {
		runs = clopt_variant_runs(ctx, i, NULL, why, sizeof why);
		picked_for(ctx, i, extent, picked, sizeof picked);
	}
	return json_pack("{s:s, s:s, s:b, s:o, s:s?}", "variant", clopt_variant_name(i),
	                 "operation", clopt_op_name(clopt_variant_op(i)), "runs", runs, "why_not",
	                 runs ? json_null() : tool_json_text(ctx ? why : no_device), "picked_for",
	                 *picked ? picked : NULL);
}

static void print(json_t *rows)
{
	static const struct tool_column columns[] = {
		TOOL_TEXT_OR(" ", "star", ""),
		TOOL_TEXT("variant", "variant"),
		TOOL_TEXT("picked for", "picked_for"),
		TOOL_TEXT_OR("runs here", "why_not", "yes"),
		TOOL_END,
	};
	json_t *row;
	size_t i;

	json_array_foreach(rows, i, row)
	{
		if (json_is_string(json_object_get(row, "picked_for")))
			json_object_set_new(row, "star", json_string("*"));
	}
	tool_table(stdout, rows, columns);
	json_decref(rows);
}

static int any_device(void)
{
	size_t n = 0;

	return clopt_device_list(NULL, 0, &n) == CLOPT_OK && n;
}

int tool_list(const struct tool_args *args)
{
	struct clopt_device_info info = { .type = "" };
	struct clopt *ctx = NULL;
	json_t *rows;
	size_t i;
	int rc = tool_open(args, 0, 0, &ctx, &info);

	if (rc && any_device())
		return rc;
	progress_hide();
	rows = json_array();
	for (i = 0; clopt_variant_name(i); i++)
		if (args->op < 0 || args->op == clopt_variant_op(i))
			json_array_append_new(rows, row(ctx, i, tool_extent(args, &info)));
	if (args->json) {
		rc |= tool_json_print(json_pack("{s:o, s:o}", "device",
		                                tool_json_text(ctx ? info.name : NULL), "variants",
		                                rows));
	} else {
		printf("%s\n", ctx ? info.name : no_device);
		print(rows);
	}
	clopt_close(ctx);
	return rc;
}
