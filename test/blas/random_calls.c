/* SPDX-License-Identifier: MIT */
/*
 * random_calls.c N SEED [tame] - N random products by the BLAS of this process: all types, flags
 * and names that the drop-in knows, small sizes, gaps, and numbers of any size, subnormal,
 * infinite, or NaN.  With `tame`, numbers are near 1, and after each call that wrong.c has spoiled
 * the element has to be right.  Prints the spoiled calls, those that rounding cannot explain, and
 * how many of these are right afterwards.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state;
static int tame;

static int draw(int n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (int)((state >> 33) % (uint64_t)n);
}

/* A number of one of several kinds; range: greatest exponent. */
static double number(int kind, int range)
{
	const double x = (draw(1 << 24) - (1 << 23)) / 0x1p23;

	switch (tame ? kind % 3 : kind) {
	case 0:
		return x;
	case 1:
		return fabs(x);
	case 2:
		return 0.1; /* rounding errors of one sign */
	case 3:
		return ldexp(x, draw(2 * range) - range);
	case 4:
		return ldexp(x, draw(40) - 20);
	case 5:
		return ldexp(x, -range); /* many are subnormal */
	case 6:
		return draw(30) ? x : draw(2) ? NAN : draw(2) ? INFINITY : -INFINITY;
	case 7:
		return ldexp(x, range);
	default:
		return 0;
	}
}

static double factor(int range)
{
	return draw(3) ? draw(3) - 1 : draw(40) ? number(draw(tame ? 3 : 6), range) : number(6, 0);
}

/* The arguments of a call; numbers of a complex element follow each other. */
static struct {
	int bytes, parts, range; /* of the type's real numbers */
	int row_major, ta, tb, m, n, k, lda, ldb, ldc, uplo; /* uplo 0: a general product */
	char alpha[16], beta[16];
	char *a, *b, *c;
} x;

static void put(char *to, int i, double v)
{
	const float f = (float)v;

	memcpy(to + i * x.bytes, x.bytes == 4 ? (const void *)&f : (const void *)&v,
	       (size_t)x.bytes);
}

static double get(const char *from, long i)
{
	double d;
	float f;

	if (x.bytes == 8)
		return memcpy(&d, from + i * 8, 8), d;
	return memcpy(&f, from + i * 4, 4), (double)f;
}

static char *matrix(int lines, int ld)
{
	const int count = x.parts * lines * ld, kind = draw(9);
	char *p = malloc((size_t)(count * x.bytes) + 1);
	int i;

	for (i = 0; i < count; i++)
		put(p, i, number(kind, x.range));
	return p;
}

static int size(void)
{
	return draw(60) ? draw(draw(3) ? 9 : 40) : draw(150);
}

static void make(void)
{
	const int type = draw(4);
	int i, t;

	x.bytes = type % 2 ? 8 : 4, x.parts = 1 + type / 2, x.range = x.bytes == 4 ? 126 : 1022;
	x.row_major = draw(2), x.uplo = draw(3) ? 0 : 1 + draw(2);
	x.ta = draw(3), x.tb = draw(3), x.m = size(), x.n = size(), x.k = size();
	if (x.uplo)
		x.m = x.n, x.row_major = 0;
	for (i = 0; i < x.parts; i++)
		put(x.alpha, i, factor(x.range)), put(x.beta, i, factor(x.range));
	t = x.row_major; /* rows of op(X) are lines in memory if t != (op transposes) */
	x.lda = (t != (x.ta != 0) ? x.k : x.m) + draw(3) + 1;
	x.ldb = (t != (x.tb != 0) ? x.n : x.k) + draw(3) + 1;
	x.ldc = (t ? x.n : x.m) + draw(3) + 1;
	x.a = matrix(t != (x.ta != 0) ? x.m : x.k, x.lda);
	x.b = matrix(t != (x.tb != 0) ? x.k : x.n, x.ldb);
	x.c = matrix(t ? x.m : x.n, x.ldc);
}

typedef void fortran_gemm(const char *, const char *, int *, int *, int *, void *, void *, int *,
                          void *, int *, void *, void *, int *, size_t, size_t);
typedef void fortran_syrk(const char *, const char *, int *, int *, void *, void *, int *, void *,
                          void *, int *, size_t, size_t);
#define CBLAS_GEMM(T) \
	void (*)(int, int, int, int, int, int, T, void *, int, void *, int, T, void *, int)

static void *routine(const char *format)
{
	char name[32];
	void *f;

	snprintf(name, sizeof name, format, "sdcz"[2 * (x.parts - 1) + x.bytes / 8]);
	f = dlsym(RTLD_DEFAULT, name);
	if (!f) {
		printf("no %s\n", name);
		exit(1);
	}
	return f;
}

