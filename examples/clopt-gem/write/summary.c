/* SPDX-License-Identifier: MIT */
/*
 * summary.c - the summary for people.
 */
#include <math.h>
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

/* 1 for the i-th warning that applies. */
static int turn(size_t *i, int there)
{
	return there && (*i)-- == 0;
}

int gem_warning(const struct gem_summary *s, size_t i, char *text, size_t size)
{
	const double q = s->m->charge, off = fabs(q - round(q)), r = largest_radius(s->m);

	if (turn(&i, off > 0.01))
		snprintf(text, size, "the total charge %.4f e is %.3f from a whole number", q, off);
	else if (turn(&i, s->m->left_out > 0))
		snprintf(text, size, "the first model is taken; %zu atoms of others are left out",
		         s->m->left_out);
	else if (turn(&i, s->m->doubled > 0))
		snprintf(text, size, "%zu atoms are at the very place of another, and both count",
		         s->m->doubled);
	else if (turn(&i, all_ones(s->m)))
		snprintf(text, size, "every charge is 1, as the occupancies of a PDB file are");
	else if (turn(&i, r > LARGE_RADIUS))
		snprintf(text, size,
		         "radii up to %.3g A: is this a PDB file, whose B-factors were read as "
		         "radii?",
		         r);
	else if (turn(&i, s->r->deep > 0))
		snprintf(text, size,
		         "%zu points lie deeper than the electrostatic radius; there the formula "
		         "ends",
		         s->r->deep);
	else if (turn(&i, s->r->touching > 0))
		snprintf(text, size,
		         "%zu points lie at an atom, whose own charge adds no Coulomb part there",
		         s->r->touching);
	else
		return 0;
	return 1;
}

static void origin(const struct gem_summary *s, FILE *f)
{
	const struct gem_settings *o = s->o;
	const struct gem_grid *g = s->grid;

	fprintf(f, "points     %zu ", s->r->n);
	if (g)
		fprintf(f, "on a grid of %zu x %zu x %zu, %.4g A apart, %zu of them in atoms\n",
		        g->n[0], g->n[1], g->n[2], g->step, g->in_atoms);
	else if (o->points || o->vertices)
		fprintf(f, "from %s\n", o->points ? o->points : o->vertices);
	else
		fprintf(f, "on the solvent-accessible surface (probe %g A, %g dots/A^2)\n",
		        o->probe, o->density);
	if (s->p->faces)
		fprintf(f, "faces      %zu, %.6g A^2\n", s->p->faces, s->r->area);
}

/* The mode and its parameters. */
static void mode(const struct gem_summary *s, FILE *f)
{
	const struct clopt_potential_options *p = &s->model->potential;

	fprintf(f, "mode       %s", gem_modes[p->law]);
	if (p->law == CLOPT_LAW_ALPB && p->part != CLOPT_PART_TOTAL)
		fprintf(f, ", %s part", gem_parts[p->part]);
	if (p->law == CLOPT_LAW_ALPB)
		fprintf(f, ", dielectric constants %g and %g, A %.6g A", p->eps_in, p->eps_out,
		        p->radius);
	else if (p->law != CLOPT_LAW_DISTANCE4)
		fprintf(f, ", dielectric constant %g", p->eps_in);
	if (p->law == CLOPT_LAW_DEBYE || p->law == CLOPT_LAW_ALPB)
		fprintf(f, ", kappa %.6g 1/A", p->kappa);
	if (p->law == CLOPT_LAW_DEBYE && s->o->kappa < 0 && s->o->constants == GEM_EXACT)
		fprintf(f, " in a solvent of %g", p->eps_out);
	if (p->projection != 0)
		fprintf(f, ", %g A from the points", p->projection);
	fputc('\n', f);
	if (gem_is_alpb(p))
		fprintf(f,
		        "regions    %zu points inside, %zu from the surface to %g A, %zu beyond\n",
		        s->r->in[GEM_INSIDE], s->r->in[GEM_LAYER], p->ion_radius,
		        s->r->in[GEM_BEYOND]);
}

static void values(const struct gem_summary *s, FILE *f)
{
	const struct gem_result *r = s->r;

	fprintf(f, "potential  min %.6g  max %.6g  mean %.6g  rms %.6g", r->stats.min, r->stats.max,
	        r->stats.mean, r->stats.rms);
	if (r->area > 0)
		fprintf(f, "  mean by area %.6g", r->area_mean);
	fprintf(f, " %s\n", s->model->unit.label);
	fprintf(f, "speed      %.4g pairs in %.4g s, %.3g pairs/s (and %.3g s to set up)\n",
	        r->pairs, r->seconds, r->seconds > 0 ? r->pairs / r->seconds : 0, r->setup_seconds);
	if (s->groups)
		fprintf(f, "groups     %zu %s%s in %.4g s\n", s->groups->n,
		        s->groups->by == GEM_BY_CHAIN ? "chain" : "residue",
		        s->groups->n == 1 ? "" : "s", s->groups->seconds);
}

static void colours(const struct gem_summary *s, FILE *f)
{
	const struct gem_range *c = &s->range;
	size_t beyond = c->below + c->above;

	if (c->end == 0)
		return;
	fprintf(f, "colours    %.4g to %.4g", -c->end, c->end);
	if (beyond)
		fprintf(f, " (%.3g %% of the points lie beyond)",
		        100 * (double)beyond / (double)s->r->n);
	fprintf(f, "\n");
}

int gem_summary_text(const struct gem_summary *s, FILE *f, struct fault *e)
{
	char text[120];
	size_t i;

	fprintf(f, "molecule   %s\n", s->o->molecule);
	fprintf(f, "atoms      %zu, total charge %+.4f e\n", s->m->n, s->m->charge);
	for (i = 0; gem_warning(s, i, text, sizeof text); i++)
		fprintf(f, "warning    %s\n", text);
	origin(s, f);
	mode(s, f);
	fprintf(f, "device     %s\n", s->r->device);
	fprintf(f, "variant    %s\n", s->r->variant);
	values(s, f);
	colours(s, f);
	for (i = 0; i < s->files; i++)
		if (!outfile_is_stdout(s->file[i]))
			fprintf(f, "wrote      %s\n", s->file[i]);
	return flush_report(f, "the summary", e);
}
