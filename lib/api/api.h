/* SPDX-License-Identifier: MIT */
/*
 * api.h - routines that compute or answer: they check arguments, describe jobs, answer questions.
 * Those of handles (buffers, trees, started calls, devices) are in the rooms of these.
 */
#ifndef CLOPT_API_API_H
#define CLOPT_API_API_H

#include "../several/several.h"

/* ---- submit.c: how a routine is called: on the caller's arrays (at once, or by the context's
 * thread) or on buffers */
struct form {
	const char *routine; /* the routine that starts a call, for its message; NULL: no start */
	struct clopt_call **call;
	int buffers;
	const struct clopt_order *order;
};
struct form clopt__at_once(void);
struct form clopt__async(const char *routine, struct clopt_call **call); /* sets *call to NULL */
struct form clopt__on_buffers(const struct clopt_order *order); /* sets its event to NULL */
/* array: host memory, or a struct clopt_buffer. */
struct operand clopt__operand(struct form form, const void *array, size_t ld, unsigned use);
/* What runs the parts of a job with this tolerance; in_group: other processes take part. */
const struct runners *clopt__runners(const struct clopt *ctx, const struct tolerance *t,
                                     int in_group);
int clopt__submit(struct clopt *ctx, struct job *job, struct form form);

/* plan.c: clopt_plan for a checked problem.  The context is locked, plan->dry is set, and the rest
 * of the plan is zero. */
int clopt__plan(struct clopt *ctx, const struct clopt_problem *p, struct clopt_plan_info *plan);

/* nbody.c: check numbers that kernels get in float64 (wide) or float32. */
int clopt__check_gravity(const struct clopt *ctx, int wide, double g, double softening);

/* ---- group.c: other processes that take part in a call */
/* Fill in the job's group. alone: refuse a group. */
int clopt__group_read(const struct clopt *ctx, const struct clopt_group *group, int alone,
                      struct job *j);
/* Fill in the group of moving bodies, by their options. */
int clopt__group_read_bodies(const struct clopt *ctx, struct evolution *e);

/* tree.c: read the tolerance of options. alone: refuse one. */
int clopt__tree_read(const struct clopt *ctx, double tolerance, double theta, unsigned order,
                     unsigned reserved, int alone, struct tolerance *t);
/* Let the job sum over the sources of a tree, at its targets (NULL: the sources). tree NULL: the
 * job keeps its sources. */
int clopt__tree_operands(const struct clopt *ctx, struct clopt_tree *tree, struct form form,
                         const void *targets, struct job *j);

/* points.c: sources, targets and results in the caller's layout.  A place is one number of all
 * points. */
#define MOST_RESULTS 7
struct place {
	void *at; /* of the first point; NULL: not given or not wanted */
	size_t bytes, stride_bytes;
};
struct cloud {
	const char *name;
	size_t n;
	struct place place[7]; /* x, y, z, w and the velocity */
};
struct points {
	int gravity; /* 0: the potential */
	int outputs; /* enum clopt_outputs, by the wanted results */
	struct cloud cloud[2]; /* sources and targets */
	struct place result[MOST_RESULTS]; /* in the kernels' order */
};
/* Read the structs into *p, whose `gravity` is set.  *precision: its default is replaced. */
int clopt__points_read(const struct clopt *ctx, const struct clopt_points *sources,
                       const struct clopt_points *targets, const struct clopt_results *results,
                       int *precision, struct points *p);
/* Run the job, which lacks points and results. */
int clopt__points_run(struct clopt *ctx, const struct points *p, struct job *job);

#endif
