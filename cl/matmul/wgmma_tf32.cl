/* SPDX-License-Identifier: MIT */
/*
 * wgmma_tf32.cl - products of floats as tf32 by Hopper's warpgroup instructions.
 *
 * The instructions read tf32 numbers from local memory only in lines along k.  One operand, P,
 * comes from registers, so that its lines may run either way: 64 lines for each of two warpgroups
 * (of four warps).  P is op(B), so that C's transpose is computed.  If both operands are
 * transposed, P is op(A) (.flips of the row).  The other operand is Q.  If both operands' lines run
 * across k, Q is transposed while it is fetched (tma.clh), and the tensor cores truncate it.
 * Otherwise all numbers are rounded.
 *
 * Rounding a NaN may give infinity, and a large number may round up to infinity.  Then the sum is
 * not finite, and is computed again in float32 (tensor.clh).  Of several parts of k (common.clh)
 * these are the part where it happens and the later ones.
 */
#define FLIPPED (TA && TB)
#if FLIPPED
#define WIDE_Q OUT0
#else
#define WIDE_Q OUT1
#endif
#if TK != 32 || CONSUMERS != 256 || OUT0 + OUT1 - WIDE_Q != 128
#error "two warpgroups of 64 lines"
#endif
#define P_BY_K (TB && !TA)
#define Q_TURNED (TA && !TB)
#define STAGE ((OUT0 + OUT1) * 128)
#define P_AT (FLIPPED ? 0 : OUT1 * 128)
#define Q_AT (FLIPPED ? OUT1 * 128 : 0)
/* f(name of 32 sums, Q's line of the first of them) for all of an item's sums. */
#if WIDE_Q == 256
#define SHAPE "m64n256k8.f32.tf32.tf32 {" LIST("x") "," LIST("y") "," LIST("z") "," LIST("w") "}, "
#define EACH(f) f(x, 0); f(y, 64); f(z, 128); f(w, 192)
#elif WIDE_Q == 128
#define SHAPE "m64n128k8.f32.tf32.tf32 {" LIST("x") "," LIST("y") "}, "
#define EACH(f) f(x, 0); f(y, 64)
#elif WIDE_Q == 64
#define SHAPE "m64n64k8.f32.tf32.tf32 {" LIST("x") "}, "
#define EACH(f) f(x, 0)
#else
#error "64, 128 or 256 lines of Q"
#endif
/* Distance from a sum to that of the next column. */
#if !P_BY_K
#define NEXT_COLUMN (FLIPPED ? 1 : 2)
#endif

/* Fetchers that are a warpgroup leave registers to the consumers. 384 work-items start with 168
 * registers each, and setmaxnreg only moves these: a sum over 3 * 168 hangs the device. */
#if FETCHERS == 128
#define REGISTERS_FETCH asm volatile("//@setmaxnreg.dec.sync.aligned.u32 88;" ::: "memory")
#define REGISTERS_COMPUTE asm volatile("//@setmaxnreg.inc.sync.aligned.u32 208;" ::: "memory")
#else
#define REGISTERS_FETCH
#define REGISTERS_COMPUTE
#endif

/* Four registers of a step's P for eight of its terms.  START begins a step with P in the registers
 * s: h for even steps, l for odd ones. */
#define FOUR(s, i, j, k, l) "{" #s #i "," #s #j "," #s #k "," #s #l "}, "
#define MMA(four, at) "//@wgmma.mma_async.sync.aligned." SHAPE four at ", old, 1, 1;\n"
#define START(s, at) \
	do { \
		WGMMA_FENCE; \
		asm volatile("{ .reg .pred old; setp.ne.u32 old, 1, 0;\n" \
		             MMA(FOUR(s, 0, 1, 2, 3), "%0") MMA(FOUR(s, 4, 5, 6, 7), "%1") \
		             MMA(FOUR(s, 8, 9, 10, 11), "%2") MMA(FOUR(s, 12, 13, 14, 15), "%3") "}" \
		             : \
		             : "l"(at), "l"((at) + 2), "l"((at) + 4), "l"((at) + 6) \
		             : "memory"); \
		WGMMA_COMMIT; \
	} while (0)
