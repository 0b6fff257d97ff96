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

/* Number j of target i from the parts before; and kept for the next. */
static inline DS ds_begin(__global const RESULT *out, ulong i, uint j, REAL16 k)
{
	const float2 part = GOES_ON ? PART_AT(const float2, i)[j] : (float2)0;

	return ds(part.x, part.y);
}

static inline void ds_keep(__global RESULT *out, ulong i, uint j, DS x)
{
	PART_AT(float2, i)[j] = (float2)(x.hi, x.lo);
}

/* The numbers of a point. */
#if WIDE_PAIRS
#define X(p) ds((p).s0, (p).s1)
#define Y(p) ds((p).s2, (p).s3)
#define Z(p) ds((p).s4, (p).s5)
#define W(p) ds((p).s6, (p).s7)
#define SPEED_X(p) ds((p).s8, (p).s9)
#define SPEED_Y(p) ds((p).sa, (p).sb)
#define SPEED_Z(p) ds((p).sc, (p).sd)
#else
#define X(p) ds((p).s0, 0)
#define Y(p) ds((p).s1, 0)
#define Z(p) ds((p).s2, 0)
#define W(p) ds((p).s3, 0)
#define SPEED_X(p) ds((p).s4, 0)
#define SPEED_Y(p) ds((p).s5, 0)
#define SPEED_Z(p) ds((p).s6, 0)
#endif

static inline DS ds_negative(DS a)
{
	return ds(-a.hi, -a.lo);
}

static inline DS ds_minus(DS a, DS b)
{
	return ds_add(a, ds(-b.hi, -b.lo));
}

static inline DS ds_dot(DS ax, DS ay, DS az, DS bx, DS by, DS bz)
{
	return ds_add(ds_multiply(ax, bx), ds_add(ds_multiply(ay, by), ds_multiply(az, bz)));
}

#if WIDE_PAIRS
/* As result_store; f: x, y, z, phi and the jerk, all scaled. */
static inline void ds_store(__global RESULT *out, ulong i, const DS *f,
                            __global const float4 *normals, REAL16 k)
{
	__global float2 *const r = (__global float2 *)RESULT_AT(i);
#if NORMALS
	const float4 normal = normals[i];
	const float2 more = constants(unit_normal(normal), k);
	const DS length = inverse_length(normal);
	const DS nx = ds_multiply(length, ds(normal.x, 0));
	const DS ny = ds_multiply(length, ds(normal.y, 0));
	const DS nz = ds_multiply(length, ds(normal.z, 0));
	const DS along = ds(more.y, 0);
	const DS field[] = { ds_add(f[0], ds_multiply(along, nx)),
		             ds_add(f[1], ds_multiply(along, ny)),
		             ds_add(f[2], ds_multiply(along, nz)) };
#else
	const float2 more = constants((float4)0, k);
	const DS field[] = { f[0], f[1], f[2] };
#endif
	const DS phi = ds_add(f[3], ds(more.x, 0));

#if OUTPUTS < 2
	r[0] = (float2)(phi.hi, phi.lo);
#if OUTPUTS == 1
	{
		const DS e = ds_dot(field[0], field[1], field[2], nx, ny, nz);

		r[1] = (float2)(e.hi, e.lo);
	}
#endif
#else
	for (uint j = 0; j < 3; j++)
		r[j] = (float2)(field[j].hi, field[j].lo);
	r[3] = PHI ? (float2)(phi.hi, phi.lo) : (float2)0;
#if JERK
	for (uint j = 4; j < 7; j++)
		r[j] = (float2)(f[j].hi, f[j].lo);
	r[7] = (float2)0;
#endif
#endif
}
#endif

static inline float ds_scaled(DS x, DS scale)
{
	const DS p = ds_multiply(x, scale);

	return p.hi + p.lo;
}

