/* SPDX-License-Identifier: MIT */
/*
 * csv.c - potentials, and the parts of groups, as CSV.
 *
 * Nine digits bring back the same float.
 */
#include <string.h>

#include "../../common/outfile.h"
#include "write.h"

int gem_write_csv(const char *path, const struct gem_points *p, const struct gem_result *r,
                  struct fault *e)
{
	struct outfile o;
	size_t i;

	if (outfile_open(&o, path, e->text, sizeof e->text))
		return -1;
	for (i = 0; i < p->n; i++) {
		fprintf(o.f, "%.8e,%.8e,%.8e,%.8e", p->at[i][0], p->at[i][1], p->at[i][2],
		        (double)r->value[i]);
		if (r->field)
			fprintf(o.f, ",%.8e,%.8e,%.8e", (double)r->field[i][0],
			        (double)r->field[i][1], (double)r->field[i][2]);
		if (r->field && p->normal)
			fprintf(o.f, ",%.8e", gem_normal_field(p, r, i));
		fputc('\n', o.f);
	}
	return outfile_commit(&o, e->text, sizeof e->text);
}

/* A name as a field: in quotes if it has a comma, a quote doubled. */
static void field(FILE *f, const char *s)
{
	if (!strpbrk(s, ",\"")) {
		fprintf(f, "%s,", s);
		return;
	}
	fputc('"', f);
	for (; *s; s++) {
		if (*s == '"')
			fputc('"', f);
		fputc(*s, f);
	}
	fputs("\",", f);
}

static void row(FILE *f, const struct gem_group *g, int by)
{
	const char ins[2] = { g->first->ins, 0 };

	field(f, g->first->chain);
	if (by == GEM_BY_RESIDUE) {
		field(f, g->first->resname);
		fprintf(f, "%d%s,", g->first->resnum, ins);
	}
	fprintf(f, "%zu,%.6g,%.8e,%.8e,%.8e,%.8e\n", g->n, gem_charge(&g->charge), g->stats.mean,
	        g->stats.rms, g->stats.min, g->stats.max);
}

int gem_write_groups(const char *path, const struct gem_groups *g, struct fault *e)
{
	struct outfile o;
	size_t i;

	if (outfile_open(&o, path, e->text, sizeof e->text))
		return -1;
	fprintf(o.f, "chain,%satoms,charge,mean,rms,min,max\n",
	        g->by == GEM_BY_RESIDUE ? "residue,number," : "");
	for (i = 0; i < g->n; i++)
		row(o.f, &g->group[i], g->by);
	return outfile_commit(&o, e->text, sizeof e->text);
}
