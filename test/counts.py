#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""counts.py - tests of issue.py, sass.py and terascale.py, which count what compiled loops issue, on loops written by
hand, and of merge.py."""
import math
import tempfile
from pathlib import Path

import issue
import merge
import sass
import terascale

# Two pairs a trip; the branch to .L_x_3 is round a block with an exponential, that to .L_x_4 round one without.
SASS = """
.text.run:
        .type           run,@function
run:
        /*0000*/                   MOV R1, c[0x0][0x28] ;
.L_x_1:
        /*0010*/                   LDS.128 R4, [R2+0x10] ;  /* 0x0000100002047984 */
        /*0020*/                   TLD.LZ R12, R10, R10, UR6, 0x0, 1D ;
        /*0030*/               @P1 LDG.E.64 R8, desc[UR8][R2.64] ;
        /*0040*/              @!P0 BRA `(.L_x_3) ;
        /*0050*/                   MUFU.EX2 R9, R9 ;
        /*0060*/                   MUFU.RSQ R9, R9 ;
.L_x_3:
        /*0070*/              @!P2 BRA `(.L_x_4) ;
        /*0080*/                   FMUL R5, R5, R6 ;
.L_x_4:
        /*0090*/                   MUFU.RSQ R6, R5 ;
        /*00a0*/              @!P2 MUFU.RSQ R7, R4 ;
        /*00b0*/                   FFMA R8, R6, R7, R8 ;
        /*00c0*/               @P3 BRA `(.L_x_1) ;
        /*00d0*/                   EXIT ;
.L_x_5:
        /*00e0*/                   BRA `(.L_x_5) ;
        .section .nv.constant0.run
        /*0000*/                   MUFU.RSQ R6, R5 ;
"""

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

# Two groups of operations, one full, in one of two clauses, and a loop in another.
EVERGREEN = """
run:                                    ; @run
	ALU 1, @20, KC0[CB0:0-32], KC1[]
	LOOP_START_DX10 @9
	ALU 3, @22, KC0[], KC1[]
	LOOP_START_DX10 @8
	ALU 3, @24, KC0[], KC1[]
	TEX 1 @12
	ALU_PUSH_BEFORE 1, @34, KC0[], KC1[]
	MEM_RAT_CACHELESS STORE_RAW T7.X, T8.X, 0
	END_LOOP @4
	END_LOOP @2
	CF_END
	Fetch clause starting at 12:
	  VTX_READ_128 T5.XYZW, T1.X, 0, #1
	  VTX_READ_32 T4.X, T1.X, 0, #1
	ALU clause starting at 20:
	  MOV * T1.W, literal.x,
	ALU clause starting at 22:
	  MOV * T1.W, literal.x,
	ALU clause starting at 24:
	  MUL_IEEE   T0.X, T1.X, T1.X,
	  MUL_IEEE   T0.Y, T1.Y, T1.Y,
	  MUL_IEEE   T0.Z, T1.Z, T1.Z,
	  ADD   T0.W, T1.W, literal.x,
	  RECIPSQRT_IEEE * T0.W, T1.W,
	1065353216(1.000000e+00), -1082130432(-1.000000e+00)
	ALU clause starting at 34:
	  PRED_SETE_INT * ExecMask,PredicateBit (MASKED), T3.W, 0.0,
.Lfunc_end0:
	MOV * T1.W, literal.x,
"""


def equal(found, wanted, what):
    if found != wanted:
        raise SystemExit(f"counts.py: {what}: {found}, not {wanted}")


def nvidia(folder):
    file = folder / "pair.sass"
    file.write_text(SASS)
    c, pairs, busy = sass.hot(file, "gravity", 1)
    equal(pairs, 2, "pairs of the loop, along the longest path without exponentials")
    wanted = {"valu": 5 + 3, "trans": 2, "lds": 1, "lds words": 1, "texture": 1, "vector": 1, "vector words": 8 + 1}
    equal(dict(c), wanted, "instructions of that path, all lanes at one source")
    equal(busy, {"VALU": 10, "matrix": 0, "transcendental": 16, "LDS": 4, "L1": 36, "scalar": 0}, "clocks of a scheduler")
    c, _, _ = sass.hot(file, "gravity", 32)
    equal((c["lds words"], c["vector words"]), (4, 8 + 2), "words where each lane reads its own source")
    equal(sass.spearman([1, 2, 3, 4, 5], [10, 20, 30, 50, 40]), 0.9, "Spearman's coefficient")
    equal(sass.spearman([1, 2, 3], [3, 2, 1]), -1, "that of the reverse order")
    equal(round(sass.spearman([1, 1, 2], [5, 6, 7]), 6), round(math.sqrt(3) / 2, 6), "that of equals")


def amd(folder):
    g = issue.GPUS["gfx942"]
    file = folder / "pair.s"
    file.write_text(COMPILED)
    equal([issue.hot(file, g, issue.roots, 1, lanes) and 1 for lanes in (1, 2)], [1, None], "loops with whole vectors")
    equal(issue.around(file, g, 1, 8), 0.5, "clocks of a tile for each of its pairs")
    equal([issue.unit_clocks(group, bodies) for group in ((8, 1, 2.5), (64, 0.25, 80)) for bodies in (8, 33, 257)],
          [2.5, 12.5, 82.5, 80, 80, 160], "clocks of a compute unit by whole groups of four waves, and of one")
    file.write_text(TWO_LOOPS)
    equal(issue.around(file, g, 1, 8), 0, "those of a loop that is in no other")
    equal([issue.hot(file, g, issue.roots, 1, 1, first)[2]["VALU"] for first in (False, True)], [20, 24],
          "clocks of the cheapest loop, and of the first")
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


def evergreen():
    flow, clauses = terascale.read(EVERGREEN.splitlines())
    found = terascale.loops(flow)
    equal(len(found), 1, "innermost loops of Evergreen")
    wanted = {"ALU clauses": 2, "operations": 6, "roots": 1, "groups": 2, "fetch clauses": 1, "fetches": 2, "stores": 1}
    equal(dict(terascale.count(found[0], clauses)), wanted, "its clauses and groups")
    _, pairs = terascale.hot(EVERGREEN.splitlines(), "potential/vec-1", "-DFOOT=0 -DINSIDE=0 -DLANES=1")
    _, terms = terascale.hot(EVERGREEN.splitlines(), "matmul/vec4", "-DWG0=16 -DWG1=4 -DOUT0=64 -DOUT1=16 -DIMAGES=0")
    equal((pairs, terms), (1, 64), "pairs and multiply-adds of a trip")


def merged(folder):
    table = "text {}\n## gfx906\n| row | numbers | picked |\n|---|---|---|\n{}"
    (folder / "rows").write_text("".join(f"matmul/{row}\tfloat32\t\t\t\t\t\t-\t\n" for row in "abc"))
    (folder / "new").write_text(table.format(2, "| matmul/a | float32 | yes |\n"))
    old = folder / "old"
    old.write_text(table.format(1, "".join(f"| matmul/{row} | float32 |  |\n" for row in "dcba")))
    merge.merge("matmul/[ab]", folder, "new", old)
    equal(old.read_text(), table.format(2, "| matmul/a | float32 | yes |\n| matmul/c | float32 |  |\n"),
          "a table with a new line, one that stays, one that was not made again, and one of a row that is gone")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder_:
        nvidia(Path(folder_))
        amd(Path(folder_))
        merged(Path(folder_))
    evergreen()
