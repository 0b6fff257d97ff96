/* SPDX-License-Identifier: MIT */
/*
 * peers.h - declarations of the program test/bench/peers.
 */
#ifndef PEERS_H
#define PEERS_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>
#include <stddef.h>
#include <stdio.h>

#include "clopt_device.h"
#include "clopt_tune.h"

enum {
	PEERS_NAME = 128
};

/* ---------------------------------------------------- peers_cases.c ---- */

/* C (m x n) = op(A) op(B), `batch' of them; or, with k = 0, the transpose of A (m x n).
 * Arrays are row-major and without gaps. */
struct peers_case {
	size_t elem_bytes;
	int pairs; /* elements are pairs of half so many bytes */
	int transa, transb; /* as in clopt.h */
	size_t m, n, k, batch;
};

/* The i-th, with no size above `most'; 0 past the last. */
int peers_case(size_t i, size_t most, struct peers_case *c);
void peers_case_name(const struct peers_case *c, char name[PEERS_NAME]);
double peers_case_flops(const struct peers_case *c); /* 0: a transpose */
double peers_case_bytes(const struct peers_case *c); /* read and written */

/* ------------------------------------------------------ peers_job.c ---- */

/* The device of a run.  On a processor all arrays are the program's own, and OpenCL's buffers use
 * them. */
struct peers_device {
	struct clopt *ctx;
	struct clopt_device_info info;
	int cpu;
	cl_context context;
	cl_command_queue queue;
	struct clopt_queue *order; /* the same queue */
	cl_program program;
	cl_kernel copy; /* peers_copy.c */
};

/* 0, or 1 after printing the reason. */
int peers_device_open(struct peers_device *d, const char *spec);
void peers_device_close(struct peers_device *d);

/* The arrays of a case: A, B and the result. */
struct peers_job {
	const struct peers_case *c;
	struct peers_device *d;
	void *host[3]; /* NULL on devices other than processors */
	cl_mem mem[3];
	struct clopt_buffer *buffer[3];
	size_t elems[3];
	void *in[2]; /* copies of A and B to compare with, or host's */
};

int peers_job_open(struct peers_job *j, struct peers_device *d, const struct peers_case *c);
void peers_job_close(struct peers_job *j);

/* Makes the output NaN, so that an earlier result is not taken for this one. */
int peers_job_spoil(struct peers_job *j);

/* The worst error of a sample, in units of the error bound; infinite if something fails. */
double peers_job_error(struct peers_job *j);

/* ----------------------------------------------------- peers_load.c ---- */

/* Libraries loaded at run time, so that building this program needs neither.  The functions' types
 * are CBLAS's and clblast_c.h's. */
struct peers_blas {
	void (*gemm[4])(void); /* of float, double, and the complex of both */
	void (*gemv[2])(void); /* [0]: float, [1]: double */
	void (*omatcopy[2])(void);
	char name[PEERS_NAME]; /* "": not installed */
};

struct peers_clblast {
	void (*gemm[2])(void);
	void (*batched[2])(void);
	void (*omatcopy[2])(void);
	char name[PEERS_NAME];
};

extern struct peers_blas peers_blas;
extern struct peers_clblast peers_clblast;

void peers_load(void);

/* ----------------------------------------------------- peers_call.c ---- */

/* The candidates: libclopt, the first, and its peers. */
struct peers_candidate {
	const char *name;
	int (*has)(const struct peers_job *j); /* whether it applies to the case */
	int (*call)(struct peers_job *j); /* 0: done, or queued; otherwise it failed */
	int exact; /* 0: the result is not checked */
	double goal; /* the peer's time by libclopt's that is aimed at */
};

enum {
	PEERS_CANDIDATES = 5
};

extern const struct peers_candidate peers_candidates[PEERS_CANDIDATES];

/* ----------------------------------------------------- peers_blas.c ---- */

int peers_call_openblas(struct peers_job *j);
int peers_call_clblast(struct peers_job *j);

/* ----------------------------------------------------- peers_copy.c ---- */

/* A copy of as many bytes as a transpose moves, in order. */
int peers_copy_open(struct peers_device *d);
int peers_call_copy(struct peers_job *j);
int peers_call_copy_buffer(struct peers_job *j);

/* --------------------------------------------------- peers_report.c ---- */

struct peers_result {
	char name[PEERS_NAME];
	const char *peer;
	double ratio, least, most; /* the peer's time by libclopt's */
};

struct peers_results {
	struct peers_result *list;
	size_t used, room;
};

/* 0, or 1 after printing the reason. */
int peers_results_add(struct peers_results *r, const struct peers_result *one);
/* FOLDER/matmul.csv, .svg and FOLDER/transpose.csv, .svg */
int peers_results_write(const struct peers_results *r, const char *folder, const char *device);
/* For each peer, how many cases are at its goal, and the worst. */
void peers_results_at_goal(const struct peers_results *r, FILE *to);

#endif
