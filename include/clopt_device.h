/* SPDX-License-Identifier: MIT */
/*
 * clopt_device.h - devices, started calls, buffers, queues and events, trees, kernels of the
 * caller's own, and the self check.  The rules of clopt.h hold here too.
 */
#ifndef CLOPT_DEVICE_H
#define CLOPT_DEVICE_H

#include "clopt.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ========================================================= Devices =======
 *
 * A device is known by its names and by what it can do.  The devices of all platforms, best first:
 *
 *	struct clopt_device_info list[8];
 *	size_t i, n;
 *
 *	for (i = 0; i < 8; i++)
 *		list[i].size = sizeof *list;
 *	rc = clopt_device_list(list, 8, &n);
 */

/* What a device is, and what it can do. */
struct clopt_device_info {
	size_t size; /* sizeof(struct clopt_device_info), set by the caller */
	char name[128], vendor[128], platform[128], driver[128], version[128];
	char type[16]; /* "cpu", "gpu", "accelerator" */
	char family[16]; /* "nvidia", "amd", "intel", "qualcomm", "arm", "apple", "cpu", "other" */
	char lanes[16]; /* "scalar", "vector" or "cpu-wide": a work-item's arithmetic */
	char traits[256]; /* traits that variants may need, as words with commas between */
	unsigned wave; /* work-items in lock step; 0 unknown */
	unsigned compute_units, clock_mhz;
	unsigned vector_width; /* native, in floats */
	unsigned capability; /* NVIDIA compute capability, 90 for 9.0; else 0 */
	unsigned copy_engines; /* copies beside kernels; 0: not known, or memory is shared */
	unsigned local_is_real; /* 1: local memory is not ordinary memory */
	unsigned unified; /* 1: host and device share their memory */
	unsigned fp64, fp16, inline_ptx; /* 1: has it */
	unsigned reserved;
	size_t max_group; /* work-items in a group */
	size_t image2d_width, image2d_height; /* 0: no images */
	size_t image_buffer; /* texels in an image made of a buffer; 0: no images */
	uint64_t global_bytes, max_alloc_bytes, local_bytes;
	double score; /* larger is chosen first */
	size_t buffer_align; /* bytes, for sub-buffers by OpenCL; views need none */
	char quirks[128]; /* names of those in force on it, with commas between */
	/* Which of several equal devices it is; "": its driver does not say. */
	char pci[16]; /* "0000:1b:00.0" as in lspci: domain, bus, device, function, hexadecimal */
	char uuid[40]; /* "8c1f2a90-...", 32 digits as 8-4-4-4-12; the same in each process */
};

/* Fill in up to max devices of list, best first.  *count gets how many there are, even beyond max.
 * list may be NULL with max 0.  CLOPT_ENODEVICE: there is no device. */
CLOPT_API int clopt_device_list(struct clopt_device_info *list, size_t max, size_t *count);

/* The device of this context. */
CLOPT_API int clopt_device_get(const struct clopt *ctx, struct clopt_device_info *info);

/* ================================================= Several devices =======
 *
 * Several devices can share the calls of one context.  All GPUs of the machine:
 *
 *	clopt_options_init(&options, sizeof options);
 *	options.device = "gpu*";
 *	clopt_open(&ctx, &options);
 *
 * Such a context has a member for each device.  Calls on arrays are shared over the members:
 * products, triangles, batches, transposes, sums over pairs, clopt_map.  Each member computes
 * parts of the result on its own device, from its own copies of the inputs that these parts need.
 * Of bodies that move the first member has the state; the others get it in each step, and compute
 * the forces on some bodies.  With a tolerance the first does all.  Calls on buffers run on the
 * buffer's member.
 *
 * Devices of one name, driver and memory limit use the variant that the first chooses, and results
 * are those of one device, bit for bit.  Unlike devices choose for themselves, whatever is forced
 * on the first.  Then the bits depend on who computed what, unless the mode is CLOPT_SHARE_FIXED.
 *
 * If a member fails in a call, the others compute its parts.  The call succeeds if one of them can,
 * and clopt_last_shares says who failed and why.  But the call fails, with its output as after any
 * other failure,
 *
 * - if the member had begun on an output that is also read (beta, a triangle, CLOPT_ARG_INOUT);
 * - if the first member finds no variant, or fails in a sum with a tolerance.
 *
 * A member whose device is lost takes no part any more.  If it was the first, later calls give
 * CLOPT_ELOST.
 *
 * If CLOPT_CHECK_ALWAYS finds a shared result wrong, the call runs once more, as on one device.  If
 * some members are wrong again and others right, the call fails with CLOPT_EWRONG and names the
 * first wrong one.  If no member is right, the variant is wrong, as on one device.
 *
 * The report has the bytes and bands of all members, and the times of the first member's commands.
 * clopt_plan and clopt_explain say how many would share a call.  clopt_trace_start keeps the
 * commands of all, if all were opened with profile.
 */

