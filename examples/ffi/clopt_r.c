/* SPDX-License-Identifier: MIT */
/*
 * clopt_r.c - the library for R: what clopt.R calls by .Call.
 *
 * A failure is returned as an object of class clopt_failure, of which clopt.R makes a condition.
 * No error of R passes through the library: where an R function that it calls fails, the call is
 * cancelled, and R goes on unwinding when it has ended.
 */
#include <setjmp.h>
#include <string.h>

#include <clopt_device.h>

#define R_NO_REMAP
#include <R.h>
#include <Rinternals.h>

/* Of clopt_r_open, not of another package. */
static int is_context(SEXP pointer)
{
	return TYPEOF(pointer) == EXTPTRSXP &&
	       R_ExternalPtrTag(pointer) == Rf_install("clopt_context");
}

static struct clopt *context(SEXP pointer)
{
	struct clopt *ctx = is_context(pointer) ? R_ExternalPtrAddr(pointer) : NULL;

	if (!ctx)
		Rf_error("clopt: not a context, or closed");
	return ctx;
}

static SEXP failure(int status, const struct clopt *ctx)
{
	const char *const names[] = { "status", "message", "" };
	const char *text = clopt_error(ctx);
	SEXP f = PROTECT(Rf_mkNamed(VECSXP, (const char **)names));

	SET_VECTOR_ELT(f, 0, Rf_ScalarInteger(status));
	SET_VECTOR_ELT(f, 1, Rf_mkString(*text ? text : clopt_strerror(status)));
	Rf_setAttrib(f, R_ClassSymbol, Rf_mkString("clopt_failure"));
	UNPROTECT(1);
	return f;
}

static void finalize(SEXP pointer)
{
	clopt_close(R_ExternalPtrAddr(pointer));
	R_ClearExternalPtr(pointer);
}

SEXP clopt_r_open(SEXP device)
{
	struct clopt_options options = CLOPT_OPTIONS_INIT;
	struct clopt *ctx;
	SEXP pointer;
	int status;

	if (TYPEOF(device) == STRSXP && LENGTH(device) == 1)
		options.device = CHAR(STRING_ELT(device, 0));
	status = clopt_open(&ctx, &options);
	if (status != CLOPT_OK)
		return failure(status, NULL);
	pointer = PROTECT(R_MakeExternalPtr(ctx, Rf_install("clopt_context"), R_NilValue));
	R_RegisterCFinalizerEx(pointer, finalize, TRUE);
	UNPROTECT(1);
	return pointer;
}

SEXP clopt_r_close(SEXP pointer)
{
	if (!is_context(pointer))
		Rf_error("clopt_close: not a context");
	finalize(pointer);
	return R_NilValue;
}

SEXP clopt_r_strerror(SEXP status)
{
	return Rf_mkString(clopt_strerror(Rf_asInteger(status)));
}

SEXP clopt_r_selfcheck(SEXP pointer)
{
	struct clopt *ctx = context(pointer);
	const int status = clopt_selfcheck(ctx, NULL);

	return status == CLOPT_OK ? R_NilValue : failure(status, ctx);
}

/* A matrix's rows and columns; clopt.R has seen to it that it is one. */
static size_t rows(SEXP m)
{
	return (size_t)Rf_nrows(m);
}

static size_t cols(SEXP m)
{
	return (size_t)Rf_ncols(m);
}

static size_t leading(size_t n)
{
	return n ? n : 1;
}

