/* SPDX-License-Identifier: MIT */
/*
 * clopt_mpi.h - sums over pairs and bodies that move, over the processes of an MPI job.
 *
 * Each process (rank) has any number of the sources, targets or bodies, also none, and computes on
 * a device of its own.  If all devices are equal, results have the bits that one process with all
 * of them would have.  With a tolerance each rank keeps it.  For distributed matrix products use
 * ScaLAPACK or its like, on libclopt-blas.
 *
 * The potential of the charges of all ranks at the points of this one:
 *
 *	#include <mpi.h>
 *	#include <clopt_mpi.h>
 *
 *	MPI_Init(&argc, &argv);
 *	if (clopt_mpi_open(&mpi, MPI_COMM_WORLD, NULL) != CLOPT_OK)
 *		fprintf(stderr, "%s\n", clopt_mpi_error(NULL));
 *	clopt_mpi_potential(mpi, nsources, sources, ntargets, targets, phi, NULL);
 *	clopt_mpi_close(mpi);
 *	MPI_Finalize();
 *
 * Link with `pkg-config --libs clopt-mpi` and the MPI that libclopt-mpi.so was built with.
 *
 * All functions but clopt_mpi_context and clopt_mpi_error are collective.  Each rank of the
 * communicator calls them in the same order and with the same options, apart from arrays in them.
 * A failure on one rank is a status on all, and clopt_mpi_error names the rank and its node.  If a
 * rank dies, mpirun ends the job.  One thread at a time may use a struct clopt_mpi, and it needs
 * MPI_THREAD_SINGLE only.
 */
#ifndef CLOPT_MPI_H
#define CLOPT_MPI_H

#include <mpi.h>

#include "clopt.h"
#include "clopt_device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A context on each rank of a communicator. */
struct clopt_mpi;

/* Open a context on each rank.  MPI has to be initialised, and the communicator is duplicated.  If
 * neither options.device nor CLOPT_DEVICE names a device, the ranks of a node divide its devices of
 * the best score.  Each rank has its own while there are enough; else neighbours share one.  Ranks
 * of one node share memory; where no ranks do, the name of the processor decides.  On failure *mpi
 * is NULL. */
CLOPT_API int clopt_mpi_open(struct clopt_mpi **mpi, MPI_Comm comm,
                             const struct clopt_options *options);
/* Close the contexts.  NULL does nothing. */
CLOPT_API void clopt_mpi_close(struct clopt_mpi *mpi);
/* This rank's context, for calls of its own; it is closed with mpi. */
CLOPT_API struct clopt *clopt_mpi_context(struct clopt_mpi *mpi);
/* The last failure in words; NULL: that of clopt_mpi_open.  Valid until the next call on mpi. */
CLOPT_API const char *clopt_mpi_error(const struct clopt_mpi *mpi);

/* clopt_potential for targets of this rank and the sources of all, in the order of ranks, fewer
 * than 2^31 together.  normals are those of this rank's targets.  depths are those of its sources,
 * on all ranks that have sources or on none.  group has to be NULL.  Each rank takes host memory
 * for all sources, 16 or 20 bytes each.  Sums begin when all sources have arrived. */
CLOPT_API int clopt_mpi_potential(struct clopt_mpi *mpi, size_t nsources, const float *sources,
                                  size_t ntargets, const float *targets, float *phi,
                                  const struct clopt_potential_options *options);
/* clopt_nbody likewise. */
CLOPT_API int clopt_mpi_nbody(struct clopt_mpi *mpi, size_t nsources, const float *sources,
                              size_t ntargets, const float *targets, float *acc,
                              const struct clopt_nbody_options *options);

/* clopt_nbody_evolve for n bodies of this rank under the gravity of all, in the order of ranks,
 * fewer than 2^31 together.  Each rank has all bodies on its device, and computes the forces on a
 * part of them.  The parts are whole groups of 256, as equal as possible.  `each`, on any ranks
 * that give it, gets the bodies of all ranks; the run ends if it returns nonzero on one.  After a
 * failure bodies and velocities are as they were.  CLOPT_EINVAL: dt, steps, an option or the
 * precision that BEST means differs between ranks, or options.rates is not NULL. */
CLOPT_API int clopt_mpi_nbody_evolve(struct clopt_mpi *mpi, size_t n, double *bodies,
                                     double *velocities, double dt, size_t steps,
                                     const struct clopt_evolve_options *options);

#ifdef __cplusplus
}
#endif

#endif
