/* SPDX-License-Identifier: MIT */
/*
 * files.c - the files of results: potentials and the parts of groups as CSV, the points and faces
 * as PLY, a grid as OpenDX, CUBE or MRC, the picture.
 */
#include <ctype.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "../../common/outfile.h"
#include "write.h"

/* The values of a point behind its place and normal: the potential, the field, and the field along
 * the normal, as far as they are there.  Returns how many. */
static int values(const struct gem_work *w, size_t i, double v[5])
{
	int k, n = 0;

	v[n++] = (double)w->r.value[i];
	for (k = 0; w->r.field && k < 3; k++)
		v[n++] = (double)w->r.field[i][k];
	if (w->r.field && w->p.normal)
		v[n++] = gem_normal_field(&w->p, &w->r, i);
	return n;
}

/* Nine digits bring back the same float. */
static void csv(FILE *f, const struct gem_work *w)
{
	double v[5];
	size_t i;
	int k, n;

	for (i = 0; i < w->p.n; i++) {
		const double *at = w->p.at[i];

		fprintf(f, "%.8e,%.8e,%.8e", at[0], at[1], at[2]);
		for (n = values(w, i, v), k = 0; k < n; k++)
			fprintf(f, ",%.8e", v[k]);
		fputc('\n', f);
	}
}

#define MASIF 10

/* The potential has two more names: "quality" is the one number of a vertex that MeshLab knows;
 * "charge" is what MaSIF's programs read, a tenth of kT/e. */
static void ply(FILE *f, const struct gem_work *w)
{
	const struct gem_points *p = &w->p;
	double v[5];
	float rgb[3];
	size_t i;
	int k, n;

	fprintf(f, "ply\nformat ascii 1.0\ncomment clopt-gem %s, potential in %s\n",
	        clopt_version(), w->model.unit.label);
	fprintf(f, "element vertex %zu\n", p->n);
	fprintf(f, "property float x\nproperty float y\nproperty float z\n");
	if (p->normal)
		fprintf(f, "property float nx\nproperty float ny\nproperty float nz\n");
	fprintf(f, "property float potential\nproperty float quality\nproperty float charge\n");
	if (w->r.field)
		fprintf(f, "property float ex\nproperty float ey\nproperty float ez\n");
	if (w->r.field && p->normal)
		fprintf(f, "property float en\n");
	fprintf(f, "property uchar red\nproperty uchar green\nproperty uchar blue\n");
	if (p->faces)
		fprintf(f, "element face %zu\nproperty list uchar int vertex_indices\n", p->faces);
	fprintf(f, "end_header\n");
	for (i = 0; i < p->n; i++) {
		fprintf(f, "%.9g %.9g %.9g ", p->at[i][0], p->at[i][1], p->at[i][2]);
		for (k = 0; p->normal && k < 3; k++)
			fprintf(f, "%.6g ", (double)p->normal[i][k]);
		n = values(w, i, v);
		fprintf(f, "%.9g %.9g %.9g ", v[0], v[0], v[0] * w->model.unit.kt / MASIF);
		for (k = 1; k < n; k++)
			fprintf(f, "%.9g ", v[k]);
		gem_colour(v[0] / w->range.end, rgb);
		fprintf(f, "%d %d %d\n", (int)(255 * rgb[0] + 0.5f), (int)(255 * rgb[1] + 0.5f),
		        (int)(255 * rgb[2] + 0.5f));
	}
	for (i = 0; i < p->faces; i++)
		fprintf(f, "3 %u %u %u\n", p->face[i][0], p->face[i][1], p->face[i][2]);
}

const char *gem_title(char *to, size_t room, const struct gem_work *w)
{
	const char *unit = w->model.unit.label;
	char mode[120], *c;

	if (w->o.difference)
		snprintf(to, room, "difference of potentials in %s, less the map %.400s", unit,
		         w->o.difference);
	else
		snprintf(to, room, "potential in %s, mode %s", unit,
		         gem_mode(mode, sizeof mode, w));
	for (c = to; *c; c++)
		if ((unsigned char)*c < ' ') /* a comment is one line */
			*c = '?';
	return to;
}

/*
 * For VMD, PyMOL, ChimeraX and APBS's tools, which accept less than the format allows: comments
 * only before the first object, numbers of the grid with exponents, the type double, and binary
 * only in the byte order of the machine.
 */
