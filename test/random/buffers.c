/* SPDX-License-Identifier: MIT */
/*
 * buffers.c - commands on buffers in random orders: some pieces of memory, buffers
 * that are the whole or parts of a piece, and a list of commands over a few queues.  A command
 * waits for the events of earlier commands on other queues that use the same memory.  The
 * expected data of every read, and at the end, come from the same list run on the host.
 */
#include <stdlib.h>
#include <string.h>

#include "random.h"

enum {
	ROOTS = 2, /* pieces of memory */
	VIEWS = 6, /* buffers in them */
	COMMANDS = 14,
	MOST_BYTES = 20000
};

struct view {
	int root;
	size_t first, bytes;
	struct clopt_buffer *buffer;
};

struct command {
	int queue;
	unsigned roots; /* that it uses, one bit each */
	struct clopt_event *event;
	unsigned char *host, *want; /* of transfers; want: the expected bytes of a read */
	size_t bytes;
	int pinned;
};

struct scene {
	struct call *c;
	size_t bytes[ROOTS];
	unsigned char *memory[ROOTS]; /* the expected bytes */
	struct view view[VIEWS];
	struct clopt_queue *queue[3];
	struct command command[COMMANDS];
	size_t commands;
};

/* Rows of a transfer: the pitch, and the distance between begin and end. */
struct rows {
	size_t count, bytes, pitch[2];
};

static size_t span(const struct rows *r, int side)
{
	return r->count && r->bytes ? (r->count - 1) * r->pitch[side] + r->bytes : 0;
}

static void move(unsigned char *to, size_t to_pitch, const unsigned char *from, size_t from_pitch,
                 const struct rows *r)
{
	size_t i;

	for (i = 0; i < r->count && r->bytes; i++)
		memcpy(to + i * to_pitch, from + i * from_pitch, r->bytes);
}

static struct rows draw_rows(struct random *r, int rect, size_t most)
{
	struct rows x = { 1, random_below(r, most + 1), { 0, 0 } };

	if (rect) {
		x.count = random_below(r, 12);
		x.bytes = random_below(r, most / (x.count + 1) + 1);
	}
	x.pitch[0] = x.bytes + (rect ? random_below(r, 9) : 0);
	x.pitch[1] = x.bytes + (rect && random_one_in(r, 2) ? random_below(r, 9) : 0);
	while (x.count && (span(&x, 0) > most || span(&x, 1) > most))
		x.count--;
	return x;
}

static void open_scene(struct scene *s)
{
	struct random *r = &s->c->r;
	const size_t align = random_device.buffer_align;
	struct clopt *ctx = s->c->ctx;
	size_t i, j;

	for (i = 0; i < ROOTS; i++) {
		struct view *v = &s->view[i];

		s->bytes[i] = 1 + random_below(r, random_one_in(r, 4) ? MOST_BYTES : 2000);
		s->memory[i] = malloc(s->bytes[i]);
		ck_assert_ptr_nonnull(s->memory[i]);
		for (j = 0; j < s->bytes[i]; j++)
			s->memory[i][j] = (unsigned char)random_bits(r);
		*v = (struct view){ (int)i, 0, s->bytes[i], NULL };
		CHECK_OK(ctx, clopt_buffer_new(ctx, v->bytes, &v->buffer));
		CHECK_OK(ctx, clopt_buffer_write(v->buffer, 0, v->bytes, s->memory[i], NULL));
	}
	for (; i < VIEWS; i++) {
		struct view *v = &s->view[i];
		const struct view *of = &s->view[random_below(r, i)];

		v->root = of->root;
		v->first = align * random_below(r, of->bytes / align + 1);
		v->bytes = random_below(r, of->bytes - v->first + 1);
		CHECK_OK(ctx, clopt_buffer_view(of->buffer, v->first, v->bytes, &v->buffer));
		v->first += of->first;
	}
	CHECK_OK(ctx, clopt_finish(ctx));
	for (i = 1; i < 3; i++)
		CHECK_OK(ctx, clopt_queue_new(ctx, &s->queue[i]));
}

/* The host memory of a command, kept to the end, since queued commands may read it. */
static unsigned char *host_of(struct scene *s, struct command *k, size_t bytes)
{
	void *memory = NULL;
	size_t i;

	k->pinned = random_one_in(&s->c->r, 3) &&
	            clopt_host_alloc(s->c->ctx, bytes, &memory, NULL) == CLOPT_OK;
	k->host = k->pinned ? memory : malloc(bytes + 1);
	k->bytes = bytes;
	ck_assert_ptr_nonnull(k->host);
	for (i = 0; i < bytes; i++)
		k->host[i] = (unsigned char)random_bits(&s->c->r);
	return k->host;
}

/* Its order: events of commands on other queues that use the same memory, and some others. */
static struct clopt_order order_of(struct scene *s, struct command *k, struct clopt_event **wait)
{
	struct clopt_order o = CLOPT_ORDER_INIT;
	size_t i;

