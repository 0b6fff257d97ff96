/* SPDX-License-Identifier: MIT */
/*
 * wrap.h - the OpenCL calls of the library, seen and made to fail from outside.
 *
 * The linker turns each clX of the library into __wrap_clX of wrap.c, which
 * counts objects, puts a fence behind device buffers, and fails the n-th call; so
 * too allocations, and the calls of lib/store.c on files.
 */
#ifndef WRAP_H
#define WRAP_H

#include <stddef.h>

#include "clopt_cl.h"

/* The n-th call from now fails with `code`; 0: none does. */
void wrap_fail(long n, int code);
/* Whether it has happened. */
int wrap_failed(void);
/* Objects made and not released, in all and by kind. */
long wrap_live(void);
const char *wrap_live_text(void);
/* There are no threads to be had. */
void wrap_no_threads(int yes);
/* The next n programs have an error in their source. */
void wrap_spoil(int n);
/* From now on kernels are wrong but those of these files of cl/ with no more than one lane:
 * their argument of this index, a size, is one less than it is told, if it is more than
 * `over`.  So the last column, or target, is left out.  NULL: all are right. */
void wrap_lose(const char *right, unsigned index, unsigned long long over);
/* Programs made of a source since the last question. */
long wrap_programs(void);
/* What programs give as their binary; NULL: their own. */
void wrap_binary(const char *text);
/* What the compiler says of any program, and the option -cl-nv-verbose is one that it
 * knows; programs of binaries can then be made, of any; NULL: its own words. */
void wrap_log(const char *text);
/* Kernels say that they take so much local memory; 0: what they take. */
void wrap_local(unsigned long long bytes);
/* ... that they run in groups of so many work-items at most; 0: what they do. */
void wrap_groups(size_t most);
/* clFinish does not wait. */
void wrap_hasty(int yes);
/* Programs made of binaries are refused as invalid. */
void wrap_refuse_binaries(int yes);
/* Commands queued, but for transfers from and to arrays, since the last question. */
long wrap_commands(void);
/* The most of them, downloads too, that a queue was not yet waited for, since the last
 * question. */
long wrap_most_queued(void);
/* The first upload from now on, and with it all that its queue gets after, waits
 * this long: what another queue does too early is then seen. */
void wrap_hold(unsigned milliseconds);
/* Whether a command may wait for what this thread does next: PoCL's device `basic' runs it as it is
 * queued, and waits for ever.  Nothing is held there. */
int wrap_can_hold(cl_device_id device);
/* Devices say that they do not share the host's memory. */
void wrap_discrete(int yes);
/* ... that they have no compute units. */
void wrap_no_units(int yes);
/* ... that they have no double. */
void wrap_single(int yes);
/* Devices say that they are this GPU, which nothing can be computed on; NULL: that
 * they are what they are. */
struct wrap_gpu {
	const char *name, *vendor;
	unsigned vector_width; /* of floats, by the hardware */
	unsigned wave, max_group, images;
	unsigned long long local_bytes;
	unsigned capability; /* of NVIDIA's; or 0 */
	const char *driver; /* its version; NULL: the device's own */
};
void wrap_pretend(const struct wrap_gpu *gpu);
/* Each program goes to `seen`, with the lines of its source and its options, and
 * fails to build; NULL: to the compiler. */
typedef void wrap_seen(const char *const *lines, size_t count, const char *options);
void wrap_builds(wrap_seen *seen);
/* What a compiler had to say of a program that it built, if that was a warning, else NULL.
 * That it cannot do what #pragma unroll asks, as the simulator's says, is none. */
const char *wrap_warnings(void);
/* Devices say that they have room for anything, and arrays in the host's memory that are
 * larger than drivers allow are made small: kernels get them by their address. */
void wrap_sparse(int yes);
/* Reads and writes of files do a little at a time, and are interrupted. */
void wrap_slow_files(int yes);
/* Fences found broken since the last question. */
int wrap_fences(void);
/* The most bytes in live buffers and images since the last question. */
unsigned long long wrap_peak_bytes(void);

#endif
