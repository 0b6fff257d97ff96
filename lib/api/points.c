/* SPDX-License-Identifier: MIT */
/*
 * points.c - points in the caller's layout: floats or doubles, in separate arrays or structs.
 * Points are copied to the kernels' layout, and results back, unless they have it already.
 */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "../base/numbers.h"
#include "../base/threads.h"
#include "api.h"

#define GRAIN ((size_t)4096) /* points per thread, at least */

static double number(const struct place *p, size_t i)
{
	const char *const at = (const char *)p->at + i * p->stride_bytes;

	return clopt__element(at, p->bytes);
}

static void set_number(const struct place *p, size_t i, double x)
{
	char *const at = (char *)p->at + i * p->stride_bytes;
	const float f = (float)x;

	memcpy(at, p->bytes == sizeof f ? (const void *)&f : &x, p->bytes);
}

/* ---- Checks ------------------------------------------------------------------ */

static int read_type(const struct clopt *ctx, const char *name, int type, size_t stride_bytes,
                     size_t *bytes, size_t *stride)
{
	char text[ENUM_SIZE];

	*bytes = type == CLOPT_TYPE_FLOAT ? sizeof(float) : sizeof(double);
	*stride = stride_bytes ? stride_bytes : *bytes;
	if (type && type != CLOPT_TYPE_FLOAT && type != CLOPT_TYPE_DOUBLE)
		return clopt__fail(
		        ctx, CLOPT_EINVAL,
		        "%s.type is %s: it must be CLOPT_TYPE_FLOAT or CLOPT_TYPE_DOUBLE", name,
		        clopt__type_text(text, type));
	if (*stride < *bytes)
		return clopt__fail(ctx, CLOPT_EINVAL,
		                   "%s.stride_bytes is %zu: it must be 0, or at least the %zu "
		                   "bytes of a number",
		                   name, stride_bytes, *bytes);
	return CLOPT_OK;
}

static int read_points(const struct clopt *ctx, const char *name, const struct clopt_points *given,
                       struct cloud *c)
{
	struct clopt_points p = CLOPT_POINTS_INIT;
	size_t bytes, stride;
	unsigned i;
	int rc = CLOPT_OK;

	if (!given)
		return clopt__fail(ctx, CLOPT_EINVAL, "%s is NULL", name);
	TRY(clopt__sized_read(ctx, "clopt_points", given, &p, sizeof p));
	TRY(clopt__check_number(ctx, "clopt_points.reserved", p.reserved, 0, 0));
	TRY(read_type(ctx, name, p.type, p.stride_bytes, &bytes, &stride));
	{
		const void *const at[] = { p.x, p.y, p.z, p.w, p.vx, p.vy, p.vz };

		for (i = 0; i < sizeof at / sizeof *at; i++)
			c->place[i] = (struct place){ (void *)(uintptr_t)at[i], bytes, stride };
	}
	c->name = name;
	c->n = p.n;
out:
	return rc;
}

/* Read the results.  The wanted numbers decide the outputs. */
static int read_results(const struct clopt *ctx, const struct clopt_results *given,
                        struct points *p)
{
	struct clopt_results r = CLOPT_RESULTS_INIT;
	size_t bytes, stride;
	unsigned i, wanted = 0;
	int field, jerk, rc = CLOPT_OK;

