/* SPDX-License-Identifier: MIT */
/*
 * pairs.c - sums over the sources of all ranks, for each rank's targets.
 *
 * All ranks receive the sources in one array, in the order of ranks, by broadcasts that run at the
 * same time.  So every target adds the same numbers in the same order, whatever the number of
 * ranks.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi.h"

struct sources {
	struct clopt_mpi *mpi;
	struct parts parts;
	float *all, *depths; /* sources of all ranks; depths may be NULL */
};

static void close_sources(struct sources *s)
{
	mpi_parts_close(&s->parts);
	free(s->all);
	free(s->depths);
}

/* Broadcast the sources, and their depths if any rank has depths. */
static int open_sources(struct clopt_mpi *mpi, size_t n, const float *own, const float *own_depths,
                        struct sources *s)
{
	const size_t ranks = (size_t)mpi->ranks;
	int rc, stop = n && own_depths, lacking = n && !own_depths, deep;
	MPI_Request *request;
	MPI_Datatype point;
	size_t first;
	int i;

	memset(s, 0, sizeof *s);
	s->mpi = mpi;
	rc = mpi_agree_to_stop(mpi, n && !own ? CLOPT_EINVAL : CLOPT_OK, "sources is NULL", &stop);
	if (rc != CLOPT_OK)
		return rc;
	deep = stop;
	rc = mpi_agree(
	        mpi, deep && lacking ? CLOPT_EINVAL : CLOPT_OK,
	        "depths is NULL, and given on another rank: give it on all ranks or on none");
	if (rc != CLOPT_OK || (rc = mpi_parts_open(mpi, "the sources", n, &s->parts)) != CLOPT_OK)
		return rc;
	s->all = malloc(4 * (s->parts.all + 1) * sizeof *s->all);
	s->depths = deep ? malloc((s->parts.all + 1) * sizeof *s->depths) : NULL;
	request = malloc(2 * ranks * sizeof *request);
	rc = mpi_agree(mpi, s->all && (s->depths || !deep) && request ? CLOPT_OK : CLOPT_ENOMEM,
	               "no memory for the sources of all ranks");
	if (rc != CLOPT_OK) {
		free(request);
		close_sources(s);
		return rc;
	}
	first = (size_t)s->parts.first[mpi->rank];
	if (n)
		memcpy(s->all + 4 * first, own, 4 * n * sizeof *own);
	if (n && deep)
		memcpy(s->depths + first, own_depths, n * sizeof *own_depths);
	MPI_Type_contiguous(4, MPI_FLOAT, &point);
	MPI_Type_commit(&point);
	for (i = 0; i < mpi->ranks; i++) {
		first = (size_t)s->parts.first[i];
		MPI_Ibcast(s->all + 4 * first, s->parts.count[i], point, i, mpi->comm, &request[i]);
		if (deep)
			MPI_Ibcast(s->depths + first, s->parts.count[i], MPI_FLOAT, i, mpi->comm,
			           &request[mpi->ranks + i]);
	}
	MPI_Type_free(&point);
	for (i = 0; i < mpi->ranks * (deep ? 2 : 1); i++)
		mpi_wait(&request[i]);
	free(request);
	return CLOPT_OK;
}

/* Processors use at most 56 of 64 address bits for a process. */
#define MOST_TARGETS (sizeof(size_t) > 4 ? SIZE_MAX >> 12 : SIZE_MAX / 16)

/* The group of a call for ntargets targets of this rank. */
static int open_group(struct clopt_mpi *mpi, size_t ntargets, struct clopt_group *g)
{
	const struct clopt_group initial = CLOPT_GROUP_INIT;
	uint64_t own = ntargets, all;
	MPI_Request request;
	char text[128];
	int rc;

	/* A target takes 16 bytes, so no processor addresses more.  The sum over ranks must not
	 * overflow. */
	snprintf(text, sizeof text, "ntargets is %zu: it is too large", ntargets);
	rc = mpi_agree(mpi,
	               own <= MOST_TARGETS && own <= UINT64_MAX / (uint64_t)mpi->ranks ?
	                       CLOPT_OK :
	                       CLOPT_EINVAL,
	               text);
	if (rc != CLOPT_OK)
		return rc;
	MPI_Iallreduce(&own, &all, 1, MPI_UINT64_T, MPI_SUM, mpi->comm, &request);
	mpi_wait(&request);
	*g = initial;
	g->all_targets = all < SIZE_MAX ? (size_t)all : SIZE_MAX;
	return CLOPT_OK;
}

static int end(struct sources *s, int rc)
{
	rc = mpi_agree(s->mpi, rc, clopt_error(s->mpi->ctx));
	close_sources(s);
	return rc;
}

int clopt_mpi_potential(struct clopt_mpi *mpi, size_t nsources, const float *sources,
                        size_t ntargets, const float *targets, float *phi,
                        const struct clopt_potential_options *options)
{
	struct clopt_potential_options o = CLOPT_POTENTIAL_OPTIONS_INIT;
	struct clopt_group group;
	struct sources s;
	int rc = mpi_options_read(mpi, "clopt_potential_options", options, &o, sizeof o, &o.group);

	if (rc != CLOPT_OK || (rc = open_group(mpi, ntargets, &group)) != CLOPT_OK ||
	    (rc = open_sources(mpi, nsources, sources, o.depths, &s)) != CLOPT_OK)
		return rc;
	o.group = &group;
	o.depths = s.depths;
	rc = clopt_potential(mpi->ctx, s.parts.all, s.all, ntargets, targets, phi, &o);
	return end(&s, rc);
}

int clopt_mpi_nbody(struct clopt_mpi *mpi, size_t nsources, const float *sources, size_t ntargets,
                    const float *targets, float *acc, const struct clopt_nbody_options *options)
{
	struct clopt_nbody_options o = CLOPT_NBODY_OPTIONS_INIT;
	struct clopt_group group;
	struct sources s;
	int rc = mpi_options_read(mpi, "clopt_nbody_options", options, &o, sizeof o, &o.group);

	if (rc != CLOPT_OK || (rc = open_group(mpi, ntargets, &group)) != CLOPT_OK ||
	    (rc = open_sources(mpi, nsources, sources, NULL, &s)) != CLOPT_OK)
		return rc;
	o.group = &group;
	rc = clopt_nbody(mpi->ctx, s.parts.all, s.all, ntargets, targets, acc, &o);
	return end(&s, rc);
}
