/* SPDX-License-Identifier: MIT */
/*
 * variants.c - every row of the table that can run here, against plain C.
 *
 * Rows are tested where their `needs` are met, whatever they like, so kernels for GPUs
 * are tested on a CPU.  CLOPT_TEST_SEED sets the seed, CLOPT_TEST_SMALL=1 leaves shapes
 * that are small enough for a simulator, CLOPT_TEST_ROW rows with this in their name,
 * CLOPT_TEST_PART=1/4 every fourth row from number 1 on.  CLOPT_TEST_ALL=1 tests all
 * shapes for each row, not one and short ones that have the same kernel.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cases/cases.h"
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

static void expect_passed(struct clopt *ctx, int op, const struct shape *s,
                          const struct case_result *r)
{
	char shape[256], what[512];

	if (case_passed(r) && wrap_fences() == 0)
		return;
	case_describe(op, s, shape, sizeof shape);
	case_explain(r, what, sizeof what);
	ck_abort_msg("%s, seed %llu: %s (or a broken fence); %s", shape, (unsigned long long)seed,
	             what, r->status == CLOPT_OK ? "" : clopt_error(ctx));
}

/* Whether the row takes more local memory than the device has, which only a build tells, and after it each
 * call.  OpenCL asks for 32 KiB of all but embedded devices, with which all rows do but those whose matrix
 * instructions are emulated, with up to 44. */
static int lacks_local(struct clopt *ctx, const struct case_result *r)
{
	struct clopt_device_info info = { .size = sizeof info };

	CHECK_OK(ctx, clopt_device_get(ctx, &info));
	return (r->status == CLOPT_EBUILD || r->status == CLOPT_ENOVARIANT) &&
	       info.local_bytes < 48 << 10 &&
	       strstr(clopt_error(ctx), "bytes of local memory, the device has") != NULL;
}

/* 0: not run, for want of local memory. */
static int expect_right(struct clopt *ctx, int op, const struct shape *s)
{
	struct case_result r;

	ck_assert_int_eq(case_run(ctx, op, s, seed, &r), CLOPT_OK);
	if (lacks_local(ctx, &r))
		return 0;
	expect_passed(ctx, op, s, &r);
	return 1;
}

/* The row that ran must be the forced row, or none if no kernel was needed. */
static void expect_variant(struct clopt *ctx, int op, const struct shape *s, const char *name)
{
	struct clopt_report report = { .size = sizeof report };

	CHECK_OK(ctx, clopt_last_report(ctx, &report));
	if (op == CLOPT_OP_LEAPFROG || op == CLOPT_OP_EVOLVE_STEP || op == CLOPT_OP_EVOLVE_SUMS ||
	    (op >= CLOPT_OP_TREE_KEYS && op <= CLOPT_OP_TREE_CELLS))
		return; /* they report gravity's row */
	ck_assert_msg(!report.variant ? !case_needs_kernel(op, s) : !strcmp(report.variant, name),
	              "%s was forced, %s ran", name, report.variant ? report.variant : "nothing");
}

/* Whether the shapes here are for the row: other laws are in test/pair/physics_rows.c. */
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
 * So rows of one file share the larger shapes, and of the small shapes those in which one operand
 * alone is transposed, unless CLOPT_TEST_FULL is 1.
 */
static int shared_out(int row, const struct shape *s)
{
	const char *full = getenv("CLOPT_TEST_FULL");

	return !(full && *full == '1') && test_same_as_before(row) &&
	       (!s->small || s->transa != s->transb);
}

/* Whether the shape allows rounding to a row that rounds nothing, whose kernel is that of other shapes. */
static int allows_in_vain(int row, const struct shape *s)
{
	return s->math && !clopt__variant((size_t)row)->math;
}

