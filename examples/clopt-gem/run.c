/* SPDX-License-Identifier: MIT */
/*
 * run.c - the computing: one call of clopt_potential, or several in a row.
 *
 * A person at a terminal wants to see that a long job moves; then the points go
 * through in slices of about a third of a second.  Otherwise there is one call,
 * since the library cuts a job better than its caller can.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gem.h"

/* CODATA 2018, at 298.15 K. */
static const double coulomb = 332.06371; /* kcal A / (mol e^2) */
static const struct gem_unit units[] = {
	{ "kcal", "kcal/mol/e", 1 },
	{ "kT", "kT/e", 1 / 0.592485 },
	{ "mV", "mV", 43.3641 },
};

const struct gem_unit *gem_unit(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof units / sizeof *units; i++)
		if (strcmp(units[i].name, name) == 0)
			return &units[i];
	return NULL;
}

double gem_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A float near the origin has more digits behind the point, and files may have
 * their molecule far from it. */
static void pack(float *to, const double at[3], const double centre[3], double weight)
{
	int i;

	for (i = 0; i < 3; i++)
		to[i] = (float)(at[i] - centre[i]);
	to[3] = (float)weight;
}

static int arrays(const struct gem_molecule *m, const struct gem_points *p, float **sources,
                  float **targets, float **value)
{
	size_t i;
	double at[3];

	*sources = malloc(m->n * 4 * sizeof **sources);
	*targets = malloc(p->n * 4 * sizeof **targets);
	*value = calloc(p->n, sizeof **value);
	if (!*sources || !*targets || !*value)
		return -1;
	for (i = 0; i < m->n; i++) {
		at[0] = m->atom[i].x;
		at[1] = m->atom[i].y;
		at[2] = m->atom[i].z;
		pack(*sources + 4 * i, at, m->centre, m->atom[i].q);
	}
	for (i = 0; i < p->n; i++)
		pack(*targets + 4 * i, p->at[i], m->centre, 0);
	return 0;
}

static void show(double begun, size_t done, size_t n, double rate)
{
	if (gem_seconds() - begun < 1)
		return;
	fprintf(stderr, "\r%5.1f %%  %.3g pairs/s ", 100 * (double)done / (double)n, rate);
	fflush(stderr);
}

/*
 * The next slice after one of done points in the given time: what a third of a
 * second would do, but at most 8 times the last, for the first ones measure
 * more overhead than speed.
 */
static size_t slice(size_t last, double seconds)
{
	double want = 0.3 * (double)last / fmax(seconds, 1e-9);

	return (size_t)fmax(fmin(want, 8 * (double)last), 64);
}

static int compute(struct gem_result *r, struct clopt *c, const struct gem_molecule *m,
                   const float *sources, const float *targets, double scale, int progress)
{
	struct clopt_potential_options o = CLOPT_POTENTIAL_OPTIONS_INIT;
	double begun = gem_seconds(), at, now;
	size_t done = 0, n = progress ? 1024 : r->n;
	int rc = CLOPT_OK;

	o.scale = scale;
	for (; done < r->n; done += n, n = slice(n, now - at)) {
		if (n > r->n - done)
			n = r->n - done;
		at = gem_seconds();
		rc = clopt_potential(c, m->n, sources, n, targets + 4 * done, r->value + done, &o);
		now = gem_seconds();
		if (rc)
			break;
		if (progress)
			show(begun, done + n, r->n, (double)m->n * (double)n / (now - at));
	}
	if (progress)
		fprintf(stderr, "\r%40s\r", "");
	r->seconds = gem_seconds() - begun;
	r->pairs = (double)m->n * (double)r->n;
	return rc;
}

static void statistics(struct gem_result *r)
{
	double v, sum = 0;
	size_t i;

	r->min = r->max = r->n ? (double)r->value[0] : 0;
	for (i = 0; i < r->n; i++) {
		v = (double)r->value[i];
		r->min = v < r->min ? v : r->min;
		r->max = v > r->max ? v : r->max;
		sum += v * v;
	}
	r->rms = r->n ? sqrt(sum / (double)r->n) : 0;
}

/* The library names its field; who ran the program wrote an option. */
static int open_failed(const struct clopt_options *options, struct gem_error *e)
{
	const char *why = clopt_error(NULL);

	if (options->device && strstr(why, "clopt_options.device"))
		return gem_fail(e, "--device %.100s: %s", options->device, why);
	return gem_fail(e, "%s", why);
}

/* Open the device and have the kernel built, so that the time of the computing
 * is that of the computing. */
static int prepare(struct clopt **c, struct gem_result *r, const struct clopt_options *options,
                   size_t sources, struct gem_error *e)
{
	struct clopt_problem problem = { sizeof problem, CLOPT_POTENTIAL, { 0, 0, 0 }, 0, 0, 0 };
	struct clopt_device_info info;
	double begun = gem_seconds();
	const char *name;

	if (clopt_open(c, options))
		return open_failed(options, e);
	memset(&info, 0, sizeof info);
	info.size = sizeof info;
	if (clopt_device(*c, &info))
		return gem_fail(e, "%s", clopt_error(*c));
	snprintf(r->device, sizeof r->device, "%s", info.name);
	problem.dim[0] = sources;
	problem.dim[1] = r->n;
	/* If nothing serves, the call itself says so better. */
	name = clopt_choice(*c, &problem);
	snprintf(r->variant, sizeof r->variant, "%s", name ? name : "");
	r->setup_seconds = gem_seconds() - begun;
	return 0;
}

int gem_run(struct gem_result *r, const struct clopt_options *options, const struct gem_molecule *m,
            const struct gem_points *p, const struct gem_unit *unit, double eps, int progress,
            struct gem_error *e)
{
	struct clopt_report report;
	struct clopt *c = NULL;
	float *sources = NULL, *targets = NULL;
	int rc;

	memset(r, 0, sizeof *r);
	r->n = p->n;
	rc = prepare(&c, r, options, m->n, e);
	if (rc == 0 && arrays(m, p, &sources, &targets, &r->value))
		rc = gem_fail(e, "out of memory for %zu atoms and %zu points", m->n, p->n);
	if (rc == 0 && compute(r, c, m, sources, targets, coulomb * unit->factor / eps, progress))
		rc = gem_fail(e, "%s", clopt_error(c));
	if (rc == 0) {
		memset(&report, 0, sizeof report);
		report.size = sizeof report;
		if (clopt_last_report(c, &report) == CLOPT_OK && report.variant)
			snprintf(r->variant, sizeof r->variant, "%s", report.variant);
		statistics(r);
	} else {
		gem_result_free(r);
	}
	clopt_close(c);
	free(sources);
	free(targets);
	return rc;
}

void gem_result_free(struct gem_result *r)
{
	free(r->value);
	memset(r, 0, sizeof *r);
}
