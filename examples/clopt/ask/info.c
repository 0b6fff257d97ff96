/* SPDX-License-Identifier: MIT */
/*
 * info.c - `clopt info': the devices, which one is taken, and what would run there.
 */
#include "../tool/tool.h"

#include <stdlib.h>
#include <string.h>

static const double gib = 1024.0 * 1024.0 * 1024.0;

#define MOST_SKIPPED 64

/* Whether one of the words between commas is this one. */
static int has_word(const char *words, const char *word)
{
	const size_t length = strlen(word);
	size_t n;

	for (; *words; words += n + (words[n] == ',')) {
		n = strcspn(words, ",");
		if (n == length && strncmp(words, word, n) == 0)
			return 1;
	}
	return 0;
}

/* ------------------------------------------------------------ devices -- */

static int find_devices(struct clopt_device_info **list, size_t *n)
{
	size_t i, have;
	int rc = 0;

	*list = NULL;
	*n = 0;
	if (clopt_devices(NULL, 0, n) != CLOPT_OK) {
		rc = tool_fail(NULL, "devices");
		goto out;
	}
	have = *n;
	*list = calloc(have + 1, sizeof **list);
	if (!*list) {
		fprintf(stderr, "clopt: out of memory\n");
		rc = 1;
		goto out;
	}
	for (i = 0; i < have; i++)
		(*list)[i].size = sizeof **list;
	if (clopt_devices(*list, have, n) != CLOPT_OK)
		rc = tool_fail(NULL, "devices");
	if (*n > have)
		*n = have;
out:
	return rc;
}

/* The context does not say its index, and devices may be alike; then the first
 * of them is the one it takes, but for a device asked for by number. */
static size_t index_of(const struct clopt_device_info *list, size_t n,
                       const struct clopt_device_info *chosen, const char *asked)
{
	size_t i;

	if (asked && *asked && strspn(asked, "0123456789") == strlen(asked))
		return (size_t)strtoull(asked, NULL, 10);
	for (i = 0; i < n; i++)
		if (strcmp(list[i].name, chosen->name) == 0 &&
		    strcmp(list[i].platform, chosen->platform) == 0 &&
		    strcmp(list[i].driver, chosen->driver) == 0)
			break;
	return i;
}

/* ------------------------------------- drivers that are broken somehow -- */

static void print_quirks(const char *names)
{
	struct clopt_quirk list[32];
	size_t i, n = 0;

	for (i = 0; i < 32; i++)
		list[i].size = sizeof list[i];
	if (!*names || clopt_quirks(list, 32, &n) != CLOPT_OK)
		return;
	for (i = 0; i < n && i < 32; i++)
		if (has_word(names, list[i].name))
			printf("  quirk          %s, so without %s: %s\n"
			       "                 %s\n",
			       list[i].name, list[i].effect, list[i].reason, list[i].link);
}

/* 1: memory ran out, or the like. */
static int find_skipped(struct clopt_skipped **list, size_t *n)
{
	size_t i;

	*list = calloc(MOST_SKIPPED, sizeof **list);
	*n = 0;
	for (i = 0; *list && i < MOST_SKIPPED; i++)
		(*list)[i].size = sizeof **list;
	if (!*list || clopt_skipped(*list, MOST_SKIPPED, n) != CLOPT_OK)
		return tool_fail(NULL, "drivers");
	if (*n > MOST_SKIPPED)
		*n = MOST_SKIPPED;
	return 0;
}

static void print_skipped(const struct clopt_skipped *list, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		printf("left out: %s%s%s\n  %s\n\n", list[i].name, *list[i].library ? ", " : "",
		       list[i].library, list[i].reason);
}

static json_t *skipped_json(const struct clopt_skipped *list, size_t n)
{
	json_t *all = json_array();
	size_t i;

	for (i = 0; i < n; i++)
		json_array_append_new(all, json_pack("{s:o, s:o, s:o}", "name",
		                                     tool_json_text(list[i].name), "library",
		                                     tool_json_text(list[i].library), "reason",
		                                     tool_json_text(list[i].reason)));
	return all;
}

