/* SPDX-License-Identifier: MIT */
/*
 * options.c - the options of clopt-gem, by a table.
 */
#include "options.h"

#include "../../common/ranks.h"

const char *const gem_forcefields[] = { "PARSE",  "AMBER",   "CHARMM", "TYL06",
	                                "PEOEPB", "SWANSON", NULL };
const char *const gem_modes[] = { "", "coulomb", "distance4", "debye", "alpb", NULL };
const char *const gem_parts[] = { "total", "reaction", "coulomb", NULL };
const char *const gem_units[] = { "kcal", "kT", "mV", NULL };
static const char *const constants[] = { "exact", "gem", NULL };
const char *const gem_surfaces[] = { "ses", "sas", NULL };
static const char *const by[] = { "chain", "residue", NULL };

#define AT(field) offsetof(struct gem_settings, field)

/* clang-format off */
static const struct option_row rows[] = {
	HEAD("Molecules"),
	FLAG("models", models, "compute each model of a file (default: the first)"),
	WORD("forcefield", forcefield, gem_forcefields, "of PDB and mmCIF files (PARSE); AMBER has nucleic "
	     "acids; CHARMM, TYL06, PEOEPB, SWANSON"),
	NUMBER("ph", "PH", FROM, ph, 0, 14, "protonate PDB and mmCIF files for this pH, by propka (default: "
	       "as pdb2pqr does without it)"),
	FILE_FROM("trajectory", trajectory, "compute each frame of this DCD, XTC or other file, read by "
		  "MDAnalysis"),
	NUMBER("every", "N", COUNT, every, 1, 1e9, "of --trajectory, compute frames 1, 1+N, 1+2N, ... (1)"),
	HEAD("Where (default: at the molecule's surface, made here)"),
	FILE_FROM("vertices", vertices, "points and normals of an MSMS .vert file, with the triangles of its "
		  ".face file"),
	FILE_FROM("points", points, "points, lines x,y,z with commas or blanks (# starts a comment)"),
	TRIPLE("grid", "N", grid, 2, 4096, "a grid of N nodes along the longest side of the box; NX,NY,NZ nodes "
	       "with --spacing"),
	TRIPLE("spacing", "H", spacing, 1e-3, 1e3, "a grid whose nodes are H, or HX,HY,HZ, A apart (default: as "
	       "many as fill the box)"),
	TRIPLE("origin", "X,Y,Z", origin, -1e6, 1e6, "the first node of a grid with --spacing, A (default: the "
	       "box in its middle)"),
	FILE_FROM("grid-like", like, "the nodes of this OpenDX map, for two molecules on one grid"),
	FILE_FROM("difference", difference, "as --grid-like, less the values of that map, in the unit of "
		  "--units"),
	NUMBER("margin", "M", FROM, margin, 0, 1000, "distance of the atoms from the sides of the box, A (10)"),
	NUMBER("probe", "R", FROM, probe, 0, 1000, "radius of the probe, A (1.5; 1.4 is common for water)"),
	NUMBER("density", "D", ABOVE, density, 0, 1e6, "vertices or dots per square A (3; more for less "
	       "than 4000 atoms)"),
	WORD("surface", surface, gem_surfaces, "ses: solvent-excluded, triangles (the default); sas: "
	     "solvent-accessible, dots"),
	FLAG("cavities", cavities, "add the surfaces of closed cavities that hold a probe"),
	NUMBER("projection", "P", FROM, projection, -1000, 1000, "compute P from the surface along its normals, "
	       "A (0)"),
	HEAD("What"),
	WORD("mode", mode, gem_modes, "coulomb (the default), distance4, debye (with salt) or alpb (molecule in a "
	     "solvent); see below"),
	NUMBER("eps", "E", ABOVE, eps_in, 0, 1e9, "the same as --eps-in"),
	NUMBER("eps-in", "E", ABOVE, eps_in, 0, 1e9, "dielectric constant of the molecule (1)"),
	NUMBER("eps-out", "E", ABOVE, eps_out, 0, 1e9, "dielectric constant of the solvent (80)"),
	NUMBER("ionic", "M", FROM, ionic, 0, 100, "ionic strength, mol/l (0); with --eps-out and --temperature "
	       "it gives kappa"),
	NUMBER("kappa", "K", FROM, kappa, 0, 1000, "inverse Debye length, 1/A, in place of --ionic"),
	NUMBER("temperature", "T", ABOVE, temperature, 0, 1e5, "temperature for --ionic and kT, K (298.15)"),
	WORD("units", unit, gem_units, "kcal (kcal/mol/e, the default), kT (kT/e) or mV"),
	WORD("constants", constants, constants, "exact (the default), or gem: K = 332, kT = 0.592 kcal/mol, "
	     "kappa = 0.316 sqrt(M)"),
	NUMBER("tolerance", "T", FROM, tolerance, 0, 0.99, "sum by a tree: 99 of 100 values are off by at most T "
	       "of their rms (0: all pairs)"),
	HEAD("Only with --mode alpb"),
	WORD("part", part, gem_parts, "total (the default), reaction (without the Coulomb part) or coulomb"),
	NUMBER("radius", "A", ABOVE, radius, 0, 1e6, "electrostatic radius of the molecule, A (from its atoms)"),
	NUMBER("ion-radius", "B", FROM, ion_radius, 0, 1000, "least distance of an ion's centre from the "
	       "surface, A (2)"),
	NUMBER("alpha", "X", FROM, alpha, 0, 100, "alpha of the formula (0.571412)"),
	FLAG("gem-compat", gem_compat, "as the program GEM: no constant inside, each charge half of --radius "
	     "deep"),
	HEAD("More results"),
	FLAG("energy", energy, "solvation energy by --mode alpb, in kcal/mol, kT or meV by --units; costs "
	     "the pairs of all atoms"),
	FLAG("field", field, "the field -grad phi too, in the unit per A, into CSV and PLY"),
	WORD("by", by, by, "chain or residue: a table of the potential that each one's charges make"),
	FILE_TO("by-csv", out[GEM_BY_CSV], "the table of --by (default: to the standard output, or into the "
		"JSON)"),
	HEAD("Output (- is the standard output; the summary then goes to stderr)"),
	FILE_TO("csv", out[GEM_CSV], "lines x,y,z,value; with --field Ex,Ey,Ez too, and En where there are "
		"normals"),
	FILE_TO("dx", out[GEM_DX], "the grid as OpenDX; binary if FILE ends in .dxbin"),
	FILE_TO("cube", out[GEM_CUBE], "the grid as CUBE, lengths in Bohr"),
	FILE_TO("mrc", out[GEM_MRC], "the grid as MRC (CCP4), format of 2014"),
	FILE_TO("bfactor", out[GEM_PDB], "the atoms as PDB, with the potential of the nearest points as B "
		"factors, kT/e"),
	FILE_TO("ply", out[GEM_PLY], "points, normals, potential, colours and faces as ASCII PLY"),
	FILE_TO("png", out[GEM_PNG], "a picture of the surface, red below zero and blue above"),
	NUMBER("range", "V", ABOVE, range, 0, 1e30, "the colours end at -V and V, in the unit of --units (98th "
	       "percentile)"),
	NUMBER("size", "N", COUNT, size, 16, 8192, "width and height of the picture, pixels (900)"),
	TRIPLE("view", "X,Y,Z", view, -1e6, 1e6, "look from this direction; y is up (default: along the "
	       "molecule's shortest axis)"),
	FLAG("views", views, "front and back in one picture, one above the other"),
	FLAG("transparent", transparent, "a transparent background"),
	TEXT("film", "FILE", film, "a film of the pictures of all molecules, as film.mp4, 25 a second, by "
	     "ffmpeg"),
	FILE_TO("table", table, "CSV, a line for each molecule: charge, points, mean, rms, min, max, area, ..."),
	FLAG("json", json, "print the summary as JSON; of several molecules a list"),
	FLAG("quiet", quiet, "print nothing but errors"),
	HEAD("Device"),
	TEXT("device", "SPEC", device.device, "an index, a word or vendor:type:name (the fastest); 'gpu*' or "
	     "0+1: all of them"),
	TEXT("variant", "NAME", device.variants, "force a kernel, as potential/plain; `clopt list potential' has "
	     "them"),
	FLAG("mpi", mpi, RANKS_OPTION),
};
/* clang-format on */

