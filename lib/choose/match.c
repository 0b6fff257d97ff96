/* SPDX-License-Identifier: MIT */
/*
 * match.c - whether a row that could serve a problem is meant for it, by the traits, sizes, shapes
 * and arrays in the table.  Forced rows skip these tests.
 */
#include "../base/text.h"
#include "../host/host.h"
#include "choose.h"

static size_t groups_of(const struct variant *v, const struct clopt_problem *p)
{
	const struct op *op = clopt__ops[p->op];
	size_t groups = p->batch;
	unsigned i;

	for (i = 0; i < 2; i++)
		if (op->extent[i] != NO_DIM)
			groups *= clopt__groups(p->dim[op->extent[i]], clopt__out(v, p, i));
	return groups;
}

/* Groups per hundred compute units. */
static size_t filled(const struct clopt *ctx, const struct variant *v,
                     const struct clopt_problem *p)
{
	return groups_of(v, p) * 100 / ctx->device.info.compute_units;
}

/* Shorter sums keep their row: their time does not matter, and the row measured as replacement does
 * not serve them. */
#define BUSY_TERMS 512

/* Percentage of compute units that work, averaged until those with most groups end.  Joined devices
 * count as if they shared the groups evenly, though they share neither small calls nor calls on
 * buffers. */
static size_t busy(const struct clopt *ctx, const struct variant *v, const struct clopt_problem *p)
{
	const size_t units = ctx->device.info.compute_units * (ctx->sharers ? ctx->sharers : 1);
	const size_t groups = groups_of(v, p), most = clopt__groups(groups, units);

	return groups ? groups * 100 / (most * units) : 100;
}

/* Rows may have a least or a greatest length of sums, for small errors or whole tiles. */
static int sums_match(const struct variant *v, const struct clopt_problem *p, struct text *why)
{
	const int at = clopt__ops[p->op]->sum;
	const size_t sum = at == NO_DIM ? 0 : p->dim[at];

	if (v->deep && sum < v->deep)
		clopt__say(why, "only for sums of %u terms or more", v->deep);
	else if (v->shallow && sum > v->shallow)
		clopt__say(why, "only for sums of up to %u terms", v->shallow);
	else
		return 1;
	return 0;
}

/* Whether the rows of inputs are aligned as the row of the table wants.  On the device `resident`
 * says so.  The library's arrays follow from the length of rows, unless the device uses host
 * memory.  Batches keep the caller's layout. */
static int rows_match(const struct variant *v, const struct clopt_problem *p, int resident,
                      struct text *why)
{
	const struct layout plain = { 0, 0, 0 };
	struct clopt_problem one = *p;
	int odd = resident == RESIDENT_ODD;
	unsigned i;

	one.batch = 1;
	for (i = 0; v->rows16 && !resident && i + 1 < clopt__ops[p->op]->operands; i++) {
		struct operand o = { 0 };
		size_t bytes;

		clopt__problem_operand(&one, i, &o);
		bytes = o.columns * o.elem_bytes;
		odd |= (p->batch > 1 ? bytes : clopt__array_pitch(bytes, plain)) % ROW_CHUNK != 0;
	}
	if (!odd || (p->dim[0] >= v->rows16 && p->dim[1] >= v->rows16))
		return 1;
	clopt__say(why,
	           "only for arrays whose rows begin at multiples of %u bytes, or results of "
	           "%u rows and columns",
	           ROW_CHUNK, v->rows16);
	return 0;
}

int clopt__matches_closely(const struct variant *v, const struct clopt_problem *p, int resident,
                           struct text *why)
{
	return sums_match(v, p, why) && rows_match(v, p, resident, why);
}

/* Largest problem for a row on the host.  In double, and with short vectors, sums take at least
 * twice as long.  Products of 128 x 128 x 128 take 18 us with AVX-512 (Zen 5), in double 35, and
 * 44 and 90 with AVX2 (Zen 3); PoCL takes 80 and 120 on two cores of the latter, a GPU 60. */
static double most_on_host(const struct clopt *ctx, const struct variant *v,
                           const struct clopt_problem *p)
{
	const enum host_vectors vectors = clopt__host_vectors();
	const int wide = p->type == CLOPT_TYPE_DOUBLE || p->precision == CLOPT_PRECISION_DOUBLE;
	double most = v->most;

	if (clopt__ops[p->op]->sum == NO_DIM) /* a transpose; some are by blocks in registers */
		return vectors > HOST_PLAIN && !p->scaled &&
		                       (p->elem_bytes == 4 || p->elem_bytes == 8) ?
		               8 * most :
		               most;
	if (p->op == CLOPT_OP_MATMUL &&
	    vectors > (wide && !(ctx->device.traits & T_CPU) ? HOST_AVX2 : HOST_PLAIN))
		return 2.1 * most;
	if (wide)
		most /= 2;
	return vectors == HOST_PLAIN ? most / 2 : most;
}

int clopt__matches(const struct clopt *ctx, const struct variant *v, const struct clopt_problem *p,
                   int resident, struct text *why)
{
	const size_t units = ctx->device.info.compute_units;
	const unsigned missing = v->likes & ~ctx->device.traits;
	char words[256];

	if (v->host && ctx->small_on_device)
		clopt__say(why,
		           "switched off, by clopt_options.small, CLOPT_SMALL or a wrong result");
	else if (v->host && clopt__units(p) + (double)clopt__results(p) > most_on_host(ctx, v, p))
		clopt__say(why, "only for up to %.0f terms and results here",
		           most_on_host(ctx, v, p));
	else if (missing)
		clopt__say(why, "only for devices with %s",
		           why ? clopt__traits_text(missing, words, sizeof words) : "");
	else if (v->shapes && !(v->shapes & clopt__shape(p, (unsigned)units)))
		clopt__say(why, "only for products of other shapes");
	else if (v->narrow && p->dim[1] > v->narrow)
		clopt__say(why, "only for up to %u columns", v->narrow);
	else if (p->dim[1] < v->broad)
		clopt__say(why, "only for %u columns or more", v->broad);
	else if (v->uneven && !(v->uneven & p->uneven))
		clopt__say(why, "only for rows %s",
		           v->uneven & UNEVEN_ROWS ? "not aligned to 16 bytes" :
		                                     "of the result not aligned to 64 bytes");
	else if (v->fill && filled(ctx, v, p) < v->fill)
		clopt__say(why,
		           "only if its work-groups fill %u %% of the compute units; here it is "
		           "%zu %%",
		           v->fill, filled(ctx, v, p));
	else if (v->busy && p->precision == CLOPT_PRECISION_FLOAT &&
	         p->dim[clopt__ops[p->op]->sum] >= BUSY_TERMS && busy(ctx, v, p) < v->busy)
		clopt__say(why,
		           "only if its work-groups keep %u %% of the compute units busy; here it "
		           "is %zu %%",
		           v->busy, busy(ctx, v, p));
	else if (v->few && clopt__results(p) > v->few * units)
		clopt__say(why, "only for up to %zu results here", v->few * units);
	else
		return clopt__matches_closely(v, p, resident, why);
	return 0;
}