static const char *yes(unsigned flag)
{
	return flag ? "yes" : "no";
}

static void print_device(size_t i, const struct clopt_device_info *d)
{
	printf("device %zu: %s\n", i, d->name);
	printf("  vendor         %s\n", d->vendor);
	printf("  platform       %s, %s\n", d->platform, d->version);
	printf("  driver         %s\n", d->driver);
	printf("  kind           %s, family %s, lanes %s\n", d->type, d->family, d->lanes);
	if (d->capability)
		printf("  capability     %u.%u\n", d->capability / 10, d->capability % 10);
	printf("  traits         %s\n", d->traits);
	printf("  compute units  %u at %u MHz, native vectors of %u floats", d->compute_units,
	       d->clock_mhz, d->vector_width);
	if (d->wave)
		printf(", waves of %u", d->wave);
	printf("\n  memory         %.1f GiB, %.1f GiB in one buffer, %s\n",
	       (double)d->global_bytes / gib, (double)d->max_alloc_bytes / gib,
	       d->unified ? "shared with the host" : "its own");
	printf("  local memory   %.0f KiB, %s; %zu work-items in a group\n",
	       (double)d->local_bytes / 1024.0, d->local_is_real ? "real" : "ordinary memory",
	       d->max_group);
	if (d->image2d_width)
		printf("  images         %zu x %zu, %zu texels from a buffer\n", d->image2d_width,
		       d->image2d_height, d->image_buffer);
	else
		printf("  images         none\n");
	printf("  has            fp64 %s, fp16 %s, inline PTX %s, copy engines %u\n", yes(d->fp64),
	       yes(d->fp16), yes(d->inline_ptx), d->copy_engines);
	print_quirks(d->quirks);
	printf("  score          %g\n\n", d->score);
}

static json_t *device_json(size_t i, const struct clopt_device_info *d)
{
	json_t *names, *numbers, *sizes;

	names = json_pack("{s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "index",
	                  (json_int_t)i, "name", tool_json_text(d->name), "vendor",
	                  tool_json_text(d->vendor), "platform", tool_json_text(d->platform),
	                  "driver", tool_json_text(d->driver), "version",
	                  tool_json_text(d->version), "type", tool_json_text(d->type), "family",
	                  tool_json_text(d->family), "lanes", tool_json_text(d->lanes), "traits",
	                  tool_json_text(d->traits), "quirks", tool_json_text(d->quirks), "score",
	                  tool_json_real(d->score));
	numbers =
	        json_pack("{s:i, s:i, s:i, s:i, s:i, s:i, s:b, s:b, s:b, s:b, s:b}", "wave",
	                  (int)d->wave, "compute_units", (int)d->compute_units, "clock_mhz",
	                  (int)d->clock_mhz, "vector_width", (int)d->vector_width, "capability",
	                  (int)d->capability, "copy_engines", (int)d->copy_engines, "local_is_real",
	                  (int)d->local_is_real, "unified", (int)d->unified, "fp64", (int)d->fp64,
	                  "fp16", (int)d->fp16, "inline_ptx", (int)d->inline_ptx);
	sizes = json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "max_group",
	                  (json_int_t)d->max_group, "image2d_width", (json_int_t)d->image2d_width,
	                  "image2d_height", (json_int_t)d->image2d_height, "image_buffer",
	                  (json_int_t)d->image_buffer, "global_bytes", (json_int_t)d->global_bytes,
	                  "max_alloc_bytes", (json_int_t)d->max_alloc_bytes, "local_bytes",
	                  (json_int_t)d->local_bytes);
	if (json_object_update(names, numbers) || json_object_update(names, sizes)) {
		json_decref(names);
		names = NULL;
	}
	json_decref(numbers);
	json_decref(sizes);
	return names;
}

/* ------------------------------------------------------- what would run */

