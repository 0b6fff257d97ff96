#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""issue.py TARGET FOLDER - counts what the innermost loops of compiled kernels issue on an AMD GPU, and
predicts rates from it: a table, from FOLDER/rows and FOLDER/TARGET.NNNN.s (see amd.sh).

A unit is a multiply-add of a product, a pair of a sum, or an element of a transpose.  The hot block of
a kernel is the one without branches that does most units in a loop, the cheapest of several; of pairs, whose
loops are there with checks and without, the cheapest of all.  A transpose has no loop: counted are its accesses of the widest
kind, as many as its tile needs.  Each resource is busy for so many clocks of a SIMD for each unit of a
wave; the busiest sets the bound.  Rows that are picked for large problems and slower than another by more
than 5 % go to standard error.
"""
import collections
import os
import re
import sys

# Of a GPU: its name; compute units, SIMDs of one, GHz, GB/s; lanes of a wave; clocks of a wave for an
# instruction in float32, v_fma_f32, a transcendental one, one in float64, a transcendental one in float64; whether the
# transcendental unit works beside the others; bytes a clock of a unit from local memory and from the L1 cache; of
# matrix instructions, by the type of factors, the multiply-adds a clock of a SIMD, and those during which other
# vector instructions cannot issue.
GPU = collections.namedtuple("GPU", "name units simds ghz gbs wave f32 fma trans f64 trans64 beside lds l1 matrix alone", defaults=({}, ()))
GPUS = {
    "gfx803": GPU("Radeon RX 580", 36, 4, 1.340, 256, 64, 4, 16, 16, 64, 256, 0, 128, 64),
    "gfx906": GPU("MI50", 60, 4, 1.725, 1024, 64, 4, 4, 16, 8, 32, 0, 128, 64),
    "gfx90a": GPU("MI210", 104, 4, 1.700, 1638, 64, 4, 4, 16, 4, 16, 0, 128, 64,
                  {"f64": 32, "f32": 32, "f16": 128, "bf16": 128}, ("f64",)),
    "gfx942": GPU("MI300X", 304, 4, 2.100, 5300, 64, 4, 4, 16, 4, 16, 0, 128, 64,
                  {"f64": 32, "f32": 32, "f16": 256, "bf16": 256}, ("f64", "f32")),
    "gfx1100": GPU("RX 7900 XTX", 96, 2, 2.500, 960, 32, 1, 1, 4, 16, 64, 1, 128, 128,
                   {"f16": 128, "bf16": 128}, ("f16", "bf16")),
    "gfx1201": GPU("RX 9070 XT", 64, 2, 2.970, 640, 32, 1, 1, 4, 32, 128, 1, 128, 128,
                   {"f16": 256, "bf16": 256}, ("f16", "bf16")),
}

KINDS = (  # the first that matches
    ("trans64", r"v_(rsq|rcp|sqrt)_f64"),
    ("trans", r"v_(s_)?(rsq|rcp|sqrt|exp|log|sin|cos)_|v_rcp_iflag"),
    ("quarter", r"v_mul_(lo|hi)_|v_mad_[ui]64"),
    ("matrix", r"v_mfma|v_smfma|v_wmma"),
    ("dual", r"v_dual_"),
    ("packed", r"v_pk_\w+_f32"),
    ("f64", r"v_\w+_f64"),
    ("fma", r"v_fma_f32"),
    ("valu", r"v_"),
    ("lds", r"ds_"),
    ("vector", r"global_|flat_|buffer_|scratch_|image_"),
    ("smem", r"s_(load|buffer_load)"),
    ("wait", r"s_(waitcnt|wait_|nop|delay|clause|code_end|set_gpr_idx)"),
    ("salu", r"s_"),
)


JUMP = r"s_c?branch\S*\s+(\.?L\w+)"


def kind(op, kinds=KINDS):
    for name, pattern in kinds:
        if re.match(pattern, op):
            return name
    sys.exit(f"issue.py: no kind of instruction: {op}")


def inner(code, label, jump):
    """The loops, each from where to where: of backward branches, whose label is the group of the pattern
    `jump`; and those of them that have no other loop in them."""
    loops = []
    for at, text in enumerate(code):
        to = re.match(jump, text)
        if to and label.get(to[1], at) < at:
            loops.append((label[to[1]], at + 1))
    return loops, [(a, b) for a, b in loops
                   if not any((c, d) != (a, b) and a <= c and d <= b for c, d in loops)]


def listing(lines):
    """The instructions of a kernel, from the compiler or llvm-objdump --symbolize-operands, "" for a label; and where
    each label is."""
    code, label = [], {}
    started = False
    for line in lines:
        line = re.split(";|//", line)[0].strip()
        m = re.match(r"(\.L\w+):|[0-9a-f]+ <(L\d+)>:", line)
        if re.match(r"run:|[0-9a-f]+ <(?!L\d)\w+>:", line):
            started = True
        elif started and line.startswith((".Lfunc_end", ".section")):
            break
        elif started and m:
            label[m[1] or m[2]] = len(code)
            code.append("")
        elif started and line and not line.startswith(".") and not line.endswith(":"):
            code.append(line)
    return code, label


def read(lines):
    """The instructions of a kernel, its loops, and those without others in them."""
    code, label = listing(lines)
    return code, *inner(code, label, JUMP)


def innermost(path):
    code, _, loops = read(open(path))
    return [[t for t in code[a:b] if t] for a, b in loops]


def blocks(path):
    """What loops do between labels and branches; of a kernel without loops, all."""
    code, loops, _ = read(open(path))
    out = [[]]
    for at, text in enumerate(code):
        inside = not loops or any(a <= at < b for a, b in loops)
        if text and inside:
            out[-1].append(text)
        if not text or not inside or re.match(r"s_c?branch", text):
            out.append([])
    return [b for b in out if b]


def trip(lines, hot_block):
    """What each trip of a loop executes that goes through the block: this block, and those of which it has no way round
    to itself without."""
    code, label = listing(lines)
    starts = sorted({0, *label.values(), *(at + 1 for at, text in enumerate(code) if re.match(JUMP, text))})
    parts = [[t for t in code[a:b] if t] for a, b in zip(starts, starts[1:] + [len(code)])]
    after = []
    for at, part in enumerate(parts):
        jump = part and re.match(JUMP, part[-1])
        ends = part and re.match(r"s_(branch|endpgm)", part[-1])
        after.append(([starts.index(label[jump[1]])] if jump else [])
                     + ([at + 1] if not ends and at + 1 < len(parts) else []))
    here = parts.index(hot_block)

    def comes_back(without):
        seen, ways = {without}, [here]
        while ways:
            for to in after[ways.pop()]:
                if to == here:
                    return True
                if to not in seen:
                    seen.add(to)
                    ways.append(to)
        return False

    return [t for at, part in enumerate(parts) if at == here or not comes_back(at) for t in part]


def words(text):
    """Four-byte words that a lane moves."""
    op = text.split()[0]
    m = re.search(r"_b(8|16|32|64|96|128)$|_dword(?:x([234]))?$|_[ui](8|16)$", op)
    n = int(m[1] or m[3]) / 32 if m and (m[1] or m[3]) else int(m[2] or 1) if m else 1
    return max(n, 1) * (2 if re.match(r"ds_(read|write|load|store)_?2", op) else 1)


def matrix(text):
    """The type of a matrix instruction's factors, and its multiply-adds; None: it is another instruction."""
    m = re.match(r"v_(?:mfma|wmma)_\w+?_(\d+)x(\d+)x(\d+)_?(b?f\d+)", text)
    return m and (m[4], int(m[1]) * int(m[2]) * int(m[3]))


