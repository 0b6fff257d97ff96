/* SPDX-License-Identifier: MIT */
/*
 * build.c - a tree on the device: its arrays, and the launches that build it and sum by it.  The
 * numbers of sources and targets decide number and size of the launches, so nothing waits for the
 * device.
 */
#include <stdlib.h>
#include <string.h>

#include "../choose/choose.h"
#include "../verify/verify.h"
#include "tree.h"

static const struct layout packed = { 0, 0, 1 };

/* ---- Kernels and arrays --------------------------------------------------------------- */

/* like: take this row; NULL: the best one. */
static int choose_row(struct clopt *ctx, const struct part *like, struct part *p)
{
	if (!like)
		return clopt__choose(ctx, &p->problem, 1, &p->row, &p->kernel);
	p->row = like->row;
	return clopt__ready(ctx, p->row, &p->problem, &p->kernel);
}

static int choose(struct clopt *ctx, int op, int outputs, const struct clopt_problem *sums,
                  size_t d0, size_t d1, size_t d2, const struct part *like, struct part *p)
{
	struct clopt_problem problem = {
		.size = sizeof problem, .op = op, .dim = { d0, d1, d2 }, .outputs = outputs
	};
	int rc = CLOPT_OK;

	if (op != CLOPT_OP_TREE_SORT) {
		problem.precision = sums->precision;
		problem.elem_bytes = sums->elem_bytes;
	}
	TRY(clopt__problem_read(ctx, &problem, &p->problem));
	TRY(choose_row(ctx, like, p));
out:
	return rc;
}

/* The same problem as a sum by a tree. */
static struct clopt_problem by_tree(const struct clopt_problem *all, unsigned order)
{
	struct clopt_problem p = *all;

	p.op = all->op == CLOPT_OP_NBODY ? CLOPT_OP_TREE_NBODY : CLOPT_OP_TREE_POTENTIAL;
	p.dim[2] = order;
	return p;
}

static int choose_all(struct clopt *ctx, const struct clopt_problem *all, unsigned order,
                      struct tree *t)
{
	const size_t n = all->dim[0];
	const int moments = t->shape.multipoles;
	const struct tree *like = t->like;
	int rc = CLOPT_OK;

	t->sum.problem = by_tree(all, order);
	TRY(choose_row(ctx, like ? &like->sum : NULL, &t->sum));
	TRY(choose(ctx, CLOPT_OP_TREE_KEYS, TREE_BOXES, all, n, 0, 0, NULL, &t->box));
	TRY(choose(ctx, CLOPT_OP_TREE_KEYS, TREE_KEYS, all, n, 0, 0, NULL, &t->keys));
	TRY(choose(ctx, CLOPT_OP_TREE_SORT, TREE_COUNT, all, n, 0, 0, NULL, &t->count));
	TRY(choose(ctx, CLOPT_OP_TREE_SORT, TREE_SCAN, all, n, 0, 0, NULL, &t->scan));
	TRY(choose(ctx, CLOPT_OP_TREE_SORT, TREE_SCATTER, all, n, 0, 0, NULL, &t->scatter));
	TRY(choose(ctx, CLOPT_OP_TREE_CELLS, moments ? TREE_LEAVES_MOMENTS : TREE_LEAVES, all, n, n,
	           order, like ? &like->leaves : NULL, &t->leaves));
	TRY(choose(ctx, CLOPT_OP_TREE_CELLS, moments ? TREE_INNER_MOMENTS : TREE_INNER, all, n, n,
	           order, like ? &like->inner : NULL, &t->inner));
out:
	return rc;
}

static size_t groups(const struct part *p, size_t n)
{
	return clopt__groups(n, p->row->out[0]);
}

/* The arrays in the order of their creation.  Sums over the same sources share the first ones. */
struct wanted {
	struct array *array;
	size_t rows, row_bytes;
};
#define ARRAYS 10
#define LASTING 3

static void list_arrays(struct tree *t, struct wanted *w)
{
	const size_t n = t->shape.n, m = t->targets, most = clopt__larger(n, m);
	const size_t point = t->point_bytes;
	const struct wanted list[ARRAYS] = {
		{ &t->points, n + t->shape.cells * t->shape.rows, point },
		{ &t->boxes, t->shape.cells, 8 * sizeof(cl_float) },
		{ &t->order, n, sizeof(cl_uint) },
		{ &t->group_boxes, groups(&t->box, most), 8 * sizeof(cl_float) },
		{ &t->key[0], most, sizeof(cl_ulong) },
		{ &t->key[1], most, sizeof(cl_ulong) },
		{ &t->other_order, most, sizeof(cl_uint) },
		{ &t->target_order, t->own_targets ? m : 0, sizeof(cl_uint) },
		{ &t->counts, groups(&t->count, most) + 1, TREE_DIGITS * sizeof(cl_uint) },
		{ &t->pairs, groups(&t->sum, m), 2 * sizeof(cl_uint) },
	};

	memcpy(w, list, sizeof list);
}

