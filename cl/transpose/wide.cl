/* SPDX-License-Identifier: MIT */
/*
 * wide.cl - for CPUs: square blocks turned in vector registers.
 *
 * A group is one work-item with a stripe of OUT1 rows and OUT0 columns.  It
 * turns VL x VL blocks by log2(VL) rounds of interleaving pairs of vectors.  At
 * most 32 rows a stripe: each is a stream to the hardware's prefetcher, and 64
 * cost 1.2 to 2.4 times as much.  What is left over at the right and the bottom
 * goes element by element.
 */
#ifndef VBYTES
#error "VBYTES comes from the variant's row"
#endif
#if WG0 != 1 || WG1 != 1
#error "one work-item a group"
#endif

#define VL (VBYTES / ELEM_BYTES)
#if VL == 16
typedef uint16 V;
#define VLOAD(p) vload16(0, p)
#define VSTORE(v, p) vstore16(v, 0, p)
#elif VL == 8 && ELEM_BYTES == 8
typedef ulong8 V;
#define VLOAD(p) vload8(0, p)
#define VSTORE(v, p) vstore8(v, 0, p)
#elif VL == 8
typedef uint8 V;
#define VLOAD(p) vload8(0, p)
#define VSTORE(v, p) vstore8(v, 0, p)
#else
typedef ulong4 V;
#define VLOAD(p) vload4(0, p)
#define VSTORE(v, p) vstore4(v, 0, p)
#endif

/* a0 b0 a1 b1 ... of the lower and of the upper halves. */
static inline V low(V a, V b)
{
#if VL == 16
	return (V)(a.s0, b.s0, a.s1, b.s1, a.s2, b.s2, a.s3, b.s3, a.s4, b.s4, a.s5, b.s5, a.s6,
	           b.s6, a.s7, b.s7);
#elif VL == 8
	return (V)(a.s0, b.s0, a.s1, b.s1, a.s2, b.s2, a.s3, b.s3);
#else
	return (V)(a.s0, b.s0, a.s1, b.s1);
#endif
}

static inline V high(V a, V b)
{
#if VL == 16
	return (V)(a.s8, b.s8, a.s9, b.s9, a.sa, b.sa, a.sb, b.sb, a.sc, b.sc, a.sd, b.sd, a.se,
	           b.se, a.sf, b.sf);
#elif VL == 8
	return (V)(a.s4, b.s4, a.s5, b.s5, a.s6, b.s6, a.s7, b.s7);
#else
	return (V)(a.s2, b.s2, a.s3, b.s3);
#endif
}

/* One round; log2(VL) of them are a transpose. */
static inline void interleave(const V *from, V *to)
{
	#pragma unroll
	for (uint i = 0; i < VL / 2; i++) {
		to[2 * i] = low(from[i], from[i + VL / 2]);
		to[2 * i + 1] = high(from[i], from[i + VL / 2]);
	}
}

static inline void block(__global const T *in, ulong ld_in, __global T *out,
                         ulong ld_out)
{
	V u[VL], v[VL];

	#pragma unroll
	for (uint i = 0; i < VL; i++)
		u[i] = VLOAD(in + i * ld_in);
	interleave(u, v);
	interleave(v, u);
#if VL == 16
	interleave(u, v);
	interleave(v, u);
#elif VL == 8
	interleave(u, v);
	#pragma unroll
	for (uint i = 0; i < VL; i++)
		u[i] = v[i];
#endif
	#pragma unroll
	for (uint i = 0; i < VL; i++)
		VSTORE(u[i], out + i * ld_out);
}

KERNEL void run(ulong rows, ulong cols, ulong ld_in, ulong ld_out, __global const T *restrict in,
                __global T *restrict out)
{
	const ulong i0 = GROUP1, j0 = GROUP0;
	const ulong i1 = min(rows, i0 + OUT1), j1 = min(cols, j0 + OUT0);
	const ulong iv = i0 + (i1 - i0) / VL * VL, jv = j0 + (j1 - j0) / VL * VL;

	for (ulong j = j0; j < jv; j += VL)
		for (ulong i = i0; i < iv; i += VL)
			block(in + i * ld_in + j, ld_in, out + j * ld_out + i, ld_out);
	for (ulong j = jv; j < j1; j++)
		for (ulong i = i0; i < iv; i++)
			out[j * ld_out + i] = in[i * ld_in + j];
	for (ulong j = j0; j < j1; j++)
		for (ulong i = iv; i < i1; i++)
			out[j * ld_out + i] = in[i * ld_in + j];
}
