/* SPDX-License-Identifier: MIT */
/*
 * wide.cl - for CPUs: square blocks turned in vector registers, and whole cache
 * lines written past the cache.
 *
 * A group is one work-item with a stripe of OUT1 rows and OUT0 columns.  It turns
 * VL x VL blocks in rounds of moves between pairs of vectors: first within the sixteen
 * bytes of a lane, then of whole lanes, since moves of elements from any lane to any
 * other take twice as long (Zen 4).  Stripes are low, so that the lines of a row that
 * are fetched ahead are still there when their turn comes.
 *
 * What is too large for the caches is written by streaming stores, which are only fast
 * if they are whole aligned lines.  Where an output row does not begin on a line, its
 * part of the stripe is shifted to the first line that begins there: blocks are turned
 * into local memory, with the rows of one line more than the stripe has.
 */
#ifndef VBYTES
#error "VBYTES comes from the variant's row"
#endif
#if WG0 != 1 || WG1 != 1
#error "one work-item a group"
#endif

/* Left to itself LLVM 15 calls the turn of a block, with its vectors in memory, and
 * breaks down weighing the rest. */
#define INLINE static inline __attribute__((always_inline))
#define LINE (64 / ELEM_BYTES) /* elements in a line of the cache */
#define LD (OUT1 + LINE)
#if OUT1 % LINE
#error "stripes of whole lines"
#endif
/* Matrices of so many bytes are streamed: half of a core's cache, about. */
#define LARGE (1 << 20)

/* VL elements a vector V, which has PARTS numbers; written out, since they become
 * parts of names. */
#if VBYTES == 16 * ELEM_BYTES
#define VL 16
#define PARTS 16
#elif VBYTES == 8 * ELEM_BYTES
#define VL 8
#define PARTS 8
#elif VBYTES == 4 * ELEM_BYTES && ELEM_BYTES == 8
#define VL 4
#define PARTS 4
#elif VBYTES == 4 * ELEM_BYTES
#define VL 4
#define PARTS 8
#elif VBYTES == 2 * ELEM_BYTES
#define VL 2
#define PARTS 4
#else
#error "vectors of 2, 4, 8 or 16 elements"
#endif
/* Lanes of a vector, and elements of a lane. */
#define LANES (VBYTES / 16)
#define IN_LANE (16 / ELEM_BYTES)
#define JOIN(a, b) a##b
#define VECTOR(type, n) JOIN(type, n)

#if ELEM_BYTES == 1
typedef uchar PART;
typedef VECTOR(uchar, PARTS) V;
#elif ELEM_BYTES == 2
typedef ushort PART;
typedef VECTOR(ushort, PARTS) V;
#elif ELEM_BYTES == 4
typedef uint PART;
typedef VECTOR(uint, PARTS) V;
#else
typedef ulong PART;
typedef VECTOR(ulong, PARTS) V;
#endif
#define VLOAD(p) VECTOR(vload, PARTS)(0, (__global const PART *)(p))

/* At any element; vstoreN may come as several stores. */
typedef V V_ANYWHERE __attribute__((aligned(ELEM_BYTES)));
typedef uint16 LINE_ANYWHERE __attribute__((aligned(ELEM_BYTES)));

#ifdef __clang__
#define STREAM(v, p) __builtin_nontemporal_store(v, p)
#else
#define STREAM(v, p) (*(p) = (v))
#endif
/* Into the second-level cache: where row lengths are powers of two, rows share so few
 * sets of the first-level one that lines are gone before they are read. */
#define AHEAD (3 * LINE)
#if defined __clang__ && (defined __x86_64__ || defined __aarch64__)
#define FETCH(p) __builtin_prefetch((const void *)(ulong)(p), 0, 2)
#else
#define FETCH(p)
#endif

/* Of each lane of two vectors the lower or the upper halves, interleaved: a0 b0 a1 b1 ... */
#define PAIR(x) a.s##x, b.s##x
INLINE V low(V a, V b)
{
#if ELEM_BYTES == 1
	return (V)(PAIR(0), PAIR(1), PAIR(2), PAIR(3), PAIR(4), PAIR(5), PAIR(6), PAIR(7));
#elif ELEM_BYTES == 2
	return (V)(PAIR(0), PAIR(1), PAIR(2), PAIR(3), PAIR(8), PAIR(9), PAIR(a), PAIR(b));
#elif ELEM_BYTES == 4 && LANES == 4
	return (V)(PAIR(0), PAIR(1), PAIR(4), PAIR(5), PAIR(8), PAIR(9), PAIR(c), PAIR(d));
#elif ELEM_BYTES == 4
	return (V)(PAIR(0), PAIR(1), PAIR(4), PAIR(5));
#elif LANES == 4
	return (V)(PAIR(0), PAIR(2), PAIR(4), PAIR(6));
#else
	return (V)(PAIR(0), PAIR(2));
#endif
}

