/* SPDX-License-Identifier: MIT */
/*
 * copy.c - rows from place to place by one command: between host memory and a buffer, and between
 * buffers.
 */
#include "move.h"

cl_int clopt__copy(cl_command_queue q, const struct transfer *t, cl_bool blocking, struct wait wait,
                   cl_event *event, const char **call)
{
	const size_t at[3] = { t->offset_bytes, 0, 0 }, zero[3] = { 0, 0, 0 };
	const size_t region[3] = { t->row_bytes, t->rows, 1 };
	const cl_event *list = wait.count ? wait.list : NULL;
	const int linear = t->rows == 1 ||
	                   (t->pitch_bytes == t->row_bytes && t->host_pitch_bytes == t->row_bytes);

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
	if (t->down) {
		*call = "clEnqueueReadBufferRect";
		return clEnqueueReadBufferRect(q, t->mem, blocking, at, zero, region,
		                               t->pitch_bytes, 0, t->host_pitch_bytes, 0, t->host,
		                               wait.count, list, event);
	}
	*call = "clEnqueueWriteBufferRect";
	return clEnqueueWriteBufferRect(q, t->mem, blocking, at, zero, region, t->pitch_bytes, 0,
	                                t->host_pitch_bytes, 0, t->host, wait.count, list, event);
}

size_t clopt__transfer_span(const struct transfer *t)
{
	return (t->rows - 1) * t->host_pitch_bytes + t->row_bytes;
}

int clopt__copy_rows(struct clopt *ctx, cl_command_queue q, struct rows from, struct rows to,
                     size_t rows, size_t row_bytes, struct wait wait, cl_event *event)
{
	/* Drivers expect origins within a row. */
	const size_t at[3] = { from.offset_bytes % from.pitch_bytes,
		               from.offset_bytes / from.pitch_bytes, 0 };
	const size_t put[3] = { to.offset_bytes % to.pitch_bytes, to.offset_bytes / to.pitch_bytes,
		                0 };
	const size_t region[3] = { row_bytes, rows, 1 };
	const cl_event *list = wait.count ? wait.list : NULL;
	int rc = CLOPT_OK;

	if (rows == 1)
		TRY_CL(ctx,
		       clEnqueueCopyBuffer(q, from.mem, to.mem, from.offset_bytes, to.offset_bytes,
		                           row_bytes, wait.count, list, event));
	else
		TRY_CL(ctx, clEnqueueCopyBufferRect(q, from.mem, to.mem, at, put, region,
		                                    from.pitch_bytes, 0, to.pitch_bytes, 0,
		                                    wait.count, list, event));
out:
	return rc;
}
