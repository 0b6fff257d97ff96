/* SPDX-License-Identifier: MIT */
/*
 * tree.h - sums over pairs within a tolerance, by a tree on the device.
 */
#ifndef CLOPT_TREE_TREE_H
#define CLOPT_TREE_TREE_H

#include "../bodies/bodies.h"

/* ---- build.c: a tree on the device; valid when zero */
struct tree {
	struct tree_shape shape;
	size_t targets, point_bytes;
	int precision;
	int own_targets; /* 0: the targets are the sources */
	int sorted, built; /* the sources are in order; their cells are made */
	size_t sorts; /* how often they were put in order */
	unsigned matrix_order; /* 0: there is no matrix */
	struct part box, keys, count, scan, scatter, leaves, inner, sum;
	const struct tree *like; /* with the rows of this one; NULL: with rows that are chosen */
	struct array points, boxes, group_boxes, key[2], order, other_order, target_order, counts,
	        pairs, matrix;
};
/* Targets of their own are put in order, and summed, so many at a time. */
#define TREE_BAND ((size_t)1 << 20)
/* Choose kernels and make room; also again, for other sums over the same sources, when what is of
 * use stays.  all: the problem as a sum over all pairs.  CLOPT_ENOMEM: it does not fit, beside
 * other arrays of so many bytes. */
int clopt__tree_open(struct clopt *ctx, const struct clopt_problem *all, unsigned order,
                     int own_targets, size_t others, struct tree *t);
void clopt__tree_close(struct tree *t);
/* Make the cells, after the sources are put in order, if they are not. */
int clopt__tree_build(struct clopt *ctx, const struct lane *lane, struct tree *t,
                      const struct array *sources);
/* Put targets of their own in order, TREE_BAND at most. */
int clopt__tree_sort_targets(struct clopt *ctx, const struct lane *lane, struct tree *t,
                             const struct array *targets, size_t n);
/* Sum some targets, as they are in order, from a multiple of the grain on.  arrays: those of the
 * sum over all pairs; last: as for clopt__lane_launch. */
int clopt__tree_sum(struct clopt *ctx, const struct lane *lane, struct tree *t, const double *real,
                    double theta, const struct array *const *arrays, size_t first, size_t count,
                    int last);
size_t clopt__tree_grain(const struct tree *t);

/* ---- how.c: how a job's tolerance is to be kept */
struct how {
	unsigned order; /* 0: over all pairs */
	double theta;
	double wider, error; /* a larger theta that did not do, and its error; 0: none */
};
/* mixed: there are weights of both signs. */
struct how clopt__tree_how(const struct clopt *ctx, const struct job *job, int mixed);
/* Seconds that ctx alone takes for the job's sums, roughly. */
double clopt__tree_seconds(const struct clopt *ctx, const struct job *job, const struct how *how);
/* Whether the weights of points, a row each, have both signs.  A sample would miss a few heavy
 * ones, whose error may be more than repetitions make good. */
int clopt__tree_mixed(int precision, const void *points, size_t n);
/* Whether a result with this error is within the tolerance; if not, *how gets a theta that may
 * do. */
int clopt__tree_is_within(double error, const struct job *job, struct how *how);
/* A larger theta that may do too, where the error leaves much of the tolerance. */
double clopt__tree_wider(double error, const struct job *job, const struct how *how);

/* A sum within a tolerance, of arrays on the device. */
struct tree_sum {
	const struct job *job;
	const struct lane *lane;
	struct tree *tree;
	struct how how; /* of order 0: over all pairs */
	const struct array *array[5]; /* of the job's operands */
	size_t band; /* targets that go together */
	unsigned brought; /* operands in host memory, one bit each: their arrays have a band of
	                     rows */
	double near, far; /* of all targets */
	double error; /* within the tolerance, if it is certain that this is kept */
	const struct tree_team *team; /* NULL: this device sums alone */
	void *share; /* the team's */
};

/* Others that sum some of the targets (several/tree.c). */
struct tree_team {
	/* Have them make room and bring the sources, if it pays; sum->team becomes NULL where it
	 * does not. */
	int (*open)(struct clopt *ctx, struct tree_sum *sum);
	/* clopt__tree_band and clopt__tree_count by all; this one's tree is built. */
	int (*band)(struct clopt *ctx, struct tree_sum *sum, const struct array *array,
	            size_t before, size_t count);
	/* The others' results of that band to the caller's array, behind this one's. */
	int (*merge)(struct clopt *ctx, const struct tree_sum *sum);
	/* rc: the status of the call. */
	void (*close)(struct clopt *ctx, struct tree_sum *sum, int rc);
	/* The next piece of the band for this one, of at most `want` targets; *count 0: there is
	 * none. */
	int (*take)(const struct tree_sum *sum, size_t want, size_t *first, size_t *count);
	/* Whether it has taken the group of this target. */
	int (*took)(const struct tree_sum *sum, size_t target);
};

