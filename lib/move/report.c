/* SPDX-License-Identifier: MIT */
/*
 * report.c - the report of a call's times, and the line of CLOPT_VERBOSE.
 */
#include <math.h>
#include <string.h>

#include "../base/text.h"
#include "move.h"

/* A smaller fraction is noise of the clock. */
#define NOISE 0.05

struct overlap clopt__overlap(const struct sums *s, unsigned copy_engines)
{
	const int both_ways = copy_engines ? copy_engines > 1 :
	                                     s->both > NOISE * (s->up < s->down ? s->up : s->down);
	struct overlap o = { 0 };

	o.serial = s->up + s->kernel + s->down;
	o.bound = fmax(s->kernel, both_ways ? fmax(s->up, s->down) : s->up + s->down);
	o.took = s->last - s->first;
	o.any = o.serial - o.bound > NOISE * o.serial;
	o.hidden = o.serial > o.bound ? (o.serial - o.took) / (o.serial - o.bound) : 1;
	o.hidden = o.hidden < 0 ? 0 : o.hidden > 1 ? 1 : o.hidden;
	/* Gaps in which the device waits for the host do not show that the driver serializes. */
	o.apart = o.any && o.serial - s->busy < NOISE * (o.serial - o.bound);
	return o;
}

void clopt__report_close(struct clopt *ctx)
{
	struct clopt_report *r = &ctx->report;

	r->overlapped = 1;
	if (ctx->profile) {
		const struct overlap o =
		        clopt__overlap(&ctx->log.sums, ctx->device.info.copy_engines);

		r->serial_seconds = o.serial;
		r->bound_seconds = o.bound;
		r->hidden = o.hidden;
		if (r->bands > 1 && r->queues > 1 && o.apart)
			r->overlapped = 0;
	}
	memset(&ctx->log.sums, 0, sizeof ctx->log.sums);
	ctx->log.call++;
}

static const char *milliseconds(char *text, double seconds)
{
	return clopt__number(text, 1e3 * seconds, seconds < 1e-3 ? 3 : seconds < 0.1 ? 1 : 0);
}

static void add_times(struct text *line, const struct clopt_report *r)
{
	char up[NUMBER_SIZE], kernel[NUMBER_SIZE], down[NUMBER_SIZE];
	char serial[NUMBER_SIZE], bound[NUMBER_SIZE], took[NUMBER_SIZE], hidden[NUMBER_SIZE];

	clopt__say(line, "; up %s ms, kernel %s, down %s: serial %s, bound %s, took %s ms",
	           milliseconds(up, r->up_seconds), milliseconds(kernel, r->kernel_seconds),
	           milliseconds(down, r->down_seconds), milliseconds(serial, r->serial_seconds),
	           milliseconds(bound, r->bound_seconds), milliseconds(took, r->device_seconds));
	if (!r->overlapped)
		clopt__say(line, ", the driver did not overlap");
	else if (r->bands > 1 && r->queues > 1 &&
	         r->serial_seconds - r->bound_seconds > NOISE * r->serial_seconds)
		clopt__say(line, ", %s %% of the overlap reached",
		           clopt__number(hidden, 100 * r->hidden, 0));
}

void clopt__verbose(const struct clopt *ctx, const char *text, int rc)
{
	const struct clopt_report *r = &ctx->report;
	/* Printed by one call, so that lines of several threads do not mix. */
	char all[1024], seconds[NUMBER_SIZE];
	struct text line = { all, sizeof all };

	if (rc != CLOPT_OK) {
		clopt__notice(ctx, "%s: %s", clopt_strerror(rc), clopt_error(ctx));
		return;
	}
	clopt__say(&line, "%s: %s on %s, bands %zu, queues %zu, %zu bytes up, %zu down", text,
	           r->variant ? r->variant : "nothing to run", ctx->device.info.name, r->bands,
	           r->queues, r->up_bytes, r->down_bytes);
	if (r->in_place_bytes)
		clopt__say(&line, ", %zu in place", r->in_place_bytes);
	if (r->staged_bytes)
		clopt__say(&line, ", %zu staged", r->staged_bytes);
	if (r->sum_parts > 1)
		clopt__say(&line, ", sums in %zu parts", r->sum_parts);
	if (r->kernels_loaded || r->kernels_compiled)
		clopt__say(&line, ", kernels: %zu from the cache, %zu compiled, %zu saved",
		           r->kernels_loaded, r->kernels_compiled, r->kernels_saved);
	clopt__say(&line, ", %s s", clopt__number(seconds, r->seconds, 6));
	if (r->device_seconds > 0)
		add_times(&line, r);
	clopt__notice(ctx, "%s", all);
}
