/* SPDX-License-Identifier: MIT */
/*
 * summary.c - the summary for people.
 */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "../../common/outfile.h"
#include "write.h"

/* In Angstrom; no atom is that large. */
#define LARGE_RADIUS 5

static int all_ones(const struct gem_molecule *m)
{
	size_t i;

	for (i = 0; i < m->n && m->atom[i].q == 1; i++)
		;
	return i == m->n && i > 10;
}

static double largest_radius(const struct gem_molecule *m)
{
	double r = 0;
	size_t i;

	for (i = 0; i < m->n; i++)
		r = fmax(r, m->atom[i].r);
	return r;
}

static void warn(json_t *list, int there, const char *format, ...)
        __attribute__((format(printf, 3, 4)));

static void warn(json_t *list, int there, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	if (there)
		json_array_append_new(list, json_vsprintf(format, ap));
	va_end(ap);
}

json_t *gem_warnings(const struct gem_work *w)
{
	const double q = w->m.charge, off = fabs(q - round(q)), r = largest_radius(&w->m);
	json_t *list = json_array();
	size_t i, waters = 0;
	char mode[120];

	for (i = 0; i < w->m.n; i++)
		waters += (size_t)gem_is_water(w->m.atom[i].resname);

	warn(list, w->m.lost_residues > 0, GEM_LOST, w->m.lost_residues, w->m.lost);
	warn(list, w->m.added_to > 0,
	     "pdb2pqr added atoms, other than hydrogens, that %zu residues lacked: %s",
	     w->m.added_to, w->m.added);
	warn(list, w->m.mended,
	     "pdb2pqr failed at the file as it is: it got it without hydrogens, which it makes, "
	     "and without residues that lack N, CA or C");
	warn(list, off > 0.01, "the total charge is %.4f e, %.3f from a whole number", q, off);
	warn(list, w->m.left_out > 0,
	     "only the first model is computed: %zu atoms of others are left out (--models takes "
	     "all)",
	     w->m.left_out);
	warn(list, w->m.alternates > 0,
	     "%zu atoms at alternate locations are left out: the first of each is computed",
	     w->m.alternates);
	warn(list, w->m.unknown > 0,
	     "%zu lines are no record of a PQR or PDB file and were left out: the first is line "
	     "%zu, '%s'",
	     w->m.unknown, w->m.unknown_line, w->m.unknown_word);
	warn(list, waters > 0,
	     "%zu atoms of waters count as part of the molecule: remove them if they are not",
	     waters);
	warn(list, w->m.doubled > 0, "%zu atoms are at the place of another: both count",
	     w->m.doubled);
	warn(list, all_ones(&w->m),
	     "every charge is 1: is this a PDB file, whose occupancies were read as charges?");
	warn(list, r > LARGE_RADIUS,
	     "radii up to %.3g A: is this a PDB file, whose B-factors were read as radii?", r);
	warn(list, w->o.difference && !*w->map.unit,
	     "the map %s does not name its unit: %s is assumed", w->o.difference,
	     w->model.unit.label);
	warn(list, *w->map.mode && strcmp(w->map.mode, gem_mode(mode, sizeof mode, w)) != 0,
	     "the map %s has other parameters than this run: %s", w->o.difference, w->map.mode);
	warn(list, w->r.deep > 0,
	     "%zu points lie deeper than the electrostatic radius, where the formula does not hold",
	     w->r.deep);
	warn(list, w->r.deep_atoms > 0,
	     "atoms with Born radii above the electrostatic radius: %zu; the energy takes them to "
	     "lie at the centre, and is less certain",
	     w->r.deep_atoms);
	warn(list, w->r.touching > 0,
	     "%zu points lie at an atom: its own charge adds no Coulomb part there", w->r.touching);
	warn(list,
	     w->r.near > 0 && !(w->o.mode == CLOPT_LAW_ALPB && w->o.part == CLOPT_PART_REACTION),
	     "%zu points are nearer than %g A to a charge, which makes nearly all of the potential "
	     "there",
	     w->r.near, GEM_NEAR_CHARGE);
	warn(list, w->r.in_atoms > 0,
	     "%zu of the %zu points, moved by --projection %g, lie inside atoms: their values are "
	     "not those outside the molecule",
	     w->r.in_atoms, w->r.n, w->o.projection);
	warn(list, gem_beyond_pdb(w) > 0,
	     "%zu atoms have potentials outside the range of B factors in a PDB file, -99.99 to "
	     "999.99 kT/e",
	     gem_beyond_pdb(w));
	return list;
}

static void origin(const struct gem_work *w, FILE *f)
{
	const struct gem_settings *o = &w->o;
	const struct gem_grid *g = gem_on_grid(o) ? &w->grid : NULL;

	fprintf(f, "points     %zu ", w->r.n);
	if (g)
		fprintf(f, "on a grid of %zu x %zu x %zu, %.4g A apart, %zu of them in atoms\n",
		        g->n[0], g->n[1], g->n[2], g->step[0], g->in_atoms);
	else if (o->points || o->vertices)
		fprintf(f, "from %s\n", o->points ? o->points : o->vertices);
	else
		fprintf(f, "on the solvent-%s surface (probe %g A, asked for %g %s/A^2)\n",
		        o->surface == GEM_EXCLUDED ? "excluded" : "accessible", o->probe,
		        o->density, o->surface == GEM_EXCLUDED ? "vertices" : "dots");
	if (w->o.difference)
		fprintf(f, "less       the map %s%s%s\n", w->o.difference,
		        *w->map.unit ? ", in " : "", w->map.unit);
	if (w->p.faces)
		fprintf(f, "faces      %zu, %.6g A^2\n", w->p.faces, w->r.area);
}

