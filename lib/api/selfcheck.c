/* SPDX-License-Identifier: MIT */
/*
 * selfcheck.c - clopt_selfcheck: runs problems of random numbers through the public routines;
 * lib/verify judges the results.  All bits around arrays and in their gaps are set (NaN), so that
 * stray reads spoil the result and stray writes are seen.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../verify/verify.h"
#include "api.h"

/* clang-format off */
#define MATMUL(t, a, b) { .op = CLOPT_OP_MATMUL, .type = CLOPT_TYPE_##t, .transa = CLOPT_TRANS_##a, .transb = CLOPT_TRANS_##b }
#define TRANSPOSE(bytes, by) { .op = CLOPT_OP_TRANSPOSE, .elem_bytes = bytes, .scaled = by }
#define POTENTIAL(l, o, p) { .op = CLOPT_OP_POTENTIAL, .law = CLOPT_LAW_##l, .outputs = CLOPT_OUTPUTS_##o, .precision = CLOPT_PRECISION_##p, .normals = CLOPT_OUTPUTS_##o == CLOPT_OUTPUTS_PHI_NORMAL }
#define ALPB(l) { .op = CLOPT_OP_POTENTIAL, .law = CLOPT_LAW_##l, .normals = 1 }
#define NBODY(l, o, p) { .op = CLOPT_OP_NBODY, .law = CLOPT_LAW_##l, .outputs = CLOPT_OUTPUTS_##o, .precision = CLOPT_PRECISION_##p }
#define EVOLVE(o, p, j) { .op = CLOPT_OP_EVOLVE_##o, .precision = CLOPT_PRECISION_##p, .outputs = j }
#define TREE(o, order) { .op = CLOPT_OP_TREE_##o, .dim = { 0, 0, order } }

static const struct clopt_problem known[] = {
	MATMUL(FLOAT, NO, NO), MATMUL(FLOAT, NO, YES), MATMUL(FLOAT, YES, NO), MATMUL(FLOAT, YES, YES),
	MATMUL(DOUBLE, NO, NO), MATMUL(COMPLEX_FLOAT, NO, CONJ), MATMUL(COMPLEX_DOUBLE, NO, NO),
	MATMUL(HALF, NO, NO), MATMUL(BFLOAT16, NO, NO), MATMUL(INT8, NO, YES),
	TRANSPOSE(4, 0), TRANSPOSE(8, 0), TRANSPOSE(1, 0), TRANSPOSE(2, 0), TRANSPOSE(16, 0),
	TRANSPOSE(4, 1), TRANSPOSE(8, 1),
	POTENTIAL(COULOMB, PHI, FLOAT), POTENTIAL(COULOMB, PHI_NORMAL, FLOAT),
	POTENTIAL(COULOMB, FIELD_PHI, FLOAT), POTENTIAL(COULOMB, PHI, COMPENSATED),
	POTENTIAL(COULOMB, PHI, DOUBLE_SINGLE), POTENTIAL(COULOMB, PHI, DOUBLE),
	POTENTIAL(DISTANCE4, PHI, FLOAT), POTENTIAL(DEBYE, PHI, FLOAT),
	ALPB(ALPB_SALT), ALPB(ALPB_FAR), ALPB(ALPB_INSIDE), ALPB(ALPB_INSIDE_SALT),
	NBODY(GRAVITY, FIELD, FLOAT), NBODY(GRAVITY, FIELD_PHI, FLOAT), NBODY(GRAVITY_OWN, FIELD, FLOAT),
	NBODY(GRAVITY, FIELD, COMPENSATED), NBODY(GRAVITY, FIELD, DOUBLE_SINGLE), NBODY(GRAVITY, FIELD, DOUBLE),
	{ .op = CLOPT_OP_LEAPFROG },
	EVOLVE(STEP, FLOAT, 0), EVOLVE(STEP, DOUBLE_SINGLE, 0), EVOLVE(STEP, DOUBLE, 0),
	EVOLVE(STEP, FLOAT, JERK), EVOLVE(STEP, DOUBLE_SINGLE, JERK), EVOLVE(STEP, DOUBLE, JERK),
	EVOLVE(SUMS, FLOAT, 0), EVOLVE(SUMS, DOUBLE_SINGLE, 0), EVOLVE(SUMS, DOUBLE, 0),
	TREE(POTENTIAL, 3), TREE(POTENTIAL, 5), TREE(NBODY, 3), TREE(NBODY, 5),
};
/* clang-format on */

