#!/bin/sh
# SPDX-License-Identifier: MIT
#
# install.sh - make install is complete: the documents that the README names and the manual are
# installed, an example builds against the library, the command runs, pkg-config and CMake find both
# libraries in folders of the caller's, also after they were moved, and make uninstall removes all of
# it.
set -eu

to=$(mktemp -d)
trap 'rm -rf "$to"' EXIT
bad() {
	echo "install: $*"
	exit 1
}
cc=${CC:-cc}

# By somebody whose new files nobody else may read, over what an older version left.
doc="$to/a b/share/doc/clopt"
mkdir -p "$doc/docs"
: >"$doc/docs/gone.md"
(umask 077 && ${MAKE:-make} --no-print-directory install PREFIX="$to/a b" >/dev/null)
[ -z "$(find "$doc/docs" "$doc/examples" ! -perm -go=r -o -name gone.md)" ] || bad "not for all to read, or left behind"
sed -n 's/.*](\(docs\/[^)#]*\|examples\/[^)#]*\)).*/\1/p' README.md | while read -r link; do
	[ -e "$doc/$link" ] || bad "$link is not there"
done
[ -f "$to/a b/share/man/man3/clopt_sgemm.3" ] || bad "no page for clopt_sgemm"
$cc -I "$to/a b/include" -o "$to/matmul" "$doc/examples/matmul.c" -L "$to/a b/lib" -lclopt \
	-Wl,-rpath,"$to/a b/lib" || bad "an example does not build"
"$to/matmul" >/dev/null || bad "an example does not run"
[ "$("$to/a b/bin/clopt" list)" = "$("$to/a b/bin/clopt" list all)" ] || bad "all is not all"
! "$to/a b/bin/clopt" list all matmul all >/dev/null 2>&1 || bad "all and one"
for program in clopt clopt-gem nbody; do
	"$to/a b/bin/$program" --help >/dev/null || bad "$program does not run"
	[ -f "$to/a b/share/man/man1/$program.1" ] || bad "no page for $program"
	[ -f "$to/a b/share/fish/vendor_completions.d/$program.fish" ] || bad "no completions for $program"
done
${MAKE:-make} --no-print-directory uninstall PREFIX="$to/a b" >/dev/null
left=$(find "$to/a b" ! -type d)
[ -z "$left" ] || bad "left behind: $left"

# Folders as a distribution has them, put elsewhere than where they say.
version=$(sed -n 's/^.define CLOPT_VERSION_[A-Z]* //p' include/clopt.h | paste -sd.)
lib=usr/lib/$($cc -print-multiarch)
folders="PREFIX=/usr LIBDIR=/$lib INCLUDEDIR=/usr/include/clopt"
# shellcheck disable=SC2086 # One word for each variable.
${MAKE:-make} --no-print-directory install DESTDIR="$to/root" $folders >/dev/null
[ -e "$to/root/usr/share/man/man1/clopt.1" ] || bad "no manual page"
export PKG_CONFIG_LIBDIR="$to/root/$lib/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$to/root"
[ "$(pkg-config --modversion clopt)" = "$version" ] || bad "pkg-config has another version"
# shellcheck disable=SC2046
$cc -o "$to/shared" examples/matmul.c $(pkg-config --cflags --libs clopt)
# shellcheck disable=SC2046
$cc -o "$to/static" examples/matmul.c $(pkg-config --cflags --static --libs clopt | sed 's/-lclopt/-l:libclopt.a/')
LD_LIBRARY_PATH="$to/root/$lib" "$to/shared" >"$to/first" || bad "the shared library of pkg-config"
"$to/static" | cmp - "$to/first" || bad "the static library of pkg-config"
! ldd "$to/static" | grep libclopt || bad "--static is shared"
unset PKG_CONFIG_LIBDIR PKG_CONFIG_SYSROOT_DIR # make asks for others

if command -v cmake >/dev/null; then
	mkdir "$to/project"
	minor=$(echo "$version" | cut -d. -f2)
	cat >"$to/project/CMakeLists.txt" <<-END
		cmake_minimum_required(VERSION 3.16)
		project(user C)
		foreach(version IN ITEMS 0.1 0.$((minor - 1)) 0.$((minor + 1)) 1 $version.1)
		  find_package(clopt \${version} QUIET)
		  if(clopt_FOUND)
		    message(FATAL_ERROR "$version serves \${version}")
		  endif()
		endforeach()
		find_package(clopt 0.1...<0.$minor QUIET)
		if(clopt_FOUND)
		  message(FATAL_ERROR "$version is below 0.$minor")
		endif()
		find_package(clopt 0.1...0.$((minor + 1)) REQUIRED)
		find_package(clopt $version EXACT REQUIRED)
		find_package(clopt ${version%.*} REQUIRED)
		add_executable(shared "$PWD/examples/matmul.c")
		target_link_libraries(shared PRIVATE clopt::clopt)
		add_executable(static "$PWD/examples/matmul.c")
		target_link_libraries(static PRIVATE clopt::static)
	END
	if ! { cmake -S "$to/project" -B "$to/built" -DCMAKE_C_COMPILER="$cc" \
		-DCMAKE_PREFIX_PATH="$to/root/usr" && cmake --build "$to/built"; } >"$to/log" 2>&1; then
		cat "$to/log"
		bad "CMake"
	fi
	for kind in shared static; do
		"$to/built/$kind" | cmp - "$to/first" || bad "CMake's $kind library"
	done
	! ldd "$to/built/static" | grep libclopt || bad "clopt::static is shared"

	# LIBDIR through a link, as /lib is one to /usr/lib.
	mkdir -p "$to/merged/usr/lib"
	ln -s usr/lib "$to/merged/lib"
	${MAKE:-make} --no-print-directory install PREFIX="$to/merged/usr" LIBDIR="$to/merged/lib" >/dev/null
	cmake -S "$to/project" -B "$to/through" -DCMAKE_C_COMPILER="$cc" -DCMAKE_PREFIX_PATH="$to/merged" \
		>"$to/log" 2>&1 || { cat "$to/log"; bad "CMake, through a link"; }
else
	echo "install: CMake skipped, no cmake"
fi
# shellcheck disable=SC2086
${MAKE:-make} --no-print-directory uninstall DESTDIR="$to/root" $folders >/dev/null
left=$(find "$to/root" ! -type d)
[ -z "$left" ] || bad "left behind: $left"
