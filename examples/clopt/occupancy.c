/* SPDX-License-Identifier: MIT */
/*
 * occupancy.c - `clopt occupancy': how many waves a compute unit holds, and what limits it.
 *
 * Of numbers on the command line for a named architecture, or of the kernel that would
 * serve a problem on this device; and what other sizes of the group would give.
 */
#include "tool.h"

#include <limits.h>

/* What was found, and of what. */
struct finding {
	const char *variant; /* NULL: of numbers */
	struct clopt_resources use;
	struct clopt_occupancy o;
};

/* The same registers and local memory with groups of a wave, two, four, ...; 0 when there
 * are no such groups. */
static int with_group(const struct finding *f, unsigned i, struct finding *other)
{
	*other = *f;
	other->use.group = (size_t)f->o.wave << i;
	return i < 16 && clopt_occupancy(f->o.arch, &other->use, &other->o) == CLOPT_OK;
}

static void print_text(const struct finding *f)
{
	struct tool_table table = { .columns = 5, .align = "rrrrl" };
	struct finding other;
	unsigned i;

	printf("%s%s%s: ", f->variant ? f->variant : "", f->variant ? " on " : "", f->o.arch);
	if (f->o.groups == 0)
		printf("not even one group of %zu fits, for its %s\n", f->use.group,
		       clopt_limit_name(f->o.limit));
	else
		printf("%u of %u waves on a compute unit (%.0f %%), %u x %zu work-items, limited "
		       "by %s\n",
		       f->o.waves, f->o.most_waves, 100 * f->o.occupancy, f->o.groups, f->use.group,
		       clopt_limit_name(f->o.limit));
	if (f->use.registers)
		printf("%u registers a work-item, ", f->use.registers);
	if (f->use.registers < f->o.most_registers)
		printf("up to %u would do, ", f->o.most_registers);
	else if (f->use.registers > f->o.most_registers)
		printf("%u would be needed, ", f->o.most_registers);
	if (f->use.scalar_registers)
		printf("%u scalar ones a wave, ", f->use.scalar_registers);
	printf("%zu bytes of local memory a group", f->use.local_bytes);
	if (f->use.private_bytes)
		printf(", %zu bytes of private memory a work-item", f->use.private_bytes);
	printf("\n\n");
	tool_table_add(&table, "group");
	tool_table_add(&table, "groups");
	tool_table_add(&table, "waves");
	tool_table_add(&table, "%%");
	tool_table_add(&table, "limited by");
	for (i = 0; with_group(f, i, &other); i++) {
		tool_table_add(&table, "%zu", other.use.group);
		tool_table_add(&table, "%u", other.o.groups);
		tool_table_add(&table, "%u", other.o.waves);
		tool_table_add(&table, "%.0f", 100 * other.o.occupancy);
		tool_table_add(&table, "%s", clopt_limit_name(other.o.limit));
	}
	tool_table_print(&table, stdout);
	tool_table_clear(&table);
}

static json_t *result_json(const struct finding *f)
{
	return json_pack("{s:I, s:i, s:i, s:f, s:s}", "group", (json_int_t)f->use.group, "groups",
	                 (int)f->o.groups, "waves", (int)f->o.waves, "occupancy", f->o.occupancy,
	                 "limit", clopt_limit_name(f->o.limit));
}

static int print_json(const struct finding *f)
{
	json_t *all = result_json(f), *others = json_array(), *rest;
	struct finding other;
	unsigned i;

	for (i = 0; with_group(f, i, &other); i++)
		json_array_append_new(others, result_json(&other));
	rest = json_pack("{s:o, s:o, s:i, s:i, s:I, s:I, s:i, s:i, s:i, s:o}", "arch",
	                 tool_json_text(f->o.arch), "variant",
	                 f->variant ? tool_json_text(f->variant) : json_null(), "registers",
	                 (int)f->use.registers, "scalar_registers", (int)f->use.scalar_registers,
	                 "local_bytes", (json_int_t)f->use.local_bytes, "private_bytes",
	                 (json_int_t)f->use.private_bytes, "wave", (int)f->o.wave, "most_waves",
	                 (int)f->o.most_waves, "most_registers", (int)f->o.most_registers,
	                 "by_group", others);
	if (json_object_update(all, rest)) {
		json_decref(all);
		all = NULL;
	}
	json_decref(rest);
	return tool_json_print(all);
}

static int of_problem(const struct tool_args *args, struct clopt *ctx, struct finding *f)
{
	struct clopt_problem problem = { .size = sizeof problem, .op = args->op };
	size_t i;

	for (i = 0; i < args->dims; i++)
		problem.dim[i] = args->dim[i];
	if (clopt_use(ctx, args->variant) != CLOPT_OK ||
	    clopt_occupancy_of(ctx, &problem, &f->use, &f->o) != CLOPT_OK)
		return tool_fail(ctx, "occupancy");
	f->variant = clopt_choice(ctx, &problem);
	return 0;
}

int tool_occupancy(const struct tool_args *args)
{
	struct finding f = { .use = { .size = sizeof f.use }, .o = { .size = sizeof f.o } };
	struct clopt_device_info info;
	struct clopt *ctx = NULL;
	int rc = 0;

	if (args->arch) {
		f.use.registers = args->registers < UINT_MAX ? (unsigned)args->registers : UINT_MAX;
		f.use.local_bytes = args->local_bytes;
		f.use.group = args->group ? args->group : 256;
		if (clopt_occupancy(args->arch, &f.use, &f.o) != CLOPT_OK)
			rc = tool_fail(NULL, "occupancy");
	} else {
		rc = tool_open(args, 0, 0, &ctx, &info);
		if (!rc)
			rc = of_problem(args, ctx, &f);
	}
	if (rc)
		goto out;
	if (args->json)
		rc = print_json(&f);
	else
		print_text(&f);
out:
	clopt_close(ctx);
	return rc;
}
