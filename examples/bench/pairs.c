/* SPDX-License-Identifier: MIT */
/*
 * pairs.c - sums over pairs as plain loops and by vectors, for pairs.py, which compiles it with the
 * compiler's best options.
 *
 * By vectors: lanes are targets, BLOCK of them in registers; each source is broadcast.  Roots and
 * reciprocals are the processor's estimate and one Newton step.  Sums are over tiles first, as in
 * the library, so that both have the same error.
 */
#include <math.h>
#include <stddef.h>

#ifdef __AVX512F__
#include <immintrin.h>
#define LANES 16
#define ESTIMATE(x) ((V)_mm512_rsqrt14_ps((__m512)(x)))
#define INVERSE(x) ((V)_mm512_rcp14_ps((__m512)(x)))
#elif defined __AVX2__ && defined __FMA__
#include <immintrin.h>
#define LANES 8
#define ESTIMATE(x) ((V)_mm256_rsqrt_ps((__m256)(x)))
#define INVERSE(x) ((V)_mm256_rcp_ps((__m256)(x)))
#endif

enum {
	BLOCK = 64, /* targets at a time */
	TILE = 256 /* sources in a partial sum */
};

#define REACH 2.0f /* ALPB with salt: from the surface along the normal to the ions */
#define LAMBDA 10.0f
#define SOFTENING2 1e-4f

/* Sources (x, y, z, weight) as the library has them, and each coordinate apart; targets and normals
 * apart. */
struct pairs {
	size_t n; /* sources, and targets: a multiple of TILE */
	const float *sources, *sx, *sy, *sz, *sw, *tx, *ty, *tz, *nx, *ny, *nz;
	float *out; /* 1 number a target, of gravity 3 and one more */
};

enum kind {
	COULOMB,
	SALT,
	GRAVITY
};

static void plain(const struct pairs *p, size_t i, enum kind kind)
{
	const float *restrict x = p->sx, *restrict y = p->sy, *restrict z = p->sz,
	                      *restrict w = p->sw;
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
			const float root = 1.0f / sqrtf(d2 + SOFTENING2),
			            f = w[j] * root * root * root;

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

#ifdef LANES
typedef float V __attribute__((vector_size(4 * LANES), aligned(4), may_alias));

static inline V root(V x)
{
	const V r = ESTIMATE(x);

	return (x * r * r - 3.0f) * (r * -0.5f);
}

static inline V inverse(V x)
{
	const V r = INVERSE(x);

	return r * (2.0f - x * r);
}

static inline __attribute__((always_inline)) void vectors(const struct pairs *p, size_t i,
                                                          enum kind kind)
{
	enum {
		VECTORS = BLOCK / LANES
	};
	V x[VECTORS], y[VECTORS], z[VECTORS], nx[VECTORS], ny[VECTORS], nz[VECTORS];
	V sum[3][VECTORS], total[3][VECTORS] = { 0 };
	int v, d, l;

	for (v = 0; v < VECTORS; v++) {
		const size_t at = i + (size_t)v * LANES;

		x[v] = *(const V *)(p->tx + at);
		y[v] = *(const V *)(p->ty + at);
		z[v] = *(const V *)(p->tz + at);
		nx[v] = 2.0f * REACH * *(const V *)(p->nx + at);
		ny[v] = 2.0f * REACH * *(const V *)(p->ny + at);
		nz[v] = 2.0f * REACH * *(const V *)(p->nz + at);
	}
	for (size_t j0 = 0; j0 < p->n; j0 += TILE) {
		for (v = 0; v < VECTORS; v++)
			sum[0][v] = sum[1][v] = sum[2][v] = (V){ 0 };
		for (size_t j = j0; j < j0 + TILE; j++) {
			const float *s = p->sources + 4 * j;

			for (v = 0; v < VECTORS; v++) {
				const V dx = x[v] - s[0], dy = y[v] - s[1], dz = z[v] - s[2];
				const V d2 = dx * dx + dy * dy + dz * dz;

				if (kind == COULOMB) {
					sum[0][v] += root(d2) * s[3];
				} else if (kind == SALT) {
					const V foot2 = d2 + REACH * REACH + dx * nx[v] +
					                dy * ny[v] + dz * nz[v];

					sum[0][v] += s[3] * (root(d2) -
					                     inverse(LAMBDA + foot2 * root(foot2)));
				} else {
					const V r = root(d2 + SOFTENING2), f = r * s[3] * (r * r);

					sum[0][v] -= f * dx;
					sum[1][v] -= f * dy;
					sum[2][v] -= f * dz;
				}
			}
		}
		for (v = 0; v < VECTORS; v++)
			for (d = 0; d < 3; d++)
				total[d][v] += sum[d][v];
	}
	for (v = 0; v < VECTORS; v++)
		for (l = 0; l < LANES; l++)
			for (d = 0; d < (kind == GRAVITY ? 3 : 1); d++)
				p->out[(i + (size_t)v * LANES + (size_t)l) *
				               (kind == GRAVITY ? 4 : 1) +
				       (size_t)d] = total[d][v][l];
}

static void block(const struct pairs *p, size_t i, enum kind kind)
{
	if (kind == COULOMB)
		vectors(p, i, COULOMB);
	else if (kind == SALT)
		vectors(p, i, SALT);
	else
		vectors(p, i, GRAVITY);
}

const int pairs_lanes = LANES;
#else
static void block(const struct pairs *p, size_t i, enum kind kind)
{
	for (size_t end = i + BLOCK; i < end; i++)
		plain(p, i, kind);
}

const int pairs_lanes = 0; /* there are no vectors */
#endif

/* Blocks of targets that no other thread has taken. */
void pairs_run(const struct pairs *p, int kind, int by_vectors, size_t *next)
{
	size_t i, k;

	while ((i = __atomic_fetch_add(next, BLOCK, __ATOMIC_RELAXED)) < p->n) {
		if (by_vectors)
			block(p, i, (enum kind)kind);
		else
			for (k = i; k < i + BLOCK; k++)
				kind == COULOMB ? plain(p, k, COULOMB) :
				kind == SALT    ? plain(p, k, SALT) :
				                  plain(p, k, GRAVITY);
	}
}