static void open_dx(FILE *f, const struct gem_work *w, int binary)
{
	const struct gem_grid *g = &w->grid;
	const size_t *n = g->n, all = n[0] * n[1] * n[2];
	char title[500];
	double v;
	size_t i;

	fprintf(f, "# clopt-gem %s, %s\n", clopt_version(), gem_title(title, sizeof title, w));
	fprintf(f, "object 1 class gridpositions counts %zu %zu %zu\n", n[0], n[1], n[2]);
	fprintf(f, "origin %.6e %.6e %.6e\n", g->origin[0], g->origin[1], g->origin[2]);
	for (i = 0; i < 3; i++)
		fprintf(f, "delta %.6e %.6e %.6e\n", i == 0 ? g->step[0] : 0,
		        i == 1 ? g->step[1] : 0, i == 2 ? g->step[2] : 0);
	fprintf(f, "object 2 class gridconnections counts %zu %zu %zu\n", n[0], n[1], n[2]);
	fprintf(f, "object 3 class array type double rank 0 items %zu %sdata follows\n", all,
	        binary ? "binary " : "");
	for (i = 0; i < all; i++) {
		v = (double)w->r.value[i];
		if (binary)
			fwrite(&v, sizeof v, 1, f);
		else
			fprintf(f, "%.6e%s", v, i % 3 == 2 || i + 1 == all ? "\n" : " ");
	}
	fprintf(f,
	        "%sattribute \"dep\" string \"positions\"\n"
	        "object \"regular positions regular connections\" class field\n"
	        "component \"positions\" value 1\n"
	        "component \"connections\" value 2\n"
	        "component \"data\" value 3\n",
	        binary ? "\n" : "");
}

static void dx(FILE *f, const struct gem_work *w)
{
	open_dx(f, w, 0);
}

/* As APBS names and writes its binary maps. */
static void dxbin(FILE *f, const struct gem_work *w)
{
	open_dx(f, w, 1);
}

/* x.dxbin, or x.dxbin.gz */
static int is_binary(const char *path)
{
	const size_t n = strlen(path), tail = n > 3 && strcmp(path + n - 3, ".gz") == 0 ? 3 : 0;

	return n - tail > 6 && memcmp(path + n - tail - 6, ".dxbin", 6) == 0;
}

#define BOHR 0.529177210903 /* in Angstrom */

/* An element, or 0: of a name that is not its symbol. */
static int number_of(const char *s, size_t n)
{
	static const struct {
		const char *symbol;
		int number;
	} elements[] = { { "H", 1 },   { "D", 1 },   { "LI", 3 },  { "B", 5 },   { "C", 6 },
		         { "N", 7 },   { "O", 8 },   { "F", 9 },   { "NA", 11 }, { "MG", 12 },
		         { "AL", 13 }, { "SI", 14 }, { "P", 15 },  { "S", 16 },  { "CL", 17 },
		         { "K", 19 },  { "CA", 20 }, { "MN", 25 }, { "FE", 26 }, { "CO", 27 },
		         { "NI", 28 }, { "CU", 29 }, { "ZN", 30 }, { "SE", 34 }, { "BR", 35 },
		         { "RB", 37 }, { "CD", 48 }, { "I", 53 },  { "CS", 55 }, { "HG", 80 } };
	size_t i;

	for (i = 0; i < sizeof elements / sizeof *elements; i++)
		if (strlen(elements[i].symbol) == n && strncasecmp(elements[i].symbol, s, n) == 0)
			return elements[i].number;
	return 0;
}

int gem_atomic_number(const struct gem_atom *a)
{
	static const char *const alone[] = { "CL", "BR", "SE", "FE", "ZN", "MG", "MN", "CU" };
	const char *s = a->name + strspn(a->name, "0123456789'\"*");
	const size_t letters = strcspn(s, "0123456789+-'\"*");
	size_t i;

	if (*a->element)
		return number_of(a->element, strlen(a->element));
	/* An ion is called as its residue, as CA; elsewhere that is a carbon. */
	if (strncasecmp(s, a->resname, letters) == 0 &&
	    strcspn(a->resname, "0123456789+-") == letters && number_of(s, letters))
		return number_of(s, letters);
	/* In molecules these are no hydrogens, carbons, ... with a second letter for their
	 * place. */
	for (i = 0; i < sizeof alone / sizeof *alone; i++)
		if (strncasecmp(s, alone[i], 2) == 0)
			return number_of(s, 2);
	return strchr("HDCNOSPF", toupper((unsigned char)*s)) ? number_of(s, *s != 0) : 0;
}

/* Gaussian's CUBE: lengths in Bohr. */
static void cube(FILE *f, const struct gem_work *w)
{
	const struct gem_grid *g = &w->grid;
	size_t i, all = g->n[0] * g->n[1] * g->n[2];
	char title[500];
	int k;

	fprintf(f, "clopt-gem %s, z fastest\n%s\n", clopt_version(),
	        gem_title(title, sizeof title, w));
	fprintf(f, "%5zu %14.8f %14.8f %14.8f\n", w->m.n, g->origin[0] / BOHR, g->origin[1] / BOHR,
	        g->origin[2] / BOHR);
	for (k = 0; k < 3; k++)
		fprintf(f, "%5zu %14.8f %14.8f %14.8f\n", g->n[k], k == 0 ? g->step[0] / BOHR : 0,
		        k == 1 ? g->step[1] / BOHR : 0, k == 2 ? g->step[2] / BOHR : 0);
	for (i = 0; i < w->m.n; i++) {
		const struct gem_atom *a = &w->m.atom[i];

		fprintf(f, "%5d %12.6f %12.6f %12.6f %12.6f\n", gem_atomic_number(a), a->q,
		        a->at[0] / BOHR, a->at[1] / BOHR, a->at[2] / BOHR);
	}
	for (i = 0; i < all; i++)
		fprintf(f, " %13.6E%s", (double)w->r.value[i],
		        i % g->n[2] % 6 == 5 || (i + 1) % g->n[2] == 0 ? "\n" : "");
}