	if (!given)
		return clopt__fail(ctx, CLOPT_EINVAL, "results is NULL");
	TRY(clopt__sized_read(ctx, "clopt_results", given, &r, sizeof r));
	TRY(clopt__check_number(ctx, "clopt_results.reserved", r.reserved, 0, 0));
	if (!r.type && p->cloud[1].place[0].bytes == sizeof(float))
		r.type = CLOPT_TYPE_FLOAT;
	TRY(read_type(ctx, "results", r.type, r.stride_bytes, &bytes, &stride));
	field = r.x || r.y || r.z;
	jerk = r.jx || r.jy || r.jz;
	if (p->gravity && r.normal)
		return clopt__fail(
		        ctx, CLOPT_EINVAL,
		        "results.normal is given: only clopt_potential_points computes it");
	if (!p->gravity && jerk)
		return clopt__fail(
		        ctx, CLOPT_EINVAL,
		        "results.jx, jy or jz is given: only clopt_gravity computes them");
	if (field && r.normal)
		return clopt__fail(
		        ctx, CLOPT_EINVAL,
		        "results.normal is given, and x, y or z too: a call computes one of them");
	p->outputs = jerk                  ? CLOPT_OUTPUTS_JERK :
	             r.normal              ? CLOPT_OUTPUTS_PHI_NORMAL :
	             !field && !p->gravity ? CLOPT_OUTPUTS_PHI :
	             r.phi                 ? CLOPT_OUTPUTS_FIELD_PHI :
	                                     CLOPT_OUTPUTS_FIELD;
	{
		void *const few[MOST_RESULTS] = { r.phi, r.normal };
		void *const all[MOST_RESULTS] = { r.x, r.y, r.z, r.phi, r.jx, r.jy, r.jz };
		void *const *at = p->outputs <= CLOPT_OUTPUTS_PHI_NORMAL ? few : all;

		for (i = 0; i < MOST_RESULTS; i++) {
			p->result[i] = (struct place){ at[i], bytes, stride };
			wanted += at[i] != NULL;
		}
	}
	if (!wanted)
		rc = clopt__fail(ctx, CLOPT_EINVAL,
		                 "results: all pointers are NULL: give at least one");
out:
	return rc;
}

int clopt__points_read(const struct clopt *ctx, const struct clopt_points *sources,
                       const struct clopt_points *targets, const struct clopt_results *results,
                       int *precision, struct points *p)
{
	int rc = CLOPT_OK;

	if (!ctx)
		return clopt__fail(ctx, CLOPT_EINVAL, "ctx is NULL");
	TRY(read_points(ctx, "sources", sources, &p->cloud[0]));
	TRY(read_points(ctx, "targets", targets, &p->cloud[1]));
	TRY(read_results(ctx, results, p));
	if (*precision == CLOPT_PRECISION_DEFAULT)
		*precision = p->cloud[0].place[0].bytes == sizeof(double) &&
		                             p->cloud[1].place[0].bytes == sizeof(double) &&
		                             p->result[0].bytes == sizeof(double) ?
		                     CLOPT_PRECISION_BEST :
		                     CLOPT_PRECISION_FLOAT;
out:
	return rc;
}

/* One number of all points as a column of bytes. */
static struct operand column(const char *name, const struct place *p, size_t n)
{
	struct operand o = clopt__host_operand(p->at, p->stride_bytes, 0);

	o.name = name;
	o.rows = n;
	o.columns = p->bytes;
	o.elem_bytes = 1;
	return o;
}

static int check_places(const struct clopt *ctx, const struct points *p, unsigned numbers, int own)
{
	static const char *const names[] = { "sources.x",  "sources.y",  "sources.z",  "sources.w",
		                             "sources.vx", "sources.vy", "sources.vz", "targets.x",
		                             "targets.y",  "targets.z",  "targets.w",  "targets.vx",
		                             "targets.vy", "targets.vz" };
	static const char *const results[] = { "results.x",   "results.y",  "results.z",
		                               "results.phi", "results.jx", "results.jy",
		                               "results.jz" };
	static const char *const potentials[] = { "results.phi", "results.normal" };
	struct operand o[3 * 7];
	unsigned i, j, cloud, ins = 0, all;
	int rc = CLOPT_OK;

	for (cloud = 0; cloud < 2; cloud++)
		for (i = 0; i < 7 && i < numbers; i++) {
			const struct cloud *c = &p->cloud[cloud];

			if (i == 3 && cloud == 1 && !own)
				continue; /* not read */
			o[ins] = column(names[7 * cloud + i], &c->place[i], c->n);
			if (c->n && !c->place[i].at)
				return clopt__fail(ctx, CLOPT_EINVAL,
				                   "%s is NULL: it must have %zu numbers",
				                   o[ins].name, c->n);
			TRY(clopt__check_operand(ctx, &o[ins++], 0));
		}
	all = ins;
	for (i = 0; i < MOST_RESULTS; i++)
		if (p->result[i].at) {
			o[all] = column(p->outputs <= CLOPT_OUTPUTS_PHI_NORMAL ? potentials[i] :
			                                                         results[i],
			                &p->result[i], p->cloud[1].n);
			TRY(clopt__check_operand(ctx, &o[all], 0));
			for (j = 0; j < all; j++)
				TRY(clopt__check_apart(ctx, &o[all], &o[j]));
			all++;
		}
out:
	return rc;
}

