/* SPDX-License-Identifier: MIT */
/*
 * ranks.c - rank 0 asks, the other ranks serve.
 *
 * Each request goes to all ranks by one broadcast; what follows is collective.  Rank 0 has all
 * data: it deals out the targets, and the bodies stay its own.  At exit rank 0 sends the last
 * request, so that no rank waits for it, wherever the program ends.
 */
#include "ranks.h"

#ifndef CLOPT_WITH_MPI

void ranks_begin(int argc, char **argv)
{
	(void)argc, (void)argv;
}

int ranks_serve(int asked, const struct clopt_options *device, struct fault *e)
{
	(void)device;
	return asked ? fail(e, "--mpi: this program was built without MPI: build it by make mpi") :
	               0;
}

int ranks_open(struct clopt **c, const struct clopt_options *device)
{
	return clopt_open(c, device);
}

const char *ranks_error(const struct clopt *c)
{
	return clopt_error(c);
}

void ranks_close(struct clopt *c)
{
	clopt_close(c);
}

int ranks_potential(struct clopt *c, size_t nsources, const float *sources, size_t ntargets,
                    const float *targets, float *phi, const struct clopt_potential_options *options)
{
	return clopt_potential(c, nsources, sources, ntargets, targets, phi, options);
}

int ranks_evolve(struct clopt *c, size_t n, double *bodies, double *velocities, double dt,
                 size_t steps, const struct clopt_evolve_options *options)
{
	return clopt_nbody_evolve(c, n, bodies, velocities, dt, steps, options);
}

#else

#include <clopt_mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
	OPEN,
	POTENTIAL,
	EVOLVE,
	END
};

struct request {
	int kind;
	int normals; /* each target has one */
	size_t targets, steps;
	double dt, charge;
	/* Their pointers are rank 0's. */
	struct clopt_potential_options potential;
	struct clopt_evolve_options evolve;
};

static struct {
	int rank, ranks; /* 0 ranks: without --mpi */
	int ended; /* the last request has come */
	FILE *errors; /* stderr, also of ranks that print nothing else */
	struct clopt_mpi *mpi;
} all;

static void stop(const char *why)
{
	fprintf(all.errors, "rank %d: %s\n", all.rank, why);
	fflush(all.errors);
	MPI_Abort(MPI_COMM_WORLD, 1);
}

/* MPI itself waits awake, where other ranks, or rank 0 between its requests, may compute. */
static void wait_for(MPI_Request *request)
{
	const double begin = MPI_Wtime();
	struct timespec nap = { 0, 0 };
	double waited;
	int done;

	for (MPI_Test(request, &done, MPI_STATUS_IGNORE); !done;
	     MPI_Test(request, &done, MPI_STATUS_IGNORE)) {
		waited = MPI_Wtime() - begin;
		nap.tv_nsec = waited < 8e-3 ? (long)(waited * 1.25e8) : 1000000;
		nanosleep(&nap, NULL);
	}
}

static void ask(struct request *r)
{
	MPI_Request request;

	MPI_Ibcast(r, sizeof *r, MPI_BYTE, 0, MPI_COMM_WORLD, &request);
	wait_for(&request);
	all.ended = r->kind == END;
}

/* Targets of rank i: an equal part of n, from *first on. */
static size_t part_of(size_t n, int i, size_t *first)
{
	*first = n * (size_t)i / (size_t)all.ranks;
	return n * (size_t)(i + 1) / (size_t)all.ranks - *first;
}

/* Move rows of so many floats from rank 0 to all, or back; whole is rank 0's. */
static void deal(const float *whole, float *back, float *part, size_t n, int floats)
{
	int *count = malloc(2 * (size_t)all.ranks * sizeof *count), i;
	size_t first, own = part_of(n, all.rank, &first);
	MPI_Request request;
	MPI_Datatype row;

	if (!count)
		stop("no memory");
	MPI_Type_contiguous(floats, MPI_FLOAT, &row);
	MPI_Type_commit(&row);
	for (i = 0; i < all.ranks; i++) {
		count[i] = (int)part_of(n, i, &first);
		count[all.ranks + i] = (int)first;
	}
	if (back)
		MPI_Igatherv(part, (int)own, row, back, count, count + all.ranks, row, 0,
		             MPI_COMM_WORLD, &request);
	else
		MPI_Iscatterv(whole, count, count + all.ranks, row, part, (int)own, row, 0,
		              MPI_COMM_WORLD, &request);
	wait_for(&request);
	MPI_Type_free(&row);
	free(count);
}

