/* SPDX-License-Identifier: MIT */
/*
 * call.h - how a job runs: at once, started, on buffers, step by step.
 */
#ifndef CLOPT_CALL_CALL_H
#define CLOPT_CALL_CALL_H

#include "../table/table.h"

struct guard; /* verify/verify.h */

/*
 * begin.c: clopt__enter and clopt__leave for calls that have a report.  `report`, if not NULL, gets
 * it.
 */
int clopt__begin(struct clopt *ctx, struct sentence call);
int clopt__end(struct clopt *ctx, int rc, struct clopt_report *report);
/* run.c: choose a row for a complete job and run it in the pipeline. */
/* Wait for all sources of a job with a group, which then has nothing to wait for. */
int clopt__await(struct clopt *ctx, struct job *job);
int clopt__run_job(struct clopt *ctx, const struct job *job);
/* report, if not NULL, gets how the call went. */
int clopt__call(struct clopt *ctx, const struct job *described, struct clopt_report *report);

/* in_place.c: a transpose whose result replaces its input. */
int clopt__in_place(struct clopt *ctx, const struct job *job, struct placed *placed);

/* How a routine is called: on the caller's arrays (at once, or by the context's thread) or on
 * buffers. */
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
int clopt__submit(struct clopt *ctx, const struct job *described, struct form form);

/* call.c: the jobs, all alike, that a complete job is run as: how many, each with a choice and a pipeline
 * of its own.  Only the shapes of `one's arrays are set. */
size_t clopt__jobs(struct clopt *ctx, const struct job *job, struct job *one);
/* run.c: whether the matrices of a batch go together, in one launch. */
int clopt__together(struct clopt *ctx, const struct job *job);

int clopt__async_start(struct clopt *ctx, const struct job *described, struct clopt_call **call);
void clopt__async_free(struct clopt *ctx);

/* enqueue.c: on buffers.  The job's last command is queued on return. */
int clopt__enqueue(struct clopt *ctx, const struct job *described, const struct clopt_order *order);
/* Choose a row for a complete job and launch it. */
int clopt__enqueue_job(struct clopt *ctx, const struct job *job, struct placed *p);
/* Release arrays that queued commands no longer use; with `all`, wait and release all. */
void clopt__kept_free(struct clopt *ctx, int all);

/* ---- complete.c */
/* Nothing is to be computed, so no array is read or written. */
int clopt__is_empty(const struct job *job);
/* Fill in the operands' shapes and check all arguments. */
int clopt__complete(const struct clopt *ctx, const struct job *described, struct job *job);

struct clopt_queue {
	struct clopt *ctx;
	cl_command_queue q;
	struct clopt_queue *next; /* of ctx's */
};

struct clopt_event {
	struct clopt *ctx;
	cl_event event;
};

/* order.c: an order in OpenCL's terms, checked; NULL stands for the default.  list (in wait) is
 * malloc'ed and the caller's to free, after failure too. */
struct placed {
	cl_command_queue q;
	cl_event *list; /* what the caller has it wait for, and room for one more; NULL: nothing */
	cl_uint listed;
	struct waits wait; /* of the next command: those, or none any more */
	int waited; /* the order has events to wait for, so the command may fail through them */
	cl_event first; /* of several commands, the one that waits */
	cl_event event, *wanted; /* wanted: &event if an event is needed, or NULL */
	struct clopt_event *handle; /* made beforehand, so that a queued command cannot lack it */
	struct clopt_event **to;
};
/* Where the order wants its event, which is NULL until the command is queued; NULL: nowhere.  Called before
 * anything is refused. */
struct clopt_event **clopt__no_event(const struct clopt_order *order);
int clopt__place(struct clopt *ctx, const struct clopt_order *order, struct placed *p);
/* Where the next command gives its event, if it is the first that waits and others follow; else NULL. */
cl_event *clopt__placed_first(struct placed *p);
/* The events that the last command waits for, with the one of a command before it; that may be NULL. */
struct waits clopt__placed_last(struct placed *p, const cl_event *before);
/* After queueing (rc): flush, hand the event out or release it, free the list. */
int clopt__placed(struct clopt *ctx, struct placed *p, int rc);

