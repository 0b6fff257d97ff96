#!/bin/sh
# SPDX-License-Identifier: MIT
#
# amd.sh CHECK REGISTERS COUNTS [ROWS] - compile every kernel that AMD's GPUs may try for six of them, without
# such a GPU, and write registers, local memory and occupancy of each to the file REGISTERS, and what
# their loops issue and the rates predicted from it (issue.py) to the file COUNTS.  Fails, and says
# which, if one does not compile, or one that is picked spills registers or takes private memory.
# With ROWS, a regular expression such as `matmul/mfma', only rows whose names begin so are compiled, and the
# files keep the lines of the others (merge.py).
#
# The library itself chooses the kernels and their build options: CHECK runs it on a device that
# pretends to be such a GPU (test/choose/amd.c).  CLANG names the compiler, AMD_BITCODE the folder
# with AMD's device library (Debian: clang-19, rocm-device-libs).
set -eu
check=$1
registers=$2
counts=$3
rows=${4-.}
CLANG=${CLANG:-clang-19}
AMD_BITCODE=${AMD_BITCODE:-/usr/lib/$(uname -m)-linux-gnu/amdgcn/bitcode}
work=build/amd
tab=$(printf '\t')

# Debian's device library lacks three of the GPUs.  Their files would have only a constant, the GPU's
# number, so the file of the nearest GPU serves.
library() {
	mkdir "$work/lib"
	ln -s "$AMD_BITCODE"/*.bc "$work/lib"
	for lent in 942:940 1100:1036 1201:1036; do
		to=$work/lib/oclc_isa_version_${lent%:*}.bc
		[ -e "$to" ] || ln -s "$AMD_BITCODE/oclc_isa_version_${lent#*:}.bc" "$to"
	done
}

# assemble TARGET FILE OPTIONS: to build/amd/TARGET.FILE.s.
assemble() {
	# shellcheck disable=SC2086 # One word for each option.
	"$CLANG" -x cl $3 -Xclang -finclude-default-header -O3 -Werror -Wno-pass-failed \
		--target=amdgcn-amd-amdhsa -mcpu="$1" --rocm-device-lib-path="$work/lib" \
		-S -o "$work/$1.${2%.cl}.s" "$work/$2" 2>"$work/$1.log"
}

# measure TARGET: a line for each kernel, as input of amd.awk; the compiler's errors go to
# build/amd/failed.
measure() {
	while IFS=$tab read -r row numbers picked _ images file items _ options; do
		# A group of one work-item is for other devices.
		[ "$items" = 1 ] && continue
		# gfx942 cannot read images, and no such row is picked for it; clang would compile the
		# reads to nothing.
		[ "$images$1" = 1gfx942 ] && continue
		# Elsewhere these rows do without the instructions that they are for, and are not tried.
		case $row:$1 in
		matmul/mfma*:gfx90a | matmul/mfma*:gfx942 | matmul/wmma-*:gfx1100 | matmul/wmma12*:gfx1201) ;;
		matmul/mfma* | matmul/wmma*) continue ;;
		esac
		if ! assemble "$1" "$file" "$options"; then
			{ echo "$row for $1 does not compile with $options:" && cat "$work/$1.log"; } >>"$work/failed"
		else
			# TeraScale's rows must not spill either.
			case ,$picked, in
			*,$1,* | *,Cypress,*) picked=1 ;;
			*) picked=0 ;;
			esac
			awk -v head="$row $numbers $picked $items" '
				/^ *\.vgpr_count:/ { vgprs = $2 }
				/^ *\.sgpr_count:/ { sgprs = $2 }
				/^ *\.vgpr_spill_count:/ { spilled += $2 } # SGPRs go to lanes of VGPRs
				/^ *\.private_segment_fixed_size:/ { spilled += $2 }
				/^ *\.group_segment_fixed_size:/ { lds = $2 }
				/^ *\.wavefront_size:/ { wave = $2 }
				END { print head, vgprs, sgprs, spilled, lds, wave }' "$work/$1.${file%.cl}.s"
		fi
	done <"$work/wanted"
}

registers_text() {
	cat <<-'END'
		<!-- SPDX-License-Identifier: MIT -->
		# Registers and occupancy on AMD's GPUs

		Written by `make amd-table`, which compiles each kernel that AMD's GPUs may try for six of
		them: gfx803 (GCN 3 and 4: R9 Nano, RX 580), gfx906 (GCN 5: Radeon VII, MI50), gfx90a (CDNA 2:
		MI210 to MI250X), gfx942 (CDNA 3: MI300), gfx1100 (RDNA 3: RX 7900) and gfx1201 (RDNA 4: RX
		9070). No such GPU was at hand: these are a compiler's numbers and not measurements. What the
		kernels' loops issue is in [amd-issue.md](amd-issue.md); what is known in [amd.md](amd.md). A
		row appears once for each kind of number, with the worst of its kernels, which differ in what is
		transposed, or in what is asked for.

		*Picked*: for some problem it is the first choice there, or on TeraScale. Such a row must not
		spill, or `make amd-table` fails. The others are tried when a driver cannot build those before them.

		*Spilled*: registers that went to memory, and private bytes; SGPRs that went to lanes of a VGPR do
		not count. *Local*: bytes of local memory (LDS)
		of a group. *Waves*: how many each SIMD holds at once, by

		<!-- not run: a formula -->
		    groups = the least of   int(4 w / waves of a group)
		                            int(local memory of four SIMDs / that of the group, in steps of 512 bytes)
		                            16 or 32, if a group has more than one wave
		    w      = the least of   int(VGPRs of a SIMD / those of the kernel, rounded up)
		                            int(800 / SGPRs of the kernel, in steps of 16), but on RDNA
		                            most waves of a SIMD
		    waves  = groups * waves of a group / 4

		| | wave | VGPRs of a SIMD | given out by | most waves | local memory of four SIMDs | groups |
		|---|---|---|---|---|---|---|
		| gfx803, gfx906 | 64 | 256 | 4 | 10 | 64 KiB (a compute unit) | 16 |
		| gfx90a, gfx942 | 64 | 512 | 8 | 8 | 64 KiB (a compute unit) | 16 |
		| gfx1100, gfx1201 | 32 | 1536 | 24 | 16 | 128 KiB (a work-group processor) | 32 |

		Sources: AMD's instruction set architecture guides (GCN 3, Vega 7 nm, CDNA 2, CDNA 3, RDNA 3) for the
		sizes of register files and local memory; LLVM's AMDGPUBaseInfo.cpp, which is what the compiler
		goes by, for the steps in which they are given out. Its own "Occupancy", which does not ask that
		a group be there as a whole, is the same or one wave more.

		The rows that read images, and `vec4` and `vec`, are for the VLIW lanes of TeraScale. No compiler
		for it that knows images is at hand; here they show that they compile and fit. CDNA 3 cannot
		read images.
	END
	printf '\nCompiler: %s.\n' "$("$CLANG" --version | head -n 1)"
	for target in $targets; do
		printf '\n## %s\n\n' "$target"
		awk -v target="$target" -f test/amd.awk "$work/$target"
	done
}

counts_text() {
	cat <<-'END'
		<!-- SPDX-License-Identifier: MIT -->
		# What kernels issue on AMD's GPUs

		Written by `make amd-table` from the same compiled kernels as
		[amd-registers.md](amd-registers.md): instructions of the innermost loop for each multiply-add of a
		product, pair of a sum, or element of a transpose, and the rate that the busiest resource allows.
		With *matrix* instructions, counted is all that no trip of the loop goes without.
		No such GPU was at hand. The rates are *predicted*: bounds that the counts set for a large problem,
		not measurements. [amd.md](amd.md) says what they are worth.

		*VALU*: vector instructions, float64 included, but for *packed* ones (two floats a lane), *dual* ones
		(two in one), *trans*cendental ones (roots, exponentials, and products of 32-bit integers), and *matrix* instructions.
		*LDS*: accesses to local memory. *Vector*, *s. loads*: to memory, by lanes and by waves. *LDS
		bytes*, *L1 bytes*, *memory*: of a lane; `memory` is what a tile cannot avoid. *Clocks*: of a SIMD, for which
		a wave keeps the busiest resource, the *bound*.

		| | as | compute units, GHz, GB/s | clocks: float32, its fma, trans., float64, its roots | LDS, L1 bytes a clock | matrix: multiply-adds a clock of a SIMD |
		|---|---|---|---|---|---|
		| gfx803 | RX 580 | 36, 1.340, 256 | 4, 16, 16, 64, 256 | 128, 64 | |
		| gfx906 | MI50 | 60, 1.725, 1024 | 4, 4, 16, 8, 32 | 128, 64 | |
		| gfx90a | MI210 | 104, 1.700, 1638 | 4, 4, 16, 4, 16 | 128, 64 | float64 32, float32 32, half and bfloat16 128 |
		| gfx942 | MI300X | 304, 2.100, 5300 | 4, 4, 16, 4, 16 | 128, 64 | float64 32, float32 32, half and bfloat16 256 |
		| gfx1100 | RX 7900 XTX | 96, 2.500, 960 | 1, 1, 4, 16, 64 | 128, 128 | half and bfloat16 128 |
		| gfx1201 | RX 9070 XT | 64, 2.970, 640 | 1, 1, 4, 32, 128 | 128, 128 | half and bfloat16 256 |

		Clocks are those of a wave: of 64 lanes on GCN and CDNA, of 32 on RDNA, whose transcendental unit works
		beside the others. Matrix instructions leave the issue of vector instructions free but for float64, on
		gfx942 also float32, on RDNA all. Source: the vendor's instruction set guides, for matrix instructions its matrix
		instruction calculator; for the GPUs' clocks and bandwidths [amd.md](amd.md) has it.
	END
	printf '\nCompiler: %s.\n' "$("$CLANG" --version | head -n 1)"
	for target in $targets; do
		printf '\n## %s\n\n' "$target"
		test/issue.py "$target" "$work"
	done
}

rm -rf "$work"
mkdir -p "$work"
library
CLOPT_TEST_AMD=$work CK_RUN_CASE=amd "$check" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
grep -E "^($rows)" "$work/rows" >"$work/wanted" || { echo "amd: no row begins with $rows"; exit 1; }
targets='gfx803 gfx906 gfx90a gfx942 gfx1100 gfx1201'
measuring=
for target in $targets; do
	measure "$target" >"$work/$target" &
	measuring="$measuring $!"
done
for process in $measuring; do
	wait "$process"
done
for target in $targets; do
	awk -v target="$target" '$3 && $7 { print $1 " for " target " spills in " $2 }' \
		"$work/$target" >>"$work/failed"
done
if [ -s "$work/failed" ]; then
	cat "$work/failed"
	exit 1
fi
registers_text >"$work/registers"
counts_text >"$work/counts"
test/merge.py "$rows" "$work" registers "$registers"
test/merge.py "$rows" "$work" counts "$counts"
echo "amd: $(wc -l <"$work/wanted") kernels for each of $targets; none that is picked spills; $registers, $counts"
