/* SPDX-License-Identifier: MIT */
/*
 * forms_orders.c - routines on buffers: their wait lists and events.
 *
 * Uploads that are held back come from pinned memory, where the device has memory of its own:
 * otherwise the upload itself waits, and nothing could start too early.
 */
#include <string.h>

#include "forms.h"
#include "wrap.h"

#define M 40
#define HOLD 60 /* milliseconds */

static struct clopt *ctx;
static struct clopt_buffer *b[3];
static struct clopt_queue *queue[2];
static float *pinned;
static float want[M * M], got[M * M];

static void setup(void)
{
	struct clopt_options o = CLOPT_OPTIONS_INIT;
	void *memory;
	int i, kind;

	o.profile = 1;
	wrap_discrete(1);
	ctx = test_open(&o);
	for (i = 0; i < 3; i++)
		CHECK_OK(ctx, clopt_buffer_new(ctx, sizeof want, &b[i]));
	for (i = 0; i < 2; i++)
		CHECK_OK(ctx, clopt_queue_new(ctx, &queue[i]));
	CHECK_OK(ctx, clopt_host_alloc(ctx, sizeof want, &memory, &kind));
	ck_assert_int_eq(kind, CLOPT_MEMORY_PINNED);
	pinned = memory;
	for (i = 0; i < M * M; i++)
		pinned[i] = (float)(i * 7 % 13) + 1;
}

static void teardown(void)
{
	int i;

	wrap_hold(0);
	for (i = 0; i < 3; i++)
		clopt_buffer_free(b[i]);
	for (i = 0; i < 2; i++)
		clopt_queue_free(queue[i]);
	CHECK_OK(ctx, clopt_host_free(ctx, pinned));
	test_close(ctx);
	wrap_discrete(0);
}

/* Forces rows; 0 if one of them does not run here. */
static int use(const char *names)
{
	size_t i;

	for (i = 0; clopt_variant_name(i); i++)
		if (strstr(names, clopt_variant_name(i)) &&
		    !clopt_variant_runs(ctx, i, NULL, NULL, 0))
			return 0;
	CHECK_OK(ctx, clopt_force_variants(ctx, names));
	return 1;
}

static int has_come(const struct clopt_event *event)
{
	cl_int status = CL_QUEUED;
	const cl_int code = clGetEventInfo(clopt_event_cl(event), CL_EVENT_COMMAND_EXECUTION_STATUS,
	                                   sizeof status, &status, NULL);

	ck_assert(code == CL_SUCCESS && status >= CL_COMPLETE);
	return status == CL_COMPLETE;
}

static struct clopt_order after(struct clopt_queue *q, struct clopt_event **wait,
                                struct clopt_event **event)
{
	struct clopt_order o = CLOPT_ORDER_INIT;

	o.queue = q;
	o.nwait = wait ? 1 : 0;
	o.wait = wait;
	o.event = event;
	return o;
}

/* Uploaded on the context's queue, held back; transposed on another, multiplied on a third, read on
 * the first, each waiting for the event before only. */
