/* SPDX-License-Identifier: MIT */
/*
 * wide.cl - for CPUs: square blocks transposed in vector registers, and whole cache lines written
 * past the cache.
 *
 * A group is one work-item with a stripe of OUT1 rows and at most OUT0 columns.  Blocks at its
 * edges go through local memory: the last row replaces missing rows, and a block that lacks columns
 * begins further left.
 *
 * Matrices too large for the caches are written by streaming stores, which are fast only for whole
 * aligned lines.  If all output rows begin at the same distance from a line, the stripe also begins
 * at a line: for example in memory from malloc with rows of whole lines.  The group walks down
 * strips of four lines' width in steps of STEP rows.  It prefetches the lines of the next step,
 * four of a row at a time: memory sees longer runs, and where row lengths are near powers of two,
 * caches have room for few rows of a column.
 *
 * With PANEL, for vectors of half a line, whole panels are transposed into local memory.  This
 * needs output rows that begin on lines.  Rows of the input (of elements smaller than four bytes:
 * of input or output) must be multiples of CLASH apart, so that their lines share few sets of a
 * cache.  Then long parts of input rows are read, which the processor prefetches.  Up to eight
 * lines of each output row are written together, since single ones wait for each other.  At other
 * distances most panels are a tenth to a fifth slower.
 *
 * Where output rows begin anywhere, each row's part of the stripe is shifted to the first line that
 * begins in it.  Blocks are transposed into local memory, with enough rows after the stripe to fill
 * one more line.  SIDES blocks are neighbours there.  Two, of half a line each, read whole lines of
 * input rows, which a cache cannot keep until the next block.
 */
#if WG0 != 1 || WG1 != 1
#error "one work-item a group"
#endif

#define LINE (64 / ELEM_BYTES) /* elements in a cache line */
#define STRIP (4 * LINE)
#define STEP 64
/* Rounds of packed vectors to unroll.  Bytes have more vectors than registers, so that these are in
 * memory anyway. */
#define AT_ONCE (PACK <= 2 ? PACK : 1)
/* Lines to prefetch for each vector, so that prefetching keeps up with the transpose. */
#define LINES_PER_VECTOR (VL * BLOCK / LINE)
/* Rows of a shifted stripe.  With more, prefetched lines are evicted before they are read. */
#if OUT1 > 128 && ELEM_BYTES >= 4
#define SHIFTED_ROWS 128
#else
#define SHIFTED_ROWS OUT1
#endif
#if OUT1 % STEP || OUT1 % SHIFTED_ROWS || OUT0 % STRIP
#error "a stripe must be whole steps and strips"
#endif
#define LINES_LD (SHIFTED_ROWS + LINE)
#ifndef SIDES
#define SIDES 1
#endif
#define WIDTH (SIDES * BLOCK)
#ifdef PANEL
/* Columns of a panel: at most 1 KiB of an input row, so that this panel and the next fit into a
 * cache of 512 KiB. */
#define PANEL_COLUMNS (ELEM_BYTES < 4 ? 512 / ELEM_BYTES : 1024 / ELEM_BYTES)
#define PANEL_ROWS (OUT1 < 8 * LINE ? OUT1 : 8 * LINE)
#define PANEL_LD (PANEL_ROWS + LINE) /* an odd number of lines */
#define LOCAL_ELEMENTS (PANEL_COLUMNS * PANEL_LD)
#define CLASH 2048 /* bytes */
#else
#define LOCAL_ELEMENTS (WIDTH * LINES_LD)
#endif
#define AHEAD (3 * LINE)
/* Matrices of at least LARGE bytes are streamed.  Smaller results stay in the shared cache for
 * their next reader. lib/verify/transpose.c has the same number. */
#define LARGE (4 << 20)

typedef uint16 LINE_UNALIGNED __attribute__((aligned(ELEM_BYTES)));

#ifdef __clang__
#define STREAM(v, p) __builtin_nontemporal_store(v, p)
#else
#define STREAM(v, p) (*(p) = (v))
#endif
#ifdef __clang__
/* Without this attribute LLVM splits vectors of 64 bytes into halves. */
#define WHOLE_VECTORS __attribute__((min_vector_width(8 * VBYTES)))
#else
#define WHOLE_VECTORS
#endif

