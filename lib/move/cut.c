/* SPDX-License-Identifier: MIT */
/*
 * cut.c - cuts a workload into blocks.
 *
 * There are two reasons: the transfers of one block overlap the kernel of another, and the blocks
 * must fit on the device.  A block is a step along each size of the problem.  The size that is cut
 * first makes bands; an array that does not depend on it is copied up once for all bands.
 *
 * Cutting does not change the bits of results.  Sums are cut last, since results then take more
 * memory and kernels are compiled for it.
 */
#include <math.h>
#include <stdint.h>

#include "move.h"

/* Cost of a block on the busiest engine, besides bytes and arithmetic (H200: 4 us to begin a
 * transfer, 4 us to launch). */
#define BLOCK_SECONDS 8e-6

/* To fit memory, blocks shrink; smaller ones do not pay. */
#define LEAST_BYTES ((size_t)4 << 20)

/* Larger blocks hide no more, and a call allocates several blocks. */
#define MOST_BYTES ((size_t)32 << 20)
/* If the kernel is the busiest engine, larger blocks leave fewer compute units idle at their
 * ends.  And fewer blocks compute what they have in common again. */
#define MOST_KERNEL_BYTES ((size_t)512 << 20)

/* Shorter rows of a large array are copied slowly.  H200, pinned transpose of 32768 x 32768 floats:
 * 17 GB/s each way in rows of 512 bytes, 31 in rows of 8192.  But LEAST_BLOCKS blocks matter more.
 * Along the second size rows are twice as long. */
#define ROW_BYTES 8192
#define LEAST_BLOCKS 8

static int depends(const struct operand *o, unsigned dim)
{
	return dim != NO_DIM && (o->row_dim == dim || o->column_dim == dim);
}

/* The size that changes from one block to the next: the innermost loop with more than one step.
 * NO_DIM: a single block. */
static unsigned innermost(const struct workload *w, const struct cut *p)
{
	const unsigned loops[3] = { w->sum, w->cut[0], w->cut[1] };
	unsigned i;

	for (i = 0; i < 3; i++)
		if (loops[i] != NO_DIM && p->step[loops[i]] < w->dim[loops[i]])
			return loops[i];
	return NO_DIM;
}

/* Ring length of operand i.  An array that changes with every block has one slot per lane.  An
 * array that changes less often has two, so that the next part arrives while the last is in use.  A
 * constant array has one. */
unsigned clopt__cut_ring(const struct workload *w, const struct cut *p, unsigned i)
{
	const struct operand *o = &w->operand[i];
	unsigned d;

	if (depends(o, innermost(w, p)))
		return p->lanes;
	for (d = 0; d < 3; d++)
		if (depends(o, d) && p->step[d] < w->dim[d])
			return p->lanes > 1 ? 2 : 1;
	return 1;
}

static size_t array_bytes(const struct workload *w, const struct cut *p, unsigned i)
{
	const struct operand *o = &w->operand[i];
	const size_t rows = o->row_dim == NO_DIM ? o->rows : p->step[o->row_dim];

	return clopt__array_bytes(rows, clopt__row_bytes(w, p, i), clopt__layout(w, i));
}

/* A two-dimensional image needs a buffer too; an absent operand takes nothing. */
static size_t device_bytes(const struct workload *w, const struct cut *p, unsigned i)
{
	if (!w->operand[i].use)
		return 0;
	return clopt__times(array_bytes(w, p, i), w->images >> i & 1 ? 2 : 1);
}

static size_t used_bytes(const struct workload *w, const struct cut *p)
{
	size_t bytes = 0;
	unsigned i;

	for (i = 0; i < w->operands; i++)
		bytes = clopt__plus(bytes,
		                    clopt__times(device_bytes(w, p, i), clopt__cut_ring(w, p, i)));
	if (w->workspace)
		bytes = clopt__plus(bytes, clopt__times(w->workspace(w, p->step), p->lanes));
	return bytes;
}

/* Halve the step along dim, to whole tiles, but not below `least`.  Returns 0 if the step cannot
 * shrink. */
