/* SPDX-License-Identifier: MIT */
/*
 * api.h - routines of the public header: they check arguments, describe jobs, answer questions.
 */
#ifndef CLOPT_API_API_H
#define CLOPT_API_API_H

#include "../several/several.h"

/* ---- submit.c: how a routine is called: on the caller's arrays (at once, or by the context's
 * thread) or on buffers */
struct form {
	const char *routine; /* that starts a call, for its failure; NULL: not started */
	struct clopt_call **call;
	int buffers;
	const struct clopt_order *order;
};
struct form clopt__at_once(void);
struct form clopt__async(const char *routine, struct clopt_call **call); /* *call becomes NULL */
struct form clopt__on_buffers(const struct clopt_order *order); /* its event becomes NULL */
/* array: host memory, or a struct clopt_buffer. */
struct operand clopt__operand(struct form form, const void *array, size_t ld, unsigned use);
/* What runs the parts of a job with this tolerance; in_group: other processes take part. */
const struct runners *clopt__runners(const struct clopt *ctx, const struct tolerance *t,
                                     int in_group);
int clopt__submit(struct clopt *ctx, const struct job *described, struct form form);

/* plan.c: clopt_plan for a problem that has been read, with the context locked.  plan->dry is set;
 * the rest is zero. */
int clopt__plan(struct clopt *ctx, const struct clopt_problem *p, struct clopt_plan_info *plan);

/* ---- group.c: other processes that take part in a call */
/* Fill in the job's group; alone: the call cannot have one. */
int clopt__group_read(const struct clopt *ctx, const struct clopt_group *group, int alone,
                      struct job *j);
/* The group of bodies that move, by their options. */
int clopt__group_read_bodies(const struct clopt *ctx, struct evolution *e);

/* tree.c: the tolerance of options; alone: the call cannot have one. */
int clopt__tree_read(const struct clopt *ctx, double tolerance, double theta, unsigned order,
                     unsigned reserved, int alone, struct tolerance *t);
/* Have the job sum over the sources of a tree, at its targets (NULL: these sources); tree NULL: it
 * has sources of its own. */
int clopt__tree_operands(const struct clopt *ctx, struct clopt_tree *tree, struct form form,
                         const void *targets, struct job *j);

/* points.c: sources, targets and results of the caller's layout.  A place is one number of each
 * point. */
#define MOST_RESULTS 7
struct place {
	void *at; /* of the first; NULL: there is none, or it is not wanted */
	size_t bytes, stride_bytes;
};
struct cloud {
	const char *name;
	size_t n;
	struct place place[7]; /* x, y, z, w and the velocity */
};
struct points {
	int gravity; /* else the potential */
	int outputs; /* enum clopt_outputs: what the results ask for */
	struct cloud cloud[2]; /* sources and targets */
	struct place result[MOST_RESULTS]; /* as kernels order them */
};
/* Reads the structs into *p, whose `gravity` is set; *precision gets its default. */
int clopt__points_read(const struct clopt *ctx, const struct clopt_points *sources,
                       const struct clopt_points *targets, const struct clopt_results *results,
                       int *precision, struct points *p);
/* Run the job, which lacks its points and results. */
int clopt__points_run(struct clopt *ctx, const struct points *p, struct job *job);

#endif
