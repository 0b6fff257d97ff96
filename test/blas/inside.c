/* SPDX-License-Identifier: MIT */
/*
 * inside.c - stands before the OpenCL loader and multiplies by BLAS, as a driver might.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>

void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *,
            const double *, const int *, const double *, const int *, const double *, double *,
            const int *, size_t, size_t);
int clGetPlatformIDs(unsigned, void *, unsigned *);

int clGetPlatformIDs(unsigned max, void *platforms, unsigned *count)
{
	int (*next)(unsigned, void *, unsigned *) =
	        (int (*)(unsigned, void *, unsigned *))dlsym(RTLD_NEXT, "clGetPlatformIDs");
	static int called;
	const int one = 1;
	const double a = 3, b = 2, zero = 0;
	double c = 0;

	if (!called++) {
		dgemm_("N", "N", &one, &one, &one, &b, &a, &one, &b, &one, &zero, &c, &one, 1, 1);
		if (c != 12)
			return -1;
	}
	return next(max, platforms, count);
}
