#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""counts.py - tests of issue.py, which counts what compiled loops issue, on loops written by hand."""
import tempfile
from pathlib import Path

import issue

# The same loop as the compiler writes it and as llvm-objdump does, in another that is not innermost.
COMPILED = """
	.text
run:                                    ; @run
	s_load_dword s3, s[0:1], 0x20
.LBB0_1:                                ; loop
	s_add_i32 s4, s4, 1
	v_add_u32_e32 v9, v9, v8
.LBB0_2:
	ds_read_b128 v[0:3], v9             ; a source
	v_sub_f32_e32 v4, v0, v5
	v_pk_fma_f32 v[6:7], v[4:5], v[4:5], v[6:7]
	v_rsq_f32_e32 v4, v4
	s_cbranch_scc0 .LBB0_2
	s_cbranch_scc1 .LBB0_1
	s_endpgm
.Lfunc_end0:
"""
# The loop of bodies, and one for what is left over, which is cheaper.
TWO_LOOPS = """
run:                                    ; @run
	s_load_dword s3, s[0:1], 0x20
.LBB0_1:
	v_sub_f32_e32 v4, v0, v5
	v_sub_f32_e32 v4, v4, v5
	v_rsq_f32_e32 v4, v4
	s_cbranch_scc0 .LBB0_1
.LBB0_2:
	v_sub_f32_e32 v4, v0, v5
	v_rsq_f32_e32 v4, v4
	s_cbranch_scc0 .LBB0_2
	s_endpgm
.Lfunc_end0:
"""
LISTED = """
pair.hsaco:	file format elf64-amdgpu
Disassembly of section .text:

0000000000000000 <pair>:
	s_load_dword s3, s[0:1], 0x20                              // 000000000008: C00200C0 00000020
0000000000000008 <L0>:
	s_add_i32 s4, s4, 1                                        // 000000000008: 81008100
000000000000000c <L1>:
	ds_read_b128 v[0:3], v9                                    // 00000000000C: D9FE0000
	v_sub_f32_e32 v4, v0, v5                                   // 000000000014: 08080B00
	v_pk_fma_f32 v[6:7], v[4:5], v[4:5], v[6:7]                // 000000000018: D3B04006
	v_rsq_f32_e32 v4, v4                                       // 000000000020: 7E084904
	s_cbranch_scc0 L1                                          // 000000000024: BF84FFFA
	s_cbranch_scc1 L0                                          // 000000000028: BF85FFF8
	s_endpgm                                                   // 00000000002C: BF810000
"""

# A tile is stored, the next may be loaded, factors are read, and those with denormals go round the instruction.
MATRIX = """
run:                                    ; @run
	s_load_dword s3, s[0:1], 0x20
.LBB0_1:
	ds_write_b128 v9, v[0:3]
	s_cbranch_scc1 .LBB0_3
	global_load_dwordx4 v[0:3], v[4:5], off
.LBB0_3:
	ds_read_b128 v[6:9], v9
	s_cbranch_vccnz .LBB0_6
.LBB0_4:
	v_mfma_f32_16x16x16f16 v[10:13], v[6:7], v[8:9], v[10:13]
	s_cbranch_scc0 .LBB0_1
	ds_write_b32 v9, v10
	s_endpgm
.LBB0_6:
	v_mfma_f32_16x16x4f32 v[10:13], v6, v8, v[10:13]
	s_branch .LBB0_4
.Lfunc_end0:
"""


def equal(found, wanted, what):
    if found != wanted:
        raise SystemExit(f"counts.py: {what}: {found}, not {wanted}")


def amd(folder):
    g = issue.GPUS["gfx942"]
    file = folder / "pair.s"
    file.write_text(COMPILED)
    equal([issue.hot(file, g, issue.roots, 1, lanes) and 1 for lanes in (1, 2)], [1, None], "loops with whole vectors")
    file.write_text(TWO_LOOPS)
    equal(issue.hot(file, g, issue.roots, 1, 1)[2]["VALU"], 20, "clocks of the cheapest loop")
    slow, fast = (issue.clocks(issue.count(["v_fma_f32 v1, v2, v3, v4", "v_mac_f32_e32 v1, v2, v3"]), issue.GPUS[t])["VALU"]
                  for t in ("gfx803", "gfx906"))
    equal((slow, fast), (20, 8), "clocks of a fused and a plain multiply-add")
    block = ["v_mfma_f64_16x16x4f64 v[0:7], v[8:9], v[10:11], v[0:7]", "v_add_u32_e32 v1, v2, v3"]
    equal((sum(map(issue.macs, block)), issue.clocks(issue.count(block), g)["matrix"]), (16, 32 + 4),
          "units and clocks of a matrix instruction beside which nothing issues")
    block[0] = "v_mfma_f32_16x16x4f32 v[0:3], v8, v9, v[0:3]"
    busy = issue.clocks(issue.count(block), issue.GPUS["gfx90a"])
    equal((busy["matrix"], busy["VALU"]), (32, 8), "clocks of one beside which others do")
    block[0] = "v_wmma_f32_16x16x16_f16 v[0:7], v[8:15], v[16:23], v[0:7]"
    equal((sum(map(issue.macs, block)), [issue.clocks(issue.count(block), issue.GPUS[t])["matrix"]
                                         for t in ("gfx1100", "gfx1201")]), (128, [33, 17]), "of one of RDNA")
    block[0] = "v_mfma_f32_16x16x16_bf16 v[0:3], v[8:9], v[10:11], v[0:3]"
    equal((sum(map(issue.macs, block)), issue.clocks(issue.count(block), g)["matrix"]), (64, 16), "of one for bfloat16")
    file.write_text(MATRIX)
    c, n, busy = issue.hot(file, issue.GPUS["gfx90a"], issue.macs, 1)
    equal((dict(c), n), ({"lds": 2, "lds words": 8, "salu": 3, "matrix": 1, "matrix f16": 4096}, 64),
          "what no trip with a matrix instruction goes without")
    equal((busy["matrix"], busy["LDS"]), (32, 64), "its clocks")
    for text, what in ((COMPILED, "the compiler's listing"), (LISTED, "llvm-objdump's listing")):
        code, loops, inner = issue.read(text.splitlines())
        equal((len(loops), len(inner)), (2, 1), f"loops of {what}")
        block = [t for t in code[slice(*inner[0])] if t]
        c = issue.count(block)
        equal(dict(c), {"lds": 1, "lds words": 4, "valu": 1, "packed": 1, "trans": 1, "salu": 1}, f"counts of {what}")
        equal((sum(map(issue.roots, block)), sum(map(issue.macs, block))), (1, 2), f"units of {what}")
        equal(issue.clocks(c, g), {"VALU": 24, "matrix": 0, "transcendental": 0, "LDS": 32, "L1": 0, "scalar": 4}, f"clocks of {what}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder_:
        amd(Path(folder_))
