#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The potential of a molecule in many frames of a trajectory, over the workers of a Dask cluster.

    python3 examples/dask_frames.py [SCHEDULER]

SCHEDULER, such as tcp://node:8786, is that of `dask-scheduler'; without it two workers are started here.
Each worker keeps one context, on a device of its own where CLOPT_DEVICE=gpu#rank or the like says so.
"""
import sys

import numpy as np
from distributed import Client, get_worker

import clopt


def potential(frame, points):
    """In a worker: opening a context takes longer than a frame, so the worker keeps it."""
    worker = get_worker()
    if not hasattr(worker, 'clopt_context'):
        worker.clopt_context = clopt.Context()
    return worker.clopt_context.potential(frame, points, scale=332.06371).phi


def main():
    rng = np.random.default_rng(1)
    atoms = rng.normal(scale=10, size=(500, 4)).astype(np.float32)
    points = (rng.normal(size=(200, 4)) * 30).astype(np.float32)
    frames = [atoms + rng.normal(scale=(0.1, 0.1, 0.1, 0), size=atoms.shape).astype(np.float32)
              for _ in range(20)]
    # Threads of one process share a context; processes, as here, have one each.
    with (Client(sys.argv[1]) if len(sys.argv) > 1 else
          Client(n_workers=2, threads_per_worker=1, dashboard_address=None)) as client:
        spread = client.scatter(points, broadcast=True)
        phi = np.array(client.gather(client.map(potential, frames, points=spread)))
    for frame, got in zip(frames, phi):
        distance = np.linalg.norm(points[0, :3] - frame[:, :3], axis=1)
        right = 332.06371 * np.sum(frame[:, 3] / distance)
        if abs(got[0] - right) > 1e-4 * 332.06371 * np.sum(abs(frame[:, 3]) / distance):
            sys.exit('wrong: %g instead of %g' % (got[0], right))
    print('%d frames of %d atoms: potential %.4g +- %.4g at the first point'
          % (len(frames), len(atoms), phi[:, 0].mean(), phi[:, 0].std()))


if __name__ == '__main__':
    main()
