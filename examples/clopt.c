/* SPDX-License-Identifier: MIT */
/*
 * clopt.c - the program `clopt': what is there, what would run, how fast it is.
 *
 * This file reads the command line.  The subcommands are in clopt/info.c,
 * list.c, bench.c, transfer.c and study.c.  Exit status: 0; 1 if something failed; 2 for
 * a command line that means nothing.
 */
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "clopt/transfer.h"

static const char usage[] =
        "usage: clopt info  [options]       devices, and which one is taken\n"
        "       clopt list  [op] [options]  kernel variants, and which run here\n"
        "       clopt bench [op] [options]  how fast they are\n"
        "       clopt bench transfer [options]\n"
        "                                   how fast the device gets at its data\n"
        "       clopt bench gem --ablation, clopt bench nbody --ladder\n"
        "                                   what single optimizations are worth\n"
        "       clopt COMMAND --help, clopt --version\n";

static const char info_help[] =
        "usage: clopt info [--device SPEC] [--json]\n"
        "\n"
        "All devices, best first, which one is taken and why, and which variant\n"
        "would serve a large problem there.\n"
        "\n"
        "  --device SPEC  an index, vendor:type:name, or a word that matches any of\n"
        "                 the three; as CLOPT_DEVICE\n"
        "  --json         the same as JSON\n";

static const char list_help[] =
        "usage: clopt list [op] [--device SPEC] [--json]\n"
        "\n"
        "One line for each kernel variant, in order of preference.  * marks what is\n"
        "picked for a large problem; `tests' counts the test problems that reach the\n"
        "variant on this device.\n"
        "\n"
        "  op             matmul, transpose, potential, nbody or leapfrog; all\n"
        "  --device SPEC  as for clopt info\n"
        "  --json         the same as JSON\n";

static const char bench_help[] =
        "usage: clopt bench [op] [options]     and see clopt bench transfer --help,\n"
        "                                      clopt bench gem --ablation --help\n"
        "\n"
        "Each variant that runs here on the same problem: median times of the kernel\n"
        "and of the whole call, and the rate by the kernel's.  * marks the choice.  A\n"
        "sample of each result is compared with plain C; a wrong one is not timed.\n"
        "\n"
        "  op              matmul, transpose, potential (or gem), nbody or leapfrog; all\n"
        "  --variant NAME  this one only\n"
        "  --size N        all dimensions; the default depends on the device\n"
        "  --seconds S     for each variant and problem, after one call to compile;\n"
        "                  0.3, and three calls at least\n"
        "  --small         sizes for a simulated device\n"
        "  --csv FILE      also as CSV\n"
        "  --device SPEC   as for clopt info\n"
        "  --json          the same as JSON\n";

static const char transfer_help[] =
        "usage: clopt bench transfer [options]\n"
        "\n"
        "Transfers by size: by the driver, from pinned memory, staged, and a kernel on\n"
        "arrays in place where host and device share memory; the bandwidth of the\n"
        "device's memory; and what is left of it when a kernel copies with an offset or\n"
        "a stride.  Medians of rounds in which all take turns; GB are 1e9 bytes.  What\n"
        "was moved is compared, and exit status 1 if some of it is wrong.\n"
        "\n"
        "  --size N         one size only, in bytes, of transfers and of copies\n"
        "  --seconds S      for each number, and three repeats at least; 0.2\n"
        "  --theoretical G  what the memory could do by its datasheet: GB/s, or\n"
        "                   MHZxBITS, clock and width of a double data rate memory\n"
        "  --svg FILE       draw offsets and strides against bandwidth\n"
        "  --csv FILE       all numbers as CSV\n"
        "  --small          sizes for a simulated device\n"
        "  --device SPEC    as for clopt info\n"
        "  --json           the same as JSON\n";