KERNEL void run(ulong nsources, ulong ntargets, REAL16 k, __global const BODY *restrict sources,
                __global const float *restrict depths, __global const BODY *restrict targets,
                __global const float4 *restrict normals, __global RESULT *restrict out,
                ulong8 offset)
{
	const ulong i = get_global_id(0);
	DS phi, x, y, z;
	DS tx, ty, tz, softening2 = ds(SOFTENING2, SOFTENING2_LOW), scale, back;
	float soft = SOFTENING2;
	BODY t;
#if JERK
	DS jx, jy, jz;
#endif

	if (i >= ntargets)
		return;
	sources += offset.s0;
	BEGIN(depths, targets, normals, out);
	phi = ds_begin(out, i, 0, k);
	x = ds_begin(out, i, 1, k);
	y = ds_begin(out, i, 2, k);
	z = ds_begin(out, i, 3, k);
#if JERK
	jx = ds_begin(out, i, 4, k);
	jy = ds_begin(out, i, 5, k);
	jz = ds_begin(out, i, 6, k);
#endif
	t = targets[i];
	tx = ds_negative(X(t));
	ty = ds_negative(Y(t));
	tz = ds_negative(Z(t));
#if NORMALS
	{
		const float4 n = normals[i];
		const float far = PROJECTION + n.w;
		const DS p = ds_multiply(ds_add(ds(-PROJECTION, -PROJECTION_LOW), ds(-n.w, 0)),
		                         inverse_length(n));

		tx = or_plain(ds_add(tx, ds_multiply(p, ds(n.x, 0))), tx.hi - far * n.x);
		ty = or_plain(ds_add(ty, ds_multiply(p, ds(n.y, 0))), ty.hi - far * n.y);
		tz = or_plain(ds_add(tz, ds_multiply(p, ds(n.z, 0))), tz.hi - far * n.z);
	}
#endif
#if OWN
	softening2 = ds_add(softening2, ds_multiply(W(t), W(t)));
	soft = fma(W(t).hi, W(t).hi, soft);
#endif
	for (ulong j = 0; j < nsources; j++) {
		const BODY s = sources[j];
		const DS dx = ds_add(X(s), tx), dy = ds_add(Y(s), ty), dz = ds_add(Z(s), tz);
		const DS bare = ds_dot(dx, dy, dz, dx, dy, dz);
		/* In plain float and scaled: dx, dy, dz of infinite coordinates, or of points too
		 * far apart for a float, are NaN, and so is a square that overflows. */
		const float3 d = (float3)(X(s).hi + tx.hi, Y(s).hi + ty.hi, Z(s).hi + tz.hi) * 1e-10f;
		const float square = dot(d, d) + soft * 1e-20f;
		DS root, term;

		/* A NaN, also one of the softening alone, must reach the result. */
		if (square > FLT_MAX * 1e-20f || (bare.hi < FLT_MIN && square == square))
			continue;
		root = ds_inverse_root(SOFTENED ? ds_add(bare, softening2) : bare);
		term = ds_multiply(root, W(s));
#if PHI
		phi = ds_add(phi, term);
#endif
#if FIELD
		term = ds_multiply(term, ds_multiply(root, root));
		x = ds_add(x, ds_multiply(term, dx));
		y = ds_add(y, ds_multiply(term, dy));
		z = ds_add(z, ds_multiply(term, dz));
#endif
#if JERK
		{
			const DS ux = ds_minus(SPEED_X(s), SPEED_X(t));
			const DS uy = ds_minus(SPEED_Y(s), SPEED_Y(t));
			const DS uz = ds_minus(SPEED_Z(s), SPEED_Z(t));
			const DS along = ds_multiply(ds_dot(dx, dy, dz, ux, uy, uz), ds(-3, 0));
			const DS c = ds_multiply(along, ds_multiply(root, root));

			jx = ds_add(jx, ds_multiply(term, ds_add(ux, ds_multiply(c, dx))));
			jy = ds_add(jy, ds_multiply(term, ds_add(uy, ds_multiply(c, dy))));
			jz = ds_add(jz, ds_multiply(term, ds_add(uz, ds_multiply(c, dz))));
		}
#endif
	}
	if (!ENDS) {
		ds_keep(out, i, 0, phi);
		ds_keep(out, i, 1, x);
		ds_keep(out, i, 2, y);
		ds_keep(out, i, 3, z);
#if JERK
		ds_keep(out, i, 4, jx);
		ds_keep(out, i, 5, jy);
		ds_keep(out, i, 6, jz);
#endif
		return;
	}
	scale = ds(SCALE, SCALE_LOW);
	back = ds(-SCALE, -SCALE_LOW);
#if WIDE_PAIRS
	{
		const DS f[] = { ds_multiply(x, back),
			         ds_multiply(y, back),
			         ds_multiply(z, back),
			         ds_multiply(phi, scale),
#if JERK
			         ds_multiply(jx, back),
			         ds_multiply(jy, back),
			         ds_multiply(jz, back)
#endif
		};

		ds_store(out, i, f, normals, k);
	}
#else
	{
#if JERK
		const float4 jerk = (float4)(ds_scaled(jx, back), ds_scaled(jy, back),
		                             ds_scaled(jz, back), 0);
#else
		const float4 jerk = 0;
#endif
		result_store(out, i,
		             (float4)(ds_scaled(x, back), ds_scaled(y, back),
		                      ds_scaled(z, back), ds_scaled(phi, scale)),
		             jerk, 0, normals, k);
	}
#endif
}
