/* SPDX-License-Identifier: MIT */
/*
 * options.c - see options.h.  argp parses the line and lays out the help.
 */
#include "options.h"

#include <argp.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clopt.h"
#include "text.h"
#include "words.h"

/* argp's keys: above all characters, so that there are no short options but one. */
enum key {
	HELP = 'h',
	USAGE = 256,
	VERSION,
	ROWS
};

struct reading {
	const struct options *o;
	char *into;
	struct options_line *line;
	int status; /* of a line that is not to be followed */
};

int options_misused(const char *program, const char *format, ...)
{
	va_list ap;

	fprintf(stderr, "%s: ", program);
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fprintf(stderr, "\nTry '%s --help'.\n", program);
	return EXIT_MISUSED;
}

int options_given(const struct options *o, unsigned long long given, const char *name)
{
	size_t i;

	for (i = 0; i < o->rows; i++)
		if (o->row[i].name && strcmp(o->row[i].name, name) == 0)
			return (given >> i & 1) != 0;
	return 0;
}

static int number(const char *program, double *v, const struct option_row *r, const char *arg)
{
	const int above = r->kind == OPTION_ABOVE, whole = r->kind == OPTION_COUNT;

	if ((whole ? words_number(arg, v) : text_number(arg, strlen(arg), v)) && *v >= r->low &&
	    *v <= r->high && !(above && *v == r->low) && !(whole && *v != floor(*v)))
		return 0;
	return options_misused(program, "--%s '%s': it must be a%s number %s %g%s %g", r->name, arg,
	                       whole ? " whole" : "", above ? "above" : "from", r->low,
	                       above ? ", at most" : " to", r->high);
}

static int triple(const char *program, struct option_triple *t, const struct option_row *r,
                  const char *arg)
{
	const char *s = arg;
	size_t n;

	for (t->n = 0; t->n < 3; s += n + 1) {
		n = strcspn(s, ",");
		if (!text_number(s, n, &t->v[t->n]) || t->v[t->n] < r->low || t->v[t->n] > r->high)
			break;
		t->n++;
		if (!s[n]) {
			if (t->n == 1)
				t->v[1] = t->v[2] = t->v[0];
			if (t->n != 2)
				return 0;
			break;
		}
	}
	return options_misused(
	        program, "--%s '%s': it must be one number, or three with commas, from %g to %g",
	        r->name, arg, r->low, r->high);
}

static const char *next_word(const void *of, size_t i)
{
	const struct option_row *r = of;

	return r->words[i];
}

static int word(const char *program, int *at, const struct option_row *r, const char *arg)
{
	const char *near = words_near(arg, next_word, r);
	char known[256] = "";
	size_t used = 0;
	int i;

	for (i = 0; r->words[i]; i++) {
		if (*arg && strcmp(r->words[i], arg) == 0) { /* one word may be "", for no number */
			*at = i;
			return 0;
		}
		used += (size_t)snprintf(known + used, sizeof known - used, "%s%s",
		                         used ? ", " : "", r->words[i]);
	}
	return options_misused(program, "--%s '%s': it must be one of %s%s%s%s", r->name, arg,
	                       known, near ? "; did you mean " : "", near ? near : "",
	                       near ? "?" : "");
}

