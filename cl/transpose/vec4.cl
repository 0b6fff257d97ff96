/* SPDX-License-Identifier: MIT */
/*
 * vec4.cl - tiles through local memory, sixteen bytes (a unit) an access to global
 * memory on both sides.
 *
 * The tile is kept transposed: a line of it is a column of the input, and a unit
 * of a line is what one access writes.  Elements smaller than four bytes are
 * packed first: FOLD rows of a column make a word, so that no bank is asked for
 * less.  Eight neighbours read 128 bytes of a row, the next eight the next row's,
 * and unit k of line c lies at k ^ (c / PER % 8): then neither the words on their way
 * into the tile nor the units on their way out meet on a bank.
 *
 * Groups walk over the matrix in bands of BAND tile rows, down before right, so that
 * what runs at one time reads and writes long pieces of rows.  PTX: accesses tell the
 * caches that nobody comes back, which is 5 % for floats on an H200 and costs as much
 * for other elements.
 */
#define PER (16 / ELEM_BYTES) /* elements in a unit */
#if ELEM_BYTES < 4
#define FOLD (4 / ELEM_BYTES)
#else
#define FOLD 1
#endif
#define WORDS (PER / FOLD) /* in a unit */
#define ITEMS (WG0 * WG1)
#define UNITS0 (OUT0 / PER) /* in a row of the input's tile */
#define UNITS1 (OUT1 / PER) /* in a row of the output's */
#define READS (UNITS0 * OUT1 / FOLD / ITEMS) /* what an item reads, in FOLD units */
#define WRITES (UNITS1 * OUT0 / ITEMS)
#if UNITS0 % 8 || UNITS1 % 8 || READS * ITEMS * FOLD * PER != OUT0 * OUT1 || \
        WRITES * ITEMS * PER != OUT0 * OUT1
#error "tiles of whole lines of 128 bytes that divide among the work-items"
#endif

#if ELEM_BYTES == 8
typedef ulong WORD;
#elif ELEM_BYTES == 16
typedef uint4 WORD;
#else
typedef uint WORD;
#endif

typedef union {
	uint4 all;
	WORD word[WORDS];
	T one[PER];
} UNIT;

static inline uint4 load_unit(__global const uint4 *from)
{
#ifdef PTX
	uint4 u;

	__asm volatile("ld.global.cs.v4.u32 {%0, %1, %2, %3}, [%4];"
	               : "=r"(u.x), "=r"(u.y), "=r"(u.z), "=r"(u.w)
	               : "l"(from));
	return u;
#else
	return *from;
#endif
}

static inline void store_unit(__global uint4 *to, uint4 u)
{
#ifdef PTX
	__asm volatile("st.global.cs.v4.u32 [%0], {%1, %2, %3, %4};"
	               :
	               : "l"(to), "r"(u.x), "r"(u.y), "r"(u.z), "r"(u.w)
	               : "memory");
#else
	*to = u;
#endif
}

/* `there` elements of the unit exist; the rest is not touched. */
static inline uint4 get(__global const T *from, ulong there, int aligned)
{
	UNIT u;

	if (aligned && there >= PER)
		return load_unit((__global const uint4 *)from);
	u.all = 0;
	#pragma unroll
	for (uint s = 0; s < PER; s++)
		if (s < there)
			u.one[s] = from[s];
	return u.all;
}

static inline void put(__global T *to, uint4 unit, ulong there, int aligned)
{
	UNIT u;

	if (aligned && there >= PER) {
		store_unit((__global uint4 *)to, unit);
		return;
	}
	u.all = unit;
	#pragma unroll
	for (uint s = 0; s < PER; s++)
		if (s < there)
			to[s] = u.one[s];
}

/*
 * The packed words of a unit's columns: column s is component s / FOLD of unit
 * s % FOLD.  With bytes, first pairs of rows are interleaved, then pairs of pairs.
 */
static inline void fold(UNIT *u)
{
#if FOLD == 2
	const uint4 a = u[0].all, b = u[1].all;

	u[0].all = (a & 0xffff) | b << 16;
	u[1].all = a >> 16 | (b & 0xffff0000);
#elif FOLD == 4
	const uint4 a = u[0].all, b = u[1].all, c = u[2].all, d = u[3].all;
	const uint4 even0 = (a & 0x00ff00ff) | (b & 0x00ff00ff) << 8;
	const uint4 odd0 = (a >> 8 & 0x00ff00ff) | (b & 0xff00ff00);
	const uint4 even1 = (c & 0x00ff00ff) | (d & 0x00ff00ff) << 8;
	const uint4 odd1 = (c >> 8 & 0x00ff00ff) | (d & 0xff00ff00);

	u[0].all = (even0 & 0xffff) | even1 << 16;
	u[1].all = (odd0 & 0xffff) | odd1 << 16;
	u[2].all = even0 >> 16 | (even1 & 0xffff0000);
	u[3].all = odd0 >> 16 | (odd1 & 0xffff0000);
#endif
}

/* The tile of this group, in tiles. */
static inline uint2 place(void)
{
	const uint across = get_num_groups(0), down = get_num_groups(1);
	const uint at = get_group_id(1) * across + get_group_id(0);
	const uint first = at / (across * BAND) * BAND; /* row of tiles */
	const uint high = min((uint)BAND, down - first), in = at - first * across;

	return (uint2)(in / high, first + in % high);
}

KERNEL void run(ulong rows, ulong cols, ulong ld_in, ulong ld_out, ulong stride_in,
                ulong stride_out, NUMBER alpha, __global const T *restrict in,
                __global T *restrict out)
{
	__local uint4 tile[OUT0 * UNITS1];
	__local WORD *const words = (__local WORD *)tile;
	const uint item = get_local_id(1) * WG0 + get_local_id(0);
	const uint2 at = place();
	const ulong i0 = (ulong)at.y * OUT1, j0 = (ulong)at.x * OUT0;
	const int even_in = (ld_in | stride_in) % PER == 0;
	const int even_out = (ld_out | stride_out) % PER == 0;

	BATCH(in, out);
	#pragma unroll
	for (uint round = 0; round < READS; round++) {
		const uint e = round * ITEMS + item;
		const uint q = e % 8 + e / 32 % (UNITS0 / 8) * 8; /* the unit in its row */
		const uint w = e / 8 % 4 + e / (4 * UNITS0) * 4; /* the word in its line */
		const ulong i = i0 + w * FOLD, j = j0 + q * PER;
		UNIT u[FOLD];

		#pragma unroll
		for (uint f = 0; f < FOLD; f++)
			u[f].all = i + f < rows && j < cols ?
			                   get(in + (i + f) * ld_in + j, cols - j, even_in) :
			                   (uint4)0;
		fold(u);
		#pragma unroll
		for (uint s = 0; s < PER; s++) {
			const uint c = q * PER + s, k = w / WORDS ^ q % 8;

			words[(c * UNITS1 + k) * WORDS + w % WORDS] = u[s % FOLD].word[s / FOLD];
		}
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	#pragma unroll
	for (uint round = 0; round < WRITES; round++) {
		const uint e = round * ITEMS + item, c = e / UNITS1, k = e % UNITS1;
		const ulong i = i0 + k * PER, j = j0 + c;

		if (i < rows && j < cols)
			put(out + j * ld_out + i,
			    scaled_unit(tile[c * UNITS1 + (k ^ c / PER % 8)], alpha), rows - i,
			    even_out);
	}
}