INLINE V high(V a, V b)
{
#if ELEM_BYTES == 1
	return (V)(PAIR(8), PAIR(9), PAIR(a), PAIR(b), PAIR(c), PAIR(d), PAIR(e), PAIR(f));
#elif ELEM_BYTES == 2
	return (V)(PAIR(4), PAIR(5), PAIR(6), PAIR(7), PAIR(c), PAIR(d), PAIR(e), PAIR(f));
#elif ELEM_BYTES == 4 && LANES == 4
	return (V)(PAIR(2), PAIR(3), PAIR(6), PAIR(7), PAIR(a), PAIR(b), PAIR(e), PAIR(f));
#elif ELEM_BYTES == 4
	return (V)(PAIR(2), PAIR(3), PAIR(6), PAIR(7));
#elif LANES == 4
	return (V)(PAIR(1), PAIR(3), PAIR(5), PAIR(7));
#else
	return (V)(PAIR(1), PAIR(3));
#endif
}

/* Every other lane of a, then of b; element by element, which LLVM makes one instruction
 * of. */
#define LANE(from, w, x, y, z) from.s##w, from.s##x, from.s##y, from.s##z
INLINE V even(V a, V b)
{
#if LANES == 4 && ELEM_BYTES == 4
	return (V)(LANE(a, 0, 1, 2, 3), LANE(a, 8, 9, a, b), LANE(b, 0, 1, 2, 3),
	           LANE(b, 8, 9, a, b));
#elif LANES == 4
	return (V)(LANE(a, 0, 1, 4, 5), LANE(b, 0, 1, 4, 5));
#else
	return (V)(a.lo, b.lo);
#endif
}

INLINE V odd(V a, V b)
{
#if LANES == 4 && ELEM_BYTES == 4
	return (V)(LANE(a, 4, 5, 6, 7), LANE(a, c, d, e, f), LANE(b, 4, 5, 6, 7),
	           LANE(b, c, d, e, f));
#elif LANES == 4
	return (V)(LANE(a, 2, 3, 6, 7), LANE(b, 2, 3, 6, 7));
#else
	return (V)(a.hi, b.hi);
#endif
}

INLINE V scaled_vector(V v, NUMBER alpha)
{
#if SCALED && ELEM_BYTES == 8
	return alpha == 0 ? (V)0 : VECTOR(as_ulong, VL)(alpha * VECTOR(as_double, VL)(v));
#elif SCALED
	return alpha == 0 ? (V)0 : VECTOR(as_uint, VL)(alpha * VECTOR(as_float, VL)(v));
#else
	return v;
#endif
}

/* One round on IN_LANE vectors; log2(IN_LANE) of them turn the square that lies in each
 * lane. */
INLINE void turn_in_lanes(V *v)
{
	V w[IN_LANE];

	#pragma unroll
	for (uint i = 0; i < IN_LANE / 2; i++) {
		w[2 * i] = low(v[i], v[i + IN_LANE / 2]);
		w[2 * i + 1] = high(v[i], v[i + IN_LANE / 2]);
	}
	#pragma unroll
	for (uint i = 0; i < IN_LANE; i++)
		v[i] = w[i];
}

/* One round on every IN_LANEth of the vectors; log2(LANES) of them turn the square of
 * lanes. */
INLINE void turn_lanes(V *v)
{
	V w[LANES];

	#pragma unroll
	for (uint i = 0; i < LANES / 2; i++) {
		w[i] = even(v[2 * i * IN_LANE], v[(2 * i + 1) * IN_LANE]);
		w[i + LANES / 2] = odd(v[2 * i * IN_LANE], v[(2 * i + 1) * IN_LANE]);
	}
	#pragma unroll
	for (uint i = 0; i < LANES; i++)
		v[i * IN_LANE] = w[i];
}

/* The block at `from`, turned. */
INLINE void turn(__global const T *from, ulong ld, NUMBER alpha, V *v)
{
	#pragma unroll
	for (uint i = 0; i < VL; i++) {
		FETCH(from + i * ld + AHEAD);
		v[i] = scaled_vector(VLOAD(from + i * ld), alpha);
	}
	#pragma unroll
	for (uint n = 1; n < IN_LANE; n *= 2)
		#pragma unroll
		for (uint i = 0; i < VL; i += IN_LANE)
			turn_in_lanes(v + i);
	#pragma unroll
	for (uint n = 1; n < LANES; n *= 2)
		#pragma unroll
		for (uint i = 0; i < IN_LANE; i++)
			turn_lanes(v + i);
}

/* Straight into the output's rows; what is left over at the edges element by
 * element.  stream: vectors are lines. */
