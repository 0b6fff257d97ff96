/* SPDX-License-Identifier: MIT */
/*
 * walk.c - the walk over the table: every row that can run here x some of test/random's problems x
 * the ways of a call.
 *
 * The first way is judged against plain C; the others must have its bits.  Rows are tested where
 * their `needs' are met, whatever they like, so kernels for GPUs are tested on a CPU.  A row's
 * problems are the same in each run: CLOPT_TEST_SEED sets another seed, CLOPT_TEST_SMALL=1 leaves
 * what is small enough for a simulator, CLOPT_TEST_ROW rows with this in their name,
 * CLOPT_TEST_PART=1/4 every fourth row from number 1 on, and CLOPT_TEST_ALL=1 takes more problems,
 * and CLOPT_TEST_TELL=1 prints them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../call/several.h"
#include "../random/random.h"
#include "base/context.h"
#include "problems.h"
#include "table/table.h"
#include "wrap.h"

enum way {
	WHOLE, /* in arrays of the device's */
	IN_PLACE, /* ... of the host's, if the device can */
	STARTED,
	ON_BUFFERS,
	SLICES,
	LEAST, /* in blocks, and sums in parts */
	BANDS, /* in fewer blocks */
	FEW, /* by work-groups of 64 at most */
	JOINED, /* by two devices */
	WAYS
};
static const char *const ways[WAYS] = { "whole",   "in place",     "started",
	                                "buffers", "slices",       "least memory",
	                                "bands",   "small groups", "two devices" };

enum {
	KERNELS = 8, /* of the first row of a file with CLOPT_TEST_ALL, at most */
	KERNELS_IN_WAYS = 2, /* of these in all ways */
	FEWER_KERNELS = 2, /* of the others, */
	ALIKE_KERNELS = 1, /* but of those that differ from one before by numbers alone */
	PROPERTIES = 12, /* for which kernels are compiled */
	PROBLEMS = 3, /* of each, */
	DEEP = 2, /* of which this one has a long sum */
	TRIES = 4000, /* to find a problem that the row serves */
	BLOCKS = 8, /* by which memory goes down, */
	BLOCKS_OF_TILES = 5, /* or by this where a block takes as long as a large tile */
	LARGE = 1 << 10,
	FAR = 1 << 30 /* a limit on memory that nothing reaches, but arrays are not used in place */
};

struct walk {
	size_t index;
	const struct variant *row;
	struct clopt *ctx, *few, *joined;
	size_t peak; /* bytes of a call on the device, without a limit */
	int simulated; /* by Oclgrind, which is slow */
	int one_way; /* whole, and a long sum in parts */
	int lacks; /* local memory, which only a build tells */
	int known; /* kernels before have all properties of this one */
	int alike; /* it differs from a row before by numbers alone */
	size_t kernels, bands, parts;
	int properties[KERNELS][PROPERTIES];
};

static int small_only(void)
{
	const char *text = getenv("CLOPT_TEST_SMALL");

	return text && *text == '1';
}

/* ---- Rows ------------------------------------------------------------------------------ */

int test_rows(void)
{
	size_t n = 0;

	while (clopt_variant_name(n))
		n++;
	return (int)n;
}

/* PoCL has all traits that rows need, except NVIDIA's assembler, unless an option says otherwise or
 * the CPU has a small cache. */
struct clopt *test_open_row(int i, const struct clopt_options *options)
{
	struct clopt_device_info info = { .size = sizeof info };
	const char *name = getenv("CLOPT_TEST_ROW");
	struct clopt *ctx;
	char why[256];

	if (name && !strstr(clopt_variant_name((size_t)i), name))
		return NULL;
	ctx = test_open(options);
	if (!clopt_variant_runs(ctx, (size_t)i, NULL, why, sizeof why)) {
		CHECK_OK(ctx, clopt_device_get(ctx, &info));
		ck_assert_msg(!strstr(info.platform, "Portable Computing Language") ||
		                      strstr(why, "inline-ptx") || info.max_group < 1024 ||
		                      (strstr(why, "images") && !info.image2d_width) ||
		                      (strstr(why, "local-") && info.local_bytes < 960 << 10),
		              "%s does not run on PoCL: %s", clopt_variant_name((size_t)i), why);
		printf("%s cannot run here: %s\n", clopt_variant_name((size_t)i), why);
		fflush(stdout);
		test_close(ctx);
		return NULL;
	}
	CHECK_OK(ctx, clopt_force_variants(ctx, clopt_variant_name((size_t)i)));
	return ctx;
}

