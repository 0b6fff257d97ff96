#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""headers.py - what a compiler does not say of the public headers.

    headers.py comments            each function, struct and enum has a comment, each enumerator the
                                   name of its enum; no struct has the name of a function
    headers.py padding             a C program that compiles only if no struct ends in padding: a
                                   field put there later would hold what old programs left
    headers.py older|newer FOLDER  the headers as an older library had them, without the last field of
                                   each struct that begins with its size, or a newer one, with a field
                                   more
    headers.py cffi                Python's cffi reads them all, preprocessed and otherwise unchanged
"""
import glob
import os
import re
import subprocess
import sys

# clopt_mpi.h needs an mpi.h.
HEADERS = sorted(set(glob.glob("include/*.h")) - {"include/clopt_mpi.h"})
STRUCT = re.compile(r"struct (clopt_\w+) \{(.*?)\n\};", re.S)


def code(text):
    """Without comments."""
    return re.sub(r"/\*.*?\*/", "", text, flags=re.S)


def fields(body):
    """The declarations of a struct, each with its declarators."""
    found = []
    for declaration in code(body).split(";")[:-1]:
        text = " ".join(declaration.split())
        pointer = re.search(r"\(\*(\w+)\)\(", text)
        found.append((text, [pointer.group(1)] if pointer else
                      [re.search(r"(\w+)(\[\w+\])*$", part.strip()).group(1)
                       for part in text.split(",")]))
    return found


def sized(text):
    """Name and body of each struct that begins with its size."""
    return [(m.group(1), m.group(2)) for m in STRUCT.finditer(text)
            if fields(m.group(2))[0][0] == "size_t size"]


def comments():
    wrong = []
    structs, functions = set(), set()
    for path in HEADERS:
        text = open(path).read()
        structs |= {m.group(1) for m in STRUCT.finditer(text)}
        functions |= set(re.findall(r"^CLOPT_API .*?(clopt_\w+)\(", text, re.M))
        for paragraph in re.split(r"\n\n(?=\S)", text):
            plain = paragraph.lstrip("\n")
            names = re.findall(r"^CLOPT_API [^(]*?(clopt_\w+)\(|^(?:struct|enum) (clopt_\w+) \{", plain,
                               re.M)
            names = [a or b for a, b in names if not a.endswith("_init")]
            if names and not re.match(r"/\*", plain):
                wrong.append("%s: no comment above %s" % (path, names[0]))
        for m in re.finditer(r"enum clopt_(\w+) \{(.*?)\n\};", text, re.S):
            kind = {"status": ""}.get(m.group(1), m.group(1).replace("arg_kind", "arg").upper() + "_")
            body = code(m.group(2))
            for name in re.findall(r"^\s*(CLOPT_\w+)", body, re.M):
                if not name.startswith("CLOPT_" + kind) and name != "CLOPT_" + kind[:-1] + "S":
                    wrong.append("%s: %s does not say enum clopt_%s" % (path, name, m.group(1)))
    wrong += ["struct and function: " + name for name in sorted(structs & functions)]
    for line in wrong:
        print(line)
    return 1 if wrong else 0


def padding():
    print('#include <stddef.h>')
    for path in HEADERS:
        print('#include "%s"' % os.path.basename(path))
    print("#define ENDS(type, last) extern char type##_ends_in_padding"
          "[sizeof(struct type) == offsetof(struct type, last) + sizeof(((struct type *)0)->last)"
          " ? 1 : -1]")
    for path in HEADERS:
        for name, body in sized(open(path).read()):
            print("ENDS(%s, %s);" % (name, fields(body)[-1][1][-1]))
    return 0


def without_last(body):
    text, names = fields(body)[-1]
    rest = code(body)
    rest = rest[:rest.rstrip().rstrip(";").rfind(";") + 1]
    if len(names) > 1:
        rest += text[:text.rfind(",")] + ";"
    return rest


def changed(change, folder):
    os.makedirs(folder, exist_ok=True)
    for path in HEADERS:
        text = open(path).read()
        for name, body in sized(text):
            new = without_last(body) if change == "older" else body + "\n\tsize_t later;"
            text = text.replace("struct %s {%s\n};" % (name, body), "struct %s {%s\n};" % (name, new))
            if change == "older":
                text = re.sub(r"(sizeof\(struct %s\)[^}]*(?:\{[^}]*\}[^}]*)?),[^,}]*(\\\n\t\})" % name,
                              r"\1 \2", text)
        open(os.path.join(folder, os.path.basename(path)), "w").write(text)
    return 0


def preprocessed():
    """All headers in one text; the reader knows size_t and the like by itself."""
    source = "".join('#include "%s"\n' % os.path.basename(p) for p in HEADERS if "_cl" not in p)
    return subprocess.run([os.environ.get("CC", "cc"), "-E", "-P", "-nostdinc", "-Itest/header/none",
                           "-DCLOPT_API=", "-Iinclude", "-x", "c", "-"], input=source, text=True, check=True,
                          stdout=subprocess.PIPE).stdout


def cffi():
    import cffi as reader
    reader.FFI().cdef(preprocessed())
    return 0


if __name__ == "__main__":
    what = sys.argv[1]
    if what in ("older", "newer"):
        sys.exit(changed(what, sys.argv[2]))
    elif what == "text":
        print(preprocessed())
    else:
        sys.exit({"comments": comments, "padding": padding, "cffi": cffi}[what]())
