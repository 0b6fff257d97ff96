/* SPDX-License-Identifier: MIT */
/*
 * clopt.c - the program `clopt': devices, kernels, and their speed.
 *
 * The folders of clopt/, each of which uses earlier ones: cases; tool; ask; command.
 *
 * Exit status: 0; 1 after a failure; 2 for a wrong command line; 3 for a plan that does not fit.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clopt/command/command.h"
#include "common/program.h"
#include "common/progress.h"

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
	int rc;

	program_begin();
	atexit(close_output);
	if (argc > 1 && strcmp(argv[1], "--version") == 0) {
		printf("clopt %s\n", clopt_version());
		return 0;
	}
	if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
		fputs(command_usage, stdout);
		return 0;
	}
	if (!c) {
		if (argc > 1)
			command_unknown("clopt", argv[1]);
		fputs(command_usage, stderr);
		return 2;
	}
	rc = command_parse(c, argc - 1, argv + 1, &args);
	if (rc >= 0)
		return rc;
	progress_begin(1);
	rc = c->run(&args);
	progress_hide();
	return rc;
}
