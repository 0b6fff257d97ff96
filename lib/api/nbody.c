/* SPDX-License-Identifier: MIT */
/*
 * nbody.c - gravity, and leapfrog steps under it.  A band is some targets.  All bands share the
 * sources.
 */
#include <float.h>
#include <math.h>

#include "api.h"

/* Read g and the softening into real[0] and real[1], the rest into problem, group and tree. */
static int read_options(struct clopt *ctx, const struct clopt_nbody_options *options, double *real,
                        struct clopt_problem *problem, const struct clopt_group **group,
                        int buffers, struct tolerance *tree)
{
	struct clopt_nbody_options o = CLOPT_NBODY_OPTIONS_INIT;
	int rc = CLOPT_OK;

	TRY(clopt__sized_read(ctx, "clopt_nbody_options", options, &o, sizeof o));
	TRY(clopt__check_number(ctx, "clopt_nbody_options.reserved", o.reserved, 0, 0));
	TRY(clopt__check_number(ctx, "clopt_nbody_options.target_softening", o.target_softening, 0,
	                        1));
	TRY(clopt__check_number(ctx, "clopt_nbody_options.potential", o.potential, 0, 1));
	TRY(clopt__check_number(ctx, "precision", o.precision, 0, CLOPT_PRECISION_BEST));
	TRY(clopt__tree_read(ctx, o.tolerance, o.theta, o.order, o.tree_reserved, buffers, tree));
	real[0] = o.g != 0 ? o.g : 1;
	real[1] = o.softening;
	problem->law = o.target_softening ? CLOPT_LAW_GRAVITY_OWN : CLOPT_LAW_GRAVITY;
	problem->outputs = o.potential ? CLOPT_OUTPUTS_FIELD_PHI : CLOPT_OUTPUTS_FIELD;
	problem->precision = o.precision;
	*group = o.group;
out:
	return rc;
}

int clopt__check_gravity(const struct clopt *ctx, int wide, double g, double softening)
{
	const double least = wide ? DBL_MIN : (double)FLT_MIN,
	             most = wide ? DBL_MAX : (double)FLT_MAX;
	int rc = CLOPT_OK;

	TRY(clopt__check_real(ctx, "g", g, least, most));
	/* Kernels use its square. */
	TRY(clopt__check_real(ctx, "softening", softening, sqrt(least), sqrt(most)));
	if (softening < 0)
		rc = clopt__fail(ctx, CLOPT_EINVAL, "softening is %g: it must be 0 or positive",
		                 softening);
out:
	return rc;
}

/* Check g and the softening, once the precision is known, and square the softening. */
static int check_numbers(struct clopt *ctx, int precision, double *real)
{
	const int wide = precision == CLOPT_PRECISION_DOUBLE ||
	                 (precision == CLOPT_PRECISION_BEST && ctx && ctx->device.traits & T_FP64);
	const int rc = clopt__check_gravity(ctx, wide, real[0], real[1]);

	real[1] *= real[1];
	return rc;
}

/* Gravity is Coulomb's law with the constant -g. */
static void set_law(struct job *j, const double *g)
{
	j->real[REAL_SCALE] = -g[0];
	j->real[REAL_SOFTENING2] = g[1];
	clopt__law_low_parts(j->problem.law, j->real);
}

/* tree: replaces the sources; or NULL. */
static int nbody(struct clopt *ctx, struct clopt_tree *tree, size_t nsources, const void *sources,
                 size_t ntargets, const void *targets, const void *acc,
                 const struct clopt_nbody_options *options, struct form form)
{
	struct job j = {
		.problem = { .size = sizeof j.problem,
		             .op = CLOPT_OP_NBODY,
		             .dim = { nsources, ntargets, 0 } },
		.operand = { clopt__operand(form, sources, 4, OPERAND_IN),
		             { .ld = 1 },
		             clopt__operand(form, targets, 4, OPERAND_IN),
		             { .ld = 4 },
		             clopt__operand(form, acc, 4, OPERAND_OUT) },
	};
	const struct clopt_group *group;
	double g[2];
	int rc = CLOPT_OK;

	clopt__doing(clopt__words("clopt_nbody"));
	TRY(read_options(ctx, options, g, &j.problem, &group, form.buffers && !tree, &j.tree));
	TRY(check_numbers(ctx, j.problem.precision, g));
	TRY(clopt__group_read(ctx, group, form.buffers || tree, &j));
	TRY(clopt__tree_operands(ctx, tree, form, targets, &j));
	set_law(&j, g);
out:
	clopt__done();
	return rc == CLOPT_OK ? clopt__submit(ctx, &j, form) : rc;
}

int clopt_gravity(struct clopt *ctx, const struct clopt_points *sources,
                  const struct clopt_points *targets, const struct clopt_results *results,
                  const struct clopt_nbody_options *options)
{
	struct job j = {
		.problem = { .size = sizeof j.problem, .op = CLOPT_OP_NBODY },
		.operand = { { .use = OPERAND_IN },
		             { .ld = 1 },
		             { .use = OPERAND_IN },
		             { .ld = 4 },
		             { .use = OPERAND_OUT } },
	};
	struct points p = { .gravity = 1 };
	const struct clopt_group *group;
	double g[2];
	int rc = CLOPT_OK;

	clopt__doing(clopt__words("clopt_gravity"));
	TRY(read_options(ctx, options, g, &j.problem, &group, 0, &j.tree));
	TRY(clopt__points_read(ctx, sources, targets, results, &j.problem.precision, &p));
	TRY(check_numbers(ctx, j.problem.precision, g));
	TRY(clopt__group_read(ctx, group, 1, &j));
	set_law(&j, g);
	j.problem.outputs = p.outputs;
	j.problem.dim[0] = p.cloud[0].n;
	j.problem.dim[1] = p.cloud[1].n;
	rc = clopt__points_run(ctx, &p, &j);
out:
	clopt__done();
	return rc;
}

