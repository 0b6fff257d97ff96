/* SPDX-License-Identifier: MIT */
/*
 * tree.c - `clopt bench tree': gravity with tolerances beside the sum over all pairs, and the number of
 * bodies from which a tree is faster: by the library's estimate, and by time.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../plot/plot.h"
#include "bench.h"

#include "../../common/progress.h"

enum {
	LEAST_REPEATS = 3,
	SAMPLES = 512, /* targets compared with plain C */
	TOLERANCES = 4,
	ALL_PAIRS = TOLERANCES, /* the last of the sums */
	SUMS,
	LEAST_BODIES = 512,
	MOST_BODIES = 1 << 22,
	MOST_SIZES = 48
};

static const double tolerances[TOLERANCES] = { 1e-2, 1e-3, 1e-4, 1e-5 };
#define BREAK_EVEN 1e-3 /* the tolerance whose break-even is looked for */
#define SOFTENING 0.01
/* A call over all pairs that takes longer ends the search for larger sizes. */
#define LONGEST_SECONDS 2.0
/* Sizes this close are as good as one. */
#define CLOSE 1.05
/* The bench's sample is another than the call's, so the tolerance may be passed by chance. */
#define WRONG_TOLERANCES 2.0
/* More than sums of floats over all pairs are off. */
#define FLOAT_ERROR 1e-4

struct sum {
	struct tool_sample s; /* first: tool_turns walks over them */
	struct clopt_nbody_options options;
	struct clopt_report report; /* of the first call */
	double build[TOOL_REPEATS]; /* seconds, by repeat */
	double seconds, build_seconds; /* medians */
	double checked_99; /* the 99th percentile of the sample's errors */
};

/* The time of a number of bodies by a tree, and over all pairs. */
struct size {
	size_t bodies;
	double tree, all;
};

struct bench {
	const struct tool_args *args;
	struct clopt *ctx;
	struct clopt_device_info info;
	float *bodies, *acc; /* four floats each */
	size_t room, made; /* bodies that they hold, and that have places */
	uint64_t state; /* of the random numbers */
	size_t n;
	double (*right)[3]; /* accelerations of the sample */
	size_t samples;
	struct sum sum[SUMS];
	/* The break-even. */
	unsigned order;
	double theta;
	size_t chosen; /* the fewest bodies for which the library takes a tree; 0: not found */
	double measured; /* where the times are equal; 0: not found */
	struct size size[MOST_SIZES]; /* by bodies */
	size_t sizes;
};

/* ---- Bodies -------------------------------------------------------------------------- */

/* In (0, 1). */
static double uniform(struct bench *b)
{
	uint64_t x = b->state += 0x9e3779b97f4a7c15u; /* splitmix64 */

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return ((double)((x ^ (x >> 31)) >> 12) + 0.5) * 0x1p-52;
}

/* The radius from the mass inside it, up to 99.9 % of it, and a direction: Aarseth, Henon, Wielen,
 * Astron. Astrophys. 37, 183 (1974), appendix. */
static void place(struct bench *b, float *at)
{
	const double radius = 1 / sqrt(pow(0.999 * uniform(b), -2.0 / 3) - 1);
	const double z = 2 * uniform(b) - 1, angle = 2 * acos(-1.0) * uniform(b);
	const double flat = sqrt(1 - z * z);

	at[0] = (float)(radius * flat * cos(angle));
	at[1] = (float)(radius * flat * sin(angle));
	at[2] = (float)(radius * z);
	at[3] = 1; /* the mass; only ratios of accelerations count */
}

/* The first of more bodies are a model of fewer.  0, or 1 if memory ran out. */
static int make_bodies(struct bench *b, size_t n)
{
	float *bodies, *acc;

	if (n > b->room) {
		bodies = realloc(b->bodies, 4 * n * sizeof *bodies);
		b->bodies = bodies ? bodies : b->bodies;
		acc = realloc(b->acc, 4 * n * sizeof *acc);
		b->acc = acc ? acc : b->acc;
		if (!bodies || !acc)
			return tool_no_memory();
		b->room = n;
	}
	for (; b->made < n; b->made++)
		place(b, b->bodies + 4 * b->made);
	return 0;
}

/* ---- Errors -------------------------------------------------------------------------- */

static size_t target_of(const struct bench *b, size_t i)
{
	return i * b->n / b->samples;
}

