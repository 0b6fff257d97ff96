/* SPDX-License-Identifier: MIT */
/*
 * choose.h - which row serves a problem: by table, record or timing.
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
	struct text *lines; /* gets what is met on the way; NULL: nobody asks */
};
/* *v: on CLOPT_ENOMEM the row that the text is about, if it is the problem that is too
 * large. */
int clopt__select(struct clopt *ctx, const struct clopt_problem *problem,
                  const struct selection *how, const struct variant **v, cl_kernel *kernel);
/* compare.c: the choice of a call.  Where the caller allows time for it (tune_seconds) and
 * no record names the device, variants are compared first; the kernel is kept for other
 * processes. */
int clopt__choose(struct clopt *ctx, const struct clopt_problem *problem, int resident,
                  const struct variant **v, cl_kernel *kernel);
int clopt__would_compare(struct clopt *ctx, const struct clopt_problem *problem);
/* force.c: read a list of names into forced[CLOPT_OPS]; rows that have to be made are ctx's.
 * Failures are told to `who`, and name the list's source. */
int clopt__force(struct clopt *ctx, const struct clopt *who, const char *source, const char *names,
                 const struct variant **forced);
/* Whether the row can serve, as far as can be known without building it; or why not. */
int clopt__can_serve(const struct clopt *ctx, const struct variant *v,
                     const struct clopt_problem *p, char *why, size_t size);

/* match.c: whether a row that can serve a problem is meant for it; if not, why.  resident as
 * for clopt__choose.  Closely: what the class of a problem does not tell, so that records
 * and tuning have to ask too; it is the length of sums, for the errors' sake, and what
 * rows of arrays are like. */
int clopt__matches(const struct clopt *ctx, const struct variant *v, const struct clopt_problem *p,
                   int resident, char *why, size_t size);
int clopt__matches_closely(const struct variant *v, const struct clopt_problem *p, int resident,
                           char *why, size_t size);

/* ---- records.c --------------------------------------------------------------- */

/* Records that come with the library; ends with NULL. */
extern const char *const clopt__shipped[];

/* The file's name, to be freed; the environment is read by options.c. */
int clopt__records_open(struct clopt *ctx, const char *path);
void clopt__records_free(struct clopt *ctx);
/* The variant that is on record for the problem, and in words where; NULL: none. */
const struct variant *clopt__record(struct clopt *ctx, const struct clopt_problem *p,
                                    const char **where);
/* Whether any record names this device, not just a kind of devices, for the operation. */
int clopt__device_known(struct clopt *ctx, int op);
/* CLOPT_EINVAL, if the file is there and cannot be written. */
int clopt__records_writable(const struct clopt *ctx);
/* Keep what was found; with `write`, in the file too, whose failure is CLOPT_EINVAL. */
int clopt__record_add(struct clopt *ctx, const struct clopt_problem *p, const struct variant *v,
                      double units_per_second, int write, char *line, size_t size);

/* Until the context closes, and in no list: the choice for a class. */
int clopt__record_guess(struct clopt *ctx, const char *class, const struct variant *v);

/* ---- timing.c ---------------------------------------------------------------- */

/* Seconds that the row's kernel takes for the problem on device memory, the median of
 * as many launches as fit into `window` seconds, one at the least, beside one before. */
int clopt__time_row(struct clopt *ctx, const struct variant *v, const struct clopt_problem *p,
                    double window, double *seconds);
/* For qsort of doubles. */
int clopt__ascending(const void *a, const void *b);
/* CLOPT_ENOMEM if its arrays do not fit the device, each in one piece. */
int clopt__whole_fits(const struct clopt *ctx, const struct clopt_problem *p);

/* ---- search.c ---------------------------------------------------------------- */

#define MOST_CANDIDATES 512
#define WORTH 0.98 /* of the default's time: what it takes to be put in its place */

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

/* What has fewer units: the largest size is halved until there are no more than that. */
struct clopt_problem clopt__reduced(const struct clopt_problem *p, double units);
/* ctx, p and o are set: the table's own choice, and a part that fits the device. */
int clopt__search_begin(struct search *s);
/* Time one that was not tried before.  What is wrong with it alone is no failure. */
int clopt__search_try(struct search *s, const struct variant *v, double window);
/* Whether there is time for more, up to a share of the budget. */
int clopt__search_goes_on(const struct search *s, double share);
/* NULL: none runs; none such was tried. */
struct candidate *clopt__search_best(struct search *s);
struct candidate *clopt__search_find(struct search *s, const struct variant *v);
/* For as long as the budget; *choice is NULL if nothing could be timed in the end. */
int clopt__search(struct search *s, const struct candidate **choice);

/* estimate.c: run the kernel on smaller problems of the kind for some milliseconds, and
 * keep its throughput. */
int clopt__measure_throughput(struct clopt *ctx, const struct variant *v, cl_kernel kernel,
                              const struct clopt_problem *problem);

#endif
