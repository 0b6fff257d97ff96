/* SPDX-License-Identifier: MIT */
/*
 * trace_svg.c - kept commands as a Gantt chart: a row for each queue, time to the
 * right.
 *
 * After the pictures of one queue and of two in NVIDIA, OpenCL Best Practices
 * Guide (2011), section 3.1.3.  Colours: Okabe and Ito's, which colour-blind eyes
 * tell apart.
 */
#include <string.h>

#include "trace_svg.h"

static const char head[] =
        "<style>\n"
        "text{font:12px 'DejaVu Sans',Verdana,Helvetica,sans-serif;fill:#222}\n"
        ".title{font-size:16px;font-weight:bold}\n"
        ".right{text-anchor:end}.middle{text-anchor:middle}\n"
        ".in{text-anchor:middle;font-size:11px}\n"
        ".white{fill:#fff}\n"
        ".up{fill:#0072b2}.kernel{fill:#e69f00}.down{fill:#009e73}.copy{fill:#cc79a7}\n"
        ".grid{stroke:#ddd}.edge{stroke:#fff;stroke-width:.6}\n"
        "</style>\n";

double clopt__chart_x(const struct chart *c, double seconds)
{
	return LEFT + PLOT * (seconds - c->period.first) / c->span;
}

const char *clopt__chart_number(const struct chart *c, char *text, double seconds)
{
	const double value = seconds / c->unit;

	return clopt__number(text, value, value < 1 ? 3 : value < 10 ? 2 : value < 100 ? 1 : 0);
}

/* ---- Words ------------------------------------------------------------------- */

/* What ran, if it was one thing. */
static const char *only_label(const struct chart *c)
{
	const char *label = "";
	size_t i;

	for (i = 0; i < c->count; i++) {
		if (*label && c->list[i].label[0] && strcmp(label, c->list[i].label) != 0)
			return "";
		if (c->list[i].label[0])
			label = c->list[i].label;
	}
	return label;
}

static void title(const struct chart *c, const char *device)
{
	char name[1024], label[8 * sizeof c->list->label];

	clopt__quoted(label, sizeof label, only_label(c), XML);
	fprintf(c->f, "<text class=\"title\" x=\"%d\" y=\"26\">%s%s%s</text>\n", LEFT,
	        clopt__quoted(name, sizeof name, device, XML), *label ? ": " : "", label);
}

/* Call by call, since between two of them nothing could be hidden. */
static void summary(const struct chart *c, unsigned copy_engines)
{
	char serial[NUMBER_SIZE], bound[NUMBER_SIZE], took[NUMBER_SIZE], hidden[NUMBER_SIZE];
	struct overlap all = { 0 }, o;
	size_t i, first, calls = 0;

	for (first = 0; first < c->count; first = i) {
		struct sums s = { 0 };

		for (i = first; i < c->count && c->list[i].call == c->list[first].call; i++)
			;
		clopt__sums_add(&s, c->list + first, i - first);
		o = clopt__overlap(&s, copy_engines);
		all.serial += o.serial;
		all.bound += o.bound;
		all.took += o.took;
		all.hidden += o.hidden * (o.serial - o.bound);
		all.any |= o.any;
		calls++;
	}
	fprintf(c->f,
	        "<text x=\"%d\" y=\"46\">%s%zu commands of %zu call%s: serial %s %s, bound %s, "
	        "took %s",
	        LEFT, c->count == MOST_TRACED ? "the first " : "", c->count, calls,
	        calls == 1 ? "" : "s", clopt__chart_number(c, serial, all.serial), c->unit_name,
	        clopt__chart_number(c, bound, all.bound), clopt__chart_number(c, took, all.took));
	if (all.any)
		fprintf(c->f, ", %s %% of the overlap reached",
		        clopt__number(hidden, 100 * all.hidden / (all.serial - all.bound), 0));
	fprintf(c->f, "</text>\n");
}

