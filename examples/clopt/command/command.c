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
	{ CHECK, FLAG("all", all, "all types of elements, laws and precisions; compiling takes about a second "
	                          "each") },
	{ CHECK, FILE_TO("report", report,
	                 "write the page to FILE, as with --all, with the speed of sixteen problems; some "
	                 "minutes") },
	{ CHECK, NUMBER("size", "N", COUNT, size, 1, MANY,
	                "with --report: scale of its problems (1024 on a CPU, else 4096)") },
	{ CHECK, NUMBER("seconds", "S", ABOVE, seconds, 0, 1e6,
	                "with --report: seconds for each of its problems, compiling included (12)") },
	{ TUNE | MERGE, FLAG("merge", merge, "add the records of FILEs, as reports of clopt check, to the "
	                                     "tuning file") },
	{ PROBLEM | BENCH | OCCUPANCY, TEXT("variant", "NAME", variant, "only this variant, such as "
	                                                                "matmul/plain") },
	{ BENCH, FLAG("picked", picked, "only the variant that the library picks") },
	{ PROBLEM, WORD("type", type, types,
	                "of matmul: float16, bfloat16, float32 (the default), float64, complex64, complex128 or int8") },
	{ PROBLEM, NUMBER("elem-bytes", "N", COUNT, elem_bytes, 1, MANY,
	                  "of transpose: bytes of an element, 1, 2, 4, 8 or 16 (4)") },
	{ PROBLEM, NUMBER("batch", "N", COUNT, batch, 1, MANY, "number of products or transposes in one call (1)") },
	{ PROBLEM | BENCH, WORD("law", law, laws,
	                        "law of potential (coulomb) or nbody (gravity); a wrong name lists all") },
	{ PROBLEM, WORD("precision", precision, precisions,
	                "float (the default of pairs), compensated, double-single, double or best") },
	{ PROBLEM, NUMBER("steps", "N", COUNT, steps, 1, MANY, "number of steps of moving bodies (1)") },
	{ BENCH, NUMBER("size", "N", COUNT, size, 1, MANY,
	                "all dimensions (default: by the device)") },
	{ TUNE, NUMBER("size", "N", COUNT, size, 1, MANY,
	               "scale of the problems (1024 on a CPU, else 4096)") },
	{ BENCH, NUMBER("seconds", "S", FROM, seconds, 0, 1e6,
	                "seconds for each variant after one call to compile, at least three calls (0.3)") },
	{ TUNE, NUMBER("seconds", "S", ABOVE, seconds, 0, 1e6,
	               "seconds for each problem, compiling included (20)") },
	{ TUNE, FLAG("rows", rows, "only variants of the table, no settings of their parameters") },
	{ TUNE, FLAG("compare", compare,
	             "time all variants, unless far slower; print the speed of the choice as a share of the best") },
	{ TUNE, FLAG("dry", dry, "print the records without keeping them") },
	{ PLAN, FLAG("dry", dry, "measure nothing") },
	{ BENCH, FLAG("small", small, "small sizes, for a simulated device") },
	{ OCCUPANCY, TEXT("arch", "NAME", arch,
	                  "architecture: sm_30 to sm_121, terascale2, gfx600 to gfx1151; a wrong name lists all") },
	{ OCCUPANCY, NUMBER("registers", "N", COUNT, registers, 0, MANY,
	                    "registers of a work-item (0: they do not limit)") },
	{ OCCUPANCY, NUMBER("local", "N", COUNT, local_bytes, 0, MANY, "bytes of local memory of a work-group (0)") },
	{ OCCUPANCY, NUMBER("group", "N", COUNT, group, 1, MANY, "work-items of a work-group (256)") },
	{ BENCH, TEXT("csv", "FILE", csv, "write all numbers to FILE, as CSV") },
	{ ~(CACHE | HELP),
	  TEXT("device", "SPEC", device,
	       "an index, a word, vendor:type:name or a PCI address; gpu* or 0+1: all of them (the fastest)") },
	{ ~(TUNE | HELP | MERGE), FLAG("json", json, "print JSON") },
};
/* clang-format on */

#define PRODUCTS "OP is matmul, transpose, potential (or gem), nbody"

#define OPERATIONS \
	"OP is matmul, transpose, potential (or gem), nbody, leapfrog, evolve-step, " \
	"evolve-sums, tree-keys, tree-sort, tree-cells, tree-potential, tree-nbody " \
	"or all (the default)."

#define SIZES \
	"Sizes may be written as 1e6 or 64K: K, M, G and T are powers of 1024.  Values in " \
	"parentheses are defaults."

