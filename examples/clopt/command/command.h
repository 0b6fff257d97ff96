/* SPDX-License-Identifier: MIT */
/*
 * command.h - the room of the command line: subcommands, their options and their help.  It
 * includes all rooms of clopt.
 */
#ifndef COMMAND_H
#define COMMAND_H

#include "../tool/tool.h"

enum {
	WORDS_NONE,
	WORDS_OPERATION,
	WORDS_SIZES, /* an operation and its sizes */
	WORDS_COMMAND, /* a command and its second word */
	WORDS_FILES
};

struct command {
	const char *name, *word; /* the word behind the name that makes it this one */
	unsigned bit; /* in the options' rows */
	int words;
	double seconds; /* where --seconds is not given */
	int (*run)(const struct tool_args *args);
	const char *usage, *help;
};

/* Read the words behind the command's name.  -1 to go on; else the exit status, after all
 * messages. */
int command_parse(const struct command *c, int argc, char **argv, struct tool_args *args);

/* The command of a line, whose name is argv[1]; NULL if there is none. */
const struct command *command_find(int argc, char **argv);

/* The commands, in short. */
extern const char command_usage[];

/* Print that no command has this name, and which command, or command on an operation, it probably
 * means. */
void command_unknown(const char *program, const char *name);

#endif