/* Whether a kernel for one shape is that for the other, so that it costs little to run. */
static int same_kernel(int op, const struct shape *s, const struct shape *t)
{
	return s->elem_bytes == t->elem_bytes && s->type == t->type && s->transa == t->transa &&
	       s->transb == t->transb && s->layout == t->layout && s->triangle == t->triangle &&
	       s->math == t->math && s->law == t->law && s->precision == t->precision &&
	       (op != CLOPT_OP_TRANSPOSE || (s->alpha == 1) == (t->alpha == 1)) &&
	       s->integrator == t->integrator;
}

/* Whether t leads the row through all that s does: a second group and one that is not full along each size,
 * vectors that are not full, as many steps of a sum. */
static int leads_as_far(const struct variant *v, const struct shape *t, const struct shape *s)
{
	const struct op *op = clopt__ops[v->op];
	size_t i, step;

	for (i = 0; i < 2 && op->extent[i] != NO_DIM; i++) {
		const size_t of_s = s->dim[op->extent[i]], of_t = t->dim[op->extent[i]];

		if ((of_s > v->out[i] && of_t <= v->out[i]) ||
		    (of_s % v->out[i] && of_t % v->out[i] == 0))
			return 0;
	}
	for (i = 0; i < 3; i++)
		if (s->dim[i] % v->align == 0 && s->pad[i] % v->align == 0 &&
		    (t->dim[i] % v->align || t->pad[i] % v->align))
			return 0;
	for (step = 16; v->op == CLOPT_OP_MATMUL && step <= 64; step *= 2)
		if (s->dim[2] > step && t->dim[2] <= step)
			return 0;
	return s->layout == t->layout && s->triangle == t->triangle && s->math == t->math &&
	       !s->batch == !t->batch;
}

/*
 * Whether the simulator learns nothing from shape s of a row for GPUs after those before it that ran.  A
 * group costs it the same however few of its results exist, up to five seconds.  Rows of one file take each
 * type and each way to read operands once, the first of them each way of each type.
 */
static int simulated_before(int row, const struct shape *shapes, const char *ran, size_t s)
{
	const struct variant *v = clopt__variant((size_t)row);
	const struct shape *const of = &shapes[s], *t;
	int type = 0, way = 0, both = 0, same_type, same_way;

	if (!small_only() || v->wg[0] * v->wg[1] == 1 ||
	    (v->op != CLOPT_OP_MATMUL && v->op != CLOPT_OP_EVOLVE_FORCE))
		return 0;
	for (t = shapes; t < of; t++) {
		if (!ran[t - shapes] || !leads_as_far(v, t, of))
			continue;
		same_type = t->type == of->type && t->elem_bytes == of->elem_bytes &&
		            t->precision == of->precision;
		same_way = t->transa == of->transa && t->transb == of->transb &&
		           t->integrator == of->integrator;
		type |= same_type;
		way |= same_way;
		both |= same_type && same_way;
	}
	return both || (type && way && test_same_as_before(row));
}

static int is_short(int op, const struct shape *s)
{
	struct case_work work;

	case_work(op, s, &work);
	return work.flops < 2e6 && work.bytes < 1 << 20;
}