/* The operations of the commands that take fewer of them. */
#define ASKED PRODUCTS ", leapfrog or evolve-step."
#define COUNTED PRODUCTS " or leapfrog."
#define TUNED PRODUCTS " or all (the default)."

#define TUNE_HELP \
	"Examples:\n" \
	"  clopt tune\n" \
	"  clopt tune matmul --seconds 60\n" \
	"  clopt tune --merge report.txt\n\n" \
	"Times variants, and settings of their parameters, on some twelve problems of each " \
	"routine, and records the best in the tuning file: CLOPT_TUNING, or libclopt/tuning.txt " \
	"in " \
	"XDG_CONFIG_HOME or ~/.config.  All calls on this device then follow the records.  Each " \
	"record is printed: device; driver; problem; variant; work per second.  Settings that do " \
	"not compile are tried too, and the driver's compiler may complain.  --merge adds the " \
	"records of other files, for any device; records that are there stay.\n\n" TUNED

#define CACHE_HELP \
	"Examples:\n" \
	"  clopt cache\n" \
	"  clopt cache list\n" \
	"  clopt cache clear\n\n" \
	"The folder of compiled kernels and its size; list prints its files, the latest used " \
	"first; clear removes them.\n\n" \
	"The folder is CLOPT_CACHE_DIR (0: none), or libclopt in XDG_CACHE_HOME or ~/.cache.  It " \
	"holds up to 256 MiB.  Each kernel has the result of its check (CLOPT_CHECK) beside it; " \
	"clear forgets that too.  With CLOPT_VERBOSE=1 each call prints what it found there."

static int tool_help(const struct tool_args *args);

