# SPDX-License-Identifier: MIT
"""The scripts of examples/bench: at small sizes figures come out, and what is wrong fails; not their times."""
import json
import math
import os
import subprocess
import sys
import tempfile
import unittest

from common import ROOT

FOLDER = os.path.join(ROOT, "examples", "bench")
# A picture's script, and a number that each row of its results has unless it says why not.
SCRIPTS = {"ladders": "speed", "roofline": None, "scaling": "speed", "transfers": "rate", "trees": "checked",
           "peers": "rate", "pairs": "rate", "latency": "buffers", "advice": "ms"}


def run(script, *words, **environment):
    return subprocess.run([sys.executable, os.path.join(FOLDER, script + ".py"), *words], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=600, env={**os.environ, **environment})


class Bench(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        try:
            import matplotlib  # noqa: F401
        except ImportError:
            raise unittest.SkipTest("there is no matplotlib") from None

    def small(self, script, *words, **environment):
        """Its results, as its picture has them."""
        with tempfile.TemporaryDirectory() as folder:
            done = run(script, "--small", "--seconds", "0.001", "--folder", folder, *words, **environment)
            self.assertEqual(done.returncode, 0, done.stdout)
            with open(os.path.join(folder, script + ".json")) as file:
                results = json.load(file)
            with open(os.path.join(folder, script + ".png"), "rb") as file:
                self.assertEqual(file.read(4), b"\x89PNG")
            with open(os.path.join(folder, script + ".svg")) as file:
                self.assertIn(results["device"].split()[0], file.read())
        return results

    def test_figures(self):
        for script, key in SCRIPTS.items():
            with self.subTest(script=script):
                rows = self.small(script)["rows"]
                self.assertGreater(len(rows), 2)
                self.assertFalse(any(row.get("wrong") for row in rows))
                sound = [row for row in rows if not row.get("why") and key in row]
                if key:
                    self.assertGreaterEqual(len(sound), len(rows) / 2, rows)
                for row in sound:
                    self.assertTrue(row[key] > 0 and math.isfinite(row[key]), row)
                if script == "roofline":
                    peaks = {row["peak"]: row["best"] for row in rows if "peak" in row}
                    self.assertTrue({"float32 multiply-adds", "memory, copied: both"} <= set(peaks))
                    self.assertTrue(all(v > 0 for v in peaks.values()), peaks)
                    self.assertEqual([row["problem"].split()[0] for row in rows if "problem" in row],
                                     ["matmul", "transpose", "potential", "nbody"])

    def test_one_study(self):
        rows = self.small("ladders", "nbody")["rows"]
        self.assertEqual([row["name"] for row in rows],
                         ["naive", "tile", "tile, unroll 2", "tile, unroll 4", "picked"])
        self.assertEqual(rows[0]["speed"], 1)

    def test_arrays_on_the_device(self):
        """As on a GPU: buffers live as long as the calls that know them."""
        for row in self.small("peers", "--buffers", "--only", " 64")["rows"]:
            self.assertTrue(row["rate"] and row["rate"] > 0, row)

    def test_like_devices(self):
        """Each call over one and over two devices, with the bits of one."""
        rows = self.small("scaling", POCL_DEVICES="pthread pthread")["rows"]
        if "what" in rows[0]:
            self.skipTest("no two devices")
        self.assertEqual({row["devices"] for row in rows}, {1, 2})
        self.assertEqual(len(rows), 6 * 2 * 2)

    def test_refusals(self):
        for words, status, said in (
                (("ladders", "nosuch"), 2, "invalid choice"), (("ladders", "--size", "0"), 2, "--size is a number from 1"),
                (("roofline", "--device", "nosuch device"), 1, "roofline: "), (("peers", "--what"), 2, "unrecognized"),
                (("scaling", "--devices", "x"), 2, "invalid numbers value: 'x'"),
                (("peers", "--small", "--only", "nosuch"), 1, "no case has 'nosuch'"),
                (("trees", "--folder", "/dev/null/here"), 1, "trees: [Errno 20]")):
            done = run(*words)
            self.assertEqual(done.returncode, status, done.stdout)
            self.assertIn(said, done.stdout)

    def test_what_is_missing(self):
        """Told before anything is measured."""
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "matplotlib.py"), "w") as file:
                file.write("raise ImportError('none of it')")
            done = run("trees", PYTHONPATH=folder + os.pathsep + os.environ.get("PYTHONPATH", ""))
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertTrue(done.stdout.startswith("trees: none of it.  This takes"), done.stdout)

    def test_least_sizes(self):
        """Arrays of one number, and sums of nothing but 0."""
        for script, size in (("latency", 3), ("ladders", 1), ("pairs", 1)):
            with self.subTest(script=script, size=size):
                self.small(script, *(["nbody"] if script == "ladders" else []), "--size", str(size))

    def test_wrong_results(self):
        """A wrong result has no time, and is exit status 1; what cannot run says why."""
        text = ("import sys; sys.argv = ['x', '--small', '--folder', sys.argv[1]]\n"
                "from bench import *\n"
                "b = Bench('about'); b.open()\n"
                "def wrong(): raise Wrong('off')\n"
                "def fails(): raise clopt.InvalidArgument('no')\n"
                "things = [Thing('good', lambda: 2.0), Thing('wrong', lambda: 1.0, wrong), Thing('fails', fails)]\n"
                "turns(things, 0)\n"
                "assert things[0].seconds == 2 and len(things[0].times) == 3 and things[1].times == things[2].times == []\n"
                "assert things[1].over(things[0]) == (None, None, None)\n"
                "b.table('t', [dict(wrong=t.wrong, why=t.why) for t in things], [('why', 'why', 's')])\n"
                "assert [r['why'] for r in b.rows] == [None, 'off', 'no'] and b.bad == 1\n"
                "import numpy as np\n"
                "close('a', np.ones(3), np.ones(3), 0)\n"
                "for bad in (np.full(3, 1.1), np.full(3, np.nan)):\n"
                "    try: close('a', bad, np.ones(3), 0.01)\n"
                "    except Wrong: continue\n"
                "    raise SystemExit('not seen')\n"
                "raise SystemExit(b.end() and 7)\n")
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([sys.executable, "-c", text, folder], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  text=True, env={**os.environ, "PYTHONPATH": FOLDER + os.pathsep + os.environ.get("PYTHONPATH", "")})
        self.assertEqual(done.returncode, 7, done.stdout)
