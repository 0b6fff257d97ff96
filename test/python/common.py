# SPDX-License-Identifier: MIT
"""What the tests of the Python package share: one context, and programs in processes of their own."""
import functools
import os
import subprocess
import sys

import clopt

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("CLOPT_TEST_BUILD", os.path.join(ROOT, "build"))


@functools.lru_cache(maxsize=None)
def context():
    """A context for all tests, since it keeps compiled kernels."""
    return clopt.Context()


def program(text, seconds=120, **environment):
    """Start Python on this text.  What it prints is read from stdout, also its errors."""
    return subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True,
                            env={**os.environ, **environment})


def output(text, seconds=120, **environment):
    """What such a program prints.  One that hangs is killed, and that is a failure."""
    child = program(text, **environment)
    try:
        return child.communicate(timeout=seconds)[0]
    finally:
        child.kill()
        child.stdout.close()
        child.wait()
