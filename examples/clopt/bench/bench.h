/* SPDX-License-Identifier: MIT */
/*
 * bench.h - the room of `clopt bench': all variants of a routine on the same problem.
 * It includes the rooms peak/ and plot/.
 */
#ifndef BENCH_H
#define BENCH_H

#include "../peak/peak.h"
#include "../plot/plot.h"

/* One variant on one problem. */
struct bench_entry {
	struct tool_sample call; /* spent: kernel and call */
	struct tool_sample kernel;
	const char *variant; /* NULL: the library's choice, until the first call has told */
	int is_default;
	int checked; /* the sample was compared */
	struct case_result check;
	double first; /* seconds of the first call in a context, which compiles */
	double kernel_median, call_median; /* kernel: 0 if the driver has no times */
	double rate, call_rate; /* by either; rate: by the call where there is no other */
	double share; /* of the best variant's rate */
	double of_roof; /* share of the problem's roof; 0: not known */
};

struct bench_problem {
	int op;
	struct shape shape;
	struct roof roof; /* by launches between those of the variants */
	struct bench_entry *entries; /* and one more for the launches of the roof */
	size_t n;
};

int tool_bench(const struct tool_args *args);

/* -------------------------------------------------------- measure.c ---- */

/* The variants that can run here, or the one that was asked for, or the library's choice.
 * 0, or 1 if memory ran out. */
int bench_problem_open(struct bench_problem *p, struct clopt *ctx, const struct tool_args *args);
void bench_problem_close(struct bench_problem *p);

/* Calls on ctx, kernels in one piece on `whole', and among them launches of the peak that
 * is the roof.  0, or 1 if memory ran out. */
int bench_problem_measure(struct bench_problem *p, struct clopt *ctx, struct clopt *whole,
                          struct peaks *peaks, const struct tool_args *args);

/* --------------------------------------------------------- report.c ---- */

/* The problem and its variants; also as a table on stdout, and as CSV. */
json_t *bench_report_json(const struct bench_problem *p);
void bench_report_text(const struct bench_problem *p, const json_t *json);
void bench_report_csv(const json_t *json, FILE *to, int head);

enum {
	BENCH_POINTS = 8
};

/* The routines in float32, each by the variant that serves it, on their way to a
 * roofline plot. */
struct bench_plot {
	size_t n;
	char label[BENCH_POINTS][64];
	struct plot_point point[BENCH_POINTS];
};

/* Take the problem up, unless it is none of those. */
void bench_plot_add(struct bench_plot *plot, const struct bench_problem *p);
void bench_plot_write(struct bench_plot *plot, const struct peaks *peaks, FILE *to);

#endif