/* ---- Layouts ----------------------------------------------------------------- */

/* Whether `columns` numbers are adjacent floats, without gaps between points. */
static int is_packed(const struct place *p, size_t columns)
{
	size_t i;

	for (i = 0; i < columns; i++)
		if (p[i].bytes != sizeof(float) || p[i].stride_bytes != columns * sizeof(float) ||
		    !p[i].at || (char *)p[i].at != (char *)p->at + i * sizeof(float))
			return 0;
	return 1;
}

struct copying {
	const struct place *place;
	size_t columns;
	int precision; /* as for clopt__numbers_pack */
	double origin[3];
	char *packed;
	size_t row_bytes;
	size_t from; /* first point of the chunk that threads pack */
};

static void pack_part(void *what, unsigned part, size_t first, size_t count)
{
	const struct copying *c = what;
	size_t i, j;

	(void)part;
	for (i = c->from + first; i < c->from + first + count; i++) {
		double point[8] = { 0 };

		for (j = 0; j < c->columns && j < 7; j++)
			if (c->place[j].at)
				point[j] = number(&c->place[j], i) - (j < 3 ? c->origin[j] : 0);
		clopt__numbers_pack(c->precision, c->columns / 4, point,
		                    c->packed + i * c->row_bytes);
	}
}

static void unpack_part(void *what, unsigned part, size_t first, size_t count)
{
	const struct copying *c = what;
	size_t i, j;

	(void)part;
	for (i = first; i < first + count; i++)
		for (j = 0; j < c->columns && j < MOST_RESULTS; j++)
			if (c->place[j].at)
				set_number(&c->place[j], i,
				           clopt__number_at(c->precision,
				                            c->packed + i * c->row_bytes, j));
}

struct box {
	double least[3], most[3];
};

struct boxing {
	const struct place *place;
	struct box part[MOST_PARTS];
};

static void box_part(void *what, unsigned part, size_t first, size_t count)
{
	struct boxing *b = what;
	struct box *box = &b->part[part];
	unsigned axis;
	size_t i;

	for (i = first; i < first + count; i++)
		for (axis = 0; axis < 3; axis++) {
			const double x = number(&b->place[axis], i);

			box->least[axis] = fmin(box->least[axis], x);
			box->most[axis] = fmax(box->most[axis], x);
		}
}

/* The centre of the box around all points; 0 along an axis where it is not finite. */
static void centre(const struct points *p, double *origin)
{
	const double far = (double)INFINITY;
	const struct box none = { { far, far, far }, { -far, -far, -far } };
	struct boxing b;
	unsigned axis, i;

	for (i = 0; i < MOST_PARTS; i++)
		b.part[i] = none;
	for (i = 0; i < 2; i++) {
		b.place = p->cloud[i].place;
		clopt__in_parts(p->cloud[i].n, GRAIN, box_part, &b);
	}
	for (axis = 0; axis < 3; axis++) {
		double least = far, most = -far;

		for (i = 0; i < MOST_PARTS; i++) {
			least = fmin(least, b.part[i].least[axis]);
			most = fmax(most, b.part[i].most[axis]);
		}
		origin[axis] = least / 2 + most / 2;
		if (!(fabs(origin[axis]) <= DBL_MAX))
			origin[axis] = 0;
	}
}

/* Points between two checks for cancellation. */
#define AT_ONCE ((size_t)1 << 20)

static int pack(struct clopt *ctx, const struct cloud *cloud, void *packed, struct copying *c)
{
	int rc = CLOPT_OK;

	c->place = cloud->place;
	c->packed = packed;
	for (c->from = 0; c->from < cloud->n; c->from += AT_ONCE) {
		const size_t left = cloud->n - c->from;

		TRY(clopt__go_on(ctx, 0));
		clopt__in_parts(left < AT_ONCE ? left : AT_ONCE, GRAIN, pack_part, c);
	}
out:
	return rc;
}

