/* SPDX-License-Identifier: MIT */
/*
 * options.c - the options of clopt-gem, by a table.
 */
#include "options.h"

#include "../../common/ranks.h"

const char *const gem_modes[] = { "", "coulomb", "distance4", "debye", "alpb", NULL };
const char *const gem_parts[] = { "total", "reaction", "coulomb", NULL };
const char *const gem_units[] = { "kcal", "kT", "mV", NULL };
static const char *const constants[] = { "exact", "gem", NULL };
static const char *const approx[] = { "none", NULL };
const char *const gem_surfaces[] = { "ses", "sas", NULL };
static const char *const by[] = { "chain", "residue", NULL };

#define AT(field) offsetof(struct gem_settings, field)

/* clang-format off */
static const struct option_row rows[] = {
	HEAD("Which"),
	FLAG("models", models, "each model of a file by itself, as the frames of a trajectory: between "
	     "MODEL and ENDMDL, or up to END (not of mmCIF).  Its name has its number, as in m-00042, and all "
	     "pictures have the view and the colours of the first.  Without it the first model is "
	     "taken"),
	HEAD("Where (without any of these: at the molecule's surface, made here)"),
	FILE_FROM("vertices", vertices, "points and normals of an MSMS .vert file; the triangles "
	     "of the .face file beside it go into the PLY and into a mean by area"),
	FILE_FROM("points", points, "lines x,y,z with commas or blanks; # starts a comment.  A "
	     "charge within 1e-6 A of a point adds nothing there"),
	TRIPLE("grid", "N", grid, 2, 4096, "N nodes along the longest side of the molecule's box; NX,NY,NZ "
	       "with --spacing: along each"),
	TRIPLE("spacing", "H", spacing, 1e-3, 1e3, "the nodes of a grid are H apart, or HX,HY,HZ, A; as many as fill "
	       "the box, unless --grid NX,NY,NZ has their numbers"),
	TRIPLE("origin", "X,Y,Z", origin, -1e6, 1e6, "the first node of a grid with --spacing, A (the "
	       "molecule's box is in the middle of the grid)"),
	FILE_FROM("grid-like", like, "the nodes of this map, in OpenDX format (text or binary, also compressed by "
		  "gzip): two molecules on one grid"),
	FILE_FROM("difference", difference, "as --grid-like, and the values of the map are subtracted, "
		  "converted to the unit of --units if a comment of the map names its own, as those of "
		  "clopt-gem and APBS do"),
	NUMBER("margin", "M", FROM, margin, 0, 1000, "between the atoms and the sides of the box, "
	       "A (10)"),
	NUMBER("probe", "R", FROM, probe, 0, 1000, "radius of the probe, A (1.5, as GEM's surfaces "
	       "by MSMS have; 1.4 is common for water)"),
	NUMBER("density", "D", ABOVE, density, 0, 1e6, "vertices or dots per square A (3.0)"),
	WORD("surface", surface, gem_surfaces, "ses: the solvent-excluded surface, where a probe that rolls "
	     "over the atoms ends, a closed mesh of triangles (the default).  sas: the "
	     "solvent-accessible surface, where its centre is, as dots"),
	FLAG("cavities", cavities, "the mesh has the surfaces of closed cavities that hold a probe, too"),
	NUMBER("projection", "P", FROM, projection, -1000, 1000, "compute P from the surface along "
	       "its normals, A (0); files have the points of the surface all the same.  Points that land "
	       "inside atoms are counted"),
	HEAD("What"),
	WORD("mode", mode, gem_modes, "coulomb: K/eps-in sum q/d (the default).  distance4: K/4 sum "
	     "q/d^2, a dielectric constant of 4 d.  debye: K/eps sum q exp(-kappa d)/d in the "
	     "solvent; eps is that of --eps-out, unless --eps-in is given.  alpb: a molecule in a "
	     "solvent, by the analytical linearized Poisson-Boltzmann formula of GEM"),
	NUMBER("eps", "E", ABOVE, eps_in, 0, 1e9, "the same as --eps-in"),
	NUMBER("eps-in", "E", ABOVE, eps_in, 0, 1e9, "dielectric constant of the molecule (1)"),
	NUMBER("eps-out", "E", ABOVE, eps_out, 0, 1e9, "dielectric constant of the solvent (80)"),
	NUMBER("ionic", "M", FROM, ionic, 0, 100, "ionic strength, mol/l (0); kappa follows from "
	       "it, --eps-out and --temperature"),
	NUMBER("kappa", "K", FROM, kappa, 0, 1000, "inverse Debye length, 1/A"),
	NUMBER("temperature", "T", ABOVE, temperature, 0, 1e5, "K (298.15), for --ionic and kT, also that of the map of --difference"),
	WORD("units", unit, gem_units, "kcal (kcal/mol/e, the default), kT (kT/e, as viewers of maps "
	     "expect) or mV"),
	WORD("constants", constants, constants, "exact, or gem for those of GEM: K = 332, kT = "
	     "0.592 kcal/mol, kappa = 0.316 sqrt(M)"),
	WORD("approx", approx, approx, "none: every pair is computed (there is nothing else yet)"),
	HEAD("Only with --mode alpb.  Dots lie one probe radius from the molecule's surface, vertices on it.  "
	     "Points, nodes and charges are placed by the probe, exactly, or by the nearest of the "
	     "--vertices, which may go with --points or --grid.  A point in an atom is inside."),
	WORD("part", part, gem_parts, "total, reaction (without the Coulomb part) or coulomb (that "
	     "alone)"),
	NUMBER("radius", "A", ABOVE, radius, 0, 1e6, "electrostatic radius of the molecule, A (from "
	       "its atoms)"),
	NUMBER("ion-radius", "B", FROM, ion_radius, 0, 1000, "no ion's centre is nearer to the "
	       "surface, A (2)"),
	NUMBER("alpha", "X", FROM, alpha, 0, 100, "of the formula (0.571412)"),
	FLAG("gem-compat", gem_compat, "as GEM's program: leave out a constant inside, and take "
	     "every charge as lying half of --radius deep instead of as deep as it is"),
	NUMBER("tolerance", "T", FROM, tolerance, 0, 0.99, "by a tree: 99 of 100 values are off by at "
	       "most T of their root mean square, fields of their own size (0: all pairs are summed, as they "
	       "are inside a molecule)"),
	HEAD("Parts"),
	FLAG("energy", energy, "the solvation energy by --mode alpb, half the sum of q times the "
	     "reaction potential at the charges, with --by that of each chain or residue too.  "
	     "Costs pairs of all atoms with all"),
	FLAG("field", field, "the field -grad phi too, in the unit per A, into CSV and PLY.  By --mode "
	     "alpb with salt it is that for a fixed point of the surface, and differs from minus the "
	     "gradient of the map, whose points have points of the surface of their own"),
	WORD("by", by, by, "chain or residue: a table of each one's own charge, and mean, rms, "
	     "least and greatest potential over the points.  Costs as many pairs again and a call "
	     "for each"),
	FILE_TO("by-csv", out[GEM_BY_CSV], "the table goes there (to the standard output, or into the "
	     "JSON)"),
	HEAD("Output (-, the standard output: the summary goes to stderr).  %s in the name of a file becomes "
	     "the molecule's name, without folder, .pqr and .gz; of several molecules each has files of its own.  "
	     "Files whose names end in .gz are compressed"),
	FILE_TO("csv", out[GEM_CSV], "lines x,y,z,value, as APBS's multivalue writes; with --field then "
	     "Ex,Ey,Ez and, of points with normals, En"),
	FILE_TO("dx", out[GEM_DX], "the grid as OpenDX, of a name x.dxbin binary, as APBS's"),
	FILE_TO("cube", out[GEM_CUBE], "the grid as CUBE, lengths in Bohr; the number of an atom whose element is not plain is 0"),
	FILE_TO("mrc", out[GEM_MRC], "the grid as MRC (CCP4) of 2014"),
	FILE_TO("bfactor", out[GEM_PDB], "the atoms as PDB, with the potential in kT/e as B factors, from "
		"-99.99 to 999.99: the mean over the points of the surface that are nearest to the atom, of "
		"a buried one that of the nearest point"),
	FILE_TO("ply", out[GEM_PLY], "points, normals, potential, colours and faces as ASCII PLY; the "
		"potential as quality for MeshLab and, a tenth of kT/e, as charge for MaSIF, too"),
	FILE_TO("png", out[GEM_PNG], "a picture of the surface, red below zero and blue above"),
	NUMBER("range", "V", ABOVE, range, 0, 1e30, "the colours end at -V and V (the 98th "
	       "percentile of |value|)"),
	NUMBER("size", "N", COUNT, size, 16, 8192, "width and height of the picture, pixels (900)"),
	TEXT("film", "FILE", film, "a film, as film.mp4, of the pictures of all molecules, 25 a second, "
	     "by the program ffmpeg; without it pictures FILE-00000.png, ..."),
	FILE_TO("table", table, "a line for each molecule, as CSV: name, atoms, charge, points, mean, rms, least and "
		"greatest potential, area of the surface if it has faces, solvation energy with --energy, seconds"),
	FLAG("json", json, "print the summary as JSON; of several molecules a list"),
	FLAG("quiet", quiet, "print nothing but errors"),
	HEAD("Device"),
	TEXT("device", "SPEC", device.device, "an index, a word, or vendor:type:name (the fastest); "
	     "'gpu*' or 0+1: all of them at once"),
	TEXT("variant", "NAME", device.variants, "force a kernel, such as potential/plain; 'clopt "
	     "list' has them"),
	FLAG("mpi", mpi, RANKS_OPTION),
};
/* clang-format on */