int test_same_as_before(int row)
{
	const struct variant *v = clopt__variant((size_t)row), *w;

	for (w = clopt__variant(0); w != v; w = clopt__next_variant(w))
		if (w->op == v->op && !strcmp(w->file, v->file) && w->images == v->images &&
		    w->texels == v->texels)
			return 1;
	return 0;
}

int test_alike_before(struct clopt *ctx, int row)
{
	const struct variant *v = clopt__variant((size_t)row), *w;
	const unsigned floats = 4u | 8u, types = v->types ? v->types : floats;
	size_t i;
	int n = 0;

	for (i = 0, w = clopt__variant(0); w != v; i++, w = clopt__next_variant(w))
		n += w->op == v->op && !strcmp(w->file, v->file) && w->images == v->images &&
		     w->texels == v->texels && w->math == v->math &&
		     !(types & ~(w->types ? w->types : floats)) &&
		     clopt_variant_runs(ctx, i, NULL, NULL, 0);
	return n;
}

/* ---- Calls ----------------------------------------------------------------------------- */

/* Beyond the kernels in all ways, only one with a property that none before it has: compiling takes
 * most of the time. */
static int is_new(struct call *c, const struct clopt_problem *p)
{
	const int own[PROPERTIES] = { p->type,    p->transa,    p->transb, p->triangle,
		                      p->normals, p->hermitian, p->law,    p->outputs,
		                      p->depths,  p->precision, p->scaled, (int)p->elem_bytes };
	struct walk *w = c->walk;
	/* Problems of bodies do not tell the integrator. */
	const int all = !w->one_way || w->row->op >= CLOPT_OP_LEAPFROG;
	size_t i, k;

	if (w->kernels < KERNELS)
		memcpy(w->properties[w->kernels], own, sizeof own);
	for (i = 0; i < PROPERTIES && !all; i++) {
		for (k = 0; k < w->kernels && w->properties[k][i] != own[i]; k++)
			;
		if (k == w->kernels)
			return 1;
	}
	w->known = !all;
	return all;
}

static void set_tiles(struct call *c)
{
	const struct op *op = clopt__ops[c->row->op];
	size_t i;

	c->most = small_only() ? 40 : 0;
	c->deep = c->number % PROBLEMS == DEEP && op->sum != NO_DIM ? op->sum + 1 : 0;
	for (i = 0; i < 2; i++)
		if (op->extent[i] != NO_DIM)
			c->tile[op->extent[i]] = c->row->out[i];
	if (op->sum != NO_DIM && op->banded)
		c->tile[op->sum] = clopt__sum_tile(c->row);
}

static int is_of_pairs(const struct variant *v)
{
	return v->op == CLOPT_OP_POTENTIAL || v->op == CLOPT_OP_NBODY;
}

/* Where memory cuts the sources, in another order than that of a call that is not cut. */
static int adds_results(const struct variant *v)
{
	return is_of_pairs(v) && !clopt__part_bytes(v, NULL);
}

/* Whether there is something to see that other ways do not show. */
static int has_way(const struct walk *w, enum way way, int points)
{
	const struct variant *v = w->row;
	const int moves = v->op > CLOPT_OP_NBODY;

	if (w->alike && (way == IN_PLACE || way == STARTED || way == BANDS || way == JOINED))
		return 0;
	switch (way) {
	case STARTED:
	case ON_BUFFERS:
		return !points && !(v->host && way == ON_BUFFERS);
	case SLICES:
		return clopt__ops[v->op]->sliced && !v->host;
	case LEAST:
	case BANDS:
		return !moves && !v->host;
	case FEW:
		return w->few != NULL;
	default:
		return 1;
	}
}