/* Join contexts to one: *ctx becomes members[0], for which the others work.  They must be open,
 * without running calls, and of no other joined context.  clopt_close on *ctx closes all; on
 * another member it does nothing.  Only the first calls its log and progress from then on.  A call
 * on another member alone is possible; shared calls wait for it.  Memory that clopt_host_alloc
 * pinned for the first serves the others if it is as fast for them as their own, as with NVIDIA's
 * drivers.  Else it is staged.  CLOPT_EINVAL, CLOPT_ENOMEM: nothing is joined. */
CLOPT_API int clopt_join(struct clopt **ctx, struct clopt *const *members, size_t n);
/* How many devices; 1 for other contexts, 0 for NULL. */
CLOPT_API size_t clopt_members(const struct clopt *ctx);
/* Member i, for buffers on its device, say; 0 is ctx itself.  NULL if i is too large. */
CLOPT_API struct clopt *clopt_member(struct clopt *ctx, size_t i);

/* What a member did in the last shared call. */
struct clopt_member_share {
	size_t size; /* sizeof(struct clopt_member_share), set by the caller */
	char device[128]; /* its name */
	double share; /* of the results, 0 to 1 */
	double seconds; /* from its begin to its end in the call */
	size_t bands, up_bytes, down_bytes; /* as in struct clopt_report */
	int status; /* CLOPT_OK; its failure, after which others computed its parts; CLOPT_EWRONG */
	int reserved;
	char text[256]; /* the failure in words */
};
/* What each member did, as clopt_device_list lists devices.  *count is 0 if no call was shared so
 * far. */
CLOPT_API int clopt_last_shares(struct clopt *ctx, struct clopt_member_share *list, size_t max,
                                size_t *count);

/* ================================================ Several processes ======
 *
 * Several processes can share a call: each computes some of the results.  If the devices are
 * equal, these have the bits that one process would give them.  The caller exchanges the data;
 * libclopt-mpi (clopt_mpi.h) does so by MPI.  The first of two processes, with half of the n
 * bodies, and a function of the caller's that gets the forces on the other half:
 *
 *	struct clopt_evolve_options o = CLOPT_EVOLVE_OPTIONS_INIT;
 *	struct clopt_group group = CLOPT_GROUP_INIT;
 *
 *	group.count = n / 2;
 *	group.exchange = get_others;
 *	o.group = &group;
 *	rc = clopt_nbody_evolve(ctx, n, bodies, velocities, 0.01, 100, &o);
 */

/* The part of this process.  The struct and what it points to have to live until the call ends. */
struct clopt_group {
	size_t size; /* sizeof(struct clopt_group) */
	/* clopt_potential and clopt_nbody: the targets of all processes together, for which the
	 * variant is chosen.  0: ntargets. */
	size_t all_targets;
	/* clopt_nbody_evolve, where each process has all bodies.  This one computes the forces on
	 * bodies first to first + count - 1, and all else as the others do. */
	size_t first, count;
	/* Fills in the rows of the other processes' bodies, of n rows in all, and returns 0.
	 * Nonzero: the call fails with CLOPT_ECANCELED.  It may not call functions on the context.
	 *
	 * It is called after each evaluation of the forces; a run has steps + 1 of these, or
	 * `steps` with resume.  Hermite's steps have one more in each step that `each` sees, and
	 * rows with the jerk in the others.  So steps, integrator, precision,
	 * resume, `every` and whether there is an `each` have to be equal in all processes. */
	int (*exchange)(void *user, void *rows, size_t row_bytes);
	void *user;
};
#define CLOPT_GROUP_INIT \
	{ \
		sizeof(struct clopt_group), 0, 0, 0, NULL, NULL \
	}
CLOPT_API void clopt_group_init(struct clopt_group *group, size_t size);