static void call(void)
{
	const int hermitian = x.uplo && x.parts == 2 && draw(2);
	const char *ta = &"NTC"[x.ta], *tb = &"NTC"[x.tb];
	int i;

	if (x.uplo) {
		if (x.parts == 2) /* the only transpose that is allowed */
			ta = x.ta ? hermitian ? "C" : "T" : "N";
		/* BLIS 0.9.0 reads these parts, although BLAS does not. */
		for (i = 0; hermitian && i < x.n; i++)
			put(x.c, 2 * i * (x.ldc + 1) + 1, tame ? 0 : draw(2));
		((fortran_syrk *)(uintptr_t)routine(hermitian ? "%cherk_" : "%csyrk_"))(
		        x.uplo == 1 ? "U" : "L", ta, &x.n, &x.k, x.alpha, x.a, &x.lda, x.beta, x.c,
		        &x.ldc, 1, 1);
	} else if (!x.row_major && draw(2)) {
		((fortran_gemm *)(uintptr_t)routine("%cgemm_"))(ta, tb, &x.m, &x.n, &x.k, x.alpha,
		                                                x.a, &x.lda, x.b, &x.ldb, x.beta,
		                                                x.c, &x.ldc, 1, 1);
	} else {
#define CALL(T, ALPHA, BETA) \
	((CBLAS_GEMM(T))(uintptr_t)routine("cblas_%cgemm"))(102 - x.row_major, 111 + x.ta, \
	                                                    111 + x.tb, x.m, x.n, x.k, ALPHA, x.a, \
	                                                    x.lda, x.b, x.ldb, BETA, x.c, x.ldc)
		if (x.parts == 2)
			CALL(void *, x.alpha, x.beta);
		else if (x.bytes == 8)
			CALL(double, get(x.alpha, 0), get(x.beta, 0));
		else
			CALL(float, (float)get(x.alpha, 0), (float)get(x.beta, 0));
	}
}

static double magnitude(const char *p, long i)
{
	return x.parts == 1 ? fabs(get(p, i)) : fabs(get(p, 2 * i)) + fabs(get(p, 2 * i + 1));
}

/* A bound of the rounding errors of C's number `at`, if C was `old` before. */
static double rounding(long at, const char *old)
{
	const long line = at / x.parts / x.ldc, along = at / x.parts % x.ldc;
	const long i = x.row_major ? line : along, j = x.row_major ? along : line;
	const char *b = x.uplo ? x.a : x.b;
	double sum = 0;
	long q;

	for (q = 0; q < x.k; q++) {
		const long ai = x.row_major != (x.ta != 0) ? i * x.lda + q : q * x.lda + i;
		const long bi = x.uplo ? (x.ta ? j * x.lda + q : q * x.lda + j) :
		                x.row_major != (x.tb != 0) ? q * x.ldb + j :
		                                             j * x.ldb + q;

		sum += magnitude(x.a, ai) * magnitude(b, bi);
	}
	return (2 * x.k + 8) * (x.bytes == 4 ? 0x1p-24 : 0x1p-53) *
	               (magnitude(x.alpha, 0) * sum +
	                magnitude(x.beta, 0) * magnitude(old, at / x.parts)) +
	       1000 * (x.bytes == 4 ? 0x1p-126 : 0x1p-1022); /* it may be read or written as 0 */
}

/* The errors of the other elements of a row may hide as much of an error as this. */
#define FACTOR 8

int main(int argc, char **argv)
{
	const struct {
		char *at;
		double was, became;
	} *flip = dlsym(RTLD_DEFAULT, "wrong_flip");
	long i, flips = 0, beyond = 0, right = 0, bytes;
	char *old;

	state = (uint64_t)(argc > 2 ? atoi(argv[2]) : 1) << 32;
	tame = argc > 3;
	for (i = 0; i < atol(argv[1]); i++) {
		make();
		bytes = (long)x.parts * x.bytes * (x.row_major ? x.m : x.n) * x.ldc;
		old = malloc((size_t)bytes + 1);
		memcpy(old, x.c, (size_t)bytes);
		call();
		if (tame && flip && flip->at) {
			const long at = (flip->at - x.c) / x.bytes;
			const double bound = rounding(at, old);

			flips++;
			if (!(fabs(flip->became - flip->was) <= FACTOR * bound)) {
				beyond++;
				right += fabs(get(flip->at, 0) - flip->was) <= bound;
			}
		}
		free(x.a), free(x.b), free(x.c), free(old);
	}
	printf("%ld flips, %ld beyond rounding, %ld right\n", flips, beyond, right);
	return 0;
}
