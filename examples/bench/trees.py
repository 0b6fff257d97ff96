#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Gravity with tolerances beside the sum over all pairs, from how many bodies a tree pays, and other tree codes.

    PYTHONPATH=build/python LD_LIBRARY_PATH=build python3 examples/bench/trees.py [--size BODIES]

Bodies of Plummer's model in float32.  All take turns.  Errors are of accelerations by their own length: those that
the call tells, and those of 512 bodies against sums over all pairs in float64.  Exit status 1 if a checked
error is above twice the tolerance.  Then the break-even at 1e-3: the fewest bodies for which the library takes
a tree, by its estimate, and the number from which such calls are faster here.

--peers: other tree codes of PyPI on the same cores; one that is not installed is left out:

    pip install fmm3dpy pytreegrav
    CFLAGS='-O3 -march=native -fopenmp -DOPENMP -DQUADRUPOLE' LDFLAGS=-fopenmp \\
        pip install --no-cache-dir --no-binary rebound rebound

Each gets the theta at which the 99th percentile of its errors is just below 1e-3, and builds its tree in the
time; libclopt also at its tolerance.  Where other work takes the processors, only busy seconds compare.
fmm3dpy (one thread) at 1e-9 says how far fields and potentials of all bodies agree.
"""
import ctypes as C
import importlib
import importlib.metadata
import time

from bench import Bench, Thing, Wrong, np, pull, pyplot, sample, turns

TOLERANCES, GOAL, ORDER, SOFTENING, SAMPLE = (1e-2, 1e-3, 1e-4, 1e-5), 1e-3, 4, 0.01, 512


def plummer(n, random):
    """x, y, z, m: mass 1, scale 1, the outermost thousandth cut off."""
    radius = 1 / np.sqrt((0.999 * random.random(n)) ** (-2 / 3) - 1)
    way = random.normal(size=(n, 3))
    way *= (radius / np.linalg.norm(way, axis=1))[:, None]
    return np.concatenate([way, np.full((n, 1), 1 / n)], 1).astype(np.float32)


def error_99(field, wanted):
    return np.percentile(np.linalg.norm(field - wanted, axis=1) / np.linalg.norm(wanted, axis=1), 99)


def tolerances(bench, ctx, bodies):
    n, out = len(bodies), np.empty_like(bodies)
    some = sample(n, SAMPLE)
    wanted, things = pull(bodies, some, SOFTENING), []
    for tolerance in (*TOLERANCES, 0.0):
        def run(tolerance=tolerance):
            ctx.nbody(bodies, softening=SOFTENING, tolerance=tolerance, out=out)
            return ctx.last_report().seconds

        thing = Thing(f"{tolerance:.0e}" if tolerance else "all pairs", run, spoil=lambda: out.fill(np.nan))

        def check(thing=thing, tolerance=tolerance):
            r, off = ctx.last_report(), error_99(out[some, :3], wanted)
            thing.row.update(order=r.tree_order or None, theta=r.tree_theta or None, near=r.near_pairs or float(n),
                             far=r.far_pairs or None, median=r.error_median or None, told=r.error_99 or None,
                             checked=off, build=1e3 * r.tree_seconds or None)
            if not off <= (2 * tolerance or 1e-4):
                raise Wrong(f"99 % of {len(some)} are off by at most {off:.1e}")
        thing.check = check
        things.append(thing)
    return bench.compare(f"gravity of {n} bodies, Plummer's model, softening {SOFTENING}, float32", things, [
        ("name", "tolerance", "s"), ("order", "order", "d"), ("theta", "theta", ".2f"), ("near", "near", ".0f"),
        ("far", "far", ".0f"), ("median", "median", ".1e"), ("told", "99 %", ".1e"), ("checked", "checked", ".1e"),
        ("ms", "call ms", ".2f"), ("build", "build ms", ".2f"), ("speed", "speed", ".2f"), ("why", "", "s")], base=-1)


def break_even(bench, ctx, random):
    """Where the library takes a tree, and where it is faster."""
    bodies = plummer(1 << 22, random)

    def takes(n):
        ctx.nbody(bodies[:n], softening=SOFTENING, tolerance=GOAL)
        return ctx.last_report()
    low, high = 1, 512
    while not (report := takes(high)).tree_order:
        if high >= len(bodies) or report.seconds > 2:
            print(f"\nbreak-even at {GOAL:.0e}: no tree up to {high} bodies")
            return []
        low, high = high, 2 * high
    how = report
    while high - low > max(1, low // 1000):
        middle = (low + high) // 2
        found = takes(middle)
        low, high, how = (low, middle, found) if found.tree_order else (middle, high, how)
    rows = {}

    def measure(n):
        def run(**options):
            ctx.nbody(bodies[:n], softening=SOFTENING, **options)
            return ctx.last_report().seconds
        pair = [Thing("tree", lambda: run(theta=how.tree_theta, order=how.tree_order)), Thing("all pairs", run)]
        turns(pair, bench.args.seconds / 4)
        rows[n] = {"bodies": n, "tree_ms": 1e3 * pair[0].seconds, "all_ms": 1e3 * pair[1].seconds,
                   "speed": pair[0].over(pair[1])[0]}
        return rows[n]["speed"]
    n = max(high // 4, 64)
    while n <= min(4 * high, len(bodies)):
        measure(n)
        n *= 2
    while min(r["speed"] for r in rows.values()) > 1 and min(rows) > 128:
        measure(min(rows) // 2)
    while (max(r["speed"] for r in rows.values()) < 1 and 2 * max(rows) <= len(bodies)
           and rows[max(rows)]["all_ms"] < 2000):
        measure(2 * max(rows))
    faster = None
    for _ in range(8):  # between the largest number at which a tree is slower and the next
        slow = max((n for n, r in rows.items() if r["speed"] < 1), default=None)
        faster = min((n for n in rows if slow is None or n > slow), default=None)
        if slow is None or faster is None or faster <= 1.05 * slow:
            break
        measure(int((slow * faster) ** 0.5))
    rows = [rows[n] for n in sorted(rows)]
    bench.table(f"break-even at {GOAL:.0e}: the library takes a tree from {high} bodies on (order {how.tree_order}, "
                f"theta {how.tree_theta:.2f}); it is faster from {faster} on", rows, [
                    ("bodies", "bodies", "d"), ("tree_ms", "tree ms", ".3f"), ("all_ms", "all pairs ms", ".3f"),
                    ("speed", "speed", ".2f")])
    return rows


# ---- Other codes

def peer(name):
    try:
        return importlib.import_module(name), f"{name} {importlib.metadata.version(name)}"
    except ImportError:
        print(f"{name} is not installed: left out")
        return None, None


def pytreegrav(x, m):
    module, title = peer("pytreegrav")
    for quadrupole in (False, True) if module else ():
        yield (f"{title}, {'quadrupoles' if quadrupole else 'monopoles'}",
               lambda theta, quadrupole=quadrupole: module.Accel(
                   x, m, theta=theta, parallel=True, quadrupole=quadrupole, method="tree"))


def rebound(x, m):
    module, title = peer("rebound")
    if not module:
        return
    simulation = module.Simulation()
    simulation.root_size, simulation.gravity = 2.1 * np.abs(x).max(), "tree"
    for row, mass in zip(x.tolist(), m.tolist()):
        simulation.add(module.Particle(m=mass, x=row[0], y=row[1], z=row[2]))
    particle = simulation.particles[0]
    numbers = (C.c_double * (len(x) * C.sizeof(particle) // 8)).from_address(C.addressof(particle))
    first = type(particle).ax.offset // 8
    accelerations = np.frombuffer(numbers).reshape(len(x), -1)[:, first:first + 3]
    with open(module.clibrebound._name, "rb") as library:
        linked = b"libgomp" in library.read()

    def call(theta):
        simulation.opening_angle2 = theta * theta
        module.clibrebound.reb_simulation_update_acceleration(C.byref(simulation))
        return accelerations.copy()
    yield f"{title}, {'OpenMP' if linked else 'one thread'}", call


def find_theta(call, error):
    """The largest theta that was found to be right: within 8 % of the goal, or after 8 calls."""
    theta, best, tried = 0.5, (0, 0), []
    while len(tried) < 8 and best[1] < 0.92 * GOAL:
        tried.append((theta, error(call(theta))))
        best = max(best, tried[-1] if tried[-1][1] <= GOAL else best)
        power = 3
        if len(tried) > 1:
            (a, ea), (b, eb) = tried[-2:]
            power = min(max(np.log(ea / eb) / np.log(a / b), 1), 6)
        theta *= (0.96 * GOAL / tried[-1][1]) ** (1 / power)
    return best


def peers(bench, ctx, bodies):
    x, m = bodies[:, :3].astype(float), bodies[:, 3].astype(float)
    some = np.random.default_rng(1).choice(len(x), min(len(x), 4000), replace=False)
    wanted, things, busy = pull(bodies, some), [], {}
    codes = [("libclopt, its tolerance", None),
             (f"libclopt, order {ORDER}", lambda theta: ctx.nbody(bodies, theta=theta, order=ORDER)),
             *rebound(x, m), *pytreegrav(x, m)]
    for name, call in codes:
        theta, off = find_theta(call, lambda a: error_99(a[some, :3], wanted)) if call else (None, None)

        def timed(name=name, call=call, theta=theta):
            start, spent = time.perf_counter(), time.process_time()
            call(theta) if call else ctx.nbody(bodies, tolerance=GOAL)
            busy.setdefault(name, []).append(time.process_time() - spent)
            return time.perf_counter() - start
        things.append(Thing(name, timed, theta=theta, error=off))
    turns(things, 0, least=3)
    for t in things:
        t.fill(busy=float(np.median(busy[t.name][1:])))
    bench.table(f"{len(x)} bodies, 99 of 100 accelerations within {GOAL:g} of their length, no softening", things, [
        ("name", "", "s"), ("theta", "theta", ".3f"), ("error", "error", ".1e"), ("seconds", "seconds", ".3f"),
        ("busy", "busy", ".3f"), ("why", "", "s")])
    module, title = peer("fmm3dpy")
    if module:
        # Its kernel is 1 / (4 pi r), and a gradient of attraction points to the source.
        other = module.lfmm3d(eps=1e-9, sources=np.asfortranarray(x.T), charges=m, pg=2)
        rows = []
        for tolerance in TOLERANCES:
            found = ctx.nbody(bodies, potential=True, tolerance=tolerance,
                              precision="double" if tolerance < 1e-4 else None)
            phi = 4 * np.pi * other.pot
            rows.append(dict(
                tolerance=tolerance, told=ctx.last_report().error_99, fields=error_99(found[:, :3], 4 * np.pi * other.grad.T),
                potentials=np.percentile(np.abs(np.abs(found[:, 3]) - phi), 99) / np.sqrt(np.mean(phi**2))))
        bench.table(f"beside {title} at 1e-9: 99 of 100", rows, [
            ("tolerance", "tolerance", ".0e"), *((key, key, ".1e") for key in ("fields", "potentials", "told"))])


def main():
    bench = Bench(__doc__, lambda p: p.add_argument("--peers", action="store_true", help="other tree codes, too"))
    ctx = bench.open()
    print(bench.title)
    random = np.random.default_rng(1)
    bodies = plummer(bench.size(4096, 100000, 1000000), random)
    sums = tolerances(bench, ctx, bodies)
    sizes = [] if bench.args.small else break_even(bench, ctx, random)
    if bench.args.peers:
        peers(bench, ctx, bodies)
    figure, axes = pyplot().subplots(1, 2, figsize=(9, 4))
    for row in sums:
        if row["ms"]:
            axes[0].loglog(
                row["ms"] / 1e3, row["checked"], "o" if row["order"] else "s", label=row["name"] +
                (f": order {row['order']}, theta {row['theta']:.2f}" if row["order"] else ""))
    axes[0].set(xlabel="seconds of a call", ylabel="error of 99 of 100 accelerations", title=f"{len(bodies)} bodies")
    for key, word in (("tree_ms", "tree"), ("all_ms", "all pairs")):
        axes[1].loglog([r["bodies"] for r in sizes], [r[key] for r in sizes], "o-", label=word, markersize=4)
    axes[1].set(xlabel="bodies", ylabel="ms of a call", title=f"break-even at a tolerance of {GOAL:g}")
    for at in axes:
        at.legend()
    figure.suptitle(bench.title)
    return bench.end(figure)


if __name__ == "__main__":
    raise SystemExit(main())
