/* SPDX-License-Identifier: MIT */
/*
 * kernel.h - builds and launches the kernels of rows.
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
/* Why the row is struck out, or NULL.  is_wrong: whether for a wrong result, not a failed build. */
const char *clopt__struck_out(const struct clopt *ctx, const struct variant *v,
                              const struct clopt_problem *problem);
int clopt__is_wrong(const struct clopt *ctx, const struct variant *v,
                    const struct clopt_problem *problem);
void clopt__kernels_free(struct clopt *ctx);
/* Note that the current call queued the kernel. */
void clopt__launched(struct clopt *ctx, cl_kernel kernel);
/* Note that kernels of this call are queued, and may still run. */
void clopt__kernels_queued(struct clopt *ctx);
/* Save the programs of kernels that have ended to the store: those of this call, or (queued) of
 * earlier ones. */
void clopt__kernels_save(struct clopt *ctx, int queued);
/* Save the kernel's program now.  With SAVES_AFTER_RUN it is saved after its first run instead. */
void clopt__kernel_keep(struct clopt *ctx, cl_kernel kernel);

struct throughput *clopt__throughput(struct clopt *ctx, cl_kernel kernel);

/* Strike out a wrong kernel of the table, with the reason `why`: CLOPT_EWRONG. */
int clopt__wrong(struct clopt *ctx, cl_kernel kernel, const char *why);
/* For first_use.c: whether the kernel was checked, or NULL if it is not a kernel of the table.
 * *key: the cache key of its verdict, or NULL. */
int *clopt__checked(struct clopt *ctx, cl_kernel kernel, const char **key);

/* ---- workload.c: jobs as the pipeline sees them */
void clopt__workload(const struct clopt *ctx, const struct job *job, const struct variant *v,
                     struct workload *w);

/* A job of the problem on packed arrays that do not exist.  CLOPT_ENOMEM: they would exceed the
 * address space. */
int clopt__job_of_problem(const struct clopt *ctx, const struct clopt_problem *problem,
                          struct job *job);
/* CLOPT_ENOMEM if no cut of the problem fits in memory.  *least: the bytes needed then.
 * *free_seconds: as in struct workload; 0 becomes the row's. */
int clopt__fits_memory(struct clopt *ctx, const struct variant *v,
                       const struct clopt_problem *problem, double *free_seconds, size_t *least);

/* ---- launch.c: one launch of a row's kernel */
struct launch {
	const struct variant *v;
	cl_kernel kernel;
	const struct clopt_problem *problem;
	const size_t *dim; /* sizes of the computed part */
	size_t batch; /* number of products of that size; each has its matrices */
	int goes_on; /* a product: continues the sums that an earlier launch kept */
	ptrdiff_t lower; /* a triangle: first row minus first column of this block of C */
	const double *real;
	const struct array *const *arrays;
	int logged; /* the caller's arrays: times are logged, and the call can be cancelled */
};
/* Launch by one command, or by slices of about ctx->slice_seconds each.  done: the event of the
 * last. */
int clopt__launch(struct clopt *ctx, cl_command_queue q, const struct launch *l, struct waits wait,
                  cl_event *done);
/* epilogue.c: queue the kernel of clopt__epilogue_row, which reads the sums and writes
 * l->arrays[2]. */
int clopt__epilogue(struct clopt *ctx, cl_command_queue q, const struct launch *l,
                    const struct job *job, const struct array *sums, struct waits wait,
                    cl_event *done);
/* clopt__launch, and then that, if `ends': no later launch adds to the sums. */
int clopt__launch_to(struct clopt *ctx, cl_command_queue q, const struct launch *l,
                     const struct job *job, int ends, struct waits wait, cl_event *done);
/* enqueue.c: queue one command of any kernel whose arguments are set. */
int clopt__enqueue_kernel(struct clopt *ctx, cl_command_queue q, cl_kernel kernel, cl_uint axes,
                          const size_t *offset, const size_t *global, const size_t *local,
                          struct waits wait, cl_event *event);

/* ---- planes.c: the workspace of a product's row with `planes` */
struct planes {
	size_t lines, numbers, pitch; /* along k; bytes */
	size_t matrices;
	size_t high; /* lines of a tile */
	int copied; /* whether high parts follow the planes */
};
/* For sizes `dim` and so many matrices. */
struct planes clopt__planes(const struct variant *v, const struct clopt_problem *p,
                            const size_t dim[3], size_t matrices);
size_t clopt__planes_bytes(const struct planes *p);

/* ---- aligned.c: the workspace of a product's row with `maps` */
/* For a and b: whether rows are not aligned to ROW_CHUNK, and the number of matrices. */
struct inputs {
	int odd[2];
	size_t matrices[2];
};
size_t clopt__workspace_bytes(const struct variant *v, const struct clopt_problem *p,
                              const size_t dim[3], const struct inputs *in);
/* Whether tensor maps take the sizes and, if the arrays are resident, whether they leave room for
 * the workspace. */
int clopt__workspace_fits(const struct clopt *ctx, const struct variant *v,
                          const struct clopt_problem *p, int resident, struct text *why);

/* ---- int8.c: the workspace of a row with `moduli`, for sizes `dim`, so many matrices A and B, and
 * so many products */
size_t clopt__int8_bytes(const struct variant *v, const struct clopt_problem *p,
                         const size_t dim[3], const size_t matrices[2], size_t batch);
/* Whether the row takes such sizes and, if the arrays are resident, whether they leave room for the
 * workspace. */
int clopt__int8_fit(const struct clopt *ctx, const struct variant *v, const struct clopt_problem *p,
                    int resident, struct text *why);

/* ---- overlap.c: launches that must not run at the same time */
/* Forget the context's launches.  All have ended, and the context's kernels are freed next. */
void clopt__launches_forget(const struct clopt *ctx);

/* ---- workload.c: whether memory cuts the workload's sum, so that kernels continue kept sums; the
 * problem of such a kernel */
int clopt__cut_in_parts(struct clopt *ctx, const struct workload *w);
struct clopt_problem clopt__problem_in_parts(const struct clopt_problem *problem);

/* ---- registers.c: registers and local memory of a kernel, from the driver */
int clopt__registers(struct clopt *ctx, const struct variant *v, cl_kernel kernel,
                     struct clopt_resources *use);
/* Registers of kernel `name` in a log of NVIDIA's compiler; 0: not found. */
unsigned clopt__log_registers(const char *log, const char *name);
/* Find a number by its key in the notes of a binary for AMD's GPUs.  0: not found. */
int clopt__note_number(const void *binary, size_t size, const char *key, unsigned *number);

#endif
