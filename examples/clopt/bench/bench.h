/* SPDX-License-Identifier: MIT */
/*
 * bench.h - what the files of `clopt bench' share: one problem and all variants that run
 * it here.
 */
#ifndef BENCH_H
#define BENCH_H

#include "../peak/peak.h"

enum {
	BENCH_REPEATS = 1000
};

/* One variant on one problem. */
struct bench_entry {
	const char *variant; /* NULL: what is picked, until the first call has told */
	int is_default;
	int sound; /* it ran, and the sample was right */
	int checked; /* the sample was compared */
	struct case_result check;
	char note[512]; /* why it is not sound */
	double first; /* seconds of the first call in a context, which compiles */
	double *kernel, *call; /* seconds of each repeat */
	size_t repeats;
	double spent; /* seconds of all of them */
	double kernel_median, call_median; /* kernel: 0 if the driver has no times */
	double rate, call_rate; /* by either; rate: by the call where there is no other */
	double share; /* of the best variant's rate */
	double of_roof; /* share of the problem's roof; 0: not known */
};

struct bench_problem {
	int op;
	struct shape shape;
	struct roof roof; /* by launches between those of the variants */
	struct case_job *job; /* while it is measured */
	struct bench_entry *entries;
	size_t n;
};

/* -------------------------------------------------- bench_measure.c ---- */

/* The variants that can run here, or the one that was asked for, or what is picked.  0, or
 * 1 if memory ran out. */
int bench_problem_open(struct bench_problem *p, struct clopt *ctx, const struct tool_args *args);
void bench_problem_close(struct bench_problem *p);

/* Calls on ctx, kernels in one piece on `whole', and among them launches of the peak that
 * is the roof.  0, or 1 if memory ran out. */
int bench_problem_measure(struct bench_problem *p, struct clopt *ctx, struct clopt *whole,
                          struct peaks *peaks, const struct tool_args *args);

/* --------------------------------------------------- bench_report.c ---- */

/* A table of one problem on stdout. */
void bench_report_text(const struct bench_problem *p);
json_t *bench_report_json(const struct bench_problem *p);
void bench_report_csv(const struct bench_problem *p, FILE *to, int head);

/* ----------------------------------------------------- bench_plot.c ---- */

enum {
	BENCH_POINTS = 8
};

/* The routines in float32, each by the variant that serves it, on their way to a
 * roofline plot. */
struct bench_plot {
	size_t n;
	struct bench_point {
		char label[64];
		double x, kernel, call, roof;
	} point[BENCH_POINTS];
};

/* Take the problem up, unless it is none of those. */
void bench_plot_add(struct bench_plot *plot, const struct bench_problem *p);
void bench_plot_write(const struct bench_plot *plot, const struct peaks *peaks, FILE *to);

#endif
