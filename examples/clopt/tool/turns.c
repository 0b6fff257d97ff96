/* SPDX-License-Identifier: MIT */
/*
 * turns.c - things timed in turns, and their verdicts.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"

void tool_sample_add(struct tool_sample *s, double seconds, double spent)
{
	if (s->verdict || s->repeats == TOOL_REPEATS)
		return;
	s->seconds[s->repeats++] = seconds;
	s->spent += spent;
}

void tool_wrong(struct tool_sample *s, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(s->why, sizeof s->why, format, args);
	va_end(args);
	s->verdict = "WRONG";
}

void tool_failed(struct tool_sample *s, const char *why)
{
	snprintf(s->why, sizeof s->why, "%s", *why ? why : "no reason was given");
	s->why[strcspn(s->why, "\n")] = '\0';
	s->verdict = "failed";
}

const char *tool_verdict(const struct tool_sample *s)
{
	return s->verdict ? s->verdict : "ok";
}

json_t *tool_why(const struct tool_sample *s)
{
	return s->verdict ? tool_json_text(s->why) : json_null();
}

static int ascending(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;

	return (a > b) - (a < b);
}

double tool_median(double *x, size_t n)
{
	if (n == 0)
		return 0.0;
	qsort(x, n, sizeof *x, ascending);
	return n % 2 ? x[n / 2] : 0.5 * (x[n / 2 - 1] + x[n / 2]);
}

void tool_turns(struct tool_sample *first, size_t stride, size_t n, size_t least, double seconds,
                void (*once)(void *what, size_t i, struct tool_sample *s), void *what)
{
	int more = 1;
	size_t i;

	while (more) {
		more = 0;
		for (i = 0; i < n; i++) {
			struct tool_sample *s =
			        (struct tool_sample *)((unsigned char *)first + i * stride);

			if (s->verdict || s->repeats == TOOL_REPEATS ||
			    (s->repeats >= least && s->spent >= seconds))
				continue;
			once(what, i, s);
			more |= !s->verdict;
		}
	}
}
