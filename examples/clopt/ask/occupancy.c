/* SPDX-License-Identifier: MIT */
/*
 * occupancy.c - `clopt occupancy': how many waves a compute unit holds, and what limits it.
 *
 * Of numbers on the command line for a named architecture, or of the kernel that would
 * serve a problem on this device; and what other sizes of the group would give.
 */
#include "../tool/tool.h"

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

/* What keeps it from holding another group. */
static const char *const limits[CLOPT_LIMITS] = {
	[CLOPT_LIMIT_WAVES] = "more waves there cannot be",
	[CLOPT_LIMIT_GROUP_SIZE] = "with another whole group there would be too many waves",
	[CLOPT_LIMIT_GROUPS] = "more groups there cannot be",
	[CLOPT_LIMIT_LOCAL] = "local memory for more is not there",
	[CLOPT_LIMIT_REGISTERS] = "registers for more are not there",
	[CLOPT_LIMIT_SCALAR_REGISTERS] = "scalar registers for more are not there",
};

static void print_registers(const struct finding *f)
{
	const unsigned has = f->use.registers, most = f->o.most_registers;

	if (has)
		printf("  registers %u a work-item; ", has);
	else
		printf("  registers not given (--registers), taken for few enough; ");
	if (f->o.groups)
		printf("up to %u leave it at that many waves\n", most);
	else
		printf("%u at most let one group in\n", most);
	if (f->use.scalar_registers)
		printf("  scalar registers %u a wave\n", f->use.scalar_registers);
}

static void print_text(const struct finding *f)
{
	struct tool_table table = { .columns = 5, .align = "rrrrl" };
	struct finding other;
	unsigned i;

	printf("%s%s%s: ", f->variant ? f->variant : "", f->variant ? " on " : "", f->o.arch);
	if (f->o.groups == 0)
		printf("a compute unit cannot hold even one group of %zu work-items, for want of "
		       "%s\n",
		       f->use.group, clopt_limit_name(f->o.limit));
	else
		printf("a compute unit holds %u groups of %zu work-items, %u of at most %u waves "
		       "(%.0f %%); %s\n",
		       f->o.groups, f->use.group, f->o.waves, f->o.most_waves, 100 * f->o.occupancy,
		       limits[f->o.limit]);
	print_registers(f);
	printf("  local memory %zu bytes a group\n", f->use.local_bytes);
	if (f->use.private_bytes)
		printf("  private memory %zu bytes a work-item, for what did not fit registers\n",
		       f->use.private_bytes);
	printf("\nthe same with groups of other sizes\n");
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
	struct finding f = { NULL, CLOPT_RESOURCES_INIT, CLOPT_OCCUPANCY_INIT };
	struct clopt_device_info info;
	struct clopt *ctx = NULL;
	int rc = 0;

	if (args->arch) {
		f.use.registers = args->registers < UINT_MAX ? (unsigned)args->registers : UINT_MAX;
		f.use.local_bytes = args->local_bytes;
		f.use.group = args->group ? args->group : f.use.group;
		if (clopt_occupancy(args->arch, &f.use, &f.o) != CLOPT_OK)
			rc = tool_fail(NULL, args->arch);
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
