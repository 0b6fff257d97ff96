#!/bin/sh
# SPDX-License-Identifier: MIT
#
# library.sh LIBRARY - the library's files compile without the Makefile's macros, other languages
# can call it, and a change of what makes or judges a kernel makes another key of it.
set -eu
LC_ALL=C
export LC_ALL
sources=$(dirname "$1")/sources.c

# Without the Makefile's macros, as in a program that includes the files.
for standard in c99 c11; do
	# shellcheck disable=SC2046
	${CC:-cc} -std=$standard -Iinclude -Werror=implicit-function-declaration -fsyntax-only \
		$(find lib -name '*.c' ! -path 'lib/mpi/*') "$sources"
done

# The example row of the docs compiles in the table.
table=lib/table/matmul.c
row=$(sed -n '/{MATMUL, "matmul\/mine/,/},$/p' docs/contributing.md | tr '\n' ' ')
awk -v row="$row" '{ print } /^static const struct variant rows/ { print row }' "$table" |
	${CC:-cc} -x c -std=c99 -Wall -Wextra -Werror -Iinclude -I"$(dirname "$table")" -fsyntax-only -

# All files that make, run, judge or time kernels are in the key of the cache.
digested=$(${MAKE:-make} -n -W lib/embed.awk "$sources" | grep 'digest=')
for file in lib/*/*.[ch] $(find cl -type f); do
	case $digested in
	*" $file "* | *" $file |"*) ;;
	*)
		echo "$file: no part of the digest in $sources"
		exit 1
		;;
	esac
done
digest=$(sed -n 's/^const char clopt__digest.* "\([0-9]* [0-9]*\)";$/\1/p' "$sources")
[ -n "$digest" ] || {
	echo "$sources has no digest"
	exit 1
}

# With B elsewhere the tree may be read-only: nothing is written to build/.
inside=$(${MAKE:-make} -n -B B=/nowhere all | grep -E '(> |-o |mkdir -p )build/') && {
	echo "make B=... writes to the tree: $inside"
	exit 1
}

# Threads with stacks of 64 KiB can open contexts if the driver can: no frame on the way takes a third of it.
large=$(for file in lib/api/*.c lib/base/*.c lib/device/*.c; do
	${CC:-cc} -std=c99 -D_POSIX_C_SOURCE=200809L -O2 -Iinclude -Wframe-larger-than=20000 -c \
		-o /dev/null "$file" 2>&1
done)
[ -z "$large" ] || {
	echo "$large"
	exit 1
}

# Tables of pointers are read-only once loaded, and the stack holds no code.
if ! readelf -lW "$1" | awk '/GNU_RELRO/ { relro = 1 } /GNU_STACK/ && !/E/ { stack = 1 } END { exit !(relro && stack) }' ||
	! readelf -dW "$1" | grep -qE 'BIND_NOW|Flags:.*NOW'; then
	echo "$1: not linked with -z relro, -z now and without an executable stack"
	exit 1
fi

if python3 -c 'import numpy' 2>/dev/null; then
	LD_LIBRARY_PATH=$(dirname "$1") PYTHONPATH=$(dirname "$1")/python python3 -B examples/gravity.py
else
	echo 'gravity.py: skipped, there is no NumPy'
fi
