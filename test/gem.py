#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# gem.py PROGRAMS [TEST...] - clopt-gem: what it reads and writes, and its potentials, against sums in float64.  test/programs.py has
# its messages, signals, full disks and pipes.
import gzip
import json
import math
import os
import re
import sys
from pathlib import Path

import running
from running import ROOT, floats, np, picture

K, KT, ALPHA = 332.06371, 0.592485, 0.571412
BETA = 1 / 80
C, G = 1 / (80 * (1 + ALPHA * BETA)), (1 - BETA) / (1 + ALPHA * BETA)
BOHR = 0.529177210903
PROTEIN = ROOT / 'examples/data/1a0q.pqr'
SQUARE = '0 0 0 0 0 1\n2 0 0 0 0 1\n0 2 0 0 0 1\n2 2 0 0 0 1\n'
FACES = '1 2 3 1 7\n3 2 4 3 8\n'


def pqr(*atoms):
    """Rows x y z q r."""
    return ''.join('ATOM %d X X 1 %.9g %.9g %.9g %.9g %.9g\n' % (i + 1, *row) for i, row in enumerate(atoms))


def atoms_of(path):
    return np.array([[float(x) for x in line.split()[-5:]] for line in Path(path).read_text().splitlines() if line[:4] == 'ATOM'])


def distances(points, atoms):
    return np.sqrt(((np.asarray(points)[:, None] - np.asarray(atoms)[None, :, :3]) ** 2).sum(2))


def coulomb(points, atoms):
    return K * (atoms[:, 3] / distances(points, atoms)).sum(1)


def outside(atoms, at, p, radius):
    """The formula of ALPB without salt, at distances p of the surface."""
    return K * C * ((1 + ALPHA) * (atoms[:, 3] / distances(at, atoms)).sum(1) - ALPHA * (1 - BETA) * atoms[:, 3].sum() / (radius + p))


def inside(atoms, at, p, radius, depth, constant=True):
    """The same inside, the charges at these depths."""
    h = (radius ** 2 - (radius - depth) ** 2) * (radius ** 2 - (radius + np.asarray(p)[:, None]) ** 2) / radius ** 2
    d = distances(at, atoms)
    own = np.divide(1, d, out=np.zeros_like(d), where=d > 1e-6)
    return K * ((atoms[:, 3] * (own - G / np.sqrt(d ** 2 + h))).sum(1) - constant * G * ALPHA * BETA * atoms[:, 3].sum() / radius)


class Case(running.Case):
    def gem(self, line, *more, **how):
        return self.run_program('clopt-gem', line, *more, **how)

    def summary(self, line, *more, **how):
        return json.loads(self.gem(line + ' --json' if isinstance(line, str) else ['--json', *line], *more, **how))

    def values(self, line, *more, **how):
        """The rows of the CSV file."""
        return floats(self.gem('--quiet --csv - ' + line, *more, **how))

    def part(self):
        """A file of the protein's first atoms."""
        return self.write('part.pqr', ''.join(PROTEIN.read_text().splitlines(True)[:600]))

    def mesh(self, line):
        """Points, normals and faces of the PLY file, and the summary."""
        told = self.summary('--ply mesh.ply ' + line)
        head, body = self.read('mesh.ply').split('end_header\n')
        rows = body.splitlines()
        n, faces = (int(re.search('element %s ([0-9]+)' % word, head)[1]) for word in ('vertex', 'face'))
        self.assertEqual(len(rows), n + faces)
        vertices = floats('\n'.join(rows[:n]))
        return vertices[:, :3], vertices[:, 3:6], floats('\n'.join(rows[n:]))[:, 1:].astype(int), told


# A line of a file, and what it says: name, residue, chain, number with insertion code, atomic number, z, charge, radius.
LAYOUTS = (
    ('ATOM      1  N   ALA     1      11.104   6.134  -6.504  0.1414 1.8240', 'N', 'ALA', '', '1', 7, -6.504, .1414, 1.824),
    ('ATOM      2  CA  ALA A   1     -12.000-106.134-966.504 -0.0600 1.9080', 'CA', 'ALA', 'A', '1', 6, -966.504, -.06, 1.908),
    ('ATOM      3  O   ASP O1058     -45.751-100.406  19.252 -0.5819 1.6612', 'O', 'ASP', 'O', '1058', 8, 19.252, -.5819, 1.6612),
    ('HETATM    4 ZN   ZN  B 301A      1.000   2.000   3.000  2.0000 0.8800', 'ZN', 'ZN', 'B', '301A', 30, 3, 2, .88),
    ('ATOM 100000 HD21 NASN 12 1.5 -2.25 3.75 0.25 0.6', 'HD21', 'NASN', '', '12', 1, 3.75, .25, .6),
    ('ATOM 100001 CL2A LIGX -5 1.0e1 -2.0E+0 3.0 -1 0.0', 'CL2A', 'LIGX', '', '-5', 17, 3, -1, 0),
    (' ATOM 1 N ALA 1 1 2 3 .5 1', 'N', 'ALA', '', '1', 7, 3, .5, 1),
    ('\tatom 2 N ALA 1 4 5 6 .5 1', 'N', 'ALA', '', '1', 7, 6, .5, 1),
    # Of Open Babel, with an element; a name, an alternate location and a residue in one.
    ('HETATM    1  C   UNL     1       1.109  -0.058  -0.007  0.03306896   1.700  N  ', 'C', 'UNL', '', '1', 7, -.007, .03306896, 1.7),
    ('HETATM    2 CL   UNL A   1       1.109  -0.058   1.007 -0.25000000   1.750 Br  ', 'CL', 'UNL', 'A', '1', 35, 1.007, -.25, 1.75),
    ('ATOM      3 HG21AVAL A  12       1.000   2.000   3.000  0.5000 1.2000', 'HG21', 'VAL', 'A', '12', 1, 3, .5, 1.2),
    ('ATOM      4 HG22AVAL    12       1.000   2.000   4.000  0.5000 1.2000', 'HG22', 'VAL', '', '12', 1, 4, .5, 1.2),
    # Serials with letters or stars; blanks of other alphabets; coordinates that run together.
    ('HETATMA0000 ZN   ZN  A   2       5.000   0.000   7.000  2.0000 1.5000', 'ZN', 'ZN', 'A', '2', 30, 7, 2, 1.5),
    ('HETATM***** ZN   ZN  A   2       5.000   0.000   7.000  2.0000 1.5000', 'ZN', 'ZN', 'A', '2', 30, 7, 2, 1.5),
    ('HETATMABCDE ZN ZN A 2 5 0 7 2.0 1.5', 'ZN', 'ZN', 'A', '2', 30, 7, 2, 1.5),
    ('HETATM186a0 ZN ZN A 2 5 0 7 2.0 1.5', 'ZN', 'ZN', 'A', '2', 30, 7, 2, 1.5),
    ('ATOM\u00a0     2  CA  ALA A   1       1.500   0.000   7.000  1.0000 1.5000', 'CA', 'ALA', 'A', '1', 6, 7, 1, 1.5),
    ('ATOM\u202f 2\u3000 CA ALA A 1 1.5 0 7 1.0 1.5', 'CA', 'ALA', 'A', '1', 6, 7, 1, 1.5),
    (b'ATOM\xa0 2\xa0 CA ALA A 1 1.5 0 7 1.0 1.5', 'CA', 'ALA', 'A', '1', 6, 7, 1, 1.5),
    ('ATOM      1  N   ALA A1001    1999.3232998.7701900.490  0.1414 1.8240', 'N', 'ALA', 'A', '1001', 7, 1900.49, .1414, 1.824),
    ('ATOM      1  N   ALA A   1     199.3232998.770-900.490  0.1414 1.8240', 'N', 'ALA', 'A', '1', 7, -900.49, .1414, 1.824),
    # A residue of four letters or a number of four digits, and the chain.
    ('ATOM      1  CA  HSDPB   1       0.000   0.000   7.000  1.0000 1.5000', 'CA', 'HSDP', 'B', '1', 6, 7, 1, 1.5),
    ('ATOM      1  CA  HSDPB1234       0.000   0.000   7.000  1.0000 1.5000', 'CA', 'HSDP', 'B', '1234', 6, 7, 1, 1.5),
    ('ATOM      1 HG11 HSDPB-123C      0.000   0.000   7.000  1.0000 1.5000', 'HG11', 'HSDP', 'B', '-123C', 1, 7, 1, 1.5),
    ('ATOM  100000  CA  HSDPB   1       0.000   0.000   7.000  1.0000 1.5000', 'CA', 'HSDP', 'B', '1', 6, 7, 1, 1.5),
    ('ATOM      1  CA  HSDPB   1     0.0000   0.0000   7.0000  1.0000 1.5000', 'CA', 'HSDP', 'B', '1', 6, 7, 1, 1.5),
    ('ATOM      1  CA TIP3 B   1       0.000   0.000   7.000  1.0000 1.5000', 'CA', 'TIP3', 'B', '1', 6, 7, 1, 1.5),
    ('ATOM      1  C1  144 B   1       0.000   0.000   7.000  1.0000 1.5000', 'C1', '144', 'B', '1', 6, 7, 1, 1.5),
    ('ATOM      1  C1  144     5       0.000   0.000   7.000  1.0000 1.5000', 'C1', '144', '', '5', 6, 7, 1, 1.5),
    ('ATOM 1 C1 144 5 1.0 2.0 7.0 1.0 1.5', 'C1', '144', '', '5', 6, 7, 1, 1.5),
    ('ATOM 1 CA ALA 1 12 1.0 2.0 7.0 1.0 1.5', 'CA', 'ALA', '1', '12', 6, 7, 1, 1.5),
    # Numbers with letters; a chain that is apart stays.
    ('ATOM      1  CA  ALA AA000       0.000   0.000   7.000  1.0000 1.5000', 'CA', 'ALA', 'A', '10000', 6, 7, 1, 1.5),
    ('ATOM      1  CA  ALA  A00Z       0.000   0.000   7.000  1.0000 1.5000', 'CA', 'ALA', '', '10035', 6, 7, 1, 1.5),
    ('ATOM      1  CA  ALA Ba001B      0.000   0.000   7.000  1.0000 1.5000', 'CA', 'ALA', 'B', '1223057B', 6, 7, 1, 1.5),
    ('ATOM 1 CA ALA A A00B 1 2 7 1.0 1.5', 'CA', 'ALA', 'A', '10011', 6, 7, 1, 1.5),
    ('ATOM 1 CA ALA A00B 1 2 7 1.0 1.5', 'CA', 'ALA', '', '10011', 6, 7, 1, 1.5),
    ('ATOM 1 CA ALA A B12 1 2 7 1.0 1.5', 'CA', 'ALA', 'A', '12', 6, 7, 1, 1.5),
    ('ATOM 1 CA ALA A 2af8 1 2 7 1.0 1.5', 'CA', 'ALA', 'A', '11000', 6, 7, 1, 1.5),
    ('ATOM 1 CA ALA A 2710 1 2 7 1.0 1.5', 'CA', 'ALA', 'A', '2710', 6, 7, 1, 1.5),
    ('ATOM 1 CA ALA A 301A 1 2 7 1.0 1.5', 'CA', 'ALA', 'A', '301A', 6, 7, 1, 1.5),
    # GROMACS since 2018.
    ('ATOM      3 HG11POPEE 474    9.000    3.200    7.000  -0.29   1.65', 'HG11', 'POPE', 'E', '474', 1, 7, -.29, 1.65),
    ('ATOM      3 N    LYS A1474    9.000    3.200    7.000  -0.29   1.65', 'N', 'LYS', 'A', '1474', 7, 7, -.29, 1.65),
    # Behind the radius: a comment, a segment, an element or a number, a type.
    ('ATOM      1  CA  ALA A   1       0.000   0.000   7.000  1.0000 1.5000 # 12 of A', 'CA', 'ALA', 'A', '1', 6, 7, 1, 1.5),
    ('ATOM 1 CA ALA 1 0 0 7 1 1.5 ! by hand, 0.5', 'CA', 'ALA', '', '1', 6, 7, 1, 1.5),
    ('ATOM      1  CG  PHE A   1       0.000   0.000   7.000  1.0000 1.5000      PROA N', 'CG', 'PHE', 'A', '1', 7, 7, 1, 1.5),
    ('ATOM 1 CG PHE A 1 0 0 7 1.0 1.5 7', 'CG', 'PHE', 'A', '1', 6, 7, 1, 1.5),
    ('ATOM 1 CG PHE 1 0.5 0.0 7.0 1.0 1.5 PROA 7', 'CG', 'PHE', '', '1', 6, 7, 1, 1.5),
    ('ATOM 1 CG PHE 1 0 0 7 1.0 1.5 CA', 'CG', 'PHE', '', '1', 6, 7, 1, 1.5),
    ('ATOM 1 CL LIG 1 0 0 7 1.0 1.5 CL1-', 'CL', 'LIG', '', '1', 17, 7, 1, 1.5),
    ('ATOM 1 C1 LIG 1 0 0 7 1.00 1.50 c3', 'C1', 'LIG', '', '1', 6, 7, 1, 1.5),
    # Atomic numbers: of an element, an ion, and what names of atoms begin with.
    *(('HETATM 1 %s %s A 1 1 2 3 1 1' % (name, residue), name, residue, 'A', '1', number, 3, 1, 1) for name, residue, number in (
        ('CA', 'ALA', 6), ('CA', 'CA', 20), ('CA+2', 'CA2', 20), ('1HG2', 'VAL', 1), ('HG', 'HG', 80), ('CL1', 'LIG', 17), ('SE', 'MSE', 34),
        ('SG', 'CYS', 16), ("O5'", 'A', 8), ('C', 'C', 6), ('P', 'DA', 15), ('X', 'X', 0))),
)

