#!/bin/sh
# SPDX-License-Identifier: MIT
#
# rooms.sh OBJECTS [picture FILE | weights LIBRARY] - lib/ is a house of rooms, whose includes and calls only go
# down: checked in the includes and in the symbols of the objects (nm on OBJECTS/room/file.o).  Prints each
# include that goes up or past a room's header, each function or variable that is used upwards, each
# circle of files, and each file in git that a command writes, and fails if there is any.  With
# `picture`: draws the rooms from the top, with their purposes and the rooms that each uses, between
# two marks of FILE.  With `weights`: prints lines, files outside a room that name its symbols, and the longest
# headers, beside those of the last release, which it compiles once; and fields of struct variant that hardly any row
# of the table in LIBRARY, the static one, uses.
set -eu
LC_ALL=C
export LC_ALL
objects=$1
# The last release: where version 0.2 was set, since it has no tag.
release=95064381
# The rooms from the top.
rooms='api several tree bodies buffers call choose verify kernel device table host move base'

# calls OBJECTS: "room/file room/file" for each file that uses a symbol of another.
calls() {
	for file in lib/*/*.c; do
		name=${file#lib/}
		nm "$1/${name%.c}.o" | awk -v file="${name%.c}" '
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
	calls "$objects" >"$objects/calls"
	for room in $rooms; do
		uses=$(for below in $rooms; do
			[ "$below" = "$room" ] || ! grep -q "^$room/[a-z_]* $below/" "$objects/calls" || printf ' %s' "$below"
		done)
		printf '    %-7s %s\n        %2d files%s\n' "$room" "$(purpose "$room")" \
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

# weigh OBJECTS: "kind name number" of the tree in this folder.
weigh() {
	lines() { find "$@" -type f ! -path '*/data/*' ! -name '*.pyc' ! -name '*.png' -exec cat {} + | wc -l; }
	for room in lib/*/ cl examples test docs; do
		echo "lines $room $(lines "$room")"
	done
	echo "lines lib/*/*.[ch] $(cat lib/*/*.[ch] | wc -l)"
	echo "lines Makefile,*.mk $(find Makefile lib test \( -name Makefile -o -name '*.mk' \) -exec cat {} + | wc -l)"
	calls "$1" | awk '
		{ split($1, from, "/"); split($2, to, "/") }
		from[1] != to[1] && !seen[$1, to[1]]++ { files[to[1]]++ }
		END { for (room in files) print "files-outside-that-name-it", room, files[room] }' | sort
	wc -l lib/*/*.h | sort -rn | awk 'NR > 1 && NR < 8 { print "longest-headers", $2, $1 }'
}

# Fields of struct variant, and how many rows have them.
fields() {
	{
		cat <<-'END'
			#include <stdio.h>
			#include <string.h>
			#include "lib/table/table.h"
			static const struct variant none;
			static unsigned rows(size_t at, size_t size)
			{
				const struct variant *v;
				unsigned op, n = 0;
				for (op = 0; op < CLOPT_OPS; op++)
					for (v = clopt__ops[op]->rows; v->name; v++)
						n += memcmp((const char *)v + at, (const char *)&none + at, size) != 0;
				return n;
			}
			#define FIELD(f) printf("%-34s%9u\n", #f, rows(offsetof(struct variant, f), sizeof none.f))
			int main(void)
			{
		END
		sed -n '/^struct variant {/,/^}/{
			s|/\*.*||
			s/^	[^ ].*[ *]\([a-z_0-9]*\)\(\[[0-9]*\]\|)(.*)\)*; *$/FIELD(\1);/p
		}' lib/table/table.h
		echo 'return 0; }'
	} >"$objects/fields.c"
	${CC:-cc} -Iinclude -I. -o "$objects/fields" "$objects/fields.c" "$1" -lOpenCL -lm -lpthread && "$objects/fields"
}

if [ "${2-}" = weights ]; then
	weigh "$objects" >"$objects/now"
	then=$objects/$release
	if [ ! -e "$then/weights" ] && mkdir -p "$then" && git archive "$release" 2>/dev/null | tar -x -C "$then" 2>/dev/null; then
		(
			cd "$then"
			printf '%s\n' lib/*/*.c | sed 's/\.c$//' |
				xargs -P "$(nproc)" -I FILE "${CC:-cc}" -D_GNU_SOURCE -Iinclude -w -c -o FILE.o FILE.c
			weigh lib >weights
		)
	fi
	[ -e "$then/weights" ] || : >"$then/weights"
	awk -v release="$release" '
		FILENAME == ARGV[1] { then[$1, $2] = $3; next }
		$1 != kind { kind = $1; printf "\n%-34s%9s%9s\n", kind, "now", release }
		{ printf "%-34s%9d%9s\n", $2, $3, then[$1, $2] }' "$then/weights" "$objects/now"
	printf '\nfields of struct variant that fewer than three rows use\n'
	fields "$3" | awk '$2 < 3'
	exit
fi

# Pictures, pages, tables and built files in git, but for README's two pictures and three of measurements.md; data of
# examples are no command's.  Nothing in a folder that is no repository.
written() {
	pictures() { grep -o '!\[[^]]*\]([^)]*)' "$1" | head -n "$2" | sed "s|.*(\(.*\))|$3\1|"; }
	{ pictures README.md 2 ''; pictures docs/measurements.md 3 docs/; } >"$objects/pictures"
	git ls-files 2>/dev/null |
		grep -E '^build/|\.(svg|png|jpe?g|gif|pdf|html|csv|json|log|pyc|[ao]|so|gz|whl)$' |
		grep -vE '^(examples/data/|test/recipes/vcpkg/vcpkg\.json$)' | grep -vxFf "$objects/pictures" | sed 's/$/ is in git, but a command writes it/'
}

broken=$(
	written
	calls "$objects" | upward 'uses a symbol of'
	includes | upward includes
	includes | past
	# tsort prints the files of a circle, one a line, behind a line that says so.
	calls "$objects" | tsort 2>&1 >/dev/null | sed 's/^tsort: -: input contains a loop:$/A circle of files:/; s/^tsort: /    /'
)
[ -z "$broken" ] || { printf '%s\n' "$broken"; exit 1; }
