/* SPDX-License-Identifier: MIT */
/*
 * map.c - runs the caller's kernel in the pipeline.  Banded arrays are operands with a row for each
 * item.  Shared arrays are operands with one row, which no size of the problem counts.  All other
 * arguments are set as given.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "clopt_cl.h"
#include "../kernel/kernel.h"
#include "../base/text.h"
#include "api.h"

struct mapping {
	struct clopt_map_desc map;
	struct operand operand[MAX_ARRAYS];
	char name[MAX_ARRAYS][32]; /* "argument 3", for messages */
	unsigned operands;
};

static int is_array(const struct clopt_arg *a)
{
	return a->kind >= CLOPT_ARG_IN && a->kind <= CLOPT_ARG_SHARED;
}

/* More than any kernel has: devices allow a few KiB of arguments. */
#define MOST_ARGUMENTS 65535

/* Items of one launch: drivers count work-groups in 32 bits. */
#define MOST_ITEMS ((size_t)1 << 30)

static size_t work_items(const struct clopt_map_desc *m, size_t items)
{
	return clopt__groups(items, m->items_per_work_item ? m->items_per_work_item : 1);
}

static int launch(struct clopt *ctx, cl_command_queue q, const struct workload *w,
                  const struct block *b, const struct array *const *arrays, struct waits wait,
                  cl_event *event)
{
	const struct clopt_map_desc *m = w->what;
	const cl_ulong count = b->count[0], first = b->first[0];
	size_t global = work_items(m, b->count[0]), i;
	int rc = CLOPT_OK;

	for (i = 0; i < m->nargs; i++) {
		const struct clopt_arg *a = &m->args[i];
		const void *value = a->data;
		size_t bytes = a->bytes;

		if (is_array(a)) {
			value = &(*arrays++)->mem;
			bytes = sizeof(cl_mem);
		} else if (a->kind == CLOPT_ARG_COUNT || a->kind == CLOPT_ARG_FIRST) {
			value = a->kind == CLOPT_ARG_COUNT ? &count : &first;
			bytes = sizeof count;
		}
		TRY_CL(ctx, clSetKernelArg(w->kernel, (cl_uint)i, bytes, value));
	}
	if (m->items_per_group)
		global = clopt__groups(global, m->items_per_group) * m->items_per_group;
	TRY(clopt__enqueue_kernel(ctx, q, w->kernel, 1, NULL, &global,
	                          m->items_per_group ? &m->items_per_group : NULL, wait, event));
	clopt__launched(ctx, w->kernel);
out:
	return rc;
}

/* Kernels may read arrays as vectors, up to the largest that divides an element. */
static size_t alignment(size_t bytes)
{
	size_t a = 16;

	while (a < 128 && bytes % (2 * a) == 0)
		a *= 2;
	return a;
}

static int add_array(const struct clopt *ctx, struct mapping *m, size_t index)
{
	const struct clopt_arg *a = &m->map.args[index];
	struct operand *o = &m->operand[m->operands];
	const int shared = a->kind == CLOPT_ARG_SHARED;

	if (m->operands == MAX_ARRAYS)
		return clopt__fail(ctx, CLOPT_EINVAL,
		                   "args[%zu] is array number %d: a kernel takes at most %d", index,
		                   MAX_ARRAYS + 1, MAX_ARRAYS);
	o->host = a->data;
	o->use = a->kind == CLOPT_ARG_OUT   ? OPERAND_OUT :
	         a->kind == CLOPT_ARG_INOUT ? OPERAND_IN | OPERAND_OUT :
	                                      OPERAND_IN;
	o->rows = shared ? 1 : m->map.items;
	o->columns = o->ld = shared ? a->bytes : 1;
	o->elem_bytes = shared ? 1 : a->bytes;
	o->row_dim = shared ? NO_DIM : 0;
	o->column_dim = NO_DIM;
	snprintf(m->name[m->operands], sizeof m->name[0], "args[%zu]", index);
	o->name = m->name[m->operands++];
	return clopt__check_operand(ctx, o, m->map.items == 0);
}

