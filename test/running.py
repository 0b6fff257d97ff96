# SPDX-License-Identifier: MIT
"""running.py - what the tests of programs share: runs in a folder of their own, numbers, pictures."""
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib
from pathlib import Path

try:
    import numpy as np
except ImportError:  # perhaps the system's python3 has it
    if sys.executable == '/usr/bin/python3':
        raise
    os.execv('/usr/bin/python3', ['/usr/bin/python3', '-B', *sys.argv])

ROOT = Path(__file__).resolve().parent.parent
PROGRAMS = None  # the folder of programs, by main()


def environment(**more):
    names = [n for n in os.environ if not n.startswith('CLOPT_') or n in ('CLOPT_CACHE_DIR', 'CLOPT_DEVICE', 'CLOPT_LAYER')]
    return dict({n: os.environ[n] for n in names}, LC_ALL='C', PYTHONDONTWRITEBYTECODE='1', **more)


def floats(text):
    """The numbers of lines, a row each."""
    return np.array([[float(x) for x in re.split('[, ]+', line.strip())] for line in text.splitlines() if line[:1] != '#'])


def picture(path):
    """The pixels of a PNG file of 8 bits: height x width x channels."""
    data, at, packed = Path(path).read_bytes(), 8, b''
    assert data[:8] == b'\x89PNG\r\n\x1a\n', path
    while at < len(data):
        size, kind = struct.unpack('>I4s', data[at:at + 8])
        body, at = data[at + 8:at + 8 + size], at + size + 12
        if kind == b'IHDR':
            width, height, depth, colours = struct.unpack('>IIBB', body[:10])
            assert depth == 8
        packed += body if kind == b'IDAT' else b''
    n, raw, rows, above = {2: 3, 6: 4}[colours], zlib.decompress(packed), [], bytes(8 * width)
    for y in range(height):
        kind, *row = raw[y * (n * width + 1):(y + 1) * (n * width + 1)]
        for x in range(n * width) if kind else ():
            a, b, c = row[x - n] if x >= n else 0, above[x], above[x - n] if x >= n else 0
            p = a + b - c
            near = a if abs(p - a) <= abs(p - b) and abs(p - a) <= abs(p - c) else b if abs(p - b) <= abs(p - c) else c
            row[x] = row[x] + (a, b, (a + b) // 2, near)[kind - 1] & 255
        rows.append(row)
        above = row
    return np.array(rows).reshape(height, width, n)


class Case(unittest.TestCase):
    """Each test is in an empty folder."""
    def setUp(self):
        self.folder = os.path.realpath(tempfile.mkdtemp(prefix='clopt-test-'))
        self.addCleanup(shutil.rmtree, self.folder)
        self.addCleanup(os.chdir, ROOT)
        os.chdir(self.folder)

    def write(self, name, content, mode=None):
        path = Path(self.folder, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        if mode:
            path.chmod(mode)
        return name

    def read(self, name):
        return Path(self.folder, name).read_text()

    def run_program(self, program, line, status=0, *words, given='', **variables):
        """Runs a line, or a list of words.  It must end with the status, and print the words, but none that begins with !."""
        done = subprocess.run([str(PROGRAMS / program), *(line.split() if isinstance(line, str) else line)],
                              input=given if isinstance(given, bytes) else given.encode(), stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, env=environment(**variables))
        out, told = done.stdout.decode(errors='replace'), done.stderr.decode(errors='replace')
        self.assertEqual(done.returncode, status, '%s %s\n%s%s' % (program, line, told, out))
        self.told, flat = told, ' '.join((told + out).split())
        for word in words:
            (self.assertNotIn if word[:1] == '!' else self.assertIn)(word.lstrip('!'), flat, '%s %s' % (program, line))
        return out

    def close(self, a, b, within, message=None):
        """Numbers differ by at most so much of the largest of b."""
        a, b = np.asarray(a, float), np.asarray(b, float)
        self.assertEqual(a.shape, b.shape, message)
        self.assertTrue((abs(a - b) <= within * abs(b).max()).all(), '%s: %s, not %s' % (message, a, b))


def main():
    global PROGRAMS
    if len(sys.argv) < 2:
        sys.exit('usage: %s PROGRAMS [TEST...]' % sys.argv[0])
    PROGRAMS = Path(sys.argv.pop(1)).resolve()
    unittest.main()