static int shrink(const struct workload *w, struct cut *p, unsigned dim, size_t least)
{
	size_t half;

	if (dim == NO_DIM)
		return 0;
	least = clopt__larger(least, w->least[dim]);
	if (p->step[dim] <= least)
		return 0;
	half = p->step[dim] - p->step[dim] / 2;
	if (half > w->tile[dim])
		half = half / w->tile[dim] * w->tile[dim];
	p->step[dim] = clopt__larger(half, least);
	return 1;
}

/* Whether operand i fits into one allocation and one image; with operand 0 the workspace too. */
static int allocates(const struct clopt *ctx, const struct workload *w, const struct cut *p,
                     unsigned i)
{
	const struct clopt_device_info *d = &ctx->device.info;
	const struct operand *o = &w->operand[i];

	if (array_bytes(w, p, i) > d->max_alloc_bytes ||
	    (i == 0 && w->workspace && w->workspace(w, p->step) > d->max_alloc_bytes) ||
	    ((w->texels >> i & 1) && array_bytes(w, p, i) / 16 > d->image_buffer))
		return 0;
	if (!(w->images >> i & 1))
		return 1;
	return (o->row_dim == NO_DIM || p->step[o->row_dim] <= d->image2d_height) &&
	       (o->column_dim == NO_DIM ||
	        p->step[o->column_dim] <= d->image2d_width * 16 / o->elem_bytes);
}

/* Shrink to a tile along each cut size, then to 1.  Returns 0 if that does not suffice. */
static int shrink_to_allocation(const struct clopt *ctx, const struct workload *w, struct cut *p,
                                unsigned i, unsigned sum)
{
	const unsigned order[3] = { w->cut[0], w->cut[1], sum };
	unsigned d;

	while (!allocates(ctx, w, p, i)) {
		for (d = 0; d < 6; d++)
			if (depends(&w->operand[i], order[d % 3]) &&
			    shrink(w, p, order[d % 3], d < 3 ? w->tile[order[d % 3]] : 1))
				break;
		if (d == 6)
			return 0;
	}
	return 1;
}

static int fit_allocations(const struct clopt *ctx, const struct workload *w, struct cut *p)
{
	unsigned i;

	for (i = 0; i < w->operands; i++) {
		const struct cut begin = *p;

		if (shrink_to_allocation(ctx, w, p, i, NO_DIM))
			continue;
		*p = begin;
		if (!shrink_to_allocation(ctx, w, p, i, w->sum)) {
			p->bytes = array_bytes(w, p, i);
			return clopt__fail(
			        ctx, CLOPT_ENOMEM,
			        "an array takes %zu bytes: the device allows %llu in one buffer",
			        p->bytes, (unsigned long long)ctx->device.info.max_alloc_bytes);
		}
	}
	return CLOPT_OK;
}

/* Bytes of all arrays for one unit of the first cut size. */
static size_t unit_bytes(const struct workload *w)
{
	size_t bytes = 0;
	unsigned i;

	for (i = 0; w->dim[w->cut[0]] && i < w->operands; i++)
		if (depends(&w->operand[i], w->cut[0]))
			bytes = clopt__plus(bytes, w->operand[i].rows * w->operand[i].columns *
			                                   w->operand[i].elem_bytes /
			                                   w->dim[w->cut[0]]);
	return bytes;
}

/* Shrink the cheapest size first.  Returns 0 if that does not suffice. */
static int shrink_to_memory(const struct clopt *ctx, const struct workload *w, struct cut *p,
                            unsigned sum)
{
	const size_t memory = clopt__memory_within(ctx, p->limit), unit = unit_bytes(w);
	const size_t worth = unit ? LEAST_BYTES / unit : 1;
	const unsigned cut0 = w->cut[0], cut1 = w->cut[1];

	while (used_bytes(w, p) > memory) {
		if (shrink(w, p, cut0, clopt__larger(w->tile[cut0], worth)))
			continue;
		if (cut1 != NO_DIM && shrink(w, p, cut1, w->tile[cut1]))
			continue;
		if (shrink(w, p, cut0, w->tile[cut0]))
			continue;
		if (p->lanes > 1) {
			p->lanes--;
			continue;
		}
		if (sum != NO_DIM && shrink(w, p, sum, w->tile[sum]))
			continue;
		if (!shrink(w, p, cut1, 1) && !shrink(w, p, cut0, 1) && !shrink(w, p, sum, 1))
			return 0;
	}
	return 1;
}

