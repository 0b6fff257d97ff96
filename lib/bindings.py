#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bindings.py FILE - the structs, constants and functions of the C headers for another language, written to FILE.

The end of its name says which: .f90 (a part of module clopt), .jl (of module Clopt), .py (of package clopt) or .rs.
"""
import os
import re
import sys
import textwrap
from typing import NamedTuple

INCLUDE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "include")


class Value(NamedTuple):
    """A field, an argument or a result of C."""
    name: str
    base: str  # the type without const and stars
    stars: tuple = ()  # for each star, whether what it points to is const
    length: int = 0  # of an array
    function: tuple = ()  # what a pointer to a function returns, and its arguments
    default: str = "0"  # by the struct's NAME_INIT


def values(declaration):
    """The values that a declaration of C declares."""
    function = re.match(r"(.*)\(\*(\w+)\)\((.*)\)$", declaration)
    if function:
        result, name, arguments = function.groups()
        return [Value(name, "", function=(values(result + " result")[0], parameters(arguments)))]
    const, base, rest = re.match(r"(const )?((?:struct )?\w+)(.*)", declaration).groups()
    found = []
    for part in rest.split(","):
        stars, name, length = re.match(r"([\s*]*(?:const)?[\s*]*)(\w+)(?:\[(\d+)\])?$", part.strip()).groups()
        levels = [bool(const)] + [star.strip() == "const" for star in stars.split("*")[1:]]
        found.append(Value(name, base, tuple(levels[:-1]), int(length or 0)))
    return found


def parameters(text):
    """The values of a function's arguments."""
    return [values(" ".join(a.split()))[0] for a in text.split(",") if a.strip() != "void"]


class Headers:
    """What clopt.h and clopt_*.h declare, but clopt_mpi.h."""

    def __init__(self):
        text = ""
        for name in ("clopt.h", "clopt_pairs.h", "clopt_device.h", "clopt_tune.h", "clopt_cl.h"):
            with open(os.path.join(INCLUDE, name)) as file:
                text += file.read()
        text = re.sub(r"/\*.*?\*/", "", text, flags=re.S).replace("\\\n", " ")
        version = re.findall(r"CLOPT_VERSION_\w+ (\d+)", text)
        self.soname = "libclopt.so." + ".".join(version[:2 if version[0] == "0" else 1])
        statuses = "".join(f"CLOPT_{name} = {number}," for name, number in re.findall(r"X\((\w+), (-?\d+),", text))
        initial = dict(re.findall(r"#define (CLOPT_\w+)_INIT +\{(.*)\}", text))
        text = re.sub(r"^#.*", "", text, flags=re.M).replace("CLOPT_STATUS_MAP(CLOPT_STATUS_ENUM)", statuses)
        self.enums = {}
        for enum, body in re.findall(r"enum clopt_(\w+) \{(.*?)\}", text, re.S):
            number, names = -1, self.enums.setdefault(enum, {})
            for name, value in re.findall(r"(CLOPT_\w+)(?: = (-?\w+))?", body):
                number = int(value, 0) if value else number + 1
                names[name] = number
        self.structs = {}
        for name, body in re.findall(r"struct (clopt_\w+) \{(.*?)\n\};", text, re.S):
            fields = [v for d in body.split(";")[:-1] for v in values(" ".join(d.split()))]
            numbers = re.split(r",(?![^{]*\})", initial.get(name.upper(), ""))
            fields = [f._replace(default=n.strip()) for f, n in zip(fields, numbers + ["0"] * len(fields))]
            self.structs[name] = fields
        self.opaque = sorted(set(re.findall(r"struct (clopt\w*)[ ;]", text)) - set(self.structs))
        declared = re.findall(r"^CLOPT_API ([^;{}()]*?)(clopt_\w+)\(([^;]*)\);", text, re.M)
        self.functions = {name: (values(result.strip() + " result")[0], parameters(arguments))
                          for result, name, arguments in declared}

    def constants(self):
        return [item for names in self.enums.values() for item in names.items()]

    def struct_of(self, value):
        """The struct of the headers that a value points to, or None."""
        name = value.base.replace("struct ", "")
        return name if len(value.stars) == 1 and name in self.structs else None


