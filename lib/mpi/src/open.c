/* SPDX-License-Identifier: MIT */
/*
 * open.c - the ranks of a communicator, and each rank's device.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi.h"

#define MOST_DEVICES 64
#define NAME_SIZE (MPI_MAX_PROCESSOR_NAME + 1)

static char opening[TEXT_SIZE]; /* message of the last failure to open; set by one thread */

/* This rank's place among the ranks of its node. */
struct place {
	int rank, ranks;
};

/* Find the place by processor names, where MPI finds no shared memory and each rank seems alone. */
static int place_by_name(const struct clopt_mpi *mpi, struct place *p)
{
	char own[NAME_SIZE] = "", *all = malloc((size_t)mpi->ranks * NAME_SIZE);
	int length, i, lacking = !all, any;

	MPI_Allreduce(&lacking, &any, 1, MPI_INT, MPI_MAX, mpi->comm);
	if (any) {
		free(all);
		return CLOPT_ENOMEM;
	}
	MPI_Get_processor_name(own, &length);
	MPI_Allgather(own, NAME_SIZE, MPI_CHAR, all, NAME_SIZE, MPI_CHAR, mpi->comm);
	p->rank = p->ranks = 0;
	for (i = 0; i < mpi->ranks; i++)
		if (!strcmp(own, all + (size_t)i * NAME_SIZE)) {
			p->ranks++;
			p->rank += i < mpi->rank;
		}
	free(all);
	return CLOPT_OK;
}

static int find_place(const struct clopt_mpi *mpi, struct place *p)
{
	MPI_Comm node;
	int most;

	MPI_Comm_split_type(mpi->comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
	MPI_Comm_rank(node, &p->rank);
	MPI_Comm_size(node, &p->ranks);
	MPI_Comm_free(&node);
	MPI_Allreduce(&p->ranks, &most, 1, MPI_INT, MPI_MAX, mpi->comm);
	return most > 1 ? CLOPT_OK : place_by_name(mpi, p);
}

/* Choose this rank's device among those of the best score, as its index in the list. */
static int pick(const struct place *p, char *text, size_t size)
{
	struct clopt_device_info *list = calloc(MOST_DEVICES, sizeof *list);
	size_t i, n = 0, best = 0;
	int rc;

	if (!list)
		return CLOPT_ENOMEM;
	for (i = 0; i < MOST_DEVICES; i++)
		list[i].size = sizeof *list;
	rc = clopt_device_list(list, MOST_DEVICES, &n);
	n = n < MOST_DEVICES ? n : MOST_DEVICES;
	while (best < n && list[best].score == list[0].score)
		best++;
	if (rc == CLOPT_OK)
		snprintf(text, size, "%zu",
		         (size_t)p->ranks <= best ? (size_t)p->rank :
		                                    (size_t)p->rank * best / (size_t)p->ranks);
	free(list);
	return rc;
}

static int open_context(struct clopt_mpi *mpi, const struct place *p,
                        const struct clopt_options *options)
{
	const char *asked = getenv("CLOPT_DEVICE");
	struct clopt_options own = CLOPT_OPTIONS_INIT;
	char index[24];
	int rc;

	if (!mpi_sized_read(options, &own, sizeof own))
		return clopt_open(&mpi->ctx, options); /* which reports the error */
	if (!own.device && (!asked || !*asked)) {
		rc = pick(p, index, sizeof index);
		if (rc != CLOPT_OK)
			return rc;
		own.device = index;
	}
	return clopt_open(&mpi->ctx, &own);
}

static int open_ranks(struct clopt_mpi *mpi, MPI_Comm comm, const struct clopt_options *options)
{
	struct place p;
	int rc;

	MPI_Comm_dup(comm, &mpi->comm);
	/* Failures of MPI end the job, as they do by default. */
	MPI_Comm_set_errhandler(mpi->comm, MPI_ERRORS_ARE_FATAL);
	MPI_Comm_rank(mpi->comm, &mpi->rank);
	MPI_Comm_size(mpi->comm, &mpi->ranks);
	rc = find_place(mpi, &p);
	if (rc == CLOPT_OK)
		rc = open_context(mpi, &p, options);
	return mpi_agree(mpi, rc, rc == CLOPT_ENOMEM ? "no memory" : clopt_error(NULL));
}

int clopt_mpi_open(struct clopt_mpi **mpi, MPI_Comm comm, const struct clopt_options *options)
{
	struct clopt_mpi *m;
	int is_there = 0, lacking, any, rc;

	if (mpi)
		*mpi = NULL;
	MPI_Initialized(&is_there);
	if (!is_there || comm == MPI_COMM_NULL) {
		snprintf(opening, sizeof opening, "%s",
		         is_there ? "comm is MPI_COMM_NULL" :
		                    "MPI is not initialised: call MPI_Init first");
		return CLOPT_EINVAL;
	}
	m = calloc(1, sizeof *m);
	lacking = !m || !mpi;
	MPI_Allreduce(&lacking, &any, 1, MPI_INT, MPI_MAX, comm);
	if (any) {
		free(m);
		snprintf(opening, sizeof opening,
		         "mpi is NULL, or there is no memory, on some rank");
		return mpi ? CLOPT_ENOMEM : CLOPT_EINVAL;
	}
	rc = open_ranks(m, comm, options);
	if (rc == CLOPT_OK) {
		*mpi = m;
		return CLOPT_OK;
	}
	snprintf(opening, sizeof opening, "%s", m->text);
	clopt_mpi_close(m);
	return rc;
}

void clopt_mpi_close(struct clopt_mpi *mpi)
{
	if (!mpi)
		return;
	clopt_close(mpi->ctx);
	MPI_Comm_free(&mpi->comm);
	free(mpi);
}

struct clopt *clopt_mpi_context(struct clopt_mpi *mpi)
{
	return mpi->ctx;
}

const char *clopt_mpi_error(const struct clopt_mpi *mpi)
{
	return mpi ? mpi->text : opening;
}
