/* SPDX-License-Identifier: MIT */
/*
 * choose.h - the row that serves a problem, by the table or by a record of tuning; and tuning.
 */
#ifndef CLOPT_CHOOSE_CHOOSE_H
#define CLOPT_CHOOSE_CHOOSE_H

#include "../table/table.h"

/* select.c: the walk over the table. */
struct selection {
	/* Not 0: the arrays are on the device, so no bands are cut.  RESIDENT_ODD: not all rows of
	 * inputs are aligned to ROW_CHUNK bytes either. */
	int resident;
	int by_table; /* ignore records */
	int unbuilt; /* build no kernel: take the first row that should serve; *kernel is NULL */
	struct text *lines; /* gets each step of the walk in words, or NULL */
};
/* *v: on CLOPT_ENOMEM for a problem that is too large, the row that the message describes. */
int clopt__select(struct clopt *ctx, const struct clopt_problem *problem,
                  const struct selection *how, const struct variant **v, cl_kernel *kernel);
/* The choice of a call.  Its kernel is saved for other processes. */
int clopt__choose(struct clopt *ctx, const struct clopt_problem *problem, int resident,
                  const struct variant **v, cl_kernel *kernel);
/* Read a list of names into forced[CLOPT_OPS]. ctx owns rows made from settings.  Failures are set
 * in `who` and name the list's source. */
int clopt__force(struct clopt *ctx, const struct clopt *who, const char *source, const char *names,
                 const struct variant **forced);
/* Whether the row can serve, as far as is known without building it; if not, why. why NULL: no text
 * is wanted, so no call spends time on it. */
int clopt__can_serve(const struct clopt *ctx, const struct variant *v,
                     const struct clopt_problem *p, int resident, struct text *why);

/* match.c: whether a row that can serve a problem is meant for it; if not, why. resident: as for
 * clopt__choose. matches_closely: only the tests that a problem's class does not cover, namely the
 * length of sums (for the errors) and the alignment of rows.  Records and tuning make these too. */
int clopt__matches(const struct clopt *ctx, const struct variant *v, const struct clopt_problem *p,
                   int resident, struct text *why);
int clopt__matches_closely(const struct variant *v, const struct clopt_problem *p, int resident,
                           struct text *why);

/* ---- records.c --------------------------------------------------------------- */

/* Records that come with the library, with NULL at the end. */
extern const char *const clopt__shipped[];

/* path: the file's name, or NULL (options.c reads the environment).  CLOPT_EIO if the user named
 * the file and it cannot be read. */
int clopt__records_open(struct clopt *ctx, const char *path, int named);
void clopt__records_free(struct clopt *ctx);
/* The variant on record for the problem, or NULL. *where: the record's source, in words. */
const struct variant *clopt__record(struct clopt *ctx, const struct clopt_problem *p,
                                    const char **where);
/* CLOPT_EIO if the file exists and cannot be written. */
int clopt__records_writable(const struct clopt *ctx);
/* Keep a record, and write it to the file if `write`. CLOPT_EIO if that fails. */
int clopt__record_add(struct clopt *ctx, const struct clopt_problem *p, const struct variant *v,
                      double units_per_second, int write, char *line, size_t size);
/* Append the records of a text to the file: those of any device that this library can read and the
 * file lacks.  *added: their number.  CLOPT_EINVAL: no file is set; CLOPT_EIO. */
int clopt__records_merge(struct clopt *ctx, const char *text, size_t *added);

/* ---- timing.c ---------------------------------------------------------------- */

/* Seconds of the row's kernel for the problem on device memory.  The median of as many launches as
 * fit into `window` seconds, at least one, after a warm-up. */
int clopt__time_row(struct clopt *ctx, const struct variant *v, const struct clopt_problem *p,
                    double window, double *seconds);
/* Compares doubles for qsort. */
int clopt__ascending(const void *a, const void *b);
/* CLOPT_ENOMEM unless each array of the problem fits the device in one piece. */
int clopt__whole_fits(const struct clopt *ctx, const struct clopt_problem *p);

/* ---- search.c ---------------------------------------------------------------- */

#define MOST_CANDIDATES 512

struct candidate {
	const struct variant *v;
	double seconds; /* 0: it fails */
};

struct search {
	struct clopt *ctx;
	struct clopt_problem p;
	struct clopt_tune_options o;
	double start;
	struct candidate list[MOST_CANDIDATES];
	size_t count;
	const struct variant *by_table; /* the choice without tuning */
	uint64_t random;
	int ended; /* the caller ended the search */
};

/* Find the table's choice, and a part of p that fits the device. ctx, p and o are set. */
int clopt__search_begin(struct search *s);
/* Search until the budget ends; *choice is NULL if the last timings all failed. */
int clopt__search(struct search *s, const struct candidate **choice);

/* Halve the problem's largest size until it has at most `units`. */
struct clopt_problem clopt__reduced(const struct clopt_problem *p, double units);

/* estimate.c: measure the kernel's throughput on smaller problems of the kind, for some
 * milliseconds. */
int clopt__measure_throughput(struct clopt *ctx, const struct variant *v, cl_kernel kernel,
                              const struct clopt_problem *problem);
/* Seconds that ctx alone needs for `units` of work. known NULL: by an assumed throughput. */
double clopt__units_seconds(const struct clopt *ctx, const struct throughput *known, double units);

#endif
