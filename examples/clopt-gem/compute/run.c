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

#include "../../common/device.h"
#include "../../common/progress.h"
#include "../../common/ranks.h"
#include "compute.h"

/* Kernels that took part: of each batch the host's for a few points, and two more. */
#define MOST_ROWS (3 * GEM_BATCHES)

/* The state that the calls of one job share. */
struct bench {
	struct gem_work *w;
	struct clopt *c;
	struct gem_marks marks;
	struct gem_places places;
	struct gem_places charges; /* the atoms as points, for the energy */
	float (*source)[4]; /* the atoms, group by group if there are groups */
	float *depth; /* of the sources; NULL: nothing lies inside, or each counts as half the
	                 radius */
	float *out; /* of the largest batch */
	float *reaction; /* at the atoms; NULL: no energy is asked for */
	float *part; /* of one group, at all points */
	struct {
		const char *name; /* of the library */
		double pairs;
	} row[MOST_ROWS];
	double begun; /* for the progress */
	size_t done, all;
};

/* The i-th source as an atom of the molecule. */
static size_t atom(const struct gem_work *w, size_t i)
{
	return w->groups.n ? w->groups.atom[i] : i;
}

/* Is a batch inside the molecule, where depths matter? */
static int inside(int batch)
{
	return batch == GEM_INSIDE || batch == GEM_AT_ATOMS;
}

/* As the kernels take them, at most the molecule's radius. */
static int depths(struct bench *b)
{
	const struct gem_work *w = b->w;
	size_t i;

	if (!b->marks.depth)
		return 0;
	b->depth = malloc(w->m.n * sizeof *b->depth);
	for (i = 0; b->depth && i < w->m.n; i++)
		b->depth[i] = (float)fmin(b->marks.depth[atom(w, i)], w->model.potential.radius);
	return b->depth ? 0 : -1;
}

/* Sources, and room for the results. */
static int arrays(struct bench *b)
{
	struct gem_work *w = b->w;
	struct gem_result *r = &w->r;
	size_t i, most = w->o.energy ? w->m.n : 0;

	for (i = 0; i < GEM_BATCHES; i++)
		most = b->places.batch[i].n > most ? b->places.batch[i].n : most;
	b->out = malloc(most * (w->o.field ? 4 : 1) * sizeof *b->out);
	b->source = malloc(w->m.n * sizeof *b->source);
	r->value = calloc(r->n, sizeof *r->value);
	if (w->o.field)
		r->field = calloc(r->n, sizeof *r->field);
	if (w->groups.n)
		b->part = malloc(r->n * sizeof *b->part);
	if (w->o.energy)
		b->reaction = malloc(w->m.n * sizeof *b->reaction);
	if (!b->out || !b->source || !r->value || (w->o.field && !r->field) ||
	    (w->groups.n && !b->part) || (w->o.energy && !b->reaction))
		return -1;
	for (i = 0; i < w->m.n; i++) {
		const struct gem_atom *a = &w->m.atom[atom(w, i)];

		gem_pack(b->source[i], a->at, w->m.centre, a->q);
	}
	return depths(b);
}

static void show(const struct bench *b)
{
	const double seconds = seconds_now() - b->begun, share = (double)b->done / (double)b->all;

	progress_say("%.1f %%, %.0f s to go", 100 * share, seconds * (1 - share) / share);
}

/*
 * The size of the next slice, from the size and the time of the last: a third of a second's work,
 * but at most 8 times the last size, since the first slices measure mostly overhead.
 */
static size_t slice(size_t last, double seconds)
{
	double want = 0.3 * (double)last / fmax(seconds, 1e-9);

	return (size_t)fmax(fmin(want, 8 * (double)last), 64);
}

/* The options of the library for a batch. */
static struct clopt_potential_options options(const struct bench *b, const struct gem_places *p,
                                              int batch, int outputs)
{
	struct clopt_potential_options o = b->w->model.potential;

	o.outputs = outputs;
	o.projection = p->batch[batch].projection;
	if (batch == GEM_AT_ATOMS)
		o.part = CLOPT_PART_REACTION;
	else if (batch == GEM_AT_ATOMS_COULOMB)
		o.part = CLOPT_PART_COULOMB;
	return o;
}