/* =================================================== Started calls =======
 *
 * Most routines of clopt.h can run in a thread of the context, beside other work of the caller.  A
 * product that is started, and waited for:
 *
 *	struct clopt_call *call;
 *
 *	rc = clopt_matmul_start(ctx, m, n, k, a, b, c, &call);
 *	...
 *	rc = clopt_call_wait(call, NULL);
 *	clopt_call_free(call);
 *
 * Calls started on a context run in the order of their start.  Until a call is done, its arrays
 * must not be changed, and its output must not be read.
 *
 * A start that fails leaves *call NULL.  CLOPT_ENOMEM: no memory, or no thread.  CLOPT_EINVAL:
 * arguments that are refused at once.  The call itself checks most arguments, so clopt_call_wait
 * returns their failures.
 *
 * clopt_gemm_start with triangle, hermitian or batch starts what clopt_syrk, clopt_herk and
 * clopt_gemm_strided_batched do.  clopt_gravity, clopt_potential_points, clopt_nbody_evolve,
 * clopt_nbody_conserved and clopt_map cannot be started.
 */
struct clopt_call;

/* The routines of clopt.h of the same names, started.  *call gets the call. */
CLOPT_API int clopt_matmul_start(struct clopt *ctx, size_t m, size_t n, size_t k, const float *a,
                                 const float *b, float *c, struct clopt_call **call);
CLOPT_API int clopt_sgemm_start(struct clopt *ctx, int layout, int transa, int transb, size_t m,
                                size_t n, size_t k, float alpha, const float *a, size_t lda,
                                const float *b, size_t ldb, float beta, float *c, size_t ldc,
                                struct clopt_call **call);
CLOPT_API int clopt_dgemm_start(struct clopt *ctx, int layout, int transa, int transb, size_t m,
                                size_t n, size_t k, double alpha, const double *a, size_t lda,
                                const double *b, size_t ldb, double beta, double *c, size_t ldc,
                                struct clopt_call **call);
CLOPT_API int clopt_cgemm_start(struct clopt *ctx, int layout, int transa, int transb, size_t m,
                                size_t n, size_t k, const void *alpha, const void *a, size_t lda,
                                const void *b, size_t ldb, const void *beta, void *c, size_t ldc,
                                struct clopt_call **call);
CLOPT_API int clopt_zgemm_start(struct clopt *ctx, int layout, int transa, int transb, size_t m,
                                size_t n, size_t k, const void *alpha, const void *a, size_t lda,
                                const void *b, size_t ldb, const void *beta, void *c, size_t ldc,
                                struct clopt_call **call);
CLOPT_API int clopt_gemm_start(struct clopt *ctx, const struct clopt_gemm_desc *g, const void *a,
                               const void *b, void *c, struct clopt_call **call);
CLOPT_API int clopt_transpose_start(struct clopt *ctx, size_t rows, size_t cols, size_t elem_bytes,
                                    const void *in, size_t ld_in, void *out, size_t ld_out,
                                    struct clopt_call **call);
CLOPT_API int clopt_transpose_strided_batched_start(struct clopt *ctx, size_t rows, size_t cols,
                                                    size_t elem_bytes, const void *in, size_t ld_in,
                                                    size_t stride_in, void *out, size_t ld_out,
                                                    size_t stride_out, size_t batch,
                                                    struct clopt_call **call);
CLOPT_API int clopt_stranspose_start(struct clopt *ctx, size_t rows, size_t cols, float alpha,
                                     const float *in, size_t ld_in, float *out, size_t ld_out,
                                     struct clopt_call **call);
CLOPT_API int clopt_dtranspose_start(struct clopt *ctx, size_t rows, size_t cols, double alpha,
                                     const double *in, size_t ld_in, double *out, size_t ld_out,
                                     struct clopt_call **call);
CLOPT_API int clopt_transpose_inplace_start(struct clopt *ctx, size_t rows, size_t cols,
                                            size_t elem_bytes, void *data, size_t ld,
                                            struct clopt_call **call);
CLOPT_API int clopt_potential_start(struct clopt *ctx, size_t nsources, const float *sources,
                                    size_t ntargets, const float *targets, float *phi,
                                    const struct clopt_potential_options *options,
                                    struct clopt_call **call);
CLOPT_API int clopt_nbody_start(struct clopt *ctx, size_t nsources, const float *sources,
                                size_t ntargets, const float *targets, float *acc,
                                const struct clopt_nbody_options *options,
                                struct clopt_call **call);
CLOPT_API int clopt_nbody_leapfrog_start(struct clopt *ctx, size_t n, float *bodies,
                                         float *velocities, double dt, size_t steps,
                                         const struct clopt_nbody_options *options,
                                         struct clopt_call **call);

