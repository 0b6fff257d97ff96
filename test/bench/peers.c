/* SPDX-License-Identifier: MIT */
/*
 * peers.c - compares libclopt with OpenBLAS, CLBlast and plain copies, in one run.
 *
 *	peers [--most N] [--only WORDS] [--rounds N] [--seconds S] [--device SPEC]
 *	      [--folder NAME]
 *
 * Libraries that are not installed are left out.  Results are checked before calls are
 * timed.  A ratio is the median over rounds of a peer's time by libclopt's of the same
 * round (meter.h); above 1 libclopt is faster.
 */
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "meter.h"
#include "peers.h"

struct arguments {
	const char *device, *only, *folder;
	size_t most, rounds;
	double seconds;
};

/* Short calls are timed many at a time. */
#define SAMPLE_SECONDS 2e-3

/* OpenBLAS's threads come to rest within this time. */
#define PAUSE_SECONDS 0.04

struct entry {
	const struct peers_candidate *candidate;
	struct peers_job *job;
	size_t repeats;
};

static double run(void *entry)
{
	struct entry *e = entry;
	const double start = meter_now();
	size_t i;

	for (i = 0; i < e->repeats; i++)
		if (e->candidate->call(e->job) != 0)
			return -1.0;
	if (clFinish(e->job->d->queue) != CL_SUCCESS)
		return -1.0;
	return (meter_now() - start) / (double)e->repeats;
}

/* Two calls: one to compile and check the result, one to measure its time. */
static int prepare(struct entry *e, const char *name)
{
	double error = 0.0, seconds;

	e->repeats = 1;
	if (peers_job_spoil(e->job) || run(e) < 0.0) {
		printf("%s: %s failed: %s\n", name, e->candidate->name,
		       clopt_error(e->job->d->ctx));
		return 1;
	}
	if (e->candidate->exact)
		error = peers_job_error(e->job);
	if (!(error <= 1.0)) {
		printf("%s: %s is wrong: its error is %.3g times what it may be\n", name,
		       e->candidate->name, error);
		return 1;
	}
	seconds = run(e);
	if (seconds < SAMPLE_SECONDS)
		e->repeats = (size_t)(SAMPLE_SECONDS / fmax(seconds, 1e-6)) + 1;
	return 0;
}

static void print_own(const char *name, const struct peers_case *c, double seconds)
{
	const double flops = peers_case_flops(c);

	printf("%-26s %10.3f ms %8.1f %s", name, 1e3 * seconds,
	       1e-9 * (flops > 0.0 ? flops : peers_case_bytes(c)) / seconds,
	       flops > 0.0 ? "GFLOP/s" : "GB/s   ");
}

/* Compares the entries of turn[], the first of which is libclopt. */
static int compare(struct meter_turn *turn, size_t n, const char *name, const struct peers_case *c,
                   const struct arguments *args, struct peers_results *results)
{
	const struct entry *first = turn[0].what;
	const struct meter_rules rules = { .rounds = args->rounds,
		                           .seconds = args->seconds,
		                           .pause = first->job->d->cpu ? PAUSE_SECONDS : 0.0,
		                           .calibrate = first->job->d->cpu };
	double ratio[METER_MOST];
	size_t i, k, forced, rounds = meter_turns(turn, n, &rules, &forced);
	int rc = 0;

	print_own(name, c, meter_spread(turn[0].seconds, rounds).median);
	for (i = 1; i < n; i++) {
		const struct entry *e = turn[i].what;
		struct peers_result r = { .peer = e->candidate->name };
		struct meter_spread s;

		for (k = 0; k < rounds; k++)
			ratio[k] = turn[i].seconds[k] / turn[0].seconds[k];
		s = meter_spread(ratio, rounds);
		printf("  %s %.3g (%.3g-%.3g)", r.peer, s.median, s.least, s.most);
		snprintf(r.name, sizeof r.name, "%s", name);
		r.ratio = s.median;
		r.least = s.least;
		r.most = s.most;
		rc |= peers_results_add(results, &r);
	}
	printf("  %zu rounds, %zu slow\n", rounds, forced);
	fflush(stdout);
	return rc;
}

