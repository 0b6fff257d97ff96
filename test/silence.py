#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# silence.py PROGRAMS [SECONDS] - on a terminal, with empty caches, no program is silent for more than so many
# seconds (2) of its first LONGEST: each line's longest silence, and how long it ran.
import os
import pty
import select
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROGRAMS = Path(sys.argv[1]).resolve()
MOST = float(sys.argv[2]) if len(sys.argv) > 2 else 2
DATA = Path(__file__).resolve().parent.parent / 'examples/data'
LONGEST = 30  # seconds; then a line is stopped
LINES = ['clopt info', 'clopt list matmul', 'clopt check', 'clopt bench matmul',
         'clopt tune matmul', 'nbody --n 1000000',
         'clopt-gem %s/1a0q.pqr --png OUT.png' % DATA]


def longest(words, folder):
    """Seconds in all, whether the program failed, the longest silence, and the text before that."""
    ours, theirs = pty.openpty()
    shutil.rmtree(folder, ignore_errors=True)
    caches = {n: folder + '/' + n for n in ('CLOPT_CACHE_DIR', 'POCL_CACHE_DIR')}
    for cache in caches.values():
        os.makedirs(cache, 0o700)
    began = last = time.monotonic()
    child = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs, cwd=folder,
                             env=dict(os.environ, LC_ALL='C', **caches))
    os.close(theirs)
    most, before, text, more, stopped = 0, b'', b'', b' ', False
    while more:
        stopped = not select.select([ours], [], [], max(began + LONGEST - last, 0))[0]
        try:
            more = b'' if stopped else os.read(ours, 65536)
        except OSError:  # the other end is closed
            more = b''
        now = time.monotonic()
        if now - last > most:
            most, before = now - last, text[-60:]
        text, last = text[-1000:] + more, now
        stopped = stopped or now - began > LONGEST
        if stopped:
            break
    if stopped:
        child.kill()
    os.close(ours)
    return now - began, child.wait() != 0 and not stopped, most, before


failed = 0
with tempfile.TemporaryDirectory() as top:
    for line in LINES:
        program, *rest = line.split()
        took, bad, most, before = longest([str(PROGRAMS / program), *rest], top + '/folder')
        print('silence: %5.2f s of %6.1f: %s' % (most, took, line.replace(str(DATA) + '/', '')), flush=True)
        if bad or most > MOST:
            failed += 1
            print('         %sbefore the silence it printed %r' % ('it fails; ' if bad else '', before))
sys.exit('silence: %d lines are silent for more than %g s, or fail' % (failed, MOST) if failed else 0)
