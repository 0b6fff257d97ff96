/* SPDX-License-Identifier: MIT */
/*
 * cases.c - run one problem of any operation, judge the result, and put both into words.
 *
 * The differences between operations are in one struct case_op each; everything
 * here is the same for all of them.
 */
#include "cases.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "op.h"

const struct case_op *const case_ops[CLOPT_OPS] = {
	[CLOPT_OP_MATMUL] = &case_matmul,
	[CLOPT_OP_TRANSPOSE] = &case_transpose,
	[CLOPT_OP_POTENTIAL] = &case_potential,
	[CLOPT_OP_NBODY] = &case_nbody,
	[CLOPT_OP_LEAPFROG] = &case_leapfrog,
	[CLOPT_OP_EVOLVE_FORCE] = &case_evolve,
	[CLOPT_OP_EVOLVE_STEP] = &case_evolve_step,
	[CLOPT_OP_EVOLVE_SUMS] = &case_evolve_sums,
	[CLOPT_OP_TREE_KEYS] = &case_tree_nbody,
	[CLOPT_OP_TREE_SORT] = &case_tree_nbody,
	[CLOPT_OP_TREE_CELLS] = &case_tree_nbody,
	[CLOPT_OP_TREE_POTENTIAL] = &case_tree_potential,
	[CLOPT_OP_TREE_NBODY] = &case_tree_nbody,
};

const struct shape *case_shapes(int op, size_t *n)
{
	*n = case_ops[op]->nshapes;
	return case_ops[op]->shapes;
}

void case_problem(int op, const struct shape *shape, struct clopt_problem *problem)
{
	memset(problem, 0, sizeof *problem);
	problem->size = sizeof *problem;
	problem->op = op;
	memcpy(problem->dim, shape->dim, case_ops[op]->ndim * sizeof shape->dim[0]);
	problem->type = shape->type;
	problem->elem_bytes = shape->elem_bytes;
	problem->transa = shape->transa;
	problem->transb = shape->transb;
	problem->layout = shape->layout;
	problem->math = shape->math;
	problem->triangle = shape->triangle;
	problem->batch = shape->batch;
	problem->precision = shape->precision;
	problem->scaled = op == CLOPT_OP_TRANSPOSE && shape->alpha != 1.0;
	if (op == CLOPT_OP_TREE_SORT)
		problem->precision = 0; /* of keys */
	problem->law = shape->law;
	problem->normals = law_has_normals(shape->law);
	if (op == CLOPT_OP_EVOLVE_FORCE || op == CLOPT_OP_EVOLVE_STEP)
		problem->outputs = shape->integrator == CLOPT_INTEGRATOR_HERMITE;
	/* Bodies in float are added up in the best there is. */
	if (op == CLOPT_OP_EVOLVE_SUMS && shape->precision == CLOPT_PRECISION_FLOAT) {
		problem->elem_bytes = 4;
		problem->precision = CLOPT_PRECISION_BEST;
	}
}

int case_needs_kernel(int op, const struct shape *shape)
{
	size_t i;

	for (i = 0; i < case_ops[op]->ndim; i++)
		if (shape->dim[i] == 0)
			return 0;
	return (op != CLOPT_OP_MATMUL || shape->alpha != 0.0) &&
	       (op < CLOPT_OP_LEAPFROG || shape->steps != 0);
}

/* ------------------------------------------------ run and compare ------ */

double case_off(double got, double want, double tolerance)
{
	double d = fabs(got - want);

	if (!(d <= DBL_MAX))
		return HUGE_VAL;
	if (d == 0.0)
		return 0.0;
	return tolerance > 0.0 ? d / tolerance : HUGE_VAL;
}