static int is_same(const struct points *p)
{
	return !memcmp(p->cloud[0].place, p->cloud[1].place, sizeof p->cloud[0].place) &&
	       p->cloud[0].n == p->cloud[1].n;
}

struct unpacked {
	const struct points *points;
	int per_charge; /* of the job; applied once the weights are packed */
};

/* Run the job of run_copied: pack the points, compute, unpack the results. */
static int run_packed(struct clopt *ctx, const struct job *job, struct placed *placed)
{
	const struct unpacked *what = job->what;
	const struct points *p = what->points;
	struct copying c = { .columns = clopt__point_numbers(&job->problem),
		             .precision = clopt__point_precision(&job->problem) };
	struct job sums = *job;
	int rc = CLOPT_OK;

	(void)placed;
	c.row_bytes = c.columns * job->problem.elem_bytes;
	if (job->problem.precision != CLOPT_PRECISION_DOUBLE)
		centre(p, c.origin);
	TRY(pack(ctx, &p->cloud[0], job->operand[0].host, &c));
	if (!is_same(p))
		TRY(pack(ctx, &p->cloud[1], job->operand[2].host, &c));
	if (what->per_charge)
		clopt__law_charge(&sums);
	sums.run = NULL;
	TRY(clopt__run_one(ctx, &sums));
	c.columns = job->operand[4].columns;
	c.row_bytes = c.columns * job->problem.elem_bytes;
	c.place = p->result;
	c.packed = job->operand[4].host;
	clopt__in_parts(p->cloud[1].n, GRAIN, unpack_part, &c);
out:
	return rc;
}

static int run_copied(struct clopt *ctx, const struct points *p, const struct job *described)
{
	const struct unpacked what = { p, described->per_charge };
	struct job j = *described;
	const size_t row_bytes = clopt__point_numbers(&j.problem) * j.problem.elem_bytes;
	void *packed[3] = { NULL, NULL, NULL };
	unsigned i;
	int rc = CLOPT_OK;

	for (i = 0; i < (is_same(p) ? 1 : 2); i++)
		TRY(clopt_host_alloc(ctx, clopt__times(p->cloud[i].n, row_bytes), &packed[i],
		                     NULL));
	TRY(clopt_host_alloc(
	        ctx, clopt__times(p->cloud[1].n, j.operand[4].columns * j.problem.elem_bytes),
	        &packed[2], NULL));
	j.operand[0].host = packed[0];
	j.operand[2].host = packed[packed[1] ? 1 : 0];
	j.operand[4].host = packed[2];
	j.run = run_packed;
	j.what = &what;
	j.per_charge = 0;
	TRY(clopt__submit(ctx, &j, clopt__at_once()));
out:
	/* This succeeds, so the message of a failure stays. */
	for (i = 0; i < 3; i++)
		clopt_host_free(ctx, packed[i]);
	return rc;
}

int clopt__points_run(struct clopt *ctx, const struct points *p, struct job *j)
{
	struct clopt_problem problem;
	unsigned numbers;
	int rc = CLOPT_OK;

	TRY(clopt__problem_read(ctx, &j->problem, &problem)); /* BEST becomes a precision */
	j->problem.precision = problem.precision;
	j->problem.elem_bytes = problem.precision >= CLOPT_PRECISION_DOUBLE_SINGLE ? 8 : 4;
	numbers = (unsigned)clopt__point_numbers(&j->problem);
	TRY(check_places(ctx, p, numbers, problem.law == CLOPT_LAW_GRAVITY_OWN));
	clopt__problem_operand(&j->problem, 4, &j->operand[4]);
	j->operand[0].ld = j->operand[2].ld = numbers;
	j->operand[4].ld = j->operand[4].columns;
	if (j->problem.elem_bytes == 8 || p->outputs == CLOPT_OUTPUTS_JERK ||
	    !is_packed(p->cloud[0].place, 4) || !is_packed(p->cloud[1].place, 4) ||
	    !is_packed(p->result, j->operand[4].columns))
		return run_copied(ctx, p, j);
	j->operand[0].host = p->cloud[0].place[0].at;
	j->operand[2].host = p->cloud[1].place[0].at;
	j->operand[4].host = p->result[0].at;
	rc = clopt__submit(ctx, j, clopt__at_once());
out:
	return rc;
}
