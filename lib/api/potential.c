/* SPDX-License-Identifier: MIT */
/*
 * potential.c - the potential of charges at points.
 *
 * A band is some targets; the sources are shared by all bands.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "api.h"

/* A pair operation's optional array. */
static struct operand optional(const float *host, const struct clopt_buffer *buffer,
                               const struct form *form, size_t columns)
{
	struct operand none = { 0 };

	none.ld = columns;
	if (form->buffers ? buffer != NULL : host != NULL)
		return form->buffers ? clopt__buffer_operand(buffer, columns, OPERAND_IN) :
		                       clopt__host_operand(host, columns, OPERAND_IN);
	return none;
}

/* The charge for the formulas: the given one, or 1 if the sources will be added up, after they have
 * been checked.  *wanted: whether they will. */
static int read_charge(const struct clopt *ctx, const struct clopt_potential_options *o, size_t n,
                       int on_buffers, int *wanted, double *charge)
{
	*wanted = n && !o->charge && clopt__physics_charged(o);
	*charge = o->charge ? *o->charge : n ? 1 : 0;
	if (*wanted && on_buffers)
		return clopt__fail(
		        ctx, CLOPT_EINVAL,
		        "charge is NULL: on buffers CLOPT_ALPB has to be told the sum of "
		        "the charges");
	if (clopt__physics_charged(o) && !(fabs(*charge) <= FLT_MAX))
		return clopt__fail(ctx, CLOPT_EINVAL, "charge is %g", *charge);
	return CLOPT_OK;
}

static int potential(struct clopt *ctx, size_t nsources, struct operand sources, size_t ntargets,
                     struct operand targets, struct operand phi,
                     const struct clopt_potential_options *options, struct form form)
{
	static const size_t columns[] = { 1, 2, 4, 4 };
	struct clopt_potential_options o = CLOPT_POTENTIAL_OPTIONS_INIT;
	struct job j = { .problem = { .size = sizeof j.problem,
		                      .op = CLOPT_POTENTIAL,
		                      .dim = { nsources, ntargets, 0 } } };
	double charge;
	int rc = CLOPT_OK;

	clopt__doing(clopt__words("clopt_potential"));
	if (options) {
		TRY(clopt__check_options(ctx, "clopt_potential_options", options->size, sizeof o));
		memcpy(&o, options, options->size);
	}
	j.operand[0] = sources;
	j.operand[1] = optional(o.depths, o.depths_buffer, &form, 1);
	j.operand[2] = targets;
	j.operand[3] = optional(o.normals, o.normals_buffer, &form, 4);
	j.operand[4] = phi;
	j.problem.depths = j.operand[1].use != 0;
	j.problem.normals = j.operand[3].use != 0;
	TRY(read_charge(ctx, &o, nsources, form.buffers, &j.per_charge, &charge));
	TRY(clopt__physics(ctx, &o, charge, &j.problem, j.real));
	if (!j.problem.depths)
		j.operand[1] = optional(NULL, NULL, &form, 1);
	j.operand[4].ld = columns[o.outputs];
	clopt__done();
	return clopt__submit(ctx, &j, &form);
out:
	clopt__done();
	return rc;
}

int clopt_potential(struct clopt *ctx, size_t nsources, const float *sources, size_t ntargets,
                    const float *targets, float *phi, const struct clopt_potential_options *options)
{
	return potential(ctx, nsources, clopt__host_operand(sources, 4, OPERAND_IN), ntargets,
	                 clopt__host_operand(targets, 4, OPERAND_IN),
	                 clopt__host_operand(phi, 1, OPERAND_OUT), options, clopt__at_once());
}

int clopt_potential_start(struct clopt *ctx, size_t nsources, const float *sources, size_t ntargets,
                          const float *targets, float *phi,
                          const struct clopt_potential_options *options, struct clopt_call **call)
{
	if (!call)
		return clopt__no_call(ctx, "clopt_potential_start");
	return potential(ctx, nsources, clopt__host_operand(sources, 4, OPERAND_IN), ntargets,
	                 clopt__host_operand(targets, 4, OPERAND_IN),
	                 clopt__host_operand(phi, 1, OPERAND_OUT), options, clopt__async(call));
}

int clopt_potential_buffers(struct clopt *ctx, size_t nsources, const struct clopt_buffer *sources,
                            size_t ntargets, const struct clopt_buffer *targets,
                            struct clopt_buffer *phi, const struct clopt_potential_options *options,
                            const struct clopt_order *order)
{
	return potential(ctx, nsources, clopt__buffer_operand(sources, 4, OPERAND_IN), ntargets,
	                 clopt__buffer_operand(targets, 4, OPERAND_IN),
	                 clopt__buffer_operand(phi, 1, OPERAND_OUT), options,
	                 clopt__on_buffers(order));
}
