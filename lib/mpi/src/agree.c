/* SPDX-License-Identifier: MIT */
/*
 * agree.c - what all ranks know: whether one has failed, and how many elements each has.
 *
 * All ranks agree at the same points of a call: before the array of all ranks is allocated, in each
 * exchange, and at the end.  A rank that fails continues to the next such point, where the others
 * learn of it; so none waits forever.  MPI itself waits by spinning.  So operations that may take
 * long are started, and mpi_wait waits for them.
 */
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "mpi.h"

/* Longest time in seconds of the ranks' short messages.  A sleep would take longer. */
#define AWAKE_SECONDS 20e-6

/* Other ranks may compute on this processor, so sleep, each time for an eighth of the time so
 * far. */
void mpi_wait(MPI_Request *request)
{
	const double begin = MPI_Wtime();
	struct timespec nap = { 0, 0 };
	double waited;
	int done;

	for (MPI_Test(request, &done, MPI_STATUS_IGNORE); !done;
	     MPI_Test(request, &done, MPI_STATUS_IGNORE)) {
		waited = MPI_Wtime() - begin;
		if (waited < AWAKE_SECONDS)
			continue;
		nap.tv_nsec = waited < 8e-3 ? (long)(waited * 1.25e8) : 1000000;
		nanosleep(&nap, NULL);
	}
}

/* Send the message of the first rank with this status to all ranks. */
static void spread(struct clopt_mpi *mpi, int own, int status, const char *text)
{
	char node[MPI_MAX_PROCESSOR_NAME + 1] = "";
	int length, rank = own == status ? mpi->rank : INT_MAX, from;

	MPI_Allreduce(&rank, &from, 1, MPI_INT, MPI_MIN, mpi->comm);
	if (from == mpi->rank) {
		MPI_Get_processor_name(node, &length);
		snprintf(mpi->text, sizeof mpi->text, "rank %d of %d on %s: %s", mpi->rank,
		         mpi->ranks, node, text && *text ? text : clopt_strerror(status));
	}
	MPI_Bcast(mpi->text, sizeof mpi->text, MPI_CHAR, from, mpi->comm);
}

int mpi_agree_to_stop(struct clopt_mpi *mpi, int rc, const char *text, int *stop)
{
	/* Failures are negative, so MPI_MIN finds one. */
	int own[2] = { rc, -(*stop != 0) }, all[2];
	MPI_Request request;

	MPI_Iallreduce(own, all, 2, MPI_INT, MPI_MIN, mpi->comm, &request);
	mpi_wait(&request);
	*stop = all[1] != 0;
	if (all[0] != CLOPT_OK)
		spread(mpi, rc, all[0], text);
	return all[0];
}

int mpi_agree(struct clopt_mpi *mpi, int rc, const char *text)
{
	int stop = 0;

	return mpi_agree_to_stop(mpi, rc, text, &stop);
}

/* Larger than the struct of any header: the size is not set. */
#define MOST_SIZE 65536

int mpi_sized_read(const void *given, void *own, size_t known)
{
	const unsigned char *const bytes = given;
	size_t size = known, i;

	if (given)
		memcpy(&size, given, sizeof size);
	if (size <= sizeof size || size > MOST_SIZE || size % sizeof size)
		return 0;
	for (i = known; i < size; i++)
		if (bytes[i])
			return 0;
	if (given)
		memcpy(own, given, size < known ? size : known);
	memcpy(own, &known, sizeof known);
	return 1;
}

int mpi_options_read(struct clopt_mpi *mpi, const char *name, const void *given, void *own,
                     size_t known, const struct clopt_group *const *group)
{
	const int good = mpi_sized_read(given, own, known);
	char text[128];

	snprintf(text, sizeof text,
	         "struct %s has no size, sets a field behind the %zu bytes that this library "
	         "knows, or has a group",
	         name, known);
	return mpi_agree(mpi, good && !*group ? CLOPT_OK : CLOPT_EINVAL, text);
}

int mpi_parts_open(struct clopt_mpi *mpi, const char *what, size_t own, struct parts *p)
{
	const size_t n = (size_t)mpi->ranks;
	uint64_t mine = own, *count = malloc(n * sizeof *count), all = 0;
	MPI_Request request;
	char text[128];
	size_t i;
	int rc;

	p->count = malloc(2 * n * sizeof *p->count);
	p->first = p->count ? p->count + n : NULL;
	rc = mpi_agree(mpi, count && p->count ? CLOPT_OK : CLOPT_ENOMEM,
	               "no memory to share out an array");
	if (rc == CLOPT_OK) {
		snprintf(text, sizeof text, "%s are %zu: they may be at most %d", what, own,
		         INT_MAX);
		rc = mpi_agree(mpi, own <= INT_MAX ? CLOPT_OK : CLOPT_EINVAL, text);
	}
	if (rc == CLOPT_OK) {
		MPI_Iallgather(&mine, 1, MPI_UINT64_T, count, 1, MPI_UINT64_T, mpi->comm, &request);
		mpi_wait(&request);
		for (i = 0; i < n && rc == CLOPT_OK; i++) {
			if (all + count[i] > INT_MAX) {
				snprintf(text, sizeof text,
				         "%s of all ranks together may be at most %d", what,
				         INT_MAX);
				rc = mpi_agree(mpi, CLOPT_EINVAL, text); /* all ranks fail alike */
				break;
			}
			p->count[i] = (int)count[i];
			p->first[i] = (int)all;
			all += count[i];
		}
	}
	p->all = (size_t)all;
	free(count);
	if (rc != CLOPT_OK)
		mpi_parts_close(p);
	return rc;
}

void mpi_parts_close(struct parts *p)
{
	free(p->count);
	p->count = p->first = NULL;
}