/* Make the array large enough. *lost: its contents are lost. */
static int make_room(struct clopt *ctx, const struct wanted *w, int *lost)
{
	const size_t bytes = clopt__array_bytes(w->rows, w->row_bytes, packed);

	if (w->array->mem && w->array->bytes >= bytes) {
		w->array->rows = w->rows;
		w->array->pitch_bytes = w->row_bytes;
		return CLOPT_OK;
	}
	*lost = 1;
	clopt__array_close(w->array);
	return clopt__array_open(ctx, w->rows, w->row_bytes, packed, w->array);
}

static int bring_matrix(struct clopt *ctx, struct tree *t)
{
	const size_t rows = clopt__tree_proxies(t->shape.order);
	const size_t row_bytes = TREE_MATRIX_ROW * 2 * sizeof(cl_float);
	float *matrix = malloc(rows * row_bytes);
	int rc = CLOPT_OK;

	if (!matrix)
		return clopt__fail(ctx, CLOPT_ENOMEM, "no memory for a tree's matrix");
	clopt__tree_matrix(t->shape.order, matrix);
	t->matrix_order = 0;
	clopt__array_close(&t->matrix);
	TRY(clopt__array_copy_of(ctx, matrix, rows, row_bytes, &t->matrix));
	t->matrix_order = t->shape.order;
out:
	free(matrix);
	return rc;
}

/* Kernels count rows in 32 bits. */
#define MOST_POINTS ((size_t)1 << 31)

int clopt__tree_open(struct clopt *ctx, const struct clopt_problem *all, unsigned order,
                     int own_targets, size_t others, struct tree *t)
{
	struct tree_shape shape;
	struct wanted w[ARRAYS];
	size_t i, bytes = others, largest = 0;
	int rc = CLOPT_OK;

	if (all->dim[0] >= MOST_POINTS || all->dim[1] >= MOST_POINTS)
		return clopt__fail(ctx, CLOPT_ENOMEM,
		                   "nsources is %zu and ntargets is %zu: a tree takes at most %zu",
		                   all->dim[0], all->dim[1], MOST_POINTS - 1);
	clopt__tree_shape(all->dim[0], order, clopt__tree_multipoles(all->law, order), &shape);
	if (t->shape.order != order || t->shape.multipoles != shape.multipoles ||
	    t->precision != all->precision)
		t->built = 0;
	t->shape = shape;
	t->precision = all->precision;
	t->targets = own_targets ? clopt__smaller(all->dim[1], TREE_BAND) : all->dim[1];
	t->own_targets = own_targets;
	t->point_bytes = 4 * all->elem_bytes;
	TRY(choose_all(ctx, all, order, t));
	list_arrays(t, w);
	for (i = 0; i < ARRAYS; i++) {
		bytes += w[i].rows * w[i].row_bytes;
		largest = clopt__larger(largest, w[i].rows * w[i].row_bytes);
	}
	if (largest > ctx->device.info.max_alloc_bytes || bytes > clopt__memory(ctx))
		return clopt__fail(ctx, CLOPT_ENOMEM,
		                   "a tree over %zu sources takes %zu bytes, %zu of them in one "
		                   "buffer: the device allows less",
		                   all->dim[0], bytes, largest);
	for (i = 0; i < ARRAYS; i++) {
		int lost = 0;

		if (w[i].rows)
			TRY(make_room(ctx, &w[i], &lost));
		t->built &= !lost || i >= LASTING;
		t->sorted &= !lost || i >= LASTING;
	}
	if (!t->shape.multipoles && t->matrix_order != order)
		TRY(bring_matrix(ctx, t));
out:
	return rc;
}

void clopt__tree_close(struct tree *t)
{
	struct wanted w[ARRAYS];
	size_t i;

	if (t->sum.row && t->box.row && t->count.row) {
		list_arrays(t, w);
		for (i = 0; i < ARRAYS; i++)
			clopt__array_close(w[i].array);
	}
	clopt__array_close(&t->matrix);
	t->built = t->sorted = 0;
	t->matrix_order = 0;
}