static int check_argument(const struct clopt *ctx, struct mapping *m, size_t i)
{
	const struct clopt_arg *a = &m->map.args[i];

	if (a->kind < CLOPT_ARG_IN || a->kind > CLOPT_ARG_FIRST)
		return clopt__fail(ctx, CLOPT_EINVAL,
		                   "args[%zu].kind is %d: use one of enum clopt_arg_kind", i,
		                   a->kind);
	if (a->kind < CLOPT_ARG_COUNT && a->bytes == 0)
		return clopt__fail(ctx, CLOPT_EINVAL,
		                   "args[%zu].bytes is 0: give the bytes of an element, of a value "
		                   "or of local memory",
		                   i);
	if (a->kind == CLOPT_ARG_VALUE && !a->data)
		return clopt__fail(
		        ctx, CLOPT_EINVAL,
		        "args[%zu].data is NULL: CLOPT_ARG_VALUE needs the address of its value",
		        i);
	return is_array(a) ? add_array(ctx, m, i) : CLOPT_OK;
}

static int check(const struct clopt *ctx, const struct clopt_map_desc *given, struct mapping *m)
{
	size_t i, j;
	int rc = CLOPT_OK;

	memset(m, 0, sizeof *m);
	if (!given)
		return clopt__fail(ctx, CLOPT_EINVAL, "map is NULL");
	TRY(clopt__sized_read(ctx, "clopt_map_desc", given, &m->map, sizeof m->map));
	TRY(clopt__check_size(ctx, "nargs", m->map.nargs));
	if (m->map.nargs > MOST_ARGUMENTS)
		return clopt__fail(ctx, CLOPT_EINVAL, "nargs is %zu: it must be at most %d",
		                   m->map.nargs, MOST_ARGUMENTS);
	if (m->map.items_per_group > ctx->device.info.max_group)
		return clopt__fail(
		        ctx, CLOPT_EINVAL,
		        "items_per_group is %zu: the device allows work-groups of up to %zu",
		        m->map.items_per_group, ctx->device.info.max_group);
	if (m->map.nargs && !m->map.args)
		return clopt__fail(ctx, CLOPT_EINVAL,
		                   "args is NULL and nargs is %zu: give the arguments",
		                   m->map.nargs);
	for (i = 0; i < m->map.nargs; i++)
		TRY(check_argument(ctx, m, i));
	for (i = 0; i < m->operands; i++)
		for (j = 0; j < m->operands; j++)
			if (i != j && m->map.items && (m->operand[i].use & OPERAND_OUT))
				TRY(clopt__check_apart(ctx, &m->operand[i], &m->operand[j]));
	/* Work-items are launched in whole groups. */
	if (m->map.items_per_group &&
	    work_items(&m->map, m->map.items) > SIZE_MAX - (m->map.items_per_group - 1))
		return clopt__fail(
		        ctx, CLOPT_EINVAL,
		        "items is %zu, in work-groups of %zu: that is more than size_t counts",
		        m->map.items, m->map.items_per_group);
out:
	return rc;
}

/* A missing argument would keep its value of an earlier call. */
static int check_count(struct clopt *ctx, const struct mapping *m, cl_kernel kernel)
{
	cl_uint count = 0;
	int rc = CLOPT_OK;

	TRY_CL(ctx, clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof count, &count, NULL));
	if (count != m->map.nargs)
		rc = clopt__fail(ctx, CLOPT_EINVAL, "nargs is %zu: the kernel takes %u arguments",
		                 m->map.nargs, (unsigned)count);
out:
	return rc;
}

static void make_workload(const struct mapping *m, cl_kernel kernel, struct throughput *throughput,
                          struct workload *w)
{
	/* A granule larger than all items makes one band. */
	const size_t granule =
	        m->map.granule < m->map.items ? m->map.granule ? m->map.granule : 1 : m->map.items;
	/* Reports need the name after the caller's text is gone. */
	const char *name = m->map.name ? clopt__interned(m->map.name) : NULL;
	unsigned i;

