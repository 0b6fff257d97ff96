#!/bin/sh
# SPDX-License-Identifier: MIT
#
# lint.sh FILE... - checks the format of these files, runs the checkers of C and of shell, and
# checks rules by grep: which file may call which functions, and which text no file may have.
# Prints a line for each broken rule, with the places under it.
set -u
LC_ALL=C
export LC_ALL

# say MESSAGE: prints it and standard input, the places where the rule is broken, if there are any.
say() {
	places=$(cat)
	[ -z "$places" ] || printf '%s:\n%s\n' "$1" "$places" | sed '2,$s/^/    /'
}

# code FILE: without comments, line for line, since a comment may name any function.
code() {
	awk '{
		text = ""
		while ($0 != "") {
			at = index($0, comment ? "*/" : "/*")
			if (!comment)
				text = text (at ? substr($0, 1, at - 1) : $0)
			$0 = at ? substr($0, at + 2) : ""
			if (at)
				comment = !comment
		}
		print text
	}' "$1"
}

# uses PATTERN FILE...: the lines of code that match.
uses() {
	pattern=$1
	shift
	for file in "$@"; do
		[ -f "$file" ] && code "$file" | grep -nE "$pattern" | sed "s|^|$file:|"
	done
}

# only PATTERN FILE...: no other file of lib/ may match.
only() {
	only=$1
	shift
	for file in lib/*/*.[ch]; do
		case " $* " in
		*" $file "*) ;;
		*) uses "$only" "$file" ;;
		esac
	done | say "$only is for $* alone"
}

# files WHERE...: all files but data, which keep their original form, and Python's caches.
files() { find "$@" -type f ! -path '*/data/*' ! -name '*.pyc' 2>/dev/null; }

rules() {
	uses '\bcl[A-Z][A-Za-z0-9]*\(' lib/table/*.c lib/choose/select.c lib/choose/match.c \
		lib/api/[belnpt]*.c lib/api/matmul.c | say "routines, the table and the choice call no OpenCL"
	uses '\b(v?printf|puts|putchar|perror|exit|_Exit|abort|assert)\(|\bstdout\b' lib/*/*.[ch] |
		say "the library neither prints nor exits"
	only 'stderr' lib/base/running.c
	# The OpenCL loaders' own variables are loader.c's.
	only '\bgetenv' lib/device/options.c lib/device/loader.c
	uses '\b(fork|waitpid|kill|_exit)\(' lib/*/*.[ch] | say "the library starts no process"
	only 'clFinish\(' lib/move/finish.c
	only 'clBuildProgram' lib/kernel/build.c lib/kernel/registers.c
	only 'CL_DEVICE_(VENDOR|NAME|EXTENSIONS)' lib/device/device.c

	# Functions that initialise a struct are called through a macro of the struct's name.
	sed -n 's/.*\b\(clopt_[a-z0-9_]*\)(.*/\1/p' lib/abi.txt | while read -r name; do
		grep -qE "\b$name\b|INIT\(${name%_init}," test/*/*.c || echo "$name"
	done | say "no test calls this public function"

	files lib cl include examples test .ci | xargs grep -L 'SPDX-License-Identifier: MIT' |
		say "no SPDX-License-Identifier: MIT"
	set -- lib cl include examples test .ci docs Makefile README.md
	files "$@" | xargs grep -nI '[[:blank:]]$' | say "blanks at the end of a line"
	files "$@" | xargs grep -nIwE 'TO[D]O|FIX[M]E' | say "unfinished"
}

broken=$(rules)
[ -z "$broken" ] || { printf '%s\n' "$broken"; exit 1; }
set -e
python3 test/words.py --headers
clang-format --dry-run -Werror "$@"
# Macros are for the users of the headers; C++98 had no long long.
warnings='-Weverything -Wno-unused-macros -Wno-unused-const-variable -Wno-c++98-compat
	-Wno-c++98-compat-pedantic -Wno-missing-variable-declarations -Werror'
# shellcheck disable=SC2086 # One word for each option.
{
	clang -std=c99 $warnings -Iinclude -isystem /usr/include -fsyntax-only test/header/clopt*.c
	clang++ -std=c++17 $warnings -Iinclude -isystem /usr/include -fsyntax-only -x c++ test/header/clopt*.c
}
shellcheck test/*.sh lib/*/*.sh .ci/run
# Processes of cppcheck look across files only by way of a folder, and then succeed whatever they find.
mkdir -p build/cppcheck
found=$(cppcheck -q -j "$(nproc)" --cppcheck-build-dir=build/cppcheck --std=c99 --file-filter="*.c" \
	--enable=warning,performance,portability --inline-suppr --error-exitcode=1 -Iinclude lib examples 2>&1) || found=${found:-cppcheck fails}
[ -z "$found" ] || { echo "$found"; exit 1; }
