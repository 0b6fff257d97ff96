# SPDX-License-Identifier: MIT
"""The scripts of examples/ that draw, at small sizes, and others."""
import os
import subprocess
import sys
import tempfile
import unittest

from common import ROOT

FOLDER = os.path.join(ROOT, "examples")
PEPTIDE = os.path.join(FOLDER, "data", "peptide.pqr")


class Gallery(unittest.TestCase):
    def small(self, script, *words):
        """What it prints, and its picture.  Warnings of the script's own lines are errors."""
        try:
            from matplotlib import image
        except ImportError:
            self.skipTest("there is no matplotlib")
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "picture.png")
            done = subprocess.run([sys.executable, "-W", "error:::__main__", os.path.join(FOLDER, script + ".py"),
                                   *words, "--out", out],
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300,
                                  env={**os.environ, "MPLBACKEND": "agg"})
            self.assertEqual(done.returncode, 0, done.stdout)
            picture = image.imread(out)
        return done.stdout, picture

    def test_molecule(self):
        said, picture = self.small("molecule", PEPTIDE, "--pixels", "60")
        self.assertRegex(said, r"^\d+ atoms, \d{3,} points: -?\d+\.\d\d to \d+\.\d\d kT/e\n$")
        red, green, blue = (picture[..., k].astype(float) for k in range(3))
        self.assertGreater((red - blue).max(), 0.3)  # minus and plus have their colours
        self.assertGreater((blue - red).max(), 0.3)

    def test_galaxies(self):
        said, picture = self.small("galaxies", "--bodies", "400", "--steps", "5")
        energies = [float(line.split()[-1]) for line in said.splitlines() if "energy" in line]
        self.assertEqual(len(energies), 6, said)
        self.assertLess(max(energies), 0)  # bound
        self.assertLess(max(energies) - min(energies), 0.01)
        self.assertGreater((picture[..., :3] > 0.3).any(axis=2).sum(), 500)

    def test_products(self):
        said, picture = self.small("products", "--largest", "64")
        rows = [line.split() for line in said.splitlines()[1:]]
        self.assertEqual([row[:2] for row in rows], [[t, n] for t in ("float32", "float64") for n in ("32", "64")])
        self.assertTrue(all(float(ms) > 0 for row in rows for ms in row[2:4]))
        self.assertTrue(all(row[4].startswith("matmul/") for row in rows))

    def plain(self, script, *words):
        """What it prints.  It compares its products with NumPy's."""
        return subprocess.run([sys.executable, os.path.join(FOLDER, script + ".py"), *words], check=True,
                              stdout=subprocess.PIPE, text=True, timeout=300).stdout

    def test_pca(self):
        self.assertRegex(self.plain("pca", os.path.join(FOLDER, "data", "elements.csv")),
                         r"^67 rows of 8 columns\ncomponent 1: [45]\d\.\d % of the variance")

    def test_mapped(self):
        self.assertRegex(self.plain("mapped"), r"^26\.1 MB of file through 4\.2 MB of device in \d+ bands")
        self.plain("mapped", "--rows", "1")
