/* SPDX-License-Identifier: MIT */
/*
 * routines.c - calls matmul, transpose, potential, gravity (also by a tree), leapfrog and evolve
 * once each, on ordinary memory, and checks the results.
 *
 * The reference is plain C in double.  An error is the largest difference divided by the largest
 * value: one number for a whole array.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <clopt.h>
#include <clopt_device.h>

static struct clopt *ctx;
static int bad;

/* Gives the same numbers on every system, unlike rand(). */
static double uniform(void)
{
	static unsigned long state = 1;

	state = (state * 1103515245ul + 12345ul) & 0x7ffffffful;
	return (double)(state >> 8) / (double)(1ul << 23) - 0.5;
}

static double error(const float *got, const double *want, size_t n)
{
	double worst = 0, most = 0, d;
	size_t i;

	for (i = 0; i < n; i++) {
		d = fabs((double)got[i] - want[i]);
		worst = d > worst || isnan(d) ? d : worst;
		most = fmax(most, fabs(want[i]));
	}
	return most > 0 ? worst / most : worst;
}

static void tell(const char *what, int rc, double err, double limit)
{
	struct clopt_report r;

	if (rc != CLOPT_OK) {
		printf("%s: failed: %s\n", what, clopt_error(ctx));
		bad = 1;
		return;
	}
	memset(&r, 0, sizeof r);
	r.size = sizeof r;
	clopt_last_report(ctx, &r);
	if (!(err <= limit))
		bad = 1;
	printf("%s: %s, largest error %.1g, %s, %.3f s\n", what, err <= limit ? "ok" : "WRONG", err,
	       r.variant ? r.variant : "no kernel", r.seconds);
}

static void matmul(void)
{
	enum {
		m = 257,
		n = 129,
		l = 301
	};
	static float a[m * l], b[l * n], c[m * n];
	static double want[m * n];
	size_t i, j, k;
	int rc;

	for (i = 0; i < m * l; i++)
		a[i] = (float)uniform();
	for (i = 0; i < l * n; i++)
		b[i] = (float)uniform();
	rc = clopt_matmul(ctx, m, n, l, a, b, c);
	for (i = 0; i < m; i++)
		for (k = 0; k < l; k++)
			for (j = 0; j < n; j++)
				want[i * n + j] += (double)a[i * l + k] * (double)b[k * n + j];
	tell("matmul 257x129x301", rc, error(c, want, m * n), 1e-5);
}

static void transpose(void)
{
	enum {
		rows = 301,
		cols = 97
	};
	static double in[rows * cols], out[rows * cols];
	double worst = 0;
	size_t i, j;
	int rc;

	for (i = 0; i < rows * cols; i++)
		in[i] = uniform();
	rc = clopt_transpose(ctx, rows, cols, sizeof *in, in, cols, out, rows);
	for (i = 0; i < rows; i++)
		for (j = 0; j < cols; j++)
			if (out[j * rows + i] != in[i * cols + j])
				worst = 1;
	tell("transpose 301x97 of double", rc, worst, 0);
}

#define BODIES 1000
static const double softening = 0.05;

/* Accelerations and potentials of all bodies, as clopt.h defines them with g = 1. */
static void gravity(const double *x, double *acc)
{
	double d[3], rr, w;
	int i, j, k;

	memset(acc, 0, 4 * BODIES * sizeof *acc);
	for (i = 0; i < BODIES; i++)
		for (j = 0; j < BODIES; j++) {
			if (i == j)
				continue;
			rr = softening * softening;
			for (k = 0; k < 3; k++) {
				d[k] = x[4 * j + k] - x[4 * i + k];
				rr += d[k] * d[k];
			}
			w = x[4 * j + 3] / sqrt(rr);
			acc[4 * i + 3] -= w;
			for (k = 0; k < 3; k++)
				acc[4 * i + k] += w / rr * d[k];
		}
}

