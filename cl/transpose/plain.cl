/* SPDX-License-Identifier: MIT */
/*
 * plain.cl - one work-item, one element.  Runs anywhere; its arguments are those of
 * all transpose kernels.  Its writes are a row apart and so do not coalesce.
 */
KERNEL void run(ulong rows, ulong cols, ulong ld_in, ulong ld_out, ulong stride_in,
                ulong stride_out, NUMBER alpha, __global const T *restrict in,
                __global T *restrict out)
{
	const ulong i = get_global_id(1), j = get_global_id(0);

	BATCH(in, out);
	if (i < rows && j < cols)
		out[j * ld_out + i] = scaled(in[i * ld_in + j], alpha);
}
