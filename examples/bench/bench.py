# SPDX-License-Identifier: MIT
"""What the scripts of this folder share: options, turns, checks, tables, pictures.

Things that are compared take turns, a round after the other, and a ratio is the median over rounds of
two times of one round: a machine that is slower for a while is slower for both.
"""
import argparse
import ctypes as C
import json
import os
import statistics
import sys
import time

try:  # before anything is measured
    import matplotlib
    import numpy as np

    import clopt
    from clopt import _library as L
except ImportError as e:
    sys.exit(f"{os.path.basename(sys.argv[0]).removesuffix('.py')}: {e}.  This takes NumPy, matplotlib, and the "
             "package clopt with its library: PYTHONPATH=build/python LD_LIBRARY_PATH=build")

ARGS = {"in": 1, "out": 2, "inout": 3, "shared": 4, "value": 5, "local": 6, "count": 7, "first": 8}


class Wrong(Exception):
    """A result that is not what it should be."""


class Thing:
    """One of those that are compared: run() returns its seconds; spoil() is before, check(), which may raise Wrong,
    behind its first run."""

    def __init__(self, name, run, check=lambda: None, spoil=lambda: None, **more):
        self.name, self.run, self.check, self.spoil, self.row = name, run, check, spoil, {"name": name, **more}
        self.times, self.why, self.wrong = [], None, False

    def first(self):
        """Compile, and check the result."""
        try:
            self.spoil()
            self.run()
            self.check()
        except (Wrong, clopt.Error, OSError) as e:
            self.why, self.wrong = str(e).splitlines()[0], isinstance(e, Wrong)

    @property
    def seconds(self):
        return statistics.median(self.times) if self.times and not self.why else None

    def over(self, base):
        """How many times as fast as the base: median, least and most over rounds."""
        if self.seconds is None or base.seconds is None:
            return None, None, None
        ratios = [b / t for b, t in zip(base.times, self.times)]
        return statistics.median(ratios), min(ratios), max(ratios)

    def fill(self, base=None, work=None, **more):
        """Its row: times, the rate of so much work in 1e9 a second, how many times as fast as the base it is."""
        s, (speed, least, most) = self.seconds, self.over(base or self)
        self.row.update(more, seconds=s, ms=s and 1e3 * s, rate=s and work and work / s / 1e9, speed=speed,
                        least=least, most=most, wrong=self.wrong, why=self.why)
        return self.row


# Columns of such rows.
COMPARED = [("ms", "ms", ".3f"), ("speed", "times as fast", ".2f"), ("least", "least", ".2f"), ("most", "most", ".2f"),
            ("why", "", "s")]


def turns(things, seconds, least=3, most=200, rest=0.0):
    """Rounds of all of them, for so many seconds each."""
    for thing in things:
        if not thing.why:
            thing.first()
    sound = [thing for thing in things if not thing.why]
    end = time.perf_counter() + seconds * len(sound)
    for n in range(most if sound else 0):
        if n >= least and time.perf_counter() > end:
            break
        for thing in sound:
            time.sleep(rest)
            thing.times.append(thing.run())


def clock(call, repeats=1, wait=lambda: None):
    start = time.perf_counter()
    for _ in range(repeats):
        call()
    wait()
    return (time.perf_counter() - start) / repeats


def must(handle, status):
    """Raise the error of a call of the library's functions, without the package's thread."""
    if status:
        raise L.failure(status, handle)


def sample(n, most=64):
    return np.linspace(0, n - 1, min(n, most)).astype(int)


def pull(bodies, some, softening=0.0):
    """Accelerations of some bodies (x, y, z, m) by all, in float64.  There is none at distance 0."""
    x, m, found = bodies[:, :3].astype(float), bodies[:, 3].astype(float), []
    for at in x[some]:
        away = x - at
        square = np.einsum("ij,ij->i", away, away)
        found.append((m / np.where(square > 0, square + softening ** 2, np.inf) ** 1.5) @ away)
    return np.array(found)


def close(what, got, want, limit):
    """Raise Wrong unless got is want but for so much of the largest of it."""
    off, largest = np.max(np.abs(got - want)), np.max(np.abs(want))
    if not off <= limit * largest:
        raise Wrong(f"{what} is wrong: off by {off:.1e} where numbers are up to {largest:.1e}; {limit:.0e} of it may be")


