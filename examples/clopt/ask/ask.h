/* SPDX-License-Identifier: MIT */
/*
 * ask.h - the room of questions: devices, variants, plans, the cache, occupancy, speed, tuning
 * and correctness.  It includes the room tool/.
 */
#ifndef ASK_H
#define ASK_H

#include "../tool/tool.h"

int tool_info(const struct tool_args *args);
int tool_list(const struct tool_args *args);
int tool_check(const struct tool_args *args);
int tool_plan(const struct tool_args *args);
int tool_explain(const struct tool_args *args);
int tool_bench(const struct tool_args *args);
int tool_tune(const struct tool_args *args);
int tool_merge(const struct tool_args *args);
int tool_cache(const struct tool_args *args);
int tool_cache_list(const struct tool_args *args);
int tool_cache_clear(const struct tool_args *args);
int tool_occupancy(const struct tool_args *args);

/* ---------------------------------------------------------- cache.c ---- */

/* Files on disk as rows of JSON (kind, what, bytes, used, wrong, driver); `bytes' of them
 * all.  NULL after a failure, which has been told. */
json_t *ask_kept(double *bytes);
/* Of these the kernels that were wrong at their first use, ... */
json_t *ask_struck_out(const json_t *kept);
/* ... in words. */
void ask_print_struck_out(FILE *f, const json_t *kept);

/* ----------------------------------------------------------- tune.c ---- */

/* Records for some problems of each routine, and in comments the library's choice beside each;
 * keeps none.  0, or 1 after it has told the failure. */
int ask_report_rates(const struct tool_args *args, FILE *f);

/* -------------------------------------------------------- drivers.c ---- */

enum {
	ASK_MOST = 64,
	ASK_PATIENCE = 30 /* seconds: each of eight GPUs takes up to 3 to wake */
};

/* Devices and the drivers that were left out; NULL after a failure, which has been told. */
struct ask_drivers {
	struct clopt_device_info device[ASK_MOST];
	struct clopt_skipped_driver skipped[ASK_MOST];
	size_t devices, skips;
};
struct ask_drivers *ask_drivers(void);
/* Before all other calls: tries each driver for so long, with a line for each in f, and keeps the
 * faulty ones on record.  A failure has been told. */
void ask_try_drivers(double seconds, FILE *f);
json_t *ask_skipped(const struct ask_drivers *d);

#endif
