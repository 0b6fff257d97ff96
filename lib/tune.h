/* SPDX-License-Identifier: MIT */
/*
 * tune.h - which variant is best, found by timing: classes of problems, settings of a
 * row's parameters, records of what was found.
 */
#ifndef CLOPT_TUNE_H
#define CLOPT_TUNE_H

#include "internal.h"

/* ---- class.c ---------------------------------------------------------------- */

#define CLASS_SIZE 160
int clopt__is_tuned(const struct clopt_problem *p);
void clopt__class_text(const struct clopt_problem *p, char *text, size_t size);
/* Of a problem that was checked: none that is asked for "best". */
const char *clopt__precision_name(int precision);
const char *clopt__outputs_name(int outputs);

/* ---- grid.c: a row with other values for its file's parameters ---------------- */

#define MOST_AXES 6
/* Which of its values each parameter has; 0: the row's own. */
struct point {
	unsigned at[MOST_AXES];
};
/* How many parameters the row's file has, and values, beside the row's own, one has. */
unsigned clopt__axes(const struct variant *row);
unsigned clopt__values(const struct variant *row, unsigned axis);
/* The row with those values, made once for a context and owned by it; the row itself for
 * its own.  NULL for want of memory. */
const struct variant *clopt__made(struct clopt *ctx, const struct variant *row,
                                  const struct point *point);
/* The row that a made one comes from, and its values. */
const struct variant *clopt__origin(const struct clopt *ctx, const struct variant *v,
                                    struct point *point);
void clopt__made_free(struct clopt *ctx);
/* The row of that name, made if need be; NULL, and why as words, if there is none.
 * length: of the name. */
const struct variant *clopt__named(struct clopt *ctx, const char *name, size_t length, char *why,
                                   size_t size);

/* ---- records.c --------------------------------------------------------------- */

/* Records that come with the library; ends with NULL. */
extern const char *const clopt__shipped[];

/* The file's name, to be freed; the environment is read by settings.c. */
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

/* ---- first_choice.c ---------------------------------------------------------- */

/* A choice in a short time, for a device that no record names. */
void clopt__first_choice(struct clopt *ctx, const struct clopt_problem *p);

#endif
