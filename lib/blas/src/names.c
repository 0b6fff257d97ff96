/* SPDX-License-Identifier: MIT */
/*
 * names.c - each routine under each of its names.  They end in _64_ where integers have 64 bits,
 * and begin with scipy_ in the BLAS of NumPy's and SciPy's wheels.  Macros paste them: dgemm_ is
 * GEMM(NAMED(dgemm), ...) in FORTRAN(PLAIN, ...).  ROUTINE is the body of all.
 *
 * Fortran passes the lengths of strings after the other arguments.  They are passed on, since a
 * routine in Fortran may reuse their stack slots.
 */
#include <string.h>

#include "blas.h"

#define COLUMNS CLOPT_LAYOUT_COL_MAJOR

/* The CBLAS number of a letter of Fortran, from `first` on; 0 for another letter. */
static int numbered(const char *letter, const char *letters, int first)
{
	const char capital = (char)(*letter & ~0x20),
	           *at = capital ? strchr(letters, capital) : NULL;

	return at ? first + (int)(at - letters) : 0;
}

#define ORDER(letter) numbered(letter, "RC", CLOPT_LAYOUT_ROW_MAJOR)
#define TRANS(letter) numbered(letter, "NTCR", CLOPT_TRANS_NO)
#define UPLO(letter) numbered(letter, "UL", CLOPT_UPLO_UPPER)

/* A routine: its work, the function of routines.c that may serve it, and its arguments for the next
 * BLAS. */