static void print_choices(const struct tool_args *args, struct clopt *ctx,
                          const struct clopt_device_info *info)
{
	struct tool_table table = { .columns = 4, .align = "llll" };
	struct shape shape;
	char text[128], variant[160];
	size_t i;
	int op;

	for (op = 0; op < CLOPT_OPS; op++)
		for (i = 0; case_bench(op, i, tool_extent(args, info), 0, &shape); i++) {
			tool_serves(ctx, op, &shape, variant, sizeof variant);
			case_describe(op, &shape, text, sizeof text);
			text[strcspn(text, " ")] = '\0'; /* the sizes will do */
			tool_table_add(&table, "  %s", clopt_op_name(op));
			tool_table_add(&table, "%s", case_element(op, &shape));
			tool_table_add(&table, "%s", text);
			tool_table_add(&table, "%s", variant);
		}
	printf("a large problem would run\n");
	tool_table_print(&table, stdout);
	tool_table_clear(&table);
}

static json_t *choices_json(const struct tool_args *args, struct clopt *ctx,
                            const struct clopt_device_info *info)
{
	json_t *list = json_array();
	struct shape shape;
	char text[128], variant[160];
	size_t i;
	int op;

	for (op = 0; op < CLOPT_OPS; op++)
		for (i = 0; case_bench(op, i, tool_extent(args, info), 0, &shape); i++) {
			tool_serves(ctx, op, &shape, variant, sizeof variant);
			case_describe(op, &shape, text, sizeof text);
			json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:o}", "operation",
			                                      clopt_op_name(op), "element",
			                                      case_element(op, &shape), "problem",
			                                      text, "variant",
			                                      tool_choice(ctx, op, &shape) ?
			                                              tool_json_text(variant) :
			                                              json_null()));
		}
	return list;
}

int tool_info(const struct tool_args *args)
{
	struct clopt_device_info *list = NULL, info;
	struct clopt_skipped *skipped = NULL;
	struct clopt_cached *kept = NULL;
	struct clopt *ctx = NULL;
	const char *env = getenv("CLOPT_DEVICE");
	const char *asked = args->device ? args->device : env && *env ? env : NULL;
	json_t *devices = NULL;
	char why[256];
	size_t n, i, at, skips, keeps;
	int rc;

	rc = find_devices(&list, &n);
	if (rc == 0)
		rc = find_skipped(&skipped, &skips);
	if (rc == 0)
		rc = tool_kept(&kept, &keeps);
	if (rc)
		goto out;
	if (args->json)
		devices = json_array();
	else
		print_skipped(skipped, skips);
	for (i = 0; i < n; i++)
		if (args->json)
			json_array_append_new(devices, device_json(i, &list[i]));
		else
			print_device(i, &list[i]);
	rc = tool_open(args, 0, 0, &ctx, &info);
	if (rc)
		goto out;
	at = index_of(list, n, &info, asked);
	if (asked)
		snprintf(why, sizeof why, "as %s=%s asks",
		         args->device ? "--device" : "CLOPT_DEVICE", asked);
	else
		snprintf(why, sizeof why, "whose score is the highest");
	if (args->json) {
		rc = tool_json_print(json_pack("{s:s, s:o, s:o, s:I, s:o, s:o, s:o}", "version",
		                               clopt_version(), "devices", devices, "skipped",
		                               skipped_json(skipped, skips), "chosen",
		                               (json_int_t)at, "why", tool_json_text(why),
		                               "struck_out", tool_struck_out_json(kept, keeps),
		                               "choices", choices_json(args, ctx, &info)));
		devices = NULL;
		goto out;
	}
	printf("clopt %s takes device %zu, %s, %s; there\n", clopt_version(), at, info.name, why);
	print_choices(args, ctx, &info);
	tool_struck_out(kept, keeps);
out:
	json_decref(devices);
	clopt_close(ctx);
	free(kept);
	free(skipped);
	free(list);
	return rc;
}
