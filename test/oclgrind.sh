#!/bin/sh
# SPDX-License-Identifier: MIT
#
# oclgrind.sh CHECK - every kernel variant on small shapes in a simulator that finds accesses out of
# bounds, data races and diverging barriers.  99: it found one; 1: a test failed.
set -u
said=build/oclgrind.said
out=build/oclgrind.out

# Its device has 32 KiB of local memory by default, which is less than some variants need.  It
# exits with the program's status whatever it finds, and starts its --log again with each context:
# its output on stderr, without the compiler's counts of warnings, is the verdict.
unset CLOPT_DEVICE CLOPT_VARIANT CLOPT_QUEUES CLOPT_MEM_LIMIT CLOPT_SLICE CLOPT_VERBOSE
CK_FORK=no CK_RUN_CASE=variants CLOPT_TEST_SMALL=1 CLOPT_TEST_ALL=1 CLOPT_TEST_FENCE=0 \
	oclgrind --data-races --max-errors 20 --local-mem-size 2097152 "$@" 2>&1 >"$out" |
	grep -vE '^[0-9]+ warnings? generated\.$|^$' >"$said"

if [ -s "$said" ]; then
	head -n 200 "$said"
	exit 99
fi
# Check succeeds when no test case has the name.
if ! grep -q '^100%: Checks: [1-9]' "$out"; then
	cat "$out"
	echo "oclgrind: a test failed, or none ran"
	exit 1
fi
echo "oclgrind: no out-of-bounds access, race or diverging barrier in $(sed -n \
	's/.*Checks: \([0-9]*\).*/\1/p' "$out") tests of kernels"