/* The first error of a command that waited for others, once all queues are empty; each is reported
 * once. */
cl_int clopt__watch_take(struct clopt *ctx);

/* ---- members.c: the devices of a context, and what they do together */

/* Have *ctx's others work for it; they are its own now.  CLOPT_ENOMEM: they are not. */
int clopt__members_open(struct clopt *ctx, struct clopt *const *others, size_t n);
/* End their threads.  Returns the others, malloc'ed, for the caller to close; *n: how many. */
struct clopt **clopt__members_end(struct clopt *ctx, size_t *n);

/* Seconds that ctx alone takes for so many units of work. */
double clopt__units_seconds(const struct clopt *ctx, const struct throughput *known, double units);
/* How many share a call that takes ctx alone so many seconds. */
unsigned clopt__members_working(const struct clopt *ctx, double seconds);
/* The members' speeds beside each other, malloc'ed, 0 for one that takes no part; NULL: ctx works
 * alone.  op: CLOPT_OPS stands for clopt_map. */
double *clopt__members_gather(struct clopt *ctx, unsigned op, double seconds);
/* Whether the speeds that a call of the operation has shown decide. */
int clopt__members_tried(const struct clopt *ctx, unsigned op);
/* A shared job of a call begins. */
void clopt__members_begin(struct clopt *ctx);
/* What a member does in its thread, as a call of its own context. */
typedef int member_task(struct clopt *member, unsigned index, void *what);
/* Have all but the first that have a weight do it; returns at once. */
void clopt__members_start(struct clopt *ctx, const double *weight, member_task *task, void *what);
/* What the first did meanwhile: the report from before, and its status. */
void clopt__members_did(struct clopt *ctx, const struct clopt_report *before, double seconds,
                        int rc);
/* Wait for all that were started; meanwhile the call can be cancelled and tells how far it is.
 * share: what they do; NULL: something else. */
int clopt__members_wait(struct clopt *ctx, struct share *share);
int clopt__member_status(const struct clopt *ctx, unsigned i);
/* Whether it takes part in calls, and why not; whether it is the same device and driver as the first. */
int clopt__member_works(const struct clopt *ctx, unsigned i);
const char *clopt__member_excluded(const struct clopt *ctx, unsigned i);
int clopt__member_alike(const struct clopt *ctx, unsigned i);
int clopt__members_alike(const struct clopt *ctx);
/* A call of so many units ends: which part of the results each has computed. */
void clopt__members_sum_up(struct clopt *ctx, unsigned op, double units, const double *share);
/* Parts are missing: the failure of a member. */
int clopt__members_failed(struct clopt *ctx);
/* What the member has computed was wrong, and what others have was right. */
void clopt__member_aside(struct clopt *ctx, unsigned i, const char *why);
/* A shared job ends.  If its result is right, a member that stood aside in two in succession takes no part
 * any more, but for the first; if it is wrong, none was right, and the variant is to blame. */
void clopt__members_judged(struct clopt *ctx, int wrong);

/* shared.c: run the workload of ctx, alone or, if it pays, with the other members.  `make` makes a
 * member's workload from that of the first; alike: with the same variant.  guard, if not NULL, judges a
 * shared result; what is wrong of one member is computed again by the others. */
typedef int workload_maker(struct clopt *member, const void *what, const struct workload *first,
                           int alike, struct workload *w);
int clopt__run_shared(struct clopt *ctx, struct workload *w, workload_maker *make, const void *what,
                      struct guard *guard);
/* Seconds that ctx alone takes for it, roughly. */
double clopt__alone_seconds(const struct clopt *ctx, const struct workload *w);

/* resident.c: the operand as a kernel takes it: the buffer itself, or (own) a queued copy. */
int clopt__buffer_array(struct clopt *ctx, struct placed *p, const struct operand *o,
                        struct layout l, struct array *a, int *own);