/* 1 if the call is done, so that clopt_call_wait would not wait; NULL counts as done. */
CLOPT_API int clopt_call_done(const struct clopt_call *call);

/*
 * Wait until the call is done, and return its status, as often as asked; clopt_error() of this
 * thread then has its text.  report (size set, or NULL) gets how the call went.  call NULL:
 * CLOPT_EINVAL.
 */
CLOPT_API int clopt_call_wait(struct clopt_call *call, struct clopt_report *report);

/* Cancel the call, from any thread.  It ends with CLOPT_ECANCELED: at once if it waits for its
 * turn, else as by clopt_cancel.  Nothing happens if it is done.  A signal handler may only call
 * clopt_cancel. */
CLOPT_API void clopt_call_cancel(struct clopt_call *call);

/* Wait until the call is done, and free it.  In a callback this does not wait: the call is freed
 * once it is done.  NULL is allowed. */
CLOPT_API void clopt_call_free(struct clopt_call *call);

/* ================================================== Device buffers =======
 *
 * Buffers are arrays that stay on the device from one call to the next.  A product in buffers:
 *
 *	clopt_buffer_new(c, bytes, &a);  ...
 *	clopt_buffer_write(a, 0, bytes, host, NULL);
 *	clopt_sgemm_buffers(c, ..., a, lda, b, ldb, 0, d, ldd, NULL);
 *	clopt_buffer_read(d, 0, bytes, result, NULL);
 *	clopt_finish(c);
 *
 * Commands on buffers return once they are queued.  They take events to wait for, and give an event
 * for their end.  Nothing here is cut into bands: buffers lie on the device whole.  If a queued
 * command fails later, its event and clopt_finish report it.  What commands wrote before a failure
 * stays, also with clopt_options.keep_output.
 */

struct clopt_buffer;
struct clopt_queue;
struct clopt_event;

/* The queue of a command, and the events it waits for.  order NULL, everywhere below: the context's
 * own queue, and no events.  Commands of one queue run in their order; commands of different queues
 * are ordered only by events. */
struct clopt_order {
	size_t size; /* sizeof(struct clopt_order) */
	struct clopt_queue *queue; /* NULL: the context's own */
	size_t nwait;
	struct clopt_event *const *wait; /* nwait events, of this context */
	/* If not NULL, gets the event of the last command, which the caller frees; NULL after a
	 * failure. */
	struct clopt_event **event;
};

#define CLOPT_ORDER_INIT \
	{ \
		sizeof(struct clopt_order), NULL, 0, NULL, NULL \
	}

CLOPT_API void clopt_order_init(struct clopt_order *order, size_t size);

/* Device memory, not initialised.  CLOPT_ENOMEM if the device lacks that much in one piece; with
 * some drivers only commands that use the memory fail.  0 bytes are allowed. */
CLOPT_API int clopt_buffer_new(struct clopt *ctx, size_t bytes, struct clopt_buffer **buffer);

/* A view of a part of a buffer, such as a submatrix.  The offset has to be a multiple of the size
 * of its elements.  The memory stays alive as long as a view of it.  Views may overlap. */
CLOPT_API int clopt_buffer_view(struct clopt_buffer *of, size_t offset_bytes, size_t bytes,
                                struct clopt_buffer **buffer);

/* May be called once all commands using it are queued.  NULL is allowed. */
CLOPT_API void clopt_buffer_free(struct clopt_buffer *buffer);
CLOPT_API size_t clopt_buffer_bytes(const struct clopt_buffer *buffer);

/*
 * To and from host memory.  Do not touch pinned memory (clopt_host_alloc) before the command's
 * event.  With ordinary memory these functions return when the memory may be used again.  A read
 * has then ended; a write may still run, so a command in another queue has to wait for its event.
 */
CLOPT_API int clopt_buffer_write(struct clopt_buffer *buffer, size_t offset_bytes, size_t bytes,
                                 const void *from, const struct clopt_order *order);
CLOPT_API int clopt_buffer_read(const struct clopt_buffer *buffer, size_t offset_bytes,
                                size_t bytes, void *to, const struct clopt_order *order);
/* The two ranges may not overlap; the buffers may, if they are parts of one buffer. */
CLOPT_API int clopt_buffer_copy(const struct clopt_buffer *from, size_t from_offset_bytes,
                                struct clopt_buffer *to, size_t to_offset_bytes, size_t bytes,
                                const struct clopt_order *order);