int case_open(struct case_job **job, int op, const struct shape *shape, uint64_t seed)
{
	struct case_job *j = calloc(1, sizeof *j);
	int i, rc = CLOPT_OK;

	if (!j) {
		rc = CLOPT_ENOMEM;
		goto out;
	}
	j->op = op;
	j->s = *shape;
	j->rng.state = seed;
	rc = case_ops[op]->fill(j);
	for (i = 0; i < 3 && rc == CLOPT_OK; i++)
		if (j->in[i].memory)
			rc = field_seal(&j->in[i], FIELD_IN);
	for (i = 0; i < 2 && rc == CLOPT_OK; i++)
		if (j->out[i].memory)
			rc = field_seal(&j->out[i], FIELD_OUT);
out:
	if (rc != CLOPT_OK) {
		case_close(j);
		j = NULL;
	}
	*job = j;
	return rc;
}

void case_close(struct case_job *job)
{
	int i;

	if (!job)
		return;
	for (i = 0; i < 3; i++)
		field_close(&job->in[i]);
	for (i = 0; i < 2; i++)
		field_close(&job->out[i]);
	free(job->wide);
	free(job);
}

void case_reset(struct case_job *job)
{
	field_restore(&job->out[0]);
	field_restore(&job->out[1]);
}

int case_call(struct clopt *ctx, struct case_job *job)
{
	return case_ops[job->op]->call(ctx, job);
}

int case_wide(struct case_job *job, size_t n)
{
	free(job->wide);
	job->wide = malloc((n + 1) * sizeof *job->wide);
	return job->wide ? CLOPT_OK : CLOPT_ENOMEM;
}

static void compare(const struct case_job *job, size_t item, struct case_result *result)
{
	const struct case_op *op = case_ops[job->op];
	struct expect e[MAX_WIDTH];
	size_t i;

	op->expect(job, item, e);
	for (i = 0; i < op->width; i++) {
		if (result->checked == 0 || e[i].error > result->error) {
			result->error = e[i].error;
			result->at = item * op->width + i;
			result->got = e[i].got;
			result->want = e[i].want;
		}
		result->checked++;
	}
}

/* Compare `samples' numbers of the output, or all of them if 0; look at the
 * fences and the inputs either way. */
int case_check(struct case_job *job, size_t samples, struct case_result *result)
{
	const struct case_op *op = case_ops[job->op];
	size_t i, items = op->items(job);
	int rc = CLOPT_OK;

	memset(result, 0, sizeof *result);
	if (op->prepare)
		rc = op->prepare(job, samples == 0);
	if (rc != CLOPT_OK)
		return rc;
	if (samples == 0) {
		for (i = 0; i < items; i++)
			compare(job, i, result);
	} else if (items) {
		/* The last one is where kernels go wrong at the edge. */
		compare(job, items - 1, result);
		for (i = op->width; i < samples; i += op->width)
			compare(job, (size_t)(case_random(&job->rng) % items), result);
	}
	result->stray = field_stray(&job->out[0]) + field_stray(&job->out[1]);
	result->inputs_changed = field_changed(&job->in[0]) || field_changed(&job->in[1]) ||
	                         field_changed(&job->in[2]);
	return CLOPT_OK;
}

int case_run(struct clopt *ctx, int op, const struct shape *shape, uint64_t seed,
             struct case_result *result)
{
	struct case_job *job = NULL;
	int rc, status;

	memset(result, 0, sizeof *result);
	rc = case_open(&job, op, shape, seed);
	if (rc != CLOPT_OK)
		return rc;
	status = case_call(ctx, job);
	if (status == CLOPT_OK)
		rc = case_check(job, 0, result);
	result->status = status;
	case_close(job);
	return rc;
}

int case_passed(const struct case_result *result)
{
	return result->status == CLOPT_OK && result->error <= 1.0 && result->stray == 0 &&
	       !result->inputs_changed;
}

/* -------------------------------------------------------- in words ---- */

