#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Tests in several processes at a time: shards.sh build/test/check walks|long|some|CASE...  `walks'
# are the cases that go through all of a table, each in eight parts; `long' others that take long;
# `some' is every case, of the walks and of what long ones do for each row one part.  Cases say so
# by their tags.  The output of a process is shown when it has failed, else its last line.
set -euo pipefail
check=$1
shift
walks=$("$check" walk)
long=$("$check" long)
quick=$("$check" quick)
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
# The longest first.
parts() { # CASES PART...
	list=$1
	shift
	for part in "$@"; do
		while read -r c; do
			echo "$c $part"
		done <<<"$list"
	done
}
{
	case $1 in
	walks) parts "$walks" 0/8 1/8 2/8 3/8 4/8 5/8 6/8 7/8 ;;
	long) parts "$long" 0/1 ;;
	some)
		parts "$walks"$'\n'"$long" 3/8
		parts "$quick" 0/1
		;;
	*) printf '%s 0/1\n' "$@" ;;
	esac
} | xargs -P "$(nproc)" -L 1 bash -c "shard $check \$1 \$2" shard
