/* SPDX-License-Identifier: MIT */
/*
 * refused.c - the table of refusals.
 *
 * A row is a routine, words of the message, and what is changed from the arguments in `base`, which
 * the routine accepts.  It serves each form of the routine: at once, started, on buffers.
 */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "suites.h"
#include "wrap.h"

#define BYTES 65536
/* Places in the array that holds all operands; on buffers a view begins there. */
#define A ((char *)arena)
#define B (A + BYTES / 8)
#define C (A + BYTES / 4)
#define D (A + BYTES / 2)
#define FOREIGN (A + BYTES) /* belongs to another context */
#define MINUS ((size_t)-3)
#define MINUS_TEXT "18446744073709551613 (-3 cast to size_t?)"
static double arena[BYTES / sizeof(double)], pattern[BYTES / sizeof(double)],
        was[BYTES / sizeof(double)];

static struct clopt *ctx, *other;
static struct clopt_buffer *whole, *foreign, *parts[2], *views[8];
static struct clopt_queue *their_queue;
static struct clopt_event *event, *their_event;
static unsigned nviews;
static int ordered; /* the call takes an order */
static char number[32]; /* is in the message, too */
static size_t count;
static union {
	struct clopt *context;
	struct clopt_buffer *buffer;
	struct clopt_queue *queue;
	struct clopt_event *event;
	struct clopt_tree *tree;
	struct clopt_call *call;
} made;
static struct clopt_event *const stale = (struct clopt_event *)&made;

static const char source[] =
        "__kernel void twice(__global const float *x, __global float *y, ulong n)"
        "{ if (get_global_id(0) < n) y[get_global_id(0)] = 2 * x[get_global_id(0)]; }";
#define PROBLEM(...) \
	(struct clopt_problem) \
	{ \
		.size = sizeof(struct clopt_problem), .dim = { 8, 8, 8 }, __VA_ARGS__ \
	}

/* ---- The arguments of all routines --------------------------------------------------------- */

struct args {
	struct clopt *ctx; /* also: whose text tells */
	int none, nowhere; /* the routine's struct, or the place for what it makes, is NULL */
	int on_host; /* arrays of options stay there */
	int layout, transa, transb, uplo, type;
	size_t m, n, k, lda, ldb, ldc, stride_a, stride_b, stride_c, batch, elem, steps;
	size_t room; /* of each buffer; 0: enough */
	double alpha, beta, dt, window;
	const void *palpha, *pbeta;
	void *a, *b, *c;
	struct clopt_options options;
	struct clopt_gemm_desc gemm;
	struct clopt_potential_options potential;
	struct clopt_nbody_options nbody;
	struct clopt_evolve_options evolve;
	struct clopt_points s, t;
	struct clopt_results r;
	struct clopt_problem problem;
	struct clopt_plan_info plan;
	struct clopt_tune_options tune;
	struct clopt_map_desc map;
	struct clopt_arg arg[3];
	struct clopt_group group;
	struct clopt_resources use;
	struct clopt_occupancy_info occupancy;
	struct clopt_order order;
	struct clopt_report report;
	struct clopt_tree *tree;
	struct clopt_buffer *buffer, *to;
	size_t at, to_at, pitch, to_pitch, rows, bytes, max, list_max, *count;
	void *memory, *list;
	const char *name, *arch;
	char *text;
	cl_context context;
	cl_device_id device;
	cl_mem mem;
	cl_command_queue queue;
	cl_event event;
};
static struct args base, x;

static enum {
	AT_ONCE,
	STARTED,
	ON_BUFFERS,
	FORMS
} form;
#define ALL ((1 << FORMS) - 1)
#define ON_ARRAYS (1 << AT_ONCE | 1 << STARTED)
static int only = ALL; /* the forms of the following rows */
static int tried; /* one of them is the routine's */

/* An operand as the form takes it. */
static void *at(const void *p)
{
	const size_t place = (size_t)((const char *)p - A), rest = BYTES - place;

	if (form == ON_BUFFERS && (const char *)p == FOREIGN)
		return foreign;
	if (form != ON_BUFFERS || !p || place >= BYTES)
		return (void *)(uintptr_t)p;
	CHECK_OK(ctx, clopt_buffer_view(whole, place, x.room && x.room < rest ? x.room : rest,
	                                &views[nviews]));
	return views[nviews++];
}

static const struct clopt_gemm_desc *gemm_desc(void)
{
	x.gemm.scale_rows = at(x.gemm.scale_rows);
	x.gemm.scale_columns = at(x.gemm.scale_columns);
	x.gemm.bias = at(x.gemm.bias);
	return x.none ? NULL : &x.gemm;
}

static const struct clopt_potential_options *potential_options(void)
{
	if (form == ON_BUFFERS && x.potential.normals && !x.on_host)
		x.potential.normals_buffer = at(x.potential.normals);
	if (form == ON_BUFFERS && x.potential.depths)
		x.potential.depths_buffer = at(x.potential.depths);
	return x.none ? NULL : &x.potential;
}

static int collected(int rc)
{
	if (rc != CLOPT_OK) {
		ck_assert(x.nowhere || !made.call);
		return rc;
	}
	rc = clopt_call_wait(made.call, NULL);
	clopt_call_free(made.call);
	made.call = NULL;
	return rc;
}

static struct clopt_conserved sums;
static double seconds;
#define SECONDS (x.nowhere ? NULL : &seconds)

struct routine {
	const char *name;
	int forms; /* a bit for each, and the next two */
	int (*call)(void);
};

