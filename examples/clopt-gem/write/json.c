/* SPDX-License-Identifier: MIT */
/*
 * json.c - the summary for programs.
 */
#include "../../common/json_text.h"
#include "write.h"

static void input(struct sheet *t, const struct gem_work *w)
{
	sheet_text(t, "molecule", w->o.molecule);
	if (w->o.model)
		sheet_count(t, "model", (double)w->o.model);
	sheet_count(t, "atoms", (double)w->m.n);
	sheet_count(t, "left_out", (double)w->m.left_out);
	sheet_count(t, "alternates", (double)w->m.alternates);
	sheet_count(t, "doubled", (double)w->m.doubled);
	sheet_number(t, "charge", w->m.charge);
	sheet_put(t, "warnings", gem_warnings(w));
}

static void points(struct sheet *t, const struct gem_work *w)
{
	const struct gem_settings *o = &w->o;
	const struct gem_grid *g = gem_on_grid(o) ? &w->grid : NULL;

	sheet_count(t, "points", (double)w->r.n);
	sheet_text(t, "points_from",
	           g           ? "grid" :
	           o->points   ? "points" :
	           o->vertices ? "vertices" :
	                         "surface");
	if (o->points)
		sheet_text(t, "points_file", o->points);
	if (o->vertices)
		sheet_text(t, o->points || g ? "surface_file" : "points_file", o->vertices);
	else if (!o->points && !g) {
		sheet_text(t, "surface", gem_surfaces[o->surface]);
		sheet_number(t, "density", o->density);
	}
	if (!o->vertices && ((!o->points && !g) || o->mode == CLOPT_LAW_ALPB))
		sheet_number(t, "probe", o->probe);
	if (o->difference) {
		sheet_text(t, "difference_from", o->difference);
		sheet_text(t, "map_units", w->map.unit);
	}
	if (g) {
		sheet_put(t, "grid_counts",
		          json_pack("[III]", (json_int_t)g->n[0], (json_int_t)g->n[1],
		                    (json_int_t)g->n[2]));
		sheet_vector(t, "grid_origin", g->origin);
		sheet_number(t, "grid_step", g->step[0]);
		sheet_vector(t, "grid_steps", g->step);
		sheet_count(t, "in_atoms", (double)g->in_atoms);
	}
}

static void model(struct sheet *t, const struct gem_work *w)
{
	const struct clopt_potential_options *p = &w->model.potential;

	sheet_text(t, "mode", gem_modes[p->law]);
	sheet_text(t, "units", w->model.unit.label);
	sheet_text(t, "constants", w->o.constants == GEM_ROUNDED ? "gem" : "exact");
	if (p->law != CLOPT_LAW_DISTANCE4)
		sheet_number(t, "eps", p->eps_in);
	sheet_number(t, "projection", p->projection);
	sheet_number(t, "temperature", w->o.temperature);
	if (p->law == CLOPT_LAW_DEBYE || p->law == CLOPT_LAW_ALPB)
		sheet_number(t, "kappa", p->kappa);
	if (p->law == CLOPT_LAW_DEBYE || p->law == CLOPT_LAW_ALPB)
		sheet_number(t, "eps_out", p->eps_out);
	if (gem_given(&w->o, "ionic"))
		sheet_number(t, "ionic", w->o.ionic);
	if (p->law != CLOPT_LAW_ALPB)
		return;
	sheet_text(t, "part", gem_parts[p->part]);
	sheet_number(t, "radius", p->radius);
	sheet_number(t, "ion_radius", p->ion_radius);
	sheet_number(t, "alpha", p->alpha);
	sheet_put(t, "gem_compat", json_boolean(p->gem_compat));
	if (!gem_is_alpb(p))
		return;
	sheet_count(t, "inside", (double)w->r.in[GEM_INSIDE]);
	sheet_count(t, "layer", (double)w->r.in[GEM_LAYER]);
	sheet_count(t, "beyond", (double)w->r.in[GEM_BEYOND]);
	sheet_count(t, "at_atoms", (double)w->r.at_atoms);
}

static void stats(struct sheet *t, const struct gem_stats *v)
{
	sheet_number(t, "min", v->min);
	sheet_number(t, "max", v->max);
	sheet_number(t, "mean", v->mean);
	sheet_number(t, "rms", v->rms);
}

static void result(struct sheet *t, const struct gem_work *w)
{
	const struct gem_result *r = &w->r;

	sheet_text(t, "device", r->device);
	sheet_put(t, "devices", shares_json(&r->shares));
	sheet_text(t, "variant", r->variant);
	sheet_count(t, "tree_order", r->tree_order);
	sheet_number(t, "error_99", r->error_99);
	stats(t, &r->stats);
	sheet_count(t, "touching", (double)r->touching);
	sheet_count(t, "near_charges", (double)r->near);
	sheet_count(t, "moved_into_atoms", (double)r->in_atoms);
	if (w->o.energy) {
		sheet_number(t, "solvation_energy", r->energy);
		sheet_text(t, "energy_units", w->model.unit.energy);
	}
	if (w->p.faces) {
		sheet_count(t, "faces", (double)w->p.faces);
		sheet_number(t, "area", r->area);
		sheet_number(t, "mean_by_area", r->area_mean);
	}
	sheet_count(t, "pairs", r->pairs);
	sheet_number(t, "seconds", r->seconds);
	sheet_number(t, "setup_seconds", r->setup_seconds);
	sheet_number(t, "pairs_per_second", r->seconds > 0 ? r->pairs / r->seconds : 0);
	sheet_put(t, "range", w->range.end ? json_real(w->range.end) : json_null());
}

static void groups(struct sheet *t, const struct gem_groups *g, int energy)
{
	json_t *list = json_array();
	struct sheet one;
	char number[16];
	size_t i;

	for (i = 0; i < g->n; i++) {
		const struct gem_atom *a = g->group[i].first;

		one = sheet_new();
		sheet_text(&one, "chain", a->chain);
		if (g->by == GEM_BY_RESIDUE) {
			snprintf(number, sizeof number, "%d%.1s", a->resnum,
			         (const char[2]){ a->ins, 0 });
			sheet_text(&one, "residue", a->resname);
			sheet_text(&one, "number", number);
		}
		sheet_count(&one, "atoms", (double)g->group[i].n);
		sheet_number(&one, "charge", gem_charge(&g->group[i].charge));
		stats(&one, &g->group[i].stats);
		if (energy)
			sheet_number(&one, "solvation_energy", g->group[i].energy);
		sheet_append(t, list, &one);
	}
	sheet_text(t, "by", g->by == GEM_BY_CHAIN ? "chain" : "residue");
	sheet_number(t, "by_seconds", g->seconds);
	sheet_put(t, "groups", list);
}

static void files(struct sheet *t, const struct gem_work *w)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < GEM_OUTPUTS; i++)
		if (w->o.out[i])
			t->bad |= json_array_append_new(list, json_text(w->o.out[i]));
	sheet_put(t, "files", list);
}

int gem_summary_json(const struct gem_work *w, FILE *f, struct fault *e)
{
	struct sheet t = sheet_new();

	input(&t, w);
	points(&t, w);
	model(&t, w);
	result(&t, w);
	if (w->groups.n)
		groups(&t, &w->groups, w->o.energy);
	files(&t, w);
	if (sheet_print(&t, f, 9))
		return fail(e, "cannot write the summary");
	return flush_report(f, "the summary", e);
}