/* ---- band.c: a band of the targets of a sum */
/* Open the tree, and say how many targets go together. */
int clopt__tree_room(struct clopt *ctx, struct tree_sum *sum);
/* Make arrays for operands in host memory; bring the sources.  array: five. */
int clopt__tree_arrays(struct clopt *ctx, struct tree_sum *sum, struct array *array);
/* Rows of an operand in host memory, to its array or back. */
int clopt__tree_bring(struct clopt *ctx, const struct tree_sum *sum, unsigned operand, size_t first,
                      size_t rows, int down);
/* Sum a band of `count` targets, or the pieces of it that this device takes; before: targets before
 * it. */
int clopt__tree_band(struct clopt *ctx, const struct tree_sum *sum, const struct array *array,
                     size_t before, size_t count);
/* Add what these targets were summed over. */
int clopt__tree_count(struct clopt *ctx, struct tree_sum *sum, size_t count);

/* ---- sum.c */
/* Sum, again with a smaller theta if need be, until some targets' errors are within the tolerance;
 * after that results are on the host.  The tree is made if it is not. */
int clopt__tree_run(struct clopt *ctx, struct tree_sum *sum);
/* Sum once, and look at nothing. */
int clopt__tree_once(struct clopt *ctx, struct tree_sum *sum);
/* Room, arrays, and the run. */
int clopt__tree_on_arrays(struct clopt *ctx, struct tree_sum *sum, struct array *array);
/* What a tree that failed has told the report. */
void clopt__tree_forget(struct clopt *ctx);
/* Verbose: why all pairs are summed where a tree was to be; after a failure. */
void clopt__tree_left(const struct clopt *ctx);
/* clopt__run_job, within the job's tolerance if it has one; team NULL: alone. */
int clopt__sum_within(struct clopt *ctx, const struct job *job, const struct tree_team *team);
int clopt__run_within(struct clopt *ctx, const struct job *job);

/* ---- error.c: some targets of a sum, summed over all pairs; valid when zero */
struct sample {
	size_t count, of; /* of the targets */
	char *right; /* results */
};
/* The job over all pairs, with its operands in these arrays, for so many targets: queued. */
int clopt__pairs_on_device(struct clopt *ctx, const struct lane *lane, const struct job *job,
                           const struct array *const *arrays, size_t targets);
/* Of n things one of each of `count' equal stretches, at a place that looks random. */
size_t clopt__place_in_stretch(size_t i, size_t count, size_t n);
int clopt__sample_sum(struct clopt *ctx, const struct tree_sum *sum, struct sample *s);
void clopt__sample_close(struct sample *s);
/* The errors of the sum's results, into the report.  *error: one which, if it is within the
 * tolerance, shows that the tolerance is kept. */
int clopt__sample_error(struct clopt *ctx, const struct tree_sum *sum, const struct sample *s,
                        double *error);

/* ---- kept.c: struct clopt_tree */
struct clopt_tree {
	struct clopt *ctx;
	size_t n;
	struct clopt_buffer *sources;
	double charge; /* the sum of the weights */
	int mixed; /* they have both signs */
	struct tree tree;
	cl_command_queue q; /* of the last command; or NULL */
	size_t sorts, moves; /* of the sources: put in order so often, and moved since then */
	double fresh_pairs; /* that a target had then; 0: no sum has told */
	/* What a sum on arrays has shown to keep its tolerance, and what the next such sum
	 * tries. */
	struct clopt_problem proved;
	struct tolerance proved_for;
	double proved_real[MAX_REALS];
	struct how how, next; /* of order 0: there was none */
	int widest; /* a larger theta was tried, and did not do */
};
/* The run of a job whose `what` is a tree: its sources. */
int clopt__run_kept(struct clopt *ctx, const struct job *job, struct placed *placed);

/* ---- steps.c: gravity within the tolerance of s->e; s->gravity stays NULL where all pairs
 * serve */
int clopt__tree_gravity(struct clopt *ctx, struct stepper *s);

#endif
