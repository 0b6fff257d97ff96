# SPDX-License-Identifier: MIT
"""frames.py - a molecule in the frames of a trajectory, for frames.c, which runs this text by python3 -c.

For each frame a + and its coordinates as floats, in angstroms, go to the standard output, and at the end a -, with a
reason if it failed.
"""
import sys
sys.path = [p for p in sys.path if p]
out, reason = sys.stdout.buffer, ''
try:
    from MDAnalysis.coordinates.core import reader
    n = int(sys.argv[2])
    frames, done = reader(sys.argv[1], n_atoms=n), 0
    if frames.n_atoms != n:
        reason = ('it has %d atoms, the molecule %d: both must have the same, in one '
                  'order' % (frames.n_atoms, n))
    else:
        for frame in frames:
            out.write(b'+' + frame.positions.astype('=f4').tobytes())
            done += 1
        if done < frames.n_frames:
            reason = 'it ends within frame %d of %d' % (done + 1, frames.n_frames)
except ImportError as e:
    reason = ('trajectories are read by the Python package MDAnalysis (%s): install it '
              '(Debian: apt install python3-mdanalysis; elsewhere: pip install '
              'MDAnalysis)' % e)
except Exception as e:
    reason = 'MDAnalysis failed: ' + str(e).strip().split('\n')[0]
out.write(b'-' + ''.join(c if c.isprintable() else '?' for c in reason).encode())
