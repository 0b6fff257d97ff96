#!/bin/bash
# SPDX-License-Identifier: MIT
#
# masked.sh CHECK LAYER [MASK...] - suites that compare results, on a device that seems to lack something: images,
# double, large work-groups, local memory, large buffers, queues out of order; all of them (`all`).
# Without a mask: each of these.  PART=1/6 of each suite; SUITES='map buffers' for some.
set -euo pipefail
check=$1
layer=$(realpath "$2")
shift 2
[ $# != 0 ] || set -- no-images no-fp64 group=64 local=16384 buffer=16777216 in-order all
log=$(mktemp)
trap 'rm -f "$log"' EXIT
for mask; do
	words=${mask/#all/no-images,no-fp64,group=64,local=16384,buffer=16777216,in-order}
	for suite in ${SUITES:-variants random physics_ways points map buffers}; do
		if ! OPENCL_LAYERS=$layer CLOPT_LAYER=$words CLOPT_TEST_SHARE=1 CLOPT_CACHE_DIR=0 \
			CLOPT_TEST_PART=${PART:-1/6} CK_RUN_CASE=$suite "$check" >"$log" 2>&1 ||
			! tail -n 1 "$log" | grep -q '^100%: Checks: [1-9]'; then
			cat "$log"
			echo "masked: $suite failed with $mask"
			exit 1
		fi
		sed -n "s|^$suite .* tests|&, $mask|p" "$log"
	done
	if [ -z "${SUITES-}" ]; then
		OPENCL_LAYERS=$layer CLOPT_LAYER=$words CLOPT_CACHE_DIR=0 \
			test/gem.py "$(dirname "$check")/../examples" Potentials >"$log" 2>&1 || {
			cat "$log"
			echo "masked: clopt-gem failed with $mask"
			exit 1
		}
		echo "clopt-gem: potentials, $mask"
	fi
done