/* Prefetches the n-th part of the next step's lines.  Where rows begin between lines, it prefetches
 * the lines of their ends: the first line was the last one of the previous strip. */
INLINE void fetch(__global const T *next, ulong ld, uint n)
{
	next += n * LINES_PER_VECTOR / 4 * ld + n * LINES_PER_VECTOR % 4 * LINE + LINE - 1;
	#pragma unroll
	for (uint f = 0; f < LINES_PER_VECTOR; f++)
		FETCH(next + f / 4 * ld + f % 4 * LINE);
}

/* Transposes element by element, for fewer rows or columns than a block has. */
INLINE void transpose_narrow(__global const T *in, ulong ld_in, __global T *out, ulong ld_out,
                             uint rows, uint cols, NUMBER alpha)
{
	for (uint j = 0; j < cols; j++)
		for (uint i = 0; i < rows; i++)
			out[j * ld_out + i] = scaled(in[i * ld_in + j], alpha);
}

/* Transposes a block directly to the output's rows. large: by streaming stores. */
INLINE void transpose_block(__global const T *in, ulong ld_in, __global T *out, ulong ld_out,
                            NUMBER alpha, __global const T *next, uint n, int large)
{
	V u[BLOCK];

	load_block(in, ld_in, BLOCK - 1, 0, alpha, u);
	#pragma unroll AT_ONCE
	for (uint k = 0; k < PACK; k++) {
		if (large)
			fetch(next, ld_in, n * PACK + k);
		transpose_vectors(u + k * VL);
		#pragma unroll
		for (uint q = 0; q < VL; q++) {
			__global T *to = out + (q * PACK + k) * ld_out;

			if (large)
				STREAM(u[k * VL + q], (__global V *)to);
			else
				*(__global V_UNALIGNED *)to = u[k * VL + q];
		}
	}
}

/* Transposes a block to local memory.  `rows` rows of it exist. */
INLINE void transpose_to_local(__global const T *in, ulong ld, uint rows, uint ahead, NUMBER alpha,
                               __local T *lines, uint ld_lines)
{
	V u[BLOCK];

	load_block(in, ld, rows - 1, ahead, alpha, u);
	#pragma unroll AT_ONCE
	for (uint k = 0; k < PACK; k++) {
		transpose_vectors(u + k * VL);
		#pragma unroll
		for (uint q = 0; q < VL; q++)
			*(__local V *)(lines + (q * PACK + k) * ld_lines) = u[k * VL + q];
	}
}

/* Transposes a block at an edge.  `rows` rows of it exist; its first `overlap` columns belong to
 * other blocks. */
INLINE void transpose_edge(__global const T *in, ulong ld_in, __global T *out, ulong ld_out,
                           uint rows, uint overlap, NUMBER alpha, __local T *lines)
{
	transpose_to_local(in - overlap, ld_in, rows, 0, alpha, lines, LINES_LD);
	for (uint q = overlap; q < BLOCK; q++)
		for (uint i = 0; i < rows; i++)
			out[(q - overlap) * ld_out + i] = lines[q * LINES_LD + i];
}

/* Transposes a whole step of a strip. */
INLINE void transpose_step(__global const T *in, ulong ld_in, __global T *out, ulong ld_out,
                           NUMBER alpha, __global const T *next, int large)
{
	uint n = 0;

	#pragma unroll 1
	for (uint j = 0; j < STRIP; j += BLOCK)
		#pragma unroll 1
		for (uint i = 0; i < STEP; i += BLOCK, n++)
			transpose_block(in + i * ld_in + j, ld_in, out + j * ld_out + i, ld_out,
			                alpha, next, n, large);
}

/* Whether loads of a block wait for stores of the previous block on processors that compare only
 * the last twelve bits of their addresses. 1025 x 1025 elements of two bytes in two arrays of whole
 * pages are an example: element (i, j) is read and written 2048 (i - j) bytes apart, so every other
 * row has the same bits. */
INLINE int loads_wait(__global const T *in, ulong ld_in, __global const T *out, ulong ld_out)
{
	const ulong between = (ulong)in - (ulong)out;

	return ((ld_in - 1) * ELEM_BYTES | (ld_out - 1) * ELEM_BYTES | between) % 2048 == 0;
}