# Files that are refused, by the standard input; what the message says.
BAD_MOLECULES = (
    ('REMARK nothing\nEND\n', 'no atoms'), ('ATOM 1 N ALA 1 1 2 3 0.1\n', ':1:'), ('END\nATOM 1 N ALA 1 1 2 x 0.1 1.5\n', ':2:'),
    ('ATOM 1 N ALA 1 nan 2 3 0.1 1.5\n', ':1:'), ('ATOM 1 N ALA 1 1 2 inf 0.1 1.5\n', ':1:'), ('ATOM 1 N ALA 1 1 2 3 0.1 -1.5\n', ':1:'),
    ('ATOM 1 N ALA 1 1 2 3 0.1 1e400\n', ':1:'), ('ATOM\n', ':1:'),
    ('ATOM 1 N ALA 1 1 2 3 0 1\nATOM 2 N ALA 1 4 5 6 0.0 1\n', 'all 2 atoms are 0'),
    # A PDB file's occupancy and B factor are no charge and radius.
    ('ATOM      1  N   GLY A   1       1.201   0.847   0.000  1.00  0.00           N\n', ':1: occupancy and B factor'),
    ('MODEL        1\r\nATOM      5  N   POPE0 476      17.000   3.200   3.900 -0.29  1.65           N\r\n', ':2: occupancy and B factor'),
    ('ATOM 1 N ALA 1 1.5 2.5 3.5 0.1\n', ':1: no radius'), ('ATOM      1  N   ASP L   1      60.797 122.650  12.260  1.0000\n', ':1: no radius'),
    ('ATOM 1 N ALA A **** 1 2 3 0.1 1.5\n', ":1: '****' is not a residue"), ('HETATM***** N ALA A 1 1 2 x 0.1 1.5\n', ":1: 'x' is not a number"),
    ('ATOM 1 N ALA A12.5 1 2 3 0.1 1.5\n', ":1: 'A12.5'"),
    # Files behind one another, of which the first did not end with the end of a line.
    ('ATOM 1 N ALA 1 1 2 3 1 1ATOM 2 N ALA 2 4 5 6 1 1\n', ':1: too many'), ('ATOM 1 N ALA 1 1 2 3 1 1\nENDATOM 2 N ALA 2 4 5 6 1 1\n', ':2: an atom'),
    ('ATOM 1 N ALA 1 1 2 3 1 1\nTER 2 ALAHETATM 2 N ALA 2 4 5 6 1 1\n', ':2: an atom'), ('MODEL 1\nENDMDL\n', 'no atoms'))


class Molecules(Case):
    def test_layouts(self):
        names = [self.write('%d.pqr' % i, row[0] if isinstance(row[0], bytes) else row[0] + '\n') for i, row in enumerate(LAYOUTS)]
        self.write('v.vert', SQUARE)
        self.gem(['--quiet', '--grid', '2', '--margin', '1', '--cube', '%s.cube', '--by', 'residue', '--by-csv', '%s.csv', *names])
        self.gem(['--quiet', '--vertices', 'v.vert', '--bfactor', '%s.pdb', *names])
        for i, (line, name, residue, chain, number, element, z, q, r) in enumerate(LAYOUTS):
            cube = [line.split() for line in self.read('%d.cube' % i).splitlines()]
            told = self.read('%d.csv' % i).splitlines()[1].split(',')
            record = self.read('%d.pdb' % i).splitlines()[1]
            self.assertEqual(told[:5], [chain, residue, number, '1', '%.6g' % q], line)
            self.assertEqual((record[12:16].strip(), record[17:21].strip(), record[21].strip()), (name, residue, chain), line)
            self.assertEqual(int(cube[6][0]), element, line)
            self.close([float(cube[6][1]), float(cube[6][4]) * BOHR, (float(cube[6][4]) - float(cube[2][3])) * BOHR - 1], [q, z, r], 2e-6, line)

    def test_whole_files(self):
        for text, atoms, charge, *told in (
                ('REMARK one that mentions ATOM\r\n' + '\r\n'.join(row[0] for row in LAYOUTS[:5]) + '\r\nTER\n' + LAYOUTS[5][0] + '\nEND', 6, .7495),
                ('ATOM 1 N ALA 1 1 2 3 .5 1\rATOM 2 N ALA 1 4 5 6 .5 1\rEND\r', 2, 1),  # lines of old Macintoshes
                # Of a PDB's columns charge and radius are taken only where GROMACS says that they are these; -grasp has them turned.
                ('REMARK    The B-factors in this file hold atomic radii\r\nREMARK    The occupancy in this file hold atomic charges\r\n'
                 'MODEL        1\r\nATOM      5  N   POPE0 476      17.000   3.200   3.900 -0.29  1.65           N\r\n', 1, -.29, '!no record'),
                ('REMARK    The occupancy in this file hold atomic radii\n'
                 'ATOM      3 HG11POPEE 474    9.000    3.200    7.000   1.65  -0.29\n', 1, -.29),
                ('# made by hand\n\nREMARK900\nHETNAM     ZN\nSCALE1 1 0 0\nATOM 1 N ALA 1 1 2 3 1 1\nATAM 2 C ALA 1 1 2 4 1 1\nHETATMS\nTER\n'
                 'conect 1 2\nEND\n', 1, 1, "2 lines are no record of a PQR or PDB file and were left out: the first is line 7, 'ATAM'"),
                # The first of several models; atoms that occur twice; charges that cancel sum to zero.
                ('MODEL        1\nATOM 1 N ALA 1 1 2 3 .1 1\nATOM 2 N ALA 1 1 2 4 .2 1\nATOM 3 N ALA 1 1 2 5 -.3 1\nENDMDL\nMODEL        2\n'
                 'ATOM 1 N ALA 1 1 2 3 .1 1\nATOM 2 N ALA 1 1 2 4 .2 1\nENDMDL\n', 3, 0, ': 2 atoms of others are left out', '!at the place'),
                ('ATOM 1 N ALA 1 1 2 3 .1 1\nMODEL 2\nATOM 1 N ALA 1 1 2 3 .1 1\n', 1, .1, ': 1 atoms of others are left out'),
                ('ATOM 1 N ALA 1 1 2 3 .1 1\nATOM 2 N ALA 1 1 2 4 .2 1\nEND\nATOM 1 N ALA 1 1 2 3 .1 1\nATOM 3 N ALA 1 1 2 3 1e-9 1\n', 4, .400000001,
                 '2 atoms are at the place of another', '!left out')):
            told = self.summary('--grid 2 -', 0, *told, given=text)
            self.assertEqual(told['atoms'], atoms, text)
            self.assertAlmostEqual(told['charge'], charge, 8, text)
            if charge == -.29:  # the radius, by the places of the nodes
                self.assertAlmostEqual(json.loads(self.gem('--json --grid 2 --margin 1 -', given=text))['grid_origin'][2],
                                       (3.9 if 'POPE0' in text else 7) - 2.65, 5)

    def test_models(self):
        text = ('MODEL 1\nATOM 1 N ALA 1 1 2 3 .1 1\nATOM 2 N ALA 1 1 2 4 .2 1\nENDMDL\nMODEL 2\nATOM 1 N ALA 1 1 2 3 -.5 1\nENDMDL\nEND\n'
                'REMARK END\nATOM 1 N ALA 1 7 2 3 .7 1\nEND\n\n')
        told = self.summary('--grid 2 --models -', 0, '!left out', given=text)
        self.assertEqual([(m['atoms'], round(m['charge'], 12)) for m in told], [(2, .3), (1, -.5), (1, .7)])
        self.gem('--grid 2 --models --quiet -', 1, 'no atoms', given='MODEL 1\nENDMDL\n')

    def test_refused(self):
        for text, told in BAD_MOLECULES:
            self.gem('-', 1, 'clopt-gem: /dev/stdin', told, given=text)
        for name in '/nonexistent.pqr', '/':
            self.gem(name, 1, 'clopt-gem: ' + name)

    def test_gzip(self):
        data = gzip.compress(b'ATOM 1 N ALA 1 1 2 3 .5 1\nATOM 2 N ALA 1 4 5 6 .25 1\n')
        self.assertEqual(self.summary('--grid 2 ' + self.write('whole', data))['charge'], .75)
        self.gem('--grid 2 ' + self.write('cut', data[:-9]), 1, 'too early')


