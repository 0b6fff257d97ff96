/* SPDX-License-Identifier: MIT */
/*
 * ranks.h - programs over the processes (ranks) of an MPI job: rank 0 is the program, the others
 * compute what it asks them to.  Without --mpi, or without MPI, these are libclopt's calls alone.
 */
#ifndef RANKS_H
#define RANKS_H

#include <clopt.h>
#include <stddef.h>

#include "program.h"

#define RANKS_OPTION "over all processes of an MPI job, as in mpirun -np 4 PROGRAM --mpi ..."

/* At the beginning of main: looks for --mpi in the command line.  Ranks but the first print nothing
 * from then on. */
void ranks_begin(int argc, char **argv);
/* Once the command line is read, asked: with --mpi.  1 on ranks but the first, after they did all
 * that rank 0 wanted; -1 if the program was built without MPI, or ranks_begin saw another command
 * line, with --mp or a file of the name --mpi. */
int ranks_serve(int asked, const struct clopt_options *device, struct fault *e);
/* Rank 0's end of main, or exit(), ends the others. */

/* As clopt_open, clopt_error, clopt_close, clopt_potential and clopt_nbody_evolve. */
int ranks_open(struct clopt **c, const struct clopt_options *device);
const char *ranks_error(const struct clopt *c);
void ranks_close(struct clopt *c);
int ranks_potential(struct clopt *c, size_t nsources, const float *sources, size_t ntargets,
                    const float *targets, float *phi,
                    const struct clopt_potential_options *options);
int ranks_evolve(struct clopt *c, size_t n, double *bodies, double *velocities, double dt,
                 size_t steps, const struct clopt_evolve_options *options);

#endif