def macs(text):
    if matrix(text):
        return matrix(text)[1] / (64 if text.startswith("v_mfma") else 32)
    if re.match(r"v_pk_fma_f32|v_pk_fmac_f32", text):
        return 2
    if text.startswith("v_dual"):
        return len(re.findall(r"v_dual_fma\w*_f32", text))
    return bool(re.match(r"v_(fma|fmac|mac|mad)\w*_(f32|f64|mix)|v_fma_mix|v_fmaa?k|v_fmamk", text))


def roots(text):
    return bool(re.match(r"v_(s_)?rsq_f(32|64)", text))


def count(block):
    c = collections.Counter(kind(t.split()[0].rstrip(",")) for t in block)
    for t in block:
        k = kind(t.split()[0])
        if k in ("lds", "vector"):
            c[k + " words"] += words(t)
        if k == "matrix":
            of, multiply_adds = matrix(t)
            c["matrix " + of] += multiply_adds
    return c


def clocks(c, g):
    """Clocks for which a wave keeps each resource of its SIMD busy."""
    quick = c["valu"] + c["packed"] + c["dual"]
    slow = g.trans * (c["trans"] + c["quarter"]) + g.trans64 * c["trans64"]
    valu = g.f32 * quick + g.fma * c["fma"] + g.f64 * c["f64"]
    lane_bytes = 4 * g.wave * g.simds
    valu += g.f32 * (c["trans"] + c["quarter"] + c["trans64"]) if g.beside else slow
    return {
        "VALU": valu + g.f32 * c["matrix"],
        "matrix": sum(c["matrix " + of] / rate for of, rate in g.matrix.items())
        + valu * any(c["matrix " + of] for of in g.alone),
        "transcendental": slow if g.beside else 0,
        "LDS": c["lds words"] * lane_bytes / g.lds,
        "L1": c["vector words"] * lane_bytes / g.l1,
        "scalar": g.f32 * c["salu"],
    }


