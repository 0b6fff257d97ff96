/* SPDX-License-Identifier: MIT */
/*
 * shift.cl - tiles in chunks of sixteen bytes (chunk.clh) for rows that begin anywhere: sizes,
 * leading dimensions or strides that are no multiple of a chunk.
 *
 * All accesses are to aligned chunks.  An unaligned chunk of the input is assembled from the two
 * aligned chunks that it overlaps.  A line of the tile is shifted to the alignment of the output
 * row.  The elements before its first aligned chunk and after its last are written one by one.
 */
#if ELEM_BYTES > 2
#error "larger elements are as fast one by one: tile.cl"
#endif

/* The sixteen bytes from byte `at` of a on, where b follows a. */
static inline uint4 shifted(uint4 a, uint4 b, uint at)
{
	uint v[8] = { a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w };

	#pragma unroll
	for (uint i = 0; i < 6; i++)
		v[i] = at & 8 ? v[i + 2] : v[i];
	#pragma unroll
	for (uint i = 0; i < 5; i++)
		v[i] = at & 4 ? v[i + 1] : v[i];
	#pragma unroll
	for (uint i = 0; i < 4; i++)
		v[i] = (uint)(((ulong)v[i + 1] << 32 | v[i]) >> at % 4 * 8);
	return (uint4)(v[0], v[1], v[2], v[3]);
}

static inline uint4 load_shifted(__global const T *from)
{
	const uint at = (uint)((ulong)from & 15);
	__global const uint4 *base = (__global const uint4 *)((__global const uchar *)from - at);

	return shifted(base[0], base[at != 0], at);
}

/* load_shifted() reads both aligned chunks that `from` overlaps, so both must belong to the array.
 * The first does, since the array begins at a chunk. */
static inline uint4 load_chunk(__global const T *from, ulong present, int aligned, int row_follows)
{
	if (aligned && present >= CHUNK)
		return *(__global const uint4 *)from;
	if (present >= CHUNK && (row_follows || present >= 2 * CHUNK))
		return load_shifted(from);
	return load_part(from, present);
}

/* Element i of a line of the tile. */
static inline T element(__local const uint4 *line, uint swizzle, uint i)
{
	return ((__local const T *)&line[i / CHUNK ^ swizzle])[i % CHUNK];
}

/*
 * The k-th of CHUNKS1 items writes its part of a line: of the `head` elements before the output's
 * first aligned chunk, of the chunks, and of the fewer than CHUNK elements after them.
 */
static inline void store_shifted(__global T *to, __local const uint4 *line, uint swizzle, uint k,
                                 ulong present, NUMBER alpha)
{
	const uint n = (uint)min(present, (ulong)OUT1);
	const uint before = (16 - (uint)((ulong)to & 15)) % 16 / ELEM_BYTES;
	const uint head = min(before, n), chunks = (n - head) / CHUNK, tail = head + chunks * CHUNK;

	if (k < chunks)
		*(__global uint4 *)(to + head + k * CHUNK) =
		        scaled_chunk(shifted(line[k ^ swizzle], line[(k + (head != 0)) ^ swizzle],
		                             head * ELEM_BYTES),
		                     alpha);
	/* There may be fewer items than elements in a chunk. */
	#pragma unroll
	for (uint first = 0; first < CHUNK; first += CHUNKS1) {
		const uint i = first + k;

		if (i < head)
			to[i] = scaled(element(line, swizzle, i), alpha);
		if (tail + i < n)
			to[tail + i] = scaled(element(line, swizzle, tail + i), alpha);
	}
}

KERNEL void run(ulong rows, ulong cols, ulong ld_in, ulong ld_out, ulong stride_in,
                ulong stride_out, NUMBER alpha, __global const T *restrict in,
                __global T *restrict out, ulong8 offset)
{
	__local uint4 tile[OUT0 * CHUNKS1];
	const uint item = get_local_id(1) * WG0 + get_local_id(0);
	const uint2 at = tile_of_group();
	const ulong i0 = (ulong)at.y * OUT1, j0 = (ulong)at.x * OUT0;
	const int aligned_in = (ld_in | stride_in | offset.s0) % CHUNK == 0;
	const int aligned_out = (ld_out | stride_out | offset.s1) % CHUNK == 0;

	BATCH(in, out);
	read_tile(tile, in, i0, j0, rows, cols, ld_in, aligned_in);
	barrier(CLK_LOCAL_MEM_FENCE);
	#pragma unroll
	for (uint round = 0; round < WRITES; round++) {
		const uint e = round * ITEMS + item, c = e / CHUNKS1, k = e % CHUNKS1;
		const ulong i = i0 + k * CHUNK, j = j0 + c;

		if (j >= cols)
			continue;
		if (!aligned_out)
			store_shifted(out + j * ld_out + i0, tile + c * CHUNKS1, SWIZZLE(c), k,
			              rows - i0, alpha);
		else if (i < rows)
			store_chunk(out + j * ld_out + i,
			            scaled_chunk(tile[c * CHUNKS1 + (k ^ SWIZZLE(c))], alpha),
			            rows - i, 1);
	}
}
