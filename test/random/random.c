/* SPDX-License-Identifier: MIT */
/*
 * random.c - see random.h: the generator, the contexts, the loop and the report.
 *
 * Compiling a kernel takes a second, and loading a compiled one some milliseconds.  So the
 * properties of kernels are drawn from a list that grows slowly with the number of calls,
 * and contexts, with random options, serve some thousands of calls.
 */
#include "random.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/context.h"
#include "base/numbers.h"
#include "table/table.h"
#include "wrap.h"

enum {
	CALLS = 400, /* unless told otherwise, ... */
	ALL_CALLS = 10000, /* ... or all is asked for */
	EPOCH = 4096, /* calls between new contexts, of all families */
	CONTEXTS = 4, /* at a time */
	KERNELS = 6, /* of a context and a family, about */
	KERNELS_FIRST = 8, /* of a family, in the first epoch */
	KERNELS_MORE = 4, /* in each further one */
	KERNELS_MOST = 160,
	TOLD = 20, /* wrong calls that are printed */
	ROOM = 64 /* guard bytes on both sides of an array */
};

static const struct family {
	const char *name;
	unsigned share; /* of SHARES calls */
	void (*run)(struct call *c);
} families[] = {
	{ "products", 7, random_product }, { "transposes", 3, random_transpose },
	{ "pairs", 4, random_pair },       { "bodies", 1, random_bodies },
	{ "buffers", 2, random_buffers },  { "maps", 1, random_map },
	{ "points", 2, random_points },
};
#define FAMILIES (sizeof families / sizeof *families)
#define SHARES 20

struct clopt_device_info random_device;

static struct {
	unsigned long long calls, refused, wrong;
} count;

/* ---- Numbers ----------------------------------------------------------------------- */