/* The same for rows of row_bytes each.  Pitches are from one row to the next, in the buffer and in
 * host memory, and no shorter than a row. */
CLOPT_API int clopt_buffer_write_rect(struct clopt_buffer *buffer, size_t offset_bytes,
                                      size_t pitch_bytes, size_t rows, size_t row_bytes,
                                      const void *from, size_t from_pitch_bytes,
                                      const struct clopt_order *order);
CLOPT_API int clopt_buffer_read_rect(const struct clopt_buffer *buffer, size_t offset_bytes,
                                     size_t pitch_bytes, size_t rows, size_t row_bytes, void *to,
                                     size_t to_pitch_bytes, const struct clopt_order *order);
CLOPT_API int clopt_buffer_copy_rect(const struct clopt_buffer *from, size_t from_offset_bytes,
                                     size_t from_pitch_bytes, struct clopt_buffer *to,
                                     size_t to_offset_bytes, size_t to_pitch_bytes, size_t rows,
                                     size_t row_bytes, const struct clopt_order *order);

/*
 * The routines, with the arrays in buffers of the same context.  Rules and statuses as above; an
 * array that ends beyond its buffer is CLOPT_EINVAL.
 *
 * Arrays in views of one buffer may overlap if they are only read.  An array that is written may
 * interleave with others, as two blocks of one matrix do, as long as they share no element; else
 * CLOPT_EINVAL.  So blocked algorithms work on one matrix: A22 -= A21 A12.
 *
 * Calls that cannot be started have no form on buffers.  clopt_gemm_buffers does the work of
 * clopt_syrk, clopt_herk and clopt_gemm_strided_batched.
 */
CLOPT_API int clopt_matmul_buffers(struct clopt *ctx, size_t m, size_t n, size_t k,
                                   const struct clopt_buffer *a, const struct clopt_buffer *b,
                                   struct clopt_buffer *c, const struct clopt_order *order);
CLOPT_API int clopt_sgemm_buffers(struct clopt *ctx, int layout, int transa, int transb, size_t m,
                                  size_t n, size_t k, float alpha, const struct clopt_buffer *a,
                                  size_t lda, const struct clopt_buffer *b, size_t ldb, float beta,
                                  struct clopt_buffer *c, size_t ldc,
                                  const struct clopt_order *order);
CLOPT_API int clopt_dgemm_buffers(struct clopt *ctx, int layout, int transa, int transb, size_t m,
                                  size_t n, size_t k, double alpha, const struct clopt_buffer *a,
                                  size_t lda, const struct clopt_buffer *b, size_t ldb, double beta,
                                  struct clopt_buffer *c, size_t ldc,
                                  const struct clopt_order *order);
CLOPT_API int clopt_cgemm_buffers(struct clopt *ctx, int layout, int transa, int transb, size_t m,
                                  size_t n, size_t k, const void *alpha,
                                  const struct clopt_buffer *a, size_t lda,
                                  const struct clopt_buffer *b, size_t ldb, const void *beta,
                                  struct clopt_buffer *c, size_t ldc,
                                  const struct clopt_order *order);
CLOPT_API int clopt_zgemm_buffers(struct clopt *ctx, int layout, int transa, int transb, size_t m,
                                  size_t n, size_t k, const void *alpha,
                                  const struct clopt_buffer *a, size_t lda,
                                  const struct clopt_buffer *b, size_t ldb, const void *beta,
                                  struct clopt_buffer *c, size_t ldc,
                                  const struct clopt_order *order);
CLOPT_API int clopt_gemm_buffers(struct clopt *ctx, const struct clopt_gemm_desc *g,
                                 const struct clopt_buffer *a, const struct clopt_buffer *b,
                                 struct clopt_buffer *c, const struct clopt_order *order);
CLOPT_API int clopt_transpose_buffers(struct clopt *ctx, size_t rows, size_t cols,
                                      size_t elem_bytes, const struct clopt_buffer *in,
                                      size_t ld_in, struct clopt_buffer *out, size_t ld_out,
                                      const struct clopt_order *order);
CLOPT_API int clopt_transpose_strided_batched_buffers(
        struct clopt *ctx, size_t rows, size_t cols, size_t elem_bytes,
        const struct clopt_buffer *in, size_t ld_in, size_t stride_in, struct clopt_buffer *out,
        size_t ld_out, size_t stride_out, size_t batch, const struct clopt_order *order);