#define KNOWN (sizeof known / sizeof *known)
#define FENCE ((size_t)4096)
#define ALPHA 1.5
#define G 0.5
#define SOFTENING 0.25
#define STEP 0.0625
#define THETA 0.25

struct made {
	char *data; /* the first element */
	char *block, *before; /* the data with the memory around it, and a copy */
	size_t block_bytes, rows, row_bytes, pitch_bytes;
	int written;
};

struct trial_call {
	struct clopt_problem p; /* after clopt__problem_read */
	uint64_t random;
	size_t pad; /* elements between the end of a row and the next row */
	struct made in[4], out[2];
	struct audit audit;
};

static double draw(struct trial_call *t, double least, double most)
{
	return least + (most - least) * (clopt__random(&t->random) + 1) / 2;
}

/* Make an array.  It begins at a page or, by chance, one element later: devices that work in host
 * memory treat both differently. */
static void *make(struct trial_call *t, struct made *a, size_t rows, size_t columns, size_t pad,
                  size_t elem_bytes)
{
	const size_t shift = draw(t, 0, 1) < 0.5 ? 0 : elem_bytes;

	a->rows = columns ? rows : 0;
	a->row_bytes = columns * elem_bytes;
	a->pitch_bytes = (columns + pad) * elem_bytes;
	a->block_bytes = clopt__plus(clopt__times(rows, a->pitch_bytes), 3 * FENCE);
	a->block = malloc(a->block_bytes);
	a->before = malloc(a->block_bytes);
	if (!a->block || !a->before)
		return NULL;
	memset(a->block, 0xff, a->block_bytes);
	a->data = a->block + FENCE + (FENCE - (uintptr_t)a->block % FENCE) % FENCE + shift;
	return a->data;
}

/* Fill whole rows with numbers of a type, from least to most; with integers as many times larger.
 */
static void fill(struct trial_call *t, struct made *a, int type, double least, double most)
{
	const size_t bytes = (size_t)type & 0xff;
	size_t i, j;

	for (i = 0; i < a->rows; i++)
		for (j = 0; j < a->row_bytes; j += bytes)
			clopt__element_put(a->data + i * a->pitch_bytes + j, type,
			                   draw(t, least, most) * clopt__element_range(type));
}

static void fill_bits(struct trial_call *t, struct made *a)
{
	size_t i, j;

	for (i = 0; i < a->rows; i++)
		for (j = 0; j < a->row_bytes; j++) {
			clopt__random(&t->random);
			a->data[i * a->pitch_bytes + j] = (char)(t->random >> 40);
		}
}

/* Number j of point i, a float. */
static float *number(struct made *a, size_t i, size_t j)
{
	return (float *)(void *)(a->data + i * a->pitch_bytes) + j;
}

/* Copy the array before the call. written: the call may write it. */
static void seal(struct made *a, int written)
{
	a->written = written;
	if (a->block)
		memcpy(a->before, a->block, a->block_bytes);
}

/* Whether nothing has changed but elements of a written array. */
static int is_sound(struct made *a)
{
	size_t i;

	for (i = 0; a->written && i < a->rows; i++) {
		const size_t at = (size_t)(a->data - a->block) + i * a->pitch_bytes;

		memcpy(a->before + at, a->block + at, a->row_bytes);
	}
	return !a->block || !memcmp(a->before, a->block, a->block_bytes);
}

static int no_memory(const struct clopt *ctx)
{
	return clopt__fail(ctx, CLOPT_ENOMEM, "no memory for the arrays of clopt_selfcheck");
}

/* ---- Each routine ---------------------------------------------------------------------- */

