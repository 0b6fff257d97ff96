/* SPDX-License-Identifier: MIT */
/*
 * command.c - the subcommands, their help and their options, read by argp.
 */
#include "command.h"

#include <argp.h>
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../../common/options.h"
#include "../../common/words.h"
#include "../ask/ask.h"
#include "../bench/bench.h"

/* The subcommands as bits, which say whose option an option is. */
enum {
	INFO = 1,
	CHECK = 2,
	LIST = 4,
	PLAN = 8,
	BENCH = 16,
	TUNE = 32,
	CACHE = 64,
	OCCUPANCY = 128,
	EXPLAIN = 256,
	HELP = 512,
	MERGE = 1024
};

/* The kind of an option's value. */
enum kind {
	FLAG,
	TEXT,
	COUNT, /* from 1 */
	AMOUNT, /* from 0 */
	LAW,
	SECONDS,
	PRECISION,
	TYPE
};

#define AT(field) offsetof(struct tool_args, field)
#define PROBLEM (PLAN | EXPLAIN) /* a problem on the command line */

static const struct row {
	const char *name, *value;
	enum kind kind;
	size_t at;
	unsigned of; /* the commands that have it */
	const char *help;
} rows[] = {
	{ "all", NULL, FLAG, AT(all), CHECK,
	  "each routine in all types of elements; the compiler takes a second or so for each "
	  "kernel that is in no cache" },
	{ "report", "FILE", TEXT, AT(report), CHECK,
	  "write the page to a file, as with --all, and for sixteen problems the best row of "
	  "the table with its rate, as a record; some minutes; clopt tune --merge takes such "
	  "files" },
	{ "size", "N", COUNT, AT(size), CHECK,
	  "with --report: the scale of its problems; 1024 on a CPU, else 4096" },
	{ "seconds", "S", SECONDS, 0, CHECK,
	  "with --report: for each of its problems, compiling included; 12, and more than 0" },
	{ "merge", NULL, FLAG, AT(merge), TUNE | MERGE,
	  "add the records of these files, reports of clopt check, to the file of records" },
	{ "variant", "NAME", TEXT, AT(variant), PROBLEM | BENCH | OCCUPANCY, "this kernel only" },
	{ "picked", NULL, FLAG, AT(picked), BENCH, "only the library's choice, for a short run" },
	{ "type", "NAME", TYPE, 0, PROBLEM,
	  "of a product's elements: float16, bfloat16, float32, float64, complex64 or complex128" },
	{ "elem-bytes", "N", COUNT, AT(elem_bytes), PROBLEM,
	  "of an element of transpose: 1, 2, 4, 8 or 16; 4" },
	{ "batch", "N", COUNT, AT(batch), PROBLEM, "so many products or transposes in one call" },
	{ "law", "NAME", LAW, 0, PROBLEM | BENCH,
	  "of potential coulomb, distance4, debye, alpb-salt, alpb-far, alpb-inside or "
	  "alpb-inside-salt; of nbody gravity or gravity-own" },
	{ "precision", "NAME", PRECISION, 0, PROBLEM,
	  "float, compensated, double-single, double or best" },
	{ "steps", "N", COUNT, AT(steps), PROBLEM, "of bodies that move; 1" },
	{ "size", "N", COUNT, AT(size), BENCH,
	  "all dimensions; the default depends on the device" },
	{ "size", "N", COUNT, AT(size), TUNE,
	  "the scale of the problems; 1024 on a CPU, else 4096" },
	{ "seconds", "S", SECONDS, 0, BENCH,
	  "for each variant and problem after one call to compile, three calls at least; 0.3" },
	{ "seconds", "S", SECONDS, 0, TUNE,
	  "for each problem, compiling included; 20, and more than 0" },
	{ "rows", NULL, FLAG, AT(rows), TUNE, "rows of the table only, no settings of parameters" },
	{ "compare", NULL, FLAG, AT(compare), TUNE,
	  "time all rows for those problems, except rows ten times as slow as the best at a "
	  "quarter of the size, and print the choice's share of the best one's speed, by the table "
	  "and by records" },
	{ "dry", NULL, FLAG, AT(dry), TUNE, "print the records, and keep none" },
	{ "dry", NULL, FLAG, AT(dry), PLAN, "measure nothing" },
	{ "small", NULL, FLAG, AT(small), BENCH, "sizes for a simulated device" },
	{ "arch", "NAME", TEXT, AT(arch), OCCUPANCY,
	  "sm_30 to sm_121, terascale2, gfx600 to gfx1151; an unknown name lists the known ones" },
	{ "registers", "N", AMOUNT, AT(registers), OCCUPANCY,
	  "of a work-item; 0, as many as do not limit" },
	{ "local", "N", AMOUNT, AT(local_bytes), OCCUPANCY, "bytes of local memory of a group; 0" },
	{ "group", "N", COUNT, AT(group), OCCUPANCY, "work-items of a group; 256" },
	{ "csv", "FILE", TEXT, AT(csv), BENCH, "all numbers as CSV" },
	{ "device", "SPEC", TEXT, AT(device), ~(CACHE | HELP),
	  "an index, vendor:type:name, a word in any of the three, or a PCI address; gpu#1 for the "
	  "second GPU; gpu* or 0+1 for several that share each call: as CLOPT_DEVICE" },
	{ "json", NULL, FLAG, AT(json), ~(TUNE | HELP | MERGE), "the same as JSON" },
};

