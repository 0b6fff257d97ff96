/* SPDX-License-Identifier: MIT */
/*
 * json.c - what came out, as one JSON object.
 */
#include "../common/json_text.h"
#include "nb.h"

int nb_json_row(struct nb_report *p, const struct nb_row *row, struct fault *e)
{
	const struct clopt_conserved *s = &row->sums;
	struct sheet o = sheet_new(), all = { NULL, 0 };

	sheet_count(&o, "step", (double)row->step);
	sheet_number(&o, "time", row->time);
	sheet_number(&o, "kinetic", s->kinetic);
	sheet_number(&o, "potential", s->potential);
	sheet_vector(&o, "momentum", s->momentum);
	sheet_vector(&o, "angular_momentum", s->angular_momentum);
	sheet_vector(&o, "centre", s->centre);
	sheet_number(&o, "energy_drift", row->energy_drift);
	sheet_number(&o, "momentum_drift", row->momentum_drift);
	sheet_number(&o, "angular_drift", row->angular_drift);
	sheet_append(&all, p->rows, &o);
	return all.bad ? fail(e, "out of memory for the report") : 0;
}

static void motion(struct sheet *o, const struct nb_settings *set, const struct nb_system *s,
                   const struct nb_result *r)
{
	json_t *warnings = json_array();
	char text[640];

	if (nb_warning(set, s, text, sizeof text))
		o->bad |= json_array_append_new(warnings, json_text(text));
	if (nb_drift_warning(r, text, sizeof text))
		o->bad |= json_array_append_new(warnings, json_text(text));
	if (set->in) {
		sheet_text(o, "in", set->in);
	} else {
		sheet_text(o, "model", set->model->name);
		sheet_count(o, "seed", (double)set->seed);
	}
	sheet_count(o, "bodies", (double)s->n);
	sheet_number(o, "mass", r->last.sums.mass);
	sheet_number(o, "g", s->g);
	sheet_number(o, "softening", s->softening);
	sheet_put(o, "warnings", warnings);
	sheet_count(o, "steps", (double)set->steps);
	sheet_number(o, "dt", set->dt);
	sheet_text(o, "integrator", nb_integrator_name(set->integrator));
	sheet_text(o, "precision", nb_precision_name(r->precision));
}

static void speed(struct sheet *o, const struct nb_result *r)
{
	sheet_text(o, "device", r->device);
	sheet_put(o, "variant", *r->variant ? json_text(r->variant) : json_null());
	sheet_number(o, "worst_energy_drift", r->worst_energy);
	sheet_number(o, "interactions", r->interactions);
	sheet_number(o, "seconds", r->seconds);
	sheet_number(o, "interactions_per_second",
	             r->seconds > 0 ? r->interactions / r->seconds : 0);
}

int nb_json_end(struct nb_report *p, const struct nb_settings *set, const struct nb_system *s,
                const struct nb_result *r, struct fault *e)
{
	struct sheet o = sheet_new();
	json_t *files = json_array();

	if (set->out)
		o.bad |= json_array_append_new(files, json_text(set->out));
	if (set->png)
		o.bad |= json_array_append_new(files, json_text(set->png));
	motion(&o, set, s, r);
	speed(&o, r);
	sheet_put(&o, "rows", json_incref(p->rows));
	sheet_put(&o, "files", files);
	if (set->frames)
		sheet_count(&o, "frames", (double)r->frames);
	return sheet_print(&o, p->f, 17) ? fail(e, "the report could not be written") : 0;
}