/* The law that the library takes for a batch. */
static int law(const struct clopt_potential_options *o, int batch)
{
	static const int without[] = { CLOPT_LAW_ALPB_INSIDE, CLOPT_LAW_COULOMB, CLOPT_LAW_COULOMB,
		                       CLOPT_LAW_ALPB_INSIDE };
	static const int salt[] = { CLOPT_LAW_ALPB_INSIDE_SALT, CLOPT_LAW_ALPB_SALT,
		                    CLOPT_LAW_ALPB_FAR, CLOPT_LAW_ALPB_INSIDE_SALT };

	if (o->law == CLOPT_LAW_DISTANCE4)
		return CLOPT_LAW_DISTANCE4;
	if (o->law == CLOPT_LAW_DEBYE)
		return CLOPT_LAW_DEBYE;
	if (!gem_is_alpb(o))
		return CLOPT_LAW_COULOMB;
	return o->kappa > 0 ? salt[batch] : without[batch];
}

/* The results of n targets of a batch, from `first` on, are added to value and field; field NULL:
 * there is none. */
static void scatter(const struct gem_batch *t, size_t first, size_t n, const float *out,
                    float *value, float (*field)[3])
{
	size_t i, to;
	int k;

	for (i = first; i < first + n; i++) {
		to = t->index ? t->index[i] : i;
		for (k = 0; field && k < 3; k++)
			field[to][k] += *out++;
		value[to] += *out++;
	}
}

/* How a call over so many pairs went: its kernel, and its tree. */
static void tell(struct bench *b, double pairs)
{
	struct clopt_report report = { .size = sizeof report };
	struct gem_result *r = &b->w->r;
	int i = 0;

	if (clopt_last_report(b->c, &report) || !report.variant)
		return;
	while (i < MOST_ROWS - 1 && b->row[i].name && strcmp(b->row[i].name, report.variant) != 0)
		i++;
	b->row[i].name = report.variant;
	b->row[i].pairs += pairs;
	if (!b->w->o.tolerance || !report.tree_order)
		return;
	r->tree_order = report.tree_order;
	r->error_99 = fmax(r->error_99, report.error_99);
}

/* The kernel that did most of the work so far; NULL: none. */
static const char *busiest(const struct bench *b)
{
	int i, most = 0;

	for (i = 1; i < MOST_ROWS; i++)
		if (b->row[i].pairs > b->row[most].pairs)
			most = i;
	return b->row[most].name;
}

/* The potential of n sources, from `first` on, at these points. */
static int compute(struct bench *b, const struct gem_places *p, size_t first, size_t n,
                   float *value, float (*field)[3])
{
	struct clopt_potential_options o;
	size_t done, now;
	double begun;
	int i, rc;

	for (i = 0; i < GEM_BATCHES; i++) {
		const struct gem_batch *t = &p->batch[i];

		o = options(b, p, i, field ? CLOPT_OUTPUTS_FIELD_PHI : CLOPT_OUTPUTS_PHI);
		if (b->depth && inside(i))
			o.depths = b->depth + first;
		/* A tree is built for all points at once. */
		now = progress_shown() && !b->w->o.tolerance ? 1024 : t->n;
		for (done = 0; done < t->n; done += now, now = slice(now, seconds_now() - begun)) {
			now = now < t->n - done ? now : t->n - done;
			if (t->normal)
				o.normals = t->normal[done];
			begun = seconds_now();
			rc = ranks_potential(b->c, n, b->source[first], now, t->target[done],
			                     b->out, &o);
			if (rc)
				return rc;
			shares_add(&b->w->r.shares, b->c, (double)n * (double)now);
			tell(b, (double)n * (double)now);
			scatter(t, done, now, b->out, value, field);
			b->done += n * now;
			show(b);
		}
	}
	return CLOPT_OK;
}

/* Each group by itself. */
static int groups(struct bench *b)
{
	struct gem_groups *all = &b->w->groups;
	const double begun = seconds_now();
	size_t i, at = 0;
	int rc;

	for (i = 0; i < all->n; at += all->group[i++].n) {
		memset(b->part, 0, b->w->r.n * sizeof *b->part);
		rc = compute(b, &b->places, at, all->group[i].n, b->part, NULL);
		if (rc)
			return rc;
		gem_stats(&all->group[i].stats, b->part, b->w->r.n);
	}
	all->seconds = seconds_now() - begun;
	return CLOPT_OK;
}