static const struct command commands[] = {
	{ "info", "", INFO, WORDS_NONE, 0.0, tool_info, "",
	  "Examples:\n"
	  "  clopt info\n"
	  "  clopt info --device gpu\n"
	  "  clopt info --json\n\n"
	  "All devices, best first; the device that calls take, and why; the variant for a large "
	  "problem of each operation, by the table and records.  Nothing is built: clopt check "
	  "does that.  Each driver is tried in a process of its own.  One that crashes or hangs is "
	  "put on record, and left out by all programs until it changes.  Quirks are known bugs of "
	  "drivers, and the features or drivers that are left out for them: see CLOPT_QUIRKS in "
	  "docs/environment.md." },
	{ "check", "", CHECK, WORDS_OPERATION, 12.0, tool_check, "[OP]",
	  "Examples:\n"
	  "  clopt check\n"
	  "  clopt check matmul --all\n"
	  "  clopt check --report report.txt\n\n"
	  "Are results right on this device?  Each routine computes small problems of random "
	  "numbers; its error stands beside the error allowed.  The page also has the devices, "
	  "drivers and quirks, the cache, tuning, and the share of transfers that kernels hide.  "
	  "It takes a few seconds.  The exit status is 1 if a result is wrong.  --report makes a "
	  "text file for the authors of the library.\n\n" OPERATIONS },
	{ "list", "", LIST, WORDS_OPERATION, 0.0, tool_list, "[OP]",
	  "Examples:\n"
	  "  clopt list\n"
	  "  clopt list matmul\n"
	  "  clopt list nbody --device gpu\n\n"
	  "One line for each kernel variant, in order of preference.  * marks the choice for a "
	  "large problem.\n\n" OPERATIONS },
	{ "plan", "", PLAN, WORDS_SIZES, 0.0, tool_plan,
	  "matmul M N K\ntranspose ROWS COLS\npotential|nbody SOURCES TARGETS\n"
	  "leapfrog|evolve-step BODIES",
	  "Examples:\n"
	  "  clopt plan matmul 8192 8192 8192\n"
	  "  clopt plan nbody 1e6 1e6 --precision compensated\n"
	  "  clopt plan transpose 64K 64K --dry\n\n"
	  "What a call on arrays of the host will need: whether it fits the device, memory, bytes "
	  "moved, parts and time; the variant that will run, and why those before it in the table "
	  "do not.  Speeds that are not known are measured on a smaller problem, unless --dry is "
	  "given.  CLOPT_VARIANT forces a variant.\n\n" SIZES
	  "  The exit status is 3 if the device or the host has too little memory." },
	{ "explain", "", EXPLAIN, WORDS_SIZES, 0.0, tool_explain,
	  "matmul M N K\ntranspose ROWS COLS\npotential|nbody SOURCES TARGETS\n"
	  "leapfrog|evolve-step BODIES",
	  "Examples:\n"
	  "  clopt explain matmul 1000 1000 1000\n"
	  "  clopt explain potential 5000 20000 --law debye\n"
	  "  clopt explain transpose 4096 4096 --elem-bytes 8\n\n"
	  "The variant that will run, and why those before it in the table do not: the text of "
	  "clopt_explain.  Variants forced by CLOPT_VARIANT come first, then records of clopt "
	  "tune, then the table.  Kernels on the way are built; nothing is measured.\n\n" SIZES },
	{ "bench", "", BENCH, WORDS_OPERATION, 0.3, tool_bench, "[OP]",
	  "Examples:\n"
	  "  clopt bench matmul\n"
	  "  clopt bench nbody --picked --seconds 1\n"
	  "  clopt bench potential --law debye --csv speeds.csv\n\n"
	  "The speed of each variant that runs here, on the same problem, in turns:\n\n"
	  "  first ms        the first call, with the compiling of kernels\n"
	  "  kernel ms       the kernel alone, by events (median)\n"
	  "  call ms         the call on arrays of the host, with transfers (median)\n"
	  "  GFLOP/s ...     the rate of the kernel; `by call' that of the call\n"
	  "  of best         its share of the best variant's rate\n\n"
	  "* marks the choice.  Each result is checked first, as with CLOPT_CHECK=always; a "
	  "variant with a wrong one is not timed.\n\n" OPERATIONS "  Roofline, several devices, "
	  "transfers and trees: see examples/bench." },
	{ "tune", "", TUNE, WORDS_OPERATION, 20.0, tool_tune, "[OP]\n--merge FILE...", TUNE_HELP },
	{ "tune", "--merge", MERGE, WORDS_FILES, 0.0, tool_merge, "--merge FILE...", TUNE_HELP },
	{ "cache", "", CACHE, WORDS_NONE, 0.0, tool_cache, "[list|clear]", CACHE_HELP },
	{ "cache", "list", CACHE, WORDS_NONE, 0.0, tool_cache_list, "", CACHE_HELP },
	{ "cache", "clear", CACHE, WORDS_NONE, 0.0, tool_cache_clear, "", CACHE_HELP },
	{ "occupancy", "", OCCUPANCY, WORDS_SIZES, 0.0, tool_occupancy,
	  "--arch NAME\nmatmul M N K\ntranspose ROWS COLUMNS\npotential|nbody SOURCES TARGETS\n"
	  "leapfrog BODIES",
	  "Examples:\n"
	  "  clopt occupancy --arch sm_90 --registers 64\n"
	  "  clopt occupancy --arch gfx90a --group 128 --local 16K\n"
	  "  clopt occupancy matmul 4096 4096 4096 --device gpu\n\n"
	  "The number of waves (warps, wavefronts) of a kernel that a compute unit holds at a "
	  "time, what limits it, and the same for work-groups of other sizes.  --arch needs no "
	  "device.  The other forms ask the driver of an NVIDIA or AMD GPU about the kernel that "
	  "computes the problem in float32.\n\n" SIZES },
	{ "help", "", HELP, WORDS_COMMAND, 0.0, tool_help, "[COMMAND [WORD]]",
	  "Examples:\n"
	  "  clopt help\n"
	  "  clopt help plan\n"
	  "  clopt help cache clear\n\n"
	  "The help of a command, as clopt COMMAND --help; without one the list of commands." },
	{ NULL, NULL, 0, 0, 0.0, NULL, NULL, NULL },
};

const char command_usage[] =
        "Usage: clopt COMMAND [options]\n"
        "\n"
        "Examples:\n"
        "  clopt info\n"
        "  clopt check\n"
        "  clopt plan matmul 8192 8192 8192\n"
        "\n"
        "Commands:\n"
        "       clopt info  [options]       devices, and the one that is taken\n"
        "       clopt check [options]       are results right here?  A page for a report\n"
        "       clopt list  [op] [options]  kernel variants, and those that run here\n"
        "       clopt plan OP SIZES... [options]\n"
        "                                   memory, time and kernel of a call\n"
        "       clopt explain OP SIZES... [options]\n"
        "                                   the kernel that will run, and why\n"
        "       clopt bench [op] [options]  the speed of kernels\n"
        "       clopt tune  [op] [options]  find the best variants here, and record them\n"
        "       clopt cache [list|clear] [--json]\n"
        "                                   compiled kernels on disk\n"
        "       clopt occupancy [op sizes] [options]\n"
        "                                   waves of a kernel that a compute unit holds\n"
        "       clopt help  [COMMAND]       the help of a command, as clopt COMMAND -h\n"
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

