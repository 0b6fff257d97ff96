/* SPDX-License-Identifier: MIT */
/*
 * turns.c - things timed in turns, and their verdicts.
 */
#include "tool.h"

#include <string.h>

#include "../../common/program.h"
#include "../../common/progress.h"

void tool_sample_add(struct tool_sample *s, double seconds, double spent)
{
	if (s->verdict || s->repeats == TOOL_REPEATS)
		return;
	s->seconds[s->repeats++] = seconds;
	s->spent += spent;
}

static void failed(struct tool_sample *s, const char *why)
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

int tool_call(struct tool_sample *s, struct clopt *ctx, const char *variant, struct case_job *job,
              struct clopt_report *report)
{
	*report = (struct clopt_report)CLOPT_REPORT_INIT;
	progress_say("%s", variant ? variant : "by the library's choice");
	if (clopt_force_variants(ctx, variant) != CLOPT_OK || case_call(ctx, job) != CLOPT_OK ||
	    clopt_last_report(ctx, report) != CLOPT_OK)
		failed(s, clopt_error(ctx));
	return !s->verdict;
}

double tool_median(double *x, size_t n)
{
	if (n == 0)
		return 0.0;
	sort_doubles(x, n);
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
