# SPDX-License-Identifier: MIT
"""frames.py - a molecule in the frames of a trajectory, for frames.c, which runs this text by python3 -c.

The coordinates of each frame go to the standard output as floats, in angstroms.
"""
import sys
sys.path = [p for p in sys.path if p]
name, n, done = sys.argv[1], int(sys.argv[2]), 0
try:
    from MDAnalysis.coordinates.core import reader
    frames = reader(name, n_atoms=n)
    if frames.n_atoms != n:
        raise SystemExit('it has %d atoms, the molecule %d: both must have the same, in one order' % (frames.n_atoms, n))
    for done, frame in enumerate(frames, 1):
        sys.stdout.buffer.write(frame.positions.astype('=f4').tobytes())
    if done < frames.n_frames:
        raise SystemExit('it ends within frame %d of %d' % (done + 1, frames.n_frames))
    reason = ''
except ImportError as e:
    reason = ('trajectories are read by the Python package MDAnalysis (%s): install it (Debian: apt install '
              'python3-mdanalysis; elsewhere: pip install MDAnalysis)' % e)
except SystemExit as e:
    reason = str(e)
except Exception as e:
    reason = 'MDAnalysis failed: ' + str(e).strip().split('\n')[0]
sys.exit(name + ': ' + ''.join(c if c.isprintable() else '?' for c in reason) if reason else 0)
