#!/bin/sh
# SPDX-License-Identifier: MIT
#
# ffi.sh - the library from other languages, as installed and found by pkg-config: the tour of each
# prints the same numbers, which it also compares with loops of its own; the headers for C++ and
# Fortran compile without a warning and do what they say.  A language without its tools is skipped, with a line that
# says so.
set -eu
LC_ALL=C
export LC_ALL

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
bad() {
	echo "ffi: $*"
	exit 1
}
# missing LANGUAGE TOOL...: the first tool that does not run, told.
missing() {
	language=$1
	shift
	for tool; do
		{ "$tool" --version || "$tool" -v; } >/dev/null 2>&1 </dev/null || { echo "ffi $language: skipped, no $tool that runs"; return; }
	done
	return 1
}
# What all tours print, from loops and formulas.
cat >"$folder/want" <<'END'
matmul     37 x 29 x 41: last 5, weighted sum -66
transpose  last row begins with -3
potential  energy per pair of ions -1.6939
nbody      acceleration 0.3046 towards the centre
evolve     energy, step 0: -0.1523, step 100: -0.1523, step 200: -0.1523, step 300: -0.1523, step 400: -0.1523
callback   enough at step 3
error      -20003, no such OpenCL device
END
# tour LANGUAGE COMMAND...: it prints that.
tour() {
	language=$1
	shift
	"$@" >"$folder/got" || { cat "$folder/got"; bad "the tour of $language fails"; }
	diff "$folder/want" "$folder/got" || bad "the tour of $language prints other numbers"
	echo "ffi $language: passed"
}

${MAKE:-make} --no-print-directory install PREFIX="$folder" >/dev/null
examples=$folder/share/doc/clopt/examples/ffi
# checks PROGRAM...: of a header, not of kernels, so those that compile fastest do.
checks() { CLOPT_VARIANT=matmul/plain CLOPT_CHECK=off "$@"; }
# One cache for all languages: each kernel is compiled once.
export PKG_CONFIG_PATH="$folder/lib/pkgconfig" LD_LIBRARY_PATH="$folder/lib" CLOPT_CACHE_DIR="$folder/cache"
flags() { pkg-config "$@" clopt | tr -d '"'; }
include=$(flags --variable=includedir)

cplusplus() {
	strict='-std=c++17 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror'
	everything='-std=c++17 -Weverything -Wno-c++98-compat -Wno-c++98-compat-pedantic -Werror'
	# shellcheck disable=SC2046,SC2086 # One word for each option.
	{
		${CXX:-g++} $strict -o "$folder/tour" "$examples/tour.cc" $(flags --cflags --libs)
		# A second file with the header in it, twice: what is not inline would not link.
		printf '#include <clopt.hpp>\n#include <clopt.hpp>\n' >"$folder/second.cc"
		${CXX:-g++} $strict -o "$folder/check" test/ffi/check.cc "$folder/second.cc" \
			$(flags --cflags --libs)
		! command -v clang++ >/dev/null ||
			clang++ $everything -fsyntax-only $(flags --cflags) test/ffi/check.cc
	}
	checks "$folder/check" || bad "clopt.hpp"
	tour c++ "$folder/tour"
}

fortran() {
	fc=${FC:-gfortran}
	strict='-std=f2018 -Wall -Wextra -Wpedantic -Werror'
	mkdir "$folder/mod"
	# shellcheck disable=SC2046,SC2086
	{
		$fc $strict -c -J "$folder/mod" -o "$folder/clopt.o" "$include/clopt.f90"
		$fc -std=f2018 -J "$folder/mod" -o "$folder/tour" "$folder/clopt.o" "$examples/tour.f90" $(flags --libs)
		$fc -std=f2018 -fcheck=all,no-array-temps -J "$folder/mod" -o "$folder/check" "$include/clopt.f90" \
			test/ffi/check.f90 $(flags --libs)
	}
	checks "$folder/check" || bad "clopt.f90"
	! checks "$folder/check" stop 2>"$folder/told" || bad "a failure without stat does not stop"
	grep -q 'ERROR STOP.*op(B) is 2 x 3' "$folder/told" || bad "ERROR STOP: $(cat "$folder/told")"
	tour fortran "$folder/tour"
}

lua() {
	checks luajit test/ffi/check.lua "$examples" || bad "clopt.lua"
	tour luajit luajit "$examples/tour.lua"
}

r() {
	cp "$examples"/clopt_r.c "$folder"
	(cd "$folder" && PKG_CPPFLAGS=$(flags --cflags) PKG_LIBS=$(flags --libs) R CMD SHLIB clopt_r.c) \
		>"$folder/log" 2>&1 || { cat "$folder/log"; bad "clopt_r.c does not build"; }
	! grep -i 'warning:' "$folder/log" || bad "clopt_r.c has warnings"
	checks Rscript --vanilla test/ffi/check.R "$examples" "$folder/clopt_r.so" || bad "clopt.R"
	tour r Rscript --vanilla "$examples/tour.R" "$folder/clopt_r.so"
}

rust() {
	cp "$examples"/tour.rs "$examples"/clopt*.rs test/ffi/check.rs "$folder"
	for program in tour check; do
		rustc --edition 2021 -O -D warnings -L "$folder/lib" -l clopt \
			-o "$folder/$program" "$folder/$program.rs"
	done
	checks "$folder/check" || bad "clopt.rs"
	tour rust "$folder/tour"
}

missing c++ "${CXX:-g++}" || cplusplus
missing fortran "${FC:-gfortran}" || fortran
missing luajit luajit || lua
missing r R || r
missing rust rustc || rust
missing julia julia || tour julia julia "$examples/tour.jl"
