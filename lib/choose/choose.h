/* SPDX-License-Identifier: MIT */
/*
 * choose.h - which row serves a problem: by table or record; and records, by timing.
 */
#ifndef CLOPT_CHOOSE_CHOOSE_H
#define CLOPT_CHOOSE_CHOOSE_H

#include "../table/table.h"

/* select.c: the walk over the table. */
struct selection {
	/* Not 0: the arrays are on the device already, so they need not fit in bands.
	 * RESIDENT_ODD: and rows of inputs do not all begin at multiples of ROW_CHUNK bytes. */
	int resident;
	int by_table; /* records do not count */
	int unbuilt; /* no row is built: the first that should serve, and *kernel is NULL */
	struct text *lines; /* gets each step of the walk in words; NULL: no text is wanted */
};
/* *v: on CLOPT_ENOMEM for a problem that is too large, the row that the text is about. */
int clopt__select(struct clopt *ctx, const struct clopt_problem *problem,
                  const struct selection *how, const struct variant **v, cl_kernel *kernel);
/* The choice of a call, whose kernel is kept for other processes. */
int clopt__choose(struct clopt *ctx, const struct clopt_problem *problem, int resident,
                  const struct variant **v, cl_kernel *kernel);
/* Read a list of names into forced[CLOPT_OPS]; ctx owns rows made from settings.  Failures
 * are told to `who` and name the list's source. */
int clopt__force(struct clopt *ctx, const struct clopt *who, const char *source, const char *names,
                 const struct variant **forced);
/* Whether the row can serve, as far as is known without building it; if not, why (NULL: not wanted,
 * so no call spends time on words that nobody reads). */
int clopt__can_serve(const struct clopt *ctx, const struct variant *v,
                     const struct clopt_problem *p, int resident, struct text *why);

/* match.c: whether a row that can serve a problem is meant for it; if not, why.  resident is as for
 * clopt__choose.  matches_closely: the tests that the class of a problem does not cover, so records
 * and tuning make them too: the length of sums (for the errors), and where rows of arrays begin. */
int clopt__matches(const struct clopt *ctx, const struct variant *v, const struct clopt_problem *p,
                   int resident, struct text *why);
int clopt__matches_closely(const struct variant *v, const struct clopt_problem *p, int resident,
                           struct text *why);

/* ---- records.c --------------------------------------------------------------- */

/* Records that come with the library; the list ends with NULL. */
extern const char *const clopt__shipped[];

/* path is the file's name, which the context frees; options.c reads the environment.  CLOPT_EIO if
 * the user named it and it cannot be read. */
int clopt__records_open(struct clopt *ctx, const char *path, int named);
void clopt__records_free(struct clopt *ctx);
/* The variant on record for the problem, and *where in words; NULL: none. */
const struct variant *clopt__record(struct clopt *ctx, const struct clopt_problem *p,
                                    const char **where);
/* CLOPT_EIO if the file exists and cannot be written. */
int clopt__records_writable(const struct clopt *ctx);
/* Keep a record; with `write` in the file too.  CLOPT_EIO if writing fails. */
int clopt__record_add(struct clopt *ctx, const struct clopt_problem *p, const struct variant *v,
                      double units_per_second, int write, char *line, size_t size);
/* Add the records in a text that this library can read, of any device, to the file, but those that
 * it has; *added says how many.  CLOPT_EINVAL: there is no file; CLOPT_EIO. */
int clopt__records_merge(struct clopt *ctx, const char *text, size_t *added);

/* ---- timing.c ---------------------------------------------------------------- */

/* Seconds that the row's kernel takes for the problem on device memory: the median of as many
 * launches as fit into `window` seconds, at least one, after a warm-up. */
int clopt__time_row(struct clopt *ctx, const struct variant *v, const struct clopt_problem *p,
                    double window, double *seconds);
/* For qsort of doubles. */
int clopt__ascending(const void *a, const void *b);
/* CLOPT_ENOMEM unless each of its arrays fits the device in one piece. */
int clopt__whole_fits(const struct clopt *ctx, const struct clopt_problem *p);

/* ---- search.c ---------------------------------------------------------------- */

#define MOST_CANDIDATES 512

struct candidate {
	const struct variant *v;
	double seconds; /* 0: it does not run */
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
	int ended; /* by the caller */
};

/* ctx, p and o are set.  Finds the table's choice, and a part of p that fits the device. */
int clopt__search_begin(struct search *s);
/* Search until the budget ends; *choice is NULL if the last timings all failed. */
int clopt__search(struct search *s, const struct candidate **choice);

/* estimate.c: run the kernel on smaller problems of the kind for some milliseconds, and keep its
 * throughput. */
int clopt__measure_throughput(struct clopt *ctx, const struct variant *v, cl_kernel kernel,
                              const struct clopt_problem *problem);
/* Seconds that ctx alone takes for so many units of work; known NULL: by an assumed throughput. */
double clopt__units_seconds(const struct clopt *ctx, const struct throughput *known, double units);

#endif