/* The solvation energy, of all and of each group: half of what each charge has in the potential
 * that the solvent answers with. */
static int energy(struct bench *b)
{
	struct gem_groups *g = &b->w->groups;
	struct gem_result *r = &b->w->r;
	size_t i, j, at = 0;
	int rc;

	memset(b->reaction, 0, b->w->m.n * sizeof *b->reaction);
	rc = compute(b, &b->charges, 0, b->w->m.n, b->reaction, NULL);
	if (rc)
		return rc;
	for (i = 0; i < b->w->m.n; i++)
		r->energy += b->w->m.atom[i].q * (double)b->reaction[i] / 2;
	for (i = 0; i < g->n; i++)
		for (j = 0; j < g->group[i].n; j++, at++)
			g->group[i].energy +=
			        b->w->m.atom[g->atom[at]].q * (double)b->reaction[g->atom[at]] / 2;
	return CLOPT_OK;
}

/* Adds the problems of these outputs to a list of so many. */
static size_t problems(struct bench *b, const struct gem_places *p, int outputs,
                       struct clopt_problem *list, size_t count)
{
	struct clopt_problem problem = { .size = sizeof problem, .op = CLOPT_OP_POTENTIAL };
	int i;

	problem.dim[0] = b->w->m.n;
	problem.outputs = outputs;
	problem.precision = b->w->model.potential.precision;
	for (i = 0; i < GEM_BATCHES; i++) {
		const struct clopt_potential_options o = options(b, p, i, outputs);

		problem.dim[1] = p->batch[i].n;
		problem.normals = p->batch[i].normal != NULL;
		problem.depths = b->depth && inside(i);
		problem.law = law(&o, i);
		if (problem.dim[1])
			list[count++] = problem;
	}
	return count;
}

/* Opens the device and builds the kernels, so that the measured time is that of the computing
 * alone.  r->variant is the last kernel's name, if there is any. */
static int prepare(struct bench *b, struct fault *e)
{
	struct gem_result *r = &b->w->r;
	struct clopt_device_info info = { .size = sizeof info };
	double begun = seconds_now();
	struct clopt_problem list[3 * GEM_BATCHES];
	size_t n = 0, i;
	const char *name;

	progress_say("opening the device");
	if (!b->w->c && ranks_open(&b->w->c, &b->w->o.device))
		return device_refused(ranks_error(NULL), e);
	b->c = b->w->c;
	if (clopt_device_get(b->c, &info))
		return fail(e, "%s", clopt_error(b->c));
	snprintf(r->device, sizeof r->device, "%s", info.name);
	if (b->w->groups.n) /* of which only the potential is wanted */
		n = problems(b, &b->places, CLOPT_OUTPUTS_PHI, list, n);
	n = problems(b, &b->charges, CLOPT_OUTPUTS_PHI, list, n);
	n = problems(b, &b->places, b->w->model.potential.outputs, list, n);
	device_compile(b->c, list, n);
	for (i = 0; i < n; i++)
		if ((name = clopt_chosen_variant(b->c, &list[i])))
			snprintf(r->variant, sizeof r->variant, "%s", name);
	r->setup_seconds = seconds_now() - begun;
	return 0;
}

static int run(struct bench *b)
{
	struct gem_work *w = b->w;
	struct gem_result *r = &w->r;
	int i, rc;

	for (i = 0; i < GEM_BATCHES; i++)
		b->all += w->m.n *
		          (b->places.batch[i].n * (w->groups.n ? 2 : 1) + b->charges.batch[i].n);
	shares_begin(&r->shares, b->c);
	b->begun = seconds_now();
	rc = compute(b, &b->places, 0, w->m.n, r->value, r->field);
	r->seconds = seconds_now() - b->begun;
	r->pairs = (double)w->m.n * (double)r->n;
	if (rc == CLOPT_OK && busiest(b))
		snprintf(r->variant, sizeof r->variant, "%s", busiest(b));
	if (rc == CLOPT_OK && w->groups.n)
		rc = groups(b);
	if (rc == CLOPT_OK && w->o.energy)
		rc = energy(b);
	return rc;
}

