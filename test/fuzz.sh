#!/bin/bash
# SPDX-License-Identifier: MIT
#
# fuzz.sh FUZZER SECONDS FOLDER [TARGET...] - each target of test/fuzz for so many seconds, as many at once as there
# are processors, from the inputs of test/fuzz/data and those that FOLDER keeps of earlier runs.  Prints a line for
# each: the inputs tried and those kept.  An input that fails stays in FOLDER, and its name is printed.
set -euo pipefail
export fuzzer=$1 seconds=$2 folder=$3
shift 3
[ $# != 0 ] || set -- test/fuzz/data/*
export LSAN_OPTIONS=suppressions=test/lsan.supp:print_suppressions=0
export UBSAN_OPTIONS=print_stacktrace=1
run() {
	target=${1##*/}
	mkdir -p "$folder/$target" "$folder/failed"
	leaks=1
	case $target in
	records | settings | variants | map) leaks=0 ;; # drivers keep memory for themselves
	esac
	if FUZZ_TARGET=$target ASAN_OPTIONS=use_sigaltstack=0:detect_leaks=$leaks "$fuzzer" \
		-max_total_time="$seconds" -max_len=4096 -timeout=60 -detect_leaks=$leaks \
		-artifact_prefix="$folder/failed/$target-" -print_final_stats=1 "$folder/$target" \
		"test/fuzz/data/$target" >"$folder/$target.log" 2>&1; then
		printf '%-10s %9d inputs, %5d kept\n' "$target" \
			"$(sed -n 's/^stat::number_of_executed_units: *//p' "$folder/$target.log")" \
			"$(find "$folder/$target" -type f | wc -l)"
	else
		tail -n 40 "$folder/$target.log"
		exit 255 # xargs begins no more
	fi
}
export -f run
printf '%s\n' "$@" | xargs -P "$(nproc)" -I TARGET bash -c "run TARGET"
