/* SPDX-License-Identifier: MIT */
/*
 * options.c - the options of all subcommands, read by argp.
 */
#include <argp.h>
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "bits.h"
#include "../transfer/transfer.h"

/* The kind of an option's value. */
enum kind {
	FLAG,
	TEXT,
	COUNT, /* from 1 */
	AMOUNT, /* from 0 */
	LAW,
	SECONDS,
	PRECISION,
	THEORETICAL
};

#define AT(field) offsetof(struct tool_args, field)
#define TIMED (BENCH | TRANSFER | STUDY)

static const struct row {
	const char *name, *value;
	enum kind kind;
	size_t at;
	unsigned of; /* the commands that have it */
	const char *help;
} rows[] = {
	{ "all", NULL, FLAG, AT(all), CHECK,
	  "each routine in all types of elements; the compiler takes a second or so for each "
	  "kernel "
	  "that is in no cache" },
	{ "variant", "NAME", TEXT, AT(variant), PLAN | BENCH | OCCUPANCY, "this kernel only" },
	{ "picked", NULL, FLAG, AT(picked), BENCH, "only the library's choice, for a short run" },
	{ "elem-bytes", "N", COUNT, AT(elem_bytes), PLAN,
	  "of an element: 2, 4 or 8; of transpose 1 to 16; 4" },
	{ "batch", "N", COUNT, AT(batch), PLAN, "so many products or transposes in one call" },
	{ "law", "NAME", LAW, 0, PLAN | BENCH,
	  "of potential coulomb, distance4, debye, alpb-salt, alpb-far, alpb-inside or "
	  "alpb-inside-salt; of nbody gravity or gravity-own" },
	{ "precision", "NAME", PRECISION, 0, PLAN,
	  "float, compensated, double-single, double or best" },
	{ "steps", "N", COUNT, AT(steps), PLAN, "of bodies that move; 1" },
	{ "ablation", NULL, FLAG, AT(ablation), STUDY, "GEM's kernel, one optimization at a time" },
	{ "ladder", NULL, FLAG, AT(ladder), STUDY, "of nbody, matmul or transpose, step by step" },
	{ "size", "N", COUNT, AT(size), BENCH | STUDY,
	  "all dimensions; the default depends on the device" },
	{ "size", "N", COUNT, AT(size), TRANSFER, "one size only, in bytes" },
	{ "size", "N", COUNT, AT(size), TUNE,
	  "the scale of the problems; 1024 on a CPU, else 4096" },
	{ "seconds", "S", SECONDS, 0, BENCH,
	  "for each peak, and each variant and problem after one call to compile, three calls at "
	  "least; 0.3" },
	{ "seconds", "S", SECONDS, 0, TRANSFER, "for each number, three repeats at least; 0.2" },
	{ "seconds", "S", SECONDS, 0, STUDY, "for each kernel, seven rounds at least; 0.3" },
	{ "seconds", "S", SECONDS, 0, TUNE,
	  "for each problem, compiling included; 20, and more than 0" },
	{ "rows", NULL, FLAG, AT(rows), TUNE, "rows of the table only, no settings of parameters" },
	{ "compare", NULL, FLAG, AT(compare), TUNE,
	  "time all rows for those problems, except rows ten times as slow as the best at a "
	  "quarter "
	  "of the size, and print the choice's share of the best one's speed, by the table and by "
	  "records" },
	{ "dry", NULL, FLAG, AT(dry), TUNE, "print the records, and keep none" },
	{ "dry", NULL, FLAG, AT(dry), PLAN, "measure nothing" },
	{ "theoretical", "G", THEORETICAL, 0, TRANSFER,
	  "the memory's bandwidth by its datasheet: GB/s, or MHZxBITS, clock and width of a double "
	  "data rate memory" },
	{ "small", NULL, FLAG, AT(small), TIMED,
	  "sizes for a simulated device, without shares of its peaks" },
	{ "arch", "NAME", TEXT, AT(arch), OCCUPANCY,
	  "sm_10 to sm_121, terascale2, gfx600 to gfx1151; an unknown name lists the known ones" },
	{ "registers", "N", AMOUNT, AT(registers), OCCUPANCY,
	  "of a work-item; 0, as many as do not limit" },
	{ "local", "N", AMOUNT, AT(local_bytes), OCCUPANCY, "bytes of local memory of a group; 0" },
	{ "group", "N", COUNT, AT(group), OCCUPANCY, "work-items of a group; 256" },
	{ "svg", "FILE", TEXT, AT(svg), BENCH, "draw the roofline, with the routines in float32" },
	{ "svg", "FILE", TEXT, AT(svg), TRANSFER, "draw offsets and strides against bandwidth" },
	{ "svg", "FILE", TEXT, AT(svg), STUDY, "draw the speed-ups as bars" },
	{ "svg", "FILE", TEXT, AT(svg), TRACE, "the picture" },
	{ "csv", "FILE", TEXT, AT(csv), TIMED, "all numbers as CSV" },
	{ "device", "SPEC", TEXT, AT(device), ~(CACHE | TRACE),
	  "an index, vendor:type:name, or a word in any of the three; as CLOPT_DEVICE" },
	{ "json", NULL, FLAG, AT(json), ~(TUNE | TRACE), "the same as JSON" },
};

