/* SPDX-License-Identifier: MIT */
/*
 * wide.cl - for CPUs: square blocks turned in vector registers, and whole cache
 * lines written past the cache.
 *
 * A group is one work-item with OUT1 rows and OUT0 columns.  It goes down strips of four
 * lines' width in steps of STEP rows, block after block; the lines of the next step are
 * fetched meanwhile, four of a row at a time.  So memory sees longer runs, and few lines
 * are waiting at a time: where row lengths are near powers of two, a cache has room for
 * few lines of a column.
 *
 * What is too large for the caches is written by streaming stores, which are only fast
 * if they are whole aligned lines.  Where an output row does not begin on a line, blocks
 * are turned into local memory, and lines go from there, those of one column of blocks
 * while the next is turned: many stores in a row fill their queue and hold up the reads,
 * and a line that lies across two vectors must wait until both have left the queue.
 */
#if WG0 != 1 || WG1 != 1
#error "one work-item a group"
#endif

#define LINE (64 / ELEM_BYTES) /* elements in a line of the cache */
#define STRIP (4 * LINE)
#define STEP 64
/* Lines of a row in a step.  Each row in local memory has one more before them: what
 * the step before has left. */
#define LINES (STEP / LINE)
#define LD (LINE + STEP)
#if OUT1 % STEP || OUT0 % STRIP
#error "whole steps and strips"
#endif
/* For every vector of numbers as many lines are fetched, and written, as go through it. */
#define SHARE (VL * BLOCK / LINE)
/* Matrices of so many bytes are streamed: half of a core's cache, about. */
#define LARGE (1 << 20)

#ifdef __clang__
#define STREAM(v, p) __builtin_nontemporal_store(v, p)
#else
#define STREAM(v, p) (*(p) = (v))
#endif
/* Into the second-level cache; of the first-level one, rows share too few sets. */
#if defined __clang__ && (defined __x86_64__ || defined __aarch64__)
#define FETCH(p) __builtin_prefetch((const void *)(ulong)(p), 0, 2)
#else
#define FETCH(p)
#endif
#ifdef __clang__
/* Else LLVM takes vectors of 64 bytes in halves. */
#define WHOLE_VECTORS __attribute__((min_vector_width(8 * VBYTES)))
#else
#define WHOLE_VECTORS
#endif

/* The nth share of the next step's lines, if there is a next. */
INLINE void fetch(__global const T *next, ulong ld, uint n)
{
	if (!next)
		return;
#pragma unroll
	for (uint f = n * SHARE; f < (n + 1) * SHARE; f++)
		FETCH(next + f / 4 * ld + f % 4 * LINE);
}

INLINE __global const T *next_step(__global const T *in, ulong ld, uint i, uint rows)
{
	return i + STEP < rows ? in + (i + STEP) * ld : in + STRIP;
}

/* Fewer columns than a block has. */
INLINE void turn_few(__global const T *in, ulong ld_in, __global T *out, ulong ld_out, uint rows,
                     uint cols, NUMBER alpha)
{
	for (uint j = 0; j < cols; j++)
		for (uint i = 0; i < rows; i++)
			out[j * ld_out + i] = scaled(in[i * ld_in + j], alpha);
}

/* One block straight into the output's rows. */
INLINE void turn_block(__global const T *in, ulong ld_in, __global T *out, ulong ld_out,
                       NUMBER alpha, __global const T *next, uint n, int stream)
{
	V u[BLOCK];

	load(in, ld_in, BLOCK - 1, alpha, u);
#pragma unroll 1
	for (uint k = 0; k < PACK; k++) {
		fetch(next, ld_in, n * PACK + k);
		turn_numbers(u + k * VL);
#pragma unroll
		for (uint q = 0; q < VL; q++) {
			__global T *to = out + (q * PACK + k) * ld_out;

			if (stream)
				STREAM(u[k * VL + q], (__global V *)to);
			else
				*(__global V_ANYWHERE *)to = u[k * VL + q];
		}
	}
}

/* How far from the beginning of a part of an output row the first line of the cache
 * begins. */
INLINE uint skipped(__global const T *to)
{
	return (uint)(-(ulong)to / ELEM_BYTES) % LINE;
}