void case_explain(const struct case_result *result, char *text, size_t size)
{
	if (result->status != CLOPT_OK)
		snprintf(text, size, "%s", clopt_strerror(result->status));
	else if (result->stray)
		snprintf(text, size, "%zu elements written outside the output", result->stray);
	else if (result->inputs_changed)
		snprintf(text, size, "an input was changed");
	else if (!(result->error <= 1.0))
		snprintf(text, size,
		         "element %zu is %.10g instead of %.10g, %.3g times its tolerance",
		         result->at, result->got, result->want, result->error);
	else
		snprintf(text, size, "ok");
}

const struct case_type case_types[CASE_TYPES] = {
	{ "float16", CLOPT_TYPE_HALF },
	{ "bfloat16", CLOPT_TYPE_BFLOAT16 },
	{ "float32", CLOPT_TYPE_FLOAT },
	{ "float64", CLOPT_TYPE_DOUBLE },
	{ "complex64", CLOPT_TYPE_COMPLEX_FLOAT },
	{ "complex128", CLOPT_TYPE_COMPLEX_DOUBLE },
};

const char *case_element(int op, const struct shape *shape)
{
	const int type = shape->type ? shape->type : (int)shape->elem_bytes;
	size_t i;

	if (op == CLOPT_OP_TRANSPOSE)
		return shape->elem_bytes == 1 ? "1-byte" :
		       shape->elem_bytes == 2 ? "2-byte" :
		       shape->elem_bytes == 4 ? "4-byte" :
		       shape->elem_bytes == 8 ? "8-byte" :
		                                "16-byte";
	if (op >= CLOPT_OP_EVOLVE_FORCE)
		return shape->precision == CLOPT_PRECISION_FLOAT         ? "float32" :
		       shape->precision == CLOPT_PRECISION_DOUBLE_SINGLE ? "double-single" :
		                                                           "float64";
	for (i = 0; i < CASE_TYPES; i++)
		if (case_types[i].type == type)
			return case_types[i].name;
	return "float32";
}

static char letter(int trans)
{
	return trans == CLOPT_TRANS_CONJ ? 'C' : trans == CLOPT_TRANS_YES ? 'T' : 'N';
}

/* Append to text as far as there is room. */
#define ADD(...) \
	do { \
		size_t used_ = strlen(text); \
		snprintf(text + used_, size - used_, __VA_ARGS__); \
	} while (0)

void case_describe(int op, const struct shape *s, char *text, size_t size)
{
	static const char *const families[] = {
		[CASE_UNIFORM] = "",           [CASE_OFFSET] = " offset",
		[CASE_CLUSTERS] = " clusters", [CASE_COINCIDENT] = " coincident",
		[CASE_SHARED] = " shared",
	};
	size_t d;

	if (!size)
		return;
	text[0] = '\0';
	for (d = 0; d < case_ops[op]->ndim; d++)
		ADD("%s%zu", d ? "x" : "", s->dim[d]);
	ADD(" %s", case_element(op, s));
	if (op == CLOPT_OP_MATMUL)
		ADD(" %c%c alpha=%g beta=%g", letter(s->transa), letter(s->transb), s->alpha,
		    s->beta);
	if (op == CLOPT_OP_TRANSPOSE && s->alpha != 1.0)
		ADD(" alpha=%g", s->alpha);
	if (s->layout == CLOPT_LAYOUT_COL_MAJOR)
		ADD(" column-major");
	if (s->math)
		ADD(" math=%d", s->math);
	if (s->triangle)
		ADD(s->triangle == CLOPT_UPLO_LOWER ? " lower" : " upper");
	if (s->batch > 1)
		ADD(" batch=%zu%s", s->batch, s->shared_b ? " of one b" : "");
	if (op <= CLOPT_OP_TRANSPOSE && (s->pad[0] || s->pad[1] || s->pad[2]))
		ADD(" pad=%zu,%zu,%zu", s->pad[0], s->pad[1], s->pad[2]);
	if (s->law)
		ADD(" %s", clopt_law_name(s->law));
	if (op >= CLOPT_OP_POTENTIAL)
		ADD("%s factor=%g", families[s->family], s->alpha);
	if (op >= CLOPT_OP_NBODY)
		ADD(" softening=%g", s->softening);
	if (op >= CLOPT_OP_EVOLVE_FORCE && s->integrator == CLOPT_INTEGRATOR_HERMITE)
		ADD(" hermite");
	if (op >= CLOPT_OP_LEAPFROG && op < CLOPT_OP_EVOLVE_SUMS)
		ADD(" steps=%zu dt=%g", s->steps, s->dt);
	if (op != CLOPT_OP_TRANSPOSE && s->scale != 1.0)
		ADD(" scale=%g", s->scale);
}

