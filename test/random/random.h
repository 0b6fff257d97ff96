/* SPDX-License-Identifier: MIT */
/*
 * random.h - random calls against plain C, in families: each call draws its arguments from
 * the seed and its number only, so that a wrong call can be repeated alone.
 *
 *	CLOPT_TEST_RANDOM=N          N calls instead of a few hundred
 *	CLOPT_TEST_RANDOM=N@FIRST    N calls from number FIRST on: 1@FIRST repeats and prints one
 *	CLOPT_TEST_SEED=S            another seed
 *	CLOPT_TEST_CACHE=FOLDER      keeps compiled kernels there, for faster long runs
 *	CLOPT_TEST_TELL=1            prints each number before its call, to find a crash
 */
#ifndef RANDOM_H
#define RANDOM_H

#include <stdint.h>

#include "suites.h"

/* Unit roundoffs. */
#define BFLOAT16_UNIT 0x1p-8
#define HALF_UNIT 0x1p-11
#define FLOAT_UNIT 0x1p-24
#define DOUBLE_UNIT 0x1p-53

struct random {
	uint64_t state;
};

/* A generator of its own for each pair of numbers, by the seed. */
struct random random_of(uint64_t a, uint64_t b);

uint64_t random_bits(struct random *r);
size_t random_below(struct random *r, size_t n); /* 0 to n - 1; 0 for n = 0 */
int random_one_in(struct random *r, size_t n);
double random_between(struct random *r, double least, double most);
double random_decades(struct random *r, double least, double most); /* 10 to a power between */
/* The size of a matrix or list: 1 to 40 as a rule, sometimes to 300, rarely 0. */
size_t random_size(struct random *r);
/* A finite value, of one family for a call: see its definition. */
enum {
	VALUES_INTEGERS = 1, /* small: no rounding */
	VALUES = 10
};
double random_value(struct random *r, int family, size_t i, size_t n);

/* How a routine is called. */
enum {
	FORM_HOST,
	FORM_STARTED,
	FORM_BUFFERS,
	FORM_COUNT
};

struct variant;

struct call {
	uint64_t number;
	struct random r; /* the call's own numbers */
	struct random kernel; /* and those for which a kernel is compiled, of which there are few */
	struct clopt *ctx;
	const struct clopt_options *options;
	int form;
	int wrong, again;
	char text[2048]; /* its arguments */
	/* Of a walk over the rows of the table (test/walk/walk.c): */
	const struct variant *row; /* the row that serves the call; NULL: no walk */
	struct walk *walk;
	int (*serves)(struct call *c, /* in the walk; NULL: all do */
	              const struct clopt_problem *p);
	size_t index, tile[3]; /* its number; what it takes at a time along each size, or 0 */
	size_t most; /* the largest size; 0: any */
	unsigned deep; /* 1 + the size that results are sums over: many tiles of it for few results;
	                  0: any */
	size_t limit; /* of memory; set to the least if that is more */
	int type; /* of results' numbers (enum clopt_type), whose NaNs have any bits; 0: no
	             numbers */
	int unserved; /* the row is for other problems, */
	int lacks; /* or takes more local memory than there is, which only a build tells */
	int first; /* of the problem's ways */
	int compared; /* with the bits of the first */
	uint64_t bits; /* a hash of the results */
};

/* Of all contexts. */
extern struct clopt_device_info random_device;

/* Adds to the call's text; reports its result as wrong, of which the first reports are printed. */
void call_say(struct call *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
void call_wrong(struct call *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* random_size, or in a walk about a few of the row's tiles along this size. */
size_t call_size(struct call *c, unsigned dim);
/* The work allowed: at most this much, or under a memory limit as much as a hundred blocks or so
 * do: a device's memory holds one block at a time, limit / unit to this power. */
double call_work(const struct call *c, double most, double unit, double power);
/* Forces a row that can serve the problem, or none, until call_unforce; in a walk its row.  0: that
 * is for other problems. */
int call_force(struct call *c, const struct clopt_problem *problem);
void call_unforce(struct call *c);
/* Whether there is a result. */
int call_succeeded(struct call *c, int rc);
/* Whether the call is to be made once more: the limit was too small, and now is the one that the
 * failure told, which has to do. */
int call_again(struct call *c, int rc);
/* Until call_unforce: another limit. */
void call_limit(struct call *c, size_t bytes);
/* Until call_unforce: without the limit, and by the row that served the last call.  Returns whether
 * bits must be the same: rows that are only measured add results where memory cut their sums. */
int call_uncut(struct call *c);
/* The status of a started call, or of its start. */
int call_collected(int rc, struct clopt_call **started);

/* An array with guard bytes on both sides, at any alignment. */
struct host {
	struct call *c;
	void *data;
	size_t bytes, align; /* align: of an element */
	unsigned char *block, *before;
	size_t block_bytes;
	int pinned;
	struct clopt_buffer *buffer; /* FORM_BUFFERS: the call's buffer */
};
/* Opens it with all bits set; align: bytes of an element. */
void host_open(struct host *h, struct call *c, size_t bytes, size_t align);
/* After filling: keeps a copy, and uploads it where the form uses buffers. */
void host_ready(struct host *h);
/* After the call: downloads it. */
void host_back(struct host *h);
/* Marks the bytes at `at' as judged. */
void host_judged(struct host *h, const void *at, size_t bytes);
/* Checks that all other bytes are unchanged. */
void host_close(struct host *h, const char *name);

void random_product(struct call *c);
/* A product of the caller's numbers, each rounded to its type, in arrays without gaps; `number`
 * also gives those of the old C.  Fails the test, after a line that says where, unless errors are
 * at most so many units of float32 of the magnitudes of all terms, and the rounding to the type. */
void product_of(struct clopt *ctx, const struct clopt_gemm_desc *g,
                double (*number)(void *user, int of_b, size_t line, size_t term), void *user,
                double roundings, const char *what);
void random_transpose(struct call *c);
void random_pair(struct call *c);
void random_bodies(struct call *c);
void random_buffers(struct call *c);
void random_map(struct call *c);
void random_points(struct call *c);
void random_outlier(struct call *c);

#endif
