#!/bin/bash
# SPDX-License-Identifier: MIT
#
# adding.sh - "A kernel" of docs/contributing.md as its reader follows it: in a copy of this tree, with the
# page's kernel and row, each command of its block; after make build/test/check all.
set -euo pipefail

page=docs/contributing.md
to=$(mktemp -d)
trap 'rm -rf "$to"' EXIT
cp -a .clang-format Makefile README.md COPYING cl docs examples include lib test "$to"
mkdir "$to/build"
cp -a build/obj build/test build/examples build/*.a build/*.c "$to/build"
cd "$to"

# What the page has, from its marks: the row, "`cp FROM TO` and put this row above `ROW`", and the commands.
row=$(sed -n '/^ *{MATMUL, "matmul\/mine/,/},$/p' "$page" | tr -s '\n ' ' ' | sed 's/^ //')
# shellcheck disable=SC2016 # The backquotes are the page's.
kernel=$(sed -n 's/.*`\(cp cl[^`]*\)` and put this row above.*/\1/p' "$page")
# shellcheck disable=SC2016
below=$(sed -n 's/.*put this row above `\([^`]*\)`.*/\1/p' "$page")
commands=$(awk '/not run: test\/adding.sh/ { on = 1; next } on && NF == 0 { exit } on' "$page")
if [ -z "$row" ] || [ -z "$kernel" ] || [ -z "$below" ] || [ -z "$commands" ]; then
	echo "adding: $page has no row, kernel or commands where they are looked for"
	exit 1
fi

$kernel
awk -v row="$row" -v below="\"$below\"" 'index($0, below) { print "\t" row } 1' lib/table/matmul.c >edited
mv edited lib/table/matmul.c
! command -v clang-format >/dev/null || clang-format --dry-run -Werror lib/table/matmul.c

if ! bash -euxo pipefail -c "$commands" >log 2>&1; then
	cat log
	exit 1
fi
# Suites that find nothing to test pass too.
for said in '^table .* 0 failed' '^variants .* 0 failed' 'matmul/mine-64x64'; do
	if ! grep -q "$said" log; then
		cat log
		echo "adding: no line has $said"
		exit 1
	fi
done
echo "adding: $(grep -c '^+ ' log) commands of $page passed"
