/* SPDX-License-Identifier: MIT */
/*
 * wrong.c - a BLAS that is wrong: the next one, but in one of WRONG_CALLS calls a bit of the result
 * is flipped.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The flip in the last call; at is NULL if there was none. */
struct {
	char *at;
	double was, became;
} wrong_flip;

static uint64_t draw(uint64_t n)
{
	static uint64_t state = 1;

	state = state * 6364136223846793005u + 1442695040888963407u;
	return (state >> 33) % n;
}

static double number(const char *at, size_t bytes)
{
	double d;
	float f;

	memcpy(&f, at, sizeof f);
	if (bytes == 8)
		memcpy(&d, at, sizeof d);
	return bytes == 8 ? d : (double)f;
}

/* Flip one of the upper 20 bits of a number of C: lines of `length` numbers, ld apart. */
static void spoil(char *c, size_t bytes, size_t lines, size_t length, size_t ld)
{
	const char *calls = getenv("WRONG_CALLS");
	const size_t bit = 8 * bytes - 1 - draw(20);

	wrong_flip.at = NULL;
	if (lines == 0 || length == 0 || draw((uint64_t)atoi(calls ? calls : "10000")))
		return;
	c += (draw(lines) * ld + draw(length)) * bytes;
	wrong_flip.was = number(c, bytes);
	c[bit / 8] = (char)(c[bit / 8] ^ 1 << bit % 8);
	wrong_flip.became = number(c, bytes);
	wrong_flip.at = c;
}

#define NEXT(NAME) ((__typeof__(NAME) *)(uintptr_t)dlsym(RTLD_NEXT, #NAME))

#define FORTRAN(NAME, BYTES, PARTS, HERK) \
	void NAME##gemm_(char *ta, char *tb, int *m, int *n, int *k, void *alpha, void *a, \
	                 int *lda, void *b, int *ldb, void *beta, char *c, int *ldc, size_t s, \
	                 size_t t) \
	{ \
		NEXT(NAME##gemm_)(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, s, t); \
		spoil(c, BYTES, (size_t)*n, PARTS *(size_t)*m, PARTS *(size_t)*ldc); \
	} \
	SYRK(NAME##syrk_, BYTES, PARTS) HERK
#define SYRK(NAME, BYTES, PARTS) \
	void NAME(char *uplo, char *ta, int *n, int *k, void *alpha, void *a, int *lda, \
	          void *beta, char *c, int *ldc, size_t s, size_t t) \
	{ \
		NEXT(NAME)(uplo, ta, n, k, alpha, a, lda, beta, c, ldc, s, t); \
		spoil(c, BYTES, (size_t)*n, PARTS *(size_t)*n, PARTS *(size_t)*ldc); \
	}
#define CBLAS(NAME, NUMBER, BYTES, PARTS) \
	void NAME(int layout, int ta, int tb, int m, int n, int k, NUMBER alpha, void *a, int lda, \
	          void *b, int ldb, NUMBER beta, char *c, int ldc) \
	{ \
		const size_t lines = (size_t)(layout == 101 ? m : n); \
\
		NEXT(NAME)(layout, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc); \
		spoil(c, BYTES, lines, PARTS *(size_t)(layout == 101 ? n : m), \
		      PARTS *(size_t)ldc); \
	}

FORTRAN(s, 4, 1, )
FORTRAN(d, 8, 1, )
FORTRAN(c, 4, 2, SYRK(cherk_, 4, 2))
FORTRAN(z, 8, 2, SYRK(zherk_, 8, 2))
CBLAS(cblas_sgemm, float, 4, 1)
CBLAS(cblas_dgemm, double, 8, 1)
CBLAS(cblas_cgemm, void *, 4, 2)
CBLAS(cblas_zgemm, void *, 8, 2)