def hot(path, g, unit, per_unit, lanes=1):
    """Counts of the hot block, its units, and its clocks.  Where vectors have several pairs, a block without whole
    vectors is the loop of the sources that are left over, with one of a vector.  Matrix instructions are counted with
    all that a trip of their loop must go through, since reads of their factors may stand in another block."""
    best = None
    for block in innermost(path) if unit is roots else blocks(path):
        n = sum(map(unit, block)) / per_unit
        if not n or n % lanes:
            continue
        c = count(block)
        busy = clocks(c, g)
        cost = max(busy.values()) / n
        key = (cost, -n) if unit is roots else (-n, cost)
        if best is None or key < best[0]:
            best = key, c, n, busy, block
    if best and best[1]["matrix"]:
        whole = trip(open(path), best[4])
        c = count(whole)
        return c, sum(map(unit, whole)) / per_unit, clocks(c, g)
    return best and best[1:4]


def number(options, name, otherwise=0):
    m = re.search(rf"-D{name}=(\d+)", options)
    return int(m[1]) if m else otherwise


def row_units(row, options):
    """What a unit is, how many of its instructions one takes, and how many a vector has."""
    if row.startswith("matmul"):
        return macs, 1, 1
    return roots, 1 + number(options, "FOOT") + number(options, "INSIDE"), number(options, "LANES", 1)


def transpose(path, g, options, items):
    """A transpose's tile: accesses of the widest kind, for an element of each lane."""
    size, whole = number(options, "ELEM_BYTES"), []
    elements = number(options, "OUT0") * number(options, "OUT1") / items
    for block in blocks(path):
        whole += block
    c = collections.Counter()
    for k, pattern in (("vector", r"(global|flat|buffer|image)_(load|store|read|write)"), ("lds", r"ds_")):
        for way in (r"\w*(load|read|sample)", r"\w*(store|write)"):
            of = [words(t) for t in whole if re.match(pattern, t) and re.match(way, t)]
            if of:
                # Elements of less than a word take an instruction each, unless they were packed.
                need = elements * size / 4 / max(of) if max(of) > 1 or size >= 4 else elements
                c[k] += need
                c[k + " words"] += need * max(of)
    return c, elements, clocks(c, g)


