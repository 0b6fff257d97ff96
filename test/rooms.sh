#!/bin/sh
# SPDX-License-Identifier: MIT
#
# rooms.sh OBJECTS [picture FILE] - lib/ is a house of rooms, whose includes and calls only go down:
# checked in the includes and in the symbols of the objects (nm on OBJECTS/room/file.o).  Prints each
# include that goes up or past a room's header, each function or variable that is used upwards, each
# circle of files, and each file in git that a command writes, and fails if there is any.  With
# `picture`: draws the rooms from the top, with their purposes and the rooms that each uses, between
# two marks of FILE.
set -eu
LC_ALL=C
export LC_ALL
objects=$1
# The rooms from the top.
rooms='api several tree bodies buffers call choose verify kernel device table host move base'

# "room/file room/file" for each file that uses a symbol of another.
calls() {
	for file in lib/*/*.c; do
		name=${file#lib/}
		nm "$objects/${name%.c}.o" | awk -v file="${name%.c}" '
			NF == 2 && $1 == "U" { print "use", file, $2 }
			NF == 3 && $2 ~ /[A-TV-Z]/ { print "def", file, $3 }'
	done | sort | awk '
		$1 == "def" { home[$3] = $2; next }
		($3 in home) && home[$3] != $2 && !seen[$2, home[$3]]++ { print $2, home[$3] }'
}

# "room/file room/file" for each include of a header of lib/.
includes() {
	for file in lib/*/*.[ch]; do
		room=${file%/*}
		sed -n 's/^#include "\(.*\.h\)"/\1/p' "$file" | while read -r header; do
			case $header in
			clopt.h | clopt_*.h) ;;
			../*) echo "${file#lib/} ${header#../}" ;;
			*) echo "${file#lib/} ${room#lib/}/$header" ;;
			esac
		done
	done
}

# The pairs of these that go up.
upward() {
	awk -v rooms="$rooms" -v how="$1" '
		BEGIN { n = split(rooms, r); for (i = 1; i <= n; i++) floor[r[i]] = i }
		{
			split($1, from, "/"); split($2, to, "/")
			if (!(from[1] in floor)) print "lib/" from[1] " is no room"
			else if (floor[to[1]] < floor[from[1]]) print "lib/" $1 " " how " " $2 ", which is above it"
		}'
}

# Includes of other files of a room than its header; base has a header for each of its subjects.
past() {
	awk '{
		split($1, from, "/"); split($2, to, "/")
		if (from[1] != to[1] && to[1] != "base" && to[2] != to[1] ".h")
			print "lib/" $1 " includes " $2 ", past " to[1] "/" to[1] ".h"
	}'
}

# A room's purpose: the first line of its header.
purpose() { sed -n '3s/^ \* [a-z_]*\.h - //p' "lib/$1/$([ "$1" = base ] && echo context || echo "$1").h"; }

draw() {
	calls >"$objects/calls"
	for room in $rooms; do
		uses=$(for below in $rooms; do
			[ "$below" = "$room" ] || ! grep -q "^$room/[a-z_]* $below/" "$objects/calls" || printf ' %s' "$below"
		done)
		printf '    %-7s %s\n            %2d files%s\n' "$room" "$(purpose "$room")" \
			"$(find "lib/$room" -name '*.c' | wc -l)" "${uses:+; uses$uses}"
	done
}

if [ "${2-}" = picture ]; then
	draw >"$objects/picture"
	awk -v picture="$objects/picture" '
		/^<!-- end of rooms -->/ { inside = 0 }
		!inside
		/^<!-- rooms -->/ { inside = 1; while ((getline line <picture) > 0) print line }' "$3" >"$objects/page"
	cat "$objects/page" >"$3"
	exit
fi

# Pictures, pages, tables and built files in git, but for README's two pictures and three of measurements.md; data of
# examples are no command's.  Nothing in a folder that is no repository.
written() {
	pictures() { sed -n 's/.*!\[[^]]*\](\([^)]*\)).*/\1/p' "$1" | head -n "$2" | sed "s|^|$3|"; }
	{ pictures README.md 2 ''; pictures docs/measurements.md 3 docs/; } >"$objects/pictures"
	git ls-files 2>/dev/null |
		grep -E '^build/|\.(svg|png|jpe?g|gif|pdf|html|csv|json|pyc|[ao]|so|gz|whl)$' |
		grep -v '^examples/data/' | grep -vxFf "$objects/pictures" | sed 's/$/ is in git, but a command writes it/'
}

broken=$(
	written
	calls | upward 'uses a symbol of'
	includes | upward includes
	includes | past
	# tsort prints the files of a circle, one a line, behind a line that says so.
	calls | tsort 2>&1 >/dev/null | sed 's/^tsort: -: input contains a loop:$/A circle of files:/; s/^tsort: /    /'
)
[ -z "$broken" ] || { printf '%s\n' "$broken"; exit 1; }