/* In device arrays, which have fences; and in place where the device can. */
static void on_every_shape(int row, int transfer)
{
	const char *name = clopt_variant_name((size_t)row);
	const int op = clopt_variant_op((size_t)row);
	struct clopt_options options = CLOPT_OPTIONS_INIT;
	struct clopt *ctx;
	struct clopt_device_info info = { .size = sizeof info };
	struct clopt_problem problem;
	const struct shape *shapes, *first = NULL;
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
	shapes = case_shapes(op, &n);
	ck_assert_uint_le(n, sizeof ran);
	for (i = 0; i < n; i++) {
		if ((small_only() && !shapes[i].small) || shared_out(row, &shapes[i]) ||
		    allows_in_vain(row, &shapes[i]) || simulated_before(row, shapes, ran, i))
			continue;
		if (first && !test_all() &&
		    !(same_kernel(op, first, &shapes[i]) && is_short(op, &shapes[i])))
			continue;
		/* Keys of doubles are sorted without doubles, but the call also makes them. */
		if (shapes[i].precision == CLOPT_PRECISION_DOUBLE && !info.fp64)
			continue;
		case_problem(op, &shapes[i], &problem);
		if (!clopt_variant_runs(ctx, (size_t)row, &problem, NULL, 0))
			continue;
		if (!expect_right(ctx, op, &shapes[i])) {
			printf("%s lacks local memory\n", name);
			lacks++;
			continue;
		}
		expect_variant(ctx, op, &shapes[i], name);
		ran[i] = (char)case_needs_kernel(op, &shapes[i]);
		reached += (size_t)ran[i];
		first = reached && !first ? &shapes[i] : first;
	}
	ck_assert_msg(reached + lacks > 0 || !by_default(row), "no shape reaches %s", name);
	test_close(ctx);
}

START_TEST(every_shape)
{
	wrap_unoptimized(clopt_variant_op((size_t)_i) == CLOPT_OP_MATMUL ? 1 : 2);
	on_every_shape(_i, CLOPT_TRANSFER_DRIVER);
	if (test_whole()) /* the kernel does the same again */
		on_every_shape(_i, CLOPT_TRANSFER_AUTO);
	wrap_unoptimized(0);
}
END_TEST

/* Where lines of both operands lie along the sum, what fills up the last vector of one meets that of the
 * other.  The row's first shapes have other kernels. */
START_TEST(along_the_sum)
{
	const struct shape s = { .dim = { 33, 65, 17 },
		                 .elem_bytes = 4,
		                 .transa = CLOPT_TRANS_NO,
		                 .transb = CLOPT_TRANS_YES,
		                 .alpha = 1,
		                 .scale = 1 };
	struct clopt_options options = CLOPT_OPTIONS_INIT;
	struct clopt *ctx;

	options.variants = "matmul/lds-64x64";
	ctx = test_open(&options);
	expect_right(ctx, CLOPT_OP_MATMUL, &s);
	test_close(ctx);
}
END_TEST

/* One group with whole panels of rows and a short one, of lines across the sum.  The row's first shape has
 * another kernel. */
START_TEST(short_panel)
{
	const struct shape s = { .dim = { 35, 7, 40 },
		                 .elem_bytes = 4,
		                 .transa = CLOPT_TRANS_YES,
		                 .transb = CLOPT_TRANS_NO,
		                 .alpha = 1,
		                 .scale = 1 };
	struct clopt *ctx;
	int row = 0;

	while (strcmp(clopt_variant_name((size_t)row), "matmul/packed-16x1") != 0)
		row++;
	if ((ctx = test_open_row(row, NULL))) {
		ctx->device.info.compute_units = 1;
		expect_right(ctx, CLOPT_OP_MATMUL, &s);
		test_close(ctx);
	}
}
END_TEST

/* The shape with the most bytes, which bands can cut; without shapes whose reference takes long,
 * since it is computed repeatedly. */
