/* SPDX-License-Identifier: MIT */
/*
 * int8_mma.cl - products of residues (int8.clh), or of int8 (int8_sums.clh), by mma.sync, which
 * Ampere, Ada and later GPUs have.  A group makes a tile of TILE1 x TILE0: eight warps 64 x 64 each,
 * from STAGES buffers that cp.async fills.
 *
 * A buffer has 64 terms of each line.  The order of a line's four chunks of 16 bytes depends on the
 * line, so that a warp reads eight lines from different banks.
 */
#define TERMS 64
#define STAGE ((TILE0 + TILE1) * TERMS)
#if TILE0 != 256 || TILE1 != 128 || ITEMS != 256
#error "eight warps of 64 x 64"
#endif

/* Chunk `chunk` of a line in a buffer. */
static inline uint place_of(uint line, uint chunk)
{
	return line * TERMS + ((chunk ^ (line / 2 & 3)) << 4);
}

/* Starts a copy of 16 bytes; `bytes` 0: of zeros. */
static inline void copy_chunk(uint to, __global const uchar *from, uint bytes)
{
	asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
	             :
	             : "r"(to), "l"(from), "r"(bytes)
	             : "memory");
}

/* Four 8 x 16 blocks of bytes; an item gives the address of a line of one. */
static inline void load_blocks(uint *v, uint at)
{
	asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
	             : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])
	             : "r"(at)
	             : "memory");
}

/* sum += a b for 16 x 8 elements and 32 terms. */
#define MMA(sum, a, b) \
	asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, " \
	             "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" \
	             : "+r"((sum)[0]), "+r"((sum)[1]), "+r"((sum)[2]), "+r"((sum)[3]) \
	             : "r"((a)[0]), "r"((a)[1]), "r"((a)[2]), "r"((a)[3]), "r"((b)[0]), \
	               "r"((b)[1]))

/* Starts the item's copies for a step: a chunk of each 64th line. */
#define FETCH(step) \
	do { \
		_Pragma("unroll") for (uint y_ = 0; y_ < TILE1 + TILE0; y_ += 64) { \
			const int is_a_ = y_ < TILE1; \
			const ulong line_ = line + (is_a_ ? y_ : y_ - TILE1); \
			const int there_ = (step) < steps && line_ < (is_a_ ? m - t.i0 : n - t.j0); \
\
			copy_chunk(to + (step) % STAGES * STAGE + y_ * TERMS, \
			           (is_a_ ? a : b) + (there_ ? line_ * k + (step) * TERMS : 0), \
			           there_ ? 16 : 0); \
		} \
		COPIES_END(); \
	} while (0)

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
products(ulong16 sizes, __global const uchar *a, struct words words_a, __global const uchar *b,
         struct words words_b, __global uchar *made)
{
	const ulong m = sizes.s0, n = sizes.s1, k = sizes.s2;
	const uint steps = (uint)(k / TERMS);
	const uint item = (uint)get_local_id(0), lane = item % 32;
	const uint wm = item / 128, wn = item / 32 % 4; /* the warp's 64 rows and columns */
	const struct tile t = tile_of_group(&sizes);
	__local uchar tiles[STAGES * STAGE] __attribute__((aligned(128)));
	const uint base = LOCAL_ADDRESS(tiles);
	/* The chunk that the item copies of each 64th line. */
	const uint line = item / 4, to = base + place_of(line, item % 4);
	/* The line and chunk that it gives for the first blocks of A and B. */
	const uint of_a = wm * 64 + lane % 16, of_b = wn * 64 + lane / 16 * 8 + lane % 8;
	uint sum[4][8][4] = { 0 };

	if (!any_in_triangle(t.i0, TILE1, t.j0, TILE0, (long)sizes.s3))
		return;
	a += t.from_a + item % 4 * 16;
	b += t.from_b + item % 4 * 16;
	for (uint i = 0; i < STAGES - 1; i++)
		FETCH(i);
	for (uint step = 0; step < steps; step++) {
		const uint at = base + step % STAGES * STAGE;

		COPIES_WAIT(STAGES - 2);
		barrier(CLK_LOCAL_MEM_FENCE);
		FETCH(step + STAGES - 1);
		#pragma unroll
		for (uint c = 0; c < TERMS / 16; c += 2) {
			uint v[4][4], w[4][4];

			#pragma unroll
			for (uint i = 0; i < 4; i++)
				load_blocks(v[i], at + place_of(of_a + i * 16, c + lane / 16));
			#pragma unroll
			for (uint j = 0; j < 4; j++)
				load_blocks(w[j], at + TILE1 * TERMS +
				                          place_of(of_b + j * 16, c + lane / 8 % 2));
			#pragma unroll
			for (uint i = 0; i < 4; i++)
				#pragma unroll
				for (uint j = 0; j < 8; j++)
					MMA(sum[i][j], v[i], w[j / 2] + j % 2 * 2);
		}
	}
	#pragma unroll
	for (uint j = 0; j < 8; j++) {
		const ulong row = t.i0 + wm * 64, column = t.j0 + wn * 64 + j * 8;
		__global uchar *part = made + sizes.s8 + part_at(m, n, t.l, row, column);

		#pragma unroll
		for (uint i = 0; i < 4; i++)
			if (row < m && column / 32 * 32 < n)
				store_four(sum[i][j], part, i * 32 + lane, j % 4, t.modulus);
	}
}
