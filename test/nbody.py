#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# nbody.py PROGRAMS [TEST...] - nbody: its models and motion against float64, tables, checkpoints, pictures; rotate's pixels.
# test/snapshots.py has binary files; test/programs.py runs that are stopped and go on, and films.
import importlib.util
import json
import os
import re
import struct
import zlib
from pathlib import Path

import running
from running import floats, np, picture

BODY = '1 2 3 4 5 6 7\n'
# Tables that are refused: the line, and the reason.
BAD = (
    ('', '', 'no bodies'), ('# nothing\n\n', '', 'no bodies'), ('1 2 3 4 5 6\n', '1', 'too few numbers'), (BODY + '1 2 3 4 5 6 7 8\n', '2', 'too many'),
    ('#\n1 2 three 4 5 6 7', '2', 'field 3 must'), ('1 2 3 4 5 6 nan\n', '1', 'field 7 must'), ('1 2 3 4 5 1e999 1\n', '1', 'field 6 must'),
    ('0x10 2 3 4 5 6 1\n', '1', 'field 1 must'), ('1 2 3 4 5 6 1-2\n', '1', 'field 7 must'), ('1 2 3 4 5 6 -1\n', '1', 'mass is negative'),
    ('# softening -1\n' + BODY, '1', 'softening must be from 0'), ('#\n# g -1\n' + BODY, '2', 'constant must not be negative'),
    (BODY + '# g 8\n', '2', 'before the first body'), (BODY + '# softening 8\n', '2', 'before the first body'),
    (BODY + '# units 1 cm 1 g 1 s\n', '2', 'before the first'), ('#units 1 au 1 g 1 s\n' + BODY, '1', 'as in "# units 1 AU'),
    ('# units 1 cm 1 g 1 sec\n' + BODY, '1', 's, day, year'), ('# units 1 cm 1 g 1 seconds\n' + BODY, '1', 's, day, year'),
    *(('# units %s\n' % bad + BODY, '1', 'a length, a mass') for bad in (
        '1 cm -1 g 1 s', '1 g 1 cm 1 s', '1 AU 1 Msun 0 day', '1 AU 1 Msun')), ('# units: 1 AU\n' + BODY, '1', 'a length, a mass'),
    ('# units nbodys\n' + BODY, '1', 'must be nbody'), ('# g 2\n# units nbody\n' + BODY, '2', 'where g is 1'),
    ('# view size 64 centre 0 0 half 1 blur 1e9 densities 1 2\n' + BODY, '1', '# view'), ('1 2 3 4 5 6 7 7 1 0 0 0\n', '1', 'a kind must'),
    ('1 2 3 4 5 6 7 0 1.5 0 0 0\n', '1', 'an ID must'), ('1 2 3 4 5 6 7 0 1 0 0 0\n' + BODY, '2', 'only some'),
    ('1 2 3 4 5 6 \033[2J\n', '1', "'1 2 3 4 5 6 ?[2J'"), ('1 2\n3\0 4 5\n', '1', 'too few'), ('\n3\0 4 5\n', '2', 'a zero byte'))


def table(rows):
    return ''.join(' '.join('%.17g' % x for x in row) + '\n' for row in rows)


class Case(running.Case):
    def nbody(self, line, *more, **how):
        return self.run_program('nbody', line, *more, **how)

    def report(self, line, *more, **how):
        return json.loads(self.nbody(line + ' --json', *more, **how))

    def made(self, model, n=None, seed=1):
        """Positions, velocities and masses."""
        rows = floats(self.nbody('--quiet --steps 0 --out - --model %s --seed %d%s' % (model, seed, ' --n %d' % n if n else '')))
        self.assertEqual(rows.shape[1:], (7,))
        return rows[:, :3], rows[:, 3:6], rows[:, 6]


