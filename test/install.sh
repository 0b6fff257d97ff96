#!/bin/sh
# SPDX-License-Identifier: MIT
#
# install.sh - make install is complete: the documents that the README names are installed, an
# example builds against the library, the command runs, and make uninstall removes all of it.
set -eu

to=$(mktemp -d)
trap 'rm -rf "$to"' EXIT
bad() {
	echo "install: $*"
	exit 1
}

${MAKE:-make} --no-print-directory install PREFIX="$to/a b" >/dev/null
doc="$to/a b/share/doc/clopt"
sed -n 's/.*](\(docs\/[^)#]*\|examples\/[^)#]*\)).*/\1/p' README.md | while read -r link; do
	[ -e "$doc/$link" ] || bad "$link is not there"
done
${CC:-cc} -I "$to/a b/include" -o "$to/matmul" "$doc/examples/matmul.c" -L "$to/a b/lib" -lclopt \
	-Wl,-rpath,"$to/a b/lib" || bad "an example does not build"
"$to/matmul" >/dev/null || bad "an example does not run"
[ "$("$to/a b/bin/clopt" list)" = "$("$to/a b/bin/clopt" list all)" ] || bad "all is not all"
! "$to/a b/bin/clopt" list all matmul all >/dev/null 2>&1 || bad "all and one"
${MAKE:-make} --no-print-directory uninstall PREFIX="$to/a b" >/dev/null
left=$(find "$to/a b" ! -type d)
[ -z "$left" ] || bad "left behind: $left"