CLOPT_API int clopt_stranspose_buffers(struct clopt *ctx, size_t rows, size_t cols, float alpha,
                                       const struct clopt_buffer *in, size_t ld_in,
                                       struct clopt_buffer *out, size_t ld_out,
                                       const struct clopt_order *order);
CLOPT_API int clopt_dtranspose_buffers(struct clopt *ctx, size_t rows, size_t cols, double alpha,
                                       const struct clopt_buffer *in, size_t ld_in,
                                       struct clopt_buffer *out, size_t ld_out,
                                       const struct clopt_order *order);
/* Takes as much device memory again, until its last command has run.  Only the last command writes
 * data.  If the call fails, data is unchanged, or complete if all commands were queued. */
CLOPT_API int clopt_transpose_inplace_buffers(struct clopt *ctx, size_t rows, size_t cols,
                                              size_t elem_bytes, struct clopt_buffer *data,
                                              size_t ld, const struct clopt_order *order);
CLOPT_API int clopt_potential_buffers(struct clopt *ctx, size_t nsources,
                                      const struct clopt_buffer *sources, size_t ntargets,
                                      const struct clopt_buffer *targets, struct clopt_buffer *phi,
                                      const struct clopt_potential_options *options,
                                      const struct clopt_order *order);
CLOPT_API int clopt_nbody_buffers(struct clopt *ctx, size_t nsources,
                                  const struct clopt_buffer *sources, size_t ntargets,
                                  const struct clopt_buffer *targets, struct clopt_buffer *acc,
                                  const struct clopt_nbody_options *options,
                                  const struct clopt_order *order);
CLOPT_API int clopt_nbody_leapfrog_buffers(struct clopt *ctx, size_t n, struct clopt_buffer *bodies,
                                           struct clopt_buffer *velocities, double dt, size_t steps,
                                           const struct clopt_nbody_options *options,
                                           const struct clopt_order *order);

/* Another queue on the same device. */
CLOPT_API int clopt_queue_new(struct clopt *ctx, struct clopt_queue **queue);
CLOPT_API void clopt_queue_free(struct clopt_queue *queue);

/* Wait for all commands of a queue (NULL: ctx's own), or of all queues. */
CLOPT_API int clopt_queue_finish(struct clopt *ctx, struct clopt_queue *queue);
CLOPT_API int clopt_finish(struct clopt *ctx);

/* Wait for one event.  A command that failed gives CLOPT_EDEVICE, or CLOPT_ELOST. */
CLOPT_API int clopt_event_wait(struct clopt_event *event);

/* How long the command ran on the device.  Waits for the event.  For a routine of several commands:
 * the last command.  CLOPT_EINVAL without clopt_options.profile. */
CLOPT_API int clopt_event_seconds(struct clopt_event *event, double *seconds);
CLOPT_API void clopt_event_free(struct clopt_event *event);

/*
 * Host time for timing commands: waits until all queues of ctx are empty, then reads the host's
 * monotonic clock.  A host timer without that wait measures how fast commands are queued.  Events
 * (clopt_event_seconds, clopt_report) measure the device alone and disturb less.  Source: NVIDIA,
 * OpenCL Best Practices Guide (2011), section 2.1.
 */
CLOPT_API int clopt_wall_time(struct clopt *ctx, double *seconds);

/* =========================================================== Trees =======
 *
 * A tree keeps charges or bodies on the device, with its cells, for many sums over them.  The
 * potentials of one molecule at several surfaces:
 *
 *	clopt_tree_new(c, natoms, atoms, &tree);
 *	options.tolerance = 1e-3;
 *	for (i = 0; i < surfaces; i++)
 *		clopt_tree_potential(tree, n[i], vertices[i], phi[i], &options);
 *	clopt_tree_free(tree);
 *
 * Errors are bounded as "Tolerance" in clopt_pairs.h says.  One thread at a time may use a tree.
 * In a joined context the first member has it.
 */

struct clopt_tree;

/* A tree over a copy of n sources (x, y, z and a weight: n x 4 floats).  The first sum makes the
 * cells.  Another precision, order or law may need other cells, which its sum makes. */
CLOPT_API int clopt_tree_new(struct clopt *ctx, size_t n, const float *sources,
                             struct clopt_tree **tree);
/* The same from a buffer, after the events of the order.  Reads the weights before it returns. */
CLOPT_API int clopt_tree_new_buffers(struct clopt *ctx, size_t n,
                                     const struct clopt_buffer *sources,
                                     const struct clopt_order *order, struct clopt_tree **tree);
