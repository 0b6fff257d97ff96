/* SPDX-License-Identifier: MIT */
/*
 * pairs_of.h - a template: sums over pairs in REAL, by vectors of BYTES.  BITS is an integer of the
 * size of REAL, NAME(x) is x with a suffix of both, TARGET the processors it is compiled for.
 */
#define LANES (BYTES / sizeof(REAL))

typedef REAL NAME(vector) __attribute__((vector_size(BYTES), may_alias));
typedef BITS NAME(bits) __attribute__((vector_size(BYTES), may_alias));

/* Targets, one per lane: position, and what is added to squared distances. */
struct NAME(targets) {
	NAME(vector) x, y, z, softening2;
};

struct NAME(sums) {
	NAME(vector) phi, x, y, z;
};

/* Number i of points or results. */
static TARGET inline REAL NAME(number)(const struct host_pairs *p, const void *points, size_t i)
{
	return p->doubles ? (REAL)((const double *)points)[i] : (REAL)((const float *)points)[i];
}

/* Add a tile of sources.  A source at the position of a target, or too far away, adds nothing.  NaN
 * stays. */
static TARGET inline __attribute__((always_inline)) void
NAME(add_tile)(const REAL *source, size_t count, const struct NAME(targets) * t,
               struct NAME(sums) * sums, const int field)
{
	const NAME(vector) none = { 0 }, one = none + 1;
	const NAME(vector) tx = t->x, ty = t->y, tz = t->z, softening2 = t->softening2;
	NAME(vector) phi = none, x = none, y = none, z = none;
	size_t j;
	int i;

	for (j = 0; j < count; j++, source += 4) {
		NAME(vector) dx = source[0] - tx, dy = source[1] - ty, dz = source[2] - tz;
		NAME(vector) d2 = dx * dx + (dy * dy + dz * dz), root, w, f;
		const NAME(vector) bare = d2;
		NAME(bits) counts;

		d2 += softening2;
		counts = ((NAME(bits))(bare >= LEAST) & (NAME(bits))(d2 <= MOST)) |
		         (NAME(bits))(d2 != d2);
		w = (NAME(vector))((NAME(bits))(none + source[3]) & counts);
		d2 = (NAME(vector))(((NAME(bits))d2 & counts) | ((NAME(bits))one & ~counts));
		/* Start with half the exponent.  Each Newton step doubles the digits. */
		root = (NAME(vector))(FIRST_ROOT - ((NAME(bits))d2 >> 1));
		for (i = 0; i < STEPS; i++)
			root += (REAL)0.5 * root * (1 - d2 * root * root);
		w *= root;
		phi += w;
		if (!field)
			continue;
		f = w * (root * root);
		x += f * (NAME(vector))((NAME(bits))dx & counts);
		y += f * (NAME(vector))((NAME(bits))dy & counts);
		z += f * (NAME(vector))((NAME(bits))dz & counts);
	}
	sums->phi += phi;
	sums->x += x;
	sums->y += y;
	sums->z += z;
}

/* Read a target's normal and its distance.  The normal is scaled to length 1, unless it has that
 * length to the digits of float. */
static TARGET void NAME(read_normal)(const struct host_pairs *p, size_t i, REAL n[4])
{
	REAL square = 0, by = 1;
	int c;

	for (c = 0; c < 4; c++)
		n[c] = p->normals ? (REAL)p->normals[4 * i + (size_t)c] : 0;
	for (c = 0; c < 3; c++)
		square += n[c] * n[c];
	if (!(fabs((double)square - 1) <= 1e-6))
		by = square > 0 ? 1 / (REAL)sqrt((double)square) : 0;
	for (c = 0; c < 3; c++)
		n[c] *= by;
}

/* Lanes after the last target repeat it. */
static TARGET void NAME(read_targets)(const struct host_pairs *p, size_t first,
                                      struct NAME(targets) * t)
{
	REAL lane[4][LANES] __attribute__((aligned(BYTES)));
	size_t l, c;

	for (l = 0; l < LANES; l++) {
		const size_t i = first + l < p->ntargets ? first + l : p->ntargets - 1;
		const REAL own = p->own ? NAME(number)(p, p->targets, 4 * i + 3) : 0;
		REAL n[4], along;

		NAME(read_normal)(p, i, n);
		along = p->normals ? (REAL)p->projection + n[3] : 0;
		for (c = 0; c < 3; c++)
			lane[c][l] = NAME(number)(p, p->targets, 4 * i + c) + along * n[c];
		lane[3][l] = (REAL)p->softening2 + own * own;
	}
	memcpy(t, lane, sizeof *t);
}

/* As result_store in cl/pair/sum.clh; sum: phi, x, y, z. */
static TARGET void NAME(put)(const struct host_pairs *p, size_t i, const REAL *sum)
{
	static const size_t columns[] = { 1, 2, 4, 4 };
	const REAL scale = (REAL)p->scale;
	REAL r[4] = { -scale * sum[1], -scale * sum[2], -scale * sum[3], scale * sum[0] };
	REAL n[4], over_r = 0, along;
	size_t c;

	NAME(read_normal)(p, i, n);
	if (p->over_r != 0) {
		const double radius = p->radius + p->projection + (double)n[3];

		over_r = (REAL)(p->over_r * exp(-p->kappa_r * (radius - (p->radius + p->reach))) /
		                radius);
		along = over_r * (REAL)(p->kappa_r + 1 / radius);
		for (c = 0; c < 3; c++)
			r[c] += along * n[c];
	}
	r[3] += (REAL)p->constant + over_r;
	if (p->outputs == CLOPT_OUTPUTS_FIELD)
		r[3] = 0;
	if (p->outputs <= CLOPT_OUTPUTS_PHI_NORMAL) {
		r[1] = r[0] * n[0] + r[1] * n[1] + r[2] * n[2];
		r[0] = r[3];
	}
	for (c = 0; c < columns[p->outputs]; c++)
		if (p->doubles)
			((double *)p->results)[columns[p->outputs] * i + c] = (double)r[c];
		else
			((float *)p->results)[columns[p->outputs] * i + c] = (float)r[c];
}

static TARGET void NAME(pairs)(const struct host_pairs *p)
{
	const int field = p->outputs != CLOPT_OUTPUTS_PHI;
	REAL tile[4 * TILE], lane[4][LANES] __attribute__((aligned(BYTES))), one[4];
	size_t i, j, l, c;

	for (i = 0; i < p->ntargets; i += LANES) {
		struct NAME(targets) t;
		struct NAME(sums) sums = { { 0 }, { 0 }, { 0 }, { 0 } };

		NAME(read_targets)(p, i, &t);
		for (j = 0; j < p->nsources; j += TILE) {
			const size_t count = p->nsources - j < TILE ? p->nsources - j : TILE;

			for (c = 0; c < 4 * count; c++)
				tile[c] = NAME(number)(p, p->sources, 4 * j + c);
			if (field)
				NAME(add_tile)(tile, count, &t, &sums, 1);
			else
				NAME(add_tile)(tile, count, &t, &sums, 0);
		}
		memcpy(lane, &sums, sizeof lane);
		for (l = 0; l < LANES && i + l < p->ntargets; l++) {
			for (c = 0; c < 4; c++)
				one[c] = lane[c][l];
			NAME(put)(p, i + l, one);
		}
	}
}

#undef LANES
#undef TARGET
#undef NAME
#undef BYTES
