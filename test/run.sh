#!/bin/bash
# SPDX-License-Identifier: MIT
#
# run.sh CHECK default|walk|long|some|SUITE... - suites of tests in one process more at a time than
# there are processors, since some only wait.  A suite is shown by a line as it ends, and by all that
# it said if it failed.
#
#   default  each row of the table, and an eighth of what else walks and long suites do for rows,
#            but for the suite that may follow the word
#   walk     the walks whole, in eight parts
#   long     the long suites whole
#   some     an eighth of the walks and the long suites; the quick ones
#
# Suites say what they cost (test/frame/suites.h).  The caller runs the quick ones last in one
# process, whose lines end the run.
set -euo pipefail
check=$1
shift
costs() { for cost; do "$check" "$cost"; done; }
in_part() { sed "s|\$| $1|"; } # the suites of stdin
eighths() { for part in 0 1 2 3 4 5 6 7; do in_part $part/8 <<<"$1"; done; }
run() {
	log=$(mktemp)
	if CK_RUN_CASE=$2 CLOPT_TEST_PART=$3 "$1" >"$log" 2>&1 && tail -n 1 "$log" | grep -q '^100%: Checks: [1-9]'; then
		part=", part $3"
		sed -n "/: skipped, /p; s|^$2 .* tests|&${part%, part 0/1}|p" "$log"
		rm "$log"
	else
		cat "$log"
		rm "$log"
		exit 255 # xargs begins no more
	fi
}
export -f run
case $1 in
default)
	eighths variants
	costs long walk | grep -vxE "variants|${2-}" | in_part 3/8
	;;
walk) eighths "$(costs walk)" ;;
long) costs long | in_part 0/1 ;;
some)
	costs walk long | in_part 3/8
	costs quick | in_part 0/1
	;;
*) printf '%s\n' "$@" | in_part 0/1 ;;
esac | xargs -P $(($(nproc) + 1)) -L 1 bash -c "run $check \$1 \$2" run