static const struct shape *largest(const struct variant *row)
{
	const int op = (int)row->op;
	const unsigned sizes = row->types ? row->types : 4u | 8u;
	const size_t elem_bytes = sizes & 4 ? 4 : sizes & 8 ? 8 : sizes & 2 ? 2 : 1;
	const struct shape *shapes, *best;
	size_t i, n;
	struct case_work work;
	double most = -1;
	int precision;

	shapes = case_shapes(op, &n);
	best = NULL;
	for (i = 0; i < n; i++) {
		case_work(op, &shapes[i], &work);
		precision = shapes[i].precision ? shapes[i].precision : CLOPT_PRECISION_FLOAT;
		if (op == CLOPT_OP_MATMUL && (shapes[i].dim[0] < 100 || shapes[i].dim[1] < 100))
			continue; /* there is little to cut */
		if (work.bytes > most && work.flops < 5e7 && shapes[i].elem_bytes == elem_bytes &&
		    (!row->precisions || row->precisions >> precision & 1)) {
			most = work.bytes;
			best = &shapes[i];
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
	const struct shape *found = largest(v);
	struct shape shape = found ? *found : (struct shape){ 0 }, *const s = &shape;
	struct clopt_options options = CLOPT_OPTIONS_INIT;
	struct clopt_report report = { .size = sizeof report };
	struct case_job *job;
	struct case_result r;
	struct clopt *ctx;
	size_t limit, bands = 0, parts = 1;
	int rc;

	s->math = v->math; /* or the row would be refused for rounding operands */
	if (!by_default(_i) || op >= CLOPT_OP_LEAPFROG || test_same_as_before(_i) || v->host)
		return; /* is not cut, or is cut along another size */
	for (limit = (size_t)4 << 20; bands < 300; limit = limit / 4 * 3) {
		options.mem_limit_bytes = limit;
		options.queues = 3;
		if (!(ctx = test_open_row(_i, &options)))
			return;
		wrap_peak_bytes();
		ck_assert_int_eq(case_open(&job, op, s, seed), CLOPT_OK);
		rc = case_call(ctx, job);
		ck_assert_msg(wrap_peak_bytes() <= limit, "more device memory than %zu", limit);
		if (rc == CLOPT_ENOMEM) {
			ck_assert_ptr_nonnull(strstr(clopt_error(ctx), "may be used"));
			case_close(job);
			test_close(ctx);
			break;
		}
		CHECK_OK(ctx, rc);
		case_reset(job);
		CHECK_OK(ctx, case_call(ctx, job));
		ck_assert_int_eq(case_check(job, 0, &r), CLOPT_OK);
		expect_passed(ctx, op, s, &r);
		case_close(job);
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
 * the kernel of every_shape, on a shape that takes long there. */
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
	expect_right(ctx, (int)row->op, largest(row));
	test_close(ctx);
}
END_TEST

/* Other queues than the first wait for the data that all bands share.  Its upload is late, so that
 * a queue that does not wait computes from NaN. */
START_TEST(late_upload)
{
	static const char *const names[] = { "matmul/plain", "nbody/plain", "matmul/image-4x4" };
	static const int ops[] = { CLOPT_OP_MATMUL, CLOPT_OP_NBODY, CLOPT_OP_MATMUL };
	struct clopt_options options = CLOPT_OPTIONS_INIT;
	struct clopt_report report = { .size = sizeof report };
	const struct shape *s;
	struct clopt *ctx;
	struct case_result r;
	size_t i = 0;

	while (strcmp(clopt_variant_name(i), names[_i]))
		i++;
	s = largest(clopt__variant(i));
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
		CHECK_OK(ctx, case_run(ctx, ops[_i], s, seed, &r)); /* builds the kernel */
		ck_assert_int_eq(r.status, CLOPT_OK);
		CHECK_OK(ctx, clopt_last_report(ctx, &report));
		if (report.queues > 1)
			break;
		test_close(ctx);
	}
	wrap_hold(100);
	ck_assert(expect_right(ctx, ops[_i], s));
	wrap_hold(0);
	test_close(ctx);
}
END_TEST

/* The rows that this machine picks, as users get them: each shape of an operation. */
START_TEST(each)
{
	struct clopt_device_info info = { .size = sizeof info };
	struct clopt *ctx = test_open(NULL);
	const struct shape *shapes;
	size_t i, n;

	CHECK_OK(ctx, clopt_device_get(ctx, &info));
	shapes = case_shapes(_i, &n);
	for (i = 0; i < n; i++)
		if (shapes[i].precision != CLOPT_PRECISION_DOUBLE || info.fp64)
			expect_right(ctx, _i, &shapes[i]);
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
	test_add_rows(c, every_shape, 0, test_rows());
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
