#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Changes the library at random places, one at a time, and says which changes no test notices.

    test/mutants.py 200 --seed 1 --jobs 2

A mutant is an operator, comparison, constant or condition of lib/ROOM/ or cl/ that is another.  Each job has
a copy of this folder, build/mutants/JOB, where it builds one mutant at a time; one that does not compile, or compiles
to the same objects, does not count.  The suites that look at its room run until one fails or takes much longer
than without a mutant.  A suite that fails without one is left out.  With --list mutants are printed, not built; a name
that was printed, or a part of it, is a mutant to try: --only lib/base/store.c:120.
"""
import argparse
import collections
import glob
import hashlib
import itertools
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

# The suites that look at files whose paths begin so, the quickest and most likely killers first; then those of
# EVERYWHERE.  SUITE:PART is of another part than --part.
VARIANTS = " ".join(f"variants:{i}/8" for i in range(8))
SUITES = {
    "cl/evolve": "evolve",
    "cl/matmul": VARIANTS,
    "cl/pair": VARIANTS + " physics_ways points",
    "cl/transpose": VARIANTS + " transpose",
    "cl/tree": "tree tree_kept tree_steps verify_right",
    "lib/api": "refused plan_answers arguments context map points tune",
    "lib/api/tree": "tree",
    "lib/base": "refused near context cancel cache",
    "lib/bodies": "evolve",
    "lib/buffers": "refused forms buffers",
    "lib/call": "refused forms cancel map evolve",
    "lib/choose": "nvidia plan_answers tune transpose bench selftest",
    "lib/device": "quirks nvidia context probe",
    "lib/host": "host " + VARIANTS,
    "lib/kernel": "retarget registers cache map",
    "lib/move": "plan sparse map stream bench",
    "lib/several": "several several_wrong subdevices",
    "lib/table": "parameters nvidia rounding transpose physics_ways points refused arguments",
    "lib/table/tree": "tree plan_answers",
    "lib/tree": "tree tree_kept tree_steps",
    "lib/verify": "freivalds verify_right verify",
    "lib/verify/tree": "verify_right tree tree_steps verify",
}
EVERYWHERE = "plan_answers rounding random quick faults evolve refused arguments " + VARIANTS
# As test/run.sh has them: their tests share a context.
ONE_PROCESS = "variants sparse int8 physics_ways rounding slices tree verify_right".split()
# Written for instructions of NVIDIA's GPUs, so that no row runs them elsewhere.
GPU_ONLY = re.compile(r"cl/matmul/(async|dmma\w*|mma|mma_half|tensor|tma|wgmma\w*)\.clh?$")
BASE = "build/mutants/base"
running = set()  # process groups
# Without debug information, which would have the columns of operators.
MAKE = ["make", "-s", "CFLAGS=-O2", "build/test/check"]
OPERATORS = {
    "==": ["!="], "!=": ["=="], "<=": ["<", ">"], ">=": [">", "<"], "<": ["<=", ">="], ">": [">=", "<="],
    "&&": ["||"], "||": ["&&"], "+": ["-"], "-": ["+"], "*": ["+"], "/": ["*"], "%": ["/"],
    "+=": ["-="], "-=": ["+="], "++": ["--"], "--": ["++"], "&": ["|"], "|": ["&"], "<<": [">>"], ">>": ["<<"],
}
# Binary operators have blanks on both sides, as the formatter writes them.
BINARY = re.compile(r"(?<=[\w)\]] )(==|!=|<=|>=|<<|>>|&&|\|\||\+=|-=|[-+*/%<>&|])(?= [\w(*!&\"'-])")
STEP = re.compile(r"(?<=\w)(\+\+|--)(?=[;)])")
NUMBER = re.compile(r"(?<![\w.\"'-])(\d+)(?![\w.xX\"'])")


def code(text):
    """The text with comments, strings and directives blanked, place for place."""
    blank = lambda m: re.sub(r"[^\n]", " ", m.group())
    text = re.sub(r"/\*.*?\*/", blank, text, flags=re.S)
    text = re.sub(r'"(\\.|[^"\\\n])*"|\'(\\.|[^\'\\\n])*\'', blank, text)
    return re.sub(r"^[ \t]*#.*?(?<!\\)$", blank, text, flags=re.S | re.M)


def places(text):
    """(from, to, replacement) of all mutants of a file."""
    seen = code(text)
    for pattern in BINARY, STEP:
        for m in pattern.finditer(seen):
            for other in OPERATORS[m.group()]:
                yield m.start(), m.end(), other
    for m in NUMBER.finditer(seen):
        yield m.start(), m.end(), str(int(m.group()) + 1)
    for m in re.finditer(r"\bif \(", seen):
        yield m.end(), m.end(), "!("
    for m in re.finditer(r"\b(break|continue);", seen):
        yield m.start(), m.end(), ";"


def mutate(text, place):
    start, end, new = place
    if new == "!(":  # close it where the condition ends
        depth, at = 1, start
        seen = code(text)
        while depth:
            depth += {"(": 1, ")": -1}.get(seen[at], 0)
            at += 1
        return text[:start] + "!(" + text[start:at - 1] + ")" + text[at - 1:]
    return text[:start] + new + text[end:]


def name_of(file, place):
    text = open(file).read()
    line = text.count("\n", 0, place[0]) + 1
    column = place[0] - text.rfind("\n", 0, place[0])
    return f"{file}:{line}:{column}: '{text[place[0]:place[1]]}' to '{place[2]}' in: {text.splitlines()[line - 1].strip()}"


def run(command, seconds, **more):
    """The exit status; 124 after so many seconds, with its children ended."""
    p = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True, **more)
    running.add(p.pid)
    try:
        return p.wait(seconds)
    except subprocess.TimeoutExpired:
        os.killpg(p.pid, signal.SIGKILL)
        p.wait()
        return 124
    finally:
        running.discard(p.pid)


def end(number, frame):
    for pid in list(running):
        os.killpg(pid, signal.SIGKILL)
    os._exit(128 + number)


def objects(tree):
    """The objects of lib/, to see whether a mutant is one."""
    return {f[len(tree):]: hashlib.sha256(open(f, "rb").read()).digest()
            for f in glob.glob(f"{tree}/build/obj/lib/*/*.o")}


def suites_of(file):
    """In order, each once."""
    prefix = max((p for p in SUITES if file.startswith(p)), key=len)
    return list(dict.fromkeys((SUITES[prefix] + " " + EVERYWHERE).split()))


def passes(tree, suite, part, seconds):
    """0, the exit status of Check, or 124 for too long."""
    suite, _, own = suite.partition(":")
    part = own or part
    env = dict(os.environ, CLOPT_CACHE_DIR="0")
    if suite == "quick":
        env.update(CK_EXCLUDE_TAGS="walk long")
    else:
        env.update(CLOPT_TEST_SHARE="1", CLOPT_TEST_PART=part, CK_RUN_CASE=suite)
    if suite in ONE_PROCESS:
        env.update(CK_FORK="no")
    return run(["build/test/check"], seconds, cwd=tree, env=env)


class Mutants:
    def __init__(self, args):
        self.args, self.begun = args, time.monotonic()
        files = sorted(f for f in glob.glob("lib/*/*.c") + glob.glob("lib/*/*_of.h") + glob.glob("cl/*/*.cl*")
                       if os.path.dirname(f) in SUITES and not GPU_ONLY.match(f))
        found = [(f, place) for f in files for place in places(open(f).read())]
        random.Random(args.seed).shuffle(found)
        if args.only:
            found = [m for m in found for name in [name_of(*m)] if any(o in name for o in args.only)]
        self.drawn = iter(found)
        self.lock = threading.Lock()  # of the numbers and of the output
        self.counted = self.killed = self.building = 0
        self.timing = collections.defaultdict(threading.Lock)
        self.limits = {}

    def base(self):
        """A copy without a mutant; of an earlier run it keeps the objects of what has not changed since."""
        os.makedirs(BASE + "/build", exist_ok=True)
        subprocess.check_call(["cp", "-au", "Makefile", "lib", "cl", "include", "examples", "test", BASE])
        subprocess.check_call([*MAKE, f"-j{self.args.jobs}"], cwd=BASE)
        self.objects = objects(BASE)

    def limit(self, suite):
        """Seconds that a suite may take, or 0 if it fails without a mutant."""
        with self.timing[suite]:
            if suite not in self.limits:
                begun = time.monotonic()
                status = passes(BASE, suite, self.args.part, 900)
                self.limits[suite] = 0 if status else 20 + 4 * (time.monotonic() - begun)
                with self.lock:
                    print(f"{suite}: {time.monotonic() - begun:.1f} s without a mutant" +
                          (f", status {status}: left out" if status else ""), file=sys.stderr, flush=True)
            return self.limits[suite]

    def draw(self):
        """The next mutant, so that those that count of a seed are the same for any number of jobs."""
        with self.lock:
            if self.counted + self.building >= self.args.count or \
                    time.monotonic() > self.begun + self.args.seconds:
                return None
            self.building += 1
            return next(self.drawn, None)

    def tried(self, tree, mutant):
        """None if it does not count; else what killed it, or an empty text."""
        file, place = mutant
        with open(f"{tree}/{file}", "w") as f:
            f.write(mutate(open(file).read(), place))
        if run(MAKE, 900, cwd=tree) or (file.startswith("lib/") and objects(tree) == self.objects):
            return None
        for suite in self.args.suites or suites_of(file):
            limit = self.limit(suite)
            status = limit and passes(tree, suite, self.args.part, limit)
            if status:
                return suite + (" (time)" if status == 124 else "")
        return ""

    def work(self, job):
        tree = f"build/mutants/{job}"
        shutil.rmtree(tree, ignore_errors=True)
        subprocess.check_call(["cp", "-a", BASE, tree])
        while True:
            mutant = self.draw()
            if not mutant:
                return
            by = self.tried(tree, mutant)
            with self.lock:
                self.building -= 1
                if by is not None:
                    self.counted += 1
                    self.killed += bool(by)
                    print(f"{'killed by ' + by if by else 'SURVIVED':32}{name_of(*mutant)}", flush=True)
            shutil.copy2(mutant[0], f"{tree}/{mutant[0]}")
            os.utime(f"{tree}/{mutant[0]}")

    def main(self):
        if self.args.list:
            for mutant in itertools.islice(self.drawn, self.args.count):
                print(name_of(*mutant))
            return
        self.base()
        with ThreadPoolExecutor(self.args.jobs) as pool:
            list(pool.map(self.work, range(self.args.jobs)))
        print(f"{self.killed} of {self.counted} mutants killed, seed {self.args.seed}")


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, end)
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("count", type=int)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--jobs", type=int, default=1)
    p.add_argument("--part", default="3/36", help="of the suites that have parts; 0/1 is all of them")
    p.add_argument("--suites", nargs="+", help="these instead of those that look at its file")
    p.add_argument("--seconds", type=float, default=1e9, help="begin no mutant after so many")
    p.add_argument("--only", nargs="+", help="mutants of the seed with this in their names")
    p.add_argument("--list", action="store_true")
    Mutants(p.parse_args()).main()
