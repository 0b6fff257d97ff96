#!/bin/sh
# SPDX-License-Identifier: MIT
#
# deb.sh FOLDER - the Debian packages there: lintian has nothing to say; dpkg installs them into a root
# of their own, where the programs run and pkg-config and CMake find the library, and removes them
# without leaving a file.
set -eu
[ "$(id -u)" -eq 0 ] || exec fakeroot "$0" "$@"

packages=$1
to=$(mktemp -d)
trap 'rm -rf "$to"' EXIT
bad() {
	echo "deb: $*"
	exit 1
}

lintian --allow-root --display-info --fail-on error,warning,info "$packages"/*.changes || bad "lintian complains"

# What the packages depend on is this machine's.
root=$to/root
admin=$root/var/lib/dpkg
mkdir -p "$admin/info" "$admin/updates" "$admin/triggers" "$admin/alternatives" "$root/etc/alternatives"
: >"$admin/status"
into() {
	dpkg --root="$root" --log=/dev/null --force-depends --force-script-chrootless "$@" >"$to/log" 2>&1 || {
		cat "$to/log"
		bad "dpkg $*"
	}
}
into --install "$packages"/*.deb
names=$(dpkg-query --admindir="$admin" -W -f '${Package} ')
multiarch=$(dpkg-architecture -qDEB_HOST_MULTIARCH)
lib=$root/usr/lib/$multiarch
source=$root/usr/share/doc/libclopt-dev/examples/matmul.c

export PKG_CONFIG_LIBDIR="$lib/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$root" CLOPT_CACHE_DIR=0 \
	LD_LIBRARY_PATH="$lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" # fakeroot has its own in it
# shellcheck disable=SC2046 # One word for each option.
${CC:-cc} -o "$to/matmul" "$source" $(pkg-config --cflags --libs clopt)
"$to/matmul" >"$to/first" || bad "a program of pkg-config does not run"
mkdir "$to/project"
cat >"$to/project/CMakeLists.txt" <<-END
	cmake_minimum_required(VERSION 3.16)
	project(user C)
	find_package(clopt REQUIRED)
	add_executable(matmul "$source")
	target_link_libraries(matmul PRIVATE clopt::clopt)
END
if ! { cmake -S "$to/project" -B "$to/built" -DCMAKE_PREFIX_PATH="$root/usr" &&
	cmake --build "$to/built"; } >"$to/log" 2>&1; then
	cat "$to/log"
	bad "CMake"
fi
"$to/built/matmul" | cmp - "$to/first"
"$root/usr/bin/clopt" list >/dev/null || bad "clopt does not run"
"$root/usr/bin/clopt-gem" --quiet --csv "$to/potential.csv" examples/data/1a0q.pqr || bad "clopt-gem does not run"
"$root/usr/bin/nbody" --quiet --model two --steps 1 || bad "nbody does not run"

PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$root/usr/lib/python3/dist-packages /usr/bin/python3 -c '
import clopt, numpy as np
a = np.arange(6, dtype="f4").reshape(2, 3)
assert (clopt.Context().matmul(a, a.T) == a @ a.T).all()' || bad "the Python package does not run"

LD_PRELOAD="$lib/libclopt-blas.so" "$to/matmul" | cmp - "$to/first"
[ "$(readlink "$root/etc/alternatives/libblas.so.3-$multiarch")" = "/usr/lib/$multiarch/clopt/libblas.so.3" ] ||
	bad "libblas.so.3 is not an alternative"
! ldd "$lib/clopt/libblas.so.3" | grep 'not found' || bad "libblas.so.3 does not load"
# shellcheck disable=SC2086 # One word for each package.
into --purge $names
left=$(find "$root" -path "$root/var" -prune -o ! -type d -print)
[ -z "$left" ] || bad "left behind: $left"
echo "deb: lintian is content; ${names}installed, used and removed"
