/* SPDX-License-Identifier: MIT */
/*
 * options.h - command lines by a table: an option is one row, and its help stands in it.
 */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stddef.h>

/* Exit statuses of the programs. */
enum {
	EXIT_FAILED = 1,
	EXIT_MISUSED
};

enum option_kind {
	OPTION_HEAD, /* no option: the help is the title of those below */
	OPTION_TEXT, /* const char * */
	OPTION_INPUT, /* the same, a file; "-" becomes /dev/stdin ... */
	OPTION_OUTPUT, /* ... or /dev/stdout */
	OPTION_FROM, /* double, from low to high */
	OPTION_ABOVE, /* double, above low, at most high */
	OPTION_COUNT, /* size_t, from low to high; 1e6 and 64K too */
	OPTION_TRIPLE, /* struct option_triple, each from low to high */
	OPTION_WORD, /* int: the index in words */
	OPTION_FLAG /* int: 1 */
};

/* x,y,z, or one number that is all three; n is how many there were, 0 without the option. */
struct option_triple {
	double v[3];
	int n;
};

struct option_row {
	const char *name, *arg; /* arg: the name of its value in the help */
	enum option_kind kind;
	size_t at; /* offset of the value in the program's struct */
	double low, high;
	const char *const *words; /* the last is NULL */
	const char *help;
};

/* Rows, whose AT(field) the program defines: the offset in its struct. */
/* clang-format off */
#define HEAD(title) { NULL, NULL, OPTION_HEAD, 0, 0, 0, NULL, title }
#define TEXT(name, arg, field, help) { name, arg, OPTION_TEXT, AT(field), 0, 0, NULL, help }
#define FILE_FROM(name, field, help) { name, "FILE", OPTION_INPUT, AT(field), 0, 0, NULL, help }
#define FILE_TO(name, field, help) { name, "FILE", OPTION_OUTPUT, AT(field), 0, 0, NULL, help }
#define WORD(name, field, words, help) { name, "NAME", OPTION_WORD, AT(field), 0, 0, words, help }
#define FLAG(name, field, help) { name, NULL, OPTION_FLAG, AT(field), 0, 0, NULL, help }
#define TRIPLE(name, arg, field, low, high, help) \
	{ name, arg, OPTION_TRIPLE, AT(field), low, high, NULL, help }
#define NUMBER(name, arg, kind, field, low, high, help) \
	{ name, arg, OPTION_##kind, AT(field), low, high, NULL, help }
/* clang-format on */

/* A command line; --help, --usage and --version come with it. */
struct options {
	const char *program;
	const char *args; /* the arguments behind the options, for the help; NULL: there are none */
	const char *about;
	const struct option_row *row;
	size_t rows; /* at most 64 */
};

/* What was on a command line. */
struct options_line {
	unsigned long long given; /* bit i: row i was there */
	char **arg; /* the arguments that are no options */
	int args;
};

/* Fills *into and *line, which is zero before.  Returns -1 to go on; else the exit status, after
 * all messages. */
int options_read(const struct options *o, void *into, struct options_line *line, int argc,
                 char **argv);

/* 1 if the option was on the command line. */
int options_given(const struct options *o, unsigned long long given, const char *name);

/* The path of an input: "-" is /dev/stdin; of an output: /dev/stdout. */
const char *options_input(const char *word);
const char *options_output(const char *word);

/* Prints "PROGRAM: message" and where there is help; returns EXIT_MISUSED. */
int options_misused(const char *program, const char *format, ...)
        __attribute__((format(printf, 2, 3)));

#endif
