/* SPDX-License-Identifier: MIT */
/*
 * evolve.c - moves the bodies of all ranks.
 *
 * Each rank moves all bodies, which takes little time, and computes the forces on its share, which
 * takes most of the time.  Before each step all ranks exchange forces.  So the state is the same on
 * all ranks.
 */
#include <stdlib.h>
#include <string.h>

#include "mpi.h"

/* Bodies of a group in the partition of the forces: a multiple of the groups of kernels. */
#define GRAIN 256

struct run {
	struct clopt_mpi *mpi;
	struct parts bodies, forces;
	const struct clopt_evolve_options *options; /* a copy of the caller's */
	int failed; /* failure that all ranks agreed on; its message is in mpi->text */
};

/* Number of bodies on which this rank computes the forces. */
static size_t share(const struct run *r)
{
	const size_t all = r->bodies.all, groups = (all + GRAIN - 1) / GRAIN,
	             ranks = (size_t)r->mpi->ranks, rank = (size_t)r->mpi->rank;
	size_t first = GRAIN * (groups * rank / ranks), end = GRAIN * (groups * (rank + 1) / ranks);

	first = first < all ? first : all;
	end = end < all ? end : all;
	return end - first;
}

static int exchange(void *user, void *rows, size_t row_bytes)
{
	struct run *r = user;
	const struct parts *p = &r->forces;
	MPI_Request request;
	MPI_Datatype row;

	r->failed = mpi_agree(r->mpi, CLOPT_OK, NULL);
	if (r->failed)
		return 1;
	MPI_Type_contiguous((int)row_bytes, MPI_BYTE, &row);
	MPI_Type_commit(&row);
	MPI_Iallgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, rows, p->count, p->first, row,
	                r->mpi->comm, &request);
	mpi_wait(&request);
	MPI_Type_free(&row);
	return 0;
}

/* The callback of each step on all ranks, if any rank has one: its sums take an exchange. */
static int each(void *user, size_t step, const double *bodies, const double *velocities,
                const struct clopt_conserved *sums)
{
	struct run *r = user;
	const struct clopt_evolve_options *o = r->options;
	int stop = 0;

	if (o->each)
		stop = o->each(o->user, step, bodies, velocities, sums);
	r->failed = mpi_agree_to_stop(r->mpi, CLOPT_OK, NULL, &stop);
	return stop || r->failed;
}

/* The precision of the numbers that ranks exchange. */
static int precision(struct clopt_mpi *mpi, int asked)
{
	struct clopt_device_info info = { .size = sizeof info };

	if (asked == CLOPT_PRECISION_FLOAT || asked == CLOPT_PRECISION_DOUBLE_SINGLE ||
	    asked == CLOPT_PRECISION_DOUBLE || clopt_device_get(mpi->ctx, &info) != CLOPT_OK)
		return asked;
	return info.fp64 ? CLOPT_PRECISION_DOUBLE : CLOPT_PRECISION_DOUBLE_SINGLE;
}

/* Refuse different arguments: ranks would wait for each other, or their states differ. */
static int agree_on_motion(struct clopt_mpi *mpi, double dt, size_t steps,
                           const struct clopt_evolve_options *o)
{
	enum {
		NUMBERS = 10
	};
	const double own[NUMBERS] = { dt,
		                      (double)steps,
		                      o->g,
		                      o->softening,
		                      o->integrator,
		                      precision(mpi, o->precision),
		                      (double)o->every,
		                      o->tolerance,
		                      o->theta,
		                      o->order };
	double pair[2 * NUMBERS], most[2 * NUMBERS];
	MPI_Request request;
	int i, differ = 0;

	for (i = 0; i < NUMBERS; i++) {
		pair[2 * i] = own[i];
		pair[2 * i + 1] = -own[i];
	}
	MPI_Iallreduce(pair, most, 2 * NUMBERS, MPI_DOUBLE, MPI_MAX, mpi->comm, &request);
	mpi_wait(&request);
	for (i = 0; i < NUMBERS; i++)
		differ |= most[2 * i] != -most[2 * i + 1] && own[i] == own[i];
	return mpi_agree(mpi, differ ? CLOPT_EINVAL : CLOPT_OK,
	                 "dt, steps, an option or the device's best precision differs between "
	                 "ranks: each must be the same");
}

/* Check this rank's bodies, so that a message has their indices: a call of 0 steps does nothing
 * else. */
