#!/bin/bash
# SPDX-License-Identifier: MIT
#
# intel.sh [CHECK] - the tests of make check on Intel's OpenCL for processors, a second implementation
# beside PoCL, and of both in one context.  Its wheels from Python's package index go to build/intel; if they cannot be
# fetched, a line says so, and the script succeeds.  Without CHECK it only fetches them.
set -euo pipefail
to=build/intel
if [ ! -d $to/vendors ]; then
	log=build/intel.log
	rm -rf $to
	if ! { test/deps.sh intel && python3 -m pip install --no-deps --ignore-installed \
		--prefix $to intel-opencl-rt intel-cmplr-lib-rt tbb; } >$log 2>&1; then
		echo "intel: skipped, since its OpenCL cannot be installed: $(tail -n 1 $log)"
		exit
	fi
	library=$(find "$PWD/$to" -name libintelocl.so)
	mkdir $to/vendors
	echo "$library" >$to/vendors/intel.icd
fi
[ $# != 0 ] || exit 0
# Khronos' loader, which lies beside it, hangs where an .icd file is empty.
LD_LIBRARY_PATH=$(dirname "$(find "$PWD/$to" -name libOpenCL.so.1)") CK_RUN_CASE=pick "$1"
export OCL_ICD_VENDORS=$PWD/$to/vendors
# It compiles anew in each process, unless its binaries are kept.
export CLOPT_TEST_BUILT=$PWD/$to/built
mkdir -p $to/built
echo "probe: skipped, since its drivers are the tests' own and PoCL"
# These pretend to have other devices, or look at arguments alone.
test/run.sh "$1" second "probe|amd|nvidia|quirks|registers|retarget|arguments|refused"
CK_EXCLUDE_TAGS="walk long picked" "$1"
CK_RUN_CASE=int8 "$1" # has the bits of PoCL
programs=$(dirname "$1")/../examples
test/gem.py "$programs" Potentials
test/nbody.py "$programs" Motion
# Both in one process.
unset CLOPT_TEST_BUILT
pocl=/etc/OpenCL/vendors/pocl.icd
if [ -f $pocl ]; then
	mkdir -p $to/both
	cp $to/vendors/intel.icd $pocl $to/both
	for devices in 'intel*+pocl*' 'pocl*+intel*'; do
		OCL_ICD_VENDORS=$PWD/$to/both CLOPT_DEVICE=$devices CK_RUN_CASE=unlike "$1"
	done
else
	echo "unlike: skipped for Intel beside PoCL, since there is no $pocl"
fi
