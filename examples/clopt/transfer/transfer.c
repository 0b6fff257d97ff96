/* SPDX-License-Identifier: MIT */
/*
 * transfer.c - `clopt bench transfer': how fast data gets to the device, and how
 * fast the device gets at it.
 */
#include "transfer.h"

#include <stdlib.h>

int tool_transfer(const struct tool_args *args)
{
	struct transfer_bench b = { .args = args };
	FILE *csv = NULL, *svg = NULL;
	size_t i;
	int rc;

	rc = tool_file_open(&csv, args->csv) || tool_file_open(&svg, args->svg);
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
	rc |= tool_file_close(csv, args->csv);
	rc |= tool_file_close(svg, args->svg);
	free(b.cell);
	return rc;
}