#define ROUTINE(NAME, KIND, PARAMETERS, WORK, SERVE, ARGUMENTS) \
	void NAME PARAMETERS; \
	void NAME PARAMETERS \
	{ \
		static struct next next = { #NAME, KIND, 0, NULL }; \
		const double work = WORK; \
		const enum rest rest = clopt__blas_is_small(&next, work) ? PASS_ON : (SERVE); \
\
		if (rest != DONE) \
			((__typeof__(NAME) *)next.call) ARGUMENTS; \
		if (rest == PASS_ON_AND_CHECK) \
			clopt__blas_check(&next); \
	}

#define BYTES(TYPE) (CLOPT_TYPE_##TYPE & 0xff)
/* Multiply-adds of a product of two numbers. */
#define MULTIPLIES(TYPE) (CLOPT_TYPE_##TYPE & 0x200 ? 4. : 1.)

#define GEMM(NAME, INT, TYPE) \
	ROUTINE(NAME, PRODUCT, \
	        (const char *transa, const char *transb, const INT *m, const INT *n, const INT *k, \
	         const void *alpha, const void *a, const INT *lda, const void *b, const INT *ldb, \
	         const void *beta, void *c, const INT *ldc, size_t length_a, size_t length_b), \
	        MULTIPLIES(TYPE) * *m * *n * *k, \
	        clopt__blas_gemm(&next, work, CLOPT_TYPE_##TYPE, COLUMNS, TRANS(transa), \
	                         TRANS(transb), *m, *n, *k, alpha, a, *lda, b, *ldb, beta, c, \
	                         *ldc), \
	        (transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, length_a, \
	         length_b))

#define RANK_K(NAME, INT, TYPE, HERMITIAN) \
	ROUTINE(NAME, PRODUCT, \
	        (const char *triangle, const char *transa, const INT *n, const INT *k, \
	         const void *alpha, const void *a, const INT *lda, const void *beta, void *c, \
	         const INT *ldc, size_t length_triangle, size_t length_a), \
	        MULTIPLIES(TYPE) / 2 * *n * *n * *k, \
	        clopt__blas_rank_k(&next, work, CLOPT_TYPE_##TYPE, HERMITIAN, COLUMNS, \
	                           UPLO(triangle), TRANS(transa), *n, *k, alpha, a, *lda, beta, c, \
	                           *ldc), \
	        (triangle, transa, n, k, alpha, a, lda, beta, c, ldc, length_triangle, length_a))

#define OMATCOPY(NAME, INT, TYPE) \
	ROUTINE(NAME, TRANSPOSE, \
	        (const char *layout, const char *transa, const INT *rows, const INT *cols, \
	         const void *alpha, const void *a, const INT *lda, void *b, const INT *ldb, \
	         size_t length_layout, size_t length_a), \
	        1. * BYTES(TYPE) * *rows * *cols, \
	        clopt__blas_matcopy(&next, work, CLOPT_TYPE_##TYPE, ORDER(layout), TRANS(transa), \
	                            *rows, *cols, alpha, a, *lda, b, *ldb), \
	        (layout, transa, rows, cols, alpha, a, lda, b, ldb, length_layout, length_a))

#define IMATCOPY(NAME, INT, TYPE) \
	ROUTINE(NAME, TRANSPOSE, \
	        (const char *layout, const char *transa, const INT *rows, const INT *cols, \
	         const void *alpha, void *a, const INT *lda, const INT *ldb, size_t length_layout, \
	         size_t length_a), \
	        1. * BYTES(TYPE) * *rows * *cols, \
	        clopt__blas_matcopy(&next, work, CLOPT_TYPE_##TYPE, ORDER(layout), TRANS(transa), \
	                            *rows, *cols, alpha, a, *lda, a, *ldb), \
	        (layout, transa, rows, cols, alpha, a, lda, ldb, length_layout, length_a))

/* CBLAS takes real numbers by value, as SCALAR, and complex ones by pointer. */
#define CBLAS_GEMM(NAME, INT, TYPE, SCALAR, AT) \
	ROUTINE(NAME, PRODUCT, \
	        (int layout, int transa, int transb, INT m, INT n, INT k, SCALAR alpha, \
	         const void *a, INT lda, const void *b, INT ldb, SCALAR beta, void *c, INT ldc), \
	        MULTIPLIES(TYPE) * m * n * k, \
	        clopt__blas_gemm(&next, work, CLOPT_TYPE_##TYPE, layout, transa, transb, m, n, k, \
	                         AT alpha, a, lda, b, ldb, AT beta, c, ldc), \
	        (layout, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc))

#define CBLAS_RANK_K(NAME, INT, TYPE, HERMITIAN, SCALAR, AT) \
	ROUTINE(NAME, PRODUCT, \
	        (int layout, int triangle, int transa, INT n, INT k, SCALAR alpha, const void *a, \
	         INT lda, SCALAR beta, void *c, INT ldc), \
	        MULTIPLIES(TYPE) / 2 * n * n * k, \
	        clopt__blas_rank_k(&next, work, CLOPT_TYPE_##TYPE, HERMITIAN, layout, triangle, \
	                           transa, n, k, AT alpha, a, lda, AT beta, c, ldc), \
	        (layout, triangle, transa, n, k, alpha, a, lda, beta, c, ldc))

#define CBLAS_OMATCOPY(NAME, INT, TYPE, SCALAR, AT) \
	ROUTINE(NAME, TRANSPOSE, \
	        (int layout, int transa, INT rows, INT cols, SCALAR alpha, const void *a, INT lda, \
	         void *b, INT ldb), \
	        1. * BYTES(TYPE) * rows * cols, \
	        clopt__blas_matcopy(&next, work, CLOPT_TYPE_##TYPE, layout, transa, rows, cols, \
	                            AT alpha, a, lda, b, ldb), \
	        (layout, transa, rows, cols, alpha, a, lda, b, ldb))

#define CBLAS_IMATCOPY(NAME, INT, TYPE, SCALAR, AT) \
	ROUTINE(NAME, TRANSPOSE, \
	        (int layout, int transa, INT rows, INT cols, SCALAR alpha, void *a, INT lda, \
	         INT ldb), \
	        1. * BYTES(TYPE) * rows * cols, \
	        clopt__blas_matcopy(&next, work, CLOPT_TYPE_##TYPE, layout, transa, rows, cols, \
	                            AT alpha, a, lda, a, ldb), \
	        (layout, transa, rows, cols, alpha, a, lda, ldb))

#define FORTRAN(NAMED, INT) \
	GEMM(NAMED(sgemm), INT, FLOAT) \
	GEMM(NAMED(dgemm), INT, DOUBLE) \
	GEMM(NAMED(cgemm), INT, COMPLEX_FLOAT) \
	GEMM(NAMED(zgemm), INT, COMPLEX_DOUBLE) \
	RANK_K(NAMED(ssyrk), INT, FLOAT, 0) \
	RANK_K(NAMED(dsyrk), INT, DOUBLE, 0) \
	RANK_K(NAMED(csyrk), INT, COMPLEX_FLOAT, 0) \
	RANK_K(NAMED(zsyrk), INT, COMPLEX_DOUBLE, 0) \
	RANK_K(NAMED(cherk), INT, COMPLEX_FLOAT, 1) \
	RANK_K(NAMED(zherk), INT, COMPLEX_DOUBLE, 1) \
	OMATCOPY(NAMED(somatcopy), INT, FLOAT) \
	OMATCOPY(NAMED(domatcopy), INT, DOUBLE) \
	OMATCOPY(NAMED(comatcopy), INT, COMPLEX_FLOAT) \
	OMATCOPY(NAMED(zomatcopy), INT, COMPLEX_DOUBLE) \
	IMATCOPY(NAMED(simatcopy), INT, FLOAT) \
	IMATCOPY(NAMED(dimatcopy), INT, DOUBLE) \
	IMATCOPY(NAMED(cimatcopy), INT, COMPLEX_FLOAT) \
	IMATCOPY(NAMED(zimatcopy), INT, COMPLEX_DOUBLE)

#define CBLAS(NAMED, INT) \
	CBLAS_GEMM(NAMED(sgemm), INT, FLOAT, float, &) \
	CBLAS_GEMM(NAMED(dgemm), INT, DOUBLE, double, &) \
	CBLAS_GEMM(NAMED(cgemm), INT, COMPLEX_FLOAT, const void *, ) \
	CBLAS_GEMM(NAMED(zgemm), INT, COMPLEX_DOUBLE, const void *, ) \
	CBLAS_RANK_K(NAMED(ssyrk), INT, FLOAT, 0, float, &) \
	CBLAS_RANK_K(NAMED(dsyrk), INT, DOUBLE, 0, double, &) \
	CBLAS_RANK_K(NAMED(csyrk), INT, COMPLEX_FLOAT, 0, const void *, ) \
	CBLAS_RANK_K(NAMED(zsyrk), INT, COMPLEX_DOUBLE, 0, const void *, ) \
	CBLAS_RANK_K(NAMED(cherk), INT, COMPLEX_FLOAT, 1, float, &) \
	CBLAS_RANK_K(NAMED(zherk), INT, COMPLEX_DOUBLE, 1, double, &) \
	CBLAS_OMATCOPY(NAMED(somatcopy), INT, FLOAT, float, &) \
	CBLAS_OMATCOPY(NAMED(domatcopy), INT, DOUBLE, double, &) \
	CBLAS_OMATCOPY(NAMED(comatcopy), INT, COMPLEX_FLOAT, const void *, ) \
	CBLAS_OMATCOPY(NAMED(zomatcopy), INT, COMPLEX_DOUBLE, const void *, ) \
	CBLAS_IMATCOPY(NAMED(simatcopy), INT, FLOAT, float, &) \
	CBLAS_IMATCOPY(NAMED(dimatcopy), INT, DOUBLE, double, &) \
	CBLAS_IMATCOPY(NAMED(cimatcopy), INT, COMPLEX_FLOAT, const void *, ) \
	CBLAS_IMATCOPY(NAMED(zimatcopy), INT, COMPLEX_DOUBLE, const void *, )

#define PLAIN(x) x##_
#define PLAIN_64(x) x##_64_
#define SCIPY(x) scipy_##x##_
#define SCIPY_64(x) scipy_##x##_64_
#define C_PLAIN(x) cblas_##x
#define C_PLAIN_64(x) cblas_##x##64_
#define C_SCIPY(x) scipy_cblas_##x
#define C_SCIPY_64(x) scipy_cblas_##x##64_

FORTRAN(PLAIN, int32_t)
FORTRAN(PLAIN_64, int64_t)
FORTRAN(SCIPY, int32_t)
FORTRAN(SCIPY_64, int64_t)
CBLAS(C_PLAIN, int32_t)
CBLAS(C_PLAIN_64, int64_t)
CBLAS(C_SCIPY, int32_t)
CBLAS(C_SCIPY_64, int64_t)