/* The problem of this number in one way, with the limit on memory that it had in the end. */
static size_t call_in(struct walk *w, struct call *c, enum way way, uint64_t kernel,
                      uint64_t problem, size_t limit)
{
	static const int forms[WAYS] = { [STARTED] = FORM_STARTED, [ON_BUFFERS] = FORM_BUFFERS };
	static const struct clopt_options options = CLOPT_OPTIONS_INIT;
	static void (*const calls[])(struct call *) = {
		[CLOPT_OP_MATMUL] = random_product,     [CLOPT_OP_TRANSPOSE] = random_transpose,
		[CLOPT_OP_POTENTIAL] = random_pair,     [CLOPT_OP_NBODY] = random_pair,
		[CLOPT_OP_LEAPFROG] = random_bodies,    [CLOPT_OP_EVOLVE_STEP] = random_bodies,
		[CLOPT_OP_EVOLVE_SUMS] = random_bodies,
	};
	const int pairs = is_of_pairs(w->row);
	const int cut = way == LEAST || way == BANDS;
	size_t held, peak;

	memset(c, 0, sizeof *c);
	c->number = kernel * PROBLEMS + problem;
	c->r = random_of(c->number, 1);
	c->kernel = random_of(kernel, 2);
	c->options = &options;
	c->form = forms[way];
	c->row = w->row;
	c->index = w->index;
	c->limit = limit;
	c->walk = w;
	c->serves = way == WHOLE ? is_new : NULL;
	c->first = way == WHOLE;
	c->compared = way != WHOLE && !(cut && adds_results(w->row));
	set_tiles(c);
	c->ctx = way == JOINED ? w->joined : way == FEW ? w->few : w->ctx;
	c->ctx->slice_seconds = way == SLICES ? 1e-9 : 0;
	call_say(c, "%s", ways[way]);
	CHECK_OK(c->ctx, clopt_host_trim(c->ctx));
	wrap_peak_bytes();
	held = wrap_peak_bytes();
	/* Oclgrind 21.10 cannot run what its compiler makes of kernels for points of doubles. */
	(pairs && kernel % 2 && !w->simulated ? random_points : calls[w->row->op])(c);
	peak = wrap_peak_bytes() - held;
	w->peak = way == WHOLE ? peak : w->peak;
	if (c->limit && peak > c->limit)
		call_wrong(c, "%zu bytes of device memory, allowed are %zu", peak, c->limit);
	if (wrap_fences())
		call_wrong(c, "a kernel wrote outside its buffers");
	return c->limit;
}

static void look_at_report(struct walk *w, struct call *c)
{
	struct clopt_report r = CLOPT_REPORT_INIT;

	CHECK_OK(c->ctx, clopt_last_report(c->ctx, &r));
	w->bands = r.bands > w->bands ? r.bands : w->bands;
	w->parts = r.sum_parts > w->parts ? r.sum_parts : w->parts;
	if (w->row->op <= CLOPT_OP_NBODY && r.variant && strcmp(r.variant, w->row->name) != 0)
		call_wrong(c, "%s ran", r.variant);
	if (c->form == FORM_BUFFERS && (r.bands > 1 || r.up_bytes || r.down_bytes))
		call_wrong(c, "moved %zu bytes", r.up_bytes + r.down_bytes);
}

/* A block of residues is dozens of launches, so one problem in blocks is enough. */
static int is_slow(const struct walk *w, enum way way, uint64_t problem)
{
	return w->row->moduli && (way == LEAST || way == BANDS) && problem > 0;
}

