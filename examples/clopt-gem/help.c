/* SPDX-License-Identifier: MIT */
/*
 * help.c - what --help prints.
 */
#include "gem.h"

/* Several texts, since C99 promises no more than 4095 characters of one. */
/* clang-format off */
static const char *const help[] = {
	"usage: clopt-gem [options] molecule.pqr\n"
	"The electrostatic potential of a molecule at its surface, at points or on a grid.\n"
	"\n"
	"Where (without any of them: at the solvent-accessible surface, made here)\n"
	"  --vertices FILE   points and normals of an MSMS .vert file; the triangles of the\n"
	"                    .face file beside it go into the PLY and into a mean by area\n"
	"  --points FILE     lines x,y,z with commas or blanks; # starts a comment.  A charge\n"
	"                    within 1e-6 A of a point adds nothing there\n"
	"  --grid N          N nodes along the longest side of the molecule's box\n"
	"  --margin M        between the atoms and the sides of the box, A (10)\n"
	"  --probe R         radius of the probe, A (1.5, as GEM has its surfaces made by MSMS;\n"
	"                    others take 1.4 for water)\n"
	"  --density D       dots to a square A (3.0)\n"
	"  --projection P    go P from the surface along its normals, A (0); files have the\n"
	"                    points of the surface all the same\n"
	"\n"
	"What\n"
	"  --mode NAME       coulomb    K/eps-in sum q/d (the default)\n"
	"                    distance4  K/4 sum q/d^2, a dielectric constant of 4 d\n"
	"                    debye      K/eps sum q exp(-kappa d)/d, in the solvent: eps is\n"
	"                               that of --eps-out, unless --eps-in is given\n"
	"                    alpb       a molecule in a solvent: the analytical linearized\n"
	"                               Poisson-Boltzmann formula of GEM\n"
	"  --eps-in E        dielectric constant of the molecule (1); --eps is the same\n"
	"  --eps-out E       ... and of the solvent (80)\n"
	"  --ionic M         ionic strength, mol/l (0); kappa follows from it, --eps-out and\n"
	"                    --temperature\n"
	"  --kappa K         inverse Debye length, 1/A\n"
	"  --temperature T   K (298.15), for --ionic and kT\n"
	"  --units NAME      kcal (kcal/mol/e, the default), kT (kT/e, which viewers of maps\n"
	"                    take values for) or mV\n"
	"  --constants NAME  exact, or those of GEM: K = 332, kT = 0.592 kcal/mol, kappa =\n"
	"                    0.316 sqrt(M)\n"
	"  --approx none     every pair is computed (there is nothing else yet)\n",
	"  only with --mode alpb:\n"
	"  --part NAME       total, reaction (without the Coulomb part) or coulomb (that alone)\n"
	"  --radius A        electrostatic radius of the molecule, A (from its atoms)\n"
	"  --ion-radius B    no ion's centre is nearer to the surface, A (2)\n"
	"  --alpha X         of the formula (0.571412)\n"
	"  --gem-compat      leave out the constant that GEM's program leaves out inside\n"
	"  The dots made here lie one probe radius from the molecule's surface, the vertices of\n"
	"  --vertices on it.  Points and nodes are placed by atoms and dots, or by the nearest\n"
	"  vertex: --vertices may go with --points or --grid.  What is in an atom is inside.\n"
	"\n"
	"Parts\n"
	"  --field           the field -grad phi too, in the unit per A, into CSV and PLY\n"
	"  --by NAME         chain or residue: a table of what each gives by itself: charge,\n"
	"                    mean, rms, least and greatest potential over the points.  Costs as\n"
	"                    many pairs again and a call for each of them\n"
	"  --by-csv FILE     the table goes there (to the standard output, or into the JSON)\n"
	"\n"
	"Output (to /dev/stdout: the summary goes to stderr)\n"
	"  --csv FILE        lines x,y,z,value, as APBS's multivalue writes; with --field then\n"
	"                    Ex,Ey,Ez and, of points with normals, En\n"
	"  --dx FILE         the grid as OpenDX\n"
	"  --ply FILE        points, normals, potential, colours and faces as ASCII PLY\n"
	"  --png FILE        a picture of the surface, red below zero and blue above\n"
	"  --range V         the colours end at -V and V (the 98th percentile of |value|)\n"
	"  --size N          width and height of the picture, pixels (900)\n"
	"  --json            print the summary as JSON\n"
	"  --quiet           print nothing but errors\n"
	"Device\n"
	"  --device SPEC     an index, a word, or vendor:type:name (the fastest)\n"
	"  --variant NAME    force a kernel, such as potential/plain; clopt list has them\n"
	"  --help, --version\n"
	"Exit status: 0, 1 after a failure, 2 after a wrong command line.\n",
};
/* clang-format on */

void gem_help(FILE *f)
{
	size_t i;

	for (i = 0; i < sizeof help / sizeof *help; i++)
		fputs(help[i], f);
}
