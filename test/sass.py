#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""sass.py compile FOLDER CACHE... - kernels of kept programs of an NVIDIA GPU, as FOLDER/ROW.sass
sass.py compare FOLDER [MEASURED] - counts as issue.py does what their innermost loops issue, predicts rates on an
                           H200, and compares the order with the measured one (docs/amd.md)
sass.py mi300a FOLDER - the same for kernels of others with measured times on an MI300A, from a copy of
                           github.com/sarchlab/mgpusim in FOLDER

The first needs ptxas and nvdisasm, the last llvm-objdump-19.  PTXAS, NVDISASM and OBJDUMP name them.
"""
import collections
import math
import os
import re
import struct
import subprocess
import sys
from pathlib import Path

import issue

HERE = Path(__file__).resolve().parent
CL = HERE.parent / "cl"

# Of a multiprocessor, a clock: 4 schedulers that issue an instruction of a warp of 32 each, 128 lanes in
# float32, 16 of special functions (CUDA C++ Programming Guide, table of arithmetic throughput, compute
# capability 9.0), 128 bytes from local memory or the L1 cache, 4 texels (H100's white paper).
H200 = issue.GPU("H200", 132, 4, 1.980, 4800, 32, 1, 1, 8, 2, 16, 1, 128, 128)
MI300A = issue.GPU("MI300A", 228, 4, 2.100, 5300, 64, 4, 4, 16, 4, 16, 0, 128, 64)

KINDS = (  # the first that matches
    ("wait", r"NOP|BSSY|BSYNC|WARPSYNC|DEPBAR"),
    ("trans", r"MUFU|I2F|F2I|F2F"),
    ("f64", r"D(ADD|MUL|FMA|SETP)"),
    ("lds", r"LDS|STS"),
    ("texture", r"TLD|TEX"),
    ("vector", r"LDG|STG|LD\b|ST\b|RED|ATOM"),
    ("valu", r"[A-Z]"),
)

# The root of a law, and how many a pair has.  No law of these has an exponential in a pair.
ROOTS = {"gravity": ("MUFU.RSQ", 1), "coulomb": ("MUFU.RSQ", 1), "alpb-salt": ("MUFU.SQRT", 2)}
BRANCH = r"(?:@!?U?P\d\s+)?BRA\S*\s+(?:\S+,\s*)*`\((\.L\w+)\)"


def operation(text):
    return re.sub(r"^@!?U?PT?\d?\s+", "", text).split()[0]


def read(path):
    """The instructions of nvdisasm's output, "" for a label; labels; innermost loops."""
    code, label = [], {}
    started = False
    for line in open(path):
        line = re.sub(r"/\*.*?\*/", "", line).strip(" \t\n;")
        m = re.match(r"(\.L\w+):", line)
        if line == "run:":
            started = True
        elif started and line.startswith(".section"):
            break
        elif started and m:
            label[m[1]] = len(code)
            code.append("")
        elif started and line and not line.startswith("."):
            code.append(line)
    return code, label, issue.inner(code, label, BRANCH)[1]


def path_of(code, label, start, end, root):
    """The path through a loop that takes most roots, and of those the longest, without exponentials; and
    its roots."""
    best = {start: {0: []}}  # by place and roots
    for at in range(start, end):
        text = code[at]
        for roots, way in best.get(at, {}).items():
            if "MUFU.EX2" in text:
                continue
            to = re.match(BRANCH, text)
            ahead = to and at < label[to[1]] < end
            after = ([label[to[1]]] if ahead else []) + ([at + 1] if not ahead or text.startswith("@") else [])
            roots, way = roots + (root in text), way + [text] * bool(text)
            for place in after:
                known = best.setdefault(place, {})
                if roots not in known or len(known[roots]) < len(way):
                    known[roots] = way
    found = best.get(end)
    return max(found.items()) if found else (0, [])


