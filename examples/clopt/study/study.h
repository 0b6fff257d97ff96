/* SPDX-License-Identifier: MIT */
/*
 * study.h - what the files of `clopt bench gem --ablation' and of `clopt bench OP
 * --ladder', OP being nbody, matmul or transpose, share.
 *
 * A study is a list of kernels that differ by one idea each.  They are rows of the
 * library's table like any other, but no device likes them: they are there to be
 * measured beside each other, and beside what the library picks.
 */
#ifndef STUDY_H
#define STUDY_H

#include "../tool/tool.h"

enum {
	STUDY_LEAST = 7, /* rounds */
	STUDY_MOST = 200,
	STUDY_PARTS = 2
};

/* One kernel of a study. */
struct study_row {
	const char *label; /* parts joined by '+', each the label of another row or its own */
	const char *variant; /* NULL: what the library picks */
	double published; /* its speed-up over the first row in the source; 0: not told */
	int part;
};

struct study {
	const char *title;
	const char *published; /* where those speed-ups are from; NULL: nowhere */
	/* Problems that are too different to be compared: the first row of each is what
	 * its others are compared with.  NULL: there is one, without a name. */
	const char *parts[STUDY_PARTS];
	int op;
	const struct study_row *rows;
	size_t n;
};

extern const struct study study_ablation, study_ladder, study_matmul, study_transpose;

/* How it went. */
struct study_entry {
	const struct study_row *row;
	const char *variant;
	char note[512]; /* why it has no time; "": it has */
	double seconds[STUDY_MOST]; /* of the kernel, by round */
	double median;
	double speedup; /* median over the rounds of its part's first row's time by its own */
	double least, most; /* of them */
	double product; /* of its parts' speed-ups; 0: it has one part, or not all are known */
};

struct study_result {
	const struct study *study;
	struct clopt_device_info info;
	char problem[160];
	double work[STUDY_PARTS]; /* as study_problem_work() */
	struct study_entry *entry;
	size_t rounds;
};

/* ------------------------------------------------- study_problem.c ---- */

/* What is computed: a molecule and its surface, a cloud of bodies, a product, or a
 * transpose. */
struct study_problem {
	int op;
	int part; /* of the study, whose problem the next call is */
	size_t nsources, ntargets;
	float *sources, *targets, *normals, *out;
	struct clopt_potential_options potential;
	struct clopt_nbody_options nbody;
	float *a, *b; /* matmul: m x k, k x m; transpose: m x m; out is m x m */
	size_t m, k;
};

/* size 0: what suits the device.  0, or 1 if memory ran out. */
int study_problem_open(struct study_problem *p, int op, enum case_extent extent, size_t size);
void study_problem_close(struct study_problem *p);
void study_problem_describe(const struct study_problem *p, char *text, size_t size);
void study_problem_ask(const struct study_problem *p, struct clopt_problem *problem);
int study_problem_call(struct clopt *ctx, struct study_problem *p);

/* Pairs; else bytes as the arrays have them: NVIDIA's guide's effective bandwidth. */
double study_problem_work(const struct study_problem *p);
const char *study_problem_unit(int op); /* 1e9 of it a second */

/* The worst error of some results, in units of what float32 may be off by. */
double study_problem_error(const struct study_problem *p);

/* --------------------------------------------------- study_matmul.c ---- */

/* The same for CLOPT_MATMUL.  Part 0 is C = A B, part 1 C = A A^T. */
int study_matmul_open(struct study_problem *p, enum case_extent extent, size_t size);
void study_matmul_ask(const struct study_problem *p, struct clopt_problem *problem);
int study_matmul_call(struct clopt *ctx, struct study_problem *p);
double study_matmul_error(const struct study_problem *p);

/* ------------------------------------------------ study_transpose.c ---- */

int study_transpose_open(struct study_problem *p, enum case_extent extent, size_t size);
void study_transpose_ask(const struct study_problem *p, struct clopt_problem *problem);
int study_transpose_call(struct clopt *ctx, struct study_problem *p);
double study_transpose_error(const struct study_problem *p);

/* -------------------------------------------------- study_report.c ---- */

void study_report_text(const struct study_result *r);
json_t *study_report_json(const struct study_result *r);
void study_report_csv(const struct study_result *r, FILE *to);
void study_report_svg(const struct study_result *r, FILE *to);

#endif
