/* SPDX-License-Identifier: MIT */
/*
 * peak.h - the room of peaks: rates that a device reaches with kernels of one kind of work, and
 * the bound that they set to a problem.  It includes the room tool/.
 *
 * The bound of a kernel's rate is its roof: the rate that the device reaches with
 * multiply-adds alone, with reciprocal roots alone, with a copy alone.  They are
 * measured, since a datasheet knows neither the clock of today nor the machine
 * round the device.  After clpeak and the roofline model (Williams, Waterman,
 * Patterson, Communications of the ACM 52, 65 (2009)).
 */
#ifndef PEAK_H
#define PEAK_H

#include "../tool/tool.h"

enum peak_what {
	PEAK_FLOAT, /* multiply-adds, of two flops each */
	PEAK_DOUBLE,
	PEAK_HALF,
	PEAK_ROOT, /* 1 / sqrt(x), and one addition, of floats */
	PEAK_READ,
	PEAK_WRITE,
	PEAK_COPY, /* bytes read and bytes written */
	PEAKS
};

enum {
	PEAK_LEAST = 5 /* launches */
};

struct peak {
	struct tool_sample s; /* launches by their events; spent: the calls */
	int absent; /* the device has no such numbers */
	double amount; /* flops, roots or bytes of one launch */
	/* 1e9 of the unit a second; 0: not known.  best: by the shortest launch.
	 * Whatever else goes on in a machine makes a launch longer and never
	 * shorter. */
	double best, median;
};

struct peaks {
	struct clopt *ctx; /* one queue, profiled */
	struct clopt_device_info info;
	enum case_extent extent;
	struct peak peak[PEAKS];
	unsigned width; /* floats in a vector that suits the device */
	size_t group; /* work-items in one */
	size_t items[PEAK_READ]; /* work-items of a launch of arithmetic */
	size_t bytes; /* of each array of a launch on memory */
	float *from, *to; /* these arrays */
};

/* Measure all of them, each for so many seconds; a failure is the peak's own.  ctx
 * has one queue and profiles, and is no longer needed afterwards. */
void peaks_measure(struct peaks *p, struct clopt *ctx, const struct clopt_device_info *info,
                   enum case_extent extent, double seconds);

/* One of them again, in turns with something else on the same device: begin (0, or 1 if
 * memory ran out), launches, end.  launch: its time goes to s, or a verdict to the peak
 * and s after a failure. */
int peaks_begin(struct peaks *p, struct clopt *ctx, enum peak_what what);
void peak_launch(struct peaks *p, enum peak_what what, struct tool_sample *s);
void peaks_end(struct peaks *p);

const char *peak_name(enum peak_what what);
const char *peak_key(enum peak_what what); /* the same as one word */

/* How many of them are wrong or failed. */
size_t peaks_bad(const struct peaks *p);
void peaks_print(const struct peaks *p);
json_t *peaks_json(const struct peaks *p);

/* ----------------------------------------------------------- roof.c ---- */

/* The most that a problem's rate can be, in case_unit(). */
struct roof {
	double rate; /* 0: not known; by the peak's best launch, until roof_beside() */
	enum peak_what by; /* which of the device's peaks it is */
	double flops_per_byte; /* of its arrays, each moved once; a transpose: elements */
	double per_second; /* 1e9 flops (a transpose: elements) of a rate of 1 */
};

void roof_of(const struct peaks *p, int op, const struct shape *shape, struct roof *roof);

/* The same by launches that took their turns with the problem's own kernels, in the median:
 * a cause that slows one kind slows the other, too.  Sorts the times. */
void roof_beside(struct roof *roof, const struct peaks *p, struct tool_sample *s);

#endif
