/* SPDX-License-Identifier: MIT */
/*
 * study_problem.c - what the kernels of a study compute, and whether they do.
 *
 * The molecule is a ball of point charges as dense as a protein's atoms, and its
 * surface a sphere of evenly spread vertices: distances are spread as in a
 * molecule, and no file is needed.  ALPB with salt is what has most to it.
 */
#include "study.h"

#include <math.h>
#include <stdlib.h>

#include "cases_op.h"

enum {
	SAMPLES = 64,
	SEED = 1
};

static const double pi = 3.14159265358979323846;

/* A cube's point that lies in the ball of radius 1. */
static void in_ball(struct rng *r, double *x)
{
	double square;
	int d;

	do {
		square = 0.0;
		for (d = 0; d < 3; d++) {
			x[d] = 2.0 * case_uniform(r) - 1.0;
			square += x[d] * x[d];
		}
	} while (square > 1.0);
}

/* On a spiral from pole to pole: equal areas for each. */
static void on_sphere(size_t i, size_t n, double *x)
{
	const double z = 1.0 - (2.0 * (double)i + 1.0) / (double)n;
	const double turn = pi * (3.0 - sqrt(5.0)) * (double)i, rim = sqrt(1.0 - z * z);

	x[0] = rim * cos(turn);
	x[1] = rim * sin(turn);
	x[2] = z;
}

/* In Angstrom and e: 0.1 atoms in a cubic Angstrom, the outermost 1.5 below the
 * surface. */
static void make_molecule(struct study_problem *p)
{
	const double radius = cbrt((double)p->nsources / (0.1 * 4.0 / 3.0 * pi)) + 1.5;
	struct clopt_potential_options o = CLOPT_POTENTIAL_OPTIONS_INIT;
	struct rng r = { SEED };
	double x[3];
	size_t i;
	int d;

	for (i = 0; i < p->nsources; i++) {
		in_ball(&r, x);
		for (d = 0; d < 3; d++)
			p->sources[4 * i + (size_t)d] = (float)((radius - 1.5) * x[d]);
		p->sources[4 * i + 3] = (float)(case_uniform(&r) - 0.5);
	}
	for (i = 0; i < p->ntargets; i++) {
		on_sphere(i, p->ntargets, x);
		for (d = 0; d < 3; d++) {
			p->targets[4 * i + (size_t)d] = (float)(radius * x[d]);
			p->normals[4 * i + (size_t)d] = (float)x[d];
		}
		p->targets[4 * i + 3] = p->normals[4 * i + 3] = 0.0f;
	}
	o.mode = CLOPT_ALPB;
	o.scale = 332.06371;
	o.kappa = 0.1;
	o.radius = radius;
	o.normals = p->normals;
	p->potential = o;
}

static void make_bodies(struct study_problem *p)
{
	struct clopt_nbody_options o = CLOPT_NBODY_OPTIONS_INIT;
	struct rng r = { SEED };
	double x[3];
	size_t i;
	int d;

	for (i = 0; i < p->nsources; i++) {
		in_ball(&r, x);
		for (d = 0; d < 3; d++)
			p->sources[4 * i + (size_t)d] = (float)x[d];
		p->sources[4 * i + 3] = (float)(1.0 / (double)p->nsources);
	}
	o.softening = 0.01;
	p->nbody = o;
}

int study_problem_open(struct study_problem *p, int op, enum case_extent extent, size_t size)
{
	static const size_t sizes[] = { [CASE_SMALL] = 128, [CASE_CPU] = 4096, [CASE_GPU] = 32768 };
	const size_t n = size ? size : sizes[extent], bytes = 4 * sizeof(float);

	if (op == CLOPT_MATMUL)
		return study_matmul_open(p, extent, size);
	if (op == CLOPT_TRANSPOSE)
		return study_transpose_open(p, extent, size);
	*p = (struct study_problem){ .op = op, .nsources = n, .ntargets = n };
	p->sources = calloc(n, bytes);
	p->targets = op == CLOPT_NBODY ? p->sources : calloc(n, bytes);
	p->normals = calloc(n, bytes);
	p->out = calloc(n, bytes);
	if (!p->sources || !p->targets || !p->normals || !p->out) {
		fprintf(stderr, "clopt: not enough memory for this problem; try --size\n");
		return 1;
	}
	if (op == CLOPT_NBODY)
		make_bodies(p);
	else
		make_molecule(p);
	return 0;
}

void study_problem_close(struct study_problem *p)
{
	if (p->targets != p->sources)
		free(p->targets);
	free(p->sources);
	free(p->normals);
	free(p->out);
	free(p->a);
	free(p->b);
}

void study_problem_describe(const struct study_problem *p, char *text, size_t size)
{
	if (p->op == CLOPT_MATMUL)
		snprintf(text, size, "A is %zu x %zu, C %zu x %zu", p->m, p->k, p->m, p->m);
	else if (p->op == CLOPT_TRANSPOSE)
		snprintf(text, size, "%zu x %zu of 4 bytes", p->m, p->m);
	else if (p->op == CLOPT_NBODY)
		snprintf(text, size, "%zu bodies, accelerations", p->nsources);
	else
		snprintf(text, size, "%zu charges x %zu vertices, ALPB with 0.1 mol/l of salt",
		         p->nsources, p->ntargets);
}

