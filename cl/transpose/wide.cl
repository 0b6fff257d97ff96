/* SPDX-License-Identifier: MIT */
/*
 * wide.cl - for CPUs: square blocks turned in vector registers, and whole cache
 * lines written past the cache.
 *
 * A group is one work-item with a stripe of OUT1 rows and at most OUT0 columns.  Blocks at its
 * edges go through local memory; rows that do not exist are read as the last one, and
 * columns that do not as those before them.
 *
 * What is too large for the caches is written by streaming stores, which are only fast
 * if they are whole aligned lines.  Where output rows all begin as far from one, as in
 * memory from malloc with rows of whole lines, the stripe begins there too; the group goes
 * down strips of four lines' width in steps of STEP rows, and the lines of the next step
 * are fetched meanwhile, four of a row at a time: memory sees longer runs, and where row
 * lengths are near powers of two, caches have room for few rows of a column.
 *
 * Where they begin anywhere, each row's part of the stripe is shifted to the
 * first line that begins there: blocks are turned into local memory, with the rows of
 * one line more than the stripe has.
 */
#if WG0 != 1 || WG1 != 1
#error "one work-item a group"
#endif

#define LINE (64 / ELEM_BYTES) /* elements in a line of the cache */
#define STRIP (4 * LINE)
#define STEP 64
/* For every vector of numbers as many lines are fetched as go through it. */
#define SHARE (VL * BLOCK / LINE)
/* Rows of a stripe that is shifted; of more, lines that are fetched ahead are gone before
 * their turn comes. */
#if OUT1 > 128 && ELEM_BYTES >= 4
#define LOW 128
#else
#define LOW OUT1
#endif
#if OUT1 % STEP || OUT1 % LOW || OUT0 % STRIP
#error "whole steps and strips"
#endif
#define LD (LOW + LINE)
#define AHEAD (3 * LINE)
/* Matrices of so many bytes are streamed.  Smaller ones and their results stay in caches that
 * cores share, for whoever reads them next.  verify_transpose.c knows the number. */
#define LARGE (4 << 20)

typedef uint16 LINE_ANYWHERE __attribute__((aligned(ELEM_BYTES)));

#ifdef __clang__
#define STREAM(v, p) __builtin_nontemporal_store(v, p)
#else
#define STREAM(v, p) (*(p) = (v))
#endif
#ifdef __clang__
/* Else LLVM takes vectors of 64 bytes in halves. */
#define WHOLE_VECTORS __attribute__((min_vector_width(8 * VBYTES)))
#else
#define WHOLE_VECTORS
#endif

/* The nth share of the next step's lines. */
INLINE void fetch(__global const T *next, ulong ld, uint n)
{
	next += n * SHARE / 4 * ld + n * SHARE % 4 * LINE;
	#pragma unroll
	for (uint f = 0; f < SHARE; f++)
		FETCH(next + f / 4 * ld + f % 4 * LINE);
}

/* Fewer columns than a block has. */
INLINE void turn_few(__global const T *in, ulong ld_in, __global T *out, ulong ld_out, uint rows,
                     uint cols, NUMBER alpha)
{
	for (uint j = 0; j < cols; j++)
		for (uint i = 0; i < rows; i++)
			out[j * ld_out + i] = scaled(in[i * ld_in + j], alpha);
}

/* One block straight into the output's rows; where the matrix is large, by streaming. */
INLINE void turn_block(__global const T *in, ulong ld_in, __global T *out, ulong ld_out,
                       NUMBER alpha, __global const T *next, uint n, int large)
{
	V u[BLOCK];

	load(in, ld_in, BLOCK - 1, 0, alpha, u);
	#pragma unroll 1
	for (uint k = 0; k < PACK; k++) {
		if (large)
			fetch(next, ld_in, n * PACK + k);
		turn_numbers(u + k * VL);
		#pragma unroll
		for (uint q = 0; q < VL; q++) {
			__global T *to = out + (q * PACK + k) * ld_out;

			if (large)
				STREAM(u[k * VL + q], (__global V *)to);
			else
				*(__global V_ANYWHERE *)to = u[k * VL + q];
		}
	}
}

