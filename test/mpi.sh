#!/bin/bash
# SPDX-License-Identifier: MIT
#
# mpi.sh - libclopt-mpi under each MPI that is there: what several ranks compute has the bits of one, and
# no rank waits for one that failed or was killed; and the examples in Python.  Without CLOPT_TEST_ALL=1 two
# ranks of one MPI.
set -euo pipefail
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
# Containers refuse what Open MPI would copy with.
export OMPI_MCA_btl_vader_single_copy_mechanism=none
export POCL_MAX_PTHREAD_COUNT=1
kinds=
for kind in openmpi mpich; do
	! echo '#include <mpi.h>' | "mpicc.$kind" -E -x c - >/dev/null 2>&1 || kinds+=" .$kind"
done
if [ -z "$kinds" ]; then
	echo '#include <mpi.h>' | mpicc -E -x c - >/dev/null 2>&1 ||
		{ echo 'mpi: skipped, no mpicc with its headers'; exit 0; }
	kinds=-
fi
[ "${CLOPT_TEST_ALL-}" = 1 ] || kinds=${kinds%% .mpich}
bad() {
	echo "mpi: $*"
	exit 1
}
# programs RANKS: their files are those of one process without MPI.
hermite="--n 2000 --steps $([ "${CLOPT_TEST_ALL-}" = 1 ] && echo 50 || echo 20) --every 7 --integrator hermite --quiet"
programs() {
	# shellcheck disable=SC2086 # One word for each option.
	timeout 900 "mpirun$kind" -np "$1" "$folder/nbody" --mpi $hermite --out "$folder/bodies" --snapshots "$folder/at-" || bad "nbody fails"
	cmp "$folder/bodies" build/mpi-bodies
	for snapshot in build/mpi-at-*; do
		cmp "$folder/${snapshot#build/mpi-}" "$snapshot"
	done
	timeout 900 "mpirun$kind" -np "$1" "$folder/clopt-gem" --mpi --quiet --csv "$folder/csv" "$molecule" || bad "clopt-gem fails"
	cmp "$folder/csv" build/mpi-csv
}
# ticks PROGRAM: the time of processors that its two or more processes have taken so far; none: they are not there.
ticks() {
	local exe
	for exe in /proc/[0-9]*/exe; do
		[ ! "$exe" -ef "$1" ] || cat "${exe%exe}stat" 2>/dev/null || :
	done | awk '{ n += $14 + $15 } END { print NR < 2 ? "none" : n }'
}
molecule=examples/data/1a0q.pqr
build/examples/clopt-gem --quiet --csv build/mpi-csv "$molecule"
# shellcheck disable=SC2086
build/examples/nbody $hermite --out build/mpi-bodies --snapshots build/mpi-at-
for kind in $kinds; do
	kind=${kind#-}
	folder=build/mpi$kind
	${MAKE:-make} --no-print-directory -s run-mpi "MPICC=mpicc$kind" "MPI=$folder"
	"mpicc$kind" -g -Wall -Wextra -Iinclude -o "$folder/test" test/mpi/mpi.c -L"$folder" -lclopt-mpi \
		-Lbuild -lclopt -Wl,-rpath,"$PWD/$folder:$PWD/build"
	# The library's own code is the same under each MPI.
	case ${CLOPT_TEST_ALL-}$kind in
	1 | 1.openmpi) some='1 2 3 4' ;;
	1.*) some='1 3' ;;
	*) some=2 ;;
	esac
	for ranks in $some; do
		timeout 900 "mpirun$kind" -np "$ranks" "$folder/test"
		programs "$ranks"
	done
	# Failures of rank 0 end the others too.
	! timeout 300 "mpirun$kind" -np 3 "$folder/nbody" --mpi --in /nowhere >"$folder/log" 2>&1 || bad "a file that is not there is no failure"
	grep -q '/nowhere' "$folder/log" || bad "$(cat "$folder/log")"
	# Open MPI 4.1 calls it a success if all ranks end with the same status at once.
	timeout 300 "mpirun$kind" -np 2 "$folder/nbody" --mpi --what >"$folder/log" 2>&1 || [ $? -ne 124 ] || bad "--what hangs"
	timeout 300 "mpirun$kind" -np 2 "$folder/nbody" --mp --n 9 >"$folder/log2" 2>&1 || [ $? -ne 124 ] || bad "--mp hangs"
	grep -q 'in full' "$folder/log2" || bad "--mp: $(cat "$folder/log2")"
	grep -q "option '--what'" "$folder/log" || bad "$(cat "$folder/log")"
	# While rank 0 waits for its input, nobody takes a processor.
	rm -f build/mpi-input.pqr
	mkfifo build/mpi-input.pqr
	exec 3<>build/mpi-input.pqr
	timeout 300 "mpirun$kind" -np 2 "$folder/clopt-gem" --mpi --quiet --csv "$folder/csv" build/mpi-input.pqr 3>&- &
	sleep 2
	for ((i = 0; i < 60; i++)); do
		before=$(ticks "$folder/clopt-gem")
		sleep 1
		after=$(ticks "$folder/clopt-gem")
		[ "$before" = none ] || [ "$after" = none ] ||
			[ $((after - before)) -ge $(($(getconf CLK_TCK) / 10)) ] || break
	done
	cat "$molecule" >&3
	exec 3>&-
	wait $! || bad "clopt-gem fails on a pipe"
	[ "$i" -lt 60 ] || bad "ranks that wait keep a processor busy"
	cmp "$folder/csv" build/mpi-csv
	seconds=$SECONDS
	! timeout 300 "mpirun$kind" -np 3 "$folder/test" kill >"$folder/killed" 2>&1 || bad "a killed rank is no failure"
	grep -qiE 'killed|signal' "$folder/killed" || bad "not by the signal: $(cat "$folder/killed")"
	[ $((SECONDS - seconds)) -lt 300 ] || bad "others wait for a killed rank"
	echo "mpi: $("mpirun$kind" --version | head -n 1): passed"
done
[ "${CLOPT_TEST_ALL-}" = 1 ] || exit 0
# Debian's mpi4py is Open MPI's.
python=/usr/bin/python3
export PYTHONPATH=build/python PYTHONDONTWRITEBYTECODE=1 LD_LIBRARY_PATH=build
if command -v mpirun.openmpi >/dev/null && "$python" -c 'import mpi4py, numpy' 2>/dev/null; then
	timeout 900 mpirun.openmpi -np 3 "$python" examples/mpi_potential.py
else
	echo 'mpi: skipped with Python, since there is no mpi4py or NumPy'
fi
if "$python" -c 'import distributed, numpy' 2>/dev/null; then
	timeout 900 "$python" examples/dask_frames.py
else
	echo 'mpi: skipped with Dask, since there is no distributed or NumPy'
fi