static void sum_in_double(const struct bench *b, size_t target, double *a)
{
	const float *at = b->bodies + 4 * target, *x;
	double d[3], square, w;
	size_t j;

	a[0] = a[1] = a[2] = 0;
	for (j = 0; j < b->n; j++) {
		x = b->bodies + 4 * j;
		d[0] = (double)x[0] - (double)at[0];
		d[1] = (double)x[1] - (double)at[1];
		d[2] = (double)x[2] - (double)at[2];
		square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + SOFTENING * SOFTENING;
		w = (double)x[3] / (square * sqrt(square));
		a[0] += w * d[0];
		a[1] += w * d[1];
		a[2] += w * d[2];
	}
}

static int find_right(struct bench *b)
{
	size_t i;

	progress_say("the right accelerations of %d bodies, in plain C", SAMPLES);
	b->samples = b->n < SAMPLES ? b->n : SAMPLES;
	b->right = malloc(b->samples * sizeof *b->right);
	if (!b->right)
		return tool_no_memory();
	for (i = 0; i < b->samples; i++)
		sum_in_double(b, target_of(b, i), b->right[i]);
	return 0;
}

/* Of the sample's accelerations, each by its own length: 99 of 100 are off by at most so much. */
static double checked_99(const struct bench *b)
{
	double error[SAMPLES], off, length;
	size_t i, c;

	for (i = 0; i < b->samples; i++) {
		off = length = 0;
		for (c = 0; c < 3; c++) {
			off = hypot(off, (double)b->acc[4 * target_of(b, i) + c] - b->right[i][c]);
			length = hypot(length, b->right[i][c]);
		}
		error[i] = off > 0 ? off / length : off == 0 ? 0 : HUGE_VAL; /* also for NaN */
	}
	tool_median(error, b->samples); /* sorts */
	return error[b->samples - 1 - b->samples / 100];
}

/* ---- Measurements -------------------------------------------------------------------- */

static struct clopt_nbody_options options_of(double tolerance, double theta, unsigned order)
{
	struct clopt_nbody_options options = CLOPT_NBODY_OPTIONS_INIT;

	options.softening = SOFTENING;
	options.tolerance = tolerance;
	options.theta = theta;
	options.order = order;
	return options;
}

static int call(struct bench *b, size_t n, struct sum *sum, struct clopt_report *report)
{
	*report = (struct clopt_report)CLOPT_REPORT_INIT;
	if (sum->options.tolerance > 0)
		progress_say("%zu bodies with tolerance %.0e", n, sum->options.tolerance);
	else
		progress_say("%zu bodies over all pairs", n);
	if (clopt_nbody(b->ctx, n, b->bodies, n, b->bodies, b->acc, &sum->options) != CLOPT_OK ||
	    clopt_last_report(b->ctx, report) != CLOPT_OK)
		tool_failed(&sum->s, clopt_error(b->ctx));
	return !sum->s.verdict;
}

/* What turns are of. */
struct turns {
	struct bench *b;
	struct sum *sum;
	size_t n;
};

static void turn(void *what, size_t i, struct tool_sample *s)
{
	struct turns *t = what;
	struct sum *sum = &t->sum[i];
	struct clopt_report report;

	if (!call(t->b, t->n, sum, &report))
		return;
	sum->build[s->repeats] = report.tree_seconds;
	tool_sample_add(s, report.seconds, report.seconds);
}

/* Sums over the first n bodies, in turns, after a call of each, which compiles. */
static void measure(struct bench *b, size_t n, struct sum *sum, size_t sums, double seconds)
{
	struct turns turns = { b, sum, n };
	size_t i;

	for (i = 0; i < sums; i++)
		if (call(b, n, &sum[i], &sum[i].report) && n == b->n)
			sum[i].checked_99 = checked_99(b);
	tool_turns(&sum->s, sizeof *sum, sums, LEAST_REPEATS, seconds, turn, &turns);
	for (i = 0; i < sums; i++) {
		sum[i].seconds = tool_median(sum[i].s.seconds, sum[i].s.repeats);
		sum[i].build_seconds = tool_median(sum[i].build, sum[i].s.repeats);
	}
}

/* 0, or 1 if memory ran out. */
static int measure_tolerances(struct bench *b)
{
	struct sum *sum;
	double most;
	size_t i;

	if (make_bodies(b, b->n) || find_right(b))
		return 1;
	for (i = 0; i < TOLERANCES; i++)
		b->sum[i].options = options_of(tolerances[i], 0, 0);
	b->sum[ALL_PAIRS].options = options_of(0, 0, 0);
	measure(b, b->n, b->sum, SUMS, b->args->seconds);
	for (i = 0; i < SUMS; i++) {
		sum = &b->sum[i];
		most = i == ALL_PAIRS ? FLOAT_ERROR : WRONG_TOLERANCES * tolerances[i];
		if (!sum->s.verdict && !(sum->checked_99 <= most))
			tool_wrong(&sum->s, "of %zu targets, 99 %% are off by at most %.1e",
			           b->samples, sum->checked_99);
	}
	return 0;
}