/* Source: Steele, Lea, Flood, OOPSLA 2014 (SplitMix64). */
static uint64_t mix(uint64_t z)
{
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

uint64_t random_bits(struct random *r)
{
	return mix(r->state += 0x9e3779b97f4a7c15u);
}

static uint64_t seed(void)
{
	const char *text = getenv("CLOPT_TEST_SEED");

	return text ? strtoull(text, NULL, 0) : 1;
}

struct random random_of(uint64_t a, uint64_t b)
{
	return (struct random){ mix(seed() + mix(a + mix(b))) };
}

size_t random_below(struct random *r, size_t n)
{
	return n ? (size_t)((random_bits(r) >> 11) % n) : 0;
}

int random_one_in(struct random *r, size_t n)
{
	return random_below(r, n) == 0;
}

double random_between(struct random *r, double least, double most)
{
	return least + (most - least) * ((double)(random_bits(r) >> 11) * 0x1p-53);
}

double random_decades(struct random *r, double least, double most)
{
	return pow(10, random_between(r, least, most));
}

size_t random_size(struct random *r)
{
	const size_t kind = random_below(r, 100);

	return kind < 2  ? 0 :
	       kind < 90 ? 1 + random_below(r, 40) :
	       kind < 99 ? 1 + random_below(r, 300) :
	                   1 + random_below(r, 2000);
}

double random_value(struct random *r, int family, size_t i, size_t n)
{
	const double x = random_between(r, -1, 1);

	switch (family) {
	case VALUES_INTEGERS:
		return floor(4 * x);
	case 2: /* all of one sign */
		return 1.5 + 0.5 * x;
	case 3: /* halves that cancel */
		return i < n / 2 ? 16 : -16;
	case 4:
		return 16;
	case 5: /* far apart */
		return x * ldexp(1, (int)random_below(r, 24) - 12);
	case 6: /* mostly zeros */
		return random_one_in(r, 4) ? x : random_one_in(r, 2) ? 0.0 : -0.0;
	case 7: /* tiny */
		return x * 0x1p-66;
	case 8: /* huge */
		return x * 0x1p60;
	case 9: /* near the ends of the range */
		return x * ldexp(1, (int)random_below(r, 250) - 125);
	default:
		return x;
	}
}

/* ---- Calls ------------------------------------------------------------------------- */

static void append(char *text, size_t size, const char *format, va_list args)
{
	const size_t n = strlen(text);

	vsnprintf(text + n, size - n, format, args);
}

void call_say(struct call *c, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	append(c->text, sizeof c->text, format, args);
	va_end(args);
}

void call_wrong(struct call *c, const char *format, ...)
{
	char what[512] = "";
	va_list args;

	if (c->wrong)
		return;
	c->wrong = 1;
	va_start(args, format);
	append(what, sizeof what, format, args);
	va_end(args);
	if (c->row)
		printf("CLOPT_TEST_ROW=%s, problem %llu, %s: WRONG: %s\n", c->row->name,
		       (unsigned long long)c->number, c->text, what);
	else if (count.wrong++ < TOLD)
		printf("CLOPT_TEST_SEED=%llu CLOPT_TEST_RANDOM=1@%llu: %s: WRONG: %s\n",
		       (unsigned long long)seed(), (unsigned long long)c->number, c->text, what);
	fflush(stdout);
}

/* Whole tiles, a few results more, or any part of the last tile.  Long sums have eight tiles or
 * more, but three of those that are long themselves. */
size_t call_size(struct call *c, unsigned dim)
{
	const size_t size = random_size(&c->r), tile = c->tile[dim], few = tile < 4096 ? 8 : 3;
	size_t more;

	if (c->deep)
		return dim + 1 == c->deep ?
		               tile * (few + random_below(&c->r, 4)) + random_below(&c->r, tile) :
		               1 + random_below(&c->r, 3);
	if (c->most)
		return size % (c->most + 1);
	if (tile < 2 || random_one_in(&c->r, 4))
		return size;
	more = random_below(&c->r, random_one_in(&c->r, 2) ? 4 : tile);
	more += tile * random_below(&c->r, 3);
	return more ? more : tile;
}

double call_work(const struct call *c, double most, double unit, double power)
{
	const double limit = (double)c->options->mem_limit_bytes;

	return limit > 0 ? fmin(most, 100 * pow(limit / unit, power)) : most;
}

/* A row of the operation that can serve the problem; NULL: the library's choice. */
static const char *draw_row(struct call *c, const struct clopt_problem *p)
{
	size_t first = 0, rows = 0, row;

	while (clopt_variant_op(first) != p->op)
		first++;
	while (clopt_variant_op(first + rows) == p->op)
		rows++;
	row = first + random_below(&c->kernel, rows);
	if (!random_one_in(&c->kernel, 3) || !clopt_variant_runs(c->ctx, row, p, NULL, 0))
		return NULL;
	return clopt_variant_name(row);
}

/* With CLOPT_CHECK_ALWAYS a row is forced each time, since a row struck out wrongly would otherwise
 * be replaced silently. */
int call_force(struct call *c, const struct clopt_problem *p)
{
	const char *row;

	if (c->row) {
		c->unserved = !clopt_variant_runs(c->ctx, c->index, p, NULL, 0) ||
		              (c->serves && !c->serves(c, p));
		CHECK_OK(c->ctx, clopt_force_variants(c->ctx, c->row->name));
		c->ctx->mem_limit_bytes = c->limit;
		return !c->unserved;
	}
	row = draw_row(c, p);
	if (!row && c->options->check == CLOPT_CHECK_ALWAYS)
		row = clopt_chosen_variant(c->ctx, p);
	/* The choice for arrays may not serve buffers: the host's, or one that copies inputs. */
	if (row && c->form == FORM_BUFFERS && (test_is_host(row) || c->options->mem_limit_bytes))
		row = NULL;
	if (row && clopt_force_variants(c->ctx, row) == CLOPT_OK)
		call_say(c, ", by %s", row);
	return 1;
}

void call_unforce(struct call *c)
{
	clopt_force_variants(c->ctx, NULL);
	c->ctx->mem_limit_bytes = c->options->mem_limit_bytes;
}

int call_again(struct call *c, int rc)
{
	const char *needs = strstr(clopt_error(c->ctx), "needs ");
	size_t least;

	if (rc != CLOPT_ENOMEM || c->form == FORM_BUFFERS || !c->ctx->mem_limit_bytes || !needs ||
	    sscanf(needs, "needs %zu bytes on the device", &least) != 1)
		return 0;
	if (c->again++) {
		call_wrong(c, "the least limit does not do: %s", clopt_error(c->ctx));
		return 0;
	}
	count.refused++;
	c->limit = c->ctx->mem_limit_bytes = least;
	return 1;
}

void call_limit(struct call *c, size_t bytes)
{
	call_say(c, ", limit %zu", bytes);
	c->ctx->mem_limit_bytes = bytes;
}

int call_uncut(struct call *c)
{
	struct clopt_report r = CLOPT_REPORT_INIT;
	const struct variant *v;

	CHECK_OK(c->ctx, clopt_last_report(c->ctx, &r));
	CHECK_OK(c->ctx, clopt_force_variants(c->ctx, r.variant));
	c->ctx->mem_limit_bytes = 0;
	v = clopt__named(c->ctx, r.variant, strlen(r.variant), NULL, 0);
	ck_assert_ptr_nonnull(v);
	return !(r.sum_parts > 1 && v->likes & T_STUDY);
}

int call_succeeded(struct call *c, int rc)
{
	if (rc == CLOPT_OK)
		return 1;
	/* Launches on buffers are not cut, and drivers launch 65535 matrices at most. */
	if (rc == CLOPT_EUNSUPPORTED && c->form == FORM_BUFFERS &&
	    strstr(clopt_error(c->ctx), "split the call"))
		return 0;
	if (c->row && test_lacks_local(c->ctx, rc, c->row->name))
		c->unserved = c->lacks = 1;
	else
		call_wrong(c, "%s: %s", clopt_strerror(rc), clopt_error(c->ctx));
	return 0;
}

int call_collected(int rc, struct clopt_call **started)
{
	int end;

	if (rc != CLOPT_OK)
		return rc;
	end = clopt_call_wait(*started, NULL);
	clopt_call_free(*started);
	return end;
}

/* ---- Arrays ------------------------------------------------------------------------ */

void host_open(struct host *h, struct call *c, size_t bytes, size_t align)
{
	const size_t offset =
	        random_one_in(&c->r, 2) ? 0 : align * random_below(&c->r, ROOM / align);
	void *block = NULL;

	memset(h, 0, sizeof *h);
	h->c = c;
	h->bytes = bytes;
	h->align = align;
	h->block_bytes = bytes + 3 * ROOM;
	/* Pinned memory counts as the device's, which a walk looks at. */
	h->pinned = random_one_in(&c->r, 4) && !c->row &&
	            clopt_host_alloc(c->ctx, h->block_bytes, &block, NULL) == CLOPT_OK;
	/* The same offset from a cache line, whatever the heap does. */
	ck_assert(h->pinned || posix_memalign(&block, ROOM, h->block_bytes) == 0);
	h->block = block;
	h->before = malloc(h->block_bytes);
	ck_assert_ptr_nonnull(h->before);
	memset(h->block, 0xff, h->block_bytes);
	h->data = h->block + ROOM + offset;
	call_say(c, " [%s+%zu]", h->pinned ? "pinned" : "", offset);
}

void host_ready(struct host *h)
{
	struct call *c = h->c;
	struct random r = c->r; /* what follows is the same in all forms */
	struct clopt_buffer *whole = NULL;
	size_t first;

	memcpy(h->before, h->block, h->block_bytes);
	if (c->form != FORM_BUFFERS)
		return;
	if (random_one_in(&r, 3)) {
		first = h->align * random_below(&r, 40);
		CHECK_OK(c->ctx, clopt_buffer_new(c->ctx, first + h->bytes + 1, &whole));
		CHECK_OK(c->ctx, clopt_buffer_view(whole, first, h->bytes, &h->buffer));
		clopt_buffer_free(whole);
	} else {
		CHECK_OK(c->ctx, clopt_buffer_new(c->ctx, h->bytes, &h->buffer));
	}
	CHECK_OK(c->ctx, clopt_buffer_write(h->buffer, 0, h->bytes, h->data, NULL));
}

void host_back(struct host *h)
{
	if (!h->buffer)
		return;
	CHECK_OK(h->c->ctx, clopt_buffer_read(h->buffer, 0, h->bytes, h->data, NULL));
	CHECK_OK(h->c->ctx, clopt_finish(h->c->ctx));
	clopt_buffer_free(h->buffer);
	h->buffer = NULL;
}

/* A NaN counts as any other. */
static void add_bits(struct call *c, const unsigned char *at, size_t bytes)
{
	const int type = c->type ? clopt__type(c->type)->result : 0;
	const size_t part = type ? (size_t)type & 0xff : bytes;
	size_t i;

	for (; bytes; bytes -= part, at += part) {
		const double x = type ? clopt__element((const char *)at, type) : 0;

		for (i = 0; i < part; i++)
			c->bits = mix(c->bits + (x == x ? at[i] : 0));
	}
}

void host_judged(struct host *h, const void *at, size_t bytes)
{
	memcpy(h->before + ((const unsigned char *)at - h->block), at, bytes);
	if (h->c->row)
		add_bits(h->c, at, bytes);
}

void host_close(struct host *h, const char *name)
{
	size_t i;

	if (!h->c->wrong && !h->c->unserved && memcmp(h->block, h->before, h->block_bytes) != 0) {
		for (i = 0; h->block[i] == h->before[i]; i++)
			;
		call_wrong(h->c, "byte %ld of the %zu of %s changed, which is no result",
		           (long)i - (long)((unsigned char *)h->data - h->block), h->bytes, name);
	}
	if (h->pinned)
		clopt_host_free(h->c->ctx, h->block);
	else
		free(h->block);
	free(h->before);
}

/* ---- Contexts ---------------------------------------------------------------------- */

static struct {
	uint64_t epoch;
	struct clopt *ctx[CONTEXTS];
	struct clopt_options options[CONTEXTS];
	int discrete[CONTEXTS];
} pool;

static void close_contexts(void)
{
	int i;

	for (i = 0; i < CONTEXTS; i++)
		clopt_close(pool.ctx[i]);
	ck_assert_msg(wrap_live() == 0, "%ld OpenCL objects are left: %s", wrap_live(),
	              wrap_live_text());
	memset(&pool, 0, sizeof pool);
}

/* discrete: whether the device seems to have memory of its own. */
static struct clopt_options draw_options(uint64_t epoch, int i, int *discrete)
{
	struct random r = random_of(epoch, 1000 + (uint64_t)i);
	static const int checks[CONTEXTS] = { CLOPT_CHECK_OFF, CLOPT_CHECK_FIRST,
		                              CLOPT_CHECK_ALWAYS, CLOPT_CHECK_FIRST };
	struct clopt_options o = CLOPT_OPTIONS_INIT;

	o.queues = (unsigned)random_below(&r, 4);
	o.mem_limit_bytes = i == 0               ? 0 :
	                    i == 1               ? 1536 + random_below(&r, 4096) :
	                    random_one_in(&r, 3) ? 0 :
	                                           (size_t)random_decades(&r, 3.2, 6.5);
	o.profile = random_one_in(&r, 4);
	o.transfer = (int)random_below(&r, 4);
	o.copy_threads = (unsigned)random_below(&r, 3);
	o.chunk_bytes = random_one_in(&r, 2) ? 0 : (size_t)random_decades(&r, 2.5, 5);
	o.slice_seconds = random_one_in(&r, 6) ? 1e-9 : 0;
	o.check = checks[(epoch + (uint64_t)i) % CONTEXTS];
	o.cache_dir = getenv("CLOPT_TEST_CACHE");
	o.small = random_one_in(&r, 2) ? CLOPT_SMALL_HOST : CLOPT_SMALL_DEVICE;
	*discrete = random_one_in(&r, 2) && test_can_stage("random, discrete");
	return o;
}

static void open_context(struct call *c, size_t i)
{
	const uint64_t epoch = c->number / EPOCH;
	struct clopt_options *o = &pool.options[i];

	if (epoch != pool.epoch)
		close_contexts();
	pool.epoch = epoch;
	if (!pool.ctx[i]) {
		*o = draw_options(epoch, (int)i, &pool.discrete[i]);
		wrap_discrete(pool.discrete[i]);
		pool.ctx[i] = test_open(o);
		wrap_discrete(0);
		random_device.size = sizeof random_device;
		CHECK_OK(pool.ctx[i], clopt_device_get(pool.ctx[i], &random_device));
	}
	c->ctx = pool.ctx[i];
	c->options = o;
	call_say(c, "limit %zu, queues %u, transfer %d, threads %u, chunks %zu, check %d%s%s%s%s; ",
	         o->mem_limit_bytes, o->queues, o->transfer, o->copy_threads, o->chunk_bytes,
	         o->check, o->profile ? ", profile" : "", o->slice_seconds > 0 ? ", slices" : "",
	         o->small == CLOPT_SMALL_HOST ? ", small on the host" : "",
	         pool.discrete[i] ? ", discrete" : "");
}

/* ---- The loop ---------------------------------------------------------------------- */

static size_t family_of(uint64_t number)
{
	uint64_t at = number % SHARES;
	size_t f;

	for (f = 0; at >= families[f].share; f++)
		at -= families[f].share;
	return f;
}

static void run(size_t f, uint64_t number, int tell)
{
	const uint64_t epoch = number / EPOCH;
	const size_t there = KERNELS_FIRST + KERNELS_MORE * (epoch < 1000 ? (size_t)epoch : 1000);
	static struct call c;
	struct random which;
	size_t context;

	memset(&c, 0, sizeof c);
	c.number = number;
	c.r = random_of(number, f);
	context = random_below(&c.r, CONTEXTS);
	which = random_of(random_below(&c.r, KERNELS), mix(epoch * CONTEXTS + context) + f);
	c.kernel = random_of(random_below(&which, there < KERNELS_MOST ? there : KERNELS_MOST),
	                     100 + f);
	c.form = random_one_in(&c.r, 2) ? FORM_HOST : (int)random_below(&c.r, FORM_COUNT);
	open_context(&c, context);
	call_say(&c, "%s%s", families[f].name,
	         c.form == FORM_BUFFERS ? " on buffers" :
	         c.form == FORM_STARTED ? " started" :
	                                  "");
	count.calls++;
	families[f].run(&c);
	if (wrap_fences())
		call_wrong(&c, "a kernel wrote outside its buffers");
	if (c.wrong) { /* a row of it may be struck out now */
		clopt_close(pool.ctx[context]);
		pool.ctx[context] = NULL;
	}
	if (tell)
		printf("%s\n", c.text);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

START_TEST(calls)
{
	const char *text = getenv("CLOPT_TEST_RANDOM");
	const char *each = getenv("CLOPT_TEST_TELL");
	unsigned long long n, first = 0, number;
	const double begin = now();

	if (!text || sscanf(text, "%llu@%llu", &n, &first) < 1)
		n = test_whole() ? ALL_CALLS : CALLS;
	for (number = first; number - first < n && count.wrong < 50 * TOLD; number++) {
		if (family_of(number) != (size_t)_i || !test_in_part(_i))
			continue;
		if (each) {
			printf("%llu\n", number);
			fflush(stdout);
		}
		run((size_t)_i, number, n == 1);
	}
	close_contexts();
	if (count.calls)
		printf("random %s: %llu calls of seed %llu, %llu wrong, %llu made again with the "
		       "least limit, %.1f s\n",
		       families[_i].name, count.calls, (unsigned long long)seed(), count.wrong,
		       count.refused, now() - begin);
	fflush(stdout);
	ck_assert_msg(!count.wrong, "%llu wrong calls of %llu", count.wrong, count.calls);
}
END_TEST

SUITE(random, long)
{
	tcase_add_loop_test(c, calls, 0, (int)FAMILIES);
}