static int leapfrog(struct clopt *ctx, size_t n, const void *bodies, const void *velocities,
                    double dt, size_t steps, const struct clopt_nbody_options *options,
                    struct form form)
{
	struct job j = {
		.problem = { .size = sizeof j.problem,
		             .op = CLOPT_OP_LEAPFROG,
		             .dim = { n, 0, 0 } },
		.real = { dt },
		.steps = steps,
		.idle = steps == 0,
		.run = clopt__leapfrog,
		/* The device alone has the accelerations. */
		.operand = { clopt__operand(form, bodies, 4, OPERAND_IN | OPERAND_OUT),
		             clopt__operand(form, velocities, 4, OPERAND_IN | OPERAND_OUT) },
	};
	struct clopt_problem gravity = { 0 };
	const struct clopt_group *group;
	char text[ENUM_SIZE];
	int rc = CLOPT_OK;

	clopt__doing(clopt__words("clopt_nbody_leapfrog"));
	TRY(clopt__check_real(ctx, "dt", dt, FLT_MIN, FLT_MAX));
	TRY(clopt__check_size(ctx, "steps", steps));
	TRY(read_options(ctx, options, j.real + 1, &gravity, &group, form.buffers, &j.tree));
	TRY(check_numbers(ctx, CLOPT_PRECISION_FLOAT, j.real + 1));
	gravity.precision = gravity.precision ? gravity.precision : CLOPT_PRECISION_FLOAT;
	if (gravity.precision != CLOPT_PRECISION_FLOAT)
		TRY(clopt__fail(ctx, CLOPT_EINVAL,
		                "precision is %s: it must be CLOPT_PRECISION_FLOAT; "
		                "clopt_nbody_evolve has others",
		                clopt__precision_text(text, gravity.precision)));
	if (gravity.law == CLOPT_LAW_GRAVITY_OWN)
		TRY(clopt__fail(ctx, CLOPT_EINVAL,
		                "target_softening is 1: it must be 0, as all bodies that move have "
		                "one softening"));
	rc = clopt__group_read(ctx, group, 1, &j);
out:
	clopt__done();
	return rc == CLOPT_OK ? clopt__submit(ctx, &j, form) : rc;
}

int clopt_nbody(struct clopt *ctx, size_t nsources, const float *sources, size_t ntargets,
                const float *targets, float *acc, const struct clopt_nbody_options *options)
{
	return nbody(ctx, NULL, nsources, sources, ntargets, targets, acc, options,
	             clopt__at_once());
}

int clopt_nbody_start(struct clopt *ctx, size_t nsources, const float *sources, size_t ntargets,
                      const float *targets, float *acc, const struct clopt_nbody_options *options,
                      struct clopt_call **call)
{
	return nbody(ctx, NULL, nsources, sources, ntargets, targets, acc, options,
	             clopt__async(__func__, call));
}

int clopt_nbody_buffers(struct clopt *ctx, size_t nsources, const struct clopt_buffer *sources,
                        size_t ntargets, const struct clopt_buffer *targets,
                        struct clopt_buffer *acc, const struct clopt_nbody_options *options,
                        const struct clopt_order *order)
{
	return nbody(ctx, NULL, nsources, sources, ntargets, targets, acc, options,
	             clopt__on_buffers(order));
}

int clopt_tree_nbody(struct clopt_tree *tree, size_t ntargets, const float *targets, float *acc,
                     const struct clopt_nbody_options *options)
{
	if (!tree)
		return clopt__fail(NULL, CLOPT_EINVAL, "clopt_tree_nbody: tree is NULL");
	return nbody(tree->ctx, tree, 0, NULL, ntargets, targets, acc, options, clopt__at_once());
}

int clopt_tree_nbody_buffers(struct clopt_tree *tree, size_t ntargets,
                             const struct clopt_buffer *targets, struct clopt_buffer *acc,
                             const struct clopt_nbody_options *options,
                             const struct clopt_order *order)
{
	const struct form form = clopt__on_buffers(order);

	if (!tree)
		return clopt__fail(NULL, CLOPT_EINVAL, "clopt_tree_nbody_buffers: tree is NULL");
	return nbody(tree->ctx, tree, 0, NULL, ntargets, targets, acc, options, form);
}

int clopt_nbody_leapfrog(struct clopt *ctx, size_t n, float *bodies, float *velocities, double dt,
                         size_t steps, const struct clopt_nbody_options *options)
{
	return leapfrog(ctx, n, bodies, velocities, dt, steps, options, clopt__at_once());
}

int clopt_nbody_leapfrog_start(struct clopt *ctx, size_t n, float *bodies, float *velocities,
                               double dt, size_t steps, const struct clopt_nbody_options *options,
                               struct clopt_call **call)
{
	return leapfrog(ctx, n, bodies, velocities, dt, steps, options,
	                clopt__async(__func__, call));
}

int clopt_nbody_leapfrog_buffers(struct clopt *ctx, size_t n, struct clopt_buffer *bodies,
                                 struct clopt_buffer *velocities, double dt, size_t steps,
                                 const struct clopt_nbody_options *options,
                                 const struct clopt_order *order)
{
	return leapfrog(ctx, n, bodies, velocities, dt, steps, options, clopt__on_buffers(order));
}
