/* SPDX-License-Identifier: MIT */
/*
 * copy.c - moves rows between host memory and a buffer by one command.
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
