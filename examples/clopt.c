/* SPDX-License-Identifier: MIT */
/*
 * clopt.c - the program `clopt': what is there, what would run, how fast it is.
 *
 * This file reads the command line.  The subcommands are in clopt/info.c, list.c, plan.c,
 * bench.c, transfer.c, study.c, tune.c, cache.c, occupancy.c and selftest.c.  Exit
 * status: 0; 1 if something failed; 2 for a command line that means nothing.
 */
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "clopt/transfer/transfer.h"

static const struct option options[] = {
	{ "help", no_argument, NULL, 'h' },
	{ "json", no_argument, NULL, 'j' },
	{ "device", required_argument, NULL, 'd' },
	{ "variant", required_argument, NULL, 'v' },
	{ "picked", no_argument, NULL, 'p' },
	{ "law", required_argument, NULL, 'w' },
	{ "size", required_argument, NULL, 'n' },
	{ "seconds", required_argument, NULL, 's' },
	{ "small", no_argument, NULL, 'm' },
	{ "csv", required_argument, NULL, 'c' },
	{ "svg", required_argument, NULL, 'g' },
	{ "theoretical", required_argument, NULL, 't' },
	{ "ablation", no_argument, NULL, 'a' },
	{ "ladder", no_argument, NULL, 'l' },
	{ "all", no_argument, NULL, 'e' },
	{ "rows", no_argument, NULL, 'r' },
	{ "dry", no_argument, NULL, 'y' },
	{ "compare", no_argument, NULL, 'C' },
	{ "arch", required_argument, NULL, 'A' },
	{ "registers", required_argument, NULL, 'R' },
	{ "local", required_argument, NULL, 'L' },
	{ "group", required_argument, NULL, 'G' },
	{ "elem-bytes", required_argument, NULL, 'b' },
	{ "batch", required_argument, NULL, 'k' },
	{ "steps", required_argument, NULL, 'i' },
	{ "precision", required_argument, NULL, 'q' },
	{ NULL, 0, NULL, 0 },
};

static const struct command {
	const char *name, *word; /* the word behind the name that makes it this one */
	const char *help;
	/* Letters of its options; '+': an operation; '#': and its sizes. */
	const char *takes;
	double seconds; /* where --seconds is not given */
	int (*run)(const struct tool_args *args);
} commands[] = {
	{ "info", "", tool_info_help, "hjd", 0.0, tool_info },
	{ "check", "", tool_check_help, "hjde", 0.0, tool_check },
	{ "list", "", tool_list_help, "hjd+", 0.0, tool_list },
	{ "plan", "", tool_plan_help, "hjdvwbkiqy+#", 0.0, tool_plan },
	{ "bench", "", tool_bench_help, "hjdvpwnsmcg+", 0.3, tool_bench },
	{ "bench", "transfer", tool_transfer_help, "hjdnsmcgt", 0.2, tool_transfer },
	{ "bench", "--study", tool_study_help, "hjdnsmcgal", 0.3, tool_study },
	{ "tune", "", tool_tune_help, "hdnsryC+", 20.0, tool_tune },
	{ "cache", "", tool_cache_help, "hj", 0.0, tool_cache },
	{ "cache", "list", tool_cache_help, "hj", 0.0, tool_cache_list },
	{ "cache", "clear", tool_cache_help, "hj", 0.0, tool_cache_clear },
	{ "occupancy", "", tool_occupancy_help, "hjdvARLG+#", 0.0, tool_occupancy },
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

	if (strcmp(name, "all") == 0 && args->op < 0 && !strchr(c->takes, '#'))
		return 0;
	if (strcmp(name, "gem") == 0)
		name = clopt_op_name(CLOPT_POTENTIAL);
	for (op = 0; op < CLOPT_OPS; op++)
		if (strcmp(clopt_op_name(op), name) == 0)
			break;
	if (op == CLOPT_OPS)
		return wrong(c->name, "no such operation", name);
	if (args->op >= 0 && args->op != op) {
		fprintf(stderr,
		        "clopt %s: one operation with its own variants and laws, not %s's and "
		        "%s's\n",
		        c->name, clopt_op_name(args->op), name);
		return 2;
	}
	args->op = op;
	return 0;
}

static int take_variant(const struct command *c, const char *name, struct tool_args *args)
{
	const size_t n = strcspn(name, ":"); /* settings may follow */
	size_t i;

	for (i = 0; clopt_variant_name(i); i++)
		if (strlen(clopt_variant_name(i)) == n &&
		    strncmp(clopt_variant_name(i), name, n) == 0)
			break;
	if (!clopt_variant_name(i))
		return wrong(c->name, "no such variant", name);
	args->variant = name;
	return take_operation(c, clopt_op_name(clopt_variant_op(i)), args);
}

static int take_law(const struct command *c, const char *name, struct tool_args *args)
{
	int law;

	for (law = CLOPT_LAW_COULOMB; law < CLOPT_LAWS; law++)
		if (strcmp(clopt_law_name(law), name) == 0)
			break;
	if (law == CLOPT_LAWS)
		return wrong(c->name, "no such law", name);
	args->law = law;
	return take_operation(c, clopt_op_name(case_law_op(law)), args);
}

