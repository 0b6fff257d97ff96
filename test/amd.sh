#!/bin/sh
# SPDX-License-Identifier: MIT
#
# amd.sh CHECK FILE - compile every kernel that AMD's GPUs may try for four of them, without such a
# GPU, and write registers, local memory and occupancy of each to FILE.  Fails, and says which, if
# one does not compile, or one that is picked spills registers or takes private memory.
#
# The library itself chooses the kernels and their build options: CHECK runs it on a device that
# pretends to be such a GPU (test/choose/amd.c).  CLANG names the compiler, AMD_BITCODE the folder
# with AMD's device library (Debian: clang-19, rocm-device-libs).
set -eu
check=$1
table=$2
CLANG=${CLANG:-clang-19}
AMD_BITCODE=${AMD_BITCODE:-/usr/lib/$(uname -m)-linux-gnu/amdgcn/bitcode}
work=build/amd
tab=$(printf '\t')

# Debian's device library lacks two of the GPUs.  Their files would have only a constant, the GPU's
# number, so the file of the nearest GPU serves.
library() {
	mkdir "$work/lib"
	ln -s "$AMD_BITCODE"/*.bc "$work/lib"
	for lent in 942:940 1100:1036; do
		to=$work/lib/oclc_isa_version_${lent%:*}.bc
		[ -e "$to" ] || ln -s "$AMD_BITCODE/oclc_isa_version_${lent#*:}.bc" "$to"
	done
}

# assemble TARGET FILE OPTIONS: to build/amd/out.s.
assemble() {
	# shellcheck disable=SC2086 # One word for each option.
	"$CLANG" -x cl $3 -Xclang -finclude-default-header -O3 -Werror \
		--target=amdgcn-amd-amdhsa -mcpu="$1" --rocm-device-lib-path="$work/lib" \
		-S -o "$work/out.s" "$work/$2" 2>"$work/log"
}

# measure TARGET: a line for each kernel, as input of amd.awk; the compiler's errors go to
# build/amd/failed.
measure() {
	while IFS=$tab read -r row numbers picked images file items options; do
		# gfx942 cannot read images, and no such row is picked for it; clang would compile the
		# reads to nothing.
		[ "$images$1" = 1gfx942 ] && continue
		if ! assemble "$1" "$file" "$options"; then
			{ echo "$row for $1 does not compile with $options:" && cat "$work/log"; } >>"$work/failed"
		else
			awk -v head="$row $numbers $picked $items" '
				/^ *\.vgpr_count:/ { vgprs = $2 }
				/^ *\.sgpr_count:/ { sgprs = $2 }
				/^ *\.[sv]gpr_spill_count:/ { spilled += $2 }
				/^ *\.private_segment_fixed_size:/ { spilled += $2 }
				/^ *\.group_segment_fixed_size:/ { lds = $2 }
				/^ *\.wavefront_size:/ { wave = $2 }
				END { print head, vgprs, sgprs, spilled, lds, wave }' "$work/out.s"
		fi
	done <"$work/rows"
}

text() {
	cat <<-'END'
		<!-- SPDX-License-Identifier: MIT -->
		# Registers and occupancy on AMD's GPUs

		Written by `make amd-table`, which compiles each kernel that AMD's GPUs may try for four of
		them: gfx906 (GCN 5: Radeon VII, MI50), gfx90a (CDNA 2: MI210 to MI250X), gfx942 (CDNA 3: MI300)
		and gfx1100 (RDNA 3: RX 7900). No such GPU was at hand: these are a compiler's numbers and not
		measurements. A row appears once for each kind of number, with the worst of its kernels, which
		differ in what is transposed, or in what is asked for.

		*Picked*: for some problem it is the first choice. Such a row must not spill, or `make amd-table`
		fails. The others are tried when a driver cannot build those before them.

		*Spilled*: registers that went to memory, and private bytes. *Local*: bytes of local memory (LDS)
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
		| gfx906 | 64 | 256 | 4 | 10 | 64 KiB (a compute unit) | 16 |
		| gfx90a, gfx942 | 64 | 512 | 8 | 8 | 64 KiB (a compute unit) | 16 |
		| gfx1100 | 32 | 1536 | 24 | 16 | 128 KiB (a work-group processor) | 32 |

		Sources: AMD's instruction set architecture guides (Vega 7 nm, CDNA 2, CDNA 3, RDNA 3) for the
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

rm -rf "$work"
mkdir -p "$work"
library
CLOPT_TEST_AMD=$work CK_RUN_CASE=amd "$check" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
targets='gfx906 gfx90a gfx942 gfx1100'
for target in $targets; do
	measure "$target" >"$work/$target"
	awk -v target="$target" '$3 && $7 { print $1 " for " target " spills in " $2 }' \
		"$work/$target" >>"$work/failed"
done
if [ -s "$work/failed" ]; then
	cat "$work/failed"
	exit 1
fi
text >"$table"
echo "amd: $(wc -l <"$work/rows") kernels for each of $targets; none that is picked spills; $table"