/* ---- Break-even ---------------------------------------------------------------------- */

/* Whether the library takes a tree for n bodies; keeps the order and theta, if it does. */
static int takes_tree(struct bench *b, size_t n, struct clopt_report *report, int *rc)
{
	struct sum sum = { .options = options_of(BREAK_EVEN, 0, 0) };

	*rc = make_bodies(b, n);
	if (!*rc && !call(b, n, &sum, report))
		*rc = tool_fail(b->ctx, "break-even");
	if (*rc || !report->tree_order)
		return 0;
	b->chosen = n;
	b->order = report->tree_order;
	b->theta = report->tree_theta;
	return 1;
}

/* By its reports.  0, or 1 after a failure. */
static int find_chosen(struct bench *b)
{
	struct clopt_report report;
	size_t least = 1, n = LEAST_BODIES; /* no tree for `least' */
	int rc;

	while (!takes_tree(b, n, &report, &rc)) {
		if (rc || n >= MOST_BODIES || report.seconds > LONGEST_SECONDS)
			return rc;
		least = n;
		n *= 2;
	}
	while (!rc && b->chosen - least > 1) {
		n = least + (b->chosen - least) / 2;
		if (!takes_tree(b, n, &report, &rc))
			least = n;
	}
	return rc;
}

/* One more size, at its place.  0, or 1 after a failure. */
static int measure_size(struct bench *b, size_t n)
{
	struct sum *sum = calloc(2, sizeof *sum);
	size_t i = b->sizes;
	int rc = !sum ? tool_no_memory() : make_bodies(b, n);

	if (rc)
		goto out;
	sum[0].options = options_of(0, b->theta, b->order);
	sum[1].options = options_of(0, 0, 0);
	measure(b, n, sum, 2, 0.25 * b->args->seconds);
	if (sum[0].s.verdict || sum[1].s.verdict) {
		rc = tool_fail(b->ctx, "break-even");
		goto out;
	}
	for (; i > 0 && b->size[i - 1].bodies > n; i--)
		b->size[i] = b->size[i - 1];
	b->size[i] = (struct size){ n, sum[0].seconds, sum[1].seconds };
	b->sizes++;
out:
	free(sum);
	return rc;
}

/* Above 0 where a tree is slower. */
static double slower(const struct size *s)
{
	return log(s->tree / s->all);
}

/* The sizes beside the largest one at which a tree is slower; 0 if it is nowhere, or everywhere. */
static const struct size *between(const struct bench *b)
{
	const struct size *s = b->size + b->sizes;

	while (s > b->size && slower(s - 1) <= 0)
		s--;
	return s == b->size || s == b->size + b->sizes ? NULL : s - 1;
}

/* Sizes from a quarter of the library's up, more at either end until one has the time of the other
 * sum between them, and then between these.  0, or 1 after a failure. */
static int find_measured(struct bench *b)
{
	const struct size *s;
	size_t n;
	int rc = 0;

	for (n = b->chosen / 4; !rc && n > 1 && n / 4 <= b->chosen; n *= 2)
		rc = measure_size(b, n);
	while (!rc && b->sizes && !between(b) && b->sizes < MOST_SIZES) {
		s = slower(b->size) <= 0 ? b->size : b->size + b->sizes - 1;
		n = s == b->size ? s->bodies / 2 : 2 * s->bodies;
		if (n < LEAST_BODIES / 4 || n > MOST_BODIES || s->all > LONGEST_SECONDS)
			return 0;
		rc = measure_size(b, n);
	}
	while (!rc && (s = between(b)) && b->sizes < MOST_SIZES &&
	       (double)s[1].bodies > CLOSE * (double)s->bodies)
		rc = measure_size(b, (size_t)sqrt((double)s->bodies * (double)s[1].bodies));
	s = between(b);
	if (!rc && s)
		b->measured =
		        round((double)s->bodies * pow((double)s[1].bodies / (double)s->bodies,
		                                      slower(s) / (slower(s) - slower(s + 1))));
	return rc;
}

/* ---- Reports ------------------------------------------------------------------------- */

