#!/bin/sh
# SPDX-License-Identifier: MIT
#
# cross.sh - the library compiles for other systems, as far as compilers for them are here (test/deps.sh cross);
# after make.  For Windows it also links, by CMake.  Those of docs/building.md.  OpenCL's headers are the same
# everywhere.
set -eu

to=$(mktemp -d)
trap 'rm -rf "$to"' EXIT
ln -s /usr/include/CL "$to/CL"
asm=/usr/include/$(gcc -print-multiarch)

# there SYSTEM COMMAND...: whether the command can compile a file of the C library's.
there() {
	system=$1
	shift
	echo '#include <errno.h>' | "$@" -fsyntax-only -x c - 2>/dev/null && return
	echo "cross: $system skipped, no $1"
	false
}

compiles() {
	there "$@" || return 0
	compiler=$2
	shift 2
	printf '%s\0' lib/*/*.c build/sources.c | xargs -0 -n 12 -P "$(nproc)" "$compiler" -std=c99 "$@" -fsyntax-only \
		-Wall -Wextra -Werror -Iinclude -isystem "$to"
	echo "cross: $system"
}
compiles "32-bit x86" gcc -m32 -idirafter "$asm"
compiles aarch64 aarch64-linux-gnu-gcc
compiles "32-bit ARM" arm-linux-gnueabihf-gcc
compiles riscv64 riscv64-linux-gnu-gcc
compiles s390x s390x-linux-gnu-gcc -std=gnu99 # c99 makes doubles of the floats beside a vector
compiles musl musl-gcc

# With an import library of what the headers declare, since Debian has none.
there Windows x86_64-w64-mingw32-gcc || exit 0
{
	printf 'LIBRARY OpenCL.dll\nEXPORTS\n'
	sed -n 's/^\(cl[A-Z][A-Za-z0-9]*\)(.*/\1/p' "$to/CL/cl.h"
} >"$to/OpenCL.def"
x86_64-w64-mingw32-dlltool -d "$to/OpenCL.def" -l "$to/libOpenCL.a"
if ! { cmake -S lib -B "$to/dll" -DCMAKE_SYSTEM_NAME=Windows -DCMAKE_C_COMPILER=x86_64-w64-mingw32-gcc \
	-DBUILD_SHARED_LIBS=ON -DCMAKE_C_FLAGS='-Wall -Wextra -Werror' \
	-DOpenCL_INCLUDE_DIR="$to" -DOpenCL_LIBRARY="$to/libOpenCL.a" &&
	cmake --build "$to/dll" -j "$(nproc)"; } >"$to/log" 2>&1; then
	cat "$to/log"
	exit 1
fi
echo "cross: Windows, $(basename "$to"/dll/*.dll)"