	k->queue = (int)random_below(&s->c->r, 3);
	o.queue = s->queue[k->queue];
	for (i = 0; i < s->commands; i++)
		if (s->command[i].event &&
		    (random_one_in(&s->c->r, 8) ||
		     ((s->command[i].roots & k->roots) && s->command[i].queue != k->queue)))
			wait[o.nwait++] = s->command[i].event;
	o.wait = wait;
	o.event = &k->event;
	return o;
}

static void expect_status(struct scene *s, int rc, int status, const char *what)
{
	if (rc != status)
		call_wrong(s->c, "command %zu, %s: %s instead of %s: %s", s->commands, what,
		           clopt_strerror(rc), clopt_strerror(status),
		           rc ? clopt_error(s->c->ctx) : "");
}

/* Up or down, as one piece or in rows. */
static void transfer(struct scene *s, struct command *k, int down, int rect)
{
	struct random *r = &s->c->r;
	const struct view *v = &s->view[random_below(r, VIEWS)];
	const size_t first = random_below(r, v->bytes + 1);
	const struct rows x = draw_rows(r, rect, v->bytes - first);
	unsigned char *host = host_of(s, k, span(&x, 1) + 1);
	unsigned char *there = s->memory[v->root] + v->first + first;
	struct clopt_event *wait[COMMANDS];
	struct clopt_order o;
	int rc;

	k->roots = 1u << v->root;
	o = order_of(s, k, wait);
	call_say(s->c, " %s%s %zu+%zu of %d+%zu on %d;", down ? "read" : "write",
	         rect ? " rows" : "", first, span(&x, 0), v->root, v->first, k->queue);
	if (down) {
		k->want = malloc(k->bytes);
		ck_assert_ptr_nonnull(k->want);
		memcpy(k->want, host, k->bytes);
		move(k->want, x.pitch[1], there, x.pitch[0], &x);
		rc = rect ? clopt_buffer_read_rect(v->buffer, first, x.pitch[0], x.count, x.bytes,
		                                   host, x.pitch[1], &o) :
		            clopt_buffer_read(v->buffer, first, x.count * x.bytes, host, &o);
	} else {
		rc = rect ? clopt_buffer_write_rect(v->buffer, first, x.pitch[0], x.count, x.bytes,
		                                    host, x.pitch[1], &o) :
		            clopt_buffer_write(v->buffer, first, x.count * x.bytes, host, &o);
		move(there, x.pitch[0], host, x.pitch[1], &x);
		if (!k->pinned) /* it may be used again */
			memset(host, 0, k->bytes);
	}
	expect_status(s, rc, CLOPT_OK, down ? "read" : "write");
}

static int apart(size_t a, size_t a_bytes, size_t b, size_t b_bytes)
{
	return !a_bytes || !b_bytes || a + a_bytes <= b || b + b_bytes <= a;
}

static void copy(struct scene *s, struct command *k, int rect)
{
	struct random *r = &s->c->r;
	const struct view *a = &s->view[random_below(r, VIEWS)],
	                  *b = &s->view[random_below(r, VIEWS)];
	const size_t from = random_below(r, a->bytes + 1), to = random_below(r, b->bytes + 1);
	const size_t there = a->bytes - from < b->bytes - to ? a->bytes - from : b->bytes - to;
	const struct rows x = draw_rows(r, rect, there);
	unsigned char *in = s->memory[a->root] + a->first + from;
	unsigned char *out = s->memory[b->root] + b->first + to;
	struct clopt_event *wait[COMMANDS];
	struct clopt_order o;
	int rc;

	if (a->root == b->root && !apart(a->first + from, span(&x, 0), b->first + to, span(&x, 1)))
		return;
	k->roots = 1u << a->root | 1u << b->root;
	o = order_of(s, k, wait);
	call_say(s->c, " copy%s %zu x %zu (%zu, %zu) %zu+%zu of %d+%zu to %zu+%zu of %d+%zu on %d;",
	         rect ? " rows" : "", x.count, x.bytes, x.pitch[0], x.pitch[1], from, span(&x, 0),
	         a->root, a->first, to, span(&x, 1), b->root, b->first, k->queue);
	rc = rect ? clopt_buffer_copy_rect(a->buffer, from, x.pitch[0], b->buffer, to, x.pitch[1],
	                                   x.count, x.bytes, &o) :
	            clopt_buffer_copy(a->buffer, from, b->buffer, to, x.count * x.bytes, &o);
	expect_status(s, rc, CLOPT_OK, "copy");
	move(out, x.pitch[1], in, x.pitch[0], &x);
}

