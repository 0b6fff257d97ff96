#!/bin/sh
# SPDX-License-Identifier: MIT
#
# library.sh LIBRARY - the public headers stand alone, as C and as C++, and the shared library
# exports what they declare and no more, for other languages too; and a change of what makes or
# judges a kernel makes another key of it.
set -eu
LC_ALL=C
export LC_ALL

strict='-Wall -Wextra -Werror -Iinclude -fsyntax-only'
# shellcheck disable=SC2086 # One word for each option.
${CC:-cc} -std=c99 -pedantic-errors $strict test/header/*.c
# shellcheck disable=SC2086
${CXX:-g++} -std=c++11 -Wpedantic $strict test/header/*.cc

for file in lib/kernel/build.c lib/move/array.c lib/verify/verify.h lib/table/laws.c; do
	${MAKE:-make} -n -W "$file" build/sources.c | grep -q "digest=.*cat .*$file .*cksum" || {
		echo "$file: no part of the digest in build/sources.c"
		exit 1
	}
done
digest=$(sed -n 's/^const char clopt__digest.* "\([0-9]* [0-9]*\)";$/\1/p' build/sources.c)
[ -n "$digest" ] || {
	echo "build/sources.c has no digest"
	exit 1
}

grep -oh '\bclopt_[a-z_0-9]*(' include/*.h | tr -d '(' | sort -u >build/declared
nm -D --defined-only "$1" | awk '{ print $3 }' | sort >build/exported
if cmp -s build/declared build/exported; then
	! command -v python3 >/dev/null || LD_LIBRARY_PATH=$(dirname "$1") python3 examples/gravity.py
	exit
fi
echo "$1 (< declared and not exported, > exported and not declared):"
diff build/declared build/exported | grep '^[<>]'
exit 1
