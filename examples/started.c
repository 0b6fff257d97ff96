/* SPDX-License-Identifier: MIT */
/*
 * started.c - products that run while the host does something else.
 *
 * Blocks of measurements arrive one after the other, and each is multiplied by a matrix of filters.
 * While the device multiplies one block, the host makes the next and checks the previous one, with
 * two alternating slots of arrays.  At the end a call is cancelled.
 *
 *	started
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <clopt_device.h>

#define BLOCKS 6
#define M ((size_t)256) /* measurements in a block */
#define N ((size_t)128) /* filters */
#define K ((size_t)512) /* numbers of a measurement */

static struct clopt *ctx;

static void must(int rc)
{
	if (rc != CLOPT_OK) {
		fprintf(stderr, "started: %s\n", clopt_error(ctx));
		exit(1);
	}
}

static void fill(float *x, size_t n, unsigned long state)
{
	for (; n; n--) {
		state = (state * 1103515245ul + 12345ul) & 0x7ffffffful;
		*x++ = (float)(state >> 8) / (float)(1ul << 23) - 0.5f;
	}
}

static void check(size_t block, const float *x, const float *filters, const float *y)
{
	size_t i, j, k;

	for (i = 0; i < M; i++)
		for (j = 0; j < N; j++) {
			double sum = 0, size = 0;

			for (k = 0; k < K; k++) {
				const double term =
				        (double)x[i * K + k] * (double)filters[k * N + j];

				sum += term;
				size += fabs(term);
			}
			if (!(fabs((double)y[i * N + j] - sum) <= 1e-5 * size)) {
				fprintf(stderr,
				        "started: block %zu, row %zu, column %zu is %g, not %g\n",
				        block, i, j, (double)y[i * N + j], sum);
				exit(1);
			}
		}
}

int main(void)
{
	static float x[2][M * K], y[2][M * N], filters[K * N]; /* two slots */
	struct clopt_call *call[2] = { NULL, NULL }, *last;
	struct clopt_report report = CLOPT_REPORT_INIT;
	size_t block, slot;
	int done = 0, rc;

	must(clopt_open(&ctx, NULL));
	fill(filters, K * N, 1);
	for (block = 0; block <= BLOCKS; block++) {
		if (block < BLOCKS) {
			slot = block % 2;
			fill(x[slot], M * K, 2 + block);
			must(clopt_matmul_start(ctx, M, N, K, x[slot], filters, y[slot],
			                        &call[slot]));
		}
		if (block > 0) { /* the previous block */
			slot = (block - 1) % 2;
			done += clopt_call_done(call[slot]);
			must(clopt_call_wait(call[slot], &report));
			clopt_call_free(call[slot]);
			check(block - 1, x[slot], filters, y[slot]);
		}
	}
	printf("%d blocks of %zu x %zu, right; %d were done before they were waited for\n", BLOCKS,
	       M, K, done);

	/* Has no effect if the call has already ended. */
	must(clopt_matmul_start(ctx, M, N, K, x[0], filters, y[0], &last));
	clopt_call_cancel(last);
	rc = clopt_call_wait(last, NULL);
	clopt_call_free(last);
	printf("one more: %s\n", clopt_strerror(rc));
	clopt_close(ctx);
	return rc != CLOPT_OK && rc != CLOPT_ECANCELED;
}
