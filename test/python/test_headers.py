# SPDX-License-Identifier: MIT
"""ctypes' structs, constants and functions are those of include/*.h, as a C compiler sees them."""
import ctypes as C
import os
import re
import subprocess
import sys
import tempfile
import unittest

import clopt
from clopt import _answers, _errors, _library as L
from common import ROOT

sys.path.insert(0, os.path.join(ROOT, "test", "header"))
import headers  # noqa: E402  the reader of the headers that their own tests have


def text(name):
    with open(os.path.join(ROOT, name)) as file:
        return file.read()


ALL = "".join(text("include/" + name) for name in ("clopt.h", "clopt_device.h", "clopt_tune.h",
                                                    "clopt_cl.h"))


def compiled(lines):
    """What these lines print in main of a C program, as numbers by their names."""
    with tempfile.TemporaryDirectory() as folder:
        source, binary = os.path.join(folder, "a.c"), os.path.join(folder, "a")
        with open(source, "w") as file:
            file.write('#include <stddef.h>\n#include <stdio.h>\n#include "clopt_device.h"\n'
                       '#include "clopt_tune.h"\nint main(void)\n{\n' +
                       "".join(f'printf("%s %lld\\n", "{name}", (long long)({value}));\n'
                               for name, value in lines) + "return 0;\n}\n")
        subprocess.run([os.environ.get("CC", "cc"), "-I" + os.path.join(ROOT, "include"), "-o", binary,
                        source], check=True)
        found = subprocess.run([binary], check=True, stdout=subprocess.PIPE, text=True).stdout
    return {name: int(value) for name, value in (line.rsplit(" ", 1)
                                                 for line in found.splitlines())}


class Headers(unittest.TestCase):
    def test_structs(self):
        bodies = {m.group(1): headers.fields(m.group(2)) for m in headers.STRUCT.finditer(ALL)}
        lines, own = [], {}
        for name, struct in L.STRUCTS.items():
            kind = f"struct clopt_{name}"
            lines.append((kind, f"sizeof({kind})"))
            own[kind] = C.sizeof(struct)
            for _, names in bodies["clopt_" + name]:
                for field in names:
                    at = f"{kind}.{field}"
                    lines += [(at, f"offsetof({kind}, {field})"),
                              (at + " size", f"sizeof((({kind} *)0)->{field})")]
            for field, _ in struct._fields_:
                own[f"{kind}.{field}"] = getattr(struct, field).offset
                own[f"{kind}.{field} size"] = getattr(struct, field).size
        self.assertEqual(compiled(lines), own)

    def test_answers_have_all_fields(self):
        for kind, struct in ((_answers.Device, L.DeviceInfo), (_answers.Report, L.Report),
                             (_answers.Plan, L.PlanInfo), (_answers.Conserved, L.Conserved)):
            fields = [name for name, _ in struct._fields_ if name not in ("size", "reserved", "dry")]
            self.assertEqual(list(kind._fields), fields)

    def test_constants(self):
        own = {f"CLOPT_{enum.upper()}_{word.upper().replace('-', '_')}": value
               for enum, words in L.ENUMS.items() for word, value in words.items()}
        for status, kind in _errors.CLASSES.items():
            own["status " + kind.__name__] = status
        names = {"InvalidArgument": "EINVAL", "OutOfMemory": "ENOMEM", "NoDevice": "ENODEVICE",
                 "DeviceError": "EDEVICE", "BuildError": "EBUILD", "NoVariant": "ENOVARIANT",
                 "Unsupported": "EUNSUPPORTED", "WrongResult": "EWRONG", "FileError": "EIO",
                 "Cancelled": "ECANCELED", "DeviceLost": "ELOST", "ForkError": "EFORK"}
        self.assertEqual(compiled([(name, "CLOPT_" + names[name[7:]] if name.startswith("status ")
                                    else name) for name in own]), own)
        # All statuses and all words of each enum are there.
        declared = re.findall(r"^\tX\((E\w+),", ALL, re.M)
        self.assertEqual(sorted(declared), sorted(names.values()))
        for enum, words in L.ENUMS.items():
            body = headers.code(re.search(r"enum clopt_%s \{(.*?)\n\};" % enum, ALL, re.S).group(1))
            there = re.findall(r"\bCLOPT_%s_(\w+)" % enum.upper(), body)
            self.assertEqual(sorted(w.lower().replace("_", "-") for w in there), sorted(words))

    def test_functions(self):
        kinds = {"int": "i", "size_t": "n", "double": "d", "float": "f", "void": "-"}

        def kind(argument):
            if "*" in argument:
                return "p"
            words = argument.replace("const ", "").split()
            return "p" if words[0].startswith("cl_") else kinds[words[0]]

        for name, own in L.FUNCTIONS.items():
            found = re.search(r"^CLOPT_API ([^;]*?)clopt_%s\((.*?)\);" % name, headers.code(ALL),
                              re.S | re.M)
            self.assertIsNotNone(found, name)
            result = "s" if "char *" in found.group(1) else kind(found.group(1) + " ")
            arguments = "".join(kind(a) for a in found.group(2).split(",")
                                if a.strip() != "void")
            self.assertEqual(own.replace(" ", ""), result + arguments, name)

    def test_environment(self):
        table = re.findall(r"^\| `(CLOPT_(?!BLAS)\w+)`", text("docs/environment.md"), re.M)
        self.assertEqual(sorted(table), sorted(_answers.VARIABLES))

    def test_version(self):
        found = re.findall(r"^#define CLOPT_VERSION_[A-Z]* (\d+)", ALL, re.M)
        self.assertEqual(clopt.__version__, ".".join(found))
        self.assertEqual(L.SONAME, "libclopt.so." + ".".join(found[:2 if found[0] == "0" else 1]))