/* The charges as points, which are all at atoms. */
static int place_charges(struct bench *b, struct fault *e)
{
	struct clopt_potential_options o = b->w->model.potential;
	const struct gem_molecule *m = &b->w->m;
	struct gem_points p = { 0 };
	size_t i;
	int rc = 0;

	o.part = CLOPT_PART_REACTION;
	for (i = 0; rc == 0 && i < m->n; i++)
		rc = gem_points_add(&p, m->atom[i].at, NULL, e);
	if (rc == 0)
		rc = gem_place(&b->charges, &p, &b->marks, m, &o, e);
	gem_points_free(&p);
	return rc;
}

/* In Angstrom: a point that is so far from all atoms is outside. */
#define OUTSIDE 5

/* May anything be inside, where depths matter? */
static int inner(const struct bench *b)
{
	const struct gem_work *w = b->w;
	const struct clopt_potential_options *o = &w->model.potential;
	size_t i = 0;

	if (!gem_is_alpb(o) || o->gem_compat)
		return 0;
	if (w->p.normal)
		return w->o.energy || o->projection + w->p.offset < 0;
	while (i < w->p.n && !gem_any_within(&b->marks.balls, w->p.at[i], OUTSIDE))
		i++;
	return w->o.energy || i < w->p.n;
}

static int place(struct bench *b, struct fault *e)
{
	struct gem_work *w = b->w;
	const struct clopt_potential_options *o = &w->model.potential;
	const struct gem_points *surface = w->surface.n || w->surface.rolled ? &w->surface : &w->p;

	if (gem_marks(&b->marks, gem_is_alpb(o) ? surface : NULL, &w->m))
		return fail(e, "out of memory for %zu points and %zu atoms", surface->n, w->m.n);
	if (gem_is_alpb(o) && surface->rolled && !b->marks.balls.n)
		return fail(e, "no atom has a radius: there is no surface");
	if (inner(b) && gem_depths(&b->marks, &w->m, o->radius, e))
		return -1;
	if (gem_place(&b->places, &w->p, &b->marks, &w->m, o, e))
		return -1;
	return w->o.energy ? place_charges(b, e) : 0;
}

int gem_run(struct gem_work *w, struct fault *e)
{
	struct gem_result *r = &w->r;
	struct bench b = { .w = w };
	size_t i;
	int rc;

	memset(r, 0, sizeof *r);
	r->n = w->p.n;
	rc = place(&b, e);
	if (rc == 0 && arrays(&b))
		rc = fail(e, "out of memory for %zu atoms and %zu points", w->m.n, r->n);
	if (rc == 0)
		rc = prepare(&b, e);
	if (rc == 0 && run(&b))
		rc = fail(e, "%s", ranks_error(b.c));
	if (rc == 0) {
		for (i = 0; w->o.difference && i < r->n; i++)
			r->value[i] -= w->map.value[i];
		gem_stats(&r->stats, r->value, r->n);
		gem_area_mean(&w->p, r->value, &r->area, &r->area_mean);
		if (w->o.out[GEM_PDB] && !(r->by_atom = gem_by_atom(&w->m, &w->p, r->value)))
			rc = fail(e, "out of memory for %zu atoms and %zu points", w->m.n, r->n);
		for (i = 0; i < GEM_REGIONS; i++)
			r->in[i] = b.places.batch[i].n;
		r->at_atoms = b.places.batch[GEM_AT_ATOMS].n;
		r->in[GEM_INSIDE] += r->at_atoms;
		r->deep = b.places.deep;
		r->touching = b.places.touching;
		r->near = b.places.near;
		r->in_atoms = b.places.in_atoms;
		r->deep_atoms = b.charges.deep;
	}
	if (rc)
		gem_result_free(r);
	gem_places_free(&b.places);
	gem_places_free(&b.charges);
	gem_marks_free(&b.marks);
	free(b.source);
	free(b.depth);
	free(b.out);
	free(b.part);
	free(b.reaction);
	return rc;
}

void gem_result_free(struct gem_result *r)
{
	free(r->value);
	free(r->field);
	free(r->by_atom);
	memset(r, 0, sizeof *r);
}
