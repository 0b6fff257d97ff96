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

# With no macro of the Makefile's, as in a program that takes the files over.
for standard in c99 c11; do
	# shellcheck disable=SC2046
	${CC:-cc} -std=$standard -Iinclude -Werror=implicit-function-declaration -fsyntax-only \
		$(find lib -name '*.c') build/sources.c
done

# The row that the docs give for an example can stand in the table.
table=lib/table/matmul.c
row=$(grep '{MATMUL, "matmul/mine' docs/adding-a-kernel.md)
awk -v row="$row" '{ print } /^static const struct variant rows/ { print row }' "$table" |
	${CC:-cc} -x c -std=c99 -Wall -Wextra -Werror -Iinclude -I"$(dirname "$table")" -fsyntax-only -

# All that makes, runs, judges or times a kernel is in the key of what is kept of kernels.
digested=$(${MAKE:-make} -n -W lib/embed.awk build/sources.c | grep 'digest=')
for file in $(find lib -name '*.[ch]') $(find cl -type f); do
	case $digested in
	*" $file "* | *" $file |"*) ;;
	*)
		echo "$file: no part of the digest in build/sources.c"
		exit 1
		;;
	esac
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
