/* SPDX-License-Identifier: MIT */
/*
 * bench_plot.c - the routines on the device's roofline.
 *
 * Flops are what a routine is told by, and bytes those of its arrays, each moved once: what
 * a kernel reads twice is its own affair.  A transpose has no flops, so that each
 * element it moves stands for one, and its way to the roof is that of its GB/s.
 */
#include "bench.h"

#include <string.h>

#include "../plot/plot.h"

/* What serves the problem, or the one variant that was asked for. */
static const struct bench_entry *entry_of(const struct bench_problem *p)
{
	const struct bench_entry *e;

	for (e = p->entries; e < p->entries + p->n; e++)
		if (e->sound && (e->is_default || p->n == 1))
			return e;
	return NULL;
}

void bench_plot_add(struct bench_plot *plot, const struct bench_problem *p)
{
	const struct bench_entry *e = entry_of(p);
	const int drawn = p->op == CLOPT_MATMUL || p->op == CLOPT_TRANSPOSE ||
	                  p->op == CLOPT_POTENTIAL || p->op == CLOPT_NBODY;
	struct bench_point *at = &plot->point[plot->n];

	if (!drawn || !e || p->shape.elem_bytes != 4 || plot->n == BENCH_POINTS)
		return;
	if (p->op == CLOPT_MATMUL || p->op == CLOPT_TRANSPOSE)
		snprintf(at->label, sizeof at->label, "%s %zux%zu", clopt_op_name(p->op),
		         p->shape.dim[0], p->shape.dim[1]);
	else
		snprintf(at->label, sizeof at->label, "%s %zu by %zu", clopt_op_name(p->op),
		         p->shape.dim[0], p->shape.dim[1]);
	at->x = p->roof.flops_per_byte;
	at->kernel = e->kernel_median > 0.0 ? p->roof.per_second * e->rate : 0.0;
	at->call = p->roof.per_second * e->call_rate;
	at->roof = p->roof.per_second * p->roof.rate;
	plot->n++;
}

void bench_plot_write(const struct bench_plot *plot, const struct peaks *peaks, FILE *to)
{
	const double bandwidth = peaks->peak[PEAK_COPY].best, flops = peaks->peak[PEAK_FLOAT].best;
	struct plot_point point[BENCH_POINTS];
	char memory[64], peak[64];
	const struct plot_roofline r = {
		.x_label = "flops per byte of the arrays",
		.y_label = "GFLOP/s",
		.bandwidth_name = memory,
		.peak_name = peak,
		.bandwidth = bandwidth,
		.peak = flops,
		.point = point,
		.points = plot->n,
		.filled = "kernel alone",
		.hollow = "whole call, transfers included",
		.roof = "its roof, in turns with it",
		.note = "A transpose has no flops: each element it moves counts for one.",
	};
	size_t i;

	snprintf(memory, sizeof memory, "memory, copied: %.4g GB/s", bandwidth);
	snprintf(peak, sizeof peak, "float32 multiply-adds: %.4g GFLOP/s", flops);
	for (i = 0; i < plot->n; i++) {
		const struct bench_point *p = &plot->point[i];

		point[i] = (struct plot_point){ p->label, p->x, p->kernel, p->call, p->roof };
		/* A driver without times of kernels leaves the call. */
		if (!(p->kernel > 0.0))
			point[i].y = p->call;
	}
	plot_roofline_svg(to, peaks->info.name, &r);
}