static int check_own(struct clopt_mpi *mpi, size_t n, double *bodies, double *velocities, double dt,
                     const struct clopt_evolve_options *options)
{
	struct clopt_evolve_options o = *options;
	int rc;

	o.each = NULL;
	rc = clopt_nbody_evolve(mpi->ctx, n, bodies, velocities, dt, 0, &o);
	return mpi_agree(mpi, rc, clopt_error(mpi->ctx));
}

static int run(struct run *r, double *bodies, double *velocities, double dt, size_t steps,
               const struct clopt_evolve_options *options, int told)
{
	struct clopt_evolve_options o = *options;
	struct clopt_group group = CLOPT_GROUP_INIT;
	int rc;

	group.first = (size_t)r->forces.first[r->mpi->rank];
	group.count = (size_t)r->forces.count[r->mpi->rank];
	group.exchange = exchange;
	group.user = r;
	o.group = &group;
	o.each = told ? each : NULL;
	o.user = r;
	rc = clopt_nbody_evolve(r->mpi->ctx, r->bodies.all, bodies, velocities, dt, steps, &o);
	/* If all ranks know the failure, they do not agree again. */
	return r->failed ? r->failed : mpi_agree(r->mpi, rc, clopt_error(r->mpi->ctx));
}

static void gather(const struct run *r, const double *own, size_t n, double *all)
{
	const struct parts *p = &r->bodies;
	MPI_Request request;
	MPI_Datatype body;

	MPI_Type_contiguous(4, MPI_DOUBLE, &body);
	MPI_Type_commit(&body);
	MPI_Iallgatherv(own, (int)n, body, all, p->count, p->first, body, r->mpi->comm, &request);
	mpi_wait(&request);
	MPI_Type_free(&body);
}

int clopt_mpi_nbody_evolve(struct clopt_mpi *mpi, size_t n, double *bodies, double *velocities,
                           double dt, size_t steps, const struct clopt_evolve_options *options)
{
	struct clopt_evolve_options o = CLOPT_EVOLVE_OPTIONS_INIT;
	struct run r = { .mpi = mpi, .options = &o };
	double *all[2] = { NULL, NULL };
	size_t first;
	int rc, told;

	rc = mpi_options_read(mpi, "clopt_evolve_options", options, &o, sizeof o, &o.group);
	if (rc != CLOPT_OK)
		return rc;
	rc = mpi_agree(mpi, o.rates ? CLOPT_EINVAL : CLOPT_OK,
	               "rates is given: bodies that several processes move take none");
	if (rc != CLOPT_OK)
		return rc;
	told = o.each != NULL;
	rc = mpi_agree_to_stop(mpi, !n || (bodies && velocities) ? CLOPT_OK : CLOPT_EINVAL,
	                       "bodies or velocities is NULL", &told);
	if (rc == CLOPT_OK)
		rc = agree_on_motion(mpi, dt, steps, &o);
	if (rc == CLOPT_OK)
		rc = check_own(mpi, n, bodies, velocities, dt, &o);
	if (rc != CLOPT_OK || (rc = mpi_parts_open(mpi, "the bodies", n, &r.bodies)) != CLOPT_OK)
		return rc;
	rc = mpi_parts_open(mpi, "the bodies", share(&r), &r.forces);
	if (rc != CLOPT_OK)
		goto out;
	all[0] = malloc(4 * (r.bodies.all + 1) * sizeof *all[0]);
	all[1] = malloc(4 * (r.bodies.all + 1) * sizeof *all[1]);
	rc = mpi_agree(mpi, all[0] && all[1] ? CLOPT_OK : CLOPT_ENOMEM,
	               "no memory for the bodies of all ranks");
	if (rc != CLOPT_OK)
		goto out;
	gather(&r, bodies, n, all[0]);
	gather(&r, velocities, n, all[1]);
	rc = run(&r, all[0], all[1], dt, steps, &o, told);
	first = 4 * (size_t)r.bodies.first[mpi->rank];
	if (rc == CLOPT_OK && n) {
		memcpy(bodies, all[0] + first, 4 * n * sizeof *bodies);
		memcpy(velocities, all[1] + first, 4 * n * sizeof *velocities);
	}
out:
	free(all[0]);
	free(all[1]);
	mpi_parts_close(&r.forces);
	mpi_parts_close(&r.bodies);
	return rc;
}
