/* SPDX-License-Identifier: MIT */
/*
 * pairs_plain.c - plain loops, compiled with the compiler's best options (Makefile).
 */
#include <math.h>

#include "pairs.h"

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

#if defined __clang__
const char pairs_compiler[] = "clang " TEXT(__clang_major__) ", plain C";
#elif defined __GNUC__
const char pairs_compiler[] = "gcc " TEXT(__GNUC__) ", plain C";
#else
const char pairs_compiler[] = "plain C";
#endif

static void coulomb(const struct pairs *p, size_t first, size_t end)
{
	const float *const restrict x = p->sx, *const restrict y = p->sy;
	const float *const restrict z = p->sz, *const restrict w = p->sw;
	size_t i, j;

	for (i = first; i < end; i++) {
		float sum = 0.0f;

		for (j = 0; j < p->n; j++) {
			const float dx = p->tx[i] - x[j], dy = p->ty[i] - y[j],
			            dz = p->tz[i] - z[j];

			sum += w[j] / sqrtf(dx * dx + dy * dy + dz * dz);
		}
		p->out[i] = sum;
	}
}

static void salt(const struct pairs *p, size_t first, size_t end)
{
	const float *const restrict x = p->sx, *const restrict y = p->sy;
	const float *const restrict z = p->sz, *const restrict w = p->sw;
	size_t i, j;

	for (i = first; i < end; i++) {
		const float fx = p->tx[i] + PAIRS_REACH * p->nx[i];
		const float fy = p->ty[i] + PAIRS_REACH * p->ny[i];
		const float fz = p->tz[i] + PAIRS_REACH * p->nz[i];
		float sum = 0.0f;

		for (j = 0; j < p->n; j++) {
			const float dx = p->tx[i] - x[j], dy = p->ty[i] - y[j],
			            dz = p->tz[i] - z[j];
			const float ex = fx - x[j], ey = fy - y[j], ez = fz - z[j];

			sum += w[j] * (1.0f / sqrtf(dx * dx + dy * dy + dz * dz) -
			               1.0f / (PAIRS_LAMBDA + sqrtf(ex * ex + ey * ey + ez * ez)));
		}
		p->out[i] = sum;
	}
}

static void gravity(const struct pairs *p, size_t first, size_t end)
{
	const float *const restrict x = p->sx, *const restrict y = p->sy;
	const float *const restrict z = p->sz, *const restrict w = p->sw;
	size_t i, j;

	for (i = first; i < end; i++) {
		float ax = 0.0f, ay = 0.0f, az = 0.0f;

		for (j = 0; j < p->n; j++) {
			const float dx = x[j] - p->tx[i], dy = y[j] - p->ty[i],
			            dz = z[j] - p->tz[i];
			const float root =
			        1.0f / sqrtf(dx * dx + dy * dy + dz * dz + PAIRS_SOFTENING2);
			const float f = w[j] * root * root * root;

			ax += f * dx;
			ay += f * dy;
			az += f * dz;
		}
		p->out[4 * i] = ax;
		p->out[4 * i + 1] = ay;
		p->out[4 * i + 2] = az;
	}
}

void pairs_plain(const struct pairs *p, size_t first, size_t end)
{
	static pairs_loop *const loops[PAIRS_KINDS] = { coulomb, salt, gravity };

	loops[p->kind](p, first, end);
}
