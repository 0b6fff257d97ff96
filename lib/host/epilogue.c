/* SPDX-License-Identifier: MIT */
/*
 * epilogue.c - int8 or float results of the sums of int8 products, as cl/matmul/epilogue.cl makes
 * them, with the same bits.
 */
#include <math.h>

#include "host.h"

/* A product that is not contracted with the bias; adding 0 changes -0 to 0, as on the device. */
static float rounded(float x, float y)
{
	const volatile float product = x * y;

	return product + 0.0f;
}

void clopt__host_epilogue(const struct host_epilogue *e)
{
	size_t i, j;
	float x;

	for (i = 0; i < e->m; i++)
		for (j = 0; j < e->n; j++) {
			const size_t row = e->turned ? j : i, column = e->turned ? i : j;

			x = (float)e->sums[i * e->ld_sums + j];
			x = e->scale_rows ? rounded(x, e->scale_rows[row]) : x;
			x = e->scale_columns ? rounded(x, e->scale_columns[column]) : x;
			x = e->bias ? x + e->bias[column] : x;
			x = x < e->least ? e->least : x > e->most ? e->most : x;
			if (e->whole)
				((int8_t *)e->results)[i * e->ld + j] =
				        (int8_t)(isnan(x) ? 0 : rintf(x));
			else
				((float *)e->results)[i * e->ld + j] = x;
		}
}
