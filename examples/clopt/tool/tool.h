/* SPDX-License-Identifier: MIT */
/*
 * tool.h - what the files of the program `clopt' share.
 *
 * A subcommand takes the arguments and returns the program's exit status: 0, or
 * 1 after it has said on stderr what went wrong.
 */
#ifndef TOOL_H
#define TOOL_H

#include <jansson.h>
#include <stdio.h>

#include "../cases/cases.h"

struct tool_args {
	const char *device; /* NULL: none was asked for */
	const char *variant, *csv, *svg;
	int op; /* -1: all */
	int law; /* enum clopt_law; 0: that of the operation */
	int json, small;
	int all; /* check: each type of element */
	int ablation, ladder; /* which study */
	int rows, dry; /* tune: as in struct clopt_tune_options, ... */
	int compare; /* ... or only the choices beside all rows */
	int picked; /* of the variants only what the library takes */
	int transfer; /* enum clopt_transfer */
	size_t size; /* 0: the size that suits the device */
	double seconds;
	double theoretical; /* GB/s of the device's memory; 0: not given */
	/* Of occupancy: an architecture and what a kernel asks for, or a problem. */
	const char *arch;
	size_t registers, local_bytes, group;
	size_t dim[3], dims;
	/* Of a plan's problem, beside that; 0 for a default. */
	size_t elem_bytes, batch, steps;
	int precision;
	double tune_seconds; /* of struct clopt_options */
};

int tool_info(const struct tool_args *args);
int tool_list(const struct tool_args *args);
int tool_bench(const struct tool_args *args);
int tool_transfer(const struct tool_args *args);
int tool_study(const struct tool_args *args);
int tool_check(const struct tool_args *args);
int tool_plan(const struct tool_args *args);
int tool_tune(const struct tool_args *args);
int tool_cache(const struct tool_args *args);
int tool_cache_list(const struct tool_args *args);
int tool_cache_clear(const struct tool_args *args);
int tool_occupancy(const struct tool_args *args);

/* ----------------------------------------------------------- help.c ---- */

extern const char tool_usage[], tool_info_help[], tool_list_help[], tool_bench_help[],
        tool_transfer_help[], tool_study_help[], tool_tune_help[], tool_cache_help[],
        tool_occupancy_help[], tool_plan_help[], tool_check_help[];

/* ----------------------------------------------------------- tool.c ---- */

/* Open the context and find out about its device; queues as in the options.  0
 * or 1. */
int tool_open(const struct tool_args *args, int profile, unsigned queues, struct clopt **ctx,
              struct clopt_device_info *info);

/* The last failure on stderr; returns 1. */
int tool_fail(const struct clopt *ctx, const char *doing);

enum case_extent tool_extent(const struct tool_args *args, const struct clopt_device_info *info);

/* The variant that the library would take; NULL if none serves. */
const char *tool_choice(struct clopt *ctx, int op, const struct shape *shape);

/* The same in words, with all that a call takes: leapfrog has a sum over pairs in it. */
void tool_serves(struct clopt *ctx, int op, const struct shape *shape, char *text, size_t size);

/* Sorts x. */
double tool_median(double *x, size_t n);

/* For output, before anything is measured, so that a path that is none costs no
 * time.  path NULL: no file.  0, or 1 after saying what is wrong. */
int tool_file_open(FILE **f, const char *path);
int tool_file_close(FILE *f, const char *path);

/* A string or number for jansson, which takes neither broken UTF-8 nor
 * infinity. */
json_t *tool_json_text(const char *text);
json_t *tool_json_real(double x);

/* Print and release it; NULL means memory ran out on the way.  0 or 1. */
int tool_json_print(json_t *json);

/* ---------------------------------------------------------- cache.c ---- */

/* What is in the cache; *list is to be freed, also after a failure.  0 or 1. */
int tool_kept(struct clopt_cached **list, size_t *n);
/* Lines about kernels in it that were wrong at their first use; or the same as JSON. */
void tool_struck_out(const struct clopt_cached *list, size_t n);
json_t *tool_struck_out_json(const struct clopt_cached *list, size_t n);

/* ---------------------------------------------------------- table.c ---- */

enum {
	TOOL_CELL = 160
};

/* Rows of text, printed in columns as wide as they need to be. */
struct tool_table {
	size_t columns;
	const char *align; /* a letter for each column: l or r */
	char (*cell)[TOOL_CELL];
	size_t used, room; /* cells */
	int failed; /* memory ran out */
};

void tool_table_add(struct tool_table *t, const char *format, ...);
void tool_table_print(struct tool_table *t, FILE *to);
void tool_table_clear(struct tool_table *t);

#endif
