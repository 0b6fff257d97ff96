/* SPDX-License-Identifier: MIT */
/*
 * json.c - what came out, as one JSON object.
 *
 * json_object_set_new and json_array_append_new take over what they are given, and
 * pass on a failure to make it.
 */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../common/json_text.h"
#include "nb.h"

/* JSON has no infinity. */
static json_t *number(double v)
{
	return isfinite(v) ? json_real(v) : json_null();
}

static json_t *vector(const double v[3])
{
	json_t *a = json_array();
	int k;

	for (k = 0; a && k < 3; k++)
		if (json_array_append_new(a, number(v[k]))) {
			json_decref(a);
			a = NULL;
		}
	return a;
}

static json_t *integer(size_t v)
{
	return json_integer((json_int_t)v);
}

int nb_json_open(struct nb_report *p, struct nb_error *e)
{
	p->rows = json_array();
	return p->rows ? 0 : nb_fail(e, "out of memory");
}

void nb_json_close(struct nb_report *p)
{
	json_decref(p->rows);
}

int nb_json_row(struct nb_report *p, const struct nb_row *row, struct nb_error *e)
{
	const struct clopt_conserved *s = &row->sums;
	json_t *o = json_object();
	int bad = 0;

	bad |= json_object_set_new(o, "step", integer(row->step));
	bad |= json_object_set_new(o, "time", number(row->time));
	bad |= json_object_set_new(o, "kinetic", number(s->kinetic));
	bad |= json_object_set_new(o, "potential", number(s->potential));
	bad |= json_object_set_new(o, "momentum", vector(s->momentum));
	bad |= json_object_set_new(o, "angular_momentum", vector(s->angular_momentum));
	bad |= json_object_set_new(o, "centre", vector(s->centre));
	bad |= json_object_set_new(o, "energy_drift", number(row->energy_drift));
	bad |= json_object_set_new(o, "momentum_drift", number(row->momentum_drift));
	bad |= json_object_set_new(o, "angular_drift", number(row->angular_drift));
	bad |= json_array_append_new(p->rows, o);
	return bad ? nb_fail(e, "out of memory for the report") : 0;
}

static int files(json_t *list, const struct nb_settings *o)
{
	int bad = list == NULL;

	if (o->out)
		bad |= json_array_append_new(list, json_text(o->out));
	if (o->png)
		bad |= json_array_append_new(list, json_text(o->png));
	return bad;
}

static json_t *warnings(const struct nb_settings *set, const struct nb_system *s,
                        const struct nb_result *r)
{
	json_t *list = json_array();
	char text[640];

	int bad = 0;

	if (nb_warning(set, s, text, sizeof text))
		bad |= json_array_append_new(list, json_text(text));
	if (nb_drift_warning(r, text, sizeof text))
		bad |= json_array_append_new(list, json_text(text));
	if (bad) {
		json_decref(list);
		list = NULL;
	}
	return list;
}

static int motion(json_t *o, const struct nb_settings *set, const struct nb_system *s,
                  const struct nb_result *r)
{
	int bad = 0;

	if (set->in)
		bad |= json_object_set_new(o, "in", json_text(set->in));
	else
		bad |= json_object_set_new(o, "model", json_text(set->model->name)) |
		       json_object_set_new(o, "seed", integer(set->seed));
	bad |= json_object_set_new(o, "bodies", integer(s->n));
	bad |= json_object_set_new(o, "mass", number(r->last.sums.mass));
	bad |= json_object_set_new(o, "g", number(s->g));
	bad |= json_object_set_new(o, "softening", number(s->softening));
	bad |= json_object_set_new(o, "warnings", warnings(set, s, r));
	bad |= json_object_set_new(o, "steps", integer(set->steps));
	bad |= json_object_set_new(o, "dt", number(set->dt));
	bad |= json_object_set_new(o, "integrator", json_text(nb_integrator_name(set->integrator)));
	bad |= json_object_set_new(o, "precision", json_text(nb_precision_name(r->precision)));
	return bad;
}

static int speed(json_t *o, const struct nb_result *r)
{
	const double rate = r->seconds > 0 ? r->interactions / r->seconds : 0;
	int bad = 0;

	bad |= json_object_set_new(o, "device", json_text(r->device));
	bad |= json_object_set_new(o, "variant", *r->variant ? json_text(r->variant) : json_null());
	bad |= json_object_set_new(o, "worst_energy_drift", number(r->worst_energy));
	bad |= json_object_set_new(o, "interactions", number(r->interactions));
	bad |= json_object_set_new(o, "seconds", number(r->seconds));
	bad |= json_object_set_new(o, "interactions_per_second", number(rate));
	return bad;
}

int nb_json_end(struct nb_report *p, const struct nb_settings *set, const struct nb_system *s,
                const struct nb_result *r, struct nb_error *e)
{
	json_t *o = json_object(), *list = json_array();
	int bad = files(list, set);

	bad |= motion(o, set, s, r) | speed(o, r);
	bad |= json_object_set(o, "rows", p->rows);
	bad |= json_object_set(o, "files", list);
	if (set->frames)
		bad |= json_object_set_new(o, "frames", integer(r->frames));
	bad |= json_dumpf(o, p->f, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
	json_decref(list);
	json_decref(o);
	if (bad)
		return nb_fail(e, "the report could not be written");
	fputc('\n', p->f);
	return 0;
}
