/* SPDX-License-Identifier: MIT */
/*
 * kernel.h - from a row of the table to a kernel that can be launched.
 */
#ifndef CLOPT_KERNEL_KERNEL_H
#define CLOPT_KERNEL_KERNEL_H

#include "../table/table.h"

/* program.c: the kernel of a row for a problem, built once for a context and
 * owned by it.  A row that cannot be built here stays so: CLOPT_EBUILD. */
int clopt__kernel(struct clopt *ctx, const struct variant *v, const struct clopt_problem *problem,
                  cl_kernel *kernel);
/* The same for a kernel of the caller's. */
int clopt__kernel_from(struct clopt *ctx, const char *source, const char *name,
                       const char *build_options, cl_kernel *kernel);
/* Why it is struck out, or NULL if it was not tried or is good; and whether that is since
 * it is wrong, and not since it does not build. */
const char *clopt__struck_out(const struct clopt *ctx, const struct variant *v,
                              const struct clopt_problem *problem);
int clopt__is_wrong(const struct clopt *ctx, const struct variant *v,
                    const struct clopt_problem *problem);
void clopt__kernels_free(struct clopt *ctx);
/* The kernel was queued in this call. */
void clopt__launched(struct clopt *ctx, cl_kernel kernel);
/* Those of this call are in a queue; when that is done is not known yet. */
void clopt__kernels_queued(struct clopt *ctx);
/* Those that have ended are kept for other processes, if they are not yet: of this
 * call, or those that were queued. */
void clopt__kernels_save(struct clopt *ctx, int queued);
/* Keep it now, since a call uses it.  Of drivers that compile late it is kept when it has run. */
void clopt__kernel_keep(struct clopt *ctx, cl_kernel kernel);

/* binary_cache.c: a built program as the driver keeps it, for ctx's device, with a zero byte behind it.
 * The caller frees it. */
cl_int clopt__binary(const struct clopt *ctx, cl_program program, char **binary, size_t *size);
/* The program that a kernel was made of; it stays the context's. */
cl_program clopt__program(const struct clopt *ctx, cl_kernel kernel);

struct throughput *clopt__throughput(struct clopt *ctx, cl_kernel kernel);

/* Strike out a kernel of the table that is wrong: CLOPT_EWRONG, with `why` for a text. */
int clopt__wrong(struct clopt *ctx, cl_kernel kernel, const char *why);
/* Whether it was checked, for first_use.c to know, and the key under which that is kept, or
 * NULL.  NULL: not a kernel of the table. */
int *clopt__checked(struct clopt *ctx, cl_kernel kernel, const char **key);

void clopt__workload(const struct job *job, const struct variant *v, struct workload *w);

/* workload.c: the job that a problem would be, on arrays without gaps that need not
 * exist.  CLOPT_ENOMEM: they could not. */
int clopt__job_of_problem(const struct clopt *ctx, const struct clopt_problem *problem,
                          struct job *job);
/* CLOPT_ENOMEM if the problem does not fit however it is cut. */
int clopt__fits_memory(struct clopt *ctx, const struct variant *v,
                       const struct clopt_problem *problem);

/* launch.c: one enqueue of a row's kernel. */
struct launch {
	const struct variant *v;
	cl_kernel kernel;
	const struct clopt_problem *problem;
	const size_t *dim; /* of the part of it that is computed */
	size_t batch; /* products of that size, each on matrices of its own */
	ptrdiff_t lower; /* by how many rows it lies lower in C than right */
	const double *real;
	const struct array *const *arrays;
	int logged; /* the call keeps the times of its commands in the log */
};
/* One command, or several in a row of about ctx->slice_seconds each; done is that of
 * the last. */
int clopt__launch(struct clopt *ctx, cl_command_queue q, const struct launch *l, struct wait wait,
                  cl_event *done);

/* registers.c: what a kernel of the row takes of a compute unit, as the driver tells it. */
int clopt__registers(struct clopt *ctx, const struct variant *v, cl_kernel kernel,
                     struct clopt_resources *use);
/* In an NVIDIA compiler's log: what it says of kernel `name`; 0 if nothing. */
unsigned clopt__log_registers(const char *log, const char *name);
/* In a binary for AMD's GPUs: the number under this key of its notes. 0: there is none. */
int clopt__note_number(const void *binary, size_t size, const char *key, unsigned *number);

#endif