class Converted(Case):
    """PDB and mmCIF files go through pdb2pqr, here a script in its place; frames through MDAnalysis, here a package of that name."""
    def setUp(self):
        super().setUp()
        self.python, self.path = sys.executable, os.environ['PATH']
        Path('bin').mkdir()
        for name, at in ('python3', sys.executable), ('ld', '/usr/bin/ld'):
            Path('bin', name).symlink_to(at)

    def script(self, text):
        self.write('bin/pdb2pqr', '#!/bin/sh\n' + text + '\n', 0o755)

    def converted(self, line, *more, **how):
        return self.gem('--grid 2 --json ' + line, *more, PATH=self.folder + '/bin', **how)

    ATOM = 'ATOM      1  N   %s A   1       1.000   2.000   3.000  1.00  0.00\n'
    ONE = "echo 'ATOM 1 N GLY A 1 1 2 3 -.3 1.5' >\"$5\""

    def test_arguments(self):
        self.write('m.pdb', self.ATOM % 'GLY')
        self.converted('m.pdb', 1, 'pip install pdb2pqr')
        self.script('case "$1 $2 $3 $6 $7" in\n\'--ff=PARSE --keep-chain --drop-water  \') ;;\n'
                    "'--ff=AMBER --keep-chain --drop-water --with-ph=6.5 --titration-state-method=propka') ;;\n*) exit 9 ;;\nesac\n"
                    'case $4 in *in.pdb) ;; *) exit 8 ;; esac\n' + self.ONE)
        for line in 'm.pdb', '--forcefield AMBER --ph 6.5 ' + self.write('B.PDB.gz', gzip.compress(self.ATOM.encode() % b'GLY')), self.write(
                'm.ent', self.ATOM % 'GLY'):
            told = json.loads(self.converted(line))
            self.assertEqual((told['atoms'], told['charge']), (1, -.3))
        self.script("echo 'ERROR: no atoms' >&2; echo later; exit 1")
        self.converted('m.pdb', 1, 'm.pdb: pdb2pqr failed: ERROR: no atoms')
        for name in '.pdb', 'pdb':  # names of PQR files
            self.assertEqual(json.loads(self.converted(self.write(name, pqr((1, 2, 3, 1, 1)))))['atoms'], 1)

    def test_input(self):
        """Without headers, waters, and serials that are no numbers; without anything else the file is refused."""
        text = ('REMARK by hand\nMODEL 1\nATOM  *****  N   GLY A   1       1.000   2.000   3.000  1.00  0.00\nTER   *****\n'
                'HETATM*****  O   HOH A   2       5.000   2.000   3.000  1.00  0.00\nEND\n')
        self.script('/bin/cat "$4" >"%s/got"\n%s' % (self.folder, self.ONE))
        self.converted(self.write('m.pdb', text))
        self.assertEqual(self.read('got'), text.splitlines(True)[2].replace('*****', '    1') + 'TER   *****\nEND\n')
        self.converted(self.write('w.pdb', text[text.index('HETATM'):]), 1, 'but for waters')
        self.script('echo REMARK >"$5"')
        self.converted('m.pdb', 1, 'm.pdb: pdb2pqr has no parameters')

    def test_models(self):
        """Each model of a PDB file by itself; what is behind the last one is no model."""
        self.script("/bin/sed -n 's/^ATOM \\(.*\\) 1.00  0.00$/ATOM \\1 0.5 1.5/p' \"$4\" >\"$5\"")
        self.write('m.pdb', 'HEADER\nMODEL 1\nATOM 1 N GLY 1 1 2 3 1.00  0.00\nENDMDL\nMODEL 2\nATOM 1 N GLY 1 1 2 4 1.00  0.00\n'
                            'ATOM 2 C GLY 1 1 2 5 1.00  0.00\nENDMDL\nCONECT 1 2\nEND\n')
        told = json.loads(self.converted('--models --margin 1 m.pdb'))
        self.assertEqual([(m['atoms'], m['charge'], m['grid_origin'][2]) for m in told], [(1, .5, .5), (2, 1, 1.5)])

    def test_mended(self):
        """Where pdb2pqr fails it gets the file without hydrogens and residues that lack backbone atoms, if these are few."""
        self.script("/bin/grep -q 'ALA A  11\\|HA  ' \"$4\" && echo ERROR: gap && exit 1\n" + self.ONE)
        for n, status, *told in (7, 1, 'ERROR: gap'), (8, 0, 'pdb2pqr failed at the file as it is', 'ALA A 11'):
            self.converted(self.write('m.pdb', ''.join('HETATM    1  ZN   ZN A%4d       0.000   0.000   0.000\n' % i for i in range(n)) +
                                      'ATOM      1    N ALA A  11       0.000   0.000   0.000\nATOM      2   CA ALA A  11       0.000   0.000   0.000\n'
                                      'ATOM      3 1HA  UNK A  12       0.000   0.000   0.000\n'), status, *told)

    def test_lost(self):
        """What a conversion left out: residues, atoms of them, alternates, models."""
        def record(i, name, residue, chain, number, alternate=' ', x=0., kind='ATOM'):
            return '%-6s%5d  %-3s%s%3s %s%4d    %8.3f   0.000   0.000' % (kind, i, name, alternate, residue, chain, number, x)
        named = '\n'.join((record(1, 'N', 'GLY', 'A', 1), record(2, 'CA', 'GLY', 'A', 1, 'A'), record(3, 'CA', 'GLY', 'A', 1, 'B'),
                           record(4, 'CB', 'SER', 'A', 1, 'B'), record(5, 'P', 'DT', 'B', 2), record(6, 'MG', 'MG', 'B', 3, kind='HETATM'),
                           record(7, 'O', 'HOH', 'B', 4, kind='HETATM'), 'ENDMDL', record(8, 'N', 'GLY', 'A', 1), ''))
        nameless = '\n'.join((record(1, 'N', 'GLY', ' ', 1), 'TER', record(2, 'N', 'SER', ' ', 1, x=1), record(3, 'MG', 'MG', ' ', 2, x=2, kind='HETATM'),
                              record(4, 'OW', 'SOL', ' ', 3, x=3, kind='HETATM'), ''))
        for text, got, alternates, left, lost in (
                (named, (('N', 'GLY', 'A'), ('H', 'GLY', 'A')), 2, 1,
                 '3 residues, or atoms of them, for lack of parameters or of atoms: GLY A 1 (1 atoms), DT B 2, MG B 3 (--forcefield AMBER has nucleic acids)'),
                # Chains without a name, as pdb2pqr names them or not.
                (nameless, (('N', 'GLY', 'A'), ('N', 'SER', 'B')), 0, 0, '1 residues, or atoms of them, for lack of parameters or of atoms: MG B 2'),
                (nameless, (('N', 'GLY', ' '), ('N', 'SER', ' ')), 0, 0, '1 residues, or atoms of them, for lack of parameters or of atoms: MG 2')):
            self.script("echo '%s' >\"$5\"" % '\n'.join(record(1, *who, 1, x=i + .5) + ' 1 1' for i, who in enumerate(got)))
            told = json.loads(self.converted(self.write('m.pdb', text)))
            self.assertEqual((told['alternates'], told['left_out']), (alternates, left))
            self.assertTrue(any(w.startswith('pdb2pqr left out ' + lost) and w.endswith(lost) for w in told['warnings']), (lost, told['warnings']))

    def test_cif(self):
        try:
            import gemmi  # noqa: F401
        except ImportError:
            self.skipTest('there is no gemmi')
        head = 'data_1 loop_\n_atom_site.Cartn_x\n_atom_site.Cartn_y\n_atom_site.Cartn_z\n'
        place = '_atom_site.Cartn_x 1\n_atom_site.Cartn_y 1\n_atom_site.Cartn_z 1\n'
        self.script('/bin/cat "$4" >>"%s/got"\necho \'ATOM 1 N GLY 9 1 1 2 3 -.3 1.5\' >"$5"' % self.folder)
        self.write('m.cif', '# comment\r\ndata_1abc\r\n_entry.id 1ABC\n_struct.title\n;A text; with\n loop_\n_atom_site.id\n;\n'
                   "loop_\n_entity.id _entity.name\n1 'Bob's _atom_site.id loop_' # ATOM\n2 \"#\"\nloop_\n" + ''.join('_atom_site.%s\n' % n for n in (
                       'group_PDB type_symbol label_atom_id auth_atom_id label_alt_id label_comp_id label_asym_id auth_asym_id label_seq_id auth_seq_id '
                       'pdbx_PDB_ins_code Cartn_x Cartn_y Cartn_z pdbx_PDB_model_num Cartn_x_esd').split()).replace('site.label_atom', 'SITE.label_atom', 0) +
                   "ATOM N N N . GLY A B 1 -5 A 1 -2.34567 3 1 ?\nATOM C CA ? 'A' GLY A 'B' 1 -5 ?\n 1.5 2 3 1 ?\n"
                   'HETATM CA X CA ? CA C AAA . 101 . 1e1 2 3 1 .\nHETATM O "O5\'" . . LONG1 D ? . . . 1 2 3 1 .\n'
                   'HETATM O O O . HOH E B . 99999 . 1 2 3 1 .\nATOM H HD11\n;\nHD11\n;\n. LEU A B 1 -5 . 1 2 3 2 .\n'
                   '# end\nloop_\n_atom_type.symbol\nC\ndata_2\n_atom_site.Cartn_x 1\n')
        self.converted('--models --by chain --by-csv %s.csv m.cif')
        self.assertEqual([self.read('m-0000%d.csv' % i).splitlines()[1][:4] for i in (1, 2)], ['AAA,'] * 2)
        self.assertEqual(self.read('got'),
                         'ATOM      1  N   GLY B  -5A      1.000  -2.346   3.000  1.00  0.00           N\n'
                         'ATOM      2  CA AGLY B  -5       1.500   2.000   3.000  1.00  0.00           C\n'
                         'HETATM    3 CA    CA 9 101      10.000   2.000   3.000  1.00  0.00          CA\n'
                         "HETATM    4  O5' LO~ D   0       1.000   2.000   3.000  1.00  0.00           O\n"
                         'ATOM      1 HD11 LEU B  -5       1.000   2.000   3.000  1.00  0.00           H\nEND\n')
        for text, told in (('data_1\n', 'm.cif: no atoms'), ("data_1\n_x 'a\n", "m.cif:2:6: unterminated 'string'"),
                           ('data_1\n_x\n;a\n', 'm.cif:4:1: unterminated text field'),
                           ('data_1\n_atom_site.auth_atom_id\n;a\nb\n;\n' + place, "m.cif: a name with a line's end or another control character: 'a?b'"),
                           (head + '1 2 3\n1 2 ?\n', 'm.cif: atom 2: Cartn_z must be a number'), (head + '1 2 3 4\n', 'Wrong number of values in the loop'),
                           *(('data_1\n_atom_site.auth_seq_id %s\n' % n + place, "a residue's number must be a whole one from -999 to 9999: '%s'" % n)
                             for n in ('10000', '6e11'))):
            self.converted(self.write('m.cif', text), 1, told)

    def test_frames(self):
        """Python's process gives the molecule's atoms other places, or the reason why it cannot."""
        core = ('import array\nclass Positions(array.array):\n    def astype(self, kind):\n        assert kind == "=f4"\n        return self\n'
                'class Frame:\n    def __init__(self, i):\n        self.positions = Positions("f", [i, 2, 3, i + 2, 4, -8 if i < 2 else 1e30])\n'
                'class reader:\n    def __init__(self, name, n_atoms):\n        if name == "bad":\n            raise OSError("no \\x1b such")\n'
                '        self.n_atoms = 3 if name == "more" else n_atoms\n        self.n_frames = int(name) if name.isdigit() else 3\n'
                '        self.frames = min(self.n_frames, 2 if name == "cut" else 3)\n    def __iter__(self):\n'
                '        return (Frame(i) for i in range(self.frames))\n')
        self.write('py/MDAnalysis/coordinates/core.py', core)
        self.write('m.pqr', 'ATOM 1 A X 1 0 0 0 1 1\nATOM 2 B X 1 0 0 1 2 1\n')
        line, how = '--trajectory %s --grid 2 --cube %%s.cube m.pqr', {'PYTHONPATH': self.folder + '/py'}
        for name in '2', 'bad', 'cut', 'more', '0', '3':
            self.write(name, '')
        told = self.summary(line % '2', **how)
        self.assertEqual([m['charge'] for m in told], [3, 3])
        for i in range(2):
            cube = floats('\n'.join(self.read('m-%05d.cube' % (i + 1)).splitlines()[6:8]))
            self.close(cube[:, 1:], [[1, i / BOHR, 2 / BOHR, 3 / BOHR], [2, (i + 2) / BOHR, 4 / BOHR, -8 / BOHR]], 1e-6)
        for name, told in (('bad', 'bad: MDAnalysis failed: no ? such'), ('cut', 'cut: it ends within frame 3 of 3'),
                           ('more', 'more: it has 3 atoms, the molecule 2: both must have the same'), ('0', '0: the trajectory has no frames'),
                           ('3', '3: frame 3: atom 2: the coordinate 1e+30 is out of range')):
            self.gem(line % name, 1, told, **how)
        self.write('py/MDAnalysis/coordinates/core.py', 'import no_such_module\n')
        self.gem(line % '2', 1, "(No module named 'no_such_module'): install it", **how)