/* MRC 2014: a header of 1024 bytes, then floats, x fastest, in the byte order of the machine. */
static void mrc(FILE *f, const struct gem_work *w)
{
	const struct gem_grid *g = &w->grid;
	const size_t *n = g->n;
	const unsigned one = 1;
	union {
		int i[256];
		float f[256];
		char c[1024];
	} h = { { 0 } };
	char title[500];
	size_t x, y, z;
	int k;

	for (k = 0; k < 3; k++) {
		h.i[k] = h.i[7 + k] = (int)n[k];
		h.f[10 + k] = (float)((double)n[k] * g->step[k]);
		h.f[13 + k] = 90;
		h.i[16 + k] = k + 1;
		h.f[49 + k] = (float)g->origin[k];
	}
	h.i[3] = 2; /* floats */
	h.f[19] = (float)w->r.stats.min;
	h.f[20] = (float)w->r.stats.max;
	h.f[21] = (float)w->r.stats.mean;
	h.i[22] = 1;
	h.i[27] = 20140;
	memcpy(&h.c[208], "MAP ", 4);
	memset(&h.c[212], *(const char *)&one ? 0x44 : 0x11, 2);
	h.f[54] = (float)sqrt(
	        fmax(w->r.stats.rms * w->r.stats.rms - w->r.stats.mean * w->r.stats.mean, 0));
	h.i[55] = 1;
	snprintf(&h.c[224], 80, "clopt-gem %s, %s", clopt_version(),
	         gem_title(title, sizeof title, w));
	fwrite(&h, sizeof h, 1, f);
	for (z = 0; z < n[2]; z++)
		for (y = 0; y < n[1]; y++)
			for (x = 0; x < n[0]; x++)
				fwrite(&w->r.value[(x * n[1] + y) * n[2] + z], sizeof(float), 1, f);
}

/* A name as a field of CSV: in quotes if it has a comma or the end of a line, a quote doubled. */
static void field(FILE *f, const char *s)
{
	const int quoted = strpbrk(s, ",\"\r\n") != NULL;

	fputs(quoted ? "\"" : "", f);
	for (; *s; s++) {
		if (*s == '"')
			fputc('"', f);
		fputc(*s, f);
	}
	fputs(quoted ? "\"," : ",", f);
}

static void by_csv(FILE *f, const struct gem_work *w)
{
	const int residues = w->groups.by == GEM_BY_RESIDUE;
	size_t i;

	fprintf(f, "chain,%satoms,charge,mean,rms,min,max%s\n", residues ? "residue,number," : "",
	        w->o.energy ? ",solvation_energy" : "");
	for (i = 0; i < w->groups.n; i++) {
		const struct gem_group *g = &w->groups.group[i];
		const char ins[2] = { g->first->ins, 0 };

		field(f, g->first->chain);
		if (residues) {
			field(f, g->first->resname);
			fprintf(f, "%d%s,", g->first->resnum, ins);
		}
		fprintf(f, "%zu,%.6g,%.8e,%.8e,%.8e,%.8e", g->n, gem_charge(&g->charge),
		        g->stats.mean, g->stats.rms, g->stats.min, g->stats.max);
		if (w->o.energy)
			fprintf(f, ",%.8e", g->energy);
		fputc('\n', f);
	}
}

void gem_table_head(FILE *f)
{
	fprintf(f, "molecule,atoms,charge,points,mean,rms,min,max,area,solvation_energy,seconds,"
	           "units\n");
}

void gem_table_row(FILE *f, const struct gem_work *w, double seconds)
{
	const struct gem_stats *s = &w->r.stats;

	field(f, w->o.name);
	fprintf(f, "%zu,%.6g,%zu,%.8e,%.8e,%.8e,%.8e,", w->m.n, w->m.charge, w->r.n, s->mean,
	        s->rms, s->min, s->max);
	if (w->r.area > 0)
		fprintf(f, "%.8e", w->r.area);
	fputc(',', f);
	if (w->o.energy)
		fprintf(f, "%.8e", w->r.energy);
	fprintf(f, ",%.3f,%s\n", seconds, w->model.unit.label);
	fflush(f);
}

int gem_write(enum gem_output what, const char *path, const struct gem_work *w, struct fault *e)
{
	static void (*const print[GEM_OUTPUTS])(
	        FILE *, const struct gem_work *) = { csv, dx, ply, NULL, by_csv, cube, mrc, NULL };
	struct outfile o;

	if (what == GEM_PNG)
		return gem_write_png(path, w, e);
	if (what == GEM_PDB)
		return gem_write_pdb(path, w, e);
	if (outfile_open(&o, path, e))
		return -1;
	if (what == GEM_DX && is_binary(path))
		dxbin(o.f, w);
	else
		print[what](o.f, w);
	return outfile_commit(&o, e); /* reports failed writes */
}