static void legend(const struct chart *c)
{
	char took[NUMBER_SIZE], speed[NUMBER_SIZE];
	int x = LEFT;
	size_t i;
	int kind;

	for (kind = 0; kind < COMMAND_KINDS; kind++) {
		const char *name = clopt__kind_name((enum command_kind)kind);
		double seconds = 0, bytes = 0, until = 0;
		size_t n = 0;

		for (i = 0; i < c->count; i++)
			if (c->list[i].kind == (enum command_kind)kind) {
				const double from =
				        n && until > c->list[i].start ? until : c->list[i].start;

				/* Two at a time count once, as in the report. */
				if (c->list[i].end > from) {
					seconds += c->list[i].end - from;
					until = c->list[i].end;
				}
				bytes += (double)c->list[i].bytes;
				n++;
			}
		if (!n)
			continue;
		fprintf(c->f,
		        "<rect class=\"%s\" x=\"%d\" y=\"60\" width=\"14\" height=\"14\"/>"
		        "<text x=\"%d\" y=\"71\">%s %s %s",
		        name, x, x + 20, name, clopt__chart_number(c, took, seconds), c->unit_name);
		if (bytes > 0 && seconds > 0)
			fprintf(c->f, ", %s GB/s", clopt__number(speed, 1e-9 * bytes / seconds, 1));
		fprintf(c->f, "</text>\n");
		x += 210;
	}
}

/* ---- Time ---------------------------------------------------------------------- */

static void axis(const struct chart *c)
{
	static const double up[3] = { 2, 2.5, 2 }; /* 1, 2, 5, 10 */
	const double span = c->span / c->unit;
	double step = 1e-3, t;
	char x[NUMBER_SIZE], label[NUMBER_SIZE];
	unsigned i;

	for (i = 0; span / step > 10; i++)
		step *= up[i % 3];
	for (i = 0; (t = step * i) <= span * (1 + 1e-9); i++) {
		clopt__number(x, clopt__chart_x(c, c->period.first + t * c->unit), 2);
		fprintf(c->f, "<path class=\"grid\" d=\"M%s %dV%d\"/>", x, TOP - 6, c->bottom + 4);
		fprintf(c->f, "<text class=\"middle\" x=\"%s\" y=\"%d\">%s</text>\n", x,
		        c->bottom + 20,
		        clopt__number(label, t,
		                      step > 0.99   ? 0 :
		                      step > 0.099  ? 1 :
		                      step > 0.0099 ? 2 :
		                                      3));
	}
	fprintf(c->f, "<text class=\"middle\" x=\"%d\" y=\"%d\">time in %s</text>\n",
	        LEFT + PLOT / 2, c->bottom + 38, c->unit_name);
}

/* A queue that nothing went through has no row. */
static int is_used(const struct chart *c, unsigned queue)
{
	size_t i;

	for (i = 0; i < c->count; i++)
		if (c->list[i].queue == queue)
			return 1;
	return 0;
}

void clopt__trace_picture(const struct clopt *ctx, FILE *f)
{
	struct chart c = { f, ctx->log.trace, ctx->log.traced, { 0, 0, 0 }, 0, 0, 1e-3, "ms" };
	int row = 0;
	unsigned q;

	c.period = clopt__trace_period(&ctx->log);
	c.span = c.period.last - c.period.first;
	if (!(c.span > 1e-9))
		c.span = 1e-9;
	if (c.span < 2e-3) {
		c.unit = 1e-6;
		c.unit_name = "us";
	} else if (c.span > 10) {
		c.unit = 1;
		c.unit_name = "s";
	}
	c.bottom = TOP;
	for (q = 0; q < c.period.queues; q++)
		c.bottom += is_used(&c, q) ? ROW : 0;
	fprintf(f,
	        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
	        "viewBox=\"0 0 %d %d\">\n%s<rect width=\"100%%\" height=\"100%%\" "
	        "fill=\"#fff\"/>\n",
	        WIDTH, c.bottom + BOTTOM, WIDTH, c.bottom + BOTTOM, head);
	title(&c, ctx->device.info.name);
	summary(&c, ctx->device.info.copy_engines);
	legend(&c);
	axis(&c);
	for (q = 0; q < c.period.queues; q++)
		if (is_used(&c, q))
			clopt__chart_row(&c, q, TOP + ROW * row++);
	fprintf(f, "</svg>\n");
}
