/* SPDX-License-Identifier: MIT */
/*
 * plan.c - `clopt plan': the memory and time of a call on this device, its kernel, and the
 * reasons for it; `clopt explain': only the last two.
 */
#include "ask.h"
#include "../../common/progress.h"

#include <math.h>
#include <string.h>

enum {
	WHY_SIZE = 32768
};

static const char *const sources[] = { "unknown", "call", "trial" };

/* Three digits or whole seconds, in the unit that suits; "?" for an unknown time. */
static const char *duration(char *text, double seconds)
{
	static const struct {
		double below, unit;
		const char *format;
	} units[] = {
		{ 1e-3, 1e-6, "%.3g us" },
		{ 1.0, 1e-3, "%.3g ms" },
		{ 600.0, 1.0, "%.3g s" },
		{ 7200.0, 60.0, "%.0f minutes" },
		{ 2e5, 3600.0, "%.1f hours" },
		{ 1e9, 86400.0, "%.0f days" },
		{ HUGE_VAL, 86400.0 * 365.25, "%.3g years" },
	};
	size_t i = 0;

	while (!(seconds < units[i].below) && units[i].below < HUGE_VAL)
		i++;
	if (seconds > 0.0)
		snprintf(text, TOOL_AMOUNT, units[i].format, seconds / units[i].unit);
	else
		snprintf(text, TOOL_AMOUNT, "?");
	return text;
}

static void print_bytes(const struct clopt_plan_info *p)
{
	char text[TOOL_AMOUNT], other[TOOL_AMOUNT];

	printf("  arrays   %s up, %s down", tool_bytes(text, p->up_bytes),
	       tool_bytes(other, p->down_bytes));
	if (p->in_place_bytes)
		printf(", %s in place", tool_bytes(text, p->in_place_bytes));
	if (p->staged_bytes)
		printf(", %s through %s of pinned memory", tool_bytes(text, p->staged_bytes),
		       tool_bytes(other, p->pinned_bytes));
	printf("\n  bands    %zu, over %zu queue%s", p->bands, p->queues,
	       p->queues == 1 ? "" : "s");
	if (p->sum_parts > 1)
		printf("; sums in %zu parts", p->sum_parts);
	printf("\n");
}

static void print_times(const struct clopt_plan_info *p)
{
	static const char *const from[] = { "not timed", "timed in an earlier call",
		                            "timed on a smaller problem" };
	char text[TOOL_AMOUNT];

	printf("  time     %s", duration(text, p->seconds));
	if (p->up_bytes)
		printf("; up %s", duration(text, p->up_seconds));
	if (p->kernel_seconds > 0.0)
		printf("; kernel %s", duration(text, p->kernel_seconds));
	if (p->down_bytes)
		printf("; down %s", duration(text, p->down_seconds));
	printf("; the kernel is %s\n", from[p->throughput_source]);
	if (p->members > 1)
		printf("  devices  %d share the call; all figures but the first time are of the "
		       "first device alone\n",
		       p->members);
}

/* The device gets them piece by piece; the host has to have them. */
static int host_fits(const struct clopt_plan_info *p)
{
	return !p->host_bytes || p->array_bytes <= p->host_bytes;
}

static void print_host(const struct clopt_plan_info *p)
{
	char arrays[TOOL_AMOUNT], host[TOOL_AMOUNT];

	if (!host_fits(p))
		printf("  host     the arrays take %s: more than this machine's memory of %s\n",
		       tool_bytes(arrays, p->array_bytes), tool_bytes(host, p->host_bytes));
}

/* also: the kernel that runs beside p's, or NULL. */
static void print_plan(const struct clopt_plan_info *p, const char *also, const char *why)
{
	char text[TOOL_AMOUNT];

	if (!p->fits && p->needed_bytes == SIZE_MAX)
		printf("  fits     no: %s\n", p->reason);
	else if (!p->fits)
		printf("  fits     no, %s are needed: %s\n", tool_bytes(text, p->needed_bytes),
		       p->reason);
	else if (!p->variant)
		printf("  there is nothing to compute\n");
	else
		printf(host_fits(p) ?
		               "  fits     yes, with %s on the device\n" :
		               "  fits     the device, with %s on it, but not the host's memory\n",
		       tool_bytes(text, p->device_bytes));
	print_host(p);
	if (p->variant)
		printf("  kernel   %s%s%s\n", p->variant, also ? ", " : "", also ? also : "");
	if (p->fits && p->variant) {
		print_bytes(p);
		print_times(p);
	}
	printf("why\n%s", why);
}