/* Cut sums only if nothing else suffices; then the other sizes need not shrink as far. */
static int fit_memory(const struct clopt *ctx, const struct workload *w, struct cut *p)
{
	const struct cut begin = *p;
	struct cut small;

	if (shrink_to_memory(ctx, w, p, NO_DIM))
		return CLOPT_OK;
	small = *p;
	*p = begin;
	if (w->sum != NO_DIM && shrink_to_memory(ctx, w, p, w->sum))
		return CLOPT_OK;
	p->bytes = used_bytes(w, w->sum == NO_DIM ? &small : p);
	return clopt__memory_short(ctx, p->bytes);
}

/* Grow the step along the first size into the room that a cut along the second leaves. */
static void grow(const struct clopt *ctx, const struct workload *w, struct cut *p, size_t most)
{
	const unsigned d = w->cut[0];
	struct cut more = *p;
	unsigned i;

	for (;;) {
		if (p->step[d] > most / 2)
			return;
		more.step[d] = 2 * p->step[d];
		if (used_bytes(w, &more) > clopt__memory_within(ctx, p->limit))
			return;
		for (i = 0; i < w->operands; i++)
			if (!allocates(ctx, w, &more, i))
				return;
		*p = more;
	}
}

/* The least step along the first cut size with `for_each' groups per compute unit. */
static size_t least_step(const struct clopt *ctx, const struct workload *w, size_t for_each)
{
	const size_t want = for_each * ctx->device.info.compute_units;
	size_t across = 1;
	unsigned d;

	for (d = 0; d < 3; d++)
		if (d != w->cut[0] && d != w->sum) {
			const size_t groups = clopt__larger(w->dim[d] / w->tile[d], 1);

			across = groups < want ? clopt__smaller(across * groups, want) : want;
		}
	return clopt__larger(want / clopt__larger(across, 1), 1) * w->tile[w->cut[0]];
}

/* Groups of the whole problem per compute unit. */
static double groups_per_unit(const struct clopt *ctx, const struct workload *w)
{
	double groups = 1;
	unsigned d;

	for (d = 0; d < 3; d++)
		if (d != w->sum)
			groups *= fmax(ceil((double)w->dim[d] / (double)w->tile[d]), 1);
	return groups / ctx->device.info.compute_units;
}

/* The least step along the first cut size that leaves long rows in arrays whose columns depend on
 * it.  Transfers of short rows are slow. */
static size_t row_step(const struct workload *w)
{
	size_t step = 1;
	unsigned i;

	for (i = 0; i < w->operands; i++)
		if (w->operand[i].use && w->operand[i].column_dim == w->cut[0])
			step = clopt__larger(step, ROW_BYTES / w->operand[i].elem_bytes);
	return clopt__smaller(step, w->dim[w->cut[0]] / LEAST_BLOCKS);
}

/* Bytes of an operand if they are worth a measurement of a rate; else 0. */
static size_t measured_bytes(const struct operand *o)
{
	const size_t bytes = clopt__operand_bytes(o);

	return o->host && bytes >= LEAST_BYTES ? bytes : 0;
}

/*
 * n blocks take max(up, kernel, down), and an n-th of the other two at the ends.  Each block adds
 * its cost.  The sum is least at n = sqrt(others / cost).  If the kernel takes longest, a block
 * also costs half of its last groups' time, while some compute units idle.  H200, float64 products
 * of 32768: 44 TFLOP/s in blocks of 2.6 groups per compute unit, 52 in one block.  An unknown
 * kernel is assumed to take as long as its transfers.
 */
