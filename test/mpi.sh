#!/bin/bash
# SPDX-License-Identifier: MIT
#
# mpi.sh - libclopt-mpi under each MPI that is there: what several ranks compute has the bits of one, and
# no rank waits for one that failed or was killed.  CLOPT_TEST_ALL=1: one to four ranks; else two.
set -euo pipefail
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
# Containers refuse what Open MPI would copy with.
export OMPI_MCA_btl_vader_single_copy_mechanism=none
export POCL_MAX_PTHREAD_COUNT=1
kinds=
for kind in openmpi mpich; do
	! command -v "mpicc.$kind" >/dev/null || kinds+=" .$kind"
done
if [ -z "$kinds" ]; then
	command -v mpicc >/dev/null || { echo 'mpi: skipped, no mpicc'; exit 0; }
	kinds=-
fi
for kind in $kinds; do
	kind=${kind#-}
	folder=build/mpi$kind
	${MAKE:-make} --no-print-directory -s mpi "MPICC=mpicc$kind" "MPI=$folder"
	"mpicc$kind" -g -Wall -Wextra -Iinclude -o "$folder/test" test/mpi/mpi.c -L"$folder" -lclopt-mpi \
		-Lbuild -lclopt -Wl,-rpath,"$PWD/$folder:$PWD/build"
	for ranks in $([ "${CLOPT_TEST_ALL-}" = 1 ] && echo 1 2 3 4 || echo 2); do
		timeout 300 "mpirun$kind" -np "$ranks" "$folder/test"
	done
	seconds=$SECONDS
	! timeout 60 "mpirun$kind" -np 3 "$folder/test" kill >"$folder/killed" 2>&1 || { echo "mpi: a killed rank is no failure"; exit 1; }
	[ $((SECONDS - seconds)) -lt 60 ] || { echo "mpi: others wait for a killed rank"; exit 1; }
	echo "mpi: $("mpirun$kind" --version | head -n 1): passed"
done
