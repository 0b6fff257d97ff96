/* SPDX-License-Identifier: MIT */
/*
 * json.c - what was computed, for programs.
 */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../common/json_text.h"
#include "gem.h"

/* json_object_set_new and json_array_append_new take over what they are given,
 * and pass on a failure to make it; so the first failure is kept here, and the
 * parts need not look. */
struct sheet {
	json_t *o;
	int bad;
};

static void put(struct sheet *t, const char *key, json_t *value)
{
	t->bad |= json_object_set_new(t->o, key, value);
}

static void put_text(struct sheet *t, const char *key, const char *s)
{
	put(t, key, json_text(s));
}

static void put_count(struct sheet *t, const char *key, double n)
{
	put(t, key, json_integer((json_int_t)n));
}

/* JSON has no infinity. */
static void put_number(struct sheet *t, const char *key, double v)
{
	put(t, key, isfinite(v) ? json_real(v) : json_null());
}

static void input(struct sheet *t, const struct gem_summary *s)
{
	json_t *warnings = json_array();
	char text[120];
	size_t i;

	for (i = 0; gem_warning(s, i, text, sizeof text); i++)
		t->bad |= json_array_append_new(warnings, json_string(text));
	put_text(t, "molecule", s->o->molecule);
	put_count(t, "atoms", (double)s->m->n);
	put_count(t, "left_out", (double)s->m->left_out);
	put_count(t, "doubled", (double)s->m->doubled);
	put_number(t, "charge", s->m->charge);
	put(t, "warnings", warnings);
}

static void points(struct sheet *t, const struct gem_summary *s)
{
	const struct gem_settings *o = s->o;
	const struct gem_grid *g = s->grid;

	put_count(t, "points", (double)s->r->n);
	put_text(t, "points_from",
	         g           ? "grid" :
	         o->points   ? "points" :
	         o->vertices ? "vertices" :
	                       "surface");
	if (o->points)
		put_text(t, "points_file", o->points);
	if (o->vertices)
		put_text(t, o->points || g ? "surface_file" : "points_file", o->vertices);
	else if ((!o->points && !g) || o->mode == CLOPT_ALPB) {
		put_number(t, "probe", o->probe);
		put_number(t, "density", o->density);
	}
	if (g) {
		put(t, "grid_counts",
		    json_pack("[III]", (json_int_t)g->n[0], (json_int_t)g->n[1],
		              (json_int_t)g->n[2]));
		put(t, "grid_origin", json_pack("[fff]", g->origin[0], g->origin[1], g->origin[2]));
		put_number(t, "grid_step", g->step);
		put_count(t, "in_atoms", (double)g->in_atoms);
	}
}

static void model(struct sheet *t, const struct gem_summary *s)
{
	const struct clopt_potential_options *p = &s->model->potential;

	put_text(t, "mode", gem_mode_name(p->mode));
	put_text(t, "units", s->model->unit.label);
	put_text(t, "constants", s->o->constants == GEM_ROUNDED ? "gem" : "exact");
	put_text(t, "approx", "none");
	if (p->mode != CLOPT_DISTANCE4)
		put_number(t, "eps", p->eps_in);
	put_number(t, "projection", p->projection);
	put_number(t, "temperature", s->o->temperature);
	if (p->mode == CLOPT_DEBYE || p->mode == CLOPT_ALPB)
		put_number(t, "kappa", p->kappa);
	if (p->mode == CLOPT_DEBYE || p->mode == CLOPT_ALPB)
		put_number(t, "eps_out", p->eps_out);
	if (gem_given(s->o, "ionic"))
		put_number(t, "ionic", s->o->ionic);
	if (p->mode != CLOPT_ALPB)
		return;
	put_text(t, "part", gem_part_name(p->part));
	put_number(t, "radius", p->radius);
	put_number(t, "ion_radius", p->ion_radius);
	put_number(t, "alpha", p->alpha);
	put(t, "gem_compat", json_boolean(p->gem_compat));
	if (!gem_is_alpb(p))
		return;
	put_count(t, "inside", (double)s->r->in[GEM_INSIDE]);
	put_count(t, "layer", (double)s->r->in[GEM_LAYER]);
	put_count(t, "beyond", (double)s->r->in[GEM_BEYOND]);
	put_count(t, "at_atoms", (double)s->r->at_atoms);
}

static void stats(struct sheet *t, const struct gem_stats *v)
{
	put_number(t, "min", v->min);
	put_number(t, "max", v->max);
	put_number(t, "mean", v->mean);
	put_number(t, "rms", v->rms);
}

static void result(struct sheet *t, const struct gem_summary *s)
{
	const struct gem_result *r = s->r;

	put_text(t, "device", r->device);
	put_text(t, "variant", r->variant);
	stats(t, &r->stats);
	put_count(t, "touching", (double)r->touching);
	if (s->p->faces) {
		put_count(t, "faces", (double)s->p->faces);
		put_number(t, "area", r->area);
		put_number(t, "mean_by_area", r->area_mean);
	}
	put_count(t, "pairs", r->pairs);
	put_number(t, "seconds", r->seconds);
	put_number(t, "setup_seconds", r->setup_seconds);
	put_number(t, "pairs_per_second", r->seconds > 0 ? r->pairs / r->seconds : 0);
	put(t, "range", s->range.end ? json_real(s->range.end) : json_null());
}

static void groups(struct sheet *t, const struct gem_groups *g)
{
	json_t *list = json_array();
	struct sheet one;
	char number[16];
	size_t i;

	for (i = 0; i < g->n; i++) {
		const struct gem_atom *a = g->group[i].first;

		one.o = json_object();
		one.bad = 0;
		put_text(&one, "chain", a->chain);
		if (g->by == GEM_BY_RESIDUE) {
			snprintf(number, sizeof number, "%d%.1s", a->resnum,
			         (const char[2]){ a->ins, 0 });
			put_text(&one, "residue", a->resname);
			put_text(&one, "number", number);
		}
		put_count(&one, "atoms", (double)g->group[i].n);
		put_number(&one, "charge", gem_charge(&g->group[i].charge));
		stats(&one, &g->group[i].stats);
		t->bad |= one.bad | json_array_append_new(list, one.o);
	}
	put_text(t, "by", g->by == GEM_BY_CHAIN ? "chain" : "residue");
	put_number(t, "by_seconds", g->seconds);
	put(t, "groups", list);
}

static void files(struct sheet *t, const struct gem_summary *s)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < s->files; i++)
		t->bad |= json_array_append_new(list, json_text(s->file[i]));
	put(t, "files", list);
}

int gem_summary_json(const struct gem_summary *s, FILE *f, struct gem_error *e)
{
	struct sheet t = { json_object(), 0 };
	int bad;

	input(&t, s);
	points(&t, s);
	model(&t, s);
	result(&t, s);
	if (s->groups)
		groups(&t, s->groups);
	files(&t, s);
	bad = t.bad || json_dumpf(t.o, f, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
	json_decref(t.o);
	if (bad)
		return gem_fail(e, "cannot write the summary");
	fputc('\n', f);
	return gem_flush(f, e);
}