/* ---- Launches ------------------------------------------------------------------------- */

static int launch(struct clopt *ctx, const struct lane *lane, struct part *p, size_t d0, size_t d1,
                  const struct array *const *arrays, int last)
{
	p->problem.dim[0] = d0;
	p->problem.dim[1] = d1;
	memcpy(p->array, arrays, clopt__ops[p->problem.op]->operands * sizeof *arrays);
	return clopt__lane_launch(ctx, lane, p, last);
}

int clopt__tree_order(struct clopt *ctx, const struct lane *lane, struct tree *t,
                      const struct array *points, size_t n, const struct array *order)
{
	const struct array *const place[] = { points, &t->group_boxes, &t->key[0] };
	const size_t blocks = groups(&t->count, n);
	unsigned pass;
	int rc = CLOPT_OK;

	TRY(launch(ctx, lane, &t->box, n, groups(&t->box, n), place, 0));
	TRY(launch(ctx, lane, &t->keys, n, groups(&t->box, n), place, 0));
	for (pass = 0; pass < TREE_PASSES; pass++) {
		const int odd = pass & 1;
		const struct array *const step[] = { &t->key[odd], odd ? &t->other_order : order,
			                             &t->counts, &t->key[!odd],
			                             odd ? order : &t->other_order };

		t->count.real[0] = t->scan.real[0] = t->scatter.real[0] = 8 * pass;
		t->scatter.real[1] = pass == 0;
		TRY(launch(ctx, lane, &t->count, n, blocks, step, 0));
		TRY(launch(ctx, lane, &t->scan, n, blocks, step, 0));
		TRY(launch(ctx, lane, &t->scatter, n, blocks, step, 0));
	}
out:
	return rc;
}

/* Make all cells, from the leaves up. */
static int make_cells(struct clopt *ctx, const struct lane *lane, struct tree *t,
                      const struct array *sources)
{
	const struct tree_shape *shape = &t->shape;
	unsigned level;
	int rc = CLOPT_OK;

	for (level = 0; level < shape->levels; level++) {
		const size_t first = shape->level[level].first, cells = shape->level[level].cells;
		const size_t below = level ? shape->level[level - 1].first : 0;
		const size_t below_rows = level ? shape->level[level - 1].cells * shape->rows : 0;
		const struct array under =
		        clopt__array_from(&t->points, shape->n + below * shape->rows);
		const struct array proxies =
		        clopt__array_from(&t->points, shape->n + first * shape->rows);
		const struct array inner = clopt__array_from(&t->boxes, below),
		                   boxes = clopt__array_from(&t->boxes, first);
		const struct array *const step[] = { level ? &under : sources,
			                             &t->order,
			                             &t->matrix,
			                             &inner,
			                             &boxes,
			                             &t->points,
			                             &proxies };

		TRY(launch(ctx, lane, level ? &t->inner : &t->leaves, cells,
		           level ? below_rows : shape->n, step, 0));
	}
out:
	return rc;
}

int clopt__tree_build(struct clopt *ctx, const struct lane *lane, struct tree *t,
                      const struct array *sources)
{
	int rc = CLOPT_OK;

	t->built = 0;
	if (!t->sorted) {
		TRY(clopt__tree_order(ctx, lane, t, sources, t->shape.n, &t->order));
		t->sorts++;
	}
	t->sorted = 1;
	TRY(make_cells(ctx, lane, t, sources));
	t->built = 1;
out:
	return rc;
}

size_t clopt__tree_grain(const struct tree *t)
{
	return t->sum.row->out[0];
}

int clopt__tree_sum(struct clopt *ctx, const struct lane *lane, struct tree *t, const double *real,
                    double theta, const struct array *const *arrays, size_t first, size_t count,
                    int last)
{
	const struct array order =
	        clopt__array_from(t->own_targets ? &t->target_order : &t->order, first);
	const struct array pairs = clopt__array_from(&t->pairs, first / clopt__tree_grain(t));
	const struct array *const step[] = { &t->points, &t->boxes, arrays[2], arrays[3],
		                             &order,     &pairs,    arrays[4] };

	memcpy(t->sum.real, real, sizeof t->sum.real);
	t->sum.real[REAL_THETA2] = theta * theta;
	return launch(ctx, lane, &t->sum, t->shape.n, count, step, last);
}