/* Copy such an array back to the buffer, after the event of the command that wrote it; *event: that
 * of the copy. */
int clopt__buffer_array_back(struct clopt *ctx, struct placed *p, const struct operand *o,
                             const struct array *a, cl_event *event);

/* The operand has no elements, and may have no buffer. */
int clopt__holds_nothing(const struct operand *o);

/* Release the array after the event; without an event now, after waiting for q. */
void clopt__keep(struct clopt *ctx, cl_command_queue q, cl_event event, struct array *a);

/* order.c: at the end of the context. */
void clopt__watch_free(struct clopt *ctx);

/* ---- Bodies that stay on the device over all steps -------------------------- */

/* Steps, or sums alone.  The device has the precision. */
struct evolution {
	size_t n, steps;
	double *bodies, *velocities; /* evolve.c: the caller's; not written for sums alone */
	double dt;
	struct clopt_evolve_options options;
	struct clopt_group group; /* other processes; no exchange: none */
	struct tolerance tree;
};

/* A kernel and the arguments that its launches share. */
struct part {
	struct clopt_problem problem;
	const struct variant *row;
	cl_kernel kernel;
	double real[MAX_REALS];
	const struct array *array[MAX_OPERANDS];
	size_t first, count; /* the bodies it computes; 0: all */
};

struct stepper {
	struct evolution e;
	cl_command_queue q;
	struct placed *placed; /* NULL: on host arrays, which the stepper waits for */
	int jerk; /* JERK with Hermite's steps, 0 with leapfrog's */
	struct part force, phi, step, sum; /* phi: force with the potential too */
	struct array state, velocities, next, rates, sums;
	struct gravity *gravity; /* by all members; NULL: by this one */
	struct tree_steps *tree; /* NULL: over all pairs */
	int own_state, own_velocities; /* 0: the array is the caller's buffer */
	int resume; /* the rates for the first step are there */
	size_t point_bytes, points, largest; /* of a body: in all arrays and in the largest */
	/* The rest is for evolve.c.  Show the bodies to the caller; *stop: end the run. */
	int (*show)(struct clopt *ctx, const struct stepper *s, size_t step, int *stop);
	void *raw; /* malloc'ed: the bodies as the device has them */
	size_t groups; /* of sums */
};

/* step_commands.c */
/* Whether the arrays fit; *bytes on the device, as in struct cut. */
int clopt__stepper_fits(struct clopt *ctx, const struct stepper *s, size_t *bytes);
/* Move rows of row_bytes between host memory and an array. */
int clopt__stepper_move(struct clopt *ctx, const struct stepper *s, const struct array *a,
                        size_t first, void *host, size_t rows, size_t row_bytes, int down);
/* Wait, and log the times of the commands so far.  rc: an earlier failure, or CLOPT_OK. */
int clopt__stepper_settle(struct clopt *ctx, const struct stepper *s, int rc);
/* All rows of an array, malloc'ed. */
int clopt__stepper_fetch(struct clopt *ctx, const struct stepper *s, const struct array *a,
                         size_t rows, size_t row_bytes, char **host);
/* last: the last command on the caller's buffers. */
int clopt__stepper_launch(struct clopt *ctx, const struct stepper *s, const struct part *p,
                          int last);
/* stepper.c */
int clopt__stepper_run(struct clopt *ctx, struct stepper *s);
/* rc: the status so far.  After success on host arrays nothing is left to wait for, and nothing may
 * fail, since the caller's arrays are written. */
int clopt__stepper_close(struct clopt *ctx, struct stepper *s, int rc);
/* Whether the caller is to see the bodies at this step. */
int clopt__is_due(const struct evolution *e, size_t step);

/* ---- tree.c: a tree on the device; valid when zero */
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
/* Choose kernels and make room; also again, for other sums over the same sources, when what is of use
 * stays.  all: the problem as a sum over all pairs.  CLOPT_ENOMEM: it does not fit, beside other arrays
 * of so many bytes. */
int clopt__tree_open(struct clopt *ctx, const struct clopt_problem *all, unsigned order,
                     int own_targets, size_t others, struct tree *t);
