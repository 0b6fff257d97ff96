#!/bin/sh
# SPDX-License-Identifier: MIT
#
# library.sh LIBRARY - the public headers stand alone, as C and as C++, and the shared library
# exports what they declare and no more, for other languages too.
set -eu
LC_ALL=C
export LC_ALL

strict='-Wall -Wextra -Werror -Iinclude -fsyntax-only'
# shellcheck disable=SC2086 # One word for each option.
${CC:-cc} -std=c99 -pedantic-errors $strict test/header/*.c
# shellcheck disable=SC2086
${CXX:-g++} -std=c++11 -Wpedantic $strict test/header/*.cc

grep -oh '\bclopt_[a-z_0-9]*(' include/*.h | tr -d '(' | sort -u >build/declared
nm -D --defined-only "$1" | awk '{ print $3 }' | sort >build/exported
if cmp -s build/declared build/exported; then
	! command -v python3 >/dev/null || LD_LIBRARY_PATH=$(dirname "$1") python3 examples/gravity.py
	exit
fi
echo "$1 (< declared and not exported, > exported and not declared):"
diff build/declared build/exported | grep '^[<>]'
exit 1