static void chain(const char *rows)
{
	struct clopt_event *e[4];
	struct clopt_order order[4] = { after(NULL, NULL, &e[0]), after(queue[0], &e[0], &e[1]),
		                        after(queue[1], &e[1], &e[2]), after(NULL, &e[2], &e[3]) };
	static float turned[M * M];
	double seconds;
	int i;

	if (!use(rows))
		return;
	CHECK_OK(ctx, clopt_transpose(ctx, M, M, 4, pinned, M, turned, M));
	CHECK_OK(ctx, clopt_matmul(ctx, M, M, M, turned, pinned, want));
	memset(got, 0, sizeof got);
	for (i = 0; i < 3; i++)
		CHECK_OK(ctx, clopt_buffer_write(b[i], 0, sizeof got, got, NULL));
	CHECK_OK(ctx, clopt_finish(ctx));

	wrap_hold(HOLD);
	CHECK_OK(ctx, clopt_buffer_write(b[0], 0, sizeof want, pinned, &order[0]));
	CHECK_OK(ctx, clopt_transpose_buffers(ctx, M, M, 4, b[0], M, b[1], M, &order[1]));
	CHECK_OK(ctx, clopt_matmul_buffers(ctx, M, M, M, b[1], b[0], b[2], &order[2]));
	ck_assert_msg(!has_come(e[0]), "nothing was held back: the test shows nothing");
	CHECK_OK(ctx, clopt_buffer_read(b[2], 0, sizeof got, got, &order[3]));
	CHECK_OK(ctx, clopt_event_wait(e[3]));
	ck_assert(!memcmp(got, want, sizeof got));
	for (i = 0; i < 4; i++) {
		CHECK_OK(ctx, clopt_event_seconds(e[i], &seconds));
		ck_assert_msg(seconds > 0 && seconds < 1000, "%d: %g seconds", i, seconds);
		clopt_event_free(e[i]);
	}
}

/* The same for leapfrog, whose commands after the first are ordered by the queue. */
static void moved_later(const char *rows)
{
	static float bodies[4 * M], speeds[4 * M];
	struct clopt_event *e[3];
	struct clopt_order up = after(NULL, NULL, &e[0]), move = after(queue[0], &e[0], &e[1]),
	                   down = after(NULL, &e[1], &e[2]);
	int i;

	if (!use(rows))
		return;
	memcpy(bodies, pinned, sizeof bodies);
	CHECK_OK(ctx, clopt_nbody_leapfrog(ctx, M, bodies, speeds, 1e-3, 3, NULL));
	memset(got, 0, sizeof got);
	CHECK_OK(ctx, clopt_buffer_write(b[0], 0, sizeof got, got, NULL));
	CHECK_OK(ctx, clopt_buffer_write(b[1], 0, sizeof got, got, NULL));
	CHECK_OK(ctx, clopt_finish(ctx));
	wrap_hold(HOLD);
	CHECK_OK(ctx, clopt_buffer_write(b[0], 0, sizeof bodies, pinned, &up));
	CHECK_OK(ctx, clopt_nbody_leapfrog_buffers(ctx, M, b[0], b[1], 1e-3, 3, NULL, &move));
	ck_assert_msg(!has_come(e[0]), "nothing was held back: the test shows nothing");
	CHECK_OK(ctx, clopt_buffer_read(b[0], 0, sizeof bodies, got, &down));
	CHECK_OK(ctx, clopt_event_wait(e[2]));
	ck_assert(!memcmp(got, bodies, sizeof bodies));
	CHECK_OK(ctx, clopt_buffer_read(b[1], 0, sizeof speeds, got, NULL));
	ck_assert(!memcmp(got, speeds, sizeof speeds));
	for (i = 0; i < 3; i++)
		clopt_event_free(e[i]);
}

/* Calls return when their commands are queued, however many steps there are, with an event or
 * without, while the queue waits for the gate. */
static void never_waits(const char *rows)
{
	struct clopt_event *g;
	struct clopt_order order = after(NULL, &g, NULL);
	cl_event event;
	int k;

	if (!use(rows))
		return;
	event = test_gate(ctx, &g);
	memcpy(want, pinned, sizeof want);
	memset(got, 0, sizeof got);
	for (k = 0; k < 2; k++)
		CHECK_OK(ctx, clopt_nbody_leapfrog(ctx, M, want, got, 1e-3, 150, NULL));
	memset(got, 0, sizeof got);
	CHECK_OK(ctx, clopt_buffer_write(b[1], 0, sizeof got, got, NULL));
	CHECK_OK(ctx, clopt_buffer_write(b[2], 0, sizeof want, pinned, NULL));
	CHECK_OK(ctx, clopt_buffer_copy(b[2], 0, b[0], 0, sizeof want, &order));
	for (k = 0; k < 2; k++)
		CHECK_OK(ctx, clopt_nbody_leapfrog_buffers(ctx, M, b[0], b[1], 1e-3, 150, NULL,
		                                           k ? &order : NULL));
	CHECK_OK(ctx, clopt_nbody_buffers(ctx, M, b[0], M, b[0], b[2], NULL, NULL));
	clSetUserEventStatus(event, CL_COMPLETE);
	CHECK_OK(ctx, clopt_buffer_read(b[0], 0, sizeof got, got, NULL));
	CHECK_OK(ctx, clopt_finish(ctx));
	ck_assert(!memcmp(got, want, 16 * M));
	clopt_event_free(g);
	__real_clReleaseEvent(event);
}