static const char study_help[] =
        "usage: clopt bench gem --ablation [options]\n"
        "       clopt bench nbody --ladder [options]\n"
        "\n"
        "What optimizations are worth on this device, one at a time and together: kernels\n"
        "that differ by one idea each, beside what the library picks.  All take turns, and\n"
        "a speed-up is the median over rounds of times within one round.  A result that is\n"
        "wrong gets no time, and exit status 1.\n"
        "\n"
        "  --ablation     the potential of GEM, after Daga, Scogland, Feng (HD 5870):\n"
        "                   MT max threads        KS kernel splitting\n"
        "                   RA register accumulator   RP register preloading\n"
        "                   LM local memory       IM image memory\n"
        "                   LU2, LU4              loop unrolling\n"
        "                   VASM2, VASM4          vector accesses, scalar math\n"
        "                   VAVM2, VAVM4          vector accesses, vector math\n"
        "                 Of several the product of what they gain alone is told, too.\n"
        "  --ladder       n-body: each work-item for itself, a tile in local memory, its\n"
        "                 loop unrolled by 2 and 4\n"
        "  --size N       charges and vertices, or bodies; the default depends on the device\n"
        "  --seconds S    for each kernel, in 7 rounds at least; 0.3\n"
        "  --svg FILE     draw the speed-ups as bars\n"
        "  --csv FILE     all numbers as CSV\n"
        "  --small        sizes for a simulated device\n"
        "  --device SPEC  as for clopt info\n"
        "  --json         the same as JSON\n";

static const struct option options[] = {
	{ "help", no_argument, NULL, 'h' },
	{ "json", no_argument, NULL, 'j' },
	{ "device", required_argument, NULL, 'd' },
	{ "variant", required_argument, NULL, 'v' },
	{ "size", required_argument, NULL, 'n' },
	{ "seconds", required_argument, NULL, 's' },
	{ "small", no_argument, NULL, 'm' },
	{ "csv", required_argument, NULL, 'c' },
	{ "svg", required_argument, NULL, 'g' },
	{ "theoretical", required_argument, NULL, 't' },
	{ "ablation", no_argument, NULL, 'a' },
	{ "ladder", no_argument, NULL, 'l' },
	{ NULL, 0, NULL, 0 },
};

static const struct command {
	const char *name, *word; /* the word behind the name that makes it this one */
	const char *help;
	const char *takes; /* letters of its options; '+': an operation */
	double seconds; /* where --seconds is not given */
	int (*run)(const struct tool_args *args);
} commands[] = {
	{ "info", "", info_help, "hjd", 0.0, tool_info },
	{ "list", "", list_help, "hjd+", 0.0, tool_list },
	{ "bench", "", bench_help, "hjdvnsmc+", 0.3, tool_bench },
	{ "bench", "transfer", transfer_help, "hjdnsmcgt", 0.2, tool_transfer },
	{ "bench", "--study", study_help, "hjdnsmcgal", 0.3, tool_study },
};

static const struct command *find_command(const char *name, const char *word)
{
	size_t i;

	for (i = 0; i < sizeof commands / sizeof commands[0]; i++)
		if (strcmp(commands[i].name, name) == 0 && strcmp(commands[i].word, word) == 0)
			return &commands[i];
	return NULL;
}

/* All below return 0, or 2 after saying what is wrong. */
static int wrong(const char *command, const char *what, const char *word)
{
	fprintf(stderr, "clopt %s: %s: %s\nclopt %s --help says what there is\n", command, what,
	        word, command);
	return 2;
}

static int take_operation(const struct command *c, const char *name, struct tool_args *args)
{
	int op;

	if (strcmp(name, "gem") == 0)
		name = clopt_op_name(CLOPT_POTENTIAL);
	for (op = 0; op < CLOPT_OPS; op++)
		if (strcmp(clopt_op_name(op), name) == 0)
			break;
	if (op == CLOPT_OPS)
		return wrong(c->name, "no such operation", name);
	if (args->op >= 0 && args->op != op)
		return wrong(c->name, "one operation only, or a variant of another", name);
	args->op = op;
	return 0;
}

static int take_variant(const struct command *c, const char *name, struct tool_args *args)
{
	size_t i;

	for (i = 0; clopt_variant_name(i); i++)
		if (strcmp(clopt_variant_name(i), name) == 0)
			break;
	if (!clopt_variant_name(i))
		return wrong(c->name, "no such variant", name);
	args->variant = name;
	return take_operation(c, clopt_op_name(clopt_variant_op(i)), args);
}

static int take_size(const struct command *c, const char *word, struct tool_args *args)
{
	unsigned long long n;
	char *end;

	errno = 0;
	n = strtoull(word, &end, 10);
	if (errno || end == word || *end || strchr(word, '-') || n == 0 || n > SIZE_MAX)
		return wrong(c->name, "--size wants a number from 1", word);
	args->size = (size_t)n;
	return 0;
}

static int take_seconds(const struct command *c, const char *word, struct tool_args *args)
{
	char *end;

	args->seconds = strtod(word, &end);
	if (end == word || *end || !isfinite(args->seconds) || args->seconds < 0.0)
		return wrong(c->name, "--seconds wants a number from 0", word);
	return 0;
}

