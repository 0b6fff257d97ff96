#!/bin/bash
# SPDX-License-Identifier: MIT
#
# run.sh CHECK picked|default|second|walk|long|some|joined|SUITE... - suites of tests in one process more at a time than
# there are processors, since some only wait.  A suite is shown by a line as it ends, and by all that
# it said if it failed, which is added to CHECK.failed too.
#
#   picked   the rows that this machine picks, on each shape
#   default  each row of the table, and a thirty-sixth of what else walks and long suites do for rows,
#            but for the suites that may follow the word ("faults|probe"), points, whose calls random
#            makes too, and unlike, whose tests are all long
#   second   the same for a second implementation, with the rows that it picks and every other row
#   walk     the walks whole, in eight parts
#   long     the long suites whole
#            With CLOPT_TEST_HALF=0 or 1 these two have every other row and call; tests that are no
#            loop run in both halves.
#   some     a sixteenth of the walks and the long suites, but for unlike and those that test kernels by
#            ways through the host's code that others take too; the quick ones
#   joined   suites about results, where each context has two devices that share every call; those
#            that count bytes or bands, or plant wrong kernels, are of one
#
# Suites say what they cost (test/frame/suites.h).  The caller runs the quick ones last in one
# process, whose lines end the run.
set -euo pipefail
check=$1
shift
half=${CLOPT_TEST_HALF-}
share=${half:+$half/2}
share=${share:-0/1} # of the long suites
costs() { for cost; do "$check" "$cost"; done; }
in_part() { sed "s|\$| $1|"; } # the suites of stdin
# Those of stdin that take longest come first, so that no processor waits for one of them at the end.
longest_first() {
	local longest=$'tree\nrounding\nverify_right\nselftest\nstream\ncache\ntree_kept\nforms\nseveral\nphysics_ways' all
	all=$(cat)
	grep -xF "$longest" <<<"$all" || true
	grep -vxF "$longest" <<<"$all"
}
of_kernels="unlike|variants|sparse|rounding|verify_right|physics_range|kirkwood"
some_of_all() { costs long walk | grep -vxE "variants|points|unlike|$1" | longest_first | in_part 3/36; }
all_picked() { for part in 0 1 2 3; do echo picked $part/4; done; }
# Of the suites in $1, those parts of eight that belong to the half, if there is one.
eighths() {
	for part in 0 1 2 3 4 5 6 7; do
		if [ -z "$half" ] || [ $((part % 2)) = "$half" ]; then in_part $part/8 <<<"$1"; fi
	done
}
# passes CHECK SUITE PART [COMMAND...]: run by the command, to $log.
passes() {
	share=1
	[[ $quick != *" $2 "* ]] || share=
	CLOPT_TEST_SHARE=$share CK_RUN_CASE=$2 CLOPT_TEST_PART=$3 "${@:4}" "$1" >"$log" 2>&1 &&
		tail -n 1 "$log" | grep -q '^100%: Checks: [1-9]'
}
run() {
	log=$(mktemp)
	# If a test fails in one process with others, or ends or stops it, those in a process each have
	# its name.
	one_process=()
	[[ " ${together-} " != *" $2 "* ]] || one_process=(env CK_FORK=no timeout --foreground 3600)
	if passes "$@" "${one_process[@]}"; then
		part=", part $3"
		sed -n "/: skipped, /p; s|^$2 .* tests|&${part%, part 0/1}|p" "$log"
		rm "$log"
	else
		cat "$log"
		if [ ${#one_process[@]} != 0 ]; then
			echo "$2, part $3, failed in one process; now each test in its own:"
			passes "$@" || true
			cat "$log"
		fi
		{ grep -m 1 'model name' /proc/cpuinfo; cat "$log"; } >>"$1.failed"
		rm "$log"
		exit 255 # xargs begins no more
	fi
}
export -f run passes
# Compiling is most of what tests do, and half of it is PoCL loading its built-in functions, once for a
# context: so the contexts of a process share one of PoCL's (quick suites look at several), and all
# tests of a suite that compiles much have one process.
quick=" $(costs quick | tr '\n' ' ')"
export quick
case $1 in
picked) export together=picked ;;
walk | long | default | second) export together="variants sparse int8 physics_ways rounding slices tree verify_right" ;;
joined) export POCL_DEVICES="pthread pthread" CLOPT_DEVICE="pocl*" CLOPT_SHARE=every ;;
esac
# The parts of a walk are short and come last, so that all processors have work to the end.
case $1 in
default)
	some_of_all "${2-}"
	eighths variants
	;;
second)
	some_of_all "${2-}"
	for part in 0 2 4 6 8 10 12 14; do echo variants $part/16; done
	all_picked
	;;
picked) all_picked ;;
walk) eighths "$(costs walk)" ;;
long) costs long | longest_first | in_part "$share" ;;
some)
	costs walk long | grep -vxE "$of_kernels" | longest_first | in_part 3/16
	costs quick | grep -vxE "$of_kernels" | in_part 0/1
	;;
joined)
	printf '%s\n' arguments cancel evolve forms physics_ways random refused rounding started stream \
		threads transpose | in_part 3/16
	;;
*) printf '%s\n' "$@" | in_part 0/1 ;;
esac | xargs -P $(($(nproc) + 1)) -L 1 bash -c "run $check \$1 \$2" run
