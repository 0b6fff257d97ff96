# SPDX-License-Identifier: MIT
"""What type checkers find in typed.py.  They are installed in build/checkers, with a NumPy."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from common import BUILD, ROOT

FOLDER = os.path.join(BUILD, "checkers")
BIN = os.path.join(FOLDER, "bin")
USES = os.path.join(ROOT, "test", "python", "typed.py")


class Types(unittest.TestCase):
    def install(self):
        if os.path.exists(os.path.join(BIN, "pyright")):
            return
        for command in ([sys.executable, "-m", "venv", "--clear", FOLDER],
                        [os.path.join(BIN, "pip"), "install", "-q", "--retries=1", "--timeout=5",
                         "numpy==2.4.6", "mypy==2.4.1", "pyright[nodejs]==1.1.414"]):
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            if done.returncode:
                self.skipTest("no mypy and pyright: " + done.stdout.strip().split("\n")[-1])

    def test_uses(self):
        self.install()
        with open(USES) as file:
            wrong = {n for n, line in enumerate(file, 1) if line.endswith("# wrong\n")}
        package = os.path.join(BUILD, "python")
        for command in (["mypy", "--strict"], ["pyright", "--pythonpath", os.path.join(BIN, "python3")]):
            with self.subTest(command=command[0]), tempfile.TemporaryDirectory() as folder:
                shutil.copy(USES, folder)
                with open(os.path.join(folder, "pyrightconfig.json"), "w") as file:
                    json.dump({"extraPaths": [package]}, file)
                said = subprocess.run([os.path.join(BIN, command[0]), *command[1:], "typed.py"],
                                      cwd=folder, stdout=subprocess.PIPE, text=True,
                                      env={**os.environ, "MYPYPATH": package}).stdout
                found = re.findall(r"\btyped\.py:(\d+):(?:\d+ -)? error", said)
                self.assertEqual({int(n) for n in found}, wrong, said)
