/* SPDX-License-Identifier: MIT */
/*
 * pairs.c - the library's sums over pairs on this processor, compared with intrinsics,
 * compiled plain C, and a kernel written for GPUs.
 *
 *	make build/test/bench/pairs && build/test/bench/pairs [points [rounds]]
 *
 * Ratios are of times of the same round; the last line of a table has the number of rounds
 * in which the machine was slower than at its best (meter.h).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clopt_device.h"
#include "clopt_tune.h"
#include "meter.h"
#include "pairs.h"

enum {
	SAMPLES = 64
};

/* ---- Threads ----------------------------------------------------------------------- */

struct pool {
	const struct pairs *p;
	pairs_loop *loop;
	size_t next;
};

static void member(void *argument)
{
	struct pool *c = argument;
	const size_t step = 4 * PAIRS_BLOCK;
	size_t first;

	while ((first = __atomic_fetch_add(&c->next, step, __ATOMIC_RELAXED)) < c->p->n)
		c->loop(c->p, first, first + step < c->p->n ? first + step : c->p->n);
}

/* ---- Problems ---------------------------------------------------------------------- */

static float uniform(unsigned *state)
{
	*state = *state * 1664525u + 1013904223u;
	return (float)(*state >> 8) / 16777216.0f;
}

static void *must(void *memory)
{
	if (!memory) {
		fprintf(stderr, "pairs: out of memory\n");
		exit(1);
	}
	return memory;
}

/* Aligned so that the library uses the array in place. */
static float *array(size_t n)
{
	void *memory;

	return must(posix_memalign(&memory, 4096, n * sizeof(float)) == 0 ? memory : NULL);
}

/* Points in a box of 50, and normals in all directions; weights are between 0 and 1.  A molecule's
 * charges would cancel, which makes no difference to kernels. */
static void make(struct pairs *p, enum pairs_kind kind, size_t n)
{
	float **const lists[] = { &p->sx, &p->sy, &p->sz, &p->sw, &p->tx,
		                  &p->ty, &p->tz, &p->nx, &p->ny, &p->nz };
	unsigned state = 1;
	size_t i, k;

	p->kind = kind;
	p->n = n;
	p->sources = array(4 * n);
	p->normals = array(4 * n);
	p->out = array(4 * n);
	p->targets = kind == PAIRS_GRAVITY ? p->sources : array(4 * n);
	for (k = 0; k < sizeof lists / sizeof *lists; k++)
		*lists[k] = array(n);
	for (i = 0; i < n; i++) {
		const float z = 2.0f * uniform(&state) - 1.0f, turn = 6.2831853f * uniform(&state);
		const float rim = sqrtf(1.0f - z * z);

		for (k = 0; k < 4; k++)
			p->targets[4 * i + k] = 50.0f * uniform(&state);
		for (k = 0; k < 4; k++)
			p->sources[4 * i + k] = (k < 3 ? 50.0f : 1.0f) * uniform(&state);
		p->normals[4 * i] = rim * cosf(turn);
		p->normals[4 * i + 1] = rim * sinf(turn);
		p->normals[4 * i + 2] = z;
		p->normals[4 * i + 3] = 0.0f;
		for (k = 0; k < 4; k++)
			(*lists[k])[i] = p->sources[4 * i + k];
		for (k = 0; k < 3; k++) {
			(*lists[4 + k])[i] = p->targets[4 * i + k];
			(*lists[7 + k])[i] = p->normals[4 * i + k];
		}
	}
}

static void drop(struct pairs *p)
{
	float *const lists[] = { p->sx, p->sy, p->sz, p->sw,      p->tx,      p->ty, p->tz,
		                 p->nx, p->ny, p->nz, p->sources, p->normals, p->out };
	size_t k;

	if (p->targets != p->sources)
		free(p->targets);
	for (k = 0; k < sizeof lists / sizeof *lists; k++)
		free(lists[k]);
}

