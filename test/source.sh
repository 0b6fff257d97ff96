#!/bin/sh
# SPDX-License-Identifier: MIT
#
# source.sh - the library as others build it: by CMake, with its own rules, inside another project,
# static and shared; and by make in two folders of different names, times and users' settings, where the
# same bits have to come out.  So they have to of make dist.
set -eu

to=$(mktemp -d)
trap 'rm -rf "$to"' EXIT
bad() {
	echo "source: $*"
	exit 1
}
cc=${CC:-cc}
# quiet COMMAND...: its output only if it fails.
quiet() {
	"$@" >"$to/log" 2>&1 || {
		cat "$to/log"
		bad "$* failed"
	}
}

if command -v cmake >/dev/null; then
	mkdir -p "$to/a project"
	cat >"$to/a project/CMakeLists.txt" <<-END
		cmake_minimum_required(VERSION 3.18)
		project(user C)
		include(FetchContent)
		FetchContent_Declare(clopt SOURCE_DIR "$PWD" SOURCE_SUBDIR lib)
		FetchContent_MakeAvailable(clopt)
		add_executable(matmul "$PWD/examples/matmul.c")
		target_link_libraries(matmul PRIVATE clopt::clopt)
		add_executable(static EXCLUDE_FROM_ALL "$PWD/examples/matmul.c")
		target_link_libraries(static PRIVATE clopt::static)
	END
	for shared in OFF ON; do
		quiet cmake -S "$to/a project" -B "$to/$shared" -DCMAKE_C_COMPILER="$cc" -DBUILD_SHARED_LIBS=$shared \
			-DCMAKE_C_VISIBILITY_PRESET=hidden -DCMAKE_UNITY_BUILD=ON
		quiet env -u MAKEFLAGS cmake --build "$to/$shared" -j "$(nproc)"
		"$to/$shared/matmul" >"$to/$shared.txt" || bad "matmul does not run, shared $shared"
	done
	cmp "$to/OFF.txt" "$to/ON.txt"
	cmp "$to/OFF/_deps/clopt-build/sources.c" build/sources.c || bad "CMake embeds other kernels"
	! ldd "$to/OFF/matmul" | grep libclopt || bad "a shared library without BUILD_SHARED_LIBS"
	ldd "$to/ON/matmul" | grep -q libclopt || bad "a static library with BUILD_SHARED_LIBS"
	exports() { nm -D --defined-only "$1" | cut -d' ' -f2-; }
	[ "$(exports "$to/ON/_deps/clopt-build/libclopt.so")" = "$(exports build/libclopt.so)" ] ||
		bad "CMake's library exports other names"
	echo "source: CMake builds it, static and shared"
else
	echo "source: CMake skipped, no cmake"
fi

# Copied at another time, by a user with other settings.
so=libclopt.so.$(sed -n 's/^.define CLOPT_VERSION_[A-Z]* //p' include/clopt.h | paste -sd.)
# build FOLDER SETTING...
build() {
	folder=$1
	shift
	mkdir -p "$folder"
	cp -R Makefile include lib cl "$folder"
	quiet env -u MAKEFLAGS "$@" CC="$cc" CFLAGS='-O0 -g' LDFLAGS='-Wl,-z,now' make -C "$folder" -j "$(nproc)" \
		build/libclopt.a "build/$so"
}
(umask 077 && build "$to/one folder" LC_ALL=C TZ=UTC HOME=/nowhere)
build "$to/other" LC_ALL=C.UTF-8 TZ=Asia/Tokyo USER=other
for file in libclopt.a "$so"; do
	cmp "$to/one folder/build/$file" "$to/other/build/$file" || bad "$file depends on the folder"
done
readelf -d "$to/other/build/$so" | grep -q NOW || bad "LDFLAGS of the environment"
! strings -a "$to/other/build/$so" | grep -F "$to" || bad "$so names the folder"
echo "source: two folders, the same bits"

if git rev-parse --verify -q HEAD >/dev/null 2>&1; then
	tarball=build/libclopt-${so#libclopt.so.}.tar.gz
	quiet "${MAKE:-make}" dist
	cp "$tarball" "$to/first.tar.gz"
	quiet "${MAKE:-make}" dist
	cmp "$tarball" "$to/first.tar.gz" || bad "two runs of make dist differ"
	echo "source: make dist twice, the same bits"
else
	echo "source: make dist skipped, no git"
fi