/* Transposes a strip whose loads would wait, in another order: the next block is two blocks further
 * down, where addresses differ.  `rows` is a multiple of two blocks. */
INLINE void transpose_apart(__global const T *in, ulong ld_in, __global T *out, ulong ld_out,
                            uint rows, NUMBER alpha)
{
	#pragma unroll 1
	for (uint j = 0; j < STRIP; j += BLOCK)
		#pragma unroll 1
		for (uint first = 0; first < 2 * BLOCK; first += BLOCK)
			#pragma unroll 1
			for (uint i = first; i < rows; i += 2 * BLOCK)
				transpose_block(in + i * ld_in + j, ld_in, out + j * ld_out + i,
				                ld_out, alpha, in, 0, 0);
}

/* Transposes a strip directly.  A block that lacks columns begins further left. */
INLINE void transpose_strip(__global const T *in, ulong ld_in, __global T *out, ulong ld_out,
                            uint rows, uint cols, NUMBER alpha, int large, int wait,
                            __local T *lines)
{
	uint i = 0;

	if (wait && cols == STRIP) {
		i = rows / (2 * BLOCK) * (2 * BLOCK);
		transpose_apart(in, ld_in, out, ld_out, i, alpha);
	}
	for (; !wait && cols == STRIP && i + STEP <= rows; i += STEP)
		transpose_step(in + i * ld_in, ld_in, out + i, ld_out, alpha,
		               i + STEP < rows ? in + (i + STEP) * ld_in : in + STRIP, large);
	/* The edges.  Their prefetches are of lines that are being read. */
	for (; i < rows; i += BLOCK)
		for (uint j = 0; j < cols; j += BLOCK) {
			__global const T *from = in + i * ld_in + j;
			__global T *to = out + j * ld_out + i;

			if (j + BLOCK <= cols && i + BLOCK <= rows)
				transpose_block(from, ld_in, to, ld_out, alpha, from, 0, large);
			else
				transpose_edge(from, ld_in, to, ld_out, min((uint)BLOCK, rows - i),
				               max(j + BLOCK, cols) - cols, alpha, lines);
		}
}

/* Elements of an output row's part before the first cache line in it. */
INLINE uint before_line(__global const T *to)
{
	return (uint)(-(ulong)to / ELEM_BYTES) % LINE;
}

/* Streams line d of each output row in `lines`, except of the first `overlap` rows. */
INLINE void stream_lines(__local const T *lines, __global T *out, ulong ld_out, uint overlap,
                         uint d)
{
	#pragma unroll 16
	for (uint q = 0; q < WIDTH; q++) {
		__global T *const to = out + q * ld_out;
		const uint i = before_line(to) + d * LINE;

		if (q >= overlap) {
			const uint16 line =
			        *(__local const LINE_UNALIGNED *)(lines + q * LINES_LD + i);

			STREAM(line, (__global uint16 *)(to + i));
		}
	}
}

/*
 * Transposes WIDTH columns of a stripe whose output rows do not begin on lines.  The first
 * `overlap` columns belong to other blocks.  Lines are streamed as soon as they are whole, so that
 * reads and streaming stores alternate: many stores in a row fill their queue and delay the reads
 * (a quarter slower).  `rows` counts the rows from the stripe's first one to the matrix's end.
 */
INLINE void transpose_shifted(__global const T *in, ulong ld_in, __global T *out, ulong ld_out,
                              ulong rows, uint overlap, int first, NUMBER alpha, __local T *lines)
{
	const uint height = (uint)min((ulong)LINES_LD, rows);
	uint i, d = 0;

	for (i = 0; i < height; i += BLOCK) {
		#pragma unroll 1
		for (uint j = 0; j < WIDTH; j += BLOCK) {
			__global const T *from = in + i * ld_in + j;
			__local T *to = lines + j * LINES_LD + i;

			if (i + BLOCK <= height)
				transpose_to_local(from, ld_in, BLOCK, AHEAD, alpha, to, LINES_LD);
			else
				transpose_to_local(from, ld_in, height - i, 0, alpha, to, LINES_LD);
		}
		if (!overlap && (d + 2) * LINE <= i && d < SHIFTED_ROWS / LINE)
			stream_lines(lines, out, ld_out, 0, d++);
	}
	for (; d < SHIFTED_ROWS / LINE && (d + 2) * LINE <= height; d++)
		stream_lines(lines, out, ld_out, overlap, d);
	/* The elements before the first line and after the last. */
	for (uint q = overlap; q < WIDTH; q++) {
		__global T *const to = out + q * ld_out;
		const uint skip = before_line(to), end = min(height, skip + SHIFTED_ROWS);

		for (i = 0; first && i < min(skip, end); i++)
			to[i] = lines[q * LINES_LD + i];
		for (i = skip + d * LINE; i < end; i++)
			to[i] = lines[q * LINES_LD + i];
	}
}

