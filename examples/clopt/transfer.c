/* SPDX-License-Identifier: MIT */
/*
 * transfer.c - `clopt bench transfer': how fast data gets to the device, and how
 * fast the device gets at it.
 */
#include "transfer.h"

#include <stdlib.h>

/* Before anything is measured, so that a path that is none costs no time. */
static int open_file(FILE **f, const char *path)
{
	*f = path ? fopen(path, "w") : NULL;
	if (path && !*f) {
		perror(path);
		return 1;
	}
	return 0;
}

static int close_file(FILE *f, const char *path)
{
	if (f && (ferror(f) | fclose(f))) {
		perror(path);
		return 1;
	}
	return 0;
}

int tool_transfer(const struct tool_args *args)
{
	struct transfer_bench b = { .args = args };
	FILE *csv = NULL, *svg = NULL;
	size_t i;
	int rc;

	rc = open_file(&csv, args->csv) || open_file(&svg, args->svg);
	if (rc)
		goto out;
	rc = transfer_host(&b) || transfer_device(&b);
	if (rc)
		goto out;
	if (args->json)
		rc = tool_json_print(transfer_report_json(&b));
	else
		transfer_report_text(&b);
	if (csv)
		transfer_report_csv(&b, csv);
	if (svg)
		transfer_report_svg(&b, svg);
	for (i = 0; i < b.n; i++)
		if (b.cell[i].verdict)
			rc = 1;
out:
	rc |= close_file(csv, args->csv);
	rc |= close_file(svg, args->svg);
	free(b.cell);
	return rc;
}
