#!/bin/sh
# SPDX-License-Identifier: MIT
#
# abi.sh [update] - the headers keep the binary interface of lib/abi.txt: nothing of it has changed or
# gone, and nothing new is missing there.  A line of it has the version that it came with; Debian's list
# of symbols is made of these.  With `update`: adds what is new, and begins anew when the series
# (0.3, the number in the library's soname) has changed.
set -eu
LC_ALL=C
export LC_ALL
[ "$(getconf LONG_BIT)" = 64 ] || {
	echo "abi: skipped, lib/abi.txt is of machines with pointers of 64 bits"
	exit
}
command -v python3 >/dev/null || {
	echo "abi: skipped, no python3"
	exit
}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
version=$(sed -n 's/^.define CLOPT_VERSION_[A-Z]* //p' include/clopt.h | paste -sd.)
series=${version%.*}
case $version in 0.*) ;; *) series=${version%%.*} ;; esac

# layout FOLDER: the interface of the headers there.
layout() {
	python3 -B test/header/layout.py "$1" >"$folder/layout.c"
	${CC:-cc} -I"$1" -o "$folder/layout" "$folder/layout.c"
	"$folder/layout"
}
# gone, added: lines of the one alone, and of the other alone.
known() { sed -n 's/^[0-9.]* //p' lib/abi.txt | sort; }
gone() { known | comm -23 - "$folder/$1"; }
added() { known | comm -13 - "$folder/$1"; }

layout include >"$folder/text"
sort "$folder/text" >"$folder/now"
if [ "${1-}" = update ]; then
	if [ -e lib/abi.txt ] && grep -q "^# Series $series\." lib/abi.txt; then
		[ -z "$(gone now)" ] || {
			echo "abi: series $series has these; a new one may drop them (or remove lib/abi.txt if"
			echo "no version of $series is released):"
			gone now
			exit 1
		}
	else
		: >lib/abi.txt
	fi
	{
		echo "# SPDX-License-Identifier: MIT"
		echo "# Series $series.  What programs depend on, and the version that it came with; by test/abi.sh."
		awk -v version="$version" '
			FILENAME == "lib/abi.txt" { at = index($0, " "); since[substr($0, at + 1)] = substr($0, 1, at - 1); next }
			{ print ($0 in since ? since[$0] : version), $0 }' lib/abi.txt "$folder/text"
	} >"$folder/new"
	cp "$folder/new" lib/abi.txt
	exit
fi

grep -q "^# Series $series\." lib/abi.txt || {
	echo "abi: lib/abi.txt is not of series $series: make abi"
	exit 1
}
grep -qx "CLOPT_$series" lib/clopt.map || {
	echo "abi: lib/clopt.map is not of series $series"
	exit 1
}
[ -z "$(gone now)" ] || {
	echo "abi: changed or gone, so programs built with an older $series would break:"
	gone now
	exit 1
}
[ -z "$(added now)" ] || {
	echo "abi: new, and not in lib/abi.txt: make abi"
	added now
	exit 1
}
# A struct that loses a field is seen, and one that gets a field more is no change of the others.
for change in older newer; do
	python3 -B test/header/headers.py $change "$folder/$change"
	layout "$folder/$change" | sort >"$folder/$change.txt"
done
if [ -z "$(gone older.txt)" ] || [ -n "$(gone newer.txt)" ] || [ -z "$(added newer.txt)" ]; then
	echo "abi: does not see what changes"
	exit 1
fi
echo "abi: $(known | wc -l) lines as in lib/abi.txt"
