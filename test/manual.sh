#!/bin/sh
# SPDX-License-Identifier: MIT
#
# manual.sh LIBRARY MAN - the manual is complete: each function that the library exports, each struct
# and enum of the headers, and each variable that the library reads has its place in it; pages of
# functions have examples, and open with a sentence that stands alone; its pages are right mdoc, and
# refer to pages that exist.
set -eu

bad() {
	echo "manual: $*"
	exit 1
}

# Its page refers to its group's page, which has its prototype and a heading with what it does.
nm -D --defined-only "$1" | sed -n 's/.* T \(clopt_[a-z0-9_]*\)\(@.*\)\{0,1\}$/\1/p' >"$2/functions"
[ -s "$2/functions" ] || bad "$1 exports nothing"
while read -r name; do
	page=$2/man3/$name.3
	[ -f "$page" ] || bad "$name has no page"
	group=$(sed -n 's/^\.so //p' "$page")
	[ -z "$group" ] || page=$2/$group
	grep -qx "\.Fo $name" "$page" || bad "$page lacks the prototype of $name"
	grep -q "^\.Ss.*\<$name\>" "$page" || bad "$page does not say what $name does"
done <"$2/functions"

# Examples take the sentence above them along: what is left has to begin with words, and not with a
# pronoun for something that has gone.
grep -L '^\.so' "$2"/man3/*.3 | while read -r page; do
	grep -qx '\.Sh EXAMPLES' "$page" || bad "$page has no example"
	opening=$(sed -n '/^\.Sh DESCRIPTION/{n;p;}' "$page")
	case $opening in
	.Fn* | [A-Za-z]*) ;;
	*) bad "$page opens with '$opening'" ;;
	esac
	case $opening in
	It\ * | Its\ * | This\ * | They\ * | Such\ * | So\ *) bad "$page opens with '$opening'" ;;
	esac
	awk '/^\.Sh /{ part = $0 } part == ".Sh EXAMPLES" && /^\.Bd/ && last !~ /:$/ { exit 1 } { last = $0 }' "$page" ||
		bad "$page has an example without a sentence"
done

sed -n 's/^\(struct\|enum\) \(clopt_[a-z0-9_]*\) {$/\1 \2/p' include/*.h | while read -r name; do
	grep -q "^\.Ss.*\<$name\>" "$2"/man3/*.3 || bad "$name has no place in section 3"
done
grep -ho '"CLOPT_[A-Z_]*[A-Z]"' lib/device/*.c lib/blas/src/*.c | tr -d '"' | sort -u | while read -r name; do
	grep -qx "\.It Ev $name" "$2/man7/clopt-environment.7" || bad "clopt-environment(7) lacks $name"
done

cat "$2"/man?/* | sed -n 's/^\.\(It \)\{0,1\}Xr \([^ ]*\) \(.\).*/man\3\/\2.\3/p' | sort -u | while read -r page; do
	[ -f "$2/$page" ] || bad "there is no $page"
done
echo "manual: $(wc -l <"$2/functions") functions have their place"

command -v mandoc >/dev/null || { echo "manual: lint skipped, no mandoc"; exit 0; }
# Whether references exist was asked above: mandoc looks for them on the system.
wrong=$(cd "$2" && grep -L '^\.so' man?/* | xargs mandoc -Tlint | grep -v 'referenced manual not found') || :
[ -z "$wrong" ] || bad "$wrong"
