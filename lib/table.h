/* SPDX-License-Identifier: MIT */
/*
 * table.h - operations, and the variants of their kernels; variants.c holds them.
 * internal.h includes it.
 */
#ifndef CLOPT_TABLE_H
#define CLOPT_TABLE_H

#include "clopt.h"

/*
 * An operation, and so the signature of its kernels: `dims` sizes (ulong); if
 * `pitched`, the row length of each operand in elements (ulong); if `batched`, the
 * elements from one matrix of it to the next (ulong); if `triangular`, by how many
 * rows the block of the result lies lower than right (long); `reals` numbers of the
 * problem's precision, MAX_REALS of them as one vector; `operands` arrays.
 */
#define MAX_OPERANDS 5
#define MAX_REALS 16

struct op {
	const char *name;
	/* Files of cl/ that go before a row's own; a law's goes before the last. */
	const char *prelude[3];
	unsigned dims, reals, operands, pitched, batched;
	const char *operand
	        [MAX_OPERANDS]; /* as the public routine calls them; the last is the result */
	unsigned extent[2]; /* the dims that the grid covers along x and y */
	unsigned cut[2]; /* the dims that are cut, the preferred one first */
	unsigned sum; /* the dim that results are sums over: cut when nothing else helps */
	unsigned keep; /* the number that old results are multiplied by, for those parts */
	size_t part_bytes; /* what a result of more than float32 takes between parts: see work.c */
	unsigned triangular;
};

#define NO_DIM 3u /* in the fields above: none */

struct variant {
	enum clopt_op op;
	const char *name;
	const char *file; /* under cl/ */
	const char *options; /* for the compiler, beyond the geometry */
	size_t wg[2]; /* work-items in a group */
	size_t out[2]; /* results a group makes, along the same axes */
	unsigned needs; /* traits without which it cannot run */
	unsigned likes; /* traits without which it is not picked */
	unsigned align; /* elements: where arrays have to begin that it reads as vectors */
	unsigned images; /* operands that it reads as image2d_t, one bit each */
	unsigned texels; /* operands that it reads as image1d_buffer_t */
	unsigned precisions; /* of enum clopt_precision, one bit each; 0: float or double arrays */
	unsigned laws; /* of enum clopt_law, one bit each; 0: all of the operation's */
	unsigned few; /* not picked for more results than this a compute unit; 0: for any */
	unsigned outputs; /* of enum clopt_outputs, one bit each; 0: all */
	const char *prelude; /* under cl/, go right before the file, with blanks between; or NULL */
	int spread; /* 1: groups share the results evenly, `out` at most */
	unsigned fill; /* not picked for fewer groups than these percent of the compute units */
	unsigned sizes; /* bytes of elements it is for, ORed; 0: 4 or 8 */
	unsigned shapes; /* of enum shape_class, that it is picked for; 0: all */
	int math; /* of enum clopt_math, that has to be allowed */
	unsigned narrow; /* matmul: not picked for more columns; 0: for any */
	unsigned broad; /* matmul: not picked for fewer columns */
	unsigned deep; /* not picked for sums of fewer terms */
	unsigned shallow; /* not picked for sums of more terms; 0: for any */
	int rows16; /* 1: not picked where rows of inputs begin at odd places (ROW_CHUNK) */
	/* Not 0: its PTX goes through clopt__retarget, and has registers for so many groups on a
	 * compute unit at a time. */
	int retarget;
	int uneven; /* transpose: 1: picked only where rows begin off 16 bytes */
};

/* What a product's sizes are like; for picking only.  It has one of them. */
enum shape_class {
	SHAPE_VECTOR = 1, /* m or n is 1 */
	SHAPE_BATCH = 2, /* many products, of 64 x 64 at most or with a vector */
	SHAPE_SMALL = 4, /* m, n, k up to SMALL: the launch counts */
	SHAPE_DEEP = 8, /* too few tiles of C for the device, but a long k */
	SHAPE_PLAIN = 16
};
#define SMALL 192

/* suit.c: whether a row that can serve a problem is meant for it; if not, why.  resident as
 * for clopt__choose.  Closely: what the class of a problem does not tell, so that records
 * and tuning have to ask too; it is the length of sums, for the errors' sake, and what
 * rows of arrays are like. */
#define RESIDENT_ODD 2
#define ROW_CHUNK 16u
int clopt__suits(const struct clopt *ctx, const struct variant *v, const struct clopt_problem *p,
                 int resident, char *why, size_t size);
int clopt__suits_closely(const struct variant *v, const struct clopt_problem *p, int resident,
                         char *why, size_t size);

/* What a pair adds; the row of enum clopt_law. */
struct law {
	enum clopt_op op;
	const char *name, *file, *options; /* as in struct variant */
	unsigned flops[2]; /* for the potential; with the field */
};
extern const struct law clopt__laws[CLOPT_LAWS];
/* The precisions that a law has; nothing but double-single is picky. */
int clopt__law_has(int law, int precision);

extern const struct op clopt__ops[CLOPT_OPS];
extern const struct variant clopt__variants[]; /* ends with a NULL name */

/* cl/ as text, made by embed.awk; ends with a NULL file. */
struct source {
	const char *file;
	const char *const *lines;
	size_t count;
};
extern const struct source clopt__sources[];
/* Of the files of lib/ that make a kernel of them and judge it, as the Makefile lists. */
extern const char clopt__digest[];

#endif