INLINE void turn_stripe(__global const T *in, ulong ld_in, __global T *out, ulong ld_out,
                        ulong rows, ulong cols, NUMBER alpha, int stream)
{
	const ulong iv = rows / VL * VL, jv = cols / VL * VL;
	V u[VL];

	for (ulong j = 0; j < jv; j += VL)
		for (ulong i = 0; i < iv; i += VL) {
			turn(in + i * ld_in + j, ld_in, alpha, u);
			#pragma unroll
			for (uint q = 0; q < VL; q++) {
				__global T *to = out + (j + q) * ld_out + i;

				if (stream)
					STREAM(u[q], (__global V *)to);
				else
					*(__global V_ANYWHERE *)to = u[q];
			}
		}
	for (ulong j = 0; j < cols; j++)
		for (ulong i = j < jv ? iv : 0; i < rows; i++)
			out[j * ld_out + i] = scaled(in[i * ld_in + j], alpha);
}

/* How far from the beginning of the stripe's part of an output row the first line
 * of the cache begins. */
INLINE uint skipped(__global const T *to)
{
	return (uint)(-(ulong)to / ELEM_BYTES) % LINE;
}

/* Line d of each of the `width` rows of the output that are in `lines`. */
INLINE void write_lines(__local const T *lines, __global T *out, ulong ld_out, uint width,
                        uint d)
{
	#pragma unroll
	for (uint q = 0; q < VL; q++) {
		__global T *const to = out + q * ld_out;
		const uint i = skipped(to) + d * LINE;

		if (q < width) {
			const uint16 line = *(__local const LINE_ANYWHERE *)(lines + q * LD + i);

			STREAM(line, (__global uint16 *)(to + i));
		}
	}
}

/*
 * Columns of a stripe whose output rows do not begin on lines.  Blocks are turned
 * into local memory, and lines go from there as soon as they are whole: reads and
 * streaming stores take turns, since many stores in a row fill their queue and hold
 * up the reads (a quarter slower).  `rows` exist from the stripe's first on.
 */
INLINE void turn_shifted(__global const T *in, ulong ld_in, __global T *out, ulong ld_out,
                         ulong rows, uint width, int first, NUMBER alpha, __local T *lines)
{
	const uint have = (uint)min((ulong)LD, rows), whole = width == VL ? have / VL * VL : 0;
	uint i, d = 0;
	V u[VL];

	for (i = 0; i < whole; i += VL) {
		turn(in + i * ld_in, ld_in, alpha, u);
		#pragma unroll
		for (uint q = 0; q < VL; q++)
			*(__local V *)(lines + q * LD + i) = u[q];
		if ((d + 2) * LINE <= i && d < OUT1 / LINE)
			write_lines(lines, out, ld_out, VL, d++);
	}
	for (; i < have; i++)
		for (uint q = 0; q < width; q++)
			lines[q * LD + i] = scaled(in[i * ld_in + q], alpha);
	for (; d < OUT1 / LINE && (d + 2) * LINE <= have; d++)
		write_lines(lines, out, ld_out, width, d);
	/* What is before the first line and behind the last. */
	for (uint q = 0; q < width; q++) {
		__global T *const to = out + q * ld_out;
		const uint skip = skipped(to), end = min(have, skip + OUT1);

		for (i = 0; first && i < min(skip, end); i++)
			to[i] = lines[q * LD + i];
		for (i = skip + d * LINE; i < end; i++)
			to[i] = lines[q * LD + i];
	}
}

KERNEL void run(ulong rows, ulong cols, ulong ld_in, ulong ld_out, ulong stride_in,
                ulong stride_out, NUMBER alpha, __global const T *restrict in,
                __global T *restrict out)
{
	__local T lines[VL * LD] __attribute__((aligned(64)));
	const uint at = get_group_id(1) * get_num_groups(0) + get_group_id(0);
	const ulong i0 = (ulong)(at % get_num_groups(1)) * OUT1;
	const ulong j0 = (ulong)(at / get_num_groups(1)) * OUT0, j1 = min(cols, j0 + OUT0);
	const int large = rows * cols * ELEM_BYTES >= LARGE;
	int on_lines;

	BATCH(in, out);
	in += i0 * ld_in;
	out += i0;
	on_lines = (ulong)out % 64 == 0 && ld_out % LINE == 0;
#if VL != LINE
	on_lines = 0; /* a vector is less than one */
#endif
	if (!large || on_lines) {
		turn_stripe(in + j0, ld_in, out + j0 * ld_out, ld_out, min((ulong)OUT1, rows - i0),
		            j1 - j0, alpha, large);
		return;
	}
	for (ulong j = j0; j < j1; j += VL)
		turn_shifted(in + j, ld_in, out + j * ld_out, ld_out, rows - i0,
		             (uint)min((ulong)VL, j1 - j), i0 == 0, alpha, lines);
}