class Part:
    """Of some bodies: mass, mean position and velocity, and energies about these."""
    def __init__(self, x, v, m):
        self.x, self.v, self.m, self.mass = x, v, m, m.sum()
        self.at, self.speed = m @ x / self.mass, m @ v / self.mass
        self.d = np.sqrt(((x[:, None] - x[None]) ** 2).sum(2))
        self.kinetic = m @ ((v - self.speed) ** 2).sum(1) / 2
        self.potential = -(m[:, None] * m / np.where(self.d > 0, self.d, np.inf)).sum() / 2

    def attraction(self):
        """That towards the centre on the second half of the bodies, the disc, as a share of the centripetal force of its rotation."""
        half = slice((len(self.m) + 1) // 2, None)
        pull = np.einsum('ij,ijk->ik', self.m / (self.d[half] ** 2 + 1e-3) ** 1.5, self.x[None] - self.x[half][:, None])
        x, v = self.x[half] - self.at, self.v[half] - self.speed
        return -(pull * x).sum() / ((np.cross(x, v) ** 2).sum(1) / (x ** 2).sum(1)).sum()


class Models(Case):
    def centred(self, part):
        self.assertLess(abs(np.concatenate((part.at, part.speed))).max(), 1e-12)

    def test_plummer(self):
        """Mass 1, energy -1/4 in equilibrium, and half the mass within 1.305 scale lengths of 3 pi / 16, by 8 x 1500 bodies."""
        parts = [Part(*self.made('plummer', 1500, seed)) for seed in range(1, 9)]
        for part in parts:
            self.assertAlmostEqual(part.mass, 1, 12)
            self.centred(part)
        kinetic, potential = (np.mean([getattr(p, key) for p in parts]) for key in ('kinetic', 'potential'))
        self.assertAlmostEqual(kinetic / -potential, .5, delta=.015)
        self.assertAlmostEqual(kinetic + potential, -.25, delta=.01)
        half = np.mean([sorted(np.linalg.norm(p.x, axis=1))[750] for p in parts])
        self.assertAlmostEqual(half / .7686, 1, delta=.03)

    def test_galaxies(self):
        """The system is centred; each galaxy is near equilibrium, its disc in rotation; as points the two are on a parabola."""
        x, v, m = self.made('galaxies', 3000, 7)
        first = int(np.flatnonzero(np.isclose(m.cumsum(), 1))[0]) + 1
        self.assertTrue(1500 < first < 2500, first)
        both, parts = Part(x, v, m), [Part(x[s], v[s], m[s]) for s in (slice(first), slice(first, None))]
        self.assertAlmostEqual(both.mass, 1.5, 12)
        self.assertAlmostEqual(parts[0].mass, 1, 12)
        self.centred(both)
        for part in parts:
            self.assertAlmostEqual(part.kinetic / -part.potential, .5, delta=.05)
            self.assertAlmostEqual(part.attraction(), 1, delta=.1)
        d, speed = (np.linalg.norm(getattr(parts[0], key) - getattr(parts[1], key)) for key in ('at', 'speed'))
        self.assertAlmostEqual(speed ** 2 / 2 / (1.5 / d), 1, delta=.15)  # the mean of a halo's bodies scatters round its middle

    def test_small(self):
        """Known energies and angular momenta; a seed gives the same bodies again; one body has no distance to divide by."""
        eight, two = Part(*self.made('figure-eight')), Part(*self.made('two'))
        self.centred(eight)
        self.centred(two)
        self.assertAlmostEqual(eight.kinetic + eight.potential, -1.287142, 5)
        self.assertLess(abs(np.cross(eight.x, eight.v).sum(0)[2]), 1e-7)
        self.assertAlmostEqual(two.kinetic + two.potential, -.125, 12)  # - m1 m2 / 2 a
        a, again, other = (np.hstack(self.made('plummer', 50, seed)[:2]) for seed in (3, 3, 4))
        self.assertTrue((a == again).all() and (a != other).any())
        for model in 'plummer', 'binaries', 'galaxies':
            self.assertTrue(np.isfinite(np.hstack(self.made(model, 1)[:2])).all(), model)
        self.nbody('--model sombrero', 2, '--model')
        self.nbody('--model two --n 3', 2, '--n 3: --model two has 2 bodies')


class Motion(Case):
    def test_figure_eight(self):
        """Once round and back to the start; the fourth order shows in the conserved sums."""
        told = self.report('--model figure-eight --steps 1000 --dt 0.00632591398 --every 300 --integrator hermite --out e')
        start, end = self.made('figure-eight')[0], floats(self.read('e'))[:, :3]
        self.close(end, start, 1e-5)
        rows = told['rows']
        self.assertEqual([row['step'] for row in rows], [0, 300, 600, 900, 1000])
        self.assertAlmostEqual(rows[-1]['time'], 6.32591398, 9)
        self.assertIn('# time %.17g\n' % rows[-1]['time'], self.read('e'))
        self.assertTrue(told['worst_energy_drift'] < 1e-8 and rows[-1]['momentum_drift'] < 1e-12 and rows[-1]['angular_drift'] < 1e-8, rows[-1])
        self.assertEqual(told['worst_energy_drift'], max(abs(row['energy_drift']) for row in rows))

    def test_sphere(self):
        """In floats, against leapfrog in float64; each row's sums are those of its bodies."""
        Path('s').mkdir()
        told = self.report('--n 200 --steps 40 --precision float --every 4 --snapshots s/ --out e')
        self.assertEqual((len(told['rows']), told['interactions']), (11, 40 * 200 * 200))
        last = told['rows'][-1]
        self.assertTrue(told['worst_energy_drift'] < 1e-4 and last['momentum_drift'] < 1e-6 and last['angular_drift'] < 1e-6, last)
        dt, soft, rows = told['dt'], told['softening'], floats(self.read('s/00000.txt'))
        x, v, m = rows[:, :3], rows[:, 3:6], rows[:, 6]

        def pull():
            off = x[None] - x[:, None]
            return np.einsum('ij,ijk->ik', m / ((off ** 2).sum(2) + soft ** 2) ** 1.5, off)
        for _ in range(40):
            v = v + dt / 2 * pull()
            x = x + dt * v
            v = v + dt / 2 * pull()
        self.close(floats(self.read('e'))[:, :6], np.hstack((x, v)), 1e-4)
        for i, row in enumerate(told['rows']):
            rows = floats(self.read('s/%05d.txt' % i))
            x, v = rows[:, :3], rows[:, 3:6]
            off = ((x[None] - x[:, None]) ** 2).sum(2) + soft ** 2
            self.close(row['kinetic'], m @ (v ** 2).sum(1) / 2, 1e-6)
            self.close(row['potential'], -((m[:, None] * m / np.sqrt(off)).sum() - (m * m).sum() / soft) / 2, 1e-5)
            self.close(np.array(row['angular_momentum']) + 1, (m[:, None] * np.cross(x, v)).sum(0) + 1, 1e-6)
            self.close(np.array(row['centre']) + 1, m @ x / m.sum() + 1, 1e-6)

    def test_rest(self):
        """Bodies that begin at rest: momenta are compared with those of the first row with motion."""
        x, _, m = self.made('plummer', 200)
        self.write('b', table(np.column_stack((x, 0 * x, 1e12 * m))))
        rows = self.report('--in b --softening 0.1 --g 1e-12 --precision float --steps 2 --every 1')['rows']
        self.assertTrue(rows[0]['kinetic'] == 0 < rows[-1]['kinetic'] and rows[-1]['momentum_drift'] < 1e-5 and rows[-1]['angular_drift'] < 1e-5, rows[-1])

    def test_units(self):
        """Stars in kilograms and metres: refused in float, with advice, and moved in double."""
        x, v, m = self.made('two')
        self.write('b', table(np.column_stack((1e20 * x, v, 2e41 * m))))
        line = '--in b --g 6.6743e-11 --dt 1e10 --steps 2 --precision '
        self.nbody(line + 'double-single', 1, 'bodies[0], a coordinate, is 7.5e+19', 'larger or smaller units, and --g in these', '--precision double')
        told = self.report(line + 'double')
        self.assertTrue(told['mass'] == 2e41 and told['worst_energy_drift'] < 1e-3)

    def test_warnings(self):
        """Drifts that make the motion meaningless, and floats too coarse for a small softening; --tolerance says how coarse."""
        self.nbody('--model two --dt 1e-3 --steps 1', 0, 'since step 0, divided by its |energy|', '!the motion is wrong')
        self.write('b', table([(0, 0, 0, 0, 0, 0, 1), (1, 0, 0, 0, .1, 0, 1)]))
        told = self.report('--in b --dt 0.9 --steps 3 --every 1')
        self.assertGreater(told['worst_energy_drift'], .1)
        self.assertIn('by %.3g times its size' % told['worst_energy_drift'], told['warnings'][-1])
        x, v, m = self.made('plummer', 100)
        for shift, options, words in ((0, 'float', '!rounds'), (2 ** 16, 'float --tolerance 0.1', '!rounds'), (2 ** 16, 'best', '!rounds'),
                                      (2 ** 16, 'float', 'by up to 0.0039, and the softening is 0.1: forces between neighbours are off by about 0.04')):
            x[0, 0] += shift
            self.write('b', table(np.column_stack((x, v, m))))
            x[0, 0] -= shift
            self.nbody('--in b --softening 0.1 --steps 0 --precision ' + options, 0, words)

    def test_blocks(self):
        """Steps of a body's own are of the fourth order, and take a small part of the forces of equal steps with the same error."""
        line = '--model binaries --n 44 --seed 3 --softening 0 --precision best '
        rough, fine = (self.report(line + '--integrator blocks --dt 0.0625 --steps 8 --every 8 --eta %g' % eta) for eta in (.02, .02 / 16))
        # Steps of a quarter have a 256th of the error; of the third order, a 64th.
        self.assertLess(fine['worst_energy_drift'], rough['worst_energy_drift'] / 150)
        self.assertLess(rough['worst_energy_drift'], 5e-5)
        self.assertLess(fine['forces'], 6 * rough['forces'])
        equal = self.report(line + '--integrator hermite --dt %.17g --steps 2048 --every 2048' % (.5 / 2048))
        self.assertGreater(equal['worst_energy_drift'], rough['worst_energy_drift'])
        self.assertGreater(2048 * 44, 3 * rough['forces'])


class Files(Case):
    def test_table(self):
        """A table comes back with its bits, its time and its law, and replaces another as private as that was."""
        self.nbody('--quiet --n 100 --softening 0.3 --steps 3 --out a')
        os.chmod('a', 0o600)
        self.nbody('--quiet --n 100 --softening 0.3 --steps 3 --out a')
        self.assertEqual(os.stat('a').st_mode & 0o777, 0o600)
        self.nbody('--quiet --in a --steps 0 --out b')
        self.assertEqual(self.read('a'), self.read('b'))
        told = self.report('--in a --steps 0')
        self.assertEqual((told['softening'], told['g'], told['bodies'], told['rows'][0]['time']), (.3, 1, 100, float(self.read('a').split()[2])))
        told = self.report('--in a --steps 0 --softening 0 --g 2')
        self.assertEqual((told['softening'], told['g']), (0, 2))

    def read_back(self, text, *more):
        return self.report('--in - --steps 0 --out t', 0, *more, given=text), floats(self.read('t'))

    def test_text(self):
        told, rows = self.read_back('# x y z\r\n\r\n' + BODY.rstrip() + '\r\n\n -1.5,2e0 , .5\t4 5 6 0 # a tracer\n1 2 3 4 5 6 7#\n1 2 3 4 5 6 +8.')
        self.assertEqual(rows.tolist(), [[1, 2, 3, 4, 5, 6, 7], [-1.5, 2, .5, 4, 5, 6, 0], [1, 2, 3, 4, 5, 6, 7], [1, 2, 3, 4, 5, 6, 8]])
        self.assertEqual((told['softening'], told['g'], told['units'], told['units_assumed']), (0, 1, 'nbody', True))
        told = self.read_back('# units nbody \r\n' + BODY)[0]
        self.assertEqual((told['units'], told['g'], told['units_assumed']), ('nbody', 1, False))
        told = self.read_back('# units 10 pc 1e3 Msun 2 day\n' + BODY)[0]
        units = [float(x) for x in re.search('# units (.*) cm (.*) g (.*) s', self.read('t')).groups()]
        self.close(np.array(units) / [3.0856775814913673e19, 1.98840987e36, 172800], [1, 1, 1], 1e-8)
        self.close(told['g'], 6.6743e-8 * units[1] * units[2] ** 2 / units[0] ** 3, 1e-12)
        # Kilograms and metres; comments that are not ours; the same law once more.
        told, rows = self.read_back('# g/mol 5\n# softening: 3\n# g 7\r\n1e21 2 3 4 5 6 2e41\n# g 7\n')
        self.assertEqual((told['g'], told['softening'], rows.tolist()), (7, 0, [[1e21, 2, 3, 4, 5, 6, 2e41]]))

    def test_refused(self):
        for text, line, reason in BAD:
            self.nbody('--in b.txt --steps 0', 1, reason) if self.write('b.txt', text) else None
            self.assertTrue(self.told.startswith('nbody: b.txt:' + (line and line + ':')), (text, self.told))
        for name in '/nonexistent.txt', '/':
            self.nbody('--steps 0 --in ' + name, 1, 'nbody: ' + name)

    def test_checkpoint(self):
        """It keeps rates, kinds, IDs of any size, properties and units."""
        rows = ['%d.5 %d 0 0 0 %d 1 %d %d %.9g 0 -1e-30' % (i, i * i, i, i % 6, 2 ** 64 - 1 - i, np.float32(i / 3)) for i in range(30)]
        self.write('b', '# time 0.25\n# units 1 kpc 1 Msun 1 Gyr\n' + '\n'.join(rows) + '\n')
        self.nbody('--quiet --in b --softening 0.3 --steps 1 --dt 0.5 --integrator hermite --checkpoint c')
        lines = [line for line in self.read('c').splitlines() if line[0] != '#']
        self.assertEqual([line.split()[-5:] for line in lines], [row.split()[-5:] for row in rows])
        self.assertEqual({len(line.split()) for line in lines}, {19})  # seven of rates
        # The rates are the accelerations, the step, and the jerks; as float64 has them.
        x, v, a, jerk = (np.array([line.split()[i:j] for line in lines], float) for i, j in ((0, 3), (3, 6), (7, 10), (11, 14)))
        g, off, speed = float(re.search('# g (.*)', self.read('c'))[1]), x[None] - x[:, None], v[None] - v[:, None]
        d2 = (off ** 2).sum(2)[..., None] + .3 ** 2
        self.close(a, g * (off / d2 ** 1.5).sum(1), 1e-6)  # where they were predicted
        self.close(jerk, g * (speed / d2 ** 1.5 - 3 * (off * speed).sum(2)[..., None] * off / d2 ** 2.5).sum(1), 1e-6)
        self.nbody('--quiet --resume c --steps 1 --checkpoint d')  # no step
        self.assertEqual(self.read('c'), self.read('d'))
        self.nbody('--quiet --resume c --steps 2 --checkpoint d')
        self.assertIn('step 2 of 2', self.read('d'))
        self.write('b', '1 2 3 4 5 6 7 1 1 0 0 0\n1 2 9 4 5 6 7 1 2 1e300 0 0\n')
        self.nbody('--in b --steps 1 --checkpoint e', 1, 'body 2: a property is not finite')
        self.assertFalse(Path('e').exists())

    def test_snapshots(self):
        """Each K steps, with the time of the step."""
        for form, end, every in ('table', 'txt', 2), ('tipsy', 'tipsy', 4), ('hdf5', 'hdf5', 4):
            Path(end).mkdir()
            line = '--quiet --n 50 --dt 0.3 --until 1 --every %d --format %s --snapshots %s/' % (every, form, end)  # 4 steps of 0.25
            if form == 'hdf5' and not importlib.util.find_spec('h5py'):
                self.nbody(line, 2, 'h5py')
                continue
            self.nbody(line)
            self.assertEqual(sorted(os.listdir(end)), ['0000%d.%s' % (k, end) for k in range(4 // every + 1)])
            for k in range(form != 'table', 4 // every + 1):
                told = self.report('--steps 0 --in %s/0000%d.%s' % (end, k, end))
                self.assertEqual(told['bodies'], 50)
                self.assertAlmostEqual(told['rows'][0]['time'], .25 * every * k, 12)

    def test_old_files(self):
        """A file that cannot be written leaves nothing, is found before the first step, and an older file stays."""
        self.write('old', 'old')
        self.write('b', '1e60 0 0 0 0 0 1\n0 0 0 0 0 0 1\n')
        self.nbody('--in b --steps 0 --out old --format tipsy', 1, 'tipsy')
        self.assertEqual(self.read('old'), 'old')
        for option, name in ('out', 'x'), ('png', 'x'), ('frames', 'f00000.png'), ('snapshots', 'f00000.txt'), ('checkpoint', 'x'):
            self.nbody('--steps 1 --every 1 --%s /dev/null/%s' % (option, name.split('0')[0]), 1, '/dev/null/' + name, '!kinetic')
        self.nbody('--out same --png ./same', 2, '--out and --png would both write')
        self.assertEqual(sorted(os.listdir()), ['b', 'old'])


class Pictures(Case):
    def draw(self, rows, options, size=64):
        self.write('b', rows if isinstance(rows, str) else table(rows))
        self.nbody('--quiet --in b --steps 0 --png p.png --size %d %s' % (size, options))
        pixels = picture('p.png')
        self.assertEqual(pixels.shape, (size, size, 3))
        return pixels

    def test_far_bodies(self):
        """Pictures have the view of the first, also with bodies far away later; or one of a given width."""
        self.write('b', table([(x, y, 0, 0, 0, 0, 1e-9) for x in (-1, 0, 1) for y in (-1, 0, 1)]) + '0 .5 0 1e9 0 0 1e-9\n')
        Path('f').mkdir()
        self.nbody('--quiet --in b --dt 1 --steps 1 --every 1 --size 64 --frames f/')
        a, b = picture('f/00000.png'), picture('f/00001.png')
        bright = lambda p, x, y: p[int(32 - 32 * y / 1.4), int(32 + 32 * x / 1.4)].sum()  # noqa: E731; the view is 1.4 of the farthest
        self.assertGreater(bright(a, 0, .5), 300)
        self.assertLess(bright(b, 0, .5), bright(a, 0, .5))
        self.assertGreater(bright(b, 1, 1), 200)
        rows = [(x, 0, 0, 0, 0, 0, 1) for x in (-1, 1)]
        wide = self.draw(rows, '--width 3').sum(2)
        self.assertEqual(sorted(int(x) for x in np.argsort(wide.max(0))[-4:]), [10, 11, 52, 53])

    def test_corners(self):
        """Few bodies do not lie under the legend, not even in the corners: all four look alike."""
        p = self.draw([(x, y, 0, 0, 0, 0, 1) for x in (-1, 1) for y in (-1, 1)], '', 300)
        corner = p[35:56, 35:56]  # of the middle of the upper left disc; and those that mirror it
        self.assertGreater((corner != p[0, 150]).any(2).sum(), 100)
        for other in p[35:56, 244:265][:, ::-1], p[244:265, 35:56][::-1], p[244:265, 244:265][::-1, ::-1]:
            self.assertTrue((corner == other).all())

    def test_legend(self):
        """The time is above; below are the length of a line, in the units, and the densities, or the types that are there."""
        rng = np.random.default_rng(1)
        rows = [' '.join(map(str, [*row, 0, 0, 0, 1, 4 * (i % 2), i, 0, 0, 0])) + '\n' for i, row in enumerate(rng.normal(size=(300, 3)).round(3))]
        galactic = '# units 1 kpc 1 Msun 1 Gyr\n'
        p = [self.draw(head + ''.join(rows), options, 300) for head, options in (
            ('', ''), ('# time 3\n', ''), ('# time 3\n' + galactic, ''), ('# time 3\n' + galactic, '--colour type'))]

        def differ(a, b, y, x):
            return (p[a] != p[b])[y, x].any()
        above, below = slice(20), slice(260, 300)
        self.assertTrue(differ(0, 1, above, slice(150)) and not differ(0, 1, slice(20, None), slice(None)))
        self.assertTrue(differ(1, 2, above, slice(150)) and differ(1, 2, below, slice(150)) and differ(1, 2, below, slice(200, None)))  # Gyr, kpc
        self.assertTrue(differ(2, 3, below, slice(200, None)))
        for kind, sign in (0, -1), (4, 1):  # gas is blue, stars are red
            r, _, b = self.draw('0 0 0 0 0 0 1 %d 1 0 0 0\n' % kind, '--colour type', 31)[15, 15]
            self.assertGreater(sign * (r - b), 0)


class Rotate(running.Case):
    def test_four_quarters(self):
        """Four quarter turns give back each pixel; one moves the corners."""
        i = np.arange(37 * 21 * 4)
        before = (np.where(i % 4 == 3, i * i // 3 | 128, i * i // 3) & 255).astype('u1').reshape(21, 37, 4)

        def chunk(name, data):
            return struct.pack('>I', len(data)) + name + data + struct.pack('>I', zlib.crc32(name + data))
        self.write('p.png', b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>2I5B', 37, 21, 8, 6, 0, 0, 0)) +
                   chunk(b'IDAT', zlib.compress(b''.join(b'\0' + row.tobytes() for row in before))) + chunk(b'IEND', b''))
        for turn, angle in enumerate(('90', '-270', '90', '-270'), 1):
            self.run_program('rotate', angle + ' p.png p.png')
            self.assertEqual(picture('p.png').shape, ((37, 21) if turn % 2 else (21, 37)) + (4,))
            after = picture('p.png')
            self.assertTrue(turn % 2 or (after == (before if turn == 4 else before[::-1, ::-1])).all())
        self.run_program('rotate', '30 p.png p.png')
        self.run_program('rotate', '30 p.png', 2)


if __name__ == '__main__':
    running.main()