static json_t *sum_json(const struct bench *b, size_t i)
{
	const struct sum *sum = &b->sum[i], *all = &b->sum[ALL_PAIRS];
	const struct clopt_report *r = &sum->report;

	return json_pack(
	        "{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:o, s:o, s:o, s:o, s:s, s:o}",
	        "tolerance", tool_json_known(sum->options.tolerance), "order",
	        r->tree_order ? json_integer(r->tree_order) : json_null(), "theta",
	        tool_json_known(r->tree_theta), "near_pairs",
	        tool_json_known(r->tree_order ? r->near_pairs : (double)b->n), "far_pairs",
	        tool_json_known(r->far_pairs), "error_median", tool_json_known(r->error_median),
	        "error_99", tool_json_known(r->error_99), "checked_error_99",
	        tool_json_known(sum->checked_99), "repeats", (json_int_t)sum->s.repeats, "seconds",
	        tool_json_known(sum->seconds), "build_seconds", tool_json_known(sum->build_seconds),
	        "bodies_per_second",
	        tool_json_known(sum->seconds > 0 ? (double)b->n / sum->seconds : 0), "speed",
	        tool_json_known(sum->seconds > 0 ? all->seconds / sum->seconds : 0), "check",
	        tool_verdict(&sum->s), "why", tool_why(&sum->s));
}

static json_t *break_even_json(const struct bench *b)
{
	json_t *sizes = json_array();
	size_t i;

	for (i = 0; i < b->sizes; i++)
		json_array_append_new(sizes, json_pack("{s:I, s:f, s:f}", "bodies",
		                                       (json_int_t)b->size[i].bodies,
		                                       "tree_seconds", b->size[i].tree,
		                                       "all_pairs_seconds", b->size[i].all));
	return json_pack("{s:f, s:o, s:o, s:o, s:o, s:o}", "tolerance", BREAK_EVEN, "order",
	                 b->order ? json_integer(b->order) : json_null(), "theta",
	                 tool_json_known(b->theta), "chosen",
	                 b->chosen ? json_integer((json_int_t)b->chosen) : json_null(), "measured",
	                 tool_json_known(b->measured), "sizes", sizes);
}

static void print_break_even(const struct bench *b)
{
	const struct size *last = b->size + (b->sizes ? b->sizes - 1 : 0);

	progress_hide();
	printf("\nBreak-even at %.0e: ", BREAK_EVEN);
	if (!b->chosen) {
		printf("the library took no tree for any size that was tried.\n");
		return;
	}
	printf("the library takes a tree from %zu bodies on (order %u, theta %.2f);\n", b->chosen,
	       b->order, b->theta);
	if (b->measured > 0)
		printf("by the time of such calls it is faster from %.0f on.\n", b->measured);
	else if (b->sizes && slower(last) > 0)
		printf("by the time of such calls it is slower up to %zu.\n", last->bodies);
	else if (b->sizes)
		printf("by the time of such calls it is faster from %zu on, the fewest tried.\n",
		       b->size->bodies);
}

static void print_sums(const struct bench *b, const json_t *sums)
{
	const struct tool_column columns[] = {
		{ "tolerance", "tolerance", "%.0e", 1, "all pairs" },
		TOOL_NUMBER("order", "order", "%.0f", 1),
		TOOL_NUMBER("theta", "theta", "%.2f", 1),
		TOOL_NUMBER("near", "near_pairs", "%.0f", 1),
		TOOL_NUMBER("far", "far_pairs", "%.0f", 1),
		TOOL_NUMBER("median", "error_median", "%.1e", 1),
		TOOL_NUMBER("99 %", "error_99", "%.1e", 1),
		TOOL_NUMBER("checked", "checked_error_99", "%.1e", 1),
		TOOL_NUMBER("call ms", "seconds", "%.2f", 1e3),
		TOOL_NUMBER("build ms", "build_seconds", "%.2f", 1e3),
		TOOL_NUMBER("bodies/s", "bodies_per_second", "%.3g", 1),
		TOOL_NUMBER("speed", "speed", "%.2f", 1),
		TOOL_TEXT("check", "check why"),
		TOOL_END,
	};

	progress_hide();
	printf("%s\nGravity of %zu bodies, Plummer's model, softening %g, float\n\n", b->info.name,
	       b->n, SOFTENING);
	tool_table(stdout, sums, columns);
	fflush(stdout); /* the break-even takes a while */
}

/* A number that is not known is none. */
static double known(double x)
{
	return x > 0 ? x : NAN;
}

