/* SPDX-License-Identifier: MIT */
/*
 * kernel.h - from a row of the table to a kernel that can be launched.
 */
#ifndef CLOPT_KERNEL_KERNEL_H
#define CLOPT_KERNEL_KERNEL_H

#include "../table/table.h"

/* ---- program.c: the kernels of a context */
/* The kernel of a row for a problem, built once and owned by the context; NULL for a row on the
 * host.  CLOPT_EBUILD: the row cannot be built here, now and later. */
int clopt__kernel(struct clopt *ctx, const struct variant *v, const struct clopt_problem *problem,
                  cl_kernel *kernel);
/* The same for a kernel of the caller. */
int clopt__kernel_from(struct clopt *ctx, const char *source, const char *name,
                       const char *build_options, cl_kernel *kernel);
/* Why the row is struck out; NULL: it is not.  is_wrong: for a wrong result, not a failed build. */
const char *clopt__struck_out(const struct clopt *ctx, const struct variant *v,
                              const struct clopt_problem *problem);
int clopt__is_wrong(const struct clopt *ctx, const struct variant *v,
                    const struct clopt_problem *problem);
void clopt__kernels_free(struct clopt *ctx);
/* Note that the current call queued the kernel. */
void clopt__launched(struct clopt *ctx, cl_kernel kernel);
/* Note that kernels of this call are queued, and may still run. */
void clopt__kernels_queued(struct clopt *ctx);
/* Keep ended kernels for other processes: those of this call, or (queued) of earlier ones. */
void clopt__kernels_save(struct clopt *ctx, int queued);
/* Keep the kernel now; with SAVES_AFTER_RUN, after its first run. */
void clopt__kernel_keep(struct clopt *ctx, cl_kernel kernel);

struct throughput *clopt__throughput(struct clopt *ctx, cl_kernel kernel);

/* Strike out a wrong kernel of the table, with the reason `why`: CLOPT_EWRONG. */
int clopt__wrong(struct clopt *ctx, cl_kernel kernel, const char *why);
/* For first_use.c: whether the kernel was checked, and the cache key of its verdict, or NULL.
 * NULL: not a kernel of the table. */
int *clopt__checked(struct clopt *ctx, cl_kernel kernel, const char **key);

/* ---- workload.c: jobs as the pipeline sees them */
void clopt__workload(const struct clopt *ctx, const struct job *job, const struct variant *v,
                     struct workload *w);

/* The job that a problem would be, on packed arrays that need not exist.  CLOPT_ENOMEM: they exceed
 * the address space. */
int clopt__job_of_problem(const struct clopt *ctx, const struct clopt_problem *problem,
                          struct job *job);
/* CLOPT_ENOMEM if no cut of the problem fits; *least: the bytes that would do then.  *free_seconds:
 * as in struct workload; 0 becomes that of this row. */
int clopt__fits_memory(struct clopt *ctx, const struct variant *v,
                       const struct clopt_problem *problem, double *free_seconds, size_t *least);

/* ---- launch.c: one launch of a row's kernel */
struct launch {
	const struct variant *v;
	cl_kernel kernel;
	const struct clopt_problem *problem;
	const size_t *dim; /* sizes of the computed part */
	/* Of an operation with parts_of_all: only so many results from the first, at whole groups;
	 * 0: all. */
	size_t first, count;
	size_t batch; /* products of that size, each on its own matrices */
	int goes_on; /* a product: from the sums that a launch before it kept */
	ptrdiff_t lower; /* how many rows the part of C lies lower than right */
	const double *real;
	const struct array *const *arrays;
	int logged; /* of a call on the caller's arrays: times go to the log, and it can be
	               cancelled */
};
/* One command, or slices of about ctx->slice_seconds each; done: the event of the last. */
int clopt__launch(struct clopt *ctx, cl_command_queue q, const struct launch *l, struct waits wait,
                  cl_event *done);
/* One command of any kernel, with its arguments set. */
int clopt__enqueue_kernel(struct clopt *ctx, cl_command_queue q, cl_kernel kernel, cl_uint axes,
                          const size_t *offset, const size_t *global, const size_t *local,
                          struct waits wait, cl_event *event);

/* ---- overlap.c: launches that must not run at the same time */
/* The context's commands have ended, and its kernels are freed next. */
void clopt__launches_forget(const struct clopt *ctx);

/* ---- workload.c: whether memory has the sum of the workload cut, so that kernels go on from part
 * to part; the problem for such a kernel */
int clopt__cut_in_parts(struct clopt *ctx, const struct workload *w);
struct clopt_problem clopt__problem_in_parts(const struct clopt_problem *problem);

/* ---- registers.c: registers and local memory that a kernel takes, from the driver */
int clopt__registers(struct clopt *ctx, const struct variant *v, cl_kernel kernel,
                     struct clopt_resources *use);
/* Registers of kernel `name` in a log of NVIDIA's compiler; 0: not found. */
unsigned clopt__log_registers(const char *log, const char *name);
/* The number of a key in the notes of a binary for AMD's GPUs.  0: not found. */
int clopt__note_number(const void *binary, size_t size, const char *key, unsigned *number);

#endif
