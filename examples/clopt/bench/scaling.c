/* SPDX-License-Identifier: MIT */
/*
 * scaling.c - `clopt bench' of several devices: the speed of whole calls over 1, 2, ... of them beside
 * that over the first alone, from ordinary and from pinned memory.
 *
 * It stands in place of the usual tables: these compare kernels, which run on one device at a time, and
 * who names several devices asks what the others add.  All numbers of devices and both kinds of memory
 * take turns.  Equal devices have to give the bits of one.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../common/shares.h"
#include "../plot/plot.h"
#include "bench.h"

#include "../../common/progress.h"

enum {
	SAMPLES = 64,
	LEAST_REPEATS = 3,
	SEED = 1,
	MOST_STEPS = 8, /* numbers of devices: 1, 2, 3, 4, 8, ..., SHARES_MOST */
	MOST_ROUTINES = 8,
	BODY_STEPS = 4, /* of bodies that move */
	MEMORIES = 2,
	CELLS = MEMORIES * MOST_STEPS
};

/* Seconds of a call on one device, by which sizes are chosen. */
#define TARGET_GPU 0.5
#define TARGET_CPU 0.1
/* Of all copies of a problem's arrays together: pinning takes some 0.4 s for 1 GiB. */
#define MOST_PINNED_BYTES (8.0 * 1073741824.0)

/* A number of devices and a kind of memory. */
struct cell {
	struct tool_sample s; /* first: tool_turns walks over them */
	size_t step;
	int memory; /* enum clopt_memory */
	struct case_job *job;
	uint64_t digest;
	struct shares shares; /* of all calls */
	double median, speed; /* speed: over one device; 0: not known */
};

/* A curve of the picture, for each of the two kinds of memory. */
struct routine {
	char name[64];
	double speed[MEMORIES][MOST_STEPS];
};

struct scaling {
	const struct tool_args *args;
	size_t members, index[SHARES_MOST]; /* in the list of devices */
	struct clopt_device_info info[SHARES_MOST];
	int alike;
	size_t steps, devices[MOST_STEPS]; /* how many, by step */
	struct clopt *ctx[MOST_STEPS];
	/* The routine at hand. */
	int op;
	struct shape shape;
	struct cell *cell; /* first the steps from ordinary memory, then those from pinned */
	const char *pinned; /* the kind of that in words */
	json_t *lines; /* of each cell */
	FILE *csv;
	struct routine routine[MOST_ROUTINES];
	size_t routines, bad;
};

/* ---- Devices ------------------------------------------------------------------------- */

static int are_alike(const struct clopt_device_info *a, const struct clopt_device_info *b)
{
	return !strcmp(a->name, b->name) && !strcmp(a->platform, b->platform) &&
	       !strcmp(a->driver, b->driver) && !strcmp(a->traits, b->traits) &&
	       a->compute_units == b->compute_units && a->max_alloc_bytes == b->max_alloc_bytes;
}

/* Contexts of fewer devices are opened by their indices. */
static int find_members(struct scaling *b, struct clopt *ctx)
{
	size_t i;
	int rc;

	b->members = clopt_members(ctx) < SHARES_MOST ? clopt_members(ctx) : SHARES_MOST;
	rc = tool_members(ctx, b->members, b->index, b->info);
	b->alike = 1;
	for (i = 0; !rc && i < b->members; i++)
		b->alike &= are_alike(&b->info[0], &b->info[i]);
	return rc;
}

/* A context on the first of the devices, for each number of them. */
static int open_steps(struct scaling *b)
{
	struct tool_args args = *b->args;
	struct clopt_device_info info;
	char text[8 * SHARES_MOST];
	size_t n, k, used;
	int rc = 0;

	for (n = 1; !rc && b->steps < MOST_STEPS; n = n < 4 ? n + 1 : 2 * n) {
		n = n < b->members ? n : b->members;
		for (k = used = 0; k < n; k++)
			used += (size_t)snprintf(text + used, sizeof text - used, "%s%zu",
			                         k ? "+" : "", b->index[k]);
		args.device = text;
		b->devices[b->steps] = n;
		rc = tool_open(&args, 0, 0, &b->ctx[b->steps], &info);
		b->steps += !rc;
		if (n == b->members)
			break;
	}
	return rc;
}

