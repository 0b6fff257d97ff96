/* SPDX-License-Identifier: MIT */
/*
 * variants.c - every row of the table that can run here, on problems of each kind.
 *
 * Rows are tested where their `needs` are met, whatever they like, so kernels for GPUs
 * are tested on a CPU.  CLOPT_TEST_SEED sets the seed, CLOPT_TEST_SMALL=1 leaves problems
 * that are small enough for a simulator, CLOPT_TEST_ROW rows with this in their name,
 * CLOPT_TEST_PART=1/4 every fourth row from number 1 on.  CLOPT_TEST_ALL=1 tests all
 * problems for each row, not one and short ones that have the same kernel.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "problems.h"
#include "base/context.h"
#include "table/table.h"
#include "suites.h"
#include "wrap.h"

static int small_only(void)
{
	const char *text = getenv("CLOPT_TEST_SMALL");

	return text && *text == '1';
}

/* One seed for the whole run: Check's children inherit the parent's. */
static uint64_t seed;

static void choose_seed(void)
{
	const char *text = getenv("CLOPT_TEST_SEED");

	seed = text ? strtoull(text, NULL, 0) : (uint64_t)time(NULL);
	printf("CLOPT_TEST_SEED=%llu\n", (unsigned long long)seed);
	fflush(stdout);
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

/* Whether the row takes more local memory than the device has, which only a build tells, and after it each
 * call.  OpenCL asks for 32 KiB of all but embedded devices, with which all rows do but those whose matrix
 * instructions are emulated, with up to 44. */
static int lacks_local(struct clopt *ctx, const struct outcome *o)
{
	struct clopt_device_info info = { .size = sizeof info };

	CHECK_OK(ctx, clopt_device_get(ctx, &info));
	return (o->status == CLOPT_EBUILD || o->status == CLOPT_ENOVARIANT) &&
	       info.local_bytes < 48 << 10 &&
	       strstr(o->reason, "bytes of local memory, the device has") != NULL;
}

/* 0: not run, for want of local memory. */
static int expect_right(struct clopt *ctx, const struct clopt_problem *p, struct outcome *o)
{
	*o = test_run(ctx, p, seed);
	if (lacks_local(ctx, o))
		return 0;
	ck_assert_msg(o->status == CLOPT_OK && wrap_fences() == 0,
	              "%s, seed %llu: %s (or a broken fence)", o->text, (unsigned long long)seed,
	              o->reason);
	return 1;
}

/* The row that ran must be the forced row, or none if no kernel was needed. */
static void expect_variant(const struct outcome *o, int op, const struct clopt_problem *p,
                           const char *name)
{
	if (op == CLOPT_OP_LEAPFROG || op == CLOPT_OP_EVOLVE_STEP || op == CLOPT_OP_EVOLVE_SUMS ||
	    (op >= CLOPT_OP_TREE_KEYS && op <= CLOPT_OP_TREE_CELLS))
		return; /* they report gravity's row */
	ck_assert_msg(!o->variant ? test_is_empty(p) : !strcmp(o->variant, name),
	              "%s was forced, %s ran", name, o->variant ? o->variant : "nothing");
}

/* Whether the problems here are for the row: other laws are in test/pair/physics_rows.c. */
static int by_default(int row)
{
	const unsigned laws = clopt__variant((size_t)row)->laws;

	return !laws || laws & (1u << CLOPT_LAW_COULOMB | 1u << CLOPT_LAW_GRAVITY);
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

/*
 * Most of the time is compiling: on PoCL an unrolled kernel of many work-items takes ten seconds.
 * So rows of one file share the larger problems, and of the small ones those in which one operand
 * alone is transposed, unless CLOPT_TEST_FULL is 1.
 */
static int shared_out(int row, const struct clopt_problem *p)
{
	const char *full = getenv("CLOPT_TEST_FULL");

	return !(full && *full == '1') && test_same_as_before(row) &&
	       (!test_is_small(p) || p->transa != p->transb);
}

/* Whether the problem allows rounding to a row that rounds nothing, whose kernel is that of others. */
static int allows_in_vain(int row, const struct clopt_problem *p)
{
	return p->math && !clopt__variant((size_t)row)->math;
}

/* Whether a kernel for one problem is that for the other, so that it costs little to run. */
static int same_kernel(const struct clopt_problem *p, const struct clopt_problem *q)
{
	return p->elem_bytes == q->elem_bytes && p->type == q->type && p->transa == q->transa &&
	       p->transb == q->transb && p->layout == q->layout && p->triangle == q->triangle &&
	       p->math == q->math && p->precision == q->precision && p->scaled == q->scaled &&
	       p->outputs == q->outputs;
}

/* Whether t leads the row through all that p does: a second group and one that is not full along each size,
 * vectors that are not full, as many steps of a sum. */
static int leads_as_far(const struct variant *v, const struct clopt_problem *t,
                        const struct clopt_problem *p)
{
	const struct op *op = clopt__ops[v->op];
	size_t i, step;

	for (i = 0; i < 2 && op->extent[i] != NO_DIM; i++) {
		const size_t of_p = p->dim[op->extent[i]], of_t = t->dim[op->extent[i]];

		if ((of_p > v->out[i] && of_t <= v->out[i]) ||
		    (of_p % v->out[i] && of_t % v->out[i] == 0))
			return 0;
	}
	for (i = 0; i < 3; i++)
		if (p->dim[i] % v->align == 0 && t->dim[i] % v->align)
			return 0;
	for (step = 16; v->op == CLOPT_OP_MATMUL && step <= 64; step *= 2)
		if (p->dim[2] > step && t->dim[2] <= step)
			return 0;
	return p->layout == t->layout && p->triangle == t->triangle && p->math == t->math &&
	       !p->batch == !t->batch;
}

/*
 * Whether the simulator learns nothing from problem i of a row for GPUs after those before it that ran.  A
 * group costs it the same however few of its results exist, up to five seconds.  Rows of one file take each
 * type and each way to read operands once, the first of them each way of each type.
 */
static int simulated_before(int row, const struct clopt_problem *list, const char *ran, size_t i)
{
	const struct variant *v = clopt__variant((size_t)row);
	const struct clopt_problem *const of = &list[i], *t;
	int type = 0, way = 0, both = 0, same_type, same_way;

	if (!small_only() || v->wg[0] * v->wg[1] == 1 ||
	    (v->op != CLOPT_OP_MATMUL && v->op != CLOPT_OP_EVOLVE_FORCE))
		return 0;
	for (t = list; t < of; t++) {
		if (!ran[t - list] || !leads_as_far(v, t, of))
			continue;
		same_type = t->type == of->type && t->elem_bytes == of->elem_bytes &&
		            t->precision == of->precision;
		same_way = t->transa == of->transa && t->transb == of->transb &&
		           t->outputs == of->outputs;
		type |= same_type;
		way |= same_way;
		both |= same_type && same_way;
	}
	return both || (type && way && test_same_as_before(row));
}

static int is_short(const struct clopt_problem *p)
{
	return test_units(p) < (p->op == CLOPT_OP_MATMUL ? 1e6 : 1e5) && test_bytes(p) < 1 << 20;
}

/* In device arrays, which have fences; and in place where the device can. */
static void on_every_problem(int row, int transfer)
{
	const char *name = clopt_variant_name((size_t)row);
	const int op = clopt_variant_op((size_t)row);
	struct clopt_options options = CLOPT_OPTIONS_INIT;
	struct clopt *ctx;
	struct clopt_device_info info = { .size = sizeof info };
	struct clopt_problem problem;
	const struct clopt_problem *list, *first = NULL, *p;
	struct outcome o;
	size_t i, n, reached = 0, lacks = 0;
	char ran[256] = { 0 }, names[128];

	options.transfer = transfer;
	if (!(ctx = test_open_row(row, &options)))
		return;
	CHECK_OK(ctx, clopt_device_get(ctx, &info));
	/* The driver's way again; or arrays in place, whose ways are the same for rows alike. */
	if (transfer == CLOPT_TRANSFER_AUTO && (!info.unified || test_alike_before(ctx, row))) {
		test_close(ctx);
		return;
	}
	/* The simulator takes ten seconds for sums by the table's choice, which have rows of their own. */
	if (small_only() && op >= CLOPT_OP_TREE_KEYS && op <= CLOPT_OP_TREE_CELLS) {
		snprintf(names, sizeof names, "%s,tree-potential/plain-1,tree-nbody/plain-1", name);
		CHECK_OK(ctx, clopt_force_variants(ctx, names));
	}
	list = test_problems(op, &n);
	ck_assert_uint_le(n, sizeof ran);
	for (i = 0; i < n; i++) {
		p = &list[i];
		if ((small_only() && !test_is_small(p)) || shared_out(row, p) ||
		    allows_in_vain(row, p) || simulated_before(row, list, ran, i))
			continue;
		if (first && !test_all() && !(same_kernel(first, p) && is_short(p)))
			continue;
		/* Keys of doubles are sorted without doubles, but the call also makes them. */
		if (p->precision == CLOPT_PRECISION_DOUBLE && !info.fp64)
			continue;
		problem = test_problem(op, i);
		if (!clopt_variant_runs(ctx, (size_t)row, &problem, NULL, 0))
			continue;
		if (!expect_right(ctx, p, &o)) {
			printf("%s lacks local memory\n", name);
			lacks++;
			continue;
		}
		expect_variant(&o, op, p, name);
		ran[i] = (char)!test_is_empty(p);
		reached += (size_t)ran[i];
		first = reached && !first ? p : first;
	}
	ck_assert_msg(reached + lacks > 0 || !by_default(row), "no problem reaches %s", name);
	test_close(ctx);
}

START_TEST(every_problem)
{
	wrap_unoptimized(clopt_variant_op((size_t)_i) == CLOPT_OP_MATMUL ? 1 : 2);
	on_every_problem(_i, CLOPT_TRANSFER_DRIVER);
	if (test_whole()) /* the kernel does the same again */
		on_every_problem(_i, CLOPT_TRANSFER_AUTO);
	wrap_unoptimized(0);
}
END_TEST

/* Where lines of both operands lie along the sum, what fills up the last vector of one meets that of the
 * other.  The row's first problems have other kernels. */
START_TEST(along_the_sum)
{
	const struct clopt_problem p = { .size = sizeof p,
		                         .op = CLOPT_OP_MATMUL,
		                         .dim = { 33, 65, 17 },
		                         .transb = CLOPT_TRANS_YES };
	struct clopt_options options = CLOPT_OPTIONS_INIT;
	struct clopt *ctx;

	options.variants = "matmul/lds-64x64";
	ctx = test_open(&options);
	test_right(ctx, &p, seed);
	test_close(ctx);
}
END_TEST

/* One group with whole panels of rows and a short one, of lines across the sum.  The row's first problem has
 * another kernel. */
START_TEST(short_panel)
{
	const struct clopt_problem p = { .size = sizeof p,
		                         .op = CLOPT_OP_MATMUL,
		                         .dim = { 35, 7, 40 },
		                         .transa = CLOPT_TRANS_YES };
	struct clopt *ctx;
	int row = 0;

	while (strcmp(clopt_variant_name((size_t)row), "matmul/packed-16x1") != 0)
		row++;
	if ((ctx = test_open_row(row, NULL))) {
		ctx->device.info.compute_units = 1;
		test_right(ctx, &p, seed);
		test_close(ctx);
	}
}
END_TEST

/* The problem with the most bytes, which bands can cut; without those whose check takes long, since it is
 * repeated. */
static const struct clopt_problem *largest(const struct variant *row)
{
	const int op = (int)row->op;
	const unsigned sizes = row->types ? row->types : 4u | 8u;
	const size_t elem_bytes = sizes & 4 ? 4 : sizes & 8 ? 8 : sizes & 2 ? 2 : 1;
	const struct clopt_problem *p, *best = NULL;
	double most = -1;
	int precision;
	size_t n;

	for (p = test_problems(op, &n); n--; p++) {
		precision = p->precision ? p->precision : CLOPT_PRECISION_FLOAT;
		if (op == CLOPT_OP_MATMUL && (p->dim[0] < 100 || p->dim[1] < 100))
			continue; /* there is little to cut */
		if (test_bytes(p) > most && test_units(p) < 2.5e7 &&
		    (!p->elem_bytes || p->elem_bytes == elem_bytes) &&
		    (!row->precisions || row->precisions >> precision & 1)) {
			most = test_bytes(p);
			best = p;
		}
	}
	return best;
}

/* Less and less device memory, until it is too little or blocks are tiny: always right, always
 * within the limit, and cut into bands on the way.  The second call finds the arrays of the first. */
START_TEST(in_bands)
{
	const int op = clopt_variant_op((size_t)_i);
	const struct variant *v = clopt__variant((size_t)_i);
	const struct clopt_problem *found = largest(v);
	struct clopt_problem p = found ? *found : (struct clopt_problem){ 0 };
	struct clopt_options options = CLOPT_OPTIONS_INIT;
	struct clopt_report report = { .size = sizeof report };
	struct outcome o;
	struct clopt *ctx;
	size_t limit, bands = 0, parts = 1;

	p.math = v->math; /* or the row would be refused for rounding operands */
	if (!by_default(_i) || op >= CLOPT_OP_LEAPFROG || test_same_as_before(_i) || v->host)
		return; /* is not cut, or is cut along another size */
	for (limit = (size_t)4 << 20; bands < 300; limit = limit / 4 * 3) {
		options.mem_limit_bytes = limit;
		options.queues = 3;
		if (!(ctx = test_open_row(_i, &options)))
			return;
		wrap_peak_bytes();
		o = test_run(ctx, &p, seed);
		ck_assert_msg(wrap_peak_bytes() <= limit, "more device memory than %zu", limit);
		if (o.status == CLOPT_ENOMEM) {
			ck_assert_ptr_nonnull(strstr(o.reason, "may be used"));
			test_close(ctx);
			break;
		}
		expect_right(ctx, &p, &o);
		CHECK_OK(ctx, clopt_last_report(ctx, &report));
		bands = report.bands > bands ? report.bands : bands;
		parts = report.sum_parts > parts ? report.sum_parts : parts;
		test_close(ctx);
	}
	printf("%s: %zu bands, sums in %zu parts\n", clopt_variant_name((size_t)_i), bands, parts);
	fflush(stdout);
	ck_assert_msg(bands >= 4, "%s was cut into %zu bands at the most",
	              clopt_variant_name((size_t)_i), bands);
}
END_TEST

/* Where work-groups have at most 64 work-items: the row, with more than one group along each size.  In Oclgrind it is
 * the kernel of every_problem, on a problem that takes long there. */
START_TEST(small_groups)
{
	const struct variant *row = clopt__variant((size_t)_i);
	struct clopt *ctx;

	if (row->op >= CLOPT_OP_LEAPFROG || row->wg[0] * row->wg[1] > 64 || row->host ||
	    !by_default(_i) || small_only())
		return;
	wrap_device_groups(64);
	ctx = test_open_row(_i, NULL);
	wrap_device_groups(0);
	if (!ctx)
		return;
	test_right(ctx, largest(row), seed);
	test_close(ctx);
}
END_TEST

/* Other queues than the first wait for the data that all bands share.  Its upload is late, so that
 * a queue that does not wait computes from NaN. */
START_TEST(late_upload)
{
	static const char *const names[] = { "matmul/plain", "nbody/plain", "matmul/image-4x4" };
	struct clopt_options options = CLOPT_OPTIONS_INIT;
	struct clopt_report report = { .size = sizeof report };
	const struct clopt_problem *p;
	struct clopt *ctx;
	size_t i = 0;

	while (strcmp(clopt_variant_name(i), names[_i]))
		i++;
	p = largest(clopt__variant(i));
	options.queues = 3;
	options.variants = names[_i];
	for (options.mem_limit_bytes = (size_t)4 << 20;;
	     options.mem_limit_bytes = options.mem_limit_bytes / 4 * 3) {
		ctx = test_open(&options);
		if (!clopt_variant_runs(ctx, i, NULL, NULL, 0)) {
			printf("late_upload: skipped for %s, which cannot run here\n", names[_i]);
			fflush(stdout);
			test_close(ctx);
			return;
		}
		test_right(ctx, p, seed); /* builds the kernel */
		CHECK_OK(ctx, clopt_last_report(ctx, &report));
		if (report.queues > 1)
			break;
		test_close(ctx);
	}
	wrap_hold(100);
	test_right(ctx, p, seed);
	wrap_hold(0);
	test_close(ctx);
}
END_TEST

/* The rows that this machine picks, as users get them: each problem of an operation. */
START_TEST(each)
{
	struct clopt_device_info info = { .size = sizeof info };
	struct clopt *ctx = test_open(NULL);
	const struct clopt_problem *p;
	size_t n;

	CHECK_OK(ctx, clopt_device_get(ctx, &info));
	for (p = test_problems(_i, &n); n--; p++)
		if (p->precision != CLOPT_PRECISION_DOUBLE || info.fp64)
			test_right(ctx, p, seed);
	test_close(ctx);
}
END_TEST

SUITE(picked, picked)
{
	choose_seed();
	test_add_rows(c, each, 0, CLOPT_OPS);
}

int test_rows(void)
{
	size_t n = 0;

	while (clopt_variant_name(n))
		n++;
	return (int)n;
}

SUITE(variants, walk)
{
	choose_seed();
	test_add_rows(c, every_problem, 0, test_rows());
	test_add_rows(c, small_groups, 0, test_rows());
	if (test_in_part(3)) {
		tcase_add_test(c, along_the_sum);
		tcase_add_test(c, short_panel);
	}
}

SUITE(bands, walk)
{
	test_add_rows(c, in_bands, 0, test_rows());
	if (test_in_part(3)) /* once for all parts of the walk */
		tcase_add_loop_test(c, late_upload, 0, 3);
}