void clopt__tree_close(struct tree *t);
/* Make the cells, after the sources are put in order, if they are not. */
int clopt__tree_build(struct clopt *ctx, const struct stepper *s, struct tree *t,
                      const struct array *sources);
/* Put targets of their own in order, TREE_BAND at most. */
int clopt__tree_sort_targets(struct clopt *ctx, const struct stepper *s, struct tree *t,
                             const struct array *targets, size_t n);
/* Sum some targets, as they are in order, from a multiple of the grain on.  arrays: those of the sum
 * over all pairs; last: as for clopt__stepper_launch. */
int clopt__tree_sum(struct clopt *ctx, const struct stepper *s, struct tree *t, const double *real,
                    double theta, const struct array *const *arrays, size_t first, size_t count,
                    int last);
size_t clopt__tree_grain(const struct tree *t);

/* ---- tree_how.c: how a job's tolerance is to be kept */
struct how {
	unsigned order; /* 0: over all pairs */
	double theta;
	double wider, error; /* a larger theta that did not do, and its error; 0: none */
};
/* mixed: there are weights of both signs. */
struct how clopt__tree_how(const struct clopt *ctx, const struct job *job, int mixed);
/* Seconds that ctx alone takes for the job's sums, roughly. */
double clopt__tree_seconds(const struct clopt *ctx, const struct job *job, const struct how *how);
/* Whether the weights of points, a row each, have both signs.  A sample would miss a few heavy ones, whose error may be
 * more than repetitions make good. */
int clopt__tree_mixed(int precision, const void *points, size_t n);
/* Whether a result with this error is within the tolerance; if not, *how gets a theta that may do. */
int clopt__tree_is_within(double error, const struct job *job, struct how *how);
/* A larger theta that may do too, where the error leaves much of the tolerance. */
double clopt__tree_wider(double error, const struct job *job, const struct how *how);

/* A sum within a tolerance, of arrays on the device. */
struct tree_sum {
	const struct job *job;
	const struct stepper *s; /* its queue */
	struct tree *tree;
	struct how how; /* of order 0: over all pairs */
	const struct array *array[5]; /* of the job's operands */
	size_t band; /* targets that go together */
	unsigned
	        brought; /* operands in host memory, one bit each: their arrays have a band of rows */
	double near, far; /* of all targets */
	double error; /* within the tolerance, if it is certain that this is kept */
	struct tree_share *share; /* with other members; NULL: this one sums alone */
	struct tree_pieces *pieces; /* that all of them take */
	unsigned member;
};

/* ---- tree_band.c: a band of the targets of a sum */
/* Targets that are still to be taken, as they are in order. */
struct tree_strip {
	size_t next, end;
};
/* A band that members share. */
struct tree_pieces {
	size_t grain; /* targets of a whole group of any member */
	unsigned members;
	int fixed; /* each member has a strip; else there is one for all */
	pthread_mutex_t lock; /* of what follows */
	unsigned char *owner; /* of each grain */
	struct tree_strip *strip;
	int stopped;
};
/* Open the tree, and say how many targets go together. */
int clopt__tree_room(struct clopt *ctx, struct tree_sum *sum);
/* Make arrays for operands in host memory; bring the sources.  array: five. */
int clopt__tree_arrays(struct clopt *ctx, struct tree_sum *sum, struct array *array);
/* Rows of an operand in host memory, to its array or back. */
int clopt__tree_bring(struct clopt *ctx, const struct tree_sum *sum, unsigned operand, size_t first,
                      size_t rows, int down);
/* Sum a band of `count` targets, or the pieces of it that this member takes; before: targets before it. */
int clopt__tree_band(struct clopt *ctx, const struct tree_sum *sum, const struct array *array,
                     size_t before, size_t count);
/* Add what these targets were summed over. */
int clopt__tree_count(struct clopt *ctx, struct tree_sum *sum, size_t count);