/* Both real, or both complex, and of fitting sizes. */
SEXP clopt_r_matmul(SEXP pointer, SEXP a, SEXP b)
{
	static const Rcomplex one = { 1, 0 }, zero = { 0, 0 };
	struct clopt *ctx = context(pointer);
	const size_t m = rows(a), n = cols(b), k = cols(a);
	SEXP c = PROTECT(Rf_allocMatrix(TYPEOF(a), (int)m, (int)n));
	int status;

	if (TYPEOF(a) == CPLXSXP)
		status = clopt_zgemm(ctx, CLOPT_LAYOUT_COL_MAJOR, CLOPT_TRANS_NO, CLOPT_TRANS_NO, m,
		                     n, k, &one, COMPLEX(a), leading(m), COMPLEX(b), leading(k),
		                     &zero, COMPLEX(c), leading(m));
	else
		status = clopt_dgemm(ctx, CLOPT_LAYOUT_COL_MAJOR, CLOPT_TRANS_NO, CLOPT_TRANS_NO, m,
		                     n, k, 1, REAL(a), leading(m), REAL(b), leading(k), 0, REAL(c),
		                     leading(m));
	UNPROTECT(1);
	return status == CLOPT_OK ? c : failure(status, ctx);
}

/* Of real, complex, integer or logical elements.  R's columns are rows for C. */
SEXP clopt_r_transpose(SEXP pointer, SEXP a)
{
	struct clopt *ctx = context(pointer);
	const size_t m = rows(a), n = cols(a),
	             bytes = TYPEOF(a) == CPLXSXP ? sizeof(Rcomplex) :
	                     TYPEOF(a) == REALSXP ? sizeof(double) :
	                                            sizeof(int);
	SEXP t = PROTECT(Rf_allocMatrix(TYPEOF(a), (int)n, (int)m));
	const int status = clopt_transpose(ctx, n, m, bytes, DATAPTR_RO(a), leading(m), DATAPTR(t),
	                                   leading(n));

	UNPROTECT(1);
	return status == CLOPT_OK ? t : failure(status, ctx);
}

/* A number of a list of options, or 0. */
static double option(SEXP options, const char *name)
{
	const SEXP names = Rf_getAttrib(options, R_NamesSymbol);
	R_xlen_t i;

	for (i = 0; i < Rf_xlength(names); i++)
		if (strcmp(CHAR(STRING_ELT(names, i)), name) == 0)
			return Rf_asReal(VECTOR_ELT(options, i));
	return 0;
}

/* The columns of an n x 4 matrix: x, y, z and a weight. */
static struct clopt_points points(SEXP m)
{
	struct clopt_points p = CLOPT_POINTS_INIT;

	p.n = rows(m);
	p.x = REAL(m);
	p.y = REAL(m) + p.n;
	p.z = REAL(m) + 2 * p.n;
	if (cols(m) > 3)
		p.w = REAL(m) + 3 * p.n;
	return p;
}

SEXP clopt_r_potential(SEXP pointer, SEXP sources, SEXP targets, SEXP options)
{
	struct clopt *ctx = context(pointer);
	struct clopt_potential_options o = CLOPT_POTENTIAL_OPTIONS_INIT;
	struct clopt_results r = CLOPT_RESULTS_INIT;
	const struct clopt_points s = points(sources), t = points(targets);
	SEXP phi = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)t.n));
	int status;

	o.law = (int)option(options, "law");
	o.precision = (int)option(options, "precision");
	o.scale = option(options, "scale");
	o.eps_in = option(options, "eps_in");
	o.eps_out = option(options, "eps_out");
	o.kappa = option(options, "kappa");
	r.phi = REAL(phi);
	status = clopt_potential_points(ctx, &s, &t, &r, &o);
	UNPROTECT(1);
	return status == CLOPT_OK ? phi : failure(status, ctx);
}

SEXP clopt_r_nbody(SEXP pointer, SEXP sources, SEXP targets, SEXP options)
{
	struct clopt *ctx = context(pointer);
	struct clopt_nbody_options o = CLOPT_NBODY_OPTIONS_INIT;
	struct clopt_results r = CLOPT_RESULTS_INIT;
	const struct clopt_points s = points(sources), t = points(targets);
	SEXP acc = PROTECT(Rf_allocMatrix(REALSXP, (int)t.n, 4));
	int status;

	o.g = option(options, "g");
	o.softening = option(options, "softening");
	o.precision = (int)option(options, "precision");
	r.x = REAL(acc);
	r.y = REAL(acc) + t.n;
	r.z = REAL(acc) + 2 * t.n;
	r.phi = REAL(acc) + 3 * t.n;
	status = clopt_gravity(ctx, &s, &t, &r, &o);
	UNPROTECT(1);
	return status == CLOPT_OK ? acc : failure(status, ctx);
}