static const char *operations_of(const struct command *c)
{
	return c->bit & PROBLEM    ? ASKED :
	       c->bit == OCCUPANCY ? COUNTED :
	       c->bit == TUNE      ? TUNED :
	                             OPERATIONS;
}

/* The type of a name of BLAS, as dgemm; NULL: it is none. */
static const char *blas_type(const char *name)
{
	static const char letters[] = "hbsdcz"; /* in the order of case_types */
	const char *letter = *name ? strchr(letters, *name) : NULL;

	return letter && strcmp(name + 1, "gemm") == 0 ? case_types[letter - letters].name : NULL;
}

static int take_operation(const struct command *c, struct tool_args *args, const char *name)
{
	const char *near, *type = blas_type(name);
	int op = 0;

	if (strcmp(name, "all") == 0 && args->op < 0 && c->words == WORDS_OPERATION)
		return 0;
	if (strcmp(name, "gem") == 0)
		name = clopt_op_name(CLOPT_OP_POTENTIAL);
	while (op < CLOPT_OPS && strcmp(clopt_op_name(op), name) != 0)
		op++;
	if (op == CLOPT_OPS) {
		near = type ? "matmul" : words_near(name, operation_name, NULL);
		type = c->bit & PROBLEM ? type : NULL;
		return options_misused(tool_name, "operation %s does not exist%s%s%s%s%s  %s", name,
		                       near ? "; did you mean " : "", near ? near : "",
		                       type ? " --type=" : "", type ? type : "", near ? "?" : ".",
		                       operations_of(c));
	}
	if (c->bit == PLAN && op > CLOPT_OP_EVOLVE_STEP)
		return options_misused(tool_name,
		                       "operation %s is a part of others and has no plan.  %s",
		                       name, operations_of(c));
	if (args->op >= 0 && args->op != op)
		return options_misused(tool_name,
		                       "%s and %s: variant and law must be of one operation",
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
	return options_misused(tool_name,
	                       "--variant %s does not exist%s%s%s  `clopt list' prints all", name,
	                       near ? "; did you mean " : "", near ? near : "", near ? "?" : ".");
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

static const char *sizes_text(int op)
{
	static const char *const text[] = { "no sizes", "one size", "two sizes", "three sizes" };

	return text[sizes_of(op)];
}

static int take_size(struct tool_args *args, const char *word)
{
	size_t *const n = &args->dim[args->dims++];

	if (words_negative(word) || !words_size(word, n) || !*n)
		return options_misused(
		        tool_name, "size %s: it must be a whole number from 1, as 4096, 1e6 or 64K",
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
	if (c->words == WORDS_SIZES)
		return options_misused(tool_name, "unexpected word: %s; %s takes %s", word,
		                       clopt_op_name(args->op), sizes_text(args->op));
	near = words_near(word, second_word, c->name);
	return options_misused(tool_name, "unexpected word: %s%s%s%s", word,
	                       near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

/* What is wrong with the options together; NULL: nothing. */
static const char *together(const struct command *c, const struct tool_args *args)
{
	const int asks =
	        c->bit == OCCUPANCY && !args->arch; /* the driver about a problem's kernel */

	if (args->variant && args->picked)
		return "--variant and --picked exclude each other: give one";
	if (c->bit == MERGE && !args->files)
		return "--merge needs the names of files";
	if (c->bit == CHECK && args->report && args->json)
		return "--report and --json exclude each other: give one";
	if (c->bit == CHECK && !args->report && (args->size || args->seconds >= 0.0))
		return "--size and --seconds need --report";
	if ((c->bit & PROBLEM) && args->op < 0)
		return "give an operation and its sizes, as matmul 512 512 512";
	if (c->bit == OCCUPANCY &&
	    (asks ? args->op < 0 : args->op >= 0 || args->variant || args->device))
		return "give --arch NAME, or an operation and its sizes, as in clopt occupancy "
		       "matmul 512 512 512";
	if (asks && (args->registers || args->local_bytes || args->group))
		return "--registers, --local and --group need --arch: for a problem the driver "
		       "reports them";
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
		rc = options_misused(tool_name, "%s takes %s, not %u", clopt_op_name(args->op),
		                     sizes_text(args->op), (unsigned)args->dims);
	if (!rc && (args->elem_bytes & (args->elem_bytes - 1) || args->elem_bytes > 16))
		rc = options_misused(tool_name, "--elem-bytes %zu: it must be 1, 2, 4, 8 or 16",
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

	fprintf(stderr, "%s: command %s does not exist%s%s%s%s%s\n", program, name,
	        near || op ? "; did you mean " : "", near ? near : "", op ? "clopt bench " : "",
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
