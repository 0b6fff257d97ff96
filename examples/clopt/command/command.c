/* SPDX-License-Identifier: MIT */
/*
 * command.c - the subcommands, their help and their options, which common/options.c reads.
 */
#include "command.h"

#include <stddef.h>
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

/* Names by number; 0 is none. */
static const char *laws[CLOPT_LAWS + 1]; /* filled in when they are asked for */
static const char *const precisions[] = { "",       "float", "compensated", "double-single",
	                                  "double", "best",  NULL };
static const char *types[CASE_TYPES + 2];

#define AT(field) offsetof(struct tool_args, field)
#define PROBLEM (PLAN | EXPLAIN) /* a problem on the command line */

#define MANY 0x1p63

/* clang-format off */
static const struct {
	unsigned of; /* the commands that have it */
	struct option_row row;
} rows[] = {
	{ CHECK, FLAG("all", all, "each routine in all types of elements; the compiler takes a second or so "
	                          "for each kernel that is in no cache") },
	{ CHECK, FILE_TO("report", report,
	                 "write the page to a file, as with --all, and for sixteen problems the best row of "
	                 "the table with its rate, as a record; some minutes; clopt tune --merge takes such "
	                 "files") },
	{ CHECK, NUMBER("size", "N", COUNT, size, 1, MANY,
	                "with --report: the scale of its problems; 1024 on a CPU, else 4096") },
	{ CHECK, NUMBER("seconds", "S", ABOVE, seconds, 0, 1e6,
	                "with --report: for each of its problems, compiling included; 12") },
	{ TUNE | MERGE, FLAG("merge", merge, "add the records of these files, reports of clopt check, to the "
	                                     "file of records") },
	{ PROBLEM | BENCH | OCCUPANCY, TEXT("variant", "NAME", variant, "this kernel only") },
	{ BENCH, FLAG("picked", picked, "only the library's choice, for a short run") },
	{ PROBLEM, WORD("type", type, types,
	                "of a product's elements: float16, bfloat16, float32, float64, complex64 or complex128") },
	{ PROBLEM, NUMBER("elem-bytes", "N", COUNT, elem_bytes, 1, MANY,
	                  "of an element of transpose: 1, 2, 4, 8 or 16; 4") },
	{ PROBLEM, NUMBER("batch", "N", COUNT, batch, 1, MANY, "so many products or transposes in one call") },
	{ PROBLEM | BENCH, WORD("law", law, laws,
	                        "of potential coulomb, distance4, debye, alpb-salt, alpb-far, alpb-inside or "
	                        "alpb-inside-salt; of nbody gravity or gravity-own") },
	{ PROBLEM, WORD("precision", precision, precisions,
	                "float, compensated, double-single, double or best") },
	{ PROBLEM, NUMBER("steps", "N", COUNT, steps, 1, MANY, "of bodies that move; 1") },
	{ BENCH, NUMBER("size", "N", COUNT, size, 1, MANY,
	                "all dimensions; the default depends on the device") },
	{ TUNE, NUMBER("size", "N", COUNT, size, 1, MANY,
	               "the scale of the problems; 1024 on a CPU, else 4096") },
	{ BENCH, NUMBER("seconds", "S", FROM, seconds, 0, 1e6,
	                "for each variant and problem after one call to compile, three calls at least; 0.3") },
	{ TUNE, NUMBER("seconds", "S", ABOVE, seconds, 0, 1e6, "for each problem, compiling included; 20") },
	{ TUNE, FLAG("rows", rows, "rows of the table only, no settings of parameters") },
	{ TUNE, FLAG("compare", compare,
	             "time all rows for those problems, except rows ten times as slow as the best at a "
	             "quarter of the size, and print the choice's share of the best one's speed, by the table "
	             "and by records") },
	{ TUNE, FLAG("dry", dry, "print the records, and keep none") },
	{ PLAN, FLAG("dry", dry, "measure nothing") },
	{ BENCH, FLAG("small", small, "sizes for a simulated device") },
	{ OCCUPANCY, TEXT("arch", "NAME", arch,
	                  "sm_30 to sm_121, terascale2, gfx600 to gfx1151; an unknown name lists the known ones") },
	{ OCCUPANCY, NUMBER("registers", "N", COUNT, registers, 0, MANY,
	                    "of a work-item; 0, as many as do not limit") },
	{ OCCUPANCY, NUMBER("local", "N", COUNT, local_bytes, 0, MANY, "bytes of local memory of a group; 0") },
	{ OCCUPANCY, NUMBER("group", "N", COUNT, group, 1, MANY, "work-items of a group; 256") },
	{ BENCH, TEXT("csv", "FILE", csv, "all numbers as CSV") },
	{ ~(CACHE | HELP),
	  TEXT("device", "SPEC", device,
	       "an index, vendor:type:name, a word in any of the three, or a PCI address; gpu#1 for the "
	       "second GPU; gpu* or 0+1 for several that share each call: as CLOPT_DEVICE") },
	{ ~(TUNE | HELP | MERGE), FLAG("json", json, "the same as JSON") },
};
/* clang-format on */

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
	  "allowed (clopt_selfcheck in clopt_device.h); the share of transfers that was hidden "
	  "behind kernels.  A few seconds.  Exit status 1 if a result "
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
	  "* marks the choice.  Each result is judged first, as CLOPT_CHECK=always does; a wrong "
	  "one "
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
	ROWS = sizeof rows / sizeof *rows
};

