#!/bin/sh
# SPDX-License-Identifier: MIT
#
# amd.sh CHECK [ROWS] - compile every kernel that AMD's GPUs may try for six of them, without such a GPU, and
# write registers, local memory and occupancy of each to build/amd/registers.md, and what their loops issue
# and the rates predicted from it (issue.py) to build/amd/issue.md.  Fails, and says which, if one does not
# compile, or one that is picked spills registers or takes private memory.  With ROWS, a regular expression
# such as `matmul/mfma', only rows whose names begin so.
#
# The library itself chooses the kernels and their build options: CHECK runs it on a device that
# pretends to be such a GPU (test/choose/amd.c).  CLANG names the compiler, AMD_BITCODE the folder
# with AMD's device library (Debian: clang-19, rocm-device-libs).
set -eu
check=$1
rows=${2-.}
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
			# TeraScale's rows must not spill for the GPU nearest to it.
			case ,$picked,:$1 in
			*,$1,*:* | *,Cypress,*:gfx803) picked=1 ;;
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

# tables TITLE COMMAND...: a page with what the command prints for each target; docs/amd.md tells what it means.
tables() {
	printf '# %s\n\n%s\n' "$1" "$("$CLANG" --version | head -n 1)"
	shift
	for target in $targets; do
		printf '\n## %s\n\n' "$target"
		"$@"
	done
}
registers() { awk -v target="$target" -f test/amd.awk "$work/$target"; }
counts() { test/issue.py "$target" "$work"; }

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
tables 'Registers and occupancy by the compiler: the worst kernel of a row' registers >"$work/registers.md"
tables "What kernels' loops issue, and predicted rates" counts >"$work/issue.md"
echo "amd: $(wc -l <"$work/wanted") kernels for each of $targets; none that is picked spills; $work/registers.md, $work/issue.md"