static void draw(const struct bench *b, FILE *svg)
{
	const struct sum *all = &b->sum[ALL_PAIRS];
	const double all_seconds = known(all->seconds), all_error = known(all->checked_99);
	double seconds[TOLERANCES], error[TOLERANCES], bodies[MOST_SIZES], tree[MOST_SIZES],
	        pairs[MOST_SIZES];
	char title[2][64];
	size_t i;
	const struct plot_series errors[] = {
		{ .name = "99 % of targets", .x = seconds, .y = error, .n = TOLERANCES },
		{ .name = "all pairs", .x = &all_seconds, .y = &all_error, .n = 1 },
		{ .name = "tolerance",
		  .x = seconds,
		  .y = tolerances,
		  .n = TOLERANCES,
		  .reference = 1 },
	};
	const struct plot_series sizes[] = {
		{ .name = "by a tree", .x = bodies, .y = tree, .n = b->sizes },
		{ .name = "all pairs", .x = bodies, .y = pairs, .n = b->sizes },
	};
	const struct plot_panel panel[] = {
		{ title[0],
		  { .label = "seconds", .log = 1 },
		  { .label = "error", .log = 1 },
		  errors,
		  3 },
		{ title[1],
		  { .label = "bodies", .log = 1 },
		  { .label = "seconds", .log = 1 },
		  sizes,
		  2 },
	};

	for (i = 0; i < TOLERANCES; i++) {
		seconds[i] = known(b->sum[i].seconds);
		error[i] = known(b->sum[i].checked_99);
	}
	for (i = 0; i < b->sizes; i++) {
		bodies[i] = (double)b->size[i].bodies;
		tree[i] = b->size[i].tree;
		pairs[i] = b->size[i].all;
	}
	snprintf(title[0], sizeof title[0], "Gravity of %zu bodies", b->n);
	snprintf(title[1], sizeof title[1], "%.0e: order %u, theta %.2f", BREAK_EVEN, b->order,
	         b->theta);
	plot_svg(svg, b->info.name, panel, b->sizes ? 2 : 1);
}

/* The sums as rows, which are told before the break-even is looked for. */
static json_t *report_sums(const struct bench *b, FILE *csv)
{
	static const char *const names[] = { "tolerance",
		                             "order",
		                             "theta",
		                             "near_pairs",
		                             "far_pairs",
		                             "error_median",
		                             "error_99",
		                             "checked_error_99",
		                             "repeats",
		                             "seconds",
		                             "build_seconds",
		                             "bodies_per_second",
		                             "speed",
		                             "check",
		                             NULL };
	json_t *sums = json_array();
	size_t i;

	for (i = 0; i < SUMS; i++)
		json_array_append_new(sums, sum_json(b, i));
	if (csv) {
		tool_csv(csv, sums, names, 1);
		fflush(csv);
	}
	if (!b->args->json)
		print_sums(b, sums);
	return sums;
}

static int report_break_even(const struct bench *b, const json_t *sums, FILE *svg)
{
	if (svg)
		draw(b, svg);
	if (b->args->json)
		return tool_json_print(json_pack(
		        "{s:s, s:o, s:o, s:I, s:f, s:O, s:o}", "version", clopt_version(), "device",
		        tool_json_text(b->info.name), "driver", tool_json_text(b->info.driver),
		        "bodies", (json_int_t)b->n, "softening", SOFTENING, "sums", sums,
		        "break_even", break_even_json(b)));
	if (!b->args->small)
		print_break_even(b);
	return 0;
}

/* ---- The run ------------------------------------------------------------------------- */

static int with_files(const struct tool_args *args, FILE *csv, FILE *svg)
{
	static const size_t usual[] = {
		[CASE_SMALL] = 2048, [CASE_CPU] = 100000, [CASE_GPU] = 1000000
	};
	struct bench *b = calloc(1, sizeof *b);
	json_t *sums;
	size_t i;
	int rc;

	if (!b)
		return tool_no_memory();
	b->args = args;
	rc = tool_open(args, 0, 0, &b->ctx, &b->info);
	if (!rc) {
		b->n = args->size ? args->size : usual[tool_extent(args, &b->info)];
		rc = measure_tolerances(b);
	}
	if (!rc) {
		sums = report_sums(b, csv);
		/* A simulated device would take hours, and its times say nothing. */
		rc = !args->small && (find_chosen(b) || find_measured(b));
		rc |= report_break_even(b, sums, svg);
		for (i = 0; i < SUMS; i++)
			rc |= b->sum[i].s.verdict != NULL;
		json_decref(sums);
	}
	clopt_close(b->ctx);
	free(b->bodies);
	free(b->acc);
	free(b->right);
	free(b);
	return rc;
}

int tool_bench_tree(const struct tool_args *args)
{
	return tool_with_files(args, with_files);
}