class Points(Case):
    """Vertices, faces, lists and grids."""
    def setUp(self):
        super().setUp()
        self.write('m.pqr', pqr((1, 2, 3, 1, 2)))

    def test_vertices(self):
        for text in ('1 2 3 0 0 1 0 1 2\n4 5 6 0 3 4 0 2 3\n', '# MSMS\n#vertex\n 2 1 3.00 1.50\n1 2 3 0 0 1 0 1 2\n4 5 6 0 3 4 0 2 3\n',
                     # The atom's name at the end, Windows's ends of lines, no last end of line.
                     '1 2 3 0 0 1 0 1 2 N_LYS_1\r\n4 5 6 0 3 4 0 2 3 CA_LYS_1',
                     '1.000 2.000   3.000 0 0 -1.000 0 1 2\n4.0 5.0 6.0 0 0.3 0.4 0 2 3\n',
                     '1.000-102.000  3.000 0 0 -1.000 0 1 2\n4.0 5.0 6.0 0 0.3 0.4 0 2 3\n'):  # fused columns
            self.gem('--quiet --vertices %s --ply p.ply m.pqr' % self.write('v.vert', text))
            rows = floats(self.read('p.ply').split('end_header\n')[1])
            self.close(rows[:, :6], [[1, -102 if '-102' in text else 2, 3, 0, 0, -1 if '-1.0' in text else 1], [4, 5, 6, 0, .6, .8]], 1e-7, text)
        for text in ('1 2 3 0 0\n', '# MSMS\n#vertex\n 3 1 3.00 1.50\n1 2 3 0 0 1 0 1 2\n4 5 6 0 3 4 0 2 3\n', '1 2 3 0 0 x 0 1 2\n', '1 2 3 0 0 0 0 1 2\n',
                     '1 2 nan 0 0 1 0 1 2\n', '# MSMS\n'):
            self.gem('--vertices %s m.pqr' % self.write('v.vert', text), 1, 'v.vert')

    def test_faces(self):
        """A .face file beside the .vert file is read with it: with MSMS's header or without, numbers from 1."""
        self.write('v.vert', SQUARE)
        for text in '1 2 3 1 7\n3 2 4 3 8\n', '# MSMS\n#faces\n  2 4 3.00 1.50\n 1 2 3 1 7\n\n 3 2 4 3 8\n', '1 2 3\r\n3 2 4\r\n':
            self.write('v.face', text)
            value, told = self.values('--vertices v.vert m.pqr')[:, 3], self.mesh('--vertices v.vert m.pqr')
            self.assertEqual(told[2].tolist(), [[0, 1, 2], [2, 1, 3]])
            self.close([told[3]['area'], told[3]['mean_by_area']], [4, (value[:3].sum() + value[1:].sum()) / 6], 1e-6)
        self.gem('--vertices v.vert --csv v.face m.pqr', 2)  # it would be ignored
        for text, told in (('1 2\n', ':1:'), ('1 2 3 1 7\n1 2 5 1 7\n', ':2: vertex 5: it must be a whole number from 1 to 4'), ('0 1 2 1 7\n', ':1:'),
                           ('1 2 2.5 1 7\n', ':1:'), ('1 2 x 1 7\n', ':1:'), ('1 2 -3 1 7\n', ':1:'), ('1 2 1e300 1 7\n', ':1:'),
                           ('#\n#\n 3 4 3 1.5\n1 2 3 1 7\n3 2 4 1 7\n', 'says 3 faces, the file has 2'), ('#\n#\n -3 4 3 1.5\n1 2 3 1 7\n', ':3:')):
            self.write('v.face', text)
            self.gem('--vertices v.vert m.pqr', 1, 'v.face', told)

    def test_lists(self):
        self.write('p', '# points\n1,2,3.5\n 4 5 6\n\n7, 8 ,9\n')
        self.assertEqual(self.values('--points p m.pqr')[:, :3].tolist(), [[1, 2, 3.5], [4, 5, 6], [7, 8, 9]])

    def test_grid(self):
        """Nodes fill the box, symmetric about it; those in atoms are counted by hand."""
        self.write('two.pqr', pqr((1, 2, 3, 1, 2), (5, 2.5, 3, 1, 1.5)))
        told = self.summary('--grid 12 --margin 1 --dx g.dx --csv g.csv two.pqr')
        origin, step, counts = np.array(told['grid_origin']), told['grid_step'], told['grid_counts']
        end = origin + (np.array(counts) - 1) * step
        self.close([counts[0], origin[0], step], [12, -2, 9.5 / 11], 1e-6)
        self.assertTrue((origin[1:] <= [-1 + 1e-5, 1e-5]).all() and (end[1:] >= [5 - 1e-5, 6 - 1e-5]).all() and (end[1:] < 6 + step).all(), told)
        nodes = floats(self.read('g.csv'))[:, :3]  # z fastest
        self.close(nodes, origin + step * np.stack(np.meshgrid(*map(np.arange, counts), indexing='ij'), 3).reshape(-1, 3), 1e-7)
        self.assertEqual(told['in_atoms'], (distances(nodes, atoms_of('two.pqr')) < [2, 1.5]).any(1).sum())
        self.assertGreater(told['in_atoms'], 10)
        self.write('p.pqr', pqr((1, 2, 3, 1, 0)))
        self.gem('--grid 3 --margin 0 p.pqr', 1)  # no extent
        self.assertEqual(self.values('--grid 3 --margin 1 p.pqr')[13, :3].tolist(), [1, 2, 3])

    def test_placed(self):
        """Nodes placed by hand: the first one, their distances, their numbers or as many as fill the box."""
        origin, step = [-1.5, .25, 1e-3], [1, 2, .3]
        for line, counts, at in (('--spacing 1,2,0.3 --origin -1.5,0.25,1e-3 --grid 2,3,4', [2, 3, 4], origin),
                                 ('--spacing 1,2,0.3 --grid 2,3,4', [2, 3, 4], [.5, 0, 2.55]),  # the atom is in the middle
                                 ('--spacing 1,2,0.3 --margin 0', [5, 3, 15], [-1, 0, .9]),
                                 ('--spacing 1,2,0.3 --margin 0 --origin -1.5,0.25,1e-3', [6, 3, 18], origin)):  # to 3, 4 and 5, or beyond
            told = self.summary(line + ' m.pqr')
            self.assertEqual(told['grid_counts'], counts, line)
            self.close(told['grid_origin'] + told['grid_steps'], at + step, 1e-6, line)
        self.gem('--spacing 1 --margin 0 --origin 0,9,0 m.pqr', 1, 'along y the grid begins at 9')

    def test_dots(self):
        """Of a ball: at its radius, evenly, about as many as asked for.  Of two: none in the other."""
        rows = self.mesh_of_dots('--surface sas --density 3 m.pqr')
        off = rows[:, :3] - [1, 2, 3]
        self.assertAlmostEqual(len(rows) / (3 * 4 * math.pi * 3.5 ** 2), 1, delta=.05)
        self.close(off, rows[:, 3:6] * 3.5, 1e-5)
        self.close(np.linalg.norm(off, axis=1), np.full(len(rows), 3.5), 1e-6)
        self.assertTrue((abs(off.mean(0)) < .05).all())
        self.write('two.pqr', pqr((0, 0, 0, 1, 2), (2, 0, 0, 1, 1), (9, 9, 9, 1, 0)))
        rows = self.mesh_of_dots('--surface sas --density 3 two.pqr')
        self.assertTrue(len(rows) > 100 and (distances(rows[:, :3], atoms_of('two.pqr')[:2]) > [3.5 - 1e-5, 2.5 - 1e-5]).all())

    def mesh_of_dots(self, line):
        self.gem('--quiet --ply d.ply ' + line)
        return floats(self.read('d.ply').split('end_header\n')[1])


