/* SPDX-License-Identifier: MIT */
/*
 * latency.c - seconds of calls from small to middle sizes, from and to ordinary and pinned memory.
 *
 *	make build/test/bench/latency && build/test/bench/latency [device [seconds]]
 *
 * A line for each size: the median of all calls in so many seconds (0.2), in microseconds, and in
 * brackets the fastest; 5 to 1000 calls.  A product of n is n x n x n, a transpose n x n, a sum one of
 * gravity over n bodies.  "host" are calls for which the library may take the rows on the host, with a
 * star where it does.  The last columns are calls on buffers: with the end of the kernel, and what
 * queueing it takes the caller.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clopt_device.h"
#include "clopt_tune.h"
#include "meter.h"

enum {
	LEAST_CALLS = 5,
	MOST_CALLS = 1000,
	MOST = 2048
};

static const size_t sizes[] = { 16, 32, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1448, MOST };

static struct {
	struct clopt *host, *device; /* small problems on the host, and never */
	float *ordinary[3], *pinned[3];
	struct clopt_buffer *buffer[3];
	size_t n;
	double seconds;
} bench;

static void must(int rc, const struct clopt *ctx)
{
	if (rc == CLOPT_OK)
		return;
	fprintf(stderr, "latency: %s: %s\n", clopt_strerror(rc), clopt_error(ctx));
	exit(1);
}

static int product(struct clopt *ctx, float *const *x)
{
	return clopt_matmul(ctx, bench.n, bench.n, bench.n, x[0], x[1], x[2]);
}

static int transpose(struct clopt *ctx, float *const *x)
{
	return clopt_transpose(ctx, bench.n, bench.n, 4, x[0], bench.n, x[2], bench.n);
}

static int sum(struct clopt *ctx, float *const *x)
{
	return clopt_nbody(ctx, bench.n, x[0], bench.n, x[0], x[2], NULL);
}

/* A call on buffers; x is not looked at. */
static int on_buffers(struct clopt *ctx, float *const *x)
{
	const size_t n = bench.n;

	(void)x;
	return clopt_sgemm_buffers(ctx, CLOPT_LAYOUT_ROW_MAJOR, CLOPT_TRANS_NO, CLOPT_TRANS_NO, n,
	                           n, n, 1, bench.buffer[0], n, bench.buffer[1], n, 0,
	                           bench.buffer[2], n, NULL);
}

static int by_seconds(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* One column: finish says whether to wait for the end of each call within its time (1), or after
 * it (0). */
static void column(struct clopt *ctx, int (*run)(struct clopt *, float *const *), float *const *x,
                   int finish)
{
	static double took[MOST_CALLS];
	struct clopt_report r = { .size = sizeof r };
	const double start = meter_now();
	size_t i, n = 0;

	for (i = 0; i < 3; i++)
		must(run(ctx, x), ctx);
	must(clopt_finish(ctx), ctx);
	while (n < MOST_CALLS && (n < LEAST_CALLS || meter_now() - start < bench.seconds)) {
		const double begin = meter_now();

		must(run(ctx, x), ctx);
		if (finish)
			must(clopt_finish(ctx), ctx);
		took[n++] = meter_now() - begin;
		if (!finish)
			must(clopt_finish(ctx), ctx);
	}
	qsort(took, n, sizeof *took, by_seconds);
	must(clopt_last_report(ctx, &r), ctx);
	printf(" %8.1f (%7.1f)%c", 1e6 * took[n / 2], 1e6 * took[0],
	       strstr(r.variant, "/host") ? '*' : ' ');
	fflush(stdout);
}

static void open_all(const char *device)
{
	struct clopt_options o = CLOPT_OPTIONS_INIT;
	size_t i, j;
	void *memory;

	o.device = device;
	must(clopt_open(&bench.host, &o), NULL);
	o.small = CLOPT_SMALL_DEVICE;
	must(clopt_open(&bench.device, &o), NULL);
	for (i = 0; i < 3; i++) {
		const size_t n = (size_t)MOST * MOST;

		must(clopt_host_alloc(bench.device, n * sizeof(float), &memory, NULL),
		     bench.device);
		bench.pinned[i] = memory;
		bench.ordinary[i] = malloc(n * sizeof(float));
		must(bench.ordinary[i] ? CLOPT_OK : CLOPT_ENOMEM, NULL);
		for (j = 0; j < n; j++)
			bench.pinned[i][j] = bench.ordinary[i][j] = (float)(j % 1021) / 1021 - 0.5f;
		must(clopt_buffer_new(bench.device, n * sizeof(float), &bench.buffer[i]),
		     bench.device);
		must(clopt_buffer_write(bench.buffer[i], 0, n * sizeof(float), bench.pinned[i],
		                        NULL),
		     bench.device);
	}
	must(clopt_finish(bench.device), bench.device);
}

static void close_all(void)
{
	int i;

	for (i = 0; i < 3; i++) {
		clopt_buffer_free(bench.buffer[i]);
		must(clopt_host_free(bench.device, bench.pinned[i]), bench.device);
		free(bench.ordinary[i]);
	}
	clopt_close(bench.device);
	clopt_close(bench.host);
}

int main(int argc, char **argv)
{
	static const char *const titles[] = { "product, host", "product",   "product, pinned",
		                              "transp., host", "transpose", "transp., pinned",
		                              "sum, host",     "sum",       "sum, pinned",
		                              "buffers",       "queued" };
	struct clopt_device_info info = { .size = sizeof info };
	size_t i;

	bench.seconds = argc > 2 ? strtod(argv[2], NULL) : 0.2;
	open_all(argc > 1 ? argv[1] : NULL);
	must(clopt_device_get(bench.device, &info), bench.device);
	printf("%s, driver %s, libclopt %s; us by median (least), * by the calling thread\n   n",
	       info.name, info.driver, clopt_version());
	for (i = 0; i < sizeof titles / sizeof *titles; i++)
		printf(" %19s", titles[i]);
	printf("\n");
	for (i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		bench.n = sizes[i];
		printf("%4zu", bench.n);
		column(bench.host, product, bench.ordinary, 1);
		column(bench.device, product, bench.ordinary, 1);
		column(bench.device, product, bench.pinned, 1);
		column(bench.host, transpose, bench.ordinary, 1);
		column(bench.device, transpose, bench.ordinary, 1);
		column(bench.device, transpose, bench.pinned, 1);
		column(bench.host, sum, bench.ordinary, 1);
		column(bench.device, sum, bench.ordinary, 1);
		column(bench.device, sum, bench.pinned, 1);
		column(bench.device, on_buffers, bench.ordinary, 1);
		column(bench.device, on_buffers, bench.ordinary, 0);
		printf("\n");
	}
	close_all();
	return 0;
}