/* On all ranks; sources, targets and phi are rank 0's. */
static int potential(struct request *r, size_t nsources, const float *sources, const float *targets,
                     float *phi)
{
	static const int numbers[] = { 1, 2, 4, 4 }; /* by enum clopt_outputs */
	struct clopt_potential_options o = r->potential;
	const int floats = numbers[o.outputs];
	static float nothing[4];
	size_t first, n = part_of(r->targets, all.rank, &first);
	float *own = malloc(4 * (n + 1) * sizeof *own), *out = malloc(4 * (n + 1) * sizeof *out),
	      *normals = malloc(4 * (n + 1) * sizeof *normals);
	int rc;

	if (!own || !out || !normals)
		stop("no memory for this rank's points");
	deal(targets, NULL, own, r->targets, 4);
	if (r->normals)
		deal(o.normals, NULL, normals, r->targets, 4);
	o.normals = r->normals ? normals : NULL;
	o.charge = o.charge ? &r->charge : NULL;
	if (all.rank)
		o.depths = NULL; /* of no source */
	rc = clopt_mpi_potential(all.mpi, nsources, sources, n, own, out, &o);
	if (rc == CLOPT_OK)
		deal(NULL, phi ? phi : nothing, out, r->targets, floats);
	free(own);
	free(out);
	free(normals);
	return rc;
}

static void serve_one(struct request *r, const struct clopt_options *device)
{
	if (r->kind == OPEN) {
		clopt_mpi_open(&all.mpi, MPI_COMM_WORLD, device);
	} else if (r->kind == POTENTIAL) {
		potential(r, 0, NULL, NULL, NULL);
	} else if (r->kind == EVOLVE) {
		r->evolve.each = NULL;
		clopt_mpi_nbody_evolve(all.mpi, 0, NULL, NULL, r->dt, r->steps, &r->evolve);
	}
}

int ranks_serve(int asked, const struct clopt_options *device, struct fault *e)
{
	struct request r;

	if (!asked != !all.ranks)
		return fail(e, "--mpi: write the option in full, and name no file so");
	while (all.ranks && all.rank && !all.ended) {
		ask(&r);
		serve_one(&r, device);
	}
	return all.rank != 0;
}

/* At exit. */
static void end(void)
{
	struct request r = { .kind = END };

	if (all.rank == 0)
		ask(&r);
	while (!all.ended) { /* a rank that ends early: the others get the same command line */
		ask(&r);
		if (r.kind != END)
			stop("this rank has ended before rank 0");
	}
	clopt_mpi_close(all.mpi);
	MPI_Finalize();
}

void ranks_begin(int argc, char **argv)
{
	int i, asked = 0;

	for (i = 1; i < argc; i++)
		asked |= !strcmp(argv[i], "--mpi");
	if (!asked)
		return;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &all.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &all.ranks);
	all.errors = all.rank ? fdopen(dup(STDERR_FILENO), "w") : stderr;
	if (!all.errors || (all.rank && (!freopen("/dev/null", "w", stdout) ||
	                                 !freopen("/dev/null", "w", stderr))))
		MPI_Abort(MPI_COMM_WORLD, 1);
	atexit(end);
}

int ranks_open(struct clopt **c, const struct clopt_options *device)
{
	struct request r = { .kind = OPEN };
	int rc;

	if (!all.ranks)
		return clopt_open(c, device);
	ask(&r);
	rc = clopt_mpi_open(&all.mpi, MPI_COMM_WORLD, device);
	*c = rc == CLOPT_OK ? clopt_mpi_context(all.mpi) : NULL;
	return rc;
}

const char *ranks_error(const struct clopt *c)
{
	return all.ranks ? clopt_mpi_error(c ? all.mpi : NULL) : clopt_error(c);
}

void ranks_close(struct clopt *c)
{
	if (!all.ranks)
		clopt_close(c); /* else at exit, by all */
}

int ranks_potential(struct clopt *c, size_t nsources, const float *sources, size_t ntargets,
                    const float *targets, float *phi, const struct clopt_potential_options *options)
{
	struct request r = { .kind = POTENTIAL, .targets = ntargets, .potential = *options };

	if (!all.ranks)
		return clopt_potential(c, nsources, sources, ntargets, targets, phi, options);
	r.normals = options->normals != NULL;
	r.charge = options->charge ? *options->charge : 0;
	ask(&r);
	return potential(&r, nsources, sources, targets, phi);
}

int ranks_evolve(struct clopt *c, size_t n, double *bodies, double *velocities, double dt,
                 size_t steps, const struct clopt_evolve_options *options)
{
	struct request r = { .kind = EVOLVE, .steps = steps, .dt = dt, .evolve = *options };

	if (!all.ranks)
		return clopt_nbody_evolve(c, n, bodies, velocities, dt, steps, options);
	ask(&r);
	return clopt_mpi_nbody_evolve(all.mpi, n, bodies, velocities, dt, steps, options);
}

#endif
