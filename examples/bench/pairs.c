/* SPDX-License-Identifier: MIT */
/*
 * pairs.c - sums over pairs as plain loops, for pairs.py, which compiles it with the compiler's
 * best options.
 */
#include <math.h>
#include <stddef.h>

#define REACH 2.0f /* ALPB with salt: from the surface along the normal to the ions */
#define LAMBDA 10.0f
#define SOFTENING2 1e-4f

enum kind {
	COULOMB,
	SALT,
	GRAVITY
};

/* Sources (x, y, z, weight), targets and normals, each coordinate apart. */
struct pairs {
	size_t n; /* sources, and targets */
	const float *sx, *sy, *sz, *sw, *tx, *ty, *tz, *nx, *ny, *nz;
	float *out; /* 1 number a target, of gravity 3 and one more */
};

/* Inlined for each kind. */
static inline void target(const struct pairs *p, size_t i, enum kind kind)
{
	const float *restrict x = p->sx, *restrict y = p->sy, *restrict z = p->sz;
	const float *restrict w = p->sw;
	const float fx = p->tx[i] + REACH * p->nx[i], fy = p->ty[i] + REACH * p->ny[i];
	const float fz = p->tz[i] + REACH * p->nz[i];
	float sum = 0.0f, sum_y = 0.0f, sum_z = 0.0f;

	for (size_t j = 0; j < p->n; j++) {
		const float dx = x[j] - p->tx[i], dy = y[j] - p->ty[i], dz = z[j] - p->tz[i];
		const float d2 = dx * dx + dy * dy + dz * dz;

		if (kind == COULOMB) {
			sum += w[j] / sqrtf(d2);
		} else if (kind == SALT) {
			const float ex = fx - x[j], ey = fy - y[j], ez = fz - z[j];

			sum += w[j] * (1.0f / sqrtf(d2) -
			               1.0f / (LAMBDA + sqrtf(ex * ex + ey * ey + ez * ez)));
		} else {
			const float root = 1.0f / sqrtf(d2 + SOFTENING2);
			const float f = w[j] * root * root * root;

			sum += f * dx;
			sum_y += f * dy;
			sum_z += f * dz;
		}
	}
	p->out[kind == GRAVITY ? 4 * i : i] = sum;
	if (kind == GRAVITY) {
		p->out[4 * i + 1] = sum_y;
		p->out[4 * i + 2] = sum_z;
	}
}

/* Targets that no other thread has taken. */
void pairs_run(const struct pairs *p, int kind, size_t *next)
{
	size_t i, k;

	while ((i = __atomic_fetch_add(next, 64, __ATOMIC_RELAXED)) < p->n)
		for (k = i; k < i + 64 && k < p->n; k++)
			if (kind == COULOMB)
				target(p, k, COULOMB);
			else if (kind == SALT)
				target(p, k, SALT);
			else
				target(p, k, GRAVITY);
}