static size_t hiding_step(struct clopt *ctx, const struct workload *w)
{
	const size_t total = w->dim[w->cut[0]], unit = unit_bytes(w);
	double moved[2] = { 0, 0 }, kernel, most, n, cost = BLOCK_SECONDS + w->each_seconds;
	size_t most_units, most_bytes = MOST_BYTES, bytes = 0;
	unsigned i, j;

	if ((ctx->device.traits & T_UNIFIED) || ctx->queues == 1)
		return total; /* no transfers to hide, or no second queue */
	for (i = 0; i < w->operands; i++)
		bytes += measured_bytes(&w->operand[i]);
	for (i = 0; i < w->operands; i++) {
		const struct operand *o = &w->operand[i];

		if (!measured_bytes(o))
			continue;
		for (j = 0; j < 2; j++)
			if (o->use & (j ? OPERAND_OUT : OPERAND_IN))
				moved[j] += (double)measured_bytes(o) /
				            clopt__rate(ctx, (int)j,
				                        clopt__is_pinned(ctx, o->host,
				                                         clopt__operand_span(o)),
				                        w->dry ? 0 : bytes);
	}
	most = moved[0] > moved[1] ? moved[0] : moved[1];
	kernel = w->throughput && w->throughput->seconds > 0 ? w->throughput->seconds * w->units :
	                                                       most;
	if (kernel > most || w->each_seconds > 0)
		most_bytes = MOST_KERNEL_BYTES;
	if (kernel > most) {
		most = kernel;
		cost += 0.5 * kernel / groups_per_unit(ctx, w);
	}
	n = sqrt((moved[0] + moved[1] + kernel - most) / cost);
	if (n < 2)
		return total;
	most_units = unit ? clopt__larger(most_bytes / unit, 1) : total;
	return clopt__smaller(total,
	                      clopt__larger(clopt__smaller((size_t)((double)total / n), most_units),
	                                    clopt__larger(least_step(ctx, w, 4), row_step(w))));
}

/* Whether each array is copied once, however both sizes are cut. */
static int moves_once(const struct workload *w)
{
	unsigned i;

	for (i = 0; i < w->operands; i++)
		if (w->operand[i].use &&
		    !(depends(&w->operand[i], w->cut[0]) && depends(&w->operand[i], w->cut[1])))
			return 0;
	return 1;
}

/* The step along the second size for a step along the first.  Long rows make the first step long
 * and whole bands large, and nothing hides the first block's way up and the last block's way
 * down. */
static size_t across_step(const struct workload *w, size_t step)
{
	const size_t all = clopt__larger(w->dim[w->cut[1]], 1);
	const size_t bytes = unit_bytes(w) * step / all; /* of one step along the second size */
	size_t least = clopt__larger(MOST_BYTES / clopt__larger(bytes, 1), 1);
	unsigned i;

	if (step >= w->dim[w->cut[0]] || !moves_once(w))
		return all;
	for (i = 0; i < w->operands; i++)
		if (w->operand[i].use && w->operand[i].column_dim == w->cut[1])
			least = clopt__larger(least, 2 * ROW_BYTES / w->operand[i].elem_bytes);
	return clopt__smaller(least, all);
}

int clopt__cut_in_place(const struct clopt *ctx, const struct workload *w, unsigned i)
{
	const struct operand *o = &w->operand[i], *x;
	const size_t span = clopt__operand_span(o);
	const uintptr_t a = (uintptr_t)o->host;

	/* Two contexts must not have buffers over one memory that is written. */
	if (!span || (w->images >> i & 1) || !(o->use & OPERAND_MOVED) || a % w->align_bytes[i] ||
	    (w->sharers && (o->use & OPERAND_OUT)) ||
	    ((w->texels >> i & 1) && o->rows > ctx->device.info.image_buffer) ||
	    span > ctx->device.info.max_alloc_bytes)
		return 0;
	/* OpenCL does not define two buffers over one memory. */
	for (x = w->operand; x < o; x++) {
		const uintptr_t b = (uintptr_t)x->host;

		if (clopt__operand_span(x) && a < b + clopt__operand_span(x) && b < a + span)
			return 0;
	}
	return 1;
}

/* Whether the call is zero copy: the device works in host memory, and no option forbids it. */
static int in_place(const struct clopt *ctx, const struct workload *w, struct cut *p)
{
	unsigned i;

	p->bytes = 0;

	if (!(ctx->device.traits & T_UNIFIED) || p->limit || ctx->transfer != CLOPT_TRANSFER_AUTO ||
	    (w->sharers && !w->views))
		return 0;
	for (i = 0; i < 3; i++)
		if (p->step[i] < w->dim[i])
			return 0;
	for (i = 0; i < w->operands; i++)
		if (!clopt__cut_in_place(ctx, w, i)) {
			if (!allocates(ctx, w, p, i))
				return 0;
			p->bytes = clopt__plus(p->bytes, device_bytes(w, p, i));
		}
	return p->bytes <= clopt__memory_within(ctx, p->limit);
}

