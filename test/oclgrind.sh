#!/bin/sh
# SPDX-License-Identifier: MIT
#
# oclgrind.sh CHECK - every kernel variant on small shapes in a simulator that sees accesses out of
# bounds, data races and diverging barriers.  99: it saw one; else the status of CHECK.
set -u
log=build/oclgrind.log
out=build/oclgrind.out

# Its device has 32 KiB of local memory unless told otherwise, which is less than some variants
# want.  It exits with the program's status whatever it saw: a log that is not empty is the verdict.
unset CLOPT_DEVICE CLOPT_VARIANT CLOPT_QUEUES CLOPT_MEM_LIMIT CLOPT_VERBOSE
CK_FORK=no CK_RUN_CASE=variants CLOPT_TEST_SMALL=1 \
	oclgrind --data-races --max-errors 20 --local-mem-size 2097152 --log "$log" "$@" >"$out" 2>&1
status=$?

if [ -s "$log" ]; then
	cat "$log"
	status=99
elif [ $status -ne 0 ]; then
	cat "$out"
# Check is content when no test case has the name.
elif ! grep -q 'Checks: [1-9]' "$out"; then
	cat "$out"
	echo "oclgrind: no test ran"
	status=1
else
	echo "oclgrind: no out-of-bounds access, race or diverging barrier in $(sed -n \
		's/.*Checks: \([0-9]*\).*/\1/p' "$out") tests of kernels"
fi
exit $status
