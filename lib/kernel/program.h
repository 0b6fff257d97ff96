/* SPDX-License-Identifier: MIT */
/*
 * program.h - a kernel of a context, for program.c, build.c and binary_cache.c.
 */
#ifndef CLOPT_KERNEL_PROGRAM_H
#define CLOPT_KERNEL_PROGRAM_H

#include "kernel.h"

/* What a problem sets in a kernel's source, by the macro of the same name; compared as bytes. */
struct kernel_form {
	unsigned elem_bytes, type, ta, tb, uplo, hermitian, scaled, precision, outputs, normals,
	        depths, slices, in_parts, checked, law, slow_fma;
};

/* PoCL's handle for launches up to this width.  number: the last launch that found it. */
struct handle {
	size_t width, local;
	unsigned long number;
};

struct kernel {
	const struct variant *v; /* NULL: a kernel of the caller, from ... */
	struct kernel_form form;
	char *source, *name; /* ... this text */
	char options[512];
	cl_program program;
	cl_kernel kernel;
	cl_kernel first[3]; /* of a row with `planes` or `moduli`, run before `kernel` */
	cl_kernel aligned, turned; /* of a row with `maps`, copy inputs before these */
	struct throughput throughput;
	uint64_t hash; /* hash of source, options and name, for overlap.c */
	struct handle handle[2]; /* without an offset and with one */
	char *key; /* cache key; NULL: the kernel is not kept */
	int kept; /* saved to the store, or tried */
	size_t ran; /* number of the last call that launched it, from 1 */
	int queued; /* see clopt__kernels_queued */
	char *log; /* reason why it is struck out, with the compiler's log; or NULL */
	int wrong; /* struck out for a wrong result */
	int checked; /* see clopt__checked */
	struct kernel *next;
};

/* ---- program.c: the kernels of a context */
/* NULL: not a kernel of this context. */
struct kernel *clopt__kernel_of(const struct clopt *ctx, cl_kernel kernel);

/* ---- build.c: builds a kernel from source or from the cache */
/* Name of the kernel in messages. */
const char *clopt__kernel_called(const struct kernel *k);
/* Make program and kernel, from the cache or by the compiler.  Sets k->log if k is struck out. */
int clopt__program_build(struct clopt *ctx, struct kernel *k);
/* Save the program for other processes, if possible. */
void clopt__program_save(struct clopt *ctx, struct kernel *k);
/* The compiler's log.  The caller frees it, also after a failure. */
int clopt__build_log(const struct clopt *ctx, cl_program program, char **log);
/* Release program and kernel. */
void clopt__program_drop(struct kernel *k);
/* Strike k out, and keep the reason for later failures.  CLOPT_EBUILD. */
int clopt__strike_out(struct clopt *ctx, struct kernel *k, const char *format, ...)
        PRINTF_LIKE(3, 4);

/* ---- binary_cache.c: compiled programs in ctx->store */
/* *value: a pointer to the driver's answer, followed by a zero byte.  The caller frees it, also
 * after a failure. */
cl_int clopt__program_info(cl_program program, cl_program_info what, void *value, size_t *bytes);
/* *binary: the binary for ctx's device, or NULL; likewise. */
cl_int clopt__binary(const struct clopt *ctx, cl_program program, char **binary, size_t *size);
struct cache_text {
	const char *what; /* name of the kernel */
	const char *name, *options;
	const char **lines;
	size_t count;
	int retarget;
};
/* The cache key.  The caller frees it.  NULL: nothing is kept. */
char *clopt__cache_key(const struct clopt *ctx, const struct cache_text *text);
/* The program, not built yet, or NULL. */
cl_program clopt__cache_get(const struct clopt *ctx, const char *key);
/* Returns and sets errno as clopt__store_put does; a driver may give no binary: 0, errno 0. */
int clopt__cache_put(const struct clopt *ctx, const char *key, cl_program program);

/* ---- overlap.c: with KEEPS_APART, keeps launches that differ apart */
/* A launch in flight. */
struct flight {
	const struct clopt *ctx;
	struct kernel *kernel; /* NULL: the caller's, unknown here */
	cl_command_queue q;
	size_t width, local; /* local 0: the driver chooses */
	int offset; /* whether the launch has an offset */
	cl_event event;
	unsigned long number;
};
/* Call before the launch is queued, and after.  event NULL: queueing failed. */
void clopt__flight_begin(const struct flight *f);
void clopt__flight_end(const struct flight *f);
/* clopt__cache_put while no launch of the kernel runs. */
int clopt__cache_put_apart(const struct clopt *ctx, const struct kernel *k);

/* ---- tensor_map.c: the map of operand 0 or 1 of a product, without word 0.  Returns 0 if the
 * operand cannot have one. */
int clopt__tensor_map(const struct launch *l, unsigned operand, cl_ulong word[16]);
/* The same of planes, or of the high parts after them. */
int clopt__tensor_map_of_planes(const struct planes *p, int copied, cl_ulong word[16]);
/* The same of lines of `pitch` bytes, or of those that begin at `offset`; boxes of `high` lines. */
int clopt__tensor_map_of_bytes(size_t lines, size_t pitch, size_t offset, size_t high,
                               cl_ulong word[16]);

/* ---- enqueue.c */
int clopt__argument(struct clopt *ctx, cl_kernel kernel, cl_uint n, size_t bytes,
                    const void *value);
/* Log a command before a launch's last one, since the caller's event covers only the last. */
int clopt__log_kernel(struct clopt *ctx, cl_command_queue q, const char *name, cl_event event);
/* Queue one of the kernels that run before the row's; its arguments are set. */
struct first {
	cl_kernel kernel;
	size_t global[3], local[3];
};
int clopt__enqueue_first(struct clopt *ctx, cl_command_queue q, const struct launch *l,
                         const struct first *first, struct waits wait);

/* ---- planes.c: whether high parts follow the planes of a launch */
int clopt__planes_copied(const struct launch *l);
/* The kernel `planes` with its arguments, or NULL where there is nothing to split.  Sets the
 * arguments of `run` from n on, too. */
int clopt__planes_arguments(struct clopt *ctx, cl_command_queue q, const struct launch *l,
                            cl_uint n, struct first *first);

/* ---- int8.c: queues the kernels before `run`, and sets its arguments from n on */
int clopt__int8_first(struct clopt *ctx, cl_command_queue q, const struct launch *l, cl_uint n,
                      struct waits wait);

/* ---- aligned.c: gives the launch copies of the inputs that need one, and queues the copying. */
struct aligned {
	struct array copy[2];
	const struct array *arrays[3];
	struct clopt_problem problem;
};
int clopt__align(struct clopt *ctx, cl_command_queue q, struct launch *l, struct aligned *own,
                 struct waits wait);

/* ---- retarget.c: PTX for sm_90 into PTX for sm_90a */
/* Turn marked comments into instructions, and limit registers so that `groups` groups fit on a
 * compute unit at a time.  The caller frees the text.  NULL: *why is the reason, or NULL if there
 * was no memory. */
char *clopt__retarget(const char *ptx, size_t size, unsigned groups, const char **why);

#endif
