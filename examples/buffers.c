/* SPDX-License-Identifier: MIT */
/*
 * buffers.c - results that stay on the device, and copies that overlap with computing.
 *
 * A random walker on a ring of N places stays or steps.  P has the probabilities from each place to
 * each in one step, and P P in two.  Squared ten times on the device, P has those in 1024 steps.
 * The program wants the probabilities of a walker that starts at place 0: the first row of each
 * power.  A second queue reads the row while the first computes the next power, and events order
 * the commands that depend on each other.
 *
 *	buffers
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <clopt_device.h>

#define N ((size_t)192)
#define POWERS 10
#define STAY 0.6f
#define ON 0.3f
#define BACK 0.1f

static struct clopt *ctx;

static void must(int rc)
{
	if (rc != CLOPT_OK) {
		fprintf(stderr, "buffers: %s\n", clopt_error(ctx));
		exit(1);
	}
}

static struct clopt_buffer *buffer(void)
{
	struct clopt_buffer *b;

	must(clopt_buffer_new(ctx, N * N * sizeof(float), &b));
	return b;
}

/* Square P repeatedly between two buffers. rows[i] gets the first row of P^(2^(i + 1)). */
static void powers(const float *p, float (*rows)[N])
{
	struct clopt_buffer *power[2] = { buffer(), buffer() };
	struct clopt_queue *copies;
	struct clopt_event *squared, *read[2] = { NULL, NULL };
	struct clopt_order compute = CLOPT_ORDER_INIT, copy = CLOPT_ORDER_INIT;
	int i, to;

	must(clopt_queue_new(ctx, &copies));
	must(clopt_buffer_write(power[0], 0, N * N * sizeof(float), p, NULL));
	copy.queue = copies;
	copy.nwait = 1;
	copy.wait = &squared;
	compute.event = &squared;
	for (i = 0; i < POWERS; i++) {
		to = (i + 1) % 2;
		/* Wait until the row of this buffer, of two powers ago, has been read. */
		compute.nwait = read[to] != NULL;
		compute.wait = &read[to];
		must(clopt_matmul_buffers(ctx, N, N, N, power[!to], power[!to], power[to],
		                          &compute));
		clopt_event_free(read[to]);
		copy.event = &read[to];
		must(clopt_buffer_read(power[to], 0, sizeof *rows, rows[i], &copy));
		clopt_event_free(squared);
	}
	must(clopt_finish(ctx));
	clopt_event_free(read[0]);
	clopt_event_free(read[1]);
	clopt_buffer_free(power[0]);
	clopt_buffer_free(power[1]);
	clopt_queue_free(copies);
}

/* The largest difference from the same walk, step by step in double. */
static double check(float (*rows)[N])
{
	double at[N] = { 1 }, next[N], worst = 0;
	size_t i, step;
	int power = 0;

	for (step = 1; power < POWERS; step++) {
		for (i = 0; i < N; i++)
			next[i] = (double)STAY * at[i] + (double)ON * at[(i + N - 1) % N] +
			          (double)BACK * at[(i + 1) % N];
		memcpy(at, next, sizeof at);
		if (step != (size_t)2 << power)
			continue;
		for (i = 0; i < N; i++) {
			const double off = fabs((double)rows[power][i] - at[i]);

			worst = off <= worst ? worst : off; /* a NaN, too */
		}
		power++;
	}
	return worst;
}

int main(void)
{
	static float p[N * N];
	void *rows;
	double off;
	size_t i;

	for (i = 0; i < N; i++) {
		p[i * N + i] = STAY;
		p[i * N + (i + 1) % N] = ON;
		p[i * N + (i + N - 1) % N] = BACK;
	}
	must(clopt_open(&ctx, NULL));
	/* Reads into pinned memory return at once. */
	must(clopt_host_alloc(ctx, POWERS * N * sizeof(float), &rows, NULL));
	powers(p, rows);
	off = check(rows);
	printf("%d powers of %zu x %zu: the chances differ by at most %.1g\n", POWERS, N, N, off);
	clopt_close(ctx); /* frees its memory */
	return off <= 1e-5 ? 0 : 1;
}