/* Calls the library with the options for the formulas of pairs.h. */
static int call(struct clopt *ctx, struct pairs *p)
{
	struct clopt_potential_options o = CLOPT_POTENTIAL_OPTIONS_INIT;
	struct clopt_nbody_options g = CLOPT_NBODY_OPTIONS_INIT;

	if (p->kind == PAIRS_GRAVITY) {
		g.softening = sqrt((double)PAIRS_SOFTENING2);
		return clopt_nbody(ctx, p->n, p->sources, p->n, p->targets, p->out, &g);
	}
	if (p->kind == PAIRS_SALT) {
		o.law = CLOPT_LAW_ALPB;
		o.eps_out = 1.0;
		o.alpha = 1e-300;
		o.radius = 25.0;
		o.kappa = 1.0 / (double)PAIRS_LAMBDA;
		o.ion_radius = (double)PAIRS_REACH;
		o.normals = p->normals;
	}
	return clopt_potential(ctx, p->n, p->sources, p->n, p->targets, p->out, &o);
}

/* The relative error of target i, against float64. */
static double off_by(const struct pairs *p, size_t i)
{
	double sum[3] = { 0.0 }, got = 0.0, off = 0.0, right = 0.0;
	size_t j, d, width = p->kind == PAIRS_GRAVITY ? 3 : 1;

	for (j = 0; j < p->n; j++) {
		const float *s = p->sources + 4 * j, *t = p->targets + 4 * i;
		double x[3], d2 = 0.0, foot2 = 0.0, f;

		for (d = 0; d < 3; d++) {
			x[d] = (double)s[d] - (double)t[d];
			f = x[d] - (double)PAIRS_REACH * (double)p->normals[4 * i + d];
			d2 += x[d] * x[d];
			foot2 += f * f;
		}
		f = (double)s[3] / sqrt(d2);
		if (p->kind == PAIRS_SALT)
			f -= (double)s[3] / ((double)PAIRS_LAMBDA + sqrt(foot2));
		if (p->kind == PAIRS_GRAVITY)
			f = (double)s[3] * pow(d2 + (double)PAIRS_SOFTENING2, -1.5);
		for (d = 0; d < width; d++)
			sum[d] += p->kind == PAIRS_GRAVITY ? f * x[d] : f;
	}
	for (d = 0; d < width; d++) {
		got = (double)p->out[width == 3 ? 4 * i + d : i];
		off += (got - sum[d]) * (got - sum[d]);
		right += sum[d] * sum[d];
	}
	return sqrt(off / right);
}

/* ---- Candidates -------------------------------------------------------------------- */

struct candidate {
	char name[64];
	const char *variant; /* a row of the library ... */
	pairs_loop *loop; /* ... or a loop of this program */
	double error;
	struct clopt *ctx;
	struct pairs *p;
};

static double once(void *candidate)
{
	const struct candidate *c = candidate;
	struct clopt_report report = { .size = sizeof report };
	struct pool crew = { .p = c->p, .loop = c->loop };

	if (c->loop)
		return meter_together(member, &crew);
	if (clopt_force_variants(c->ctx, c->variant) != CLOPT_OK ||
	    call(c->ctx, c->p) != CLOPT_OK || clopt_last_report(c->ctx, &report) != CLOPT_OK) {
		fprintf(stderr, "pairs: %s: %s\n", c->name, clopt_error(c->ctx));
		exit(1);
	}
	return report.kernel_seconds;
}

static size_t gather(struct candidate *c, const struct pairs *p, struct clopt *ctx)
{
	struct clopt_problem problem = { .size = sizeof problem };
	const char *name;
	size_t n = 0;

	problem.op = p->kind == PAIRS_GRAVITY ? CLOPT_OP_NBODY : CLOPT_OP_POTENTIAL;
	problem.law = p->kind == PAIRS_SALT ? CLOPT_LAW_ALPB_SALT : CLOPT_LAW_DEFAULT;
	problem.dim[0] = problem.dim[1] = p->n;
	clopt_force_variants(ctx, NULL);
	c[n].variant = clopt_chosen_variant(ctx, &problem);
	snprintf(c[n++].name, sizeof c->name, "%s", c[0].variant ? c[0].variant : "none");
	c[n].loop = pairs_simd(&name);
	n += c[n].loop != NULL;
	if (n > 1)
		snprintf(c[1].name, sizeof c->name, "%s", name);
	c[n].loop = pairs_plain;
	snprintf(c[n++].name, sizeof c->name, "%s", pairs_compiler);
	c[n].variant = problem.op == CLOPT_OP_NBODY ? "nbody/tile-256" : "potential/tile-256";
	snprintf(c[n].name, sizeof c->name, "%s", c[n].variant);
	return n + 1;
}

