#!/bin/sh
# SPDX-License-Identifier: MIT
#
# python.sh LIBRARY [SUITE...] - the tests of the Python package with this library, or some of
# test/python/test_SUITE.py.  Says which were skipped, and why.
set -eu
library=$1
shift
folder=$PWD/$(dirname "$library")
test/deps.sh python >"$folder/python.log" || tail -n 4 "$folder/python.log"
# A python3 of the user's own may come first, and lack what Debian's has.
python=
for each in python3 /usr/bin/python3; do
	[ -n "$python" ] || ! "$each" -c 'import numpy' 2>/dev/null || python=$each
done
if [ -z "$python" ]; then
	echo 'python: skipped, there is no NumPy'
	exit 0
fi
[ $# -gt 0 ] || set -- bench calls device docs gallery headers pairs products types wheel
# Caches of Python's beside the sources would be files without a license line.
export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$folder/python:$PWD/test/python" CLOPT_TEST_BUILD="$folder"
# Kernels that compile fast; and each program that the tests start would compile them again.
export CLOPT_VARIANT=matmul/plain,transpose/plain,potential/plain,nbody/plain
export CLOPT_CACHE_DIR="$folder/python-cache"
export LD_LIBRARY_PATH="$folder${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
for suite; do
	"$python" -m unittest -v "test_$suite" 2>"$folder/python.log" || {
		cat "$folder/python.log"
		exit 1
	}
	sed -n "s/^\(test_[a-z_]*\) .*skipped '\(.*\)'\$/python: \1: skipped, \2/p
		s/^Ran /python: $suite: /p" "$folder/python.log"
done
