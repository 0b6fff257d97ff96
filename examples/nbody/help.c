/* SPDX-License-Identifier: MIT */
/*
 * help.c - what --help prints.
 */
#include "nb.h"

/* clang-format off */
const char nb_help[] =
	"usage: nbody [options]\n"
	"Bodies that move under their own gravity.\n"
	"\n"
	"Bodies\n"
	"  --model NAME       plummer (the default), galaxies, figure-eight or two\n"
	"  --n N              how many of them: plummer 4096, galaxies 8192\n"
	"  --seed S           for other bodies of the same kind (1)\n"
	"  --in FILE          instead of a model: lines x y z vx vy vz m, where # starts a\n"
	"                     comment, or a tipsy file, big or little endian\n"
	"Motion (without these, what suits the model; with --in 100 steps of 0.01)\n"
	"  --steps N          how many\n"
	"  --dt T             of which length; negative goes back in time\n"
	"  --softening E      Plummer's, a length; 0: none.  With --in the file's, or 0: tables\n"
	"                     written here have \"# softening E\", tipsy files one for each body\n"
	"                     (with a warning, and 0, if they differ)\n"
	"  --g G              the gravitational constant in the units of --in; else the table's\n"
	"                     \"# g G\", or 1\n"
	"  --integrator NAME  leapfrog (the default) or hermite\n"
	"  --precision NAME   float, double-single, double or best (the default)\n"
	"Output (to /dev/stdout: what is printed goes to stderr)\n"
	"  --out FILE         the bodies after the last step\n"
	"  --format NAME      of that file: table (the default) or tipsy\n"
	"  --every K          print the conserved sums each K steps (a tenth of the steps)\n"
	"  --png FILE         a picture of the bodies after the last step\n"
	"  --frames PREFIX    pictures PREFIX00000.png, ... each K steps, or a folder for them\n"
	"  --size N           width and height of a picture, pixels (900)\n"
	"  --json             print everything at the end, as JSON\n"
	"  --quiet            print nothing but errors\n"
	"Device\n"
	"  --device SPEC      an index, a word, or vendor:type:name (the fastest)\n"
	"  --help, --version\n"
	"Exit status: 0, 1 after a failure, 2 after a wrong command line.\n";
/* clang-format on */