def is_text(value):
    return value.base == "char" and value.stars == (True,)


def name_of(value):
    """Its name where some of C's are keywords."""
    return value.name + "_" if value.name in ("in", "type", "use", "where") else value.name


def camel(name):
    return "".join(word.capitalize() for word in name.split("_")[1:])


def python(h):
    types = {"int": "c_int", "unsigned": "c_uint", "size_t": "c_size_t", "int64_t": "c_int64",
             "uint64_t": "c_uint64", "char": "c_char", "double": "c_double", "float": "c_float"}

    def type_of(v):
        if v.function:
            return f"C.CFUNCTYPE({', '.join(map(type_of, [v.function[0], *v.function[1]]))})"
        if v.base == "void" and not v.stars:
            return "None"
        plain = "c_char_p" if is_text(v) else "c_void_p" if v.stars or v.base.startswith("cl_") else types[v.base]
        return f"C.{plain}" + (f" * {v.length}" if v.length else "")

    yield f"import ctypes as C\n\nSONAME = \"{h.soname}\""
    yield "# The words that arguments take: CLOPT_LAW_ALPB_SALT is \"alpb-salt\".\nENUMS = {"
    for enum, names in h.enums.items():
        start = "CLOPT_" if enum == "status" else f"CLOPT_{enum.replace('arg_kind', 'arg').upper()}_"
        words = {n[len(start):].lower().replace("_", "-"): v for n, v in names.items() if n.startswith(start)}
        yield f"    \"{enum}\": {words},"
    yield "}\nSTRUCTS = {"
    for name, fields in h.structs.items():
        yield f"    \"{camel(name)}\": [{', '.join(f'({v.name!r}, {type_of(v)})' for v in fields)}],"
    yield "}\n# Result and arguments.\nFUNCTIONS = {"
    for name, (result, arguments) in h.functions.items():
        yield f"    \"{name}\": ({', '.join(map(type_of, [result, *arguments]))},),"
    yield "}"


def fortran(h):
    types = {"int": "integer(c_int)", "unsigned": "integer(c_int)", "size_t": "integer(c_size_t)",
             "int64_t": "integer(c_int64_t)", "uint64_t": "integer(c_int64_t)", "char": "character(c_char)",
             "double": "real(c_double)", "float": "real(c_float)"}

    def type_of(v):
        return "type(c_funptr)" if v.function else types.get("" if v.stars else v.base, "type(c_ptr)")

    def field(v):
        none = {"type(c_ptr)": "c_null_ptr", "type(c_funptr)": "c_null_funptr", "character(c_char)": "c_null_char"}
        value = none.get(type_of(v), v.default if re.match(r"-?\d+$", v.default) else "0")
        return f"    {type_of(v)} :: {v.name}{f'({v.length})' if v.length else ''} = {value}"

    def argument(v):
        if h.struct_of(v):
            return f"      type({h.struct_of(v)}), intent({'in' if v.stars[0] else 'inout'}), optional :: {v.name}"
        return f"      {type_of(v)}, {'intent(inout)' if len(v.stars) > 1 else 'value'} :: {v.name}"

    for name, value in h.constants():
        yield f"  integer(c_int), parameter, public :: {name} = {value}"
    for name, fields in h.structs.items():
        yield "\n".join([f"  type, bind(c), public :: {name}", *map(field, fields), "  end type"])
    yield "  interface"
    for name, (result, arguments) in h.functions.items():
        kind = "subroutine" if result.base == "void" and not result.stars else "function"
        head = f"{name.replace('clopt_', 'c_', 1)}({', '.join(v.name for v in arguments)}) bind(c, name='{name}')"
        head = f"{kind} {head}" if kind == "subroutine" else f"{type_of(result)} {kind} {head}"
        yield "    " + " &\n        ".join(textwrap.wrap(head, 100, break_long_words=False))
        yield "\n".join(["      import", *map(argument, arguments), f"    end {kind}"])
    yield "  end interface"