/* Transposes columns [from, end) of such a stripe. */
INLINE void transpose_shifted_rows(__global const T *in, ulong ld_in, __global T *out, ulong ld_out,
                                   ulong rows, ulong from, ulong end, int first, NUMBER alpha,
                                   __local T *lines)
{
	ulong j;

	for (j = from; j + WIDTH <= end; j += WIDTH)
		transpose_shifted(in + j, ld_in, out + j * ld_out, ld_out, rows, 0, first, alpha,
		                  lines);
	if (j < end)
		transpose_shifted(in + end - WIDTH, ld_in, out + (end - WIDTH) * ld_out, ld_out,
		                  rows, (uint)(j + WIDTH - end), first, alpha, lines);
}

#ifdef PANEL
/* Whether rows are so far apart that panels are faster. */
INLINE int rows_clash(ulong ld_in, ulong ld_out)
{
	const ulong in = ld_in * ELEM_BYTES % CLASH, out = ld_out * ELEM_BYTES % CLASH;

	return (ELEM_BYTES < 4 ? min(in, out) : in) == 0;
}

/* Streams an output row's lines and fetches as many lines of the next panel, from line n on. */
INLINE void stream_row(__local const T *lines, __global T *out, uint whole, __global const T *next,
                       ulong ld, uint n)
{
	for (uint i = 0; i < whole; i += LINE, n++) {
		const V left = *(__local const V *)(lines + i);
		const V right = *(__local const V *)(lines + i + LINE / 2);

		FETCH(next + n / (PANEL_COLUMNS / LINE) * ld + n % (PANEL_COLUMNS / LINE) * LINE +
		      LINE - 1);
		STREAM(left, (__global V *)(out + i));
		STREAM(right, (__global V *)(out + i + LINE / 2));
	}
}

/* Transposes a panel whose output rows begin on lines.  Its first `overlap` columns belong to
 * another panel. */
INLINE void transpose_panel(__global const T *in, ulong ld_in, __global T *out, ulong ld_out,
                            uint rows, uint cols, uint overlap, NUMBER alpha,
                            __global const T *next, __local T *lines)
{
	const uint whole = rows / LINE * LINE;

	for (uint i = 0; i < rows; i += BLOCK)
		for (uint j = 0; j < cols; j += BLOCK) {
			const uint at = min(j, cols - BLOCK);
			__global const T *from = in + i * ld_in + at;
			__local T *to = lines + at * PANEL_LD + i;

			if (i + BLOCK <= rows)
				transpose_to_local(from, ld_in, BLOCK, 0, alpha, to, PANEL_LD);
			else
				transpose_to_local(from, ld_in, rows - i, 0, alpha, to, PANEL_LD);
		}
	for (uint q = overlap; q < cols; q++) {
		stream_row(lines + q * PANEL_LD, out + q * ld_out, whole, next, ld_in,
		           q * (PANEL_ROWS / LINE));
		for (uint i = whole; i < rows; i++)
			out[q * ld_out + i] = lines[q * PANEL_LD + i];
	}
}

/* Transposes columns [j0, j1) of a stripe by panels.  The matrix has at least a block of
 * columns. */