static void step(double *x, double *v, double dt, double *acc)
{
	int i, k, half;

	for (half = 0; half < 2; half++) {
		gravity(x, acc);
		for (i = 0; i < BODIES; i++)
			for (k = 0; k < 3; k++) {
				v[4 * i + k] += dt / 2 * acc[4 * i + k];
				if (half == 0)
					x[4 * i + k] += dt * v[4 * i + k];
			}
	}
}

/* Coulomb's law: the potential of all other charges at each charge. */
static void potential(void)
{
	static float x[4 * BODIES], phi[BODIES];
	static double want[BODIES];
	double d, dd;
	int i, j, k, rc;

	for (i = 0; i < 4 * BODIES; i++)
		x[i] = (float)uniform();
	rc = clopt_potential(ctx, BODIES, x, BODIES, x, phi, NULL);
	for (i = 0; i < BODIES; i++)
		for (j = 0; j < BODIES; j++) {
			for (k = 0, dd = 0; k < 3; k++) {
				d = (double)x[4 * j + k] - (double)x[4 * i + k];
				dd += d * d;
			}
			if (i != j)
				want[i] += (double)x[4 * j + 3] / sqrt(dd);
		}
	tell("potential of 1000 charges", rc, error(phi, want, BODIES), 1e-5);
}

/* Accelerations, and ten steps in float and in double, or the nearest precision of the device. */
static void nbody(void)
{
	enum {
		steps = 10,
		n = 4 * BODIES
	};
	const double dt = 0.01;
	static float x[n], v[n], acc[n];
	static double dx[n], dv[n], wx[n], wv[n], wa[n];
	struct clopt_nbody_options o = CLOPT_NBODY_OPTIONS_INIT;
	struct clopt_evolve_options eo = CLOPT_EVOLVE_OPTIONS_INIT;
	struct clopt_tree *tree;
	double worst = 0;
	size_t i, s;
	int rc;

	o.softening = eo.softening = softening;
	o.potential = 1;
	for (i = 0; i < n; i++) {
		x[i] = (float)(i % 4 == 3 ? 1.0 / BODIES : 2 * uniform());
		v[i] = (float)(i % 4 == 3 ? 0 : 0.1 * uniform());
		wx[i] = dx[i] = (double)x[i];
		wv[i] = dv[i] = (double)v[i];
	}
	rc = clopt_nbody(ctx, BODIES, x, BODIES, x, acc, &o);
	gravity(wx, wa);
	tell("nbody 1000 bodies", rc, error(acc, wa, n), 1e-5);

	o.order = 3;
	o.theta = 0.5;
	rc = clopt_tree_new(ctx, BODIES, x, &tree);
	if (rc == CLOPT_OK)
		rc = clopt_tree_nbody(tree, BODIES, NULL, acc, &o);
	tell("the same by a tree", rc, error(acc, wa, n), 1e-2);
	clopt_tree_free(tree);
	o.order = 0;
	o.theta = 0;

	for (s = 0; s < steps; s++)
		step(wx, wv, dt, wa);
	rc = clopt_nbody_leapfrog(ctx, BODIES, x, v, dt, steps, &o);
	tell("leapfrog 1000 bodies, 10 steps", rc, fmax(error(x, wx, n), error(v, wv, n)), 1e-4);
	rc = clopt_nbody_evolve(ctx, BODIES, dx, dv, dt, steps, &eo);
	for (i = 0; i < n; i++)
		worst = fmax(worst, fmax(fabs(dx[i] - wx[i]), fabs(dv[i] - wv[i])));
	tell("evolve 1000 bodies, 10 steps", rc, worst, 1e-10);
}

int main(void)
{
	if (clopt_open(&ctx, NULL) != CLOPT_OK) {
		fprintf(stderr, "routines: %s\n", clopt_error(NULL));
		return 1;
	}
	matmul();
	transpose();
	potential();
	nbody();
	clopt_close(ctx);
	return bad;
}
