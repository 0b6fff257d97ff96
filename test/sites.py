#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Of the library's calls that can fail, at how many places the tests made one fail.

    make SAN=coverage build/cov/test/check
    CLOPT_TEST_SITES=sites.txt build/cov/test/check
    test/sites.py build/cov/test/check sites.txt

A place is a call in lib/ of an OpenCL function, an allocation, a file's or a thread's function that the tests wrap
(test/frame/wrap.h), but for those that the wrappers never fail, which release objects.  In that program the library is
not optimized, so that each call of the text is one.  A test in which a call fails passes only if the library then
gives a status or the right result.  The places that never failed are listed; if there are some, the exit status is 1.
"""
import collections
import re
import subprocess
import sys

program, *files = sys.argv[1:]
NEVER = re.compile(r"clRelease|clopt__|_mark_point")
# The address of the instruction behind a call, where the call returns to: the function that is called.
sites = {}
called = None
disassembly = subprocess.run(["objdump", "-d", "--no-show-raw-insn", program], capture_output=True, text=True, check=True)
for line in disassembly.stdout.splitlines():
    address = re.match(r" *([0-9a-f]+):", line)
    if called and address:
        sites[int(address[1], 16)] = called
    match = re.search(r"\b(?:call|jmp) .*<__wrap_(\w+)>$", line)
    called = match and not NEVER.match(match[1]) and match[1]
# The place of a call is that of its last byte.
names = subprocess.run(["addr2line", "-e", program, *(hex(a - 1) for a in sites)], capture_output=True, text=True,
                       check=True).stdout.split("\n")
place = {a: re.sub(r"^.*?\blib/(\w+/\w+\.c:\d+).*", r"\1", n) for a, n in zip(sites, names)
         if re.search(r"(^|/)lib/\w+/\w+\.c:", n)}
failed = collections.Counter()
for file in files:
    with open(file) as lines:
        for line in lines:
            failed.update([a for a in (int(w, 16) for w in line.split()) if a in place][:1])
for address in sorted(place, key=lambda a: place[a]):
    if not failed[address]:
        print(f"{place[address]}: {sites[address]} never failed")
print(f"{len(failed)} of {len(place)} places failed, {sum(failed.values())} times")
sys.exit(any(not failed[a] for a in place))