/* ---- tree_share.c: the targets of a sum on host arrays, shared by the members of a context */
/* Have the others make room and bring the sources, if it pays; sum->share stays NULL where it does not. */
int clopt__tree_share_open(struct clopt *ctx, struct tree_sum *sum);
/* rc: the status of the call. */
void clopt__tree_share_close(struct clopt *ctx, struct tree_share *share, int rc);
/* clopt__tree_band and clopt__tree_count by all members; this one's tree is built. */
int clopt__tree_share_band(struct clopt *ctx, struct tree_sum *sum, const struct array *array,
                           size_t before, size_t count);
/* The others' results of that band to the caller's array, behind this one's. */
int clopt__tree_share_merge(struct clopt *ctx, const struct tree_sum *sum);

/* ---- tree_sum.c */
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
/* clopt__run_job, within the job's tolerance if it has one. */
int clopt__run_within(struct clopt *ctx, const struct job *job);

/* ---- tree_error.c: some targets of a sum, summed over all pairs; valid when zero */
struct sample {
	size_t count, of; /* of the targets */
	char *right; /* results */
};
/* The job over all pairs, with its operands in these arrays, for so many targets: queued. */
int clopt__pairs_on_device(struct clopt *ctx, const struct stepper *s, const struct job *job,
                           const struct array *const *arrays, size_t targets);
/* Of n things one of each of `count' equal stretches, at a place that looks random. */
size_t clopt__place_in_stretch(size_t i, size_t count, size_t n);
int clopt__sample_sum(struct clopt *ctx, const struct tree_sum *sum, struct sample *s);
void clopt__sample_close(struct sample *s);
/* The errors of the sum's results, into the report.  *error: one which, if it is within the tolerance,
 * shows that the tolerance is kept. */
int clopt__sample_error(struct clopt *ctx, const struct tree_sum *sum, const struct sample *s,
                        double *error);

/* ---- tree_kept.c: struct clopt_tree */
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
	/* What a sum on arrays has shown to keep its tolerance, and what the next such sum tries. */
	struct clopt_problem proved;
	struct tolerance proved_for;
	double proved_real[MAX_REALS];
	struct how how, next; /* of order 0: there was none */
	int widest; /* a larger theta was tried, and did not do */
};
/* The run of a job whose `what` is a tree: its sources. */
int clopt__run_kept(struct clopt *ctx, const struct job *job, struct placed *placed);

/* ---- tree_steps.c: gravity within the tolerance of s->e; s->tree stays NULL where all pairs serve */
int clopt__tree_steps_open(struct clopt *ctx, struct stepper *s);
/* The rates of all bodies, by s->force or s->phi. */
int clopt__tree_steps(struct clopt *ctx, struct stepper *s, const struct part *part);
/* The row that sums. */
const struct variant *clopt__tree_steps_row(const struct stepper *s);
void clopt__tree_steps_close(struct stepper *s);

/* gravity.c: the rates of all bodies, by s->force or s->phi; by all members, if it pays. */
int clopt__gravity_open(struct clopt *ctx, struct stepper *s);
int clopt__gravity(struct clopt *ctx, struct stepper *s, const struct part *p);
/* Seconds that ctx alone takes for one of them. */
double clopt__gravity_seconds(struct clopt *ctx, const struct stepper *s);
/* rc: the status of the call. */
void clopt__gravity_close(struct clopt *ctx, struct stepper *s, int rc);

/* leapfrog.c, evolve.c: choose sizes and kernels for a zeroed stepper.  Nothing has to be closed
 * afterwards.  sums: whether sums will be computed. */
int clopt__leapfrog_choose(struct clopt *ctx, const struct job *job, struct stepper *s);
int clopt__evolve_choose(struct clopt *ctx, const struct evolution *e, int sums, struct stepper *s);

struct clopt_problem clopt__leapfrog_gravity(const struct clopt_problem *step);
int clopt__leapfrog(struct clopt *ctx, const struct job *job, struct placed *placed);
int clopt__evolve(struct clopt *ctx, const struct evolution *e);
int clopt__conserved(struct clopt *ctx, const struct evolution *e, struct clopt_conserved *sums);

#endif
