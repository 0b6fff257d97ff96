/* SPDX-License-Identifier: MIT */
/*
 * plain.cl - one work-item per element.  Runs anywhere.  All transpose kernels have its arguments.
 * Neighbours write a row apart, so that writes do not coalesce.
 */
KERNEL void run(ulong rows, ulong cols, ulong ld_in, ulong ld_out, ulong stride_in,
                ulong stride_out, NUMBER alpha, __global const T *restrict in,
                __global T *restrict out, ulong8 offset)
{
	const ulong i = get_global_id(1), j = get_global_id(0);

	BATCH(in, out);
	if (i < rows && j < cols)
		out[j * ld_out + i] = scaled(in[i * ld_in + j], alpha);
}
