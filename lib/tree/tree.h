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
	int sorted, built; /* sources are in order; their cells are made */
	size_t sorts; /* number of sorts of the sources */
	unsigned matrix_order; /* 0: there is no matrix */
	struct part box, keys, count, scan, scatter, leaves, inner, sum;
	const struct tree *like; /* a tree whose rows this one takes; NULL: chosen rows */
	struct array points, boxes, group_boxes, key[2], order, other_order, target_order, counts,
	        pairs, matrix;
};
/* Targets that are not the sources are sorted and summed TREE_BAND at a time. */
#define TREE_BAND ((size_t)1 << 20)
/* Choose kernels and make room.  Called again for another sum over the same sources, keeps what
 * that sum can use. all: the problem as a sum over all pairs.  CLOPT_ENOMEM: the tree does not fit
 * beside `others' bytes of other arrays. */
int clopt__tree_open(struct clopt *ctx, const struct clopt_problem *all, unsigned order,
                     int own_targets, size_t others, struct tree *t);
void clopt__tree_close(struct tree *t);
/* Make the cells if they are not made.  Sorts the sources first. */
int clopt__tree_build(struct clopt *ctx, const struct lane *lane, struct tree *t,
                      const struct array *sources);
/* Sort n points, at most TREE_BAND unless they are the sources; order: the tree's of these. */
int clopt__tree_order(struct clopt *ctx, const struct lane *lane, struct tree *t,
                      const struct array *points, size_t n, const struct array *order);
/* Sum a range of the sorted targets, which begins at a multiple of the row's group. arrays: those
 * of the sum over all pairs; last: as for clopt__lane_launch. */
int clopt__tree_sum(struct clopt *ctx, const struct lane *lane, struct tree *t, const double *real,
                    double theta, const struct array *const *arrays, size_t first, size_t count,
                    int last);
size_t clopt__tree_grain(const struct tree *t);

/* ---- how.c: order and theta for a job's tolerance */
struct how {
	unsigned order; /* 0: over all pairs */
	double theta;
	double wider, error; /* a larger theta that missed the tolerance, and its error; 0: none */
};
/* mixed: there are weights of both signs. */
struct how clopt__tree_how(const struct clopt *ctx, const struct job *job, int mixed);
/* Estimated seconds of the job's sums on ctx alone. */
double clopt__tree_seconds(const struct clopt *ctx, const struct job *job, const struct how *how);
/* Whether weights have both signs. points: one row each.  All are read: a sample would miss a few
 * heavy ones. */
int clopt__tree_mixed(int precision, const void *points, size_t n);
/* Whether a result with this error is within the tolerance.  If not, *how gets a smaller theta. */
int clopt__tree_is_within(double error, const struct job *job, struct how *how);
/* A larger theta to try, where the error is far below the tolerance. */
double clopt__tree_wider(double error, const struct job *job, const struct how *how);

/* A sum within a tolerance, of arrays on the device. */
struct tree_sum {
	const struct job *job;
	const struct lane *lane;
	struct tree *tree;
	struct how how; /* order 0: over all pairs */
	const struct array *array[5]; /* of the job's operands */
	size_t band; /* number of targets summed together */
	unsigned brought; /* bit per operand in host memory: its array holds one band of rows */
	double near, far; /* near pairs and far cells of all targets */
	double error; /* if within the tolerance, the tolerance is certainly kept */
	const struct tree_team *team; /* NULL: this device sums alone */
	void *share; /* the team's data */
};

/* Other devices that sum some of the targets (several/tree.c). */
struct tree_team {
	/* Make room on all devices and bring the sources, if that pays.  Otherwise sum->team
	 * becomes NULL. */
	int (*open)(struct clopt *ctx, struct tree_sum *sum);
	/* clopt__tree_band and clopt__tree_count on all devices.  This one's tree is built. */
	int (*band)(struct clopt *ctx, struct tree_sum *sum, const struct array *array,
	            size_t before, size_t count);
	/* Merge the other devices' results of that band into the caller's array, after this
	 * one's. */
	int (*merge)(struct clopt *ctx, const struct tree_sum *sum);
	/* rc: the status of the call. */
	void (*close)(struct clopt *ctx, struct tree_sum *sum, int rc);
	/* Take the next chunk of the band for this device, of at most `want` targets. *count == 0:
	 * nothing is left. */
	int (*take)(const struct tree_sum *sum, size_t want, size_t *first, size_t *count);
	/* Whether this device has taken the group of this target. */
	int (*took)(const struct tree_sum *sum, size_t target);
};