INLINE void transpose_panels(__global const T *in, ulong ld_in, __global T *out, ulong ld_out,
                             uint rows, ulong j0, ulong j1, NUMBER alpha, __local T *lines)
{
	for (uint i = 0; i < rows; i += PANEL_ROWS)
		for (ulong j = j0; j < j1; j += PANEL_COLUMNS) {
			const uint width = (uint)min((ulong)PANEL_COLUMNS, j1 - j);
			const uint overlap = max(width, (uint)BLOCK) - width;
			__global const T *from = in + i * ld_in + j - overlap;
			__global const T *next = j + PANEL_COLUMNS < j1 ?
			                                 from + PANEL_COLUMNS :
			                                 in + (i + PANEL_ROWS) * ld_in + j0;

			transpose_panel(from, ld_in, out + (j - overlap) * ld_out + i, ld_out,
			                min((uint)PANEL_ROWS, rows - i), width + overlap, overlap,
			                alpha, next, lines);
		}
}
#endif

/* First column of a stripe.  Widths differ by at most one strip; otherwise the last stripe could
 * have few columns and its thread little to do. */
INLINE ulong stripe_begin(ulong cols, ulong stripe)
{
	const ulong strips = (cols + STRIP - 1) / STRIP;

	return min(cols, stripe * strips / get_num_groups(0) * STRIP);
}

KERNEL WHOLE_VECTORS void run(ulong rows, ulong cols, ulong ld_in, ulong ld_out, ulong stride_in,
                              ulong stride_out, NUMBER alpha, __global const T *restrict in,
                              __global T *restrict out, ulong8 offset)
{
	__local T lines[LOCAL_ELEMENTS] __attribute__((aligned(64)));
	const uint at = get_group_id(1) * get_num_groups(0) + get_group_id(0);
	const ulong i0 = (ulong)(at % get_num_groups(1)) * OUT1;
	const ulong stripe = at / get_num_groups(1);
	const ulong j0 = stripe_begin(cols, stripe), j1 = stripe_begin(cols, stripe + 1);
	const int large = rows * cols * ELEM_BYTES >= LARGE;
	int line_aligned = BLOCK == LINE && ld_out % LINE == 0; /* a vector is a line */
	uint height, skip;
	int wait;

	BATCH(in, out);
	wait = loads_wait(in, ld_in, out, ld_out);
#ifdef PANEL
	line_aligned = ld_out % LINE == 0 && cols >= BLOCK && rows_clash(ld_in, ld_out);
#endif
	in += i0 * ld_in;
	out += i0;
	rows -= i0;
	skip = (uint)min((ulong)before_line(out), rows);
	line_aligned = line_aligned && (ulong)(out + skip) % 64 == 0;
	if (large && line_aligned) {
		/* All rows begin at the same distance from a line: begin the stripe at lines. */
		if (i0 == 0)
			transpose_narrow(in + j0, ld_in, out + j0 * ld_out, ld_out, skip,
			                 (uint)(j1 - j0), alpha);
		in += skip * ld_in;
		out += skip;
		rows -= skip;
	}
	height = (uint)min((ulong)OUT1, rows);
#ifdef PANEL
	if (large && line_aligned) {
		transpose_panels(in, ld_in, out, ld_out, height, j0, j1, alpha, lines);
		return;
	}
#endif
	if (cols < WIDTH)
		transpose_narrow(in + j0, ld_in, out + j0 * ld_out, ld_out, height, (uint)(j1 - j0),
		                 alpha);
	else if (!large || line_aligned)
		for (ulong j = j0; j < j1; j += STRIP) {
			const uint width = (uint)min((ulong)STRIP, j1 - j);

			/* Three calls, since LLVM loses the streaming hint of stores in branches.
			 * Other matrices take 3 % longer if a strip tests whether its loads
			 * wait. */
			if (large)
				transpose_strip(in + j, ld_in, out + j * ld_out, ld_out, height,
				                width, alpha, 1, 0, lines);
			else if (wait)
				transpose_strip(in + j, ld_in, out + j * ld_out, ld_out, height,
				                width, alpha, 0, 1, lines);
			else
				transpose_strip(in + j, ld_in, out + j * ld_out, ld_out, height,
				                width, alpha, 0, 0, lines);
		}
	else
		for (uint i = 0; i < height; i += SHIFTED_ROWS)
			transpose_shifted_rows(in + i * ld_in, ld_in, out + i, ld_out, rows - i, j0,
			                       j1, i0 + i == 0, alpha, lines);
}