#define OPERATIONS \
	"OP is matmul, transpose, potential (or gem), nbody, leapfrog, evolve-force, " \
	"evolve-step, " \
	"evolve-sums, tree-keys, tree-sort, tree-cells, tree-potential or tree-nbody; or all."

#define SIZES "Sizes may be written as 1e6 or 64K: K, M, G and T are powers of 1024."

static int tool_help(const struct tool_args *args);

static const struct command commands[] = {
	{ "info", "", INFO, WORDS_NONE, 0.0, tool_info, "",
	  "All devices, best first; the one that is taken, and why; and the variant that "
	  "should serve a large problem there, by the table and records (nothing is built: clopt "
	  "check tries them).  Each driver is tried in a process of its own; one that crashes or "
	  "hangs is kept on record, and programs of the library leave it out until it changes.  "
	  "Drivers that are left out, also for a known bug (a quirk), and the features that a "
	  "device loses by one: CLOPT_QUIRKS in docs/environment.md.  Kernels that were wrong "
	  "at their first use, by the cache." },
	{ "check", "", CHECK, WORDS_OPERATION, 12.0, tool_check, "[OP]",
	  "A page for a report: devices, drivers, their quirks and those left out, the cache, "
	  "tuning; each routine on a small problem of random numbers, and the error found and "
	  "allowed (clopt_selfcheck in clopt_device.h); the share of transfers that was hidden behind kernels.  A few seconds.  Exit status 1 if a result "
	  "is wrong.  With --report, a text file that tells how the library does on a device that "
	  "its authors do not have.\n\n" OPERATIONS },
	{ "list", "", LIST, WORDS_OPERATION, 0.0, tool_list, "[OP]",
	  "One line for each kernel variant, in order of preference.  * marks the choice for a "
	  "large problem.\n\n" OPERATIONS },
	{ "plan", "", PLAN, WORDS_SIZES, 0.0, tool_plan,
	  "matmul M N K\ntranspose ROWS COLS\npotential|nbody SOURCES TARGETS\n"
	  "leapfrog|evolve-force BODIES",
	  "The needs of a call on ordinary arrays, before there are any: whether it fits the "
	  "device, its memory there, bytes moved, pieces, time; the kernel that would run, and the "
	  "reasons against those above it in the table.  Unknown speeds are measured: the kernel "
	  "on a smaller problem, and transfers.  A kernel that CLOPT_VARIANT forces is planned "
	  "with.\n\n" SIZES
	  "  Exit status 3 if the device cannot hold it, or the host its arrays." },
	{ "explain", "", EXPLAIN, WORDS_SIZES, 0.0, tool_explain,
	  "matmul M N K\ntranspose ROWS COLS\npotential|nbody SOURCES TARGETS\n"
	  "leapfrog|evolve-force BODIES",
	  "The kernel that would run, forced by CLOPT_VARIANT, by a record of clopt tune or by the "
	  "table, and the reasons against those before it: the text of clopt_explain.  The "
	  "kernels on the way are built, and nothing is measured.\n\n" SIZES },
	{ "bench", "", BENCH, WORDS_OPERATION, 0.3, tool_bench, "[OP]",
	  "Each variant that runs here on the same problem, in turns:\n\n"
	  "  first ms        the first call, compiling kernels that no cache has\n"
	  "  kernel ms       the kernel alone, by events; median, as the next\n"
	  "  call ms         the whole call on arrays of the host, transfers included\n"
	  "  GFLOP/s ...     the rate of the kernel; `by call' that of the call\n"
	  "  of best         its share of the best variant's rate\n\n"
	  "* marks the choice.  Each result is judged first, as CLOPT_CHECK=always does; a wrong one "
	  "is not timed.\n\n" OPERATIONS "  Roofline, ladders, several devices, transfers, trees: "
	  "examples/bench." },
	{ "tune", "", TUNE, WORDS_OPERATION, 20.0, tool_tune, "[OP]\n--merge FILE...",
	  "Times the variants that can serve, and settings of their parameters, for some twelve "
	  "problems of each routine, and records the best: a line for each in the file of "
	  "CLOPT_TUNING, or tuning.txt in libclopt in XDG_CONFIG_HOME or ~/.config.  All calls on "
	  "this device follow the records; clopt plan and clopt_explain say so.  Settings that do "
	  "not compile are tried too, and the driver's compiler may complain.  The lines are "
	  "printed too: device; driver; problem; variant; its work in a second.  --merge adds the "
	  "records of other files, for any device, but for those that are there.\n\n"
	  "OP is matmul, transpose, potential (or gem) or nbody; or all." },
	{ "tune", "--merge", MERGE, WORDS_FILES, 0.0, tool_merge, "--merge FILE...",
	  "See clopt tune --help." },
	{ "cache", "", CACHE, WORDS_NONE, 0.0, tool_cache, "[list|clear]",
	  "Without a word the folder and its size; list: its files, the latest used first; clear: "
	  "remove them.\n\n"
	  "Compiled kernels are kept for the next process in the folder CLOPT_CACHE_DIR (0: "
	  "nowhere), or else in libclopt in XDG_CACHE_HOME or ~/.cache, up to 256 MiB, each with "
	  "the verdict of its check (CLOPT_CHECK=off, first or always).  A wrong kernel is tried "
	  "again by each process; clear forgets the verdict.  CLOPT_VERBOSE=1 tells for each call "
	  "the files found there." },
	{ "cache", "list", CACHE, WORDS_NONE, 0.0, tool_cache_list, "", "See clopt cache --help." },
	{ "cache", "clear", CACHE, WORDS_NONE, 0.0, tool_cache_clear, "",
	  "See clopt cache --help." },
	{ "occupancy", "", OCCUPANCY, WORDS_SIZES, 0.0, tool_occupancy,
	  "--arch NAME\nmatmul M N K\ntranspose ROWS COLUMNS\npotential|nbody SOURCES TARGETS\n"
	  "leapfrog BODIES",
	  "The number of waves (warps, wavefronts) of a kernel that a compute unit holds at a "
	  "time, its limit, and the same for groups of other sizes.  The first form needs no "
	  "device.  The others ask the driver of an NVIDIA or AMD GPU about the kernel that would "
	  "serve the problem, of float32." },
	{ "help", "", HELP, WORDS_COMMAND, 0.0, tool_help, "[COMMAND [WORD]]",
	  "The options of a command, as clopt COMMAND --help, or without one the commands." },
	{ NULL, NULL, 0, 0, 0.0, NULL, NULL, NULL },
};

