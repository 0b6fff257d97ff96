/* SPDX-License-Identifier: MIT */
/*
 * exact.cl - Coulomb's law and gravity in double-single: each number is the sum of
 * two floats, hi and lo, with |lo| at most half a unit in the last place of hi.
 * One work-item, one target.
 *
 * Error-free sums must not be contracted or reordered; products whose rounding matters
 * are fma(a, b, 0), so that no compiler can contract them.
 *
 * Source: Dekker, Numer. Math. 18, 224 (1971); Knuth, TAOCP 2, 4.2.2.
 */
#pragma OPENCL FP_CONTRACT OFF
#if LANES != 1 || PRECISION != 2
#error "one lane, double-single"
#endif

typedef struct {
	float hi, lo;
} DS;

static inline DS ds(float hi, float lo)
{
	DS x;

	x.hi = hi;
	x.lo = lo;
	return x;
}

/* a + b and its rounding error, for any a and b; and for |a| >= |b|. */
static inline DS two_sum(float a, float b)
{
	const float s = a + b, part = s - a;

	return ds(s, (a - (s - part)) + (b - part));
}

static inline DS quick_sum(float a, float b)
{
	const float s = a + b;

	return ds(s, b - (s - a));
}

static inline DS two_product(float a, float b)
{
	const float p = fma(a, b, 0.0f);

	return ds(p, fma(a, b, -p));
}

static inline DS ds_add(DS a, DS b)
{
	DS s = two_sum(a.hi, b.hi);
	const DS t = two_sum(a.lo, b.lo);

	s = quick_sum(s.hi, s.lo + t.hi);
	return quick_sum(s.hi, s.lo + t.lo);
}

static inline DS ds_multiply(DS a, DS b)
{
	const DS p = two_product(a.hi, b.hi);

	return quick_sum(p.hi, fma(a.hi, b.lo, fma(a.lo, b.hi, p.lo)));
}

/* The float's inverse root and one Newton step, whose correction fits a float. */
static inline DS ds_inverse_root(DS a)
{
	const float y = rsqrt(a.hi);
	const DS whole = ds_multiply(a, two_product(y, y));

	return two_sum(y, fma(0.5f * y, (1.0f - whole.hi) - whole.lo, 0.0f));
}

/* The plain sum where the exact one is NaN: it subtracts infinities from each other. */
static inline DS or_plain(DS exact, float plain)
{
	return exact.hi == exact.hi ? exact : ds(plain, 0);
}

/* The factor that makes a normal's length 1; as unit_normal. */
static inline DS inverse_length(float4 n)
{
	const DS square = ds_add(two_product(n.x, n.x),
	                         ds_add(two_product(n.y, n.y), two_product(n.z, n.z)));

	/* If the square of its length overflows a float, the products above are NaN. */
	if (!(dot(n.xyz, n.xyz) <= FLT_MAX))
		return ds(0, 0);
	if (fabs(square.hi - 1) <= 1e-6f)
		return ds(1, 0);
	if (square.hi == 0)
		return ds(0, 0);
	return ds_inverse_root(square);
}

/* The sum so far of number j of target i; as parts_add. */
static inline DS ds_part(__global RESULT *out, ulong i, uint j, DS x, REAL16 k)
{
	__global float2 *const part = PART_AT(float2, i) + j;

	if (KEEP != 2)
		x = ds_add(x, ds(part->x, part->y));
	if (KEEP != 1)
		*part = (float2)(x.hi, x.lo);
	return x;
}

static inline float ds_scaled(DS x, DS scale)
{
	const DS p = ds_multiply(x, scale);

	return p.hi + p.lo;
}

KERNEL void run(ulong nsources, ulong ntargets, REAL16 k, __global const float4 *restrict sources,
                __global const float *restrict depths, __global const float4 *restrict targets,
                __global const float4 *restrict normals, __global RESULT *restrict out)
{
	const ulong i = get_global_id(0);
	const DS zero = ds(0, 0);
	DS phi = zero, x = zero, y = zero, z = zero;
	DS tx, ty, tz, softening2 = ds(SOFTENING2, SOFTENING2_LOW), scale, back;
	float soft = SOFTENING2;
	float4 t;

	if (i >= ntargets)
		return;
	t = targets[i];
	tx = ds(-t.x, 0);
	ty = ds(-t.y, 0);
	tz = ds(-t.z, 0);
#if NORMALS
	{
		const float4 n = normals[i];
		const float far = PROJECTION + n.w;
		const DS p = ds_multiply(ds_add(ds(-PROJECTION, -PROJECTION_LOW), ds(-n.w, 0)),
		                         inverse_length(n));

		tx = or_plain(ds_add(tx, ds_multiply(p, ds(n.x, 0))), -(t.x + far * n.x));
		ty = or_plain(ds_add(ty, ds_multiply(p, ds(n.y, 0))), -(t.y + far * n.y));
		tz = or_plain(ds_add(tz, ds_multiply(p, ds(n.z, 0))), -(t.z + far * n.z));
	}
#endif
#if OWN
	softening2 = ds_add(softening2, two_product(t.w, t.w));
	soft = fma(t.w, t.w, soft);
#endif
	for (ulong j = 0; j < nsources; j++) {
		const float4 s = sources[j];
		const DS dx = ds_add(ds(s.x, 0), tx), dy = ds_add(ds(s.y, 0), ty);
		const DS dz = ds_add(ds(s.z, 0), tz);
		const DS bare = ds_add(ds_multiply(dx, dx),
		                       ds_add(ds_multiply(dy, dy), ds_multiply(dz, dz)));
		/* In plain float and scaled: dx, dy, dz of infinite coordinates, or of points too
		 * far apart for a float, are NaN, and so is a square that overflows. */
		const float3 d = (s.xyz + (float3)(tx.hi, ty.hi, tz.hi)) * 1e-10f;
		const float square = dot(d, d) + soft * 1e-20f;
		DS root, term;

		/* A NaN, also one of the softening alone, must reach the result. */
		if (square > FLT_MAX * 1e-20f || (bare.hi < FLT_MIN && square == square))
			continue;
		root = ds_inverse_root(SOFTENED ? ds_add(bare, softening2) : bare);
		term = ds_multiply(root, ds(s.w, 0));
#if PHI
		phi = ds_add(phi, term);
#endif
#if FIELD
		term = ds_multiply(term, ds_multiply(root, root));
		x = ds_add(x, ds_multiply(term, dx));
		y = ds_add(y, ds_multiply(term, dy));
		z = ds_add(z, ds_multiply(term, dz));
#endif
	}
	if (KEEP != 0) {
		phi = ds_part(out, i, 0, phi, k);
		x = ds_part(out, i, 1, x, k);
		y = ds_part(out, i, 2, y, k);
		z = ds_part(out, i, 3, z, k);
		if (KEEP != 1)
			return;
	}
	scale = ds(SCALE, SCALE_LOW);
	back = ds(-SCALE, -SCALE_LOW);
	result_store(out, i, ds_scaled(phi, scale), ds_scaled(x, back), ds_scaled(y, back),
	             ds_scaled(z, back), 0, normals, k);
}