/* A column of blocks of this step: in local memory BLOCK rows of the output, where
 * `out` is the step's first element; the first `back` of them are others'. */
struct column {
	__local T *lines;
	__global T *out;
	uint back;
	int first, top; /* step of the stripe, of the matrix */
};

INLINE void write_line(__local const T *from, __global T *to)
{
#pragma unroll
	for (uint v = 0; v < LINE; v += BLOCK)
		STREAM(*(__local const V_ANYWHERE *)(from + v), (__global V *)(to + v));
}

/* The nth share of its lines; the first line of a row begins in the step before. */
INLINE void write_share(const struct column *c, ulong ld, uint n)
{
#pragma unroll
	for (uint l = n * SHARE; l < (n + 1) * SHARE; l++) {
		const uint q = l / LINES, d = l % LINES;
		__global T *const to = c->out + q * ld;
		const uint i = skipped(to) + d * LINE;

		if (q >= c->back && (d > 0 || !c->first))
			write_line(c->lines + q * LD + i, to + i - LINE);
	}
}

/* All lines are written: what is left of the rows waits for the next step. */
INLINE void finish(const struct column *c, ulong ld)
{
	for (uint q = 0; q < BLOCK; q++) {
		__local T *const row = c->lines + q * LD;
		__global T *const to = c->out + q * ld;

		for (uint i = 0; c->top && q >= c->back && i < skipped(to); i++)
			to[i] = row[LINE + i];
#pragma unroll
		for (uint v = 0; v < LINE; v += BLOCK)
			*(__local V *)(row + v) = *(__local const V *)(row + STEP + v);
	}
}

/* The last step of a stripe: `rows` and those of the next stripe that complete lines. */
INLINE void write_rest(const struct column *c, ulong ld, uint rows, uint most)
{
	for (uint q = c->back; q < BLOCK; q++) {
		__local const T *const row = c->lines + q * LD;
		__global T *const to = c->out + q * ld - LINE;
		const uint skip = skipped(to), end = LINE + min(rows, most + skip);
		uint i = c->first ? LINE : 0;

		for (uint e = i + skip; i < min(e, end); i++)
			if (c->top)
				to[i] = row[i];
		for (; i + LINE <= end; i += LINE)
			write_line(row + i, to + i);
		for (; i < end; i++)
			to[i] = row[i];
	}
}

INLINE void write_column(struct column *c, ulong ld)
{
	for (uint n = 0; n < BLOCK * LINES / SHARE; n++)
		write_share(c, ld, n);
	finish(c, ld);
	c->lines = 0;
}

/* A block of which `rows` exist, into local memory, and meanwhile the nth shares of what is
 * to be fetched and of the lines of another column, if there is one. */
INLINE void turn_aside(__global const T *in, ulong ld_in, uint rows, NUMBER alpha, __local T *lines,
                       __global const T *next, const struct column *done, ulong ld_out, uint n)
{
	V u[BLOCK];

	load(in, ld_in, rows - 1, alpha, u);
#pragma unroll 1
	for (uint k = 0; k < PACK; k++) {
		fetch(next, ld_in, n * PACK + k);
		turn_numbers(u + k * VL);
#pragma unroll
		for (uint q = 0; q < VL; q++)
			*(__local V *)(lines + (q * PACK + k) * LD) = u[k * VL + q];
		if (done->lines)
			write_share(done, ld_out, (n * PACK + k) % (BLOCK * LINES / SHARE));
	}
}

/* A strip whose vectors may go where they belong; blocks at its edges go element by
 * element.  Where columns do not fill a block, it begins so many before them. */
INLINE void turn_strip(__global const T *in, ulong ld_in, __global T *out, ulong ld_out, uint rows,
                       uint cols, NUMBER alpha, int large, __local T *lines)
{
	struct column none;

	none.lines = 0;
	for (uint i = 0; i < rows; i += STEP) {
		__global const T *next = large ? next_step(in, ld_in, i, rows) : 0;
		const uint end = min(i + STEP, rows);
		uint n = 0;

		for (uint j = 0; j < cols; j += BLOCK)
			for (uint b = i; b < end; b += BLOCK, n++) {
				const uint back = j + BLOCK > cols ? j + BLOCK - cols : 0;
				__global const T *from = in + b * ld_in + j - back;
				__global T *to = out + (j - (ulong)back) * ld_out + b;

				if (!back && b + BLOCK <= end) {
					turn_block(from, ld_in, to, ld_out, alpha, next, n, large);
					continue;
				}
				turn_aside(from, ld_in, min((uint)BLOCK, end - b), alpha, lines, 0,
				           &none, ld_out, 0);
				for (uint q = back; q < BLOCK; q++)
					for (uint r = 0; r < min((uint)BLOCK, end - b); r++)
						to[q * ld_out + r] = lines[q * LD + r];
			}
	}
}

