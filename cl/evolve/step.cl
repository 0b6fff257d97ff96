/* SPDX-License-Identifier: MIT */
/*
 * step.cl - ends one step and begins the next, given the rates at its end.
 *
 * `back` is the length of the step that ends, 0 before the first.  `ahead` is the length of the
 * next step, 0 after the last.
 *
 * Leapfrog (kick, drift, kick): half a kick ends a step, half a kick and a drift begin the next.
 * The two halves are rounded separately, so that a run that stops between them has the same bits.
 *
 * Hermite (Makino, Aarseth 1992): `next` has each body's predicted position and velocity, one after
 * the other.  The rates belong to these: each body's acceleration and jerk, in `rates`, followed by
 * those that begin the step.  With a0, j0 at the beginning of the step and a1, j1 at its end:
 *
 *	v += h/2 (a0 + a1) + h^2/12 (j0 - j1)
 *	x += h v0 + h^2/60 (21 a0 + 9 a1) + h^3/60 (3 j0 - 2 j1)
 *
 * and the prediction is the Taylor series up to j.  The fourth numbers, masses and the caller's
 * numbers after velocities, do not change.
 *
 * The state between steps, and between the halves of a kick, is rounded to what a double holds: the
 * caller has doubles, and a run in several calls has the bits of a run in one.
 */
typedef struct {
	REAL x, y, z;
} VECTOR3;

static inline VECTOR3 vector(POINT p)
{
	VECTOR3 v;

	v.x = real_as_double(X_OF(p));
	v.y = real_as_double(Y_OF(p));
	v.z = real_as_double(Z_OF(p));
	return v;
}

/* k a + b */
static inline VECTOR3 multiply_add(REAL k, VECTOR3 a, VECTOR3 b)
{
	VECTOR3 v;

	v.x = real_fma(k, a.x, b.x);
	v.y = real_fma(k, a.y, b.y);
	v.z = real_fma(k, a.z, b.z);
	return v;
}

static inline VECTOR3 vector_as_double(VECTOR3 v)
{
	v.x = real_as_double(v.x);
	v.y = real_as_double(v.y);
	v.z = real_as_double(v.z);
	return v;
}

static inline POINT to_point(VECTOR3 v, POINT w)
{
	return point(v.x, v.y, v.z, W_OF(w));
}

#if JERK
/* p a + q b */
static inline VECTOR3 combine(float p, VECTOR3 a, float q, VECTOR3 b)
{
	VECTOR3 v;

	v.x = real_fma(real_float(p), a.x, real_times(b.x, q));
	v.y = real_fma(real_float(p), a.y, real_times(b.y, q));
	v.z = real_fma(real_float(p), a.z, real_times(b.z, q));
	return v;
}

/* Increments are summed first, so that only one rounding is of the size of x. */
static inline void correct(VECTOR3 *x, VECTOR3 *v, REAL h, VECTOR3 a0, VECTOR3 j0, VECTOR3 a1,
                           VECTOR3 j1)
{
	const REAL h60 = real_divide(h, 60);
	const VECTOR3 dv =
	        multiply_add(real_times(h, 5), combine(1, j0, -1, j1), combine(30, a0, 30, a1));
	const VECTOR3 dx = multiply_add(h, combine(3, j0, -2, j1), combine(21, a0, 9, a1));

	*x = vector_as_double(multiply_add(h, multiply_add(h60, dx, *v), *x));
	*v = vector_as_double(multiply_add(h60, dv, *v));
}

KERNEL void run(ulong n, REAL back, REAL ahead, __global POINT *restrict state,
                __global POINT *restrict next, __global POINT *restrict rates)
{
	const ulong i = get_global_id(0);
	const REAL h = ahead;
	VECTOR3 x, v, a, j;

	if (i >= n)
		return;
	x = vector(state[i]);
	v = vector(state[n + i]);
	a = vector(rates[2 * i]);
	j = vector(rates[2 * i + 1]);
	if (!is_zero(back))
		correct(&x, &v, back, vector(rates[2 * (n + i)]),
		        vector(rates[2 * (n + i) + 1]), a, j);
	state[i] = to_point(x, state[i]);
	state[n + i] = to_point(v, state[n + i]);
	rates[2 * (n + i)] = to_point(a, rates[2 * i]);
	rates[2 * (n + i) + 1] = to_point(j, rates[2 * i + 1]);
	if (!is_zero(ahead)) { /* else there may be no rates yet */
		x = multiply_add(h, multiply_add(real_divide(h, 2), multiply_add(real_divide(h, 3), j, a), v),
		                 x);
		v = multiply_add(h, multiply_add(real_divide(h, 2), j, a), v);
	}
	next[2 * i] = to_point(x, state[i]);
	next[2 * i + 1] = to_point(v, state[n + i]);
}

#else
KERNEL void run(ulong n, REAL back, REAL ahead, __global POINT *restrict state,
                __global POINT *restrict next, __global POINT *restrict rates)
{
	const ulong i = get_global_id(0);
	VECTOR3 x, v, a;

	if (i >= n)
		return;
	x = vector(state[i]);
	v = vector(state[n + i]);
	a = vector(rates[i]);
	v = vector_as_double(multiply_add(real_divide(back, 2), a, v));
	v = vector_as_double(multiply_add(real_divide(ahead, 2), a, v));
	x = vector_as_double(multiply_add(ahead, v, x));
	state[i] = to_point(x, state[i]);
	state[n + i] = to_point(v, state[n + i]);
}
#endif