static int matmul(struct clopt *ctx, struct trial_call *t)
{
	const struct clopt_problem *p = &t->p;
	const struct element_type *type = clopt__type(p->type);
	const size_t m = p->dim[0], n = p->dim[1], k = p->dim[2], bytes = p->elem_bytes;
	const size_t result = clopt__elem_bytes(p, 2);
	const int column = p->layout == CLOPT_LAYOUT_COL_MAJOR;
	const int a = (p->transa != CLOPT_TRANS_NO) ^ column,
	          b = (p->transb != CLOPT_TRANS_NO) ^ column;
	struct clopt_gemm_desc g = CLOPT_GEMM_DESC_INIT;

	if (!make(t, &t->in[0], p->batch * (a ? k : m), a ? m : k, t->pad, bytes) ||
	    !make(t, &t->in[1], p->batch * (b ? n : k), b ? k : n, t->pad, bytes) ||
	    !make(t, &t->out[0], p->batch * (column ? n : m), column ? m : n, t->pad, result))
		return no_memory(ctx);
	fill(t, &t->in[0], type->part, -1, 1);
	fill(t, &t->in[1], type->part, -1, 1);
	g.type = p->type;
	g.layout = p->layout;
	g.transa = p->transa;
	g.transb = p->transb;
	g.math = p->math;
	g.triangle = p->triangle;
	g.m = m;
	g.n = n;
	g.k = k;
	g.alpha = type->unit == 0 ? -3 : ALPHA;
	/* C is read, or NaN: always NaN for halves, whose rounding could hide a missing element. */
	g.beta = !t->pad || bytes == 2 ? 0 : type->unit == 0 ? -5 : -0.5;
	if (g.beta < 0)
		fill(t, &t->out[0], type->result, -1, 1);
	g.lda = (a ? m : k) + t->pad;
	g.ldb = (b ? k : n) + t->pad;
	g.ldc = (column ? m : n) + t->pad;
	g.batch = p->batch;
	g.stride_a = (a ? k : m) * g.lda;
	g.stride_b = (b ? n : k) * g.ldb;
	g.stride_c = (column ? n : m) * g.ldc;
	seal(&t->in[0], 0);
	seal(&t->in[1], 0);
	seal(&t->out[0], 1);
	return clopt_gemm(ctx, &g, t->in[0].data, t->in[1].data, t->out[0].data);
}

static int transpose(struct clopt *ctx, struct trial_call *t)
{
	const struct clopt_problem *p = &t->p;
	const size_t rows = p->dim[0], cols = p->dim[1], bytes = p->elem_bytes;
	const size_t ld_in = cols + t->pad, ld_out = rows + t->pad;
	void *in = make(t, &t->in[0], p->batch * rows, cols, t->pad, bytes);
	void *out = make(t, &t->out[0], p->batch * cols, rows, t->pad, bytes);

	if (!in || !out)
		return no_memory(ctx);
	if (p->scaled)
		fill(t, &t->in[0], (int)bytes, -1, 1);
	else
		fill_bits(t, &t->in[0]);
	seal(&t->in[0], 0);
	seal(&t->out[0], 1);
	if (!p->scaled)
		return clopt_transpose_strided_batched(ctx, rows, cols, bytes, in, ld_in,
		                                       rows * ld_in, out, ld_out, cols * ld_out,
		                                       p->batch);
	return bytes == 8 ? clopt_dtranspose(ctx, rows, cols, ALPHA, in, ld_in, out, ld_out) :
	                    clopt_stranspose(ctx, rows, cols, (float)ALPHA, in, ld_in, out, ld_out);
}

static int by_tree(const struct clopt_problem *p)
{
	return p->op >= CLOPT_OP_TREE_POTENTIAL;
}