/* Without work the event still completes, and not early. */
static void empty(void)
{
	struct clopt_event *g, *e[7];
	struct clopt_order order[7];
	cl_event event = test_gate(ctx, &g);
	double seconds;
	int i;

	for (i = 0; i < 7; i++)
		order[i] = after(queue[i % 2], &g, &e[i]);
	CHECK_OK(ctx, clopt_matmul_buffers(ctx, 0, 4, 4, NULL, NULL, NULL, &order[0]));
	CHECK_OK(ctx,
	         clopt_sgemm_buffers(ctx, CLOPT_LAYOUT_ROW_MAJOR, CLOPT_TRANS_YES, CLOPT_TRANS_YES,
	                             4, 0, 4, 1, b[0], 4, b[1], 4, 0, b[2], 0, &order[1]));
	CHECK_OK(ctx, clopt_transpose_buffers(ctx, 0, 9, 8, NULL, 9, NULL, 0, &order[2]));
	CHECK_OK(ctx, clopt_potential_buffers(ctx, 9, b[0], 0, NULL, NULL, NULL, &order[3]));
	CHECK_OK(ctx, clopt_nbody_buffers(ctx, 9, b[0], 0, b[1], b[2], NULL, &order[4]));
	CHECK_OK(ctx, clopt_nbody_leapfrog_buffers(ctx, 0, NULL, NULL, 1, 5, NULL, &order[5]));
	CHECK_OK(ctx, clopt_nbody_leapfrog_buffers(ctx, 9, b[0], b[1], 1, 0, NULL, &order[6]));
	for (i = 0; i < 7; i++)
		ck_assert_msg(!has_come(e[i]), "%d did not wait", i);
	clSetUserEventStatus(event, CL_COMPLETE);
	for (i = 0; i < 7; i++) {
		CHECK_OK(ctx, clopt_event_wait(e[i]));
		CHECK_OK(ctx, clopt_event_seconds(e[i], &seconds));
		clopt_event_free(e[i]);
	}
	/* And without an order. */
	CHECK_OK(ctx, clopt_matmul_buffers(ctx, 0, 4, 4, b[0], b[1], b[2], NULL));
	clopt_event_free(g);
	__real_clReleaseEvent(event);
}

START_TEST(by_rows)
{
	static const struct {
		void (*test)(const char *rows);
		const char *rows;
	} tests[] = {
		{ chain, "transpose/plain,matmul/plain" },
		{ chain, "transpose/image,matmul/image-4x4" },
		{ moved_later, "nbody/plain" },
		{ moved_later, "nbody/image-4" },
		{ never_waits, "nbody/plain" },
		{ never_waits, "nbody/image-4" },
	};

	setup();
	if (test_can_wait(ctx, "by_rows"))
		tests[_i].test(tests[_i].rows);
	teardown();
}
END_TEST

START_TEST(without_work)
{
	setup();
	if (test_can_wait(ctx, "without_work"))
		empty();
	teardown();
}
END_TEST

void forms_orders(TCase *c)
{
	tcase_add_loop_test(c, by_rows, 0, 6);
	tcase_add_test(c, without_work);
}
