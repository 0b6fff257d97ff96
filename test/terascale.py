#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""terascale.py - compiles the rows of GEM's paper (cl/pair/paper.cl) for its GPU, AMD's Evergreen of 2009, and counts
clauses and how full the VLIW groups of their loops are: the table of docs/amd.md.

CLANG names the compiler (clang-19), CYPRESS libclc's library (Debian: libclc-15, libclc-19).
"""
import collections
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

CL = Path(__file__).resolve().parent.parent / "cl"
PARTS = ("common.clh", "pair/real.clh", "pair/target.clh", "pair/alpb.clh", "pair/sum.clh", "pair/paper.cl")

# ALPB with salt in float32, as clopt bench gem --ablation measures it.
PROBLEM = ("-cl-std=CL1.2 -DELEM_BYTES=4 -DTYPE=0 -DTA=0 -DTB=0 -DUPLO=0 -DHERMITIAN=0 -DSCALED=0 -DPRECISION=0 -DOUTPUTS=0 "
           "-DNORMALS=1 -DDEPTHS=0 -DSLICES=0 -DIN_PARTS=0 -DSOFTENED=0 -DOWN=0 -DFOOT=1 -DINSIDE=0 -DFAR=0 -DWG1=1 -DOUT1=1")

# The compiler knows no images; a texel is a fetch of 16 bytes as well.
IMAGES = "#define __read_only __global const\n#define image1d_buffer_t uint4 *\n#define read_imageui(image, i) ((image)[i])\n"


def compile_(folder, options, group):
    source, listing = folder / "row.cl", folder / "row.s"
    source.write_text(IMAGES + "".join((CL / f).read_text() for f in PARTS))
    library = os.environ.get("CYPRESS", "/usr/lib/clc/cypress-r600--.bc")
    subprocess.run([os.environ.get("CLANG", "clang-19"), "-x", "cl", *PROBLEM.split(), *options.split(), f"-DWG0={group}",
                    f"-DOUT0={group}", "-Xclang", "-finclude-default-header", "-O3", "-w", "--target=r600--", "-mcpu=cypress",
                    "-Xclang", "-mlink-builtin-bitcode", "-Xclang", library, "-S", "-o", listing, source], check=True)
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
                c["groups"] += "*" in op.split()[:2]
        elif line.startswith(("TEX", "VTX")):
            c["fetch clauses"] += 1
            c["fetches"] += len(clauses[int(at[1])])
        elif line.startswith("MEM_RAT"):
            c["stores"] += 1
    return c


def main():
    rows = re.findall(r'PAPER\("([^"]+)",\s*"([^"]+)",\s*(\d+)', (CL.parent / "lib/table/pair.c").read_text())
    if len(rows) < 20:
        sys.exit("terascale.py: the rows of lib/table/pair.c were not found")
    print("| row | pairs of a trip | operations of a pair | groups | of 5 lanes | ALU clauses | fetch clauses | fetches | stores |")
    print("|---" * 9 + "|")
    with tempfile.TemporaryDirectory() as folder:
        for name, options, group in rows:
            if "-DKS=1" not in options:
                continue  # its loop has the code of all laws
            flow, clauses = read(compile_(Path(folder), options, group))
            lanes = int(re.search(r"LANES=(\d)", options)[1])
            # The loop of whole vectors, not that of the rest: most operations.
            c = max((count(part, clauses) for part in loops(flow)), key=lambda c: c["operations"])
            of = [c[k] / lanes for k in ("ALU clauses", "fetch clauses", "fetches", "stores")]
            print(f"| {name} | {lanes} | {c['operations'] / lanes:.0f} | {c['groups'] / lanes:.0f} | "
                  f"{c['operations'] / c['groups']:.2f} | " + " | ".join(f"{x:.3g}" for x in of) + " |")


if __name__ == "__main__":
    main()
