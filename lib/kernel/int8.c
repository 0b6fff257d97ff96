/* SPDX-License-Identifier: MIT */
/*
 * int8.c - workspace of rows that compute products of doubles by products of 8-bit integers, and
 * the kernels that run before theirs: cl/matmul/int8.clh.  With one modulus, 2^32, products are of
 * int8 and have sums of four bytes instead of residues: cl/matmul/int8_sums.clh.
 */
#include "program.h"

#define LINE ((size_t)128) /* bytes; lines of residues are padded to it */
/* Columns and rows of a part of the products. */
#define PART0 ((size_t)32)
#define PART1 ((size_t)64)
#define MOST_NUMBERS ((size_t)32768) /* of a line: sums of residues are below 2^29 */
#define MOST_LINES ((size_t)1 << 31) /* that a tensor map takes */

static size_t whole(size_t n, size_t unit)
{
	return clopt__plus(n, unit - 1) / unit;
}

/* Lines of A, and columns of B', for all matrices; their bytes. */
struct room {
	size_t lines[2], numbers, pitch, matrices[2], batch;
	size_t residues_at[2], exponents_at[2], products_at, bytes;
};

static struct room room_of(const struct variant *v, const struct clopt_problem *p,
                           const size_t dim[3], const size_t matrices[2], size_t batch)
{
	const size_t parts = clopt__type(p->type)->parts;
	const size_t moduli = (size_t)v->moduli;
	const size_t of_product = moduli > 1 ? moduli : sizeof(cl_uint); /* bytes of an element */
	struct room r = { .lines = { dim[0], clopt__times(dim[1], parts) },
		          .numbers = clopt__times(dim[2], parts),
		          .matrices = { matrices[0], matrices[1] },
		          .batch = batch };
	unsigned i;

	r.pitch = clopt__times(whole(r.numbers, LINE), LINE);
	for (i = 0; i < 2; i++) {
		r.residues_at[i] = r.bytes;
		r.bytes = clopt__plus(r.bytes, clopt__times(clopt__times(r.lines[i], r.pitch),
		                                            clopt__times(r.matrices[i], moduli)));
	}
	r.products_at = r.bytes;
	r.bytes = clopt__plus(
	        r.bytes,
	        clopt__times(clopt__times(whole(r.lines[1], PART0), whole(r.lines[0], PART1)),
	                     clopt__times(PART0 * PART1 * of_product, batch)));
	for (i = 0; i < 2; i++) {
		r.exponents_at[i] = r.bytes;
		r.bytes = clopt__plus(r.bytes, clopt__times(clopt__times(r.lines[i], r.matrices[i]),
		                                            sizeof(cl_int)));
	}
	if (!r.numbers) /* `run` alone, without workspace */
		r.bytes = 0;
	return r;
}

size_t clopt__int8_bytes(const struct variant *v, const struct clopt_problem *p,
                         const size_t dim[3], const size_t matrices[2], size_t batch)
{
	return room_of(v, p, dim, matrices, batch).bytes;
}

int clopt__int8_fit(const struct clopt *ctx, const struct variant *v, const struct clopt_problem *p,
                    int resident, struct text *why)
{
	const size_t batch = clopt__larger(p->batch, 1), matrices[2] = { batch, batch };
	const struct room r = room_of(v, p, p->dim, matrices, batch);
	size_t bytes = r.bytes, lines;
	unsigned i;

	if (v->moduli > 1 && r.numbers > MOST_NUMBERS) {
		clopt__say(why, "only for sums of up to %zu real terms", MOST_NUMBERS);
		return 0;
	}
	lines = clopt__times(clopt__times(clopt__larger(r.lines[0], r.lines[1]), batch),
	                     (size_t)v->moduli);
	if (v->retarget && lines >= MOST_LINES) {
		clopt__say(why, "its workspace takes up to %zu lines", MOST_LINES);
		return 0;
	}
	for (i = 0; i < clopt__ops[v->op]->operands; i++) {
		struct operand o = { .ld = 1 }; /* of a batch: not shared */

		clopt__problem_operand(p, i, &o);
		bytes = clopt__plus(bytes,
		                    clopt__times(clopt__times(o.rows, o.columns), o.elem_bytes));
	}
	if (!resident ||
	    (r.bytes <= ctx->device.info.max_alloc_bytes && bytes <= clopt__memory(ctx)))
		return 1;
	clopt__say(why, "its workspace of %zu bytes does not fit", r.bytes);
	return 0;
}

/* ---- Launches ------------------------------------------------------------------------ */

/* One kernel's arguments, in order. */
struct arguments {
	struct clopt *ctx;
	cl_kernel kernel;
	cl_uint count;
	int rc;
};

static void add(struct arguments *to, size_t bytes, const void *value)
{
	cl_int code;

	if (to->rc != CLOPT_OK)
		return;
	code = clSetKernelArg(to->kernel, to->count++, bytes, value);
	if (code != CL_SUCCESS)
		to->rc = clopt__fail_cl(to->ctx, code, "clSetKernelArg");
}

static void add_numbers(struct arguments *to, const cl_ulong *number, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		add(to, sizeof *number, &number[i]);
}