/* ---- Problems ------------------------------------------------------------------------ */

/* The largest of all dimensions. */
static size_t most_of(int op)
{
	return op <= CLOPT_OP_TRANSPOSE ? 32768 : op <= CLOPT_OP_NBODY ? 1 << 20 : 1 << 18;
}

static void set_size(struct shape *shape, size_t n)
{
	size_t d;

	for (d = 0; d < 3; d++)
		shape->dim[d] = shape->dim[d] ? n : 0;
}

/* Whether one device does it within the target, and the machine has room for all copies. */
static int suits(struct scaling *b, const struct shape *shape, double target)
{
	struct clopt_plan_info plan = CLOPT_PLAN_INFO_INIT;
	struct clopt_problem problem;
	double bytes;

	case_problem(b->op, shape, &problem);
	problem.steps = shape->steps;
	if (clopt_plan(b->ctx[0], &problem, &plan) != CLOPT_OK || !plan.fits)
		return 0;
	bytes = (double)plan.array_bytes;
	return plan.seconds > 0 && plan.seconds <= target &&
	       (double)b->steps * bytes <= MOST_PINNED_BYTES &&
	       (plan.host_bytes == 0 ||
	        (double)(b->steps + 2) * bytes <= 0.5 * (double)plan.host_bytes);
}

/* From the size of the usual bench up by quarters. */
static void choose_size(struct scaling *b)
{
	const enum case_extent extent = tool_extent(b->args, &b->info[0]);
	const double target = extent == CASE_GPU ? TARGET_GPU : TARGET_CPU;
	struct shape larger = b->shape;
	size_t n = b->shape.dim[0];

	while (!b->args->size && !b->args->small && n < most_of(b->op)) {
		n += n / 4;
		n -= n % (n < 8192 ? 128 : 1024);
		n = n < most_of(b->op) ? n : most_of(b->op);
		set_size(&larger, n);
		if (!suits(b, &larger, target))
			break;
		b->shape = larger;
	}
}

/* ---- Measurements -------------------------------------------------------------------- */

static int call(struct scaling *b, struct cell *c, struct clopt_report *report)
{
	struct clopt *ctx = b->ctx[c->step];
	size_t i;
	int shared;

	shares_look(&c->shares, ctx);
	if (!tool_call(&c->s, ctx, b->args->variant, c->job, report))
		return 0;
	shared = shares_add(&c->shares, ctx, 1.0);
	for (i = 0; shared && i < c->shares.lasts; i++)
		if (c->shares.last[i].status != CLOPT_OK)
			tool_failed(&c->s, c->shares.last[i].text);
	return !c->s.verdict;
}

/* Bodies after several steps could only be compared with a simulation on the host, and copies have no
 * fences. */
static int checked(const struct scaling *b, const struct cell *c)
{
	return b->op < CLOPT_OP_LEAPFROG && c->memory == CLOPT_MEMORY_ORDINARY &&
	       (c == b->cell || !b->alike);
}

static void check(const struct scaling *b, struct cell *c)
{
	struct case_result result;
	char why[256];

	if (!checked(b, c))
		return;
	if (case_check(c->job, SAMPLES, &result) != CLOPT_OK) {
		tool_failed(&c->s, "out of memory for the check");
	} else if (!case_passed(&result)) {
		case_explain(&result, why, sizeof why);
		tool_wrong(&c->s, "%s", why);
	}
}

/* The first call compiles; its result is one device's, bit for bit, or at least right. */
static void first_call(struct scaling *b, struct cell *c)
{
	struct clopt_report report;

	if (c->s.verdict || !call(b, c, &report))
		return;
	c->digest = case_digest(c->job);
	check(b, c);
	if ((b->alike || c->step == 0) && !c->s.verdict && c->digest != b->cell->digest)
		tool_wrong(&c->s, "not the bits of one device from ordinary memory");
}

static void turn(void *what, size_t i, struct tool_sample *s)
{
	struct scaling *b = what;
	struct clopt_report report;

	if (call(b, &b->cell[i], &report))
		tool_sample_add(s, report.seconds, report.seconds);
}