const char command_usage[] =
        "usage: clopt info  [options]       devices, and the one that is taken\n"
        "       clopt check [options]       are results right here?  A page for a report\n"
        "       clopt list  [op] [options]  kernel variants, and those that run here\n"
        "       clopt plan OP SIZES... [options]\n"
        "                                   the memory, time and kernel of a call\n"
        "       clopt explain OP SIZES... [options]\n"
        "                                   the kernel that would run, and why\n"
        "       clopt bench [op] [options]  the speed of kernels\n"
        "       clopt tune  [op] [options]  find the best variants here, and keep them\n"
        "       clopt cache [list|clear] [--json]\n"
        "                                   the compiled kernels that are kept on disk\n"
        "       clopt occupancy [op sizes] [options]\n"
        "                                   the waves of a kernel that a compute unit holds\n"
        "       clopt help  [COMMAND]       the options of a command, as clopt COMMAND -h\n"
        "       clopt --version\n";

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
	size_t n = 0;

	if (words_negative(word))
		argp_error(state, "%s is negative: %s", of, word);
	else if (!words_size(word, &n) || n < least)
		argp_error(state, "%s wants a whole number from %zu, as 4096, 1e6 or 64K: %s", of,
		           least, word);
	return n;
}

/* Names of a kind, from first to end. */
struct names {
	const char *(*name)(int);
	int first, end;
};

static const char *next_name(const void *of, size_t i)
{
	const struct names *n = of;

	return n->first + (int)i < n->end ? n->name(n->first + (int)i) : NULL;
}