/* Seconds of a block in place, so that a long call can be cancelled and reports progress.  Shorter
 * blocks cost time: each reads the operands that it does not depend on again. */
#define PIECE_SECONDS 0.1
/* Units of work per second and compute unit before a measurement: of a fast unit. */
#define ASSUMED_THROUGHPUT 1e10
/* A step along the second size may be shorter than a wide tile. */
#define LEAST_ACROSS 1024

/* Whether arrays in place are aligned at each multiple of the step along size d. */
static int is_aligned(const struct workload *w, unsigned d, size_t step)
{
	unsigned i;

	for (i = 0; i < w->operands; i++) {
		const struct operand *o = &w->operand[i];
		const size_t apart = o->elem_bytes * (o->row_dim == d ? o->ld : 1);

		if (depends(o, d) && step * apart % w->align_bytes[i])
			return 0;
	}
	return 1;
}

/* The step along size d for blocks of PIECE_SECONDS, if the call takes `seconds'. */
static size_t piece_step(const struct workload *w, unsigned d, double seconds, size_t least)
{
	const size_t whole = clopt__larger(w->dim[d], 1);
	size_t step;

	if (seconds < 2 * PIECE_SECONDS)
		return whole;
	step = clopt__larger((size_t)((double)whole * PIECE_SECONDS / seconds), least);
	step -= step > w->tile[d] ? step % w->tile[d] : 0;
	while (step < whole && !is_aligned(w, d, step))
		step += step % w->tile[d] ? 1 : w->tile[d];
	return clopt__smaller(step, whole);
}

/* Cut along the first size, and along the second if the least step along the first takes too
 * long. */
static void cut_in_place(const struct clopt *ctx, const struct workload *w, struct cut *p)
{
	const unsigned d = w->cut[0], across = w->cut[1];
	const struct throughput *known = w->throughput;
	double seconds =
	        w->units * (known && known->seconds > 0 ?
	                            known->seconds :
	                            1 / (ASSUMED_THROUGHPUT * ctx->device.info.compute_units));

	p->lanes = 1;
	if (!w->views)
		return;
	p->step[d] = clopt__smaller(p->step[d], piece_step(w, d, seconds, least_step(ctx, w, 1)));
	seconds *= (double)p->step[d] / (double)clopt__larger(w->dim[d], 1);
	if (across != NO_DIM)
		p->step[across] = clopt__smaller(
		        p->step[across], piece_step(w, across, seconds,
		                                    clopt__smaller(w->tile[across], LEAST_ACROSS)));
}

static int cut_within(struct clopt *ctx, const struct workload *w, size_t limit, struct cut *p)
{
	const unsigned d = w->cut[0];
	unsigned i;
	size_t most, rest;
	int rc = CLOPT_OK;

	p->limit = limit;
	for (i = 0; i < 3; i++)
		p->step[i] = clopt__smaller(w->dim[i] ? w->dim[i] : 1, w->most[i]);
	p->lanes = ctx->queues;
	p->in_place = in_place(ctx, w, p);
	if (p->in_place) {
		cut_in_place(ctx, w, p);
	} else {
		p->step[d] = clopt__smaller(p->step[d], clopt__larger(hiding_step(ctx, w), 1));
		if (w->cut[1] != NO_DIM)
			p->step[w->cut[1]] =
			        clopt__smaller(p->step[w->cut[1]], across_step(w, p->step[d]));
		most = p->step[d];
		TRY(fit_allocations(ctx, w, p));
		TRY(fit_memory(ctx, w, p));
		grow(ctx, w, p, most);
	}
	for (i = 0; i < 3; i++) {
		if (p->step[i] < w->dim[i] && p->step[i] > w->tile[i])
			p->step[i] = p->step[i] / w->tile[i] * w->tile[i];
		rest = i == w->sum && p->step[i] < w->dim[i] ? w->rest : 0;
		p->blocks[i] = clopt__larger((w->dim[i] + rest + p->step[i] - 1) / p->step[i], 1);
	}
	p->lanes = (unsigned)clopt__smaller(p->lanes, p->blocks[0] * p->blocks[1] * p->blocks[2]);
	if (!p->in_place)
		p->bytes = used_bytes(w, p);
out:
	return rc;
}

