#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""layout.py [FOLDER] - a C program that prints the binary interface of the headers in FOLDER (include),
a line for each thing that a compiled program depends on: the types of each function, the number of
each enumerator, the place, size and type of each field, the size of each struct that has no field
with its size.  What may change is left out: such a struct may get fields at its end, a reserved
field a name, an enum more names."""
import glob
import os
import re
import subprocess
import sys

from headers import STRUCT, code, fields


def parts(text):
    """Split at the commas outside parentheses."""
    found, depth = [""], 0
    for letter in text:
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if letter == "," and not depth:
            found.append("")
        else:
            found[-1] += letter
    return [part.strip() for part in found]


def nameless(declaration):
    """The type of a declaration: names are no part of the interface."""
    callback = re.match(r"(.*)\(\*\w*\)\((.*)\)$", declaration)
    if callback:
        return "%s (*)(%s)" % (callback.group(1).strip(),
                               ", ".join(nameless(p) for p in parts(callback.group(2))))
    if not re.search(r"\w[\s*]+\w+(\[\w*\])*$", declaration) or re.match(r"(struct|enum) \w+$", declaration):
        return declaration
    return re.sub(r"\w+((\[\w*\])*)$", r"\1", declaration).strip()


def say(text, *numbers):
    print('\tprintf("%s\\n"%s);' % (text, "".join(", (long)(%s)" % n for n in numbers)))


folder = sys.argv[1] if len(sys.argv) > 1 else "include"
# clopt_mpi.h is another library's.
texts = [code(open(path).read()) for path in sorted(glob.glob(folder + "/*.h")) if "_mpi" not in path]
includes = '#include "clopt.h"\n#include "clopt_device.h"\n#include "clopt_tune.h"\n'
expanded = subprocess.run([os.environ.get("CC", "cc"), "-E", "-P", "-I" + folder, "-x", "c", "-"],
                          input=includes, text=True, check=True, stdout=subprocess.PIPE).stdout
print("#include <stddef.h>\n#include <stdio.h>\n" + includes + "int main(void)\n{")
for text in texts:
    for m in re.finditer(r"^CLOPT_API ([^;{}]*?)(clopt_\w+)\(([^;]*)\);", text, re.M):
        arguments = " ".join(m.group(3).split())
        say("%s %s(%s)" % (m.group(1).strip(), m.group(2), ", ".join(nameless(p) for p in parts(arguments))))
    for m in STRUCT.finditer(text):
        of = "struct " + m.group(1)
        declared = fields(m.group(2))
        for declaration, names in declared:
            first, *others = parts(declaration)
            base = re.match(r"(.*?)[\s*]*\w+(\[\w*\])*$", first)
            for name, kind in zip(names, [first] + [base.group(1) + " " + other for other in others]):
                if name != "reserved":
                    say("%s %s: %s, %%ld bytes at %%ld" % (of, name, nameless(kind)),
                        "sizeof(((%s *)0)->%s)" % (of, name), "offsetof(%s, %s)" % (of, name))
        if declared[0][0] != "size_t size":
            say("%s: %%ld bytes" % of, "sizeof(%s)" % of)
for m in re.finditer(r"enum clopt_(\w+)\s*\{(.*?)\}", expanded, re.S):
    for name in re.findall(r"(?:^|,)\s*(CLOPT_\w+)", m.group(2)):
        if name not in ("CLOPT_STATUS_END", "CLOPT_%sS" % m.group(1).upper()):
            say("%s = %%ld" % name, name)
print("\treturn 0;\n}")
