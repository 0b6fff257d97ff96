# SPDX-License-Identifier: MIT
"""The code of docs/python.md runs as it stands there."""
import os
import re
import unittest

from common import ROOT, output


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