/* In all ways, if the row serves it. */
static int in_all_ways(struct walk *w, uint64_t kernel, uint64_t problem)
{
	const int points = kernel % 2 != 0 && is_of_pairs(w->row);
	const int tiles = w->row->out[0] * w->row->out[1] > LARGE && problem != DEEP;
	const size_t blocks = tiles ? BLOCKS_OF_TILES : BLOCKS;
	struct call c;
	uint64_t bits;
	size_t least = FAR, limit;
	int way;

	call_in(w, &c, WHOLE, kernel, problem, FAR);
	w->lacks |= c.lacks;
	if (c.unserved)
		return 0;
	if (getenv("CLOPT_TEST_TELL"))
		printf("%s: problem %llu, %s\n", w->row->name, (unsigned long long)c.number,
		       c.text);
	ck_assert(!c.wrong);
	look_at_report(w, &c);
	bits = c.bits;
	for (way = IN_PLACE; way < WAYS && !w->simulated; way++) {
		/* A sum in parts has a kernel of its own; every other is enough. */
		if (!has_way(w, (enum way)way, points) ||
		    (w->one_way && (way != LEAST || problem != DEEP || w->kernels % 2)) ||
		    is_slow(w, (enum way)way, problem))
			continue;
		limit = way == IN_PLACE ? 0 :
		        way == LEAST    ? 1 + w->peak / blocks :
		        way == BANDS    ? least :
		                          FAR;
		if (way == BANDS && problem == 0)
			wrap_hold(20); /* queues that do not wait compute from NaN */
		limit = call_in(w, &c, (enum way)way, kernel, problem, limit);
		wrap_hold(0);
		if (way == LEAST)
			least = limit + limit / 2 + limit * (size_t)problem;
		if (c.unserved) /* there are two, or a limit on memory */
			continue;
		look_at_report(w, &c);
		if (c.compared && c.bits != bits)
			call_wrong(&c, "other bits than whole");
		ck_assert(!c.wrong);
	}
	return 1;
}

/* ---- The problems of `clopt check' --------------------------------------------------------- */

static void expect_right(struct clopt *ctx, const struct clopt_problem *p)
{
	const struct outcome o = test_run(ctx, p, 1);

	ck_assert_msg(
	        (o.status == CLOPT_OK || test_lacks_local(ctx, o.status, clopt_op_name(p->op))) &&
	                wrap_fences() == 0,
	        "%s: %s (or a broken fence)", o.text, o.reason);
}

/* Rows of one file take even and odd orders of a tree in turn. */
static int is_left_out(const struct clopt_problem *p, int row)
{
	return p->op > CLOPT_OP_EVOLVE_SUMS && p->precision == CLOPT_PRECISION_FLOAT && row >= 0 &&
	       test_same_as_before(row) && (p->dim[2] + (size_t)row) % 2;
}

/* row -1: by any. */
static void on_problems_of(struct clopt *ctx, int op, int row)
{
	struct clopt_device_info info = { .size = sizeof info };
	const struct clopt_problem *list;
	struct clopt_problem problem;
	size_t i, n;

	CHECK_OK(ctx, clopt_device_get(ctx, &info));
	list = test_problems(op, &n);
	for (i = 0; i < n; i++) {
		problem = test_problem(op, i);
		if ((small_only() && !test_is_small(&list[i])) || is_left_out(&list[i], row) ||
		    (list[i].precision == CLOPT_PRECISION_DOUBLE && !info.fp64) ||
		    (row >= 0 && !clopt_variant_runs(ctx, (size_t)row, &problem, NULL, 0)))
			continue;
		expect_right(ctx, &list[i]);
		if (row >= 0 && !test_all())
			return;
	}
}

/* Rows of trees, which random calls do not have. */
static void of_trees(struct clopt *ctx, int row)
{
	const int op = clopt_variant_op((size_t)row);
	char names[128];

	/* Sums by the table's choice compile for half a minute, and have rows of their own. */
	if (op <= CLOPT_OP_TREE_CELLS) {
		snprintf(names, sizeof names, "%s,tree-potential/plain-1,tree-nbody/plain-1",
		         clopt_variant_name((size_t)row));
		CHECK_OK(ctx, clopt_force_variants(ctx, names));
	}
	on_problems_of(ctx, op, row);
}

/* The rows that this machine picks, as users get them. */
START_TEST(each)
{
	struct clopt *ctx = test_open(NULL);

	on_problems_of(ctx, _i, -1);
	test_close(ctx);
}
END_TEST

/* ---- The walk -------------------------------------------------------------------------- */

