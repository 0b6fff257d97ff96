/* SPDX-License-Identifier: MIT */
/*
 * tool.h - the room of the things that subcommands share: arguments, opening a device,
 * files, tables, timing in turns.  It includes the room cases/.
 *
 * A subcommand takes the arguments and returns the program's exit status: 0, or 1 after
 * it has told the failure on stderr.
 */
#ifndef TOOL_H
#define TOOL_H

#include <jansson.h>
#include <stdio.h>

#include "../cases/cases.h"

enum {
	TOOL_MERGED = 256
};

struct tool_args {
	const char *device; /* NULL: none was asked for */
	const char *variant, *csv;
	int forced; /* a variant of CLOPT_VARIANT counts */
	const char *word[2]; /* of help */
	const char *report; /* of check */
	const char *merged[TOOL_MERGED]; /* of tune */
	size_t files;
	const char *tuning; /* of struct clopt_options */
	int op; /* -1: all */
	int law; /* enum clopt_law; 0: that of the operation */
	int json, small;
	int all; /* check: each type of element */
	int rows, dry; /* tune: as in struct clopt_tune_options, ... */
	int compare; /* ... or the choices beside all rows, ... */
	int merge; /* ... or records of others */
	int picked; /* only the library's choice of variants */
	int share; /* enum clopt_share */
	int small_on; /* enum clopt_small */
	size_t size; /* 0: the size that suits the device */
	double seconds;
	/* Of occupancy: an architecture and a kernel's needs, or a problem. */
	const char *arch;
	size_t registers, local_bytes, group;
	size_t dim[3], dims;
	/* Of a plan's problem, beside that; 0 for a default. */
	size_t elem_bytes, batch, steps;
	int type, precision;
};

/* ----------------------------------------------------------- tool.c ---- */

/* "clopt COMMAND", with which messages begin; "clopt" before a command is read. */
extern char tool_name[64];

/* Tell on stderr "clopt COMMAND: message", behind what is on stdout; returns 1. */
int tool_tell(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Open the context and get its device's information; queues as in the options.  0 or 1. */
int tool_open(const struct tool_args *args, int profile, unsigned queues, struct clopt **ctx,
              struct clopt_device_info *info);

/* The indices of the context's first n devices in the list of all.  0, or 1 after it has told the
 * failure. */
int tool_members(struct clopt *ctx, size_t n, size_t *index);

/* Tell the last failure; doing NULL: what the command is called for.  Returns 1. */
int tool_fail(const struct clopt *ctx, const char *doing);
int tool_no_memory(void);

enum case_extent tool_extent(const struct tool_args *args, const struct clopt_device_info *info);

/* clopt_chosen_variant or clopt_expected_variant. */
typedef const char *tool_asked(struct clopt *ctx, const struct clopt_problem *p);

/* Either in words, with the sum over pairs inside leapfrog. */
void tool_serves(struct clopt *ctx, const struct clopt_problem *p, tool_asked *asked, char *text,
                 size_t size);

/* Open the file of --csv (NULL: not asked for), run, close it: a wrong path costs no time.
 * run()'s status, or 1 after an error message. */
int tool_with_csv(const struct tool_args *args,
                  int (*run)(const struct tool_args *args, FILE *csv));

enum {
	TOOL_AMOUNT = 32
};

/* 1536 as "1.5 KiB"; returns text. */
const char *tool_bytes(char text[TOOL_AMOUNT], double bytes);

/* --------------------------------------------------------- report.c ---- */

/* A string for jansson, which refuses broken UTF-8; x, or null unless x is finite and
 * above 0. */
json_t *tool_json_text(const char *text);
json_t *tool_json_known(double x);

/* Print and release it; NULL means that memory ran out.  0 or 1. */
int tool_json_print(json_t *json);

/*
 * A column of a table, from rows of JSON.
 * key: member of the row; several with blanks between are joined by ": ".
 * format: of a number, printed times `times'; NULL: of a text.  "*" marks true.
 * none: in place of null; NULL: "-".
 */
struct tool_column {
	const char *head, *key, *format;
	double times;
	const char *none;
};

/* clang-format off */
#define TOOL_TEXT(head, key) { head, key, NULL, 1, NULL }
#define TOOL_TEXT_OR(head, key, none) { head, key, NULL, 1, none }
#define TOOL_NUMBER(head, key, format, times) { head, key, format, times, NULL }
#define TOOL_END { NULL, NULL, NULL, 0, NULL }
/* clang-format on */

/* The last column has no head.  A table ends each column at its widest cell. */
void tool_table(FILE *to, const json_t *rows, const struct tool_column *columns);

/* CSV of these members, NULL at the end; numbers have nine digits. */
void tool_csv(FILE *to, const json_t *rows, const char *const *names, int head);

/* ---------------------------------------------------------- turns.c ---- */

enum {
	TOOL_REPEATS = 200
};

/* Times of one thing, by repeat. */
struct tool_sample {
	double seconds[TOOL_REPEATS];
	size_t repeats;
	double spent; /* with the time before and after the timed part */
	const char *verdict; /* NULL: it is sound; else "WRONG" or "failed" ... */
	char why[256]; /* ... and the reason */
};

void tool_sample_add(struct tool_sample *s, double seconds, double spent);

/* The verdict, or "ok"; the reason or null. */
const char *tool_verdict(const struct tool_sample *s);
json_t *tool_why(const struct tool_sample *s);

/* A call by the variant (NULL: the library's choice) and its report.  1, or 0 with a verdict. */
int tool_call(struct tool_sample *s, struct clopt *ctx, const char *variant, struct case_job *job,
              struct clopt_report *report);

/* Sorts x. */
double tool_median(double *x, size_t n);

/*
 * Clocks drift, and others work on the machine; so n samples, the first members of structs
 * of `stride` bytes, take turns, until each has had `least` repeats and `seconds`.
 * once() runs the i-th and adds its time.
 */
void tool_turns(struct tool_sample *first, size_t stride, size_t n, size_t least, double seconds,
                void (*once)(void *what, size_t i, struct tool_sample *s), void *what);

#endif