/* ---- Words: after a wrong one functions return EXIT_MISUSED -------------------------- */

static const char *operation_name(const void *of, size_t i)
{
	(void)of;
	return clopt_op_name((int)i);
}

static int take_operation(const struct command *c, struct tool_args *args, const char *name)
{
	const char *near;
	int op = 0;

	if (strcmp(name, "all") == 0 && args->op < 0 && c->words == WORDS_OPERATION)
		return 0;
	if (strcmp(name, "gem") == 0)
		name = clopt_op_name(CLOPT_OP_POTENTIAL);
	while (op < CLOPT_OPS && strcmp(clopt_op_name(op), name) != 0)
		op++;
	if (op == CLOPT_OPS) {
		near = words_near(name, operation_name, NULL);
		return options_misused(tool_name, "no such operation: %s.%s%s%s  " OPERATIONS, name,
		                       near ? "  Is it " : "", near ? near : "", near ? "?" : "");
	}
	if (args->op >= 0 && args->op != op)
		return options_misused(tool_name,
		                       "one operation with its own variants and laws, not %s's and "
		                       "%s's",
		                       clopt_op_name(args->op), name);
	args->op = op;
	return 0;
}

static const char *variant_name(const void *of, size_t i)
{
	(void)of;
	return clopt_variant_name(i);
}

static int take_variant(const struct command *c, struct tool_args *args)
{
	const char *const name = args->variant, *known, *near;
	const size_t n = strcspn(name, ":"); /* settings may follow */
	size_t i;

	for (i = 0; (known = clopt_variant_name(i)); i++)
		if (strlen(known) == n && strncmp(known, name, n) == 0)
			return take_operation(c, args, clopt_op_name(clopt_variant_op(i)));
	near = words_near(name, variant_name, NULL);
	return options_misused(tool_name, "no such variant: %s.%s%s%s  clopt list has them", name,
	                       near ? "  Is it " : "", near ? near : "", near ? "?" : "");
}

/* The second words of the commands of that name. */
static const char *second_word(const void *of, size_t i)
{
	const struct command *c;

	for (c = commands; c->name; c++)
		if (strcmp(c->name, of) == 0 && *c->word && i-- == 0)
			return c->word;
	return NULL;
}

static size_t sizes_of(int op)
{
	return op < 0 ? 0 : case_sizes(op);
}

static int take_size(struct tool_args *args, const char *word)
{
	size_t *const n = &args->dim[args->dims++];

	if (words_negative(word))
		return options_misused(tool_name, "a size is negative: %s", word);
	if (!words_size(word, n) || !*n)
		return options_misused(tool_name,
		                       "a size is a whole number from 1, as 4096, 1e6 or 64K: %s",
		                       word);
	return 0;
}