/* A block of which `rows` exist, into local memory. */
INLINE void turn_aside(__global const T *in, ulong ld, uint rows, uint ahead, NUMBER alpha,
                       __local T *lines)
{
	V u[BLOCK];

	load(in, ld, rows - 1, ahead, alpha, u);
	#pragma unroll 1
	for (uint k = 0; k < PACK; k++) {
		turn_numbers(u + k * VL);
		#pragma unroll
		for (uint q = 0; q < VL; q++)
			*(__local V *)(lines + (q * PACK + k) * LD) = u[k * VL + q];
	}
}

/* A block at an edge, of which `rows` exist, and columns but the first `back`. */
INLINE void turn_edge(__global const T *in, ulong ld_in, __global T *out, ulong ld_out, uint rows,
                      uint back, NUMBER alpha, __local T *lines)
{
	turn_aside(in - back, ld_in, rows, 0, alpha, lines);
	for (uint q = back; q < BLOCK; q++)
		for (uint i = 0; i < rows; i++)
			out[(q - back) * ld_out + i] = lines[q * LD + i];
}

/* A whole step of a strip. */
INLINE void turn_step(__global const T *in, ulong ld_in, __global T *out, ulong ld_out,
                      NUMBER alpha, __global const T *next, int large)
{
	uint n = 0;

	#pragma unroll 1
	for (uint j = 0; j < STRIP; j += BLOCK)
		#pragma unroll 1
		for (uint i = 0; i < STEP; i += BLOCK, n++)
			turn_block(in + i * ld_in + j, ld_in, out + j * ld_out + i, ld_out, alpha,
			           next, n, large);
}

/* A strip whose vectors may go where they belong.  Where columns do not fill a block, it
 * begins so many before them. */
INLINE void turn_strip(__global const T *in, ulong ld_in, __global T *out, ulong ld_out, uint rows,
                       uint cols, NUMBER alpha, int large, __local T *lines)
{
	uint i = 0;

	for (; cols == STRIP && i + STEP <= rows; i += STEP)
		turn_step(in + i * ld_in, ld_in, out + i, ld_out, alpha,
		          i + STEP < rows ? in + (i + STEP) * ld_in : in + STRIP, large);
	/* At the edges; nothing is fetched but what is here. */
	for (; i < rows; i += BLOCK)
		for (uint j = 0; j < cols; j += BLOCK) {
			__global const T *from = in + i * ld_in + j;
			__global T *to = out + j * ld_out + i;

			if (j + BLOCK <= cols && i + BLOCK <= rows)
				turn_block(from, ld_in, to, ld_out, alpha, from, 0, large);
			else
				turn_edge(from, ld_in, to, ld_out, min((uint)BLOCK, rows - i),
				          max(j + BLOCK, cols) - cols, alpha, lines);
		}
}

/* How far from the beginning of a part of an output row the first line of the cache
 * begins. */
INLINE uint skipped(__global const T *to)
{
	return (uint)(-(ulong)to / ELEM_BYTES) % LINE;
}

/* Line d of each of the rows of the output that are in `lines`, but the first `back`. */
INLINE void write_lines(__local const T *lines, __global T *out, ulong ld_out, uint back, uint d)
{
	#pragma unroll 16
	for (uint q = 0; q < BLOCK; q++) {
		__global T *const to = out + q * ld_out;
		const uint i = skipped(to) + d * LINE;

		if (q >= back) {
			const uint16 line = *(__local const LINE_ANYWHERE *)(lines + q * LD + i);

			STREAM(line, (__global uint16 *)(to + i));
		}
	}
}

/*
 * BLOCK columns of a stripe whose output rows do not begin on lines, of which the first
 * `back` are others'.  Lines go as soon as they are whole: reads and streaming stores
 * take turns, since many stores in a row fill their queue and hold up the reads (a
 * quarter slower).  `rows` exist from the stripe's first on.
 */