/* Waits for the sums.  NULL is allowed. */
CLOPT_API void clopt_tree_free(struct clopt_tree *tree);

/* The same n sources at new places, with new weights.  The next sum makes the cells anew, and sorts
 * the sources only where their old order has become much worse.  clopt_tree_move_buffers assumes
 * that the weights keep their sum and signs. */
CLOPT_API int clopt_tree_move(struct clopt_tree *tree, const float *sources);
CLOPT_API int clopt_tree_move_buffers(struct clopt_tree *tree, const struct clopt_buffer *sources,
                                      const struct clopt_order *order);

/* clopt_potential and clopt_nbody over the sources of the tree.  targets NULL: the sources, and
 * ntargets is n, or 0.  Without a tolerance, or where a tree would be no faster, all pairs are
 * summed.  With a tolerance, theta goes up or down with the errors that sums of the same kind have
 * shown.  CLOPT_EINVAL: depths, a group, or another ntargets without targets. */
CLOPT_API int clopt_tree_potential(struct clopt_tree *tree, size_t ntargets, const float *targets,
                                   float *phi, const struct clopt_potential_options *options);
CLOPT_API int clopt_tree_nbody(struct clopt_tree *tree, size_t ntargets, const float *targets,
                               float *acc, const struct clopt_nbody_options *options);
/* On buffers.  These calls return once they are queued, so they measure no errors.  theta is that
 * of the last such sum on arrays, or else that of the tolerance.  The report has order and
 * theta. */
CLOPT_API int clopt_tree_potential_buffers(struct clopt_tree *tree, size_t ntargets,
                                           const struct clopt_buffer *targets,
                                           struct clopt_buffer *phi,
                                           const struct clopt_potential_options *options,
                                           const struct clopt_order *order);
CLOPT_API int clopt_tree_nbody_buffers(struct clopt_tree *tree, size_t ntargets,
                                       const struct clopt_buffer *targets, struct clopt_buffer *acc,
                                       const struct clopt_nbody_options *options,
                                       const struct clopt_order *order);

/* =================================================== Your own kernel =====
 *
 * clopt_map runs a kernel of yours over arrays of any size.  Like the library's own calls, it cuts
 * arrays into bands, overlaps transfers with the kernel, and leaves a report.  A kernel in OpenCL C
 * and its call:
 *
 *	__kernel void hypot2(ulong n, __global const float *x, __global float *y)
 *	{
 *		size_t i = get_global_id(0);
 *		if (i < n)
 *			y[i] = hypot(x[i], 2.0f);
 *	}
 *
 *	struct clopt_arg args[] = {
 *		{ CLOPT_ARG_COUNT, NULL, 0 },
 *		{ CLOPT_ARG_IN, x, sizeof *x },
 *		{ CLOPT_ARG_OUT, y, sizeof *y },
 *	};
 *	struct clopt_map_desc map = CLOPT_MAP_DESC_INIT;
 *
 *	map.source = source;
 *	map.name = "hypot2";
 *	map.items = 100000000000;
 *	map.args = args;
 *	map.nargs = 3;
 *	clopt_map(c, &map);
 */

/* The kinds of arguments that a kernel of the caller's takes. */
enum clopt_arg_kind {
	CLOPT_ARG_IN = 1, /* a banded array: data has `items` elements of `bytes` each */
	CLOPT_ARG_OUT,
	CLOPT_ARG_INOUT,
	CLOPT_ARG_SHARED, /* every band gets all of it: data of `bytes`, only read */
	CLOPT_ARG_VALUE, /* a value: `bytes` from data */
	CLOPT_ARG_LOCAL, /* local memory: `bytes` for each group, data NULL */
	CLOPT_ARG_COUNT, /* ulong: the number of items of this band; data NULL, bytes 0 */
	CLOPT_ARG_FIRST /* ulong: the index of its first item; data NULL, bytes 0 */
};

/* An argument of the kernel. */
struct clopt_arg {
	int kind;
	void *data;
	size_t bytes;
};

/* A kernel of the caller's, its items and its arguments. */
struct clopt_map_desc {
	size_t size; /* sizeof(struct clopt_map_desc) */
	const char *source; /* OpenCL C; built once for a context and kept */
	const char *name; /* of the kernel in it */
	const char *build_options; /* for the compiler; NULL: none */
	size_t items; /* elements of the banded arrays */
	size_t items_per_group; /* work-items in a group; 0: the driver chooses */
	/* Items of one work-item: a band of count items is run by count / items_per_work_item
	 * work-items, rounded up, and up to whole groups.  0: 1. */
	size_t items_per_work_item;
	size_t granule; /* bands are multiples of it, except the last; 0: 1 */
	const struct clopt_arg *args; /* in the kernel's order */
	size_t nargs;
};