static int take_number(const struct command *c, const char *what, const char *word, size_t least,
                       size_t *number)
{
	unsigned long long n;
	char *end;

	errno = 0;
	n = strtoull(word, &end, 10);
	if (errno || end == word || *end || strchr(word, '-') || n < least || n > SIZE_MAX)
		return wrong(c->name, what, word);
	*number = (size_t)n;
	return 0;
}

static int take_precision(const struct command *c, const char *word, struct tool_args *args)
{
	static const char *const names[] = { "float", "compensated", "double-single", "double",
		                             "best" };
	size_t i;

	for (i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(names[i], word) == 0) {
			args->precision = (int)i;
			return 0;
		}
	return wrong(c->name, "no such precision", word);
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

/* How many sizes the problems of an operation have. */
static size_t extents(int op)
{
	return op < 0                                                              ? 0 :
	       op == CLOPT_MATMUL                                                  ? 3 :
	       op == CLOPT_TRANSPOSE || op == CLOPT_POTENTIAL || op == CLOPT_NBODY ? 2 :
	                                                                             1;
}

static int take_extent(const struct command *c, const char *word, struct tool_args *args)
{
	if (args->dims == extents(args->op))
		return wrong(c->name, "one size too many", word);
	return take_number(c, "a size is a number from 1", word, 1, &args->dim[args->dims++]);
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
	if (strchr((*c)->takes, '#') && args->op >= 0)
		return take_extent(*c, word, args);
	return take_operation(*c, word, args);
}

/* An operation has as many sizes as it has, and none has none. */
static int check_extents(const struct command *c, const struct tool_args *args)
{
	const size_t wants = extents(args->op);

	if (args->dims == wants)
		return 0;
	return wrong(c->name,
	             wants == 3 ? "wants three sizes" :
	             wants == 2 ? "wants two sizes" :
	                          "wants one size",
	             clopt_op_name(args->op));
}

static int check_plan(const struct command *c, const struct tool_args *args)
{
	if (args->op < 0)
		return wrong(c->name, "wants an operation and its sizes", "there is none");
	return check_extents(c, args);
}

/* Either an architecture, or an operation with as many sizes as it has. */
static int check_occupancy(const struct command *c, const struct tool_args *args)
{
	if (args->arch ? args->op >= 0 || args->variant || args->device : args->op < 0)
		return wrong(c->name,
		             "wants --arch NAME, or else an operation and its sizes, as in",
		             "clopt occupancy matmul 512 512 512");
	if (!args->arch && (args->registers || args->local_bytes || args->group))
		return wrong(c->name, "only with --arch, since of a kernel the driver tells them",
		             "--registers, --local, --group");
	return check_extents(c, args);
}

/* A study is a command of its own, of one operation. */
static int take_study(const struct command **c, struct tool_args *args)
{
	const struct command *study = find_command((*c)->name, "--study");
	const int op = !args->ladder                                           ? CLOPT_POTENTIAL :
	               args->op == CLOPT_MATMUL || args->op == CLOPT_TRANSPOSE ? args->op :
	                                                                         CLOPT_NBODY;

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
	const char *law = NULL;
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
		case 'p':
			args->picked = 1;
			break;
		case 'w':
			law = optarg;
			break;
		case 'n':
			rc = take_number(*c, "--size wants a number from 1", optarg, 1,
			                 &args->size);
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
		case 'e':
			args->all = 1;
			break;
		case 'b':
			rc = take_number(*c, "--elem-bytes wants a number from 1", optarg, 1,
			                 &args->elem_bytes);
			break;
		case 'k':
			rc = take_number(*c, "--batch wants a number from 1", optarg, 1,
			                 &args->batch);
			break;
		case 'i':
			rc = take_number(*c, "--steps wants a number from 1", optarg, 1,
			                 &args->steps);
			break;
		case 'q':
			rc = take_precision(*c, optarg, args);
			break;
		case 'r':
			args->rows = 1;
			break;
		case 'y':
			args->dry = 1;
			break;
		case 'C':
			args->compare = 1;
			break;
		case 'A':
			args->arch = optarg;
			break;
		case 'R':
			rc = take_number(*c, "--registers wants a number", optarg, 0,
			                 &args->registers);
			break;
		case 'L':
			rc = take_number(*c, "--local wants a number", optarg, 0,
			                 &args->local_bytes);
			break;
		case 'G':
			rc = take_number(*c, "--group wants a number from 1", optarg, 1,
			                 &args->group);
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
	if (!rc && args->variant && args->picked)
		rc = wrong(name, "one or the other", "--variant, --picked");
	if (!rc && args->variant)
		rc = take_variant(*c, args->variant, args);
	if (!rc && law)
		rc = take_law(*c, law, args);
	if (!rc && !*help && strchr((*c)->takes, '#'))
		rc = (*c)->run == tool_plan ? check_plan(*c, args) : check_occupancy(*c, args);
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
		fputs(tool_usage, stdout);
		rc = 0;
	} else if (c) {
		rc = run(c, argc - 1, argv + 1);
	} else {
		if (argc > 1)
			fprintf(stderr, "clopt: no such command: %s\n", argv[1]);
		fputs(tool_usage, stderr);
	}
	/* Output that did not reach its file is a failure. */
	if (fflush(stdout) != 0 || ferror(stdout)) {
		perror("clopt");
		rc = rc ? rc : 1;
	}
	return rc;
}