def count(block, lines):
    """Instructions by kind.  An access is as many words as it moves lines of 128 bytes for a warp whose lanes
    read `lines` different sources of 16 bytes."""
    c = collections.Counter()
    for text in block:
        op = operation(text)
        k = issue.kind(op, KINDS)
        c[k] += 1
        width = re.search(r"\.(64|128)\b", op)
        words = math.ceil(lines * (int(width[1]) / 8 if width else 4) / 128)
        if k in ("lds", "vector", "texture"):
            c["valu"] += 1  # an issue slot
            c["lds words" if k == "lds" else "vector words"] += 8 if k == "texture" else words
    return c


def hot(path, law, lines):
    """Counts of the cheapest loop, its pairs, and its clocks."""
    root, each = ROOTS[law]
    code, label, loops = read(path)
    best = None
    for start, end in loops:
        roots, block = path_of(code, label, start, end, root)
        if roots:
            c = count(block, lines)
            busy = issue.clocks(c, H200)
            key = max(busy.values()) / roots, -roots
            if best is None or key < best[0]:
                best = key, c, roots / each, busy
    if not best:
        sys.exit(f"sass.py: no loop with {root} in {path}")
    return best[1:]


def ranks(values):
    order = sorted(values)
    return [order.index(v) + (order.count(v) - 1) / 2 for v in values]


def spearman(x, y):
    x, y = ranks(x), ranks(y)
    mean = (len(x) - 1) / 2
    scale = math.sqrt(sum((a - mean) ** 2 for a in x) * sum((b - mean) ** 2 for b in y))
    return sum((a - mean) * (b - mean) for a, b in zip(x, y)) / scale


def compare(folder, measured=HERE / "sass.txt"):
    found = collections.defaultdict(list)
    print("| row | law | targets | slots | special functions | local memory | L1 | clocks | bound | predicted | measured | of it |")
    print("|---" * 12 + "|")
    for line in open(measured):
        if line.startswith("#") or not line.strip():
            continue
        row, law, targets, results, lines, rate = line.split()
        c, n, busy = hot(f"{folder}/{row.replace('/', '.')}.sass", law, int(lines))
        of = max(busy, key=busy.get)
        # The multiprocessor with most groups is the last to end.
        groups = int(targets) / int(results)
        full = groups / H200.units / math.ceil(groups / H200.units)
        predicted = H200.units * H200.simds * H200.wave * H200.ghz * n / busy[of] * full
        rate = float(rate)
        found[law].append((predicted, rate))
        print(f"| {row} | {law} | {targets} | {(c['valu'] + c['trans']) / n:.1f} | {c['trans'] / n:.2g} | "
              f"{c['lds words'] / n:.2g} | {c['vector words'] / n:.2g} | {busy[of] / n:.1f} | {of} | {predicted:.0f} | "
              f"{rate:.0f} | {rate / predicted:.2f} |")
    print()
    for law, pairs in found.items():
        print(f"{law}: {len(pairs)} rows, Spearman's coefficient {spearman(*zip(*pairs)):.2f}")
    for laws in (("gravity", "coulomb"), found):
        pairs = [pair for law in laws for pair in found[law]]
        print(f"{', '.join(laws)}: {len(pairs)} rows, {spearman(*zip(*pairs)):.2f}")


def programs(caches):
    """Kept programs (lib/kernel/binary_cache.c): a header with the lengths of key and binary, and these."""
    for cache in caches:
        for file in sorted(Path(cache).glob("program-*.clopt")):
            data = file.read_bytes()
            key, binary = struct.unpack_from("<QQ", data, 16)
            lines = data[32:32 + key].decode().splitlines()
            row = lines[0].split(" on ")[0]
            if "/" in row:
                yield row, lines[-1], data[32 + key:32 + key + binary].rstrip(b"\0")


def run(*command, **more):
    subprocess.run([str(c) for c in command], check=True, **more)


# Of the problems that rows are compared for.
OPTIONS = {"nbody": {"-DELEM_BYTES=4", "-DPRECISION=0", "-DIN_PARTS=0", "-DOUTPUTS=3", "-DOWN=0"},
           "potential": {"-DELEM_BYTES=4", "-DPRECISION=0", "-DIN_PARTS=0", "-DOUTPUTS=0", "-DINSIDE=0"}}