/* ------------------------------------------------------------ bench ---- */

int case_bench(int op, size_t i, enum case_extent extent, size_t size, struct shape *shape)
{
	size_t d;

	if (i >= case_ops[op]->nbench)
		return 0;
	*shape = case_ops[op]->bench[i];
	for (d = 0; d < case_ops[op]->ndim; d++)
		shape->dim[d] = size ? size : case_ops[op]->bench_dim[extent];
	return 1;
}

void case_work(int op, const struct shape *s, struct case_work *work)
{
	double x = (double)s->dim[0], y = (double)s->dim[1], z = (double)s->dim[2];
	double elem = (double)s->elem_bytes;

	memset(work, 0, sizeof *work);
	switch (op) {
	case CLOPT_OP_MATMUL:
		work->flops = (s->type >> 8 == 2 ? 8.0 : 2.0) * x * y * z;
		work->bytes = (x * z + (s->family == CASE_SHARED ? 0.0 : z * y) + x * y) * elem;
		break;
	case CLOPT_OP_TRANSPOSE:
		work->bytes = 2.0 * x * y * elem;
		break;
	case CLOPT_OP_POTENTIAL:
	case CLOPT_OP_TREE_POTENTIAL:
		work->pairs = x * y;
		work->flops = work->pairs * clopt_law_flops(s->law ? s->law : CLOPT_LAW_COULOMB,
		                                            CLOPT_OUTPUTS_PHI);
		work->bytes = 16.0 * (x + y) + 4.0 * y + (law_has_normals(s->law) ? 16.0 * y : 0.0);
		break;
	case CLOPT_OP_NBODY:
	case CLOPT_OP_TREE_KEYS:
	case CLOPT_OP_TREE_SORT:
	case CLOPT_OP_TREE_CELLS:
	case CLOPT_OP_TREE_NBODY:
		work->pairs = x * y;
		work->flops = 20.0 * work->pairs;
		work->bytes = 16.0 * (x + 2.0 * y);
		break;
	case CLOPT_OP_LEAPFROG:
	case CLOPT_OP_EVOLVE_FORCE:
	case CLOPT_OP_EVOLVE_STEP:
		/* Forces are needed before the first step and after each. */
		work->pairs = x * x * ((double)s->steps + 1.0);
		work->flops = 20.0 * work->pairs;
		work->bytes = 2.0 * (op == CLOPT_OP_LEAPFROG ? 32.0 : 64.0) * x;
		break;
	case CLOPT_OP_EVOLVE_SUMS:
		work->pairs = x * x;
		work->flops = 20.0 * work->pairs;
		work->bytes = 64.0 * x;
		break;
	}
}

double case_rate(int op, const struct shape *shape, double seconds)
{
	struct case_work work;
	double amount;

	case_work(op, shape, &work);
	amount = op == CLOPT_OP_MATMUL    ? work.flops :
	         op == CLOPT_OP_TRANSPOSE ? work.bytes :
	                                    work.pairs;
	return seconds > 0.0 ? amount / seconds / 1e9 : 0.0;
}

const char *case_unit(int op)
{
	return case_ops[op]->unit;
}