#define CLOPT_MAP_DESC_INIT \
	{ \
		sizeof(struct clopt_map_desc), NULL, NULL, NULL, 0, 0, 0, 0, NULL, 0 \
	}

CLOPT_API void clopt_map_desc_init(struct clopt_map_desc *map, size_t size);

/*
 * Run the kernel over all bands.  In each band the arrays start at the band's first item.  A kernel
 * launched in whole groups (items_per_group) must check the count.  Writing outside the items of a
 * band is undefined.  At most 16 arrays; banded arrays may not overlap one another unless both are
 * only read.
 *
 * CLOPT_EBUILD: the source does not compile; the text has the compiler's log.  CLOPT_EINVAL, beside
 * other refused arguments: it has no kernel of that name.  CLOPT_ENOMEM, CLOPT_EDEVICE.
 */
CLOPT_API int clopt_map(struct clopt *ctx, const struct clopt_map_desc *map);

/* ====================================================== Self check =======
 *
 * The self check says whether results are right on this machine, as `clopt check' does:
 *
 *	if (clopt_selfcheck(ctx, NULL) != CLOPT_OK)
 *		fprintf(stderr, "%s\n", clopt_error(ctx));
 *
 * The self check makes problems of random numbers, calls the routines with the variants, devices
 * and settings of the context, and judges the results.
 */

/* What became of one problem. */
struct clopt_selfcheck_line {
	size_t size; /* sizeof(struct clopt_selfcheck_line), set by the library */
	const struct clopt_problem *problem;
	const char *text; /* the problem in words: "matmul float32 NN 64x64x64" */
	const char *variant; /* that ran; NULL: none */
	/* Of the call.  CLOPT_EWRONG also if the result is wrong or could not be judged, an input
	 * was changed, or memory around the result was written. */
	int status;
	/* The error and its bound, for the number of the result whose error is the largest part of
	 * its bound.  For a product this number is the sum of a row.  Both are 0 if every bit has
	 * to be right, or without a result. */
	double error, allowed;
	const char *reason; /* why it is wrong; "": it is right */
};

/* Options of clopt_selfcheck; 0 means the default. */
struct clopt_selfcheck_options {
	size_t size; /* sizeof(struct clopt_selfcheck_options) */
	/* The problems, `count` of them; NULL: the library's.  Not checked are parts of steps and
	 * of sums by a tree, hermitian, elem_bytes 8 of sums over pairs, and their jerk. */
	const struct clopt_problem *problems;
	size_t count;
	/* Of the library's problems only those of these operations: 1 << CLOPT_OP_MATMUL and so on,
	 * ORed; 0: all. */
	unsigned ops;
	/* 1: every type of element, law and precision, some transposes and outputs, and sums by a
	 * tree.  0: one problem of each operation, since compiling a kernel may take a second. */
	int all;
	size_t n; /* each size of them; 0: from 64 for products to 1000 for trees */
	uint64_t seed; /* of the numbers */
	/* Called after each problem.  It may call functions on the context.  Nonzero ends the self
	 * check. */
	int (*line)(void *user, const struct clopt_selfcheck_line *line);
	void *user;
};

#define CLOPT_SELFCHECK_OPTIONS_INIT \
	{ \
		sizeof(struct clopt_selfcheck_options), NULL, 0, 0, 0, 0, 0, NULL, NULL \
	}

CLOPT_API void clopt_selfcheck_options_init(struct clopt_selfcheck_options *options, size_t size);

/*
 * Run and judge each problem, in the caller's thread.  Products, transposes and sums are judged as
 * by CLOPT_CHECK_ALWAYS.  Sums by a tree may be off by 0.0005 of the magnitudes of their terms.
 * Bodies are judged after one step.  Of the library's problems those in double are left out where
 * the device has no double.  Returns the first status that is not CLOPT_OK, whose text the context
 * has.  CLOPT_EINVAL for arguments, CLOPT_ENOMEM.
 */
CLOPT_API int clopt_selfcheck(struct clopt *ctx, const struct clopt_selfcheck_options *options);

#ifdef __cplusplus
}
#endif

#endif