class Bench:
    """Options, and where results go: rows as a table and as FOLDER/NAME.json, pictures beside it."""

    def __init__(self, about, add=lambda parser: None):
        self.name = os.path.basename(sys.argv[0]).removesuffix(".py")
        parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
        parser.add_argument("--device", help="as CLOPT_DEVICE; the best")
        parser.add_argument("--folder", default="build/bench", help="where pictures and results go; build/bench")
        parser.add_argument("--seconds", type=float, default=0.3, help="for each number; 0.3")
        parser.add_argument("--size", type=int, help="of the problems; the default depends on the device")
        parser.add_argument("--small", action="store_true", help="sizes for a test")
        add(parser)
        self.args, self.rows, self.bad = parser.parse_args(), [], 0
        if self.args.size is not None and self.args.size < 1:
            parser.error("--size is a number from 1")
        try:
            os.makedirs(self.args.folder, exist_ok=True)
            open(os.path.join(self.args.folder, self.name + ".json"), "a", encoding="utf-8").close()
        except OSError as e:
            sys.exit(f"{self.name}: {e}")

    def open(self, **options):
        try:
            ctx = clopt.Context(self.args.device, **options)
        except clopt.Error as e:
            sys.exit(f"{self.name}: {e}")
        self.device, self.cpu = ctx.device, ctx.device.type == "cpu"
        self.title = f"{self.device.name}, {self.device.driver}"
        return ctx

    def size(self, small, cpu, gpu):
        return self.args.size or (small if self.args.small else cpu if self.cpu else gpu)

    def compare(self, head, things, columns, share=1.0, base=0, work=None, **how):
        """Turns of so many times --seconds, and their table; the rows."""
        turns(things, share * self.args.seconds, **how)
        rows = [t.fill(things[base], work or t.row.get("moved")) for t in things]
        self.table(head, rows, columns)
        return rows

    def table(self, head, rows, columns):
        """rows: also Things.  columns: key, head and format of each.  What no row has is left out."""
        rows = [getattr(row, "row", row) for row in rows]
        columns = [(k, h, f) for k, h, f in columns if any(row.get(k) is not None for row in rows)]
        cells = [[h for _, h, _ in columns]] + [
            ["-" if row.get(k) is None else format(row[k], f) for k, _, f in columns] for row in rows]
        widths = [max(map(len, column)) for column in zip(*cells)]
        print(f"\n{head}")
        for line in cells:
            print("  ".join(c.ljust(w) if f in ("", "s") else c.rjust(w)
                            for c, w, (_, _, f) in zip(line, widths, columns)).rstrip())
        sys.stdout.flush()
        self.rows += [dict(row, table=head) for row in rows]
        self.bad += sum(bool(row.get("wrong")) for row in rows)

    def end(self, figure=None, **more):
        """Write the files; the exit status."""
        base = os.path.join(self.args.folder, self.name)
        with open(base + ".json", "w", encoding="utf-8") as file:
            json.dump(dict(more, device=self.device.name, driver=self.device.driver, version=clopt.__version__,
                           date=time.strftime("%Y-%m-%d"), command=" ".join(sys.argv), rows=self.rows), file, indent=1)
        made = [base + ".json"]
        if figure:
            made += [base + ".png", base + ".svg"]
            figure.savefig(made[1], dpi=150)
            figure.savefig(made[2])
        print("\n" + ", ".join(made))
        return int(self.bad > 0)


def pyplot():
    matplotlib.use("Agg")
    from matplotlib import pyplot as plt
    # Okabe's and Ito's colours, which colour-blind eyes tell apart.
    plt.rcParams.update({
        "axes.prop_cycle": plt.cycler(
            color=["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999999"]),
        "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True, "axes.axisbelow": True,
        "grid.alpha": 0.3, "font.size": 9, "axes.titlesize": 9, "legend.fontsize": 8, "legend.frameon": False,
        "figure.constrained_layout.use": True, "svg.hashsalt": "clopt"
    })
    return plt


def ratios(axes, label):
    """The axis of x: times as fast, with a line at 1."""
    axes.set_xscale("log")
    low, high = axes.get_xlim()
    low, high = min(low, 0.9), max(high, 2)
    axes.set_xlim(low, high)
    axes.xaxis.set_major_formatter(lambda x, _: f"{x:g}")
    axes.xaxis.set_minor_formatter(lambda x, _: f"{x:g}" if high < 30 * low and f"{x:e}"[0] in "25" else "")
    axes.axvline(1, color="black", linewidth=0.8)
    axes.set_xlabel(label)


class Arg(C.Structure):
    _fields_ = [("kind", C.c_int), ("data", C.c_void_p), ("bytes", C.c_size_t)]


def run_map(ctx, source, kernel, items, args, group=0, options="", granule=0):
    """clopt_map, for kernels of our own.  args: (kind, array or bytes of memory, bytes of an item).  The seconds of
    the kernel."""
    table, kept = (Arg * len(args))(), []
    for to, (kind, data, size) in zip(table, args):
        to.kind, to.bytes = ARGS[kind], size
        if isinstance(data, np.ndarray):
            to.data = data.ctypes.data
        elif data is not None:
            kept.append(data)
            to.data = C.addressof(data)
    desc = L.MapDesc(source=source.encode(), name=kernel.encode(), build_options=options.encode(), items=items,
                     items_per_group=group, granule=granule, args=C.addressof(table), nargs=len(args))
    ctx._do(lambda: ctx._c("clopt_map", C.byref(desc)))
    return ctx.last_report().kernel_seconds


def kernel_seconds(ctx):
    """Of the last call; of the whole of it where the driver has no times, or the host did it."""
    report = ctx.last_report()
    return report.kernel_seconds or report.seconds