class Surface(Case):
    def closed(self, points, faces):
        """Each line from vertex to vertex is in one face, and its reverse in another."""
        edges = np.concatenate([faces[:, (i, (i + 1) % 3)] for i in range(3)])
        self.assertTrue((edges[:, 0] != edges[:, 1]).all() and faces.max() < len(points))
        codes = edges @ [len(points), 1]
        self.assertEqual(len(np.unique(codes)), len(codes))
        self.assertEqual(sorted(codes), sorted(edges @ [1, len(points)]))

    def area(self, line):
        points, normals, faces, told = self.mesh(line)
        self.closed(points, faces)
        return told['area'], points, normals

    def test_excluded(self):
        """Of a ball, of two that a probe cannot pass between: caps, and the saddle that the probe leaves; the vertices are on it."""
        self.write('one.pqr', pqr((1, 2, 3, 1, 2)))
        area, points, normals = self.area('--density 3 one.pqr')
        self.assertAlmostEqual(area / (16 * math.pi), 1, delta=.005)
        self.close(points - [1, 2, 3], 2 * normals, 1e-5)
        self.write('two.pqr', pqr((-2, 0, 0, 1, 2), (2, 0, 0, 1, 2)))
        high, half = math.sqrt(3.5 ** 2 - 4), math.asin(2 / 3.5)
        area, points, normals = self.area('--density 3 two.pqr')
        self.assertAlmostEqual(area / (2 * math.pi * (8 * (1 + 2 / 3.5) + 1.5 * (2 * half * high - 3 * math.sin(half)))), 1, delta=.005)
        x, rho = abs(points[:, 0]), np.hypot(points[:, 1], points[:, 2])
        cap = x >= 2 - 2 * 2 / 3.5
        self.assertTrue(cap.any() and not cap.all())
        self.close(np.where(cap, np.hypot(x - 2, rho) - 2, 1.5 - np.hypot(x, rho - high)), np.zeros(len(x)) + 1e-5 * (abs(x) >= 0), 2, 'off the surface')

    def test_cavities(self):
        """A hollow ball, with and without the surface of its cavity."""
        z = 1 - (2 * np.arange(100) + 1) / 100
        r, turn = np.sqrt(1 - z * z), 2.39996 * np.arange(100)
        self.write('m.pqr', pqr(*np.column_stack((6 * r * np.cos(turn), 6 * r * np.sin(turn), 6 * z, np.ones(100), np.full(100, 2)))))
        outer, both = self.area('--density 1 m.pqr')[0], self.area('--density 1 --cavities m.pqr')[0]
        self.assertTrue(1.1 * outer < both < 1.3 * outer, (outer, both))

    def test_unfolded(self):
        """Balls in disorder leave grooves with thin ridges between: their mesh is closed and has neither slivers nor folds."""
        state, rows = 7, []
        for _ in range(120):
            v = []
            for _ in range(4):
                state = (state * 6364136223846793005 + 1442695040888963407) % 2 ** 64
                v.append((state >> 40) / 16777216)
            rows.append(['%.3f' % (18 * x) for x in v[:3]] + [1, '%.2f' % (1.2 + .8 * v[3])])
        self.write('m.pqr', pqr(*np.array(rows, float)))
        points, _, faces, _ = self.mesh('--density 3 m.pqr')
        self.closed(points, faces)
        u, v = points[faces[:, 1]] - points[faces[:, 0]], points[faces[:, 2]] - points[faces[:, 0]]
        normal = np.cross(u, v)
        length = np.linalg.norm(normal, axis=1)
        shape = 2 * math.sqrt(3) * length / ((u ** 2).sum(1) + (v ** 2).sum(1) + ((u - v) ** 2).sum(1))  # 1: equal sides, 0: flat
        self.assertGreater(shape.min(), .1)
        normal /= length[:, None]
        of = {(f[i], f[(i + 1) % 3]): k for k, f in enumerate(faces.tolist()) for i in range(3)}
        self.assertLess(sum(normal[k] @ normal[of[b, a]] < 0 for (a, b), k in of.items() if a < b), 4)

    RADIUS = 30.

    def alpb(self, atoms, at, options=''):
        self.write('p', ''.join('%.12g %.12g %.12g\n' % tuple(row) for row in at))
        return self.values('--mode alpb --radius %g --points p %s m.pqr' % (self.RADIUS, options))[:, 3]

    def test_distances(self):
        """Two balls of radius 2 that a probe of 1.5 cannot pass between: its centre comes no nearer to the middle than sqrt(3.5^2 - 2^2).
        The potential tells the distance."""
        self.write('m.pqr', pqr((-2, 0, 0, 1, 2), (2, 0, 0, 1, 2)))
        atoms, high = atoms_of('m.pqr'), math.sqrt(3.5 ** 2 - 4)
        # Not where the nearest dots look away, nor where both balls are as near, is it another one.
        at, p = zip(((0, 0, 0), 1.5 - high), ((0, 1, 0), 2.5 - high), ((0, -1.6, 0), 3.1 - high), ((0, 0, high), 1.5), ((0, 4, 0), math.sqrt(20) - 2),
                    ((2, 0, 1), -1), ((5, 0, 0), 1), ((-2, 30, 0), 28), ((.5, .4, 0), 1.5 - math.hypot(.5, high - .4)))
        p, value = np.array(p), self.alpb(atoms, at, '--gem-compat')
        want = np.where(p < 0, inside(atoms, at, np.minimum(p, 0), self.RADIUS, self.RADIUS / 2, False), outside(atoms, at, p, self.RADIUS))
        self.assertTrue((abs(value - want) <= 2e-6 * abs(want).max()).all(), value - want)

    def test_in_an_atom(self):
        """Points in atoms are inside, also by vertices whose normals are wrong; and an atom's own place is."""
        atoms = atoms_of(self.part())
        low, high = (atoms[:, :3] - atoms[:, 4:]).min(0), (atoms[:, :3] + atoms[:, 4:]).max(0)
        nodes = np.stack(np.meshgrid(*(np.linspace(a, b, 14) for a, b in zip(low, high)), indexing='ij'), 3).reshape(-1, 3)
        nodes = nodes[(distances(nodes, atoms) < atoms[:, 4] - 2e-3).any(1)]
        self.assertGreater(len(nodes), 100)
        self.write('p', ''.join('%.6f %.6f %.6f\n' % tuple(row) for row in nodes))
        self.gem('--quiet --surface sas --density 1 --ply d.ply %s' % self.part())
        dots = floats(self.read('d.ply').split('end_header\n')[1])[:, :6]
        dots[:, :3] -= 1.5 * dots[:, 3:]
        dots[::2, 3:] *= -1
        self.write('v.vert', ''.join('%.4f %.4f %.4f %.6f %.6f %.6f\n' % tuple(row) for row in dots))
        for by in '', '--vertices v.vert ':
            told = self.summary('--mode alpb --points p %s%s' % (by, self.part()))
            self.assertEqual((told['points'], told['layer'], told['beyond']), (len(nodes), 0, 0))
            self.assertTrue(math.isfinite(told['rms']))

    def test_touching(self):
        """A point that is an atom's place but for rounding: the charge adds nothing there."""
        self.write('m.pqr', pqr((11.104, 6.134, -6.504, 1, 1), (31.25, -70.1, .7, 1, 1)))
        off = [0, 1e-15, 3e-10, -9e-7, 1e-5]
        self.write('p', ''.join('%.17g 6.134 -6.504\n' % (11.104 + x) for x in off))
        for options in '', '--mode alpb ':
            self.gem('--points p %sm.pqr' % options, 0, '4 points lie at an atom')
        value, other = self.values('--points p m.pqr')[:, 3], K / np.linalg.norm([20.146, 76.234, 7.204])
        self.close(value[:4], [other] * 4, 1e-5)
        self.assertGreater(value[4], 1e6)

    def test_not_what_it_seems(self):
        """Points that a projection moves into an atom are told, and points near a charge; not those that move inward, nor those at no charge."""
        self.write('v.vert', SQUARE)
        self.write('m.pqr', pqr((0, 0, 3.5, 1, 1), (2, 0, 1.04, 1, 0), (0, 2, .97, 1, 0), (2, 2, 1.01, 0, 0), (1, 1, -3, 0, 2.5)))
        for go, into, near in (3, 1, 0), (1, 0, 2), (-1, 0, 0):
            told = self.summary('--vertices v.vert --projection %g m.pqr' % go)
            self.assertEqual((told['moved_into_atoms'], told['near_charges']), (into, near), go)
            self.assertEqual(len(told['warnings']), 1 + bool(into) + bool(near) - (told['charge'] == 3), told['warnings'])

    def test_born_radii(self):
        """In a ball a charge at s from its centre has the Born radius A - s^2 / A; another ball of radius a at the distance d takes
        a^3 / (d^2 - a^2)^3 from R^-3.  Outside there is none.  The energy of one charge tells its radius."""
        for far, within in (6, (1e-3, None, None, 1e-3)), (30, (1e-3, 1e-2, 2e-2, 1e-3)):
            cube, other = 1 / 27 - 1.5 ** 3 / (far ** 2 - 2.25) ** 3, 1 / 1.5 ** 3 - 27 / (far ** 2 - 9) ** 3
            for i, (want, close) in enumerate(zip((cube ** (-1 / 3), 3 - 2.25 / 3, 3 - 4 / 3, other ** (-1 / 3)), within)):
                rows = np.array([(0, 0, 0, 0, 3), (0, 0, 1.5, 0, 0), (0, -2, 0, 0, 0), (far, 0, 0, 0, 1.5), (0, -9, 0, 0, 0)])
                rows[i, 3] = 1
                if close:
                    told = self.summary('--mode alpb --radius 9 --energy --probe 0.5 --grid 2 ' + self.write('m.pqr', pqr(*rows)))
                    self.close(-G / (told['solvation_energy'] / (K / 2) + G * ALPHA * BETA / 9), want, close)


