#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Sums with a tolerance beside other tree codes, on the same cores in one run.

    PYTHONPATH=lib/python LD_LIBRARY_PATH=build python3 test/bench/trees.py [BODIES ...]

The default is 100000 and 1000000 bodies of Plummer's model, without softening, in float32.  NumPy is
needed; the peers are of PyPI, and one that is not installed is left out:

    pip install fmm3dpy pytreegrav
    CFLAGS='-O3 -march=native -fopenmp -DOPENMP -DQUADRUPOLE' LDFLAGS=-fopenmp \
        pip install --no-cache-dir --no-binary rebound rebound

REBOUND's wheel has one thread and no quadrupoles; both are the compiler's options, as above.

- Agreement: fields and potentials of all bodies beside fmm3dpy's at 1e-9 (its wheel has one
  thread: 37 s for 100,000 bodies).
- Speed: each gets the theta at which the 99th percentile of its accelerations' errors is just
  below 1e-3, libclopt once the tolerance 1e-3 too, and then all take turns; the median of three, or one
  if it took a minute.  Each builds its tree in the time.  Errors are those of 4000 bodies, against sums
  over all pairs in float64 by NumPy.  Seconds are those of the clock and of the processors; where other
  work takes these, only the latter compare.
"""
import concurrent.futures
import ctypes
import importlib
import importlib.metadata
import os
import statistics
import sys
import time

import numpy as np

import clopt

GOAL, ORDER, ROUNDS, SAMPLE, SLOW = 1e-3, 4, 3, 4000, 60


def plummer(n, random):
    """x, y, z, m: mass 1, scale 1, nothing cut off."""
    radius = 1 / np.sqrt(random.random(n) ** (-2 / 3) - 1)
    way = random.normal(size=(n, 3))
    way *= (radius / np.linalg.norm(way, axis=1))[:, None]
    return np.concatenate([way, np.full((n, 1), 1 / n)], 1).astype(np.float32)


def all_pairs(x, m, some):
    """Accelerations of some bodies.  The body itself is at distance 0, and left out."""
    columns = [np.ascontiguousarray(c) for c in x.T]

    def one(i):
        away = [c - c[i] for c in columns]
        square = away[0] * away[0] + away[1] * away[1] + away[2] * away[2]
        square[i] = np.inf
        pull = m / (square * np.sqrt(square))
        return [pull @ a for a in away]

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return np.array(list(pool.map(one, some)))


def percentile(errors, size):
    return np.percentile(errors / size, 99)


def field_error(field, wanted):
    return percentile(np.linalg.norm(field - wanted, axis=1), np.linalg.norm(wanted, axis=1))


def peer(name):
    """The module and what to call it, or None and a word."""
    try:
        return importlib.import_module(name), f"{name} {importlib.metadata.version(name)}"
    except ImportError:
        print(f"{name} is not installed: left out")
        return None, None


def by_pytreegrav(x, m):
    module, title = peer("pytreegrav")
    if not module:
        return
    for quadrupole in (False, True):
        yield (f"{title}, {'quadrupoles' if quadrupole else 'monopoles'}",
               lambda theta, quadrupole=quadrupole: module.Accel(
                   x, m, theta=theta, parallel=True, quadrupole=quadrupole, method="tree"))


def by_rebound(x, m):
    module, title = peer("rebound")
    if not module:
        return
    simulation = module.Simulation()
    simulation.root_size = 2.1 * np.abs(x).max()
    simulation.gravity = "tree"
    for row, mass in zip(x.tolist(), m.tolist()):
        simulation.add(module.Particle(m=mass, x=row[0], y=row[1], z=row[2]))
    particle = simulation.particles[0]
    numbers = (ctypes.c_double * (len(x) * ctypes.sizeof(particle) // 8)).from_address(ctypes.addressof(particle))
    first = type(particle).ax.offset // 8
    accelerations = np.frombuffer(numbers).reshape(len(x), -1)[:, first:first + 3]
    with open(module.clibrebound._name, "rb") as library:
        linked = b"libgomp" in library.read()

    def call(theta):
        simulation.opening_angle2 = theta * theta
        module.clibrebound.reb_simulation_update_acceleration(ctypes.byref(simulation))
        return accelerations.copy()

    yield f"{title}, {'OpenMP' if linked else 'one thread'}", call


def find_theta(call, error, theta):
    """The largest theta that was found to be right, and its error: within 8 % of the goal, or after 8 calls."""
    best, tried = (0, 0), []
    while len(tried) < 8 and best[1] < 0.92 * GOAL:
        tried.append((theta, error(call(theta))))
        best = max(best, tried[-1] if tried[-1][1] <= GOAL else best)
        power = 3
        if len(tried) > 1:
            (a, ea), (b, eb) = tried[-2:]
            power = min(max(np.log(ea / eb) / np.log(a / b), 1), 6)
        theta *= (0.96 * GOAL / tried[-1][1]) ** (1 / power)
    return best


def speed(ctx, bodies, x, m, random, thetas):
    n = len(bodies)
    some = random.choice(n, min(n, SAMPLE), replace=False)
    wanted = all_pairs(x, m, some)

    def error(accelerations):
        return field_error(accelerations[some, :3], wanted)

    def by_theta(theta):
        return ctx.nbody(bodies, theta=theta, order=ORDER)

    ours = error(ctx.nbody(bodies, tolerance=GOAL))
    told = ctx.last_report()
    rows = [(f"libclopt {clopt.__version__}, tolerance {GOAL:g}", told.tree_theta, ours,
             lambda: ctx.nbody(bodies, tolerance=GOAL))]
    for name, call in ((f"libclopt, order {ORDER}", by_theta), *by_rebound(x, m), *by_pytreegrav(x, m)):
        if name not in thetas:
            call(0.5)  # may compile
        theta, reached = find_theta(call, error, thetas.get(name, 0.5))
        thetas[name] = theta
        rows.append((name, theta, reached, lambda call=call, theta=theta: call(theta)))
    times = [[] for _ in rows]
    for _ in range(ROUNDS):
        for row, taken in zip(rows, times):
            if taken and taken[0][0] > SLOW:
                continue
            start, busy = time.perf_counter(), time.process_time()
            row[-1]()
            taken.append((time.perf_counter() - start, time.process_time() - busy))
    seconds = [[statistics.median(t) for t in zip(*taken)] for taken in times]
    print(f"{n} bodies, 99 of 100 accelerations within {GOAL:g} of their length")
    print(f"  {'':34} {'theta':>6} {'error':>8} {'seconds':>9} {'busy':>9} {'times':>6} {'busy':>6}")
    for (name, theta, reached, _), (clock, busy) in zip(rows, seconds):
        print(f"  {name:34} {theta:6.3f} {reached:8.1e} {clock:9.3f} {busy:9.3f} {clock / seconds[1][0]:6.2f} "
              f"{busy / seconds[1][1]:6.2f}")
    print(f"  libclopt, tolerance: {told.near_pairs:.0f} sources and {told.far_pairs:.0f} cells a target; its tree "
          f"{told.tree_seconds:.3f} s; the error it tells {told.error_99:.1e}", flush=True)


def agreement(ctx, bodies, x, m):
    module, title = peer("fmm3dpy")
    if not module:
        return
    start = time.perf_counter()
    # Its kernel is 1 / (4 pi r), and a gradient of attraction points to the source.
    other = module.lfmm3d(eps=1e-9, sources=np.asfortranarray(x.T), charges=m, pg=2)
    print(f"{len(x)} bodies beside {title} at 1e-9, which took {time.perf_counter() - start:.0f} s: 99 of 100")
    field, potential = 4 * np.pi * other.grad.T, 4 * np.pi * other.pot
    for tolerance in (1e-2, 1e-3, 1e-4, 1e-5):
        precision = "double" if tolerance < 1e-4 else None
        found = ctx.nbody(bodies, potential=True, tolerance=tolerance, precision=precision)
        report = ctx.last_report()
        print(f"  tolerance {tolerance:7.0e}, order {report.tree_order}, theta {report.tree_theta:.3f}: fields within "
              f"{field_error(found[:, :3], field):.1e}, potentials within "
              f"{percentile(np.abs(np.abs(found[:, 3]) - potential), np.sqrt(np.mean(potential ** 2))):.1e}; "
              f"the call tells {report.error_99:.1e}", flush=True)


def main():
    random, thetas = np.random.default_rng(1), {}
    with clopt.Context() as ctx:
        for n in map(int, sys.argv[1:] or (100000, 1000000)):
            bodies = plummer(n, random)
            x, m = bodies[:, :3].astype(np.float64), bodies[:, 3].astype(np.float64)
            speed(ctx, bodies, x, m, random, thetas)
            agreement(ctx, bodies, x, m)


if __name__ == "__main__":
    main()