static int take_word(const struct command *c, struct tool_args *args, const char *word)
{
	const char *near;

	if (strcmp(word, c->word) == 0)
		return 0;
	if (c->words == WORDS_SIZES && args->op >= 0 && args->dims < sizes_of(args->op))
		return take_size(args, word);
	if (c->words == WORDS_OPERATION || (c->words == WORDS_SIZES && args->op < 0))
		return take_operation(c, args, word);
	if (c->words == WORDS_COMMAND && !args->word[1])
		return (args->word[args->word[0] != NULL] = word, 0);
	if (c->words == WORDS_FILES && args->files < TOOL_MERGED)
		return (args->merged[args->files++] = options_input(word), 0);
	near = words_near(word, second_word, c->name);
	return options_misused(tool_name, "one word too many: %s%s%s%s", word,
	                       near ? ".  Is it " : "", near ? near : "", near ? "?" : "");
}

/* What is wrong with the options together; NULL: nothing. */
static const char *together(const struct command *c, const struct tool_args *args)
{
	const int asks =
	        c->bit == OCCUPANCY && !args->arch; /* the driver about a problem's kernel */

	if (args->variant && args->picked)
		return "either --variant or --picked";
	if (c->bit == MERGE && !args->files)
		return "--merge wants files";
	if (c->bit == CHECK && args->report && args->json)
		return "either --report or --json";
	if (c->bit == CHECK && !args->report && (args->size || args->seconds >= 0.0))
		return "--size and --seconds are of --report";
	if ((c->bit & PROBLEM) && args->op < 0)
		return "wants an operation and its sizes";
	if (c->bit == OCCUPANCY &&
	    (asks ? args->op < 0 : args->op >= 0 || args->variant || args->device))
		return "wants --arch NAME, or else an operation and its sizes, as in clopt "
		       "occupancy "
		       "matmul 512 512 512";
	if (asks && (args->registers || args->local_bytes || args->group))
		return "--registers, --local and --group only with --arch: the driver tells those "
		       "of a "
		       "kernel";
	return NULL;
}

static int check_line(const struct command *c, struct tool_args *args)
{
	const char *wrong = together(c, args);
	int rc = wrong ? options_misused(tool_name, "%s", wrong) : 0;

	if (!rc && args->variant)
		rc = take_variant(c, args);
	if (!rc && args->law)
		rc = take_operation(c, args, clopt_op_name(case_law_op(args->law)));
	if (!rc && c->words == WORDS_SIZES && args->dims != sizes_of(args->op))
		rc = options_misused(tool_name, "%s wants %zu sizes", clopt_op_name(args->op),
		                     sizes_of(args->op));
	if (!rc && (args->elem_bytes & (args->elem_bytes - 1) || args->elem_bytes > 16))
		rc = options_misused(tool_name, "--elem-bytes is 1, 2, 4, 8 or 16: %zu",
		                     args->elem_bytes);
	return rc;
}

/* Whether the option before a word takes the word for its value. */
static int is_value(const char *before)
{
	size_t i;

	for (i = 0; i < ROWS; i++)
		if (rows[i].row.arg && strncmp(before, "--", 2) == 0 &&
		    strcmp(before + 2, rows[i].row.name) == 0)
			return 1;
	return 0;
}

int command_parse(const struct command *c, int argc, char **argv, struct tool_args *args)
{
	struct option_row own[ROWS];
	struct options o = { tool_name, c->usage, c->help, own, 0 };
	struct options_line line = { 0 };
	int i, rc;

	for (i = 0; i < CLOPT_LAWS; i++)
		laws[i] = i ? clopt_law_name(i) : "";
	for (i = 0; i <= CASE_TYPES; i++)
		types[i] = i ? case_types[i - 1].name : "";
	for (i = 0; i < ROWS; i++)
		if (rows[i].of & c->bit)
			own[o.rows++] = rows[i].row;
	snprintf(tool_name, sizeof tool_name, "clopt %s", c->name);
	rc = options_read(&o, args, &line, argc, argv);
	for (i = 0; rc < 0 && i < line.args; i++)
		if (take_word(c, args, line.arg[i]))
			return EXIT_MISUSED;
	if (rc < 0 && check_line(c, args))
		return EXIT_MISUSED;
	if (args->type)
		args->type = case_types[args->type - 1].type;
	if (args->seconds < 0.0)
		args->seconds = c->seconds;
	return rc;
}

static const char *command_name(const void *of, size_t i)
{
	(void)of;
	return commands[i].name;
}

void command_unknown(const char *program, const char *name)
{
	const char *near = words_near(name, command_name, NULL);
	const char *op = near ? NULL : words_near(name, operation_name, NULL);

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
		return command_parse(c, 3, line + 1, &none);
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