def plain(options):
    return not any(number(options, n) for n in ("TA", "TB", "UPLO", "HERMITIAN", "SCALED", "SLICES", "IN_PARTS", "NORMALS"))


HEAD = ("| row | numbers | what | picked | VALU | packed | dual | trans. | matrix | LDS | vector | scalar | s. loads | "
        "LDS bytes | L1 bytes | memory | clocks | bound | predicted |\n" + "|---" * 19 + "|")


def predict(path, g, row, options, items):
    """Counts of the hot block, its units, the busiest resource, its clocks for a unit, bytes of memory
    for a unit, and 10^9 units a second."""
    op = row.split("/")[0]
    size = number(options, "ELEM_BYTES")
    memory = 0
    if op == "transpose":
        c, n, busy = transpose(path, g, options, items)
        memory = 2 * size
    else:
        found = hot(path, g, *row_units(row, options))
        if not found:
            return None
        c, n, busy = found
        if op == "matmul":
            memory = size * (1 / number(options, "OUT0") + 1 / number(options, "OUT1"))
    of = max(busy, key=busy.get)
    rate = g.units * g.simds * g.wave * g.ghz * n / busy[of]
    if op == "transpose" and g.gbs / memory < rate:
        rate, of = g.gbs / memory, "memory"
    return c, n, of, busy.get(of, 0) / n, memory, rate


def said(op, rate, memory):
    if op == "matmul":
        return f"{2 * rate:.0f} GFLOP/s"
    if op == "transpose":
        return f"{rate * memory:.0f} GB/s"
    return f"{rate:.0f}e9 pairs/s"


def main():
    target, folder = sys.argv[1:]
    g, rates, large = GPUS[target], {}, {}
    print(HEAD)
    for line in open(f"{folder}/rows"):
        row, numbers, picked, best, _, file, items, what, options = line.rstrip("\n").split("\t")
        op, items = row.split("/")[0], int(items)
        # A product with a vector is bound by memory, and a group of one work-item is for other devices.
        if items < 64 or "gemv" in row or op not in ("matmul", "transpose", "potential", "nbody"):
            continue
        if not os.path.exists(f"{folder}/{target}.{file[:-3]}.s"):  # amd.sh left it out
            continue
        of_what = number(options, "FOOT") or number(options, "INSIDE")
        if not (plain(options) or of_what) or row in rates.get((op, numbers, what), {}):
            continue
        found = predict(f"{folder}/{target}.{file[:-3]}.s", g, row, options, items)
        if not found:
            continue
        c, n, of, clocks_, memory, rate = found
        rates.setdefault((op, numbers, what), {})[row] = rate
        if target in best.split(","):
            large[op, numbers, what] = row
        each = [(c["valu"] + c["fma"] + c["f64"]) / n, c["packed"] / n, c["dual"] / n, (c["trans"] + c["trans64"] + c["quarter"]) / n]
        each += [c[k] / n for k in ("matrix", "lds", "vector", "salu", "smem")]
        each += [4 * c["lds words"] / n, 4 * c["vector words"] / n, memory, clocks_]
        print(f"| {row} | {numbers} | {what} | {'yes' if target in picked.split(',') else ''} | "
              + " | ".join(f"{x:.3g}" for x in each) + f" | {of} | {said(op, rate, memory)} |")
    for kind_, row in large.items():
        for other, rate in rates[kind_].items():
            if rate > 1.05 * rates[kind_][row]:
                print(f"{target}: {row} is predicted slower than {other} by {100 * (rate / rates[kind_][row] - 1):.0f} %"
                      f" ({', '.join(kind_[1:])})", file=sys.stderr)


if __name__ == "__main__":
    main()
