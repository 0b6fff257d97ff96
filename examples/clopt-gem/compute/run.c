/* SPDX-License-Identifier: MIT */
/*
 * run.c - the computing: a call of clopt_potential for each batch, or several in
 * a row.
 *
 * At a terminal the points go through in slices of about a third of a second, to show progress.
 * Otherwise there is one call, since the library cuts a job better than its caller can.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../common/opening.h"
#include "compute.h"

/* The state that the calls of one job share. */
struct bench {
	struct clopt *c;
	struct gem_places places;
	float (*source)[4]; /* the atoms in the order wanted */
	float *out; /* of the largest batch */
	float *part; /* of one group, at all points */
	size_t points;
	double begun; /* for the progress */
	size_t done, all;
	int progress;
};

static int sources(struct bench *b, const struct gem_job *job)
{
	const struct gem_molecule *m = job->m;
	size_t i;

	b->source = malloc(m->n * sizeof *b->source);
	if (!b->source)
		return -1;
	for (i = 0; i < m->n; i++) {
		const struct gem_atom *a = &m->atom[job->groups ? job->groups->atom[i] : i];

		b->source[i][0] = (float)(a->x - m->centre[0]);
		b->source[i][1] = (float)(a->y - m->centre[1]);
		b->source[i][2] = (float)(a->z - m->centre[2]);
		b->source[i][3] = (float)a->q;
	}
	return 0;
}

static int results(struct gem_result *r, struct bench *b, const struct gem_job *job)
{
	size_t i, most = 0;

	for (i = 0; i < GEM_BATCHES; i++)
		most = b->places.batch[i].n > most ? b->places.batch[i].n : most;
	b->out = malloc(most * (job->field ? 4 : 1) * sizeof *b->out);
	r->value = calloc(r->n, sizeof *r->value);
	if (job->field)
		r->field = calloc(r->n, sizeof *r->field);
	if (job->groups)
		b->part = malloc(r->n * sizeof *b->part);
	return b->out && r->value && (r->field || !job->field) && (b->part || !job->groups) ? 0 :
	                                                                                      -1;
}

static void show(const struct bench *b)
{
	const double seconds = seconds_now() - b->begun, share = (double)b->done / (double)b->all;

	if (!b->progress || seconds < 1)
		return;
	fprintf(stderr, "\r%5.1f %%, %.0f s to go ", 100 * share, seconds * (1 - share) / share);
	fflush(stderr);
}

/*
 * The size of the next slice, from the size and the time of the last: a third of a second's work, but
 * at most 8 times the last size, since the first slices measure mostly overhead.
 */
static size_t slice(size_t last, double seconds)
{
	double want = 0.3 * (double)last / fmax(seconds, 1e-9);

	return (size_t)fmax(fmin(want, 8 * (double)last), 64);
}

/* The potential of n sources at the targets of a batch, into b->out. */
static int batch(struct bench *b, const struct gem_batch *t, const float (*source)[4],
                 size_t nsources, const struct clopt_potential_options *options)
{
	struct clopt_potential_options o = *options;
	const size_t width = o.outputs == CLOPT_OUTPUTS_FIELD_PHI ? 4 : 1;
	size_t done = 0, n = b->progress ? 1024 : t->n;
	double at, now;
	int rc;

	o.projection = t->projection;
	for (; done < t->n; done += n, n = slice(n, now - at)) {
		if (n > t->n - done)
			n = t->n - done;
		if (t->normal)
			o.normals = t->normal[done];
		at = seconds_now();
		rc = clopt_potential(b->c, nsources, source[0], n, t->target[done],
		                     b->out + width * done, &o);
		now = seconds_now();
		if (rc)
			return rc;
		b->done += nsources * n;
		show(b);
	}
	return CLOPT_OK;
}

/* Added in the order of the points; field NULL: there is none. */
static void scatter(const struct gem_batch *t, const float *out, float *value, float (*field)[3])
{
	size_t i, to;
	int k;

	for (i = 0; i < t->n; i++) {
		to = t->index ? t->index[i] : i;
		for (k = 0; field && k < 3; k++)
			field[to][k] += *out++;
		value[to] += *out++;
	}
}

/* The potential of n sources at all points. */
static int compute(struct bench *b, const float (*source)[4], size_t n,
                   const struct clopt_potential_options *o, float *value, float (*field)[3])
{
	struct gem_call call[GEM_CALLS];
	int i, k, calls, rc;

	memset(value, 0, b->points * sizeof *value);
	if (field)
		memset(field, 0, b->points * sizeof *field);
	for (i = 0; i < GEM_BATCHES; i++) {
		calls = gem_calls(call, &b->places, i, o);
		for (k = 0; k < calls; k++) {
			rc = batch(b, &call[k].batch, source, n, &call[k].options);
			if (rc)
				return rc;
			scatter(&call[k].batch, b->out, value, field);
		}
	}
	return CLOPT_OK;
}