const char *gem_mode(char *to, size_t room, const struct gem_work *w)
{
	const struct clopt_potential_options *p = &w->model.potential;
	const int alpb = p->law == CLOPT_LAW_ALPB, debye = p->law == CLOPT_LAW_DEBYE;
	char part[24] = "", eps[80] = "", salt[80] = "";

	if (alpb && p->part != CLOPT_PART_TOTAL)
		snprintf(part, sizeof part, ", %s part", gem_parts[p->part]);
	if (alpb)
		snprintf(eps, sizeof eps, ", dielectric constants %g and %g", p->eps_in,
		         p->eps_out);
	else if (p->law != CLOPT_LAW_DISTANCE4)
		snprintf(eps, sizeof eps, ", dielectric constant %g", p->eps_in);
	if (debye && w->o.kappa < 0 && w->o.constants == GEM_EXACT)
		snprintf(salt, sizeof salt, ", kappa %.6g 1/A in a solvent of %g", p->kappa,
		         p->eps_out);
	else if (debye || alpb)
		snprintf(salt, sizeof salt, ", kappa %.6g 1/A", p->kappa);
	snprintf(to, room, "%s%s%s%s", gem_modes[p->law], part, eps, salt);
	return to;
}

static void mode(const struct gem_work *w, FILE *f)
{
	const struct clopt_potential_options *p = &w->model.potential;
	char text[120];

	fprintf(f, "mode       %s", gem_mode(text, sizeof text, w));
	if (p->law == CLOPT_LAW_ALPB)
		fprintf(f, ", radius %.6g A", p->radius);
	if (p->projection != 0)
		fprintf(f, ", %g A from the points", p->projection);
	fputc('\n', f);
	if (gem_is_alpb(p))
		fprintf(f,
		        "regions    %zu points inside, %zu within %g A of the surface, %zu "
		        "beyond\n",
		        w->r.in[GEM_INSIDE], w->r.in[GEM_LAYER], p->ion_radius,
		        w->r.in[GEM_BEYOND]);
}

static void values(const struct gem_work *w, FILE *f)
{
	const struct gem_result *r = &w->r;

	fprintf(f, "%-10s min %.6g  max %.6g  mean %.6g  rms %.6g",
	        w->o.difference ? "difference" : "potential", r->stats.min, r->stats.max,
	        r->stats.mean, r->stats.rms);
	if (r->area > 0)
		fprintf(f, "  mean by area %.6g", r->area_mean);
	fprintf(f, " %s\n", w->model.unit.label);
	fprintf(f, "speed      %.4g pairs in %.4g s, %.3g pairs/s (and %.3g s to set up)\n",
	        r->pairs, r->seconds, r->seconds > 0 ? r->pairs / r->seconds : 0, r->setup_seconds);
	if (w->o.energy)
		fprintf(f, "solvation  %.6g %s\n", r->energy, w->model.unit.energy);
	if (w->groups.n)
		fprintf(f, "groups     %zu %s%s in %.4g s\n", w->groups.n,
		        w->groups.by == GEM_BY_CHAIN ? "chain" : "residue",
		        w->groups.n == 1 ? "" : "s", w->groups.seconds);
}

static void colours(const struct gem_work *w, FILE *f)
{
	const struct gem_range *c = &w->range;
	size_t beyond = c->below + c->above;

	if (c->end == 0)
		return;
	fprintf(f, "colours    %.4g to %.4g", -c->end, c->end);
	if (beyond)
		fprintf(f, " (%.3g %% of the points lie beyond)",
		        100 * (double)beyond / (double)w->r.n);
	fprintf(f, "\n");
}

int gem_summary_text(const struct gem_work *w, FILE *f, struct fault *e)
{
	json_t *warnings = gem_warnings(w);
	char devices[1024];
	size_t i;

	fprintf(f, "molecule   %s", w->o.molecule);
	if (w->o.model)
		fprintf(f, ", model %zu", w->o.model);
	if (gem_converted(w->o.molecule))
		fprintf(f, ", by pdb2pqr with %s", gem_forcefields[w->o.forcefield]);
	if (w->o.ph >= 0)
		fprintf(f, ", pH %g by propka", w->o.ph);
	fputc('\n', f);
	fprintf(f, "atoms      %zu, total charge %+.4f e\n", w->m.n, w->m.charge);
	for (i = 0; i < json_array_size(warnings); i++)
		fprintf(f, "warning    %s\n", json_string_value(json_array_get(warnings, i)));
	json_decref(warnings);
	origin(w, f);
	mode(w, f);
	fprintf(f, "device     %s\n", w->r.device);
	if (w->r.shares.members > 1) {
		shares_text(&w->r.shares, devices, sizeof devices);
		fprintf(f, "devices    %s\n", devices);
	}
	fprintf(f, "variant    %s\n", w->r.variant);
	if (w->r.tree_order)
		fprintf(f,
		        "tree       order %u; 99 of 100 values that were checked are off by at "
		        "most %.2g\n",
		        w->r.tree_order, w->r.error_99);
	else if (w->o.tolerance > 0)
		fprintf(f, "tree       none: all pairs were summed\n");
	values(w, f);
	colours(w, f);
	for (i = 0; i < GEM_OUTPUTS; i++)
		if (w->o.out[i] && !outfile_is_stdout(w->o.out[i]))
			fprintf(f, "wrote      %s\n", w->o.out[i]);
	return flush_report(f, "the summary", e);
}
