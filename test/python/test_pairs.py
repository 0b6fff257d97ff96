# SPDX-License-Identifier: MIT
"""Potentials, gravity and bodies that move, beside sums in double."""
import unittest

import numpy as np

import clopt
from common import context

RNG = np.random.default_rng(8)
PARTICLE = np.dtype([("id", "i4"), ("x", "f8"), ("y", "f8"), ("z", "f8"), ("vx", "f8"), ("vy", "f8"),
                     ("vz", "f8"), ("ax", "f8"), ("ay", "f8"), ("az", "f8"), ("m", "f8")],
                    align=True)


def bodies(n=40, dtype=np.float64):
    return np.hstack([RNG.normal(size=(n, 3)), RNG.uniform(0.5, 1, (n, 1))]).astype(dtype)


def sums(sources, targets, softening=0.0):
    """Accelerations and potentials."""
    d = sources[None, :, :3].astype(float) - targets[:, None, :3]
    square = (d ** 2).sum(-1)
    away = square > 0
    r = np.sqrt(np.where(away, square + softening ** 2, 1))
    m = sources[None, :, 3] * away
    return (m[..., None] * d / r[..., None] ** 3).sum(1), -(m / r).sum(1)


class Pairs(unittest.TestCase):
    def test_forms_of_points(self):
        b = bodies()
        want, phi = sums(b, b)
        structs = np.zeros(len(b), PARTICLE)
        for i, name in enumerate("xyzm"):
            structs[name] = b[:, i]
        apart = clopt.Points(*(b[:, i].copy() for i in range(4)))
        for sources, weights in ((b, None), (structs, None), (structs, "m"), (apart, None),
                                 (b[:, :3], b[:, 3]), (np.asfortranarray(b), None),
                                 (b[::-1].copy()[::-1], None), (b.astype(">f8"), None)):
            got = context().gravity(sources, weights=weights, potential=True)
            np.testing.assert_allclose(got.acceleration, want, rtol=1e-12, atol=1e-12)
            np.testing.assert_allclose(got.potential, phi, rtol=1e-12)
            self.assertIsNone(got.jerk)
        out = clopt.Results(structs["ax"], structs["ay"], structs["az"])
        self.assertIs(context().gravity(structs, out=out), out)
        np.testing.assert_allclose(np.stack([structs["ax"], structs["ay"], structs["az"]], 1), want,
                                   rtol=1e-12, atol=1e-12)
        self.assertTrue((structs["x"] == b[:, 0]).all() and (structs["vx"] == 0).all())
        out = clopt.Results(x=np.zeros(80)[::2], phi=np.zeros(40))
        context().gravity(b, out=out)
        np.testing.assert_allclose(out.x, want[:, 0], rtol=1e-12, atol=1e-12)

    def test_targets_float_and_jerk(self):
        b, t = bodies(dtype=np.float32), bodies(9, np.float32)
        want, _ = sums(b, t, 0.1)
        got = context().gravity(b, t, softening=0.1)
        self.assertEqual(got.acceleration.dtype, np.float32)
        np.testing.assert_allclose(got.acceleration, want, rtol=1e-4, atol=1e-4)
        np.testing.assert_allclose(context().nbody(b, t, softening=0.1)[:, :3], want, rtol=1e-4,
                                   atol=1e-4)
        b, v, h = bodies(), RNG.normal(size=(40, 3)), 1e-5
        later, before = b.copy(), b.copy()
        later[:, :3] += h * v
        before[:, :3] -= h * v
        want = (sums(later, later, 0.5)[0] - sums(before, before, 0.5)[0]) / (2 * h)
        got = context().gravity(b, velocities=v, jerk=True, softening=0.5)
        np.testing.assert_allclose(got.jerk, want, rtol=1e-5, atol=1e-5)

    def test_promotion(self):
        """Coordinates and weights of two types are summed in double."""
        b = bodies()
        b[:, 3] = b[:, 3].astype("f4")
        want = context().gravity(b, b.astype("f4"), potential=True)
        got = context().gravity(b[:, :3], b.astype("f4"), weights=b[:, 3].astype("f4"), potential=True)
        self.assertEqual(got.potential.dtype, np.float64)
        self.assertTrue((got.potential == want.potential).all())

    def test_potentials(self):
        q, t = bodies(30), bodies(12)
        acc, phi = sums(q, t)
        got = context().potential(q, t, field=True, scale=2, eps_in=4)
        np.testing.assert_allclose(got.phi, -phi / 2, rtol=1e-12)
        np.testing.assert_allclose(got.field, -acc / 2, rtol=1e-11, atol=1e-11)
        d = np.linalg.norm(q[None, :, :3] - t[:, None, :3], axis=-1)
        got = context().potential(q.astype("f4"), t.astype("f4"), law="debye", kappa=0.5)
        np.testing.assert_allclose(got.phi, (q[:, 3] * np.exp(-d / 2) / d).sum(1), rtol=1e-4)
        got = context().potential(q.astype("f4"), t.astype("f4"), law="distance4")
        np.testing.assert_allclose(got.phi, (q[:, 3] / d ** 2).sum(1) / 4, rtol=1e-4)
        # ALPB outside, without salt: the formula in clopt_pairs.h.
        radius, n = 5.0, t[:, :3] / np.linalg.norm(t[:, :3], axis=1)[:, None]
        surface = np.hstack([5 * n, np.zeros((12, 1))]).astype("f4")
        got = context().potential(q.astype("f4"), surface, law="alpb", radius=radius, eps_in=1,
                                  eps_out=80, normals=n, normal=True, projection=1)
        d = np.linalg.norm(q[None, :, :3] - 6 * n[:, None], axis=-1)
        alpha, beta = 0.571412, 1 / 80
        want = ((1 + alpha) * (q[:, 3] / d).sum(1) - alpha * (1 - beta) * q[:, 3].sum() / 6) / (
            80 * (1 + alpha * beta))
        np.testing.assert_allclose(got.phi, want, rtol=1e-4)
        self.assertEqual(got.normal.shape, (12,))
        self.assertAlmostEqual(clopt.kappa(0.15, 80, 298.15), 0.1263, delta=0.002)
        self.assertGreater(clopt.electrostatic_radius(q, np.ones(30)), 0)

    def test_trees(self):
        b, t = bodies(3000, np.float32), bodies(500, np.float32)
        want, phi = sums(b, t, 0.1)
        tree = context().tree(b)
        self.assertEqual((len(tree), repr(tree)), (3000, "clopt.Tree(3000)"))
        got = tree.nbody(t, softening=0.1, potential=True)
        np.testing.assert_allclose(got[:, :3], want, rtol=1e-3, atol=1e-3)
        np.testing.assert_allclose(got[:, 3], phi, rtol=1e-4)
        out = np.zeros((500, 5), "f4")
        self.assertIs(tree.nbody(t[:, :3], softening=0.1, out=out[:, :4]).base, out)
        np.testing.assert_array_equal(out[:, :3], got[:, :3])
        moved = b * np.float32([2, 2, 2, 3])
        self.assertIs(tree.move(moved), tree)
        acc, phi = sums(moved, t)
        got = tree.potential(t, field=True, scale=2, eps_in=4, tolerance=1e-2)
        np.testing.assert_allclose(got.phi, -phi / 2, rtol=1e-2)
        np.testing.assert_allclose(got.field, -acc / 2, rtol=5e-2, atol=5e-2 * np.abs(acc).max())
        n = t[:, :3] / np.linalg.norm(t[:, :3], axis=1)[:, None]
        got = tree.potential(t, normal=True, normals=n)
        np.testing.assert_allclose(got.normal, -(acc * n).sum(1), rtol=1e-3,
                                   atol=1e-4 * np.abs(acc).max())
        self.assertEqual(tree.potential(law="debye", kappa=0.1).phi.shape, (3000,))
        got = context().nbody(b, t, softening=0.1, theta=0.3, order=3)
        self.assertEqual(context().last_report().tree_order, 3)
        np.testing.assert_allclose(got[:, :3], want, rtol=1e-3, atol=1e-3)
        for kind, words, call in (
                (ValueError, "(5, 3)", lambda: context().tree(b[:5, :3])),
                (TypeError, "float64", lambda: context().tree(b.astype(float))),
                (TypeError, "float64", lambda: tree.nbody(t.astype(float))),
                (ValueError, "(5, 2)", lambda: tree.potential(t[:5, :2])),
                (ValueError, "3 normals for 500", lambda: tree.potential(t, normals=n[:3])),
                (ValueError, "5 sources into a tree of 3000", lambda: tree.move(b[:5]))):
            with self.subTest(words=words), self.assertRaises(kind) as caught:
                call()
            self.assertIn(words, str(caught.exception))
        tree.free()
        for call in (tree.nbody, tree.potential, lambda: tree.move(b)):
            with self.assertRaisesRegex(clopt.InvalidArgument, "freed"):
                call()
        with clopt.Context() as ctx:
            tree = ctx.tree(b[:10])
        with self.assertRaises(clopt.InvalidArgument):
            tree.nbody()

    def test_moving(self):
        b = np.array([[1, 0, 0, 1], [-1, 0, 0, 1]], float)
        v = np.array([[0, 0.5, 0, 7], [0, -0.5, 0, 8]], float)
        start = context().conserved(b, v)
        self.assertEqual((start.mass, start.kinetic, start.potential), (2, 0.25, -0.5))
        self.assertEqual(start.angular_momentum, (0, 0, 1))
        seen = []

        def each(step, bodies, velocities, sums):
            self.assertFalse(bodies.flags.writeable)
            seen.append((step, bodies[0, 0], sums.kinetic + sums.potential))
            return step == 40

        context().evolve(b, v, 0.01, 100, each, every=20, integrator="hermite")
        self.assertEqual([s[0] for s in seen], [0, 20, 40])
        self.assertAlmostEqual(seen[-1][2], -0.25, places=8)
        self.assertEqual(b[0, 0], seen[-1][1])
        gaps = np.zeros((2, 9))
        gaps[:, :4] = [[1, 0, 0, 1], [-1, 0, 0, 1]]
        w = np.array([[0, 0.5, 0, 7], [0, -0.5, 0, 8]], float)
        context().evolve(gaps[:, :4], w, 0.01, 40, integrator="hermite")
        self.assertTrue((gaps[:, :4] == b).all() and (gaps[:, 4:] == 0).all() and (w == v).all())
        f, fv = b.astype("f4"), v.astype("f4")
        context().leapfrog(f, fv, 0.01, 10)
        context().leapfrog(f, fv, -0.01, 10)
        np.testing.assert_allclose(f, b, atol=1e-5)
        self.assertTrue((fv[:, 3] == [7, 8]).all())

    def test_refusals(self):
        c, b, t, both = context(), bodies(5), np.zeros((2, 5)), np.zeros((6, 8))
        c.evolve(both[:, :4], both[:, 4:], 1, 1)  # side by side in one array
        for kind, words, call in (
                (TypeError, "int64", lambda: c.gravity(np.ones((5, 4), int))),
                (ValueError, "(5, 2)", lambda: c.gravity(b[:, :2])),
                (ValueError, "(4,)", lambda: c.gravity(b[:, :3], weights=b[:4, 3])),
                (ValueError, "sources have no weights: give weights=, 5 numbers, or an array (5, 4)",
                 lambda: c.gravity(b[:, :3])),
                (ValueError, "targets have no weights: give an array (5, 4)",
                 lambda: c.gravity(b, b[:, :3], target_softening=True)),
                (ValueError, "weights is 'm': it must be an array, or a field of sources",
                 lambda: c.gravity(b, weights="m")),
                (TypeError, "sources is None: it must be an array", lambda: c.potential(None)),
                (TypeError, "depths is 'x': it must be", lambda: c.potential(b, depths="x")),
                (TypeError, "scale is '2': must be real number", lambda: c.potential(b, scale="2")),
                (TypeError, "out is ndarray: it must be clopt.Results",
                 lambda: c.potential(b, out=np.zeros(5))),
                (ValueError, "normals is None: normal=True needs them",
                 lambda: c.potential(b, normal=True)),
                (ValueError, "(6,)", lambda: c.gravity(b, out=clopt.Results(np.zeros(6)))),
                (ValueError, "velocities= is missing: give an array (5, 3)", lambda: c.gravity(b, jerk=True)),
                (ValueError, "x and z overlap", lambda: c.gravity(b, out=clopt.Results(
                    t[0], t[1], t[0]))),
                (ValueError, "x and y overlap", lambda: c.gravity(b, out=clopt.Results(
                    t[0, :5], t[0, 4::-1], t[1, :5]))),
                (ValueError, "bodies and velocities overlap",
                 lambda: c.evolve(both[:5, :4], both[1:, :4], 1, 1)),
                (ValueError, "law is 'lawless': it must be one of 'coulomb', 'distance4', 'debye', 'alpb'",
                 lambda: c.potential(b, law="lawless")),
                (ValueError, "normals have shape (3, 3): for 5", lambda: c.potential(b, normals=np.ones((3, 3)))),
                (ValueError, "(5, 4)", lambda: c.evolve(b, np.zeros((4, 4)), 1, 1)),
                (TypeError, "NoneType", lambda: c.evolve(None, b, 1, 1)),
                (ValueError, "()", lambda: c.evolve(np.array(1.0), b, 1, 1)),
                (TypeError, "float32", lambda: c.evolve(b.astype("f4"), b, 1, 1)),
                (ValueError, "-1", lambda: c.evolve(b, b.copy(), 1, -1)),
                (ValueError, "18446744073709551617", lambda: c.evolve(b, b.copy(), 1, 2 ** 64 + 1)),
                (TypeError, "evolve: dt is '1'", lambda: c.evolve(b, b.copy(), "1", 1)),
                (TypeError, "float64", lambda: c.nbody(b)),
                (TypeError, "list", lambda: c.leapfrog(b.tolist(), b, 1, 1))):
            with self.subTest(words=words), self.assertRaises(kind) as caught:
                call()
            self.assertIsInstance(caught.exception, clopt.InvalidArgument)
            self.assertIn(words, str(caught.exception))
