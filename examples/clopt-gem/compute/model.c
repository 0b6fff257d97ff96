/* SPDX-License-Identifier: MIT */
/*
 * model.c - from the settings to the options of the library.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compute.h"

/* Coulomb's constant, kcal A / (mol e^2), and kT, kcal/mol: CODATA 2018, and as
 * GEM's program has them. */
#define COULOMB 332.06371
#define KT_BY_KELVIN (0.592485 / 298.15)
#define GEM_COULOMB 332.
#define GEM_KT 0.592
#define MV_BY_KCAL 43.3641

#define UNITS 3

/* By the index in gem_units. */
static struct gem_unit unit(const struct gem_settings *s, int which)
{
	const double kt = s->constants == GEM_ROUNDED ? GEM_KT : KT_BY_KELVIN * s->temperature;
	const struct gem_unit units[UNITS] = {
		{ "kcal/mol/e", "kcal/mol", 1, 1 / kt },
		{ "kT/e", "kT", 1 / kt, 1 },
		{ "mV", "meV", MV_BY_KCAL, 1 / kt / MV_BY_KCAL },
	};

	return units[which];
}

int gem_map_convert(struct gem_map *map, const char *name, const struct gem_settings *s,
                    struct fault *e)
{
	const size_t n = map->n[0] * map->n[1] * map->n[2];
	double by;
	size_t i;
	int u = 0;

	if (!*map->unit)
		return 0;
	while (u < UNITS && strcmp(unit(s, u).label, map->unit) != 0)
		u++;
	if (u == UNITS)
		return fail(e,
		            "%.400s: the potential is in %s: it must be in kcal/mol/e, kT/e or mV",
		            name, map->unit);
	by = unit(s, s->unit).factor / unit(s, u).factor;
	for (i = 0; i < n; i++) {
		map->value[i] = (float)((double)map->value[i] * by);
		if (!isfinite(map->value[i]))
			return fail(e, "%.400s: value %zu of %zu is too large in %s", name, i + 1,
			            n, unit(s, s->unit).label);
	}
	return 0;
}

static double kappa(const struct gem_settings *s)
{
	if (s->kappa >= 0)
		return s->kappa;
	if (s->ionic == 0)
		return 0;
	if (s->constants == GEM_ROUNDED)
		return 0.316 * sqrt(s->ionic);
	return clopt_kappa(s->ionic, s->eps_out, s->temperature);
}

/* Ions are in the solvent, so a screened sum takes the dielectric constant of the solvent unless
 * the user gives another. */
static double eps(const struct gem_settings *s)
{
	const int given = gem_given(s, "eps") || gem_given(s, "eps-in");

	return s->mode == CLOPT_LAW_DEBYE && !given ? s->eps_out : s->eps_in;
}

/* The electrostatic radius of the molecule; 0 after a failure. */
static double radius(const struct gem_molecule *m, struct fault *e)
{
	float(*atoms)[4] = malloc(m->n * sizeof *atoms), *radii = malloc(m->n * sizeof *radii);
	double a = 0;
	size_t i;

	if (atoms && radii) {
		for (i = 0; i < m->n; i++) {
			gem_pack(atoms[i], m->atom[i].at, m->centre, 0);
			radii[i] = (float)m->atom[i].r;
		}
		a = clopt_electrostatic_radius(m->n, atoms[0], radii);
		if (!(a > 0))
			fail(e, "no atom has a radius: give that of the molecule by --radius");
	} else {
		fail(e, "out of memory for %zu atoms", m->n);
	}
	free(atoms);
	free(radii);
	return a;
}

/* For the library 0 means its default. */
static double not_default(double number)
{
	return number != 0 ? number : DBL_MIN;
}

int gem_model(struct gem_model *o, const struct gem_settings *s, const struct gem_molecule *m,
              struct fault *e)
{
	const struct clopt_potential_options usual = CLOPT_POTENTIAL_OPTIONS_INIT;
	struct clopt_potential_options *p = &o->potential;

	o->unit = unit(s, s->unit);
	*p = usual;
	p->scale = (s->constants == GEM_ROUNDED ? GEM_COULOMB : COULOMB) * o->unit.factor;
	p->law = s->mode;
	p->part = s->part;
	p->outputs = s->field ? CLOPT_OUTPUTS_FIELD_PHI : CLOPT_OUTPUTS_PHI;
	p->eps_in = eps(s);
	p->eps_out = s->eps_out;
	p->kappa = kappa(s);
	p->radius = s->radius;
	p->projection = s->projection;
	p->ion_radius = not_default(s->ion_radius);
	p->alpha = not_default(s->alpha);
	p->gem_compat = s->gem_compat;
	p->tolerance = s->tolerance;
	if (s->mode == CLOPT_LAW_ALPB && s->radius == 0)
		p->radius = radius(m, e);
	return s->mode == CLOPT_LAW_ALPB && !(p->radius > 0) ? -1 : 0;
}