/* ---- band.c: a band of the targets of a sum */
/* Open the tree and choose the number of targets summed together. */
int clopt__tree_room(struct clopt *ctx, struct tree_sum *sum);
/* Make arrays for operands in host memory and bring the sources. array: five. */
int clopt__tree_arrays(struct clopt *ctx, struct tree_sum *sum, struct array *array);
/* Copy rows of an operand in host memory to its array, or back. */
int clopt__tree_bring(struct clopt *ctx, const struct tree_sum *sum, unsigned operand, size_t first,
                      size_t rows, int down);
/* Sum a band of `count` targets, or this device's chunks of it. before: number of targets of
 * earlier bands. */
int clopt__tree_band(struct clopt *ctx, const struct tree_sum *sum, const struct array *array,
                     size_t before, size_t count);
/* Add what these targets were summed over. */
int clopt__tree_count(struct clopt *ctx, struct tree_sum *sum, size_t count);

/* ---- sum.c */
/* Sum, with a smaller theta if need be, until the sample's error is within the tolerance.  Then
 * results are on the host.  Makes the tree if it is not made. */
int clopt__tree_run(struct clopt *ctx, struct tree_sum *sum);
/* Sum once, without measuring the error. */
int clopt__tree_once(struct clopt *ctx, struct tree_sum *sum);
/* Make room and arrays, and sum. */
int clopt__tree_on_arrays(struct clopt *ctx, struct tree_sum *sum, struct array *array);
/* Clear the report of a tree that failed. */
void clopt__tree_forget(struct clopt *ctx);
/* Log, if verbose, why all pairs are summed instead of a tree.  Called after a failure. */
void clopt__tree_left(const struct clopt *ctx);
/* Run a job within its tolerance, by the team of its runners. */
int clopt__run_within(struct clopt *ctx, const struct job *job);

/* ---- error.c: targets of a sum that are summed over all pairs too; valid when zero */
struct sample {
	size_t count, of; /* the sample's number of targets; the number of all */
	char *right; /* the exact results, malloc'ed */
};
/* Queue the job over all pairs, with its operands in these arrays, for `count` targets. */
int clopt__pairs_on_device(struct clopt *ctx, const struct lane *lane, const struct job *job,
                           const struct array *const *arrays, size_t targets);
/* Cut n things into `count' equal ranges; a place in range i that looks random. */
size_t clopt__place_in_stretch(size_t i, size_t count, size_t n);
int clopt__sample_sum(struct clopt *ctx, const struct tree_sum *sum, struct sample *s);
/* Measure the errors of the sum's results, for the report. *error: if within the tolerance, the
 * tolerance is kept. */
int clopt__sample_error(struct clopt *ctx, const struct tree_sum *sum, const struct sample *s,
                        double *error);

/* ---- kept.c: struct clopt_tree */
struct clopt_tree {
	struct clopt *ctx;
	size_t n;
	struct clopt_buffer *sources;
	double charge; /* sum of the weights */
	int mixed; /* weights have both signs */
	struct tree tree;
	cl_command_queue q; /* queue of the last command; or NULL */
	size_t sorts,
	        moves; /* number of sorts of the sources; number of moves since the last sort */
	double fresh_pairs; /* pairs per target after that sort; 0: not yet known */
	/* A sum on arrays that kept its tolerance, and what the next such sum tries. */
	struct clopt_problem proved;
	struct tolerance proved_for;
	double proved_real[MAX_REALS];
	struct how how, next; /* order 0: there was none */
	int widest; /* a larger theta missed the tolerance */
};
/* Run a job whose `what` is a tree that holds its sources. */
int clopt__run_kept(struct clopt *ctx, const struct job *job, struct placed *placed);

/* ---- steps.c: gravity within the tolerance of s->e; s->gravity stays NULL where all pairs are
 * summed */
int clopt__tree_gravity(struct clopt *ctx, struct stepper *s);

#endif
