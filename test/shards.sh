#!/bin/bash
# SPDX-License-Identifier: MIT
#
# All tests, several processes at a time: shards.sh build/test/check.  For checks that take long;
# the output of a process is shown when it has failed, else its last line.
set -euo pipefail
check=$1
cd "$(dirname "$0")"
cases=$(sed -n 's/.*tcase_create("\(.*\)").*/\1/p' ./*.c)
cd ..
shard() {
	log=$(mktemp)
	if CK_RUN_CASE=$2 CLOPT_TEST_PART=$3 "$1" >"$log" 2>&1 && tail -n 1 "$log" | grep -q '^100%: Checks: [1-9]'; then
		printf '%s %s %s\n' "$2" "$3" "$(tail -n 1 "$log")"
		rm "$log"
	else
		cat "$log"
		rm "$log"
		exit 255 # xargs begins no more
	fi
}
export -f shard
{
	for part in 0/8 1/8 2/8 3/8 4/8 5/8 6/8 7/8; do
		echo variants $part
		echo bands $part
		echo sparse $part
	done
	for c in $cases; do
		case $c in
		variants | bands | sparse) ;;
		*) echo "$c" 0/1 ;;
		esac
	done
} | xargs -P "$(nproc)" -L 1 bash -c "shard $check \$1 \$2" shard
