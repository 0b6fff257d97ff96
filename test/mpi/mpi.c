/* SPDX-License-Identifier: MIT */
/*
 * mpi.c - libclopt-mpi on the ranks of mpirun: what ranks compute together has the bits of what
 * rank 0 computes alone, and a failure on one is a status on all.
 *
 *	mpi [kill]   kill: the last rank ends in the middle of a run
 */
#include <clopt_mpi.h>
#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	SOURCES = 3000,
	TARGETS = 2500,
	BODIES = 2000,
	STEPS = 6
};

static int rank, ranks;
static struct clopt_mpi *mpi;

#define CHECK(condition) \
	do { \
		if (!(condition)) { \
			fprintf(stderr, "rank %d: %s:%d: %s (%s)\n", rank, __FILE__, __LINE__, \
			        #condition, clopt_mpi_error(mpi)); \
			MPI_Abort(MPI_COMM_WORLD, 1); \
		} \
	} while (0)

/* Uneven parts: none, a few, and much. */
static size_t begin_of(int r, size_t n)
{
	return r <= 0              ? 0 :
	       r >= ranks          ? n :
	       ranks > 2 && r == 1 ? 0 :
	                             n * (size_t)(r * r) / (size_t)(ranks * ranks);
}

static void random_numbers(float *x, size_t n, unsigned state)
{
	size_t i;

	for (i = 0; i < n; i++) {
		state = state * 1664525u + 1013904223u;
		x[i] = (float)(state >> 8) / (float)(1 << 24);
	}
}

/* Everything, on rank 0; malloc'ed. */
static char *gather(const void *part, size_t first, size_t count, size_t all, size_t bytes)
{
	char *got = malloc(all * bytes);
	int *counts = malloc(2 * (size_t)ranks * sizeof *counts),
	    own[2] = { (int)(first * bytes), (int)(count * bytes) },
	    *list = malloc(2 * (size_t)ranks * sizeof *list), i;

	CHECK(got && counts && list);
	MPI_Gather(own, 2, MPI_INT, list, 2, MPI_INT, 0, MPI_COMM_WORLD);
	for (i = 0; i < ranks && rank == 0; i++) {
		counts[i] = list[2 * i + 1];
		counts[ranks + i] = list[2 * i];
	}
	MPI_Gatherv(part, own[1], MPI_BYTE, got, counts, counts + ranks, MPI_BYTE, 0,
	            MPI_COMM_WORLD);
	free(counts);
	free(list);
	return got;
}

/* Whether everything is the same on rank 0. */
static void compare(const char *what, const void *part, size_t first, size_t count,
                    const void *want, size_t all, size_t bytes)
{
	char *got = gather(part, first, count, all, bytes);

	if (rank == 0 && memcmp(got, want, all * bytes)) {
		fprintf(stderr, "mpi: %s: not the bits of one rank\n", what);
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	free(got);
}

static float source[4 * SOURCES], target[4 * TARGETS], depth[SOURCES], out[4 * TARGETS],
        want[4 * TARGETS];

static void pairs(void)
{
	const size_t s = begin_of(rank, SOURCES), sn = begin_of(rank + 1, SOURCES) - s;
	const size_t t = begin_of(rank, TARGETS), tn = begin_of(rank + 1, TARGETS) - t;
	struct clopt *ctx = clopt_mpi_context(mpi);
	struct clopt_potential_options o = CLOPT_POTENTIAL_OPTIONS_INIT;
	struct clopt_nbody_options b = CLOPT_NBODY_OPTIONS_INIT;
	int way;

	random_numbers(source, 4 * SOURCES, 1);
	random_numbers(target, 4 * TARGETS, 2);
	random_numbers(depth, SOURCES, 3);
	for (way = 0; way < 3; way++) {
		/* Coulomb, ALPB by the sum of the charges, and inside the molecule with depths. */
		o.law = way ? CLOPT_LAW_ALPB : CLOPT_LAW_COULOMB;
		o.radius = way ? 4 : 0;
		o.depths = way == 2 && sn ? depth + s : NULL;
		CHECK(clopt_mpi_potential(mpi, sn, source + 4 * s, tn, target + 4 * t, out + t,
		                          &o) == CLOPT_OK);
		o.depths = way == 2 ? depth : NULL;
		CHECK(rank ||
		      clopt_potential(ctx, SOURCES, source, TARGETS, target, want, &o) == CLOPT_OK);
		compare("potential", out + t, t, tn, want, TARGETS, sizeof *out);
	}
	b.softening = 0.01;
	CHECK(clopt_mpi_nbody(mpi, sn, source + 4 * s, tn, target + 4 * t, out + 4 * t, &b) ==
	      CLOPT_OK);
	CHECK(rank || clopt_nbody(ctx, SOURCES, source, TARGETS, target, want, &b) == CLOPT_OK);
	compare("gravity", out + 4 * t, t, tn, want, TARGETS, 4 * sizeof *out);
	/* Nothing at all. */
	CHECK(clopt_mpi_nbody(mpi, 0, NULL, 0, NULL, NULL, NULL) == CLOPT_OK);
}

/* By a tree on each rank: not the bits of one, but of all targets 99 of 100 are within the
 * tolerance. */
static void tolerant(void)
{
	const size_t s = begin_of(rank, SOURCES), sn = begin_of(rank + 1, SOURCES) - s;
	const size_t t = begin_of(rank, TARGETS), tn = begin_of(rank + 1, TARGETS) - t;
	struct clopt *ctx = clopt_mpi_context(mpi);
	struct clopt_nbody_options o = CLOPT_NBODY_OPTIONS_INIT;
	struct clopt_report r = CLOPT_REPORT_INIT;
	float *got;
	size_t i, c, off = 0, different = 0;

	CHECK(rank || clopt_nbody(ctx, SOURCES, source, TARGETS, target, want, &o) == CLOPT_OK);
	o.tolerance = 1e-3;
	o.order = 3;
	CHECK(clopt_mpi_nbody(mpi, sn, source + 4 * s, tn, target + 4 * t, out + 4 * t, &o) ==
	      CLOPT_OK);
	CHECK(clopt_last_report(ctx, &r) == CLOPT_OK);
	CHECK(!tn || (r.tree_order == 3 && r.error_99 <= o.tolerance));
	got = (float *)(void *)gather(out + 4 * t, t, tn, TARGETS, 4 * sizeof *out);
	for (i = 0; i < TARGETS && rank == 0; i++) {
		double apart = 0, size = 0;

		for (c = 4 * i; c < 4 * i + 3; c++) {
			const double right = (double)want[c], d = (double)got[c] - right;

			apart += d * d;
			size += right * right;
		}
		off += apart > o.tolerance * o.tolerance * size;
		different += apart > 0;
	}
	CHECK(100 * off <= TARGETS && (rank || different));
	free(got);
}

static double body[2][4 * BODIES], velocity[2][4 * BODIES];

struct seen {
	size_t calls, last, stop;
	double energy;
};

static int each(void *user, size_t step, const double *bodies, const double *velocities,
                const struct clopt_conserved *sums)
{
	struct seen *s = user;

	(void)bodies;
	(void)velocities;
	s->calls++;
	s->last = step;
	s->energy = sums->kinetic + sums->potential;
	return s->stop && step == s->stop;
}

static int kill_at(void *user, size_t step, const double *bodies, const double *velocities,
                   const struct clopt_conserved *sums)
{
	(void)user;
	(void)bodies;
	(void)velocities;
	(void)sums;
	if (step == 2 && rank == ranks - 1)
		raise(SIGKILL);
	return 0;
}

static void begin_bodies(void)
{
	float *x = malloc(8 * BODIES * sizeof *x);
	size_t i, k;

	random_numbers(x, 8 * BODIES, 4);
	for (k = 0; k < 2; k++)
		for (i = 0; i < 4 * BODIES; i++) {
			body[k][i] = i % 4 == 3 ? x[i] / BODIES : x[i];
			velocity[k][i] = i % 4 == 3 ? 0 : x[4 * BODIES + i] - 0.5;
		}
	free(x);
}

static void moving(int integrator, int precision, size_t stop)
{
	const size_t f = begin_of(rank, BODIES), n = begin_of(rank + 1, BODIES) - f;
	struct clopt_evolve_options o = CLOPT_EVOLVE_OPTIONS_INIT;
	struct seen together = { .stop = stop }, alone = { .stop = stop };

	begin_bodies();
	o.integrator = integrator;
	o.precision = precision;
	o.softening = 0.02;
	o.every = 2;
	/* On one rank: the last, which has most bodies. */
	o.each = rank == ranks - 1 ? each : NULL;
	o.user = &together;
	CHECK(clopt_mpi_nbody_evolve(mpi, n, body[0] + 4 * f, velocity[0] + 4 * f, 0.001, STEPS,
	                             &o) == CLOPT_OK);
	o.each = each;
	o.user = &alone;
	CHECK(clopt_nbody_evolve(clopt_mpi_context(mpi), BODIES, body[1], velocity[1], 0.001, STEPS,
	                         &o) == CLOPT_OK);
	if (rank == ranks - 1)
		CHECK(together.calls == alone.calls && together.last == alone.last &&
		      together.energy == alone.energy);
	compare("bodies", body[0] + 4 * f, f, n, body[1], BODIES, 4 * sizeof(double));
	compare("velocities", velocity[0] + 4 * f, f, n, velocity[1], BODIES, 4 * sizeof(double));
}

/* What one rank gets wrong all are told. */
static void failures(void)
{
	const int bad = ranks - 1;
	struct clopt_potential_options o = CLOPT_POTENTIAL_OPTIONS_INIT;
	struct clopt_nbody_options b = CLOPT_NBODY_OPTIONS_INIT;
	struct clopt_evolve_options e = CLOPT_EVOLVE_OPTIONS_INIT;
	struct clopt_options none = CLOPT_OPTIONS_INIT;
	struct {
		struct clopt_nbody_options known;
		double later;
	} newer = { CLOPT_NBODY_OPTIONS_INIT, 0 };
	struct clopt_mpi *other;
	char text[64];

	snprintf(text, sizeof text, "rank %d of %d on ", bad, ranks);
	b.softening = rank == bad ? -1 : 1;
	CHECK(clopt_mpi_nbody(mpi, 10, source, 10, target, out, &b) == CLOPT_EINVAL);
	CHECK(strstr(clopt_mpi_error(mpi), text) &&
	      strstr(clopt_mpi_error(mpi), "softening is -1"));
	CHECK(clopt_mpi_potential(mpi, 10, rank == bad ? NULL : source, 10, target, out, NULL) ==
	      CLOPT_EINVAL);
	CHECK(strstr(clopt_mpi_error(mpi), "sources is NULL"));
	if (ranks > 1) {
		o.depths = rank == bad ? NULL : depth;
		CHECK(clopt_mpi_potential(mpi, 10, source, 10, target, out, &o) == CLOPT_EINVAL);
	}
	o.size = rank == bad ? 5 : sizeof o;
	CHECK(clopt_mpi_potential(mpi, 10, source, 10, target, out, &o) == CLOPT_EINVAL);
	o.size = sizeof o - (rank == bad ? 1 : 0);
	CHECK(clopt_mpi_potential(mpi, 10, source, 10, target, out, &o) == CLOPT_EINVAL);
	begin_bodies();
	e.softening = -2;
	CHECK(clopt_mpi_nbody_evolve(mpi, 10, body[0], velocity[0], 0.1, 3, &e) == CLOPT_EINVAL);
	CHECK(strstr(clopt_mpi_error(mpi), "softening is -2"));
	e.softening = 0.1;
	CHECK(clopt_mpi_nbody_evolve(mpi, 10, body[0], velocity[0], 0.1, rank == bad ? 4 : 3, &e) ==
	      (ranks > 1 ? CLOPT_EINVAL : CLOPT_OK));
	CHECK(ranks == 1 || strstr(clopt_mpi_error(mpi), "differs between ranks"));
	begin_bodies();
	/* The rank that has the number, and the index that it has there. */
	body[0][5] = rank == bad ? (double)NAN : 0;
	CHECK(clopt_mpi_nbody_evolve(mpi, 10, body[0], velocity[0], 0.1, 3, &e) == CLOPT_EINVAL);
	CHECK(strstr(clopt_mpi_error(mpi), text) &&
	      strstr(clopt_mpi_error(mpi), "bodies[5], a coordinate, is"));
	begin_bodies();
	CHECK(clopt_mpi_nbody(mpi, 10, source, rank == bad ? SIZE_MAX / 2 : 10, target, out,
	                      NULL) == CLOPT_EINVAL);
	CHECK(strstr(clopt_mpi_error(mpi), text) && strstr(clopt_mpi_error(mpi), "ntargets is"));
	CHECK(clopt_mpi_nbody(mpi, 10, source, rank == bad ? SIZE_MAX / 16 : 10, target, out,
	                      NULL) == CLOPT_EINVAL);
	CHECK(strstr(clopt_mpi_error(mpi), text) && strstr(clopt_mpi_error(mpi), "ntargets is"));
	/* All together are 0 again. */
	CHECK(clopt_mpi_nbody(mpi, 10, source, SIZE_MAX / 2 + 1, target, out, NULL) ==
	      CLOPT_EINVAL);
	CHECK(strstr(clopt_mpi_error(mpi), "ntargets is"));
	CHECK(clopt_mpi_nbody(mpi, rank == bad ? (size_t)1 << 31 : 10, source, 10, target, out,
	                      NULL) == CLOPT_EINVAL);
	CHECK(strstr(clopt_mpi_error(mpi), text) && strstr(clopt_mpi_error(mpi), "2147483648"));
	CHECK(clopt_mpi_open(rank == bad ? NULL : &other, MPI_COMM_WORLD, NULL) != CLOPT_OK);
	CHECK(!memcmp(body[0], body[1], sizeof *body));
	none.device = rank == bad ? "no such device" : NULL;
	CHECK(clopt_mpi_open(&other, MPI_COMM_WORLD, &none) == CLOPT_ENODEVICE);
	CHECK(!other && strstr(clopt_mpi_error(NULL), text));
	b.softening = 0.1;
	CHECK(clopt_mpi_nbody(mpi, 10, source, 10, target, out, &b) == CLOPT_OK);
	/* A newer header, whose last field has its default, or not on one rank. */
	newer.known.size = sizeof newer;
	CHECK(clopt_mpi_nbody(mpi, 10, source, 10, target, out, &newer.known) == CLOPT_OK);
	newer.later = rank == bad;
	CHECK(clopt_mpi_nbody(mpi, 10, source, 10, target, out, &newer.known) == CLOPT_EINVAL);
}

int main(int argc, char **argv)
{
	struct clopt_evolve_options o = CLOPT_EVOLVE_OPTIONS_INIT;
	struct clopt_options copied = CLOPT_OPTIONS_INIT;

	if (clopt_mpi_open(&mpi, MPI_COMM_WORLD, NULL) != CLOPT_EINVAL)
		return 1; /* not yet */
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	CHECK(clopt_mpi_open(&mpi, MPI_COMM_WORLD, NULL) == CLOPT_OK);
	if (argc > 1) {
		begin_bodies();
		o.every = 1;
		o.each = kill_at;
		clopt_mpi_nbody_evolve(mpi, BODIES, body[0], velocity[0], 0.001, 100000, &o);
		return 1;
	}
	pairs();
	tolerant();
	clopt_mpi_close(mpi);
	/* Nothing in place: sources go to the device in parts, as they come. */
	copied.transfer = CLOPT_TRANSFER_DRIVER;
	CHECK(clopt_mpi_open(&mpi, MPI_COMM_WORLD, &copied) == CLOPT_OK);
	pairs();
	moving(CLOPT_INTEGRATOR_KICK_DRIFT_KICK, CLOPT_PRECISION_FLOAT, 0);
	moving(CLOPT_INTEGRATOR_HERMITE, CLOPT_PRECISION_BEST, 0);
	moving(CLOPT_INTEGRATOR_HERMITE, CLOPT_PRECISION_DOUBLE_SINGLE, 4);
	failures();
	clopt_mpi_close(mpi);
	if (rank == 0)
		printf("mpi: %d ranks: right\n", ranks);
	MPI_Finalize();
	return 0;
}
