/* SPDX-License-Identifier: MIT */
/*
 * pairs_simd.h - the loops of pairs_simd.c, which includes it for each width.
 *
 * Lanes are targets, PAIRS_BLOCK of them in registers; each source is broadcast.  Roots and
 * reciprocals are the processor's estimate and one Newton step.  Sums are over tiles first, as in
 * the library, so that both have the same error.
 *
 * Parameters: NAME(name), TARGET, LANES, V, LOAD, STORE, SET, ADD, SUB, MUL, FMA, ESTIMATE and
 * RECIPROCAL, which it undefines at the end.
 */
#define VECTORS (PAIRS_BLOCK / LANES)
#define INLINE static inline __attribute__((always_inline)) TARGET

INLINE V NAME(inverse_root)(V x)
{
	const V r = ESTIMATE(x), u = FMA(MUL(x, r), r, SET(-3.0f));

	return MUL(u, MUL(r, SET(-0.5f)));
}

INLINE V NAME(inverse)(V x)
{
	const V r = RECIPROCAL(x);

	return MUL(r, SUB(SET(2.0f), MUL(x, r)));
}

INLINE V NAME(square)(V x, V y, V z, V plus)
{
	return FMA(x, x, FMA(y, y, FMA(z, z, plus)));
}

TARGET static void NAME(coulomb)(const struct pairs *p, size_t i)
{
	V x[VECTORS], y[VECTORS], z[VECTORS], sum[VECTORS], total[VECTORS];
	size_t j, j0;
	int v;

	for (v = 0; v < VECTORS; v++) {
		x[v] = LOAD(p->tx + i + v * LANES);
		y[v] = LOAD(p->ty + i + v * LANES);
		z[v] = LOAD(p->tz + i + v * LANES);
		total[v] = SET(0.0f);
	}
	for (j0 = 0; j0 < p->n; j0 += PAIRS_TILE) {
		for (v = 0; v < VECTORS; v++)
			sum[v] = SET(0.0f);
		for (j = j0; j < j0 + PAIRS_TILE; j++) {
			const float *s = p->sources + 4 * j;

			for (v = 0; v < VECTORS; v++) {
				const V d2 =
				        NAME(square)(SUB(x[v], SET(s[0])), SUB(y[v], SET(s[1])),
				                     SUB(z[v], SET(s[2])), SET(0.0f));

				sum[v] = FMA(NAME(inverse_root)(d2), SET(s[3]), sum[v]);
			}
		}
		for (v = 0; v < VECTORS; v++)
			total[v] = ADD(total[v], sum[v]);
	}
	for (v = 0; v < VECTORS; v++)
		STORE(p->out + i + v * LANES, total[v]);
}

TARGET static void NAME(salt)(const struct pairs *p, size_t i)
{
	V x[VECTORS], y[VECTORS], z[VECTORS], nx[VECTORS], ny[VECTORS], nz[VECTORS];
	V sum[VECTORS], total[VECTORS];
	size_t j, j0;
	int v;

	for (v = 0; v < VECTORS; v++) {
		x[v] = LOAD(p->tx + i + v * LANES);
		y[v] = LOAD(p->ty + i + v * LANES);
		z[v] = LOAD(p->tz + i + v * LANES);
		nx[v] = MUL(SET(2.0f * PAIRS_REACH), LOAD(p->nx + i + v * LANES));
		ny[v] = MUL(SET(2.0f * PAIRS_REACH), LOAD(p->ny + i + v * LANES));
		nz[v] = MUL(SET(2.0f * PAIRS_REACH), LOAD(p->nz + i + v * LANES));
		total[v] = SET(0.0f);
	}
	for (j0 = 0; j0 < p->n; j0 += PAIRS_TILE) {
		for (v = 0; v < VECTORS; v++)
			sum[v] = SET(0.0f);
		for (j = j0; j < j0 + PAIRS_TILE; j++) {
			const float *s = p->sources + 4 * j;

			for (v = 0; v < VECTORS; v++) {
				const V dx = SUB(x[v], SET(s[0])), dy = SUB(y[v], SET(s[1]));
				const V dz = SUB(z[v], SET(s[2]));
				const V d2 = NAME(square)(dx, dy, dz, SET(0.0f));
				const V foot2 =
				        FMA(dx, nx[v],
				            FMA(dy, ny[v],
				                FMA(dz, nz[v],
				                    ADD(d2, SET(PAIRS_REACH * PAIRS_REACH)))));
				const V foot = MUL(foot2, NAME(inverse_root)(foot2));
				const V inverse = NAME(inverse)(ADD(foot, SET(PAIRS_LAMBDA)));
				const V law = SUB(NAME(inverse_root)(d2), inverse);

				sum[v] = FMA(law, SET(s[3]), sum[v]);
			}
		}
		for (v = 0; v < VECTORS; v++)
			total[v] = ADD(total[v], sum[v]);
	}
	for (v = 0; v < VECTORS; v++)
		STORE(p->out + i + v * LANES, total[v]);
}

TARGET static void NAME(gravity)(const struct pairs *p, size_t i)
{
	V x[VECTORS], y[VECTORS], z[VECTORS], sum[3][VECTORS], total[3][VECTORS];
	float lane[LANES];
	size_t j, j0, l;
	int v, d;

	for (v = 0; v < VECTORS; v++) {
		x[v] = LOAD(p->tx + i + v * LANES);
		y[v] = LOAD(p->ty + i + v * LANES);
		z[v] = LOAD(p->tz + i + v * LANES);
		total[0][v] = total[1][v] = total[2][v] = SET(0.0f);
	}
	for (j0 = 0; j0 < p->n; j0 += PAIRS_TILE) {
		for (v = 0; v < VECTORS; v++)
			sum[0][v] = sum[1][v] = sum[2][v] = SET(0.0f);
		for (j = j0; j < j0 + PAIRS_TILE; j++) {
			const float *s = p->sources + 4 * j;

			for (v = 0; v < VECTORS; v++) {
				const V dx = SUB(SET(s[0]), x[v]), dy = SUB(SET(s[1]), y[v]);
				const V dz = SUB(SET(s[2]), z[v]);
				const V root = NAME(inverse_root)(
				        NAME(square)(dx, dy, dz, SET(PAIRS_SOFTENING2)));
				const V f = MUL(MUL(root, SET(s[3])), MUL(root, root));

				sum[0][v] = FMA(f, dx, sum[0][v]);
				sum[1][v] = FMA(f, dy, sum[1][v]);
				sum[2][v] = FMA(f, dz, sum[2][v]);
			}
		}
		for (v = 0; v < VECTORS; v++)
			for (d = 0; d < 3; d++)
				total[d][v] = ADD(total[d][v], sum[d][v]);
	}
	for (v = 0; v < VECTORS; v++)
		for (d = 0; d < 3; d++) {
			STORE(lane, total[d][v]);
			for (l = 0; l < LANES; l++)
				p->out[4 * (i + (size_t)v * LANES + l) + (size_t)d] = lane[l];
		}
}

static void NAME(all)(const struct pairs *p, size_t first, size_t end)
{
	static void (*const loops[PAIRS_KINDS])(
	        const struct pairs *, size_t) = { NAME(coulomb), NAME(salt), NAME(gravity) };

	for (; first < end; first += PAIRS_BLOCK)
		loops[p->kind](p, first);
}

#undef NAME
#undef TARGET
#undef LANES
#undef V
#undef LOAD
#undef STORE
#undef SET
#undef ADD
#undef SUB
#undef MUL
#undef FMA
#undef ESTIMATE
#undef RECIPROCAL
#undef VECTORS
#undef INLINE
