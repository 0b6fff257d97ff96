/* SPDX-License-Identifier: MIT */
/*
 * wrap.h - wraps the library's OpenCL calls to count objects and inject failures.
 *
 * The linker turns each clX of the library into __wrap_clX of wrap.c, which counts objects, puts a
 * fence behind device buffers, and fails the n-th call; likewise allocations, and the calls of
 * lib/base/system_posix.c on files.
 */
#ifndef WRAP_H
#define WRAP_H

#include <stddef.h>

#include "clopt_cl.h"

/* The calls past the wrappers, for the tests' own objects: these do not count as leaks, and have no
 * fences. */
cl_mem __real_clCreateBuffer(cl_context c, cl_mem_flags f, size_t n, void *p, cl_int *code);
cl_int __real_clReleaseMemObject(cl_mem m);
cl_command_queue __real_clCreateCommandQueue(cl_context c, cl_device_id d,
                                             cl_command_queue_properties p, cl_int *code);
cl_int __real_clReleaseCommandQueue(cl_command_queue q);
cl_int __real_clReleaseEvent(cl_event e);

/* The events that the last command waits for, of those that are counted (wrap_commands). */
unsigned wrap_waits(void);
/* The commands since the last call that wait for none. */
long wrap_unwaiting(void);
/* The n-th call from now fails with `code`, a thread's beginning by EAGAIN; 0: none does. */
void wrap_fail(long n, int code);
/* The next call fails that comes from a place of the library from which none has failed in this
 * process. */
void wrap_fail_new(int code);
/* At the n-th call from now ctx is cancelled; the call does not fail. */
void wrap_cancel(long n, struct clopt *ctx);
/* Whether that has happened. */
int wrap_failed(void);
/* Objects created and not released, in total and by kind. */
long wrap_live(void);
const char *wrap_live_text(void);
/* Those that are left now are left on purpose: they are not counted from here on. */
void wrap_live_forget(void);
/* pthread_create fails. */
void wrap_no_threads(int yes);
/* The next n programs have an error in their source. */
void wrap_spoil(int n);
/* From now on kernels are wrong, except those made from now on of these files of cl/ with one lane:
 * their argument of this index, a size, is one less than set, if it is more than `over`.  So the
 * last column, or target, is left out.  WRAP_IN_CALLS: of whatever size, but not in the library's
 * own trials, so that a kernel passes them; a call is wrong however it is cut.  NULL: all kernels
 * are right. */
#define WRAP_IN_CALLS (~0ull)
void wrap_lose(const char *right, unsigned index, unsigned long long over);
/* ... and only those of this context, which is not shared; NULL: of all. */
void wrap_lose_in(const struct clopt *ctx);
/* Until one of these was launched so, kernels of other contexts wait for it, a second at most, so
 * that a device takes part in a call however busy the machine is. */
void wrap_lose_first(void);
/* ... and of them only the next n that are launched so. */
void wrap_lose_times(long n);
/* A kernel's trials fail the test if one passes with a number of its result changed: of the first
 * or last element of the first or last row, or of one between; or if a judge without memory does
 * not say so.  Returns the numbers changed since the last call. */
long wrap_spoil_trials(int yes);
/* Above 0: kernels seem to take so many seconds a unit of work, so that calls are cut for it or
 * not. */
void wrap_pace(double seconds);
/* The next n transposes on the host have a wrong first element. */
void wrap_host_wrong(unsigned n);
/* Kernels on the host use at most these vectors (enum host_vectors) of the processor's. */
void wrap_host_vectors(unsigned most);
/* 1, as at the start: processors get kernels of more than one work-item a group, which are for
 * GPUs, without optimization: PoCL unrolls and vectorizes over the group, in up to 60 s.  2: also
 * those of one work-item, and Oclgrind only these, some of which it compiles for 5 s.  With
 * CLOPT_TEST_BUILT all are optimized. */
void wrap_unoptimized(int which);
/* Contexts from now on are of one struct clopt each, also with CLOPT_TEST_SHARE. */
void wrap_unshared(int yes);
/* Programs created from source since the last call. */
long wrap_programs(void);
/* Programs return this text as their binary; NULL: their own. */
void wrap_binary(const char *text);
/* The compiler's log of any program; the option -cl-nv-verbose is then accepted, and programs can
 * be created from any binary.  NULL: the real log. */
void wrap_log(const char *text);
/* Kernels report this much local memory; 0: what they use. */
void wrap_local(unsigned long long bytes);
/* ... at most so many work-items in a group; 0: the real number. */
void wrap_groups(size_t most);
/* clFinish does not wait. */
void wrap_hasty(int yes);
/* The next n waits, by clFinish or for events, fail without having waited. */
void wrap_no_waits(int n);
/* Creating a program from a binary fails: it is invalid. */
void wrap_refuse_binaries(int yes);
/* Commands enqueued since the last call, without transfers from and to arrays. */
long wrap_commands(void);
/* ... and those of them that are markers. */
long wrap_markers(void);
/* The most commands, downloads included, that were in a queue between waits, since the last
 * call. */
long wrap_most_queued(void);
/* The first upload from now on, and all later commands of its queue, waits so long: this shows
 * commands of other queues that start too early. */
void wrap_hold(unsigned milliseconds);
/* Whether a command may wait for what this thread does next: PoCL's device `basic' runs each
 * command as it is enqueued, and would wait for ever.  There nothing is held. */
int wrap_can_hold(cl_device_id device);
/* Devices report that they do not share the host's memory. */
void wrap_discrete(int yes);
/* Contexts say that none of their devices is one that the tests know. */
void wrap_strangers(int yes);
/* Where PCI devices have their folders; NULL: where they do. */
void wrap_pci(const char *devices);
/* What drivers do to their caller's thread, whenever they make or release an object, or wait; NULL:
 * nothing. */
void wrap_driver(void (*act)(void));
/* Threads that were moved near a device since the last call. */
int wrap_moved(void);
/* Devices report that they have no compute units. */
void wrap_no_units(int yes);
/* ... at most so many work-items in a group; 0: the real number. */
void wrap_device_groups(size_t most);
/* ... that they have no double. */
void wrap_single(int yes);
/* Devices report to be this GPU, which cannot compute anything; NULL: what they are. */
struct wrap_gpu {
	const char *name, *vendor;
	unsigned vector_width; /* of floats, native to the hardware */
	unsigned wave, max_group, images;
	unsigned long long local_bytes;
	unsigned capability; /* of NVIDIA's; or 0 */
	const char *driver; /* its version; NULL: the device's own */
};
void wrap_pretend(const struct wrap_gpu *gpu);
extern const struct wrap_gpu wrap_nvidia; /* of compute capability 8.0 */
/* Each program's source lines and options go to `seen`, and its build fails; NULL: programs are
 * built. */
typedef void wrap_seen(const char *const *lines, size_t count, const char *options);
void wrap_builds(wrap_seen *seen);
/* The compiler's log of a program that it built with warnings, or NULL.  That #pragma unroll cannot
 * be followed, as the simulator's compiler says, does not count. */
const char *wrap_warnings(void);
/* Devices report unlimited memory, and arrays in the host's memory that are larger than drivers
 * allow become small buffers, which kernels use by the array's address. */
void wrap_sparse(int yes);
/* Buffers over host memory that were made read only since the last call. */
int wrap_read_only(void);
/* Reads and writes of files are partial, and interrupted. */
void wrap_slow_files(int yes);
/* Broken fences found since the last call. */
int wrap_fences(void);
/* The most bytes in live buffers and images since the last call. */
unsigned long long wrap_peak_bytes(void);

#endif