/* Options that lead to the law, for a molecule a little larger than the box of points. */
static void law_options(const struct trial_call *t, struct clopt_potential_options *o)
{
	const struct clopt_problem *p = &t->p;
	const int law = p->law;
	const int is_alpb = law >= CLOPT_LAW_ALPB && law < CLOPT_LAW_GRAVITY;

	o->law = is_alpb ? CLOPT_LAW_ALPB : law;
	o->outputs = p->outputs;
	o->precision = p->precision;
	o->scale = ALPHA;
	o->radius = 1.5;
	o->ion_radius = 0.1;
	o->kappa = law == CLOPT_LAW_ALPB || law == CLOPT_LAW_ALPB_INSIDE ? 0 : 2;
	o->projection = !is_alpb || !p->normals    ? 0 :
	                law == CLOPT_LAW_ALPB_SALT ? 0.05 :
	                law == CLOPT_LAW_ALPB_FAR  ? 0.2 :
	                                             -0.1;
	o->gem_compat = law == CLOPT_LAW_ALPB_INSIDE && !p->normals;
	o->normals = (const float *)(const void *)t->in[2].data;
	o->depths = (const float *)(const void *)t->in[3].data;
	o->order = by_tree(p) ? (unsigned)p->dim[2] : 0;
	o->theta = by_tree(p) ? THETA : 0;
}

/* Fill the points.  Some targets are at the positions of sources, whose terms are skipped; not with
 * ALPB, where sources are the charges of a molecule. */
static int fill_points(struct trial_call *t)
{
	const struct clopt_problem *p = &t->p;
	const int gravity = clopt__laws[p->law].op == CLOPT_OP_NBODY,
	          own = p->law == CLOPT_LAW_GRAVITY_OWN;
	const int is_alpb = !gravity && p->law >= CLOPT_LAW_ALPB;
	const size_t width = gravity || p->outputs > CLOPT_OUTPUTS_PHI_NORMAL ? 4 :
	                     p->outputs == CLOPT_OUTPUTS_PHI_NORMAL           ? 2 :
	                                                                        1;
	size_t i;

	if (!make(t, &t->in[0], p->dim[0], 4, 0, sizeof(float)) ||
	    !make(t, &t->in[1], p->dim[1], 4, 0, sizeof(float)) ||
	    (p->normals && !make(t, &t->in[2], p->dim[1], 4, 0, sizeof(float))) ||
	    (p->depths && !make(t, &t->in[3], p->dim[0], 1, 0, sizeof(float))) ||
	    !make(t, &t->out[0], p->dim[1], width, 0, sizeof(float)))
		return 0;
	for (i = 0; i < 4; i++)
		fill(t, &t->in[i], CLOPT_TYPE_FLOAT, i == 3 ? 0.1 : -1, 1);
	for (i = 0; i < p->dim[0]; i++) /* masses; a tree's terms may not cancel */
		if (gravity || by_tree(p))
			*number(&t->in[0], i, 3) = fabsf(*number(&t->in[0], i, 3));
	for (i = 0; i < p->dim[1]; i++) {
		if (!is_alpb && p->dim[0] && i % 5 == 3)
			memcpy(number(&t->in[1], i, 0), number(&t->in[0], i * 7 % p->dim[0], 0),
			       3 * sizeof(float));
		/* NaN: must not be read unless it is a softening length. */
		*number(&t->in[1], i, 3) = own ? (float)draw(t, 0, 0.1) : NAN;
		if (p->normals)
			*number(&t->in[2], i, 3) = 0;
	}
	for (i = 0; i < 4; i++)
		seal(&t->in[i], 0);
	seal(&t->out[0], 1);
	return 1;
}

static int pairs(struct clopt *ctx, struct trial_call *t)
{
	struct clopt_potential_options o = CLOPT_POTENTIAL_OPTIONS_INIT;
	struct clopt_nbody_options g = CLOPT_NBODY_OPTIONS_INIT;
	const struct clopt_problem *p = &t->p;
	const size_t n = p->dim[0], m = p->dim[1];
	const float *sources, *targets;
	float *out;

	if (!fill_points(t))
		return no_memory(ctx);
	sources = (const float *)(const void *)t->in[0].data;
	targets = (const float *)(const void *)t->in[1].data;
	out = (float *)(void *)t->out[0].data;
	if (clopt__laws[p->law].op != CLOPT_OP_NBODY) {
		law_options(t, &o);
		return clopt_potential(ctx, n, sources, m, targets, out, &o);
	}
	g.g = G;
	g.softening = p->law == CLOPT_LAW_GRAVITY_OWN ? 0 : 0.01;
	g.precision = p->precision;
	g.potential = p->outputs == CLOPT_OUTPUTS_FIELD_PHI;
	g.target_softening = p->law == CLOPT_LAW_GRAVITY_OWN;
	g.order = by_tree(p) ? (unsigned)p->dim[2] : 0;
	g.theta = by_tree(p) ? THETA : 0;
	return clopt_nbody(ctx, n, sources, m, targets, out, &g);
}