static void turn(struct scene *s, struct command *k)
{
	struct random *r = &s->c->r;
	const struct view *a = &s->view[random_below(r, VIEWS)],
	                  *b = &s->view[random_below(r, VIEWS)];
	const size_t elem = (size_t)1 << random_below(r, 3), rows = random_below(r, 30);
	const size_t cols = random_below(r, 30), ld_in = cols + random_below(r, 4);
	const size_t ld_out = rows + random_below(r, 4);
	const size_t in = rows && cols ? ((rows - 1) * ld_in + cols) * elem : 0;
	const size_t out = rows && cols ? ((cols - 1) * ld_out + rows) * elem : 0;
	const unsigned char *from = s->memory[a->root] + a->first;
	unsigned char *to = s->memory[b->root] + b->first;
	struct clopt_event *wait[COMMANDS];
	struct clopt_order o;
	size_t i, j;

	/* Buffers that overlap are refused, which other tests have. */
	if (in > a->bytes || out > b->bytes ||
	    (a->root == b->root && !apart(a->first, a->bytes, b->first, b->bytes)))
		return;
	k->roots = 1u << a->root | 1u << b->root;
	o = order_of(s, k, wait);
	call_say(s->c, " transpose %zu x %zu of %zu bytes, ld %zu %zu, %d+%zu to %d+%zu on %d;",
	         rows, cols, elem, ld_in, ld_out, a->root, a->first, b->root, b->first, k->queue);
	expect_status(s,
	              clopt_transpose_buffers(s->c->ctx, rows, cols, elem, a->buffer, ld_in,
	                                      b->buffer, ld_out, &o),
	              CLOPT_OK, "transpose");
	for (i = 0; i < rows; i++)
		for (j = 0; j < cols; j++)
			memcpy(to + (j * ld_out + i) * elem, from + (i * ld_in + j) * elem, elem);
}

/* A transfer beyond the end is refused and moves nothing. */
static void refused(struct scene *s)
{
	struct random *r = &s->c->r;
	const struct view *v = &s->view[random_below(r, VIEWS)];
	unsigned char byte[2] = { 1, 2 };

	expect_status(s, clopt_buffer_write(v->buffer, v->bytes, 1, byte, NULL), CLOPT_EINVAL,
	              "write beyond");
	expect_status(s, clopt_buffer_read(v->buffer, v->bytes + 1, 0, byte, NULL), CLOPT_EINVAL,
	              "read beyond");
}

static void each_command(struct scene *s)
{
	const size_t n = 3 + random_below(&s->c->r, COMMANDS - 2);

	for (; s->commands < n && !s->c->wrong; s->commands++) {
		struct command *k = &s->command[s->commands];
		const size_t kind = random_below(&s->c->r, 22);

		if (kind < 12)
			transfer(s, k, kind % 2 == 0, kind % 4 < 2);
		else if (kind < 18)
			copy(s, k, kind % 2 == 0);
		else if (kind < 21)
			turn(s, k);
		else
			refused(s);
		if (random_one_in(&s->c->r, 20))
			CHECK_OK(s->c->ctx, clopt_queue_finish(s->c->ctx, s->queue[k->queue]));
		if (k->event && random_one_in(&s->c->r, 20))
			CHECK_OK(s->c->ctx, clopt_event_wait(k->event));
	}
}

static void judge(struct scene *s)
{
	unsigned char *back = malloc(MOST_BYTES);
	size_t i;

	ck_assert_ptr_nonnull(back);
	for (i = 0; i < s->commands; i++)
		if (s->command[i].want &&
		    memcmp(s->command[i].host, s->command[i].want, s->command[i].bytes) != 0)
			call_wrong(s->c, "command %zu read something else", i);
	for (i = 0; i < ROOTS; i++) {
		CHECK_OK(s->c->ctx,
		         clopt_buffer_read(s->view[i].buffer, 0, s->bytes[i], back, NULL));
		CHECK_OK(s->c->ctx, clopt_finish(s->c->ctx));
		if (memcmp(back, s->memory[i], s->bytes[i]) != 0)
			call_wrong(s->c, "memory %zu is not as it ought to be", i);
	}
	free(back);
}

static void close_scene(struct scene *s)
{
	size_t i;

	for (i = 0; i < COMMANDS; i++) {
		struct command *k = &s->command[i];

		clopt_event_free(k->event);
		free(k->want);
		if (k->pinned)
			clopt_host_free(s->c->ctx, k->host);
		else
			free(k->host);
	}
	for (i = 0; i < VIEWS; i++) /* a part outlives its whole */
		clopt_buffer_free(s->view[i].buffer);
	for (i = 0; i < ROOTS; i++)
		free(s->memory[i]);
	for (i = 1; i < 3; i++)
		clopt_queue_free(s->queue[i]);
}

void random_buffers(struct call *c)
{
	static struct scene s;

	memset(&s, 0, sizeof s);
	s.c = c;
	c->form = FORM_BUFFERS;
	open_scene(&s);
	call_say(c, ", %zu and %zu bytes:", s.bytes[0], s.bytes[1]);
	each_command(&s);
	CHECK_OK(c->ctx, clopt_finish(c->ctx));
	judge(&s);
	close_scene(&s);
}
