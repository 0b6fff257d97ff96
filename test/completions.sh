#!/bin/bash
# SPDX-License-Identifier: MIT
#
# completions.sh PROGRAMS SHARE - the shells offer each command of clopt and each option that a --help
# lists, and no others.  A shell that is not there is skipped, with a line that says so.
set -euo pipefail
programs=$1 share=$2

# wanted PROGRAM [COMMAND]: the long options that its help lists.
wanted() { "$programs/$1" "${@:2}" --help | grep -oP '^ {2,6}(-., )?\K--[a-z-]+' | sort -u; }
same() {
	diff <(wanted "${@:2}") <(sed 's/=.*//' | sort -u) || {
		echo "completions: $1 offers other options of ${*:2}"
		exit 1
	}
}

# By the function that bash calls, with the words of a line as bash hands them over.
bash_offers() {
	(
		# shellcheck disable=SC2317 # The function calls it.
		compopt() { :; }
		# shellcheck source=/dev/null
		. "$share/bash-completion/completions/$1"
		COMP_WORDS=("$@" --) COMP_CWORD=$#
		"_${1//-/_}"
		printf '%s\n' "${COMPREPLY[@]}"
	)
}
fish_offers() {
	fish --no-config -c "source $share/fish/vendor_completions.d/$1.fish; complete -C '$* --'" | grep -o '^--[a-z-]*'
}
zsh_offers() { grep -P "${2:+^\t$2\) }_arguments" "$share/zsh/site-functions/_$1" | grep -oP "'\K--[a-z-]+"; }

commands=$("$programs/clopt" --help | grep -oP '^(Usage:| {6}) clopt \K[a-z]+' | sort -u)
[ "$(wc -w <<<"$commands")" -ge 9 ] || { echo "completions: --help lists no commands"; exit 1; }
for shell in bash zsh fish; do
	command -v "$shell" >/dev/null || { echo "completions $shell: skipped, no $shell"; continue; }
	"$shell" -n "$(find "$share/$shell"* -name '*clopt*' ! -name '*gem*' -type f)"
	for program in clopt-gem nbody; do
		"$shell" -n "$(find "$share/$shell"* -name "*$program*" -type f)"
		"${shell}_offers" $program | same "$shell" $program
	done
	for command in $commands; do
		"${shell}_offers" clopt "$command" | same "$shell" clopt "$command"
	done
	echo "completions $shell: passed"
done
