/* SPDX-License-Identifier: MIT */
/*
 * text.c - problems and results in words.
 */
#include <stdio.h>
#include <string.h>

#include "op.h"

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

const char *case_element(int op, const struct shape *shape)
{
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
	return shape->elem_bytes == 8 ? "float64" : shape->elem_bytes == 2 ? "float16" : "float32";
}

/* Append to text as far as there is room. */
#define ADD(...) \
	do { \
		size_t used_ = strlen(text); \
		snprintf(text + used_, size - used_, __VA_ARGS__); \
	} while (0)

void case_describe(int op, const struct shape *s, char *text, size_t size)
{
	static const char *const families[] = { "", " offset", " coincident", " shared" };
	size_t d;

	if (!size)
		return;
	text[0] = '\0';
	for (d = 0; d < case_ops[op]->ndim; d++)
		ADD("%s%zu", d ? "x" : "", s->dim[d]);
	ADD(" %s", case_element(op, s));
	if (op == CLOPT_OP_MATMUL)
		ADD(" %c%c alpha=%g beta=%g", s->transa == CLOPT_TRANS_YES ? 'T' : 'N',
		    s->transb == CLOPT_TRANS_YES ? 'T' : 'N', s->alpha, s->beta);
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
	if (op >= CLOPT_OP_LEAPFROG && op != CLOPT_OP_EVOLVE_SUMS)
		ADD(" steps=%zu dt=%g", s->steps, s->dt);
	if (op != CLOPT_OP_TRANSPOSE && s->scale != 1.0)
		ADD(" scale=%g", s->scale);
}