static void add_mem(struct arguments *to, const cl_mem *mem)
{
	add(to, sizeof *mem, mem);
}

#define ITEMS ((size_t)128) /* of a group */
#define LINES_OF_NORMS(v) (clopt__option_number(v, "PTX") ? (size_t)32 : (size_t)4)
#define ITEMS_OF_NORM ((size_t)32)
#define MOST_PIECES ((size_t)65535) /* of lines: NVIDIA's limit of groups; the kernel loops */
#define LINES_OF_RESIDUES ((size_t)16) /* of a group, and LINE terms */

/* The kernels `norms`, if there are several moduli, and `residues` of one operand. */
static int make_residues(struct clopt *ctx, cl_command_queue q, const struct launch *l,
                         const struct room *r, cl_uint which, const cl_mem *made, struct waits wait)
{
	const cl_kernel *kernel = clopt__kernel_of(ctx, l->kernel)->first;
	const struct array *a = l->arrays[which];
	const size_t elem_bytes = l->problem->elem_bytes;
	const cl_ulong number[5] = { r->lines[which], r->numbers, a->pitch_bytes / elem_bytes,
		                     a->stride_bytes / elem_bytes, a->offset_bytes / elem_bytes };
	const cl_ulong at[2] = { r->exponents_at[which], r->residues_at[which] };
	cl_uint i;
	int rc = CLOPT_OK;

	for (i = l->v->moduli > 1 ? 0 : 1; i < 2; i++) {
		struct arguments to = { ctx, kernel[i], 0, CLOPT_OK };
		const size_t of_group = i ? LINES_OF_RESIDUES : LINES_OF_NORMS(l->v);
		const size_t items = i ? ITEMS : of_group * ITEMS_OF_NORM;
		const struct first first = { kernel[i],
			                     { whole(r->lines[which], of_group) * items,
			                       i ? clopt__smaller(r->pitch / LINE, MOST_PIECES) : 1,
			                       r->matrices[which] },
			                     { items, 1, 1 } };

		add_numbers(&to, number, 5);
		add(&to, sizeof which, &which);
		add_mem(&to, &a->mem);
		add_mem(&to, made);
		add_numbers(&to, at, 1 + i);
		TRY(to.rc);
		TRY(clopt__enqueue_first(ctx, q, l, &first, wait));
	}
out:
	return rc;
}

/* The kernel `products`. */
static int make_products(struct clopt *ctx, cl_command_queue q, const struct launch *l,
                         const struct room *r, const cl_mem *made, struct waits wait)
{
	const struct variant *v = l->v;
	const size_t moduli = (size_t)v->moduli, *lines = r->lines;
	const size_t tile[2] = { clopt__option_number(v, "TILE1"),
		                 clopt__option_number(v, "TILE0") };
	const size_t items = clopt__option_number(v, "ITEMS");
	const size_t tiles =
	        moduli * r->batch * whole(lines[0], tile[0]) * whole(lines[1], tile[1]);
	const struct first first = {
		clopt__kernel_of(ctx, l->kernel)->first[2],
		{ items * (v->retarget ? ctx->device.info.compute_units : tiles), 1, 1 },
		{ items, 1, 1 }
	};
	const cl_ulong16 sizes = { { lines[0], lines[1], r->pitch, (cl_ulong)l->lower,
		                     r->matrices[0], r->matrices[1], r->batch, r->residues_at[1],
		                     r->products_at } };
	struct arguments to = { ctx, first.kernel, 0, CLOPT_OK };
	cl_ulong word[16];
	unsigned i;
	int rc = CLOPT_OK;

	add(&to, sizeof sizes, &sizes);
	for (i = 0; i < 2; i++) {
		clopt__tensor_map_of_bytes(lines[i] * r->matrices[i] * moduli, r->pitch,
		                           r->residues_at[i], tile[i], word);
		add_mem(&to, made);
		add(&to, 15 * sizeof *word, &word[1]);
	}
	add_mem(&to, made);
	TRY(to.rc);
	TRY(clopt__enqueue_first(ctx, q, l, &first, wait));
out:
	return rc;
}

int clopt__int8_first(struct clopt *ctx, cl_command_queue q, const struct launch *l, cl_uint n,
                      struct waits wait)
{
	const size_t matrices[2] = { l->arrays[0]->stride_bytes ? l->batch : 1,
		                     l->arrays[1]->stride_bytes ? l->batch : 1 };
	const struct room r = room_of(l->v, l->problem, l->dim, matrices, l->batch);
	const cl_ulong at[3] = { r.exponents_at[0], r.exponents_at[1], r.products_at };
	struct arguments to = { ctx, l->kernel, n, CLOPT_OK };
	cl_mem made = NULL;
	cl_uint i;
	int rc = CLOPT_OK;

	if (r.bytes)
		TRY(clopt__workspace(ctx, q, r.bytes, &made));
	for (i = 0; r.bytes && i < 2; i++)
		TRY(make_residues(ctx, q, l, &r, i, &made, wait));
	if (r.bytes)
		TRY(make_products(ctx, q, l, &r, &made, wait));
	add_mem(&to, &made);
	add_numbers(&to, at, 3);
	rc = to.rc;
out:
	return rc;
}
