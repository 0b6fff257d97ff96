#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""terascale.py [FOLDER] - compiles the rows of GEM's paper (cl/pair/paper.cl) for its GPU, AMD's Evergreen of 2009, and
counts clauses and how full the VLIW groups of their loops are: the table of docs/amd.md.  With FOLDER, where make amd-table
left the programs (build/amd), the same of the rows that the library has for such a GPU and of their rivals.

CLANG names the compiler (clang-19), CYPRESS libclc's library (Debian: libclc-15, libclc-19).
"""
import collections
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import issue

CL = Path(__file__).resolve().parent.parent / "cl"
PARTS = ("common.clh", "pair/real.clh", "pair/target.clh", "pair/alpb.clh", "pair/sum.clh", "pair/paper.cl")

# ALPB with salt in float32, as clopt bench gem --ablation measures it.
PROBLEM = ("-cl-std=CL1.2 -DELEM_BYTES=4 -DTYPE=0 -DTA=0 -DTB=0 -DUPLO=0 -DHERMITIAN=0 -DSCALED=0 -DPRECISION=0 -DOUTPUTS=0 "
           "-DNORMALS=1 -DDEPTHS=0 -DSLICES=0 -DIN_PARTS=0 -DSOFTENED=0 -DOWN=0 -DFOOT=1 -DINSIDE=0 -DFAR=0 -DWG1=1 -DOUT1=1")

# The compiler knows no images; a texel is a fetch of 16 bytes as well.
IMAGES = """#define __read_only __global const
#define image1d_buffer_t uint4 *
#define image2d_t uint4 *
#define sampler_t int
#define ARGUMENT_4(a, b, c, d, ...) d
#define read_imageui(...) ARGUMENT_4(__VA_ARGS__, TEXEL_OF_ROW, TEXEL, 0)(__VA_ARGS__)
#define TEXEL(image, i) ((image)[i])
#define TEXEL_OF_ROW(image, sampler, at) ((image)[(at).y * 4096 + (at).x])
"""

# Rows for the VLIW lanes, and those of scalar lanes that would serve in their place.
LIBRARY = ("matmul/image-8x8", "matmul/image-4x4", "matmul/vec4-4x4", "matmul/tile-16x16", "matmul/plain",
           "potential/image-4", "potential/vec-4", "potential/split-32x8", "potential/reg-256x2", "potential/tile-256", "potential/plain",
           "nbody/image-4", "nbody/vec-4", "nbody/split-32x8", "nbody/reg-256x2", "nbody/tile-256", "nbody/plain")
CLOCK, UNITS = 0.85, 20 * 16  # of an HD 5870: GHz, and lanes of its SIMDs
PATIENCE = 60  # seconds for a kernel


def compile_(folder, text, options):
    """The listing; nothing if the compiler takes too long."""
    source, listing = folder / "row.cl", folder / "row.s"
    source.write_text(IMAGES + text)
    library = os.environ.get("CYPRESS", "/usr/lib/clc/cypress-r600--.bc")
    try:
        subprocess.run([os.environ.get("CLANG", "clang-19"), "-x", "cl", *options.split(), "-Xclang", "-finclude-default-header",
                        "-O3", "-w", "--target=r600--", "-mcpu=cypress", "-Xclang", "-mlink-builtin-bitcode", "-Xclang", library,
                        "-S", "-o", listing, source], check=True, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return None
    return listing.read_text().splitlines()


def read(lines):
    """The control flow of a listing, and its clauses by their address."""
    flow, clauses, clause = [], {}, None
    started = False
    for line in lines:
        line = line.partition(";")[0].strip()
        begin = re.match(r"(?:ALU|Fetch) clause starting at (\d+):", line)
        if line.startswith("run:"):
            started = True
        elif started and line.startswith((".Lfunc_end", ".section")):
            break
        elif begin:
            clause = clauses.setdefault(int(begin[1]), [])
        elif started and re.match(r"[A-Z]", line):
            (flow if clause is None else clause).append(line)
    return flow, clauses


def loops(flow):
    """The loops that have no other in them: what is between their ends."""
    found, begin = [], None
    for at, line in enumerate(flow):
        if line.startswith("LOOP_START"):
            begin = at
        elif line.startswith("END_LOOP") and begin is not None:
            found.append(flow[begin + 1:at])
            begin = None
    return found


def count(flow, clauses):
    """Of a piece of control flow: clauses, fetches, stores, operations and the groups that they are packed in.  The last
    operation of a group has a star; a fifth lane, for functions and products of integers, is any of it."""
    c = collections.Counter()
    for line in flow:
        at = re.search(r"@(\d+)", line)
        if line.startswith("ALU"):
            c["ALU clauses"] += 1
            for op in clauses[int(at[1])]:
                c["operations"] += 1
                c["roots"] += "RECIPSQRT" in op
                c["groups"] += "*" in op.split()[:2]
        elif line.startswith(("TEX", "VTX")):
            c["fetch clauses"] += 1
            c["fetches"] += len(clauses[int(at[1])])
        elif line.startswith("MEM_RAT"):
            c["stores"] += 1
    return c


def paper():
    rows = re.findall(r'PAPER\("([^"]+)",\s*"([^"]+)",\s*(\d+)', (CL.parent / "lib/table/pair.c").read_text())
    if len(rows) < 20:
        sys.exit("terascale.py: the rows of lib/table/pair.c were not found")
    print("| row | pairs of a trip | operations of a pair | groups | of 5 lanes | ALU clauses | fetch clauses | fetches | stores |")
    print("|---" * 9 + "|")
    text = "".join((CL / f).read_text() for f in PARTS)
    with tempfile.TemporaryDirectory() as folder:
        for name, options, group in rows:
            if "-DKS=1" not in options:
                continue  # its loop has the code of all laws
            flow, clauses = read(compile_(Path(folder), text, f"{PROBLEM} {options} -DWG0={group} -DOUT0={group}"))
            lanes = int(re.search(r"LANES=(\d)", options)[1])
            # The loop of whole vectors, not that of the rest: most operations.
            c = max((count(part, clauses) for part in loops(flow)), key=lambda c: c["operations"])
            of = [c[k] / lanes for k in ("ALU clauses", "fetch clauses", "fetches", "stores")]
            print(f"| {name} | {lanes} | {c['operations'] / lanes:.0f} | {c['groups'] / lanes:.0f} | "
                  f"{c['operations'] / c['groups']:.2f} | " + " | ".join(f"{x:.3g}" for x in of) + " |")


def hot(listing, row, options):
    """Counts of the loop that does most, and its units; of sums, whose loops are there with checks and without, the one
    that takes least for a pair."""
    flow, clauses = read(listing)
    counts = [count(part, clauses) for part in loops(flow)]
    if row.startswith("matmul"):
        # A trip: one term of k for each element, four in blocks of 4 x 4, a tile's depth where it is in local memory.
        depth = 4 if "IMAGES" in options else issue.number(options, "WG0") if "tile" in row else 1
        items = issue.number(options, "WG0") * issue.number(options, "WG1")
        n = depth * issue.number(options, "OUT0") * issue.number(options, "OUT1") / items
        return max(counts, key=lambda c: c["operations"]), n
    _, roots, lanes, _ = issue.row_units(row, options)
    whole = [(c, c["roots"] / roots) for c in counts if c["roots"] and c["roots"] / roots % lanes == 0]
    return min(whole, key=lambda of: of[0]["groups"] / of[1])


def library(folder):
    print("| row | what | operations | groups | of 5 lanes | ALU clauses | fetch clauses | fetches | 10^9 a second |")
    print("|---" * 9 + "|")
    rows = [line.rstrip("\n").split("\t") for line in open(folder / "rows")]
    with tempfile.TemporaryDirectory() as work:
        for name, what, file, options in sorted(((r[0], r[7], r[5], r[8]) for r in rows if r[1] == "float32" and r[0] in LIBRARY),
                                                key=lambda r: (r[0].split("/")[0], r[1], LIBRARY.index(r[0]))):
            if not (issue.plain(options) or "NORMALS=1" in options and "FOOT=1" in options) or re.search("IN_PARTS=1|OWN=1", options):
                continue
            listing = compile_(Path(work), (folder / file).read_text(), options)
            if not listing:
                print(f"| {name} | {what} | not compiled in {PATIENCE} s | | | | | | |")
                continue
            c, n = hot(listing, name, options)
            of = [c[k] / n for k in ("ALU clauses", "fetch clauses", "fetches")]
            print(f"| {name} | {what} | {c['operations'] / n:.3g} | {c['groups'] / n:.3g} | {c['operations'] / c['groups']:.2f} | "
                  + " | ".join(f"{x:.3g}" for x in of) + f" | {CLOCK * UNITS * n / c['groups']:.3g} |", flush=True)


def main():
    if len(sys.argv) > 1:
        library(Path(sys.argv[1]))
    else:
        paper()


if __name__ == "__main__":
    main()