	*w = (struct workload){
		.op = CLOPT_OPS,
		.dim = { m->map.items, 1, 1 },
		.tile = { granule, 1, 1 },
		.least = { granule, 1, 1 },
		.grain = { granule, 1, 1 },
		.most = { clopt__larger(granule, MOST_ITEMS), 1, 1 },
		.cut = { 0, NO_DIM },
		.sum = NO_DIM,
		.operands = m->operands,
		.operand = m->operand,
		.packed = 1,
		.units = (double)m->map.items,
		.throughput = throughput,
		.name = name ? name : "a kernel of the caller's",
		.launch = launch,
		.what = &m->map,
		.kernel = kernel,
	};
	for (i = 0; i < m->operands; i++)
		w->align_bytes[i] = alignment(m->operand[i].elem_bytes);
}

static int build(struct clopt *ctx, const struct mapping *m, cl_kernel *kernel)
{
	int rc = CLOPT_OK;

	TRY(clopt__kernel_from(ctx, m->map.source, m->map.name, m->map.build_options, kernel));
	clopt__kernel_keep(ctx, *kernel);
	TRY(check_count(ctx, m, *kernel));
out:
	return rc;
}

static int member_workload(struct clopt *ctx, const void *what, const struct workload *first,
                           int alike, struct workload *w)
{
	const struct mapping *m = what;
	cl_kernel kernel;
	int rc = CLOPT_OK;

	(void)first;
	(void)alike;
	TRY(build(ctx, m, &kernel));
	make_workload(m, kernel, clopt__throughput(ctx, kernel), w);
out:
	return rc;
}

static void say_map(const void *what, char *text, size_t size)
{
	const struct clopt_map_desc *m = what;
	const int whole = clopt__sized_has(m, sizeof *m);

	/* If the struct is not initialized, the name may be no pointer. */
	snprintf(text, size, "map of %.64s over %zu items",
	         whole && m->source && m->name && m->nargs <= MOST_ARGUMENTS ? m->name : "a kernel",
	         whole ? m->items : 0);
}

/* own: build the kernel from the source. */
static int call(struct clopt *ctx, const struct clopt_map_desc *given, cl_kernel kernel, int own)
{
	struct kept kept = { NULL, 0 };
	const struct tolerance none = { 0 };
	struct mapping m = { .operands = 0 };
	const struct runners *runners;
	struct workload w;
	int rc = CLOPT_OK;

	TRY(clopt__begin(ctx, (struct sentence){ say_map, given }));
	TRY(check(ctx, given, &m));
	if (own ? !m.map.source || !m.map.name : !kernel)
		TRY(clopt__fail(ctx, CLOPT_EINVAL, "%s is NULL",
		                !own         ? "kernel" :
		                m.map.source ? "name" :
		                               "source"));
	if (m.map.items == 0)
		goto out;
	if (own)
		TRY(build(ctx, &m, &kernel));
	else
		TRY(check_count(ctx, &m, kernel));
	if (ctx->keep_output)
		TRY(clopt__keep_open(ctx, m.operand, m.operands, &kept));
	make_workload(&m, kernel, own ? clopt__throughput(ctx, kernel) : NULL, &w);
	/* The caller's kernel belongs to one context. */
	runners = own ? clopt__runners(ctx, &none, 0) : NULL;
	TRY(runners ? runners->workload(ctx, &w, member_workload, &m, NULL) : clopt__run(ctx, &w));
	clopt__kernels_save(ctx, 0);
out:
	if (rc != CLOPT_OK)
		clopt__keep_restore(m.operand, m.operands, kept.copy);
	clopt__keep_close(&kept);
	return clopt__end(ctx, rc, NULL);
}

int clopt_map(struct clopt *ctx, const struct clopt_map_desc *map)
{
	return call(ctx, map, NULL, 1);
}

int clopt_map_cl(struct clopt *ctx, cl_kernel kernel, const struct clopt_map_desc *map)
{
	return call(ctx, map, kernel, 0);
}
