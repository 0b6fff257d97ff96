/* SPDX-License-Identifier: MIT */
/*
 * mpi.h - the parts of libclopt-mpi: open.c has the ranks and their devices, agree.c how they
 * agree, pairs.c sums over pairs, evolve.c bodies that move.
 */
#ifndef CLOPT_MPI_INTERNAL_H
#define CLOPT_MPI_INTERNAL_H

#include <clopt_mpi.h>

#define TEXT_SIZE 1024

struct clopt_mpi {
	MPI_Comm comm;
	int rank, ranks;
	struct clopt *ctx;
	char text[TEXT_SIZE]; /* the last failure of all */
};

/* ---- agree.c */
/* MPI_Wait, but it does not spin. */
void mpi_wait(MPI_Request *request);
/* What rank has failed, if any: the status and the text of the first of those with the least
 * status, on all ranks.  rc and text: this rank's. */
int mpi_agree(struct clopt_mpi *mpi, int rc, const char *text);
/* The same of a step that may be the last: *stop becomes what any rank wants. */
int mpi_agree_to_stop(struct clopt_mpi *mpi, int rc, const char *text, int *stop);

/* Copy a struct of options, NULL or as an older or newer header has it, over its defaults in *own,
 * of `known` bytes.  0: it has no size, or fields that are not known are not 0. */
int mpi_sized_read(const void *given, void *own, size_t known);
/* The same on all ranks; *group: a field of *own, which has to be NULL.  Collective. */
int mpi_options_read(struct clopt_mpi *mpi, const char *name, const void *given, void *own,
                     size_t known, const struct clopt_group *const *group);

/* Each rank's part of an array of all. */
struct parts {
	int *count, *first; /* elements, by rank */
	size_t all;
};
/* Collective; CLOPT_EINVAL if the array has 2^31 elements or more. */
int mpi_parts_open(struct clopt_mpi *mpi, const char *what, size_t own, struct parts *p);
void mpi_parts_close(struct parts *p);

#endif
