# SPDX-License-Identifier: MIT
"""The code of docs/python.md and of docstrings runs as it stands there."""
import doctest
import os
import re
import types
import unittest

import numpy as np

import clopt
from common import ROOT, context, output

# They end something, or need pyopencl.
WITHOUT = ["buffer_from_pyopencl", "cancel", "close", "free", "free"]


class Docs(unittest.TestCase):
    def test_blocks(self):
        with open(os.path.join(ROOT, "docs", "python.md")) as file:
            page = file.read()
        blocks = re.findall(r"^```python\n(.*?)^```$", page, re.M | re.S)
        line = re.search(r'^    python3 -c "(.*)"$', page, re.M).group(1)
        self.assertGreater(len(blocks), 3)
        for block in [line, *blocks]:
            with self.subTest(block=block.splitlines()[0]):
                said = output("import warnings\nwarnings.simplefilter('error')\n" + block +
                              "\nprint('end')")
                self.assertTrue(said.endswith("end\n") and "Error" not in said, said)

    def test_examples(self):
        """Of each function and method but those that have nothing to show."""
        runner = doctest.DocTestRunner(verbose=False)
        without = []
        for owner in (clopt, clopt.Context, clopt.Tree, clopt.Buffer):
            for name in dir(owner):
                thing = getattr(owner, name)
                if name.startswith("_") or not isinstance(thing, types.FunctionType):
                    continue
                tests = doctest.DocTestFinder(recurse=False).find(
                    thing, f"{owner.__name__}.{name}", False, {"clopt": clopt, "np": np, "ctx": context()})
                for test in tests:
                    runner.run(test)
                if not any(test.examples for test in tests):
                    without.append(name)
        self.assertEqual(runner.failures, 0)
        self.assertEqual(without, WITHOUT)