static const struct options options = {
	"clopt-gem",
	"molecule.pqr ...",
	"Examples:\n"
	"  clopt-gem --png surface.png peptide.pqr\n"
	"  clopt-gem --mode alpb --units kT --grid 97 --dx map.dx peptide.pdb\n"
	"  clopt-gem --points points.csv --csv values.csv peptide.pqr\n\n"
	"The electrostatic potential of a molecule at its surface, at points or on a grid.  A PDB "
	"or mmCIF file gets charges and radii by the program pdb2pqr, by --forcefield and without "
	"water.  The molecule - is the standard input.  Inputs may be compressed by gzip.  Values "
	"in parentheses are defaults.\v"
	"Modes, with distances d in A:\n"
	"  coulomb    K / eps-in sum q / d\n"
	"  distance4  K / 4 sum q / d^2, a dielectric constant of 4 d\n"
	"  debye      K / eps sum q exp(-kappa d) / d; eps is --eps-in if given,\n"
	"             else --eps-out; needs --ionic or --kappa\n"
	"  alpb       the analytical linearized Poisson-Boltzmann formula of GEM\n\n"
	"Files: %s in a name becomes the molecule's name, without folder, .pqr and .gz.  Several "
	"molecules, --models and --trajectory need it.  A name that ends in .gz is compressed.  "
	"Without ffmpeg, --film leaves pictures FILE-00000.png, ..., and the exit status is 1.\n\n"
	"Surface: dots of sas lie one probe radius outside the molecule, vertices of ses on it.  "
	"With --projection, files still have the points of the surface.  A charge within 1e-6 A of "
	"a point adds nothing there.\n\n"
	"The files of the examples are in examples/data.  "
	"Exit status: 0, 1 after a failure, 2 after a wrong command line.",
	rows,
	sizeof rows / sizeof *rows,
};

int gem_several(const struct gem_settings *o)
{
	return o->count > 1 || o->models || o->trajectory;
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
		.ph = -1,
		.margin = 10,
		.probe = 1.5,
		.by = -1,
		.mode = CLOPT_LAW_COULOMB,
		.eps_in = 1,
		.eps_out = 80,
		.kappa = -1,
		.temperature = 298.15,
		.ion_radius = 2,
		.alpha = 0.571412,
		.every = 1,
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
		return options_misused("clopt-gem",
		                       "a molecule is missing: give the name of its file");
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