static int open_walk(struct walk *w, int row)
{
	const struct variant *v = clopt__variant((size_t)row);
	struct clopt_options options = CLOPT_OPTIONS_INIT;

	memset(w, 0, sizeof *w);
	w->index = (size_t)row;
	w->row = v;
	options.queues = 3;
	if (!(w->ctx = test_open_row(row, &options)))
		return 0;
	random_device.size = sizeof random_device;
	CHECK_OK(w->ctx, clopt_device_get(w->ctx, &random_device));
	w->simulated = strstr(random_device.platform, "Oclgrind") != NULL;
	w->alike = test_alike_before(w->ctx, row) > 0;
	/* Only points ask for the jerk: see call_in. */
	if (w->simulated && v->outputs == 1u << CLOPT_OUTPUTS_JERK) {
		printf("%s: skipped, since Oclgrind cannot run points\n", v->name);
		test_close(w->ctx);
		return 0;
	}
	if (w->simulated || v->op > CLOPT_OP_EVOLVE_SUMS)
		return 1;
	w->joined = joined(2, &options);
	if (v->wg[0] * v->wg[1] <= 64 && !v->host && v->op < CLOPT_OP_LEAPFROG) {
		wrap_device_groups(64);
		w->few = test_open(&options);
		wrap_device_groups(0);
	}
	return 1;
}

static void close_walk(struct walk *w)
{
	clopt_close(w->few);
	clopt_close(w->joined);
	test_close(w->ctx);
}

/* How many kernels of the row to look at, the first of them in all ways; under the simulator one,
 * or two of a file's first row.  Compiling takes most of the time; rows of one file share its
 * kernels out, and a row on the host has none. */
static size_t kernels_of(const struct walk *w, size_t *in_ways)
{
	const int first = test_all() && !test_same_as_before((int)w->index);

	*in_ways = w->row->host ? 30 : first ? KERNELS_IN_WAYS : 1;
	if (w->row->host)
		return 30;
	if (first)
		return KERNELS;
	return w->alike || !test_all() ? ALIKE_KERNELS : FEWER_KERNELS;
}

/* Kernels in all ways are those of users.  The simulator runs products for longer than it compiles
 * them. */
static void set_compiler(const struct walk *w)
{
	wrap_unoptimized(w->simulated ? 1 + (w->row->op != CLOPT_OP_MATMUL) : 1 + w->one_way);
}

/* Whether memory has cut calls of the row, and their sums, where it can. */
static int seen_cut(const struct walk *w)
{
	const int calls = !w->row->host && !w->simulated && w->row->op <= CLOPT_OP_NBODY;
	const int sums = calls && w->row->op != CLOPT_OP_TRANSPOSE && !adds_results(w->row) &&
	                 !w->row->moduli;

	return (!calls || w->bands > 1) && (!sums || w->parts > 1);
}

/* Problems until there are enough that the row serves, and memory has cut some. */
static void on_problems(struct walk *w)
{
	uint64_t kernel = w->index * TRIES, problem;
	const uint64_t end = kernel + TRIES;
	const size_t problems = w->simulated ? 1 : PROBLEMS;
	size_t in_ways, kernels = kernels_of(w, &in_ways);

	kernels = w->simulated ? 1 + kernels / KERNELS : kernels;
	for (; (w->kernels < kernels || !seen_cut(w)) && kernel < end && !w->lacks; kernel++) {
		int served = 0;

		w->one_way = w->kernels >= in_ways && seen_cut(w);
		w->known = 0;
		set_compiler(w);
		for (problem = 0; problem < problems && !w->known; problem++) {
			if (w->row->host)
				wrap_host_vectors((unsigned)problem);
			served |= in_all_ways(w, kernel, problem);
		}
		w->kernels += served ? 1 : 0;
	}
	printf("%s: %zu kernels, %zu bands, %zu parts\n", w->row->name, w->kernels, w->bands,
	       w->parts);
	fflush(stdout);
	ck_assert_msg(w->kernels > 0 || w->lacks, "no problem reaches %s", w->row->name);
	ck_assert_msg(w->kernels == 0 || seen_cut(w), "no call or no sum was cut");
}

START_TEST(every_row)
{
	struct walk w;

	if (open_walk(&w, _i)) {
		w.one_way = w.row->op > CLOPT_OP_EVOLVE_SUMS && test_same_as_before(_i);
		set_compiler(&w);
		if (w.row->op > CLOPT_OP_EVOLVE_SUMS)
			of_trees(w.ctx, _i);
		else
			on_problems(&w);
		close_walk(&w);
	}
	wrap_unoptimized(1);
}
END_TEST

SUITE(picked, picked)
{
	test_add_rows(c, each, 0, CLOPT_OPS);
}

SUITE(variants, walk)
{
	test_add_rows(c, every_row, 0, test_rows());
}