#define MAKING (1 << FORMS)
#define ALONE (2 << FORMS) /* without a context */
#define GIVEN(s) (x.none ? NULL : &x.s)
#define NEW(kind) (x.nowhere ? NULL : &made.kind)
#define ORDER (ordered = 1, &x.order)
#define ROUTINE(name, forms, ...) \
	static int call_##name(void) \
	{ \
		return __VA_ARGS__; \
	} \
	static const struct routine name = { "clopt_" #name, forms, call_##name };
#define ONCE(name, ...) ROUTINE(name, 1 << AT_ONCE, clopt_##name(__VA_ARGS__))
#define LONE(name, ...) ROUTINE(name, 1 << AT_ONCE | ALONE, clopt_##name(__VA_ARGS__))
#define MOVES(name, ...) ROUTINE(name, 1 << ON_BUFFERS, clopt_##name(__VA_ARGS__, ORDER))
#define MAKES(kind, forms, name, ...) \
	static int make_##name(void) \
	{ \
		const int rc = clopt_##name(__VA_ARGS__); \
\
		if (rc == CLOPT_OK) \
			clopt_##kind##_free(made.kind); \
		return rc; \
	} \
	ROUTINE(name, forms | MAKING, make_##name())
#define FORMED(name, ...) \
	ROUTINE(name, ALL, \
	        form == ON_BUFFERS ? clopt_##name##_buffers(x.ctx, __VA_ARGS__, ORDER) : \
	        form == STARTED ? collected(clopt_##name##_start(x.ctx, __VA_ARGS__, NEW(call))) : \
	                          clopt_##name(x.ctx, __VA_ARGS__))
#define ON_TREES(name, ...) \
	ROUTINE(name, 1 << AT_ONCE | 1 << ON_BUFFERS, \
	        form == ON_BUFFERS ? clopt_##name##_buffers(x.tree, __VA_ARGS__, ORDER) : \
	                             clopt_##name(x.tree, __VA_ARGS__))

/* clang-format off */
#define GEMM(real, alpha, beta) \
	x.layout, x.transa, x.transb, x.m, x.n, x.k, real alpha, at(x.a), x.lda, at(x.b), x.ldb, \
	real beta, at(x.c), x.ldc
FORMED(matmul, x.m, x.n, x.k, at(x.a), at(x.b), at(x.c))
FORMED(sgemm, GEMM((float), x.alpha, x.beta))
FORMED(dgemm, GEMM(, x.alpha, x.beta))
FORMED(cgemm, GEMM(, x.palpha, x.pbeta))
FORMED(zgemm, GEMM(, x.palpha, x.pbeta))
FORMED(gemm, gemm_desc(), at(x.a), at(x.b), at(x.c))
#define RANK_K \
	x.ctx, x.type, x.layout, x.uplo, x.transa, x.m, x.k, x.alpha, x.a, x.lda, x.beta, x.c, x.ldc
ONCE(syrk, RANK_K)
ONCE(herk, RANK_K)
FORMED(transpose, x.m, x.n, x.elem, at(x.a), x.lda, at(x.c), x.ldc)
FORMED(stranspose, x.m, x.n, (float)x.alpha, at(x.a), x.lda, at(x.c), x.ldc)
FORMED(dtranspose, x.m, x.n, x.alpha, at(x.a), x.lda, at(x.c), x.ldc)
FORMED(transpose_strided_batched, x.m, x.n, x.elem, at(x.a), x.lda, x.stride_a, at(x.c), x.ldc,
       x.stride_c, x.batch)
FORMED(transpose_inplace, x.m, x.n, x.elem, at(x.a), x.ldc)
FORMED(potential, x.m, at(x.a), x.n, at(x.b), at(x.c), potential_options())
FORMED(nbody, x.m, at(x.a), x.n, at(x.b), at(x.c), GIVEN(nbody))
FORMED(nbody_leapfrog, x.m, at(x.a), at(x.b), x.dt, x.steps, GIVEN(nbody))

ONCE(gravity, x.ctx, GIVEN(s), &x.t, x.nowhere ? NULL : &x.r, &x.nbody)
ONCE(potential_points, x.ctx, &x.s, &x.t, &x.r, &x.potential)
ONCE(nbody_evolve, x.ctx, x.m, x.a, x.b, x.dt, x.steps, &x.evolve)
ONCE(nbody_conserved, x.ctx, x.m, x.a, x.b, &x.evolve, x.nowhere ? NULL : &sums)

MAKES(tree, 1 << AT_ONCE, tree_new, x.ctx, x.m, x.a, NEW(tree))
MAKES(tree, 1 << ON_BUFFERS, tree_new_buffers, x.ctx, x.m, at(x.a), ORDER, NEW(tree))
ON_TREES(tree_move, at(x.a))
ON_TREES(tree_nbody, x.m, at(x.b), at(x.c), &x.nbody)
ON_TREES(tree_potential, x.m, at(x.b), at(x.c), potential_options())

MAKES(buffer, 1 << AT_ONCE, buffer_new, x.ctx, x.bytes, NEW(buffer))
MAKES(buffer, 1 << AT_ONCE, buffer_view, x.buffer, x.at, x.bytes, NEW(buffer))
MAKES(buffer, 1 << AT_ONCE, buffer_from_cl, x.ctx, x.mem, NEW(buffer))
MAKES(queue, 1 << AT_ONCE, queue_from_cl, x.ctx, x.queue, NEW(queue))
MAKES(event, 1 << AT_ONCE, event_from_cl, x.ctx, x.event, NEW(event))
MAKES(queue, 1 << AT_ONCE, queue_new, x.ctx, NEW(queue))
MOVES(buffer_write, x.buffer, x.at, x.bytes, x.memory)
MOVES(buffer_read, x.buffer, x.at, x.bytes, x.memory)
MOVES(buffer_copy, x.buffer, x.at, x.to, x.to_at, x.bytes)
MOVES(buffer_write_rect, x.buffer, x.at, x.pitch, x.rows, x.bytes, x.memory, x.to_pitch)
MOVES(buffer_read_rect, x.buffer, x.at, x.pitch, x.rows, x.bytes, x.memory, x.to_pitch)
MOVES(buffer_copy_rect, x.buffer, x.at, x.pitch, x.to, x.to_at, x.to_pitch, x.rows, x.bytes)
ONCE(finish, x.ctx)
ONCE(queue_finish, x.ctx, x.order.queue)
ONCE(wall_time, x.ctx, SECONDS)
ONCE(last_report, x.ctx, &x.report)

ONCE(explain, x.ctx, GIVEN(problem), x.text, x.max)
ONCE(problem_class, x.ctx, GIVEN(problem), x.text, x.max)
ONCE(plan, x.ctx, GIVEN(problem), x.nowhere ? NULL : &x.plan)
ONCE(prepare, x.ctx, GIVEN(problem))
ONCE(tune, x.ctx, GIVEN(problem), &x.tune, NULL, 0)
ONCE(time_variant, x.ctx, &x.problem, x.name, x.window, SECONDS)
ONCE(force_variants, x.ctx, x.name)
ONCE(map, x.ctx, GIVEN(map))
ONCE(last_shares, x.ctx, x.list, x.list_max, x.count)
LONE(occupancy, x.name ? x.name : x.arch, GIVEN(use), x.nowhere ? NULL : &x.occupancy)
LONE(device_list, x.list, x.list_max, x.count)
LONE(skipped_list, x.list, x.list_max, x.count)
LONE(quirk_list, x.list, x.list_max, x.count)
LONE(cache_list, &x.options, x.list, x.list_max, x.count)
LONE(cache_folder, &x.options, x.text, x.max)
#define clopt_context_free clopt_close
MAKES(context, 1 << AT_ONCE | ALONE, open, NEW(context), &x.options)
MAKES(context, 1 << AT_ONCE | ALONE, open_cl, NEW(context), x.context, x.device, &x.options)
static const struct routine
	*const formed[] = { &matmul, &sgemm, &dgemm, &cgemm, &zgemm, &gemm, &transpose, &stranspose,
	                    &dtranspose, &transpose_strided_batched, &transpose_inplace, &potential,
	                    &nbody, &nbody_leapfrog },
	*const moves[] = { &buffer_write, &buffer_read, &buffer_copy, &buffer_write_rect,
	                   &buffer_read_rect, &buffer_copy_rect, &tree_move, &tree_nbody,
	                   &tree_potential },
	*const from_cl[] = { &buffer_from_cl, &queue_from_cl, &event_from_cl },
	*const asks[] = { &explain, &problem_class, &plan, &prepare, &time_variant },
	*const lists[] = { &device_list, &skipped_list, &quirk_list, &cache_list },
	*const both[] = { &nbody_evolve, &nbody_conserved };
/* clang-format on */

/* ---- A row --------------------------------------------------------------------------------- */

static void fill(const struct routine *r)
{
	memcpy(arena, pattern, BYTES);
	CHECK_OK(ctx, clopt_buffer_write(whole, 0, BYTES, pattern, NULL));
	CHECK_OK(ctx, clopt_finish(ctx));
	made.event = event = stale;
	ordered = 0;
	x = base;
	if (r->forms & ALONE)
		x.ctx = NULL;
}

static void free_views(void)
{
	while (nviews)
		clopt_buffer_free(views[--nviews]);
}

/* The call with the arguments of `base`, which are then there to be changed; 0: the routine has no
 * such form, or the device no double. */
static int accepted(const struct routine *r)
{
	int rc;

	if (!(r->forms >> form & 1) || !(only >> form & 1))
		return 0;
	tried = 1;
	fill(r);
	rc = r->call();
	free_views();
	if (rc == CLOPT_EUNSUPPORTED && strstr(clopt_error(ctx), "fp64"))
		return 0;
	ck_assert_msg(rc == CLOPT_OK, "%s, form %d: %s", r->name, (int)form, clopt_error(x.ctx));
	if (ordered)
		clopt_event_free(event);
	fill(r);
	return 1;
}

/* The call with the changed arguments, after which all is as before it. */
static void refused(const struct routine *r, int status, const char *words, const char *change)
{
	struct clopt_report before = CLOPT_REPORT_INIT, after = CLOPT_REPORT_INIT;
	int rc;

	memcpy(was, arena, BYTES);
	CHECK_OK(ctx, clopt_last_report(ctx, &before));
	rc = r->call();
	ck_assert_msg(rc == status && strstr(clopt_error(x.ctx), words) &&
	                      strstr(clopt_error(x.ctx), number),
	              "%s, form %d, %s: %s, no \"%s\" in: %s", r->name, (int)form, change,
	              clopt_strerror(rc), words, clopt_error(x.ctx));
	free_views();
	CHECK_OK(ctx, clopt_last_report(ctx, &after));
	ck_assert_msg(!after.variant || !memcmp(&before, &after, sizeof before),
	              "%s, %s: %s is reported", r->name, change, after.variant);
	ck_assert_msg(!memcmp(was, arena, BYTES), "%s, %s: wrote", r->name, change);
	CHECK_OK(ctx, clopt_buffer_read(whole, 0, BYTES, was, NULL));
	CHECK_OK(ctx, clopt_finish(ctx));
	ck_assert_msg(!memcmp(was, pattern, BYTES), "%s, %s: wrote", r->name, change);
	/* Nothing is made, nor is anything written behind a struct's end. */
	ck_assert(x.nowhere || !(r->forms & MAKING) || !made.event);
	if (ordered)
		ck_assert((event == NULL) ==
		          (x.order.size == sizeof x.order && x.order.nwait < UINT32_MAX));
	fill(r);
}

/* Rows: of a routine by its address, with a status; of one by its name; of each of a list; and of
 * changes that are accepted. */
#define ROW_OF(routine, status, words, ...) \
	do { \
		tried = 0; \
		for (form = AT_ONCE; form < FORMS; form++) \
			if (accepted(routine)) { \
				__VA_ARGS__; \
				refused(routine, status, words, #__VA_ARGS__); \
			} \
		ck_assert_msg(tried, "%s has no such form", (routine)->name); \
	} while (0)
#define ROW(name, words, ...) ROW_OF(&name, CLOPT_EINVAL, words, __VA_ARGS__)
#define EACH(list, words, ...) \
	for (i = 0; i < sizeof(list) / sizeof *(list); i++) \
	ROW_OF((list)[i], CLOPT_EINVAL, words, __VA_ARGS__)
#define ACCEPTED(name, ...) \
	for (form = AT_ONCE; form < FORMS; form++) \
		if (accepted(&name)) { \
			__VA_ARGS__; \
			CHECK_OK(x.ctx, name.call()); \
			free_views(); \
			if (ordered && event != stale) \
				clopt_event_free(event); \
		}

static void setup(void)
{
	static const float one[4] = { 1 };
	struct clopt_order order = CLOPT_ORDER_INIT;
	float points[8] = { 0, 0, 0, 1, 1, 0, 0, 1 };
	struct clopt_tree *tree;
	cl_context context;
	cl_device_id device;
	cl_int code;
	size_t i;

	for (i = 0; i < BYTES / sizeof *pattern; i++)
		pattern[i] = 1 + (double)i / 4096; /* or two floats of 0 to 2 */
	unsetenv("CLOPT_TEST_SHARE"); /* the other's objects have to be of another OpenCL context */
	ctx = test_open(NULL);
	other = test_open(NULL);
	CHECK_OK(ctx, clopt_buffer_new(ctx, BYTES, &whole));
	CHECK_OK(other, clopt_buffer_new(other, BYTES, &foreign));
	CHECK_OK(other, clopt_queue_new(other, &their_queue));
	order.event = &their_event;
	CHECK_OK(other, clopt_buffer_write(foreign, 0, 1, arena, &order));
	CHECK_OK(other, clopt_finish(other));

	CHECK_OK(ctx, clopt_buffer_view(whole, 0, 1000, &parts[0]));
	CHECK_OK(ctx, clopt_buffer_view(whole, BYTES / 2, 1000, &parts[1]));
	CHECK_OK(ctx, clopt_tree_new(ctx, 2, points, &tree));
	CHECK_OK(ctx, clopt_matmul(ctx, 1, 1, 1, points, points, &points[4])); /* a report */
	context = clopt_cl_context(ctx);
	device = clopt_cl_device(ctx);
	/* clang-format off */
	base = (struct args){
		.ctx = ctx, .layout = CLOPT_LAYOUT_ROW_MAJOR,
		.transa = CLOPT_TRANS_NO, .transb = CLOPT_TRANS_NO,
		.uplo = CLOPT_UPLO_LOWER, .type = CLOPT_TYPE_COMPLEX_DOUBLE,
		.m = 2, .n = 3, .k = 4, .lda = 4, .ldb = 3, .ldc = 3, .elem = 4,
		.stride_a = 8, .stride_c = 9, .batch = 2, .steps = 1,
		.alpha = 1, .dt = 1, .palpha = one, .pbeta = one, .a = A, .b = B, .c = C,
		.options = CLOPT_OPTIONS_INIT, .gemm = CLOPT_GEMM_DESC_INIT,
		.potential = CLOPT_POTENTIAL_OPTIONS_INIT, .nbody = CLOPT_NBODY_OPTIONS_INIT,
		.evolve = CLOPT_EVOLVE_OPTIONS_INIT, .s = CLOPT_POINTS_INIT, .r = CLOPT_RESULTS_INIT,
		.problem = PROBLEM(.op = CLOPT_OP_MATMUL), .plan = CLOPT_PLAN_INFO_INIT,
		.tune = CLOPT_TUNE_OPTIONS_INIT, .group = CLOPT_GROUP_INIT,
		.map = { .size = sizeof x.map, .source = source, .name = "twice", .items = 100,
		         .items_per_group = 4, .args = x.arg, .nargs = 3 },
		.arg = { { CLOPT_ARG_IN, A, 4 }, { CLOPT_ARG_OUT, C, 4 }, { CLOPT_ARG_COUNT, NULL, 0 } },
		.use = { .size = sizeof x.use, .registers = 8, .group = 64 }, .arch = "sm_90",
		.occupancy = CLOPT_OCCUPANCY_INFO_INIT, .order = CLOPT_ORDER_INIT,
		.report = CLOPT_REPORT_INIT, .tree = tree, .buffer = parts[0], .to = parts[1],
		.pitch = 100, .to_pitch = 100, .rows = 2, .bytes = 8, .memory = D, .text = D,
		.max = 4096, .count = &count, .context = context, .device = device,
		.mem = __real_clCreateBuffer(context, CL_MEM_READ_WRITE, 4, NULL, &code),
		.queue = __real_clCreateCommandQueue(context, device, 0, &code),
		.event = clCreateUserEvent(context, &code)
	};
	/* clang-format on */
	base.gemm.m = 2, base.gemm.n = 3, base.gemm.k = 4;
	base.evolve.precision = CLOPT_PRECISION_FLOAT;
	base.evolve.softening = 0.05;
	base.s.n = 2;
	base.s.stride_bytes = base.r.stride_bytes = 14 * sizeof *arena;
	base.s.x = arena, base.s.y = arena + 1, base.s.z = arena + 2, base.s.w = arena + 3;
	base.s.vx = arena + 4, base.s.vy = arena + 5, base.s.vz = arena + 6;
	base.t = base.s;
	base.r.x = arena + 7, base.r.y = arena + 8, base.r.z = arena + 9, base.r.phi = arena + 10;
	base.tune.budget_seconds = 1e-9;
	base.order.event = &event;
	only = ALL;
}

static void teardown(void)
{
	__real_clReleaseMemObject(base.mem);
	__real_clReleaseEvent(base.event);
	__real_clReleaseCommandQueue(base.queue);
	clopt_tree_free(base.tree);
	clopt_buffer_free(parts[0]);
	clopt_buffer_free(parts[1]);
	clopt_buffer_free(whole);
	clopt_buffer_free(foreign);
	clopt_event_free(their_event);
	clopt_queue_free(their_queue);
	clopt_close(other);
	test_close(ctx);
}

static int exchange(void *user, void *rows, size_t row_bytes)
{
	return 0;
}

/* ---- The table ----------------------------------------------------------------------------- */

START_TEST(every_form)
{
	struct clopt_event *const none[] = { NULL }, *const theirs[] = { their_event };
	size_t i;

	EACH(formed, "ctx is NULL", x.ctx = NULL);
	only = 1 << STARTED;
	EACH(formed, "_start: call is NULL", x.nowhere = 1);
	only = 1 << ON_BUFFERS;
	EACH(formed, "belongs to another context", x.a = FOREIGN);
#define EACH_ORDER(words, ...) \
	EACH(formed, words, __VA_ARGS__); \
	EACH(moves, words, __VA_ARGS__)
	EACH_ORDER("order.queue belongs to another context", x.order.queue = their_queue);
	EACH_ORDER("order.nwait is 3 and order.wait is NULL", x.order.nwait = 3);
	EACH_ORDER("wait[0] of 3 is NULL", x.order.nwait = 3, x.order.wait = none);
	EACH_ORDER("wait[0] of 1 is an event of another", x.order.nwait = 1, x.order.wait = theirs);
	EACH_ORDER("at most", x.order.nwait = SIZE_MAX / 4, x.order.wait = none);
	EACH_ORDER("clopt_order", x.order.size = 3);
	EACH_ORDER("clopt_order", x.order.size = sizeof x.order - 1);
	EACH_ORDER("clopt_order", x.order.size = sizeof(size_t)); /* where sizeof got a pointer */
}
END_TEST

START_TEST(products)
{
	const int T = CLOPT_TRANS_YES;

	ROW(matmul, "a is NULL: it must have 2 x 4", x.a = NULL);
	ROW(matmul, "b is NULL: it must have 4 x 3", x.b = NULL);
	ROW(matmul, "c is NULL: it must have 2 x 3", x.c = NULL);
	ROW(dgemm, "float64 NN: b is NULL: it must have 4 x 3", x.b = NULL);
	ROW(sgemm, "the leading dimension of a is 3: it must be at least the length of its rows, 4",
	    x.lda = 3);
	ROW(sgemm, "of a is 4: it must be at least the length of its rows, 5", x.transa = T,
	    x.m = 5);
	ROW(sgemm, "of b is 3: it must be at least the length of its rows, 4", x.transb = T,
	    x.alpha = 0);
	ROW(sgemm, "of c is 2: it must be at least the length of its rows, 3", x.ldc = 2);
	ROW(dgemm, "of c is 5: it must be at least the length of its rows, 6", x.n = x.ldb = 6,
	    x.ldc = 5);
	ROW(sgemm, "of a is 3", x.alpha = 0, x.beta = 1, x.lda = 3); /* though it is not read */
	ROW(sgemm, "transa is 114", x.transa = 114);
	ROW(sgemm, "transa is 5", x.transa = 5);
	ROW(sgemm, "transa is 0", x.transa = 0);
	ROW(zgemm, "transb is 114", x.transb = 114);
	ROW(zgemm, "alpha", x.palpha = NULL);
	ROW(cgemm, "beta", x.pbeta = NULL);
	ROW(syrk, "trans", x.transa = CLOPT_TRANS_CONJ);
	ROW(herk, "trans", x.transa = T);
	ROW(matmul, "address space", x.m = x.k = SIZE_MAX / 8);
	/* Arrays that overlap, and blocks of one matrix. */
	ROW(matmul, "overlaps a", x.c = A + 28);
	ROW(matmul, "overlaps b", x.c = B);
	ROW(matmul, "overlaps a", x.a = C + 20);
	ROW(sgemm, "overlaps a", x.lda = x.ldb = x.ldc = 12, x.b = A + 96, x.c = A + 12);
	ACCEPTED(sgemm, x.lda = x.ldb = x.ldc = 12, x.b = A + 96, x.c = A + 20);
	ACCEPTED(matmul, x.m = x.n = x.k, x.b = x.a); /* both are only read */
	/* What comes first is told first. */
	ROW(sgemm, "float32 ??: transa is 78, the letter N of Fortran's BLAS: use",
	    x.transa = x.transb = 'N');
	ROW(sgemm, "float32 N?: transb is 84, the letter T of Fortran's BLAS: use", x.transb = 'T');
	ROW(sgemm, "layout is 7", x.layout = 7, x.lda = 2);
	ROW(matmul, ": n is " MINUS_TEXT, x.n = MINUS);
	ROW(sgemm, ": n is " MINUS_TEXT, x.n = MINUS);
	ROW(gemm, "g is NULL", x.none = 1);
	ROW(gemm, "alpha is 0", x.gemm.alpha = 0);
	ROW(gemm, "type is 0x1388", x.gemm.type = 5000);
	ROW(gemm, "type", x.gemm.type = 0x108);
	ROW(gemm, "triangle is CLOPT_UPLO_LOWER and C is 2 x 3", x.gemm.triangle = x.uplo);
	ROW(gemm, "triangle is CLOPT_UPLO_LOWER", x.gemm.triangle = x.uplo, x.gemm.k = 0,
	    x.gemm.batch = 5);
	ROW(gemm, "alpha_imag", x.gemm.alpha_imag = 1);
	ROW(gemm, "alpha is 1.5: of CLOPT_TYPE_INT8 it must be an integer",
	    x.gemm.type = CLOPT_TYPE_INT8, x.gemm.alpha = 1.5);
	ROW(gemm, "beta is 2147483648", x.gemm.type = CLOPT_TYPE_INT8, x.gemm.beta = 0x1p31);
	ROW(gemm, "beta is nan", x.gemm.type = CLOPT_TYPE_INT8, x.gemm.beta = NAN);
	ROW(gemm, "result is 0, least is 1", x.gemm.least = x.gemm.most = 1);
	ROW(gemm, "result is 0", x.gemm.bias = D);
	ROW(gemm, "result is 0x4, type 0x4", x.gemm.result = CLOPT_TYPE_FLOAT);
	base.gemm.type = CLOPT_TYPE_INT8;
	ROW(gemm, "result is 0x2", x.gemm.result = CLOPT_TYPE_HALF);
	base.gemm.result = CLOPT_TYPE_INT8;
	ROW(gemm, "result is 0x301, type 0x301, beta 2", x.gemm.beta = 2);
	ROW(gemm, "triangle 122", x.gemm.n = 2, x.gemm.triangle = x.uplo);
	ROW(gemm, "least is 3 and most is 2", x.gemm.least = 3, x.gemm.most = 2);
	ROW(gemm, "most is nan", x.gemm.most = NAN);
	ROW(gemm, "most is 128: of CLOPT_TYPE_INT8", x.gemm.most = 128);
	ROW(gemm, "least is -0.5", x.gemm.least = -0.5);
	ROW(gemm, "c (6 bytes", x.gemm.scale_rows = C);
	ROW(gemm, "overlaps bias (12 bytes", x.gemm.bias = C - 8);
	ACCEPTED(gemm, x.gemm.bias = x.gemm.scale_columns = x.gemm.scale_rows = D);
	base.gemm.result = 0;
	base.gemm.type = CLOPT_TYPE_COMPLEX_DOUBLE;
	ROW(gemm, "hermitian", x.gemm.hermitian = 1);
	ROW(gemm, "alpha_imag", x.gemm.m = 3, x.gemm.triangle = x.uplo, x.gemm.hermitian = 1,
	    x.gemm.alpha_imag = 1);
	only = 1 << ON_BUFFERS;
	base.room = 6400;
	ROW(matmul,
	    "a: 40 rows of 41 elements of 4 bytes, 41 elements apart, take 6560 bytes; "
	    "its buffer has 6400",
	    x.m = x.n = 40, x.k = 41);
	ROW(sgemm, "b: 40 rows of 40 elements of 4 bytes, 41 elements apart, take 6556 bytes",
	    x.m = x.n = x.k = x.lda = x.ldc = 40, x.ldb = 41);
	ROW(dgemm, "c: 29 rows of 29 elements of 8 bytes, 29 elements apart, take 6728 bytes",
	    x.m = x.n = x.ldb = x.ldc = 29, x.k = 1);
	ACCEPTED(matmul, x.m = x.n = x.k = 40);
	ROW(sgemm, "b belongs to another context", x.b = FOREIGN);
	ROW(matmul, "c (24 bytes at 8196) overlaps b (48 bytes at 8192", x.c = B + 4);
	base.gemm.type = CLOPT_TYPE_INT8;
	base.gemm.result = CLOPT_TYPE_FLOAT;
	ROW(gemm, "scale_columns: 1 rows of 9000 elements of 4 bytes", x.gemm.m = 1,
	    x.gemm.n = 9000, x.gemm.k = 0, x.room = 0, x.gemm.scale_columns = D);
	ROW(gemm, "bias belongs to another context", x.gemm.bias = FOREIGN);
}
END_TEST

START_TEST(transposes)
{
	const size_t far = SIZE_MAX / 4 + 1;

	ROW(transpose, "elem_bytes", x.elem = 0);
	ROW(transpose, "elem_bytes is 3", x.elem = 3);
	ROW(transpose, "of 4 bytes: the leading dimension of in is 2", x.lda = 2);
	ROW(transpose, "the leading dimension of out is 1", x.ldc = 1);
	ROW(stranspose, "dimension of in is 2", x.lda = 2);
	ROW(transpose, "in is NULL", x.a = NULL);
	ROW(transpose, "out is NULL", x.c = NULL);
	ROW(transpose, "overlaps", x.c = A);
	ROW(transpose, "overlaps", x.m = 2, x.n = 4, x.lda = 20, x.ldc = 10, x.a = C + 32);
	ACCEPTED(transpose, x.m = 2, x.n = 4, x.lda = 20, x.ldc = 10, x.a = C + 12);
	ACCEPTED(transpose, x.c = A + 28); /* behind it */
	ROW(transpose, ": rows is " MINUS_TEXT, x.m = MINUS);
	ROW(transpose, "exceed the address space", x.m = 5, x.n = 1, x.ldc = 5,
	    x.lda = (SIZE_MAX >> 2) / 4 + 1);
	ROW(transpose, "address space", x.n = 1, x.lda = x.ldc = far, x.c = A);
	ROW(transpose, "overlaps", x.m = x.n = 1, x.lda = x.ldc = far, x.c = A);
	ROW(transpose_strided_batched, "stride_out is 5", x.batch = 3, x.ldc = 2, x.stride_c = 5);
	ROW(transpose_strided_batched, "overlap", x.stride_c = 0);
	ROW(transpose_strided_batched, "of in is 2", x.lda = 2);
	ROW(transpose_strided_batched, "of out is 1", x.ldc = 1);
	ROW(transpose_strided_batched, "overlaps", x.c = A + 4 * 11);
	ACCEPTED(transpose_strided_batched, x.a = x.c = NULL, x.batch = 0);
	ROW(transpose_inplace, "ld is 5: for 3 x 4 it must be 4", x.m = 3, x.n = 4, x.ldc = 5);
	ROW(transpose_inplace, "of data is 2", x.m = 3, x.ldc = 2);
	ROW(transpose_inplace, "NULL", x.a = NULL);
	ROW(transpose_inplace, "elem_bytes is 3", x.elem = 3);
	ROW(transpose_inplace, "elem_bytes", x.elem = 0);
	only = 1 << ON_BUFFERS;
	/* Nothing is written through a field that the caller's struct does not have. */
	ROW(transpose, "elem_bytes", x.elem = 0,
	    x.order.size = offsetof(struct clopt_order, event));
	ROW(transpose, "elem_bytes", x.elem = 0, x.order.size = 3);
	ROW(transpose, "take 6416 bytes", x.m = x.ldc = 401, x.n = x.lda = 4, x.room = 6400);
	ROW(transpose, "out belongs to another context", x.c = FOREIGN);
	ROW(transpose, "out (32 bytes at 4) overlaps in (28 bytes at 0 of the same memory)",
	    x.c = A + 4);
	ROW(transpose,
	    "in begins at byte 6 of its memory: that must be a multiple of its elements of 4",
	    x.a = A + 6);
	ACCEPTED(transpose, x.elem = 2, x.a = A + 6);
}
END_TEST

START_TEST(gravity_)
{
	ROW(nbody, "sources is NULL", x.a = NULL);
	ROW(nbody, "targets is NULL", x.b = NULL);
	ROW(nbody, "acc is NULL", x.c = NULL);
	ROW(nbody, "overlaps sources", x.c = A + 16);
	ROW(nbody, ": ntargets is " MINUS_TEXT, x.n = MINUS);
	ROW(nbody, "softening is 1e+30", x.nbody.softening = 1e30);
	ROW(nbody, "softening is 1e-25", x.nbody.softening = 1e-25);
	ROW(nbody_leapfrog, "bodies is NULL", x.a = NULL);
	ROW(nbody_leapfrog, "velocities is NULL", x.b = NULL);
	ROW(nbody_leapfrog, "overlaps", x.b = A + 16);
	ROW(nbody_leapfrog, "overlaps", x.b = A);
	ROW(nbody_leapfrog, "dt is nan", x.dt = (double)NAN);
	ROW(nbody_leapfrog, "dt is 1e+99", x.dt = 1e99);
	ROW(nbody_leapfrog, "steps is", x.steps = MINUS);
	ROW(nbody_leapfrog, "target_softening is 1", x.nbody.target_softening = 1);
	/* What an older header's struct does not have is not read. */
	ACCEPTED(nbody, x.nbody.size = offsetof(struct clopt_nbody_options, softening),
	         x.nbody.softening = -1);
	ROW(nbody, "tolerance is 1", x.nbody.tolerance = 1);
	ROW(nbody, "theta is 0 and order is 3", x.nbody.order = 3);
	ROW(nbody, "order is 0", x.nbody.theta = 0.5);
	ROW(nbody, "order is 7", x.nbody.theta = 0.5, x.nbody.order = 7);
	only = ON_ARRAYS;
	ROW(nbody, "group.all_targets is 1: it must be at least ntargets, 3",
	    x.nbody.group = &x.group, x.group.all_targets = 1);
	ROW(nbody, "group.exchange", x.nbody.group = &x.group, x.group.exchange = exchange);
	ROW(nbody, "clopt_group", x.nbody.group = &x.group, x.group.size = 3);
	ROW(nbody_leapfrog, "group is given", x.nbody.group = &x.group,
	    x.group.exchange = exchange);
	only = 1 << ON_BUFFERS;
	base.room = 6400;
	ROW(nbody, "sources: 401 rows of 4", x.m = 401);
	ROW(nbody_leapfrog, "bodies: 401 rows", x.m = 401);
	ROW(nbody, "acc belongs to another context", x.c = FOREIGN);
	ROW(nbody_leapfrog, "velocities belongs to another context", x.b = FOREIGN);
	ROW(nbody, "nbody 2 sources x 3 targets: order.queue belongs to another context",
	    x.order.queue = their_queue);
	ROW(nbody, "on buffers", x.nbody.theta = 0.5, x.nbody.order = 3);
	ROW(nbody_leapfrog, "on buffers", x.nbody.theta = 0.5, x.nbody.order = 3);
}
END_TEST

START_TEST(potentials)
{
	static const double nowhere = (double)NAN, endless = (double)INFINITY, none = 0;

	ROW(potential, "sources is NULL", x.a = NULL);
	ROW(potential, "targets is NULL", x.b = NULL);
	ROW(potential, "phi is NULL", x.c = NULL);
	ROW(potential, "overlaps targets", x.c = B);
	ROW(potential, ": nsources is " MINUS_TEXT, x.m = MINUS);
	ACCEPTED(potential, x.n = 0, x.a = NULL); /* nothing is read for nothing */
	only = 1 << ON_BUFFERS;
	ROW(potential, "exceed the address space", x.m = SIZE_MAX / 16 + 2);
	ROW(potential, "targets: 401 rows of 4", x.n = 401, x.room = 6400);
	ACCEPTED(potential, x.m = x.n = 400, x.room = 6400);
	ROW(potential, "phi belongs to another context", x.c = FOREIGN);
	only = ALL;
	base.potential.law = CLOPT_LAW_COULOMB;
	ROW(potential, "lead to 1e+60", x.potential.scale = 1e30, x.potential.eps_in = 1e-30);
	ROW(potential, "eps_in is -1", x.potential.eps_in = -1);
	ROW(potential, "law is CLOPT_LAW_ALPB_SALT: use", x.potential.law = CLOPT_LAW_ALPB_SALT);
	ROW(potential, "normals is NULL", x.potential.outputs = CLOPT_OUTPUTS_PHI_NORMAL);
	ROW(potential, "normals is NULL", x.potential.projection = 1);

	base.potential.law = CLOPT_LAW_ALPB;
	base.potential.radius = 15;
	base.potential.normals = (float *)D;
	base.potential.charge = &none;
	ROW(potential, "sources", x.m = SIZE_MAX / 8); /* before charges are read */
	ROW(potential, "scale is 1e+300", x.potential.scale = 1e300);
	ROW(potential, "eps_in is 1e-42", x.potential.eps_in = 1e-42);
	ROW(potential, "eps_out is 1e-42", x.potential.eps_out = 1e-42);
	ROW(potential, "radius is 0", x.potential.radius = 0);
	ROW(potential, "charge is nan", x.potential.charge = &nowhere);
	ROW(potential, "charge is inf", x.potential.charge = &endless);
	ROW_OF(&potential, CLOPT_EUNSUPPORTED, "alpb-salt", x.potential.kappa = 0.1,
	       x.potential.precision = CLOPT_PRECISION_DOUBLE_SINGLE);
	base.potential.normals = NULL;
	ROW(potential, "needs them for kappa above 0 (it is 0.1)", x.potential.kappa = 0.1);
	ROW(potential, "normals is NULL", x.potential.outputs = CLOPT_OUTPUTS_PHI_NORMAL);
	ROW(potential, "CLOPT_LAW_ALPB needs them for the field",
	    x.potential.outputs = CLOPT_OUTPUTS_FIELD_PHI);
	ROW(potential, "normals is NULL", x.potential.projection = -1);
	only = 1 << ON_BUFFERS;
	ROW(potential, "normals is NULL", x.potential.kappa = 0.1, x.on_host = 1,
	    x.potential.normals = (float *)D);
	ROW(potential, "charge", x.potential.charge = NULL);
	ROW(potential, "normals belongs to another context", x.potential.kappa = 0.1,
	    x.potential.normals_buffer = foreign);
	ROW(potential, "normals: 401 rows", x.potential.kappa = 0.1, x.n = 401,
	    x.potential.normals_buffer = base.buffer);
	ROW(potential, "depths: 401 rows", x.potential.projection = -1, x.m = 401,
	    x.potential.normals_buffer = whole, x.potential.depths_buffer = base.buffer);
}
END_TEST

START_TEST(points)
{
	ROW(gravity, "size", x.s.size = 4);
	ROW(gravity, "results.type is CLOPT_TYPE_HALF", x.r.type = CLOPT_TYPE_HALF);
	ROW(gravity, "sources.stride_bytes is 7", x.s.stride_bytes = 7);
	ROW(gravity, "sources.y is NULL: it must have 2 numbers", x.s.y = NULL);
	ROW(gravity, "sources.w is NULL", x.s.w = NULL);
	ROW(gravity, "sources.vz is NULL", x.s.vz = NULL, x.r.jx = arena + 11, x.r.jy = arena + 12,
	    x.r.jz = arena + 13);
	ROW(gravity, "results.normal is given", x.r.normal = arena + 11);
	ROW(gravity, "results.x (", x.r.x = arena);
	ROW(gravity, "results.jx (", x.r.jx = x.r.z);
	ROW(gravity, "overlaps", x.r.phi = arena + 9);
	ROW(gravity, "overlaps", x.r.phi = (char *)(arena + 10) + 4, x.r.jx = arena + 11);
	ROW(gravity, "all pointers are NULL", x.r = (struct clopt_results)CLOPT_RESULTS_INIT);
	ROW(gravity, "sources is NULL", x.none = 1);
	ROW(gravity, "results is NULL", x.nowhere = 1);
	ROW(gravity, "ctx is NULL", x.ctx = NULL);
	ROW(gravity, "softening", x.nbody.precision = CLOPT_PRECISION_DOUBLE_SINGLE,
	    x.nbody.softening = 1e23);
	ROW(potential_points, "results.jx, jy or jz is given", x.r.jx = arena + 11);
	ROW(potential_points, "one of them", x.r.normal = arena + 11);
}
END_TEST

START_TEST(bodies)
{
	struct clopt_options little = CLOPT_OPTIONS_INIT;
	size_t i;

	ROW(nbody_evolve, "precision is CLOPT_PRECISION_COMPENSATED",
	    x.evolve.precision = CLOPT_PRECISION_COMPENSATED);
	ROW(nbody_evolve, "dt is 1e-300", x.dt = 1e-300);
	ROW(nbody_evolve, "overlap", x.evolve.rates = (double *)B + 4,
	    x.evolve.integrator = CLOPT_INTEGRATOR_HERMITE);
	ROW(nbody_evolve, "bodies is NULL", x.a = NULL);
	ROW(nbody_evolve, "velocities is NULL", x.b = NULL);
	ROW(nbody_evolve, "overlaps", x.b = A + 32);
	ROW(nbody_evolve, "address space", x.m = SIZE_MAX / 2);
	ROW(nbody_evolve, MINUS_TEXT, x.m = MINUS);
	ROW(nbody_evolve, "steps is", x.steps = MINUS);
	ROW(nbody_evolve, "ctx is NULL", x.ctx = NULL);
	ROW(nbody_evolve, "group.exchange is NULL", x.evolve.group = &x.group,
	    x.group.all_targets = 1);
	ROW(nbody_evolve, "group.first is 2 and group.count 1: they end beyond the 2 bodies",
	    x.evolve.group = &x.group, x.group.exchange = exchange, x.group.first = 2,
	    x.group.count = 1);
	ROW(nbody_conserved, "sums is NULL", x.nowhere = 1);
	/* Numbers that are infinite on the device. */
	EACH(both, "bodies[7], a mass, is 2e+41", arena[7] = 2e41);
	EACH(both, "a mass, is 1e-40: in float32", arena[7] = 1e-40);
	EACH(both, "bodies[5], a coordinate, is 1e+19: in float32", arena[5] = 1e19);
	base.evolve.precision = CLOPT_PRECISION_DOUBLE_SINGLE;
	EACH(both, "bodies[7], a mass, is -2e+41", arena[7] = -2e41);
	EACH(both, "velocities[6] is -1e+19", ((double *)B)[6] = -1e19);
	base.evolve.precision = CLOPT_PRECISION_DOUBLE;
	EACH(both, "float64 its magnitude must be at most 1e+153", arena[5] = 1e154);
	EACH(both, "bodies[4], a coordinate, is nan", arena[4] = (double)NAN);
	EACH(both, "velocities[6] is inf", ((double *)B)[6] = (double)INFINITY);
	base.evolve.precision = CLOPT_PRECISION_FLOAT;
	base.evolve.integrator = CLOPT_INTEGRATOR_HERMITE;
	base.evolve.rates = (double *)D;
	base.evolve.resume = 1;
	ROW(nbody_evolve, "rates is NULL", x.evolve.rates = NULL);
	ROW(nbody_evolve, "rates[9] is inf: in", x.evolve.rates[9] = (double)INFINITY);
	ACCEPTED(nbody_evolve, x.evolve.rates[9] = 1e30, x.dt = 1e-30); /* as after an encounter */
	little.mem_limit_bytes = 4000;
	base.ctx = test_open(&little);
	ROW_OF(&nbody_evolve, CLOPT_ENOMEM, "may be used", x.m = 90, x.evolve.resume = 0);
	ACCEPTED(nbody_conserved, x.m = 50);
	clopt_close(base.ctx);
}
END_TEST

START_TEST(trees)
{
	base.nbody.theta = base.potential.theta = 0.5;
	base.nbody.order = base.potential.order = 3;
	base.nbody.softening = 0.01;
	ROW(tree_new, "sources", x.a = NULL);
	ROW(tree_new, "tree is NULL", x.nowhere = 1);
	ROW(tree_new, "ctx", x.ctx = NULL);
	ROW_OF(&tree_new, CLOPT_ENOMEM, "bytes", x.m = SIZE_MAX / 16 + 1);
	ROW(tree_new_buffers, "is NULL", x.a = NULL);
	ROW(tree_new_buffers, "fewer", x.room = 28);
	ROW(tree_new_buffers, "another context", x.a = FOREIGN);
	ROW(tree_new_buffers, "tree is NULL", x.nowhere = 1);
	ROW(tree_move, "tree is NULL", x.tree = NULL, x.ctx = NULL);
	ROW(tree_move, "sources is NULL", x.a = NULL);
	ROW(tree_nbody, "tree is NULL", x.tree = NULL, x.ctx = NULL);
	ROW(tree_nbody, "ntargets is 3 and targets is NULL", x.m = 3, x.b = NULL);
	ROW(tree_nbody, "acc", x.c = NULL);
	ROW(tree_nbody, "group", x.nbody.group = &x.group);
	ROW(tree_potential, "tree is NULL", x.tree = NULL, x.ctx = NULL);
	ROW(tree_potential, "depths", x.potential.law = CLOPT_LAW_ALPB,
	    x.potential.projection = -0.5, x.potential.radius = 3, x.potential.normals = (float *)D,
	    x.potential.depths = (float *)D, x.potential.charge = &x.dt);
	only = 1 << ON_BUFFERS;
	ROW(tree_move, "bytes", x.room = 28);
	ROW(tree_move, "another context", x.a = FOREIGN);
	ROW(tree_nbody, "another context", x.c = FOREIGN, x.b = NULL);
}
END_TEST

START_TEST(buffers)
{
	static const char *const sources[] = { "mem is NULL", "from is NULL", "from is NULL" };
	struct clopt_device_info info = { .size = sizeof info };
	size_t i;

	CHECK_OK(ctx, clopt_device_get(ctx, &info));
	ROW_OF(&buffer_new, CLOPT_ENOMEM, "in one buffer",
	       x.bytes = (size_t)info.max_alloc_bytes + 1);
	ROW(buffer_new, "clopt_buffer_new: ctx is NULL", x.ctx = NULL);
	ROW(buffer_new, "buffer is NULL", x.nowhere = 1);
	ROW(queue_new, "queue is NULL", x.nowhere = 1);
	ROW(buffer_view, "of is NULL", x.buffer = NULL, x.ctx = NULL);
	ROW(buffer_view, "buffer is NULL", x.nowhere = 1);
	ROW(buffer_view, "clopt_buffer_view: offset_bytes is 0 and bytes is 65537",
	    x.buffer = whole, x.bytes = BYTES + 1);
	ROW(buffer_view, "the buffer's 1000 bytes", x.at = SIZE_MAX, x.bytes = 2);
	ROW(buffer_from_cl, "buffer is NULL", x.nowhere = 1);
	ROW(queue_from_cl, "queue is NULL", x.nowhere = 1);
	ROW(event_from_cl, "event is NULL", x.nowhere = 1);
	for (i = 0; i < 3; i++)
		ROW_OF(from_cl[i], CLOPT_EINVAL, sources[i], x.mem = NULL, x.queue = NULL,
		       x.event = NULL);
	EACH(from_cl, "NULL", x.nowhere = 1, x.mem = NULL, x.queue = NULL, x.event = NULL);
	EACH(from_cl, "another OpenCL context", x.ctx = other);

	ROW(buffer_write, "clopt_buffer_write: buffer is NULL", x.buffer = NULL, x.ctx = NULL);
	ROW(buffer_write, "from is NULL", x.memory = NULL);
	ROW(buffer_read, "to is NULL", x.memory = NULL);
	ROW(buffer_write,
	    "clopt_buffer_write: 1000 bytes at offset 1 end beyond a buffer of 1000 bytes",
	    x.at = 1, x.bytes = 1000);
	ROW(buffer_read, "clopt_buffer_read: 0 bytes at offset 1001", x.at = 1001, x.bytes = 0);
	ROW(buffer_read, "at offset 2 ", x.at = 2, x.bytes = SIZE_MAX);
	ROW(buffer_write_rect,
	    "clopt_buffer_write_rect: pitch_bytes is 10: it must be at least the 11 bytes of a row",
	    x.pitch = 10, x.bytes = 11);
	ROW(buffer_read_rect, "clopt_buffer_read_rect: to_pitch_bytes is 7", x.to_pitch = 7);
	ROW(buffer_read_rect, "10 rows of 100 bytes, 100 bytes apart, at offset 1 end beyond",
	    x.at = 1, x.rows = 10, x.bytes = 100);
	/* Sizes whose product overflows to something small. */
	ROW(buffer_read_rect, "3 rows of 8 bytes", x.rows = 3, x.pitch = SIZE_MAX / 2 + 1);
	ROW(buffer_read_rect, "bytes apart, at offset 0", x.rows = SIZE_MAX / 8 + 2, x.pitch = 8);
	ROW(buffer_read_rect, "exceed the address space", x.rows = 3,
	    x.to_pitch = SIZE_MAX / 2 + 1);

	ROW(buffer_copy, "to is NULL", x.to = NULL);
	ROW(buffer_copy, "from is NULL", x.buffer = NULL);
	ROW(buffer_copy, "different contexts", x.buffer = foreign);
	ROW(buffer_copy_rect, "from_pitch_bytes is 4", x.pitch = 4);
	ROW(buffer_copy_rect, "to_pitch_bytes is 4", x.to_pitch = 4);
	ROW(buffer_copy, "8 bytes at offset 995 end beyond to of 1000", x.to_at = 995);
	base.to = base.buffer;
	base.to_at = 500;
	ROW(buffer_copy, "clopt_buffer_copy: 1 rows of 200 bytes", x.at = 301, x.bytes = 200);
	ROW(buffer_copy, "at offset 500 overlap those at offset 301", x.to_at = 301, x.at = 500,
	    x.bytes = 200);
	ROW(buffer_copy_rect, "at offset 0 overlap those at offset 49", x.to_at = 49, x.bytes = 50);
	ROW(buffer_copy_rect, "at offset 0 overlap those at offset 151", x.to_at = 151, x.rows = 4,
	    x.bytes = 50);
	ROW(buffer_copy_rect, "101 bytes apart", x.to_at = 150, x.rows = 4, x.bytes = 50,
	    x.to_pitch = 101);
	ROW(buffer_copy, "overlap", x.buffer = whole, x.at = 3, x.to_at = 0);

	ACCEPTED(buffer_write,
	         x.order.size = offsetof(struct clopt_order, nwait)); /* an older one */
	ROW(queue_finish, "clopt_queue_finish: ", x.order.queue = their_queue);
	ROW(finish, "clopt_finish: ctx is NULL", x.ctx = NULL);
	ROW(wall_time, "seconds is NULL", x.nowhere = 1);
	ROW(wall_time, "clopt_wall_time: ctx is NULL", x.ctx = NULL);
	ROW(last_report, "clopt_report", x.report.size = 1);
}
END_TEST

/* Where no call is made that is accepted. */
START_TEST(handles)
{
	const struct clopt_options bad = { .size = 1 };

	x = base;
	expect_refused(clopt_event_wait(NULL), CLOPT_EINVAL, NULL, "clopt_event_wait: event");
	expect_refused(clopt_event_seconds(NULL, &seconds), CLOPT_EINVAL, NULL, "event");
	expect_refused(clopt_event_seconds(their_event, &seconds), CLOPT_EINVAL, other,
	               "profile is 0");
	expect_refused(clopt_map_cl(ctx, NULL, &base.map), CLOPT_EINVAL, ctx, "kernel is NULL");
	expect_refused(clopt_cache_clear(&bad), CLOPT_EINVAL, NULL, "options");
	expect_refused(clopt_event_seconds(their_event, NULL), CLOPT_EINVAL, other,
	               "seconds is NULL");
	expect_refused(clopt_call_wait(NULL, NULL), CLOPT_EINVAL, NULL, "call is NULL");
	expect_refused(clopt_device_get(ctx, NULL), CLOPT_EINVAL, ctx, "info");
	expect_refused(clopt_tuning_merge(ctx, NULL, NULL), CLOPT_EINVAL, ctx, "text is NULL");
	expect_refused(clopt_driver_list(NULL, 1, &count), CLOPT_EINVAL, NULL, "list");
	expect_refused(clopt_driver_list(NULL, 0, NULL), CLOPT_EINVAL, NULL, "count");
	expect_refused(clopt_driver_skip(NULL, 1), CLOPT_EINVAL, NULL, "list");
}
END_TEST

START_TEST(questions)
{
	size_t i;

	EACH(asks, "ctx is NULL", x.ctx = NULL);
	EACH(asks, "op is 99", x.problem.op = 99);
	EACH(asks, "enum clopt_op", x.problem.op = CLOPT_OPS);
	EACH(asks, "op is -1", x.problem.op = -1);
	EACH(asks, "clopt_problem", x.problem.size = 0);
	EACH(asks, "clopt_problem.reserved", x.problem.reserved = 1);
	EACH(asks, "elem_bytes is 3", x.problem.elem_bytes = 3);
	EACH(asks, "layout is 7", x.problem.layout = 7);
	EACH(asks, "math is -1", x.problem.math = -1);
	EACH(asks, "math is 99", x.problem.math = 99);
	EACH(asks, "triangle is 5", x.problem.triangle = 5);
	EACH(asks, "outputs is -1", x.problem.outputs = -1);
	EACH(asks, "outputs is 99", x.problem.outputs = 99);
	EACH(asks, "law is 1", x.problem.law = 1);
	EACH(asks, "uneven is 1", x.problem.uneven = 1);
	EACH(asks, "type", x.problem.type = CLOPT_TYPE_COMPLEX_FLOAT, x.problem.elem_bytes = 4);
	ROW(plan, "plan is NULL", x.nowhere = 1);
	ROW(plan, "problem is NULL", x.none = 1);
	ROW(plan, "struct clopt_plan_info", x.plan.size = 1 << 20);
	ROW_OF(&plan, CLOPT_EUNSUPPORTED, "evolve-step",
	       x.problem = PROBLEM(.op = CLOPT_OP_EVOLVE_SUMS));
	ROW_OF(&plan, CLOPT_EUNSUPPORTED, "tree-sort is a part of sums",
	       x.problem = PROBLEM(.op = CLOPT_OP_TREE_SORT), x.problem.dim[1] = 1);
	ACCEPTED(explain, x.problem.size = offsetof(struct clopt_problem, elem_bytes));
	ROW(explain, "text", x.text = NULL);
	ROW(explain, "text", x.max = 0);
	ROW(problem_class, "text", x.max = 0);
	ROW(prepare, "problem", x.none = 1);
	ROW(tune, "problem is NULL", x.none = 1);
	ROW(tune, "budget_seconds is -1", x.tune.budget_seconds = -1);
	ROW(tune, "a size is 0", x.problem.dim[1] = 0);
	ROW(tune, "not tuned", x.problem.op = CLOPT_OP_LEAPFROG);
	ROW(tune, "ctx is NULL", x.ctx = NULL);
	ROW(time_variant, "seconds", x.nowhere = 1);
	ROW(time_variant, "window", x.window = -1);
	ROW(time_variant, "not a variant of matmul", x.name = "nbody/plain");
	ROW(time_variant, "\"matmul/none\"", x.name = "matmul/none");
	ROW(time_variant, "a size is 0", x.problem.dim[0] = 0);
	ROW(problem_class, "not tuned", x.problem = PROBLEM(.op = CLOPT_OP_LEAPFROG));
	ROW(force_variants, "ctx", x.ctx = NULL);
	ROW(force_variants, "matmul/none", x.name = "matmul/none");
	ROW(force_variants, "are both variants of matmul",
	    x.name = "matmul/plain,matmul/tile-16x16");
	ROW(force_variants, "\"TK=7\"", x.name = "matmul/reg-64x64x32:TK=7");
	ROW(force_variants, "\"TK\"", x.name = "matmul/reg-64x64x32:TK");
	ROW(force_variants, "\"\"", x.name = "matmul/reg-64x64x32:");
	ROW(force_variants, "\"matmul/reg\"", x.name = "matmul/reg:TK=16");
	ROW(force_variants, "LANES=2", x.name = "nbody/tile-256:LANES=2");

	base.problem = PROBLEM(.op = CLOPT_OP_TRANSPOSE);
	base.problem.dim[2] = 0;
	ROW(explain, "clopt_problem.scaled is 2", x.problem.scaled = 2);
	ROW(explain, "scaled", x.problem.scaled = 1, x.problem.elem_bytes = 2);
	ROW(explain, "clopt_problem.uneven is -1", x.problem.uneven = -1);
	ROW(problem_class, "type", x.problem.type = CLOPT_TYPE_COMPLEX_FLOAT);
	base.problem = PROBLEM(.op = CLOPT_OP_POTENTIAL);
	ROW(explain, "batch is 2", x.problem.batch = 2);
	ROW(explain, "law is CLOPT_LAW_GRAVITY", x.problem.law = CLOPT_LAW_GRAVITY);
	ROW(explain, "law is -7", x.problem.law = -7);
	ROW(explain, "law is 99", x.problem.law = 99);
	ROW(explain, "outputs is CLOPT_OUTPUTS_JERK", x.problem.outputs = CLOPT_OUTPUTS_JERK);
	ROW(explain, "normals is 2", x.problem.normals = 2);
	ROW(explain, "precision is -1", x.problem.precision = -1);
	ROW(explain, "precision is 99", x.problem.precision = 99);
	EACH(asks, "normals", x.problem.outputs = CLOPT_OUTPUTS_PHI_NORMAL);
	EACH(asks, "normals", x.problem.law = CLOPT_LAW_ALPB_SALT);
	EACH(asks, "normals", x.problem.law = CLOPT_LAW_ALPB_FAR,
	     x.problem.outputs = CLOPT_OUTPUTS_FIELD);
	EACH(asks, "normals", x.problem.law = CLOPT_LAW_ALPB_INSIDE,
	     x.problem.outputs = CLOPT_OUTPUTS_FIELD_PHI);
	EACH(asks, "normals", x.problem.law = CLOPT_LAW_ALPB_INSIDE_SALT);
	base.problem.op = CLOPT_OP_NBODY;
	ROW(explain, "elem_bytes is 8", x.problem.elem_bytes = 8);
	ROW(explain, "law is CLOPT_LAW_DEBYE", x.problem.law = CLOPT_LAW_DEBYE);
	ROW(explain, "outputs is CLOPT_OUTPUTS_PHI_NORMAL",
	    x.problem.outputs = CLOPT_OUTPUTS_PHI_NORMAL);
	ROW(explain, "precision is CLOPT_PRECISION_BEST", x.problem.op = CLOPT_OP_TREE_KEYS,
	    x.problem.precision = CLOPT_PRECISION_BEST);
	ROW(explain, "precision is CLOPT_PRECISION_DOUBLE_SINGLE",
	    x.problem.op = CLOPT_OP_TREE_NBODY,
	    x.problem.precision = CLOPT_PRECISION_DOUBLE_SINGLE);
	ROW(explain, "depths is 1", x.problem.op = CLOPT_OP_TREE_NBODY, x.problem.depths = 1);
}
END_TEST

START_TEST(kernels)
{
	ROW(map, "ctx is NULL", x.ctx = NULL);
	ROW(map, "map is NULL", x.none = 1);
	ROW(map, "clopt_map", x.map.size = 3);
	ROW(map, "source is NULL", x.map.source = NULL);
	ROW_OF(&map, CLOPT_EBUILD, "twice", x.map.source = "not OpenCL C");
	ROW_OF(&map, CLOPT_EBUILD, "twice", x.map.source = "not OpenCL C"); /* as kept */
	ROW(map, "none", x.map.name = "none");
	ROW(map, "args[0].kind is 99", x.arg[0].kind = 99);
	ROW(map, "args[0].bytes is 0", x.arg[0].bytes = 0);
	ROW(map, "args[0] is NULL", x.arg[0].data = NULL);
	ROW(map, "overlaps", x.arg[0].data = C + 40);
	ROW(map, "items_per_group", x.map.items_per_group = SIZE_MAX / 2 + 1);
	ROW(map, "args is NULL", x.map.args = NULL);
	ACCEPTED(map, x.map.items = 0);
	ROW(map, "nargs is 2: the kernel takes 3", x.map.nargs = 2);
}
END_TEST

/* Lists, contexts and numbers without a context. */
START_TEST(without_context)
{
	static const char *const entries[] = { "clopt_device_info", "clopt_skipped_driver",
		                               "clopt_quirk", "clopt_cache_entry" };
	static size_t three = 3;
	size_t i;

	ROW(last_shares, "list", x.list_max = 1);
	ROW(last_shares, "count is NULL", x.count = NULL);
	EACH(lists, "list", x.list_max = 1);
	EACH(lists, "count", x.count = NULL);
	for (i = 0; i < 4; i++)
		ROW_OF(lists[i], CLOPT_EINVAL, entries[i], x.list_max = 1, x.list = &three);
	ROW(cache_list, "options", x.options.size = 3);
	ROW(cache_folder, "text", x.text = NULL);
	ROW(cache_folder, "text", x.max = 0);
	ROW(cache_folder, "options", x.options.size = 3);
	ROW(open, "ctx", x.nowhere = 1);
	ROW(open, "clopt_options.quirks", x.options.quirks = "hoof");
	ROW(open, "profile is 2: it must be from -1 to 1", x.options.profile = 2);
	ROW(open, "share is 4: use CLOPT_SHARE_AUTO, CLOPT_SHARE_FIXED or CLOPT_SHARE_EVERY",
	    x.options.share = 4);
	ROW(open_cl, "ctx", x.nowhere = 1);
	ROW(open_cl, "context is NULL", x.context = NULL);
	ROW(open_cl, "device is NULL", x.device = NULL);

	ROW(occupancy, "group is 1025 work-items: sm_90 allows 1 to 1024", x.use.group = 1025);
	ROW(occupancy, "allows 1 to 256", x.name = "terascale2", x.use.group = 512);
	ROW(occupancy, "registers is 256: a work-item of sm_90 has at most 255",
	    x.use.registers = 256);
	ROW(occupancy, "has at most 63", x.name = "sm_30", x.use.registers = 64);
	ROW(occupancy, "scalar_registers is 801: a SIMD of gfx90a has 800", x.name = "gfx90a",
	    x.use.scalar_registers = 801);
	ROW(occupancy, "local_bytes is 232449: a group on sm_90 has at most 232448",
	    x.use.local_bytes = 232449);
	ROW(occupancy, "\"sm_9\" is not known: use one of sm_30 sm_32", x.name = "sm_9");
	ROW(occupancy, "\"sm_13\" is not known", x.name = "sm_13"); /* has OpenCL 1.1 */
	ROW(occupancy, "gfx1100", x.name = "");
	ROW(occupancy, "terascale2", x.name = " ");
	ROW(occupancy, "gfx90a", x.name = "sm_90 sm_90a");
	ROW(occupancy, "arch is NULL", x.arch = NULL);
	ROW(occupancy, "use is NULL", x.none = 1);
	ROW(occupancy, "result is NULL", x.nowhere = 1);
	ROW(occupancy, "clopt_resources", x.use.size = 4);
	ROW(occupancy, "clopt_occupancy", x.occupancy.size = 0);
}
END_TEST

/* ---- Each field of each struct ------------------------------------------------------------- */

#define FIELD(kind, routine, place, field, value) \
	{ \
		&routine, kind, value, offsetof(struct args, place.field), \
		        offsetof(struct args, place), #field \
	}
#define INT(...) FIELD('i', __VA_ARGS__)
#define SOME(...) FIELD('s', __VA_ARGS__)
#define REAL(...) FIELD('r', __VA_ARGS__)
#define POINTER(...) FIELD('p', __VA_ARGS__, 0)
/* With a number out of its range.  -1 is another of an integer, though not of SOME; NaN and
 * infinity are of a real. */
static const struct field {
	const struct routine *routine;
	char kind;
	double value;
	size_t at, of; /* in struct args: the field, and its struct */
	const char *name;
} fields[] = {
	/* clang-format off */
	SOME(gemm, gemm, type, 1), INT(gemm, gemm, layout, 1), INT(gemm, gemm, transa, 1),
	INT(gemm, gemm, transb, 1), INT(gemm, gemm, math, 5), INT(gemm, gemm, triangle, 1),
	INT(gemm, gemm, hermitian, 2), SOME(gemm, gemm, result, 1),
	REAL(gemm, gemm, least, -1), REAL(gemm, gemm, most, 2), POINTER(gemm, gemm, scale_rows),
	POINTER(gemm, gemm, scale_columns), POINTER(gemm, gemm, bias),
	INT(potential, potential, law, CLOPT_LAWS), INT(potential, potential, part, 3),
	INT(potential, potential, outputs, 7), INT(potential, potential, precision, 11),
	INT(potential, potential, gem_compat, 2), INT(potential, potential, reserved, 1),
	SOME(potential, potential, order, 7), INT(potential, potential, tree_reserved, 1),
	REAL(potential, potential, scale, 1e99), REAL(potential, potential, eps_in, -1),
	REAL(potential, potential, eps_out, -80), REAL(potential, potential, kappa, -0.1),
	REAL(potential, potential, radius, -3), REAL(potential, potential, ion_radius, -2),
	REAL(potential, potential, projection, -15),
	REAL(potential, potential, alpha, -INFINITY), REAL(potential, potential, tolerance, 1),
	REAL(potential, potential, theta, 1.5), POINTER(potential, potential, normals),
	POINTER(potential, potential, depths), POINTER(potential, potential, charge),
	POINTER(potential, potential, group), INT(nbody, nbody, precision, 11),
	INT(nbody, nbody, target_softening, 2), INT(nbody, nbody, potential, 2),
	INT(nbody, nbody, reserved, 1), SOME(nbody, nbody, order, 1),
	INT(nbody, nbody, tree_reserved, 1), REAL(nbody, nbody, g, 1e99),
	REAL(nbody, nbody, softening, -1), REAL(nbody, nbody, tolerance, -1e-3),
	REAL(nbody, nbody, theta, 1.5), POINTER(nbody, nbody, group),
	INT(nbody_evolve, evolve, integrator, 2), INT(nbody_evolve, evolve, precision, 17),
	SOME(nbody_evolve, evolve, order, 7), INT(nbody_evolve, evolve, tree_reserved, 1),
	INT(nbody_evolve, evolve, resume, 2), INT(nbody_evolve, evolve, rates_reserved, 1),
	REAL(nbody_evolve, evolve, g, 1e99), REAL(nbody_evolve, evolve, softening, -1),
	REAL(nbody_evolve, evolve, tolerance, 5), REAL(nbody_evolve, evolve, theta, 1.5),
	POINTER(nbody_evolve, evolve, group), POINTER(nbody_evolve, evolve, rates),
	SOME(open, options, profile, 2), SOME(open, options, verbose, -2),
	SOME(open, options, keep_output, 7), INT(open, options, share, 4),
	INT(open, options, check, CLOPT_CHECK_ALWAYS + 1), SOME(open, options, queues, 9),
	INT(open, options, reserved, 1), REAL(open, options, slice_seconds, 1001),
	INT(gravity, s, type, 7), INT(gravity, r, type, 7), INT(gravity, s, reserved, 1),
	INT(gravity, r, reserved, 1), INT(explain, problem, op, CLOPT_OPS),
	INT(explain, problem, layout, 7), INT(explain, problem, math, 99),
	INT(explain, problem, triangle, 5), INT(explain, problem, outputs, 99),
	INT(explain, problem, uneven, 4), INT(explain, problem, reserved, 1)
	/* clang-format on */
};
#define FIELDS (sizeof fields / sizeof *fields)

/* Pointers lead nowhere: none is followed before numbers are known to be right. */
static void wrong(const struct field *f, double value)
{
	void *const nowhere = (void *)(uintptr_t)16;
	const int whole_number = (int)value;
	size_t i;

	for (form = AT_ONCE; form < FORMS; form++) {
		if (!accepted(f->routine))
			continue;
		for (i = 0; i < FIELDS; i++)
			if (fields[i].of == f->of && fields[i].kind == 'p')
				memcpy((char *)&x + fields[i].at, &nowhere, sizeof nowhere);
		if (f->kind != 'r')
			memcpy((char *)&x + f->at, &whole_number, sizeof whole_number);
		else
			memcpy((char *)&x + f->at, &value, sizeof value);
		snprintf(number, sizeof number, "%g", value);
		refused(f->routine, CLOPT_EINVAL, f->name, number);
		*number = 0;
	}
}

START_TEST(numbers)
{
	size_t i;

	base.potential.law = CLOPT_LAW_ALPB;
	base.potential.radius = 15;
	base.potential.normals = (float *)D;
	base.potential.charge = &base.beta;
	for (i = 0; i < FIELDS; i++) {
		if (fields[i].kind != 'p')
			wrong(&fields[i], fields[i].value);
		if (fields[i].kind == 'i')
			wrong(&fields[i], -1);
		if (fields[i].kind == 'r') {
			wrong(&fields[i], (double)NAN);
			wrong(&fields[i], (double)INFINITY);
		}
	}
}
END_TEST

#define STRUCT(routine, place, type, word) \
	{ \
		&routine, offsetof(struct args, place), sizeof(struct type), #type, word \
	}
static const struct given {
	const struct routine *routine;
	size_t at, size;
	const char *type, *word;
} structs[] = { STRUCT(gemm, gemm, clopt_gemm_desc, "clopt_gemm_desc"),
	        STRUCT(potential, potential, clopt_potential_options, "reserved"),
	        STRUCT(nbody, nbody, clopt_nbody_options, "reserved"),
	        STRUCT(nbody_leapfrog, nbody, clopt_nbody_options, "reserved"),
	        STRUCT(gravity, nbody, clopt_nbody_options, "reserved"),
	        STRUCT(potential_points, potential, clopt_potential_options, ""),
	        STRUCT(gravity, s, clopt_points, "reserved"),
	        STRUCT(gravity, r, clopt_results, "reserved"),
	        STRUCT(nbody_evolve, evolve, clopt_evolve_options, "integrator"),
	        STRUCT(nbody_conserved, evolve, clopt_evolve_options, "integrator"),
	        STRUCT(explain, problem, clopt_problem, "reserved"),
	        STRUCT(map, map, clopt_map_desc, "nargs"),
	        STRUCT(tune, tune, clopt_tune_options, "budget_seconds"),
	        STRUCT(buffer_write, order, clopt_order, "nwait"),
	        STRUCT(open, options, clopt_options, "reserved"),
	        STRUCT(last_report, report, clopt_report, NULL) };

/* Structs whose size ends inside a field, and structs of the right size that nobody filled in: no
 * pointer in them is followed. */
START_TEST(whole_structs)
{
	static const unsigned char fills[] = { 0xff, 0x01, 0x5a };
	const struct given *g;
	size_t i;

	for (g = structs; g < structs + sizeof structs / sizeof *structs; g++) {
		for (form = AT_ONCE; form < FORMS; form++) {
			if (!accepted(g->routine))
				continue;
			for (i = 0; i < g->size; i++) {
				if (i % sizeof i == 0 && i > sizeof i)
					continue;
				*(size_t *)((char *)&x + g->at) = i;
				refused(g->routine, CLOPT_EINVAL, g->type, "a size inside a field");
			}
			for (i = 0; i < sizeof fills && g->word; i++) {
				memset((char *)&x + g->at, fills[i], g->size);
				*(size_t *)((char *)&x + g->at) = g->size;
				refused(g->routine, CLOPT_EINVAL, i ? "" : g->word, "garbage");
			}
		}
	}
}
END_TEST

SUITE(refused, long)
{
	tcase_add_checked_fixture(c, setup, teardown);
	tcase_add_test(c, every_form);
	tcase_add_test(c, products);
	tcase_add_test(c, transposes);
	tcase_add_test(c, gravity_);
	tcase_add_test(c, potentials);
	tcase_add_test(c, points);
	tcase_add_test(c, bodies);
	tcase_add_test(c, trees);
	tcase_add_test(c, buffers);
	tcase_add_test(c, handles);
	tcase_add_test(c, questions);
	tcase_add_test(c, kernels);
	tcase_add_test(c, without_context);
	tcase_add_test(c, numbers);
	tcase_add_test(c, whole_structs);
}