static void conclude(struct scaling *b)
{
	struct cell *c, *one;

	for (c = b->cell; c < b->cell + MEMORIES * b->steps; c++) {
		one = c - c->step;
		c->median = c->s.verdict ? 0 : tool_median(c->s.seconds, c->s.repeats);
		c->speed = c->median > 0 ? one->median / c->median : 0;
		b->bad += c->s.verdict != NULL;
	}
}

/* The ordinary arrays, and a copy in pinned memory of each context. */
static void measure(struct scaling *b, struct case_job *job)
{
	struct cell *const end = b->cell + MEMORIES * b->steps, *c;
	int kind = CLOPT_MEMORY_ORDINARY;

	for (c = b->cell; c < end; c++) {
		c->step = (size_t)(c - b->cell) % b->steps;
		c->memory = CLOPT_MEMORY_ORDINARY;
		c->job = job;
		shares_begin(&c->shares, b->ctx[c->step]);
		case_reset(job);
		if (c >= b->cell + b->steps) {
			if (case_copy(&c->job, job, b->ctx[c->step], &kind) != CLOPT_OK)
				tool_failed(&c->s, "no memory to pin");
			else if (kind == CLOPT_MEMORY_ORDINARY)
				tool_failed(&c->s, "memory cannot be pinned");
			c->memory = kind == CLOPT_MEMORY_SHARED ? kind : CLOPT_MEMORY_PINNED;
		}
		first_call(b, c);
	}
	tool_turns(&b->cell->s, sizeof *b->cell, MEMORIES * b->steps, LEAST_REPEATS,
	           b->args->seconds, turn, b);
	conclude(b);
	for (c = b->cell + b->steps; c < end; c++) {
		case_close(c->job);
		clopt_host_trim(b->ctx[c->step]);
	}
}

/* ---- Reports ------------------------------------------------------------------------- */

static const char *memory_name(const struct cell *c)
{
	return c->memory == CLOPT_MEMORY_ORDINARY ? "ordinary" :
	       c->memory == CLOPT_MEMORY_SHARED   ? "shared" :
	                                            "pinned";
}

static json_t *line_json(const struct scaling *b, const struct cell *c)
{
	const struct shape *s = &b->shape;
	char problem[128];

	case_describe(b->op, s, problem, sizeof problem);
	return json_pack(
	        "{s:s, s:s, s:s, s:I, s:s, s:I, s:I, s:o, s:I, s:o, s:o, s:o, s:s, s:s, s:o}",
	        "operation", clopt_op_name(b->op), "element", case_element(b->op, s), "problem",
	        problem, "size", (json_int_t)s->dim[0], "memory", memory_name(c), "devices",
	        (json_int_t)b->devices[c->step], "took_part",
	        (json_int_t)shares_working(&c->shares), "shares", shares_json(&c->shares),
	        "repeats", (json_int_t)c->s.repeats, "seconds", tool_json_known(c->median), "speed",
	        tool_json_known(c->speed), "rate", tool_json_known(case_rate(b->op, s, c->median)),
	        "unit", case_unit(b->op), "check", tool_verdict(&c->s), "why", tool_why(&c->s));
}

/* A line of the table: a routine from one kind of memory.  Its last column has what was wrong, or
 * which calls were too short to share. */
static json_t *table_row(const struct scaling *b, const struct cell *first, const char *name)
{
	json_t *row = json_pack("{s:s, s:I, s:s}", "routine", name, "size",
	                        (json_int_t)b->shape.dim[0], "memory", memory_name(first));
	const char *const fine = b->alike          ? "same bits" :
	                         checked(b, first) ? "right" :
	                                             "not compared";
	const struct cell *c;
	char key[32], note[384] = "";

	for (c = first; c < first + b->steps; c++) {
		const size_t n = b->devices[c->step];

		snprintf(key, sizeof key, "s%zu", n);
		json_object_set_new(row, key, tool_json_known(c->median));
		snprintf(key, sizeof key, "x%zu", n);
		json_object_set_new(row, key, tool_json_known(c->speed));
		if (!*note && c->s.verdict)
			snprintf(note, sizeof note, "%zu: %s: %s", n, c->s.verdict, c->s.why);
		else if (!*note && shares_working(&c->shares) < n)
			snprintf(note, sizeof note, "%zu: only %zu took part", n,
			         shares_working(&c->shares));
	}
	json_object_set_new(row, "check", tool_json_text(*note ? note : fine));
	return row;
}