/* The columns of blocks from j on, at a step's row i. */
INLINE void column_at(struct column *c, uint i, uint j, uint cols, __global T *out, ulong ld,
                      int top, __local T *lines)
{
	c->back = j + BLOCK > cols ? j + BLOCK - cols : 0;
	c->lines = lines + j * LD;
	c->out = out + (j - (ulong)c->back) * ld + i;
	c->first = i == 0;
	c->top = c->first && top;
}

/* The same for a strip whose output rows do not begin on lines.  Of the `rows` a
 * line's worth may be the next stripe's; `top`: the matrix begins here. */
INLINE void turn_shifted(__global const T *in, ulong ld_in, __global T *out, ulong ld_out,
                         uint rows, uint cols, int top, NUMBER alpha, __local T *lines)
{
	struct column now, done;
	uint i;

	done.lines = 0;
	for (i = 0; i + STEP <= rows; i += STEP) {
		__global const T *next = next_step(in, ld_in, i, rows);
		uint n = 0;

		for (uint j = 0; j < cols; j += BLOCK) {
			column_at(&now, i, j, cols, out, ld_out, top, lines);
			for (uint b = 0; b < STEP; b += BLOCK, n++)
				turn_aside(in + (i + b) * ld_in + j - now.back, ld_in, BLOCK, alpha,
				           now.lines + LINE + b, next, &done, ld_out, n);
			if (done.lines)
				finish(&done, ld_out);
			done = now;
			/* The next step's column is the same. */
			if (cols <= BLOCK)
				write_column(&done, ld_out);
		}
	}
	if (done.lines)
		write_column(&done, ld_out);
	for (uint j = 0; j < cols; j += BLOCK) {
		column_at(&now, i, j, cols, out, ld_out, top, lines);
		for (uint b = i; b < rows; b += BLOCK)
			turn_aside(in + b * ld_in + j - now.back, ld_in, min((uint)BLOCK, rows - b),
			           alpha, now.lines + LINE + b - i, 0, &done, ld_out, 0);
		write_rest(&now, ld_out, rows - i, OUT1 - i);
	}
}

KERNEL WHOLE_VECTORS void run(ulong rows, ulong cols, ulong ld_in, ulong ld_out, ulong stride_in,
                              ulong stride_out, NUMBER alpha, __global const T *restrict in,
                              __global T *restrict out)
{
	__local T lines[STRIP * LD] __attribute__((aligned(64)));
	const uint at = get_group_id(1) * get_num_groups(0) + get_group_id(0);
	const ulong i0 = (ulong)(at % get_num_groups(1)) * OUT1;
	const ulong j0 = (ulong)(at / get_num_groups(1)) * OUT0, j1 = min(cols, j0 + OUT0);
	const int large = rows * cols * ELEM_BYTES >= LARGE;
	int on_lines;

	BATCH(in, out);
	in += i0 * ld_in;
	out += i0;
	rows -= i0;
	on_lines = (ulong)out % 64 == 0 && ld_out % LINE == 0;
	for (ulong j = j0; j < j1; j += STRIP) {
		const uint width = (uint)min((ulong)STRIP, j1 - j);

		if (cols < BLOCK)
			turn_few(in, ld_in, out, ld_out, (uint)min((ulong)OUT1, rows), width,
			         alpha);
		else if (!large || on_lines)
			turn_strip(in + j, ld_in, out + j * ld_out, ld_out,
			           (uint)min((ulong)OUT1, rows), width, alpha, large, lines);
		else
			turn_shifted(in + j, ld_in, out + j * ld_out, ld_out,
			             (uint)min((ulong)(OUT1 + LINE), rows), width, i0 == 0, alpha,
			             lines);
	}
}