/* Read bodies or velocities as doubles. before: their state before the step. */
static void read_bodies(const struct trial_call *t, unsigned i, int before, double *to)
{
	const struct made *a = &t->out[i];
	const char *data = before ? a->before + (a->data - a->block) : a->data;
	const int type = (int)(a->row_bytes / 4);
	size_t j;

	for (j = 0; j < 4 * t->p.dim[0]; j++)
		to[j] = clopt__element(data + j * (size_t)type, type);
}

/* Run one step.  The input has floats in all precisions, so nothing is rounded before the step. */
static int bodies(struct clopt *ctx, struct trial_call *t)
{
	struct clopt_nbody_options l = CLOPT_NBODY_OPTIONS_INIT;
	struct clopt_evolve_options e = CLOPT_EVOLVE_OPTIONS_INIT;
	const struct clopt_problem *p = &t->p;
	const int floats = p->op == CLOPT_OP_LEAPFROG, sums = p->op == CLOPT_OP_EVOLVE_SUMS;
	const size_t n = p->dim[0], bytes = floats ? sizeof(float) : sizeof(double);
	double *x = malloc(16 * n * sizeof *x + 1);
	struct stepped b;
	struct clopt_conserved got;
	void *to[2];
	size_t i;
	int rc = CLOPT_OK;

	to[0] = make(t, &t->out[0], n, 4, 0, bytes);
	to[1] = make(t, &t->out[1], n, 4, 0, bytes);
	if (!x || !to[0] || !to[1]) {
		rc = no_memory(ctx);
		goto out;
	}
	b = (struct stepped){ n,
		              STEP,
		              G,
		              SOFTENING,
		              floats ? CLOPT_PRECISION_FLOAT : p->precision,
		              (p->outputs & JERK) != 0,
		              x,
		              x + 4 * n,
		              x + 8 * n,
		              x + 12 * n };
	for (i = 0; i < 8 * n; i++) {
		const float drawn =
		        (float)(i / (4 * n) == 0 && i % 4 == 3 ? draw(t, 0, 2) / (double)n :
		                                                 draw(t, -1, 1));

		clopt__element_put((char *)to[i / (4 * n)] + i % (4 * n) * bytes, (int)bytes,
		                   (double)drawn);
	}
	seal(&t->out[0], !sums);
	seal(&t->out[1], !sums);
	l.g = e.g = G;
	l.softening = e.softening = SOFTENING;
	e.precision = p->precision;
	e.integrator = b.hermite ? CLOPT_INTEGRATOR_HERMITE : CLOPT_INTEGRATOR_KICK_DRIFT_KICK;
	if (floats)
		TRY(clopt_nbody_leapfrog(ctx, n, to[0], to[1], STEP, 1, &l));
	else if (sums)
		TRY(clopt_nbody_conserved(ctx, n, to[0], to[1], &e, &got));
	else
		TRY(clopt_nbody_evolve(ctx, n, to[0], to[1], STEP, 1, &e));
	for (i = 0; i < 4; i++)
		read_bodies(t, i % 2, i < 2, x + 4 * n * i);
	rc = sums ? clopt__audit_sums(&t->audit, &b, &got) : clopt__audit_step(&t->audit, &b);
	if (rc != CLOPT_OK)
		rc = no_memory(ctx);
out:
	free(x);
	return rc;
}

/* ---- All of them ------------------------------------------------------------------------- */

static void describe(const struct clopt_problem *p, char *text, size_t size)
{
	const struct op *op = clopt__ops[p->op];
	struct text t = { text, size };

	clopt__say(&t, "%s ", op->name);
	(op->class_text ? op->class_text : op->text)(p, &t);
	if (!op->class_text && op->fields & FIELD_PRECISION)
		clopt__say(&t, " %s%s", clopt__precision_name(p->precision),
		           p->op < CLOPT_OP_TREE_KEYS && p->outputs & JERK ? " hermite" : "");
	if (p->batch > 1)
		clopt__say(&t, " x%zu", p->batch);
}

