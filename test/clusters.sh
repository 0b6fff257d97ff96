#!/bin/bash
# SPDX-License-Identifier: MIT
#
# clusters.sh [PROGRAM...] - Debian's distributed programs on BLAS, on four ranks of Open MPI, with and without
# libclopt-blas.so under them at threshold 0: as many tests pass, none fails, and calls were served.  Programs:
# spb3tst dpb3tst xdlu xdllt xdqr xdls xdsep (scalapack-mpi-test), dsimpletest (mumps-test), hpcc.  An hour of
# two cores.
set -euo pipefail
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_btl_vader_single_copy_mechanism=none POCL_MAX_PTHREAD_COUNT=1
drop_in=$PWD/build/libclopt-blas.so
programs=/usr/lib/$(${CC:-cc} -print-multiarch)/scalapack/openmpi-tests
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad() {
	echo "clusters: $*"
	exit 1
}
[ $# -gt 0 ] || set -- spb3tst dpb3tst xdlu xdllt xdqr xdls xdsep dsimpletest hpcc

# run PROGRAM [OPTION...]: its output; stderr to $work/err.
run() {
	local name=$1 ranks=4
	shift
	case $name in
	*tst) cd "$work/scalapack/PBLAS" && set -- "$@" "./$name" ;;
	x*) cd "$work/scalapack" && set -- "$@" "./$name" ;;
	*simpletest) ranks=2 && set -- "$@" "/usr/lib/mumps/$name" ;;
	hpcc) cd "$work" && rm -f hpccoutf.txt && set -- "$@" hpcc ;;
	esac
	if [ "$name" = dsimpletest ]; then
		mpirun.openmpi -np $ranks "$@" </usr/lib/mumps/input_simpletest_real 2>"$work/err"
	else
		mpirun.openmpi -np $ranks "$@" 2>"$work/err"
	fi
	[ "$name" != hpcc ] || cat "$work/hpccoutf.txt"
}
# What programs say of each test.
passed() { grep -cE 'PASSED|SUCCESS|[Ss]olution is' "$1" || :; }
failed() { grep -E 'FAILED|[^0]+ failed|\*\*\*.*(wrong|Error)' "$1" | grep -vE ' 0 tests? *(completed and )?failed|: *0 *$' || :; }

if [ -d "$programs" ]; then
	cp -rL "$programs" "$work/scalapack"
	# The input files of its links are elsewhere.
	(cd /usr/share/scalapack && cp -- *.dat "$work/scalapack" && cp PBLAS/*.dat "$work/scalapack/PBLAS")
fi
cp /usr/share/doc/hpcc/examples/_hpccinf.txt "$work/hpccinf.txt" 2>/dev/null || :
for name; do
	seconds=$SECONDS
	run "$name" >"$work/without" || bad "$name fails without libclopt-blas: $(tail -n 3 "$work/err")"
	run "$name" -x "LD_PRELOAD=$drop_in" -x CLOPT_BLAS_THRESHOLD=0 -x CLOPT_VERBOSE=1 >"$work/with" ||
		bad "$name fails: $(tail -n 3 "$work/err")"
	served=$(sed -n 's/^clopt-blas: \([0-9]*\) calls served.*/\1/p' "$work/err" | awk '{ n += $1 } END { print n + 0 }')
	# Some tests of eigenvalues are lost by a hair, now and then, with any BLAS.
	[ "$(passed "$work/with")" -ge "$(passed "$work/without")" ] || bad "$name: $(passed "$work/with") pass, $(passed "$work/without") without"
	[ "$(passed "$work/with")" -gt 0 ] || bad "$name says nothing of tests"
	[ "$(failed "$work/with" | wc -l)" -le "$(failed "$work/without" | wc -l)" ] || bad "$name: $(failed "$work/with" | head -n 3)"
	[ "$served" -gt 0 ] || bad "$name: no call was served"
	echo "clusters: $name: $(passed "$work/with") passed, $(passed "$work/without") without, $served calls served, $((SECONDS - seconds)) s"
done