def compile_(folder, *caches):
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for row, options, text in programs(caches):
        paper, foot = "/paper-" in row, "-DFOOT=1" in options
        # Rows of the paper are compared with salt; those without KS branch on the law.
        if OPTIONS.get(row.split("/")[0], {""}) - set(options.split()) or foot != paper or paper and "-DKS=1" not in options:
            continue
        base = folder / row.replace("/", ".")
        ptx, cubin = base.parent / (base.name + ".ptx"), base.parent / (base.name + ".cubin")
        ptx.write_bytes(text)
        run(os.environ.get("PTXAS", "ptxas"), "-arch=sm_90", "-O3", "-o", cubin, ptx)
        with open(base.parent / (base.name + ".sass"), "w") as out:
            run(os.environ.get("NVDISASM", "nvdisasm"), "-c", cubin, stdout=out)


# Of MGPUSim: code object, the operation that tells its loop, units of a trip by its source, what a unit is, problem,
# units of the problem, work-items, those of a group.
OTHERS = (
    ("amdappsdk/matrixmultiplication/kernels_gfx942.hsaco", "v_pk_fma_f32", 64, "multiply-add",
     "matrixmultiplication,4096x4096x4096", 4096 ** 3, 4096 ** 2 // 16, 64),
    ("amdappsdk/nbody/nbody_gfx942.hsaco", "v_sqrt_f32", 1, "pair", "nbody,131072_particles", 131072 ** 2, 131072, 256),
    ("heteromark/fir/kernels_gfx942.hsaco", "v_fmac_f32", 1, "multiply-add", "fir,262144_taps64", 262144 * 64, 262144, 256),
    ("amdappsdk/simpleconvolution/kernels_gfx942.hsaco", "v_fmac_f32", 1, "multiply-add",
     "simpleconvolution,4096x4096_mask9", 4096 ** 2 * 81, 4096 ** 2, 64),
)


def mi300a(folder):
    times = {}
    for line in open(f"{folder}/gpu_perf_scripts/mi300a.csv"):
        kernel, problem, _, _, least, _ = line.split(",")
        times[f"{kernel},{problem}"] = least
    print("| kernel, problem | clocks of a unit | bound | predicted ms | measured ms | predicted over measured |")
    print("|---" * 6 + "|")
    for file, op, n, unit, problem, units, items, group in OTHERS:
        listing = subprocess.run([os.environ.get("OBJDUMP", "llvm-objdump-19"), "-d", "--symbolize-operands",
                                  f"{folder}/amd/benchmarks/{file}"], check=True, capture_output=True, text=True).stdout
        code, _, loops = issue.read(listing.splitlines())
        block = next(b for b in ([t for t in code[a:b] if t] for a, b in loops) if any(t.startswith(op) for t in b))
        busy = issue.clocks(issue.count(block), MI300A)
        of = max(busy, key=busy.get)
        groups = items / group
        full = groups / MI300A.units / math.ceil(groups / MI300A.units)
        ms = 1e-6 * units * busy[of] / n / (MI300A.units * MI300A.simds * MI300A.wave * MI300A.ghz * full)
        least = float(times[problem])
        print(f"| {problem.replace(',', ', ')} | {busy[of] / n:.3g} a {unit} | {of} | {ms:.3g} | {least:.3g} | {ms / least:.2f} |")
    for n in (4096, 8192, 16384):
        ms, least = 1e-6 * 8 * n * n / MI300A.gbs, float(times[f"matrixtranspose,{n}x{n}"])
        print(f"| matrixtranspose, {n}x{n} | | memory | {ms:.3g} | {least:.3g} | {ms / least:.2f} |")


def main():
    commands = {"compile": compile_, "compare": compare, "mi300a": mi300a}
    if len(sys.argv) < 3 or sys.argv[1] not in commands:
        sys.exit(__doc__)
    try:
        commands[sys.argv[1]](*sys.argv[2:])
    except (OSError, subprocess.CalledProcessError) as e:
        sys.exit(f"sass.py: {e}")


if __name__ == "__main__":
    main()
