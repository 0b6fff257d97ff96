#!/bin/bash
# SPDX-License-Identifier: MIT
#
# rusticl.sh CHECK [SUITE...] - suites on Mesa's Rusticl, which computes on processors by llvmpipe: each one, or those
# named; of walks and long suites PART=3/36.  It takes what is installed, or the library that RUSTICL names.
#
# llvmpipe is slow: a suite has SECONDS_EACH=300 s.  Suites that fail, or do not end, are shown and listed at the end, and
# the others run nevertheless.
set -euo pipefail
check=$1
shift
to=$PWD/build/rusticl
mkdir -p "$to/vendors"
echo "${RUSTICL:-libRusticlOpenCL.so.1}" >"$to/vendors/rusticl.icd"
export OCL_ICD_VENDORS=$to/vendors RUSTICL_ENABLE=llvmpipe
# Many tests compare with results in double, which Rusticl has on llvmpipe only if asked.
export RUSTICL_FEATURES=fp64
log=$(mktemp)
trap 'rm -f "$log"' EXIT
quick=" $("$check" quick | tr '\n' ' ')"
if [ $# = 0 ]; then
	echo "probe: skipped, since its drivers are the tests' own and PoCL"
	# shellcheck disable=SC2046 # One word for each suite.
	set -- $(for cost in quick long walk; do "$check" $cost; done | grep -vx probe)
fi
bad=
for suite; do
	part=${PART:-3/36}
	share=1
	[[ $quick != *" $suite "* ]] || { part=0/1 share=; }
	for part in "$part" 0/1; do # a short walk has nothing in some parts
		status=0
		CLOPT_TEST_SHARE=$share CLOPT_CACHE_DIR=0 CLOPT_TEST_PART=$part CK_RUN_CASE=$suite \
			timeout -k 5 "${SECONDS_EACH:-300}" "$check" >"$log" 2>&1 || status=$?
		tail -n 1 "$log" | grep -q '^100%: Checks: 0' || break
	done
	if [ "$status" = 0 ] && tail -n 1 "$log" | grep -q '^100%: Checks: [1-9]'; then
		sed -n "/: skipped, /p; /lacks local memory/p; s|^$suite .* tests|&, part $part|p" "$log" | uniq
	else
		[[ $status != @(124|137) ]] || echo "$suite: not ended" # 137: it took a SIGKILL
		cat "$log"
		bad+=" $suite"
	fi
done
if [ -n "$bad" ]; then
	echo "rusticl: failed:$bad"
	exit 1
fi