static int value(const char *program, void *at, const struct option_row *r, char *arg)
{
	double v;

	switch (r->kind) {
	case OPTION_TEXT:
	case OPTION_INPUT:
	case OPTION_OUTPUT:
		/* An empty device means the fastest, as in the environment. */
		if (!*arg && strcmp(r->name, "device") != 0)
			return options_misused(program, "--%s '': it must be a name", r->name);
		*(const char **)at = r->kind == OPTION_INPUT  ? options_input(arg) :
		                     r->kind == OPTION_OUTPUT ? options_output(arg) :
		                                                arg;
		return 0;
	case OPTION_FLAG:
		*(int *)at = 1;
		return 0;
	case OPTION_WORD:
		return word(program, at, r, arg);
	case OPTION_COUNT:
		if (number(program, &v, r, arg))
			return EXIT_MISUSED;
		*(size_t *)at = (size_t)v;
		return 0;
	case OPTION_TRIPLE:
		return triple(program, at, r, arg);
	default:
		return number(program, at, r, arg);
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct reading *g = state->input;
	const struct option_row *r;

	switch (key) {
	case HELP:
	case USAGE:
		argp_state_help(state, stdout, key == HELP ? ARGP_HELP_STD_HELP : ARGP_HELP_USAGE);
		break;
	case VERSION:
		printf("%s %s\n", g->o->program, clopt_version());
		break;
	case ARGP_KEY_ARGS:
		g->line->arg = state->argv + state->next;
		g->line->args = state->argc - state->next;
		return 0;
	default:
		if (key < ROWS || key >= ROWS + (int)g->o->rows)
			return ARGP_ERR_UNKNOWN;
		r = &g->o->row[key - ROWS];
		g->line->given |= 1ull << (key - ROWS);
		return value(g->o->program, g->into + r->at, r, arg) ? ECANCELED : 0;
	}
	g->status = fflush(stdout) ? EXIT_FAILED : 0;
	return ECANCELED;
}

static const char *row_name(const void *of, size_t i)
{
	const struct options *o = of;
	size_t k;

	for (k = 0; k < o->rows; k++)
		if (o->row[k].name && i-- == 0)
			return o->row[k].name;
	return NULL;
}

/* Whether the word before takes this one for its value. */
static int takes_next(const struct options *o, const char *before)
{
	size_t k;

	for (k = 0; k < o->rows && strncmp(before, "--", 2) == 0; k++)
		if (o->row[k].arg && strcmp(o->row[k].name, before + 2) == 0)
			return 1;
	return 0;
}

/* What getopt would only call unknown: a negative number, or an option that is misspelt. */
static int misspelt(const struct options *o, int argc, char **argv)
{
	const char *near;
	int i;

	for (i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		if (takes_next(o, argv[i - 1]))
			continue;
		if (words_negative(argv[i]))
			return options_misused(o->program, "size %s: it must not be negative",
			                       argv[i]);
		if ((near = words_near_option(argv[i], row_name, o)))
			return options_misused(o->program,
			                       "unrecognized option '%s'; did you mean --%s?",
			                       argv[i], near);
	}
	return 0;
}

const char *options_input(const char *word)
{
	return strcmp(word, "-") == 0 ? "/dev/stdin" : word;
}

const char *options_output(const char *word)
{
	return strcmp(word, "-") == 0 ? "/dev/stdout" : word;
}

int options_read(const struct options *o, void *into, struct options_line *line, int argc,
                 char **argv)
{
	static const struct argp_option last[] = {
		{ NULL, 0, NULL, 0, "About", -1 },
		{ "help", HELP, NULL, 0, "print this help", -1 },
		{ "usage", USAGE, NULL, 0, "print the options in short", -1 },
		{ "version", VERSION, NULL, 0, "print the version", -1 },
		{ 0 },
	};
	struct argp_option *rows = calloc(o->rows + sizeof last / sizeof *last, sizeof *rows);
	const struct argp argp = { rows, parse, o->args, o->about, NULL, NULL, NULL };
	struct reading g = { o, into, line, EXIT_MISUSED };
	int group = 0, rc;
	size_t i;

	if (!rows)
		return options_misused(o->program, "out of memory");
	if (misspelt(o, argc, argv)) {
		free(rows);
		return EXIT_MISUSED;
	}
	for (i = 0; i < o->rows; i++) {
		const struct option_row *r = &o->row[i];

		group += r->kind == OPTION_HEAD;
		rows[i].name = r->name;
		rows[i].key = r->kind == OPTION_HEAD ? 0 : ROWS + (int)i;
		rows[i].arg = r->arg;
		rows[i].doc = r->help;
		rows[i].group = group;
	}
	memcpy(rows + o->rows, last, sizeof last);
	argv[0] =
	        (char *)(size_t)o->program; /* as the messages of getopt begin, without the path */
	rc = argp_parse(&argp, argc, argv, ARGP_NO_EXIT | ARGP_NO_HELP, NULL, &g);
	free(rows);
	return rc ? g.status : -1;
}
