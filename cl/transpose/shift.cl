/* SPDX-License-Identifier: MIT */
/*
 * shift.cl - tiles in units of sixteen bytes (unit.clh), from rows and to rows that begin
 * anywhere: sizes, leading dimensions or strides that are no multiple of a unit.
 *
 * All accesses are to aligned units.  One that is wanted from elsewhere is made of the
 * two that it lies in, both read; a line of the tile is shifted so that it leaves in
 * units of the output, and what is before the first and behind the last of them one by
 * one.
 */
#if ELEM_BYTES > 2
#error "larger elements are as well moved one by one: tile.cl"
#endif

/* Sixteen bytes of a and b, one after the other, from byte `at` of a on. */
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

/* Both units that `from` lies in are read, and have to be the array's: the first one is, since
 * that begins at a unit. */
static inline uint4 get(__global const T *from, ulong there, int even, int more)
{
	if (even && there >= PER)
		return *(__global const uint4 *)from;
	if (there >= PER && (more || there >= 2 * PER))
		return load_shifted(from);
	return load_some(from, there);
}

/* Element i of a line of the tile. */
static inline T element(__local const uint4 *line, uint turn, uint i)
{
	return ((__local const T *)&line[i / PER ^ turn])[i % PER];
}

/*
 * The k-th of UNITS1 items writes its part of a line: of `head` elements before the
 * output's first whole unit, of those units, and of the fewer than PER behind them.
 */
static inline void put_shifted(__global T *to, __local const uint4 *line, uint turn, uint k,
                               ulong there, NUMBER alpha)
{
	const uint n = (uint)min(there, (ulong)OUT1);
	const uint before = (16 - (uint)((ulong)to & 15)) % 16 / ELEM_BYTES;
	const uint head = min(before, n), units = (n - head) / PER, tail = head + units * PER;

	if (k < units)
		*(__global uint4 *)(to + head + k * PER) =
		        scaled_unit(shifted(line[k ^ turn], line[(k + (head != 0)) ^ turn],
		                            head * ELEM_BYTES),
		                    alpha);
	/* There may be fewer items than elements in a unit. */
	#pragma unroll
	for (uint first = 0; first < PER; first += UNITS1) {
		const uint i = first + k;

		if (i < head)
			to[i] = scaled(element(line, turn, i), alpha);
		if (tail + i < n)
			to[tail + i] = scaled(element(line, turn, tail + i), alpha);
	}
}

KERNEL void run(ulong rows, ulong cols, ulong ld_in, ulong ld_out, ulong stride_in,
                ulong stride_out, NUMBER alpha, __global const T *restrict in,
                __global T *restrict out)
{
	__local uint4 tile[OUT0 * UNITS1];
	const uint item = get_local_id(1) * WG0 + get_local_id(0);
	const uint2 at = place();
	const ulong i0 = (ulong)at.y * OUT1, j0 = (ulong)at.x * OUT0;
	const int even_in = (ld_in | stride_in) % PER == 0;
	const int even_out = (ld_out | stride_out) % PER == 0;

	BATCH(in, out);
	read_tile(tile, in, i0, j0, rows, cols, ld_in, even_in);
	barrier(CLK_LOCAL_MEM_FENCE);
	#pragma unroll
	for (uint round = 0; round < WRITES; round++) {
		const uint e = round * ITEMS + item, c = e / UNITS1, k = e % UNITS1;
		const ulong i = i0 + k * PER, j = j0 + c;

		if (j >= cols)
			continue;
		if (!even_out)
			put_shifted(out + j * ld_out + i0, tile + c * UNITS1, TURN(c), k, rows - i0,
			            alpha);
		else if (i < rows)
			put(out + j * ld_out + i, scaled_unit(tile[c * UNITS1 + (k ^ TURN(c))], alpha),
			    rows - i, 1);
	}
}