void study_problem_ask(const struct study_problem *p, struct clopt_problem *problem)
{
	if (p->op == CLOPT_MATMUL) {
		study_matmul_ask(p, problem);
		return;
	}
	if (p->op == CLOPT_TRANSPOSE) {
		study_transpose_ask(p, problem);
		return;
	}
	*problem = (struct clopt_problem){ .size = sizeof *problem, .op = p->op };
	problem->dim[0] = p->nsources;
	problem->dim[1] = p->ntargets;
	problem->law = p->op == CLOPT_NBODY ? CLOPT_LAW_GRAVITY : CLOPT_LAW_ALPB_SALT;
	problem->normals = p->op == CLOPT_POTENTIAL;
}

int study_problem_call(struct clopt *ctx, struct study_problem *p)
{
	size_t i;

	if (p->op == CLOPT_MATMUL)
		return study_matmul_call(ctx, p);
	if (p->op == CLOPT_TRANSPOSE)
		return study_transpose_call(ctx, p);
	/* So that no result is another kernel's. */
	for (i = 0; i < 4 * p->ntargets; i++)
		p->out[i] = NAN;
	if (p->op == CLOPT_NBODY)
		return clopt_nbody(ctx, p->nsources, p->sources, p->ntargets, p->targets, p->out,
		                   &p->nbody);
	return clopt_potential(ctx, p->nsources, p->sources, p->ntargets, p->targets, p->out,
	                       &p->potential);
}

double study_problem_work(const struct study_problem *p)
{
	const double m = (double)p->m, k = (double)p->k;

	if (p->op == CLOPT_TRANSPOSE)
		return sizeof(float) * 2.0 * m * m;
	if (p->op != CLOPT_MATMUL)
		return (double)p->nsources * (double)p->ntargets;
	return sizeof(float) * (m * m + m * k * (p->part == 0 ? 2.0 : 1.0));
}

const char *study_problem_unit(int op)
{
	return op == CLOPT_MATMUL || op == CLOPT_TRANSPOSE ? "GB/s" : "Gpairs/s";
}

/* ---- The right answer ---------------------------------------------------------- */

/* As clopt.h has it, for projection 0; *terms gets the sum of the magnitudes. */
static double surface_potential(const struct study_problem *p, size_t i, double *terms)
{
	const struct clopt_potential_options *o = &p->potential;
	const double beta = o->eps_in / o->eps_out, length = 1.0 / o->kappa;
	const double c = o->scale / (o->eps_out * (1.0 + o->alpha * beta));
	const float *t = p->targets + 4 * i, *n = p->normals + 4 * i;
	double sum = 0.0, all = 0.0, charge = 0.0, once;
	size_t j;
	int d;

	for (j = 0; j < p->nsources; j++) {
		const float *s = p->sources + 4 * j;
		double bare = 0.0, foot = 0.0;

		for (d = 0; d < 3; d++) {
			const double x = (double)t[d] - (double)s[d],
			             y = x + o->ion_radius * (double)n[d];

			bare += x * x;
			foot += y * y;
		}
		sum += (double)s[3] * (1.0 / sqrt(bare) - 1.0 / (length + sqrt(foot)));
		all += fabs((double)s[3]) * (1.0 / sqrt(bare) + 1.0 / (length + sqrt(foot)));
		charge += (double)s[3];
	}
	once = o->alpha * (1.0 - beta) * charge *
	       (1.0 / o->radius - 1.0 / (length + o->radius + o->ion_radius));
	*terms = c * ((1.0 + o->alpha) * all + fabs(once));
	return c * ((1.0 + o->alpha) * sum - once);
}

/* The error of target i, not in units yet; *terms as above. */
static double off_by(const struct study_problem *p, size_t i, double *terms)
{
	const struct clopt_nbody_options *o = &p->nbody;
	double acc[3] = { 0.0 }, off = 0.0;
	size_t j;
	int d;

	if (p->op == CLOPT_POTENTIAL)
		return fabs((double)p->out[i] - surface_potential(p, i, terms));
	*terms = 0.0;
	for (j = 0; j < p->nsources; j++) {
		double x[3], square = o->softening * o->softening, f;

		for (d = 0; d < 3; d++) {
			x[d] = (double)p->sources[4 * j + (size_t)d] -
			       (double)p->targets[4 * i + (size_t)d];
			square += x[d] * x[d];
		}
		f = o->g * (double)p->sources[4 * j + 3] / (square * sqrt(square));
		for (d = 0; d < 3; d++) {
			acc[d] += f * x[d];
			*terms += fabs(f * x[d]);
		}
	}
	for (d = 0; d < 3; d++)
		off += fabs((double)p->out[4 * i + (size_t)d] - acc[d]);
	return off;
}

double study_problem_error(const struct study_problem *p)
{
	const double unit = pair_tolerance(TERM_GRAVITY, p->nsources);
	double terms, off, worst = 0.0;
	size_t k;

	if (p->op == CLOPT_MATMUL)
		return study_matmul_error(p);
	if (p->op == CLOPT_TRANSPOSE)
		return study_transpose_error(p);
	for (k = 0; k < SAMPLES; k++) {
		off = off_by(p, p->ntargets * k / SAMPLES, &terms);
		off = case_off(off, 0.0, unit * terms);
		worst = off > worst ? off : worst;
	}
	return worst;
}