/* Each group by itself. */
static int groups(struct bench *b, const struct gem_job *job)
{
	struct clopt_potential_options o = job->model->potential;
	double begun = seconds_now();
	size_t i, at = 0;
	int rc;

	o.outputs = CLOPT_OUTPUTS_PHI;
	for (i = 0; i < job->groups->n; i++) {
		struct gem_group *g = &job->groups->group[i];

		rc = compute(b, (const float(*)[4])b->source + at, g->n, &o, b->part, NULL);
		if (rc)
			return rc;
		gem_stats(&g->stats, b->part, job->p->n);
		at += g->n;
	}
	job->groups->seconds = seconds_now() - begun;
	return CLOPT_OK;
}

/* Builds the kernels for these outputs.  r->variant is the last kernel's name, if there is any. */
static void build(struct bench *b, const struct gem_job *job, int outputs, struct gem_result *r)
{
	struct clopt_problem problem = { .size = sizeof problem, .op = CLOPT_OP_POTENTIAL };
	struct gem_call call[GEM_CALLS];
	const char *name;
	int i, k, n;

	problem.dim[0] = job->m->n;
	problem.outputs = outputs;
	problem.precision = job->model->potential.precision;
	for (i = 0; i < GEM_BATCHES; i++) {
		n = gem_calls(call, &b->places, i, &job->model->potential);
		for (k = 0; k < n; k++) {
			problem.dim[1] = call[k].batch.n;
			problem.normals = call[k].batch.normal != NULL;
			problem.law = call[k].law;
			/* If no kernel serves, the call itself has the better message. */
			name = clopt_chosen_variant(b->c, &problem);
			if (name)
				snprintf(r->variant, sizeof r->variant, "%s", name);
		}
	}
}

/* Opens the device and builds the kernels, so that the measured time is that of the computing alone. */
static int prepare(struct bench *b, struct gem_result *r, const struct gem_job *job,
                   struct fault *e)
{
	struct clopt_device_info info;
	double begun = seconds_now();

	if (clopt_open(&b->c, job->device)) {
		opening_reason(clopt_error(NULL), e->text, sizeof e->text);
		return -1;
	}
	memset(&info, 0, sizeof info);
	info.size = sizeof info;
	if (clopt_device_get(b->c, &info))
		return fail(e, "%s", clopt_error(b->c));
	snprintf(r->device, sizeof r->device, "%s", info.name);
	if (job->groups) /* of which only the potential is wanted */
		build(b, job, CLOPT_OUTPUTS_PHI, r);
	build(b, job, job->model->potential.outputs, r);
	r->setup_seconds = seconds_now() - begun;
	return 0;
}

static int run(struct bench *b, struct gem_result *r, const struct gem_job *job)
{
	const struct clopt_potential_options *o = &job->model->potential;
	struct clopt_report report;
	int rc;

	b->progress = job->progress;
	b->points = r->n;
	/* Points at atoms take two calls, unless only one part is wanted. */
	b->all = r->n + (o->part == CLOPT_PART_TOTAL ? b->places.batch[GEM_AT_ATOMS].n : 0);
	b->all *= job->m->n * (job->groups ? 2 : 1);
	b->begun = seconds_now();
	rc = compute(b, (const float(*)[4])b->source, job->m->n, o, r->value, r->field);
	r->seconds = seconds_now() - b->begun;
	r->pairs = (double)job->m->n * (double)r->n;
	memset(&report, 0, sizeof report);
	report.size = sizeof report;
	if (rc == CLOPT_OK && clopt_last_report(b->c, &report) == CLOPT_OK && report.variant)
		snprintf(r->variant, sizeof r->variant, "%s", report.variant);
	if (rc == CLOPT_OK && job->groups)
		rc = groups(b, job);
	if (b->progress)
		fprintf(stderr, "\r%40s\r", "");
	return rc;
}

int gem_run(struct gem_result *r, const struct gem_job *job, struct fault *e)
{
	const struct gem_points *surface = job->surface ? job->surface : job->p;
	struct bench b = { 0 };
	size_t i;
	int rc;

	memset(r, 0, sizeof *r);
	r->n = job->p->n;
	rc = gem_place(&b.places, job->p, surface, job->m, job->model, e);
	if (rc == 0)
		rc = prepare(&b, r, job, e);
	if (rc == 0 && (sources(&b, job) || results(r, &b, job)))
		rc = fail(e, "out of memory for %zu atoms and %zu points", job->m->n, r->n);
	if (rc == 0 && run(&b, r, job))
		rc = fail(e, "%s", clopt_error(b.c));
	if (rc == 0) {
		gem_stats(&r->stats, r->value, r->n);
		gem_area_mean(job->p, r->value, &r->area, &r->area_mean);
		for (i = 0; i < GEM_REGIONS; i++)
			r->in[i] = b.places.batch[i].n;
		r->at_atoms = b.places.batch[GEM_AT_ATOMS].n;
		r->in[GEM_INSIDE] += r->at_atoms;
		r->deep = b.places.deep;
		r->touching = b.places.touching;
	} else {
		gem_result_free(r);
	}
	clopt_close(b.c);
	gem_places_free(&b.places);
	free(b.source);
	free(b.out);
	free(b.part);
	return rc;
}

void gem_result_free(struct gem_result *r)
{
	free(r->value);
	free(r->field);
	memset(r, 0, sizeof *r);
}