static const struct options options = {
	"clopt-gem",
	"molecule.pqr ...",
	"The electrostatic potential of a molecule at its surface, at points or on a grid.  The "
	"molecule - is read from the standard input.  A PDB or mmCIF file gets charges and radii "
	"by the program pdb2pqr, with PARSE's force field and without water.  Inputs may be "
	"compressed by gzip.\v"
	"Exit status: 0, 1 after a failure, 2 after a wrong command line.",
	rows,
	sizeof rows / sizeof *rows,
};

int gem_several(const struct gem_settings *o)
{
	return o->count > 1 || o->models;
}

int gem_own_grid(const struct gem_settings *o)
{
	return o->grid.n || o->spacing.n;
}

int gem_on_grid(const struct gem_settings *o)
{
	return gem_own_grid(o) || o->like || o->difference;
}

int gem_given(const struct gem_settings *o, const char *option)
{
	return options_given(&options, o->given, option);
}

int gem_settings_read(struct gem_settings *o, int argc, char **argv)
{
	const struct gem_settings none = {
		.margin = 10,
		.probe = 1.5,
		.density = 3,
		.by = -1,
		.mode = CLOPT_LAW_COULOMB,
		.eps_in = 1,
		.eps_out = 80,
		.kappa = -1,
		.temperature = 298.15,
		.ion_radius = 2,
		.alpha = 0.571412,
		.size = 900,
		.device = CLOPT_OPTIONS_INIT,
	};
	struct options_line line = { 0 };
	int rc, i;

	*o = none;
	rc = options_read(&options, o, &line, argc, argv);
	if (rc >= 0)
		return rc;
	if (line.args == 0)
		return options_misused("clopt-gem", "which molecule?");
	for (i = 0; i < line.args; i++)
		line.arg[i] = (char *)(size_t)options_input(line.arg[i]);
	o->molecules = line.arg;
	o->count = (size_t)line.args;
	o->molecule = line.arg[0];
	o->given = line.given;
	/* With --json the groups are part of that. */
	if (o->by >= 0 && !o->out[GEM_BY_CSV] && !o->json)
		o->out[GEM_BY_CSV] = "/dev/stdout";
	rc = gem_settings_refuse(o);
	return rc ? rc : -1;
}