static int take_theoretical(const struct command *c, const char *word, struct tool_args *args)
{
	args->theoretical = transfer_read_theoretical(word);
	if (!(args->theoretical > 0.0))
		return wrong(c->name, "--theoretical wants GB/s, or MHZxBITS", word);
	return 0;
}

/* What is no option: it makes the command another, or is an operation. */
static int take_word(const struct command **c, const char *word, struct tool_args *args)
{
	const struct command *other = *word ? find_command((*c)->name, word) : NULL;

	if (other && other != *c && args->op < 0) {
		*c = other;
		return 0;
	}
	if (!strchr((*c)->takes, '+'))
		return wrong((*c)->name, "one word too many", word);
	return take_operation(*c, word, args);
}

/* A study is a command of its own, of one operation. */
static int take_study(const struct command **c, struct tool_args *args)
{
	const struct command *study = find_command((*c)->name, "--study");
	const int op = args->ladder ? CLOPT_NBODY : CLOPT_POTENTIAL;

	if (!study || !strchr((*c)->takes, '+'))
		return 0; /* no option of this command */
	if (args->ablation && args->ladder)
		return wrong((*c)->name, "one study at a time", "--ablation, --ladder");
	if (args->op >= 0 && args->op != op)
		return wrong((*c)->name, "that study is of another operation",
		             clopt_op_name(args->op));
	*c = study;
	return 0;
}

/* Which options there may be is known after the words. */
static int parse(const struct command **c, int argc, char **argv, struct tool_args *args, int *help)
{
	const char *name = (*c)->name;
	unsigned long given = 0;
	int letter, which = 0, rc = 0;

	opterr = 0;
	while (!rc && (letter = getopt_long(argc, argv, "", options, &which)) != -1) {
		if (letter == '?')
			return wrong(name, "no such option, or its value is missing",
			             argv[optind - 1]);
		given |= 1ul << which;
		switch (letter) {
		case 'h':
			*help = 1;
			break;
		case 'j':
			args->json = 1;
			break;
		case 'd':
			args->device = optarg;
			break;
		case 'v':
			args->variant = optarg;
			break;
		case 'n':
			rc = take_size(*c, optarg, args);
			break;
		case 's':
			rc = take_seconds(*c, optarg, args);
			break;
		case 'm':
			args->small = 1;
			break;
		case 'c':
			args->csv = optarg;
			break;
		case 'g':
			args->svg = optarg;
			break;
		case 't':
			rc = take_theoretical(*c, optarg, args);
			break;
		case 'a':
			args->ablation = 1;
			break;
		case 'l':
			args->ladder = 1;
			break;
		}
	}
	for (; !rc && optind < argc; optind++)
		rc = take_word(c, argv[optind], args);
	if (!rc && (args->ablation || args->ladder))
		rc = take_study(c, args);
	for (which = 0; !rc && options[which].name; which++)
		if (given >> which & 1 && !strchr((*c)->takes, options[which].val))
			rc = wrong(name, "no option of this command", options[which].name);
	if (!rc && args->variant)
		rc = take_variant(*c, args->variant, args);
	return rc;
}

static int run(const struct command *c, int argc, char **argv)
{
	struct tool_args args = { .op = -1, .seconds = -1.0 };
	int help = 0, rc;

	rc = parse(&c, argc, argv, &args, &help);
	if (rc)
		goto out;
	if (args.seconds < 0.0)
		args.seconds = c->seconds;
	if (help)
		fputs(c->help, stdout);
	else
		rc = c->run(&args);
out:
	return rc;
}

int main(int argc, char **argv)
{
	const struct command *c = argc > 1 ? find_command(argv[1], "") : NULL;
	int rc = 2;

	if (argc > 1 && strcmp(argv[1], "--version") == 0) {
		printf("clopt %s\n", clopt_version());
		rc = 0;
	} else if (argc > 1 && strcmp(argv[1], "--help") == 0) {
		fputs(usage, stdout);
		rc = 0;
	} else if (c) {
		rc = run(c, argc - 1, argv + 1);
	} else {
		if (argc > 1)
			fprintf(stderr, "clopt: no such command: %s\n", argv[1]);
		fputs(usage, stderr);
	}
	/* Output that did not reach its file is a failure. */
	if (fflush(stdout) != 0 || ferror(stdout)) {
		perror("clopt");
		rc = rc ? rc : 1;
	}
	return rc;
}