static json_t *json(const struct clopt_device_info *info, const struct clopt_plan_info *p,
                    const char *why)
{
	return json_pack(
	        "{s:o, s:o, s:b, s:o, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o, "
	        "s:o, s:o, s:s, s:i, s:I, s:I, s:o}",
	        "device", tool_json_text(info->name), "variant", tool_json_text(p->variant), "fits",
	        p->fits && host_fits(p), "needed_bytes",
	        p->fits || p->needed_bytes == SIZE_MAX ? json_null() :
	                                                 json_integer((json_int_t)p->needed_bytes),
	        "reason",
	        p->fits && !host_fits(p) ? "the arrays take more than the host's memory" :
	                                   p->reason,
	        "device_bytes", (json_int_t)p->device_bytes, "pinned_bytes",
	        (json_int_t)p->pinned_bytes, "up_bytes", (json_int_t)p->up_bytes, "down_bytes",
	        (json_int_t)p->down_bytes, "in_place_bytes", (json_int_t)p->in_place_bytes,
	        "staged_bytes", (json_int_t)p->staged_bytes, "bands", (json_int_t)p->bands,
	        "queues", (json_int_t)p->queues, "sum_parts", (json_int_t)p->sum_parts,
	        "up_seconds", tool_json_known(p->up_seconds), "kernel_seconds",
	        tool_json_known(p->kernel_seconds), "down_seconds",
	        tool_json_known(p->down_seconds), "seconds", tool_json_known(p->seconds),
	        "throughput_source", sources[p->throughput_source], "members", p->members,
	        "array_bytes", (json_int_t)p->array_bytes, "host_bytes", (json_int_t)p->host_bytes,
	        "why", tool_json_text(why));
}

static void read_problem(const struct tool_args *args, struct clopt_problem *problem)
{
	*problem = (struct clopt_problem){ .size = sizeof *problem,
		                           .op = args->op,
		                           .type = args->type,
		                           .elem_bytes = args->elem_bytes,
		                           .batch = args->batch,
		                           .steps = args->steps,
		                           .precision = args->precision };
	memcpy(problem->dim, args->dim, sizeof problem->dim);
	case_set_law(problem, args->law);
}

/* Leapfrog has a sum over pairs in it, where the time goes.  A problem that does not fit fails here
 * too, and says so. */
static int explain(struct clopt *ctx, const struct clopt_problem *problem, char *why)
{
	struct clopt_problem pull = *problem;
	size_t used;
	int rc;

	rc = clopt_explain(ctx, problem, why, WHY_SIZE);
	if (rc != CLOPT_OK || problem->op != CLOPT_OP_LEAPFROG)
		return rc;
	pull.op = CLOPT_OP_NBODY;
	pull.dim[1] = pull.dim[0];
	used = strlen(why);
	return clopt_explain(ctx, &pull, why + used, WHY_SIZE - used);
}

/* The exit status after a failed question: a problem that there cannot be is the command line's. */
static int refused(struct clopt *ctx, int rc, const char *doing)
{
	tool_fail(ctx, doing);
	return rc == CLOPT_EINVAL ? 2 : 1;
}

/* A context for questions about the problem of the command line.  0, or the exit status. */
static int ask(const struct tool_args *args, struct clopt **ctx, struct clopt_device_info *info,
               struct clopt_problem *problem)
{
	struct tool_args opened = *args;
	int rc;

	opened.forced = 1;
	rc = tool_open(&opened, 0, 0, ctx, info);
	if (rc)
		return rc;
	read_problem(args, problem);
	rc = args->variant ? clopt_force_variants(*ctx, args->variant) : CLOPT_OK;
	return rc == CLOPT_OK ? 0 : refused(*ctx, rc, args->variant);
}

/* The text's lines behind the first, which is about the problem. */
static const char *reasons(const char *why)
{
	const size_t n = strcspn(why, "\n");

	return why + n + (why[n] != '\0');
}

int tool_plan(const struct tool_args *args)
{
	struct clopt_plan_info plan = CLOPT_PLAN_INFO_INIT;
	struct clopt_problem problem;
	struct clopt_device_info info;
	struct clopt *ctx = NULL;
	char why[WHY_SIZE];
	int rc;

	plan.dry = args->dry;
	rc = ask(args, &ctx, &info, &problem);
	if (rc)
		goto out;
	progress_say(args->dry ? "building the kernel" : "building and timing the kernel");
	rc = clopt_plan(ctx, &problem, &plan);
	if (rc != CLOPT_OK) {
		rc = refused(ctx, rc, NULL);
		goto out;
	}
	explain(ctx, &problem, why);
	progress_hide();
	if (args->json) {
		rc = tool_json_print(json(&info, &plan, why));
	} else {
		printf("%.*s\n", (int)strcspn(why, "\n"), why);
		print_plan(&plan,
		           args->op == CLOPT_OP_LEAPFROG ? clopt_chosen_variant(ctx, &problem) :
		                                           NULL,
		           reasons(why));
	}
	if (!rc && !(plan.fits && host_fits(&plan)))
		rc = 3;
out:
	clopt_close(ctx);
	return rc;
}

int tool_explain(const struct tool_args *args)
{
	struct clopt_problem problem;
	struct clopt_device_info info;
	struct clopt *ctx = NULL;
	char why[WHY_SIZE];
	int rc = ask(args, &ctx, &info, &problem);

	if (rc)
		goto out;
	progress_say("building the kernel");
	rc = explain(ctx, &problem, why);
	progress_hide();
	if (rc != CLOPT_OK)
		rc = refused(ctx, rc, NULL);
	if (!args->json)
		fputs(why, stdout);
	else if (!rc)
		rc = tool_json_print(
		        json_pack("{s:o, s:s, s:o}", "device", tool_json_text(info.name), "variant",
		                  clopt_chosen_variant(ctx, &problem), "why", tool_json_text(why)));
out:
	clopt_close(ctx);
	return rc;
}
