/* SPDX-License-Identifier: MIT */
/*
 * potential.c - the potential of charges at points.  A band is some targets.  All bands share the
 * sources.
 */
#include <float.h>
#include <math.h>

#include "api.h"

/* An optional array of the options, in host memory or a buffer. */
static struct operand optional(struct form form, const float *host,
                               const struct clopt_buffer *buffer, size_t columns)
{
	const void *array = form.buffers ? (const void *)buffer : host;

	return clopt__operand(form, array, columns, array ? OPERAND_IN : 0);
}

/* The charge for the formulas: the given one, or 1 if the sources are added up later, after their
 * check.  *wanted: whether they are. */
static int read_charge(const struct clopt *ctx, const struct clopt_potential_options *o, size_t n,
                       int on_buffers, int *wanted, double *charge)
{
	*wanted = n && !o->charge && clopt__law_is_alpb(o);
	*charge = o->charge ? *o->charge : n ? 1 : 0;
	if (*wanted && on_buffers)
		return clopt__fail(ctx, CLOPT_EINVAL,
		                   "charge is NULL: CLOPT_LAW_ALPB on buffers needs the sum of all "
		                   "charges there");
	if (clopt__law_is_alpb(o) && !(fabs(*charge) <= FLT_MAX))
		return clopt__fail(ctx, CLOPT_EINVAL, "charge is %g: it must be a finite float32",
		                   *charge);
	return CLOPT_OK;
}

/* Read the law, its constants, and the arrays of the options. */
static int read_law(struct clopt *ctx, struct clopt_potential_options *o, struct form form,
                    const struct clopt_tree *tree, struct job *j)
{
	double charge;
	int rc = CLOPT_OK;

	TRY(clopt__check_number(ctx, "clopt_potential_options.reserved", o->reserved, 0, 0));
	TRY(clopt__check_number(ctx, "clopt_potential_options.gem_compat", o->gem_compat, 0, 1));
	TRY(clopt__tree_read(ctx, o->tolerance, o->theta, o->order, o->tree_reserved,
	                     form.buffers && !tree, &j->tree));
	clopt__potential_defaults(o);
	j->operand[1] = optional(form, o->depths, o->depths_buffer, 1);
	j->operand[3] = optional(form, o->normals, o->normals_buffer, 4);
	j->problem.depths = j->operand[1].use != 0;
	j->problem.normals = j->operand[3].use != 0;
	/* Check ranges before reading *charge. */
	TRY(clopt__law_check(ctx, o, j->problem.normals));
	TRY(read_charge(ctx, o, j->problem.dim[0], form.buffers, &j->per_charge, &charge));
	TRY(clopt__law_reals(ctx, o, charge, &j->problem, j->real));
	if (!j->problem.depths)
		j->operand[1] = optional(form, NULL, NULL, 1);
out:
	return rc;
}

/* tree: replaces the sources; or NULL. */
static int potential(struct clopt *ctx, struct clopt_tree *tree, size_t nsources,
                     const void *sources, size_t ntargets, const void *targets, const void *phi,
                     const struct clopt_potential_options *options, struct form form)
{
	struct clopt_potential_options o = CLOPT_POTENTIAL_OPTIONS_INIT;
	struct job j = { .problem = { .size = sizeof j.problem,
		                      .op = CLOPT_OP_POTENTIAL,
		                      .dim = { nsources, ntargets, 0 } } };
	int rc = CLOPT_OK;

	clopt__doing(clopt__words("clopt_potential"));
	TRY(clopt__sized_read(ctx, "clopt_potential_options", options, &o, sizeof o));
	j.operand[0] = clopt__operand(form, sources, 4, OPERAND_IN);
	j.operand[2] = clopt__operand(form, targets, 4, OPERAND_IN);
	TRY(clopt__tree_operands(ctx, tree, form, targets, &j));
	if (tree && !o.charge)
		o.charge = &tree->charge;
	TRY(read_law(ctx, &o, form, tree, &j));
	TRY(clopt__group_read(ctx, o.group, form.buffers || tree, &j));
	if (tree && j.problem.depths)
		TRY(clopt__fail(ctx, CLOPT_EINVAL,
		                "depths is given: sums by a clopt_tree do not take it"));
	j.operand[4] = clopt__operand(form, phi, 0, OPERAND_OUT);
	clopt__problem_operand(&j.problem, 4, &j.operand[4]);
	j.operand[4].ld = j.operand[4].columns;
out:
	clopt__done();
	return rc == CLOPT_OK ? clopt__submit(ctx, &j, form) : rc;
}

