/* SPDX-License-Identifier: MIT */
/*
 * int8_wgmma.cl - products of residues (int8.clh) by Hopper's warpgroup instructions.  Persistent
 * groups make tiles of TILE1 x TILE0: two warpgroups 64 rows each, a third one loads.
 */
#define STAGE ((TILE0 + TILE1) * 128)
#if TILE0 != 256 || TILE1 != 128 || CONSUMERS != 256 || FETCHERS != 128 || TK * ELEM_BYTES != 128
#error "two warpgroups and the loads'"
#endif
#define MAP_OF(to, number) \
	asm volatile("{ .reg .u64 t; mov.u64 t, products_param_" number ";\n" \
	             "cvta.param.u64 %0, t; }" \
	             : "=l"(to))
/* Adds 32 terms to the sums; old 0: to 0. */
#define MMA(a, b, old) \
	asm volatile("{ .reg .pred old; setp.ne.u32 old, %2, 0;\n" \
	             "//@wgmma.mma_async.sync.aligned.m64n256k32.s32.s8.s8 {" LIST("x") "," LIST( \
	                     "y") "," LIST("z") "," LIST("w") "}, %0, %1, old;\n}" \
	             : \
	             : "l"(a), "l"(b), "r"(old) \
	             : "memory")
#define DESCRIPTOR(address) \
	((ulong)(address) >> 4 | (ulong)1 << 16 | (ulong)(1024 >> 4) << 32 | (ulong)1 << 62)

/* A sum mod p, or p: x - p floor(x / p). */
#define REDUCED(to, s, i) \
	asm volatile("{ .reg .s32 q; mul.hi.s32 q, " #s #i ", %1; shr.s32 q, q, 6;\n" \
	             "mad.lo.s32 %0, q, %2, " #s #i "; }" \
	             : "=r"(to) \
	             : "r"(over), "r"(minus))
#define WORD(to, s, i, j, k, l) \
	do { \
		uint r0, r1, r2, r3; \
		REDUCED(r0, s, i); \
		REDUCED(r1, s, j); \
		REDUCED(r2, s, k); \
		REDUCED(r3, s, l); \
		to = pack(r0, r1, r2, r3); \
	} while (0)
#define STORE_SUMS(s, at) \
	do { \
		uint4 v; \
		if (part1 >= parts1 || part0 + (at) >= parts0) \
			break; \
		WORD(v.x, s, 0, 1, 2, 3); \
		WORD(v.y, s, 4, 5, 6, 7); \
		WORD(v.z, s, 8, 9, 10, 11); \
		WORD(v.w, s, 12, 13, 14, 15); \
		*(__global uint4 *)(to + (at) * PART_BYTES) = v; \
		WORD(v.x, s, 16, 17, 18, 19); \
		WORD(v.y, s, 20, 21, 22, 23); \
		WORD(v.z, s, 24, 25, 26, 27); \
		WORD(v.w, s, 28, 29, 30, 31); \
		if (part0 + (at) + 1 < parts0) \
			*(__global uint4 *)(to + ((at) + 1) * PART_BYTES) = v; \
	} while (0)

/* The stage before turn's has been read. */
#define FREE_PREVIOUS \
	do { \
		if (item % 32 == 0) \
			barrier_arrive(full + 8 * (STAGES + (turn.s + STAGES - 1) % STAGES)); \
	} while (0)

/* The group's tiles in turn: `l` counts moduli of all matrices, tile.x and tile.y columns and
 * rows. */
#define EACH_TILE \
	for (uint at = (uint)get_group_id(0); at < count * (uint)sizes.s6 * MODULI; \
	     at += (uint)get_num_groups(0)) \
		for (uint l = at / count, once = 1; once; once = 0) \
			for (ulong2 tile = nth_block(at - l * count, tiles0, tiles1); \
			     once && any_in_triangle(tile.y * TILE1, TILE1, tile.x * TILE0, TILE0, \
			                             (long)sizes.s3); \
			     once = 0)

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
products(ulong16 sizes, __global const uchar *a, struct words words_a, __global const uchar *b,
         struct words words_b, __global uchar *made)
{
	const ulong m = sizes.s0, n = sizes.s1;
	__local uchar tiles[STAGES * STAGE] __attribute__((aligned(1024)));
	__local ulong bars[2 * STAGES];
	const uint item = (uint)get_local_id(0), full = LOCAL_ADDRESS(bars);
	const uint tiles0 = (uint)((n + TILE0 - 1) / TILE0);
	const uint tiles1 = (uint)((m + TILE1 - 1) / TILE1);
	const ulong parts0 = (n + 31) / 32, parts1 = (m + 63) / 64;
	const uint count = tiles0 * tiles1, steps = (uint)(sizes.s2 / 128);
	struct turn turn = { 0, item >= CONSUMERS };

	asm volatile(".reg .b32 x<32>, y<32>, z<32>, w<32>;");
	if (item == 0)
		barriers_begin(full, STAGES);
	barrier(CLK_LOCAL_MEM_FENCE);
	if (item >= CONSUMERS) {
		struct source from_a = { .wide = TILE1, .by_k = 1 };
		struct source from_b = { .wide = TILE0, .by_k = 1, .away = 1 };

		REGISTERS_FETCH;
		if (item > CONSUMERS)
			return;
		MAP_OF(from_a.map, "1");
		MAP_OF(from_b.map, "3");
		EACH_TILE {
			/* Lines of a matrix's moduli follow each other. */
			from_a.first = (sizes.s4 > 1 ? l : l % MODULI) * m + tile.y * TILE1;
			from_b.first = (sizes.s5 > 1 ? l : l % MODULI) * n + tile.x * TILE0;
			for (uint step = 0; step < steps; step++)
				turn = load_stage(&from_a, &from_b, LOCAL_ADDRESS(tiles), full,
				                  STAGES, step * 32, turn);
		}
		return;
	}
	REGISTERS_COMPUTE;
	EACH_TILE {
		const ulong tile_a = DESCRIPTOR(LOCAL_ADDRESS(tiles) + item / 128 * 8192);
		const ulong tile_b = DESCRIPTOR(LOCAL_ADDRESS(tiles) + TILE1 * 128);
		const uint over = (uint)OVER[l % MODULI], minus = -MODULUS[l % MODULI];
		const ulong part0 = tile.x * (TILE0 / 32), part1 = tile.y * 2 + item / 128;
		__global uchar *to = made + sizes.s8 + item % 128 * 16 +
		                     ((l * parts1 + part1) * parts0 + part0) * PART_BYTES;

		for (uint step = 0; step < steps; step++) {
			const ulong from_a = tile_a + turn.s * (STAGE / 16);
			const ulong from_b = tile_b + turn.s * (STAGE / 16);

			barrier_wait(full + 8 * turn.s, turn.phase);
			WGMMA_FENCE;
			MMA(from_a, from_b, step);
			MMA(from_a + 2, from_b + 2, 1);
			MMA(from_a + 4, from_b + 4, 1);
			MMA(from_a + 6, from_b + 6, 1);
			WGMMA_COMMIT;
			if (step) { /* the previous step has ended */
				WGMMA_WAIT(1);
				FREE_PREVIOUS;
			}
			turn = next_turn(turn, STAGES);
		}
		WGMMA_WAIT(0);
		FREE_PREVIOUS;
		STORE_SUMS(x, 0);
		STORE_SUMS(y, 2);
		STORE_SUMS(z, 4);
		STORE_SUMS(w, 6);
	}
}
