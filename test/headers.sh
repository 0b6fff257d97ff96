#!/bin/sh
# SPDX-License-Identifier: MIT
#
# headers.sh LIBRARY - the public headers stand alone in every C and C++; the shared library exports
# what they declare and no more; programs that were compiled against an older or a newer header run
# with it; readers of other languages take the headers as they are; the docs' table of environment
# variables is the code's.
set -eu
LC_ALL=C
export LC_ALL
library=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cc=${CC:-cc} cxx=${CXX:-g++}

strict='-Wall -Wextra -Werror -Iinclude -fsyntax-only'
for standard in c99 c11 c2x; do
	# shellcheck disable=SC2086 # One word for each option.
	$cc -std=$standard -pedantic-errors $strict test/header/clopt*.c
done
for standard in c++11 c++17; do
	# shellcheck disable=SC2086
	$cxx -std=$standard -Wpedantic $strict -x c++ test/header/clopt*.c
done
find include -name '*.h' ! -name clopt_mpi.h -exec grep -oh '\bclopt_[a-z_0-9]*(' {} + | tr -d '(' | sort -u >"$folder/declared"
nm -D --defined-only "$library" | awk '$2 == "T" { sub(/@.*/, "", $3); print $3 }' | sort >"$folder/exported"
cmp -s "$folder/declared" "$folder/exported" || {
	echo "$library (< declared and not exported, > exported and not declared):"
	diff "$folder/declared" "$folder/exported" | grep '^[<>]'
	exit 1
}

# The variables that the code reads, and those of the table.  Messages have the names of enumerators.
prefix='CLOPT|OCL|OPENCL|XDG|OMPI|MPI|MV2|PMI|PALS|FLUX|SLURM'
grep -rhoE "\"($prefix)_[A-Z_]+\"|\"HOME\"" lib --include='*.c' | tr -d '"' |
	grep -vE '^CLOPT_(HIDDEN|(TEST|LAW|OUTPUTS|PRECISION|TRANS|TYPE|UPLO)_)' | sort -u >"$folder/read"
grep -oE "\`($prefix)_[A-Z_]+\`|\`HOME\`" docs/environment.md | tr -d '`' |
	grep -v '^CLOPT_E' | sort -u >"$folder/told"
cmp -s "$folder/read" "$folder/told" || {
	echo "environment variables (< read and not in docs/environment.md, > there and not read):"
	diff "$folder/read" "$folder/told" | grep '^[<>]'
	exit 1
}

# Those that options.c knows, so that it names a misspelt one.
sed -n '/^static const char \*const variables/,/^};/p' lib/device/options.c | grep -oE '"[A-Z_]+"' | tr -d '"' |
	sed 's/^/CLOPT_/' | sort -u >"$folder/known"
grep '^CLOPT_' "$folder/read" | cmp -s - "$folder/known" || {
	echo "variables of lib/device/options.c (< read and not in its list, > in the list and not read):"
	grep '^CLOPT_' "$folder/read" | diff - "$folder/known" | grep '^[<>]'
	exit 1
}

command -v python3 >/dev/null || exit 0
python3 test/header/headers.py comments
python3 test/header/headers.py padding | $cc -std=c99 -Iinclude -fsyntax-only -x c -
python3 -c 'import cffi' 2>/dev/null && python3 test/header/headers.py cffi
if command -v luajit >/dev/null; then
	python3 test/header/headers.py text >"$folder/all.h"
	luajit -e "require('ffi').cdef(io.open('$folder/all.h'):read('*a'))"
fi
for change in older newer; do
	python3 test/header/headers.py $change "$folder/$change"
	define=
	[ $change = older ] || define=-DNEWER
	$cc -std=c99 $define -I"$folder/$change" -o "$folder/abi" test/header/abi.c "$library"
	CLOPT_CACHE_DIR=$folder/cache LD_LIBRARY_PATH=$(dirname "$library") "$folder/abi" || {
		echo "against $change headers"
		exit 1
	}
done