enum {
	ROWS = sizeof rows / sizeof *rows,
	FIRST = 256 /* keys of rows: no characters, so no short options */
};

/* A line on its way. */
struct line {
	const struct command *c;
	struct tool_args *args;
	const char *law;
};

/* ---- Values: a wrong one ends the program ----------------------------------------- */

static size_t number(struct argp_state *state, const char *of, const char *word, size_t least)
{
	unsigned long long n;
	char *end;

	errno = 0;
	n = strtoull(word, &end, 10);
	if (errno || end == word || *end || strchr(word, '-') || n < least || n > SIZE_MAX)
		argp_error(state, "%s wants a whole number from %zu: %s", of, least, word);
	return (size_t)n;
}

static void take_operation(const struct line *l, struct argp_state *state, const char *name)
{
	int op;

	if (strcmp(name, "all") == 0 && l->args->op < 0 && l->c->words == WORDS_OPERATION)
		return;
	if (strcmp(name, "gem") == 0)
		name = clopt_op_name(CLOPT_OP_POTENTIAL);
	for (op = 0; op < CLOPT_OPS && strcmp(clopt_op_name(op), name) != 0; op++)
		;
	if (op == CLOPT_OPS)
		argp_error(state, "no such operation: %s", name);
	if (l->args->op >= 0 && l->args->op != op)
		argp_error(state, "one operation with its own variants and laws, not %s's and %s's",
		           clopt_op_name(l->args->op), name);
	l->args->op = op;
}

static void take_variant(const struct line *l, struct argp_state *state, const char *name)
{
	const size_t n = strcspn(name, ":"); /* settings may follow */
	const char *known;
	size_t i;

	for (i = 0; (known = clopt_variant_name(i)); i++)
		if (strlen(known) == n && strncmp(known, name, n) == 0)
			break;
	if (!known)
		argp_error(state, "no such variant: %s", name);
	take_operation(l, state, clopt_op_name(clopt_variant_op(i)));
}

static void take_law(const struct line *l, struct argp_state *state, const char *name)
{
	int law;

	for (law = CLOPT_LAW_COULOMB; law < CLOPT_LAWS; law++)
		if (strcmp(clopt_law_name(law), name) == 0)
			break;
	if (law == CLOPT_LAWS)
		argp_error(state, "no such law: %s", name);
	l->args->law = law;
	take_operation(l, state, clopt_op_name(case_law_op(law)));
}

static int precision(struct argp_state *state, const char *word)
{
	static const char *const names[] = { "float", "compensated", "double-single", "double",
		                             "best" };
	int i;

	for (i = 0; i < 5; i++)
		if (strcmp(names[i], word) == 0)
			return i;
	argp_error(state, "no such precision: %s", word);
	return 0;
}

static void take_option(struct line *l, struct argp_state *state, const struct row *r,
                        const char *word)
{
	unsigned char *const at = (unsigned char *)l->args + r->at;
	char *end;

	switch (r->kind) {
	case FLAG:
		*(int *)(void *)at = 1;
		break;
	case TEXT:
		*(const char **)(void *)at = word;
		break;
	case COUNT:
	case AMOUNT:
		*(size_t *)(void *)at = number(state, r->name, word, r->kind == COUNT);
		break;
	case LAW:
		l->law = word;
		break;
	case SECONDS:
		l->args->seconds = strtod(word, &end);
		if (end == word || *end || !isfinite(l->args->seconds) || l->args->seconds < 0.0)
			argp_error(state, "seconds wants a number from 0: %s", word);
		break;
	case PRECISION:
		l->args->precision = precision(state, word);
		break;
	case THEORETICAL:
		l->args->theoretical = transfer_read_theoretical(word);
		if (!(l->args->theoretical > 0.0))
			argp_error(state, "theoretical wants GB/s, or MHZxBITS: %s", word);
		break;
	}
}

/* ---- Words and the whole line ------------------------------------------------------- */

/* Sizes that the problems of an operation have. */
static size_t extents(int op)
{
	return op < 0                                                                       ? 0 :
	       op == CLOPT_OP_MATMUL                                                        ? 3 :
	       op == CLOPT_OP_TRANSPOSE || op == CLOPT_OP_POTENTIAL || op == CLOPT_OP_NBODY ? 2 :
	                                                                                      1;
}

static void take_word(const struct line *l, struct argp_state *state, const char *word)
{
	struct tool_args *args = l->args;

	if (strcmp(word, l->c->word) == 0)
		return;
	if (l->c->words == WORDS_FILE && !args->file)
		args->file = word;
	else if (l->c->words == WORDS_SIZES && args->op >= 0 && args->dims < extents(args->op))
		args->dim[args->dims++] = number(state, "a size", word, 1);
	else if (l->c->words == WORDS_OPERATION || (l->c->words == WORDS_SIZES && args->op < 0))
		take_operation(l, state, word);
	else
		argp_error(state, "one word too many: %s", word);
}