def julia(h):
    types = {"int": "Cint", "unsigned": "Cuint", "size_t": "Csize_t", "int64_t": "Int64", "uint64_t": "UInt64",
             "char": "UInt8", "double": "Cdouble", "float": "Cfloat", "void": "Cvoid"}

    def type_of(v):
        plain = "Ptr{Cvoid}" if v.function or v.base.startswith("cl_") else types.get(v.base, "Cvoid")
        for _ in v.stars:
            plain = f"Ptr{{{plain}}}"
        return f"NTuple{{{v.length},{plain}}}" if v.length else plain

    def argument(v):
        if is_text(v):
            return "Cstring"
        if h.struct_of(v):
            return f"Ref{{{camel(h.struct_of(v))}}}"
        # Where a function puts a handle, a number of things or a kind of memory.
        at = v.stars and (len(v.stars) > 1 or v.base in ("int", "size_t"))
        return type_of(v).replace("Ptr", "Ref", 1) if at else type_of(v)

    yield f"const lib = \"{h.soname}\""
    for name, value in h.constants():
        yield f"const {name} = Cint({value})"
    for name, fields in h.structs.items():
        sized = fields[0].name == "size"
        yield "\n".join([f"{'mutable ' if sized else ''}struct {camel(name)}",
                         *(f"    {v.name}::{type_of(v)}" for v in fields)])
        if sized:
            init = name + "_init" if name + "_init" in h.functions else "nothing"
            yield f"    {camel(name)}() = initial(new(), {init})"
        yield "end"
    yield ("# All 0 but the size, or as the function of C says.\nfunction initial(s::T, init) where {T}\n"
           "    ccall(:memset, Ptr{Cvoid}, (Ref{T}, Cint, Csize_t), s, 0, sizeof(T))\n"
           "    s.size = sizeof(T)\n    init === nothing || init(s, sizeof(T))\n    s\nend")
    for name, (result, arguments) in h.functions.items():
        names = "".join(f", {name_of(v)}" for v in arguments)
        kinds = "".join(f"{argument(v)}, " for v in arguments)
        yield f"{name}({names[2:]}) =\n    ccall((:{name}, lib), {argument(result)}, ({kinds}){names})"


def rust(h):
    types = {"int": "c_int", "unsigned": "c_uint", "size_t": "usize", "int64_t": "i64", "uint64_t": "u64",
             "char": "c_char", "double": "f64", "float": "f32", "void": "c_void"}

    def type_of(v):
        if v.function:
            return f"Option<unsafe extern \"C\" fn({listed(v.function[1])}){returned(v.function[0])}>"
        plain = "*mut c_void" if v.base.startswith("cl_") else types.get(v.base, v.base.replace("struct ", ""))
        for const in v.stars:
            plain = f"*{'const' if const else 'mut'} {plain}"
        return f"[{plain}; {v.length}]" if v.length else plain

    def listed(arguments):
        return ", ".join(f"{name_of(v)}: {type_of(v)}" for v in arguments)

    def returned(v):
        return "" if v.base == "void" and not v.stars else f" -> {type_of(v)}"

    yield "use std::os::raw::{c_char, c_int, c_uint, c_void};"
    for name, value in h.constants():
        yield f"pub const {name}: c_int = {value};"
    for name in h.opaque:
        yield f"#[repr(C)]\npub struct {name} {{\n    _private: [u8; 0],\n}}"
    for name, fields in h.structs.items():
        yield f"#[repr(C)]\n#[derive(Clone, Copy, Debug)]\npub struct {name} {{"
        yield "\n".join([*(f"    pub {name_of(v)}: {type_of(v)}," for v in fields), "}"])
    yield "extern \"C\" {"
    for name, (result, arguments) in h.functions.items():
        yield f"    pub fn {name}({listed(arguments)}){returned(result)};"
    yield "}"


def main(path):
    write, comment = {".py": (python, "#"), ".f90": (fortran, "!"), ".jl": (julia, "#"), ".rs": (rust, "//")}[
        os.path.splitext(path)[1]]
    with open(path, "w") as file:
        file.write(f"{comment} SPDX-License-Identifier: MIT\n{comment} What the C headers declare, by bindings.py.\n\n")
        file.writelines(line + "\n" for line in write(Headers()))


if __name__ == "__main__":
    main(*sys.argv[1:])
