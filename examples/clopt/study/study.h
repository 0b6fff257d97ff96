/* SPDX-License-Identifier: MIT */
/*
 * study.h - the room of `clopt bench gem --ablation' and `clopt bench OP --ladder', OP being
 * nbody, matmul or transpose.  It includes the rooms tool/ and plot/.
 *
 * A study is a list of kernels that differ by one idea each.  They are rows of the
 * library's table that no device likes: they are measured beside each other, and beside
 * the library's choice.
 */
#ifndef STUDY_H
#define STUDY_H

#include "../tool/tool.h"

enum {
	STUDY_LEAST = 7, /* rounds */
	STUDY_PARTS = 2
};

/* One kernel of a study. */
struct study_row {
	const char *label; /* parts joined by '+', each the label of another row or its own */
	const char *variant; /* NULL: the library's choice */
	double published; /* its speed-up over the first row in the source; 0: not told */
	int part;
};

struct study {
	const char *title;
	const char *published; /* the device of these speed-ups; NULL: there are none */
	/* Problems that are too different to be compared: a row is compared with the first
	 * of its part.  NULL: there is one part, without a name. */
	const char *parts[STUDY_PARTS];
	int op;
	struct shape shape[STUDY_PARTS]; /* a dimension of 0 is the study's size */
	size_t size[3]; /* by enum case_extent */
	const char *problem; /* in words, with a %zu for the size */
	const struct study_row *rows;
	size_t n;
};

extern const struct study study_ablation, study_ladder, study_matmul, study_transpose;

/* The problem of a part; size 0: the size that suits the device. */
struct shape study_shape(const struct study *study, int part, enum case_extent extent, size_t size);

int tool_study(const struct tool_args *args);

#endif