/* The conditions between options. */
static void check_line(const struct line *l, struct argp_state *state)
{
	struct tool_args *args = l->args;
	const int study = !args->ladder ? CLOPT_OP_POTENTIAL :
	                  args->op == CLOPT_OP_MATMUL || args->op == CLOPT_OP_TRANSPOSE ?
	                                  args->op :
	                                  CLOPT_OP_NBODY;

	if (args->variant && args->picked)
		argp_error(state, "either --variant or --picked");
	if (l->c->bit == STUDY && args->ablation && args->ladder)
		argp_error(state, "either --ablation or --ladder");
	if (l->c->bit == STUDY && args->op >= 0 && args->op != study)
		argp_error(state, "that study is of another operation than %s",
		           clopt_op_name(args->op));
	if (args->variant)
		take_variant(l, state, args->variant);
	if (l->law)
		take_law(l, state, l->law);
	if (l->c->bit == TRACE && (!args->file || !args->svg))
		argp_error(state, "wants FILE.json and --svg FILE");
	if (l->c->bit == PLAN && args->op < 0)
		argp_error(state, "wants an operation and its sizes");
	if (l->c->bit == OCCUPANCY &&
	    (args->arch ? args->op >= 0 || args->variant || args->device : args->op < 0))
		argp_error(state, "wants --arch NAME, or else an operation and its sizes, as in "
		                  "clopt occupancy matmul 512 512 512");
	if (l->c->bit == OCCUPANCY && !args->arch &&
	    (args->registers || args->local_bytes || args->group))
		argp_error(state, "--registers, --local and --group only with --arch: the driver "
		                  "tells those of a kernel");
	if (l->c->words == WORDS_SIZES && args->dims != extents(args->op))
		argp_error(state, "%s wants %zu sizes", clopt_op_name(args->op), extents(args->op));
	if (args->seconds < 0.0)
		args->seconds = l->c->seconds;
}

static error_t parse(int key, char *word, struct argp_state *state)
{
	struct line *l = state->input;

	if (key >= FIRST && key < FIRST + ROWS)
		take_option(l, state, &rows[key - FIRST], word);
	else if (key == ARGP_KEY_ARG)
		take_word(l, state, word);
	else if (key == ARGP_KEY_END)
		check_line(l, state);
	else
		return ARGP_ERR_UNKNOWN;
	return 0;
}

/* Options of the command for argp. */
static void fill(const struct command *c, struct argp_option *options)
{
	size_t i, n = 0;

	for (i = 0; i < ROWS; i++)
		if (rows[i].of & c->bit)
			options[n++] = (struct argp_option){ rows[i].name,  FIRST + (int)i,
				                             rows[i].value, 0,
				                             rows[i].help,  0 };
	options[n] = (struct argp_option){ 0 };
}

void command_help(const struct command *c, FILE *to)
{
	struct argp_option options[ROWS + 1];
	struct argp argp = { options, parse, c->usage, c->help, NULL, NULL, NULL };
	char name[64];

	fill(c, options);
	snprintf(name, sizeof name, "clopt %s%s%s", c->name, *c->word ? " " : "",
	         *c->word == '-' ? "" : c->word);
	argp_help(&argp, to, ARGP_HELP_STD_HELP & ~(unsigned)ARGP_HELP_EXIT_OK, name);
}

void command_parse(const struct command *c, int argc, char **argv, struct tool_args *args)
{
	struct argp_option options[ROWS + 1];
	struct argp argp = { options, parse, c->usage, c->help, NULL, NULL, NULL };
	struct line l = { c, args, NULL };
	char name[64];

	fill(c, options);
	snprintf(name, sizeof name, "clopt %s", c->name);
	argv[0] = name;
	argp_err_exit_status = 2;
	argp_parse(&argp, argc, argv, 0, NULL, &l);
}

/* Whether the option before a word takes the word for its value. */
static int is_value(const char *before)
{
	size_t i;

	for (i = 0; i < ROWS; i++)
		if (rows[i].value && strncmp(before, "--", 2) == 0 &&
		    strcmp(before + 2, rows[i].name) == 0)
			return 1;
	return 0;
}

const struct command *command_find(int argc, char **argv)
{
	const struct command *c, *found = NULL;
	int i;

	for (c = commands; argc > 1 && c->name; c++) {
		if (strcmp(c->name, argv[1]) != 0)
			continue;
		if (!*c->word)
			found = c;
		for (i = 2; i < argc; i++)
			if ((strcmp(argv[i], c->word) == 0 && !is_value(argv[i - 1])) ||
			    (c->bit == STUDY && strlen(argv[i]) > 3 &&
			     (strncmp(argv[i], "--ablation", strlen(argv[i])) == 0 ||
			      strncmp(argv[i], "--ladder", strlen(argv[i])) == 0)))
				return c;
	}
	return found;
}
