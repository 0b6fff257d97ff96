/* SPDX-License-Identifier: MIT */
/*
 * clopt.c - the program `clopt': devices, kernels, and their speed.
 *
 * The rooms of clopt/, from below: cases and plot; tool; peak; bench, study, transfer and
 * ask; command.  Exit status: 0; 1 after a failure; 2 for a command line without meaning.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clopt/command/command.h"

static const char usage[] =
        "usage: clopt info  [options]       devices, and the one that is taken\n"
        "       clopt check [options]       are results right here?  A page for a report\n"
        "       clopt list  [op] [options]  kernel variants, and those that run here\n"
        "       clopt plan OP SIZES... [options]\n"
        "                                   the memory, time and kernel of a call\n"
        "       clopt bench [op] [options]  the speed of kernels\n"
        "       clopt bench transfer [options]\n"
        "                                   the device's access to data\n"
        "       clopt bench tree [options]  tolerances of sums over pairs\n"
        "       clopt bench gem --ablation, clopt bench OP --ladder\n"
        "                                   the worth of single optimizations\n"
        "       clopt tune  [op] [options]  find the best variants here, and keep them\n"
        "       clopt cache [list|clear] [--json]\n"
        "                                   the compiled kernels that are kept on disk\n"
        "       clopt occupancy [op sizes] [options]\n"
        "                                   the waves of a kernel that a compute unit holds\n"
        "       clopt trace FILE.json --svg FILE\n"
        "                                   the picture of a time line\n"
        "       clopt COMMAND --help, clopt --version\n";

/* Output that did not reach its file is a failure. */
static void close_output(void)
{
	if (fflush(stdout) != 0 || ferror(stdout)) {
		perror("clopt");
		_exit(1);
	}
}

int main(int argc, char **argv)
{
	struct tool_args args = { .op = -1, .seconds = -1.0 };
	const struct command *c = command_find(argc, argv);

	atexit(close_output);
	if (argc > 1 && strcmp(argv[1], "--version") == 0) {
		printf("clopt %s\n", clopt_version());
		return 0;
	}
	if (argc > 1 && strcmp(argv[1], "--help") == 0) {
		fputs(usage, stdout);
		return 0;
	}
	if (!c) {
		if (argc > 1)
			fprintf(stderr, "clopt: no such command: %s\n", argv[1]);
		fputs(usage, stderr);
		return 2;
	}
	command_parse(c, argc - 1, argv + 1, &args);
	return c->run(&args);
}