/* The number of a name, from first on. */
static int named(struct argp_state *state, const char *kind, const char *(*name)(int), int first,
                 int end, const char *word)
{
	const struct names all = { name, first, end };
	const char *near = words_near(word, next_name, &all);
	char known[512] = "";
	size_t used = 0;
	int i = first;

	while (i < end && strcmp(name(i), word) != 0)
		i++;
	if (i < end)
		return i;
	for (i = first; i < end; i++)
		used += (size_t)snprintf(known + used, sizeof known - used, "%s%s",
		                         i == first   ? "" :
		                         i + 1 == end ? " and " :
		                                        ", ",
		                         name(i));
	argp_error(state, "no such %s: %s.%s%s%s  There are %s", kind, word, near ? "  Is it " : "",
	           near ? near : "", near ? "?" : "", known);
	return first;
}

static void take_operation(const struct line *l, struct argp_state *state, const char *name)
{
	int op;

	if (strcmp(name, "all") == 0 && l->args->op < 0 && l->c->words == WORDS_OPERATION)
		return;
	if (strcmp(name, "gem") == 0)
		name = clopt_op_name(CLOPT_OP_POTENTIAL);
	op = named(state, "operation", clopt_op_name, 0, CLOPT_OPS, name);
	if (l->args->op >= 0 && l->args->op != op)
		argp_error(state, "one operation with its own variants and laws, not %s's and %s's",
		           clopt_op_name(l->args->op), name);
	l->args->op = op;
}

static const char *variant_name(const void *of, size_t i)
{
	(void)of;
	return clopt_variant_name(i);
}

static void take_variant(const struct line *l, struct argp_state *state, const char *name)
{
	const size_t n = strcspn(name, ":"); /* settings may follow */
	const char *known, *near;
	size_t i;

	for (i = 0; (known = clopt_variant_name(i)); i++)
		if (strlen(known) == n && strncmp(known, name, n) == 0)
			break;
	if (!known) {
		near = words_near(name, variant_name, NULL);
		argp_error(state, "no such variant: %s.%s%s%s  clopt list has them", name,
		           near ? "  Is it " : "", near ? near : "", near ? "?" : "");
	}
	take_operation(l, state, clopt_op_name(clopt_variant_op(i)));
}

static void take_law(const struct line *l, struct argp_state *state, const char *name)
{
	l->args->law = named(state, "law", clopt_law_name, CLOPT_LAW_COULOMB, CLOPT_LAWS, name);
	take_operation(l, state, clopt_op_name(case_law_op(l->args->law)));
}

/* Of enum clopt_precision. */
static const char *precision_name(int i)
{
	static const char *const names[] = { "float", "compensated", "double-single", "double",
		                             "best" };

	return names[i - CLOPT_PRECISION_FLOAT];
}

static const char *type_name(int i)
{
	return case_types[i].name;
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
		l->args->precision = named(state, "precision", precision_name,
		                           CLOPT_PRECISION_FLOAT, CLOPT_PRECISION_BEST + 1, word);
		break;
	case TYPE:
		l->args->type =
		        case_types[named(state, "type", type_name, 0, CASE_TYPES, word)].type;
		break;
	}
}

/* ---- Words and the whole line ------------------------------------------------------- */

/* The second words of the commands of that name. */
static const char *second_word(const void *of, size_t i)
{
	const struct command *c;

	for (c = commands; c->name; c++)
		if (strcmp(c->name, of) == 0 && *c->word && i-- == 0)
			return c->word;
	return NULL;
}

static void refuse_word(const struct command *c, struct argp_state *state, const char *word)
{
	const char *near = words_near(word, second_word, c->name);

	argp_error(state, "one word too many: %s%s%s%s", word, near ? ".  Is it " : "",
	           near ? near : "", near ? "?" : "");
}

static size_t extents(int op)
{
	return op < 0 ? 0 : case_sizes(op);
}

static void take_word(const struct line *l, struct argp_state *state, const char *word)
{
	struct tool_args *args = l->args;

	if (strcmp(word, l->c->word) == 0)
		return;
	if (l->c->words == WORDS_COMMAND && !args->word[1])
		args->word[args->word[0] != NULL] = word;
	else if (l->c->words == WORDS_FILES && args->files < TOOL_MERGED)
		args->merged[args->files++] = options_input(word);
	else if (l->c->words == WORDS_SIZES && args->op >= 0 && args->dims < extents(args->op))
		args->dim[args->dims++] = number(state, "a size", word, 1);
	else if (l->c->words == WORDS_OPERATION || (l->c->words == WORDS_SIZES && args->op < 0))
		take_operation(l, state, word);
	else
		refuse_word(l->c, state, word);
}