/* 0; 1 if libclopt failed or is wrong.  A peer that fails or is wrong is left out. */
static int one_case(struct peers_device *d, const struct peers_case *c,
                    const struct arguments *args, struct peers_results *results)
{
	struct meter_turn turn[PEERS_CANDIDATES];
	struct entry entry[PEERS_CANDIDATES];
	struct peers_job job;
	char name[PEERS_NAME];
	size_t i, n = 0;
	int rc = 1;

	peers_case_name(c, name);
	if (args->only && !strstr(name, args->only))
		return 0;
	if (peers_job_open(&job, d, c))
		goto out;
	for (i = 0; i < PEERS_CANDIDATES; i++) {
		entry[n] = (struct entry){ &peers_candidates[i], &job, 1 };
		turn[n].run = run;
		turn[n].what = &entry[n];
		if (entry[n].candidate->has(&job) && prepare(&entry[n], name) == 0)
			n++;
		else if (i == 0)
			goto out;
	}
	rc = compare(turn, n, name, c, args, results);
out:
	peers_job_close(&job);
	return rc;
}

static int read_arguments(struct arguments *args, int argc, char **argv)
{
	static const struct option options[] = {
		{ "most", required_argument, NULL, 'm' },
		{ "only", required_argument, NULL, 'o' },
		{ "rounds", required_argument, NULL, 'r' },
		{ "seconds", required_argument, NULL, 's' },
		{ "device", required_argument, NULL, 'd' },
		{ "folder", required_argument, NULL, 'f' },
		{ NULL, 0, NULL, 0 },
	};
	int letter, bad = 0;

	while ((letter = getopt_long(argc, argv, "", options, NULL)) != -1)
		switch (letter) {
		case 'm':
			args->most = strtoul(optarg, NULL, 10);
			bad |= args->most == 0;
			break;
		case 'o':
			args->only = optarg;
			break;
		case 'r':
			args->rounds = strtoul(optarg, NULL, 10);
			bad |= args->rounds == 0 || args->rounds > METER_MOST;
			break;
		case 's':
			args->seconds = strtod(optarg, NULL);
			break;
		case 'd':
			args->device = optarg;
			break;
		case 'f':
			args->folder = optarg;
			break;
		default:
			bad = 1;
		}
	if (bad || optind < argc)
		fprintf(stderr,
		        "usage: peers [--most N] [--only WORDS] [--rounds 1 to %d] [--seconds S]\n"
		        "             [--device SPEC] [--folder NAME]\n",
		        METER_MOST);
	return bad || optind < argc;
}

static void print_head(const struct peers_device *d)
{
	printf("%s\nbeside %s%s%s, and copies\n", d->info.name,
	       peers_blas.name[0] ? peers_blas.name : "no OpenBLAS (Debian: libopenblas0)",
	       peers_blas.name[0] && !d->cpu ? ", which runs elsewhere and is left out" : "",
	       peers_clblast.name[0] ? ", CLBlast" : ", no CLBlast (Debian: libclblast1)");
	printf("Behind each peer: its time by libclopt's, above 1 libclopt is faster; median over "
	       "rounds\nand least to most.\n\n");
}

int main(int argc, char **argv)
{
	struct arguments args = { .folder = "build/bench", .rounds = 9, .seconds = 1.0 };
	struct peers_results results = { .used = 0 };
	struct peers_device device;
	struct peers_case c;
	size_t i;
	int rc = read_arguments(&args, argc, argv) ? 2 : 0;

	if (rc)
		return rc;
	peers_load();
	rc = peers_device_open(&device, args.device);
	if (rc)
		goto out;
	if (args.most == 0)
		args.most = device.cpu ? 2048 : 8192;
	print_head(&device);
	mkdir(args.folder, 0777); /* if it is not there */
	/* Written again after each case, so that an interrupted run leaves its results. */
	for (i = 0; peers_case(i, args.most, &c); i++) {
		rc |= one_case(&device, &c, &args, &results);
		rc |= peers_results_write(&results, args.folder, device.info.name);
	}
	if (results.used > 0) {
		printf("\n");
		peers_results_at_goal(&results, stdout);
		printf("As CSV and bars: %s\n", args.folder);
	}
out:
	peers_device_close(&device);
	free(results.list);
	return rc;
}
