/* SPDX-License-Identifier: MIT */
/*
 * list.c - `clopt list': the table of variants, and what this device makes of it.
 *
 * It builds no kernel but the ones that are chosen.  Without any device it still
 * prints the names, and fails.
 */
#include "../tool/tool.h"

#include <string.h>

enum {
	MAX_BENCH = 4
};

static const char no_device[] = "no device";

/* What the device makes of one variant. */
struct standing {
	int runs;
	char why[256]; /* if not */
	size_t tested; /* test shapes that reach it */
	char picked[64]; /* "float32 float64": where it is the choice */
};

/* The problems an operation is judged by, and what is chosen for each. */
struct choices {
	struct shape shape[MAX_BENCH];
	const char *variant[MAX_BENCH];
	size_t n;
};

static void choose(struct clopt *ctx, int op, enum case_extent extent, struct choices *c)
{
	c->n = 0;
	while (c->n < MAX_BENCH && case_bench(op, c->n, extent, 0, &c->shape[c->n])) {
		c->variant[c->n] = tool_choice(ctx, op, &c->shape[c->n]);
		c->n++;
	}
}

static void judge(struct clopt *ctx, size_t i, const struct choices *c, struct standing *s)
{
	int op = clopt_variant_op(i);
	const struct shape *shapes;
	struct clopt_problem problem;
	size_t n, j, used;

	memset(s, 0, sizeof *s);
	if (!ctx) {
		snprintf(s->why, sizeof s->why, "%s", no_device);
		return;
	}
	s->runs = clopt_variant_runs(ctx, i, NULL, s->why, sizeof s->why);
	shapes = case_shapes(op, &n);
	for (j = 0; j < n; j++) {
		case_problem(op, &shapes[j], &problem);
		if (case_needs_kernel(op, &shapes[j]))
			s->tested += clopt_variant_runs(ctx, i, &problem, NULL, 0) == 1;
	}
	for (j = 0; j < c->n; j++) {
		if (!c->variant[j] || strcmp(c->variant[j], clopt_variant_name(i)) != 0)
			continue;
		used = strlen(s->picked);
		snprintf(s->picked + used, sizeof s->picked - used, "%s%s", used ? " " : "",
		         case_element(op, &c->shape[j]));
	}
}

static void add_row(struct tool_table *t, size_t i, const struct standing *s)
{
	tool_table_add(t, "%s", s->picked[0] ? "*" : "");
	tool_table_add(t, "%s", clopt_variant_name(i));
	if (!s->runs)
		tool_table_add(t, "-");
	else if (s->tested)
		tool_table_add(t, "%zu", s->tested);
	else
		tool_table_add(t, "untested");
	tool_table_add(t, "%s", s->picked[0] ? s->picked : "-");
	tool_table_add(t, "%s", s->runs ? "yes" : s->why);
}

static json_t *row(size_t i, const struct standing *s)
{
	return json_pack("{s:o, s:s, s:b, s:o, s:o, s:I}", "variant",
	                 tool_json_text(clopt_variant_name(i)), "operation",
	                 clopt_op_name(clopt_variant_op(i)), "runs", s->runs, "why_not",
	                 s->runs ? json_null() : tool_json_text(s->why), "picked_for",
	                 s->picked[0] ? tool_json_text(s->picked) : json_null(), "test_shapes",
	                 (json_int_t)s->tested);
}

static int any_device(void)
{
	size_t n = 0;

	return clopt_devices(NULL, 0, &n) == CLOPT_OK && n;
}

int tool_list(const struct tool_args *args)
{
	struct tool_table table = { .columns = 5, .align = "llrll" };
	struct clopt_device_info info;
	struct choices chosen[CLOPT_OPS] = { 0 };
	struct clopt *ctx = NULL;
	json_t *rows = args->json ? json_array() : NULL;
	struct standing s;
	size_t i;
	int op, rc;

	rc = tool_open(args, 0, 0, &ctx, &info);
	if (rc && any_device())
		goto out;
	for (op = 0; ctx && op < CLOPT_OPS; op++)
		if (args->op < 0 || args->op == op)
			choose(ctx, op, tool_extent(args, &info), &chosen[op]);
	tool_table_add(&table, " ");
	tool_table_add(&table, "variant");
	tool_table_add(&table, "tests");
	tool_table_add(&table, "picked for");
	tool_table_add(&table, "runs here");
	for (i = 0; clopt_variant_name(i); i++) {
		op = clopt_variant_op(i);
		if (args->op >= 0 && args->op != op)
			continue;
		judge(ctx, i, &chosen[op], &s);
		if (args->json)
			json_array_append_new(rows, row(i, &s));
		else
			add_row(&table, i, &s);
	}
	if (args->json) {
		rc |= tool_json_print(json_pack("{s:o, s:o}", "device",
		                                ctx ? tool_json_text(info.name) : json_null(),
		                                "variants", rows));
		rows = NULL;
		goto out;
	}
	printf("%s\n", ctx ? info.name : no_device);
	tool_table_print(&table, stdout);
out:
	json_decref(rows);
	tool_table_clear(&table);
	clopt_close(ctx);
	return rc;
}
