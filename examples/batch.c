/* SPDX-License-Identifier: MIT */
/*
 * batch.c - many small products in one call.
 *
 * A product of 12 x 12 matrices takes less time than its call, so one call computes thousands:
 * C_i = A_i B_i, with each matrix stored after the previous one.  With a stride of 0 one matrix
 * serves all, C_i = A_i B, as when one operator moves many states.
 *
 *	batch
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <clopt.h>

#define N ((size_t)12)
#define EACH (N * N) /* elements of a matrix */
#define BATCH ((size_t)2000)

static double uniform(void)
{
	static unsigned long state = 1;

	state = (state * 1103515245ul + 12345ul) & 0x7ffffffful;
	return (double)(state >> 8) / (double)(1ul << 23) - 0.5;
}

/* Whether an element of C is farther from the sum in double than rounding explains. */
static int wrong(const float *a, const float *b, size_t stride_b, const float *c)
{
	size_t i, row, col, k;

	for (i = 0; i < BATCH; i++, a += EACH, b += stride_b, c += EACH)
		for (row = 0; row < N; row++)
			for (col = 0; col < N; col++) {
				double sum = 0, size = 0;

				for (k = 0; k < N; k++) {
					const double term =
					        (double)a[row * N + k] * (double)b[k * N + col];

					sum += term;
					size += fabs(term);
				}
				if (!(fabs((double)c[row * N + col] - sum) <= 1e-6 * size)) {
					fprintf(stderr,
					        "batch: product %zu, row %zu, column %zu "
					        "is %g, not %g\n",
					        i, row, col, (double)c[row * N + col], sum);
					return 1;
				}
			}
	return 0;
}

/* One call for all products. */
static int multiply(struct clopt *ctx, const float *a, const float *b, size_t stride_b, float *c)
{
	struct clopt_gemm_desc g = CLOPT_GEMM_DESC_INIT;
	struct clopt_report report = CLOPT_REPORT_INIT;

	g.m = g.n = g.k = N;
	g.batch = BATCH;
	g.stride_a = g.stride_c = EACH;
	g.stride_b = stride_b;
	if (clopt_gemm(ctx, &g, a, b, c) || clopt_last_report(ctx, &report)) {
		fprintf(stderr, "batch: %s\n", clopt_error(ctx));
		return 1;
	}
	printf("%zu products of %zu x %zu by %s: %.2g s by %s\n", BATCH, N, N,
	       stride_b ? "as many" : "one", report.seconds, report.variant);
	return wrong(a, b, stride_b, c);
}

int main(void)
{
	float *a = malloc(BATCH * EACH * sizeof *a), *b = malloc(BATCH * EACH * sizeof *b);
	float *c = malloc(BATCH * EACH * sizeof *c);
	struct clopt *ctx = NULL;
	int rc = 1;
	size_t i;

	if (!a || !b || !c)
		fprintf(stderr, "batch: no memory for %zu matrices\n", 3 * BATCH);
	else if (clopt_open(&ctx, NULL))
		fprintf(stderr, "batch: %s\n", clopt_error(NULL));
	else {
		for (i = 0; i < BATCH * EACH; i++) {
			a[i] = (float)uniform();
			b[i] = (float)uniform();
		}
		rc = multiply(ctx, a, b, EACH, c) || multiply(ctx, a, b, 0, c);
	}
	clopt_close(ctx);
	free(a);
	free(b);
	free(c);
	return rc;
}