/* An n x 4 matrix of R, and the same with the four numbers of a body side by side. */
static double *beside(SEXP m)
{
	const size_t n = rows(m);
	double *to = (double *)R_alloc(4 * leading(n), sizeof *to);
	size_t i, j;

	for (i = 0; i < n; i++)
		for (j = 0; j < 4; j++)
			to[4 * i + j] = REAL(m)[i + j * n];
	return to;
}

static SEXP matrix(const double *from, size_t n)
{
	SEXP m = Rf_allocMatrix(REALSXP, (int)n, 4);
	size_t i, j;

	for (i = 0; i < n; i++)
		for (j = 0; j < 4; j++)
			REAL(m)[i + j * n] = from[4 * i + j];
	return m;
}

/* What a run of evolve tells the R function `each`. */
struct observer {
	SEXP each, token;
	jmp_buf back;
	size_t n, step;
	const double *bodies, *velocities;
	const struct clopt_conserved *sums;
	int unwinding;
};

static SEXP evaluate(void *user)
{
	const struct observer *o = user;
	SEXP step = PROTECT(Rf_ScalarReal((double)o->step));
	SEXP bodies = PROTECT(matrix(o->bodies, o->n));
	SEXP velocities = PROTECT(matrix(o->velocities, o->n));
	SEXP energy = PROTECT(Rf_ScalarReal(o->sums->kinetic + o->sums->potential));
	SEXP call = PROTECT(Rf_lang5(o->each, step, bodies, velocities, energy));
	SEXP result = Rf_eval(call, R_GlobalEnv);

	UNPROTECT(5);
	return result;
}

static void leave(void *user, Rboolean unwinding)
{
	struct observer *o = user;

	if (unwinding)
		longjmp(o->back, 1);
}

static int each(void *user, size_t step, const double *bodies, const double *velocities,
                const struct clopt_conserved *sums)
{
	struct observer *o = user;
	SEXP result;

	o->step = step;
	o->bodies = bodies;
	o->velocities = velocities;
	o->sums = sums;
	if (setjmp(o->back)) {
		o->unwinding = 1;
		return 1;
	}
	result = R_UnwindProtect(evaluate, o, leave, o, o->token);
	return TYPEOF(result) == LGLSXP && LENGTH(result) == 1 && LOGICAL(result)[0] == FALSE;
}

SEXP clopt_r_evolve(SEXP pointer, SEXP bodies, SEXP velocities, SEXP dt, SEXP steps, SEXP options,
                    SEXP observed)
{
	const char *const names[] = { "bodies", "velocities", "" };
	struct clopt *ctx = context(pointer);
	struct clopt_evolve_options o = CLOPT_EVOLVE_OPTIONS_INIT;
	double *b = beside(bodies), *v = beside(velocities);
	struct observer observer = { .each = observed, .n = rows(bodies) };
	SEXP moved;
	int status;

	o.g = option(options, "g");
	o.softening = option(options, "softening");
	o.integrator = (int)option(options, "integrator");
	o.precision = (int)option(options, "precision");
	o.every = (size_t)option(options, "every");
	observer.token = PROTECT(R_MakeUnwindCont());
	if (observed != R_NilValue) {
		o.each = each;
		o.user = &observer;
	}
	status = clopt_nbody_evolve(ctx, observer.n, b, v, Rf_asReal(dt), (size_t)Rf_asReal(steps),
	                            &o);
	if (observer.unwinding)
		R_ContinueUnwind(observer.token);
	UNPROTECT(1);
	if (status != CLOPT_OK)
		return failure(status, ctx);
	moved = PROTECT(Rf_mkNamed(VECSXP, (const char **)names));
	SET_VECTOR_ELT(moved, 0, matrix(b, observer.n));
	SET_VECTOR_ELT(moved, 1, matrix(v, observer.n));
	UNPROTECT(1);
	return moved;
}
