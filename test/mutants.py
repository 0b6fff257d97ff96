#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Changes the library at random places, one at a time, and says which changes no test notices.

    test/mutants.py 20 --seed 1

A mutant is an operator, comparison, constant or condition of lib/ROOM/*.c that is another.  It is built in a copy of
this folder, build/mutants; one that does not compile, or compiles to the same object, does not count.  The suites that
look at its room run until one fails.  With --list mutants are printed, not built.
"""
import argparse
import glob
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time

# What follows the quick suites, and a part of random calls and of the walks, which look at all rooms.
SUITES = {
    "api": "arguments context plan_answers plan map",
    "base": "cache cancel context",
    "call": "started buffers cancel several forms evolve tree tree_kept tree_steps map",
    "choose": "tune plan plan_answers transpose",
    "device": "quirks devices probe context",
    "host": "host",
    "kernel": "cache registers retarget map",
    "move": "stream bands map several plan",
    "table": "laws physics points rounding transpose parts",
    "verify": "verify verify_right freivalds",
}
EVERYWHERE = "variants random faults"
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


def run(command, seconds, **more):
    """The exit status; 124 after so many seconds, with its children ended."""
    p = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True, **more)
    try:
        return p.wait(seconds)
    except subprocess.TimeoutExpired:
        os.killpg(p.pid, signal.SIGKILL)
        p.wait()
        return 124


def tests(tree, room):
    """The name of the first suite that fails, or None."""
    quick = dict(os.environ, CK_EXCLUDE_TAGS="walk long", CLOPT_CACHE_DIR="0")
    if run(["build/test/check"], 900, cwd=tree, env=quick):
        return "quick"
    share = dict(os.environ, CLOPT_TEST_SHARE="1", CLOPT_CACHE_DIR="0", CLOPT_TEST_PART="3/36")
    for suite in (SUITES[room] + " " + EVERYWHERE).split():
        if run(["build/test/check"], 900, cwd=tree, env=dict(share, CK_RUN_CASE=suite)):
            return suite
    return None


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("count", type=int)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--list", action="store_true")
    p.add_argument("--seconds", type=float, default=1e9, help="begin no mutant after so many")
    args = p.parse_args()
    drawn = random.Random(args.seed)
    files = sorted(f for f in glob.glob("lib/*/*.c") if f.split("/")[1] in SUITES)
    found = [(f, place) for f in files for place in places(open(f).read())]
    tree, begun = "build/mutants", time.monotonic()
    if not args.list:
        subprocess.check_call(["make", "-s", "build/test/check"])
        shutil.rmtree(tree, ignore_errors=True)
        os.makedirs(tree + "/build")
        subprocess.check_call(["cp", "-a", "Makefile", "lib", "cl", "include", "examples", "test", tree])
        subprocess.check_call(["cp", "-a"] + [f"build/{x}" for x in ("obj", "test", "sources.c", "cases.c", "libclopt.a")] +
                              [tree + "/build"])
    counted = killed = 0
    while counted < args.count and time.monotonic() < begun + args.seconds:
        file, place = drawn.choice(found)
        text = open(file).read()
        line = text.count("\n", 0, place[0]) + 1
        name = f"{file}:{line}: '{text[place[0]:place[1]]}' to '{place[2]}' in: {text.splitlines()[line - 1].strip()}"
        if args.list:
            counted += 1
            print(name)
            continue
        obj = f"{tree}/build/obj/{file[:-2]}.o"
        before = open(obj, "rb").read()
        with open(f"{tree}/{file}", "w") as f:
            f.write(mutate(text, place))
        # Without debug information, which has the columns of operators.
        built = run(["make", "-s", "build/test/check"], 900, cwd=tree) == 0
        if built:
            stripped = []
            for data in before, open(obj, "rb").read():
                with open(tree + "/one.o", "wb") as f:
                    f.write(data)
                subprocess.check_call(["strip", "-g", tree + "/one.o"])
                stripped.append(open(tree + "/one.o", "rb").read())
            built = stripped[0] != stripped[1]
        if built:
            by = tests(tree, file.split("/")[1])
            counted += 1
            killed += by is not None
            print(f"{'killed by ' + by if by else 'SURVIVED':28}{name}", flush=True)
        shutil.copy2(file, f"{tree}/{file}")
        os.utime(f"{tree}/{file}")
        run(["make", "-s", obj[len(tree) + 1:]], 900, cwd=tree)
    if not args.list:
        print(f"{killed} of {counted} mutants killed, seed {args.seed}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
