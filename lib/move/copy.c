/* SPDX-License-Identifier: MIT */
/*
 * copy.c - copies rows by one command, between host memory and a buffer or between buffers; and
 * within host memory.
 */
#include <stdint.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "move.h"

/* Most bytes of a command for rows with gaps, since some drivers count in 32 bits (NVIDIA's fill of
 * 2 GiB hangs: pyopencl's issue 395). */
#define MOST_RECTANGLE ((size_t)1 << 30)

static cl_int copy_rectangle(cl_command_queue q, const struct transfer *t, size_t first,
                             size_t rows, cl_bool blocking, struct waits wait, cl_event *event)
{
	const size_t offset = t->offset_bytes + first * t->pitch_bytes, x = offset % t->pitch_bytes;
	/* Drivers expect origins within a row, and some may count others in 32 bits.  But a part of
	 * the caller's buffer may begin so that its rows end in the next row. */
	const int within = x + t->row_bytes <= t->pitch_bytes;
	const size_t at[3] = { within ? x : offset, within ? offset / t->pitch_bytes : 0, 0 };
	const size_t zero[3] = { 0, 0, 0 }, region[3] = { t->row_bytes, rows, 1 };
	char *const host = t->host + first * t->host_pitch_bytes;
	const cl_event *list = wait.count ? wait.list : NULL;

	return t->down ? clEnqueueReadBufferRect(q, t->mem, blocking, at, zero, region,
	                                         t->pitch_bytes, 0, t->host_pitch_bytes, 0, host,
	                                         wait.count, list, event) :
	                 clEnqueueWriteBufferRect(q, t->mem, blocking, at, zero, region,
	                                          t->pitch_bytes, 0, t->host_pitch_bytes, 0, host,
	                                          wait.count, list, event);
}

cl_int clopt__copy(cl_command_queue q, const struct transfer *t, cl_bool blocking,
                   struct waits wait, cl_event *event, const char **call)
{
	const cl_event *list = wait.count ? wait.list : NULL;
	const int linear = t->rows == 1 ||
	                   (t->pitch_bytes == t->row_bytes && t->host_pitch_bytes == t->row_bytes);
	const size_t most = clopt__larger(MOST_RECTANGLE / t->row_bytes, 1);
	cl_int code = CL_SUCCESS;
	size_t first;

	if (linear && t->down) {
		*call = "clEnqueueReadBuffer";
		return clEnqueueReadBuffer(q, t->mem, blocking, t->offset_bytes,
		                           t->rows * t->row_bytes, t->host, wait.count, list,
		                           event);
	}
	if (linear) {
		*call = "clEnqueueWriteBuffer";
		return clEnqueueWriteBuffer(q, t->mem, blocking, t->offset_bytes,
		                            t->rows * t->row_bytes, t->host, wait.count, list,
		                            event);
	}
	*call = t->down ? "clEnqueueReadBufferRect" : "clEnqueueWriteBufferRect";
	/* The queue is in order, so the last command's event stands for all.  Each command waits,
	 * since a queue continues after a command whose wait has failed. */
	for (first = 0; first < t->rows && code == CL_SUCCESS; first += most) {
		const size_t rows = clopt__smaller(t->rows - first, most);
		const int last = first + rows == t->rows;

		code = copy_rectangle(q, t, first, rows, last ? blocking : CL_FALSE, wait,
		                      last ? event : NULL);
	}
	return code;
}

#ifdef __SSE2__
#define LINE 64 /* bytes of a cache line */
#define end_stream _mm_sfence

/* Copy whole lines by streaming stores, which do not read a line before they write it. */
static void stream_row(char *to, const char *from, size_t bytes)
{
	const size_t head = clopt__smaller(-(uintptr_t)to % LINE, bytes);
	size_t i, k;

	memcpy(to, from, head);
	for (i = head; i + LINE <= bytes; i += LINE)
		for (k = i; k < i + LINE; k += sizeof(__m128i))
			_mm_stream_si128(
			        (__m128i *)(void *)(to + k),
			        _mm_loadu_si128((const __m128i *)(const void *)(from + k)));
	memcpy(to + i, from + i, bytes - i);
}
#else
#define stream_row memcpy
#define end_stream() (void)0
#endif

void clopt__copy_memory(char *to, size_t to_pitch, const char *from, size_t from_pitch, size_t rows,
                        size_t row_bytes, int stream)
{
	if (rows > 1 && to_pitch == row_bytes && from_pitch == row_bytes) {
		row_bytes *= rows;
		rows = 1;
	}
	for (; rows--; to += to_pitch, from += from_pitch)
		if (stream)
			stream_row(to, from, row_bytes);
		else
			memcpy(to, from, row_bytes);
	if (stream)
		end_stream(); /* before another thread learns that the rows are copied */
}

size_t clopt__transfer_span(const struct transfer *t)
{
	return (t->rows - 1) * t->host_pitch_bytes + t->row_bytes;
}

int clopt__copy_rows(struct clopt *ctx, cl_command_queue q, struct rows from, struct rows to,
                     size_t rows, size_t row_bytes, struct waits wait, cl_event *event)
{
	/* Rows without gaps are copied as one. */
	const int whole = from.pitch_bytes == row_bytes && to.pitch_bytes == row_bytes;
	/* Drivers expect origins within a row. */
	const size_t at[3] = { from.offset_bytes % from.pitch_bytes,
		               from.offset_bytes / from.pitch_bytes, 0 };
	const size_t put[3] = { to.offset_bytes % to.pitch_bytes, to.offset_bytes / to.pitch_bytes,
		                0 };
	const size_t region[3] = { row_bytes, rows, 1 };
	const cl_event *list = wait.count ? wait.list : NULL;

	if (rows == 1 || whole)
		return clopt__code(ctx,
		                   clEnqueueCopyBuffer(q, from.mem, to.mem, from.offset_bytes,
		                                       to.offset_bytes, rows * row_bytes,
		                                       wait.count, list, event),
		                   "clEnqueueCopyBuffer");
	return clopt__code(ctx,
	                   clEnqueueCopyBufferRect(q, from.mem, to.mem, at, put, region,
	                                           from.pitch_bytes, 0, to.pitch_bytes, 0,
	                                           wait.count, list, event),
	                   "clEnqueueCopyBufferRect");
}