#define SET(s, i, v) asm volatile("mov.b32 " #s #i ", %0;" : : "f"(v))
#define SET4(s, i, j, k, l, v) \
	SET(s, i, (v).x); SET(s, j, (v).y); SET(s, k, (v).z); SET(s, l, (v).w)

/*
 * An instruction takes four numbers of P from an item: terms t and t + 4 of two lines.  The lines
 * are 8 apart where they run along k, otherwise neighbours.  There a warp permutes its lines, so
 * that items read different banks.
 */
static inline uint chunk_of_item(void)
{
	const uint item = (uint)get_local_id(0), g = item % 32 / 4;

	return item / 32 % 2 * 2 + g / 4 + g / 2 % 2 * 4;
}

static inline uint first_line(void)
{
	const uint item = (uint)get_local_id(0), g = item % 32 / 4;

	return P_BY_K ? item / 32 * 16 + g : item / 64 * 32 + chunk_of_item() * 4 + g % 2 * 2;
}

static inline float2 local_pair(uint at)
{
	float2 v;

	asm volatile("ld.shared.v2.f32 {%0, %1}, [%2];"
	             : "=f"(v.x), "=f"(v.y)
	             : "r"(at)
	             : "memory");
	return v;
}

static inline float local_one(uint at)
{
	float v;

	asm volatile("ld.shared.f32 %0, [%1];" : "=f"(v) : "r"(at) : "memory");
	return v;
}

/* Loads P's numbers for eight terms of a step. part: which terms; tile: P's tile. */
static inline float4 fragment(uint tile, uint part)
{
	const uint item = (uint)get_local_id(0), t = item % 4;
#if P_BY_K
	const uint line = item / 32 * 16 + item % 32 / 4;
	const uint near = tile + line * 128 + (2 * part ^ line % 8) * 16 + t * 4;
	const uint far = tile + line * 128 + ((2 * part + 1) ^ line % 8) * 16 + t * 4;

	return (float4)(local_one(near), local_one(near + 1024), local_one(far),
	                local_one(far + 1024));
#else
	const uint box = tile + item / 64 * 4096 + part * 1024 + item % 32 / 4 % 2 * 8;
	const float2 near = local_pair(box + t * 128 + (chunk_of_item() ^ t) * 16);
	const float2 far = local_pair(box + (t + 4) * 128 + (chunk_of_item() ^ (t + 4)) * 16);

	return (float4)(near, far);
#endif
}

/* The position in C of the e-th of 32 sums relative to the first of them. */
static inline uint p_of_sum(uint e)
{
	return e / 2 % 2 * (P_BY_K ? 8 : 1);
}

static inline uint q_of_sum(uint e)
{
	return e / 4 * 8 + e % 2;
}

static inline uint row_of_sum(uint e)
{
	return FLIPPED ? p_of_sum(e) : q_of_sum(e);
}

static inline uint column_of_sum(uint e)
{
	return FLIPPED ? q_of_sum(e) : p_of_sum(e);
}

/* The position of an item's first sum of the 32 that begin at Q's line. */
#define FIRST_ROW(line) (i0 + (FLIPPED ? first_line() : (line) + lane % 4 * 2))
#define FIRST_COLUMN(line) (j0 + (FLIPPED ? (line) + lane % 4 * 2 : first_line()))