INLINE void turn_shifted(__global const T *in, ulong ld_in, __global T *out, ulong ld_out,
                         ulong rows, uint back, int first, NUMBER alpha, __local T *lines)
{
	const uint have = (uint)min((ulong)LD, rows);
	uint i, d = 0;

	for (i = 0; i < have; i += BLOCK) {
		if (i + BLOCK <= have)
			turn_aside(in + i * ld_in, ld_in, BLOCK, AHEAD, alpha, lines + i);
		else
			turn_aside(in + i * ld_in, ld_in, have - i, 0, alpha, lines + i);
		if (!back && (d + 2) * LINE <= i && d < LOW / LINE)
			write_lines(lines, out, ld_out, 0, d++);
	}
	for (; d < LOW / LINE && (d + 2) * LINE <= have; d++)
		write_lines(lines, out, ld_out, back, d);
	/* What is before the first line and behind the last. */
	for (uint q = back; q < BLOCK; q++) {
		__global T *const to = out + q * ld_out;
		const uint skip = skipped(to), end = min(have, skip + LOW);

		for (i = 0; first && i < min(skip, end); i++)
			to[i] = lines[q * LD + i];
		for (i = skip + d * LINE; i < end; i++)
			to[i] = lines[q * LD + i];
	}
}

/* Columns [from, end) of such a stripe. */
INLINE void turn_low(__global const T *in, ulong ld_in, __global T *out, ulong ld_out, ulong rows,
                     ulong from, ulong end, int first, NUMBER alpha, __local T *lines)
{
	ulong j;

	for (j = from; j + BLOCK <= end; j += BLOCK)
		turn_shifted(in + j, ld_in, out + j * ld_out, ld_out, rows, 0, first, alpha, lines);
	if (j < end)
		turn_shifted(in + end - BLOCK, ld_in, out + (end - BLOCK) * ld_out, ld_out, rows,
		             (uint)(j + BLOCK - end), first, alpha, lines);
}

/* Where a stripe of columns begins.  They differ by a strip at most, lest the last ones have a
 * few columns and the threads that get them little to do. */
INLINE ulong begin(ulong cols, ulong stripe)
{
	const ulong strips = (cols + STRIP - 1) / STRIP;

	return min(cols, stripe * strips / get_num_groups(0) * STRIP);
}

KERNEL WHOLE_VECTORS void run(ulong rows, ulong cols, ulong ld_in, ulong ld_out, ulong stride_in,
                              ulong stride_out, NUMBER alpha, __global const T *restrict in,
                              __global T *restrict out)
{
	__local T lines[BLOCK * LD] __attribute__((aligned(64)));
	const uint at = get_group_id(1) * get_num_groups(0) + get_group_id(0);
	const ulong i0 = (ulong)(at % get_num_groups(1)) * OUT1;
	const ulong stripe = at / get_num_groups(1);
	const ulong j0 = begin(cols, stripe), j1 = begin(cols, stripe + 1);
	const int large = rows * cols * ELEM_BYTES >= LARGE;
	int on_lines = BLOCK == LINE && ld_out % LINE == 0; /* else a vector is less than one */
	uint have, skip;

	BATCH(in, out);
	in += i0 * ld_in;
	out += i0;
	rows -= i0;
	skip = (uint)min((ulong)skipped(out), rows);
	on_lines = on_lines && (ulong)(out + skip) % 64 == 0;
	if (large && on_lines) {
		/* All rows begin as far from a line: so does the stripe. */
		if (i0 == 0)
			turn_few(in + j0, ld_in, out + j0 * ld_out, ld_out, skip, (uint)(j1 - j0),
			         alpha);
		in += skip * ld_in;
		out += skip;
		rows -= skip;
	}
	have = (uint)min((ulong)OUT1, rows);
	if (cols < BLOCK)
		turn_few(in + j0, ld_in, out + j0 * ld_out, ld_out, have, (uint)(j1 - j0), alpha);
	else if (!large || on_lines)
		for (ulong j = j0; j < j1; j += STRIP) {
			const uint width = (uint)min((ulong)STRIP, j1 - j);

			/* Two calls: of stores in branches LLVM forgets that they stream. */
			if (large)
				turn_strip(in + j, ld_in, out + j * ld_out, ld_out, have, width,
				           alpha, 1, lines);
			else
				turn_strip(in + j, ld_in, out + j * ld_out, ld_out, have, width,
				           alpha, 0, lines);
		}
	else
		for (uint i = 0; i < have; i += LOW)
			turn_low(in + i * ld_in, ld_in, out + i, ld_out, rows - i, j0, j1,
			         i0 + i == 0, alpha, lines);
}
