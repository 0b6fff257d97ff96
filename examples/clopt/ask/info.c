/* SPDX-License-Identifier: MIT */
/*
 * info.c - `clopt info': the devices, the one that is taken, and its kernels for large problems.
 */
#include "ask.h"
#include "../../common/progress.h"

#include <stdlib.h>
#include <string.h>

/* ---- Devices ------------------------------------------------------------- */

static const double gib = 1024.0 * 1024.0 * 1024.0;

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

/* ------------------------------------- drivers that are broken somehow -- */

static void print_quirks(const char *names)
{
	struct clopt_quirk list[32];
	size_t i, n = 0;

	for (i = 0; i < 32; i++)
		list[i].size = sizeof list[i];
	if (!*names || clopt_quirk_list(list, 32, &n) != CLOPT_OK)
		return;
	for (i = 0; i < n && i < 32; i++)
		if (has_word(names, list[i].name))
			printf("  quirk          %s: %s; not used: %s\n%s%s%s", list[i].name,
			       list[i].reason, list[i].effect,
			       list[i].link ? "                 " : "",
			       list[i].link ? list[i].link : "", list[i].link ? "\n" : "");
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
	if (*d->pci)
		printf("  PCI address    %s\n", d->pci);
	if (*d->uuid)
		printf("  UUID           %s\n", d->uuid);
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
	return json_pack(
	        "{s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:i, s:i, "
	        "s:i, s:i, s:i, s:i, s:b, s:b, s:b, s:b, s:b, s:I, s:I, s:I, s:I, s:I, s:I, s:I}",
	        "index", (json_int_t)i, "name", tool_json_text(d->name), "vendor",
	        tool_json_text(d->vendor), "platform", tool_json_text(d->platform), "driver",
	        tool_json_text(d->driver), "version", tool_json_text(d->version), "type",
	        tool_json_text(d->type), "family", tool_json_text(d->family), "lanes",
	        tool_json_text(d->lanes), "traits", tool_json_text(d->traits), "quirks",
	        tool_json_text(d->quirks), "pci", tool_json_text(d->pci), "uuid",
	        tool_json_text(d->uuid), "score", json_real(d->score), "wave", (int)d->wave,
	        "compute_units", (int)d->compute_units, "clock_mhz", (int)d->clock_mhz,
	        "vector_width", (int)d->vector_width, "capability", (int)d->capability,
	        "copy_engines", (int)d->copy_engines, "local_is_real", (int)d->local_is_real,
	        "unified", (int)d->unified, "fp64", (int)d->fp64, "fp16", (int)d->fp16,
	        "inline_ptx", (int)d->inline_ptx, "max_group", (json_int_t)d->max_group,
	        "image2d_width", (json_int_t)d->image2d_width, "image2d_height",
	        (json_int_t)d->image2d_height, "image_buffer", (json_int_t)d->image_buffer,
	        "global_bytes", (json_int_t)d->global_bytes, "max_alloc_bytes",
	        (json_int_t)d->max_alloc_bytes, "local_bytes", (json_int_t)d->local_bytes);
}

/* ----------------------------------------------------------- choices -- */

static json_t *choices_json(const struct tool_args *args, struct clopt *ctx,
                            const struct clopt_device_info *info)
{
	json_t *list = json_array();
	struct clopt_problem p;
	char text[128], variant[160];
	size_t i;
	int op;

	for (op = 0; op < CLOPT_OPS; op++)
		for (i = 0; case_bench(op, i, tool_extent(args, info), 0, &p); i++) {
			tool_serves(ctx, &p, clopt_expected_variant, variant, sizeof variant);
			case_describe(&p, text, sizeof text);
			json_array_append_new(
			        list,
			        json_pack("{s:s, s:s, s:s, s:s?}", "operation", clopt_op_name(op),
			                  "element", case_element(&p), "problem", text, "variant",
			                  clopt_expected_variant(ctx, &p) ? variant : NULL));
		}
	return list;
}

static void print_choices(json_t *rows)
{
	static const struct tool_column columns[] = {
		TOOL_TEXT("a large problem runs", "op"),
		TOOL_TEXT("", "element"),
		TOOL_TEXT("", "sizes"),
		TOOL_TEXT_OR("", "variant", "no variant"),
		TOOL_END,
	};
	json_t *row;
	size_t i;

	json_array_foreach(rows, i, row)
	{
		const char *problem = json_string_value(json_object_get(row, "problem"));

		json_object_set_new(row, "sizes", json_stringn(problem, strcspn(problem, " ")));
		json_object_set_new(
		        row, "op",
		        json_sprintf("  %s", json_string_value(json_object_get(row, "operation"))));
	}
	tool_table(stdout, rows, columns);
	json_decref(rows);
}

static json_t *indices_json(const size_t *at, size_t n)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < n; i++)
		json_array_append_new(list, json_integer((json_int_t)at[i]));
	return list;
}

int tool_info(const struct tool_args *args)
{
	struct ask_drivers *d;
	double bytes;
	json_t *kept = NULL, *devices = json_array();
	struct clopt_device_info info;
	struct clopt *ctx = NULL;
	const char *env = getenv("CLOPT_DEVICE");
	const char *asked = args->device ? args->device : env && *env ? env : NULL;
	char why[256] = "its score is the highest";
	size_t i, n, at[ASK_MOST];
	int rc = 1;

	ask_try_drivers(ASK_PATIENCE, args->json ? NULL : stdout);
	progress_say("looking for devices");
	if (!(d = ask_drivers()) || !(kept = ask_kept(&bytes)))
		goto out;
	progress_hide();
	for (i = 0; i < d->skips && !args->json; i++)
		printf("left out: %s%s%s\n  %s\n\n", d->skipped[i].name,
		       *d->skipped[i].library ? ", " : "", d->skipped[i].library,
		       d->skipped[i].reason);
	for (i = 0; i < d->devices; i++)
		if (args->json)
			json_array_append_new(devices, device_json(i, &d->device[i]));
		else
			print_device(i, &d->device[i]);
	rc = tool_open(args, 0, 0, &ctx, &info);
	if (rc)
		goto out;
	n = clopt_members(ctx);
	n = n < ASK_MOST ? n : ASK_MOST;
	rc = tool_members(ctx, n, at);
	if (rc)
		goto out;
	if (asked && *asked && strspn(asked, "0123456789") == strlen(asked))
		at[0] = (size_t)strtoull(asked, NULL, 10); /* others may be alike */
	progress_hide();
	if (asked)
		snprintf(why, sizeof why, "%s=%s asks for it",
		         args->device ? "--device" : "CLOPT_DEVICE", asked);
	if (args->json) {
		rc = tool_json_print(json_pack(
		        "{s:s, s:O, s:o, s:I, s:o, s:o, s:o, s:o}", "version", clopt_version(),
		        "devices", devices, "skipped", ask_skipped(d), "chosen", (json_int_t)at[0],
		        "members", indices_json(at, n), "why", tool_json_text(why), "struck_out",
		        ask_struck_out(kept), "choices", choices_json(args, ctx, &info)));
		goto out;
	}
	printf("clopt %s uses device%s %zu", clopt_version(), n > 1 ? "s" : "", at[0]);
	for (i = 1; i < n; i++)
		printf(" and %zu", at[i]);
	printf(", %s: %s%s\n", info.name, why, n > 1 ? "; they share each call" : "");
	print_choices(choices_json(args, ctx, &info));
	ask_print_struck_out(stdout, kept);
out:
	json_decref(devices);
	json_decref(kept);
	clopt_close(ctx);
	free(d);
	return rc;
}