static json_t *devices_json(const struct scaling *b)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < b->members; i++)
		json_array_append_new(list, json_pack("{s:I, s:o, s:o, s:s, s:s}", "index",
		                                      (json_int_t)b->index[i], "device",
		                                      tool_json_text(b->info[i].name), "driver",
		                                      tool_json_text(b->info[i].driver), "pci",
		                                      b->info[i].pci, "uuid", b->info[i].uuid));
	return list;
}

/* Rows of one routine; the heads are as wide as the numbers of the others may be. */
static void print_rows(const struct scaling *b, const json_t *rows)
{
	struct tool_column columns[4 + 2 * MOST_STEPS + 1] = {
		TOOL_TEXT("routine                   ", "routine"),
		TOOL_NUMBER("    size", "size", "%.0f", 1),
		TOOL_TEXT("memory  ", "memory"),
	};
	char head[MOST_STEPS][16], seconds[MOST_STEPS][16], speed[MOST_STEPS][16];
	size_t i, n = 3;

	for (i = 0; i < b->steps; i++) {
		snprintf(head[i], sizeof head[i], "%6zu: s", b->devices[i]);
		snprintf(seconds[i], sizeof seconds[i], "s%zu", b->devices[i]);
		snprintf(speed[i], sizeof speed[i], "x%zu", b->devices[i]);
		columns[n++] = (struct tool_column)TOOL_NUMBER(head[i], seconds[i], "%#.3g", 1);
		if (i)
			columns[n++] =
			        (struct tool_column)TOOL_NUMBER("speed", speed[i], "%.2f", 1);
	}
	columns[n++] = (struct tool_column)TOOL_TEXT("result", "check");
	columns[n] = (struct tool_column)TOOL_END;
	tool_table_part(stdout, rows, columns, b->routines == 0);
	fflush(stdout); /* the next routine may take a while */
}

static void print_head(const struct scaling *b)
{
	size_t i;

	for (i = 0; i < b->members; i++)
		printf("device %zu: %s%s%s\n", b->index[i], b->info[i].name,
		       *b->info[i].pci ? ", " : "", b->info[i].pci);
	printf("Seconds of whole calls over so many of them, medians of calls in turns, and speed "
	       "over one.\nAll dimensions are of that size; leapfrog: %d steps.\n\n",
	       BODY_STEPS);
}

/* Prints and writes at once, since a run that is stopped should not lose what it measured. */
static void add_routine(struct scaling *b)
{
	static const char *const names[] = { "operation", "element", "size",    "memory", "devices",
		                             "took_part", "repeats", "seconds", "speed",  "rate",
		                             "unit",      "check",   NULL };
	struct routine *r = &b->routine[b->routines];
	json_t *lines = json_array(), *rows = json_array();
	const struct cell *c;

	snprintf(r->name, sizeof r->name, "%s %s", clopt_op_name(b->op),
	         case_element(b->op, &b->shape));
	for (c = b->cell; c < b->cell + MEMORIES * b->steps; c++) {
		json_array_append_new(lines, line_json(b, c));
		if (c->step == 0)
			json_array_append_new(rows, table_row(b, c, r->name));
		r->speed[(size_t)(c - b->cell) / b->steps][c->step] = c->speed > 0 ? c->speed : NAN;
	}
	progress_hide();
	if (!b->args->json && b->routines == 0)
		print_head(b);
	if (!b->args->json)
		print_rows(b, rows);
	if (b->csv) {
		tool_csv(b->csv, lines, names, b->routines == 0);
		fflush(b->csv);
	}
	json_array_extend(b->lines, lines);
	json_decref(lines);
	json_decref(rows);
	b->pinned = memory_name(&b->cell[b->steps]);
	b->routines++;
}