/*
 * Cost of a limit of memory.  The model uses constants alone, so that a call is refused always or
 * never.  They are the cost of a block, transfers of 10 GB/s, and units of work per second and
 * compute unit. The constants of processors were measured with PoCL 3.1 on two busy cores: parts of
 * products, transposes and sums over pairs; pairs; products by rows whose work-items make one
 * result each.
 */
#define MOST_TIMES 10 /* times the seconds without a limit, and */
#define LOST_SECONDS 1 /* beyond them: longer calls are refused */
#define CPU_PRODUCT_SECONDS 1.5e-4 /* 5e-5 to 2e-4, depending on the load */
#define CPU_TRANSPOSE_SECONDS 4e-5
#define CPU_PAIRS_SECONDS 3e-5
#define ASSUMED_RATE 1e10 /* bytes per second */
#define ASSUMED_PAIRS 1e9
#define ASSUMED_ONE_BY_ONE 5e8

/* Seconds of a block.  *rate: units of work per second and compute unit. */
static double assumed_block(const struct clopt *ctx, const struct workload *w, double *rate)
{
	*rate = ASSUMED_THROUGHPUT;
	if (!(ctx->device.traits & T_CPU))
		return BLOCK_SECONDS;
	if (w->op == CLOPT_OP_MATMUL) {
		if (w->one_by_one)
			*rate = ASSUMED_ONE_BY_ONE;
		return CPU_PRODUCT_SECONDS;
	}
	if (w->op == CLOPT_OP_TRANSPOSE)
		return CPU_TRANSPOSE_SECONDS;
	*rate = ASSUMED_PAIRS;
	return CPU_PAIRS_SECONDS;
}

static double assumed_seconds(const struct clopt *ctx, const struct workload *w,
                              const struct cut *p)
{
	const double blocks = (double)p->blocks[0] * (double)p->blocks[1] * (double)p->blocks[2];
	double rate, bytes = 0, block = assumed_block(ctx, w, &rate);
	unsigned i;

	for (i = 0; i < w->operands; i++)
		if ((w->operand[i].use & OPERAND_MOVED) && !p->in_place)
			bytes += (double)clopt__cut_moved(ctx, w, p, i);
	return blocks * block + bytes / ASSUMED_RATE +
	       w->units / rate / ctx->device.info.compute_units;
}

/* Whether the workload takes too long within the limit, or does not fit.  free_seconds: without a
 * limit. */
static int takes_long(struct clopt *ctx, const struct workload *w, size_t limit,
                      double free_seconds)
{
	struct cut p;
	double seconds;

	if (cut_within(ctx, w, limit, &p) != CLOPT_OK)
		return 1;
	seconds = assumed_seconds(ctx, w, &p);
	return seconds > MOST_TIMES * free_seconds && seconds > free_seconds + LOST_SECONDS;
}

/* The least limit that suffices, where `few` does not. */
static size_t least_limit(struct clopt *ctx, const struct workload *w, size_t few,
                          double free_seconds)
{
	size_t enough = few, middle;

	while (enough <= SIZE_MAX / 2 && takes_long(ctx, w, enough, free_seconds)) {
		few = enough;
		enough *= 2;
	}
	while (enough - few > 1) {
		middle = few + (enough - few) / 2;
		if (takes_long(ctx, w, middle, free_seconds))
			few = middle;
		else
			enough = middle;
	}
	return enough;
}

