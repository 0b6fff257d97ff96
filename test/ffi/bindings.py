#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bindings.py - what the bindings of other languages state of the C headers.

    bindings.py fortran FILE PROTOTYPES   PROTOTYPES: what gfortran -fc-prototypes makes of FILE
    bindings.py julia FILE

Compares each function's arguments with the header's, by order and kind (for Fortran also by name), and
prints a C program that compiles only if all structs and constants are the header's.
"""
import re
import sys

HEADER = re.sub(r"/\*.*?\*/", " ", "".join(
    open("include/%s.h" % name).read() for name in ("clopt", "clopt_device")), flags=re.S)
# In Julia and in gfortran's C, and the kind of argument that it stands for.
KINDS = {"Cint": "int", "int": "int", "unsigned": "int", "Cuint": "int", "size_t": "long",
         "long": "long", "Csize_t": "long", "double": "double", "Cdouble": "double",
         "float": "float", "Cstring": "pointer", "Float32": "float", "Float64": "double"}
JULIA = {"Csize_t": "size_t", "Cint": "int", "Cuint": "unsigned", "Cdouble": "double"}


def kind(type):
    if "*" in type or re.match(r"(Ptr|Ref)\{", type):
        return "pointer"
    return KINDS[type.replace("const", "").strip()]


def c_arguments(text):
    """[(kind, name)] of a C prototype's arguments."""
    found = []
    for part in text.split(",") if text.strip() not in ("", "void") else ():
        type, name = re.match(r"(.*?)(\w+)$", " ".join(part.split())).groups()
        found.append((kind(type), name))
    return found


def declared(name):
    m = re.search(r"^CLOPT_API [^(;]*?\b%s\(([^;]*)\);" % name, HEADER, re.M)
    return c_arguments(m.group(1)) if m else None


def assert_struct(name, fields):
    """C: our struct of these declarations has the offsets of the header's."""
    print("struct our_%s { %s };" % (name, " ".join(text for text, _ in fields)))
    print("_Static_assert(sizeof(struct our_%s) == sizeof(struct %s), \"size of %s\");" %
          (name, name, name))
    for _, field in fields:
        print("_Static_assert(offsetof(struct our_%s, %s) == offsetof(struct %s, %s), \"%s.%s\");" %
              (name, field, name, field, name, field))


def fortran(path, prototypes):
    text = open(prototypes).read()
    for name, value in re.findall(r"\b(CLOPT_[A-Z0-9_]+) = (-?\d+)", open(path).read()):
        print("_Static_assert(%s == %s, \"%s\");" % (name, value, name))
    structs = re.findall(r"typedef struct (clopt_\w+) \{(.*?)\}", text, re.S)
    for name, body in structs:
        assert_struct(name, [(d.strip() + ";", re.search(r"(\w+)(\)\(\)|\[\d+\])?$", d).group(1))
                             for d in body.split(";")[:-1]])
    functions = re.findall(r"^[a-z][^(\n]*?\b(clopt_\w+) \((.*)\);", text, re.M)
    return len(structs), [(name, c_arguments(arguments), declared(name))
                          for name, arguments in functions]


def each_type(loop):
    """The body of `for (T, gemm) in ((Float32, :clopt_sgemm), ...)`, once for each pair."""
    return "".join(loop.group(2).replace("$T", T).replace("$(QuoteNode(gemm))", ":" + name)
                   for T, name in re.findall(r"\((\w+), :(\w+)\)", loop.group(1)))


def julia(path):
    text = re.sub(r"^for \(T, gemm\) in (.*?)\n(.*?)^end$", each_type, open(path).read(),
                  flags=re.S | re.M)
    names = {re.sub(r"(?<!^)(?=[A-Z])", "_", n).lower(): n
             for n in re.findall(r"^(?:mutable )?struct (\w+)$", text, re.M)}
    structs = 0
    for c_name, name in names.items():
        if "struct clopt_%s {" % c_name not in HEADER:
            continue
        body = re.search(r"struct %s\n(.*?)(?:\n    function|\nend)" % name, text, re.S).group(1)
        fields = []
        for field, type in re.findall(r"(\w+)::(\S+)", body):
            array = re.match(r"NTuple\{(\d+),(\w+)\}", type)
            c_type = JULIA[array.group(2)] if array else JULIA.get(type, "void *")
            fields.append(("%s %s%s;" % (c_type, field, "[%s]" % array.group(1) if array else ""),
                           field))
        assert_struct("clopt_" + c_name, fields)
        structs += 1
    calls = []
    for name, arguments in re.findall(r"ccall\(\(:(\w+), lib\),\s*\w+,\s*\(([^()]*)\)", text):
        types = re.findall(r"(?:Ptr|Ref)\{\w+(?:\{\w+\})?\}|\w+", arguments)
        want = declared(name)
        calls.append((name, [(kind(t), "") for t in types],
                      want and [(k, "") for k, _ in want]))
    return structs, calls


if __name__ == "__main__":
    print('#include <stddef.h>\n#include "clopt_device.h"')
    structs, calls = {"fortran": fortran, "julia": julia}[sys.argv[1]](*sys.argv[2:])
    wrong = ["%s: %s, and in the header %s" % call for call in calls if call[1] != call[2]]
    if structs < 6 or len(calls) < 6:
        wrong.append("%d structs and %d functions found: too few" % (structs, len(calls)))
    for line in wrong:
        print(line, file=sys.stderr)
    sys.exit(1 if wrong else 0)