KERNEL void run(ulong m, ulong n, ulong k, ulong lda, ulong ldb, ulong ldc, ulong stride_a,
                ulong stride_b, ulong stride_c, long lower, REAL alpha, REAL beta,
                __global ELEM *restrict c, ulong8 offset, MAPPED(a, b))
{
	__local uchar tiles[STAGES * STAGE] __attribute__((aligned(1024)));
	__local ulong bars[2 * STAGES];
	const uint item = (uint)get_local_id(0), lane = item % 32;
	const uint full = LOCAL_ADDRESS(bars), empty = full + 8 * STAGES;
	const ulong i0 = first_row(), j0 = first_column();
	/* An even number: tiles beyond the edges are zeros. */
	const ulong steps = (k + 2 * TK - 1) / (2 * TK) * 2;
	ulong map_a = 0, map_b = 0;
	float sum[RESULTS];
	uint s = 0, phase = 0;

	if (!any_in_triangle(i0, OUT1, j0, OUT0, lower))
		return;
	BATCH(a, b, c);
	asm volatile(".reg .f32 x<32>, y<32>, z<32>, w<32>; .reg .b32 h<16>, l<16>;");
	if (words_a.word[0]) {
		MAP_ADDRESS(map_a, MAP_A);
		MAP_ADDRESS(map_b, MAP_B);
	}
	if (item == 0)
		barriers_begin(full, map_a != 0, Q_TURNED);
	barrier(CLK_LOCAL_MEM_FENCE);
	if (item >= CONSUMERS) {
		const struct source from_a = source_a(a, m, k, lda, i0, stride_a, offset.s0,
		                                      Q_TURNED, map_a);
		const struct source from_b = source_b(b, n, k, ldb, j0, stride_b, offset.s1, map_b);

		REGISTERS_FETCH;
		fetch_all(&from_a, &from_b, LOCAL_ADDRESS(tiles), full, steps * TK);
		return;
	}
	REGISTERS_COMPUTE;
#if IN_PARTS
#define BEGIN(s, line) \
	do { \
		begin_sums(sum, FIRST_ROW(line), FIRST_COLUMN(line), m, n, ldc, \
		           (offset.s7 & SUM_GOES_ON) != 0, c); \
		EACH32(SET_SUM, s, sum); \
	} while (0)
#else
#define BEGIN(s, line) EACH32(CLEAR, s, 0)
#endif
	EACH(BEGIN);

/* One step: reads P's numbers while the previous step is computed. */
#define STEP(r, later) \
	do { \
		const uint tile = LOCAL_ADDRESS(tiles) + s * STAGE; \
		const ulong at = (tile + Q_AT) >> 4 | (ulong)1 << 16 | (ulong)(1024 >> 4) << 32 | \
		                 (ulong)1 << 62; \
		float4 v[4]; \
\
		barrier_wait(full + 8 * s, phase); \
		if (Q_TURNED) /* copied through another proxy than the tensor cores' */ \
			PROXY_FENCE; \
		_Pragma("unroll") for (uint p = 0; p < 4; p++) v[p] = fragment(tile + P_AT, p); \
		SET4(r, 0, 1, 2, 3, v[0]); \
		SET4(r, 4, 5, 6, 7, v[1]); \
		SET4(r, 8, 9, 10, 11, v[2]); \
		SET4(r, 12, 13, 14, 15, v[3]); \
		START(r, at); \
		WGMMA_WAIT(1); \
		PROXY_WARP; \
		if (lane == 0 && (later)) \
			barrier_arrive(empty + 8 * (s ? s - 1 : STAGES - 1)); \
		if (++s == STAGES) { \
			s = 0; \
			phase ^= 1; \
		} \
	} while (0)
	for (ulong step = 0; step < steps; step += 2) {
		STEP(h, step);
		STEP(l, 1);
	}
	WGMMA_WAIT(0);
#define STORE(s, line) \
	do { \
		EACH32(READ, s, sum); \
		store_sums(sum, FIRST_ROW(line), FIRST_COLUMN(line), 0, k, m, n, lda, ldb, ldc, \
		           lower, alpha, beta, a, b, c); \
	} while (0)
	EACH(STORE);
}