class Potentials(Case):
    def test_protein(self):
        """At its surface, by each law, and the field, against sums in float64."""
        atoms = atoms_of(PROTEIN)
        rows = self.values('--field --surface sas --density 0.01 %s' % PROTEIN)
        d, off = distances(rows[:, :3], atoms), rows[:, None, :3] - atoms[None, :, :3]
        self.assertLess(np.linalg.norm(rows[:, 3] - coulomb(rows[:, :3], atoms)) / np.linalg.norm(rows[:, 3]), 1e-5)
        field = K * np.einsum('ij,ijk->ik', atoms[:, 3] / d ** 3, off)
        self.assertLess(np.linalg.norm(rows[:, 4:7] - field) / np.linalg.norm(field), 1e-5)
        self.write('p', ''.join('%.9g %.9g %.9g\n' % tuple(row) for row in rows[:, :3]))
        told = self.summary('--points p %s' % PROTEIN)
        self.close([told[key] for key in ('min', 'max', 'mean', 'rms')],
                   [rows[:, 3].min(), rows[:, 3].max(), rows[:, 3].mean(), math.sqrt((rows[:, 3] ** 2).mean())], 1e-6)
        for options, want in (('--eps 4 --units mV', 43.3641 * coulomb(rows[:, :3], atoms) / 4), ('--mode distance4', K / 4 * (atoms[:, 3] / d ** 2).sum(1)),
                              ('--mode debye --kappa 0.1 --units kT', K / KT / 80 * (atoms[:, 3] * np.exp(-.1 * d) / d).sum(1)),
                              ('--units kT --temperature 300', coulomb(rows[:, :3], atoms) / KT * 298.15 / 300),
                              ('--constants gem --units kT', 332 / .592 * coulomb(rows[:, :3], atoms) / K)):
            got = self.values('--points p %s %s' % (options, PROTEIN))[:, 3]
            self.assertLess(np.linalg.norm(got - want) / np.linalg.norm(want), 1e-5, options)

    def test_told(self):
        """Constants, units and salt: an ionic strength of 1 mol/l is 0.328641 / A in water of 78.54 at 298.15 K."""
        self.write('m.pqr', pqr((1, 2, 3, 1, 2.5)))
        for options, want in (('', {'mode': 'coulomb', 'eps': 1, 'units': 'kcal/mol/e', 'density': 96}), ('--eps 4 --units mV', {'eps': 4, 'units': 'mV'}),
                              ('--mode alpb --constants gem --units kT --ionic 0.25', {'kappa': .158, 'radius': 2.5, 'alpha': ALPHA, 'eps_out': 80}),
                              ('--mode alpb --radius 7 --ionic 0.25 --eps-out 78.54', {'kappa': .328641 / 2, 'radius': 7}),
                              # Ions are in the solvent, so the sum that they screen takes its dielectric constant.
                              ('--mode debye --ionic 0.15 --eps-out 78.54', {'kappa': .328641 * math.sqrt(.15), 'eps': 78.54}),
                              ('--mode debye --ionic 0.15 --eps 4', {'eps': 4}),
                              ('--mode alpb --eps-in 2 --projection -1.5 --part reaction --kappa 0.1', {'eps': 2, 'projection': -1.5, 'part': 'reaction', 'kappa': .1})):
            told = self.summary(options + ' m.pqr')
            for key, value in want.items():
                self.assertAlmostEqual(told[key], value, delta=1e-5, msg=options) if isinstance(value, float) else self.assertEqual(told[key], value, options)

    def test_groups(self):
        """The residues' parts, and the chains' parts, sum up to the whole."""
        for by in 'residue', 'chain':
            told = self.summary('--density 0.01 --by %s %s' % (by, PROTEIN))
            parts = told['groups']
            self.assertEqual(sum(g['atoms'] for g in parts), told['atoms'])
            self.assertAlmostEqual(sum(g['charge'] for g in parts), told['charge'], 6)
            self.assertAlmostEqual(sum(g['mean'] for g in parts), told['mean'], delta=1e-4 * (1 + told['rms']))
        # Atoms of a chain need not be neighbours; those of a residue are.
        self.write('m.pqr', 'ATOM 1 N ALA A 1 1 2 3 0.1 1\nATOM 2 N ALA A 1C 1 2 4 0.2 1\nHETATM 3 ZN ZN B,\" 7 1 2 5 2 1\nATOM 4 N ALA A 1 1 2 6 -0.3 1\n')
        for by, want in (('chain', ['chain,atoms,charge,mean,rms,min,max', 'A,3,0,', '"B,""",1,2,']),
                         ('residue', ['chain,residue,number,atoms,charge,mean,rms,min,max', 'A,ALA,1,1,0.1,', 'A,ALA,1C,1,0.2,', '"B,""",ZN,7,1,2,', 'A,ALA,1,1,-0.3,'])):
            rows = self.gem('--grid 2 --quiet --by %s m.pqr' % by).splitlines()
            self.assertEqual([row[:len(start)] for row, start in zip(rows, want)], want)
            self.assertEqual(len(rows), len(want))

    def test_born(self):
        """One ion in a ball has the potential and the field of Born's ion, exactly at its centre.  As in GEM it lies at a depth of A / 2."""
        self.write('m.pqr', pqr((1, 2, 3, 1, 3)))
        rows = self.values('--mode alpb --field --surface sas --density 20 m.pqr')
        self.close(rows[:, 3] * 80 * 4.5 / K, np.ones(len(rows)), 1e-4)
        self.close(rows[:, 7] * 80 * 4.5 ** 2 / K, np.ones(len(rows)), 1e-3)
        self.write('p', '7 2 3\n1 2 -1\n1 3.5 3\n1 2 6.1\n')
        told = self.summary('--mode alpb --points p m.pqr')
        self.assertEqual((told['inside'], told['layer'], told['beyond']), (1, 2, 1))
        value = self.values('--mode alpb --points p m.pqr')[:, 3]
        want = np.array([K / 80 / 6, K / 80 / 4, K * (1 / 1.5 - (1 - 1 / 80) / 3), K / 80 / 3.1])
        self.close(value / want, np.ones(4), 2e-3)
        value = self.values('--mode alpb --gem-compat --points p m.pqr')[2, 3]
        self.close(value, K * (1 / 1.5 - G / math.sqrt(2.25 + .75 * 6.75)), 2e-3)
        self.write('c', '1 2 3\n')
        told = self.summary('--mode alpb --part reaction --points c m.pqr')
        self.close(told['min'], -K * (1 - 1 / 80) / 3, 1e-5)
        self.assertNotIn('deeper', str(told['warnings']))

    def test_energy(self):
        """Of Born's ion, in other units; of two ions near the surface, where a mesh is a little off, by the formula, and its parts."""
        told = self.summary('--mode alpb --energy --units kT --surface sas --density 3 ' + self.write('m.pqr', pqr((1, 2, 3, 1, 3))))
        self.close(told['solvation_energy'] * KT, -K / 2 * (1 - 1 / 80) / 3, 1e-5)
        self.assertNotIn('Born', str(told['warnings']))
        # The terms with the images of either ion, at depths of 2 and 1 in a ball of 4, and the constant.
        d = 12 / 4, 7 / 4, math.sqrt(25 + 7 * 12 / 16)
        own, constant = [-G / d[0], -G * 4 / d[1], -G * 2 / d[2]], -G * ALPHA * BETA / 4
        part = K / 2 * (own[0] + own[2] + constant * 3), K / 2 * (own[1] + own[2] + constant * 6)
        self.write('m.pqr', 'ATOM 1 X X 1 0 0 2 1 0\nATOM 2 Y Y 2 0 0 0 0 4\nATOM 3 X X 1 0 0 -1 0 0\nATOM 4 Z Z 3 0 0 -3 2 0\n')
        told = self.summary('--mode alpb --energy --radius 4 --surface sas --density 3 --by residue m.pqr')
        energies = [g['solvation_energy'] for g in told['groups']]
        self.close(np.array(energies)[[0, 3]] / part, [1, 1], .02)
        self.assertEqual(energies[1:3], [0, 0])
        self.close(told['solvation_energy'], sum(energies), 1e-8)

    def test_inside(self):
        """Inside a ball with an ion off its centre: without its Coulomb part at the ion, and no deeper than the formula's range."""
        self.write('m.pqr', pqr((1, 2, 3, 0, 4), (1, 2, 5, 1, 0)))
        self.write('p', '1 2 5\n1 2 3.03\n1 2 3\n1 2 5.01\n')
        r, d = np.array([2, .03, 0, 2.01]), np.array([0, 1.97, 2, .01])
        line = '--mode alpb --points p --radius 4 '
        told = self.summary(line + 'm.pqr')
        self.assertEqual((told['inside'], told['at_atoms']), (4, 4))
        rows, reaction = self.values(line + '--field m.pqr'), self.values(line + '--part reaction m.pqr')[:, 3]
        want = K * (-G / np.sqrt(d ** 2 + 12 * (1 - r ** 2 / 16)) - G * ALPHA * BETA / 4)
        own = np.divide(K, d, out=np.zeros(4), where=d > 0)
        self.close(reaction / want, np.ones(4), .02)
        self.assertTrue((abs(rows[:, 3] - reaction - own) < 1e-5 * (own + abs(want))).all(), rows)
        self.assertTrue((abs(rows[:, 6]) < 1.01 * (own ** 2 / K + 20)).all(), rows)
        told = self.summary('--mode alpb --points p --radius 0.5 m.pqr', 0, '4 points lie deeper')
        self.assertTrue(math.isfinite(told['rms']))

    def test_regions(self):
        """Points by a square's vertices that face up, with ions from 2 A on; in float64 by the formulas of clopt_pairs.h."""
        self.write('v.vert', SQUARE)
        self.write('m.pqr', pqr((100, 0, 0, 1, 1), (90, 0, 0, -2, 1)))
        atoms, radius, kappa, far = atoms_of('m.pqr'), 6., .25, 2.
        # The point, its distance, and its foot.
        at, p, foot = zip(((0, 0, 5), 5, (0, 0, 0)), ((0, 0, 1), 1, (0, 0, 0)), ((2, 0, 0), 0, (2, 0, 0)), ((0, 2, -1.5), -1.5, (0, 2, 0)),
                          ((3, 0, 0), 1, (2, 0, 0)),  # at a right angle to the normal: outside
                          ((0, 0, 2), 2, (0, 0, 0)), ((0, 0, -40), -6 * (1 - 1e-6), (0, 0, -34)),  # deeper than the radius
                          ((-1, 0, -1), -math.sqrt(2), (0, 0, 0)))
        at, p, foot = map(np.array, (at, p, foot))
        self.write('p', ''.join('%g %g %g\n' % tuple(row) for row in at))
        line = '--mode alpb --radius 6 --points p --vertices v.vert --gem-compat '
        told = self.summary(line + '--kappa 0.25 m.pqr')
        self.assertEqual((told['inside'], told['layer'], told['beyond']), (4, 3, 1))  # GEM's program counts the surface as inside
        told = self.summary(line.replace('--gem-compat', '') + '--kappa 0.25 m.pqr', 0, '1 points lie deeper than the electrostatic radius')
        self.assertEqual((told['inside'], told['layer'], told['beyond']), (3, 4, 1))
        q, d, total = atoms[:, 3], distances(at, atoms), atoms[:, 3].sum()
        away = at - foot
        length = np.linalg.norm(away, axis=1)[:, None]
        normal = np.where(length > 0, away / np.where(length > 0, length, 1) * np.sign(p)[:, None], [0, 0, 1])
        screened, r, r1, L = distances(foot + far * normal, atoms), radius + p, radius + far, 1 / kappa
        layer = K * C * ((1 + ALPHA) * (q * (1 / d - 1 / (L + screened))).sum(1) - ALPHA * (1 - BETA) * total * (1 / r - 1 / (L + r1)))
        beyond = K * C * ((1 + ALPHA) * L * (q * np.exp(-kappa * (d - screened)) / (d * (L + screened))).sum(1) -
                          ALPHA * (1 - BETA) * total * L * np.exp(-kappa * (r - r1)) / (r * (L + r1)))
        h = (radius ** 2 - 9) * (radius ** 2 - r[:, None] ** 2) / radius ** 2
        within = K * ((q * (1 / d - G / np.sqrt(d ** 2 + h))).sum(1) - C * ((1 + ALPHA) * (q / (L + screened)).sum(1) - ALPHA * (1 - BETA) * total / (L + r1)))
        want = np.where(p <= 0, within, np.where(p > far, beyond, layer))
        value = self.values(line + '--kappa 0.25 m.pqr')[:, 3]
        self.close(value / want, np.ones(8), 1e-4)

    def test_surfaces(self):
        """A surface is one region, by --projection; dots have their feet one probe radius below.  In other modes the points move."""
        self.write('v.vert', SQUARE)
        self.write('m.pqr', pqr((7, 8, 9, 1, 2.5)))
        atoms, at = atoms_of('m.pqr'), floats(SQUARE)[:, :3]
        self.close(self.values('--vertices v.vert --projection 0.25 m.pqr')[:, 3], coulomb(at + [0, 0, .25], atoms), 1e-6)
        for go, region in (-2, 'inside'), (.25, 'layer'), (2.5, 'beyond'):
            told = self.summary('--mode alpb --radius 6 --vertices v.vert --projection %g m.pqr' % go)
            self.assertEqual(told[region], 4)
            if go > 0:
                self.close(self.values('--mode alpb --radius 6 --vertices v.vert --projection %g m.pqr' % go)[:, 3], outside(atoms, at + [0, 0, go], go, 6), 1e-5)
        for go in 0, 1:  # dots lie at 1.5
            rows = self.values('--mode alpb --radius 6 --surface sas --density 1 --projection %g m.pqr' % go)
            off = (rows[:, :3] - [7, 8, 9]) / 4
            self.close(rows[:, 3], outside(atoms, rows[:, :3] + go * off, 1.5 + go, 6), 1e-5)

    def test_atoms(self):
        """The potential of the protein at its own atoms is that of the other atoms and of the solvent, some hundreds of kcal/mol/e."""
        self.write('p', ''.join('%.3f %.3f %.3f\n' % tuple(row[:3]) for row in atoms_of(self.part())[:30]))
        told = self.summary('--mode alpb --ionic 0.1 --points p %s' % self.part())
        self.assertEqual(told['at_atoms'], 30)
        self.assertTrue(told['rms'] < 300 and told['min'] > -1000 and told['max'] < 1000, told)

    def test_node_at_ion(self):
        """One ion at a node, but for rounding, in any mode: no pole, and the same result wherever the ion is."""
        self.write('a.pqr', pqr((0, 0, 0, 1, 1.5)))
        self.write('b.pqr', pqr((11.104, 6.134, -6.504, 1, 1.5)))
        for options in '', '--mode alpb', '--mode alpb --part reaction', '--mode debye --kappa 0.1', '--mode distance4':
            one, other = self.summary('--grid 17 %s a.pqr b.pqr' % options)
            self.assertEqual((one['touching'], other['touching']), (1, 1))
            self.assertLess(one['max'], 1000, options)
            self.assertTrue(abs(one['rms'] / other['rms'] - 1) < 1e-4 and abs(one['min'] - other['min']) < 1e-2, options)
            if 'reaction' in options:
                self.assertAlmostEqual(other['min'], -K * (1 - 1 / 80) / 1.5, delta=.01)

    def test_tolerance(self):
        """By a tree the values differ by less than the tolerance, and the summary has the error that was found."""
        line = '--surface sas --density 1 %s' % PROTEIN
        told = self.summary('--tolerance 0.2 ' + line)
        if not told['tree_order']:
            self.skipTest('a device of many compute units sums all pairs sooner')
        value, exact = self.values('--tolerance 0.2 ' + line)[:, 3], self.values(line)[:, 3]
        self.assertTrue(0 < told['error_99'] < .2 and 0 < np.linalg.norm(value - exact) < .2 * np.linalg.norm(exact))

    def test_busiest(self):
        """The kernel that is told did most of the work, and not the last bit of it, here three points at atoms."""
        atoms = atoms_of(self.part())
        far = ''.join('%g %g %g\n' % (200 + i % 100, i // 100, 0) for i in range(5000))
        told = [self.summary('--mode alpb --points %s %s' % (self.write('p', text), self.part())) for text in (
            far, far + ''.join('%g %g %g\n' % tuple(row[:3]) for row in atoms[:3]))]
        self.assertEqual(told[1]['at_atoms'], 3)
        self.assertEqual(told[0]['variant'], told[1]['variant'])


MAP_HEAD = 'object 1 class gridpositions counts 2 2 2\norigin 0 0 0\ndelta 1 0 0\ndelta 0 1 0\ndelta 0 0 1\n'
PLAIN = ('# POTENTIAL (kT/e)\nobject 1 class gridpositions counts 2 3 4\norigin -6.0 -5.0 -4.0\ndelta 1.0 0 0\ndelta 0 1.5 0\ndelta 0 0 2.0\n'
         'object 2 class gridconnections counts 2 3 4\nobject 3 class array type double rank 0 items 24 data follows\n')


class Files(Case):
    def setUp(self):
        super().setUp()
        self.write('none.pqr', pqr((500, 0, 0, 1e-30, 2)))  # whose potential is 0 to seven digits
        self.write('m.pqr', 'ATOM 1 OD1 ASP 1 %.9f 0 0 -1 2\nATOM 2 N ASP 1 3 0 0 1 2\n' % BOHR)

    def map_read(self, name, status=0, *told):
        """The nodes and values of a map, by its difference to nothing."""
        told = self.gem('--units kT --json --difference %s --csv map.csv none.pqr' % name, status, *told)
        return None if status else (json.loads(told), -floats(self.read('map.csv'))[:, 3])

    def test_csv(self):
        self.write('v.vert', SQUARE)
        self.write('p', '1.25 -2 1e-3\n4 5 6\n')
        self.assertRegex(self.gem('--quiet --points p --csv - m.pqr'),
                         r'^1\.25000000e\+00,-2\.00000000e\+00,1\.00000000e-03,-?\d\.\d{8}e[-+]\d\d\n4\.00000000e\+00,5\.00000000e\+00,6\.00000000e\+00,-?\d\.\d{8}e[-+]\d\d\n$')
        # The field is behind the value, then along the normals.
        rows, atoms = self.values('--vertices v.vert --field m.pqr'), atoms_of('m.pqr')
        off = rows[:, None, :3] - atoms[None, :, :3]
        field = K * np.einsum('ij,ijk->ik', atoms[:, 3] / distances(rows[:, :3], atoms) ** 3, off)
        self.close(rows[:, 3:], np.column_stack((coulomb(rows[:, :3], atoms), field, field[:, 2])), 1e-6)
        for kind in 'csv', 'ply':
            self.gem('--%s /dev/null/x m.pqr' % kind, 1, '/dev/null/x')

    def test_ply(self):
        self.write('v.vert', SQUARE)
        self.write('v.face', FACES)
        value = self.values('--vertices v.vert --units mV m.pqr')[:, 3]
        self.gem('--quiet --vertices v.vert --field --units mV --range 1000 --ply p.ply m.pqr')
        head, body = self.read('p.ply').split('end_header\n')
        names = re.findall('property (?:float|uchar) (.*)\n', head)
        self.assertEqual(names, 'x y z nx ny nz potential quality charge ex ey ez en red green blue'.split())
        rows = floats('\n'.join(body.splitlines()[:4]))
        self.close(rows[:, :6], floats(SQUARE), 1e-9)
        self.close(rows[:, 6:9], np.column_stack((value, value, value / (43.3641 * KT) / 10)), 1e-6)
        for v, rgb in zip(value, rows[:, 13:]):  # white in the middle, red below and blue above
            end = np.array((.09, .24, .8) if v > 0 else (.8, .07, .11))
            self.assertTrue((abs(rgb - 255 * (.97 + (end - .97) * min(abs(v) / 1000, 1))) <= .51).all(), rgb)
        self.assertEqual(body.splitlines()[4:], ['3 0 1 2', '3 2 1 3'])
        self.assertTrue('element vertex 4\n' in head and 'element face 2\n' in head and 'potential in mV' in head)

    NODES = '--spacing 0.5,0.25,2 --origin -1.5,2,-4 --grid 2,3,4'

    def test_dx(self):
        """A grid as programs that read OpenDX expect it, line by line."""
        value = self.values('--units kT %s m.pqr' % self.NODES)[:, 3]
        self.gem('--quiet --units kT %s --dx g.dx m.pqr' % self.NODES)
        first, rest = self.read('g.dx').split('\n', 1)
        self.assertRegex(first, '^# clopt-gem .* potential in kT/e, mode coulomb')
        numbers = ['%.6e' % v for v in value]
        self.assertEqual(rest, 'object 1 class gridpositions counts 2 3 4\norigin -1.500000e+00 2.000000e+00 -4.000000e+00\n'
                         'delta 5.000000e-01 0.000000e+00 0.000000e+00\ndelta 0.000000e+00 2.500000e-01 0.000000e+00\n'
                         'delta 0.000000e+00 0.000000e+00 2.000000e+00\nobject 2 class gridconnections counts 2 3 4\n'
                         'object 3 class array type double rank 0 items 24 data follows\n' +
                         ''.join(' '.join(numbers[i:i + 3]) + '\n' for i in range(0, 24, 3)) +
                         'attribute "dep" string "positions"\nobject "regular positions regular connections" class field\n'
                         'component "positions" value 1\ncomponent "connections" value 2\ncomponent "data" value 3\n')

    def test_cube_and_mrc(self):
        """CUBE has its values in the same order, lengths in Bohr; MRC with x fastest; both with the origin."""
        self.gem('--quiet %s --cube g.cube --mrc g.mrc --csv g.csv m.pqr' % self.NODES)
        value = floats(self.read('g.csv'))[:, 3]
        rows = self.read('g.cube').splitlines()
        numbers = [[float(x) for x in row.split()] for row in rows[2:8]]
        self.close(sum(numbers[:4], []), [2, -1.5 / BOHR, 2 / BOHR, -4 / BOHR, 2, .5 / BOHR, 0, 0, 3, 0, .25 / BOHR, 0, 4, 0, 0, 2 / BOHR], 1e-9)
        self.close(numbers[4:], [[8, -1, 1, 0, 0], [7, 1, 3 / BOHR, 0, 0]], 1e-6)
        self.close([float(x) for row in rows[8:] for x in row.split()], value, 1e-6)
        data = Path('g.mrc').read_bytes()
        whole, real = np.frombuffer(data[:1024], 'i4'), np.frombuffer(data[:1024], 'f4')
        self.assertEqual((list(whole[:4]), list(whole[16:19]), data[208:212], len(data)), ([2, 3, 4, 2], [1, 2, 3], b'MAP ', 1024 + 96))
        self.close(real[10:13], [1, .75, 8], 1e-6)
        self.close(real[49:52], [-1.5, 2, -4], 1e-7)
        self.close(real[[19, 20, 21, 54]], [value.min(), value.max(), value.mean(), value.std()], 1e-3)
        self.close(np.frombuffer(data[1024:], 'f4').reshape(4, 3, 2).transpose(2, 1, 0).ravel(), value, 1e-7)

    def test_maps(self):
        """Maps come back as they were, as text, binary and compressed."""
        value = self.values('--units kT %s m.pqr' % self.NODES)[:, 3]
        for name in 'g.dx', 'g.dxbin', 'g.dxbin.gz', 'g.dx.gz':
            self.gem('--quiet --units kT %s --dx %s m.pqr' % (self.NODES, name))
            self.assertEqual(Path(name).read_bytes()[:2] == b'\x1f\x8b', name.endswith('.gz'))
            told, got = self.map_read(name)
            self.assertEqual([told['grid_counts'], told['grid_origin'], told['grid_steps']], [[2, 3, 4], [-1.5, 2, -4], [.5, .25, 2]])
            self.close(got, value, 1e-7 if 'bin' in name else 1e-6)
        # Floats in the other order of bytes; what is cut off or not finite is refused.
        head = 'data mode msb binary\n' + MAP_HEAD + 'object 3 class array type float rank 0 items 8 data follows\n'
        values = np.array([1.5, -.15625, 0, 0, 0, 0, 0, 0], '>f4')
        self.assertEqual(self.map_read(self.write('b.dx', head.encode() + values.tobytes()))[1].round(9).tolist(), values.tolist())
        self.map_read(self.write('b.dx', head.encode() + values.tobytes()[:31]), 1, 'the header says 8 binary values, the file has 7')
        values[7] = np.inf
        self.map_read(self.write('b.dx', head.encode() + values.tobytes()), 1, 'value 8 of 8 is not finite')

    def test_map_layouts(self):
        """Blanks and long lines of other programs, roundings off the axes, other orders and directions of axes: always the same map."""
        for head, between in ((PLAIN, ' '), (PLAIN.replace(' ', '\t').replace('type\tdouble\trank\t0\t', 'type\tdouble\t'), '\t'),
                              ('  # POTENTIAL (kT/e)\n  delta 1.0 6.1e-17 -0\n  delta 0 1.5 1e-7\n  delta -1e-9 0 2 \n  object 1  class gridpositions  counts 2 3 4 \n'
                               '\torigin -6.0 -5.0 -4.0\n  object 3  class array items 24  data  follows\n', ' '),
                              # z slowest and downward, x fastest
                              ('# POTENTIAL (kT/e)\nobject 1 class gridpositions counts 4 3 2\norigin -6.0 -5.0 2.0\ndelta 0 0 -2\ndelta 0 1.5 0\ndelta 1 0 0\n'
                               'object 3 class array type double rank 0 items 24 follows\n', '')):
            places = [(x, y, z) for z in (3, 2, 1, 0) for y in range(3) for x in range(2)] if not between else [
                (x, y, z) for x in range(2) for y in range(3) for z in range(4)]
            told, got = self.map_read(self.write('m.dx', head + (between or ' ').join('%d%d%d' % place for place in places)), 0, '!assumed')
            self.assertEqual([told['grid_counts'], told['grid_steps'], told['grid_origin']], [[2, 3, 4], [1, 1.5, 2], [-6, -5, -4]], head)
            self.assertEqual(got.round(9).tolist(), [100 * x + 10 * y + z for x in range(2) for y in range(3) for z in range(4)], head)
        text = MAP_HEAD.replace('2 2 2', '5 5 5') + 'object 3 data follows\n' + ' '.join(map(str, range(125)))  # in a line
        self.assertEqual(self.map_read(self.write('m.dx', text))[1].round(9).tolist(), list(range(125)))

    def test_no_maps(self):
        for text, told in (('x\n', 'not a map'), ('object 1 class gridpositions counts 2 2.5 2\n', '2.5 nodes'),
                           (MAP_HEAD[:42] + 'delta 1 0.1 0\n', 'must be along x'), (MAP_HEAD[:42] + 'delta 0 0 0\n', 'must be along x'),
                           (MAP_HEAD[:42] + 'delta 1 0 0\ndelta 2 0 0\n', ':3: axes 1 and 2 of the grid are both along x'),
                           (MAP_HEAD[:42] + 'object 3 data follows\n1 2\n', 'must come before'),
                           (MAP_HEAD + 'object 3 data follows\n1 2 3\n4 5\n', 'the header says 8 values, the file has 5'),
                           (MAP_HEAD + 'object 3 data follows\n1 2 3 4 5 6 7 8 9\n', 'more values than the 8 of the header'),
                           (MAP_HEAD + 'object 3 items 8 data follows\n1 2 3\n4 -1e300\n6 7 8\n', ':8: value 5 of 8, -1e+300, is too large'),
                           (MAP_HEAD + 'object 3 items 9 data follows\n1 2 3 4\n5 6 7 8\n', ':6: 9 values for a grid of 8 nodes')):
            self.map_read(self.write('m.dx', text), 1, told)

    def test_bfactor(self):
        """The mean over the points nearest to an atom, in kT/e whatever the unit is, within six columns; a buried atom has that of the nearest point."""
        self.write('v.vert', '1 2 5 0 0 1\n1 4 3 0 0 1\n-7 2 3 0 0 1\n')
        self.write('a.pqr', 'ATOM 1 N ALA A 1 1 2 3 0.01 2\nATOM 2 HD21 ASN B -1005A -5 2 3 -5 2\nATOM 3 C ALA 2 1 2 2.9 0.02 1\n')
        points, atoms = floats(self.read('v.vert'))[:, :3], atoms_of('a.pqr')
        value = coulomb(points, atoms) / KT
        self.assertLess(value[2], -100)
        self.gem('--vertices v.vert --units mV --bfactor b.pdb a.pqr', 0, 'atoms have potentials outside the range')
        first, *rows = self.read('b.pdb').splitlines()
        self.assertIn('KT/E', first)
        for row, start, want in zip(rows, ('ATOM      1  N   ALA A   1       1.000   2.000   3.000  1.00', 'ATOM      2 HD21 ASN B  -5A     -5.000   2.000   3.000  1.00',
                                           'ATOM      3  C   ALA     2       1.000   2.000   2.900  1.00'),
                                    (value[:2].mean(), -99.99, None)):
            self.assertEqual(row[:60], start)
            if want is not None:
                self.assertAlmostEqual(float(row[60:]), max(want, -99.99), delta=.006)
        self.assertTrue(any(abs(float(rows[2][60:]) - max(v, -99.99)) < .006 for v in value[:2]))  # both are as near
        self.assertEqual(rows[3], 'END')
        self.gem('--vertices v.vert --bfactor c.pdb %s' % self.write('far.pqr', self.read('a.pqr').replace('-5 2 3', '-5 -1000 3')), 1, 'atom 2 is at -5 -1000 3')
        self.assertFalse(Path('c.pdb').exists())
        # Many points, each by the nearest of many atoms, less their radii.
        rng = np.random.default_rng(1)
        atoms = np.column_stack((rng.uniform(0, 9, (80, 3)).round(3), rng.uniform(-.1, .1, 80).round(3), rng.uniform(0, 2, 80).round(2)))
        points = rng.uniform(-1, 10, (500, 3)).round(3)
        self.write('v.vert', ''.join('%.3f %.3f %.3f 0 0 1\n' % tuple(p) for p in points))
        self.gem('--quiet --vertices v.vert --bfactor b.pdb --csv b.csv --units kT ' + self.write('m.pqr', pqr(*atoms)))
        value, d = floats(self.read('b.csv'))[:, 3], distances(points, atoms)
        own = (d - atoms[:, 4]).argmin(1)
        want = [value[own == i].mean() if (own == i).any() else value[d[:, i].argmin()] for i in range(80)]
        got = [float(row[60:66]) for row in self.read('b.pdb').splitlines()[1:-1]]
        self.assertTrue((abs(np.array(got) - np.clip(want, -99.99, 999.99)) < .006).all(), np.c_[got, want])

    def test_names(self):
        """%s is the molecule's name; a name with the end of a line is one field."""
        for name in 'a/m.pqr', 'n', 'k.ent.pqr.gz':
            self.write(name, gzip.compress(pqr((1, 2, 3, 1, 1)).encode()))
        self.gem('--grid 2 --quiet --csv d%s.csv --cube %s.%s a/m.pqr n k.ent.pqr.gz')
        self.assertTrue(all(Path(name).exists() for name in ('dm.csv', 'dn.csv', 'm.m', 'n.n', 'dk.ent.csv')), os.listdir())
        self.write('a\nb', pqr((1, 2, 3, 1, 1)))
        rows = self.gem(['--quiet', '--grid', '2', '--table', '-', 'a\nb']).split('\n')
        self.assertEqual((rows[1], rows[2][:5]), ('"a', 'b",1,'))

    def test_writable(self):
        """A file that cannot be written is found before another is written."""
        self.gem('--by chain --csv a.csv --by-csv /dev/null/b m.pqr', 1, '/dev/null/b')
        self.assertFalse(Path('a.csv').exists())


class Pictures(Case):
    def draw(self, line, size=80, part=3):
        """A channel of the picture, without the name above and the bar at the right."""
        self.gem('--quiet --size %d --png p.png --transparent %s' % (size, line))
        return picture('p.png')[size // 12:, :size * 8 // 10, part]

    def test_whole(self):
        """A surface is whole: one ball is a disc without gaps, opaque, and transparent round it; the same from each side, at each density."""
        self.write('m.pqr', pqr((1, 2, 3, 1, 2)))
        for density, view in (3, ''), (30, '--view 1,2,3'), (3, '--view 0,-5,0'), (30, '--surface sas'):
            alpha = self.draw('--density %g %s m.pqr' % (density, view))
            opaque = alpha == 255
            y, x = np.nonzero(opaque)
            radius = (x.max() - x.min() + 1) / 2
            far = np.hypot(*(np.indices(opaque.shape) - [[[(y.max() + y.min()) / 2]], [[(x.max() + x.min()) / 2]]]))
            self.assertTrue(radius > 20 and opaque[far < radius - 2].all() and not alpha[far > radius + 2].any(), (density, view, radius))

    def test_depth(self):
        """Of two triangles over a pixel the nearer shows, whatever their order; from behind it is the other one, and left is right."""
        low, high = '0 0 0 0 0 1\n3 0 0 0 0 1\n0 3 0 0 0 1\n', '0 0 1 0 0 1\n3 0 1 0 0 1\n0 3 1 0 0 1\n'
        self.write('m.pqr', pqr((1, 1, -2, -1, 1), (1, 1, 3, 1, 1)))  # red below, blue above
        self.write('v.face', '1 2 3\n4 5 6\n')
        for text in low + high, high + low:
            self.write('v.vert', text)
            for view, left, blue in ('0,0,1', True, True), ('0,0,-1', False, False):
                pixels = self.draw('--vertices v.vert --view %s m.pqr' % view, part=slice(None))
                y, x = np.nonzero(pixels[:, :, 3] == 255)
                self.assertGreater(len(x), 200)
                corner, other = (x.min() + 3, x.max() - 3) if left else (x.max() - 3, x.min() + 3)
                r, _, b, a = pixels[y.max() - 3, corner]
                self.assertEqual((a, b > r), (255, blue), (text, view))
                self.assertEqual(pixels[y.min() + 3, other, 3], 0)  # the right angle is below

    def test_one_view(self):
        """The view is the molecule's: the same at each density, its longest axis to the right; later pictures have the first one's."""
        rows = (0, 0, 0, 1, 2), (0, 2, 9, 1, 2), (0, 5, 0, 1, 2)
        self.write('m.pqr', pqr(*rows))
        masks = [self.draw('--density %d m.pqr' % density, 120) > 0 for density in (2, 10)]
        self.assertLess((masks[0] != masks[1]).sum(), 120)
        y, x = np.nonzero(masks[0])
        self.assertGreater(x.max() - x.min(), 1.3 * (y.max() - y.min()))
        self.write('two.pqr', 'MODEL 1\n%sENDMDL\nMODEL 2\n%sENDMDL\n' % (pqr(*rows), pqr(*rows, (60, -60, 0, 1, 2))))
        self.gem('--models --quiet --size 90 --density 10 --range 99 --film f.mp4 two.pqr', 1, 'ffmpeg is not found', PATH=self.bare_path())
        first, later = (picture('f-0000%d.png' % i) for i in range(2))
        self.assertLess((abs(first - later).max(2) > 60).sum(), 90)

    def bare_path(self):
        Path('bin').mkdir()
        Path('bin/ld').symlink_to('/usr/bin/ld')
        return self.folder + '/bin'


BAD_LINES = (
    '', '--csv x a.pqr b.pqr', '--csv x --models a.pqr', '--csv %s.csv a/m.pqr b/m.pqr', '--csv data/%s.pqr b.pqr data/1a0q.pqr', '--film x.mp4 m.pqr',
    '--film x --models m.pqr', 'm.pqr frames.xtc', '--trajectory README --models --table x m.pqr', '--trajectory README --table x m.pqr n.pqr',
    '--trajectory README --csv x m.pqr', '--trajectory README --every 0 --table x m.pqr', '--every 2 m.pqr', '--trajectory README --table README m.pqr',
    '--view 0,0,1 m.pqr', '--view 0,0,0 --png x.png m.pqr', '--view 1 --png x.png m.pqr', '--views m.pqr', '--transparent --film x.mp4 --models m.pqr',
    '--film x.mp4 --grid 9 --models m.pqr', '--bogus m.pqr', '--mode foo m.pqr', '--forcefield AMBER m.pqr', '--ph 7 m.pqr', '--ph 15 m.pdb',
    '--mode alpb --units J m.pqr', '--radius 3 m.pqr', '--part reaction m.pqr', '--eps 0 m.pqr', '--mode distance4 --eps 2 m.pqr', '--mode debye m.pqr',
    '--mode debye --ionic 0.1 --kappa 0.1 m.pqr', '--mode debye --ionic -0.1 m.pqr', '--temperature 300 m.pqr',
    '--constants gem --units kT --temperature 300 m.pqr', '--points p --grid 9 m.pqr', '--points p --vertices v m.pqr',
    '--mode alpb --points p --projection 1 m.pqr', '--grid 1 m.pqr', '--grid 2.5 m.pqr', '--grid 9,9 m.pqr', '--grid 9,9,9 m.pqr', '--grid 9 --spacing 1 m.pqr',
    '--spacing 1,0,1 m.pqr', '--spacing 1, m.pqr', '--origin 0,0,0 m.pqr', '--grid 9 --origin 0,0,0 m.pqr', '--grid 9,9,9 --spacing 1 --margin 3 m.pqr',
    '--spacing 1 --grid-like README m.pqr', '--grid 9 --ply x m.pqr', '--dx x m.pqr', '--mrc x m.pqr', '--cube x m.pqr', '--grid 9 --grid-like x m.pqr',
    '--points p --difference x m.pqr', '--grid-like README --dx README m.pqr', '--grid-like x --ply y m.pqr', '--margin 3 m.pqr', '--by-csv x m.pqr',
    '--by atom m.pqr', '--approx none m.pqr', '--csv x --grid 9 --dx x m.pqr', '--by chain --csv /dev/stdout m.pqr', '--by chain --csv - m.pqr',
    '--range 5 --csv x m.pqr', '--size 90 --ply x m.pqr', '--bfactor x --grid 9 m.pqr', '--bfactor x --table x m.pqr', '--table README --points README m.pqr',
    '--field --json m.pqr', '--energy m.pqr', '--mode alpb --part coulomb --energy m.pqr', '--mode alpb --gem-compat --energy m.pqr',
    '--probe 1.4 --vertices v m.pqr', '--density 5 --points p m.pqr', '--mode alpb --density 5 --grid 9 m.pqr', '--surface sas --vertices v m.pqr',
    '--surface sas --cavities m.pqr', '--probe 1.4 --mode debye --kappa 1 --grid 9 m.pqr', '--probe 1.4 --mode alpb --grid 9 --vertices v m.pqr',
    '--eps-in 80 --eps 2 m.pqr', '--mode debye --kappa 0.1 --eps 2 --eps-out 80 m.pqr', '--mode alpb --part coulomb --eps-out 70 m.pqr',
    '--variant nope m.pqr', '--csv ./data/1a0q.pqr data/1a0q.pqr', '--points README --csv README m.pqr', '--mode alpb --points p --vertices README --csv README m.pqr')


class Options(Case):
    def test_refused(self):
        for name in 'data/1a0q.pqr', 'README':
            self.write(name, pqr((1, 2, 3, 1, 1)))
        before = sorted(os.listdir())
        for line in BAD_LINES:
            self.gem(line, 2, 'clopt-gem: ')
        self.assertEqual(sorted(os.listdir()), before)

    def test_messages(self):
        """All begin alike, are short, and end with a pointer to help."""
        for line, told in (('--bogus m.pqr', '--bogus'), ('m.pqr --csv', '--csv'), ('--mode foo m.pqr', "'foo'"), ('--mode= m.pqr', "''"),
                           ('m.dcd', 'give it by --trajectory'), ('--variant nope m.pqr', "`clopt list potential'")):
            self.gem(line, 2, told)
            self.assertTrue(self.told.startswith('clopt-gem: ') and len(self.told) < 160, self.told)


if __name__ == '__main__':
    running.main()