int clopt_potential_points(struct clopt *ctx, const struct clopt_points *sources,
                           const struct clopt_points *targets, const struct clopt_results *results,
                           const struct clopt_potential_options *options)
{
	const struct form form = clopt__at_once();
	struct clopt_potential_options o = CLOPT_POTENTIAL_OPTIONS_INIT;
	struct job j = { .problem = { .size = sizeof j.problem, .op = CLOPT_OP_POTENTIAL },
		         .operand = { { .use = OPERAND_IN },
		                      { 0 },
		                      { .use = OPERAND_IN },
		                      { 0 },
		                      { .use = OPERAND_OUT } } };
	struct points p = { .gravity = 0 };
	int rc = CLOPT_OK;

	clopt__doing(clopt__words("clopt_potential_points"));
	TRY(clopt__sized_read(ctx, "clopt_potential_options", options, &o, sizeof o));
	TRY(clopt__points_read(ctx, sources, targets, results, &o.precision, &p));
	o.outputs = p.outputs;
	j.problem.dim[0] = p.cloud[0].n;
	j.problem.dim[1] = p.cloud[1].n;
	TRY(read_law(ctx, &o, form, NULL, &j));
	TRY(clopt__group_read(ctx, o.group, 1, &j));
	rc = clopt__points_run(ctx, &p, &j);
out:
	clopt__done();
	return rc;
}

int clopt_potential(struct clopt *ctx, size_t nsources, const float *sources, size_t ntargets,
                    const float *targets, float *phi, const struct clopt_potential_options *options)
{
	return potential(ctx, NULL, nsources, sources, ntargets, targets, phi, options,
	                 clopt__at_once());
}

int clopt_potential_start(struct clopt *ctx, size_t nsources, const float *sources, size_t ntargets,
                          const float *targets, float *phi,
                          const struct clopt_potential_options *options, struct clopt_call **call)
{
	return potential(ctx, NULL, nsources, sources, ntargets, targets, phi, options,
	                 clopt__async(__func__, call));
}

int clopt_potential_buffers(struct clopt *ctx, size_t nsources, const struct clopt_buffer *sources,
                            size_t ntargets, const struct clopt_buffer *targets,
                            struct clopt_buffer *phi, const struct clopt_potential_options *options,
                            const struct clopt_order *order)
{
	return potential(ctx, NULL, nsources, sources, ntargets, targets, phi, options,
	                 clopt__on_buffers(order));
}

int clopt_tree_potential(struct clopt_tree *tree, size_t ntargets, const float *targets, float *phi,
                         const struct clopt_potential_options *options)
{
	if (!tree)
		return clopt__fail(NULL, CLOPT_EINVAL, "clopt_tree_potential: tree is NULL");
	return potential(tree->ctx, tree, 0, NULL, ntargets, targets, phi, options,
	                 clopt__at_once());
}

int clopt_tree_potential_buffers(struct clopt_tree *tree, size_t ntargets,
                                 const struct clopt_buffer *targets, struct clopt_buffer *phi,
                                 const struct clopt_potential_options *options,
                                 const struct clopt_order *order)
{
	const struct form form = clopt__on_buffers(order);

	if (!tree)
		return clopt__fail(NULL, CLOPT_EINVAL,
		                   "clopt_tree_potential_buffers: tree is NULL");
	return potential(tree->ctx, tree, 0, NULL, ntargets, targets, phi, options, form);
}
