/* SPDX-License-Identifier: MIT */
/*
 * occupancy.c - `clopt occupancy': the waves that a compute unit holds, and their limit.
 *
 * Of numbers on the command line for a named architecture, or of the kernel that would
 * serve a problem on this device; and for other sizes of the group.
 */
#include "ask.h"
#include "../../common/progress.h"

#include <limits.h>

/* A result, and its subject. */
struct finding {
	const char *variant; /* NULL: of numbers */
	struct clopt_resources use;
	struct clopt_occupancy_info o;
};

static json_t *result_json(const struct finding *f)
{
	return json_pack("{s:I, s:i, s:i, s:f, s:s}", "group", (json_int_t)f->use.group, "groups",
	                 (int)f->o.groups, "waves", (int)f->o.waves, "occupancy", f->o.occupancy,
	                 "limit", clopt_limit_name(f->o.limit));
}

/* The same registers and local memory with groups of a wave, two, four, ... */
static json_t *others_json(const struct finding *f)
{
	json_t *list = json_array();
	struct finding other = *f;
	unsigned i;

	for (i = 0; i < 16; i++) {
		other.use.group = (size_t)f->o.wave << i;
		if (clopt_occupancy(f->o.arch, &other.use, &other.o) != CLOPT_OK)
			break;
		json_array_append_new(list, result_json(&other));
	}
	return list;
}

/* The reason why a unit does not hold another group. */
static const char *const limits[CLOPT_LIMITS] = {
	[CLOPT_LIMIT_WAVES] = "limited by the waves of a compute unit",
	[CLOPT_LIMIT_GROUP_SIZE] = "limited by the waves of a compute unit, in whole groups",
	[CLOPT_LIMIT_GROUPS] = "limited by the groups of a compute unit",
	[CLOPT_LIMIT_LOCAL] = "limited by local memory",
	[CLOPT_LIMIT_REGISTERS] = "limited by registers",
	[CLOPT_LIMIT_SCALAR_REGISTERS] = "limited by scalar registers",
};

static void print_registers(const struct finding *f)
{
	const unsigned has = f->use.registers, most = f->o.most_registers;

	if (has)
		printf("  registers %u a work-item; ", has);
	else
		printf("  registers are not given (--registers), and do not limit; ");
	if (f->o.groups)
		printf("up to %u keep this number of waves\n", most);
	else
		printf("a group fits with up to %u\n", most);
	if (f->use.scalar_registers)
		printf("  scalar registers %u a wave\n", f->use.scalar_registers);
}

static void print_text(const struct finding *f)
{
	static const struct tool_column columns[] = {
		TOOL_NUMBER("group", "group", "%.0f", 1),
		TOOL_NUMBER("groups", "groups", "%.0f", 1),
		TOOL_NUMBER("waves", "waves", "%.0f", 1),
		TOOL_NUMBER("%", "occupancy", "%.0f", 100),
		TOOL_TEXT("limited by", "limit"),
		TOOL_END,
	};
	json_t *others = others_json(f);

	printf("%s%s%s: ", f->variant ? f->variant : "", f->variant ? " on " : "", f->o.arch);
	if (f->o.groups == 0)
		printf("a compute unit cannot hold one group of %zu work-items; limited by %s\n",
		       f->use.group, clopt_limit_name(f->o.limit));
	else
		printf("a compute unit holds %u groups of %zu work-items, %u of at most %u waves "
		       "(%.0f %%); %s\n",
		       f->o.groups, f->use.group, f->o.waves, f->o.most_waves, 100 * f->o.occupancy,
		       limits[f->o.limit]);
	print_registers(f);
	printf("  local memory %zu bytes a group\n", f->use.local_bytes);
	if (f->use.private_bytes)
		printf("  private memory %zu bytes a work-item, spilled from registers\n",
		       f->use.private_bytes);
	printf("\nthe same with groups of other sizes\n");
	tool_table(stdout, others, columns);
	json_decref(others);
}

static int print_json(const struct finding *f)
{
	json_t *all = result_json(f);

	json_object_update_new(
	        all, json_pack("{s:s, s:s?, s:i, s:i, s:I, s:I, s:i, s:i, s:i, s:o}", "arch",
	                       f->o.arch, "variant", f->variant, "registers", (int)f->use.registers,
	                       "scalar_registers", (int)f->use.scalar_registers, "local_bytes",
	                       (json_int_t)f->use.local_bytes, "private_bytes",
	                       (json_int_t)f->use.private_bytes, "wave", (int)f->o.wave,
	                       "most_waves", (int)f->o.most_waves, "most_registers",
	                       (int)f->o.most_registers, "by_group", others_json(f)));
	return tool_json_print(all);
}

static int of_problem(const struct tool_args *args, struct clopt *ctx, struct finding *f)
{
	struct clopt_problem problem = { .size = sizeof problem, .op = args->op };
	size_t i;

	for (i = 0; i < args->dims; i++)
		problem.dim[i] = args->dim[i];
	progress_say("building the kernel");
	if (clopt_force_variants(ctx, args->variant) != CLOPT_OK ||
	    clopt_occupancy_of(ctx, &problem, &f->use, &f->o) != CLOPT_OK)
		return tool_fail(ctx, NULL);
	f->variant = clopt_chosen_variant(ctx, &problem);
	progress_hide();
	return 0;
}

int tool_occupancy(const struct tool_args *args)
{
	struct finding f = { NULL, CLOPT_RESOURCES_INIT, CLOPT_OCCUPANCY_INFO_INIT };
	struct clopt_device_info info;
	struct clopt *ctx = NULL;
	int rc = 0;

	if (args->arch) {
		f.use.registers = args->registers < UINT_MAX ? (unsigned)args->registers : UINT_MAX;
		f.use.local_bytes = args->local_bytes;
		f.use.group = args->group ? args->group : f.use.group;
		if (clopt_occupancy(args->arch, &f.use, &f.o) != CLOPT_OK)
			rc = tool_fail(NULL, NULL);
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
