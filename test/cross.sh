#!/bin/sh
# SPDX-License-Identifier: MIT
#
# cross.sh - the files of the library compile for other systems, as far as compilers for them are here;
# after make.  Those of docs/building.md.  OpenCL's headers are the same everywhere.
set -eu

to=$(mktemp -d)
trap 'rm -rf "$to"' EXIT
ln -s /usr/include/CL "$to/CL"
asm=/usr/include/$(gcc -print-multiarch)

# compiles SYSTEM COMMAND...: skipped where the command cannot compile a file of the C library's.
compiles() {
	system=$1
	shift
	if ! echo '#include <stdio.h>' | "$@" -fsyntax-only -x c - 2>/dev/null; then
		echo "cross: $system skipped, no $1"
		return
	fi
	printf '%s\0' lib/*/*.c build/sources.c | xargs -0 -n 12 -P "$(nproc)" "$@" -std=c99 -fsyntax-only \
		-Iinclude -isystem "$to"
	echo "cross: $system"
}
compiles "32-bit x86" gcc -m32 -idirafter "$asm"
compiles aarch64 aarch64-linux-gnu-gcc
compiles "32-bit ARM" arm-linux-gnueabihf-gcc
compiles musl musl-gcc