static int check(const struct clopt *ctx, const struct clopt_problem *p)
{
	const int is_pair = p->op == CLOPT_OP_POTENTIAL || p->op == CLOPT_OP_NBODY || by_tree(p);
	const int is_part = p->op >= CLOPT_OP_TREE_KEYS && p->op <= CLOPT_OP_TREE_CELLS;

	if (is_part || p->hermitian || (p->scaled && p->batch > 1) ||
	    (is_pair && (p->elem_bytes == 8 || p->outputs == CLOPT_OUTPUTS_JERK)))
		return clopt__fail(ctx, CLOPT_EINVAL, "clopt_selfcheck has no test of this %s",
		                   clopt_op_name(p->op));
	return CLOPT_OK;
}

static int run(struct clopt *ctx, struct trial_call *t)
{
	switch (t->p.op) {
	case CLOPT_OP_MATMUL:
		return matmul(ctx, t);
	case CLOPT_OP_TRANSPOSE:
		return transpose(ctx, t);
	case CLOPT_OP_LEAPFROG:
	case CLOPT_OP_EVOLVE_STEP:
	case CLOPT_OP_EVOLVE_SUMS:
		return bodies(ctx, t);
	default:
		return pairs(ctx, t);
	}
}

static int is_nothing(const struct clopt_problem *p)
{
	return !p->dim[0] || (p->op <= CLOPT_OP_NBODY && !p->dim[1]) || (by_tree(p) && !p->dim[1]);
}

/* Judge the call by its status, its result, and the memory around arrays. */
static int judge(struct trial_call *t, int rc, char *reason)
{
	const char *why = t->audit.why;
	size_t i;

	if (rc != CLOPT_OK)
		return rc;
	if (!t->audit.judged && !is_nothing(&t->p))
		why = "its result was not checked";
	for (i = 0; i < 4; i++)
		if (!is_sound(&t->in[i]))
			why = "the call changed an input, or memory around one";
	for (i = 0; i < 2; i++)
		if (!is_sound(&t->out[i]))
			why = "the call changed memory around the result";
	snprintf(reason, WHY_SIZE, "%s", why);
	return *why ? CLOPT_EWRONG : CLOPT_OK;
}

/* Check one problem.  *p, text (CLASS_SIZE), reason (WHY_SIZE): memory for the line. */
static int check_one(struct clopt *ctx, const void *given, uint64_t seed,
                     struct clopt_selfcheck_line *line, struct clopt_problem *p, char *text,
                     char *reason)
{
	struct clopt_report report = CLOPT_REPORT_INIT;
	struct trial_call *t = calloc(1, sizeof *t);
	size_t i;
	int ran = 0, rc;

	if (!t) {
		line->status = no_memory(ctx);
		snprintf(reason, WHY_SIZE, "%s", clopt_error(ctx));
		return line->status;
	}
	t->random = seed * 0x9e3779b97f4a7c15u + 1;
	t->pad = (size_t)draw(t, 0, 4);
	pthread_mutex_init(&t->audit.lock, NULL);
	rc = clopt__problem_read(ctx, given, &t->p);
	*p = t->p;
	if (rc == CLOPT_OK) {
		describe(&t->p, text, CLASS_SIZE);
		rc = check(ctx, &t->p);
	}
	if (rc == CLOPT_OK) {
		ran = 1;
		clopt__audit(&t->audit);
		rc = run(ctx, t);
		clopt__audit(NULL);
	}
	snprintf(reason, WHY_SIZE, "%s", rc == CLOPT_OK ? "" : clopt_error(ctx));
	line->status = judge(t, rc, reason);
	line->error = t->audit.error;
	line->allowed = t->audit.allowed;
	/* A problem that was refused here has no report. */
	if (ran && clopt_last_report(ctx, &report) == CLOPT_OK)
		line->variant = report.variant;
	for (i = 0; i < 4; i++) {
		free(t->in[i].block);
		free(t->in[i].before);
	}
	for (i = 0; i < 2; i++) {
		free(t->out[i].block);
		free(t->out[i].before);
	}
	pthread_mutex_destroy(&t->audit.lock);
	free(t);
	return line->status;
}

