/* SPDX-License-Identifier: MIT */
/*
 * mpi.h - the parts of libclopt-mpi: open.c opens the ranks and their devices, agree.c makes them
 * agree, pairs.c sums over pairs, evolve.c moves bodies.
 */
#ifndef CLOPT_MPI_INTERNAL_H
#define CLOPT_MPI_INTERNAL_H

#include <clopt_mpi.h>

#define TEXT_SIZE 1024

struct clopt_mpi {
	MPI_Comm comm;
	int rank, ranks;
	struct clopt *ctx;
	char text[TEXT_SIZE]; /* message of the last failure, the same on all ranks */
};

/* ---- agree.c */
/* MPI_Wait without spinning. */
void mpi_wait(MPI_Request *request);
/* Whether a rank has failed, on all ranks: the least status, and the message of the first rank with
 * it. rc and text: this rank's. */
int mpi_agree(struct clopt_mpi *mpi, int rc, const char *text);
/* The same for a step that may be the last.  *stop: whether any rank stops. */
int mpi_agree_to_stop(struct clopt_mpi *mpi, int rc, const char *text, int *stop);

/* Copy a struct of options, NULL or of an older or newer header, over the defaults in *own, of
 * `known` bytes.  Returns 0 if its size is not set, or unknown fields are not 0. */
int mpi_sized_read(const void *given, void *own, size_t known);
/* The same on all ranks.  *group: a field of *own, which has to be NULL.  Collective. */
int mpi_options_read(struct clopt_mpi *mpi, const char *name, const void *given, void *own,
                     size_t known, const struct clopt_group *const *group);

/* The partition of an array over the ranks. */
struct parts {
	int *count, *first; /* of each rank: number of elements, first element */
	size_t all;
};
/* CLOPT_EINVAL if the array has 2^31 elements or more.  Collective. */
int mpi_parts_open(struct clopt_mpi *mpi, const char *what, size_t own, struct parts *p);
void mpi_parts_close(struct parts *p);

#endif
