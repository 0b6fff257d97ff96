/* SPDX-License-Identifier: MIT */
/*
 * threads.c - several threads that call the library.
 *
 * All threads may use one context; then their calls run one after the other.  Or each has a
 * context; then calls run concurrently.  Here each thread computes the potential of its charges,
 * first in a shared context, then in a separate one.  clopt_error returns the message of the
 * calling thread's last failure.
 *
 *	threads
 */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <clopt.h>

#define THREADS 4
#define CHARGES 600
#define POINTS 200

struct worker {
	struct clopt *shared; /* NULL: the worker opens a context */
	unsigned long seed;
	char trouble[256];
};

static void random_points(float *x, size_t n, unsigned long *state)
{
	for (; n; n--) {
		*state = (*state * 1103515245ul + 12345ul) & 0x7ffffffful;
		*x++ = (float)(*state >> 8) / (float)(1ul << 23) - 0.5f;
	}
}

/* The largest error, relative to the sum of the terms' magnitudes. */
static double error(const float *charges, const float *points, const float *phi)
{
	double worst = 0, off;
	int i, j, k;

	for (i = 0; i < POINTS; i++) {
		double sum = 0, size = 0;

		for (j = 0; j < CHARGES; j++) {
			double dd = 0;

			for (k = 0; k < 3; k++) {
				const double d =
				        (double)charges[4 * j + k] - (double)points[4 * i + k];

				dd += d * d;
			}
			sum += (double)charges[4 * j + 3] / sqrt(dd);
			size += fabs((double)charges[4 * j + 3]) / sqrt(dd);
		}
		off = fabs((double)phi[i] - sum) / size;
		worst = off <= worst ? worst : off; /* a NaN, too */
	}
	return worst;
}

static void *work(void *argument)
{
	struct worker *w = argument;
	struct clopt *ctx = w->shared;
	float charges[4 * CHARGES], points[4 * POINTS], phi[POINTS];
	unsigned long state = w->seed;
	double off;

	random_points(charges, 4 * CHARGES, &state);
	random_points(points, 4 * POINTS, &state);
	if ((!ctx && clopt_open(&ctx, NULL)) ||
	    clopt_potential(ctx, CHARGES, charges, POINTS, points, phi, NULL))
		snprintf(w->trouble, sizeof w->trouble, "%s", clopt_error(ctx));
	else if (!((off = error(charges, points, phi)) <= 1e-5))
		snprintf(w->trouble, sizeof w->trouble, "an error of %g", off);
	if (!w->shared)
		clopt_close(ctx);
	return NULL;
}

/* Run all threads at once.  Returns 1 if any failed. */
static int run(struct clopt *shared)
{
	struct worker workers[THREADS];
	pthread_t thread[THREADS];
	int i, n, bad = 0;

	for (n = 0; n < THREADS; n++) {
		workers[n] = (struct worker){ .shared = shared, .seed = (unsigned long)n + 1 };
		if (pthread_create(&thread[n], NULL, work, &workers[n])) {
			fprintf(stderr, "threads: thread %d did not start\n", n);
			bad = 1;
			break;
		}
	}
	for (i = 0; i < n; i++) {
		pthread_join(thread[i], NULL);
		if (*workers[i].trouble)
			fprintf(stderr, "threads: thread %d: %s\n", i, workers[i].trouble);
		bad |= *workers[i].trouble != 0;
	}
	printf("%d threads, %s: %s\n", n, shared ? "one context" : "a context each",
	       bad ? "WRONG" : "right");
	return bad;
}

int main(void)
{
	struct clopt *ctx;
	int bad;

	if (clopt_open(&ctx, NULL)) {
		fprintf(stderr, "threads: %s\n", clopt_error(NULL));
		return 1;
	}
	bad = run(ctx);
	clopt_close(ctx);
	return run(NULL) || bad;
}