static void report(const struct candidate *c, const struct meter_turn *turn, size_t n,
                   const struct pairs *p, size_t rounds, size_t forced)
{
	static const char *const titles[PAIRS_KINDS] = { "potential, Coulomb",
		                                         "potential, ALPB with salt", "gravity" };
	struct meter_spread s;
	double x[METER_MOST], ms;
	size_t i, k;

	printf("\n%s, %zu x %zu\n", titles[p->kind], p->n, p->n);
	printf("%-24s %10s %10s %10s   %s\n", "", "ms", "Gpairs/s", "error",
	       "time over the first's, by round");
	for (i = 0; i < n; i++) {
		ms = 1e3 * meter_spread(turn[i].seconds, rounds).median;
		for (k = 0; k < rounds; k++)
			x[k] = turn[i].seconds[k] / turn[0].seconds[k];
		s = meter_spread(x, rounds);
		printf("%-24s %10.2f %10.3f %10.1e ", c[i].name, ms,
		       (double)p->n * (double)p->n / ms / 1e6, c[i].error);
		printf("%8.3f  %.3f to %.3f\n", s.median, s.least, s.most);
	}
	printf("%zu rounds, %zu of them on a machine slower than it was at its best\n", rounds,
	       forced);
	fflush(stdout);
}

static void run(struct clopt *ctx, enum pairs_kind kind, size_t points, size_t wanted)
{
	const struct meter_rules rules = { .rounds = wanted, .seconds = HUGE_VAL, .calibrate = 1 };
	struct candidate *c = must(calloc(4, sizeof *c));
	struct meter_turn *turn = must(calloc(4, sizeof *turn));
	struct pairs p = { .n = 0 };
	size_t i, k, n, rounds, forced;

	make(&p, kind, (points + PAIRS_TILE - 1) / PAIRS_TILE * PAIRS_TILE);
	n = gather(c, &p, ctx);
	for (i = 0; i < n; i++) {
		c[i].ctx = ctx;
		c[i].p = &p;
		turn[i].run = once;
		turn[i].what = &c[i];
		memset(p.out, 0, 4 * p.n * sizeof *p.out);
		once(&c[i]); /* compiles */
		for (k = 0; k < SAMPLES; k++)
			c[i].error = fmax(c[i].error, off_by(&p, p.n * k / SAMPLES));
	}
	rounds = meter_turns(turn, n, &rules, &forced);
	report(c, turn, n, &p, rounds, forced);
	drop(&p);
	free(c);
	free(turn);
}

int main(int argc, char **argv)
{
	const unsigned long points = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	const unsigned long rounds = argc > 2 ? strtoul(argv[2], NULL, 10) : 7;
	struct clopt_options options = CLOPT_OPTIONS_INIT;
	struct clopt_device_info info = { .size = sizeof info };
	struct clopt *ctx;

	if (argc > 3 || rounds < 1 || rounds > METER_MOST) {
		fprintf(stderr, "usage: pairs [points [rounds, 1 to %d]]\n", METER_MOST);
		return 2;
	}
	options.device = "cpu";
	options.profile = 1;
	options.queues = 1;
	if (clopt_open(&ctx, &options) != CLOPT_OK || clopt_device_get(ctx, &info) != CLOPT_OK) {
		fprintf(stderr, "pairs: %s\n", clopt_error(NULL));
		return 1;
	}
	printf("%s, %ld processors\n", info.name, sysconf(_SC_NPROCESSORS_ONLN));
	run(ctx, PAIRS_COULOMB, points ? points : 20480, rounds);
	run(ctx, PAIRS_SALT, points ? points : 20480, rounds);
	run(ctx, PAIRS_GRAVITY, points ? points : 16384, rounds);
	clopt_close(ctx);
	return 0;
}