/* A panel for each kind of memory. */
static void draw(const struct scaling *b, FILE *svg)
{
	struct plot_series series[MEMORIES][MOST_ROUTINES + 1];
	struct plot_panel panel[MEMORIES];
	double devices[MOST_STEPS];
	char title[192], second[64];
	size_t i, m;

	for (i = 0; i < b->steps; i++)
		devices[i] = (double)b->devices[i];
	snprintf(title, sizeof title, "%zu devices, %s%s", b->members, b->info[0].name,
	         b->alike ? "" : " and others");
	snprintf(second, sizeof second, "from %s memory", b->pinned);
	for (m = 0; m < MEMORIES; m++) {
		for (i = 0; i < b->routines; i++)
			series[m][i] = (struct plot_series){ .name = b->routine[i].name,
				                             .x = devices,
				                             .y = b->routine[i].speed[m],
				                             .n = b->steps };
		series[m][i] = (struct plot_series){
			.name = "ideal", .x = devices, .y = devices, .n = b->steps, .reference = 1
		};
		panel[m] = (struct plot_panel){
			.title = m ? second : "from ordinary memory",
			.x = { .label = "devices",
			       .from = 1,
			       .to = (double)b->members,
			       .step = b->members > 8 ? 0 : 1 },
			.y = { .label = "speed over one device" },
			.series = series[m],
			.count = b->routines + 1,
		};
	}
	plot_svg(svg, title, panel, MEMORIES);
}

/* ---- The run ------------------------------------------------------------------------- */

static int bench_one(struct scaling *b)
{
	struct case_job *job;
	int rc;

	b->cell = calloc(CELLS, sizeof *b->cell);
	if (!b->cell)
		return tool_no_memory();
	choose_size(b);
	rc = case_open(&job, b->op, &b->shape, SEED) != CLOPT_OK;
	if (rc) {
		tool_tell("not enough memory for this problem; try --size");
	} else {
		measure(b, job);
		add_routine(b);
	}
	case_close(job);
	free(b->cell);
	return rc;
}

/* Real numbers; of all routines, one transpose. */
static int wanted(const struct scaling *b)
{
	const int all = b->args->op < 0;

	return !b->shape.type && b->routines < MOST_ROUTINES &&
	       !(all && b->op == CLOPT_OP_TRANSPOSE && b->shape.elem_bytes != 4) &&
	       tool_choice(b->ctx[0], b->op, &b->shape);
}

static int bench_op(struct scaling *b, int op)
{
	const enum case_extent extent = tool_extent(b->args, &b->info[0]);
	size_t i;
	int rc = 0;

	b->op = op;
	for (i = 0; !rc && case_bench(op, i, extent, b->args->size, &b->shape); i++) {
		b->shape.law = b->args->law;
		b->shape.steps = op >= CLOPT_OP_LEAPFROG ? BODY_STEPS : 0;
		if (wanted(b))
			rc = bench_one(b);
	}
	return rc;
}

static int report(struct scaling *b, FILE *svg)
{
	if (!b->routines)
		return tool_tell("nothing to share over several devices can run here");
	if (svg)
		draw(b, svg);
	if (b->args->json &&
	    tool_json_print(json_pack("{s:s, s:o, s:b, s:O}", "version", clopt_version(), "devices",
	                              devices_json(b), "alike", b->alike, "scaling", b->lines)))
		return 1;
	return b->bad != 0;
}

int bench_scaling(const struct tool_args *args, struct clopt **ctx, FILE *csv, FILE *svg)
{
	struct scaling *b = calloc(1, sizeof *b);
	const int last = args->op < 0 ? CLOPT_OP_LEAPFROG : args->op;
	size_t i;
	int op, rc;

	if (!b)
		return tool_no_memory();
	b->args = args;
	b->lines = json_array();
	b->csv = csv;
	rc = find_members(b, *ctx);
	/* Its commands are timed, which takes time. */
	clopt_close(*ctx);
	*ctx = NULL;
	if (!rc)
		rc = open_steps(b);
	for (op = args->op < 0 ? 0 : args->op; !rc && op <= last; op++)
		rc = bench_op(b, op);
	if (!rc)
		rc = report(b, svg);
	for (i = 0; i < b->steps; i++)
		clopt_close(b->ctx[i]);
	json_decref(b->lines);
	free(b);
	return rc;
}