/* The next of the library's problems, from *i on; 0: no problem is left. */
static int next_known(const struct clopt *ctx, const struct clopt_selfcheck_options *o, size_t *i,
                      struct clopt_problem *p)
{
	static const size_t sizes[CLOPT_OPS] = { [CLOPT_OP_MATMUL] = 64,
		                                 [CLOPT_OP_TRANSPOSE] = 128,
		                                 [CLOPT_OP_TREE_POTENTIAL] = 1000,
		                                 [CLOPT_OP_TREE_NBODY] = 1000 };
	unsigned d;

	for (; *i < KNOWN; ++*i) {
		const int op = known[*i].op, first = *i == 0 || known[*i - 1].op != op;
		const int doubles = known[*i].precision == CLOPT_PRECISION_DOUBLE ||
		                    known[*i].type == CLOPT_TYPE_DOUBLE ||
		                    known[*i].type == CLOPT_TYPE_COMPLEX_DOUBLE;

		*p = known[*i];
		p->size = sizeof *p;
		for (d = 0; d < 3 && (d < 2 || op == CLOPT_OP_MATMUL); d++)
			p->dim[d] = o->n ? o->n : sizes[op] ? sizes[op] : 256;
		if ((!o->ops || o->ops >> op & 1) && (!doubles || ctx->device.traits & T_FP64) &&
		    (o->all || (first && op <= CLOPT_OP_EVOLVE_STEP)))
			return 1;
	}
	return 0;
}

static int read_options(const struct clopt *ctx, const struct clopt_selfcheck_options *given,
                        struct clopt_selfcheck_options *o)
{
	static const struct clopt_selfcheck_options initial = CLOPT_SELFCHECK_OPTIONS_INIT;
	char why[256];
	int rc = CLOPT_OK;

	*o = initial;
	TRY(clopt__sized_read(ctx, "clopt_selfcheck_options", given, o, sizeof *o));
	TRY(clopt__check_number(ctx, "all", o->all, 0, 1));
	if (o->problems && clopt__sized_list("clopt_problem", o->problems, o->count) != CLOPT_OK) {
		snprintf(why, sizeof why, "%s", clopt_error(NULL));
		TRY(clopt__fail(ctx, CLOPT_EINVAL, "%s", why));
	}
	if (o->ops >> CLOPT_OPS)
		rc = clopt__fail(
		        ctx, CLOPT_EINVAL,
		        "ops is 0x%x: only the lowest %d bits may be set, one for each operation",
		        o->ops, CLOPT_OPS);
	else if (!o->problems != !o->count)
		rc = clopt__fail(ctx, CLOPT_EINVAL,
		                 "problems is %s and count is %zu: give both or neither",
		                 o->problems ? "given" : "NULL", o->count);
out:
	return rc;
}

int clopt_selfcheck(struct clopt *ctx, const struct clopt_selfcheck_options *options)
{
	struct clopt_selfcheck_options o;
	struct clopt_problem next, read;
	char text[CLASS_SIZE], reason[WHY_SIZE];
	size_t i;
	int one, stop = 0, rc = CLOPT_OK;

	TRY(clopt__usable(ctx));
	TRY(read_options(ctx, options, &o));
	for (i = 0; o.problems ? i < o.count : next_known(ctx, &o, &i, &next); i++) {
		struct clopt_selfcheck_line l = {
			.size = sizeof l, .problem = &read, .text = text, .reason = reason
		};
		const char *given = (const char *)&next;

		if (o.problems) /* perhaps of an older header */
			given = (const char *)o.problems + i * o.problems->size;
		memset(&read, 0, sizeof read);
		*reason = '\0';
		snprintf(text, sizeof text, "problem %zu", i);
		one = check_one(ctx, given, o.seed + i, &l, &read, text, reason);
		stop = o.line && o.line(o.user, &l);
		if (one != CLOPT_OK && rc == CLOPT_OK)
			rc = clopt__fail(ctx, one, "%s: %s", text, reason);
		if (stop || one == CLOPT_ECANCELED)
			break;
	}
out:
	return rc;
}
