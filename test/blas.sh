#!/bin/bash
# SPDX-License-Identifier: MIT
#
# blas.sh DROP_IN - the drop-in for BLAS under Debian's tests of BLAS, in front of whatever BLAS is
# installed and in its place; under each of its names; the calls that it passes on; under NumPy and
# SciPy, Debian's and those of Python's package index.
set -euo pipefail
test/deps.sh blas >build/blas.log || tail -n 4 build/blas.log
drop_in=$PWD/$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
unset CLOPT_DEVICE CLOPT_QUEUES CLOPT_MEM_LIMIT CLOPT_VERBOSE CLOPT_BLAS_NEXT CLOPT_BLAS_THRESHOLD \
	CLOPT_BLAS_CHECK CLOPT_BLAS_FLOAT64 LD_PRELOAD
export CLOPT_CACHE_DIR=$folder/cache
# Each kind of product is a kernel; these compile fast, and kernels are tested elsewhere.
export CLOPT_VARIANT=matmul/plain,transpose/plain CLOPT_CHECK=off
bad() {
	echo "blas: $*"
	exit 1
}

# Threads as programs have them.  Without another BLAS each call is served, or the process ends.
${CC:-cc} -o "$folder/thread" -rdynamic test/blas/thread.c "$drop_in" -Wl,-rpath,"${drop_in%/*}" -lm -ldl -lpthread
threads() {
	local said
	said=$(CLOPT_BLAS_THRESHOLD=0 CLOPT_SMALL=device "$folder/thread" "${@:2}" 2>&1) || true
	[ "$said" = "drivers, $1 served, 0 passed on" ] || bad "thread ${*:2}: $said"
}
threads 2 cancelled
threads 6 stack
threads 2 coroutine
threads 2 environment
threads 2 environment traps
echo "blas: threads that are cancelled, have little stack, or an environment of their own"

# random BLAS CHECK CALLS: that many random calls with CLOPT_BLAS_CHECK=CHECK; what the program and the
# drop-in's last line say.
${CC:-cc} -o "$folder/random" test/blas/random_calls.c -ldl -lm
${CC:-cc} -shared -fPIC -o "$folder/wrong.so" test/blas/wrong.c -ldl
# OpenBLAS 0.3.21 gives NaN for small products without terms by its kernels for AVX-512.
core=()
! grep -q avx512f /proc/cpuinfo || core=(OPENBLAS_CORETYPE=Haswell)
random() {
	env "${core[@]}" MKL_THREADING_LAYER=SEQUENTIAL CLOPT_BLAS_CHECK="$2" LD_PRELOAD="$drop_in:$1" "$folder/random" "${@:3}" \
		>"$folder/out" 2>"$folder/said" || bad "random calls of $1: $? $(cat "$folder/out" "$folder/said")"
	sed -n '$p' "$folder/out"; sed -n '$s/.*served, //p' "$folder/said"
}
# Right libraries are right, whatever the numbers are; each wrong element of a wrong one is seen, and
# put right if it is asked for.
for library in libblas.so.3 libopenblas.so.0 libblis.so.4 libmkl_rt.so.3; do
	LD_PRELOAD=$library /bin/true 2>&1 | grep -q . && continue
	random "$library" 1 20000 1 >"$folder/log"
	grep -q 'passed on; [0-9]*: checked and right$' "$folder/log" || bad "$library: $(cat "$folder/said")"
	echo "blas: $library: of 20000 random calls none is wrong"
done
for program in coroutine "environment traps"; do
	# shellcheck disable=SC2086 # One word for each argument.
	said=$(CLOPT_BLAS_CHECK=1 LD_PRELOAD=$drop_in:libblas.so.3 "$folder/thread" $program 2>&1) || true
	[[ $said = *": checked and right"* ]] || bad "thread $program under CLOPT_BLAS_CHECK: $said"
done
export WRONG_CALLS=3
read -r flips _ beyond _ _ right _ < <(random "$folder/wrong.so:libblas.so.3" repair 10000 2 tame)
[[ $beyond -gt 1000 && $right = "$beyond" ]] || bad "of $beyond wrong elements $right are repaired"
seen=$(random "$folder/wrong.so:libblas.so.3" 1 10000 2 tame | sed -n 's/.*right; \([0-9]*\): wrong/\1/p')
grep -q ' is wrong: row .* of c is .*, right is .*/wrong.so, version' "$folder/said" || bad "$(cat "$folder/said")"
grep -q '; repaired;' "$folder/said" && bad "repaired without being asked"
[ "$(sed -n '1s/.* \([0-9]*\) right/\1/p' "$folder/out")" = 0 ] || bad "changed: $(cat "$folder/out")"
[ "$seen" -ge "$beyond" ] || bad "$seen of $beyond wrong elements are seen"
random libblas.so.3 2 1 1 >/dev/null
grep -q 'CLOPT_BLAS_CHECK=2: it must be 0, 1 or repair' "$folder/said" || bad "$(cat "$folder/said")"
echo "blas: $beyond of $flips flipped bits are beyond rounding; each is seen, and repaired"