int clopt__cut(struct clopt *ctx, const struct workload *w, struct cut *p)
{
	const int fits = cut_within(ctx, w, ctx->mem_limit_bytes, p) == CLOPT_OK;
	const size_t least = fits ? p->limit : p->bytes;
	struct operand apart[MAX_ARRAYS];
	struct workload asked = *w;
	struct cut unlimited;
	double free_seconds, seconds;
	unsigned i;

	p->free_seconds = 0;
	/* The time of a caller's kernel is unknown. */
	if (!p->limit || w->op == CLOPT_OPS)
		goto as_it_is;
	seconds = fits ? assumed_seconds(ctx, w, p) : 0;
	if (fits && seconds < LOST_SECONDS)
		goto as_it_is;
	/* Leave out addresses and measurements, which decide on zero copy and on steps. */
	for (i = 0; i < w->operands; i++) {
		apart[i] = w->operand[i];
		apart[i].host = NULL;
	}
	asked.operand = apart;
	asked.throughput = NULL;
	if (cut_within(ctx, &asked, SIZE_MAX, &unlimited) != CLOPT_OK)
		goto as_it_is;
	unlimited.in_place = (ctx->device.traits & T_UNIFIED) &&
	                     unlimited.blocks[0] * unlimited.blocks[1] * unlimited.blocks[2] == 1;
	p->free_seconds = assumed_seconds(ctx, &asked, &unlimited);
	free_seconds = w->free_seconds > 0 ? w->free_seconds : p->free_seconds;
	if (!takes_long(ctx, &asked, least, free_seconds))
		goto as_it_is;
	p->bytes = least_limit(ctx, &asked, least, free_seconds);
	if (fits)
		return clopt__fail(ctx, CLOPT_ENOMEM,
		                   "clopt_options.mem_limit_bytes (or CLOPT_MEM_LIMIT) is %zu: the "
		                   "call needs %zu bytes on the device; within the limit it takes "
		                   "%zu parts, and about %.0f times as long as without a limit",
		                   p->limit, p->bytes, p->blocks[0] * p->blocks[1] * p->blocks[2],
		                   seconds / free_seconds);
	return clopt__fail(
	        ctx, CLOPT_ENOMEM,
	        "clopt_options.mem_limit_bytes (or CLOPT_MEM_LIMIT) is %zu: the call needs %zu "
	        "bytes on the device; with less it takes more than %d times as long",
	        p->limit, p->bytes, MOST_TIMES);
as_it_is: /* for the failure's message */
	return fits ? CLOPT_OK : cut_within(ctx, w, ctx->mem_limit_bytes, p);
}

/* An operand is copied once.  If an inner loop changes it, it is copied again in each pass of an
 * outer loop that it does not depend on. */
size_t clopt__cut_moved(const struct clopt *ctx, const struct workload *w, const struct cut *p,
                        unsigned i)
{
	const unsigned loops[3] = { w->sum, w->cut[0], w->cut[1] };
	const struct operand *o = &w->operand[i];
	size_t bytes = clopt__times(clopt__times(o->rows, o->columns), o->elem_bytes);
	int inside = 0;
	unsigned l;

	if (p->in_place && clopt__cut_in_place(ctx, w, i))
		return 0;
	for (l = 0; l < 3; l++)
		if (loops[l] != NO_DIM && p->blocks[loops[l]] > 1) {
			if (inside && !depends(o, loops[l]))
				bytes = clopt__times(bytes, p->blocks[loops[l]]);
			inside |= depends(o, loops[l]);
		}
	return bytes;
}

/* Blocks hide all but the longest of the three, and the ends; see hiding_step.  On a unified device
 * nothing overlaps, since one processor copies and computes. */
double clopt__cut_seconds(const struct clopt *ctx, const struct cut *p, double up, double kernel,
                          double down)
{
	const int hides = p->lanes > 1 && !(ctx->device.traits & T_UNIFIED);
	const double n = (double)p->blocks[0] * (double)p->blocks[1] * (double)p->blocks[2];
	const double all = up + kernel + down;
	double most = up > down ? up : down;

	most = kernel > most ? kernel : most;
	return BLOCK_SECONDS * n + (hides ? most + (all - most) / n : all);
}

struct extent clopt__extent(const struct operand *o, const struct block *b)
{
	const unsigned dim[2] = { o->row_dim, o->column_dim };
	struct extent e = { { 0, 0 }, { o->rows, o->columns } };
	unsigned i;

	for (i = 0; i < 2; i++)
		if (dim[i] != NO_DIM) {
			e.first[i] = b->first[dim[i]];
			e.count[i] = b->count[dim[i]];
		}
	return e;
}

size_t clopt__row_bytes(const struct workload *w, const struct cut *p, unsigned i)
{
	const struct operand *o = &w->operand[i];
	const int in_parts =
	        w->part_bytes && (o->use & OPERAND_OUT) && p->step[w->sum] < w->dim[w->sum];

	if (o->column_dim == NO_DIM)
		return in_parts ? w->part_bytes : o->columns * o->elem_bytes;
	return clopt__times(p->step[o->column_dim], in_parts ? w->part_bytes : o->elem_bytes);
}
