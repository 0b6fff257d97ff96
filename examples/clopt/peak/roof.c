/* SPDX-License-Identifier: MIT */
/*
 * roof.c - the device's peak that bounds a problem, and the rate of that bound.
 *
 * A product has the multiply-adds of its type, or the memory's copy if its arrays are large
 * for the work in them.  A transpose has the copy.  A sum over pairs in float32 has
 * the lower of two: each pair takes some instructions of the pipe that does
 * multiply-adds (an addition or a product alone takes as long as both), and
 * some special functions, of which reciprocal roots were measured.  That is a bound
 * also where one pipe does both; there it cannot be reached.
 */
#include <math.h>
#include <string.h>

#include "peak.h"

/* Of one pair, as few as any of cl/pair/ has for the law: instructions of the
 * multiply-add pipe; roots, reciprocals and exponentials. */
static const struct {
	double instructions, special;
} pairs[CLOPT_LAWS] = {
	/* A difference of three, its square of three, the sum of one. */
	[CLOPT_LAW_COULOMB] = { 7, 1 },
	[CLOPT_LAW_ALPB] = { 7, 1 },
	[CLOPT_LAW_DISTANCE4] = { 7, 1 },
	[CLOPT_LAW_DEBYE] = { 10, 2 },
	/* The distance to the target's foot as well: four more, and a root. */
	[CLOPT_LAW_ALPB_SALT] = { 13, 2 },
	[CLOPT_LAW_ALPB_FAR] = { 17, 3 },
	[CLOPT_LAW_ALPB_INSIDE] = { 10, 2 },
	[CLOPT_LAW_ALPB_INSIDE_SALT] = { 16, 3 },
	/* m / d^3 of three, sums of three. */
	[CLOPT_LAW_GRAVITY] = { 12, 1 },
	[CLOPT_LAW_GRAVITY_OWN] = { 12, 1 },
};

static void lower(struct roof *roof, double rate, enum peak_what by)
{
	if (!(rate > 0.0) || (roof->rate > 0.0 && roof->rate <= rate))
		return;
	roof->rate = rate;
	roof->by = by;
}

static void of_pairs(const struct peaks *p, int law, struct roof *roof)
{
	/* A peak counts two flops for an instruction. */
	lower(roof, p->peak[PEAK_FLOAT].best / 2.0 / pairs[law].instructions, PEAK_FLOAT);
	lower(roof, p->peak[PEAK_ROOT].best / pairs[law].special, PEAK_ROOT);
}

static void of_product(const struct peaks *p, const struct shape *s, double flops_per_byte,
                       struct roof *roof)
{
	/* Halves are added up in float32. */
	const int is_double = s->type ? s->type == CLOPT_TYPE_COMPLEX_DOUBLE : s->elem_bytes == 8;
	const enum peak_what by = is_double ? PEAK_DOUBLE :
	                          s->elem_bytes == 2 && p->peak[PEAK_HALF].best > 0.0 ? PEAK_HALF :
	                                                                                PEAK_FLOAT;

	lower(roof, p->peak[by].best, by);
	lower(roof, p->peak[PEAK_COPY].best * flops_per_byte, PEAK_COPY);
}

void roof_of(const struct peaks *p, int op, const struct shape *s, struct roof *roof)
{
	struct case_work work;
	double flops;

	memset(roof, 0, sizeof *roof);
	case_work(op, s, &work);
	flops = op == CLOPT_OP_TRANSPOSE ? (double)s->dim[0] * (double)s->dim[1] : work.flops;
	roof->flops_per_byte = work.bytes > 0.0 ? flops / work.bytes : 0.0;
	roof->per_second = op == CLOPT_OP_MATMUL    ? 1.0 :
	                   op == CLOPT_OP_TRANSPOSE ? roof->flops_per_byte :
	                   work.pairs > 0.0         ? flops / work.pairs :
	                                              0.0;
	if (op == CLOPT_OP_MATMUL)
		of_product(p, s, roof->flops_per_byte, roof);
	else if (op == CLOPT_OP_TRANSPOSE)
		lower(roof, p->peak[PEAK_COPY].best, PEAK_COPY);
	else if (op == CLOPT_OP_POTENTIAL)
		of_pairs(p, s->law ? s->law : CLOPT_LAW_COULOMB, roof);
	else if (op == CLOPT_OP_NBODY || op == CLOPT_OP_LEAPFROG)
		of_pairs(p, s->law ? s->law : CLOPT_LAW_GRAVITY, roof);
}

void roof_beside(struct roof *roof, const struct peaks *p, struct tool_sample *s)
{
	const struct peak *peak = &p->peak[roof->by];

	if (s->repeats > 0 && roof->rate > 0.0)
		roof->rate *= peak->amount / tool_median(s->seconds, s->repeats) / 1e9 / peak->best;
}