# netlib WHERE LINES PROGRAMS VARIABLES...: Debian's tests of BLAS with these variables; as many lines
# of served routines say that they passed.  Fewer sizes and factors than Debian's do for arguments.
netlib() {
	local where=$1 wanted=$2 programs=$3 lines served=0 p n
	shift 3
	mkdir "$folder/netlib"
	for p in $programs; do
		sed 's/^6 \(.*NUMBER OF VALUES OF N\)/3 \1/; s/^0 1 2 3 5 9/0 2 9/
			s/^3 \(.*NUMBER OF VALUES OF [AB]\)/2 \1/
			s/^0.0 1.0 /0.0 /; s/^(0.0,0.0) (1.0,0.0) /(0.0,0.0) /' "$(input "$p")" >"$folder/input"
		(cd "$folder/netlib" && env CLOPT_BLAS_THRESHOLD=0 CLOPT_VERBOSE=1 "$@" "$debian/$p" <"$folder/input" \
			>"$p.out" 2>"$p.said") || bad "$where, $p: $? $(tail -n 1 "$folder/netlib/$p.said")"
		n=$(sed -n 's/^clopt-blas: \([0-9]*\) calls served.*/\1/p' "$folder/netlib/$p.said")
		[ "${n:-0}" -gt 0 ] || bad "$where, $p: nothing was served"
		served=$((served + n))
	done
	! grep -hE 'FAIL|SUSPECT|\*\*\*' "$folder"/netlib/*out || bad "$where: a test failed"
	lines=$(cat "$folder"/netlib/*out | grep -icE '(gemm|syrk|herk) +PASSED THE.*COMPUTATIONAL')
	[ "$lines" -eq "$wanted" ] || bad "$where: $lines tests of served routines passed, not $wanted"
	rm -r "$folder/netlib"
	echo "blas: libblas-test $where: $lines tests of routines that are served pass, $served calls served"
}
input() {
	local letter=${1#x}
	case $1 in
	*cblat3) echo "$debian/${letter%cblat3}in3" ;;
	*) echo "$debian/${1: -1}blat3.in" ;;
	esac
}

# Float64 by the kernel for 8-bit integers that any device runs.
int8=(CLOPT_BLAS_FLOAT64=int8 CLOPT_VARIANT=matmul/int8-f64-plain)
# Products and symmetric products of four types, Hermitian of two; CBLAS's in two orders.
fortran=$(echo xblat3{s,d,c,z}) cblas=$(echo x{s,d,c,z}cblat3)
if debian=$(dirname "$(dpkg -L libblas-test 2>/dev/null | grep '/xblat3s$')") && [ -e "$debian/libblas.so.3" ]; then
	# The tests of CBLAS use variables that only Debian's own BLAS has.
	netlib "by LD_PRELOAD" 30 "$fortran $cblas" LD_PRELOAD="$drop_in" LD_LIBRARY_PATH="$debian"
	netlib "by 8-bit integers" 2 xblat3d LD_PRELOAD="$drop_in" LD_LIBRARY_PATH="$debian" "${int8[@]}"
	if ${MAKE:-make} --no-print-directory blas-alternative >"$folder/log" 2>&1; then
		netlib "as libblas.so.3" 5 "xblat3s xblat3z" LD_LIBRARY_PATH="$(dirname "$drop_in")/blas"
	else
		echo "blas: skipped as libblas.so.3, since there is no OpenBLAS to link: $(tail -n 1 "$folder/log")"
	fi
else
	echo "blas: skipped under libblas-test, since it or libblas3 is not installed"
fi

# HPL; the other benchmarks of hpcc take seconds at this size.
settings=/usr/share/doc/hpcc/examples/_hpccinf.txt
if command -v hpcc >/dev/null && [ -e $settings ]; then
	sed 's/^1000 *Ns/300 Ns/; s/^80 *NBs/32 NBs/; s/^2 *\([PQ]s\)/1 \1/' $settings >"$folder/hpccinf.txt"
	(cd "$folder" && env CLOPT_BLAS_THRESHOLD=0 CLOPT_VERBOSE=1 "${int8[@]}" LD_PRELOAD="$drop_in" hpcc) \
		>"$folder/out" 2>"$folder/said" || bad "hpcc: $? $(tail -n 1 "$folder/said")"
	grep -q '^||Ax-b||.* PASSED' "$folder/hpccoutf.txt" || bad "HPL: $(grep Ax-b "$folder/hpccoutf.txt")"
	said=$(sed -n 's/^clopt-blas: \(\([1-9][0-9]*\) calls served (\2 by .*)\), .*/\1/p' "$folder/said")
	[ "$said" ] || bad "HPL: $(tail -n 1 "$folder/said")"
	echo "blas: HPL passes; $said"
else
	echo "blas: skipped under HPL, since hpcc is not installed"
fi

# OpenBLAS's own tests, from the source of Debian's package, which apt fetches by lists of its own.
utest() {
	local to=$folder/utest
	mkdir -p "$to/state/lists/partial" "$to/cache/archives/partial" "$to/parts"
	local f apt=(-q -o Dir::State="$to/state" -o Dir::State::status=/var/lib/dpkg/status -o Dir::Cache="$to/cache"
		-o Dir::Etc::sourcelist="$to/sources.list" -o Dir::Etc::sourceparts="$to/parts" -o APT::Sandbox::User=)
	sed 's/^deb /deb-src /' /etc/apt/sources.list >"$to/sources.list" 2>/dev/null || true
	for f in /etc/apt/sources.list.d/*.sources; do
		[ ! -e "$f" ] || sed 's/^Types:.*/Types: deb-src/' "$f" >"$to/parts/${f##*/}"
	done
	(cd "$to" && apt-get "${apt[@]}" update && apt-get "${apt[@]}" source --download-only openblas &&
		tar --wildcards --strip-components=2 -xf openblas_*.orig.tar.* '*/utest/*') >"$to/log" 2>&1 || {
		echo "blas: skipped under OpenBLAS's utest, which cannot be fetched: $(tail -n 1 "$to/log")"
		return
	}
	# For OpenBLAS's own common.h, which needs a configured build.
	cat >"$to/common.h" <<-'END'
		#define _GNU_SOURCE
		#include <complex.h>
		#include <openblas_config.h>
		#include <f77blas.h>
		#include <stdio.h>
		#include <stdlib.h>
		#include <string.h>
		#include <unistd.h>
		#define BLASFUNC(f) f##_
		#define CREAL creal
		#define CIMAG cimag
		#define BUILD_SINGLE
		#define BUILD_DOUBLE
		#define BUILD_COMPLEX
		#define BUILD_COMPLEX16
	END
	rm "$to/utest_main2.c" "$to/test_kernel_regress.c" # other compilers; LAPACKE
	# shellcheck disable=SC2046 # One word for each option.
	${CC:-cc} -w -O1 -DOS_LINUX -I"$to" $(pkg-config --cflags openblas) -o "$to/utest" "$to"/*.c \
		-l:libopenblas.so.0 -lm
	LD_PRELOAD=$drop_in CLOPT_BLAS_THRESHOLD=0 CLOPT_VERBOSE=1 "$to/utest" >"$to/out" 2>"$to/said" ||
		{ cat "$to/out"; bad "OpenBLAS's utest"; }
	grep -q 'clopt-blas: [1-9][0-9]* calls served' "$to/said" || bad "OpenBLAS's utest: nothing was served"
	echo "blas: OpenBLAS's utest: $(sed -n 's/.*RESULTS: //p' "$to/out"); $(sed -n \
		's/^clopt-blas: \(.* served\).*/\1/p' "$to/said")"
}

if pkg-config --exists openblas; then
	utest
else
	echo "blas: skipped under OpenBLAS's utest, since OpenBLAS is not installed"
fi

python=/usr/bin/python3
if ! "$python" -c 'import numpy, scipy' 2>/dev/null; then
	echo "blas: skipped with Python, since $python has no NumPy or SciPy"
	exit
fi
CLOPT_BLAS_THRESHOLD=0 "$python" test/blas/names.py "$drop_in"
${CC:-cc} -shared -fPIC -o "$folder/inside.so" test/blas/inside.c
cp "$drop_in" "$folder/copy.so"
if mkdir "$folder/pocl" && ! cp /etc/OpenCL/vendors/pocl.icd "$folder/pocl" 2>/dev/null; then
	rmdir "$folder/pocl"
fi
localedef -i de_DE -f ISO-8859-1 "$folder/de_DE" >"$folder/log" 2>&1 || rm -rf "$folder/de_DE"
"$python" test/blas/passed.py "$drop_in" libblas.so.3 "$folder"
export CLOPT_BLAS_THRESHOLD=0
LD_PRELOAD=$drop_in "$python" test/blas/numpy_calls.py "$drop_in"
# OpenBLAS's LAPACK calls its own products; the reference one calls BLAS.
reference=$(dirname "$debian")/lapack:$debian
[ ! -e "${reference%%:*}/liblapack.so.3" ] ||
	LD_LIBRARY_PATH=$reference LD_PRELOAD=$drop_in "$python" test/blas/numpy_calls.py "$drop_in"
# The versions that were tried: the newest of a day would make a test of its own.
if [ ! -d build/pypi ] && ! "$python" -m pip install --quiet --target build/pypi.new numpy==2.4.6 scipy==1.17.1 \
	>build/pypi.log 2>&1; then
	rm -rf build/pypi.new
	echo "blas: skipped with PyPI's NumPy, which cannot be installed: $(tail -n 1 build/pypi.log)"
	exit
fi
[ -d build/pypi ] || mv build/pypi.new build/pypi
for threshold in 0 3e4:0; do # some are passed on
	CLOPT_DEVICE=0 CLOPT_BLAS_THRESHOLD=$threshold LD_PRELOAD=$drop_in PYTHONPATH=build/pypi \
		"$python" test/blas/numpy_calls.py "$drop_in"
done
