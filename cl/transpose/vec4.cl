/* SPDX-License-Identifier: MIT */
/*
 * vec4.cl - square tiles through local memory, sixteen bytes an access on both
 * sides where rows are aligned and whole, else element by element.
 */
#define PER (16 / ELEM_BYTES) /* elements in sixteen bytes */
#define ITEMS (WG0 * WG1)
#define UNITS (OUT0 / PER) /* in a row of a tile */
#define ROUNDS (UNITS * OUT1 / ITEMS) /* units an item moves each way */
#if OUT0 != OUT1 || ROUNDS * ITEMS * PER != OUT0 * OUT1
#error "square tiles of 16-byte units that divide among the work-items"
#endif

typedef union {
	uint4 all;
	T one[PER];
} UNIT;

KERNEL void run(ulong rows, ulong cols, ulong ld_in, ulong ld_out, __global const T *restrict in,
                __global T *restrict out)
{
	__local T tile[OUT1][OUT0 + 1];
	const uint item = get_local_id(1) * WG0 + get_local_id(0);
	UNIT u;

	#pragma unroll
	for (uint round = 0; round < ROUNDS; round++) {
		const uint e = round * ITEMS + item, r = e / UNITS, q = e % UNITS * PER;
		const ulong i = GROUP1 + r, j = GROUP0 + q;

		if (i >= rows)
			continue;
		if (ld_in % PER == 0 && j + PER <= cols) {
			u.all = *(__global const uint4 *)(in + i * ld_in + j);
			#pragma unroll
			for (uint s = 0; s < PER; s++)
				tile[r][q + s] = u.one[s];
		} else {
			for (uint s = 0; s < PER && j + s < cols; s++)
				tile[r][q + s] = in[i * ld_in + j + s];
		}
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	#pragma unroll
	for (uint round = 0; round < ROUNDS; round++) {
		const uint e = round * ITEMS + item, r = e / UNITS, q = e % UNITS * PER;
		const ulong i = GROUP0 + r, j = GROUP1 + q;

		if (i >= cols)
			continue;
		if (ld_out % PER == 0 && j + PER <= rows) {
			#pragma unroll
			for (uint s = 0; s < PER; s++)
				u.one[s] = tile[q + s][r];
			*(__global uint4 *)(out + i * ld_out + j) = u.all;
		} else {
			for (uint s = 0; s < PER && j + s < rows; s++)
				out[i * ld_out + j + s] = tile[q + s][r];
		}
	}
}