/* The conditions between options. */
static void check_line(const struct line *l, struct argp_state *state)
{
	struct tool_args *args = l->args;

	if (args->variant && args->picked)
		argp_error(state, "either --variant or --picked");
	if (args->variant)
		take_variant(l, state, args->variant);
	if (l->law)
		take_law(l, state, l->law);
	if (l->c->bit == MERGE && !args->files)
		argp_error(state, "--merge wants files");
	if (l->c->bit == CHECK && args->seconds == 0.0)
		argp_error(state, "--seconds wants more than 0");
	if (args->report)
		args->report = options_output(args->report);
	if (l->c->bit == CHECK && args->report && args->json)
		argp_error(state, "either --report or --json");
	if (l->c->bit == CHECK && !args->report && (args->size || args->seconds >= 0.0))
		argp_error(state, "--size and --seconds are of --report");
	if ((l->c->bit & PROBLEM) && args->op < 0)
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
	if (args->elem_bytes & (args->elem_bytes - 1) || args->elem_bytes > 16)
		argp_error(state, "--elem-bytes is 1, 2, 4, 8 or 16: %zu", args->elem_bytes);
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
	else if (key == 'h')
		argp_state_help(state, stdout, ARGP_HELP_STD_HELP);
	else
		return ARGP_ERR_UNKNOWN;
	return 0;
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

/* The options of a command. */
static const char *option_name(const void *of, size_t i)
{
	const struct command *c = of;
	size_t k;

	for (k = 0; k < ROWS; k++)
		if ((rows[k].of & c->bit) && i-- == 0)
			return rows[k].name;
	return NULL;
}

/* What getopt would only call unknown: a negative number, or an option that is misspelt. */
static int misspelt(const struct command *c, int argc, char **argv)
{
	const char *near;
	int i;

	for (i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		if (is_value(argv[i - 1]))
			continue;
		if (words_negative(argv[i]))
			return options_misused(tool_name, "a size is negative: %s", argv[i]);
		if ((near = words_near_option(argv[i], option_name, c)))
			return options_misused(tool_name, "unrecognized option '%s'.  Is it --%s?",
			                       argv[i], near);
	}
	return 0;
}

void command_parse(const struct command *c, int argc, char **argv, struct tool_args *args)
{
	struct argp_option options[ROWS + 2];
	struct argp argp = { options, parse, c->usage, c->help, NULL, NULL, NULL };
	struct line l = { c, args, NULL };
	int i, n = 0;

	for (i = 0; i < ROWS; i++)
		if (rows[i].of & c->bit)
			options[n++] =
			        (struct argp_option){ rows[i].name, FIRST + i, rows[i].value, 0,
				                      rows[i].help, 0 };
	options[n++] = (struct argp_option){ NULL, 'h', NULL, OPTION_HIDDEN, "", 0 };
	options[n] = (struct argp_option){ 0 };
	snprintf(tool_name, sizeof tool_name, "clopt %s", c->name);
	argv[0] = tool_name;
	if (misspelt(c, argc, argv))
		exit(2);
	argp_err_exit_status = 2;
	argp_parse(&argp, argc, argv, 0, NULL, &l);
}

static const char *command_name(const void *of, size_t i)
{
	(void)of;
	return commands[i].name;
}

void command_unknown(const char *program, const char *name)
{
	const struct names ops = { clopt_op_name, 0, CLOPT_OPS };
	const char *near = words_near(name, command_name, NULL);
	const char *op = near ? NULL : words_near(name, next_name, &ops);

	fprintf(stderr, "%s: no such command: %s%s%s%s%s%s\n", program, name,
	        near || op ? ".  Is it " : "", near ? near : "", op ? "clopt bench " : "",
	        op ? op : "", near || op ? "?" : "");
}

static int tool_help(const struct tool_args *args)
{
	char *line[] = { tool_name, (char *)(size_t)args->word[0],
		         (char *)(size_t)(args->word[1] ? args->word[1] : "--help"),
		         (char *)(size_t) "--help", NULL };
	struct tool_args none = { .op = -1 };
	const struct command *c = args->word[0] ? command_find(3, line) : NULL;

	if (c)
		command_parse(c, 3, line + 1, &none); /* exits */
	if (!args->word[0])
		return fputs(command_usage, stdout) == EOF;
	command_unknown(tool_name, args->word[0]);
	return 2;
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
			if (strcmp(argv[i], c->word) == 0 && !is_value(argv[i - 1]))
				return c;
	}
	return found;
}
